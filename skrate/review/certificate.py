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
from skrate.metrics.hypothesis_tests import exceeds
from skrate.metrics.result_types import ConfidenceInterval, Result

_NAN = float("nan")
_HITS = (
    "n_hits must be at most {of}, got {found} of {all}. n_found counts the positives "
    "that were detected before the random subset."
)
# Initial and maximum number of terms per step, and the relative size of ignored terms.
_BLOCK, _MAX_BLOCK, _UNSEEN = 32, 2**14, 1e-17
# Prior of the confidence sequence, with most weight on low numbers of positives.
_PRIOR = 0.1, 1.0


@dataclass(frozen=True)
class RecallCertificate(Result):
    """The recall that was reached, from :func:`skrate.review.recall_certificate`.

    Attributes
    ----------
    value, confidence_interval : float, ConfidenceInterval
        Estimate of the recall that was reached, nan if it is undefined, and its
        two-sided interval.
    lower_bound : float
        The certificate: the recall is at least this number, with the confidence level.
    pvalue : float
        p-value of "the recall is below the target", adjusted for the looks; 0 if there
        are no positives at all, because then none was missed.
    target : float
        The target recall.
    n_missed, missed_interval : float, ConfidenceInterval
        Estimated number of positives among the samples that are still unread, and its
        two-sided interval.
    max_missed : int
        Upper bound of the number of missed positives, with the confidence level.
    n_found, n_unreviewed : int
        Detected positives and unread samples, *before* the random subset was drawn.
    n_sampled, n_hits : int
        Size of the random subset, and positives in it.
    n_found_total, n_unreviewed_after : int
        Detected positives and unread samples, after the subset was read.
    is_reached : bool
        Whether the target is reached, with the confidence level.
    confidence_level : float
        Level of the bound and of the interval, over all looks.
    looks : int or str
        Number of looks over which the error is divided, or "any".

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
    r"""Certify the recall that was reached, by reading a random subset of the rest.

    A reviewer detected 190 relevant articles and left 8,000 unread. Then 2,000 of these
    8,000, drawn at random, were read, and 1 was relevant: ``recall_certificate(190,
    8_000, 2_000, 1)``. The certificate is for *after* the random subset was read.

    Parameters
    ----------
    n_found : int
        Positives that were detected before the random subset was drawn.
    n_unreviewed : int
        Unread samples when the random subset was drawn, including the subset.
    n_sampled : int
        Size of the random subset, which was read completely; at most ``n_unreviewed``.
    n_hits : int
        Positives in the random subset; at most ``n_sampled``.
    confidence_level : float, default=0.95
        Level of the certificate and of the interval, in (0, 1).
    target : float, default=0.95
        The target recall, in (0, 1].
    looks : int or "any", default=1
        Number of certificates that are computed before reading stops, see Notes: the
        planned number of looks, or "any" number of looks at one subset that grows.

    Returns
    -------
    certificate : RecallCertificate
        With the recall, its lower bound and interval, in [0, 1], the number of missed
        positives, and the p-value of "recall below the target". If everything is read,
        the recall is 1. If no positive was detected, it is 0 or nan; if none was missed
        either, the p-value is 0, and reading may stop.

    Raises
    ------
    ValueError
        If a count is negative or not an integer, ``n_sampled`` is above
        ``n_unreviewed``, ``n_hits`` is above ``n_sampled``, or another argument is out
        of range.

    Warns
    -----
    UndefinedMetricWarning
        If no positive was detected, or if ``n_sampled`` is 0 and ``n_unreviewed`` is
        not.

    See Also
    --------
    certificate_sample_size : Size of the random subset.
    skrate.rate_at_recall_score : The fraction to read, if all labels are available.

    Notes
    -----
    K of the N = ``n_unreviewed`` samples are positive, and x = ``n_hits`` of the n =
    ``n_sampled`` samples in the random subset; F = ``n_found``. The recall after
    reading the subset is :math:`R = (F + x) / (F + K)`. Only K is unknown, and x has
    the hypergeometric distribution

    .. math:: P_K(X = x) = \binom{K}{x} \binom{N - K}{n - x} \Big/ \binom{N}{n}.

    With :math:`\alpha` = 1 - level, :math:`K_U` is the maximum K with
    :math:`P_K(X \le x) > \alpha`, and the lower bound is (F + x) / (F + K_U). The
    interval has half of :math:`\alpha` at either end. The p-value [1]_ is
    :math:`P_k(X \le x)`, and k is the minimum K with R below the target. The unbiased
    estimate of the number of missed positives is (N - n) x / n.

    An integer ``looks`` = m tests each look at :math:`\alpha / m`. It is for subsets
    that are each drawn from the samples unread at that time, or for one subset that
    grows to sizes that do not depend on the hits. If the number of looks is not
    planned, pass ``looks=k * (k + 1)`` at look k, because the sum of all
    :math:`1 / (k (k + 1))` is 1.

    ``looks="any"`` is for one subset that grows, by a confidence sequence [2]_. It
    divides :math:`P_K(X = x)` by its mean over a beta-binomial prior of K, and excludes
    K if this ratio is at most :math:`\alpha`. Without a hit, the subset must be about a
    fifth larger than for one look.

    The certificate is invalid if the subset is not random (the next samples of a
    ranking are not), or if readers overlook positives. Cost: milliseconds.

    References
    ----------
    .. [1] Callaghan and Mueller-Hansen (2020), Statistical stopping criteria for
       automated screening in systematic reviews, Systematic Reviews 9, 273,
       :doi:`10.1186/s13643-020-01521-4`.
    .. [2] Waudby-Smith and Ramdas (2020), Confidence sequences for sampling without
       replacement, NeurIPS 33.

    Examples
    --------
    10 of 20 unread samples are read, and none is positive. If there is one positive, it
    is missed with probability 1/2; if there are two, both are missed with probability
    9/38:

    >>> from skrate.review import recall_certificate
    >>> result = recall_certificate(18, 20, 10, 0, confidence_level=0.8)
    >>> result.max_missed, result.lower_bound, round(result.pvalue, 9)
    (2, 0.9, 0.5)

    The review at the top:

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
        most = anytime_max_positives(*urn, alpha)
        return anytime_min_positives(*urn, alpha), most, most
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
    """Compute the size of a random subset that can certify the target recall.

    The subset is drawn from the unread samples, and has at most ``n_hits`` positives.

    Parameters
    ----------
    n_found : int
        Positives that were detected before the random subset is drawn.
    n_unreviewed : int
        Unread samples when the random subset is drawn, including the subset.
    n_hits : int, default=0
        Positives that the random subset may contain; at most ``n_unreviewed``.
    confidence_level : float, default=0.95
        Level of the certificate and of the interval, in (0, 1).
    target : float, default=0.95
        The target recall, in (0, 1].
    looks : int or "any", default=1
        Number of certificates that are computed before reading stops: the planned
        number of looks, or "any" number of looks at one subset that grows; see
        :func:`recall_certificate`.

    Returns
    -------
    n_sampled : int
        The minimum size that certifies the target with ``n_hits`` hits or fewer;
        ``n_unreviewed`` if all samples must be read.

    Raises
    ------
    ValueError
        If a count is negative or not an integer, ``n_hits`` is above ``n_unreviewed``,
        or another argument is out of range.

    See Also
    --------
    recall_certificate : The certificate, after the subset was read.

    Notes
    -----
    By bisection. Cost: O(n_hits + log n_unreviewed) p-values, seconds for a million.

    Examples
    --------
    If 80 positives were detected, 5 missed ones are too many, because 80 of 85 are less
    than 95 %. All 5 stay unread in 5 of 100 random subsets of size 1,712:

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
    total, last, first, length = 1.0, 1.0, 0, _BLOCK
    while last > _UNSEEN * total:
        j = np.maximum(x - np.arange(first, first + length, dtype=float), 0)
        # Negatives outside the subset.
        n_outside = np.maximum(j + float(n_all - n_pos - n), 0)
        terms = last * np.cumprod(j * n_outside / ((n_pos + 1 - j) * (n + 1 - j)))
        total += float(terms.sum())
        last = float(terms[-1])
        first, length = first + length, min(2 * length, _MAX_BLOCK)
    return total


def max_positives(x: int, n: int, n_all: int, alpha: float) -> int:
    """Return the maximum number of positives K with P(X <= x) above alpha."""

    def is_likely(n_pos: int) -> bool:
        return exceeds(hypergeometric_cdf(x, n, n_pos, n_all), alpha)

    return _bisect_max(x, n_all - n + x, is_likely)


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


def anytime_max_positives(x: int, n: int, n_all: int, alpha: float) -> int:
    """Return the maximum number of positives that `odds_against` does not exclude."""

    def is_likely(n_pos: int) -> bool:
        return exceeds(float(odds_against(x, n, n_pos, n_all)), alpha)

    return _bisect_max(likeliest(x, n, n_all), n_all - n + x, is_likely)


def anytime_min_positives(x: int, n: int, n_all: int, alpha: float) -> int:
    """Return the minimum number of positives that `odds_against` does not exclude."""

    def is_likely(n_neg: int) -> bool:
        return exceeds(float(odds_against(x, n, n_all - n_neg, n_all)), alpha)

    return n_all - _bisect_max(n_all - likeliest(x, n, n_all), n_all - x, is_likely)


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
