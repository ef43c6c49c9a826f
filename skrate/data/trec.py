"""A reader of the files of TREC evaluations: judgments and runs."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import IO, Any, NamedTuple, TypeAlias

import numpy as np

from skrate.data.arrays import Array, FloatArray

__all__ = ["TrecRun", "read_trec"]

TextFile: TypeAlias = str | PathLike[str] | IO[str]
_QRELS = ("query", "iteration", "document", "grade")
_RUN = ("query", "q0", "document", "rank", "score", "tag")


class TrecRun(NamedTuple):
    """A run and its judgments, as arguments of metrics within lists.

    Attributes
    ----------
    y_true : ndarray of shape (n_rows,)
        The grades; 0 without a judgment.
    y_score : ndarray of shape (n_rows,)
        The scores; -inf for relevant documents that the run did not return.
    groups : ndarray of shape (n_rows,)
        The query of each row, as a string.
    """

    y_true: Array
    y_score: FloatArray
    groups: Array


def read_trec(qrels: TextFile, run: TextFile) -> TrecRun:
    r"""Read a run and its judgments in the formats of trec_eval.

    How good are the results of a search engine that writes such files? The result has
    the arguments ``y_true``, ``y_score`` and ``groups`` of metrics within lists, such
    as :func:`ndcg_score`, and of :func:`estimate` and :func:`group_scores`. It includes
    the relevant documents that the run did not return. To compare runs of the same
    queries, pass the :func:`group_scores` of each to :func:`compare`. It needs pandas.

    Parameters
    ----------
    qrels : path or file
        Judgments: lines of query, iteration, document and grade, separated by blanks.
    run : path or file
        Results: lines of query, "Q0", document, rank, score and tag. As in trec_eval,
        the scores count, not the ranks.

    Returns
    -------
    rows : TrecRun
        A row for each returned document of a judged query, and for each relevant
        document that was not returned, whose score is -inf. Negative grades count 0.

    Raises
    ------
    ImportError
        If pandas is not installed.
    ValueError
        If a line has another number of columns, a grade or score is not a number, a
        document occurs twice in a query, or no query of the run was judged.

    See Also
    --------
    ndcg_score : Grades with linear gain, as the metric ndcg of trec_eval.
    mean_average_precision_score : The metric map; pass ``relevance_threshold=1``.

    Notes
    -----
    Queries without judgments are left out. Judged queries that the run lacks count 0,
    as with the option -c of trec_eval. Queries without a relevant document are skipped
    by metrics; trec_eval counts them as 0, as ``undefined=0`` does. Metrics average
    over the order of tied scores; trec_eval sorts ties by the name of the document.

    Examples
    --------
    The run returns one of two relevant documents, at rank 2:

    >>> from io import StringIO
    >>> from skrate import mean_average_precision_score, read_trec
    >>> qrels = StringIO("q1 0 a 1\nq1 0 b 2\nq1 0 c 0")
    >>> run = StringIO("q1 Q0 c 1 9.5 bm25\nq1 Q0 a 2 7.1 bm25")
    >>> rows = read_trec(qrels, run)
    >>> rows.y_true.tolist(), rows.y_score.tolist()
    ([0, 1, 2], [9.5, 7.1, -inf])
    >>> mean_average_precision_score(**rows._asdict(), relevance_threshold=1)
    0.25
    """
    judged, returned = _read("qrels", qrels, _QRELS), _read("run", run, _RUN)
    judged["grade"] = _as_number("qrels", judged, "grade").clip(lower=0)
    returned["score"] = _as_number("run", returned, "score")
    returned = returned[returned["query"].isin(judged["query"])]
    if returned.empty:
        raise ValueError("run has no query of qrels: pass files of the same queries.")
    rows = returned.merge(judged, how="outer", on=["query", "document"])
    rows = rows.fillna({"grade": 0, "score": -np.inf})
    rows = rows[(rows["grade"] > 0) | (rows["score"] > -np.inf)]
    rows = rows.sort_values(["query", "score"], ascending=[True, False], kind="stable")
    grades = rows["grade"].to_numpy()
    if (grades == np.round(grades)).all():
        grades = grades.astype(np.int64)
    return TrecRun(
        y_true=grades,
        y_score=rows["score"].to_numpy(dtype=np.float64),
        groups=rows["query"].to_numpy(dtype=str),
    )


def _read(name: str, file: TextFile, columns: Sequence[str]) -> Any:
    """Return the columns of a file of text, all as strings."""
    import pandas as pd

    try:
        table = pd.read_csv(
            file, sep=r"\s+", header=None, dtype=str, keep_default_na=False, quoting=3
        )
    except pd.errors.EmptyDataError:
        raise ValueError(f"{name} is empty.") from None
    except pd.errors.ParserError as error:
        raise ValueError(f"{name} has lines of different length: {error}") from None
    if table.shape[1] != len(columns):
        raise ValueError(
            f"{name} must have {len(columns)} columns ({', '.join(columns)}), got "
            f"{table.shape[1]}."
        )
    table = table.set_axis(columns, axis=1)
    repeated = table.duplicated(["query", "document"])
    if repeated.any():
        query, document = table.loc[repeated.idxmax(), ["query", "document"]]
        raise ValueError(f"{name} has document {document!r} twice in query {query!r}.")
    return table


def _as_number(name: str, table: Any, column: str) -> Any:
    """Return a column as numbers."""
    import pandas as pd

    numbers = pd.to_numeric(table[column], errors="coerce")
    if not np.isfinite(numbers).all():
        wrong = table.loc[~np.isfinite(numbers), column].iloc[0]
        raise ValueError(f"{name}: the {column} {wrong!r} is not a finite number.")
    return numbers
