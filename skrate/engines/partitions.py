"""Values over ranges of scores that do not overlap, without the table of all cases."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skrate.data.arrays import Array, FloatArray
from skrate.data.checks import Seen
from skrate.data.table import RankTable
from skrate.engines.pieces import Piece
from skrate.metrics.base import Metric

# Scores that a chunk is represented by where the ranges are chosen.
_SAMPLED = 512


class Outline(NamedTuple):
    """What is known of a piece without its table: scores between which as many lie."""

    labels: Seen
    n_cases: int
    scores: Array
    n_each: float  # Groups that each of the scores stands for.


class Totals(NamedTuple):
    """Weights and number of groups of a range."""

    n_pos: float
    n_neg: float
    n_groups: int


def outline(piece: Piece) -> Outline:
    """Return the scores that a piece is represented by."""
    if piece.table is None:
        return Outline(piece.labels, piece.n_cases, np.empty(0), 0.0)
    scores = piece.table.thresholds
    assert scores is not None
    size = min(_SAMPLED, len(scores))
    middles = ((np.arange(size) + 0.5) * len(scores) / size).astype(np.intp)
    return Outline(piece.labels, piece.n_cases, scores[middles], len(scores) / size)


def cut_points(outlines: Sequence[Outline], n_ranges: int) -> Array:
    """Return decreasing scores, at most ``n_ranges - 1``, with about as many between.

    The first range is that of the scores from the first cut on.
    """
    sampled = [each for each in outlines if len(each.scores)]
    if not sampled:
        return np.empty(0)
    scores = np.concatenate([each.scores for each in sampled])
    counts = np.concatenate([np.full(len(e.scores), e.n_each) for e in sampled])
    order = np.argsort(scores, kind="stable")[::-1]
    above = np.cumsum(counts[order])
    wanted = above[-1] * np.arange(1, n_ranges) / n_ranges
    return np.unique(scores[order][np.searchsorted(above, wanted)])[::-1]


def split(
    table: RankTable | None, cuts: Array, n_ranges: int
) -> list[RankTable | None]:
    """Return the part of a table in each range, None where there is none."""
    parts: list[RankTable | None] = [None] * n_ranges
    if table is None:
        return parts
    scores = table.thresholds
    assert scores is not None
    n_above = len(scores) - np.searchsorted(scores[::-1], cuts, side="left")
    edges = [0, *n_above.tolist(), len(scores)]
    for i, (first, last) in enumerate(itertools.pairwise(edges)):
        if first < last:
            rows = slice(first, last)
            parts[i] = RankTable(table.pos[rows], table.neg[rows], scores[rows])
    return parts


def totals(table: RankTable | None) -> Totals:
    """Return the weights of a range, which may be empty."""
    if table is None:
        return Totals(0.0, 0.0, 0)
    return Totals(table.n_pos, table.n_neg, table.n_groups)


def refined(metric: Metric, lumps: RankTable, i: int, part: RankTable) -> float:
    """Return the metric of ``lumps`` with the groups of ``part`` in place of lump i."""
    return metric.value(with_part(lumps, i, part))


def with_part(lumps: RankTable, i: int, part: RankTable) -> RankTable:
    """Return the table in which lump i is resolved into its groups."""
    pos, neg = (
        np.concatenate([whole[:i], own, whole[i + 1 :]])
        for whole, own in ((lumps.pos, part.pos), (lumps.neg, part.neg))
    )
    return RankTable(pos, neg)


def value_of_parts(metric: Metric, lumps: RankTable, values: FloatArray) -> float:
    """Return the metric of all groups from those with one lump resolved at a time.

    A sum over groups, of what the group and the weights above it give, changes by as
    much where one lump is resolved as where all others are as well.
    """
    coarse = metric.value(lumps)
    value = coarse + math.fsum(values - coarse)
    low, high = metric.bounds(lumps)
    return min(max(value, low), high)
