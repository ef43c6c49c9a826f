"""Scorers for the ``scoring=`` parameter of scikit-learn."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial, update_wrapper
from operator import attrgetter
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.metrics import make_scorer, roc_auc_score

from skrate.data.arrays import Array, ArrayLike, Label, Number
from skrate.data.checks import as_numpy, find_label, shown, warn, warn_undefined
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
    ResponseMethod,
    UndefinedResponse,
    WarnsOnce,
    check_response_method,
    class_scores,
    find_column,
    has_several_classes,
    ranking_scores,
)
from skrate.rates.distributions import check_rate, from_scipy, is_scipy_distribution

# A dict of scorers shares predictions only among instances of this class, which has
# no public name; tests/model_selection/test_scorers.py lists the releases that were
# checked.
_Scorer: Any = type(make_scorer(roc_auc_score))
# The lists of a scorer: the name of a column of X, or a pandas Series.
GroupsLike: TypeAlias = Any


class RankingScorer(WarnsOnce, BaseEstimator, _Scorer):  # type: ignore[misc]
    """Base class of the scorers; a subclass names its metric and its parameters."""

    metric: Callable[..., float]
    response_method: ResponseMethod
    pos_label: Label
    groups: GroupsLike = None

    # Required by scikit-learn, in addition to _score.
    _deprecation_msg = None
    _response_method = property(attrgetter("response_method"))
    # If None, notebooks request each representation by its name.
    _repr_mimebundle_ = None

    @property
    def _repr_html_(self) -> Any:
        """A table of parameters, because an estimator's diagram says "not fitted"."""
        if get_config()["display"] != "diagram":
            # An AttributeError, as for estimators: the text is shown instead.
            raise AttributeError("_repr_html_ is only there if display='diagram'")
        params = self.get_params(deep=False).items()
        rows = {name: written(param) for name, param in params}
        return lambda: render_html(self._name, rows)

    @property
    def _bound(self) -> BoundMetric:
        """The metric with its parameters."""
        excluded = ("metric", "response_method", "groups", "pos_label")
        params = self.get_params(deep=False).items()
        return BoundMetric(self.metric, {k: v for k, v in params if k not in excluded})

    @property
    def _sign(self) -> int:
        """-1 if less is better, because searches maximise; otherwise 1."""
        return 1 if self._bound.greater_is_better else -1

    @property
    def _needs_groups(self) -> bool:
        """Whether the metric needs lists, the rows that belong together."""
        return self.groups is not None or self._bound.is_list_metric

    @property
    def _score_func(self) -> ScoreFunction:
        """The metric, for programs that call it themselves."""
        return ScoreFunction(self)

    @property
    def _kwargs(self) -> dict[str, Any]:
        """Parameters for calls of ``_score_func``, and keys of results in reports."""
        params = {"pos_label": self.pos_label, **self._bound.params}
        # Defaults of the metrics are not passed to other programs.
        defaults = {"pos_label": None, "labels": None, "average": "macro"}
        for name, default in defaults.items():
            param = params.get(name)
            if isinstance(param, str | None) and param == default:
                params.pop(name, None)
        if "rate" in params:
            params["rate"] = _convert_rates(params["rate"])
        return params

    @property
    def _is_called(self) -> bool:
        """Whether the class was called as a scorer, with an estimator, X and y.

        The class then returns an object that is not a number, for which scikit-learn
        raises an error; it would convert an exception to nan.
        """
        return any(hasattr(param, "get_params") for param in vars(self).values())

    @property
    def _name(self) -> str:
        """The name of the class or function that made the scorer."""
        return type(self).__qualname__

    @property
    def __name__(self) -> str:
        """The name in scikit-learn's displays, with "neg_" if less is better."""
        prefix = "" if self._sign > 0 else "neg_"
        return prefix + self.metric.__name__.removesuffix("_score")

    @property
    def _defaults(self) -> dict[str, Any]:
        """The default values of the parameters."""
        known = inspect.signature(type(self)).parameters
        return {name: parameter.default for name, parameter in known.items()}

    def __repr__(self) -> str:
        if self._is_called:
            return f"a class: pass its instance, scoring={self._name}()"
        defaults = self._defaults
        changed = [
            f"{name}={written(param)}"
            for name, param in self.get_params(deep=False).items()
            if name not in defaults or repr(param) != repr(defaults[name])
        ]
        if "metric" in defaults:
            changed.insert(0, self.metric.__name__)
        return f"{self._name}({', '.join(changed)})"

    def set_score_request(self, **kwargs: Any) -> Self:
        """Request metadata of the samples, such as ``sample_weight``."""
        taken = {*inspect.signature(self.metric).parameters, *OF_ROWS, *OF_LISTS}
        for name in kwargs:
            if name not in taken:
                metric = self.metric.__name__
                raise ValueError(f"{self._name}: {metric} takes no {name!r}.")
        super().set_score_request(**kwargs)
        return self

    def __skrate_metric__(self) -> tuple[Callable[..., float], dict[str, Any]]:
        """Return the metric and its parameters."""
        if self._needs_groups:
            use = "use group_scores(...).estimate()"
            raise ValueError(f"{self._name} is a mean over lists: {use}.")
        if self.pos_label is not None:
            raise ValueError(
                f"pos_label={self.pos_label!r} of {self._name} describes the sample: "
                "give it beside the metric, and a scorer without it."
            )
        params = self._bound.params
        if self._bound.averages_classes:
            average, labels = params.pop("average", "macro"), params.pop("labels", None)
            if average != "macro" or labels is not None:
                raise ValueError(
                    f"average={average!r} and labels={labels!r} of {self._name} are "
                    "for more than two classes: score one class against the rest."
                )
        return self.metric, params

    def _bind_metadata(
        self, metadata: Mapping[str, Any], X: Any, y_true: ArrayLike
    ) -> tuple[BoundMetric, dict[str, Any]]:
        """Return the metric of some samples, and their weights and lists if given."""
        params = dict(metadata)
        sources = {"groups": self.groups, **self._bound.params}
        for name in (*self._bound.per_sample, "entities", "groups"):
            source = sources.get(name)
            is_given = params.get(name) is not None or isinstance(source, Mapping)
            # The cost can be equal for all samples, but the gain is required.
            is_needed = name == "gain" or (name == "groups" and self._needs_groups)
            if not is_given and (source is not None or is_needed):
                params[name] = find_column(name, source, X, y_true, self._name)
        rows = {name: params.pop(name, None) for name in ("groups", "sample_weight")}
        rows = {name: column for name, column in rows.items() if column is not None}
        return self._bound.add_params(**params), rows

    def _score(
        self,
        method_caller: Callable[..., Array],
        estimator: Any,
        X: Any,
        y_true: ArrayLike,
        **kwargs: Any,
    ) -> float:
        """Score ``estimator``; ``method_caller`` may return cached predictions."""

        def second_class_scores(estimator: Any, method: str, X: Any) -> Array:
            # A dict of scorers caches one response per name of a method, for the class
            # that the first scorer requested. The first may be a scorer of scikit-learn
            # that requested the other class, so ours have a tuple as the name. This is
            # not needed for predictions, and regressors require the plain name.
            key = method if method == "predict" else (method,)
            return method_caller(estimator, key, X)

        bound, rows = self._bind_metadata(kwargs, X, y_true)
        arguments = (estimator, X, y_true, second_class_scores)
        try:
            bound, y_true, y_score, label = self._ranked(bound, *arguments, rows)
        except UndefinedResponse as undefined:
            return warn_undefined(self._name, str(undefined))
        score = bound.list_mean if "groups" in rows else bound.score_ranking
        return self._sign * score(y_true, y_score, pos_label=label, **rows)

    def _ranked(
        self,
        bound: BoundMetric,
        estimator: Any,
        X: Any,
        y_true: Any,
        call: Callable[..., Array],
        rows: dict[str, Any],
    ) -> tuple[BoundMetric, Any, Any, Label]:
        """Return the metric, labels and scores, for one class or for all to average."""
        label, name = self.pos_label, self._name
        # Grades and estimated labels do not show a class.
        is_shown = not (bound.has_grades or isinstance(y_true, EstimatedLabels))
        if not is_shown or not has_several_classes(estimator, y_true, label):
            labels = y_true if is_shown else None
            arguments = estimator, X, labels, self.response_method, label
            how: dict[str, Any] = {"user": name, "call": call, "tell": self._warn_once}
            y_score, label = ranking_scores(*arguments, **how)
            bound = self._bind_class(bound, label)
            return bound, y_true, y_score, label if is_shown else None
        if label is None and ("groups" in rows or not bound.averages_classes):
            raise ValueError(
                f"{name} needs a binary target, or pos_label= for the class to score "
                "against the rest; got more than two classes, or several labels each."
            )
        if label is None and bound.params.get("average", "macro") is None:
            raise ValueError(
                f"average=None of {name} gives a score for each class: give another "
                "average, or one class by pos_label."
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
        """Return the metric with the rate of one class, if rates are a dict."""
        rates = bound.params.get("rate")
        if not isinstance(rates, Mapping):
            return bound
        known = find_label(label, list(rates))
        if known is None:
            found = f"{shown(label)}, got {shown(list(rates))}"
            raise ValueError(f"rate of {self._name} must contain the class {found}.")
        return bound.add_params(rate=rates[known])


def _convert_rates(rate: Any) -> Any:
    """Return a scipy distribution, or a dict of several, as rates of this package."""
    if isinstance(rate, Mapping):
        return {name: _convert_rates(class_rate) for name, class_rate in rate.items()}
    return from_scipy(rate) if is_scipy_distribution(rate) else rate


class RateWeightedAUCScorer(RankingScorer):
    """Score models by the rate-weighted AUC, for ``scoring=`` of scikit-learn.

    Which model finds the most positives, if only a fraction of the samples (the rate)
    will be processed? Pass it to :func:`~sklearn.model_selection.cross_val_score` or a
    search. For a dict of these scorers, the estimator predicts only once.

    Parameters
    ----------
    rate : "uniform", float, distribution or dict, default="uniform"
        The fraction of all samples that will be processed, in (0, 1]; if uncertain, a
        distribution of ``scipy.stats`` or :mod:`skrate.rates`, or "uniform": all rates
        from 0 to 1 are equally likely, and the value is the AUC. For several classes, a
        dict can give the rate of each class.
    response_method : str or tuple of str
        Method that returns scores, or several in order of preference. Default:
        "decision_function", then "predict_proba", reversed for more than two classes.
        Pass "predict" for regressors and rankers.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the larger of {0, 1}, {-1, 1} or booleans; for
        other labels the second one, with a warning. With more than two classes, the
        class that is scored against the rest; None averages over all classes.
    average : {"macro", "weighted", "micro", "samples"}, default="macro"
        Average over more than two classes, as in :func:`rate_weighted_auc_score`.
    labels : array-like of shape (n_labels,), default=None
        Names of the columns if ``y`` has a column for each label; None numbers them
        from 0.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from functions. For functions of this package
        it needs ``response_method="predict_proba"``.
    rate_weighted_auc_score : The metric.
    refit_best : Selects the best candidate of a search, without undefined folds.

    Notes
    -----
    A scorer is called as ``scorer(estimator, X, y, sample_weight=None)`` with a fitted
    estimator, and returns a float. It is nan, with an ``UndefinedMetricWarning``, if
    ``y`` or the training data contain only one class, or lack one of more than two.
    With metadata routing, request weights by ``set_score_request(sample_weight=True)``.

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
            # Check here: in a search it would be a warning for each fold, and nan.
            check_rate(rate)


class AveragePrecisionScorer(RankingScorer):
    """Score models by average precision, for ``scoring=`` of scikit-learn.

    Which model has the highest average precision, at the prevalence of each fold or at
    a given prevalence? Unlike scikit-learn's "average_precision", it has options, and a
    fold without positives is nan and not 0.

    Parameters
    ----------
    prevalence : float, default=None
        Fraction of positives in the population, in (0, 1). None means the fraction in
        the samples of each fold.
    adjusted : bool, default=False
        Whether to rescale the value, so that constant scores have the value 0 at any
        prevalence.
    response_method, pos_label, average, labels : optional
        See :class:`RateWeightedAUCScorer`.

    See Also
    --------
    average_precision_score : The metric.
    RateWeightedAUCScorer : The scorer if you know which rates are likely.

    Notes
    -----
    The notes of :class:`RateWeightedAUCScorer` apply, with one exception: if ``y``
    contains only positives, the value is 1, unless ``prevalence`` or ``adjusted`` is
    given.

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
    """A scorer of any metric, made by :func:`make_ranking_scorer`."""

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
        options: dict[str, Any] = {"metric": self.metric}
        options |= {"groups": None, "pos_label": None}
        options["response_method"] = DEFAULT_RESPONSE
        return options | optional_parameters(self.metric)


def make_ranking_scorer(
    metric: MetricLike | list[str] | tuple[str, ...],
    *,
    groups: GroupsLike = None,
    response_method: ResponseMethod = DEFAULT_RESPONSE,
    pos_label: Label = None,
    **params: Any,
) -> Any:
    """Make a scorer of any metric of this package, for ``scoring=`` of scikit-learn.

    Unlike :func:`sklearn.metrics.make_scorer`, it needs no ``response_method``: it
    takes ``decision_function`` or ``predict_proba``, and the positive class. It can
    also score the ranking of each list, such as the results of a query.

    Parameters
    ----------
    metric : callable, str or list of str
        A score function of this package or its name, a :func:`functools.partial` of
        one, or a function of scikit-learn that :func:`estimate` accepts. A list of
        names makes a dict of scorers, each with the parameters that it has.
    groups : str or pandas.Series, default=None
        The list of each sample, for the mean over lists (of recall and precision, by
        added counts): a column of the data frame ``X``, which the estimator gets, too;
        or a Series with the index of ``X`` or ``y``. None takes ``groups`` of metadata
        routing.
    response_method, pos_label : optional
        See :class:`RateWeightedAUCScorer`.
    **params : dict
        Parameters of the metric, such as ``rate``. For lists, also of
        :func:`group_scores` and :meth:`GroupScores.mean`. ``gain`` and ``cost`` of each
        sample are passed as ``groups`` are.

    Returns
    -------
    scorer : callable or dict of callables
        Called as ``scorer(estimator, X, y, sample_weight=None, groups=None)``, it
        returns a float, negated if less is better, and nan with an
        ``UndefinedMetricWarning`` if the metric is undefined.

    Raises
    ------
    ValueError
        If ``response_method`` is not a name or a tuple of names; if a metric is unknown
        or given twice; or if a parameter is unknown, missing or out of range.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from any function.
    RateWeightedAUCScorer : A class with options that type checkers recognise.

    Notes
    -----
    The notes of :class:`RateWeightedAUCScorer` apply. With metadata routing,
    ``set_score_request(groups=True)`` passes lists to any metric. If ``gain`` is a
    column of ``X``, the estimator gets it as a feature: a gain that is 0 for all
    negatives reveals the labels.

    Examples
    --------
    >>> from skrate import make_ranking_scorer, recall_at_rate_score
    >>> make_ranking_scorer(recall_at_rate_score, rate=0.2, pos_label=0)
    make_ranking_scorer(recall_at_rate_score, pos_label=0, rate=0.2)

    Several metrics in one search:

    >>> from skrate import rates
    >>> names = ["rate_weighted_auc", "average_precision"]
    >>> make_ranking_scorer(names, rate=rates.beta(3, 19))["rate_weighted_auc"]
    make_ranking_scorer(rate_weighted_auc_score, rate=beta(3, 19))
    """
    if isinstance(metric, list | tuple):
        return _make_scorers(metric, groups, response_method, pos_label, params)
    check_response_method(response_method)
    bound = bind(metric, params, is_in_training=False, in_lists=groups is not None)
    options = optional_parameters(bound.function) | bound.params
    return MetricScorer(bound.function, groups, response_method, pos_label, **options)


def _make_scorers(
    metrics: Sequence[str],
    groups: Any,
    response_method: ResponseMethod,
    pos_label: Label,
    params: dict[str, Any],
) -> dict[str, MetricScorer]:
    """Return a scorer of each metric, with the parameters that it takes."""
    functions = {name: named(name) for name in metrics if isinstance(name, str)}
    if not functions or len(functions) < len(metrics):
        raise ValueError(
            "metric must be a list of different names, such as ['rate_weighted_auc', "
            f"'average_precision'], or one function, got {shown(list(metrics))}."
        )
    taken: dict[str, dict[str, Any]] = {}
    for name, function in functions.items():
        known = set() if groups is None else {*OF_MEAN, "relevance_threshold"}
        if callable(function):
            known |= set(inspect.signature(function).parameters)
        taken[name] = {key: param for key, param in params.items() if key in known}
    for key in params:
        if not any(key in options for options in taken.values()):
            raise ValueError(
                f"{key}={shown(params[key])} must be a parameter of one of the metrics "
                f"{list(functions)}."
            )
    options = {"groups": groups, "response_method": response_method}
    options["pos_label"] = pos_label
    make: Any = partial(make_ranking_scorer, **options)
    return {name: make(metric, **taken[name]) for name, metric in functions.items()}


class ScoreFunction:
    """A metric for callers without a scorer, such as LogisticRegressionCV."""

    def __init__(self, scorer: RankingScorer) -> None:
        self._scorer = scorer
        update_wrapper(self, scorer.metric)
        signature = inspect.signature(scorer.metric)
        # LogisticRegressionCV makes its own scorer from a function with ``labels``.
        parameters = [p for p in signature.parameters.values() if p.name != "labels"]
        self.__signature__ = signature.replace(parameters=parameters)

    def __call__(self, y_true: ArrayLike, y_score: ArrayLike, **params: Any) -> float:
        """Return the metric; the second of two columns of scores counts."""
        scorer, name = self._scorer, self._scorer._name
        if scorer._needs_groups and params.get("groups") is None:
            raise ValueError(
                f"{name} scores lists, which callers of its function do not pass: use "
                "def score(estimator, X, y): return scorer(estimator, X, y)."
            )
        if "predict" not in check_response_method(scorer.response_method):
            _check_no_labels(y_true, y_score, name)
        elif np.ndim(y_score) == 1:
            # Predictions are scores if the user requested them.
            y_score = as_numpy(y_score).astype(np.float64)
        n_columns = np.shape(y_score)[1] if np.ndim(y_score) == 2 else 1
        if np.ndim(y_true) == 1 and n_columns == 2 and params.get("pos_label") is None:
            # By default the positive label is the greater one, with the last column.
            y_score = as_numpy(y_score)[:, 1]
        elif n_columns > 2 and scorer.response_method == DEFAULT_RESPONSE:
            raise ValueError(
                f'{name}(response_method="predict_proba") is needed for several '
                "classes, because callers of its function can pass other scores."
            )
        return scorer.metric(y_true, y_score, **params)

    def __reduce__(self) -> tuple[Any, ...]:
        return ScoreFunction, (self._scorer,)

    def __repr__(self) -> str:
        return self._scorer.metric.__name__


def _check_no_labels(y_true: ArrayLike, y_score: ArrayLike, name: str) -> None:
    """Raise an error for predicted classes instead of scores, or warn if possible."""
    labels, scores = as_numpy(y_true), as_numpy(y_score)
    if scores.ndim != 1 or not scores.size:
        return
    is_number = scores.dtype.kind == "f"
    if (is_number and labels.dtype.kind != "f") or not np.isin(scores, labels).all():
        return
    message = (
        f"{name} needs scores but got predicted classes, such as "
        f"{shown(scores[0].item())}. To find a threshold, use "
        "ConstrainedThresholdClassifier(estimator, rate=...), with recall= or fpr=, "
        "and not TunedThresholdClassifierCV. To rank by predictions, write "
        'response_method="predict".'
    )
    if not is_number:
        raise ValueError(message)
    warn(message)
