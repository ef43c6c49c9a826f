"""Expected recall under a distribution over the rate."""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache, partial
from typing import Any, Literal, get_args, overload

import numpy as np

from skrate.core.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    dot,
    ratio,
    share_of,
)
from skrate.core.fold_rankings import FoldRankings
from skrate.core.kept import kept
from skrate.core.list_table import ListTable
from skrate.core.metric import NAMED, InLists, Metric, Slopes, score
from skrate.core.one_vs_rest import (
    AverageName,
    ClassAverage,
    RateByClass,
    is_one_vs_rest,
    of_each_class,
    score_classes,
)
from skrate.core.rank_table import RankTable, table_of_weights
from skrate.core.rate_curves import RateCurve
from skrate.core.rate_sets import End
from skrate.core.rates import RateDistribution
from skrate.core.validation import check_choice
from skrate.metrics.recall_slopes import recall_limits, recall_slopes
from skrate.metrics.under_set import UnderSet

__all__ = ["expected_recall_score"]

# The sum over positives: rankings up to this length keep their weights, longer ones
# are cut into blocks, on each of which the weights are a polynomial of this degree.
_KEPT_LENGTH = 16_384
# Cases at a time.
_CACHED = 16_384
# Groups at a time: products of vectors this short are not worth a thread to BLAS.
_GROUPS = 8_192
_DEGREE = 7
_TOLERANCE = 1e-13

Side = Literal["positives", "negatives"]
SIDES: tuple[Side, ...] = get_args(Side)


@overload
def expected_recall_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    rate: RateByClass = ...,
    of: Side = ...,
    worst: End | None = ...,
    average: AverageName = ...,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> float: ...
@overload
def expected_recall_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    rate: RateByClass = ...,
    of: Side = ...,
    worst: End | None = ...,
    average: None,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> FloatArray: ...
def expected_recall_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    rate: RateByClass = "uniform",
    of: Side = "positives",
    worst: End | None = None,
    average: ClassAverage = "macro",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float | FloatArray:
    r"""Compute the expected recall when the share processed is uncertain.

    Recall at the rate R, averaged over the distribution of R: what a reviewer who
    stops at an uncertain place will have found. Only the order of the scores counts.
    For one data set and one rate distribution it ranks models as
    :func:`rate_weighted_auc_score` does; that one is comparable across prevalences.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels of two classes; with a column of ``y_score`` for each, those of
        more, or whether each case has the label of each column. Or a
        :class:`RankTable`, or :class:`FoldRankings`, without ``y_score``.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, higher for the positive class, or for that of the column: decision
        values or probabilities.
    rate : "uniform", float, distribution or dict, default="uniform"
        The share of all cases that will be processed: a number in (0, 1], a frozen
        ``scipy.stats`` distribution or one from :mod:`skrate.rates`; with ``worst``
        a set of distributions, from :func:`skrate.rates.between`. Several classes may
        have queues of their own: a dict then holds the rate of each.
    of : {"positives", "negatives"}, default="positives"
        Whose recall: "positives" gives the expected share of the positives that are
        processed, "negatives" that of the negatives that are not.
    worst : {"low", "high"}, default=None
        With a set of distributions, which end of the range over the set is asked for;
        "low" is what is found at worst.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        Of several classes, each against the rest: "macro" is their mean, "weighted"
        that by the number of their cases, None has a value for each. "micro" is of one
        queue of all pairs of a case and a class, "samples" the mean over cases, of
        each of which the classes are a queue. Two classes have no average.
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
        Expected recall in [0, 1]. Random scores give the mean rate (one minus it for
        the negatives); a perfect ranking gives less than 1 where fewer cases may be
        processed than there are positives. nan where undefined. An array with
        ``average=None``.

    Raises
    ------
    ValueError
        If an argument is empty, of another length, not finite or not one-dimensional,
        if there are more than two labels, ``pos_label`` is ambiguous or unknown, a
        weight is negative, or ``rate``, ``of`` or ``worst`` is not one of the choices;
        or if ``rate`` is a set without ``worst``, or ``worst`` is given without a set;
        of several classes as :func:`rate_weighted_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If the class asked for is absent. Of several classes it names the one; a mean
        that needs it is nan, which by "weighted" is none without a case.

    See Also
    --------
    sklearn.metrics.recall_score : Recall of predicted labels, at one threshold.
    rate_weighted_auc_score : Expected recall, rescaled to what is reachable.
    recall_at_rate_score : Recall at one known rate or count.
    compare : The range of a difference over a set of distributions.

    Notes
    -----
    With :math:`z_k` of the :math:`W_1` positives in group k of tied scores, which
    spans the rates from :math:`D_{k-1}` to :math:`D_k`, and
    :math:`G(x) = E[\min(R, x)]`,

    .. math:: E = \sum_k \frac{z_k}{W_1} \frac{G(D_k) - G(D_{k-1})}{D_k - D_{k-1}},

    the mean over positives of the probability of being processed; cases that tie share
    it, which is the expectation over random orders of the tied. It is E[F0] in [1]_,
    and for the negatives E[1 - F1]. Rates outside [0, 1] are clipped. It is exact to
    about 1e-15; where it is itself no more than that, as for very light positives
    ranked last or negatives next to a rate of 1, no digit is left of it.

    Cost: one sort for each class.

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`, theorem 6.

    Examples
    --------
    One of four cases will be processed; one of the two positives is ranked first:

    >>> from skrate import expected_recall_score, rates
    >>> expected_recall_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=0.25
    ... )
    0.5

    The share processed is known only roughly:

    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> round(
    ...     expected_recall_score(
    ...         y_true, y_score, rate=rates.beta(3, 9)
    ...     ),
    ...     4,
    ... )
    0.407

    Two quantiles of it are known, and nothing else:

    >>> known = rates.between({0.1: 0.25, 0.9: 0.5})
    >>> expected_recall_score(y_true, y_score, rate=known, worst="low")
    0.45

    Each case may have several labels, and the surest third of all pairs of a case and
    a label is looked at:

    >>> y_true = [[1, 0], [1, 1], [0, 0]]
    >>> y_score = [[0.9, 0.4], [0.6, 0.8], [0.2, 0.1]]
    >>> round(
    ...     expected_recall_score(
    ...         y_true, y_score, rate=1 / 3, average="micro"
    ...     ),
    ...     4,
    ... )
    0.6667
    """
    if is_one_vs_rest(y_true, y_score, average, labels):
        return score_classes(
            of_each_class(partial(ExpectedRecall, of=of, worst=worst), rate),
            y_true,
            y_score,
            sample_weight,
            pos_label,
            average=average,
            labels=labels,
        )
    return score(
        ExpectedRecall(rate, of, worst), y_true, y_score, sample_weight, pos_label
    )


class ExpectedRecall(UnderSet, InLists, Metric, score=expected_recall_score):
    """The expected recall of either class under a rate."""

    rate: Any = "uniform"
    of: Side = field(default="positives", metadata=NAMED)
    worst: End | None = None

    def __post_init__(self) -> None:
        check_choice("of", self.of, SIDES)
        super().__post_init__()

    @property
    def name(self) -> str:
        positives = self.of == "positives"
        return "Expected recall" if positives else "Expected recall of the negatives"

    @property
    def needs(self) -> tuple[str, ...]:
        """The class without which it is undefined."""
        return (self.of.removesuffix("s"),)

    @property
    def is_of_negatives(self) -> bool:
        """Whether it is the recall of the negatives."""
        return self.of == "negatives"

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return its range: one value where all is processed, or nothing."""
        low, high = recall_limits(self.rate)
        return (low, high) if self.of == "positives" else (1 - high, 1 - low)

    def by_rate(self, table: RankTable) -> RateCurve:
        recall = table.tpr if self.of == "positives" else 1 - table.fpr
        return RateCurve(table.rates, recall)

    def value(self, table: RankTable) -> float:
        if self.worst is not None:
            return float(self.resolved(table).value(table))
        if self.of == "positives":
            return expected_recall(table, self.rate)
        return 1 - expected_recall(table, self.rate, of_negatives=True)

    def values(self, pos: Array, neg: Array) -> FloatArray:
        if self.of == "positives":
            return recall_of_tables(pos, neg, self.rate)
        return 1 - recall_of_tables(neg, pos, self.rate)

    def list_values(self, lists: ListTable) -> FloatArray:
        if self.worst is not None:
            return self.worst_in_lists(lists)
        processed = processed_rows(lists, self.rate)
        if self.of == "positives":
            return share_of(lists.sum(lists.pos * processed), lists.n_pos)
        return 1 - share_of(lists.sum(lists.neg * processed), lists.n_neg)

    def slopes(self, table: RankTable) -> Slopes:
        if self.of == "positives":
            return recall_slopes(table, self.rate)[0]
        return recall_slopes(swapped(table), self.rate)[0].turned()


def expected_recall(
    table: RankTable, rate: RateDistribution, *, of_negatives: bool = False
) -> float:
    """Return E[F0], the mean over positives of the probability of being processed.

    Or E[F1], that over the negatives: summed over them, not taken from what the
    positives leave of the mean rate, which next to many positives is all rounding.
    """
    # With few ties a long ranking is quicker by place than by group, if cases have
    # equal weights.
    cases = table.cases
    by_case = cases is not None and (
        table.labels is not None
        or (len(cases) > _KEPT_LENGTH and 3 * table.n_groups > 2 * len(cases))
    )
    sum_over = _sum_over_cases if by_case else _sum_over_groups
    found = sum_over(table, rate, of_negatives=of_negatives)
    return found / (table.n_neg if of_negatives else table.n_pos)


def _sum_over_groups(
    table: RankTable, rate: RateDistribution, *, of_negatives: bool = False
) -> float:
    """Return the sum over a class of the probability of being processed."""
    weights = table.neg if of_negatives else table.pos
    if table.cases is not None and len(table.cases) <= _KEPT_LENGTH:
        ends = table.ends
        assert ends is not None
        starts = np.append(0, ends[:-1])
        sums = np.add.reduceat(_kept_weights(rate, len(table.cases), False), starts)
        return float(dot(weights, sums / (ends - starts)))
    return sum_of_survivals(weights, table.rates, rate)


def sum_of_survivals(
    weights: FloatArray, edges: FloatArray, law: RateDistribution
) -> float:
    """Return the sum over groups of weights times the mean survival between edges."""
    total = 0.0
    # Of booleans it is several times quicker.
    groups = np.flatnonzero(weights > 0)
    for first in range(0, len(groups), _GROUPS):
        part = groups[first : first + _GROUPS]
        total += law.table.sum_of_means(edges[part], edges[part + 1], weights[part])
    return total


def _sum_over_cases(
    table: RankTable, rate: RateDistribution, *, of_negatives: bool = False
) -> float:
    """Return the same for the positives, or the negatives, where weights are equal."""
    cases = table.cases
    assert cases is not None
    total = sum_over_places(~cases if of_negatives else cases, rate)
    # The positives of a tie share the places of all in it, not only the first.
    start, turn, end = table.mixed_ties()
    if len(start):
        n = len(cases)
        shared = rate.table.mean(start / n, end / n)
        first, last = (turn, end) if of_negatives else (start, turn)
        taken = rate.table.mean(first / n, last / n)
        total += float(np.sum((last - first) * (shared - taken)))
    return total


def sum_over_gaps(counts: IntArray, law: RateDistribution) -> float:
    """Return the sum of P(R > i / n) for as many as are in gap i, from 0 to n."""
    return sum_over_places(counts, law, is_point=True)


def sum_over_places(
    counts: Array, rate: RateDistribution, *, is_point: bool = False
) -> float:
    """Return the same where every case has a place of its own; labels may be numbers.

    In a block of a long ranking that probability is a polynomial of the position, to
    rounding, nearly everywhere: its values at a few positions give the sum over the
    block by products. Blocks where it is not (a jump, an unbounded density)
    fail the check at other positions and are summed case by case.

    If each ``is_point``, they are between the places: above the first, and so on.
    """
    n = len(counts) - is_point
    if len(counts) <= _KEPT_LENGTH:
        return float(dot(counts, _kept_weights(rate, n, is_point)))
    size, at_nodes, is_smooth, in_rest = _kept_blocks(rate, n, is_point)
    to_moments = _interpolation(size)[2]
    blocks = counts[: size * len(at_nodes)].reshape(-1, size)
    moments = np.empty_like(at_nodes)
    # A few blocks at a time, which stay in the cache.
    step = _CACHED // size
    for first in range(0, len(blocks), step):
        some = slice(first, first + step)
        np.einsum("ij,kj->ik", blocks[some], to_moments, out=moments[some])
    total = float((moments * at_nodes)[is_smooth].sum())
    total += float(dot(counts[blocks.size :], in_rest))
    if is_smooth.all():
        return total
    by_case = np.flatnonzero(np.repeat(~is_smooth, size))
    for part in np.array_split(by_case, 1 + len(by_case) // _KEPT_LENGTH):
        total += float(dot(counts[part], _processed(part, n, rate, is_point)))
    return total


@kept
def _kept_weights(rate: RateDistribution, n: int, is_point: bool) -> FloatArray:
    return _processed(np.arange(n + is_point), n, rate, is_point)


@kept
def _kept_blocks(
    rate: RateDistribution, n: int, is_point: bool
) -> tuple[int, FloatArray, BoolArray, FloatArray]:
    """Return the size of blocks, their values at nodes and whether these will do.

    And the values in what is left after the last block.
    """
    # A power of two, less than a hundredth of the ranking.
    size = min(1024, 1 << ((n // 128).bit_length() - 1))
    nodes, checks, _, to_checks = _interpolation(size)
    starts = size * np.arange(n // size)[:, None]
    at_nodes = _processed(starts + nodes, n, rate, is_point)
    misses = np.einsum("ij,kj->ik", at_nodes, to_checks)
    misses -= _processed(starts + checks, n, rate, is_point)
    # Relative to the recall there is: a rate may be as small as one case of millions.
    tolerance = _TOLERANCE * np.maximum(at_nodes[:, 0], rate.mean())
    is_smooth = np.abs(misses).max(axis=1) <= tolerance
    rest = np.arange(size * len(starts), n + is_point)
    return size, at_nodes, is_smooth, _processed(rest, n, rate, is_point)


@lru_cache(maxsize=4)
def _interpolation(size: int) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return nodes and checks in a block, and Lagrange polynomials at all its places.

    The nodes are Chebyshev's, both ends included, rounded to positions.
    """
    angles = np.pi * np.arange(_DEGREE + 1) / _DEGREE
    nodes = np.rint((size - 1) * (1 - np.cos(angles)) / 2).astype(np.intp)
    checks = (nodes[[0, 3, 6]] + nodes[[1, 4, 7]]) // 2
    places = np.arange(size)
    basis = np.ones((len(nodes), size))
    for j, node in enumerate(nodes):
        for other in np.delete(nodes, j):
            basis[j] *= (places - other) / (node - other)
    return nodes, checks, basis, basis[:, checks].T.copy()


def _processed(
    positions: IntArray, n: int, rate: RateDistribution, is_point: bool
) -> FloatArray:
    """Return the probability of being processed at 0-based positions of ``n``.

    Or, if each ``is_point``, where a position begins.
    """
    if is_point:
        return rate.table.survival(positions / n)
    return rate.table.mean(positions / n, (positions + 1) / n)


def recall_of_tables(pos: Array, neg: Array, rate: RateDistribution) -> FloatArray:
    """Return the expected recall of many tables, nan without positives."""
    return recall_in_range(pos, neg, rate)[0]


def recall_in_range(
    pos: Array, neg: Array, rate: RateDistribution
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the same, and the expected recall of worst and of best ranking.

    These are nan without either class.
    """
    weight = pos + neg
    n_pos, n_neg = pos.sum(axis=1), neg.sum(axis=1)
    # Before the cuts of the ranking those of a worst and of a perfect one.
    cuts = np.empty((len(weight), weight.shape[1] + 2), dtype=weight.dtype)
    cuts[:, 0], cuts[:, 1] = n_neg, n_pos
    np.cumsum(weight, axis=1, out=cuts[:, 2:])
    means = _limited_means(cuts, rate)
    area = np.diff(means[:, 2:], axis=1, prepend=0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.einsum("ij,ij->i", area, ratio(pos, weight))
        worst, best = (means[:, -1] - means[:, 0]) / n_pos, means[:, 1] / n_pos
        worst[n_neg == 0] = np.nan
        return np.asarray(found / n_pos), worst, best


def _limited_means(cuts: Array, rate: RateDistribution) -> FloatArray:
    """Return G at the cuts, in cases: looked up where all tables have n whole cases."""
    totals = cuts[:, -1]
    if cuts.dtype.kind == "i" and totals.min() == totals.max():
        n = int(totals[0])
        if n <= 16 * cuts.size:
            return _kept_limited_means(rate, n).take(cuts)
    shares = (cuts / totals[:, None]).ravel()
    return rate.table.limited_mean(shares).reshape(cuts.shape) * totals[:, None]


@kept
def _kept_limited_means(rate: RateDistribution, n: int) -> FloatArray:
    """Return n G(i / n) for i = 0, ..., n."""
    return n * rate.table.limited_mean(np.arange(n + 1) / n)


def processed_rows(lists: ListTable, rate: RateDistribution) -> FloatArray:
    """Return the probability of being processed for the cases of each row."""
    n_items = lists.spread(lists.sizes)
    return rate.table.mean(lists.begins / n_items, lists.ends / n_items)


def swapped(table: RankTable) -> RankTable:
    """Return the table in which the negatives are the positives."""
    return table_of_weights(table.neg, table.pos)
