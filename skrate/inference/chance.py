"""Rankings by chance: those that are as good under a budget, or of many markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import special

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, IntArray, dot, lazy
from skrate.data.checks import check_generator, check_n_jobs, warn_undefined
from skrate.data.table import Merged, RankTable, rank_table
from skrate.inference.delta import multiples, variance_parts
from skrate.inference.intervals import Adjust, adjusted
from skrate.inference.measured import of_ranking
from skrate.inference.plan import Plan, check_metric, defined_value, why_too_few
from skrate.inference.sample import Ranked, columns_of, scored, with_worth
from skrate.metrics.base import Metric, MetricLike, question_of, why_undefined
from skrate.metrics.hypotheses import NEGLIGIBLE, Alternative, t_pvalue
from skrate.metrics.results import Estimates
from skrate.rates.laws import RateDistribution, cuts_of

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
# With so few cases of a class what a random order finds is counted.
_FEW = 15
# Sums of so many steps are told apart.
_SUMS = 2**15
# Steps below are rounding.
_STEP = 1e-9
# The least p-value that is widened.
_TINY = 1e-300
# Of less skewness a gamma distribution is a normal one.
_SYMMETRIC = 1e-3


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
        """Return the weight of values as far off, of all and the one that was found."""
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

    The distribution of the AUC is known where there are few sums of ranks, and where it
    is normal. Otherwise orders of the labels are drawn, the same for all rankings.
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
            return model.wilson_test(chance, self.alternative, error)[1]
        table = ranked.table
        are_untied = table.labels is not None
        # Of U-statistics of two samples only the AUC is its own mirror.
        if self.metric.facts.is_auc:
            law = self._law_of_untied if are_untied else _as_drawn(table)
            if law is not None:
                return law.pvalue(value, 0.0, self.alternative)
            deviation = _deviation(table)
            distance = (value - 0.5) / deviation if deviation > 0 else 0.0
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
        """Orders of the labels, some with the positives rather first, or last."""
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
        """Return what a positive at each place adds, in standard deviations."""
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
    """Return orders drawn from the top, for each of ``leans``."""
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
    """Return how much likelier by chance orders are than they were drawn."""
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
    """Return the values of the AUC and their probabilities; None if it costs much.

    From group to group the numbers of cases of the rarer class, and the sums of their
    ranks, have probabilities: by the hypergeometric distribution of how many of those
    that are left tie here. What is left is in the largest group. All terms are
    positive, so the least probabilities are as exact as the greatest.
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


def is_normal(table: RankTable, distance: float) -> bool:
    """Say whether the AUC is normally distributed up to a distance from its mean.

    With ties it may be skew, have heavy tails or steps: by the first terms of
    Edgeworth's series for a share of the tail.
    """
    deviation = _deviation(table)
    if table.labels is not None or deviation <= 0:
        return True
    sizes, middles = _sizes_and_middles(table)
    n, share = table.total, table.prevalence
    _, variance, skewness = permuted_moments(middles.astype(np.float64), table)
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
    step = abs(float(unit)) / np.sqrt(variance)
    far = max(abs(distance), _LEAST_DISTANCE)
    off = abs(skewness) * far**3 / 6 + max(excess, 0.0) * far**4 / 24
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


def chance_pvalue(recall: Metric, law: RateDistribution, ranked: Ranked) -> float:
    """Return the probability that a random ranking finds at least as much.

    Sampling weights count as the cases that they are worth, and clusters widen the
    p-value by their design effect. By estimated labels it is the level at which
    Wilson's interval of ``recall`` begins at what a random ranking finds.
    """
    if ranked.are_exchangeable:
        return permuted_pvalue(ranked.table, law)
    if ranked.estimated is not None:
        model = of_ranking(recall, ranked, recall.value(ranked.table), 0.95)
        _, found = model.wilson_test(law.mean(), "greater", model.parts.standard_error)
        # nan where all is processed or nothing, whatever the order.
        return 1.0 if np.isnan(found) else found
    by_weight, effect = design_effects(ranked, law)
    table = RankTable(ranked.table.pos / by_weight, ranked.table.neg / by_weight)
    found = permuted_pvalue(table, law)
    if effect <= 1:
        return found
    # What pairs of cases add is known as the number of clusters allows.
    freedom = (ranked.n_units - 1) * (effect / (effect - 1)) ** 2
    distance = -float(special.ndtri(max(found, _TINY)))
    return t_pvalue(distance / np.sqrt(effect), "greater", freedom)


def design_effects(ranked: Ranked, law: RateDistribution) -> tuple[float, float]:
    """Return how many times as great weights, and clusters, make a random variance.

    It is of the sum of weight * label * processed, about their means. By chance they
    are independent: means of squares, or over pairs of a cluster, multiply.
    """
    table, weights = ranked.table, ranked.weights
    if weights is None:
        weights = np.ones(len(ranked.is_pos))
    processed = law.table.mean(table.rates[:-1], table.rates[1:])
    each = Merged(table.pos, table.neg, np.arange(table.n_groups))
    values = np.array([ranked.is_pos, ranked.of_cases(each, processed, processed)])
    values -= np.average(values, weights=weights, axis=1)[:, None]
    rows = [np.ones(len(weights)), *values]
    alone = np.array([dot(weights * row, row) for row in rows])
    squares = np.array([dot(multiples(weights, ranked) * row, row) for row in rows])
    if not alone.min() > _STEP:
        return 1.0, 1.0
    by_weight = squares / alone
    weighted = float(by_weight[1] * by_weight[2] / by_weight[0])
    clusters = np.arange(len(weights)) if ranked.clusters is None else ranked.clusters
    sums = [np.bincount(clusters, weights * row) for row in rows]
    pairs = np.array([dot(row, row) for row in sums]) - squares
    if not pairs[0] > _STEP * alone[0]:
        return weighted, 1.0
    like = pairs / squares
    return weighted, 1 + float(like[1] * like[2] / like[0])


def permuted_pvalue(table: RankTable, law: RateDistribution) -> float:
    """Return the same over all orders of the labels.

    What is found is a sum over the positives of the probability of being processed.
    With few cases of a class its distribution is counted. Else, by three moments, it is
    taken for a gamma distribution, moved, or, if it is skew to the left, for a normal
    one.
    """
    processed = law.table.mean(table.rates[:-1], table.rates[1:])
    is_whole = not (table.pos % 1).any() and not (table.neg % 1).any()
    if min(table.n_pos, table.n_neg) <= _FEW and is_whole:
        return counted_pvalue(processed, table)
    mean, variance, skewness = permuted_moments(processed, table)
    if variance <= 0:
        return 1.0
    found = _least_as_good(processed, table, law)
    distance = float((found - mean) / np.sqrt(variance))
    if skewness < _SYMMETRIC:
        return float(special.ndtr(-distance))
    shape = 4 / skewness**2
    return float(special.gammaincc(shape, max(shape + 2 * distance / skewness, 0.0)))


def counted_pvalue(processed: FloatArray, table: RankTable) -> float:
    """Return the share of all choices of the positives with as great a sum.

    Each value is rounded to a step x, so that sums are whole numbers. With z^x for a
    case, the choices of k of n cases with a sum of s are the coefficient of z^s in the
    k-th elementary symmetric polynomial. By Newton's identities it comes of the sums of
    powers z^(j x), which are one Fourier transform at the j-fold frequency.
    """
    chosen, values = table.pos, processed
    if table.n_pos > table.n_neg:
        # What positives find is what negatives leave.
        chosen, values = table.neg, -processed
    k, low = round(float(chosen.sum())), float(values.min())
    width = float(values.max()) - low
    if width <= _STEP:
        return 1.0
    steps = np.rint((values - low) * (_SUMS / k / width)).astype(np.intp)
    n_sums = k * int(steps.max()) + 1
    sizes = table.pos + table.neg
    transform = np.fft.fft(np.bincount(steps, sizes, minlength=n_sums)) / table.total
    frequency = np.arange(n_sums // 2 + 1)
    powers = [transform[j * frequency % n_sums] for j in range(1, k + 1)]
    # Divided by n^m, as numbers of choices may be too great.
    symmetric = [np.ones(len(frequency), dtype=np.complex128)]
    for m in range(1, k + 1):
        terms = [
            symmetric[m - j] * powers[j - 1] * (-1) ** (j - 1) / table.total ** (j - 1)
            for j in range(1, m + 1)
        ]
        symmetric.append(np.sum(terms, axis=0) / m)
    choices = np.fft.irfft(symmetric[k], n_sums)
    found = round(float(dot(chosen, steps.astype(np.float64))))
    least = 1 / float(special.binom(table.total, k))
    # What is left of many terms that cancel is rounding.
    share = float(choices[found:].sum() / choices.sum())
    return min(max(share, least), 1.0)


def _least_as_good(
    processed: FloatArray, table: RankTable, law: RateDistribution
) -> float:
    """Return what is found, less half a step where it moves in steps.

    A case that a cut divides, alone or in a group of few, moves it by a part of itself,
    but seldom is it a positive: the steps are those of the other cases.
    """
    found = float(dot(table.pos, processed))
    edges, cuts = table.rates, cuts_of(law)
    at = np.searchsorted(edges, cuts, side="left") - 1
    part = (cuts - edges[at]) * table.total
    size = (table.pos + table.neg)[at]
    is_seldom = size <= max(1.0, 0.5 / table.prevalence)
    is_inner = (at > 0) & (at < table.n_groups - 1)
    is_divided = (part > _STEP) & (part < size - _STEP)
    at = np.unique(at[is_inner & is_seldom & is_divided])
    steps = np.abs(np.diff(np.delete(processed, at)))
    steps = steps[steps > _STEP]
    if not len(steps):
        return found
    half = float(steps.min()) / 2
    found -= float(dot(table.pos[at], processed[at] - processed[at + 1]))
    return found + half if table.pos[at].any() else found - half


def permuted_moments(
    processed: FloatArray, table: RankTable
) -> tuple[float, float, float]:
    """Return mean, variance and skewness of its sum over random positives."""
    sizes, n, n_pos = table.pos + table.neg, table.total, table.n_pos
    mean = float(dot(sizes, processed)) / n
    centred = processed - mean
    second = float(dot(sizes * centred, centred)) / n
    third = float(dot(sizes * centred**2, centred)) / n
    variance = n_pos * (n - n_pos) / (n - 1) * second
    skewness = 0.0
    if n > 2 and variance > 0:
        of_sum = n_pos * (n - n_pos) * (n - 2 * n_pos) / ((n - 1) * (n - 2)) * third
        skewness = of_sum / variance**1.5
    return n_pos * mean, variance, skewness
