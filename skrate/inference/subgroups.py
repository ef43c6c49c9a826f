"""Metrics of groups of people: of their parts of one queue, or of their rankings."""

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
    shown,
    warn,
)
from skrate.data.ranking import check_groups
from skrate.data.sample import require_scores
from skrate.data.table import build_weight_table, merge_except_cuts
from skrate.inference.cautions import warn_small_budget, warn_small_sample
from skrate.inference.compare import compare_pairs
from skrate.inference.evaluation import Difference, Evaluation, conclude
from skrate.inference.intervals import (
    ADDED,
    ADJUSTMENTS,
    Adjust,
    Augmented,
    augmented_mean,
    hybrid_interval,
    wilson_interval,
)
from skrate.inference.models import evaluate
from skrate.inference.options import Plan
from skrate.inference.rankings import (
    OF_CASES,
    WEIGHTS,
    Ranked,
    Rankings,
    Weights,
    check_cases,
    scored,
)
from skrate.inference.units import LEAST_UNITS
from skrate.inference.variance import (
    covariance,
    is_zero_variance,
    scaled_units,
    unit_covariance,
)
from skrate.metrics.at_rate import PrecisionAtRate, RecallAtRate
from skrate.metrics.hypothesis_tests import ALTERNATIVES, Alternative
from skrate.metrics.metric import (
    METRICS,
    Metric,
    MetricLike,
    check_parameters,
    find_metric,
    unwrap,
)
from skrate.metrics.recall import bandwidth, cut_positive_fraction, mean_and_moved
from skrate.metrics.result_types import (
    Comparison,
    Comparisons,
    ConfidenceInterval,
    Drawn,
    Question,
    Rows,
    plain_columns,
    question_text,
    rendered,
)
from skrate.rates.laws import RateDistribution, RateLike, fixed_rate, rate_cuts

Share = Literal["processed", "recall", "precision", "fpr"]
_NEG, _POS, _ALL = range(3)
# Each with its name, the cases of which it counts the processed ones, those of which it
# is a share (the processed ones for the precision), and what a group may lack of these.
SHARES: dict[Share, tuple[str, int, int, str]] = {
    "processed": ("Share processed", _ALL, _ALL, "cases"),
    "recall": ("Recall", _POS, _POS, "positive cases"),
    "precision": ("Precision", _POS, _ALL, "processed cases"),
    "fpr": ("False positive rate", _NEG, _NEG, "negative cases"),
}
_KINDS: dict[Any, Share] = {RecallAtRate: "recall", PrecisionAtRate: "precision"}
_ARGUMENTS: dict[str, Check] = {"confidence_level": check_fraction, "weights": WEIGHTS}
_NAN = float("nan")
_UNKNOWN = ConfidenceInterval(_NAN, _NAN)


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
    r"""Compute what each group gets where all cases are one queue, or its own AUC.

    A clinic calls in the tenth with the highest scores, women and men alike: which
    share of the ill women does it find, and which of the ill men? All groups share the
    cut. With ``groups=``, as in :func:`group_scores`, each list has another cut. A
    metric of a whole ranking, such as "roc_auc", is that of the cases of each group.

    Parameters
    ----------
    metric : str, callable or a list of these
        "processed" is the share of a group that is processed, also called selection
        rate; "recall", "precision" and "fpr", the false positive rate, refer to a
        group. :func:`recall_at_rate_score` and :func:`precision_at_rate_score`, or
        their names, mean these as well. Under a distribution of the rate, the precision
        is the expected number of positives found over the expected number processed,
        and :func:`precision_at_rate_score` is the mean of the ratio. Or one metric of
        a whole ranking, such as "roc_auc" or "average_precision".
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    by : array-like of shape (n_samples,)
        The group of each case: integers, strings or other labels, at least two.
    rate : float, "uniform" or distribution, default=None
        The fraction of all cases that is processed, in (0, 1]; or, if it is known
        roughly, a frozen ``scipy.stats`` distribution or one from :mod:`skrate.rates`.
        Rates of a distribution outside [0, 1] are clipped. Metrics of a whole ranking
        take it in a :func:`functools.partial`.
    k : int, default=None
        In place of ``rate``, how many of the cases at hand are processed, at least 1
        (not with ``sample_weight``, nor of a table whose weights are not whole).
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient: clusters are independent, cases
        within one need not be.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are: "frequency" are whole numbers of repetitions of a case,
        "sampling" the inverse probabilities with which cases were sampled. For a
        case-control sample pass ``prevalence`` to the average precision instead.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    scores : SubgroupScores
        A row for each metric and group, in [0, 1], with ``values``, ``intervals``,
        ``standard_errors``, the ``covariance`` of all rows, and ``differences()``.
        Random scores give each group the rate; its precision is then its prevalence.
        nan where undefined, as the recall of a group without positives.

    Raises
    ------
    ValueError
        If the metric is unknown, or for a rate, ``k``, labels, scores, weights or
        clusters that :func:`estimate` refuses, or ``by`` with one group only.

    Warns
    -----
    UndefinedMetricWarning
        Once, if a group has none of the cases of which a metric is a share, or fewer
        than two, so that its standard error is nan.
    UserWarning
        If a known rate leaves fewer than 5 cases above the cut or tied with it.

    See Also
    --------
    group_scores : Each list is a separate queue.

    Notes
    -----
    With :math:`m_i` the probability that case i is processed, which ties share,

    .. math:: \text{recall}_g = \frac{\sum_{i \in g} y_i m_i}{\sum_{i \in g} y_i},
              \qquad
              \text{precision}_g = \frac{\sum_{i \in g} y_i m_i}{\sum_{i \in g} m_i},

    the share processed and the false positive rate as the recall, over all cases or the
    negatives of g. A case above the cut pushes out another one, perhaps of another
    group, by which values of groups are correlated: :ref:`one_queue`. Intervals are
    Wilson's, as in :func:`estimate`. Cost: one sort, and O(n) for each pair of
    rows, less at a known rate.

    Examples
    --------
    Four of eight are processed:

    >>> from skrate import subgroup_scores
    >>> y_true = [1, 1, 0, 1, 1, 0, 1, 0]
    >>> y_score = [8, 7, 6, 5, 4, 3, 2, 1]
    >>> sex = ["f", "f", "m", "m", "m", "f", "f", "m"]
    >>> scores = subgroup_scores(
    ...     "recall", y_true, y_score, by=sex, rate=0.625
    ... )
    >>> scores.groups.tolist(), scores.values.round(3).tolist()
    (['f', 'm'], [0.667, 1.0])

    How well does the model rank the cases of each group?

    >>> y_true, sex = [1, 0, 1, 0, 1, 1, 0, 0], list("ffffmmmm")
    >>> subgroup_scores("roc_auc", y_true, y_score, by=sex).values.tolist()
    [0.75, 1.0]
    """
    arguments = check_arguments(_ARGUMENTS, locals())
    asked, params, other = _check_metrics(metric, rate, k)
    given = {name: arguments[name] for name in OF_CASES}
    cases = check_cases(y_true, weights=weights, **given)
    cases = scored(cases, "y_score", require_scores(y_score, y_true))
    codes, labels = _check_subgroups(by, cases)
    if other is not None:
        plan = Plan.of(arguments, interval="wilson")
        return _compare_subgroups(other, cases, (codes, labels), plan)
    recall = RecallAtRate(**params)
    recall = recall.bind_sample_size(cases.total, is_weighted=cases.weights is not None)
    known = fixed_rate(recall.law)
    if known is not None:
        warn_small_budget(recall, known, cases)
    times = cases.row_weights if cases.are_repetitions else np.ones(len(codes))
    scores = SubgroupScores(
        metrics=tuple(share for share in asked for _ in labels),
        groups=np.tile(labels, len(asked)),
        n_items=np.tile(np.bincount(codes, times), len(asked)),
        n_pos=np.tile(np.bincount(codes, times * cases.is_pos), len(asked)),
        confidence_level=arguments["confidence_level"],
        params={name: rendered(value) for name, value in params.items()},
        **_queue_fields(asked, cases, codes, recall.law),
    )
    _warn_empty_groups(scores, are_clusters=clusters is not None)
    return scores


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupScores(Drawn, Rows):
    """What each group gets of one queue, as :func:`skrate.subgroup_scores` returns it.

    A row is a metric of a group; arrays have the shape (n_rows,).

    Attributes
    ----------
    metrics : tuple of str
        The metric of each row: "processed", "recall", "precision" or "fpr", or the name
        of a metric of rankings.
    groups : array
        The group of each row.
    values : array
        Its value; nan where it is undefined.
    n_items, n_pos : array
        Number of cases of the group, and of its positives; repetitions count.
    covariance : array of shape (n_rows, n_rows)
        Of the values: ``c @ values`` has the variance ``c @ covariance @ c``.
    overall : dict
        The metrics of all cases together.
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
    params: Question
    # Independent cases of which each is a share, and the probabilities with which the
    # first and the last of a ranking are processed.
    _sizes: FloatArray
    _reach: FloatArray
    # Of metrics of rankings, that of each row.
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
            Which metric, where there are several.
        reference : label, default=None
            The group that all others are compared with; None compares all pairs. For
            one group against the rest, score them ``by == group``.
        adjust : {"holm", "bh"}, default="holm"
            How p-values are adjusted for the number of pairs.
        alternative : {"two-sided", "less", "greater"}, default="two-sided"
            What a small p-value speaks for; "greater": the first group has more.

        Returns
        -------
        differences : Comparisons
            As of :func:`compare`, of groups in place of models.

        Raises
        ------
        ValueError
            If ``metric`` or ``reference`` is not here, or an option is unknown.

        Notes
        -----
        Intervals of differences combine the intervals of both groups with their
        correlation (Zou and Donner 2008); the p-value is the level at which one ends at
        0.
        """
        options: dict[str, Check] = {"adjust": ADJUSTMENTS, "alternative": ALTERNATIVES}
        check_arguments(options, locals())
        known = list(dict.fromkeys(self.metrics))
        if metric is None and len(known) == 1:
            metric = known[0]
        share = check_choice("metric", metric, known)
        rows = [i for i, of in enumerate(self.metrics) if of == share]
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
        """Return a row with a tenth of a sample added."""
        low, high = (0.0, 1.0) if self.metrics[i] == "precision" else self._reach
        return augmented_mean(
            float(self.values[i]),
            float(self.covariance[i, i]),
            float(self._sizes[i]),
            ends=(float(low), float(high)),
            bounds=(0.0, 1.0),
            freedom=max(float(self._sizes[i]) - 1, 1.0),
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
        """Return the comparison of two rows, by a test that is turned round."""
        if self._evaluations:
            return (Difference(self._evaluations[i], self._evaluations[j])).comparison(
                plan
            )
        a, b = float(self.values[i]), float(self.values[j])
        own, shared = self.covariance[[i, j], [i, j]], self.covariance[i, j]
        error = float(np.sqrt(np.maximum(own.sum() - 2 * shared, 0.0)))
        # What is added to a row varies by itself: two rows that vary by the cut alone
        # would else be known to differ without a doubt.
        wider = np.array([self._augmented(row).variance for row in (i, j)])
        sizes = np.array([self._sizes[i], self._sizes[j]])
        shared *= np.prod(sizes / (sizes + ADDED))
        known = not is_zero_variance(own.min())
        correlation = float(shared / np.sqrt(wider.prod())) if known else 0.0
        if not 0 < min(a, b) <= max(a, b) < 1:
            # Where all or none are found the sample shows no variation but the cut's.
            correlation = min(correlation, 0.0)

        def interval_at(level: float) -> ConfidenceInterval:
            ends = self._interval(i, level), self._interval(j, level)
            return hybrid_interval((a, b), ends, correlation)

        # As of a difference that shows no variation, whose test is this, too.
        name, params, limits = (
            SHARES[cast(Share, self.metrics[i])][0],
            self.params,
            (-1.0, 1.0),
        )
        found = conclude(
            name,
            (a, b),
            plan,
            standard_error=0 * error,
            limits=limits,
            params=params,
            interval_at=interval_at,
        )
        return replace(found, standard_error=error)

    def __repr__(self) -> str:
        width = max(len(str(group)) for group in self.groups)
        lines = [
            f"\n  {of:<9}  {group!s:<{width}}  {value:.4f}  [{low:.4f}, {high:.4f}]"
            for of, group, value, (low, high) in zip(
                self.metrics, self.groups, self.values, self.intervals, strict=True
            )
        ]
        level = f"{100 * self.confidence_level:g} % intervals"
        asked = question_text(self.params)[2:-1]
        asked = f"{asked}, " if asked else ""
        return f"SubgroupScores({asked}{level}:{''.join(lines)})"


def _compare_subgroups(
    metric: Metric, cases: Ranked, by: tuple[IntArray, Array], plan: Plan
) -> SubgroupScores:
    """Return a metric of the ranking of each group."""
    codes, labels = by
    rankings = [_select_samples(cases, codes == g) for g in range(len(labels))]
    held = 0 if cases.clusters is None else sum(one.n_units for one in rankings)
    if held > cases.n_units:
        raise ValueError(
            f"clusters has cases of one cluster in several groups, and a metric of the "
            f"ranking of each, the {metric.name}, takes groups to be independent."
        )
    models = [
        evaluate([metric], [Rankings([one])], plan, are_warned=False)[0]
        for one in rankings
    ]
    for one in models:
        if one.is_known:
            warn_small_sample(one.metrics, one.ranked)
    lacking = [
        of for of, one in zip(labels.tolist(), models, strict=True) if not one.is_known
    ]
    if lacking:
        warn(
            f"The {metric.name} or its standard error is nan: there are fewer than 2 "
            f"positive or negative cases in {shown(lacking)}.",
            UndefinedMetricWarning,
        )
    variances = [one.parts.total if one.is_known else _NAN for one in models]
    (overall,) = evaluate([metric], [Rankings([cases])], plan, are_warned=False)
    sizes = np.array([one.sizes for one in rankings])
    return SubgroupScores(
        metrics=(metric.name,) * len(labels),
        groups=labels,
        n_items=sizes.sum(axis=1),
        n_pos=sizes[:, 0],
        values=np.array([one.value for one in models]),
        covariance=np.diag(variances),
        overall={metric.name: overall.value},
        confidence_level=plan.confidence_level,
        params=metric.question,
        _sizes=sizes.sum(axis=1),
        _reach=np.array([1.0, 0.0]),
        _evaluations=tuple(models),
    )


def _select_samples(cases: Ranked, chosen: BoolArray) -> Ranked:
    """Return some of the cases, as a sample of their own."""
    assert cases.scores is not None
    clusters = cases.clusters
    if clusters is not None:
        clusters = np.unique(clusters[chosen], return_inverse=True)[1]
    return Ranked(
        cases.is_pos[chosen],
        scores=cases.scores[chosen],
        weights=None if cases.weights is None else cases.weights[chosen],
        clusters=clusters,
        kind=cases.kind,
        by_case=True,
    )


def _queue_fields(
    asked: list[Share], cases: Ranked, codes: IntArray, law: RateDistribution
) -> dict[str, Any]:
    """Return the fields of :class:`SubgroupScores` that the queue decides."""
    used = sorted({of for share in asked for of in SHARES[share][1:3]})
    queue, found, sizes = _queue(used, cases, codes, law)
    # Two clusters count less if their sizes differ.
    least = 2.0 if cases.clusters is None else LEAST_UNITS
    parts_of, wholes, effective = np.zeros((3, len(asked), found.shape[1]))
    ratios: dict[int, _Ratio] = {}
    for i, share in enumerate(asked):
        _, of, base, _ = SHARES[share]
        per_processed = share == "precision"
        parts_of[i], wholes[i] = found[of], (found if per_processed else sizes)[base]
        for g in np.flatnonzero(wholes[i] > 0).tolist():
            part, whole = parts_of[i, g], wholes[i, g]
            chosen = replace(queue.cases, is_pos=queue.chosen(base, g))
            effective[i, g] = chosen.effective_sizes[0] * (whole / sizes[base, g])
            if effective[i, g] >= least:
                ratio = _Ratio(of, g, part / whole, whole, per_processed)
                ratios[i * found.shape[1] + g] = ratio
    matrix, rows = np.full((wholes.size, wholes.size), _NAN), list(ratios)
    if ratios:
        matrix[np.ix_(rows, rows)] = queue.covariance(list(ratios.values()))
    overall = divide_or_nan(parts_of.sum(axis=1), wholes.sum(axis=1)).tolist()
    return {
        "values": divide_or_nan(parts_of.ravel(), wholes.ravel()),
        "covariance": matrix,
        "overall": dict(zip(asked, overall, strict=True)),
        "_sizes": effective.ravel(),
        "_reach": queue.mean[[0, -1]],
    }


class _Ratio(NamedTuple):
    """The fraction processed of a class and group, or its part of those processed."""

    of: int
    g: int
    value: float
    whole: float
    per_processed: bool


@dataclass(frozen=True)
class _Queue:
    """Samples with their groups, in cells of the ranking.

    A sum of the probabilities m_i of being processed has of each sample the slope m_i,
    if it is one of them, less what it pushes out.
    """

    cases: Ranked
    codes: IntArray
    cell: IntArray
    mean: FloatArray  # The probability of being processed, in each cell.
    pushed: dict[tuple[int, int], FloatArray]  # By class and group, centred.

    def chosen(self, of: int, g: int, part: slice = slice(None)) -> BoolArray:
        """Return which samples are of the class and group."""
        chosen = self.codes[part] == g
        if of != _ALL:
            chosen &= self.cases.is_pos[part] == of
        return np.asarray(chosen)

    def influence(
        self, ratios: list[_Ratio], part: slice = slice(None)
    ) -> Iterator[FloatArray]:
        """Yield the contributions of some samples to ratios."""
        cell = self.cell[part]
        mean = self.mean.take(cell)

        @cache
        def found(of: int, g: int) -> FloatArray:
            pushed = self.pushed[of, g].take(cell)
            return np.asarray(self.chosen(of, g, part) * mean - pushed)

        for of, g, value, whole, per_processed in ratios:
            base = found(_ALL, g) if per_processed else self.chosen(of, g, part)
            yield (found(of, g) - value * base) * (self.cases.total / whole)

    def covariance(self, ratios: list[_Ratio]) -> FloatArray:
        """Return the covariances of ratios, from a part of all influence values."""
        cases = self.cases
        if cases.clusters is not None:
            units = [
                scaled_units(values, cases)
                for one in ratios
                for values in self.influence([one])
            ]
            return unit_covariance(units, cases)
        matrix = np.zeros((len(ratios), len(ratios)))
        for part in parts(len(self.cell)):
            own = None if cases.weights is None else cases.weights[part]
            some = replace(cases, is_pos=cases.is_pos[part], weights=own)
            rows = list(self.influence(ratios, part))
            matrix += covariance(rows, some) * (some.total / cases.total) ** 2
        return matrix


def _queue(
    used: list[int], cases: Ranked, codes: IntArray, law: RateDistribution
) -> tuple[_Queue, FloatArray, FloatArray]:
    """Return the queue, and sums over each class and group: processed, and all."""
    cell, edges = _cells(cases, law)
    n_cells, n_groups = len(edges) - 1, int(codes.max()) + 1
    n_places = 2 * n_groups * n_cells
    if cases.is_plain and n_places < len(codes):
        # Those of a class, group and cell as one that is repeated.
        place = (codes + n_groups * cases.is_pos) * n_cells + cell
        counts = np.bincount(place, cases.weights, n_places).astype(float)
        place = np.flatnonzero(counts)
        part, cell = np.divmod(place, n_cells)
        codes = part % n_groups
        cases = Ranked(part >= n_groups, weights=counts[place], kind="frequency")
    of_all = np.bincount(cell, cases.weights, n_cells).astype(float)
    found, sizes = np.zeros((2, 3, n_groups))
    queue = _Queue(cases, codes, cell, np.empty(n_cells), {})
    for g in range(n_groups):
        weights = np.zeros((3, n_cells))
        for of in (_NEG, _POS):
            own = queue.chosen(of, g)
            times = None if cases.weights is None else cases.weights[own]
            weights[of] = np.bincount(cell[own], times, n_cells)
        weights[_ALL] = weights[_NEG] + weights[_POS]
        queue.mean[:], pushed = _pushed(weights[used], of_all, edges, law)
        # By the same sums, so that rounding leaves no part more than its whole.
        found[:, g] = dot(weights, queue.mean)
        sizes[:, g] = dot(weights, np.ones(n_cells))
        queue.pushed.update(zip(((of, g) for of in used), pushed, strict=True))
    return queue, found, sizes


def _pushed(
    shares: FloatArray, of_all: FloatArray, edges: FloatArray, law: RateDistribution
) -> tuple[FloatArray, FloatArray]:
    """Return the mean of each cell, and what its samples push out of sums, centred."""

    def at_cut(points: FloatArray) -> FloatArray:
        tables = [build_weight_table(share, of_all - share) for share in shares]
        return np.array([cut_positive_fraction([table], points) for table in tables])

    mean, pushed = mean_and_moved(law, edges, shares / of_all, at_cut)
    # Few cases may be all of one class, for which the share at a cut allows.
    pushed *= shares.any(axis=-1, keepdims=True)
    return mean, pushed - dot(pushed, of_all)[:, None] / of_all.sum()


def _cells(cases: Ranked, law: RateDistribution) -> tuple[IntArray, FloatArray]:
    """Return the cell of the ranking that each case is in, and the rates between cells.

    Cases of a cell tie, or nothing tells them apart: no rate is between them, nor an
    end of the neighbourhood of one.
    """
    table = cases.table
    if not law.table.is_discrete:
        return cases.group, table.rates
    points = rate_cuts(law)
    width = bandwidth(points, table.total)
    ends = np.concatenate([points - width, points, points + width])
    # Without a positive all merges but at these.
    nobody = build_weight_table(np.zeros(table.n_groups), table.pos + table.neg)
    smaller = merge_except_cuts(nobody, ends, "merged")
    return smaller.map_groups(table.n_groups).take(cases.group), smaller.table.rates


def _check_subgroups(by: ArrayLike, cases: Ranked) -> tuple[IntArray, Array]:
    """Return the number of the group of each case that has weight, and the labels."""
    codes, labels, _ = check_groups("by", by)
    given = cases.is_pos if cases.kept is None else cases.kept
    check_equal_length(y_true=given, by=codes)
    if cases.kept is not None:
        codes, left, _ = check_groups("by", codes[cases.kept])
        labels = labels[left]
    if len(labels) < 2:
        raise ValueError(
            f"by must hold at least 2 groups, found {shown(labels.tolist())}."
        )
    return codes, labels


def _check_metrics(
    metric: Any, rate: RateLike | None, k: int | None
) -> tuple[list[Share], dict[str, Any], Metric | None]:
    """Return which shares are asked for, and the rate of the queue, or its k.

    Or the one metric of whole rankings.
    """
    asked: list[tuple[Share, dict[str, Any]]] = []
    for one in metric if isinstance(metric, list | tuple) else [metric]:
        named = {"rate": rate, "k": k}
        given = {name: value for name, value in named.items() if value is not None}
        params = dict(given)
        share = one
        if not (isinstance(one, str) and one in SHARES):
            function, own = unwrap(one)
            params = own | params
            share = _KINDS.get(METRICS.get(function)) if callable(function) else None
            if share == "recall" and params.pop("of", "positives") == "negatives":
                share = "fpr"
            if share is None and one is metric:
                return [], {}, find_metric(one, given)
            if share is None:
                raise ValueError(
                    f"metric={shown(one)} is none of {list(SHARES)}, of which several "
                    "may be asked for at once: give it alone."
                )
            check_parameters(function, params, ["rate", "k"])
        asked.append((share, params))
    if not asked or any(params != asked[0][1] for _, params in asked):
        raise ValueError(
            "metric must be one, or a list of some with the same rate or k, got "
            f"{shown(metric)}."
        )
    return list(dict.fromkeys(share for share, _ in asked)), asked[0][1], None


def _warn_empty_groups(scores: SubgroupScores, *, are_clusters: bool) -> None:
    """Warn, once, of groups that lack the cases of which something is a share."""
    is_unknown, texts = np.isnan(scores.covariance.diagonal()), []
    units = "clusters with " if are_clusters else ""
    for share in dict.fromkeys(scores.metrics):
        own = is_unknown & (np.array(scores.metrics) == share)
        lacking = own & np.isnan(scores.values)
        few_of = f"fewer than 2 {units}"
        for few, chosen in (("no ", lacking), (few_of, own & ~lacking)):
            if chosen.any():
                groups = shown(scores.groups[chosen].tolist())
                texts.append(f"{few}{SHARES[cast(Share, share)][3]} in {groups}")
    if texts:
        warn(
            f"Values or their standard errors are nan: there are {'; '.join(texts)}.",
            UndefinedMetricWarning,
        )
