"""
How many cases must be labelled?
================================

A hospital may replace the model that ranks its referrals, if the
new one finds more. Each label takes a physician a quarter of an
hour. How many referrals must be labelled to know?
"""

# %%
# A pilot
# -------
# 1,000 referrals are labelled, 80 of them urgent, and about a tenth
# of all can be seen at once. The pilot alone does not tell whether
# the new model finds more:

import matplotlib.pyplot as plt
import numpy as np

from skrate import (
    compare,
    expected_recall_score,
    rates,
    sample_size,
)

rng = np.random.default_rng(5)
urgent = np.arange(1_000) < 80
shared, of_new, of_old = rng.normal(size=(3, 1_000))
new = 0.8 * shared + 0.6 * of_new + 1.5 * urgent
old = 0.8 * shared + 0.6 * of_old + 1.3 * urgent
pilot = expected_recall_score, urgent, new, old
budget = rates.beta(9, 81)

found = compare(*pilot, rate=budget)
print(f"{found:.3f[]}, p = {found.pvalue:.2f}")

# %%
# What difference would matter?
# -----------------------------
# Not that of the pilot, which is uncertain, but the one by which it
# would be decided: 5 points of recall, say. What the pilot does
# tell is how much the models vary from case to case. By that, for a
# probability of 80 % that the test finds a difference:

plans = {}
for points in (3, 5, 8):
    given = {"difference": points / 100, "rate": budget}
    plans[points] = sample_size(*pilot, **given)
    low, high = plans[points].n_interval
    n = plans[points].n
    print(f"{points} points: {n:,} ({low:,.0f} to {high:,.0f})")

# %%
# How probable is a result?
# -------------------------
# A line is a difference that there may be. A bar is where the size
# for 80 % may lie, as far as the pilot tells. As many labels as in
# the pilot find 5 points in about one test set of four.

sizes = np.unique(np.geomspace(1_000, 30_000, 12).astype(int))
styles = [("#D55E00", ":"), ("#0072B2", "-"), ("#009E73", "--")]
fig, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
for style, points in zip(styles, plans, strict=True):
    (color, line), plan = style, plans[points]
    given = {"difference": points / 100, "rate": budget}
    shown = [sample_size(*pilot, n_cases=n, **given) for n in sizes]
    powers = [test.power for test in shown]
    label = f"{points} points"
    ax.plot(sizes, powers, line, color=color, lw=2.5, label=label)
    ends = plan.n_interval
    ax.plot(ends, [0.8, 0.8], color=color, lw=6, alpha=0.4)
    ax.plot(plan.n, 0.8, "o", color=color, markersize=8)
ax.axhline(0.8, color="0.6", lw=0.8, zorder=0)
ax.set(xscale="log", ylim=(0, 1.02))
ax.set_xticks([1_000, 3_000, 10_000, 30_000])
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.minorticks_off()
ax.tick_params(labelsize=12)
ax.set_xlabel("referrals labelled", fontsize=13)
ax.set_ylabel("probability that it is found", fontsize=13)
legend = {"title": "difference", "fontsize": 12}
ax.legend(loc="lower right", title_fontsize=12, **legend)
plt.show()
