"""
A monitor with an audit budget of 1 %
=====================================

A monitor scores 200,000 messages for violations of the rules. People
can audit 1 % of the messages. Which recall does the monitor have if
it may flag 1 % of the harmless messages? How many audits does a
narrower interval need?
"""

# %%
# The audits
# ----------
# The data are simulated. The 1,000 messages with the highest scores
# are always audited, and 1,000 of the other messages are drawn at
# random. ``design`` says that both numbers were fixed in advance.

import matplotlib.pyplot as plt
import numpy as np

from skrate import estimate, labels, recall_at_fpr_score

rng = np.random.default_rng(0)
is_violation = rng.random(200_000) < 0.03
score = rng.normal(size=is_violation.size) + 2.5 * is_violation
n_top = 1_000
is_top = score >= np.sort(score)[-n_top]


def audit(n_random):
    """Return labels by audits of the top and of a random part."""
    rest = np.flatnonzero(~is_top)
    is_audited = is_top.copy()
    is_audited[rng.choice(rest, n_random, replace=False)] = True
    return labels.sampled(
        np.where(is_audited, is_violation, np.nan),
        np.where(is_top, 1, n_random / rest.size),
        design=is_top,
    )


def estimate_recall(y_audited):
    return estimate("recall_at_fpr", y_audited, score, fpr=0.01)


# %%
# The recall
# ----------
# An audited message from the random part represents 199 messages.
# Without these weights, the recall would be wrong, because half
# of the audits are in the top.

result = estimate_recall(audit(1_000))
print(result)

# %%
# The number of audits
# --------------------
# The top is already audited, so the uncertainty comes from the random
# part. The standard error is approximately proportional to one divided
# by the square root of the number of random audits.

target = 0.05
n_random = int(1_000 * (result.standard_error / target) ** 2)
n_random = -(-n_random // 100) * 100
print(f"random audits: {n_random:,}")
print(f"all audits: {(n_top + n_random) / score.size:.1%}")

# %%
# Because the labels are simulated, this can be checked. The figure
# shows ten draws of each number of audits, with 95 % intervals. The
# horizontal line is the recall with all labels.

truth = recall_at_fpr_score(is_violation, score, fpr=0.01)
_, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
for position, (n, color, marker) in enumerate(
    ((1_000, "#D55E00", "s"), (n_random, "#0072B2", "o"))
):
    results = [estimate_recall(audit(n)) for _ in range(10)]
    errors = [r.standard_error for r in results]
    print(f"{n:,}: median standard error {np.median(errors):.3f}")
    x = position + np.linspace(-0.3, 0.3, len(results))
    low, high = np.transpose(
        [r.confidence_interval for r in results]
    )
    ax.vlines(x, low, high, color=color)
    ax.plot(
        x, [r.value for r in results], marker, color=color, ms=4
    )
ax.axhline(truth, color="black", linewidth=1)
ax.set_xticks(
    range(2), ["1,000 random audits", f"{n_random:,} random audits"]
)
ax.set(
    ylabel="Recall at a false positive rate of 0.01", ylim=(0, 1)
)
ax.spines[["top", "right"]].set_visible(False)

# %%
# The decision: audit 2.8 % of the messages once instead of 1 %,
# because an interval from 0.45 to 0.84 does not show whether the
# monitor finds half of the violations or most of them.
plt.show()
