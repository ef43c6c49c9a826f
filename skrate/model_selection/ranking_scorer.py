"""What all scorer objects of this package share."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from functools import update_wrapper
from operator import attrgetter
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.metrics import make_scorer, roc_auc_score

from skrate.data.array_api import as_numpy
from skrate.data.arrays import Array, ArrayLike, BoolArray, Label
from skrate.data.checks import (
    check_vector,
    class_masks,
    find_label,
    is_label,
    shown,
    warn_undefined,
)
from skrate.data.show import html_of
from skrate.metrics.base import LIST_METRICS, METRICS, per_case
from skrate.metrics.classes import has_columns, indicators
from skrate.metrics.lists import GroupScores, group_scores
from skrate.metrics.monitored import is_of_classes, takes_classes, takes_cut
from skrate.metrics.results import written
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    GroupsLike,
    ResponseMethod,
    SeveralClasses,
    TellsOnce,
    UndefinedResponse,
    check_response_method,
    find_column,
    method_name,
    ranking_scores,
)
from skrate.rates.laws import from_scipy, is_scipy_distribution

# A dict of scorers shares predictions only among instances of this class, which has
# no public name; tests/model_selection/test_scorers.py notes the releases it was
# checked on.
_Scorer: Any = type(make_scorer(roc_auc_score))
# What comes with the cases; the other keywords of a metric are its parameters.
OF_CASES = ("groups", "sample_weight", "pos_label")
# What only lists have: how they are read, and how averaged.
_OF_MEAN = ("average", "undefined")
OF_LISTS = (*_OF_MEAN, "k", "relevance_threshold", "entities")
# What only several classes have.
OF_CLASSES = ("average", "labels")
# What is not handed to other programs: the metric has the same by default.
_UNSAID = (("pos_label", None), ("labels", None), ("average", "macro"))
# How deep pipelines and searches are within one another.
_MOST_WITHIN = 9


class ShownByParameters:
    """Takes the place of the diagram of an estimator, which would be "not fitted".

    It comes before ``BaseEstimator`` among the bases of a class, whose
    ``get_params`` it shows.
    """

    get_params: Any

    @property
    def _repr_html_(self) -> Any:
        if get_config()["display"] != "diagram":
            # As estimators do, so that the text is shown.
            raise AttributeError("_repr_html_ is only there if display='diagram'")
        return self._html

    def _html(self) -> str:
        params = self.get_params(deep=False).items()
        name = getattr(self, "_name", type(self).__name__)
        return html_of(name, {key: written(value) for key, value in params})

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if hasattr(self, "_repr_html_"):
            bundle["text/html"] = self._repr_html_()
        return bundle


class RankingScorer(ShownByParameters, TellsOnce, BaseEstimator, _Scorer):  # type: ignore[misc]
    """What all scorers of this package share; a subclass names metric and parameters.

    A subclass has ``response_method`` and ``pos_label`` among its parameters, and
    ``groups`` if it scores lists; the others are handed to ``metric`` by name.
    """

    metric: Callable[..., float]
    response_method: ResponseMethod
    pos_label: Label
    groups: GroupsLike = None

    # What scikit-learn asks of a scorer, next to _score.
    _deprecation_msg = None
    _response_method = property(attrgetter("response_method"))

    @property
    def _score_func(self) -> ScoreFunction:
        """The metric, for programs that call it themselves."""
        is_told = self.response_method != DEFAULT_RESPONSE
        by_labels = "predict" in check_response_method(self.response_method)
        of_lists = self._is_of_lists
        return ScoreFunction(self.metric, self._name, of_lists, is_told, by_labels)

    @property
    def _sign(self) -> int:
        kind = METRICS.get(self.metric)
        return -1 if kind is not None and not kind.greater_is_better else 1

    @property
    def _kwargs(self) -> dict[str, Any]:
        """What programs hand to ``_score_func``.

        Reports keep results by these parameters, and know how to tell our rates. They
        have a positive class of their own for a scorer that names none, and would show
        an average over two classes.
        """
        params = {
            name: value
            for name, value in self._options.items()
            if not isinstance(value, str | None) or (name, value) not in _UNSAID
        }
        if "rate" in params:
            params["rate"] = _of_our_own(params["rate"])
        return params

    @property
    def _options(self) -> dict[str, Any]:
        own = ("metric", "response_method", "groups")
        params: dict[str, Any] = self.get_params(deep=False)
        return {name: value for name, value in params.items() if name not in own}

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

    @property
    def _changed(self) -> list[str]:
        """The parameters that were given, as they are written in a call."""
        defaults = self._defaults
        return [
            f"{name}={written(value)}"
            for name, value in self.get_params(deep=False).items()
            if name not in defaults or repr(value) != repr(defaults[name])
        ]

    def __repr__(self) -> str:
        return f"{self._name}({', '.join(self._changed)})"

    @property
    def _is_of_lists(self) -> bool:
        """Whether it needs to know which rows belong together."""
        return (
            self.groups is not None
            or self.metric in LIST_METRICS
            or any(_tells_lists(self.metric, *item) for item in self._options.items())
        )

    def set_score_request(self, **kwargs: Any) -> Self:
        """Ask for metadata, such as ``sample_weight``, that come with the cases."""
        taken = {*inspect.signature(self.metric).parameters, *OF_CASES, *OF_LISTS}
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
        if self._is_of_lists:
            raise ValueError(
                f"{self._name} stands for a mean over lists: for its uncertainty use "
                "group_scores(...).estimate()."
            )
        params = self._options
        pos_label = params.pop("pos_label")
        if pos_label is not None:
            raise ValueError(
                f"pos_label={pos_label!r} of {self._name} concerns what the sample is: "
                "give it beside the metric, and a scorer without it."
            )
        if takes_classes(self.metric):
            average, labels = (params.pop(name) for name in OF_CLASSES)
            if average != "macro" or labels is not None:
                raise ValueError(
                    f"average={average!r} and labels={labels!r} of {self._name} are "
                    "for more than two classes, and the uncertainty of an average over "
                    "classes is not known: score one class against the rest."
                )
        return self.metric, params

    def _score(
        self,
        method_caller: Callable[..., Array],
        estimator: Any,
        X: Any,
        y_true: ArrayLike,
        **kwargs: Any,
    ) -> float:
        """Score ``estimator``; ``method_caller`` may know its predictions already."""

        def scores_of_second_class(estimator: Any, method: str, X: Any) -> Array:
            # A dict of scorers keeps one response per name of a method, for whatever
            # class the first scorer asked: scikit-learn's may have asked for the other
            # one. It keeps ours apart, as they name the method in a tuple. Predictions
            # are of no class, and of regressors must be asked for by the name.
            key = method if method == "predict" else (method,)
            return method_caller(estimator, key, X)

        params = {
            **self._options,
            **kwargs,
            **self._per_case(kwargs, X, y_true),
        }
        entities = self._options.get("entities")
        if entities is not None and kwargs.get("entities") is None:
            found = find_column("entities", entities, X, y_true, self._name)
            params["entities"] = found
        groups = self._take_groups(params, X, y_true)
        try:
            response = self._of_two(
                estimator, X, y_true, params, scores_of_second_class
            )
            if response is None:
                self._check_several(groups)
                found = class_scores(
                    estimator,
                    X,
                    y_true,
                    self.response_method,
                    params.pop("labels", None),
                    user=self._name,
                    call=scores_of_second_class,
                )
                if self.pos_label is None:
                    return self._of_classes(found, params)
                y_true, y_score = found.against_rest(self.pos_label, self._name)
                label: Any = True
                self._take_rate(params, self.pos_label)
            else:
                y_score, label = response
                self._take_rate(params, label)
        except UndefinedResponse as undefined:
            return warn_undefined(self._name, str(undefined))
        if groups is not None:
            scores, mean = self._in_lists(y_true, y_score, groups, label, params)
            return self._sign * scores.mean(**mean)
        params["pos_label"] = None if has_grades(params) else label
        return self._sign * self.metric(y_true, y_score, **params)

    def _of_two(
        self,
        estimator: Any,
        X: Any,
        y_true: ArrayLike,
        params: dict[str, Any],
        call: Callable[..., Array],
    ) -> tuple[Any, Any] | None:
        """Return scores and the positive label of two classes, None if of several."""
        if not has_grades(params) and has_several_classes(estimator, y_true):
            return None
        try:
            return ranking_scores(
                estimator,
                X,
                None if has_grades(params) else y_true,
                self.response_method,
                self.pos_label,
                user=self._name,
                call=call,
                tell=self._tell_once,
            )
        except SeveralClasses:
            # Of several classes the model was taught two at most.
            known = list(estimator.classes_)
            is_unknown = find_label(self.pos_label, known) is None
            if len(known) > 1 and self.pos_label is not None and is_unknown:
                raise
            return None

    def _take_rate(self, params: dict[str, Any], label: Label) -> None:
        """Put the rate of the positive class in the place of one for each class."""
        rate = params.get("rate")
        if not isinstance(rate, Mapping):
            return
        named = find_label(label, list(rate))
        if named is None:
            raise ValueError(
                f"rate of {self._name} lacks the class {shown(label)}: it has "
                f"{shown(list(rate))}."
            )
        params["rate"] = rate[named]

    def _check_several(self, groups: Any) -> None:
        """Raise where several classes, none of them chosen, have no average."""
        if self.pos_label is None and (
            groups is not None or not takes_classes(self.metric)
        ):
            raise ValueError(
                f"{self._name} needs a binary target, and this one has more than two "
                "classes, or several labels for a case: pos_label= names the one that "
                "is scored against the rest."
            )

    def _of_classes(self, found: ClassScores, params: dict[str, Any]) -> float:
        """Return the average of a metric over classes."""
        if params["average"] is None:
            raise ValueError(
                f"average=None of {self._name} leaves a score for each class, and a "
                "scorer returns one: give another average, or one class by pos_label."
            )
        found.check_all_known()
        options = {**params, "pos_label": None, "labels": found.labels}
        return self._sign * self.metric(found.y_true, found.y_score, **options)

    def _take_groups(self, params: dict[str, Any], X: Any, y_true: ArrayLike) -> Any:
        """Take the list of each row out of ``params``; None for a single ranking."""
        groups = params.pop("groups", None)
        if groups is None and self._is_of_lists:
            return find_column("groups", self.groups, X, y_true, self._name)
        return groups

    def _per_case(
        self, given: Mapping[str, Any], X: Any, y_true: ArrayLike
    ) -> dict[str, Any]:
        """Return the entries per row that the scorer is told where to find.

        What is ``given`` by metadata routing comes first, row by row.
        """
        kind, own = METRICS.get(self.metric), self._options
        found: dict[str, Any] = {}
        for name in () if kind is None else per_case(kind):
            value = own.get(name)
            is_there = given.get(name) is not None or isinstance(value, Mapping)
            # All may cost the same, but something must be gained.
            if not is_there and (value is not None or name == "gain"):
                found[name] = find_column(name, value, X, y_true, self._name)
        return found

    def _in_lists(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        groups: ArrayLike,
        label: Label,
        params: dict[str, Any],
    ) -> tuple[GroupScores, dict[str, Any]]:
        """Return the metric within each list, and the options of its mean."""
        # The classes of the estimator are no labels of grades.
        options = {**params, "pos_label": None if has_grades(params) else label}
        mean = {name: options.pop(name) for name in _OF_MEAN if name in options}
        if options.get("labels", 0) is None:
            # They have no columns.
            del options["labels"]
        scores = group_scores(self.metric, y_true, y_score, groups=groups, **options)
        return scores, mean


def _tells_lists(metric: Callable[..., Any], name: str, value: Any) -> bool:
    """Return whether a parameter of a scorer says that it scores lists."""
    if name == "average" and takes_classes(metric):
        # Lists and classes have one average in common.
        return not is_of_classes(value)
    return name in OF_LISTS and not takes_cut(metric, name)


def _of_our_own(rate: Any) -> Any:
    """Return a distribution of scipy, or a dict of some, as rates of this package."""
    if isinstance(rate, Mapping):
        return {name: _of_our_own(each) for name, each in rate.items()}
    return from_scipy(rate) if is_scipy_distribution(rate) else rate


def has_grades(params: dict[str, Any]) -> bool:
    """Return whether labels are grades, by the parameters of a scorer."""
    return params.get("relevance_threshold") is not None


class ClassScores(NamedTuple):
    """The true classes of some cases, and an estimator's scores of each class.

    ``y_score`` has a column for each of ``labels``; ``y_true`` is as it was given, and
    ``by`` the name of the estimator.
    """

    y_true: Any
    y_score: Array
    labels: list[Any]
    by: str

    def against_rest(self, pos_label: Label, user: str) -> tuple[BoolArray, Array]:
        """Return which cases are of one class, and its scores."""
        label = find_label(pos_label, self.labels)
        if label is None:
            raise ValueError(
                f"pos_label={shown(pos_label)} of {user} is not one of the classes "
                f"{shown(self.labels)}."
            )
        column = self.labels.index(label)
        if has_columns(self.y_true):
            is_pos = indicators(self.y_true)[:, column]
        else:
            is_pos = is_label(check_vector("y_true", self.y_true), label)
        return is_pos, self.y_score[:, column]

    def check_all_known(self) -> None:
        """Raise where cases are of a class that the estimator was not trained on."""
        if has_columns(self.y_true):
            return
        given = check_vector("y_true", self.y_true)
        for label in class_masks(given, len(self.labels)):
            if find_label(label, self.labels) is None:
                raise UndefinedResponse(
                    f"{self.by} was not trained on the class {shown(label)}, which "
                    "y_true holds"
                )


def has_several_classes(estimator: Any, y_true: Any) -> bool:
    """Return whether a target has more than two classes, or several labels a case."""
    if has_columns(y_true):
        return True
    classes = getattr(estimator, "classes_", None)
    return classes is not None and np.ndim(classes[0]) == 0 and len(classes) > 2


def class_scores(
    estimator: Any,
    X: Any,
    y_true: ArrayLike,
    response_method: ResponseMethod,
    labels: ArrayLike | None,
    *,
    user: str,
    call: Callable[..., Any],
) -> ClassScores:
    """Return the scores of ``X``, a column for each class.

    ``call(estimator, method, X)`` may know them already. Decision values of one class
    are compared with those of the others, and not over cases: probabilities come
    first, if it is not said otherwise.
    """
    methods = check_response_method(response_method)
    if methods == DEFAULT_RESPONSE:
        methods = methods[::-1]
    method, name = method_name(estimator, methods, user), type(estimator).__name__
    if has_columns(y_true):
        found = getattr(estimator, method)(X)
        y_score = _of_labels(found) if isinstance(found, list) else as_numpy(found)
        n_labels = np.shape(y_true)[1]
        names = range(n_labels) if labels is None else labels
        known = check_vector("labels", names).tolist()
        what = f"{n_labels} labels"
    else:
        if len(estimator.classes_) == 1:
            only = shown(as_numpy(estimator.classes_).tolist()[0])
            raise UndefinedResponse(f"{name} was trained on one class only, {only}")
        if method == "decision_function" and len(estimator.classes_) > 2:
            _check_no_pairs(estimator, user)
        y_score = as_numpy(call(estimator, method, X))
        known = as_numpy(estimator.classes_).tolist()
        if y_score.ndim == 1 and len(known) == 2 and method != "predict":
            # Only their order counts.
            y_score = np.column_stack([-y_score, y_score])
        _check_same(labels, known, user, name)
        what = f"the classes {shown(known)}"
    if y_score.ndim != 2 or y_score.shape[1] != len(known):
        raise ValueError(
            f"{user} needs a score for each of {what}, but {method} of {name} returned "
            f"an array of shape {y_score.shape}."
        )
    return ClassScores(y_true, y_score, known, name)


def _check_no_pairs(estimator: Any, user: str) -> None:
    """Raise where decision values are of pairs of classes, also of a model within."""
    inner = estimator
    for _ in range(_MOST_WITHIN):
        if hasattr(inner, "best_estimator_"):
            inner = inner.best_estimator_
        elif getattr(inner, "steps", None):
            inner = inner.steps[-1][1]
    if getattr(inner, "decision_function_shape", None) == "ovo":
        raise ValueError(
            f"{user} needs a score for each class, but those of {type(inner).__name__} "
            "are of pairs of classes: fit it with decision_function_shape='ovr'."
        )


def _of_labels(found: list[Any]) -> Array:
    """Return the probability of each label, of which some estimators make a list."""
    return np.column_stack([as_numpy(each)[:, -1] for each in found])


def _check_same(
    labels: ArrayLike | None, known: list[Any], user: str, name: str
) -> None:
    """Raise where classes are named that are not those of the estimator."""
    if labels is None:
        return
    named = check_vector("labels", labels).tolist()
    for label in named:
        if find_label(label, known) is None:
            raise ValueError(
                f"labels of {user} holds {shown(label)}, which is not a class of "
                f"{name}, which knows {shown(known)}."
            )
    for label in known:
        if find_label(label, named) is None:
            raise ValueError(
                f"labels of {user} lacks {shown(label)}, a class of {name}: name all, "
                "or leave it out."
            )


class ScoreFunction:
    """A metric, for callers that ask the estimator in their own way.

    LogisticRegressionCV, threshold tuners and the reports of skore leave the scorer
    out, and call its function with what they predicted.
    """

    def __init__(
        self,
        metric: Callable[..., float],
        name: str,
        of_lists: bool,
        is_told: bool,
        ranks_by_labels: bool,
    ) -> None:
        self._made_of = metric, name, of_lists, is_told, ranks_by_labels
        update_wrapper(self, metric)
        signature = inspect.signature(metric)
        # LogisticRegressionCV makes a scorer of its own of a function with ``labels``.
        others = [p for p in signature.parameters.values() if p.name != "labels"]
        self.__signature__ = signature.replace(parameters=others)

    def __call__(self, y_true: ArrayLike, y_score: ArrayLike, **params: Any) -> float:
        """Return the metric, of the second of two columns as of a single one."""
        metric, name, of_lists, is_told, ranks_by_labels = self._made_of
        if of_lists and params.get("groups") is None:
            raise ValueError(
                f"{name} scores lists, which whoever calls its function does not know: "
                "hand over a function in its place, def score(estimator, X, y): return "
                "scorer(estimator, X, y)."
            )
        if not ranks_by_labels:
            _check_no_labels(y_true, y_score, name)
        n_columns = np.shape(y_score)[1] if np.ndim(y_score) == 2 else 1
        if np.ndim(y_true) == 1 and n_columns == 2 and params.get("pos_label") is None:
            # Without a name the positive label is the greater, whose column is last.
            y_score = np.asarray(y_score)[:, 1]
        elif n_columns > 2 and not is_told:
            raise ValueError(
                f"{name} takes probabilities of several classes, and whoever calls its "
                "function may take other scores: name them by "
                f'{name}(response_method="predict_proba").'
            )
        return metric(y_true, y_score, **params)

    def __reduce__(self) -> tuple[Any, ...]:
        return ScoreFunction, self._made_of

    def __repr__(self) -> str:
        return self._made_of[0].__name__


def _check_no_labels(y_true: ArrayLike, y_score: ArrayLike, name: str) -> None:
    """Raise where the scores are predicted classes, or warn where they may be.

    A threshold tuner cuts the scores at each threshold, and hands on the classes.
    """
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
        "RateThresholdClassifier(estimator, rate=...) finds the threshold that marks "
        "the share of cases that will be processed. To rank by predictions, name "
        'response_method="predict".'
    )
    if not is_number:
        raise ValueError(message)
    warnings.warn(message, UserWarning, stacklevel=3)
