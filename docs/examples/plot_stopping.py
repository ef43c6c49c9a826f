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

from skrate.review import (
    certificate_sample_size,
    recall_certificate,
)

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
# How many to draw
# ----------------
# The reviewer reads the first 530 articles by the ranking and finds 82 relevant ones. 5
# more in the 1,089 unread would be too many. A random sample of 490 of these would miss
# all 5 with a probability of 5 %:

n_found = int(belongs[:530].sum())
n_unreviewed = n_items - 530
n_sampled = certificate_sample_size(n_found, n_unreviewed)
print(n_found, n_unreviewed, n_sampled)

# %%
# The certificate
# ---------------

rng = np.random.default_rng(0)
drawn = belongs[530:][rng.permutation(n_unreviewed)]
n_hits = int(drawn[:n_sampled].sum())
print(recall_certificate(n_found, n_unreviewed, n_sampled, n_hits))

# %%
# The sample contains one of the two remaining relevant articles. The recall is now 83
# of 84, but the sample no longer excludes 5 more among the other 599.
#
# Repeated checks
# ---------------
# With ``looks="any"``, the sample grows, and the guarantee holds however often you
# check [2]_. The price is a lower bound than with a single look:

n_drawn = np.arange(1, n_unreviewed + 1, 8)
found = np.cumsum(drawn)[n_drawn - 1]
bounds = [
    recall_certificate(
        n_found, n_unreviewed, n, hits, looks="any"
    ).lower_bound
    for n, hits in zip(
        n_drawn.tolist(), found.tolist(), strict=True
    )
]
n_read = 530 + n_drawn
stop = int(np.argmax(np.array(bounds) >= 0.95))
print(n_read[stop], (n_found + found[stop]) / belongs.sum())

_, ax = plt.subplots()
ax.plot(
    n_read, (n_found + found) / belongs.sum(), "0.6", label="recall"
)
ax.plot(n_read, bounds, label="at least, with 95 % confidence")
ax.axhline(
    0.95, color="k", linestyle="--", linewidth=1, label="target"
)
ax.axvline(
    n_read[stop],
    color="#D55E00",
    linestyle=":",
    label="reading stops",
)
ax.set(xlabel="articles read", ylabel="recall", ylim=(0, 1.05))
ax.legend(loc="lower right")

# %%
# The decision: if a recall of 95 % only needs to be likely, stop after the first sample
# and report the bound; if it must be certain, read on.

# %%
# .. rubric:: References
#
# .. [1] Nagtegaal, Tummers, Noordegraaf and Bekkers (2019), Nudging healthcare
#    professionals towards evidence-based medicine: a systematic scoping review,
#    :doi:`10.30636/jbpa.22.71`; the records of its search are in the public domain.
# .. [2] Waudby-Smith and Ramdas (2020), Confidence sequences for sampling without
#    replacement, NeurIPS 33.
plt.show()
