"""A metric as CatBoost calls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from skrate.core.arrays import Array, Label
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
        return self.of_cases(target, approxes[0], weight), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the metric: it is no mean over cases, which CatBoost would divide."""
        return error
