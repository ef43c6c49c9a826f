"""
=============================
Lists in order, users by list
=============================

A recommender shows each user twenty items. Whether a click is likely depends on the
user, some of whom click much, and on how item and user match. Only the second can be
used to order a list. Which metric sees it?
"""

# %%
# Lists that differ in level
# --------------------------
# Each user has a level of clicking, from hardly ever to nearly always, and a taste.
# One model knows the levels, another the tastes, a third a little of both.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

from skrate import group_scores, ranking_auc_score

rng = np.random.default_rng(0)
n_users, n_items = 2_000, 20
user = np.repeat(np.arange(n_users), n_items)
level = np.repeat(rng.normal(-1.5, 2, n_users), n_items)
match = rng.normal(size=user.size)
clicked = rng.random(user.size) < 1 / (1 + np.exp(-level - match))

models = {
    "knows the user": level + rng.normal(0, 0.5, user.size),
    "knows the match": match + rng.normal(0, 0.7, user.size),
    "knows a little": level + match + rng.normal(0, 2.5, user.size),
}

# %%
# On all rows, the model that knows the user wins by far. It orders no list: within
# one, where the user is always the same, it is as good as chance, and the model that
# knows the match is the best.

values = {}
print(f"{'':20}{'all rows':>10}{'in lists':>10}{'top 5':>8}")
for name, score in models.items():
    pooled = roc_auc_score(clicked, score)
    within = ranking_auc_score(clicked, score, groups=user)
    top = ranking_auc_score(clicked, score, groups=user, k=5)
    values[name] = pooled, within, top
    print(f"{name:20}{pooled:10.3f}{within:10.3f}{top:8.3f}")

_, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
colors = ("#D55E00", "#0072B2", "#009E73")
styles = ("o--", "s-", "^:")
for name, color, style in zip(values, colors, styles, strict=True):
    ax.plot(
        values[name], style, color=color, label=name, markersize=8
    )
ax.set_xticks(range(3), ["all rows", "in lists", "top 5 of lists"])
ax.set(ylabel="AUC", xlim=(-0.2, 2.2))
ax.legend(frameon=False)

# %%
# What the undefined lists are worth
# ----------------------------------
# Many users click on nothing, a few on everything. Their lists have no order to judge.
# Left out, as by default, they change nothing; counted one half, they draw every model
# to the middle; counted zero, they draw all down.

score = models["knows the match"]
lists = group_scores("roc_auc", clicked, score, groups=user)
print(
    f"{len(lists.groups)} lists: "
    f"{lists.n_defined} with both classes, "
    f"{lists.n_all_negative} without a click, "
    f"{lists.n_all_positive} of clicks only"
)
for undefined in ("skip", 0.5, 0):
    value = ranking_auc_score(
        clicked, score, groups=user, undefined=undefined
    )
    print(f"undefined={undefined!r:7} {value:.3f}")

# %%
# How sure, and how it differs from list to list
# ----------------------------------------------
# The standard error is over lists: a list of one click says little, and there are many
# of these. By pairs, lists count by what they say.

fig, (left, right) = plt.subplots(
    1, 2, figsize=(9, 3.6), layout="constrained"
)
bounds = np.linspace(0, 1, 21)
few = lists.n_pos <= 2
left.hist(
    [lists.values[few], lists.values[~few]],
    bins=bounds,
    stacked=True,
    label=["one or two clicks", "more clicks"],
)
left.set(
    xlabel="AUC of the list",
    ylabel="Lists",
    title="One model, many lists",
)
left.legend(loc="upper left")

averages = ("macro", "size", "positives", "pairs")
for place, average in enumerate(averages):
    for offset, name in (
        (-0.12, "knows the match"),
        (0.12, "knows a little"),
    ):
        scores = group_scores(
            "roc_auc", clicked, models[name], groups=user
        )
        mean = scores.estimate(average)
        low, high = mean.confidence_interval
        right.errorbar(
            place + offset,
            mean.value,
            yerr=[[mean.value - low], [high - mean.value]],
            fmt="o",
            color="C0" if offset < 0 else "C1",
            capsize=3,
            label=name if place == 0 else None,
        )
right.set_xticks(range(len(averages)), averages)
right.set(
    xlabel="average",
    ylabel="AUC within lists",
    title="Averages, 95 % intervals",
)
right.legend(loc="center right")

# %%
# The decision: ship the model that knows the match, whose interval within lists lies
# above the others'. The AUC of all rows would have shipped the model that orders no
# list.
plt.show()
