"""How many more a model finds than another: by hand, by resampling, by new batches."""

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from scipy import optimize, stats
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import assert_share, held, simulated, simulations
from looped import case, looped
from reference.budget_card import card
from skrate import (
    FoldRankings,
    budget_report,
    compare,
    estimate,
    rate_at_recall_score,
    rates,
    recall_at_rate_score,
)
from strategies import ranked_samples

# Rates with their probabilities, and the same for skrate.
BUDGET = [(Fraction(1, 8), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 2))]
LAW = rates.empirical([0.125, 0.5])


def two_models(rng, n, prevalence=0.1, shared=0.5, shifts=(1.5, 1.0), step=0.0):
    """Return labels, of both classes, and scores of models whose errors correlate."""
    y_true = rng.random(n) < prevalence
    y_true[:4] = [True, True, False, False]
    common, *own = rng.normal(size=(3, n))
    scores = [
        np.sqrt(shared) * common + np.sqrt(1 - shared) * one + shift * y_true
        for one, shift in zip(own, shifts, strict=True)
    ]
    if step:
        scores = [np.round(one / step) * step for one in scores]
    return y_true, *scores


def difference(y_true, a, b, *, rate, **options):
    """Return the rows of a against b."""
    models = {"a": a, "b": b}
    report = budget_report(y_true, models, rate=rate, reference="b", **options)
    return report["a", "more found"], report["a", "more false alarms"]


@given(ranked_samples(min_size=6))
def test_values_are_those_of_the_oracle_twice(ranked):
    y_true, a, _ = ranked
    if min(sum(y_true), len(y_true) - sum(y_true)) < 2:
        return
    b = np.roll(a, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, alarms = difference(y_true, a, b, rate=LAW)
    cards = [card(y_true.tolist(), model.tolist(), BUDGET) for model in (a, b)]
    for row, name in ((found, "found"), (alarms, "false alarms")):
        expected = float(cards[0][name] - cards[1][name])
        assert row.value == pytest.approx(expected, abs=1e-12)
        assert row.confidence_interval.low <= row.value <= row.confidence_interval.high


@looped("rate", [0.1, rates.beta(3, 19)])
def test_the_interval_is_that_of_hits_by_the_influence_of_recall_and_prevalence(rate):
    rng = np.random.default_rng(0)
    y_true, *scores = two_models(rng, 5000, step=0.25)
    found, _ = difference(y_true, *scores, rate=rate)
    p, n = y_true.mean(), len(y_true)
    how = {"rate": rate}
    recalls = [recall_at_rate_score(y_true, one, rate=0.1) for one in scores]
    metric = recall_at_rate_score
    if rate != 0.1:
        metric = "expected_recall"
        recalls = [found.value / n / p, 0.0]
    of_recall = [estimate(metric, y_true, one, **how).influence for one in scores]
    # H = p x recall, each by its case.
    values = p * (of_recall[0] - of_recall[1])
    values = values + (recalls[0] - recalls[1]) * (y_true - p)
    error = np.sqrt(n * np.mean(values**2))
    low, high = found.confidence_interval
    assert high - found.value == pytest.approx(found.value - low)
    assert high - low == pytest.approx(2 * 1.962 * error, rel=3e-3)
    z = found.value / error
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(abs(z)), rel=0.05)


def found_at(y_true, y_score, rate, rng):
    """Return how many positives are among the first, where ties are in any order."""
    order = np.lexsort((rng.random(len(y_true)), -y_score))
    return int(y_true[order[: round(rate * len(y_true))]].sum())


@pytest.mark.slow
@looped(
    "n_items, shifts, shared",
    [(20, (2.0, 0.5), 0.2), (50, (1.0, 1.0), 0.5), (2000, (1.5, 1.0), 0.9)],
)
@looped("rate", [0.1, rates.empirical([0.05, 0.3])])
def test_of_a_known_population_the_next_batch_is_as_batches_drawn_from_it(
    n_items, shifts, shared, rate
):
    rng = np.random.default_rng(2)
    n = 200_000
    data = two_models(rng, n, shared=shared, shifts=shifts)
    ends = difference(*data, rate=rate, n_items=n_items)[0].prediction_interval
    n_draws = simulations(1500)
    shares = [0.1] if rate == 0.1 else [0.05, 0.3]
    drawn = []
    for i in range(n_draws):
        rows = rng.integers(n, size=n_items)
        share = shares[i % len(shares)]
        y_true, a, b = (column[rows] for column in data)
        drawn.append(found_at(y_true, a, share, rng) - found_at(y_true, b, share, rng))
    drawn = np.array(drawn)
    # Whole numbers with so much or more outside, but for what the draws leave open.
    slack = 3 * np.sqrt(0.025 * 0.975 / n_draws)
    for beyond, nearer in (
        (drawn < ends.low, drawn <= ends.low),
        (drawn > ends.high, drawn >= ends.high),
    ):
        assert beyond.mean() <= 0.025 + slack
        assert nearer.mean() >= 0.025 - slack - 0.004


def equal_budget(y_true, a, b, rate, **options):
    """Return the row with the number of cases in which b finds as many as a."""
    models = {"a": a, "b": b}
    report = budget_report(y_true, models, rate=rate, reference="b", **options)
    return report["a", "equal budget"]


def test_in_an_equal_budget_the_reference_finds_as_many():
    y_true, a, b = two_models(np.random.default_rng(3), 500)
    for rate in (0.05, 0.2, 0.6):
        row = equal_budget(y_true, a, b, rate)
        low, high = row.confidence_interval
        assert 0 < low < row.value < high <= 500
        # Between the rates of a grid that increase by a twentieth, it is linear.
        found = recall_at_rate_score(y_true, b, rate=row.value / 500)
        expected = recall_at_rate_score(y_true, a, rate=rate)
        assert found == pytest.approx(expected, abs=0.03)
        # As reviewers of a batch it is as many times more.
        batch = equal_budget(y_true, a, b, rate, n_items=2000)
        assert batch.value == pytest.approx(4 * row.value, rel=1e-12)
        assert batch.prediction_interval is batch.chance is None
    same = equal_budget(y_true, a, a, 0.1)
    assert same.value == pytest.approx(50, rel=1e-9)
    assert same.confidence_interval.low < 50 < same.confidence_interval.high
    everything = equal_budget(y_true, a, b, 1.0)
    assert everything.value == everything.confidence_interval.high == 500
    models = {"a": a, "b": b}
    report = budget_report(y_true, models, rate=LAW, reference="b")
    assert "equal budget" not in {row.quantity for row in report}
    assert "Equal budget" not in str(report)
    assert "Equal budget: the number" in str(
        budget_report(y_true, models, rate=0.1, reference="b")
    )


@pytest.mark.slow
@looped("n, prevalence, shifts, rate", [(500, 0.2, (1.5, 1.0), 0.2),
                                        (1000, 0.05, (2.0, 1.0), 0.05),
                                        (1000, 0.1, (1.0, 1.5), 0.2)])  # fmt: skip
def test_the_interval_of_an_equal_budget_holds_it(n, prevalence, shifts, rate):
    # Scores are normal, with a variance of 1 in each class.
    def above(cut, shift):
        return prevalence * stats.norm.sf(cut - shift) + (
            1 - prevalence
        ) * stats.norm.sf(cut)

    cut = optimize.brentq(lambda x: above(x, shifts[0]) - rate, -5, 9)
    # The cut of the other at the same recall.
    truth = n * above(cut - shifts[0] + shifts[1], shifts[1])
    rng = np.random.default_rng(0)

    def drawn(_):
        y_true, a, b = two_models(rng, n, prevalence, 0.6, shifts)
        return equal_budget(y_true, a, b, rate)

    events = held(simulated(300, drawn), truth)
    assert_share(events, at_least=0.93, at_most=0.98)


def test_rows_follow_those_of_the_models():
    rng = np.random.default_rng(3)
    y_true, a, b = two_models(rng, 300)
    models = {"a": a, 7: b, "c\nd": -a}
    how = {"rate": 0.2, "n_items": 500}
    report = budget_report(y_true, models, reference=7, **how)
    assert report.reference == "7"
    plain = budget_report(y_true, models, **how)
    assert report.rows[:21] == plain.rows
    assert [(row.model, row.quantity) for row in report.rows[21:]] == [
        (model, quantity)
        for model in ("a", "c\nd")
        for quantity in ("more found", "more false alarms", "equal budget")
    ]
    columns = report.to_dict()
    assert columns["reference"] == ["7"] * 27
    assert "reference" not in plain.to_dict()
    assert columns["value"][21] == report["a", "more found"].value
    text = repr(report)
    assert "\na against 7 (p = " in text
    assert "\nc d against 7 (p = " in text
    assert "Against the reference, p tests whether the numbers found differ" in text
    assert "against 7" in report._repr_html_()
    assert max(map(len, text.splitlines())) <= 80
    with pytest.raises(KeyError, match="more false alarms"):
        report["7", "more found"]


def test_pvalues_are_adjusted_by_holm():
    rng = np.random.default_rng(4)
    y_true, a, b = two_models(rng, 400)
    models = {"a": a, "b": b, "c": a + b, "d": rng.normal(size=400)}
    report = budget_report(y_true, models, rate=0.2, reference="b")
    alone = sorted(
        difference(y_true, models[name], b, rate=0.2)[0].pvalue for name in "acd"
    )
    found = sorted(report[name, "more found"].pvalue for name in "acd")
    assert found == pytest.approx(
        [3 * alone[0], max(3 * alone[0], 2 * alone[1]), max(2 * alone[1], alone[2])]
    )


def test_weights_repeat_cases_and_folds_are_cut_each():
    rng = np.random.default_rng(5)
    y_true, a, b = two_models(rng, 200, prevalence=0.3)
    times = rng.integers(0, 4, 200)
    how = {"rate": 0.25, "n_items": 300}
    weighted = difference(y_true, a, b, sample_weight=times, **how)[0]
    repeated = difference(*(np.repeat(one, times) for one in (y_true, a, b)), **how)[0]
    assert weighted.value == pytest.approx(repeated.value)
    for ends in ("confidence_interval", "prediction_interval"):
        assert getattr(weighted, ends) == pytest.approx(getattr(repeated, ends))
    # Weights are not in the next batch: those of a sample that was drawn.
    sampled = {"sample_weight": np.where(y_true, 1.0, 20.0), "weights": "sampling"}
    row = difference(y_true, a, b, **sampled, **how)[0]
    assert row.prediction_interval.low <= row.value <= row.prediction_interval.high
    one_fold = np.zeros(200, int)
    folds = {
        name: FoldRankings(y_true, one, one_fold) for name, one in (("a", a), ("b", b))
    }
    report = budget_report(folds, reference="b", **how)
    plain = difference(y_true, a, b, **how)[0]
    found = report["a", "more found"]
    assert found.value == pytest.approx(plain.value)
    assert found.confidence_interval == pytest.approx(plain.confidence_interval)


def test_what_is_no_reference_is_refused_and_one_class_undefined():
    rng = np.random.default_rng(8)
    y_true, a, b = two_models(rng, 100)
    for asked, message in (
        ({"y_score": {"a": a, "b": b}, "reference": "c"}, r"'c'.*'a'.*'b'"),
        ({"y_score": {"a": a}, "reference": "a"}, "'a'"),
        ({"y_score": a, "reference": "model"}, r"reference='model'.*y_score"),
    ):
        with case(message), pytest.raises(ValueError, match=message):
            budget_report(y_true, rate=0.2, **asked)
    with pytest.warns(UndefinedMetricWarning):
        row, _ = difference(np.ones(100, int), a, b, rate=0.2, n_items=10)
    assert row.value == 0
    assert np.isnan([row.pvalue, *row.confidence_interval]).all()
    assert np.isnan(row.prediction_interval).all()


# Size, prevalence, correlation, shifts, ties, rate and size of the batch.
DESIGNS = [
    (200, 0.1, 0.5, (1.5, 1.0), 0.0, 0.1, 500),
    (500, 0.3, 0.8, (1.2, 0.8), 0.5, rates.beta(3, 19), 1000),
    (1000, 0.02, 0.7, (2.0, 2.0), 0.0, 0.02, 5000),
    (300, 0.4, 0.0, (0.5, 1.5), 0.25, 0.5, 300),
    (100, 0.3, 0.6, (1.0, 0.0), 0.0, "uniform", 50),
    (400, 0.1, 0.3, (2.0, -0.5), 1.0, 0.1, 1000),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* may be too short", "ignore:.*depends on the")
@looped("n, prevalence, shared, shifts, step, rate, n_items", DESIGNS)
def test_intervals_hold_the_truth_and_the_next_batch(
    n, prevalence, shared, shifts, step, rate, n_items
):
    rng = np.random.default_rng(9)
    how = {"prevalence": prevalence, "shared": shared, "shifts": shifts, "step": step}
    distribution = budget_report([1, 1, 0, 0], [4, 3, 2, 1], rate=rate).rate
    truth, _ = difference(*two_models(rng, 300_000, **how), rate=rate)
    truth = truth.value / 300_000 * n_items

    def one(_):
        row, _ = difference(*two_models(rng, n, **how), rate=rate, n_items=n_items)
        share = float(distribution.ppf(rng.random()))
        y_true, a, b = two_models(rng, n_items, **how)
        next_batch = found_at(y_true, a, share, rng) - found_at(y_true, b, share, rng)
        return row, next_batch

    found = simulated(250, one)
    rows = [row for row, _ in found]
    assert_share(held(rows, truth), at_least=0.92, at_most=0.98)
    ends = [row.prediction_interval for row in rows]
    assert_share(held(ends, np.array([batch for _, batch in found])), at_least=0.935)


@looped("rate", [0.1, rates.beta(3, 19)])
def test_next_batch_is_the_mirror_image_where_models_change_places(rate):
    rng = np.random.default_rng(3)
    y_true = rng.random(300) < 0.2
    a = rng.normal(size=300) + y_true
    models = {"a": a, "b": a / 2 + rng.normal(size=300)}
    (low, high), other = (
        budget_report(y_true, models, reference=base, n_items=50_000, rate=rate)[
            name, "more found"
        ].prediction_interval
        for base, name in (("a", "b"), ("b", "a"))
    )
    assert other == (-high, -low)


@pytest.mark.parametrize("digits", [1, 8])
def test_the_equal_budget_is_the_rate_at_the_same_recall(digits):
    rng = np.random.default_rng(3)
    y_true = rng.random(500) < 0.1
    a, b = (rng.normal(size=(2, 500)) + [[1.5], [0.8]] * y_true).round(digits)
    report = budget_report(y_true, {"a": a, "b": b}, rate=0.05, reference="b")
    recall = report["a", "recall"].value
    expected = 500 * rate_at_recall_score(y_true, b, recall=recall)
    assert report["a", "equal budget"].value == pytest.approx(expected)


def test_a_comparison_has_the_equal_budget_as_a_ratio():
    y_true, a, b = two_models(np.random.default_rng(3), 500)
    pair = compare("recall_at_rate", y_true, a, b, rate=0.1)
    budget = pair.equal_budget()
    recall = recall_at_rate_score(y_true, a, rate=0.1)
    assert budget.rate == 0.1
    assert budget.rate_b == pytest.approx(
        rate_at_recall_score(y_true, b, recall=recall), rel=1e-12
    )
    assert budget.value == pytest.approx(budget.rate_b / 0.1, rel=1e-12)
    # As in the report, which counts samples.
    row = equal_budget(y_true, a, b, 0.1)
    assert 50 * budget.value == pytest.approx(row.value, rel=1e-12)
    ends = [50 * end for end in budget.confidence_interval]
    assert ends == pytest.approx(row.confidence_interval, rel=1e-12)
    # Of k samples, of the models of a mapping, and whatever happens to the scores.
    several = compare("recall_at_rate", y_true, {"a": a, "b": b, "c": -a}, k=50)
    assert several[0].equal_budget() == budget
    times = np.arange(500) % 3
    options = {"rate": 0.1, "sample_weight": times}
    weighted = compare("recall_at_rate", y_true, a, b, **options)
    repeated = (np.repeat(column, times) for column in (y_true, a, b))
    expected = compare("recall_at_rate", *repeated, rate=0.1).equal_budget()
    a[:] = times[:] = 1
    assert pair.equal_budget() == budget
    found = weighted.equal_budget()
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    assert found.confidence_interval == pytest.approx(
        expected.confidence_interval, rel=1e-9
    )


def test_the_equal_budget_has_the_level_and_the_side_of_the_comparison():
    y_true, a, b = two_models(np.random.default_rng(4), 500)

    def found(**options):
        pair = compare("recall_at_rate", y_true, a, b, rate=0.1, **options)
        return pair.equal_budget()

    low, high = found(confidence_level=0.9).confidence_interval
    greater, less = (found(alternative=side) for side in ("greater", "less"))
    assert greater.confidence_interval == pytest.approx((low, 10), rel=1e-9)
    assert less.confidence_interval == pytest.approx((0, high), rel=1e-9)
    assert "one-sided 95 %" in repr(less)
    equivalence = found(margin=0.1)
    assert equivalence.confidence_interval == pytest.approx((low, high), rel=1e-9)
    assert equivalence.confidence_level == 0.9
    assert low < found().value < high
    # The test and the interval agree, up to the grid of rates.
    for level in (0.5, 0.9, 0.999999):
        pair = compare("recall_at_rate", y_true, a, b, rate=0.1, confidence_level=level)
        is_better = pair.confidence_interval.low > 0
        assert (pair.equal_budget().confidence_interval.low > 1) == is_better


def test_an_equal_budget_of_anything_else_is_refused():
    y_true, a, b = two_models(np.random.default_rng(5), 100)
    folds = [FoldRankings(y_true, one, np.arange(100) % 2) for one in (a, b)]
    at_rate = {"rate": 0.3}
    for metric, arguments, options in (
        ("roc_auc", (y_true, a, b), {}),
        ("precision_at_rate", (y_true, a, b), at_rate),
        ("recall_at_rate", (y_true, a, b), {"rate": LAW}),
        ("recall_at_rate", (y_true, a, b), at_rate | {"of": "negatives"}),
        ("recall_at_rate", (y_true, a, b), at_rate | {"prevalence": 0.2}),
        ("recall_at_rate", folds, at_rate),
        ("recall_at_rate", (y_true, a, b), {"k": 1, "groups": np.arange(100) // 4}),
        ("recall_at_rate", (y_true, a, b), at_rate | {"y_true_b": y_true}),
        (["roc_auc", "average_precision"], (y_true, a), {}),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pair = compare(metric, *arguments, **options)
        with case((metric, options)), pytest.raises(ValueError, match="recall_at_rate"):
            pair.equal_budget()
    pair = compare("recall_at_rate", y_true, a, b, rate=0.3)
    copy = pickle.loads(pickle.dumps(pair))
    assert copy == pair
    with pytest.raises(ValueError, match="pickled"):
        copy.equal_budget()
    with pytest.warns(UndefinedMetricWarning):
        unknown = compare("recall_at_rate", np.arange(100) == 3, a, b, rate=0.3)
    budget = unknown.equal_budget()
    assert np.isnan([budget.value, *budget.confidence_interval]).all()
