"""The table under every metric per list: groups of tied scores, list after list."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from scipy.special import exp2

from skrate.data.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    parts,
)
from skrate.data.checks import (
    Seen,
    as_array,
    as_float64,
    check_equal_length,
    check_finite,
    check_index,
    check_no_missing,
    check_number,
    check_scores,
    check_vector,
    class_masks,
    joined,
    shown,
    update_labels,
)
from skrate.data.compressed import iterate_columns, naming_batch
from skrate.data.estimated import EstimatedLabels
from skrate.data.folds import FoldRankings
from skrate.data.ranking import (
    Grouping,
    Sample,
    begins_group,
    check_groups,
    check_ranking,
    dense_ranks,
    n_distinct,
    segment_cumsum,
)
from skrate.data.table import RankTable, build_table

# The number of bits of sort keys.
_KEY_BITS = 64
_NO_LISTS = (
    "y_true is a {0}, which has no lists: pass labels, scores and groups of the "
    "samples. Metrics of a single ranking accept a {0}; metrics of the ranks within "
    "lists do not."
)
# y_true, y_score, groups and, in every batch or in none, sample_weight.
ListBatches = Iterable[
    tuple[ArrayLike, ArrayLike, ArrayLike]
    | tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]
]
GainName = Literal["linear", "exponential"]
GAINS: tuple[GainName, ...] = get_args(GainName)
# The gain of a grade: the name of a formula, or a number for each grade.
GradeGain: TypeAlias = GainName | Mapping[Any, float]
# Numbers of relevant items: by label of the list, in label order, or of one list.
RelevantCounts: TypeAlias = Mapping[Any, int] | ArrayLike | int


@dataclass(eq=False)
class ListTable:
    """Weights of positives and negatives per list and group of tied scores.

    The counterpart of :class:`RankTable` for many lists. A row is a group of tied
    scores within a list, best score first, and the lists follow one another. ``labels``
    increase; ``lists`` are the positions of the labels that have rows, and ``starts``
    the first row of each. Without given weights, weights have an integer dtype.
    """

    labels: Array
    lists: IntArray
    starts: IntArray
    # Number of samples with weight per list.
    n_samples: IntArray
    pos: Array
    neg: Array
    # The total gain of each row, if gains are given per sample or by grade.
    gain: FloatArray | None = None
    # For grades, the gains above 0, list by list, the maximum of each list first.
    best: FloatArray | None = None
    # The rows of items with the score -inf, each the last of its list.
    unreturned: IntArray | None = None

    @property
    def is_counted(self) -> bool:
        """Whether weights are numbers of samples."""
        return bool(self.pos.dtype.kind == "i")

    @cached_property
    def has_ties(self) -> bool:
        """Whether a row has several samples."""
        return len(self.pos) < int(self.n_samples.sum())

    @cached_property
    def relevant(self) -> IntArray:
        """The rows with positives that were returned."""
        return np.flatnonzero(self.returned_pos > 0)

    @cached_property
    def returned_pos(self) -> Array:
        """Weight of the positives of each row, 0 if they were not returned."""
        if self.unreturned is None:
            return self.pos
        returned = self.pos.copy()
        returned[self.unreturned] = 0
        return returned

    @cached_property
    def relevant_edges(self) -> IntArray:
        """The start of each list among the relevant rows, and the end of the last."""
        return np.searchsorted(self.relevant, self.edges)

    @cached_property
    def n_pos(self) -> FloatArray:
        """Weight of the positives per list."""
        if self.is_counted and not self.has_ties and self.unreturned is None:
            return np.diff(self.relevant_edges).astype(np.float64)
        return self.sum(self.pos)

    @cached_property
    def n_neg(self) -> FloatArray:
        """Weight of the negatives per list."""
        return self.n_samples - self.n_pos if self.is_counted else self.sum(self.neg)

    @cached_property
    def cum_pos(self) -> FloatArray:
        """Weight of the positives of the list in and above each row."""
        return segment_cumsum(self.pos, self.starts)

    @cached_property
    def ends(self) -> Array:
        """Weight of the list in and above each row."""
        return segment_cumsum(self.pos + self.neg, self.starts)

    @cached_property
    def begins(self) -> Array:
        """Weight of the list above each row: exactly the end of the row before."""
        # Not the ends minus the weights: rounding would leave gaps between rows.
        begins = np.roll(self.ends, 1)
        begins[self.starts] = 0
        return begins

    @property
    def edges(self) -> IntArray:
        """The first row of each list, and the end of the last list."""
        return np.append(self.starts, len(self.pos))

    @cached_property
    def sizes(self) -> FloatArray:
        """Weight per list: the end of its last row."""
        if self.is_counted:
            return self.n_samples.astype(np.float64)
        return self.ends[self.edges[1:] - 1].astype(np.float64)

    def sum(self, values: Array) -> FloatArray:
        """Return the sum of row ``values`` over each list."""
        # All lists have a row: for an empty list reduceat would return the next row.
        return np.asarray(np.add.reduceat(values, self.starts), dtype=np.float64)

    def rectangles(self) -> Iterator[tuple[IntArray, Array, Array]]:
        """Yield lists of similar length, and the positives and negatives of their rows.

        These are of shape (n_lists, longest); shorter lists end in empty groups.
        """
        # Sums of weights of one byte would overflow.
        kind = np.int64 if self.pos.dtype.kind == "i" else np.float64
        n_rows = np.diff(self.edges)
        order = np.argsort(n_rows, kind="stable")
        # The size of a rectangle that stays in the cache.
        first, most_cells = 0, 2**16
        while first < len(order):
            longest = 1.5 * n_rows[order[first]]
            last = int(np.searchsorted(n_rows, longest, side="right", sorter=order))
            last = min(last, first + max(int(most_cells / longest), 1))
            lists = order[first:last]
            position = np.arange(n_rows[lists[-1]])
            rows = self.starts[lists][:, None] + position
            is_there = position < n_rows[lists][:, None]
            pos, neg = (
                np.where(is_there, column.take(rows, mode="clip"), 0).astype(kind)
                for column in (self.pos, self.neg)
            )
            yield lists, pos, neg
            first = last

    def spread(self, values: Array) -> Array:
        """Return the value of its list for each row."""
        return np.asarray(np.repeat(values, np.diff(self.edges)))


class ListValues(NamedTuple):
    """A metric of each list, and the terms of an average over lists.

    If a cut at k falls among tied items, all fields are expectations over the random
    choice of the tied items above the cut. If the metric is a ratio, such as precision
    (relevant items seen / items seen), it is ``part / whole``, and both may be summed
    over lists; otherwise they are nan.
    """

    values: FloatArray  # The metric, given that it is defined; nan if it cannot be.
    defined: FloatArray  # The probability that it is defined.
    part: FloatArray  # For the AUC, the pairs of both classes in order, ties one half.
    whole: FloatArray  # For the AUC, all pairs of both classes.
    n_pos: FloatArray  # The weight of the positives and of the negatives that count.
    n_neg: FloatArray

    @classmethod
    def of(
        cls,
        values: FloatArray,
        lists: ListTable,
        part: FloatArray | None = None,
        whole: FloatArray | None = None,
    ) -> ListValues:
        """Return the values of lists without a cut, each defined or nan."""
        defined = (~np.isnan(values)).astype(np.float64)
        if part is None or whole is None:
            part = whole = np.full(len(values), np.nan)
        return cls(values, defined, part, whole, lists.n_pos, lists.n_neg)


def list_table(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    relevance_threshold: float | None = None,
    pos_label: Label = None,
    *,
    keep_scale: bool = False,
    gain: FloatArray | None = None,
    grade_gain: GradeGain | None = None,
    entities: ArrayLike | None = None,
    n_relevant: RelevantCounts | None = None,
    takes_unreturned: bool = False,
) -> ListTable:
    """Return the table of checked samples; without ``groups`` they are one list.

    It has the ``gain`` of its rows, if gains are given per sample, or per grade for
    labels without weights. Each of the ``entities`` counts once in a list. Items with
    the score -inf were not returned. If a list has fewer relevant items than its
    ``n_relevant``, the missing items were not returned either.
    """
    if isinstance(y_true, RankTable | FoldRankings):
        raise ValueError(_NO_LISTS.format(type(y_true).__name__))
    if entities is not None and (sample_weight is not None or gain is not None):
        raise ValueError(
            "entities excludes sample_weight and a gain per sample: leave one "
            "out. An entity counts once per list, but weights and gains are of rows."
        )
    rows = {"y_score": y_score, "groups": groups, "sample_weight": sample_weight}
    check_index(y_true, **rows, entities=entities)
    grades = None
    if grade_gain is None:
        y_true = _relevance(y_true, relevance_threshold, pos_label)
    else:
        grades = check_grades(y_true, grade_gain, relevance_threshold, pos_label)
        y_true = grades.are_relevant
    sample = check_ranking(
        *(y_true, y_score, sample_weight, pos_label),
        keep_scale=keep_scale,
        takes_unreturned=takes_unreturned,
    )
    assert sample.scores is not None
    if groups is None:
        are_returned = n_relevant is None and not (sample.scores == -np.inf).any()
        if grades is None and gain is None and entities is None and are_returned:
            return _single_list(sample)
        groups = np.zeros(sample.n_input, dtype=np.intp)
    lists = check_groups("groups", groups)
    list_items = _make_items(sample, lists, gain, grades)
    if entities is not None:
        grouped = check_groups("entities", entities)
        sample.select("entities", grouped.codes)
        list_items = _merge_entities(list_items, grouped)
    if n_relevant is not None:
        lists, list_items = _add_missing_items(lists, list_items, n_relevant)
    return _build_item_table(lists, list_items)


def _make_items(
    sample: Sample, lists: Grouping, gain: FloatArray | None, grades: Grades | None
) -> _Items:
    """Return the items of lists with their gains."""
    if len(lists.codes) != sample.n_input:
        # With their labels, because the error recognises sizes of lists.
        sample.select("groups", lists.labels.take(lists.codes))
    if gain is not None:
        gain = sample.select("gain", gain)
        if sample.weights is not None:
            gain = gain * sample.weights
    assert sample.scores is not None
    return _Items(
        codes=sample.select("groups", lists.codes),
        n_lists=len(lists.labels),
        levels=sample.is_pos.view(np.uint8) if grades is None else grades.levels,
        gains=np.array([0.0, 1.0]) if grades is None else grades.gains,
        is_graded=grades is not None,
        scores=sample.scores,
        weights=sample.weights,
        gain=gain,
    )


def _single_list(sample: Sample) -> ListTable:
    """Return the list table of a single ranking."""
    table = build_table(sample)
    pos: Array
    neg: Array
    if table.labels is not None:
        pos, neg = table.labels.view(np.int8), (~table.labels).view(np.int8)
    else:
        kind = np.intp if sample.weights is None else np.float64
        pos, neg = (w.astype(kind, copy=False) for w in (table.pos, table.neg))
    lists = np.zeros(1, dtype=np.intp)
    return ListTable(lists, lists, lists, np.array([len(sample.is_pos)]), pos, neg)


class Grades(NamedTuple):
    """Gains of samples: ``gains`` are distinct and increase, ``levels`` index them."""

    levels: Array
    gains: FloatArray

    @property
    def are_relevant(self) -> BoolArray:
        """Which samples have a gain above 0."""
        return (self.gains > 0)[self.levels]


def has_grades(y_true: Any) -> bool:
    """Return whether labels are grades: numbers with more than two distinct values.

    More than 10 distinct values are taken for scores, unless all are integers or
    multiples of a quarter, such as half stars.
    """
    if isinstance(y_true, RankTable | FoldRankings | EstimatedLabels):
        return False
    labels = check_vector("y_true", y_true)
    if labels.dtype.kind not in "iuf" or len(class_masks(labels, 2)) <= 2:
        return False
    return labels.dtype.kind != "f" or bool(
        (4 * labels % 1 == 0).all() or len(np.unique(labels)) <= 10
    )


def check_grade_gain(gain: Any) -> GradeGain | None:
    """Return the checked gain of grades: a name, or a number for each grade."""
    if gain is None or (isinstance(gain, str) and gain in GAINS):
        return gain
    if not isinstance(gain, Mapping) or not gain:
        raise ValueError(
            "gain must be 'linear', 'exponential' or a dict with the gain of each "
            f"grade, got {shown(gain)}."
        )
    gains = {key: check_number(f"gain[{key!r}]", raw) for key, raw in gain.items()}
    for key, number in gains.items():
        if number < 0:
            raise ValueError(f"gain[{key!r}] must not be negative, got {number:g}.")
    return gains


def check_grades(
    y_true: ArrayLike,
    gain: GradeGain,
    relevance_threshold: float | None = None,
    pos_label: Label = None,
) -> Grades:
    """Return the gains of samples by their grades."""
    excluded = {"relevance_threshold": relevance_threshold, "pos_label": pos_label}
    for name, passed in excluded.items():
        if passed is not None:
            raise ValueError(
                f"gain={shown(gain)} counts each grade by its gain: leave out "
                f"{name}={shown(passed)}."
            )
    if not isinstance(gain, Mapping):
        y_true = check_scores("y_true", y_true)
    levels, labels, _ = check_groups("y_true", y_true)
    with np.errstate(over="ignore"):
        gains, same = np.unique(_gains(labels, gain), return_inverse=True)
        most = len(levels) * gains[-1]
    if not np.isfinite(most):
        raise ValueError(
            f"y_true holds {shown(labels[-1].item())}, and with gain={shown(gain)} "
            f"{len(levels)} such grades may gain more than {np.finfo(float).max:.3g}: "
            "give smaller grades, or a dict with the gain of each."
        )
    return Grades(same[levels], gains)


def _gains(grades: Array, gain: GradeGain) -> FloatArray:
    """Return the gains of distinct grades."""
    if isinstance(gain, Mapping):
        distinct = grades.tolist()
        unknown = [grade for grade in distinct if grade not in gain]
        if unknown:
            raise ValueError(
                f"gain has no entry for the grade {shown(unknown[0])} of y_true: it "
                f"has {shown(list(gain))}."
            )
        return np.array([gain[grade] for grade in distinct])
    if grades[0] < 0:
        raise ValueError(
            f"y_true must hold grades of at least 0 for gain={gain!r}, got "
            f"{grades[0]:g}: give a dict with the gain of each grade."
        )
    numbers = grades.astype(np.float64)
    if gain == "linear":
        return numbers
    # exp2 is exact for integers; for tiny fractions exp2(x) - 1 would round to 0.
    gains = np.expm1(numbers * np.log(2))
    return np.asarray(np.where(numbers % 1 == 0, exp2(numbers) - 1, gains))


def top_row_fractions(lists: ListTable, n_seen: FloatArray) -> FloatArray:
    """Return the fraction of each row that is in the first ``n_seen`` of its list."""
    cut = lists.spread(n_seen)
    fraction = cut - lists.begins
    fraction /= lists.pos + lists.neg
    fraction.clip(0, 1, out=fraction)
    # Rows that end at the cut are seen completely, also if their weights were rounded.
    fraction[lists.ends <= cut] = 1.0
    return fraction


class _Items(NamedTuple):
    """Items of lists; ``levels`` index the gains, which are 0 and 1 of labels."""

    codes: IntArray
    n_lists: int
    levels: Array
    scores: Array
    weights: FloatArray | None
    gain: FloatArray | None
    gains: FloatArray
    is_graded: bool

    @property
    def n_level_bits(self) -> int:
        """The number of bits of a level."""
        return max(len(self.gains) - 1, 1).bit_length()


def _merge_entities(items: _Items, entities: Grouping) -> _Items:
    """Return one item for each entity of a list.

    It has the maximum level and the maximum score of its samples. Therefore it is
    positive if any of its samples is positive.
    """
    keys = items.codes * len(entities.sizes) + entities.codes
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(begins_group(keys[order]))
    levels, scores = (
        np.maximum.reduceat(column[order], starts)
        for column in (items.levels, items.scores)
    )
    return items._replace(
        codes=items.codes[order[starts]], levels=levels, scores=scores
    )


def _add_missing_items(
    lists: Grouping, items: _Items, n_relevant: RelevantCounts
) -> tuple[Grouping, _Items]:
    """Return lists and items, with relevant items that have no row added.

    Their score is -inf. Lists without rows may be added.
    """
    if items.weights is not None or items.gain is not None:
        raise ValueError(
            "n_relevant excludes sample_weight and gains per sample: leave it out, or "
            "add rows with the score -inf. It is a number of items, without weights."
        )
    lists, codes, counts = _check_relevant(lists, items.codes, n_relevant)
    is_relevant = items.gains > 0
    missing = counts - np.bincount(
        codes[is_relevant[items.levels]], minlength=len(counts)
    )
    worst = int(np.argmin(missing))
    if missing[worst] < 0:
        n_rows = counts[worst] - missing[worst]
        raise ValueError(
            f"n_relevant has {counts[worst]} for the list "
            f"{shown(lists.labels[worst])}, which has {n_rows} relevant rows: count "
            "all relevant items of each list."
        )
    if np.count_nonzero(is_relevant) != 1 and missing.any():
        raise ValueError(
            "n_relevant does not say which grades the missing items have: add a row "
            "for each, with its grade and the score -inf."
        )
    n_missing, scores = int(missing.sum()), items.scores
    if scores.dtype.kind != "f":
        scores = dense_ranks(scores)[0].astype(np.float64)
    last = len(items.gains) - 1
    completed = items._replace(
        codes=np.append(codes, np.repeat(np.arange(len(counts)), missing)),
        n_lists=len(counts),
        levels=np.append(items.levels, np.full(n_missing, last, items.levels.dtype)),
        scores=np.append(scores, np.full(n_missing, -np.inf, scores.dtype)),
    )
    return lists, completed


def _check_relevant(
    lists: Grouping, codes: IntArray, n_relevant: RelevantCounts
) -> tuple[Grouping, IntArray, IntArray]:
    """Return all lists, the list of each item, and the relevant count of each list."""
    if isinstance(n_relevant, numbers.Integral) and len(lists.labels) == 1:
        n_relevant = [n_relevant]
    relevant: Any = n_relevant
    if hasattr(relevant, "to_dict"):
        relevant = relevant.to_dict()
    if isinstance(relevant, Mapping):
        labels = lists.labels
        if extra := set(relevant) - set(labels.tolist()):
            labels = joined("n_relevant", labels, as_array("n_relevant", [*extra]))
            lists = check_groups("n_relevant", labels)
            codes = lists.codes[codes]
        missing = [label for label in lists.labels.tolist() if label not in relevant]
        if missing:
            raise ValueError(
                f"n_relevant has no entry for the list {shown(missing[0])} of groups."
            )
        relevant = [relevant[label] for label in lists.labels.tolist()]
    counts = as_float64("n_relevant", as_array("n_relevant", relevant))
    is_count = (counts >= 0) & (counts % 1 == 0) & (counts < np.inf)
    if counts.shape != lists.labels.shape or not is_count.all():
        raise ValueError(
            "n_relevant must be a dict with the number of relevant items of each list, "
            "or an array of whole numbers in the order of numpy.unique(groups): there "
            f"are {len(lists.labels)} lists, got {shown(n_relevant)}."
        )
    return lists, codes, counts.astype(np.intp)


def _relevance(
    y_true: ArrayLike, relevance_threshold: float | None, pos_label: Label
) -> ArrayLike:
    """Return whether grades reach the threshold; without one return ``y_true``."""
    if relevance_threshold is None:
        return y_true
    threshold = check_number("relevance_threshold", relevance_threshold)
    if pos_label is not None:
        raise ValueError(
            f"relevance_threshold={threshold:g} turns grades into labels: leave out "
            f"pos_label={pos_label!r}."
        )
    grades = check_vector("y_true", y_true)
    if grades.dtype.kind not in "fiub":
        raise ValueError(
            "y_true must hold numeric grades for relevance_threshold, got dtype "
            f"{grades.dtype}."
        )
    check_finite("y_true", grades)
    return grades >= threshold


def _build_item_table(lists: Grouping, items: _Items) -> ListTable:
    """Return the table of items, sorted by list and by decreasing score within it."""
    is_unreturned = items.scores == -np.inf
    order, levels, begins = _ordered(items)
    sizes = lists.sizes
    # Samples of weight 0 were removed, entities merged, or missing items added.
    if items.codes is not lists.codes:
        sizes = np.bincount(items.codes, minlength=items.n_lists)
    n_samples = sizes[sizes > 0]
    starts = np.cumsum(n_samples) - n_samples
    gain = None if items.gain is None else items.gain[order]
    if items.is_graded:
        gain = items.gains[levels]
        levels = gain > 0
    pos = levels.astype(np.int8)
    columns: list[Array] = [pos, 1 - pos]
    if items.weights is not None:
        columns = [items.weights[order] * column for column in columns]
    if gain is not None:
        columns.append(gain)
    if not begins.all():
        rows = np.flatnonzero(begins)
        starts = np.searchsorted(rows, starts)
        columns = [np.add.reduceat(column, rows) for column in columns]
    table = ListTable(lists.labels, np.flatnonzero(sizes), starts, n_samples, *columns)
    if items.is_graded:
        last = len(items.gains) - 1
        rows = np.flatnonzero((items.gains > 0)[items.levels])
        keys = items.codes[rows] * len(items.gains) + (last - items.levels[rows])
        keys.sort()
        table.best = items.gains[last - keys % len(items.gains)]
    if is_unreturned.any():
        codes = np.unique(items.codes[is_unreturned])
        have_unreturned = np.searchsorted(table.lists, codes)
        table.unreturned = table.edges[1:][have_unreturned] - 1
    return table


def _ordered(items: _Items) -> tuple[IntArray | None, Array, BoolArray]:
    """Return the order of items if it is needed, their levels, and where ties begin.

    Sort keys are integers: the list in the highest bits, then the score as an integer,
    then the level. Sorting them is many times faster than sorting an index by several
    columns. The list and the level take the bits that they need, the score all other
    bits, which is exact for most scores, for example in single precision.
    """
    n_free = _KEY_BITS - items.n_level_bits - (items.n_lists - 1).bit_length()
    score_keys, n_bits, is_exact = _places(items.scores, n_free)
    ordered = _sorted(items, score_keys, n_bits, n_free)
    if is_exact or ordered[2].all():
        return ordered
    # Unequal scores may have equal keys. Ranks of the distinct scores cannot.
    score_keys, *_ = _places(items.scores, n_free)
    if n_distinct(score_keys) == n_distinct(items.scores):
        return ordered
    return _sorted(items, *_ranked_places(items.scores), n_free)


def _sorted(
    items: _Items, score_keys: Array, n_bits: int, n_free: int
) -> tuple[IntArray | None, Array, BoolArray]:
    """Return the order by ``score_keys`` (overwritten), the levels, and the ties."""
    levels, codes = items.levels, items.codes.view(np.uint64)
    if n_bits > n_free:
        # Levels do not fit, for example with millions of distinct gains. Two classes
        # fit up to 2**31 samples, which bounds the numbers of lists and of ranks.
        keys = score_keys | codes << np.uint64(n_bits)
        last = np.lexsort((levels, keys))
        return last, levels[last], begins_group(keys[last])
    n_low = np.uint64(items.n_level_bits)
    n_below, keys = np.uint64(n_bits) + n_low, score_keys
    for chunk in parts(len(keys)):
        # A chunk stays in the cache.
        keys[chunk] <<= n_low
        keys[chunk] |= levels[chunk].view(f"u{levels.itemsize}")
        if items.n_lists > 1:
            keys[chunk] |= codes[chunk] << n_below
    order: IntArray | None = None
    if items.weights is None and items.gain is None:
        keys.sort()
    else:
        order = np.argsort(keys)
        keys = keys[order]
    levels = np.empty_like(levels)
    for chunk in parts(len(keys)):
        levels[chunk] = keys[chunk] & np.uint64(2**items.n_level_bits - 1)
        # Drop the level, because items of all levels can tie.
        keys[chunk] >>= n_low
    return order, levels, begins_group(keys)


def _ranked_places(scores: Array) -> tuple[Array, int]:
    """Return the ranks among distinct scores, the best 0, and their number of bits."""
    ranks, distinct = dense_ranks(scores)
    last = len(distinct) - 1
    return (last - ranks).view(np.uint64), last.bit_length()


def _places(scores: Array, n_free: int) -> tuple[Array, int, bool]:
    """Return integers that increase as scores decrease, and their number of bits.

    The integers are unsigned, of at most ``n_free`` bits. The last value is False if
    bits that are set were dropped: unequal scores may then have the same integer.
    """
    if scores.dtype.itemsize > 8:
        # numpy has no integers of this size.
        return *_ranked_places(scores), True
    if scores.dtype.kind == "f":
        # Floats that are read as integers keep their order, except that negative
        # floats are reversed. Negative zero becomes zero.
        ordered = np.empty(len(scores), dtype=np.int64)
        for chunk in parts(len(scores)):
            bits = scores[chunk].astype(np.float64, copy=False).view(np.int64)
            sign = bits >> 63
            # If the first bit is set, the negative of the integer of all other bits.
            ordered[chunk] = ((bits & np.iinfo(np.int64).max) ^ sign) - sign
    else:
        ordered = scores.astype(np.uint64 if scores.dtype.kind == "u" else np.int64)
    # Differences may overflow, but are correct when they are read as unsigned.
    highest, used, keys = ordered.max(), 0, ordered.view(np.uint64)
    for chunk in parts(len(scores)):
        np.subtract(highest, ordered[chunk], out=ordered[chunk])
        used |= int(np.bitwise_or.reduce(keys[chunk]))
    # Low bits that no key has set can be dropped without loss, for example of integers.
    n_unused = (used & -used).bit_length() - 1 if used else 0
    n_drop = max(n_unused, used.bit_length() - n_free)
    keys >>= np.uint64(n_drop)
    return keys, max(used.bit_length() - n_drop, 0), n_drop <= n_unused


def whole_lists(
    batches: ListBatches, pos_label: Label, *, is_graded: bool
) -> Iterator[tuple[int, list[Any]]]:
    """Yield rows of whole lists, with the number of the batch that completed them.

    The list of a batch's last row comes later, because it may go on in the next batch.
    """
    names = ("y_true", "y_score", "groups", "sample_weight")
    seen: Seen = {}
    pending: list[Array] | None = None
    number = 0
    for number, columns in iterate_columns(batches, *names[:3]):
        with naming_batch(number):
            rows = [
                check_vector(name, column)
                for name, column in zip(names, columns, strict=True)
                if column is not None
            ]
            check_equal_length(**dict(zip(names, rows, strict=False)))
            check_no_missing("groups", rows[2])
            if not is_graded:
                seen = update_labels(seen, f"batch {number}", rows[0], pos_label)
            if pending is not None:
                for i, before in enumerate(pending):
                    if _kind(before) != _kind(rows[i]):
                        raise ValueError(
                            f"{names[i]} has dtype {rows[i].dtype} after a batch of "
                            f"{before.dtype}: use one type in all batches."
                        )
                    rows[i] = joined(names[i], before, rows[i])
        is_last = np.asarray(rows[2] == rows[2][-1])
        pending = [column[is_last] for column in rows]
        if not is_last.all():
            yield number, [*(column[~is_last] for column in rows), None][:4]
    assert pending is not None
    yield number, [*pending, None][:4]


def _kind(column: Array) -> str:
    kind = column.dtype.kind
    return "number" if kind in "biuf" else "object" if kind in "UO" else kind
