"""Groups of tied cases, best score first, by one sort: what a table is made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skrate.core.arrays import Array, BoolArray, FloatArray, IntArray
from skrate.core.ranking import order_of_few, ranking
from skrate.core.sample import Sample
from skrate.core.sort_keys import as_bits, parts, sort_keys


class Groups(NamedTuple):
    """Weights per group, or unweighted cases in ranking order.

    ``cases`` says which case is positive, the positives first where cases tie, and
    ``is_new`` which begins a group, None if all do. ``thresholds`` are the scores of
    the groups, None where they are not asked for.
    """

    pos: FloatArray | None = None
    neg: FloatArray | None = None
    thresholds: Array | None = None
    cases: BoolArray | None = None
    is_new: BoolArray | None = None


def ranked_groups(sample: Sample) -> Groups:
    """Return the groups of a sample with scores; these are not among them."""
    if sample.begins is not None:
        return _ranked(sample, sample.begins)
    if sample.weights is None:
        assert sample.scores is not None
        order = order_of_few(sample.scores)
        if order is not None:
            return Groups(cases=sample.is_pos[order])
        keys = sort_keys(sample.scores, sample.is_pos)
        return scored_groups(sample) if keys is None else _packed(keys)
    assert sample.scores is not None
    return weighted_groups(sample, *ranking(sample.scores))


def scored_groups(sample: Sample) -> Groups:
    """Return the same with the scores, which are known whatever was sorted."""
    assert sample.scores is not None
    if sample.begins is not None:
        return _ranked(sample, sample.begins)
    order, begins = ranking(sample.scores)
    starts = None if begins.all() else np.flatnonzero(begins)
    thresholds = sample.scores[order if starts is None else order[starts]]
    if sample.weights is None and starts is None:
        return Groups(thresholds=thresholds, cases=sample.is_pos[order])
    return Groups(*_ranked_weights(sample, order, starts), thresholds)


def weighted_groups(sample: Sample, order: IntArray, begins: BoolArray) -> Groups:
    """Return the same of cases with weights, whose ranking is known."""
    starts = None if begins.all() else np.flatnonzero(begins)
    return Groups(*_ranked_weights(sample, order, starts))


def joined_groups(scores: Array, pos: FloatArray, neg: FloatArray) -> Groups:
    """Return groups of weights that each have a score; equal ones become one."""
    order, begins = ranking(scores)
    starts = np.flatnonzero(begins)
    return Groups(
        np.add.reduceat(pos[order], starts),
        np.add.reduceat(neg[order], starts),
        scores[order[starts]],
    )


def _packed(keys: Array) -> Groups:
    """Return the groups of unweighted cases by one sort of their keys."""
    keys.sort()
    bits = as_bits(keys)
    cases, is_last = np.empty(len(bits), dtype=bool), np.empty(len(bits), dtype=bool)
    is_last[-1] = True
    for part in parts(len(bits)):
        found = bits[part]
        np.bitwise_and(found.astype(np.uint8), 1, out=cases.view(np.uint8)[part])
        found |= 1
        np.not_equal(found[1:], found[:-1], out=is_last[part][:-1])
        if part.start:
            is_last[part.start - 1] = found[0] != bits[part.start - 1]
    # A greater last bit made a negative number less.
    n_below = np.searchsorted(keys, keys.dtype.type(0))
    np.logical_not(cases[:n_below], out=cases[:n_below])
    # Read from the back, what ends a group begins one.
    cases = cases[::-1]
    if is_last.all():
        return Groups(cases=cases)
    return Groups(cases=cases, is_new=is_last[::-1])


def _ranked_weights(
    sample: Sample, order: IntArray, starts: IntArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return the weights of positives and of negatives per group of ties."""
    weights = np.ones(len(order)) if sample.weights is None else sample.weights
    # With a sign for the class, so that they are put in order once.
    return _by_class(np.where(sample.is_pos, weights, -weights)[order], starts)


def _by_class(
    ranked: FloatArray, starts: IntArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return the sums of weights by group, those of negatives below zero."""
    pos = np.maximum(ranked, 0.0)
    neg = np.subtract(pos, ranked, out=ranked)
    if starts is None:
        return pos, neg
    return np.add.reduceat(pos, starts), np.add.reduceat(neg, starts)


def _ranked(sample: Sample, begins: BoolArray) -> Groups:
    """Return the groups of cases that are in the order of their ranking."""
    starts = None if begins.all() else np.flatnonzero(begins)
    thresholds = sample.scores
    if thresholds is not None and starts is not None:
        thresholds = thresholds[starts]
    if sample.weights is None:
        is_new = None if starts is None else begins
        return Groups(None, None, thresholds, sample.is_pos, is_new)
    signed = np.where(sample.is_pos, sample.weights, -sample.weights)
    return Groups(*_by_class(signed, starts), thresholds)
