"""
==============================
Which positions metrics weight
==============================

Most ranking metrics are averages over positions, with different weights. This example
shows the weights: we move one positive from the last position to each other position,
and plot how much the metric gains.
"""

# %%
# Moving one positive
# -------------------
# Of 1,000 cases, one in ten is positive. All positives except one are evenly spread
# over the ranking. We put the remaining one at each position in turn.

from functools import partial

import matplotlib.pyplot as plt
import numpy as np

import skrate
from skrate import rates

N_CASES = 1_000
PLACES = range(0, N_CASES, 10)


def worth_by_place(metric, n_pos=100, **parameters):
    """Return the gain in the metric for each position."""
    spacing = N_CASES // n_pos
    others = np.zeros(N_CASES - 1, int)
    others[spacing // 2 :: spacing][: n_pos - 1] = 1
    y_score = -np.arange(N_CASES)
    values = []
    for place in PLACES:
        y_true = np.insert(others, place, 1)
        values.append(metric(y_true, y_score, **parameters))
    return np.array(values) - values[-1]


# %%
# Metrics of lists are for short rankings: here one item of 20 is relevant, and a second
# list has ten items.


def worth_in_list(metric, n=20):
    """Return what the relevant item of a list of n items adds."""
    groups = np.repeat([0, 1], [n, 30 - n])
    in_list = groups == 0
    y_true = np.zeros(30, int)
    y_true[n] = 1  # the first item of the other list
    y_score = np.where(in_list, -np.arange(30), n - np.arange(30))
    values = []
    for place in range(n):
        moved = y_true + (np.arange(30) == place)
        values.append(metric(moved, y_score, groups=groups))
    return np.array(values) - values[-1]


def share(worth):
    """Return gains as shares of the maximum."""
    return worth / worth.max()


# %%
# How to read the charts
# ----------------------
# The line is the gain for a positive at each position, as a share of the maximum. The
# shading is the slope of the line, the gain from moving up by one position: misordering
# costs most where the shading is high. A dashed line is a second setting, described in
# the text.

LINE, SHADE, OTHER = "#0072B2", "#56B4E9", "#D55E00"


def panel(title, x, worth, other=None):
    """Draw the weights of a metric; dashed, a second setting."""
    fig = plt.figure(figsize=(4, 3.2), layout="constrained")
    ax = fig.add_subplot()
    steps = share(-np.diff(worth))
    ax.stairs(steps, x, fill=True, color=SHADE, alpha=0.4)
    ax.plot(x, worth, color=LINE, linewidth=3)
    if other is not None:
        x = x[: len(other)]
        ax.plot(x, other, "--", color=OTHER, linewidth=3)
    ax.set_title(title, fontsize=16)
    ax.set_yticks([0, 1])
    ax.set_ylim(-0.03, 1.08)
    ax.tick_params(labelsize=15)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def panel_of_places(title, *worth):
    """Draw the panel of a metric of one ranking."""
    ax = panel(title, np.array(PLACES) / N_CASES, *worth)
    ax.set_xlabel("fraction of samples above", fontsize=15)
    ax.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])


def panel_of_list(title, *worth):
    """Draw the panel of a metric of lists."""
    ax = panel(title, np.arange(1, 21), *worth)
    ax.set_xlabel("position in the list", fontsize=15)
    ax.set_xticks([1, 5, 10, 15, 20])


# %%
# All positions, or those within a budget
# ---------------------------------------
# The AUC weights all positions equally. The rate-weighted AUC and the expected recall
# weight each position by the probability that it is processed, so misordering costs
# most at the positions at which the budget is likely to end, here for a small and for a
# large budget. Recall at k depends on a single cut, here at a fifth of all cases. The
# gain is the expected recall times the value of a case (dashed: a third).

early, late = rates.beta(6.23, 32.80), rates.beta(20, 20)

worth = worth_by_place(skrate.ranking_auc_score)
panel_of_places("ranking_auc_score\nAUC", share(worth))

worth = worth_by_place(skrate.rate_weighted_auc_score, rate=early)
panel_of_places("rate_weighted_auc_score\nrAUC", share(worth))

worth = worth_by_place(skrate.recall_at_rate_score, rate=late)
title = "recall_at_rate_score\nexpected recall"
panel_of_places(title, share(worth))

worth = worth_by_place(skrate.recall_at_rate_score, rate=0.2)
panel_of_places("recall_at_rate_score\nrecall at k", share(worth))


def gain_of(worth, y_true, y_score):
    """Return what is gained by positives that are worth as much."""
    sums = {"gain": worth * y_true, "rate": early}
    return skrate.expected_gain_score(y_true, y_score, **sums)


one = worth_by_place(partial(gain_of, 1))
third = worth_by_place(partial(gain_of, 1 / 3))
title = "expected_gain_score\ngain"
panel_of_places(title, share(one), third / one.max())

# %%
# The top, or the last positives
# ------------------------------
# These metrics weight the top without a budget: average precision, more so if positives
# are rare (dashed: every second case is positive); the partial AUC up to a chosen false
# positive rate, here 0.1; and BEDROC, an rAUC under an exponential distribution of the
# rate. The partial AUC above a true positive rate of 0.9 (dashed) and the work saved at
# a recall of 95 % depend on the positions of the last positives.

rare = worth_by_place(skrate.average_precision_score)
common = worth_by_place(skrate.average_precision_score, n_pos=500)
title = "average_precision_score\nAP"
panel_of_places(title, share(rare), share(common))

early_part = worth_by_place(skrate.partial_auc_score, fpr=(0, 0.1))
late_part = worth_by_place(skrate.partial_auc_score, tpr=(0.9, 1))
title = "partial_auc_score\npartial AUC"
panel_of_places(title, share(early_part), share(late_part))

paced = rates.exponential(20)
worth = worth_by_place(skrate.rate_weighted_auc_score, rate=paced)
panel_of_places("rate_weighted_auc_score\nBEDROC", share(worth))

worth = worth_by_place(skrate.work_saved_score, recall=0.95)
panel_of_places("work_saved_score\nWSS at 95 %", share(worth))

# %%
# Within lists
# ------------
# The NDCG discounts a position by its logarithm, the reciprocal rank by the position
# itself. The AUC within lists weights the positions in a list equally, and all lists
# equally, also the shorter one (dashed).

worth = worth_in_list(skrate.ndcg_score)
panel_of_list("ndcg_score\nNDCG", share(worth))

worth = worth_in_list(skrate.reciprocal_rank_score)
title = "reciprocal_rank_score\nreciprocal rank"
panel_of_list(title, share(worth))

long = worth_in_list(skrate.ranking_auc_score)
short = worth_in_list(skrate.ranking_auc_score, n=10)
title = "ranking_auc_score\nAUC within lists"
panel_of_list(title, share(long), share(short))

# sphinx_gallery_thumbnail_number = 2
