"""How often thresholds on scores of folds keep the capacity, for several models.

    python benchmarks/coverage_thresholds.py [--seconds 8] [--short] [--models forest]

Prints for each model, number of cases and ``cv`` how often a batch of 300 was within
a capacity of 45 that was to be kept with 95 %, with the standard error of that, the
share marked on average beside the expected one, and how often ``achieved_rate`` gave
p < 0.05 without any drift. The law is exact for ``cv=0.3``. Each row takes as many
samples as the seconds allow (all in all about eight minutes), ``--short`` a tenth.
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

from skrate import RateThresholdClassifier

N_ITEMS, CAPACITY, CONFIDENCE = 300, 45, 0.95
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
    options = parser.parse_args()
    seconds = options.seconds / (10 if options.short else 1)
    head = f"{'model':36} {'n':>5} {'cv':>4} {'kept':>6} {'error':>6}"
    print(f"{head} {'marked':>7} {'expected':>8} {'alarms':>7} {'samples':>7}")
    for name in MODELS:
        if not any(part in name for part in options.models):
            continue
        for n_cases in (200, 500, 2000):
            for cv in (5, 10, 0.3):
                row = simulate(name, n_cases, cv, seconds)
                kept, marked, expected, alarms, error, n = row
                print(
                    f"{name:36} {n_cases:5} {cv:4} {kept:6.3f} {error:6.3f} "
                    f"{marked:7.3f} {expected:8.3f} {alarms:7.3f} {n:7}",
                    flush=True,
                )


def simulate(name, n_cases, cv, seconds, seed=0):
    """Return the means over as many samples as the time allows, and their number.

    Before the number is the standard error of the first mean.
    """
    rng = np.random.default_rng(seed)
    model, n_features = MODELS[name]
    found = []
    end = time.process_time() + seconds
    while len(found) < 2 or (time.process_time() < end and len(found) < 1000):
        found.append(one_sample(model, n_features, n_cases, cv, rng))
    error = np.std(found, axis=0)[0] / np.sqrt(len(found))
    return *np.mean(found, axis=0), error, len(found)


def one_sample(model, n_features, n_cases, cv, rng):
    """Return what a threshold keeps and marks in batches of a large population."""
    X, y = draw(n_cases, n_features, rng)
    classifier = RateThresholdClassifier(
        model, capacity=CAPACITY, n_items=N_ITEMS, confidence=CONFIDENCE, cv=cv,
        random_state=int(rng.integers(2**31)),
    )  # fmt: skip
    with warnings.catch_warnings():
        # Ties that leave capacity unused are part of what is measured.
        warnings.simplefilter("ignore")
        classifier.fit(X, y)
    cases = draw(N_NEW, n_features, rng)[0]
    new = classifier.achieved_rate(cases)
    law = classifier._cut.law_without_ties(N_ITEMS)
    # Above the threshold, at it and below it: ties leave the last two apart.
    n_from = np.count_nonzero(classifier._scores(cases) >= classifier._cut.at)
    tied = n_from / N_NEW - new.rate
    batches = rng.multinomial(N_ITEMS, [new.rate, tied, 1 - new.rate - tied], size=50)
    alarms = [law.pvalue(above, above + at) < 0.05 for above, at, _ in batches]
    return (
        stats.binom.cdf(CAPACITY, N_ITEMS, new.rate),
        new.rate,
        classifier.expected_rate_,
        np.mean(alarms),
    )


def draw(n_cases, n_features, rng):
    """Return cases of which a fifth is positive; five features tell which."""
    X = rng.normal(size=(n_cases, n_features))
    chance = special.expit(X[:, :5].sum(axis=1) * 0.7 - 1.9)
    return X, (rng.random(n_cases) < chance).astype(int)


if __name__ == "__main__":
    main()
