"""Calls of rates, error rates, folds, scorers, displays and RankBoost."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sklearn
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin

import skrate
from fuzzing.calls import Call, holds, quietly, same_number, same_numbers
from fuzzing.laws import draw_rate, narrow
from fuzzing.metric_calls import check_law, check_rauc, refusals
from fuzzing.samples import Sample, draw_sample
from reference import error_enumeration, rate_law, tables
from reference.rate_law import Density
from reference.tables import Groups
from skrate import rates


def rate_methods(rng: np.random.Generator) -> Call:
    """Draw a rate and read its mean, survival function, quantiles and masses."""
    rate = draw_rate(rng)
    x = np.sort(rng.random(5))

    def read() -> Any:
        return rates.mixture([rate.given])

    def check(_: Any, found: Any) -> None:
        law, low, high = rate.law, x[:-1], x[1:]
        mean = rate_law.mean(law)
        same_number("mean", found.mean(), mean, rtol=1e-9)
        same_numbers("survival", found.survival(x), law.survival(x), atol=1e-11)
        means = [rate_law.limited_mean(law, value) for value in x.tolist()]
        same_numbers("limited mean", found.limited_mean(x), means, atol=1e-12)
        cells = law.mean_survival(low, high)
        same_numbers("mean survival", found.mean_survival(low, high), cells, atol=1e-11)
        n = int(rng.integers(1, 30))
        edges = np.arange(n + 1) / n
        weights = law.mean_survival(edges[:-1], edges[1:])
        same_numbers("instance weights", found.instance_weights(n), weights, atol=1e-11)
        _, masses = found.point_masses()
        holds(bool((masses > 0).all()), "a mass of nothing")
        holds(float(masses.sum()) <= 1 + 1e-9, f"masses sum to {masses.sum()}")

    return Call("rates.mixture", read, lambda _: ((), {}), check)


def twins(rng: np.random.Generator) -> Call:
    """Draw two laws that look alike (by name, by coarse values), and take both."""
    kind = str(rng.choice(["histogram", "custom", "normal"]))
    pair = []
    for _ in range(2):
        width = float(rng.uniform(0.03, 0.06))
        if kind == "histogram":
            edges = np.linspace(0, width, 4)
            built = stats.rv_histogram((rng.integers(1, 9, 3), edges), density=False)
            pair.append((built.freeze(), Density.of(built, edges)))
        elif kind == "custom":
            pair.append(narrow(width))
        else:
            frozen = stats.norm(0.5 + rng.uniform(-1, 1) * 1e-7, 1e-3)
            pair.append((frozen, Density.of(frozen)))
    sample = draw_sample(rng, weighted="none", one_class=0)
    y_true, y_score = sample.is_pos.astype(int), np.asarray(sample.scores)

    def score_both(*given: Any) -> list[float]:
        return [skrate.expected_recall_score(y_true, y_score, rate=r) for r in given]

    def check(_: Any, found: Any) -> None:
        groups = Groups(*sample.parts)
        for number, (value, (_given, law)) in enumerate(zip(found, pair, strict=True)):
            if groups.n_pos:
                check_law(
                    f"expected recall under the law {number} of two",
                    value,
                    lambda slip, law=law: tables.expected_recall(
                        groups, law, slip=slip
                    ),
                )

    return Call(
        "expected_recall_score", score_both, lambda _: ((pair[0][0], pair[1][0]), {}),
        check,
    )  # fmt: skip


def elicited(rng: np.random.Generator) -> Call:
    """Draw a call of what makes a beta of bounds, and read its quantiles."""
    low = float(10 ** rng.uniform(-8, -0.5))
    high = min(low * float(rng.uniform(1.5, 8)), 0.99)
    tail = float(rng.choice([0.025, 0.1, 0.25]))
    n = 10 ** int(rng.integers(2, 8))
    confidence = 1 - 2 * tail
    name = str(rng.choice(["from_budget", "from_quantiles", "from_counts"]))
    options: dict[str, Any] = {"quantiles": {tail: low, 1 - tail: high}}
    if name == "from_counts":
        options = {"low": low * n, "high": high * n}
    elif name == "from_budget":
        options = {"total": 1.0, "cost": (1 / n / high, 1 / n / low)}
        kind = rng.random()
        if kind < 0.3:
            options = {"total": (low * n, high * n), "cost": 1.0}
        elif kind < 0.6:
            # Both as uncertain as the other: the root of half of it each.
            reach = (high / low) ** (0.5**0.5)
            middle = (low * high) ** 0.5 * n
            options = {
                "total": (middle / reach**0.5, middle * reach**0.5),
                "cost": (reach**-0.5, reach**0.5),
            }
    if name != "from_quantiles":
        options |= {"n_items": n, "confidence": confidence}

    def check(_: Any, found: Any) -> None:
        # The law is beta: its parameters are what scipy takes.
        law = stats.beta(found.a, found.b)
        same_numbers("quantiles", law.ppf([tail, 1 - tail]), [low, high], rtol=1e-6)
        same_number("mean", found.mean(), float(law.mean()), rtol=1e-9)

    return Call(
        f"rates.{name}", getattr(rates, name), lambda _: ((), options), check,
        may_refuse=("quantiles", "cost", "high"),
    )  # fmt: skip


def auc_moments(rng: np.random.Generator) -> Call:
    """Draw a call of auc_moments."""
    n_pos, n_neg = rng.integers(1, 30, 2).tolist()
    if rng.random() < 0.5:
        n_errors = int(rng.integers(0, n_pos + n_neg + 1))
        options: dict[str, Any] = {"n_errors": n_errors}
        expected = error_enumeration.moments_by_counting(n_pos, n_neg, n_errors)
    else:
        x, y = int(rng.integers(0, n_neg + 1)), int(rng.integers(0, n_pos + 1))
        options = {"n_false_pos": x, "n_false_neg": y}
        m, n = Fraction(n_pos), Fraction(n_neg)
        above, below = m - y + x, n - x + y
        pairs = x * (m - y) * (above + 1) + y * (n - x) * (below + 1)
        expected = 1 - (x / n + y / m) / 2, pairs / 12 / (m * n) ** 2
    dtype = str(rng.choice(["int64", "uint8", "int16"]))
    is_array = rng.random() < 0.3

    def arguments(_: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        named = {"n_pos": n_pos, "n_neg": n_neg, **options}
        if is_array:
            named = {name: np.array([v, v], dtype) for name, v in named.items()}
        return (), named

    def check(_: Any, found: Any) -> None:
        mean, variance = (np.ravel(part)[0] for part in (found.mean, found.variance))
        same_number("mean", float(mean), float(expected[0]), rtol=1e-9)
        same_number("variance", float(variance), float(expected[1]), rtol=1e-8)

    return Call("auc_moments", skrate.error_rate.auc_moments, arguments, check)


def auc_range(rng: np.random.Generator) -> Call:
    """Draw a call of auc_range_from_errors."""
    n_pos, n_neg = rng.integers(1, 7, 2).tolist()
    share = float(rng.choice([0.5, 0.9, 0.95]))
    options: dict[str, Any] = {"share": share}
    if rng.random() < 0.5:
        errors: Any = int(rng.integers(0, n_pos + n_neg + 1))
        options["n_errors"] = errors
    else:
        errors = int(rng.integers(0, n_neg + 1)), int(rng.integers(0, n_pos + 1))
        options["n_false_pos"], options["n_false_neg"] = errors
    options["method"] = str(rng.choice(["auto", "exact", "moments"]))
    apart = errors if isinstance(errors, tuple) else None

    def check(_: Any, found: Any) -> None:
        counts = error_enumeration.auc_counts(
            n_pos, n_neg, None if apart else errors, apart
        )
        low, high = found.range
        total = sum(counts.values())
        inside = sum(c for v, c in counts.items() if low - 1e-9 <= v <= high + 1e-9)
        holds(inside >= (share - 1e-9) * total, f"holds {inside} of {total}")
        mean, variance = error_enumeration.moments(counts)
        same_number("mean", found.mean, float(mean), rtol=1e-9)
        deviation = math.sqrt(variance)
        same_number("deviation", found.standard_deviation, deviation, atol=1e-7)
        same_numbers(
            "possible", found.possible, [float(min(counts)), float(max(counts))]
        )

    options |= {"n_pos": n_pos, "n_neg": n_neg}
    return Call(
        "auc_range_from_errors", skrate.error_rate.auc_range_from_errors,
        lambda _: ((), options), check,
    )  # fmt: skip


def compare_folds(rng: np.random.Generator) -> Call:
    """Draw a call of compare_folds."""
    n = int(rng.integers(2, 11))
    a, b = (np.round(rng.random(n), 2).tolist() for _ in range(2))
    method = str(rng.choice(["corrected", "paired"]))
    options: dict[str, Any] = {"method": method}
    share = 1 / (n - 1)
    if rng.random() < 0.3:
        options |= {"n_train": 80, "n_test": 20}
        share = 0.25

    def check(_: Any, found: Any) -> None:
        d = np.array(a) - np.array(b)
        same_number("difference", found.value, float(np.mean(d)))
        factor = 1 / n + (share if method == "corrected" else 0)
        error = math.sqrt(factor * np.var(d, ddof=1))
        same_number("standard error", found.standard_error, error, rtol=1e-9)
        if error > 1e-9:
            t = float(np.mean(d)) / error
            pvalue = 2 * float(stats.t.sf(abs(t), n - 1))
            same_number("p-value", found.pvalue, pvalue, rtol=1e-7)

    return Call(
        "compare_folds", skrate.compare_folds,
        lambda _: ((), {"a": list(a), "b": list(b), **options}), check, may_warn=True,
    )  # fmt: skip


def summarize(rng: np.random.Generator) -> Call:
    """Draw a call of summarize."""
    n = int(rng.integers(2, 11))
    scores, errors = rng.random(n), rng.uniform(0.01, 0.1, n)
    n_pos, n_neg = rng.integers(1, 50, (2, n))

    def results(_: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (), {
            "cv_results": {
                "test_auc": scores.copy(), "test_auc_standard_error": errors.copy(),
                "test_n_pos": n_pos.copy(), "test_n_neg": n_neg.copy(),
            }
        }  # fmt: skip

    def check(_: Any, found: Any) -> None:
        row = found[0]
        same_number("value", row.value, float(np.mean(scores)))
        error = math.sqrt((1 / n + 1 / (n - 1)) * np.var(scores, ddof=1))
        same_number("standard error", row.standard_error, error, rtol=1e-9)
        weights = n_pos * n_neg / (n_pos + n_neg)
        pooled = float(np.sum(weights * scores) / np.sum(weights))
        same_number("pooled", row.pooled, pooled, rtol=1e-9)
        pooled_error = math.sqrt(np.sum((weights * errors) ** 2)) / np.sum(weights)
        same_number(
            "pooled error", row.pooled_standard_error, float(pooled_error), rtol=1e-9
        )
        low, high = row.confidence_interval
        holds(low <= row.value <= high, f"[{low}, {high}] without {row.value}")

    return Call("summarize", skrate.summarize, results, check, may_warn=True)


class Given(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose decision values are the first column."""

    def __init__(self, classes: tuple[Any, Any]) -> None:
        self.classes = classes
        self.classes_ = np.array(sorted(classes))

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def decision_function(self, X: Any) -> Any:
        return np.asarray(X)[:, 0]

    def predict(self, X: Any) -> Any:
        return self.classes_[(np.asarray(X)[:, 0] > 0).astype(int)]


def scorer(kind: str) -> Callable[[np.random.Generator], Call]:
    """Return what draws calls of a scorer on a classifier with given scores."""

    def draw(rng: np.random.Generator) -> Call:
        sample = draw_sample(rng, lists=kind == "lists", largest=300)
        classes = sample.labels
        options: dict[str, Any] = {}
        rate = draw_rate(rng)
        metrics: list[Any] = {
            "make_ranking_scorer": [skrate.rate_weighted_auc_score],
            "several": [["rate_weighted_auc"]],
            "lists": ["ranking_auc"],
        }.get(kind, [])
        if (
            kind in ("make_ranking_scorer", "several")
            or kind == "RateWeightedAUCScorer"
        ):
            options["rate"] = rate.given
        elif kind == "AveragePrecisionScorer" and rng.random() < 0.5:
            options["prevalence"] = 0.2
        positive = sample.labels[1]
        # The classifier scores its second class, whichever is asked for.
        is_first = positive == Given(classes).classes_[0]
        make = getattr(skrate, "make_ranking_scorer" if metrics else kind)
        built = make(*metrics, pos_label=positive, **options)
        if kind == "several":
            built = built["rate_weighted_auc"]
        built = _asked(built, sample)

        def arguments(given: Sample) -> tuple[tuple[Any, ...], dict[str, Any]]:
            X = np.asarray(given.scores, dtype=float)[:, None]
            keywords = {}
            if given.weights is not None:
                keywords["sample_weight"] = given.sample_weight
            if given.groups is not None:
                keywords["groups"] = given.group_labels
            return (Given(classes), X, given.y_true), keywords

        def check(given: Sample, found: Any) -> None:
            is_pos, scores, weights = given.parts
            values = [-float(s) if is_first else float(s) for s in scores]
            if given.groups is not None:
                same = quietly(
                    skrate.ranking_auc_score,
                    np.array(is_pos), np.array(values), groups=given.groups,
                    sample_weight=given.weights,
                )  # fmt: skip
                same_number("score", found, same)
                return
            groups = Groups(is_pos, values, weights)
            if "rate" in options:
                check_rauc("score", groups, rate, found)
            else:
                same_number("score", found, tables.average_precision(groups, **options))

        def score(*args: Any, **kwargs: Any) -> Any:
            # Else a scorer takes no groups.
            with sklearn.config_context(enable_metadata_routing=True):
                return built(*args, **kwargs)

        return Call(kind, score, arguments, check, sample, may_refuse=refusals(sample))

    return draw


def eval_metric(rng: np.random.Generator) -> Call:
    """Draw scores of a round, and call a metric as LightGBM or XGBoost does."""
    sample = draw_sample(rng, largest=300)
    library = str(rng.choice(["lightgbm", "xgboost"]))
    is_pos, scores, weights = sample.parts
    # Libraries number the classes.
    labels, values = np.asarray(is_pos, dtype=np.float32), np.asarray(scores, float)
    monitor = skrate.eval_metric("average_precision", library=library)

    def arguments(_: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (labels, values, weights), {}

    def check(_: Any, found: Any) -> None:
        value = -found if library == "xgboost" else found[1]
        expected = tables.average_precision(Groups(is_pos, values.tolist(), weights))
        same_number("value", value, expected)
        if library == "lightgbm":
            holds(found[::2] == ("average_precision", True), f"returned {found}")

    refusal = () if labels.any() else ("average_precision",)
    return Call("eval_metric", monitor, arguments, check, refusal=refusal)


def _asked(built: Any, sample: Sample) -> Any:
    """Return the scorer with a request for what it will be given."""
    asked = {"sample_weight": True} if sample.weights is not None else {}
    if sample.groups is not None:
        asked["groups"] = True
    with sklearn.config_context(enable_metadata_routing=True):
        return built.set_score_request(**asked)


def score_report(rng: np.random.Generator) -> Call:
    """Draw a call of ScoreReport on a classifier with given scores."""
    sample = draw_sample(rng, weighted="whole", largest=300)
    rate = draw_rate(rng)
    built = skrate.ScoreReport(
        {
            "auc": "roc_auc",
            "ap": skrate.average_precision_score,
            "rauc": skrate.RateWeightedAUCScorer(
                rate=rate.given, pos_label=sample.labels[1]
            ),
        },
        pos_label=sample.labels[1],
    )
    is_first = sample.labels[1] == Given(sample.labels).classes_[0]

    def arguments(given: Sample) -> tuple[tuple[Any, ...], dict[str, Any]]:
        X = np.asarray(given.scores, dtype=float)[:, None]
        keywords = {}
        if given.weights is not None:
            keywords["sample_weight"] = given.sample_weight
        return (Given(given.labels), X, given.y_true), keywords

    def check(given: Sample, found: Any) -> None:
        is_pos, scores, weights = given.parts
        values = [-float(s) if is_first else float(s) for s in scores]
        groups = Groups(is_pos, values, weights)
        holds(found["n_pos"] == groups.n_pos, f"{found['n_pos']} positives")
        if not groups.n_pos or not groups.n_neg:
            return
        same_number("auc", found["auc"], tables.auc(groups), rtol=1e-9)
        same_number("ap", found["ap"], tables.average_precision(groups), rtol=1e-9)
        check_rauc("rauc", groups, rate, found["rauc"])
        for name in ("auc", "ap", "rauc"):
            error = found[f"{name}_standard_error"]
            holds(not error < 0, f"standard error {error}")

    return Call(
        "ScoreReport", built, arguments, check, sample, may_refuse=refusals(sample)
    )


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

    def arguments(_: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
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

    return Call(
        "rate_averaged_roc_curve", skrate.rate_averaged_roc_curve, arguments, check,
        may_warn=True, refusal=() if both else ("folds",),
        may_refuse=("Fold",) if any(map(refusals, folds)) else (),
    )  # fmt: skip
