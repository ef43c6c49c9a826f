"""
===================
Hundreds of markers
===================

A mass spectrometer measures 779 peaks of each of 165 men, 83 of whom have late
prostate cancer. Which peaks tell them from the others, and which would begin a
screening well? We simulate such data: most peaks say nothing, some are a little higher
in all of the ill, and some much higher in a part of them.
"""

# %%
# The markers
# -----------

import matplotlib.pyplot as plt
import numpy as np

from skrate import HitCurveDisplay, compare, estimate
from skrate.displays import MarkersDisplay

rng = np.random.default_rng(3)
ill = np.repeat([1, 0], [83, 82])
names = [
    f"{mass:.3f}"
    for mass in np.sort(rng.uniform(2_000, 30_000, 779))
]
peaks = rng.normal(size=(165, 779))
tells = rng.permutation(779)[:60]
effect = rng.uniform(0.4, 1.5, 60)
in_part = rng.random((165, 60)) < np.where(
    np.arange(60) < 20, 0.5, 1
)
size = np.where(np.arange(60) < 20, 2 * effect, effect)
peaks[:, tells] += ill[:, None] * in_part * size
markers = dict(zip(names, peaks.T, strict=True))

# %%
# Values, standard errors and p-values
# ------------------------------------
# Of 779 tests 39 are below 0.05 if nothing tells anything. The p-values that are
# printed are adjusted: 0.05 allows for a false finding in one study of twenty.

found = estimate("roc_auc", ill, markers)
print(found)

# %%
# Benjamini and Hochberg's method allows for one in twenty of the findings, and finds
# more.

for adjust in ("holm", "bh"):
    found = estimate("roc_auc", ill, markers, adjust=adjust)
    is_found = found.adjusted_pvalues < 0.05
    n_false = np.isin(
        np.flatnonzero(is_found), tells, invert=True
    ).sum()
    print(
        f"{adjust}: {is_found.sum()} are found, "
        f"{n_false} of them tell nothing"
    )

# %%
# Average precision against the AUC
# ---------------------------------
# Of two markers with one AUC, the one above begins better: those are the peaks that are
# much higher in a part of the ill.

display = MarkersDisplay.from_predictions(
    ill, markers, random_state=0, despine=True
)

# %%
# The best by either metric, along the whole ranking:

best = {
    estimates.metric: estimates.names[np.argmax(estimates.values)]
    for estimates in (display.x, display.y)
}
_, ax = plt.subplots()
for metric, name in best.items():
    HitCurveDisplay.from_predictions(
        ill,
        markers[name],
        ax=ax,
        name=f"{name}, best {metric}",
        kind="gains",
    )

# %%
# Against a marker that is known
# ------------------------------
# Is any of the best better than the one in use? Each is compared with it, paired by
# patient.

leading = [names[i] for i in np.argsort(-display.x.values)[:5]]
known = names[tells[-1]]
chosen = {name: markers[name] for name in [known, *leading]}
print(compare("roc_auc", ill, chosen, reference=known))
