"""The table under every metric and curve: groups of tied scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from skrate.data.arrays import Array, ArrayLike, BoolArray, FloatArray, IntArray, Label
from skrate.data.checks import (
    Seen,
    as_real,
    check_count,
    check_finite,
    check_range,
    check_scores,
    check_vector,
    joined,
    shown,
    update_labels,
)
from skrate.data.compressed import (
    Batches,
    Cells,
    compressed,
    decode_scores,
    encode_scores,
    extreme_order,
    iterate_columns,
    merged_cells,
    naming_batch,
)
from skrate.data.frames import frame_cells
from skrate.data.metric_lookup import find_table_metric
from skrate.data.ranking import Sample, check_ranking, ranked_labels, ranking

AnyArray = TypeVar("AnyArray", bound=Array)
_NO_GROUPS = np.empty(0, dtype=np.intp)
# The ways to merge neighbouring groups: names of attributes of RankTable.
MergedGroups = Literal["merged", "runs", "down"]


class RankTable:
    """Weights of positives and negatives per group of tied scores, best score first.

    All metrics of a single ranking and all curves are functionals of this table, and
    accept it instead of labels and scores. Scores tie if they are exactly equal. Tables
    are immutable. Tables of disjoint samples can be added: ``a + b`` is
    the table of all samples.

    Parameters
    ----------
    pos, neg : array-like of shape (n_groups,)
        Weight of the positives and of the negatives in each group, at least 0. Groups
        with weight 0 are dropped.
    thresholds : array-like of shape (n_groups,), default=None
        The score of each group, decreasing. None if only the order is available; such
        a table cannot be added to another.

    Attributes
    ----------
    n_groups : int
        Number of groups K.
    n_pos, n_neg, total : float
        Weight of positives, of negatives and of both.
    n_samples : float or None
        The total if all weights are integers, and so numbers of samples; else None.
    prevalence, negative_fraction : float
        Fraction of the positives and of the negatives, both to full precision.
    cum_pos, cum_neg : array of shape (n_groups + 1,)
        Weight above each cut of the ranking, from 0 to ``n_pos`` and ``n_neg``.
    rates : array of shape (n_groups + 1,)
        Fraction of all weight above each cut, from 0 to 1: the rate.
    tpr, fpr : array of shape (n_groups + 1,)
        Fraction of the positives and of the negatives above each cut; nan if there
        are none.
    labels : array of shape (n_samples,) or None
        Whether the sample at each rank is positive, for tables built from samples
        without ties and weights; else None. Metrics use it for a faster computation.
    own_products : pair of arrays of shape (n_groups,) or None
        For estimated labels: sums over the samples of each group of ``pos * neg`` and
        of ``pos * (1 - pos)``, which are 0 for known labels of weight 1.

    Notes
    -----
    Within a group recall rises linearly with the rate: the expectation over random
    orders of the tied samples, and the diagonal of the ROC curve. Building costs one
    sort, O(n log n). A table has no single samples: neither their lists and clusters,
    nor which sample of one model is which sample of another.

    Examples
    --------
    >>> from skrate import RankTable, recall_at_rate_score
    >>> table = RankTable.from_arrays(
    ...     [1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1]
    ... )
    >>> (
    ...     table.thresholds.tolist(),
    ...     table.pos.tolist(),
    ...     table.neg.tolist(),
    ... )
    ([0.9, 0.5, 0.1], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0])
    >>> table.rates.tolist()
    [0.0, 0.25, 0.75, 1.0]
    >>> table + table == RankTable(
    ...     [2, 2, 0], [0, 2, 2], [0.9, 0.5, 0.1]
    ... )
    True
    >>> recall_at_rate_score(table + table, k=2)
    0.5
    """

    thresholds: Array | None = None
    labels: BoolArray | None = None
    own_products: tuple[FloatArray, FloatArray] | None = None
    _cells: Cells | None = None
    # True only if the weights are certainly numbers of samples.
    is_of_samples: bool = False
    n_groups: int
    n_pos: float
    n_neg: float
    total: float
    prevalence: float
    negative_fraction: float

    def __init__(
        self, pos: ArrayLike, neg: ArrayLike, thresholds: ArrayLike | None = None
    ) -> None:
        # Copies: they are made read-only.
        pos = np.array(as_real("pos", pos), ndmin=1)
        neg = np.array(as_real("neg", neg), ndmin=1)
        if pos.ndim != 1 or pos.shape != neg.shape or pos.size == 0:
            raise ValueError(
                "pos and neg must be vectors of the same length, at least 1; got "
                f"shapes {pos.shape} and {neg.shape}."
            )
        for name, weights in (("pos", pos), ("neg", neg)):
            check_finite(name, weights)
            check_range(name, weights)
        weight = pos + neg
        if not weight.any():
            raise ValueError("pos and neg are zero everywhere: give a group weight.")
        if thresholds is not None:
            thresholds = np.array(check_scores("thresholds", thresholds))
            is_decreasing = bool((thresholds[1:] < thresholds[:-1]).all())
            if thresholds.shape != pos.shape or not is_decreasing:
                raise ValueError(
                    f"thresholds must have the length of pos, {len(pos)}, and decrease "
                    f"strictly, got {shown(thresholds.tolist())}."
                )
        if not weight.all():
            pos, neg = np.asarray(pos[weight > 0]), np.asarray(neg[weight > 0])
            thresholds = thresholds[weight > 0] if thresholds is not None else None
        self._fill(pos, neg, thresholds)

    def _fill(
        self,
        pos: FloatArray,
        neg: FloatArray,
        thresholds: Array | None = None,
        sums: tuple[FloatArray, FloatArray] | None = None,
        cells: Cells | None = None,
    ) -> RankTable:
        """Set the attributes from weights of groups, best first.

        ``sums`` are the weights above each cut, given only for numbers of samples.
        """
        cum_pos, cum_neg = sums or (cumulated(pos), cumulated(neg))
        return self._set(
            float(cum_pos[-1]),
            float(cum_neg[-1]),
            pos=pos,
            neg=neg,
            cum_pos=cum_pos,
            cum_neg=cum_neg,
            thresholds=thresholds,
            _cells=cells,
            is_of_samples=sums is not None,
        )

    def _set(self, n_pos: float, n_neg: float, **attributes: Any) -> RankTable:
        """Set all attributes, from the weights of both classes and ``attributes``."""
        for attribute in attributes.values():
            if isinstance(attribute, np.ndarray):
                attribute.flags.writeable = False
        labels = attributes.get("labels")
        attributes["n_groups"] = len(attributes["pos"] if labels is None else labels)
        whole = attributes.setdefault("total", n_pos + n_neg)
        fractions = {"prevalence": n_pos / whole, "negative_fraction": n_neg / whole}
        vars(self).update(attributes, **fractions, n_pos=n_pos, n_neg=n_neg)
        return self

    @cached_property
    def pos(self) -> FloatArray:
        """Weight of the positives per group."""
        assert self.labels is not None
        return frozen(self.labels.astype(np.float64))

    @cached_property
    def neg(self) -> FloatArray:
        """Weight of the negatives per group."""
        return frozen(1.0 - self.pos)

    @classmethod
    def from_arrays(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label = None,
    ) -> RankTable:
        """Build the table of samples from their labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of two classes.
        y_score : array-like of shape (n_samples,)
            Scores, higher for the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, not negative.
        pos_label : int, float, bool or str, default=None
            The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans,
            and the larger one is positive.

        Returns
        -------
        table : RankTable
            With the scores as ``thresholds``.
        """
        # Keep equal weights, because their scale matters when tables are added.
        sample = check_ranking(
            y_true, y_score, sample_weight, pos_label, keep_scale=True
        )
        return build_table(sample, with_scores=True)

    @classmethod
    def from_batches(
        cls,
        batches: Batches,
        *,
        max_groups: int = 2**20,
        pos_label: Label = None,
        verbose: int = 0,
    ) -> RankTable:
        """Build the table of more samples than fit in memory, batch by batch.

        Parameters
        ----------
        batches : iterable of tuples
            All ``(y_true, y_score)``, or all ``(y_true, y_score, sample_weight)``. The
            iterable may be a generator, because it is read once.
        max_groups : int, default=2**20
            With more distinct scores, the table is compressed to at most this number
            of groups, see :meth:`compress`.
        pos_label : int, float, bool or str, default=None
            The positive label of all batches. A batch may have a single class.
        verbose : int, default=0
            If above 0, print a line at each compression and at the end.

        Returns
        -------
        table : RankTable
            The table of all samples, with their scores as ``thresholds`` or, if it is
            compressed, the middles of cells.

        Raises
        ------
        ValueError
            If there is no batch, or if a batch is empty or invalid, or has other labels
            than the batches before. The message numbers batches from 0.

        Examples
        --------
        >>> import numpy as np
        >>> from skrate import RankTable, rate_weighted_auc_score
        >>> def batches():
        ...     rng = np.random.default_rng(0)
        ...     for _ in range(20):
        ...         y_true = rng.random(10_000) < 0.1
        ...         yield y_true, rng.normal(size=10_000) + 1.5 * y_true
        >>> table = RankTable.from_batches(batches(), max_groups=2**12)
        >>> table.is_compressed, table.total
        (True, 200000.0)
        >>> table.max_error(rate_weighted_auc_score, rate=0.1) < 1e-3
        True
        """
        max_groups = check_count("max_groups", max_groups)
        seen: Seen = {}
        gathered: list[Cells] = []
        number = 0

        def merged_parts() -> Cells:
            cells = compressed(merged_cells(gathered), max_groups)
            if verbose > 0:
                weight = cells.pos.sum() + cells.neg.sum()
                size = f"weight {weight:g}, {len(cells.keys)} groups"
                print(f"{number + 1} batches, {size}")  # noqa: T201
            return cells

        for number, columns in iterate_columns(batches, "y_true", "y_score"):
            y_true, y_score, weights = columns
            with naming_batch(number):
                labels = check_vector("y_true", y_true)
                seen = update_labels(seen, f"batch {number}", labels, pos_label)
                # A batch may have no weight if another batch has weight.
                is_empty = (
                    weights is not None
                    and not check_vector("sample_weight", weights).any()
                )
                cells = cls.from_arrays(
                    y_true,
                    y_score,
                    sample_weight=None if is_empty else weights,
                    pos_label=pos_label,
                ).cells
            if not is_empty:
                gathered.append(cells)
            # Not after each batch, because compressing costs as much as sorting.
            if sum(len(cells.keys) for cells in gathered) > 5 * max_groups:
                gathered = [merged_parts()]
        if not gathered:
            raise ValueError("sample_weight is 0 in all batches: use positive weights.")
        return build_cell_table(merged_parts())

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        y_true: str = "label",
        y_score: str = "score",
        *,
        sample_weight: str | None = None,
        max_groups: int = 2**20,
    ) -> RankTable:
        """Build the table of the rows of a data frame, which its engine groups.

        Only groups leave the engine, never rows. The engine may be a database or a
        cluster, and its workers need no package.

        Parameters
        ----------
        frame : DataFrame, LazyFrame, Table or relation
            Of pandas, Polars, pyarrow, DuckDB, Dask, PySpark, or of another engine that
            narwhals supports. It is scanned two to four times and must contain the
            same rows each time: persist or cache it first if it is costly or random.
        y_true : str, default="label"
            Name of the column with the labels: booleans, 0 and 1, or -1 and 1.
        y_score : str, default="score"
            Name of the column with the scores, higher for the positive class.
        sample_weight : str, default=None
            Name of the column with the weights, not negative. None means equal weights.
        max_groups : int, default=2**20
            With more distinct scores, the table is compressed to at most this number
            of groups, see :meth:`compress`.

        Returns
        -------
        table : RankTable
            The table of all rows, with their scores as ``thresholds`` or, if it is
            compressed, the middles of cells.

        Raises
        ------
        ImportError
            If narwhals is not installed.
        ValueError
            If the frame or a column is missing or has another type, if a label, score
            or weight is missing or invalid, if the frame changes between scans, or if
            more than 1/1000 of a class have different but almost equal scores.

        See Also
        --------
        RankTable.from_batches : The same in a single scan, in Python.

        Notes
        -----
        The engine groups by score if there are at most ``4 * max_groups`` distinct
        scores, and else by cells of the grid of :meth:`compress`, as small as this
        number allows. Sums of integer weights are the same for all engines.

        Examples
        --------
        >>> import pandas as pd
        >>> from skrate import RankTable
        >>> frame = pd.DataFrame(
        ...     {"label": [1, 0, 1, 0], "score": [0.9, 0.5, 0.5, 0.1]}
        ... )
        >>> RankTable.from_frame(frame)
        RankTable(3 groups, n_pos=2, n_neg=2)
        """
        max_groups = check_count("max_groups", max_groups)
        names = {"y_true": y_true, "y_score": y_score}
        if sample_weight is not None:
            names["sample_weight"] = sample_weight
        return build_cell_table(frame_cells(frame, names, max_groups))

    def compress(self, max_groups: int = 2**20) -> RankTable:
        """Merge neighbouring groups until there are at most ``max_groups``.

        The samples of a merged group tie, within a cell of a grid of scores that is the
        same for all tables. Therefore compressed tables can be added, in any order, and
        :meth:`max_error` returns how far any metric can be off. The top of the ranking
        stays as fine as the rest.

        Parameters
        ----------
        max_groups : int, default=2**20
            Maximum number of groups.

        Returns
        -------
        table : RankTable
            The table itself if it has at most ``max_groups`` groups. Otherwise a table
            with the middles of cells as ``thresholds``.

        Raises
        ------
        ValueError
            If the table must be compressed and has no thresholds, or these are not all
            numbers of float64; or if ``max_groups`` is not an integer of at least 1.

        Examples
        --------
        >>> import numpy as np
        >>> from skrate import RankTable
        >>> rng = np.random.default_rng(0)
        >>> y_true = rng.random(100_000) < 0.2
        >>> scores = rng.normal(size=100_000) + y_true
        >>> table = RankTable.from_arrays(y_true, scores).compress(1_000)
        >>> table.n_groups <= 1_000, table.total
        (True, 100000.0)
        >>> table.max_error("roc_auc") < 5e-4
        True
        """
        max_groups = check_count("max_groups", max_groups)
        if self.n_groups <= max_groups:
            return self
        return build_cell_table(compressed(self.cells, max_groups))

    @property
    def is_compressed(self) -> bool:
        """Whether groups with different scores were merged into one."""
        return self._cells is not None

    @property
    def cells(self) -> Cells:
        """The groups as cells of the grid of scores, in increasing order."""
        if self._cells is not None:
            return self._cells
        if self.thresholds is None:
            raise ValueError(
                "thresholds are missing: give the scores of the groups to compress a "
                "table, or to add it to a compressed one."
            )
        keys = encode_scores(self.thresholds[::-1])
        shifts = np.zeros(len(keys), dtype=np.uint8)
        return Cells(keys, shifts, self.pos[::-1], self.neg[::-1])

    def max_error(
        self, metric: str | Callable[..., Any], **metric_kwargs: Any
    ) -> float:
        """Return how far compression may have moved a metric from its exact value.

        Parameters
        ----------
        metric : callable or str
            A metric of this package, as in :func:`estimate`.
        **metric_kwargs : dict
            Parameters of the metric, such as ``rate``.

        Returns
        -------
        error : float
            The distance between the metric of the table and the metric of the best or
            the worst order of the samples within their cells, whichever is farther. 0
            for a table that was not compressed; nan if the metric is undefined, for
            momentum and stamina also if the worst order has none.

        Raises
        ------
        ValueError
            If the metric is not one of this package, or its parameters do not fit.

        Examples
        --------
        >>> from skrate import RankTable, recall_at_rate_score
        >>> table = RankTable.from_arrays(
        ...     [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]
        ... )
        >>> table.max_error(recall_at_rate_score, rate=0.5)
        0.0
        >>> error = table.compress(2).max_error(
        ...     recall_at_rate_score, rate=0.25
        ... )
        >>> round(error, 4)
        0.3333
        """
        of_samples = ("sample_weight", "pos_label")
        check_alone(self, **{name: metric_kwargs.get(name) for name in of_samples})
        return find_table_metric(metric, metric_kwargs).error_bound(self)

    @cached_property
    def n_samples(self) -> float | None:
        """Number of samples if all weights are integers, else None."""
        weights = (self.pos, self.neg)
        are_whole = all(np.array_equal(np.rint(weight), weight) for weight in weights)
        # Up to 2**53 float64 represents all integers.
        return self.total if are_whole and self.total < 2**53 else None

    @cached_property
    def cum_pos(self) -> FloatArray:
        """Weight of the positives above each cut."""
        return frozen(cumulated(self.pos if self.labels is None else self.labels))

    @cached_property
    def cum_neg(self) -> FloatArray:
        """Weight of the negatives above each cut."""
        if self.own_products is not None:
            above = self.rates * self.total
            above -= self.cum_pos
            return frozen(above)
        return frozen(cumulated(self.neg if self.labels is None else ~self.labels))

    @cached_property
    def rates(self) -> FloatArray:
        """Rate at each cut."""
        if self.is_of_samples and self.n_groups == self.total:
            return frozen(np.arange(self.n_groups + 1) / self.n_groups)
        processed = cumulated(self.pos + self.neg)
        if self.is_of_samples:
            # For estimated labels pos + neg is an integer only up to rounding.
            processed = np.rint(processed)
        return frozen(processed / processed[-1])

    @cached_property
    def tpr(self) -> FloatArray:
        """True positive rate (recall) at each cut."""
        return frozen(_shares(self.cum_pos))

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rate at each cut."""
        return frozen(_shares(self.cum_neg))

    @property
    def mirrored(self) -> RankTable:
        """The table with exchanged classes and negated scores, without thresholds."""
        return self._swapped(slice(None, None, -1))

    @property
    def swapped(self) -> RankTable:
        """The table with exchanged classes, without thresholds."""
        return self._swapped(slice(None))

    def _swapped(self, order: slice) -> RankTable:
        """Return the table with exchanged classes and its groups in ``order``."""
        if self.labels is not None:
            return _build_untied_table(~self.labels[order])
        pos, neg = self.neg[order], self.pos[order]
        if self.own_products is None:
            return build_weight_table(pos, neg)
        pair = [column[order] for column in self.own_products]
        are_samples = self.is_of_samples
        return _build_estimated_table(
            pos, neg, pair, self.total, are_samples=are_samples
        )

    @cached_property
    def merged(self) -> Merged:
        """The table with neighbouring groups merged if none has a positive.

        All metrics stay the same, and the table is small if positives are rare.
        """
        return _merged(self, "merged")

    @cached_property
    def runs(self) -> Merged:
        """The table with neighbouring groups of the same single class merged."""
        return _merged(self, "runs")

    @cached_property
    def down(self) -> Merged:
        """The table in which negatives tie with the next positives below."""
        return _merged(self, "down")

    def __add__(self, other: object) -> RankTable:
        if not isinstance(other, RankTable):
            return NotImplemented
        if self.thresholds is None or other.thresholds is None:
            raise ValueError("thresholds are missing: give them to add tables.")
        if self.is_compressed or other.is_compressed:
            return build_cell_table(merged_cells([self.cells, other.cells]))
        scores = joined("Scores", self.thresholds, other.thresholds)
        order, begins = ranking(scores)
        starts = np.flatnonzero(begins)
        pos, neg = (
            np.add.reduceat(np.concatenate(columns)[order], starts)
            for columns in ((self.pos, other.pos), (self.neg, other.neg))
        )
        return build_weight_table(pos, neg, scores[order[starts]])

    def __radd__(self, other: object) -> RankTable:
        # sum() starts with 0.
        if type(other) is int and other == 0:
            return self
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RankTable):
            return NotImplemented
        columns = (
            (table.pos, table.neg, table.thresholds, table._cells and table.cells[1])
            for table in (self, other)
        )
        return all(map(np.array_equal, *columns))

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"A RankTable is immutable: {name} cannot be set.")

    def __reduce__(self) -> tuple[Any, ...]:
        if self._cells is not None:
            return build_cell_table, (self._cells,)
        if self.labels is not None:
            return _build_untied_table, (self.labels, self.thresholds)
        return build_weight_table, (self.pos, self.neg, self.thresholds)

    def __repr__(self) -> str:
        state = "compressed, " if self.is_compressed else ""
        return (
            f"RankTable({self.n_groups} groups, {state}n_pos={self.n_pos:g}, "
            f"n_neg={self.n_neg:g})"
        )


def rank_table(
    y_true: ArrayLike | RankTable,
    y_score: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    **options: bool,
) -> RankTable:
    """Return a given table, or the table of samples without thresholds."""
    if isinstance(y_true, RankTable):
        check_alone(
            y_true, y_score=y_score, sample_weight=sample_weight, pos_label=pos_label
        )
        return y_true
    return build_table(
        check_ranking(y_true, y_score, sample_weight, pos_label, **options)
    )


def check_alone(given: Any, name: str = "y_true", /, **excluded: Any) -> None:
    """Raise if an argument is given that the table, or the folds, already contain."""
    kind = (given if isinstance(given, type) else type(given)).__name__
    for argument, passed in excluded.items():
        if passed is not None:
            limit = ", but no single samples" if isinstance(given, RankTable) else ""
            raise ValueError(
                f"{argument} must be None if {name} is a {kind}: leave it out, because "
                f"a {kind} contains labels, scores and weights{limit}."
            )


def build_table(sample: Sample, *, with_scores: bool = False) -> RankTable:
    """Return the table of checked samples, by default without thresholds."""
    assert sample.scores is not None
    is_plain = sample.weights is None and sample.estimated is None
    if is_plain and not with_scores:
        return _build_label_table(*ranked_labels(sample.scores, sample.is_pos))
    order, begins = sample.ranking()
    thresholds = sample.scores[order[begins]] if with_scores else None
    return build_ranked_table(sample, order, begins, thresholds)


def build_ranked_table(
    sample: Sample, order: IntArray, begins: BoolArray, thresholds: Array | None = None
) -> RankTable:
    """Return the table of samples that are already ranked."""
    if sample.weights is None and sample.estimated is None:
        return _build_label_table(sample.is_pos[order], begins, thresholds)
    pos, neg = sample.columns(order)
    columns = [pos, neg]
    is_weighted = sample.weights is not None
    if sample.estimated is not None:
        is_weighted = sample.estimated.weight is not None
        columns += [pos * neg, pos * (1 - pos)] if is_weighted else [pos * neg]
    if not begins.all():
        starts = np.flatnonzero(begins)
        columns = [np.add.reduceat(column, starts) for column in columns]
    pos, neg, *products = columns
    if sample.estimated is None:
        return build_weight_table(pos, neg, thresholds)
    whole = total(pos + neg) if is_weighted else float(len(order))
    # Without weights neg = 1 - pos, and both products are the same.
    pair = products[0], products[-1]
    return _build_estimated_table(pos, neg, pair, whole, are_samples=not is_weighted)


def _build_label_table(
    labels: BoolArray, begins: BoolArray, thresholds: Array | None = None
) -> RankTable:
    """Return the table of ranked samples without weights."""
    if begins.all():
        return _build_untied_table(labels, thresholds)
    sums = _sums(labels, np.flatnonzero(begins))
    pos, neg = map(np.diff, sums)
    return build_weight_table(pos, neg, thresholds, sums=sums)


def _sums(labels: BoolArray, starts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of positives and negatives above each group, and of all."""
    counts = labels.cumsum()
    above = np.append(counts[starts] - labels[starts], counts[-1]).astype(np.float64)
    return above, np.append(starts, len(labels)) - above


def build_weight_table(
    pos: FloatArray, neg: FloatArray, thresholds: Array | None = None, **options: Any
) -> RankTable:
    """Return the table of groups that all have weight, without checks or copies."""
    return RankTable.__new__(RankTable)._fill(pos, neg, thresholds, **options)


def _build_untied_table(
    labels: BoolArray, thresholds: Array | None = None
) -> RankTable:
    """Return the table of ranked labels without ties, with weights made on demand."""
    n_pos, table = float(np.count_nonzero(labels)), RankTable.__new__(RankTable)
    n_neg = len(labels) - n_pos
    return table._set(
        n_pos, n_neg, labels=labels, thresholds=thresholds, is_of_samples=True
    )


def extreme_tables(table: RankTable) -> list[RankTable]:
    """Return tables of the worst and the best order within the cells of a table."""
    return [
        build_weight_table(*extreme_order(table.cells, is_best=b))
        for b in (False, True)
    ]


def build_cell_table(cells: Cells) -> RankTable:
    """Return the table of cells; it is not compressed if all cells are exact."""
    pos, neg = cells.pos[::-1].copy(), cells.neg[::-1].copy()
    for column in cells:
        column.flags.writeable = False
    inexact = None if cells.is_exact.all() else cells
    return build_weight_table(pos, neg, decode_scores(cells.keys)[::-1], cells=inexact)


def _build_estimated_table(
    pos: FloatArray,
    neg: FloatArray,
    own_products: Sequence[FloatArray],
    total: float,
    *,
    are_samples: bool,
) -> RankTable:
    """Return the table of estimated labels, with weights that may be negative."""
    cum_pos = np.append(0.0, np.cumsum(pos))
    n_pos = float(cum_pos[-1])
    return RankTable.__new__(RankTable)._set(
        n_pos,
        total - n_pos,
        total=total,
        pos=pos,
        neg=neg,
        cum_pos=cum_pos,
        own_products=tuple(map(frozen, own_products)),
        is_of_samples=are_samples,
    )


def _shares(cumulated: FloatArray) -> FloatArray:
    # divide_or_nan decides for each entry whether to divide, which is slower.
    if cumulated[-1] == 0:
        return np.full_like(cumulated, np.nan)
    return np.asarray(cumulated / cumulated[-1])


@dataclass(frozen=True, eq=False)
class Merged:
    """A table with some neighbouring groups merged."""

    pos: FloatArray
    neg: FloatArray
    starts: IntArray
    # Weights of both classes above each cut, if they are free of rounding.
    sums: tuple[FloatArray, FloatArray] | None = None

    @cached_property
    def table(self) -> RankTable:
        """The merged groups as a RankTable."""
        return build_weight_table(self.pos, self.neg, sums=self.sums)

    def map_groups(self, n_groups: int) -> IntArray:
        """Return the merged group that each of the ``n_groups`` groups is part of."""
        is_start = np.zeros(n_groups, dtype=np.intp)
        is_start[self.starts] = 1
        return np.cumsum(is_start) - 1


def merge_except_cuts(
    table: RankTable, cuts: FloatArray, groups: MergedGroups
) -> Merged:
    """Return a table merged, except for the groups that one of these rates cuts.

    A sample above a cut counts, a sample below does not. In a merged group all samples
    would count in part: their sum is the same, but its variance is too small.
    """
    if len(cuts) == 0:
        return getattr(table, groups)  # type: ignore[no-any-return]
    # The group that a rate cuts, and the group after it, stay the start of a group.
    first = np.searchsorted(table.rates, cuts, side="left") - 1
    starts = np.concatenate([first, first + 1])
    return _merged(table, groups, starts[starts < table.n_groups])


def _merged(
    table: RankTable, groups: MergedGroups, fixed: IntArray = _NO_GROUPS
) -> Merged:
    """Return a table merged; the ``fixed`` groups still start a group."""
    if table.own_products is not None:
        # Samples belong partly to both classes: no two groups are alike.
        return _unmerged(table)
    labels = table.labels
    has_pos = table.pos > 0 if labels is None else labels
    is_start = np.ones(table.n_groups, dtype=bool)
    if groups == "down":
        is_start[1:] = has_pos[:-1]
    elif groups == "merged":
        np.logical_or(has_pos[1:], has_pos[:-1], out=is_start[1:])
    elif labels is not None:
        np.not_equal(labels[1:], labels[:-1], out=is_start[1:])
    else:
        has_neg = table.neg > 0
        is_start = has_pos & has_neg
        is_start[1:] |= (has_pos[1:] != has_pos[:-1]) | (has_neg[1:] != has_neg[:-1])
        is_start[0] = True
    is_start[fixed] = True
    starts = np.flatnonzero(is_start)
    if len(starts) == table.n_groups:
        return _unmerged(table)
    if not table.is_of_samples:
        pos, neg = (np.add.reduceat(w, starts) for w in (table.pos, table.neg))
        return Merged(pos, neg, starts)
    if labels is not None:
        sums = _sums(labels, starts)
    else:
        cuts = np.append(starts, table.n_groups)
        sums = table.cum_pos[cuts], table.cum_neg[cuts]
    pos, neg = map(np.diff, sums)
    return Merged(pos, neg, starts, sums)


def _unmerged(table: RankTable) -> Merged:
    """Return the groups of a table unmerged, with the table itself."""
    merged = Merged(table.pos, table.neg, np.arange(table.n_groups))
    vars(merged)["table"] = table
    return merged


def add_end_groups(table: RankTable, pos: float, neg: float) -> RankTable:
    """Return the table with a group of weights ``pos``, ``neg`` added at each end."""
    return build_weight_table(
        np.concatenate([[pos], table.pos, [pos]]),
        np.concatenate([[neg], table.neg, [neg]]),
    )


def frozen(array: AnyArray) -> AnyArray:
    """Return the array itself, from now on read-only."""
    array.flags.writeable = False
    return array


def cumulated(weights: FloatArray | BoolArray) -> FloatArray:
    """Return the sums of the first 0, 1, ... weights, which are not negative.

    Sums use extended precision if it exists, because the rounding of 100,000 additions
    would show in the twelfth digit. Many weights are summed in short rows, and the sums
    of the rows in extended precision, which takes a third of the time.
    """
    sums = np.zeros(len(weights) + 1)
    if weights.dtype.kind == "b":
        np.cumsum(weights, out=sums[1:])
        return sums
    n_in_row = 64
    n_rows = len(weights) // n_in_row
    if n_rows < n_in_row:
        sums[1:] = weights.cumsum(dtype=np.longdouble)
        return sums
    size = n_rows * n_in_row
    rows = sums[1 : size + 1].reshape(n_rows, n_in_row)
    np.cumsum(weights[:size].reshape(rows.shape), axis=1, out=rows)
    starts = cumulated(rows[:, -1])[:, None]
    rows += starts[:-1]
    # Rounding must not make sums decrease at the start of the next row.
    np.minimum(rows, starts[1:], out=rows)
    sums[size + 1 :] = sums[size] + np.cumsum(weights[size:])
    return sums


def total(weights: FloatArray) -> float:
    """Return the sum of weights, equal to the last sum of `cumulated`."""
    return float(cumulated(weights)[-1])
