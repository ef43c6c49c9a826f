"""A metric of the rankings of folds, as one number with the influence of each case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skrate.data.arrays import BoolArray, FloatArray, IntArray, lazy
from skrate.data.checks import warn, warn_undefined
from skrate.data.folds import FoldRankings
from skrate.data.ranking import check_groups
from skrate.inference.delta import (
    Parts,
    degrees_of_freedom,
    influence_values,
    is_rounding,
    table_variance,
)
from skrate.inference.intervals import (
    ADDED,
    Augmented,
    Interval,
    augmented,
    bounded_interval,
    range_of,
    with_room,
)
from skrate.inference.plan import (
    CLASSES,
    check_metric,
    warn_of_few_processed,
    why_lopsided,
)
from skrate.inference.sample import Ranked, Weights, check_cases, scored, with_worth
from skrate.metrics.average_precision import excess
from skrate.metrics.base import (
    Metric,
    Sizes,
    Tested,
    check_of_folds,
    find_metric,
    is_defined,
    warn_of_folds,
)
from skrate.metrics.partial_auc import PartialAUC
from skrate.metrics.recall import rate_of
from skrate.metrics.results import ConfidenceInterval, clipped_interval, t_quantile

# Cases in the window of a partial AUC, in each fold.
_FEW_IN_FOLDS = 10


@dataclass(frozen=True)
class FoldSample:
    """The mean of a metric over folds, each of which has a ranking of its own.

    ``metrics`` are what is meant on each of the ``folds``, where its ``values`` are
    defined; ``rows`` say which rows of the rankings their cases are. ``clusters``
    number the cluster of each row, where they are not independent; of repeats without
    clusters ``indices`` number the case of each row. ``one_class`` are
    folds that lack a class, and yet have a value: what the class would add is not
    known, and unless class sizes are fixed they are taken to vary as ``folds`` do.
    """

    # That of a fold: there may be none with both classes.
    metric: Metric
    metrics: list[Metric]
    folds: list[Ranked]
    values: list[float]
    rows: list[IntArray]
    clusters: IntArray | None
    indices: IntArray | None = None
    # Number of folds that test a case, in the repeats of a cross-validation.
    n_repeats: int = 1
    one_class: tuple[tuple[float, Ranked], ...] = ()
    # Why its uncertainty is not known, None where it is.
    why_unknown: str | None = None

    def warn_of_few_positives(self) -> None:
        """Warn where folds are so small that their mean is off, whatever its error."""
        if len(self.folds) < 2:
            return
        metric, is_known = self.metric, not np.isnan(self.bias)
        enough: float = (
            metric.facts.least_positives if is_known else metric.facts.enough_positives
        )
        sizes = np.mean([fold.effective_sizes for fold in self.folds], axis=0)
        held, n_held = "positives", float(sizes[0])
        if isinstance(metric, PartialAUC):
            held, n_held = metric.least_in_window(*sizes.tolist())
            held, enough = f"{held} in the window", _FEW_IN_FOLDS
        if n_held >= enough:
            return
        is_counted = is_known and metric.facts.enough_positives > 0
        counted = (
            "allows for a part of that" if is_counted else "does not count that in"
        )
        warn(
            f"The {metric.name} of {len(self.folds)} folds, whose mean is over folds "
            f"with {n_held:.3g} {held} each, is biased against one large sample: with "
            f"fewer than {enough:g} the more so the fewer there are, and the interval "
            f"{counted}. Take fewer folds, or a metric that does not depend on the "
            "size of a sample, such as the AUC or the recall at a rate."
        )

    @property
    def value(self) -> float:
        """The mean over folds."""
        return float(np.mean([*self.values, *self._constants]))

    @lazy
    def bias(self) -> float:
        """How much the mean is above that of folds of many cases; nan if unknown."""
        sampled = any(
            fold.weights is not None and not fold.are_repetitions for fold in self.folds
        )
        if len(self.folds) < 2 or not self.metric.facts.enough_positives:
            return 0.0
        if sampled or self._has_clusters_in_folds:
            return float("nan")
        found = np.array([excess(m, fold.table) for m, fold in self._pairs()])
        is_known = ~np.isnan(found)
        if not is_known.any():
            return float("nan")
        # Folds with one case of a class, which say nothing of it, are as the others.
        return float(found[is_known].mean()) * len(found) / self.n_all

    @property
    def _has_clusters_in_folds(self) -> bool:
        """Whether cases of one fold may depend on each other."""
        clusters = self.clusters
        return clusters is not None and any(
            len(np.unique(clusters[rows])) < len(rows) for rows in self.rows
        )

    @property
    def n_all(self) -> int:
        """Number of folds, those of one class as well."""
        return len(self.folds) + len(self.one_class)

    @property
    def constant(self) -> float:
        """What folds of one class add to the mean."""
        return float(np.sum(self._constants)) / self.n_all

    @property
    def _constants(self) -> list[float]:
        return [value for value, _ in self.one_class]

    @property
    def class_sizes(self) -> tuple[int, int]:
        """The number of cases of each class, of all folds."""
        others = [fold.sizes for _, fold in self.one_class]
        n_pos, n_neg = np.sum([self.cases.sizes, *others], axis=0).tolist()
        return int(n_pos), int(n_neg)

    def widening(self, *, stratify: bool) -> float:
        """Return how much greater the standard error is for folds of one class."""
        if stratify or not self.one_class:
            return 1.0
        sizes = [sum(fold.effective_sizes) for fold in self.folds]
        others = [sum(fold.effective_sizes) for _, fold in self.one_class]
        known = np.sum(1 / np.array(sizes))
        return float(np.sqrt(1 + np.sum(1 / np.array(others)) / known))

    def mean_with(self, of_folds: Any) -> Any:
        """Return the mean with folds of one class of what has a mean over the others.

        Its rows, if it has several, are replicates.
        """
        return len(self.folds) / self.n_all * of_folds + self.constant

    @lazy
    def cases(self) -> Ranked:
        """The cases of all folds, with their weights and clusters, without scores.

        Of repeats without clusters, each once.
        """
        firsts = slice(None) if self._of_case is None else self._of_case[0]
        weights = None
        if any(fold.weights is not None for fold in self.folds):
            weights = self._row_weights[firsts]
        clusters = None
        if self.clusters is not None:
            own = self.clusters[np.concatenate(self.rows)]
            found, clusters = np.unique(own, return_inverse=True)
            if len(found) < 2:
                raise ValueError(
                    "clusters puts all cases in one cluster: nothing can be said about "
                    "the variation between clusters."
                )
        return Ranked(
            np.concatenate([fold.is_pos for fold in self.folds])[firsts],
            weights=weights,
            clusters=clusters,
            kind=self.folds[0].kind,
        )

    @lazy
    def _of_case(self) -> tuple[IntArray, IntArray] | None:
        """The first row of each case, and the case of each row; None if it has one."""
        if self.indices is None:
            return None
        rows = self.indices[np.concatenate(self.rows)]
        _, firsts, cases = np.unique(rows, return_index=True, return_inverse=True)
        return firsts, cases

    @lazy
    def _row_weights(self) -> FloatArray:
        return np.concatenate([_weights(fold) for fold in self.folds])

    def alone(self) -> list[Ranked]:
        """Return the folds with the clusters in each, for what draws from them."""
        if self.clusters is None and self.indices is None:
            return self.folds
        units = self.clusters if self.indices is None else self.indices
        assert units is not None
        own = [np.unique(units[rows]) for rows in self.rows]
        if len(np.unique(np.concatenate(own))) < sum(map(len, own)):
            raise ValueError(
                "method must be 'delta' where a case or a cluster is tested "
                "in several folds: others draw from each fold on its own."
            )
        if min(map(len, own)) < 2:
            raise ValueError(
                "method must be 'delta' where a fold holds one cluster: "
                "others draw clusters from each fold on its own."
            )
        return _with_units(self.folds, self.rows, units)

    def influence(self, *, stratify: bool) -> FloatArray:
        """Return what each of the cases contributes: the sum over its repeats."""
        values = self.row_influence(stratify=stratify)
        if self._of_case is None:
            return values
        firsts, cases = self._of_case
        sums = np.bincount(cases, self._row_weights * values)
        # A mean over the rows of all repeats is one over the cases.
        share = self.cases.total / sum(fold.total for fold in self.folds)
        return np.asarray(sums / self._row_weights[firsts] * share)

    def row_influence(self, *, stratify: bool) -> FloatArray:
        """Return what each row contributes, as :func:`influence_values` does.

        A class is centred in each fold, which takes one of its m cases there: squares
        count m / (m - 1) times, as they would for single folds. A class with one case
        in a fold shows no variation there. It is taken to vary as in the others, or,
        where those have fewer degrees of freedom, as the values of such folds do, which
        holds what else these differ in and so is rather too much.
        """
        total = sum(fold.total for fold in self.folds)
        scale = self.widening(stratify=stratify) / self.n_all
        parts = []
        for factors, apart, (metric, fold) in zip(
            self._factors, self._apart, self._pairs(), strict=True
        ):
            values = influence_values(metric, fold, stratify=stratify)
            classes = (fold.is_pos, ~fold.is_pos)
            for factor, shift, chosen in zip(factors, apart, classes, strict=True):
                weights = None if fold.weights is None else fold.weights[chosen]
                mean = np.average(values[chosen], weights=weights)
                values[chosen] = mean + np.sqrt(factor) * (values[chosen] - mean)
                values[chosen] += shift
            values *= total * scale / fold.total
            parts.append(values)
        return np.concatenate(parts)

    @lazy
    def _sizes(self) -> FloatArray:
        """The effective sizes of the classes, of shape (n_folds, 2)."""
        return np.array([fold.effective_sizes for fold in self.folds])

    @lazy
    def _is_between(self) -> BoolArray:
        return are_compared(self._sizes, self.n_repeats)

    @lazy
    def _factors(self) -> FloatArray:
        """How often squares count, of shape (n_folds, 2)."""
        sizes, is_known = self._sizes, self._sizes >= 2
        inverse = np.where(self._is_between, 0, 1 / sizes)
        lacking = inverse.sum(axis=0) / np.where(is_known, 1 / sizes, 0).sum(axis=0)
        if self.metric.facts.is_two_sample:
            return np.tile(lacking, (len(sizes), 1))
        # As of one fold, whose variances of these metrics are divided by m.
        of_one = 1 - self.n_repeats / sizes.sum(axis=0)
        return np.asarray(
            of_one * lacking * sizes / np.where(is_known, sizes - 1, sizes)
        )

    @lazy
    def _apart(self) -> FloatArray:
        weights = np.array([[f.table.n_pos, f.table.n_neg] for f in self.folds])
        return from_others(np.array(self.values), weights, self._sizes, self.n_repeats)

    def freedom(
        self, parts: Parts, freedoms: tuple[float, float] = (np.inf, np.inf)
    ) -> float:
        """Return the degrees of freedom of the variance with these parts."""
        # Single cases whose folds are compared share a mean, one in each repeat.
        n_shared = np.maximum(self._is_between.sum(axis=0) - self.n_repeats, 0)
        n_means = len(self.folds) - n_shared
        n_pos, n_neg = (n_means / self.n_repeats).tolist()
        means = n_pos, n_neg
        source = parts, self.cases
        return degrees_of_freedom(source, n_means=means, freedoms=freedoms)

    def interval(
        self,
        kind: Interval,
        parts: Parts,
        standard_error: float,
        level: float,
        *,
        stratify: bool,
        draws: FloatArray | None = None,
        factor: float = 1.0,
    ) -> ConfidenceInterval:
        """Return the interval of the mean over folds.

        ``parts`` are of its variance by influence values, of which the degrees of
        freedom are; the standard error may be that of a bootstrap. It is taken
        ``factor`` times, also where the sample shows no variation.
        """
        freedom = self.freedom(parts)

        def find_augmented() -> Augmented:
            found = self._augmented(standard_error**2, stratify=stratify)
            return found._replace(effect=factor**2 * found.effect)

        def find_tested(_: float) -> ConfidenceInterval:
            return self._tested(parts, level, factor, stratify=stratify)

        ranges = [
            range_of(metric, fold.table, stratify=stratify)
            for metric, fold in self._pairs()
        ]
        if kind == "wilson":
            ranges = [
                with_room(metric, own, value)
                for metric, own, value in zip(
                    self.metrics, ranges, self.values, strict=True
                )
            ]
        bounds = self._mean_range(ranges, stratify=stratify)
        bias = 0.0 if np.isnan(self.bias) else self.bias
        if draws is not None:
            draws = factor * draws + (1 - factor) * draws.mean()
            # Drawn from the folds they are biased once more.
            draws = draws - 2 * bias
        center = float(np.clip(self.value - bias, *bounds))
        ends = bounded_interval(
            kind, center, factor * standard_error, level, bounds, freedom, draws,
            find_augmented, find_tested if isinstance(self.metric, Tested) else None,
        )  # fmt: skip
        # Of scores with long tails the jackknife finds two thirds of the bias.
        rest = bias / 2
        low, high = clipped_interval(
            min(ends.low - max(rest, 0.0), self.value),
            max(ends.high - min(rest, 0.0), self.value),
            bounds,
        )
        return ConfidenceInterval(low, high)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest mean over folds of such rankings."""
        return self._mean_range([m.bounds(fold.table) for m, fold in self._pairs()])

    def _pairs(self) -> list[tuple[Metric, Ranked]]:
        return list(zip(self.metrics, self.folds, strict=True))

    @lazy
    def _of_units(self) -> list[tuple[Metric, Ranked]]:
        """The metric and the cases of each fold, of which clusters count once."""
        if self.clusters is None:
            return self._pairs()
        folds = _with_units(self.folds, self.rows, self.clusters)
        return list(zip(self.metrics, folds, strict=True))

    def _augmented(self, variance: float, *, stratify: bool) -> Augmented:
        """Return the mean over folds to which a tenth of a case is added in all."""
        added = ADDED * self.n_repeats / len(self.folds)
        found = [
            augmented(*pair, stratify=stratify, added=added) for pair in self._of_units
        ]
        parts = self._sum_of_parts([one.parts for one in found], stratify=stratify)
        # Repeats that are all alike tell no more than one.
        effect = float(self.n_repeats)
        if not is_rounding(variance):
            independent = self._independent(stratify=stratify)
            if not is_rounding(independent):
                effect = variance / independent
        value = float(self.mean_with(np.mean([one.value for one in found])))
        bounds = self._mean_range([one.bounds for one in found], stratify=stratify)
        freedoms = _freedoms_of_sum(found, self.n_repeats)
        freedom = self.freedom(parts, freedoms)
        return Augmented(value, parts, bounds, effect, freedom, freedoms)

    def _independent(self, *, stratify: bool) -> float:
        """Return the variance if all cases were independent, and no mean was taken."""
        parts = [
            table_variance(
                metric, fold.table, stratify=stratify, sizes=fold.effective_sizes
            )
            for metric, fold in self._of_units
        ]
        return self._sum_of_parts(parts, stratify=stratify).total

    def _sum_of_parts(self, parts: Sequence[Parts], *, stratify: bool) -> Parts:
        """Return the parts of the variance of the mean over folds."""
        scale = self.widening(stratify=stratify) / self.n_all
        return Parts(*(np.sum(parts, axis=0) * scale**2).tolist())

    def _mean_range(
        self, ranges: Sequence[tuple[float, float]], *, stratify: bool = False
    ) -> tuple[float, float]:
        """Return the range of the mean; folds of one class vary as the others do."""
        low, high = np.mean(ranges, axis=0).tolist()
        lows, highs = (
            [value if stratify else limit(end, value) for value in self._constants]
            for end, limit in ((low, min), (high, max))
        )
        n = len(ranges)
        return (n * low + sum(lows)) / self.n_all, (n * high + sum(highs)) / self.n_all

    def _tested(
        self, parts: Parts, level: float, factor: float, *, stratify: bool
    ) -> ConfidenceInterval:
        """Return the interval that combines what the tests of the folds do not reject.

        Each has a distance from the value of its fold, and their squares add up (Zou
        and Donner 2008, as :func:`compare` cites them).
        """
        # Of repeats that are all alike, which tell no more than one.
        independent = self._independent(stratify=stratify) * self.n_repeats
        effect = 1.0
        if not is_rounding(independent):
            effect = parts.total / independent
        freedom = self.freedom(Parts(1.0, 0.0, 0.0))
        quantile = t_quantile(level, freedom) * factor * float(np.sqrt(effect))
        ends = np.empty((len(self.folds), 2))
        for row, (metric, fold) in zip(ends, self._of_units, strict=True):
            sizes = Sizes(*fold.effective_sizes, are_fixed=stratify)
            assert isinstance(metric, Tested)
            row[:] = metric.not_rejected(fold.table, sizes, quantile)
        away = np.maximum((ends.T - self.values) * [[-1.0], [1.0]], 0.0)
        scale = self.widening(stratify=stratify) / self.n_all
        below, above = np.sqrt((away**2).sum(axis=1) * self.n_repeats) * scale
        return ConfidenceInterval(float(self.value - below), float(self.value + above))


def _freedoms_of_sum(found: Sequence[Augmented], n_repeats: int) -> tuple[float, float]:
    """Return the most degrees of freedom that each class has in the sum over folds.

    Several repeats have those of one.
    """
    by_class = np.array([one.parts[:2] for one in found])
    squares = np.add.reduce(by_class**2 / [one.freedoms for one in found])
    of_pos, of_neg = np.divide(
        np.add.reduce(by_class) ** 2 / n_repeats,
        squares,
        out=np.full(2, np.inf),
        where=squares > 0,
    ).tolist()
    return of_pos, of_neg


def fold_samples(
    meant: Sequence[tuple[Any, dict[str, Any]]],
    rankings: Sequence[FoldRankings],
    weights: Weights,
) -> list[FoldSample] | None:
    """Return metrics, with their parameters, of rankings of the same cases.

    Folds on which one is undefined are left out of all, and None is returned where all
    are; a warning says so, or why the uncertainty is not known.
    """
    pairs = list(zip(meant, rankings, strict=True))
    each = [_samples(*one, own, weights) for one, own in pairs]
    values = np.array([[value for _, _, value in folds] for folds in each])
    is_defined = ~np.isnan(values).any(axis=0)
    metric, first = each[0][0][0], rankings[0]
    if not is_defined.any():
        warn_undefined(metric.name, "it is so within every fold")
        return None
    warn_of_folds(metric, is_defined, first)
    found = [
        _kept(folds, is_defined, own)
        for folds, (_, own) in zip(each, pairs, strict=True)
    ]
    reason = found[0].why_unknown
    if reason is not None:
        warn_undefined(f"The uncertainty of the {metric.name}", reason)
        return found
    for one in found:
        _warn_once(one)
    return found


def _samples(
    metric: Any, params: dict[str, Any], rankings: FoldRankings, weights: Weights
) -> list[tuple[Metric, Ranked, float]]:
    """Return the metric, the cases and the value of each fold."""
    check_of_folds(find_metric(metric, params))
    folds = []
    for y_true, y_score, weight in rankings:
        cases = check_cases(y_true, sample_weight=weight, weights=weights)
        fold = scored(cases, "y_score", y_score)
        found = check_metric(metric, params, fold)
        fold = with_worth(fold, found)
        value = float("nan")
        if is_defined(found, fold.table):
            value = fold.score(found)
        folds.append((found, fold, value))
    return folds


def _kept(
    folds: list[tuple[Metric, Ranked, float]],
    is_defined: BoolArray,
    rankings: FoldRankings,
) -> FoldSample:
    own = [(*one, rows) for one, rows in zip(folds, rankings.rows(), strict=True)]
    defined = [own[i] for i in np.flatnonzero(is_defined)]
    kept = [one for one in defined if min(one[1].sizes) > 0]
    one_class = [one for one in defined if min(one[1].sizes) == 0]
    rows = [rows if fold.kept is None else rows[fold.kept] for _, fold, _, rows in kept]
    return FoldSample(
        (kept or folds)[0][0],
        [metric for metric, *_ in kept],
        [fold for _, fold, *_ in kept],
        [value for _, _, value, _ in kept],
        rows,
        *_units(rankings),
        rankings.n_repeats,
        tuple((value, fold) for _, fold, value, _ in one_class),
        _why_too_few([fold for _, fold, _, _ in kept]),
    )


def _units(rankings: FoldRankings) -> tuple[IntArray | None, IntArray | None]:
    """Return the cluster of each row, or which case of several repeats it is."""
    if rankings.clusters is not None:
        return check_groups("clusters", rankings.clusters).codes, None
    return None, rankings.indices if rankings.n_repeats > 1 else None


def _with_units(
    folds: Sequence[Ranked], rows: Sequence[IntArray], units: IntArray
) -> list[Ranked]:
    """Return the folds with the clusters in each."""
    return [
        replace(fold, clusters=np.unique(units[own], return_inverse=True)[1])
        for fold, own in zip(folds, rows, strict=True)
    ]


def _why_too_few(folds: list[Ranked]) -> str | None:
    """Return why nothing can be inferred from folds, None where it can."""
    if not folds:
        return "no fold holds cases of both classes"
    sizes = np.array([fold.effective_sizes for fold in folds])
    for most, name in zip(sizes.max(axis=0), CLASSES, strict=True):
        if most < 2:
            return f"no fold holds 2 {name} cases, so that none shows how they vary"
    return next((why for why in map(why_lopsided, folds) if why is not None), None)


def _warn_once(sample: FoldSample) -> None:
    """Warn of the first fold that is a bad guide to what is known."""
    for metric, fold in zip(sample.metrics, sample.folds, strict=True):
        rate = rate_of(metric.law)
        if rate is not None and warn_of_few_processed(metric, rate, fold):
            return
        caution = metric.caution(fold.table)
        if caution is not None:
            where = "In a fold: " if sample.n_all > 1 else ""
            warn(where + caution)
            return


def _weights(fold: Ranked) -> FloatArray:
    return np.ones(len(fold.is_pos)) if fold.weights is None else fold.weights


def are_compared(sizes: FloatArray, n_repeats: int = 1) -> BoolArray:
    """Return of which folds and classes single cases are compared over folds.

    They are where that has more degrees of freedom than the folds with more cases: the
    number of folds with one, less their mean, beside those of all cases of the others,
    less a mean each. ``sizes`` are those of the classes, of shape (n_folds, 2), in all
    of ``n_repeats``, each with a mean of its own.

    Examples
    --------
    Four folds have one positive, and the fifth has three:

    >>> are_compared(
    ...     np.array([[1, 9], [1, 9], [1, 9], [1, 9], [3, 9]])
    ... )[:, 0].tolist()
    [True, True, True, True, False]
    >>> are_compared(
    ...     np.array([[1, 9], [1, 9], [1, 9], [1, 9], [4, 9]])
    ... )[:, 0].tolist()
    [False, False, False, False, False]
    """
    is_single = sizes < 2
    within = np.where(is_single, 0.0, sizes - 1).sum(axis=0)
    return np.asarray(is_single & (is_single.sum(axis=0) - n_repeats > within))


def from_others(
    values: FloatArray, weights: FloatArray, sizes: FloatArray, n_repeats: int = 1
) -> FloatArray:
    """Return the influence of single cases by how far their folds are from others.

    Squares sum up to the variance of the values of these folds, which holds that of the
    other class and of the models, too. Where both classes of a fold are single, each
    has one half. ``weights`` and ``sizes`` are those of the classes in each fold.

    Examples
    --------
    By hand: two folds at 0.2 either side of their mean, where the variance is twice
    0.2 ** 2, in each of which the positive is a tenth of the cases.

    >>> sizes = np.array([[1.0, 9.0], [1.0, 9.0]])
    >>> found = from_others(np.array([0.5, 0.9]), sizes, sizes)
    >>> (found**2).round(6).tolist()
    [[8.0, 0.0], [8.0, 0.0]]
    """
    is_compared = are_compared(sizes, n_repeats)
    shares = weights / weights.sum(axis=1, keepdims=True)
    n_single = np.maximum(is_compared.sum(axis=1), 1)
    influence = np.zeros(sizes.shape)
    for of_class in range(2):
        own = is_compared[:, of_class]
        n = np.count_nonzero(own) / n_repeats
        if n > 0:
            away = (values[own] - values[own].mean()) * np.sqrt(n / (n - 1))
            away *= np.sqrt(sizes[own, of_class] / n_single[own])
            influence[own, of_class] = away / shares[own, of_class]
    return influence
