"""
===========================
Ranking within users' lists
===========================

A recommender shows each user twenty items. The probability of a click depends on the
user, because some users click a lot, and on how well item and user match. Only the
match helps to order a list. Which metric shows this?
"""

# %%
# Lists that differ in level
# --------------------------
# Each user has a click rate, from near 0 to near 1, and a taste. One model knows the
# click rates, another the tastes, a third some of both.

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
# On the pooled rows, the model that knows the user is by far the best. But within a
# list, the user is always the same, so this model is no better than chance, and the
# model that knows the match is the best.

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
# Undefined lists
# ---------------
# Many users click on nothing, a few on everything. The AUC is undefined for their
# lists. By default these are left out; if you count them as one half, every model moves
# towards the middle; if you count them as zero, all values fall.

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
# Uncertainty, and variation between lists
# ----------------------------------------
# The standard error is computed across lists. Many lists have a single click and carry
# little information; weighting by pairs takes this into account.

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
            color="#0072B2" if offset < 0 else "#D55E00",
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
# The decision: ship the model that knows the match, because its interval within lists
# is above the others. By the pooled AUC, you would have shipped the model that is no
# better than chance within lists.
plt.show()
