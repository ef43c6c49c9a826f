"""Searches: rankings of their candidates, and rules for ``refit=``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning, UndefinedMetricWarning
from sklearn.model_selection import ParameterGrid, ParameterSampler

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, Label, Number
from skrate.data.checks import as_real, check_choice, check_fraction, warn
from skrate.data.folds import FoldRankings
from skrate.metrics.metric import suggest_arguments
from skrate.model_selection.cross_validation import Failure, candidate_rankings
from skrate.model_selection.responses import DEFAULT_RESPONSE
from skrate.model_selection.scorers import RankingScorer

Rule = Literal["best", "one_standard_error"]
# The name of a parameter, or a function of all parameters; None is the most complex.
Complexity = str | Callable[[dict[str, Any]], Number | None]
_SPLIT = re.compile(r"split(\d+)_test_(.+)")


class SearchRankings(dict[str, FoldRankings]):
    """The rankings of each candidate by name; ``params`` has its parameters."""

    params: dict[str, dict[str, Any]]


@suggest_arguments
def search_rankings(
    search: Any,
    X: Any,
    y: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Mapping[str, Any] | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> SearchRankings:
    """Rank the samples by each candidate of a search, in the folds of the search.

    How good is the best candidate really? The ``best_score_`` of a search is too high,
    because the best of many candidates was also lucky. This function trains all
    candidates, and returns the input of :func:`select_best`, which corrects the score.

    Parameters
    ----------
    search : GridSearchCV, RandomizedSearchCV or the like
        Fitted or not: this takes as long as fitting, and can replace it.
    X, y, clusters : array-like
        As in :func:`cross_val_rankings`. The splitter gets clusters as ``groups``.
    n_jobs : int, default=None
        Number of models that are trained in parallel; None takes ``search.n_jobs``.
    verbose, params, sample_weight : optional
        As in :func:`cross_val_rankings`.
    pos_label : int, float, bool or str, default=None
        The positive label. None takes it from the search's scorers, if they are of this
        package, as the response method; otherwise as in :func:`cross_val_rankings`.

    Returns
    -------
    rankings : dict of FoldRankings
        Rankings by the name of each candidate, such as "C=1, tol=0.1".
        ``rankings.params`` contains the parameters by the same names.

    Raises
    ------
    ValueError
        If ``search`` is not a search, the folds of a fitted one cannot be repeated, its
        scorers differ, or all candidates fail; see also :func:`cross_val_rankings`.

    Warns
    -----
    FitFailedWarning
        If candidates fail; they are omitted unless ``error_score="raise"``.
    UserWarning
        If it is a halving search: all candidates are ranked on all samples.

    See Also
    --------
    select_best : Accepts the rankings, and corrects the value of the best.

    Notes
    -----
    All candidates are ranked in the same folds. By the metric of the search, the best
    value is its ``best_score_`` if training again gives the same models. Candidates
    with the same name are ranked once.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skrate import search_rankings, select_best
    >>> X, y = make_classification(200, flip_y=0.4, random_state=0)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> grid = {"max_depth": [1, 2, 4], "max_features": [2, 5, 10]}
    >>> search = GridSearchCV(tree, grid, scoring="roc_auc").fit(X, y)
    >>> rankings = search_rankings(search, X, y)
    >>> best = select_best("roc_auc", rankings, random_state=0)
    >>> rankings.params[best.best] == search.best_params_
    True
    >>> print(f"{search.best_score_:.3f}, {best.corrected_value:.3f}")
    0.719, 0.702
    """
    candidates = _candidates(search)
    estimators = [
        clone(search.estimator).set_params(**clone(candidate, safe=False))
        for candidate in candidates.values()
    ]
    outcomes = candidate_rankings(
        estimators,
        X,
        y,
        user="search_rankings",
        clusters=clusters,
        cv=search.cv,
        n_jobs=getattr(search, "n_jobs", None) if n_jobs is None else n_jobs,
        verbose=verbose,
        params=params,
        sample_weight=sample_weight,
        pos_label=_scorer_option(search, "pos_label", None, pos_label),
        response_method=_scorer_option(search, "response_method", DEFAULT_RESPONSE),
        n_splits=getattr(search, "n_splits_", None),
        may_fail=getattr(search, "error_score", "raise") != "raise",
    )
    rankings = SearchRankings(zip(candidates, outcomes, strict=True))
    failed = {name: r for name, r in rankings.items() if isinstance(r, Failure)}
    for name, why in failed.items():
        del rankings[name], candidates[name]
        message = f"{len(failed)} of {len(outcomes)} candidates failed: {name}: {why}"
    if failed and not rankings:
        raise ValueError(message)
    if failed:
        warn(f"{message}, and are left out", FitFailedWarning)
    rankings.params = candidates
    return rankings


def _candidates(search: Any) -> dict[str, dict[str, Any]]:
    """Return the parameters of each candidate by its name."""
    if hasattr(search, "cv_results_"):
        grid = search.cv_results_["params"]
    elif hasattr(search, "param_grid"):
        grid = ParameterGrid(search.param_grid)
    elif hasattr(search, "n_iter"):
        options = (search.param_distributions, search.n_iter)
        grid = ParameterSampler(*options, random_state=search.random_state)
    else:
        raise ValueError(
            "search must be a GridSearchCV or RandomizedSearchCV, or a fitted search, "
            f"got {type(search).__name__}. For one model use cross_val_rankings."
        )
    named = {
        ", ".join(f"{name}={param!r}" for name, param in params.items()): params
        for params in grid
    }
    if hasattr(search, "min_resources"):
        warn(
            f"{type(search).__name__} compares its candidates on fewer samples, and "
            f"its best one can differ: all {len(named)} are ranked on all samples."
        )
    return named


def _scorer_option(search: Any, name: str, default: Any, given: Any = None) -> Any:
    """Return an argument or, if it is None, the option of the search's scorers."""
    scoring = getattr(search, "scoring", None)
    scorers = scoring.values() if isinstance(scoring, Mapping) else [scoring]
    options = [getattr(s, name) for s in scorers if isinstance(s, RankingScorer)]
    if given is not None or not options:
        return default if given is None else given
    if any(option != options[0] for option in options):
        raise ValueError(f"The scorers of the search differ in {name}: {options}.")
    return options[0]


def refit_best(
    metric: str | dict[str, Any] = "score",
    min_defined: float = 0.8,
    *,
    rule: Rule = "best",
    complexity: Complexity | None = None,
) -> Any:
    """Return a ``refit=`` rule that selects the best candidate by its defined folds.

    Which candidate is best if some folds lack positives? Such a fold makes the mean of
    every candidate nan, and a search then silently selects the first. This rule omits
    such folds with a warning, and raises an error if there are too many.

    Parameters
    ----------
    metric : str, default="score"
        A key of the dict of scorers, or "score" for a single scorer.
        ``refit=refit_best`` is the rule with the default parameters.
    min_defined : float, default=0.8
        The minimum fraction of folds, in (0, 1], on which the metric must be defined.
    rule : {"best", "one_standard_error"}, default="best"
        - "best": the best mean over the defined folds.
        - "one_standard_error": the simplest candidate with a mean within one standard
          error of the best [1]_; the best mean decides between equally simple ones.
    complexity : str or callable, default=None
        Required for "one_standard_error": the name of a parameter whose smallest value
        is the simplest ("-" before the name: the largest), or a function from the dict
        of parameters to a number. None is the most complex value or number.

    Returns
    -------
    rule : callable
        Takes ``cv_results_`` and returns the index of the selected candidate, the first
        if several are equal. It can be pickled.

    Raises
    ------
    ValueError
        If an argument is invalid, or ``complexity`` is missing or given for "best". By
        the rule, if ``metric`` is unknown, too many folds are undefined, no candidate
        has a score on all defined folds, or one has no valid complexity.

    Warns
    -----
    UndefinedMetricWarning
        By the rule, if folds or candidates are omitted.

    See Also
    --------
    sklearn.model_selection.GridSearchCV : Accepts the rule as ``refit``.
    search_rankings : For the best score, corrected by :func:`select_best`.
    select_best : With ``margin`` and ``cost``, the cheapest candidate that is
        significantly near the best: from the errors of differences, not of one mean.

    Notes
    -----
    A fold is defined if any candidate has a finite score on it; a candidate without a
    score on a defined fold is excluded. The standard error is that of the best
    candidate, over defined folds that are assumed to be independent.

    References
    ----------
    .. [1] Hastie, Tibshirani and Friedman (2009), The elements of statistical
       learning, :doi:`10.1007/978-0-387-84858-7`, section 7.10.

    Examples
    --------
    >>> import numpy as np
    >>> from skrate import refit_best
    >>> scores = np.array([0.7, 0.8])
    >>> refit_best()({"split0_test_score": scores, "split1_test_score": scores})
    1

    The simplest tree near the best:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> refit = refit_best(rule="one_standard_error", complexity="max_depth")
    >>> tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [2, 3, 6]}
    >>> GridSearchCV(tree, grid, refit=refit).fit(X, y).best_params_
    {'max_depth': 2}
    """
    check_fraction("min_defined", min_defined, include_one=True)
    is_best = check_choice("rule", rule, get_args(Rule)) == "best"
    if is_best and complexity is not None:
        raise ValueError('complexity is for rule="one_standard_error" only.')
    if not (is_best or isinstance(complexity, str) or callable(complexity)):
        raise ValueError(
            "complexity must be the name of a parameter, or a function of all, got "
            f'{complexity!r}: pass, say, complexity="max_depth".'
        )
    select = partial(_select, complexity=complexity, min_defined=min_defined)
    if isinstance(metric, Mapping):
        # ``refit=refit_best`` is called with cv_results_.
        return select(metric, metric="score")
    return partial(select, metric=metric)


def _select(
    cv_results: Mapping[str, Any],
    metric: str,
    complexity: Complexity | None,
    min_defined: float,
) -> int:
    """Return the index of the best candidate, or of the simplest near it."""
    scores = _compared_scores(cv_results, metric, min_defined)
    means = scores.mean(axis=1)
    if complexity is None:
        return int(np.nanargmax(means))
    best = scores[np.nanargmax(means)]
    slack = np.std(best, ddof=1) / np.sqrt(len(best)) if len(best) > 1 else 0.0
    is_close = means >= best.mean() - slack
    simplicity = [_complexity(params, complexity) for params in cv_results["params"]]
    candidates = np.flatnonzero(is_close)
    return int(min(candidates, key=lambda i: (simplicity[i], -means[i])))


def _complexity(params: dict[str, Any], complexity: Complexity) -> float:
    """Return a number that increases with the complexity, infinity for None."""
    sign = 1
    if callable(complexity):
        measure, origin = complexity(params), "complexity returned"
    else:
        name, origin = complexity.removeprefix("-"), f"complexity={complexity!r} is"
        sign = -1 if name != complexity else 1
        if name not in params:
            message = f"complexity={complexity!r} must be a parameter of the candidate"
            raise ValueError(f"{message} {params}.")
        measure = params[name]
    if measure is None:
        # Unlimited is complex, for either direction.
        return float("inf")
    # A string is not a number even if it looks like one, and nan has no order.
    if not isinstance(measure, Real | np.bool_) or measure != measure:
        raise ValueError(
            f"{origin} {measure!r} for the candidate {params}: pass a function of the "
            "parameters that returns a number, or None for the most complex."
        )
    return sign * float(measure)


def _compared_scores(
    cv_results: Mapping[str, Any], metric: str, min_defined: float
) -> FloatArray:
    """Return the scores on defined folds; nan only for a candidate that failed."""
    by_metric = _split_scores(cv_results)
    if metric not in by_metric:
        raise ValueError(f"metric={metric!r} must be one of {sorted(by_metric)}.")
    # Infinite scores have no mean.
    scores = np.where(np.isfinite(by_metric[metric]), by_metric[metric], np.nan)
    is_defined: BoolArray = np.asarray(np.isfinite(scores).any(axis=0))
    n_folds, n_defined = len(is_defined), int(is_defined.sum())
    if n_defined < min_defined * n_folds or n_defined == 0:
        raise ValueError(
            f"{metric!r} is defined on {n_defined} of {n_folds} folds, fewer than "
            f"min_defined={min_defined:g}: use a stratified or coarser split, or lower "
            'min_defined. For several classes, try average="weighted".'
        )
    # Undefined folds are nan for every candidate; other nans are failures.
    scores = scores[:, is_defined]
    has_failed = np.isnan(scores).any(axis=1)
    if has_failed.all():
        raise ValueError(f"No candidate has a {metric!r} on all of the defined folds.")
    left_out = []
    if n_defined < n_folds:
        left_out.append(f"{n_folds - n_defined} of {n_folds} folds")
    if has_failed.any():
        left_out.append(f"{int(has_failed.sum())} candidates that failed on a fold")
    if left_out:
        warn(
            f"{metric!r} is undefined on some folds: the candidate was selected "
            f"without {' and '.join(left_out)}.",
            UndefinedMetricWarning,
        )
    return scores


def _split_scores(cv_results: Mapping[str, Any]) -> dict[str, FloatArray]:
    """Return the scores of a search by metric, of shape (n_candidates, n_folds)."""
    by_metric: dict[str, dict[int, FloatArray]] = {}
    for key, column in cv_results.items():
        if match := _SPLIT.fullmatch(str(key)):
            numbers = as_real(f"cv_results[{key!r}]", column, missing=True)
            by_metric.setdefault(match[2], {})[int(match[1])] = numbers
    return {
        metric: np.stack([folds[i] for i in sorted(folds)], axis=1)
        for metric, folds in by_metric.items()
    }
