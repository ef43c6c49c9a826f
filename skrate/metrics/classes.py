"""Targets of more than two classes: each class against the rest, and their average."""

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
    check_vector,
    check_weights,
    class_masks,
    find_label,
    first_missing,
    shown,
    warn_undefined,
)
from skrate.data.folds import FoldRankings
from skrate.data.list_table import list_table
from skrate.data.table import RankTable, check_alone
from skrate.metrics.metric import Metric, score
from skrate.rates.laws import RateLike

AverageName = Literal["macro", "weighted", "micro", "samples"]
# Over classes; None for no average, which is a value for each.
ClassAverage: TypeAlias = AverageName | None
AVERAGES: tuple[AverageName, ...] = get_args(AverageName)

# One for all classes, or one for each by its label.
RateByClass: TypeAlias = RateLike | Mapping[Any, RateLike]
# A metric for all classes, or one for each by its label.
Metrics: TypeAlias = Metric | Mapping[Any, Metric]


@dataclass(frozen=True)
class OneVsRest:
    """Which case is of which class, and how it is scored for each.

    ``is_of`` and ``scores`` have an entry per class, whose label is in ``labels``, with
    one per case. ``name`` says what an entry is called: "class" or "label".
    """

    is_of: list[BoolArray]
    scores: Array
    labels: list[Any]
    name: str


def has_columns(values: Any) -> bool:
    """Return whether there are several columns: an array's, a frame's or lists'."""
    shape = getattr(values, "shape", None)
    if shape is None and isinstance(values, list | tuple) and len(values):
        shape = np.shape(values[0])
        return len(shape) == 1 and shape[0] > 1
    return shape is not None and len(shape) == 2 and shape[1] > 1


def is_one_vs_rest(y_true: Any, y_score: Any, average: Any, labels: Any) -> bool:
    """Return whether scores are of several classes, a column each."""
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
    """Return the metric of a rate: of two classes, of each of several, or their mean.

    ``rate`` may then be a mapping of classes to the rate of each.
    """
    if not is_one_vs_rest(y_true, y_score, average, labels):
        return score(make(rate), y_true, y_score, sample_weight, pos_label)
    metrics: Metrics = (
        {label: make(one) for label, one in rate.items()}
        if isinstance(rate, Mapping)
        else make(rate)
    )
    if pos_label is not None:
        raise ValueError(
            f"pos_label={shown(pos_label)} is for two classes, and y_score has a "
            "column for each of several: leave it out, or score one class against the "
            "rest by y_true == label and its column alone."
        )
    if isinstance(y_true, RankTable):
        check_alone(y_true, y_score=y_score)
    split = one_vs_rest(y_true, y_score, labels)
    each = _class_metrics(metrics, split, average)
    if average == "micro":
        # One queue, in which each case stands once for each class.
        if sample_weight is not None:
            sample_weight = np.tile(_case_weights(sample_weight, split), len(each))
        columns = np.concatenate(split.is_of), split.scores.ravel()
        of = f" of pairs of a case and a {split.name}"
        return score(each[0], *columns, sample_weight, of=of)
    if average == "samples":
        return _mean_sample_score(each[0], split, sample_weight)
    return _class_scores(each, split, sample_weight, average)


def one_vs_rest(
    y_true: Any, y_score: ArrayLike, labels: ArrayLike | None = None
) -> OneVsRest:
    """Return labels and scores split into classes, or into labels of a column each."""
    scores = as_array("y_score", y_score)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(
            "y_score must have a row for each case and a column for each class, found "
            f"an array of shape {scores.shape}."
        )
    known = None if labels is None else _check_names(labels, scores.shape[1])
    if has_columns(y_true):
        is_of, name = list(indicators(y_true).T), "label"
        if len(is_of) != scores.shape[1]:
            raise ValueError(
                f"y_score has {scores.shape[1]} columns, but y_true has one for each "
                f"of {len(is_of)} labels."
            )
        if known is None:
            _check_order(y_score, _column_names(y_true), "the columns of y_true")
            known = list(range(len(is_of)))
    else:
        given, name = check_vector("y_true", y_true), "class"
        found = class_masks(given, scores.shape[1])
        known = _check_classes(list(found), known, y_score, scores)
        none = np.zeros(len(given), dtype=bool)
        is_of = [found.get(find_label(label, list(found)), none) for label in known]
    by = "their sorted order" if labels is None else "labels"
    _check_order(y_score, known, by)
    check_equal_length(y_true=is_of[0], y_score=scores)
    return OneVsRest(is_of, scores.T, known, name)


def _column_names(values: Any) -> list[str]:
    """Return what the columns of a frame are called; an array has no names."""
    return [str(name) for name in getattr(values, "columns", [])]


def _check_order(y_score: Any, expected: list[Any], by: str) -> None:
    """Raise where the columns of a frame are named as the classes, but turned."""
    names, expected = _column_names(y_score), [str(label) for label in expected]
    if names != expected and sorted(names) == sorted(expected):
        raise ValueError(
            f"y_score has columns named {shown(names)}, the classes in another order "
            f"than {by}, {shown(expected)}, by which columns are taken: put them into "
            "that order."
        )


def _check_names(labels: ArrayLike, n_columns: int) -> list[Any]:
    """Return what the columns are called, each by its own name."""
    names: list[Any] = check_vector("labels", labels).tolist()
    if first_missing(names) is not None:
        raise ValueError(f"labels holds a missing value: {shown(names)}.")
    if len(names) != n_columns:
        needs = f"{n_columns} columns: one for each is needed"
        if n_columns == 2:
            needs = "no more columns than two classes have"
        raise ValueError(
            f"labels names {len(names)} classes, {shown(names)}, but y_score has "
            f"{needs}."
        )
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise ValueError(f"labels must differ, but holds {shown(twice[0])} twice.")
    return names


def _check_classes(
    found: list[Any], known: list[Any] | None, y_score: Any, scores: Array
) -> list[Any]:
    """Return the classes of the columns, all of which ``found`` are among."""
    n_columns = scores.shape[1]
    if known is not None:
        _check_among(found, known)
        return known
    if len(found) <= 2 == n_columns:
        # Two classes are told apart by one column.
        check_vector("y_score", y_score)
    if len(found) != n_columns:
        if len(found) > n_columns:
            holds = f"more labels, such as {shown(found)}"
        else:
            holds = f"{shown(found)} only: say by labels= which classes they are of"
        raise ValueError(f"y_score has {n_columns} columns, but y_true holds {holds}.")
    return found


def _check_among(found: Iterable[Any], known: list[Any]) -> None:
    for label in found:
        if find_label(label, known) is None:
            raise ValueError(
                f"y_true holds {shown(label)}, which is not in labels={shown(known)}."
            )


def indicators(y_true: ArrayLike) -> BoolArray:
    """Return labels that a case has or has not as booleans."""
    if hasattr(y_true, "toarray"):
        raise ValueError("y_true is a sparse matrix: pass y_true.toarray().")
    given = as_array("y_true", y_true)
    if given.dtype.kind not in "biuf" or not ((given == 0) | (given == 1)).all():
        other = next(cell for cell in given.ravel().tolist() if cell not in (0, 1))
        raise ValueError(
            "y_true of several columns must hold 0 and 1, or booleans: whether a case "
            f"has the label of the column; found {shown(other)}."
        )
    return np.asarray(given == 1)


def _class_metrics(
    metrics: Metrics, split: OneVsRest, average: ClassAverage
) -> list[Metric]:
    """Return the metric of each class, in their order."""
    if isinstance(metrics, Metric):
        return [metrics] * len(split.labels)
    if average in ("micro", "samples"):
        raise ValueError(
            f"rate must be one for all with average={average!r}, where classes share a "
            "queue: a rate for each class is for separate queues."
        )
    own = {}
    for given, metric in metrics.items():
        label = find_label(given, split.labels)
        if label is None:
            raise ValueError(
                f"rate names the {split.name} {shown(given)}, which is not one of "
                f"{shown(split.labels)}."
            )
        own[label] = metric
    lacking = [label for label in split.labels if label not in own]
    if lacking:
        raise ValueError(
            f"rate lacks the {split.name} {shown(lacking[0])}: it has "
            f"{shown(list(own))}."
        )
    return [own[label] for label in split.labels]


def _class_scores(
    metrics: list[Metric],
    split: OneVsRest,
    sample_weight: ArrayLike | None,
    average: ClassAverage,
) -> float | FloatArray:
    """Return the value of each class, or their mean."""
    shares = np.ones(len(metrics))
    if average == "weighted":
        weights = np.ones(len(split.is_of[0]))
        if sample_weight is not None:
            weights = _case_weights(sample_weight, split)
        shares = np.array([weights[is_of].sum() for is_of in split.is_of])
        if not shares.any():
            reason = f"y_true holds no case with a {split.name}"
            return warn_undefined(metrics[0].name, reason)
    values = np.zeros(len(metrics))
    for i, columns in enumerate(zip(split.is_of, split.scores, strict=True)):
        if shares[i]:
            of = f" of the {split.name} {shown(split.labels[i])}"
            values[i] = score(metrics[i], *columns, sample_weight, of=of)
    return values if average is None else float(dot(values, shares) / shares.sum())


def _case_weights(sample_weight: ArrayLike, split: OneVsRest) -> FloatArray:
    weights = check_weights("sample_weight", sample_weight)
    check_equal_length(y_true=split.is_of[0], sample_weight=weights)
    return weights


def _mean_sample_score(
    metric: Metric, split: OneVsRest, sample_weight: ArrayLike | None
) -> float:
    """Return the mean over cases of the metric of the queue of their classes."""
    is_of, scores, weights = np.stack(split.is_of), split.scores, None
    if sample_weight is not None:
        weights = _case_weights(sample_weight, split)
        kept = weights > 0
        is_of, scores, weights = is_of[:, kept], scores[:, kept], weights[kept]
    of_case = np.tile(np.arange(is_of.shape[1]), len(is_of))
    lists = list_table(is_of.ravel(), scores.ravel(), of_case)
    values = metric.clip(metric.score_lists(lists).values)
    n_undefined = int(np.count_nonzero(np.isnan(values)))
    if n_undefined:
        reason = (
            f"{n_undefined} of {len(values)} cases have none of the labels, or all: "
            "leave them out, or give them no weight"
        )
        return warn_undefined(f"{metric.name} within cases", reason)
    return float(np.average(values, weights=weights))
