"""Curves over the rate: values, influence of samples, covariance and bands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from skrate.curves.consensus import BANDS
from skrate.data.arrays import FloatArray, IntArray, ratio
from skrate.data.checks import Check, check_generator
from skrate.inference.intervals import (
    HEAVY_IN_DIFFERENCE,
    augmented_mean,
    sum_unseen,
    unseen_factors,
)
from skrate.inference.options import ARGUMENTS, Plan
from skrate.inference.rankings import WEIGHTS, Ranked, split_folds
from skrate.inference.units import Units
from skrate.inference.variance import covariance, unit_kurtosis_dof
from skrate.metrics.hypothesis_tests import t_quantile, wilson_ends
from skrate.metrics.recall import cut_positive_fraction

CurveMetric = Literal["recall", "precision", "lift", "hits", "gain"]
CURVE_METRICS: tuple[CurveMetric, ...] = get_args(CurveMetric)
# Variation below this fraction of the total is a rounding error.
_ROUNDING = 1e-13
# The arguments of functions that draw a band, and how they are checked.
BAND_ARGUMENTS: dict[str, Check] = {
    "band": BANDS,
    "confidence_level": ARGUMENTS["confidence_level"],
    "n_resamples": ARGUMENTS["n_resamples"],
    "random_state": lambda _, value: check_generator(value),
    "weights": WEIGHTS,
}


class CurveBounds(NamedTuple):
    """Lower and upper bounds of a curve, by rate."""

    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class CurveProcess:
    """A curve, or the difference of two, and its covariance over samples, by rate."""

    rates: FloatArray
    values: FloatArray
    covariance: FloatArray  # Of `values` over samples, rate by rate.
    grain: FloatArray  # The effect of one independent sample at the cut.
    limits: tuple[FloatArray, FloatArray]  # The range of `values`.
    # Degrees of freedom, of all rates or of each; infinite for a normal distribution.
    dof: FloatArray | float = np.inf
    is_difference: bool = False

    @cached_property
    def standard_error(self) -> FloatArray:
        """Estimated standard deviation of ``values`` over samples."""
        variance = np.diag(self.covariance)
        # If models agree almost exactly, the rest is a rounding error.
        is_zero_variance = variance < _ROUNDING * self.grain.max() ** 2
        return np.sqrt(np.where(is_zero_variance, 0.0, variance))

    def interval(self, level: float) -> CurveBounds:
        """Return bounds at single rates: for one curve Wilson's, as in ``estimate``."""
        dofs = np.atleast_1d(self.dof)
        critical = np.array([t_quantile(level, dof) for dof in dofs])
        if self.is_difference:
            return self.bounds(critical)
        # If all samples are processed, the value is certain.
        is_open = self.grain > 0
        centers, variance = self.values[is_open], self.standard_error[is_open] ** 2
        low, high = limits = self.limits[0][is_open], self.limits[1][is_open]
        n = (high - low) / self.grain[is_open]
        augmented = augmented_mean(centers, variance, n, ends=limits, bounds=limits)
        room = (augmented.value - low) * (high - augmented.value)
        k = np.broadcast_to(critical, is_open.shape)[is_open] ** 2
        ends = np.array([self.values, self.values])
        ends[:, is_open] = wilson_ends(
            centers, limits, k * augmented.parts.by_prevalence / room
        )
        return CurveBounds(*ends)

    def band(self, plan: Plan) -> CurveBounds:
        """Return bounds that cover the true curve at all rates at once.

        If the true curve is x samples away at some rate, the probability that no sample
        shows this is exp(-x). Therefore the bounds are at least so far away that this
        probability is half of 1 minus the level.
        """
        critical = self.critical_value(plan)
        return self.bounds(critical, -float(np.log((1 - plan.level) / 2)))

    def critical_value(self, plan: Plan) -> float:
        """Return the critical value of a band, in standard errors.

        It is the quantile of the maximum deviation over all rates, in standard errors,
        of ``n_resamples`` draws of the process (Montiel Olea and Plagborg-Moller 2019,
        algorithm 1). For a difference, the effect of one sample is added to the
        standard errors, in squares: if models differ only by single samples, the
        observed difference has steps of whole samples, but the draws do not.
        """
        t = t_quantile(plan.level, float(np.min(self.dof)))
        normal = t_quantile(plan.level)
        error = self.standard_error
        if not error.any():
            return t
        if self.is_difference:
            error = np.hypot(error, self.grain)
        varies = error > 0
        # The symmetric root is unique. With another one, draws depend on the solver.
        squares, vectors = np.linalg.eigh(self.covariance)
        # Roots of rounding errors would depend on the order of the samples.
        squares = np.where(squares < _ROUNDING * squares[-1], 0.0, squares)
        root = (vectors * np.sqrt(squares)) @ vectors.T
        root = root[:, varies] / error[varies]
        maxima = []
        batch = 500  # The number of draws in memory at once.
        generator = check_generator(plan.random_state)
        for first in range(0, plan.n_resamples, batch):
            size = min(batch, plan.n_resamples - first)
            drawn = generator.standard_normal((size, len(root))) @ root
            maxima.append(np.abs(drawn).max(axis=1))
        quantile = float(np.quantile(np.concatenate(maxima), plan.level))
        return max(quantile * t / normal, t)

    def bounds(
        self, critical: FloatArray | float, min_samples: float = 0.0
    ) -> CurveBounds:
        """Return the bounds for a critical value c, at least some samples away.

        As in Wilson's interval, the variance of c^2 / 4 samples at the cut is added.
        """
        half = critical * np.hypot(self.standard_error, critical * self.grain / 2)
        half = np.maximum(half, min_samples * self.grain)
        curve, (low, high) = self.values, self.limits
        # Rounding can move a value across its limit.
        low = np.minimum(np.maximum(curve - half, low), curve)
        return CurveBounds(low, np.maximum(np.minimum(curve + half, high), curve))


@dataclass(frozen=True, eq=False)
class CurveEvaluation:
    """The curve of a model, or a difference, and the influence of samples by rate.

    The influence of a row is the sum of the rows of ``by_cell`` at its entries in
    ``cells``. With estimated labels, it is in the columns of ``estimates``: observed,
    and expected from the predictions.
    """

    rates: FloatArray
    values: FloatArray
    units: Units
    cells: list[IntArray]
    by_cell: FloatArray
    grain: FloatArray
    limits: tuple[FloatArray, FloatArray]
    estimates: list[FloatArray] = field(default_factory=list)
    is_difference: bool = False
    # Of a difference: both curves.
    curves: tuple[CurveEvaluation, ...] = ()

    def __sub__(self, other: CurveEvaluation) -> CurveEvaluation:
        """Return the difference of curves of the same units."""
        if self.units is not other.units:
            raise ValueError("Only evaluations of the same units can be subtracted.")
        (low_a, high_a), (low_b, high_b) = self.limits, other.limits
        pairs = zip(self.estimates, other.estimates, strict=True)
        return CurveEvaluation(
            rates=self.rates,
            values=self.values - other.values,
            units=self.units,
            cells=[*self.cells, *(len(self.by_cell) + cells for cells in other.cells)],
            by_cell=np.concatenate([self.by_cell, -other.by_cell]),
            grain=np.maximum(self.grain, other.grain),
            limits=(low_a - high_b, high_a - low_b),
            estimates=[a - b for a, b in pairs],
            is_difference=True,
            curves=(self, other),
        )

    @cached_property
    def process(self) -> CurveProcess:
        """The curve with its covariance over samples."""
        units = self.units
        dof: FloatArray | float = np.inf
        if self.estimates:
            matrix, dof = self._estimated_covariance()
        else:
            matrix = units.cell_covariance(self.cells, self.by_cell)
            matrix += np.diag(self._unseen_variances())
            # The number of clusters with the rarer class, minus 1 for each group.
            if units.samples.clusters is not None:
                dof = units.distinct_samples.unit_dof
        return CurveProcess(
            rates=self.rates,
            values=self.values,
            # Rounding errors must not make it asymmetric.
            covariance=(matrix + matrix.T) / 2,
            grain=self.grain,
            limits=self.limits,
            dof=dof,
            is_difference=self.is_difference,
        )

    def _unseen_variances(self) -> FloatArray:
        """Return the ``unseen`` variance of a difference, at each rate."""
        samples, n_rates = self.units.samples, len(self.rates)
        if not self.is_difference or self.units.folds is not None:
            return np.zeros(n_rates)
        factors = unseen_factors(samples, HEAVY_IN_DIFFERENCE)
        if not any(factors):
            return np.zeros(n_rates)
        a, b = self.curves
        influence = (
            a._class_influence(i) - b._class_influence(i) for i in range(n_rates)
        )
        return np.array([sum_unseen(samples, factors, rows) for rows in influence])

    def _class_influence(self, i: int) -> FloatArray:
        """Return the influence of samples of one ranking as each class, at a rate."""
        half = len(self.by_cell) // 2
        as_neg = self.cells[0] - half * self.units.samples.is_pos
        return self.by_cell[:, i].take(np.stack([as_neg, as_neg + half]))

    def _estimated_covariance(self) -> tuple[FloatArray, FloatArray]:
        """Return the covariance by estimated labels, and degrees of freedom by rate.

        At each rate, the row with the larger variance counts.
        """
        samples = self.units.samples
        matrices = [covariance([*rows], samples) for rows in self.estimates]
        variances = [np.diag(matrix) for matrix in matrices]
        factor = np.sqrt(ratio(np.max(variances, axis=0), variances[0]))
        dofs = [
            unit_kurtosis_dof(self.estimates[which][i], samples)
            for i, which in enumerate(np.argmax(variances, axis=0))
        ]
        return factor[:, None] * matrices[0] * factor, np.array(dofs)


def curve_process(
    metric: CurveMetric, models: Sequence[Ranked], rates: FloatArray, **gain: float
) -> CurveProcess:
    """Return the process of one ranking's curve, or of the first minus the second."""
    units = Units([models[0]], Plan(stratify=False))
    curves = [evaluate_curve(metric, [model], rates, units, **gain) for model in models]
    return (curves[0] if len(curves) == 1 else curves[0] - curves[1]).process


def evaluate_curve(
    metric: CurveMetric,
    rankings: Sequence[Ranked],
    rates: FloatArray,
    units: Units,
    *,
    benefit: float = 1.0,
    cost: float = 0.0,
) -> CurveEvaluation:
    """Return the curve of a model, from one ranking or from one of each fold."""
    folds, samples = list(_each_fold(rankings)), units.distinct_samples
    tables = [fold.table for _, fold in folds]
    total = sum(table.total for table in tables)
    prevalence = sum(table.n_pos for table in tables) / total
    fold_hits = [np.interp(rates, table.rates, table.cum_pos) for table in tables]
    hits = np.asarray(np.sum(fold_hits, axis=0) / total)
    # The influence is centred in each fold, unless folds are the units.
    centres = [(hits, prevalence)] * len(folds)
    # The fraction of all weight that one independent sample of each class has.
    shares = 1 / samples.total, 1 / samples.total
    if not samples.are_fold_groups:
        pairs = zip(fold_hits, tables, strict=True)
        centres = [(n / table.total, table.prevalence) for n, table in pairs]
        n_pos, n_neg = samples.effective_sizes
        shares = (samples.sizes[0] / n_pos / samples.total,) * 2
        if samples.has_sampling_weights:
            shares = prevalence / n_pos, (1 - prevalence) / n_neg
    # A sample above the cut pushes this fraction of a positive below the cut.
    n_repeats = sum(ranked.total for ranked in rankings) / samples.total
    lost = cut_positive_fraction(tables, rates, n_repeats)
    whole, recall, maximum = 1.0, None, rates
    if metric in ("recall", "lift"):
        whole, recall, maximum = prevalence, hits / prevalence, np.ones_like(rates)
    scale = np.full(len(rates), benefit)
    if metric in ("precision", "lift"):
        scale = 1 / rates
    cells, by_cell = _contributions(folds, centres, rates, lost, recall)
    by_cell *= scale / whole
    offset, is_cut = 0.0 - cost * rates, (rates > 0) & (rates < 1)
    return CurveEvaluation(
        rates=rates,
        values=scale * (hits / whole) + offset,
        units=units,
        cells=[cells],
        by_cell=by_cell,
        grain=scale
        * is_cut
        / whole
        * np.maximum(shares[0] * (1 - lost), shares[1] * lost),
        limits=(offset, offset + scale * maximum),
        estimates=_label_influence(rankings[0], cells, by_cell),
    )


def _each_fold(rankings: Sequence[Ranked]) -> Iterator[tuple[Any, Ranked]]:
    """Yield the rows of each fold, and its ranking."""
    start = 0
    for ranked in rankings:
        n_rows = len(ranked.is_pos)
        if ranked.folds is None:
            yield slice(start, start + n_rows), ranked
        else:
            yield from split_folds(ranked, ranked.folds)
        start += n_rows


def _contributions(
    folds: list[tuple[Any, Ranked]],
    centres: list[tuple[FloatArray, float]],
    rates: FloatArray,
    lost: FloatArray,
    recall: FloatArray | None,
) -> tuple[IntArray, FloatArray]:
    """Return the cell of each row, and the influence of each cell on hits or recall.

    In each fold, the cells of negatives come first, and then the cells of positives.
    Samples with estimated labels are in both classes in part, and have the cells of
    negatives.
    """
    cells = np.empty(sum(len(fold.is_pos) for _, fold in folds), dtype=np.intp)
    by_cell: list[FloatArray] = []
    # The prevalence in the denominator of the recall is an estimate, too.
    slope = 0.0 if recall is None else recall
    n_cells = 0
    for (rows, fold), (mean, prevalence) in zip(folds, centres, strict=True):
        cell, above = _cells(fold, rates)
        of_neg = slope * prevalence - mean - lost * (above - rates)
        by_cell += [of_neg, of_neg + above - slope]
        is_pos = fold.is_pos if fold.estimated is None else False
        cells[rows] = n_cells + cell + len(above) * is_pos
        n_cells += 2 * len(above)
    return cells, np.concatenate(by_cell)


def _cells(ranked: Ranked, rates: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the cell of each row, and the fraction of each cell above each rate.

    Cells are the groups of ties that a rate cuts, and the intervals between them.
    """
    table = ranked.table
    inner = rates[(rates > 0) & (rates < 1)]
    cut = np.searchsorted(table.rates, inner, side="left") - 1
    starts = np.unique(np.concatenate([[0], cut, cut + 1]))
    starts = starts[starts < table.n_groups]
    edges = np.append(table.rates[starts], 1.0)
    low, high = edges[:-1, None], edges[1:, None]
    # A small weight of a cell can be lost in the sum of weights.
    above = (rates >= high).astype(np.float64)
    np.divide(rates - low, high - low, out=above, where=high > low)
    sizes = np.diff(starts, append=table.n_groups)
    cell = np.repeat(np.arange(len(starts)), sizes).take(ranked.group)
    return cell, np.clip(above, 0, 1)


def _label_influence(
    ranked: Ranked, cells: IntArray, by_cell: FloatArray
) -> list[FloatArray]:
    """Return the observed and expected influence of estimated labels, by rate."""
    if ranked.estimated is None:
        return []
    of_neg, of_pos = np.split(ranked.total / ranked.table.total * by_cell, 2)
    by_rate = [
        ranked.estimated.influence_rows(pos.take(cells), neg.take(cells))
        for pos, neg in zip(of_pos.T, of_neg.T, strict=True)
    ]
    return [np.stack(rows) for rows in zip(*by_rate, strict=True)]
