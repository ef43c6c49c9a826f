"""The metrics that inference knows, with parameters, for the tests that hold of all."""

import numpy as np
import pytest

import reference.momentum
import skrate
from skrate import rates

AVERAGES = [
    ("roc_auc", {}),
    (skrate.average_precision_score, {}),
    (skrate.average_precision_score, {"prevalence": 0.2}),
    (skrate.average_precision_score, {"adjusted": True}),
    (skrate.average_precision_score, {"adjusted": True, "prevalence": 0.2}),
    (skrate.expected_recall_score, {"rate": rates.beta(3, 9)}),
    (skrate.expected_recall_score, {"rate": rates.beta(3, 9), "of": "negatives"}),
    (skrate.rate_weighted_auc_score, {}),
    (skrate.rate_weighted_auc_score, {"rate": rates.beta(3, 19)}),
    (skrate.rate_weighted_auc_score, {"rate": rates.exponential(10)}),
]
# Their slopes change more quickly: with few cases the methods differ by more.
RATIOS = [(skrate.momentum_score, {}), (skrate.stamina_score, {})]
SMOOTH = AVERAGES + RATIOS
# For rates with a jump, slopes are averaged over neighbours of the cut.
JUMPS = [
    (skrate.expected_recall_score, {"rate": 0.25}),
    (skrate.lift_at_rate_score, {"rate": 0.25}),
    (skrate.precision_at_rate_score, {"rate": 40}),
    (skrate.rate_weighted_auc_score, {"rate": rates.empirical([0.1, 0.3, 0.3])}),
    (skrate.recall_at_rate_score, {"rate": 0.25}),
]


def _id(metric, kwargs):
    name = metric if isinstance(metric, str) else metric.__name__
    name = name.removesuffix("_score")
    return "-".join([name, *(f"{k}={v!r}" for k, v in kwargs.items())])


def each(cases):
    return pytest.mark.parametrize(
        ("metric", "kwargs"), [pytest.param(*case, id=_id(*case)) for case in cases]
    )


def evaluate(metric, y_true, y_score, **kwargs):
    if metric == "roc_auc":
        return skrate.rate_weighted_auc_score(y_true, y_score, **kwargs)
    if metric in (skrate.momentum_score, skrate.stamina_score):
        return reference.momentum.momentum_and_stamina(y_true, y_score)[
            metric is skrate.stamina_score
        ]
    return metric(y_true, y_score, **kwargs)


def sample(seed, n=200, prevalence=0.3, shift=1.0, decimals=1):
    """Return labels and scores of two shifted normal classes, full of ties."""
    generator = np.random.default_rng(seed)
    y_true = (generator.random(n) < prevalence).astype(int)
    y_true[:4] = [0, 0, 1, 1]
    y_score = np.round(generator.normal(size=n) + shift * y_true, decimals)
    return y_true, y_score
