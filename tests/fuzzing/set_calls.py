"""Calls under sets of distributions of the rate: the worst, and comparisons."""

import math
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, holds, quietly, same_number
from fuzzing.inference_calls import draw_cases, enough, other_scores
from fuzzing.metric_calls import refusals
from fuzzing.samples import Sample, draw_sample
from reference.rate_programs import end_of_range
from reference.tables import Groups
from skrate import rates
from skrate.rates.sets import possible_modes

# Of more groups the program takes too long.
MOST_GROUPS = 12


def draw_set(rng: np.random.Generator) -> rates.RateSet:
    """Draw a set of distributions, at times with a mean, at times with a support."""
    n = int(rng.integers(0, 4))
    scale = float(rng.choice([1.0, 1.0, 0.1, 1e-4]))
    known = np.sort(rng.uniform(0, 1, n)) * scale
    levels = np.sort(rng.uniform(0, 1, n))
    told: dict[str, Any] = {}
    if n:
        told["quantiles"] = dict(zip(levels.tolist(), known.tolist(), strict=True))
    if n == 0 or rng.random() < 0.3:
        low = float(rng.uniform(0, known[0] if n else 0.5 * scale))
        high = float(rng.uniform(known[-1] if n else 0.5 * scale, 1))
        told["support"] = (low, high)
    free = rates.between(**told)
    if rng.random() < 0.4:
        least, most = free.masses @ free.edges[:-1], free.masses @ free.edges[1:]
        ends = np.sort(least + (most - least) * rng.uniform(0, 1, 2))
        told["mean"] = float(ends[0]) if rng.random() < 0.5 else tuple(ends.tolist())
    return rates.between(**told)


def with_mode(rng: np.random.Generator, known: rates.RateSet) -> rates.RateSet:
    """Return a set, at times with a mode, if one is possible."""
    ranges = possible_modes(known.edges, known.masses)
    if not ranges or rng.random() < 0.7:
        return known
    _, low, high = ranges[int(rng.integers(len(ranges)))]
    mode = float(rng.uniform(low, high))
    around = mode * rng.random(), mode + (1 - mode) * rng.random()
    try:
        return rates.between(
            dict(known.quantiles) or None,
            mean=known.mean,
            mode=mode if rng.random() < 0.5 else around,
            support=known.support,
        )
    except ValueError as error:
        # With this mode, the mean may be another one.
        holds("mean contradicts" in str(error), str(error))
        return known


def worst_of_set(rng: np.random.Generator) -> Call:
    """Draw a call of a score at the worst of a set."""
    known, worst = draw_set(rng), str(rng.choice(["low", "high"]))
    name = str(rng.choice(["expected_recall_score", "rate_weighted_auc_score"]))
    sample = draw_sample(rng, largest=60)

    def check(given: Sample, found: Any) -> None:
        groups = Groups(*given.parts)
        if math.isnan(found):
            return
        holds(-1e-12 <= found <= 1 + 1e-12, f"{found} is no share")
        if name.startswith("rate") or len(groups.thresholds) > MOST_GROUPS:
            return
        recall = [share / groups.n_pos for share in groups.cum_pos]
        expected = end_of_range(known, groups.edges, recall, end=worst)
        same_number("worst", found, expected, rtol=0, atol=1e-7)

    return Call(
        name, getattr(skrate, name), lambda s: s.data(rate=known, worst=worst), check,
        sample, may_refuse=refusals(sample),
    )  # fmt: skip


def compare_over_set(rng: np.random.Generator) -> Call:
    """Draw a call of compare over a set."""
    known, seed = with_mode(rng, draw_set(rng)), int(rng.integers(100))
    names = ("expected_recall", "negative_recall", "rate_weighted_auc")
    metric = getattr(skrate, f"{rng.choice(names)}_score")
    sample, options = draw_cases(rng)
    options["alternative"] = str(rng.choice(["two-sided", "less", "greater"]))

    def arguments(given: Sample) -> Any:
        named = {"metric": metric, "rate": known, **options}
        return given.data("y_score_a", y_score_b=other_scores(given, seed), **named)

    def check(given: Sample, found: Any) -> None:
        if not enough(given, options):
            holds(math.isnan(found.value), "too few cases")
            return
        if math.isnan(found.range.low):
            holds(metric is skrate.rate_weighted_auc_score, "nan of a recall")
            return
        (low, high), ends = found.range, found.confidence_interval
        holds(low <= found.value + 1e-9 and found.value <= high + 1e-9, "value")
        holds(ends.low <= low + 1e-9 and high <= ends.high + 1e-9, f"interval {ends}")
        holds(0 <= found.pvalue <= 1, f"p = {found.pvalue}")
        for law in (found.law, found.law_low, found.law_high):
            holds(known.contains(law), f"{law!r} is not of the set")
        _check_ends(metric, arguments(given)[1], found)

    return Call(
        "compare", skrate.compare, arguments, check, sample,
        may_refuse=refusals(sample), may_warn=True,
    )  # fmt: skip


def _check_ends(metric: Any, named: dict[str, Any], found: Any) -> None:
    """Check that the laws at the ends have the difference that is told."""
    cases = {k: v for k, v in named.items() if k in ("sample_weight", "pos_label")}
    for law, value in zip((found.law_low, found.law_high), found.range, strict=True):
        a, b = (
            quietly(metric, named["y_true"], named[name], rate=law, **cases)
            for name in ("y_score_a", "y_score_b")
        )
        if not math.isnan(a - b):
            same_number("end", value, a - b, rtol=1e-6, atol=1e-9)
