"""Resampled tables, the only place where they are drawn; nothing is sorted again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from skrate.core.arrays import Array, FloatArray, IntArray
from skrate.core.validation import check_generator
from skrate.inference.sample import Cases, Ranked
from skrate.inference.table_metric import merged

# Entries of a batch: its arrays stay in the cache, and in little memory.
_BATCH = 2**17

Draw = Callable[[np.random.Generator, int], Array]
Statistic = Callable[[Array], FloatArray]


def replicates(
    draw: Draw,
    statistic: Statistic,
    *,
    width: int,
    n_resamples: int,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return ``statistic(draw(generator, size))`` in batches, as one array.

    Each batch has a seed of its own, and which batches there are depends on ``width``
    (the entries of a draw) alone, so that ``n_jobs`` changes nothing.
    """
    size = int(np.clip(_BATCH // width, 1, 256))
    sizes = [size] * (n_resamples // size)
    if n_resamples % size:
        sizes.append(n_resamples % size)
    generators = check_generator(random_state).spawn(len(sizes))
    run = Parallel(n_jobs=n_jobs, prefer="threads")
    done = run(
        delayed(_one_batch)(draw, statistic, generator, size)
        for generator, size in zip(generators, sizes, strict=True)
    )
    return np.concatenate(done)


def _one_batch(
    draw: Draw, statistic: Statistic, generator: np.random.Generator, size: int
) -> FloatArray:
    return statistic(draw(generator, size))


@dataclass(frozen=True)
class CountDraw:
    """Multinomial draws of how often each unit of a stratum is in a resample.

    Parameters
    ----------
    strata : sequence of array
        How often each unit is in the sample, per stratum; a stratum keeps its size.
    """

    strata: Sequence[IntArray]

    @property
    def width(self) -> int:
        """Number of units."""
        return sum(len(repeats) for repeats in self.strata)

    def __call__(self, generator: np.random.Generator, size: int) -> Array:
        """Return counts of shape (size, width)."""
        parts = [_multinomial(generator, repeats, size) for repeats in self.strata]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _multinomial(
    generator: np.random.Generator, repeats: IntArray, size: int
) -> IntArray:
    """Return draws of shape (size, len(repeats)), each as many as there are cases."""
    n_units, n = len(repeats), int(repeats.sum())
    if n > 16 * n_units:
        # A binomial draw per unit costs less than a uniform one per case.
        return generator.multinomial(n, repeats / n, size=size)
    drawn = generator.integers(n, size=(size, n))
    if n > n_units:
        drawn = np.repeat(np.arange(n_units), repeats).take(drawn)
    drawn += n_units * np.arange(size)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=size * n_units)
    return counts.reshape(size, n_units)


@dataclass(frozen=True)
class TableDraw:
    """Resamples of one table of counts: rows of positives, then negatives per group.

    With ``is_parametric`` the number of positives is drawn first, then both
    multinomials ([1]_, equations 19 to 21).

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.
    """

    pos: IntArray
    neg: IntArray
    stratify: bool
    is_parametric: bool = False

    @property
    def width(self) -> int:
        """Entries of a row."""
        return max(2 * len(self.pos), int(self.pos.sum() + self.neg.sum()) // 16)

    def __call__(self, generator: np.random.Generator, size: int) -> Array:
        """Return rows of shape (size, 2 * n_groups)."""
        if self.is_parametric:
            return self._parametric(generator, size)
        counts = np.concatenate([self.pos, self.neg])
        is_there = counts > 0
        split = np.count_nonzero(self.pos)
        repeats = counts[is_there]
        strata = [repeats[:split], repeats[split:]] if self.stratify else [repeats]
        drawn = CountDraw(strata)(generator, size)
        rows = np.zeros((size, len(counts)), dtype=drawn.dtype)
        rows[:, is_there] = drawn
        return rows

    def _parametric(self, generator: np.random.Generator, size: int) -> Array:
        n_pos, n_neg = int(self.pos.sum()), int(self.neg.sum())
        n = n_pos + n_neg
        drawn = generator.binomial(n, n_pos / n, size=size)
        pos = generator.multinomial(drawn, self.pos / n_pos, size=size)
        neg = generator.multinomial(n - drawn, self.neg / n_neg, size=size)
        return np.concatenate([pos, neg], axis=1)


@dataclass(frozen=True)
class UnitDraw:
    """Resamples of cases or clusters, as rows of weights per group and class.

    Parameters
    ----------
    counts : CountDraw
        How the units are drawn.
    rows_of_units : sparse array of shape (n_units, width)
        What each unit adds to a row, in the order in which they are drawn.
    kept : sequence of Ranked
        The samples of which the weights of both classes stay as they are; may be
        empty.
    """

    counts: CountDraw
    rows_of_units: Any
    kept: Sequence[Ranked] = ()

    @property
    def width(self) -> int:
        """Entries of a draw, before and after it is summed per group."""
        n_units, n_columns = self.rows_of_units.shape
        return max(int(n_units), int(n_columns))

    def __call__(self, generator: np.random.Generator, size: int) -> Array:
        """Return rows of shape (size, width)."""
        rows = np.asarray(self.counts(generator, size) @ self.rows_of_units)
        if self.kept:
            keep_class_weights(rows, self.kept)
        return rows


def resample_draw(
    ranked: Sequence[Ranked], *, stratify: bool, is_parametric: bool = False
) -> TableDraw | UnitDraw:
    """Return the draw of resamples of one sample, or of several of the same cases.

    Rows hold, for each of ``ranked``, the weights of positives and then of negatives
    per group of its merged table.
    """
    cases = ranked[0].cases
    if len(ranked) == 1 and cases.is_plain:
        small = merged(ranked[0].table)
        pos, neg = (np.rint(part).astype(np.intp) for part in small[:2])
        return TableDraw(pos, neg, stratify, is_parametric)
    order = np.arange(cases.n_clusters)
    repeats = np.ones(len(order), dtype=np.intp)
    if cases.clusters is None and cases.weights is not None and cases.are_repetitions:
        repeats = np.rint(cases.weights).astype(np.intp)
    strata = [repeats]
    if stratify and cases.clusters is None:
        order = np.argsort(~cases.is_pos, kind="stable")
        strata = np.split(repeats[order], [np.count_nonzero(cases.is_pos)])
    has_own_weights = cases.is_weighted and not cases.are_repetitions
    kept = ranked if stratify and has_own_weights else ()
    return UnitDraw(CountDraw(strata), unit_rows(ranked)[order], kept)


def unit_rows(ranked: Sequence[Ranked]) -> Any:
    """Return what each case or cluster adds to a row, as a sparse array."""
    cases = ranked[0].cases
    n_cases = len(cases.is_pos)
    columns, start = [], 0
    for one in ranked:
        small = merged(one.table)
        n_groups = len(small.pos)
        group = small.group_of(one.table.n_groups).take(one.group)
        columns.append(start + group + n_groups * ~cases.is_pos)
        start += 2 * n_groups
    unit = np.arange(n_cases) if cases.clusters is None else cases.clusters
    weight = _weight_per_draw(cases)
    rows = sparse.coo_array(
        (
            np.tile(weight, len(columns)),
            (np.tile(unit, len(columns)), np.concatenate(columns)),
        ),
        shape=(cases.n_clusters, start),
    )
    return rows.tocsr()


def _weight_per_draw(cases: Cases) -> Array:
    """Return what a case weighs each time it is drawn, whole numbers if it can be."""
    if cases.weights is None:
        return np.ones(len(cases.is_pos), dtype=np.intp)
    if not cases.are_repetitions:
        return cases.weights
    if cases.clusters is None:
        return np.ones(len(cases.is_pos), dtype=np.intp)
    return np.rint(cases.weights).astype(np.intp)


def split_rows(rows: Array, ranked: Sequence[Ranked]) -> list[tuple[Array, Array]]:
    """Return positives and negatives per group, for each of ``ranked``."""
    parts, start = [], 0
    for one in ranked:
        n_groups = len(merged(one.table).pos)
        middle, end = start + n_groups, start + 2 * n_groups
        parts.append((rows[:, start:middle], rows[:, middle:end]))
        start = end
    return parts


def keep_class_weights(rows: FloatArray, ranked: Sequence[Ranked]) -> None:
    """Scale the rows in place so that each class weighs what it does in the sample."""
    for one, (pos, neg) in zip(ranked, split_rows(rows, ranked), strict=True):
        for part, weight in ((pos, one.table.n_pos), (neg, one.table.n_neg)):
            part *= weight / part.sum(axis=1, keepdims=True)
