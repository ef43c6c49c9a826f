"""The rankings of the candidates of a search, which keeps their mean scores alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import ParameterGrid, ParameterSampler

from skrate.data.arrays import ArrayLike, Label
from skrate.data.checks import warn
from skrate.data.folds import FoldRankings
from skrate.model_selection.cross_validation import Failure, candidate_rankings
from skrate.model_selection.responses import DEFAULT_RESPONSE
from skrate.model_selection.scorers import RankingScorer


class SearchRankings(dict[str, FoldRankings]):
    """The rankings of each candidate by its name, and in ``params`` its parameters."""

    params: dict[str, dict[str, Any]]


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
    """Rank the cases by each candidate of a search, in the folds of the search.

    The ``best_score_`` of a search is too high, as the best of many was also lucky, and
    a search keeps too little to correct it. This trains its candidates and keeps what
    :func:`select_best` needs.

    Parameters
    ----------
    search : GridSearchCV, RandomizedSearchCV or the like
        Fitted or not: this takes as long as fitting it, in whose place it may stand.
    X : array-like of shape (n_samples, n_features)
        The cases.
    y : array-like of shape (n_samples,)
        True labels of two classes.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient, which the splitter gets as its
        ``groups``; the rankings keep them for inference.
    n_jobs : int, default=None
        How many models are trained at once; None takes the number of the search.
    verbose : int, default=0
        Above 0, the progress is reported.
    params : dict, default=None
        What ``fit`` is given, such as ``{"sample_weight": weights}``, cut to the cases
        of a fold; with metadata routing, what the estimator or the splitter requested.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases in the rankings; for training, see ``params``.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the label of the search's scorers, if they are of
        this package, as the response method; else as :func:`cross_val_rankings`.

    Returns
    -------
    rankings : dict of FoldRankings
        By the name of each candidate, such as "C=1, tol=0.1", whose parameters are in
        ``rankings.params`` by the same names.

    Raises
    ------
    ValueError
        If ``search`` is none, a fitted one had folds that cannot be drawn again, its
        scorers differ, or all candidates fail; as :func:`cross_val_rankings`.

    Warns
    -----
    FitFailedWarning
        If candidates fail, which are left out unless ``error_score="raise"``.
    UserWarning
        For a halving search, whose candidates are all ranked on all cases.

    See Also
    --------
    select_best : Takes the rankings, and corrects the value of the best.

    Notes
    -----
    All candidates are ranked in the same folds. By the metric of the search the best
    value is its ``best_score_``, if training again gives the same models. Candidates of
    the same name are ranked once.

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
        clone(search.estimator).set_params(**clone(one, safe=False))
        for one in candidates.values()
    ]
    found = candidate_rankings(
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
    rankings = SearchRankings(zip(candidates, found, strict=True))
    failed = {name: one for name, one in rankings.items() if isinstance(one, Failure)}
    for name, why in failed.items():
        del rankings[name], candidates[name]
        message = f"{len(failed)} of {len(found)} candidates failed: {name}: {why}"
    if failed and not rankings:
        raise ValueError(message)
    if failed:
        warn(f"{message}, and are left out", FitFailedWarning)
    rankings.params = candidates
    return rankings


def _candidates(search: Any) -> dict[str, dict[str, Any]]:
    """Return the parameters of each candidate by its name."""
    if hasattr(search, "cv_results_"):
        found = search.cv_results_["params"]
    elif hasattr(search, "param_grid"):
        found = ParameterGrid(search.param_grid)
    elif hasattr(search, "n_iter"):
        given = (search.param_distributions, search.n_iter)
        found = ParameterSampler(*given, random_state=search.random_state)
    else:
        raise ValueError(
            "search must be a GridSearchCV, a RandomizedSearchCV, or another that is "
            f"fitted and has cv_results_, found {type(search).__name__}: rank a single "
            "model by cross_val_rankings."
        )
    named = {
        ", ".join(f"{name}={value!r}" for name, value in params.items()): params
        for params in found
    }
    if hasattr(search, "min_resources"):
        warn(
            f"{type(search).__name__} compares its candidates on fewer cases, so that "
            f"its winner may be another: all {len(named)} are ranked on all cases."
        )
    return named


def _scorer_option(search: Any, name: str, default: Any, given: Any = None) -> Any:
    """Return an argument, or where it is None what the scorers of the search have."""
    scoring = getattr(search, "scoring", None)
    scorers = scoring.values() if isinstance(scoring, Mapping) else [scoring]
    found = [getattr(one, name) for one in scorers if isinstance(one, RankingScorer)]
    if given is not None or not found:
        return default if given is None else given
    if any(one != found[0] for one in found):
        raise ValueError(f"The scorers of the search differ in {name}: {found}.")
    return found[0]
