"""Expected gain: what the processed cases are worth, under a budget of money."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, Self

import numpy as np

from skrate.core.arrays import Array, ArrayLike, FloatArray, Label
from skrate.core.elicitation import check_rate
from skrate.core.fold_rankings import FoldRankings
from skrate.core.list_table import ListTable, ListValues
from skrate.core.metric import (
    NEEDED,
    PER_CASE,
    Facts,
    Metric,
    OfCases,
    Slopes,
    SumOverGroups,
    mean_of_folds,
    score,
    score_folds,
)
from skrate.core.rank_table import RankTable, check_alone
from skrate.core.rates import RateDistribution, RateLike, is_uniform
from skrate.core.sample import Sample, check_ranking
from skrate.core.sums import total
from skrate.core.validation import (
    check_flag,
    check_summable,
    check_vector,
    check_weights,
)
from skrate.core.worth import (
    NO_CASES,
    ClassGain,
    GainLike,
    GroupWorth,
    Worth,
    WorthTable,
    check_cost,
    check_gain,
    ranked_worth,
    worth_of,
)
from skrate.metrics.at_rate import seen_rows
from skrate.metrics.expected_recall import (
    expected_recall,
    processed_rows,
    recall_of_tables,
    swapped,
)
from skrate.metrics.gain_slopes import WorthSlopes, worth_slopes
from skrate.metrics.gain_sums import gain_of_groups, gain_of_places
from skrate.metrics.recall_slopes import recall_slopes

__all__ = ["expected_gain_score"]

_NO_GAIN = "gain is missing: give one number per case, or one per class."


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
        Scores, higher for what is to be processed first.
    gain : array-like of shape (n_samples,) or dict
        What is gained if this case is processed, in any unit; below 0 it is a loss. One
        number per case, its label included: ``np.where(fraud, amount, 0)``, since
        ``amount`` alone would add up those of legitimate transactions, too. A Series is
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
    expected_recall_score : The gain of positives, as a share of all of them.
    HitCurveDisplay : What is gained at each share of the cost.

    Notes
    -----
    With :math:`g_i` the gain of case i, :math:`c_i` its cost, C that of all cases, and
    :math:`A_i` that of the cases ranked above it, it is

    .. math:: \sum_i g_i \, \frac{G((A_i + c_i) / C) - G(A_i / C)}{c_i / C},
              \quad G(x) = E[\min(R, x)],

    the sum of the gains times the probability :math:`P(R > A_i / C)` of being
    processed, where the case on which the budget ends is processed in part. What costs
    nothing is processed as soon as all above it is, with :math:`P(R \ge A_i / C)`.
    Cases that tie share what the budget reaches of them, in proportion to cost: their
    gain counts with the mean survival over the share of the cost of all of them. Where
    they cost the same, that is the expectation over random orders of them. In Yadlowsky
    et al. [1]_ the gain is a doubly robust score of the effect of a treatment; see the
    user guide. Net benefit is that of [2]_.

    In :func:`estimate` and :func:`compare` a case with its gain and its cost is the
    unit that is drawn, for a sample of as many cases. With a gain per class the
    interval "wilson" keeps to what the mean rate allows, all of it spent on one class:
    at a known rate it is that of :func:`precision_at_rate_score`, in units of gain.
    Cost: one sort.

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
    if gain is None:
        raise ValueError(_NO_GAIN)
    metric = ExpectedGain(gain, cost, rate, normalize)
    if isinstance(y_true, FoldRankings):
        check_alone(
            y_true, y_score=y_score, sample_weight=sample_weight, pos_label=pos_label
        )
        return mean_of_folds(metric, score_folds(metric, y_true), y_true)
    if metric.is_of_cases:
        return _of_cases(metric, y_true, y_score, sample_weight, pos_label)
    per_case = replace(metric, normalize=True)
    found = score(per_case, y_true, y_score, sample_weight, pos_label)
    return found if metric.normalize else found * _weight(y_true, sample_weight)


def _weight(y_true: ArrayLike | RankTable, sample_weight: ArrayLike | None) -> float:
    """Return what all cases weigh, on the scale on which their weights were given."""
    if isinstance(y_true, RankTable):
        return y_true.total
    if sample_weight is None:
        return float(len(check_vector("y_true", y_true)))
    return _total(check_weights("sample_weight", sample_weight))


def _of_cases(
    metric: ExpectedGain,
    y_true: ArrayLike | RankTable,
    y_score: ArrayLike | None,
    sample_weight: ArrayLike | None,
    pos_label: Label,
) -> float:
    """Return the expected gain of cases that are worth something each."""
    if isinstance(y_true, RankTable):
        raise ValueError(NO_CASES)
    sample = check_ranking(
        y_true, y_score, sample_weight, pos_label, keep_scale=True, keep_order=True
    )
    worth = metric.worth_of(sample)
    assert worth is not None
    weight = float(len(worth.gain))
    # Sums that are beyond all floats are found below.
    with np.errstate(over="ignore", invalid="ignore"):
        if sample.weights is None and worth.cost is None:
            found = gain_of_places(worth.gain, sample, metric.rate)
        else:
            found = gain_of_groups(ranked_worth(worth, sample), metric.rate)
    if sample.weights is not None:
        weight = _total(sample.weights)
    if not np.isfinite(found):
        raise ValueError(
            f"The sum of gain is beyond {np.finfo(float).max:.3g}, or that of cost, "
            "times sample_weight: divide all of them by the same large number."
        )
    return float(found / weight if metric.normalize else found)


def _total(weights: FloatArray) -> float:
    check_summable("sample_weight", weights)
    return total(weights)


class ExpectedGain(OfCases, SumOverGroups, Metric, score=expected_gain_score):
    """The expected gain under a rate, a sum over cases or per case."""

    gain: Any = field(default=None, metadata=NEEDED | PER_CASE)
    cost: Any = field(default=None, metadata=PER_CASE)
    rate: Any = "uniform"
    normalize: bool = False

    needs = ()
    # Number of cases that a sum is over; None for as many as a table weighs.
    _n_cases = None

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
    def facts(self) -> Facts:
        return Facts(is_sum=not self.normalize)

    @property
    def law(self) -> RateDistribution | None:
        """The distribution of the rate, where it is a share of the cases."""
        return None if self.cost is not None else self.rate

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return the least and the greatest gain, per case without a table."""
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

    def of_sample(self, n_cases: float | None, *, is_weighted: bool) -> Self:
        """Return the metric that knows how many cases its sum is over."""
        known = replace(self)
        object.__setattr__(known, "_n_cases", n_cases)
        return known

    def worth_of(self, sample: Sample) -> Worth | None:
        """Return what the cases of a sample are worth, None where classes say it."""
        if sample.kind == "sampling" and not self.normalize:
            raise ValueError(
                "normalize=False is a sum over cases, of which sampling weights tell "
                "the shares only: use normalize=True."
            )
        if not self.is_of_cases:
            return None
        return worth_of(self.gain, self.cost, sample)

    def value(self, table: RankTable) -> float:
        if isinstance(table, WorthTable):
            found = gain_of_groups(table.worth, self.rate) / table.total
        else:
            found = self._of_classes(table)
        return found * self._scale(table)

    def _of_classes(self, table: RankTable) -> float:
        """Return the gain per case where classes say what it is."""
        of_pos, of_neg = self._by_class
        found = 0.0
        if of_pos and table.n_pos > 0:
            found += of_pos * table.prevalence * expected_recall(table, self.rate)
        if of_neg and table.n_neg > 0:
            wasted = expected_recall(table, self.rate, of_negatives=True)
            found += of_neg * table.negative_share * wasted
        return found

    @property
    def _by_class(self) -> ClassGain:
        if self.gain is None:
            raise ValueError(_NO_GAIN)
        if self.is_of_cases:
            raise ValueError(NO_CASES)
        gain: ClassGain = self.gain
        return gain

    def _scale(self, table: RankTable) -> float:
        """Return the number of cases that the gain per case is multiplied with."""
        if self.normalize:
            return 1.0
        return table.total if self._n_cases is None else self._n_cases

    def values(self, pos: Array, neg: Array) -> FloatArray:
        if self.is_of_cases:
            # Gains and costs per group, in their place.
            return self._of_worths(pos, neg)
        of_pos, of_neg = self._by_class
        n_pos, n_neg = pos.sum(axis=1), neg.sum(axis=1)
        found = np.zeros(len(pos))
        for gain, count, tables in (
            (of_pos, n_pos, (pos, neg)),
            (of_neg, n_neg, (neg, pos)),
        ):
            if gain:
                recall = recall_of_tables(*tables, self.rate)
                found += gain * count * np.where(count > 0, recall, 0.0)
        total = n_pos + n_neg
        if self.normalize:
            return np.asarray(found / total)
        scale = 1.0 if self._n_cases is None else self._n_cases / total
        return np.asarray(found * scale)

    def _of_worths(self, gain: Array, cost: Array) -> FloatArray:
        """Return the same of rows of the gain and the cost of each group."""
        rows = [
            gain_of_groups(GroupWorth(*row), self.rate)
            for row in zip(gain, cost, strict=True)
        ]
        assert self._n_cases is not None
        return np.array(rows) / (self._n_cases if self.normalize else 1.0)

    @property
    def gain_of_cases(self) -> FloatArray | None:
        """The gain of each case, if cases have their own, and cost the same."""
        if self.gain is None:
            raise ValueError(_NO_GAIN)
        if not self.is_of_cases:
            return None
        if self.cost is not None:
            raise ValueError(
                "cost is not known within lists, where all cases take the same: leave "
                "it out."
            )
        gain: FloatArray = self.gain
        return gain

    def per_list(self, lists: ListTable, k: int | None = None) -> ListValues:
        if k is None:
            processed = processed_rows(lists, self.rate)
        elif is_uniform(self.rate):
            processed = seen_rows(lists, np.minimum(k, lists.sizes))
        else:
            raise ValueError(f"k={k} takes the place of rate: leave out one of them.")
        if lists.gain is None:
            of_pos, of_neg = self._by_class
            rows = of_pos * lists.pos + of_neg * lists.neg
        else:
            rows = lists.gain
        found = lists.sum(rows * processed)
        if not self.normalize:
            return ListValues.of(lists.unscaled(found), lists)
        return ListValues.of(found / lists.sizes, lists, found, lists.sizes)

    def slopes(self, table: RankTable) -> Slopes:
        of_pos, of_neg = self._by_class
        p, rest = table.prevalence, table.negative_share
        pos, found = recall_slopes(table, self.rate)
        neg, wasted = recall_slopes(swapped(table), self.rate)
        of_found, of_wasted = (
            pos.scaled(p * of_pos),
            neg.turned().scaled(-rest * of_neg),
        )
        by_prevalence = of_pos * found - of_neg * wasted
        slopes = Slopes(
            of_found.by_pos + of_wasted.by_pos,
            of_found.by_neg + of_wasted.by_neg,
            of_found.by_prevalence + of_wasted.by_prevalence + by_prevalence,
        )
        return slopes.scaled(self._scale(table))

    def worth_slopes(self, table: WorthTable) -> WorthSlopes:
        """Return what a unit of gain, and of cost, in each group adds to the score."""
        by_gain, by_cost = worth_slopes(table, self.rate)
        factor = self._scale(table)
        return factor * by_gain, factor * by_cost
