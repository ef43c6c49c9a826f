"""Expected recall of either class, its slopes, and ranges over sets of rates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from guarantees import assert_errors_are_the_spread, simulated
from looped import looped
from metric_cases import Case
from reference import rate_weighted as oracle
from reference import tables
from reference.rate_law import Density, Points
from skrate import (
    convert_rauc,
    estimate,
    rate_weighted_auc_score,
    rates,
    recall_at_rate_score,
)
from skrate.rates.distributions import check_rate

BETA = rates.beta(3, 19)


def reachable(rate, distribution=None):
    """Return what expected recall gives for a rate, with its law for the oracle."""

    def reached(rauc):
        return lambda p: convert_rauc(
            rauc, to="expected_recall", rate=rate, prevalence=p
        )

    mean = rates.mixture([rate]).mean()
    return {
        "kwargs": {"rate": rate},
        "constant": lambda p: mean,
        "perfect": reached(1.0),
        "worst": reached(0.0),
        "oracle": distribution
        and (lambda groups, rate: tables.expected_recall(groups, distribution)),
    }


CASES = [
    Case(
        "expected recall, beta",
        recall_at_rate_score,
        **reachable(BETA, Density.of(stats.beta(3, 19))),
    ),
    Case(
        "expected recall, mixture",
        recall_at_rate_score,
        **reachable(rates.mixture([BETA, 0.5])),
    ),
    Case(
        "FPR at a rate",
        recall_at_rate_score,
        {"rate": 0.25, "of": "negatives"},
        constant=lambda p: 0.25,
        perfect=lambda p: max(0, (0.25 - p) / (1 - p)),
        worst=lambda p: min(1, 0.25 / (1 - p)),
        oracle=lambda groups, rate, of: tables.expected_recall(
            groups, Points(np.array([rate]), np.ones(1)), of
        ),
        slopes="jump",
        needs_positives=False,
        needs_negatives=True,
    ),
    *(
        Case("a third of it", recall_at_rate_score, kwargs, slopes="smooth")
        for rate in [rates.beta(3, 9)]
        for kwargs in ({"rate": rate}, {"rate": rate, "of": "negatives"})
    ),
    Case("a quarter", recall_at_rate_score, {"rate": 0.25}, slopes="jump"),
]


@looped(
    "y_true, y_score, rate, expected",
    [
        ("1010", "4321", 0.25, 1 / 2),
        ("1010", "4321", 0.625, 3 / 4),
        ("1010", "4221", 0.5, (1 + 1 / 2) / 2),
        ("0011", "4321", 0.5, 0.0),
        ("1111", "4321", 0.5, 0.5),
        # 1 - (place - 1/2) / n for each positive.
        ("1010", "4321", "uniform", (7 / 8 + 3 / 8) / 2),
        ("10", "11", "uniform", 1 / 2),
    ],
)
def test_by_hand(y_true, y_score, rate, expected):
    y_true = [int(label) for label in y_true]
    y_score = [int(score) for score in y_score]
    score = recall_at_rate_score(y_true, y_score, rate=rate)
    assert_allclose(score, expected, rtol=0, atol=1e-15)


# --- Long rankings ------------------------------------------------------------------


def beta_survival(a, b):
    return lambda u: special.betaincc(a, b, u)


def step_survival(points):
    return lambda u: np.mean(np.asarray(points)[:, None] > u, axis=0)


LONG_RATES = {
    "beta(3, 19)": (rates.beta(3, 19), beta_survival(3, 19)),
    "beta(600, 9400)": (rates.beta(600, 9400), beta_survival(600, 9400)),
    "beta(0.5, 0.5)": (rates.beta(0.5, 0.5), beta_survival(0.5, 0.5)),
    "beta(0.2, 5)": (rates.beta(0.2, 5), beta_survival(0.2, 5)),
    "exponential": (rates.exponential(160.9), lambda u: np.exp(-160.9 * u)),
    "points": (rates.empirical([0.12, 0.5, 0.75]), step_survival([0.12, 0.5, 0.75])),
}


def long_sample(n, ties, dtype):
    """Return labels and scores in places 0, 1, ..., some of which are tied."""
    rng = np.random.default_rng(n)
    y_true = (rng.random(n) < 0.3).astype(int)
    y_true[:2] = 1, 0
    places = np.arange(n)
    if ties == "pairs":
        places = places - (places % 16 == 1)
    elif ties == "some long":
        places = np.where((places > n // 3) & (places < n // 3 + 700), n // 3, places)
    elif ties == "many":
        places = places // 40
    order = rng.permutation(n)
    # Negative and positive scores, with and without the last bit.
    scores = {"float64": np.sinh(1 - places / n * 2), "float32": 1 - places}[dtype]
    return y_true[order], scores[order].astype(dtype)


@pytest.mark.slow
@looped("name", LONG_RATES)
@looped("ties", ["none", "pairs", "some long", "many"])
@looped(
    "n, dtype",
    [
        (16_384, "float64"),
        (16_392, "float32"),
        (70_000, "float64"),
        (131_080, "float64"),
    ],
)
def test_long_rankings_equal_the_plain_sum_over_groups(name, ties, n, dtype):
    rate, survival = LONG_RATES[name]
    y_true, y_score = long_sample(n, ties, dtype)
    _, groups = np.unique(-y_score.astype(float), return_inverse=True)
    pos = np.bincount(groups, y_true)
    edges = np.r_[0, np.cumsum(np.bincount(groups))] / n
    jumps = [0.12, 0.5, 0.75] if name == "points" else []
    expected = oracle.sum_over_groups(pos, edges, survival, jumps)
    found = recall_at_rate_score(y_true, y_score, rate=rate)
    assert_allclose(found, expected, rtol=0, atol=2e-13)


# --- NDCG ---------------------------------------------------------------------------


# --- Theorems 5 and 6 of Millard, Flach and Higgins, for the negatives ---------------


def slopes_sample(n, seed=0, prevalence=0.2):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < prevalence
    return labels, rng.standard_normal(n) + 1.2 * labels


def twin(rate):
    """Return the same discrete law as an empirical rate."""
    return rates.empirical(*rate.point_masses())


DISCRETE = [
    rates.log_discount(20),
    rates.log_discount(30, base=10),
    rates.fixed(0.3),
    rates.mixture([0.1, 0.4, rates.empirical([0.2, 0.3, 1.0])], [1, 2, 3]),
    rates.mixture([rates.log_discount(5), rates.log_discount(9)]),
    check_rate(stats.randint(0, 2, loc=0.25)),
]


@looped("rate", DISCRETE)
@looped("metric", [recall_at_rate_score, rate_weighted_auc_score])
def test_a_discrete_law_has_one_standard_error_however_it_is_made(rate, metric):
    labels, scores = slopes_sample(500)
    found = estimate(metric, labels, scores, rate=rate)
    expected = estimate(metric, labels, scores, rate=twin(rate))
    assert_allclose(found.value, expected.value, rtol=1e-12)
    assert_allclose(found.standard_error, expected.standard_error, rtol=1e-9)


class Jumps(stats.rv_continuous):
    """Half of the mass at 0.1, half exponential."""

    def _sf(self, x):
        return 0.5 * (x < 0.1) + 0.5 * np.exp(-5 * x)


MIXED = {
    "log discount": rates.log_discount(20),
    "a point and a beta": rates.mixture([0.1, rates.beta(3, 19)], [3, 1]),
    "a point and a clipped normal": rates.mixture([0.2, stats.norm(0.2, 0.12)], [1, 1]),
    "clipped normal": stats.norm(0.2, 0.12),
    "clipped on both sides": stats.norm(0.5, 0.3),
    "jump of a custom law": Jumps(a=0)(),
    "several budgets and any": rates.mixture([0.05, 0.1, "uniform"], [1, 1, 1]),
}


@pytest.mark.slow
@looped("name", MIXED)
def test_the_standard_error_is_the_spread_over_samples(name):
    rate = check_rate(MIXED[name])

    def drawn(seed):
        return estimate(recall_at_rate_score, *slopes_sample(2_000, seed), rate=rate)

    # Each estimate is some 10 % off.
    assert_errors_are_the_spread(simulated(400, drawn), slack=0.02)
