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

from skrate import expected_recall_score, rates

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
axes[-1].set_xlabel("share of the ranking above", fontsize=13)
axes[2].set_ylabel("probability that it is read", fontsize=13)
fig.tight_layout()

# %%
# The remaining assumption
# ------------------------
# Hours and bounds of the cost give two quantiles; the beta distribution through them is
# an assumption. Over *all* distributions with these quantiles, the expected recall of a
# ranking lies in a range. The range is narrower if the density has a single peak,
# between 10 and 20 %:

rng = np.random.default_rng(0)
belongs = rng.random(n_items) < 0.06
y_score = rng.normal(size=n_items) + 1.8 * belongs


def found(rate, worst=None):
    """Return the share that is found of what belongs."""
    given = {"rate": rate, "worst": worst}
    return expected_recall_score(belongs, y_score, **given)


hours = known["120 hours"]
low, high = hours.ppf([0.025, 0.975])
quantiles = {0.025: low, 0.975: high}
print(f"the beta: {found(hours):.2f}")
for mode in (None, (0.1, 0.2)):
    laws = rates.between(quantiles, mode=mode)
    least, most = found(laws, "low"), found(laws, "high")
    print(f"mode={mode}: {least:.2f} to {most:.2f}")

# %%
# :func:`~skrate.compare` compares two models over such a set. If one is better under
# every distribution in the set, the assumption does not matter:
# :ref:`sphx_glr_auto_examples_plot_crossing_curves.py`.
plt.show()
