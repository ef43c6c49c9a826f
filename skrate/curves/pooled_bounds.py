"""Bounds from the law of the number of positives that all folds find together."""

from collections.abc import Callable

import numpy as np
from joblib import Parallel, delayed
from scipy import fft, special

from skrate.core.arrays import FloatArray
from skrate.curves.count_law import CountLaw, FoldSource
from skrate.curves.folds import Folds

# Rates whose bounds are computed in one task.
_BATCH = 8
# Where only a part of a case is processed, counts lie on a grid of this fineness, as
# long as a fold is so small that a part of a case can be seen.
_PARTS = 16
_SMALL_FOLD = 500


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

    return _each_rate(interval, folds, rates, n_jobs, verbose)


def exact_bounds(
    folds: Folds, rates: FloatArray, level: float, *, n_jobs: int | None, verbose: int
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the pooled count from its law, convolved over the folds."""

    def interval(place: int, laws: list[tuple[CountLaw, int]]) -> tuple[float, float]:
        return central_interval(laws, level)

    lower, upper = _each_rate(interval, folds, rates, n_jobs, verbose)
    # A part of a case may have been rounded beyond what is reachable.
    least, most = folds.reachable(rates)
    return np.clip(lower, least, most), np.clip(upper, least, most)


def central_interval(
    laws: list[tuple[CountLaw, int]], level: float
) -> tuple[float, float]:
    """Return the shortest interval that leaves out at most half of 1 - level a side.

    ``laws`` says how many folds have a law; the sum over all folds is meant.
    """
    parts = _parts_of_a_case([law for law, _ in laws])
    lattices = [(_on_lattice(law, parts), n_folds) for law, n_folds in laws]
    first = sum(parts * law.first * n_folds for law, n_folds in laws)
    n_values = 1 + sum((len(masses) - 1) * n for masses, n in lattices)
    length = fft.next_fast_len(n_values, real=True)
    spectrum = np.ones(length // 2 + 1, dtype=np.complex128)
    for masses, n_folds in lattices:
        spectrum *= fft.rfft(masses, length) ** n_folds
    masses = np.maximum(fft.irfft(spectrum, length)[:n_values], 0.0)
    tail = (1 - level) / 2
    low = int(np.searchsorted(np.cumsum(masses), tail, side="right"))
    above = int(np.searchsorted(np.cumsum(masses[::-1]), tail, side="right"))
    return (first + low) / parts, (first + n_values - 1 - above) / parts


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
    interval: Callable[[int, list[tuple[CountLaw, int]]], tuple[float, float]],
    folds: Folds,
    rates: FloatArray,
    n_jobs: int | None,
    verbose: int,
) -> tuple[FloatArray, FloatArray]:
    """Return both ends of ``interval`` at each rate, in parallel over rates."""
    sources = [
        (FoldSource.of(folds, *size), n_folds) for size, n_folds in folds.sizes.items()
    ]

    def bounds(places: range) -> list[tuple[float, float]]:
        of_sources = [
            source.laws(rates[places] * (source.n_pos + source.n_neg))
            for source, _ in sources
        ]
        n_folds = [n for _, n in sources]
        return [
            interval(place, list(zip(laws, n_folds, strict=True)))
            for place, *laws in zip(places, *of_sources, strict=True)
        ]

    tasks = [
        range(first, min(first + _BATCH, len(rates)))
        for first in range(0, len(rates), _BATCH)
    ]
    results = Parallel(n_jobs=n_jobs, prefer="threads", verbose=verbose)(
        delayed(bounds)(task) for task in tasks
    )
    lower, upper = np.array([pair for result in results for pair in result]).T
    return lower, upper
