"""
A threshold that keeps the capacity
===================================

Each week 300 new cases come in one by one, and there is room to look again at 40 of
them. Whether a case is one of these has to be decided when it comes, so that a
threshold is needed. Which one keeps the room?
"""

# %%
# A year of weeks
# ---------------
# A model is trained on 2,000 cases, and weeks of 300 follow. From week 40 on, something
# else is measured: all values of one feature are higher than they were.

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
# Both are found on scores of cases that the scoring model had not seen. The first
# marks 40 of 300 on average, the second at most 40 in 95 of 100 weeks: in it are both
# the chance of a week and that of the cases on which it was found.

average = ConstrainedThresholdClassifier(
    LogisticRegression(), capacity=40, n_items=300
)
kept = clone(average).set_params(confidence=0.95)
for model in (average, kept):
    model.fit(X, y)
    expected = 300 * model.expected_rate_
    print(f"{model.threshold_:.3f} marks {expected:.1f} of 300")

# %%
# What they mark
# --------------

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for model, name, marker in (
    (average, "on average", "o"),
    (kept, "with 95 % confidence", "s"),
):
    marked = np.array([model.predict(week).sum() for week in weeks])
    usual = marked[:40] > 40
    print(f"{name}: {usual.sum()} of 40 weeks had more than 40")
    ax.plot(marked, marker, markersize=4, label=f"kept {name}")
ax.axhline(40, color="black", linewidth=1, label="room for 40")
ax.axvspan(39.5, 52, color="0.9", zorder=0)
ax.text(46, 4, "other values", ha="center")
ax.set(xlabel="week", ylabel="cases marked", ylim=(0, None))
ax.legend(loc="lower left")

# %%
# Is it still so?
# ---------------
# The number marked has a known law as long as new cases are like those on which the
# threshold was found. In the shaded weeks they are not: no labels are needed to see
# it. Four weeks are pooled: that finds smaller changes, and 13 looks a year give fewer
# false alarms than 52, which ``looks=`` makes up for. Once it has changed, recent cases
# are needed for a new threshold.

for first in (30, 40):
    month = np.concatenate(weeks[first : first + 4])
    print(kept.achieved_share(month, looks=13))
plt.show()
