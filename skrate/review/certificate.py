"""What a random sample of the unread cases says of the recall reached."""

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
    "n_hits must be at most {of}, found {found} of {all}: positives that were found "
    "before the sample are counted by n_found."
)
# Terms of a tail at a time, at first and at most, and the last ones that are ignored.
_BLOCK, _MAX_BLOCK, _UNSEEN = 32, 2**14, 1e-17
# The prior of the confidence sequence: most weight is on few positives.
_PRIOR = 0.1, 1.0


@dataclass(frozen=True)
class RecallCertificate(Result):
    """The recall that was reached, by :func:`skrate.review.recall_certificate`.

    Attributes
    ----------
    value, confidence_interval : float, ConfidenceInterval
        The recall reached, as the sample estimates it, nan where it cannot; and its
        two-sided interval.
    lower_bound : float
        The certificate: the recall is at least this, with the confidence level.
    pvalue : float
        Of "the recall is below the target", adjusted for the looks; 0 where there is no
        positive at all, as nothing was missed.
    target : float
        The target recall.
    n_missed, missed_interval : float, ConfidenceInterval
        Positives in the cases that are still unread, and its two-sided interval.
    max_missed : int
        They are at most as many, with the confidence level.
    n_found, n_unreviewed : int
        Positives found, and cases that were unread, *before* the sample was drawn.
    n_sampled, n_hits : int
        Cases drawn from these, and positives in the sample.
    n_found_total, n_unreviewed_after : int
        Positives found, and cases unread, after the sample was read.
    is_reached : bool
        Whether the target is reached, with the confidence level.
    confidence_level : float
        Level of the bound and of the interval, over all looks.
    looks : int or str
        Looks that share the error; "any" for any number of them.

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
        """Positives found after the sample was read."""
        return self.n_found + self.n_hits

    @property
    def n_unreviewed_after(self) -> int:
        """Cases unread after the sample was read."""
        return self.n_unreviewed - self.n_sampled

    @property
    def is_reached(self) -> bool:
        """Whether the target is reached, as where there was nothing to find."""
        return not exceeds(self.pvalue, 1 - self.confidence_level)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and what follows of them, as plain numbers and strings."""
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
    r"""Certify the recall that was reached, by a random sample of the unread cases.

    A reviewer found 190 relevant articles and left 8,000 unread; of these 2,000, drawn
    at random, were read as well, and 1 was relevant: ``recall_certificate(190, 8_000,
    2_000, 1)``. The certificate is for *after* the sample was read.

    Parameters
    ----------
    n_found : int
        Positives found before the sample was drawn.
    n_unreviewed : int
        Cases that were unread when the sample was drawn, including the sample.
    n_sampled : int
        Cases drawn from these at random, all of them read; at most ``n_unreviewed``.
    n_hits : int
        Positives in the sample; at most ``n_sampled``.
    confidence_level : float, default=0.95
        Level of the certificate and of the interval, in (0, 1).
    target : float, default=0.95
        The target recall, in (0, 1].
    looks : int or "any", default=1
        How often the question is asked before reading stops, see Notes: the number of
        looks that were planned, or "any" number, at one sample that grows.

    Returns
    -------
    certificate : RecallCertificate
        With the recall, its lower bound and interval, in [0, 1], the number left, and
        the p-value of "recall below the target". Where everything is read the recall
        is 1; without any found it is 0 or nan, and if none is left either, the p-value
        is 0: reading may end.

    Raises
    ------
    ValueError
        If a count is no integer or negative, there are more sampled than unread or
        more hits than sampled, or another argument is out of range.

    Warns
    -----
    UndefinedMetricWarning
        If nothing is found, or nothing sampled while cases are unread.

    See Also
    --------
    certificate_sample_size : How many to draw.
    skrate.rate_at_recall_score : How much to read, where all labels are known.

    Notes
    -----
    K of the N = ``n_unreviewed`` cases are positive, and x = ``n_hits`` of the n =
    ``n_sampled`` drawn; F = ``n_found``. The recall after the sample is
    :math:`R = (F + x) / (F + K)`, where K alone is unknown, and x hypergeometric:

    .. math:: P_K(X = x) = \binom{K}{x} \binom{N - K}{n - x} \Big/ \binom{N}{n}.

    With :math:`\alpha` = 1 - level, :math:`K_U` is the greatest K with
    :math:`P_K(X \le x) > \alpha`, and the lower bound is (F + x) / (F + K_U). The
    interval has half of :math:`\alpha` at either end. The p-value [1]_ is
    :math:`P_k(X \le x)` with k the least K for which R is below the target. The
    estimate of what is left is (N - n) x / n, without bias.

    An integer ``looks`` = m tests each look at :math:`\alpha / m`: for samples drawn
    from those then unread, or for one that grows to sizes that do not depend on the
    hits. If the number of looks is not known, pass ``looks=k * (k + 1)`` at look k, as
    the sum of all :math:`1 / (k (k + 1))` is 1. ``looks="any"`` is for one sample that
    grows, by a confidence sequence [2]_: :math:`P_K(X = x)` over its mean over K from a
    beta-binomial prior excludes K where it is :math:`\alpha` or less. Without a hit it
    takes a sample about a fifth larger.

    It does not hold if the sample is not random, as the next ones of a ranking are
    not, or if readers overlook positives. Cost: milliseconds.

    References
    ----------
    .. [1] Callaghan and Mueller-Hansen (2020), Statistical stopping criteria for
       automated screening in systematic reviews, Systematic Reviews 9, 273,
       :doi:`10.1186/s13643-020-01521-4`.
    .. [2] Waudby-Smith and Ramdas (2020), Confidence sequences for sampling without
       replacement, NeurIPS 33.

    Examples
    --------
    Of 20 unread cases 10 are read and none is positive. One that is left would be
    missed with probability 1/2, two with 9/38:

    >>> from skrate.review import recall_certificate
    >>> result = recall_certificate(18, 20, 10, 0, confidence_level=0.8)
    >>> result.max_missed, result.lower_bound, round(result.pvalue, 9)
    (2, 0.9, 0.5)

    The review of above:

    >>> recall_certificate(190, 8_000, 2_000, 1)
    RecallCertificate(recall 0.9845, at least 0.9272 with 95 % confidence, 95 %
    interval
    [0.9139, 1.0000]; target 0.95 not shown to be reached, p = 0.158; 190 found,
    then 1
    of 2,000 drawn from 8,000 unread, at most 15 left among 6,000)
    """
    found = check_count("n_found", n_found, minimum=0)
    hits, sampled, unread = urn = _check_urn(n_hits, n_sampled, n_unreviewed)
    level = check_fraction("confidence_level", confidence_level)
    target = check_fraction("target", target, include_one=True)
    n_looks = _check_looks(looks)
    all_found, left = found + hits, _NAN
    if sampled == 0 and unread > 0:
        reason = "n_sampled is 0, and of the unread cases nothing is known"
        warn_undefined("The recall reached", reason)
    else:
        left = (unread - sampled) * hits / sampled if sampled else 0.0
        if all_found == 0:
            reason = "nothing is found: n_found and n_hits are 0"
            warn_undefined("The recall reached", reason)
    fewest, many, most = _positives(urn, 1 - level, n_looks)
    max_missed, least_left, many_left = most - hits, fewest - hits, many - hits

    def recall(left: float) -> float:
        return float(all_found / (all_found + left)) if all_found + left else _NAN

    ends = ConfidenceInterval(recall(many_left), recall(least_left))
    return RecallCertificate(
        value=recall(left),
        confidence_interval=ends if all_found else ConfidenceInterval(_NAN, _NAN),
        lower_bound=recall(max_missed),
        pvalue=_pvalue(urn, found, target, n_looks),
        target=target,
        n_missed=left,
        missed_interval=ConfidenceInterval(least_left, many_left),
        max_missed=max_missed,
        n_found=found,
        n_unreviewed=unread,
        n_sampled=sampled,
        n_hits=hits,
        confidence_level=level,
        looks=n_looks,
    )


def _check_urn(n_hits: int, n_sampled: int, n_unreviewed: int) -> tuple[int, int, int]:
    """Return the hits among the cases that were sampled of those that are unread."""
    unread = check_count("n_unreviewed", n_unreviewed, minimum=0)
    sampled = check_count("n_sampled", n_sampled, minimum=0)
    hits = check_count("n_hits", n_hits, minimum=0)
    if sampled > unread:
        raise ValueError(
            f"n_sampled must be at most n_unreviewed={unread}, got {sampled}. "
            "n_unreviewed includes the sample."
        )
    if hits > sampled:
        raise ValueError(_HITS.format(of="n_sampled", found=hits, all=sampled))
    return hits, sampled, unread


def _positives(
    urn: tuple[int, int, int], alpha: float, n_looks: int | str
) -> tuple[int, int, int]:
    """Return the fewest and the most positives of two sides, and the most of one."""
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
    """Compute how many unread cases to draw, so that the recall can be certified.

    They are drawn at random, and up to ``n_hits`` of them turn out to be positive.

    Parameters
    ----------
    n_found : int
        Positives found before the sample was drawn.
    n_unreviewed : int
        Cases that were unread when the sample was drawn, including the sample.
    n_hits : int, default=0
        Positives that the sample may contain; at most ``n_unreviewed``.
    confidence_level : float, default=0.95
        Level of the certificate and of the interval, in (0, 1).
    target : float, default=0.95
        The target recall, in (0, 1].
    looks : int or "any", default=1
        How often the question is asked before reading stops, see Notes: the number of
        looks that were planned, or "any" number, at one sample that grows.

    Returns
    -------
    n_sampled : int
        The least number that certifies the target, with ``n_hits`` hits or fewer;
        ``n_unreviewed`` where nothing less than all does.

    Raises
    ------
    ValueError
        As :func:`recall_certificate`.

    See Also
    --------
    recall_certificate : What the sample shows, when it is read.

    Notes
    -----
    By bisection. Cost: O(n_hits + log n_unreviewed) p-values, seconds for a million.

    Examples
    --------
    With 80 found 5 that are left would be too many, as 80 of 85 are less than 95 %. All
    5 stay unread in 5 of 100 samples of 1,712:

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
    found = check_count("n_found", n_found, minimum=0)
    unread = check_count("n_unreviewed", n_unreviewed, minimum=0)
    hits = check_count("n_hits", n_hits, minimum=0)
    if hits > unread:
        raise ValueError(_HITS.format(of="n_unreviewed", found=hits, all=unread))
    level = check_fraction("confidence_level", confidence_level)
    target = check_fraction("target", target, include_one=True)
    n_looks = _check_looks(looks)

    def certifies(x: int, n: int) -> bool:
        pvalue = _pvalue((x, n, unread), found, target, n_looks)
        return not exceeds(pvalue, 1 - level)

    size, missed = 0, -1
    for x in range(hits, -1, -1):
        # If fewer hits leave as many to be missed, they take no larger sample.
        before, missed = missed, min_total_positives(found + x, target) - found - x
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
            f"looks must be 'any' or an integer >= 1, got {shown(looks)}: the number "
            "of looks that are planned, 1 for a single one."
        )
    return check_count("looks", looks)


def _pvalue(
    urn: tuple[int, int, int], found: int, target: float, looks: int | str
) -> float:
    """Return the p-value of a recall below the target, for all looks."""
    hits, sampled, unread = urn
    # The fewest positives in the urn that make the recall too small.
    n_pos = min_total_positives(found + hits, target) - found
    if isinstance(looks, str):
        return max_odds_against(hits, sampled, n_pos, unread)
    return min(looks * hypergeometric_cdf(hits, sampled, n_pos, unread), 1.0)


def hypergeometric_pmf(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return P(X = x) of the hypergeometric distribution, to 12 digits or so.

    As a product of binomial probabilities: logarithms of factorials would cancel.
    """
    n, n_pos, n_all = (np.asarray(value, dtype=float) for value in (n, n_pos, n_all))
    share, binomial = n / np.maximum(n_all, 1), stats.binom.pmf
    n_neg = np.maximum(n_all - n_pos, 0)
    both = binomial(x, n_pos, share) * binomial(n - x, n_neg, share)
    chance = np.minimum(both / binomial(n, n_all, share), 1.0)
    return np.where(n_pos <= n_all, chance, 0.0)


def hypergeometric_cdf(x: int, n: int, n_pos: int, n_all: int) -> float:
    """Return P(X <= x) of the hypergeometric distribution (decreasing in n_pos)."""
    # The negatives must fill the rest of the sample.
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
        # Negatives that are not in the sample.
        rest = np.maximum(j + float(n_all - n_pos - n), 0)
        terms = last * np.cumprod(j * rest / ((n_pos + 1 - j) * (n + 1 - j)))
        total += float(terms.sum())
        last = float(terms[-1])
        first, length = first + length, min(2 * length, _MAX_BLOCK)
    return total


def max_positives(x: int, n: int, n_all: int, alpha: float) -> int:
    """Return the most positives K with P(X <= x) above alpha."""

    def is_likely(n_pos: int) -> bool:
        return exceeds(hypergeometric_cdf(x, n, n_pos, n_all), alpha)

    return _bisect_max(x, n_all - n + x, is_likely)


def min_positives(x: int, n: int, n_all: int, alpha: float) -> int:
    """Return the fewest positives K with P(X >= x) above alpha."""
    # By symmetry: exchange positives and negatives.
    return n_all - max_positives(n - x, n, n_all, alpha)


def odds_against(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return P(X = x) over what it is on average over a prior of K.

    The chance that it is ever alpha or less, while a sample grows case by case, is at
    most alpha, as its reciprocal is a martingale.
    """
    a, _ = _PRIOR
    x, n = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    # Of a beta prior with b = 1 factorials cancel to two ratios of gamma functions.
    average = a / (special.poch(n + 1, a) * special.poch(x + a, 1 - a))
    return np.where(n > 0, hypergeometric_pmf(x, n, n_pos, n_all) / average, 1.0)


def anytime_max_positives(x: int, n: int, n_all: int, alpha: float) -> int:
    """Return the most positives that the odds do not exclude."""

    def is_likely(n_pos: int) -> bool:
        return exceeds(float(odds_against(x, n, n_pos, n_all)), alpha)

    return _bisect_max(likeliest(x, n, n_all), n_all - n + x, is_likely)


def anytime_min_positives(x: int, n: int, n_all: int, alpha: float) -> int:
    """Return the fewest positives that the odds do not exclude."""

    def is_likely(n_neg: int) -> bool:
        return exceeds(float(odds_against(x, n, n_all - n_neg, n_all)), alpha)

    return n_all - _bisect_max(n_all - likeliest(x, n, n_all), n_all - x, is_likely)


def max_odds_against(x: int, n: int, n_pos: int, n_all: int) -> float:
    """Return the maximum odds of n_pos positives or more, at most 1."""
    if n_pos > n_all:
        return 0.0
    if n_pos <= likeliest(x, n, n_all):
        return 1.0
    return min(float(odds_against(x, n, n_pos, n_all)), 1.0)


def likeliest(x: int, n: int, n_all: int) -> int:
    """Return the positives under which x hits are likeliest."""
    guess = int((n_all + 1.0) * (x / max(n, 1)))
    return min(max(guess, x), n_all - n + x)


def min_total_positives(found: int, target: float) -> int:
    """Return the fewest positives that make a recall with ``found`` below the target.

    The comparison is between floats, so that 19 of 20 are 0.95.
    """
    # Above 2**52, floats skip some integers.
    total = int(min(found / target, 2.0**52)) + 1
    # Rounding of the ratio may be off by one, either way.
    if total > 1 and found / (total - 1) < target:
        total -= 1
    return total + (found / total >= target)


def _bisect_max(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the maximum in [low, high] that satisfies a monotone condition.

    ``low`` satisfies it.
    """
    others = range(low + 1, high + 1)
    return low + bisect_left(others, True, key=lambda number: not holds(number))
