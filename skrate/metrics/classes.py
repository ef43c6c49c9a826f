"""Targets with several classes: each class against the rest, and their average."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from skrate.data.arrays import Array, ArrayLike, BoolArray, FloatArray, Label, dot
from skrate.data.checks import (
    as_array,
    check_choice,
    check_equal_length,
    check_index,
    check_vector,
    check_weights,
    class_masks,
    find_label,
    is_missing,
    shown,
    warn_undefined,
)
from skrate.data.folds import FoldRankings
from skrate.data.list_table import list_table
from skrate.data.table import RankTable, check_alone
from skrate.metrics.metric import Metric, score
from skrate.rates.distributions import RateLike

AverageName = Literal["macro", "weighted", "micro", "samples"]
# The average over classes; None returns a value for each class.
ClassAverage: TypeAlias = AverageName | None
AVERAGES: tuple[AverageName, ...] = get_args(AverageName)

# One rate for all classes, or a rate for each class label.
RateByClass: TypeAlias = RateLike | Mapping[Any, RateLike]


@dataclass(frozen=True)
class OneVsRest:
    """The membership and the scores of each sample in each class.

    ``is_of`` and ``scores`` have a row for each class of ``labels``, with an entry per
    sample. ``name`` is the word for a class in messages: "class" or "label".
    """

    is_of: list[BoolArray]
    scores: Array
    labels: list[Any]
    name: str


def has_columns(values: Any) -> bool:
    """Return whether an array, a frame or a list of lists has several columns."""
    shape = getattr(values, "shape", None)
    if shape is None and isinstance(values, list | tuple) and len(values):
        shape = np.shape(values[0])
        return len(shape) == 1 and shape[0] > 1
    return shape is not None and len(shape) == 2 and shape[1] > 1


def is_one_vs_rest(y_true: Any, y_score: Any, average: Any, labels: Any) -> bool:
    """Return whether there are several classes, with a column of scores each."""
    check_choice("average", average, AVERAGES, or_none=True)
    if isinstance(y_true, FoldRankings):
        check_alone(y_true, y_score=y_score, labels=labels)
    if has_columns(y_score):
        return True
    if labels is not None:
        if isinstance(y_true, RankTable):
            check_alone(y_true, labels=labels)
        known = _check_names(labels, 2)
        _check_among(class_masks(check_vector("y_true", y_true), 2), known)
    return False


def score_any(
    make: Callable[[Any], Metric],
    rate: Any,
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: Any,
    sample_weight: ArrayLike | None,
    pos_label: Label,
    *,
    average: ClassAverage,
    labels: ArrayLike | None,
) -> float | FloatArray:
    """Return the metric of two classes, of each of several classes, or their mean.

    For several classes ``rate`` can be a mapping of classes to rates.
    """
    if not is_one_vs_rest(y_true, y_score, average, labels):
        return score(make(rate), y_true, y_score, sample_weight, pos_label)
    if pos_label is not None:
        raise ValueError(
            f"pos_label={shown(pos_label)} is for two classes: leave it out, or score "
            "one class against the rest by y_true == label and its column of y_score."
        )
    if isinstance(y_true, RankTable):
        check_alone(y_true, y_score=y_score)
    split = one_vs_rest(y_true, y_score, labels)
    class_metrics = _class_metrics(make, rate, split, average)
    if average == "micro":
        # One queue, which contains each sample once for each class.
        if sample_weight is not None:
            weights = _sample_weights(sample_weight, split)
            sample_weight = np.tile(weights, len(class_metrics))
        columns = np.concatenate(split.is_of), split.scores.ravel()
        of = f" of pairs of a sample and a {split.name}"
        return score(class_metrics[0], *columns, sample_weight, of=of)
    if average == "samples":
        return _mean_sample_score(class_metrics[0], split, sample_weight)
    return _class_scores(class_metrics, split, sample_weight, average)


def one_vs_rest(
    y_true: Any, y_score: ArrayLike, labels: ArrayLike | None = None
) -> OneVsRest:
    """Return labels and scores split by class, or by label with a column each."""
    check_index(y_true, y_score=y_score)
    scores = as_array("y_score", y_score)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(
            "y_score must have a row for each sample and a column for each class, got "
            f"an array of shape {scores.shape}."
        )
    known = None if labels is None else _check_names(labels, scores.shape[1])
    if has_columns(y_true):
        is_of, name = list(indicators(y_true).T), "label"
        if len(is_of) != scores.shape[1]:
            raise ValueError(
                f"y_score has {scores.shape[1]} columns, but y_true has {len(is_of)}: "
                "pass a column for each label."
            )
        if known is None:
            _check_order(y_score, _column_names(y_true), "the columns of y_true")
            known = list(range(len(is_of)))
    else:
        targets, name = check_vector("y_true", y_true), "class"
        masks = class_masks(targets, scores.shape[1])
        known = _check_classes(list(masks), known, y_score, scores)
        none = np.zeros(len(targets), dtype=bool)
        is_of = [masks.get(find_label(label, list(masks)), none) for label in known]
    by = "the sorted classes" if labels is None else "labels"
    _check_order(y_score, known, by)
    check_equal_length(y_true=is_of[0], y_score=scores)
    return OneVsRest(is_of, scores.T, known, name)


def _column_names(values: Any) -> list[str]:
    """Return the names of the columns of a frame, an empty list for an array."""
    return [str(name) for name in getattr(values, "columns", [])]


def _check_order(y_score: Any, expected: list[Any], by: str) -> None:
    """Raise an error if a frame has the columns of the classes in another order."""
    names, expected = _column_names(y_score), [str(label) for label in expected]
    if names != expected and sorted(names) == sorted(expected):
        raise ValueError(
            f"y_score has the columns {shown(names)}: reorder them to "
            f"{shown(expected)}, the order of {by}, because they are taken by position."
        )


def _check_names(labels: ArrayLike, n_columns: int) -> list[Any]:
    """Return the names of the columns as a list; these must be unique."""
    names: list[Any] = check_vector("labels", labels).tolist()
    if any(map(is_missing, names)):
        raise ValueError(f"labels has a missing value: {shown(names)}.")
    if len(names) != n_columns:
        needs = f"{n_columns} columns: pass a label for each column"
        if n_columns == 2:
            needs = "the columns of two classes: pass two labels, or leave labels out"
        raise ValueError(
            f"labels has {len(names)} classes, {shown(names)}, but y_score has {needs}."
        )
    repeated = [name for i, name in enumerate(names) if name in names[:i]]
    if repeated:
        raise ValueError(f"labels must be unique, got {shown(repeated[0])} twice.")
    return names


def _check_classes(
    present: list[Any], known: list[Any] | None, y_score: Any, scores: Array
) -> list[Any]:
    """Return the classes of the columns, which include all ``present`` classes."""
    n_columns = scores.shape[1]
    if known is not None:
        _check_among(present, known)
        return known
    if len(present) <= 2 == n_columns:
        # Two classes have one column of scores.
        check_vector("y_score", y_score)
    if len(present) != n_columns:
        if len(present) > n_columns:
            holds = f"more classes, such as {shown(present)}"
        else:
            holds = f"only {shown(present)}: pass labels=, the classes of the columns"
        raise ValueError(f"y_score has {n_columns} columns, but y_true has {holds}.")
    return present


def _check_among(present: Iterable[Any], known: list[Any]) -> None:
    for label in present:
        if find_label(label, known) is None:
            raise ValueError(
                f"y_true has {shown(label)}, which is not in labels={shown(known)}."
            )


def indicators(y_true: ArrayLike) -> BoolArray:
    """Return a matrix of booleans: whether a sample has a label."""
    if hasattr(y_true, "toarray"):
        raise ValueError("y_true is a sparse matrix: pass y_true.toarray().")
    matrix = as_array("y_true", y_true)
    if matrix.dtype.kind not in "biuf" or not ((matrix == 0) | (matrix == 1)).all():
        invalid = next(cell for cell in matrix.ravel().tolist() if cell not in (0, 1))
        raise ValueError(
            f"y_true with several columns must have 0 and 1, or booleans, got "
            f"{shown(invalid)}: 1 if the sample has the label of the column."
        )
    return np.asarray(matrix == 1)


def _class_metrics(
    make: Callable[[Any], Metric], rate: Any, split: OneVsRest, average: ClassAverage
) -> list[Metric]:
    """Return the metric of each class, in the order of the classes."""
    if not isinstance(rate, Mapping):
        return [make(rate)] * len(split.labels)
    if average in ("micro", "samples"):
        raise ValueError(
            f"rate must be a single rate for average={average!r}, because all classes "
            "are in one queue. A rate for each class is for separate queues."
        )
    by_label = {}
    for name, class_rate in rate.items():
        label = find_label(name, split.labels)
        if label is None:
            raise ValueError(
                f"rate has the {split.name} {shown(name)}, which is not one of "
                f"{shown(split.labels)}."
            )
        by_label[label] = make(class_rate)
    missing = [label for label in split.labels if label not in by_label]
    if missing:
        raise ValueError(
            f"rate has no rate for the {split.name} {shown(missing[0])}, only for "
            f"{shown(list(by_label))}."
        )
    return [by_label[label] for label in split.labels]


def _class_scores(
    metrics: list[Metric],
    split: OneVsRest,
    sample_weight: ArrayLike | None,
    average: ClassAverage,
) -> float | FloatArray:
    """Return the value of each class, or their mean."""
    class_weights = np.ones(len(metrics))
    if average == "weighted":
        weights = np.ones(len(split.is_of[0]))
        if sample_weight is not None:
            weights = _sample_weights(sample_weight, split)
        class_weights = np.array([weights[is_of].sum() for is_of in split.is_of])
        if not class_weights.any():
            reason = f"y_true has no sample with a {split.name}"
            return warn_undefined(metrics[0].name, reason)
    scores = np.zeros(len(metrics))
    for i, columns in enumerate(zip(split.is_of, split.scores, strict=True)):
        if class_weights[i]:
            of = f" of the {split.name} {shown(split.labels[i])}"
            scores[i] = score(metrics[i], *columns, sample_weight, of=of)
    if average is None:
        return scores
    return float(dot(scores, class_weights) / class_weights.sum())


def _sample_weights(sample_weight: ArrayLike, split: OneVsRest) -> FloatArray:
    weights = check_weights("sample_weight", sample_weight)
    check_equal_length(y_true=split.is_of[0], sample_weight=weights)
    return weights


def _mean_sample_score(
    metric: Metric, split: OneVsRest, sample_weight: ArrayLike | None
) -> float:
    """Return the mean over samples of the metric of their ranked classes."""
    is_of, scores, weights = np.stack(split.is_of), split.scores, None
    if sample_weight is not None:
        weights = _sample_weights(sample_weight, split)
        counts = weights > 0
        is_of, scores, weights = is_of[:, counts], scores[:, counts], weights[counts]
    sample = np.tile(np.arange(is_of.shape[1]), len(is_of))
    lists = list_table(is_of.ravel(), scores.ravel(), sample)
    sample_scores = metric.clip(metric.score_lists(lists).values)
    n_undefined = int(np.count_nonzero(np.isnan(sample_scores)))
    if n_undefined:
        reason = (
            f"{n_undefined} of {len(sample_scores)} samples have none of the labels, "
            "or all: leave them out, or give them weight 0"
        )
        return warn_undefined(f"{metric.name} within samples", reason)
    return float(np.average(sample_scores, weights=weights))
