"""What a user may pass, in a script that `test_typing.py` checks strictly and runs."""

import warnings
from dataclasses import replace
from datetime import date
from functools import partial
from io import BytesIO

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import sklearn.metrics
from matplotlib import pyplot as plt
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skrate
from skrate import displays, rates

ints: list[int] = [1, 0, 1, 0, 1, 0]
words: list[str] = ["yes", "no", "yes", "no", "yes", "no"]
flags: list[bool] = [True, False, True, False, True, False]
floats: tuple[float, ...] = (0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
days: list[date] = [date(2024, 1, 1 + i // 2) for i in range(6)]
single: npt.NDArray[np.float32] = np.arange(6, 0, -1, dtype=np.float32)
small: npt.NDArray[np.int8] = np.array(ints, dtype=np.int8)
texts: npt.NDArray[np.str_] = np.array(words)
objects: npt.NDArray[np.object_] = np.array(words, dtype=object)
both = np.stack([single, single[::-1]], axis=1)
frame = pd.DataFrame({"y": words, "a": single, "b": single[::-1]})
other = pl.DataFrame({"y": words, "a": floats, "b": floats[::-1]})
table = skrate.RankTable.from_arrays(ints, floats)

# Metrics.
for labels in (ints, flags, small, np.array(flags)):
    skrate.rate_weighted_auc_score(labels, single)
precision = skrate.average_precision_score
precision(flags, floats, sample_weight=ints)
precision(words, floats, pos_label="yes")
precision(texts, range(6), pos_label=texts[0])
precision(objects, both[:, :1], sample_weight=other["b"], pos_label="yes")
precision(frame["y"], frame["a"], pos_label=frame["y"].iloc[0])
precision(frame[["y"]], other["a"], pos_label="yes")
skrate.recall_at_rate_score(flags, floats, k=2, pos_label=True)
skrate.recall_at_rate_score(ints, floats, rate=np.float32(0.5))
precision(ints, floats, prevalence=np.mean(ints))
precision(table, prevalence=0.2)
skrate.recall_at_rate_score(table, k=2)
skrate.partial_auc_score(ints, floats, fpr=(0, 0.1), tpr=[0.5, 1])
skrate.partial_auc_score(ints, floats, fpr=stats.beta(1, 9), standardize=None)

# Several classes, a column of scores for each.
several, columns = ["a", "b", "c"] * 2, np.arange(18.0).reshape(6, 3) % 5
for average in ("macro", "weighted", "micro", "samples", None):
    precision(several, columns, average=average)
by_class = {"a": 0.2, "b": stats.beta(2, 3), "c": "uniform"}
skrate.recall_at_rate_score(several, frame[["a", "b"]].assign(c=1), rate=by_class)
skrate.rate_weighted_auc_score(texts, both, rate=0.2, labels=("no", "yes"))
skrate.RateWeightedAUCScorer(rate={"a": 0.2, "b": 0.3, "c": 0.4}, average="weighted")

# Rates.
for rate in (0.2, np.float32(0.2), rates.beta(2, 3), stats.beta(2, 3)):
    skrate.rate_weighted_auc_score(ints, floats, rate=rate)
skrate.recall_at_rate_score(ints, floats, rate="uniform")
skrate.recall_at_rate_score(ints, floats, rate=np.mean(single) / 9, of="negatives")
if hasattr(stats, "Normal"):
    normal = stats.Normal(mu=0.2, sigma=0.1)
    skrate.recall_at_rate_score(ints, floats, rate=normal)
rates.mixture([rates.beta(3, 19), 0.8, "uniform"], weights=[0.5, 0.4, 0.1])
rates.empirical(frame["a"] / 9, weights=other["b"])
skrate.convert_rauc([0.5, 0.6], to="expected_recall", rate=0.2, prevalence=0.5)

# Lists.
lists = skrate.group_scores("roc_auc", ints, floats, groups=days)
lists.mean(average=[0.5, 0.25, 0.25])
skrate.group_scores(skrate.recall_at_rate_score, ints, floats, groups=other["y"], k=1)
skrate.ranking_auc_score(single, frame["b"], groups=texts, relevance_threshold=2)

# Uncertainty.
skrate.estimate("roc_auc", table)
skrate.sample_size("roc_auc", table, half_width=0.1)
skrate.sample_size("roc_auc", ints, floats, small, n_samples=90, difference=0.1)
skrate.estimate(
    partial(skrate.rate_weighted_auc_score, rate=0.2),
    other["y"],
    other["a"],
    clusters=[1, 1, 2, 2, 3, 3],
    sample_weight=[1, 2, 1, 1, 1, 1],
    pos_label="yes",
)
skrate.estimate(sklearn.metrics.roc_auc_score, texts, frame["a"], pos_label="yes")
skrate.compare("roc_auc", frame["y"], frame["a"], other["b"], pos_label="yes")
warnings.filterwarnings("ignore", "The models have different samples")
skrate.compare("roc_auc", ints, floats, single, y_true_b=flags)
skrate.compare("roc_auc", table, y_true_b=table)
skrate.compare(("roc_auc", "average_precision"), ints, floats)
skrate.compare(("roc_auc", "average_precision"), table)
skrate.budget_report(ints, floats, rate=1.0, clusters=texts).to_dict()
skrate.budget_report(words, frame[["a", "b"]], rate=1.0, pos_label="yes")
skrate.budget_report(ints, both, rate=stats.beta(2, 3), n_items=9)["0", "found"]
pilots: dict[str, npt.NDArray[np.float32]] = {"a": single, "b": single[::-1]}
skrate.budget_report(ints, pilots, rate=np.float32(0.9)).to_frame()
skrate.budget_report(table, rate=1.0, n_items=len(words))
skrate.compare("roc_auc", ints, {"a": floats, "b": single})
for scores in (frame[["a", "b"]], other[["a", "b"]], both):
    skrate.compare("roc_auc", ints, scores)
warnings.filterwarnings("ignore", ". (positive|negative) samples are fewer than")
skrate.select_best("roc_auc", ints, pilots, random_state=0)
needs_groups = skrate.estimate("roc_auc", texts, other["a"], pos_label="yes").influence
assert needs_groups is not None
needs_groups.tolist()

# Curves.
curve = skrate.rate_averaged_roc_curve(
    [words, frame["y"], texts], [floats, other["a"], single], pos_label="yes"
)
skrate.rate_averaged_roc_curve(curve.folds, bounds="beta", rates=floats[::-1])
skrate.rate_averaged_roc_curve([ints, ints], both.T, repeats=["a", "b"])
curve.rate_weighted_auc(stats.beta(2, 3))
skrate.hit_curve(frame["y"], frame["a"], pos_label="yes")
skrate.hit_curve(table)
skrate.rate_averaged_roc_curve([table, table], repeats=[0, 0])

skrate.compare_curves(small, single, frame["a"], rates=[0.3, 0.5], clusters=days)
gain = skrate.compare_curves(
    other["y"], frame["a"], range(6), metric="gain", cost=0.1, rates=(0.3, 0.5),
    sample_weight=range(1, 7), pos_label="yes", random_state=np.random.default_rng(0),
)  # fmt: skip
first, last = gain.winning_rates().open[0]

# Displays.
figure, (left, right) = plt.subplots(1, 2)
skrate.HitCurveDisplay.from_predictions(
    other["y"], frame["a"], pos_label="yes", ax=left, curve_kwargs={"c": "red"}
).plot(right, metric="recall")
skrate.HitCurveDisplay([0, 0.5, 1], [0, 0.5, 0.5], pos_label="yes")
skrate.HitCurveDisplay.from_predictions(table, name="table")
skrate.RateAveragedROC.from_predictions([table, table], rate=0.2)
displays.CurveComparisonDisplay(gain, names=["a", "b"], rate=stats.beta(2, 3)).plot(
    left
)
in_folds = [
    skrate.FoldRankings(ints * 2, scores * 2, [0] * 6 + [1] * 6)
    for scores in (floats, floats[::-1])
]
skrate.compare_curves(in_folds[0], in_folds[1], rates=[0.3, 0.5]).plot(n_items=90)
skrate.compare_curves({"a": in_folds[0], "b": in_folds[1]}, rates=[0.3, 0.5])
skrate.compare_curves(ints, frame[["a", "b"]], rates=[0.3, 0.5])
skrate.budget_report(ints, pilots, rate=0.9).plot(right)
errors = displays.AUCErrorRateDisplay.from_predictions(
    frame["y"], frame["a"], y_pred=frame["y"], pos_label="yes", ax=plt.gca()
)
errors.figure_.savefig(BytesIO())
skrate.RateAveragedROC(curve, rate=0.2).plot(plot_isometrics=[0.2, 0.4])
skrate.RateAveragedROC.from_predictions(
    [words, texts], [floats, single], pos_label="yes", rates=floats[::-1], rate=0.2
)

# Models.
X = pd.DataFrame({"x": np.arange(60) % 7, "list": np.repeat(list("abcdef"), 10)})
target = pd.Series(np.arange(60) % 7 + np.arange(60) % 3 > 4, index=X.index)
train = X[["x"]]
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(train, target)
skrate.HitCurveDisplay.from_estimator(model, train, target, sample_weight=X["x"] + 1)
skrate.RateAveragedROC.from_estimator(model, train, target, pos_label=True)
skrate.RateAveragedROC.from_cross_validation(
    model, train, target, cv=GroupKFold(3), clusters=X["list"], bounds=None
)
boost = skrate.RankBoostClassifier(5, scoring=get_scorer("roc_auc"), random_state=0)
skrate.HitCurveDisplay.from_estimator(boost.fit(train, target), train, target)
distinct = train + np.linspace(0, 1e-3, train.size).reshape(train.shape)
keeping = skrate.ConstrainedThresholdClassifier(
    model, rate=stats.beta(2, 3), n_items=20, confidence=0.8, cv=3
).fit(distinct, target)
low_rate, high_rate = keeping.fraction_interval_
keeping.set_params(rate=None, n_items=None, recall=0.5, confidence=None)
found = keeping.fit(distinct, target).predict(train)

# Selection.
scorer = skrate.RateWeightedAUCScorer(rate=stats.beta(2, 3), pos_label=True)
listed = skrate.make_ranking_scorer("ranking_auc", groups=X["list"])
shares = skrate.make_ranking_scorer(skrate.recall_at_rate_score, rate=0.2)
named = skrate.make_ranking_scorer("average_precision", groups="list")
by_name = skrate.make_ranking_scorer(
    ["roc_auc", "recall_at_rate"], rate=0.2, pos_label=1
)
cross_validate(model, train, target, scoring={**by_name, "accuracy": "accuracy"})
results = cross_validate(
    model,
    train,
    target,
    scoring={"auc": scorer, "lists": listed, "recall": shares},
    cv=3,
    return_estimator=True,
    return_indices=True,
)
skrate.HitCurveDisplay.from_cv_results(results, train, target)
skrate.compare_folds(results["test_auc"], [0.5, 0.4, 0.6], n_train=40, n_test=20)
for complexity in ("C", lambda params: params["C"]):
    refit = skrate.refit_best(rule="one_standard_error", complexity=complexity)
search = GridSearchCV(
    LogisticRegression(), {"C": [0.1, 1]}, scoring=scorer, refit=refit, cv=3
)
search.fit(train, target)

# Rankings of folds.
site = ["here", "here", "here", "there", "there", "there"]
rankings = skrate.FoldRankings(words, floats, site, pos_label="yes", clusters=ints)
alone = replace(rankings, clusters=None)
skrate.average_precision_score(rankings).is_integer()
skrate.rate_weighted_auc_score(rankings, rate=rates.beta(2, 3))
skrate.estimate("roc_auc", alone).confidence_interval.low.is_integer()
skrate.compare("roc_auc", alone, alone).pvalue.is_integer()
skrate.compare("roc_auc", {"a": alone, "b": alone}).covariance.tolist()
skrate.compare("roc_auc", [alone, alone])
rankings.scores("roc_auc").tolist()
for is_pos, y_score, sample_weight in rankings:
    skrate.hit_curve(is_pos, y_score, sample_weight=sample_weight)
trained = skrate.cross_val_rankings(
    LogisticRegression(), frame[["a", "b"]], frame["y"], cv=2, pos_label="yes"
)
trained.tables()[0].n_pos.is_integer()

# Errors.
skrate.error_rate.auc_moments(5, np.array([5, 6]), n_errors=[1, 2])
skrate.error_rate.auc_range_from_errors(5, 5, n_errors=1)
plt.close("all")
