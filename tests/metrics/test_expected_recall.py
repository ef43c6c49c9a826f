"""Expected recall: by hand, against the oracle, long rankings, NDCG."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import ndcg_score

from metric_cases import Case
from reference import rate_weighted as oracle
from reference import tables
from reference.rate_law import Density, Points
from skrate import (
    RankTable,
    expected_recall_from_rauc,
    expected_recall_score,
    rates,
    recall_at_rate_score,
)
from skrate.metrics import expected_recall as module
from strategies import ranked_samples

BETA = rates.beta(3, 19)


def reachable(rate, law=None):
    """Return what expected recall gives for a rate, with its law for the oracle."""

    def reached(rauc):
        return lambda p: expected_recall_from_rauc(rauc, rate=rate, prevalence=p)

    mean = rates.mixture([rate]).mean()
    return {
        "kwargs": {"rate": rate},
        "constant": lambda p: mean,
        "perfect": reached(1.0),
        "worst": reached(0.0),
        "oracle": law and (lambda groups, rate: tables.expected_recall(groups, law)),
    }


CASES = [
    Case(
        "expected recall, beta",
        expected_recall_score,
        **reachable(BETA, Density.of(stats.beta(3, 19))),
    ),
    Case(
        "expected recall, mixture",
        expected_recall_score,
        **reachable(rates.mixture([BETA, 0.5])),
    ),
    Case(
        "expected recall of negatives",
        expected_recall_score,
        {"rate": 0.25, "of": "negatives"},
        constant=lambda p: 0.75,
        perfect=lambda p: min(1, 0.75 / (1 - p)),
        worst=lambda p: max(0, 1 - 0.25 / (1 - p)),
        oracle=lambda groups, rate, of: tables.expected_recall(
            groups, Points(np.array([rate]), np.ones(1)), of
        ),
        needs_positives=False,
        needs_negatives=True,
    ),
    *(
        Case("a third of it", expected_recall_score, kwargs, slopes="smooth")
        for rate in [rates.beta(3, 9)]
        for kwargs in ({"rate": rate}, {"rate": rate, "of": "negatives"})
    ),
    Case("a quarter", expected_recall_score, {"rate": 0.25}, slopes="jump"),
]


RATES = {
    "beta(3, 19)": (rates.beta(3, 19), oracle.beta(3, 19)),
    "beta(19, 3)": (rates.beta(19, 3), oracle.beta(19, 3)),
    "beta(0.5, 0.5)": (rates.beta(0.5, 0.5), oracle.beta(0.5, 0.5)),
    "discrete": (rates.empirical([0.1, 0.4, 0.4]), oracle.points([0.1, 0.4, 0.4])),
    "mixture": (
        rates.mixture([rates.beta(2, 3), 0.7], weights=[3, 1]),
        oracle.mixture([(0.75, oracle.beta(2, 3)), (0.25, oracle.points([0.7]))]),
    ),
    "exponential": (rates.exponential(20), oracle.exponential(20)),
}


@pytest.mark.parametrize(
    ("y_true", "y_score", "rate", "expected"),
    [
        pytest.param("1010", "4321", 0.25, 1 / 2, id="one of two found"),
        pytest.param("1010", "4321", 0.625, 3 / 4, id="half of the third case"),
        pytest.param("1010", "4221", 0.5, (1 + 1 / 2) / 2, id="half of a tie"),
        pytest.param("0011", "4321", 0.5, 0.0, id="nothing found"),
        pytest.param("1111", "4321", 0.5, 0.5, id="no negatives"),
        # 1 - (place - 1/2) / n for each positive.
        pytest.param("1010", "4321", "uniform", (7 / 8 + 3 / 8) / 2, id="uniform"),
        pytest.param("10", "11", "uniform", 1 / 2, id="tied"),
    ],
)
def test_by_hand(y_true, y_score, rate, expected):
    y_true = [int(label) for label in y_true]
    y_score = [int(score) for score in y_score]
    score = expected_recall_score(y_true, y_score, rate=rate)
    assert_allclose(score, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("is_weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("seed", [1, 2])
def test_equals_quadrature(name, is_weighted, seed):
    rate, reference = RATES[name]
    rng = np.random.default_rng(seed)
    y_true = np.r_[1, 0, rng.random(8) < 0.4].astype(int).tolist()
    y_score = (rng.integers(-2, 3, 10) / 4).tolist()
    weights = np.r_[1, 1, rng.choice([0, 0.3, 2.5], 8)].tolist()
    weights = weights if is_weighted else None
    kwargs = {"rate": rate, "sample_weight": weights}
    found = expected_recall_score(y_true, y_score, **kwargs)
    expected = oracle.expected_recall(y_true, y_score, reference, weights)
    assert_allclose(found, expected, rtol=0, atol=1e-10)
    found = expected_recall_score(y_true, y_score, of="negatives", **kwargs)
    expected = oracle.expected_negative_recall(y_true, y_score, reference, weights)
    assert_allclose(found, expected, rtol=0, atol=1e-10)


@given(cases=ranked_samples(weighted=True))
def test_recall_of_negatives_is_the_recall_of_the_mirrored_problem(cases):
    y_true, y_score, weights = cases
    found = expected_recall_score(
        y_true, y_score, rate=rates.beta(3, 19), of="negatives", sample_weight=weights
    )
    mirrored = expected_recall_score(
        1 - y_true, -y_score, rate=rates.beta(19, 3), sample_weight=weights
    )
    assert_allclose(found, mirrored, rtol=0, atol=1e-12)


@given(cases=ranked_samples(weighted=True))
def test_a_known_rate_gives_the_recall_at_it(cases):
    for rate in (0.2, 0.5, 1.0):
        kwargs = {"rate": rate, "sample_weight": cases.sample_weight}
        expected = recall_at_rate_score(*cases[:2], **kwargs)
        found = expected_recall_score(*cases[:2], **kwargs)
        assert_allclose(found, expected, rtol=0, atol=1e-14)


def test_the_choice_of_class_is_checked():
    with pytest.raises(ValueError, match=r"of must be one of .*negatives.*'all'"):
        expected_recall_score([1, 0], [1, 0], of="all")


@pytest.mark.parametrize(
    ("of", "label", "missing"), [("positives", 0, "positive"), ("negatives", 1, "neg")]
)
def test_an_absent_class_is_undefined(of, label, missing):
    with pytest.warns(UndefinedMetricWarning, match=f"y_true holds no {missing}"):
        assert np.isnan(expected_recall_score([label] * 3, [1, 2, 3], of=of))


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
    "points": (rates.empirical([0.125, 0.5, 0.75]), step_survival([0.125, 0.5, 0.75])),
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
@pytest.mark.parametrize("name", LONG_RATES)
@pytest.mark.parametrize("ties", ["none", "pairs", "some long", "many"])
@pytest.mark.parametrize(
    ("n", "dtype"),
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
    jumps = [0.125, 0.5, 0.75] if name == "points" else []
    expected = oracle.sum_over_groups(pos, edges, survival, jumps)
    found = expected_recall_score(y_true, y_score, rate=rate)
    assert_allclose(found, expected, rtol=0, atol=2e-13)


@pytest.mark.parametrize("name", ["beta(3, 19)", "beta(0.5, 0.5)"])
@pytest.mark.parametrize("n", [40_000, 150_000])
def test_long_weighted_rankings_equal_the_plain_sum_over_groups(name, n):
    rate, survival = LONG_RATES[name]
    y_true, y_score = long_sample(n, "pairs", "float64")
    weights = np.random.default_rng(1).choice([0.3, 1.0, 2.9], n)
    _, groups = np.unique(-y_score, return_inverse=True)
    pos = np.bincount(groups, y_true * weights)
    cumulated = np.cumsum(np.bincount(groups, weights), dtype=np.longdouble)
    edges = np.r_[0, cumulated / cumulated[-1]].astype(float)
    expected = oracle.sum_over_groups(pos, edges, survival)
    found = expected_recall_score(y_true, y_score, rate=rate, sample_weight=weights)
    assert_allclose(found, expected, rtol=0, atol=2e-13)


def test_places_and_groups_give_the_same_sum():
    y_true, y_score = long_sample(20_000, "pairs", "float64")
    table = RankTable.from_arrays(y_true, y_score)
    for rate in (rates.beta(3, 19), rates.fixed(0.123), rates.log_discount(20_000)):
        by_place = expected_recall_score(y_true, y_score, rate=rate)
        by_group = module._sum_over_groups(table, rate) / table.n_pos
        assert_allclose(by_place, by_group, rtol=0, atol=1e-13)


# --- NDCG ---------------------------------------------------------------------------


def ndcg(y_true, y_score):
    n = len(y_true)
    rate = rates.log_discount(n)
    best = expected_recall_from_rauc(1.0, rate=rate, prevalence=np.mean(y_true))
    return expected_recall_score(y_true, y_score, rate=rate) / best


@given(cases=ranked_samples(n_scores=15))
def test_log_discount_gives_ndcg(cases):
    expected = ndcg_score([cases.y_true], [cases.y_score])
    assert_allclose(ndcg(*cases[:2]), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [1000, 20_000, 140_000])
def test_log_discount_gives_ndcg_of_long_rankings(n):
    rng = np.random.default_rng(n)
    y_true = (rng.random(n) < 0.1).astype(int)
    y_score = rng.normal(y_true, 1)
    expected = ndcg_score([y_true], [y_score])
    assert_allclose(ndcg(y_true, y_score), expected, rtol=0, atol=1e-12)
