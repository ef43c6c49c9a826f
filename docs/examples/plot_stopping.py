"""
When to stop reading
====================

A search for a systematic review returned 1,619 articles. A model ranks them, and a
reviewer reads from the top until 95 % of the relevant articles are found. But the
number of relevant articles is unknown until all are read. When can reading stop?
"""

# %%
# A past review, replayed
# -----------------------
# For a published review, all labels are known [1]_. A logistic regression on the words
# of title and abstract ranked 1,619 records; the array contains the positions of the 84
# relevant ones. The reviewer discovers these one by one.

import matplotlib.pyplot as plt
import numpy as np

from skrate.displays import StoppingCurveDisplay
from skrate.review import recall_certificate, stopping_curve

places = np.array(
    [1, 2, 3, 4, 5, 7, 8, 13, 15, 19, 21, 24, 27, 28, 30, 31, 33,
     37, 38, 39, 40, 44, 46, 48, 50, 51, 53, 54, 56, 60, 62, 64,
     65, 66, 68, 70, 88, 89, 93, 94, 97, 99, 101, 102, 104, 110,
     112, 121, 124, 128, 133, 134, 137, 143, 147, 154, 159, 161,
     163, 172, 176, 181, 184, 185, 193, 195, 225, 271, 280, 316,
     333, 338, 339, 362, 411, 443, 448, 469, 472, 473, 502, 514,
     699, 996]
)  # fmt: skip
n_items = 1_619
belongs = np.zeros(n_items, dtype=int)
belongs[places - 1] = 1

# %%
# By the ranking alone
# --------------------
# The criterion of Callaghan and Müller-Hansen [2]_ treats the last articles read, which
# contain few relevant ones, as a random sample of the rest. The lower bound reaches the
# target long after the recall itself: to show that 95 % are found, the reviewer must
# read many irrelevant articles.

curve = stopping_curve(belongs, n_items=n_items, step=1)
print(curve.n_stop, belongs[: curve.n_stop].sum() / 84)

display = StoppingCurveDisplay(curve).plot()
display.ax_.set_title("Read by the ranking")

# %%
# By a random sample
# ------------------
# This criterion assumes that the end of the ranking is not worse than random, which
# nobody knows in advance. A random order needs no such assumption: after the first 530
# articles, the reviewer reads the rest in random order. The guarantee holds however
# often you check.

rng = np.random.default_rng(0)
order = np.arange(n_items)
order[530:] = rng.permutation(order[530:])
sampled = stopping_curve(
    belongs[order], n_items=n_items, n_ranked=530, step=1
)
print(sampled.n_stop, belongs[order][: sampled.n_stop].sum() / 84)

display = StoppingCurveDisplay(sampled).plot()
display.ax_.set_title("At random after the first 530")

# %%
# The certificate
# ---------------
# If you check only once, you need to read less. After 530 articles, 82 relevant ones
# are found, and 5 more in the 1,089 unread would be too many. A sample of half of these
# would miss all 5 with a probability of 3 %, so 545 are drawn and read:

n_hits = int(belongs[order][530:1_075].sum())
print(recall_certificate(82, 1_089, 545, n_hits))

# %%
# The sample contains one of the two remaining relevant articles. The recall is now 83
# of 84, but the sample no longer excludes 5 more in the other half.
#
# The decision: if a recall of 95 % only needs to be likely, stop after these 1,075
# articles and report the bound; if it must be certain, read on.

# %%
# .. rubric:: References
#
# .. [1] Nagtegaal, Tummers, Noordegraaf and Bekkers (2019), Nudging healthcare
#    professionals towards evidence-based medicine: a systematic scoping review,
#    :doi:`10.30636/jbpa.22.71`; the records of its search are in the public domain.
# .. [2] Callaghan and Müller-Hansen (2020), Statistical stopping criteria for automated
#    screening in systematic reviews, :doi:`10.1186/s13643-020-01521-4`.
plt.show()
