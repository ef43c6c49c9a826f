"""A scorer object of any metric."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from skrate.data.arrays import Label
from skrate.metrics.base import (
    LIST_METRICS,
    METRICS,
    MetricLike,
    check_parameters,
    find_metric,
    per_case,
    unwrap,
)
from skrate.metrics.monitored import takes_classes, takes_cut
from skrate.model_selection.ranking_scorer import OF_CLASSES, OF_LISTS
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    ResponseMethod,
    check_response_method,
)
from skrate.model_selection.row_entries import GroupsLike
from skrate.model_selection.scorers import MetricScorer, parameters_of


def make_ranking_scorer(
    metric: MetricLike,
    *,
    groups: GroupsLike = None,
    response_method: ResponseMethod = DEFAULT_RESPONSE,
    pos_label: Label = None,
    **params: Any,
) -> MetricScorer:
    """Make a ``scoring=`` object of any metric of this package.

    Unlike :func:`sklearn.metrics.make_scorer`, it ranks by whatever scores the
    estimator has, knows which class is positive, scores within lists, and stands for
    its metric in :func:`estimate`, :func:`compare` and :class:`ScoreReport`.

    Parameters
    ----------
    metric : callable or str
        A score function of this package or its name, a :func:`functools.partial` of
        one, or what :func:`estimate` takes of scikit-learn's.
    groups : str or pandas.Series, default=None
        To score lists, such as those of users or queries, the name of a column of
        ``X``, or a Series with the index of ``X``, as in :class:`RankingAUCScorer`. A
        metric of a single list is then averaged over lists; recall and precision are
        pooled.
    response_method : str or tuple of str
        As in :class:`RateWeightedAUCScorer`.
    pos_label : int, float, bool or str, default=None
        As in :class:`RateWeightedAUCScorer`.
    **params : dict
        Parameters of the metric, such as ``rate``, and ``average`` over classes where
        it has one; for lists, also those of :func:`group_scores` and ``average`` and
        ``undefined`` of :meth:`GroupScores.mean`. ``gain`` and ``cost`` of each case
        are a Series with the index of ``X`` or the name of a column, or come by
        metadata routing. A column is given to the model, too: a gain that is 0 for all
        negatives tells it the labels.

    Returns
    -------
    scorer : callable
        Called as ``scorer(estimator, X, y, sample_weight=None, groups=None)``, it
        returns a float, negated where less is better, as scikit-learn's scorers are;
        nan with an ``UndefinedMetricWarning`` where undefined.

    Raises
    ------
    ValueError
        If ``response_method`` names no method, the metric is none of this package, or
        a parameter is unknown, missing or out of range.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from any function.
    RateWeightedAUCScorer : A class, whose options type checkers know.

    Notes
    -----
    It is cloned, pickled, searched over by ``set_params`` and shares predictions in a
    dict of scorers, as :class:`RateWeightedAUCScorer`, whose notes hold here, too.
    With metadata routing, ``set_score_request(groups=True)`` hands lists to any metric.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import make_ranking_scorer, recall_at_rate_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_ranking_scorer(
    ...     recall_at_rate_score, rate=0.2, pos_label=0
    ... )
    >>> scorer
    make_ranking_scorer(recall_at_rate_score, pos_label=0, rate=0.2)
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer).shape
    (5,)

    Lists are named by a column, or come by metadata routing:

    >>> from skrate import average_precision_score
    >>> make_ranking_scorer(
    ...     average_precision_score, groups="user", average="size"
    ... )
    make_ranking_scorer(average_precision_score, groups='user', average='size')
    """
    check_response_method(response_method)
    of_lists = {name: params.pop(name) for name in OF_LISTS if name in params}
    function, own = unwrap(metric, params)
    if function in LIST_METRICS:
        check_parameters(function, own, parameters_of(function))
    else:
        kind = METRICS.get(function)
        of_case = () if kind is None else per_case(kind)
        if kind is not None and takes_cut(function, "k") and "k" in of_lists:
            own["k"] = of_lists.pop("k")
        # Those of rows are found where the rows are.
        at_hand = {
            name: value
            for name, value in own.items()
            if name not in of_case or isinstance(value, Mapping)
        }
        may_lack = groups is not None or bool(of_lists or of_case)
        for each in _of_one_class(function, at_hand):
            find_metric(function, each, in_lists=may_lack)
    own = {**parameters_of(function), **own, **of_lists}
    return MetricScorer(function, groups, response_method, pos_label, **own)


def _of_one_class(
    function: Callable[..., Any], params: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return what a metric is told of each class, or of all at once."""
    if not (isinstance(function, Hashable) and function in METRICS):
        return [params]
    if not takes_classes(function):
        return [params]
    params = {name: params[name] for name in params if name not in OF_CLASSES}
    if not isinstance(params.get("rate"), Mapping):
        return [params]
    return [{**params, "rate": rate} for rate in params["rate"].values()]
