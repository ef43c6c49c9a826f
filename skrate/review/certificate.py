"""What a random sample of the unread cases says of the recall reached."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from skrate.core.results import ConfidenceInterval, Result
from skrate.data.arrays import IntArray
from skrate.data.checks import check_count, check_fraction, shown, warn_undefined
from skrate.review.hypergeometric import (
    least_positives,
    least_positives_ever,
    least_total,
    lower_tail,
    most_positives,
    most_positives_ever,
    odds_against_more,
)

_NAN = float("nan")


@dataclass(frozen=True)
class RecallCertificate(Result):
    """The recall that was reached, by :func:`skrate.review.recall_certificate`.

    Attributes
    ----------
    value : float
        The recall reached, as the sample estimates it; nan where it cannot.
    confidence_interval : ConfidenceInterval
        Of the recall, two-sided; its ends are ``.low`` and ``.high``.
    lower_bound : float
        The certificate: the recall is at least this, with the confidence level.
    pvalue : float
        Of "the recall is below the target", adjusted for the looks: where it is at
        most 1 less the confidence level, the lower bound is the target or more, or
        there is no positive at all: 0 then, as nothing was missed.
    target : float
        The recall that is to be reached.
    left : float
        Positives among the cases that are still unread, as the sample estimates them.
    left_interval : ConfidenceInterval
        Of their number, two-sided.
    most_left : int
        They are at most as many, with the confidence level.
    n_found, n_unread : int
        Positives found, and cases that were unread, *before* the sample was drawn: as
        they were given.
    n_sampled, n_hits : int
        Cases drawn from these, and positives among them.
    n_found_in_all : int
        Positives found after the sample was read: ``n_found + n_hits``.
    n_still_unread : int
        Cases unread after it: ``n_unread - n_sampled``.
    is_reached : bool
        Whether the target is reached, with the confidence level.
    confidence_level : float
        Level of the bound and of the interval, over all looks.
    looks : int or str
        Looks that share the error; "any" for any number of them.

    See Also
    --------
    skrate.review.recall_certificate : Makes it.

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
        """Whether the target is reached, with the confidence level.

        It is where everything is read, and where there was nothing to find.
        """
        return self.pvalue <= 1 - self.confidence_level

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings, and what follows of them.

        Returns
        -------
        values : dict
            The fields, with the ends of intervals as "low" and "high", and
            "n_found_in_all", "n_still_unread" and "is_reached".
        """
        names = "n_found_in_all", "n_still_unread", "is_reached"
        return super().to_dict() | {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        low, high = self.confidence_interval
        level = f"{100 * self.confidence_level:g} %"
        verdict = "reached" if self.is_reached else "not shown to be reached"
        if self.n_found + self.most_left == 0:
            verdict = "not missed, as there is nothing to find"
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
    2_000, 1)``. The first two counts are those *before* the sample was drawn; the
    certificate is for *after* it was read, so that its hits are found, too: 191 of 191
    and what is left among 6,000. No model and no ranking comes into it.

    Parameters
    ----------
    n_found : int
        Positives found before the sample was drawn, in any way whatever.
    n_unread : int
        Cases that were unread when the sample was drawn, the sample among them.
    n_sampled : int
        Cases drawn from these at random, all of them read; at most ``n_unread``.
    n_hits : int
        Positives among the sampled; at most ``n_sampled``.
    confidence_level : float, default=0.95
        Level of the certificate and of the interval, in (0, 1).
    target : float, default=0.95
        The recall that is to be reached, in (0, 1].
    looks : int or "any", default=1
        How often the question is asked before reading stops, see Notes. An integer is
        the number of looks that were planned, at samples of their own or at one that
        grew; "any" allows any number, at one sample that grows case by case.

    Returns
    -------
    certificate : RecallCertificate
        With the recall, its lower bound and interval, in [0, 1], the number left, and
        the p-value of "recall below the target". All is exact where everything is
        read: a recall of 1. Without any found the recall is 0 or undefined, and nan;
        if none is left either, the bound is nan, too, and the p-value 0, as nothing
        was missed: reading may end.

    Raises
    ------
    ValueError
        If a count is no integer or negative, there are more sampled than unread or
        more hits than sampled, the level is not in (0, 1), the target not in (0, 1],
        or ``looks`` is neither "any" nor an integer of at least 1.

    Warns
    -----
    UndefinedMetricWarning
        If nothing is found, or nothing sampled while cases are unread: then the value
        is nan, and the bound that which needs no sample.

    See Also
    --------
    sklearn.metrics.recall_score : The recall where all labels are known.
    certificate_sample_size : How many to draw.
    stopping_curve : The same over the course of a review.
    skrate.rate_at_recall_score : What a recall will cost, from labelled cases.

    Notes
    -----
    Of the N = ``n_unread`` cases K are positive, and x = ``n_hits`` of the n =
    ``n_sampled`` drawn; F = ``n_found``. The recall after the sample is
    :math:`R = (F + x) / (F + K)`, where K alone is unknown, and x hypergeometric:

    .. math:: P_K(X = x) = \binom{K}{x} \binom{N - K}{n - x} \Big/ \binom{N}{n}.

    With :math:`\alpha` = 1 less the level, :math:`K_U` is the greatest K with
    :math:`P_K(X \le x) > \alpha`, and the lower bound is (F + x) / (F + K_U). The
    interval has half of :math:`\alpha` at either end. The p-value is that of Callaghan
    and Mueller-Hansen [1]_, :math:`P_k(X \le x)` with k the least K for which R is
    below the target. The true K is above :math:`K_U` with a probability of at most
    :math:`\alpha`, and who stops at :math:`p \le \alpha` below the target has K at
    or above k, hence :math:`P_K(X \le x) \le p \le \alpha`, which happens in a share
    of at most :math:`\alpha`: also though k depends on the hits. The
    estimate of what is left is (N - n) x / n, without bias.

    *Several looks.* An integer ``looks`` = m tests each look at :math:`\alpha / m`,
    with m the number planned. By the union bound the probability that any of them stops
    below the target is at most :math:`\alpha`, whatever was read in between and
    whatever decided when to look, if each sample is drawn from those then unread; of a
    sample that grows instead (``n_found`` and ``n_unread`` stay as before the first
    draw) the sizes must not depend on the hits. If the number of looks is not known,
    pass ``looks=k * (k + 1)`` at look k, as the sum of all :math:`1 / (k (k + 1))` is
    1.

    ``looks="any"`` is for one sample that grows, looked at after every case if one
    likes. Cases are then excluded by a confidence sequence [2]_: :math:`P_K(X = x)`
    over its mean over K from a beta-binomial prior is, turned round, a martingale,
    and by Ville's inequality at most :math:`\alpha` at any time with a probability of
    at most :math:`\alpha`. Without a hit it takes a sample about a
    fifth larger than a single look does; each hit makes it wider.

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

    The review of above, and the first of an unknown number of looks:

    >>> recall_certificate(190, 8_000, 2_000, 1)
    RecallCertificate(recall 0.9845, at least 0.9272 with 95 % confidence, 95 %
    interval
    [0.9139, 1.0000]; target 0.95 not shown to be reached, p = 0.158; 190 found,
    then 1
    of 2,000 drawn from 8,000 unread, at most 15 left among 6,000)
    >>> recall_certificate(
    ...     190, 8_000, 2_000, 1, looks=2
    ... ).lower_bound.__round__(4)
    0.9139
    """
    found, unread, sampled, hits = _check_counts(n_found, n_unread, n_sampled, n_hits)
    level = check_fraction("confidence_level", confidence_level)
    target = check_fraction("target", target, include_one=True)
    n_looks = _check_looks(looks)
    all_found = found + hits
    left = _estimate_left(all_found, unread, sampled, hits)
    urn = (hits, sampled, unread)
    most, least, greatest = _ends(urn, 1 - level, n_looks)
    pvalue = _pvalue(urn, _excluded(found, hits, target), n_looks)
    most_left, fewest, many = (int(end[0]) - hits for end in (most, least, greatest))
    ends = ConfidenceInterval(_recall(all_found, many), _recall(all_found, fewest))
    return RecallCertificate(
        value=_recall(all_found, left),
        confidence_interval=ends if all_found else ConfidenceInterval(_NAN, _NAN),
        lower_bound=_recall(all_found, most_left),
        pvalue=pvalue,
        target=target,
        left=left,
        left_interval=ConfidenceInterval(fewest, many),
        most_left=most_left,
        n_found=found,
        n_unread=unread,
        n_sampled=sampled,
        n_hits=hits,
        confidence_level=level,
        looks=n_looks,
    )


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

    A reviewer found 80 relevant articles and left 3,800 unread. How many of these have
    to be read, drawn at random, to show a recall of 95 % if none of them, or one, turns
    out to be relevant? It plans :func:`recall_certificate`.

    Parameters
    ----------
    n_found : int
        Positives found before the sample is drawn.
    n_unread : int
        Cases that are unread before it is drawn.
    n_hits : int, default=0
        Positives that may be among the sampled; at most ``n_unread``.
    confidence_level : float, default=0.95
        Level of the certificate, in (0, 1).
    target : float, default=0.95
        The recall that is to be certified, in (0, 1].
    looks : int or "any", default=1
        How often the question is asked, as in :func:`recall_certificate`.

    Returns
    -------
    n_sampled : int
        The least number that certifies the target, with ``n_hits`` hits or fewer;
        ``n_unread`` where nothing less than all does.

    Raises
    ------
    ValueError
        If a count is no integer or negative, there are more hits than unread cases, the
        level is not in (0, 1), the target not in (0, 1], or ``looks`` is neither "any"
        nor an integer of at least 1.

    See Also
    --------
    recall_certificate : What the sample shows, when it is read.
    skrate.sample_size : How many labelled cases a test of models needs.

    Notes
    -----
    The p-value of :func:`recall_certificate` falls as the sample grows while its hits
    do not: the size is found by bisection, for each number of hits. Whether no more
    come is chance: of K positives among the N unread, n drawn ones hold n K / N on
    average. Who plans for none, and has one, has to ask again: plan two looks, or for
    a hit more. Cost: O(n_hits log n_unread) p-values.

    Examples
    --------
    Of the review above, 5 articles that are left would be too many, as 80 of 85 are
    less than 95 %. All 5 stay unread in 5 of 100 samples of 1,712:

    >>> from skrate.review import certificate_sample_size, recall_certificate
    >>> certificate_sample_size(80, 3_800)
    1712
    >>> recall_certificate(80, 3_800, 1_712, 0).is_reached
    True
    >>> [
    ...     certificate_sample_size(80, 3_800, n_hits=hits)
    ...     for hits in (1, 2)
    ... ]
    [2210, 2503]
    """
    found = check_count("n_found", n_found, minimum=0)
    unread = check_count("n_unread", n_unread, minimum=0)
    hits = check_count("n_hits", n_hits, minimum=0)
    if hits > unread:
        raise ValueError(
            f"n_hits must be at most n_unread, found {hits} of {unread}: positives "
            "that were found before the sample are counted by n_found."
        )
    level = check_fraction("confidence_level", confidence_level)
    target = check_fraction("target", target, include_one=True)
    n_looks = _check_looks(looks)

    def least(x: int) -> int:
        excluded = _excluded(found, x, target)
        sizes = range(x, unread + 1)
        shows = bisect_left(
            sizes, True,
            key=lambda n: _pvalue((x, n, unread), excluded, n_looks) <= 1 - level,
        )  # fmt: skip
        return sizes[shows]

    # A hit less may take more: also the positives that are too many are whole numbers.
    return max(least(x) for x in range(hits + 1))


def _check_counts(
    n_found: int, n_unread: int, n_sampled: int, n_hits: int
) -> tuple[int, int, int, int]:
    """Return the counts, none of which is more than what it is of."""
    found = check_count("n_found", n_found, minimum=0)
    unread = check_count("n_unread", n_unread, minimum=0)
    sampled = check_count("n_sampled", n_sampled, minimum=0)
    hits = check_count("n_hits", n_hits, minimum=0)
    if sampled > unread:
        raise ValueError(
            f"n_sampled must be at most n_unread, found {sampled} of {unread}: "
            "n_unread counts the cases before the sample was drawn, with those sampled."
        )
    if hits > sampled:
        raise ValueError(
            f"n_hits must be at most n_sampled, found {hits} of {sampled}: positives "
            "that were found before the sample are counted by n_found."
        )
    return found, unread, sampled, hits


def _check_looks(looks: int | str) -> int | Literal["any"]:
    if isinstance(looks, str):
        if looks == "any":
            return "any"
        raise ValueError(
            f"looks must be 'any' or an integer >= 1, got {shown(looks)}: the number "
            "of looks that are planned, 1 for a single one."
        )
    return check_count("looks", looks)


def _estimate_left(found: int, unread: int, sampled: int, hits: int) -> float:
    """Return the estimated positives left; nan with a warning where there is none."""
    if sampled == 0 and unread > 0:
        reason = "n_sampled is 0, and of the unread cases nothing is known"
        return warn_undefined("The recall reached", reason, stacklevel=4)
    if found == 0:
        reason = "nothing is found: n_found and n_hits are 0"
        warn_undefined("The recall reached", reason, stacklevel=4)
    return (unread - sampled) * hits / sampled if sampled else 0.0


def _recall(found: int, left: float) -> float:
    """Return the recall if some are left; nan if there is no positive at all."""
    total = found + left
    return float(found / total) if total else _NAN


def _excluded(found: int, hits: int, target: float) -> int:
    """Return the fewest positives in the urn that make the recall too small."""
    return int(least_total(np.array([found + hits]), target)[0]) - found


def _ends(
    urn: tuple[int, int, int], alpha: float, looks: int | str
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the most positives, one-sided, and the fewest and most of the interval."""
    if isinstance(looks, str):
        most = most_positives_ever(*urn, alpha)
        return most, least_positives_ever(*urn, alpha), most
    alpha /= looks
    most, many = most_positives(*urn, alpha), most_positives(*urn, alpha / 2)
    return most, least_positives(*urn, alpha / 2), many


def _pvalue(urn: tuple[int, int, int], n_pos: int, looks: int | str) -> float:
    """Return the p-value of at least so many positives in the urn, for all looks."""
    hits, sampled, unread = urn
    if n_pos > unread:
        return 0.0
    if isinstance(looks, str):
        return float(odds_against_more(hits, sampled, n_pos, unread)[0])
    return min(looks * float(lower_tail(hits, sampled, n_pos, unread)[0]), 1.0)
