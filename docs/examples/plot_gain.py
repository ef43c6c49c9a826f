"""
More cases, or more money?
==========================

If cases differ in value and in cost, the model that finds the most cases is not
necessarily the best. The gain curve shows what a budget achieves.
"""

# %%
# Fraud of all sizes
# ------------------
# One transaction in ten is fraudulent. Processing a fraudulent transaction saves its
# amount; processing any other saves nothing, and both take some time. One ranking is by
# the probability of fraud, the other by the expected savings per hour.

import matplotlib.pyplot as plt
import numpy as np

from skrate import (
    HitCurveDisplay,
    compare,
    expected_gain_score,
    rates,
)

rng = np.random.default_rng(0)
n = 3_000
is_fraud = rng.random(n) < 0.1
amount, hours = rng.lognormal(5, 1, n), rng.lognormal(0, 0.5, n)
gain = np.where(is_fraud, amount, 0)
by_chance = rng.normal(size=n) + 1.5 * is_fraud
by_worth = 1.5 * by_chance + np.log(amount / hours)

# %%
# By the AUC, the first is better:

print(compare("roc_auc", is_fraud, by_worth, by_chance))

# %%
# Savings by share of the hours
# -----------------------------
# By the amount saved, the second is better. The perfect order is by amount per hour,
# with the labels known.

fig, ax = plt.subplots()
for name, scores in {
    "by worth": by_worth,
    "by chance": by_chance,
}.items():
    HitCurveDisplay.from_predictions(
        is_fraud,
        scores,
        gain=gain,
        cost=hours,
        metric="recall",
        name=name,
        ax=ax,
    )

# %%
# With time for about a tenth of the work, the second ranking saves this much more:

budget = rates.beta(8, 72)
print(
    compare(
        expected_gain_score,
        is_fraud,
        by_worth,
        by_chance,
        gain=gain,
        cost=hours,
        rate=budget,
    )
)
plt.show()
