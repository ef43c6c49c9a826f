"""Resamples of a sample, the spread of a statistic over them, and the jackknife."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse, stats

from skrate.data.arrays import Array, FloatArray, IntArray, dot
from skrate.data.checks import warn_undefined
from skrate.inference.options import Plan
from skrate.inference.rankings import Ranked, make_table_samples
from skrate.metrics.metric import Metric

# Poisson counts with means up to 32 are drawn by a byte, and are below 128.
_MANY, _MOST_COUNTS = 32, 128
Rows = Callable[[np.random.Generator, int], Array]
Statistic = Callable[[Array], FloatArray]


class Draw(NamedTuple):
    """Random rows, and the number of entries that a row takes in memory."""

    width: int
    rows: Rows

    def __call__(self, generator: np.random.Generator, size: int) -> Array:
        """Return ``size`` rows."""
        return self.rows(generator, size)


def count_draw(
    strata: Sequence[IntArray],
    columns: Sequence[IntArray] | None = None,
    n_columns: int | None = None,
) -> Draw:
    """Return multinomial draws of the number of copies of each unit in a resample.

    ``strata`` have the number of copies of each unit in the sample; the size of each
    stratum is fixed. ``columns`` are the columns of its units in a row of
    ``n_columns``, by default in order.
    """
    width = sum(map(len, strata)) if n_columns is None else n_columns
    if columns is None:
        columns = np.split(np.arange(width), np.cumsum([len(s) for s in strata])[:-1])
    sizes = [int(repeats.sum()) for repeats in strata]
    # Measured: with 16 samples per unit both methods take about the same time.
    is_dense = sum(sizes) > 16 * sum(map(len, strata))
    multinomials = None if is_dense else _multinomials(strata, sizes)

    def counts(generator: np.random.Generator, size: int) -> IntArray:
        rows = np.zeros((size, width), dtype=np.intp)
        if multinomials is not None:
            rows[:, np.concatenate(columns)] = multinomials(generator, size)
            return rows
        # One binomial per unit, for any number of samples.
        for repeats, n, unit_columns in zip(strata, sizes, columns, strict=True):
            rows[:, unit_columns] = generator.multinomial(n, repeats / n, size=size)
        return rows

    return Draw(width, counts)


def _multinomials(strata: Sequence[IntArray], sizes: Sequence[int]) -> Rows:
    """Return draws of the counts of the units of strata, one stratum after another.

    Independent Poisson counts are multinomial, given their sum. Their means are a
    little too small: missing samples are drawn one by one, and the rare rows with too
    many samples in a stratum are drawn again.
    """
    starts = np.cumsum([0, *map(len, strata)])
    units_of_samples = [
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
        for unit_of_sample, lacks in zip(units_of_samples, missing.T, strict=True):
            samples = generator.integers(len(unit_of_sample), size=lacks.sum())
            units = np.repeat(starts[-1] * np.arange(size), lacks)
            units += unit_of_sample.take(samples)
            np.add.at(counts.reshape(-1), units, 1)
        return counts

    return rows


def _poisson(means: FloatArray) -> Rows:
    """Return draws of Poisson counts with these means, by one byte each.

    A count with probability p has the integer part of 256 p of the 256 values of a
    byte. The remaining values stand for a draw from the remaining probabilities.
    """
    k = np.arange(_MOST_COUNTS)
    many = np.flatnonzero(means > _MANY)
    kinds, kind = np.unique(np.minimum(means, _MANY), return_inverse=True)
    chances = 256 * stats.poisson.pmf(k, kinds[:, None])
    slots = np.minimum(np.floor(chances), 255).astype(np.intp)
    table = np.full((len(kinds), 256), _MOST_COUNTS)
    for row, n_slots in zip(table, slots, strict=True):
        row[: n_slots.sum()] = np.repeat(k, n_slots)
    left = np.cumsum(chances - slots, axis=1)
    left = (left / left[:, -1:] + np.arange(len(kinds))[:, None]).ravel()
    starts = (256 * kind).astype(np.uint16)

    def rows(generator: np.random.Generator, size: int) -> IntArray:
        drawn = np.frombuffer(generator.bytes(size * len(kind)), dtype=np.uint8)
        places = drawn.reshape(size, -1) + starts
        counts = table.take(places)
        again = np.flatnonzero(counts == _MOST_COUNTS)
        u = places.take(again) // 256 + generator.random(len(again))
        counts.reshape(-1)[again] = left.searchsorted(u, side="right") % _MOST_COUNTS
        if len(many):
            counts[:, many] = generator.poisson(means[many], size=(size, len(many)))
        return counts

    return rows


def condensed(metric: Metric, ranked: Ranked) -> Ranked:
    """Return a sample with faster resamples that have the same values of the metric."""
    if not ranked.is_plain:
        return ranked
    return make_table_samples(getattr(ranked.table, metric.groups).table)


def resample_draw(
    ranked: Sequence[Ranked], *, stratify: bool, is_parametric: bool = False
) -> Draw:
    """Return the draw of resamples of one sample, or of several rankings of it.

    For each of ``ranked``, rows have the weights of positives and then of negatives
    per group of its merged table; for samples with gains, the gains and then the costs.
    """
    samples = ranked[0]
    if len(ranked) == 1 and samples.is_plain:
        # Only the group and class of a sample matter, so the groups are the units: the
        # number of groups may be far smaller than the number of samples.
        small = ranked[0].table.merged
        pos, neg = (np.rint(sizes).astype(np.intp) for sizes in (small.pos, small.neg))
        if is_parametric:
            n_pos, n_neg = int(pos.sum()), int(neg.sum())

            def draw_multinomial(generator: np.random.Generator, size: int) -> IntArray:
                # Su, Yuan and Zhu (2013), equations 19 to 21, as estimate cites them.
                # If it is 0 or n, the metric is undefined and the row is dropped.
                n = n_pos + n_neg
                drawn = generator.binomial(n, n_pos / n, size=size)
                of_pos = generator.multinomial(drawn, pos / n_pos, size=size)
                of_neg = generator.multinomial(n - drawn, neg / n_neg, size=size)
                return np.concatenate([of_pos, of_neg], axis=1)

            return Draw(2 * len(pos), draw_multinomial)
        counts = np.concatenate([pos, neg])
        columns = [np.flatnonzero(counts)]
        if stratify:
            # The columns of the positives come first. In merged groups a class may be
            # absent, and the positives then have fewer columns than groups.
            columns = np.split(columns[0], [np.count_nonzero(pos)])
        return count_draw([counts[c] for c in columns], columns, len(counts))
    # Two models have common samples, and clusters have several: draw them one by one.
    order = np.arange(samples.n_units)
    repeats = np.ones(len(order), dtype=np.intp)
    if (
        samples.clusters is None
        and samples.weights is not None
        and samples.are_repetitions
    ):
        repeats = np.rint(samples.weights).astype(np.intp)
    strata = [repeats]
    if stratify and samples.clusters is None:
        # Strata are runs of units, so the positives are put first.
        order = np.argsort(~samples.is_pos, kind="stable")
        strata = np.split(repeats[order], [np.count_nonzero(samples.is_pos)])
    # The same number of samples of a class, with other weights, has another sum.
    fixed = ranked if stratify and samples.has_sampling_weights else ()
    of_units, rows_of_units = count_draw(strata), unit_rows(ranked)[order]

    def rows(generator: np.random.Generator, size: int) -> Array:
        # Sparse, because a sample is in one group of ties: one column per model.
        drawn = np.asarray(of_units(generator, size) @ rows_of_units)
        if fixed:
            keep_class_weights(drawn, fixed)
        return drawn

    return Draw(max(of_units.width, int(rows_of_units.shape[1])), rows)


def unit_rows(ranked: Sequence[Ranked]) -> Any:
    """Return the contribution of each sample or cluster to a row, as a sparse array."""
    samples = ranked[0]
    n_samples = len(samples.is_pos)
    # The weight of a sample each time it is drawn, an integer if possible; repetitions
    # without clusters are drawn as separate samples.
    weight: Array = np.ones(n_samples, dtype=np.intp)
    if samples.weights is not None and not samples.are_repetitions:
        weight = samples.weights
    elif samples.weights is not None and samples.clusters is not None:
        weight = np.rint(samples.weights).astype(np.intp)
    added, start = [], 0
    for model in ranked:
        small = model.table.merged
        n_groups = len(small.pos)
        group = start + small.map_groups(model.table.n_groups).take(model.group)
        if model.gains is None:
            added.append((group + n_groups * ~samples.is_pos, weight))
        else:
            cost = 1.0 if model.gains.cost is None else model.gains.cost
            added.append((group, weight * model.gains.gain))
            added.append((group + n_groups, weight * cost))
        start += 2 * n_groups
    # Entries at the same indices add up: a cluster may have several samples in a group.
    unit = np.arange(n_samples) if samples.clusters is None else samples.clusters
    columns, weights = zip(*added, strict=True)
    rows = sparse.coo_array(
        (
            np.concatenate(weights),
            (np.tile(unit, len(columns)), np.concatenate(columns)),
        ),
        shape=(samples.n_units, start),
    )
    return rows.tocsr()


def split_rows(rows: Array, widths: Sequence[int]) -> list[tuple[Array, Array]]:
    """Return positives and negatives per group, for each sample with its width."""
    tables, start = [], 0
    for n_groups in widths:
        middle, end = start + n_groups, start + 2 * n_groups
        tables.append((rows[:, start:middle], rows[:, middle:end]))
        start = end
    return tables


def table_widths(ranked: Sequence[Ranked]) -> list[int]:
    """Return the number of groups of the merged table of each sample."""
    return [len(model.table.merged.pos) for model in ranked]


def keep_class_weights(rows: FloatArray, ranked: Sequence[Ranked]) -> None:
    """Scale the rows, without a copy, to the weight of each class in the sample."""
    tables = split_rows(rows, table_widths(ranked))
    # The number of samples per class is fixed, but their weights differ: without this
    # their sums would vary, and a prevalence that should be fixed would vary, too.
    for model, (pos, neg) in zip(ranked, tables, strict=True):
        for counts, weight in ((pos, model.table.n_pos), (neg, model.table.n_neg)):
            counts *= weight / counts.sum(axis=1, keepdims=True)


def spread(values: FloatArray) -> float:
    """Return the standard deviation of replicates, nan for fewer than two."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")


def make_statistic(metrics: Sequence[Metric], widths: Sequence[int]) -> Statistic:
    """Return the function from rows to the first metric, minus the second if any."""

    def statistic(rows: Array) -> FloatArray:
        tables = split_rows(rows, widths)
        scores = [
            metric.clip(metric.values(*table))
            for metric, table in zip(metrics, tables, strict=True)
        ]
        return scores[0] if len(scores) == 1 else scores[0] - scores[1]

    return statistic


def jackknife_variance(metric: Metric, ranked: Ranked, *, stratify: bool) -> float:
    """Return the jackknife variance, with ``stratify`` at fixed class weights."""
    # Samples of one class and group have the same value: leave out one of each.
    samples = condensed(metric, ranked)
    statistic = make_statistic([metric], table_widths([samples]))
    units = unit_rows([samples])
    n_units = np.ones(units.shape[0])
    if (
        samples.clusters is None
        and samples.weights is not None
        and samples.are_repetitions
    ):
        n_units = samples.weights
    whole = np.asarray(units.T @ n_units, dtype=np.float64)
    estimates = np.empty(len(n_units))
    # Arrays of about a million entries.
    size = max(1, 2**20 // len(whole))
    for first in range(0, len(estimates), size):
        rows = whole - units[first : first + size].toarray()
        if stratify:
            keep_class_weights(rows, [samples])
        estimates[first : first + size] = statistic(rows)
    if np.isnan(estimates).any():
        return warn_undefined(
            "The standard error by the jackknife",
            "use method='delta': without one sample or cluster the metric is undefined",
        )
    strata = (samples.is_pos, ~samples.is_pos) if stratify else (slice(None),)
    return sum(_sum_squares(estimates[chosen], n_units[chosen]) for chosen in strata)


def _sum_squares(values: FloatArray, n_units: FloatArray) -> float:
    """Return (n - 1) / n times the sum of squares about the mean."""
    n = n_units.sum()
    deviations = values - dot(n_units, values) / n
    return float((n - 1) / n * dot(n_units, deviations**2))


def exchange_draw(a: Ranked, b: Ranked) -> tuple[Draw, list[int]]:
    """Return rows of two rankings with ranks exchanged in a random half of the samples.

    Rows have the new rankings in the order of midranks, without sorting: every midrank
    has a position in the row, with the number of samples that have it. A cluster is
    exchanged as a whole, and a repeated sample in a binomial number of copies.
    """
    middles = np.concatenate([_midranks(a), _midranks(b)])
    order = np.argsort(middles)
    # Midranks that are equal up to the rounding of their sums have one position.
    is_new = np.diff(middles[order], prepend=-1.0) > 1e-13
    position = np.empty_like(order)
    position[order] = np.cumsum(is_new) - 1
    n_positions = int(np.count_nonzero(is_new))
    first, second = position.reshape(2, -1) + n_positions * ~a.is_pos
    width = 4 * n_positions

    def rows(generator: np.random.Generator, size: int) -> Array:
        offset = width * np.arange(size)[:, None]
        if a.clusters is None and a.weights is not None and a.are_repetitions:
            repeats = np.rint(a.weights).astype(np.int64)
            exchanged = generator.binomial(repeats, 0.5, size=(size, len(repeats)))
            in_b = offset + 2 * n_positions
            slots = [first + offset, second + offset, second + in_b, first + in_b]
            counts = [repeats - exchanged, exchanged] * 2
            row_counts = np.bincount(np.ravel(slots), np.ravel(counts), size * width)
            return row_counts.reshape(size, -1)
        drawn = generator.integers(2, size=(size, a.n_units), dtype=np.uint8)
        is_exchanged = drawn.astype(bool)
        if a.clusters is not None:
            is_exchanged = is_exchanged[:, a.clusters]
        of_a = np.where(is_exchanged, second, first) + offset
        of_b = np.where(is_exchanged, first, second) + offset + 2 * n_positions
        all_slots = np.concatenate([of_a.ravel(), of_b.ravel()])
        weights = None if a.weights is None else np.tile(a.weights, 2 * size)
        return np.bincount(all_slots, weights, minlength=size * width).reshape(size, -1)

    return Draw(max(width, 2 * len(first)), rows), [n_positions] * 2


def _midranks(ranked: Ranked) -> FloatArray:
    """Return the middle of the rates of each sample and its ties."""
    edges = ranked.table.rates
    return np.asarray(((edges[1:] + edges[:-1]) / 2).take(ranked.group))


def draw_replicates(models: Sequence[Any], plan: Plan, name: str) -> FloatArray:
    """Return replicates of the value of one model, or of the difference of two.

    ``models`` are their evaluations.
    """
    first, stratify = models[0], models[0].units.stratify
    plans = [plan] if first.folds is None else plan.split(len(first.rankings))
    is_permuted = plan.method == "permutation"
    per_fold = []
    rankings = [model.units.resampling_rankings(model.ranked) for model in models]
    for i, (fold_plan, *samples) in enumerate(zip(plans, *rankings, strict=True)):
        metrics = [model.rankings[i].metric for model in models]
        if is_permuted:
            draw, widths = exchange_draw(*samples)
        else:
            if len(models) == 1:
                samples = [condensed(metrics[0], samples[0])]
            is_drawn = plan.method == "parametric"
            draw = resample_draw(samples, stratify=stratify, is_parametric=is_drawn)
            widths = table_widths(samples)
        draws = fold_plan.replicates(name, draw, make_statistic(metrics, widths))
        if samples[0].clusters is not None and not is_permuted:
            # Sums over clusters are centred, so the replicates vary too little.
            factor = float(np.sqrt(samples[0].unit_factors[0]))
            draws = scale_deviations(draws, factor, plan)
        per_fold.append(draws)
    if first.folds is None:
        return np.asarray(per_fold[0])
    # Folds may have different numbers of replicates, because undefined replicates are
    # left out.
    n_common = min(map(len, per_fold))
    draws = np.mean([draws[:n_common] for draws in per_fold], axis=0)
    draws *= len(per_fold) / first.units.n_rankings
    if is_permuted:
        return np.asarray(draws)
    constants = sum(model.one_class_term for model in models[1:])
    return np.asarray(draws + first.one_class_term - constants)


def scale_deviations(draws: FloatArray, factor: float, plan: Plan) -> FloatArray:
    """Return replicates with ``factor`` times their deviations from the center.

    The center of permuted differences is 0, and otherwise the mean.
    """
    center = 0.0 if plan.method == "permutation" else draws.mean()
    return np.asarray(center + factor * (draws - center))
