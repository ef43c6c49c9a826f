"""
When to stop boosting
=====================

Early stopping keeps the round that is best according to the metric it monitors. If the
rare class is upweighted and the metric is the log loss, training stops at once; if the
metric is the expected recall within the budget, training goes on.
"""

# %%
# Rare positives, upweighted
# --------------------------
# One case in twenty is positive. As is common practice, the positives are weighted so
# that their total weight equals the total weight of the negatives. The predicted
# probabilities then come out far too high, which does not matter if you only need a
# ranking.

import lightgbm as lgb
import matplotlib.pyplot as plt
import numpy as np

from skrate import compare, eval_metric, rates
from skrate import recall_at_rate_score as recall

rng = np.random.default_rng(0)
X = rng.normal(size=(24_000, 8))
signal = X[:, 0] + X[:, 1] * X[:, 2] + np.abs(X[:, 3])
y = signal + rng.normal(size=24_000) * 1.5 > 4.2
train, valid, test = np.split(np.arange(24_000), 3)
X_valid, y_valid = X[valid], y[valid]
print(f"{y.mean():.1%} positive")

# %%
# Between 2 and 10 % of the cases will be processed. The share of positives that we can
# expect to find is the expected recall, and LightGBM can monitor it just like its own
# metrics.

budget = rates.from_quantiles({0.025: 0.02, 0.975: 0.1})
found = eval_metric(
    recall, library="lightgbm", name="recall", rate=budget
)

# %%
# Two runs
# --------
# The two runs differ only in the metric monitored; both stop after 25 rounds without
# improvement.


def run(metric, feval=None):
    params = {
        "objective": "binary",
        "is_unbalance": True,
        "metric": metric,
        "num_leaves": 8,
        "learning_rate": 0.05,
        "num_threads": 1,
        "verbose": -1,
    }
    history = {}
    data = lgb.Dataset(X[train], y[train])
    watch = [
        lgb.early_stopping(25, verbose=False),
        lgb.record_evaluation(history),
    ]
    model = lgb.train(
        params,
        data,
        num_boost_round=400,
        valid_sets=[data.create_valid(X_valid, y_valid)],
        feval=feval,
        callbacks=watch,
    )
    return model, history["valid_0"]


by_loss, _ = run("binary_logloss")
by_budget, history = run("None", found)
print(f"log loss monitored: {by_loss.best_iteration} rounds")
print(
    f"expected recall monitored: {by_budget.best_iteration} rounds"
)

# %%
# The chart shows both metrics over the longer run. With these weights, the
# probabilities after every later round are further from the truth than after the first,
# yet more and more positives move to the top. The expected recall was recorded until
# the run ended, 25 rounds after the best one. The log-loss line stops at the best
# round, because LightGBM discards the later ones for prediction.

recalls = history["recall"]
best = by_budget.best_iteration
some = np.append(np.arange(1, best, 6), best)
losses = []
for n in some:
    p = by_budget.predict(X_valid, num_iteration=n)
    losses.append(-np.log(np.where(y_valid, p, 1 - p)).mean())

fig, (upper, lower) = plt.subplots(
    2, 1, sharex=True, figsize=(6.4, 5), layout="constrained"
)
upper.plot(np.arange(1, len(recalls) + 1), recalls, color="#0072B2")
upper.set(ylabel="expected recall")
lower.plot(some, losses, color="#D55E00")
lower.set(ylabel="log loss", xlabel="Round")
of_budget = {
    "color": "#0072B2",
    "ls": "--",
    "label": "best by the budget",
}
of_loss = {
    "color": "#D55E00",
    "ls": ":",
    "label": "best by the log loss",
}
for ax in (upper, lower):
    ax.axvline(by_budget.best_iteration, **of_budget)
    ax.axvline(by_loss.best_iteration, **of_loss)
upper.legend()

# %%
# On unseen cases
# ---------------
# The validation cases were used to choose the round, so the score on them is
# optimistic. The test cases show how much was really gained:

print(
    compare(
        recall,
        y[test],
        by_budget.predict(X[test]),
        by_loss.predict(X[test]),
        rate=budget,
    )
)
plt.show()
