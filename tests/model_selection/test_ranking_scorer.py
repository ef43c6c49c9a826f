"""The scorer of the AUC within lists: where it finds lists, and whom it scores."""

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression

from optional import require
from skrate import make_ranking_scorer

N_ROWS = 240


@pytest.fixture
def data():
    """Return X, y and lists whose level says more than the items do."""
    rng = np.random.default_rng(4)
    groups = rng.permutation(np.arange(N_ROWS) % 30)
    X = rng.normal(size=(N_ROWS, 2))
    X[:, 1] = groups / 10
    y = (X[:, 0] + 2 * X[:, 1] + rng.normal(size=N_ROWS) > 4).astype(int)
    return X, y, groups


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_routed_groups_come_before_the_parameter(data, routing):
    pandas = require("pandas")
    X, y, groups = data
    model = LogisticRegression().fit(X, y)
    constant = pandas.Series(np.zeros(N_ROWS))
    scorer = make_ranking_scorer("ranking_auc", groups=constant).set_score_request(
        groups=True
    )
    routed = scorer(model, X, y, groups=groups)
    assert routed == make_ranking_scorer("ranking_auc")(model, X, y, groups=groups)
    assert routed != scorer(model, X, pandas.Series(y))


def test_groups_that_cannot_be_matched_are_errors(data):
    pandas = require("pandas")
    X, y, groups = data
    model = LogisticRegression().fit(X, y)
    frame = pandas.DataFrame(X, columns=["taste", "level"])
    series = pandas.Series(groups)
    samples = [
        ("user", X, r"groups='user'.*ndarray"),
        ("user", frame, r"groups='user'.*'taste', 'level'"),
        (groups, frame, r"groups.*nda"),
        (series, X, r"groups.*X.*y"),
        (series[5:], frame, r"groups.*5 of 240.*0"),
        (pandas.concat([series, series]), frame, r"groups.*duplicates"),
    ]
    for source, inputs, message in samples:
        with pytest.raises(ValueError, match=message):
            make_ranking_scorer("ranking_auc", groups=source)(model, inputs, y)
