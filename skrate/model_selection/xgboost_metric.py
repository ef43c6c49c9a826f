"""A metric as XGBoost calls it."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from skrate.model_selection.training_metric import TrainingMetric

# Metrics whose names begin like this are maximised, if nothing else is said.
_MAXIMISED = ("auc", "pre", "map", "ndcg")


class Minimised(float):
    """A value that tells LightGBM, which asks for a name first, whose it is."""

    metric: TrainingMetric

    @classmethod
    def of(cls, value: float, metric: TrainingMetric) -> Minimised:
        found = cls(value)
        found.metric = metric
        return found

    def __getitem__(self, place: Any) -> NoReturn:
        raise self.metric.called_by("LightGBM", "lightgbm")


class XGBoostMetric(TrainingMetric):
    """Lower is better, as XGBoost supposes of all callables: ``neg_`` says so."""

    library = "xgboost"
    give_lists = "fit XGBRanker, or train on a DMatrix with group= or qid="

    def __post_init__(self) -> None:
        if self.__name__.startswith(_MAXIMISED):
            raise ValueError(
                f"name={self.name!r} makes XGBoost maximise a metric of which less is "
                f"better, as names do that begin with one of {list(_MAXIMISED)}: give "
                "another name."
            )

    @property
    def __name__(self) -> str:
        return f"neg_{self.name}" if self.metric.greater_is_better else self.name

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Return the value, or with its name where ``(y_pred, dmatrix)`` are given."""
        sign = -1 if self.metric.greater_is_better else 1
        if hasattr(y_pred, "get_uint_info"):
            return self.__name__, sign * self._of_matrix(y_true, y_pred)
        if hasattr(y_pred, "get_label"):
            raise self.called_by("LightGBM", "lightgbm")
        if self.metric.needs_lists and sample_weight is None:
            # XGBRanker calls it of one list after another, and means over them.
            one = [len(y_true)]
            value = self.of_lists(y_true, y_pred, one, undefined=0.0)
        else:
            value = self.of_cases(y_true, y_pred, sample_weight)
        return Minimised.of(sign * value, self)

    def _of_matrix(self, y_score: Any, matrix: Any) -> float:
        """Return the metric of a DMatrix; with lists its weights are theirs."""
        y_true, weights = matrix.get_label(), matrix.get_weight()
        sizes = np.diff(matrix.get_uint_info("group_ptr").astype(np.intp))
        if not len(sizes):
            found = weights if len(weights) else None
            return self.of_cases(y_true, y_score, found)
        if len(weights) == len(sizes):
            return self.of_lists(y_true, y_score, sizes, list_weights=weights)
        return self.of_lists(y_true, y_score, sizes)
