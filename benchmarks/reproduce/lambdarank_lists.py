"""A ranker and a classifier, tuned by the AUC within lists of a ranking sample.

    python benchmarks/reproduce/lambdarank_lists.py FOLDER

FOLDER holds LightGBM's lambdarank example: rank.train and rank.test in libsvm format,
grades 0 to 4, with the sizes of the lists in rank.train.query and rank.test.query.
Items of grade 2 or more are relevant. LightGBM must be installed.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import sklearn
from lightgbm import LGBMClassifier, LGBMRanker
from sklearn.base import BaseEstimator
from sklearn.datasets import load_svmlight_file
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold

from skrate import group_scores, make_ranking_scorer, ranking_auc_score

RELEVANT = 2
GRID = {"num_leaves": [4, 8, 16], "n_estimators": [25, 75]}
FIXED = {"learning_rate": 0.1, "n_jobs": 1, "random_state": 0, "verbose": -1}


class Ranker(BaseEstimator):
    """LGBMRanker from list labels in place of the sizes of lists."""

    def __init__(self, num_leaves=31, n_estimators=100):
        self.num_leaves = num_leaves
        self.n_estimators = n_estimators

    def fit(self, X, y, groups):
        sizes = np.unique(groups, return_counts=True)[1]
        self.ranker_ = LGBMRanker(**self.get_params(), **FIXED)
        self.ranker_.fit(X, y, group=sizes)
        return self

    def predict(self, X):
        return self.ranker_.predict(X)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    y, groups = load(folder, "rank.train")[1:]
    y_test, groups_test = load(folder, "rank.test")[1:]
    print(
        f"train {len(y)} items in {groups[-1] + 1} lists, test {len(y_test)} in "
        f"{groups_test[-1] + 1}; relevant {np.mean(y_test >= RELEVANT):.3f}"
    )
    for name, tuned, scores in tuned_models(folder):
        show(name, tuned, scores, y_test, groups_test)


@sklearn.config_context(enable_metadata_routing=True)
def tuned_models(folder):
    """Return each model with its name, tuned, and its scores of the test items."""
    X, y, groups = load(folder, "rank.train")
    X_test = load(folder, "rank.test", X.shape[1])[0]
    is_relevant = (y >= RELEVANT).astype(int)
    ranker = search(
        Ranker().set_fit_request(groups=True),
        make_ranking_scorer(
            "ranking_auc", relevance_threshold=RELEVANT, response_method="predict"
        ),
    ).fit(X, y, groups=groups)
    models = [("ranker", ranker, ranker.predict(X_test))]
    for name, scoring in (
        ("classifier, by lists", make_ranking_scorer("ranking_auc")),
        ("classifier, pooled AUC", "roc_auc"),
    ):
        tuned = search(LGBMClassifier(**FIXED), scoring)
        tuned.fit(X, is_relevant, groups=groups)
        models.append((name, tuned, tuned.predict_proba(X_test)[:, 1]))
    return models


def load(folder, name, n_features=None):
    """Return features, grades and list labels."""
    path = Path(folder) / name
    X, y = load_svmlight_file(str(path), n_features=n_features)
    sizes = np.loadtxt(f"{path}.query", dtype=int)
    return X.toarray(), y.astype(int), np.repeat(np.arange(len(sizes)), sizes)


def search(model, scoring):
    if not isinstance(scoring, str):
        scoring.set_score_request(groups=True)
    return GridSearchCV(model, GRID, scoring=scoring, cv=GroupKFold(5))


def show(name, tuned, scores, y_test, groups_test):
    options = {"groups": groups_test, "relevance_threshold": RELEVANT}
    lists = group_scores("roc_auc", y_test, scores, **options)
    mean = lists.estimate()
    values = [
        roc_auc_score(y_test[rows] >= RELEVANT, scores[rows])
        for rows in (groups_test == label for label in np.unique(groups_test))
        if len(set(y_test[rows] >= RELEVANT)) == 2
    ]
    assert abs(np.mean(values) - mean.value) < 1e-12
    low, high = mean.confidence_interval
    print(
        f"{name:23} {tuned.best_params_}\n"
        f"    validation {tuned.best_score_:.4f}; test {mean.value:.4f} +- "
        f"{mean.standard_error:.4f} ({low:.3f} to {high:.3f}), {lists.n_defined} "
        f"of {len(lists.groups)} lists\n"
        f"    pairs {ranking_auc_score(y_test, scores, average='pairs', **options):.4f}"
        f", top 5 {ranking_auc_score(y_test, scores, k=5, **options):.4f}, pooled "
        f"{roc_auc_score(y_test >= RELEVANT, scores):.4f}"
    )


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "X does not have valid feature names")
    main()
