"""
From a budget in hours to a report card
=======================================

A search for a systematic review brought 5,000 articles, and two reviewers have about 60
hours. A model ranks the articles; how many of those that belong in the review will be
found, and how sure is that?
"""

# %%
# The budget
# ----------
# What is known are hours, those of both together, and what an article takes on average:
# between 3 and 8 minutes, which depends on how many abstracts decide it. Neither is
# known exactly. (Single articles take less or more. This is no part of it: the average
# of hundreds hardly depends on which they are.)

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
# For a published review all labels are known [1]_: of 2,019 records 101 were included.
# A logistic regression on the words of title and abstract learned from 400 records that
# were drawn at random, 17 of them included, and ranked the other 1,619. These are the
# places of the 84 included ones among them; nothing else of the ranking matters.

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
# The report card
# ---------------
# What the 1,619 say of the 5,000. The first interval is for what is expected, and gets
# narrower with more labelled records. The last is for the numbers that will be counted:
# in it are the draw of these 5,000 and how far the hours will reach, too.

report = budget_report(y_true, y_score, rate=budget, n_items=5_000)
print(report)

# %%
# The same as a picture. The hill at the foot is the budget. The number in the legend is
# that of the table, and the dot stands where it is at the mean budget: close to the
# curve, not on it, as what is found on average over budgets is not what is found by the
# average one. How many belong in the review is uncertain as well, so that the band may
# lie above what a perfect order finds if they are as many as in the records.

BudgetReportDisplay(report).plot()

# %%
# It assumes that the articles are like the records: drawn from the same search, with as
# many that belong in the review.
#
# A longer pilot?
# ---------------
# How many labelled records would say to within five points which share will be found?

from skrate import expected_recall_score

print(
    sample_size(
        expected_recall_score,
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
