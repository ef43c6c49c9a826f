"""Calls of the classifier that keeps a share, by exact fractions over all orders."""

from fractions import Fraction
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, holds, same_number
from fuzzing.samples import LABELS
from reference.batch_law import best_place, best_smallest, kept_above
from scores_as_they_are import column, fitted

BATCHES = {"rate": "n_items", "capacity": "n_items", "recall": "n_pos", "fpr": "n_neg"}


def threshold(rng: np.random.Generator) -> Call:
    """Draw the fit of a classifier on held-out scores, many of which may tie."""
    kind = str(rng.choice(list(BATCHES)))
    n, m = int(rng.integers(1, 60)), int(rng.integers(1, 12))
    capacity, share = (
        int(rng.integers(1, m + 1)),
        Fraction(int(rng.integers(1, 20)), 20),
    )
    beyond = {"capacity": Fraction(capacity, m), "recall": 1 - share}.get(kind, share)
    confidences = None, Fraction(1, 2), Fraction(3, 4), Fraction(19, 20)
    confidence = confidences[rng.integers(4)]
    has_batch = kind == "capacity" or rng.random() < 0.5
    scores = rng.normal(size=n) if rng.random() < 0.5 else rng.integers(0, 9, n) / 7
    scores = scores.astype(str(rng.choice(["float32", "float64"])))
    negative, positive, may_omit = LABELS[rng.integers(len(LABELS))]
    is_pos = rng.random(n) < rng.choice([0.2, 0.8])
    y = [positive if each else negative for each in is_pos]
    options: dict[str, Any] = {kind: capacity if kind == "capacity" else float(share)}
    options["confidence"] = None if confidence is None else float(confidence)
    options["pos_label"] = None if may_omit and rng.random() < 0.5 else positive
    if has_batch:
        options[BATCHES[kind]] = m
    # In the order in which cases may be beyond the threshold.
    sign = -1 if kind == "recall" else 1
    rows = {"recall": is_pos, "fpr": ~is_pos}.get(kind, np.ones(n, dtype=bool))
    held_out = [sign * score for score in scores[rows].tolist()]
    place = _place(len(held_out), m if has_batch else None, beyond, confidence)

    def given_as(values: Any) -> Any:
        # A decision function is higher for the second label.
        is_second = sorted([negative, positive])[1] == positive
        return column(values) if is_second else -column(values)

    def fit(**given: Any) -> Any:
        estimator = fitted([negative, positive])
        model = skrate.ConstrainedThresholdClassifier(estimator, cv="prefit", **given)
        return model.fit(given_as(scores), y)

    def check(_: Any, model: Any) -> None:
        cut = kept_above(held_out, place)
        new = [*scores.tolist(), -1e9, 1e9]
        marked = [score * sign > cut for score in new]
        if kind == "recall":
            marked = [not is_missed for is_missed in marked]
        found = [label == positive for label in model.predict(given_as(new)).tolist()]
        holds(found == marked, f"{found} are marked, not {marked}")
        n_above = sum(score > cut for score in held_out)
        share = place / (len(held_out) + 1)
        if held_out.count(cut) > 1:
            share = n_above / len(held_out)
        expected = 1 - share if kind == "recall" else share
        same_number("expected_fraction_", float(model.expected_fraction_), expected)
        low, high = model.fraction_interval_
        holds(0 <= low <= high <= 1, f"from {low} to {high}")
        holds(model.n_held_out_ == len(held_out), f"{model.n_held_out_} held out")

    is_refused = kind in ("recall", "fpr") and place == 0
    name = "ConstrainedThresholdClassifier"
    refusal = (f"{kind}=",) if is_refused else ()
    return Call(name, fit, lambda _: ((), options), check, refusal=refusal)


def _place(n: int, m: int | None, beyond: Fraction, confidence: Fraction | None) -> int:
    """Return the greatest place at which the share beyond is kept."""
    if confidence is None:
        return int(beyond * (n + 1))
    if m is not None:
        return best_place(n, m, [(beyond, Fraction(1))], 1 - confidence)
    return n + 1 if beyond == 1 else best_smallest(n, 1 - beyond, 1 - confidence)
