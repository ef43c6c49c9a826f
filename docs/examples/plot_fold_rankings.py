"""
Train once, ask everything
==========================

Two models are cross-validated, once. Which is better, by how much, at which budgets,
and what will it find? All of it is asked of how the folds were ranked.
"""

# %%
# Train
# -----
# Six cases in a hundred are positive. A linear model and one with a kernel are trained
# on the same folds. What is kept are the labels and scores of the cases left out, fold
# by fold: every fold has a model of its own, whose scores have a scale of their own.

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrate import (
    HitCurveDisplay,
    average_precision_score,
    budget_report,
    compare,
    cross_val_rankings,
    estimate,
    rate_weighted_auc_score,
    rates,
)
from skrate.displays import (
    BudgetReportDisplay,
    CurveComparisonDisplay,
)

X, y = make_classification(
    4_000,
    12,
    n_informative=5,
    n_clusters_per_class=3,
    weights=[0.95],
    flip_y=0.02,
    random_state=2,
)
models = {
    "linear": make_pipeline(StandardScaler(), LogisticRegression()),
    "kernel": make_pipeline(
        StandardScaler(),
        Nystroem(gamma=0.05, random_state=0),
        LogisticRegression(C=10, max_iter=500),
    ),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
rankings = {
    name: cross_val_rankings(model, X, y, cv=folds)
    for name, model in models.items()
}
linear, kernel = rankings["linear"], rankings["kernel"]
print(kernel)

# %%
# How good are they?
# ------------------
# A metric takes the rankings in place of labels and scores, and is its mean over the
# folds. With an interval, too: about a tenth of the cases will be processed.

budget = rates.beta(3, 27)
for name, ranked in rankings.items():
    print(name)
    print("AP", round(average_precision_score(ranked), 3))
    print(estimate(rate_weighted_auc_score, ranked, rate=budget))

# %%
# Is one better?
# --------------
# The folds hold the same cases, so that the test is paired:

print(compare(rate_weighted_auc_score, kernel, linear, rate=budget))

# %%
# At which budgets? The same share of every fold is processed, and what they find is
# added up:

CurveComparisonDisplay.from_predictions(
    kernel,
    linear,
    names=["kernel", "linear"],
    rate=budget,
    random_state=0,
)

# %%
# Do the folds agree? Thin lines are their curves, the thick one is the mean of them at
# equal rate, and the shade is a standard deviation of the folds: how far one fold may
# lie from another, not how sure the mean is.

_, ax = plt.subplots(layout="constrained")
HitCurveDisplay.from_predictions(
    kernel, ax=ax, kind="gains", name="kernel", rate=budget
)

# %%
# What will it find?
# ------------------
# In the next 10,000 cases, in counts:

report = budget_report(rankings, rate=budget, n_items=10_000)
print(report)

# %%
# And as a picture. The dots are the numbers of the table, means over all budgets, and
# stand at the average one. They lie below the curves, as smaller budgets lose more than
# larger ones add where a curve flattens.

BudgetReportDisplay(report).plot()

# %%
# These are the models of the folds, each trained on four fifths of the cases. The one
# that is trained on all of them should find a little more.
