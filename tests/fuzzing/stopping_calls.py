"""Calls of recall_certificate and stopping_curve: urns small enough to be counted."""

from fractions import Fraction
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, holds, same_number
from fuzzing.metric_calls import refusals
from fuzzing.samples import Sample, draw_sample
from reference import urn as oracle

TARGETS = "0.95", "0.8", "0.5", "1"
# Cases up to which all windows of a review are counted.
COUNTED = 20


def recall_certificate(rng: np.random.Generator) -> Call:
    """Draw a call of recall_certificate."""
    found, unread = rng.integers(0, 25, 2).tolist()
    sampled = int(rng.integers(0, unread + 1))
    hits = int(rng.integers(0, sampled + 1)) if rng.random() < 0.5 else 0
    target, looks = str(rng.choice(TARGETS)), int(rng.integers(1, 5))
    level = float(rng.uniform(0.3, 0.99))

    def arguments(_: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        counts = np.array([found, unread, sampled, hits])
        options = {"target": float(target), "looks": looks, "confidence_level": level}
        return tuple(counts), options

    def check(_: Any, result: Any) -> None:
        urn = hits, sampled, unread
        expected = looks * oracle.pvalue(found, urn, Fraction(target))
        same_number("pvalue", result.pvalue, float(min(expected, 1)))
        most = oracle.most(*urn, (1 - Fraction(level)) / looks)
        holds(result.most_left == most - hits, f"{result.most_left} of {most} left")

    return Call(
        "recall_certificate", skrate.review.recall_certificate, arguments, check,
        may_warn=found + hits == 0,
    )  # fmt: skip


def certificate_sample_size(rng: np.random.Generator) -> Call:
    """Draw a call of certificate_sample_size, checked size by size."""
    found, unread = rng.integers(0, 25, 2).tolist()
    hits = int(rng.integers(0, min(unread, 3) + 1))
    target, looks = str(rng.choice(TARGETS)), int(rng.integers(1, 5))
    level = float(rng.uniform(0.3, 0.99))
    alpha = (1 - Fraction(level)) / looks

    def arguments(_: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        options = {"target": float(target), "looks": looks, "confidence_level": level}
        return (found, unread), {"n_hits": hits, **options}

    def shows(n: int) -> bool:
        urns = [(x, n, unread) for x in range(hits + 1)]
        return all(oracle.pvalue(found, urn, Fraction(target)) <= alpha for urn in urns)

    def check(_: Any, result: Any) -> None:
        sizes = [n for n in range(hits, unread + 1) if shows(n)]
        holds(result == sizes[0], f"{result} of {sizes}")

    return Call(
        "certificate_sample_size",
        skrate.review.certificate_sample_size,
        arguments,
        check,
    )


def stopping_curve(rng: np.random.Generator) -> Call:
    """Draw a call of stopping_curve, with a look at the end."""
    sample = draw_sample(rng, weighted="none", largest=100)
    n_more, target = int(rng.integers(0, 15)), str(rng.choice(TARGETS))
    ranked = float(rng.random()) if rng.random() < 0.4 else None

    def arguments(given: Sample) -> tuple[tuple[Any, ...], dict[str, Any]]:
        n = len(given.is_pos)
        options: dict[str, Any] = {
            "target": float(target),
            "step": n,
            "n_items": n + n_more,
        }
        if ranked is not None:
            options["n_ranked"] = int(ranked * n)
        return (given.y_true,), {**given.keywords(), **options}

    def check(given: Sample, result: Any) -> None:
        n, is_pos = len(given.is_pos), given.is_pos.astype(int).tolist()
        holds(result.n_read.tolist() == [n], f"looks at {result.n_read}")
        (pvalue,), (left,) = result.pvalues.tolist(), result.most_left.tolist()
        holds(0 <= pvalue <= 1 and 0 <= left <= n_more, f"p = {pvalue}, {left} left")
        if ranked is None and n <= COUNTED:
            expected = oracle.least_over_windows(is_pos, n + n_more, Fraction(target))
            same_number("pvalue", pvalue, float(expected))

    return Call(
        "stopping_curve", skrate.review.stopping_curve, arguments, check, sample,
        may_refuse=refusals(sample), may_warn=True,
    )  # fmt: skip
