"""
The best of many
================

Twenty models were tested on 300 patients, and the best is reported. Its score is
optimistic. How good will the model be on new patients, and which of the others may be
better?
"""

# %%
# Models 0 to 19 are increasingly good, and their scores are correlated.
import numpy as np

from skrate import ranking_auc_score, select_best

rng = np.random.default_rng(0)


def scored(n):
    """Return labels, and the scores of twenty models."""
    is_ill = rng.random(n) < 0.3
    noise = rng.normal(size=(n, 1)) + rng.normal(size=(n, 20))
    return is_ill, is_ill[:, None] * np.linspace(
        0.5, 1.3, 20
    ) + 0.7 * noise


is_ill, scores = scored(300)
names = [f"model {i}" for i in range(20)]
models = dict(zip(names, scores.T, strict=True))
best = select_best(
    "roc_auc", is_ill, models, margin=0.05, random_state=0
)
print(best)

# %%
# The diamond is the corrected estimate for the winner. Grey models are significantly
# worse than the best; the blue ones are not.
best.plot()

# %%
# A million new patients show the winner's true performance.
is_ill, scores = scored(1_000_000)
truth = ranking_auc_score(is_ill, scores[:, names.index(best.best)])
print(f"measured {best.value:.3f}, true {truth:.3f}")
print(f"corrected {best:.3f[]}")
