"""
How many cases must be labelled?
================================

A hospital will replace the model that ranks its referrals if the new one finds more
urgent cases. Each label takes a physician a quarter of an hour. How many referrals must
be labelled to decide?
"""

# %%
# A pilot
# -------
# 1,000 referrals are labelled, 80 of them urgent, and about a tenth of all referrals
# can be seen at once. The pilot is too small to show whether the new model finds more:

import matplotlib.pyplot as plt
import numpy as np

from skrate import compare, rates, recall_at_rate_score, sample_size

rng = np.random.default_rng(5)
urgent = np.arange(1_000) < 80
shared, of_new, of_old = rng.normal(size=(3, 1_000))
new = 0.8 * shared + 0.6 * of_new + 1.5 * urgent
old = 0.8 * shared + 0.6 * of_old + 1.3 * urgent
pilot = recall_at_rate_score, urgent, new, old
budget = rates.beta(9, 81)

found = compare(*pilot, rate=budget)
print(f"{found:.3f[]}, p = {found.pvalue:.2f}")

# %%
# What difference would matter?
# -----------------------------
# Do not plan for the difference in the pilot, which is uncertain, but for the smallest
# difference that would change the decision, such as 5 points of recall. From the
# pilot's variance, these sizes have a power of 80 %:

plans = {}
for points in (3, 5, 8):
    given = {"difference": points / 100, "rate": budget}
    plans[points] = sample_size(*pilot, **given)
    print(f"{points} points: {plans[points].n:,}")

# %%
# Power by sample size
# --------------------
# Each line is for one true difference, and each dot is the size with 80 % power. A test
# set as large as the pilot has a power of about 25 % for a difference of 5 points.

fig, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
for points, plan in plans.items():
    plan.plot(ax, name=f"{points} points")
ax.set(xlim=(0, 20_000), xlabel="referrals labelled")
plt.show()
