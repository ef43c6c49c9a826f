"""refit_best by both rules, by hand and in a search with a fold without positives."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from looped import looped
from skrate import RateWeightedAUCScorer, refit_best

nan = np.nan


def results(*folds, metric="score"):
    """Return cv_results_ from the scores of the candidates, fold by fold."""
    scores = np.array(folds, dtype=float)
    found = {f"split{i}_test_{metric}": row for i, row in enumerate(scores)}
    found[f"mean_test_{metric}"] = scores.mean(axis=0)
    return found


def test_undefined_folds_and_candidates_that_failed_are_left_out():
    rows = [[0.1, 0.5], [nan, nan], [0.95, 0.5], [0.1, 0.1], [0.1, 0.1]]
    with pytest.warns(UndefinedMetricWarning, match="1 of 5"):
        assert refit_best()(results(*rows)) == 0
    message = "selected without 1 candidates that failed on a fold"
    with pytest.warns(UndefinedMetricWarning, match=message):
        assert refit_best()(results([0.99, 0.5, 0.4], [nan, 0.5, 0.4])) == 1


@looped(
    "rule, rows, message",
    [
        (refit_best(), [[0.1, 0.5], [nan, nan]], r"1.*2.*average="),
        (refit_best(min_defined=1e-9), [[nan, nan]], r"0 of 1.*min_defined=1e-09"),
        (refit_best(), [[nan, 0.5], [0.5, nan]], "'score'"),
        (refit_best("auc"), [[0.1, 0.2]], r"metric='auc'.*'score'"),
    ],
)
def test_where_nothing_can_be_selected_it_is_said_why(rule, rows, message):
    with pytest.raises(ValueError, match=message):
        rule(results(*rows))


# --- The rule of one standard error ---------------------------------------------------


def test_one_standard_error_selects_the_simplest_of_the_best():
    # The best mean is 0.8, its standard error 0.1 / sqrt(3) = 0.058.
    scores = [[0.5] * 3, [0.75] * 3, [0.7, 0.8, 0.9], [0.76] * 3]
    simplest = [
        ("depth", 1),
        ("-depth", 3),
        (lambda params: params["depth"] % 3, 3),
        # Equally simple: the best mean.
        (lambda params: 0, 2),
    ]
    for complexity, depth in simplest:
        assert one_se(range(4), scores, complexity) == depth


def one_se(values, scores=None, complexity="depth", **kwargs):
    """Return the value that the rule selects, where all candidates are as good."""
    scores = np.full((len(values), 3), 0.5) if scores is None else np.array(scores)
    results = {f"split{j}_test_score": column for j, column in enumerate(scores.T)}
    results["params"] = [{"depth": value} for value in values]
    rule = refit_best(rule="one_standard_error", complexity=complexity, **kwargs)
    return values[rule(results)]


def test_no_limit_is_the_most_complex():
    for order in (1, -1):
        values = [None, 2, 10**9, np.inf, None][::order]
        assert one_se(values) == 2
        assert one_se(values, complexity="-depth") == np.inf
        assert one_se(values, complexity=lambda params: params["depth"]) == 2
    assert one_se([None, None]) is None


@looped("values", [["sqrt", "log2"], ["sqrt", 0.5], [2, "3", None]])
@looped("complexity", ["depth", "-depth", lambda p: p["depth"]])
def test_what_has_no_order_is_named(values, complexity):
    with pytest.raises(ValueError, match=r"complexity.*'(sqrt|3)' .*pass a function"):
        one_se(values, complexity=complexity)


@looped(
    "kwargs, message",
    [
        ({"complexity": 3}, "complexity"),
        ({"complexity": None}, "complexity"),
        ({"complexity": "width"}, "complexity='width'"),
        ({"complexity": "depth", "min_defined": 2}, "min_defined"),
        ({"complexity": "depth", "metric": "auc"}, "metric='auc'"),
    ],
)
def test_bad_rules_are_named(kwargs, message):
    with pytest.raises(ValueError, match=message):
        one_se([0, 1], **kwargs)


def test_what_is_simple_is_for_the_rule_that_needs_it():
    with pytest.raises(ValueError, match=r'complexity.*rule="one_standard_error"'):
        refit_best(complexity="depth")
    with pytest.raises(ValueError, match="rule"):
        refit_best(rule="simplest")


# --- In a search ----------------------------------------------------------------------

X, Y = load_breast_cancer(return_X_y=True)
# The last of ten folds holds no positive case.
KEPT = np.r_[np.flatnonzero(Y == 1)[:180], np.flatnonzero(Y == 0)[:120]]
ORDER = np.r_[np.random.default_rng(0).permutation(KEPT[:270]), KEPT[270:]]
CASES, LABELS = X[ORDER], Y[ORDER]
# The worst first: what a mean of nan selects silently.
GRID = {"var_smoothing": [1e3, 1e-9]}


def test_a_rule_that_is_not_called_is_that_of_its_defaults():
    options = {"scoring": RateWeightedAUCScorer(rate=0.3), "cv": 2}
    simplest = partial(
        refit_best, rule="one_standard_error", complexity="var_smoothing"
    )
    for bare in (refit_best, simplest):
        first, second = (
            GridSearchCV(GaussianNB(), GRID, refit=refit, **options).fit(X, Y)
            for refit in (bare, bare())
        )
        assert first.best_index_ == second.best_index_
        assert type(first.best_index_) is int


def test_what_is_simple_must_be_given():
    simplest = partial(refit_best, rule="one_standard_error")
    search = GridSearchCV(GaussianNB(), GRID, scoring="roc_auc", refit=simplest)
    with pytest.raises(ValueError, match=r"None.*complexity="):
        search.fit(X, Y)
