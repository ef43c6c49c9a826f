"""Scorer objects for ``scoring=``, wherever scikit-learn takes one."""

import inspect
from collections.abc import Callable, Hashable, Mapping
from functools import cache, partial
from operator import attrgetter
from typing import Any, Protocol, Self, TypeAlias

from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.metrics import make_scorer, roc_auc_score

from skrate.core.arrays import Array, ArrayLike, Label, Number
from skrate.core.conversion import shown
from skrate.core.extreme_laws import End
from skrate.core.metric import (
    LIST_METRICS,
    METRICS,
    MetricLike,
    check_parameters,
    find_metric,
    unwrap,
)
from skrate.core.one_vs_rest import AverageName, RateByClass
from skrate.core.validation import find_label, warn_undefined
from skrate.metrics.average_precision import TailKind, average_precision_score
from skrate.metrics.group_scores import GroupScores, group_scores
from skrate.metrics.list_average import AVERAGES, Average, Policy
from skrate.metrics.ranking_auc import ranking_auc_score
from skrate.metrics.rate_weighted_auc import rate_weighted_auc_score
from skrate.model_selection.class_scores import (
    ClassScores,
    class_scores,
    has_several_classes,
)
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    ResponseMethod,
    SeveralClasses,
    TellsOnce,
    UndefinedResponse,
    check_response_method,
    ranking_scores,
)

# A dict of scorers shares predictions only among instances of this class, which has
# no public name; tests/model_selection/test_scorers.py notes the releases it was
# checked on.
_Scorer: Any = type(make_scorer(roc_auc_score))


class Indexed(Protocol):
    """A pandas Series, whose entries are found by the index of the cases."""

    @property
    def index(self) -> Any:
        """The labels of its entries."""

    @property
    def loc(self) -> Any:
        """The entries by their labels."""


# Where the lists of a scorer are: the name of a column of X, or a Series.
GroupsLike: TypeAlias = str | Indexed | None

# What comes with the cases; the other keywords of a metric are its parameters.
_OF_CASES = ("groups", "sample_weight", "pos_label")
# How a column is called that a scorer is told of by name. A gain holds the label, so
# that in a column of X it would be told to the model.
_COLUMNS = {"groups": "user_id", "entities": "card_id", "cost": "hours"}
# What only lists have: how they are read, and how averaged.
_OF_MEAN = ("average", "undefined")
_OF_LISTS = (*_OF_MEAN, "k", "relevance_threshold", "entities")
# What only several classes have.
_OF_CLASSES = ("average", "labels")


class RankingScorer(TellsOnce, BaseEstimator, _Scorer):  # type: ignore[misc]
    """What all scorers of this package share; a subclass names metric and parameters.

    A subclass has ``response_method`` and ``pos_label`` among its parameters, and
    ``groups`` if it scores lists; the others are handed to ``metric`` by name.
    """

    metric: Callable[..., float]
    response_method: ResponseMethod
    pos_label: Label
    groups: GroupsLike = None

    # What scikit-learn asks of a scorer, next to _score.
    _deprecation_msg = None
    _response_method = property(attrgetter("response_method"))

    @property
    def _score_func(self) -> Callable[..., float]:
        """The metric, without a parameter by which others would know its classes.

        LogisticRegressionCV makes a scorer of its own of a function with ``labels``.
        """
        if not takes_classes(self.metric):
            return self.metric
        signature = inspect.signature(self.metric)
        others = [p for p in signature.parameters.values() if p.name != "labels"]
        function: Any = partial(self.metric)
        function.__signature__ = signature.replace(parameters=others)
        return function  # type: ignore[no-any-return]

    @property
    def _sign(self) -> int:
        kind = METRICS.get(self.metric)
        return -1 if kind is not None and not kind.greater_is_better else 1

    @property
    def _kwargs(self) -> dict[str, Any]:
        own = ("metric", "response_method", "groups")
        params: dict[str, Any] = self.get_params(deep=False)
        return {name: value for name, value in params.items() if name not in own}

    @property
    def _name(self) -> str:
        """What the user called to make it."""
        return type(self).__name__

    @property
    def _is_of_lists(self) -> bool:
        """Whether it needs to know which rows belong together."""
        return (
            self.groups is not None
            or self.metric in LIST_METRICS
            or any(_tells_lists(self.metric, *item) for item in self._kwargs.items())
        )

    def set_score_request(self, **kwargs: Any) -> Self:
        """Ask for metadata, such as ``sample_weight``, that come with the cases."""
        taken = {*inspect.signature(self.metric).parameters, *_OF_CASES, *_OF_LISTS}
        for name in kwargs:
            if name not in taken:
                raise ValueError(
                    f"{self._name} cannot ask for {name!r}, as "
                    f"{self.metric.__name__} takes no {name!r}."
                )
        super().set_score_request(**kwargs)
        return self

    def __skrate_metric__(self) -> tuple[Callable[..., float], dict[str, Any]]:
        """Return the metric that it stands for, and its parameters."""
        if self._is_of_lists:
            raise ValueError(
                f"{self._name} stands for a mean over lists: for its uncertainty use "
                "group_scores(...).estimate()."
            )
        params = self._kwargs
        pos_label = params.pop("pos_label")
        if pos_label is not None:
            raise ValueError(
                f"pos_label={pos_label!r} of {self._name} concerns what the sample is: "
                "give it beside the metric, and a scorer without it."
            )
        if takes_classes(self.metric):
            average, labels = (params.pop(name) for name in _OF_CLASSES)
            if average != "macro" or labels is not None:
                raise ValueError(
                    f"average={average!r} and labels={labels!r} of {self._name} are "
                    "for more than two classes, and the uncertainty of an average over "
                    "classes is not known: score one class against the rest."
                )
        return self.metric, params

    def _score(
        self,
        method_caller: Callable[..., Array],
        estimator: Any,
        X: Any,
        y_true: ArrayLike,
        **kwargs: Any,
    ) -> float:
        """Score ``estimator``; ``method_caller`` may know its predictions already."""

        def scores_of_second_class(estimator: Any, method: str, X: Any) -> Array:
            # A dict of scorers keeps one response per name of a method, for whatever
            # class the first scorer asked: scikit-learn's may have asked for the other
            # one. It keeps ours apart, as they name the method in a tuple. Predictions
            # are of no class, and of regressors must be asked for by the name.
            key = method if method == "predict" else (method,)
            return method_caller(estimator, key, X)

        params = {**self._kwargs, **kwargs, **self._per_case(kwargs, X, y_true)}
        entities = self._kwargs.get("entities")
        if entities is not None and kwargs.get("entities") is None:
            found = _find_column("entities", entities, X, y_true, self._name)
            params["entities"] = found
        groups = self._take_groups(params, X, y_true)
        try:
            response = self._of_two(
                estimator, X, y_true, params, scores_of_second_class
            )
            if response is None:
                self._check_several(groups)
                found = class_scores(
                    estimator,
                    X,
                    y_true,
                    self.response_method,
                    params.pop("labels", None),
                    user=self._name,
                    call=scores_of_second_class,
                )
                if self.pos_label is None:
                    return self._of_classes(found, params)
                y_true, y_score = found.against_rest(self.pos_label, self._name)
                label: Any = True
                self._take_rate(params, self.pos_label)
            else:
                y_score, label = response
                self._take_rate(params, label)
        except UndefinedResponse as undefined:
            return warn_undefined(self._name, str(undefined))
        if groups is not None:
            scores, mean = self._in_lists(y_true, y_score, groups, label, params)
            return self._sign * scores.mean(**mean)
        params["pos_label"] = None if has_grades(params) else label
        return self._sign * self.metric(y_true, y_score, **params)

    def _of_two(
        self,
        estimator: Any,
        X: Any,
        y_true: ArrayLike,
        params: dict[str, Any],
        call: Callable[..., Array],
    ) -> tuple[Any, Any] | None:
        """Return scores and the positive label of two classes, None if of several."""
        if not has_grades(params) and has_several_classes(estimator, y_true):
            return None
        try:
            return ranking_scores(
                estimator,
                X,
                None if has_grades(params) else y_true,
                self.response_method,
                self.pos_label,
                user=self._name,
                call=call,
                tell=self._tell_once,
            )
        except SeveralClasses:
            # Of several classes the model was taught two at most.
            known = list(estimator.classes_)
            is_unknown = find_label(self.pos_label, known) is None
            if len(known) > 1 and self.pos_label is not None and is_unknown:
                raise
            return None

    def _take_rate(self, params: dict[str, Any], label: Label) -> None:
        """Put the rate of the positive class in the place of one for each class."""
        rate = params.get("rate")
        if not isinstance(rate, Mapping):
            return
        named = find_label(label, list(rate))
        if named is None:
            raise ValueError(
                f"rate of {self._name} lacks the class {shown(label)}: it has "
                f"{shown(list(rate))}."
            )
        params["rate"] = rate[named]

    def _check_several(self, groups: Any) -> None:
        """Raise where several classes, none of them chosen, have no average."""
        if self.pos_label is None and (
            groups is not None or not takes_classes(self.metric)
        ):
            raise ValueError(
                f"{self._name} needs a binary target, and this one has more than two "
                "classes, or several labels for a case: pos_label= names the one that "
                "is scored against the rest."
            )

    def _of_classes(self, found: ClassScores, params: dict[str, Any]) -> float:
        """Return the average of a metric over classes."""
        if params["average"] is None:
            raise ValueError(
                f"average=None of {self._name} leaves a score for each class, and a "
                "scorer returns one: give another average, or one class by pos_label."
            )
        found.check_all_known()
        options = {**params, "pos_label": None, "labels": found.labels}
        return self._sign * self.metric(found.y_true, found.y_score, **options)

    def _take_groups(self, params: dict[str, Any], X: Any, y_true: ArrayLike) -> Any:
        """Take the list of each row out of ``params``; None for a single ranking."""
        groups = params.pop("groups", None)
        if groups is None and self._is_of_lists:
            return _find_column("groups", self.groups, X, y_true, self._name)
        return groups

    def _per_case(
        self, given: Mapping[str, Any], X: Any, y_true: ArrayLike
    ) -> dict[str, Any]:
        """Return the entries per row that the scorer is told where to find.

        What is ``given`` by metadata routing comes first, row by row.
        """
        kind, own = METRICS.get(self.metric), self._kwargs
        found: dict[str, Any] = {}
        for name in () if kind is None else kind.per_case:
            value = own.get(name)
            is_there = given.get(name) is not None or isinstance(value, Mapping)
            # All may cost the same, but something must be gained.
            if not is_there and (value is not None or name == "gain"):
                found[name] = _find_column(name, value, X, y_true, self._name)
        return found

    def _in_lists(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        groups: ArrayLike,
        label: Label,
        params: dict[str, Any],
    ) -> tuple[GroupScores, dict[str, Any]]:
        """Return the metric within each list, and the options of its mean."""
        # The classes of the estimator are no labels of grades.
        options = {**params, "pos_label": None if has_grades(params) else label}
        mean = {name: options.pop(name) for name in _OF_MEAN if name in options}
        if options.get("labels", 0) is None:
            # They have no columns.
            del options["labels"]
        scores = group_scores(self.metric, y_true, y_score, groups=groups, **options)
        return scores, mean


@cache
def takes_classes(metric: Callable[..., Any]) -> bool:
    """Return whether a metric averages over more than two classes."""
    return "labels" in inspect.signature(metric).parameters


def _tells_lists(metric: Callable[..., Any], name: str, value: Any) -> bool:
    """Return whether a parameter of a scorer says that it scores lists."""
    if name != "average" or not takes_classes(metric):
        return name in _OF_LISTS
    # Lists and classes have one average in common.
    is_name = isinstance(value, str | None)
    return not is_name or (value != "macro" and value in AVERAGES)


def has_grades(params: dict[str, Any]) -> bool:
    """Return whether labels are grades, by the parameters of a scorer."""
    return params.get("relevance_threshold") is not None


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
    ...     scorer = RankingAUCScorer(k=8).set_score_request(groups=True)
    ...     scores = cross_val_score(
    ...         LogisticRegression(), X, y, scoring=scorer, cv=GroupKFold(3),
    ...         params={"groups": user},
    ...     )
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


def make_ranking_scorer(
    metric: MetricLike,
    *,
    groups: GroupsLike = None,
    response_method: ResponseMethod = DEFAULT_RESPONSE,
    pos_label: Label = None,
    **params: Any,
) -> "MetricScorer":
    """Make a ``scoring=`` object of any metric of this package.

    Unlike :func:`sklearn.metrics.make_scorer`, it ranks by whatever scores the
    estimator has, knows which class is positive, scores within lists, and stands for
    its metric in :func:`estimate`, :func:`compare` and :class:`ScoreReport`.

    Parameters
    ----------
    metric : callable or {"average_precision", "roc_auc"}
        A score function of this package, a :func:`functools.partial` of one, or what
        :func:`estimate` takes of scikit-learn's.
    groups : str or pandas.Series, default=None
        To score lists, such as those of users or queries, the name of a column of
        ``X``, or a Series with the index of ``X``, as in :class:`RankingAUCScorer`. A
        metric of a single list is then averaged over lists.
    response_method : str or tuple of str
        As in :class:`RateWeightedAUCScorer`.
    pos_label : int, float, bool or str, default=None
        As in :class:`RateWeightedAUCScorer`.
    **params : dict
        Parameters of the metric, such as ``rate``, and ``average`` over classes where
        it has one; for lists, also those of :func:`group_scores` and ``average`` and
        ``undefined`` of :meth:`GroupScores.mean`. ``gain`` and ``cost`` of each case
        are a Series with the index of ``X`` or the name of a column, or come by
        metadata routing. A column is given to the model, too: a gain that is 0 for all
        negatives tells it the labels.

    Returns
    -------
    scorer : callable
        Called as ``scorer(estimator, X, y, sample_weight=None, groups=None)``, it
        returns a float, negated where less is better, as scikit-learn's scorers are;
        nan with an ``UndefinedMetricWarning`` where undefined.

    Raises
    ------
    ValueError
        If ``response_method`` names no method, the metric is none of this package, or
        a parameter is unknown, missing or out of range.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from any function.
    RateWeightedAUCScorer : A class, whose options type checkers know.

    Notes
    -----
    It is cloned, pickled, searched over by ``set_params`` and shares predictions in a
    dict of scorers, as :class:`RateWeightedAUCScorer`, whose notes hold here, too.
    With metadata routing, ``set_score_request(groups=True)`` hands lists to any metric.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import make_ranking_scorer, recall_at_rate_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_ranking_scorer(recall_at_rate_score, rate=0.2, pos_label=0)
    >>> scorer
    make_ranking_scorer(recall_at_rate_score, pos_label=0, rate=0.2)
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer).shape
    (5,)

    Lists are named by a column, or come by metadata routing:

    >>> from skrate import average_precision_score
    >>> make_ranking_scorer(average_precision_score, groups="user", average="size")
    make_ranking_scorer(average_precision_score, groups='user', average='size')
    """
    check_response_method(response_method)
    of_lists = {name: params.pop(name) for name in _OF_LISTS if name in params}
    function, own = unwrap(metric, params)
    if function in LIST_METRICS:
        check_parameters(function, own, _parameters(function))
    else:
        kind = METRICS.get(function)
        per_case = () if kind is None else kind.per_case
        # Those of rows are found where the rows are.
        at_hand = {
            name: value
            for name, value in own.items()
            if name not in per_case or isinstance(value, Mapping)
        }
        may_lack = groups is not None or bool(of_lists or per_case)
        for each in _of_one_class(function, at_hand):
            find_metric(function, each, in_lists=may_lack)
    own = {**_parameters(function), **own, **of_lists}
    return MetricScorer(function, groups, response_method, pos_label, **own)


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

    def __repr__(self) -> str:
        defaults = {"metric": self.metric, "groups": None, "pos_label": None}
        defaults |= {"response_method": DEFAULT_RESPONSE} | _parameters(self.metric)
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if name not in defaults or repr(value) != repr(defaults[name])
        ]
        return f"{self._name}({', '.join([self.metric.__name__, *changed])})"


def _of_one_class(
    function: Callable[..., Any], params: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return what a metric is told of each class, or of all at once."""
    if not (isinstance(function, Hashable) and function in METRICS):
        return [params]
    if not takes_classes(function):
        return [params]
    params = {name: params[name] for name in params if name not in _OF_CLASSES}
    if not isinstance(params.get("rate"), Mapping):
        return [params]
    return [{**params, "rate": rate} for rate in params["rate"].values()]


def _parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the optional keywords of a metric, but for what comes with the cases."""
    kind = METRICS.get(function)
    of_cases = (*_OF_CASES, *(() if kind is None else kind.per_case))
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
        and parameter.default is not parameter.empty
        and name not in of_cases
    }


def _find_column(what: str, value: Any, X: Any, y_true: Any, name: str) -> Any:
    """Return the list, gain or cost of each row, by the parameter of a scorer."""
    if value is None:
        raise ValueError(f"{name} found no {what}: {_line_to_add(name, what)}.")
    if isinstance(value, str):
        columns = list(getattr(X, "columns", []))
        if value not in columns:
            found = f"the columns {columns}" if columns else "no columns"
            raise ValueError(
                f"{what}={value!r} of {name} is not a column of X, a "
                f"{type(X).__name__} with {found}."
            )
        return X[value]
    if not hasattr(value, "loc"):
        kind = type(value)
        raise ValueError(
            f"{what} of {name} must be the name of a column or a pandas Series, got a "
            f"{kind.__name__} of {kind.__module__.split('.')[0]} without an index: "
            "rows of a fold could not be told in it."
        )
    data = next((part for part in (X, y_true) if hasattr(part, "loc")), None)
    if data is None:
        raise ValueError(
            f"{what} of {name} is matched by index, but neither X nor y has one: pass "
            "X as a data frame, or y as a Series."
        )
    if not value.index.is_unique:
        raise ValueError(f"{what} of {name} has an index with duplicates.")
    missing = ~data.index.isin(value.index)
    if missing.any():
        raise ValueError(
            f"{what} of {name} has no entry for {int(missing.sum())} of "
            f"{len(missing)} rows, the first at index {data.index[missing][0]!r}."
        )
    return value.loc[data.index]


def _line_to_add(name: str, what: str) -> str:
    """Return what to write, which depends on whether metadata are routed."""
    written = f"{name}({what}=series) with a pandas Series that has the index of X"
    if what in _COLUMNS:
        column = f"{name}({what}={_COLUMNS[what]!r})"
        written += f", or {column} with a data frame X that has the column"
    else:
        written += ", of what it is worth to process each case, its label included"
    if get_config()["enable_metadata_routing"]:
        return (
            f"add scorer.set_score_request({what}=True), and pass {what} with the data "
            f"(params={{{what!r}: {what}}} to cross_validate, fit(..., {what}={what}) "
            f"of GridSearchCV); or write {written}"
        )
    return (
        f"write {written}; or add sklearn.set_config(enable_metadata_routing=True) and "
        f"scorer.set_score_request({what}=True), and pass {what} with the data "
        f"(fit(..., {what}={what}) of GridSearchCV)"
    )
