"""How often the interval of the rate of a recall ends before the true rate.

Scores of negatives follow a law, those of positives the same law moved up; in some
designs a share of the positives looks like negatives, as relevant articles without an
abstract do, so that the curve is all but flat where they are found.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import optimize, stats

import skrate
from simulated_intervals import slices
from skrate import RankTable

LAWS = {"normal": stats.norm(), "Student t3": stats.t(3)}


class Design(NamedTuple):
    """What samples are drawn from."""

    n: int
    prevalence: float
    shift: float
    distribution: str = "normal"
    # Share of the positives that look like negatives.
    hidden: float = 0.0
    # Scores are rounded down to multiples of it.
    step: float = 0.0


DESIGNS = {
    "2,000 with 100 positives": Design(2000, 0.05, 2.0),
    "1,000 with 100 positives": Design(1000, 0.1, 1.5),
    "500 with 100 positives": Design(500, 0.2, 1.0),
    "5,000 with 50 positives": Design(5000, 0.01, 2.5),
    "200 with 100 positives": Design(200, 0.5, 1.0),
    "10,000 with 1,000 positives": Design(10_000, 0.1, 2.0),
    "300 with 30 positives": Design(300, 0.1, 1.5),
    "heavy tails": Design(1000, 0.1, 2.5, "Student t3"),
    "a tenth hidden": Design(2000, 0.1, 3.0, hidden=0.1),
    "a tenth hidden, many": Design(20_000, 0.02, 3.0, hidden=0.1),
    "nearly perfect": Design(1000, 0.2, 4.0),
    "tied": Design(500, 0.2, 1.5, step=0.8),
}


def draw(
    rng: np.random.Generator, design: Design
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return labels and scores of a sample, labels at random by the prevalence."""
    y_true = rng.random(design.n) < design.prevalence
    is_moved = y_true & (rng.random(design.n) >= design.hidden)
    scores = (
        LAWS[design.distribution].rvs(design.n, random_state=rng)
        + design.shift * is_moved
    )
    if design.step:
        scores = np.floor(scores / design.step)
    return y_true, scores


def population(design: Design) -> RankTable:
    """Return the table of all there are, in thin slices."""
    distribution = LAWS[design.distribution]
    if design.step:
        edges = design.step * np.arange(20, -20, -1)
    else:
        edges = slices(distribution, design.shift)[::-1]
    edges = np.concatenate([[np.inf], edges, [-np.inf]])
    neg, moved = (
        np.diff(distribution.sf(edges)),
        np.diff(distribution.sf(edges - design.shift)),
    )
    pos = design.hidden * neg + (1 - design.hidden) * moved
    return RankTable(design.prevalence * pos, (1 - design.prevalence) * neg)


class Misses(NamedTuple):
    """Shares of the samples whose interval lies beside the truth, and its width."""

    below: float
    above: float
    width: float


def misses(metric, design, n_simulations, *, seed=0, **options):
    """Return how often the 95 % interval of a metric lies below and above the truth."""
    truth = metric(population(design), **options)
    known = [*DESIGNS.values()]
    place = known.index(design) if design in known else len(known)
    rng = np.random.default_rng([place, seed])
    ends = np.array(
        [
            skrate.estimate(metric, *draw(rng, design), **options).confidence_interval
            for _ in range(n_simulations)
        ]
    )
    return _misses(ends, truth)


def consensus_misses(setting, recall, n_simulations):
    """Return the same of ``rate_at_recall`` of folds, with the exact bounds."""
    truth = optimize.brentq(lambda rate: setting.recall(rate) - recall, 0, 1)
    ends = []
    for seed in range(n_simulations):
        data = setting.sample(np.random.default_rng([5, seed]))
        # The interval does not depend on the rates of the bounds.
        curve = skrate.rate_averaged_roc_curve(*data, rates=[1.0])
        ends.append(curve.rate_at_recall(recall).confidence_interval)
    return _misses(np.array(ends), truth)


def _misses(ends, truth):
    low, high = ends.T
    return Misses(
        float(np.mean(high < truth - 1e-9)),
        float(np.mean(low > truth + 1e-9)),
        float(np.median(high - low)),
    )
