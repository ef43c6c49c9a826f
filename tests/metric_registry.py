"""The registry of metrics: one line makes a metric join every common test.

Read by ``test_common_metrics.py`` (what our metrics promise) and by
``test_sklearn_common.py`` (what scikit-learn asks of a metric).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import skrate
from skrate import rates


@dataclass(frozen=True)
class Metric:
    """A public metric with fixed keyword arguments, and what it promises.

    ``constant``, ``perfect`` and ``worst`` say what constant scores, a perfect and a
    perfectly wrong ranking give, as functions of the prevalence; None where the
    prevalence alone does not say.
    """

    name: str
    function: Callable[..., float]
    constant: Callable[[float], float]
    perfect: Callable[[float], float] = lambda p: 1.0
    worst: Callable[[float], float] | None = lambda p: 0.0
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    # Further arguments with one entry per case, made from the number of cases, for
    # example {"groups": lambda n: np.arange(n) % 2}.
    per_case: Mapping[str, Callable[[int], np.ndarray]] = field(default_factory=dict)
    # Negating the scores gives 1 - x.
    negates: bool = False
    # Swapping the classes gives 1 - x.
    swaps: bool = False
    # Without a positive (a negative) case the metric is nan with a warning; where
    # False, it is a number without one.
    needs_positives: bool = True
    needs_negatives: bool = False
    # The metric has the argument sample_weight.
    takes_weights: bool = True

    def __call__(self, y_true: Any, y_score: Any, **kwargs: Any) -> float:
        """Score, with the entries per case that were not given made up."""
        for name, make in self.per_case.items():
            if name not in kwargs:
                kwargs[name] = make(len(y_score))
        return self.function(y_true, y_score, **self.kwargs, **kwargs)


def linear(rate: Any) -> dict[str, Any]:
    """Return what the rAUC gives for a rate: constant scores, rescaled."""

    def constant(p: float) -> float:
        return skrate.rauc_from_expected_recall(
            rates.mixture([rate]).mean(), rate=rate, prevalence=p
        )

    return {"kwargs": {"rate": rate}, "constant": constant, "needs_negatives": True}


def reachable(rate: Any) -> dict[str, Any]:
    """Return what expected recall gives for a rate."""

    def reached(rauc: float) -> Callable[[float], float]:
        return lambda p: skrate.expected_recall_from_rauc(rauc, rate=rate, prevalence=p)

    mean = rates.mixture([rate]).mean()
    return {
        "kwargs": {"rate": rate},
        "constant": lambda p: mean,
        "perfect": reached(1.0),
        "worst": reached(0.0),
    }


BETA = rates.beta(3, 19)
DISCRETE = rates.empirical([0.1, 0.1, 0.25, 0.6])

METRICS = [
    Metric(
        "rauc, uniform",
        skrate.rate_weighted_auc_score,
        constant=lambda p: 0.5,
        needs_negatives=True,
        negates=True,
        swaps=True,
    ),
    Metric("rauc, beta", skrate.rate_weighted_auc_score, **linear(BETA), swaps=True),
    Metric(
        "rauc, symmetric beta",
        skrate.rate_weighted_auc_score,
        **linear(rates.beta(11, 11)),
        negates=True,
        swaps=True,
    ),
    Metric(
        "rauc, discrete", skrate.rate_weighted_auc_score, **linear(DISCRETE), swaps=True
    ),
    Metric("rauc, fixed", skrate.rate_weighted_auc_score, **linear(0.3), swaps=True),
    Metric("expected recall, beta", skrate.expected_recall_score, **reachable(BETA)),
    Metric(
        "expected recall, mixture",
        skrate.expected_recall_score,
        **reachable(rates.mixture([BETA, 0.5])),
    ),
    Metric(
        "expected recall of negatives",
        skrate.expected_recall_score,
        kwargs={"rate": 0.25, "of": "negatives"},
        constant=lambda p: 0.75,
        perfect=lambda p: min(1, 0.75 / (1 - p)),
        worst=lambda p: max(0, 1 - 0.25 / (1 - p)),
        needs_positives=False,
        needs_negatives=True,
    ),
    Metric(
        "recall at rate",
        skrate.recall_at_rate_score,
        kwargs={"rate": 0.3},
        constant=lambda p: 0.3,
        perfect=lambda p: min(1, 0.3 / p),
        worst=lambda p: max(0, (p - 0.7) / p),
    ),
    Metric(
        "precision at rate",
        skrate.precision_at_rate_score,
        kwargs={"rate": 0.3},
        constant=lambda p: p,
        perfect=lambda p: min(1, p / 0.3),
        worst=lambda p: max(0, (p - 0.7) / 0.3),
        needs_positives=False,
    ),
    Metric(
        "lift at rate",
        skrate.lift_at_rate_score,
        kwargs={"rate": 0.3},
        constant=lambda p: 1.0,
        perfect=lambda p: min(1 / 0.3, 1 / p),
        worst=lambda p: max(0, (p - 0.7) / p / 0.3),
    ),
    Metric(
        "average precision",
        skrate.average_precision_score,
        constant=lambda p: p,
        worst=None,
    ),
    Metric(
        "average precision at a prevalence",
        skrate.average_precision_score,
        kwargs={"prevalence": 0.02},
        constant=lambda p: 0.02,
        worst=None,
        needs_negatives=True,
    ),
    Metric(
        "adjusted average precision",
        skrate.average_precision_score,
        kwargs={"adjusted": True},
        constant=lambda p: 0.0,
        worst=None,
        needs_negatives=True,
    ),
    Metric(
        "ranking AUC, one list",
        skrate.ranking_auc_score,
        constant=lambda p: 0.5,
        needs_negatives=True,
        negates=True,
        swaps=True,
    ),
    Metric(
        "ranking AUC, groups",
        skrate.ranking_auc_score,
        kwargs={"average": "pairs"},
        per_case={"groups": lambda n: np.full(n, "a list")},
        constant=lambda p: 0.5,
        needs_negatives=True,
        negates=True,
        swaps=True,
    ),
]
