"""Gain and cost of each case in a search: routed, by column, by index, per class."""

from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

from looped import looped
from skrate import expected_gain_score, make_ranking_scorer


@pytest.fixture
def samples():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(240, 3))
    y = (X[:, 0] + rng.normal(size=240) > 0.5).astype(int)
    return X, y, np.where(y, rng.lognormal(3, 1, 240), -4), rng.lognormal(size=240)


def test_gain_and_cost_are_routed_as_metadata(samples):
    X, y, gain, cost = samples
    given = {"params": {"gain": gain, "cost": cost}}
    kept = {"return_estimator": True, "return_indices": True}
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer(expected_gain_score, rate=0.2)
        scorer = scorer.set_score_request(gain=True, cost=True)
        both = {"gain": scorer, "auc": "roc_auc"}
        model = LogisticRegression()
        found = cross_validate(model, X, y, scoring=both, **given, **kept)
    for fitted, test, value in zip(
        found["estimator"], found["indices"]["test"], found["test_gain"], strict=True
    ):
        gains = {"rate": 0.2, "gain": gain[test], "cost": cost[test]}
        y_score = fitted.decision_function(X[test])
        assert value == expected_gain_score(y[test], y_score, **gains)


@looped("routing", [False, True])
def test_a_scorer_without_gain_says_what_to_write(samples, routing):
    X, y, gain, _ = samples
    model = LogisticRegression().fit(X, y)
    make = partial(make_ranking_scorer, expected_gain_score)
    message = r"needs gain: .*label incl.*set_score_request\(gai.*fit\(..., gain=gain"
    with sklearn.config_context(enable_metadata_routing=routing):
        with pytest.raises(ValueError, match=message):
            make(rate=0.2)(model, X, y)
        with pytest.raises(ValueError, match="gain"):
            make(rate=0.2, gain=gain)(model, X, y)
    with pytest.raises(ValueError, match=r"'positive'.*'negative'"):
        make(gain={"yes": 1})
