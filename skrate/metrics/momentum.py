"""Momentum and stamina: what AUC and average precision together say of a ranking."""

from __future__ import annotations

import numpy as np

from skrate.data.arrays import Array, ArrayLike, FloatArray, Label
from skrate.data.folds import FoldRankings
from skrate.data.lists import ListTable, ListValues
from skrate.data.table import RankTable
from skrate.metrics.auc import AUC
from skrate.metrics.average_precision import AveragePrecision
from skrate.metrics.base import Facts, Metric, Slopes, extremes, score

# Less than this above chance is rounding.
LEAST_ADVANTAGE = 1e-12
_AUC = AUC()
_PRECISION = AveragePrecision(adjusted=True)


def momentum_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Return the momentum, the precision with which a ranking begins.

    With the prevalence p it is :math:`\beta = (AP - p) / (1 - p) / (2 AUC - 1)`,
    equation 14 of [1]_: exact for a test of two categories, of which it is the
    precision, and otherwise an approximation, too high for a test that begins nearly
    perfectly. nan where the ranking is not better than a random one.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    Two tests of about the same AUC, as counts per category, best first: the first is
    quick, the second steady.

    >>> quick = RankTable([45, 55], [25, 875])
    >>> steady = RankTable([65, 35], [200, 700])
    >>> for counts in (quick, steady):
    ...     beta, alpha = momentum_score(counts), stamina_score(counts)
    ...     print(round(beta, 3), round(alpha, 3))
    0.643 0.07
    0.245 0.265
    """
    return score(Momentum(), y_true, y_score, sample_weight, pos_label)


def stamina_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Return the stamina, the rate down to which the momentum lasts.

    By equation 8 of the article it is :math:`p (1 - p) (2 AUC - 1) / (\beta - p)`, at
    most 1: the share of cases in the upper of two categories.
    """
    return score(Stamina(), y_true, y_score, sample_weight, pos_label)


class _AboveChance(Metric):
    """What momentum and stamina share: they are defined above chance only."""

    def undefined_value(self, table: RankTable) -> str:
        return "the ranking is not better than a random one"

    # The first ones.
    facts = Facts(rests_on_few=True, enough_positives=40)

    def per_list(self, lists: ListTable, k: int | None = None) -> ListValues:
        raise ValueError(f"metric: {self.name} is not known within lists.")


class Momentum(_AboveChance, score=momentum_score):
    """The initial precision that AP and AUC imply: (adjusted AP) / (2 AUC - 1)."""

    name = "Momentum"
    facts = Facts(rests_on_few=True, enough_positives=40, value_of_perfect=1.0)

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        return 0.0, np.inf

    def values(self, pos: Array, neg: Array) -> FloatArray:
        return _of_tables(pos, neg)[0]

    def slopes(self, table: RankTable) -> Slopes:
        # As numpy divides: without an advantage slopes are infinite, which callers see.
        advantage = np.float64(2 * _AUC.value(table) - 1)
        of_auc = _AUC.slopes(table).scaled(-2 * Momentum().value(table) / advantage)
        return _PRECISION.slopes(table).scaled(1 / advantage).plus(of_auc)


class Stamina(_AboveChance, score=stamina_score):
    """The rate down to which it lasts: p (1 - p) (2 AUC - 1) / (momentum - p)."""

    name = "Stamina"

    def values(self, pos: Array, neg: Array) -> FloatArray:
        return _of_tables(pos, neg)[1]

    def slopes(self, table: RankTable) -> Slopes:
        p, rest = table.prevalence, table.negative_share
        advantage = 2 * _AUC.value(table) - 1
        distance = Momentum().value(table) - p
        # What it is before it is cut off at 1.
        alpha = p * rest * advantage / distance
        by_prevalence = ((rest - p) * advantage + alpha) / distance
        of_auc = _AUC.slopes(table).scaled(2 * p * rest / distance, by_prevalence)
        return of_auc.plus(Momentum().slopes(table).scaled(-alpha / distance))


@extremes.register(Momentum)
@extremes.register(Stamina)
def _(metric: Momentum | Stamina, table: RankTable) -> tuple[float, float]:
    """Return the range that those of AUC and AP allow.

    Either by itself: momentum may fall where the AUC rises.
    """
    found = [
        _combine(table.prevalence, table.negative_share, 2 * auc - 1, precision)
        for auc in extremes(_AUC, table)
        for precision in extremes(_PRECISION, table)
    ]
    values = np.array(found, dtype=float)[:, int(isinstance(metric, Stamina))]
    return values.min(), values.max()


def _of_tables(pos: Array, neg: Array) -> tuple[FloatArray, FloatArray]:
    n_pos, n_neg = pos.sum(axis=1), neg.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = n_pos / (n_pos + n_neg), n_neg / (n_pos + n_neg)
        advantage = 2 * _AUC.values(pos, neg) - 1
        precision = _PRECISION.values(pos, neg)
    return _combine(*shares, advantage, precision)


def _combine(
    p: float | FloatArray,
    rest: float | FloatArray,
    advantage: float | FloatArray,
    precision: float | FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return momentum and stamina from 2 AUC - 1 and adjusted average precision."""
    with np.errstate(invalid="ignore", divide="ignore"):
        beta = np.divide(precision, advantage)
        alpha = np.minimum(np.divide(p * rest * advantage, beta - p), 1.0)
    is_better = (advantage > LEAST_ADVANTAGE) & (beta - p > LEAST_ADVANTAGE)
    return np.where(is_better, beta, np.nan), np.where(is_better, alpha, np.nan)
