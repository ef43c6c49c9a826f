"""Two models batch after batch: intervals of all looks, and drift of the prevalence."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, optimize, special, stats

from guarantees import assert_share, simulated
from looped import case, looped
from optional import require
from skrate import RankTable, compare, compare_batches, ndcg_score, rates

RNG = np.random.default_rng(0)
WEEK = np.repeat(np.arange(6), [80, 120, 60, 100, 90, 50])
Y = RNG.random(500) < 0.4
A, B = (RNG.normal(size=500) + shift * Y for shift in (1.6, 0.9))
RESULT = compare_batches("roc_auc", Y, A, B, batches=WEEK, n_batches=6)


def mixture(moved, variance, kappa):
    """Return Robbins' mixture by quadrature: of exp(t S - t^2 V / 2), normal in t."""
    center, scale = moved / (variance + kappa), 1 / math.sqrt(variance + kappa)

    def weighed(z):
        t = center + scale * z
        log = t * moved - t * t * variance / 2 - kappa * t * t / 2
        return math.exp(log) * math.sqrt(kappa / (2 * math.pi))

    return scale * integrate.quad(weighed, -9, 9)[0]


def ends_and_pvalues(sizes, differences, errors, alpha, n_batches):
    """Yield the ends of the intervals, and p-values, from the mixture alone."""
    twice, least, kappa = -2 * math.log(alpha), 1.0, None
    for k in range(1, len(sizes) + 1):
        squares = [(n * s) ** 2 for n, s in zip(sizes[:k], errors[:k], strict=True)]
        if kappa is None:
            if sum(squares) ** 2 < 3.9 * sum(one**2 for one in squares):
                yield math.nan, math.nan, 1.0
                continue
            kappa = n_batches * sum(squares) / k / (twice + math.log(1 + twice))
        n, total = sizes[:k], sum(sizes[:k])
        moved = sum(n * differences[:k])
        variance = sum((n * errors[:k]) ** 2)

        def excess(value, moved=moved, total=total, variance=variance, kappa=kappa):
            return math.log(mixture(moved - total * value, variance, kappa) * alpha)

        middle, far = moved / total, 20 * math.sqrt(variance) / total
        least = min(least, 1 / mixture(moved, variance, kappa))
        yield (
            optimize.brentq(excess, middle - far, middle, xtol=1e-14),
            optimize.brentq(excess, middle, middle + far, xtol=1e-14),
            least,
        )


@looped("level, n_batches", [(0.95, 6), (0.9, 1), (0.99, 50)])
def test_intervals_and_pvalues_are_those_of_the_mixture(level, n_batches):
    found = compare_batches(
        "roc_auc", Y, A, B, batches=WEEK, n_batches=n_batches, confidence_level=level
    )
    expected = ends_and_pvalues(
        found.n_cases, found.differences, found.standard_errors, 1 - level, n_batches
    )
    low, high, pvalues = np.transpose(list(expected))
    # Rounding of the quadrature and the root.
    assert_allclose(found.low, low, atol=1e-9)
    assert_allclose(found.high, high, atol=1e-9)
    assert_allclose(found.pvalues, pvalues, rtol=1e-8)


def test_looks_of_one_size_have_the_interval_of_the_paper():
    y, a, b = (np.tile(one[:80], 6) for one in (Y, A, B))
    found = compare_batches("roc_auc", y, a, b, batches=np.arange(480) // 80)
    sigma, alpha, t = found.standard_errors[0], 0.05, np.arange(1, 7)
    # Theirs is of t looks of one variance, narrowest at t = 10.
    rho = math.sqrt((-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / 10)
    grown = t * rho**2 + 1
    reach = sigma * np.sqrt(
        2 * grown / (t**2 * rho**2) * np.log(np.sqrt(grown) / alpha)
    )
    assert np.isnan(found.high[:3]).all()
    assert_allclose((found.high - found.values)[3:], reach[3:], rtol=1e-12)


def test_each_look_is_a_comparison_of_its_cases():
    for place, week in enumerate(range(6)):
        rows = week == WEEK
        one = compare("roc_auc", Y[rows], A[rows], B[rows])
        assert RESULT.differences[place] == one.value
        half = one.confidence_interval.high - one.value
        assert_allclose(RESULT.standard_errors[place], half / special.ndtri(0.975))
        assert RESULT.standard_errors[place] > one.standard_error
    assert RESULT.n_cases.tolist() == [80, 120, 60, 100, 90, 50]
    assert RESULT.n_pos.tolist() == [Y[week == WEEK].sum() for week in range(6)]
    weighted = np.average(RESULT.differences, weights=RESULT.n_cases)
    assert_allclose(RESULT.values[-1], weighted)


def test_later_batches_leave_earlier_looks_as_they_were():
    for n_weeks in range(1, 6):
        rows = n_weeks > WEEK
        found = compare_batches(
            "roc_auc", Y[rows], A[rows], B[rows], batches=WEEK[rows], n_batches=6
        )
        for name in ("values", "low", "high", "pvalues"):
            assert_allclose(getattr(found, name), getattr(RESULT, name)[:n_weeks])


def test_the_pvalue_says_when_an_interval_left_out_0():
    out = np.logical_or.accumulate((RESULT.low > 0) | (RESULT.high < 0))
    assert (out == (RESULT.pvalues <= 0.05)).all()
    assert 0 < out.sum() < 6
    # What was found once stays found, where the other model becomes the better one.
    is_last = WEEK == 5
    a, b = np.where(is_last, B, A), np.where(is_last, A, B)
    found = compare_batches("roc_auc", Y, a, b, batches=WEEK, n_batches=6)
    assert found.differences[-1] < 0 < found.values[-1]
    assert found.pvalues[-1] == found.pvalues[-2] == RESULT.pvalues[-2]


def test_few_cases_wait_for_the_next_batch():
    sizes = [(9, 40), (3, 9), (30, 10), (10, 9), (2, 0), (0, 1), (4, 4)]
    y = np.concatenate([[1] * n_pos + [0] * n_neg for n_pos, n_neg in sizes])
    week = np.repeat(np.arange(7), [sum(pair) for pair in sizes])
    a, b = RNG.normal(size=(2, len(y)))
    found = compare_batches("roc_auc", y, a, b, batches=week)
    assert found.batches.tolist() == [1, 2, 5]
    assert found.n_cases.tolist() == [61, 40, 22]
    assert found.n_pos.tolist() == [12, 30, 12]
    assert found.n_waiting == 8


def test_without_a_look_it_says_what_is_lacking():
    with pytest.warns(UserWarning, match="takes 10 cases of each class: so far"):
        found = compare_batches("roc_auc", Y[:20], A[:20], B[:20], batches=WEEK[:20])
    assert repr(found) == "BatchComparison(AUC: no look yet, 20 cases wait)"
    assert found.to_dict()["value"] == []
    assert np.isnan(found.prevalence_pvalue)


def test_drift_of_the_scores_makes_no_difference():
    moved = [one * (1 + WEEK) - 5 * WEEK for one in (A, B)]
    found = compare_batches("roc_auc", Y, *moved, batches=WEEK, n_batches=6)
    for name, column in RESULT.to_dict().items():
        assert_array_equal(found.to_dict()[name], column)


def test_the_order_of_rows_and_the_names_of_batches_do_not_matter():
    order = RNG.permutation(500)
    names = {
        "strings": [f"week {7 + one}" for one in WEEK],
        "dates": np.datetime64("2026-01-05") + 7 * WEEK,
        "numbers": WEEK / 2,
    }
    for name, batches in names.items():
        with case(name):
            found = compare_batches(
                "roc_auc", Y[order], A[order], B[order], n_batches=6,
                batches=np.array(batches)[order],
            )  # fmt: skip
            assert_allclose(found.low, RESULT.low)
            assert found.batches.tolist() == np.unique(batches).tolist() or (
                found.batches.tolist() == [f"week {i}" for i in range(7, 13)]
            )


def test_swapped_models_have_the_opposite_difference():
    found = compare_batches("roc_auc", Y, B, A, batches=WEEK, n_batches=6)
    assert_allclose(found.low, -RESULT.high)
    assert_allclose(found.pvalues, RESULT.pvalues)


def test_models_that_never_differ_are_never_told_apart():
    found = compare_batches("roc_auc", Y, A, 2 * A, batches=WEEK)
    assert (found.values == 0).all()
    assert np.isnan(found.low).all()
    assert (found.pvalues == 1).all()
    # What they do not differ in says nothing of the variance.
    y, a, b, week = (np.append(one[WEEK == 0], one) for one in (Y, A, B, WEEK + 1))
    other = np.where(np.arange(len(y)) < 80, a, b)
    week[:80] = 0
    found = compare_batches("roc_auc", y, a, other, batches=week, n_batches=6)
    assert np.isnan(found.low).tolist() == [True, *np.isnan(RESULT.low)]


def test_a_difference_without_variation_has_an_error():
    y, week = np.tile([1] * 10 + [0] * 40, 5), np.repeat(range(5), 50)
    best, worst = y * 1.0, 1.0 - y
    with pytest.warns(UserWarning, match="turned round"):
        found = compare_batches("roc_auc", y, best, worst, batches=week)
    assert (found.differences == 1).all()
    assert (found.standard_errors > 0.1).all()
    assert found.low[-1] < 1


def fisher(table):
    """Return the two-sided p-value: tables as probable as this, or less."""
    (a, b), (c, d) = table
    n, rows, columns = a + b + c + d, a + b, a + c
    law = {
        k: math.comb(rows, k) * math.comb(n - rows, columns - k) / math.comb(n, columns)
        for k in range(max(0, rows + columns - n), min(rows, columns) + 1)
    }
    return sum(p for p in law.values() if p <= law[a] * (1 + 1e-7))


def test_drift_of_the_prevalence_is_the_least_of_weighted_tests():
    n_pos = [Y[week == WEEK].sum() for week in range(6)]
    sizes = np.bincount(WEEK)
    pvalues = []
    for k in range(1, 6):
        before, of_before = sum(n_pos[:k]), sum(sizes[:k])
        table = [[before, of_before - before], [n_pos[k], sizes[k] - n_pos[k]]]
        pvalues.append(min(k * (k + 1) * fisher(table), 1))
    assert_allclose(RESULT.prevalence_pvalue, min(pvalues))
    late = RNG.random(500) < 0.2 + 0.12 * WEEK
    found = compare_batches("roc_auc", late, A, B, batches=WEEK)
    assert found.prevalence_pvalue < 1e-4
    assert ", which drifts, p =" in repr(found)
    assert "drifts" not in repr(RESULT)


def test_one_batch_is_a_first_look():
    found = compare_batches("roc_auc", Y, A, B, batches=np.zeros(500))
    assert len(found.values) == 1
    assert np.isnan(found.prevalence_pvalue)


@looped(
    "changes, message",
    [
        ({"y_score_b": B[1:]}, "y_score_b has 499, batches has 500"),
        ({"batches": WEEK[1:]}, "batches has 499"),
        ({"batches": np.arange(500)}, "500 batches of 500 cases: give the days"),
        ({"batches": np.where(WEEK == 1, np.nan, WEEK)}, "batches contains NaN"),
        ({"batches": None}, "batches must be one-dimensional"),
        ({"y_score_a": np.where(WEEK == 1, np.nan, A)}, "y_score_a contains NaN"),
        ({"y_score_a": np.stack([A, B], axis=1)}, "y_score_a must be one-dimensional"),
        ({"y_score_a": RankTable([1, 2], [2, 1])}, "y_score_a must be"),
        ({"y_true": RankTable([1, 2], [2, 1])}, "y_true is a RankTable"),
        ({"y_true": WEEK}, "y_true"),
        ({"groups": WEEK}, "groups is unknown here: give compare each batch"),
        ({"clusters": WEEK}, "clusters is unknown here"),
        ({"sample_weight": WEEK}, "sample_weight"),
        ({"method": "bootstrap"}, "no parameter 'method'"),
        ({"metric": ndcg_score}, "lists"),
        ({"metric": Y}, "metric comes first"),
        ({"metric": "recall_at_rate"}, "needs the keyword 'rate'"),
        ({"n_batches": 0}, "n_batches must be an integer >= 1"),
        ({"confidence_level": 95}, "confidence_level must be a number in"),
        (
            {"metric": "expected_gain", "rate": 0.1, "gain": A**2},
            "gain or cost per case: give them per class",
        ),
        (
            {"metric": "expected_recall", "rate": rates.between(support=(0, 1))},
            "rate is a set of distributions",
        ),
    ],
)
def test_bad_input_says_what_to_do(changes, message):
    given = {
        "metric": "roc_auc", "y_true": Y, "y_score_a": A, "y_score_b": B,
        "batches": WEEK,
    } | changes  # fmt: skip
    with pytest.raises(ValueError, match=message):
        compare_batches(**given)


def batch_after_batch(rng, n_looks, size, shifts):
    """Return labels, scores and batches, with drift of the prevalence and scores."""
    week = np.repeat(np.arange(n_looks), size)
    y = rng.random(len(week)) < 0.2 + 0.2 * week / n_looks
    noise = rng.standard_t(3, size=(3, len(week)))
    drift = np.sin(week)
    a, b = (
        noise[0] + one + drift + shift * y
        for one, shift in zip(noise[1:], shifts, strict=True)
    )
    return y, a, b, week


def test_ordered_categories_are_the_order_of_time():
    pandas = require("pandas")
    rng = np.random.default_rng(0)
    y, a, b, week = batch_after_batch(rng, 6, 60, (1.5, 1.0))
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun"]
    named = pandas.Categorical.from_codes(week, months, ordered=True)
    plain = compare_batches("roc_auc", y, a, b, batches=week)
    for batches in (named, pandas.Series(named)):
        found = compare_batches("roc_auc", y, a, b, batches=batches)
        assert found.batches.tolist() == months
        np.testing.assert_array_equal(found.values, plain.values)
    missing = named.remove_categories("Jan")
    with pytest.raises(ValueError, match="batches has missing entries"):
        compare_batches("roc_auc", y, a, b, batches=missing)


@pytest.mark.slow
@looped(
    "metric, params", [("average_precision", {}), ("recall_at_rate", {"rate": 0.1})]
)
def test_equal_models_are_seldom_told_apart_at_any_look(metric, params):
    def rejects(seed):
        rng = np.random.default_rng(seed)
        y, a, b, week = batch_after_batch(rng, 30, 60, (1.5, 1.5))
        found = compare_batches(metric, y, a, b, batches=week, **params)
        planned = compare(metric, y, a, b, **params)
        each = np.abs(found.differences) > 1.96 * found.standard_errors
        return found.pvalues[-1] <= 0.05, each.any(), planned.pvalue <= 0.05

    any_look, uncorrected, _ = np.transpose(simulated(300, rejects))
    assert_share(any_look, at_most=0.05)
    # Whoever tests each batch finds a difference.
    assert_share(uncorrected, at_least=0.5)


@pytest.mark.slow
def test_the_intervals_of_all_looks_hold_the_difference_and_drift_has_its_level():
    shifts = 2.0, 1.0
    auc = [stats.norm.cdf(shift / math.sqrt(2)) for shift in shifts]

    def look(seed):
        rng = np.random.default_rng(seed)
        week = np.repeat(np.arange(20), 50)
        y = rng.random(1000) < 0.3
        a, b = (rng.normal(size=1000) + shift * y for shift in shifts)
        found = compare_batches("roc_auc", y, a, b, batches=week, n_batches=20)
        truth = auc[0] - auc[1]
        is_missed = (found.low > truth) | (found.high < truth)
        is_drift = found.prevalence_pvalue <= 0.05
        return is_missed.any(), is_drift, found.pvalues[-1] <= 0.05

    missed, drift, power = np.transpose(simulated(300, look))
    assert_share(missed, at_most=0.05)
    assert_share(drift, at_most=0.05)
    assert_share(power, at_least=0.9)
