"""Evaluations: the value of a metric with its variance, intervals and tests.

All inference functions evaluate metrics by :class:`Evaluation`, and compare two
evaluations by :class:`Difference`. :class:`Units` defines units, groups of folds and
repeats; :class:`Parts` defines the parts of a variance; :class:`Augmented` defines
augmented data. A replicate is the value of a metric on resampled data; arrays of
replicates are named ``draws``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from scipy import optimize

from skrate.data.arrays import FloatArray, dot
from skrate.inference.cautions import (
    warn_small_folds,
    warn_small_sample,
    warn_unequal_sizes,
    warn_unreliable_difference,
)
from skrate.inference.intervals import (
    ADDED,
    HEAVY_IN_DIFFERENCE,
    Augmented,
    UncertainValue,
    augmented_mean,
    bounded_interval,
    compare_values,
    evaluate_augmented,
    hybrid_interval,
    inverted_pvalue,
    range_with_sizes,
    unseen_variance,
)
from skrate.inference.options import Interval, Plan
from skrate.inference.rankings import OnRanking, Ranked
from skrate.inference.resampling import (
    draw_replicates,
    jackknife_variance,
    scale_deviations,
    spread,
)
from skrate.inference.units import Units
from skrate.inference.variance import (
    Parts,
    class_influence,
    degrees_of_freedom,
    influence_kurtosis_dof,
    influence_parts,
    influence_rows,
    influence_values,
    influence_variance,
    is_zero_variance,
    max_variance_row,
    sample_kurtosis_dof,
    sum_units,
    table_variance,
    unit_kurtosis_dof,
)
from skrate.metrics.at_rate import RecallAtRate
from skrate.metrics.auc import AUC
from skrate.metrics.hypothesis_tests import (
    NEGLIGIBLE,
    Alternative,
    ConfidenceInterval,
    check_null,
    clip_interval,
    sided_pvalue,
    standardised,
    t_pvalue,
    t_quantile,
)
from skrate.metrics.metric import Metric, Sizes
from skrate.metrics.result_types import Comparison, Estimate, Params, merge_params

_NAN = float("nan")


@dataclass(eq=False)
class Evaluation:
    """The value of a metric for a model: on one ranking, or the mean over its folds.

    ``rankings`` has the rankings with both classes on which the metric is defined.
    ``one_class`` has the folds that lack a class although the metric is defined on
    them. Their values enter the mean as constants, without uncertainty, unless groups
    of folds are the units.
    ``is_known`` says whether the uncertainty can be estimated, and ``params`` has the
    parameters of the metric by name. ``units`` says which parts of the data vary
    independently. ``units.plan`` has the arguments of the inference function, and
    ``units.folds`` the folds, or None for one ranking.
    """

    metric: Metric
    rankings: list[OnRanking]
    units: Units
    one_class: list[OnRanking] = field(default_factory=list)
    is_known: bool = True
    params: Params = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.plan, self.folds = self.units.plan, self.units.folds
        self.metrics: tuple[Metric, ...]
        self.ranked: tuple[Ranked, ...]
        columns = zip(*self.rankings, strict=True) if self.rankings else ((), (), ())
        self.metrics, self.ranked, values = columns
        if self.one_class:
            values = (*values, *(ranking.value for ranking in self.one_class))
        # nan if the metric is undefined on all rankings.
        self.value = float(np.mean(values)) if values else _NAN

    def __sub__(self, other: Evaluation) -> Difference:
        """Return the difference of two evaluations that have the same units."""
        if self.units is not other.units:
            raise ValueError(
                "Two evaluations must have the same units to be subtracted: make both "
                "by one call of evaluate, or use Difference."
            )
        return Difference(self, other)

    @cached_property
    def samples(self) -> Ranked:
        """The ranking; with folds, the samples of all folds, without scores."""
        return self.ranked[0] if self.folds is None else self.units.samples

    @cached_property
    def clustered_rankings(self) -> Sequence[Ranked]:
        """The rankings; with folds, each ranking has the clusters of its samples."""
        if self.folds is None or self.folds.clusters is None:
            return self.ranked
        return self.units.add_clusters(self.ranked, self.units.clusters)

    @property
    def name(self) -> str:
        """The name of the metric."""
        return self.metric.name

    @property
    def of(self) -> str | None:
        """The text "these models" after an interval for several folds, else None."""
        return "these models" if self.is_known and self.units.n_rankings > 1 else None

    @property
    def class_sizes(self) -> tuple[int, int]:
        """The number of positives and of negatives.

        Folds on which the metric is undefined count, too, if the uncertainty is
        unknown, if there are sampling weights, or if there are repeats.
        """
        folds, units = self.folds, self.units
        if folds is None:
            n_pos, n_neg = self.ranked[0].sizes
        elif self.is_known and units.n_repeats == 1 and self.samples.are_repetitions:
            sizes = [ranked.sizes for ranked in (*units.rankings, *units.one_class)]
            n_pos, n_neg = np.sum(sizes, axis=0).tolist()
        else:
            n_pos, n_neg = folds.n_pos, folds.n_neg
        return round(n_pos), round(n_neg)

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The range of the value: the mean of the bounds of each ranking."""
        if self.folds is None and self.rankings:
            return self.metric.bounds(self.ranked[0].table)
        return self._mean_range(
            [ranking.metric.bounds(ranking.ranked.table) for ranking in self.rankings]
        )

    @property
    def chance(self) -> float:
        """The value if all scores are equal.

        It is nan if the uncertainty is unknown, or if each sample has a gain or cost.
        """
        if not self.is_known or self.samples.gains is not None:
            return _NAN
        chances = []
        for metric, ranked, _ in self.rankings:
            # One group of ties.
            pos, neg = ranked.table.n_pos, ranked.table.n_neg
            chances.append(
                metric.clip(metric.values(np.array([[pos]]), np.array([[neg]])))
            )
        chance = float(np.mean(chances))
        return self._add_one_class_folds(chance) if self.one_class else chance

    @property
    def auc(self) -> float:
        """The mean of the AUC over the rankings."""
        return float(np.mean([AUC().value(ranked.table) for ranked in self.ranked]))

    @cached_property
    def influence(self) -> FloatArray:
        """The influence of each sample: with repeats, the sum over its rows.

        With clusters, the influence of each row, which is then summed over clusters.
        """
        if self.folds is None:
            ((metric, ranked, _),) = self.rankings
            return influence_values(metric, ranked, stratify=self.units.stratify)
        return self.units.summed(self.row_influence)

    @cached_property
    def class_influence(self) -> FloatArray:
        """The influence of each sample if it were negative, and if it were positive."""
        ((metric, ranked, _),) = self.rankings
        return class_influence(metric, ranked, stratify=self.units.stratify)

    @cached_property
    def influence_rows(self) -> list[FloatArray]:
        """The influence by estimated labels: see the function ``influence_rows``."""
        ((metric, ranked, _),) = self.rankings
        return influence_rows(metric, ranked)

    @cached_property
    def _max_variance(self) -> tuple[Parts, float]:
        """The largest variance of ``influence_rows``, and its degrees of freedom."""
        row = max_variance_row(self.influence_rows, self.samples)
        return influence_parts(row, self.samples), unit_kurtosis_dof(row, self.samples)

    @cached_property
    def _fold_influence(self) -> list[FloatArray]:
        """The ``influence_values`` of each ranking, without the factors for folds."""
        stratify = self.units.stratify
        return [
            influence_values(metric, ranked, stratify=stratify)
            for metric, ranked, _ in self.rankings
        ]

    @cached_property
    def row_influence(self) -> FloatArray:
        """The influence of each row of folds, as :func:`influence_values` defines it.

        A row is a sample in a fold. The influence of each class is centred
        in each fold, which makes its squares too small. For m samples, squares are
        therefore multiplied by m / (m - 1). Clusters get a similar factor here only if
        all folds of their group have all of its clusters. A single sample of a class in
        a fold is assumed to have the variance of this class in the other folds. If
        groups of folds are the units, all samples of a fold have the same influence,
        which is proportional to the value of the fold minus the mean.
        """
        if self.samples.are_fold_groups:
            folds = [*self.rankings, *self.one_class]
            deviations = np.array([fold.value - self.value for fold in folds])
            deviations /= len(folds)
            totals = np.array([fold.ranked.total for fold in folds])
            sizes = [len(fold.ranked.is_pos) for fold in folds]
            return np.repeat(deviations * totals.sum() / totals, sizes)
        scale = self.units.total / self.units.n_rankings
        factors = self.units.factors(is_two_sample=self.metric.is_two_sample)
        per_fold = []
        for class_factors, mean_factor, ranked, influence in zip(
            *factors, self.ranked, self._fold_influence, strict=True
        ):
            terms = influence.copy()
            classes = (ranked.is_pos, ~ranked.is_pos)
            for factor, in_class in zip(class_factors, classes, strict=True):
                weights = None if ranked.weights is None else ranked.weights[in_class]
                mean = np.average(terms[in_class], weights=weights)
                deviations = np.sqrt(factor) * (terms[in_class] - mean)
                terms[in_class] = np.sqrt(mean_factor) * mean + deviations
            per_fold.append(terms * scale / ranked.total)
        return np.concatenate(per_fold)

    @cached_property
    def parts(self) -> Parts:
        """The parts of the variance."""
        if self.samples.estimated is not None:
            return self._max_variance[0]
        if self.folds is None and self.samples.is_plain:
            ((metric, ranked, _),) = self.rankings
            stratify = self.units.stratify
            parts = table_variance(metric, ranked.table, stratify=stratify)
        else:
            parts = influence_parts(self.influence, self.samples)
        return parts.times(1 / self.units.scale)

    @property
    def degrees_of_freedom(self) -> float:
        """The degrees of freedom of the variance."""
        return self.dof(self.parts)

    @cached_property
    def bias(self) -> float:
        """The bias of the mean over folds due to their small size; nan if unknown.

        It is 0 for one ranking, and for metrics without this bias.
        """
        if len(self.rankings) < 2 or not self.metric.enough_positives:
            return 0.0
        clusters = self.units.clusters
        if clusters is not None and any(
            len(np.unique(clusters[rows])) < len(rows) for rows in self.units.rows
        ):
            return _NAN
        is_weighted = any(ranked.has_sampling_weights for ranked in self.ranked)
        if is_weighted or not self.metric.least_positives:
            return _NAN
        biases = np.array(
            [fold.metric.excess(fold.ranked.table) for fold in self.rankings]
        )
        is_known = ~np.isnan(biases)
        if not is_known.any():
            return _NAN
        # If a fold has a single sample of a class, its bias is unknown: assume the mean
        # of the other folds. Folds with one class have no bias.
        return float(biases[is_known].mean()) * len(biases) / self.units.n_rankings

    @cached_property
    def excess(self) -> float:
        """The upward bias due to the small size of the data set; 0 if unknown.

        Intervals subtract it from their lower end and leave the upper end as it is. For
        several folds it is 0, because the interval subtracts ``bias`` from both ends.
        """
        if self.units.n_rankings > 1 or not self.rankings:
            return 0.0
        ((metric, ranked, _),), samples = self.rankings, self.samples
        is_known = samples.gains is None and samples.estimated is None
        is_sampled = samples.weights is not None and samples.kind == "sampling"
        # In larger classes the bias is less than a tenth of the standard error.
        if not is_known or is_sampled or min(ranked.sizes) > 10_000:
            return 0.0
        excess = max(float(np.nan_to_num(metric.excess(ranked.table))), 0.0)
        if samples.clusters is None or not excess:
            return excess / self.units.scale
        # Assume that clusters increase the bias as they increase the variance.
        independent = table_variance(metric, ranked.table).total
        return excess * self.parts.total / independent if independent > 0 else excess

    @property
    def unit_dof(self) -> float:
        """The number of units with the rarer class, minus 1 per group of folds."""
        return self.samples.unit_dof

    def dof(
        self,
        parts: Parts,
        class_dofs: tuple[float, float] = (np.inf, np.inf),
        influence: FloatArray | None = None,
    ) -> float:
        """Return the degrees of freedom of a variance with these parts.

        ``class_dofs`` are the maximum degrees of freedom of each class. With estimated
        labels, all degrees of freedom follow from ``influence``. By default, this is
        the row of ``influence_rows`` with the larger variance.
        """
        if self.samples.estimated is not None:
            if influence is None:
                return self._max_variance[1]
            return unit_kurtosis_dof(influence, self.samples)
        return degrees_of_freedom(
            (parts, self.samples),
            n_means=len(self.rankings) / self.units.n_repeats,
            class_dofs=class_dofs,
            scale=self.units.scale,
        )

    @property
    def _has_test(self) -> bool:
        """Whether the interval inverts a test; by estimated labels only at a recall."""
        is_known = self.samples.estimated is None
        return self.metric.has_test and (is_known or self.metric.is_at_recall)

    def error_and_draws(self) -> tuple[float, FloatArray | None]:
        """Return the standard error by the method, and the replicates or None."""
        if self.plan.method == "delta":
            error = self.parts.standard_error
            if self.metric.has_test:
                # A steep slope can make the error too large. No standard deviation
                # is above half the distance between the bounds.
                error = min(error, (self.bounds[1] - self.bounds[0]) / 2)
            return error, None
        if self.plan.method != "jackknife":
            draws = draw_replicates([self], self.plan, self.metric.name)
            return spread(draws), draws
        squared = 0.0
        for metric, ranked in zip(
            self.metrics, self.units.resampling_rankings(self.ranked), strict=True
        ):
            squared += jackknife_variance(metric, ranked, stratify=self.units.stratify)
        return float(np.sqrt(squared) / self.units.n_rankings), None

    def estimate(self, null_value: float | None = None) -> Estimate:
        """Return the value with its interval, and a test of the null value if given."""
        plan, kind = self.plan, self.plan.interval
        if len(self.rankings) > 1:
            warn_small_folds(self)
        if null_value is not None:
            null_value = check_null(null_value, self.name, self.metric.bounds())
        error, interval = _NAN, ConfidenceInterval(_NAN, _NAN)
        retrained_interval = None
        statistic = pvalue = None if null_value is None else _NAN
        if self.is_known:
            if self.folds is None and not self.samples.is_plain:
                is_wilson = kind == "wilson"
                warn_small_sample(self.rankings, is_wilson=is_wilson)
            error, draws = self.error_and_draws()
            find_interval = partial(
                self.interval, kind, error, level=plan.level, draws=draws
            )
            interval = find_interval()
            factor = None if self.folds is None else self.units.retraining_factor
            if factor is not None:
                retrained_interval = find_interval(factor=factor)
            if not plan.is_two_sided:
                interval = plan.sided(interval, self.bounds)
                retrained_interval = retrained_interval and plan.sided(
                    retrained_interval, self.bounds
                )
            if null_value is not None and not np.isnan(error):
                statistic, pvalue = self.test(null_value, kind, error, draws)
        n_pos, n_neg = self.class_sizes
        return Estimate(
            metric=self.name,
            value=self.value,
            standard_error=error,
            confidence_interval=interval,
            n_pos=n_pos,
            n_neg=n_neg,
            method=plan.method,
            confidence_level=plan.confidence_level,
            params=self.params,
            of=self.of,
            confidence_interval_retrained=retrained_interval,
            bias=self.bias if self.is_known and abs(self.bias) > 0 else None,
            # A two-sided interval without a test has no alternative.
            alternative=(
                None if null_value is None and plan.is_two_sided else plan.alternative
            ),
            null_value=null_value,
            statistic=statistic,
            pvalue=pvalue,
        )

    def interval(
        self,
        kind: Interval = "wilson",
        error: float | None = None,
        *,
        level: float | None = None,
        draws: FloatArray | None = None,
        factor: float = 1.0,
        value: float | None = None,
    ) -> ConfidenceInterval:
        """Return the interval of the value, or of a corrected ``value``.

        ``error`` is the standard error, by default by the delta method, and is
        multiplied by ``factor``. The degrees of freedom always follow from the delta
        method. ``draws`` are replicates of the value. For a corrected value, the
        interval neither subtracts the ``excess`` nor inverts a test.
        """
        level = self.plan.confidence_level if level is None else level
        error = self.parts.standard_error if error is None else error
        samples = self.samples
        if samples.are_fold_groups and kind == "wilson":
            kind = "wald"
        bounds = self.value_range(kind)
        is_corrected = value is not None
        value = self.value if value is None else value
        if samples.estimated is not None:
            value = float(np.clip(value, *bounds))
            if samples.estimated.are_exact:
                return ConfidenceInterval(value, value)
        if samples.gains is not None:
            gain = self._uncertain_gain(value, error, bounds[0], draws)
            return gain.interval(kind, level)
        bias = 0.0 if np.isnan(self.bias) else self.bias
        if draws is not None and self.folds is not None:
            # Replicates have the bias twice: from small folds, and from resampling.
            draws = factor * draws + (1 - factor) * draws.mean() - 2 * bias
        test_interval = partial(self._combined_test_interval, level, factor)
        uncertain = UncertainValue(
            value=float(np.clip(value - bias, *bounds)),
            standard_error=factor * error,
            bounds=bounds,
            dof=self.dof(self.parts),
            draws=draws,
        )
        interval = bounded_interval(
            kind,
            level,
            uncertain,
            partial(self.augmented, error**2, factor),
            test_interval if self._has_test and not is_corrected else None,
        )
        # With long tails, the true bias is 1.5 times ``bias``: half remains.
        remaining = bias / 2
        excess = 0.0 if is_corrected or kind == "percentile" else self.excess
        return clip_interval(
            min(interval.low - max(remaining, excess), value),
            max(interval.high - min(remaining, 0.0), value),
            bounds,
        )

    def _uncertain_gain(
        self, value: float, error: float, minimum: float, draws: FloatArray | None
    ) -> UncertainValue:
        """Return the value of a metric of gains, with its uncertainty and bounds."""
        # With a minimum, the interval uses the logarithm, which 0 does not have.
        low = minimum if value > NEGLIGIBLE else -np.inf
        terms, counts = self.influence, self.samples.row_weights
        if self.samples.clusters is not None:
            terms, counts = (
                sum_units(terms, self.samples),
                np.ones(self.samples.n_units),
            )
        elif not self.samples.are_repetitions:
            terms, counts = counts * terms, np.ones(len(terms))
        squares = terms * terms
        total = dot(counts, squares)
        skewness = dot(counts, squares * terms) / total**1.5 if total > 0 else 0.0
        class_dofs = sample_kurtosis_dof(self.metric, self.samples)
        return UncertainValue(
            value=value,
            standard_error=error,
            bounds=(low, max(value, self.metric.gain_limit(self.ranked[0]))),
            dof=self.dof(self.parts, class_dofs),
            draws=draws,
            skewness=skewness / float(np.sqrt(self.units.scale)),
        )

    def value_range(self, kind: Interval = "wilson") -> tuple[float, float]:
        """Return the bounds of the value for this kind of interval."""
        # Rounding can put the value outside the bounds: extend them to the value.
        ranges, stratify = [], self.units.stratify
        for metric, ranked, estimate in self.rankings:
            low, high = metric.bounds(ranked.table)
            if stratify:
                low, high = range_with_sizes(metric, ranked.table, (low, high))
            if ranked.estimated is not None:
                estimate = float(np.clip(estimate, low, high))
            limits = min(low, estimate), max(high, estimate)
            is_wilson = kind == "wilson" and ranked.gains is None
            ranges.append(metric.attainable(limits, estimate) if is_wilson else limits)
        return ranges[0] if self.folds is None else self._mean_range(ranges)

    def test(
        self,
        null_value: float,
        kind: Interval,
        error: float,
        draws: FloatArray | None = None,
    ) -> tuple[float, float]:
        """Return the statistic and the p-value that agree with this kind of interval.

        ``error`` is the standard error, and ``draws`` are replicates.
        """
        if self.samples.are_fold_groups and kind == "wilson":
            kind = "wald"
        plan, bounds = self.plan, self.value_range(kind)
        alternative, pvalue = plan.alternative, _NAN
        # Intervals subtract the excess from the lower end. For the test, adding the
        # excess to the null value has the same effect.
        tested_value = null_value
        if null_value < self.value:
            tested_value = min(null_value + self.excess, self.value)
        statistic = standardised(self.value - tested_value, error)
        is_plain = self.samples.gains is None and np.nan_to_num(self.bias) == 0
        if kind == "wald" and is_plain and error > NEGLIGIBLE:
            bound_distance = min(self.value - bounds[0], bounds[1] - self.value)
            if bound_distance > NEGLIGIBLE:
                pvalue = t_pvalue(statistic, alternative, self.degrees_of_freedom)
        elif kind == "wilson" and is_plain and not self._has_test:
            score_statistic, pvalue = self.wilson_test(tested_value, alternative, error)
            statistic = statistic if np.isnan(pvalue) else score_statistic
        if not np.isnan(pvalue):
            return statistic, pvalue

        def interval_at(level: float) -> ConfidenceInterval:
            return self.interval(kind, error, level=level, draws=draws)

        pvalue = inverted_pvalue(interval_at, self.value, null_value)
        if draws is not None and kind == "percentile":
            # The minimum p-value that this number of replicates can show.
            pvalue = min(max(pvalue, 2 / (len(draws) + 1)), 1.0)
        return statistic, sided_pvalue(pvalue, self.value - null_value, alternative)

    def wilson_test(
        self, null_value: float, alternative: Alternative, error: float
    ) -> tuple[float, float]:
        """Return the statistic and the p-value of the score test of Wilson's interval.

        Both are nan if the null value is not between finite bounds, or if the augmented
        data have no variance.
        """
        null_error, dof = self.null_error(null_value, error)
        if np.isnan(null_error):
            return _NAN, _NAN
        statistic = standardised(self.value - null_value, null_error)
        if null_error == statistic == 0:
            # For example, the recall is constant if all samples are processed.
            return statistic, 1.0
        return statistic, t_pvalue(statistic, alternative, dof)

    def null_error(self, null_value: float, error: float) -> tuple[float, float]:
        """Return the standard error under the null hypothesis, and its dof.

        Both are nan if the score test is impossible, see ``wilson_test``.
        """
        augmented_value = self.augmented_against(null_value, error**2)
        bottom, top = augmented_value.bounds
        low, high = self.value_range()
        if not (np.isfinite([low, high]).all() and low < null_value < high):
            return _NAN, _NAN
        # The maximum variance of a variable with this mean and these bounds. It is 0 if
        # the window of a partial AUC has no part of the curve, or if weights are
        # almost 0.
        max_variance = (augmented_value.value - bottom) * (top - augmented_value.value)
        if not max_variance > 0:
            return _NAN, _NAN
        ratio = (null_value - low) * (high - null_value) / max_variance
        null_error = float(np.sqrt(augmented_value.variance * ratio))
        return null_error, augmented_value.dof

    @property
    def one_class_term(self) -> float:
        """The contribution of the folds with one class to the mean over all folds."""
        return sum(fold.value for fold in self.one_class) / self.units.n_rankings

    def _add_one_class_folds(self, mean: float) -> float:
        """Return the mean over all folds from the mean over ``rankings``."""
        if not self.one_class:
            return mean
        return len(self.rankings) / self.units.n_rankings * mean + self.one_class_term

    def _mean_range(self, ranges: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """Return the range of the mean from the range of each ranking."""
        if self.folds is None:
            return ranges[0]
        low, high = np.mean(ranges, axis=0).tolist()
        return self._add_one_class_folds(low), self._add_one_class_folds(high)

    def augmented_against(self, null_value: float, variance: float) -> Augmented:
        """Return the value on augmented data, for the test of a null value."""
        return self.augmented(variance, 1.0)

    def augmented(self, variance: float, factor: float) -> Augmented:
        """Return the value on augmented data; ``factor`` multiplies its standard error.

        In each repeat, a tenth of a sample of each class is divided among the folds.
        """
        if self.samples.estimated is not None:
            return self._augmented_estimate(factor**2 * variance)
        units = self.units
        # In the planned data set, all variances are smaller by the factor ``scale``.
        effect = factor**2 * self._design_effect(variance) / units.scale
        added = ADDED * units.n_repeats / len(self.rankings) / units.scale
        folds = [
            evaluate_augmented(metric, ranked, stratify=units.stratify, added=added)
            for metric, ranked in zip(
                self.metrics, self.clustered_rankings, strict=True
            )
        ]
        if self.folds is None:
            fold = folds[0]
            dof = self.dof(fold.parts, fold.class_dofs)
            unseen = unseen_variance(self.samples, lambda: self.class_influence)
            return fold._replace(dof=dof, effect=effect, unseen=unseen)
        values, parts, bounds, class_dofs, *_ = zip(*folds, strict=True)
        mean_parts = Parts(*(np.sum(parts, axis=0) / units.n_rankings**2).tolist())
        # Satterthwaite's degrees of freedom of the sum over folds, for each class. The
        # repeats have the same samples, so they do not add degrees of freedom.
        by_class = np.array(parts)[:, :2]
        squares = np.add.reduce(by_class**2 / class_dofs)
        squared_sum = np.add.reduce(by_class) ** 2 / units.n_repeats
        dofs = np.divide(
            squared_sum, squares, out=np.full(2, np.inf), where=squares > 0
        )
        pos_dof, neg_dof = dofs.tolist()
        return Augmented(
            value=self._add_one_class_folds(float(np.mean(values))),
            parts=mean_parts,
            bounds=self._mean_range(bounds),
            dof=self.dof(mean_parts, (pos_dof, neg_dof)),
            effect=effect,
        )

    def _augmented_estimate(self, variance: float) -> Augmented:
        """Return the augmented value with estimated labels, as if it were a proportion.

        The number of samples of the proportion is the number that gives ``variance``.
        """
        low, high = bounds = self.bounds
        clipped = min(max(self.value, low), high)
        max_variance = (clipped - low) * (high - clipped)
        size = min(self.samples.effective_sizes)
        if not is_zero_variance(variance) and max_variance > NEGLIGIBLE:
            size = max_variance / variance
        proportion = augmented_mean(clipped, max_variance / size, size, bounds, bounds)
        parts = Parts(0.0, 0.0, max(proportion.parts.by_prevalence, variance))
        return proportion._replace(parts=parts, dof=self.dof(parts))

    def _design_effect(self, variance: float) -> float:
        """Return the variance, divided by the variance of independent samples.

        The divisor treats all rows as independent, even the rows of one sample in
        several repeats.
        """
        # Without variance, repeats are assumed to be identical.
        effect = float(self.units.n_repeats)
        if is_zero_variance(variance):
            return effect
        if self.folds is None and self.samples.is_plain:
            independent = self.parts.total
        else:
            if self.samples.is_plain:
                rows = zip(self._fold_influence, self.ranked, strict=True)
                variances = [influence_variance(row, ranked) for row, ranked in rows]
            else:
                rankings = zip(self.metrics, self.clustered_rankings, strict=True)
                variances = [
                    table_variance(
                        metric,
                        ranked.table,
                        stratify=self.units.stratify,
                        sizes=ranked.effective_sizes,
                    ).total
                    for metric, ranked in rankings
                ]
            independent = float(np.sum(variances))
            independent /= self.units.n_rankings**2 * self.units.scale
        # The ratio is undefined if independent samples have no variance.
        if np.isnan(variance) or not is_zero_variance(independent):
            effect = variance / (independent or 1.0)
        return effect

    def _combined_test_interval(
        self, level: float, factor: float
    ) -> ConfidenceInterval:
        """Return the interval of the mean from the test interval of each ranking.

        The squared distances of their ends from the values are added (Zou and Donner
        2008).
        """
        if self.samples.estimated is not None:
            return self._inverted_recall_interval(level)
        effect = self._design_effect(self.parts.total) / self.units.n_repeats
        # The variance of the recall is mostly due to the positives.
        dof = self.dof(Parts(1.0, 0.0, 0.0))
        quantile = t_quantile(level, dof) * factor * float(np.sqrt(effect))
        squares_below = squares_above = 0.0
        for fold, ranked in zip(self.rankings, self.clustered_rankings, strict=True):
            n_pos, n_neg = (self.units.scale * n for n in ranked.effective_sizes)
            sizes = Sizes(n_pos, n_neg, are_fixed=self.units.stratify)
            low, high = fold.metric.not_rejected(ranked.table, sizes, quantile)
            squares_below += max(fold.value - low, 0.0) ** 2
            squares_above += max(high - fold.value, 0.0) ** 2
        squares = np.array([squares_below, squares_above])
        distances = np.sqrt(squares * self.units.n_repeats)
        below, above = (distances / self.units.n_rankings).tolist()
        return ConfidenceInterval(self.value - below, self.value + above)

    def _inverted_recall_interval(self, level: float) -> ConfidenceInterval:
        """Return the interval of a metric at a recall, by estimated labels.

        It contains the rates at which the interval of the recall includes the target.
        """
        metric: Any = self.metric
        # For metrics with estimated labels, ``convert_rate`` is its own inverse.
        (ranked,), middle = self.ranked, float(metric.convert_rate(self.value, 0.0))

        def recall_difference(rate: float, end: str) -> float:
            at_rate = RecallAtRate(rate)
            single = OnRanking(at_rate, ranked, at_rate.value(ranked.table))
            model = Evaluation(at_rate, [single], self.units)
            bound = getattr(model.interval(level=level), end)
            return float(bound - metric.recall)

        low, high, min_rate = 0.0, 1.0, 1e-6
        if recall_difference(min_rate, "high") < 0:
            low = optimize.brentq(
                recall_difference, min_rate, middle, args=("high",), xtol=1e-7
            )
        if middle < 1:
            high = optimize.brentq(
                recall_difference, middle, 1.0, args=("low",), xtol=1e-7
            )
        ends = sorted(metric.convert_rate(rate, 0.0) for rate in (low, high))
        return ConfidenceInterval(*map(float, ends))


@dataclass(frozen=True)
class Difference:
    """One evaluation minus another; they are paired if they have the same units."""

    a: Evaluation
    b: Evaluation
    # Whether the interval combines the intervals of a and b if the difference has no
    # variance.
    combines_intervals: ClassVar[bool] = True

    @cached_property
    def are_paired(self) -> bool:
        """Whether both evaluations have the same units."""
        return self.a.units is self.b.units

    @property
    def value(self) -> float:
        """The difference of the values."""
        return self.a.value - self.b.value

    @property
    def bounds(self) -> tuple[float, float]:
        """The minimum and the maximum difference."""
        (low_a, high_a), (low_b, high_b) = self.a.bounds, self.b.bounds
        return low_a - high_b, high_a - low_b

    @cached_property
    def influence(self) -> FloatArray:
        """The influence of each sample on the difference."""
        a, b = self.a, self.b
        if a.samples.estimated is None:
            return a.influence - b.influence
        rows = [x - y for x, y in zip(a.influence_rows, b.influence_rows, strict=True)]
        return max_variance_row(rows, a.samples)

    @cached_property
    def parts(self) -> Parts:
        """The parts of the variance; if unpaired, the sums of the parts of a and b."""
        if self.are_paired:
            parts = influence_parts(self.influence, self.a.samples)
            return parts.times(1 / self.a.units.scale)
        return Parts(*np.add(self.a.parts, self.b.parts).tolist())

    @cached_property
    def unseen(self) -> float:
        """The variance due to samples of high sampling weight that were not drawn."""
        a, b, heavy = self.a, self.b, HEAVY_IN_DIFFERENCE
        if self.are_paired:
            return unseen_variance(
                a.samples, lambda: a.class_influence - b.class_influence, heavy
            )
        unseen_a = unseen_variance(a.samples, lambda: a.class_influence, heavy)
        return unseen_a + unseen_variance(b.samples, lambda: b.class_influence, heavy)

    @property
    def degrees_of_freedom(self) -> float:
        """The degrees of freedom of the variance."""
        a, b = self.a, self.b
        samples, scale, max_dof = a.samples, a.units.scale, np.inf
        # Scores can calibrate the predictions of estimated labels.
        are_equal = self.are_paired and samples.estimated is None
        samples_b = samples if are_equal else b.samples
        for metric, sample in ((a.metric, samples), (b.metric, samples_b)):
            n_pos, n_neg = sample.effective_sizes
            max_dof = min(max_dof, metric.max_dof(scale * n_pos, scale * n_neg))
        if not self.are_paired:
            dof = degrees_of_freedom((a.parts, samples), (b.parts, b.samples))
            return min(dof, max_dof)
        class_dofs = np.inf, np.inf
        rest_on_few = a.metric.rests_on_few or b.metric.rests_on_few
        # With degrees of freedom from the class sizes only, tests with a margin would
        # too often accept models that differ by the margin.
        has_margin = a.plan.margin is not None
        are_single = samples.clusters is None and samples.estimated is None
        if (rest_on_few or has_margin) and are_single:
            class_dofs = influence_kurtosis_dof(self.influence, samples)
        dof = a.dof(self.parts, class_dofs, self.influence)
        if samples.clusters is not None and not samples.are_fold_groups:
            rests_on_few = (
                a.metric.rests_on_few_clusters or b.metric.rests_on_few_clusters
            )
            if rests_on_few:
                units_dof = unit_kurtosis_dof(self.influence, samples)
                dof = min(dof, scale * units_dof)
        return min(dof, max_dof)

    @property
    def name(self) -> str:
        """The name of the metric, or of both metrics."""
        return " - ".join(dict.fromkeys((self.a.metric.name, self.b.metric.name)))

    @property
    def params(self) -> Params:
        """The parameters of both metrics."""
        first, second = self.a.params, self.b.params
        return first if first == second else merge_params([first, second])

    def replicates(self, plan: Plan) -> FloatArray:
        """Return replicates of the difference."""
        if self.are_paired:
            return draw_replicates([self.a, self.b], plan, "difference")
        draws_a, draws_b = (
            draw_replicates([model], model_plan, "difference")
            for model, model_plan in zip((self.a, self.b), plan.split(2), strict=True)
        )
        n_common = min(len(draws_a), len(draws_b))
        return np.asarray(draws_a[:n_common] - draws_b[:n_common])

    def error_and_draws(self, plan: Plan) -> tuple[float, FloatArray | None]:
        """Return the standard error by the method, and the replicates or None.

        The standard error includes the ``unseen`` variance; the replicates do not.
        """
        error, draws = self.parts.standard_error, None
        if plan.method != "delta":
            draws = self.replicates(plan)
        if draws is not None and plan.method != "permutation":
            error = spread(draws)
        return float(np.hypot(error, np.sqrt(self.unseen))), draws

    def comparison(self, plan: Plan) -> Comparison:
        """Return the comparison of a and b; warn if its uncertainty is unreliable."""
        a, b, is_known = self.a, self.b, self.a.is_known and self.b.is_known
        error, draws, limits, dof = _NAN, None, (_NAN, _NAN), np.inf
        if is_known:
            if self.are_paired:
                metrics, rankings = (*a.metrics, *b.metrics), (*a.ranked, *b.ranked)
            else:
                metrics, rankings = (a.metric, b.metric), (a.samples, b.samples)
                if not is_zero_variance(self.parts.total):
                    warn_unequal_sizes(a.samples, b.samples)
            warn_unreliable_difference(metrics, rankings, plan.method)
            error, draws = self.error_and_draws(plan)
            limits, dof = self.bounds, self.degrees_of_freedom

        def compare_scaled(factor: float) -> Comparison:
            """Return the comparison with ``factor`` times the standard errors."""

            def interval_at(level: float) -> ConfidenceInterval:
                interval_a = a.interval(level=level, factor=factor)
                interval_b = b.interval(level=level, factor=factor)
                return hybrid_interval((a.value, b.value), (interval_a, interval_b))

            return compare_values(
                self.name,
                (a.value, b.value),
                plan,
                standard_error=factor * error,
                dof=dof,
                draws=None if draws is None else scale_deviations(draws, factor, plan),
                limits=limits,
                interval_at=interval_at if self.combines_intervals else None,
                params=self.params,
            )

        comparison = compare_scaled(1.0)
        if not is_known or a.folds is None:
            return comparison
        retrained_interval, factor = None, a.units.retraining_factor
        if factor is not None:
            retrained_interval = compare_scaled(factor).confidence_interval
        return replace(
            comparison, of=a.of, confidence_interval_retrained=retrained_interval
        )
