"""
Two markers with the same AUC
=============================

Two measures of a cell image have the same AUC. One use is to rule tumours in, in which
a false alarm leads to an operation; the other is to rule them out, in which a miss
leaves a tumour untreated. Is one measure better for both?
"""

# %%
# The same area
# -------------
# In scikit-learn's breast cancer data, 212 of 569 masses are malignant. By the AUC, two
# measures of the nuclei, the spread of their areas and the worst concavity, distinguish
# these equally well:

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_curve

from skrate import compare, estimate, partial_auc_score

data = load_breast_cancer(as_frame=True)
y = (data.target == 0).to_numpy()
markers = {
    "spread of area": data.data["area error"].to_numpy(),
    "concavity": data.data["worst concavity"].to_numpy(),
}
for name, y_score in markers.items():
    print(f"{name:14} {estimate('roc_auc', y, y_score):.3f[]}")

# %%
# Two parts of it
# ---------------
# The left edge of the square corresponds to few false alarms, the upper edge to few
# misses. The curves cross between them.

fig, ax = plt.subplots(figsize=(5.6, 5.4), layout="constrained")
ax.axvspan(0, 0.1, color="0.87", zorder=0)
ax.axhspan(0.9, 1, color="0.87", zorder=0)
styles = [("#0072B2", "-"), ("#D55E00", "--")]
for (color, line), name in zip(styles, markers, strict=True):
    y_score = markers[name]
    fpr, tpr, _ = roc_curve(y, y_score)
    ax.plot(fpr, tpr, line, color=color, lw=2.5, label=name)
ax.text(0.12, 0.05, "few false alarms", fontsize=12)
ax.text(0.97, 0.87, "few misses", ha="right", va="top", fontsize=12)
ax.set(xlim=(0, 1), ylim=(0, 1.005), aspect="equal")
ax.set_xlabel("false positive rate", fontsize=13)
ax.set_ylabel("recall", fontsize=13)
ax.legend(loc="lower right", fontsize=13, bbox_to_anchor=(1, 0.12))

# %%
# The partial AUC of each window is rescaled such that 0.5 is random and 1 is perfect:

windows = {
    "few false alarms": {"fpr": (0, 0.1)},
    "few misses": {"tpr": (0.9, 1)},
}
for what, window in windows.items():
    print(what)
    for name, y_score in markers.items():
        value = estimate(partial_auc_score, y, y_score, **window)
        print(f"   {name:14} {value:.3f[]}")
    both = markers.values()
    test = compare(partial_auc_score, y, *both, **window)
    print(f"   difference     {test:.3f[]}, p = {test.pvalue:.2g}")

# %%
# To rule tumours in, the spread of the area is significantly better. To rule them out,
# the concavity is probably better, but there are too few malignant masses at its lower
# end to be sure.
plt.show()
