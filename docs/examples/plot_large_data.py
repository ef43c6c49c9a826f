"""
A month of scores in a small table
==================================

Scores arrive day by day, too many to keep. Each day becomes a table, the tables are
added, and a table with too many different scores is compressed. How many groups must it
keep?
"""

# %%
# One table of all days
# ---------------------
# A metric needs only the numbers of positives and negatives at each score, so the cases
# of each day can be discarded.

import matplotlib.pyplot as plt
import numpy as np

from skrate import (
    RankTable,
    average_precision_score,
    estimate,
    rate_weighted_auc_score,
    rates,
)


def scored_days(n_days=20, n_samples=10_000):
    """Yield labels and scores of one day after another."""
    for day in range(n_days):
        rng = np.random.default_rng(day)
        clicked = rng.random(n_samples) < 0.05
        yield clicked, rng.normal(size=n_samples) + 1.5 * clicked


whole = RankTable.from_batches(scored_days())
print(whole)

# %%
# Fewer groups
# ------------
# Neighbouring scores are merged, and their cases tie. The maximum error of a metric can
# be computed without the cases: it is the larger distance to the best and to the worst
# order within groups. In this example we still have the cases, and can also compute the
# actual error.

budget = rates.beta(3, 57)
metrics = {
    "AUC": ("roc_auc", {}),
    "rAUC": (rate_weighted_auc_score, {"rate": budget}),
    "average precision": (average_precision_score, {}),
}
sizes = 2 ** np.arange(5, 16)
tables = [whole.compress(int(size)) for size in sizes]
bounds, lost = {}, {}
for name, (metric, options) in metrics.items():
    exact = estimate(metric, whole, **options).value
    lost[name], bounds[name] = [], []
    for table in tables:
        value = estimate(metric, table, **options).value
        lost[name].append(abs(value - exact))
        bounds[name].append(table.max_error(metric, **options))

print(f"{'groups':8}{'metric':19}{'lost':>8}{'at most':>10}")
for i in (0, 5, 10):
    for name in metrics:
        numbers = f"{lost[name][i]:8.0e}{bounds[name][i]:10.0e}"
        print(f"{sizes[i]:<8}{name:19}{numbers}")

# %%
# The bound falls with the number of groups. The actual error is even smaller, because
# errors in both directions cancel within a group. Average precision is an exception:
# tied cases count as one step, so the value is too low by a quarter of the bound or
# more.

panels = {"figsize": (7, 3.2), "layout": "constrained"}
_, axes = plt.subplots(1, 3, sharey=True, **panels)
most = {"color": "#0072B2", "label": "at most"}
really = {"color": "#D55E00", "label": "really"}
for ax, name in zip(axes, metrics, strict=True):
    ax.loglog(sizes, bounds[name], "o-", **most)
    ax.loglog(sizes, lost[name], "s--", **really)
    ax.set(title=name, xlabel="groups that are kept")
    ax.grid(alpha=0.3)
axes[0].set_ylabel("difference from all scores")
axes[0].legend(frameon=False)
plt.show()
