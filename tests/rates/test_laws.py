"""What every rate answers: by quadrature, closed forms, as plain data."""

import copy
import json
import math
import pickle
from itertools import combinations

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from looped import looped
from rate_laws import LAWS
from skrate import rates
from skrate.rates.distributions import check_rate

NAMES = {
    "uniform": rates.uniform(),
    "beta(3, 19)": rates.beta(3, 19),
    "beta(7, 15)": rates.beta(7, 15),
    "beta(19, 3)": rates.beta(19, 3),
    "beta(0.5, 0.5)": rates.beta(0.5, 0.5),
    "beta(0.1, 3)": rates.beta(0.1, 3),
    "beta(1, 1)": rates.beta(1, 1),
    "beta(600, 9400)": rates.beta(600, 9400),
    "interval": rates.interval(0.15, 0.45),
    "interval from 0": rates.interval(0, 0.3),
    "interval to 1": rates.interval(0.8, 1),
    "fixed": rates.fixed(0.3),
    "fixed at 1": rates.fixed(1.0),
    "empirical": rates.empirical([0, 0.1, 0.1, 0.4, 1, 1.7], [1, 1, 2, 3, 1, 1]),
    "exponential(1)": rates.exponential(1),
    "exponential(160.9)": rates.exponential(160.9),
    "log_discount": rates.log_discount(20),
    "log_discount, base 10": rates.log_discount(20, base=10),
    "mixture": rates.mixture([rates.beta(3, 19), 0.8, "uniform"], [7, 2, 1]),
    "scipy triang": check_rate(stats.triang(0.3)),
    "scipy truncnorm": check_rate(stats.truncnorm(-2, 8, loc=0.2, scale=0.1)),
    "scipy norm": check_rate(stats.norm(0.4, 0.24)),
    "scipy discrete": check_rate(stats.randint(0, 3)),
}
each_rate = looped("name", NAMES)
GRID = np.r_[0, np.sort(np.random.default_rng(0).random(40)), 1]


@looped(
    "name, mean",
    [
        ("beta(3, 19)", 3 / 22),
        ("beta(0.5, 0.5)", 0.5),
        ("interval", 0.3),
        ("fixed", 0.3),
        ("empirical", (2 * 0.1 + 1 * 0.1 + 3 * 0.4 + 2 * 1) / 9),
        ("exponential(1)", 1 - math.exp(-1)),
        ("mixture", 0.7 * 3 / 22 + 0.2 * 0.8 + 0.1 * 0.5),
        ("scipy triang", (0 + 1 + 0.3) / 3),
    ],
)
def test_means_by_hand(name, mean):
    assert_allclose(NAMES[name].mean(), mean, rtol=0, atol=1e-14)


@each_rate
def test_ppf_inverts_the_distribution(name):
    rate = NAMES[name]
    q = np.r_[1e-6, np.linspace(0.01, 0.99, 23)]
    quantile = rate.ppf(q)
    assert np.all(np.diff(quantile) >= 0)
    # P(R <= x) reaches q at the quantile, and not before it.
    reached = 1 - rate.survival(np.minimum(quantile + 1e-9, 1))
    assert np.all(reached >= q - 1e-6)
    before = 1 - rate.survival(np.maximum(quantile - 1e-9, 0))
    assert np.all((before <= q + 1e-6) | (quantile < 1e-9))


@each_rate
def test_distributions_pickle_and_compare_by_value(name):
    rate = NAMES[name]
    rate.mean()  # builds what is derived, which a pickle leaves out
    for twin in (pickle.loads(pickle.dumps(rate)), copy.deepcopy(rate)):
        assert twin == rate
        assert hash(twin) == hash(rate)
        assert repr(twin) == repr(rate)
        assert np.array_equal(twin.limited_mean(GRID), rate.limited_mean(GRID))
    # A uniform distribution on [0, 1] may be written in several ways.
    others = [other for key, other in NAMES.items() if key != name]
    assert rate not in others


# --- Weights of positions (the paper's section 3.1 and figure 3) --------------------


@each_rate
@looped("n", [1, 20])
def test_instance_and_threshold_weights_belong_together(name, n):
    rate = NAMES[name]
    instance, threshold = rate.instance_weights(n), rate.threshold_weights(n)
    assert np.all(np.diff(instance) <= 1e-15)
    assert_allclose(instance.mean(), rate.mean(), rtol=0, atol=1e-14)
    # Equation 17: processed at i if the last processed is i or later.
    assert_allclose(np.cumsum(threshold[::-1])[::-1], instance, rtol=0, atol=1e-14)
    assert np.all(threshold >= -1e-15)


# --- Words and errors ---------------------------------------------------------------


def test_a_rate_says_itself_in_words():
    assert rates.fixed(0.25).describe() == "25.0 % of the samples will be processed"
    assert rates.interval(0.1, 0.3).describe(0.5) == (
        "20.0 % of the samples will be processed on average, between 15.0 % and 25.0 % "
        "with probability 0.5"
    )


def test_other_bad_arguments_are_named():
    rate = rates.beta(3, 19)
    with pytest.raises(ValueError, match=r"low.*high"):
        rate.mean_survival([0.1, 0.5], [0.2, 0.5])
    with pytest.raises(ValueError, match=r"\bn\b.*1.*0"):
        rate.instance_weights(0)
    with pytest.raises(ValueError, match=r"\bn\b.*1.*2\.5"):
        rate.threshold_weights(2.5)
    with pytest.raises(ValueError, match=r"confidence_level.*1"):
        rate.describe(1)


LOG_3_OF_2 = np.log(2) / np.log(3)


@looped("rate, points, masses",
    [
        (rates.fixed(0.3), [0.3], [1]),
        (rates.fixed(1), [1], [1]),
        (rates.empirical([0.1, 0.1, 0.4, 1.2]), [0.1, 0.4, 1], [0.5, 0.25, 0.25]),
        (rates.exponential(2), [1], [np.exp(-2)]),
        (rates.mixture([rates.beta(2, 2), 0.5, 0.5]), [0.5], [2 / 3]),
        (rates.log_discount(2), [0.5, 1], [1 - LOG_3_OF_2, LOG_3_OF_2]),
        # The first of two is processed with the probability log(1.5) / log(2) only.
        (rates.log_discount(1, base=1.5), [0, 1], [np.log2(4 / 3), np.log2(1.5)]),
        (rates.beta(3, 19), [], []),
        (rates.beta(0.5, 0.5), [], []),
        (rates.interval(0.2, 1), [], []),
        (check_rate(stats.norm(0.5, 0.3)), [0, 1], stats.norm.sf([5 / 3] * 2)),
    ])  # fmt: skip
def test_point_masses_are_what_has_no_density(rate, points, masses):
    found_points, found_masses = rate.point_masses()
    assert found_points == pytest.approx(points)
    assert found_masses == pytest.approx(masses)


OURS = [rate if hasattr(rate, "to_dict") else check_rate(rate) for rate in LAWS]


@looped("rate", OURS)
def test_a_rate_is_plain_data(rate):
    values = rate.to_dict()
    assert json.loads(json.dumps(values)) == values
    assert isinstance(values["distribution"], str)


def test_different_rates_are_different_data():
    for one, other in combinations(OURS, 2):
        assert one.to_dict() != other.to_dict()


@looped("rate", OURS)
def test_a_rate_is_a_function(rate):
    assert rate([0.1, 0.3]).tolist() == rate.survival([0.1, 0.3]).tolist()


def test_different_rates_have_different_hashes_that_use_does_not_change():
    # What is hashed is what is pickled. A second one is never the object of the first.
    found = {joblib.hash(rate) for rate in OURS}
    assert len(found) == len(OURS)
    np.random.random()  # noqa: NPY002, the state of which scipy's laws hold
    for rate in OURS:
        if "hash" in rate.to_dict():
            continue  # It may be pickled otherwise, and is then computed anew.
        again = pickle.loads(pickle.dumps(rate))
        assert again == rate
        assert joblib.hash(again) == joblib.hash(rate)
        rate.survival([0.1, 0.2])
        rate.ppf([0.1, 0.9])
        assert joblib.hash(rate) in found


@looped(
    "rate", [rates.beta(3, 9), rates.interval(0.1, 0.2), rates.empirical([0.1, 0.2])]
)
def test_the_mean_survival_of_one_cell_is_a_number(rate):
    one, (first, _) = (
        rate.mean_survival(0.1, 0.9),
        rate.mean_survival([0.1, 0.2], [0.9, 0.3]),
    )
    limited = rate.limited_mean(0.9) - rate.limited_mean(0.1)
    assert one == first == pytest.approx(limited / 0.8, rel=1e-12)
