"""Rates as plain data, by which other programs tell them."""

import json
from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from rate_laws import LAWS
from skrate import rates
from skrate.core.elicitation import check_rate

OURS = [rate if hasattr(rate, "to_dict") else check_rate(rate) for rate in LAWS]


@pytest.mark.parametrize("rate", OURS, ids=repr)
def test_a_rate_is_plain_data(rate):
    values = dict(rate)
    assert values == rate.to_dict()
    assert json.loads(json.dumps(values)) == values
    assert isinstance(values["distribution"], str)


def test_different_rates_are_different_data():
    for one, other in combinations(OURS, 2):
        assert one.to_dict() != other.to_dict()


def test_equal_rates_are_equal_data():
    assert dict(rates.beta(3, 19)) == {"distribution": "beta", "a": 3, "b": 19}
    assert dict(check_rate(stats.beta(3, 19))) == dict(rates.beta(3, 19))
    frozen = [check_rate(stats.norm(*args)) for args in [(0.2, 0.1), (0.2, 0.1)]]
    assert frozen[0].to_dict() == frozen[1].to_dict()
    by_name = check_rate(stats.norm(scale=0.1, loc=0.2))
    positional = dict(frozen[0])
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
        assert rate.to_dict() == before


@pytest.mark.parametrize("rate", OURS, ids=repr)
def test_a_rate_is_one_value_to_arrays_and_no_dict_of_classes(rate):
    assert np.asarray(rate).shape == ()
    assert np.array([rate, rate]).shape == (2,)
    assert not isinstance(rate, Mapping)
