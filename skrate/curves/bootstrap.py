"""New sets of folds that are drawn from the curve, and the range of their counts."""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata

from skrate.curves.folds import Folds, counts_at
from skrate.data.arrays import Array, FloatArray, IntArray
from skrate.data.checks import check_n_jobs

# So far above and below all places does the case lie that is added to each class. Its
# share of (0, 1) is none to speak of.
_FAR = 1e9
# Cases that are drawn in one task: it bounds the memory, not the result.
_BATCH_CASES = 2_000_000


def bootstrap_counts(
    folds: Folds,
    rates: FloatArray,
    n_resamples: int,
    generator: np.random.Generator,
    *,
    is_adjusted: bool = False,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> FloatArray:
    """Return the pooled counts of new sets of folds, of shape (n_resamples, n_rates).

    Each fold keeps its numbers of positives and of negatives. With ``is_adjusted``
    the numbers are left to chance, and the ranking is then stretched to meet them.
    """
    places = _Places(folds)
    n_cases = sum(n * sum(size) for size, n in folds.sizes.items())
    n_tables = max(1, min(n_resamples, _BATCH_CASES // n_cases))
    batches = [
        min(n_tables, n_resamples - first) for first in range(0, n_resamples, n_tables)
    ]

    def total(n_tables: int, rng: np.random.Generator) -> FloatArray:
        counts = np.zeros((n_tables, len(rates)))
        for size, n_folds in folds.sizes.items():
            for _ in range(n_folds):
                counts += _counts(
                    places, size, rates, n_tables, rng, is_adjusted=is_adjusted
                )
        return counts

    # A generator for each batch, so that the number of threads changes no number.
    results = Parallel(n_jobs=check_n_jobs(n_jobs), prefer="threads", verbose=verbose)(
        delayed(total)(n_tables, rng)
        for n_tables, rng in zip(batches, generator.spawn(len(batches)), strict=True)
    )
    return np.concatenate(list(results))


def central_range(counts: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return bounds that leave out at most half of 1 - level of the rows, a side."""
    return _range(counts, _n_out(counts, level))


def whole_range(counts: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds that leave out as many counts at each rate as they can.

    At least ``level`` of the rows lie within them at every rate.
    """
    n_below = rankdata(counts, "max", axis=0)
    n_above = len(counts) + 1 - rankdata(counts, "min", axis=0)
    depths = np.minimum(n_below, n_above).min(axis=1)
    n_rows = int((1 - level) * len(counts) + 1e-9)
    # Only n_rows of them may lie beyond the bounds at some rate.
    n_out = min(int(np.sort(depths)[n_rows]) - 1, _n_out(counts, level))
    return _range(counts, n_out)


class _Places:
    """Where the positives and the negatives of all folds lie along the curve.

    A place is drawn by choosing a case of the class, and then a point of the interval
    of places that the case shares with those it ties with. So the density of places is
    proportional to the probability of the class along the curve. A case that is added
    to each class lies half above all others and half below.
    """

    def __init__(self, folds: Folds) -> None:
        starts, widths = [], []
        for name in ("pos", "neg"):
            for table, cuts in zip(folds.tables, folds.places, strict=True):
                n_cases = getattr(table, name).astype(np.intp)
                starts.append(np.repeat(cuts[:-1], n_cases))
                widths.append(np.repeat(np.diff(cuts), n_cases))
            starts.append(np.full(folds.added, -_FAR))
            widths.append(np.full(folds.added, 2 * _FAR + 1))
        # Those of the positives come first.
        self.starts, self.widths = np.concatenate(starts), np.concatenate(widths)
        self.n_pos = round(folds.n_pos) + folds.added
        self.n_neg = round(folds.n_neg) + folds.added

    def ranked_labels(
        self, n_pos: IntArray, n_cases: int, rng: np.random.Generator
    ) -> Array:
        """Return drawn rankings, one a row: 1 for a positive, 0 for a negative.

        Row i has ``n_pos[i]`` positives among ``n_cases``.
        """
        is_pos = np.arange(n_cases) < n_pos[:, None]
        # One random number for two draws: its whole part chooses the case, the rest
        # the point within the case's interval. In place, as no array is larger.
        drawn = rng.random(is_pos.shape)
        drawn *= np.where(is_pos, self.n_pos, self.n_neg)
        case = drawn.astype(np.intp)
        drawn -= case
        case[~is_pos] += self.n_pos
        drawn *= self.widths[case]
        drawn += self.starts[case]
        # The label takes the place of the last bit, so that values can be sorted.
        bits = drawn.view(np.uint64)
        bits &= ~np.uint64(1)
        bits |= is_pos
        drawn.sort(axis=1)
        return (bits & np.uint64(1)).astype(np.uint8)


def _n_out(counts: FloatArray, level: float) -> int:
    """Return how many rows are left out on either side of one rate."""
    # 0.05 / 2 * 2000 is 50 but for rounding.
    return int((1 - level) / 2 * len(counts) + 1e-9)


def _range(counts: FloatArray, n_out: int) -> tuple[FloatArray, FloatArray]:
    ordered = np.sort(counts, axis=0)
    return ordered[n_out], ordered[len(counts) - 1 - n_out]


def _counts(
    places: _Places,
    size: tuple[int, int],
    rates: FloatArray,
    n_tables: int,
    rng: np.random.Generator,
    *,
    is_adjusted: bool,
) -> FloatArray:
    """Return counts of positives at ``rates`` in drawn folds of one size.

    Drawing rates first and keeping the folds with the right number of positives is
    the same law as drawing both classes apart: nothing is discarded. Adjusted, that
    number is left to chance, and the cases of each class are then made wider or
    narrower along the ranking, so that they come to it (section 3.5 of the paper). A
    fold that lacks a class cannot be adjusted, and is drawn again.
    """
    n_pos, n_neg = size
    n_cases = n_pos + n_neg
    if not is_adjusted:
        labels = places.ranked_labels(np.full(n_tables, n_pos), n_cases, rng)
        return counts_at(labels, rates)
    drawn = rng.binomial(n_cases, n_pos / n_cases, n_tables)
    while not np.all(lacks_none := (drawn > 0) & (drawn < n_cases)):
        again = np.flatnonzero(~lacks_none)
        drawn[again] = rng.binomial(n_cases, n_pos / n_cases, len(again))
    labels = places.ranked_labels(drawn, n_cases, rng)
    found = np.zeros((n_tables, n_cases + 1))
    np.cumsum(labels, axis=1, out=found[:, 1:])
    missed = np.arange(n_cases + 1) - found
    # Stretched, a case is no longer one: the cut at a rate falls between the cuts that
    # are known, and both classes grow linearly from one of them to the next.
    found *= (n_pos / drawn)[:, None]
    missed *= (n_neg / (n_cases - drawn))[:, None]
    # One call for all rows: row i runs from i * (n_cases + 1) on, so that the rows
    # increase from one to the next. Rounding must not carry one into the other.
    starts = (n_cases + 1.0) * np.arange(n_tables)[:, None]
    passed = starts + np.minimum(found + missed, n_cases)
    asked = starts + rates * n_cases
    counts = np.interp(asked.ravel(), passed.ravel(), found.ravel())
    return np.asarray(counts.reshape(asked.shape))
