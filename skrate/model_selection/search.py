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
from skrate.data.show import described_like
from skrate.model_selection.cv_results import candidate_name
from skrate.model_selection.folds import Failure, candidate_rankings, cross_val_rankings
from skrate.model_selection.responses import DEFAULT_RESPONSE, ResponseMethod
from skrate.model_selection.scorers import RankingScorer


class SearchRankings(dict[str, FoldRankings]):
    """The rankings of each candidate by its name, and in ``params`` its parameters."""

    params: dict[str, dict[str, Any]]


@described_like(cross_val_rankings)
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
    response_method: ResponseMethod | None = None,
) -> SearchRankings:
    """Rank the cases by each candidate of a search, in the folds of the search.

    The ``best_score_`` of a search is too high, since the best of many was also lucky.
    A search keeps only the scores of its candidates' folds: this trains the candidates
    and keeps what :func:`select_best` needs to take the luck off.

    Parameters
    ----------
    search : GridSearchCV, RandomizedSearchCV or the like
        Fitted or not. This costs as much as fitting it does, so that before the search
        it can take its place.
    n_jobs : int, default=None
        How many models are trained at once; None takes the number of the search.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes that of the scorers of the search, if they are of
        this package, else as :func:`cross_val_rankings`.
    response_method : str or tuple of str, default=None
        The method that gives scores, or several; None takes that of the scorers, too.

    Returns
    -------
    rankings : dict of FoldRankings
        By the name of each candidate, such as "C=1, tol=0.1". ``rankings.params`` has
        the parameters by the same names, of which the winner is made.

    Raises
    ------
    ValueError
        If ``search`` is none, the folds of one that was fitted cannot be had again, its
        scorers differ in the positive label, no candidate can be trained, or as
        :func:`cross_val_rankings`; whatever a candidate raises with
        ``error_score="raise"``.

    Warns
    -----
    FitFailedWarning
        If candidates are left out, as they cannot be trained.
    UserWarning
        For a halving search, all of whose candidates are ranked on all cases.

    See Also
    --------
    select_best : Takes the rankings, and corrects the value of the best.
    refit_one_standard_error : The simplest candidate near the best, without a second
        training.

    Notes
    -----
    All candidates are ranked in the same folds, drawn once. By the metric of the search
    the best value is its ``best_score_``, if all folds are defined and training repeats
    itself. Candidates of the same name are ranked once.

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
    >>> print(f"{search.best_score_:.3f}, {best.corrected_value:.3f} on new cases")
    0.719, 0.700 on new cases
    """
    candidates = _candidates(search)
    is_fitted = hasattr(search, "cv_results_")
    jobs = getattr(search, "n_jobs", None) if n_jobs is None else n_jobs
    estimators = [
        clone(search.estimator).set_params(**clone(one, safe=False))
        for one in candidates.values()
    ]
    found = candidate_rankings(
        "search_rankings", estimators, X, y, clusters=clusters, cv=search.cv,
        n_jobs=jobs, verbose=verbose, params=params, sample_weight=sample_weight,
        pos_label=_of_scorers(search, "pos_label", pos_label, None),
        response_method=_of_scorers(
            search, "response_method", response_method, DEFAULT_RESPONSE
        ),
        n_splits=getattr(search, "n_splits_", None) if is_fitted else None,
        may_fail=getattr(search, "error_score", "raise") != "raise",
    )  # fmt: skip
    named = dict(zip(candidates, found, strict=True))
    failed = [name for name, one in named.items() if isinstance(one, Failure)]
    if failed:
        why = f"{failed[0]} raised {named[failed[0]]}"
        if len(failed) == len(named):
            raise ValueError(f"No candidate of the search can be trained: {why}")
        message = f"{len(failed)} of {len(named)} candidates are left out: {why}"
        warn(message, FitFailedWarning)
    rankings = SearchRankings(
        {name: one for name, one in named.items() if name not in failed}
    )
    rankings.params = {name: candidates[name] for name in rankings}
    return rankings


def _candidates(search: Any) -> dict[str, dict[str, Any]]:
    """Return the parameters of each candidate by its name."""
    is_halving = hasattr(search, "min_resources")
    if hasattr(search, "cv_results_"):
        found = search.cv_results_["params"]
    elif is_halving:
        raise ValueError(
            "search is not fitted, and a halving search finds its candidates by "
            "fitting: fit it first, or give a GridSearchCV or RandomizedSearchCV."
        )
    elif hasattr(search, "param_grid"):
        found = ParameterGrid(search.param_grid)
    elif hasattr(search, "param_distributions"):
        given = (search.param_distributions, search.n_iter)
        found = ParameterSampler(*given, random_state=search.random_state)
    else:
        raise ValueError(
            "search must be a GridSearchCV, a RandomizedSearchCV, or another that is "
            f"fitted and has cv_results_, found {type(search).__name__}: rank a single "
            "model by cross_val_rankings."
        )
    named = {candidate_name(params): params for params in found}
    if is_halving:
        warn(
            f"{type(search).__name__} has compared its candidates on fewer cases, so "
            f"that its winner may be another: all {len(named)} are ranked on all cases."
        )
    return named


def _of_scorers(search: Any, name: str, given: Any, default: Any) -> Any:
    """Return an argument, or where it is None what the scorers of the search have."""
    scoring = getattr(search, "scoring", None)
    scorers = scoring.values() if isinstance(scoring, Mapping) else [scoring]
    found = [getattr(one, name) for one in scorers if isinstance(one, RankingScorer)]
    if given is not None or not found:
        return default if given is None else given
    if any(one != found[0] for one in found):
        raise ValueError(f"{name} is needed: the scorers of the search have {found}.")
    return found[0]
