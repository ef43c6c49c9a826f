"""The report card: quantities against oracles, intervals, chance, printing, errors."""

import itertools
import math
import re
import warnings
from datetime import date
from fractions import Fraction
from functools import partial
from html import unescape

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy import stats
from scipy.stats import hypergeom, norm
from sklearn.exceptions import UndefinedMetricWarning

import skrate
from guarantees import assert_share, held, simulated
from looped import looped
from optional import require
from reference.budget_card import by_all_labels, card
from simulated_intervals import SETTINGS, draw, population
from skrate import (
    FoldRankings,
    RankTable,
    budget_report,
    estimate,
    lift_at_rate_score,
    precision_at_rate_score,
    rates,
    recall_at_rate_score,
)
from skrate.inference.models import evaluate
from skrate.inference.options import Plan
from skrate.inference.permutation_pvalue import (
    chance_pvalue,
    design_effects,
    permuted_moments,
    permuted_pvalue,
)
from skrate.inference.prediction import ExpectedHits
from skrate.inference.rankings import Rankings, check_sample
from skrate.inference.variance import influence_values
from skrate.metrics.at_rate import RecallAtRate
from strategies import ranked_samples

BUDGET = [(Fraction(1, 8), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 2))]
RATE = rates.empirical([0.125, 0.5])
COUNTS = ("found", "missed", "false alarms")
SOME_SETTINGS = [
    setting
    for setting in SETTINGS
    if setting.distribution in ("normal", "five categories")
    and setting[1:] in ((0.8, 200, 0.2), (0.95, 100, 0.5))
]


def sample(n=400, prevalence=0.2, seed=0, shift=1.0):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < prevalence).astype(int)
    return y_true, rng.standard_t(4, size=n) + shift * y_true


@given(ranked_samples(min_size=6))
def test_quantities_are_those_of_the_oracle(ranked):
    y_true, y_score, _ = ranked
    if min(sum(y_true), len(y_true) - sum(y_true)) < 2:
        return
    report = budget_report(y_true, y_score, rate=RATE)
    flat = budget_report(y_true, np.zeros(len(y_true)), rate=RATE)
    expected = card(y_true.tolist(), y_score.tolist(), BUDGET)
    assert [row.quantity for row in report] == list(expected)
    for row, equal in zip(report, flat, strict=True):
        assert type(row.value) is float
        assert row.value == pytest.approx(float(expected[row.quantity]), abs=1e-12)
        # Chance is what a ranking of all as equal gives.
        assert row.chance == pytest.approx(equal.value, rel=1e-12)
        low, high = row.confidence_interval
        assert low <= row.value <= high


@looped("rate", [0.1, rates.beta(3, 19), "uniform"])
def test_shares_are_those_of_estimate(rate):
    y_true, y_score = sample()
    report = budget_report(y_true, y_score, rate=rate, confidence_level=0.9)
    for quantity, metric in (
        ("recall", recall_at_rate_score),
        ("precision", precision_at_rate_score),
        ("lift", lift_at_rate_score),
    ):
        expected = estimate(metric, y_true, y_score, rate=rate, confidence_level=0.9)
        assert report[quantity].value == expected.value
        assert report[quantity].confidence_interval == expected.confidence_interval


@looped("distribution", [rates.beta(3, 19), rates.interval(0.1, 0.6)])
@looped("metric", [ExpectedHits, partial(ExpectedHits, missed=True)])
def test_influence_is_what_a_little_weight_changes(metric, distribution):
    y_true, y_score = sample(n=60)
    # Ties, of both classes.
    y_score = np.round(y_score, 1)
    step, n = 1e-5, len(y_true)
    found = influence_values(metric(distribution), check_sample(y_true, y_score))

    def value(weights):
        table = RankTable.from_arrays(y_true, y_score, sample_weight=weights)
        return metric(distribution).value(table)

    changes = [
        (value(np.ones(n) + step * unit) - value(np.ones(n) - step * unit)) / (2 * step)
        for unit in np.eye(n)
    ]
    assert found == pytest.approx(n * np.array(changes), abs=1e-7)


# --- Chance -----------------------------------------------------------------------


@looped("seed", range(4))
def test_moments_by_chance_are_those_of_all_labellings(seed):
    rng = np.random.default_rng(seed)
    y_score, n_pos = rng.integers(0, 6, 9), int(rng.integers(2, 8))
    sums = np.array(by_all_labels(y_score.tolist(), n_pos, BUDGET), float)
    table = RankTable.from_arrays(np.arange(9) < n_pos, y_score)
    processed = RATE.table.mean(table.rates[:-1], table.rates[1:])
    found = permuted_moments(processed, table)
    third = np.mean((sums - sums.mean()) ** 3) / sums.std() ** 3
    assert found == pytest.approx((sums.mean(), sums.var(), third), abs=1e-12)


@looped("n_found", [8, 12])
@looped("is_cut", [False, True])
def test_pvalue_of_many_positives_is_hypergeometric_where_a_case_is_cut(
    n_found, is_cut
):
    n, n_pos, n_above, part = 400, 60, 40, 0.25
    y_true = np.zeros(n, int)
    y_true[:n_found] = 1
    y_true[n_above] = is_cut
    y_true[n_above + 1 : n_above + 1 + n_pos - n_found - is_cut] = 1
    table = RankTable.from_arrays(y_true, -np.arange(n))
    found = permuted_pvalue(table, rates.fixed((n_above + part) / n))
    # As many above the cut, and the case at it; or more.
    more = hypergeom.sf(n_found, n, n_pos, n_above)
    as_many = hypergeom.pmf(n_found, n, n_pos, n_above)
    share_at_cut = (n_pos - n_found) / (n - n_above)
    exact = more + as_many * (share_at_cut if is_cut else 1)
    assert found == pytest.approx(exact, rel=0.2)


@looped("distribution", [rates.fixed(0.25), rates.fixed(0.3), rates.beta(2, 3)])
@looped("n_pos", [2, 5, 9])
@looped("tied", [1, 3])
def test_pvalue_of_few_positives_is_that_of_all_choices_of_them(
    distribution, n_pos, tied
):
    group = np.arange(12) // tied
    edges = np.arange(0, 13, tied) / 12
    processed = distribution.table.mean(edges[:-1], edges[1:])[group]
    sums = np.array([
        math.fsum(processed[list(chosen)])
        for chosen in itertools.combinations(range(12), n_pos)
    ])  # fmt: skip
    rng = np.random.default_rng(n_pos)
    for _ in range(5):
        y_true = np.isin(np.arange(12), rng.choice(12, n_pos, replace=False))
        # Values are rounded to one of 2^15 / k steps, by half a step at most: sums that
        # are no further apart than k steps of both may change places.
        k = min(n_pos, 12 - n_pos)
        near = k * k * np.ptp(processed) / 2**15
        value = math.fsum(processed[y_true])
        found = permuted_pvalue(RankTable.from_arrays(y_true, -group), distribution)
        least, most = (np.mean(sums >= value + d) for d in (near, -near))
        if distribution.table.is_discrete:
            # Of two or three values the steps are whole.
            least = most = np.mean(sums >= value - 1e-9)
        assert least - 1e-9 <= found <= most + 1e-9
        assert tied == 3 or most - least < 0.05


def effects(y_true, y_score, k, weights, clusters):
    """Return the design effects of the k best, by loops; weights are sampling ones."""
    samples = range(len(y_true))
    total = sum(weights)
    is_best = [sum(other > score for other in y_score) < k for score in y_score]
    means = [
        sum(w * x for w, x in zip(weights, values, strict=True)) / total
        for values in (y_true, is_best)
    ]

    def by_chance(pairs):
        """Return the sum of products of pairs if labels and scores have no relation."""
        of_weight = sum(weights[i] * weights[j] for i, j in pairs)
        found = [
            sum(weights[i] * weights[j] * (x[i] - m) * (x[j] - m) for i, j in pairs)
            for x, m in zip((y_true, is_best), means, strict=True)
        ]
        return found[0] * found[1] / of_weight if pairs else 0.0

    alone = by_chance([(i, i) for i in samples])
    spread = [
        sum(w * (x - m) ** 2 for w, x in zip(weights, values, strict=True))
        for values, m in zip((y_true, is_best), means, strict=True)
    ]
    like = [(i, j) for i in samples for j in samples if i != j]
    between = by_chance([pair for pair in like if len({clusters[i] for i in pair}) < 2])
    return alone / (spread[0] * spread[1] / total), 1 + between / alone


def test_pvalues_of_clusters_and_weights_are_widened_by_the_design_effect():
    rng = np.random.default_rng(0)
    for are_weighted, n_clusters in itertools.product((False, True), (12, 40)):
        clusters = np.arange(40) % n_clusters
        y_true = rng.permutation(n_clusters)[clusters] < n_clusters / 3
        y_score = rng.normal(size=n_clusters)[clusters] + 0.3 * rng.normal(size=40)
        weights = rng.integers(1, 4, 40) / 2 if are_weighted else np.ones(40)
        given = {"sample_weight": weights, "clusters": clusters, "weights": "sampling"}
        ranked = check_sample(y_true, y_score, **given)
        # Weights have a mean of 1, and the best 8 may be another share of them.
        order = np.argsort(-y_score)
        distribution = rates.fixed(weights[order][:8].sum() / weights.sum())
        args = y_true, y_score, 8, weights / weights.mean(), clusters
        assert_allclose(design_effects(ranked, distribution), effects(*args), rtol=1e-9)


@pytest.mark.slow
@looped("size", [1, 2, 5])
def test_labels_and_scores_of_clusters_at_random_are_seldom_significant(size):
    rng = np.random.default_rng(0)
    clusters, distribution = np.arange(100) // size, rates.fixed(0.1)
    for share, within in itertools.product((0.1, 0.4), (0.4, 0.9)):

        def pvalue(_, share=share, within=within):
            alike, own = rng.normal(size=(2, 100)), rng.normal(size=(2, 100))
            latent = within**0.5 * alike[:, clusters] + (1 - within) ** 0.5 * own
            y_true = latent[0] > norm.isf(share)
            if not 1 < y_true.sum() < 99:
                return 1.0
            ranked = check_sample(y_true, latent[1], clusters=clusters)
            recalls = evaluate(
                [RecallAtRate(distribution)], [Rankings([ranked])], Plan()
            )
            return chance_pvalue(*recalls, distribution)

        found = np.array(simulated(1000, pvalue))
        for level in (0.05, 0.01):
            assert_share(found <= level, at_most=level)


def test_weights_repeat_cases_or_stand_for_sampled_ones():
    y_true, y_score = sample(n=80)
    weights = np.random.default_rng(1).integers(0, 4, 80)
    times = {"rate": 0.3, "n_items": 100}
    weighted = budget_report(y_true, y_score, sample_weight=weights, **times)
    repeated = budget_report(
        np.repeat(y_true, weights), np.repeat(y_score, weights), **times
    )
    for one, other in zip(weighted, repeated, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-12)
        assert one.confidence_interval == pytest.approx(other.confidence_interval)
        assert one.pvalue == pytest.approx(other.pvalue)
        assert one.prediction_interval == other.prediction_interval
    sampled = budget_report(
        y_true, y_score, sample_weight=weights / 2, weights="sampling", **times
    )
    assert sampled["found"].value == pytest.approx(weighted["found"].value)
    assert sampled.n_samples == 100


# --- Several models, and what is made of a report -----------------------------------


def test_models_may_be_a_frame_or_columns():
    pd = require("pandas")
    y_true, a = sample()
    _, b = sample(seed=1)
    expected = budget_report(y_true, {"0": a, "1": b}, rate=0.2)
    frame = pd.DataFrame({0: a, 1: b})
    assert budget_report(y_true, frame, rate=0.2) == expected
    assert budget_report(y_true, np.stack([a, b], 1), rate=0.2) == expected
    frame.columns = ["a", "a"]
    with pytest.raises(ValueError, match=r"'a'.*'a'"):
        budget_report(y_true, frame, rate=0.2)


def test_rows_are_found_by_name_and_position():
    y_true, y_score = sample(n=50)
    report = budget_report(y_true, y_score, rate=0.2)
    assert report[0] is report["found"] is report["model", "found"]
    assert len(report) == len(list(report)) == 7
    both = budget_report(y_true, {"A": y_score, "B": -y_score}, rate=0.2)
    for of, name, message in (
        (report, "fund", "'fund'"),
        (both, "found", "'found'"),
        (both, "B", "'B'"),
    ):
        with pytest.raises(KeyError, match=message):
            of[name]


def test_it_prints_as_a_table():
    y_true = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    text = repr(budget_report(y_true, np.arange(10)[::-1], rate=0.5, n_items=200))
    lines = text.splitlines()
    assert lines[0] == "100 of the 200 samples of the next batch will be processed."
    found = next(line for line in lines if line.startswith("  found"))
    assert found.split()[1] == "60"
    assert " to " in found
    assert max(map(len, lines)) <= 80
    assert not any(line != line.rstrip() for line in lines)


def test_digits_are_those_that_the_width_of_an_interval_has():
    for n, digits in ((200, 2), (20_000, 3)):
        report = budget_report(*sample(n=n), rate=0.2)
        (line,) = (s for s in repr(report).splitlines() if s.startswith("  recall"))
        row, words = report["recall"], line.split()
        low, high = row.confidence_interval
        assert 10 ** (1 - digits) <= high - low < 10 ** (2 - digits)
        expected = [f"{number:.{digits}f}" for number in (row.value, low, high)]
        assert [words[1], words[2], words[4]] == expected


def test_names_of_models_do_not_widen_the_columns_and_are_escaped_in_html():
    y_true, y_score = sample(n=50)
    name = "<script>alert('&')</script>" * 4
    report = budget_report(y_true, {name: y_score}, rate=0.2)
    lines = repr(report).splitlines()
    assert name in repr(report)
    assert all(len(line) <= 80 for line in lines if name not in line)
    html = report._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert html.count("<tr>") == html.count("</tr>") == 10
    assert "caption-side: bottom" in html
    assert html.count('<td style="text-align: left">') == 8
    assert html.count('<td style="text-align: right">') == 8 * 3
    assert "(p" not in html


# --- The page -----------------------------------------------------------------------


def result_of(page):
    """Return the paragraph and the list that a page begins with, as text."""
    first = page.split("<section>")[1].split("<img")[0].split("<table")[0]
    return unescape(re.sub("<[^>]*>", "|", first)).strip("|")


def test_a_page_begins_with_the_difference_of_two_models():
    require("matplotlib")
    y_true, a = sample(n=4000)
    models = {"<a>": a, "b": -a}
    for reference, model, word in (("<a>", "b", "fewer"), ("b", "<a>", "more")):
        options = {"reference": reference, "rate": 0.1, "n_items": 1212}
        report = budget_report(y_true, models, **options)
        row, page = report[model, "more found"], report.to_html()
        low, high = sorted(map(abs, row.confidence_interval))
        few, many = sorted(map(abs, row.prediction_interval))
        assert result_of(page) == (
            f"If 121 of the next 1,212 samples are processed, {model} is expected to "
            f"find {abs(row.value):.0f} {word} positives than {reference} (95 % "
            f"interval {low:.0f} to {high:.0f}). For this batch alone, the interval is "
            f"{few:.0f} to {many:.0f}."
        )
        assert "<a>" not in page


def test_a_page_says_if_the_better_model_is_unknown():
    require("matplotlib")
    y_true, a = sample(n=400)
    other = a + 1e-3 * np.sin(np.arange(400))
    models, rate = {"a": a, "b": other}, rates.beta(10, 90)
    report = budget_report(y_true, models, rate=rate, reference="a")
    low, high = report["b", "more found"].confidence_interval
    assert low < 0 < high
    assert " fewer to " in result_of(report.to_html())
    assert "samples are processed on average, b" in result_of(report.to_html())
    assert result_of(report.to_html()).endswith("which of the two finds more.")


def test_a_page_begins_with_the_numbers_of_one_or_several_models():
    y_true, a = sample(n=1000)
    of = f"of {y_true.sum()} positives (95 % interval "
    page = budget_report(y_true, a, rate=0.2).to_html()
    start = "If 200 of the 1,000 samples are processed, the model is expected to find "
    assert result_of(page).startswith(start)
    assert of in result_of(page)
    models = {f"m{i}": a + i * np.sin(np.arange(1000)) for i in range(7)}
    for reference, name, others in (
        (None, "m0", "Other models:"), ("m3", "m3", "Compared with it:"),
    ):  # fmt: skip
        report = budget_report(y_true, models, rate=0.2, reference=reference)
        text = result_of(report.to_html())
        assert f", {name} is expected to find " in text
        assert text.partition(others)[2].count("||m") == 6


def test_a_page_defines_its_terms_and_has_a_date_and_a_version():
    y_true, a = sample(n=400)
    page = budget_report(y_true, {"a": a, "b": -a}, rate=0.2).to_html()
    assert "<dt>lift</dt><dd>" in page
    assert "<dt>more found</dt>" not in page
    assert f"{date.today().isoformat()}, skrate {skrate.__version__}" in page
    assert page.index("<p>If ") < page.index("<table>") < page.index("<dl>")


# --- Undefined, and bad input -------------------------------------------------------


@looped("n_pos", [0, 1, 19, 20])
@looped("models", [1, 2])
def test_the_number_found_is_known_where_its_uncertainty_is_not(n_pos, models):
    # The positives are the best cases, of which 4 of 20 are processed.
    y_true, scores = np.repeat([1, 0], [n_pos, 20 - n_pos]), np.arange(20)[::-1]
    given = {f"m{i}": scores for i in range(models)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = budget_report(y_true, given, rate=0.2, n_items=10, pos_label=1)
    assert [w.category for w in caught] == [UndefinedMetricWarning]
    assert "budget report is undefined: y_true" in str(caught[0].message)
    found = min(n_pos, 4)
    expected = {
        "found": found / 2,
        "missed": (n_pos - found) / 2,
        "false alarms": (4 - found) / 2,
        "recall": found / n_pos if n_pos else np.nan,
        "precision": found / 4,
        "lift": found / 4 * 20 / n_pos if n_pos else np.nan,
        "number needed": 4 / found if n_pos else np.inf,
    }
    # A random order finds the only positive with probability 4 / 20, and leaves the
    # only negative out with 16 / 20.
    pvalue = {1: 0.2, 19: 0.8}.get(n_pos, np.nan)
    for row in report:
        value = pytest.approx(expected[row.quantity], abs=1e-12, nan_ok=True)
        assert row.value == value
        assert row.pvalue == pytest.approx(pvalue, nan_ok=True)
        assert np.isnan(row.confidence_interval).all()
        if row.quantity in COUNTS:
            assert np.isnan(row.prediction_interval).all()
    assert "nan" in repr(report)
    assert "0.000" not in repr(report)


@pytest.mark.filterwarnings("ignore:The ")
def test_sampling_weights_may_differ_by_many_orders_of_magnitude():
    weight, scores = [1e53, 1e-17, 1e-17, 1e-73], [0.0, -1.0, -2.0, -2.0]
    report = budget_report(
        [0, 1, 0, 1], scores, rate=0.3, sample_weight=weight, weights="sampling"
    )
    # Nearly all of the weight is a negative, which is processed first.
    assert report["found"].value == pytest.approx(0, abs=1e-12)
    assert report["recall"].pvalue == pytest.approx(1, abs=0.5)


@looped(
    "changed, message",
    [
        ({"y_score": {}}, "y_score"),
        ({"y_score": {1: [1, 2, 3, 4], "1": [1, 2, 3, 4]}}, r"y_score.*'1', '1'"),
        ({"y_score": {"A": [1, 2, 3]}}, r"y_score.*'A'.*3"),
        ({"y_score": {"A": [1, 2, 3, np.nan]}}, r"y_score.*'A'.*NaN"),
        ({"y_score": [[1, 2, 3, 4], [4, 3, 2, 1]]}, r"y_score.*\(2, 4\)"),
        ({"y_score": zip("a", [[1, 2, 3, 4]], strict=True)}, r"y_score.*zip"),
        ({"y_true": RankTable([1, 1], [1, 1]), "y_score": {"A": [1, 2]}},
         r"y_true.*RankTable"),
        ({"y_score": {"A": RankTable([1, 1], [1, 1])}}, r"y_score.*'A'"),
        ({"rate": 1, "y_score": [1, 2, 3, 4]}, r"rate=1.*1.*rate=1\.0"),
        ({}, "y_score"),
        ({"n_items": 0}, r"n_items.*1"),
        ({"n_items": 2.5}, r"n_items.*1"),
        ({"rate": 400}, "rate"),
        ({"rate": 0.0}, "rate"),
        ({"confidence_level": 95}, "confidence_level"),
        ({"weights": "any", "y_score": [1, 2, 3, 4]}, "weights"),
        ({"prevalence": 5, "y_score": [1, 2, 3, 4]}, r"prevalence.*5.*0\.05"),
        ({"prevalence": 0.1, "y_true": RankTable([1, 1], [1, 1])},
         r"prevalence=0\.1.*RankTable"),
        ({"prevalence": 0.1, "y_score": [1, 2, 3, 4], "clusters": [0, 0, 1, 1],
          "n_items": 9}, r"n_items.*prevalence.*clusters"),
        ({"prevalence": 0.1, "y_true": FoldRankings([0, 1, 0, 1], [1, 2, 3, 4],
          [0, 0, 1, 1], clusters=[0, 0, 1, 1])}, r"prevalence=0\.1.*clusters"),
        ({"prevalence": 0.1, "y_score": [1, 2, 3, 4], "sample_weight": [1, 2, 1, 1]},
         r"prevalence=0\.1.*frequency"),
        ({"prevalence": 0.1, "y_true": [0] * 4, "y_score": [1, 2, 3, 4]},
         r"prevalence=0\.1.*0 positive"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_by_name(changed, message):
    arguments = {"y_true": [1, 0, 1, 0], "rate": 0.5} | changed
    with pytest.raises(ValueError, match=message):
        budget_report(**arguments)


def test_known_prevalence_replaces_the_prevalence_of_the_sample():
    y_true, y_score = sample(prevalence=0.5)
    options = {"rate": 0.05, "prevalence": 0.01}
    report = budget_report(y_true, y_score, n_items=5_000, **options)
    recall = recall_at_rate_score(y_true, y_score, **options)
    precision = precision_at_rate_score(y_true, y_score, **options)
    expected = [50 * recall, 50 * (1 - recall), 250 - 50 * recall, recall, precision]
    expected += [lift_at_rate_score(y_true, y_score, **options), 1 / precision]
    assert_allclose([row.value for row in report], expected, rtol=1e-12)
    assert_allclose(report["precision"].chance, 0.01, rtol=1e-12)
    found, missed = (report[name].confidence_interval for name in COUNTS[:2])
    assert_allclose(np.add(found, missed[::-1]), 50, rtol=1e-12)
    assert_allclose(report.curves[0].values.max(), 0.01, rtol=1e-12)


def test_comparisons_at_a_known_prevalence_agree():
    rng = np.random.default_rng(21)
    y_true = np.repeat([1, 0], [120, 480])
    a, b = rng.normal(size=(2, 600)) + y_true * [[1.9], [1.4]]
    options = {"rate": 0.05, "n_items": 10_000, "prevalence": 0.01, "reference": "b"}
    report = budget_report(y_true, {"a": a, "b": b}, **options)
    more, equal = report["a", "more found"], report["a", "equal budget"]
    assert more.pvalue < 0.01
    assert equal.confidence_interval.low > 500
    # The variance of a batch: 67 and 46 positives are found, with 39 in common.
    assert np.diff(more.prediction_interval).item() < 45


# --- Guarantees ---------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("distribution", [rates.fixed(0.2), rates.beta(3, 19)])
@pytest.mark.parametrize("setting", SOME_SETTINGS, ids=lambda s: "-".join(map(str, s)))
def test_intervals_of_counts_cover_the_truth(setting, distribution):
    generator, whole = np.random.default_rng(0), population(setting)
    metrics = [ExpectedHits(distribution), ExpectedHits(distribution, missed=True)]
    hits, misses = (metric.value(whole) for metric in metrics)
    truth = np.array(
        [hits, misses, distribution.mean() - hits, distribution.mean() / hits]
    )

    def drawn(_):
        report = budget_report(*draw(generator, setting), rate=distribution)
        rows = [report[name] for name in (*COUNTS, "number needed")]
        ends = [row.confidence_interval for row in rows]
        return ends / np.array([[report.n_samples]] * 3 + [[1]])

    assert abs(whole.prevalence - setting.prevalence) < 1e-6
    assert_share(held(simulated(400, drawn), truth), at_least=0.92)


def recall_by_class(y_true, y_score, prevalence):
    """Return the mean recall over all rates, of classes with given total weights."""
    pos, neg = y_score[y_true], y_score[~y_true]
    # A positive is processed at all rates above the weight of the samples before it.
    by_pos = (pos[:, None] < pos).mean(axis=1) + 0.5 / len(pos)
    by_neg = (pos[:, None] < neg).mean(axis=1)
    return 1 - np.mean(prevalence * by_pos + (1 - prevalence) * by_neg)


def test_clusters_at_a_known_prevalence_vary_as_a_whole():
    rng, n_clusters, prevalence = np.random.default_rng(6), 150, 0.02
    clusters = np.repeat(np.arange(n_clusters), 4)
    common = rng.normal(size=n_clusters)[clusters]
    y_true = rng.random(600) < 0.4
    # Positives of a cluster are all easier for one of the models.
    easier = [common, -common] * y_true
    a, b = easier + rng.normal(size=(2, 600)) + [[1.5], [0.5]] * y_true
    options = {"rate": "uniform", "prevalence": prevalence, "reference": "b"}
    models = {"a": a, "b": b}
    report = budget_report(y_true, models, clusters=clusters, **options)
    recalls = [recall_by_class(y_true, one, prevalence) for one in (a, b)]
    assert report["a", "recall"].value == pytest.approx(recalls[0], rel=1e-12)
    # The jackknife leaves out one cluster at a time.
    left_out = []
    for i in range(n_clusters):
        kept = clusters != i
        part = [recall_by_class(y_true[kept], one[kept], prevalence) for one in (a, b)]
        left_out.append(part[0] - part[1])
    error = np.sqrt((n_clusters - 1) ** 2 / n_clusters * np.var(left_out, ddof=1))
    more = report["a", "more found"]
    assert more.value == pytest.approx(600 * prevalence * (recalls[0] - recalls[1]))
    low, high = more.confidence_interval
    half_width = 600 * prevalence * error * stats.t.ppf(0.975, n_clusters - 1)
    assert (high - low) / 2 == pytest.approx(half_width, rel=0.03)
    plain = budget_report(y_true, models, **options)
    low, high = plain["a", "more found"].confidence_interval
    assert (high - low) / 2 < 0.9 * half_width
    # Clusters of one sample are almost as no clusters.
    single = budget_report(y_true, models, clusters=np.arange(600), **options)
    for name in ("found", "recall", "precision"):
        expected = plain["a", name].confidence_interval
        found = single["a", name].confidence_interval
        assert found == pytest.approx(expected, rel=0.01)
