"""Pairs of models with known curves over the rate, and how often bands hold these.

The scores of both models follow one law within each class, moved up for the positives
and correlated between models; with a step they are rounded to its multiples, so that
most of them tie. Where a model finds a part of the positives at once its curve has a
kink: the share of positives at the cut falls within few cases.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import stats

from skrate.inference.curve_evaluation import curve_process
from skrate.inference.options import Plan
from skrate.inference.rankings import add_model_scores, check_samples

RATES = np.arange(1, 200) / 200
# Where budgets most often lie.
LOW = (RATES > 0.01 - 1e-9) & (RATES < 0.3 + 1e-9)
# A population's ranking in so many steps.
_FINE = 40_001
_AT_ONCE = 5


class Setting(NamedTuple):
    """What samples are drawn from."""

    prevalence: float
    shift_a: float
    shift_b: float
    correlation: float
    distribution: str = "t5"
    step: float | None = None
    # The share of positives that a finds at once: they are moved up by so much more.
    at_once: float = 0.0

    def sample(self, generator, n):
        """Return labels and the scores of both models."""
        is_pos = generator.random(n) < self.prevalence
        errors = generator.multivariate_normal(
            [0, 0], [[1, self.correlation], [self.correlation, 1]], size=n
        ).T
        if self.distribution == "t5":
            errors /= np.sqrt(generator.chisquare(5, size=n) / 5)
        scores = errors + np.outer([self.shift_a, self.shift_b], is_pos)
        if self.at_once:
            scores[0] += _AT_ONCE * (is_pos & (generator.random(n) < self.at_once))
        if self.step is not None:
            scores = np.round(scores / self.step) * self.step
        return is_pos, *scores

    def curves(self, rates):
        """Return the recall of both models in the population."""
        of_a = self._recall(self.shift_a, rates, self.at_once)
        return of_a, self._recall(self.shift_b, rates)

    def _recall(self, shift, rates, at_once=0.0):
        distribution = stats.t(5) if self.distribution == "t5" else stats.norm()
        cuts = np.linspace(60, -60, _FINE)
        if self.step is not None:
            cuts = (np.arange(60 / self.step, -60 / self.step, -1) - 0.5) * self.step
        found, wrong = distribution.sf(cuts - shift), distribution.sf(cuts)
        found = (1 - at_once) * found + at_once * distribution.sf(
            cuts - shift - _AT_ONCE
        )
        passed = self.prevalence * found + (1 - self.prevalence) * wrong
        return np.interp(rates, passed, found)


SETTINGS = {
    "equal, prevalence 0.3": Setting(0.3, 1.5, 1.5, 0.5),
    "equal, prevalence 0.1": Setting(0.1, 1.5, 1.5, 0.5),
    "equal, normal, prevalence 0.5": Setting(0.5, 1.5, 1.5, 0.8, "normal"),
    "equal, alike": Setting(0.3, 1.5, 1.5, 0.97),
    "equal, six values": Setting(0.2, 1.5, 1.5, 0.5, step=1.0),
    "other, prevalence 0.3": Setting(0.3, 1.5, 1.0, 0.5),
    "other, prevalence 0.1": Setting(0.1, 1.5, 1.0, 0.5),
    "other, normal, prevalence 0.1": Setting(0.1, 2.0, 1.0, 0.5, "normal"),
    "other, nearly perfect": Setting(0.2, 4.0, 3.5, 0.5),
    "other, six values": Setting(0.2, 1.5, 1.0, 0.5, step=1.0),
    "kink, prevalence 0.2": Setting(0.2, 0.0, 1.5, 0.0, "normal", at_once=0.6),
    "kink, prevalence 0.1": Setting(0.1, 0.0, 1.4, 0.5, "normal", at_once=0.5),
}


class Coverage(NamedTuple):
    """Shares of samples whose band holds the curve, or leaves out a zero."""

    whole: float  # at all rates
    low: float  # the band of the rates up to 0.3
    one: float  # the band of model a alone
    at: float  # the interval, as a mean over rates
    b_wins: float  # the band is below 0 at some rate
    any_wins: float


def coverage(setting, n, n_simulations, *, n_resamples=1000, metric="recall", seed=0):
    """Return how often 95 % bands hold the population's curves."""
    generator = np.random.default_rng([seed, n])
    of_a, of_b = setting.curves(RATES)
    scale = {
        "recall": 1,
        "hits": setting.prevalence,
        "precision": setting.prevalence / RATES,
        "lift": 1 / RATES,
    }[metric]
    of_a, of_b = scale * of_a, scale * of_b
    plan = Plan(n_resamples=n_resamples, random_state=generator)
    rows = []
    for _ in range(n_simulations):
        is_pos, *scores = setting.sample(generator, n)
        samples = check_samples(is_pos)
        models = [add_model_scores(samples, "y_score", y_score) for y_score in scores]
        both = curve_process(metric, models, RATES)
        band = both.band(plan)
        low = part_of(both, LOW).band(plan)
        one = curve_process(metric, models[:1], RATES)
        of_one = one.band(plan)
        rows.append(
            (
                holds(band, of_a - of_b).all(),
                holds(low, (of_a - of_b)[LOW]).all(),
                holds(of_one, of_a).all(),
                holds(both.interval(0.95), of_a - of_b).mean(),
                (band.high < 0).any(),
                ((band.high < 0) | (band.low > 0)).any(),
            )
        )
    return Coverage(*np.mean(rows, axis=0))


def part_of(process, chosen):
    """Return the process at some of its rates."""
    return replace(
        process,
        rates=process.rates[chosen],
        values=process.values[chosen],
        covariance=process.covariance[np.ix_(chosen, chosen)],
        grain=process.grain[chosen],
        limits=tuple(limit[chosen] for limit in process.limits),
    )


def holds(bounds, curve):
    """Return at which rates bounds hold a curve, but for rounding."""
    return (bounds.low <= curve + 1e-9) & (curve - 1e-9 <= bounds.high)
