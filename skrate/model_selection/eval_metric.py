"""A metric that a library for boosting evaluates after each round."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NoReturn, Self, get_args

import numpy as np

from skrate.data.arrays import Array, ArrayLike, FloatArray, Label
from skrate.data.checks import check_choice, shown
from skrate.inference.bound_metric import BoundMetric, bind
from skrate.metrics.metric import MetricLike
from skrate.metrics.result_types import written
from skrate.model_selection.scorers import RankingScorer

# Metrics whose names begin like this are maximised, if nothing else is said.
_MAXIMISED = ("auc", "pre", "map", "ndcg")
Library = Literal["xgboost", "lightgbm", "catboost"]


def eval_metric(
    metric: MetricLike | str,
    *,
    library: Library,
    name: str | None = None,
    pos_label: Label = None,
    **params: Any,
) -> Any:
    r"""Make a metric that a library for boosting monitors, and stops by.

    It has the sign, the name and the weights that each of them expects, in its
    scikit-learn interface and its native one. The library need not be installed.

    Parameters
    ----------
    metric : callable or str
        A score function of this package or its name, a :func:`functools.partial` of
        one, one of its scorers, or scikit-learn's function or name of the same.
    library : {"xgboost", "lightgbm", "catboost"}
        Who calls it.
    name : str, default=None
        What it is called in logs and results, without spaces or colons; None takes the
        function's, or what was given. XGBoost puts ``neg_`` before it.
    pos_label : int, float, bool or str, default=None
        The positive class, as the library numbers it: 1 (or None) is the second of
        ``classes_``, 0 the first. With more than two classes, the number of the class
        that is scored against the rest.
    **params : dict
        Parameters of the metric, such as ``rate``, and ``average`` over classes where
        it has one. ``k`` and ``relevance_threshold`` of :func:`group_scores`, and
        ``average`` and ``undefined`` of :meth:`GroupScores.mean`, make it one of lists.

    Returns
    -------
    monitored : callable or object
        It is ``eval_metric=`` of XGBoost's estimators and ``custom_metric=`` of
        ``xgboost.train``, which get the negated value as ``neg_`` and the name;
        ``eval_metric=`` of ``fit`` and ``feval=`` of ``lightgbm.train``, with
        ``metric="None"``; or ``eval_metric=`` of CatBoost.

    Raises
    ------
    ValueError
        If ``library``, ``metric`` or a parameter is unknown, missing or out of range,
        or CatBoost is to score lists. When it is called: if a metric of lists gets data
        without lists, there are more than two classes for which it has no average, or
        the value is nan.

    Warns
    -----
    UserWarning
        If CatBoost evaluates with the class weights of its model, which it multiplies
        into the case weights.

    See Also
    --------
    make_ranking_scorer : The same metric as ``scoring=``, for fitted models.
    RankBoostClassifier : Takes score functions as ``scoring=`` for early stopping.

    Notes
    -----
    With :math:`s_t` the scores of the cases evaluated after round t, y and w their
    labels and weights and m the metric, early stopping chooses

    .. math:: t^* = \min \arg\max_t \; m(y, s_t, w),

    or the argmin where less is better.

    For lists it is the mean, also for a metric of a single ranking, which ``XGBRanker``
    needs ``undefined=0.0`` for if some list lacks a class. Weights of lists, and what
    each library rounds and averages: :ref:`in_training`. Cost: that of the metric, one
    sort of the cases a round.

    Examples
    --------
    Called as LightGBM does, for a budget that reaches half of the cases:

    >>> from skrate import eval_metric, recall_at_rate_score
    >>> monitor = eval_metric(
    ...     recall_at_rate_score, library="lightgbm", rate=0.5
    ... )
    >>> monitor
    eval_metric(recall_at_rate_score, library='lightgbm', rate=0.5)
    >>> monitor([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    ('recall_at_rate_score', 0.5, True)

    XGBoost minimises, so the value is negated, and the name says so:

    >>> monitor = eval_metric(
    ...     "recall_at_rate_score", library="xgboost", rate=0.5
    ... )
    >>> monitor.__name__, monitor([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    ('neg_recall_at_rate_score', -0.5)
    """
    if isinstance(library, str):
        library = library.lower()  # type: ignore[assignment]
    check_choice("library", library, get_args(Library))
    if isinstance(metric, RankingScorer):
        given = {k: v for k, v in metric._kwargs.items() if v is not None} | params
        pos_label = given.pop("pos_label", None) if pos_label is None else pos_label
        metric, params = metric.metric, given
    found = bind(metric, params, is_in_training=True)
    if isinstance(pos_label, str):
        raise ValueError(
            f"pos_label={pos_label!r} is not what {library} knows: it numbers the "
            "classes, so give 1 for the second of classes_, or 0 for the first."
        )
    if name is None:
        name = metric if isinstance(metric, str) else found.function.__name__
    if not isinstance(name, str) or not name or set(name) & set(" \t\n:"):
        raise ValueError(
            f"name must be a string without spaces or colons, got {shown(name)}."
        )
    return _ADAPTERS[library](found, name, pos_label)


@dataclass(frozen=True, eq=False, repr=False)
class TrainingMetric:
    """A metric of the data that a library evaluates after each round."""

    metric: BoundMetric
    name: str
    pos_label: Label

    library: ClassVar[str]
    # What to write where lists are needed, and there are none.
    give_lists: ClassVar[str]
    # CatBoost would warn that numba cannot compile it, or that there is no numba.
    no_jit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raise for what the library cannot take."""

    def wrong_library_error(self, *names: str) -> TypeError:
        """Return the error where a library calls what is for another one."""
        by, libraries = " or ".join(names), " or ".join(repr(n.lower()) for n in names)
        return TypeError(
            f"{self.name} is made for library={self.library!r}, and {by} called it: "
            f"make it by eval_metric(..., library={libraries})."
        )

    def is_max_optimal(self) -> bool:
        """Raise where CatBoost asks what is not for it."""
        raise self.wrong_library_error("CatBoost")

    @property
    def __name__(self) -> str:
        return self.name

    def __deepcopy__(self, memo: Any) -> Self:
        # Estimators of CatBoost copy their parameters whenever they are asked for, and
        # clones are then not made of the same ones.
        return self

    def __repr__(self) -> str:
        told = {"library": self.library, "name": self.name, "pos_label": self.pos_label}
        told |= self.metric.params
        if self.name == self.metric.function.__name__:
            told["name"] = None
        given = [f"{k}={written(v)}" for k, v in told.items() if v is not None]
        function = self.metric.function.__name__
        return f"eval_metric({', '.join([function, *given])})"

    def of_cases(
        self, y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None
    ) -> float:
        """Return the metric of all cases as one ranking, or of their classes."""
        if self.metric.is_list_metric:
            raise ValueError(
                f"{self.name} is a mean over lists, and the data evaluated are not in "
                f"lists: {self.give_lists}, or take a metric of a single ranking."
            )
        scores = np.asarray(y_score)
        options: dict[str, Any] = {}
        if scores.ndim == 2 and scores.shape[1] <= 2:
            scores = scores[:, -1]
        if scores.ndim == 2:
            y_true, scores, options = self._binarize_classes(np.asarray(y_true), scores)
        elif self.pos_label is not None:
            scores, options = (
                self._reverse_scores(scores),
                {"pos_label": self.pos_label},
            )
        options["sample_weight"] = sample_weight
        value = self.metric.score_ranking(y_true, scores, **options)
        return self._check_defined(value, y_true)

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
        value = self.metric.list_mean(
            y_true,
            self._reverse_scores(np.asarray(y_score)),
            self.pos_label,
            groups=np.repeat(np.arange(len(sizes)), sizes),
            sample_weight=sample_weight,
            list_weights=list_weights,
            undefined=undefined,
        )
        return self._check_defined(value, y_true)

    def _reverse_scores(self, scores: Array) -> Array:
        """Return the scores of the positive class: libraries score the second one."""
        is_first = self.pos_label is not None and float(self.pos_label) <= 0
        return -scores if is_first else scores

    def _binarize_classes(
        self, y_true: Array, scores: Array
    ) -> tuple[Array, Array, dict[str, Any]]:
        """Return labels, scores and options where there are more than two classes."""
        n_classes = scores.shape[1]
        if self.pos_label is None:
            if not self.metric.averages_classes:
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

    def _check_defined(self, value: float, y_true: ArrayLike) -> float:
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
            return self.__name__, sign * self._score_matrix(y_true, y_pred)
        if hasattr(y_pred, "get_label"):
            raise self.wrong_library_error("LightGBM")
        if self.metric.is_list_metric and sample_weight is None:
            # XGBRanker calls it of one list after another, and means over them.
            one = [len(y_true)]
            value = self.of_lists(y_true, y_pred, one, undefined=0.0)
        else:
            value = self.of_cases(y_true, y_pred, sample_weight)
        return sign * value

    def _score_matrix(self, y_score: Any, matrix: Any) -> float:
        """Return the metric of a DMatrix; with lists its weights are theirs."""
        y_true, weights = matrix.get_label(), matrix.get_weight()
        sizes = np.diff(matrix.get_uint_info("group_ptr").astype(np.intp))
        if not len(sizes):
            found = weights if len(weights) else None
            return self.of_cases(y_true, y_score, found)
        if len(weights) == len(sizes):
            return self.of_lists(y_true, y_score, sizes, list_weights=weights)
        return self.of_lists(y_true, y_score, sizes)


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
            raise self.wrong_library_error("XGBoost")
        if hasattr(y_pred, "get_label"):
            data, y_pred = y_pred, y_true
            y_true, sample_weight = data.get_label(), data.get_weight()
            group = data.get_group()
        better = self.metric.greater_is_better
        if group is None:
            return self.name, self.of_cases(y_true, y_pred, sample_weight), better
        list_weights = None
        if sample_weight is not None and self.metric.counts_lists_alike:
            # Weights of rows may be list weights.
            of_list = np.asarray(sample_weight)[np.cumsum(group) - 1]
            if np.array_equal(np.repeat(of_list, group), sample_weight):
                sample_weight, list_weights = None, of_list
        given = y_true, y_pred, group, sample_weight
        return self.name, self.of_lists(*given, list_weights=list_weights), better


def catboost_metric(metric: BoundMetric, name: str, pos_label: Label) -> CatBoostMetric:
    """Return the metric; CatBoost calls it by the name of its class."""
    kind: type[CatBoostMetric] = type(
        name, (CatBoostMetric,), {"__doc__": CatBoostMetric.__doc__}
    )
    return kind(metric, name, pos_label)


class CatBoostMetric(TrainingMetric):
    """An object with the methods that CatBoost asks for."""

    library = "catboost"

    def __post_init__(self) -> None:
        if self.metric.is_list_metric:
            raise ValueError(
                f"library='catboost' knows no {self.name}: CatBoost tells metrics of "
                "Python nothing of groups. Take one of CatBoost's, such as "
                "eval_metric='NDCG' or 'QueryAUC', or a metric of a single ranking."
            )

    def __reduce__(self) -> Any:
        return catboost_metric, (self.metric, self.name, self.pos_label)

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> NoReturn:
        """Raise where a library calls a function: LightGBM leaves out what is none."""
        raise self.wrong_library_error("XGBoost", "LightGBM")

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

        Training cases, which are evaluated just before, may have them from the user.
        """
        before, data = vars(self).get("_before"), None
        if weight is not None and len(weight) == len(target):
            weights, labels = np.asarray(weight), np.asarray(target)
            of_classes = [weights[labels == label] for label in np.unique(labels)]
            if np.ptp(weights) > 0 and not any(map(np.ptp, of_classes)):
                data = hash(labels.tobytes())
        vars(self)["_before"] = data
        if data is None or before in (None, data):
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


_ADAPTERS: dict[str, Any] = {
    "xgboost": XGBoostMetric,
    "lightgbm": LightGBMMetric,
    "catboost": catboost_metric,
}
