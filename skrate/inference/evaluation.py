"""Evaluations: the value of a metric, its uncertainty, intervals and tests.

All inference uses them: a value, the influence of each sample on it, its variance, an
interval, and replicates. A single ranking is treated as the mean over one ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from skrate.data.arrays import FloatArray, dot, lazy
from skrate.data.checks import warn
from skrate.inference.cautions import warn_small_sample, warn_unreliable_difference
from skrate.inference.intervals import (
    ADDED,
    Augmented,
    Interval,
    UncertainValue,
    augmented,
    augmented_mean,
    bootstrap_interval,
    bootstrap_pvalue,
    bounded_interval,
    hybrid_interval,
    inverted_pvalue,
    metric_range,
    permutation_interval,
    permutation_pvalue,
    unseen_variance,
)
from skrate.inference.options import Plan
from skrate.inference.rankings import Ranked
from skrate.inference.resampling import (
    condensed,
    exchange_draw,
    jackknife_variance,
    make_statistic,
    resample_draw,
    spread,
    table_widths,
)
from skrate.inference.units import Units
from skrate.inference.variance import (
    Parts,
    degrees_of_freedom,
    estimated_label_dof,
    influence_kurtosis_dof,
    influence_parts,
    influence_rows,
    influence_values,
    is_zero_variance,
    sample_kurtosis_dof,
    sum_units,
    table_variance,
    widest,
)
from skrate.metrics.auc import AUC
from skrate.metrics.hypothesis_tests import (
    NEGLIGIBLE,
    Alternative,
    check_null,
    describe_alternative,
    max_pvalue_test,
    sided_pvalue,
    standardised,
    t_pvalue,
    t_test,
)
from skrate.metrics.metric import Metric, Sizes
from skrate.metrics.result_types import (
    Comparison,
    ConfidenceInterval,
    Estimate,
    Question,
    clip_interval,
    merge_questions,
    t_interval,
    t_quantile,
)

_NAN = float("nan")
# The interval of a difference, as a function of the level.
IntervalAt = Callable[[float], ConfidenceInterval]
# The minimum size of the rarer class of two samples that have similar or different
# sizes: with smaller samples, tests reject too often.
_FEW_ALIKE, _FEW_UNLIKE = 10, 30
# The minimum number of samples in the window of a partial AUC, per fold.
_FEW_IN_FOLDS = 10


class OnRanking(NamedTuple):
    """A metric, with its parameters on one ranking, and its value there."""

    metric: Metric
    ranked: Ranked
    value: float


@dataclass(eq=False)
class Evaluation:
    """The mean of a metric over the rankings of a sample: one ranking, or one per fold.

    ``each`` has the rankings with both classes on which the metric is defined.
    ``one_class`` has the folds that lack a class, but have a value. This value is taken
    as a constant, unless groups of folds are the units. ``is_known`` says whether the
    uncertainty can be estimated, and ``question`` has the parameters. The ``units``
    determine the ``plan``, the arguments for the uncertainty, and the ``folds``.
    """

    metric: Metric
    each: list[OnRanking]
    units: Units
    one_class: list[OnRanking] = field(default_factory=list)
    is_known: bool = True
    question: Question = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.plan, self.folds = self.units.plan, self.units.folds
        self.metrics = [ranking.metric for ranking in self.each]
        self.ranked = [ranking.ranked for ranking in self.each]
        all_values = [ranking.value for ranking in (*self.each, *self.one_class)]
        # nan if the metric is undefined on all rankings.
        self.value = float(np.mean(all_values)) if all_values else _NAN

    def mapped(
        self, function: Callable[[float], float], derivative: Callable[[float], float]
    ) -> MappedEvaluation:
        """Return an increasing function of the value, with its uncertainty.

        The uncertainty is unknown if the function or its derivative is not finite.
        """
        if self.plan.method != "delta":
            raise ValueError(
                "method must be 'delta' for functions of metrics, got "
                f"{self.plan.method!r}."
            )
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = float(derivative(np.float64(self.value)))
        return MappedEvaluation(
            self.metric,
            self.each,
            self.units,
            one_class=self.one_class,
            is_known=self.is_known,
            question=self.question,
            source=self,
            function=function,
            slope=slope,
        )

    def __sub__(self, other: Evaluation) -> Difference:
        """Return the difference of evaluations of the same units."""
        if self.units is not other.units:
            raise ValueError("Only evaluations of the same units can be subtracted.")
        return Difference(self, other)

    @lazy
    def cases(self) -> Ranked:
        """The ranking, or the samples of all folds without scores."""
        return self.ranked[0] if self.folds is None else self.units.cases

    @lazy
    def clustered_rankings(self) -> list[Ranked]:
        """The rankings; in folds, each with its clusters."""
        return self.units.add_clusters(self.ranked, self.units.clusters)

    @property
    def name(self) -> str:
        """The name of the metric."""
        return self.metric.name

    @property
    def of(self) -> str | None:
        """The subject of the uncertainty, None for the model of a single ranking."""
        return "these models" if self.is_known and self.units.n_rankings > 1 else None

    @property
    def class_sizes(self) -> tuple[int, int]:
        """The number of samples of each class."""
        return self.units.class_sizes(is_known=self.is_known)

    @lazy
    def bounds(self) -> tuple[float, float]:
        """The minimum and the maximum mean over rankings of the same samples."""
        return self._mean_range(
            [ranking.metric.bounds(ranking.ranked.table) for ranking in self.each]
        )

    @property
    def chance(self) -> float:
        """The value of uninformative scores, or nan."""
        if not self.is_known or self.cases.worth is not None:
            return _NAN
        chances = []
        for metric, ranked, _ in self.each:
            ties = np.array([[ranked.table.n_pos]]), np.array([[ranked.table.n_neg]])
            chances.append(metric.clip(metric.values(*ties)))
        return self._add_one_class_folds(float(np.mean(chances)))

    @property
    def auc(self) -> float:
        """The mean of the AUC over the rankings."""
        return float(np.mean([AUC().value(ranked.table) for ranked in self.ranked]))

    @lazy
    def influence(self) -> FloatArray:
        """The influence of each sample: the sum over its repeats."""
        return self.units.summed(self.row_influence)

    @lazy
    def influence_rows(self) -> list[FloatArray]:
        """The influence, and if predictions imply it the expected influence."""
        ((metric, ranked, _),) = self.each
        return influence_rows(metric, ranked)

    @lazy
    def _max_variance(self) -> tuple[Parts, float]:
        """The larger variance by ``influence_rows``, and its degrees of freedom."""
        row = widest(self.influence_rows, self.cases)
        return influence_parts(row, self.cases), estimated_label_dof(row, self.cases)

    @lazy
    def row_influence(self) -> FloatArray:
        """The influence of each row, as :func:`influence_values` defines it.

        A class is centred in each fold, so squares of its m samples are multiplied by
        m / (m - 1). Squares of its clusters are treated likewise, if each fold of its
        group has all clusters of the group. A single sample of a class in a fold is
        assumed to vary like the class in the other folds. If groups of folds are the
        units, the samples of a fold contribute its value minus the mean.
        """
        if self.folds is None:
            ((metric, ranked, _),) = self.each
            return influence_values(metric, ranked, stratify=self.units.stratify)
        if self.cases.are_fold_groups:
            folds = [*self.each, *self.one_class]
            away = np.array([fold.value - self.value for fold in folds]) / len(folds)
            totals = np.array([fold.ranked.total for fold in folds])
            sizes = [len(fold.ranked.is_pos) for fold in folds]
            return np.repeat(away * totals.sum() / totals, sizes)
        scale = sum(fold.total for fold in self.ranked) / self.units.n_rankings
        factors = self.units.factors(is_two_sample=self.metric.is_two_sample)
        per_fold = []
        for by_class, of_mean, fold in zip(*factors, self.each, strict=True):
            ranked = fold.ranked
            terms = influence_values(fold.metric, ranked, stratify=self.units.stratify)
            classes = (ranked.is_pos, ~ranked.is_pos)
            for factor, chosen in zip(by_class, classes, strict=True):
                of_class = None if ranked.weights is None else ranked.weights[chosen]
                mean = np.average(terms[chosen], weights=of_class)
                away = np.sqrt(factor) * (terms[chosen] - mean)
                terms[chosen] = np.sqrt(of_mean) * mean + away
            per_fold.append(terms * scale / ranked.total)
        return np.concatenate(per_fold)

    @lazy
    def parts(self) -> Parts:
        """The variance, by its sources."""
        if self.cases.estimated is not None:
            return self._max_variance[0]
        if self.folds is None and self.cases.is_plain:
            ((metric, ranked, _),) = self.each
            return table_variance(metric, ranked.table, stratify=self.units.stratify)
        return influence_parts(self.influence, self.cases)

    @lazy
    def bias(self) -> float:
        """The bias of the mean relative to folds of many samples; nan if unknown."""
        if len(self.each) < 2 or not self.metric.enough_positives:
            return 0.0
        clusters = self.units.clusters
        if clusters is not None and any(
            len(np.unique(clusters[rows])) < len(rows) for rows in self.units.rows
        ):
            return _NAN
        is_weighted = any(
            one.weights is not None and not one.are_repetitions for one in self.ranked
        )
        if is_weighted or not self.metric.least_positives:
            return _NAN
        excess = np.array([fold.metric.excess(fold.ranked.table) for fold in self.each])
        is_known = ~np.isnan(excess)
        if not is_known.any():
            return _NAN
        # Folds with one sample of a class have no estimate: assume the average.
        return float(excess[is_known].mean()) * len(excess) / self.units.n_rankings

    @lazy
    def excess(self) -> float:
        """The upward bias of the value in so small a sample, or 0.

        Lower ends of intervals are lowered by this bias; upper ends stay. With several
        folds it is 0, because ``bias`` moves both ends.
        """
        is_one = self.units.n_rankings == len(self.each) == 1
        cases = self.cases
        is_weighted = cases.weights is not None and not cases.are_repetitions
        is_known = cases.worth is None and cases.estimated is None
        if not (is_one and is_known) or is_weighted:
            return 0.0
        ((metric, ranked, _),) = self.each
        # With more samples it is less than a tenth of the standard error.
        if min(ranked.sizes) > 10_000:
            return 0.0
        excess = max(float(np.nan_to_num(metric.excess(ranked.table))), 0.0)
        if cases.clusters is None or not excess:
            return excess
        independent = table_variance(metric, ranked.table).total
        return excess * self.parts.total / independent if independent > 0 else excess

    @property
    def unit_dof(self) -> float:
        """The degrees of freedom of the independent samples of the rarer class."""
        return self.cases.unit_dof

    @property
    def max_dof(self) -> float:
        """The maximum degrees of freedom of a difference from this model."""
        return self.metric.max_dof(*self.cases.effective_sizes)

    def freedom(
        self,
        parts: Parts,
        freedoms: tuple[float, float] = (np.inf, np.inf),
        influence: FloatArray | None = None,
    ) -> float:
        """Return the degrees of freedom of the variance with these parts.

        With estimated labels they follow from ``influence``, by default from the row of
        ``influence_rows`` with the larger variance.
        """
        if self.cases.estimated is not None:
            if influence is None:
                return self._max_variance[1]
            return estimated_label_dof(influence, self.cases)
        n_means = len(self.each) / self.units.n_repeats
        source = parts, self.cases
        return degrees_of_freedom(source, n_means=n_means, freedoms=freedoms)

    def error_and_draws(self) -> tuple[float, FloatArray | None]:
        """Return the standard error by the method, and the replicates if any."""
        if self.plan.method == "delta":
            error = self.parts.standard_error
            if self.metric.has_test:
                # A steep slope near one point overestimates it: this is the maximum.
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
        """Return the estimate, with a test of the null value if there is one."""
        plan, kind = self.plan, self.plan.interval
        self.warn_small_folds()
        if null_value is not None:
            null_value = check_null(null_value, self.name, self.metric.bounds())
        error, ends, again = _NAN, ConfidenceInterval(_NAN, _NAN), None
        statistic = pvalue = None if null_value is None else _NAN
        if self.is_known:
            if self.folds is None:
                is_wilson = kind == "wilson" and self.units.clusters is None
                warn_small_sample(self.metrics, self.ranked, is_wilson=is_wilson)
            error, draws = self.error_and_draws()
            at = partial(self.interval, kind, error, level=plan.level, draws=draws)
            ends, factor = at(), self.units.retraining_factor
            again = None if factor is None else at(factor=factor)
            if not plan.is_two_sided:
                ends = plan.sided(ends, self.bounds)
                again = again and plan.sided(again, self.bounds)
            if null_value is not None and not np.isnan(error):
                statistic, pvalue = self.test(null_value, kind, error, draws)
        n_pos, n_neg = self.class_sizes
        return Estimate(
            metric=self.name,
            value=self.value,
            standard_error=error,
            confidence_interval=ends,
            n_pos=n_pos,
            n_neg=n_neg,
            method=plan.method,
            confidence_level=plan.confidence_level,
            params=self.question,
            of=self.of,
            confidence_interval_retrained=again,
            bias=self.bias if self.is_known and abs(self.bias) > 0 else None,
            alternative=describe_alternative(plan.alternative, null_value),
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
        """Return the interval of the mean, with ``factor`` times the standard error.

        By default the standard error is by the delta method; the degrees of freedom
        always are. The interval is about ``value``, by default the mean; a caller can
        pass a corrected value.
        """
        level = self.plan.confidence_level if level is None else level
        error = self.parts.standard_error if error is None else error
        kind = self._interval_kind(kind)
        bounds, cases = self._range(kind), self.cases
        is_corrected = value is not None
        value = self.value if value is None else value
        if cases.estimated is not None:
            value = float(np.clip(value, *bounds))
            if cases.estimated.are_exact:
                return ConfidenceInterval(value, value)
        if cases.worth is not None:
            gain = self._uncertain_gain(value, error, bounds[0], draws)
            return gain.interval(kind, level)
        bias = 0.0 if np.isnan(self.bias) else self.bias
        if draws is not None and self.folds is not None:
            draws = factor * draws + (1 - factor) * draws.mean()
            # Replicates are drawn from the folds, so they have the bias twice.
            draws = draws - 2 * bias
        tested = partial(self._combined_test_interval, level, factor)
        uncertain = UncertainValue(
            value=float(np.clip(value - bias, *bounds)),
            standard_error=factor * error,
            bounds=bounds,
            freedom=self.freedom(self.parts),
            draws=draws,
        )
        ends = bounded_interval(
            kind,
            level,
            uncertain,
            partial(self._augmented, error**2, factor),
            tested if self.metric.has_test and not is_corrected else None,
        )
        # With long-tailed scores the jackknife finds two thirds of the bias.
        remaining = bias / 2
        excess = 0.0 if is_corrected or kind == "percentile" else self.excess
        return clip_interval(
            min(ends.low - max(remaining, excess), value),
            max(ends.high - min(remaining, 0.0), value),
            bounds,
        )

    def _uncertain_gain(
        self, value: float, error: float, least: float, draws: FloatArray | None
    ) -> UncertainValue:
        """Return the gain and its uncertainty, for an interval from ``least`` up."""
        # A gain of 0 has no logarithm.
        low = least if value > NEGLIGIBLE else -np.inf
        terms, times = self.influence, self.cases.row_weights
        if self.cases.clusters is not None:
            terms, times = sum_units(terms, self.cases), np.ones(self.cases.n_units)
        elif not self.cases.are_repetitions:
            terms, times = times * terms, np.ones(len(terms))
        squares = terms * terms
        total = dot(times, squares)
        freedoms = sample_kurtosis_dof(self.metric, self.cases)
        return UncertainValue(
            value=value,
            standard_error=error,
            bounds=(low, max(value, self.metric.gain_limit(self.ranked[0]))),
            freedom=self.freedom(self.parts, freedoms),
            draws=draws,
            skewness=dot(times, squares * terms) / total**1.5 if total > 0 else 0.0,
        )

    def _interval_kind(self, kind: Interval) -> Interval:
        """Return the kind of interval, symmetric if groups of folds are the units."""
        is_wilson = kind == "wilson" and self.cases.are_fold_groups
        return "wald" if is_wilson else kind

    def _range(self, kind: Interval) -> tuple[float, float]:
        """Return the bounds of an interval of a kind."""
        # Rounding of the range must not exclude the value from its interval.
        ranges = []
        for metric, ranked, estimate in self.each:
            low, high = metric_range(metric, ranked.table, stratify=self.units.stratify)
            if ranked.estimated is not None:
                estimate = float(np.clip(estimate, low, high))
            limits = min(low, estimate), max(high, estimate)
            is_wilson = kind == "wilson" and ranked.worth is None
            ranges.append(metric.attainable(limits, estimate) if is_wilson else limits)
        return self._mean_range(ranges)

    def test(
        self, x: float, kind: Interval, error: float, draws: FloatArray | None = None
    ) -> tuple[float, float]:
        """Return the statistic and the p-value of x, by the interval of a kind."""
        kind = self._interval_kind(kind)
        plan, low_high = self.plan, self._range(kind)
        alternative, pvalue = plan.alternative, _NAN
        # The null value with the same test if the excess is ignored.
        at = min(x + self.excess, self.value) if x < self.value else x
        statistic = standardised(self.value - at, error)
        is_plain = self.cases.worth is None and np.nan_to_num(self.bias) == 0
        if kind == "wald" and is_plain and error > NEGLIGIBLE:
            away = min(self.value - low_high[0], low_high[1] - self.value)
            if away > NEGLIGIBLE:
                pvalue = t_pvalue(statistic, alternative, self.freedom(self.parts))
        elif kind == "wilson" and is_plain and not self.metric.has_test:
            by_wilson, pvalue = self.wilson_test(at, alternative, error, low_high)
            statistic = statistic if np.isnan(pvalue) else by_wilson
        if not np.isnan(pvalue):
            return statistic, pvalue

        def interval_at(level: float) -> ConfidenceInterval:
            return self.interval(kind, error, level=level, draws=draws)

        pvalue = inverted_pvalue(interval_at, self.value, x)
        if draws is not None and kind == "percentile":
            # The number of replicates limits the p-value.
            pvalue = min(max(pvalue, 2 / (len(draws) + 1)), 1.0)
        return statistic, sided_pvalue(pvalue, self.value - x, alternative)

    def wilson_test(
        self,
        x: float,
        alternative: Alternative,
        error: float,
        bounds: tuple[float, float] | None = None,
    ) -> tuple[float, float]:
        """Return the statistic and the p-value of x that match Wilson's interval."""
        augmentation = self._augmented(error**2, 1.0)
        bottom, top = augmentation.bounds
        low, high = bounds or augmentation.bounds
        if not (np.isfinite([low, high]).all() and low < x < high):
            return _NAN, _NAN
        # If a window contains no part of the curve, or if the weights count as almost
        # no sample, there is no variance to measure the distance.
        room = (augmentation.value - bottom) * (top - augmentation.value)
        if not room > 0:
            return _NAN, _NAN
        scale = (x - low) * (high - x) / room
        spread_at_x = float(np.sqrt(augmentation.variance * scale))
        distance = standardised(self.value - x, spread_at_x)
        if spread_at_x == distance == 0:
            # For example, a recall if all samples are processed.
            return distance, 1.0
        return distance, t_pvalue(distance, alternative, augmentation.freedom)

    def warn_small_folds(self) -> None:
        """Warn if the folds are so small that their mean is biased."""
        if len(self.each) < 2:
            return
        metric, is_known = self.metric, not np.isnan(self.bias)
        enough: float = metric.least_positives if is_known else metric.enough_positives
        ranked = self.clustered_rankings
        sizes = np.mean([ranking.effective_sizes for ranking in ranked], axis=0)
        has_clusters = self.units.clusters is not None
        held = "clusters with positives" if has_clusters else "positives"
        n_held = float(sizes[0])
        in_window, n_in_window = metric.min_window_class(*sizes.tolist())
        if n_in_window < np.inf:
            held, n_held = f"{in_window} in the window", n_in_window
            enough = _FEW_IN_FOLDS
        if n_held >= enough:
            return
        is_counted = is_known and metric.enough_positives > 0
        counted = "allows for a part of" if is_counted else "does not allow for"
        warn(
            f"The {metric.name} of {len(self.each)} folds is biased against one large "
            "sample: take fewer folds, or a metric that does not depend on the size of "
            "a sample, such as the AUC or the recall at a rate. The folds have "
            f"{n_held:.3g} {held} each on average, fewer than {enough:g}. The bias "
            f"grows as this number falls, and the interval {counted} the bias."
        )

    @property
    def one_class_term(self) -> float:
        """The contribution of folds with one class to the mean."""
        return sum(fold.value for fold in self.one_class) / self.units.n_rankings

    def _add_one_class_folds(self, mean: float) -> float:
        """Return the mean over all folds, given it over folds with both classes."""
        if not self.one_class:
            return mean
        return len(self.each) / self.units.n_rankings * mean + self.one_class_term

    def _mean_range(self, ranges: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """Return the range of the mean over all rankings."""
        if len(ranges) == self.units.n_rankings == 1:
            return ranges[0]
        low, high = np.mean(ranges, axis=0).tolist()
        return self._add_one_class_folds(low), self._add_one_class_folds(high)

    def _augmented(self, variance: float, factor: float) -> Augmented:
        """Return the mean with a tenth of a sample of each class added in total."""
        if self.cases.estimated is not None:
            return self._augmented_estimate(factor**2 * variance)
        units, effect = self.units, factor**2 * self._design_effect(variance)
        added = ADDED * units.n_repeats / len(self.each)
        folds = [
            augmented(*pair, stratify=units.stratify, added=added)
            for pair in zip(self.metrics, self.clustered_rankings, strict=True)
        ]
        if units.folds is None:
            fold = folds[0]
            freedom = self.freedom(fold.parts, fold.freedoms)
            unseen = unseen_variance(self.metric, self.ranked[0])
            return fold._replace(freedom=freedom, effect=effect, unseen=unseen)
        mean_parts = self._mean_variance_parts([fold.parts for fold in folds])
        # The maximum degrees of freedom of a class in the sum; repeats count as one.
        by_class = np.array([fold.parts[:2] for fold in folds])
        squares = np.add.reduce(by_class**2 / [fold.freedoms for fold in folds])
        of_sum = np.add.reduce(by_class) ** 2 / units.n_repeats
        most = np.divide(of_sum, squares, out=np.full(2, np.inf), where=squares > 0)
        freedoms = most[0].item(), most[1].item()
        return Augmented(
            value=self._add_one_class_folds(
                float(np.mean([fold.value for fold in folds]))
            ),
            parts=mean_parts,
            bounds=self._mean_range([fold.bounds for fold in folds]),
            freedoms=freedoms,
            freedom=self.freedom(mean_parts, freedoms),
            effect=effect,
        )

    def _augmented_estimate(self, variance: float) -> Augmented:
        """Return the augmented value as for a proportion with the same variance."""
        low, high = bounds = self.bounds
        clipped = min(max(self.value, low), high)
        room = (clipped - low) * (high - clipped)
        size = min(self.cases.effective_sizes)
        if not is_zero_variance(variance) and room > NEGLIGIBLE:
            size = room / variance
        augmentation = augmented_mean(clipped, room / size, size, bounds, bounds)
        sources = Parts(0.0, 0.0, max(augmentation.parts.by_prevalence, variance))
        return augmentation._replace(parts=sources, freedom=self.freedom(sources))

    def _design_effect(self, variance: float) -> float:
        """Return the variance relative to the variance if samples were independent."""
        # Identical repeats add no information.
        effect = float(self.units.n_repeats)
        if is_zero_variance(variance):
            return effect
        if self.folds is None and self.cases.is_plain:
            independent = self.parts.total
        else:
            ranked = self.clustered_rankings
            independent = self._mean_variance_parts(
                [
                    table_variance(
                        metric,
                        ranking.table,
                        stratify=self.units.stratify,
                        sizes=ranking.effective_sizes,
                    )
                    for metric, ranking in zip(self.metrics, ranked, strict=True)
                ]
            ).total
        # If independent samples show no variation, the ratio is undefined.
        if np.isnan(variance) or not is_zero_variance(independent):
            effect = variance / (independent or 1.0)
        return effect

    def _mean_variance_parts(self, parts: Sequence[Parts]) -> Parts:
        """Return the variance of the mean over all rankings, by its sources."""
        return Parts(*(np.sum(parts, axis=0) / self.units.n_rankings**2).tolist())

    def _combined_test_interval(
        self, level: float, factor: float
    ) -> ConfidenceInterval:
        """Return the test intervals of all rankings, combined (Zou, Donner)."""
        effect = self._design_effect(self.parts.total) / self.units.n_repeats
        # The variance of the recall is mostly due to the positives.
        freedom = self.freedom(Parts(1.0, 0.0, 0.0))
        quantile = t_quantile(level, freedom) * factor * float(np.sqrt(effect))
        below = above = 0.0
        ranked = self.clustered_rankings
        for fold, units in zip(self.each, ranked, strict=True):
            sizes = Sizes(*units.effective_sizes, are_fixed=self.units.stratify)
            low, high = fold.metric.not_rejected(units.table, sizes, quantile)
            below += max(fold.value - low, 0.0) ** 2
            above += max(high - fold.value, 0.0) ** 2
        away = np.sqrt(np.array([below, above]) * self.units.n_repeats)
        below, above = (away / self.units.n_rankings).tolist()
        return ConfidenceInterval(self.value - below, self.value + above)


@dataclass(eq=False)
class MappedEvaluation(Evaluation):
    """An increasing function of an evaluation, by the delta method.

    It is for differences: ``estimate`` and ``test`` refer to the metric itself.
    """

    _: KW_ONLY
    source: Evaluation
    function: Callable[[float], float]
    slope: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self.value = self._ends(self.source.value)[0]
        is_finite = np.isfinite([self.value, self.slope]).all()
        self.is_known = self.is_known and bool(is_finite)

    def _ends(self, *ends: float) -> tuple[float, ...]:
        """Return the function of each of the values."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return tuple(float(self.function(np.float64(end))) for end in ends)

    @lazy
    def bounds(self) -> tuple[float, float]:
        """The function of the bounds."""
        low, high = self._ends(*self.source.bounds)
        return low, high

    @lazy
    def influence(self) -> FloatArray:
        """The influence of each sample on the function."""
        return self.slope * self.source.influence

    @lazy
    def influence_rows(self) -> list[FloatArray]:
        """The influence, and if predictions imply it the expected influence."""
        return [self.slope * row for row in self.source.influence_rows]

    @lazy
    def parts(self) -> Parts:
        """The variance, by its sources."""
        return Parts(*(self.slope**2 * variance for variance in self.source.parts))

    def interval(self, *args: Any, **options: Any) -> ConfidenceInterval:
        """Return the function of the ends of the interval."""
        return ConfidenceInterval(*self._ends(*self.source.interval(*args, **options)))


def draw_replicates(models: Sequence[Evaluation], plan: Plan, name: str) -> FloatArray:
    """Return replicates of a mean over rankings, or of the difference of two models."""
    first, stratify = models[0], models[0].units.stratify
    plans = [plan] if first.folds is None else plan.split(len(first.each))
    is_permuted = plan.method == "permutation"
    per_fold = []
    rankings = [model.units.resampling_rankings(model.ranked) for model in models]
    for i, (fold_plan, *samples) in enumerate(zip(plans, *rankings, strict=True)):
        metrics = [model.each[i].metric for model in models]
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
            # Sums over clusters are centred, which makes resamples vary too little.
            draws = stretched(draws, float(np.sqrt(samples[0].unit_factors[0])), plan)
        per_fold.append(draws)
    if first.folds is None:
        return np.asarray(per_fold[0])
    # Undefined replicates are left out, and their number differs between folds.
    n_least = min(map(len, per_fold))
    draws = np.mean([draws[:n_least] for draws in per_fold], axis=0)
    draws *= len(per_fold) / first.units.n_rankings
    if is_permuted:
        return np.asarray(draws)
    constants = sum(model.one_class_term for model in models[1:])
    return np.asarray(draws + first.one_class_term - constants)


def stretched(draws: FloatArray, factor: float, plan: Plan) -> FloatArray:
    """Return replicates with ``factor`` times their distance from the center."""
    center = 0.0 if plan.method == "permutation" else draws.mean()
    return np.asarray(center + factor * (draws - center))


def warn_reversed_scores(
    models: Iterable[tuple[str, Any, ConfidenceInterval | None]],
) -> None:
    """Warn, once, of models with an interval worse than uninformative scores.

    Each model comes with the argument of its scores, and its interval if it was
    computed. The AUC must be below 0.5, too, because even a good ranking may have a
    small number of positives at its top.
    """
    reversed_models = []
    for argument, model, ends in models:
        sign, chance = (1 if model.metric.greater_is_better else -1), model.chance
        if not (sign * model.value < sign * chance and model.auc < 0.5):
            continue
        interval = model.interval() if ends is None else ends
        if sign * (interval.high if sign > 0 else interval.low) < sign * chance:
            reversed_models.append((argument, model.metric, interval, chance))
    if not reversed_models:
        return
    _, metric, ends, chance = reversed_models[0]
    names = " and ".join(dict.fromkeys(argument for argument, *_ in reversed_models))
    side = "below" if metric.greater_is_better else "above"
    warn(
        f"Scores may be reversed in {names}: change the sign of the scores, or name "
        "the positive label by pos_label. High scores, and the first categories of a "
        f"table, must mean positive. The interval of the {metric.name}, "
        f"[{ends.low:.4g}, {ends.high:.4g}], is {side} {chance:.4g}, the value of "
        "uninformative scores."
    )


@dataclass(frozen=True)
class Difference:
    """One evaluation minus another, of the same units or of different units."""

    a: Evaluation
    b: Evaluation
    # Whether both intervals are combined if the difference shows no variation.
    combines_intervals: ClassVar[bool] = True

    @property
    def are_paired(self) -> bool:
        """Whether both evaluations have the same units."""
        return self.a.units is self.b.units

    @property
    def bounds(self) -> tuple[float, float]:
        """The minimum and the maximum difference."""
        (low_a, high_a), (low_b, high_b) = self.a.bounds, self.b.bounds
        return low_a - high_b, high_a - low_b

    @lazy
    def influence(self) -> FloatArray:
        """The influence of each sample on the difference."""
        a, b = self.a, self.b
        if a.cases.estimated is None:
            return a.influence - b.influence
        rows = [x - y for x, y in zip(a.influence_rows, b.influence_rows, strict=True)]
        return widest(rows, a.cases)

    @lazy
    def parts(self) -> Parts:
        """The variance by its sources; with different units, the sum of both."""
        if self.are_paired:
            return influence_parts(self.influence, self.a.cases)
        return Parts(*np.add(self.a.parts, self.b.parts).tolist())

    @property
    def degrees_of_freedom(self) -> float:
        """The degrees of freedom of the variance."""
        a, b = self.a, self.b
        if self.are_paired:
            freedoms = np.inf, np.inf
            rest_on_few = a.metric.rests_on_few or b.metric.rests_on_few
            # Without it, models that differ by the margin are accepted too often.
            has_margin = a.plan.margin is not None
            are_single = a.cases.clusters is None and a.cases.estimated is None
            if (rest_on_few or has_margin) and are_single:
                freedoms = influence_kurtosis_dof(self.influence, a.cases)
            dof = a.freedom(self.parts, freedoms, self.influence)
        else:
            dof = degrees_of_freedom((a.parts, a.cases), (b.parts, b.cases))
        return min(dof, a.max_dof, b.max_dof)

    @property
    def name(self) -> str:
        """The name of the metric, or of both metrics."""
        return " - ".join(dict.fromkeys((self.a.metric.name, self.b.metric.name)))

    @property
    def question(self) -> Question:
        """The parameters of both metrics."""
        return merge_questions([self.a.question, self.b.question])

    def replicates(self, plan: Plan) -> FloatArray:
        """Return replicates of the difference."""
        if self.are_paired:
            return draw_replicates([self.a, self.b], plan, "difference")
        of_a, of_b = (
            draw_replicates([model], half, "difference")
            for model, half in zip((self.a, self.b), plan.split(2), strict=True)
        )
        n_both = min(len(of_a), len(of_b))
        return np.asarray(of_a[:n_both] - of_b[:n_both])

    def error_and_draws(self, plan: Plan) -> tuple[float, FloatArray | None]:
        """Return the standard error by the method, and the replicates if any."""
        if plan.method == "delta":
            return self.parts.standard_error, None
        draws = self.replicates(plan)
        is_permuted = plan.method == "permutation"
        return self.parts.standard_error if is_permuted else spread(draws), draws

    def comparison(self, plan: Plan) -> Comparison:
        """Return the comparison of both, and warn if its uncertainty is unreliable."""
        a, b = self.a, self.b
        if not (a.is_known and b.is_known):
            return self._scaled_comparison(plan, _NAN, None)
        if self.are_paired:
            metrics, ranked = [*a.metrics, *b.metrics], [*a.ranked, *b.ranked]
        else:
            metrics, ranked = [a.metric, b.metric], [a.cases, b.cases]
        warn_unreliable_difference(metrics, ranked, plan.method)
        if not self.are_paired and not is_zero_variance(self.parts.total):
            _warn_unequal_skewness(a.cases, b.cases)
        return self._scaled_comparison(plan, *self.error_and_draws(plan))

    def _scaled_comparison(
        self, plan: Plan, error: float, draws: FloatArray | None
    ) -> Comparison:
        """Return the comparison with this standard error and these replicates."""
        a, b = self.a, self.b
        is_unknown = not (a.is_known and b.is_known)
        limits = (_NAN, _NAN) if is_unknown else self.bounds
        freedom = np.inf if is_unknown else self.degrees_of_freedom

        def conclude_scaled(factor: float) -> Comparison:
            """Return the comparison with ``factor`` times the standard errors."""

            def interval_at(level: float) -> ConfidenceInterval:
                of_a, of_b = (m.interval(level=level, factor=factor) for m in (a, b))
                return hybrid_interval((a.value, b.value), (of_a, of_b))

            return conclude(
                self.name,
                (a.value, b.value),
                plan,
                standard_error=factor * error,
                freedom=freedom,
                draws=None if draws is None else stretched(draws, factor, plan),
                limits=limits,
                interval_at=interval_at if self.combines_intervals else None,
                params=self.question,
            )

        comparison, factor = conclude_scaled(1.0), a.units.retraining_factor
        if is_unknown or a.folds is None:
            return comparison
        again = None if factor is None else conclude_scaled(factor).confidence_interval
        return replace(comparison, of=a.of, confidence_interval_retrained=again)


def _warn_unequal_skewness(a: Ranked, b: Ranked) -> None:
    """Warn if the skewness of a small sample does not cancel in the difference."""
    rarer = [min(a.sizes), min(b.sizes)]
    few, many = min(rarer), max(rarer)
    if few >= (_FEW_UNLIKE if many > 2 * few else _FEW_ALIKE):
        return
    warn(
        "The models have different samples: take a p-value above 0.01 for no evidence, "
        "or compare on the same samples, or on similar samples with "
        f"{_FEW_UNLIKE} of each class. The rarer classes have {rarer[0]:g} and "
        f"{rarer[1]:g} samples: at these sizes, tests at a level of 0.05 called up to "
        "0.15 of equal models different."
    )


def conclude(
    name: str,
    values: Sequence[float],
    plan: Plan,
    *,
    standard_error: float,
    limits: tuple[float, float],
    params: Question,
    freedom: float = np.inf,
    draws: FloatArray | None = None,
    interval_at: IntervalAt | None = None,
) -> Comparison:
    """Return the comparison of two values; ``draws`` are of their difference.

    If the difference shows no variation, ``interval_at`` combines both intervals.
    """
    a, b = values
    difference = a - b
    statistic, pvalue = _NAN, _NAN
    ends = ConfidenceInterval(_NAN, _NAN)
    plan.check_margin(limits)
    if interval_at is not None and standard_error < NEGLIGIBLE:
        statistic, pvalue = _test_constant_difference(interval_at, difference, plan)
        ends = interval_at(plan.level)
    elif not np.isnan(difference + standard_error):
        statistic, pvalue = t_test(difference, standard_error, plan.nulls, freedom)
        ends = t_interval(difference, standard_error, plan.level, limits, freedom)
        if draws is not None and plan.interval != "wald" and len(draws) > 1:
            pvalue, ends = _bootstrap_test(difference, draws, plan, limits)
    if draws is not None and plan.method == "permutation":
        statistic = difference
        pvalue = permutation_pvalue(difference, draws, plan.alternative)
        if interval_at is None or np.ptp(draws) > NEGLIGIBLE:
            level, side = plan.confidence_level, plan.alternative
            ends = permutation_interval(difference, draws, level, limits, side)
    return Comparison(
        metric=name,
        value=float(difference),
        value_a=float(a),
        value_b=float(b),
        standard_error=standard_error,
        statistic=statistic,
        pvalue=pvalue,
        confidence_interval=plan.sided(ends, limits),
        alternative=plan.alternative,
        method=plan.method,
        confidence_level=plan.displayed_level,
        params=params,
        margin=plan.margin,
    )


def _test_constant_difference(
    interval_at: IntervalAt, difference: float, plan: Plan
) -> tuple[float, float]:
    """Return statistic and p-value of a difference without variation."""
    tests = []
    for x, side in plan.nulls:
        pvalue = inverted_pvalue(interval_at, difference, x)
        statistic = float(np.copysign(t_quantile(1 - pvalue), difference - x))
        if side != "two-sided":
            pvalue = t_pvalue(statistic, side, np.inf)
        tests.append((statistic, pvalue))
    return max_pvalue_test(tests)


def _bootstrap_test(
    difference: float, draws: FloatArray, plan: Plan, limits: tuple[float, float]
) -> tuple[float, ConfidenceInterval]:
    """Return the p-value and the interval between quantiles of the bootstrap."""
    pvalues = [
        bootstrap_pvalue(difference - x, draws - x, side) for x, side in plan.nulls
    ]
    return max(pvalues), bootstrap_interval(difference, draws, plan.level, limits)
