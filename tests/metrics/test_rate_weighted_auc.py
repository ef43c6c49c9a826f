"""The rate-weighted AUC: by hand, against the oracle, against other programs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from looped import looped
from metric_cases import Case
from reference import rate_weighted as oracle
from reference import tables
from reference.rate_law import Density
from skrate import convert_rauc, rate_weighted_auc_score, rates, recall_at_rate_score


def linear(rate, distribution=None):
    """Return what the rAUC gives for a rate: constant scores, rescaled."""

    def constant(p):
        mean = rates.mixture([rate]).mean()
        return convert_rauc(mean, to="rauc", rate=rate, prevalence=p)

    return {
        "kwargs": {"rate": rate},
        "constant": constant,
        "oracle": distribution
        and (lambda groups, rate: tables.rate_weighted_auc(groups, distribution)),
        "needs_negatives": True,
    }


CASES = [
    Case(
        "rauc, uniform",
        rate_weighted_auc_score,
        constant=lambda p: 0.5,
        oracle=tables.auc,
        slopes="smooth",
        needs_negatives=True,
        negates=True,
        swaps=True,
    ),
    Case(
        "rauc, beta",
        rate_weighted_auc_score,
        **linear(rates.beta(3, 19), Density.of(stats.beta(3, 19))),
        slopes="smooth",
        swaps=True,
    ),
    Case(
        "rauc, symmetric beta",
        rate_weighted_auc_score,
        **linear(rates.beta(11, 11)),
        negates=True,
        swaps=True,
    ),
    Case(
        "rauc, discrete",
        rate_weighted_auc_score,
        **linear(rates.empirical([0.1, 0.1, 0.25, 0.6])),
        swaps=True,
    ),
    Case("rauc, fixed", rate_weighted_auc_score, **linear(0.3), swaps=True),
    Case(
        "rauc, exponential",
        rate_weighted_auc_score,
        {"rate": rates.exponential(10)},
        slopes="smooth",
    ),
    Case(
        "rauc, three budgets",
        rate_weighted_auc_score,
        {"rate": rates.empirical([0.1, 0.3, 0.3])},
        slopes="jump",
    ),
]


# Rate, and the same for the oracle: the five betas of the paper and every kind.
RATES = {
    "beta(3, 19)": (rates.beta(3, 19), oracle.beta(3, 19)),
    "beta(7, 15)": (rates.beta(7, 15), oracle.beta(7, 15)),
    "beta(11, 11)": (rates.beta(11, 11), oracle.beta(11, 11)),
    "beta(15, 7)": (rates.beta(15, 7), oracle.beta(15, 7)),
    "beta(19, 3)": (rates.beta(19, 3), oracle.beta(19, 3)),
    "beta(0.5, 0.5)": (rates.beta(0.5, 0.5), oracle.beta(0.5, 0.5)),
    "elicited": (rates.from_budget(7200, 2500, (10, 45)), None),
    "uniform": ("uniform", oracle.beta(1, 1)),
    "fixed": (0.3, oracle.points([0.3])),
    "discrete": (
        stats.rv_discrete(values=([0.1, 0.5, 0.8], [0.5, 0.25, 0.25]))(),
        oracle.points([0.1, 0.1, 0.5, 0.8]),
    ),
    "empirical": (
        rates.empirical([0.05, 0.2, 0.2, 0.37, 0.9, 1.4]),
        oracle.points([0.05, 0.2, 0.2, 0.37, 0.9, 1.0]),
    ),
    "mixture": (
        rates.mixture([rates.beta(3, 19), 0.8], weights=[9, 1]),
        oracle.mixture([(0.9, oracle.beta(3, 19)), (0.1, oracle.points([0.8]))]),
    ),
    "interval": (rates.interval(0.15, 0.45), None),
    "exponential": (rates.exponential(5), oracle.exponential(5)),
    "scipy beta": (stats.beta(3, 19), oracle.beta(3, 19)),
    "scipy expon": (stats.expon(scale=0.2), oracle.exponential(5)),
}
WITH_ORACLE = [name for name, (_, reference) in RATES.items() if reference]


def sample(seed, *, is_weighted):
    """Return a sample full of ties with both classes, weights that are no integers."""
    rng = np.random.default_rng(seed)
    y_true = np.r_[1, 0, rng.random(9) < 0.4].astype(int)
    y_score = rng.integers(-3, 4, 11) / 4
    weights = rng.choice([0.0, 0.3, 1.0, 2.5], 11) if is_weighted else np.ones(11)
    weights[:2] = 1.7 if is_weighted else 1
    return y_true.tolist(), y_score.tolist(), weights.tolist()


@looped(
    "y_true, y_score, rate, expected",
    [
        # (recall - least) / (most - least) at the rate
        ("1010", "4321", 0.25, 1.0),
        ("1010", "4321", 0.5, 0.5),
        ("1010", "4321", 0.75, 1.0),
        ("1010", "4321", 0.375, (0.5 - 0) / (0.75 - 0)),
        ("1000", "4321", 0.1, 0.4 / 0.4),
        ("0100", "4321", 0.8, 1.0),
        ("0001", "4321", 0.8, 0.0),
        ("1010", "4221", 0.5, (0.75 - 0) / 1),
        ("1010", "4321", "uniform", 3 / 4),
        ("1010", "1111", "uniform", 1 / 2),
    ],
)
def test_by_hand(y_true, y_score, rate, expected):
    y_true = [int(label) for label in y_true]
    y_score = [int(score) for score in y_score]
    score = rate_weighted_auc_score(y_true, y_score, rate=rate)
    assert_allclose(score, expected, rtol=0, atol=1e-15)


def test_the_oracle_is_right_by_hand():
    uniform, y_true, y_score = oracle.beta(1, 1), [1, 0, 1, 0], [4, 3, 2, 1]
    assert_allclose(oracle.rauc_in_recall_space(y_true, y_score, uniform), 0.75)
    assert_allclose(oracle.rauc_in_accuracy_space(y_true, y_score, uniform), 0.75)
    assert_allclose(oracle.rauc_by_algorithm_1(y_true, y_score, uniform), 0.75)
    # E[R] and E[R^2] of a beta distribution.
    assert_allclose(oracle.expectation(lambda r: r, oracle.beta(3, 19), []), 3 / 22)
    arcsine = oracle.beta(0.5, 0.5)
    assert_allclose(oracle.expectation(lambda r: r * r, arcsine, [0.4]), 3 / 8)


@looped(
    "rate",
    [1.0, 1, rates.fixed(1.0), rates.empirical([1.0, 2.5]), rates.empirical([0])],
)
def test_a_rate_under_which_rankings_do_not_differ_is_undefined(rate):
    reason = "rate=.* expected recall .*prevalence of 0.25"
    with pytest.warns(UndefinedMetricWarning, match=reason):
        score = rate_weighted_auc_score([1, 0, 0, 0], [4, 3, 2, 1], rate=rate)
    assert np.isnan(score)


@looped(
    "rate, message",
    [
        ("beta", "rate='beta'"),
        (1.2, r"rate.*0.*1.*1\.2"),
        (None, r"rate.*'uniform'"),
        ([0.1, 0.2], r"rate.*one rate.*distribution"),
        (stats.beta, r"rate.*'uniform'"),
    ],
)
def test_a_bad_rate_is_named(rate, message):
    with pytest.raises(ValueError, match=message):
        rate_weighted_auc_score([1, 0], [1, 0], rate=rate)


# --- Against RDKit ------------------------------------------------------------------

# tests/data/README.md holds the commands.
RDKIT_ACTIVES = [0, 3, 4, 11, 17, 30, 52, 99]
RDKIT_GOLDEN = {5.0: (0.585837, 2.447884), 20.0: (0.487144, 4.859888)}


def ranked_actives(n=100):
    y_true = np.zeros(n, dtype=int)
    y_true[RDKIT_ACTIVES] = 1
    return y_true, -np.arange(n)


def bedroc_and_rie(y_true, y_score, alpha):
    rate = rates.exponential(alpha)
    recall = recall_at_rate_score(y_true, y_score, rate=rate)
    bedroc = rate_weighted_auc_score(y_true, y_score, rate=rate)
    return bedroc, recall / rate.mean()


@looped("alpha", RDKIT_GOLDEN)
def test_exponential_rate_gives_bedroc_and_rie_as_recorded(alpha):
    found = bedroc_and_rie(*ranked_actives(), alpha)
    assert_allclose(found, RDKIT_GOLDEN[alpha], rtol=0, atol=5e-7)


# --- Theorem 6 ----------------------------------------------------------------------


@looped("name", WITH_ORACLE)
@looped("prevalence", [0.02, 0.5, 0.9])
def test_theorem_6_with_the_areas_of_the_paper(name, prevalence):
    rate, reference = RATES[name]
    b, c = oracle.areas(prevalence, reference)
    rauc = np.array([0.0, 0.3, 1.0])
    recall = convert_rauc(rauc, to="expected_recall", rate=rate, prevalence=prevalence)
    assert_allclose(recall, (1 - b - c) * rauc + b, rtol=0, atol=1e-10)
    back = convert_rauc(recall, to="rauc", rate=rate, prevalence=prevalence)
    assert_allclose(back, rauc, rtol=0, atol=1e-12)


def test_theorem_6_keeps_the_shape_of_its_input_and_names_what_is_bad():
    kwargs = {"rate": 0.5, "prevalence": 0.5}
    with pytest.raises(ValueError, match=r"^to .*'auc'"):
        convert_rauc(0.8, to="auc", **kwargs)
    for bad in (0, 1.5, None):
        with pytest.raises(ValueError, match=r"prevalence.*0.*1"):
            convert_rauc(0.5, to="rauc", rate=0.5, prevalence=bad)
    for to in ("rauc", "expected_recall"):
        assert type(convert_rauc(0.8, to=to, **kwargs)) is float
        assert convert_rauc([0.8, 0.7], to=to, **kwargs).shape == (2,)
        assert convert_rauc(np.full((2, 3), 0.8), to=to, **kwargs).shape == (2, 3)


@looped("recall", [0.8, [0.8, 0.7]])
def test_theorem_6_is_undefined_where_the_rauc_is(recall):
    with pytest.warns(UndefinedMetricWarning, match=r"rAUC.*rate="):
        rauc = convert_rauc(recall, to="rauc", rate=1.0, prevalence=0.5)
    assert np.shape(rauc) == np.shape(recall)
    assert np.isnan(rauc).all()
