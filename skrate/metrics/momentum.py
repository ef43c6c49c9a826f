"""Momentum and stamina: what AUC and average precision together say of a ranking."""

from skrate.core.elicitation import check_rate
from skrate.core.rank_table import RankTable
from skrate.metrics.average_precision import adjusted_average_precision
from skrate.metrics.rate_weighted_auc import rate_weighted_auc

# Less than this above chance is rounding.
LEAST_ADVANTAGE = 1e-12


def momentum(table: RankTable) -> float:
    """Return the initial precision that AP and AUC imply; nan where not above chance.

    Equation 14 of Su, Yuan and Zhu (2015).
    """
    return _both(table)[0]


def stamina(table: RankTable) -> float:
    """Return the rate down to which it lasts: equation 8, solved."""
    return _both(table)[1]


def _both(table: RankTable) -> tuple[float, float]:
    nan = float("nan")
    if table.n_pos == 0 or table.n_neg == 0:
        return nan, nan
    p, rest = table.prevalence, table.negative_share
    adjusted_auc = 2 * rate_weighted_auc(table, check_rate("uniform")) - 1
    if adjusted_auc < LEAST_ADVANTAGE:
        return nan, nan
    beta = adjusted_average_precision(table) / adjusted_auc
    if beta - p < LEAST_ADVANTAGE:
        return nan, nan
    return beta, p * rest * adjusted_auc / (beta - p)
