"""What a library for boosting gets, whichever of its interfaces calls."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from looped import looped
from skrate import (
    RateWeightedAUCScorer,
    average_precision_score,
    eval_metric,
    expected_gain_score,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    ranking_auc_score,
    rate_at_recall_score,
    rate_weighted_auc_score,
    rates,
    recall_at_rate_score,
)
from skrate.metrics.metric import LIST_METRICS, METRICS
from skrate.metrics.momentum import stamina_score

LIBRARIES = ["xgboost", "lightgbm", "catboost"]
BUDGET = rates.beta(2, 20)


def sample(seed, n=60):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < 0.4).astype(np.float32)
    y_score = np.round(rng.normal(size=n) + y_true, 1)
    return y_true, y_score, rng.integers(1, 4, n).astype(np.float32)


class Matrix:
    """What of a DMatrix, or of a Dataset of LightGBM, a metric asks for."""

    def __init__(self, y_true, weights=(), sizes=None, *, of="xgboost"):
        self.y_true, self.weights, self.sizes = y_true, np.asarray(weights), sizes
        if of == "xgboost":
            self.get_uint_info = self._uint_info

    def get_label(self):
        return self.y_true

    def get_weight(self):
        return self.weights

    def get_group(self):
        return self.sizes

    def _uint_info(self, field):
        assert field == "group_ptr"
        ends = [] if self.sizes is None else [0, *np.cumsum(self.sizes)]
        return np.array(ends, dtype=np.uint32)


@looped(
    "given",
    [
        rate_weighted_auc_score,
        "rate_weighted_auc_score",
        partial(rate_weighted_auc_score, rate=0.5),
        RateWeightedAUCScorer(rate=0.5),
        make_ranking_scorer(rate_weighted_auc_score, rate=0.5),
    ],
)
def test_whatever_stands_for_a_metric_is_taken(given):
    y_true, y_score, weights = sample(5)
    monitor = eval_metric(given, library="lightgbm", rate=BUDGET)
    value = rate_weighted_auc_score(y_true, y_score, rate=BUDGET, sample_weight=weights)
    expected = ("rate_weighted_auc_score", value, True)
    assert monitor(y_true, y_score, weights, None) == expected


@looped("library", LIBRARIES)
def test_copies_are_the_same_metric(library):
    monitor = eval_metric(
        rate_weighted_auc_score, library=library, rate=BUDGET, name="budget"
    )
    loaded = pickle.loads(pickle.dumps(monitor))
    assert repr(loaded) == repr(monitor)
    assert type(loaded).__name__ == type(monitor).__name__
    # Or estimators of CatBoost could not be cloned.
    assert copy.deepcopy(monitor) is monitor
    assert repr(monitor) == (
        f"eval_metric(rate_weighted_auc_score, library={library!r}, name='budget', "
        "rate=beta(2, 20))"
    )


def test_the_first_class_may_be_the_positive_one():
    y_true, y_score, weights = sample(7)
    options = {"rate": 0.2, "pos_label": 0}
    expected = recall_at_rate_score(y_true, -y_score, sample_weight=weights, **options)
    of_lightgbm = eval_metric(recall_at_rate_score, library="lightgbm", **options)
    assert of_lightgbm(y_true, y_score, weights)[1] == expected
    of_catboost = eval_metric(recall_at_rate_score, library="catboost", **options)
    assert of_catboost.evaluate((y_score,), y_true, weights)[0] == expected
    lists = eval_metric("roc_auc", library="lightgbm", pos_label=0)
    plain = eval_metric("roc_auc", library="lightgbm")
    sizes = [30, 30]
    assert lists(y_true, y_score, None, sizes)[1] == pytest.approx(
        plain(y_true, y_score, None, sizes)[1], abs=1e-12
    )


def test_several_classes_are_averaged_or_one_is_chosen():
    rng = np.random.default_rng(8)
    y_true = np.arange(60, dtype=np.float32) % 3
    y_score = rng.dirichlet(np.ones(3), 60) + np.eye(3)[y_true.astype(int)]
    monitor = eval_metric("average_precision_score", library="xgboost")
    expected = average_precision_score(y_true, y_score)
    assert monitor(y_true, y_score) == -expected
    one = eval_metric("average_precision_score", library="xgboost", pos_label=2)
    assert one(y_true, y_score) == -average_precision_score(y_true == 2, y_score[:, 2])
    with pytest.raises(ValueError, match=r"pos_label=3.*2"):
        eval_metric("roc_auc", library="xgboost", pos_label=3)(y_true, y_score)
    with pytest.raises(ValueError, match=r"rate_at_recall_score.*pos_label=.*3"):
        eval_metric(rate_at_recall_score, library="xgboost")(y_true, y_score)
    with pytest.raises(ValueError, match=r"roc_auc.*CatBoost.*3"):
        eval_metric("roc_auc", library="catboost").evaluate(y_score.T, y_true, None)


@looped(
    "metric, options",
    [
        (ndcg_score, {"k": 3}),
        (mean_average_precision_score, {"average": "size"}),
        (ranking_auc_score, {"average": "pairs"}),
        (ranking_auc_score, {"undefined": 0.5}),
    ],
)
def test_lists_are_averaged_as_the_metric_does(metric, options):
    y_true, y_score, _ = sample(10)
    sizes = np.array([1, 2, 3, 9, 20, 25])
    groups = np.repeat(np.arange(6), sizes)
    expected = metric(y_true, y_score, groups=groups, **options)
    of_lightgbm = eval_metric(metric, library="lightgbm", **options)
    assert of_lightgbm(y_true, y_score, None, sizes)[1] == expected
    dataset = Matrix(y_true, (), sizes, of="lightgbm")
    dataset.weights = None
    assert of_lightgbm(y_score, dataset)[1] == expected
    of_xgboost = eval_metric(metric, library="xgboost", **options)
    assert of_xgboost(y_score, Matrix(y_true, (), sizes))[1] == -expected


def test_weights_of_lists_weigh_the_lists():
    y_true, y_score, _ = sample(12)
    sizes, of_list = np.full(6, 10), np.array([1, 2, 3, 4, 5, 0], dtype=np.float32)
    groups = np.repeat(np.arange(6), sizes)
    expected = ndcg_score(y_true, y_score, groups=groups, average=of_list)
    of_lightgbm = eval_metric(ndcg_score, library="lightgbm")
    of_rows = np.repeat(of_list, sizes)
    assert of_lightgbm(y_true, y_score, of_rows, sizes)[1] == expected
    of_xgboost = eval_metric(ndcg_score, library="xgboost")
    assert of_xgboost(y_score, Matrix(y_true, of_list, sizes))[1] == -expected
    # Lists without items have no say.
    empty = np.insert(sizes, 2, 0), np.insert(of_list, 2, 9)
    assert of_xgboost(y_score, Matrix(y_true, empty[1], empty[0]))[1] == -expected
    with pytest.raises(ValueError, match="sample_weight"):
        of_lightgbm(y_true, y_score, np.arange(60), sizes)


def test_a_gain_is_one_of_each_class():
    y_true, y_score, _ = sample(14)
    gain = {"positive": 1, "negative": -0.25}
    monitor = eval_metric(expected_gain_score, library="lightgbm", gain=gain, rate=0.3)
    expected = expected_gain_score(y_true, y_score, gain=gain, rate=0.3)
    assert monitor(y_true, y_score)[1] == expected
    with pytest.raises(ValueError, match="gain"):
        eval_metric(expected_gain_score, library="lightgbm", gain=np.ones(60))
    with pytest.raises(ValueError, match="'gain'"):
        eval_metric(expected_gain_score, library="lightgbm")


# Stamina is how long a ranking lasts, and no more where it is better.
@looped("metric", [m for m in (*METRICS, *LIST_METRICS) if m is not stamina_score])
def test_xgboost_finds_less_in_a_better_ranking_by_every_metric(metric):
    options = {
        "expected_gain_score": {"gain": {"positive": 1}, "rate": 0.1},
        "hit_rate_score": {"k": 1},
        "lift_at_rate_score": {"rate": 0.1},
        "precision_at_rate_score": {"rate": 0.1},
        "recall_at_fpr_score": {"fpr": 0.05},
        "recall_at_precision_score": {"precision": 0.85},
        "recall_at_rate_score": {"rate": 0.1},
    }.get(metric.__name__, {})
    monitor = eval_metric(metric, library="xgboost", **options)
    places = np.arange(20)
    better, worse = np.isin(places, [0, 1, 2, 4, 6]), np.isin(places, [1, 2, 3, 4, 7])
    assert monitor(better, -places) < monitor(worse, -places)
    assert not monitor.__name__.startswith(("auc", "pre", "map", "ndcg"))


@looped(
    "message, metric, options",
    [
        ("library", "roc_auc", {"library": "xgb"}),
        ("metric='nope'", "nope", {}),
        ("metric=", len, {}),
        (r"metric=.*1", [1], {}),
        ("'foo'", "roc_auc", {"foo": 1}),
        ("'rate'", ndcg_score, {"rate": 0.1}),
        ("groups", "roc_auc", {"groups": [1]}),
        ("'rate'", recall_at_rate_score, {}),
        ("rate", recall_at_rate_score, {"rate": 3.0}),
        ("average", ndcg_score, {"average": "foo"}),
        ("undefined", ndcg_score, {"undefined": "foo"}),
        ("pos_label='yes'", "roc_auc", {"pos_label": "yes"}),
        ("name", "roc_auc", {"name": "a b"}),
        ("name", "roc_auc", {"name": ""}),
        ("name='map_cost'", rate_at_recall_score, {"name": "map_cost"}),
        (r"library='catboost'.*ndcg_score", ndcg_score, {"library": "catboost"}),
    ],
)
def test_what_cannot_be_monitored_is_refused(message, metric, options):
    with pytest.raises(ValueError, match=message):
        eval_metric(metric, **{"library": "xgboost"} | options)


def test_lists_that_are_not_there_are_refused():
    y_true, y_score, weights = sample(15)
    of_lightgbm = eval_metric(ndcg_score, library="lightgbm")
    with pytest.raises(ValueError, match=r"ndcg_score.*LGBMRanker.*eval_group="):
        of_lightgbm(y_true, y_score, None, None)
    of_xgboost = eval_metric(ndcg_score, library="xgboost")
    with pytest.raises(ValueError, match=r"ndcg_score.*XGBRanker"):
        of_xgboost(y_score, Matrix(y_true))
    with pytest.raises(ValueError, match=r"ndcg_score.*XGBRanker"):
        of_xgboost(y_true, y_score, sample_weight=weights)


def test_training_ends_where_no_round_can_be_better():
    with (
        pytest.warns(UndefinedMetricWarning, match="y_true"),
        pytest.raises(ValueError, match=r"roc_auc.*nan"),
    ):
        eval_metric("roc_auc", library="lightgbm")([0, 0], [0.1, 0.2])
    with (
        pytest.warns(UndefinedMetricWarning, match="Momentum"),
        pytest.raises(ValueError, match=r"momentum.*nan"),
    ):
        eval_metric("momentum", library="lightgbm")([0, 0, 1], [0.1, 0.2, 0.0])
    with pytest.raises(ValueError, match="y_score"):
        eval_metric("roc_auc", library="xgboost")([0, 1], [0.1, np.nan])
