"""Calls with rankings of folds: metrics by their oracles, folds by literal loops."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import KFold

import skrate
from fuzzing.calls import Call, holds, quietly, same_number, same_numbers
from fuzzing.metric_calls import parted, refusals
from fuzzing.samples import Form, Sample, draw_sample
from reference.tables import Groups, average_precision, found_at


def of_folds(
    draw: Callable[[np.random.Generator], Call],
) -> Callable[[np.random.Generator], Call]:
    """Return what draws the same calls, with one fold in place of the cases."""

    def draw_it(rng: np.random.Generator) -> Call:
        call = draw(rng)

        def function(**named: Any) -> Any:
            samples, options = parted(named)
            fold = np.zeros(len(samples["y_score"]), dtype=int)
            return call.function(skrate.FoldRankings(**samples, fold=fold), **options)

        return replace(call, name=f"{call.name} of a fold", function=function)

    return draw_it


class _Trained(ClassifierMixin, BaseEstimator):
    """Whatever it is trained on, its decision values are the first column."""

    def __init__(self, classes: tuple[Any, Any]) -> None:
        self.classes = classes
        self.classes_ = np.array(sorted(classes))

    def fit(self, X: Any, y: Any) -> "_Trained":
        return self

    def decision_function(self, X: Any) -> Any:
        return np.asarray(X)[:, 0]


def cross_val_rankings(rng: np.random.Generator) -> Call:
    """Draw a call of cross_val_rankings with a model that is given, and score it."""
    sample = draw_sample(rng, weighted="whole", one_class=0, largest=300)
    n_folds = int(rng.integers(2, 5))
    cv = KFold(n_folds, shuffle=True, random_state=int(rng.integers(100)))

    def arguments(given: Sample) -> Any:
        X = np.asarray(given.scores, dtype=float)[:, None]
        options = {"cv": cv, "pos_label": given.labels[1]}
        if given.weights is not None:
            options["sample_weight"] = given.sample_weight
        return (_Trained(given.labels), X, given.plain_labels), options

    def check(given: Sample, found: Any) -> None:
        is_pos, scores, weights = given.parts
        is_first = given.labels[1] == min(given.labels)
        values = []
        for number, (_, test) in enumerate(cv.split(scores)):
            holds(
                found.indices[found.fold == number].tolist() == test.tolist(),
                f"fold {number} has other cases",
            )
            own = [-float(scores[i]) if is_first else float(scores[i]) for i in test]
            weight = None if weights is None else [weights[i] for i in test]
            groups = Groups([is_pos[i] for i in test], own, weight)
            values.append(average_precision(groups) if groups.n_pos else math.nan)
        of_folds = quietly(found.scores, "average_precision")
        same_numbers("scores", of_folds, values, rtol=1e-9)

    return Call(
        "cross_val_rankings", skrate.cross_val_rankings, arguments, check, sample,
        may_refuse=("y", "n_splits", "sample_weight"), may_warn=True,
    )  # fmt: skip


def drawn_of_folds(rng: np.random.Generator) -> Call:
    """Draw a report card and the hit curve of folds, in a call of both."""
    sample = draw_sample(rng, weighted="whole", one_class=0, largest=300)
    n_samples = len(sample.scores)
    fold = rng.integers(0, int(rng.integers(1, 5)), size=n_samples)
    rate = int(rng.integers(1, 40)) / 40

    def function(**samples: Any) -> Any:
        rankings = skrate.FoldRankings(**samples, fold=fold)
        report = skrate.budget_report(rankings, rate=rate)
        return skrate.hit_curve(rankings), report

    def check(given: Sample, found: Any) -> None:
        parts = given.parts
        each = [
            Groups(*(None if p is None else [p[i] for i in rows] for p in parts))
            for rows in (np.flatnonzero(fold == number) for number in np.unique(fold))
        ]
        total = sum(one.total for one in each)
        at_rate = [
            one.n_pos * found_at(one, Fraction(rate)) for one in each if one.n_pos
        ]
        hits = float(sum(at_rate) / total)
        (rates, of_curve), report = found
        same_number("hits", float(np.interp(rate, rates, of_curve)), hits, rtol=1e-9)
        if not math.isnan(report["found"].value):
            same_number(
                "found", report["found"].value / report.n_samples, hits, rtol=1e-9
            )

    return Call(
        "hit_curve and budget_report of folds", function, Sample.data, check, sample,
        may_refuse=(*refusals(sample), "sample_weight"), may_warn=True,
    )  # fmt: skip


def estimate_folds(rng: np.random.Generator) -> Call:
    """Draw a call of estimate on folds, beside the estimates of single folds."""
    sample = draw_sample(rng, weighted="whole", one_class=0, largest=400)
    fold = rng.integers(0, int(rng.integers(1, 5)), len(sample))
    metric = ("roc_auc", "average_precision")[rng.integers(2)]
    # With the case, so that a smaller sample keeps the folds of its cases.
    sample = replace(sample, groups=fold, forms=(*sample.forms[:3], Form()))

    def function(**samples: Any) -> Any:
        rankings = skrate.FoldRankings(**samples)
        of_folds = [
            quietly(skrate.estimate, metric, labels, scores, sample_weight=weight)
            for labels, scores, weight in rankings
        ]
        return rankings, skrate.estimate(metric, rankings), of_folds

    def arguments(given: Sample) -> Any:
        return given.data(fold=given.groups)

    def check(given: Sample, found: Any) -> None:
        rankings, pooled, of_folds = found
        if any(math.isnan(one.value) for one in of_folds):
            return
        same_number("value", pooled.value, float(np.mean([e.value for e in of_folds])))
        least = min(min(one.n_pos, one.n_neg) for one in of_folds)
        if least < 2:
            return
        total = sum(one.standard_error**2 for one in of_folds) / len(of_folds) ** 2
        # A class of m cases varies m / (m - 1) times as much, but for the AUC.
        most = 1.0 if metric == "roc_auc" else least / (least - 1)
        ratio = pooled.standard_error**2 / total if total > 1e-20 else 1.0
        holds(1 - 1 / least - 1e-9 <= ratio <= most + 1e-9, f"{ratio} times as varied")
        low, high = pooled.confidence_interval
        holds(low <= pooled.value <= high, f"outside [{low}, {high}]")
        again = quietly(skrate.estimate, metric, rankings)
        holds(again == pooled, "another estimate the second time")

    return Call(
        "estimate of folds", function, arguments, check, sample,
        may_refuse=("sample_weight", "y_true", *refusals(sample)), may_warn=True,
    )  # fmt: skip
