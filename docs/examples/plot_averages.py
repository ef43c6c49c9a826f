"""
===========================
Which average for a budget?
===========================

Cross-validation gives several ROC curves. You can average them at equal rates, at equal
false positive rates (vertical, the most common), at equal true positive rates
(horizontal), or at equal thresholds. Only the first average predicts what a budget
finds.
"""

# %%
# Five branches
# -------------
# Five branches of a bank have 600 applications each. Their models separate the classes
# equally well, but fraud is rare in some branches and common in others, and each model
# has its own scale.

import matplotlib.pyplot as plt
import numpy as np

from skrate import RateAveragedROC, rate_averaged_roc_curve

rng = np.random.default_rng(0)
y_trues, y_scores = [], []
for scale, share in enumerate([0.02, 0.05, 0.1, 0.3, 0.5], start=1):
    y_true = np.arange(600) < round(600 * share)
    y_trues.append(y_true)
    y_scores.append(scale * (rng.normal(size=600) + 1.5 * y_true))

# %%
# What each average predicts
# --------------------------
# Every branch reads a tenth of its list. The output gives the recall of each average at
# that rate, the number of fraudulent cases that it predicts, and the actual number.

curve = rate_averaged_roc_curve(y_trues, y_scores)
p = curve.prevalence
for average in ["rate", "fpr", "tpr", "threshold"]:
    points = curve.averaged(average)
    rates = p * points.tpr + (1 - p) * points.fpr
    recall = np.interp(0.1, rates, points.tpr)
    n_found = recall * curve.folds.n_pos
    print(f"{average:10} recall {recall:.2f}, cases {n_found:.0f}")

n_found = sum(
    y_true[np.argsort(-y_score)[:60]].sum()
    for y_true, y_score in zip(y_trues, y_scores, strict=True)
)
recall = n_found / curve.folds.n_pos
print(f"{'found':10} recall {recall:.2f}, cases {n_found}")

# %%
# The average at equal rates predicts the actual number. The others predict more: at a
# given false positive rate, a branch with much fraud would read more than a tenth of
# its list, and a branch with little fraud less. The mean rate is a tenth, but no branch
# reads its list that way.

figure, ax = plt.subplots(layout="constrained")
display = RateAveragedROC(curve)
for average in ["rate", "fpr", "tpr", "threshold"]:
    label = {"label": f"at equal {average}"}
    display.plot(
        ax, space="rate-recall", average=average, curve_kwargs=label
    )
ax.plot(0.1, n_found / curve.folds.n_pos, "ko", label="found")
ax.legend(loc="lower right")

# %%
# With stratified folds, all folds have the same prevalence, and the averages are close
# together. The average at equal thresholds also requires scores on a common scale.
#
# A band of fixed width
# ---------------------
# ``plot_fixed_width=True`` shifts an average down to the right and up to the left, just
# far enough for 95 % of the averages of resampled cases to lie within. This band is as
# wide at the ends, at which the curve is certain, as in the middle, and extends beyond
# the unit square; the simultaneous band is narrow at the ends.

figure, axes = plt.subplots(
    1, 2, figsize=(11, 5), layout="constrained"
)
display.plot(axes[0], plot_fixed_width=True)
axes[0].set_title("Fixed width")
band = rate_averaged_roc_curve(
    curve.folds, band="simultaneous", random_state=0
)
RateAveragedROC(band).plot(axes[1])
axes[1].set_title("Simultaneous, as wide as it must be")
plt.show()
