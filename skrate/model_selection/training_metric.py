"""What the metrics of all libraries for boosting share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from skrate.core.results import written
from skrate.data.arrays import Array, ArrayLike, FloatArray, Label
from skrate.metrics.monitored import Monitored, takes_classes


@dataclass(frozen=True, eq=False, repr=False)
class TrainingMetric:
    """A metric of the data that a library evaluates after each round.

    Libraries pickle and copy it with their models; nothing of it ever changes.
    """

    metric: Monitored
    name: str
    pos_label: Label

    library: ClassVar[str]
    # What to write where lists are needed, and there are none.
    give_lists: ClassVar[str]
    # CatBoost would warn that numba cannot compile it, or that there is no numba.
    no_jit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raise for what the library cannot take."""

    def is_max_optimal(self) -> bool:
        """Raise where CatBoost asks what is not for it."""
        raise self.called_by("CatBoost", "catboost")

    def called_by(self, name: str, library: str) -> TypeError:
        """Return the error where a library calls what is for another one."""
        return TypeError(
            f"{self.name} is made for library={self.library!r}, and {name} called it: "
            f"make it by eval_metric(..., library='{library}')."
        )

    @property
    def __name__(self) -> str:
        return self.name

    def __deepcopy__(self, memo: Any) -> Self:
        # Estimators of CatBoost copy their parameters whenever they are asked for, and
        # clones are then not made of the same ones.
        return self

    def __repr__(self) -> str:
        told = {"library": self.library, "name": self.name, "pos_label": self.pos_label}
        told |= self.metric.params | self.metric.of_lists | self.metric.of_mean
        if self.name == self.metric.function.__name__:
            told["name"] = None
        given = [f"{k}={written(v)}" for k, v in told.items() if v is not None]
        function = self.metric.function.__name__
        return f"eval_metric({', '.join([function, *given])})"

    def of_cases(
        self, y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None
    ) -> float:
        """Return the metric of all cases as one ranking, or of their classes."""
        if self.metric.needs_lists:
            raise self._without_lists()
        scores = np.asarray(y_score)
        options: dict[str, Any] = {}
        if scores.ndim == 2 and scores.shape[1] <= 2:
            scores = scores[:, -1]
        if scores.ndim == 2:
            y_true, scores, options = self._of_classes(np.asarray(y_true), scores)
        elif self.pos_label is not None:
            scores, options = self._turned(scores), {"pos_label": self.pos_label}
        value = self.metric.of_ranking(y_true, scores, sample_weight, **options)
        return self._known(value, y_true)

    def of_lists(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        sizes: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        list_weights: FloatArray | None = None,
        undefined: float | None = None,
    ) -> float:
        """Return the mean over lists of these sizes, which follow one another."""
        sizes = np.asarray(sizes)
        if list_weights is not None:
            list_weights = list_weights[sizes > 0]
        value = self.metric.within(
            y_true,
            self._turned(np.asarray(y_score)),
            np.repeat(np.arange(len(sizes)), sizes),
            sample_weight,
            pos_label=self.pos_label,
            list_weights=list_weights,
            undefined=undefined,
        )
        return self._known(value, y_true)

    def _without_lists(self) -> ValueError:
        return ValueError(
            f"{self.name} is a mean over lists, and the data evaluated are not in "
            f"lists: {self.give_lists}, or take a metric of a single ranking."
        )

    def _turned(self, scores: Array) -> Array:
        """Return the scores of the positive class: libraries score the second one."""
        is_first = self.pos_label is not None and float(self.pos_label) <= 0
        return -scores if is_first else scores

    def _of_classes(
        self, y_true: Array, scores: Array
    ) -> tuple[Array, Array, dict[str, Any]]:
        """Return labels, scores and options where there are more than two classes."""
        n_classes = scores.shape[1]
        if self.pos_label is None:
            if not takes_classes(self.metric.function):
                raise ValueError(
                    f"{self.name} needs two classes, and the model scores {n_classes}: "
                    "pos_label= names the one that is scored against the rest."
                )
            return y_true, scores, {"labels": np.arange(n_classes)}
        if self.pos_label not in range(n_classes):
            raise ValueError(
                f"pos_label={self.pos_label!r} must be the number of one of the "
                f"{n_classes} classes, from 0."
            )
        return y_true == self.pos_label, scores[:, int(self.pos_label)], {}

    def _known(self, value: float, y_true: ArrayLike) -> float:
        """Return the value; of nan no round would be better than another."""
        if not np.isnan(value):
            return value
        way = "the warning says why, and another metric may be defined there."
        if len(np.unique(np.asarray(y_true))) < 2:
            way = (
                "evaluate data of both classes. Where these are the items of one list, "
                "undefined=0.0 counts this number for lists that lack a class."
            )
        raise ValueError(
            f"{self.name} of the data evaluated is nan, and training needs a number: "
            f"{way}"
        )
