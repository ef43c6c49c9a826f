"""A classifier that marks the share of cases that will be processed."""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, Self

import numpy as np
from scipy import optimize, special, stats
from sklearn.base import clone
from sklearn.model_selection import FixedThresholdClassifier, ShuffleSplit, check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from skrate.data.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    Label,
    RandomState,
    dot,
)
from skrate.data.checks import (
    check_count,
    check_equal_length,
    check_fraction,
    check_generator,
    check_scores,
    check_vector,
    distinct_labels,
    is_label,
    shown,
)
from skrate.metrics.results import ConfidenceInterval, Result
from skrate.model_selection.folds import (
    Split,
    check_folds,
    fold_router,
    routed,
    scored_folds,
)
from skrate.model_selection.responses import (
    ResponseMethod,
    check_response_method,
    choose_label,
    method_name,
    tell_second_class,
)
from skrate.rates.laws import Fixed, RateDistribution, RateLike, check_rate

_USER = "RateThresholdClassifier"
# As FixedThresholdClassifier has it: a threshold is then a probability, where it can.
_AUTO = ("predict_proba", "decision_function")
# Scores are coarse where there are fewer levels than this share of the cases, and those
# of folds apart where there are more of them than this many times those of one.
_COARSE, _APART = 0.5, 1.5
# Of what is reported where no confidence was asked for.
_LEVEL = 0.95
# A capacity of which ties leave less than this share is worth a word.
_USED = 0.9
# Budgets that stand for their distribution, where the batch is no number of cases.
_POINTS = 1024
# A rate of 29/100 is 29 of 100 cases, whatever floats make of the product.
_ROUNDING = 1e-12
# What is equal to a probability but for rounding does not exceed it.
_UP_TO = 1 + 1e-9


class RateThresholdClassifier(FixedThresholdClassifier):  # type: ignore[misc]
    r"""Classifier that marks the share of new cases that will be processed.

    Its threshold is the one that keeps a capacity: on average, or with a probability
    that is asked for.

    Parameters
    ----------
    estimator : estimator
        Binary classifier with ``predict_proba`` or ``decision_function``.
    rate : "uniform", float or distribution, default=None
        The share of new cases that will be processed: a number in (0, 1], or a
        distribution of ``scipy.stats`` or :mod:`skrate.rates`, whose mean is kept; with
        ``confidence``, the rate is as uncertain as the batch.
    capacity : int, default=None
        In the place of ``rate``, the number of cases processed of the next
        ``n_items``.
    n_items : int, default=None
        Number of cases in the next batch. None stands for so many that their own chance
        does not matter.
    confidence : float, default=None
        Probability, in (0, 1), with which the next ``n_items`` keep to the capacity.
        None keeps it on average: about half of all batches then exceed it.
    cv : int, float, splitter, iterable or "prefit", default=5
        Where held-out scores come from:

        - "prefit": `X` are cases that the fitted ``estimator`` has not seen;
        - a float in (0, 1): this share of the cases, drawn at random; the estimator is
          trained on the others only, as for any other single split;
        - else the folds of a cross-validation, as in
          :func:`~sklearn.model_selection.check_cv`, which test each case once at most;
          the estimator is then trained on all cases.
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
        Least score of ``pos_label_`` that is marked, next above a held-out one; ``inf``
        where nothing is marked, ``-inf`` where everything is.
    expected_rate_ : float
        Share of new cases that is expected to be marked.
    rate_interval_ : ConfidenceInterval
        The central range of the share marked of the next ``n_items``, or in the long
        run, at ``confidence`` or 0.95.
    pos_label_ : label
        The label of marked cases.
    n_held_out_ : int
        Number of held-out scores.
    classes_ : ndarray of shape (2,)
        The labels, as the estimator has them.
    n_features_in_, feature_names_in_ : int, ndarray
        As of the estimator, if it knows them.

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
    ``expected_rate_`` is a / n, and the ends of ``rate_interval_`` are of the laws of
    j = a and a + 1.

    The law is exact for ``cv="prefit"`` and a single split, and approximate for folds,
    as other models scored them: in simulations a confidence of 0.95 was kept in 0.94 to
    0.99 of batches by linear models, forests and boosted trees, but in 0.78 to 0.90 by
    single trees. Hold out a part where a model may overfit (see
    :ref:`in_production`). Cost: training ``cv`` + 1 models, and O(n_items log n).

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
            Two classes; not needed with ``cv="prefit"``.
        **params : dict
            What the ``fit`` of the estimator takes, such as ``sample_weight``, split
            by fold where there is an entry for each case, and ``clusters``, which the
            splitter gets as its ``groups``; with metadata routing, what they asked for.
            To the threshold each held-out case is one, unless its weight is 0.

        Returns
        -------
        self : RateThresholdClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If ``rate``, ``capacity``, ``n_items`` and ``confidence`` do not go together
            or are out of range, there are not two classes, in ``y`` or in the training
            part of a fold, a case is tested twice, or a score is not finite.
        """
        capacity = check_capacity(
            self.rate, self.capacity, self.n_items, self.confidence
        )
        methods = check_methods(self.response_method)
        is_fitted = isinstance(self.cv, str) and self.cv == "prefit"
        label = check_target(y, self.estimator if is_fitted else None, self.pos_label)
        X, y = indexable(X, y)
        clusters = params.pop("clusters", None)
        to_split = {} if clusters is None else {"groups": clusters}
        fit_params, routed_to_split = routed(self.get_metadata_routing(), params)
        to_split |= routed_to_split
        if is_fitted:
            unused = {**fit_params, **to_split}
            if unused:
                raise ValueError(
                    "cv='prefit' trains nothing and makes no folds: leave out "
                    f"{list(unused)}."
                )
            self.estimator_ = self.estimator
            scores = positive_scores(self.estimator, X, None, methods, label)
        else:
            splits = check_splits(
                self.cv, X, y, self.random_state, to_split, fit_params
            )
            ask = partial(positive_scores, methods=methods, label=label)
            given = (self.estimator, X, y, fit_params, splits, self.n_jobs)
            parts, models = scored_folds(ask, *given, is_kept=len(splits) == 1)
            scores = np.concatenate(parts)
            # New cases are scored by the model that was tested, or one of all cases.
            self.estimator_ = models[0]
            if len(splits) > 1:
                _warn_of_levels(parts)
                self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        self.pos_label_ = label
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        self._capacity, self._cut = capacity, find_cut(scores, capacity)
        self.n_held_out_, self.threshold_ = len(scores), self._cut.threshold
        self.expected_rate_ = self._cut.expected
        level = capacity.confidence or _LEVEL
        self.rate_interval_ = self._cut.interval(capacity.n_items, level)
        waste = self._cut.waste()
        if waste:
            warnings.warn(waste, UserWarning, stacklevel=2)
        return self

    def predict(self, X: ArrayLike) -> Array:
        """Return the positive label of scores from the threshold on, else the other."""
        return self._labels(self._scores(X) >= self.threshold_)

    def predict_batch(
        self, X: ArrayLike, *, random_state: RandomState = None
    ) -> MarkedBatch:
        """Mark exactly as many cases of a batch as will be processed.

        Marked is the top of ``capacity`` cases, or of the (mean) ``rate``, rounded
        down, or as many as it allows with ``confidence``; of cases that tie with the
        last one some at random, drawn by ``random_state``.
        """
        generator = check_generator(random_state)
        scores = self._scores(X)
        n_items = len(scores)
        n_marked = self._capacity.of_batch(n_items)
        last = np.inf
        if n_marked > 0:
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
        """Count what ``predict`` marks of a batch, and test if that is as it should be.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New cases, no matter whether their labels are known.
        confidence_level : float, default=0.95
            Level of the range that batches of this size keep to, in (0, 1).
        looks : int, default=1
            How many batches are looked at in all, such as 52 in a year of weeks, by
            which both p-values are multiplied, up to 1.

        Returns
        -------
        achieved : AchievedRate
            The number marked, their share beside the one expected, and both p-values.
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

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what metadata ``fit`` hands on, and to whom."""
        return fold_router(type(self).__name__, self.estimator, self.cv)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        behind = get_tags(self.estimator).input_tags
        for name in ("allow_nan", "pairwise"):
            setattr(tags.input_tags, name, getattr(behind, name))
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "threshold_")

    def _scores(self, X: Any) -> Array:
        """Return the scores of new cases, as exact float64."""
        check_is_fitted(self)
        methods = check_methods(self.response_method)
        scores = positive_scores(self.estimator_, X, None, methods, self.pos_label_)
        return scores.astype(np.float64)

    def _labels(self, is_marked: BoolArray) -> Array:
        """Return the label of each case."""
        classes = np.asarray(self.classes_)
        positive = int(is_label(classes, self.pos_label_).argmax())
        return classes[np.where(is_marked, positive, 1 - positive)]


def positive_scores(
    model: Any, X: Any, y: Any, methods: tuple[str, ...], label: Label
) -> Array:
    """Return finite scores, higher for the positive class, in its own unit."""
    name = method_name(model, methods, _USER)
    response = np.asarray(getattr(model, name)(X))
    is_positive = is_label(np.asarray(model.classes_), label)
    if response.ndim == 2 and response.shape[1] == 2:
        response = response[:, int(is_positive.argmax())]
    elif not is_positive[-1]:
        response = -response
    scores = check_scores(f"{name} of {type(model).__name__}", response)
    return scores if scores.dtype == np.float32 else scores.astype(np.float64)


def _warn_of_levels(parts: list[Array]) -> None:
    """Warn where scores tie within folds, at levels that are others in each fold."""
    levels = [np.unique(scores) for scores in parts]
    n_levels, most = len(np.unique(np.concatenate(levels))), max(map(len, levels))
    are_coarse = sum(map(len, levels)) < _COARSE * sum(map(len, parts))
    if are_coarse and n_levels > _APART * most:
        warnings.warn(
            f"Scores tie in each fold, at {most} levels or fewer, and these differ "
            f"from fold to fold ({n_levels} in all): those of the model of all cases "
            "will differ as well, and keep the capacity less often than promised. "
            "Hold out a part, as cv=0.3 does, or take finer scores.",
            UserWarning,
            stacklevel=4,
        )


def check_target(y: Any, estimator: Any, pos_label: Label) -> Label:
    """Return the label that is marked, of ``y`` or of an estimator that is fitted."""
    of = "a label of y, which holds"
    if estimator is not None:
        check_is_fitted(estimator)
        known = np.asarray(estimator.classes_).tolist()
        kind = "binary" if len(known) < 3 else "multiclass"
        of = f"a class of {type(estimator).__name__}, which knows"
    elif y is None:
        raise ValueError(
            f"{_USER} requires y to be passed, but the target y is None: only "
            "cv='prefit' does without."
        )
    else:
        kind = type_of_target(y, input_name="y")
        known = distinct_labels(check_vector("y", y)) if kind == "binary" else []
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. Unknown label type: {kind}."
        )
    if len(known) < 2:
        raise ValueError(f"y holds one class only, {known[0]!r}: two are needed.")
    label, is_chosen = choose_label(known, pos_label, _USER, of)
    if is_chosen:
        tell_second_class(_USER, known)
    return label  # type: ignore[no-any-return]


def check_methods(response_method: Any) -> tuple[str, ...]:
    """Return the methods, the first of which that an estimator has gives its scores."""
    if isinstance(response_method, str) and response_method == "auto":
        return _AUTO
    methods = check_response_method(response_method)
    if not set(methods) <= set(_AUTO):
        raise ValueError(
            f"response_method must be 'auto', or of {list(_AUTO)}, got "
            f"{shown(response_method)}."
        )
    return methods


def check_splits(
    cv: Any,
    X: Any,
    y: Any,
    random_state: RandomState,
    split_params: Mapping[str, Any],
    fit_params: Mapping[str, Any],
) -> list[Split]:
    """Return the rows with weight of each fold, tested once at most."""
    labels = check_vector("y", y)
    counts = np.ones(len(labels), dtype=bool)
    if fit_params.get("sample_weight") is not None:
        weight = check_vector("sample_weight", fit_params["sample_weight"])
        check_equal_length(y=labels, sample_weight=weight)
        counts = weight != 0
    if isinstance(cv, float | np.floating) and 0 < cv < 1:
        # By chance alone: held-out cases are then as exchangeable with new ones as
        # the law of the threshold has it, which a split by class would not quite be.
        seed = int(check_generator(random_state).integers(2**31))
        splitter = ShuffleSplit(1, test_size=float(cv), random_state=seed)
    else:
        splitter = check_cv(cv, y, classifier=True)
    splits = [
        (train[counts[train]], test[counts[test]])
        for train, test in check_folds(splitter, X, labels, y, **split_params)
        if counts[test].any()
    ]
    if not splits:
        raise ValueError("cv tests no case that has a weight: give folds that do.")
    tested = np.concatenate([test for _, test in splits])
    cases, times = np.unique(tested, return_counts=True)
    if times.max() > 1:
        raise ValueError(
            f"cv tests case {cases[times.argmax()]} {times.max()} times, and the law "
            "of the threshold counts each case once: give folds that do not overlap."
        )
    for i, (train, _) in enumerate(splits):
        known = distinct_labels(labels[train])
        if len(known) < 2:
            which = "" if counts.all() else " where sample_weight is not 0"
            raise ValueError(
                f"The training part of fold {i} holds one class only{which}, "
                f"{known[0]!r}: give fewer folds, folds that keep both classes, or "
                "cv='prefit' with a fitted estimator."
            )
    return splits


@dataclass(frozen=True)
class MarkedBatch(Result):
    """The top of a batch, as :meth:`RateThresholdClassifier.predict_batch` returns it.

    Attributes
    ----------
    labels, is_marked : ndarray of shape (n_items,)
        The label of each case: the positive one where it is marked.
    n_items, n_marked : int
        Number of cases in the batch, and of those marked.
    rate : float
        Their share.
    threshold : float
        Least score of those marked; infinite where none is.
    n_tied, n_drawn : int
        Number of cases with that score, and how many of these were marked, at random.

    See Also
    --------
    RateThresholdClassifier : Makes it.

    Examples
    --------
    Of three cases with the same score, chance decides which two are marked:

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skrate import RateThresholdClassifier
    >>> X, y = [[0], [0], [0], [1], [1], [1]], [0, 0, 1, 0, 1, 1]
    >>> tree = DecisionTreeClassifier().fit(X, y)
    >>> model = RateThresholdClassifier(
    ...     tree, rate=0.6, cv="prefit"
    ... ).fit(X)
    >>> batch = model.predict_batch(
    ...     [[1], [1], [0], [1]], random_state=0
    ... )
    >>> batch
    MarkedBatch(2 of 4 marked, those of score 0.666667 and above; 2 drawn of 3
    tied)
    >>> int(batch.labels.sum())
    2
    """

    labels: Array = field(compare=False)
    is_marked: BoolArray = field(compare=False)
    n_items: int
    n_marked: int
    rate: float
    threshold: float
    n_tied: int
    n_drawn: int

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, without ``labels`` and ``is_marked`` of each case."""
        values = super().to_dict()
        of_cases = ("labels", "is_marked")
        return {name: one for name, one in values.items() if name not in of_cases}

    def __repr__(self) -> str:
        text = f"{self.n_marked:,} of {self.n_items:,} marked"
        if self.n_marked:
            text += f", those of score {self.threshold:g} and above"
        if self.n_drawn < self.n_tied:
            text += f"; {self.n_drawn:,} drawn of {self.n_tied:,} tied"
        return f"{type(self).__name__}({text})"


@dataclass(frozen=True)
class AchievedRate(Result):
    """What a threshold marks of a batch, and whether that is what it should.

    Attributes
    ----------
    n_items, n_marked : int
        Number of cases in the batch, and of those at the threshold and above.
    rate, expected_rate : float
        Their share, and what is expected if new cases are like the held-out ones.
    rate_interval : ConfidenceInterval
        The central range of the share in batches of this size.
    pvalue : float
        Two-sided probability of a share as far off, if the batch is like the held-out
        cases, which were a sample themselves.
    capacity_pvalue : float
        Probability of so many marked, or more, if the threshold keeps the capacity as
        it was asked for; an unlucky sample may fail it as drift may.
    confidence_level : float
        Level of the range.
    looks : int
        Batches that are looked at in all, for which both p-values are adjusted.

    See Also
    --------
    RateThresholdClassifier : Makes it, by ``achieved_rate``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrate import RateThresholdClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> y = (X[:, 0] + rng.normal(size=600) > 1).astype(int)
    >>> model = RateThresholdClassifier(
    ...     LogisticRegression(), rate=0.2
    ... ).fit(X, y)
    >>> model.achieved_rate(rng.normal(size=(100, 3)))
    AchievedRate(18 of 100 marked, 0.18 where 0.1997 is expected, p = 0.755;
    that the
    capacity is kept, p = 0.729)
    """

    n_items: int
    n_marked: int
    rate: float
    expected_rate: float
    rate_interval: ConfidenceInterval
    pvalue: float
    capacity_pvalue: float
    confidence_level: float
    looks: int

    def __repr__(self) -> str:
        looks = "" if self.looks == 1 else f", over {self.looks} looks"
        return (
            f"{type(self).__name__}({self.n_marked:,} of {self.n_items:,} marked, "
            f"{self.rate:.4g} where {self.expected_rate:.4g} is expected, "
            f"p = {self.pvalue:.3g}; that the capacity is kept, "
            f"p = {self.capacity_pvalue:.3g}{looks})"
        )


@dataclass(frozen=True)
class Capacity:
    """The share of the next ``n_items`` that is processed, with what confidence."""

    rate: RateDistribution
    n_items: int | None
    confidence: float | None
    number: int | None = None  # Where it was given as a number of cases.

    def place(self, n: int) -> int:
        """Return the greatest place among ``n`` held-out scores that keeps it."""
        if self.confidence is None:
            return self._of_mean(n + 1)
        # By bisection, as the number above can only grow with the place.
        exceeds = chance_of_more(n, self.rate, self.n_items)
        risk = (1 - self.confidence) * _UP_TO
        places = range(1, n + 2)
        return bisect_left(places, True, key=lambda place: exceeds(place) > risk)

    def share(self) -> float:
        """Return the greatest share of all cases with which it is kept."""
        rate, n_items, confidence = self.rate, self.n_items, self.confidence
        if confidence is None:
            return float(rate.mean())
        if n_items is None:
            return float(rate.ppf(1 - confidence))
        # P(N > R m) is the sum of P(N >= k) P((k - 1) / m <= R < k / m).
        short = np.diff(_chance_below(rate, np.arange(n_items + 1) / n_items))
        last = np.flatnonzero(short)
        if short.sum() <= 1 - confidence:
            return 1.0

        def risk(share: float) -> float:
            reached = special.betainc(last + 1.0, n_items - last, share)
            return float(dot(reached, short[last])) - (1 - confidence)

        return float(optimize.brentq(risk, 0.0, 1.0))

    def of_batch(self, n_items: int) -> int:
        """Return how many are processed of a batch that is at hand."""
        if self.number is not None:
            return min(self.number, n_items)
        if self.confidence is None:
            return self._of_mean(n_items)
        short = _chance_below(self.rate, np.arange(n_items + 1) / n_items)
        return int(np.flatnonzero(short <= (1 - self.confidence) * _UP_TO)[-1])

    def _of_mean(self, n: int) -> int:
        """Return how many of n the mean rate allows."""
        return int(np.floor(self.rate.mean() * n * (1 + _ROUNDING)))


def check_capacity(rate: Any, capacity: Any, n_items: Any, confidence: Any) -> Capacity:
    """Return what the parameters of a threshold say of the capacity."""
    if n_items is not None:
        n_items = check_count("n_items", n_items)
    if confidence is not None:
        confidence = check_fraction("confidence", confidence)
    if capacity is None:
        if rate is None:
            raise ValueError(
                "How many cases will be processed? Give rate=, their share as a number "
                "or a distribution from skrate.rates, or capacity= and n_items=, their "
                "number among the next n_items."
            )
        return Capacity(check_rate(rate), n_items, confidence)
    if rate is not None:
        raise ValueError(
            f"rate={rate!r} and capacity={capacity!r} both say how many cases will be "
            "processed: give one of them."
        )
    number = check_count("capacity", capacity)
    if n_items is None:
        raise ValueError(
            f"capacity={number} needs n_items=, the number of new cases of which it "
            "is; a share of all cases is given by rate=."
        )
    if number > n_items:
        raise ValueError(
            f"capacity={number} is above n_items={n_items}: all of the batch can be "
            "processed, without a threshold. Give capacity=n_items, or a larger batch."
        )
    return Capacity(Fixed(number / n_items), n_items, confidence, number)


@dataclass(frozen=True)
class Cut:
    """Where ``n`` held-out scores are cut: right above the one of a place."""

    n: int
    place: int
    at: float  # The score there.
    threshold: float  # The next number in the precision of the scores.
    n_above: int
    n_tied: int

    @property
    def expected(self) -> float:
        """The share that is expected to be marked: of ties, none."""
        if self.n_tied > 1:
            return self.n_above / self.n
        return self.law_without_ties(None).mean

    def interval(self, n_items: int | None, level: float) -> ConfidenceInterval:
        """Return the central interval of the share marked of the next cases."""
        # Above a score that ties are no fewer than above the next better one, and no
        # more than if those that tie came in some order.
        least = self.n_above if self.n_tied > 1 else self.place
        most = min(self.place, self.n_above + 1)
        low, high = (
            BatchLaw(self.n, place, n_items).interval(level) for place in (least, most)
        )
        return ConfidenceInterval(low.low, high.high)

    def law_without_ties(self, n_items: int | None) -> BatchLaw:
        """Return the law of the place, which bounds the number marked."""
        return BatchLaw(self.n, self.place, n_items)

    def waste(self) -> str:
        """Return what to tell where capacity is left unused, else nothing."""
        if self.place == 0:
            return (
                f"Nothing will be marked: no threshold on {self.n} held-out scores "
                "keeps so small a capacity. Give more cases, a greater rate or "
                "capacity, or a lower confidence."
            )
        could = self.law_without_ties(None).mean
        # The first of those that tie is no loss: above it the place could be, too.
        if min(self.place, self.n_above + 1) >= _USED * self.place:
            return ""
        return (
            f"{self.n_tied} of {self.n} held-out cases tie at the threshold. None of "
            "such cases is marked, as all of them would be too many: "
            f"{self.expected:.3g} of new ones will be where {could:.3g} could. Take an "
            "estimator with finer scores, or predict_batch, which draws among ties."
        )


def find_cut(scores: Array, capacity: Capacity) -> Cut:
    """Return the cut of held-out scores that keeps the capacity."""
    n = len(scores)
    place = capacity.place(n)
    if place in (0, n + 1):
        end = np.inf if place == 0 else -np.inf
        return Cut(n, place, end, end, 0 if place == 0 else n, 0)
    at = np.partition(scores, n - place)[n - place]
    # In the precision of the scores, so that either precision compares alike.
    threshold = np.nextafter(at, scores.dtype.type(np.inf))
    n_above, n_tied = np.count_nonzero(scores > at), np.count_nonzero(scores == at)
    return Cut(n, place, float(at), float(threshold), int(n_above), int(n_tied))


@dataclass(frozen=True)
class BatchLaw:
    """The law of the number of the next ``n_items`` above the ``place``-th of n scores.

    It is beta-binomial(n_items, place, n - place + 1); without ``n_items``, the share
    in the long run is beta(place, n - place + 1).
    """

    n: int
    place: int
    n_items: int | None

    @property
    def mean(self) -> float:
        """The expected share above."""
        return self.place / (self.n + 1)

    @cached_property
    def probabilities(self) -> FloatArray:
        """P(N = k) for k = 0, ..., n_items."""
        m = self.n_items
        assert m is not None
        if self._is_certain:
            return np.asarray(np.eye(1, m + 1, 0 if self.place == 0 else m)[0])
        a, b = self.place, self.n - self.place + 1
        chances = stats.betabinom.pmf(np.arange(m + 1), m, a, b)
        return np.asarray(chances / chances.sum())

    def interval(self, level: float) -> ConfidenceInterval:
        """Return the central interval of the share above."""
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if self._is_certain:
            low = high = self.mean
        elif self.n_items is None:
            low, high = special.betaincinv(self.place, self.n - self.place + 1, tails)
        else:
            reached = np.cumsum(self.probabilities)
            ends = np.searchsorted(reached, tails * (1 - _ROUNDING))
            low, high = np.minimum(ends, self.n_items) / self.n_items
        return ConfidenceInterval(float(low), float(high))

    def pvalue(self, n_above: int, n_from: int) -> float:
        """Return the two-sided p-value of a batch with ``n_above`` above the score.

        ``n_from`` are those from the score on, ties included.
        """
        upper = self.probabilities[n_above:].sum()
        lower = self.probabilities[: n_from + 1].sum()
        return float(min(1.0, 2 * min(upper, lower)))

    @property
    def _is_certain(self) -> bool:
        return self.place in (0, self.n + 1)


def chance_of_more(
    n: int, rate: RateDistribution, n_items: int | None
) -> Callable[[int], float]:
    """Return P(N > R n_items) as a function of the place, R being the random rate."""
    if n_items is not None:
        short = _chance_below(rate, np.arange(n_items + 1) / n_items)
        return lambda place: float(
            dot(BatchLaw(n, place, n_items).probabilities, short)
        )
    shares = np.asarray(rate.ppf((np.arange(_POINTS) + 0.5) / _POINTS))

    def exceeds(place: int) -> float:
        if place in (0, n + 1):
            return float(np.mean(shares < place / (n + 1)))
        return float(np.mean(special.betaincc(place, n - place + 1, shares)))

    return exceeds


def _chance_below(rate: RateDistribution, shares: FloatArray) -> FloatArray:
    """Return the probability that the rate is below each of the shares."""
    shares = shares * (1 - _ROUNDING)
    return np.asarray(np.where(shares > 0, 1 - rate.survival(shares), 0.0))
