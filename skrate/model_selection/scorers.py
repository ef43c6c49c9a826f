"""Scorer objects for scoring=, wherever scikit-learn takes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, overload

from skrate.data.arrays import ArrayLike, Label, Number
from skrate.data.checks import shown
from skrate.metrics.average_precision import TailKind, average_precision_score
from skrate.metrics.base import (
    LIST_METRICS,
    METRICS,
    MetricLike,
    check_parameters,
    find_metric,
    meant_name,
    per_case,
    score_names,
    unwrap,
)
from skrate.metrics.classes import AverageName, RateByClass
from skrate.metrics.monitored import takes_classes, takes_cut
from skrate.metrics.rate_weighted_auc import rate_weighted_auc_score
from skrate.model_selection.ranking_scorer import (
    OF_CASES,
    OF_CLASSES,
    OF_LISTS,
    RankingScorer,
)
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    GroupsLike,
    ResponseMethod,
    check_response_method,
)
from skrate.rates.sets import End

# What any metric takes of lists; not all have a ``k``.
_OF_LISTS = ("average", "undefined", "relevance_threshold")


class RateWeightedAUCScorer(RankingScorer):
    """Score models by the rate-weighted AUC, as a ``scoring=`` object.

    It selects the model that finds most where the budget will be spent. Labels may be
    strings: name the positive one. In a dict of scorers the estimator predicts once for
    all of this package.

    Parameters
    ----------
    rate : "uniform", float, distribution or dict, default="uniform"
        The share of all cases that will be processed: a number in (0, 1], a frozen
        ``scipy.stats`` distribution or one from :mod:`skrate.rates`; with ``worst``
        a set of distributions, from :func:`skrate.rates.between`. Of more than two
        classes, a dict may hold one for each, and that of ``pos_label`` is taken.
    response_method : str or tuple of str
        Methods of the estimator that give scores, the first that it has is used;
        "decision_function", then "predict_proba" by default, and the other way round
        for more than two classes. Pass "predict" for regressors and rankers.
    pos_label : int, float, bool or str, default=None
        The positive label. None takes 1 of {0, 1} and {-1, 1}, True of booleans, and
        of other labels the second, with a warning that names it. Of more than two
        classes, the one that is scored against the rest; None averages over all.
    worst : {"low", "high"}, default=None
        With a set of distributions, which end of the range over the set is the score:
        "low" selects the model that is best where it is worst.
    average : {"macro", "weighted", "micro", "samples"}, default="macro"
        How classes are averaged if there are more than two, as in
        :func:`rate_weighted_auc_score`.
    labels : array-like of shape (n_labels,), default=None
        The names of the columns of a ``y`` with a column for each label, such as
        ``pos_label`` and ``rate`` use; None numbers them from 0. Classes are known by
        the estimator.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from functions; takes ours as well.
    rate_weighted_auc_score : The metric.
    refit_best : A ``refit=`` rule that survives folds without positives.

    Notes
    -----
    Called as ``scorer(estimator, X, y, sample_weight=None)``, it returns a float; nan
    with an ``UndefinedMetricWarning`` where ``y`` holds one class, or the estimator was
    trained on one; of more than two, where one is lacking in either. With metadata
    routing, ask for weights by ``set_score_request(sample_weight=True)``. The warning
    that names the class taken comes once for a scorer, or once for each process that
    runs folds.

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import RateWeightedAUCScorer, rates
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = RateWeightedAUCScorer(rate=rates.beta(3, 19))
    >>> scorer
    RateWeightedAUCScorer(rate=beta(3, 19))
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer).shape
    (5,)
    """

    metric = staticmethod(rate_weighted_auc_score)

    def __init__(
        self,
        rate: RateByClass = "uniform",
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
        worst: End | None = None,
        average: AverageName = "macro",
        labels: ArrayLike | None = None,
    ) -> None:
        self.rate = rate
        self.response_method = response_method
        self.pos_label = pos_label
        self.worst = worst
        self.average = average
        self.labels = labels


class AveragePrecisionScorer(RankingScorer):
    """Score models by average precision, as a ``scoring=`` object.

    It selects the model with the purest top of the ranking, for screening and rare
    events, at the prevalence of each fold or of a population. Labels may be strings:
    name the positive one. In a dict of scorers the estimator predicts once for all of
    this package.

    Parameters
    ----------
    prevalence : float, default=None
        Share of the positives in the population, in (0, 1). None takes the share in
        the cases that are scored.
    adjusted : bool, default=False
        Whether to rescale so that constant scores give 0, at any prevalence.
    tail : {"binormal", "empirical"}, default="binormal"
        How the top of the ranking is read at a ``prevalence`` below that of the cases,
        as in :func:`average_precision_score`.
    response_method : str or tuple of str
        As in :class:`RateWeightedAUCScorer`.
    pos_label : int, float, bool or str, default=None
        As in :class:`RateWeightedAUCScorer`.
    average : {"macro", "weighted", "micro", "samples"}, default="macro"
        As in :class:`RateWeightedAUCScorer`.
    labels : array-like of shape (n_labels,), default=None
        As in :class:`RateWeightedAUCScorer`.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from functions; takes ours as well.
    average_precision_score : The metric.
    RateWeightedAUCScorer : For a rate that is known as a distribution.
    refit_best : A ``refit=`` rule that survives folds without positives.

    Notes
    -----
    It is called as :class:`RateWeightedAUCScorer`, whose notes hold here, too, but that
    it is nan where ``y`` holds no positive case only: the "average_precision" of
    scikit-learn returns 0.0 there, which lowers the mean over folds.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import AveragePrecisionScorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = AveragePrecisionScorer(prevalence=0.2, pos_label=0)
    >>> scorer
    AveragePrecisionScorer(pos_label=0, prevalence=0.2)
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer).shape
    (5,)
    """

    metric = staticmethod(average_precision_score)

    def __init__(
        self,
        prevalence: Number | None = None,
        adjusted: bool = False,
        tail: TailKind = "binormal",
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
        average: AverageName = "macro",
        labels: ArrayLike | None = None,
    ) -> None:
        self.prevalence = prevalence
        self.adjusted = adjusted
        self.tail = tail
        self.response_method = response_method
        self.pos_label = pos_label
        self.average = average
        self.labels = labels


class MetricScorer(RankingScorer):
    """What :func:`make_ranking_scorer` returns."""

    def __init__(
        self,
        metric: Callable[..., float],
        groups: GroupsLike = None,
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
        **params: Any,
    ) -> None:
        self.metric = metric
        self.groups = groups
        self.response_method = response_method
        self.pos_label = pos_label
        self.__dict__.update(params)
        self._params = tuple(params)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the scorer and of its metric by name."""
        params: dict[str, Any] = super().get_params(deep)
        return params | {name: getattr(self, name) for name in self._params}

    @property
    def _name(self) -> str:
        return "make_ranking_scorer"

    @property
    def _defaults(self) -> dict[str, Any]:
        defaults = {"metric": self.metric, "groups": None, "pos_label": None}
        defaults |= {"response_method": DEFAULT_RESPONSE} | parameters_of(self.metric)
        return defaults

    def __repr__(self) -> str:
        return f"{self._name}({', '.join([self.metric.__name__, *self._changed])})"


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the optional keywords of a metric, but for what comes with the cases."""
    kind = METRICS.get(function)
    of_cases = (*OF_CASES, *(() if kind is None else per_case(kind)))
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
        and parameter.default is not parameter.empty
        and name not in of_cases
    }


@overload
def make_ranking_scorer(
    metric: list[str] | tuple[str, ...],
    *,
    groups: GroupsLike = None,
    response_method: ResponseMethod = DEFAULT_RESPONSE,
    pos_label: Label = None,
    **params: Any,
) -> dict[str, MetricScorer]: ...


@overload
def make_ranking_scorer(
    metric: MetricLike,
    *,
    groups: GroupsLike = None,
    response_method: ResponseMethod = DEFAULT_RESPONSE,
    pos_label: Label = None,
    **params: Any,
) -> MetricScorer: ...


def make_ranking_scorer(
    metric: MetricLike | list[str] | tuple[str, ...],
    *,
    groups: GroupsLike = None,
    response_method: ResponseMethod = DEFAULT_RESPONSE,
    pos_label: Label = None,
    **params: Any,
) -> MetricScorer | dict[str, MetricScorer]:
    """Make a ``scoring=`` object of any metric of this package.

    Unlike :func:`sklearn.metrics.make_scorer`, it ranks by whatever scores the
    estimator has, knows which class is positive, scores within lists, and stands for
    its metric in :func:`estimate`, :func:`compare` and :class:`ScoreReport`.

    Parameters
    ----------
    metric : callable, str or list of str
        A score function of this package or its name, a :func:`functools.partial` of
        one, or what :func:`estimate` takes of scikit-learn's. A list of names makes a
        dict of scorers, for ``scoring=`` of several metrics.
    groups : str or pandas.Series, default=None
        To score lists, such as those of users or queries, the name of a column of the
        data frame ``X``, which the estimator is given as well, or a Series with the
        index of ``X`` (or ``y``). None takes what metadata routing hands over. A metric
        of a single list is then averaged over lists; recall and precision are pooled.
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
        negatives tells it the labels. Of several metrics each is given those that it
        has, and one at least must have each.

    Returns
    -------
    scorer : callable or dict of callables
        Under each name that was given, or alone. Called as
        ``scorer(estimator, X, y, sample_weight=None, groups=None)``, it returns a
        float, negated where less is better, as scikit-learn's scorers are; nan with an
        ``UndefinedMetricWarning`` where undefined.

    Raises
    ------
    ValueError
        If ``response_method`` names no method, a metric is none of this package or
        given twice, or a parameter is unknown, missing or out of range.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from any function.
    RateWeightedAUCScorer : A class, whose options type checkers know.

    Notes
    -----
    It is cloned, pickled, searched over by ``set_params`` and shares predictions in a
    dict of scorers, as :class:`RateWeightedAUCScorer`, whose notes hold here, too.
    With metadata routing, ``set_score_request(groups=True)`` hands lists to any metric.
    In a dict the estimator predicts once per fold for all scorers of this package. A
    metric with different parameters, such as two rates, needs a name for each:
    ``{"at_10": make_ranking_scorer(recall_at_rate_score, rate=0.1), ...}``; dicts are
    merged by ``|``, also with names of scikit-learn.

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

    Several in one search:

    >>> from skrate import rates
    >>> scorers = make_ranking_scorer(
    ...     ["rate_weighted_auc", "average_precision"],
    ...     rate=rates.beta(3, 19),
    ... )
    >>> scorers["rate_weighted_auc"]
    make_ranking_scorer(rate_weighted_auc_score, rate=beta(3, 19))
    """
    if isinstance(metric, list | tuple):
        return _several(metric, groups, response_method, pos_label, params)
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


def _several(
    metrics: Sequence[str],
    groups: GroupsLike,
    response_method: ResponseMethod,
    pos_label: Label,
    params: dict[str, Any],
) -> dict[str, MetricScorer]:
    """Return a scorer of each metric, with those of the parameters that it has."""
    functions = _functions(metrics)
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
            function, groups=groups, response_method=response_method,
            pos_label=pos_label, **{key: params[key] for key in taken[name]},
        )
        for name, function in functions.items()
    }  # fmt: skip


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


def _functions(metrics: Sequence[Any]) -> dict[str, Any]:
    """Return the score functions by their names."""
    if not metrics:
        raise ValueError(
            "metric must hold a name, such as ['rate_weighted_auc', "
            "'average_precision'], got none."
        )
    known: dict[str, Any] = {"roc_auc": "roc_auc", **score_names()}
    found: dict[str, Any] = {}
    for name in metrics:
        if not isinstance(name, str):
            raise ValueError(
                f"metric must be a list of names, got {shown(name)}: a function makes "
                "a scorer by itself."
            )
        if name in found:
            raise ValueError(f"metric has the name {name!r} twice.")
        short = name.removesuffix("_score")
        if short not in known:
            raise ValueError(f"metric has an unknown name {name!r}{meant_name(name)}")
        found[name] = known[short]
    return found


def _takes(function: Callable[..., float] | str, name: str, in_lists: bool) -> bool:
    """Return whether a metric has a parameter, by itself or within lists."""
    if in_lists and name in _OF_LISTS:
        return True
    return callable(function) and name in inspect.signature(function).parameters
