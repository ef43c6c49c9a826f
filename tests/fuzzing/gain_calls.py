"""Calls of the expected gain of cases, each with a gain and maybe a cost."""

from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, holds, near
from fuzzing.laws import draw_rate
from fuzzing.metric_calls import refusals
from fuzzing.samples import Form, Sample, draw_form, draw_sample
from reference import expected_gain as reference


def expected_gain(rng: np.random.Generator) -> Call:
    """Draw a call of expected_gain_score, or of the mean of estimate."""
    rate = draw_rate(rng)
    sample = draw_sample(rng, weighted="whole", largest=300)
    seed, spread = int(rng.integers(10**6)), float(rng.choice([0, 1, 5]))
    # What is free is processed or not where a known rate ends.
    least, has_cost = int(rate.jumps or rng.random() < 0.7), bool(rng.random() < 0.6)
    normalize = bool(rng.random() < 0.3)
    gain_form = draw_form(rng, _worth(len(sample), seed, spread, least)[0])
    gain_form = Form(gain_form.container, gain_form.swapped)

    def worth(given: Sample) -> tuple[np.ndarray, np.ndarray]:
        return _worth(len(given), seed, spread, least)

    def arguments(given: Sample) -> tuple[tuple[Any, ...], dict[str, Any]]:
        gain, cost = worth(given)
        options: dict[str, Any] = {"gain": gain_form(gain), "rate": rate.given}
        if has_cost:
            options["cost"] = cost
        if normalize:
            options["normalize"] = True
        named = {"y_true": given.y_true, "y_score": given.y_score}
        return (), {**named, **given.keywords(), **options}

    def check(given: Sample, found: Any) -> None:
        gain, cost = worth(given)
        weights = np.ones(len(given)) if given.weights is None else given.weights
        if not has_cost:
            cost = np.ones(len(given))
        expected = reference.by_groups(
            given.scores.tolist(), gain, cost, rate.law, weights.tolist()
        )
        total = float(weights.sum()) if normalize else 1.0
        # What is free is processed with the probability at a place, which next to an
        # infinite density is not known as well as means are.
        exact = 1e-11 if cost.all() else 1e-6
        room = exact * float(np.abs(gain) @ weights) / total
        holds(type(found) is float, "it is no float")
        holds(
            near(found, expected / total, rtol=1e-9, atol=room),
            f"expected gain is not the oracle's: {found!r}, not {expected / total!r}",
        )

    return Call(
        "expected_gain_score of cases",
        skrate.expected_gain_score,
        arguments,
        check,
        sample,
        may_refuse=(*refusals(sample), "cost"),
    )


def _worth(
    n_cases: int, seed: int, spread: float, least: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return gains of both signs and whole costs, the same for the same numbers."""
    rng = np.random.default_rng(seed)
    gain = rng.normal(size=n_cases) * np.exp(spread * rng.normal(size=n_cases))
    return gain, rng.integers(least, 6, n_cases).astype(float)
