"""Bounds of the pooled count: the positives that a consensus selects in all folds."""

from __future__ import annotations

from collections.abc import Callable
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

# Replaces 0 in logarithms and quotients.
_TINY = 1e-300
# Lower and upper bounds at each rate.
Ends: TypeAlias = tuple[FloatArray, FloatArray]
JointDistribution: TypeAlias = tuple[int, FloatArray, FloatArray]
_Result = TypeVar("_Result")


def normal_bounds(folds: Folds, rates: FloatArray, level: float) -> Ends:
    """Return normal bounds: Millard, Kull and Flach (2014), equation 8."""
    mean, variance = _mean_and_variance(folds, folds.interpolate_tpr(rates))
    margin = -special.ndtri((1 - level) / 2) * np.sqrt(variance)
    return folds.n_pos * (mean - margin), folds.n_pos * (mean + margin)


def beta_bounds(folds: Folds, rates: FloatArray, level: float) -> Ends:
    """Return bounds of the pooled count from a beta distribution on its possible range.

    The recalls are first rescaled to their possible range (section 3.1 of the paper).
    """
    n_pos, n_neg = folds.column("n_pos"), folds.column("n_neg")
    processed = rates * (n_pos + n_neg)
    minimum = np.maximum(processed - n_neg, 0.0) / n_pos
    width = np.minimum(processed / n_pos, 1.0) - minimum
    is_open = width > 0
    scaled = (folds.interpolate_tpr(rates) - minimum) / np.where(is_open, width, 1.0)
    scaled = np.where(is_open, np.clip(scaled, 0, 1), 0.0)
    low, high = scaled_beta_interval(
        *_mean_and_variance(folds, scaled), 0.0, 1.0, level
    )
    bottom, top = folds.reachable(rates)
    return bottom + (top - bottom) * low, bottom + (top - bottom) * high


def _mean_and_variance(folds: Folds, recalls: FloatArray) -> Ends:
    """Return the mean over folds, weighted by their positives, and its variance."""
    weights = folds.column("n_pos")[:, 0] / folds.n_pos
    mean = dot(recalls.T, weights)
    n_folds = len(weights)
    variance = dot((recalls - mean).T ** 2, weights**2) * n_folds / (n_folds - 1)
    return np.asarray(mean), np.asarray(variance)


def parametric_bounds(
    folds: Folds, rates: FloatArray, level: float, *, n_jobs: int | None
) -> Ends:
    """Return bounds of the pooled count from a beta distribution with its moments.

    Millard, Kull and Flach (2014), theorem 1 and equations 22 to 29.
    """

    def moments(counts: list[tuple[CountDistribution, int]]) -> FloatArray:
        by_fold = [n * np.array(count.moments()) for count, n in counts]
        return np.asarray(np.sum(by_fold, axis=0))

    mean, variance = np.array(_map_rates(moments, folds, rates, n_jobs)).T
    return scaled_beta_interval(mean, variance, *folds.reachable(rates), level)


def scaled_beta_interval(
    mean: Any, variance: Any, minimum: Any, maximum: Any, level: float
) -> Ends:
    """Return central intervals of betas on [minimum, maximum] with two moments."""
    width, tail = maximum - minimum, (1 - level) / 2
    # A variance at rounding level means that the count is certain.
    varies = (width > 0) & (variance > 1e-10 * width**2)
    width = np.where(varies, width, 1.0)
    m, v = (mean - minimum) / width, np.where(varies, variance, 1.0) / width**2
    concentration = m * (1 - m) / v - 1
    is_beta = concentration > 1e-6
    size = np.where(is_beta, concentration, 1.0)
    shapes = np.where(is_beta, m, 0.5) * size, np.where(is_beta, 1 - m, 0.5) * size
    low = special.betaincinv(*shapes, tail)
    high = np.maximum(low, special.betainccinv(*shapes, tail))
    # Else all mass is at the two ends, for example for the first sample of a single
    # fold. A probability that equals the tail up to rounding can be left out.
    tail *= 1 + 1e-9
    low, high = np.where(is_beta, low, 1 - m <= tail), np.where(is_beta, high, m > tail)
    middle = np.minimum(np.maximum(mean, minimum), maximum)
    ends = [np.where(varies, minimum + width * end, middle) for end in (low, high)]
    return ends[0], ends[1]


def exact_bounds(
    folds: Folds,
    rates: FloatArray,
    level: float,
    drawn: FloatArray | None = None,
    *,
    n_jobs: int | None,
) -> Ends:
    """Return bounds of the pooled count, by convolution over folds.

    If counts of new folds are ``drawn``, the level for all rates is the minimum for
    which a fraction ``level`` of the drawn curves lies between the bounds everywhere.
    """
    # A probability that equals the tail up to rounding can be left out.
    tail = (1 - level) / 2 * (1 + 1e-9)
    cdfs = _map_rates(pooled_distribution, folds, rates, n_jobs)
    if drawn is not None:
        depths = [cdf.depth(counts) for cdf, counts in zip(cdfs, drawn.T, strict=True)]
        n_out = int((1 - level) * len(drawn) + 1e-9)
        # Just below the minimum depth of the curves that must lie within the bounds.
        tail = min(np.nextafter(np.sort(np.min(depths, axis=0))[n_out], 0), tail)
    lower, upper = np.array([cdf.interval(tail) for cdf in cdfs]).T
    return lower, upper


def _map_rates(
    summarize: Callable[[list[tuple[CountDistribution, int]]], _Result],
    folds: Folds,
    rates: FloatArray,
    n_jobs: int | None,
) -> list[_Result]:
    """Return ``summarize`` of [(distribution, number of folds), ...] at each rate."""
    sources = [(FoldSource.of(folds, *size), n) for size, n in folds.sizes.items()]

    def summarize_rate(rate: float) -> _Result:
        counts = [
            (source.distribution(rate * source.n), n_folds)
            for source, n_folds in sources
        ]
        return summarize(counts)

    parallel = Parallel(check_n_jobs("n_jobs", n_jobs), prefer="threads", batch_size=8)
    return list(parallel(delayed(summarize_rate)(rate) for rate in rates))


class PooledDistribution(NamedTuple):
    """Distribution of the pooled count, which has the values (first + i) / parts.

    ``at_most[i]`` and ``at_least[i]`` are P(X <= value) and P(X >= value).
    """

    first: int
    parts: int
    at_most: FloatArray
    at_least: FloatArray

    def interval(self, tail: float) -> tuple[float, float]:
        """Return the shortest interval that leaves out at most ``tail`` per side."""
        low = int(np.searchsorted(self.at_most, tail, side="right"))
        above = int(np.searchsorted(self.at_least[::-1], tail, side="right"))
        high = len(self.at_least) - 1 - above
        return (self.first + low) / self.parts, (self.first + high) / self.parts

    def depth(self, counts: FloatArray) -> FloatArray:
        """Return min(P(X <= count), P(X >= count)) for each of ``counts``."""
        positions = counts * self.parts - self.first
        last = len(self.at_most) - 1
        # A count between two values is above the one and below the other.
        below = np.clip(np.floor(positions + 1e-6), -1, last).astype(np.intp)
        above = np.clip(np.ceil(positions - 1e-6), 0, last + 1).astype(np.intp)
        at_most, at_least = np.append(self.at_most, 0.0), np.append(self.at_least, 0.0)
        return np.asarray(np.minimum(at_most[below], at_least[above]))


def pooled_distribution(
    counts: list[tuple[CountDistribution, int]],
) -> PooledDistribution:
    """Return the distribution of the sum over folds, given their numbers."""
    n_parts = _sample_divisions([count for count, _ in counts])
    lattices = [(_on_lattice(count, n_parts), n_folds) for count, n_folds in counts]
    first = sum(n_parts * count.first * n_folds for count, n_folds in counts)
    n_values = 1 + sum((len(masses) - 1) * n for masses, n in lattices)
    length = fft.next_fast_len(n_values, real=True)
    spectrum = np.ones(length // 2 + 1, dtype=np.complex128)
    for masses, n_folds in lattices:
        spectrum *= fft.rfft(masses, length) ** n_folds
    masses = np.maximum(fft.irfft(spectrum, length)[:n_values], 0.0)
    at_most, at_least = np.cumsum(masses), np.cumsum(masses[::-1])[::-1]
    # Drop less likely values, which would fill the memory.
    negligible = 1e-12
    low = int(np.searchsorted(at_most, negligible))
    high = n_values - int(np.searchsorted(at_least[::-1], negligible))
    tails = at_most[low:high].copy(), at_least[low:high].copy()
    return PooledDistribution(first + low, n_parts, *tails)


def _sample_divisions(counts: list[CountDistribution]) -> int:
    """Return the number of parts of a sample: 1 for large folds, at most 16."""
    if max(len(count.sure) for count in counts) > 500:
        return 1
    finest = 16
    for n_parts in range(1, finest):
        remainders = [count.fraction * n_parts % 1 for count in counts]
        if all(min(remainder, 1 - remainder) < 1e-9 for remainder in remainders):
            return n_parts
    return finest


def _on_lattice(count: CountDistribution, n_parts: int) -> FloatArray:
    """Return the probabilities of multiples of 1 / n_parts, with the same mean."""
    masses = np.zeros((len(count.sure) + 2, n_parts))
    masses[:-2, 0] = count.sure
    # Rounded, because a third of three parts is one.
    whole, remainder = divmod(round(count.fraction * n_parts, 9), 1)
    flat = masses.ravel()
    size = n_parts * len(count.partial)
    flat[int(whole) :][:size:n_parts] += (1 - remainder) * count.partial
    flat[int(whole) + 1 :][:size:n_parts] += remainder * count.partial
    return flat


class CountDistribution(NamedTuple):
    """Distribution of the number of positives in the first k samples of a fold.

    With probability ``sure[i]`` the count is ``first + i``; with ``partial[i]`` it is
    ``first + i + fraction``: of the last, positive sample, a fraction is processed.
    """

    first: int
    sure: FloatArray
    partial: FloatArray
    fraction: float

    def moments(self) -> tuple[float, float]:
        """Return the mean and variance of the count."""
        counts = self.first + np.arange(len(self.sure))
        mean = dot(counts, self.sure) + dot(counts + self.fraction, self.partial)
        variance = dot((counts - mean) ** 2, self.sure)
        variance += dot((counts + self.fraction - mean) ** 2, self.partial)
        return float(mean), float(variance)


@dataclass(frozen=True)
class FoldSource:
    """A ROC curve, given at its cuts, from which folds of one size are drawn."""

    n_pos: int
    n_neg: int
    tpr: FloatArray
    fpr: FloatArray

    @classmethod
    def of(cls, folds: Folds, n_pos: int, n_neg: int) -> FoldSource:
        """Return the common curve of folds, with ``folds.added`` samples per class."""
        shared, added = folds.shared, folds.added
        if not added:
            return cls(n_pos, n_neg, shared.tpr, shared.fpr)
        tpr, fpr = (
            np.concatenate([[0.0], (added / 2 + above) / (added + above[-1]), [1.0]])
            for above in (shared.cum_pos, shared.cum_neg)
        )
        return cls(n_pos, n_neg, tpr, fpr)

    @property
    def n(self) -> int:
        """Number of samples of a fold."""
        return self.n_pos + self.n_neg

    @cached_property
    def places(self) -> FloatArray:
        """The expected rate of the fold at each cut, from 0 to 1."""
        return (self.n_pos * self.tpr + self.n_neg * self.fpr) / self.n

    def distribution(self, k: float) -> CountDistribution:
        """Return the distribution of the number of positives in the first k samples."""
        # k / n * n can miss the integer k by rounding.
        k = round(k) if abs(k - round(k)) < 1e-9 * self.n else k
        if not 0 < k < self.n:
            count = 0 if k <= 0 else self.n_pos
            return CountDistribution(count, np.ones(1), np.zeros(1), 0.0)
        last = int(np.ceil(k))
        low, is_pos, is_neg = self._cached_joint(last)
        # If sample `last` is positive, only a fraction may be processed: a count s
        # becomes s - 1 and that fraction. If it is negative, the count s is unchanged,
        # which is one position further because counts now start at low - 1.
        sure, partial = np.append(0.0, is_neg), np.append(is_pos, 0.0)
        return CountDistribution(low - 1, sure, partial, float(k - (last - 1)))

    @cached_property
    def _cached_joint(self) -> Callable[[int], JointDistribution]:
        # Adjacent rates often cut the same sample.
        return lru_cache(maxsize=16)(self._joint_distribution)

    def _joint_distribution(self, k: int) -> JointDistribution:
        """Return the joint distribution of (positives in the first k, class of k)."""
        tpr, fpr, tpr_weight, fpr_weight = self._nodes(k)
        minimum, maximum = max(0, k - self.n_neg), min(k, self.n_pos)
        center, width = self._expected_window(k)
        # The window is a first-order guess. It grows until the probabilities at both
        # ends are negligible, or it contains all counts.
        while True:
            low = max(minimum, int(np.floor(center - width)))
            high = min(maximum, int(np.ceil(center + width)))
            counts = np.arange(low, high + 1.0)
            likelihood = self._likelihood(k, counts, tpr, fpr)
            # Each of the `counts` positives can be sample k. The other positives lie
            # above it: hence one factor tpr less than in the likelihood, and the
            # increment of tpr at sample k.
            is_pos = counts * ((tpr_weight / tpr) @ likelihood)
            is_neg = (k - counts) * ((fpr_weight / fpr) @ likelihood)
            # Less likely counts are left out, and all counts further out.
            ends = (is_pos + is_neg)[[0, -1]] < 1e-13
            if (low == minimum or ends[0]) and (high == maximum or ends[1]):
                break
            width *= 2
        # The total is 1 up to the quadrature error, which all counts have in common.
        total = is_pos.sum() + is_neg.sum()
        return low, is_pos / total, is_neg / total

    def _likelihood(
        self, k: int, counts: FloatArray, tpr: FloatArray, fpr: FloatArray
    ) -> FloatArray:
        """Return P(s positives and k - s negatives lie above the cut), nodes by counts.

        The logarithm of two binomials is linear in s, except for the coefficients.
        """
        log_tpr, log_miss = np.log(tpr), np.log(np.maximum(1 - tpr, _TINY))
        log_fpr, log_spared = np.log(fpr), np.log(np.maximum(1 - fpr, _TINY))
        slope = log_tpr - log_miss - log_fpr + log_spared
        base = self.n_pos * log_miss + k * log_fpr + (self.n_neg - k) * log_spared
        ways = _log_choose(self.n_pos, counts) + _log_choose(self.n_neg, k - counts)
        # Work in-place, because this is the largest array.
        exponent = np.multiply.outer(slope, counts)
        exponent += ways
        exponent += base[:, None]
        np.exp(exponent, out=exponent)
        return np.asarray(exponent)

    def _nodes(self, k: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return tpr and fpr at the likely positions of sample k, with increments."""
        n = self.n
        # With uniform rates, the position of sample k of n has a beta distribution.
        # Fixed numbers of both classes do not increase its spread.
        tail = 1e-14
        low = special.betaincinv(k, n - k + 1, tail)
        # By the lower tail of the mirrored variable, because 1 - 1e-14 loses digits.
        high = 1 - special.betaincinv(n - k + 1, k, tail)
        inner = self.places[(self.places > low) & (self.places < high)]
        # Between two cuts the integrand is a polynomial, which suits Gauss-Legendre
        # quadrature. Many cuts are replaced by panels far narrower than the integrand.
        most_panels, most_nodes = 320, 8
        if len(inner) >= most_panels:
            # The first and last cut remain, because the added samples end there.
            panels = np.linspace(low, high, most_panels + 1)[1:-1]
            inner = np.union1d(panels, inner[[0, -1]])
        edges = np.concatenate([[low], inner, [high]])
        # The more panels, the fewer nodes per panel: the total is limited.
        n_nodes = int(np.clip(most_panels // (len(edges) - 1), 1, most_nodes))
        nodes, weights = _gauss_legendre(n_nodes)
        rules = []
        for curve in (self.tpr, self.fpr):
            at_edges = np.interp(edges, self.places, curve)
            rise = np.diff(at_edges)[:, None]
            heights = at_edges[:-1, None] + rise * (nodes + 1) / 2
            rules.append((np.maximum(heights, _TINY).ravel(), rise * weights / 2))
        (tpr, tpr_weight), (fpr, fpr_weight) = rules
        return tpr, fpr, tpr_weight.ravel(), fpr_weight.ravel()

    def _expected_window(self, k: int) -> tuple[float, float]:
        """Return the middle and half-width of the window of likely counts."""
        rate = k / self.n
        # 1 / n gives a slope also at the last sample, where the square root is 0.
        spread = np.sqrt(rate * (1 - rate) / self.n) + 1 / self.n
        around = np.clip([rate - spread, rate, rate + spread], 0, 1)
        tpr = np.interp(around, self.places, self.tpr)
        fpr = np.interp(around, self.places, self.fpr)
        gain_pos = self.n_pos * (tpr[2] - tpr[0])
        gain_neg = self.n_neg * (fpr[2] - fpr[0])
        # To first order S_k = A - slope * (A + B - k), if A positives and B negatives
        # are drawn from above the rate k / n.
        slope = gain_pos / (gain_pos + gain_neg)
        variance = (1 - slope) ** 2 * self.n_pos * tpr[1] * (1 - tpr[1])
        variance += slope**2 * self.n_neg * fpr[1] * (1 - fpr[1])
        # Ten more, because the first-order variance can be almost 0.
        return self.n_pos * tpr[1], 8 * float(np.sqrt(variance)) + 10


def _log_choose(n: int, k: FloatArray) -> FloatArray:
    """Return the logarithm of the binomial coefficient n over k."""
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

    Each fold has its numbers of positives and negatives. With ``is_adjusted`` these
    numbers are random, and the rankings are then stretched to the numbers of the fold.
    """
    places = _Places(folds)
    n_samples = sum(n * sum(size) for size, n in folds.sizes.items())
    # At most so many samples in one task, which limits the memory.
    n_tables = max(1, min(n_resamples, 2_000_000 // n_samples))
    batches = [
        min(n_tables, n_resamples - first) for first in range(0, n_resamples, n_tables)
    ]

    def draw_batch(n_tables: int, rng: np.random.Generator) -> FloatArray:
        counts = np.zeros((n_tables, len(rates)))
        for size, n_folds in folds.sizes.items():
            for _ in range(n_folds):
                counts += _drawn_counts(
                    places, size, rates, n_tables, rng, is_adjusted=is_adjusted
                )
        return counts

    # One generator per batch: results do not depend on the number of threads.
    counts_by_batch = Parallel(n_jobs=check_n_jobs("n_jobs", n_jobs), prefer="threads")(
        delayed(draw_batch)(n_tables, rng)
        for n_tables, rng in zip(batches, generator.spawn(len(batches)), strict=True)
    )
    return np.concatenate(list(counts_by_batch))


class _Places:
    """Positions of the positives and negatives of all folds along the common curve.

    To draw a position, choose a sample of the class, and then a point in the interval
    of its group of tied samples.
    """

    def __init__(self, folds: Folds) -> None:
        # The added sample of each class is uniform on [-far, far + 1]: half above and
        # half below all positions. Its probability in (0, 1) is negligible.
        far = 1e9
        starts, widths = [], []
        for name in ("pos", "neg"):
            for table, cuts in zip(folds.tables, folds.places, strict=True):
                n_samples = getattr(table, name).astype(np.intp)
                starts.append(np.repeat(cuts[:-1], n_samples))
                widths.append(np.repeat(np.diff(cuts), n_samples))
            starts.append(np.full(folds.added, -far))
            widths.append(np.full(folds.added, 2 * far + 1))
        # Positives come first.
        self.starts, self.widths = np.concatenate(starts), np.concatenate(widths)
        self.n_pos = round(folds.n_pos) + folds.added
        self.n_neg = round(folds.n_neg) + folds.added

    def ranked_labels(
        self, n_pos: IntArray, n_samples: int, rng: np.random.Generator
    ) -> Array:
        """Return random rankings, one per row: 1 for a positive, 0 for a negative.

        Row i has ``n_pos[i]`` positives among ``n_samples``.
        """
        is_pos = np.arange(n_samples) < n_pos[:, None]
        # One random number serves two draws: its integer part chooses the sample, its
        # fractional part the point in the interval. All in-place: this is the largest
        # array.
        drawn = rng.random(is_pos.shape)
        drawn *= np.where(is_pos, self.n_pos, self.n_neg)
        sample = drawn.astype(np.intp)
        drawn -= sample
        sample[~is_pos] += self.n_pos
        drawn *= self.widths[sample]
        drawn += self.starts[sample]
        # The label replaces the last bit, because it must follow when sorting.
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

    If ``is_adjusted``, the number of positives is random, and the samples of each class
    are then stretched to match ``size`` (section 3.5); both classes are needed.
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
    positives = np.zeros((n_tables, n_samples + 1))
    np.cumsum(labels, axis=1, out=positives[:, 1:])
    negatives = np.arange(n_samples + 1) - positives
    # A stretched sample no longer counts as one: the cut at a rate lies between two
    # cuts of the ranking, and both classes grow linearly from one cut to the next.
    positives *= (n_pos / drawn)[:, None]
    negatives *= (n_neg / (n_samples - drawn))[:, None]
    # One call for all rows: row i starts at i * (n_samples + 1), because positions must
    # increase from row to row. Rounding must not carry one row into the next.
    starts = (n_samples + 1.0) * np.arange(n_tables)[:, None]
    positions = starts + np.minimum(positives + negatives, n_samples)
    queries = starts + rates * n_samples
    counts = np.interp(queries.ravel(), positions.ravel(), positives.ravel())
    return np.asarray(counts.reshape(queries.shape))


def pointwise_range(
    counts: FloatArray, level: float, max_out: int | None = None
) -> Ends:
    """Return bounds that leave out at most (1 - level) / 2 of the rows on each side."""
    # 1e-9 is for rounding: 0.05 / 2 * 2000 is 50.
    n_out = int((1 - level) / 2 * len(counts) + 1e-9)
    n_out = n_out if max_out is None else min(n_out, max_out)
    ordered = np.sort(counts, axis=0)
    return ordered[n_out], ordered[len(counts) - 1 - n_out]


def joint_range(counts: FloatArray, level: float) -> Ends:
    """Return the narrowest bounds that leave out the same number of rows at each rate.

    At least a fraction ``level`` of the rows lies within them at all rates.
    """
    n_below = rankdata(counts, "max", axis=0)
    n_above = len(counts) + 1 - rankdata(counts, "min", axis=0)
    depths = np.minimum(n_below, n_above).min(axis=1)
    # Maximum number of rows that can leave the bounds at any rate.
    n_rows = int((1 - level) * len(counts) + 1e-9)
    return pointwise_range(counts, level, int(np.sort(depths)[n_rows]) - 1)


def shift_consensus_bounds(
    folds: Folds, rates: FloatArray, lower: FloatArray, upper: FloatArray
) -> Ends:
    """Return bounds of new folds, shifted by their distance from the consensus.

    The expected count of new folds equals the consensus only if all have one curve.
    Counts are integers: the end that approaches the consensus moves up to one sample
    less. Bounds are widened if they would exclude the consensus.
    """
    count = folds.pooled_count(folds.interpolate_tpr(rates))
    if not folds.has_one_prevalence:
        shared, expected = folds.shared, np.zeros_like(rates)
        for size, n_folds in folds.sizes.items():
            cuts = FoldSource(*size, shared.tpr, shared.fpr).places
            expected += n_folds * size[0] * np.interp(rates, cuts, shared.tpr)
        shift = count - expected
        lower = lower + shift - np.clip(shift, 0, 1)
        upper = upper + shift - np.clip(shift, -1, 0)
    # Shifts, and rounding the fraction of a sample, can exceed the possible range.
    lower, upper = (np.clip(ends, *folds.reachable(rates)) for ends in (lower, upper))
    return make_monotone(
        folds, rates, np.minimum(lower, count), np.maximum(upper, count)
    )


def make_monotone(
    folds: Folds, rates: FloatArray, lower: FloatArray, upper: FloatArray
) -> Ends:
    """Return the bounds, widened so that neither class decreases with the rate."""
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
    """Return the bends of the consensus between two rates, and bounds as counts.

    The distance of the bounds from the consensus is interpolated linearly.
    """
    cuts = folds.cuts
    inner = slice(
        np.searchsorted(cuts, rates[0], "right"), np.searchsorted(cuts, rates[1])
    )
    knots = np.concatenate([rates[:1], cuts[inner], rates[1:]])
    consensus = folds.pooled_count(folds.interpolate_tpr(knots))
    processed = knots * (folds.n_pos + folds.n_neg)
    counts = []
    for ends in (lower, upper):
        count = consensus + np.interp(knots, rates, ends - consensus[[0, -1]])
        # Positives and negatives must lie between their numbers at both ends.
        negatives = processed[[0, -1]] - ends
        minimum = np.maximum(ends.min(), processed - negatives.max())
        maximum = np.minimum(ends.max(), processed - negatives.min())
        counts.append(np.clip(count, minimum, maximum))
    if bounds != "normal":
        counts = [np.clip(count, *folds.reachable(knots)) for count in counts]
    if bounds not in {"normal", "beta"}:
        counts = list(make_monotone(folds, knots, *counts))
    return knots, counts[0], counts[1]
