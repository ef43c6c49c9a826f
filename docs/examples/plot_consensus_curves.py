"""
==================================
Consensus curves and their bounds
==================================

A post office scans digits, and a clerk looks through some of them for eights, which the
machine on duty misreads. He has time for some share of the scans, known only roughly.
Which of three quick models should order them, and how much will he find? The same
question as for a reviewer who reads some of the articles on a list.
"""

# %%
# What share will be processed
# ----------------------------
# Two hours for 1,800 scans that take 14 to 62 seconds each: by
# :func:`skrate.rates.from_budget`, a distribution over the rate.

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
# :meth:`~skrate.RateAveragedROC.from_cross_validation` runs the folds, averages their
# ROC curves *at equal rate*, since the same share of each is processed, and draws the
# mean with its 95 % bounds. With ``plot_rate=True`` the rate is on the axis, and the
# hill is where the budget lies. Grey lines border what any ranking can reach: nobody
# finds more eights than he looks at scans.

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
# Over all rates, the AUC prefers the second model. Where the budget lies, the tree is
# ahead:

for name, display in displays.items():
    curve = display.curve
    print(
        f"{name:20} AUC {curve.rate_weighted_auc():.3f}   "
        f"rAUC {curve.rate_weighted_auc(rate):.3f}"
    )

# %%
# Where the budget lies
# ---------------------
# ``zoom="rate"`` shows only the rates that the budget may take. In the ROC plane a rate
# is a falling line, here nearly upright, because only one digit in ten is an eight, and
# the budget is a shade.

figure, axes = plt.subplots(
    1, 2, figsize=(12, 5), layout="constrained"
)
for display in displays.values():
    display.plot(axes[0], plot_rate=True, zoom="rate")
    display.plot(axes[1], plot_rate=True, space="roc")

# %%
# Reading a curve
# ---------------
# How many of the eights are found at the average rate, and how far could that be off?
# And how much must be looked through, to find nine in ten?

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
# What is behind it
# -----------------
# The ten folds of the tree, and lines of equal rate. Its leaves tie many scans, which
# is where the curves are straight. Folds vary much more than their consensus does: each
# has 17 or 18 eights, all together have 174.

figure, ax = plt.subplots(figsize=(6, 6), layout="constrained")
displays["Decision tree"].plot(
    ax,
    plot_folds=True,
    plot_isometrics=True,
    plot_chance_level=True,
)
plt.show()
