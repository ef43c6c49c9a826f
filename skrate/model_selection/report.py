"""Several metrics of a fold or of all folds, with their standard errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
    process_routing,
)

from skrate.data.arrays import Array, ArrayLike, FloatArray, Label
from skrate.data.checks import check_choice, warn_undefined
from skrate.data.estimated import EstimatedLabels
from skrate.data.folds import FoldRankings
from skrate.inference.delta import (
    influence_parts,
    influence_rows,
    variance_parts,
    widest,
)
from skrate.inference.sample import WEIGHTS, Ranked, Weights, check_cases, with_worth
from skrate.metrics.base import (
    OF_CASES_IN_FOLDS,
    MetricLike,
    check_takes_estimates,
    find_metric,
)
from skrate.metrics.bound import OF_CLASSES
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    ResponseMethod,
    TellsOnce,
    UndefinedResponse,
    check_response_method,
    ranking_scores,
    second_class,
)
from skrate.model_selection.scorers import (
    RankingScorer,
    ShownByParameters,
    make_ranking_scorer,
)

STANDARD_ERROR = "_standard_error"
COUNTS = ("n_pos", "n_neg")
Metadata = dict[str, Any]
_NAN = float("nan")


class ScoreReport(ShownByParameters, TellsOnce, BaseEstimator):  # type: ignore[misc]
    """Score models by several metrics at once, each with its standard error.

    A single ``scoring=`` callable that returns a dict per fold, which lands in
    ``cv_results_``. The estimator predicts once per fold for all metrics.

    Parameters
    ----------
    metrics : dict
        Metrics by name: whatever :func:`estimate` takes, or scorers of this package.
    response_method, pos_label : optional
        As in :class:`RateWeightedAUCScorer`, for metrics that are not scorers, or
        lack one.
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
    "n_pos" and "n_neg". A metric of which less is better is negated. An undefined one
    is nan, with an ``UndefinedMetricWarning``; so is a standard error where a class has
    fewer than two cases. In a search, name the metric to select by in ``refit``.

    The standard error comes from the delta method: the spread over test cases, for
    the model that was fitted on the fold; of lists it is the spread over lists, as of
    :meth:`GroupScores.estimate`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import ScoreReport, average_precision_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> report = ScoreReport(
    ...     metrics={"auc": "roc_auc", "ap": average_precision_score}
    ... )
    >>> results = cross_validate(GaussianNB(), X, y, scoring=report)
    >>> results["test_auc_standard_error"].shape
    (5,)
    >>> results["test_n_pos"].tolist()
    [71, 71, 72, 72, 71]
    """

    def __init__(
        self,
        metrics: Mapping[str, MetricLike],
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
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
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        **metadata: Any,
    ) -> dict[str, float]:
        """Score ``estimator`` on ``X`` and ``y``, by name.

        With metadata routing, ``metadata`` is what scorers requested by other names.
        """
        scorers = self._scorers()
        if sample_weight is not None:
            metadata["sample_weight"] = sample_weight
        known: dict[str, Array] = {}

        def call(estimator: Any, method: str, X: Any) -> Array:
            if method not in known:
                known[method] = second_class(estimator, method, X)
            return known[method]

        def respond(scorer: RankingScorer) -> tuple[Any, Label]:
            return ranking_scores(
                estimator,
                X,
                None if scorer._bound.has_grades else y,
                scorer.response_method,
                scorer.pos_label,
                user="ScoreReport",
                call=call,
                tell=self._tell_once,
            )

        fold = ReportFold(X, y, self.pos_label, self.weights, respond)
        return self._score_fold(fold, scorers, self._route(metadata))

    def score_rankings(self, rankings: FoldRankings) -> dict[str, FloatArray]:
        """Score rankings of folds, as ``cross_validate`` scores their models.

        ``rankings`` is what :func:`cross_val_rankings` returned. The dict, for
        :func:`summarize`, has an array of shape (n_folds,) under the names of
        ``cross_validate``. A ValueError names metrics of lists, of what each case is
        worth, or with another positive label.
        """
        if not isinstance(rankings, FoldRankings):
            raise ValueError(
                "rankings must be what cross_val_rankings returns, got "
                f"{type(rankings).__name__}."
            )
        scorers = self._scorers()
        for name, scorer in scorers.items():
            check_of_rankings(name, scorer, rankings)
        found = []
        for is_pos, y_score, weight in rankings:
            given = {} if weight is None else {"sample_weight": weight}

            def respond(_: Any, ranked: tuple[Any, Label] = (y_score, True)) -> Any:
                return ranked

            fold = ReportFold(None, is_pos, True, self.weights, respond)
            found.append(self._score_fold(fold, scorers, dict.fromkeys(scorers, given)))
        return {
            f"test_{name}": np.array([scores[name] for scores in found])
            for name in found[0]
        }

    def _score_fold(
        self,
        fold: ReportFold,
        scorers: dict[str, RankingScorer],
        routed: dict[str, Metadata],
    ) -> dict[str, float]:
        """Return the metrics of a fold with their standard errors, and its counts."""
        scores: dict[str, float] = {}
        for name, scorer in scorers.items():
            value, error = fold.score(name, scorer, routed[name])
            scores[name], scores[name + STANDARD_ERROR] = value, error
        # The counts are of the report's class, or of the first metric that names none.
        given = [getattr(self.metrics[name], "pos_label", None) for name in scorers]
        name = list(scorers)[given.index(None) if None in given else 0]
        return scores | fold.count(scorers[name], routed[name].get("sample_weight"))

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Self:
        """Say whether metadata routing hands weights to the metrics.

        As of any scorer, for all metrics but scorers on which ``set_score_request`` was
        called. Without metadata routing it raises a RuntimeError.
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs metadata routing: call "
                "sklearn.set_config(enable_metadata_routing=True) first."
            )
        self._metadata_request = _request_of(self, sample_weight)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the metrics request, as scikit-learn's dict of scorers does."""
        router = MetadataRouter(owner=type(self).__name__)
        mapping = MethodMapping().add(caller="score", callee="score")
        requests = {
            name: getattr(scorer, "_metadata_request", None)
            for name, scorer in self._scorers().items()
        }
        own = getattr(self, "_metadata_request", None)
        if own is None:
            own = _request_of(self, None)
            if None in requests.values():
                # Weights that nobody asked for are an error before folds are run,
                # where an error would become a nan.
                router.add_self_request(own)
        for name, asked in requests.items():
            router.add(method_mapping=mapping, **{name: asked or own})
        return router

    def _route(self, metadata: Metadata) -> dict[str, Metadata]:
        """Return the metadata of each metric by its name."""
        if get_config()["enable_metadata_routing"] and metadata:
            routed = process_routing(self, "score", **metadata)
            return {name: dict(routed[name].score) for name in self.metrics}
        unknown = sorted(set(metadata) - {"sample_weight"})
        if unknown:
            raise TypeError(
                f"ScoreReport takes no {unknown[0]!r} without metadata routing."
            )
        return dict.fromkeys(self.metrics, metadata)

    def _scorers(self) -> dict[str, RankingScorer]:
        """Return a scorer for each metric, with the report's word where it has none."""
        check_choice("weights", self.weights, WEIGHTS)
        if not isinstance(self.metrics, Mapping) or not self.metrics:
            raise ValueError(
                "metrics must be a dict of metrics by name, not empty, got "
                f"{self.metrics!r}."
            )
        scorers: dict[str, RankingScorer] = {}
        for name, metric in self.metrics.items():
            is_taken = name in COUNTS or str(name).endswith(STANDARD_ERROR)
            if not isinstance(name, str) or is_taken:
                raise ValueError(
                    f"metrics has the name {name!r}: names are strings, other than "
                    f"those of the counts {list(COUNTS)} and of standard errors."
                )
            scorer: Any = metric
            is_scorer = isinstance(metric, RankingScorer)
            scorer = copy(scorer) if is_scorer else make_ranking_scorer(metric)
            if isinstance(scorer._bound.params.get("rate"), Mapping):
                raise ValueError(
                    f"metrics[{name!r}] has a rate for each class, and ScoreReport is "
                    "of two classes: give one rate, or several classes to the scorer "
                    "itself, without a standard error."
                )
            if scorer.pos_label is None:
                scorer.pos_label = self.pos_label
            if check_response_method(scorer.response_method) == DEFAULT_RESPONSE:
                scorer.response_method = self.response_method
            scorers[name] = scorer
        return scorers


def _request_of(
    report: ScoreReport, sample_weight: bool | str | None
) -> MetadataRequest:
    request = MetadataRequest(owner=type(report).__name__)
    request.score.add_request(param="sample_weight", alias=sample_weight)
    return request


@dataclass
class ReportFold:
    """Some cases, and what scorers rank them by: ``respond(scorer)``.

    ``pos_label`` is the report's, if it names one.
    """

    X: Any
    y: Any
    pos_label: Label
    weights: Weights
    respond: Callable[[RankingScorer], tuple[Any, Label]]
    rankings: dict[Any, Ranked] = field(default_factory=dict)
    is_told: bool = False

    def score(
        self, name: str, scorer: RankingScorer, metadata: Metadata
    ) -> tuple[float, float]:
        """Return a metric and its standard error, nan where undefined."""
        bound, rows = scorer._bound_to(metadata, self.X, self.y)
        try:
            y_score, label = self.respond(scorer)
        except UndefinedResponse as undefined:
            if not self.is_told:
                warn_undefined("ScoreReport", str(undefined))
            self.is_told = True
            return _NAN, _NAN
        if "groups" in rows:
            scores, mean = bound.in_lists(self.y, y_score, label, **rows)
            found = scores.estimate(**mean)
            return scorer._sign * found.value, found.standard_error
        params = {k: v for k, v in bound.params.items() if k not in OF_CLASSES}
        metric = find_metric(copy(scorer).set_params(pos_label=None), params)
        weight = rows.get("sample_weight")
        key = label, check_response_method(scorer.response_method), id(weight)
        if key not in self.rankings:
            cases = check_cases(
                self.y, sample_weight=weight, weights=self.weights, pos_label=label,
                takes_estimates=True,
            )  # fmt: skip
            self.rankings[key] = cases.with_scores("y_score", y_score)
        ranked = self.rankings[key]
        # Rows, as of the score: only an estimate takes weights for repetitions.
        n_cases = ranked.total if metric.facts.is_sum else float(len(ranked.is_pos))
        metric = metric.of_sample(n_cases, is_weighted=weight is not None)
        check_takes_estimates(metric, ranked)
        ranked = with_worth(ranked, metric)
        value = metric.value(ranked.table) if min(ranked.sizes) > 0 else _NAN
        if np.isnan(value):
            warnings.warn(
                f"{name!r} is undefined on a fold with {ranked.sizes[0]:g} positives "
                f"and {ranked.sizes[1]:g} negatives. nan is returned.",
                UndefinedMetricWarning,
                stacklevel=2,
            )
        # Greater is better for a search, as the scorer alone has it.
        value *= scorer._sign
        if np.isnan(value) or min(ranked.sizes) < 2:
            return value, _NAN
        if ranked.estimated is not None:
            adds = widest(influence_rows(metric, ranked), ranked)
            return value, influence_parts(adds, ranked).standard_error
        return value, variance_parts(metric, ranked).standard_error

    def count(
        self, scorer: RankingScorer, weight: ArrayLike | None
    ) -> dict[str, float]:
        """Return the numbers of positives and negatives, nan if none is known."""
        y, label, weights = self.y, self.pos_label, self.weights
        if weight is not None and scorer._is_of_lists and np.any(np.mod(weight, 1)):
            # Of lists, which take any, parts count as rows.
            weights = "sampling"
        if scorer._bound.has_grades:
            y, label = scorer._bound.are_relevant(y), True
        if isinstance(y, EstimatedLabels):
            label = None
        elif label is None:
            try:
                label = self.respond(scorer)[1]
            except UndefinedResponse as undefined:
                label = undefined.pos_label
            if label is None:
                return dict.fromkeys(COUNTS, _NAN)
        cases = check_cases(
            y, sample_weight=weight, weights=weights, pos_label=label,
            takes_estimates=True,
        )  # fmt: skip
        as_count = int if cases.estimated is None else float
        return {n: as_count(size) for n, size in zip(COUNTS, cases.sizes, strict=True)}


def check_of_rankings(name: str, scorer: RankingScorer, rankings: FoldRankings) -> None:
    """Raise for a metric that rankings of folds do not have."""
    if scorer._is_of_lists:
        raise ValueError(
            f"metrics[{name!r}] is a mean over lists, and FoldRankings have none: give "
            "the report to cross_validate."
        )
    for option in scorer._bound.per_case:
        if isinstance(scorer._bound.params.get(option), str):
            raise ValueError(f"metrics[{name!r}]: {OF_CASES_IN_FOLDS}")
    label = scorer.pos_label
    if label is not None and np.any((rankings.y_true == label) != rankings.is_pos):
        raise ValueError(
            f"pos_label={label!r} of metrics[{name!r}] is not that of the rankings: "
            "leave it out."
        )
