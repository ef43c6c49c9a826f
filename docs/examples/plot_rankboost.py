"""
===============================
Rank with boosted thresholds
===============================

:class:`~skrate.RankBoostClassifier` maximises the AUC. We watch it learn, beside
AdaBoost with the same weak learners, and let a budget decide when to stop.
"""

# %%
# The AUC round by round
# ----------------------
# Both boost thresholds on single features. RankBoost weighs pairs of a positive and a
# negative, AdaBoost weighs cases; their AUCs come close, as Cortes and Mohri (2003)
# observed.

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import train_test_split

from skrate import RankBoostClassifier, RateWeightedAUCScorer, rates

rng = np.random.default_rng(0)
X = rng.normal(size=(6_000, 10))
signal = np.tanh(2 * X[:, 0]) + X[:, 1] ** 2 / 2 - np.abs(X[:, 2]) + 0.5 * X[:, 3]
y = (signal + rng.normal(size=6_000) > 1.5).astype(int)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

_, ax = plt.subplots(layout="constrained")
for model in (RankBoostClassifier(200), AdaBoostClassifier(n_estimators=200)):
    start = time.perf_counter()
    model.fit(X_train, y_train)
    seconds = time.perf_counter() - start
    name = type(model).__name__
    aucs = [
        roc_auc_score(y_test, scores)
        for scores in model.staged_decision_function(X_test)
    ]
    accuracy = accuracy_score(y_test, model.predict(X_test))
    print(f"{name:20} AUC {aucs[-1]:.3f}, accuracy {accuracy:.3f}, {seconds:.2f} s")
    ax.plot(np.arange(1, 201), aucs, label=name)
ax.set(xlabel="Round", ylabel="AUC of the test cases")
ax.legend()

# %%
# What it has learned
# -------------------
# The model is a sum of steps, one function for each feature: here are those of the
# first four, beside what made the data. Being additive, it could not see features that
# act together.

model = RankBoostClassifier(200).fit(X_train, y_train)
truth = (
    lambda x: np.tanh(2 * x),
    lambda x: x**2 / 2,
    lambda x: -np.abs(x),
    lambda x: 0.5 * x,
)
grid = np.linspace(-2.5, 2.5, 501)
_, axes = plt.subplots(1, 4, figsize=(11, 3), layout="constrained")
for feature, (ax, function) in enumerate(zip(axes, truth, strict=True)):
    own = model.estimators_[model.estimators_["feature"] == feature]
    steps = ((grid[:, None] > own["threshold"]) * own["weight"]).sum(axis=1)
    ax.plot(grid, steps - steps.mean(), drawstyle="steps-mid", label="learned")
    made = function(grid)
    ax.plot(grid, made - made.mean(), "--", label="made")
    ax.set(title=f"feature {feature}", ylim=(-3, 3))
axes[0].legend()

# %%
# Stop when the budget gains no more
# ----------------------------------
# About a tenth of the cases can be processed. A fifth of the training cases is held
# out, and the run ends when their rate-weighted AUC has not risen for 20 rounds.

budget = rates.beta(4, 36)
stopped = RankBoostClassifier(
    n_estimators=1_000,
    n_iter_no_change=20,
    validation_fraction=0.2,
    scoring=RateWeightedAUCScorer(rate=budget),
    random_state=0,
).fit(X_train, y_train)
print(f"{stopped.n_estimators_} rounds, {stopped.stop_reason_}")

_, ax = plt.subplots(layout="constrained")
ax.plot(np.arange(1, stopped.n_estimators_ + 1), stopped.validation_scores_)
ax.set(xlabel="Round", ylabel="rAUC of the held-out cases")
plt.show()
