"""Base class of all metrics, and the registry of public functions.

Each metric has a file in ``skrate/metrics`` with its public function and, below it, a
class that computes it. Naming the function in the class statement registers it::

    class AveragePrecision(Metric, score=average_precision_score):
        prevalence: float | None = None      # the fields are the metric's parameters

Scorers, ``estimate``, ``compare``, ``group_scores`` and the tests look up metrics by
:func:`find_metric`.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache, partial, wraps
from typing import (
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    TypeVar,
    cast,
    dataclass_transform,
)

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.data.arrays import Array, ArrayLike, BoolArray, FloatArray, Label
from skrate.data.checks import check_weights, shown, warn, warn_undefined
from skrate.data.folds import UNDEFINED_IN_FOLDS, FoldRankings, check_cuts
from skrate.data.list_table import GradeGain, ListTable, ListValues
from skrate.data.metric_lookup import register_lookup
from skrate.data.ranking import Sample, check_ranking
from skrate.data.table import (
    MergedGroups,
    RankTable,
    build_table,
    check_alone,
    extreme_tables,
    rank_table,
    total,
)
from skrate.metrics.result_types import Params, params_text, rendered
from skrate.rates.distributions import rate_cuts

# Names with and without "_score"; a test compares them with the registry.
MetricName = Literal[
    "average_precision",
    "average_precision_score",
    "expected_gain",
    "expected_gain_score",
    "expected_recall",
    "fpr_at_recall",
    "fpr_at_recall_score",
    "hit_rate",
    "hit_rate_score",
    "lift_at_rate",
    "lift_at_rate_score",
    "mean_average_precision",
    "mean_average_precision_score",
    "momentum",
    "momentum_score",
    "ndcg",
    "ndcg_score",
    "partial_auc",
    "partial_auc_score",
    "precision_at_rate",
    "precision_at_rate_score",
    "precision_at_recall",
    "precision_at_recall_score",
    "ranking_auc",
    "ranking_auc_score",
    "rate_at_recall",
    "rate_at_recall_score",
    "rate_weighted_auc",
    "rate_weighted_auc_score",
    "recall_at_fpr",
    "recall_at_fpr_score",
    "recall_at_precision",
    "recall_at_precision_score",
    "recall_at_rate",
    "recall_at_rate_score",
    "reciprocal_rank",
    "reciprocal_rank_score",
    "roc_auc",
    "roc_auc_score",
    "stamina",
    "stamina_score",
    "work_saved",
    "work_saved_score",
]
# A score function, an object that represents one (a partial or scorer), or its name.
MetricLike = MetricName | Callable[..., Any]
Function = TypeVar("Function", bound=Callable[..., Any])
_NO_CUTS = np.empty(0)

OF_CASES_IN_FOLDS = (
    "gain or cost per sample is not supported for FoldRankings: pass a gain per class, "
    "{'positive': ..., 'negative': ...}, or score one fold at a time. FoldRankings "
    "order samples by fold."
)
# The class of each public function.
METRICS: dict[Callable[..., float], type[Metric]] = {}
# The class of each function that is a mean over lists, undefined for one ranking.
LIST_METRICS: dict[Callable[..., float], type[Metric]] = {}
# The functions of both by their names without "_score".
SCORES: dict[str, Callable[..., float]] = {}
# Our functions by functions and names of other packages with the same meaning.
ALIASES: dict[Any, Callable[..., float]] = {}
# The class of a score function without parameters, if it differs.
BY_DEFAULT: dict[Callable[..., float], type[Metric]] = {}
_OF_SAMPLE = ("sample_weight", "pos_label")
GROUPS_ARE_LISTS = (
    "groups= are lists that are ranked separately: for dependent samples, such as "
    "several of a patient, pass clusters= instead. This metric ranks all samples as "
    "one list. For lists pass ranking_auc_score for 'roc_auc', or "
    "group_scores(metric, ..., groups=groups) for any metric: its result has "
    "estimate(), and compare and sample_size accept it."
)
# Argument names of other packages, and our arguments.
_OTHER_NAMES = {
    "alpha": "confidence_level=, 1 - alpha",
    "ci": "confidence_level=",
    "class_weight": "sample_weight=",
    "k": "rate=k/N, for k of N samples",
    "max_fpr": "partial_auc_score with fpr=(0, max_fpr)",
    "rates": "at=",
    "sensitivity": "recall=",
    "specificity": "fpr=, 1 - specificity",
    **dict.fromkeys(("n_boot", "n_bootstrap", "n_iterations"), "n_resamples="),
    **dict.fromkeys(("seed", "random_seed"), "random_state="),
    **dict.fromkeys(("y_pred", "y_prob", "y_proba"), "y_score=, not predicted classes"),
}
# Remedies for arguments that have no counterpart.
_WITHOUT = {
    "cv": "pass cross_val_rankings(estimator, X, y, cv=cv) as y_true, without y_score",
    "groups": "for dependent samples, such as several of a patient, pass clusters= (or "
    "call estimate with it); for lists that are ranked separately call group_scores",
    "paired": "leave it out, because models are always compared on the same samples",
}


def suggest_arguments(function: Function) -> Function:
    """Return a function that suggests our argument for one of another package."""
    name, known = function.__name__, function_parameters(function)
    places = [key for key, place in known.items() if place.kind != place.KEYWORD_ONLY]

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(places):
            raise TypeError(
                f"{name}() takes only {', '.join(places)} by position, got {len(args)} "
                "arguments: pass the others by name."
            )
        for unknown in (key for key in kwargs if key not in known):
            remedy = _suggest_argument(unknown, known)
            remedy = remedy or f": it has {', '.join(known)}."
            raise TypeError(f"{name}() has no argument {unknown!r}{remedy}")
        return function(*args, **kwargs)

    return cast(Function, checked)


def _suggest_argument(unknown: str, names: Collection[str]) -> str:
    """Return our one of ``names`` for an argument of another package, or ""."""
    if unknown in _WITHOUT:
        return f": {_WITHOUT[unknown]}."
    meant = _OTHER_NAMES.get(unknown, "")
    if meant.partition("=")[0] not in names and "score" not in meant:
        meant = "".join(f"{name}=" for name in get_close_matches(unknown, names, 1))
    return meant and f": did you mean {meant}?"


def reject_scoring(function: Function) -> Function:
    """Return a metric that shows the remedy if it is passed as ``scoring=``.

    Its errors for unknown arguments are those of :func:`suggest_arguments`.
    """
    checked = suggest_arguments(function)

    @wraps(function)
    def metric(*args: Any, **kwargs: Any) -> Any:
        if not (args and hasattr(args[0], "get_params")):
            return checked(*args, **kwargs)
        name = function.__name__
        if kwargs:
            raise TypeError(
                f"{name}() got {type(args[0]).__name__}: pass labels and scores, such "
                f"as {name}(y, model.predict_proba(X)[:, 1])."
            )
        if len(args) == 3:
            return NotAScore(
                f"a metric: pass scoring=make_ranking_scorer({name}) or make_scorer "
                "with response_method='predict_proba'"
            )
        return function(*args)

    return cast(Function, metric)


class NotAScore:
    """The return value of a metric that is called as a scorer, with estimator, X and y.

    If a scorer raises an exception, scikit-learn replaces the score by nan and selects
    the first candidate. If a score is not a number, it raises an error that shows it.
    """

    def __init__(self, remedy: str) -> None:
        self.remedy = remedy

    def __repr__(self) -> str:
        return self.remedy

    def __array__(self, *args: Any, **kwargs: Any) -> Array:
        raise TypeError(f"The score is {self.remedy}.")


class Slopes(NamedTuple):
    """Derivatives of a metric by the fractions per group and class, and the prevalence.

    ``by_pos`` and ``by_neg`` have one entry per group of the table. Only differences
    between groups matter: the fractions of a class sum to 1, so a constant cancels.
    """

    by_pos: FloatArray
    by_neg: FloatArray
    by_prevalence: float

    def scaled(self, factor: float, by_prevalence: float = 0.0) -> Slopes:
        """Return ``factor`` times the slopes, plus ``by_prevalence``."""
        return Slopes(
            factor * self.by_pos,
            factor * self.by_neg,
            factor * self.by_prevalence + by_prevalence,
        )

    def plus(self, other: Slopes) -> Slopes:
        """Return the slopes of a sum."""
        return Slopes(
            self.by_pos + other.by_pos,
            self.by_neg + other.by_neg,
            self.by_prevalence + other.by_prevalence,
        )

    def turned(self) -> Slopes:
        """Return the slopes of 1 minus the metric of swapped classes."""
        return Slopes(-self.by_neg, -self.by_pos, self.by_prevalence)

    def mirrored(self) -> Slopes:
        """Return the slopes at a table from the slopes at the mirrored table."""
        return Slopes(self.by_neg[::-1], self.by_pos[::-1], -self.by_prevalence)


class Sizes(NamedTuple):
    """The numbers of independent samples; ``are_fixed`` if they were chosen."""

    n_pos: float
    n_neg: float
    are_fixed: bool


# Metadata of parameters that can have an entry per sample, or are part of the name.
PER_SAMPLE, NAMED = {"is_per_sample": True}, {"is_named": True}
# The field is not a parameter, because ``bind_sample_size`` sets it.
FILLED_IN = {"is_filled_in": True}


def needed(text: str) -> dict[str, str]:
    """Return the metadata of a required parameter, with its description."""
    return {"is_needed": text}


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
@dataclass(frozen=True)
class Metric(ABC):
    """A metric with its parameters, as a functional of a :class:`RankTable`.

    Every subclass is a frozen dataclass. Its fields are the parameters of its public
    function: ``__post_init__`` can check them, and store the checked values with
    ``object.__setattr__``. All methods are functions of the fractions of positives and
    negatives per group and of the prevalence. If neighbouring groups without a positive
    merge, values do not change, and slopes change only at :func:`cut_rates`.

    ``name``, ``needs``, ``greater_is_better`` and the flags below are set in the class,
    without an annotation, or are properties if they depend on the parameters
    (``greater_is_better`` only on parameters that are ``NAMED``). A required parameter
    is a ``field(default=None, metadata=needed(text))``; if several are, one must be
    given. A parameter that can have an entry per sample has ``PER_SAMPLE``.
    """

    # Whether a better ranking has a higher value; if not, scorers negate it.
    greater_is_better = True
    # A U-statistic of two samples: the variance within a class of m samples has the
    # divisor m - 1.
    is_two_sample = False
    # Depends only on the score distribution of each class: a common factor of the
    # weights of one class has no effect.
    ignores_prevalence = False
    # A small number of samples determines the value, and the estimate of its variance.
    rests_on_few = False
    # With clusters, also the estimated variance of a difference.
    rests_on_few_clusters = False
    # The minimum degrees of freedom of a class for such metrics.
    min_dof = 1.0
    # A sum over samples, which scales with their number or weight. The scale of weights
    # does not matter for other metrics.
    is_sum = False
    # Uses ranks in lists, for which weights have no meaning.
    counts_places = False
    # With fewer positives than the first number, the value is biased upwards compared
    # to a large sample; 0 if it is unbiased. With fewer than the second number,
    # ``excess`` does not estimate the bias.
    enough_positives, least_positives = 0, 0
    # How groups of a table merge without changing the values of its resamples.
    groups: ClassVar[MergedGroups] = "merged"
    # The gain of grades, if the labels are grades; else None.
    grade_gain: ClassVar[GradeGain | None] = None
    # The gain of each sample, if its class does not determine it.
    list_gain: ClassVar[FloatArray | None] = None
    # Supports estimated labels: a sum over labels, or over their products if these are
    # estimated, too.
    takes_estimates = False
    # Items of lists can have the score -inf: they were not returned, and add 0.
    takes_unreturned = False
    # Intervals invert the test ``not_rejected``, because slopes are inaccurate.
    has_test = False
    # The metric is a function of the rate at its recall: ``convert_rate``.
    is_at_recall = False
    # A comparison includes the rate at which the second model has the same value.
    has_equal_budget = False
    # The required parameters: one must be given.
    needed: ClassVar[tuple[str, ...]] = ()
    # How lists are averaged; if lists are queues, they are pooled.
    default_average: ClassVar[Literal["macro", "pooled"]] = "macro"

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in messages and results."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The classes without which the metric is undefined."""
        return "positive", "negative"

    def __init_subclass__(
        cls,
        score: Callable[..., float] | None = None,
        aliases: tuple[Any, ...] = (),
        *,
        by_default: type[Metric] | None = None,
        in_lists_only: bool = False,
    ) -> None:
        dataclass(frozen=True)(cls)
        cls.needed = tuple(f.name for f in fields(cls) if "is_needed" in f.metadata)
        if score is not None:
            SCORES[score.__name__.removesuffix("_score")] = score
            (LIST_METRICS if in_lists_only else METRICS)[score] = cls
            ALIASES.update(dict.fromkeys(aliases, score))
            if by_default is not None:
                BY_DEFAULT[score] = by_default

    def bind_labels(self, y_true: Any) -> Metric:
        """Return the metric for the labels of lists, which may be grades."""
        return self

    def bind_sample_size(self, n_samples: float | None, *, is_weighted: bool) -> Self:
        """Return the metric with the fields that depend on the sample size.

        ``n_samples`` is None if a table has weights that do not count samples.
        """
        if self.needed:
            check_needed(self)
        return self

    def value(self, table: RankTable) -> float:
        """Return the metric of a table with the needed classes; nan if undefined.

        Rounding errors outside its range are clipped, unless labels are estimated:
        these can lead out of the range.
        """
        if table.own_products is not None:
            return self.compute_estimated(table)
        low, high = self.bounds(table)
        # In this order of arguments nan stays nan.
        return min(max(self.compute(table), low), high)

    def compute(self, table: RankTable) -> float:
        """Return the metric of a table with the needed classes, up to rounding.

        Override it if another way than ``values`` is at least twice as fast.
        """
        small: Any = table
        # With fewer groups, merging takes longer than it saves.
        if table.n_groups > 2_000:
            small = getattr(table, self.groups)
        return float(self.values(small.pos[None], small.neg[None])[0])

    def compute_estimated(self, table: RankTable) -> float:
        """Return the metric of estimated labels, which pairs no sample with itself."""
        return self.compute(table)

    def clip(self, values: FloatArray) -> FloatArray:
        """Return the values of resamples or lists, clipped to their range."""
        return values if self.is_sum else np.clip(values, *self.bounds())

    @abstractmethod
    def values(self, pos: Array, neg: Array) -> FloatArray:
        """Return the metric of many tables, nan if a needed class is empty.

        Rounding may lead out of the range. ``pos`` and ``neg`` of shape (n_tables,
        n_groups) are weights per group, of integer or float dtype; groups may be empty.
        """

    @abstractmethod
    def slopes(self, table: RankTable) -> Slopes:
        """Return the derivatives at a table with both classes."""

    @property
    def distribution(self) -> Any:
        """The distribution of the rate; None if the metric has none."""
        return getattr(self, "rate", None)

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return the minimum and maximum over all rankings of the same samples.

        Without a table, over any samples; a sum is then per sample.
        """
        return 0.0, 1.0

    def caution(self, table: RankTable, sizes: tuple[float, float]) -> str | None:
        """Return why the defined value of a table is unreliable, None if it is not.

        ``sizes`` are the numbers of positives and of negatives.
        """
        return None

    def difference_caution(
        self, table: RankTable, sizes: tuple[float, float]
    ) -> str | None:
        """Return why the standard error of a difference is unreliable, or None."""
        return None

    def list_maxima(self, n_pos: FloatArray, k: int | None) -> FloatArray | None:
        """Return the maximum of each list with ``n_pos`` positives; None if equal."""
        return None

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        """Return the metric within each list, or within its ``k`` best items."""
        if k is not None:
            raise ValueError(f"k={k!r} has no meaning for {self.name}: leave it out.")
        list_values = np.empty(len(lists.starts))
        for rows, pos, neg in lists.rectangles():
            n_samples: Any = lists.n_samples[rows, None]
            metric = self.bind_sample_size(n_samples, is_weighted=False)
            list_values[rows] = metric.values(pos, neg)
        return ListValues.of(list_values, lists)

    def undefined_value(self, table: RankTable) -> str:
        """Return why the value of a table with the needed classes is nan."""
        return "every ranking has the same value at this prevalence"

    def check_fold_rankings(self, rankings: FoldRankings) -> None:
        """Raise an error if the parameters differ in meaning between folds."""
        if self.counts_places:
            raise ValueError(
                "k is not supported for FoldRankings: pass rate=, the processed "
                "fraction of each fold (of rankings.pooled(): of all samples)."
            )
        if self.distribution is not None:
            check_cuts(self.name, self.distribution.mean(), rankings)

    def cut_rates(self, table: RankTable) -> FloatArray:
        """Return the rates within (0, 1) where the metric cuts a table.

        Slopes jump there. A metric with a given rate cuts all tables at this rate.
        """
        distribution = self.distribution
        return _NO_CUTS if distribution is None else rate_cuts(distribution)

    def extremes(self, table: RankTable) -> tuple[float, float]:
        """Return the minimum and maximum over all orders that a table allows.

        This is for metrics that never decrease (or never increase) if a positive moves
        above a negative, and are linear within tied samples.
        """
        low, high = sorted(map(self.value, extreme_tables(table)))
        return low, high

    def excess(self, table: RankTable) -> float:
        """Return the upward bias for this number of samples; nan if unknown."""
        return float("nan") if self.enough_positives else 0.0

    def attainable(
        self, bounds: tuple[float, float], value: float
    ) -> tuple[float, float]:
        """Return bounds that rankings attain, if an approximation has no maximum."""
        return bounds

    def error_bound(self, table: RankTable) -> float:
        """Return the maximum difference to the value of the uncompressed samples."""
        metric = on_table(self, table)
        # Always computed: errors and nan must not depend on the compression.
        value = metric.value(table) if is_defined(metric, table) else float("nan")
        if value != value:
            return value
        if not table.is_compressed:
            return 0.0
        low, high = metric.extremes(table)
        # Rounding may lead below 0; nan stays nan.
        return float(np.maximum(np.maximum(value - low, high - value), 0.0))

    def fold_scores(self, rankings: FoldRankings) -> FloatArray:
        """Return the value within each fold, nan with a warning if undefined."""
        fold_values = score_folds(self, rankings)
        warn_undefined_folds(self, ~np.isnan(fold_values), rankings, then="are nan")
        return fold_values

    def lost_recall(self, table: RankTable, value: float) -> float:
        """Return the fraction of positives that a perfect ranking finds in addition.

        ``value`` is the metric of the table. The fraction is inf if the metric is not a
        mean of the recall.
        """
        return float("inf")

    def count_cut_negatives(self, n_neg: float) -> float:
        """Return how many of the negatives a given cut leaves above it, or infinity."""
        return np.inf

    def min_window_class(self, n_pos: float, n_neg: float) -> tuple[str, float]:
        """Return the class with fewer samples in the metric's window, and their number.

        inf if all samples count.
        """
        return "samples", float("inf")

    def max_dof(self, n_pos: float, n_neg: float) -> float:
        """Return the maximum degrees of freedom of a difference of two models.

        Low, if a side of the cut has a small number of samples.
        """
        return float("inf")

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        """Return the ends of the values that the metric's test does not reject.

        ``quantile`` is in standard errors of independent samples.
        """
        raise NotImplementedError

    def sample_gains(self, sample: Sample) -> Any:
        """Return the gain of each sample; None if its class determines it."""
        return None

    def gain_limit(self, sample: Any) -> float:
        """Return the value if all samples are processed and have the maximum gain."""
        return float("inf")

    def gain_slopes(self, table: Any) -> tuple[FloatArray, FloatArray]:
        """Return the derivatives by the gain, and by the cost, of each group."""
        raise NotImplementedError

    @property
    def params(self) -> Params:
        """The parameters, without choices that have their default."""
        params = {}
        for option in fields(self):
            chosen, usual = getattr(self, option.name), option.default
            is_choice = isinstance(usual, str | bool | None)
            is_usual = is_choice and type(chosen) is type(usual) and chosen == usual
            if not (is_usual or {"is_named", "is_filled_in"} & option.metadata.keys()):
                params[option.name] = rendered(chosen)
        return params


def is_defined(metric: Metric, table: RankTable) -> bool:
    """Return whether a table has the classes that a metric needs."""
    return _missing_class(metric, table) is None


def undefined_reason(metric: Metric, table: RankTable) -> str:
    """Return why a metric is nan, for the warning."""
    missing = _missing_class(metric, table)
    if missing is None:
        return metric.undefined_value(table)
    return f"y_true has no {missing} samples, or only with sample_weight 0"


def _missing_class(metric: Metric, table: RankTable) -> str | None:
    """Return a needed class without weight, None if there is none."""
    weights = {"positive": table.n_pos, "negative": table.n_neg}
    for name in metric.needs:
        if not weights[name] > 0:
            return name
    return None


def missing_parameters(metric: Metric) -> tuple[str, ...]:
    """Return the required parameters if none is given, else an empty tuple."""
    for name in metric.needed:
        if getattr(metric, name) is not None:
            return ()
    return metric.needed


def check_needed(metric: Metric) -> None:
    """Raise an error that describes the required parameters if none is given."""
    missing = missing_parameters(metric)
    if missing:
        metadata = {option.name: option.metadata for option in fields(metric)}
        texts = "; or ".join(metadata[name]["is_needed"] for name in missing)
        raise ValueError(f"{missing[0]} is missing: give {texts}.")


def per_sample(kind: type[Metric]) -> tuple[str, ...]:
    """Return the parameters that can have an entry per sample."""
    return tuple(f.name for f in fields(kind) if "is_per_sample" in f.metadata)


def score(
    metric: Metric,
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    *,
    of: str = "",
) -> float:
    """Return the metric of scored samples, a table or folds, for public functions.

    If it is undefined, the name in the warning ends with ``of``.
    """
    columns = {"y_score": y_score, "sample_weight": sample_weight}
    if isinstance(y_true, FoldRankings):
        check_alone(y_true, **columns, pos_label=pos_label)
        fold_values = score_folds(metric, y_true)
        are_defined = ~np.isnan(fold_values)
        if not are_defined.any():
            return warn_undefined(metric.name, UNDEFINED_IN_FOLDS)
        warn_undefined_folds(metric, are_defined, y_true)
        return float(fold_values[are_defined].mean())
    if isinstance(y_true, RankTable):
        table = rank_table(y_true, y_score, sample_weight, pos_label)
        metric = on_table(metric, y_true)
        sizes = table.n_pos, table.n_neg
    else:
        arguments = y_true, y_score, sample_weight, pos_label
        metric, sample = _bind_samples(metric, *arguments)
        table, sizes = build_table(sample), sample.sizes
    value = metric.value(table) if is_defined(metric, table) else float("nan")
    if value != value:
        reason = undefined_reason(metric, table)
        return warn_undefined(metric.name + of, reason)
    warn_unreliable(metric, table, sizes)
    return value


def score_folds(metric: Metric, rankings: FoldRankings) -> FloatArray:
    """Return the metric within each fold, nan if it is undefined."""
    metric.check_fold_rankings(rankings)
    fold_values = np.full(rankings.n_folds, np.nan)
    for i, (y_true, y_score, weights) in enumerate(rankings):
        bound, sample = _bind_samples(metric, y_true, y_score, weights)
        table = build_table(sample)
        if is_defined(bound, table):
            fold_values[i] = bound.value(table)
        if not np.isnan(fold_values[i]):
            warn_unreliable(bound, table, sample.sizes)
    return fold_values


def _bind_samples(
    metric: Metric,
    y_true: ArrayLike,
    y_score: ArrayLike | None,
    weights: ArrayLike | None,
    pos_label: Label = None,
) -> tuple[Metric, Sample]:
    """Return the metric bound to the sample size, and the checked samples."""
    sample = check_ranking(y_true, y_score, weights, pos_label, takes_estimates=True)
    n_samples = sample.total
    if metric.is_sum and weights is not None:
        # A sum has the scale of the given weights.
        n_samples = total(check_weights("sample_weight", weights))
    bound = metric.bind_sample_size(n_samples, is_weighted=weights is not None)
    check_takes_estimates(bound, sample)
    return bound, sample


def check_takes_estimates(metric: Metric, samples: Sample) -> None:
    """Raise an error if the metric does not support estimated labels."""
    if samples.estimated is not None and not metric.takes_estimates:
        raise ValueError(
            "y_true has estimated labels, which "
            f"{metric.name}{params_text(metric.params)} does not support: use "
            "the recall, precision or lift at a rate, the expected recall, the gain by "
            "class, the AUC, the rate-weighted AUC under one distribution, the recall "
            "at an FPR, the rate at a recall, the work saved, the partial AUC of "
            "windows, or the average precision without further options."
        )


def warn_undefined_folds(
    metric: Metric,
    are_defined: BoolArray,
    rankings: FoldRankings,
    *,
    then: str = "are left out",
) -> None:
    """Warn about folds with an undefined metric; ``then`` is the consequence."""
    undefined = [n for n, ok in zip(rankings.names, are_defined, strict=True) if not ok]
    if undefined:
        warn(
            f"The {metric.name} is undefined on {len(undefined)} of {rankings.n_folds} "
            f"folds, which {then}: {shown(undefined)}.",
            UndefinedMetricWarning,
        )


def on_table(metric: Metric, table: RankTable) -> Metric:
    """Return the metric with the fields that depend on the size of a table."""
    return metric.bind_sample_size(table.n_samples, is_weighted=table.n_samples is None)


def warn_unreliable(
    metric: Metric, table: RankTable, sizes: tuple[float, float]
) -> None:
    """Warn if the defined value of a table is unreliable."""
    caution = metric.caution(table, sizes)
    if caution is not None:
        warn(caution)


def find_metric(
    metric: Any, params: dict[str, Any] | None = None, *, in_lists: bool = False
) -> Metric:
    """Return the metric of a score function, with its parameters.

    ``metric`` is a score function of this package or its name, a
    :func:`functools.partial` of one, one of our scorers, or a function or name of
    another package with the same meaning (``ALIASES``). Within lists, a number of items
    can replace a required parameter.
    """
    function, options = unwrap(metric, params)
    ours = _package_function(function)
    kind = metric_class(ours)
    if kind is None:
        raise ValueError(
            f"metric={_name(function)} is not a metric of this package"
            f"{suggest_names(getattr(function, '__name__', function))}"
        )
    if ours not in METRICS and not in_lists:
        raise ValueError(
            f"metric={_name(function)} is a mean over lists: pass groups= to estimate "
            "or compare, or use group_scores(...).estimate() and compare. The "
            "uncertainty is between lists. For one ranking, or the rankings of folds, "
            "pass a metric of rankings: 'roc_auc' is the AUC."
        )
    default = None if options else BY_DEFAULT.get(ours)
    if default is not None:
        return default()
    list_options = ["k"] if in_lists else []
    known = [option.name for option in fields(kind) if option.metadata != FILLED_IN]
    check_parameters(function, options, [*known, *list_options])
    bound = kind(**options)
    missing = missing_parameters(bound)
    if missing and not in_lists:
        lacking = ", or ".join(map(repr, missing))
        raise ValueError(f"metric={_name(function)} needs the keyword {lacking}.")
    return bound


register_lookup(find_metric)


@cache
def function_parameters(
    function: Callable[..., Any],
) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a score function by name."""
    return inspect.signature(function).parameters


def is_known(function: Any) -> bool:
    """Return whether this is a score function of this package."""
    try:
        return function in METRICS or function in LIST_METRICS
    except TypeError:  # not hashable, therefore not a function
        return False


def find_list_metric(
    metric: Any, params: dict[str, Any], **of_lists: Any
) -> tuple[Metric, list[Any]]:
    """Return a metric within lists, and the values of the keywords ``of_lists``.

    A partial can have these keywords, too. A keyword of this call that is not None
    takes precedence, as in a call of the partial.
    """
    function, options = unwrap(metric, params)
    kind = metric_class(_package_function(function))
    if kind is not None:
        takes = function_parameters(function)
        for name in ("average", "undefined"):
            if name in options and name in takes and "groups" in takes:
                raise ValueError(
                    f"{name} is an option of the mean over lists, not of the metric "
                    "within a list: pass it to mean() or estimate() of the scores."
                )
        for name in of_lists.keys() - {option.name for option in fields(kind)}:
            of_partial = options.pop(name, None)
            if of_lists[name] is None:
                of_lists[name] = of_partial
    return find_metric(function, options, in_lists=True), list(of_lists.values())


def check_metric_first(metric: Any) -> None:
    """Raise an error if data are passed instead of a metric, or a pair of metrics."""
    for one in metric if isinstance(metric, tuple | list) else [metric]:
        if not (
            callable(one) or isinstance(one, str) or hasattr(one, "__skrate_metric__")
        ):
            raise ValueError(
                "metric must be the first argument, before y_true and y_score: got an "
                f"object of type {type(metric).__name__}."
            )


def named(metric: Any) -> Any:
    """Return the score function with a name, with or without "_score".

    Names that only scikit-learn has, and other objects, are returned unchanged.
    """
    if not isinstance(metric, str):
        return metric
    short = metric.removesuffix("_score")
    if short == "expected_recall":
        # The term of Millard, Flach and Higgins (2014).
        short = "recall_at_rate"
    return SCORES.get(short, short if short in ALIASES else metric)


# Names of these metrics elsewhere, without the number of items at their end.
SYNONYMS = {
    alias: name
    for name, aliases in {
        "average_precision": "ap pr_auc auprc average_precision",
        "expected_gain": "profit utility gain",
        "fpr_at_recall": "fpr false_positive_rate specificity tnr",
        "hit_rate": "hit hits success",
        "lift_at_rate": "lift enrichment_factor ef",
        "mean_average_precision": "map",
        "ndcg": "dcg",
        "partial_auc": "pauc",
        "precision_at_rate": "p precision ppv top",
        "rate_at_recall": "selection_rate",
        "rate_weighted_auc": "rauc",
        "recall_at_rate": "r recall sensitivity tpr true_positive_rate",
        "reciprocal_rank": "mrr rr mean_reciprocal_rank",
        "roc_auc": "auc auroc c_index c_statistic concordance gini",
        "work_saved": "wss work_saved_over_sampling",
    }.items()
    for alias in aliases.split()
}


def suggest_names(name: Any, others: Iterable[str] = ()) -> str:
    """Return names that are similar to an unknown name, else all names."""
    names = sorted({*SCORES, *(n for n in ALIASES if isinstance(n, str))})
    if isinstance(name, list | tuple):
        return ": pass one metric in each call."
    if isinstance(name, str):
        short = name.lower().removeprefix("skrate_").removesuffix("_score")
        plain = re.sub(r"(_at)?(_k|_?\d+)$", "", re.sub(r"\W+", "_", short))
        near = [SYNONYMS.get(plain, plain)]
        near = near if near[0] in names else []
        near = near or get_close_matches(short, {*names, *others})
        if near:
            return f": did you mean {' or '.join(map(repr, near))}?"
    return f": pass one of {', '.join(names)}."


def unwrap(
    metric: Any, params: dict[str, Any] | None = None
) -> tuple[Any, dict[str, Any]]:
    """Return the function of a name, partial, scorer or alias, and its parameters.

    Unknown objects are returned unchanged. A scorer returns its function and parameters
    by a method ``__skrate_metric__``.
    """
    function: Any = named(metric)
    options = dict(params or {})
    while True:
        if isinstance(function, partial):
            if function.args:
                raise ValueError(
                    "metric is a partial with positional arguments: use keywords only."
                )
            function, options = function.func, {**function.keywords, **options}
        elif hasattr(function, "__skrate_metric__") and not isinstance(function, type):
            function, of_scorer = function.__skrate_metric__()
            options = {**of_scorer, **options}
        else:
            break
    ours = _package_function(function)
    if ours is None or ours is function:
        return function, options
    # Options of a foreign function may change its meaning.
    known = inspect.signature(function).parameters if callable(function) else {}
    check_parameters(function, options, known)
    for option, chosen in options.items():
        default = known[option].default
        if type(chosen) is type(default) and chosen == default:
            continue
        if option in _OF_SAMPLE:
            raise ValueError(_concerns_sample(option, function))
        raise ValueError(
            f"{option}={chosen!r} is not supported for metric={_name(function)}: use "
            f"{option}={default!r}."
        )
    return ours, {}


def check_parameters(
    function: Any, params: Iterable[str], allowed: Iterable[str]
) -> None:
    """Raise an error for the first of ``params`` that a metric does not have."""
    unknown = sorted(set(params) - set(allowed))
    if not unknown:
        return
    if "groups" in unknown:
        raise ValueError(GROUPS_ARE_LISTS)
    if unknown[0] in _OF_SAMPLE:
        raise ValueError(_concerns_sample(unknown[0], function))
    options = "confidence_level", "n_resamples", "random_state", "clusters", "groups"
    remedy = _suggest_argument(unknown[0], {*allowed, *options, *_OF_SAMPLE}) or "."
    raise ValueError(
        f"metric={_name(function)} has no parameter {unknown[0]!r}{remedy} It takes "
        f"{', '.join(map(repr, dict.fromkeys(allowed))) or 'none'}."
    )


def _concerns_sample(option: str, function: Any) -> str:
    return (
        f"{option} must not be in the partial of {_name(function)}: pass it next to "
        "the metric, because it belongs to the sample."
    )


def _package_function(function: Any) -> Any:
    """Return the score function of this package that ``function`` stands for."""
    try:
        return ALIASES.get(function, function)
    except (TypeError, ValueError):  # not hashable, therefore not a function
        return None


def metric_class(ours: Any) -> type[Metric] | None:
    """Return the class of a score function of this package, also for lists."""
    return METRICS.get(ours) or LIST_METRICS.get(ours)


def _name(function: Any) -> str:
    """Return the module and name of a function, to distinguish equal names."""
    name = getattr(function, "__name__", None)
    if name is None:
        return repr(function)
    module = str(getattr(function, "__module__", "")).split("._")[0]
    return f"skrate.{name}" if module.startswith("skrate.") else f"{module}.{name}"
