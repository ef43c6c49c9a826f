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
from skrate.metrics.result_types import Question
from skrate.rates.laws import RateDistribution, RateLike, check_rate, is_uniform
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
    r"""Compute the rate-weighted AUC (rAUC): the AUC where the budget will be spent.

    How good is the ranking around the share of cases that will be processed, when that
    share, the rate, is known only as a distribution? In contrast,
    :func:`sklearn.metrics.roc_auc_score` weighs all rates alike (it is the rAUC of the
    uniform rate), and its ``max_fpr`` limits a share of the negatives, which nobody
    controls. Only the order of the scores counts.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels: two classes, several with a column of ``y_score`` each, or a matrix
        of 0 and 1 for each case and label. Or a :class:`RankTable`, or
        :class:`FoldRankings`, without ``y_score``.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, higher for the positive class, or for the class of the column: decision
        values or probabilities.
    rate : float, "uniform", distribution or dict, default="uniform"
        The fraction of all cases that is processed, in (0, 1]; or, if it is known
        roughly, a frozen ``scipy.stats`` distribution or one from :mod:`skrate.rates`.
        With "uniform" the value is the AUC. Several classes may have separate queues: a
        dict then gives the rate of each.
        Rates of a distribution outside [0, 1] are clipped.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How the classes are averaged, each ranked against the rest. "macro" weighs them
        equally, "weighted" by their cases; None returns a value for each. "micro" ranks
        all pairs of a case and a class in one queue; "samples" ranks the classes of
        each case, and averages over cases. Not used for two classes.
    labels : array-like of shape (n_classes,), default=None
        The classes of the columns of ``y_score``, in their order. None takes those in
        ``y_true``, sorted; where this has columns itself, their numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float, or array of shape (n_classes,)
        rAUC in [0, 1]: 1 for a perfect ranking, 0 for a perfectly wrong one. Constant
        scores give 0.5 for a rate that is symmetric about 0.5, else a value that
        depends on rate and prevalence: the recall of random scores, rescaled. nan
        where undefined. An array with ``average=None``.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, or a ``rate`` that is none
        of the choices; of several classes, if ``labels`` are not one for each column,
        different, and all in ``y_true``, or a dict of rates is not of these classes.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present, or all rankings have the same expected recall
        under ``rate`` to 12 digits (for example when it is fixed at 1). With several
        classes it names the class; a mean that needs it is nan ("weighted" needs no
        class without cases).

    See Also
    --------
    sklearn.metrics.roc_auc_score : The uniform rate, with ``multi_class="ovr"``.
    recall_at_rate_score : The same without rescaling: what will be found.
    RateWeightedAUCScorer : The same as a ``scoring=`` object.

    Notes
    -----
    With E the expected recall of the ranking, E_min and E_max of the worst and the best
    ranking, p the prevalence and G(x) = E[min(R, x)],

    .. math::

        rAUC = \frac{E - E_{min}}{E_{max} - E_{min}}, \quad
        E_{min} = \frac{G(1) - G(1 - p)}{p}, \quad E_{max} = \frac{G(p)}{p},

    which is equation 10 of [1]_ (theorem 5), and equation 8 in rate-accuracy space.
    Cases that tie share their places: the expectation over random orders.

    Swapping the classes *and* negating the scores, with the rate mirrored to 1 - R,
    leaves the rAUC as it is. Swapping the classes alone gives one minus the rAUC, for
    the same rate; negating the scores alone gives that only for the mirrored rate. A
    mean rate above 1/2 is computed in the mirror image, which is as exact next to 1.

    Several classes are as many rankings: a class has its own column, with all cases,
    and the prevalence of the class. Under the uniform rate averages are those
    of :func:`sklearn.metrics.roc_auc_score` with ``multi_class="ovr"``.

    Cost: one sort for each class. The rate's table is built once per distribution, in
    milliseconds.

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`.

    Examples
    --------
    One case of four will be read; the first is positive, which is the best possible:

    >>> from skrate import rate_weighted_auc_score, rates
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> rate_weighted_auc_score(y_true, y_score, rate=0.25)
    1.0

    Any rate is possible, which gives the AUC:

    >>> rate_weighted_auc_score(y_true, y_score)
    0.75

    About a quarter will be read:

    >>> round(
    ...     rate_weighted_auc_score(
    ...         y_true, y_score, rate=rates.beta(3, 9)
    ...     ),
    ...     4,
    ... )
    0.8188

    Three classes, each of which has another queue and budget:

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
    """The rAUC under a rate; under the uniform one it is the AUC, and DeLong's."""

    rate: Any = "uniform"

    groups = "runs"
    takes_estimates = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", check_rate(self.rate))

    @property
    def is_auc(self) -> bool:
        """Whether it is the AUC."""
        return is_uniform(self.rate)

    @property
    def is_two_sample(self) -> bool:  # type: ignore[override]
        return self.is_auc

    @property
    def ignores_prevalence(self) -> bool:  # type: ignore[override]
        return self.is_auc

    @property
    def question(self) -> Question:
        return {} if self.is_auc else super().question

    @property
    def name(self) -> str:
        return "AUC" if self.is_auc else "rAUC"

    @property
    def mirrored(self) -> RateWeightedAUC:
        """The same for swapped classes and negated scores."""
        return RateWeightedAUC(self.rate.mirrored)

    def compute(self, table: RankTable) -> float:
        return rate_weighted_auc(table, self.rate)

    def values(self, pos: Array, neg: Array) -> FloatArray:
        if self.is_auc:
            return AUC().values(pos, neg)
        if is_late(self.rate):
            return self.mirrored.values(neg[:, ::-1], pos[:, ::-1])
        # Of the rarer class: that of the other hardly depends on the ranking if it is
        # nearly all there is.
        is_rare = pos.sum(axis=1) <= neg.sum(axis=1)
        if not is_rare.all():
            mask = is_rare[:, None]
            pos, neg = np.where(mask, pos, neg), np.where(mask, neg, pos)
        n_pos = pos.sum(axis=1)
        share = ratio(n_pos, n_pos + neg.sum(axis=1))
        worst, best = expected_recall_range(self.rate, share)
        above = table_recalls(pos, neg, self.rate) - worst
        found = divide_or_nan(
            above, np.where(has_range(worst, best), best - worst, 0.0)
        )
        return np.where(is_rare, found, 1 - found)

    def slopes(self, table: RankTable) -> Slopes:
        if self.is_auc:
            return AUC().slopes(table)
        if is_late(self.rate):
            return self.mirrored.slopes(table.mirrored).mirrored()
        # Of the rarer class, as the value: 1 minus the same of the other class.
        if table.n_pos <= table.n_neg:
            return _slopes(table, self.rate)
        return _slopes(table.swapped, self.rate).turned()

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        return list_auc(lists, k) if self.is_auc else super().score_lists(lists, k)

    def lost_recall(self, table: RankTable) -> float:
        return missed_fraction(table, self.rate)

    def undefined_value(self, table: RankTable) -> str:
        return undefined_rate_reason(table.prevalence, self.rate)


def rate_weighted_auc(table: RankTable, rate: RateDistribution) -> float:
    """Return the rAUC of a table with both classes; nan where no ranking matters."""
    if is_uniform(rate):
        return AUC().value(table)
    if is_late(rate):
        return rate_weighted_auc(table.mirrored, rate.mirrored)
    # Of the rarer class: that of the other hardly depends on the ranking if it is
    # nearly all there is.
    is_rare = table.n_pos <= table.n_neg
    share = table.prevalence if is_rare else table.negative_fraction
    worst, best = _cached_range(rate, share)
    if not has_range(worst, best):
        return float("nan")
    recall = expected_recall(table, rate, of_negatives=not is_rare)
    return ((recall - worst) if is_rare else (best - recall)) / (best - worst)


# Kept, as a mean costs as much as the rest of a short ranking.
@kept
def is_late(rate: RateDistribution) -> bool:
    """Return whether more than half is processed on average.

    Then what rankings differ in is a small part of the recall there is, and is counted
    from the other end: swapping the classes and negating the scores, with the rate
    mirrored to 1 - R, leaves the rAUC as it is.
    """
    # Beyond rounding, so that the mirror image is not late as well.
    return rate.mean() > 0.5 + 1e-9


def expected_recall_range(rate: RateDistribution, prevalence: Any) -> Any:
    """Return the expected recall of the worst and of the perfect ranking."""
    share = np.asarray(prevalence)
    low = np.stack([1 - share, np.zeros_like(share)])
    return rate.table.mean(low, np.stack([np.ones_like(share), share]))


# Kept, because the folds and candidates of a search share few prevalences.
@kept
def _cached_range(rate: RateDistribution, prevalence: float) -> tuple[float, float]:
    worst, best = expected_recall_range(rate, prevalence)
    return float(worst), float(best)


def has_range(worst: Any, best: Any) -> Any:
    """Return whether rankings differ in expected recall, between these two.

    By more than rounding, and by a number that has a reciprocal.
    """
    return best - worst > np.maximum(1e-12 * best, 1e-300)


def _slopes(table: RankTable, rate: RateDistribution) -> Slopes:
    recall, expected = recall_slopes(table, rate)
    p = table.prevalence
    worst, best = expected_recall_range(rate, p)
    by_worst, by_best = (rate.table.survival(np.array([1 - p, p])) - (worst, best)) / p
    value = (expected - worst) / (best - worst)
    shift = by_worst + value * (by_best - by_worst)
    return recall.scaled(1 / (best - worst), -float(shift) / (best - worst))


def undefined_rate_reason(prevalence: float, rate: RateDistribution) -> str:
    """Return why no ranking is better than another under ``rate``."""
    return (
        f"under rate={rate!r} every ranking has the same expected recall at a "
        f"prevalence of {prevalence:.3g}, to 12 digits, as when all cases are processed"
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
    """Convert the rate-weighted AUC to expected recall, or expected recall to it.

    Parameters
    ----------
    value : float or array-like
        What is known: the rAUC, in [0, 1], or the expected recall of the positives,
        between the values of the worst and the best ranking; nan stays nan.
    to : {"expected_recall", "rauc"}
        What is asked for; ``value`` is the other one.
    rate : "uniform", float or distribution
        The rate under which it was computed, as in :func:`rate_weighted_auc_score`.
    prevalence : float
        Share of the positives in all cases, in (0, 1).

    Returns
    -------
    converted : float or array
        In the shape of ``value``, in [0, 1]; nan where undefined.

    Raises
    ------
    ValueError
        If ``to`` or ``rate`` is none of the choices, ``prevalence`` is not in (0, 1),
        an rAUC not in [0, 1], or no ranking has an expected recall: it is of another
        rate or prevalence.

    Warns
    -----
    UndefinedMetricWarning
        If the rAUC is asked for, and all rankings have the same expected recall.

    See Also
    --------
    rate_weighted_auc_score : The rAUC from labels and scores.
    recall_at_rate_score : Expected recall from labels and scores.

    Notes
    -----
    Equation 12 of [1]_ (theorem 6), E = (1 - B - C) rAUC + B, with B the expected
    recall of the worst ranking and 1 - C of the best.

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`, equations 12 to 15.

    Examples
    --------
    What a perfect ranking finds if a tenth is processed and a fifth is positive:

    >>> from skrate import convert_rauc
    >>> convert_rauc(1, to="expected_recall", rate=0.1, prevalence=0.2)
    0.5

    Half of all cases are processed, half are positive; nothing found is the worst:

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
        share = check_fractions("value", value, allow_nan=True)
        return float_or_array(worst + (best - worst) * share)
    # Of a late rate by what is not found: of the worst ranking that is the most.
    late = is_late(rate)
    low, high = expected_recall_range(rate.mirrored if late else rate, prevalence)
    is_defined = has_range(low, high)
    worst, best = (1 - high, 1 - low) if late else (low, high)
    if not is_defined:
        worst, best = 0.0, 1.0
    # What a score computes may be beyond by rounding.
    slack = 1e-9 * best
    least = max(worst - slack, 0.0)
    recall = check_fractions("value", value, least, best + slack, allow_nan=True)
    if not is_defined:
        warn_undefined("The rAUC", undefined_rate_reason(prevalence, rate))
        return float_or_array(np.full_like(recall, np.nan))
    above = high - (1 - recall) if late else recall - low
    return float_or_array(np.clip(above / (high - low), 0, 1))
