"""A metric as FLAML calls it."""

from __future__ import annotations

from typing import Any

from skrate.model_selection.make_ranking_scorer import make_ranking_scorer
from skrate.model_selection.training_metric import TrainingMetric


class FLAMLMetric(TrainingMetric):
    """Returns a loss and what is logged; lists are scored if the metric is of lists."""

    library = "flaml"
    give_lists = "AutoML.fit(task='rank', groups=)"

    def __call__(
        self,
        X_val: Any,
        y_val: Any,
        estimator: Any,
        labels: Any,
        X_train: Any,
        y_train: Any,
        weight_val: Any = None,
        weight_train: Any = None,
        config: Any = None,
        groups_val: Any = None,
        groups_train: Any = None,
    ) -> tuple[float, dict[str, float]]:
        """Return the loss, which is less where the metric is better, and the metric."""
        is_greater_better = self.metric.greater_is_better
        if self.metric.needs_lists and groups_val is not None:
            y_score = self._turned(estimator.predict(X_val))
            value = self.metric.within(
                y_val, y_score, groups_val, weight_val, pos_label=self.pos_label
            )
        elif self.metric.needs_lists:
            raise self._without_lists()
        else:
            function, params = self.metric.function, self.metric.params
            scorer = make_ranking_scorer(function, pos_label=self.pos_label, **params)
            signed = scorer(estimator, X_val, y_val, sample_weight=weight_val)
            value = signed if is_greater_better else -signed
        value = self._known(value, y_val)
        return (-value if is_greater_better else value), {self.name: value}
