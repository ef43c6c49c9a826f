"""Ranges over laws of the rate with one mode, by a linear program for each mode.

A law is a mass at the mode m and masses that are spread evenly between m and x, for
modes and ends x of a grid, which is then made finer around the best ones.
"""

import numpy as np
from scipy.optimize import linprog

from reference.rate_programs import TOLERANCES


def mean_between(low, high, rates, values):
    """Return the mean of a curve that is straight between knots, over an interval."""
    if low == high:
        return np.interp(low, rates, values)
    places = np.unique([low, *(x for x in rates if low < x < high), high])
    heights = np.interp(places, rates, values)
    return np.diff(places) @ (heights[1:] + heights[:-1]) / 2 / (high - low)


def best_for_mode(known, mode, ends, rates, values):
    """Return the greatest mean of a curve for one mode, and the ends that it takes."""
    parts = [(min(mode, x), max(mode, x), x >= mode) for x in ends if x != mode]
    # The mode itself may count at a quantile, or above it.
    parts += [(mode, mode, False), (mode, mode, True)]
    gains = [mean_between(low, high, rates, values) for low, high, _ in parts]
    equalities, right = [[1.0] * len(parts)], [1.0]
    for level, q in known.quantiles:
        up_to = []
        for low, high, is_above in parts:
            if low == high:
                up_to.append(float(low < q or (low == q and not is_above)))
            else:
                up_to.append(min(max((q - low) / (high - low), 0.0), 1.0))
        equalities.append(up_to)
        right.append(level)
    limits = bounds = None
    if known.mean is not None:
        middles = np.array([(low + high) / 2 for low, high, _ in parts])
        limits, bounds = [middles, -middles], [known.mean[1], -known.mean[0]]
    found = linprog(
        np.negative(gains), A_ub=limits, b_ub=bounds, A_eq=equalities, b_eq=right,
        method="highs", options=dict.fromkeys(TOLERANCES, 1e-10),
    )  # fmt: skip
    if found.status == 2:
        return -np.inf, []
    assert found.status == 0, found.message
    used = [part for part, share in zip(parts, found.x, strict=True) if share > 1e-12]
    return -found.fun, [low if high == mode else high for low, high, _ in used]


def greatest_mean(known, rates, values, n_modes=21, n_ends=81, n_rounds=5):
    """Return the greatest mean of a curve over a set of laws with one mode.

    ``known`` has ``quantiles`` as pairs, ``mean`` as a pair or None, ``support`` and
    ``mode`` as a pair.
    """
    low, high = known.support
    special = [x for x in rates if low <= x <= high]
    special += [q for _, q in known.quantiles]
    first, last = known.mode
    modes = [*np.linspace(first, last, n_modes), *special]
    modes = [mode for mode in modes if first <= mode <= last]
    ends = {*np.linspace(low, high, n_ends), *special, first, last}
    wide_modes, wide_ends = (last - first) / n_modes, (high - low) / n_ends
    best, at, used = -np.inf, first, []
    for _ in range(n_rounds):
        for mode in sorted({*modes}):
            value, taken = best_for_mode(known, mode, sorted(ends), rates, values)
            if value > best:
                best, at, used = value, mode, taken
        steps = np.linspace(-1, 1, 9)
        modes = np.clip(at + wide_modes * steps, first, last)
        for x in used:
            ends |= {*np.clip(x + wide_ends * steps, low, high)}
        wide_modes, wide_ends = wide_modes / 5, wide_ends / 5
    return best
