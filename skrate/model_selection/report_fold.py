"""A fold of a report: several metrics of one ranking, with their standard errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from copy import copy
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.data.arrays import Array, ArrayLike, BoolArray, Label
from skrate.data.checks import check_vector, warn_undefined
from skrate.data.folds import FoldRankings
from skrate.inference.delta import variance_parts
from skrate.inference.sample import Ranked, Weights, check_cases, with_worth
from skrate.metrics.base import METRICS, OF_CASES_IN_FOLDS, find_metric, per_case
from skrate.model_selection.ranking_scorer import RankingScorer, has_grades
from skrate.model_selection.responses import (
    UndefinedResponse,
    check_response_method,
    ranking_scores,
    second_class,
)

COUNTS = ("n_pos", "n_neg")

Metadata = dict[str, Any]
_NAN = float("nan")


class ReportFold:
    """An estimator on some cases; it predicts once by each method."""

    def __init__(self, report: Any, estimator: Any, X: Any, y: ArrayLike) -> None:
        self._report, self._estimator, self._X, self._y = report, estimator, X, y
        self._known: dict[Any, Any] = {}

    def score(
        self, name: str, scorer: RankingScorer, metadata: Metadata
    ) -> tuple[float, float]:
        """Return a metric and its standard error, nan where undefined."""
        params = {**scorer._options, **metadata}
        groups = scorer._take_groups(params, self._X, self._y)
        if groups is not None:
            return self._score_lists(scorer, groups, params)
        params = metadata | scorer._per_case(metadata, self._X, self._y)
        weight = params.pop("sample_weight", None)
        metric = find_metric(copy(scorer).set_params(pos_label=None), params)
        try:
            ranked = self._rank(scorer, weight)
        except UndefinedResponse as undefined:
            return self._undefined(undefined)
        # Rows, as of the score: only an estimate takes weights for repetitions.
        n_cases = ranked.total if metric.facts.is_sum else float(len(ranked.is_pos))
        metric = metric.of_sample(n_cases, is_weighted=weight is not None)
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
        return value, variance_parts(metric, ranked).standard_error

    def _score_lists(
        self, scorer: RankingScorer, groups: ArrayLike, params: Metadata
    ) -> tuple[float, float]:
        """Return the mean over lists and its standard error, nan where undefined."""
        try:
            y_score, label = self._response(scorer)
        except UndefinedResponse as undefined:
            return self._undefined(undefined)
        scores, mean = scorer._in_lists(self._y, y_score, groups, label, params)
        found = scores.estimate(**mean)
        return scorer._sign * found.value, found.standard_error

    def _undefined(self, undefined: UndefinedResponse) -> tuple[float, float]:
        reason = str(undefined)
        self._once("told", lambda: warn_undefined("ScoreReport", reason))
        return _NAN, _NAN

    def count(
        self, scorer: RankingScorer, weight: ArrayLike | None
    ) -> dict[str, float]:
        """Return the numbers of positives and negatives, nan if none is known."""
        params = scorer._options
        if has_grades(params):
            relevant = check_vector("y", self._y) >= params["relevance_threshold"]
            cases = check_cases(
                relevant,
                sample_weight=weight,
                weights=self._kind_of_weights(scorer, weight),
                pos_label=True,
            )
            return _counts(cases)
        label = self._report.pos_label
        if label is None:
            try:
                label = self._response(scorer)[1]
            except UndefinedResponse as undefined:
                label = undefined.pos_label
        if label is None:
            return dict.fromkeys(COUNTS, _NAN)
        return _counts(
            self._cases(label, weight, self._kind_of_weights(scorer, weight))
        )

    def _kind_of_weights(
        self, scorer: RankingScorer, weight: ArrayLike | None
    ) -> Weights:
        """Return what weights are; of lists, which take any, parts count as rows."""
        if weight is not None and scorer._is_of_lists and np.any(np.mod(weight, 1)):
            return "sampling"
        weights: Weights = self._report.weights
        return weights

    def _rank(self, scorer: RankingScorer, weight: ArrayLike | None) -> Ranked:
        y_score, label = self._response(scorer)
        cases = self._cases(label, weight, self._report.weights)
        ranked: Ranked = self._once(
            (label, check_response_method(scorer.response_method), id(weight)),
            lambda: cases.with_scores("y_score", y_score),
        )
        return ranked

    def _cases(
        self, label: Label, weight: ArrayLike | None, weights: Weights
    ) -> Ranked:
        cases: Ranked = self._once(
            (label, id(weight), weights),
            lambda: check_cases(
                self._y, sample_weight=weight, weights=weights, pos_label=label
            ),
        )
        return cases

    def _response(self, scorer: RankingScorer) -> tuple[Any, Any]:
        return ranking_scores(
            self._estimator,
            self._X,
            None if has_grades(scorer._options) else self._y,
            scorer.response_method,
            scorer.pos_label,
            user="ScoreReport",
            call=lambda *asked: self._once(asked[1], lambda: second_class(*asked)),
            tell=self._report._tell_once,
        )

    def _once(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]


class RankedFold(ReportFold):
    """A fold that is ranked already: whether cases are positive, and their scores."""

    def __init__(self, report: Any, is_pos: BoolArray, y_score: Array) -> None:
        super().__init__(report, None, None, is_pos)
        self._scores = y_score

    def count(
        self, scorer: RankingScorer, weight: ArrayLike | None
    ) -> dict[str, float]:
        """Return the numbers of positives and negatives."""
        return _counts(self._cases(True, weight, self._report.weights))

    def _response(self, scorer: RankingScorer) -> tuple[Any, Any]:
        return self._scores, True


def check_of_rankings(name: str, scorer: RankingScorer, rankings: FoldRankings) -> None:
    """Raise for a metric that rankings of folds do not have."""
    if scorer._is_of_lists:
        raise ValueError(
            f"metrics[{name!r}] is a mean over lists, and FoldRankings have none: give "
            "the report to cross_validate."
        )
    kind = METRICS.get(scorer.metric)
    for option in () if kind is None else per_case(kind):
        if isinstance(scorer._options.get(option), str):
            raise ValueError(f"metrics[{name!r}]: {OF_CASES_IN_FOLDS}")
    label = scorer.pos_label
    if label is not None and np.any((rankings.y_true == label) != rankings.is_pos):
        raise ValueError(
            f"pos_label={label!r} of metrics[{name!r}] is not that of the rankings: "
            "leave it out."
        )


def _counts(cases: Ranked) -> dict[str, float]:
    return {name: int(size) for name, size in zip(COUNTS, cases.sizes, strict=True)}
