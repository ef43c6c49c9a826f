"""Rankings of the test sets of a cross-validation, which are never mixed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from numbers import Integral
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

from skrate.data.arrays import Array, ArrayLike, BoolArray, FloatArray, IntArray, Label
from skrate.data.checks import (
    as_array,
    check_counts,
    check_equal_length,
    check_index,
    check_labels,
    check_scores,
    check_vector,
    check_weights,
    shown,
    warn,
    warn_class_scores,
)
from skrate.data.metric_lookup import find_table_metric
from skrate.data.ranking import Grouping, check_groups, sort_naturally
from skrate.data.representations import plain, render_html
from skrate.data.table import RankTable, frozen

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, init=False, eq=False, repr=False)
class FoldRankings:
    r"""Labels and scores of the test samples of several folds, each ranked separately.

    Scores are compared only within a fold, never between models. Metrics of a ranking,
    :func:`estimate`, :func:`compare` and the displays accept the object instead of
    labels and scores. :func:`cross_val_rankings` trains models and returns it.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Labels of two classes: a row for each sample that a fold tests.
    y_score : array-like of shape (n_rows,)
        Scores by the model of the fold, higher for the positive class.
    fold : array-like of shape (n_rows,)
        The fold of each row: numbers or names.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows, not negative.
    clusters : array-like of shape (n_rows,), default=None
        The cluster of each row, such as its patient; clusters are independent. If a
        fold holds a single cluster that no other fold holds, the units of inference are
        the folds, or groups of folds with common clusters.
    indices : array-like of shape (n_rows,), default=None
        The sample of each row, as its number in the data. A sample that is tested in
        several repeats then counts once. None means that each row is another sample.
    repeats : int or array-like of shape (n_folds,), default=None
        The number of repeats, each with the same number of consecutive folds, or the
        repeat of each fold. None infers the repeats from ``indices``.
    pos_label : int, float, bool or str, default=None
        The positive label of all folds. If None, the labels must be {0, 1}, {-1, 1} or
        booleans, and the larger one is positive.
    estimators : sequence of estimators, default=None
        The model of each fold.

    Attributes
    ----------
    n_folds : int
        Number of folds.
    names : tuple of str
        The label of each fold, in the order of the folds: "fold_9" is before "fold_10".
    is_pos : array of shape (n_rows,)
        Whether each row is positive.
    n_pos, n_neg : int
        Number of positive and of negative samples.
    n_repeats : int
        Number of repeats.

    Raises
    ------
    ValueError
        If labels, scores, weights, folds, clusters or indices do not fit, if a fold has
        no weight or tests a sample twice, or if folds overlap but are not whole
        repeats.

    See Also
    --------
    cross_val_rankings : Trains models and returns this object.
    RankTable : The table of one ranking.

    Notes
    -----
    A metric of V folds is the mean of its values within the folds, with equal weights
    [1]_:

    .. math:: \hat\psi = \frac{1}{V} \sum_{v=1}^{V} \hat\psi_v.

    It estimates the mean performance of V models on new samples, as ``cross_val_score``
    does. A fold on which the metric is undefined is left out, with an
    ``UndefinedMetricWarning``. Metrics of lists, or of a gain or cost of each sample,
    do not accept the object. Iteration yields the labels (whether positive), the scores
    and the weights (or None) of each fold.

    References
    ----------
    .. [1] LeDell, Petersen and van der Laan (2015), Computationally efficient
       confidence intervals for cross-validated area under the ROC curve estimates,
       :doi:`10.1214/15-EJS1035`.

    Examples
    --------
    Each fold ranks its positive first, although one fold has higher scores:

    >>> from skrate import FoldRankings, average_precision_score
    >>> rankings = FoldRankings(
    ...     [1, 0, 0, 1, 0], [0.3, 0.2, 0.1, 0.9, 0.8], [1, 1, 1, 2, 2]
    ... )
    >>> rankings
    FoldRankings(5 samples in 2 folds, n_pos=2, n_neg=3)
    >>> average_precision_score(rankings)
    1.0
    >>> [table.n_pos for table in rankings.tables()]
    [1.0, 1.0]
    """

    y_true: Array
    y_score: Array
    fold: Array
    sample_weight: FloatArray | None
    clusters: Array | None
    indices: IntArray | None
    repeats: IntArray
    pos_label: Label
    estimators: tuple[Any, ...] | None
    is_pos: BoolArray = field(init=False)

    # The end of the error if the object is passed as labels or as scores.
    __skrate_hint__ = (
        ", which some functions accept instead of labels and scores: to others pass "
        "one fold at a time, as iteration yields it (labels, scores and weights)"
    )

    def __init__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        fold: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        indices: ArrayLike | None = None,
        repeats: Repeats = None,
        pos_label: Label = None,
        estimators: Sequence[Any] | None = None,
    ) -> None:
        given = {"sample_weight": sample_weight, "clusters": clusters}
        check_index(y_true, y_score=y_score, fold=fold, **given)
        rows: dict[str, Any] = {
            "y_true": check_vector("y_true", y_true),
            "y_score": check_scores("y_score", y_score),
            "fold": check_vector("fold", fold),
        }
        if sample_weight is not None:
            rows["sample_weight"] = check_weights("sample_weight", sample_weight)
        if clusters is not None:
            # Invalid labels of clusters raise here.
            check_groups("clusters", clusters)
            rows["clusters"] = check_vector("clusters", clusters)
        if indices is not None:
            rows["indices"] = check_counts("indices", check_vector("indices", indices))
        check_equal_length(**rows)
        warn_class_scores("y_score", rows["y_score"])
        rows["is_pos"] = check_labels(rows["y_true"], pos_label)
        columns = dict.fromkeys(("sample_weight", "clusters", "indices", "estimators"))
        columns |= {name: frozen(np.array(column)) for name, column in rows.items()}
        vars(self).update(columns, pos_label=pos_label)
        for name, (_, _, weight) in zip(self.names, self, strict=True):
            if weight is not None and not weight.any():
                raise ValueError(
                    f"sample_weight is zero for every sample of fold {name}: leave the "
                    "fold out."
                )
        vars(self)["repeats"] = frozen(self._number_repeats(repeats))
        if estimators is not None:
            is_sequence = isinstance(estimators, Sequence | np.ndarray)
            models = tuple(estimators) if is_sequence else ()
            if len(models) != self.n_folds:
                raise ValueError(
                    f"estimators must hold the model of each fold: got {len(models)} "
                    f"for {self.n_folds} folds."
                )
            vars(self)["estimators"] = models

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self._rows)

    @property
    def n_repeats(self) -> int:
        """Number of repeats; a repeat tests each sample at most once."""
        return int(self.repeats.max()) + 1

    @property
    def n_pos(self) -> int:
        """Number of positive samples; each counts once, however often it is tested."""
        return int(np.count_nonzero(self.is_pos[self._samples[0]]))

    @property
    def n_neg(self) -> int:
        """Number of negative samples; each counts once, however often it is tested."""
        return len(self._samples[0]) - self.n_pos

    @property
    def names(self) -> tuple[str, ...]:
        """The label of each fold as a string, in the order of the folds."""
        return tuple(map(str, self._fold_groups.labels.tolist()))

    def pooled(self) -> FoldRankings:
        """Return the rankings with all folds of a repeat as one list.

        For folds that are too small for a metric within each, as in leave-one-out.

        Returns
        -------
        rankings : FoldRankings
            One fold for each repeat, without the models.

        Notes
        -----
        Pooling assumes that scores of different models are comparable, as calibrated
        probabilities are. Scores are not comparable if each model has its own scale.
        Even for calibrated models without skill, the pooled AUC of leave-one-out is
        below 0.5, because a model that is trained without one of the positives scores
        lower [1]_. The clusters, such as the patient or the site that was left out,
        stay the same.

        References
        ----------
        .. [1] Airola et al. (2011), An experimental comparison of cross-validation
           techniques for estimating the area under the ROC curve,
           :doi:`10.1016/j.csda.2010.11.018`.

        Examples
        --------
        >>> from skrate import FoldRankings, recall_at_rate_score
        >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1]
        >>> rankings = FoldRankings(y_true, y_score, fold=[0, 1, 2, 3])
        >>> recall_at_rate_score(rankings.pooled(), rate=0.5)
        0.5
        """
        return FoldRankings(
            self.y_true,
            self.y_score,
            self.repeats[self._fold_groups.codes],
            sample_weight=self.sample_weight,
            clusters=self.clusters,
            indices=self.indices,
            pos_label=self.pos_label,
        )

    def tables(self) -> list[RankTable]:
        """Return the table of each fold, in the order of ``names``."""
        return [
            RankTable.from_arrays(y_true, y_score, sample_weight=weight)
            for y_true, y_score, weight in self
        ]

    def scores(
        self, metric: str | Callable[..., Any], **metric_kwargs: Any
    ) -> FloatArray:
        """Return the metric within each fold, as ``cross_val_score`` does.

        Parameters
        ----------
        metric : callable or str
            As in :func:`estimate`.
        **metric_kwargs : dict
            Parameters of the metric, such as ``rate``.

        Returns
        -------
        scores : array of shape (n_folds,)
            Input of :func:`compare_folds`. nan if undefined, with a warning that names
            the folds.

        Raises
        ------
        ValueError
            If the metric is not one of this package, or needs the gain or cost of each
            sample.
        """
        return find_table_metric(metric, metric_kwargs).fold_scores(self)

    def rows(self) -> list[IntArray]:
        """Return the increasing row numbers of each fold, in the order of ``names``."""
        return list(self._rows)

    def __iter__(self) -> Iterator[tuple[BoolArray, Array, FloatArray | None]]:
        for rows in self._rows:
            weight = None if self.sample_weight is None else self.sample_weight[rows]
            yield self.is_pos[rows], self.y_score[rows], weight

    def __len__(self) -> int:
        return self.n_folds

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of samples and folds, and the positive label if given."""
        names = ("n_folds", "n_repeats", "n_pos", "n_neg")
        summary = {name: getattr(self, name) for name in names}
        if self.pos_label is not None:
            summary["pos_label"] = plain(self.pos_label)
        return {"n_samples": len(self._samples[0]), **summary}

    def __repr__(self) -> str:
        summary = self.to_dict()
        folds = f"{summary['n_folds']} fold{'s' * (summary['n_folds'] > 1)}"
        if summary["n_repeats"] > 1:
            folds += f" of {summary['n_repeats']} repeats"
        names = ("n_pos", "n_neg", "pos_label")
        more = ", ".join(f"{n}={summary[n]!r}" for n in names if n in summary)
        return f"FoldRankings({summary['n_samples']:,} samples in {folds}, {more})"

    def _repr_html_(self) -> str:
        return render_html("FoldRankings", self.to_dict())

    @cached_property
    def _fold_groups(self) -> Grouping:
        return sort_naturally(check_groups("fold", self.fold))

    @cached_property
    def _rows(self) -> list[IntArray]:
        """The rows of each fold, in the order of the labels of folds."""
        codes, _, sizes = self._fold_groups
        order = np.argsort(codes, kind="stable")
        return np.split(order, np.cumsum(sizes)[:-1])

    @cached_property
    def _samples(self) -> tuple[IntArray, IntArray]:
        """One row of each sample, and the sample of each row."""
        if self.indices is None:
            rows = np.arange(len(self.y_true))
            return rows, rows
        return np.unique(self.indices, return_index=True, return_inverse=True)[1:]

    def _number_repeats(self, repeats: Repeats) -> IntArray:
        """Return the repeat of each fold; a repeat tests each sample at most once."""
        if self.indices is None:
            numbers = check_repeats("repeats", repeats, self.n_folds)
            if numbers.any():
                raise ValueError(
                    "indices is missing: give the sample of each row, because repeats "
                    "test the same samples."
                )
            return numbers
        tests = [self.indices[rows] for rows in self._rows]
        disjoint_repeats(tests, self.names)
        per_sample: dict[str, Array] = {"labels in y_true": self.is_pos}
        if self.clusters is not None:
            per_sample["clusters"] = check_groups("clusters", self.clusters).codes
        if self.sample_weight is not None:
            per_sample["weights in sample_weight"] = self.sample_weight
        first_rows, samples = self._samples
        for words, column in per_sample.items():
            differs = column != column[first_rows][samples]
            if differs.any():
                sample = self.indices[int(np.argmax(differs))]
                raise ValueError(
                    f"indices has sample {sample} in several folds with several "
                    f"{words}: number all samples of the data, from 0."
                )
        if repeats is None:
            numbers = whole_repeats(tests, self.names)
        else:
            numbers = check_repeats("repeats", repeats, len(tests))
        for number in range(int(numbers.max()) + 1):
            tested = self.indices[numbers[self._fold_groups.codes] == number]
            if len(np.unique(tested)) < len(tested):
                raise ValueError(
                    f"repeats puts folds into repeat {number} that test the same "
                    "sample: put them into different repeats."
                )
        return numbers


UNDEFINED_IN_FOLDS = (
    "it is undefined in every fold; rankings.pooled() ranks all folds as one list"
)


def check_cuts(name: str, rate: float, rankings: FoldRankings) -> None:
    """Raise if a (mean) rate processes less than half a sample of most folds.

    Warn if it processes less than one sample of some folds.
    """
    weights = rankings.sample_weight
    sizes = np.array(
        [
            max(len(rows), 0 if weights is None else weights[rows].sum())
            for rows in rankings.rows()
        ]
    )
    n_cut, smallest = rate * sizes, rate * sizes.min()
    if smallest >= 1 - 1e-9 or rankings.n_folds == 1:
        return
    problem = (
        f"the {name} at rate={rate:g} cuts each fold by itself: rank all folds as one "
        "list by rankings.pooled(), as for leave-one-out, or use fewer folds. The "
        f"smallest fold has {sizes.min():g} samples, and this rate processes "
        f"{smallest:.2g}, a part of one sample."
    )
    if np.mean(n_cut < 0.5) > 0.5:
        raise ValueError(f"rate is too small: {problem}")
    warn(problem[0].upper() + problem[1:])


def whole_repeats(tests: Sequence[IntArray], names: Sequence[Any]) -> IntArray:
    """Return the repeat of each fold; raise if folds overlap without whole repeats."""
    numbers = disjoint_repeats(tests, names)
    if np.unique(np.concatenate(tests), return_counts=True)[1].min() > numbers[-1]:
        return numbers
    second = int(np.flatnonzero(numbers)[0])
    shared = [np.intersect1d(test, tests[second]) for test in tests[:second]]
    first = next(i for i, samples in enumerate(shared) if len(samples))
    raise ValueError(
        f"Folds {names[first]} and {names[second]} both test sample "
        f"{shared[first][0]}: use a splitter that tests each sample once, such as "
        "StratifiedKFold or GroupKFold, repeats that each test all samples once, such "
        "as RepeatedStratifiedKFold, or a single split."
    )


# The columns that identify the samples and folds, and the words for them.
_OF_ROW = {
    "fold": "folds",
    "is_pos": "labels",
    "sample_weight": "weights",
    "clusters": "clusters",
    "indices": "samples",
}


def are_fold_rankings(models: Any, kind: Any = FoldRankings) -> bool:
    """Return whether ``models`` is a dict or list with rankings of folds."""
    if isinstance(models, Mapping):
        models = list(models.values())
    is_listed = isinstance(models, list | tuple)
    return is_listed and any(isinstance(model, kind) for model in models)


def check_no_labels(y_true: Any, name: str) -> None:
    """Raise if labels are given although rankings of folds contain them."""
    if not isinstance(y_true, FoldRankings):
        raise ValueError(
            f"y_true must be left out if {name} is a FoldRankings, got "
            f"{type(y_true).__name__}: pass the rankings instead, because they contain "
            "labels, scores and weights."
        )


def check_same_folds(rankings: Mapping[str, Any]) -> None:
    """Raise unless all are rankings of the same samples in the same folds."""
    first_name, first = next(iter(rankings.items()))
    for name, model in rankings.items():
        if not isinstance(model, FoldRankings):
            raise ValueError(
                f"{name} must be FoldRankings, as for the other models, got "
                f"{type(model).__name__}: models are compared fold by fold."
            )
    for name, model in rankings.items():
        for column, words in _OF_ROW.items():
            # None counts as an array that equals only None.
            if not np.array_equal(getattr(first, column), getattr(model, column)):
                raise ValueError(
                    f"{name} has other {words} than {first_name}: train each model by "
                    "cross_val_rankings with the same cv (a number, a splitter with a "
                    "number as random_state, or a list of splits), because models are "
                    "compared by the same samples in the same folds."
                )


# A number of repeats, or a label for each fold; None is one repeat.
Repeats: TypeAlias = int | ArrayLike | None


def check_repeats(name: str, repeats: Repeats, n_folds: int) -> IntArray:
    """Return the repeat of each fold: a single one, equal runs, or as labelled."""
    if repeats is None:
        return np.zeros(n_folds, dtype=np.intp)
    if isinstance(repeats, Integral) and not isinstance(repeats, bool):
        n_repeats = int(repeats)
        if n_repeats < 1 or n_folds % n_repeats:
            raise ValueError(
                f"{name}={n_repeats} does not divide the {n_folds} folds into equal "
                "repeats: give a label for each fold."
            )
        return np.repeat(np.arange(n_repeats), n_folds // n_repeats)
    if as_array(name, repeats).shape != (n_folds,):
        raise ValueError(
            f"{name} must be a number of repeats, or one label for each of the "
            f"{n_folds} folds; got {shown(repeats)}."
        )
    return check_groups(name, repeats).codes


def disjoint_repeats(
    tests: Sequence[ArrayLike], names: Sequence[Any] | None = None
) -> IntArray:
    """Return the repeat of each fold: a run of folds without a common sample."""
    sets = [row_numbers(test) for test in tests]
    samples, codes = np.unique(np.concatenate(sets), return_inverse=True)
    last = np.full(len(samples), -1)
    numbers = np.zeros(len(sets), dtype=np.intp)
    number = 0
    for i, test in enumerate(np.split(codes, np.cumsum(list(map(len, sets)))[:-1])):
        counts = np.bincount(test, minlength=1)
        if counts.max() > 1:
            raise ValueError(
                f"The test set of fold {names[i] if names else i} holds sample "
                f"{samples[counts.argmax()]} {counts.max()} times: a fold can test a "
                "sample only once."
            )
        number += bool((last[test] == number).any())
        last[test] = numbers[i] = number
    return numbers


def row_numbers(test: ArrayLike) -> IntArray:
    """Return row numbers; a custom splitter may give a mask."""
    rows = np.asarray(test)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)


def check_part_rows(part: ArrayLike, n_samples: int, fold: int) -> IntArray:
    """Return the row numbers of a part of a fold; negative ones count from the end."""
    rows = row_numbers(part)
    outside = rows[(rows < -n_samples) | (rows >= n_samples)]
    if outside.size:
        raise ValueError(
            f"Fold {fold} of cv has row {outside[0]}, but there are {n_samples} rows."
        )
    return np.asarray(rows % n_samples)


def check_disjoint(train: IntArray, test: IntArray, fold: int) -> None:
    """Raise if a fold tests samples that its model was trained on."""
    if np.intersect1d(train, test).size:
        raise ValueError(
            f"Fold {fold} of cv tests samples that it trains on: leave them out of the "
            "training part, because their scores are no guide to new samples."
        )


def accept_reports(function: Function) -> Function:
    """Return a function that reads a report of skore wherever it takes FoldRankings."""

    @wraps(function)
    def read(*args: Any, **kwargs: Any) -> Any:
        values = [*args, *kwargs.values()]
        for i, value in enumerate(values):
            if isinstance(value, Mapping) or hasattr(value, "get_predictions"):
                values[i] = read_report(value)
        positional, named = values[: len(args)], values[len(args) :]
        return function(*positional, **dict(zip(kwargs, named, strict=True)))

    return cast(Function, read)


def read_report(value: Any) -> Any:
    """Return the FoldRankings of a report, by name for several; others as they are."""
    if isinstance(value, Mapping) and any(
        hasattr(entry, "get_predictions") for entry in value.values()
    ):
        return {name: read_report(entry) for name, entry in value.items()}
    # A report has this public method, which no array has.
    if not hasattr(value, "get_predictions"):
        return value
    reports = getattr(value, "reports_", [value])
    if isinstance(reports, Mapping):
        return read_report(reports)
    labels, scores = zip(*map(_test_columns, reports), strict=True)
    folds = np.repeat(np.arange(len(labels)), list(map(len, labels)))
    tests = [test for _, test in getattr(value, "split_indices", ())]
    indices = np.concatenate(tests) if tests else None
    return FoldRankings(
        np.concatenate(labels), np.concatenate(scores), folds, indices=indices
    )


def _test_columns(report: Any) -> tuple[Any, Any]:
    """Return whether each test sample is positive, and its score."""
    model = report.estimator_
    classes = model.classes_.tolist()
    if len(classes) != 2:
        raise ValueError(
            f"The report of {type(model).__name__} must be for two classes, got "
            f"{len(classes)}: {classes}."
        )
    positive = classes[1] if report.pos_label is None else report.pos_label
    has_proba = hasattr(model, "predict_proba")
    method = "predict_proba" if has_proba else "decision_function"
    scores = report.get_predictions(data_source="test", response_method=method)
    if scores.ndim == 2:
        scores = scores[:, classes.index(positive)]
    return np.asarray(report.y_test) == positive, scores
