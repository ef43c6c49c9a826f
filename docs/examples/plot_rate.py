"""
From what you know to a budget
==============================

A search returned 2,500 articles, and not all of them will be read. You may know the
hours available, a rough number, or last year's shares. Each gives a distribution of the
rate.
"""

# %%
# Five kinds of knowledge
# -----------------------
# One coordinator has 120 hours, and an article takes 10 to 45 minutes on average.
# Another expects to read 200 to 600 articles. A third knows the shares read in twelve
# past reviews. A fourth plans for a small team that gets help one time in five. And a
# fifth knows nothing.

import matplotlib.pyplot as plt
import numpy as np

from skrate import rates, recall_at_rate_score

n_items = 2_500
past = [0.12, 0.10, 0.15, 0.11, 0.09, 0.14]
past += [0.13, 0.10, 0.18, 0.12, 0.11, 0.16]
team = [rates.beta(8, 72), rates.beta(30, 70)]
known = {
    "120 hours": rates.from_budget(7_200, n_items, cost=(10, 45)),
    "200 to 600": rates.from_counts(200, 600, n_items=n_items),
    "twelve past shares": rates.empirical(past),
    "a team, or with help": rates.mixture(team, weights=[4, 1]),
    "nothing": rates.uniform(),
}
for name, rate in known.items():
    low, high = rate.ppf([0.025, 0.975])
    print(f"{name:20} {rate.mean():.3f} ({low:.3f} to {high:.3f})")

# %%
# How a metric uses the rate
# --------------------------
# A metric needs only the probability that the article at each position is read (the
# line). The shading shows where reading is likely to end. In all panels except the
# last, the lower half of the ranking hardly matters.

fig, axes = plt.subplots(len(known), 1, figsize=(7, 6), sharex=True)
edges = np.linspace(0, 1, 101)
shade = {"fill": True, "color": "#E69F00", "alpha": 0.6}
for ax, (name, rate) in zip(axes, known.items(), strict=True):
    ends = -np.diff(rate.survival(edges))
    ax.stairs(ends / ends.max(), edges, **shade)
    at = np.linspace(0, 1, 1_001)
    ax.plot(at, rate.survival(at), color="#0072B2", linewidth=2.5)
    ax.set_title(name, loc="right", y=0.62, fontsize=14)
    ax.set(xlim=(0, 1), ylim=(0, 1.1), yticks=[0, 1])
    ax.spines[["top", "right"]].set_visible(False)
axes[-1].set_xlabel("fraction of the ranking above", fontsize=13)
axes[2].set_ylabel("probability that it is read", fontsize=13)
fig.tight_layout()

# %%
# The remaining assumption
# ------------------------
# Hours and bounds of the cost give two quantiles; the beta distribution through them is
# an assumption. A higher rate never finds less. So under *every* distribution within
# the two bounds, the expected recall of a ranking lies between its recall at the lower
# and at the upper bound:

rng = np.random.default_rng(0)
belongs = rng.random(n_items) < 0.06
y_score = rng.normal(size=n_items) + 1.8 * belongs
hours = known["120 hours"]
low, high = hours.ppf([0.025, 0.975])
for rate in (hours, low, high):
    print(
        f"{recall_at_rate_score(belongs, y_score, rate=rate):.2f}"
    )

# %%
# For the difference between two models, see the band over a range of rates:
# :ref:`sphx_glr_auto_examples_plot_crossing_curves.py`.
plt.show()
