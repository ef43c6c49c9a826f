"""Sample sizes and power, literally, from the influence of each case of a pilot."""

import numpy as np
from scipy import stats


def parts_per_case(values, is_pos):
    """Return the variance of one case by its sources: two classes, and their shares."""
    values, is_pos = np.asarray(values), np.asarray(is_pos)
    parts, shares = [], 0.0
    for chosen in (is_pos, ~is_pos):
        found = values[chosen]
        parts.append(sum((v - found.mean()) ** 2 for v in found) / len(values))
        shares += len(found) / len(values) * found.mean() ** 2
    return [*parts, shares]


def dof(parts, p, n):
    """Return the degrees of freedom of Brunner and Munzel, at n cases."""
    sizes = (n * p, n * (1 - p), n)
    below = sum(v**2 / max(m - 1, 1) for v, m in zip(parts, sizes, strict=True))
    return max(sum(parts) ** 2 / below, 1.0)


def power(parts, p, n, difference, level=0.95, alternative="two-sided"):
    """Return the power of Student's t test at n cases."""
    df = dof(parts, p, n)
    off = difference / np.sqrt(sum(parts) / n)
    if alternative == "greater":
        return beyond(stats.t.ppf(level, df), df, off)
    if alternative == "less":
        return beyond(stats.t.ppf(level, df), df, -off)
    needed = stats.t.ppf((1 + level) / 2, df)
    return beyond(needed, df, off) + beyond(needed, df, -off)


def beyond(needed, df, off):
    """Return P((Z + off) / sqrt(X / df) > needed), Z normal and X chi-squared.

    The mean over X, at its quantiles, of what is left to Z.
    """
    middles = (np.arange(5_000) + 0.5) / 5_000
    scale = np.sqrt(stats.chi2.ppf(middles, df) / df)
    return float(stats.norm.cdf(off - needed * scale).mean())


def half_width(parts, p, n, level=0.95):
    """Return half of Student's interval of a difference at n cases."""
    df = dof(parts, p, n)
    return stats.t.ppf((1 + level) / 2, df) * np.sqrt(sum(parts) / n)


def positives_of_binormal_auc(auc, n_neg_per_pos, half_width, level=0.95):
    """Return how many positives the AUC of two equal normal laws takes.

    Its variance is that of the pairs: P(a positive beats two negatives) is that of two
    normal variables with correlation 1/2, less the square of the AUC.
    """
    at = stats.norm.ppf(auc)
    both = stats.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]]).cdf([at, at])
    variance = (both - auc**2) * (1 + 1 / n_neg_per_pos)
    return stats.norm.ppf((1 + level) / 2) ** 2 * variance / half_width**2


def positives_by_obuchowski(auc, n_neg_per_pos, half_width, level=0.95, *, joint=False):
    """Return how many positives Obuchowski's formula for the binormal AUC asks for.

    With ``joint`` the covariance of the two estimated parameters is not left out.
    """
    a2 = (np.sqrt(2) * stats.norm.ppf(auc)) ** 2
    of_pos = 5 * a2 + 8 - (4 * a2 if joint else 0)
    variance = 0.0099 * np.exp(-a2 / 2) * (of_pos + (a2 + 8) / n_neg_per_pos)
    return stats.norm.ppf((1 + level) / 2) ** 2 * variance / half_width**2
