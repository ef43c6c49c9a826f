"""Resamples of a sample, the spread of a statistic over them, and the jackknife."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse, stats

from skrate.data.arrays import Array, FloatArray, IntArray, dot
from skrate.data.checks import warn_undefined
from skrate.inference.rankings import Ranked, counted
from skrate.metrics.metric import Metric

# Poisson counts of means up to this are drawn by a byte, and are below the other.
_MANY, _MOST_COUNTS = 32, 128
Rows = Callable[[np.random.Generator, int], Array]
Statistic = Callable[[Array], FloatArray]
_LEFT_OUT = 2**20
# Of sums of shares, which round otherwise where other cases tie.
_ROUNDING = 1e-13


class Draw(NamedTuple):
    """Random rows, with how many entries each takes in memory."""

    width: int
    rows: Rows

    def __call__(self, generator: np.random.Generator, size: int) -> Array:
        """Return so many rows."""
        return self.rows(generator, size)


def count_draw(
    strata: Sequence[IntArray],
    columns: Sequence[IntArray] | None = None,
    n_columns: int | None = None,
) -> Draw:
    """Return multinomial draws of how often each unit of a stratum is in a resample.

    ``strata`` say how often each unit is in the sample; a stratum keeps its size.
    ``columns`` are those of its units in a row of ``n_columns``, by default in order.
    """
    width = sum(map(len, strata)) if n_columns is None else n_columns
    if columns is None:
        columns = np.split(np.arange(width), np.cumsum([len(s) for s in strata])[:-1])
    sizes = [int(repeats.sum()) for repeats in strata]
    # Measured: with 16 cases a unit both ways take about as long.
    is_dense = sum(sizes) > 16 * sum(map(len, strata))
    few = None if is_dense else _multinomials(strata, sizes)

    def counts(generator: np.random.Generator, size: int) -> IntArray:
        rows = np.zeros((size, width), dtype=np.intp)
        if few is not None:
            rows[:, np.concatenate(columns)] = few(generator, size)
            return rows
        # One binomial per unit, however many cases it has.
        for repeats, n, own in zip(strata, sizes, columns, strict=True):
            rows[:, own] = generator.multinomial(n, repeats / n, size=size)
        return rows

    return Draw(width, counts)


def _multinomials(strata: Sequence[IntArray], sizes: Sequence[int]) -> Rows:
    """Return draws of the counts of the units of strata, one after another.

    Independent Poisson counts are multinomial, given their sum. Their means are a
    little too small: missing cases are drawn one by one, and the few rows in which a
    stratum has too many are drawn anew.
    """
    starts = np.cumsum([0, *map(len, strata)])
    units_of_cases = [
        np.repeat(start + np.arange(len(repeats)), repeats)
        for start, repeats in zip(starts, strata, strict=False)
    ]
    means = [max(1 - 2.5 / math.sqrt(n), 0.0) for n in sizes]
    poisson = _poisson(np.concatenate(list(map(np.multiply, strata, means))))

    def rows(generator: np.random.Generator, size: int) -> IntArray:
        counts = poisson(generator, size)
        missing = sizes - np.add.reduceat(counts, starts[:-1], axis=1)
        while (beyond := np.flatnonzero((missing < 0).any(axis=1))).size:
            counts[beyond] = anew = poisson(generator, len(beyond))
            missing[beyond] = sizes - np.add.reduceat(anew, starts[:-1], axis=1)
        for unit_of_case, lacks in zip(units_of_cases, missing.T, strict=True):
            cases = generator.integers(len(unit_of_case), size=lacks.sum())
            units = np.repeat(starts[-1] * np.arange(size), lacks)
            units += unit_of_case.take(cases)
            np.add.at(counts.reshape(-1), units, 1)
        return counts

    return rows


def _poisson(means: FloatArray) -> Rows:
    """Return draws of Poisson counts with these means.

    By one byte each: of its 256 values as many stand for a count as its probability has
    room for, and others for a draw from what is left of the probabilities.
    """
    k = np.arange(_MOST_COUNTS)
    many = np.flatnonzero(means > _MANY)
    kinds, kind = np.unique(np.minimum(means, _MANY), return_inverse=True)
    chances = 256 * stats.poisson.pmf(k, kinds[:, None])
    slots = np.minimum(np.floor(chances), 255).astype(np.intp)
    table = np.full((len(kinds), 256), _MOST_COUNTS)
    for row, own in zip(table, slots, strict=True):
        row[: own.sum()] = np.repeat(k, own)
    left = np.cumsum(chances - slots, axis=1)
    left = (left / left[:, -1:] + np.arange(len(kinds))[:, None]).ravel()
    starts = (256 * kind).astype(np.uint16)

    def rows(generator: np.random.Generator, size: int) -> IntArray:
        drawn = np.frombuffer(generator.bytes(size * len(kind)), dtype=np.uint8)
        places = drawn.reshape(size, -1) + starts
        counts = table.take(places)
        again = np.flatnonzero(counts == _MOST_COUNTS)
        rest = places.take(again) // 256 + generator.random(len(again))
        counts.reshape(-1)[again] = left.searchsorted(rest, side="right") % _MOST_COUNTS
        if len(many):
            counts[:, many] = generator.poisson(means[many], size=(size, len(many)))
        return counts

    return rows


def condensed(metric: Metric, ranked: Ranked) -> Ranked:
    """Return a sample whose resamples take less time, and have the same values."""
    if not ranked.is_plain:
        return ranked
    return counted(getattr(ranked.table, metric.groups).table)


def resample_draw(
    ranked: Sequence[Ranked], *, stratify: bool, is_parametric: bool = False
) -> Draw:
    """Return the draw of resamples of one sample, or of several of the same cases.

    Rows hold, for each of ``ranked``, the weights of positives and then of negatives
    per group of its merged table; of cases with a worth, their gains and then costs.
    """
    cases = ranked[0]
    if len(ranked) == 1 and cases.is_plain:
        # What matters of a case is its group and class, so the groups are the units:
        # the cost is that of the groups, which may be far fewer than the cases.
        small = ranked[0].table.merged
        pos, neg = (np.rint(part).astype(np.intp) for part in (small.pos, small.neg))
        if is_parametric:
            n_pos, n_neg = int(pos.sum()), int(neg.sum())

            def draw_multinomial(generator: np.random.Generator, size: int) -> IntArray:
                # Su, Yuan and Zhu (2015), equations 19 to 21, as estimate cites them.
                # It may be 0 or n: there the metric is undefined: the row is left out.
                n = n_pos + n_neg
                drawn = generator.binomial(n, n_pos / n, size=size)
                of_pos = generator.multinomial(drawn, pos / n_pos, size=size)
                of_neg = generator.multinomial(n - drawn, neg / n_neg, size=size)
                return np.concatenate([of_pos, of_neg], axis=1)

            return Draw(2 * len(pos), draw_multinomial)
        counts = np.concatenate([pos, neg])
        columns = [np.flatnonzero(counts)]
        if stratify:
            # The columns of the positives come first. Of merged groups either class may
            # be absent, so that the positives have fewer columns than groups.
            columns = np.split(columns[0], [np.count_nonzero(pos)])
        return count_draw([counts[c] for c in columns], columns, len(counts))
    # Two models share cases, and clusters hold several: these are drawn one by one.
    order = np.arange(cases.n_units)
    repeats = np.ones(len(order), dtype=np.intp)
    if cases.clusters is None and cases.weights is not None and cases.are_repetitions:
        repeats = np.rint(cases.weights).astype(np.intp)
    strata = [repeats]
    if stratify and cases.clusters is None:
        # Strata are runs of units, so the positives are put first.
        order = np.argsort(~cases.is_pos, kind="stable")
        strata = np.split(repeats[order], [np.count_nonzero(cases.is_pos)])
    # As many cases of a class, but of other weights, would not weigh the same.
    has_own_weights = (cases.weights is not None) and not cases.are_repetitions
    kept = ranked if stratify and has_own_weights else ()
    of_units, rows_of_units = count_draw(strata), unit_rows(ranked)[order]

    def rows(generator: np.random.Generator, size: int) -> Array:
        # Sparse, as a case is in one group of ties: it adds to one column per model.
        drawn = np.asarray(of_units(generator, size) @ rows_of_units)
        if kept:
            keep_class_weights(drawn, kept)
        return drawn

    return Draw(max(of_units.width, int(rows_of_units.shape[1])), rows)


def unit_rows(ranked: Sequence[Ranked]) -> Any:
    """Return what each case or cluster adds to a row, as a sparse array."""
    cases = ranked[0]
    n_samples = len(cases.is_pos)
    # What a case weighs each time it is drawn, whole numbers if it can be; repetitions
    # without clusters are drawn as so many cases.
    weight: Array = np.ones(n_samples, dtype=np.intp)
    if cases.weights is not None and not cases.are_repetitions:
        weight = cases.weights
    elif cases.weights is not None and cases.clusters is not None:
        weight = np.rint(cases.weights).astype(np.intp)
    added, start = [], 0
    for one in ranked:
        small = one.table.merged
        n_groups = len(small.pos)
        group = start + small.map_groups(one.table.n_groups).take(one.group)
        if one.worth is None:
            added.append((group + n_groups * ~cases.is_pos, weight))
        else:
            cost = 1.0 if one.worth.cost is None else one.worth.cost
            added.append((group, weight * one.worth.gain))
            added.append((group + n_groups, weight * cost))
        start += 2 * n_groups
    # Entries of one place add up: a cluster may have several cases in a group.
    unit = np.arange(n_samples) if cases.clusters is None else cases.clusters
    columns, weights = zip(*added, strict=True)
    rows = sparse.coo_array(
        (
            np.concatenate(weights),
            (np.tile(unit, len(columns)), np.concatenate(columns)),
        ),
        shape=(cases.n_units, start),
    )
    return rows.tocsr()


def split_rows(rows: Array, widths: Sequence[int]) -> list[tuple[Array, Array]]:
    """Return positives and negatives per group, for each sample with its width."""
    parts, start = [], 0
    for n_groups in widths:
        middle, end = start + n_groups, start + 2 * n_groups
        parts.append((rows[:, start:middle], rows[:, middle:end]))
        start = end
    return parts


def table_widths(ranked: Sequence[Ranked]) -> list[int]:
    """Return the number of groups of the merged table of each sample."""
    return [len(one.table.merged.pos) for one in ranked]


def keep_class_weights(rows: FloatArray, ranked: Sequence[Ranked]) -> None:
    """Scale the rows in place so that each class weighs what it does in the sample."""
    parts = split_rows(rows, table_widths(ranked))
    # As many cases of a class are drawn, but of other weights: without this their sums
    # would vary, and with them a prevalence that is meant to be fixed.
    for one, (pos, neg) in zip(ranked, parts, strict=True):
        for part, weight in ((pos, one.table.n_pos), (neg, one.table.n_neg)):
            part *= weight / part.sum(axis=1, keepdims=True)


def spread(values: FloatArray) -> float:
    """Return the standard deviation of replicates, nan for fewer than two."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")


def make_statistic(metrics: Sequence[Metric], widths: Sequence[int]) -> Statistic:
    """Return the function from rows to the first metric, minus the second if any."""

    def statistic(rows: Array) -> FloatArray:
        parts = split_rows(rows, widths)
        values = [
            metric.clip(metric.values(*part))
            for metric, part in zip(metrics, parts, strict=True)
        ]
        return values[0] if len(values) == 1 else values[0] - values[1]

    return statistic


def jackknife_variance(metric: Metric, ranked: Ranked, *, stratify: bool) -> float:
    """Return the jackknife variance, with ``stratify`` at fixed class weights."""
    # Cases of one class and group are left out once for all of them.
    cases = condensed(metric, ranked)
    statistic = make_statistic([metric], table_widths([cases]))
    units = unit_rows([cases])
    n_units = np.ones(units.shape[0])
    if cases.clusters is None and cases.weights is not None and cases.are_repetitions:
        n_units = cases.weights
    whole = np.asarray(units.T @ n_units, dtype=np.float64)
    values = np.empty(len(n_units))
    size = max(1, _LEFT_OUT // len(whole))
    for first in range(0, len(values), size):
        rows = whole - units[first : first + size].toarray()
        if stratify:
            keep_class_weights(rows, [cases])
        values[first : first + size] = statistic(rows)
    if np.isnan(values).any():
        return warn_undefined(
            "The standard error by the jackknife",
            "so is the metric where one case or cluster is left out",
        )
    strata = (cases.is_pos, ~cases.is_pos) if stratify else (slice(None),)
    return sum(_sum_squares(values[chosen], n_units[chosen]) for chosen in strata)


def _sum_squares(values: FloatArray, n_units: FloatArray) -> float:
    """Return (n - 1) / n times the sum of squares about the mean."""
    n = n_units.sum()
    deviations = values - dot(n_units, values) / n
    return float((n - 1) / n * dot(n_units, deviations**2))


def exchange_draw(a: Ranked, b: Ranked) -> tuple[Draw, list[int]]:
    """Return rows of two rankings with ranks exchanged in a random half of the cases.

    The new rankings are read off the order of midranks without sorting: every rank has
    a place in the row, and how many there are comes with it. A cluster is exchanged as
    a whole, and of a repeated case a binomial number of copies.
    """
    middles = np.concatenate([_midranks(a), _midranks(b)])
    order = np.argsort(middles)
    # Ranks that are equal but for rounding are one place.
    is_new = np.diff(middles[order], prepend=-1.0) > _ROUNDING
    where = np.empty_like(order)
    where[order] = np.cumsum(is_new) - 1
    n_places = int(np.count_nonzero(is_new))
    first, second = where.reshape(2, -1) + n_places * ~a.is_pos
    width = 4 * n_places

    def rows(generator: np.random.Generator, size: int) -> Array:
        offset = width * np.arange(size)[:, None]
        if a.clusters is None and a.weights is not None and a.are_repetitions:
            repeats = np.rint(a.weights).astype(np.int64)
            exchanged = generator.binomial(repeats, 0.5, size=(size, len(repeats)))
            in_b = offset + 2 * n_places
            both = [first + offset, second + offset, second + in_b, first + in_b]
            counts = [repeats - exchanged, exchanged] * 2
            found = np.bincount(np.ravel(both), np.ravel(counts), size * width)
            return found.reshape(size, -1)
        drawn = generator.integers(2, size=(size, a.n_units), dtype=np.uint8)
        is_exchanged = drawn.astype(bool)
        if a.clusters is not None:
            is_exchanged = is_exchanged[:, a.clusters]
        of_a = np.where(is_exchanged, second, first) + offset
        of_b = np.where(is_exchanged, first, second) + offset + 2 * n_places
        slots = np.concatenate([of_a.ravel(), of_b.ravel()])
        weights = None if a.weights is None else np.tile(a.weights, 2 * size)
        return np.bincount(slots, weights, minlength=size * width).reshape(size, -1)

    return Draw(max(width, 2 * len(first)), rows), [n_places] * 2


def _midranks(ranked: Ranked) -> FloatArray:
    """Return the middle of the rates that each case takes up."""
    edges = ranked.table.rates
    return np.asarray(((edges[1:] + edges[:-1]) / 2).take(ranked.group))
