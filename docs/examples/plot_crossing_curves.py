"""
The AUC prefers the wrong model
===============================

If two curves cross, the better model depends on the budget. The AUC averages over all
budgets, most of which are unrealistic.
"""

# %%
# Two models
# ----------
# One case in ten is positive. Model A ranks slightly more than half of the positives at
# the very top, and the others no better than chance; model B ranks all positives
# moderately well. Part of the noise is common to both models, as is usual for models of
# the same data.

import matplotlib.pyplot as plt
import numpy as np

from skrate import (
    compare,
    compare_curves,
    rates,
    recall_at_rate_score,
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
# The figure shows the difference in recall at every rate, with a band for the whole
# curve. At rates at which the band excludes 0, one model is significantly better.
# Between 3 and 12 % of the cases will be processed (the shaded peak at the bottom).

budget = rates.from_quantiles({0.025: 0.03, 0.975: 0.12})
models = {"A": model_a, "B": model_b}
result = compare_curves(y_true, models, random_state=0)
CurveComparisonDisplay(result, rate=budget).plot()
print(result.winning_rates())

# %%
# Under this budget, A is significantly better:

print(
    compare(
        recall_at_rate_score, y_true, model_a, model_b, rate=budget
    )
)

# %%
# "But your distribution is arbitrary"
# ------------------------------------
# The beta distribution through two quantiles is indeed an assumption. The difference
# under a distribution is the mean of the differences at single rates. If the band over
# all plausible rates is above 0, A is better under *every* distribution on this range:

plausible = np.linspace(0.03, 0.12, 37)
result = compare_curves(
    y_true, model_a, model_b, rates=plausible, random_state=0
)
print(result.winning_rates())
print(f"at least {result.band.low.min():.3f}, with 95 % confidence")
plt.show()
