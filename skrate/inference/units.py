"""The units of a sample, or of its folds, which are common to its evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from skrate.data.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    centring_factors,
    effective_number,
    lazy,
    parts,
)
from skrate.data.folds import FoldRankings
from skrate.data.ranking import check_groups
from skrate.inference.options import Plan
from skrate.inference.rankings import Ranked, add_fold_groups
from skrate.inference.variance import multiples

# With a smaller effective number of clusters, the other folds give the variance.
LEAST_UNITS = 1.5


@dataclass(eq=False)
class Units:
    """The samples of one ranking, or of folds: classes, weights and clusters.

    ``each`` has the rankings with both classes, by any of the models, and ``rows`` has
    the rows of their samples in ``folds``. ``one_class`` has the folds that lack a
    class, and ``other_rows`` has their rows. ``by_class`` says whether influence is
    centred within the classes of each fold, or within the fold.
    """

    each: list[Ranked]
    plan: Plan
    folds: FoldRankings | None = None
    rows: list[IntArray] = field(default_factory=list)
    one_class: list[Ranked] = field(default_factory=list)
    other_rows: list[IntArray] = field(default_factory=list)
    by_class: bool = True

    def __post_init__(self) -> None:
        self.n_rankings = len(self.each) + len(self.one_class)
        # The number of folds in which a sample is tested.
        self.n_repeats = 1 if self.folds is None else self.folds.n_repeats

    @classmethod
    def make_ranking_units(cls, ranked: Ranked, level: float) -> Units:
        """Return the units of one ranking, for intervals by the delta method."""
        plan = Plan(confidence_level=level, stratify=False)
        return cls([ranked], plan)

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
        """Return the units of folds with ``both`` classes, and ``lacking`` one."""
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
        """The factor of standard errors if models are trained again, or None."""
        folds = self.folds
        if folds is None or folds.indices is None or folds.n_folds < 2 * self.n_repeats:
            return None
        n_folds = folds.n_folds / self.n_repeats
        return float(np.sqrt(1 + n_folds / (n_folds - 1)))

    @lazy
    def stratify(self) -> bool:
        """Whether class sizes are fixed."""
        return self.plan.is_stratified(self.cases)

    def class_sizes(self, *, is_known: bool) -> tuple[int, int]:
        """Return the number of samples of each class."""
        folds = self.folds
        are_rows = is_known and self.cases.are_repetitions and self.n_repeats == 1
        if folds is not None and not are_rows:
            return folds.n_pos, folds.n_neg
        sizes = [ranked.sizes for ranked in (*self.each, *self.one_class)]
        n_pos, n_neg = np.sum(sizes, axis=0).tolist()
        return round(n_pos), round(n_neg)

    @lazy
    def cases(self) -> Ranked:
        """The samples of all folds, each once and without scores; or of one ranking."""
        if self.folds is None:
            return self.each[0]
        firsts = slice(None) if self.row_samples is None else self.row_samples[0]
        cases = self._merge_folds(self.each, self.rows, firsts)
        if cases.are_fold_groups and self.one_class:
            folds = [*self.each, *self.one_class]
            return self._merge_folds(folds, [*self.rows, *self.other_rows], firsts)
        return cases

    def _merge_folds(
        self, folds: list[Ranked], rows: list[IntArray], firsts: Any
    ) -> Ranked:
        """Return the samples of folds, with groups as units if a fold lacks a class."""
        weights = None
        if any(fold.weights is not None for fold in folds):
            weights = np.concatenate([fold.row_weights for fold in folds])[firsts]
        is_pos = np.concatenate([fold.is_pos for fold in folds])[firsts]
        cases = Ranked(is_pos, weights=weights, kind=folds[0].kind)
        if self.clusters is None:
            return cases
        numbers = np.repeat(np.arange(len(rows)), list(map(len, rows)))
        return add_fold_groups(
            cases,
            self.clusters[np.concatenate(rows)],
            numbers,
            are_units=len(folds) > len(self.each),
            are_repeated=self.n_repeats > 1,
            by_class=self.by_class and len(rows) > self.n_repeats,
        )

    @lazy
    def clusters(self) -> IntArray | None:
        """The cluster of each row of the folds."""
        if self.folds is None or self.folds.clusters is None:
            return None
        return check_groups("clusters", self.folds.clusters).codes

    @lazy
    def row_samples(self) -> tuple[IntArray, IntArray] | None:
        """The first row of each sample, the sample of each row; None without repeats.

        With clusters the rows are the samples.
        """
        return self._row_samples if self.clusters is None else None

    @lazy
    def _row_samples(self) -> tuple[IntArray, IntArray] | None:
        """Return ``row_samples``, also with clusters."""
        if self.n_repeats == 1 or self.folds is None:
            return None
        assert self.folds.indices is not None
        rows = self.folds.indices[np.concatenate(self.rows)]
        _, firsts, cases = np.unique(rows, return_index=True, return_inverse=True)
        return firsts, cases

    @lazy
    def distinct_cases(self) -> Ranked:
        """The samples, each once, also with clusters; in folds with equal scores."""
        cases = self.cases
        if self.folds is None:
            return cases
        if cases.clusters is not None and self._row_samples is not None:
            firsts, _ = self._row_samples
            weights = None if cases.weights is None else cases.weights[firsts]
            cases = replace(
                cases,
                is_pos=cases.is_pos[firsts],
                weights=weights,
                clusters=cases.clusters[firsts],
            )
        return replace(cases, scores=np.zeros(len(cases.is_pos)))

    @lazy
    def row_weights(self) -> FloatArray:
        """The weight of each row of the folds."""
        return np.concatenate([fold.row_weights for fold in self.each])

    @lazy
    def effective_sizes(self) -> FloatArray:
        """The effective sizes of the classes, of shape (n_folds, 2)."""
        return np.array([fold.effective_sizes for fold in self.each])

    @property
    def has_all_clusters(self) -> BoolArray:
        """Whether each fold has all clusters of its group of folds.

        Clusters are then centred within the classes of each fold.
        """
        has_all = self.cases.has_all_clusters
        return np.zeros(len(self.each), dtype=bool) if has_all is None else has_all

    def _cluster_sizes(self, fold: int) -> list[FloatArray]:
        """Return the sizes of the clusters of a fold, of both classes and in total."""
        assert self.clusters is not None
        one, clusters = self.each[fold], self.clusters[self.rows[fold]]
        codes = np.unique(clusters, return_inverse=True)[1]
        of_class = (
            np.bincount(codes, one.row_weights * c) for c in (one.is_pos, ~one.is_pos)
        )
        pos, neg = (sizes.astype(np.float64) for sizes in of_class)
        return [pos[pos > 0], neg[neg > 0], pos + neg]

    @lazy
    def class_units(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The units of each class in each fold, the factors of squares, and of means.

        The first two have the shape (n_folds, 2). Squares are of deviations from the
        mean of a class in a fold, and means are these means. A factor is infinite if
        the number of units is close to 1.
        """
        sizes, of_means = self.effective_sizes.copy(), np.ones(len(self.each))
        factors = np.divide(
            sizes, sizes - 1, out=np.full_like(sizes, np.inf), where=sizes >= 2
        )
        for i in np.flatnonzero(self.has_all_clusters).tolist():
            *by_class, of_all = self._cluster_sizes(i)
            sizes[i] = list(map(effective_number, by_class))
            factors[i] = [
                centring_factors(weights)[0] if size >= LEAST_UNITS else np.inf
                for weights, size in zip(by_class, sizes[i], strict=True)
            ]
            of_means[i] = centring_factors(of_all)[0]
        return sizes, factors, of_means

    def factors(self, *, is_two_sample: bool) -> tuple[FloatArray, FloatArray]:
        """Return factors of squares, of shape (n_folds, 2), and of squared means."""
        sizes, factors, of_means = self.class_units
        is_known = np.isfinite(factors)
        # The variance of a single sample is s^2 / 1, with s^2 from the other folds.
        inverse = 1 / sizes
        lacking = inverse.sum(axis=0) / np.where(is_known, inverse, 0).sum(axis=0)
        factors = lacking * np.where(is_known, factors, 1)
        of_cases = self.effective_sizes
        if is_two_sample:
            # For these metrics the factors are already in the influence.
            already = of_cases / np.maximum(of_cases - 1, of_cases / 2)
        else:
            # As for one fold: the variance of these metrics is divided by m.
            already = 1 / (1 - self.n_repeats / sizes.sum(axis=0))
        return factors / already, of_means

    def summed(self, values: FloatArray) -> FloatArray:
        """Return the contribution of each sample: the sum over its repeats."""
        if self.row_samples is None:
            return values
        firsts, cases = self.row_samples
        sums = np.bincount(cases, self.row_weights * values)
        # Convert a mean over the rows of all repeats to a mean over the samples.
        ratio = self.cases.total / sum(fold.total for fold in self.each)
        return np.asarray(sums / self.row_weights[firsts] * ratio)

    def cell_covariance(
        self, cells: Sequence[IntArray], by_cell: FloatArray
    ) -> FloatArray:
        """Return the covariance of curves from the contributions of rows by cell.

        A row contributes the rows of ``by_cell`` that its entries of ``cells`` number.
        With many samples and rates the contributions would not fit into memory.
        """
        cases, weights = self.cases, self.row_weights
        total = sum(fold.total for fold in self.each)
        if cases.clusters is not None:
            unit = cases.clusters
        else:
            # Square roots, because they are squared below.
            weights = np.sqrt(multiples(weights, cases))
            repeated = self.row_samples
            unit = np.arange(len(weights)) if repeated is None else repeated[1]
        indices = np.tile(unit, len(cells)), np.concatenate(cells)
        of_units: Any = sparse.coo_array(
            (np.tile(weights, len(cells)), indices), (cases.n_units, len(by_cell))
        ).tocsr()
        if cases.clusters is None:
            # The number of samples with both cells, for each pair of cells.
            n_common = of_units.T @ of_units
            return np.asarray(by_cell.T @ (n_common @ by_cell)) / total**2
        covariance, factors = np.zeros((by_cell.shape[1],) * 2), cases.unit_factors
        for block in parts(cases.n_units):
            sums = of_units[block] @ by_cell
            covariance += (factors[block, None] * sums).T @ sums
        return covariance / total**2

    def add_clusters(
        self, rankings: list[Ranked], clusters: IntArray | None
    ) -> list[Ranked]:
        """Return the rankings of folds, each with its part of the clusters of rows."""
        if clusters is None:
            return rankings
        return [
            replace(ranked, clusters=np.unique(clusters[rows], return_inverse=True)[1])
            for ranked, rows in zip(rankings, self.rows, strict=True)
        ]

    def resampling_rankings(self, rankings: list[Ranked]) -> list[Ranked]:
        """Return the rankings with the clusters in each, for methods that draw."""
        clusters = self.clusters
        if self.folds is None or (clusters is None and self.n_repeats == 1):
            return rankings
        if clusters is None:
            clusters = self.folds.indices
        assert clusters is not None
        per_fold = [np.unique(clusters[rows]) for rows in self.rows]
        if len(np.unique(np.concatenate(per_fold))) < sum(map(len, per_fold)):
            raise ValueError(
                "method must be 'delta' if a sample or a cluster is tested "
                "in several folds: other methods draw from each fold separately."
            )
        if min(map(len, per_fold)) < 2:
            raise ValueError(
                "method must be 'delta' if a fold has only one cluster: "
                "other methods draw clusters from each fold separately."
            )
        return self.add_clusters(rankings, clusters)
