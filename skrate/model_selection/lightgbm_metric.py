"""A metric as LightGBM calls it."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from skrate.data.arrays import Array
from skrate.model_selection.training_metric import TrainingMetric


class Named(tuple[str, float, bool]):
    """A result that tells XGBoost, which asks for a number, whose it is."""

    metric: TrainingMetric

    @classmethod
    def of(cls, metric: TrainingMetric, value: float) -> Named:
        found = cls((metric.name, value, metric.metric.greater_is_better))
        found.metric = metric
        return found

    def __float__(self) -> NoReturn:
        raise self.metric.called_by("XGBoost", "xgboost")


class LightGBMMetric(TrainingMetric):
    """Returns its name, its value and whether greater is better."""

    library = "lightgbm"
    give_lists = "fit LGBMRanker with eval_group=, or train on a Dataset with group="

    # Four parameters tell LightGBM to give weights and groups. XGBoost, which is to be
    # told that it is not for it, names the third.
    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None, group: Any = None
    ) -> tuple[str, float, bool]:
        """Return what LightGBM asks for, also of ``(y_pred, dataset)``."""
        if hasattr(y_pred, "get_uint_info"):
            raise self.called_by("XGBoost", "xgboost")
        if hasattr(y_pred, "get_label"):
            data, y_pred = y_pred, y_true
            y_true, sample_weight, group = (
                data.get_label(),
                data.get_weight(),
                data.get_group(),
            )
        if group is None:
            value = self.of_cases(y_true, y_pred, sample_weight)
        else:
            value = self._of_groups(y_true, y_pred, sample_weight, np.asarray(group))
        return Named.of(self, value)

    def _of_groups(self, y_true: Any, y_pred: Any, weight: Any, sizes: Array) -> float:
        """Return the mean over lists; weights of rows may be those of their lists."""
        if weight is not None and self.metric.counts_lists_alike:
            of_list = np.asarray(weight)[np.cumsum(sizes) - 1]
            if np.array_equal(np.repeat(of_list, sizes), weight):
                return self.of_lists(y_true, y_pred, sizes, list_weights=of_list)
        return self.of_lists(y_true, y_pred, sizes, weight)
