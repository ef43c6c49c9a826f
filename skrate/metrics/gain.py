"""Expected gain: the value of the processed samples, under a budget of money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from skrate.data.arrays import (
    ROUNDING,
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    dot,
    ratio,
)
from skrate.data.checks import (
    as_float64,
    check_finite,
    check_flag,
    check_number,
    check_vector,
    shown,
)
from skrate.data.folds import FoldRankings
from skrate.data.list_table import ListTable, ListValues, top_row_fractions
from skrate.data.ranking import Sample, check_ranking, ranking
from skrate.data.table import Merged, RankTable, cumulated, total
from skrate.metrics.metric import (
    FILLED_IN,
    OF_CASES_IN_FOLDS,
    PER_SAMPLE,
    Metric,
    Slopes,
    check_needed,
    needed,
    reject_scoring,
    score,
)
from skrate.metrics.recall import (
    bandwidth,
    expected_recall,
    is_small_budget,
    mean_and_moved,
    processed_rows,
    recall_slopes,
    sum_untied,
    table_gains,
)
from skrate.rates.distributions import (
    RateDistribution,
    RateLike,
    check_rate,
    is_uniform,
)

__all__ = ["expected_gain_score"]

# Derivatives by the gain, and by the cost, of each group.
WorthSlopes = tuple[FloatArray, FloatArray]
# One number per sample, or one per class.
GainLike: TypeAlias = ArrayLike | Mapping[str, float]
CLASSES = ("positive", "negative")
NO_CASES = (
    "gain or cost per sample needs y_true and y_score: pass these, or a gain per "
    "class, {'positive': ..., 'negative': ...}, without cost. A RankTable, batches and "
    "planned samples do not contain single samples."
)


@reject_scoring
def expected_gain_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    gain: GainLike,
    cost: ArrayLike | None = None,
    rate: RateLike = "uniform",
    normalize: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the expected gain of processing samples, best first, within a budget.

    Samples differ in gain, such as the amount of a fraud or the value of a customer,
    and possibly in cost. The budget is then a fraction of the cost of all samples, not
    of their number. With a gain of 1 per positive it is the expected number of
    processed positives.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or, with a gain per class, a table, or folds,
        without ``y_score``. With a gain per sample the labels are ignored.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the samples to process first.
    gain : array-like of shape (n_samples,) or dict
        The gain of processing a sample, in any unit; below 0 it is a loss. An array has
        one number per sample, which must include its label, such as ``np.where(fraud,
        amount, 0)``. A Series is used by position, like an array (by a scorer, by
        index). A dict has one number per class, such as ``{"positive": 1, "negative":
        -0.25}``; a missing class gains 0.
    cost : array-like of shape (n_samples,), default=None
        The part of the budget that processing each sample takes, not negative, in any
        unit; None means equal costs. It is not subtracted from the gain.
    rate : "uniform", float or distribution, default="uniform"
        The budget, as a fraction of the cost of all samples, in (0, 1]. If it is
        uncertain, a frozen ``scipy.stats`` distribution, one from :mod:`skrate.rates`,
        or "uniform": all fractions from 0 to 1 are equally likely.
    normalize : bool, default=False
        Whether to return the gain per sample, which is comparable between data sets of
        different sizes, instead of the sum.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples; None means equal weights. A sample of weight 2 gains and
        costs as much as two. The sum is proportional to the weights; the gain per
        sample does not depend on their scale.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Expected gain, in units of ``gain``. Random scores have the mean rate times the
        gain of all samples. The ranking by the gain per cost of each sample, which no
        model knows, has the maximum. 0 if all gains are 0.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid; ``gain`` or ``cost`` is not finite,
        has another length or names another class; ``cost`` is negative, or zero for all
        samples; a gain or cost per sample is given for a table; or ``rate`` is not one
        of the choices.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers that receive ``gain`` as metadata, too.
    make_ranking_scorer : Scorers that can take ``gain`` from a column of ``X``.
    recall_at_rate_score : The processed fraction of the positives.
    HitCurveDisplay : The gain at each fraction of the cost.

    Notes
    -----
    Let :math:`g_i` be the gain of sample i, :math:`c_i` its cost, C the cost of all
    samples, :math:`A_i` the cost of the samples ranked above it, and R the budget as a
    fraction of C. The expected gain is

    .. math:: \sum_i g_i \, \frac{G((A_i + c_i) / C) - G(A_i / C)}{c_i / C},
              \quad G(x) = E[\min(R, x)],

    the sum of the gains times the probability :math:`P(R > A_i / C)` of being
    processed; the sample on which the budget ends is processed in part. A sample
    without cost is processed as soon as all samples above it are, with :math:`P(R \ge
    A_i / C)`. Tied samples divide the budget that reaches them in proportion to their
    costs: for equal costs, this is the expectation over their random orders. In [1]_
    the gain is a doubly robust score of the effect of a treatment. With the gains
    ``{"positive": 1, "negative": -t / (1 - t)}`` it is the net benefit at the threshold
    probability t [2]_. Cost: one sort.

    References
    ----------
    .. [1] Yadlowsky, Fleming, Shah, Brunskill and Wager (2021), Evaluating treatment
       prioritization rules via rank-weighted average treatment effects,
       :doi:`10.48550/arXiv.2111.07966`.
    .. [2] Vickers and Elkin (2006), Decision curve analysis: a novel method for
       evaluating prediction models, :doi:`10.1177/0272989X06295361`.

    Examples
    --------
    The first and the third of four alerts are frauds of 100 and 900 euros. There is
    time for two alerts:

    >>> from skrate import expected_gain_score, rates
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> expected_gain_score(
    ...     y_true, y_score, gain=[100, 0, 900, 0], rate=0.5
    ... )
    100.0

    The third takes as long as the other three together, and a third of this fits into
    the budget:

    >>> gained = expected_gain_score(
    ...     y_true,
    ...     y_score,
    ...     gain=[100, 0, 900, 0],
    ...     cost=[1, 1, 3, 1],
    ...     rate=0.5,
    ... )
    >>> round(gained, 9)
    400.0

    Net benefit per sample at a threshold of 0.2, for an uncertain rate:

    >>> per_class = {"positive": 1, "negative": -0.2 / 0.8}
    >>> round(
    ...     expected_gain_score(
    ...         y_true,
    ...         y_score,
    ...         gain=per_class,
    ...         rate=rates.beta(3, 9),
    ...         normalize=True,
    ...     ),
    ...     4,
    ... )
    0.1919
    """
    metric = ExpectedGain(gain, cost, rate, normalize)
    check_needed(metric)
    if metric.is_of_samples and not isinstance(y_true, FoldRankings):
        return _expected_sample_gain(metric, y_true, y_score, sample_weight, pos_label)
    return score(metric, y_true, y_score, sample_weight, pos_label)


class ClassGain(NamedTuple):
    """The gain of processing a positive, and a negative."""

    positive: float
    negative: float


class SampleGains(NamedTuple):
    """The gain and the cost of each sample; ``cost`` is None if all costs are equal."""

    gain: FloatArray
    cost: FloatArray | None


@dataclass(frozen=True)
class GroupGains:
    """The sums of gain and of cost over groups of ties, best group first."""

    gain: FloatArray
    cost: FloatArray

    @cached_property
    def shares(self) -> FloatArray:
        """The fraction of the cost above each cut, from 0 to 1."""
        spent = cumulated(self.cost)
        return np.asarray(spent / spent[-1])


class GainTable(RankTable):
    """A table of samples with their gains and costs."""

    gains: GroupGains

    @classmethod
    def of(cls, table: RankTable, gains: GroupGains) -> GainTable:
        """Return a table with the gains and costs of its groups."""
        gain_table = cls.__new__(cls)
        vars(gain_table).update(vars(table), gains=gains)
        return gain_table

    @cached_property
    def merged(self) -> Merged:
        """The unchanged groups, because their gains differ."""
        return Merged(self.pos, self.neg, np.arange(self.n_groups))


class ExpectedGain(Metric, score=expected_gain_score):
    """The expected gain under a rate, a sum over samples or per sample."""

    gain: Any = field(
        default=None,
        metadata=needed("one number per sample, or one per class") | PER_SAMPLE,
    )
    cost: Any = field(default=None, metadata=PER_SAMPLE)
    rate: Any = "uniform"
    normalize: bool = False
    # The number of samples in a sum; None means the total weight of the table.
    n_samples: Any = field(default=None, metadata=FILLED_IN)

    needs = ()

    def __post_init__(self) -> None:
        if self.gain is not None:
            object.__setattr__(self, "gain", check_gain(self.gain))
        object.__setattr__(self, "cost", check_cost(self.cost))
        object.__setattr__(self, "rate", check_rate(self.rate))
        check_flag("normalize", self.normalize)

    @property
    def name(self) -> str:
        return "Expected gain per sample" if self.normalize else "Expected gain"

    @property
    def is_of_samples(self) -> bool:
        """Whether gains or costs are per sample, which a table does not contain."""
        return self.cost is not None or not isinstance(self.gain, ClassGain)

    @property
    def is_sum(self) -> bool:  # type: ignore[override]
        return not self.normalize

    @property
    def takes_estimates(self) -> bool:  # type: ignore[override]
        return not self.is_of_samples

    @property
    def distribution(self) -> RateDistribution | None:
        """The distribution of the rate; None if the budget is in cost."""
        return None if self.cost is not None else self.rate

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        if self.is_of_samples:
            low, high = (0.0 if np.min(self.gain) >= 0 else -np.inf), np.inf
        elif table is not None and self.gain[0] != self.gain[1]:
            # All processed samples are of one class.
            mean = self.rate.mean()
            low, high = mean * min(self.gain), mean * max(self.gain)
        elif self.gain == (0, 0):
            low, high = -np.inf, np.inf
        else:
            low, high = min(0.0, *self.gain), max(0.0, *self.gain)
        scale = 1.0 if table is None else self._scale(table)
        return low * scale, high * scale

    def bind_sample_size(self, n_samples: float | None, *, is_weighted: bool) -> Self:
        return replace(self, n_samples=n_samples)

    def check_fold_rankings(self, rankings: FoldRankings) -> None:
        if self.is_of_samples:
            raise ValueError(OF_CASES_IN_FOLDS)
        super().check_fold_rankings(rankings)

    def sample_gains(self, sample: Sample) -> SampleGains | None:
        """Return the gains and costs of samples; None for a gain per class."""
        if sample.kind == "sampling" and not self.normalize:
            raise ValueError(
                "normalize=False is undefined for sampling weights: use "
                "normalize=True. They determine fractions, not numbers of samples."
            )
        if not self.is_of_samples:
            return None
        return check_sample_gains(self.gain, self.cost, sample)

    def gain_limit(self, sample: Any) -> float:
        return self._scale(sample.table) * max(float(sample.gains.gain.max()), 0.0)

    def compute(self, table: RankTable) -> float:
        if isinstance(table, GainTable):
            mean_gain = sum_expected_gains(table.gains, self.rate) / table.total
            return mean_gain * self._scale(table)
        (of_pos, of_neg), mean_gain = self._class_gain, 0.0
        if of_pos and table.n_pos > 0:
            mean_gain += of_pos * table.prevalence * expected_recall(table, self.rate)
        if of_neg and table.n_neg > 0:
            wasted = expected_recall(table, self.rate, of_negatives=True)
            mean_gain += of_neg * table.negative_fraction * wasted
        return mean_gain * self._scale(table)

    def compute_estimated(self, table: RankTable) -> float:
        # Estimates of a class that add up to 0 or less count, too.
        return super().compute(table)

    @property
    def _class_gain(self) -> ClassGain:
        check_needed(self)
        if self.is_of_samples:
            raise ValueError(NO_CASES)
        gain: ClassGain = self.gain
        return gain

    def _scale(self, table: RankTable) -> float:
        """Return the factor of the gain per sample: the number of samples, or 1."""
        if self.normalize:
            return 1.0
        return table.total if self.n_samples is None else self.n_samples

    def values(self, pos: Array, neg: Array) -> FloatArray:
        n_samples: Any = self.n_samples
        if self.is_of_samples:
            # ``pos`` and ``neg`` are the gains and costs of the groups.
            rows = map(GroupGains, pos, neg)
            gains = np.array([sum_expected_gains(row, self.rate) for row in rows])
            total = n_samples
        else:
            of_pos, of_neg = self._class_gain
            weight = pos + neg
            gains = table_gains(of_pos * pos + of_neg * neg, weight, self.rate)
            total = weight.sum(axis=1)
        scale = 1.0 if self.normalize else total if n_samples is None else n_samples
        return np.asarray(gains / total * scale)

    @property
    def list_gain(self) -> FloatArray | None:  # type: ignore[override]
        """The gain of each sample, None for a gain per class."""
        check_needed(self)
        if not self.is_of_samples:
            return None
        if self.cost is not None:
            raise ValueError(
                "cost is not supported within lists, in which all samples cost the "
                "same: leave it out."
            )
        gain: FloatArray = self.gain
        return gain

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        if k is None:
            processed = processed_rows(lists, self.rate)
        elif is_uniform(self.rate):
            processed = top_row_fractions(lists, np.minimum(k, lists.sizes))
        else:
            raise ValueError(f"k={k} and rate exclude each other: leave out one.")
        if lists.gain is None:
            of_pos, of_neg = self._class_gain
            rows = of_pos * lists.pos + of_neg * lists.neg
        else:
            rows = lists.gain
        gains = lists.sum(rows * processed)
        if not self.normalize:
            return ListValues.of(gains, lists)
        return ListValues.of(gains / lists.sizes, lists, gains, lists.sizes)

    def slopes(self, table: RankTable) -> Slopes:
        of_pos, of_neg = self._class_gain
        p, q = table.prevalence, table.negative_fraction
        pos, recall = recall_slopes(table, self.rate)
        neg, wasted = recall_slopes(table.swapped, self.rate)
        by_prevalence = of_pos * recall - of_neg * wasted
        slopes = pos.scaled(p * of_pos, by_prevalence)
        slopes = slopes.plus(neg.turned().scaled(-q * of_neg))
        return slopes.scaled(self._scale(table))

    def gain_slopes(self, table: GainTable) -> WorthSlopes:
        """Return the derivatives of the score by the gain and cost of each group."""
        by_gain, by_cost = gain_slopes(table, self.rate)
        factor = self._scale(table)
        return factor * by_gain, factor * by_cost


def _expected_sample_gain(
    metric: ExpectedGain,
    y_true: ArrayLike | RankTable,
    y_score: ArrayLike | None,
    sample_weight: ArrayLike | None,
    pos_label: Label,
) -> float:
    """Return the expected gain for gains or costs per sample."""
    if isinstance(y_true, RankTable):
        raise ValueError(NO_CASES)
    sample = check_ranking(y_true, y_score, sample_weight, pos_label, keep_scale=True)
    gains = metric.sample_gains(sample)
    assert gains is not None
    # An infinite sum raises an error below.
    assert sample.scores is not None
    order, begins = ranking(sample.scores)
    with np.errstate(over="ignore", invalid="ignore"):
        if sample.weights is None and gains.cost is None:
            # Equal costs: twice as fast as by groups.
            gain, starts = gains.gain[order], np.flatnonzero(begins)
            if not begins.all():
                sizes = np.diff(starts, append=len(gain))
                gain = np.repeat(np.add.reduceat(gain, starts) / sizes, sizes)
            expected_gain = sum_untied(gain, metric.rate)
        else:
            group_gains = rank_gains(gains, sample.weights, order, begins)
            expected_gain = sum_expected_gains(group_gains, metric.rate)
    if not np.isfinite(expected_gain):
        raise ValueError(
            "The sum of gain or the sum of cost, times sample_weight, is too large: "
            f"divide all by a large number. The limit is {np.finfo(float).max:.3g}."
        )
    if not metric.normalize:
        return expected_gain
    weights = sample.weights
    return expected_gain / (len(gains.gain) if weights is None else total(weights))


def sum_expected_gains(gains: GroupGains, rate: RateDistribution) -> float:
    """Return the sum of gains times the mean survival over the cost of each group."""
    if not gains.cost.any():
        # For example in a resample of samples without cost.
        return float("nan")
    edges, groups = gains.shares, np.flatnonzero(gains.gain)
    processed = rate.table.mean(edges[groups], edges[groups + 1])
    expected_gain = float(dot(gains.gain[groups], processed))
    return expected_gain + float(dot(gains.gain, boundary_probability(gains, rate)))


def boundary_probability(gains: GroupGains, rate: RateDistribution) -> FloatArray:
    """Return the probability that the budget ends at the start of a free group.

    A group without cost is processed as soon as all samples above it are, with
    probability P(R >= u). The survival function includes only P(R > u).
    """
    probability = np.zeros(len(gains.cost))
    points, masses = rate.point_masses()
    # The survival function includes a point mass at 1.
    points, masses = points[points < 1], masses[points < 1]
    is_free = gains.cost == 0
    if len(points) and is_free.any():
        fractions, below = gains.shares[:-1][is_free], np.append(0.0, np.cumsum(masses))
        start = np.searchsorted(points, fractions * (1 - ROUNDING), side="left")
        end = np.searchsorted(points, fractions, side="right")
        probability[is_free] = below[end] - below[start]
    return probability


def gain_slopes(table: GainTable, rate: RateDistribution) -> WorthSlopes:
    """Return the slopes of the expected gain E = sum g_k m_k by group.

    With g_k the gain of group k, c_k its cost, C the total cost, D_k the fraction of
    the cost up to its end, and m_k the mean survival over [D_(k-1), D_k], the slope by
    g_k is m_k. A cost moves the cuts:

        dE/dc_j = sum_k (1{k >= j} - D_k) / C * dE/dD_k.
    """
    gains, at_once = table.gains, 0.0
    is_free = gains.cost == 0
    per_cost = np.divide(
        gains.gain, gains.cost, out=np.zeros_like(gains.gain), where=~is_free
    )
    if is_free.any():
        # A free group is processed as soon as all samples above it are.
        density = rate.table.density(gains.shares[1:])
        at_once = np.where(is_free, gains.gain * density, 0.0) / gains.cost.sum()
    mean, moved = mean_and_moved(
        rate, gains.shares, per_cost, lambda points: cut_gain(table, points), at_once
    )
    whole = float(dot(moved, gains.cost)) / gains.cost.sum()
    return mean + boundary_probability(gains, rate), whole - moved


def cut_gain(table: GainTable, points: FloatArray) -> FloatArray:
    """Return the gain per cost of the samples near the cut at each rate."""
    gains = table.gains
    width = bandwidth(points, table.total)
    gained = np.append(0.0, np.cumsum(gains.gain))
    near_gain = np.interp(points + width, gains.shares, gained)
    near_gain -= np.interp(points - width, gains.shares, gained)
    spent = float(gains.cost.sum())
    around = 2 * width * spent
    # A small number of samples may have equal gains by chance: add four average ones.
    where = np.searchsorted(gains.shares, points, side="left")
    added = (
        np.where(is_small_budget([table], table.rates[where]), 4.0, 0.0) / table.total
    )
    around_all = around + added * spent
    return ratio(near_gain + added * gained[-1], around_all)


def check_gain(gain: Any) -> ClassGain | FloatArray:
    """Return the gain per class, or per sample."""
    if isinstance(gain, ClassGain):
        return gain
    if not isinstance(gain, Mapping):
        return _check_sample_values("gain", gain)
    unknown = [key for key in gain if key not in CLASSES]
    if unknown or not gain:
        keys = f"got {shown(unknown[0])}" if unknown else "got none"
        raise ValueError(
            "gain per class must have the keys 'positive' and 'negative' (0 if left "
            f"out), {keys}. pos_label defines the positive class."
        )
    named = {f"gain[{key!r}]": gain[key] for key in CLASSES if key in gain}
    class_gains = {name: check_number(name, number) for name, number in named.items()}
    return ClassGain(*(class_gains.get(f"gain[{key!r}]", 0.0) for key in CLASSES))


def check_cost(cost: Any) -> FloatArray | None:
    """Return the cost per sample; None if all costs are equal."""
    if cost is None:
        return None
    costs = _check_sample_values("cost", cost)
    minimum = costs.min()
    if minimum < 0:
        raise ValueError(
            f"cost must not be negative, got {minimum:g}: add income to gain instead."
        )
    if not costs.any():
        raise ValueError(
            "cost is zero for every sample: leave it out if all costs are equal."
        )
    return costs


def _check_sample_values(name: str, values: Any) -> FloatArray:
    numbers = as_float64(name, check_vector(name, values))
    check_finite(name, numbers)
    return numbers


def check_sample_gains(
    gain: ClassGain | FloatArray, cost: FloatArray | None, sample: Sample
) -> SampleGains:
    """Return the gains and costs of the samples that have weight."""
    columns: dict[str, FloatArray] = {}
    for name, column in (("gain", gain), ("cost", cost)):
        if column is not None and not isinstance(column, ClassGain):
            columns[name] = sample.select(name, column)
    if isinstance(gain, ClassGain):
        columns["gain"] = np.where(sample.is_pos, *gain)
    gains = SampleGains(columns["gain"], columns.get("cost"))
    if gains.cost is not None and not gains.cost.any():
        raise ValueError("cost is zero for every sample with weight: leave it out.")
    return gains


def weight_gains(gains: SampleGains, weights: FloatArray | None) -> GroupGains:
    """Return gains and costs times weights, with one group per sample."""
    gain, cost = gains
    if cost is None:
        cost = np.ones(len(gain))
    if weights is None:
        return GroupGains(gain, cost)
    return GroupGains(weights * gain, weights * cost)


def rank_gains(
    gains: SampleGains, weights: FloatArray | None, order: IntArray, begins: BoolArray
) -> GroupGains:
    """Return the gains and costs of the groups of ties of a ranking."""
    weighted, starts = weight_gains(gains, weights), np.flatnonzero(begins)
    columns = weighted.gain, weighted.cost
    return GroupGains(*(np.add.reduceat(column[order], starts) for column in columns))
