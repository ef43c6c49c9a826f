"""A margin, a given value and one side: tests, intervals and sizes, taken literally."""

import importlib
import math
import re
import warnings
from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import stats

from guarantees import assert_share, simulated
from looped import case, looped
from reference import delong
from reference.list_intervals import count_added, wilson_interval, wilson_statistic
from skrate import (
    FoldRankings,
    RankTable,
    compare,
    compare_folds,
    estimate,
    group_scores,
    recall_at_rate_score,
    sample_size,
)

SIDES = ("two-sided", "less", "greater")
# Outcome after aneurysmal subarachnoid haemorrhage (Turck and others 2010), as in
# tests/metrics/test_partial_auc.py: the grades of patients in decreasing order of NDKA,
# from 1 to 5 after a good outcome and A to E after a poor one, ties in brackets.
ASAH = (
    "E1A1E1E14ABBB212D12DDBB2112C312EE(1D)12EE4BE11D12(E1)1B21212E11B3EEB242411E42B5432"
    "(5B)E1(24)2E12BD111111D115112125EDE41E1"
)


def asah():
    """Return the outcomes, the grades and what ranks as NDKA does."""
    y_true, grade, ndka = [], [], []
    for place, group in enumerate(re.findall(r"\w|\(\w+\)", ASAH)):
        for letter in group.strip("()"):
            y_true.append(int(letter.isalpha()))
            grade.append("ABCDE".index(letter) + 1 if y_true[-1] else int(letter))
            ndka.append(-place)
    return np.array(y_true), np.array(grade), np.array(ndka)


def normal_interval(found):
    """Return the ends of the 95 % interval by the normal distribution."""
    return found.value + stats.norm.ppf([0.025, 0.975]) * found.standard_error


def has_normal_quantiles(monkeypatch):
    """Plan samples with the normal distribution in place of Student's t."""
    module = importlib.import_module("skrate.inference.evaluation")
    monkeypatch.setattr(module, "degrees_of_freedom", lambda *_, **__: np.inf)


def test_normal_quantiles_give_the_digits_of_proc(monkeypatch):
    # tests/data/README.md has its version and calls.
    y_true, wfns, ndka = asah()
    found = compare("roc_auc", y_true, wfns, ndka)
    assert found.statistic == pytest.approx(2.79777591868904, rel=1e-13)
    by_normal = 2 * stats.norm.sf(found.statistic)
    assert by_normal == pytest.approx(0.00514557970691098, rel=1e-12)
    expected = (0.0634011709339876, 0.3600405634833566)
    assert normal_interval(found) == pytest.approx(expected, abs=1e-15)
    found = estimate("roc_auc", y_true, ndka)
    expected = (0.501244999271703, 0.722670989888189)
    assert normal_interval(found) == pytest.approx(expected, abs=1e-15)
    # Its power takes the variance under the null hypothesis for that of two curves that
    # vary as the first does; the test that it is of does not, nor does our power.
    matrix = compare("roc_auc", y_true, {"ndka": ndka, "wfns": wfns}).covariance
    z, away = (
        stats.norm.ppf([0.975, 0.9]),
        abs(compare("roc_auc", y_true, wfns, ndka).value),
    )
    planned = 2 * matrix[0, 0] - 2 * matrix[0, 1]
    real = matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1]
    power = stats.norm.cdf((away - z[0] * math.sqrt(planned)) / math.sqrt(real))
    assert power == pytest.approx(0.7131594, abs=1e-7)
    n_pos = 41 * (z @ np.sqrt([planned, real]) / away) ** 2
    assert n_pos == pytest.approx(64.77777, abs=1e-5)
    has_normal_quantiles(monkeypatch)
    pilot = partial(
        sample_size, "roc_auc", y_true, wfns, ndka, stratify=True,
        alternative="greater", confidence_level=0.975,
    )  # fmt: skip
    power = stats.norm.cdf(away / math.sqrt(real) - z[0])
    assert pilot(n_samples=113).power == pytest.approx(power, rel=1e-12)
    assert pilot(power=0.9).n == math.ceil(113 * real * (z.sum() / away) ** 2)


def two_models(seed=0, n=120, share=0.3):
    """Return labels and the tied scores of two models, whose errors correlate."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < share
    noise = rng.normal(size=(2, n)) + rng.normal(size=n)
    return y_true.astype(int), *np.round(noise + 1.5 * y_true, 1)


def paired_delong(y_true, a, b):
    """Return the standard error of the difference of two AUCs, pair by pair."""
    of = partial(delong.covariance, y_true)
    return math.sqrt(of(a, a) + of(b, b) - 2 * of(a, b))


def paired_freedom(y_true, a, b):
    """Return the degrees of freedom of the difference of two AUCs, with a margin.

    Those of Brunner and Munzel, by the kurtosis of each class if these are fewer.
    """
    of_a, of_b = (delong.placements(y_true, score) for score in (a, b))
    squares = total = 0.0
    for one, other in zip(of_a, of_b, strict=True):
        apart = np.subtract(one, other).astype(float)
        part = np.var(apart, ddof=1) / len(apart)
        by_kurtosis = 2 * len(apart) / (stats.kurtosis(apart, fisher=False) - 1)
        dof = min(len(apart) - 1, by_kurtosis)
        total, squares = total + part, squares + part**2 / dof
    return total**2 / squares


def literal_pvalue(difference, error, margin, side, cdf):
    """Return the p-value of a test at a margin: of both sides the greater one."""
    not_below = 1 - cdf((difference + margin) / error)
    not_above = cdf((difference - margin) / error)
    return {"greater": not_below, "less": not_above}.get(
        side, max(not_below, not_above)
    )


@looped("side", SIDES)
def test_a_margin_is_tested_by_the_literal_formula(side):
    y_true, a, b = two_models(n=40)
    data = y_true.tolist(), a.tolist(), b.tolist()
    error, t = paired_delong(*data), stats.t(paired_freedom(*data))
    for margin in (0.02, 0.1, 0.3):
        found = compare("roc_auc", y_true, a, b, alternative=side, margin=margin)
        expected = literal_pvalue(found.value, error, margin, side, t.cdf)
        assert found.pvalue == pytest.approx(expected, rel=1e-9)
        # The ends are at the quantile of 0.95, whichever are left.
        low, high = found.value + np.array([-1, 1]) * t.ppf(0.95) * error
        low, high = (-1 if side == "less" else low), (1 if side == "greater" else high)
        assert found.confidence_interval == pytest.approx((low, high), abs=1e-12)
        assert found.confidence_level == (0.9 if side == "two-sided" else 0.95)
        assert found.margin == margin


@looped("side", SIDES)
def test_lists_and_folds_have_scipys_t_tests(side):
    y_true, a, b = two_models(1, n=300)
    groups = np.repeat(np.arange(30), 10)
    of_a, of_b = (group_scores("roc_auc", y_true, s, groups=groups) for s in (a, b))
    is_in = of_a.is_defined
    values = of_a.values[is_in], of_b.values[is_in]
    margin, less, greater = 0.05, {"alternative": "less"}, {"alternative": "greater"}
    not_below = stats.ttest_rel(values[0] + margin, values[1], **greater)
    not_above = stats.ttest_rel(values[0] - margin, values[1], **less)
    expected = {"greater": not_below, "less": not_above}.get(
        side, max(not_below, not_above, key=lambda one: one.pvalue)
    )
    found = compare("roc_auc", of_a, of_b, margin=margin, alternative=side)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    # A single mean has Wilson's test.
    found = of_a.estimate(null_value=0.7, alternative=side)
    n_lists = len(values[0])
    moments = found.value, found.standard_error**2, n_lists
    below, above = (
        count_added(values[0], *moments, upper=upper) for upper in (False, True)
    )
    z = wilson_statistic(*moments, 0.7, below if found.value > 0.7 else above)
    t = stats.t(n_lists - 1)
    assert found.statistic == pytest.approx(z, rel=1e-9)
    p = {"less": t.cdf(z), "greater": t.sf(z)}
    p["two-sided"] = 2 * min(p.values())
    assert found.pvalue == pytest.approx(p[side], rel=1e-9)
    quantile = t.ppf(0.975 if side == "two-sided" else 0.95)
    low, high = wilson_interval(*moments, quantile, [below], [above])
    ends = {"less": (0, high), "greater": (low, 1)}.get(side, (low, high))
    assert found.confidence_interval == pytest.approx(ends, abs=1e-12)
    again = estimate(
        recall_at_rate_score, y_true, a, groups=groups, rate=0.5, null_value=0.5,
        alternative=side,
    )  # fmt: skip
    # The mean is of all positives: lists weigh as many as they hold.
    held = np.bincount(groups, y_true) / np.sum(y_true)
    n_lists = 1 / np.sum(held**2)
    moments = again.value, again.standard_error**2, n_lists
    each = group_scores(recall_at_rate_score, y_true, a, groups=groups, rate=0.5)
    added = count_added(each.values[each.is_defined], *moments, pooled=True)
    z = wilson_statistic(*moments, 0.5, added)
    assert again.statistic == pytest.approx(z, rel=1e-9)
    t = stats.t(n_lists - 1)
    p = {"less": t.cdf(z), "greater": t.sf(z)}
    p["two-sided"] = 2 * min(p.values())
    assert again.pvalue == pytest.approx(p[side], rel=1e-9)
    # Scores of folds that were computed elsewhere.
    scores = values[0][:10], values[1][:10]
    found = compare_folds(*scores, method="paired", alternative=side)
    expected = stats.ttest_rel(*scores, alternative=side).confidence_interval()
    assert found.confidence_interval == pytest.approx(expected)


def kinds_of_data():
    """Return what is estimated, or compared, as arguments and keywords by name."""
    y_true, a, b = two_models(2)
    rng = np.random.default_rng(2)
    folds = [FoldRankings(y_true, s, np.arange(len(y_true)) % 4) for s in (a, b)]
    tables = [RankTable.from_arrays(y_true, s) for s in (a, b)]
    again = {"n_resamples": 199, "random_state": 0}
    weights = {"sample_weight": rng.uniform(0.5, 2, len(y_true)), "weights": "sampling"}
    lists = {"groups": rng.integers(20, size=len(y_true))}
    return {
        "cases": ((y_true, a, b), {}),
        "weights": ((y_true, a, b), weights),
        "clusters": ((y_true, a, b), {"clusters": rng.integers(40, size=len(y_true))}),
        "folds": ((*folds,), {}),
        "tables": (tables[:1], {"y_true_b": tables[1]}),
        "bootstrap": ((y_true, a, b), {"method": "bootstrap", **again}),
        "percentile": (
            (y_true, a, b),
            {"method": "bootstrap", "interval": "percentile", **again},
        ),
        "lists": ((y_true, a, b), lists),
        "perfect": (([1, 1, 0, 0, 0], [5, 4, 3, 2, 1], [5, 4, 3, 2, 2]), {}),
    }


KINDS = kinds_of_data()


@looped("kind", KINDS)
def test_the_p_value_is_below_alpha_where_the_interval_is_beyond_the_margin(kind):
    data, options = KINDS[kind]
    metric, more = "roc_auc", {}
    if kind == "lists":
        metric, more = recall_at_rate_score, {"rate": 0.4}
    rng = np.random.default_rng(len(kind))
    for side, margin in product(SIDES, (None, *rng.choice([0.01, 0.07, 0.2], 2))):
        level = rng.choice([0.6, 0.8, 0.9, 0.99])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = compare(
                metric, *data, alternative=side, margin=margin, confidence_level=level,
                **options, **more,
            )  # fmt: skip
        low, high = found.confidence_interval
        beyond = not low <= 0 <= high
        if margin is not None:
            is_in = {"greater": low > -margin, "less": high < margin}
            beyond = is_in.get(side, all(is_in.values()))
        with case(f"{side} {margin} {level}: {found}"):
            assert low <= found.value <= high
            # A p-value of counts may equal the level, of which 1 - level is a rounding.
            assert (found.pvalue < 1 - level - 1e-12) == beyond
            assert {"greater": high == 1, "less": low == -1}.get(side, True)


OF_ONE = {
    "wilson": {},
    "wald": {"interval": "wald"},
    "stratified": {"stratify": True},
    "jackknife": {"method": "jackknife"},
}


@looped("kind", [*KINDS, *OF_ONE])
@looped("metric", ["roc_auc", "average_precision"])
def test_the_p_value_of_a_value_is_below_alpha_where_the_interval_leaves_it_out(
    metric, kind
):
    data, options = KINDS.get(kind, KINDS["cases"])
    options = {**options, **OF_ONE.get(kind, {})}
    if kind == "tables":
        options = {}
    if kind == "lists":
        metric, options = recall_at_rate_score, {"rate": 0.4, **options}
    data = data[:1] if len(data) == 2 else data[:2]
    rng = np.random.default_rng(len(kind))
    for side in SIDES:
        null, level = rng.choice([0.3, 0.5, 0.7, 0.8]), rng.choice([0.6, 0.8, 0.9])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = estimate(
                metric, *data, null_value=null, alternative=side,
                confidence_level=level, **options,
            )  # fmt: skip
        low, high = found.confidence_interval
        with case(f"{side} {null} {level}: {found}"):
            assert low <= found.value <= high
            assert (found.pvalue < 1 - level) == (not low <= null <= high)


def test_permutations_have_an_interval_of_one_side():
    y_true, a, b = two_models(4)
    options = {"method": "permutation", "n_resamples": 199, "random_state": 0}
    for side in ("less", "greater"):
        for level in (0.6, 0.8, 0.95):
            found = compare(
                "roc_auc", y_true, a, b, alternative=side, confidence_level=level,
                **options,
            )  # fmt: skip
            low, high = found.confidence_interval
            assert (low, high)[side == "greater"] == (-1, 1)[side == "greater"]
            assert (found.pvalue < 1 - level) == (not low <= 0 <= high)


def test_several_models_share_the_margin_and_are_adjusted():
    y_true, a, b = two_models(6)
    models = {"a": a, "b": b, "c": -a}
    found = compare("roc_auc", y_true, models, margin=0.1, alternative="greater")
    alone = compare("roc_auc", y_true, a, b, margin=0.1, alternative="greater")
    assert found.pairs[0] == alone
    assert found.adjusted_pvalues[0] >= alone.pvalue
    assert repr(found).startswith(
        "Comparisons(AUC, one-sided 95 % intervals, p-values for a - b > -0.1 adjusted "
        "by Holm's method:"
    )


def test_results_say_what_was_tested():
    y_true, a, b = two_models(7)
    call = partial(compare, "roc_auc", y_true, a, b, margin=0.05)
    for side, text in (
        ("greater", "for a - b > -0.05"),
        ("less", "a - b < 0.05"),
        ("two-sided", "-0.05 < a - b < 0.05"),
    ):
        found = call(alternative=side)
        expected = "90 % interval" if side == "two-sided" else "one-sided 95 % interval"
        assert f", {expected} [" in repr(found)
        assert f"({text.removeprefix('for ')}, delta)" in repr(found)
        assert found.to_dict()["margin"] == 0.05
    found = estimate("roc_auc", y_true, a, null_value=0.6, alternative="greater")
    assert re.search(r"p = [\d.e-]+ for AUC > 0\.6,", repr(found))
    assert found.to_dict()["null_value"] == 0.6
    plain = estimate("roc_auc", y_true, a).to_dict()
    assert not {"null_value", "pvalue", "statistic", "alternative"} & plain.keys()
    for side, text in (("greater", "AUC > 0.6"), ("two-sided", "AUC != 0.6")):
        planned = sample_size("roc_auc", y_true, a, null_value=0.6, alternative=side)
        assert f"for {text} if it is" in repr(planned)
    planned = sample_size("roc_auc", y_true, a, b, margin=0.1, difference=0)
    assert "for -0.1 < a - b < 0.1 if it is 0)" in repr(planned)


Y, A, B = two_models(8, n=60)


@looped(
    "call, message",
    [
        (partial(compare, "roc_auc", Y, A, B, margin=-0.05), "margin"),
        (partial(compare, "roc_auc", Y, A, B, margin=5), "margin=5"),
        (partial(compare, "roc_auc", Y, A, B, margin=0.1, method="permutation"),
         r"margin.*method='permutation'"),
        (partial(compare, "roc_auc", Y, A, B, alternative="less", confidence_level=0.4),
         r"confidence_level.*0\.5.*alternative='less'"),
        (partial(compare, "roc_auc", Y, A, B, margin=0.1, confidence_level=0.5),
         r"confidence_level.*0\.5"),
        (partial(estimate, "roc_auc", Y, A, null_value=1), "null_value=1"),
        (partial(estimate, "roc_auc", Y, A, null_value=np.nan), "null_value"),
        (partial(estimate, recall_at_rate_score, Y, A, groups=Y, rate=0.5,
                 null_value=2), "null_value=2"),
        (partial(sample_size, "roc_auc", Y, A, margin=0.1), "margin"),
        (partial(sample_size, "roc_auc", Y, A, B, null_value=0.6), "null_value"),
        (partial(sample_size, "roc_auc", Y, A, B, margin=0.1, half_width=0.1),
         "half_width"),
        (partial(sample_size, "roc_auc", Y, A, null_value=0.6, difference=0.5),
         r"difference=0\.5.*null_value=0\.6"),
        (partial(sample_size, "roc_auc", Y, A, B, margin=0.1, difference=0.1),
         r"difference=0\.1.*alternative='two-sided'.*margin=0\.1"),
        (partial(sample_size, "roc_auc", Y, A, B, margin=0.1, difference=-0.2,
                 alternative="greater"), r"difference=-0\.2"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_power_at_a_margin_is_literal(monkeypatch):
    y_true, a, b = two_models(9, n=200)
    error = compare("roc_auc", y_true, a, b).standard_error
    has_normal_quantiles(monkeypatch)
    for n in (300, 900):
        spread, z = error * math.sqrt(200 / n), stats.norm.ppf(0.95)
        for margin, really in ((0.05, 0.0), (0.1, 0.02), (0.1, -0.03)):
            goal = {"margin": margin, "difference": really, "n_samples": n}
            power = {
                "greater": stats.norm.cdf((really + margin) / spread - z),
                "less": stats.norm.cdf((margin - really) / spread - z),
            }
            power["two-sided"] = max(sum(power.values()) - 1, 0)
            for side in SIDES:
                found = sample_size("roc_auc", y_true, a, b, alternative=side, **goal)
                assert found.power == pytest.approx(power[side], abs=1e-9)
                assert found.half_width == pytest.approx(z * spread, rel=1e-9)
    monkeypatch.undo()
    least = sample_size("roc_auc", y_true, a, b, margin=0.1, difference=0, power=0.9)
    fewer = least.n - 1
    found = sample_size(
        "roc_auc", y_true, a, b, margin=0.1, difference=0, n_samples=fewer
    )
    assert least.power >= 0.9 > found.power


# Binormal scores or t3, with so many positives and negatives on average.
DESIGNS = {
    "as many": (100, 100, False),
    "few positives": (30, 120, False),
    "long tails": (60, 240, True),
}


def aucs_of_shifts(shifts, has_tails):
    """Return the AUC of scores whose positives are shifted, of a million pairs."""
    if not has_tails:
        return stats.norm.cdf(np.array(shifts) / math.sqrt(2))
    pairs = np.random.default_rng(0).standard_t(3, size=(2, 1_000_000))
    return np.array([(pairs[0] + shift > pairs[1]).mean() for shift in shifts])


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_tests_keep_their_level_and_intervals_cover_on_each_side(design):
    n_pos, n_neg, has_tails = DESIGNS[design]
    shifts, rng = (0.95, 1.2), np.random.default_rng(0)
    of_a, of_b = aucs_of_shifts(shifts, has_tails)
    margin = of_b - of_a

    def found(_):
        n = n_pos + n_neg
        y_true = (rng.random(n) < n_pos / n).astype(int)
        noise = rng.normal(size=(2, n)) + rng.normal(size=n)
        noise /= math.sqrt(2)
        if has_tails:
            # Each of both is t3 as it is, and they share the tails.
            noise /= np.sqrt(rng.chisquare(3, n) / 3)
        a, b = noise + np.outer(shifts, y_true)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pair = partial(compare, "roc_auc", y_true, a, b, margin=margin)
            one = partial(estimate, "roc_auc", y_true, a, null_value=of_a)
            return [
                pair(alternative="greater").pvalue < 0.05,
                pair().pvalue < 0.05,
                one(alternative="greater").pvalue < 0.05,
                one(alternative="less").pvalue < 0.05,
                one().pvalue < 0.05,
            ]

    rejected = simulated(1000, found)
    assert_share(np.array(rejected), at_most=0.06)
    # Equivalence needs both tests, and so rejects less.
    assert_share(np.array(rejected)[:, [0, 2, 3, 4]], at_least=0.035)
