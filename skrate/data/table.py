"""The table under every metric and curve: groups of tied scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from skrate.data.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    cumulated,
    frozen,
    lazy,
    total,
)
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
from skrate.data.metric_lookup import find_table_metric
from skrate.data.ranking import ranked_labels, ranking
from skrate.data.sample import Sample, check_ranking

# From here on floats cannot count.
_MOST_CASES = 2**53
# So many times the groups of a table of batches are gathered before they are
# compressed, which costs as much as sorting them.
_GATHERED = 5
_NO_GROUPS = np.empty(0, dtype=np.intp)
# Which neighbouring groups are one in a smaller table: attributes of the table.
MergedGroups = Literal["merged", "runs", "down"]


class RankTable:
    """Weights of positives and negatives per group of tied scores, best score first.

    All metrics and curves are functionals of this table, and take it in place of
    labels and scores. Scores tie when they are exactly equal, and nowhere else is it
    decided. Tables are immutable, and those of disjoint cases add: ``a + b`` is the
    table of all their cases.

    Parameters
    ----------
    pos, neg : array-like of shape (n_groups,)
        Weight of the positives and of the negatives in each group, not negative; a
        group without weight is left out.
    thresholds : array-like of shape (n_groups,), default=None
        The score of each group, decreasing. None where only the order is known; such
        a table cannot be added to another.

    Attributes
    ----------
    n_groups : int
        Number of groups K.
    n_pos, n_neg, total : float
        Weight of positives, of negatives and of both.
    n_samples : float or None
        The total where all weights are whole, and so numbers of cases; else None.
    prevalence, negative_fraction : float
        Share of the positives and of the negatives, each with its own digits.
    cum_pos, cum_neg : array of shape (n_groups + 1,)
        Weight above each cut of the ranking, from 0 to ``n_pos`` and ``n_neg``.
    rates : array of shape (n_groups + 1,)
        Share of all weight above each cut, from 0 to 1: the rate.
    tpr, fpr : array of shape (n_groups + 1,)
        Share of the positives and of the negatives above each cut; nan without any.
    labels : array of shape (n_samples,) or None
        Where every group is one case and all weights are equal: whether the case at
        each place of the ranking is positive. Kernels may take a short cut on it.
    own_products : pair of arrays of shape (n_groups,) or None
        Of estimated labels: sums per group of the products of ``pos`` of each sample
        with its ``neg``, and with 1 - ``pos``, which are 0 for known labels.

    Notes
    -----
    Within a group recall rises linearly with the rate: the expectation over random
    orders of the tied cases, and the diagonal of the ROC curve. Building costs one
    sort, O(n log n). What is known of single cases is lost: lists, clusters, and which
    case of one model is which of another.

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
    # Whether it is known that its weights count cases.
    is_of_cases: bool = False
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
                "pos and neg must be vectors of the same length, at least 1; found "
                f"shapes {pos.shape} and {neg.shape}."
            )
        for name, weights in (("pos", pos), ("neg", neg)):
            check_finite(name, weights)
            check_range(name, weights)
        weight = pos + neg
        if not weight.any():
            raise ValueError("pos and neg are zero everywhere: no case is left.")
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
        """Set the state from weights, best first.

        ``sums`` of weights that count cases, above each cut, may be known.
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
            is_of_cases=sums is not None,
        )

    def _set(self, n_pos: float, n_neg: float, **known: Any) -> RankTable:
        """Set the state from the weights of classes and all else that is known."""
        for value in known.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        labels = known.get("labels")
        known["n_groups"] = len(known["pos"] if labels is None else labels)
        whole = known.setdefault("total", n_pos + n_neg)
        shares = {"prevalence": n_pos / whole, "negative_fraction": n_neg / whole}
        vars(self).update(known, **shares, n_pos=n_pos, n_neg=n_neg)
        return self

    @lazy
    def pos(self) -> FloatArray:
        """Weight of the positives per group."""
        assert self.labels is not None
        return frozen(self.labels.astype(np.float64))

    @lazy
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
        """Build the table of labelled and scored cases.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of two classes.
        y_score : array-like of shape (n_samples,)
            Scores, higher for the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, not negative.
        pos_label : int, float, bool or str, default=None
            The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

        Returns
        -------
        table : RankTable
            With the scores as ``thresholds``.
        """
        # The scale matters where tables are added.
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
        """Build the table of more cases than fit in memory, a batch at a time.

        Parameters
        ----------
        batches : iterable of tuples
            Of ``(y_true, y_score)`` or ``(y_true, y_score, sample_weight)``, all of the
            same kind, such as a generator. It is gone through once.
        max_groups : int, default=2**20
            With more distinct scores than that, the table is compressed to as many, see
            :meth:`compress`.
        pos_label : int, float, bool or str, default=None
            The positive label of all batches, each of which may hold one class only.
        verbose : int, default=0
            Above 0 a line is printed each time the table is compressed, and at the end.

        Returns
        -------
        table : RankTable
            Of all cases, with their scores as ``thresholds``.

        Raises
        ------
        ValueError
            If there is no batch, or for one that is empty, cannot be ranked, or whose
            labels differ from those before; it is named by its number, from 0.

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
        parts: list[Cells] = []
        number = 0

        def merged_parts() -> Cells:
            cells = compressed(merged_cells(parts), max_groups)
            if verbose > 0:
                weight = cells.pos.sum() + cells.neg.sum()
                found = f"weight {weight:g}, {len(cells.keys)} groups"
                print(f"{number + 1} batches, {found}")  # noqa: T201
            return cells

        for number, columns in iterate_columns(batches, "y_true", "y_score"):
            y_true, y_score, weights = columns
            with naming_batch(number):
                labels = check_vector("y_true", y_true)
                seen = update_labels(seen, f"batch {number}", labels, pos_label)
                # By itself: a batch may have no weight, as long as another has.
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
                parts.append(cells)
            if sum(len(part.keys) for part in parts) > _GATHERED * max_groups:
                parts = [merged_parts()]
        if not parts:
            raise ValueError("sample_weight: no batch holds a case that has weight.")
        return build_cell_table(merged_parts())

    def compress(self, max_groups: int = 2**20) -> RankTable:
        """Merge neighbouring groups, so that at most ``max_groups`` are left.

        Their cases tie, somewhere within a cell of a grid of scores that is the same
        for all tables. So compressed tables still add, in any order, and
        :meth:`max_error` says how far any metric may be off. The top of the ranking
        stays as fine as the rest.

        Parameters
        ----------
        max_groups : int, default=2**20
            Number of groups that are left at most.

        Returns
        -------
        table : RankTable
            The table itself if it has no more groups. Otherwise its ``thresholds`` are
            the middles of cells.

        Raises
        ------
        ValueError
            If the table has no thresholds, these are not all numbers of float64, or
            ``max_groups`` is not a number of at least 1.

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
        max_groups = check_count("max_groups", max_groups, minimum=1)
        if self.n_groups <= max_groups:
            return self
        return build_cell_table(compressed(self.cells, max_groups))

    @property
    def is_compressed(self) -> bool:
        """Whether groups were merged whose order in the ranking was known."""
        return self._cells is not None

    @property
    def cells(self) -> Cells:
        """The groups as cells of the grid of scores, in increasing order."""
        if self._cells is not None:
            return self._cells
        if self.thresholds is None:
            raise ValueError(
                "A table without thresholds cannot be compressed, nor added to one "
                "that is: its scores are unknown."
            )
        keys = encode_scores(self.thresholds[::-1])
        shifts = np.zeros(len(keys), dtype=np.uint8)
        return Cells(keys, shifts, self.pos[::-1], self.neg[::-1])

    def max_error(
        self, metric: str | Callable[..., Any], **metric_kwargs: Any
    ) -> float:
        """Return how far a metric may be from its value on the cases themselves.

        Parameters
        ----------
        metric : callable or str
            A score of this package, as :func:`estimate` takes it.
        **metric_kwargs : dict
            Parameters of the metric, such as ``rate``.

        Returns
        -------
        error : float
            The distance from the metric of the table to that of the best or the worst
            order that the cases may have within their cells, whichever is farther: 0
            for a table that was not compressed, nan where the metric is undefined, for
            momentum and stamina also where the worst order has none.

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

    @lazy
    def n_samples(self) -> float | None:
        """Number of cases, where all weights are whole; None where they are not."""
        weights = (self.pos, self.neg)
        are_whole = all(np.array_equal(np.rint(each), each) for each in weights)
        return self.total if are_whole and self.total < _MOST_CASES else None

    @lazy
    def cum_pos(self) -> FloatArray:
        """Weight of the positives above each cut."""
        return frozen(cumulated(self.pos if self.labels is None else self.labels))

    @lazy
    def cum_neg(self) -> FloatArray:
        """Weight of the negatives above each cut."""
        if self.own_products is not None:
            above = self.rates * self.total
            above -= self.cum_pos
            return frozen(above)
        return frozen(cumulated(self.neg if self.labels is None else ~self.labels))

    @lazy
    def rates(self) -> FloatArray:
        """Rate at each cut."""
        if self.labels is not None or (
            self.is_of_cases and self.n_groups == self.total
        ):
            return frozen(np.arange(self.n_groups + 1) / self.n_groups)
        processed = cumulated(self.pos + self.neg)
        if self.is_of_cases:
            # Of estimated labels rounding may have left it.
            processed = np.rint(processed)
        return frozen(processed / processed[-1])

    @lazy
    def tpr(self) -> FloatArray:
        """True positive rate (recall) at each cut."""
        return frozen(_shares(self.cum_pos))

    @lazy
    def fpr(self) -> FloatArray:
        """False positive rate at each cut."""
        return frozen(_shares(self.cum_neg))

    @property
    def mirrored(self) -> RankTable:
        """The table of swapped classes and negated scores, without thresholds."""
        return self._swapped(slice(None, None, -1))

    @property
    def swapped(self) -> RankTable:
        """The table in which the negatives are the positives, without thresholds."""
        return self._swapped(slice(None))

    def _swapped(self, order: slice) -> RankTable:
        """Return the table of swapped classes with its groups in an order."""
        if self.labels is not None:
            return _build_untied_table(~self.labels[order])
        pos, neg = self.neg[order], self.pos[order]
        if self.own_products is None:
            return build_weight_table(pos, neg)
        own = [each[order] for each in self.own_products]
        are_cases = self.is_of_cases
        return _build_estimated_table(pos, neg, own, self.total, are_cases=are_cases)

    @lazy
    def merged(self) -> Merged:
        """The table with neighbouring groups without a positive as one.

        No metric tells them apart, and with few positives few groups are left.
        """
        return _merged(self, "merged")

    @lazy
    def runs(self) -> Merged:
        """The table with neighbouring groups of one and the same class as one."""
        return _merged(self, "runs")

    @lazy
    def down(self) -> Merged:
        """The table in which negatives tie with the next positives below them."""
        return _merged(self, "down")

    def __add__(self, other: object) -> RankTable:
        if not isinstance(other, RankTable):
            return NotImplemented
        if self.thresholds is None or other.thresholds is None:
            raise ValueError("Only tables with thresholds add: the scores are unknown.")
        if self.is_compressed or other.is_compressed:
            return build_cell_table(merged_cells([self.cells, other.cells]))
        scores = joined("Scores", self.thresholds, other.thresholds)
        order, begins = ranking(scores)
        starts = np.flatnonzero(begins)
        pos, neg = (
            np.add.reduceat(np.concatenate(both)[order], starts)
            for both in ((self.pos, other.pos), (self.neg, other.neg))
        )
        return build_weight_table(pos, neg, scores[order[starts]])

    def __radd__(self, other: object) -> RankTable:
        # What `sum` begins with.
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
    """Return the table that is given, or that of cases, without thresholds."""
    if isinstance(y_true, RankTable):
        check_alone(
            y_true, y_score=y_score, sample_weight=sample_weight, pos_label=pos_label
        )
        return y_true
    return build_table(
        check_ranking(y_true, y_score, sample_weight, pos_label, **options)
    )


def check_alone(given: Any, name: str = "y_true", /, **others: Any) -> None:
    """Raise where something beside a table, or folds, is given that these hold."""
    kind = (given if isinstance(given, type) else type(given)).__name__
    for other, value in others.items():
        if value is not None:
            knows = (
                ", and knows no single cases" if isinstance(given, RankTable) else ""
            )
            raise ValueError(
                f"{other} must be None where {name} is a {kind}: it holds labels, "
                f"scores and weights already{knows}."
            )


def build_table(sample: Sample, *, with_scores: bool = False) -> RankTable:
    """Return the table of checked cases; thresholds are known only if asked for."""
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
    """Return the table of samples whose ranking is known."""
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
        columns = [np.add.reduceat(each, starts) for each in columns]
    pos, neg, *own = columns
    if sample.estimated is None:
        return build_weight_table(pos, neg, thresholds)
    whole = total(pos + neg) if is_weighted else float(len(order))
    # Without weights both products are the same.
    both = own[0], own[-1]
    return _build_estimated_table(pos, neg, both, whole, are_cases=not is_weighted)


def _build_label_table(
    labels: BoolArray, begins: BoolArray, thresholds: Array | None = None
) -> RankTable:
    """Return the table of cases without weights, in the order of their ranking."""
    if begins.all():
        return _build_untied_table(labels, thresholds)
    sums = _sums(labels, np.flatnonzero(begins))
    pos, neg = map(np.diff, sums)
    return build_weight_table(pos, neg, thresholds, sums=sums)


def _sums(labels: BoolArray, starts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of both classes above where groups start, and of all."""
    found = labels.cumsum()
    above = np.append(found[starts] - labels[starts], found[-1]).astype(np.float64)
    return above, np.append(starts, len(labels)) - above


def build_weight_table(
    pos: FloatArray, neg: FloatArray, thresholds: Array | None = None, **known: Any
) -> RankTable:
    """Return the table of groups that have weight, without checks or copies."""
    return RankTable.__new__(RankTable)._fill(pos, neg, thresholds, **known)


def _build_untied_table(
    labels: BoolArray, thresholds: Array | None = None
) -> RankTable:
    """Return the table of labels; weights are made where they are asked for."""
    n_pos, table = float(np.count_nonzero(labels)), RankTable.__new__(RankTable)
    n_neg = len(labels) - n_pos
    return table._set(n_pos, n_neg, labels=labels, thresholds=thresholds)


def extreme_tables(table: RankTable) -> list[RankTable]:
    """Return the worst and the best order of the cases that a table allows."""
    return [
        build_weight_table(*extreme_order(table.cells, is_best=b))
        for b in (False, True)
    ]


def build_cell_table(cells: Cells) -> RankTable:
    """Return the table of cells; it is an exact one if all their scores are known."""
    pos, neg = cells.pos[::-1].copy(), cells.neg[::-1].copy()
    for array in cells:
        array.flags.writeable = False
    known = None if cells.is_exact.all() else cells
    return build_weight_table(pos, neg, decode_scores(cells.keys)[::-1], cells=known)


def _build_estimated_table(
    pos: FloatArray,
    neg: FloatArray,
    own_products: Sequence[FloatArray],
    total: float,
    *,
    are_cases: bool,
) -> RankTable:
    """Return the table of estimated labels, which may be negative."""
    cum_pos = np.zeros(len(pos) + 1)
    np.cumsum(pos, out=cum_pos[1:])
    n_pos = float(cum_pos[-1])
    return RankTable.__new__(RankTable)._set(
        n_pos,
        total - n_pos,
        total=total,
        pos=pos,
        neg=neg,
        cum_pos=cum_pos,
        own_products=tuple(map(frozen, own_products)),
        is_of_cases=are_cases,
    )


def _shares(cumulated: FloatArray) -> FloatArray:
    # Without `divide_or_nan`, which decides for each entry whether to divide: slower.
    if cumulated[-1] == 0:
        return np.full_like(cumulated, np.nan)
    return np.asarray(cumulated / cumulated[-1])


@dataclass(frozen=True, eq=False)
class Merged:
    """A table in which some neighbouring groups are one."""

    pos: FloatArray
    neg: FloatArray
    starts: IntArray
    # Above each cut, where they are known without rounding.
    sums: tuple[FloatArray, FloatArray] | None = None

    @lazy
    def table(self) -> RankTable:
        """The same as a table."""
        return build_weight_table(self.pos, self.neg, sums=self.sums)

    def map_groups(self, n_groups: int) -> IntArray:
        """Return for each of the ``n_groups`` groups the one it became part of."""
        is_start = np.zeros(n_groups, dtype=np.intp)
        is_start[self.starts] = 1
        return np.cumsum(is_start) - 1


def merge_except_cuts(
    table: RankTable, cuts: FloatArray, groups: MergedGroups
) -> Merged:
    """Return a table merged, where no group spans one of these rates but as it did.

    A case above a cut counts and one below does not. In a merged group all would count
    in part: the same for their sum, and too little for its variance.
    """
    if len(cuts) == 0:
        return getattr(table, groups)  # type: ignore[no-any-return]
    # The group that a rate cuts, and the one after it, begin as they did.
    first = np.searchsorted(table.rates, cuts, side="left") - 1
    starts = np.concatenate([first, first + 1])
    return _merged(table, groups, starts[starts < table.n_groups])


def _merged(
    table: RankTable, groups: MergedGroups, kept: IntArray = _NO_GROUPS
) -> Merged:
    """Return a table merged, except for groups that must begin where they did."""
    if table.own_products is not None:
        # Samples are both classes in part: no two groups are alike.
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
    is_start[kept] = True
    starts = np.flatnonzero(is_start)
    if len(starts) == table.n_groups:
        return _unmerged(table)
    if labels is None and not table.is_of_cases:
        pos, neg = (np.add.reduceat(part, starts) for part in (table.pos, table.neg))
        return Merged(pos, neg, starts)
    if labels is not None:
        sums = _sums(labels, starts)
    else:
        cuts = np.append(starts, table.n_groups)
        sums = table.cum_pos[cuts], table.cum_neg[cuts]
    pos, neg = map(np.diff, sums)
    return Merged(pos, neg, starts, sums)


def _unmerged(table: RankTable) -> Merged:
    """Return the table itself, which knows its sums."""
    merged = Merged(table.pos, table.neg, np.arange(table.n_groups))
    vars(merged)["table"] = table
    return merged


def add_end_groups(table: RankTable, pos: float, neg: float) -> RankTable:
    """Return the table with another group at each end, both of the same weights."""
    return build_weight_table(
        np.concatenate([[pos], table.pos, [pos]]),
        np.concatenate([[neg], table.neg, [neg]]),
    )
