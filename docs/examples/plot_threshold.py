"""
A threshold for a limited capacity
==================================

Each week, 300 new cases arrive one by one, and a team can review 40 of them. You must
decide on each case when it arrives, so you need a threshold. Which threshold stays
within the capacity?
"""

# %%
# A year of weeks
# ---------------
# A model is trained on 2,000 cases, and then evaluated in weeks of 300 cases. From week
# 40 on, the data drift: all values of one feature are higher than before.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from skrate import ConstrainedThresholdClassifier

rng = np.random.default_rng(0)


def draw(n, shift=0.0):
    X = rng.normal(size=(n, 5))
    y = X[:, :2].sum(axis=1) + 1.5 * rng.normal(size=n) > 2
    X[:, 0] += shift
    return X, y.astype(int)


X, y = draw(2_000)
shifts = [0.0] * 40 + [0.5] * 12
weeks = [draw(300, shift)[0] for shift in shifts]

# %%
# Two thresholds
# --------------
# Both thresholds come from out-of-fold scores. The first marks 40 of 300 cases on
# average, the second, with 95 % confidence, at most 40 in a week: it allows for the
# variation between weeks and for the sampling error of the threshold.

average = ConstrainedThresholdClassifier(
    LogisticRegression(), capacity=40, n_items=300
)
kept = clone(average).set_params(confidence=0.95)
for model in (average, kept):
    model.fit(X, y)
    expected = 300 * model.expected_rate_
    print(f"{model.threshold_:.3f} marks {expected:.1f} of 300")

# %%
# Number of cases marked
# ----------------------

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for model, name, marker in (
    (average, "on average", "o"),
    (kept, "with 95 % confidence", "s"),
):
    marked = np.array([model.predict(week).sum() for week in weeks])
    usual = marked[:40] > 40
    print(f"{name}: {usual.sum()} of 40 weeks had more than 40")
    ax.plot(marked, marker, markersize=4, label=f"within 40 {name}")
ax.axhline(40, color="black", linewidth=1, label="room for 40")
ax.axvspan(39.5, 52, color="0.9", zorder=0)
ax.text(46, 4, "drifted", ha="center")
ax.set(xlabel="week", ylabel="samples selected", ylim=(0, None))
ax.legend(loc="lower left")

# %%
# Detecting drift
# ---------------
# If new cases are like those that determined the threshold, the number marked has a
# known distribution. In the shaded weeks, it is outside its 95 % interval: you can see
# this without labels. After a change, find a new threshold from recent cases.

low, high = kept.fraction_interval_
for first, last in ((0, 40), (40, 52)):
    shares = [
        kept.predict(week).mean() for week in weeks[first:last]
    ]
    outside = sum(not low <= share <= high for share in shares)
    print(f"weeks {first} to {last - 1}: {outside} outside")
plt.show()
