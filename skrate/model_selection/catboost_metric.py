"""A metric as CatBoost calls it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from skrate.data.arrays import Array, Label, dot
from skrate.metrics.monitored import Monitored
from skrate.model_selection.training_metric import TrainingMetric


def catboost_metric(metric: Monitored, name: str, pos_label: Label) -> CatBoostMetric:
    """Return the metric; CatBoost calls it by the name of its class."""
    kind: type[CatBoostMetric] = type(
        name, (CatBoostMetric,), {"__doc__": CatBoostMetric.__doc__}
    )
    return kind(metric, name, pos_label)


class CatBoostMetric(TrainingMetric):
    """An object with the methods that CatBoost asks for."""

    library = "catboost"

    def __post_init__(self) -> None:
        if self.metric.needs_lists:
            raise ValueError(
                f"library='catboost' knows no {self.name}: CatBoost tells metrics of "
                "Python nothing of groups. Take one of its own, such as "
                "eval_metric='NDCG' or 'QueryAUC', or a metric of a single ranking."
            )

    def __reduce__(self) -> Any:
        return catboost_metric, (self.metric, self.name, self.pos_label)

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> NoReturn:
        """Raise where a library calls a function: LightGBM leaves out what is none."""
        raise self.called_by("XGBoost or LightGBM", "xgboost' or 'lightgbm")

    def is_max_optimal(self) -> bool:
        """Return whether greater is better."""
        return self.metric.greater_is_better

    def evaluate(
        self, approxes: Sequence[Array], target: Array, weight: Array | None
    ) -> tuple[float, float]:
        """Return the metric of raw scores, and a weight of one."""
        if len(approxes) != 1:
            raise ValueError(
                f"{self.name} needs two classes, and CatBoost trains {len(approxes)}, "
                "whose raw scores are not comparable over cases: train one class "
                "against the rest."
            )
        value = self.of_cases(target, approxes[0], weight)
        self._check_weights(target, approxes[0], weight, value)
        return value, 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the metric: it is no mean over cases, which CatBoost would divide."""
        return error

    def _check_weights(
        self, target: Array, scores: Array, weight: Array | None, value: float
    ) -> None:
        """Warn where weights of the classes change the metric of the data evaluated.

        Training cases are evaluated just before, in each round. They alone may have
        weights by class, which are then those that the user gave them.
        """
        weighted = _weighted_data(target, weight)
        before = vars(self).get("_before")
        vars(self)["_before"] = weighted
        if weighted is None or before is None or weighted == before:
            return
        without = self.of_cases(target, scores, None)
        if not np.isclose(value, without, rtol=1e-9, atol=0):
            warnings.warn(
                f"{self.name} is evaluated with a weight for each class: CatBoost "
                "multiplies the weights of all data by class_weights, "
                "auto_class_weights or scale_pos_weight. Leave these out, and give the "
                "training cases the same weights by sample_weight of fit, or weight of "
                "their Pool, which the data evaluated do not share.",
                UserWarning,
                stacklevel=3,
            )


def _weighted_data(target: Array, weight: Array | None) -> tuple[float, ...] | None:
    """Return what tells data whose weights differ by class alone, None of others."""
    if weight is None or len(weight) != len(target):
        return None
    target, weight = np.asarray(target), np.asarray(weight)
    of_each = [weight[target == label] for label in np.unique(target)]
    firsts = [float(of[0]) for of in of_each]
    is_same = all(
        (of == first).all() for of, first in zip(of_each, firsts, strict=True)
    )
    if not is_same or len(set(firsts)) < 2:
        return None
    return (*map(len, of_each), float(dot(target, np.arange(len(target)))))
