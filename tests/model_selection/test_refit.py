"""refit_best, by hand and in a search with a fold without positives."""

import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB

from skrate import RateWeightedAUCScorer, refit_best, refit_one_standard_error

nan = np.nan


def results(*folds, metric="score"):
    """Return cv_results_ from the scores of the candidates, fold by fold."""
    scores = np.array(folds, dtype=float)
    found = {f"split{i}_test_{metric}": row for i, row in enumerate(scores)}
    found[f"mean_test_{metric}"] = scores.mean(axis=0)
    return found


def test_the_best_mean_is_selected():
    index = refit_best()(results([0.1, 0.5, 0.3], [0.2, 0.5, 0.9]))
    assert type(index) is int
    assert index == 2


def test_a_metric_is_selected_by_its_name():
    both = results([0.9, 0.1], metric="a") | results([0.1, 0.9], metric="a.b")
    assert refit_best("a")(both) == 0
    assert refit_best("a.b")(both) == 1


def test_undefined_folds_are_left_out_and_counted():
    rows = [[0.1, 0.5], [nan, nan], [0.95, 0.5], [0.1, 0.1], [0.1, 0.1]]
    with pytest.warns(UndefinedMetricWarning, match="selected without 1 of 5 folds"):
        assert refit_best()(results(*rows)) == 0


def test_a_candidate_that_failed_is_out():
    rows = [[0.99, 0.5, 0.4], [nan, 0.5, 0.4]]
    message = "selected without 1 candidates that failed on a fold"
    with pytest.warns(UndefinedMetricWarning, match=message):
        assert refit_best()(results(*rows)) == 1


def test_too_few_defined_folds_are_refused():
    rows = [[0.1, 0.5], [nan, nan], [nan, nan]]
    message = r"'score' is defined on 1 of 3 folds, fewer than .*average=\"weighted\""
    with pytest.raises(ValueError, match=message):
        refit_best()(results(*rows))
    with pytest.raises(ValueError, match="is defined on 0 of 1 folds"):
        refit_best(min_defined=1e-9)(results([nan, nan]))


def test_no_candidate_on_all_folds_is_refused():
    with pytest.raises(
        ValueError, match="No candidate has a 'score' on all of the def"
    ):
        refit_best()(results([nan, 0.5], [0.5, nan]))


def test_folds_are_taken_in_order_beyond_ten():
    rows = [[0.5, 0.5]] * 12
    rows[11] = [0.5, 0.6]
    assert refit_best()(results(*rows)) == 1


def test_an_unknown_metric_is_named():
    with pytest.raises(ValueError, match=r"metric='auc' .* which has \['score'\]"):
        refit_best("auc")(results([0.1, 0.2]))


def test_the_rule_pickles():
    rule = pickle.loads(pickle.dumps(refit_best("score", 0.5)))
    assert rule(results([0.1, 0.5])) == 1


# --- In a search ----------------------------------------------------------------------

X, Y = load_breast_cancer(return_X_y=True)
# The last of ten folds holds no positive case.
KEPT = np.r_[np.flatnonzero(Y == 1)[:180], np.flatnonzero(Y == 0)[:120]]
ORDER = np.r_[np.random.default_rng(0).permutation(KEPT[:270]), KEPT[270:]]
CASES, LABELS = X[ORDER], Y[ORDER]
FOLDS = KFold(10)
# The worst first: what a mean of nan selects silently.
GRID = {"var_smoothing": [1e3, 1e-9]}


@pytest.mark.parametrize("kind", [GridSearchCV, RandomizedSearchCV])
@pytest.mark.filterwarnings("ignore:rAUC is undefined")
@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_the_rule_selects_the_best_on_a_split_without_positives(kind):
    options = {"n_iter": 2, "random_state": 0} if kind is RandomizedSearchCV else {}
    search = kind(
        GaussianNB(),
        GRID,
        scoring=RateWeightedAUCScorer(rate=0.3),
        cv=FOLDS,
        refit=refit_best(),
        **options,
    )
    with pytest.warns(UndefinedMetricWarning, match="selected without 1 of 10 folds"):
        search.fit(CASES, LABELS)
    assert search.best_params_ == {"var_smoothing": 1e-9}
    splits = [search.cv_results_[f"split{i}_test_score"] for i in range(10)]
    assert np.isnan(splits[9]).all()
    assert np.isfinite(splits[:9]).all()
    assert search.best_index_ == np.nanmean(splits, axis=0).argmax()
    assert search.predict(CASES).shape == (300,)


@pytest.mark.parametrize(
    ("bare", "called"),
    [
        (refit_best, refit_best()),
        (
            partial(refit_one_standard_error, complexity="var_smoothing"),
            refit_one_standard_error(complexity="var_smoothing"),
        ),
    ],
    ids=["best", "one standard error"],
)
def test_a_rule_that_is_not_called_is_that_of_its_defaults(bare, called):
    first, second = (
        GridSearchCV(
            GaussianNB(), GRID, scoring=RateWeightedAUCScorer(rate=0.3), refit=refit
        ).fit(X, Y)
        for refit in (bare, called)
    )
    assert first.best_index_ == second.best_index_
    assert type(first.best_index_) is int


def test_what_is_simple_must_be_given():
    search = GridSearchCV(
        GaussianNB(), GRID, scoring="roc_auc", refit=refit_one_standard_error
    )
    with pytest.raises(ValueError, match=r"got None: pass.*complexity=\"max_depth\""):
        search.fit(X, Y)
