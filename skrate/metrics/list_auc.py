"""The AUC within each list, also of its top k: kernels on a table of lists."""

from __future__ import annotations

import numpy as np
from scipy.special import betaln

from skrate.core.arrays import BoolArray, FloatArray, IntArray, share_of
from skrate.core.list_table import ListTable, ListValues


def list_auc(table: ListTable, k: int | None = None) -> ListValues:
    """Return the AUC of the lists of a table, or of the best ``k`` cases of each."""
    if k is not None:
        return _top_auc(table, k)
    if table.exponents is not None:
        return _scaled_auc(table)
    if table.cases is None:
        ordered = table.sum(table.neg * (table.cum_pos - table.pos / 2))
    else:
        ordered = _ordered_cases(table, table.cases)
    return _whole(ordered, table.n_pos, table.n_neg)


def _scaled_auc(table: ListTable) -> ListValues:
    """Return the AUC where weights are of very different scales.

    Each class of each list counts in units of its own, to which a power of two more is
    given back between the lists; there the greatest number of pairs is about 1.
    """
    of_pos, of_neg = (np.frexp(weight)[1] for weight in (table.n_pos, table.n_neg))
    pos, cum_pos = np.ldexp([table.pos, table.cum_pos], -table.spread(of_pos))
    neg = np.ldexp(table.neg, -table.spread(of_neg))
    whole = _whole(table.sum(neg * (cum_pos - pos / 2)), table.sum(pos), table.sum(neg))
    assert table.exponents is not None
    shift = of_pos + of_neg + 2 * table.exponents
    is_defined = whole.defined > 0
    shift = shift - (shift[is_defined].max() if is_defined.any() else 0)
    with np.errstate(under="ignore"):
        ordered, pairs = (
            np.where(is_defined, np.ldexp(values, np.minimum(shift, 0)), 0.0)
            for values in (whole.part, whole.whole)
        )
    n_pos, n_neg = table.unscaled(table.n_pos), table.unscaled(table.n_neg)
    return ListValues(whole.values, whole.defined, ordered, pairs, n_pos, n_neg)


def _whole(ordered: FloatArray, n_pos: FloatArray, n_neg: FloatArray) -> ListValues:
    pairs = n_pos * n_neg
    defined = (pairs > 0).astype(np.float64)
    values = share_of(ordered, pairs)
    return ListValues(values, defined, ordered, pairs, n_pos, n_neg)


def _ordered_cases(table: ListTable, cases: BoolArray) -> FloatArray:
    """Return the pairs in order where no cases tie: the rank sum of the positives."""
    places = np.flatnonzero(cases)
    n_pos = table.n_pos.astype(np.int64)
    last = np.cumsum(n_pos)
    # Whole numbers: the sums over all lists are exact, and so their differences.
    sums = np.concatenate([[0], np.cumsum(places)])
    rank_sums = sums[last] - sums[last - n_pos] - n_pos * table.starts
    negatives_above = rank_sums - n_pos * (n_pos - 1) // 2
    return np.asarray(table.n_pos * table.n_neg - negatives_above)


def _top_auc(table: ListTable, k: int) -> ListValues:
    """Return the AUC of the best ``k`` cases of each list; cases have weight one."""
    ends = table.cum_pos + table.cum_neg
    fits = ends <= k
    pos, neg = table.pos * fits, table.neg * fits
    ordered = table.sum(neg * (table.cum_pos - pos / 2))
    n_pos, n_neg = table.sum(pos), table.sum(neg)
    whole = _whole(ordered, n_pos, n_neg)
    cut = np.flatnonzero(~fits & (ends - table.pos - table.neg < k))
    if len(cut) == 0:
        return whole
    lists = np.searchsorted(table.starts, cut, side="right") - 1
    drawn = _drawn_auc(
        _whole(ordered[lists], n_pos[lists], n_neg[lists]),
        table.pos[cut],
        table.neg[cut],
        k - n_pos[lists] - n_neg[lists],
    )
    for name, values in vars(drawn).items():
        getattr(whole, name)[lists] = values
    return whole


def _drawn_auc(
    above: ListValues, pos: FloatArray, neg: FloatArray, n_drawn: FloatArray
) -> ListValues:
    """Return the AUC of lists that end in ``n_drawn`` of tied cases.

    The number of positives among them is hypergeometric; given it, all is known. The
    possible numbers of all the lists stand in one array.
    """
    least = np.maximum(0, n_drawn - neg)
    counts = (np.minimum(n_drawn, pos) - least).astype(np.int64) + 1
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    lists = np.repeat(np.arange(len(counts)), counts)
    drawn_pos = least[lists] + np.arange(len(lists)) - starts[lists]
    drawn_neg = n_drawn[lists] - drawn_pos
    chances = _hypergeometric(drawn_pos, pos[lists], drawn_neg, neg[lists], starts)
    n_pos, n_neg = above.n_pos[lists] + drawn_pos, above.n_neg[lists] + drawn_neg
    ordered = above.part[lists] + (above.n_pos[lists] + drawn_pos / 2) * drawn_neg
    given = _whole(ordered, n_pos, n_neg)

    def mean(values: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(chances * values, starts))

    defined = np.minimum(mean(given.defined), 1.0)
    values = share_of(mean(np.nan_to_num(given.values)), defined)
    pairs = mean(given.whole)
    return ListValues(values, defined, mean(ordered), pairs, mean(n_pos), mean(n_neg))


def _hypergeometric(
    drawn_pos: FloatArray,
    pos: FloatArray,
    drawn_neg: FloatArray,
    neg: FloatArray,
    starts: IntArray,
) -> FloatArray:
    """Return probabilities of numbers drawn, which sum to 1 from each start on."""
    logs = -betaln(drawn_pos + 1, pos - drawn_pos + 1)
    logs -= betaln(drawn_neg + 1, neg - drawn_neg + 1)
    sizes = np.diff(starts, append=len(logs))
    chances = np.exp(logs - np.repeat(np.maximum.reduceat(logs, starts), sizes))
    return np.asarray(chances / np.repeat(np.add.reduceat(chances, starts), sizes))
