"""
===========================
Which average for a budget?
===========================

Folds leave several ROC curves, and there are several ways to average them: at equal
rate, at equal false positive rate (vertical, as most pictures do), at equal true
positive rate (horizontal), and at equal threshold. Only the first says what a budget
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
# What each average promises
# --------------------------
# Every branch reads a tenth of its list. Below, the recall of each average at that
# rate, and how many frauds it promises, beside those that the branches find.

curve = rate_averaged_roc_curve(y_trues, y_scores)
p = curve.prevalence
for average in ["rate", "fpr", "tpr", "threshold"]:
    points = curve.averaged(average)
    rates = p * points.tpr + (1 - p) * points.fpr
    recall = np.interp(0.1, rates, points.tpr)
    n_found = recall * curve.folds.n_pos
    print(f"{average:10} recall {recall:.2f}, frauds {n_found:.0f}")

n_found = sum(
    y_true[np.argsort(-y_score)[:60]].sum()
    for y_true, y_score in zip(y_trues, y_scores, strict=True)
)
recall = n_found / curve.folds.n_pos
print(f"{'found':10} recall {recall:.2f}, frauds {n_found}")

# %%
# The average at equal rate gives what is found, because it counts that. The others
# promise more: at one false positive rate, a branch with much fraud reads more than a
# tenth, and one with little reads less. Their mean lies at a rate of a tenth, but no
# branch reads its list that way.

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
# Stratified folds hide the difference: they share one prevalence, and the averages lie
# close together. The average at equal threshold also needs scores on one scale.
#
# A band of fixed width
# ---------------------
# ``plot_fixed_width=True`` moves any average down and right, and up and left, so far
# that 95 % of the averages of resampled cases lie within. It is as wide at the ends,
# where the curve is certain, as in the middle, and leaves the plane there; the
# simultaneous band is narrow at the ends.

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
