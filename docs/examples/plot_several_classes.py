"""
Three queues of tickets
=======================

A model classifies the tickets of a help desk. Bugs go to the developers, questions
about prices to sales, abuse to a lawyer, and each team has time for some share of all
tickets: three rankings, three budgets. Which of two models should fill the queues?
"""

# %%
# The tickets and the budgets
# ---------------------------
# Most tickets are bugs; the lawyer has time for very few.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from skrate import (
    RateWeightedAUCScorer,
    hit_curve,
    rates,
    recall_at_rate_score,
)

X, kind = make_classification(
    4_000,
    n_features=20,
    n_informative=8,
    n_classes=3,
    weights=[0.7, 0.22, 0.08],
    class_sep=0.8,
    random_state=4,
)
kinds = np.array(["bug", "price", "abuse"])
X_train, X_test, y_train, y_test = train_test_split(
    X, kinds[kind], test_size=2_000, random_state=0
)
budget = {
    "bug": rates.beta(16, 16),
    "price": rates.beta(6, 24),
    "abuse": rates.beta(4, 96),
}

# %%
# One number for all queues, or one per queue
# -------------------------------------------
# The scorer accepts one rate per class, and averages over the queues with equal
# weights. For a single queue, compute its recall:

models = {
    "logistic regression": LogisticRegression(max_iter=1_000),
    "random forest": RandomForestClassifier(random_state=0),
}
scorer = RateWeightedAUCScorer(rate=budget, average="macro")
own = {"rate": budget, "average": None}
y_scores = {}
for name, model in models.items():
    model.fit(X_train, y_train)
    y_score = y_scores[name] = model.predict_proba(X_test)
    print(f"{name}: rAUC {scorer(model, X_test, y_test):.3f}")
    found = recall_at_rate_score(y_test, y_score, **own)
    for label, recall in zip(model.classes_, found, strict=True):
        print(f"    {label:6} {recall:.0%} found")

# %%
# Results by queue
# ----------------
# The figure shows the share found by the share processed; the shaded peak is the
# budget.

fig, axes = plt.subplots(1, 3, figsize=(10, 3.9), sharey=True)
styles = [("#0072B2", "--"), ("#D55E00", "-")]
at = np.linspace(0, 1, 400)
for ax, label in zip(axes, kinds, strict=True):
    density = budget[label].density(at)
    ax.fill_between(at, 0.3 * density / density.max(), color="0.8")
    is_kind = y_test == label
    column = list(model.classes_).index(label)
    for (color, line), name in zip(styles, models, strict=True):
        y_score = y_scores[name][:, column]
        rate, hits = hit_curve(is_kind, y_score)
        found = hits / hits[-1]
        ax.plot(rate, found, line, color=color, lw=2.5, label=name)
    ax.set_title(label, fontsize=16)
    ax.set(xlim=(0, 1), ylim=(0, 1.02), xticks=[0, 0.5, 1])
    ax.tick_params(labelsize=12)
axes[1].set_xlabel("fraction processed", fontsize=14)
axes[0].set_ylabel("fraction found", fontsize=14)
axes[-1].legend(loc="lower right", fontsize=11)
fig.tight_layout()
plt.show()
