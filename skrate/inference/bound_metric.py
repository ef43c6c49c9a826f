"""A metric with its parameters, before it gets samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray, Label
from skrate.data.checks import warn
from skrate.inference.group_scores import OF_MEAN, group_scores
from skrate.metrics.list_scores import AVERAGES, check_average, check_undefined
from skrate.metrics.metric import (
    LIST_METRICS,
    METRICS,
    check_parameters,
    find_metric,
    function_parameters,
    is_known,
    per_sample,
    unwrap,
)

# Arguments with an entry per row; other keywords of a metric are its parameters.
OF_ROWS = ("groups", "sample_weight", "pos_label")
# The parameters of a mean over lists, and other parameters that only lists have.
OF_LISTS = (*OF_MEAN, "k", "relevance_threshold", "entities")
# The parameters that only several classes have.
OF_CLASSES = ("average", "labels")


@dataclass(frozen=True, eq=False)
class BoundMetric:
    """A score function with its parameters, also the parameters of lists and classes.

    Scorers and metrics for boosting libraries and early stopping are bound metrics.
    """

    function: Callable[..., Any]
    params: dict[str, Any]

    @property
    def greater_is_better(self) -> bool:
        """Whether higher values are better."""
        kind = METRICS.get(self.function)
        if kind is None:
            return True
        named = [field.name for field in fields(kind) if "is_named" in field.metadata]
        options = {name: self.params[name] for name in named if name in self.params}
        return bool(kind(**options).greater_is_better)

    @property
    def per_sample(self) -> tuple[str, ...]:
        """The parameters that may have an entry per sample."""
        kind = METRICS.get(self.function)
        return () if kind is None else per_sample(kind)

    @property
    def averages_classes(self) -> bool:
        """Whether the metric has an average over more than two classes."""
        return "labels" in function_parameters(self.function)

    @property
    def has_grades(self) -> bool:
        """Whether labels are grades."""
        is_gain = self.function in LIST_METRICS and self.params.get("gain") is not None
        return is_gain or self.params.get("relevance_threshold") is not None

    @property
    def is_list_metric(self) -> bool:
        """Whether the metric needs lists or is undefined for a single ranking."""
        known = set(function_parameters(self.function))
        average = self.params.get("average", "macro")
        if self.averages_classes and not isinstance(average, str | None):
            return True
        # Lists and classes have one average in common.
        if self.averages_classes and average != "macro" and average in AVERAGES:
            return True
        return self.function in LIST_METRICS or not self.params.keys() <= known

    @property
    def counts_lists_alike(self) -> bool:
        """Whether the mean gives each list the same weight."""
        average = self.params.get("average")
        if average is None:
            options = {n: v for n, v in self.params.items() if n not in OF_LISTS}
            metric = find_metric(self.function, options, in_lists=True)
            average = metric.default_average
        return isinstance(average, str) and average == "macro"

    def add_params(self, **params: Any) -> BoundMetric:
        """Return the metric with more or different parameters."""
        return BoundMetric(self.function, {**self.params, **params})

    def score_ranking(
        self, y_true: ArrayLike, y_score: ArrayLike, **of_samples: Any
    ) -> float:
        """Return the metric of all samples as one ranking, or of their classes."""
        return float(self.function(y_true, y_score, **of_samples | self.params))

    def list_mean(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        pos_label: Label = None,
        *,
        list_weights: FloatArray | None = None,
        undefined: float | None = None,
        **of_rows: Any,
    ) -> float:
        """Return the mean of the metric over lists.

        ``list_weights`` replace the equal weights of lists, and ``undefined`` replaces
        the value of a list that would be left out. A warning says if the mean is equal
        for all rankings, because ``k`` is the size of a list or more.
        """
        options = {n: v for n, v in self.params.items() if n not in OF_MEAN}
        if options.get("labels", 0) is None:
            # Lists have no columns of classes.
            del options["labels"]
        # The classes of an estimator are not labels of grades.
        options["pos_label"] = None if self.has_grades else pos_label
        options |= of_rows
        scores = group_scores(self.function, y_true, y_score, **options)
        k, size = scores.params.get("k"), scores.n_items.max()
        if k is not None and k >= size:
            reverse = -np.asarray(y_score, dtype=np.float64)
            reversed_scores = group_scores(self.function, y_true, reverse, **options)
            if np.array_equal(reversed_scores.values, scores.values, equal_nan=True):
                warn(
                    f"k={k} must be below {size:g}, the size of the largest list, to "
                    f"rank models: the {scores.metric} is equal for all rankings if "
                    "lists are seen completely."
                )
        mean = {name: v for name, v in self.params.items() if name in OF_MEAN}
        if list_weights is not None:
            mean["average"] = list_weights
        if undefined is not None and isinstance(mean.get("undefined", ""), str):
            mean["undefined"] = undefined
        return scores.mean(**mean)


def bind(
    metric: Any, params: dict[str, Any], *, is_in_training: bool, in_lists: bool = False
) -> BoundMetric:
    """Return a metric with its parameters, which are checked.

    In training, parameters per sample are unknown, because the metric is evaluated on
    several samples of data. A scorer gets these parameters together with its data.
    """
    # Metrics of other packages take no parameters, but may be averaged over lists.
    list_params = {n: params[n] for n in OF_LISTS if n in params}
    options = {n: v for n, v in params.items() if n not in list_params}
    function, opts = unwrap(metric, options)
    bound = BoundMetric(function, opts | list_params)
    if not is_known(function):
        # Raises.
        find_metric(function, opts)
    of_rows = bound.per_sample
    at_hand = {
        name: setting
        for name, setting in bound.params.items()
        if name not in (*of_rows, "entities") or isinstance(setting, Mapping | None)
    }
    if is_in_training:
        for name in set(bound.params) - set(at_hand):
            raise ValueError(
                f"{name} must be a dict with a value for each class in training, "
                "because its entry per sample is unknown when the data of several "
                "samples are evaluated."
            )
        if bound.is_list_metric and bound.params.get("average") is not None:
            check_average(bound.params["average"])
        check_undefined(bound.params.get("undefined", "skip"))
        of_rows = ()
    if function in LIST_METRICS:
        check_parameters(
            function, set(at_hand) - {"entities"}, optional_parameters(function)
        )
        return bound
    for name, parameter in function_parameters(function).items():
        is_needed = parameter.default is parameter.empty and name not in of_rows
        if is_needed and parameter.kind is parameter.KEYWORD_ONLY and name not in opts:
            raise ValueError(f"metric={function.__name__} needs the keyword {name!r}.")
    excluded = {*OF_LISTS, *(OF_CLASSES if bound.averages_classes else ())}
    excluded -= {field.name for field in fields(METRICS[function])}
    single = {n: v for n, v in at_hand.items() if n not in excluded}
    rates = [single.pop("rate")] if "rate" in single else []
    if rates and isinstance(rates[0], Mapping) and bound.averages_classes:
        rates = list(rates[0].values())
    for of_class in [{"rate": rate} for rate in rates] or [{}]:
        may_lack = in_lists or bound.is_list_metric or bool(of_rows)
        find_metric(function, single | of_class, in_lists=may_lack)
    return bound


def optional_parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the optional keywords of a metric, except arguments per sample."""
    of_samples = (*OF_ROWS, *BoundMetric(function, {}).per_sample)
    if {"groups", "labels"} <= function_parameters(function).keys():
        # The default average is "macro" for classes, and "pooled" for lists.
        of_samples = (*of_samples, "average", "n_relevant")
    return {
        name: parameter.default
        for name, parameter in function_parameters(function).items()
        if parameter.kind is parameter.KEYWORD_ONLY
        and parameter.default is not parameter.empty
        and name not in of_samples
    }
