"""Several metrics per fold, each with its standard error."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)

from skrate.core.metric import find_metric
from skrate.core.validation import check_choice, warn_undefined
from skrate.inference.delta import variance
from skrate.inference.sample import (
    WEIGHTS,
    Cases,
    Ranked,
    Weights,
    check_cases,
    scored,
)
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    TellsOnce,
    UndefinedResponse,
    ranking_scores,
    second_class,
)
from skrate.model_selection.scorers import RankingScorer

STANDARD_ERROR = "_standard_error"
COUNTS = ("n_pos", "n_neg")

Metadata = dict[str, Any]
_NAN = float("nan")


class ScoreReport(TellsOnce, BaseEstimator):  # type: ignore[misc]
    """Score models by several metrics at once, each with its standard error.

    A single ``scoring=`` callable that returns a dict per fold, so that metrics,
    standard errors and numbers of positives and negatives land in ``cv_results_``. The
    estimator predicts once per fold for all of them.

    Parameters
    ----------
    metrics : dict
        Metrics by name: whatever :func:`estimate` takes, or scorers of this package.
    response_method : str or tuple of str
        Methods of the estimator that give scores, the first that it has is used;
        "decision_function", then "predict_proba" by default. For metrics that are no
        scorers with one of their own.
    pos_label : int, float, bool or str, default=None
        The positive label, for metrics that are no scorers with one of their own. None
        takes 1 of {0, 1} and {-1, 1}, True of booleans, and of other labels the second,
        with a warning that names it.
    weights : {"frequency", "sampling"}, default="frequency"
        What ``sample_weight`` is, as in :func:`estimate`.

    See Also
    --------
    sklearn.metrics.make_scorer : One metric.
    summarize : Turns the results of a search into a table.

    Notes
    -----
    Called as ``report(estimator, X, y, sample_weight=None)``, it returns a dict with
    each metric under its name, its standard error under name + "_standard_error", and
    "n_pos" and "n_neg". A metric that is undefined on a fold is nan, with an
    ``UndefinedMetricWarning``; so is a standard error where a class has fewer than two
    cases. In a search, name the metric to select by in ``refit``.

    The standard error is that of the delta method: the spread over test cases, for
    the model that was fitted on the fold.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import ScoreReport, average_precision_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> report = ScoreReport(metrics={"auc": "auc", "ap": average_precision_score})
    >>> results = cross_validate(GaussianNB(), X, y, scoring=report)
    >>> results["test_auc_standard_error"].shape
    (5,)
    >>> results["test_n_pos"].tolist()
    [71, 71, 72, 72, 71]
    """

    def __init__(
        self,
        metrics: Mapping[str, Any],
        response_method: Any = DEFAULT_RESPONSE,
        pos_label: Any = None,
        weights: Weights = "frequency",
    ) -> None:
        self.metrics = metrics
        self.response_method = response_method
        self.pos_label = pos_label
        self.weights = weights

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        **metadata: Any,
    ) -> dict[str, float]:
        """Score ``estimator`` on ``X`` and ``y``.

        Parameters
        ----------
        estimator : estimator
            A fitted model.
        X : array-like of shape (n_samples, n_features)
            The cases.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights.
        **metadata : dict
            With metadata routing, what scorers requested under another name.

        Returns
        -------
        scores : dict
            Floats by name.
        """
        items = _check_metrics(self.metrics)
        check_choice("weights", self.weights, WEIGHTS)
        if sample_weight is not None:
            metadata["sample_weight"] = sample_weight
        routed = self._route(items, metadata)
        # The metric whose class and weights the counts are of.
        plain = (name for name, item in items.items() if item.pos_label is None)
        reference = next(plain, next(iter(items)))
        fold = _Fold(self, estimator, X, y)
        scores: dict[str, float] = {}
        for name, item in items.items():
            value, error = fold.score(name, item, routed[name])
            scores[name], scores[name + STANDARD_ERROR] = value, error
        return {**scores, **fold.count(items[reference], routed[reference])}

    def set_score_request(
        self, *, sample_weight: bool | str | None = None
    ) -> "ScoreReport":
        """Say whether metadata routing hands weights to the metrics.

        It holds for all metrics but scorers on which ``set_score_request`` was called.

        Parameters
        ----------
        sample_weight : bool or str, default=None
            True requests weights, False refuses them, a str is the name that they are
            passed under; None raises an error if weights are passed.

        Returns
        -------
        report : ScoreReport
            The report itself.

        Raises
        ------
        RuntimeError
            If metadata routing is not enabled.
        """
        if not _routes():
            raise RuntimeError(
                "set_score_request needs metadata routing: call "
                "sklearn.set_config(enable_metadata_routing=True) first."
            )
        self._metadata_request = _request_of(self, sample_weight)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the metrics request, as scikit-learn's dict of scorers does.

        Returns
        -------
        routing : MetadataRouter
            One request for each metric.
        """
        router = MetadataRouter(owner=type(self).__name__)
        mapping = MethodMapping().add(caller="score", callee="score")
        items = _check_metrics(self.metrics)
        own = getattr(self, "_metadata_request", None)
        if own is None:
            own = _request_of(self, None)
            if not all(item.has_request for item in items.values()):
                # Weights that nobody asked for are an error before folds are run,
                # where an error would become a nan.
                router.add_self_request(own)
        for name, item in items.items():
            asked = item.scorer if item.has_request else own
            router.add(method_mapping=mapping, **{name: get_routing_for_object(asked)})
        return router

    def _route(
        self, items: dict[str, "_Item"], metadata: Metadata
    ) -> dict[str, Metadata]:
        """Return the metadata of each metric by its name."""
        if not _routes():
            unknown = sorted(set(metadata) - {"sample_weight"})
            if unknown:
                raise TypeError(
                    f"ScoreReport takes no {unknown[0]!r} without metadata routing."
                )
            return dict.fromkeys(items, metadata)
        if not metadata:
            return dict.fromkeys(items, metadata)
        routed = process_routing(self, "score", **metadata)
        return {name: dict(routed[name].score) for name in items}


@dataclass(frozen=True)
class _Item:
    """A metric with its keywords, and the scorer that it came from, if any."""

    metric: Any
    kwargs: dict[str, Any]
    scorer: RankingScorer | None = None

    @property
    def pos_label(self) -> Any:
        return None if self.scorer is None else self.scorer.pos_label

    @property
    def response_method(self) -> Any:
        """The method that the scorer names, None if it leaves the default."""
        own = DEFAULT_RESPONSE if self.scorer is None else self.scorer.response_method
        is_default = not isinstance(own, str) and tuple(own) == DEFAULT_RESPONSE
        return None if is_default else own

    @property
    def has_request(self) -> bool:
        """Whether ``set_score_request`` was called on the scorer."""
        return hasattr(self.scorer, "_metadata_request")


class _Fold:
    """An estimator on some cases; it predicts once by each method."""

    def __init__(self, report: ScoreReport, estimator: Any, X: Any, y: Any) -> None:
        self._report, self._estimator, self._X, self._y = report, estimator, X, y
        self._predictions: dict[str, Any] = {}
        self._cases: dict[Any, Cases] = {}
        self._ranked: dict[Any, Ranked] = {}
        self._is_told = False

    def score(self, name: str, item: _Item, metadata: Metadata) -> tuple[float, float]:
        """Return a metric and its standard error, nan where undefined."""
        metadata = dict(metadata)
        weight = metadata.pop("sample_weight", None)
        try:
            ranked = self._rank(item, weight)
        except UndefinedResponse as undefined:
            if not self._is_told:
                warn_undefined("ScoreReport", str(undefined))
            self._is_told = True
            return _NAN, _NAN
        kwargs = {**item.kwargs, **metadata}
        return _score(name, item.metric, kwargs, ranked, weight is not None)

    def count(self, item: _Item, metadata: Metadata) -> dict[str, float]:
        """Return the numbers of positives and negatives, nan if none is known."""
        label = self._report.pos_label
        if label is None:
            try:
                label = self._response(item)[1]
            except UndefinedResponse as undefined:
                label = undefined.pos_label
        if label is None:
            return dict.fromkeys(COUNTS, _NAN)
        sizes = self._cases_of(label, metadata.get("sample_weight")).sizes
        return {name: int(size) for name, size in zip(COUNTS, sizes, strict=True)}

    def _rank(self, item: _Item, weight: Any) -> Ranked:
        y_score, label = self._response(item)
        key = (label, self._method(item), id(weight))
        if key not in self._ranked:
            cases = self._cases_of(label, weight)
            self._ranked[key] = scored(cases, "y_score", y_score, by_case=False)
        return self._ranked[key]

    def _cases_of(self, label: Any, weight: Any) -> Cases:
        key = (label, id(weight))
        if key not in self._cases:
            self._cases[key] = check_cases(
                self._y,
                sample_weight=weight,
                weights=self._report.weights,
                pos_label=label,
            )
        return self._cases[key]

    def _response(self, item: _Item) -> tuple[Any, Any]:
        report = self._report
        return ranking_scores(
            self._estimator,
            self._X,
            self._y,
            self._method(item),
            report.pos_label if item.pos_label is None else item.pos_label,
            user="ScoreReport",
            call=self._predict,
            tell=report._tell_once,
        )

    def _method(self, item: _Item) -> Any:
        method = item.response_method or self._report.response_method
        return method if isinstance(method, str) else tuple(method)

    def _predict(self, estimator: Any, method: str, X: Any) -> Any:
        if method not in self._predictions:
            self._predictions[method] = second_class(estimator, method, X)
        return self._predictions[method]


def _routes() -> bool:
    return bool(get_config()["enable_metadata_routing"])


def _request_of(report: ScoreReport, sample_weight: Any) -> MetadataRequest:
    request = MetadataRequest(owner=type(report).__name__)
    request.score.add_request(param="sample_weight", alias=sample_weight)
    return request


def _check_metrics(metrics: Any) -> dict[str, _Item]:
    """Return the metrics by name."""
    if not isinstance(metrics, Mapping) or not metrics:
        raise ValueError(
            f"metrics must be a dict of metrics by name, not empty, got {metrics!r}."
        )
    items: dict[str, _Item] = {}
    for name, metric in metrics.items():
        if not isinstance(name, str) or name in COUNTS or name.endswith(STANDARD_ERROR):
            raise ValueError(
                f"metrics has the name {name!r}: names are strings, other than those "
                f"of the counts {list(COUNTS)} and of standard errors."
            )
        items[name] = _Item(metric, {})
        if isinstance(metric, RankingScorer):
            kwargs = dict(metric._kwargs)
            kwargs.pop("pos_label")
            items[name] = _Item(metric._score_func, kwargs, metric)
    return items


def _score(
    name: str, metric: Any, kwargs: dict[str, Any], ranked: Ranked, is_weighted: bool
) -> tuple[float, float]:
    """Return a metric and its standard error, nan where undefined."""
    cases = ranked.cases
    of = find_metric(metric, kwargs).of_sample(cases.total, is_weighted=is_weighted)
    value = of.value(ranked.table) if min(cases.sizes) > 0 else float("nan")
    if np.isnan(value):
        warnings.warn(
            f"{name!r} is undefined on a fold with {cases.sizes[0]:g} positives and "
            f"{cases.sizes[1]:g} negatives. nan is returned.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
    if np.isnan(value) or min(cases.sizes) < 2:
        return value, float("nan")
    return value, float(np.sqrt(variance(of, ranked)))
