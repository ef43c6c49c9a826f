"""Coverage of intervals over folds with few cases to train on or to test.

    python benchmarks/coverage_starved_folds.py [--simulations 400]

Prints for each design how often the 95 % interval of these models covers the mean AUC
of the trained models; how often this interval, and the interval of retrained models,
cover the AUC of a model trained on all cases; and the ratio of their widths. All these
AUCs are known exactly. Then, for the average precision of folds with few positives: how
far the mean over folds exceeds the average precision of many cases, before and after
the correction, and how often the interval covers it (some minutes).
"""

import argparse

import numpy as np
from scipy import integrate, special, stats
from sklearn.linear_model import LogisticRegression

from skrate import FoldRankings, cross_val_rankings, estimate

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

# Positives and negatives in a fold; the law of the scores, and the shift of positives.
FEW = [(2, 38), (3, 57), (5, 95), (10, 90), (20, 180)]
LAWS = {
    "normal, 1": (stats.norm(), 1.0),
    "normal, 2.5": (stats.norm(), 2.5),
    "t3, 2.5": (stats.t(3), 2.5),
}


def held(n_samples, n_pos, n_features, n_folds, n_simulations, seed=0):
    """Return three shares of samples whose interval holds, and the widths' ratio."""
    generator = np.random.default_rng(seed)
    shift = np.where(np.arange(n_features) < N_TELLING, SHIFT, 0.0)

    def auc(model):
        weights = model.coef_[0]
        return special.ndtr(weights @ shift / np.sqrt(2 * weights @ weights))

    found, widths = [], []
    for _ in range(n_simulations):
        y = (generator.random(n_samples) < n_pos / n_samples).astype(int)
        X = generator.normal(size=(n_samples, n_features)) + y[:, None] * shift
        rankings = cross_val_rankings(
            LogisticRegression(), X, y, cv=n_folds, return_estimator=True
        )
        of_models = np.mean([auc(model) for model in rankings.estimators])
        of_all = auc(LogisticRegression().fit(X, y))
        result = estimate("roc_auc", rankings)
        these, again = result.confidence_interval, result.confidence_interval_retrained
        pairs = (these, of_models), (these, of_all), (again, of_all)
        found.append([ends.low <= true <= ends.high for ends, true in pairs])
        widths.append([ends.high - ends.low for ends in (these, again)])
    of_these, of_again = np.mean(widths, axis=0)
    return *np.mean(found, axis=0), of_again / of_these


def precision_held(n_folds, n_pos, n_neg, distribution, shift, n_simulations, seed=0):
    """Return the bias of the mean over folds, what is left of it, and who holds."""
    p = n_pos / (n_pos + n_neg)

    def precision(recall):
        return (
            p
            * recall
            / (p * recall + (1 - p) * distribution.sf(shift + distribution.isf(recall)))
        )

    truth = integrate.quad(precision, 0, 1, limit=200)[0]
    generator = np.random.default_rng(seed)
    y_true = np.tile(np.repeat([1, 0], [n_pos, n_neg]), n_folds)
    fold = np.repeat(np.arange(n_folds), n_pos + n_neg)
    found = []
    for _ in range(n_simulations):
        y_score = distribution.rvs(len(fold), random_state=generator) + shift * y_true
        rankings = FoldRankings(y_true, y_score, fold)
        result = estimate("average_precision", rankings, stratify=True)
        low, high = result.confidence_interval
        above = result.value - truth
        found.append((above, above - (result.bias or 0.0), low <= truth <= high))
    return np.mean(found, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=400)
    n_simulations = parser.parse_args().simulations
    print("cases, positives, features, folds: models, all cases, retrained, width")
    for design in DESIGNS:
        numbers = held(*design, n_simulations)
        print(*design, *(f"{number:.3f}" for number in numbers), flush=True)
    print("\nfolds, positives, negatives, scores: bias, what is left of it, held")
    for n_folds in (5, 10):
        for few in FEW:
            for name, distribution in LAWS.items():
                numbers = precision_held(n_folds, *few, *distribution, n_simulations)
                shown = (f"{number:.3f}" for number in numbers)
                print(n_folds, *few, f"{name:12}", *shown, flush=True)


if __name__ == "__main__":
    main()
