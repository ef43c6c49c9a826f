"""Calls of subgroup_scores: each value by the oracle of expected recall, and sums."""

import math
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, holds, same_number
from fuzzing.inference_calls import draw_cases
from fuzzing.laws import draw_rate
from fuzzing.metric_calls import check_law, refusals
from fuzzing.samples import Sample
from reference import tables
from reference.tables import Groups


def subgroup_scores(rng: np.random.Generator) -> Call:
    """Draw a call of subgroup_scores."""
    rate, (sample, options) = draw_rate(rng), draw_cases(rng)
    asked = ["processed", "recall", "fpr", "precision"][: int(rng.integers(1, 5))]

    def arguments(given: Sample) -> Any:
        rest = {"by": given.group_labels, "rate": rate.given, **options}
        return given.data(metric=asked, **rest)

    def check(given: Sample, found: Any) -> None:
        is_pos, scores, weights = given.parts
        labels = given.groups.tolist()
        for i, (share, by) in enumerate(
            zip(found.metrics, found.groups.tolist(), strict=True)
        ):
            value, (low, high) = found.values[i], found.intervals[i]
            holds(not low > high, f"interval [{low}, {high}]")
            holds(math.isnan(low) or low <= value <= high, f"without {value}")
            holds(math.isnan(value) or 0 <= value <= 1, f"{share} is {value}")
            if share == "precision":
                continue
            of_class = {"recall": True, "fpr": False}.get(share)
            chosen = [
                one == by and of_class in (None, label)
                for one, label in zip(labels, is_pos, strict=True)
            ]
            groups = Groups(chosen, scores, weights)
            # Other weights may be as small as no rate is known.
            if "weights" not in options:
                check_law(
                    share, float(value),
                    lambda slip, of=groups: tables.expected_recall(
                        of, rate.distribution, "positives", slip
                    ),
                    atol=1e-11,
                )  # fmt: skip
        everybody = found.overall.get("recall", math.nan)
        if not math.isnan(everybody) and "weights" not in options:
            parts = zip(found.metrics, found.values, found.n_pos, strict=True)
            whole = float(sum(v * n for of, v, n in parts if of == "recall" and n))
            n_pos = Groups(*given.parts).n_pos
            same_number("found by all", whole, everybody * n_pos, rtol=1e-9)

    may_refuse = (*refusals(sample), "by must have at least 2 groups")
    if "groups" in may_refuse:
        may_refuse += ("by",)
    return Call(
        "subgroup_scores", skrate.subgroup_scores, arguments, check, sample,
        may_refuse=may_refuse, may_warn=True,
    )  # fmt: skip
