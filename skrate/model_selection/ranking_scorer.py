"""What all scorer objects of this package share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.metrics import make_scorer, roc_auc_score

from skrate.core.results import written
from skrate.data.arrays import Array, ArrayLike, Label
from skrate.data.checks import find_label, shown, warn_undefined
from skrate.metrics.base import LIST_METRICS, METRICS, per_case
from skrate.metrics.lists import GroupScores, group_scores
from skrate.metrics.monitored import is_of_classes, takes_classes, takes_cut
from skrate.model_selection.class_scores import (
    ClassScores,
    class_scores,
    has_several_classes,
)
from skrate.model_selection.notebook import ShownByParameters
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    ResponseMethod,
    SeveralClasses,
    TellsOnce,
    UndefinedResponse,
    check_response_method,
    ranking_scores,
)
from skrate.model_selection.row_entries import GroupsLike, find_column
from skrate.model_selection.score_function import ScoreFunction
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
