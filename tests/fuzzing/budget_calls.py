"""Calls of budget_report: counts by the oracle of expected recall, and relations."""

import math
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, holds, quietly, same_number
from fuzzing.inference_calls import draw_cases, enough, other_scores
from fuzzing.laws import draw_rate
from fuzzing.metric_calls import check_law, refusals
from fuzzing.samples import Sample
from reference import tables
from reference.tables import Groups


def budget_report(rng: np.random.Generator) -> Call:
    """Draw a call of budget_report."""
    rate, (sample, options) = draw_rate(rng), draw_cases(rng)
    if rng.random() < 0.5:
        options["n_items"] = int(rng.choice([1, 20, 10**4, 10**7]))
    is_named = rng.random() < 0.3
    seed = int(rng.integers(40))
    is_compared = is_named and seed < 20

    def arguments(given: Sample) -> Any:
        named = given.data(rate=rate.given, **options)[1]
        if is_named:
            named["y_score"] = {"<a>": named["y_score"]}
        if is_compared:
            named["y_score"]["b"] = other_scores(given, seed)
            named["reference"] = "b"
        return (), named

    def check(given: Sample, found: Any) -> None:
        has_equal = found.rows[-1].quantity == "equal budget"
        n_rows = 16 + has_equal if is_compared else 7
        holds(len(found) == n_rows, f"{len(found)} rows")
        holds(len(repr(found).splitlines()) > 8, repr(found))
        if not enough(given, options):
            ends = [end for row in found for end in row.confidence_interval]
            holds(all(map(math.isnan, ends)), "too few cases")
            return
        _check_rows(found, is_nothing=found.rate.mean() == 0)
        groups, n = Groups(*given.parts), found.n_samples
        positives = n * groups.prevalence
        again = quietly(skrate.budget_report, **arguments(given)[1])
        holds(repr(again) == repr(found), f"a second time it is {again!r}")
        if is_compared:
            _check_difference(found)
            found = {row.quantity: row for row in found if row.model == "<a>"}

        def expected(slip: float) -> float:
            return tables.expected_recall(groups, rate.distribution, "positives", slip)

        # Other weights may be as small as no rate is known.
        if "weights" not in options:
            check_law("recall", found["recall"].value, expected, atol=1e-11)
        of_recall = positives * found["recall"].value
        same_number("found", found["found"].value, of_recall, rtol=1e-9)
        both = found["found"].value + found["missed"].value
        same_number("found and missed", both, positives, rtol=1e-9, atol=1e-11 * n)

    return Call(
        "budget_report", skrate.budget_report, arguments, check, sample,
        may_refuse=refusals(sample),
    )  # fmt: skip


def _check_difference(found: Any) -> None:
    """Check that the rows of a model against the other follow from those of both."""
    n = found.n_samples
    for name in ("found", "false alarms"):
        a, b = (found[model, name].value for model in ("<a>", "b"))
        more = found["<a>", f"more {name}"].value
        same_number(f"more {name}", more, a - b, rtol=1e-9, atol=1e-11 * n)
    rows = [found["<a>", f"more {name}"] for name in ("found", "false alarms")]
    for ends in ("confidence_interval", "prediction_interval"):
        of_found, of_alarms = (getattr(row, ends) for row in rows)
        if of_found is not None:
            mirrored = tuple(-end for end in of_alarms[::-1])
            holds(of_found == mirrored, f"{of_found} and {of_alarms}")


def _check_rows(found: Any, *, is_nothing: bool) -> None:
    """Check what holds of the rows of any report, or of one of no budget at all."""
    for row in found:
        if is_nothing and row.quantity in ("precision", "lift", "number needed"):
            holds(math.isnan(row.value), f"{row.quantity} is {row.value}")
            continue
        chance = [] if row.quantity == "equal budget" else [row.chance]
        for number in (row.value, *row.confidence_interval, *chance, row.pvalue):
            holds(type(number) is float, f"{number!r} is no builtin float")
        low, high = row.confidence_interval
        slack = 1e-11 * found.n_samples if row.quantity.startswith("more") else 0.0
        is_inside = low - slack <= row.value <= high + slack
        holds(is_inside, f"{row.value} is not in [{low}, {high}]")
        holds(0 <= row.pvalue <= 1, f"p = {row.pvalue}")
        if row.prediction_interval is not None:
            least, most = row.prediction_interval
            lowest = -found.n_items if row.quantity.startswith("more") else 0
            holds(lowest <= least <= most <= found.n_items, f"{least} to {most}")
            holds(least == int(least) and most == int(most), "no whole numbers")
