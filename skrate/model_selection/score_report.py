"""Several metrics per fold, each with its standard error."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning

from skrate.core.validation import check_choice
from skrate.inference.delta import variance
from skrate.inference.registry import table_metric
from skrate.inference.sample import WEIGHTS, Ranked, check_sample
from skrate.model_selection.responses import DEFAULT_RESPONSE, ranking_scores
from skrate.model_selection.scorers import RankingScorer

STANDARD_ERROR = "_standard_error"
COUNTS = ("n_pos", "n_neg")


class ScoreReport(BaseEstimator):  # type: ignore[misc]
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
        "decision_function", then "predict_proba" by default.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes ``estimator.classes_[1]``.
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
        weights: str = "frequency",
    ) -> None:
        self.metrics = metrics
        self.response_method = response_method
        self.pos_label = pos_label
        self.weights = weights

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None
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

        Returns
        -------
        scores : dict
            Floats by name.
        """
        metrics = _check_metrics(self.metrics)
        check_choice("weights", self.weights, WEIGHTS)
        y_score, pos_label = ranking_scores(
            estimator, X, self.response_method, self.pos_label, user="ScoreReport"
        )
        ranked = check_sample(
            y,
            y_score,
            sample_weight=sample_weight,
            weights=self.weights,
            pos_label=pos_label,
        )
        scores: dict[str, float] = {}
        is_weighted = sample_weight is not None
        for name, (metric, kwargs) in metrics.items():
            value, error = _score(name, metric, kwargs, ranked, is_weighted)
            scores[name], scores[name + STANDARD_ERROR] = value, error
        n_pos, n_neg = ranked.cases.sizes
        return {**scores, "n_pos": int(n_pos), "n_neg": int(n_neg)}


def _check_metrics(metrics: Any) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Return metric and keywords by name."""
    if not isinstance(metrics, Mapping) or not metrics:
        raise ValueError(
            f"metrics must be a dict of metrics by name, not empty, got {metrics!r}."
        )
    found: dict[str, tuple[Any, dict[str, Any]]] = {}
    for name, metric in metrics.items():
        if not isinstance(name, str) or name in COUNTS or name.endswith(STANDARD_ERROR):
            raise ValueError(
                f"metrics has the name {name!r}: names are strings, other than those "
                f"of the counts {list(COUNTS)} and of standard errors."
            )
        found[name] = (metric, {})
        if isinstance(metric, RankingScorer):
            kwargs = dict(metric._kwargs)
            kwargs.pop("pos_label")
            found[name] = (metric._score_func, kwargs)
    return found


def _score(
    name: str, metric: Any, kwargs: dict[str, Any], ranked: Ranked, is_weighted: bool
) -> tuple[float, float]:
    """Return a metric and its standard error, nan where undefined."""
    cases = ranked.cases
    of = table_metric(metric, kwargs, n_cases=cases.total, is_weighted=is_weighted)
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
