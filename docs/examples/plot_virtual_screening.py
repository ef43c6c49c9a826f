"""
Virtual screening: which docking score fills the plate?
=======================================================

A library of 5,000 compounds is ranked by docking scores, and the laboratory can test
the top 96 to 384. Two scoring functions are compared on compounds with known activity.
"""

# %%
# The library
# -----------
# The data are simulated, with 100 actives. The first function recognises one scaffold
# at once, but ranks other actives low. The second ranks all actives moderately well.

import matplotlib.pyplot as plt
import numpy as np

from skrate import (
    HitCurveDisplay,
    budget_report,
    compare,
    estimate,
    lift_at_rate_score,
    rate_weighted_auc_score,
    rates,
)

rng = np.random.default_rng(0)
n_compounds = 5_000
is_active = np.arange(n_compounds) < 100
shape = rng.normal(size=n_compounds)
has_scaffold = is_active & (rng.random(n_compounds) < 0.4)
scaffold = shape + 4.0 * has_scaffold
overall = 0.5 * shape + rng.normal(size=n_compounds)
overall += 1.6 * is_active
models = {"scaffold": scaffold, "overall": overall}

# %%
# Enrichment and BEDROC
# ---------------------
# The enrichment factor is the lift at a rate. BEDROC is the rate-weighted AUC under an
# exponential distribution of the rate. Both have an interval:

bedroc = rates.exponential(20)
for name, score in models.items():
    ef = estimate(lift_at_rate_score, is_active, score, rate=0.01)
    early = estimate(
        rate_weighted_auc_score, is_active, score, rate=bedroc
    )
    auc = estimate("roc_auc", is_active, score)
    print(
        f"{name:9} EF 1 % {ef:.1f[]}, BEDROC {early:.2f[]}, "
        f"AUC {auc:.2f[]}"
    )

# %%
# By the AUC, the second function is better, by the early-recognition metrics, the
# first. But BEDROC's exponential distribution is only a convention, whereas the
# laboratory knows its capacity.
#
# The plate
# ---------
# Between 96 and 384 of the 5,000 compounds will be tested:

plate = rates.from_counts(96, 384, n_items=n_compounds)
print(
    compare(
        rate_weighted_auc_score,
        is_active,
        *models.values(),
        rate=plate,
    )
)
report = budget_report(
    is_active,
    models,
    reference="overall",
    rate=plate,
    n_items=n_compounds,
)
more = report["scaffold", "more found"]
low, high = more.confidence_interval
print(f"{more.value:.0f} more actives ({low:.0f} to {high:.0f})")

# %%
# The curves cross beyond the plate:

_, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
for name, score in models.items():
    HitCurveDisplay.from_predictions(
        is_active, score, name=name, metric="recall", ax=ax
    )
ax.axvspan(96 / 5_000, 384 / 5_000, color="0.85", zorder=0)
ax.set_xlim(0, 0.5)

# %%
# The decision: fill the plate with the function that recognises the scaffold. It finds
# 14 more actives (2 to 26) within the plate, although its AUC is lower.
plt.show()
