"""False positive rates at the top of a ranking, of which few controls tell.

Seen from a rarer population, a control of a case-control sample stands for many. Above
the best positives there are 0, 1 or 2 of them, and precision, which is convex in the
false positive rate, is taken too high on average if it is read as 0, 1/m or 2/m. So
the rates are shrunk to a line that is fitted to the positives further down: the ROC
curve in probits, straight where the classes are normal after any increasing
transformation. It depends on ranks alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from skrate.data.arrays import Array, FloatArray, dot, sum_from_right
from skrate.metrics.base import Slopes

# What the line weighs beside the controls seen, in controls, at most: half a control,
# as Jeffreys' prior of a rate has it.
_MOST = 0.5
# From how many controls above it a positive counts for the line. Whole numbers are
# not affected by where it rises from 0 to 1: it does so for weights, and has no jump.
_FEW = (2.25, 2.75)
# Up to which false positive rate, from 1 down to 0: the line is to fit the top.
_TOP = (0.1, 0.3)
# How many positives must count for a line, and for one to rely on.
_LEAST_POSITIVES = 4.5
_ENOUGH_POSITIVES = 20
# Whole numbers of controls below it are fewer than three.
_THIRD = 2.5
# Of the value, the most that may be decided above the third control.
_MOST_UNSEEN = 0.9
# Of controls expected above a rate of the odds of the prevalence, at which precision is
# about a half: precision can be told whatever the ranking.
_AMPLE = 10
# How many sizes are tried between the sample's and that.
_STEPS = 200
# Less would have no number for its reciprocal.
_LEAST_RATE = 1e-290
_TINY = np.finfo(np.float64).tiny


class Tail(NamedTuple):
    """The line of one or many tables, and the rates that it leads to.

    Arrays have the shape (n_tables, n_groups), or (n_tables, 1) where all groups share
    the number: sizes, strength and the parts of the line.
    """

    pos: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    n_pos: FloatArray
    n_neg: FloatArray
    strength: FloatArray
    is_fitted: Array
    x: FloatArray
    y: FloatArray
    weight: FloatArray
    from_mean: FloatArray
    spread: FloatArray
    slope: FloatArray
    height: FloatArray  # The probit of the false positive rate by the line.

    @property
    def line(self) -> FloatArray:
        """The false positive rate by the line."""
        return np.asarray(special.ndtr(self.height))

    @property
    def shrunk(self) -> FloatArray:
        """The false positive rate from controls and line; as it is without a line."""
        # (k + s) / (m + s / f), of k controls and a line of weight s at f.
        line, seen = self.line, self.n_neg * self.fpr + self.strength
        with np.errstate(invalid="ignore", divide="ignore"):
            shrunk = seen * line / (self.n_neg * line + self.strength)
        return np.where(self.is_fitted, shrunk, self.fpr)


def binormal_tail(
    pos: Array, neg: Array, prevalence: float, n_cases: float | Array | None = None
) -> Tail:
    """Return the tails of tables, given as rows of weights per group.

    ``n_cases`` is the number of cases behind the weights, None where these are counts.
    """
    cum_pos, cum_neg = (
        np.cumsum(part, axis=1, dtype=np.float64) for part in (pos, neg)
    )
    all_pos, all_neg = cum_pos[:, -1:], cum_neg[:, -1:]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        of_group, tpr, fpr = pos / all_pos, cum_pos / all_pos, cum_neg / all_neg
        n_pos, n_neg = all_pos, all_neg
        if n_cases is not None:
            total = all_pos + all_neg
            n_pos, n_neg = n_cases * (all_pos / total), n_cases * (all_neg / total)
        # Of r cases that a control stands for, relative to a positive, one was seen: at
        # the sample's own prevalence there is nothing to add, and nowhere is a jump.
        seen = prevalence / (1 - prevalence) * (n_neg / n_pos)
        strength = _MOST * np.clip(1 - seen, 0, None)
        # Plotting positions, which are neither 0 nor 1.
        x = special.ndtri(np.maximum(n_pos * tpr / (n_pos + 1), _TINY))
        y = special.ndtri((n_neg * fpr + 0.5) / (n_neg + 1))
        # The line of least squares over the positives that count.
        weight = of_group * _counting(n_neg, fpr)[0]
        counting = weight.sum(axis=1, keepdims=True)
        share = weight / counting
        mean_x, mean_y = ((share * v).sum(axis=1, keepdims=True) for v in (x, y))
        from_mean = x - mean_x
        spread, common = (
            (share * from_mean * v).sum(axis=1, keepdims=True)
            for v in (from_mean, y - mean_y)
        )
        slope = common / spread
        is_fitted = (strength > 0) & (n_pos * counting > _LEAST_POSITIVES)
        is_fitted &= (spread > 1e-12) & (slope > 1e-9) & (slope < np.inf)
        height = mean_y + slope * from_mean
    return Tail(
        of_group, tpr, fpr, n_pos, n_neg, strength, is_fitted, x, y, weight, from_mean,
        spread, slope, height,
    )  # fmt: skip


def _counting(n_neg: FloatArray, fpr: FloatArray) -> tuple[FloatArray, ...]:
    """Return how much a positive counts, and its slopes by controls above and rate."""
    first, last = _FEW
    top, end = _TOP
    above = np.clip((n_neg * fpr - first) / (last - first), 0, 1)
    # Without a bend at its ends, so that the slopes have no jump either.
    t = np.clip((end - fpr) / (end - top), 0, 1)
    below = t * t * (3 - 2 * t)
    by_above = ((above > 0) & (above < 1)) / (last - first) * below
    by_rate = 6 * t * (1 - t) / (top - end) * above
    return above * below, by_above, by_rate


def tail_slopes(tail: Tail, prevalence: float) -> Slopes:
    """Return the slopes of the average precision of one table with a line.

    With T and F the true and the false positive rate, f that of the line, H what F is
    shrunk to and P the share of the positives in a group, it is the sum of
    P p T / (p T + (1 - p) H). By the chain rule, from right to left: H depends on F and
    f; f on T and on the line; the line on T, F and P of all that count for it.
    """
    p, rest = prevalence, 1 - prevalence
    m, s, fpr, line = tail.n_neg, tail.strength, tail.fpr, tail.line
    found, lost = p * tail.tpr, rest * tail.shrunk
    inverse = 1 / np.maximum(found + lost, _TINY)
    precision = found * inverse
    density = tail.pos * inverse
    by_shrunk = -rest * density * precision
    by_tpr = p * density * (lost * inverse)
    whole = m * line + s
    by_fpr = by_shrunk * m * line / whole
    by_height = by_shrunk * (m * fpr + s) * s / whole**2 * _normal(tail.height)
    # The line.
    counts, by_above, by_rate = _counting(m, fpr)
    total = tail.weight.sum()
    share = tail.weight / total
    level, turn = by_height.sum(), (by_height * tail.from_mean).sum() / tail.spread
    pull = level + turn * tail.from_mean
    residual = tail.y - tail.height
    by_y = share * pull
    by_x = tail.slope * by_height + share * (turn * residual - tail.slope * pull)
    by_weight = residual * pull / total
    # What x and y are of.
    x_by_share = 1 / _normal(tail.x)
    y_by_share = 1 / _normal(tail.y)
    n = tail.n_pos
    by_tpr += by_x * x_by_share * n / (n + 1)
    by_fpr += by_y * y_by_share * m / (m + 1)
    by_fpr += by_weight * tail.pos * (m * by_above + by_rate)
    by_n_pos = (by_x * x_by_share * tail.tpr / (n + 1) ** 2).sum()
    by_n_neg = (
        by_shrunk * line * s * (fpr - line) / whole**2
        + by_y * y_by_share * (fpr - 0.5) / (m + 1) ** 2
        + by_weight * tail.pos * by_above * fpr
    ).sum()
    by_strength = (by_shrunk * m * line * (line - fpr) / whole**2).sum()
    size = n + m
    strength_slope = _MOST * p / rest / (n / size) ** 2
    by_prevalence = size * (by_n_pos - by_n_neg) + by_strength * strength_slope
    return Slopes(
        (precision + counts * by_weight)[0] + sum_from_right(by_tpr[0]),
        sum_from_right(by_fpr[0]),
        float(by_prevalence.item()),
    )


def spread_ratio(by_neg: FloatArray, neg: FloatArray, shrunk: FloatArray) -> float:
    """Return the variance of slopes over shrunk rates, by that over the controls.

    Where no control was seen there would be no variance, although other samples have
    some there: the rates that the value is made of say how many.
    """
    seen, expected = (
        _variance(by_neg, weight)
        for weight in (neg, np.clip(np.diff(shrunk, prepend=0.0), 0, None))
    )
    # Nothing varies, and nothing is to be added.
    return expected / seen if expected > seen > 0 else 1.0


def _variance(values: FloatArray, weights: FloatArray) -> float:
    share = weights / weights.sum()
    centred = values - dot(share, values)
    return float(np.einsum("i,i,i->", share, centred, centred))


def controls_needed(tail: Tail, prevalence: float) -> float:
    """Return how many controls it takes to tell the average precision of one table.

    No more of the value should come from positives with fewer than three controls
    above them, where the line decides, than the number of controls expected above a
    rate of the odds of the prevalence, and nine tenths at most; and 20 positives should
    count for the line. Ten controls expected there will do in any case. In simulations
    intervals held their level then, and lost it elsewhere.
    """
    n_neg, odds = tail.n_neg.item(), prevalence / (1 - prevalence)
    tpr, rates = tail.tpr[0], tail.shrunk[0]
    # In units of the odds, which may be next to nothing.
    parts = tail.pos[0] * tpr / np.maximum(odds * tpr + rates, _LEAST_RATE)
    share = np.concatenate([[0.0], np.cumsum(parts) / parts.sum()])

    ample = _AMPLE / max(odds, _LEAST_RATE)
    needed = 0.0
    n_few = share[np.searchsorted(n_neg * tail.fpr[0], _THIRD)]
    if n_few > min(_MOST_UNSEEN, n_neg * odds):
        needed = ample
        if tail.is_fitted.item():
            sizes = np.geomspace(n_neg + 1, max(ample, n_neg + 1), _STEPS)
            enough = share[np.searchsorted(rates, _THIRD / sizes)] <= np.minimum(
                _MOST_UNSEEN, sizes * odds
            )
            # Ten expected controls are enough: the last size is.
            needed = float(sizes[:-1][enough[:-1]].min(initial=sizes[-1]))
    n_counting = (tail.n_pos * tail.weight.sum()).item()
    if tail.is_fitted.item() and n_counting < _ENOUGH_POSITIVES:
        needed = max(needed, n_neg * _ENOUGH_POSITIVES / n_counting)
    return float(min(needed, ample))


def _normal(z: FloatArray) -> FloatArray:
    """Return the density of the normal distribution, where it is a number."""
    return np.asarray(np.maximum(np.exp(-z * z / 2) / np.sqrt(2 * np.pi), _TINY))
