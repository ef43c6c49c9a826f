"""Rank tables of Dask collections: a table per chunk, added in a tree or in ranges."""

from __future__ import annotations

import itertools
import math
import uuid
from collections.abc import Sequence
from functools import cached_property, partial
from operator import getitem
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from skrate.data.arrays import Array, FloatArray, Label
from skrate.data.checks import (
    Seen,
    check_count,
    check_flag,
    check_seen,
    seen_in_all,
    warn_undefined,
)
from skrate.data.table import RankTable
from skrate.engines.pieces import (
    Piece,
    piece_of,
    sum_of_pieces,
    sum_of_tables,
    whole_table,
)
from skrate.metrics.base import (
    Metric,
    MetricLike,
    SumOverGroups,
    is_defined,
    metric_of_table,
    why_undefined,
)

# Tables that a node of the tree adds.
_SPLIT_EVERY = 8
# Ranges of scores: each is to fit a worker, and all take n_chunks times as many tasks.
_MOST_RANGES = 128
_ARRAY, _COLUMN = "Dask array", "column of a Dask dataframe"
# Scores that a chunk is represented by where the ranges are chosen.
_SAMPLED = 512


@overload
def rank_table(
    y_true: Any,
    y_score: Any,
    sample_weight: Any = None,
    *,
    pos_label: Label = None,
    max_groups: int = 2**20,
    exact: Literal[False] = False,
    compute: Literal[True] = True,
) -> RankTable: ...
@overload
def rank_table(
    y_true: Any,
    y_score: Any,
    sample_weight: Any = None,
    *,
    pos_label: Label = None,
    max_groups: int = 2**20,
    exact: Literal[True],
    compute: Literal[True] = True,
) -> RankPartitions: ...
@overload
def rank_table(
    y_true: Any,
    y_score: Any,
    sample_weight: Any = None,
    *,
    pos_label: Label = None,
    max_groups: int = 2**20,
    exact: bool = False,
    compute: bool = True,
) -> Any: ...
def rank_table(
    y_true: Any,
    y_score: Any,
    sample_weight: Any = None,
    *,
    pos_label: Label = None,
    max_groups: int = 2**20,
    exact: bool = False,
    compute: bool = True,
) -> Any:
    """Build the rank table of Dask arrays, or of columns of Dask dataframes.

    Each chunk becomes a table where it lies, tables are added in a tree, and what
    arrives is a small table of all cases, which the metrics of this package take. It
    runs on whatever scheduler is active: threads, or the workers of a
    ``distributed.Client``. A worker that dies changes nothing: what it held is computed
    again, and the result is the same to the last bit.

    Parameters
    ----------
    y_true : dask array or column of shape (n_samples,)
        Labels of two classes, over all chunks; one chunk may hold one class only.
    y_score : dask array or column of shape (n_samples,)
        Scores, higher for the positive class.
    sample_weight : dask array or column of shape (n_samples,), default=None
        Weights of the cases, not negative; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans. It is
        decided once for all chunks.
    max_groups : int, default=2**20
        Number of groups above which a table is compressed; not with ``exact``.
    exact : bool, default=False
        Whether to keep every score instead. Scores are then shuffled into ranges that
        do not overlap, which stay with Dask; ``max_groups`` has no effect.
    compute : bool, default=True
        Whether to compute the table now. False returns it as a ``dask.delayed`` object,
        so that those of many models can be computed together; not with ``exact``.

    Returns
    -------
    table : RankTable or RankPartitions
        The table, in the memory of the caller; with ``exact=True`` an object that
        scores metrics without ever having all groups in one place.

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError
        If an argument is no Dask array or column, or they are cut into chunks of
        different or unknown sizes that cannot be aligned; if labels, scores or weights
        cannot be ranked, naming the chunk; if labels of different chunks are not those
        of two classes; or if there is no case at all.

    See Also
    --------
    skrate.RankTable.from_arrays : The same of arrays in memory.
    sklearn.metrics.roc_auc_score : One of the metrics, of arrays in memory.

    Notes
    -----
    Arrays of known chunk sizes are cut as ``y_score`` is. Where sizes are unknown, as
    after a filter, numbers of chunks must agree, and the sizes of those that belong
    together, which is checked on the way. Empty chunks are fine. Rows belong together
    by their place in the chunk, as everywhere: the index of a dataframe has no say.

    Cost: one sort per chunk, wherever it lies. With ``exact`` the scores of a chunk
    are sampled, about a ``1 / n`` of all scores falls between two quantiles of the
    samples, where n is the number of chunks and at most 128, and each chunk sends what
    falls there: ``n_chunks * n`` small tasks. Everything is held by the scheduler, in
    about 24 bytes per distinct score; workers of a cluster spill what they cannot hold.

    Examples
    --------
    >>> import dask.array as da
    >>> from skrate import estimate
    >>> from skrate.dask import rank_table
    >>> y_true = da.from_array([1, 0, 1, 0, 0, 0], chunks=3)
    >>> y_score = da.from_array(
    ...     [0.9, 0.5, 0.5, 0.2, 0.1, 0.4], chunks=3
    ... )
    >>> table = rank_table(y_true, y_score)
    >>> table
    RankTable(5 groups, n_pos=2, n_neg=4)
    >>> estimate("roc_auc", table).value
    0.9375

    All groups in ranges, for when they are too many for one machine:

    >>> ranges = rank_table(y_true, y_score, exact=True)
    >>> ranges
    RankPartitions(5 groups in 2 ranges, n_pos=2, n_neg=4)
    >>> ranges.score("roc_auc")
    0.9375
    """
    max_groups = check_count("max_groups", max_groups)
    exact, compute = check_flag("exact", exact), check_flag("compute", compute)
    if exact and not compute:
        raise ValueError("compute=False and exact=True exclude each other.")
    pieces = _pieces(y_true, y_score, sample_weight, pos_label)
    if exact:
        return _partitioned(pieces, pos_label, is_weighted=sample_weight is not None)
    delayed = _dask().delayed
    while len(pieces) > 1:
        nodes = [
            pieces[first : first + _SPLIT_EVERY]
            for first in range(0, len(pieces), _SPLIT_EVERY)
        ]
        pieces = [delayed(sum_of_pieces)(node, max_groups) for node in nodes]
    # A single chunk is compressed as well.
    pieces = [delayed(sum_of_pieces)(pieces, max_groups)]
    table = delayed(whole_table)(pieces[0], pos_label)
    return table.compute() if compute else table


class RankPartitions:
    """All groups of tied scores, in ranges of scores that stay with Dask.

    What :func:`rank_table` returns with ``exact=True``. Metrics that are sums over
    groups are summed within each range, where it lies; no group is merged, and the
    ranges never come together in one place.

    Attributes
    ----------
    n_partitions : int
        Number of ranges that hold a case.
    n_groups : int
        Number of distinct scores.
    n_cases : int
        Number of cases that have weight.
    n_pos, n_neg : float
        Weight of the positives and of the negatives.

    See Also
    --------
    skrate.RankTable : The groups in one place.
    sklearn.metrics.roc_auc_score : One of the metrics, of arrays in memory.

    Notes
    -----
    Scoring costs one pass over the groups of each range and sends one number back. The
    value is that of the whole table, to about 1e-15 times the number of ranges.

    Examples
    --------
    >>> import dask.array as da
    >>> from skrate import average_precision_score
    >>> from skrate.dask import rank_table
    >>> y_true = da.from_array([1, 0, 1, 0], chunks=2)
    >>> y_score = da.from_array([0.9, 0.8, 0.7, 0.1], chunks=2)
    >>> ranges = rank_table(y_true, y_score, exact=True)
    >>> round(ranges.score(average_precision_score), 4)
    0.8333
    >>> ranges.table().n_groups
    4
    """

    __skrate_hint__ = ", which has .score(metric) and .table() instead"

    # Made by `rank_table` only.
    _parts: list[Any]
    _sizes: list[Totals]
    _is_weighted: bool
    n_cases: int

    @property
    def n_partitions(self) -> int:
        """Number of ranges that hold a case."""
        return len(self._parts)

    @property
    def n_groups(self) -> int:
        """Number of distinct scores."""
        return sum(size.n_groups for size in self._sizes)

    @property
    def n_pos(self) -> float:
        """Weight of the positives."""
        return self._lumps.n_pos

    @property
    def n_neg(self) -> float:
        """Weight of the negatives."""
        return self._lumps.n_neg

    def score(self, metric: MetricLike, **metric_kwargs: Any) -> float:
        """Compute a metric of all cases, a sum over the groups of all ranges.

        Parameters
        ----------
        metric : callable or str
            A score function of this package, one of scikit-learn's with the same
            meaning, or its name, as in :func:`skrate.estimate`.
        **metric_kwargs : dict
            Its parameters, such as ``rate``.

        Returns
        -------
        score : float
            What the score function returns of the same cases; nan where undefined.

        Raises
        ------
        ValueError
            If the metric is unknown or its parameters are, or if it is no sum over
            groups: momentum and stamina, and average precision at a prevalence below
            that of the sample unless ``tail="empirical"``.

        Warns
        -----
        UndefinedMetricWarning
            Where the score function warns so.
        """
        found = metric_of_table(metric, metric_kwargs)
        lumps = self._lumps
        n_cases = lumps.total if found.facts.is_sum else self.n_cases
        found = found.of_sample(n_cases, is_weighted=self._is_weighted)
        if not (isinstance(found, SumOverGroups) and found.is_sum_over_groups(lumps)):
            raise ValueError(
                f"metric: {found.name} is not a sum over groups with these parameters: "
                "compute it of .table(), or of rank_table(..., exact=False)."
            )
        value = float("nan")
        if is_defined(found, lumps):
            value = value_of_parts(found, lumps, self._values(found))
        if value != value:
            return warn_undefined(found.name, why_undefined(found, lumps))
        return value

    def table(self) -> RankTable:
        """Compute the table of all groups, which must fit in memory here."""
        table = _dask().delayed(_joined)(self._parts).compute()
        assert isinstance(table, RankTable)
        return table

    def _values(self, metric: Metric) -> Any:
        """Return the metric with one range at a time resolved into its groups."""
        dask = _dask()
        lumps = dask.delayed(self._lumps)
        values = [
            dask.delayed(refined)(metric, lumps, i, part)
            for i, part in enumerate(self._parts)
        ]
        return np.array(dask.compute(*values))

    @cached_property
    def _lumps(self) -> RankTable:
        """The table with a group per range."""
        pos, neg = ([size[i] for size in self._sizes] for i in range(2))
        return RankTable(pos, neg)

    def __repr__(self) -> str:
        return (
            f"RankPartitions({self.n_groups} groups in {self.n_partitions} ranges, "
            f"n_pos={self.n_pos:g}, n_neg={self.n_neg:g})"
        )


def _partitioned(
    pieces: list[Any], pos_label: Label, *, is_weighted: bool
) -> RankPartitions:
    """Return the groups of all pieces in ranges of scores: a shuffle."""
    dask = _dask()
    n_ranges = min(len(pieces), _MOST_RANGES)
    plan, *parts = _shuffled(pieces, n_ranges, pos_label)
    # What both need is computed once; the scores and their chunks may then be let go.
    plan, *parts = dask.persist(plan, *parts)
    (_, n_cases), *sizes = dask.compute(plan, *map(dask.delayed(totals), parts))
    held = [i for i, size in enumerate(sizes) if size.n_groups]
    if not held:
        raise ValueError("sample_weight is zero for every case: no case is left.")
    ranges = RankPartitions()
    ranges._parts = [parts[i] for i in held]
    ranges._sizes = [sizes[i] for i in held]
    ranges._is_weighted, ranges.n_cases = is_weighted, n_cases
    return ranges


def _shuffled(pieces: list[Any], n_ranges: int, pos_label: Label) -> list[Any]:
    """Return the plan and the table of each range, all delayed, as one layer of tasks.

    Made by `dask.delayed` one by one, each would carry a graph of all before it.
    """
    from dask.delayed import Delayed
    from dask.highlevelgraph import HighLevelGraph

    name = f"skrate-ranges-{uuid.uuid4().hex}"
    ranges, plan = range(n_ranges), (name, "plan")
    outlines = [(name, "outline", i) for i in range(len(pieces))]
    tasks: dict[Any, Any] = {
        plan: (partial(_plan, n_ranges=n_ranges, pos_label=pos_label), outlines)
    }
    for i, piece in enumerate(pieces):
        tasks[outlines[i]] = (outline, piece.key)
        whole = (name, "split", i)
        tasks[whole] = (_split, piece.key, plan, n_ranges)
        tasks.update({(name, "cell", i, j): (getitem, whole, j) for j in ranges})
    for j in ranges:
        cells = [(name, "cell", i, j) for i in range(len(pieces))]
        tasks[name, "range", j] = (sum_of_tables, cells)
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=pieces)
    keys = [plan, *((name, "range", j) for j in ranges)]
    return [Delayed(key, graph, layer=name) for key in keys]


def _plan(
    outlines: Sequence[Outline], n_ranges: int, pos_label: Label
) -> tuple[Array, int]:
    """Return where ranges begin, and the number of cases; check labels on the way."""
    check_seen(seen_in_all(each.labels for each in outlines), pos_label)
    return cut_points(outlines, n_ranges), sum(each.n_cases for each in outlines)


def _split(
    piece: Piece, plan: tuple[Array, int], n_ranges: int
) -> list[RankTable | None]:
    return split(piece.table, plan[0], n_ranges)


def _joined(parts: Sequence[RankTable]) -> RankTable:
    """Return the table of ranges, best first."""
    pos = np.concatenate([part.pos for part in parts])
    neg = np.concatenate([part.neg for part in parts])
    scores: list[Any] = [part.thresholds for part in parts]
    return RankTable(pos, neg, np.concatenate(scores))


def _pieces(
    y_true: Any, y_score: Any, sample_weight: Any, pos_label: Label
) -> list[Any]:
    """Return a delayed piece per chunk, after what can be checked before."""
    given = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    if sample_weight is None:
        del given["sample_weight"]
    kinds = {name: _kind(name, value) for name, value in given.items()}
    if len(set(kinds.values())) > 1:
        found = ", ".join(f"{name} is a {kind}" for name, kind in kinds.items())
        raise ValueError(
            f"Pass all as arrays, or all as columns of dataframes: {found}. A column "
            "becomes an array by .values, or .values.compute_chunk_sizes() where "
            "chunks differ."
        )
    cells = _array_cells if kinds["y_score"] == _ARRAY else _column_cells
    piece = _dask().delayed(_piece)
    return [
        piece(i, kinds["y_score"], cell, pos_label)
        for i, cell in enumerate(cells(given))
    ]


def _piece(i: int, kind: str, cell: Sequence[Any], pos_label: Label) -> Piece:
    y_true, y_score, sample_weight = cell if len(cell) == 3 else (*cell, None)
    where = f"chunk {i}" if kind == _ARRAY else f"partition {i}"
    return piece_of(where, y_true, y_score, sample_weight, pos_label)


def _kind(name: str, value: Any) -> str:
    """Return what an argument is, after a check that it is one of both."""
    hint = ""
    if _dask().is_dask_collection(value):
        ndim = getattr(value, "ndim", None)
        if ndim == 1 and hasattr(value, "numblocks"):
            return _ARRAY
        if ndim == 1 and hasattr(value, "divisions"):
            return _COLUMN
        if hasattr(value, "divisions"):
            raise ValueError(
                f"{name} is a dataframe: pass its columns, as in "
                'rank_table(frame["label"], frame["score"]).'
            )
        hint = f" with {ndim} dimensions; pass one column, such as {name}[:, 1]"
    raise ValueError(
        f"{name} must be a one-dimensional Dask array or a column of a Dask dataframe, "
        f"found {type(value).__name__}{hint}."
    )


def _array_cells(arrays: dict[str, Any]) -> list[Any]:
    """Return per chunk a delayed tuple of arrays, cut as ``y_score`` is."""
    import dask.array as da

    sizes = {name: array.shape[0] for name, array in arrays.items()}
    unknown = [name for name, size in sizes.items() if math.isnan(size)]
    if not unknown:
        if len(set(sizes.values())) > 1:
            found = ", ".join(f"{name} has {size}" for name, size in sizes.items())
            raise ValueError(f"Unequal numbers of cases: {found}.")
        chunks = arrays["y_score"].chunks
        arrays = {name: array.rechunk(chunks) for name, array in arrays.items()}
    elif len({array.numblocks for array in arrays.values()}) > 1:
        found = ", ".join(
            f"{name} has {array.numblocks[0]}" for name, array in arrays.items()
        )
        raise ValueError(
            f"Unequal numbers of chunks: {found}. The sizes of those of "
            f"{' and '.join(unknown)} are not known, so that they cannot be aligned: "
            "call .compute_chunk_sizes() on each first."
        )
    cells = da.blockwise(
        _cell,
        "i",
        *itertools.chain.from_iterable((array, "i") for array in arrays.values()),
        dtype=object,
        meta=np.empty(0, dtype=object),
        # Sizes are checked chunk by chunk.
        align_arrays=False,
    )
    return list(cells.to_delayed().ravel())


def _column_cells(columns: dict[str, Any]) -> list[Any]:
    """Return per partition a delayed tuple of columns."""
    numbers = {name: column.npartitions for name, column in columns.items()}
    divisions = {
        column.divisions for column in columns.values() if column.known_divisions
    }
    if len(set(numbers.values())) > 1 or len(divisions) > 1:
        found = ", ".join(f"{name} has {number}" for name, number in numbers.items())
        raise ValueError(
            f"Columns of different partitions or divisions cannot be aligned: {found} "
            "partitions. Take them from one dataframe, or repartition by the same "
            "divisions."
        )
    import dask.dataframe as dd

    cells = dd.map_partitions(
        _cell,
        *columns.values(),
        meta=(None, object),
        align_dataframes=False,
        enforce_metadata=False,
    )
    return list(cells.to_delayed())


def _cell(*parts: Any) -> tuple[Any, ...]:
    return parts


def _dask() -> Any:
    """Return Dask, which is imported when it is needed and not before."""
    try:
        import dask
    except ImportError as error:
        raise ImportError(
            'skrate.dask needs Dask: pip install "scikit-rate[dask]".'
        ) from error
    return dask


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
