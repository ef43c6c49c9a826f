"""
=================================
Consensus curves and their bounds
=================================

A post office scans digits, and a clerk checks some of them for eights, which the
machine on duty misreads. The share of scans that the clerk has time for is known only
roughly. Which of three quick models should rank the scans, and how many eights will the
clerk find?
"""

# %%
# What share will be processed
# ----------------------------
# The clerk has two hours for 1,800 scans, which take 14 to 62 seconds each on average.
# :func:`skrate.rates.from_budget` turns this into a distribution of the rate.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.tree import DecisionTreeClassifier

from skrate import RateAveragedROC, rates

rate = rates.from_budget(7_200, 1_800, cost=(14, 62))
print(rate.describe())

# %%
# Three models, ten folds
# -----------------------
# :meth:`~skrate.RateAveragedROC.from_cross_validation` cross-validates each model,
# averages the folds' ROC curves *at equal rates*, and draws the mean with its 95 %
# bounds. With ``plot_rate=True``, the rate is on the axis, and the shaded peak is the
# distribution of the budget. Grey lines show the limits of any ranking: the number of
# eights found cannot exceed the number of scans checked.

X, digit = load_digits(return_X_y=True)
y = (digit == 8).astype(int)
models = {
    "Naive Bayes, counts": MultinomialNB(),
    "Naive Bayes, binary": BernoulliNB(binarize=8),
    "Decision tree": DecisionTreeClassifier(
        max_depth=5, random_state=0
    ),
}
folds = StratifiedKFold(10, shuffle=True, random_state=0)

figure, ax = plt.subplots(layout="constrained")
displays = {
    name: RateAveragedROC.from_cross_validation(
        model,
        X,
        y,
        cv=folds,
        name=name,
        rate=rate,
        ax=ax,
        plot_rate=True,
    )
    for name, model in models.items()
}

# %%
# Over all rates, the second model has the highest AUC. Within the budget, the tree is
# better:

for name, display in displays.items():
    curve = display.curve
    print(
        f"{name:20} AUC {curve.rate_weighted_auc():.3f}   "
        f"rAUC {curve.rate_weighted_auc(rate):.3f}"
    )

# %%
# The curves at the budget
# ------------------------
# The left axes show only the plausible rates. In ROC space, each rate is a falling
# line, here nearly vertical, because only one digit in ten is an eight. The shading is
# the budget.

figure, axes = plt.subplots(
    1, 2, figsize=(12, 5), layout="constrained"
)
for display in displays.values():
    display.plot(axes[0], plot_rate=True)
    display.plot(axes[1], plot_rate=True, space="roc")
axes[0].set_xlim(rate.ppf([0.001, 0.999]))

# %%
# Reading a curve
# ---------------
# What is the recall at the mean rate, with its interval? And how many scans must be
# checked to find nine in ten eights?

for name, display in displays.items():
    recall = display.curve.recall_at_rate(rate.mean())
    needed = display.curve.rate_at_recall(0.9)
    found = recall.confidence_interval
    read = needed.confidence_interval
    print(
        f"{name:20} recall {recall.value:.2f} "
        f"({found.low:.2f} to {found.high:.2f})"
        f"   rate for 0.9: {needed.value:.2f} "
        f"({read.low:.2f} to {read.high:.2f})"
    )

# %%
# The single folds
# ----------------
# The figure shows the ten folds of the tree, and lines of equal rate. Many scans in the
# same leaf tie, which makes parts of the curves straight. Single folds vary much more
# than the consensus: each has 17 or 18 eights, all together have 174.

figure, ax = plt.subplots(figsize=(6, 6), layout="constrained")
displays["Decision tree"].plot(
    ax,
    plot_folds=True,
    plot_isometrics=True,
    plot_chance_level=True,
)
plt.show()
