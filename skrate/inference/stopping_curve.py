"""When to stop reading: what every look at a review in progress says of its recall."""

from __future__ import annotations

import numpy as np

from skrate.core.arrays import ArrayLike, BoolArray, FloatArray, IntArray, Label
from skrate.core.validation import (
    check_count,
    check_fraction,
    check_labels,
    check_vector,
)
from skrate.inference.stopping_result import StoppingCurve
from skrate.inference.stopping_windows import Windows
from skrate.inference.urn import least_total, most_positives_ever, odds_against_more

# Looks, where no step is given.
_N_LOOKS = 100


def stopping_curve(
    y_true: ArrayLike,
    *,
    n_items: int,
    target: float = 0.95,
    confidence_level: float = 0.95,
    n_ranked: int | None = None,
    step: int | None = None,
    pos_label: Label = None,
) -> StoppingCurve:
    r"""Test, as reading goes on, whether enough is found to stop.

    A model ranks articles, or ranks them anew after each batch, and reviewers read from
    the top. Of each look this gives the p-value of "the recall is below the target" and
    a lower bound of the recall. No scores are needed: only what was read, in order.

    Parameters
    ----------
    y_true : array-like of shape (n_read,)
        Labels of the cases that were read, in the order of reading.
    n_items : int
        Number of all cases, read and unread.
    target : float, default=0.95
        The recall that is to be reached, in (0, 1].
    confidence_level : float, default=0.95
        Level of the bounds, in (0, 1); 1 less it is what a p-value is compared with.
    n_ranked : int, default=None
        Cases after which the rest was read in a random order, 0 where all was: then the
        guarantee is exact, however often one looks. None is a ranking to the end, of
        which the last cases are taken for random, see Notes.
    step : int, default=None
        Cases from look to look; None takes a hundred looks. There is a last look at the
        end of what was read.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    curve : StoppingCurve
        With arrays of an entry per look; p-values and bounds in [0, 1]. Those of a
        ranking to the end hold if the unread are no richer in positives than the last
        that were read; of random cases nothing is assumed. In a random
        order the p-value is rarely small until ``target`` of all are read; where all
        is read the bound is 1 and the p-value 0.

    Raises
    ------
    ValueError
        If the labels are not of two classes, ``n_items`` is no count or less than there
        are labels, the target is not in (0, 1], the level not in (0, 1), ``n_ranked``
        is more than there are labels, or ``step`` is no count of at least 1.

    See Also
    --------
    recall_certificate : From the counts of one random sample.
    StoppingCurveDisplay : Draws it.
    rate_at_recall_score : How far one would have to read, from labelled cases.

    Notes
    -----
    At a look r positives are found among t cases read, and u are unread. A recall below
    the target means T positives in all, or more, where T is the least whole number with
    r / T below it.

    *A ranking to the end* (``n_ranked=None``). Callaghan and Mueller-Hansen [1]_ take
    the last w cases that were read for a random sample of themselves and the unread. If
    x of the w are positive, then there are :math:`K = T - r + x` among these w + u, and

    .. math:: p_w = P(X \le x), \quad
              P(X = j) = \binom{K}{j} \binom{w + u - K}{w - j} \Big/ \binom{w + u}{w}.

    The p-value is the least over all windows w; a lower bound holds all T of which no
    window has :math:`p_w \le \alpha`. It is conservative where a ranking is better than
    random to its end: then the window has more positives than a sample would. It is no
    guarantee: where the last positives come later than at random nothing protects, and
    the least of many windows, at many looks, is below :math:`\alpha` more often than
    one of them. How often it stops too early is in the user guide.

    *Random from a point on* (``n_ranked`` given). The cases after the first
    ``n_ranked`` are a random sample that grows. Totals are excluded whose odds, as of
    :func:`recall_certificate` with ``looks="any"``, were ever :math:`\alpha` or less at
    a look, and the p-value is the greatest odds of T or more, the least so far. The
    probability that any look shows a target that is not reached is at most
    :math:`\alpha`: whenever one looks, whatever decides when, also if reading is to go
    on until the target is shown. That rests on the random order alone; the ranking
    before it may be as it is.

    Cost: of a ranking, windows begin after positives only, as of windows with equal
    hits the longest has the least p. Blocks of them are left out together where the
    longest with the fewest hits would not be the least: a million cases in a random
    order, a tenth of them positive, take about a second.

    References
    ----------
    .. [1] Callaghan and Mueller-Hansen (2020), Statistical stopping criteria for
       automated screening in systematic reviews, Systematic Reviews 9, 273,
       :doi:`10.1186/s13643-020-01521-4`.

    Examples
    --------
    All of 20 positives came first. After 80 of 110 cases, 60 of which were read in
    vain, two more among these 60 and the 30 unread would both be among the unread with
    probability 29 / 267:

    >>> from skrate import stopping_curve
    >>> y_true = [1] * 20 + [0] * 80
    >>> curve = stopping_curve(y_true, n_items=110, step=20)
    >>> curve.n_read.tolist(), curve.pvalues.round(4).tolist()
    ([20, 40, 60, 80, 100], [1.0, 0.603, 0.3059, 0.1086, 0.0112])
    >>> curve.n_stop
    100

    If the last 60 of these were drawn at random:

    >>> stopping_curve(y_true, n_items=110, n_ranked=40).most_left[
    ...     -1
    ... ].item()
    1
    """
    is_pos = check_labels(check_vector("y_true", y_true), pos_label)
    n_items = check_count("n_items", n_items)
    if n_items < len(is_pos):
        raise ValueError(
            f"n_items must count all cases, found {n_items} and {len(is_pos)} labels "
            "in y_true: those that are read and those that are not."
        )
    target = check_fraction("target", target, include_one=True)
    level = check_fraction("confidence_level", confidence_level)
    n_read = _looks(len(is_pos), step)
    found = np.cumsum(is_pos)[n_read - 1].astype(np.int64)
    excluded = least_total(found, target)
    if n_ranked is None:
        windows = Windows(is_pos, n_read, n_items)
        pvalues, hits = windows.least(np.arange(len(n_read)), excluded)
        totals = windows.most_positives(hits, 1 - level)
    else:
        start = _check_n_ranked(n_ranked, len(is_pos))
        pvalues, totals = _of_random(
            is_pos, start, n_read, n_items, excluded, 1 - level
        )
    return StoppingCurve(
        n_read=n_read,
        n_found=found,
        pvalues=pvalues,
        lower_bounds=np.divide(found, totals, out=np.full(len(found), np.nan),
                               where=totals > 0),
        most_left=totals - found,
        n_items=n_items,
        target=target,
        confidence_level=level,
        n_ranked=None if n_ranked is None else start,
    )  # fmt: skip


def _looks(n: int, step: int | None) -> IntArray:
    """Return how many cases are read at each look, the last of which is at all."""
    step = -(-n // _N_LOOKS) if step is None else check_count("step", step)
    looks = np.arange(step, n + 1, step)
    return looks if n % step == 0 else np.append(looks, n)


def _check_n_ranked(n_ranked: int, n: int) -> int:
    start = check_count("n_ranked", n_ranked, minimum=0)
    if start > n:
        raise ValueError(
            f"n_ranked must be at most the number of labels in y_true, found {start} "
            f"of {n}: it counts those read before the random ones."
        )
    return start


def _of_random(
    is_pos: BoolArray,
    start: int,
    n_read: IntArray,
    n_items: int,
    excluded: IntArray,
    alpha: float,
) -> tuple[FloatArray, IntArray]:
    """Return p-values, and the most positives in all, of a random order from a start.

    What was excluded once remains so.
    """
    before = int(is_pos[:start].sum())
    found = np.cumsum(is_pos)[n_read - 1].astype(np.int64)
    n_sampled = np.maximum(n_read - start, 0)
    hits = np.where(n_read > start, found - before, 0)
    urn = hits, n_sampled, np.full(len(n_read), n_items - start)
    totals = before + most_positives_ever(*urn, alpha)
    pvalues = odds_against_more(urn[0], urn[1], excluded - before, urn[2])
    # In the ranked part nothing is known but what is read.
    is_early = n_read < start
    trivial = found + n_items - n_read
    totals = np.where(is_early, trivial, totals)
    pvalues = np.where(is_early, np.where(excluded > trivial, 0.0, 1.0), pvalues)
    return np.minimum.accumulate(pvalues), np.minimum.accumulate(totals)
