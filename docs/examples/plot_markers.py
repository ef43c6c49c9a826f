"""
===================
Hundreds of markers
===================

A mass spectrometer measures 779 peaks for each of 165 men, 83 of whom have late
prostate cancer. Which peaks distinguish them from the others, and which are useful for
screening? We simulate such data: most peaks are uninformative, some are slightly higher
in all men with cancer, and some are much higher in a few of them.
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
# If no marker is informative, about 39 of 779 p-values are below 0.05. The printed
# p-values are adjusted: at a level of 0.05, one study in twenty has a false finding.

found = estimate("roc_auc", ill, markers)
print(found)

# %%
# The method of Benjamini and Hochberg allows one in twenty findings to be false, and
# finds more markers.

for adjust in ("holm", "bh"):
    found = estimate("roc_auc", ill, markers, adjust=adjust)
    is_found = found.adjusted_pvalues < 0.05
    n_false = np.isin(
        np.flatnonzero(is_found), tells, invert=True
    ).sum()
    print(
        f"{adjust}: {is_found.sum()} are found, "
        f"{n_false} of them are uninformative"
    )

# %%
# Average precision against the AUC
# ---------------------------------
# If two markers have the same AUC, the higher point is better at the top of the
# ranking: these are the peaks that are much higher in a few of the men with cancer.

display = MarkersDisplay.from_predictions(
    ill, markers, random_state=0, despine=True
)

# %%
# Hit curves of the best markers by either metric:

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
# Comparison with a known marker
# ------------------------------
# Is any of the best markers better than the one in use? Each comparison is paired by
# patient.

leading = [names[i] for i in np.argsort(-display.x.values)[:5]]
known = names[tells[-1]]
chosen = {name: markers[name] for name in [known, *leading]}
print(compare("roc_auc", ill, chosen, reference=known))
