"""A metric of the rankings of folds, as one number with the influence of each case."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skrate.core.arrays import BoolArray, FloatArray, IntArray
from skrate.core.fold_rankings import FoldRankings
from skrate.core.grouping import check_groups
from skrate.core.lazy import lazy
from skrate.core.metric import OF_CASES_IN_FOLDS, Metric, Sizes, warn_of_folds
from skrate.core.results import ConfidenceInterval, t_quantile
from skrate.core.validation import warn_undefined
from skrate.inference.delta import (
    Parts,
    degrees_of_freedom,
    influence_parts,
    influence_values,
    is_rounding,
    table_variance,
)
from skrate.inference.intervals import Interval, bounded_interval
from skrate.inference.plan import (
    CLASSES,
    check_metric,
    warn_of_few_processed,
    why_lopsided,
)
from skrate.inference.sample import Ranked, Weights, check_cases, scored
from skrate.inference.wilson import ADDED, Augmented, augmented, range_of


@dataclass(frozen=True)
class FoldSample:
    """The mean of a metric over folds, each of which has a ranking of its own.

    ``metrics`` are what is meant on each of the ``folds``, where its ``values`` are
    defined; ``rows`` say which rows of the rankings their cases are. ``clusters``
    number the cluster of each row, where they are not independent.
    """

    metrics: list[Metric]
    folds: list[Ranked]
    values: list[float]
    rows: list[IntArray]
    clusters: IntArray | None
    # Number of folds that test a case, in the repeats of a cross-validation.
    n_repeats: int = 1

    @property
    def name(self) -> str:
        """The name of the metric."""
        return self.metrics[0].name

    @property
    def value(self) -> float:
        """The mean over folds."""
        return float(np.mean(self.values))

    @lazy
    def cases(self) -> Ranked:
        """The cases of all folds, with their weights and clusters, without scores."""
        weights = None
        if any(fold.weights is not None for fold in self.folds):
            weights = np.concatenate([_weights(fold) for fold in self.folds])
        groups = None
        if self.clusters is not None:
            own = self.clusters[np.concatenate(self.rows)]
            found, groups = np.unique(own, return_inverse=True)
            if len(found) < 2:
                raise ValueError(
                    "groups puts all cases in one cluster: nothing can be said about "
                    "the variation between clusters."
                )
        return Ranked(
            np.concatenate([fold.is_pos for fold in self.folds]),
            weights=weights,
            groups=groups,
            kind=self.folds[0].kind,
        )

    def alone(self) -> list[Ranked]:
        """Return the folds with the clusters in each, for what draws from them."""
        if self.clusters is None:
            return self.folds
        own = [np.unique(self.clusters[rows]) for rows in self.rows]
        if len(np.unique(np.concatenate(own))) < sum(map(len, own)):
            raise ValueError(
                "method must be 'delta' where a case or a cluster of groups is tested "
                "in several folds: others draw from each fold on its own."
            )
        if min(map(len, own)) < 2:
            raise ValueError(
                "method must be 'delta' where a fold holds one cluster of groups: "
                "others draw clusters from each fold on its own."
            )
        return [
            replace(fold, groups=np.unique(self.clusters[rows], return_inverse=True)[1])
            for fold, rows in zip(self.folds, self.rows, strict=True)
        ]

    def influence(self, *, stratify: bool) -> FloatArray:
        """Return what each case contributes, as :func:`influence_values` does.

        A class is centred in each fold, which takes one of its m cases there: squares
        count m / (m - 1) times, as they would for single folds. A class with one case
        in a fold shows no variation there, and is taken to vary as in the others.
        """
        factors = self._factors
        total, n_folds = self.cases.total, len(self.folds)
        parts = []
        for of_fold, (metric, fold) in zip(factors, self._pairs(), strict=True):
            values = influence_values(metric, fold, stratify=stratify)
            classes = (fold.is_pos, ~fold.is_pos)
            for factor, chosen in zip(of_fold, classes, strict=True):
                weights = None if fold.weights is None else fold.weights[chosen]
                mean = np.average(values[chosen], weights=weights)
                values[chosen] = mean + np.sqrt(factor) * (values[chosen] - mean)
            values *= total / (n_folds * fold.total)
            parts.append(values)
        return np.concatenate(parts)

    @lazy
    def _factors(self) -> FloatArray:
        """How often squares count, of shape (n_folds, 2)."""
        sizes = np.array([fold.effective_sizes for fold in self.folds])
        is_known = sizes >= 2
        lacking = (1 / sizes).sum(axis=0) / np.where(is_known, 1 / sizes, 0).sum(axis=0)
        if self.metrics[0].is_two_sample:
            return np.tile(lacking, (len(sizes), 1))
        # As of one fold, whose variances of these metrics are divided by m.
        of_one = 1 - 1 / sizes.sum(axis=0)
        return np.asarray(
            of_one * lacking * sizes / np.where(is_known, sizes - 1, sizes)
        )

    def freedom(self, parts: Parts) -> float:
        """Return the degrees of freedom of the variance with these parts."""
        n_means = len(self.folds) / self.n_repeats
        return degrees_of_freedom((parts, self.cases), n_means=n_means)

    def interval(
        self,
        kind: Interval,
        parts: Parts,
        standard_error: float,
        level: float,
        *,
        stratify: bool,
        draws: FloatArray | None = None,
    ) -> ConfidenceInterval:
        """Return the interval of the mean over folds.

        ``parts`` are of its variance by influence values, of which the degrees of
        freedom are; the standard error may be that of a bootstrap.
        """
        freedom = self.freedom(parts)

        def find_augmented() -> Augmented:
            return self._augmented(standard_error**2, stratify=stratify)

        def find_tested(_: float) -> ConfidenceInterval:
            return self._tested(parts, level, stratify=stratify)

        ranges = [
            range_of(metric, fold.table, stratify=stratify)
            for metric, fold in self._pairs()
        ]
        return bounded_interval(
            kind, self.value, standard_error, level, _mean_range(ranges), freedom,
            draws, find_augmented, find_tested if self.metrics[0].has_test else None,
        )  # fmt: skip

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest mean over folds of such rankings."""
        return _mean_range([m.bounds(fold.table) for m, fold in self._pairs()])

    def _pairs(self) -> list[tuple[Metric, Ranked]]:
        return list(zip(self.metrics, self.folds, strict=True))

    def _augmented(self, variance: float, *, stratify: bool) -> Augmented:
        """Return the mean over folds to which a tenth of a case is added in all."""
        added = ADDED * self.n_repeats / len(self.folds)
        found = [
            augmented(*pair, stratify=stratify, added=added) for pair in self._pairs()
        ]
        parts = _sum_of_parts([one.parts for one in found])
        effect = 1.0
        if not is_rounding(variance):
            independent = self._independent(stratify=stratify)
            effect = variance / independent if not is_rounding(independent) else 1.0
        value = float(np.mean([one.value for one in found]))
        bounds = _mean_range([one.bounds for one in found])
        return Augmented(value, parts, bounds, effect, self.freedom(parts))

    def _independent(self, *, stratify: bool) -> float:
        """Return the variance if all cases were independent, and no mean was taken."""
        parts = [
            table_variance(
                metric, fold.table, stratify=stratify, sizes=fold.effective_sizes
            )
            for metric, fold in self._pairs()
        ]
        return _sum_of_parts(parts).total

    def _tested(
        self, parts: Parts, level: float, *, stratify: bool
    ) -> ConfidenceInterval:
        """Return the interval that combines what the tests of the folds do not reject.

        Each has a distance from the value of its fold, and their squares add up (Zou
        and Donner 2008, as :func:`compare` cites them).
        """
        independent, effect = self._independent(stratify=stratify), 1.0
        if not is_rounding(independent):
            effect = parts.total / independent
        freedom = self.freedom(Parts(1.0, 0.0, 0.0))
        quantile = t_quantile(level, freedom) * float(np.sqrt(effect))
        ends = np.empty((len(self.folds), 2))
        for row, (metric, fold) in zip(ends, self._pairs(), strict=True):
            sizes = Sizes(*fold.effective_sizes, are_fixed=stratify)
            row[:] = metric.not_rejected(fold.table, sizes, quantile)
        away = np.maximum((ends.T - self.values) * [[-1.0], [1.0]], 0.0)
        below, above = np.sqrt((away**2).sum(axis=1)) / len(self.folds)
        return ConfidenceInterval(float(self.value - below), float(self.value + above))


def fold_samples(
    meant: Sequence[tuple[Any, dict[str, Any]]],
    rankings: Sequence[FoldRankings],
    weights: Weights,
) -> list[FoldSample] | None:
    """Return metrics, with their parameters, of rankings of the same cases.

    Folds on which one is undefined are left out of all. None where nothing can be
    inferred; a warning says why.
    """
    pairs = list(zip(meant, rankings, strict=True))
    each = [_samples(*one, own, weights) for one, own in pairs]
    values = np.array([[value for _, _, value in folds] for folds in each])
    is_defined = ~np.isnan(values).any(axis=0)
    metric, first = each[0][0][0], rankings[0]
    if not is_defined.any():
        warn_undefined(metric.name, "it is so within every fold", stacklevel=5)
        return None
    warn_of_folds(metric, is_defined, first, stacklevel=5)
    found = [
        _kept(folds, is_defined, own)
        for folds, (_, own) in zip(each, pairs, strict=True)
    ]
    reason = _why_too_few(found[0].folds)
    if reason is not None:
        warn_undefined(f"The uncertainty of the {metric.name}", reason, stacklevel=5)
        return None
    for one in found:
        _warn_once(one)
    return found


def _samples(
    metric: Any, params: dict[str, Any], rankings: FoldRankings, weights: Weights
) -> list[tuple[Metric, Ranked, float]]:
    """Return the metric, the cases and the value of each fold."""
    folds = []
    for y_true, y_score, weight in rankings:
        cases = check_cases(y_true, sample_weight=weight, weights=weights)
        fold = scored(cases, "y_score", y_score)
        found = check_metric(metric, params, fold)
        if found.is_of_cases:
            raise ValueError(OF_CASES_IN_FOLDS)
        value = float("nan")
        # What a class that is not there would add to it is not known.
        if min(fold.sizes) > 0 and found.is_defined(fold.table):
            value = found.value(fold.table)
            low, high = found.bounds(fold.table)
            # Rounding may leave a perfect ranking a little above the range.
            value = min(max(value, low), high)
        folds.append((found, fold, value))
    return folds


def _kept(
    folds: list[tuple[Metric, Ranked, float]],
    is_defined: BoolArray,
    rankings: FoldRankings,
) -> FoldSample:
    own = [(*one, rows) for one, rows in zip(folds, rankings.rows(), strict=True)]
    kept = [own[i] for i in np.flatnonzero(is_defined)]
    rows = [rows if fold.kept is None else rows[fold.kept] for _, fold, _, rows in kept]
    return FoldSample(
        [metric for metric, *_ in kept],
        [fold for _, fold, *_ in kept],
        [value for _, _, value, _ in kept],
        rows,
        _clusters(rankings),
        rankings.n_repeats,
    )


def _clusters(rankings: FoldRankings) -> IntArray | None:
    """Return the cluster of each row; a case that is tested again is one cluster."""
    if rankings.groups is not None:
        return check_groups("groups", rankings.groups).codes
    return rankings.indices if rankings.n_repeats > 1 else None


def _why_too_few(folds: list[Ranked]) -> str | None:
    """Return why nothing can be inferred from folds, None where it can."""
    sizes = np.array([fold.effective_sizes for fold in folds])
    for most, name in zip(sizes.max(axis=0), CLASSES, strict=True):
        if most < 2:
            return f"no fold holds 2 {name} cases, so that none shows how they vary"
    return next((why for why in map(why_lopsided, folds) if why is not None), None)


def _warn_once(sample: FoldSample) -> None:
    """Warn of the first fold that is a bad guide to what is known."""
    for metric, fold in zip(sample.metrics, sample.folds, strict=True):
        rate = metric.known_rate
        if rate is not None and warn_of_few_processed(metric, rate, fold, stacklevel=6):
            return
        caution = metric.caution(fold.table)
        if caution is not None:
            warnings.warn(caution, UserWarning, stacklevel=6)
            return


def _weights(fold: Ranked) -> FloatArray:
    return np.ones(len(fold.is_pos)) if fold.weights is None else fold.weights


def _sum_of_parts(parts: Sequence[Parts]) -> Parts:
    """Return the parts of the variance of the mean over folds."""
    return Parts(*(np.sum(parts, axis=0) / len(parts) ** 2).tolist())


def _mean_range(ranges: Sequence[tuple[float, float]]) -> tuple[float, float]:
    low, high = np.mean(ranges, axis=0).tolist()
    return low, high


def variance_of(sample: FoldSample, *, stratify: bool) -> Parts:
    """Return the variance of the mean over folds, by its sources."""
    return influence_parts(sample.influence(stratify=stratify), sample.cases)
