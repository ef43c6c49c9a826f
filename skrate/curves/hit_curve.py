"""The hit curve, its gain, and its model of two straight lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from skrate.curves.fold_tables import make_folds
from skrate.data.arrays import ROUNDING, ArrayLike, FloatArray, Label
from skrate.data.checks import check_fraction, within_rounding
from skrate.data.folds import FoldRankings
from skrate.data.ranking import check_ranking, ranking
from skrate.data.table import RankTable, check_alone, rank_table
from skrate.metrics.gain import (
    NO_CASES,
    ClassGain,
    GainLike,
    GroupGains,
    check_cost,
    check_gain,
    check_sample_gains,
    rank_gains,
    weight_gains,
)
from skrate.metrics.metric import OF_CASES_IN_FOLDS, suggest_arguments


@suggest_arguments
def hit_curve(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    gain: GainLike | None = None,
    cost: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> tuple[FloatArray, FloatArray]:
    """Compute the hit curve: positives selected against the fraction processed.

    Which fraction of all samples is processed *and* positive, if a given fraction is
    processed? Divided by the prevalence, the hit curve is the cumulative gains curve;
    divided by the hits of random scores, the lift curve. With ``gain`` and ``cost`` it
    is the gain per sample against the fraction of the cost that is spent.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table or rankings, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class.
    gain : array-like of shape (n_samples,) or dict, default=None
        Gain of processing a sample, per sample or per class, as in
        :func:`expected_gain_score`. None means 1 for a positive and 0 for a negative.
    cost : array-like of shape (n_samples,), default=None
        Cost of processing each sample; None means equal costs.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the larger of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    rate : array of shape (n_scores + 1,)
        Fraction of all samples (with ``cost``, of the cost) that is processed, from 0
        to 1: a point per distinct score, or per distinct rate after a score of a fold.
    hits : array of shape (n_scores + 1,)
        Fraction of all samples processed *and* positive: prevalence times rate for
        random scores, min(prevalence, rate) for perfect scores, 0 without positives.
        With ``gain``, the gain of the processed samples per sample of all.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid, a cost is negative, or ``gain`` names
        an unknown class.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : Precision against recall.
    expected_gain_score : Mean of the gain over a distribution of the rate.
    HitCurveDisplay : Draws the hit curve, the cumulative gains or the lift.

    Notes
    -----
    The curve is h(t) of [1]_, equation 1: precision times rate, linear within a group
    of tied scores. For folds it is the mean at equal rate, weighted by the numbers of
    samples, and the gain must be given per class. Cost: one sort.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2013), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    >>> from skrate import hit_curve
    >>> rate, hits = hit_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.7])
    >>> rate.tolist(), hits.tolist()
    ([0.0, 0.25, 0.5, 1.0], [0.0, 0.25, 0.25, 0.5])

    Two frauds, of 100 and 900 euros:

    >>> rate, gained = hit_curve([1, 0, 1, 0], [4, 3, 2, 1], gain=[100, 0, 900, 0])
    >>> gained.tolist()
    [0.0, 25.0, 25.0, 250.0, 250.0]
    """
    if isinstance(y_true, FoldRankings):
        check_alone(
            y_true, y_score=y_score, sample_weight=sample_weight, pos_label=pos_label
        )
        check_class_gain(gain, cost)
        y_true = make_folds(y_true).pooled
        y_score = sample_weight = pos_label = None
    if gain is not None or cost is not None:
        options: dict[str, Any] = {"gain": gain, "cost": cost, "pos_label": pos_label}
        curve = gain_curve(y_true, y_score, sample_weight=sample_weight, **options)
        return curve.rates, curve.gains
    table = rank_table(y_true, y_score, sample_weight, pos_label, takes_estimates=True)
    return table.rates.copy(), hits(table)


def hits(table: RankTable) -> FloatArray:
    """Return the fraction of all weight that is positive and above each cut."""
    return table.cum_pos / table.total


class GainCurve(NamedTuple):
    """Gain per sample at fractions of the cost, also for the best order of the samples.

    ``total`` is the weight of all samples.
    """

    rates: FloatArray
    gains: FloatArray
    best_rates: FloatArray
    best_gains: FloatArray
    total: float


def gain_curve(
    y_true: ArrayLike | RankTable,
    y_score: ArrayLike | None = None,
    *,
    gain: GainLike | None = None,
    cost: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> GainCurve:
    """Return the gain curve of samples or classes; without ``gain``, the hit curve.

    The best order is by decreasing gain per cost.
    """
    gain_each = ClassGain(1.0, 0.0) if gain is None else check_gain(gain)
    cost_each = check_cost(cost)
    if isinstance(y_true, RankTable):
        table = rank_table(y_true, y_score, sample_weight, pos_label)
        if cost_each is not None or not isinstance(gain_each, ClassGain):
            raise ValueError(NO_CASES)
        pos_gain, neg_gain = gain_each
        group_gains = pos_gain * table.pos + neg_gain * table.neg
        ranked = GroupGains(group_gains, table.pos + table.neg)
        sums = np.array([table.n_pos, table.n_neg])
        samples = GroupGains(sums * gain_each, sums)
        total = table.total
    else:
        sample = check_ranking(y_true, y_score, sample_weight, pos_label)
        sample_gains = check_sample_gains(gain_each, cost_each, sample)
        assert sample.scores is not None
        order, begins = ranking(sample.scores)
        ranked = rank_gains(sample_gains, sample.weights, order, begins)
        samples = weight_gains(sample_gains, sample.weights)
        weights = sample.weights
        total = float(len(samples.gain) if weights is None else weights.sum())
    per_cost = np.copysign(np.inf, samples.gain)
    np.divide(samples.gain, samples.cost, out=per_cost, where=samples.cost > 0)
    order = np.argsort(-per_cost, kind="stable")
    best = _points(GroupGains(samples.gain[order], samples.cost[order]), total)
    return GainCurve(*_points(ranked, total), *best, total)


def check_class_gain(gain: GainLike | None, cost: ArrayLike | None) -> None:
    """Raise if gains or costs are per sample, because folds have no samples here."""
    is_per_sample = gain is not None and not isinstance(check_gain(gain), ClassGain)
    if is_per_sample or cost is not None:
        raise ValueError(OF_CASES_IN_FOLDS)


def _points(gains: GroupGains, total: float) -> tuple[FloatArray, FloatArray]:
    return gains.shares, np.append(0.0, np.cumsum(gains.gain)) / total


@dataclass(frozen=True)
class QuasiConcaveHitCurve:
    r"""Hit curve of a test with a high initial precision, then a lower one.

    The first fraction of the ranking, the *stamina*, has the precision *momentum*. The
    AUC depends only on stamina times (momentum - prevalence).

    Attributes
    ----------
    momentum : float
        Initial precision (beta in the paper), from the prevalence (a random test) to 1.
    stamina : float
        Rate up to which the initial precision lasts (alpha in the paper), from 0 to
        ``prevalence / momentum``, where all positives have been selected.
    prevalence : float
        Fraction of positives, in (0, 1).

    Raises
    ------
    ValueError
        If a parameter is outside of its range.

    See Also
    --------
    estimate : Estimates both parameters, as metrics "momentum" and "stamina".

    Notes
    -----
    With momentum :math:`\beta`, stamina :math:`\alpha` and prevalence p, equation 6 of
    [1]_ is :math:`h(t) = \beta t` up to :math:`t = \alpha` and from there a straight
    line to h(1) = p.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2013), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    A quick and a steady test with the same AUC:

    >>> from skrate import QuasiConcaveHitCurve
    >>> quick, steady = (
    ...     QuasiConcaveHitCurve(momentum, stamina, prevalence=0.1)
    ...     for momentum, stamina in ((0.9, 0.05), (0.3, 0.2))
    ... )
    >>> round(quick.auc, 3), round(steady.auc, 3)
    (0.722, 0.722)
    >>> [round(test.average_precision, 3) for test in (quick, steady)]
    [0.51, 0.24]
    """

    momentum: float
    stamina: float
    prevalence: float

    def __post_init__(self) -> None:
        prevalence = check_fraction("prevalence", self.prevalence)
        momentum = check_fraction("momentum", self.momentum, include_one=True)
        # The tolerance is for rounding: a stamina at its bound can exceed it.
        if momentum < prevalence * (1 - ROUNDING):
            text = f"momentum must be between the prevalence, {prevalence:g}, and 1"
            raise ValueError(f"{text}, got {momentum:g}.")
        ends: dict[str, Any] = {"include_zero": True, "include_one": True}
        stamina = check_fraction("stamina", self.stamina, **ends)
        maximum = prevalence / momentum
        if stamina > maximum * (1 + ROUNDING):
            text = f"stamina must be between 0 and prevalence / momentum = {maximum:g}"
            raise ValueError(f"{text}, got {stamina:g}.")
        momentum = max(momentum, prevalence)
        parameters = {"momentum": momentum, "stamina": min(stamina, maximum)}
        vars(self).update(parameters, prevalence=prevalence)

    def hits(self, rate: ArrayLike) -> Any:
        """Return the fraction of all samples that is processed and positive.

        Equation 6, in the shape of ``rate``, the fraction that is processed, in [0, 1].
        """
        rates = within_rounding(np.asarray(rate, dtype=np.float64))
        if not np.all((rates >= 0) & (rates <= 1)):
            raise ValueError(f"rate must be in [0, 1], got {rates}.")
        first = self.momentum * np.minimum(rates, self.stamina)
        hits = first + self._later_precision * np.maximum(rates - self.stamina, 0.0)
        return float(hits) if hits.ndim == 0 else hits

    @property
    def auc(self) -> float:
        """Area under the ROC curve: equation 8, exact."""
        p = self.prevalence
        return (self.momentum - p) * self.stamina / (2 * p * (1 - p)) + 0.5

    @property
    def average_precision(self) -> float:
        """Average precision, exact."""
        p, alpha, beta = self.prevalence, self.stamina, self.momentum
        if alpha == 0 or beta == p:
            return p
        slope = self._later_precision
        # The last integral before equation 10: precision on the second line is
        # slope + (beta - slope) alpha / t.
        second = slope**2 * (1 - alpha)
        second -= slope * (beta - slope) * alpha * np.log(alpha)
        return float((beta**2 * alpha + second) / p)

    @property
    def approximate_average_precision(self) -> float:
        """Average precision by equation 10, which approximates log(x) by x - 1.

        Theorem 2 follows from it: adjusted for chance, the average precision is about
        the momentum times the adjusted AUC, 2 AUC - 1.
        """
        p, beta = self.prevalence, self.momentum
        return beta / p * (beta - p) * self.stamina + p

    @property
    def _later_precision(self) -> float:
        """Slope of the second line: precision after the stamina."""
        if self.stamina == 1:  # momentum equals prevalence: one line
            return 0.0
        left = self.prevalence - self.stamina * self.momentum
        return max(left, 0.0) / (1 - self.stamina)
