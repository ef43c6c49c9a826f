"""How often intervals of folds hold, where there is hardly enough to train on.

    python benchmarks/coverage_starved_folds.py

Prints for each design the share of 400 samples whose interval of 95 % holds the mean
AUC of the models that were trained, which is known exactly, with the standard error of
that (half a minute).
"""

import numpy as np
from scipy import special
from sklearn.linear_model import LogisticRegression

from skrate import cross_val_rankings, estimate

# Cases, positives on average, features, folds.
DESIGNS = [
    (200, 60, 50, 5),
    (200, 100, 60, 5),
    (500, 50, 20, 5),
    (500, 50, 20, 10),
    (500, 150, 5, 5),
]
# Features that tell the classes apart, by this many standard deviations each.
N_TELLING, SHIFT = 8, 0.5


def held(n_cases, n_pos, n_features, n_folds, n_simulations, seed=0):
    """Return the share of samples whose interval holds what it estimates."""
    generator = np.random.default_rng(seed)
    shift = np.where(np.arange(n_features) < N_TELLING, SHIFT, 0.0)
    n_held = 0
    for _ in range(n_simulations):
        y = (generator.random(n_cases) < n_pos / n_cases).astype(int)
        X = generator.normal(size=(n_cases, n_features)) + y[:, None] * shift
        rankings = cross_val_rankings(
            LogisticRegression(), X, y, cv=n_folds, return_estimator=True
        )
        of_models = [model.coef_[0] for model in rankings.estimators]
        aucs = [
            special.ndtr(weights @ shift / np.sqrt(2 * weights @ weights))
            for weights in of_models
        ]
        low, high = estimate("roc_auc", rankings).confidence_interval
        n_held += low <= np.mean(aucs) <= high
    return n_held / n_simulations


def main(n_simulations=400):
    for design in DESIGNS:
        share = held(*design, n_simulations)
        error = np.sqrt(share * (1 - share) / n_simulations)
        print(*design, f"{share:.3f} ({error:.3f})", flush=True)


if __name__ == "__main__":
    main()
