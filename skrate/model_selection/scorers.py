"""Scorer classes for ``scoring=``, wherever scikit-learn takes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from skrate.data.arrays import ArrayLike, Label, Number
from skrate.metrics.auc import ranking_auc_score
from skrate.metrics.average_precision import TailKind, average_precision_score
from skrate.metrics.base import METRICS, per_case
from skrate.metrics.classes import AverageName, RateByClass
from skrate.metrics.lists import Average, Policy
from skrate.metrics.rate_weighted_auc import rate_weighted_auc_score
from skrate.model_selection.ranking_scorer import OF_CASES, RankingScorer
from skrate.model_selection.responses import DEFAULT_RESPONSE, ResponseMethod
from skrate.model_selection.row_entries import GroupsLike
from skrate.rates.sets import End


class RateWeightedAUCScorer(RankingScorer):
    """Score models by the rate-weighted AUC, as a ``scoring=`` object.

    It selects the model that finds most where the budget will be spent. Labels may be
    strings: name the positive one. In a dict of scorers the estimator predicts once for
    all of this package.

    Parameters
    ----------
    rate : "uniform", float, distribution or dict, default="uniform"
        The share of all cases that will be processed: a number in (0, 1], a frozen
        ``scipy.stats`` distribution or one from :mod:`skrate.rates`; with ``worst``
        a set of distributions, from :func:`skrate.rates.between`. Of more than two
        classes, a dict may hold one for each, and that of ``pos_label`` is taken.
    response_method : str or tuple of str
        Methods of the estimator that give scores, the first that it has is used;
        "decision_function", then "predict_proba" by default, and the other way round
        for more than two classes. Pass "predict" for regressors and rankers.
    pos_label : int, float, bool or str, default=None
        The positive label. None takes 1 of {0, 1} and {-1, 1}, True of booleans, and
        of other labels the second, with a warning that names it. Of more than two
        classes, the one that is scored against the rest; None averages over all.
    worst : {"low", "high"}, default=None
        With a set of distributions, which end of the range over the set is the score:
        "low" selects the model that is best where it is worst.
    average : {"macro", "weighted", "micro", "samples"}, default="macro"
        How classes are averaged if there are more than two, as in
        :func:`rate_weighted_auc_score`.
    labels : array-like of shape (n_labels,), default=None
        The names of the columns of a ``y`` with a column for each label, such as
        ``pos_label`` and ``rate`` use; None numbers them from 0. Classes are known by
        the estimator.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from functions; takes ours as well.
    rate_weighted_auc_score : The metric.
    refit_best : A ``refit=`` rule that survives folds without positives.

    Notes
    -----
    Called as ``scorer(estimator, X, y, sample_weight=None)``, it returns a float; nan
    with an ``UndefinedMetricWarning`` where ``y`` holds one class, or the estimator was
    trained on one; of more than two, where one is lacking in either. With metadata
    routing, ask for weights by ``set_score_request(sample_weight=True)``. The warning
    that names the class taken comes once for a scorer, or once for each process that
    runs folds.

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
        rate: RateByClass = "uniform",
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
        worst: End | None = None,
        average: AverageName = "macro",
        labels: ArrayLike | None = None,
    ) -> None:
        self.rate = rate
        self.response_method = response_method
        self.pos_label = pos_label
        self.worst = worst
        self.average = average
        self.labels = labels


class AveragePrecisionScorer(RankingScorer):
    """Score models by average precision, as a ``scoring=`` object.

    It selects the model with the purest top of the ranking, for screening and rare
    events, at the prevalence of each fold or of a population. Labels may be strings:
    name the positive one. In a dict of scorers the estimator predicts once for all of
    this package.

    Parameters
    ----------
    prevalence : float, default=None
        Share of the positives in the population, in (0, 1). None takes the share in
        the cases that are scored.
    adjusted : bool, default=False
        Whether to rescale so that constant scores give 0, at any prevalence.
    tail : {"binormal", "empirical"}, default="binormal"
        How the top of the ranking is read at a ``prevalence`` below that of the cases,
        as in :func:`average_precision_score`.
    response_method : str or tuple of str
        As in :class:`RateWeightedAUCScorer`.
    pos_label : int, float, bool or str, default=None
        As in :class:`RateWeightedAUCScorer`.
    average : {"macro", "weighted", "micro", "samples"}, default="macro"
        As in :class:`RateWeightedAUCScorer`.
    labels : array-like of shape (n_labels,), default=None
        As in :class:`RateWeightedAUCScorer`.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from functions; takes ours as well.
    average_precision_score : The metric.
    RateWeightedAUCScorer : For a rate that is known as a distribution.
    refit_best : A ``refit=`` rule that survives folds without positives.

    Notes
    -----
    It is called as :class:`RateWeightedAUCScorer`, whose notes hold here, too, but that
    it is nan where ``y`` holds no positive case only: the "average_precision" of
    scikit-learn returns 0.0 there, which lowers the mean over folds.

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
    >>> scorer = AveragePrecisionScorer(prevalence=0.2, pos_label=0)
    >>> scorer
    AveragePrecisionScorer(pos_label=0, prevalence=0.2)
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer).shape
    (5,)
    """

    metric = staticmethod(average_precision_score)

    def __init__(
        self,
        prevalence: Number | None = None,
        adjusted: bool = False,
        tail: TailKind = "binormal",
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
        average: AverageName = "macro",
        labels: ArrayLike | None = None,
    ) -> None:
        self.prevalence = prevalence
        self.adjusted = adjusted
        self.tail = tail
        self.response_method = response_method
        self.pos_label = pos_label
        self.average = average
        self.labels = labels


class RankingAUCScorer(RankingScorer):
    """Score models by the AUC within lists, as a ``scoring=`` object.

    It selects the model that orders best what each user or query is shown, whatever
    the levels of the lists. It works for classifiers and, with
    ``response_method="predict"``, for regressors and rankers such as ``LGBMRanker``
    and ``XGBRanker``.

    Parameters
    ----------
    k : int, default=None
        If given, only the k items of the highest score of each list count.
    groups : str or pandas.Series, default=None
        Where the list of each row is found:

        - a str names a column of the data frame ``X``, which the estimator is given
          as well;
        - a Series is matched to ``X`` (or ``y``) by index;
        - None takes what metadata routing hands over, see Notes.
    undefined : {"skip", "nan"} or float, default="skip"
        As in :func:`ranking_auc_score`.
    average : {"macro", "pairs", "positives", "size"}, default="macro"
        As in :func:`ranking_auc_score`.
    relevance_threshold : float, default=None
        If given, ``y`` are grades and those from it on are relevant.
    response_method : str or tuple of str
        As in :class:`RateWeightedAUCScorer`.
    pos_label : int, float, bool or str, default=None
        As in :class:`RateWeightedAUCScorer`.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from functions; takes ours as well.
    ranking_auc_score : The metric.
    refit_best : A ``refit=`` rule that survives folds without a defined list.

    Notes
    -----
    Called as ``scorer(estimator, X, y, sample_weight=None, groups=None)``, it returns
    a float; nan with an ``UndefinedMetricWarning`` where no list is defined. With
    metadata routing, ask by ``set_score_request(groups=True)`` and pass ``groups``
    along with the data; they come before the parameter ``groups``. A ``ValueError``
    says which line to add where no lists are found.

    Split by lists, as :class:`sklearn.model_selection.GroupKFold` does: a list that is
    cut by a fold is compared in parts.

    Examples
    --------
    >>> import numpy as np
    >>> import sklearn
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GroupKFold, cross_val_score
    >>> from skrate import RankingAUCScorer
    >>> rng = np.random.default_rng(0)
    >>> user, X = np.arange(300) // 10, rng.normal(size=(300, 3))
    >>> y = (X[:, 0] + rng.normal(size=300) > 0.5).astype(int)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = RankingAUCScorer(k=8).set_score_request(
    ...         groups=True
    ...     )
    ...     scores = cross_val_score(
    ...         LogisticRegression(),
    ...         X,
    ...         y,
    ...         scoring=scorer,
    ...         cv=GroupKFold(3),
    ...         params={"groups": user},
    ...     )
    ...
    >>> scores.shape
    (3,)
    """

    metric = staticmethod(ranking_auc_score)

    def __init__(
        self,
        k: int | None = None,
        groups: GroupsLike = None,
        undefined: Policy | float = "skip",
        average: Average = "macro",
        relevance_threshold: float | None = None,
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
    ) -> None:
        self.k = k
        self.groups = groups
        self.undefined = undefined
        self.average = average
        self.relevance_threshold = relevance_threshold
        self.response_method = response_method
        self.pos_label = pos_label


class MetricScorer(RankingScorer):
    """What :func:`make_ranking_scorer` returns."""

    def __init__(
        self,
        metric: Callable[..., float],
        groups: GroupsLike = None,
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
        **params: Any,
    ) -> None:
        self.metric = metric
        self.groups = groups
        self.response_method = response_method
        self.pos_label = pos_label
        self.__dict__.update(params)
        self._params = tuple(params)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the scorer and of its metric by name."""
        params: dict[str, Any] = super().get_params(deep)
        return params | {name: getattr(self, name) for name in self._params}

    @property
    def _name(self) -> str:
        return "make_ranking_scorer"

    @property
    def _defaults(self) -> dict[str, Any]:
        defaults = {"metric": self.metric, "groups": None, "pos_label": None}
        defaults |= {"response_method": DEFAULT_RESPONSE} | parameters_of(self.metric)
        return defaults

    def __repr__(self) -> str:
        return f"{self._name}({', '.join([self.metric.__name__, *self._changed])})"


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the optional keywords of a metric, but for what comes with the cases."""
    kind = METRICS.get(function)
    of_cases = (*OF_CASES, *(() if kind is None else per_case(kind)))
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
        and parameter.default is not parameter.empty
        and name not in of_cases
    }
