"""
Scores with few bits
====================

Many networks return probabilities in half precision. A confident network gives many
cases a probability near 1, which is rounded to exactly 1, so the top of the ranking is
one large tie. How much does this cost, and what do programs report that simply sort?
"""

# %%
# A confident network
# -------------------
# The scores are exaggerated logits of 20,000 cases, one in five of them positive. About
# 3 % of the cases can be processed. The significand has 24 bits in float32, 11 in
# float16 and 8 in bfloat16, which NumPy does not support, so we round by hand.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from skrate import rate_weighted_auc_score, rates


def in_bfloat16(values):
    """Round to bfloat16, as float32 without its last 16 bits."""
    bits = values.astype(np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16
    return bits.view(np.float32)


rng = np.random.default_rng(0)
y_true = rng.random(20_000) < 0.2
logit = 4 * rng.normal(size=20_000) + 5 * y_true
budget = rates.beta(6, 194)
formats = {
    "bfloat16": in_bfloat16,
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
}

# %%
# The metric, and the order of ties
# ---------------------------------
# skrate returns the mean over all orders of tied cases. The result of a program that
# simply sorts depends on the order of the rows: here either all positives come first,
# or all come last.

by_label = np.argsort(~y_true, kind="stable")


def rauc(scores):
    """Return the metric."""
    return rate_weighted_auc_score(y_true, scores, rate=budget)


def as_sorted(scores, order):
    """Return the metric if ties stay in the given order."""
    given = -scores[order].astype(float)
    ranking = order[np.argsort(given, kind="stable")]
    place = np.argsort(ranking)
    return rauc(-place)


outputs = {"probability": expit(logit), "logit": logit}
found = {}
print("                           tied on top    rAUC    if sorted")
for output, exact in outputs.items():
    for name, rounded in formats.items():
        scores = rounded(exact)
        n_tied = np.sum(scores == scores.max())
        first = as_sorted(scores, by_label)
        last = as_sorted(scores, by_label[::-1])
        found[output, name] = rauc(scores), last, first
        row = "{:12}{:10}{:13}{:11.3f}{:8.3f}{:6.3f}"
        values = output, name, n_tied, *found[output, name]
        print(row.format(*values))

# %%
# In bfloat16, an eighth of all cases have a probability of 1, four times as many as can
# be processed. Depending on the order of the rows, a program that sorts may report
# anything from 0 to a perfect value. The mean over all orders is the expected result,
# but the network could rank better. Logits keep enough bits at the top, so rank by
# these.

panels = {"figsize": (7.5, 3.4), "layout": "constrained"}
_, axes = plt.subplots(1, 2, sharex=True, sharey=True, **panels)
bar = {"linewidth": 9, "color": "#E69F00"}
bar["solid_capstyle"] = "butt"
dot = {"markersize": 8, "color": "#0072B2"}
for ax, output in zip(axes, outputs, strict=True):
    for name in formats:
        value, *ends = found[output, name]
        (as_it_comes,) = ax.plot(ends, [name, name], **bar)
        (mean,) = ax.plot(value, name, "o", **dot)
    ax.set(title=output, xlabel="rAUC", xlim=(-0.04, 1.04))
axes[0].set_ylim(3.5, -0.5)
entries = ["any order of ties", "mean over them"]
axes[1].legend([as_it_comes, mean], entries, loc="center left")
plt.show()
