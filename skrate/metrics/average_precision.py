"""Average precision, at the prevalence of the sample or of a population."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any, Literal, Self, get_args, overload

import numpy as np
import sklearn.metrics

from skrate.data.arrays import (
    Array,
    ArrayLike,
    FloatArray,
    Label,
    Number,
    dot,
    ratio,
    sum_from_right,
)
from skrate.data.checks import check_choice, check_flag, check_fraction
from skrate.data.compressed import Cells, reach
from skrate.data.folds import FoldRankings
from skrate.data.show import described_like
from skrate.data.table import EstimatedTable, RankTable
from skrate.metrics.base import Facts, Metric, Slopes, extremes, is_defined
from skrate.metrics.binormal_tail import (
    Tail,
    binormal_tail,
    controls_needed,
    spread_ratio,
    tail_slopes,
)
from skrate.metrics.classes import AverageName, ClassAverage, has_columns, score_any
from skrate.metrics.recall import expected_recall_score

__all__ = ["average_precision_score"]

TailKind = Literal["binormal", "empirical"]
TAILS: tuple[TailKind, ...] = get_args(TailKind)
# A case may count so little that its share of its class is 0.
_LEAST = np.finfo(np.float64).tiny


@singledispatch
def excess(metric: Metric, table: RankTable) -> float:
    """Return how much more a metric is, on average, of so few cases; nan if unknown."""
    return float("nan") if metric.facts.enough_positives else 0.0


@overload
def average_precision_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    prevalence: Number | None = ...,
    adjusted: bool = ...,
    tail: TailKind = ...,
    average: AverageName = ...,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> float: ...


@overload
def average_precision_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    prevalence: Number | None = ...,
    adjusted: bool = ...,
    tail: TailKind = ...,
    average: None,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> FloatArray: ...


@described_like(expected_recall_score)
def average_precision_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    prevalence: Number | None = None,
    adjusted: bool = False,
    tail: TailKind = "binormal",
    average: ClassAverage = "macro",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float | FloatArray:
    r"""Compute the average precision, at the prevalence of sample or population.

    The mean, over the positives, of the precision down to each of them: a measure for
    screening and rare events, where the top of the ranking counts. Equal to
    :func:`sklearn.metrics.average_precision_score` by default, and quicker; unlike it,
    it can tell what a case-control sample says about a population. Only the order of
    the scores counts.

    Parameters
    ----------
    prevalence : float, default=None
        Share of the positives in the population, in (0, 1): positives and negatives
        are weighted to it. None takes the share in the sample.
    adjusted : bool, default=False
        Whether to rescale so that constant scores give 0, at any prevalence.
    tail : {"binormal", "empirical"}, default="binormal"
        How the top of the ranking is read at a ``prevalence`` below the sample's, where
        a negative stands for many: "empirical" takes the false positive
        rates as they are seen, which is too high on average, the more the fewer
        negatives there are; "binormal" shrinks those with few negatives above them to
        a line through the ROC curve in probits. It changes nothing at the prevalence
        of the sample, or above it.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones. Whole weights equal
        repeated rows, except with a ``prevalence`` and "binormal", see Notes.

    Returns
    -------
    score : float, or array of shape (n_classes,)
        Average precision in (0, 1]: 1 for a perfect ranking; constant scores give the
        prevalence, and random scores in expectation a little more, the less the more
        cases. ``adjusted`` it is 1 and 0 for these, and less than 0 for worse. nan
        where undefined. An array with ``average=None``.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, a ``prevalence`` outside
        (0, 1) or an unknown ``tail``; of a table if its weights are not whole where
        numbers of cases matter; of several classes as :func:`rate_weighted_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive case (scikit-learn returns 0.0 there), or no negative
        one and ``prevalence`` is given or ``adjusted`` is True. With several classes it
        names the class, with several cases it counts them; a mean that needs it is nan
        ("weighted" needs no class without cases).
    UserWarning
        If the sample has too few negatives for ``prevalence``; it says about how many
        are needed.

    See Also
    --------
    sklearn.metrics.average_precision_score : At the prevalence of the sample.
    rate_weighted_auc_score : For a rate that is known as a distribution.
    AveragePrecisionScorer : The same as a ``scoring=`` object.

    Notes
    -----
    With :math:`P_k` and :math:`Q_k` the shares of the positives and of the negatives in
    the first k of K groups of tied scores, :math:`\Delta P_k = P_k - P_{k-1}` and the
    prevalence p,

    .. math:: AP = \sum_k \Delta P_k \frac{p P_k}{p P_k + (1 - p) Q_k},

    equation 24 of [1]_, which is equation 17 at the sample's prevalence. Cases that
    tie are found together, none before the others; the expectation over their orders
    is :func:`mean_average_precision_score`. ``adjusted`` it is
    (AP - p) / (1 - p), equation 11. Cost: one sort for each class.

    Several classes are as in :func:`sklearn.metrics.average_precision_score`, but a
    class or case without a positive is not counted as 0.

    With ``tail="binormal"`` the k of m negatives above a positive give the false
    positive rate (k + s) / (m + s / f): f comes from a straight line through the ROC
    curve in probits, and s = (1 - 1 / r) / 2 where each negative stands for r > 1
    cases, relative to a positive. Where fewer than five positives count for the line,
    or rates do not rise with them, there is none, and rates are as they are seen; see
    the user guide. Numbers of cases are rows there: a case of weight 3 is one that
    counts three times. Repetitions are for a :class:`RankTable` of whole weights, and
    :func:`estimate` and its kin refuse ``weights="frequency"``.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    The positives are at places 1 and 3, where the precision is 1 and 2/3:

    >>> from skrate import average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> round(average_precision_score(y_true, y_score), 4)
    0.8333

    If one of a hundred were positive, many negatives would come before most of them:

    >>> score = average_precision_score(
    ...     y_true, y_score, prevalence=0.01, tail="empirical"
    ... )
    >>> round(score, 4)
    0.5099
    """
    metric = AveragePrecision(prevalence, adjusted, tail)
    if pos_label == 1 and has_columns(y_score):
        # As scikit-learn takes it, whose default it is.
        pos_label = None
    return score_any(
        lambda _: metric, None, y_true, y_score, sample_weight, pos_label,
        average=average, labels=labels,
    )  # fmt: skip


class AveragePrecision(
    Metric,
    score=average_precision_score,
    aliases=(sklearn.metrics.average_precision_score,),
):
    """Average precision, as inference and scorers see it."""

    prevalence: Any = None
    adjusted: bool = False
    tail: TailKind = "binormal"

    # Number of cases behind the weights of a table; None where these are counts. Not
    # a parameter.
    _n_cases = None

    def __post_init__(self) -> None:
        check_flag("adjusted", self.adjusted)
        check_choice("tail", self.tail, TAILS)
        if self.prevalence is not None:
            # As a float of Python: one of few bits would round what is made of it.
            prevalence = check_fraction("prevalence", self.prevalence)
            object.__setattr__(self, "prevalence", prevalence)

    @property
    def name(self) -> str:
        return "Adjusted average precision" if self.adjusted else "Average precision"

    @property
    def facts(self) -> Facts:
        if self.goes_by_cases:
            return Facts(enough_positives=20, least_positives=5)
        # What counts is how many negatives there are down to each positive.
        is_plain = self.prevalence is None and not self.adjusted
        return Facts(
            enough_positives=20, least_positives=5, groups="down",
            takes_estimates=is_plain,
        )  # fmt: skip

    @property
    def needs(self) -> tuple[str, ...]:
        if self.adjusted or self.prevalence is not None:
            return "positive", "negative"
        return ("positive",)

    def of_sample(self, n_cases: float | None, *, is_weighted: bool) -> Self:
        if n_cases is None and self.goes_by_cases:
            raise ValueError(
                "prevalence with tail='binormal' goes by numbers of cases, which a "
                "RankTable of weights that are not whole does not know: use "
                "tail='empirical', or give labels, scores and sample_weight."
            )
        known = replace(self)
        object.__setattr__(known, "_n_cases", n_cases)
        return known

    def value(self, table: RankTable) -> float:
        if isinstance(table, EstimatedTable):
            # At a positive one more is found, whatever it counts itself.
            found = table.pos * table.cum_pos[1:] + table.own_squares
            return float(np.add.reduce(found / _above(table)) / table.n_pos)
        return super().value(table)

    def values(self, pos: Array, neg: Array) -> FloatArray:
        # Whole numbers are summed as such, which is quicker.
        found, lost = np.cumsum(pos, axis=1), np.cumsum(neg, axis=1)
        n_pos, n_neg = (part[:, -1:].astype(np.float64) for part in (found, lost))
        p = self.prevalence
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.adjusted or p is not None:
                # By shares of the classes, whose weights may be of any size.
                found, lost = found / n_pos, lost / n_neg
            if not self.adjusted:
                lost = lost if p is None else (1 - p) / p * lost
                precision = ratio(found, found + lost)
                value = np.einsum("ij,ij->i", pos, precision) / n_pos[:, 0]
            else:
                total = n_pos + n_neg
                chance, rest = (
                    (n_pos / total, n_neg / total) if p is None else (p, 1 - p)
                )
                # (AP - p) / (1 - p) = 1 - (1 - AP) / (1 - p), by what precision lacks.
                missed = ratio(lost, chance * found + rest * lost)
                value = 1 - np.einsum("ij,ij->i", pos, missed) / n_pos[:, 0]
        n_pos, n_neg = n_pos[:, 0], n_neg[:, 0]
        lacks = (n_pos == 0) | (n_neg == 0) if "negative" in self.needs else n_pos == 0
        value[lacks] = np.nan
        if self.goes_by_cases:
            assert self.prevalence is not None
            tail = binormal_tail(pos, neg, self.prevalence, self._n_cases)
            np.copyto(value, self._with_tail(tail), where=tail.is_fitted[:, 0])
        return np.asarray(value)

    @property
    def goes_by_cases(self) -> bool:
        """Whether rates at the top are shrunk to a line by the number of cases."""
        return self.prevalence is not None and self.tail == "binormal"

    def _is_rarer(self, table: RankTable) -> bool:
        """Return whether positives are rarer in the population than in the sample."""
        p = self.prevalence
        return p is not None and p * table.n_neg < (1 - p) * table.n_pos

    def _tail_of(self, table: RankTable) -> Tail | None:
        """Return the tail of a table, with a line or not, None where it has no use."""
        if not self.goes_by_cases or not is_defined(self, table):
            return None
        if not self._is_rarer(table):
            return None
        assert self.prevalence is not None
        small = table.merged
        return binormal_tail(
            small.pos[None], small.neg[None], self.prevalence, self._n_cases
        )

    def _with_tail(self, tail: Tail) -> FloatArray:
        """Return the values with the rates that the lines lead to."""
        assert self.prevalence is not None
        found = tail.tpr
        lost = (1 - self.prevalence) / self.prevalence * tail.shrunk
        # The mean precision, or what it lacks to 1.
        part = lost if self.adjusted else found
        value = np.einsum("ij,ij->i", tail.pos, ratio(part, found + lost))
        if self.adjusted:
            value = 1 - value / (1 - self.prevalence)
        return np.asarray(value)

    def slopes(self, table: RankTable) -> Slopes:
        if isinstance(table, EstimatedTable):
            slopes = _slopes(table, self.prevalence, self.adjusted)
            # In its own precision a case is one, even if it stands for several.
            once = (table.pos - table.neg) / (table.pos + table.neg) - 1
            by_pos = slopes.by_pos - np.maximum(once, 0) / _above(table)
            return slopes._replace(by_pos=by_pos)
        tail = self._tail_of(table)
        if tail is None or not tail.is_fitted.item():
            return _slopes(table, self.prevalence, self.adjusted)
        assert self.prevalence is not None
        slopes = tail_slopes(tail, self.prevalence)
        group = table.merged.group_of(table.n_groups)
        # More than 1 for the negatives, whose rates are shrunk.
        factor = spread_ratio(slopes.by_neg, table.merged.neg, tail.shrunk[0])
        slopes = Slopes(
            slopes.by_pos[group],
            slopes.by_neg[group],
            slopes.by_prevalence,
            (1.0, factor),
        )
        return slopes.scaled(1 / (1 - self.prevalence)) if self.adjusted else slopes

    def caution(
        self, table: RankTable, compared: tuple[float, float] | None = None
    ) -> str | None:
        """Return what the sample cannot tell, if its controls are too few."""
        p = self.prevalence
        if compared is not None:
            return None
        # Rounding is no other prevalence.
        if p is None or p * table.n_neg >= (1 - p) * table.n_pos * (1 - 1e-9):
            return None
        pos, neg = table.merged.pos[None], table.merged.neg[None]
        tail = binormal_tail(pos, neg, p, self._n_cases)
        if self.tail == "empirical":
            tail = tail._replace(is_fitted=np.zeros_like(tail.is_fitted))
        n_needed = controls_needed(tail, p)
        n_neg = tail.n_neg.item()
        if n_needed <= n_neg:
            return None
        # Two digits, and no power of ten where it can be read without.
        rounded = float(f"{n_needed:.2g}")
        needed = f"{rounded:,.0f}" if rounded < 1e9 else f"{rounded:g}"
        return (
            f"{self.name} at prevalence {p:g}: {n_neg:,.0f} negatives are too few, as "
            "nearly all of the value depends on how many cases rank above the third "
            "negative. Trust neither the value nor its interval, nor a comparison: "
            "report the AUC or a partial AUC, or collect more, as about "
            f"{needed} negatives would be needed."
        )

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return its range; adjusted, it may be below 0."""
        if not self.adjusted or table is None:
            return (-np.inf if self.adjusted else 0.0), 1.0
        chance, rest = _class_shares(table, self.prevalence)
        # Without negatives nothing is left to adjust by, and it is undefined.
        return (-chance / rest if rest > 0 else float("-inf")), 1.0


@extremes.register
def _(metric: AveragePrecision, table: RankTable) -> tuple[float, float]:
    if metric._tail_of(table) is not None:
        raise ValueError(
            'The error of a table that was compressed is not known with tail="'
            f'binormal" at a prevalence of {metric.prevalence:g}, below that of the '
            f'cases, {table.prevalence:.3g}: ask with tail="empirical".'
        )
    per_neg = 1.0
    if metric.prevalence is not None:
        odds = metric.prevalence / (1 - metric.prevalence)
        per_neg = table.n_pos / table.n_neg / odds
    chance, rest = _class_shares(table, metric.prevalence)
    # As the value itself: next to few negatives, from what it lacks to 1.
    of_missed = metric.adjusted and chance > 0.5
    least, most = _extremes(table.cells, per_neg, of_missed=of_missed)
    if of_missed:
        return 1 - least / rest, 1 - most / rest
    if metric.adjusted:
        return (least - chance) / rest, (most - chance) / rest
    return least, most


@excess.register
def _(metric: AveragePrecision, table: RankTable) -> float:
    tail = metric._tail_of(table)
    if tail is not None and tail.is_fitted.item():
        return float("nan")
    chance, rest = _class_shares(table, metric.prevalence)
    found = precision_excess(table, chance)
    return found / rest if metric.adjusted else found


def _extremes(
    cells: Cells, per_neg: float, *, of_missed: bool = False
) -> tuple[float, float]:
    """Return the least and the greatest average precision that cells allow.

    Greatest with all positives above that may be and the negatives that must be, least
    the other way round; ``of_missed`` it is what these two lack to 1.
    """
    above = reach(cells)
    n_pos = cells.pos.sum()
    lost = per_neg * above.neg_least
    found = above.pos_most
    most = ratio(lost if of_missed else found, found + lost)
    lost = per_neg * above.neg_most
    found = above.pos_least + np.where(cells.is_exact, 0, cells.pos)
    least = cells.pos * ratio(lost if of_missed else found, found + lost)
    # The mean over the positives of a cell, whatever their weights: an integral.
    is_apart = ~cells.is_exact & (cells.pos > 0) & (lost > 0)
    pos, before, lost = (x[is_apart] for x in (cells.pos, above.pos_least, lost))
    missed = lost * np.log1p(pos / (before + lost))
    least[is_apart] = missed if of_missed else pos - missed
    return float(least.sum() / n_pos), float(dot(cells.pos, most) / n_pos)


def _class_shares(table: RankTable, prevalence: float | None) -> tuple[float, float]:
    if prevalence is None:
        return table.prevalence, table.negative_share
    return prevalence, 1 - prevalence


def _slopes(table: RankTable, prevalence: float | None, adjusted: bool) -> Slopes:
    """Return the slopes of g = sum_k P_k p T_k / C_k, as in appendix B of the article.

    T_k and F_k are the shares of positives and negatives down to group k, and
    C_k = p T_k + (1 - p) F_k. With ``adjusted`` they belong to (g - p) / (1 - p),
    whose slope by p is sum_k P_k F_k (T_k - F_k) / C_k^2.
    """
    p, rest = _class_shares(table, prevalence)
    precision = p / table.n_pos * table.cum_pos[1:]
    missed = rest / table.n_neg * table.cum_neg[1:]
    # Of the least number at least, and never squared: shares may be of any size.
    inverse = precision + missed
    np.divide(1, np.maximum(inverse, _LEAST, out=inverse), out=inverse)
    # Precision, what it lacks to 1, and P_k / C_k.
    precision *= inverse
    missed *= inverse
    share = table.pos / table.n_pos
    inverse *= share
    # P_k p T_k / C_k^2 and P_k (1 - p) F_k / C_k^2, summed.
    by_lost = p * sum_from_right(inverse * missed)
    by_neg = -rest * sum_from_right(inverse * precision)
    by_prevalence = 0.0
    if prevalence is None and not adjusted:
        by_prevalence = float(dot(share, missed * precision)) / p / rest
    elif prevalence is None:
        lead = precision / p - missed / rest
        by_prevalence = float(dot(share, missed / rest * lead))
    # Less 1 where 1 - p divides it: a constant is no slope, and would be all rounding.
    by_lost += -missed if adjusted else precision
    if adjusted:
        by_lost, by_neg = by_lost / rest, by_neg / rest
    return Slopes(by_lost, by_neg, by_prevalence)


def _above(table: EstimatedTable) -> FloatArray:
    """Return how many cases are above each cut; with weights, a positive is one."""
    above = table.rates[1:] * table.total
    if table.is_of_cases:
        return above
    own = np.zeros_like(above)
    return above + np.divide(table.own_squares, table.pos, out=own, where=table.pos > 0)


def precision_excess(table: RankTable, prevalence: float) -> float:
    """Return the bias of the average precision by the jackknife of both classes.

    With the prevalence kept, each of the m cases of a class is left out in turn: m - 1
    times what the mean of these values is above the value, summed over the classes. A
    positive at which t positives and f negatives are reached has t / (t + r f), and
    (t - 1) / (t - 1 + r f) without another one above it, and so with the negatives.
    """
    n_pos, n_neg = table.n_pos, table.n_neg
    if min(n_pos, n_neg) < 2:
        return float("nan")
    groups = table.pos > 0
    pos = table.pos[groups]
    found, lost = table.cum_pos[1:][groups], table.cum_neg[1:][groups]
    # What a negative weighs in units of what a positive does.
    ratio = (1 - prevalence) / prevalence * n_pos / n_neg
    rest_pos, rest_neg = n_pos - 1, n_neg - 1

    def mean(
        found: FloatArray, lost: FloatArray, ratio: float, of: FloatArray
    ) -> float:
        with np.errstate(invalid="ignore"):
            precision = np.where(found > 0, found / (found + ratio * lost), 0.0)
        return float(dot(pos * of, precision)) / n_pos

    value = mean(found, lost, ratio, np.ones_like(pos))
    by_pos = ratio * rest_pos / n_pos
    without_pos = mean(found, lost, by_pos, (n_pos - found) / rest_pos)
    without_pos += mean(found - 1, lost, by_pos, (found - 1) / rest_pos)
    by_neg = ratio * n_neg / rest_neg
    without_neg = mean(found, lost, by_neg, (n_neg - lost) / n_neg)
    without_neg += mean(found, np.maximum(lost - 1, 0), by_neg, lost / n_neg)
    return rest_pos * (without_pos - value) + rest_neg * (without_neg - value)
