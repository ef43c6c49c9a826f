"""
================================
Better model or more reviewers?
================================

A bank examines the 2 % of its transfers that have the highest scores. A new model finds
more frauds. How many more transfers would have to be examined with the old model to
find as many?
"""

# %%
# The recall of both models
# -------------------------
# The data are simulated: 30,000 transfers, 1 % of them frauds.

import matplotlib.pyplot as plt
import numpy as np

from skrate import compare, compare_curves

rng = np.random.default_rng(0)
n_transfers, rate = 30_000, 0.02
is_fraud = rng.random(n_transfers) < 0.01
old = rng.normal(size=n_transfers) + 1.8 * is_fraud
new = 0.5 * old + rng.normal(size=n_transfers) + 1.7 * is_fraud

comparison = compare(
    "recall_at_rate", is_fraud, new, old, rate=rate
)
print(comparison)

# %%
# The equal budget
# ----------------
# ``equal_budget`` returns the rate at which the old model has the recall that the new
# model has at 2 %, and the ratio of both rates with its interval:

budget = comparison.equal_budget()
print(budget)

# %%
# In the figure, the horizontal distance between the curves is the equal budget. (The
# vertical distance is the difference in recall.)

rates = np.geomspace(0.005, 0.1, 60)
curves = compare_curves(
    is_fraud, new, old, metric="recall", rates=rates
)
_, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(
    100 * rates, curves.value_a, color="#0072B2", label="new model"
)
ax.plot(
    100 * rates,
    curves.value_b,
    "--",
    color="#D55E00",
    label="old model",
)
recall = comparison.value_a
ax.annotate(
    "",
    (100 * budget.rate_b, recall),
    (100 * rate, recall),
    arrowprops={"arrowstyle": "<->", "color": "0.3"},
)
ax.set(
    xlabel="examined transfers in %",
    ylabel="recall",
    xlim=(0, 10),
    ylim=(0, 1),
)
ax.legend(frameon=False)
plt.show()

# %%
# The sentence for the decision
# -----------------------------
# A reviewer examines 100 transfers per day, and there are 20,000 transfers per day:

per_day, per_reviewer = 20_000, 100
reviewers = rate * per_day / per_reviewer
low, high = (x * reviewers for x in budget.confidence_interval)
print(
    f"{reviewers:.0f} reviewers with the new model find as many frauds as "
    f"{budget.value * reviewers:.1f} reviewers with the old one (95 % interval "
    f"{low:.1f} to {high:.1f})."
)
