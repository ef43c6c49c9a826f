"""
Fraud with delayed labels: replace the champion?
================================================

A model, the champion, scores 4,000 transfers a week. The top 5 % are
blocked and looked into, so that their labels are known. Another model
is said to find more. But most of what only the challenger would block
was never labelled. How few more labels does an answer take?
"""

# %%
# The weeks
# ---------
# About 3 % of the transfers are fraud, at first. The challenger finds
# more of it, which nobody knows yet. Customers report fraud within
# four weeks: labels come in late.

import matplotlib.pyplot as plt
import numpy as np

from skrate.labels import Challenge

N_TRANSFERS, RATE, DELAY, N_WEEKS = 4_000, 0.05, 4, 20


def transfers(week):
    """Return which are fraud, and the scores of both models."""
    rng = np.random.default_rng(week)
    is_fraud = rng.random(N_TRANSFERS) < 0.03 + 0.0005 * week
    shared, *apart = 0.7 * rng.normal(size=(3, N_TRANSFERS))
    champion, challenger = (
        shared + own + shift * is_fraud
        for own, shift in zip(apart, (1.5, 2.1), strict=True)
    )
    return is_fraud, champion, challenger


# %%
# 100 more labels a week
# ----------------------
# Each week 100 transfers are allowed and followed up, to learn what
# they are. `Challenge` plans them where the models disagree. With
# ``floor=1`` they are drawn at random. Their labels come in four weeks
# later, when newer weeks are planned already: the plan goes with them.


def challenged(floor):
    challenge = Challenge(
        "precision_at_rate",
        n_labels=100,
        n_weeks=N_WEEKS,
        floor=floor,
        random_state=0,
        rate=RATE,
    )
    on_the_way, decided = [], None
    for week in range(N_WEEKS + DELAY):
        if week < N_WEEKS:
            is_fraud, champion, challenger = transfers(week)
            is_blocked = champion >= np.quantile(champion, 1 - RATE)
            known = np.where(is_blocked, is_fraud, np.nan)
            plan = challenge.plan(champion, challenger, known=known)
            is_labelled = plan.is_drawn | is_blocked
            labels = np.where(is_labelled, is_fraud, np.nan)
            on_the_way.append((plan, labels))
        if week >= DELAY:
            plan, labels = on_the_way.pop(0)
            challenge.update(labels, plan=plan)
            if decided is None and challenge.decision != "go on":
                decided = len(challenge.comparison.values)
    return challenge, decided


ways = {
    "100 planned labels a week": challenged(0.1),
    "100 random labels a week": challenged(1.0),
}
for name, (challenge, decided) in ways.items():
    weeks = decided or len(challenge.comparison.values)
    print(f"{name}: {challenge.decision}, after {weeks} weeks")

# %%
# The decision
# ------------
# The intervals hold in all weeks together, so that one may look every
# week, and decide once 0 is outside. That takes 4 weeks at least, until
# the variance is known. The labels of a decision come in four weeks
# after its last transfers.

fig, axes = plt.subplots(
    1, 2, figsize=(9, 4), sharey=True, layout="constrained"
)
for ax, (name, (challenge, decided)) in zip(
    axes, ways.items(), strict=True
):
    challenge.comparison.plot(
        ax,
        curve_kwargs={
            "label": "challenger \N{MINUS SIGN} champion"
        },
    )
    if decided is not None:
        ax.axvline(decided, color="#D55E00", linestyle="--")
        ax.annotate(
            f"{challenge.decision}: week {decided}",
            (decided, 0.98),
            xycoords=("data", "axes fraction"),
            xytext=(4, 0),
            textcoords="offset points",
            color="#D55E00",
            va="top",
        )
    ax.set(title=name, xlabel="Weeks whose labels came in")
axes[1].set_ylabel("")

# %%
# A plan is for one metric: these labels say little of another, such as
# the AUC, and estimates of it warn. If both models were equally good,
# the chance of ever deciding would be at most 5 %. Labels of all cases
# would need :func:`skrate.compare_batches`.
plt.show()
