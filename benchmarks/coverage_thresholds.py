"""How often thresholds on scores of folds keep their constraint, for several models.

    python benchmarks/coverage_thresholds.py [--seconds 8] [--short] [--models forest]
        [--keep recall]

Prints for each model, number of cases and ``cv`` how often a batch kept a constraint
with confidence 95 %: a capacity of 45 of 300 cases, a recall of 0.8 in 60 positives or
a false positive rate of 0.1 in 240 negatives. Then follow its standard error, the
average and expected share marked, and how often the share of a batch was outside
``fraction_interval_`` without drift. The distribution is exact for ``cv=0.3``. Each row
takes as many samples as the seconds allow (about eight minutes in all), ``--short`` a
tenth. Samples with too few positives for the recall are drawn again.
"""

import argparse
import time
import warnings

import numpy as np
from scipy import special, stats
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skrate import ConstrainedThresholdClassifier

CONFIDENCE = 0.95
# What is kept, the size of the batch, and how many of it may be beyond the threshold.
KEPT = {
    "capacity": ({"capacity": 45, "n_items": 300}, 300, 45),
    "recall": ({"recall": 0.8, "n_pos": 60}, 60, 12),
    "fpr": ({"fpr": 0.1, "n_neg": 240}, 240, 24),
}
N_NEW = 10_000
# Name: the model, and of how many features.
MODELS = {
    "logistic, 5 features": (LogisticRegression(), 5),
    "logistic, 50 features": (LogisticRegression(), 50),
    "logistic C=100, 50 features": (LogisticRegression(C=100, max_iter=1000), 50),
    "naive Bayes, 50 features": (GaussianNB(), 50),
    "forest of 50 trees, 10 features": (RandomForestClassifier(50), 10),
    "boosted trees, 10 features": (HistGradientBoostingClassifier(max_iter=50), 10),
    "tree with leaves of 20, 10 features": (
        DecisionTreeClassifier(min_samples_leaf=20),
        10,
    ),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--models", nargs="*", default=[""])
    parser.add_argument("--keep", choices=KEPT, default="capacity")
    options = parser.parse_args()
    seconds = options.seconds / (10 if options.short else 1)
    head = f"{'model':36} {'n':>5} {'cv':>4} {'kept':>6} {'error':>6}"
    print(f"{head} {'marked':>7} {'expected':>8} {'alarms':>7} {'samples':>7}")
    for name in MODELS:
        if not any(part in name for part in options.models):
            continue
        for n_samples in (200, 500, 2000):
            for cv in (5, 10, 0.3):
                if options.keep == "recall" and (n_samples, cv) == (200, 0.3):
                    continue
                row = simulate(name, n_samples, cv, seconds, options.keep)
                kept, marked, expected, alarms, error, n = row
                print(
                    f"{name:36} {n_samples:5} {cv:4} {kept:6.3f} {error:6.3f} "
                    f"{marked:7.3f} {expected:8.3f} {alarms:7.3f} {n:7}",
                    flush=True,
                )


def simulate(name, n_samples, cv, seconds, kept="capacity", seed=0):
    """Return the means over as many samples as the time allows, and their number.

    Before the number is the standard error of the first mean.
    """
    rng = np.random.default_rng(seed)
    model, n_features = MODELS[name]
    found = []
    end = time.process_time() + seconds
    while len(found) < 2 or (time.process_time() < end and len(found) < 1000):
        found.append(one_sample(model, n_features, n_samples, cv, kept, rng))
    error = np.std(found, axis=0)[0] / np.sqrt(len(found))
    return *np.mean(found, axis=0), error, len(found)


def one_sample(model, n_features, n_samples, cv, kept, rng):
    """Return what a threshold keeps and marks in batches of a large population."""
    options, n_items, most = KEPT[kept]
    classifier = ConstrainedThresholdClassifier(
        model, **options, confidence=CONFIDENCE, cv=cv,
        random_state=int(rng.integers(2**31)),
    )  # fmt: skip
    while True:
        X, y = draw(n_samples, n_features, rng)
        try:
            with warnings.catch_warnings():
                # Ties that leave capacity unused are part of what is measured.
                warnings.simplefilter("ignore")
                classifier.fit(X, y)
            break
        except ValueError as error:
            if "held-out positives" not in str(error):
                raise
    X, y = draw(N_NEW, n_features, rng)
    of = {"capacity": slice(None), "recall": y == 1, "fpr": y == 0}[kept]
    share = classifier.predict(X)[of].mean()
    beyond = 1 - share if kept == "recall" else share
    shares = rng.binomial(n_items, beyond, size=50) / n_items
    if kept == "recall":
        shares = 1 - shares
    low, high = classifier.fraction_interval_
    # Up to rounding, as 1 - 6 / 60 is not 54 / 60.
    is_outside = (shares < low - 1e-12) | (shares > high + 1e-12)
    return (
        stats.binom.cdf(most, n_items, beyond),
        share,
        classifier.expected_fraction_,
        np.mean(is_outside),
    )


def draw(n_samples, n_features, rng):
    """Return cases of which a fifth is positive; five features tell which."""
    X = rng.normal(size=(n_samples, n_features))
    chance = special.expit(X[:, :5].sum(axis=1) * 0.7 - 1.9)
    return X, (rng.random(n_samples) < chance).astype(int)


if __name__ == "__main__":
    main()
