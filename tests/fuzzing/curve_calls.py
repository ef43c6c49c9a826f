"""Calls of compare_curves and of consensus curves: by oracles, and relations."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, holds, quietly, same_number
from fuzzing.inference_calls import draw_cases, enough, other_scores
from fuzzing.metric_calls import refusals
from fuzzing.samples import Sample, draw_sample
from reference import tables
from reference.tables import Groups

AT_RATE = {
    "recall": skrate.recall_at_rate_score,
    "precision": skrate.precision_at_rate_score,
    "lift": skrate.lift_at_rate_score,
}
GAIN = {"benefit": 3.0, "cost": 0.5}


def compare_curves(rng: np.random.Generator) -> Call:
    """Draw a call of compare_curves."""
    sample, options = draw_cases(rng)
    seed = int(rng.integers(100))
    metric = str(rng.choice(["recall", "precision", "lift", "hits", "gain"]))
    steps = np.unique(rng.integers(1, 41, size=int(rng.integers(1, 6)))) / 40
    options |= {"metric": metric, "rates": steps, "n_resamples": 20}
    options |= {"random_state": seed, **(GAIN if metric == "gain" else {})}
    options["band"] = str(rng.choice(["simultaneous", "pointwise"]))

    def arguments(given: Sample) -> Any:
        models = {"y_score_b": other_scores(given, seed)}
        if seed % 3 == 0:
            both = {"a": given.y_score, "b": models["y_score_b"]}
            models = {"y_score_a": both}
        return given.data("y_score_a", **models, **options)

    def check(given: Sample, found: Any) -> None:
        if not enough(given, options):
            holds(np.isnan(found.difference).all(), "too few cases")
            return
        is_pos, scores, weights = given.parts
        models = (scores, other_scores(given, seed).tolist())
        for values, model in zip((found.value_a, found.value_b), models, strict=True):
            groups = Groups(is_pos, model, weights)
            for rate, value in zip(steps, values.tolist(), strict=True):
                expected = _value(metric, groups, float(rate))
                same_number(metric, value, expected, rtol=1e-9, atol=1e-9)
        _check_bounds(found)
        if metric in AT_RATE:
            _check_error(given, seed, metric, options, found)
        again = quietly(skrate.compare_curves, **arguments(given)[1])
        holds(repr(again) == repr(found), f"a second time it is {again!r}")

    return Call(
        "compare_curves", skrate.compare_curves, arguments, check, sample,
        may_refuse=refusals(sample), may_warn=True,
    )  # fmt: skip


def curve_band(rng: np.random.Generator) -> Call:
    """Draw a call of curve_band."""
    sample, options = draw_cases(rng)
    metric = str(rng.choice(["recall", "precision", "lift", "gain", "roc", "pr"]))
    places = np.unique(rng.integers(1, 41, size=int(rng.integers(1, 6)))) / 40
    options |= {"metric": metric, "at": places, "n_resamples": 20, "random_state": 3}
    options |= GAIN if metric == "gain" else {}
    options["band"] = str(rng.choice(["simultaneous", "pointwise"]))

    def arguments(given: Sample) -> Any:
        return given.data("y_score", **options)

    def check(given: Sample, found: Any) -> None:
        if not enough(given, options):
            holds(np.isnan(found.value).all(), "too few cases")
            return
        groups = Groups(*given.parts)
        for place, value in zip(places, found.value.tolist(), strict=True):
            if metric not in ("roc", "pr"):
                expected = _value(metric, groups, float(place))
                same_number(metric, value, expected, rtol=1e-9, atol=1e-9)
        holds((found.low <= found.value).all(), f"below {found.low}")
        holds((found.value <= found.high).all(), f"above {found.high}")
        again = quietly(skrate.curve_band, **arguments(given)[1])
        holds(repr(again) == repr(found), f"a second time it is {again!r}")

    return Call(
        "curve_band", skrate.curve_band, arguments, check, sample,
        may_refuse=refusals(sample), may_warn=True,
    )  # fmt: skip


def _value(metric: str, groups: Groups, rate: float) -> float:
    recall = float(tables.found_at(groups, Fraction(rate)))
    prevalence = float(Fraction(groups.n_pos) / Fraction(groups.total))
    values = {
        "recall": recall,
        "precision": recall * prevalence / rate,
        "lift": recall / rate,
        "hits": recall * prevalence,
        "gain": GAIN["benefit"] * recall * prevalence - GAIN["cost"] * rate,
    }
    return values[metric]


def _check_bounds(found: Any) -> None:
    for bounds in (found.confidence_interval, found.band):
        holds((bounds.low <= found.difference).all(), f"below {bounds.low}")
        holds((found.difference <= bounds.high).all(), f"above {bounds.high}")
    inner, outer = found.confidence_interval, found.band
    holds((outer.low <= inner.low + 1e-9).all(), "the band is narrower below")
    holds((outer.high >= inner.high - 1e-9).all(), "the band is narrower above")
    won = found.winning_rates()
    for low, high in (*won.a, *won.b, *won.open):
        holds(found.rates[0] <= low <= high <= found.rates[-1], f"({low}, {high})")


def _check_error(
    given: Sample, seed: int, metric: str, options: dict[str, Any], found: Any
) -> None:
    kept = {name: options[name] for name in ("weights",) if name in options}
    both = (given.y_score, other_scores(given, seed))
    rate = float(found.rates[0])
    one = quietly(
        skrate.compare, AT_RATE[metric], given.y_true, *both, rate=rate,
        **given.keywords(), **kept,
    )  # fmt: skip
    if not math.isnan(one.value):
        error = float(found.standard_error[0])
        same_number("error", error, one.standard_error, rtol=1e-6, atol=1e-7)


def rate_averaged_roc_curve(rng: np.random.Generator) -> Call:
    """Draw a call of rate_averaged_roc_curve."""
    seeds = rng.integers(0, 2**31, int(rng.integers(1, 5)))
    folds = []
    for seed in seeds:
        other = np.random.default_rng(seed)
        fold = draw_sample(other, weighted="none", one_class=0.05, largest=100)
        folds.append(replace(fold, labels=(0, 1), pos_label=None, label_dtype="int64"))
    methods = ["exact", "parametric", "bootstrap", "normal", "beta", None, None]
    bounds = methods[rng.integers(len(methods))]
    if sum(len(fold) for fold in folds) > 200:
        bounds = None
    both = [fold for fold in folds if 0 < fold.is_pos.sum() < len(fold)]
    if len(both) < 2 and bounds in ("normal", "beta"):
        bounds = None
    options = {"rates": [0.0, 0.1, 0.5, 0.77, 1.0], "bounds": bounds}
    if bounds in ("exact", "bootstrap"):
        options |= {"n_resamples": 20, "random_state": 0}
        options["band"] = ("pointwise", "simultaneous")[seeds[0] % 2]

    def arguments(_: Any) -> Any:
        named = {"y_trues": [fold.y_true for fold in folds]}
        return (), {**named, "y_scores": [fold.y_score for fold in folds], **options}

    def check(_: Any, found: Any) -> None:
        n_pos = sum(int(fold.is_pos.sum()) for fold in both)
        n_neg = sum(int((~fold.is_pos).sum()) for fold in both)
        for place, rate in enumerate(options["rates"]):
            above = sum(
                tables.found_at(Groups(*fold.parts), Fraction(rate))
                * int(fold.is_pos.sum())
                for fold in both
            )
            fpr = (Fraction(rate) * (n_pos + n_neg) - above) / n_neg
            tpr = float(found.tpr[place])
            same_number("tpr", tpr, float(above / n_pos), atol=1e-9)
            same_number("fpr", float(found.fpr[place]), float(fpr), atol=1e-9)
            point = found.recall_at_rate(rate)
            same_number(
                "recall at a rate", point.value, float(above / n_pos), atol=1e-9
            )
            if bounds is not None:
                low, high = (end.tpr[place] for end in found.confidence_interval)
                holds(
                    low - 1e-9 <= tpr <= high + 1e-9,
                    f"{tpr} is not within {low} and {high} at {rate}",
                )
        holds(np.all(np.diff(found.tpr) > -1e-12), "tpr falls")
        for average in ("rate", "fpr", "tpr", "threshold"):
            points = found.averaged(average)
            for end in (points.tpr, points.fpr):
                holds(np.all(np.diff(end) > -1e-12), f"{average}: an end falls")
                same_number(average, float(end[0]), 0.0)
                same_number(average, float(end[-1]), 1.0, atol=1e-12)
        vertical = found.averaged("fpr")
        below = (vertical.tpr[1:] + vertical.tpr[:-1]) * np.diff(vertical.fpr) / 2
        mean = float(found.fold_rate_weighted_auc().mean())
        same_number("area at equal fpr", float(below.sum()), mean, atol=1e-9)

    return Call(
        "rate_averaged_roc_curve", skrate.rate_averaged_roc_curve, arguments, check,
        may_warn=True, refusal=() if both else ("folds",),
        may_refuse=("Fold",) if any(map(refusals, folds)) else (),
    )  # fmt: skip
