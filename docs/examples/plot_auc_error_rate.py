"""
=====================================
What an error rate says about the AUC
=====================================

Two models make about the same number of errors, but one ranks better. What do the error
rates alone show?
"""

# %%
# Mean and spread of the AUC for a known number of errors
# -------------------------------------------------------
# The curves show the mean and the relative standard deviation of the AUC over all
# rankings and thresholds with a given number of errors, as in figure 3 of Cortes and
# Mohri (2003). They end at the error rate of assigning every case to the larger class.
# For classes of equal size, the mean AUC is one minus the error rate; the rarer one
# class is, the faster the mean falls and the more the AUC varies.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from skrate.displays import AUCErrorRateDisplay
from skrate.error_rate import auc_range_from_errors

_, axes = plt.subplots(1, 2, figsize=(8, 4.2), layout="constrained")
kinds = ("mean", "relative_deviation")
for ax, kind in zip(axes, kinds, strict=True):
    AUCErrorRateDisplay.from_class_ratios(ax=ax, kind=kind)

# %%
# Models as points
# ----------------
# One case in five is positive, and the classes overlap considerably. Two models call
# few cases positive, so they make almost as many errors as calling none positive. But
# both rank far better than the error rates suggest, and one better than the other. The
# bar shows the mean ± two standard deviations.

rng = np.random.default_rng(0)
X = rng.normal(size=(4_000, 5))
signal = X[:, 0] + X[:, 1] * X[:, 2]
y = (signal + rng.normal(scale=2, size=4_000) > 2).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=1_000, random_state=0
)
model = HistGradientBoostingClassifier(max_iter=50)
model.fit(X_train, y_train)
plain = LogisticRegression().fit(X_train, y_train)

other = AUCErrorRateDisplay.from_estimator(plain, X_test, y_test)
# sphinx_gallery_thumbnail_number = 2
display = AUCErrorRateDisplay.from_estimator(
    model, X_test, y_test, ax=other.ax_
)
print(f"share of positives {y_test.mean():.3f}")
for drawn in (other, display):
    print(f"{drawn.name}: error rate {drawn.point.error_rate:.3f}")

# %%
# From a published confusion matrix
# ---------------------------------
# Suppose we knew only the confusion matrix of the second model. If all rankings with
# these errors were equally probable, its AUC would be in the following range. The
# actual AUC is well above, because the model's errors cluster near the threshold.

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
least, most = result.possible
print(f"95% of such rankings: AUC {low:.3f} to {high:.3f}")
print(f"all of them:          AUC {least:.3f} to {most:.3f}")
print(f"the model:            AUC {display.point.auc:.3f}")
plt.show()
