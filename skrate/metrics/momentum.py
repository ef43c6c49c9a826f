"""Momentum and stamina of a ranking, from its AUC and average precision."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from skrate.data.arrays import Array, ArrayLike, FloatArray, Label
from skrate.data.checks import check_flag
from skrate.data.folds import FoldRankings
from skrate.data.list_table import ListTable, ListValues
from skrate.data.table import RankTable
from skrate.metrics.auc import AUC
from skrate.metrics.average_precision import AveragePrecision
from skrate.metrics.metric import Metric, Slopes, score

_AUC = AUC()
_PRECISION = AveragePrecision(adjusted=True)


def momentum_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    exact: bool = False,
) -> float:
    r"""Return the momentum, the precision at the start of a ranking.

    With the prevalence p it is :math:`m = (AP - p) / (1 - p) / (2 AUC - 1)`, equation
    14 of [1]_. For a test with two categories it is exactly the precision of the upper
    category. Otherwise it is an approximation, which replaces :math:`\log \alpha` by
    :math:`\alpha - 1` and is too high. nan if the ranking is not better than a random
    one.

    With ``exact`` it is the momentum :math:`\beta` of the :class:`QuasiConcaveHitCurve`
    with the AUC and the AP of the ranking, if ties are rare. A curve with
    :math:`\beta` = 0.8, :math:`\alpha` = 0.4 and p = 0.5 has m = 0.959.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or, without ``y_score``, a table or folds.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, not negative.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.
    exact : bool, default=False
        Whether to solve the equations of the AUC and of the AP. The momentum is above
        1 if the ranking begins better than any curve of two segments.

    Returns
    -------
    momentum : float
        Above the prevalence; 1 for a perfect ranking. nan if undefined: for an AUC of
        0.5 or less, m <= p, or, if ``exact``, m <= p + p (1 - p) (2 AUC - 1) / 2, for
        which the stamina would be 1.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid.

    Notes
    -----
    With :math:`c = p (1 - p) (2 AUC - 1) = (\beta - p) \alpha` (equation 8) and the
    later precision :math:`s = p - c / (1 - \alpha)`, the AP of the curve corresponds
    exactly to

    .. math:: m = \frac{\beta - p - s \log \alpha}{1 - \alpha},

    which increases in :math:`\beta`: its only root is computed by bisection. Cost: as
    for the AP.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2013), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    Two tests with about the same AUC, as counts per category, best first: the first
    has more momentum, the second more stamina.

    >>> quick = RankTable([45, 55], [25, 875])
    >>> steady = RankTable([65, 35], [200, 700])
    >>> for counts in (quick, steady):
    ...     beta, alpha = momentum_score(counts), stamina_score(counts)
    ...     print(round(beta, 3), round(alpha, 3))
    0.643 0.07
    0.245 0.265
    """
    return score(Momentum(exact), y_true, y_score, sample_weight, pos_label)


def stamina_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    exact: bool = False,
) -> float:
    r"""Return the stamina, the rate up to which the momentum lasts.

    By equation 8 of the article it is :math:`p (1 - p) (2 AUC - 1) / (\beta - p)`, at
    most 1: the fraction of samples in the upper of two categories, p for a perfect
    ranking. It has the parameters of :func:`momentum_score`, and is nan for the same
    rankings.
    """
    return score(Stamina(exact), y_true, y_score, sample_weight, pos_label)


class _AboveChance(Metric):
    """Base class of momentum and stamina, which are defined only above chance."""

    exact: bool = False

    # The index in the pair of momentum and stamina.
    index: ClassVar[int]
    rests_on_few = True
    # Without it, tests of equal models at 5 % rejected in up to 10 %.
    rests_on_few_clusters = True
    # With fewer, intervals are up to 1.5 times as wide, with the same coverage.
    min_dof = 3.0
    enough_positives = 40

    def __post_init__(self) -> None:
        check_flag("exact", self.exact)

    def values(self, pos: Array, neg: Array) -> FloatArray:
        n_pos, n_neg = pos.sum(axis=1), neg.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            fractions = n_pos / (n_pos + n_neg), n_neg / (n_pos + n_neg)
            advantage = 2 * _AUC.values(pos, neg) - 1
            precision = _PRECISION.values(pos, neg)
        pair = _combine(*fractions, advantage, precision, exact=self.exact)
        return pair[self.index]

    def undefined_value(self, table: RankTable) -> str:
        return "the ranking is not better than a random one"

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        raise ValueError(f"metric: {self.name} is not supported within lists.")

    def extremes(self, table: RankTable) -> tuple[float, float]:
        # All combinations of extreme AUC and AP, because the momentum can decrease if
        # the AUC increases.
        fractions = table.prevalence, table.negative_fraction
        corners = [
            _combine(*fractions, 2 * auc - 1, precision, exact=self.exact)[self.index]
            for auc in _AUC.extremes(table)
            for precision in _PRECISION.extremes(table)
        ]
        return float(np.min(corners)), float(np.max(corners))


class Momentum(_AboveChance, score=momentum_score):
    """The initial precision that AP and AUC imply: (adjusted AP) / (2 AUC - 1)."""

    name = "Momentum"
    index = 0

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        return 0.0, np.inf

    def attainable(
        self, bounds: tuple[float, float], value: float
    ) -> tuple[float, float]:
        # A perfect ranking has 1, and the approximation can be above 1.
        return bounds[0], 1.25 * max(1.0, value)

    def excess(self, table: RankTable) -> float:
        # From the average precision: the AUC is unbiased, and their covariance small.
        return _PRECISION.excess(table) / (2 * _AUC.value(table) - 1)

    def slopes(self, table: RankTable) -> Slopes:
        if self.exact:
            return _exact_slopes(table)[0]
        # With NumPy's division slopes are infinite without an advantage, not an error.
        advantage = np.float64(2 * _AUC.value(table) - 1)
        of_auc = _AUC.slopes(table).scaled(-2 * Momentum().value(table) / advantage)
        return _PRECISION.slopes(table).scaled(1 / advantage).plus(of_auc)


class Stamina(_AboveChance, score=stamina_score):
    """The rate up to which it lasts: p (1 - p) (2 AUC - 1) / (momentum - p)."""

    name = "Stamina"
    index = 1

    def slopes(self, table: RankTable) -> Slopes:
        if self.exact:
            return _exact_slopes(table)[1]
        p, q = table.prevalence, table.negative_fraction
        advantage = 2 * _AUC.value(table) - 1
        distance = Momentum().value(table) - p
        # The stamina before it is limited to 1.
        alpha = p * q * advantage / distance
        by_prevalence = ((q - p) * advantage + alpha) / distance
        of_auc = _AUC.slopes(table).scaled(2 * p * q / distance, by_prevalence)
        return of_auc.plus(Momentum().slopes(table).scaled(-alpha / distance))


def _combine(
    p: float | FloatArray,
    q: float | FloatArray,
    advantage: float | FloatArray,
    precision: float | FloatArray,
    *,
    exact: bool,
) -> tuple[FloatArray, FloatArray]:
    """Return momentum and stamina from 2 AUC - 1 and adjusted average precision."""
    # A smaller advantage is a rounding error.
    rounding = 1e-12
    with np.errstate(invalid="ignore", divide="ignore"):
        beta, product = np.divide(precision, advantage), p * q * advantage
        lead = beta - p - (product / 2 if exact else 0)
        is_better = (advantage > rounding) & (lead > rounding)
        if exact:
            alpha = _exact_stamina(beta, product, p)
            beta = p + product / alpha
        else:
            alpha = np.minimum(np.divide(product, beta - p), 1.0)
    return np.where(is_better, beta, np.nan), np.where(is_better, alpha, np.nan)


def _exact_stamina(
    momentum: FloatArray, product: float | FloatArray, p: float | FloatArray
) -> FloatArray:
    """Return the stamina of the curve with this approximate momentum and AUC.

    By bisection over log(alpha): the approximate momentum decreases with alpha.
    """
    low, high = np.log(product / (4 * (momentum + 1))), np.zeros_like(momentum)
    for _ in range(64):  # Up to rounding errors.
        middle = (low + high) / 2
        alpha, rest_of_rate = np.exp(middle), -np.expm1(middle)
        later = p - product / rest_of_rate
        is_above = (product / alpha - later * middle) / rest_of_rate > momentum
        low = np.where(is_above, middle, low)
        high = np.where(is_above, high, middle)
    return np.asarray(np.exp(low))


def _exact_slopes(table: RankTable) -> tuple[Slopes, Slopes]:
    """Return the slopes of exact momentum and stamina, by implicit derivatives."""
    p, q = table.prevalence, table.negative_fraction
    advantage = 2 * _AUC.value(table) - 1
    c, d = p * q * advantage, Momentum(exact=True).value(table) - p
    alpha, u = np.float64(c / d), np.float64(1 - c / d)
    logarithm, later = np.log(alpha), p - c / u
    m = (d - later * logarithm) / u
    by_alpha = (c * logarithm / u**2 - later / alpha + m) / u
    by_d = 1 / u - by_alpha * alpha / d
    by_c = logarithm / u**2 + by_alpha / d
    of_c = _AUC.slopes(table).scaled(2 * p * q, (q - p) * advantage)
    # The derivative by p is -logarithm / u.
    of_d = (
        Momentum()
        .slopes(table)
        .plus(of_c.scaled(-by_c))
        .scaled(1 / by_d, logarithm / u / by_d)
    )
    of_alpha = of_c.scaled(1 / d).plus(of_d.scaled(-alpha / d))
    return of_d.scaled(1.0, 1.0), of_alpha
