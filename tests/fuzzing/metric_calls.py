"""Calls of the metrics, the hit curve, the table and the conversions."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, Disagreement, holds, near, same_number, same_numbers
from fuzzing.laws import Rate, draw_rate
from fuzzing.samples import Sample, draw_sample
from metric_registry import CASES
from reference import rate_law, tables
from reference.tables import Groups
from skrate import rates
from skrate.metrics import momentum

# Edges of groups are sums and quotients of floats: so far off they may be.
SLIP = 2e-15


def refusals(sample: Sample) -> tuple[str, ...]:
    """Return the arguments that are objects, which need not be taken."""
    names = ("y_true", "y_score", "sample_weight", "groups")
    found = [n for n, form in zip(names, sample.forms, strict=True) if form.as_object]
    return tuple(found)


def metric_call(
    rng: np.random.Generator,
    name: str,
    options: dict[str, Any],
    check: Callable[[Groups, Any], None],
    sample: Sample | None = None,
) -> Call:
    """Return the call of a function of labels and scores."""
    sample = draw_sample(rng) if sample is None else sample

    return Call(
        name,
        getattr(skrate, name, None) or getattr(momentum, name),
        lambda given: given.data(**options),
        lambda given, result: check(Groups(*given.parts), result),
        sample,
        may_refuse=refusals(sample),
    )


def check_law(
    name: str, found: Any, value: Callable[[float], float], *, atol: float = 1e-12
) -> None:
    """Check a value under a rate, up to the last digits of the rates of the groups."""
    if type(found) is not float:
        raise Disagreement(f"{name} is {type(found).__name__}, not float: {found!r}")
    expected = value(0.0)
    if near(found, expected, rtol=1e-10, atol=atol):
        return
    low, high = sorted([value(-SLIP), value(SLIP)])
    room = atol + 1e-10 * abs(expected)
    if math.isnan(found) or not low - room <= found <= high + room:
        raise Disagreement(f"{name} is not the oracle's: {found!r}, not {expected!r}")


def check_rauc(name: str, groups: Groups, rate: Rate, found: Any) -> None:
    """Check an rAUC, whose digits are those of what can be reached."""
    width = np.nan
    if groups.n_pos and groups.n_neg:
        worst, best = tables.reachable(groups, rate.distribution)
        width = best - worst
    if width < 1e-11 and (math.isnan(found) or 0 <= found <= 1):
        return
    atol = 1e-11 + (0 if math.isnan(width) else 1e-14 / width)
    check_law(
        name,
        found,
        lambda slip: _clipped(
            tables.rate_weighted_auc(groups, rate.distribution, slip)
        ),
        atol=atol,
    )


def _clipped(value: float) -> float:
    return value if math.isnan(value) else min(max(value, 0.0), 1.0)


def rate_weighted_auc(rng: np.random.Generator) -> Call:
    """Draw a call of rate_weighted_auc_score."""
    rate = draw_rate(rng)
    return metric_call(
        rng,
        "rate_weighted_auc_score",
        {"rate": rate.given},
        lambda groups, found: check_rauc("rAUC", groups, rate, found),
    )


def expected_recall(rng: np.random.Generator) -> Call:
    """Draw a call of recall_at_rate_score."""
    rate, of = draw_rate(rng), str(rng.choice(["positives", "negatives"]))

    def check(groups: Groups, found: Any) -> None:
        check_law(
            f"expected recall of {of}",
            found,
            lambda slip: tables.expected_recall(groups, rate.distribution, of, slip),
            atol=1e-12 if of == "positives" else 1e-11,
        )

    return metric_call(
        rng, "recall_at_rate_score", {"rate": rate.given, "of": of}, check
    )


def average_precision(rng: np.random.Generator) -> Call:
    """Draw a call of average_precision_score."""
    options: dict[str, Any] = {}
    if rng.random() < 0.4:
        options["prevalence"] = float(rng.choice([0.01, 0.5, 1e-6, rng.random()]))
    if rng.random() < 0.3:
        options["adjusted"] = True

    def check(groups: Groups, found: Any) -> None:
        scale = 1.0
        if options.get("adjusted") and "prevalence" not in options and groups.n_neg:
            scale = groups.n_neg / groups.total
        same_number(
            "average precision",
            found,
            tables.average_precision(groups, **options),
            atol=1e-12 + 1e-14 / scale,
        )

    return metric_call(rng, "average_precision_score", options, check)


def at_rate(name: str) -> Callable[[np.random.Generator], Call]:
    """Return what draws calls of a metric at a rate, a number of cases or a law."""

    def draw(rng: np.random.Generator) -> Call:
        return _under_law(rng, name) if rng.random() < 0.4 else _at_known(rng, name)

    return draw


def _at_known(rng: np.random.Generator, name: str) -> Call:
    sample = draw_sample(rng)
    rate = float(rng.choice([1.0, 0.5, 0.1, 1 - rng.random(), 1e-7]))
    options: dict[str, Any] = {"rate": rate}
    if sample.weights is None and rng.random() < 0.4:
        options = {"k": int(rng.integers(1, len(sample) + 1))}

    def check(given: Sample, found: Any) -> None:
        groups = Groups(*given.parts)
        share = Fraction(rate)
        if "k" in options:
            share = min(Fraction(options["k"], len(given)), Fraction(1))

        def value(slip: float) -> float:
            if not groups.n_pos:
                return 0.0 if name.startswith("precision") else math.nan
            moved = min(share * (1 + Fraction(slip)), Fraction(1))
            recall = tables.found_at(groups, moved)
            if name.startswith("recall"):
                return float(recall)
            if name.startswith("lift"):
                return float(recall / share)
            return float(recall * groups.n_pos / groups.total / share)

        check_law(name, found, value)

    call = metric_call(rng, name, options, lambda *_: None, sample)
    # A number of cases is of these cases, and of no fewer.
    is_count = "k" in options
    return replace(
        call, check=check, may_refuse=(*call.may_refuse, *(["k"] if is_count else []))
    )


def _under_law(rng: np.random.Generator, name: str) -> Call:
    rate = draw_rate(rng)

    def check(groups: Groups, found: Any) -> None:
        check_expected(name, groups, rate, found)

    return metric_call(rng, name, {"rate": rate.given}, check)


def check_expected(name: str, groups: Groups, rate: Rate, found: Any) -> None:
    """Check recall, precision or lift under a law."""
    positive = float(rate.distribution.survival(np.zeros(1))[0])
    first = groups.edges[groups.edges > 0][0]
    if not name.startswith("recall") and (0 < positive < 1e-6 or first < 1e-13):
        # What hardly ever happens, or tells groups of next to no weight apart.
        return

    def value(slip: float) -> float:
        if name.startswith("recall"):
            return tables.expected_recall(groups, rate.distribution, slip=slip)
        mean = tables.expected_precision(groups, rate.distribution, slip)
        if name.startswith("lift"):
            return mean / groups.prevalence if groups.n_pos else math.nan
        return mean

    check_law(name, found, value, atol=1e-10 * _largest(name, groups))


def _largest(name: str, groups: Groups) -> float:
    """Return the greatest value that a metric can have."""
    is_lift = name.startswith("lift") and groups.n_pos
    return groups.total / groups.n_pos if is_lift else 1.0


def of_samples(function: Callable[..., float]) -> Callable[[np.random.Generator], Call]:
    """Return what draws calls of a metric with the parameters of one of its cases."""
    samples = [case for case in CASES if case.function is function and case.oracle]

    def draw(rng: np.random.Generator) -> Call:
        case = samples[rng.integers(len(samples))]
        # Whole weights: what is nearly undefined is not for an oracle to decide.
        sample = draw_sample(rng, weighted="whole", largest=300)

        def check(groups: Groups, found: Any) -> None:
            expected = case.oracle(groups, **case.kwargs)
            same_number(case.name, found, expected, rtol=1e-6, atol=1e-9)

        return metric_call(rng, function.__name__, dict(case.kwargs), check, sample)

    return draw


def hit_curve(rng: np.random.Generator) -> Call:
    """Draw a call of hit_curve."""

    def check(groups: Groups, found: Any) -> None:
        rate, hits = found
        same_numbers("rate", rate, groups.edges)
        expected = [above / groups.total for above in groups.cum_pos]
        same_numbers("hits", hits, expected)

    return metric_call(rng, "hit_curve", {}, check)


def of_table(
    draw: Callable[[np.random.Generator], Call],
) -> Callable[[np.random.Generator], Call]:
    """Return what draws the same calls, with a table in place of the cases."""

    def draw_it(rng: np.random.Generator) -> Call:
        call = draw(rng)
        sample = call.sample
        if "prevalence" in call.arguments(sample)[1]:
            # Weights would have to be numbers of cases, which the oracle counts.
            sample = replace(sample, weights=None)

        def function(**named: Any) -> Any:
            samples, options = parted(named)
            return call.function(skrate.RankTable.from_arrays(**samples), **options)

        name = f"{call.name} of a table"
        return replace(call, name=name, function=function, sample=sample)

    return draw_it


def parted(named: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what says the cases, and the other arguments."""
    of_samples = ("y_true", "y_score", "sample_weight", "pos_label")
    samples = {name: named[name] for name in of_samples if name in named}
    return samples, {name: named[name] for name in named if name not in of_samples}


def table_from_arrays(rng: np.random.Generator) -> Call:
    """Draw a call of RankTable.from_arrays."""

    def check(given: Sample, table: Any) -> None:
        groups = Groups(*given.parts)
        holds(list(table.thresholds) == groups.thresholds, "thresholds differ")
        unit = 1.0
        if given.weights is not None:
            unit = math.fsum(given.parts[2]) / groups.total
        same_numbers("pos", table.pos, [float(w * Fraction(unit)) for w in groups.pos])
        same_numbers("neg", table.neg, [float(w * Fraction(unit)) for w in groups.neg])
        same_numbers("rates", table.rates, groups.edges)

    call = metric_call(rng, "hit_curve", {}, lambda *_: None)
    return replace(
        call, name="RankTable.from_arrays", function=skrate.RankTable.from_arrays,
        check=check,
    )  # fmt: skip


def table(rng: np.random.Generator) -> Call:
    """Draw a call of RankTable, and of sums of two tables."""
    n = int(rng.integers(1, 20))
    pos, neg = rng.integers(0, 4, (2, n)).tolist()
    pos[0] += 1
    places = list(range(n, 0, -1))

    def check(_: Any, found: Any) -> None:
        kept = [i for i in range(n) if pos[i] + neg[i]]
        holds(found.pos.tolist() == [pos[i] for i in kept], "pos differs")
        holds(found.neg.tolist() == [neg[i] for i in kept], "neg differs")
        both = found + found
        holds(both.pos.tolist() == [2 * pos[i] for i in kept], "a sum differs")

    return Call(
        "RankTable", skrate.RankTable, lambda _: ((pos, neg, places), {}), check
    )


def conversion(to: str) -> Callable[[np.random.Generator], Call]:
    """Return what draws calls between rAUC and expected recall."""

    def draw(rng: np.random.Generator) -> Call:
        rate, prevalence = draw_rate(rng), float(rng.choice([0.5, 0.01, rng.random()]))
        value = float(rng.random())
        given: Any = value if rng.random() < 0.5 else [value, 0.0, 1.0]
        is_recall = to == "expected_recall"
        low, high = np.array([1 - prevalence, 0.0]), np.array([1.0, prevalence])
        worst, best = rate.distribution.mean_survival(low, high).tolist()
        width = best - worst
        if not is_recall:
            # What no ranking has is refused.
            reached = np.clip(worst + width * np.asarray(given), 0, 1)
            given = reached.tolist()

        def check(_: Any, found: Any) -> None:
            if width < 1e-11 and not is_recall:
                return
            values = np.asarray(given, dtype=float)
            expected = worst + width * values if is_recall else (values - worst) / width
            atol = 1e-11 if is_recall else 1e-11 + 1e-13 / width**2
            holds(isinstance(found, float) == isinstance(given, float), "other shape")
            same_numbers(to, found, expected, atol=atol)

        options = {"value": given, "rate": rate.given, "prevalence": prevalence}
        options["to"] = to
        return Call("convert_rauc", skrate.convert_rauc, lambda _: ((), options), check)

    return draw


def rate_methods(rng: np.random.Generator) -> Call:
    """Draw a rate and read its mean, survival function, quantiles and masses."""
    rate = draw_rate(rng)
    x = np.sort(rng.random(5))

    def read() -> Any:
        return rates.mixture([rate.given])

    def check(_: Any, found: Any) -> None:
        distribution, low, high = rate.distribution, x[:-1], x[1:]
        mean = rate_law.mean(distribution)
        same_number("mean", found.mean(), mean, rtol=1e-9)
        same_numbers(
            "survival", found.survival(x), distribution.survival(x), atol=1e-11
        )
        means = [rate_law.limited_mean(distribution, value) for value in x.tolist()]
        same_numbers("limited mean", found.limited_mean(x), means, atol=1e-12)
        cells = distribution.mean_survival(low, high)
        same_numbers("mean survival", found.mean_survival(low, high), cells, atol=1e-11)
        n = int(rng.integers(1, 30))
        edges = np.arange(n + 1) / n
        weights = distribution.mean_survival(edges[:-1], edges[1:])
        same_numbers("instance weights", found.instance_weights(n), weights, atol=1e-11)
        _, masses = found.point_masses()
        holds(bool((masses > 0).all()), "a mass of nothing")
        holds(float(masses.sum()) <= 1 + 1e-9, f"masses sum to {masses.sum()}")

    return Call("rates.mixture", read, lambda _: ((), {}), check)
