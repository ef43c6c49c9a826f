"""
The AUC prefers the wrong model
===============================

Curves that cross have two answers to "which model is better?". The AUC gives
the answer for a budget that nobody has.
"""

# %%
# Two models
# ----------
# One case in ten is positive. Model A recognises a bit more than half of the positives
# for certain, and nothing about the others; model B finds all of them somewhat more
# likely. Both see the same noise in part, as models of the same data do.

import matplotlib.pyplot as plt
import numpy as np

from skrate import (
    compare,
    compare_curves,
    expected_recall_score,
    rates,
)
from skrate.displays import CurveComparisonDisplay

rng = np.random.default_rng(0)
n = 6_000
y_true = rng.random(n) < 0.1
shared, of_a, of_b = rng.normal(size=(3, n)) * [[0.6], [0.8], [0.8]]
model_a = (
    shared
    + of_a
    + np.where(y_true & (rng.random(n) < 0.6), 3.0, 0.0)
)
model_b = shared + of_b + 1.4 * y_true

# %%
# By the AUC, B is significantly better:

print(compare("roc_auc", y_true, model_a, model_b))

# %%
# At which budgets?
# -----------------
# The difference of recall at every rate, with a band for the whole curve. Where it
# excludes 0, a model is significantly better. Between 3 and 12 % of the cases will be
# processed: that is the hill at the foot.

budget = rates.from_quantiles({0.025: 0.03, 0.975: 0.12})
result = compare_curves(y_true, model_a, model_b, random_state=0)
CurveComparisonDisplay(result, names=["A", "B"], rate=budget).plot()
print(result.winning_rates())

# %%
# Under this budget A is the model to take:

print(
    compare(
        expected_recall_score, y_true, model_a, model_b, rate=budget
    )
)

# %%
# "But your distribution is arbitrary"
# ------------------------------------
# So it is: a beta distribution was drawn through two quantiles. Over *all*
# distributions with these quantiles the difference lies in a range, and that range,
# with what the sample does not know, in an interval:

known = rates.between({0.025: 0.03, 0.975: 0.12})
print(
    compare(
        expected_recall_score, y_true, model_a, model_b, rate=known
    )
)
plt.show()
