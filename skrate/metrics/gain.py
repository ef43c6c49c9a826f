"""Expected gain: what the processed cases are worth, under a budget of money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from skrate.data.arrays import (
    ROUNDING,
    Array,
    ArrayLike,
    FloatArray,
    IntArray,
    Label,
    cumulated,
    dot,
    lazy,
    ratio,
    total,
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
from skrate.data.ranking import ranking
from skrate.data.sample import Sample, check_ranking
from skrate.data.table import Merged, RankTable
from skrate.metrics.metric import (
    FILLED_IN,
    OF_CASES_IN_FOLDS,
    PER_CASE,
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
from skrate.rates.laws import RateDistribution, RateLike, check_rate, is_uniform

__all__ = ["expected_gain_score"]

# What one more unit of gain, or of cost, in each group adds.
WorthSlopes = tuple[FloatArray, FloatArray]
# One number per case, or one per class.
GainLike: TypeAlias = ArrayLike | Mapping[str, float]
CLASSES = ("positive", "negative")
NO_CASES = (
    "gain or cost per case is of single cases, which are not known of a RankTable, of "
    "batches or of a sample that is planned: give labels and scores alone, or a gain "
    "per class, {'positive': ..., 'negative': ...}, without cost."
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
    r"""Compute the expected gain of processing cases, best first, until a budget ends.

    Cases differ in what they are worth, as the amount of a fraud or the value of a
    customer, and maybe in what they cost. The budget is then a share of the money that
    it would cost to process all cases, not of their number. With a gain of 1 per
    positive it is the expected number of positives found.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or, with a gain per class, a table, or folds,
        without ``y_score``. A gain per case says all about it: the label is not looked
        at.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the cases to process first.
    gain : array-like of shape (n_samples,) or dict
        What is gained if this case is processed, in any unit; below 0 it is a loss. One
        number per case, its label included: ``np.where(fraud, amount, 0)``, since
        ``amount`` alone would add up legitimate transactions, too. A Series is
        taken by position, as an array (a scorer takes it by index). Or one per class,
        as ``{"positive": 1, "negative": -0.25}``, where a class that is left out gains
        0. Net benefit at the threshold t has the gains 1 and ``-t / (1 - t)``.
    cost : array-like of shape (n_samples,), default=None
        What processing a case takes of the budget, not negative, in any unit; None
        means that all cases take the same. It is not subtracted from the gain.
    rate : "uniform", float or distribution, default="uniform"
        The budget, as a share of the cost of all cases: a number in (0, 1], a frozen
        ``scipy.stats`` distribution or one from :mod:`skrate.rates`.
    normalize : bool, default=False
        Whether to return the gain per case, which samples of different sizes have in
        common, in place of the sum.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases; None means equal ones. A case of weight 2 gains and costs
        as two. The sum is in proportion to them; per case their scale is free.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Expected gain, in units of ``gain``. Random scores give the mean rate times the
        gain of all cases. No ranking has more than that by the gain per cost of each
        case, which no model knows. 0 without cases that gain.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked; a ``gain`` or ``cost`` that
        is not finite or of another length, or names another class; a ``cost`` that is
        negative, or zero for all cases; a gain or cost per case for a table; or a
        ``rate`` that is none of the choices.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers that are handed ``gain`` as metadata, too.
    make_ranking_scorer : The same of this package, which finds it in a column of ``X``.
    recall_at_rate_score : The gain of positives, as a share of all of them.
    HitCurveDisplay : What is gained at each share of the cost.

    Notes
    -----
    With :math:`g_i` the gain of case i, :math:`c_i` its cost, C the cost of all cases,
    and :math:`A_i` the cost of the cases ranked above it, it is

    .. math:: \sum_i g_i \, \frac{G((A_i + c_i) / C) - G(A_i / C)}{c_i / C},
              \quad G(x) = E[\min(R, x)],

    the sum of the gains times the probability :math:`P(R > A_i / C)` of being
    processed, where the case on which the budget ends is processed in part. What costs
    nothing is processed as soon as all above it is, with :math:`P(R \ge A_i / C)`.
    Cases that tie share what the budget reaches of them, in proportion to cost: where
    they cost the same, that is the expectation over random orders of them. In [1]_ the
    gain is a doubly robust score of the effect of a treatment; net benefit follows
    [2]_; see the user guide. Cost: one sort.

    References
    ----------
    .. [1] Yadlowsky, Fleming, Shah, Brunskill and Wager (2021), Evaluating treatment
       prioritization rules via rank-weighted average treatment effects,
       :doi:`10.48550/arXiv.2111.07966`.
    .. [2] Vickers and Elkin (2006), Decision curve analysis: a novel method for
       evaluating prediction models, :doi:`10.1177/0272989X06295361`.

    Examples
    --------
    Four alerts, of which the first and the third are frauds of 100 and 900 euros. There
    is time for two:

    >>> from skrate import expected_gain_score, rates
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> expected_gain_score(
    ...     y_true, y_score, gain=[100, 0, 900, 0], rate=0.5
    ... )
    100.0

    The third takes as long as the other three, and half of that is left for it:

    >>> gained = expected_gain_score(
    ...     y_true,
    ...     y_score,
    ...     gain=[100, 0, 900, 0],
    ...     cost=[1, 1, 3, 1],
    ...     rate=0.5,
    ... )
    >>> round(gained, 9)
    400.0

    Net benefit per case at a threshold of 0.2, of a share that is known roughly:

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
    if metric.is_of_cases and not isinstance(y_true, FoldRankings):
        return _expected_sample_gain(metric, y_true, y_score, sample_weight, pos_label)
    return score(metric, y_true, y_score, sample_weight, pos_label)


class ClassGain(NamedTuple):
    """The gain of a positive and of a negative that is processed."""

    positive: float
    negative: float


class SampleGains(NamedTuple):
    """The gain and the cost of each case; ``cost`` is None where all cost the same."""

    gain: FloatArray
    cost: FloatArray | None


@dataclass(frozen=True)
class GroupGains:
    """The sums of gain and of cost over groups of ties, best group first."""

    gain: FloatArray
    cost: FloatArray

    @lazy
    def shares(self) -> FloatArray:
        """Share of the cost above each cut, from 0 to 1."""
        spent = cumulated(self.cost)
        return np.asarray(spent / spent[-1])


class GainTable(RankTable):
    """A table of cases that also knows what they are worth."""

    worth: GroupGains

    @classmethod
    def of(
        cls,
        table: RankTable,
        group: IntArray,
        worth: SampleGains,
        weights: FloatArray | None,
    ) -> GainTable:
        """Return a table with the worth of its cases, each in its group of ties."""
        found = cls.__new__(cls)
        vars(found).update(vars(table))
        cases = weight_gains(worth, weights)
        gain, cost = (
            np.bincount(group, each, minlength=table.n_groups).astype(np.float64)
            for each in (cases.gain, cases.cost)
        )
        vars(found)["worth"] = GroupGains(gain, cost)
        return found

    @lazy
    def merged(self) -> Merged:
        """The groups as they are: none is like another."""
        return Merged(self.pos, self.neg, np.arange(self.n_groups))


class ExpectedGain(Metric, score=expected_gain_score):
    """The expected gain under a rate, a sum over cases or per case."""

    gain: Any = field(
        default=None,
        metadata=needed("one number per case, or one per class") | PER_CASE,
    )
    cost: Any = field(default=None, metadata=PER_CASE)
    rate: Any = "uniform"
    normalize: bool = False
    # Number of cases that a sum is over; None for as many as a table weighs.
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
        return "Expected gain per case" if self.normalize else "Expected gain"

    @property
    def is_of_cases(self) -> bool:
        """Whether cases are worth something each, of which a table knows nothing."""
        return self.cost is not None or not isinstance(self.gain, ClassGain)

    @property
    def is_sum(self) -> bool:  # type: ignore[override]
        return not self.normalize

    @property
    def takes_estimates(self) -> bool:  # type: ignore[override]
        return not self.is_of_cases

    @property
    def law(self) -> RateDistribution | None:
        """The distribution of the rate, where it is a share of the cases."""
        return None if self.cost is not None else self.rate

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        if self.is_of_cases:
            low, high = (0.0 if np.min(self.gain) >= 0 else -np.inf), np.inf
        elif table is not None and self.gain[0] != self.gain[1]:
            # All that are processed are of one class, or of the other.
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
        if self.is_of_cases:
            raise ValueError(OF_CASES_IN_FOLDS)
        super().check_fold_rankings(rankings)

    def sample_gains(self, sample: Sample) -> SampleGains | None:
        """Return what the cases of a sample are worth, None where classes say it."""
        if sample.kind == "sampling" and not self.normalize:
            raise ValueError(
                "normalize=False is a sum over cases, of which sampling weights tell "
                "the shares only: use normalize=True."
            )
        if not self.is_of_cases:
            return None
        return check_sample_gains(self.gain, self.cost, sample)

    def gain_limit(self, sample: Any) -> float:
        return self._scale(sample.table) * max(float(sample.worth.gain.max()), 0.0)

    def compute(self, table: RankTable) -> float:
        if isinstance(table, GainTable):
            found = sum_expected_gains(table.worth, self.rate) / table.total
            return found * self._scale(table)
        if table.own_products is not None:
            # A class whose estimates add up to 0, or less, is found nevertheless.
            return super().compute(table)
        (of_pos, of_neg), found = self._class_gain, 0.0
        if of_pos and table.n_pos > 0:
            found += of_pos * table.prevalence * expected_recall(table, self.rate)
        if of_neg and table.n_neg > 0:
            wasted = expected_recall(table, self.rate, of_negatives=True)
            found += of_neg * table.negative_fraction * wasted
        return found * self._scale(table)

    @property
    def _class_gain(self) -> ClassGain:
        check_needed(self)
        if self.is_of_cases:
            raise ValueError(NO_CASES)
        gain: ClassGain = self.gain
        return gain

    def _scale(self, table: RankTable) -> float:
        """Return the number of cases that the gain per case is multiplied with."""
        if self.normalize:
            return 1.0
        return table.total if self.n_samples is None else self.n_samples

    def values(self, pos: Array, neg: Array) -> FloatArray:
        n_samples: Any = self.n_samples
        if self.is_of_cases:
            # Gains and costs per group, in their place.
            rows = map(GroupGains, pos, neg)
            found = np.array([sum_expected_gains(row, self.rate) for row in rows])
            total = n_samples
        else:
            of_pos, of_neg = self._class_gain
            weight = pos + neg
            found = table_gains(of_pos * pos + of_neg * neg, weight, self.rate)
            total = weight.sum(axis=1)
        scale = 1.0 if self.normalize else total if n_samples is None else n_samples
        return np.asarray(found / total * scale)

    @property
    def list_gain(self) -> FloatArray | None:  # type: ignore[override]
        """The gain of each case, if it differs between cases that cost the same."""
        check_needed(self)
        if not self.is_of_cases:
            return None
        if self.cost is not None:
            raise ValueError(
                "cost is not known within lists, where all cases take the same: leave "
                "it out."
            )
        gain: FloatArray = self.gain
        return gain

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        if k is None:
            processed = processed_rows(lists, self.rate)
        elif is_uniform(self.rate):
            processed = top_row_fractions(lists, np.minimum(k, lists.sizes))
        else:
            raise ValueError(f"k={k} takes the place of rate: leave out one of them.")
        if lists.gain is None:
            of_pos, of_neg = self._class_gain
            rows = of_pos * lists.pos + of_neg * lists.neg
        else:
            rows = lists.gain
        found = lists.sum(rows * processed)
        if not self.normalize:
            return ListValues.of(found, lists)
        return ListValues.of(found / lists.sizes, lists, found, lists.sizes)

    def slopes(self, table: RankTable) -> Slopes:
        of_pos, of_neg = self._class_gain
        p, rest = table.prevalence, table.negative_fraction
        pos, found = recall_slopes(table, self.rate)
        neg, wasted = recall_slopes(table.swapped, self.rate)
        by_prevalence = of_pos * found - of_neg * wasted
        slopes = pos.scaled(p * of_pos, by_prevalence)
        slopes = slopes.plus(neg.turned().scaled(-rest * of_neg))
        return slopes.scaled(self._scale(table))

    def gain_slopes(self, table: GainTable) -> WorthSlopes:
        """Return what a unit of gain, and of cost, in each group adds to the score."""
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
    """Return the expected gain of cases that are worth something each."""
    if isinstance(y_true, RankTable):
        raise ValueError(NO_CASES)
    sample = check_ranking(y_true, y_score, sample_weight, pos_label, keep_scale=True)
    worth = metric.sample_gains(sample)
    assert worth is not None
    # Sums that are beyond all floats are found below.
    with np.errstate(over="ignore", invalid="ignore"):
        if sample.weights is None and worth.cost is None:
            # All cost the same: twice as quick as by groups.
            assert sample.scores is not None
            order, begins = ranking(sample.scores)
            gain, starts = worth.gain[order], np.flatnonzero(begins)
            if not begins.all():
                sizes = np.diff(starts, append=len(gain))
                gain = np.repeat(np.add.reduceat(gain, starts) / sizes, sizes)
            found = sum_untied(gain, metric.rate)
        else:
            found = sum_expected_gains(rank_gains(worth, sample), metric.rate)
    if not np.isfinite(found):
        raise ValueError(
            f"The sum of gain is beyond {np.finfo(float).max:.3g}, or that of cost, "
            "times sample_weight: divide all of them by the same large number."
        )
    if not metric.normalize:
        return found
    weights = sample.weights
    return found / (len(worth.gain) if weights is None else total(weights))


def sum_expected_gains(worth: GroupGains, rate: RateDistribution) -> float:
    """Return the sum of gains times the mean survival over the cost of each group."""
    if not worth.cost.any():
        # As of a resample of cases that are free.
        return float("nan")
    edges, groups = worth.shares, np.flatnonzero(worth.gain)
    processed = rate.table.mean(edges[groups], edges[groups + 1])
    found = float(dot(worth.gain[groups], processed))
    return found + float(dot(worth.gain, boundary_probability(worth, rate)))


def boundary_probability(worth: GroupGains, rate: RateDistribution) -> FloatArray:
    """Return the probability that a budget ends just where a free group begins.

    What costs nothing is processed as soon as all above it is: with P(R >= u), of which
    the survival function has P(R > u).
    """
    found = np.zeros(len(worth.cost))
    points, masses = rate.point_masses()
    # At 1 the survival function has it, too.
    points, masses = points[points < 1], masses[points < 1]
    is_free = worth.cost == 0
    if len(points) and is_free.any():
        shares, below = worth.shares[:-1][is_free], np.append(0.0, np.cumsum(masses))
        start = np.searchsorted(points, shares * (1 - ROUNDING), side="left")
        end = np.searchsorted(points, shares, side="right")
        found[is_free] = below[end] - below[start]
    return found


def gain_slopes(table: GainTable, rate: RateDistribution) -> WorthSlopes:
    """Return the slopes of the expected gain E = sum g_k m_k by group.

    With g_k the gain of group k, c_k its cost, of C in all, and m_k the mean survival
    over its share of the cost, that by g_k is m_k; a cost moves all D_k with k >= j:

        dE/dc_j = sum_k (1{k >= j} - D_k) / C * dE/dD_k.
    """
    worth, at_once = table.worth, 0.0
    is_free = worth.cost == 0
    per_cost = np.divide(
        worth.gain, worth.cost, out=np.zeros_like(worth.gain), where=~is_free
    )
    if is_free.any():
        # What costs nothing is processed as soon as all above it is.
        density = rate.table.density(worth.shares[1:])
        at_once = np.where(is_free, worth.gain * density, 0.0) / worth.cost.sum()
    mean, moved = mean_and_moved(
        rate, worth.shares, per_cost, lambda points: cut_gain(table, points), at_once
    )
    whole = float(dot(moved, worth.cost)) / worth.cost.sum()
    return mean + boundary_probability(worth, rate), whole - moved


def cut_gain(table: GainTable, points: FloatArray) -> FloatArray:
    """Return what the neighbours of the cut at each rate gain per cost."""
    worth = table.worth
    width = bandwidth(points, table.total)
    gained = np.append(0.0, np.cumsum(worth.gain))
    found = np.interp(points + width, worth.shares, gained)
    found -= np.interp(points - width, worth.shares, gained)
    spent = float(worth.cost.sum())
    around = 2 * width * spent
    # Few cases may happen to gain all the same: four average ones are added.
    where = np.searchsorted(worth.shares, points, side="left")
    added = (
        np.where(is_small_budget([table], table.rates[where]), 4.0, 0.0) / table.total
    )
    around_all = around + added * spent
    return ratio(found + added * gained[-1], around_all)


def check_gain(gain: Any) -> ClassGain | FloatArray:
    """Return the gain per class, or per case."""
    if isinstance(gain, ClassGain):
        return gain
    if not isinstance(gain, Mapping):
        return _check_sample_values("gain", gain)
    unknown = [key for key in gain if key not in CLASSES]
    if unknown or not gain:
        found = f"found {shown(unknown[0])}" if unknown else "found none"
        raise ValueError(
            "gain per class has the keys 'positive' and 'negative', of which one may "
            f"be left out for 0, {found}: pos_label says which class is positive."
        )
    named = {f"gain[{key!r}]": gain[key] for key in CLASSES if key in gain}
    given = {name: check_number(name, value) for name, value in named.items()}
    return ClassGain(*(given.get(f"gain[{key!r}]", 0.0) for key in CLASSES))


def check_cost(cost: Any) -> FloatArray | None:
    """Return the cost per case, None where all cost the same."""
    if cost is None:
        return None
    costs = _check_sample_values("cost", cost)
    least = costs.min()
    if least < 0:
        raise ValueError(
            f"cost must not be negative, found {least:g}: what comes back is a gain."
        )
    if not costs.any():
        raise ValueError(
            "cost is zero for every case: leave it out where all cost the same."
        )
    return costs


def _check_sample_values(name: str, values: Any) -> FloatArray:
    numbers = as_float64(name, check_vector(name, values))
    check_finite(name, numbers)
    return numbers


def check_sample_gains(
    gain: ClassGain | FloatArray, cost: FloatArray | None, sample: Sample
) -> SampleGains:
    """Return the worth of the cases of a sample that have weight."""
    given: dict[str, FloatArray] = {}
    for name, values in (("gain", gain), ("cost", cost)):
        if values is None or isinstance(values, ClassGain):
            continue
        if len(values) != sample.n_input:
            raise ValueError(
                f"Unequal numbers of cases: y_true has {sample.n_input}, {name} has "
                f"{len(values)}."
            )
        given[name] = values if sample.kept is None else values[sample.kept]
    if isinstance(gain, ClassGain):
        given["gain"] = np.where(sample.is_pos, *gain)
    found = SampleGains(given["gain"], given.get("cost"))
    if found.cost is not None and not found.cost.any():
        raise ValueError("cost is zero for every case that has weight: leave it out.")
    return found


def weight_gains(worth: SampleGains, weights: FloatArray | None) -> GroupGains:
    """Return what cases with weights gain and cost, each a separate group."""
    gain, cost = worth
    if cost is None:
        cost = np.ones(len(gain))
    if weights is None:
        return GroupGains(gain, cost)
    return GroupGains(weights * gain, weights * cost)


def rank_gains(worth: SampleGains, sample: Sample) -> GroupGains:
    """Return the worth of the groups of ties of a sample with scores."""
    assert sample.scores is not None
    order, begins = ranking(sample.scores)
    cases, starts = weight_gains(worth, sample.weights), np.flatnonzero(begins)
    columns = cases.gain, cases.cost
    return GroupGains(*(np.add.reduceat(each[order], starts) for each in columns))
