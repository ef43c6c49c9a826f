"""A metric that is computed after each round of a training."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from skrate.data.arrays import ArrayLike, FloatArray, Label
from skrate.metrics.base import (
    LIST_METRICS,
    METRICS,
    check_parameters,
    find_metric,
    per_case,
    unwrap,
)
from skrate.metrics.lists import (
    AVERAGES,
    check_average,
    check_undefined,
    default_average,
    group_scores,
)

# What only lists have: how they are read, and how averaged.
_OF_LISTS = ("k", "relevance_threshold")
_OF_MEAN = ("average", "undefined")


@dataclass(frozen=True, eq=False)
class Monitored:
    """A score function with what it is told, other than the cases.

    ``params`` are those of the metric, ``of_lists`` those of :func:`group_scores`, and
    ``of_mean`` those of the mean over lists.
    """

    function: Callable[..., float]
    params: dict[str, Any]
    of_lists: dict[str, Any]
    of_mean: dict[str, Any]

    @property
    def greater_is_better(self) -> bool:
        """Whether more of it is better."""
        kind = METRICS.get(self.function)
        return kind is None or bool(kind.greater_is_better)

    @property
    def needs_lists(self) -> bool:
        """Whether it is nothing of a single ranking."""
        told = bool(self.of_lists or self.of_mean)
        return told or self.function in LIST_METRICS

    @property
    def counts_lists_alike(self) -> bool:
        """Whether the mean is one over lists with an equal weight each."""
        average = self.of_mean.get("average")
        if average is None:
            found = find_metric(self.function, self._of_metric, in_lists=True)
            average = default_average(found)
        return isinstance(average, str) and average == "macro"

    @property
    def _of_metric(self) -> dict[str, Any]:
        return {name: v for name, v in self.params.items() if name != "average"}

    def of_ranking(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> float:
        """Return the metric of all cases as one ranking."""
        options |= {"sample_weight": sample_weight} | self.params
        return self.function(y_true, y_score, **options)

    def within(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        groups: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        pos_label: Label = None,
        list_weights: FloatArray | None = None,
        undefined: float | None = None,
    ) -> float:
        """Return the mean of the metric over lists.

        With ``list_weights`` instead of an equal weight for each, and ``undefined`` for
        a list that would be left out.
        """
        found = group_scores(
            self.function,
            y_true,
            y_score,
            groups=groups,
            sample_weight=sample_weight,
            pos_label=pos_label,
            **self.of_lists,
            **self._of_metric,
        )
        mean = {"average": None, "undefined": "skip"} | self.of_mean
        if list_weights is not None:
            mean["average"] = list_weights
        if undefined is not None and isinstance(mean["undefined"], str):
            mean["undefined"] = undefined
        return found.mean(**mean)


def monitored(metric: Any, params: dict[str, Any]) -> Monitored:
    """Return a metric with its parameters, which are checked."""
    # Names of others take no parameters of theirs, but may be averaged over lists.
    others = (*_OF_LISTS, *_OF_MEAN)
    told = {name: params[name] for name in others if name in params}
    own = {name: value for name, value in params.items() if name not in others}
    function, own = unwrap(metric, own)
    own |= told
    of_lists = {
        name: own.pop(name)
        for name in _OF_LISTS
        if name in own and not (is_known(function) and takes_cut(function, name))
    }
    of_mean = {name: own.pop(name) for name in _OF_MEAN if name in own}
    of_classes = {}
    if is_known(function) and takes_classes(function):
        if is_of_classes(of_mean.get("average", "size")):
            of_classes = {"average": of_mean.pop("average")}
        if own.get("labels", 0) is None:
            del own["labels"]
    if of_mean.get("average") is not None:
        check_average(of_mean["average"])
    check_undefined(of_mean.get("undefined", "skip"))
    found = Monitored(function, own | of_classes, of_lists, of_mean)
    if is_known(function):
        _check_given(function, own)
    # Raises for what is no metric, or takes no such parameter.
    find_metric(function, own, in_lists=not is_known(function) or found.needs_lists)
    return found


def is_known(function: Any) -> bool:
    """Return whether this is one of the score functions of this package."""
    try:
        return function in METRICS or function in LIST_METRICS
    except TypeError:  # not hashable: certainly no function
        return False


def is_of_classes(average: Any) -> bool:
    """Return whether an average is one over classes, as "macro" also is."""
    is_name = isinstance(average, str | None)
    return is_name and (average == "macro" or average not in AVERAGES)


@cache
def takes_classes(metric: Callable[..., Any]) -> bool:
    """Return whether a metric averages over more than two classes."""
    return "labels" in inspect.signature(metric).parameters


def takes_cut(function: Callable[..., Any], name: str) -> bool:
    """Return whether a metric of one ranking has a parameter that lists have, too."""
    return function in METRICS and name in inspect.signature(function).parameters


def _check_given(function: Callable[..., float], own: dict[str, Any]) -> None:
    """Raise where a parameter is missing, or has an entry for each case."""
    if function in LIST_METRICS:
        check_parameters(function, own, (*_OF_LISTS, *_OF_MEAN))
        return
    for name in per_case(METRICS[function]):
        if own.get(name) is not None and not isinstance(own[name], Mapping):
            raise ValueError(
                f"{name} of each case cannot be known in training, where the data of "
                "several samples are evaluated: give a dict with one for each class."
            )
    for name, parameter in inspect.signature(function).parameters.items():
        is_missing = parameter.default is parameter.empty and name not in own
        if parameter.kind is parameter.KEYWORD_ONLY and is_missing:
            raise ValueError(f"metric={function.__name__} needs {name}=.")
