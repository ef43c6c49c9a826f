"""Rates as plain data, by which other programs tell them."""

import json
import pickle
from itertools import combinations

import joblib
import numpy as np
import pytest
from scipy import stats

from optional import require
from rate_laws import LAWS
from skrate import rates
from skrate.rates.laws import check_rate

OURS = [rate if hasattr(rate, "to_dict") else check_rate(rate) for rate in LAWS]


@pytest.mark.parametrize("rate", OURS, ids=repr)
def test_a_rate_is_plain_data(rate):
    values = rate.to_dict()
    assert json.loads(json.dumps(values)) == values
    assert isinstance(values["distribution"], str)


def test_different_rates_are_different_data():
    for one, other in combinations(OURS, 2):
        assert one.to_dict() != other.to_dict()


def test_equal_rates_are_equal_data():
    assert rates.beta(3, 19).to_dict() == {"distribution": "beta", "a": 3, "b": 19}
    assert check_rate(stats.beta(3, 19)).to_dict() == rates.beta(3, 19).to_dict()
    frozen = [check_rate(stats.norm(*args)) for args in [(0.2, 0.1), (0.2, 0.1)]]
    assert frozen[0].to_dict() == frozen[1].to_dict()
    by_name = check_rate(stats.norm(scale=0.1, loc=0.2))
    positional = frozen[0].to_dict()
    assert {**by_name.to_dict(), "distribution": positional["distribution"]} == (
        positional
    )


def test_what_was_asked_of_a_rate_does_not_change_its_data():
    for rate in OURS:
        before = rate.to_dict()
        if isinstance(rate, rates.RateDistribution):
            rate.survival([0.1, 0.2])
            rate.ppf([0.1, 0.9])
            rate.mean()
        np.random.random()  # noqa: NPY002, the state of which scipy's laws hold
        assert rate.to_dict() == before


@pytest.mark.parametrize("rate", OURS, ids=repr)
def test_a_rate_is_one_value_to_arrays_and_frames(rate):
    assert np.asarray(rate).shape == ()
    assert np.array([rate, rate]).shape == (2,)
    pandas = require("pandas")
    frame = pandas.DataFrame({"n": [1, 2], "rate": rate})
    frame["again"] = rate
    assert frame["rate"].tolist() == frame["again"].tolist() == [rate, rate]


@pytest.mark.parametrize("rate", OURS, ids=repr)
def test_a_rate_is_a_function(rate):
    if isinstance(rate, rates.RateDistribution):
        assert rate([0.1, 0.3]).tolist() == rate.survival([0.1, 0.3]).tolist()
    else:
        assert rate(0.2) == rate.contains(0.2)


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
        if isinstance(rate, rates.RateDistribution):
            rate.survival([0.1, 0.2])
            rate.ppf([0.1, 0.9])
        else:
            rate.contains(0.2)
        assert joblib.hash(rate) in found
