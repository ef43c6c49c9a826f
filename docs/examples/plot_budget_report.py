"""
From a budget in hours to a report
==================================

A search for a systematic review returned 5,000 articles, and two reviewers have about
60 hours. A model ranks the articles. How many relevant articles will they find, and how
certain is that number?
"""

# %%
# The budget
# ----------
# Neither the total hours of both reviewers nor the average time per article, between 3
# and 8 minutes, is known exactly. (The variation between single articles does not
# matter, because it cancels in the average of hundreds.)

import matplotlib.pyplot as plt
import numpy as np

from skrate import budget_report, rates, sample_size
from skrate.displays import BudgetReportDisplay

budget = rates.from_budget(
    total=(55 * 60, 65 * 60), n_items=5_000, cost=(3, 8)
)
print(budget.describe())

# %%
# A ranking with known labels
# ---------------------------
# For a published review, all labels are known [1]_: 101 of 2,019 records were included.
# A logistic regression on the words of title and abstract was trained on 400 random
# records, 17 of them included, and ranked the other 1,619. The array contains the
# positions of the 84 included records in this ranking, which is all that the report
# needs.

places = np.array(
    [1, 2, 3, 4, 5, 7, 8, 13, 15, 19, 21, 24, 27, 28, 30, 31, 33,
     37, 38, 39, 40, 44, 46, 48, 50, 51, 53, 54, 56, 60, 62, 64,
     65, 66, 68, 70, 88, 89, 93, 94, 97, 99, 101, 102, 104, 110,
     112, 121, 124, 128, 133, 134, 137, 143, 147, 154, 159, 161,
     163, 172, 176, 181, 184, 185, 193, 195, 225, 271, 280, 316,
     333, 338, 339, 362, 411, 443, 448, 469, 472, 473, 502, 514,
     699, 996]
)  # fmt: skip
y_true = np.zeros(1_619, dtype=int)
y_true[places - 1] = 1
y_score = -np.arange(1_619)

# %%
# The report
# ----------
# The 1,619 labelled records predict the numbers for the 5,000 articles. The first
# interval is for the expected number, and gets narrower with more labelled records. The
# last interval is for the number that will be counted: it also contains the sampling of
# the 5,000 articles and the uncertainty of the budget.

report = budget_report(y_true, y_score, rate=budget, n_items=5_000)
print(report)

# %%
# The figure shows the same results. The shaded peak at the bottom is the distribution
# of the budget. The dot is the number found from the table, at the mean budget. It is
# close to the curve, but not on it, because the mean over budgets differs from the
# number found at the mean budget. The band assumes the expected number of relevant
# articles, 259, and ends there. This number is uncertain, too: the intervals of the
# table and of the legend include it.

BudgetReportDisplay(report).plot()

# %%
# The report assumes that the articles are like the records: drawn from the same search,
# with the same share of relevant ones.
#
# A larger pilot?
# ---------------
# How many labelled records are needed to estimate the recall to within five points?

from skrate import recall_at_rate_score

print(
    sample_size(
        recall_at_rate_score,
        y_true,
        y_score,
        rate=budget,
        half_width=0.05,
    )
)
plt.show()

# %%
# .. rubric:: References
#
# .. [1] Nagtegaal, Tummers, Noordegraaf and Bekkers (2019), Nudging healthcare
#    professionals towards evidence-based medicine: a systematic scoping review,
#    :doi:`10.30636/jbpa.22.71`; the records of its search are in the public domain.
