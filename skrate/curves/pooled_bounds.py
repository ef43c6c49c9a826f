"""Bounds from the law of the number of positives that all folds find together."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from joblib import Parallel, delayed
from scipy import fft, special

from skrate.curves.count_law import CountLaw, FoldSource
from skrate.curves.folds import Folds
from skrate.data.arrays import FloatArray
from skrate.data.checks import check_n_jobs

# Rates whose bounds are computed in one task.
_BATCH = 8
# Where only a part of a case is processed, counts lie on a grid of this fineness, as
# long as a fold is so small that a part of a case can be seen.
_PARTS = 16
_SMALL_FOLD = 500
# What is less likely, on either side, is not kept to look counts up.
_UNSEEN = 1e-12

_T = TypeVar("_T")


def parametric_bounds(
    folds: Folds, rates: FloatArray, level: float, *, n_jobs: int | None, verbose: int
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the pooled count from a beta fitted to its moments.

    Millard, Kull and Flach (2014), theorem 1 and equations 22 to 29.
    """
    least, most = folds.reachable(rates)

    def interval(place: int, laws: list[tuple[CountLaw, int]]) -> tuple[float, float]:
        moments = [(law.moments(), n_folds) for law, n_folds in laws]
        mean = sum(n_folds * mean for (mean, _), n_folds in moments)
        variance = sum(n_folds * variance for (_, variance), n_folds in moments)
        return scaled_beta_interval(mean, variance, least[place], most[place], level)

    intervals = _each_rate(interval, folds, rates, n_jobs, verbose)
    lower, upper = np.array(intervals).T
    return lower, upper


def exact_bounds(
    folds: Folds, rates: FloatArray, level: float, *, n_jobs: int | None, verbose: int
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the pooled count from its law, convolved over the folds."""

    def interval(place: int, laws: list[tuple[CountLaw, int]]) -> tuple[float, float]:
        return central_interval(laws, level)

    intervals = _each_rate(interval, folds, rates, n_jobs, verbose)
    return _reachable(intervals, folds, rates)


def exact_band(
    folds: Folds,
    rates: FloatArray,
    level: float,
    drawn: FloatArray,
    *,
    n_jobs: int | None,
    verbose: int,
) -> tuple[FloatArray, FloatArray]:
    """Return bounds that hold ``level`` of the ``drawn`` counts at all rates at once.

    They are the bounds of a higher level, one for all rates: the least that does.
    """

    def law(place: int, laws: list[tuple[CountLaw, int]]) -> PooledLaw:
        return pooled_law(laws).likely()

    found = _each_rate(law, folds, rates, n_jobs, verbose)
    depths = [law.depth(counts) for law, counts in zip(found, drawn.T, strict=True)]
    n_out = int((1 - level) * len(drawn) + 1e-9)
    # Less than the least probability beyond one of the curves that are to lie within.
    deepest = np.sort(np.min(depths, axis=0))[n_out]
    tail = min(float(np.nextafter(deepest, 0)), (1 - level) / 2)
    return _reachable([law.interval(tail) for law in found], folds, rates)


def _reachable(
    intervals: list[tuple[float, float]], folds: Folds, rates: FloatArray
) -> tuple[FloatArray, FloatArray]:
    # A part of a case may have been rounded beyond what is reachable.
    least, most = folds.reachable(rates)
    lower, upper = np.array(intervals).T
    return np.clip(lower, least, most), np.clip(upper, least, most)


class PooledLaw(NamedTuple):
    """Law of the count of all folds, (first + i) / parts with a probability each.

    ``at_most[i]`` and ``at_least[i]`` are the probabilities of no more and of no less.
    """

    first: int
    parts: int
    at_most: FloatArray
    at_least: FloatArray

    def interval(self, tail: float) -> tuple[float, float]:
        """Return the shortest interval that leaves out at most ``tail`` a side."""
        low = int(np.searchsorted(self.at_most, tail, side="right"))
        above = int(np.searchsorted(self.at_least[::-1], tail, side="right"))
        high = len(self.at_least) - 1 - above
        return (self.first + low) / self.parts, (self.first + high) / self.parts

    def depth(self, counts: FloatArray) -> FloatArray:
        """Return the lesser of the probabilities of no more and of no less.

        A count lies within the intervals whose tail is less than that.
        """
        places = counts * self.parts - self.first
        last = len(self.at_most) - 1
        # Between two places a count is more than the one and less than the other.
        below = np.clip(np.floor(places + 1e-6), -1, last).astype(np.intp)
        above = np.clip(np.ceil(places - 1e-6), 0, last + 1).astype(np.intp)
        at_most, at_least = np.append(self.at_most, 0.0), np.append(self.at_least, 0.0)
        return np.asarray(np.minimum(at_most[below], at_least[above]))

    def likely(self) -> PooledLaw:
        """Return the law without the counts that nobody will see."""
        low = int(np.searchsorted(self.at_most, _UNSEEN))
        high = len(self.at_least) - int(np.searchsorted(self.at_least[::-1], _UNSEEN))
        kept = slice(low, high)
        return PooledLaw(
            self.first + low,
            self.parts,
            self.at_most[kept].copy(),
            self.at_least[kept].copy(),
        )


def central_interval(
    laws: list[tuple[CountLaw, int]], level: float
) -> tuple[float, float]:
    """Return the shortest interval that leaves out at most half of 1 - level a side.

    ``laws`` says how many folds have a law; the sum over all folds is meant.
    """
    return pooled_law(laws).interval((1 - level) / 2)


def pooled_law(laws: list[tuple[CountLaw, int]]) -> PooledLaw:
    """Return the law of the sum over all folds: ``laws`` says how many have a law."""
    parts = _parts_of_a_case([law for law, _ in laws])
    lattices = [(_on_lattice(law, parts), n_folds) for law, n_folds in laws]
    first = sum(parts * law.first * n_folds for law, n_folds in laws)
    n_values = 1 + sum((len(masses) - 1) * n for masses, n in lattices)
    length = fft.next_fast_len(n_values, real=True)
    spectrum = np.ones(length // 2 + 1, dtype=np.complex128)
    for masses, n_folds in lattices:
        spectrum *= fft.rfft(masses, length) ** n_folds
    masses = np.maximum(fft.irfft(spectrum, length)[:n_values], 0.0)
    return PooledLaw(first, parts, np.cumsum(masses), np.cumsum(masses[::-1])[::-1])


def _parts_of_a_case(laws: list[CountLaw]) -> int:
    """Return how finely a case is divided: as finely as needed and as can be seen."""
    if max(len(law.sure) for law in laws) > _SMALL_FOLD:
        return 1
    for parts in range(1, _PARTS):
        rests = [law.fraction * parts % 1 for law in laws]
        if all(min(rest, 1 - rest) < 1e-9 for rest in rests):
            return parts
    return _PARTS


def _on_lattice(law: CountLaw, parts: int) -> FloatArray:
    """Return probabilities of the multiples of 1 / parts, from ``law.first`` on.

    A value between two of them is divided among both, which keeps the mean.
    """
    masses = np.zeros((len(law.sure) + 1, parts))
    masses[:-1, 0] = law.sure
    # A third of three parts is one but for rounding.
    whole, rest = divmod(law.fraction * parts + 1e-9, 1)
    flat = masses.ravel()
    size = parts * len(law.partial)
    flat[int(whole) :][:size:parts] += (1 - rest) * law.partial
    flat[int(whole) + 1 :][:size:parts] += rest * law.partial
    return flat


def scaled_beta_interval(
    mean: float, variance: float, least: float, most: float, level: float
) -> tuple[float, float]:
    """Return a central interval of the beta with two moments on [least, most]."""
    width, tail = most - least, (1 - level) / 2
    # What rounding leaves of a certain count is no variance.
    if width <= 0 or variance <= 1e-10 * width**2:
        middle = min(max(mean, least), most)
        return middle, middle
    m, v = (mean - least) / width, variance / width**2
    concentration = m * (1 - m) / v - 1
    if concentration > 1e-6:
        shapes = m * concentration, (1 - m) * concentration
        low = float(special.betaincinv(*shapes, tail))
        high = max(low, float(special.betainccinv(*shapes, tail)))
    else:
        # All mass lies at the two ends, as for the first case of a single fold.
        low, high = float(1 - m <= tail), float(m > tail)
    return least + width * low, least + width * high


def _each_rate(
    of_laws: Callable[[int, list[tuple[CountLaw, int]]], _T],
    folds: Folds,
    rates: FloatArray,
    n_jobs: int | None,
    verbose: int,
) -> list[_T]:
    """Return what ``of_laws`` makes of the laws at each rate, in parallel over rates.

    It is given the place of the rate, and the laws with their numbers of folds.
    """
    sources = [
        (FoldSource.of(folds, *size), n_folds) for size, n_folds in folds.sizes.items()
    ]

    def results(places: range) -> list[_T]:
        of_sources = [
            source.laws(rates[places] * (source.n_pos + source.n_neg))
            for source, _ in sources
        ]
        n_folds = [n for _, n in sources]
        return [
            of_laws(place, list(zip(laws, n_folds, strict=True)))
            for place, *laws in zip(places, *of_sources, strict=True)
        ]

    tasks = [
        range(first, min(first + _BATCH, len(rates)))
        for first in range(0, len(rates), _BATCH)
    ]
    batches = Parallel(n_jobs=check_n_jobs(n_jobs), prefer="threads", verbose=verbose)(
        delayed(results)(task) for task in tasks
    )
    return [result for batch in batches for result in batch]
