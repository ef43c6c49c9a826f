"""
One error for all statements
============================

A project states the AUC of its selected model, the number of cases that its threshold
marks, and the recall reached, each with 95 % confidence. How often are all statements
true?
"""

# %%
# A project makes three statements. ``ErrorBudget`` divides an error of 0.05 between
# them.
import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin

from skrate import (
    ConstrainedThresholdClassifier,
    ErrorBudget,
    select_best,
)
from skrate.review import recall_certificate

NAMES = ["selection", "capacity", "certificate"]
budget = ErrorBudget(0.05)
split = [
    budget.spend(name, error)
    for name, error in zip(NAMES, [0.02, 0.015, 0.015], strict=True)
]
print(budget)

# %%
# Many projects
# -------------
# Ten models are equally good. The best on 300 cases scores 500 held-out cases, from
# which we find a threshold that marks at most 300 of the next 1,000. A third of the
# unmarked cases is read as well.


class Scored(ClassifierMixin, BaseEstimator):
    """A fitted model whose only feature is the score."""

    classes_ = np.array([False, True])

    def fit(self, X, y):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def decision_function(self, X):
        return X[:, 0]


def drawn(rng, n, n_models=1):
    """Return labels, and the scores of some models."""
    y = rng.random(n) < 0.2
    return y, 1.5 * y[:, None] + rng.normal(size=(n, n_models))


def false_statements(seed, levels):
    """Return which statements of a project are false."""
    rng = np.random.default_rng(seed)
    y, scores = drawn(rng, 300, 10)
    best = select_best(
        "roc_auc",
        scores,
        y,
        confidence_level=levels[0],
        n_resamples=100,
        random_state=0,
    )
    low, high = best.confidence_interval
    y, scores = drawn(rng, 500)
    model = ConstrainedThresholdClassifier(
        Scored(),
        cv="prefit",
        capacity=300,
        n_items=1000,
        confidence=levels[1],
    ).fit(scores, y)
    y, scores = drawn(rng, 1000)
    is_marked = model.predict(scores)
    found, unread = (
        y[is_marked].sum(),
        rng.permutation(y[~is_marked]),
    )
    hits = unread[: len(unread) // 3].sum()
    certificate = recall_certificate(
        found,
        len(unread),
        len(unread) // 3,
        hits,
        confidence_level=levels[2],
    )
    return [
        not low <= stats.norm.cdf(1.5 / np.sqrt(2)) <= high,
        is_marked.sum() > 300,
        (found + hits) / y.sum() < certificate.lower_bound,
    ]


ways = {"each at 95 %": [0.95] * 3, "0.05 split": split}
false = {
    way: np.array(
        [false_statements(seed, levels) for seed in range(120)]
    )
    for way, levels in ways.items()
}

# %%
# Each square is a project. Without the split, more than one project in twenty makes a
# false statement.
fig, axes = plt.subplots(
    1, 2, figsize=(7, 3.2), layout="constrained"
)
colours = ["0.88", "C0", "C1", "C3", "black"]
for ax, (way, wrong) in zip(axes, false.items(), strict=True):
    number = wrong.sum(axis=1)
    shown = np.where(number == 0, 0, 1 + wrong.argmax(axis=1))
    shown[number > 1] = 4
    for kind, colour in enumerate(colours):
        (places,) = np.nonzero(shown == kind)
        ax.scatter(
            places % 15,
            -(places // 15),
            marker="s",
            s=100,
            c=colour,
        )
    any_false = np.mean(number > 0)
    ax.set_title(
        f"{way}: {100 * any_false:.1f} % of projects wrong"
    )
    ax.set_aspect("equal")
    ax.set_axis_off()
    print(f"{way}: false in {wrong.mean(axis=0).round(3)}")
kinds = [
    "all true",
    *(f"{name} false" for name in NAMES),
    "several false",
]
handles = [
    plt.Line2D(
        [], [], marker="s", linestyle="", color=colour, label=kind
    )
    for colour, kind in zip(colours, kinds, strict=True)
]
fig.legend(
    handles=handles,
    loc="outside lower center",
    ncols=3,
    frameon=False,
)
plt.show()
