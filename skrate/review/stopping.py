"""When to stop reading: what every look at a review in progress says of its recall."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, IntArray, Label
from skrate.data.checks import check_count, check_fraction, check_labels, check_vector
from skrate.data.show import described_like
from skrate.metrics.results import Drawn, Rows, as_columns
from skrate.review.certificate import (
    least_total,
    lower_tail,
    most_positives,
    most_positives_ever,
    odds_against_more,
    recall_certificate,
    tail_bounds,
)

# Looks, where no step is given.
_N_LOOKS = 100
# Looks at a time, and their windows, for memory's sake.
_MOST_LOOKS, _MOST_WINDOWS = 128, 2**18
# Of bounds, for their rounding, and for what rounds to 1.
_SLACK, _ULPS = 1e-9, 2.0**-50


@dataclass(frozen=True)
class StoppingCurve(Drawn, Rows):
    """What each look at a review says, by :func:`skrate.review.stopping_curve`.

    Attributes
    ----------
    n_read, n_found : array of shape (n_looks,)
        Cases read at each look, and positives found by then.
    pvalues : array of shape (n_looks,)
        Of "the recall is below the target", in [0, 1].
    lower_bounds : array of shape (n_looks,)
        The recall is at least this, with the confidence level; nan where no positive
        is found and none can be left.
    most_left : array of shape (n_looks,)
        As many positives at most are unread, with the confidence level.
    n_items : int
        All cases, read and unread.
    target : float
        The target recall.
    confidence_level : float
        Level of the bounds.
    n_ranked : int or None
        Cases read before the random ones began; None where all are of a ranking.

    Examples
    --------
    >>> from skrate.review import stopping_curve
    >>> curve = stopping_curve(
    ...     [1] * 20 + [0] * 80, n_items=110, step=20
    ... )
    >>> curve.n_read.tolist(), curve.most_left.tolist(), curve.n_stop
    ([20, 40, 60, 80, 100], [90, 11, 4, 2, 1], 100)
    """

    n_read: IntArray = field(compare=False)
    n_found: IntArray = field(compare=False)
    pvalues: FloatArray = field(compare=False)
    lower_bounds: FloatArray = field(compare=False)
    most_left: IntArray = field(compare=False)
    n_items: int
    target: float
    confidence_level: float
    n_ranked: int | None
    _index = "n_read"

    @property
    def n_stop(self) -> int | None:
        """Cases read at the first look that shows the target reached; None if none."""
        shown = np.flatnonzero(self.pvalues <= 1 - self.confidence_level)
        return int(self.n_read[shown[0]]) if len(shown) else None

    def __len__(self) -> int:
        return len(self.n_read)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per look, as ``pandas.DataFrame`` does."""
        columns = {
            "n_read": self.n_read, "n_found": self.n_found, "pvalue": self.pvalues,
            "lower_bound": self.lower_bounds, "most_left": self.most_left,
        }  # fmt: skip
        return as_columns(columns, target=self.target)

    def __repr__(self) -> str:
        level = f"{100 * self.confidence_level:g} %"
        order, given = "in the order of a ranking", ", if the unread are no richer"
        if self.n_ranked is not None:
            order, given = f"at random after the first {self.n_ranked:,}", ""
        verdict = f"recall {self.target:g} is not shown to be reached"
        if self.n_stop is not None:
            verdict = f"recall {self.target:g} is shown at {self.n_stop:,}"
        looks = f"{len(self):,} look{'s' * (len(self) > 1)}"
        return (
            f"StoppingCurve({looks} at {self.n_read[-1]:,} of "
            f"{self.n_items:,} cases, read {order}: {self.n_found[-1]:,} found, "
            f"at most {self.most_left[-1]:,} left, "
            f"recall at least {self.lower_bounds[-1]:.4f} "
            f"with {level} confidence{given}; {verdict})"
        )


@described_like(recall_certificate)
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

    For each look this gives the p-value of "the recall is below the target" and a lower
    bound of the recall. No scores are needed: only what was read, in order.

    Parameters
    ----------
    y_true : array-like of shape (n_read,)
        Labels of the cases that were read, in the order of reading.
    n_items : int
        Number of all cases, read and unread.
    confidence_level : float, default=0.95
        Level of the bounds, in (0, 1).
    n_ranked : int, default=None
        Cases after which the rest was read in a random order: then the guarantee is
        exact, however often one looks. None is a ranking to the end, of which the last
        cases are taken for random, see Notes.
    step : int, default=None
        Cases from look to look, of which there is one at the end; None takes a hundred
        looks.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    curve : StoppingCurve
        With arrays of an entry per look; p-values and bounds in [0, 1]. Those of a
        ranking to the end hold if the unread are no richer in positives than the last
        that were read. Where all is read the bound is 1 and the p-value 0.

    Raises
    ------
    ValueError
        If the labels are not of two classes, ``n_items`` is less than there are labels,
        ``n_ranked`` more, or another argument is out of range.

    See Also
    --------
    recall_certificate : From the counts of one random sample.
    skrate.displays.StoppingCurveDisplay : Draws it.

    Notes
    -----
    At a look r positives are found in t cases read, and u are unread. A recall below
    the target means T positives in all, or more, where T is the least whole number with
    r / T below it.

    *A ranking to the end* (``n_ranked=None``). Callaghan and Mueller-Hansen [1]_ take
    the last w cases that were read for a random sample of themselves and the unread. If
    x of the w are positive, then there are :math:`K = T - r + x` among these w + u, and

    .. math:: p_w = P(X \le x), \quad
              P(X = j) = \binom{K}{j} \binom{w + u - K}{w - j} \Big/ \binom{w + u}{w}.

    The p-value is the least over all windows w; a lower bound covers all T for which no
    window has :math:`p_w \le \alpha`. It is conservative where a ranking is better
    than random to its end, and no guarantee where the last positives come later.

    *Random from a point on* (``n_ranked`` given). The later cases are a random sample
    that grows. Totals are excluded whose odds, as of :func:`recall_certificate` with
    ``looks="any"``, were ever :math:`\alpha` or less at a look, and the p-value is the
    greatest odds of T or more, the least so far: at any look a target that is not
    reached is shown with probability :math:`\alpha` at most.

    Cost: a million cases, a tenth of them positive, take about a second.

    References
    ----------
    .. [1] Callaghan and Mueller-Hansen (2020), Statistical stopping criteria for
       automated screening in systematic reviews, Systematic Reviews 9, 273,
       :doi:`10.1186/s13643-020-01521-4`.

    Examples
    --------
    All of 20 positives came first. After 80 of 110 cases, if the last 60 and the 30
    unread contained two more, both would be unread with probability 29 / 267:

    >>> from skrate.review import stopping_curve
    >>> y_true = [1] * 20 + [0] * 80
    >>> curve = stopping_curve(y_true, n_items=110, step=20)
    >>> curve.n_read.tolist(), curve.pvalues.round(4).tolist()
    ([20, 40, 60, 80, 100], [1.0, 0.603, 0.3059, 0.1086, 0.0112])
    >>> curve.n_stop
    100
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
    n = len(is_pos)
    # The last look is at all that was read.
    step = -(-n // _N_LOOKS) if step is None else check_count("step", step)
    n_read = np.unique(np.append(np.arange(step, n, step), n))
    found = np.cumsum(is_pos)[n_read - 1].astype(np.int64)
    excluded = least_total(found, target)
    if n_ranked is None:
        windows = Windows(is_pos, n_read, n_items)
        pvalues, hits = windows.least(np.arange(len(n_read)), excluded)
        totals = windows.most_positives(hits, 1 - level)
    else:
        n_ranked = check_count("n_ranked", n_ranked, minimum=0)
        if n_ranked > n:
            raise ValueError(
                "n_ranked must be at most the number of labels in y_true, found "
                f"{n_ranked} of {n}: it counts those read before the random ones."
            )
        pvalues, totals = _of_random(
            is_pos, n_ranked, n_read, n_items, excluded, 1 - level
        )
    bounds = np.full(len(found), np.nan)
    np.divide(found, totals, out=bounds, where=totals > 0)
    return StoppingCurve(
        n_read, found, pvalues, bounds, totals - found, n_items, target, level, n_ranked
    )


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
    n_sampled, unread = np.maximum(n_read - start, 0), n_items - start
    hits = np.where(n_read > start, found - before, 0)
    totals = before + most_positives_ever(hits, n_sampled, unread, alpha)
    pvalues = odds_against_more(hits, n_sampled, excluded - before, unread)
    # In the ranked part nothing is known but what is read.
    is_early, trivial = n_read < start, found + n_items - n_read
    totals = np.where(is_early, trivial, totals)
    pvalues = np.where(is_early, np.where(excluded > trivial, 0.0, 1.0), pvalues)
    return np.minimum.accumulate(pvalues), np.minimum.accumulate(totals)


class Windows:
    """The windows that end at each look, and begin at the start or after a positive.

    The longest of the windows with the same hits says most, and is one of these.
    """

    def __init__(self, is_pos: BoolArray, n_read: IntArray, n_items: int) -> None:
        places = np.flatnonzero(is_pos) + 1
        self.begins = np.concatenate([[0], places])
        self.n_read = n_read
        self.found = np.searchsorted(places, n_read, side="right")
        self.rest = n_items - n_read

    def least(
        self, looks: IntArray, totals: IntArray, most: float = 1.0
    ) -> tuple[FloatArray, IntArray]:
        """Return the least p-value over the windows of some looks, and its hits.

        Of ``totals`` positives or more in all; 1 where none is below ``most``.
        """
        pvalues, hits = np.zeros(len(looks)), np.zeros_like(looks)
        rows = np.flatnonzero(totals <= self.found[looks] + self.rest[looks])
        for start in range(0, len(rows), _MOST_LOOKS):
            some = rows[start : start + _MOST_LOOKS]
            pvalues[some], hits[some] = self._least(looks[some], totals[some], most)
        return pvalues, hits

    def _least(
        self, looks: IntArray, totals: IntArray, most: float
    ) -> tuple[FloatArray, IntArray]:
        """Return the same, of looks at which so many positives are possible.

        Blocks of windows are halved. No p-value of a block is below one of the fewest
        hits and the greatest size in it, so that most blocks are out as a whole.
        """
        found = self.found[looks]
        best, hits = np.full(len(looks), most), np.zeros_like(looks)
        width = 1 << int(found.max(initial=0)).bit_length()
        row, first = np.arange(len(looks)), np.zeros_like(looks)
        while True:
            last = np.minimum(first + width - 1, found[row])
            low, _ = tail_bounds(*self._urn(looks[row], first, last, totals[row]))
            row, first, last, low = _that(
                _may_be(low, best, row), row, first, last, low
            )
            _, high = tail_bounds(*self._urn(looks[row], last, last, totals[row]))
            _lower(best, hits, row, high, last)
            row, first = _that(_may_be(low, best, row), row, first)
            if width == 1:
                break
            width //= 2
            row, first = np.repeat(row, 2), np.repeat(first, 2)
            first[1::2] += width
            row, first = _that(first <= found[row], row, first)
            if len(row) > _MOST_WINDOWS and len(looks) > 1:
                half = len(looks) // 2
                one = self._least(looks[:half], totals[:half], most)
                other = self._least(looks[half:], totals[half:], most)
                return np.append(one[0], other[0]), np.append(one[1], other[1])
        # Of bounds of 0 the tail is 0.
        pvalues = np.where(best > 0, 1.0, 0.0)
        tails = lower_tail(*self._urn(looks[row], first, first, totals[row]))
        _lower(pvalues, hits, row, tails, first)
        return pvalues, hits

    def _urn(
        self, looks: IntArray, hits: IntArray, longest: IntArray, totals: IntArray
    ) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return hits, size, positives and cases of the urns of some windows.

        The size is of the windows of ``longest`` hits.
        """
        found = self.found[looks]
        sizes = self.n_read[looks] - self.begins[found - longest]
        return hits, sizes, totals - found + hits, self.rest[looks] + sizes

    def most_positives(self, hits: IntArray, alpha: float) -> IntArray:
        """Return the most positives in all that no window excludes, at each look.

        What one window leaves is looked at by all of them, until none excludes it.
        """
        looks, totals = np.arange(len(hits)), self.found + self.rest
        self._exclude(totals, looks, self.found, alpha)
        while len(looks):
            self._exclude(totals, looks, hits, alpha)
            pvalues, hits = self.least(looks, totals[looks], alpha)
            looks, hits = _that(pvalues <= alpha, looks, hits)
        return totals

    def _exclude(
        self, totals: IntArray, looks: IntArray, hits: IntArray, alpha: float
    ) -> None:
        """Lower the totals of looks to what windows of some hits leave."""
        x, size, _, cases = self._urn(looks, hits, hits, totals[looks])
        left = most_positives(x, size, cases, alpha) - x
        totals[looks] = np.minimum(totals[looks], self.found[looks] + left)


def _that(chosen: BoolArray, *columns: Any) -> Any:
    """Return the chosen rows of some columns."""
    return tuple(column[chosen] for column in columns)


def _may_be(low: FloatArray, best: FloatArray, row: IntArray) -> BoolArray:
    """Return which are not above the best of their row, except for rounding, nor 1."""
    slack = _SLACK * np.minimum(best, 1 - best) + _ULPS * best
    return (low < 1) & (low <= (best + slack)[row]) & (best > 0)[row]


def _lower(
    best: FloatArray, hits: IntArray, row: IntArray, values: FloatArray, x: IntArray
) -> None:
    """Lower the best of each row to the least of its values, and its hits with it."""
    order = np.lexsort((values, row))
    order = order[np.unique(row[order], return_index=True)[1]]
    order = order[values[order] < best[row[order]]]
    best[row[order]], hits[row[order]] = values[order], x[order]
