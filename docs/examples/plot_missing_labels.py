"""
Estimates when labels are missing
=================================

Labels are often known for some cases only, come late, contain
errors, or do not exist yet. Four pictures show what common practice
reports, and what estimates by ``skrate.labels`` report, in 30
simulated data sets each. Black lines are the true values, bars are
95 % intervals.
"""

# %%
# ``picture`` draws all intervals, and counts those that contain the
# true value.

import matplotlib.pyplot as plt
import numpy as np
from scipy import special
from sklearn.linear_model import LogisticRegression

from skrate import compare, estimate, labels

SEEDS = range(30)


def picture(what, truth, found):
    """Draw intervals by method, and count those with the truth."""
    _, ax = plt.subplots(figsize=(6.4, 2.9), layout="constrained")
    ax.axhline(truth, color="black", linewidth=1)
    names = []
    for place, (name, results) in enumerate(found.items()):
        x = place + np.linspace(-0.38, 0.38, len(results))
        values = [result.value for result in results]
        low, high = np.transpose(
            [result.confidence_interval for result in results]
        )
        is_ours = name.startswith("labels.")
        colour = "#0072B2" if is_ours else "#D55E00"
        ax.vlines(x, low, high, color=colour, linewidth=1.5)
        ax.plot(x, values, "o" if is_ours else "s", c=colour, ms=3)
        right = np.sum((low <= truth) & (truth <= high))
        names.append(f"{name}\n{right} of {len(results)} right")
    if ax.get_ylim()[0] < 0:
        ax.axhline(0, color="0.5", linewidth=1, linestyle=":")
    ax.set_xticks(range(len(found)), names)
    ax.tick_params(axis="x", length=0)
    ax.set_ylabel(what)
    ax.spines[["top", "right"]].set_visible(False)
    plt.show()


# %%
# Only what was processed is labelled
# -----------------------------------
# The champion's top tenth is processed, so these cases have labels.
# A quarter of the challenger's other picks and 5 % of the rest were
# labelled at random as well. The challenger finds more positives. If
# unlabelled cases count as negative, it seems to lose. A model of the
# labels of an earlier batch predicts what is positive.


def scored(rng, n):
    """Return labels, and scores of a champion and a challenger."""
    y = rng.random(n) < 0.05
    champion = rng.normal(size=n) + 1.5 * y
    challenger = 0.3 * champion + rng.normal(size=n) + 1.7 * y
    return y, champion, challenger


def is_top(score):
    return score >= np.quantile(score, 0.9)


def challenged(y, champion, challenger):
    return compare(
        "recall_at_rate", y, challenger, champion, rate=0.1
    )


y, *scores = scored(np.random.default_rng(98), 10_000)
model = LogisticRegression().fit(np.transpose(scores), y)
truth = challenged(
    *scored(np.random.default_rng(99), 400_000)
).value
found = {
    "unlabelled = negative": [],
    "labelled samples only": [],
    "labels.sampled": [],
}
for seed in SEEDS:
    rng = np.random.default_rng(seed)
    y, champion, challenger = scored(rng, 10_000)
    probability = np.where(is_top(challenger), 0.25, 0.05)
    probability[is_top(champion)] = 1
    seen = rng.random(len(y)) < probability
    given = np.where(seen, y, np.nan)
    both = np.column_stack([champion, challenger])
    sampled = labels.sampled(
        given,
        probability,
        prediction=model.predict_proba(both)[:, 1],
    )
    ways = [
        (given == 1, champion, challenger),
        (y[seen], champion[seen], challenger[seen]),
        (sampled, champion, challenger),
    ]
    for results, way in zip(found.values(), ways, strict=True):
        results.append(challenged(*way))
picture("challenger - champion,\nrecall at 0.1", truth, found)

# %%
# Labels come late
# ----------------
# A case is positive if it has an event within five years. Follow-up
# of many ends earlier. Dropping these cases keeps early events and
# loses negatives, so the precision is too high. Calling them negative
# makes it too low.


def followed(rng, n):
    """Return scores, and times of events and of losses."""
    score = rng.normal(size=n)
    event = rng.exponential(40 * np.exp(-score))
    return score, event, rng.exponential(8, size=n)


def precision(y, score):
    return estimate("precision_at_rate", y, score, rate=0.1)


score, event, _ = followed(np.random.default_rng(99), 400_000)
truth = precision(event <= 5, score).value
found = {
    "censored dropped": [],
    "censored = negative": [],
    "labels.censored": [],
}
for seed in SEEDS:
    score, event, lost = followed(
        np.random.default_rng(seed), 2_000
    )
    time, has_event = np.minimum(event, lost), event <= lost
    y = has_event & (time <= 5)
    seen = y | (time > 5)
    ways = [
        (y[seen], score[seen]),
        (y, score),
        (labels.censored(time, has_event, 5), score),
    ]
    for results, way in zip(found.values(), ways, strict=True):
        results.append(precision(*way))
picture("precision at 0.1", truth, found)

# %%
# Labels contain errors
# ---------------------
# An annotator recognises 80 % of the positives and 95 % of the
# negatives. A tenth of the cases are positive, so every third
# positive label is wrong, and the AUC is too low.


def separated(rng, n=2_000):
    """Return labels, and scores whose AUC is 0.856."""
    y = rng.random(n) < 0.1
    return y, rng.normal(size=n) + 1.5 * y


truth = special.ndtr(1.5 / np.sqrt(2))
found = {"labels as they are": [], "labels.noisy": []}
for seed in SEEDS:
    rng = np.random.default_rng(seed)
    y, score = separated(rng)
    seen = rng.random(len(y)) < np.where(y, 0.8, 0.05)
    ways = [seen, labels.noisy(seen, 0.8, 0.95)]
    for results, way in zip(found.values(), ways, strict=True):
        results.append(estimate("roc_auc", way, score))
picture("AUC", truth, found)

# %%
# There are no labels yet
# -----------------------
# A model predicts probabilities of new cases. Rounded to labels, they
# say that it is always right. If they are calibrated, they predict
# its AUC. If log-odds are twice as large as they should be, they do
# not, and no interval shows it.

truth = special.ndtr(1.5 / np.sqrt(2))
found = {
    "rounded to 0 or 1": [],
    "labels.predicted": [],
    "labels.predicted,\nfrom a model too sure": [],
}
for seed in SEEDS:
    _, score = separated(np.random.default_rng(seed))
    log_odds = 1.5 * score - 1.5**2 / 2 + np.log(0.1 / 0.9)
    ways = [
        log_odds > 0,
        labels.predicted(special.expit(log_odds)),
        labels.predicted(special.expit(2 * log_odds)),
    ]
    for results, way in zip(found.values(), ways, strict=True):
        results.append(estimate("roc_auc", way, score))
picture("AUC", truth, found)
