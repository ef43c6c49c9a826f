"""Calls with a column of scores for each of several classes."""

import math
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, same_number, same_numbers
from fuzzing.laws import KINDS
from reference import one_vs_rest as reference
from reference import recall_curve, tables
from reference.tables import Groups

AVERAGES = ["macro", "weighted", "micro", "samples", None]
NAMES = [
    "average_precision_score", "recall_at_rate_score", "rate_weighted_auc_score",
    "fpr_at_recall_score", "recall_at_fpr_score",
]  # fmt: skip
# Of those without a rate.
OPTIONS = {
    "average_precision_score": {},
    "fpr_at_recall_score": {"recall": 0.7},
    "recall_at_fpr_score": {"fpr": 0.3},
}
# Of classes, in sorted order.
LABELS = [
    [0, 1, 2, 3],
    [-3, 1, 7, 8],
    [0.25, 1.5, 2.0, 1e9],
    ["a", "b", "bb", "c"],
    [(0, 1), (0, 2), (1, 0), (2, 2)],
]
# Of labels that a case has or has not.
DTYPES = ["int8", "int64", "float32", ">f8"]


def several_classes(rng: np.random.Generator) -> Call:
    """Draw a call of a metric of two to four classes, or labels of a case."""
    name, average = str(rng.choice(NAMES)), AVERAGES[rng.integers(5)]
    n_classes = int(rng.integers(2, 5))
    has_labels = rng.random() < 0.4
    y_true, owned, labels = _classes(rng, n_classes, has_labels=has_labels)
    scores = rng.integers(0, 6, (len(owned), n_classes)) / 5
    weights = rng.integers(0, 4, len(owned)) if rng.random() < 0.4 else None
    if weights is not None:
        weights[0] = 1
    options: dict[str, Any] = {"average": average, "sample_weight": weights}
    lacks_one = not has_labels and len(set().union(*owned)) < n_classes
    if n_classes == 2 or lacks_one or rng.random() < 0.2:
        options["labels"] = _as_objects(labels)
    kind = str(rng.choice(["uniform", "beta"]))
    rate = KINDS[kind][0](rng)
    options |= OPTIONS.get(name, {})
    if name not in OPTIONS:
        options["rate"] = rate.given
        if average not in ("micro", "samples") and rng.random() < 0.3:
            options["rate"] = dict.fromkeys(labels, rate.given)

    def value(is_pos: list[int], column: list[float], of: list[int] | None) -> float:
        groups = Groups(is_pos, column, of)
        if name == "average_precision_score":
            return float(tables.average_precision(groups))
        if name == "fpr_at_recall_score":
            return float(recall_curve.fpr_at_recall(groups, 0.7))
        if name == "recall_at_fpr_score":
            return float(recall_curve.recall_at_fpr(groups, 0.3))
        if name == "recall_at_rate_score":
            return float(tables.expected_recall(groups, rate.distribution))
        return float(tables.rate_weighted_auc(groups, rate.distribution))

    samples = [
        (own, dict(enumerate(row)), 1 if weights is None else int(weights[i]))
        for i, (own, row) in enumerate(zip(owned, scores.tolist(), strict=True))
    ]

    def check(_: Any, found: Any) -> None:
        if average is None:
            expected = reference.of_each(value, samples, range(n_classes))
            same_numbers(f"{name} of each", found, expected, atol=1e-9)
            return
        try:
            wanted = getattr(reference, average)(value, samples, range(n_classes))
        except ZeroDivisionError:
            wanted = math.nan
        same_number(f"{average} {name}", found, wanted, atol=1e-9)

    arguments = y_true, _contained(rng, scores)
    return Call(name, getattr(skrate, name), lambda _: (arguments, options), check)


def _classes(
    rng: np.random.Generator, n_classes: int, *, has_labels: bool
) -> tuple[Any, list[set[int]], list[Any]]:
    """Return ``y_true``, the numbers of the classes of each case, and their names."""
    n_samples = int(rng.integers(1, 30))
    if has_labels:
        is_of = rng.random((n_samples, n_classes)) < rng.choice([0.2, 0.5])
        given = is_of if rng.random() < 0.5 else is_of.astype(str(rng.choice(DTYPES)))
        owned = [set(np.flatnonzero(row).tolist()) for row in is_of]
        return _contained(rng, given), owned, list(range(n_classes))
    codes = rng.integers(0, n_classes, n_samples)
    names = LABELS[rng.integers(len(LABELS))][:n_classes]
    y_true: Any = _as_objects(names)[codes]
    # A list of tuples would be read as columns.
    if not isinstance(names[0], tuple):
        if rng.random() < 0.7:
            y_true = np.array(y_true.tolist())
        elif rng.random() < 0.5:
            y_true = y_true.tolist()
    return y_true, [{code} for code in codes.tolist()], names


def _as_objects(names: list[Any]) -> np.ndarray:
    objects = np.empty(len(names), dtype=object)
    objects[:] = names
    return objects


def _contained(rng: np.random.Generator, columns: np.ndarray) -> Any:
    """Return columns in one of the forms in which they may be given."""
    kind = str(rng.choice(["array", "list", "Fortran", "backwards"]))
    if kind == "list":
        return columns.tolist()
    if kind == "Fortran":
        return np.asfortranarray(columns)
    if kind == "backwards":
        return columns[::-1, ::-1].copy()[::-1, ::-1]
    return columns
