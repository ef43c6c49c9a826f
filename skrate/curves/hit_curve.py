"""The hit curve, what is gained along it, and its model of two straight pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from skrate.curves.fold_tables import make_folds
from skrate.data.arrays import ROUNDING, ArrayLike, FloatArray, Label
from skrate.data.checks import check_fraction, within_rounding
from skrate.data.folds import FoldRankings
from skrate.data.sample import check_ranking
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
from skrate.metrics.metric import OF_CASES_IN_FOLDS


def hit_curve(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    gain: GainLike | None = None,
    cost: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> tuple[FloatArray, FloatArray]:
    """Compute the hit curve: positives found against the share processed.

    Divided by the prevalence it is the cumulative gains curve, divided by what random
    scores find the lift curve. Only the order of the scores counts. With ``gain`` and
    ``cost`` it is what is gained per case against the share of the cost that is spent.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or rankings of folds, without
        ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    gain : array-like of shape (n_samples,) or dict, default=None
        What is gained if a case is processed, per case or per class, as in
        :func:`expected_gain_score`; None means 1 for a positive and 0 for a negative.
    cost : array-like of shape (n_samples,), default=None
        What processing a case takes of the budget; None means all take the same.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    rate : array of shape (n_scores + 1,)
        Share of all cases processed, increasing from 0 to 1, one point per distinct
        score, of folds per distinct rate after any of theirs; with ``cost`` that of the
        cost.
    hits : array of shape (n_scores + 1,)
        Share of all cases processed *and* positive: prevalence times rate for random
        scores, the smaller of both for perfect ones. Without a positive case it is 0.
        With ``gain``, what the processed cases gain, over the number of all cases.

    Raises
    ------
    ValueError
        If labels, scores or weights cannot be ranked, a cost is negative, or ``gain``
        names an unknown class.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : Precision against recall.
    expected_gain_score : Its mean over a distribution of the rate.
    HitCurveDisplay : Draws it, as hit curve, cumulative gains or lift.

    Notes
    -----
    The h(t) of [1]_, equation 1: precision times rate, straight within a group of tied
    scores. For folds it is their mean at equal rate, weighted by their numbers of
    cases: the positives found if the same share of every fold is processed. A gain is
    then
    one per class. Cost: one sort.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    >>> from skrate import hit_curve
    >>> rate, hits = hit_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.7])
    >>> rate.tolist(), hits.tolist()
    ([0.0, 0.25, 0.5, 1.0], [0.0, 0.25, 0.25, 0.5])

    Two frauds, of 100 and 900 euros:

    >>> rate, gained = hit_curve(
    ...     [1, 0, 1, 0], [4, 3, 2, 1], gain=[100, 0, 900, 0]
    ... )
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
        found = gain_curve(
            y_true,
            y_score,
            gain=gain,
            cost=cost,
            sample_weight=sample_weight,
            pos_label=pos_label,
        )
        return found.rates, found.gains
    table = rank_table(y_true, y_score, sample_weight, pos_label, takes_estimates=True)
    return table.rates.copy(), hits(table)


def hits(table: RankTable) -> FloatArray:
    """Return the share of all weight that is positive and above each cut."""
    return table.cum_pos / table.total


class GainCurve(NamedTuple):
    """Gain per case at shares of the cost, and for the best order of the cases.

    ``total`` is the weight of all cases.
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
    """Return the curve of cases, or of classes; without ``gain``, of positives found.

    The best order is that by gain per cost.
    """
    worth_each = ClassGain(1.0, 0.0) if gain is None else check_gain(gain)
    cost_each = check_cost(cost)
    if isinstance(y_true, RankTable):
        table = rank_table(y_true, y_score, sample_weight, pos_label)
        if cost_each is not None or not isinstance(worth_each, ClassGain):
            raise ValueError(NO_CASES)
        of_pos, of_neg = worth_each
        gains = of_pos * table.pos + of_neg * table.neg
        ranked = GroupGains(gains, table.pos + table.neg)
        sums = np.array([table.n_pos, table.n_neg])
        cases = GroupGains(sums * worth_each, sums)
        total = table.total
    else:
        sample = check_ranking(y_true, y_score, sample_weight, pos_label)
        worth = check_sample_gains(worth_each, cost_each, sample)
        ranked = rank_gains(worth, sample)
        cases = weight_gains(worth, sample.weights)
        weights = sample.weights
        total = float(len(cases.gain) if weights is None else weights.sum())
    # By gain per cost.
    per_cost = np.copysign(np.inf, cases.gain)
    np.divide(cases.gain, cases.cost, out=per_cost, where=cases.cost > 0)
    order = np.argsort(-per_cost, kind="stable")
    best = _points(GroupGains(cases.gain[order], cases.cost[order]), total)
    return GainCurve(*_points(ranked, total), *best, total)


def check_class_gain(gain: GainLike | None, cost: ArrayLike | None) -> None:
    """Raise for gains and costs of single cases, of rankings whose cases have none."""
    is_of_cases = gain is not None and not isinstance(check_gain(gain), ClassGain)
    if is_of_cases or cost is not None:
        raise ValueError(OF_CASES_IN_FOLDS)


def _points(worth: GroupGains, total: float) -> tuple[FloatArray, FloatArray]:
    return worth.shares, np.append(0.0, np.cumsum(worth.gain)) / total


@dataclass(frozen=True)
class QuasiConcaveHitCurve:
    r"""The hit curve of a test that finds at one pace, then at a slower one.

    The first share of the ranking, the *stamina*, has a precision equal to the
    *momentum*, and the rest a lower one. The AUC sees the product of the two only.

    Attributes
    ----------
    momentum : float
        Initial precision (the paper's beta), from the prevalence, of a random test,
        to 1.
    stamina : float
        Rate down to which the initial precision lasts (alpha), from 0 to ``prevalence
        / momentum``, where all positives have been found.
    prevalence : float
        Share of the positives, in (0, 1).

    Raises
    ------
    ValueError
        If a parameter is outside of its range.

    See Also
    --------
    estimate : The parameters of labels and scores, as metrics "momentum" and "stamina".

    Notes
    -----
    With momentum :math:`\beta`, stamina :math:`\alpha` and prevalence p, equation 6 of
    [1]_ is :math:`h(t) = \beta t` up to :math:`t = \alpha` and from there a straight
    line to h(1) = p.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    A quick test and a steady one, of the same AUC:

    >>> from skrate import QuasiConcaveHitCurve
    >>> quick, steady = (
    ...     QuasiConcaveHitCurve(momentum, stamina, prevalence=0.1)
    ...     for momentum, stamina in ((0.9, 0.05), (0.3, 0.2))
    ... )
    >>> round(quick.auc, 3), round(steady.auc, 3)
    (0.722, 0.722)
    >>> [round(each.average_precision, 3) for each in (quick, steady)]
    [0.51, 0.24]
    """

    momentum: float
    stamina: float
    prevalence: float

    def __post_init__(self) -> None:
        prevalence = check_fraction("prevalence", self.prevalence)
        momentum = check_fraction("momentum", self.momentum, include_one=True)
        # Stamina computed from its bound, prevalence / momentum, may miss it.
        if momentum < prevalence * (1 - ROUNDING):
            raise ValueError(
                f"momentum must be between the prevalence, {prevalence:g}, and 1, got "
                f"{momentum:g}: the test would be worse than a random one."
            )
        stamina = check_fraction(
            "stamina", self.stamina, include_zero=True, include_one=True
        )
        most = prevalence / momentum
        if stamina > most * (1 + ROUNDING):
            raise ValueError(
                f"stamina must be between 0 and prevalence / momentum = {most:g}, got "
                f"{stamina:g}: there all positives have been found."
            )
        momentum = max(momentum, prevalence)
        known = {"momentum": momentum, "stamina": min(stamina, most)}
        vars(self).update(known, prevalence=prevalence)

    def hits(self, rate: ArrayLike) -> Any:
        """Return the share of all cases that is processed and positive.

        Equation 6, in the shape of ``rate``, the share that is processed, in [0, 1].
        """
        rates = within_rounding(np.asarray(rate, dtype=np.float64))
        if not np.all((rates >= 0) & (rates <= 1)):
            raise ValueError(f"rate must be in [0, 1], got {rates}.")
        first = self.momentum * np.minimum(rates, self.stamina)
        found = first + self._later_precision * np.maximum(rates - self.stamina, 0.0)
        return float(found) if found.ndim == 0 else found

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
        # The last integral before equation 10: precision in the second piece is
        # slope + (beta - slope) alpha / t.
        second = slope**2 * (1 - alpha)
        second -= slope * (beta - slope) * alpha * np.log(alpha)
        return float((beta**2 * alpha + second) / p)

    @property
    def approximate_average_precision(self) -> float:
        """Average precision by equation 10, which takes log(x) for x - 1.

        It underlies theorem 2: adjusted for chance, the average precision is about the
        momentum times the adjusted AUC, 2 AUC - 1.
        """
        p, beta = self.prevalence, self.momentum
        return beta / p * (beta - p) * self.stamina + p

    @property
    def _later_precision(self) -> float:
        """Slope of the second piece."""
        if self.stamina == 1:  # then momentum is prevalence: there is no second piece
            return 0.0
        left = self.prevalence - self.stamina * self.momentum
        return max(left, 0.0) / (1 - self.stamina)
