"""Metrics of groups of people, who share one queue or have rankings of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.data.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    divide_or_nan,
    dot,
    parts,
)
from skrate.data.checks import (
    Check,
    check_arguments,
    check_choice,
    check_equal_length,
    check_fraction,
    check_index,
    shown,
    warn,
)
from skrate.data.ranking import check_groups, require_scores
from skrate.data.table import build_weight_table, merge_except_cuts
from skrate.inference.cautions import warn_small_budget, warn_small_sample
from skrate.inference.compare import compare_pairs
from skrate.inference.evaluation import Difference, Evaluation
from skrate.inference.intervals import (
    ADDED,
    ADJUSTMENTS,
    Adjust,
    Augmented,
    augmented_mean,
    compare_values,
    hybrid_interval,
    wilson_interval,
)
from skrate.inference.models import evaluate
from skrate.inference.options import Plan
from skrate.inference.rankings import (
    SAMPLE_ARGUMENTS,
    WEIGHTS,
    Ranked,
    Rankings,
    Weights,
    add_model_scores,
    check_samples,
)
from skrate.inference.units import LEAST_UNITS
from skrate.inference.variance import (
    covariance,
    is_zero_variance,
    scaled_units,
    unit_covariance,
)
from skrate.metrics.at_rate import PrecisionAtRate, RecallAtRate
from skrate.metrics.hypothesis_tests import (
    ALTERNATIVES,
    Alternative,
    ConfidenceInterval,
)
from skrate.metrics.metric import (
    METRICS,
    Metric,
    MetricLike,
    check_parameters,
    find_metric,
    suggest_arguments,
    unwrap,
)
from skrate.metrics.recall import bandwidth, cut_positive_fraction, mean_and_moved
from skrate.metrics.result_types import (
    Comparison,
    Comparisons,
    Drawn,
    Params,
    Rows,
    params_text,
    plain_columns,
    rendered,
)
from skrate.rates.distributions import RateDistribution, RateLike, fixed_rate, rate_cuts

Share = Literal["processed", "recall", "precision", "fpr"]
_NEG, _POS, _ALL = range(3)
# Of each: its name; the class that it counts among the processed samples; the class of
# its denominator (for the precision, only processed samples); the denominator in words.
SHARES: dict[Share, tuple[str, int, int, str]] = {
    "processed": ("Fraction processed", _ALL, _ALL, "samples"),
    "recall": ("Recall", _POS, _POS, "positive samples"),
    "precision": ("Precision", _POS, _ALL, "processed samples"),
    "fpr": ("False positive rate", _NEG, _NEG, "negative samples"),
}
_KINDS: dict[Any, Share] = {RecallAtRate: "recall", PrecisionAtRate: "precision"}
_ARGUMENTS: dict[str, Check] = {"confidence_level": check_fraction, "weights": WEIGHTS}
_NAN = float("nan")
_UNKNOWN = ConfidenceInterval(_NAN, _NAN)


@suggest_arguments
def subgroup_scores(
    metric: MetricLike | Share | Sequence[MetricLike | Share],
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    by: ArrayLike,
    rate: RateLike | None = None,
    k: int | None = None,
    confidence_level: float = 0.95,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
) -> SubgroupScores:
    r"""Compute metrics of groups that share one queue, or the AUC of each group.

    A clinic calls in the tenth with the highest scores, women and men alike: which
    fraction of the ill women does it find, and which of the ill men? The cut is the
    same for all groups. With ``groups=``, as in :func:`group_scores`, each list has its
    own cut. A metric of a whole ranking, such as "roc_auc", is computed from the
    samples of each group.

    Parameters
    ----------
    metric : str, callable or a list of these
        "processed" is the fraction of a group that is processed, also called selection
        rate. "recall", "precision" and "fpr" (the false positive rate) are computed
        among the samples of a group. Or one metric of a whole ranking, such as
        "roc_auc" or "average_precision", or a :func:`functools.partial` with its
        parameters.
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    by : array-like of shape (n_samples,)
        The group of each sample: integers, strings or other labels, at least two.
    rate : float, "uniform" or distribution, default=None
        The fraction of all samples that is processed, in (0, 1]. If it is uncertain, a
        frozen ``scipy.stats`` distribution, one from :mod:`skrate.rates`, or "uniform":
        all rates from 0 to 1 are equally likely. Random rates outside [0, 1] are
        clipped. Metrics of a whole ranking get it if they have this parameter.
    k : int, default=None
        Instead of ``rate``: the number of processed samples, at least 1 (not with
        ``sample_weight``).
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient. Clusters are independent,
        samples within a cluster need not be.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    weights : {"frequency", "sampling"}, default="frequency"
        The meaning of the weights: "frequency" are whole numbers of repetitions of a
        sample, "sampling" are the inverse probabilities with which samples were drawn.
        For a case-control study, use the average precision with its ``prevalence=``.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.

    Returns
    -------
    scores : SubgroupScores
        A row for each metric and group, with ``values`` in [0, 1], ``intervals``,
        ``standard_errors``, the ``covariance`` of all rows, and ``differences()``. For
        random scores, the values of each group are the rate, its precision is its
        prevalence, and its AUC 0.5. nan where undefined, such as the recall of a group
        without positives.

    Raises
    ------
    ValueError
        If the metric is unknown; :func:`estimate` would refuse the rate, ``k``, labels,
        scores, weights or clusters; ``by`` has only one group; or, for a metric of a
        whole ranking, a cluster is in several groups.

    Warns
    -----
    UndefinedMetricWarning
        Once, if a group has no sample in the denominator of a metric, or only one and
        therefore a standard error of nan.
    UserWarning
        If at a fixed rate fewer than 5 samples are above the cut or tied with the cut.

    See Also
    --------
    group_scores : Each list is a separate queue.

    Notes
    -----
    Let :math:`m_i` be the probability that sample i is processed, equal for ties. Then

    .. math:: \text{recall}_g = \frac{\sum_{i \in g} y_i m_i}{\sum_{i \in g} y_i},
              \qquad
              \text{precision}_g = \frac{\sum_{i \in g} y_i m_i}{\sum_{i \in g} m_i}.

    The processed fraction and the false positive rate are defined like the recall, over
    all samples or the negatives of g. For an uncertain rate, numerator and denominator
    are expectations, while :func:`precision_at_rate_score` is the mean of the ratio.
    :func:`recall_at_rate_score` and :func:`precision_at_rate_score`, or their names,
    mean "recall" and "precision" here. A sample above the cut pushes another sample
    below the cut, perhaps of another group. Therefore the values of groups are
    correlated: :ref:`one_queue`. Intervals are Wilson's, as in :func:`estimate`. Cost:
    one sort, and O(n) for each pair of rows, less at a fixed rate.

    Examples
    --------
    Five of eight samples are processed:

    >>> from skrate import subgroup_scores
    >>> y_true = [1, 1, 0, 1, 1, 0, 1, 0]
    >>> y_score = [8, 7, 6, 5, 4, 3, 2, 1]
    >>> sex = ["f", "f", "m", "m", "m", "f", "f", "m"]
    >>> scores = subgroup_scores(
    ...     "recall", y_true, y_score, by=sex, rate=0.625
    ... )
    >>> scores.groups.tolist(), scores.values.round(3).tolist()
    (['f', 'm'], [0.667, 1.0])

    How well does the model rank the samples of each group?

    >>> y_true, sex = [1, 0, 1, 0, 1, 1, 0, 0], list("ffffmmmm")
    >>> subgroup_scores("roc_auc", y_true, y_score, by=sex).values.tolist()
    [0.75, 1.0]
    """
    arguments = check_arguments(_ARGUMENTS, locals())
    requested, params, ranking_metric = _check_metrics(metric, rate, k)
    options = {name: arguments[name] for name in SAMPLE_ARGUMENTS}
    samples = check_samples(y_true, weights=weights, **options)
    samples = add_model_scores(samples, "y_score", require_scores(y_score, y_true))
    codes, labels = _check_subgroups(by, samples)
    if ranking_metric is not None:
        plan = Plan.of(arguments, interval="wilson")
        return _compare_subgroups(ranking_metric, samples, (codes, labels), plan)
    recall = RecallAtRate(**params)
    recall = recall.bind_sample_size(
        samples.total, is_weighted=samples.weights is not None
    )
    rate_or_none = fixed_rate(recall.distribution)
    if rate_or_none is not None:
        warn_small_budget(recall, rate_or_none, samples)
    times = samples.row_weights if samples.are_repetitions else np.ones(len(codes))
    scores = SubgroupScores(
        metrics=tuple(name for name in requested for _ in labels),
        groups=np.tile(labels, len(requested)),
        n_items=np.tile(np.bincount(codes, times), len(requested)),
        n_pos=np.tile(np.bincount(codes, times * samples.is_pos), len(requested)),
        confidence_level=arguments["confidence_level"],
        params={name: rendered(param) for name, param in params.items()},
        **_queue_fields(requested, samples, codes, recall.distribution),
    )
    _warn_empty_groups(scores, are_clusters=clusters is not None)
    return scores


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupScores(Drawn, Rows):
    """Metrics of groups that share one queue, from :func:`skrate.subgroup_scores`.

    A row is a metric of a group; arrays have the shape (n_rows,).

    Attributes
    ----------
    metrics : tuple of str
        The metric of each row: "processed", "recall", "precision" or "fpr", or the name
        of a metric of rankings.
    groups : array
        The group of each row.
    values : array
        The value of each row; nan where undefined.
    n_items, n_pos : array
        Number of samples of the group, and of its positives; repetitions count.
    covariance : array of shape (n_rows, n_rows)
        Of the values: ``c @ values`` has the variance ``c @ covariance @ c``.
    overall : dict
        The metrics of all samples together.
    confidence_level : float
        Level of the intervals.
    params : dict
        The "rate" or "k".

    Examples
    --------
    >>> from skrate import subgroup_scores
    >>> y_true, y_score = [1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1]
    >>> by = [1, 1, 1, 2, 2, 2]
    >>> subgroup_scores("processed", y_true, y_score, by=by, k=5)
    SubgroupScores(k=5, 95 % intervals:
      processed  1  1.0000  [0.1434, 1.0000]
      processed  2  0.6667  [0.1752, 0.9496])
    """

    metrics: tuple[str, ...]
    groups: Array
    values: FloatArray
    n_items: FloatArray
    n_pos: FloatArray
    covariance: FloatArray
    overall: dict[str, float]
    confidence_level: float
    params: Params
    # The effective size of each denominator, and the probabilities that the first and
    # the last sample of the ranking are processed.
    _sizes: FloatArray
    _reach: FloatArray
    # The evaluation of each row, for metrics of whole rankings.
    _evaluations: tuple[Evaluation, ...] = ()
    _index = "group"

    @property
    def standard_errors(self) -> FloatArray:
        """Estimated standard deviation of each value over samples."""
        return np.sqrt(self.covariance.diagonal())

    @property
    def intervals(self) -> FloatArray:
        """The ends of the intervals, of shape (n_rows, 2)."""
        rows = range(len(self.values))
        return np.array([self._interval(i, self.confidence_level) for i in rows])

    def differences(
        self,
        metric: str | None = None,
        *,
        reference: Any = None,
        adjust: Adjust = "holm",
        alternative: Alternative = "two-sided",
    ) -> Comparisons:
        """Return differences between groups, with tests and adjusted p-values.

        Parameters
        ----------
        metric : {"processed", "recall", "precision", "fpr"}, default=None
            Which metric, if there are several.
        reference : label, default=None
            The group that all other groups are compared with; None compares all pairs.
            To compare one group with the rest, compute scores with ``by == group``.
        adjust : {"holm", "bh"}, default="holm"
            How p-values are adjusted for the number of pairs.
        alternative : {"two-sided", "less", "greater"}, default="two-sided"
            The alternative hypothesis; "greater": the first group has the larger value.

        Returns
        -------
        differences : Comparisons
            As from :func:`compare`, for groups instead of models.

        Raises
        ------
        ValueError
            If ``metric``, ``reference`` or an option is unknown.

        Notes
        -----
        Intervals of differences combine the intervals of both groups with their
        correlation (Zou and Donner 2008). The p-value is 1 minus the level of the
        interval that ends at 0.
        """
        options: dict[str, Check] = {"adjust": ADJUSTMENTS, "alternative": ALTERNATIVES}
        check_arguments(options, locals())
        known = list(dict.fromkeys(self.metrics))
        if metric is None and len(known) == 1:
            metric = known[0]
        share = check_choice("metric", metric, known)
        rows = [i for i, name in enumerate(self.metrics) if name == share]
        level = self.confidence_level
        plan = Plan(confidence_level=level, alternative=alternative)

        def compare_two(i: int, j: int, plan: Plan) -> Comparison:
            return self._difference(rows[i], rows[j], plan)

        return compare_pairs(
            tuple(str(self.groups[i]) for i in rows),
            compare_two,
            plan,
            covariance=self.covariance[np.ix_(rows, rows)],
            adjust=adjust,
            reference=reference,
            what="group",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per metric and group, with the rate."""
        low, high = self.intervals.T
        columns = {"metric": self.metrics, "group": self.groups, "value": self.values}
        columns |= {"standard_error": self.standard_errors, "low": low, "high": high}
        columns |= {"n_items": self.n_items, "n_pos": self.n_pos}
        return plain_columns(columns, **self.params)

    def _augmented(self, i: int) -> Augmented:
        """Return the mean of a row with a tenth of a sample added."""
        low, high = (0.0, 1.0) if self.metrics[i] == "precision" else self._reach
        return augmented_mean(
            float(self.values[i]),
            float(self.covariance[i, i]),
            float(self._sizes[i]),
            ends=(float(low), float(high)),
            bounds=(0.0, 1.0),
            dof=max(float(self._sizes[i]) - 1, 1.0),
        )

    def _interval(self, i: int, level: float) -> ConfidenceInterval:
        """Return Wilson's interval of a row."""
        if self._evaluations:
            model = self._evaluations[i]
            return model.interval(level=level) if model.is_known else _UNKNOWN
        v = float(self.values[i])
        if np.isnan(self.covariance[i, i]):
            return _UNKNOWN
        if self.metrics[i] != "precision" and self._reach[0] == self._reach[1]:
            return ConfidenceInterval(v, v)
        return wilson_interval(v, (0.0, 1.0), level, self._augmented(i))

    def _difference(self, i: int, j: int, plan: Plan) -> Comparison:
        """Return the comparison of two rows, with a test that inverts the interval."""
        if self._evaluations:
            return (Difference(self._evaluations[i], self._evaluations[j])).comparison(
                plan
            )
        a, b = float(self.values[i]), float(self.values[j])
        variances, cov = self.covariance[[i, j], [i, j]], self.covariance[i, j]
        error = float(np.sqrt(np.maximum(variances.sum() - 2 * cov, 0.0)))
        # The added samples have variances of their own. Otherwise, two rows that vary
        # only by the cut would differ with certainty.
        augmented = np.array([self._augmented(row).variance for row in (i, j)])
        sizes = np.array([self._sizes[i], self._sizes[j]])
        cov *= np.prod(sizes / (sizes + ADDED))
        varies = not is_zero_variance(variances.min())
        correlation = float(cov / np.sqrt(augmented.prod())) if varies else 0.0
        if not 0 < min(a, b) <= max(a, b) < 1:
            # If all or none are processed, only the cut shows variation.
            correlation = min(correlation, 0.0)

        def interval_at(level: float) -> ConfidenceInterval:
            ends = self._interval(i, level), self._interval(j, level)
            return hybrid_interval((a, b), ends, correlation)

        # A standard error of 0 makes `compare_values` test by `interval_at`.
        name, params, limits = (
            SHARES[cast(Share, self.metrics[i])][0],
            self.params,
            (-1.0, 1.0),
        )
        comparison = compare_values(
            name,
            (a, b),
            plan,
            standard_error=0 * error,
            limits=limits,
            params=params,
            interval_at=interval_at,
        )
        return replace(comparison, standard_error=error)

    def __repr__(self) -> str:
        width = max(len(str(group)) for group in self.groups)
        lines = [
            f"\n  {name:<9}  {group!s:<{width}}  {value:.4f}  [{low:.4f}, {high:.4f}]"
            for name, group, value, (low, high) in zip(
                self.metrics, self.groups, self.values, self.intervals, strict=True
            )
        ]
        level = f"{100 * self.confidence_level:g} % intervals"
        params = params_text(self.params)[2:-1]
        params = f"{params}, " if params else ""
        return f"SubgroupScores({params}{level}:{''.join(lines)})"


def _compare_subgroups(
    metric: Metric, samples: Ranked, by: tuple[IntArray, Array], plan: Plan
) -> SubgroupScores:
    """Return the scores of the separate rankings of groups by a metric."""
    codes, labels = by
    rankings = [_select_samples(samples, codes == g) for g in range(len(labels))]
    n_units = 0 if samples.clusters is None else sum(r.n_units for r in rankings)
    if n_units > samples.n_units:
        raise ValueError(
            f"clusters must not have one cluster in several groups, because the "
            f"{metric.name} of each group's ranking assumes independent groups."
        )
    models = [
        evaluate([metric], [Rankings([ranking])], plan, are_warned=False)[0]
        for ranking in rankings
    ]
    for model in models:
        if model.is_known:
            warn_small_sample(model.rankings)
    lacking = [
        g for g, m in zip(labels.tolist(), models, strict=True) if not m.is_known
    ]
    if lacking:
        warn(
            f"The {metric.name} or its standard error is nan: there are fewer than 2 "
            f"positive or negative samples in {shown(lacking)}.",
            UndefinedMetricWarning,
        )
    variances = [model.parts.total if model.is_known else _NAN for model in models]
    (overall,) = evaluate([metric], [Rankings([samples])], plan, are_warned=False)
    sizes = np.array([ranking.sizes for ranking in rankings])
    return SubgroupScores(
        metrics=(metric.name,) * len(labels),
        groups=labels,
        n_items=sizes.sum(axis=1),
        n_pos=sizes[:, 0],
        values=np.array([model.value for model in models]),
        covariance=np.diag(variances),
        overall={metric.name: overall.value},
        confidence_level=plan.confidence_level,
        params=metric.params,
        _sizes=sizes.sum(axis=1),
        _reach=np.array([1.0, 0.0]),
        _evaluations=tuple(models),
    )


def _select_samples(samples: Ranked, chosen: BoolArray) -> Ranked:
    """Return the chosen samples as a separate ranking."""
    assert samples.scores is not None
    clusters = samples.clusters
    if clusters is not None:
        clusters = np.unique(clusters[chosen], return_inverse=True)[1]
    return Ranked(
        samples.is_pos[chosen],
        scores=samples.scores[chosen],
        weights=None if samples.weights is None else samples.weights[chosen],
        clusters=clusters,
        kind=samples.kind,
        needs_groups=True,
    )


def _queue_fields(
    requested: list[Share],
    samples: Ranked,
    codes: IntArray,
    distribution: RateDistribution,
) -> dict[str, Any]:
    """Return the fields of :class:`SubgroupScores` that depend on the queue."""
    used = sorted({of for name in requested for of in SHARES[name][1:3]})
    queue, counts, sizes = _queue(used, samples, codes, distribution)
    # The effective number of two clusters is below 2 if their sizes differ.
    least = 2.0 if samples.clusters is None else LEAST_UNITS
    parts_of, wholes, effective = np.zeros((3, len(requested), counts.shape[1]))
    ratios: dict[int, _Ratio] = {}
    for i, name in enumerate(requested):
        _, of, base, _ = SHARES[name]
        per_processed = name == "precision"
        parts_of[i], wholes[i] = counts[of], (counts if per_processed else sizes)[base]
        for g in np.flatnonzero(wholes[i] > 0).tolist():
            n_part, n_whole = parts_of[i, g], wholes[i, g]
            chosen = replace(queue.samples, is_pos=queue.chosen(base, g))
            effective[i, g] = chosen.effective_sizes[0] * (n_whole / sizes[base, g])
            if effective[i, g] >= least:
                ratio = _Ratio(of, g, n_part / n_whole, n_whole, per_processed)
                ratios[i * counts.shape[1] + g] = ratio
    matrix, rows = np.full((wholes.size, wholes.size), _NAN), list(ratios)
    if ratios:
        matrix[np.ix_(rows, rows)] = queue.covariance(list(ratios.values()))
    overall = divide_or_nan(parts_of.sum(axis=1), wholes.sum(axis=1)).tolist()
    return {
        "values": divide_or_nan(parts_of.ravel(), wholes.ravel()),
        "covariance": matrix,
        "overall": dict(zip(requested, overall, strict=True)),
        "_sizes": effective.ravel(),
        "_reach": queue.mean[[0, -1]],
    }


class _Ratio(NamedTuple):
    """The processed fraction of a class and group.

    If ``per_processed``, its fraction of the processed samples of the group.
    """

    of: int
    g: int
    value: float
    whole: float
    per_processed: bool


@dataclass(frozen=True)
class _Queue:
    """Samples with their groups, in cells of the ranking.

    The influence of a sample on the sum of the probabilities m_i over a class and group
    is m_i, or 0 if it is not in these, minus the probability that it pushes out.
    """

    samples: Ranked
    codes: IntArray
    cell: IntArray
    mean: FloatArray  # The probability of being processed, in each cell.
    pushed: dict[tuple[int, int], FloatArray]  # Out of each class and group, centred.

    def chosen(self, of: int, g: int, part: slice = slice(None)) -> BoolArray:
        """Return which samples are of the class and group."""
        chosen = self.codes[part] == g
        if of != _ALL:
            chosen &= self.samples.is_pos[part] == of
        return np.asarray(chosen)

    def influence(
        self, ratios: list[_Ratio], part: slice = slice(None)
    ) -> Iterator[FloatArray]:
        """Yield the influence of some samples on each ratio."""
        cell = self.cell[part]
        mean = self.mean.take(cell)

        @cache
        def slopes(of: int, g: int) -> FloatArray:
            pushed = self.pushed[of, g].take(cell)
            return np.asarray(self.chosen(of, g, part) * mean - pushed)

        for of, g, fraction, whole, per_processed in ratios:
            base = slopes(_ALL, g) if per_processed else self.chosen(of, g, part)
            yield (slopes(of, g) - fraction * base) * (self.samples.total / whole)

    def covariance(self, ratios: list[_Ratio]) -> FloatArray:
        """Return the covariances of ratios, summed over parts of the samples."""
        samples = self.samples
        if samples.clusters is not None:
            units = [
                scaled_units(influence, samples)
                for ratio in ratios
                for influence in self.influence([ratio])
            ]
            return unit_covariance(units, samples)
        matrix = np.zeros((len(ratios), len(ratios)))
        for part in parts(len(self.cell)):
            weights = None if samples.weights is None else samples.weights[part]
            subset = replace(samples, is_pos=samples.is_pos[part], weights=weights)
            rows = list(self.influence(ratios, part))
            matrix += covariance(rows, subset) * (subset.total / samples.total) ** 2
        return matrix


def _queue(
    used: list[int], samples: Ranked, codes: IntArray, distribution: RateDistribution
) -> tuple[_Queue, FloatArray, FloatArray]:
    """Return the queue, and the processed and all samples of each class and group."""
    cell, edges = _cells(samples, distribution)
    n_cells, n_groups = len(edges) - 1, int(codes.max()) + 1
    n_keys = 2 * n_groups * n_cells
    if samples.is_plain and n_keys < len(codes):
        # Samples of one class, group and cell become one repeated sample.
        key = (codes + n_groups * samples.is_pos) * n_cells + cell
        counts = np.bincount(key, samples.weights, n_keys).astype(float)
        key = np.flatnonzero(counts)
        class_group, cell = np.divmod(key, n_cells)
        codes = class_group % n_groups
        samples = Ranked(class_group >= n_groups, weights=counts[key], kind="frequency")
    of_all = np.bincount(cell, samples.weights, n_cells).astype(float)
    processed, sizes = np.zeros((2, 3, n_groups))
    queue = _Queue(samples, codes, cell, np.empty(n_cells), {})
    for g in range(n_groups):
        weights = np.zeros((3, n_cells))
        for of in (_NEG, _POS):
            chosen = queue.chosen(of, g)
            times = None if samples.weights is None else samples.weights[chosen]
            weights[of] = np.bincount(cell[chosen], times, n_cells)
        weights[_ALL] = weights[_NEG] + weights[_POS]
        queue.mean[:], pushed = _pushed(weights[used], of_all, edges, distribution)
        # The same sums for both: rounding must not make a part exceed its whole.
        processed[:, g] = dot(weights, queue.mean)
        sizes[:, g] = dot(weights, np.ones(n_cells))
        queue.pushed.update(zip(((of, g) for of in used), pushed, strict=True))
    return queue, processed, sizes


def _pushed(
    weights: FloatArray,
    of_all: FloatArray,
    edges: FloatArray,
    distribution: RateDistribution,
) -> tuple[FloatArray, FloatArray]:
    """Return each cell's mean, and the mass it pushes out of each sum, centred."""

    def at_cut(points: FloatArray) -> FloatArray:
        tables = [build_weight_table(n_of, of_all - n_of) for n_of in weights]
        return np.array([cut_positive_fraction([table], points) for table in tables])

    mean, pushed = mean_and_moved(distribution, edges, weights / of_all, at_cut)
    # The fraction at a cut has samples added, but no sum over an empty class changes.
    pushed *= weights.any(axis=-1, keepdims=True)
    return mean, pushed - dot(pushed, of_all)[:, None] / of_all.sum()


def _cells(
    samples: Ranked, distribution: RateDistribution
) -> tuple[IntArray, FloatArray]:
    """Return the cell of each sample in the ranking, and the rates between cells.

    Samples of a cell tie, or are equivalent: no rate is between them, nor an end of the
    neighbourhood of a rate.
    """
    table = samples.table
    if not distribution.table.is_discrete:
        return samples.group, table.rates
    points = rate_cuts(distribution)
    width = bandwidth(points, table.total)
    ends = np.concatenate([points - width, points, points + width])
    # Without positives, all groups merge except at these ends.
    no_positives = build_weight_table(np.zeros(table.n_groups), table.pos + table.neg)
    merged = merge_except_cuts(no_positives, ends, "merged")
    return merged.map_groups(table.n_groups).take(samples.group), merged.table.rates


def _check_subgroups(by: ArrayLike, samples: Ranked) -> tuple[IntArray, Array]:
    """Return the group number of each sample with weight, and the labels of groups."""
    check_index(samples.index, by=by)
    codes, labels, _ = check_groups("by", by)
    y_full = samples.is_pos if samples.kept is None else samples.kept
    check_equal_length(y_true=y_full, by=codes)
    if samples.kept is not None:
        codes, left, _ = check_groups("by", codes[samples.kept])
        labels = labels[left]
    if len(labels) < 2:
        raise ValueError(
            f"by must have at least 2 groups, got {shown(labels.tolist())}."
        )
    return codes, labels


def _check_metrics(
    metric: Any, rate: RateLike | None, k: int | None
) -> tuple[list[Share], dict[str, Any], Metric | None]:
    """Return the requested metrics of groups, and the rate of the queue, or its k.

    Or the only metric of whole rankings.
    """
    requested: list[tuple[Share, dict[str, Any]]] = []
    for entry in metric if isinstance(metric, list | tuple) else [metric]:
        named = {"rate": rate, "k": k}
        queue = {name: param for name, param in named.items() if param is not None}
        params = dict(queue)
        share = entry
        if not (isinstance(entry, str) and entry in SHARES):
            function, bound = unwrap(entry)
            params = bound | params
            share = _KINDS.get(METRICS.get(function)) if callable(function) else None
            if share == "recall" and params.pop("of", "positives") == "negatives":
                share = "fpr"
            if share is None and entry is metric:
                return [], {}, find_metric(entry, queue)
            if share is None:
                raise ValueError(
                    f"metric={shown(entry)} must be the only metric: only "
                    f"{list(SHARES)} can be combined."
                )
            check_parameters(function, params, ["rate", "k"])
        requested.append((share, params))
    if not requested or any(p != requested[0][1] for _, p in requested):
        raise ValueError(
            "metric must be one metric, or a list with the same rate or k of each, got "
            f"{shown(metric)}."
        )
    return list(dict.fromkeys(s for s, _ in requested)), requested[0][1], None


def _warn_empty_groups(scores: SubgroupScores, *, are_clusters: bool) -> None:
    """Warn once about groups with fewer than two samples in a denominator."""
    is_unknown, texts = np.isnan(scores.covariance.diagonal()), []
    units = "clusters with " if are_clusters else ""
    for share in dict.fromkeys(scores.metrics):
        affected = is_unknown & (np.array(scores.metrics) == share)
        lacking = affected & np.isnan(scores.values)
        few_of = f"fewer than 2 {units}"
        for few, chosen in (("no ", lacking), (few_of, affected & ~lacking)):
            if chosen.any():
                groups = shown(scores.groups[chosen].tolist())
                texts.append(f"{few}{SHARES[cast(Share, share)][3]} in {groups}")
    if texts:
        warn(
            f"Values or their standard errors are nan: there are {'; '.join(texts)}.",
            UndefinedMetricWarning,
        )
