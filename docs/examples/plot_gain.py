"""
More frauds, or more money?
===========================

Where cases differ in what they are worth and in what they cost, the model that finds
most of them need not be the one to take. The curve of gain shows what a budget buys.
"""

# %%
# Frauds of all sizes
# -------------------
# One transaction in ten is a fraud. Processing it saves its amount, and takes some
# time; processing any other saves nothing. One ranking is by how probable a fraud is,
# the other by what is to be expected per hour.

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
# By the AUC the first is better:

print(compare("roc_auc", is_fraud, by_worth, by_chance))

# %%
# What a share of the hours buys
# ------------------------------
# Not so by what is saved. The perfect order is by amount per hour, too, and knows who
# is a fraud.

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
        kind="gains",
        name=name,
        ax=ax,
    )

# %%
# There is time for about a tenth of the work. That much more is saved:

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
