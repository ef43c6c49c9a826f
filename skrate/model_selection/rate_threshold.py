"""A classifier that marks the share of new cases that will be processed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from scipy import stats
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skrate.data.arrays import Array, ArrayLike, BoolArray, Label, RandomState
from skrate.data.checks import check_count, check_fraction, check_generator, is_label
from skrate.model_selection.batch_results import AchievedRate, MarkedBatch
from skrate.model_selection.capacity import Capacity, check_capacity, find_cut
from skrate.model_selection.held_out_scores import (
    HeldOut,
    Learner,
    check_methods,
    check_splits,
    check_target,
)
from skrate.model_selection.responses import ResponseMethod
from skrate.rates.laws import RateLike

# Of what is reported where no confidence was asked for.
_LEVEL = 0.95


def _has(name: str) -> Callable[[Any], bool]:
    """Return whether the estimator behind has a method."""

    def check(self: Any) -> bool:
        # The error of the estimator says what it lacks.
        getattr(getattr(self, "estimator_", self.estimator), name)
        return True

    return check


class RateThresholdClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    r"""Classifier that marks the share of new cases that will be processed.

    Which cases are to be processed, if there is room for so many? Where
    :class:`~sklearn.model_selection.TunedThresholdClassifierCV` seeks the threshold of
    the best score, this one seeks the threshold that keeps a capacity: on average, or
    with a probability that is asked for.

    Parameters
    ----------
    estimator : estimator
        Binary classifier, fitted or not, with ``predict_proba`` or
        ``decision_function``.
    rate : "uniform", float or distribution, default=None
        The share of new cases that will be processed: a number in (0, 1], a frozen
        ``scipy.stats`` distribution or one from :mod:`skrate.rates`. Of a distribution
        the mean is kept; with ``confidence``, the rate is as uncertain as the batch.
    capacity : int, default=None
        In the place of ``rate``, the number of cases processed of the next
        ``n_items``.
    n_items : int, default=None
        Number of cases in the next batch, of which the capacity is. None stands for so
        many that their own chance does not matter.
    confidence : float, default=None
        Probability with which the number marked of the next ``n_items`` is within
        the capacity, in (0, 1). None keeps it on average: about half of all batches
        then exceed it.
    cv : int, float, splitter, iterable or "prefit", default=5
        Where held-out scores come from:

        - "prefit": `X` are cases that the fitted ``estimator`` has not seen;
        - a float in (0, 1): this share of the cases is drawn at random and held out,
          and the estimator is trained on the others only, as for any other single
          split;
        - else the folds of a cross-validation, as
          :func:`~sklearn.model_selection.check_cv` takes them, each case tested once
          at most; the estimator is then trained on all cases.
    pos_label : int, float, bool or str, default=None
        The label that marks. None takes 1 of {0, 1} and {-1, 1}, True of booleans, and
        of other labels the second, with a warning that names it.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        Method of the estimator that gives scores; "auto" takes the first that it has.
    n_jobs : int, default=None
        Number of folds that are trained at once.
    random_state : int, RandomState or Generator, default=None
        Draws the cases that a ``cv`` between 0 and 1 holds out.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator that scores new cases.
    threshold_ : float
        Least score that is marked, in the unit of the scores of ``pos_label_``: that
        next above a held-out score. ``inf`` where nothing is marked, ``-inf`` where
        everything is.
    expected_rate_ : float
        Share of new cases that is expected to be marked.
    rate_interval_ : ConfidenceInterval
        The central range of the share marked of the next ``n_items``, at
        ``confidence``, or 0.95; without ``n_items``, of the share in the long run. Its
        ends are ``.low`` and ``.high``.
    pos_label_ : label
        The label of marked cases.
    n_held_out_ : int
        Number of held-out scores.
    classes_ : ndarray of shape (2,)
        The labels, as the estimator has them.
    n_features_in_ : int
        Number of features, if the estimator knows it.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the estimator knows them.

    See Also
    --------
    sklearn.model_selection.FixedThresholdClassifier : Takes ``threshold_`` as it is.
    sklearn.model_selection.TunedThresholdClassifierCV : The threshold of best score.
    budget_report : What will be found among the cases marked.

    Notes
    -----
    Let n held-out cases and m new ones be exchangeable, their scores without ties. The
    number N of new ones above the j-th largest held-out score is beta-binomial,

    .. math:: P(N = k) = \binom{m}{k}
              \frac{B(k + j, m - k + n - j + 1)}{B(j, n - j + 1)},

    with the mean m j / (n + 1), whatever the distribution of the scores. The threshold
    is above the j-th largest score, with the greatest j for which j / (n + 1) is at
    most the (mean) rate or, with ``confidence``, for which N > R m has a probability
    of at most 1 - confidence. With ties fewer are marked, never more, so that the
    capacity is kept. If a held-out cases score above several that tie there,
    ``expected_rate_`` is a / n; ``rate_interval_`` begins as the law of j = a does, at
    0 for none, and ends as that of j = a + 1.

    The law is exact for ``cv="prefit"`` and for a single split. Scores of folds are of
    other models than the one that scores new cases, and the law is approximate: in
    simulations of 200 to 2,000 cases and 5 or 10 folds a confidence of 0.95 was kept in
    0.94 to 0.99 of batches by linear models, forests and boosted trees, but in 0.78 to
    0.90 by single trees, which have other leaves in each fold. A model that overfits,
    with hardly more cases than it needs, keeps it by marking too few, down to a third
    of what is expected, and ``achieved_rate`` then sees drift that is none: hold out a
    part (see :ref:`in_production`).

    It counts cases: those of zero weight are none, and all others are one each.

    The cost is that of training ``cv`` + 1 models, and O(n_items log n).

    References
    ----------
    .. [1] Wilks (1942), Statistical prediction with special reference to the problem
       of tolerance limits, Ann. Math. Statist. 13(4),
       :doi:`10.1214/aoms/1177731537`.

    Examples
    --------
    There is room for 40 of the next 300, and this is to be kept with 95 %:

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrate import RateThresholdClassifier
    >>> X, y = make_classification(1500, weights=[0.8], random_state=1)
    >>> model = RateThresholdClassifier(
    ...     LogisticRegression(),
    ...     capacity=40,
    ...     n_items=300,
    ...     confidence=0.95,
    ... ).fit(X[:1200], y[:1200])
    >>> round(model.expected_rate_, 3)
    0.102
    >>> int(model.predict(X[1200:]).sum())
    37

    A batch that is at hand as a whole is marked to the last place:

    >>> model.predict_batch(X[1200:])
    MarkedBatch(40 of 300 marked, those of score 0.776289 and above)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        rate: RateLike | None = None,
        capacity: int | None = None,
        n_items: int | None = None,
        confidence: float | None = None,
        cv: Any = 5,
        pos_label: Label = None,
        response_method: Literal["auto"] | ResponseMethod = "auto",
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.rate = rate
        self.capacity = capacity
        self.n_items = n_items
        self.confidence = confidence
        self.cv = cv
        self.pos_label = pos_label
        self.response_method = response_method
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, **params: Any) -> Self:
        """Train the estimator, and find the threshold on held-out scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes. With ``cv="prefit"``, cases that it has not
            seen.
        y : array-like of shape (n_samples,)
            Two classes. With ``cv="prefit"`` it is not needed: the threshold is where
            scores lie, whatever the labels.
        **params : dict
            What the ``fit`` of the estimator takes, such as ``sample_weight``, split
            by fold where there is an entry for each case, and ``clusters``, which the
            splitter gets as its ``groups``. With metadata routing enabled, what they
            asked for, too. Weights are for training: to the threshold each held-out
            case is one.

        Returns
        -------
        self : RateThresholdClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If neither or both of ``rate`` and ``capacity`` are given, ``capacity`` is
            above ``n_items`` or lacks it, ``confidence`` is outside (0, 1), there are
            not two classes, in ``y`` or in the training part of a fold, a case is
            tested twice, or a score is NaN or infinite.
        """
        capacity = check_capacity(
            self.rate, self.capacity, self.n_items, self.confidence
        )
        methods = check_methods(self.response_method)
        is_fitted = isinstance(self.cv, str) and self.cv == "prefit"
        label = check_target(y, self.estimator if is_fitted else None, self.pos_label)
        X, y = indexable(X, y)
        fit_params, split_params = self._routed(params)
        learner = Learner(self.estimator, fit_params, methods, label, self.n_jobs)
        if is_fitted:
            _check_unused({**fit_params, **split_params})
            held_out = HeldOut(learner.scores_of(self.estimator, X), self.estimator)
        else:
            weight = fit_params.get("sample_weight")
            splits = check_splits(
                self.cv, X, y, self.random_state, split_params, weight
            )
            held_out = learner.held_out(X, y, splits)
        self.estimator_ = held_out.estimator
        self.pos_label_ = label
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        self._set_threshold(held_out.scores, capacity)
        return self

    def predict(self, X: ArrayLike) -> Array:
        """Mark the cases that score at the threshold or above.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New cases.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The positive label where a case is marked, else the other one.
        """
        return self._labels(self._scores(X) >= self.threshold_)

    def predict_batch(
        self, X: ArrayLike, *, random_state: RandomState = None
    ) -> MarkedBatch:
        """Mark exactly as many cases of a batch as will be processed.

        Where the whole batch is at hand no threshold is needed: its top is marked, and
        of cases that tie with the last one some at random.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            All cases of the batch.
        random_state : int, RandomState or Generator, default=None
            Draws among ties; nothing else is random.

        Returns
        -------
        batch : MarkedBatch
            With ``labels``, ``is_marked`` and what was drawn among ties. Marked are
            ``capacity`` cases, or the share ``rate``, rounded down: that of the mean
            of a distribution; with ``confidence``, as many as it allows with that
            probability.
        """
        generator = check_generator(random_state)
        scores = self._scores(X)
        n_items = len(scores)
        n_marked = self._capacity.of_batch(n_items)
        if n_marked == 0:
            nothing = np.zeros(n_items, dtype=bool)
            labels = self._labels(nothing)
            return MarkedBatch(labels, nothing, n_items, 0, 0.0, np.inf, 0, 0)
        last = np.partition(scores, n_items - n_marked)[n_items - n_marked]
        is_marked = scores > last
        tied = np.flatnonzero(scores == last)
        n_drawn = n_marked - int(is_marked.sum())
        is_marked[generator.permutation(tied)[:n_drawn]] = True
        return MarkedBatch(
            self._labels(is_marked),
            is_marked,
            n_items,
            n_marked,
            n_marked / n_items,
            float(last),
            len(tied),
            n_drawn,
        )

    def achieved_rate(
        self, X: ArrayLike, *, confidence_level: float = 0.95, looks: int = 1
    ) -> AchievedRate:
        """Count what ``predict`` marks of a batch, and test what that tells.

        Two questions have a p-value each: whether new cases are like those held out,
        and whether the capacity is kept, which an unlucky sample may fail as drift may.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New cases, no matter whether their labels are known.
        confidence_level : float, default=0.95
            Level of the range that batches of this size keep to, in (0, 1).
        looks : int, default=1
            How many batches are looked at in all, such as 52 in a year of weeks. Both
            p-values are multiplied by it, 1 at most: that any of them is 0.05 or less,
            without drift, then has a probability of at most 0.05.

        Returns
        -------
        achieved : AchievedRate
            With the number marked, their share beside the one expected, the p-value of
            new cases that are like those held out, and that of a capacity that is kept.
        """
        level = check_fraction("confidence_level", confidence_level)
        n_looks = check_count("looks", looks)
        scores = self._scores(X)
        n_items = len(scores)
        n_marked = int(np.count_nonzero(scores >= self.threshold_))
        n_from = int(np.count_nonzero(scores >= self._cut.at))
        pvalue = self._cut.law_without_ties(n_items).pvalue(n_marked, n_from)
        share = self._capacity.share()
        as_many = float(stats.binom.sf(n_marked - 1, n_items, share))
        return AchievedRate(
            n_items,
            n_marked,
            n_marked / n_items,
            self.expected_rate_,
            self._cut.interval(n_items, level),
            min(1.0, n_looks * pvalue),
            min(1.0, n_looks * as_many),
            level,
            n_looks,
        )

    @property
    def classes_(self) -> Array:
        """The labels, as the estimator has them."""
        return np.asarray(self.estimator_.classes_)

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: ArrayLike) -> Any:
        """Return the probabilities of the estimator."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    @available_if(_has("predict_log_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: ArrayLike) -> Any:
        """Return the logarithms of the probabilities of the estimator."""
        check_is_fitted(self)
        return self.estimator_.predict_log_proba(X)

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: ArrayLike) -> Any:
        """Return the scores of the estimator, whatever the threshold."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what metadata ``fit`` hands on, and to whom."""
        mapping = MethodMapping()
        router = MetadataRouter(owner=type(self).__name__)
        router.add(
            estimator=self.estimator,
            method_mapping=mapping.add(caller="fit", callee="fit"),
        )
        return router.add(
            splitter=self.cv,
            method_mapping=MethodMapping().add(caller="fit", callee="split"),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        behind = get_tags(self.estimator).input_tags
        tags.classifier_tags.multi_class = False
        for name in ("sparse", "allow_nan", "pairwise"):
            setattr(tags.input_tags, name, getattr(behind, name))
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "threshold_")

    def _routed(self, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what is for the estimator, and what for the folds."""
        clusters = params.pop("clusters", None)
        to_split = {} if clusters is None else {"groups": clusters}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **params)
            to_split |= routed["splitter"]["split"]
            params = dict(routed["estimator"]["fit"])
        return params, to_split

    def _set_threshold(self, scores: Array, capacity: Capacity) -> None:
        """Put the threshold right above the score that keeps the capacity."""
        self._capacity, self._cut = capacity, find_cut(scores, capacity)
        self.n_held_out_, self.threshold_ = len(scores), self._cut.threshold
        self.expected_rate_ = self._cut.expected
        level = capacity.confidence or _LEVEL
        self.rate_interval_ = self._cut.interval(capacity.n_items, level)
        waste = self._cut.waste()
        if waste:
            warnings.warn(waste, UserWarning, stacklevel=3)

    def _scores(self, X: Any) -> Array:
        """Return the scores of new cases, as exact float64."""
        check_is_fitted(self)
        methods = check_methods(self.response_method)
        learner = Learner(self.estimator_, {}, methods, self.pos_label_, None)
        return learner.scores_of(self.estimator_, X).astype(np.float64)

    def _labels(self, is_marked: BoolArray) -> Array:
        """Return the label of each case."""
        classes = self.classes_
        positive = int(is_label(classes, self.pos_label_).argmax())
        return classes[np.where(is_marked, positive, 1 - positive)]


def _check_unused(params: dict[str, Any]) -> None:
    if params:
        raise ValueError(
            f"cv='prefit' trains nothing and makes no folds: leave out {list(params)}."
        )
