"""One metric of many markers of the same cases, and what it would be by chance.

By chance every order of the labels is as likely. Of the AUC that is the law of Mann and
Whitney's U with ties, which is the AUC as a share of all pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import special

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, IntArray, lazy
from skrate.data.checks import check_generator, check_n_jobs, warn_undefined
from skrate.data.table import RankTable, rank_table
from skrate.inference.chance import permuted_moments
from skrate.inference.delta import NEGLIGIBLE, variance_parts
from skrate.inference.intervals import Adjust, Alternative, adjusted, t_pvalue
from skrate.inference.measured import of_ranking
from skrate.inference.plan import Plan, check_metric, defined_value, why_too_few
from skrate.inference.sample import Ranked, columns_of, scored, with_worth
from skrate.metrics.base import Metric, MetricLike, question_of, why_undefined
from skrate.metrics.results import Estimates

# Columns that a thread takes at a time.
_BATCH = 32
_NAN = float("nan")
# Entries of random rankings that are in memory at a time, and of orders of the labels
# that are kept for all rankings; longer ones are drawn as chance does only.
_MOST_ENTRIES = 2**20
_MOST_KEPT = 2**28
# How far orders lean to the positives first, or last, in standard deviations of what
# the metric goes by, and the share of the orders that lean so.
_LEANS = np.array([0.0, 2.0, 4.0, 6.0, -2.0, -4.0, -6.0])
_SHARES = np.array([0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
# Random rankings whose slopes say what the metric goes by.
_FOR_SLOPES = 20
# Terms that are counted for one law at most; a ranking with more groups than the square
# root of them has more.
_MOST_TERMS = 2**17
# By how much of itself a normal p-value may be off.
_MOST_OFF = 0.1
# The p-value is asked to be right at this many standard deviations at least.
_LEAST_DISTANCE = 2.0


def estimate_markers(
    metric: MetricLike,
    cases: Ranked,
    y_score: ArrayLike | Mapping[Any, ArrayLike],
    plan: Plan,
    adjust: Adjust,
    metric_kwargs: dict[str, Any],
) -> Estimates:
    """Return the metric of each marker, tested against chance."""
    columns = columns_of("y_score", y_score, cases.n_given)
    if not columns:
        raise ValueError("y_score holds no column: at least one is needed.")
    names = tuple(map(str, columns))
    found = check_metric(metric, metric_kwargs, cases)
    if getattr(found, "worst", None) is not None:
        raise ValueError(
            "worst means another distribution for each column: estimate them one by "
            "one, or give the rate itself."
        )

    def ranked(name: str, column: Any) -> Ranked:
        one = scored(cases, f"y_score[{name!r}]", column, by_case=not cases.is_plain)
        return with_worth(one, found)

    # Of scores that say nothing.
    constant = with_worth(cases.with_scores("y_score", np.zeros(cases.n_given)), found)
    is_known = why_too_few(constant) is None
    chance = found.value(constant.table) if is_known else _NAN
    seed = check_generator(plan.random_state).integers(2**32, size=4)
    random = RandomRankings(found, cases, plan.alternative, plan.n_resamples, seed)
    is_stratified = plan.is_stratified(cases)

    def estimated(name: str, column: Any) -> tuple[float, float, float]:
        """Return the value, its standard error and its p-value."""
        one = ranked(name, column)
        value = one.score(found) if is_known else _NAN
        if np.isnan(value):
            return _NAN, _NAN, _NAN
        error = variance_parts(found, one, stratify=is_stratified).standard_error
        return value, error, random.pvalue(one, value, chance, error)

    # Threads, whatever else joblib is told to use: nothing need be copied for them.
    n_jobs = check_n_jobs(plan.n_jobs)
    run = Parallel(n_jobs=n_jobs, require="sharedmem", batch_size=_BATCH)
    named = list(zip(names, columns.values(), strict=True))
    rows = run(delayed(estimated)(*one) for one in named)
    values, errors, pvalues = np.array(rows).T
    # Of the first column as estimate does, and of all others at once.
    defined_value(found, ranked(*named[0]))
    others = np.flatnonzero(np.isnan(values[1:])) + 1
    if len(others) and is_known:
        name, column = named[int(others[0])]
        more = f" and of {len(others) - 1} more" if len(others) > 1 else ""
        reason = why_undefined(found, ranked(name, column).table)
        warn_undefined(f"The {found.name} of y_score[{name!r}]{more}", reason)
    n_pos, n_neg = (int(size) for size in cases.sizes)
    return Estimates(
        found.name, names, values, errors, pvalues, adjusted(pvalues, adjust),
        float(chance), n_pos, n_neg, plan.alternative, adjust, question_of(found),
    )  # fmt: skip


class Drawn(NamedTuple):
    """Values of random rankings, increasing, with how much each counts."""

    values: FloatArray
    weights: FloatArray

    def pvalue(self, value: float, weight: float, alternative: Alternative) -> float:
        """Return the weight of values as far off, of all and the one that was found.

        That counts by its own weight, so that rankings drawn in any other way than by
        chance never find more than there is [1]_.

        References
        ----------
        .. [1] Harrison (2012), Conservative hypothesis tests and confidence intervals
           using importance sampling, Biometrika 99(1), :doi:`10.1093/biomet/asr079`.
        """
        ends = np.array([value - NEGLIGIBLE, value + NEGLIGIBLE])
        first, last = np.searchsorted(self.values, ends).tolist()
        above = weight + float(self.weights[first:].sum())
        below = weight + float(self.weights[:last].sum())
        of_all = weight + float(self.weights.sum())
        if alternative == "two-sided":
            return min(2 * min(above, below) / of_all, 1.0)
        return min((above if alternative == "greater" else below) / of_all, 1.0)


class Orders(NamedTuple):
    """Random orders of the labels, a row each, and how much more likely by chance."""

    labels: BoolArray
    weights: FloatArray
    lean: FloatArray  # By how much more likely a positive is at each place, as a log,
    shares: FloatArray  # and how many of the rows lean so, as ``_LEANS``.


@dataclass(frozen=True)
class RandomRankings:
    """The p-values of a metric, of rankings of the same cases.

    What random rankings have depends on how many cases tie where. Of the AUC it is
    known where there are few sums of ranks, and where it is normal. Otherwise orders of
    the labels are drawn, the same for all rankings, and what is not asked for is not
    found.
    """

    metric: Metric
    cases: Ranked
    alternative: Alternative
    n_resamples: int
    seed: IntArray

    def pvalue(
        self, ranked: Ranked, value: float, chance: float, error: float
    ) -> float:
        """Return the p-value of one ranking, with its value and standard error."""
        if not ranked.is_plain:
            # With clusters or sampling weights labels cannot be put in another order.
            if ranked.worth is not None:
                return _NAN
            model = of_ranking(self.metric, ranked, value, 0.95)
            return model.pvalue(chance, self.alternative, error)
        table = ranked.table
        are_untied = table.labels is not None
        # Of U-statistics of two samples only the AUC is its own mirror.
        if self.metric.facts.is_auc:
            law = self._law_of_untied if are_untied else _as_drawn(table)
            if law is not None:
                return law.pvalue(value, 0.0, self.alternative)
            distance = distance_of_auc(table, value)
            if is_normal(table, distance):
                return t_pvalue(distance, self.alternative, np.inf)
        if not are_untied and ranked.weights is not None:
            return self._of_counts(table).pvalue(value, 1.0, self.alternative)
        drawn = self._untied if are_untied else self._drawn(table)
        places = _labels_by_place(table, np.random.default_rng([*self.seed, 1]))
        weight = _weights(places[None], self._orders.lean, self._orders.shares)
        return drawn.pvalue(value, float(weight[0]), self.alternative)

    @lazy
    def _table(self) -> RankTable:
        """One of the rankings without ties, which are alike by chance."""
        n, n_pos = (round(size) for size in (self.cases.total, self.cases.sizes[0]))
        return rank_table(np.arange(n) < n_pos, -np.arange(n))

    @lazy
    def _law_of_untied(self) -> Drawn | None:
        return _as_drawn(self._table)

    @lazy
    def _untied(self) -> Drawn:
        return self._drawn(self._table)

    def _drawn(self, table: RankTable) -> Drawn:
        """Return the values of the orders, with cases that tie as in a table."""
        sizes = np.rint(table.pos + table.neg).astype(np.intp)
        starts = np.cumsum(sizes) - sizes
        found = [
            self._values(np.add.reduceat(rows, starts, axis=1, dtype=np.intp), sizes)
            for rows in _batches(self._orders.labels)
        ]
        return _in_order(np.concatenate(found), self._orders.weights)

    def _of_counts(self, table: RankTable) -> Drawn:
        """Return the same of a table of counts, drawn as chance does."""
        sizes = np.rint(table.pos + table.neg).astype(np.intp)
        generator = np.random.default_rng(self.seed)
        most = max(_MOST_ENTRIES // len(sizes), 1)
        found = []
        for first in range(0, self.n_resamples, most):
            n_rows = min(most, self.n_resamples - first)
            pos = generator.multivariate_hypergeometric(
                sizes, round(table.n_pos), n_rows, method="marginals"
            )
            found.append(self._values(pos, sizes))
        return _in_order(np.concatenate(found), np.ones(self.n_resamples))

    def _values(self, pos: IntArray, sizes: IntArray) -> FloatArray:
        return self.metric.values(pos, sizes - pos)

    @lazy
    def _orders(self) -> Orders:
        """Orders of the labels, some with the positives rather first, or last.

        So that values far from those of chance are among them, whose weight is as much
        less as chance has them less often.
        """
        n, n_pos = self._table.n_groups, round(self._table.n_pos)
        generator = np.random.default_rng([*self.seed, 0])
        counts = np.floor(_SHARES * self.n_resamples).astype(np.intp)
        lean = np.zeros(n)
        if n * self.n_resamples <= _MOST_KEPT:
            lean = self._lean(n, n_pos, generator)
        else:
            counts[:] = 0
        counts[0] += self.n_resamples - counts.sum()
        labels = _leaning(np.repeat(_LEANS, counts), lean, n_pos, generator)
        shares = counts / self.n_resamples
        weights = [_weights(rows, lean, shares) for rows in _batches(labels)]
        return Orders(labels, np.concatenate(weights), lean, shares)

    def _lean(self, n: int, n_pos: int, generator: np.random.Generator) -> FloatArray:
        """Return how much a positive at each place adds, in standard deviations.

        More than one at the mean of all places further down, by the slopes of random
        rankings.
        """
        labels = np.arange(n) < n_pos
        gain = np.zeros(n)
        for _ in range(_FOR_SLOPES):
            table = rank_table(generator.permuted(labels), -np.arange(n))
            with np.errstate(all="ignore"):
                slopes = self.metric.slopes(table)
                by_place = slopes.by_pos - slopes.by_neg
            if np.isfinite(by_place).all():
                gain += by_place - by_place.mean()
        if not gain.any():
            gain = np.linspace(1, -1, n)
        gain -= gain.mean()
        variance = n_pos * (n - n_pos) / (n * (n - 1)) * float((gain**2).sum())
        gain /= np.sqrt(variance)
        left = np.arange(n)[::-1]
        return np.asarray(
            gain - (gain[::-1].cumsum()[::-1] - gain) / np.maximum(left, 1)
        )


def _as_drawn(table: RankTable) -> Drawn | None:
    law = law_of_auc(table)
    return None if law is None else _in_order(*law)


def _batches(rows: BoolArray) -> list[BoolArray]:
    """Return so many rows at a time as fit into memory with what is made of them."""
    most = max(_MOST_ENTRIES // rows.shape[1], 1)
    return [rows[first : first + most] for first in range(0, len(rows), most)]


def _in_order(values: FloatArray, weights: FloatArray) -> Drawn:
    """Return values that are defined, increasing."""
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]
    return Drawn(values[order], weights[order])


def _leaning(
    leans: FloatArray, lean: FloatArray, n_pos: int, generator: np.random.Generator
) -> BoolArray:
    """Return orders drawn from the top, an order for each of ``leans``.

    The next case is one of the positives that are left with odds of their number to
    that of the negatives, times the exponential of the lean at its place.
    """
    left_pos = np.full(len(leans), float(n_pos))
    left_neg = np.full(len(leans), float(len(lean) - n_pos))
    labels = np.empty((len(leans), len(lean)), dtype=bool)
    for place, by in enumerate(lean.tolist()):
        odds = left_pos * np.exp(leans * by)
        is_pos = generator.random(len(leans)) * (odds + left_neg) < odds
        labels[:, place] = is_pos
        left_pos -= is_pos
        left_neg -= ~is_pos
    return labels


def _weights(labels: BoolArray, lean: FloatArray, shares: FloatArray) -> FloatArray:
    """Return how much likelier by chance orders are than they were drawn.

    The product over places of the weight of the one that was drawn is the same for all
    orders, but for the lean; what differs is what they are divided by.
    """
    n = len(lean)
    left = n - np.arange(n)
    left_pos = labels.sum(axis=1, keepdims=True) - labels.cumsum(axis=1) + labels
    part = left_pos / left
    leaned = np.where(labels, lean, 0.0).sum(axis=1)
    of_drawn = np.array(
        [
            by * leaned - np.log1p(part * np.expm1(by * lean)).sum(axis=1)
            for by in _LEANS
        ]
    )
    with np.errstate(divide="ignore"):
        likelihood = special.logsumexp(of_drawn, axis=0, b=shares[:, None])
    return np.asarray(np.exp(-likelihood))


def _labels_by_place(table: RankTable, generator: np.random.Generator) -> BoolArray:
    """Return whether each place has a positive, at random within ties."""
    if table.labels is not None:
        return table.labels
    sizes = np.rint(table.pos + table.neg).astype(np.intp)
    group = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((generator.random(len(group)), group))
    within = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    labels = np.empty(len(group), dtype=bool)
    labels[order] = within < table.pos[group]
    return labels


def law_of_auc(table: RankTable) -> tuple[FloatArray, FloatArray] | None:
    """Return the values of the AUC and their probabilities; None if that costs much.

    From group to group the numbers of cases of the rarer class, and the sums of their
    ranks, have probabilities: by the hypergeometric law of how many of those that are
    left tie here. What is left is in the largest group. All terms are positive, so the
    least probabilities are as exact as the greatest.

    Examples
    --------
    One positive among three, of which two tie first:

    >>> values, weights = law_of_auc(RankTable([1, 0], [1, 1]))
    >>> values.tolist(), weights.round(12).tolist()
    ([0.75, 0.0], [0.666666666667, 0.333333333333])
    """
    if table.n_groups**2 > _MOST_TERMS:
        return None
    sizes, middles = _sizes_and_middles(table)
    n, n_few = int(sizes.sum()), round(min(table.n_pos, table.n_neg))
    last = int(sizes.argmax())
    steps = middles - middles[last]
    unit = max(int(np.gcd.reduce(steps)), 1)
    others = np.delete(np.arange(len(sizes)), last)
    sizes, steps = sizes[others], steps[others] // unit
    if _n_terms(sizes, steps, n_few) > _MOST_TERMS:
        return None
    found, sums = np.zeros(1, np.intp), np.zeros(1, np.intp)
    shares: FloatArray = np.ones(1)
    left = n
    for size, step in zip(sizes.tolist(), steps.tolist(), strict=True):
        here = np.arange(min(size, n_few) + 1)
        rest = (n_few - found)[:, None]
        is_possible = (here <= rest) & (rest - here <= left - size)
        chance = np.exp(
            _log_choices(size, here)
            + _log_choices(left - size, np.where(is_possible, rest - here, 0))
            - _log_choices(left, rest)
        )
        keys = (sums[:, None] + here * step) * (n_few + 1) + found[:, None] + here
        different, places = np.unique(keys[is_possible], return_inverse=True)
        terms = (shares[:, None] * chance)[is_possible]
        shares = np.bincount(places, terms).astype(np.float64)
        sums, found = np.divmod(different, n_few + 1)
        left -= size
    # In units of half a pair, of what lies above the cases of the rarer class.
    above = sums * unit + n_few * int(middles[last]) - n_few**2
    values = above / (2 * n_few * (n - n_few))
    return (1 - values if n_few == table.n_pos else values), shares


def distance_of_auc(table: RankTable, value: float) -> float:
    """Return how many standard deviations a value is off, 0 if all cases tie."""
    deviation = _deviation(table)
    return (value - 0.5) / deviation if deviation > 0 else 0.0


def is_normal(table: RankTable, distance: float) -> bool:
    """Say whether the law of the AUC is normal as far as a distance from its mean.

    Without ties it is, with lighter tails. With ties it may be skew, have heavy tails
    or steps. The first terms of Edgeworth's series say what share of the tail that is.
    """
    deviation = _deviation(table)
    if table.labels is not None or deviation <= 0:
        return True
    sizes, middles = _sizes_and_middles(table)
    n, share = table.total, table.prevalence
    moments = permuted_moments(middles.astype(np.float64), table)
    # Of the ranks, and of the mean of those that are drawn without replacement.
    centred = middles - float(sizes.sum())
    second = float((sizes * centred**2).sum()) / n
    fourth = float((sizes * centred**4).sum()) / n / second**2
    product = share * table.negative_share
    excess = ((1 - 6 * product) * fourth - 3 * (1 - 4 * product)) / (n * product)
    largest = np.argsort(sizes)[-2:]
    # Two groups with most of the cases have steps though others lie between.
    is_most = sizes[largest].sum() > n / 2
    unit = np.diff(middles[largest])[0] if is_most else np.gcd.reduce(np.diff(middles))
    step = abs(float(unit)) / np.sqrt(moments.variance)
    far = max(abs(distance), _LEAST_DISTANCE)
    off = abs(moments.skewness) * far**3 / 6 + max(excess, 0.0) * far**4 / 24
    return bool(off + step * far / 2 <= _MOST_OFF)


def _sizes_and_middles(table: RankTable) -> tuple[IntArray, IntArray]:
    """Return the numbers of cases that tie, and twice the middles of their places."""
    sizes = np.rint(table.pos + table.neg).astype(np.intp)
    return sizes, 2 * sizes.cumsum() - sizes


def _n_terms(sizes: IntArray, steps: IntArray, n_few: int) -> float:
    """Return the most terms that there may be: of all numbers, or of all their sums."""
    if not len(sizes):
        return 0.0
    most = np.minimum(sizes, n_few)
    numbers = np.log1p(most).cumsum()
    so_far = np.minimum(sizes.cumsum(), n_few).astype(np.float64)
    span = np.maximum.accumulate(np.maximum(steps, 0)) - np.minimum.accumulate(
        np.minimum(steps, 0)
    )
    sums = np.log1p(so_far) + np.log1p(so_far * span)
    states = np.concatenate([[1.0], np.exp(np.minimum(numbers, sums)[:-1])])
    return float((states * (most + 1)).sum())


def _log_choices(n: int, k: IntArray) -> FloatArray:
    of_all = special.gammaln(n + 1)
    return np.asarray(of_all - special.gammaln(k + 1) - special.gammaln(n - k + 1))


def _deviation(table: RankTable) -> float:
    """Return the standard deviation of the AUC by chance, ties allowed for."""
    n, n_pairs = table.total, table.n_pos * table.n_neg
    tied = 0.0
    if table.labels is None:
        sizes = table.pos + table.neg
        tied = float(((sizes**3 - sizes) / (n * (n - 1))).sum())
    deviation = float(np.sqrt(max(n + 1 - tied, 0.0) / (12 * n_pairs)))
    return deviation if deviation > NEGLIGIBLE else 0.0
