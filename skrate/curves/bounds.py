"""Bounds of the number of positives that all folds of a consensus find together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from joblib import Parallel, delayed
from scipy import fft, special
from scipy.stats import rankdata

from skrate.curves.fold_tables import Folds, count_hits
from skrate.data.arrays import Array, FloatArray, IntArray, dot
from skrate.data.checks import check_n_jobs

# Stands for 0 where a logarithm is taken or a quotient formed.
_TINY = 1e-300
JointLaw: TypeAlias = tuple[int, FloatArray, FloatArray]
# Folds in which a part of a case that is processed can be seen.
_SMALL_FOLD = 500
_Result = TypeVar("_Result")
# Cases that are drawn in one task: it bounds the memory, not the result.
_BATCH_CASES = 2_000_000


def normal_bounds(
    folds: Folds, rates: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return normal bounds: Millard, Kull and Flach (2014), equation 8."""
    mean, variance = _mean_and_variance(folds, folds.interpolate_tpr(rates))
    margin = -special.ndtri((1 - level) / 2) * np.sqrt(variance)
    return folds.n_pos * (mean - margin), folds.n_pos * (mean + margin)


def beta_bounds(
    folds: Folds, rates: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the pooled count from a beta on the reachable range.

    Each fold's recall is rescaled to its own first (section 3.1 of the same paper).
    """
    n_pos, n_neg = folds.column("n_pos"), folds.column("n_neg")
    processed = rates * (n_pos + n_neg)
    least = np.maximum(processed - n_neg, 0.0) / n_pos
    width = np.minimum(processed / n_pos, 1.0) - least
    is_open = width > 0
    scaled = (folds.interpolate_tpr(rates) - least) / np.where(is_open, width, 1.0)
    scaled = np.where(is_open, np.clip(scaled, 0, 1), 0.0)
    low, high = scaled_beta_interval(
        *_mean_and_variance(folds, scaled), 0.0, 1.0, level
    )
    bottom, top = folds.reachable(rates)
    return bottom + (top - bottom) * low, bottom + (top - bottom) * high


def _mean_and_variance(
    folds: Folds, recalls: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mean over folds, each by its positives, and the mean's variance."""
    weights = folds.column("n_pos")[:, 0] / folds.n_pos
    mean = dot(recalls.T, weights)
    n_folds = len(weights)
    variance = dot((recalls - mean).T ** 2, weights**2) * n_folds / (n_folds - 1)
    return np.asarray(mean), np.asarray(variance)


def parametric_bounds(
    folds: Folds, rates: FloatArray, level: float, *, n_jobs: int | None
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the pooled count from a beta fitted to its moments.

    Millard, Kull and Flach (2014), theorem 1 and equations 22 to 29.
    """

    def moments(laws: list[tuple[CountDistribution, int]]) -> FloatArray:
        each = [n * np.array(law.moments()) for law, n in laws]
        return np.asarray(np.sum(each, axis=0))

    mean, variance = np.array(_map_rates(moments, folds, rates, n_jobs)).T
    return scaled_beta_interval(mean, variance, *folds.reachable(rates), level)


def scaled_beta_interval(
    mean: Any, variance: Any, least: Any, most: Any, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return central intervals of the betas with two moments on [least, most]."""
    width, tail = most - least, (1 - level) / 2
    # What rounding leaves of a certain count is no variance.
    varies = (width > 0) & (variance > 1e-10 * width**2)
    width = np.where(varies, width, 1.0)
    m, v = (mean - least) / width, np.where(varies, variance, 1.0) / width**2
    concentration = m * (1 - m) / v - 1
    is_beta = concentration > 1e-6
    size = np.where(is_beta, concentration, 1.0)
    shapes = np.where(is_beta, m, 0.5) * size, np.where(is_beta, 1 - m, 0.5) * size
    low = special.betaincinv(*shapes, tail)
    high = np.maximum(low, special.betainccinv(*shapes, tail))
    # Else all mass lies at the two ends, as for the first case of a single fold. A
    # probability that is equal to the tail up to rounding may be left out.
    tail *= 1 + 1e-9
    low, high = np.where(is_beta, low, 1 - m <= tail), np.where(is_beta, high, m > tail)
    middle = np.minimum(np.maximum(mean, least), most)
    ends = [np.where(varies, least + width * end, middle) for end in (low, high)]
    return ends[0], ends[1]


def exact_bounds(
    folds: Folds,
    rates: FloatArray,
    level: float,
    drawn: FloatArray | None = None,
    *,
    n_jobs: int | None,
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the pooled count, by convolution over folds.

    Where counts of new folds are ``drawn``, those of the least higher level, one for
    all rates, that holds ``level`` of them at all rates at once.
    """
    # A probability that is equal up to rounding may be left out.
    tail = (1 - level) / 2 * (1 + 1e-9)
    laws = _map_rates(pooled_distribution, folds, rates, n_jobs)
    if drawn is not None:
        depths = [law.depth(counts) for law, counts in zip(laws, drawn.T, strict=True)]
        n_out = int((1 - level) * len(drawn) + 1e-9)
        # Less than the least probability beyond one of the curves that are to lie
        # within.
        tail = min(np.nextafter(np.sort(np.min(depths, axis=0))[n_out], 0), tail)
    lower, upper = np.array([law.interval(tail) for law in laws]).T
    # A part of a case may have been rounded beyond what is reachable.
    least, most = folds.reachable(rates)
    return np.clip(lower, least, most), np.clip(upper, least, most)


def _map_rates(
    of_laws: Callable[[list[tuple[CountDistribution, int]]], _Result],
    folds: Folds,
    rates: FloatArray,
    n_jobs: int | None,
) -> list[_Result]:
    """Return what is made of the distributions and numbers of folds at each rate."""
    sources = [FoldSource.of(folds, *size) for size in folds.sizes]

    def results(some: FloatArray) -> list[_Result]:
        laws = [one.laws(some * (one.n_pos + one.n_neg)) for one in sources]
        n_folds = folds.sizes.values()
        return [
            of_laws(list(zip(at_rate, n_folds, strict=True)))
            for at_rate in zip(*laws, strict=True)
        ]

    size = 8  # Rates whose bounds are computed in one task.
    batches = Parallel(n_jobs=check_n_jobs("n_jobs", n_jobs), prefer="threads")(
        delayed(results)(rates[first : first + size])
        for first in range(0, len(rates), size)
    )
    return [result for batch in batches for result in batch]


class PooledDistribution(NamedTuple):
    """Distribution of the pooled count: a probability for each (first + i) / parts.

    ``at_most[i]`` and ``at_least[i]`` are the probabilities of no more and of no less.
    """

    first: int
    parts: int
    at_most: FloatArray
    at_least: FloatArray

    def interval(self, tail: float) -> tuple[float, float]:
        """Return the shortest interval that leaves out at most ``tail`` a side."""
        low = int(np.searchsorted(self.at_most, tail, side="right"))
        above = int(np.searchsorted(self.at_least[::-1], tail, side="right"))
        high = len(self.at_least) - 1 - above
        return (self.first + low) / self.parts, (self.first + high) / self.parts

    def depth(self, counts: FloatArray) -> FloatArray:
        """Return the lesser of the probabilities of no more and of no less."""
        places = counts * self.parts - self.first
        last = len(self.at_most) - 1
        # Between two places a count is more than the one and less than the other.
        below = np.clip(np.floor(places + 1e-6), -1, last).astype(np.intp)
        above = np.clip(np.ceil(places - 1e-6), 0, last + 1).astype(np.intp)
        at_most, at_least = np.append(self.at_most, 0.0), np.append(self.at_least, 0.0)
        return np.asarray(np.minimum(at_most[below], at_least[above]))


def pooled_distribution(
    laws: list[tuple[CountDistribution, int]],
) -> PooledDistribution:
    """Return the distribution of the sum over folds, from how many have which."""
    parts = _sample_divisions([law for law, _ in laws])
    lattices = [(_on_lattice(law, parts), n_folds) for law, n_folds in laws]
    first = sum(parts * law.first * n_folds for law, n_folds in laws)
    n_values = 1 + sum((len(masses) - 1) * n for masses, n in lattices)
    length = fft.next_fast_len(n_values, real=True)
    spectrum = np.ones(length // 2 + 1, dtype=np.complex128)
    for masses, n_folds in lattices:
        spectrum *= fft.rfft(masses, length) ** n_folds
    masses = np.maximum(fft.irfft(spectrum, length)[:n_values], 0.0)
    at_most, at_least = np.cumsum(masses), np.cumsum(masses[::-1])[::-1]
    # Without what is less likely, which would fill the memory.
    unseen = 1e-12
    low = int(np.searchsorted(at_most, unseen))
    high = n_values - int(np.searchsorted(at_least[::-1], unseen))
    kept = at_most[low:high].copy(), at_least[low:high].copy()
    return PooledDistribution(first + low, parts, *kept)


def _sample_divisions(laws: list[CountDistribution]) -> int:
    """Return how finely a case is divided: as finely as needed and as can be seen."""
    if max(len(law.sure) for law in laws) > _SMALL_FOLD:
        return 1
    finest = 16
    for parts in range(1, finest):
        rests = [law.fraction * parts % 1 for law in laws]
        if all(min(rest, 1 - rest) < 1e-9 for rest in rests):
            return parts
    return finest


def _on_lattice(law: CountDistribution, parts: int) -> FloatArray:
    """Return probabilities of multiples of 1 / parts, which keep the mean."""
    masses = np.zeros((len(law.sure) + 1, parts))
    masses[:-1, 0] = law.sure
    # A third of three parts is one but for rounding.
    whole, rest = divmod(law.fraction * parts + 1e-9, 1)
    flat = masses.ravel()
    size = parts * len(law.partial)
    flat[int(whole) :][:size:parts] += (1 - rest) * law.partial
    flat[int(whole) + 1 :][:size:parts] += rest * law.partial
    return flat


class CountDistribution(NamedTuple):
    """Distribution of the positives in the first k cases of a fold, k maybe a fraction.

    With probability ``sure[i]`` the positives are ``first + i``, and with probability
    ``partial[i]`` they are ``first + i + fraction``: of the last case, which happens
    to be positive, only a fraction is processed.
    """

    first: int
    sure: FloatArray
    partial: FloatArray
    fraction: float

    def moments(self) -> tuple[float, float]:
        """Return mean and variance."""
        counts = self.first + np.arange(len(self.sure))
        mean = dot(counts, self.sure) + dot(counts + self.fraction, self.partial)
        variance = dot((counts - mean) ** 2, self.sure)
        variance += dot((counts + self.fraction - mean) ** 2, self.partial)
        return float(mean), float(variance)


@dataclass(frozen=True)
class FoldSource:
    """A ROC curve, at each of its cuts, as a source of folds."""

    n_pos: int
    n_neg: int
    tpr: FloatArray
    fpr: FloatArray

    @classmethod
    def of(cls, folds: Folds, n_pos: int, n_neg: int) -> FoldSource:
        """Return the curve that folds share, with the cases ``added`` to each class."""
        shared, added = folds.shared, folds.added
        if not added:
            return cls(n_pos, n_neg, shared.tpr, shared.fpr)
        tpr, fpr = (
            np.concatenate([[0.0], (added / 2 + above) / (added + above[-1]), [1.0]])
            for above in (shared.cum_pos, shared.cum_neg)
        )
        return cls(n_pos, n_neg, tpr, fpr)

    @cached_property
    def places(self) -> FloatArray:
        """The cuts, from 0 to 1, as the rate of the fold itself runs on average."""
        processed = self.n_pos * self.tpr + self.n_neg * self.fpr
        return processed / (self.n_pos + self.n_neg)

    def laws(self, numbers: Iterable[float]) -> list[CountDistribution]:
        """Return how the positives found by processing numbers of cases vary."""
        # Numbers that cut the same case share its law.
        joint_law = lru_cache(maxsize=None)(self._joint_distribution)
        n, one, none = self.n_pos + self.n_neg, np.ones(1), np.zeros(1)
        found = []
        for k in numbers:
            # k / n * n may miss the integer it stands for by rounding.
            k = round(k) if abs(k - round(k)) < 1e-9 * n else k
            if not 0 < k < n:
                found.append(
                    CountDistribution(0 if k <= 0 else self.n_pos, one, none, 0.0)
                )
                continue
            item = int(np.ceil(k))
            first, is_pos, is_neg = joint_law(item)
            if item == k:
                law = CountDistribution(
                    first, is_pos + is_neg, np.zeros(len(is_pos)), 0.0
                )
            else:
                # A count s of is_pos holds case `item`, of which a fraction is
                # processed: it stands for s - 1 positives and that fraction. A count of
                # is_neg is as it says, which is one place further on.
                sure, partial = np.append(0.0, is_neg), np.append(is_pos, 0.0)
                law = CountDistribution(first - 1, sure, partial, float(k - (item - 1)))
            found.append(law)
        return found

    def _joint_distribution(self, k: int) -> JointLaw:
        """Return the distribution of (positives among the first k, class of case k)."""
        tpr, fpr, tpr_weight, fpr_weight = self._nodes(k)
        least, most = max(0, k - self.n_neg), min(k, self.n_pos)
        center, width = self._expected_window(k)
        # The window is a guess to first order: it grows until what is left out at both
        # ends is negligible, or there is nothing left to add.
        while True:
            low = max(least, int(np.floor(center - width)))
            high = min(most, int(np.ceil(center + width)))
            counts = np.arange(low, high + 1.0)
            likelihood = self._likelihood(k, counts, tpr, fpr)
            # Any of the `counts` positives may be the k-th case: the other ones lie
            # above it, hence one factor tpr less than in the likelihood, and the
            # increment of tpr where the case itself lies.
            is_pos = counts * ((tpr_weight / tpr) @ likelihood)
            is_neg = (k - counts) * ((fpr_weight / fpr) @ likelihood)
            # A count that is less likely is left out, as are all beyond it.
            ends = (is_pos + is_neg)[[0, -1]] < 1e-13
            if (low == least or ends[0]) and (high == most or ends[1]):
                break
            width *= 2
        # It is 1 but for the quadrature, the error of which is shared by all counts.
        total = is_pos.sum() + is_neg.sum()
        return low, is_pos / total, is_neg / total

    def _likelihood(
        self, k: int, counts: FloatArray, tpr: FloatArray, fpr: FloatArray
    ) -> FloatArray:
        """Return P(s positives and k - s negatives lie above the cut), node by count.

        For two binomials: its logarithm is linear in s, except for the coefficients.
        """
        log_tpr, log_miss = np.log(tpr), np.log(np.maximum(1 - tpr, _TINY))
        log_fpr, log_spared = np.log(fpr), np.log(np.maximum(1 - fpr, _TINY))
        slope = log_tpr - log_miss - log_fpr + log_spared
        base = self.n_pos * log_miss + k * log_fpr + (self.n_neg - k) * log_spared
        ways = _log_choose(self.n_pos, counts) + _log_choose(self.n_neg, k - counts)
        # In place: nodes by counts are the largest array here.
        exponent = np.multiply.outer(slope, counts)
        exponent += ways
        exponent += base[:, None]
        np.exp(exponent, out=exponent)
        return np.asarray(exponent)

    def _nodes(self, k: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return tpr and fpr where case k may be drawn from, with their increments."""
        n = self.n_pos + self.n_neg
        # Were its rates uniform, case k of n would be a beta variable. Drawn with fixed
        # numbers of both classes it spreads no more than that.
        tail = 1e-14
        low = special.betaincinv(k, n - k + 1, tail)
        # By the lower tail of the mirrored variable: 1 - 1e-14 has few digits left.
        high = 1 - special.betaincinv(n - k + 1, k, tail)
        inner = self.places[(self.places > low) & (self.places < high)]
        # Between two cuts the integrand is a polynomial, for Gauss-Legendre quadrature;
        # many cuts are passed over by panels far narrower than the integrand.
        most_panels, most_nodes = 320, 8
        if len(inner) >= most_panels:
            # The first and the last remain: there the case ends that was added.
            panels = np.linspace(low, high, most_panels + 1)[1:-1]
            inner = np.union1d(panels, inner[[0, -1]])
        edges = np.concatenate([[low], inner, [high]])
        # As many nodes in all, few per panel where there are many panels.
        n_nodes = int(np.clip(most_panels // (len(edges) - 1), 1, most_nodes))
        nodes, weights = _gauss_legendre(n_nodes)
        parts = []
        for curve in (self.tpr, self.fpr):
            at_edges = np.interp(edges, self.places, curve)
            rise = np.diff(at_edges)[:, None]
            values = at_edges[:-1, None] + rise * (nodes + 1) / 2
            parts.append((np.maximum(values, _TINY).ravel(), rise * weights / 2))
        (tpr, tpr_weight), (fpr, fpr_weight) = parts
        return tpr, fpr, tpr_weight.ravel(), fpr_weight.ravel()

    def _expected_window(self, k: int) -> tuple[float, float]:
        """Return the middle and half-width of the counts that are likely."""
        n = self.n_pos + self.n_neg
        place = k / n
        # Where it is 0, at the last case, a cell's width tells the slope as well.
        spread = np.sqrt(place * (1 - place) / n) + 1 / n
        around = np.clip([place - spread, place, place + spread], 0, 1)
        tpr = np.interp(around, self.places, self.tpr)
        fpr = np.interp(around, self.places, self.fpr)
        gain_pos = self.n_pos * (tpr[2] - tpr[0])
        gain_neg = self.n_neg * (fpr[2] - fpr[0])
        # To first order S_k = A - slope * (A + B - k), where A positives and B
        # negatives are drawn from above the place k / n.
        slope = gain_pos / (gain_pos + gain_neg)
        variance = (1 - slope) ** 2 * self.n_pos * tpr[1] * (1 - tpr[1])
        variance += slope**2 * self.n_neg * fpr[1] * (1 - fpr[1])
        # Ten more, for where the variance to first order is next to nothing.
        return self.n_pos * tpr[1], 8 * float(np.sqrt(variance)) + 10


def _log_choose(n: int, k: FloatArray) -> FloatArray:
    """Return the logarithm of the binomial coefficient."""
    gammaln = special.gammaln
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


_gauss_legendre = lru_cache(special.roots_legendre)


def bootstrap_counts(
    folds: Folds,
    rates: FloatArray,
    n_resamples: int,
    generator: np.random.Generator,
    *,
    is_adjusted: bool = False,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return the pooled counts of new sets of folds, of shape (n_resamples, n_rates).

    Each fold keeps its numbers of positives and of negatives. With ``is_adjusted``
    the numbers are left to chance, and the ranking is then stretched to meet them.
    """
    places = _Places(folds)
    n_samples = sum(n * sum(size) for size, n in folds.sizes.items())
    n_tables = max(1, min(n_resamples, _BATCH_CASES // n_samples))
    batches = [
        min(n_tables, n_resamples - first) for first in range(0, n_resamples, n_tables)
    ]

    def total(n_tables: int, rng: np.random.Generator) -> FloatArray:
        counts = np.zeros((n_tables, len(rates)))
        for size, n_folds in folds.sizes.items():
            for _ in range(n_folds):
                counts += _drawn_counts(
                    places, size, rates, n_tables, rng, is_adjusted=is_adjusted
                )
        return counts

    # A generator for each batch, so that the number of threads changes no number.
    results = Parallel(n_jobs=check_n_jobs("n_jobs", n_jobs), prefer="threads")(
        delayed(total)(n_tables, rng)
        for n_tables, rng in zip(batches, generator.spawn(len(batches)), strict=True)
    )
    return np.concatenate(list(results))


class _Places:
    """Where the positives and the negatives of all folds lie along the curve.

    A place is drawn by choosing a case of the class, and then a point of the interval
    that the case shares with those it ties with.
    """

    def __init__(self, folds: Folds) -> None:
        # So far above and below all places does the case lie that is added to each
        # class. Its share of (0, 1) is none to speak of.
        far = 1e9
        starts, widths = [], []
        for name in ("pos", "neg"):
            for table, cuts in zip(folds.tables, folds.places, strict=True):
                n_samples = getattr(table, name).astype(np.intp)
                starts.append(np.repeat(cuts[:-1], n_samples))
                widths.append(np.repeat(np.diff(cuts), n_samples))
            starts.append(np.full(folds.added, -far))
            widths.append(np.full(folds.added, 2 * far + 1))
        # Those of the positives come first.
        self.starts, self.widths = np.concatenate(starts), np.concatenate(widths)
        self.n_pos = round(folds.n_pos) + folds.added
        self.n_neg = round(folds.n_neg) + folds.added

    def ranked_labels(
        self, n_pos: IntArray, n_samples: int, rng: np.random.Generator
    ) -> Array:
        """Return drawn rankings, one a row: 1 for a positive, 0 for a negative.

        Row i has ``n_pos[i]`` positives among ``n_samples``.
        """
        is_pos = np.arange(n_samples) < n_pos[:, None]
        # One random number for two draws: its whole part chooses the case, the rest
        # the point within the case's interval. In place, as no array is larger.
        drawn = rng.random(is_pos.shape)
        drawn *= np.where(is_pos, self.n_pos, self.n_neg)
        case = drawn.astype(np.intp)
        drawn -= case
        case[~is_pos] += self.n_pos
        drawn *= self.widths[case]
        drawn += self.starts[case]
        # The label takes the place of the last bit, so that values can be sorted.
        bits = drawn.view(np.uint64)
        bits &= ~np.uint64(1)
        bits |= is_pos
        drawn.sort(axis=1)
        return (bits & np.uint64(1)).astype(np.uint8)


def _drawn_counts(
    places: _Places,
    size: tuple[int, int],
    rates: FloatArray,
    n_tables: int,
    rng: np.random.Generator,
    *,
    is_adjusted: bool,
) -> FloatArray:
    """Return counts of positives at ``rates`` in drawn folds of one size.

    Adjusted, the number of positives is left to chance, and the cases of each class are
    then made wider or narrower along the ranking, so that they come to it (section 3.5
    of the paper). A fold that lacks a class is drawn again.
    """
    n_pos, n_neg = size
    n_samples = n_pos + n_neg
    if not is_adjusted:
        labels = places.ranked_labels(np.full(n_tables, n_pos), n_samples, rng)
        return count_hits(labels, rates)
    drawn = rng.binomial(n_samples, n_pos / n_samples, n_tables)
    while not np.all(lacks_none := (drawn > 0) & (drawn < n_samples)):
        again = np.flatnonzero(~lacks_none)
        drawn[again] = rng.binomial(n_samples, n_pos / n_samples, len(again))
    labels = places.ranked_labels(drawn, n_samples, rng)
    found = np.zeros((n_tables, n_samples + 1))
    np.cumsum(labels, axis=1, out=found[:, 1:])
    missed = np.arange(n_samples + 1) - found
    # Stretched, a case is no longer one: the cut at a rate falls between the cuts that
    # are known, and both classes grow linearly from one of them to the next.
    found *= (n_pos / drawn)[:, None]
    missed *= (n_neg / (n_samples - drawn))[:, None]
    # One call for all rows: row i runs from i * (n_samples + 1) on, so that the rows
    # increase from one to the next. Rounding must not carry one into the other.
    starts = (n_samples + 1.0) * np.arange(n_tables)[:, None]
    passed = starts + np.minimum(found + missed, n_samples)
    asked = starts + rates * n_samples
    counts = np.interp(asked.ravel(), passed.ravel(), found.ravel())
    return np.asarray(counts.reshape(asked.shape))


def pointwise_range(
    counts: FloatArray, level: float, most_out: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return bounds that leave out at most half of 1 - level of the rows, a side."""
    # 0.05 / 2 * 2000 is 50 but for rounding.
    n_out = int((1 - level) / 2 * len(counts) + 1e-9)
    n_out = n_out if most_out is None else min(n_out, most_out)
    ordered = np.sort(counts, axis=0)
    return ordered[n_out], ordered[len(counts) - 1 - n_out]


def joint_range(counts: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds that leave out as many counts at each rate as they can.

    At least ``level`` of the rows lie within them at every rate.
    """
    n_below = rankdata(counts, "max", axis=0)
    n_above = len(counts) + 1 - rankdata(counts, "min", axis=0)
    depths = np.minimum(n_below, n_above).min(axis=1)
    # Only so many of them may lie beyond the bounds at some rate.
    n_rows = int((1 - level) * len(counts) + 1e-9)
    return pointwise_range(counts, level, int(np.sort(depths)[n_rows]) - 1)


def shift_consensus_bounds(
    folds: Folds, rates: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of new folds, moved by what these are off the consensus.

    New folds of several prevalences are drawn from one curve, and find on average what
    the folds found only if these share it. Counts are whole: the end that comes nearer
    to the consensus stays behind by up to a case. Bounds are made wider where they
    would leave the consensus out.
    """
    found = folds.pooled_count(folds.interpolate_tpr(rates))
    if not folds.has_one_prevalence:
        move = found - expected_count(folds, rates)
        least, most = folds.reachable(rates)
        lower = np.clip(lower + move - np.clip(move, 0, 1), least, most)
        upper = np.clip(upper + move - np.clip(move, -1, 0), least, most)
    return make_monotone(
        folds, rates, np.minimum(lower, found), np.maximum(upper, found)
    )


def expected_count(folds: Folds, rates: FloatArray) -> FloatArray:
    """Return what folds of these sizes find on the curve that the folds share."""
    shared, total = folds.shared, np.zeros_like(rates)
    for size, n_folds in folds.sizes.items():
        places = FoldSource(*size, shared.tpr, shared.fpr).places
        total += n_folds * size[0] * np.interp(rates, places, shared.tpr)
    return total


def make_monotone(
    folds: Folds, rates: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the bounds, made wider where they turn back.

    Processing more finds no fewer positives, and no fewer negatives.
    """
    processed = rates * (folds.n_pos + folds.n_neg)
    lower = processed - np.maximum.accumulate(processed - lower)
    upper = processed - np.minimum.accumulate((processed - upper)[::-1])[::-1]
    return np.minimum.accumulate(lower[::-1])[::-1], np.maximum.accumulate(upper)


def find_bends(
    folds: Folds,
    rates: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    bounds: str | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return every bend of the consensus between two rates, and bounds as counts.

    Linear in between is how far the bounds are from the consensus.
    """
    cuts = folds.cuts
    inner = slice(
        np.searchsorted(cuts, rates[0], "right"), np.searchsorted(cuts, rates[1])
    )
    knots = np.concatenate([rates[:1], cuts[inner], rates[1:]])
    found = folds.pooled_count(folds.interpolate_tpr(knots))
    processed = knots * (folds.n_pos + folds.n_neg)
    counts = []
    for ends in (lower, upper):
        count = found + np.interp(knots, rates, ends - found[[0, -1]])
        # No fewer positives than at the one end, nor more than at the other; and no
        # fewer negatives.
        negatives = processed[[0, -1]] - ends
        least = np.maximum(ends.min(), processed - negatives.max())
        most = np.minimum(ends.max(), processed - negatives.min())
        counts.append(np.clip(count, least, most))
    if bounds != "normal":
        counts = [np.clip(count, *folds.reachable(knots)) for count in counts]
    if bounds not in {"normal", "beta"}:
        counts = list(make_monotone(folds, knots, *counts))
    return knots, counts[0], counts[1]
