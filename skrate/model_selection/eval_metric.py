"""A metric that a library for boosting evaluates after each round."""

from __future__ import annotations

from typing import Any, Literal, get_args

from skrate.data.arrays import Label
from skrate.data.checks import check_choice, shown
from skrate.metrics.base import MetricLike
from skrate.metrics.monitored import monitored
from skrate.model_selection.catboost_metric import catboost_metric
from skrate.model_selection.flaml_metric import FLAMLMetric
from skrate.model_selection.lightgbm_metric import LightGBMMetric
from skrate.model_selection.ranking_scorer import RankingScorer
from skrate.model_selection.xgboost_metric import XGBoostMetric

Library = Literal["xgboost", "lightgbm", "catboost", "flaml"]
_ADAPTERS: dict[str, Any] = {
    "xgboost": XGBoostMetric,
    "lightgbm": LightGBMMetric,
    "catboost": catboost_metric,
    "flaml": FLAMLMetric,
}


def eval_metric(
    metric: MetricLike | str,
    *,
    library: Library,
    name: str | None = None,
    pos_label: Label = None,
    **params: Any,
) -> Any:
    r"""Make a metric that a library for boosting monitors, and stops by.

    The round that early stopping chooses is then the one that ranks best by what the
    model is for. A plain function is minimised by XGBoost and is no metric to LightGBM
    and CatBoost; this has the sign, the name and the weights that each of them expects,
    in its scikit-learn interface and its own. The library need not be installed.

    Parameters
    ----------
    metric : callable or str
        A score function of this package or its name, with or without "_score", a
        :func:`functools.partial` of one, one of its scorers, or scikit-learn's
        function or name of the same
        (``"roc_auc"``, ``"average_precision"``).
    library : {"xgboost", "lightgbm", "catboost", "flaml"}
        Who calls it.
    name : str, default=None
        What it is called in logs and results, without spaces or colons; None takes
        that of the function, or what was given. XGBoost puts ``neg_`` before it.
    pos_label : int, float, bool or str, default=None
        The label of the positive class, as the library numbers it: 1 (or None) is the
        second of ``classes_``, 0 the first, whose scores are the others' negated. Of
        more than two classes, the number of the one that is scored against the rest.
        For FLAML the label itself. Labels that are strings are numbered in their
        order: of "leave" and "stay" the second is "stay", so that 0 ranks for "leave".
    **params : dict
        Parameters of the metric, such as ``rate``, and ``average`` over classes where
        it has one. For lists, ``k`` and ``relevance_threshold`` of
        :func:`group_scores` and ``average`` and ``undefined`` of
        :meth:`GroupScores.mean`: any of them says that the metric is one of lists.

    Returns
    -------
    monitored : callable or object
        It can be pickled, copied and cloned with a model. For

        - XGBoost, ``eval_metric=`` of its estimators and ``custom_metric=`` of
          ``xgboost.train`` and ``cv``: the negated value, as ``neg_`` and the name,
          since XGBoost minimises what is called. A metric of which less is better is
          not negated. Leave ``maximize`` out.
        - LightGBM, ``eval_metric=`` of ``fit`` and ``feval=`` of ``lightgbm.train``
          and ``cv``: the name, the value and whether greater is better. With
          ``metric="None"`` early stopping heeds nothing else.
        - CatBoost, ``eval_metric=``: an object with ``is_max_optimal``, ``evaluate``
          and ``get_final_error``.
        - FLAML, ``metric=`` of ``AutoML.fit``: the loss, which is the value, negated
          if greater is better, and a dict of the value by its name.

    Raises
    ------
    ValueError
        If ``library``, ``metric`` or a parameter is unknown, missing or out of range,
        ``name`` has spaces or colons, ``pos_label`` is a string, gain or cost are
        given per case, or CatBoost is to score lists. When it is called: if a metric of
        lists gets data without lists, there are more than two classes for which it has
        no average, or the value is nan.
    TypeError
        When another library calls it than the one that it is for.

    Warns
    -----
    UndefinedMetricWarning
        When it is called, with the reason, just before the error that the value is nan.
    UserWarning
        If CatBoost evaluates with the class weights of its model, which it multiplies
        into those of the cases.

    See Also
    --------
    make_ranking_scorer : The same metric as ``scoring=``, for fitted models.
    RankBoostClassifier : Takes score functions as ``scoring=`` for early stopping.

    Notes
    -----
    With :math:`s_t` the scores of the cases evaluated after round t, y and w their
    labels and weights and m the metric, early stopping chooses

    .. math:: t^* = \min \arg\max_t \; m(y, s_t, w),

    or the argmin where less is better. XGBoost logs six decimals and compares what it
    logs. LightGBM and XGBoost give probabilities, which rank as margins do until
    they are rounded to the same number: in the single precision of XGBoost those above
    a margin of 17 all are 1, and tie. CatBoost gives raw scores in double precision.

    Lists are those of the data evaluated, where it has some: a metric of a single
    ranking is then averaged over them, too. Weights of an XGBoost DMatrix with groups
    are weights of lists in the mean, and so are LightGBM's if they are the same
    throughout each list. ``XGBRanker`` is an exception: it calls a metric list by list,
    and averages what it is to minimise with the sizes of lists as weights and 1 for
    lists of one item; lists that are undefined count ``undefined``, else 0. There a
    metric of a single ranking needs ``undefined=0.0`` if some list lacks a class. The
    constants do not move the best round.

    Of more than two classes, metrics with ``average`` take the probabilities of
    XGBoost and LightGBM. Cost: that of the metric, one sort of the cases a round.

    Examples
    --------
    Called as LightGBM does, for a budget that reaches half of the cases:

    >>> from skrate import eval_metric, recall_at_rate_score
    >>> monitor = eval_metric(
    ...     recall_at_rate_score, library="lightgbm", rate=0.5
    ... )
    >>> monitor
    eval_metric(recall_at_rate_score, library='lightgbm', rate=0.5)
    >>> monitor([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    ('recall_at_rate_score', 0.5, True)

    XGBoost minimises, so the value is negated, and the name says so:

    >>> monitor = eval_metric(
    ...     "recall_at_rate_score", library="xgboost", rate=0.5
    ... )
    >>> monitor.__name__, monitor([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    ('neg_recall_at_rate_score', -0.5)
    """
    if isinstance(library, str):
        library = library.lower()  # type: ignore[assignment]
    check_choice("library", library, get_args(Library))
    if isinstance(metric, RankingScorer):
        given = {k: v for k, v in metric._kwargs.items() if v is not None} | params
        pos_label = given.pop("pos_label", None) if pos_label is None else pos_label
        metric, params = metric.metric, given
    found = monitored(metric, params)
    if isinstance(pos_label, str) and library != "flaml":
        raise ValueError(
            f"pos_label={pos_label!r} is not what {library} knows: it numbers the "
            "classes, so give 1 for the second of classes_, or 0 for the first."
        )
    if name is None:
        name = metric if isinstance(metric, str) else found.function.__name__
    return _ADAPTERS[library](found, _check_name(name), pos_label)


def _check_name(name: Any) -> str:
    """Return what a metric is called."""
    if not isinstance(name, str) or not name or set(name) & set(" \t\n:"):
        raise ValueError(
            f"name must be a string without spaces or colons, got {shown(name)}."
        )
    return name
