"""Recall, precision and lift of the processed fraction of the ranking."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, Literal, Self, get_args, overload

import numpy as np

from skrate.data.arrays import (
    Array,
    ArrayLike,
    FloatArray,
    Label,
    Number,
    divide_or_nan,
)
from skrate.data.checks import (
    check_choice,
    check_count,
    check_flag,
    check_fraction,
    warn,
)
from skrate.data.folds import FoldRankings
from skrate.data.list_table import (
    ListTable,
    ListValues,
    RelevantCounts,
    top_row_fractions,
)
from skrate.data.table import RankTable, build_weight_table
from skrate.metrics.classes import AverageName, ClassAverage, RateByClass, score_any
from skrate.metrics.list_scores import find_unreturned, mean_list_score, score_each_k
from skrate.metrics.metric import (
    NAMED,
    Metric,
    Slopes,
    check_needed,
    needed,
    reject_scoring,
    score,
)
from skrate.metrics.recall import (
    expected_recall,
    missed_fraction,
    recall_slopes,
    table_gains,
)
from skrate.rates.distributions import (
    Fixed,
    RateDistribution,
    RateLike,
    check_rate,
    count_hint,
    fixed_rate,
)
from skrate.rates.inverse import InverseWeightedRate

__all__ = ["lift_at_rate_score", "precision_at_rate_score", "recall_at_rate_score"]

Side = Literal["positives", "negatives"]
SIDES: tuple[Side, ...] = get_args(Side)


@overload
def recall_at_rate_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    rate: RateByClass | None = ...,
    k: int | Sequence[int] | None = ...,
    of: Side = ...,
    groups: ArrayLike | None = ...,
    capped: bool = ...,
    n_relevant: RelevantCounts | None = ...,
    prevalence: Number | None = ...,
    average: AverageName = ...,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> float: ...


@overload
def recall_at_rate_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    rate: RateByClass | None = ...,
    k: int | Sequence[int] | None = ...,
    of: Side = ...,
    groups: ArrayLike | None = ...,
    capped: bool = ...,
    n_relevant: RelevantCounts | None = ...,
    prevalence: Number | None = ...,
    average: None,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> FloatArray: ...


@reject_scoring
def recall_at_rate_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    rate: RateByClass | None = None,
    k: int | Sequence[int] | None = None,
    of: Side = "positives",
    groups: ArrayLike | None = None,
    capped: bool = False,
    n_relevant: RelevantCounts | None = None,
    prevalence: Number | None = None,
    average: ClassAverage = "macro",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float | FloatArray:
    r"""Compute the recall at a rate: the fraction of all positives that is processed.

    If the 10 % of the samples with the highest scores are processed, or the best 50,
    which fraction of the positives is among them? The fraction of the samples that is
    processed is called the rate. If it is uncertain, the result is the expected recall:
    the mean over the distribution of the rate. Unlike
    :func:`sklearn.metrics.recall_score`, it needs scores and no threshold.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels of two or of several classes, a matrix of 0 and 1 with a column for each
        label, a RankTable or FoldRankings, as for :func:`rate_weighted_auc_score`.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, higher for the positive class, or for the class of the column.
    rate : float, "uniform", distribution or dict, default=None
        The fraction of all samples that is processed, in (0, 1]. If it is uncertain, a
        frozen ``scipy.stats`` distribution, one from :mod:`skrate.rates`, or "uniform":
        all rates from 0 to 1 are equally likely. Random rates outside [0, 1] are
        clipped. For several classes, a dict can give the rate of each class.
    k : int or array-like, default=None
        Instead of ``rate``, the number of samples that are processed, from 1 to
        n_samples. Not with ``sample_weight`` or a table with fractional weights. The
        result for several numbers is an array.
    of : {"positives", "negatives"}, default="positives"
        The class that is counted. "positives" gives the recall (true positive rate);
        "negatives" gives the fraction of the negatives that is processed (false
        positive rate), for which lower is better.
    groups : array-like of shape (n_samples,), default=None
        An identifier of each sample's list, such as its day or clinic, if each list is
        ranked and processed separately. ``rate`` or ``k`` then applies to each list
        (lists shorter than ``k`` are processed completely), and the result is the
        number of positives found in all lists, divided by the positives of all lists.
        Samples of one patient are not a list: pass ``clusters`` to :func:`estimate`.
    capped : bool, default=False
        Requires ``k``. Whether to divide by min(k, m) instead of m, the number of
        positives in the list. The recall of a perfect list is then 1 for any ``k``.
    n_relevant : dict, pandas.Series, array-like or int, default=None
        The number of positives in each list, if some have no row, because a retrieval
        system did not return them. A dict or Series has an entry for each label of
        ``groups``, an array follows the order of ``numpy.unique(groups)``, and an int
        is for a single list. Positives with score -inf are counted, but never found.
    prevalence : float, default=None
        Fraction of positives in the population, in (0, 1), if it differs from the data,
        for example because negatives were downsampled. ``rate`` is then a fraction of
        the population. None means the fraction in the data. Not with ``k`` or
        ``groups``.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        Average over several classes, each of which is ranked against the rest, as for
        :func:`rate_weighted_auc_score`. None returns the value of each class. With
        "micro" and "samples", ``rate`` and ``k`` refer to pairs or classes.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, as for :func:`rate_weighted_auc_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float, or array of shape (n_classes,) or (n_k,)
        Recall in [0, 1], nan if the counted class is absent. Random scores have the
        value ``rate``, and a perfect ranking ``min(1, rate / prevalence)``. With
        ``of="negatives"`` a perfect ranking has the value
        ``max(0, (rate - prevalence) / (1 - prevalence))``. If the rate is uncertain,
        these are means over its distribution. An array with ``average=None`` or if
        ``k`` is an array.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid; if both or neither of ``rate`` and
        ``k`` are given; if the rate is outside (0, 1], or the integer 1, which could
        mean one sample; if ``k`` is not an integer from 1 to n_samples; if ``capped``
        is True without ``k``; or if ``groups`` has another length than ``y_true``, or
        is combined with an uncertain rate, several classes or a table. For several
        classes, see also :func:`rate_weighted_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If the counted class is absent. With several classes, the warning names it, and
        the average is nan, except that "weighted" ignores classes without positives.
    UserWarning
        If ``rate`` times the list size is below 0.5 for most of 10 or more lists.

    See Also
    --------
    sklearn.metrics.recall_score : Recall of predicted labels, at one threshold.
    rate_weighted_auc_score : Expected recall, rescaled to be comparable between data
        sets with different prevalences.
    group_scores : Recall at ``k`` of each list.
    estimate : Its confidence interval.

    Notes
    -----
    Let j = 1, 2, ... number the distinct scores in decreasing order, :math:`z_j` be the
    number of positives (or negatives) with the j-th score, :math:`W_1` their total,
    :math:`D_j` the fraction of all samples with at least this score, R the rate, and
    :math:`G(x) = E[\min(R, x)]`, which is min(r, x) for a fixed rate r. The result is

    .. math:: \sum_j \frac{z_j}{W_1} \frac{G(D_j) - G(D_{j-1})}{D_j - D_{j-1}},

    the mean over positives of their probability of being processed. Tied samples have
    the same probability, because they are processed in random order. In theorem 6 of
    [1]_, this mean is called E[F0] for positives and E[F1] for negatives; its "negative
    recall" is 1 - F1. The absolute rounding error is about 1e-15: smaller values have
    no correct digits. Cost: one sort for each class.

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`.

    Examples
    --------
    >>> from skrate import rates, recall_at_rate_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> recall_at_rate_score(y_true, y_score, rate=0.5)
    0.5
    >>> recall_at_rate_score(y_true, y_score, k=3)
    1.0

    The rate is 0.25 (recall 0.5) or 0.75 (recall 1), equally likely. The mean is 0.75:

    >>> budget = rates.empirical([0.25, 0.75])
    >>> recall_at_rate_score(y_true, y_score, rate=budget)
    0.75

    One sample can be processed on each of two days. Each day begins with a positive:

    >>> day = [1, 1, 2, 2]
    >>> recall_at_rate_score(y_true, y_score, k=1, groups=day)
    1.0
    """
    if groups is not None and labels is not None:
        raise ValueError(
            "groups and labels exclude each other: leave out one. groups is for two "
            "classes, and labels names the columns of several."
        )
    y_score, has_unreturned = find_unreturned(y_score)
    is_listed = groups is not None or capped or n_relevant is not None
    sample = y_true, y_score, sample_weight, pos_label
    rows = y_true, y_score, groups, sample_weight, None, pos_label

    def score_cut(k: int | None) -> Any:
        bind = partial(RecallAtRate, k=k, prevalence=prevalence, of=of, capped=capped)
        if is_listed or has_unreturned:
            return mean_list_score(bind(rate), rows, n_relevant=n_relevant)
        return score_any(bind, rate, *sample, average=average, labels=labels)

    return score_each_k(k, score_cut)


@reject_scoring
def precision_at_rate_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    rate: RateLike | None = None,
    k: int | Sequence[int] | None = None,
    groups: ArrayLike | None = None,
    prevalence: Number | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the fraction of positives among the processed samples.

    If the 10 % of the samples with the highest scores are processed, or the best 50,
    which fraction of them is positive? The fraction of the samples that is processed is
    called the rate. If it is uncertain, the result is the mean over its distribution.
    With ``k`` it is the precision at k of information retrieval. Unlike
    :func:`sklearn.metrics.precision_score`, it needs scores and no threshold.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes, or rankings that replace labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores, such as decision values or probabilities, higher for the positive class.
    rate : float, "uniform" or distribution, default=None
        The fraction of all samples that is processed, in (0, 1]; if it is uncertain,
        its distribution, as for :func:`recall_at_rate_score`.
    k : int or array-like, default=None
        Instead of ``rate``, the number of samples that are processed, from 1 to
        n_samples, as for :func:`recall_at_rate_score`. An array returns an array.
    groups : array-like of shape (n_samples,), default=None
        An identifier of each sample's list, such as its day or clinic, if each list is
        ranked and processed separately. ``rate`` or ``k`` then applies to each list
        (lists shorter than ``k`` are processed completely), and the result is the
        number of positives found in all lists, divided by the number processed.
    prevalence : float, default=None
        Fraction of positives in the population, in (0, 1), if it differs from the data,
        as for :func:`recall_at_rate_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float, or array of shape (n_k,)
        Precision in [0, 1], nan if an uncertain ``rate`` is always 0. Random scores
        have the prevalence, and a perfect ranking has ``min(1, prevalence / rate)``, or
        the mean of this over the distribution of the rate. Without positives it is 0.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid; if both or neither of ``rate`` and
        ``k`` are given; if the rate is outside (0, 1], or the integer 1, which could
        mean one sample; if ``k`` is not an integer from 1 to n_samples; or if
        ``groups`` has another length than ``y_true``, or is combined with an uncertain
        rate or a table.

    Warns
    -----
    UndefinedMetricWarning
        If an uncertain ``rate`` is always 0.

    See Also
    --------
    sklearn.metrics.precision_score : Precision of predicted labels, at one threshold.
    lift_at_rate_score : The precision divided by the prevalence.
    estimate : Its confidence interval.

    Notes
    -----
    If only some of several tied samples are processed, the value is the expectation
    over random orders of these samples.

    If the rate R is uncertain, the value is the expected precision: the mean of the
    ratio of processed positives to processed samples, given R > 0,

    .. math:: E\left[ \frac{H(R)}{R} \,\middle|\, R > 0 \right]
              = \sum_j h_j \bigl( W(D_j) - W(D_{j-1}) \bigr), \qquad
              W(x) = E\left[ \min\left(1, \frac{x}{R}\right) \,\middle|\, R > 0 \right].

    Here H(r) is the fraction of all samples that is positive and processed at the rate
    r (the hit curve). :math:`h_j` is the fraction of positives among the samples with
    the j-th highest distinct score, and :math:`D_j` the fraction of all samples with at
    least this score. This differs from E[H(R)] / E[R], in which high rates have more
    weight. The rounding error is about 1e-12. Cost: one sort.

    Examples
    --------
    >>> from skrate import precision_at_rate_score
    >>> precision_at_rate_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=0.25
    ... )
    1.0

    The rate is a quarter or a half, equally likely: the mean of 1 and 0.5.

    >>> from skrate import rates
    >>> rate = rates.empirical([0.25, 0.5])
    >>> precision_at_rate_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=rate
    ... )
    0.75

    One of 1,000 transactions is fraud, but most other transactions were left out of the
    data. The 1 % of all transactions with the highest scores will be examined:

    >>> y_true, y_score = [1, 1, 0, 0], [0.9, 0.4, 0.6, 0.2]
    >>> round(precision_at_rate_score(y_true, y_score, rate=0.01, prevalence=0.001), 3)
    0.05
    """
    rows = y_true, y_score, groups, sample_weight, None, pos_label

    def score_cut(k: int | None) -> float:
        metric = PrecisionAtRate(rate, k, prevalence)
        if groups is not None:
            return mean_list_score(metric, rows)
        return score(metric, y_true, y_score, sample_weight, pos_label)

    return score_each_k(k, score_cut)


@reject_scoring
def lift_at_rate_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    rate: RateLike | None = None,
    k: int | None = None,
    prevalence: Number | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    """Compute how many times more positives are processed than in a random order.

    The lift is the precision of the processed samples divided by the prevalence: the
    height of a lift chart. The fraction of the samples that is processed is called the
    rate. If it is uncertain, the result is the mean over its distribution.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes, or rankings that replace labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores, such as decision values or probabilities, higher for the positive class.
    rate : float, "uniform" or distribution, default=None
        The fraction of all samples that is processed, in (0, 1]; if it is uncertain,
        its distribution, as for :func:`recall_at_rate_score`.
    k : int, default=None
        Instead of ``rate``, the number of samples that are processed, from 1 to
        n_samples. Not with ``sample_weight`` or a table with fractional weights.
    prevalence : float, default=None
        Fraction of positives in the population, in (0, 1), if it differs from the data,
        as for :func:`recall_at_rate_score`. Not with ``k``.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Lift, at least 0, nan if there are no positives or an uncertain ``rate`` is
        always 0. Random scores have the value 1, and a perfect ranking
        ``min(1 / rate, 1 / prevalence)``, or the mean of this over the rates.

    Raises
    ------
    ValueError
        As :func:`recall_at_rate_score`.

    Warns
    -----
    UndefinedMetricWarning
        If there are no positives, or an uncertain ``rate`` is always 0.

    See Also
    --------
    sklearn.metrics.class_likelihood_ratios : Ratios for predicted labels.
    recall_at_rate_score : The lift times the rate, if the rate is fixed.

    Notes
    -----
    For an uncertain rate it is the mean given that the rate is above 0: the expected
    precision of :func:`precision_at_rate_score`, divided by the prevalence. Cost: one
    sort.

    Examples
    --------
    >>> from skrate import lift_at_rate_score
    >>> lift_at_rate_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=0.25
    ... )
    2.0
    """
    metric = LiftAtRate(rate, k, prevalence)
    return score(metric, y_true, y_score, sample_weight, pos_label)


class RateMetric(Metric):
    """Base class of recall, precision and lift: multiples of the recall at a rate.

    ``rate`` is a fraction of all samples, or a distribution if it is uncertain. ``k``
    is a number of samples of each list, or of the only ranking. In the latter case,
    ``bind_sample_size`` replaces it by the rate.
    """

    rate: Any = field(
        default=None,
        metadata=needed("the processed fraction of the samples, or its distribution"),
    )
    k: int | None = field(
        default=None, metadata=needed("k, the number of processed samples")
    )
    prevalence: Any = field(default=None, metadata=NAMED)

    # Whether to divide by the positives, and by the processed fraction.
    is_per_positive = True
    is_per_processed = True
    # Whether negatives are counted instead of positives.
    counts_negatives = False
    # Whether the recall of a list is divided by at most k.
    capped = False

    @property
    def takes_estimates(self) -> bool:  # type: ignore[override]
        return self.prevalence is None

    @property
    def ignores_prevalence(self) -> bool:  # type: ignore[override]
        return self.prevalence is not None

    @property
    def needs(self) -> tuple[str, ...]:
        if self.prevalence is not None:
            return "positive", "negative"
        if not self.is_per_positive:
            return ()
        return ("negative" if self.counts_negatives else "positive",)

    def __post_init__(self) -> None:
        if self.rate is not None and self.k is not None:
            raise ValueError(
                f"k={self.k!r} and rate={self.rate!r} exclude each other: leave out "
                "one, because both set the budget."
            )
        if self.rate is not None:
            object.__setattr__(
                self, "rate", check_rate_parameter(self.rate, has_k=True)
            )
        if self.k is not None:
            object.__setattr__(self, "k", check_count("k", self.k))
        if self.prevalence is not None:
            prevalence = check_fraction("prevalence", self.prevalence)
            object.__setattr__(self, "prevalence", prevalence)
            if self.k is not None:
                raise ValueError(
                    f"k={self.k} excludes prevalence={prevalence:g}: pass rate=, the "
                    "fraction of the population, instead of k."
                )

    def bind_sample_size(self, n_samples: float | None, *, is_weighted: bool) -> Self:
        check_needed(self)
        if self.k is None:
            return self
        if self.capped:
            raise ValueError("capped=True is for lists: pass groups=, or leave it out.")
        k = self.k
        if is_weighted or n_samples is None:
            raise ValueError(
                f"k={k} has no meaning with sample_weight, or with fractional weights "
                "of a RankTable: pass rate=, the fraction of the total weight that is "
                "processed."
            )
        if k > n_samples:
            raise ValueError(
                f"k={k} is more than the {int(n_samples)} samples (of a fold, in a "
                f"cross-validation): pass a smaller k, or rate={k}/N for a population "
                "of N."
            )
        return replace(self, rate=k / n_samples, k=None)

    @property
    def distribution(self) -> RateDistribution:
        """The rate as a distribution."""
        return self.rate if self.is_uncertain else Fixed(self.rate)

    @property
    def is_uncertain(self) -> bool:
        """Whether several rates are possible."""
        return isinstance(self.rate, RateDistribution)

    def _weight_rows(self, pos: Array, neg: Array) -> tuple[FloatArray, FloatArray]:
        """Return rows with the prevalence and the sum 1; zeros if a class is absent."""
        n_pos, n_neg = pos.sum(axis=1), neg.sum(axis=1)
        has_both = (n_pos > 0) & (n_neg > 0)
        by_pos = has_both * self.prevalence / np.where(has_both, n_pos, 1)
        by_neg = has_both * (1 - self.prevalence) / np.where(has_both, n_neg, 1)
        return by_pos[:, None] * pos, by_neg[:, None] * neg

    def _weight_table(self, table: RankTable) -> RankTable:
        """Return the table with the prevalence of the population, if it is given."""
        if self.prevalence is None or not min(table.n_pos, table.n_neg) > 0:
            return table
        (pos,), (neg,) = self._weight_rows(table.pos[None], table.neg[None])
        # Keep the total, because the width of the window at a cut depends on it.
        return build_weight_table(table.total * pos, table.total * neg)

    def cut_rates(self, table: RankTable) -> FloatArray:
        cuts = super().cut_rates(table)
        if self.prevalence is None or not len(cuts):
            return cuts
        return np.interp(cuts, self._weight_table(table).rates, table.rates)

    def compute(self, table: RankTable) -> float:
        distribution, processed = self.weighting
        table = self._weight_table(table)
        if table.n_pos == 0 and not self.counts_negatives:
            # Without positives the recall is undefined, but the precision is 0.
            return 0.0 / processed
        recall = expected_recall(
            table, distribution, of_negatives=self.counts_negatives
        )
        return (1.0 if self.is_per_positive else table.prevalence) * recall / processed

    def values(self, pos: Array, neg: Array) -> FloatArray:
        distribution, processed = self.weighting
        if self.prevalence is not None:
            pos, neg = self._weight_rows(pos, neg)
        counted, weight = (neg if self.counts_negatives else pos), pos + neg
        hits = table_gains(counted, weight, distribution) / processed
        denominator = counted if self.is_per_positive else weight
        return divide_or_nan(hits, denominator.sum(axis=1))

    @property
    def counts_places(self) -> bool:  # type: ignore[override]
        return self.k is not None

    @property
    def default_average(self) -> Literal["macro", "pooled"]:  # type: ignore[override]
        # The lift is not a ratio of two sums over lists.
        is_lift = self.is_per_positive and self.is_per_processed
        return "macro" if self.is_uncertain or is_lift else "pooled"

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        if self.k is not None:
            if k is not None and k != self.k:
                raise ValueError(
                    f"k={k} and k={self.k} of the metric exclude each other: leave out "
                    "one, because both limit the items of each list."
                )
            k = self.k
        if self.prevalence is not None:
            raise ValueError(
                "prevalence is for a single ranking: leave out prevalence or groups."
            )
        if (k is None) == (self.rate is None):
            raise ValueError(f"metric: pass either k or rate for the {self.name}.")
        if self.capped and k is None:
            raise ValueError("capped=True needs k: pass it instead of rate.")
        if self.is_uncertain:
            return super().score_lists(lists)
        n_seen = self.rate * lists.sizes if k is None else np.minimum(k, lists.sizes)
        has_many_lists = k is None and lists.is_counted and len(n_seen) >= 10
        if has_many_lists and np.mean(n_seen < 0.5) > 0.5:
            warn(
                f"rate={self.rate:g} is less than half an item of most of the "
                f"{len(n_seen)} lists: if groups are patients, not lists, leave them "
                "out here, and pass clusters= to estimate. The "
                f"{self.name} cuts each list separately."
            )
        counted = lists.neg if self.counts_negatives else lists.pos
        returned = lists.neg if self.counts_negatives else lists.returned_pos
        hits = lists.sum(returned * top_row_fractions(lists, n_seen))
        denominator = lists.sum(counted) if self.is_per_positive else n_seen
        if self.capped and k is not None:
            denominator = np.minimum(np.asarray(denominator), k)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = hits / denominator
            if self.default_average == "macro":
                # The lift.
                return ListValues.of(scores / (n_seen / lists.sizes), lists)
        return ListValues.of(scores, lists, hits, denominator)

    def undefined_value(self, table: RankTable) -> str:
        return "the rate is 0, and no sample is processed"

    def lost_recall(self, table: RankTable, value: float) -> float:
        return missed_fraction(self._weight_table(table), self.distribution)

    @property
    def weighting(self) -> tuple[RateDistribution, float]:
        """The distribution for an expected recall, and the divisor of this recall."""
        if not self.is_per_processed:
            return self.distribution, 1.0
        if not self.is_uncertain:
            return self.distribution, self.rate
        distribution = InverseWeightedRate(self.distribution)
        return distribution, 1 / distribution.mean_inverse

    def slopes(self, table: RankTable) -> Slopes:
        table, (distribution, processed) = self._weight_table(table), self.weighting
        if self.counts_negatives:
            slopes = recall_slopes(table.swapped, distribution)[0].turned().scaled(-1.0)
        else:
            slopes, recall = recall_slopes(table, distribution)
            factor, by_prevalence = 1 / processed, 0.0
            if not self.is_per_positive:
                factor, by_prevalence = table.prevalence * factor, recall * factor
            slopes = slopes.scaled(factor, by_prevalence)
        if self.prevalence is not None:
            # The prevalence is given, and not estimated.
            slopes = slopes._replace(by_prevalence=0.0)
        return slopes


class RecallAtRate(RateMetric, score=recall_at_rate_score):
    """The fraction of the positives, or of the negatives, that is processed."""

    of: Side = field(default="positives", metadata=NAMED)
    capped: bool = field(default=False, metadata=NAMED)

    is_per_processed = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag("capped", self.capped)
        if self.capped and self.of != "positives":
            raise ValueError('capped=True is for of="positives": leave one out.')
        check_choice("of", self.of, SIDES)

    @property
    def name(self) -> str:
        name = "FPR" if self.counts_negatives else "recall"
        return f"Expected {name}" if self.is_uncertain else name[0].upper() + name[1:]

    @property
    def greater_is_better(self) -> bool:  # type: ignore[override]
        return not self.counts_negatives

    @property
    def takes_unreturned(self) -> bool:  # type: ignore[override]
        return not (self.counts_negatives or self.is_uncertain)

    @property
    def counts_negatives(self) -> bool:  # type: ignore[override]
        """Whether the negatives are counted."""
        return self.of == "negatives"

    @property
    def has_equal_budget(self) -> bool:  # type: ignore[override]
        is_known_rate = (
            fixed_rate(self.distribution) is not None and self.prevalence is None
        )
        return is_known_rate and not self.counts_negatives

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        # At the rates 0 and 1 all rankings have the same recall.
        rate = fixed_rate(self.rate) if self.is_uncertain else self.rate
        return (rate, rate) if rate in (0, 1) else (0.0, 1.0)


class PrecisionAtRate(RateMetric, score=precision_at_rate_score):
    """The fraction of positives among processed samples: recall * prevalence / rate."""

    name = "Precision"
    is_per_positive = False


class LiftAtRate(RateMetric, score=lift_at_rate_score):
    """The recall divided by the rate: 1 for a random order."""

    name = "Lift"

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        if self.rate == 1:
            return 1.0, 1.0
        if self.is_uncertain:
            distribution = InverseWeightedRate(self.rate)
            return 0.0, distribution.mean_inverse if distribution.is_bounded else np.inf
        return 0.0, np.inf if self.rate is None else 1 / self.rate


def check_rate_parameter(rate: Any, *, has_k: bool = False) -> float | RateDistribution:
    """Return a fixed rate as a float, and an uncertain rate as its distribution.

    A number of samples, such as 50, raises an error, because it could refer to the
    given samples (for which metrics that have it take ``k``) or to the population that
    they represent.
    """
    if isinstance(rate, numbers.Real) and not isinstance(rate, bool):
        one, several = "rate=1/N is one of N samples", "{n} of N samples are rate={n}/N"
        if has_k:
            one = "k=1 is one of the given samples"
            several = "for {n} of the given samples pass k={n}, for {n} of N samples "
            several += "that these represent rate={n}/N"
        reject_integer_one(rate, one)
        hint = count_hint(rate, several)
        return check_fraction("rate", rate, include_one=True, hint=hint)
    distribution = check_rate(rate)
    return fixed_rate(distribution) or distribution


def reject_integer_one(rate: Any, otherwise: str) -> None:
    """Raise an error for the integer 1; ``otherwise`` says how to pass one sample."""
    is_whole = isinstance(rate, numbers.Integral) and not isinstance(rate, bool)
    if is_whole and rate == 1:
        raise ValueError(
            f"rate=1 could mean one sample or all samples: {otherwise}, and rate=1.0 "
            "is all samples."
        )
