"""Choose a model for a rapid review, as section 5.1 of Millard, Flach, Higgins (2014).

    python benchmarks/reproduce/rapid_review.py --data ../shared/data --draw review.png

The paper's 315 articles are not public; this is a real review of 2,019 records of which
101 were included (Nagtegaal et al., 2019). A reviewer has 120 hours for 2,500 articles
that take 10 to 45 minutes each, hence the rate beta(6.23, 32.80). Word counts from
title and abstract, the paper's three models, and the SVM with tf-idf weights, ten
folds: rAUC and AUC of each model, t-tests over folds by both, paired as in the paper
and corrected, and the consensus curves with their bounds (figure 7 and more).
"""

import argparse
import csv
import os
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from skrate import (
    RateAveragedROC,
    compare_folds,
    cross_val_rankings,
    rate_averaged_roc_curve,
    rates,
)

FILE = Path("screening-nagtegaal2019") / "Nagtegaal_2019.csv"
N_TREES = 300
WORDS = {"stop_words": "english", "min_df": 2}


def main() -> None:
    options = parse()
    path = Path(options.data) / FILE
    if not path.is_file():
        print(f"{path} is not there: pass the folder of the data as --data.")
        sys.exit(0)
    rate = rates.from_budget(7_200, 2_500, cost=(10, 45))
    texts, included = read(path)
    print(f"{len(included)} records, {included.sum()} included; {rate.describe()}\n")
    curves = consensus_curves(texts, included)
    report(curves, rate)
    if options.draw:
        draw(curves, rate, options.draw)


def consensus_curves(texts, included, names=None, seed=0):
    """Return the consensus curve of each named model (all, if None), of ten folds."""
    cv = StratifiedKFold(10, shuffle=True, random_state=seed)
    return {
        name: rate_averaged_roc_curve(cross_val_rankings(model, texts, included, cv=cv))
        for name, model in models().items()
        if names is None or name in names
    }


def fold_scores(curves, rate):
    """Return rAUC and AUC of each fold, by metric and model."""
    return {
        metric: {name: c.fold_rate_weighted_auc(r) for name, c in curves.items()}
        for metric, r in {"rAUC": rate, "AUC": "uniform"}.items()
    }


def fold_pvalues(scores, a, b, method):
    """Return the p-values of two models by rAUC and by AUC."""
    return [
        compare_folds(by_model[a], by_model[b], method=method).pvalue
        for by_model in scores.values()
    ]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    folder = os.environ.get("SKRATE_DATA", "../shared/data")
    parser.add_argument("--data", default=folder, help="folder of the data sets")
    parser.add_argument("--draw", metavar="FILE", help="draw the curves to a file")
    return parser.parse_args()


def read(path):
    """Return title and abstract of each record, and whether it was included."""
    with path.open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    texts = [f"{record['title']} {record['abstract']}" for record in records]
    return texts, np.array([int(record["label_included"]) for record in records])


def models():
    return {
        "Naive Bayes": make_pipeline(CountVectorizer(**WORDS), MultinomialNB()),
        "Random forest": make_pipeline(
            CountVectorizer(**WORDS),
            RandomForestClassifier(N_TREES, min_samples_leaf=2, random_state=0),
        ),
        "Linear SVM": make_pipeline(
            CountVectorizer(**WORDS), LinearSVC(C=0.1, class_weight="balanced")
        ),
        "Linear SVM, tf-idf": make_pipeline(
            TfidfVectorizer(**WORDS, sublinear_tf=True),
            LinearSVC(C=0.1, class_weight="balanced"),
        ),
    }


def report(curves, rate) -> None:
    scores = fold_scores(curves, rate)
    print(f"{'mean over folds':20}{'rAUC':>8}{'AUC':>8}", end="")
    print("   recall at 16 %         rate for a recall of 95 %")
    for name, curve in curves.items():
        means = "".join(f"{by_model[name].mean():8.3f}" for by_model in scores.values())
        found, read_on = curve.recall_at_rate(0.16), curve.rate_at_recall(0.95)
        print(f"{name:20}{means}   {point(found)}   {point(read_on)}")
    for method in ("paired", "corrected"):
        print(f"\n{method + ' t-test over folds':36}{'by rAUC':>9}{'by AUC':>9}")
        for a, b in combinations(curves, 2):
            p = fold_pvalues(scores, a, b, method)
            print(f"{a + ' and ' + b:36}" + "".join(f"{value:9.2g}" for value in p))
    best = {m: max(curves, key=lambda name: scores[m][name].mean()) for m in scores}
    print(f"\nChosen by rAUC: {best['rAUC']}; by AUC: {best['AUC']}")


def point(value):
    low, high = value.confidence_interval
    return f"{value.value:.3f} ({low:.3f} to {high:.3f})"


def draw(curves, rate, path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(13, 6), layout="tight")
    for ax, space in zip(axes, ("roc", "rate-recall"), strict=True):
        for i, (name, curve) in enumerate(curves.items()):
            display = RateAveragedROC(curve, name=name, rate=rate)
            display.plot(ax, space=space, plot_rate=i == 0)
    figure.savefig(path, dpi=80)


if __name__ == "__main__":
    main()
