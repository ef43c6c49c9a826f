"""Several models at once: each as it is alone, and p-values adjusted for all."""

import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.linear_model import LogisticRegression

import skrate
from inference_cases import JUMPS, SMOOTH, each, sample
from looped import case, looped
from optional import require
from skrate import (
    FoldRankings,
    budget_report,
    compare,
    cross_val_rankings,
    estimate,
    group_scores,
    labels,
    ndcg_score,
    select_best,
)
from skrate.inference.intervals import adjust_pvalues
from skrate.results import Estimate, Estimates

Y, A = sample(3)
B = np.round(np.asarray(A) + np.random.default_rng(0).normal(size=len(A)), 1)
MODELS = {"a": np.asarray(A), "b": B}
LISTS = np.arange(len(Y)) % 10
FOLDS = {
    name: FoldRankings(Y, score, np.arange(len(Y)) % 3)
    for name, score in MODELS.items()
}


def check_each(found, alone):
    """Check that each entry is equal to the estimate of the model alone."""
    assert isinstance(found, Estimates)
    assert found.names == tuple(alone)
    assert len(found) == len(alone)
    for one, (name, expected) in zip(found, alone.items(), strict=True):
        assert isinstance(one, Estimate)
        assert repr(one.to_dict()) == repr(expected.to_dict())
        assert found[name] is one
        if expected.influence is not None:
            assert_array_equal(one.influence, expected.influence)


@each(SMOOTH + JUMPS)
@pytest.mark.filterwarnings("ignore")
def test_each_model_is_as_it_is_alone(metric, kwargs):
    alone = {name: estimate(metric, Y, one, **kwargs) for name, one in MODELS.items()}
    check_each(estimate(metric, Y, MODELS, **kwargs), alone)


@looped(
    "options",
    [
        {"method": "bootstrap", "interval": "percentile"},
        {"method": "parametric", "alternative": "greater"},
        {"method": "jackknife", "interval": "wald"},
        {"clusters": np.arange(len(Y)) // 3, "null_value": 0.6},
        {"sample_weight": np.arange(len(Y)) % 3, "null_value": 0.6},
        {"sample_weight": np.arange(len(Y)) % 3 + 0.5, "weights": "sampling"},
        {"pos_label": 0, "null_value": 0.6, "alternative": "less"},
    ],
)
@pytest.mark.filterwarnings("ignore:Scores may be reversed|y_score.* is worse")
def test_options_are_those_of_one_model(options):
    few = {"n_resamples": 50, "random_state": 0}
    alone = {
        name: estimate("average_precision", Y, one, **few, **options)
        for name, one in MODELS.items()
    }
    check_each(estimate("average_precision", Y, MODELS, **few, **options), alone)


def test_folds_and_estimated_labels():
    alone = {name: estimate("roc_auc", one) for name, one in FOLDS.items()}
    check_each(estimate("roc_auc", FOLDS), alone)
    listed = dict(zip("01", alone.values(), strict=True))
    check_each(estimate("roc_auc", list(FOLDS.values())), listed)
    noisy = labels.noisy(Y, 0.98, 0.99)
    alone = {name: estimate("roc_auc", noisy, one) for name, one in MODELS.items()}
    check_each(estimate("roc_auc", noisy, MODELS), alone)


def test_adjusted_pvalues_are_those_of_scipy():
    pvalues = np.array([0.01, np.nan, 0.04, 0.03, 0.5])
    known = pvalues[[0, 2, 3, 4]]
    # 4 x 0.01, 3 x 0.03, the same as it is no less, 1 x 0.5.
    assert_allclose(adjust_pvalues(pvalues, "holm"), [0.04, np.nan, 0.09, 0.09, 0.5])
    found = adjust_pvalues(pvalues, "bh")
    expected = stats.false_discovery_control(known, method="bh")
    assert_array_equal(found[[0, 2, 3, 4]], expected)
    assert np.isnan(found[1])
    assert np.isnan(adjust_pvalues(np.array([np.nan]), "bh")).all()


def test_pvalues_are_adjusted_for_the_number_of_models():
    models = {**MODELS, "c": -B}
    found = estimate("roc_auc", Y, models, null_value=0.5, alternative="greater")
    p = {name: found[name].pvalue for name in models}
    assert p["a"] < p["b"] < p["c"]
    expected = 3 * p["a"], max(3 * p["a"], 2 * p["b"]), max(2 * p["b"], p["c"])
    assert_allclose(found.adjusted_pvalues, np.minimum(expected, 1))
    by_bh = estimate(
        "roc_auc", Y, models, null_value=0.5, alternative="greater", adjust="bh"
    )
    expected = stats.false_discovery_control([*p.values()])
    assert_allclose(by_bh.adjusted_pvalues, expected)
    assert "Holm" in repr(found)
    assert "Benjamini and Hochberg" in repr(by_bh)
    assert estimate("roc_auc", Y, models).adjusted_pvalues is None


def test_a_result_is_a_table():
    require("pandas")
    found = estimate("expected_recall", Y, MODELS, rate=0.2, null_value=0.2)
    columns = found.to_dict()
    assert columns["model"] == ["a", "b"]
    assert columns["rate"] == [0.2, 0.2]
    assert columns["adjusted_pvalue"] == list(found.adjusted_pvalues)
    frame = found.to_frame()
    assert list(frame.index) == ["a", "b"]
    assert frame.loc["b", "value"] == found["b"].value
    assert frame.loc["b", "low"] == found["b"].confidence_interval.low
    assert "rate=0.2" in repr(found)
    assert f"{found['a'].value:.4f}" in repr(found)
    many = estimate("roc_auc", Y, np.tile(np.reshape(A, (-1, 1)), 12))
    assert "and 2 more" in repr(many)
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(KeyError, match="'c'"):
        found["c"]


def test_a_result_over_folds_says_of_which_models_it_is():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), rng.random(90) < 0.4
    ranked = cross_val_rankings(LogisticRegression(), X, y, cv=3)
    found = estimate("roc_auc", {"a": ranked})
    low, high = found["a"].confidence_interval_retrained
    assert f"[{low:.4f}, {high:.4f}] if retrained" in repr(found)
    require("matplotlib")
    assert found.plot().points_.get_label().endswith(found["a"].of)


@looped("y_true, y_score, options, message", [
    (Y, {}, {}, r"y_score.*1"),
    (Y, {"a": A, "b": B[1:]}, {}, r"y_score.*'b'"),
    (Y, {1: A, "1": B}, {}, "y_score"),
    (Y, {"a": [np.nan, *A[1:]]}, {}, r"y_score.*'a'"),
    (Y, {"a": A}, {"adjust": "bh"}, "adjust"),
    (Y, {"a": A}, {"adjust": "by", "null_value": 0.5}, "adjust"),
    (Y, {"a": A}, {"null_value": 2}, "null_value"),
    (Y, {"a": A}, {"groups": LISTS}, "groups"),
    (FOLDS["a"], MODELS, {}, "y_true"),
    (FOLDS, None, {"clusters": LISTS}, "clusters"),
    (FOLDS, None, {"groups": LISTS}, r"groups.*y_true"),
    ({**FOLDS, "c": A}, None, {}, r"y_true.*'c'"),
])  # fmt: skip
def test_bad_input_is_named(y_true, y_score, options, message):
    with pytest.raises(ValueError, match=message):
        estimate("roc_auc", y_true, y_score, **options)


def test_a_model_is_found_by_its_name_also_if_that_is_a_number():
    best, worst = [6, 5, 4, 3, 2, 1], [1, 2, 3, 4, 5, 6]
    found = estimate("roc_auc", [1, 1, 1, 0, 0, 0], {1: worst, 0: best, 2.0: best})
    assert (found[1].value, found[0].value, found["1"].value) == (0, 1, 0)
    assert found[np.int64(1)].value == 0
    named = estimate("roc_auc", [1, 1, 1, 0, 0, 0], {("a", 1): worst, "b": best})
    assert named[("a", 1)].value == 0
    for wrong in (2, -1, "c"):
        with pytest.raises(KeyError, match=str(wrong)):
            found[wrong]
    assert "of 1 model," in repr(estimate("roc_auc", Y, {"a": A}))
    require("matplotlib")
    assert found.plot().points_.get_xdata().tolist() == [0, 1, 1]


class Table:
    """Numbers that only ``__array__`` gives."""

    def __array__(self, dtype=None, copy=None):
        return np.column_stack([A, B])


def test_columns_of_any_container_are_models():
    expected = [one.value for one in estimate("roc_auc", Y, np.column_stack([A, B]))]
    assert [one.value for one in estimate("roc_auc", Y, Table())] == expected
    arrow = require("pyarrow").table({"a": A, "b": B})
    found = estimate("roc_auc", Y, arrow)
    assert found.names == ("a", "b")
    assert [one.value for one in found] == expected
    for call in (estimate, compare):
        with pytest.raises(ValueError, match=r"y_score.*dict"):
            call("roc_auc", Y, [("a", A), ("b", B)])


def test_rankings_of_folds_exclude_groups():
    for call in (estimate, compare):
        with pytest.raises(ValueError, match=r"groups.*y_true"):
            call("recall_at_rate", FOLDS, rate=0.2, groups=LISTS)


def test_names_that_are_equal_as_text_are_refused_everywhere():
    def with_names(names):
        scores = dict(zip(names, (A, B, A), strict=True))
        folds = dict(zip(names, [*FOLDS.values(), FOLDS["a"]], strict=True))
        lists = {
            name: group_scores(ndcg_score, Y, one, groups=LISTS)
            for name, one in scores.items()
        }
        plan = partial(labels.plan_labels, n_labels=20, metric="roc_auc", compare="23")
        return {
            "estimate": partial(estimate, "roc_auc", Y, scores),
            "estimate of lists": partial(
                estimate, ndcg_score, Y, scores, groups=LISTS
            ),
            "estimate of folds": partial(estimate, "roc_auc", folds),
            "compare": partial(compare, "roc_auc", Y, scores),
            "compare of lists": partial(compare, ndcg_score, Y, scores, groups=LISTS),
            "compare of values within lists": partial(compare, ndcg_score, lists),
            "compare of folds": partial(compare, "roc_auc", folds),
            "select_best": partial(select_best, "roc_auc", Y, scores),
            "select_best of folds": partial(select_best, "roc_auc", folds),
            "costs of select_best": partial(
                select_best, "roc_auc", Y, {"2": A, "3": B}, margin=0.1,
                cost=dict.fromkeys(names, 1),
            ),
            "budget_report": partial(budget_report, Y, scores, rate=0.3),
            "budget_report of folds": partial(budget_report, folds, rate=0.3),
            "plan_labels": partial(plan, scores, probability=0.3),
        }  # fmt: skip

    refused, taken = with_names([2, "2", 3]), with_names(["2", 1, 3])
    for name, call in refused.items():
        with case(name), pytest.raises(ValueError, match=r"3.*\['2', '2', '3'\]"):
            call()
        with case(name), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            taken[name]()


def test_a_reference_is_a_name_which_of_columns_of_an_array_is_a_number():
    by_number = compare("roc_auc", Y, np.column_stack([A, B]), reference=1)
    by_name = compare("roc_auc", Y, MODELS, reference="b")
    assert by_number.reference == "1"
    assert by_number[0] == by_name[0]
    for call in (
        partial(compare, "roc_auc", Y, MODELS),
        partial(budget_report, Y, MODELS, rate=0.3),
    ):
        with pytest.raises(ValueError, match=r"reference=1 .*'a', 'b'"):
            call(reference=1)


def test_label_columns_are_each_the_labels_that_were_measured():
    rng = np.random.default_rng(0)
    outcomes = {name: (rng.random(60) < 0.4).astype(float) for name in "ab"}
    scores = {name: rng.normal(size=60) + label for name, label in outcomes.items()}
    is_measured = rng.random(60) < 0.7
    outcomes["a"][~is_measured] = np.nan
    options = {"clusters": np.arange(60) // 2, "sample_weight": rng.integers(1, 4, 60)}
    rows = {"a": is_measured, "b": np.full(60, True)}
    alone = {
        name: estimate(
            "average_precision", outcomes[name][chosen], scores[name][chosen],
            **{option: column[chosen] for option, column in options.items()},
        )
        for name, chosen in rows.items()
    }  # fmt: skip
    found = estimate("average_precision", outcomes, scores, **options)
    check_each(found, alone)
    arrays = [np.column_stack([*columns.values()]) for columns in (outcomes, scores)]
    columns = estimate("average_precision", *arrays, **options)
    assert [one.value for one in columns] == [one.value for one in found]
    frame = require("pandas") and found.to_frame()
    assert (frame.index.name, frame.index.tolist()) == ("label", ["a", "b"])
    assert f"n_pos={alone['a'].n_pos}" in repr(found)
    one_score = estimate("roc_auc", outcomes, scores["b"])
    assert one_score["b"].value == estimate("roc_auc", outcomes["b"], scores["b"]).value


@looped(
    "y_true, y_score, message",
    [
        ({"a": [1, 0], "b": [0, 1]}, {"a": [1, 2]}, r"y_score.*\['a'\].*\['a', 'b'\]"),
        ({"b": [0, 1, 1, 0], "a": [0]}, [1, 2, 3, 4], "y_true has 1, y_score has 4"),
        ({"a": [0, 2, np.nan], "b": [0, 1, 1]}, [1, 2, 3], r"Label 'a'.*y_true.*2"),
        ({"a": [np.nan] * 2, "b": [0, 1]}, [1, 2], r"y_true\['a'\].*missing"),
    ],
)
def test_label_columns_that_do_not_fit_are_named(y_true, y_score, message):
    with pytest.raises(ValueError, match=message):
        estimate("roc_auc", y_true, y_score)


def test_the_band_of_each_model_is_its_band_alone():
    found = skrate.curve_band(Y, MODELS, metric="precision", random_state=0)
    assert list(found) == ["a", "b"]
    for name, scores in MODELS.items():
        alone = skrate.curve_band(Y, scores, metric="precision", random_state=0)
        assert_array_equal(found[name].high, alone.high)
    folds = skrate.curve_band(FOLDS, random_state=0)
    alone = skrate.curve_band(FOLDS["b"], random_state=0)
    assert_array_equal(folds["b"].low, alone.low)
