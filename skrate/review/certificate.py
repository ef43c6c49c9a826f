"""Bounds of the recall that was reached, from a random subset of unread samples."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import special, stats

from skrate.data.arrays import FloatArray
from skrate.data.checks import check_count, check_fraction, shown, warn_undefined
from skrate.metrics.hypothesis_tests import ConfidenceInterval, exceeds
from skrate.metrics.result_types import Result

_NAN = float("nan")
_HITS = (
    "n_hits must be at most {of}, got {found} of {all}. n_found counts the positives "
    "that were detected before the random subset."
)
# Prior of the confidence sequence, with most weight on low numbers of positives.
_PRIOR = 0.1, 1.0


@dataclass(frozen=True)
class RecallCertificate(Result):
    """The recall that was reached, from :func:`skrate.review.recall_certificate`.

    Attributes
    ----------
    value, confidence_interval : float, ConfidenceInterval
        Estimate of the recall that was reached, and its two-sided interval. The
        estimate is nan if no positive was detected, or if ``n_sampled`` is 0 and
        samples are unread.
    lower_bound : float
        One-sided lower confidence bound of the recall: the certificate.
    pvalue : float
        p-value of the null hypothesis that the recall is below ``target``, adjusted for
        ``looks``. It is 0 if there cannot be any positive, because none is missed then.
    target : float
        The target recall.
    n_missed, missed_interval : float, ConfidenceInterval
        Estimated number of positives among the samples that are still unread, and its
        two-sided interval.
    max_missed : int
        One-sided upper confidence bound of the number of missed positives.
    n_found, n_unreviewed : int
        Numbers of detected positives and of unread samples, *before* the random subset
        was drawn.
    n_sampled, n_hits : int
        Size of the random subset, and number of positives in it.
    n_found_total, n_unreviewed_after : int
        Numbers of detected positives and of unread samples, after the random subset was
        read.
    is_reached : bool
        Whether the lower bound shows that the target is reached.
    confidence_level : float
        Level of the bounds and of the intervals.
    looks : int or str
        The number of looks for which the level is adjusted, or "any".

    Examples
    --------
    >>> from skrate.review import recall_certificate
    >>> result = recall_certificate(95, 1_000, 500, 0)
    >>> result.n_found_total, result.n_unreviewed_after, result.max_missed
    (95, 500, 4)
    >>> result.is_reached
    True
    """

    value: float
    confidence_interval: ConfidenceInterval
    lower_bound: float
    pvalue: float
    target: float
    n_missed: float
    missed_interval: ConfidenceInterval
    max_missed: int
    n_found: int
    n_unreviewed: int
    n_sampled: int
    n_hits: int
    confidence_level: float
    looks: int | str

    @property
    def n_found_total(self) -> int:
        """Detected positives after the random subset was read."""
        return self.n_found + self.n_hits

    @property
    def n_unreviewed_after(self) -> int:
        """Unread samples after the random subset was read."""
        return self.n_unreviewed - self.n_sampled

    @property
    def is_reached(self) -> bool:
        """Whether the target is reached; true if there are no positives."""
        return not exceeds(self.pvalue, 1 - self.confidence_level)

    def to_dict(self) -> dict[str, Any]:
        """Return fields and derived values, as plain numbers and strings."""
        names = "n_found_total", "n_unreviewed_after", "is_reached"
        return super().to_dict() | {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        low, high = self.confidence_interval
        level = f"{100 * self.confidence_level:g} %"
        verdict = "reached" if self.is_reached else "not shown to be reached"
        if self.n_found + self.max_missed == 0:
            verdict = "not missed, since there is nothing to find"
        number = "any number of" if self.looks == "any" else self.looks
        looks = "" if self.looks == 1 else f" over {number} looks"
        return (
            f"RecallCertificate(recall {self.value:.4f}, at least "
            f"{self.lower_bound:.4f} with {level} confidence{looks}, {level} interval "
            f"[{low:.4f}, {high:.4f}]; target {self.target:g} {verdict}, p = "
            f"{self.pvalue:.3g}; {self.n_found:,} found, then {self.n_hits:,} of "
            f"{self.n_sampled:,} drawn from {self.n_unreviewed:,} unread, at most "
            f"{self.max_missed:,} left among {self.n_unreviewed_after:,})"
        )


def recall_certificate(
    n_found: int,
    n_unreviewed: int,
    n_sampled: int,
    n_hits: int,
    *,
    confidence_level: float = 0.95,
    target: float = 0.95,
    looks: int | Literal["any"] = 1,
) -> RecallCertificate:
    r"""Compute a lower confidence bound of the recall that a review reached.

    A reviewer stops to read a ranking. Which fraction of all positives was detected?
    The number of missed positives is estimated from a random subset of the unread
    samples. For example, 190 relevant articles were detected, and 8,000 are unread. Of
    these, 2,000 are drawn at random and read, and 1 is relevant:
    ``recall_certificate(190, 8_000, 2_000, 1)``. The bound is for the recall *after*
    the subset was read.

    Parameters
    ----------
    n_found : int
        Number of positives that were detected before the random subset was drawn.
    n_unreviewed : int
        Number of unread samples before the random subset was drawn (it includes the
        subset).
    n_sampled : int
        Size of the random subset, which was read completely; at most ``n_unreviewed``.
    n_hits : int
        Number of positives in the random subset; at most ``n_sampled``.
    confidence_level : float, default=0.95
        Level of the bounds and of the intervals, in (0, 1).
    target : float, default=0.95
        The target recall, in (0, 1].
    looks : int or "any", default=1
        How often this function is called during the review, to decide whether to stop.
        An integer is the planned number of calls. "any" permits any number of calls for
        one random subset that grows. See Notes.

    Returns
    -------
    certificate : RecallCertificate
        The recall, its lower bound and interval, in [0, 1], the number of missed
        positives, and the p-value of a recall below the target. If all samples are
        read, the recall is 1. If no positive was detected, the recall is nan, and its
        lower bound is 0; if there cannot be any, because all samples are read, the
        p-value is 0, and the review may stop.

    Raises
    ------
    ValueError
        If a count is negative or not an integer; if ``n_sampled`` is above
        ``n_unreviewed``, or ``n_hits`` above ``n_sampled``; or if another argument is
        out of range.

    Warns
    -----
    UndefinedMetricWarning
        If no positive was detected, or if ``n_sampled`` is 0 and ``n_unreviewed`` is
        not.

    See Also
    --------
    certificate_sample_size : The size of the random subset, before it is drawn.
    skrate.rate_at_recall_score : The fraction of the ranking to read for a recall, if
        all labels are available.

    Notes
    -----
    Let F = ``n_found``, N = ``n_unreviewed``, n = ``n_sampled`` and x = ``n_hits``, and
    let K be the unknown number of positives among the N samples. The recall after the
    subset was read is :math:`R = (F + x) / (F + K)`. The number of positives in the
    subset has the hypergeometric distribution

    .. math:: P_K(X = x) = \binom{K}{x} \binom{N - K}{n - x} \Big/ \binom{N}{n}.

    Let :math:`\alpha` = 1 - ``confidence_level``, and :math:`K_U` the maximum K with
    :math:`P_K(X \le x) > \alpha`. The lower bound is :math:`(F + x) / (F + K_U)`. The
    two-sided interval uses :math:`\alpha / 2` at either end. The p-value [1]_ is
    :math:`P_k(X \le x)`, where k is the minimum K with a recall below the target. The
    estimate of the number of missed positives, (N - n) x / n, is unbiased.

    A reviewer who stops at the first success of several tests needs a smaller error for
    each. With ``looks`` = m, :math:`\alpha` is divided by m (Bonferroni). This is valid
    if each subset is drawn from the samples that are then unread, or if one subset
    grows to sizes that do not depend on the number of hits. If the number of looks is
    not planned, pass ``looks=k * (k + 1)`` at look k = 1, 2, ..., because the sum of
    all :math:`1 / (k (k + 1))` is 1.

    ``looks="any"`` is for one subset that grows, by a confidence sequence [2]_. K is
    excluded if :math:`P_K(X = x)`, divided by its mean over a beta-binomial prior of K,
    is at most :math:`\alpha`. Without hits, the subset must be about a fifth larger
    than for one look.

    The bound is invalid if the subset is not random, as the next samples of a ranking,
    or if readers overlook positives. Cost: milliseconds.

    References
    ----------
    .. [1] Callaghan and Mueller-Hansen (2020), Statistical stopping criteria for
       automated screening in systematic reviews, Systematic Reviews 9, 273,
       :doi:`10.1186/s13643-020-01521-4`.
    .. [2] Waudby-Smith and Ramdas (2020), Confidence sequences for sampling without
       replacement, NeurIPS 33.

    Examples
    --------
    18 positives were detected. Of 20 unread samples, 10 are read, and none is positive.
    A single positive would be missed with probability 1/2, and two with probability
    9/38 = 0.24, which is above 1 - 0.8. So at most two are missed, and the recall is at
    least 18 / 20:

    >>> from skrate.review import recall_certificate
    >>> result = recall_certificate(18, 20, 10, 0, confidence_level=0.8)
    >>> result.max_missed, result.lower_bound, round(result.pvalue, 9)
    (2, 0.9, 0.5)

    The example at the top:

    >>> recall_certificate(190, 8_000, 2_000, 1)
    RecallCertificate(recall 0.9845, at least 0.9272 with 95 % confidence, 95 %
    interval
    [0.9139, 1.0000]; target 0.95 not shown to be reached, p = 0.158; 190 found,
    then 1
    of 2,000 drawn from 8,000 unread, at most 15 left among 6,000)
    """
    n_found = check_count("n_found", n_found, minimum=0)
    hits, sampled, unread = urn = _check_urn(n_hits, n_sampled, n_unreviewed)
    level = check_fraction("confidence_level", confidence_level)
    target = check_fraction("target", target, include_one=True)
    n_looks = _check_looks(looks)
    all_found, missed = n_found + hits, _NAN
    if sampled == 0 and unread > 0:
        reason = "n_sampled is 0: read a random subset of the unread samples"
        warn_undefined("The recall reached", reason)
    else:
        missed = (unread - sampled) * hits / sampled if sampled else 0.0
        if all_found == 0:
            reason = "no positive was detected: n_found and n_hits are 0"
            warn_undefined("The recall reached", reason)
    n_low, n_high, n_max = _positives(urn, 1 - level, n_looks)
    max_missed, low, high = n_max - hits, n_low - hits, n_high - hits

    def recall(missed: float) -> float:
        return float(all_found / (all_found + missed)) if all_found + missed else _NAN

    ends = ConfidenceInterval(recall(high), recall(low))
    return RecallCertificate(
        value=recall(missed),
        confidence_interval=ends if all_found else ConfidenceInterval(_NAN, _NAN),
        lower_bound=recall(max_missed),
        pvalue=_pvalue(urn, n_found, target, n_looks),
        target=target,
        n_missed=missed,
        missed_interval=ConfidenceInterval(low, high),
        max_missed=max_missed,
        n_found=n_found,
        n_unreviewed=unread,
        n_sampled=sampled,
        n_hits=hits,
        confidence_level=level,
        looks=n_looks,
    )


def _check_urn(n_hits: int, n_sampled: int, n_unreviewed: int) -> tuple[int, int, int]:
    """Return hits, sampled and unread: positives in a subset of the unread samples."""
    unread = check_count("n_unreviewed", n_unreviewed, minimum=0)
    sampled = check_count("n_sampled", n_sampled, minimum=0)
    hits = check_count("n_hits", n_hits, minimum=0)
    if sampled > unread:
        raise ValueError(
            f"n_sampled must be at most n_unreviewed={unread}, got {sampled}. "
            "n_unreviewed includes the random subset."
        )
    if hits > sampled:
        raise ValueError(_HITS.format(of="n_sampled", found=hits, all=sampled))
    return hits, sampled, unread


def _positives(
    urn: tuple[int, int, int], alpha: float, n_looks: int | str
) -> tuple[int, int, int]:
    """Return minimum and maximum of the two-sided interval, and one-sided maximum."""
    if isinstance(n_looks, str):
        fewest, most = anytime_range(*urn, alpha)
        return fewest, most, most
    alpha /= n_looks
    most, many = max_positives(*urn, alpha), max_positives(*urn, alpha / 2)
    return min_positives(*urn, alpha / 2), many, most


def certificate_sample_size(
    n_found: int,
    n_unreviewed: int,
    *,
    n_hits: int = 0,
    confidence_level: float = 0.95,
    target: float = 0.95,
    looks: int | Literal["any"] = 1,
) -> int:
    """Compute the size of a random subset that can show that the target is reached.

    A reviewer wants to stop, and will read a random subset of the unread samples. How
    large must it be, so that :func:`recall_certificate` shows the target recall if the
    subset contains at most ``n_hits`` positives?

    Parameters
    ----------
    n_found : int
        Number of positives that were detected before the random subset is drawn.
    n_unreviewed : int
        Number of unread samples before the random subset is drawn.
    n_hits : int, default=0
        Maximum number of positives in the random subset; at most ``n_unreviewed``.
    confidence_level : float, default=0.95
        Level of the lower bound of the recall, in (0, 1).
    target : float, default=0.95
        The target recall, in (0, 1].
    looks : int or "any", default=1
        How often :func:`recall_certificate` is called during the review, see there.

    Returns
    -------
    n_sampled : int
        The minimum size with which ``n_hits`` or fewer positives show that the target
        is reached; ``n_unreviewed`` if all samples must be read.

    Raises
    ------
    ValueError
        If a count is negative or not an integer; if ``n_hits`` is above
        ``n_unreviewed``; or if another argument is out of range.

    See Also
    --------
    recall_certificate : The bound of the recall, after the subset was read.

    Notes
    -----
    The size is found by bisection, with the p-values of :func:`recall_certificate`.
    Cost: O(n_hits + log n_unreviewed) p-values, or seconds for a million samples.

    Examples
    --------
    80 positives were detected. If 5 were missed, the recall of 80 / 85 would be below
    95 %. A random subset of 1,712 samples contains none of these 5 with a probability
    of at most 5 %:

    >>> from skrate.review import (
    ...     certificate_sample_size, recall_certificate
    ... )
    >>> certificate_sample_size(80, 3_800)
    1712
    >>> recall_certificate(80, 3_800, 1_712, 0).is_reached
    True
    >>> certificate_sample_size(80, 3_800, n_hits=1)
    2210
    """
    n_found = check_count("n_found", n_found, minimum=0)
    unread = check_count("n_unreviewed", n_unreviewed, minimum=0)
    hits = check_count("n_hits", n_hits, minimum=0)
    if hits > unread:
        raise ValueError(_HITS.format(of="n_unreviewed", found=hits, all=unread))
    level = check_fraction("confidence_level", confidence_level)
    target = check_fraction("target", target, include_one=True)
    n_looks = _check_looks(looks)

    def certifies(x: int, n: int) -> bool:
        pvalue = _pvalue((x, n, unread), n_found, target, n_looks)
        return not exceeds(pvalue, 1 - level)

    size, missed = 0, -1
    for x in range(hits, -1, -1):
        # Fewer hits need no larger subset, if the same number of misses is too many.
        before, missed = missed, min_total_positives(n_found + x, target) - n_found - x
        is_implied = missed == before and n_looks != "any"
        if is_implied or (x <= size and certifies(x, size)):
            continue
        sizes = range(max(size, x), unread + 1)
        size = sizes[bisect_left(sizes, True, key=partial(certifies, x))]
    return size


def _check_looks(looks: int | str) -> int | Literal["any"]:
    if isinstance(looks, str):
        if looks == "any":
            return "any"
        raise ValueError(
            f"looks must be 'any' or the planned number of looks, an integer >= 1, "
            f"got {shown(looks)}."
        )
    return check_count("looks", looks)


def _pvalue(
    urn: tuple[int, int, int], found: int, target: float, looks: int | str
) -> float:
    """Return the p-value of "recall below the target", adjusted for the looks."""
    hits, sampled, unread = urn
    # Minimum number of unread positives with a recall below the target.
    n_pos = min_total_positives(found + hits, target) - found
    if isinstance(looks, str):
        return max_odds_against(hits, sampled, n_pos, unread)
    return min(looks * hypergeometric_cdf(hits, sampled, n_pos, unread), 1.0)


def hypergeometric_pmf(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return P(X = x) of the hypergeometric distribution, to about 12 digits.

    It is a product of binomial probabilities, because differences of logarithms of
    factorials would lose digits.
    """
    n, n_pos, n_all = (np.asarray(count, dtype=float) for count in (n, n_pos, n_all))
    fraction, binomial = n / np.maximum(n_all, 1), stats.binom.pmf
    n_neg = np.maximum(n_all - n_pos, 0)
    joint = binomial(x, n_pos, fraction) * binomial(n - x, n_neg, fraction)
    chance = np.minimum(joint / binomial(n, n_all, fraction), 1.0)
    return np.where(n_pos <= n_all, chance, 0.0)


def hypergeometric_cdf(x: int, n: int, n_pos: int, n_all: int) -> float:
    """Return P(X <= x) of the hypergeometric distribution (decreasing in n_pos)."""
    # There must be enough negatives for a subset with at most x positives.
    if n_pos > n_all or x < n + n_pos - n_all:
        return 0.0
    if x >= min(n, n_pos):
        return 1.0
    if x * n_all < n * n_pos:
        tail = float(hypergeometric_pmf(x, n, n_pos, n_all))
        return min(tail * _sum_pmf_ratios(x, n, n_pos, n_all), 1.0)
    # Above the mean, the terms decrease in the hits among the negatives.
    tail = float(hypergeometric_pmf(x + 1, n, n_pos, n_all))
    return max(1 - tail * _sum_pmf_ratios(n - x - 1, n, n_all - n_pos, n_all), 0.0)


def _sum_pmf_ratios(x: int, n: int, n_pos: int, n_all: int) -> float:
    """Return the sum of P(X = j) / P(X = x) over all j up to x."""
    # The number of terms per step grows to a maximum that stays in the cache.
    total, last, first, length = 1.0, 1.0, 0, 32
    while last > 1e-17 * total:
        j = np.maximum(x - np.arange(first, first + length, dtype=float), 0)
        # Negatives outside the subset.
        n_outside = np.maximum(j + float(n_all - n_pos - n), 0)
        terms = last * np.cumprod(j * n_outside / ((n_pos + 1 - j) * (n + 1 - j)))
        total += float(terms.sum())
        last = float(terms[-1])
        first, length = first + length, min(2 * length, 2**14)
    return total


def max_positives(x: int, n: int, n_all: int, alpha: float) -> int:
    """Return the maximum number of positives K with P(X <= x) above alpha."""
    return _bisect_max(
        x, n_all - n + x, lambda k: exceeds(hypergeometric_cdf(x, n, k, n_all), alpha)
    )


def min_positives(x: int, n: int, n_all: int, alpha: float) -> int:
    """Return the minimum number of positives K with P(X >= x) above alpha."""
    # By symmetry: exchange positives and negatives.
    return n_all - max_positives(n - x, n, n_all, alpha)


def odds_against(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return P(X = x) divided by its mean over a prior of K.

    While a random subset grows sample by sample, the probability that this ratio is
    ever alpha or less is at most alpha, because its reciprocal is a martingale.
    """
    a, _ = _PRIOR
    x, n = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    # For a beta prior with b = 1, factorials cancel to two ratios of gamma functions.
    average = a / (special.poch(n + 1, a) * special.poch(x + a, 1 - a))
    return np.where(n > 0, hypergeometric_pmf(x, n, n_pos, n_all) / average, 1.0)


def anytime_range(x: int, n: int, n_all: int, alpha: float) -> tuple[int, int]:
    """Return the extreme numbers of positives that `odds_against` does not exclude."""

    def is_possible(n_pos: int) -> bool:
        return exceeds(float(odds_against(x, n, n_pos, n_all)), alpha)

    middle = likeliest(x, n, n_all)
    max_neg = _bisect_max(n_all - middle, n_all - x, lambda k: is_possible(n_all - k))
    return n_all - max_neg, _bisect_max(middle, n_all - n + x, is_possible)


def max_odds_against(x: int, n: int, n_pos: int, n_all: int) -> float:
    """Return the maximum of `odds_against` over n_pos positives or more, at most 1."""
    if n_pos > n_all:
        return 0.0
    if n_pos <= likeliest(x, n, n_all):
        return 1.0
    return min(float(odds_against(x, n, n_pos, n_all)), 1.0)


def likeliest(x: int, n: int, n_all: int) -> int:
    """Return the number of positives that maximises the likelihood of x hits."""
    guess = int((n_all + 1.0) * (x / max(n, 1)))
    return min(max(guess, x), n_all - n + x)


def min_total_positives(found: int, target: float) -> int:
    """Return the minimum total of positives with a recall below the target.

    ``found`` of them were detected. The comparison is between floats: 19 of 20 are not
    below 0.95.
    """
    # Above 2**52, floats skip some integers.
    total = int(min(found / target, 2.0**52)) + 1
    # Rounding of the ratio may change the total by one, up or down.
    if total > 1 and found / (total - 1) < target:
        total -= 1
    return total + (found / total >= target)


def _bisect_max(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the maximum integer in [low, high] that satisfies a monotone condition.

    ``low`` must satisfy the condition.
    """
    candidates = range(low + 1, high + 1)
    return low + bisect_left(candidates, True, key=lambda number: not holds(number))
