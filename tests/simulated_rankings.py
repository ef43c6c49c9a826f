"""Cross-validations of a linear model on normal classes, whose true metrics are known.

Positives lie ``shift`` further along the first of five features. The model projects on
the difference of the class means of its training cases, so that its scores are normal
in each class, with the same variance, and a distance that follows from its direction.
"""

import numpy as np
from scipy import stats
from sklearn.model_selection import RepeatedStratifiedKFold

from skrate import FoldRankings

_STEPS = np.linspace(-9, 9, 4001)


def cross_validated(generator, n, prevalence, shift, n_splits, n_repeats=1, noise=0.0):
    """Return the rankings, and how far apart each model's classes really are.

    ``noise`` moves the directions of the models at random.
    """
    is_pos = generator.random(n) < prevalence
    is_pos[: 2 * n_splits] = np.arange(2 * n_splits) % 2
    features = generator.normal(size=(n, 5))
    features[:, 0] += shift * is_pos
    splitter = RepeatedStratifiedKFold(
        n_splits=n_splits, n_repeats=n_repeats, random_state=int(generator.integers(99))
    )
    tests, scores, shifts = [], [], []
    for train, test in splitter.split(features, is_pos):
        of_pos = features[train][is_pos[train]].mean(axis=0)
        direction = of_pos - features[train][~is_pos[train]].mean(axis=0)
        direction += noise * generator.normal(size=5)
        tests.append(test)
        scores.append(features[test] @ direction)
        shifts.append(shift * direction[0] / np.linalg.norm(direction))
    rows = np.concatenate(tests)
    rankings = FoldRankings(
        is_pos[rows],
        np.concatenate(scores),
        np.repeat(np.arange(len(tests)), [len(test) for test in tests]),
        indices=rows,
    )
    return rankings, np.array(shifts)


def true_auc(shifts, prevalence):
    """Return the mean AUC of models."""
    return float(stats.norm.cdf(shifts / np.sqrt(2)).mean())


def true_recall(shifts, prevalence, rate=0.2):
    """Return the mean recall of models at a rate."""
    negatives = (1 - prevalence) * stats.norm.sf(_STEPS)
    return float(
        np.mean(
            [
                np.interp(rate, (prevalence * tpr + negatives)[::-1], tpr[::-1])
                for tpr in (stats.norm.sf(_STEPS - shift) for shift in shifts)
            ]
        )
    )
