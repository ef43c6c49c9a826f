"""What a random sample of the unread cases says of the recall reached."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import special, stats

from skrate.data.arrays import BoolArray, FloatArray, IntArray
from skrate.data.checks import check_count, check_fraction, shown, warn_undefined
from skrate.data.show import described_like
from skrate.metrics.results import ConfidenceInterval, Result

_NAN = float("nan")
_HITS = (
    "n_hits must be at most {of}, found {found} of {all}: positives that were found "
    "before the sample are counted by n_found."
)
# Bounds of a tail are of blocks, each of a part of its width.
_PART, _PARTS = 0.5, 8
# Terms of a tail at a time, at first, and what they may add that is not seen.
_BLOCK, _MOST_TERMS, _UNSEEN = 32, 2**14, 1e-17
# Counts beyond which floats skip some.
_MOST = 2.0**52
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
    left, left_interval : float, ConfidenceInterval
        Positives in the cases that are still unread, and its two-sided interval.
    most_left : int
        They are at most as many, with the confidence level.
    n_found, n_unread : int
        Positives found, and cases that were unread, *before* the sample was drawn.
    n_sampled, n_hits : int
        Cases drawn from these, and positives in the sample.
    n_found_in_all, n_still_unread : int
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
    >>> result.n_found_in_all, result.n_still_unread, result.most_left
    (95, 500, 4)
    >>> result.is_reached
    True
    """

    value: float
    confidence_interval: ConfidenceInterval
    lower_bound: float
    pvalue: float
    target: float
    left: float
    left_interval: ConfidenceInterval
    most_left: int
    n_found: int
    n_unread: int
    n_sampled: int
    n_hits: int
    confidence_level: float
    looks: int | str

    @property
    def n_found_in_all(self) -> int:
        """Positives found after the sample was read."""
        return self.n_found + self.n_hits

    @property
    def n_still_unread(self) -> int:
        """Cases unread after the sample was read."""
        return self.n_unread - self.n_sampled

    @property
    def is_reached(self) -> bool:
        """Whether the target is reached, as where there was nothing to find."""
        return self.pvalue <= 1 - self.confidence_level

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and what follows of them, as plain numbers and strings."""
        names = "n_found_in_all", "n_still_unread", "is_reached"
        return super().to_dict() | {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        low, high = self.confidence_interval
        level = f"{100 * self.confidence_level:g} %"
        verdict = "reached" if self.is_reached else "not shown to be reached"
        if self.n_found + self.most_left == 0:
            verdict = "not missed, since there is nothing to find"
        number = "any number of" if self.looks == "any" else self.looks
        looks = "" if self.looks == 1 else f" over {number} looks"
        return (
            f"RecallCertificate(recall {self.value:.4f}, at least "
            f"{self.lower_bound:.4f} with {level} confidence{looks}, {level} interval "
            f"[{low:.4f}, {high:.4f}]; target {self.target:g} {verdict}, p = "
            f"{self.pvalue:.3g}; {self.n_found:,} found, then {self.n_hits:,} of "
            f"{self.n_sampled:,} drawn from {self.n_unread:,} unread, at most "
            f"{self.most_left:,} left among {self.n_still_unread:,})"
        )


def recall_certificate(
    n_found: int,
    n_unread: int,
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
    n_unread : int
        Cases that were unread when the sample was drawn, including the sample.
    n_sampled : int
        Cases drawn from these at random, all of them read; at most ``n_unread``.
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
    stopping_curve : The same over the course of a review.

    Notes
    -----
    K of the N = ``n_unread`` cases are positive, and x = ``n_hits`` of the n =
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
    >>> result.most_left, result.lower_bound, round(result.pvalue, 9)
    (2, 0.9, 0.5)

    The review of above:

    >>> recall_certificate(190, 8_000, 2_000, 1)
    RecallCertificate(recall 0.9845, at least 0.9272 with 95 % confidence, 95 %
    interval
    [0.9139, 1.0000]; target 0.95 not shown to be reached, p = 0.158; 190 found,
    then 1
    of 2,000 drawn from 8,000 unread, at most 15 left among 6,000)
    """
    given = {
        "n_found": n_found, "n_unread": n_unread, "n_sampled": n_sampled,
        "n_hits": n_hits,
    }  # fmt: skip
    found, unread, sampled, hits = (
        check_count(name, count, minimum=0) for name, count in given.items()
    )
    if sampled > unread:
        raise ValueError(
            f"n_sampled must be at most n_unread, found {sampled} of {unread}: "
            "n_unread counts the cases before the sample was drawn, with those sampled."
        )
    if hits > sampled:
        raise ValueError(_HITS.format(of="n_sampled", found=hits, all=sampled))
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
    urn, alpha = (hits, sampled, unread), 1 - level
    if isinstance(n_looks, str):
        most = many = most_positives_ever(*urn, alpha)
        fewest = least_positives_ever(*urn, alpha)
    else:
        alpha /= n_looks
        most, many = most_positives(*urn, alpha), most_positives(*urn, alpha / 2)
        fewest = least_positives(*urn, alpha / 2)
    most_left, least_left, many_left = (int(k[0]) - hits for k in (most, fewest, many))

    def recall(left: float) -> float:
        return float(all_found / (all_found + left)) if all_found + left else _NAN

    ends = ConfidenceInterval(recall(many_left), recall(least_left))
    return RecallCertificate(
        recall(left), ends if all_found else ConfidenceInterval(_NAN, _NAN),
        recall(most_left), _pvalue(urn, found, target, n_looks), target, left,
        ConfidenceInterval(least_left, many_left), most_left, found, unread, sampled,
        hits, level, n_looks,
    )  # fmt: skip


@described_like(recall_certificate)
def certificate_sample_size(
    n_found: int,
    n_unread: int,
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
    n_hits : int, default=0
        Positives that the sample may contain; at most ``n_unread``.

    Returns
    -------
    n_sampled : int
        The least number that certifies the target, with ``n_hits`` hits or fewer;
        ``n_unread`` where nothing less than all does.

    Raises
    ------
    ValueError
        As :func:`recall_certificate`.

    See Also
    --------
    recall_certificate : What the sample shows, when it is read.

    Notes
    -----
    By bisection for each number of hits. Cost: O(n_hits log n_unread) p-values.

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
    unread = check_count("n_unread", n_unread, minimum=0)
    hits = check_count("n_hits", n_hits, minimum=0)
    if hits > unread:
        raise ValueError(_HITS.format(of="n_unread", found=hits, all=unread))
    level = check_fraction("confidence_level", confidence_level)
    target = check_fraction("target", target, include_one=True)
    n_looks = _check_looks(looks)

    def least(x: int) -> int:
        sizes = range(x, unread + 1)
        shows = bisect_left(
            sizes, True,
            key=lambda n: _pvalue((x, n, unread), found, target, n_looks) <= 1 - level,
        )  # fmt: skip
        return sizes[shows]

    # A hit less may take more: also the positives that are too many are whole numbers.
    return max(least(x) for x in range(hits + 1))


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
    n_pos = int(least_total(np.array([found + hits]), target)[0]) - found
    if n_pos > unread:
        return 0.0
    if isinstance(looks, str):
        return float(odds_against_more(hits, sampled, n_pos, unread)[0])
    return min(looks * float(lower_tail(hits, sampled, n_pos, unread)[0]), 1.0)


def chance_of_hits(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return P(X = x) of the hypergeometric distribution, to 12 digits or so.

    As a product of binomial probabilities: logarithms of factorials would cancel.
    """
    n, n_pos, n_all = (np.asarray(value, dtype=float) for value in (n, n_pos, n_all))
    share, binomial = n / np.maximum(n_all, 1), stats.binom.pmf
    n_neg = np.maximum(n_all - n_pos, 0)
    both = binomial(x, n_pos, share) * binomial(n - x, n_neg, share)
    chance = np.minimum(both / binomial(n, n_all, share), 1.0)
    return np.where(n_pos <= n_all, chance, 0.0)


def lower_tail(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return P(X <= x): the fewer hits, the smaller, and the more positives."""
    x, n, n_pos, n_all = (
        np.ravel(part).astype(np.float64)
        for part in np.broadcast_arrays(x, n, n_pos, n_all)
    )
    # More positives than the sample leaves room for are impossible.
    least = np.where(n_pos > n_all, np.inf, np.maximum(n + n_pos - n_all, 0))
    tail = np.where(x < least, 0.0, 1.0)
    some = np.flatnonzero((x >= least) & (x < np.minimum(n, n_pos)))
    x, n, n_pos, n_all = (part[some] for part in (x, n, n_pos, n_all))
    is_below, first, urn = _away_from_mean(x, n, n_pos, n_all)
    part = first * _sum_of_ratios(*urn)
    tail[some] = np.clip(np.where(is_below, part, 1 - part), 0.0, 1.0)
    return tail


def _away_from_mean(
    x: FloatArray, n: FloatArray, n_pos: FloatArray, n_all: FloatArray
) -> tuple[BoolArray, FloatArray, tuple[FloatArray, ...]]:
    """Return whether x is below the mean, the first term of a tail, and its urn.

    That tail is P(X <= x), whose terms get smaller only, or the one of the hits among
    the negatives, which is 1 - P(X <= x).
    """
    is_below = x * n_all < n * n_pos
    first = chance_of_hits(np.where(is_below, x, x + 1), n, n_pos, n_all)
    x = np.where(is_below, x, n - x - 1)
    return is_below, first, (x, n, np.where(is_below, n_pos, n_all - n_pos), n_all)


def tail_bounds(
    x: Any, n: Any, n_pos: Any, n_all: Any
) -> tuple[FloatArray, FloatArray]:
    """Return what P(X <= x) is at least, and at most.

    The terms of the tail are taken in blocks, whose ratios are between their first and
    their last.
    """
    x, n, n_pos, n_all = (np.asarray(part, float) for part in (x, n, n_pos, n_all))
    is_none, is_all = x < n - (n_all - n_pos), x >= np.minimum(n, n_pos)
    is_below, first, (x, n, n_pos, n_all) = _away_from_mean(x, n, n_pos, n_all)

    def fall(i: Any) -> tuple[FloatArray, FloatArray]:
        """Return 1 - r, and r**length - 1, of the ratio r of term i + 1 to term i."""
        j = np.maximum(x - i, 0.0)
        under = (n_pos - j + 1) * (n - j + 1)
        gap = np.minimum(((n_pos + 1) * (n + 1) - j * (n_all + 2)) / under, 1.0)
        return gap, np.expm1(length * np.log1p(-gap))

    with np.errstate(divide="ignore", invalid="ignore"):
        length = np.asarray(1.0)
        steepness = np.sqrt((n_all + 2) / ((n_pos - x + 1) * (n - x + 1)))
        length = np.ceil(_PART / (fall(0)[0] + steepness))
        low_term, high_term = first, first
        low, high = np.zeros((2, *first.shape))
        for i in range(_PARTS):
            gap, power = fall(i * length)
            high = high - high_term * power / gap
            high_term = high_term * (1 + power)
            gap, power = fall((i + 1) * length - 1)
            low = low - low_term * power / gap
            low_term = low_term * (1 + power)
        high = high + high_term / fall(_PARTS * length)[0]
    low, high = np.where(is_below, low, 1 - high), np.where(is_below, high, 1 - low)
    low, high = (np.where(is_all, 1.0, np.clip(end, 0.0, 1.0)) for end in (low, high))
    return np.where(is_none, 0.0, low), np.where(is_none, 0.0, high)


def _sum_of_ratios(
    x: FloatArray, n: FloatArray, n_pos: FloatArray, n_all: FloatArray
) -> FloatArray:
    """Return the sum of P(X = j) over P(X = x), of all j up to x."""
    total, last = np.ones_like(x), np.ones_like(x)
    waiting, first, length = np.arange(len(x)), 0, _BLOCK
    while len(waiting):
        for i in range(0, len(waiting), _MOST_TERMS // length):
            some = waiting[i : i + _MOST_TERMS // length]
            j = np.maximum(x[some, None] - np.arange(first, first + length), 0.0)
            # Of the negatives those that are not in the sample.
            rest = np.maximum(j + (n_all - n_pos - n)[some, None], 0.0)
            under = ((n_pos + 1)[some, None] - j) * ((n + 1)[some, None] - j)
            terms = np.cumprod(j * rest / under, axis=1)
            terms *= last[some, None]
            total[some] += terms.sum(axis=1)
            last[some] = terms[:, -1]
        waiting = waiting[last[waiting] > _UNSEEN * total[waiting]]
        first, length = first + length, min(2 * length, _MOST_TERMS)
    return total


def most_positives(x: Any, n: Any, n_all: Any, alpha: float) -> IntArray:
    """Return the most positives K with P(X <= x) above alpha."""
    x, n, n_all = _counts(x, n, n_all)
    return _greatest(
        x, n_all - n + x, lambda n_pos: lower_tail(x, n, n_pos, n_all) > alpha
    )


def least_positives(x: Any, n: Any, n_all: Any, alpha: float) -> IntArray:
    """Return the fewest positives K with P(X >= x) above alpha."""
    x, n, n_all = _counts(x, n, n_all)
    # The negatives of the same sample are fewer than more of them would bring.
    return np.asarray(n_all - most_positives(n - x, n, n_all, alpha))


def odds_against(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return P(X = x) over what it is on average over a prior of K.

    The chance that it is ever alpha or less, while a sample grows case by case, is at
    most alpha, as its reciprocal is a martingale.
    """
    a, _ = _PRIOR
    x, n = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    # Of a beta prior with b = 1 factorials cancel to two ratios of gamma functions.
    average = a / (special.poch(n + 1, a) * special.poch(x + a, 1 - a))
    return np.where(n > 0, chance_of_hits(x, n, n_pos, n_all) / average, 1.0)


def most_positives_ever(x: Any, n: Any, n_all: Any, alpha: float) -> IntArray:
    """Return the most positives that the odds do not exclude."""
    x, n, n_all = _counts(x, n, n_all)
    return _greatest(
        likeliest(x, n, n_all), n_all - n + x,
        lambda n_pos: odds_against(x, n, n_pos, n_all) > alpha,
    )  # fmt: skip


def least_positives_ever(x: Any, n: Any, n_all: Any, alpha: float) -> IntArray:
    """Return the fewest positives that the odds do not exclude."""
    x, n, n_all = _counts(x, n, n_all)
    most_negatives = _greatest(
        n_all - likeliest(x, n, n_all), n_all - x,
        lambda n_neg: odds_against(x, n, n_all - n_neg, n_all) > alpha,
    )  # fmt: skip
    return np.asarray(n_all - most_negatives)


def odds_against_more(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return the greatest odds of K positives or more, 1 at most."""
    x, n, n_all = _counts(x, n, n_all)
    odds = np.minimum(odds_against(x, n, np.minimum(n_pos, n_all), n_all), 1.0)
    odds = np.where(n_pos > n_all, 0.0, odds)
    return np.where(n_pos <= likeliest(x, n, n_all), 1.0, odds)


def likeliest(x: IntArray, n: IntArray, n_all: IntArray) -> IntArray:
    """Return the positives under which x hits are likeliest."""
    share = x / np.maximum(n, 1)
    guess = np.floor((n_all + 1.0) * share).astype(np.int64)
    return np.clip(guess, x, n_all - n + x)


def least_total(found: IntArray, target: float) -> IntArray:
    """Return the fewest positives in all of which those found are too small a share.

    What is "too small" floats decide, so that 19 of 20 are 0.95.
    """
    ratio = np.minimum(found / target, _MOST)
    total = np.floor(ratio).astype(np.int64) + 1
    # Rounding of the ratio may be off by one, either way.
    with np.errstate(divide="ignore", invalid="ignore"):
        total -= found / (total - 1) < target
    return total + ~(found / total < target)


def _counts(*values: Any) -> tuple[IntArray, ...]:
    return tuple(np.atleast_1d(np.asarray(value, dtype=np.int64)) for value in values)


def _greatest(
    low: IntArray, high: IntArray, holds: Callable[[IntArray], Any]
) -> IntArray:
    """Return the greatest numbers between two for which something holds.

    It holds for the lower, and for all below a number for which it does.
    """
    low, high = (np.array(end) for end in np.broadcast_arrays(low, high))
    while (low < high).any():
        middle = low + (high - low + 1) // 2
        does = holds(middle)
        low, high = np.where(does, middle, low), np.where(does, high, middle - 1)
    return low
