"""Calls of the metrics within lists."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, holds, same_number, same_numbers
from fuzzing.laws import draw_rate
from fuzzing.metric_calls import check_law, check_rauc, refusals
from fuzzing.samples import Sample, draw_sample
from reference import judged_lists, list_places, tables
from reference import lists as oracle

_DATA = "y_true", "y_score"
_FUNCTIONS = {
    "expected_recall": skrate.recall_at_rate_score,
    "rauc": skrate.rate_weighted_auc_score,
    "recall": skrate.recall_at_rate_score,
    "precision": skrate.precision_at_rate_score,
}


def _lists(sample: Sample) -> dict[Any, Any]:
    is_pos, scores, weights = sample.parts
    return oracle.lists_of(is_pos, scores, sample.groups.tolist(), weights)


def _call(name: str, sample: Sample, options: dict[str, Any], check: Any) -> Call:
    def arguments(given: Sample) -> Any:
        named = {"groups": given.group_labels, **options}
        if callable(options.get("average")):
            named["average"] = options["average"](given)
        return given.data(**named)

    return Call(
        name, getattr(skrate, name), arguments, check, sample,
        may_refuse=refusals(sample),
    )  # fmt: skip


def _options(rng: np.random.Generator, sample: Sample) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if sample.weights is None and rng.random() < 0.5:
        options["k"] = int(rng.choice([1, 2, 3, 5, 10]))
    if rng.random() < 0.4:
        options["undefined"] = [0.5, "skip", "nan", 0, -2.5][rng.integers(5)]
    if rng.random() < 0.6:
        options["average"] = str(rng.choice(["macro", "pairs", "positives", "size"]))
        if rng.random() < 0.2:
            seed = int(rng.integers(1000))
            options["average"] = lambda given: _weights_by_label(given, seed)
    return options


def _weights_by_label(sample: Sample, seed: int) -> list[float]:
    n_lists = len(set(sample.groups.tolist()))
    weights = np.random.default_rng(seed).uniform(0.1, 2, n_lists)
    return [float(weight) for weight in weights]


def _expected(sample: Sample, options: dict[str, Any]) -> float:
    found = _lists(sample)
    average = options.get("average", "macro")
    if callable(average):
        average = dict(zip(found, average(sample), strict=True))
    return oracle.ranking_auc(
        found, options.get("k"), options.get("undefined", "skip"), average
    )


def ranking_auc_score(rng: np.random.Generator) -> Call:
    """Draw a call of ranking_auc_score."""
    sample = draw_sample(rng, lists=True, largest=300)
    options = _options(rng, sample)

    def check(given: Sample, found: Any) -> None:
        same_number("ranking AUC", found, _expected(given, options), rtol=1e-9)

    return _call("ranking_auc_score", sample, options, check)


def of_places(name: str) -> Callable[[np.random.Generator], Call]:
    """Return what draws calls of a metric that goes by the places of items."""

    def draw(rng: np.random.Generator) -> Call:
        sample = draw_sample(rng, lists=True, weighted="none", largest=300)
        options = _options(rng, sample)
        if options.get("average") == "pairs":
            options["average"] = "size"

        def check(given: Sample, found: Any) -> None:
            average = options.get("average", "macro")
            if callable(average):
                average = dict(zip(_lists(given), average(given), strict=True))
            expected = oracle.mean_of(
                _lists(given),
                lambda groups: list_places.of_groups(name, groups, options.get("k")),
                options.get("undefined", "skip"),
                average,
            )
            same_number(name, found, expected, rtol=1e-9)

        return _call(name, sample, options, check)

    return draw


def of_grades(rng: np.random.Generator) -> Call:
    """Draw a call of ndcg_score for grades, with what each gains."""
    sample = draw_sample(rng, lists=True, weighted="none", largest=300)
    # Their form is not that of labels of other kinds.
    sample = replace(sample, labels=(0, 1), pos_label=None, label_dtype="int64")
    options = _options(rng, sample)
    if options.get("average") == "pairs":
        options["average"] = "positives"
    of_dict = {grade: float(rng.choice([0, 1e-9, 1, 2.5, 7e8])) for grade in range(7)}
    options["gain"] = ["linear", "exponential", of_dict][rng.integers(3)]
    seed, dtype = (
        int(rng.integers(1000)),
        str(rng.choice(["int8", "float32", "uint64"])),
    )

    def graded(given: Sample) -> np.ndarray:
        drawn = np.random.default_rng(seed).integers(0, 7, len(given))
        return (given.is_pos * drawn).astype(dtype)

    def check(given: Sample, found: Any) -> None:
        gains = list_places.gains_of(graded(given).tolist(), options["gain"])
        rows: dict[Any, list[int]] = {}
        for i, label in enumerate(given.groups.tolist()):
            rows.setdefault(label, []).append(i)
        scores, average = given.parts[1], options.get("average", "macro")
        weights = average(given) if callable(average) else [1.0] * len(rows)
        above = below = 0.0
        for weight, label in zip(weights, sorted(rows), strict=True):
            of_list = [gains[i] for i in rows[label]]
            value = list_places.graded_ndcg(
                of_list, [scores[i] for i in rows[label]], options.get("k")
            )
            if np.isnan(value) and options.get("undefined", "skip") == "nan":
                return holds(np.isnan(found), f"{found} where a list is undefined")
            if np.isnan(value) and options.get("undefined", "skip") == "skip":
                continue
            value = options["undefined"] if np.isnan(value) else value
            if average == "size":
                weight = len(of_list)
            elif average == "positives":
                weight = np.count_nonzero(of_list)
            above, below = above + weight * value, below + weight
        expected = above / below if below else np.nan
        same_number("graded NDCG", found, expected, rtol=1e-9)

    call = _call("ndcg_score", sample, options, check)

    def arguments(given: Sample) -> Any:
        args, named = call.arguments(given)
        return args, {**named, "y_true": given.forms[0](graded(given))}

    return replace(call, arguments=arguments)


def list_estimate(rng: np.random.Generator) -> Call:
    """Draw a call of group_scores for the AUC, and of its estimate."""
    sample = draw_sample(rng, lists=True, largest=300)
    options = _options(rng, sample)

    def scored(**named: Any) -> tuple[Any, Any]:
        of_mean = {
            name: named.pop(name) for name in ("average", "undefined") if name in named
        }
        scores = skrate.group_scores("roc_auc", **named)
        return scores, scores.estimate(**of_mean)

    def check(given: Sample, found: Any) -> None:
        by_list, mean = found
        same_number("mean", mean.value, _expected(given, options), rtol=1e-9)
        by_label = _lists(given)
        holds(by_list.groups.tolist() == list(by_label), "other lists")
        scores = [
            np.nan if one is None else oracle.list_auc(one, options.get("k"))[0]
            for one in by_label.values()
        ]
        same_numbers("scores", by_list.values, scores)
        holds(not mean.standard_error < 0, f"standard error {mean.standard_error}")
        low, high = mean.confidence_interval
        holds(not low > high, f"interval [{low}, {high}]")

    call = _call("group_scores", sample, options, check)
    return replace(call, function=scored, may_warn=True)


def of_queues(name: str) -> Callable[[np.random.Generator], Call]:
    """Return what draws calls of recall or precision of queues."""

    def draw(rng: np.random.Generator) -> Call:
        sample = draw_sample(rng, lists=True, largest=200)
        options: dict[str, Any] = {"rate": float(rng.choice([0.5, 1.0, 0.25]))}
        if sample.weights is None:
            options = {"k": int(rng.integers(1, 12))}

        def check(given: Sample, found: Any) -> None:
            part = whole = tables.Fraction(0)
            for groups in _lists(given).values():
                if groups is None:
                    continue
                share = tables.Fraction(options.get("rate", 1))
                if "k" in options:
                    share = min(tables.Fraction(options["k"], groups.total), 1)
                seen = share * groups.total
                if groups.n_pos:
                    part += tables.found_at(groups, share) * groups.n_pos
                whole += groups.n_pos if name.startswith("recall") else seen
            expected = float(part / whole) if whole else np.nan
            same_number(name, found, expected, rtol=1e-6, atol=1e-9)

        return _call(name, sample, options, check)

    return draw


def of_entities(rng: np.random.Generator) -> Call:
    """Draw a call of group_scores for the precision among entities."""
    sample = draw_sample(rng, lists=True, weighted="none", largest=200)
    seed, k = int(rng.integers(1000)), int(rng.integers(1, 6))

    def entities(n: int) -> np.ndarray:
        return np.random.default_rng(seed).integers(0, max(n // 3, 1), n)

    def scored(**named: Any) -> Any:
        named["entities"] = entities(len(named["groups"]))
        return skrate.group_scores(skrate.precision_at_rate_score, k=k, **named)

    def check(given: Sample, found: Any) -> None:
        is_pos, scores, _ = given.parts
        of_rows = zip(
            given.groups.tolist(), entities(len(scores)).tolist(), scores, is_pos,
            strict=True,
        )  # fmt: skip
        greatest: dict[Any, tuple[Any, bool]] = {}
        for label, card, score, is_row in of_rows:
            before = greatest.get((label, card), (score, False))
            greatest[label, card] = max(before[0], score), bool(is_row or before[1])
        labels, best, positive = [], [], []
        for (label, _), (score, is_one) in greatest.items():
            labels.append(label), best.append(score), positive.append(is_one)
        by_label = oracle.lists_of(positive, best, labels)
        holds(found.groups.tolist() == list(by_label), "other lists")
        for groups, value in zip(by_label.values(), found.values.tolist(), strict=True):
            _check_cut("precision of entities", groups, value, "precision", k, None)

    return replace(_call("group_scores", sample, {}, check), function=scored)


def compare_groups(rng: np.random.Generator) -> Call:
    """Draw a comparison of two models by the AUC within lists."""
    sample = draw_sample(rng, lists=True, weighted="none", largest=200)
    seed = int(rng.integers(1000))
    how = {"method": str(rng.choice(["delta", "permutation"])), "n_resamples": 99}

    def scored(**named: Any) -> Any:
        n = len(named["groups"])
        other = np.random.default_rng(seed).integers(0, 3, n)
        a = skrate.group_scores("roc_auc", **named)
        b = skrate.group_scores("roc_auc", **{**named, "y_score": other})
        both = skrate.compare("roc_auc", a, b, random_state=seed, **how)
        of_two = {"a": a, "b": b}
        several = skrate.compare("roc_auc", of_two, random_state=seed, **how)
        return a, b, both, several

    def check(given: Sample, found: Any) -> None:
        a, b, both, several = found
        holds(repr(several.pairs[0]) == repr(both), f"{several!r} and {both!r}")
        error = np.sqrt(np.array([1, -1]) @ several.covariance @ np.array([1, -1]))
        same_number("error", both.standard_error, error, rtol=1e-6, atol=1e-9)
        values = (a.values - b.values)[~np.isnan(a.values)]
        same_number("difference", both.value, values.mean() if len(values) else np.nan)
        if len(values) > 1:
            error = values.std(ddof=1) / np.sqrt(len(values))
            same_number("error", both.standard_error, error, rtol=1e-6, atol=1e-9)
        holds(not (both.pvalue < 0 or both.pvalue > 1), f"p-value {both.pvalue}")
        low, high = both.confidence_interval
        holds(not (low > both.value or high < both.value), f"interval [{low}, {high}]")

    call = _call("group_scores", sample, {}, check)
    return replace(call, function=scored, may_warn=True)


def compare_judged(rng: np.random.Generator) -> Call:
    """Draw a comparison by the AUC within lists that people or a judge labelled."""
    sample = draw_sample(rng, lists=True, weighted="none", largest=200)
    seed = int(rng.integers(1000))

    def scored(**named: Any) -> Any:
        generator = np.random.default_rng(seed)
        y_true, groups = np.ravel(named["y_true"]), np.ravel(named["groups"])
        by_label = np.unique(groups, return_inverse=True)[1]
        is_labelled = generator.random(by_label.max() + 1) < 0.6
        by_people = np.where(is_labelled[by_label], y_true.astype(object), None)
        by_judge = generator.permutation(y_true)
        if not 3 <= np.count_nonzero(is_labelled) < len(is_labelled):
            return None
        scores = named["y_score"], generator.integers(0, 9, len(groups))
        options = {name: named[name] for name in named if name not in _DATA}
        found = skrate.compare(
            "ranking_auc", skrate.labels.judged(by_people, by_judge), *scores, **options
        )
        sums = [
            _judged_sums(is_labelled, (y_true, by_judge), y_score, options)
            for y_score in scores
        ]
        return found, sums

    def check(given: Sample, found: Any) -> None:
        if found is None:
            return
        comparison, (of_a, of_b) = found
        if np.count_nonzero(of_a[0][1]) < 4:
            return
        value, error = judged_lists.judged_difference(of_a, of_b)
        same_number("difference", comparison.value, value, rtol=1e-6, atol=1e-9)
        same_number("error", comparison.standard_error, error, rtol=1e-6, atol=1e-9)

    call = _call("group_scores", sample, {}, check)
    return replace(call, function=scored, may_warn=True)


def _judged_sums(
    is_labelled: Any, labels: tuple[Any, Any], y_score: Any, options: dict[str, Any]
) -> list[Any]:
    """Return values and weights of lists: by people and the judge, and of others."""
    by_people, by_judge = (
        np.array([np.nan_to_num(scores.values), ~np.isnan(scores.values)])
        for scores in (
            skrate.group_scores("roc_auc", y, y_score, **options) for y in labels
        )
    )
    parts = [by_people[:, is_labelled], by_judge[:, is_labelled]]
    return [part.tolist() for part in (*parts, by_judge[:, ~is_labelled])]


def group_scores(rng: np.random.Generator) -> Call:
    """Draw a call of group_scores."""
    sample = draw_sample(rng, lists=True, largest=300)
    metric = str(rng.choice(["roc_auc", "average_precision", *_FUNCTIONS]))
    options: dict[str, Any] = {"metric": _FUNCTIONS.get(metric, metric)}
    rate = None
    if metric in ("expected_recall", "rauc"):
        rate = draw_rate(rng)
        options["rate"] = rate.given
    elif metric in ("recall", "precision"):
        if sample.weights is None and rng.random() < 0.6:
            options["k"] = int(rng.integers(1, 12))
        else:
            options["rate"] = float(rng.choice([0.1, 0.5, 1.0, 1 - rng.random()]))
    elif metric == "roc_auc" and sample.weights is None and rng.random() < 0.5:
        options["k"] = int(rng.integers(1, 12))

    def check(given: Sample, found: Any) -> None:
        by_label = _lists(given)
        holds(found.groups.tolist() == list(by_label), "other lists")
        for label, groups, score in zip(
            by_label, by_label.values(), found.values.tolist(), strict=True
        ):
            about = {**options, "metric": metric}
            _check_list(f"{metric} of {label!r}", groups, score, about, rate)
        if given.weights is None:
            sizes = [groups.total for groups in by_label.values()]
            holds(found.n_items.tolist() == sizes, "other numbers of items")

    return _call("group_scores", sample, options, check)


def _check_list(
    name: str, groups: Any, score: float, options: dict[str, Any], rate: Any
) -> None:
    metric, k = options["metric"], options.get("k")
    if groups is None:
        holds(np.isnan(score), f"{name} has no weight, and is {score}")
    elif metric == "roc_auc":
        same_number(name, score, oracle.list_auc(groups, k)[0])
    elif metric == "average_precision":
        same_number(name, score, tables.average_precision(groups))
    elif metric == "expected_recall":
        check_law(
            name,
            score,
            lambda slip: tables.expected_recall(groups, rate.distribution, slip=slip),
        )
    elif metric == "rauc":
        check_rauc(name, groups, rate, score)
    else:
        _check_cut(name, groups, score, metric, k, options.get("rate"))


def _check_cut(
    name: str, groups: Any, score: float, metric: str, k: Any, rate: Any
) -> None:
    def value(slip: float) -> float:
        share = rate if k is None else min(k / groups.total, 1.0)
        moved = tables.Fraction(min(share * (1 + slip), 1.0))
        if not groups.n_pos:
            return 0.0 if metric == "precision" else np.nan
        recall = tables.found_at(groups, moved)
        if metric == "recall":
            return float(recall)
        return float(recall * groups.n_pos / groups.total) / share

    check_law(name, score, value)
