"""The metrics that inference knows, with parameters, for the tests that hold of all."""

import skrate
from looped import case, looped
from metric_cases import sample
from metric_registry import CASES
from reference import tables
from skrate import rates
from skrate.metrics import momentum

__all__ = ["AVERAGES", "JUMPS", "LATE", "SMOOTH", "SOME", "each", "evaluate", "sample"]


def of_kind(slopes):
    return [(one.function, one.kwargs) for one in CASES if one.slopes == slopes]


AVERAGES = [("roc_auc", {}), *of_kind("smooth")]
RATIOS = of_kind("steep")
SMOOTH = AVERAGES + RATIOS
JUMPS = of_kind("jump")
# At a late cut the slope by the prevalence matters most.
LATE = [
    (skrate.expected_gain_score, {
        "rate": 0.9, "gain": {"positive": 1, "negative": -0.25}, "normalize": True
    }),
    (skrate.fpr_at_recall_score, {"recall": 0.75}),
    (skrate.lift_at_rate_score, {"rate": 0.8}),
    (skrate.precision_at_rate_score, {"rate": 0.9}),
    (skrate.precision_at_recall_score, {"recall": 0.9}),
    (skrate.rate_at_recall_score, {"recall": 0.75}),
    (skrate.rate_weighted_auc_score, {"rate": 0.8}),
    (skrate.recall_at_fpr_score, {"fpr": 0.8}),
    (skrate.recall_at_precision_score, {"precision": 0.35}),
    (skrate.recall_at_rate_score, {"rate": 0.8}),
    (skrate.work_saved_score, {"recall": 0.75}),
]  # fmt: skip
# Few of them, for tests that take long.
SOME = [
    ("roc_auc", {}),
    (skrate.average_precision_score, {}),
    (skrate.rate_weighted_auc_score, {"rate": rates.beta(3, 19)}),
]


def _id(metric, kwargs):
    name = metric if isinstance(metric, str) else metric.__name__
    name = name.removesuffix("_score")
    return "-".join([name, *(f"{k}={v!r}" for k, v in kwargs.items())])


def each(samples):
    """Return what makes a test of one metric a test of each of these."""
    return looped("metric, kwargs", samples, lambda row: case(_id(*row)))


def evaluate(metric, y_true, y_score, **kwargs):
    if metric == "roc_auc":
        return skrate.rate_weighted_auc_score(y_true, y_score, **kwargs)
    if metric in (momentum.momentum_score, momentum.stamina_score):
        groups = tables.Groups(y_true.tolist(), y_score.tolist())
        both = tables.momentum_and_stamina
        if kwargs.get("exact"):
            both = tables.exact_momentum_and_stamina
        return both(groups)[metric is momentum.stamina_score]
    return metric(y_true, y_score, **kwargs)
