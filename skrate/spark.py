"""Rank tables of Spark dataframes.

It needs the extra ``spark``, and is imported by its own name: ``import skrate.spark``.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from skrate.data.arrays import Label
from skrate.data.checks import check_count, shown
from skrate.data.partial_tables import Piece, make_batch_piece, sum_pieces, whole_table
from skrate.data.table import RankTable

__all__ = ["rank_table"]

# What a partition sends: its number, and its piece, or what was wrong, pickled.
_SCHEMA = "partition long, piece binary"


def rank_table(
    dataframe: Any,
    y_true: str = "label",
    y_score: str = "score",
    sample_weight: str | None = None,
    *,
    pos_label: Label = None,
    max_groups: int = 2**20,
) -> RankTable:
    """Build the rank table of the rows of a Spark dataframe.

    Each partition becomes a table on its executor, and the driver adds these: only
    tables travel, and what arrives is a small table of all rows, which the metrics of
    this package take.

    Parameters
    ----------
    dataframe : pyspark.sql.DataFrame
        Rows with a label and a score.
    y_true : str, default="label"
        Name of the column with labels of two classes.
    y_score : str, default="score"
        Name of the column with scores, higher for the positive class. A column of
        vectors is none: ``pyspark.ml.functions.vector_to_array`` gives its parts.
    sample_weight : str, default=None
        Name of the column with weights, not negative; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.
    max_groups : int, default=2**20
        Number of groups above which a table is compressed.

    Returns
    -------
    table : RankTable
        The table, in the memory of the driver.

    Raises
    ------
    ModuleNotFoundError
        If the Python of the executors does not have this package.
    ValueError
        If the dataframe is none or lacks a column; if labels, scores or weights are
        missing or invalid (the message names the partition); if all partitions together
        do not hold two classes; or if there is no row.

    See Also
    --------
    skrate.RankTable.from_batches : The same of batches, without Spark.
    sklearn.metrics.roc_auc_score : One of the metrics, of arrays in memory.

    Notes
    -----
    It is one job, ``DataFrame.mapInArrow``, which the executors need this package for.
    A partition sends up to ``max_groups`` groups of some 12 bytes, and the driver holds
    all at once: with very many partitions, ``coalesce`` them, raise
    ``spark.driver.maxResultSize``, or compress to fewer groups.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from skrate.spark import rank_table
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [(1, 0.9), (0, 0.5), (1, 0.5), (0, 0.1)]
    >>> rank_table(spark.createDataFrame(rows, ["label", "score"]))
    RankTable(3 groups, n_pos=2, n_neg=2)
    """
    max_groups = check_count("max_groups", max_groups)
    columns = {"y_true": y_true, "y_score": y_score}
    if sample_weight is not None:
        columns["sample_weight"] = sample_weight
    known = getattr(dataframe, "columns", None)
    if known is None or not hasattr(dataframe, "mapInArrow"):
        raise ValueError(
            "dataframe must be one of Spark 3.3 or newer, found "
            f"{type(dataframe).__name__}."
        )
    for argument, name in columns.items():
        if name not in known:
            raise ValueError(
                f"{argument}={shown(name)} is not a column of the dataframe, which has "
                f"{list(known)}."
            )
    # Backquotes, as a name may hold dots.
    quoted = ["`" + str(name).replace("`", "``") + "`" for name in columns.values()]
    rows = dataframe.select(*quoted).toDF(*columns)
    try:
        sent = rows.mapInArrow(_sender(pos_label, max_groups), _SCHEMA).collect()
    except Exception as error:
        # Spark's own error, whose text holds what the executor's Python wrote.
        missing = re.search(r"No module named '(skrate|sklearn|pyarrow)\b", str(error))
        if missing is None:
            raise
        raise ModuleNotFoundError(
            f"The Python of Spark's executors does not have {missing[1]}: install "
            "scikit-rate on every worker, and set PYSPARK_PYTHON to the Python that "
            "has it before the session starts (on one machine "
            "os.environ['PYSPARK_PYTHON'] = sys.executable).",
            name=missing[1],
        ) from error
    pieces = [
        pickle.loads(row.piece) for row in sorted(sent, key=lambda r: r.partition)
    ]
    for piece in pieces:
        if isinstance(piece, ValueError):
            raise piece
    return whole_table(sum_pieces(pieces, max_groups), pos_label)


def _sender(
    pos_label: Label, max_groups: int
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return what turns the record batches of a partition into one of a single row."""

    def send(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow
        from pyspark import TaskContext

        number = TaskContext.get().partitionId()
        # Nulls are NaN or None, and refused.
        arrays = (
            [column.to_numpy(zero_copy_only=False) for column in batch.columns]
            for batch in batches
        )
        piece: Piece | ValueError
        try:
            piece = make_batch_piece(
                f"partition {number}", arrays, pos_label, max_groups
            )
        except ValueError as error:
            # Raised by the driver, where it is an error of ours and not of Spark's.
            piece = ValueError(str(error))
        yield pyarrow.RecordBatch.from_pydict(
            {"partition": [number], "piece": [pickle.dumps(piece)]}
        )

    return send
