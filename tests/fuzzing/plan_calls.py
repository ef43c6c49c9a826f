"""Calls of sample_size: the fewest cases that do, from the influence."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, holds, quietly, same_number
from fuzzing.inference_calls import draw_metric, other_scores
from fuzzing.metric_calls import refusals
from fuzzing.samples import Sample, draw_sample
from reference import sample_size as oracle


def planned(goal: str) -> Callable[[np.random.Generator], Call]:
    """Return what draws calls of sample_size, for a size or for what it shows."""

    def draw(rng: np.random.Generator) -> Call:
        metric, seed = draw_metric(rng), int(rng.integers(100))
        sample = draw_sample(rng, weighted="whole", largest=200)
        options: dict[str, Any] = {
            "alternative": str(rng.choice(["two-sided", "less", "greater"])),
            "confidence_level": float(rng.choice([0.95, 0.8, rng.uniform(0.3, 0.99)])),
        }
        if rng.random() < 0.7:
            options["difference"] = float(rng.uniform(-0.3, 0.3))
        if goal == "n_cases":
            options["n_cases"] = int(rng.integers(1, 3000))
        elif rng.random() < 0.4:
            options.pop("difference", None)
            options["half_width"] = float(10 ** rng.uniform(-3, 0))
        else:
            options["power"] = float(rng.uniform(0.71, 0.99))

        def arguments(given: Sample) -> tuple[tuple[Any, ...], dict[str, Any]]:
            named = {"metric": metric.given, "y_true": given.y_true}
            named |= {"y_score_a": given.y_score}
            named |= {"y_score_b": other_scores(given, seed)}
            return (), {**named, **given.keywords(), **options, **metric.options}

        def check(given: Sample, found: Any) -> None:
            if math.isnan(found.half_width):
                return
            named = arguments(given)[1]
            values, is_pos = _influence(named, given)
            parts, p = oracle.parts_per_case(values, is_pos), float(np.mean(is_pos))
            if sum(parts) < 1e-12:
                return
            _check_size(found, parts, p, options)
            again = quietly(skrate.sample_size, **named)
            holds(repr(again) == repr(found), f"a second time it is {again!r}")

        return Call(
            "sample_size", skrate.sample_size, arguments, check, sample,
            may_refuse=(*refusals(sample), "half_width", "difference", "n_cases"),
            may_warn=True,
        )  # fmt: skip

    return draw


def _influence(named: dict[str, Any], given: Sample) -> tuple[np.ndarray, np.ndarray]:
    """Return the influence on the difference, each case as often as it counts."""
    ours = {"power", "difference", "half_width", "alternative", "confidence_level"}
    ours |= {"n_cases", "y_score_a", "y_score_b"}
    rest = {key: value for key, value in named.items() if key not in ours}
    a, b = (
        quietly(skrate.influence, y_score=named[name], **rest)
        for name in ("y_score_a", "y_score_b")
    )
    is_pos, _, weights = given.parts
    times = np.ones(len(a), dtype=int) if weights is None else np.array(weights, int)
    return np.repeat(a - b, times), np.repeat(np.asarray(is_pos, bool), times)


def _check_size(
    found: Any, parts: list[float], p: float, options: dict[str, Any]
) -> None:
    level = options["confidence_level"]
    width = oracle.half_width(parts, p, found.n, level)
    same_number("half width", found.half_width, float(width), rtol=1e-6)
    least = math.ceil(2 / min(p, 1 - p))
    goal = options.get("half_width")
    if goal is not None:
        holds(width <= goal * (1 + 1e-9), f"a half width of {width}")
        less = oracle.half_width(parts, p, found.n - 1, level)
        holds(found.n == least or less > goal * (1 - 1e-9), "fewer would do")
        return
    if math.isnan(found.power):
        return

    def at(n: float) -> float:
        kind = options["alternative"]
        return float(oracle.power(parts, p, n, found.difference, level, kind))

    same_number("power", found.power, at(found.n), rtol=1e-5, atol=1e-6)
    if "power" in options:
        holds(found.power >= options["power"], f"the power is {found.power}")
        is_least = found.n == least or at(found.n - 1) < options["power"] + 1e-5
        holds(is_least, "fewer would do")
