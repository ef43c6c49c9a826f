"""
Radiology: is the new display better for all readers?
=====================================================

Six radiologists rate the same 80 scans on a scale from 1 to 5, on an old and on a new
display. The hospital will buy the new display if it helps other radiologists with other
patients, too.
"""

# %%
# The ratings
# -----------
# The data are simulated. Half of the patients are ill. Readers differ in skill and in
# how much the new display helps them.

import matplotlib.pyplot as plt
import numpy as np

from skrate import compare_readers

rng = np.random.default_rng(1)
n_cases, n_readers = 80, 6
case, reader, is_new = (
    index.ravel() for index in np.indices((n_cases, n_readers, 2))
)
is_ill = case < n_cases // 2
skill = rng.normal(1.5, 0.2, n_readers)[reader]
gain = rng.normal(0.6, 0.15, n_readers)[reader] * is_new
signal = (skill + gain) * is_ill
latent = signal + rng.normal(size=n_cases)[case]
latent += rng.normal(size=len(case))
rating = 1 + np.searchsorted([-1, 0, 1, 2], latent)
display = np.where(is_new, "new", "old")

# %%
# The test
# --------
# Each AUC varies with the patients and with the reader, and all readers see the same
# patients. The Obuchowski-Rockette analysis of variance accounts for both sources of
# variation and for the shared patients:

study = {"reader": reader, "modality": display, "case": case}
result = compare_readers("roc_auc", is_ill, rating, **study)
print(result)

# %%
# For readers and patients like these, the new display is better: the 95 % interval for
# the difference excludes 0.
#
# Reader by reader
# ----------------
# The result also contains each reader's AUC. Each thin line is one reader; the thick
# line is their mean, with its 95 % interval.

columns = result.to_dict()
order = [columns["modality"].index(name) for name in ("old", "new")]
_, ax = plt.subplots(figsize=(4.5, 4), layout="constrained")
for r in range(n_readers):
    aucs = [columns[f"reader {r}"][i] for i in order]
    ax.plot(aucs, "o-", color="0.6", linewidth=1)
mean, low, high = (
    np.array(columns[name])[order]
    for name in ("value", "low", "high")
)
errors = mean - low, high - mean
ax.errorbar([0, 1], mean, errors, color="#0072B2", lw=3, capsize=4)
ax.set_xticks([0, 1], ["old display", "new display"])
ax.set(ylabel="AUC", xlim=(-0.3, 1.3))

# %%
# The decision: buy the new display. It raises the mean AUC by 0.09 (0.01 to 0.17), and
# five of six readers gain. If the readers were treated as fixed, the interval would be
# narrower, but it would not apply to the hospital's other readers.
plt.show()
