"""
Metrics of parts do not average
===============================

The cases are on several machines. The average of a metric over machines differs from
the metric of all cases. Adding up the machines' tables is as easy, and gives the metric
of all cases.
"""

# %%
# Parts that are alike
# --------------------
# One in fifty of 40,000 cases is positive. The cases are divided at random between two
# machines, four, and so on.

import matplotlib.pyplot as plt
import numpy as np

from skrate import RankTable, average_precision_score, estimate

rng = np.random.default_rng(0)
y_true = rng.random(40_000) < 0.02
y_score = rng.normal(size=40_000) + 2 * y_true


def tables_of(labels, scores, part):
    """Return the table of each part."""
    tables = []
    for name in np.unique(part):
        here = part == name
        table = RankTable.from_arrays(labels[here], scores[here])
        tables.append(table)
    return tables


def added(tables):
    """Return the table of the cases of all parts."""
    return sum(tables[1:], tables[0])


numbers = 2 ** np.arange(7)
averaged, of_the_sum = [], []
for n_parts in numbers:
    part = np.arange(40_000) % n_parts
    tables = tables_of(y_true, y_score, part)
    values = [average_precision_score(table) for table in tables]
    averaged.append(np.mean(values))
    of_the_sum.append(average_precision_score(added(tables)))

print("parts  mean of parts  sum of tables")
for row in zip(numbers, averaged, of_the_sum, strict=True):
    print("{:5}  {:13.4f}  {:13.4f}".format(*row))

# %%
# Average precision rises as parts get smaller. So a mean over batches, as some programs
# report for an epoch, depends on the batch size.

# %%
# Parts that differ
# -----------------
# If the parts are countries, even the mean AUC differs from the AUC of all cases,
# although each country has enough cases. Within a country, the model ranks well. But
# the level of its scores differs between countries for no good reason, so a single
# ranking of all cases puts the wrong countries first. The mean does not show this.

names = np.array(["BE", "DE", "ES", "FR", "IT", "NL"])
country = rng.integers(6, size=40_000)
level = np.array([-1.5, -1, 0, 0.5, 1, 1.5])[country]
tables = tables_of(y_true, y_score + level, country)
aucs = [estimate("roc_auc", table).value for table in tables]
together = estimate("roc_auc", added(tables)).value
print(f"mean {np.mean(aucs):.3f}, of all cases {together:.3f}")

panels = {"figsize": (7, 3.4), "layout": "constrained"}
_, (left, right) = plt.subplots(1, 2, **panels)
of_parts = {"color": "#D55E00", "label": "mean of the parts"}
of_tables = {"color": "#0072B2", "label": "sum of the tables"}
left.semilogx(numbers, averaged, "s--", base=2, **of_parts)
left.semilogx(numbers, of_the_sum, "o-", base=2, **of_tables)
left.set_xticks(numbers, numbers)
left.set(xlabel="parts", ylabel="average precision")
left.set_title("Parts that are alike")
left.legend(frameon=False, fontsize=9)
right.plot(names, aucs, "kD", label="one part")
right.axhline(np.mean(aucs), linestyle="--", **of_parts)
right.axhline(together, **of_tables)
right.set(xlabel="country", ylabel="AUC", title="Parts that differ")
right.legend(frameon=False, loc="center", fontsize=9)
plt.show()
