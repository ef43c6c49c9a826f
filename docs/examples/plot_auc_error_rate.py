"""
=====================================
What an error rate says about the AUC
=====================================

Two models make about as many errors, and one ranks better. What do their error rates
alone show?
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
# One case in five is positive, and the classes overlap much. Two models call few cases
# positive and so make hardly fewer errors than calling none; but both put the cases in
# a far better order than such errors suggest, one better than the other. The bar is the
# mean plus and minus two standard deviations.

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
# Had we read only the confusion matrix of the second model, this is what we would know
# of its AUC, if any ranking with these errors were as probable as any other. The AUC of
# the model lies well above: its errors crowd near the threshold.

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
