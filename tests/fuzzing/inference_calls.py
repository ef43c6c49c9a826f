"""Calls of estimate, compare and their kin: values by the oracles, and relations."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import skrate
from fuzzing.calls import Call, holds, near, quietly, same_number, same_numbers
from fuzzing.laws import Rate, draw_rate
from fuzzing.metric_calls import check_expected, check_law, check_rauc, refusals
from fuzzing.samples import Sample, draw_sample
from metric_registry import CASES
from reference import delong, tables
from reference.tables import Groups
from skrate import rates
from skrate.metrics import momentum
from skrate.metrics.metric import METRICS

KINDS = ("roc_auc", "momentum", "stamina", "ap", "rauc", "recall", "cut", "others")
# Those of which parameters are drawn; of the others, their cases.
DRAWN = {
    skrate.average_precision_score,
    skrate.recall_at_rate_score,
    skrate.lift_at_rate_score,
    momentum.momentum_score,
    skrate.precision_at_rate_score,
    skrate.rate_weighted_auc_score,
    momentum.stamina_score,
}
OTHERS = [
    case
    for case in CASES
    if case.oracle and case.function in METRICS and case.function not in DRAWN
]


class Metric(NamedTuple):
    """A metric as inference takes it, and the check of its value."""

    kind: str
    given: Any
    options: dict[str, Any]
    check: Callable[[Groups, float], None]
    rate: Rate | None = None


def draw_metric(rng: np.random.Generator) -> Metric:
    """Draw a metric with its parameters."""
    kind = str(rng.choice(KINDS if OTHERS else KINDS[:-1]))
    if kind == "others":
        case = OTHERS[rng.integers(len(OTHERS))]

        def check(groups: Groups, found: float) -> None:
            expected = case.oracle(groups, **case.kwargs)
            same_number("value", found, expected, rtol=1e-6, atol=1e-9)

        return Metric(kind, case.function, dict(case.kwargs), check)
    if kind in ("roc_auc", "momentum", "stamina"):
        return Metric(kind, kind, {}, lambda groups, v: _check_shape(kind, groups, v))
    if kind == "ap":
        return _average_precision(rng)
    if kind == "cut":
        return _cut(rng)
    rate = draw_rate(rng)
    if kind == "rauc":
        return Metric(
            kind,
            skrate.rate_weighted_auc_score,
            {"rate": rate.given},
            lambda groups, v: check_rauc("value", groups, rate, v),
            rate,
        )
    of = str(rng.choice(["positives", "negatives"]))

    def check_recall(groups: Groups, found: float) -> None:
        check_law(
            "value",
            found,
            lambda slip: tables.expected_recall(groups, rate.distribution, of, slip),
            atol=1e-11,
        )

    options = {"rate": rate.given, "of": of}
    return Metric(kind, skrate.recall_at_rate_score, options, check_recall, rate)


def _check_shape(kind: str, groups: Groups, found: float) -> None:
    if kind == "roc_auc":
        same_number("value", found, tables.auc(groups), rtol=1e-9)
        return
    expected = tables.momentum_and_stamina(groups)[kind == "stamina"]
    if math.isnan(expected) and 2 * tables.auc(groups) - 1 > -1e-9:
        return
    same_number("value", found, expected, rtol=1e-6)


def _average_precision(rng: np.random.Generator) -> Metric:
    options: dict[str, Any] = {}
    if rng.random() < 0.4:
        options["prevalence"] = float(rng.choice([0.01, 0.5, rng.random()]))
    if rng.random() < 0.3:
        options["adjusted"] = True

    def check(groups: Groups, found: float) -> None:
        against = groups.n_neg / groups.total
        tolerance = 1e-12 + (1e-14 / against if against else 0.0)
        expected = tables.average_precision(groups, **options)
        same_number("value", found, expected, atol=tolerance)

    return Metric("ap", skrate.average_precision_score, options, check)


def _cut(rng: np.random.Generator) -> Metric:
    names = ("recall_at_rate_score", "precision_at_rate_score", "lift_at_rate_score")
    name = str(rng.choice(names))
    if rng.random() < 0.5:
        return _under_law(rng, name)
    rate = float(rng.choice([0.5, 0.1, 1 - rng.random()]))

    def check(groups: Groups, found: float) -> None:
        def value(slip: float) -> float:
            share = min(Fraction(rate) * (1 + Fraction(slip)), Fraction(1))
            recall = tables.found_at(groups, share)
            if name.startswith("recall"):
                return float(recall)
            if name.startswith("lift"):
                return float(recall) / rate
            # Processed cases of which none is positive have a precision.
            hits = recall * groups.n_pos if groups.n_pos else 0
            return float(hits / groups.total) / rate

        check_law("value", found, value, atol=1e-11)

    return Metric("cut", getattr(skrate, name), {"rate": rate}, check)


def _under_law(rng: np.random.Generator, name: str) -> Metric:
    rate = draw_rate(rng)

    def check(groups: Groups, found: float) -> None:
        check_expected(name, groups, rate, found)

    return Metric(
        "distribution", getattr(skrate, name), {"rate": rate.given}, check, rate
    )


def draw_cases(rng: np.random.Generator) -> tuple[Sample, dict[str, Any]]:
    """Return cases whose weights are repetitions, or stand for sampled ones."""
    is_sampling = rng.random() < 0.25
    sample = draw_sample(
        rng, weighted="any" if is_sampling else "whole", largest=400, lists=True
    )
    options: dict[str, Any] = {}
    if is_sampling and sample.weights is not None:
        options["weights"] = "sampling"
    return sample, options


def enough(sample: Sample, options: dict[str, Any]) -> bool:
    """Return whether both classes have the cases and the weight that it takes."""
    is_pos, _, weights = sample.parts
    counts = [1.0] * len(is_pos) if weights is None else weights
    if "weights" in options:
        if is_lopsided(sample, options):
            return False
        # One too small beside the largest for a float is as good as none.
        counts = [float(float(w) / max(map(float, counts)) > 0) for w in counts]
    n_pos = sum(w for pos, w in zip(is_pos, counts, strict=True) if pos)
    return n_pos >= 2 and sum(counts) - n_pos >= 2


def is_lopsided(sample: Sample, options: dict[str, Any]) -> bool:
    """Return whether a class has next to no weight, which some metrics ignore."""
    is_pos, _, weights = sample.parts
    if "weights" not in options or weights is None:
        return False
    shares = [float(weight) / max(map(float, weights)) for weight in weights]
    of_pos = sum(s for pos, s in zip(is_pos, shares, strict=True) if pos)
    of_neg = sum(s for pos, s in zip(is_pos, shares, strict=True) if not pos)
    return min(of_pos, of_neg) < 1e-75 * max(of_pos, of_neg)


def estimate(rng: np.random.Generator) -> Call:
    """Draw a call of estimate."""
    metric = draw_metric(rng)
    sample, options = draw_cases(rng)
    _draw_method(rng, sample, options)

    def arguments(given: Sample) -> Any:
        rest = {name: value for name, value in options.items() if name != "clustered"}
        if options.get("clustered"):
            rest["clusters"] = given.group_labels
        return given.data(metric=metric.given, **rest, **metric.options)

    def check(given: Sample, found: Any) -> None:
        _check_estimate(metric, given, options, found)
        again = quietly(skrate.estimate, **arguments(given)[1])
        holds(repr(again) == repr(found), f"a second time it is {again!r}")
        if options.get("method", "delta") in ("delta", "jackknife"):
            _check_relations(metric, given, options, arguments, found)

    may_refuse = refusals(sample)
    if "null_value" in options:
        # Of a metric that has no such value.
        may_refuse += ("null_value",)
    if options.get("clustered"):
        may_refuse += ("clusters must have at least 2 different clusters", "clusters")
    return Call(
        "estimate", skrate.estimate, arguments, check, sample, may_refuse=may_refuse,
        may_warn=options.get("method") in ("bootstrap", "parametric"),
    )  # fmt: skip


def _draw_method(
    rng: np.random.Generator, sample: Sample, options: dict[str, Any]
) -> None:
    method = str(
        rng.choice(["delta", "bootstrap", "parametric", "jackknife"],
                   p=[0.65, 0.15, 0.1, 0.1])
    )  # fmt: skip
    if "weights" in options and method == "parametric":
        method = "bootstrap"
    if method == "jackknife" and len(sample) > 60:
        method = "delta"
    options["method"] = method
    if method in ("bootstrap", "parametric"):
        options["n_resamples"] = int(rng.choice([2, 20]))
        options["random_state"] = int(rng.integers(1000))
        if rng.random() < 0.5:
            options["interval"] = "percentile"
    elif rng.random() < 0.3:
        options["interval"] = "wald"
    if rng.random() < 0.3 and method != "parametric":
        options["stratify"] = bool(rng.random() < 0.5)
    if rng.random() < 0.15 and method != "parametric" and "stratify" not in options:
        options["clustered"] = True
    if rng.random() < 0.3:
        options["confidence_level"] = float(rng.choice([0.51, 0.9, 0.999]))
    if rng.random() < 0.3:
        options["alternative"] = str(rng.choice(["less", "greater"]))
    if rng.random() < 0.2:
        options["null_value"] = float(rng.uniform(0.05, 0.95))


def _check_estimate(
    metric: Metric, given: Sample, options: dict[str, Any], found: Any
) -> None:
    groups = Groups(*given.parts)
    if not enough(given, options):
        error = found.standard_error
        is_unknown = math.isnan(error) or is_lopsided(given, options)
        holds(is_unknown, f"too few cases give the error {error}")
        if not math.isnan(found.value):
            metric.check(groups, found.value)
        return
    metric.check(groups, found.value)
    error, (low, high) = found.standard_error, found.confidence_interval
    for number in (found.value, error, low, high):
        holds(type(number) is float, f"{number!r} is no builtin float")
    holds(not error < 0, f"standard error {error}")
    holds(not low > high, f"interval [{low}, {high}]")
    if math.isnan(found.value) or math.isnan(error):
        # Of one replicate that is defined there is no spread.
        holds(math.isnan(low) and math.isnan(high), f"nan with [{low}, {high}]")
        return
    if "null_value" in options:
        _check_null(options, found)
    if options.get("interval") in (None, "wald"):
        room = 1e-9 + 1e-9 * abs(found.value)
        holds(
            low - room <= found.value <= high + room,
            f"interval [{low}, {high}] without the value {found.value}",
        )
    if metric.kind == "roc_auc" and options["method"] == "delta":
        _check_delong(given, options, error)


def _check_null(options: dict[str, Any], found: Any) -> None:
    """Check that the p-value of a value goes with the interval."""
    low, high = found.confidence_interval
    p, null = found.pvalue, found.null_value
    holds(0 <= p <= 1, f"p = {p}")
    alpha = 1 - options.get("confidence_level", 0.95)
    if options.get("interval") == "percentile" or abs(p - alpha) < 1e-6:
        # Few replicates cannot tell so much.
        return
    near_end = min(abs(null - low), abs(null - high)) < 1e-9
    holds(
        near_end or (p < alpha) == (not low <= null <= high),
        f"p = {p} of {null}, with the interval [{low}, {high}]",
    )


def _check_delong(given: Sample, options: dict[str, Any], error: float) -> None:
    """Check DeLong's standard error, where weights are repetitions."""
    if "weights" in options or options.get("clustered") or len(given) > 40:
        return
    is_pos, scores = repetitions(given)
    expected = delong.covariance(is_pos, scores, scores)
    same_number("DeLong's error", error, math.sqrt(expected), rtol=1e-8, atol=1e-9)


def repetitions(given: Sample) -> tuple[list[int], list[Any]]:
    """Return labels in {0, 1} and scores with each case as often as it counts."""
    is_pos, scores, weights = given.parts
    times = [1] * len(is_pos) if weights is None else [int(w) for w in weights]
    rows = [i for i, count in enumerate(times) for _ in range(count)]
    return [int(is_pos[i]) for i in rows], [scores[i] for i in rows]


def _check_relations(
    metric: Metric, given: Sample, options: dict[str, Any], arguments: Any, found: Any
) -> None:
    """Check what cases in another order, repeated cases and equal laws give."""
    order = np.random.default_rng(len(given)).permutation(len(given))
    moved = quietly(skrate.estimate, **arguments(given.take(order))[1])
    _same_estimate("in another order", moved, found)
    if given.weights is not None and "weights" not in options:
        rows = np.repeat(np.arange(len(given)), given.weights.astype(int))
        if len(rows) < 200 and options["method"] == "delta":
            plain = replace(given.take(rows), weights=None)
            repeated = quietly(skrate.estimate, **arguments(plain)[1])
            _same_estimate("with repeated rows", repeated, found)
    distribution = metric.rate.distribution if metric.rate else None
    if hasattr(distribution, "points"):
        points = np.clip(distribution.points, 0, 1)
        twin = rates.empirical(
            points[distribution.masses > 0],
            distribution.masses[distribution.masses > 0],
        )
        same = quietly(skrate.estimate, **{**arguments(given)[1], "rate": twin})
        _same_estimate("with the same law as empirical rates", same, found, 1e-6)


def _same_estimate(name: str, found: Any, expected: Any, rtol: float = 1e-9) -> None:
    pairs = {
        "value": (found.value, expected.value),
        "standard error": (found.standard_error, expected.standard_error),
        "low": (found.confidence_interval.low, expected.confidence_interval.low),
        "high": (found.confidence_interval.high, expected.confidence_interval.high),
    }
    for part, (a, b) in pairs.items():
        # The square of a standard error is a difference of squares.
        atol = 1e-7 if part != "value" else 1e-12
        holds(
            near(a, b, rtol=rtol, atol=atol), f"{name} the {part} is {a!r}, not {b!r}"
        )


def influence(rng: np.random.Generator) -> Call:
    """Draw a call of estimate, to look at the influence of each case."""
    metric = draw_metric(rng)
    sample, options = draw_cases(rng)

    def arguments(given: Sample) -> Any:
        return given.data(metric=metric.given, **options, **metric.options)

    def check(given: Sample, known: Any) -> None:
        found = known.influence
        holds(found.shape == (len(given),), f"shape {found.shape}")
        if not enough(given, options) or math.isnan(known.value):
            return
        weights = np.ones(len(given))
        if given.weights is not None:
            weights = np.array(given.parts[2]) / max(given.parts[2])
        mean = weights @ found / weights.sum()
        scale = max(1.0, float(np.abs(found).max()))
        holds(abs(mean) < 1e-8 * scale, f"the weighted mean is {mean}")
        if "weights" not in options:
            counts = np.ones(len(given)) if given.weights is None else given.parts[2]
            squares = np.asarray(counts) @ found**2 / np.sum(counts) ** 2
            # One source may take back what others give: an error is what is left.
            error = known.standard_error
            holds(
                near(math.sqrt(squares), error, rtol=1e-6, atol=1e-7),
                f"the squares give {math.sqrt(squares)!r}, estimate {error!r}",
            )

    return Call(
        "estimate", skrate.estimate, arguments, check, sample,
        may_refuse=refusals(sample), may_warn=True,
    )  # fmt: skip


def other_scores(given: Sample, seed: int) -> np.ndarray:
    """Return scores of another model, full of ties, some of them those of the first."""
    rng = np.random.default_rng(seed)
    noise = np.round(rng.normal(size=len(given)) + given.is_pos, 1)
    if seed % 5 == 0:
        return np.asarray(given.scores.copy())
    return np.asarray(noise)


def compare(rng: np.random.Generator) -> Call:
    """Draw a call of compare."""
    metric, seed = draw_metric(rng), int(rng.integers(100))
    sample, options = draw_cases(rng)
    method = str(rng.choice(["delta", "bootstrap", "permutation"], p=[0.7, 0.15, 0.15]))
    if "weights" in options and method == "permutation":
        method = "delta"
    options["method"] = method
    options["alternative"] = str(rng.choice(["two-sided", "less", "greater"]))
    if method != "delta":
        options["n_resamples"], options["random_state"] = 20, seed
    if method != "permutation" and rng.random() < 0.3:
        options["margin"] = float(rng.choice([0.02, 0.2]))

    def arguments(given: Sample) -> Any:
        named = {"metric": metric.given, "y_score_b": other_scores(given, seed)}
        return given.data("y_score_a", **named, **options, **metric.options)

    def check(given: Sample, found: Any) -> None:
        if not enough(given, options):
            is_unknown = math.isnan(found.pvalue) or is_lopsided(given, options)
            holds(is_unknown, "too few cases")
            return
        _check_comparison(metric, given, other_scores(given, seed), found)
        if "margin" in options and not math.isnan(found.pvalue):
            _check_margin(options["margin"], found)
        if metric.kind == "roc_auc" and method == "delta" and len(given) <= 40:
            _check_paired_delong(given, seed, options, found)
        again = quietly(skrate.compare, **arguments(given)[1])
        holds(repr(again) == repr(found), f"a second time it is {again!r}")

    return Call(
        "compare", skrate.compare, arguments, check, sample,
        may_refuse=refusals(sample), may_warn=True,
    )  # fmt: skip


def _check_comparison(
    metric: Metric, given: Sample, other: np.ndarray, found: Any
) -> None:
    is_pos, scores, weights = given.parts
    for model, value in zip(
        (scores, other.tolist()), (found.value_a, found.value_b), strict=True
    ):
        if not math.isnan(value):
            metric.check(Groups(is_pos, model, weights), value)
    if math.isnan(found.value):
        return
    a, b = found.value_a, found.value_b
    holds(found.value == a - b, f"difference {found.value} of {a} and {b}")
    holds(not found.standard_error < 0, f"standard error {found.standard_error}")
    holds(math.isnan(found.pvalue) or 0 <= found.pvalue <= 1, f"p = {found.pvalue}")
    low, high = found.confidence_interval
    if math.isnan(found.standard_error):
        # A single resample on which the metric is defined has no spread.
        holds(math.isnan(low) and math.isnan(high), f"interval [{low}, {high}]")
        return
    holds(
        low - 1e-9 <= found.value <= high + 1e-9 * max(1, abs(high)),
        f"interval [{low}, {high}] without the difference {found.value}",
    )


def _check_margin(margin: float, found: Any) -> None:
    """Check that the p-value goes with the interval: at 0.05 on each side."""
    low, high = found.confidence_interval
    is_in = {"greater": low > -margin, "less": high < margin}
    expected = is_in.get(found.alternative, all(is_in.values()))
    at_end = min(abs(low + margin), abs(high - margin)) < 1e-9
    holds(
        at_end or abs(found.pvalue - 0.05) < 1e-6
        or (found.pvalue < 0.05) == expected,
        f"p = {found.pvalue} with [{low}, {high}] and the margin {margin}",
    )  # fmt: skip


def _check_paired_delong(
    given: Sample, seed: int, options: dict[str, Any], found: Any
) -> None:
    if "weights" in options:
        return
    is_pos, a = repetitions(given)
    other = replace(given, scores=other_scores(given, seed))
    b = repetitions(other)[1]
    squared = (
        delong.covariance(is_pos, a, a)
        + delong.covariance(is_pos, b, b)
        - 2 * delong.covariance(is_pos, a, b)
    )
    error = math.sqrt(max(squared, 0))
    same_number("error", found.standard_error, error, rtol=1e-8, atol=1e-7)


def models_of(given: Sample, seed: int, n: int) -> dict[str, Any]:
    """Return the scores of ``n`` models, the first of which is the given one."""
    others = {f"model {i}": other_scores(given, 5 * seed + i) for i in range(1, n)}
    return {"first": given.y_score, **others}


def compare_several(rng: np.random.Generator) -> Call:
    """Draw a call of compare, of several models."""
    metric, seed, n = draw_metric(rng), int(rng.integers(20)), int(rng.integers(2, 5))
    sample, options = draw_cases(rng)

    def arguments(given: Sample) -> Any:
        named = {"metric": metric.given, "y_score_a": models_of(given, seed, n)}
        return given.data("y_score_a", **named, **options, **metric.options)

    def check(given: Sample, found: Any) -> None:
        holds(len(found.pairs) == n * (n - 1) // 2, f"{len(found.pairs)} pairs")
        if not enough(given, options):
            is_unknown = math.isnan(found.pairs[0].pvalue)
            holds(is_unknown or is_lopsided(given, options), "too few cases")
            return
        is_pos, _, weights = given.parts
        models = models_of(replace(given, forms=Sample.forms), seed, n)
        places = [(i, j) for i in range(n) for j in range(i + 1, n)]
        names = list(models)
        for (i, j), pair in zip(places, found.pairs, strict=True):
            chosen = (models[names[i]], models[names[j]])
            for model, value in zip(chosen, (pair.value_a, pair.value_b), strict=True):
                if not math.isnan(value):
                    metric.check(Groups(is_pos, model.tolist(), weights), value)
        for pair, adjusted in zip(found.pairs, found.adjusted_pvalues, strict=True):
            holds(not adjusted < pair.pvalue, f"{adjusted} is below {pair.pvalue}")
        _check_covariance(arguments(given)[1], found.covariance)

    return Call(
        "compare", skrate.compare, arguments, check, sample,
        may_refuse=refusals(sample), may_warn=True,
    )  # fmt: skip


def _check_covariance(named: dict[str, Any], found: np.ndarray) -> None:
    """Check that the matrix is symmetric, with the squared errors of the models."""
    models = named.pop("y_score_a")
    holds(found.shape == (len(models), len(models)), f"shape {found.shape}")
    if np.isnan(found).any():
        return
    same_numbers("its transpose", found.T, found)
    for place, scores in enumerate(models.values()):
        one = quietly(skrate.estimate, y_score=scores, **named)
        error = math.sqrt(max(found[place, place], 0))
        same_number("error", error, one.standard_error, rtol=1e-6, atol=1e-7)
