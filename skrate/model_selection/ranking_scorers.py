"""Scorers of several metrics, by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from skrate.data.arrays import Label
from skrate.data.checks import shown
from skrate.metrics.base import meant_name, score_names
from skrate.model_selection.make_ranking_scorer import make_ranking_scorer
from skrate.model_selection.ranking_scorer import RankingScorer
from skrate.model_selection.responses import DEFAULT_RESPONSE, ResponseMethod
from skrate.model_selection.row_entries import GroupsLike

# What any metric takes of lists; not all have a ``k``.
_OF_LISTS = ("average", "undefined", "relevance_threshold")


def ranking_scorers(
    metrics: Sequence[str],
    *,
    groups: GroupsLike = None,
    response_method: ResponseMethod = DEFAULT_RESPONSE,
    pos_label: Label = None,
    **params: Any,
) -> dict[str, RankingScorer]:
    """Make a dict of ``scoring=`` objects of metrics of this package by their names.

    scikit-learn takes a list of names of its own metrics only, to which no other
    package can add; it takes a dict wherever it takes such a list.

    Parameters
    ----------
    metrics : list of str
        Names of score functions, with or without their "_score", such as
        "rate_weighted_auc", "recall_at_rate" and "average_precision"; and "roc_auc".
    groups : str or pandas.Series, default=None
        Where the lists are, as in :func:`make_ranking_scorer`.
    response_method : str or tuple of str
        As in :class:`RateWeightedAUCScorer`.
    pos_label : int, float, bool or str, default=None
        As in :class:`RateWeightedAUCScorer`.
    **params : dict
        Parameters of the metrics, such as ``rate``: each is given to those of the
        metrics that have it, and at least one must.

    Returns
    -------
    scorers : dict
        A scorer as :func:`make_ranking_scorer` makes it under each name, in the order
        given. Dicts are merged by ``|``, also with names of scikit-learn:
        ``ranking_scorers(names) | {"accuracy": "accuracy"}``.

    Raises
    ------
    ValueError
        If ``metrics`` is no list of names, or one is unknown or given twice; if no
        metric has a parameter; or as :func:`make_ranking_scorer`.

    See Also
    --------
    sklearn.metrics.get_scorer_names : The names that scikit-learn knows.
    make_ranking_scorer : One of them, of any parameters.
    ScoreReport : Several metrics with their standard errors.

    Notes
    -----
    In a dict the estimator predicts once per fold for all scorers of this package. A
    metric with different parameters, such as two rates, needs a name for each:
    ``{"at_10": make_ranking_scorer(recall_at_rate_score, rate=0.1), ...}``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import ranking_scorers, rates
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorers = ranking_scorers(
    ...     ["rate_weighted_auc", "average_precision"],
    ...     rate=rates.beta(3, 19),
    ... )
    >>> scorers["rate_weighted_auc"]
    make_ranking_scorer(rate_weighted_auc_score, rate=beta(3, 19))
    >>> sorted(cross_validate(GaussianNB(), X, y, scoring=scorers))[-2:]
    ['test_average_precision', 'test_rate_weighted_auc']
    """
    functions = _functions(metrics)
    common: dict[str, Any] = {
        "groups": groups,
        "response_method": response_method,
        "pos_label": pos_label,
    }
    taken = {
        name: [key for key in params if _takes(function, key, groups is not None)]
        for name, function in functions.items()
    }
    for key in params:
        if not any(key in own for own in taken.values()):
            raise ValueError(
                f"{key}={shown(params[key])} is a parameter of none of the metrics "
                f"{list(functions)}."
            )
    return {
        name: make_ranking_scorer(
            function, **common, **{key: params[key] for key in taken[name]}
        )
        for name, function in functions.items()
    }


def _functions(metrics: Any) -> dict[str, Any]:
    """Return the score functions by their names."""
    if isinstance(metrics, str) or not isinstance(metrics, Sequence) or not metrics:
        raise ValueError(
            "metrics must be a list of names, such as ['rate_weighted_auc', "
            f"'average_precision'], got {shown(metrics)}."
        )
    known: dict[str, Any] = {"roc_auc": "roc_auc", **score_names()}
    found: dict[str, Any] = {}
    for name in metrics:
        if not isinstance(name, str):
            raise ValueError(
                f"metrics must be names, got {shown(name)}: make_ranking_scorer takes "
                "functions."
            )
        if name in found:
            raise ValueError(f"metrics has the name {name!r} twice.")
        short = name.removesuffix("_score")
        if short not in known:
            raise ValueError(f"metrics has an unknown name {name!r}{meant_name(name)}")
        found[name] = known[short]
    return found


def _takes(function: Callable[..., float] | str, name: str, in_lists: bool) -> bool:
    """Return whether a metric has a parameter, by itself or within lists."""
    if in_lists and name in _OF_LISTS:
        return True
    return callable(function) and name in inspect.signature(function).parameters
