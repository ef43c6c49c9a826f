"""How often the interval of the best of many models covers its value on new cases.

    python benchmarks/coverage_best.py --simulations 300
    python benchmarks/coverage_best.py --simulations 150 --retrained

Prints for each design how far the value as measured and the corrected value are above
the truth on average, how often both intervals cover it, and how often the set has the
best model. Scores are fixed, or with ``--retrained`` learnt in five folds; the truth is
then the mean of the winner's five models on 200,000 new cases.
"""

import argparse
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skrate import cross_val_rankings, estimate, rates, select_best

N_NEW = 200_000
RATE = {"rate": 0.2}
# Metric, cases, models, correlation of scores, prevalence, noise, how far mean scores
# of positives fall from the best to the worst model, and how: evenly, for half of the
# models, or for all except the best.
FIXED = (
    ("roc_auc", 60, 5, 0.0, 0.5, "normal", 0.0, "even"),
    ("roc_auc", 60, 50, 0.5, 0.4, "t3", 0.0, "even"),
    ("roc_auc", 300, 30, 0.5, 0.1, "lognormal", 0.0, "even"),
    ("roc_auc", 300, 200, 0.0, 0.3, "normal", 0.0, "even"),
    ("roc_auc", 2000, 200, 0.8, 0.1, "t3", 0.0, "even"),
    ("roc_auc", 300, 30, 0.5, 0.3, "normal", 0.5, "even"),
    ("roc_auc", 1000, 10, 0.9, 0.2, "normal", 0.2, "even"),
    ("recall_at_rate", 300, 30, 0.5, 0.3, "normal", 0.0, "even"),
    ("recall_at_rate", 200, 100, 0.5, 0.2, "t3", 0.0, "even"),
    ("recall_at_rate", 1000, 20, 0.5, 0.1, "lognormal", 0.3, "even"),
    ("average_precision", 300, 30, 0.5, 0.2, "normal", 0.0, "even"),
    ("average_precision", 1000, 100, 0.5, 0.1, "normal", 0.3, "even"),
    ("roc_auc", 200, 40, 0.5, 0.3, "normal", 0.4, "half"),
    ("roc_auc", 300, 30, 0.5, 0.3, "normal", 0.2, "rest"),
    ("roc_auc", 300, 100, 0.0, 0.3, "normal", 0.5, "rest"),
    ("roc_auc", 150, 2, 0.5, 0.3, "normal", 0.1, "rest"),
    ("recall_at_rate", 300, 30, 0.0, 0.2, "normal", 0.4, "rest"),
    ("rate_weighted_auc", 300, 50, 0.5, 0.2, "normal", 0.4, "even"),
    ("roc_auc", 120, 15, 0.7, 0.3, "t3", 0.4, "even"),
    ("roc_auc", 500, 40, 0.0, 0.2, "lognormal", 0.3, "half"),
    ("roc_auc", 2000, 20, 0.8, 0.1, "t3", 0.0, "even"),
    ("recall_at_rate", 400, 10, 0.3, 0.2, "normal", 0.3, "rest"),
    ("roc_auc", 300, 50, 0.5, 0.3, "t3", 0.4, "rest"),
    ("roc_auc", 300, 100, 0.0, 0.3, "normal", 0.35, "rest"),
    ("average_precision", 400, 50, 0.5, 0.2, "normal", 0.4, "rest"),
    ("recall_at_rate", 200, 20, 0.3, 0.08, "normal", 0.2, "even"),
    # Not seen when the correction was chosen.
    ("roc_auc", 400, 60, 0.4, 0.25, "normal", 0.4, "rest"),
    ("roc_auc", 250, 25, 0.3, 0.4, "lognormal", 0.0, "even"),
    ("roc_auc", 150, 10, 0.2, 0.3, "t3", 0.2, "half"),
    ("recall_at_rate", 500, 50, 0.5, 0.2, "normal", 0.3, "rest"),
)
RETRAINED = (("noise", 200), ("linear", 200), ("products", 300))


def noise(rng, kind, shape):
    """Return noise of variance about 1."""
    if kind == "t3":
        return rng.standard_t(3, size=shape) / np.sqrt(3)
    if kind == "lognormal":
        return rng.lognormal(0, 0.7, size=shape) - np.exp(0.245)
    return rng.normal(size=shape)


def scored(rng, n, distances, correlation, prevalence, kind):
    """Return labels, and the scores of a model for each distance of the classes."""
    is_pos = rng.random(n) < prevalence
    shared = np.sqrt(correlation) * noise(rng, kind, (n, 1))
    apart = np.sqrt(1 - correlation) * noise(rng, kind, (n, len(distances)))
    return is_pos, shared + apart + is_pos[:, None] * distances


def params_of(metric):
    """Return the parameters of a metric."""
    if metric == "rate_weighted_auc":
        return {"rate": rates.beta(3, 9)}
    return RATE if metric == "recall_at_rate" else {}


def distances_of(n_models, fall, how):
    """Return the mean score of positives of each model, the best first."""
    place = np.arange(n_models) / (n_models - 1)
    lost = {"even": place, "half": place >= 0.5, "rest": place > 0}[how]
    return 1 - fall * lost


def of_fixed(metric, n, n_models, correlation, prevalence, kind, fall, how, n_samples):
    """Yield what was found in each sample, beside the truth."""
    rng, distances = np.random.default_rng(0), distances_of(n_models, fall, how)
    design, params = (correlation, prevalence, kind), params_of(metric)
    truths = {}
    for sample in range(n_samples):
        is_pos, scores = scored(rng, n, distances, *design)
        found = select_best(
            metric, is_pos, scores, n_resamples=500, random_state=sample, **params
        )
        distance = distances[int(found.best)]
        if distance not in truths:
            new = scored(np.random.default_rng(7), N_NEW, [distance], *design)
            truths[distance] = estimate(metric, new[0], new[1][:, 0], **params).value
        yield found, truths[distance], "0" in found.set


def learnt(rng, n, kind):
    """Return features and labels."""
    X = rng.normal(size=(n, 20))
    if kind == "products":
        X = rng.standard_t(4, size=(n, 20))
    mean = {
        "noise": np.zeros(n),
        "linear": X[:, :4] @ [1, 0.7, -0.5, 0.5],
        "products": X[:, 0] * X[:, 1] + X[:, 2],
    }[kind]
    return X, rng.random(n) < 1 / (1 + np.exp(1 - mean))


def learners():
    """Return 24 models by name."""
    found = {
        f"tree {depth} {leaf}": DecisionTreeClassifier(
            max_depth=depth, min_samples_leaf=leaf, random_state=0
        )
        for depth in (1, 2, 3, 5, 8)
        for leaf in (1, 5, 20)
    }
    for C in (0.001, 0.01, 0.1, 1, 10, 100):
        model = LogisticRegression(C=C, max_iter=300)
        found[f"logistic {C}"] = make_pipeline(StandardScaler(), model)
    for smoothing in (1e-9, 0.1, 1):
        found[f"bayes {smoothing}"] = GaussianNB(var_smoothing=smoothing)
    return found


def of_retrained(kind, n, n_samples):
    """Yield what was found in each sample, beside the truth of the winner's folds."""
    rng = np.random.default_rng(5)
    X_new, y_new = learnt(np.random.default_rng(99), N_NEW, kind)
    for sample in range(n_samples):
        X, y = learnt(rng, n, kind)
        folds = {
            name: cross_val_rankings(model, X, y, cv=5, return_estimator=True)
            for name, model in learners().items()
        }
        found = select_best("roc_auc", folds, n_resamples=500, random_state=sample)
        models = folds[found.best].estimators
        scores = [model.predict_proba(X_new)[:, 1] for model in models]
        values = [estimate("roc_auc", y_new, one).value for one in scores]
        yield found, np.mean(values), True


def main():
    """Print a line for each design."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("--retrained", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    designs, run = (RETRAINED, of_retrained) if options.retrained else (FIXED, of_fixed)
    for design in designs:
        rows = []
        for found, truth, has_best in run(*design, options.simulations):
            low, high = found.confidence_interval
            first, last = found.intervals[found.names.index(found.best)]
            rows.append(
                [
                    *(found.value - truth, found.corrected_value - truth),
                    *(first <= truth <= last, low <= truth <= high, has_best),
                ]
            )
        above, corrected, alone, covered, has_best = np.mean(rows, axis=0)
        print(
            *design, f"measured {above:+.4f}, corrected {corrected:+.4f}, covered "
            f"{alone:.3f} and {covered:.3f}, best in set {has_best:.3f}", flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
