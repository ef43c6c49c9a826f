"""Scorer objects for ``scoring=``, wherever scikit-learn takes one."""

from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.metrics import make_scorer, roc_auc_score

from skrate.core.arrays import Array
from skrate.core.validation import warn_undefined
from skrate.metrics.average_precision import average_precision_score
from skrate.metrics.rate_weighted_auc import rate_weighted_auc_score
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    TellsOnce,
    UndefinedResponse,
    ranking_scores,
)

# A dict of scorers shares predictions only among instances of this class, which has
# no public name; tests/model_selection/test_scorers.py notes the releases it was
# checked on.
_Scorer: Any = type(make_scorer(roc_auc_score))


class RankingScorer(TellsOnce, BaseEstimator, _Scorer):  # type: ignore[misc]
    """What all scorers of this package share; a subclass names metric and parameters.

    A subclass has ``response_method`` and ``pos_label`` among its parameters; the
    others are handed to ``metric`` by name.
    """

    metric: Callable[..., float]
    response_method: Any
    pos_label: Any

    # What scikit-learn asks of a scorer, next to _score.
    _sign = 1
    _deprecation_msg = None

    @property
    def _score_func(self) -> Callable[..., float]:
        return type(self).metric

    @property
    def _response_method(self) -> Any:
        return self.response_method

    @property
    def _kwargs(self) -> dict[str, Any]:
        params: dict[str, Any] = self.get_params(deep=False)
        del params["response_method"]
        return params

    def _score(
        self,
        method_caller: Callable[..., Array],
        estimator: Any,
        X: Any,
        y_true: Any,
        **kwargs: Any,
    ) -> float:
        """Score ``estimator``; ``method_caller`` may know its predictions already."""
        name = type(self).__name__
        try:
            y_score, pos_label = ranking_scores(
                estimator,
                X,
                self._estimated(y_true),
                self.response_method,
                self.pos_label,
                user=name,
                call=method_caller,
                tell=self._tell_once,
            )
        except UndefinedResponse as undefined:
            return warn_undefined(name, str(undefined))
        params = {**self._kwargs, "pos_label": pos_label, **kwargs}
        return self._score_func(y_true, y_score, **params)

    def _estimated(self, y_true: Any) -> Any:
        """Return the labels that the estimator's classes are of, None if unknown."""
        return y_true


class RateWeightedAUCScorer(RankingScorer):
    """Score models by the rate-weighted AUC, as a ``scoring=`` object.

    It selects the model that finds most where the budget will be spent. Labels may be
    strings: name the positive one. In a dict of scorers the estimator predicts once for
    all of them.

    Parameters
    ----------
    rate : "uniform", float or distribution, default="uniform"
        The share of all cases that will be processed: a number in (0, 1], a frozen
        ``scipy.stats`` distribution or one from :mod:`skrate.rates`.
    response_method : str or tuple of str
        Methods of the estimator that give scores, the first that it has is used;
        "decision_function", then "predict_proba" by default. Pass "predict" for
        regressors and rankers.
    pos_label : int, float, bool or str, default=None
        The positive label. None takes 1 of {0, 1} and {-1, 1}, True of booleans, and
        of other labels the second, with a warning that names it.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from functions; takes ours as well.
    rate_weighted_auc_score : The metric.
    refit_best : A ``refit=`` rule that survives folds without positives.

    Notes
    -----
    Called as ``scorer(estimator, X, y, sample_weight=None)``, it returns a float; nan
    with an ``UndefinedMetricWarning`` where ``y`` holds one class, or the estimator was
    trained on one. With metadata routing, ask for weights by
    ``set_score_request(sample_weight=True)``. More than two classes raise a
    ``ValueError``. The warning that names the class taken comes once for a scorer, or
    once for each process that runs folds.

    Next to a scorer of scikit-learn's with a ``pos_label`` other than the second
    class, predictions must not be shared (scikit-learn keeps one per method, whatever
    its ``pos_label``): give that scorer another ``response_method``.

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import RateWeightedAUCScorer, rates
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = RateWeightedAUCScorer(rate=rates.beta(3, 19))
    >>> scorer
    RateWeightedAUCScorer(rate=beta(3, 19))
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer).shape
    (5,)
    """

    metric = staticmethod(rate_weighted_auc_score)

    def __init__(
        self,
        rate: Any = "uniform",
        response_method: Any = DEFAULT_RESPONSE,
        pos_label: Any = None,
    ) -> None:
        self.rate = rate
        self.response_method = response_method
        self.pos_label = pos_label


class AveragePrecisionScorer(RankingScorer):
    """Score models by average precision, as a ``scoring=`` object.

    It selects the model with the purest top of the ranking, for screening and rare
    events, at the prevalence of each fold or of a population. Labels may be strings:
    name the positive one. In a dict of scorers the estimator predicts once for all of
    them.

    Parameters
    ----------
    prevalence : float, default=None
        Share of the positives in the population, in (0, 1). None takes the share in
        the cases that are scored.
    adjusted : bool, default=False
        Whether to rescale so that constant scores give 0, at any prevalence.
    response_method : str or tuple of str
        Methods of the estimator that give scores, the first that it has is used;
        "decision_function", then "predict_proba" by default. Pass "predict" for
        regressors and rankers.
    pos_label : int, float, bool or str, default=None
        The positive label. None takes 1 of {0, 1} and {-1, 1}, True of booleans, and
        of other labels the second, with a warning that names it.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from functions; takes ours as well.
    average_precision_score : The metric.
    RateWeightedAUCScorer : For a rate that is known as a distribution.
    refit_best : A ``refit=`` rule that survives folds without positives.

    Notes
    -----
    Called as ``scorer(estimator, X, y, sample_weight=None)``, it returns a float; nan
    with an ``UndefinedMetricWarning`` where ``y`` holds no positive case (the
    "average_precision" of scikit-learn returns 0.0 there, which lowers the mean over
    folds), or the estimator was trained on one class. With metadata routing, ask for
    weights by ``set_score_request(sample_weight=True)``. More than two classes raise a
    ``ValueError``. What :class:`RateWeightedAUCScorer` says of scorers with another
    positive class holds here, too.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import AveragePrecisionScorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = AveragePrecisionScorer(prevalence=0.01, pos_label=0)
    >>> scorer
    AveragePrecisionScorer(pos_label=0, prevalence=0.01)
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer).shape
    (5,)
    """

    metric = staticmethod(average_precision_score)

    def __init__(
        self,
        prevalence: float | None = None,
        adjusted: bool = False,
        response_method: Any = DEFAULT_RESPONSE,
        pos_label: Any = None,
    ) -> None:
        self.prevalence = prevalence
        self.adjusted = adjusted
        self.response_method = response_method
        self.pos_label = pos_label
