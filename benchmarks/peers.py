"""Calls of other programs for the table of ratios.

Packages that the benchmarks do not require are imported when called. A peer that cannot
be imported is left out of the table.
"""

import numpy as np
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import ndcg_score, roc_auc_score
from sklearn.model_selection import GridSearchCV

# Of the 2,000 replicates that a bootstrap by a loop would draw.
FEW_RESAMPLES = 25
# Of the lists that a loop over lists would score.
FEW_LISTS = 2_000


def with_options(score):
    """Return a score of labels, scores and a dictionary of keywords."""
    return lambda y_true, y_score, options: score(y_true, y_score, **options)


def ndcg(y_true, y_score):
    return ndcg_score([y_true], [y_score])


def search(scoring, X, y):
    grid = {"C": [0.01, 0.1, 1, 10]}
    GridSearchCV(LogisticRegression(), grid, scoring=scoring, cv=5).fit(X, y)


def bootstrap_loop(metric, y_true, y_score):
    """Score a few bootstrap samples."""
    rng = np.random.default_rng(0)
    for drawn in rng.integers(len(y_true), size=(FEW_RESAMPLES, len(y_true))):
        metric(y_true[drawn], y_score[drawn])


def scipy_bootstrap(metric, y_true, y_score):
    """Score a few bootstrap samples by scipy."""
    from scipy.stats import bootstrap

    options = {"n_resamples": FEW_RESAMPLES, "method": "percentile", "rng": 0}
    options |= {"paired": True, "vectorized": False}
    bootstrap((y_true, y_score), metric, **options)


def list_loop(y_true, y_score):
    """Score the first few lists of 20."""
    rows = FEW_LISTS * 20
    for labels, scores in zip(
        y_true[:rows].reshape(-1, 20), y_score[:rows].reshape(-1, 20), strict=True
    ):
        if 0 < labels.mean() < 1:
            roc_auc_score(labels, scores)


def catboost_list_auc(y_true, y_score, groups):
    from catboost.utils import eval_metric

    return eval_metric(y_true, y_score, "QueryAUC", group_id=groups, thread_count=2)[0]


def torchmetrics_score(name, y_true, y_score, options=None):
    """Score by a functional metric of torchmetrics, on the CPU."""
    import torch
    from torchmetrics.functional import classification

    metric = getattr(classification, name)
    return float(metric(torch.from_numpy(y_score), torch.from_numpy(y_true)))


def rdkit_score(name, options, y_true, y_score):
    """Rank the cases, which RDKit leaves to its user, and score them."""
    from rdkit.ML.Scoring import Scoring

    ranked = y_true[np.argsort(-y_score), None].tolist()
    found = getattr(Scoring, name)(ranked, 0, *options)
    return found[0] if isinstance(found, list) else found


def confidenceinterval_delong(y_true, y_score):
    """Return the standard error that an interval was made of."""
    from confidenceinterval import roc_auc_score

    _, (low, high) = roc_auc_score(y_true, y_score)
    return (high - low) / 2 / norm.ppf(0.975)


def mlstatkit_delong(y_true, y_score, other_score):
    """Return the standard error of the difference that is tested."""
    from MLstatkit import Delong_test

    *_, about = Delong_test(y_true, y_score, other_score)
    return np.sqrt(about["var_diff"])


def auc_of_new_cases(model, X, y):
    """Fit a model to half of the cases, and score the others."""
    half = len(y) // 2
    model.fit(X[:half], y[:half])
    return roc_auc_score(y[half:], model.decision_function(X[half:]))
