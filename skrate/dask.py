"""Rank tables of Dask arrays and of columns of Dask dataframes.

It needs the extra ``dask``, and is imported by its own name: ``import skrate.dask``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from skrate.data.arrays import Label
from skrate.data.checks import check_count, check_flag
from skrate.data.partial_tables import make_piece, sum_pieces, whole_table

__all__ = ["rank_table"]

# Tables that a node of the tree adds.
_SPLIT_EVERY = 8
_ARRAY, _COLUMN = "Dask array", "column of a Dask dataframe"


def rank_table(
    y_true: Any,
    y_score: Any,
    sample_weight: Any = None,
    *,
    pos_label: Label = None,
    max_groups: int = 2**20,
    compute: bool = True,
) -> Any:
    """Build the rank table of Dask arrays, or of columns of Dask dataframes.

    Each chunk becomes a table where it lies, and these are added to a small table of
    all cases, which the metrics of this package take. It runs on whatever scheduler is
    active, and the result is the same to the last bit.

    Parameters
    ----------
    y_true : dask array or column of shape (n_samples,)
        Labels of two classes; one chunk may hold one class only.
    y_score : dask array or column of shape (n_samples,)
        Scores, higher for the positive class.
    sample_weight : dask array or column of shape (n_samples,), default=None
        Weights of the cases, not negative; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.
    max_groups : int, default=2**20
        Number of groups above which a table is compressed; the number of cases
        keeps every score.
    compute : bool, default=True
        False returns a ``dask.delayed`` object, so that the tables of many models can
        be computed together.

    Returns
    -------
    table : RankTable
        The table, in the memory of the caller.

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError
        If an argument is no Dask array or column, or chunks cannot be aligned; if
        labels, scores or weights are invalid (the message names the chunk); if all
        chunks together do not hold two classes; or if there is no case.

    See Also
    --------
    skrate.RankTable.from_arrays : The same of arrays in memory.
    sklearn.metrics.roc_auc_score : One of the metrics, of arrays in memory.

    Notes
    -----
    Arrays of known chunk sizes are cut as ``y_score`` is; of unknown ones, as after a
    filter, numbers and sizes of chunks must agree. Chunks may be empty. Rows belong
    together by their place in the chunk, whatever the index of a dataframe. Cost: one
    sort per chunk, wherever it lies.

    Examples
    --------
    >>> import dask.array as da
    >>> from skrate import estimate
    >>> from skrate.dask import rank_table
    >>> y_true = da.from_array([1, 0, 1, 0, 0, 0], chunks=3)
    >>> y_score = da.from_array([9, 5, 5, 2, 1, 4], chunks=3)
    >>> table = rank_table(y_true, y_score)
    >>> table
    RankTable(5 groups, n_pos=2, n_neg=4)
    >>> estimate("roc_auc", table).value
    0.9375
    """
    max_groups = check_count("max_groups", max_groups)
    compute = check_flag("compute", compute)
    pieces = _pieces(y_true, y_score, sample_weight, pos_label)
    delayed = _dask().delayed
    while len(pieces) > 1:
        starts = range(0, len(pieces), _SPLIT_EVERY)
        nodes = [pieces[start : start + _SPLIT_EVERY] for start in starts]
        pieces = [delayed(sum_pieces)(node, max_groups) for node in nodes]
    # A single chunk is compressed as well.
    whole = delayed(sum_pieces)(pieces, max_groups)
    table = delayed(whole_table)(whole, pos_label)
    return table.compute() if compute else table


def _pieces(
    y_true: Any, y_score: Any, sample_weight: Any, pos_label: Label
) -> list[Any]:
    """Return a delayed piece per chunk, after what can be checked before."""
    given = {"y_true": y_true, "y_score": y_score}
    if sample_weight is not None:
        given["sample_weight"] = sample_weight
    kinds = {name: _kind(name, value) for name, value in given.items()}
    if len(set(kinds.values())) > 1:
        found = ", ".join(f"{name} is a {kind}" for name, kind in kinds.items())
        raise ValueError(
            f"Pass all as arrays, or all as columns of dataframes: {found}. A column "
            "becomes an array by .values, or .values.compute_chunk_sizes() where "
            "chunks differ."
        )
    if kinds["y_score"] == _ARRAY:
        part, cells = "chunk", _array_cells(given)
    else:
        part, cells = "partition", _column_cells(given)
    piece = _dask().delayed(make_piece)
    return [piece(f"{part} {i}", cell, pos_label) for i, cell in enumerate(cells)]


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
            counts = ", ".join(f"{name} has {size}" for name, size in sizes.items())
            raise ValueError(f"Unequal numbers of samples: {counts}.")
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
        *(part for array in arrays.values() for part in (array, "i")),
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
