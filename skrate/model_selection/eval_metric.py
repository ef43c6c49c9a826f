"""Metrics that boosting libraries evaluate after each round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NoReturn, Self, get_args

import numpy as np

from skrate.data.arrays import Array, ArrayLike, FloatArray, Label
from skrate.data.checks import check_choice, shown, warn
from skrate.inference.bound_metric import BoundMetric, bind
from skrate.metrics.metric import MetricLike
from skrate.metrics.result_types import written
from skrate.model_selection.scorers import RankingScorer

# XGBoost maximises metrics with names that begin like this by default.
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
    """Make a metric for early stopping in XGBoost, LightGBM or CatBoost.

    In which round of boosting is this metric best on validation data? The result has
    the sign, name and weights that the library expects, in both its interfaces.

    Parameters
    ----------
    metric : callable or str
        A score function of this package or its name, a :func:`functools.partial` of
        one, one of its scorers, or the equivalent function or name of scikit-learn.
    library : {"xgboost", "lightgbm", "catboost"}
        The library that calls the metric.
    name : str, default=None
        Name in logs and results, without spaces or colons; None takes the metric's.
    pos_label : int, float, bool or str, default=None
        The positive class, as the library numbers it: 1 (or None) is the second of
        ``classes_``, 0 the first. With more than two classes, the number of the class
        to score against the rest.
    **params : dict
        Parameters of the metric, such as ``rate``, and ``average`` over classes. ``k``
        and ``relevance_threshold`` of :func:`group_scores`, and ``average`` and
        ``undefined`` of :meth:`GroupScores.mean`, make it a metric of lists.

    Returns
    -------
    monitored : callable or object
        Pass it as ``eval_metric=`` of XGBoost's estimators or ``custom_metric=`` of
        ``xgboost.train``, which minimise the negated value, ``neg_...``; as
        ``eval_metric=`` of LightGBM's ``fit`` or ``feval=`` of ``lightgbm.train``, with
        ``metric="None"``; or as ``eval_metric=`` of CatBoost.

    Raises
    ------
    ValueError
        If an argument is unknown, missing or out of range, or CatBoost would score
        lists. If called: if a metric of lists gets data without lists, there are more
        than two classes and the metric has no average, or the value is nan.

    Warns
    -----
    UserWarning
        If CatBoost evaluates with the class weights of its model.

    See Also
    --------
    make_ranking_scorer : The same metric as ``scoring=``, for fitted models.
    RankBoostClassifier : Accepts score functions as ``scoring=`` for early stopping.

    Notes
    -----
    Early stopping chooses the first round t with the maximum :math:`m(y, s_t, w)`, or
    the minimum if less is better, of the metric m of the labels y, scores :math:`s_t`
    and weights w of the evaluated samples.

    For lists it is the mean, also for a metric of a single ranking. ``XGBRanker`` then
    needs ``undefined=0.0`` if some list lacks a class. Weights of lists, and the
    rounding and averages of each library: :ref:`in_training`. Cost: one sort per round.

    Examples
    --------
    The call of LightGBM, for a budget of half of the samples:

    >>> from skrate import eval_metric, recall_at_rate_score
    >>> monitor = eval_metric(recall_at_rate_score, library="lightgbm", rate=0.5)
    >>> monitor
    eval_metric(recall_at_rate_score, library='lightgbm', rate=0.5)
    >>> monitor([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    ('recall_at_rate_score', 0.5, True)

    XGBoost minimises, so the value is negated, with the prefix ``neg_``:

    >>> monitor = eval_metric("recall_at_rate_score", library="xgboost", rate=0.5)
    >>> monitor.__name__, monitor([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    ('neg_recall_at_rate_score', -0.5)
    """
    if isinstance(library, str):
        library = library.lower()  # type: ignore[assignment]
    check_choice("library", library, get_args(Library))
    if isinstance(metric, RankingScorer):
        options = {k: v for k, v in metric._kwargs.items() if v is not None} | params
        pos_label = options.pop("pos_label", None) if pos_label is None else pos_label
        metric, params = metric.metric, options
    bound = bind(metric, params, is_in_training=True)
    if isinstance(pos_label, str):
        raise ValueError(
            f"pos_label={pos_label!r} must be 1 for the second of classes_, or 0 for "
            f"the first, because {library} numbers the classes."
        )
    if name is None:
        name = metric if isinstance(metric, str) else bound.function.__name__
    if not isinstance(name, str) or not name or set(name) & set(" \t\n:"):
        text = "name must be a string without spaces or colons"
        raise ValueError(f"{text}, got {shown(name)}.")
    return _ADAPTERS[library](bound, name, pos_label)


@dataclass(frozen=True, eq=False, repr=False)
class TrainingMetric:
    """A metric that a library evaluates after each round."""

    metric: BoundMetric
    name: str
    pos_label: Label

    library: ClassVar[str]
    # The advice in the message if lists are needed and there are none.
    give_lists: ClassVar[str]
    # Otherwise CatBoost warns that numba cannot compile it or is not installed.
    no_jit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raise an error for options that the library does not support."""

    def wrong_library_error(self, *names: str) -> TypeError:
        """Return the error for a call by a library for which it was not made."""
        by, libraries = " or ".join(names), " or ".join(repr(n.lower()) for n in names)
        return TypeError(
            f"{self.name} must be made by eval_metric(..., library={libraries}), "
            f"because {by} called it; it was made for library={self.library!r}."
        )

    def is_max_optimal(self) -> bool:
        """Raise an error if CatBoost calls a metric of another library."""
        raise self.wrong_library_error("CatBoost")

    @property
    def __name__(self) -> str:
        return self.name

    def __deepcopy__(self, memo: Any) -> Self:
        # CatBoost copies the parameters of its estimators for each call of get_params,
        # and clones would then differ from the original.
        return self

    def __repr__(self) -> str:
        args = {"library": self.library, "name": self.name, "pos_label": self.pos_label}
        args |= self.metric.params
        if self.name == self.metric.function.__name__:
            args["name"] = None
        arguments = [f"{k}={written(v)}" for k, v in args.items() if v is not None]
        function = self.metric.function.__name__
        return f"eval_metric({', '.join([function, *arguments])})"

    def of_samples(
        self, y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None
    ) -> float:
        """Return the metric of all samples as one ranking, or averaged over classes."""
        if self.metric.is_list_metric:
            raise ValueError(
                f"{self.name} is a mean over lists, but the evaluated data have no "
                f"lists: {self.give_lists}, or use a metric of a single ranking."
            )
        scores = np.asarray(y_score)
        options: dict[str, Any] = {}
        if scores.ndim == 2 and scores.shape[1] <= 2:
            scores = scores[:, -1]
        if scores.ndim == 2:
            y_true, scores, options = self._binarize_classes(np.asarray(y_true), scores)
        elif self.pos_label is not None:
            scores = self._reverse_scores(scores)
            options["pos_label"] = self.pos_label
        options["sample_weight"] = sample_weight
        score = self.metric.score_ranking(y_true, scores, **options)
        return self._check_defined(score, y_true)

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
        """Return the mean over consecutive lists of these sizes."""
        sizes = np.asarray(sizes)
        if list_weights is not None:
            list_weights = list_weights[sizes > 0]
        score = self.metric.list_mean(
            y_true,
            self._reverse_scores(np.asarray(y_score)),
            self.pos_label,
            groups=np.repeat(np.arange(len(sizes)), sizes),
            sample_weight=sample_weight,
            list_weights=list_weights,
            undefined=undefined,
        )
        return self._check_defined(score, y_true)

    def _reverse_scores(self, scores: Array) -> Array:
        """Return the scores of the positive class: libraries score the second one."""
        is_first = self.pos_label is not None and float(self.pos_label) <= 0
        return -scores if is_first else scores

    def _binarize_classes(
        self, y_true: Array, scores: Array
    ) -> tuple[Array, Array, dict[str, Any]]:
        """Return labels, scores and options for more than two classes."""
        n_classes = scores.shape[1]
        if self.pos_label is None:
            if not self.metric.averages_classes:
                raise ValueError(
                    f"{self.name} needs two classes, or pos_label= for the class to "
                    f"score against the rest; the model scores {n_classes} classes."
                )
            return y_true, scores, {"labels": np.arange(n_classes)}
        if self.pos_label not in range(n_classes):
            text = f"pos_label={self.pos_label!r} must be the number of a class"
            raise ValueError(f"{text}, from 0 to {n_classes - 1}.")
        return y_true == self.pos_label, scores[:, int(self.pos_label)], {}

    def _check_defined(self, score: float, y_true: ArrayLike) -> float:
        """Return the score; nan raises an error, because rounds cannot be compared."""
        if not np.isnan(score):
            return score
        advice = "see the warning for the reason, or use another metric."
        if len(np.unique(np.asarray(y_true))) < 2:
            advice = "evaluate data of both classes, or pass undefined=0.0 for lists."
        found = f"{self.name} of the evaluated data is nan, but training needs a number"
        raise ValueError(f"{found}: {advice}")


class XGBoostMetric(TrainingMetric):
    """A metric that XGBoost minimises, as all callables; ``neg_`` shows the sign."""

    library = "xgboost"
    give_lists = "fit XGBRanker, or train on a DMatrix with group= or qid="

    def __post_init__(self) -> None:
        if self.__name__.startswith(_MAXIMISED):
            raise ValueError(
                f"name={self.name!r} must not begin with one of {list(_MAXIMISED)}: "
                "XGBoost would maximise the metric, but less is better."
            )

    @property
    def __name__(self) -> str:
        return f"neg_{self.name}" if self.metric.greater_is_better else self.name

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Return the value, with its name if called with ``(y_pred, dmatrix)``."""
        sign = -1 if self.metric.greater_is_better else 1
        if hasattr(y_pred, "get_uint_info"):
            return self.__name__, sign * self._score_matrix(y_true, y_pred)
        if hasattr(y_pred, "get_label"):
            raise self.wrong_library_error("LightGBM")
        if self.metric.is_list_metric and sample_weight is None:
            # XGBRanker calls it for each list separately, and averages the values.
            sizes = [len(y_true)]
            score = self.of_lists(y_true, y_pred, sizes, undefined=0.0)
        else:
            score = self.of_samples(y_true, y_pred, sample_weight)
        return sign * score

    def _score_matrix(self, y_score: Any, matrix: Any) -> float:
        """Return the metric of a DMatrix; with lists, its weights are list weights."""
        y_true, weights = matrix.get_label(), matrix.get_weight()
        sizes = np.diff(matrix.get_uint_info("group_ptr").astype(np.intp))
        if not len(sizes):
            sample_weight = weights if len(weights) else None
            return self.of_samples(y_true, y_score, sample_weight)
        list_weights = weights if len(weights) == len(sizes) else None
        return self.of_lists(y_true, y_score, sizes, list_weights=list_weights)


class LightGBMMetric(TrainingMetric):
    """A metric that returns its name, its value and whether greater is better."""

    library = "lightgbm"
    give_lists = "fit LGBMRanker with eval_group=, or train on a Dataset with group="

    # LightGBM passes weights and groups to functions with four parameters. XGBoost
    # passes the third by name, and then gets an error.
    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None, group: Any = None
    ) -> tuple[str, float, bool]:
        """Return the name, value and direction, also of ``(y_pred, dataset)``."""
        if hasattr(y_pred, "get_uint_info"):
            raise self.wrong_library_error("XGBoost")
        if hasattr(y_pred, "get_label"):
            dataset, y_pred = y_pred, y_true
            y_true, sample_weight = dataset.get_label(), dataset.get_weight()
            group = dataset.get_group()
        better = self.metric.greater_is_better
        if group is None:
            return self.name, self.of_samples(y_true, y_pred, sample_weight), better
        list_weights = None
        if sample_weight is not None and self.metric.counts_lists_alike:
            # Equal weights of the rows of a list may be list weights.
            of_list = np.asarray(sample_weight)[np.cumsum(group) - 1]
            if np.array_equal(np.repeat(of_list, group), sample_weight):
                sample_weight, list_weights = None, of_list
        arguments = y_true, y_pred, group, sample_weight
        return self.name, self.of_lists(*arguments, list_weights=list_weights), better


def catboost_metric(metric: BoundMetric, name: str, pos_label: Label) -> CatBoostMetric:
    """Return the metric; its class gets the name, which CatBoost shows."""
    kind: type[CatBoostMetric] = type(
        name, (CatBoostMetric,), {"__doc__": CatBoostMetric.__doc__}
    )
    return kind(metric, name, pos_label)


class CatBoostMetric(TrainingMetric):
    """A metric with the methods that CatBoost calls."""

    library = "catboost"

    def __post_init__(self) -> None:
        if self.metric.is_list_metric:
            raise ValueError(
                f"library='catboost' cannot use {self.name}: CatBoost passes no groups "
                "to it. Use its eval_metric='NDCG' or 'QueryAUC', or a single ranking."
            )

    def __reduce__(self) -> Any:
        return catboost_metric, (self.metric, self.name, self.pos_label)

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> NoReturn:
        """Raise an error in other libraries; LightGBM skips it, as not callable."""
        raise self.wrong_library_error("XGBoost", "LightGBM")

    def is_max_optimal(self) -> bool:
        """Return whether greater is better."""
        return self.metric.greater_is_better

    def evaluate(
        self, approxes: Sequence[Array], target: Array, weight: Array | None
    ) -> tuple[float, float]:
        """Return the metric of raw scores, and the weight 1."""
        if len(approxes) != 1:
            raise ValueError(
                f"{self.name} needs two classes, but CatBoost trains {len(approxes)}: "
                "train one class against the rest."
            )
        score = self.of_samples(target, approxes[0], weight)
        self._check_weights(target, approxes[0], weight, score)
        return score, 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the metric unchanged, because it is not a sum to divide by weights."""
        return error

    def _check_weights(
        self, target: Array, scores: Array, weight: Array | None, score: float
    ) -> None:
        """Warn if class weights change the metric of the evaluated data.

        Training samples are evaluated just before, and may have weights from the user.
        """
        before, fingerprint = vars(self).get("_before"), None
        if weight is not None and len(weight) == len(target):
            weights, labels = np.asarray(weight), np.asarray(target)
            of_classes = [weights[labels == label] for label in np.unique(labels)]
            if np.ptp(weights) > 0 and not any(map(np.ptp, of_classes)):
                fingerprint = hash(labels.tobytes())
        vars(self)["_before"] = fingerprint
        if fingerprint is None or before in (None, fingerprint):
            return
        without = self.of_samples(target, scores, None)
        if not np.isclose(score, without, rtol=1e-9, atol=0):
            warn(
                "Leave out class_weights, auto_class_weights and scale_pos_weight, "
                f"because CatBoost also evaluates {self.name} with them: give the "
                "training samples weights by sample_weight of fit, or their Pool."
            )


_ADAPTERS: dict[str, Any] = {
    "xgboost": XGBoostMetric,
    "lightgbm": LightGBMMetric,
    "catboost": catboost_metric,
}
