"""What docs/coming_from.rst says of other packages, with ties and without."""

import numpy as np
import pytest
from sklearn import metrics

import skrate
from optional import require
from skrate import rates


def sample(decimals=None):
    """Return labels, scores and lists of ten, some without a positive."""
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.2).astype(int)
    s = rng.normal(size=300) + y
    groups = np.repeat(np.arange(30), 10)
    assert len(np.unique(groups[y == 1])) < 30
    return y, s if decimals is None else s.round(decimals) + 0.0, groups


TIED, DISTINCT = sample(1), sample()
BOTH = pytest.mark.parametrize("data", [TIED, DISTINCT], ids=["tied", "distinct"])
# List metrics of others, what a list without positives counts with them, and ours.
OF_LISTS = {
    "NDCG": skrate.ndcg_score,
    "MAP": skrate.mean_average_precision_score,
    "MRR": skrate.reciprocal_rank_score,
    "AUC": skrate.ranking_auc_score,
}


def shortened(data):
    """Return the same in lists of one to ten items, some shorter than a cut."""
    y, s, groups = data
    kept = np.arange(len(y)) % 10 <= groups % 10
    return y[kept], s[kept], groups[kept]


def of_lists(score, data, **options):
    y, s, groups = data
    return score(y, s, groups=groups, **options)


def graded(data):
    """Return the same with grades of 1, 2 and 3 for positives."""
    y, s, groups = data
    return y * (np.arange(len(y)) % 3 + 1), s, groups


def in_rows(data):
    return [values.reshape(30, 10) for values in data[:2]]


@BOTH
def test_scikit_learn_ranks_labels_as_we_do_lists_but_counts_ties_as_wrong(data):
    loss = 1 - of_lists(skrate.ranking_auc_score, data, undefined=1)
    mean = of_lists(skrate.mean_average_precision_score, data, undefined=1)
    gains = [
        metrics.label_ranking_loss(*in_rows(data)) - loss,
        mean - metrics.label_ranking_average_precision_score(*in_rows(data)),
    ]
    if data is DISTINCT:
        assert gains == pytest.approx([0, 0], abs=1e-12)
    else:
        assert min(gains) > 0.01


def test_rdkit_gives_the_same_without_ties():
    scoring = require("rdkit.ML.Scoring.Scoring")
    y, s, _ = DISTINCT
    ranked = [[label] for label in y[np.argsort(-s)].tolist()]
    e = rates.exponential(20)
    pairs = [
        (scoring.CalcAUC(ranked, 0), skrate.ranking_auc_score(y, s)),
        (
            scoring.CalcBEDROC(ranked, 0, 20),
            skrate.rate_weighted_auc_score(y, s, rate=e),
        ),
        (
            scoring.CalcRIE(ranked, 0, 20),
            skrate.recall_at_rate_score(y, s, rate=e) / e.mean(),
        ),
        (
            scoring.CalcEnrichment(ranked, 0, [0.05])[0],
            skrate.lift_at_rate_score(y, s, rate=0.05),
        ),
        (
            scoring.CalcEnrichment(ranked, 0, [0.033])[0],
            skrate.lift_at_rate_score(y, s, rate=10 / 300),
        ),
    ]
    for theirs, ours in pairs:
        assert ours == pytest.approx(theirs, rel=1e-12)
    parted = skrate.lift_at_rate_score(y, s, rate=0.033)
    assert parted != pytest.approx(scoring.CalcEnrichment(ranked, 0, [0.033])[0])


@BOTH
def test_torchmetrics_gives_the_same_to_six_digits(data):
    torch, torchmetrics = require("torch"), require("torchmetrics")
    y, s, groups = data
    # Within [0, 1], where they are not put through a sigmoid.
    scores = torch.tensor(1 / (1 + np.exp(-s)))
    labels = torch.tensor(y)
    of_all = torchmetrics.functional.classification
    for theirs, ours in (
        (of_all.binary_auroc(scores, labels), skrate.ranking_auc_score(y, s)),
        (
            of_all.binary_auroc(scores, labels, max_fpr=0.1),
            skrate.partial_auc_score(y, s, fpr=(0, 0.1)),
        ),
        (
            of_all.binary_average_precision(scores, labels),
            skrate.average_precision_score(y, s),
        ),
    ):
        assert ours == pytest.approx(float(theirs), rel=0, abs=1e-6)
    theirs = of_all.binary_sensitivity_at_specificity(scores, labels, 0.9)[0]
    gain = skrate.recall_at_fpr_score(y, s, fpr=0.1) - float(theirs)
    # Of ties it takes all or none.
    assert gain > 1e-3 if data is not DISTINCT else abs(gain) < 1e-6
    # Their precision at a recall is a maximum over all recalls from there on.
    theirs = of_all.binary_precision_at_fixed_recall(scores, labels, 0.9)[0]
    precision, recall, _ = metrics.precision_recall_curve(y, s)
    assert float(theirs) == pytest.approx(max(precision[recall >= 0.9]), abs=1e-6)
    ours = skrate.precision_at_recall_score(y, s, recall=0.9)
    assert ours != pytest.approx(float(theirs), abs=1e-3)
    names = {"NDCG": "NormalizedDCG", "MAP": "MAP", "MRR": "MRR", "AUC": "AUROC"}
    for metric, name in names.items():
        kind = getattr(torchmetrics.retrieval, f"Retrieval{name}")
        theirs = float(kind()(scores, labels, indexes=torch.tensor(groups)))
        ours = of_lists(OF_LISTS[metric], data, undefined=0)
        is_same = ours == pytest.approx(theirs, rel=0, abs=1e-6)
        assert is_same == (data is DISTINCT or metric in ("NDCG", "AUC"))


# numpy says where CatBoost was built with an older one.
@pytest.mark.filterwarnings("ignore:numpy.* size changed:RuntimeWarning")
@pytest.mark.parametrize(
    "data", [TIED, DISTINCT, shortened(DISTINCT)], ids=["tied", "distinct", "short"]
)
def test_catboost_gives_the_same_but_for_ties_of_the_top(data):
    evaluate = require("catboost.utils").eval_metric
    y, s, groups = data
    names = {
        "NDCG:type=Base": ("NDCG", {"undefined": 1}),
        "NDCG:type=Base;top=3": ("NDCG", {"undefined": 1, "k": 3}),
        "MAP": ("MAP", {"undefined": 0}),
        "MRR": ("MRR", {"undefined": 0}),
        "QueryAUC:type=Classic": ("AUC", {"undefined": 0}),
    }
    for name, (metric, options) in names.items():
        theirs = evaluate(y, s, name, group_id=groups)[0]
        ours = of_lists(OF_LISTS[metric], data, **options)
        if data is not TIED or metric == "AUC":
            assert ours == pytest.approx(theirs, rel=0, abs=1e-12)
        else:
            # The irrelevant of the tied come first there.
            assert theirs < ours - 0.01
    grades, s, _ = graded(data)
    for kind, gain in (("Base", "linear"), ("Exp", "exponential")):
        theirs = evaluate(grades, s, f"NDCG:type={kind}", group_id=groups)[0]
        ours = skrate.ndcg_score(grades, s, groups=groups, gain=gain, undefined=1)
        is_same = ours == pytest.approx(theirs, rel=0, abs=1e-12)
        assert is_same == (data is not TIED)
    auc = evaluate(y, s, "AUC", group_id=groups)[0]
    assert skrate.ranking_auc_score(y, s) == pytest.approx(auc, rel=0, abs=1e-12)


def test_the_measures_of_reviews_are_ours_where_the_page_says_so():
    # By their definitions: places are counted from 1, shares are of whole records.
    y, s, _ = DISTINCT
    n, n_pos = len(y), y.sum()
    places = np.flatnonzero(y[np.argsort(-s)]) + 1
    assert n_pos == 58
    assert skrate.recall_at_rate_score(y, s, rate=0.1) == pytest.approx(
        np.mean(places <= 30), rel=1e-14
    )
    mean_place = n * (1 - skrate.recall_at_rate_score(y, s, rate="uniform")) + 0.5
    assert mean_place == pytest.approx(places.mean(), rel=1e-13)
    # The last one before 95 %, where a random order has found as many.
    before = int(0.95 * n_pos)
    assert before == 55
    random = before / n_pos * n
    saved = (random - places[before - 1]) / n
    assert skrate.work_saved_score(y, s, recall=55 / 58) == pytest.approx(saved)
    # The curve of the recall reaches 95 %, 55.1 of them, within the next one.
    reached = places[before] - 1 + 0.1
    assert skrate.work_saved_score(y, s, recall=0.95) == pytest.approx(
        0.95 - reached / n
    )


# Versions of numpy and numba of other packages warn of each other.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("data", [DISTINCT, shortened(DISTINCT)], ids=["ten", "short"])
def test_measures_of_search_engines_are_the_same_without_ties(data):
    ranx = require("ranx")
    ir_measures = require("ir_measures")
    grades, s, groups = graded(data)
    kept = np.isin(groups, groups[grades > 0])
    grades, s, groups = grades[kept], s[kept], groups[kept]
    lists = {f"q{group}": np.flatnonzero(groups == group) for group in set(groups)}
    judged = {
        name: {f"d{i}": int(grades[i]) for i in rows if grades[i]}
        for name, rows in lists.items()
    }
    run = {name: {f"d{i}": float(s[i]) for i in rows} for name, rows in lists.items()}

    def mean(metric, **params):
        y = grades > 0
        scores = skrate.group_scores(metric, y, s, groups=groups, k=3, **params)
        return scores.mean("macro")

    # The relevant items in the first three, also of a list of two.
    found = mean(skrate.expected_gain_score, gain={"positive": 1, "negative": 0})
    is_same = found / 3 == pytest.approx(mean(skrate.precision_at_rate_score))
    assert is_same == (data is DISTINCT)

    y, options = grades > 0, {"groups": groups}
    ours = {
        "map": skrate.mean_average_precision_score(y, s, **options),
        "mrr": skrate.reciprocal_rank_score(y, s, **options),
        "ndcg": skrate.ndcg_score(grades, s, gain="linear", **options),
        "ndcg_burges": skrate.ndcg_score(grades, s, gain="exponential", **options),
        "ndcg@5": skrate.ndcg_score(grades, s, gain="linear", k=5, **options),
        "precision@3": found / 3,
        "recall@3": mean(skrate.recall_at_rate_score),
    }
    theirs = ranx.evaluate(ranx.Qrels(judged), ranx.Run(run), list(ours))
    assert ours == pytest.approx(theirs, rel=0, abs=1e-12)
    names = {"AP": "map", "RR": "mrr", "nDCG": "ndcg", "nDCG@5": "ndcg@5"}
    names |= {"P@3": "precision@3", "R@3": "recall@3"}
    parsed = {ir_measures.parse_measure(name): name for name in names}
    theirs = ir_measures.calc_aggregate(list(parsed), judged, run)
    for measure, value in theirs.items():
        assert ours[names[parsed[measure]]] == pytest.approx(value, rel=0, abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_a_relevant_document_that_was_not_returned_needs_a_row():
    ranx = require("ranx")
    judged, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "x": 2.0, "c": 1.0}}
    theirs = ranx.evaluate(ranx.Qrels(judged), ranx.Run(run), "map")
    returned, judged_too = ([1, 0, 1], [3, 2, 1]), ([1, 0, 1, 1], [3, 2, 1, -np.inf])
    ours = [
        skrate.mean_average_precision_score(y, s, groups=[0] * len(y))
        for y, s in (returned, judged_too)
    ]
    assert ours == pytest.approx([(1 + 2 / 3) / 2, (1 + 2 / 3) / 3], rel=1e-12)
    assert ours[1] == pytest.approx(theirs, rel=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_the_auc_of_censored_times_is_the_same_without_losses_at_the_horizon():
    require("sksurv")
    from sksurv.metrics import cumulative_dynamic_auc
    from sksurv.util import Surv

    rng = np.random.default_rng(0)
    of_event, of_loss = rng.exponential([[5], [8]], size=(2, 300))
    time, event = np.minimum(of_event, of_loss), of_event <= of_loss
    s = rng.normal(size=300) - np.log(of_event)
    late = np.flatnonzero(~event & (time > 4))[:10]
    for n_at_horizon in (0, 10):
        time[late[:n_at_horizon]] = 4
        survival = Surv.from_arrays(event, time)
        theirs = cumulative_dynamic_auc(survival, survival, s, [4])[0][0]
        y = skrate.labels.censored(time, event, 4)
        ours = skrate.estimate("roc_auc", y, s).value
        assert (abs(ours - theirs) < 1e-12) == (n_at_horizon == 0)


@pytest.mark.filterwarnings("ignore")
@BOTH
def test_concordance_of_two_times_is_the_auc(data):
    require("sksurv")
    from sksurv.metrics import concordance_index_censored

    y, s, _ = data
    found = concordance_index_censored(np.ones(len(y), dtype=bool), -y.astype(float), s)
    assert skrate.ranking_auc_score(y, s) == pytest.approx(found[0], rel=0, abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_net_benefit_is_the_same():
    dca = require("dcurves").dca
    pandas = require("pandas")
    y, s, _ = DISTINCT
    p = 1 / (1 + np.exp(1.4 - s))
    frame = pandas.DataFrame({"y": y, "p": p})
    for t in (0.1, 0.2, 0.3):
        table = dca(data=frame, outcome="y", modelnames=["p"], thresholds=[t])
        (theirs,) = table[table["model"] == "p"]["net_benefit"]
        gain = {"positive": 1, "negative": -t / (1 - t)}
        rate = np.mean(p >= t)
        ours = skrate.expected_gain_score(y, p, gain=gain, rate=rate, normalize=True)
        assert ours == pytest.approx(theirs, rel=0, abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_the_area_under_the_uplift_curve_differs_by_its_ends():
    require("causalml")
    pandas = require("pandas")
    from causalml.metrics import auuc_score

    y, s, _ = DISTINCT
    tau = np.random.default_rng(1).normal(size=len(y))
    frame = pandas.DataFrame({"y": y, "w": y, "tau": tau, "model": s})
    theirs = auuc_score(frame, normalize=False)["model"]
    ours = skrate.expected_gain_score(y, s, gain=tau, rate="uniform")
    n = len(y)
    assert ours == pytest.approx(((n + 1) * theirs - tau.sum() / 2) / n, abs=1e-10)


def test_a_share_of_positives_is_the_prediction_powered_mean():
    y, s, _ = DISTINCT
    rng = np.random.default_rng(1)
    predicted, n = rng.random(len(y)), len(y) // 5
    drawn = rng.permutation(len(y))[:n]
    seen = np.full(len(y), np.nan)
    seen[drawn] = y[drawn]
    found = skrate.labels.sampled(
        seen, n / len(y), prediction=predicted, design="fixed", calibrate=False
    )
    ours = skrate.precision_at_rate_score(found, s, rate=1.0)
    theirs = np.mean(predicted) + np.mean(y[drawn] - predicted[drawn])
    assert ours == pytest.approx(theirs, rel=0, abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_a_threshold_that_keeps_a_recall_marks_fewer_than_that_of_mapie():
    require("mapie")
    from mapie.risk_control import BinaryClassificationController
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    y = (rng.random(2_000) < 0.3).astype(int)
    X = (rng.normal(size=2_000) + 1.5 * y)[:, None]
    model = LogisticRegression().fit(X, y)
    controller = BinaryClassificationController(
        model.predict_proba, "recall", target_level=0.9, confidence_level=0.95
    ).calibrate(X, y)
    ours = skrate.ConstrainedThresholdClassifier(
        model, recall=0.9, confidence=0.95, cv="prefit"
    ).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    share_of_mapie = np.mean(p >= controller.best_predict_param)
    assert 0.55 < ours.expected_rate_ < share_of_mapie
    assert np.mean(p[y == 1] >= ours.threshold_) > 0.9
