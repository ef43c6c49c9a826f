"""A metric of a sample: its mean over one ranking or those of folds, and how it varies.

All inference goes by this: a value, the influence of each case on it, the variance that
follows, an interval, and replicates. One ranking is the mean over a single one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from skrate.data.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    centring_factors,
    effective_number,
    lazy,
)
from skrate.data.checks import warn, warn_undefined
from skrate.data.folds import FoldRankings
from skrate.data.ranking import check_groups
from skrate.data.table import table_of_weights
from skrate.inference.delta import (
    Parts,
    degrees_of_freedom,
    freedom_of_estimates,
    freedoms_of_cases,
    influence_parts,
    influence_rows,
    influence_values,
    is_rounding,
    table_variance,
    variance_parts,
    widest,
)
from skrate.inference.intervals import (
    ADDED,
    Augmented,
    Interval,
    augmented,
    bounded_interval,
    interval_of,
    inverted_pvalue,
    range_of,
)
from skrate.inference.plan import (
    CLASSES,
    Plan,
    check_estimates,
    check_metric,
    check_worth,
    warn_of_few_processed,
    warn_of_other_purpose,
    warn_of_value,
    why_lopsided,
    why_one_group,
    why_too_few,
)
from skrate.inference.resampling import (
    condensed,
    exchange_draw,
    jackknife_variance,
    resample_draw,
    spread,
    statistic_of,
    widths_of,
)
from skrate.inference.sample import Ranked, Rankings, with_fold_groups, with_worth
from skrate.metrics.auc import AUC
from skrate.metrics.base import Metric, Sizes, find_metric, is_defined, warn_of_folds
from skrate.metrics.hypotheses import (
    NEGLIGIBLE,
    Alternative,
    sided_pvalue,
    standardised,
    t_pvalue,
)
from skrate.metrics.recall import rate_of
from skrate.metrics.results import (
    ConfidenceInterval,
    Question,
    clipped_interval,
    t_quantile,
)

_NAN = float("nan")
# Cases in the window of a partial AUC, in each fold.
_FEW_IN_FOLDS = 10
# With fewer clusters of like size their variance is that of other folds.
_LEAST_UNITS = 1.5


def measured(
    meant: Sequence[tuple[Any, dict[str, Any]]],
    samples: Sequence[Rankings],
    plan: Plan,
    *,
    are_paired: bool = True,
    are_warned: bool = True,
    are_compared: bool = False,
) -> list[Measured]:
    """Return metrics, with their parameters, of samples, and warn of what is unknown.

    Folds on which one is undefined are left out of all.
    """
    if all(find_metric(*one).ignores_prevalence for one in meant):
        samples = [
            sample._replace(each=[one.balanced for one in sample.each])
            for sample in samples
        ]
    if samples[0].folds is not None:
        return _of_folds(meant, samples, plan)
    found: list[Measured] = []
    if are_warned:
        warn_of_other_purpose(
            *meant[0], samples[0].each[0],
            is_difference=are_compared or len(meant) > 1,
        )  # fmt: skip
    for (metric, params), sample in zip(meant, samples, strict=True):
        one = _on_ranking(metric, params, sample.each[0])
        check_worth(plan, one.ranked)
        check_estimates(plan, one.ranked)
        reason = why_too_few(one.ranked, one.metric)
        is_known = reason is None and not np.isnan(one.value)
        # What several rankings of the same cases lack is warned of once.
        others = found if are_paired else []
        if are_warned and not (reason and others):
            again = any(_is_cautioned(each, one.metric) for each in others)
            warn_of_value(*one, reason, again)
        question = find_metric(metric, params).question
        found.append(
            Measured(one.metric, [one], plan, is_known=is_known, question=question)
        )
    return found


def _is_cautioned(model: Measured, metric: Metric) -> bool:
    """Return whether a model by the same metric is warned to say little."""
    ranked = model.ranked[0]
    is_same = type(model.metric) is type(metric)
    return is_same and model.metric.caution(ranked.table, ranked.sizes) is not None


def _on_ranking(metric: Any, params: dict[str, Any], ranked: Ranked) -> OnRanking:
    """Return a metric of one ranking, nan where it lacks a class that is needed."""
    own = check_metric(metric, params, ranked)
    ranked = with_worth(ranked, own)
    value = ranked.score(own) if is_defined(own, ranked.table) else _NAN
    return OnRanking(own, ranked, value)


def _of_folds(
    meant: Sequence[tuple[Any, dict[str, Any]]], samples: Sequence[Rankings], plan: Plan
) -> list[Measured]:
    """Return metrics of rankings of the same cases in the same folds."""
    each = []
    for (metric, params), sample in zip(meant, samples, strict=True):
        find_metric(metric, params).check_of_folds()
        each.append([_on_ranking(metric, params, ranked) for ranked in sample.each])
    values = np.array([[one.value for one in own] for own in each])
    are_defined = np.asarray(~np.isnan(values).any(axis=0))
    folds = samples[0].folds
    assert folds is not None
    metric = each[0][0].metric
    if not are_defined.any():
        warn_undefined(metric.name, "it is so within every fold")
        return [
            Measured(
                find_metric(*one),
                [],
                plan,
                sample.folds,
                is_known=False,
                question=find_metric(*one).question,
            )
            for one, sample in zip(meant, samples, strict=True)
        ]
    warn_of_folds(metric, are_defined, folds)
    defined = np.flatnonzero(are_defined).tolist()
    has_both = [min(one.sizes) > 0 for one in samples[0].each]
    both, lacking = (
        [i for i in defined if has_both[i] == chosen] for chosen in (True, False)
    )
    of_both = [samples[0].each[i] for i in both]
    found = []
    for asked, sample, singles in zip(meant, samples, each, strict=True):
        rows = [
            rows if one.kept is None else rows[one.kept]
            for rows, one in zip(folds.rows(), sample.each, strict=True)
        ]
        kept, others = ([singles[i] for i in chosen] for chosen in (both, lacking))
        found.append(
            Measured(
                (kept or others)[0].metric, kept, plan, sample.folds,
                [rows[i] for i in both], others, [rows[i] for i in lacking],
                question=find_metric(*asked).question,
            )
        )  # fmt: skip
    has_groups = bool(both) and found[0].cases.are_fold_groups
    if not has_groups:
        _check_class_sizes(found[0])
    reason = next((why for why in map(why_lopsided, of_both) if why is not None), None)
    if has_groups and reason is None:
        reason = why_one_group(found[0].cases)
    if reason is not None:
        found = [replace(model, is_known=False) for model in found]
        warn_undefined(f"The uncertainty of the {metric.name}", reason)
        return found
    for model in found:
        _warn_of_first_fold(model)
    return found


def _check_class_sizes(model: Measured) -> None:
    """Raise if no fold with both classes has 2 samples, or clusters, of a class."""
    are_known: BoolArray = np.zeros(2, dtype=bool)
    most: FloatArray = np.zeros(2)
    unit = ""
    if model.each:
        sizes, factors, _ = model.class_units
        are_known = np.asarray(np.isfinite(factors).any(axis=0))
        most = np.asarray(sizes.max(axis=0))
        unit = "clusters of like size with " if model.has_all_clusters.any() else ""
    for is_known, size, name in zip(are_known, most, CLASSES, strict=True):
        if not is_known:
            raise ValueError(
                f"y_true must have at least 2 {unit}{name} samples in a fold with both "
                f"classes, found at most {size:.3g}, so the variance of the "
                f"{model.metric.name} is unknown: use fewer folds, or stratified ones."
            )


def _warn_of_first_fold(model: Measured) -> None:
    """Warn of the first fold that is a bad guide to what is known."""
    for metric, fold, _ in model.each:
        rate = rate_of(metric.law)
        if rate is not None and warn_of_few_processed(metric, rate, fold):
            return
        caution = metric.caution(fold.table, fold.sizes)
        if caution is not None:
            warn(("In a fold: " if model.n_rankings > 1 else "") + caution)
            return


def of_ranking(metric: Metric, ranked: Ranked, value: float, level: float) -> Measured:
    """Return a metric of one ranking, by the delta method."""
    plan = Plan("delta", level, "wald", 1, False, None, None)
    return Measured(metric, [OnRanking(metric, ranked, value)], plan)


class OnRanking(NamedTuple):
    """A metric, with its parameters on one ranking, and its value there."""

    metric: Metric
    ranked: Ranked
    value: float


@dataclass(frozen=True)
class Measured:
    """The mean of a metric over the rankings of a sample, one or one of each fold.

    ``each`` are those with both classes on which it is defined, and ``rows`` says which
    rows of the ``folds`` their cases are. ``one_class`` are folds that lack a class,
    and yet have a value, which is taken as a constant, unless groups of folds are the
    units; ``other_rows`` are theirs. ``is_known`` says whether anything is known of the
    uncertainty, and ``question`` has the parameters.
    """

    metric: Metric
    each: list[OnRanking]
    plan: Plan
    folds: FoldRankings | None = None
    rows: list[IntArray] = field(default_factory=list)
    one_class: list[OnRanking] = field(default_factory=list)
    other_rows: list[IntArray] = field(default_factory=list)
    is_known: bool = True
    question: Question = field(default_factory=dict)

    @lazy
    def value(self) -> float:
        """The mean; nan if it is undefined on all rankings."""
        values = [one.value for one in (*self.each, *self.one_class)]
        return float(np.mean(values)) if values else _NAN

    @property
    def ranked(self) -> list[Ranked]:
        """The rankings."""
        return [one.ranked for one in self.each]

    @property
    def metrics(self) -> list[Metric]:
        """The metric of each of them."""
        return [one.metric for one in self.each]

    @property
    def n_rankings(self) -> int:
        """Number of rankings, those of one class as well."""
        return len(self.each) + len(self.one_class)

    @property
    def n_repeats(self) -> int:
        """Number of folds that test a case."""
        return 1 if self.folds is None else self.folds.n_repeats

    @property
    def class_sizes(self) -> tuple[int, int]:
        """The number of cases of each class."""
        folds = self.folds
        are_rows = self.is_known and self.cases.are_repetitions and self.n_repeats == 1
        if folds is not None and not are_rows:
            return folds.n_pos, folds.n_neg
        sizes = [one.ranked.sizes for one in (*self.each, *self.one_class)]
        n_pos, n_neg = np.sum(sizes, axis=0).tolist()
        return round(n_pos), round(n_neg)

    @lazy
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest mean of rankings of the same cases."""
        return self._mean_range(
            [one.metric.bounds(one.ranked.table) for one in self.each]
        )

    @property
    def chance(self) -> float:
        """The value of scores that say nothing; nan where it is not known."""
        if not self.is_known or self.cases.worth is not None:
            return _NAN
        found = []
        for metric, ranked, _ in self.each:
            ties = np.array([ranked.table.n_pos]), np.array([ranked.table.n_neg])
            found.append(metric.value(table_of_weights(*ties)))
        return self._with_one_class(float(np.mean(found)))

    @property
    def auc(self) -> float:
        """The mean of the AUC."""
        return float(np.mean([AUC().value(one.table) for one in self.ranked]))

    @property
    def retraining_factor(self) -> float | None:
        """How much greater standard errors are if models are trained again, or None."""
        folds = self.folds
        if folds is None or folds.indices is None or folds.n_folds < 2 * self.n_repeats:
            return None
        n_folds = folds.n_folds / self.n_repeats
        return float(np.sqrt(1 + n_folds / (n_folds - 1)))

    @lazy
    def stratify(self) -> bool:
        """Whether class sizes are fixed."""
        return self.plan.is_stratified(self.cases)

    @lazy
    def cases(self) -> Ranked:
        """The cases of all folds, each once and without scores; or of one ranking."""
        if self.folds is None:
            return self.each[0].ranked
        firsts = slice(None) if self._cases_of_rows is None else self._cases_of_rows[0]
        cases = self._cases_of(self.each, self.rows, firsts)
        if cases.are_fold_groups and self.one_class:
            folds = [*self.each, *self.one_class]
            return self._cases_of(folds, [*self.rows, *self.other_rows], firsts)
        return cases

    def _cases_of(
        self, folds: list[OnRanking], rows: list[IntArray], firsts: Any
    ) -> Ranked:
        """Return the cases of folds, all groups of folds as units if others count."""
        ranked, weights = [one.ranked for one in folds], None
        if any(one.weights is not None for one in ranked):
            weights = np.concatenate([one.row_weights for one in ranked])[firsts]
        is_pos = np.concatenate([one.is_pos for one in ranked])[firsts]
        cases = Ranked(is_pos, weights=weights, kind=ranked[0].kind)
        if self._clusters is None:
            return cases
        numbers = np.repeat(np.arange(len(rows)), list(map(len, rows)))
        return with_fold_groups(
            cases, self._clusters[np.concatenate(rows)], numbers,
            are_units=len(folds) > len(self.each), are_repeated=self.n_repeats > 1,
            by_class=len(rows) > self.n_repeats,
        )  # fmt: skip

    @lazy
    def influence(self) -> FloatArray:
        """What each of the cases contributes: the sum over its repeats."""
        values = self.row_influence
        if self._cases_of_rows is None:
            return values
        firsts, cases = self._cases_of_rows
        sums = np.bincount(cases, self._row_weights * values)
        # A mean over the rows of all repeats is one over the cases.
        share = self.cases.total / sum(one.total for one in self.ranked)
        return np.asarray(sums / self._row_weights[firsts] * share)

    @lazy
    def influence_rows(self) -> list[FloatArray]:
        """The influence by estimated labels, and the one that is expected of them."""
        ((metric, ranked, _),) = self.each
        return influence_rows(metric, ranked)

    @lazy
    def _widest(self) -> tuple[Parts, float]:
        """The variance by the wider row of these, and its degrees of freedom."""
        row = widest(self.influence_rows, self.cases)
        return influence_parts(row, self.cases), freedom_of_estimates(row, self.cases)

    @lazy
    def row_influence(self) -> FloatArray:
        """What each row contributes, as :func:`influence_values` does.

        A class is centred in each fold, so squares of its m cases count m / (m - 1)
        times, and those of its clusters likewise, if each fold of its group has all
        clusters of the group. A single case of a class in a fold is taken to vary as
        those of the other folds. If groups of folds are the units, the cases of a fold
        contribute how far its value is from the mean.
        """
        if self.folds is None:
            ((metric, ranked, _),) = self.each
            return influence_values(metric, ranked, stratify=self.stratify)
        if self.cases.are_fold_groups:
            folds = [*self.each, *self.one_class]
            away = np.array([one.value - self.value for one in folds]) / len(folds)
            totals = np.array([one.ranked.total for one in folds])
            sizes = [len(one.ranked.is_pos) for one in folds]
            return np.repeat(away * totals.sum() / totals, sizes)
        scale = sum(one.total for one in self.ranked) / self.n_rankings
        parts = []
        for factors, of_mean, one in zip(*self._factors, self.each, strict=True):
            fold = one.ranked
            values = influence_values(one.metric, fold, stratify=self.stratify)
            classes = (fold.is_pos, ~fold.is_pos)
            for factor, chosen in zip(factors, classes, strict=True):
                of_class = None if fold.weights is None else fold.weights[chosen]
                mean = np.average(values[chosen], weights=of_class)
                away = np.sqrt(factor) * (values[chosen] - mean)
                values[chosen] = np.sqrt(of_mean) * mean + away
            parts.append(values * scale / fold.total)
        return np.concatenate(parts)

    @lazy
    def parts(self) -> Parts:
        """The variance, by its sources."""
        if self.cases.estimated is not None:
            return self._widest[0]
        if self.folds is None:
            ((metric, ranked, _),) = self.each
            return variance_parts(metric, ranked, stratify=self.stratify)
        return influence_parts(self.influence, self.cases)

    @lazy
    def bias(self) -> float:
        """How much the mean is above that of folds of many cases; nan if unknown."""
        if len(self.each) < 2 or not self.metric.enough_positives:
            return 0.0
        clusters = self._clusters
        if clusters is not None and any(
            len(np.unique(clusters[rows])) < len(rows) for rows in self.rows
        ):
            return _NAN
        if not all(one.weights is None or one.are_repetitions for one in self.ranked):
            return _NAN
        found = np.array([one.metric.excess(one.ranked.table) for one in self.each])
        is_known = ~np.isnan(found)
        if not is_known.any():
            return _NAN
        # Folds with one case of a class, which say nothing of it, are as the others.
        return float(found[is_known].mean()) * len(found) / self.n_rankings

    def freedom(
        self,
        parts: Parts,
        freedoms: tuple[float, float] = (np.inf, np.inf),
        influence: FloatArray | None = None,
    ) -> float:
        """Return the degrees of freedom of the variance with these parts.

        For estimated labels it follows from influence values: those given, or the
        wider row of ``influence_rows``.
        """
        if self.cases.estimated is not None:
            if influence is None:
                return self._widest[1]
            return freedom_of_estimates(influence, self.cases)
        n_means = len(self.each) / self.n_repeats
        source = parts, self.cases
        return degrees_of_freedom(source, n_means=n_means, freedoms=freedoms)

    def error_and_draws(self) -> tuple[float, FloatArray | None]:
        """Return the standard error by the method, and the replicates if any."""
        if self.plan.method == "delta":
            return self.parts.standard_error, None
        if self.plan.method != "jackknife":
            draws = replicates_of([self], self.plan, self.metric.name)
            return spread(draws), draws
        squared = 0.0
        for metric, ranked in zip(self.metrics, self.units_to_draw(), strict=True):
            squared += jackknife_variance(metric, ranked, stratify=self.stratify)
        return float(np.sqrt(squared) / self.n_rankings), None

    def units_to_draw(self) -> list[Ranked]:
        """Return the rankings with the clusters in each, for what draws from them."""
        units = self._clusters
        if self.folds is None or (units is None and self.n_repeats == 1):
            return self.ranked
        if units is None:
            units = self.folds.indices
        assert units is not None
        own = [np.unique(units[rows]) for rows in self.rows]
        if len(np.unique(np.concatenate(own))) < sum(map(len, own)):
            raise ValueError(
                "method must be 'delta' where a case or a cluster is tested "
                "in several folds: others draw from each fold separately."
            )
        if min(map(len, own)) < 2:
            raise ValueError(
                "method must be 'delta' where a fold holds one cluster: "
                "others draw clusters from each fold separately."
            )
        return self._with_units(units)

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

        That is by default of the delta method, and its degrees of freedom always are.
        The interval is about ``value``, by default the mean, as corrected by a caller.
        """
        level = self.plan.confidence_level if level is None else level
        error = self.parts.standard_error if error is None else error
        kind = self._kind_of(kind)
        bounds, cases = self._range(kind), self.cases
        is_corrected = value is not None
        value = self.value if value is None else value
        if cases.estimated is not None:
            value = float(np.clip(value, *bounds))
            if cases.estimated.are_exact:
                return ConfidenceInterval(value, value)
        if cases.worth is not None:
            # No cases are added to these, and of no gain there is no logarithm.
            if not value > NEGLIGIBLE:
                bounds = -np.inf, np.inf
            freedom = self.freedom(self.parts, freedoms_of_cases(self.metric, cases))
            return interval_of(kind, value, error, level, bounds, freedom, draws)
        bias = 0.0 if np.isnan(self.bias) else self.bias
        if draws is not None and self.folds is not None:
            draws = factor * draws + (1 - factor) * draws.mean()
            # Drawn from the folds they are biased once more.
            draws = draws - 2 * bias
        tested = partial(self._interval_of_tests, level, factor)
        ends = bounded_interval(
            kind, float(np.clip(value - bias, *bounds)), factor * error, level,
            bounds, self.freedom(self.parts), draws,
            partial(self._augmented, error**2, factor),
            tested if self.metric.has_test and not is_corrected else None,
        )  # fmt: skip
        # Of scores with long tails the jackknife finds two thirds of the bias.
        rest = bias / 2
        return clipped_interval(
            min(ends.low - max(rest, 0.0), value),
            max(ends.high - min(rest, 0.0), value),
            bounds,
        )

    def _kind_of(self, kind: Interval) -> Interval:
        """Return the kind of interval, symmetric if groups of folds are the units."""
        is_wilson = kind == "wilson" and self.cases.are_fold_groups
        return "wald" if is_wilson else kind

    def _range(self, kind: Interval) -> tuple[float, float]:
        """Return the bounds of an interval of a kind."""
        # Rounding of the range must not leave the value outside of its interval.
        ranges = []
        for metric, ranked, value in self.each:
            low, high = range_of(metric, ranked.table, stratify=self.stratify)
            if ranked.estimated is not None:
                value = float(np.clip(value, low, high))
            own = min(low, value), max(high, value)
            is_wilson = kind == "wilson" and ranked.worth is None
            ranges.append(metric.attainable(own, value) if is_wilson else own)
        return self._mean_range(ranges)

    def test(
        self, x: float, kind: Interval, error: float, draws: FloatArray | None = None
    ) -> tuple[float, float]:
        """Return the statistic and the p-value of x, by the interval of a kind."""
        kind = self._kind_of(kind)
        plan, low_high = self.plan, self._range(kind)
        alternative, pvalue = plan.alternative, _NAN
        statistic = standardised(self.value - x, error)
        is_plain = self.cases.worth is None and np.nan_to_num(self.bias) == 0
        if kind == "wald" and is_plain and error > NEGLIGIBLE:
            away = min(self.value - low_high[0], low_high[1] - self.value)
            if away > NEGLIGIBLE:
                pvalue = t_pvalue(statistic, alternative, self.freedom(self.parts))
        elif kind == "wilson" and is_plain and not self.metric.has_test:
            by_wilson, pvalue = self.wilson_test(x, alternative, error, low_high)
            statistic = statistic if np.isnan(pvalue) else by_wilson
        if not np.isnan(pvalue):
            return statistic, pvalue

        def interval_at(level: float) -> ConfidenceInterval:
            return self.interval(kind, error, level=level, draws=draws)

        pvalue = inverted_pvalue(interval_at, self.value, x)
        if draws is not None and kind == "percentile":
            # No more than replicates can tell.
            pvalue = min(max(pvalue, 2 / (len(draws) + 1)), 1.0)
        return statistic, sided_pvalue(pvalue, self.value - x, alternative)

    def wilson_test(
        self,
        x: float,
        alternative: Alternative,
        error: float,
        bounds: tuple[float, float] | None = None,
    ) -> tuple[float, float]:
        """Return the statistic and the p-value by which Wilson's interval ends at x."""
        found = self._augmented(error**2, 1.0)
        bottom, top = found.bounds
        low, high = bounds or found.bounds
        if not (np.isfinite([low, high]).all() and low < x < high):
            return _NAN, _NAN
        # Where a window holds no part of the curve, or weights are those of next to no
        # case, no variance is left to measure the distance by.
        room = (found.value - bottom) * (top - found.value)
        if not room > 0:
            return _NAN, _NAN
        scale = (x - low) * (high - x) / room
        spread_at_x = float(np.sqrt(found.variance * scale))
        distance = standardised(self.value - x, spread_at_x)
        if spread_at_x == distance == 0:
            # As of a recall where all cases are processed.
            return distance, 1.0
        return distance, t_pvalue(distance, alternative, found.freedom)

    def warn_of_few_positives(self) -> None:
        """Warn where folds are so small that their mean is off, whatever its error."""
        if len(self.each) < 2:
            return
        metric, is_known = self.metric, not np.isnan(self.bias)
        enough: float = metric.least_positives if is_known else metric.enough_positives
        ranked = self._with_units(self._clusters)
        sizes = np.mean([one.effective_sizes for one in ranked], axis=0)
        held, n_held = "positives", float(sizes[0])
        if self._clusters is not None:
            held = "clusters with positives"
        in_window, n_in_window = metric.least_in_window(*sizes.tolist())
        if n_in_window < np.inf:
            held, n_held = f"{in_window} in the window", n_in_window
            enough = _FEW_IN_FOLDS
        if n_held >= enough:
            return
        is_counted = is_known and metric.enough_positives > 0
        counted = (
            "allows for a part of that" if is_counted else "does not count that in"
        )
        warn(
            f"The {metric.name} of {len(self.each)} folds, whose mean is over folds "
            f"with {n_held:.3g} {held} each, is biased against one large sample: with "
            f"fewer than {enough:g} the more so the fewer there are, and the interval "
            f"{counted}. Take fewer folds, or a metric that does not depend on the "
            "size of a sample, such as the AUC or the recall at a rate."
        )

    @property
    def of_one_class(self) -> float:
        """What folds of one class add to the mean."""
        return sum(one.value for one in self.one_class) / self.n_rankings

    def _with_one_class(self, mean: float) -> float:
        """Return the mean with folds of one class, of that over the others."""
        return len(self.each) / self.n_rankings * mean + self.of_one_class

    @lazy
    def _clusters(self) -> IntArray | None:
        """The cluster of each row of the folds."""
        if self.folds is None or self.folds.clusters is None:
            return None
        return check_groups("clusters", self.folds.clusters).codes

    @lazy
    def _cases_of_rows(self) -> tuple[IntArray, IntArray] | None:
        """The first row of each case, and the case of each row; None if it has one."""
        if self.n_repeats == 1 or self.folds is None or self._clusters is not None:
            return None
        assert self.folds.indices is not None
        rows = self.folds.indices[np.concatenate(self.rows)]
        _, firsts, cases = np.unique(rows, return_index=True, return_inverse=True)
        return firsts, cases

    @lazy
    def _row_weights(self) -> FloatArray:
        """The weight of each row of the folds."""
        return np.concatenate([one.row_weights for one in self.ranked])

    @lazy
    def _effective_sizes(self) -> FloatArray:
        """The effective sizes of the classes, of shape (n_folds, 2)."""
        return np.array([one.effective_sizes for one in self.ranked])

    @property
    def has_all_clusters(self) -> BoolArray:
        """Whether each fold has all clusters of its group of folds.

        These are then centred within the classes of each fold.
        """
        found = self.cases.has_all_clusters
        return np.zeros(len(self.each), dtype=bool) if found is None else found

    def _cluster_sizes(self, fold: int) -> list[FloatArray]:
        """Return the sizes of the clusters of a fold, of both classes and in all."""
        assert self._clusters is not None
        one, clusters = self.each[fold].ranked, self._clusters[self.rows[fold]]
        codes = np.unique(clusters, return_inverse=True)[1]
        of_class = (
            np.bincount(codes, one.row_weights * c) for c in (one.is_pos, ~one.is_pos)
        )
        pos, neg = (sizes.astype(np.float64) for sizes in of_class)
        return [pos[pos > 0], neg[neg > 0], pos + neg]

    @lazy
    def class_units(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The units of each class in each fold, how often squares count, and of means.

        The first two have the shape (n_folds, 2). A factor is infinite if there is
        next to one unit.
        """
        sizes, of_means = self._effective_sizes.copy(), np.ones(len(self.each))
        factors = np.divide(
            sizes, sizes - 1, out=np.full_like(sizes, np.inf), where=sizes >= 2
        )
        for i in np.flatnonzero(self.has_all_clusters).tolist():
            *by_class, of_all = self._cluster_sizes(i)
            sizes[i] = list(map(effective_number, by_class))
            factors[i] = [
                centring_factors(own)[0] if size >= _LEAST_UNITS else np.inf
                for own, size in zip(by_class, sizes[i], strict=True)
            ]
            of_means[i] = centring_factors(of_all)[0]
        return sizes, factors, of_means

    @property
    def _factors(self) -> tuple[FloatArray, FloatArray]:
        """How often squares count, of shape (n_folds, 2), and those of class means."""
        sizes, factors, of_means = self.class_units
        is_known = np.isfinite(factors)
        # The variance of a single sample is s^2 / 1, with s^2 from the other folds.
        inverse = 1 / sizes
        lacking = inverse.sum(axis=0) / np.where(is_known, inverse, 0).sum(axis=0)
        factors = lacking * np.where(is_known, factors, 1)
        of_cases = self._effective_sizes
        if self.metric.is_two_sample:
            # Of these metrics they are in the influence.
            already = of_cases / np.maximum(of_cases - 1, of_cases / 2)
        else:
            # As of one fold, whose variances of these metrics are divided by m.
            already = 1 / (1 - self.n_repeats / sizes.sum(axis=0))
        return factors / already, of_means

    def _with_units(self, units: IntArray | None) -> list[Ranked]:
        """Return the rankings with the clusters in each."""
        if units is None:
            return self.ranked
        return [
            replace(one, clusters=np.unique(units[rows], return_inverse=True)[1])
            for one, rows in zip(self.ranked, self.rows, strict=True)
        ]

    def _mean_range(self, ranges: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """Return the range of the mean."""
        low, high = np.mean(ranges, axis=0).tolist()
        return self._with_one_class(low), self._with_one_class(high)

    def _augmented(self, variance: float, factor: float) -> Augmented:
        """Return the mean over rankings to which a tenth of a case is added in all."""
        if self.cases.estimated is not None:
            return self._augmented_estimate(factor**2 * variance)
        added = ADDED * self.n_repeats / len(self.each)
        pairs = zip(self.metrics, self._with_units(self._clusters), strict=True)
        found = [
            augmented(*pair, stratify=self.stratify, added=added) for pair in pairs
        ]
        parts = self._sum_of_parts([one.parts for one in found])
        # The most degrees of freedom that a class has in the sum; repeats are as one.
        by_class = np.array([one.parts[:2] for one in found])
        squares = np.add.reduce(by_class**2 / [one.freedoms for one in found])
        of_sum = np.add.reduce(by_class) ** 2 / self.n_repeats
        most = np.divide(of_sum, squares, out=np.full(2, np.inf), where=squares > 0)
        freedoms = most[0].item(), most[1].item()
        return Augmented(
            self._with_one_class(float(np.mean([one.value for one in found]))),
            parts,
            self._mean_range([one.bounds for one in found]),
            freedoms,
            self.freedom(parts, freedoms),
            factor**2 * self._design_effect(variance),
        )

    def _augmented_estimate(self, variance: float) -> Augmented:
        """Return the same of estimated labels, as of a share of so many cases."""
        low, high = self.bounds
        value = min(max(self.value, low), high)
        room = (value - low) * (high - value)
        size = min(self.cases.effective_sizes)
        if not is_rounding(variance) and room > NEGLIGIBLE:
            size = room / variance
        value = (size * value + ADDED / 2 * (low + high)) / (size + ADDED)
        room = (value - low) * (high - value)
        parts = Parts(0.0, 0.0, max(room / (size + ADDED), variance))
        return Augmented(value, parts, (low, high), freedom=self.freedom(parts))

    def _design_effect(self, variance: float) -> float:
        """Return how many times as great it is as if all cases were independent."""
        # Repeats that are all alike tell no more than one.
        effect = float(self.n_repeats)
        if is_rounding(variance):
            return effect
        if self.folds is None and self.cases.is_plain:
            independent = self.parts.total
        else:
            ranked = self._with_units(self._clusters)
            independent = self._sum_of_parts(
                [
                    table_variance(
                        metric, one.table, stratify=self.stratify,
                        sizes=one.effective_sizes,
                    )
                    for metric, one in zip(self.metrics, ranked, strict=True)
                ]
            ).total  # fmt: skip
        # Without variation there is nothing to compare.
        if np.isnan(variance) or not is_rounding(independent):
            effect = variance / (independent or 1.0)
        return effect

    def _sum_of_parts(self, parts: Sequence[Parts]) -> Parts:
        """Return the parts of the variance of the mean."""
        return Parts(*(np.sum(parts, axis=0) / self.n_rankings**2).tolist())

    def _interval_of_tests(self, level: float, factor: float) -> ConfidenceInterval:
        """Return the intervals by the tests of all rankings, combined (Zou, Donner)."""
        effect = self._design_effect(self.parts.total) / self.n_repeats
        # The variance of the recall is mostly that of the positives.
        freedom = self.freedom(Parts(1.0, 0.0, 0.0))
        quantile = t_quantile(level, freedom) * factor * float(np.sqrt(effect))
        below = above = 0.0
        ranked = self._with_units(self._clusters)
        for one, units in zip(self.each, ranked, strict=True):
            sizes = Sizes(*units.effective_sizes, are_fixed=self.stratify)
            low, high = one.metric.not_rejected(units.table, sizes, quantile)
            below += max(one.value - low, 0.0) ** 2
            above += max(high - one.value, 0.0) ** 2
        away = np.sqrt(np.array([below, above]) * self.n_repeats)
        below, above = (away / self.n_rankings).tolist()
        return ConfidenceInterval(self.value - below, self.value + above)


def replicates_of(models: Sequence[Measured], plan: Plan, name: str) -> FloatArray:
    """Return replicates of a mean over rankings, or of the difference of two models."""
    first = models[0]
    shares = [plan] if first.folds is None else plan.split(len(first.each))
    is_permuted = plan.method == "permutation"
    found = []
    for i, (share, *both) in enumerate(
        zip(shares, *(model.units_to_draw() for model in models), strict=True)
    ):
        metrics = [model.each[i].metric for model in models]
        if is_permuted:
            draw, widths = exchange_draw(*both)
        else:
            if len(models) == 1:
                both = [condensed(metrics[0], both[0])]
            by_law = plan.method == "parametric"
            draw = resample_draw(both, stratify=first.stratify, is_parametric=by_law)
            widths = widths_of(both)
        draws = share.replicates(name, draw, statistic_of(metrics, widths))
        if both[0].clusters is not None and not is_permuted:
            # Of k clusters, resamples vary (k - 1) / k times as much.
            draws = stretched(draws, float(np.sqrt(both[0].unit_factors[0])), plan)
        found.append(draws)
    if first.folds is None:
        return np.asarray(found[0])
    # Undefined ones are left out, of some folds more.
    n_least = min(map(len, found))
    draws = np.mean([draws[:n_least] for draws in found], axis=0)
    draws *= len(found) / first.n_rankings
    if is_permuted:
        return np.asarray(draws)
    others = sum(model.of_one_class for model in models[1:])
    return np.asarray(draws + first.of_one_class - others)


def stretched(draws: FloatArray, factor: float, plan: Plan) -> FloatArray:
    """Return replicates that are so many times as far from their center."""
    center = 0.0 if plan.method == "permutation" else draws.mean()
    return np.asarray(center + factor * (draws - center))


def warn_of_turned(
    models: Iterable[tuple[str, Any, ConfidenceInterval | None]],
) -> None:
    """Warn, once, of models whose interval is worse than scores that say nothing.

    They come with the argument that ranks, and the interval if it is known. Their AUC
    must be so, too: at the top of a good ranking there may be few positives.
    """
    turned = []
    for argument, model, ends in models:
        sign, chance = (1 if model.metric.greater_is_better else -1), model.chance
        if not (sign * model.value < sign * chance and model.auc < 0.5):
            continue
        known = model.interval() if ends is None else ends
        if sign * (known.high if sign > 0 else known.low) < sign * chance:
            turned.append((argument, model.metric, known, chance))
    if not turned:
        return
    _, metric, ends, chance = turned[0]
    names = " and ".join(dict.fromkeys(argument for argument, *_ in turned))
    side = "below" if metric.greater_is_better else "above"
    warn(
        f"Scores may be turned round in {names}: the {metric.name} has the "
        f"interval [{ends.low:.4g}, {ends.high:.4g}], all {side} the "
        f"{chance:.4g} of scores that say nothing. High scores, and the first "
        "categories of a table, must mean positive: name that label by pos_label, or "
        "change the sign of the scores."
    )
