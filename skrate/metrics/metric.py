"""What is known of a metric, in one place; the files of ``skrate/metrics`` fill it in.

A metric is one file there: its public function, and below it a class that says what the
function computes. Naming the function in the class statement registers it::

    class AveragePrecision(Metric, score=average_precision_score):
        prevalence: float | None = None      # the fields are the metric's parameters

Scorers, ``estimate``, ``compare``, ``group_scores`` and the tests find
it by :func:`find_metric`.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
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

from skrate.data.arrays import Array, ArrayLike, BoolArray, FloatArray, Label, total
from skrate.data.checks import check_weights, shown, warn, warn_undefined
from skrate.data.folds import UNDEFINED_IN_FOLDS, FoldRankings, check_cuts
from skrate.data.list_table import GradeGain, ListTable, ListValues
from skrate.data.metric_lookup import register_lookup
from skrate.data.sample import Sample, check_ranking
from skrate.data.table import (
    MergedGroups,
    RankTable,
    build_table,
    check_alone,
    extreme_tables,
    rank_table,
)
from skrate.metrics.result_types import Question, question_text, rendered
from skrate.rates.laws import rate_cuts

# Each with and without its ending; a test holds them to the registry.
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
# What may be given for a metric: a score function, what stands for one, or its name.
MetricLike = MetricName | Callable[..., Any]
Function = TypeVar("Function", bound=Callable[..., Any])
_NO_CUTS = np.empty(0)

OF_CASES_IN_FOLDS = (
    "gain or cost per case is not known of FoldRankings, whose cases are in the order "
    "of folds: give a gain per class, {'positive': ..., 'negative': ...}, or score one "
    "fold at a time."
)
# The class behind each public function, and the functions that others' names stand for.
METRICS: dict[Callable[..., float], type[Metric]] = {}
# The same of those that are means over lists, and nothing of a single ranking.
LIST_METRICS: dict[Callable[..., float], type[Metric]] = {}
# The functions of both by their names without "_score".
SCORES: dict[str, Callable[..., float]] = {}
ALIASES: dict[Any, Callable[..., float]] = {}
# What a score function stands for without parameters, if that has a class of its own.
BY_DEFAULT: dict[Callable[..., float], type[Metric]] = {}
_OF_SAMPLE = ("sample_weight", "pos_label")
GROUPS_ARE_LISTS = (
    "groups= is for metrics within lists, and this one ranks all cases as one list: "
    "pass ranking_auc_score for 'roc_auc', or group_scores(metric, ..., groups=groups) "
    "for any metric, whose result estimate(), compare and sample_size take. For cases "
    "that are not independent, such as those of a patient, pass clusters=."
)
# What others call an argument, and what it is called here.
_OTHER_NAMES = {
    "alpha": "confidence_level=, 1 - alpha",
    "n_boot": "n_resamples=",
    "n_bootstrap": "n_resamples=",
    "n_bootstraps": "n_resamples=",
    "n_iterations": "n_resamples=",
    "max_fpr": "partial_auc_score with fpr=(0, max_fpr)",
    "random_seed": "random_state=",
    "seed": "random_state=",
    "sensitivity": "recall=",
    "specificity": "fpr=, 1 - specificity",
}


class NotAScore:
    """What a metric returns that is called as a scorer, with an estimator, X and y.

    scikit-learn makes nan of an exception of a scorer, and selects the first candidate;
    but it raises if a score is no number, and shows it.
    """

    def __init__(self, remedy: str) -> None:
        self.remedy = remedy

    def __repr__(self) -> str:
        return self.remedy

    def __array__(self, *args: Any, **kwargs: Any) -> Array:
        raise TypeError(f"The score is {self.remedy}.")


def reject_scoring(function: Function) -> Function:
    """Return a metric that names the remedy if it is passed as ``scoring=`` itself."""

    @wraps(function)
    def metric(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 3 and hasattr(args[0], "get_params"):
            name = function.__name__
            return NotAScore(
                f"a metric: pass scoring=make_ranking_scorer({name}) or make_scorer "
                "with response_method='predict_proba'"
            )
        return function(*args, **kwargs)

    return cast(Function, metric)


class Slopes(NamedTuple):
    """Derivatives of a metric by the group shares of each class and the prevalence.

    ``by_pos`` and ``by_neg`` have one entry per group of the table. Only differences
    between groups matter: shares sum to 1, so a constant cancels.
    """

    by_pos: FloatArray
    by_neg: FloatArray
    by_prevalence: float

    def scaled(self, factor: float, by_prevalence: float = 0.0) -> Slopes:
        """Return ``factor`` times the slopes, with more by the prevalence."""
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
        """Return those of 1 minus the metric, where the classes were swapped for it."""
        return Slopes(-self.by_neg, -self.by_pos, self.by_prevalence)

    def mirrored(self) -> Slopes:
        """Return those of a metric that was taken of the mirrored table."""
        return Slopes(self.by_neg[::-1], self.by_pos[::-1], -self.by_prevalence)


class Sizes(NamedTuple):
    """How many independent cases there are; ``are_fixed`` if these were chosen."""

    n_pos: float
    n_neg: float
    are_fixed: bool


# Of parameters: one of those that are needed must be given; some may have an entry per
# case; and some are part of the name.
PER_CASE, NAMED = {"is_per_case": True}, {"is_named": True}
# Or it is no parameter, but what ``bind_sample_size`` fills in.
FILLED_IN = {"is_filled_in": True}


def needed(text: str) -> dict[str, str]:
    """Return that of a parameter which has to be given, and what it is in words."""
    return {"is_needed": text}


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
@dataclass(frozen=True)
class Metric(ABC):
    """A metric with its parameters, as a functional of a :class:`RankTable`.

    Every subclass is a frozen dataclass, whose fields are the parameters of its public
    function: ``__post_init__`` may check them, with ``object.__setattr__`` where it
    stores what it checked. All methods are functions of the shares of positives and
    negatives per group and of the prevalence. Values do not change when neighbouring
    groups without a positive merge, nor do slopes but at :func:`cut_rates`.

    ``name``, ``needs``, ``greater_is_better`` and the flags below are set in the class,
    without an annotation, or are properties where they depend on the parameters
    (``greater_is_better`` only on those that are ``NAMED``). A parameter that must be
    given is a ``field(default=None, metadata=needed(text))``, and one that may have an
    entry per case has ``PER_CASE``.
    """

    # Whether a better ranking has a greater value; scorers negate others.
    greater_is_better = True
    # A U-statistic of two samples: variances within a class of m cases are divided by
    # m - 1.
    is_two_sample = False
    # It depends on the scores of each class alone: a common factor of the weights of
    # one class changes nothing.
    ignores_prevalence = False
    # A few cases decide it, so that its variance is learnt from few.
    rests_on_few = False
    # The fewest degrees of freedom that this gives a class.
    min_dof = 1.0
    # A sum over cases, which more of them, or of weight, make more. For others the
    # scale of weights is free.
    is_sum = False
    # It goes by places in lists, where weights have no meaning.
    counts_places = False
    # With fewer positives it is more on average than of many cases, and with fewer than
    # the second number not even ``excess`` says by how much; 0 where it is not.
    enough_positives, least_positives = 0, 0
    # The fewest groups of a table that say all: resamples of it have the same values.
    groups: ClassVar[MergedGroups] = "merged"
    # What grades gain that take the place of labels; None where these do not.
    grade_gain: ClassVar[GradeGain | None] = None
    # The gain of each case, if its class does not say it.
    list_gain: ClassVar[FloatArray | None] = None
    # Sums over labels, or what is known of their products, so that estimates of labels
    # may take their place.
    takes_estimates = False
    # Items of lists may have the score -inf: they were not returned, and add nothing.
    takes_unreturned = False
    # Intervals invert a test, ``not_rejected``, as slopes are a bad guide.
    has_test = False
    # The parameters of which one has to be given.
    needed: ClassVar[tuple[str, ...]] = ()
    # How a mean over lists is taken; where lists are queues, all of them count.
    default_average: ClassVar[Literal["macro", "pooled"]] = "macro"

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called in messages and results."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The classes without which it is undefined."""
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
        needed = [each.name for each in fields(cls) if "is_needed" in each.metadata]
        cls.needed = tuple(needed)
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
        """Return the metric with what depends on the sample filled in.

        ``n_samples`` is None where a table has weights that are no numbers of cases.
        """
        check_needed(self)
        return self

    def value(self, table: RankTable) -> float:
        """Return the metric of a table with the classes it needs; nan if undefined.

        It is kept in its range, which rounding may leave, but estimates of labels too.
        """
        found = self.compute(table)
        if table.own_products is not None:
            return found
        low, high = self.bounds(table)
        # nan stays.
        return min(max(found, low), high)

    def compute(self, table: RankTable) -> float:
        """Return the same up to rounding.

        By another way than ``values`` where that is at least twice as quick.
        """
        small: Any = table
        # With fewer groups it takes longer to find those that may become one.
        if table.n_groups > 2_000:
            small = getattr(table, self.groups)
        return float(self.values(small.pos[None], small.neg[None])[0])

    def clip(self, values: FloatArray) -> FloatArray:
        """Return values, of resamples or lists, kept in their range."""
        return values if self.is_sum else np.clip(values, *self.bounds())

    @abstractmethod
    def values(self, pos: Array, neg: Array) -> FloatArray:
        """Return the metric of many tables, nan where a class that it needs is empty.

        Rounding may lead out of its range. ``pos`` and ``neg`` of shape (n_tables,
        n_groups) are weights per group, whole numbers if their dtype is; groups may be
        empty.
        """

    @abstractmethod
    def slopes(self, table: RankTable) -> Slopes:
        """Return the derivatives at a table with both classes."""

    @property
    def law(self) -> Any:
        """The distribution of the rate; None if the metric has none."""
        return getattr(self, "rate", None)

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return the least and the greatest value of rankings of the same cases.

        Without a table those of any cases; a sum is then per case.
        """
        return 0.0, 1.0

    def caution(
        self, table: RankTable, sizes: tuple[float, float], *, is_compared: bool = False
    ) -> str | None:
        """Return why the value of a table, although defined, is unreliable.

        ``sizes`` are the numbers of positives and of negatives. If it ``is_compared``,
        return why its standard error says little about whether two models differ.
        """
        return None

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        """Return the metric within each list, or within its ``k`` best items."""
        if k is not None:
            raise ValueError(f"k={k!r} has no meaning for {self.name}: leave it out.")
        values = np.empty(len(lists.starts))
        for some, pos, neg in lists.rectangles():
            n_samples: Any = lists.n_samples[some, None]
            own = self.bind_sample_size(n_samples, is_weighted=False)
            values[some] = own.values(pos, neg)
        return ListValues.of(values, lists)

    def undefined_value(self, table: RankTable) -> str:
        """Return why the value is nan of a table with the classes it needs."""
        return "every ranking has the same value at this prevalence"

    def check_fold_rankings(self, rankings: FoldRankings) -> None:
        """Raise for a metric that means something else in each fold."""
        if self.counts_places:
            raise ValueError(
                "k is a number of cases of one ranking, and each fold has a ranking: "
                "give the share of each fold that is processed as rate=, or rank all "
                "folds as one list by rankings.pooled()."
            )
        if self.law is not None:
            check_cuts(self.name, self.law.mean(), rankings)

    def cut_rates(self, table: RankTable) -> FloatArray:
        """Return the rates within (0, 1) at which the metric cuts a table.

        Slopes jump there. Those of a known rate are the same in all tables.
        """
        law = self.law
        return _NO_CUTS if law is None else rate_cuts(law)

    def extremes(self, table: RankTable) -> tuple[float, float]:
        """Return the least and the greatest value in any order that a table allows.

        This is for metrics that never fall (or never rise) where a positive moves above
        a negative, and are linear where cases tie.
        """
        low, high = sorted(map(self.value, extreme_tables(table)))
        return low, high

    def excess(self, table: RankTable) -> float:
        """Return how much more it is, on average, of so few cases; nan if unknown."""
        return float("nan") if self.enough_positives else 0.0

    def attainable(
        self, bounds: tuple[float, float], value: float
    ) -> tuple[float, float]:
        """Return bounds that rankings attain, where an approximation has no maximum."""
        return bounds

    def error_bound(self, table: RankTable) -> float:
        """Return how far it may be from its value on the cases of a table."""
        found = on_table(self, table)
        # Asked of any table, so that errors and nan do not depend on its compression.
        value = found.value(table) if is_defined(found, table) else float("nan")
        if value != value:
            return value
        if not table.is_compressed:
            return 0.0
        least, most = found.extremes(table)
        # What is left by rounding may be below 0; nan stays.
        return float(np.maximum(np.maximum(value - least, most - value), 0.0))

    def fold_scores(self, rankings: FoldRankings) -> FloatArray:
        """Return its value within each fold, nan with a warning where undefined."""
        values = score_folds(self, rankings)
        warn_undefined_folds(self, ~np.isnan(values), rankings, then="are nan")
        return values

    def lost_recall(self, table: RankTable) -> float:
        """Return the share of positives that a perfect ranking finds in addition.

        inf if the metric is no mean of the recall.
        """
        return float("inf")

    def min_window_class(self, n_pos: float, n_neg: float) -> tuple[str, float]:
        """Return which class has fewer cases where it counts, and how many.

        inf if all cases count.
        """
        return "cases", float("inf")

    def max_dof(self, n_pos: float, n_neg: float) -> float:
        """Return the most degrees of freedom that a difference of two models has.

        Few, if few of so many cases are on one side of a cut.
        """
        return float("inf")

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        """Return the ends of the values that its test does not reject, if it has one.

        ``quantile`` is in standard errors of independent cases.
        """
        raise NotImplementedError

    def sample_gains(self, sample: Sample) -> Any:
        """Return what each case is worth; None if its class says it."""
        return None

    def gain_limit(self, sample: Any) -> float:
        """Return the value if all were processed and gained as much as any."""
        return float("inf")

    def gain_slopes(self, table: Any) -> tuple[FloatArray, FloatArray]:
        """Return what a unit of gain, and of cost, in each group adds to the value."""
        raise NotImplementedError

    @property
    def question(self) -> Question:
        """The parameters, and numbers and rates by default."""
        question = {}
        for each in fields(self):
            value, usual = getattr(self, each.name), each.default
            is_choice = isinstance(usual, str | bool | None)
            is_usual = is_choice and type(value) is type(usual) and value == usual
            if not (is_usual or {"is_named", "is_filled_in"} & each.metadata.keys()):
                question[each.name] = rendered(value)
        return question


def is_defined(metric: Metric, table: RankTable) -> bool:
    """Return whether a table has the classes that a metric needs."""
    needs = metric.needs
    return (table.n_pos > 0 or "positive" not in needs) and (
        table.n_neg > 0 or "negative" not in needs
    )


def undefined_reason(metric: Metric, table: RankTable) -> str:
    """Return why a metric is nan, for the warning."""
    weights = {"positive": table.n_pos, "negative": table.n_neg}
    for name in metric.needs:
        if not weights[name] > 0:
            return f"y_true holds no {name} case, or only of sample_weight 0"
    return metric.undefined_value(table)


def missing_parameters(metric: Metric) -> tuple[str, ...]:
    """Return the parameters of which one has to be given, if none is."""
    for name in metric.needed:
        if getattr(metric, name) is not None:
            return ()
    return metric.needed


def check_needed(metric: Metric) -> None:
    """Raise for a parameter that has to be given, and say what it is."""
    missing = missing_parameters(metric)
    if missing:
        of = {each.name: each.metadata for each in fields(metric)}
        texts = "; or ".join(of[name]["is_needed"] for name in missing)
        raise ValueError(f"{missing[0]} is missing: give {texts}.")


def per_case(kind: type[Metric]) -> tuple[str, ...]:
    """Return the parameters that may have an entry per case."""
    return tuple(each.name for each in fields(kind) if "is_per_case" in each.metadata)


def score(
    metric: Metric,
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    *,
    of: str = "",
) -> float:
    """Return the metric of scored cases, a table or folds: what public functions call.

    Where it is undefined a warning says ``of`` what it is.
    """
    others = {"y_score": y_score, "sample_weight": sample_weight}
    if isinstance(y_true, FoldRankings):
        check_alone(y_true, **others, pos_label=pos_label)
        values = score_folds(metric, y_true)
        are_defined = ~np.isnan(values)
        if not are_defined.any():
            return warn_undefined(metric.name, UNDEFINED_IN_FOLDS)
        warn_undefined_folds(metric, are_defined, y_true)
        return float(values[are_defined].mean())
    if isinstance(y_true, RankTable):
        table = rank_table(y_true, y_score, sample_weight, pos_label)
        metric = on_table(metric, y_true)
        sizes = table.n_pos, table.n_neg
    else:
        metric, cases = _bind_samples(metric, y_true, y_score, sample_weight, pos_label)
        table, sizes = build_table(cases), cases.sizes
    value = metric.value(table) if is_defined(metric, table) else float("nan")
    if value != value:
        reason = undefined_reason(metric, table)
        return warn_undefined(metric.name + of, reason)
    warn_unreliable(metric, table, sizes)
    return value


def score_folds(metric: Metric, rankings: FoldRankings) -> FloatArray:
    """Return the metric within each fold, nan where it is undefined."""
    metric.check_fold_rankings(rankings)
    values = np.full(rankings.n_folds, np.nan)
    for i, (y_true, y_score, weights) in enumerate(rankings):
        own, cases = _bind_samples(metric, y_true, y_score, weights)
        table = build_table(cases)
        if is_defined(own, table):
            values[i] = own.value(table)
        if not np.isnan(values[i]):
            warn_unreliable(own, table, cases.sizes)
    return values


def _bind_samples(
    metric: Metric,
    y_true: ArrayLike,
    y_score: ArrayLike | None,
    weights: ArrayLike | None,
    pos_label: Label = None,
) -> tuple[Metric, Sample]:
    """Return the metric of scored cases with what depends on them, and the cases."""
    cases = check_ranking(y_true, y_score, weights, pos_label, takes_estimates=True)
    n_samples = cases.total
    if metric.is_sum and weights is not None:
        # A sum is on the scale on which weights were given.
        n_samples = total(check_weights("sample_weight", weights))
    found = metric.bind_sample_size(n_samples, is_weighted=weights is not None)
    check_takes_estimates(found, cases)
    return found, cases


def check_takes_estimates(metric: Metric, cases: Sample) -> None:
    """Raise for a metric that needs labels which are known."""
    if cases.estimated is not None and not metric.takes_estimates:
        raise ValueError(
            "y_true holds estimated labels, which "
            f"{metric.name}{question_text(metric.question)} does not support: take "
            "the recall, precision or lift at a rate, the expected recall, the gain by "
            "class, the AUC, the rate-weighted AUC under one distribution, or the "
            "average precision without further options."
        )


def warn_undefined_folds(
    metric: Metric,
    are_defined: BoolArray,
    rankings: FoldRankings,
    *,
    then: str = "are left out",
) -> None:
    """Warn of the folds on which a metric is undefined, and what becomes of them."""
    out = [name for name, of in zip(rankings.names, are_defined, strict=True) if not of]
    if out:
        warn(
            f"The {metric.name} is undefined on {len(out)} of {rankings.n_folds} "
            f"folds, which {then}: {shown(out)}.",
            UndefinedMetricWarning,
        )


def on_table(metric: Metric, table: RankTable) -> Metric:
    """Return the metric with what depends on a table that was given filled in."""
    return metric.bind_sample_size(table.n_samples, is_weighted=table.n_samples is None)


def warn_unreliable(
    metric: Metric, table: RankTable, sizes: tuple[float, float]
) -> None:
    """Warn if the table tells too little for a defined value to be relied on."""
    caution = metric.caution(table, sizes)
    if caution is not None:
        warn(caution)


def find_metric(
    metric: Any, params: dict[str, Any] | None = None, *, in_lists: bool = False
) -> Metric:
    """Return the metric that a score function stands for, with its parameters.

    ``metric`` is a score function of this package or its name, a
    :func:`functools.partial` of one, one of our scorers, or one of the others'
    functions and names that mean the same (``ALIASES``). Within lists, a number of
    items may stand for what it needs.
    """
    function, own = unwrap(metric, params)
    ours = _package_function(function)
    kind = metric_class(ours)
    if kind is None:
        raise ValueError(
            f"metric={_name(function)} is not one of this package"
            f"{suggest_names(getattr(function, '__name__', function))}"
        )
    if ours not in METRICS and not in_lists:
        raise ValueError(
            f"metric={_name(function)} is a mean over lists, whose uncertainty is "
            "that between lists: give their groups to estimate or compare, or use "
            "group_scores(...).estimate() and compare. Of one ranking, or "
            "the rankings of folds, give a metric of these: 'roc_auc' is the AUC."
        )
    default = None if own else BY_DEFAULT.get(ours)
    if default is not None:
        return default()
    of_lists = ["k"] if in_lists else []
    known = [each.name for each in fields(kind) if each.metadata != FILLED_IN]
    check_parameters(function, own, [*known, *of_lists])
    found = kind(**own)
    missing = missing_parameters(found)
    if missing and not in_lists:
        lacking = ", or ".join(map(repr, missing))
        raise ValueError(f"metric={_name(function)} needs the keyword {lacking}.")
    return found


register_lookup(find_metric)


@cache
def function_parameters(
    function: Callable[..., Any],
) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a score function by name."""
    return inspect.signature(function).parameters


def is_known(function: Any) -> bool:
    """Return whether this is one of the score functions of this package."""
    try:
        return function in METRICS or function in LIST_METRICS
    except TypeError:  # not hashable: certainly no function
        return False


def find_list_metric(
    metric: Any, params: dict[str, Any], **of_lists: Any
) -> tuple[Metric, list[Any]]:
    """Return a metric within lists, and the values of the keywords ``of_lists``.

    A partial may have them as well. What is given beside it, and is not None, takes the
    place of that, as where a partial is called.
    """
    function, own = unwrap(metric, params)
    kind = metric_class(_package_function(function))
    if kind is not None:
        takes = function_parameters(function)
        for name in ("average", "undefined"):
            if name in own and name in takes and "groups" in takes:
                raise ValueError(
                    f"{name} says how the mean over lists is taken, and here is the "
                    "metric within each: give it to mean() or estimate() of the scores."
                )
        for name in of_lists.keys() - {each.name for each in fields(kind)}:
            of_metric = own.pop(name, None)
            if of_lists[name] is None:
                of_lists[name] = of_metric
    return find_metric(function, own, in_lists=True), list(of_lists.values())


def check_metric_first(metric: Any) -> None:
    """Raise where data stand in the place of a metric, or of a pair."""
    for one in metric if isinstance(metric, tuple | list) else [metric]:
        if not (
            callable(one) or isinstance(one, str) or hasattr(one, "__skrate_metric__")
        ):
            raise ValueError(
                f"metric comes first, before y_true and y_score: found an object of "
                f"type {type(metric).__name__} in its place."
            )


def named(metric: Any) -> Any:
    """Return the score function that a name stands for, with or without "_score".

    Names that only scikit-learn has, and what is no name, are returned as they are.
    """
    if not isinstance(metric, str):
        return metric
    short = metric.removesuffix("_score")
    if short == "expected_recall":
        # The term of Millard, Flach and Higgins (2014).
        short = "recall_at_rate"
    return SCORES.get(short, short if short in ALIASES else metric)


# What others call these metrics; a number of items at the end of the name is cut off.
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
    """Return names that are near an unknown one, else all names."""
    names = sorted({*SCORES, *(n for n in ALIASES if isinstance(n, str))})
    if isinstance(name, str):
        short = name.lower().removeprefix("skrate_").removesuffix("_score")
        plain = re.sub(r"(_at)?(_k|_?\d+)$", "", re.sub(r"\W+", "_", short))
        near = [SYNONYMS.get(plain, plain)]
        near = near if near[0] in names else []
        near = near or get_close_matches(short, {*names, *others})
        if near:
            return f": did you mean {' or '.join(map(repr, near))}?"
    return f"; known are {', '.join(names)}."


def unwrap(
    metric: Any, params: dict[str, Any] | None = None
) -> tuple[Any, dict[str, Any]]:
    """Return the function behind names, partials, scorers and aliases, with parameters.

    What is not known is returned as it is. A scorer says what it stands for by a
    method ``__skrate_metric__``.
    """
    function: Any = named(metric)
    own = dict(params or {})
    while True:
        if isinstance(function, partial):
            if function.args:
                raise ValueError(
                    "metric is a partial with positional arguments: give keywords only."
                )
            function, own = function.func, {**function.keywords, **own}
        elif hasattr(function, "__skrate_metric__") and not isinstance(function, type):
            function, of_scorer = function.__skrate_metric__()
            own = {**of_scorer, **own}
        else:
            break
    ours = _package_function(function)
    if ours is None or ours is function:
        return function, own
    _check_defaults(function, own)
    return ours, {}


def check_parameters(
    function: Any, params: Iterable[str], allowed: Iterable[str]
) -> None:
    """Raise for the first of ``params`` that a metric does not take."""
    unknown = sorted(set(params) - set(allowed))
    if not unknown:
        return
    if "groups" in unknown:
        raise ValueError(GROUPS_ARE_LISTS)
    if unknown[0] in _OF_SAMPLE:
        raise ValueError(_concerns_sample(unknown[0], function))
    near = get_close_matches(unknown[0], ("groups", "clusters", "confidence_level"))
    meant = _OTHER_NAMES.get(unknown[0], f"{near[0]}=" if near else "")
    meant = f": did you mean {meant}?" if meant else "."
    raise ValueError(
        f"metric={_name(function)} has no parameter {unknown[0]!r}{meant} It takes "
        f"{', '.join(map(repr, dict.fromkeys(allowed))) or 'none'}."
    )


def _check_defaults(theirs: Any, options: dict[str, Any]) -> None:
    """Raise for options of another's function: they may change what it means."""
    known = inspect.signature(theirs).parameters if callable(theirs) else {}
    check_parameters(theirs, options, known)
    for option, value in options.items():
        default = known[option].default
        if type(value) is type(default) and value == default:
            continue
        if option in _OF_SAMPLE:
            raise ValueError(_concerns_sample(option, theirs))
        raise ValueError(
            f"{option}={value!r} is not an option whose uncertainty is known: "
            f"metric={_name(theirs)} is taken with {option}={default!r} only."
        )


def _concerns_sample(option: str, function: Any) -> str:
    return (
        f"{option} must not be in the partial of {_name(function)}: it concerns what "
        "the sample is, so give it beside the metric."
    )


def _package_function(function: Any) -> Any:
    """Return the score function of this package that ``function`` stands for."""
    try:
        return ALIASES.get(function, function)
    except (TypeError, ValueError):  # not hashable: certainly no function
        return None


def metric_class(ours: Any) -> type[Metric] | None:
    """Return the class behind a score function of this package, also one of lists."""
    return METRICS.get(ours) or LIST_METRICS.get(ours)


def _name(function: Any) -> str:
    """Return where a function is found, so that those of one name differ."""
    name = getattr(function, "__name__", None)
    if name is None:
        return repr(function)
    module = str(getattr(function, "__module__", "")).split("._")[0]
    return f"skrate.{name}" if module.startswith("skrate.") else f"{module}.{name}"
