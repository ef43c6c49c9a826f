"""The parameters of a metric stand in what is computed with it, as people read them."""

import dataclasses
import inspect
import json
import pickle
from functools import partial

import numpy as np
import pytest
from scipy import stats

from inference_cases import sample
from looped import looped
from skrate import (
    FoldRankings,
    RankTable,
    budget_report,
    compare,
    compare_curves,
    estimate,
    eval_metric,
    group_scores,
    make_ranking_scorer,
    rates,
    recall_at_rate_score,
    sample_size,
)
from skrate.metrics.metric import LIST_METRICS, METRICS
from skrate.model_selection.scorers import RateWeightedAUCScorer
from skrate.results import Comparison, Estimate, Estimates, GroupScores, SampleSize

Y, A = sample(0)
B = np.random.default_rng(1).permutation(A)
MODELS = {"a": A, "b": B}
LISTS = np.arange(len(Y)) % 10
FOLDS = FoldRankings(Y, A, np.arange(len(Y)) % 2)


def asked(metric, rate):
    """Return each kind of result, of one question."""
    table = RankTable.from_arrays(Y, A)
    return [
        estimate(metric, Y, A, rate=rate),
        estimate(metric, Y, A, rate=rate, method="bootstrap", n_resamples=9),
        estimate(metric, FOLDS, rate=rate),
        compare(metric, Y, A, B, rate=rate),
        compare(metric, Y, A, B, y_true_b=Y, rate=rate),
        compare(metric, table, y_true_b=table, rate=rate),
        compare(metric, FOLDS, FOLDS, rate=rate),
        compare(metric, Y, MODELS, rate=rate),
        estimate(metric, Y, MODELS, rate=rate, n_resamples=9),
        sample_size(metric, Y, A, half_width=0.1, rate=rate),
        group_scores(metric, Y, A, groups=LISTS, rate=rate),
        group_scores(metric, Y, A, groups=LISTS, rate=rate).estimate(),
        compare(
            metric,
            *(group_scores(metric, Y, s, groups=LISTS, rate=rate) for s in (A, B)),
        ),
    ]


@pytest.mark.filterwarnings("ignore:.*depends on the best|.*has the same diff")
@looped(
    "rate, number, text",
    [
        (0.25, 0.25, "rate=0.25"),
        (np.float32(0.25), 0.25, "rate=0.25"),
        (rates.beta(3, 9), "beta(3, 9)", "rate=beta(3, 9)"),
        (stats.norm(0.3, 0.1), "norm(0.3, 0.1)", "rate=norm(0.3, 0.1)"),
    ],
)
def test_the_rate_stands_in_every_result(rate, number, text):
    for result in asked("recall_at_rate", rate):
        assert text in repr(result)
        found = result.to_dict()["rate"]
        assert found in (number, [number] * len(np.atleast_1d(found)))
        assert type(found) in (float, str, list)
        assert str(number) in result._repr_html_()
        json.dumps(result.to_dict())
        again = pickle.loads(pickle.dumps(result))
        assert repr(again) == repr(result)


@pytest.mark.filterwarnings("ignore:.*depends on the best|.*has the same diff")
def test_two_questions_differ_in_every_result():
    pairs = zip(*(asked("recall_at_rate", r) for r in (0.25, 0.3)), strict=True)
    for one, other in pairs:
        assert one.to_dict()["rate"] != other.to_dict()["rate"]


@pytest.mark.filterwarnings("ignore:.*depends on the best")
def test_of_two_metrics_each_has_its_own():
    pair = [partial(recall_at_rate_score, rate=rate) for rate in (0.2, 0.3)]
    assert compare(pair, Y, A).params == {"rate_a": 0.2, "rate_b": 0.3}
    assert compare(("roc_auc", pair[1]), Y, A).params == {"rate_b": 0.3}


def test_reports_and_curves_name_theirs():
    report = budget_report(Y, A, rate=rates.beta(3, 9))
    assert set(report.to_dict()["rate"]) == {"beta(3, 9)"}
    curves = compare_curves(
        Y, A, B, metric="gain", cost=0.2, n_resamples=9, random_state=0
    )
    assert curves.params == {"benefit": 1.0, "cost": 0.2}
    assert "gain (benefit=1, cost=0.2) at" in repr(curves)
    assert curves != dataclasses.replace(curves, params={})


def test_no_parameter_hides_a_field_of_a_result():
    names = {
        name
        for kind in (*METRICS.values(), *LIST_METRICS.values())
        for name in inspect.signature(kind).parameters
    }
    # What the name of the metric says already is none of them.
    names = {"k", "average", "undefined"} | names - {"of"}
    for kind in (Estimate, Comparison, Estimates, SampleSize, GroupScores):
        assert not names & {one.name for one in dataclasses.fields(kind)}


@looped(
    "make",
    [
        lambda rate: RateWeightedAUCScorer(rate=rate),
        lambda rate: RateWeightedAUCScorer(rate={"ill": rate}),
        lambda rate: make_ranking_scorer("expected_recall", rate=rate),
        lambda rate: eval_metric("expected_recall", rate=rate, library="xgboost"),
    ],
)
def test_scorers_name_a_scipy_distribution_by_its_parameters(make):
    text = repr(make(stats.beta(3, 9)))
    assert "beta(3, 9)" in text
    assert " at 0x" not in text
    assert repr(make(stats.beta(3, scale=1, b=9))).count("b=9") == 1
