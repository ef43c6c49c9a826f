"""The rate-weighted AUC, and its relation to expected recall."""

from __future__ import annotations

from typing import Any, Literal, get_args, overload

import numpy as np
import sklearn.metrics

from skrate.data.arrays import (
    Array,
    ArrayLike,
    FloatArray,
    Label,
    Number,
    divide_or_nan,
    float_or_array,
    ratio,
)
from skrate.data.checks import (
    check_choice,
    check_fraction,
    check_fractions,
    warn_undefined,
)
from skrate.data.folds import FoldRankings
from skrate.data.list_table import ListTable, ListValues
from skrate.data.table import RankTable
from skrate.metrics.auc import AUC, list_auc
from skrate.metrics.classes import AverageName, ClassAverage, RateByClass, score_any
from skrate.metrics.metric import Metric, Slopes, reject_scoring
from skrate.metrics.recall import (
    expected_recall,
    missed_fraction,
    recall_slopes,
    table_recalls,
)
from skrate.metrics.result_types import Params
from skrate.rates.distributions import (
    RateDistribution,
    RateLike,
    check_rate,
    is_uniform,
)
from skrate.rates.survival import kept

__all__ = ["convert_rauc", "rate_weighted_auc_score"]

Measure = Literal["expected_recall", "rauc"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


@overload
def rate_weighted_auc_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    rate: RateByClass = ...,
    average: AverageName = ...,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> float: ...
@overload
def rate_weighted_auc_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    rate: RateByClass = ...,
    average: None,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> FloatArray: ...
@reject_scoring
def rate_weighted_auc_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    rate: RateByClass = "uniform",
    average: ClassAverage = "macro",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float | FloatArray:
    r"""Compute the rate-weighted AUC (rAUC): the AUC at the rates of the budget.

    How good is a ranking, if only a fraction of the samples (the rate) will be
    processed, and this fraction is fixed or has a known distribution? The rAUC is the
    expected recall, rescaled: 0 is the worst and 1 the best possible ranking. The AUC
    of :func:`sklearn.metrics.roc_auc_score` is the rAUC if all rates are equally
    likely, and its ``max_fpr`` limits a fraction of the negatives, which is usually not
    under control.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels of two classes; labels of several classes, with a column of
        ``y_score`` for each class; or a matrix of 0 and 1 with a column for each label.
        A :class:`RankTable` or :class:`FoldRankings` replaces labels and scores.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, such as decision values or probabilities: higher values mean that a
        sample is more likely positive, or more likely of the class of the column.
    rate : float, "uniform", distribution or dict, default="uniform"
        The fraction of all samples that is processed, in (0, 1]. If it is uncertain, a
        frozen ``scipy.stats`` distribution, one from :mod:`skrate.rates`, or "uniform":
        all rates from 0 to 1 are equally likely, and the value is the AUC. Random rates
        outside [0, 1] are clipped. For several classes, a dict can give the rate of
        each class.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        Average over several classes, each of which is ranked against the rest.
        "macro" weights classes equally, "weighted" by their numbers of samples; None
        returns the value of each class. "micro" ranks all pairs of a sample and a class
        together; "samples" ranks the classes of each sample, and averages over samples.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``. If None, the sorted classes in
        ``y_true``, or the column numbers if ``y_true`` has columns.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float, or array of shape (n_classes,)
        rAUC in [0, 1]: 1 for a perfect ranking, 0 if all negatives are ranked first,
        and nan if undefined (see Warns). The value of random or constant scores is 0.5
        if the distribution of the rate is symmetric about 0.5; otherwise it depends on
        the rate and the prevalence. An array with ``average=None``.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid or differ in length, or ``rate`` is
        invalid. For several classes, if ``labels`` are not distinct classes of
        ``y_true``, one for each column, or if the classes of a dict of rates differ.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present, or if all rankings have the same expected recall
        up to 12 digits, as for a fixed rate of 1. With several classes, the warning
        names the undefined class, and the average is nan, except that "weighted"
        ignores classes without positives.

    See Also
    --------
    sklearn.metrics.roc_auc_score : The value for ``rate="uniform"``.
    recall_at_rate_score : The expected recall, without rescaling.
    RateWeightedAUCScorer : This metric as a ``scoring=`` object.

    Notes
    -----
    Let E be the expected recall (:func:`recall_at_rate_score`), E_min and E_max its
    values for the worst and the best ranking, p the prevalence, R the rate, and
    G(x) = E[min(R, x)]. Then

    .. math::

        rAUC = \frac{E - E_{min}}{E_{max} - E_{min}}, \quad
        E_{min} = \frac{G(1) - G(1 - p)}{p}, \quad E_{max} = \frac{G(p)}{p},

    which is equation 10 of [1]_ (theorem 5). Its equation 8 is the same in the plane of
    the rate and the accuracy. For tied samples it is the expectation over their random
    orders.

    If the classes are exchanged, the scores negated, and the rate is 1 - R, the rAUC is
    the same. If only the classes are exchanged, it is one minus the rAUC. If only the
    scores are negated, and the rate is 1 - R, it is one minus the rAUC, too. If the
    mean rate is above 1/2, the value is computed for exchanged classes, negated scores
    and 1 - R, which is more exact near 1.

    For several classes, the samples are ranked once for each class, by its column, with
    the class as positive. With ``rate="uniform"`` the averages are equal to
    :func:`sklearn.metrics.roc_auc_score` with ``multi_class="ovr"``.

    Cost: one sort for each class, and milliseconds for the first use of a distribution.

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`.

    Examples
    --------
    One of four samples will be processed, and the first is positive, which is the best:

    >>> from skrate import rate_weighted_auc_score, rates
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> rate_weighted_auc_score(y_true, y_score, rate=0.25)
    1.0

    All rates are equally likely, which gives the AUC:

    >>> rate_weighted_auc_score(y_true, y_score)
    0.75

    About a quarter will be processed:

    >>> round(
    ...     rate_weighted_auc_score(
    ...         y_true, y_score, rate=rates.beta(3, 9)
    ...     ),
    ...     4,
    ... )
    0.8188

    Three classes with separate queues and budgets:

    >>> y_true = ["bug", "spam", "bug", "sale", "spam", "sale"]
    >>> y_score = [
    ...     [5, 0, 1],
    ...     [0, 3, 4],
    ...     [1, 1, 0],
    ...     [2, 3, 0],
    ...     [0, 0, 3],
    ...     [0, 2, 0],
    ... ]
    >>> budget = {"bug": 0.5, "sale": 0.2, "spam": "uniform"}
    >>> rate_weighted_auc_score(
    ...     y_true, y_score, rate=budget, average=None
    ... ).tolist()
    [1.0, 0.5, 1.0]
    """
    sample = y_true, y_score, sample_weight, pos_label
    return score_any(RateWeightedAUC, rate, *sample, average=average, labels=labels)


class RateWeightedAUC(
    Metric,
    score=rate_weighted_auc_score,
    aliases=(sklearn.metrics.roc_auc_score, "roc_auc"),
    by_default=AUC,
):
    """The rAUC under a rate; the AUC with DeLong's variance if the rate is uniform."""

    rate: Any = "uniform"

    groups = "runs"
    takes_estimates = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", check_rate(self.rate))

    @property
    def is_auc(self) -> bool:
        """Whether the metric is the AUC."""
        return is_uniform(self.rate)

    @property
    def is_two_sample(self) -> bool:  # type: ignore[override]
        return self.is_auc

    @property
    def ignores_prevalence(self) -> bool:  # type: ignore[override]
        return self.is_auc

    @property
    def params(self) -> Params:
        return {} if self.is_auc else super().params

    @property
    def name(self) -> str:
        return "AUC" if self.is_auc else "rAUC"

    @property
    def mirrored(self) -> RateWeightedAUC:
        """The metric of swapped classes and negated scores."""
        return RateWeightedAUC(self.rate.mirrored)

    def compute(self, table: RankTable) -> float:
        if self.is_auc:
            return AUC().value(table)
        if is_late(self.rate):
            return self.mirrored.compute(table.mirrored)
        # By the recall of the rarer class, because the recall of a class with almost
        # all samples hardly depends on the ranking.
        is_rare = table.n_pos <= table.n_neg
        prevalence = table.prevalence if is_rare else table.negative_fraction
        worst, best = _cached_range(self.rate, prevalence)
        if not has_range(worst, best):
            return float("nan")
        recall = expected_recall(table, self.rate, of_negatives=not is_rare)
        return ((recall - worst) if is_rare else (best - recall)) / (best - worst)

    def values(self, pos: Array, neg: Array) -> FloatArray:
        if self.is_auc:
            return AUC().values(pos, neg)
        if is_late(self.rate):
            return self.mirrored.values(neg[:, ::-1], pos[:, ::-1])
        # By the recall of the rarer class, as in ``compute``.
        is_rare = pos.sum(axis=1) <= neg.sum(axis=1)
        if not is_rare.all():
            mask = is_rare[:, None]
            pos, neg = np.where(mask, pos, neg), np.where(mask, neg, pos)
        n_pos = pos.sum(axis=1)
        prevalence = ratio(n_pos, n_pos + neg.sum(axis=1))
        worst, best = expected_recall_range(self.rate, prevalence)
        above = table_recalls(pos, neg, self.rate) - worst
        rauc = divide_or_nan(above, np.where(has_range(worst, best), best - worst, 0.0))
        return np.where(is_rare, rauc, 1 - rauc)

    def slopes(self, table: RankTable) -> Slopes:
        if self.is_auc:
            return AUC().slopes(table)
        if is_late(self.rate):
            return self.mirrored.slopes(table.mirrored).mirrored()
        # By the rarer class, like the value: 1 minus the rAUC of the other class.
        if table.n_pos <= table.n_neg:
            return _slopes(table, self.rate)
        return _slopes(table.swapped, self.rate).turned()

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        return list_auc(lists, k) if self.is_auc else super().score_lists(lists, k)

    def lost_recall(self, table: RankTable, value: float) -> float:
        return missed_fraction(table, self.rate)

    def undefined_value(self, table: RankTable) -> str:
        return undefined_rate_reason(table.prevalence, self.rate)


# Cached, because a mean takes as long as all other steps for a short ranking.
@kept
def is_late(rate: RateDistribution) -> bool:
    """Return whether more than half is processed on average.

    In this case rankings differ only in a small part of the recall. This part is
    computed from the other end: swapping the classes and negating the scores, with the
    rate mirrored to 1 - R, does not change the rAUC.
    """
    # By more than rounding, because the mirror image must not be late, too.
    return rate.mean() > 0.5 + 1e-9


def expected_recall_range(rate: RateDistribution, prevalence: Any) -> Any:
    """Return the expected recall of the worst and of the perfect ranking."""
    p = np.asarray(prevalence)
    low = np.stack([1 - p, np.zeros_like(p)])
    return rate.table.mean(low, np.stack([np.ones_like(p), p]))


# Cached, because most folds and candidates of a search have equal prevalences.
@kept
def _cached_range(rate: RateDistribution, prevalence: float) -> tuple[float, float]:
    worst, best = expected_recall_range(rate, prevalence)
    return float(worst), float(best)


def has_range(worst: Any, best: Any) -> Any:
    """Return whether the expected recalls of the worst and best ranking differ.

    They must differ by more than rounding, and by a number with a finite reciprocal.
    """
    return best - worst > np.maximum(1e-12 * best, 1e-300)


def _slopes(table: RankTable, rate: RateDistribution) -> Slopes:
    recall, expected = recall_slopes(table, rate)
    p = table.prevalence
    worst, best = expected_recall_range(rate, p)
    by_worst, by_best = (rate.table.survival(np.array([1 - p, p])) - (worst, best)) / p
    score = (expected - worst) / (best - worst)
    shift = by_worst + score * (by_best - by_worst)
    return recall.scaled(1 / (best - worst), -float(shift) / (best - worst))


def undefined_rate_reason(prevalence: float, rate: RateDistribution) -> str:
    """Return why no ranking is better than another under ``rate``."""
    return (
        f"under rate={rate!r} every ranking has the same expected recall at a "
        f"prevalence of {prevalence:.3g}, to 12 digits, as when all are processed"
    )


@overload
def convert_rauc(
    value: Number, *, to: Measure, rate: RateLike, prevalence: Number
) -> float: ...
@overload
def convert_rauc(
    value: ArrayLike, *, to: Measure, rate: RateLike, prevalence: Number
) -> FloatArray: ...
def convert_rauc(
    value: ArrayLike, *, to: Measure, rate: RateLike, prevalence: Number
) -> float | FloatArray:
    """Convert the rate-weighted AUC to the expected recall, or the reverse.

    Parameters
    ----------
    value : float or array-like
        The rAUC, in [0, 1], or the expected recall of the positives,
        between the values of the worst and the best ranking; nan stays nan.
    to : {"expected_recall", "rauc"}
        The measure to return; ``value`` is the other measure.
    rate : "uniform", float or distribution
        The rate of ``value``, as in :func:`rate_weighted_auc_score`.
    prevalence : float
        The fraction of positives among all samples, in (0, 1).

    Returns
    -------
    converted : float or array
        In the shape of ``value``, in [0, 1]; nan where undefined.

    Raises
    ------
    ValueError
        If ``to`` or ``rate`` is not one of the choices, ``prevalence`` is not in
        (0, 1), an rAUC is not in [0, 1], or no ranking has an expected recall like
        ``value`` under this rate and prevalence.

    Warns
    -----
    UndefinedMetricWarning
        If ``to="rauc"``, and all rankings have the same expected recall.

    See Also
    --------
    rate_weighted_auc_score : The rAUC from labels and scores.
    recall_at_rate_score : Expected recall from labels and scores.

    Notes
    -----
    It is equation 12 of [1]_ (theorem 6), E = (1 - B - C) rAUC + B, with B the expected
    recall of the worst ranking and 1 - C of the best.

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`, equations 12 to 15.

    Examples
    --------
    The recall of a perfect ranking, if a tenth is processed and a fifth is positive:

    >>> from skrate import convert_rauc
    >>> convert_rauc(1, to="expected_recall", rate=0.1, prevalence=0.2)
    0.5

    If half of all samples are processed and half are positive, the worst recall is 0:

    >>> convert_rauc(
    ...     [0, 0.8, 1], to="rauc", rate=0.5, prevalence=0.5
    ... ).tolist()
    [0.0, 0.8, 1.0]
    """
    check_choice("to", to, MEASURES)
    rate = check_rate(rate)
    prevalence = check_fraction("prevalence", prevalence)
    if to == "expected_recall":
        worst, best = expected_recall_range(rate, prevalence)
        rauc = check_fractions("value", value, allow_nan=True)
        return float_or_array(worst + (best - worst) * rauc)
    # For a late rate by the missed fraction, which is highest for the worst ranking.
    late = is_late(rate)
    low, high = expected_recall_range(rate.mirrored if late else rate, prevalence)
    is_defined = has_range(low, high)
    worst, best = (1 - high, 1 - low) if late else (low, high)
    if not is_defined:
        worst, best = 0.0, 1.0
    # Computed scores may exceed the range by rounding.
    slack = 1e-9 * best
    minimum = max(worst - slack, 0.0)
    recall = check_fractions("value", value, minimum, best + slack, allow_nan=True)
    if not is_defined:
        warn_undefined("The rAUC", undefined_rate_reason(prevalence, rate))
        return float_or_array(np.full_like(recall, np.nan))
    above = high - (1 - recall) if late else recall - low
    return float_or_array(np.clip(above / (high - low), 0, 1))
