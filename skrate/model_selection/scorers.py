"""Scorer objects for scoring=, wherever scikit-learn takes one."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from operator import attrgetter
from typing import Any, Self, overload

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.metrics import make_scorer, roc_auc_score

from skrate.data.arrays import Array, ArrayLike, Label, Number, as_numpy
from skrate.data.checks import find_label, shown, warn_undefined
from skrate.data.estimated import EstimatedLabels
from skrate.data.representations import render_html
from skrate.inference.bound_metric import (
    OF_LISTS,
    OF_ROWS,
    BoundMetric,
    bind,
    optional_parameters,
)
from skrate.inference.group_scores import OF_MEAN
from skrate.metrics.average_precision import average_precision_score
from skrate.metrics.classes import AverageName, RateByClass
from skrate.metrics.metric import MetricLike, named
from skrate.metrics.rate_weighted_auc import rate_weighted_auc_score
from skrate.metrics.result_types import written
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    GroupsLike,
    ResponseMethod,
    UndefinedResponse,
    WarnsOnce,
    check_response_method,
    class_scores,
    find_column,
    has_several_classes,
    ranking_scores,
)
from skrate.rates.laws import check_rate, from_scipy, is_scipy_distribution

# A dict of scorers shares predictions only among instances of this class, which has
# no public name; tests/model_selection/test_scorers.py notes the releases it was
# checked on.
_Scorer: Any = type(make_scorer(roc_auc_score))
# What is not handed to other programs: the metric has the same by default.
_UNSAID = (("pos_label", None), ("labels", None), ("average", "macro"))


class RankingScorer(WarnsOnce, BaseEstimator, _Scorer):  # type: ignore[misc]
    """What all scorers share; a subclass names its metric and its parameters."""

    metric: Callable[..., float]
    response_method: ResponseMethod
    pos_label: Label
    groups: GroupsLike = None  # The name of a column of X, or a Series.

    # What scikit-learn asks of a scorer, next to _score.
    _deprecation_msg = None
    _response_method = property(attrgetter("response_method"))
    # Notebooks then ask for each kind by its name.
    _repr_mimebundle_ = None

    @property
    def _repr_html_(self) -> Any:
        """A table of the parameters: the diagram of an estimator says "not fitted"."""
        if get_config()["display"] != "diagram":
            # As estimators do, so that the text is shown.
            raise AttributeError("_repr_html_ is only there if display='diagram'")
        params = self.get_params(deep=False).items()
        return lambda: render_html(
            self._name, {k: written(value) for k, value in params}
        )

    @property
    def _bound(self) -> BoundMetric:
        """The metric with its parameters."""
        own = ("metric", "response_method", "groups", "pos_label")
        params = self.get_params(deep=False).items()
        return BoundMetric(self.metric, {k: v for k, v in params if k not in own})

    @property
    def _sign(self) -> int:
        """-1 where less is better, as searches take the greatest."""
        return 1 if self._bound.greater_is_better else -1

    @property
    def _needs_groups(self) -> bool:
        """Whether it needs to know which rows belong together."""
        return self.groups is not None or self._bound.is_list_metric

    @property
    def _score_func(self) -> ScoreFunction:
        """The metric, for programs that call it themselves."""
        return ScoreFunction(self)

    @property
    def _kwargs(self) -> dict[str, Any]:
        """What programs hand to ``_score_func``, and reports keep results by."""
        params = {
            name: value
            for name, value in {
                "pos_label": self.pos_label,
                **self._bound.params,
            }.items()
            if not isinstance(value, str | None) or (name, value) not in _UNSAID
        }
        if "rate" in params:
            params["rate"] = _convert_rates(params["rate"])
        return params

    @property
    def _is_called(self) -> bool:
        """Whether the class was called as a scorer, with an estimator, X and y.

        What the class then returns is no number, for which scikit-learn raises; of an
        exception it makes nan.
        """
        return any(hasattr(one, "get_params") for one in vars(self).values())

    @property
    def _name(self) -> str:
        """What the user called to make it."""
        return type(self).__qualname__

    @property
    def __name__(self) -> str:
        """What scikit-learn's displays call the scores, "neg_" where less is better."""
        prefix = "" if self._sign > 0 else "neg_"
        return prefix + self.metric.__name__.removesuffix("_score")

    @property
    def _defaults(self) -> dict[str, Any]:
        """What its parameters are if they are not given."""
        known = inspect.signature(type(self)).parameters
        return {name: parameter.default for name, parameter in known.items()}

    def __repr__(self) -> str:
        if self._is_called:
            return f"a class: pass its instance, scoring={self._name}()"
        defaults = self._defaults
        changed = [
            f"{name}={written(value)}"
            for name, value in self.get_params(deep=False).items()
            if name not in defaults or repr(value) != repr(defaults[name])
        ]
        if "metric" in defaults:
            changed.insert(0, self.metric.__name__)
        return f"{self._name}({', '.join(changed)})"

    def set_score_request(self, **kwargs: Any) -> Self:
        """Ask for metadata, such as ``sample_weight``, that come with the cases."""
        taken = {*inspect.signature(self.metric).parameters, *OF_ROWS, *OF_LISTS}
        for name in kwargs:
            if name not in taken:
                raise ValueError(
                    f"{self._name} cannot ask for {name!r}, as "
                    f"{self.metric.__name__} takes no {name!r}."
                )
        super().set_score_request(**kwargs)
        return self

    def __skrate_metric__(self) -> tuple[Callable[..., float], dict[str, Any]]:
        """Return the metric that it stands for, and its parameters."""
        if self._needs_groups:
            raise ValueError(
                f"{self._name} stands for a mean over lists: for its uncertainty use "
                "group_scores(...).estimate()."
            )
        if self.pos_label is not None:
            raise ValueError(
                f"pos_label={self.pos_label!r} of {self._name} concerns what the "
                "sample is: give it beside the metric, and a scorer without it."
            )
        params = self._bound.params
        if self._bound.averages_classes:
            average, labels = params.pop("average", "macro"), params.pop("labels", None)
            if average != "macro" or labels is not None:
                raise ValueError(
                    f"average={average!r} and labels={labels!r} of {self._name} are "
                    "for more than two classes, and the uncertainty of an average over "
                    "classes is not known: score one class against the rest."
                )
        return self.metric, params

    def _bind_metadata(
        self, metadata: Mapping[str, Any], X: Any, y_true: ArrayLike
    ) -> tuple[BoundMetric, dict[str, Any]]:
        """Return the metric of some cases, and their weights and lists if there are."""
        params = dict(metadata)
        given = {"groups": self.groups, **self._bound.params}
        for name in (*self._bound.per_case, "entities", "groups"):
            value = given.get(name)
            is_there = params.get(name) is not None or isinstance(value, Mapping)
            # All may cost the same, but something must be gained.
            is_needed = name == "gain" or (name == "groups" and self._needs_groups)
            if not is_there and (value is not None or is_needed):
                params[name] = find_column(name, value, X, y_true, self._name)
        rows = {name: params.pop(name, None) for name in ("groups", "sample_weight")}
        rows = {name: values for name, values in rows.items() if values is not None}
        return self._bound.add_params(**params), rows

    def _score(
        self,
        method_caller: Callable[..., Array],
        estimator: Any,
        X: Any,
        y_true: ArrayLike,
        **kwargs: Any,
    ) -> float:
        """Score ``estimator``; ``method_caller`` may know its predictions already."""

        def second_class_scores(estimator: Any, method: str, X: Any) -> Array:
            # A dict of scorers keeps one response per name of a method, for whatever
            # class the first scorer asked: scikit-learn's may have asked for the other
            # one. It keeps ours apart, as they name the method in a tuple. Predictions
            # are of no class, and of regressors must be asked for by the name.
            key = method if method == "predict" else (method,)
            return method_caller(estimator, key, X)

        bound, rows = self._bind_metadata(kwargs, X, y_true)
        asked = (estimator, X, y_true, second_class_scores)
        try:
            bound, y_true, y_score, label = self._ranked(bound, *asked, rows)
        except UndefinedResponse as undefined:
            return warn_undefined(self._name, str(undefined))
        if "groups" in rows:
            return self._sign * bound.list_mean(y_true, y_score, label, **rows)
        return self._sign * bound.score_ranking(
            y_true, y_score, pos_label=label, **rows
        )

    def _ranked(
        self,
        bound: BoundMetric,
        estimator: Any,
        X: Any,
        y_true: Any,
        call: Callable[..., Array],
        rows: dict[str, Any],
    ) -> tuple[BoundMetric, Any, Any, Label]:
        """Return the metric, labels and scores, of one class or of all to average."""
        label, name = self.pos_label, self._name
        # Grades, and labels that are estimates, do not show a class.
        is_shown = not (bound.has_grades or isinstance(y_true, EstimatedLabels))
        if not is_shown or not has_several_classes(estimator, y_true, label):
            y_score, label = ranking_scores(
                estimator,
                X,
                y_true if is_shown else None,
                self.response_method,
                label,
                user=name,
                call=call,
                tell=self._warn_once,
            )
            bound = self._bind_class(bound, label)
            return bound, y_true, y_score, label if is_shown else None
        if label is None and ("groups" in rows or not bound.averages_classes):
            raise ValueError(
                f"{name} needs a binary target, and this one has more than two "
                "classes, or several labels for a case: pos_label= names the one that "
                "is scored against the rest."
            )
        if label is None and bound.params.get("average", "macro") is None:
            raise ValueError(
                f"average=None of {name} leaves a score for each class, and a "
                "scorer returns one: give another average, or one class by pos_label."
            )
        method, labels = self.response_method, bound.params.get("labels")
        y_true, y_score, known = class_scores(
            estimator, X, y_true, method, labels, label, user=name, call=call
        )
        if label is None:
            return bound.add_params(labels=known), y_true, y_score, None
        bound = self._bind_class(bound, label)
        if bound.averages_classes:
            bound = bound.add_params(labels=None)
        return bound, y_true, y_score, True

    def _bind_class(self, bound: BoundMetric, label: Label) -> BoundMetric:
        """Return the metric with the rate of a class, of one for each."""
        rates = bound.params.get("rate")
        if not isinstance(rates, Mapping):
            return bound
        known = find_label(label, list(rates))
        if known is None:
            raise ValueError(
                f"rate of {self._name} lacks the class {shown(label)}: it has "
                f"{shown(list(rates))}."
            )
        return bound.add_params(rate=rates[known])


def _convert_rates(rate: Any) -> Any:
    """Return a distribution of scipy, or a dict of some, as rates of this package."""
    if isinstance(rate, Mapping):
        return {name: _convert_rates(each) for name, each in rate.items()}
    return from_scipy(rate) if is_scipy_distribution(rate) else rate


class RateWeightedAUCScorer(RankingScorer):
    """Score models by the rate-weighted AUC, as a ``scoring=`` object.

    It selects the model that finds most where the budget will be spent. In a dict of
    scorers the estimator predicts once for all of this package.

    Parameters
    ----------
    rate : "uniform", float, distribution or dict, default="uniform"
        The share of all cases that will be processed: a number in (0, 1], a frozen
        ``scipy.stats`` distribution or one from :mod:`skrate.rates`. A dict may hold
        one for each class.
    response_method : str or tuple of str
        Methods of the estimator that give scores, the first that it has is used;
        "decision_function", then "predict_proba" by default, and the other way round
        for more than two classes. Pass "predict" for regressors and rankers.
    pos_label : int, float, bool or str, default=None
        The positive label. None takes 1 of {0, 1} and {-1, 1}, True of booleans, and
        of other labels the second, with a warning that names it. With more than two
        classes, the class that is scored against the rest; None averages over all.
    average : {"macro", "weighted", "micro", "samples"}, default="macro"
        How classes are averaged if there are more than two, as in
        :func:`rate_weighted_auc_score`.
    labels : array-like of shape (n_labels,), default=None
        The names of the columns of a ``y`` with a column for each label; None numbers
        them from 0. Classes are known by the estimator.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from functions; ours need
        ``response_method="predict_proba"``.
    rate_weighted_auc_score : The metric.
    refit_best : A ``refit=`` rule that survives folds without positives.

    Notes
    -----
    Called as ``scorer(estimator, X, y, sample_weight=None)``, it returns a float; nan
    with an ``UndefinedMetricWarning`` where ``y`` holds one class, or the estimator was
    trained on one; of more than two, where one is lacking in either. With metadata
    routing, ask for weights by ``set_score_request(sample_weight=True)``.

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
        average: AverageName = "macro",
        labels: ArrayLike | None = None,
    ) -> None:
        self.rate = rate
        self.response_method = response_method
        self.pos_label = pos_label
        self.average = average
        self.labels = labels
        if not (isinstance(rate, Mapping) or self._is_called):
            # Here: in a search it would be a warning for each fold, and nan.
            check_rate(rate)


class AveragePrecisionScorer(RankingScorer):
    """Score models by average precision, as a ``scoring=`` object.

    It selects the model with the purest top of the ranking, for screening and rare
    events, at the prevalence of each fold or of a population.

    Parameters
    ----------
    prevalence : float, default=None
        Share of the positives in the population, in (0, 1); None takes that scored.
    adjusted : bool, default=False
        Whether to rescale so that constant scores give 0, at any prevalence.
    response_method, pos_label, average, labels : optional
        As in :class:`RateWeightedAUCScorer`.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from functions; ours need
        ``response_method="predict_proba"``.
    average_precision_score : The metric.
    RateWeightedAUCScorer : For a rate that is known as a distribution.

    Notes
    -----
    The notes of :class:`RateWeightedAUCScorer` hold here, but that it is nan where
    ``y`` holds no positive case only: the "average_precision" of scikit-learn returns
    0.0 there, which lowers the mean over folds.

    Examples
    --------
    >>> from skrate import AveragePrecisionScorer
    >>> AveragePrecisionScorer(prevalence=0.2, pos_label=0)
    AveragePrecisionScorer(pos_label=0, prevalence=0.2)
    """

    metric = staticmethod(average_precision_score)

    def __init__(
        self,
        prevalence: Number | None = None,
        adjusted: bool = False,
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
        average: AverageName = "macro",
        labels: ArrayLike | None = None,
    ) -> None:
        self.prevalence = prevalence
        self.adjusted = adjusted
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
        defaults |= {"response_method": DEFAULT_RESPONSE} | optional_parameters(
            self.metric
        )
        return defaults


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
    estimator has, knows which class is positive, and scores within lists.

    Parameters
    ----------
    metric : callable, str or list of str
        A score function of this package or its name, a :func:`functools.partial` of
        one, or what :func:`estimate` takes of scikit-learn's. A list of names makes a
        dict of scorers, for ``scoring=`` of several metrics.
    groups : str or pandas.Series, default=None
        To score lists, the name of a column of the data frame ``X``, which the
        estimator is given as well, or a Series with the index of ``X`` (or ``y``). None
        takes what metadata routing hands over. A metric of a single list is then
        averaged over lists; recall and precision are pooled.
    response_method, pos_label : optional
        As in :class:`RateWeightedAUCScorer`.
    **params : dict
        Parameters of the metric, such as ``rate``, and ``average`` over classes where
        it has one; for lists, also the parameters of :func:`group_scores`, and
        ``average`` and ``undefined`` of :meth:`GroupScores.mean`. ``gain`` and ``cost``
        of each case
        are given as ``groups`` are. A column is given to the model, too: a gain that is
        0 for all negatives reveals the labels. Each of several metrics gets the ones it
        takes.

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
    The notes of :class:`RateWeightedAUCScorer` hold here, too. With metadata routing,
    ``set_score_request(groups=True)`` hands lists to any metric.

    Examples
    --------
    >>> from skrate import make_ranking_scorer, recall_at_rate_score
    >>> make_ranking_scorer(recall_at_rate_score, rate=0.2, pos_label=0)
    make_ranking_scorer(recall_at_rate_score, pos_label=0, rate=0.2)

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
        return _make_scorers(metric, groups, response_method, pos_label, params)
    check_response_method(response_method)
    found = bind(metric, params, is_in_training=False, in_lists=groups is not None)
    own = optional_parameters(found.function) | found.params
    return MetricScorer(found.function, groups, response_method, pos_label, **own)


def _make_scorers(
    metrics: Sequence[str],
    groups: Any,
    response_method: ResponseMethod,
    pos_label: Label,
    params: dict[str, Any],
) -> dict[str, MetricScorer]:
    """Return a scorer of each metric, with those of the parameters that it has."""
    functions = {name: named(name) for name in metrics if isinstance(name, str)}
    if not functions or len(functions) < len(metrics):
        raise ValueError(
            "metric must be a list of different names, such as ['rate_weighted_auc', "
            f"'average_precision'], got {shown(list(metrics))}: a function makes a "
            "scorer by itself."
        )
    taken: dict[str, dict[str, Any]] = {}
    for name, function in functions.items():
        known = set() if groups is None else {*OF_MEAN, "relevance_threshold"}
        if callable(function):
            known |= set(inspect.signature(function).parameters)
        taken[name] = {key: value for key, value in params.items() if key in known}
    for key in params:
        if not any(key in own for own in taken.values()):
            raise ValueError(
                f"{key}={shown(params[key])} is a parameter of none of the metrics "
                f"{list(functions)}."
            )
    given = {"groups": groups, "response_method": response_method}
    make: Any = make_ranking_scorer
    return {
        name: make(function, pos_label=pos_label, **given, **taken[name])
        for name, function in functions.items()
    }


class ScoreFunction:
    """A metric, for callers that leave the scorer out, as LogisticRegressionCV does."""

    def __init__(self, scorer: RankingScorer) -> None:
        self._scorer = scorer
        update_wrapper(self, scorer.metric)
        signature = inspect.signature(scorer.metric)
        # LogisticRegressionCV makes a scorer of its own of a function with ``labels``.
        others = [p for p in signature.parameters.values() if p.name != "labels"]
        self.__signature__ = signature.replace(parameters=others)

    def __call__(self, y_true: ArrayLike, y_score: ArrayLike, **params: Any) -> float:
        """Return the metric, of the second of two columns as of a single one."""
        scorer, name = self._scorer, self._scorer._name
        if scorer._needs_groups and params.get("groups") is None:
            raise ValueError(
                f"{name} scores lists, which whoever calls its function does not know: "
                "hand over a function in its place, def score(estimator, X, y): return "
                "scorer(estimator, X, y)."
            )
        if "predict" not in check_response_method(scorer.response_method):
            _check_no_labels(y_true, y_score, name)
        elif np.ndim(y_score) == 1:
            # Predictions that were asked for are scores.
            y_score = as_numpy(y_score).astype(np.float64)
        n_columns = np.shape(y_score)[1] if np.ndim(y_score) == 2 else 1
        if np.ndim(y_true) == 1 and n_columns == 2 and params.get("pos_label") is None:
            # Without a name the positive label is the greater, whose column is last.
            y_score = as_numpy(y_score)[:, 1]
        elif n_columns > 2 and scorer.response_method == DEFAULT_RESPONSE:
            raise ValueError(
                f"{name} takes probabilities of several classes, and whoever calls its "
                "function may take other scores: name them by "
                f'{name}(response_method="predict_proba").'
            )
        return scorer.metric(y_true, y_score, **params)

    def __reduce__(self) -> tuple[Any, ...]:
        return ScoreFunction, (self._scorer,)

    def __repr__(self) -> str:
        return self._scorer.metric.__name__


def _check_no_labels(y_true: ArrayLike, y_score: ArrayLike, name: str) -> None:
    """Raise where the scores are predicted classes, or warn where they may be."""
    labels, scores = as_numpy(y_true), as_numpy(y_score)
    if scores.ndim != 1 or not scores.size:
        return
    is_number = scores.dtype.kind == "f"
    if (is_number and labels.dtype.kind != "f") or not np.isin(scores, labels).all():
        return
    message = (
        f"{name} was given predicted classes in the place of scores, "
        f"{shown(scores[0].item())} and the like, as TunedThresholdClassifierCV does "
        "at each threshold: how two groups are ordered does not say where to cut. "
        "ConstrainedThresholdClassifier(estimator, rate=...) finds the threshold that "
        "marks the share of cases that will be processed, and by recall= or fpr= the "
        'one that keeps it. To rank by predictions, name response_method="predict".'
    )
    if not is_number:
        raise ValueError(message)
    warnings.warn(message, UserWarning, stacklevel=3)
