"""Rankings of the candidates of a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import ParameterGrid, ParameterSampler

from skrate.data.arrays import ArrayLike, Label
from skrate.data.checks import warn
from skrate.data.folds import FoldRankings
from skrate.metrics.metric import suggest_arguments
from skrate.model_selection.cross_validation import Failure, candidate_rankings
from skrate.model_selection.responses import DEFAULT_RESPONSE
from skrate.model_selection.scorers import RankingScorer


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
    X : array-like of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        True labels of two classes.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient. The splitter gets it as
        ``groups``, and the rankings contain it for inference.
    n_jobs : int, default=None
        Number of models that are trained in parallel; None takes ``search.n_jobs``.
    verbose, params, sample_weight : optional
        As in :func:`cross_val_rankings`.
    pos_label : int, float, bool or str, default=None
        The positive label. None takes the label of the search's scorers, if they are
        from this package, as for the response method; otherwise see
        :func:`cross_val_rankings`.

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
        For a halving search: all candidates are ranked on all samples.

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
