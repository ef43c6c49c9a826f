"""
Train once, ask everything
==========================

We cross-validate two models once and keep the rankings of the folds. These are enough
to see which model is better, by how much, at which budgets, and how many positives it
will find.
"""

# %%
# Train
# -----
# Six cases in a hundred are positive. A linear model and a kernel model are trained on
# the same folds. We keep the labels and scores of the held-out cases, fold by fold,
# because each fold's model has a different scale of scores.

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
    compare_curves,
    cross_val_rankings,
    estimate,
    rate_weighted_auc_score,
    rates,
)
from skrate.displays import BudgetReportDisplay

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
# If you pass the rankings instead of labels and scores, a metric returns its mean over
# the folds. :func:`~skrate.estimate` adds an interval. About a tenth of the cases will
# be processed.

budget = rates.beta(3, 27)
for name, ranked in rankings.items():
    print(name)
    print("AP", round(average_precision_score(ranked), 3))
    print(estimate(rate_weighted_auc_score, ranked, rate=budget))

# %%
# Is one better?
# --------------
# The folds of both models contain the same cases, so the test is paired:

print(compare(rate_weighted_auc_score, kernel, linear, rate=budget))

# %%
# At which budgets? The same share of every fold is processed, and the positives found
# are added up:

models = {"kernel": kernel, "linear": linear}
difference = compare_curves(models, random_state=0)
difference.plot(rate=budget)

# %%
# Do the folds agree? Thin lines are the curves of the folds, and the thick line is
# their mean at equal rates. The shading is one standard deviation of the folds: it
# shows the variation between folds, not the uncertainty of the mean.

_, ax = plt.subplots(layout="constrained")
HitCurveDisplay.from_predictions(
    kernel, ax=ax, metric="recall", name="kernel", rate=budget
)

# %%
# What will it find?
# ------------------
# The report gives counts for the next 10,000 cases:

report = budget_report(rankings, rate=budget, n_items=10_000)
print(report)

# %%
# In the figure, the dots are the numbers from the table, means over all budgets, drawn
# at the mean budget. They lie below the curves, because the curves flatten: smaller
# budgets lose more than larger ones add.

BudgetReportDisplay(report).plot()

# %%
# These results are for models trained on four fifths of the cases. A model trained on
# all cases should find slightly more.
