"""
How much must be read to find nearly all?
=========================================

A systematic review must not miss articles. Before reading begins, two models are
compared on an earlier review, whose labels are known. What share must be read to find
95 %, how uncertain is it, and which model needs less reading?
"""

# %%
# Two rankings of one review
# --------------------------
# Of 6,000 articles, one in twelve is relevant. The quick model ranks most of these very
# high, but fails to recognise every sixth. The thorough model is less precise at the
# top, but recognises all.

import matplotlib.pyplot as plt
import numpy as np

from skrate import (
    compare,
    estimate,
    hit_curve,
    rate_at_recall_score,
    work_saved_score,
)

rng = np.random.default_rng(0)
belongs = rng.random(6_000) < 1 / 12
is_seen = belongs & (rng.random(6_000) < 5 / 6)
noise = rng.normal(size=(2, 6_000))
models = {
    "quick": noise[0] + 3 * is_seen,
    "thorough": noise[1] + 2.2 * belongs,
}

# %%
# What must be read
# -----------------
# The curves cross: for a recall of 50 %, the quick model needs less reading, for 95 %
# far more. A bar is the 95 % interval of the share that must be read. The horizontal
# distance to the dotted line, a random order, is the work saved.

styles = {"quick": ("#D55E00", "--"), "thorough": ("#0072B2", "-")}
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
for name, y_score in models.items():
    color, line = styles[name]
    read, hits = hit_curve(belongs, y_score)
    found = hits / hits[-1]
    ax.plot(read, found, line, color=color, lw=2, label=name)
    seen = belongs, y_score
    for recall in (0.5, 0.8, 0.95):
        cost = estimate(rate_at_recall_score, *seen, recall=recall)
        ends = cost.confidence_interval
        height = recall + {"quick": 0.01, "thorough": -0.01}[name]
        ax.plot(ends, [height] * 2, color=color, lw=4)
        print(f"{name:8} {recall:.0%} found: {cost:.3f[]} read")
ax.plot([0, 1], [0, 1], ":", color="0.4", label="random order")
ax.axhline(0.95, color="0.6", lw=0.8)
ax.text(0.01, 0.955, "95 % found", fontsize=12)
ax.set(xlim=(0, 1), ylim=(0, 1.02))
ax.set_xlabel("fraction read", fontsize=13)
ax.set_ylabel("fraction found", fontsize=13)
ax.legend(loc="lower right", fontsize=12)

# %%
# Which model?
# ------------
# Both models rank the same articles, so the test is paired. The AUC shows a smaller
# difference:

for metric, given in (
    (work_saved_score, {"recall": 0.95}),
    ("roc_auc", {}),
):
    test = compare(metric, belongs, *models.values(), **given)
    print(f"{test.metric}: {test:.3f[]}, p = {test.pvalue:.2g}")

# %%
# These results are for planning. To show during a review that 95 % *were* found, see
# :ref:`sphx_glr_auto_examples_plot_stopping.py`.
plt.show()
