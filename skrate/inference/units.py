"""The parts of the data that vary independently, common to all evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from skrate.data.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    centring_factors,
    effective_number,
    parts,
)
from skrate.data.folds import FoldRankings
from skrate.data.ranking import check_groups
from skrate.inference.options import Plan
from skrate.inference.rankings import Ranked, add_fold_groups
from skrate.inference.variance import square_factors

# The minimum effective number of clusters with a class in a fold. If a fold has fewer,
# the variance of the class is estimated from the other folds.
LEAST_UNITS = 1.5


@dataclass(eq=False)
class Units:
    """The independent units of one ranking, or of folds.

    Units are the parts of the data that vary independently: samples, clusters, lists or
    groups of folds. Two folds are in the same group if they have a cluster in common;
    two groups have no cluster in common. If a group has a single cluster, all groups
    are the units. A row is a sample in a fold. If cross-validation is repeated, each
    sample has one row per repeat.

    ``rankings`` are those with both classes. They have the scores of one model, but
    classes, weights and clusters are the same for all models. ``rows`` has the numbers
    of their rows in ``folds``. ``one_class`` has the folds that lack a class, and
    ``other_rows`` the numbers of their rows. ``by_class`` says whether influence is
    centred within each class of a fold, or within the whole fold. ``scale`` is the size
    of the planned data set divided by the size of this one, if this one is a pilot.
    """

    rankings: list[Ranked]
    plan: Plan
    folds: FoldRankings | None = None
    rows: list[IntArray] = field(default_factory=list)
    one_class: list[Ranked] = field(default_factory=list)
    other_rows: list[IntArray] = field(default_factory=list)
    by_class: bool = True
    scale: float = 1.0

    def __post_init__(self) -> None:
        self.n_rankings = len(self.rankings) + len(self.one_class)
        # The number of test folds of each sample.
        self.n_repeats = 1 if self.folds is None else self.folds.n_repeats

    @classmethod
    def make_fold_units(
        cls,
        rankings: list[Ranked],
        folds: FoldRankings,
        both: list[int],
        lacking: list[int],
        plan: Plan,
        *,
        by_class: bool = True,
    ) -> Units:
        """Return the units of folds.

        ``both`` has the numbers of the folds with both classes. ``lacking`` has the
        numbers of the folds that lack a class, but on which the metric is defined.
        """
        rows = [
            rows if ranked.kept is None else rows[ranked.kept]
            for rows, ranked in zip(folds.rows(), rankings, strict=True)
        ]
        return cls(
            [rankings[i] for i in both],
            plan,
            folds,
            rows=[rows[i] for i in both],
            one_class=[rankings[i] for i in lacking],
            other_rows=[rows[i] for i in lacking],
            by_class=by_class,
        )

    @property
    def retraining_factor(self) -> float | None:
        """The factor that adds the variation from training to standard errors.

        It is None if the folds have no ``indices``, or if a repeat has a single fold.
        """
        folds = self.folds
        if folds is None or folds.indices is None or folds.n_folds < 2 * self.n_repeats:
            return None
        n_folds = folds.n_folds / self.n_repeats
        return float(np.sqrt(1 + n_folds / (n_folds - 1)))

    @cached_property
    def stratify(self) -> bool:
        """Whether the design fixes the number of samples of each class."""
        return self.plan.is_stratified(self.samples)

    @cached_property
    def samples(self) -> Ranked:
        """The one ranking; with folds, the samples of all folds without scores.

        With repeats, each sample is included once. With clusters, it is included once
        for each of its rows.
        """
        if self.folds is None:
            return self.rankings[0]
        first_rows = slice(None) if self.row_samples is None else self.row_samples[0]
        samples = self._merge_folds(self.rankings, self.rows, first_rows)
        if samples.are_fold_groups and self.one_class:
            folds = [*self.rankings, *self.one_class]
            return self._merge_folds(folds, [*self.rows, *self.other_rows], first_rows)
        return samples

    def _merge_folds(
        self, folds: list[Ranked], rows: list[IntArray], first_rows: Any
    ) -> Ranked:
        """Return the ``first_rows`` of the concatenated samples of folds.

        If ``folds`` include folds with one class, the groups of folds are the units.
        """
        weights = None
        if folds[0].weights is not None:
            weights = np.concatenate([fold.row_weights for fold in folds])[first_rows]
        is_pos = np.concatenate([fold.is_pos for fold in folds])[first_rows]
        samples = Ranked(is_pos, weights=weights, kind=folds[0].kind)
        if self.clusters is None:
            return samples
        fold_of_row = np.repeat(np.arange(len(rows)), list(map(len, rows)))
        return add_fold_groups(
            samples,
            self.clusters[np.concatenate(rows)],
            fold_of_row,
            are_units=len(folds) > len(self.rankings),
            are_repeated=self.n_repeats > 1,
            by_class=self.by_class and len(rows) > self.n_repeats,
        )

    @cached_property
    def clusters(self) -> IntArray | None:
        """The number of the cluster of each row in ``folds``; None without clusters."""
        if self.folds is None or self.folds.clusters is None:
            return None
        return check_groups("clusters", self.folds.clusters).codes

    @cached_property
    def row_samples(self) -> tuple[IntArray, IntArray] | None:
        """The first row of each sample, and the sample of each row.

        It is None without repeats. With clusters it is None, too: the sums over
        clusters include all rows.
        """
        return self._row_samples if self.clusters is None else None

    @cached_property
    def _row_samples(self) -> tuple[IntArray, IntArray] | None:
        """The same as ``row_samples``, but not None with clusters."""
        if self.n_repeats == 1 or self.folds is None:
            return None
        assert self.folds.indices is not None
        rows = self.folds.indices[np.concatenate(self.rows)]
        _, first_rows, sample_of_row = np.unique(
            rows, return_index=True, return_inverse=True
        )
        return first_rows, sample_of_row

    @cached_property
    def distinct_samples(self) -> Ranked:
        """The same as ``samples``, but each sample once even if there are clusters.

        With folds, all scores are equal.
        """
        samples = self.samples
        if self.folds is None:
            return samples
        if samples.clusters is not None and self._row_samples is not None:
            first_rows, _ = self._row_samples
            weights = None if samples.weights is None else samples.weights[first_rows]
            samples = replace(
                samples,
                is_pos=samples.is_pos[first_rows],
                weights=weights,
                clusters=samples.clusters[first_rows],
            )
        return replace(samples, scores=np.zeros(len(samples.is_pos)))

    @cached_property
    def total(self) -> float:
        """The number of rows of the folds in ``rankings``; repetitions count."""
        return sum([fold.total for fold in self.rankings])

    @cached_property
    def row_weights(self) -> FloatArray:
        """The weight of each row of the folds in ``rankings``."""
        return np.concatenate([fold.row_weights for fold in self.rankings])

    @cached_property
    def effective_sizes(self) -> FloatArray:
        """The effective sizes of both classes in each fold, of shape (n_folds, 2)."""
        return np.array([fold.effective_sizes for fold in self.rankings])

    @property
    def has_all_clusters(self) -> BoolArray:
        """For each fold, whether all folds of its group have all clusters of the group.

        If so, clusters are centred within each class of the fold.
        """
        has_all = self.samples.has_all_clusters
        return np.zeros(len(self.rankings), dtype=bool) if has_all is None else has_all

    @cached_property
    def class_units(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The numbers of units, the factors of squares, and the factors of means.

        The first two have the shape (n_folds, 2), with one entry per class. Centring
        makes the squared deviations from the mean of a class in a fold too small; the
        factor of squares corrects this. It is infinite if there are fewer than 2
        samples or ``LEAST_UNITS`` clusters. The factor of means corrects the square of
        this mean for centring in the fold; without clusters it is 1.
        """
        sizes, mean_factors = self.effective_sizes.copy(), np.ones(len(self.rankings))
        factors = np.divide(
            sizes, sizes - 1, out=np.full_like(sizes, np.inf), where=sizes >= 2
        )
        for i in np.flatnonzero(self.has_all_clusters).tolist():
            assert self.clusters is not None
            ranked, clusters = self.rankings[i], self.clusters[self.rows[i]]
            codes = np.unique(clusters, return_inverse=True)[1]
            # The weight of each cluster, and of its samples in each class.
            total = np.bincount(codes, ranked.row_weights)
            pos = np.bincount(codes, ranked.row_weights * ranked.is_pos)
            neg = np.bincount(codes, ranked.row_weights * ~ranked.is_pos)
            class_sizes = pos[pos > 0], neg[neg > 0]
            sizes[i] = list(map(effective_number, class_sizes))
            factors[i] = [
                centring_factors(weights)[0] if size >= LEAST_UNITS else np.inf
                for weights, size in zip(class_sizes, sizes[i], strict=True)
            ]
            mean_factors[i] = centring_factors(total)[0]
        return sizes, factors, mean_factors

    def factors(self, *, is_two_sample: bool) -> tuple[FloatArray, FloatArray]:
        """Return the factors of squares and of means for influence values.

        They are the factors of ``class_units`` with two changes: infinite factors are
        replaced, and factors that the influence values already include are divided out.
        """
        sizes, factors, mean_factors = self.class_units
        is_known = np.isfinite(factors)
        # A class with the variance s^2 and m samples in a fold adds s^2 / m. A single
        # sample shows no variance: larger factors of the other folds add its s^2.
        inverse = 1 / sizes
        increase = inverse.sum(axis=0) / np.where(is_known, inverse, 0).sum(axis=0)
        factors = increase * np.where(is_known, factors, 1)
        n_samples = self.effective_sizes
        if is_two_sample:
            # The influence of these metrics includes m / (m - 1) of each fold.
            included = n_samples / np.maximum(n_samples - 1, n_samples / 2)
        else:
            # The variance of other metrics on one ranking of m units has the divisor
            # m, not m - 1: with a single fold, both factors must cancel.
            included = 1 / (1 - self.n_repeats / sizes.sum(axis=0))
        return factors / included, mean_factors

    def summed(self, values: FloatArray) -> FloatArray:
        """Return the influence of each sample from the influence of each row."""
        if self.row_samples is None:
            return values
        first_rows, sample_of_row = self.row_samples
        sums = np.bincount(sample_of_row, self.row_weights * values)
        # Convert a mean over the rows of all repeats to a mean over the samples.
        ratio = self.samples.total / self.total
        return np.asarray(sums / self.row_weights[first_rows] * ratio)

    def cell_covariance(
        self, cells: Sequence[IntArray], by_cell: FloatArray
    ) -> FloatArray:
        """Return the covariance of a curve between its rates.

        Each array in ``cells`` has the number of a row of ``by_cell`` for each sample.
        The influence of a sample on the curve is the sum of these rows. It is not
        stored, because it would not fit into memory for many samples and rates.
        """
        samples, weights = self.samples, self.row_weights
        if samples.clusters is not None:
            unit = samples.clusters
        else:
            # The square root, because the product of two rows has the factor twice.
            weights = np.sqrt(square_factors(weights, samples))
            numbers = self.row_samples
            unit = np.arange(len(weights)) if numbers is None else numbers[1]
        indices = np.tile(unit, len(cells)), np.concatenate(cells)
        unit_weights: Any = sparse.coo_array(
            (np.tile(weights, len(cells)), indices), (samples.n_units, len(by_cell))
        ).tocsr()
        if samples.clusters is None:
            # The weight of the samples that are in both cells, for each pair of cells.
            n_common = unit_weights.T @ unit_weights
            return np.asarray(by_cell.T @ (n_common @ by_cell)) / self.total**2
        covariance, factors = np.zeros((by_cell.shape[1],) * 2), samples.unit_factors
        for block in parts(samples.n_units):
            sums = unit_weights[block] @ by_cell
            covariance += (factors[block, None] * sums).T @ sums
        return covariance / self.total**2

    def add_clusters(
        self, rankings: Sequence[Ranked], clusters: IntArray | None
    ) -> Sequence[Ranked]:
        """Return the rankings of the folds with the clusters of their samples.

        ``clusters`` has the cluster of each row of all folds.
        """
        if clusters is None:
            return rankings
        return [
            replace(ranked, clusters=np.unique(clusters[rows], return_inverse=True)[1])
            for ranked, rows in zip(rankings, self.rows, strict=True)
        ]

    def resampling_rankings(self, rankings: Sequence[Ranked]) -> Sequence[Ranked]:
        """Return the rankings with clusters, for methods that resample each fold."""
        clusters = self.clusters
        if self.folds is None or (clusters is None and self.n_repeats == 1):
            return rankings
        if clusters is None:
            clusters = self.folds.indices
        assert clusters is not None
        fold_clusters = [np.unique(clusters[rows]) for rows in self.rows]
        if len(np.unique(np.concatenate(fold_clusters))) < sum(map(len, fold_clusters)):
            raise ValueError(
                "method must be 'delta' if a sample or a cluster is in several test "
                f"folds, got {self.plan.method!r}, which uses each fold separately."
            )
        if min(map(len, fold_clusters)) < 2:
            raise ValueError(
                "method must be 'delta' if a fold has only one cluster, got "
                f"{self.plan.method!r}, which uses each fold separately."
            )
        return self.add_clusters(rankings, clusters)
