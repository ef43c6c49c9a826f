"""
=====================================
What an error rate says about the AUC
=====================================

Two models make about as many errors, one ranks far better. What would their error rates
alone have told?
"""

# %%
# Mean and spread of the AUC for a known number of errors
# -------------------------------------------------------
# The curves cover all rankings and thresholds with a given number of errors, up to the
# number that calling every case the larger class makes. For even classes the mean AUC
# is one minus the error rate; the rarer one class, the steeper the fall, and the wider
# the spread: figure 3 of Cortes and Mohri (2003).

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from skrate import AUCErrorRateDisplay, auc_range_from_errors

_, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for ax, kind in zip(axes, ("mean", "relative_deviation"), strict=True):
    AUCErrorRateDisplay.from_class_ratios(ax=ax, kind=kind)

# %%
# A model as a point
# ------------------
# One case in five is positive, and the classes overlap much. The model calls few cases
# positive and so makes hardly fewer errors than calling none; but it puts them in a far
# better order than such errors suggest. The bar is the mean plus and minus two standard
# deviations.

rng = np.random.default_rng(0)
X = rng.normal(size=(4_000, 5))
y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=2, size=4_000) > 2).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=1_000, random_state=0
)
model = HistGradientBoostingClassifier(max_iter=50).fit(X_train, y_train)

display = AUCErrorRateDisplay.from_estimator(model, X_test, y_test)
print(
    f"share of positives {y_test.mean():.3f}, error rate {display.point.error_rate:.3f}"
)

# %%
# From a published confusion matrix
# ---------------------------------
# Had we read only the confusion matrix of this model, this is what we would know of its
# AUC, if any ranking with these errors were as probable as any other. The AUC of the
# model lies well above: its errors crowd near the threshold.

(true_neg, false_pos), (false_neg, true_pos) = confusion_matrix(
    y_test, model.predict(X_test)
)
result = auc_range_from_errors(
    true_pos + false_neg,
    true_neg + false_pos,
    n_false_pos=false_pos,
    n_false_neg=false_neg,
)
low, high = result.range
print(f"95% of such rankings: AUC {low:.3f} to {high:.3f}, by {result.method}")
print(f"all of them:          AUC {result.possible[0]:.3f} to {result.possible[1]:.3f}")
print(f"the model:            AUC {display.point.auc:.3f}")
plt.show()
