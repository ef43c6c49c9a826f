"""Checked samples, the order of their scores with ties, and groups of rows."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from skrate.data.arrays import (
    CACHED,
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    dot,
    effective_number,
    parts,
)
from skrate.data.checks import (
    check_equal_length,
    check_index,
    check_labels,
    check_no_missing,
    check_scores,
    check_vector,
    check_weights,
    distinct_objects,
    find_index,
    warn_class_scores,
)
from skrate.data.estimated import EstimatedLabels

# The bits of the smallest float that has full precision.
_LEAST = 1 << 52
# "relative" weights have no scale, "frequency" weights are numbers of repetitions, and
# "sampling" weights are inverse probabilities of being sampled.
Kind = Literal["relative", "frequency", "sampling"]


@dataclass(frozen=True)
class Sample:
    """Checked samples with labels, and optional scores, weights and clusters."""

    is_pos: BoolArray
    scores: Array | None = None  # None if absent, or not added yet.
    weights: FloatArray | None = None  # Above 0; None if all are equal.
    clusters: IntArray | None = None  # Cluster numbers, from 0.
    # Which of the given samples have weight; None if all have.
    kept: BoolArray | None = None
    kind: Kind = "relative"
    # Estimates of the labels; with estimates `is_pos` has no meaning.
    estimated: EstimatedLabels | None = None
    # The index of the given labels; None unless they are a pandas object.
    index: Any = None

    def drop_zero_weights(self) -> Self:
        """Return the samples that have weight; ``kept`` is their mask."""
        if self.weights is None or self.weights.all():
            return self
        kept = self.weights > 0
        return replace(
            self,
            is_pos=self.is_pos[kept],
            scores=None if self.scores is None else self.scores[kept],
            weights=self.weights[kept],
            clusters=None if self.clusters is None else self.clusters[kept],
            kept=kept,
        )

    def add_scores(
        self, name: str, y_score: ArrayLike, *, takes_unreturned: bool = False
    ) -> Self:
        """Return the same samples with scores, which can calibrate predictions.

        Errors name the scores ``name``.
        """
        if self.index is not None:
            check_index(self.index, **{name: y_score})
        given = check_scores(name, y_score, takes_unreturned=takes_unreturned)
        is_whole = self.kept is None and len(given) == len(self.is_pos)
        scores = given if is_whole else self.select(name, given)
        warn_class_scores(name, given)
        if self.estimated is None:
            return replace(self, scores=scores)
        estimated = self.estimated.for_scores(scores)
        return replace(
            self, is_pos=estimated.pos > 0, scores=scores, estimated=estimated
        )

    def select(self, name: str, column: Array) -> Array:
        """Return a column of the samples with weight, after a check of its length."""
        labels = self.is_pos if self.kept is None else self.kept
        check_equal_length(**{"y_true": labels, name: column})
        return column if self.kept is None else column[self.kept]

    @property
    def n_input(self) -> int:
        """Number of samples, including samples without weight."""
        return len(self.is_pos if self.kept is None else self.kept)

    @property
    def row_weights(self) -> FloatArray:
        """The weight of each sample, 1 if all are equal."""
        return np.ones(len(self.is_pos)) if self.weights is None else self.weights

    @property
    def are_repetitions(self) -> bool:
        """Whether weights are numbers of repetitions."""
        return self.kind == "frequency"

    @property
    def has_sampling_weights(self) -> bool:
        """Whether there are weights that are not numbers of repetitions."""
        return self.weights is not None and not self.are_repetitions

    @cached_property
    def total(self) -> float:
        """Number of samples; repetitions count."""
        if self.weights is not None and self.are_repetitions:
            return float(self.weights.sum())
        return float(len(self.is_pos))

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """Number of positives and of negatives; repetitions count."""
        if self.estimated is not None:
            return float(self.estimated.pos.sum()), float(self.estimated.neg.sum())
        if self.weights is not None and self.are_repetitions:
            pos, neg = self.weights[self.is_pos], self.weights[~self.is_pos]
            return float(pos.sum()), float(neg.sum())
        n_pos = np.count_nonzero(self.is_pos)
        return float(n_pos), float(len(self.is_pos) - n_pos)

    def columns(self, order: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the weights of samples as positives and as negatives, in ``order``."""
        if self.estimated is not None:
            pos, weight = self.estimated.pos.take(order), self.estimated.weight
            return pos, (1.0 if weight is None else weight.take(order)) - pos
        # The sign is the class, so one indexing orders both columns.
        weights = self.row_weights
        signed = np.where(self.is_pos, weights, -weights)[order]
        pos = np.maximum(signed, 0.0)
        return pos, pos - signed

    def ranking(self) -> tuple[IntArray, BoolArray]:
        """Return the samples, best first, and where groups of equal scores begin.

        Every group has weight: samples that are lost by censoring join a neighbour.
        """
        assert self.scores is not None
        order, begins = ranking(self.scores)
        if self.estimated is not None and self.estimated.weight is not None:
            starts = np.flatnonzero(begins)
            weights = np.add.reduceat(self.estimated.weight[order], starts)
            begins[starts] = weights > 0
            begins[np.argmax(begins)], begins[0] = False, True
        return order, begins

    @property
    def n_units(self) -> int:
        """Number of clusters, or of samples without clusters."""
        if self.clusters is None:
            return len(self.is_pos)
        return int(self.clusters.max(initial=-1)) + 1

    @cached_property
    def effective_sizes(self) -> tuple[float, float]:
        """Effective number of samples of each class: (sum w)^2 / sum w^2.

        The w are weights of samples or, with clusters, of the clusters in the class.
        """
        if self.estimated is not None:
            # A label that counts several times was observed only once.
            squares = [dot(x, x) for x in (self.estimated.pos, self.estimated.neg)]
            numbers = [
                min(size, size**2 / square) if square > 0 else 0.0
                for size, square in zip(self.sizes, squares, strict=True)
            ]
            return numbers[0], numbers[1]
        chosen = (self.is_pos, ~self.is_pos)
        if self.clusters is not None:
            n_pos, n_neg = (
                effective_number(np.bincount(self.clusters[c], self.row_weights[c]))
                for c in chosen
            )
        elif self.weights is None or self.are_repetitions:
            n_pos, n_neg = self.sizes
        else:
            n_pos, n_neg = (effective_number(self.weights[c]) for c in chosen)
        return n_pos, n_neg


def require_scores(y_score: ArrayLike | None, y_true: object) -> ArrayLike:
    """Return scores, or raise with the ``__skrate_hint__`` of ``y_true``."""
    if y_score is None:
        hint = getattr(type(y_true), "__skrate_hint__", "")
        raise ValueError(
            "y_score is missing: give the scores of the samples, or a RankTable as "
            "y_true instead of labels and scores; y_true is of the type "
            f"{type(y_true).__name__}{hint}."
        )
    return y_score


def check_ranking(
    y_true: ArrayLike,
    y_score: ArrayLike | None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    *,
    keep_scale: bool = False,
    takes_estimates: bool = False,
    takes_unreturned: bool = False,
) -> Sample:
    """Return the samples that have weight, with scores and relative weights.

    Equal weights are dropped, because no metric depends on their scale; with
    ``keep_scale`` only weights of 1. Estimated labels are accepted if
    ``takes_estimates``, or if all labels are known after all.
    """
    y_score = require_scores(y_score, y_true)
    sample = check_labelled(
        y_true, sample_weight, pos_label, takes_estimates=takes_estimates
    ).add_scores("y_score", y_score, takes_unreturned=takes_unreturned)
    sample = sample.drop_zero_weights()
    left = sample.weights
    if left is None:
        return sample
    # The ends first, because they usually differ.
    are_equal = bool(left[0] == left[-1] and left.min() == left.max())
    if are_equal and not (keep_scale and left[0] != 1):
        return replace(sample, weights=None)
    return sample


def check_labelled(
    y_true: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: Label,
    *,
    takes_estimates: bool,
) -> Sample:
    """Return all samples with their labels and weights, without scores."""
    if not isinstance(y_true, EstimatedLabels):
        index = find_index(y_true)
        is_pos = check_labels(check_vector("y_true", y_true), pos_label)
        if sample_weight is None:
            return Sample(is_pos, index=index)
        check_index(index, sample_weight=sample_weight)
        weights = check_weights("sample_weight", sample_weight)
        check_equal_length(y_true=is_pos, sample_weight=weights)
        return Sample(is_pos, weights=weights, index=index)
    excluded = {"sample_weight": sample_weight, "pos_label": pos_label}
    for name, passed in excluded.items():
        if passed is not None:
            raise ValueError(
                f"{name} must be None if y_true holds estimated labels: leave it out. "
                "These have the weight of each sample and the positive class."
            )
    if y_true.known is not None:
        return Sample(y_true.known)
    if not takes_estimates:
        # Raises, with the functions that accept estimates.
        check_vector("y_true", y_true)
    return Sample(y_true.pos > 0, estimated=y_true)


class Grouping(NamedTuple):
    """The list, or another group, of each row.

    ``codes`` of shape (n_rows,) index ``labels``, which increase. ``sizes`` counts the
    rows of each label.
    """

    codes: IntArray
    labels: Array
    sizes: IntArray


def check_groups(name: str, values: Any) -> Grouping:
    """Return the codes of labels: integers, floats, strings, dates or objects."""
    labels = check_vector(name, values)
    if labels.dtype.kind in "USO":
        # Hashing them is far faster than comparing them.
        objects = distinct_objects(name, labels)
        index = {label: code for code, label in enumerate(objects)}
        codes = np.fromiter(map(index.__getitem__, labels.tolist()), np.intp)
        distinct = np.empty(len(objects), dtype=object)
        distinct[:] = objects
        distinct = distinct.astype(labels.dtype)
    else:
        check_no_missing(name, labels)
        small = _small_groups(labels)
        if small is not None:
            return small
        codes, distinct = dense_ranks(labels)
    return Grouping(codes, distinct, np.bincount(codes))


def sort_naturally(groups: Grouping) -> Grouping:
    """Return the groups with names ordered by the numbers in them."""
    names = groups.labels.tolist()
    if not all(isinstance(name, str) for name in names):
        return groups
    # Text and digits alternate, so numbers are compared with numbers.
    tokens = [re.split(r"(\d+)", name) for name in names]
    keys = [[int(t) if i % 2 else t for i, t in enumerate(row)] for row in tokens]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)
    return Grouping(
        np.argsort(order)[groups.codes], groups.labels[order], groups.sizes[order]
    )


def _small_groups(labels: Array) -> Grouping | None:
    """Return the groups of integers that need no sorting, else None."""
    if labels.dtype.kind not in "iub":
        return None
    # Differences of the widest type do not overflow here.
    kind = np.int64 if labels.dtype.kind == "i" else np.uint64
    wide = labels.astype(kind, copy=False)
    low = wide.min()
    # Counting takes the time of the range, so it is short beside the number of rows.
    if int(wide.max()) - int(low) >= max(len(labels), 1024):
        return None
    codes = (wide - low).astype(np.intp, copy=False)
    sizes = np.bincount(codes)
    present = np.flatnonzero(sizes)
    if len(present) < len(sizes):
        ranks = np.zeros(len(sizes), dtype=np.intp)
        ranks[present] = np.arange(len(present))
        codes, sizes = ranks[codes], sizes[present]
    distinct = (present.astype(wide.dtype) + low).astype(labels.dtype)
    return Grouping(codes, distinct, sizes)


def dense_ranks(values: Array) -> tuple[IntArray, Array]:
    """Return the ranks among the distinct values, and these in increasing order."""
    order = np.argsort(values)
    in_order = values[order]
    is_first = begins_group(in_order)
    ranks = np.empty(len(values), dtype=np.intp)
    ranks[order] = np.cumsum(is_first) - 1
    return ranks, in_order[is_first]


def begins_group(values: Array) -> BoolArray:
    """Return where groups of equal values begin in sorted ``values``."""
    begins = np.empty(len(values), dtype=bool)
    begins[0] = True
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return begins


def n_distinct(values: Array) -> int:
    """Return the number of distinct values."""
    return int(np.count_nonzero(begins_group(np.sort(values))))


def segment_cumsum(values: Array, starts: IntArray) -> Array:
    """Return cumulative sums that restart at each of ``starts``.

    Integers are summed in one pass. Other numbers would lose digits to earlier
    segments. Therefore each adds the sum of the 1, 2, 4, ... values before it, within
    its segment.
    """
    sums = np.cumsum(values)
    if len(starts) == 1:
        return np.asarray(sums)
    sizes = np.diff(starts, append=len(values))
    is_whole = values.dtype.kind == "i"
    if is_whole or (sums[-1] < 2**53 and np.array_equal(values, np.rint(values))):
        sums -= np.repeat(sums[starts] - values[starts], sizes)
        return sums
    positions = np.arange(len(values)) - np.repeat(starts, sizes)
    sums, rows, step = values.copy(), np.flatnonzero(positions >= 1), 1
    while len(rows):
        sums[rows] += sums[rows - step]
        step *= 2
        rows = rows[positions[rows] >= step]
    return sums


def ranking(scores: Array) -> tuple[IntArray, BoolArray]:
    """Return the samples, best first, and where groups of equal scores begin.

    Equal scores stay in the given order, because sums of their weights must not depend
    on how a processor sorts. An index is sorted only for samples that rounding made
    equal.
    """
    order, begins = _sort_rounded(scores)
    is_unsure = ~begins
    is_unsure[:-1] |= is_unsure[1:]
    n_unsure = np.count_nonzero(is_unsure)
    if n_unsure:
        # If most rows are unsure, all are sorted, which saves selecting rows.
        are_most = 4 * n_unsure > len(order)
        rows: Any = slice(None) if are_most else np.flatnonzero(is_unsure)
        samples = order[rows]
        ranked = scores.take(samples)
        if (ranked[1:] > ranked[:-1]).any():
            index = np.argsort(ranked)[::-1]
            ranked = ranked[index]
            is_first = begins_group(ranked)
            if not is_first.all():
                first = len(index) * np.cumsum(is_first)
                index = np.sort(first + index) - first
            order[rows] = samples[index]
        begins[rows] = begins_group(ranked)
    return order, begins


def _sort_rounded(scores: Array) -> tuple[IntArray, BoolArray]:
    """Return the samples by rounded scores, best first, and where groups begin.

    Keys have the rounded score in the high bits and the sample's position in the low
    bits, because sorting values takes a fraction of the time of sorting an index. If
    scores cannot be rounded to such integers, all samples form one group.
    """
    n, high = len(scores), np.float64(scores.max())
    n_bits = (n - 1).bit_length()
    with np.errstate(all="ignore"):
        scale = 2.0 ** (62 - n_bits) / (high - np.float64(scores.min()))
    if scores.dtype.itemsize > 8 or not 0 < scale < np.inf:
        return np.arange(n, dtype=np.intp), np.zeros(n, dtype=bool)
    keys = np.arange(_LEAST, _LEAST + n, dtype=np.int64)
    for first in range(0, n, CACHED):
        chunk = slice(first, first + CACHED)
        below = scale * np.subtract(high, scores[chunk], dtype=np.float64)
        keys[chunk] += below.astype(np.int64) << n_bits
    # These are the bits of positive floats, which many processors sort faster.
    keys.view(np.float64).sort()
    begins = begins_group(keys >> n_bits)
    keys &= (1 << n_bits) - 1
    return keys, begins


def ranked_labels(scores: Array, is_pos: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Return which samples are positive, best first, and where groups of ties begin.

    The last bit of a key is the label, the other bits are the score. Sorting keys takes
    a fraction of the time of sorting an index.
    """
    # Sorting an index is faster than making keys for few scores.
    keys = _keys(scores, is_pos) if len(scores) > 2048 else None
    if keys is None:
        order = np.argsort(scores)[::-1]
        return is_pos[order], begins_group(scores[order])
    keys.sort()
    bits, labels = keys.view(f"u{keys.itemsize}"), np.empty(len(keys), dtype=bool)
    for chunk in parts(len(keys)):
        # The label bit of a negative key is inverted.
        sign = bits[chunk] >> (8 * keys.itemsize - 1)
        np.not_equal(bits[chunk] & 1, sign, out=labels[chunk])
        bits[chunk] >>= 1
    return labels, begins_group(bits)


def _keys(scores: Array, is_pos: BoolArray) -> Array | None:
    """Return floats that order samples, best first; the last bit of each is the label.

    No digit of a score is lost. Keys are floats, because many processors sort floats
    faster than integers. None if a score has no free bit.
    """
    if scores.dtype.kind != "f":
        if int(scores.max()) - int(scores.min()) >= 2**53:
            return None
        # Differences are correct even if the integers overflow.
        wide = scores.astype(np.int64)
        scores = wide - wide[np.argmin(scores)]
    elif scores.dtype.itemsize > 8:
        return None
    is_short = scores.dtype.kind == "f" and scores.dtype.itemsize <= 4
    top = max(float(scores.max()), -float(scores.min()))
    # In numbers up to 1 the bits after the sign can be shifted by one.
    scale = -(2.0 ** -math.frexp(top)[1]) if top > 1 else -1.0
    keys: Array = np.empty(len(scores), np.float32 if is_short else np.float64)
    bits: Array = keys.view(np.uint32 if is_short else np.uint64)
    for chunk in parts(len(keys)):
        try:
            with np.errstate(under="raise"):
                np.multiply(scores[chunk], scale, out=keys[chunk], dtype=keys.dtype)
        except FloatingPointError:
            return None
        # Adding zero turns -0.0 into 0.0, because they tie.
        keys[chunk] += 0.0
        moved = bits[chunk]
        sign = moved & (1 << (8 * keys.itemsize - 1))
        moved <<= 1
        moved |= sign
        # A set last bit makes a negative number smaller: invert it.
        moved |= is_pos[chunk] ^ (sign > 0)
    return keys
