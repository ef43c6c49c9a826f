"""
==================
What metrics weigh
==================

Most metrics of a ranking are averages over its places, and differ in which places
count. Here they are asked themselves: one positive is moved from the last place up to
each other, and what the metric gains is what it weighs.
"""

# %%
# Moving one positive
# -------------------
# Of 1,000 cases one in ten is positive. All but one positive are in an order that says
# nothing, evenly spread. That one is put at one place after another.

from functools import partial

import matplotlib.pyplot as plt
import numpy as np

import skrate
from skrate import rates

N_CASES = 1_000
PLACES = range(0, N_CASES, 10)


def worth_by_place(metric, n_pos=100, **parameters):
    """Return what a positive adds to the metric, place by place."""
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
# Metrics of lists see short ones: here one item of 20 is relevant. A shorter list, of
# ten items, comes with it.


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
    """Return what places are worth, as a share of the most."""
    return worth / worth.max()


# %%
# What is drawn
# -------------
# The line is what a positive at each place is worth, as a share of the most. The shade
# is how steep it is: what moving up by one place is worth there, hence where a wrong
# order costs most. A dashed line is a second case, told above its panel.

LINE, SHADE, OTHER = "#0072B2", "#56B4E9", "#D55E00"


def panel(title, x, worth, other=None):
    """Draw what a metric weighs, a second case as a dashed line."""
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
    ax.set_xlabel("share of cases above", fontsize=15)
    ax.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])


def panel_of_list(title, *worth):
    """Draw the panel of a metric of lists."""
    ax = panel(title, np.arange(1, 21), *worth)
    ax.set_xlabel("place in the list", fontsize=15)
    ax.set_xticks([1, 5, 10, 15, 20])


# %%
# All places, or those that a budget reaches
# ------------------------------------------
# The AUC weighs all places alike. Where a budget is known, what counts is the
# probability that a place is processed, and a wrong order costs most where the budget
# probably ends: of the rate-weighted AUC and the expected recall alike, here for an
# early and for a late budget. Recall at k sees one cut, here at a fifth of all cases.
# The gain is the same as the expected recall, times what a case is worth (dashed: a
# third).

early, late = rates.beta(6.23, 32.80), rates.beta(20, 20)

worth = worth_by_place(skrate.ranking_auc_score)
panel_of_places("ranking_auc_score\nAUC", share(worth))

worth = worth_by_place(skrate.rate_weighted_auc_score, rate=early)
panel_of_places("rate_weighted_auc_score\nrAUC", share(worth))

worth = worth_by_place(skrate.expected_recall_score, rate=late)
title = "expected_recall_score\nexpected recall"
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
# The top, or the last ones
# -------------------------
# Without a budget, these weigh the top: average precision the more the rarer positives
# are (dashed: every second case is one), the partial AUC up to a false positive rate
# that is chosen, here 0.1, and BEDROC, an rAUC of an exponential rate, at a pace that
# is chosen. The partial AUC from a true positive rate of 0.9 on (dashed), and the work
# saved at a recall of 95 %, see to it that the last ones are not too late.

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
# The NDCG weighs a place by its logarithm, the reciprocal rank by its number. The AUC
# within lists weighs the places of a list alike, and each list as much as any other,
# also the shorter one (dashed).

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
