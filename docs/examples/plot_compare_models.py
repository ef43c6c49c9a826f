"""
Is model B better than model A?
===============================

We compare two models on one test set under one budget, with an interval and a p-value.
Then we compare the algorithms over several training sets.
"""

# %%
# On one test set
# ---------------
# About a seventh of the cases are positive, and as many will be processed. How
# uncertain is each score?

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from skrate import (
    compare,
    compare_folds,
    cross_val_rankings,
    estimate,
    rate_weighted_auc_score,
    rates,
)

X, y = make_classification(
    3_000,
    20,
    n_informative=6,
    n_clusters_per_class=3,
    weights=[0.9],
    flip_y=0.1,
    class_sep=0.7,
    random_state=1,
)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=1_500, stratify=y, random_state=0
)
models = {
    "A: logistic regression": LogisticRegression(max_iter=1_000),
    "B: random forest": RandomForestClassifier(
        200, min_samples_leaf=5, random_state=0
    ),
}
budget = rates.beta(3, 19)
y_scores = {
    name: model.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    for name, model in models.items()
}
print(estimate("roc_auc", y_test, y_scores))
print(
    estimate(rate_weighted_auc_score, y_test, y_scores, rate=budget)
)

# %%
# The intervals of the models may overlap although the difference is significant: both
# models rank the same cases, so the difficulty of the test set cancels.

a, b = y_scores.values()
comparisons = {
    "AUC": compare("roc_auc", y_test, b, a),
    "rAUC": compare(
        rate_weighted_auc_score, y_test, b, a, rate=budget
    ),
}
for result in comparisons.values():
    print(result)

_, ax = plt.subplots(figsize=(7, 2.2), layout="constrained")
for row, result in enumerate(comparisons.values()):
    ax.plot(
        result.confidence_interval,
        [row, row],
        color="#0072B2",
        lw=2,
    )
    ax.plot(result.value, row, "o", color="#0072B2")
ax.axvline(0, color="0.6", lw=1)
ax.set(
    yticks=[0, 1],
    yticklabels=list(comparisons),
    ylim=(-0.6, 1.6),
    xlabel="B - A on the test set, 95 % interval",
)

# %%
# A permutation test, which swaps the models within cases, does not need a large sample:

print(
    compare(
        "roc_auc",
        y_test,
        b,
        a,
        method="permutation",
        random_state=0,
    )
)

# %%
# Over folds
# ----------
# Model B is better *as trained here*, but might not be after training on other cases.
# Cross-validation varies the training and the test cases. The rankings of all folds
# have an interval for the models as trained, each alone and against each other:

rankings = {
    name: cross_val_rankings(model, X, y, cv=10)
    for name, model in models.items()
}
each = estimate(rate_weighted_auc_score, rankings, rate=budget)
_, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
each.plot(ax)
print(
    compare(
        rate_weighted_auc_score,
        *reversed(rankings.values()),
        rate=budget,
    )
)

# %%
# The folds' training sets overlap. The corrected test takes this into account; the
# plain paired t-test does not, and its p-value is too small.

fold_a, fold_b = (
    ranking.scores(rate_weighted_auc_score, rate=budget)
    for ranking in rankings.values()
)
for method in ("corrected", "paired"):
    print(compare_folds(fold_b, fold_a, method=method))

# sphinx_gallery_thumbnail_number = 3
_, ax = plt.subplots(figsize=(5, 3.5), layout="constrained")
ax.plot(
    np.stack([fold_a, fold_b]),
    "o-",
    color="0.7",
    mfc="#0072B2",
    mec="#0072B2",
)
ax.plot(
    [fold_a.mean(), fold_b.mean()],
    "s-",
    color="#D55E00",
    label="mean",
)
ax.set(
    xticks=[0, 1],
    xticklabels=list(rankings),
    xlim=(-0.3, 1.3),
    ylabel="rAUC",
)
ax.legend()
