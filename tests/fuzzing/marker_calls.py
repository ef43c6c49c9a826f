"""Calls of estimate, of many markers: values by oracles, p-values by relations."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, holds, quietly
from fuzzing.inference_calls import draw_cases, draw_metric, enough, models_of
from fuzzing.metric_calls import refusals
from fuzzing.samples import Sample
from reference.tables import Groups


def estimate_markers(rng: np.random.Generator) -> Call:
    """Draw a call of estimate, of many markers."""
    metric, seed, n = draw_metric(rng), int(rng.integers(20)), int(rng.integers(1, 4))
    sample, options = draw_cases(rng)
    options |= {"n_resamples": 20, "random_state": seed}
    options["adjust"] = str(rng.choice(["holm", "bh", "by"]))
    options["alternative"] = str(rng.choice(["two-sided", "less", "greater"]))

    def arguments(given: Sample) -> Any:
        named = {"metric": metric.given, "y_score": models_of(given, seed, n)}
        return given.data(**named, **options, **metric.options)

    def check(given: Sample, found: Any) -> None:
        holds(len(found) == n == len(found.values), f"{len(found)} of {n} columns")
        if not enough(given, options):
            holds(np.isnan(found.values).all(), "too few cases")
            return
        is_pos, _, weights = given.parts
        models = models_of(replace(given, forms=Sample.forms), seed, n)
        for model, value in zip(models.values(), found.values.tolist(), strict=True):
            if not math.isnan(value):
                metric.check(Groups(is_pos, model.tolist(), weights), value)
        holds(not (found.standard_errors < 0).any(), f"{found.standard_errors}")
        holds(not (found.pvalues < 0).any(), f"p = {found.pvalues}")
        holds(not (found.adjusted_pvalues > 1).any(), f"p = {found.adjusted_pvalues}")
        below = found.adjusted_pvalues < found.pvalues * (1 - 1e-12)
        holds(not below.any(), f"{found.adjusted_pvalues} is below {found.pvalues}")
        again = quietly(skrate.estimate, **arguments(given)[1])
        same = np.array_equal(again.pvalues, found.pvalues, equal_nan=True)
        holds(same, f"a second time p is {again.pvalues}")

    return Call(
        "estimate", skrate.estimate, arguments, check, sample,
        may_refuse=refusals(sample), may_warn=True,
    )  # fmt: skip
