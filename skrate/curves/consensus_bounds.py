"""From where the counts of new folds lie to bounds around the consensus."""

from __future__ import annotations

import numpy as np

from skrate.curves.count_law import FoldSource
from skrate.curves.folds import Folds
from skrate.data.arrays import FloatArray


def moved_to_consensus(
    folds: Folds, rates: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of new folds, moved by what these are off the consensus.

    New folds of several prevalences are drawn from one curve. They find on average what
    the folds found only if these share that curve, and then but for noise. Counts are
    whole: the end that comes nearer to the consensus stays behind by up to a case.
    """
    if folds.has_one_prevalence:
        return lower, upper
    move = folds.pooled_count(folds.tpr_at(rates)) - expected_count(folds, rates)
    least, most = folds.reachable(rates)
    lower = lower + move - np.clip(move, 0, 1)
    upper = upper + move - np.clip(move, -1, 0)
    return np.clip(lower, least, most), np.clip(upper, least, most)


def expected_count(folds: Folds, rates: FloatArray) -> FloatArray:
    """Return what folds of these sizes find on the curve that the folds share.

    It is the consensus itself if the folds have one prevalence.
    """
    shared, total = folds.shared, np.zeros_like(rates)
    for size, n_folds in folds.sizes.items():
        source = FoldSource.along(shared.tpr, shared.fpr, *size)
        total += n_folds * size[0] * np.interp(rates, source.places, shared.tpr)
    return total


def holding_consensus(
    folds: Folds, rates: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the bounds, made wider where they would leave out the consensus.

    Of one positive among a hundred tied cases a hundredth is found by the first case,
    of new ones most often none.
    """
    found = folds.pooled_count(folds.tpr_at(rates))
    return np.minimum(lower, found), np.maximum(upper, found)


def rising(
    folds: Folds, rates: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the bounds, made wider where they turn back.

    Who processes more finds no fewer positives, and no fewer negatives; but what bounds
    were moved by may fall from one rate to the next.
    """
    processed = rates * (folds.n_pos + folds.n_neg)
    lower = processed - np.maximum.accumulate(processed - lower)
    upper = processed - np.minimum.accumulate((processed - upper)[::-1])[::-1]
    return np.minimum.accumulate(lower[::-1])[::-1], np.maximum.accumulate(upper)


def between(
    folds: Folds,
    rates: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    bounds: str | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return every bend of the consensus from one rate to the next, with its bounds.

    ``rates`` are two, ``lower`` and ``upper`` the counts of the bounds there. Linear
    in between is how far the bounds are from the consensus, as they bend with it.
    """
    cuts = folds.cuts
    inner = slice(
        np.searchsorted(cuts, rates[0], "right"), np.searchsorted(cuts, rates[1])
    )
    knots = np.concatenate([rates[:1], cuts[inner], rates[1:]])
    found = folds.pooled_count(folds.tpr_at(knots))
    processed = knots * (folds.n_pos + folds.n_neg)
    counts = []
    for ends in (lower, upper):
        count = found + np.interp(knots, rates, ends - found[[0, -1]])
        # No fewer positives than at the one end, nor more than at the other; and no
        # fewer negatives.
        negatives = processed[[0, -1]] - ends
        least = np.maximum(ends.min(), processed - negatives.max())
        most = np.minimum(ends.max(), processed - negatives.min())
        counts.append(np.clip(count, least, most))
    if bounds != "normal":
        counts = [np.clip(count, *folds.reachable(knots)) for count in counts]
    if bounds not in {"normal", "beta"}:
        counts = list(rising(folds, knots, *counts))
    return knots, counts[0], counts[1]
