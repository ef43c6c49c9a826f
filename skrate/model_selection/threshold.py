"""A classifier whose threshold keeps a capacity, recall or false positive rate."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Self, cast

import numpy as np
from scipy import special, stats
from sklearn.base import clone
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GroupShuffleSplit,
    ShuffleSplit,
)
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from skrate.data.arrays import (
    ROUNDING,
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    RandomState,
    as_numpy,
    dot,
)
from skrate.data.checks import (
    check_count,
    check_equal_length,
    check_fraction,
    check_generator,
    check_no_missing,
    check_scores,
    check_vector,
    distinct_labels,
    is_label,
    shown,
    warn,
)
from skrate.data.ranking import check_groups
from skrate.metrics.hypothesis_tests import exceeds
from skrate.metrics.result_types import ConfidenceInterval
from skrate.model_selection.cross_validation import (
    Split,
    check_folds,
    find_splitter,
    fold_router,
    routed,
    scored_folds,
)
from skrate.model_selection.responses import (
    ResponseMethod,
    check_response_method,
    choose_label,
    convert_arrow,
    method_name,
    warn_second_class,
)
from skrate.rates.laws import Fixed, RateDistribution, RateLike, check_rate

_USER = "ConstrainedThresholdClassifier"
# As FixedThresholdClassifier has it: a threshold is then a probability, where it can.
_AUTO = ("predict_proba", "decision_function")
# What is limited, the cases that it is a share of, and the size of their next batch.
Kind = Literal["rate", "recall", "fpr"]
_SHARE = {"rate": "share marked", "recall": "recall", "fpr": "false positive rate"}
_CASES = {"rate": "cases", "recall": "positives", "fpr": "negatives"}
_BATCH = {"rate": "n_items", "recall": "n_pos", "fpr": "n_neg"}


class ConstrainedThresholdClassifier(FixedThresholdClassifier):  # type: ignore[misc]
    r"""Classifier whose threshold keeps a capacity, recall or false positive rate.

    The threshold is found on held-out scores, and keeps what is asked for in new cases:
    on average, or with a given probability. The threshold at which held-out cases have
    just that recall misses it in new ones about every other time.

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
    recall : float, default=None
        In the place of both, the least share of new positives to be marked, in (0, 1).
    fpr : float, default=None
        In their place, the greatest share of new negatives to be marked, in (0, 1).
    n_items : int, default=None
        With ``rate`` or ``capacity``, the number of cases in the next batch, at most
        10,000,000. None means so many that their own chance does not matter.
    n_pos, n_neg : int, default=None
        The same with ``recall``, the number of positives in the next batch, and with
        ``fpr``, the number of negatives.
    confidence : float, default=None
        Probability, in (0, 1), with which the next batch keeps the constraint; without
        its size, the share in the long run. None keeps it on average: about half of all
        batches then do not.
    cv : int, float, splitter, iterable or "prefit", default=5
        Where held-out scores come from:

        - "prefit": `X` are cases that the fitted ``estimator`` has not seen;
        - a float in (0, 1): this share of the cases, drawn at random; the estimator is
          trained on the others only, as for any other single split;
        - else the folds of a cross-validation, as in
          :func:`~sklearn.model_selection.check_cv`, which test each case once at most;
          the estimator is then trained on all cases. With ``clusters`` a number of
          folds means :class:`~sklearn.model_selection.StratifiedGroupKFold`, and a
          share is drawn cluster by cluster.
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
        Least score of ``pos_label_`` that is marked: with ``recall`` a held-out one,
        else the next number above one; ``inf`` if nothing is marked, ``-inf`` if
        everything is.
    expected_rate_ : float
        Share of new cases that is expected to be marked. With ``recall`` and ``fpr`` it
        is the share of held-out cases, and so assumes their prevalence.
    expected_fraction_ : float
        What is expected of the share that is kept: the rate, recall or false positive
        rate.
    fraction_interval_ : ConfidenceInterval
        The central range of that share in the next batch, or in the long run, at
        ``confidence`` or 0.95.
    pos_label_ : label
        The label of marked cases.
    n_held_out_ : int
        Number of held-out scores: of all cases, of positives for ``recall``, and of
        negatives for ``fpr``.
    classes_ : ndarray of shape (2,)
        The labels, as the estimator has them.
    n_features_in_, feature_names_in_ : int, ndarray
        As of the estimator, if it knows them.

    See Also
    --------
    sklearn.model_selection.FixedThresholdClassifier : Takes ``threshold_`` as it is.
    sklearn.model_selection.TunedThresholdClassifierCV : The threshold of best score.
    budget_report : What will be found in the cases marked.

    Notes
    -----
    Let n held-out cases and m new ones be exchangeable, their scores without ties. The
    number N of new ones above the j-th largest held-out score is beta-binomial,

    .. math:: P(N = k) = \binom{m}{k}
              \frac{B(k + j, m - k + n - j + 1)}{B(j, n - j + 1)},

    with the mean m j / (n + 1), whatever the distribution of the scores; in the long
    run, N / m is beta(j, n - j + 1). The threshold is above the j-th largest score,
    with the greatest j for which j / (n + 1) is at most the (mean) rate or, with
    ``confidence``, for which N > R m has a probability of at most 1 - confidence. With
    ties fewer are marked, never more, so that the capacity is kept. If a held-out cases
    score above several that tie there, ``expected_fraction_`` is a / n, and the ends of
    ``fraction_interval_`` come from the distributions for j = a and a + 1.

    For ``fpr`` all cases are negatives. For ``recall`` they are positives, counted from
    below, and N those missed, of which 1 - ``recall`` may be: the threshold is the j-th
    smallest of the n scores, and the share of positives at or above it is
    beta(n - j + 1, j). With ties more are marked. Even j = 1 takes some cases: 29
    positives for a recall of 0.9 with confidence 0.95, and 59 for 0.95.

    With ``clusters``, d samples count as one: the distribution is
    beta((j - 1) / d + 1, (n - j + 1) / d), and the next batch has m / d samples. d is
    the design effect of Korn and Graubard [2]_: the variance of the share beyond the
    threshold by its sums over clusters, relative to independent samples, or that nearer
    to the median if it is larger, and a ratio of t quantiles for few or unequal
    clusters.

    The guarantee is exact for ``cv="prefit"`` and a single split, and approximate for
    folds, as other models scored them: in simulations a confidence of 0.95 was kept in
    0.94 to
    0.99 of batches by linear models, forests and boosted trees, but a capacity in 0.78
    to 0.90 by single trees. Hold out a part where a model may overfit (see
    :ref:`in_production`). Cost: training ``cv`` + 1 models, and O(n_items log n).

    References
    ----------
    .. [1] Wilks (1942), Statistical prediction with special reference to the problem
       of tolerance limits, Ann. Math. Statist. 13(4),
       :doi:`10.1214/aoms/1177731537`.
    .. [2] Korn and Graubard (1998), Confidence intervals for proportions with small
       expected number of positive counts estimated from survey data, Survey
       Methodology 24(2).

    Examples
    --------
    There is room for 40 of the next 300, to be kept with 95 % confidence:

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrate import ConstrainedThresholdClassifier
    >>> X, y = make_classification(1500, weights=[0.8], random_state=1)
    >>> model = ConstrainedThresholdClassifier(
    ...     LogisticRegression(),
    ...     capacity=40,
    ...     n_items=300,
    ...     confidence=0.95,
    ... ).fit(X[:1200], y[:1200])
    >>> round(model.expected_rate_, 3)
    0.102
    >>> int(model.predict(X[1200:]).sum())
    37

    Or find nine in ten positives, with the same confidence:

    >>> model = ConstrainedThresholdClassifier(
    ...     LogisticRegression(), recall=0.9, confidence=0.95
    ... ).fit(X[:1200], y[:1200])
    >>> round(model.expected_fraction_, 3), round(model.expected_rate_, 3)
    (0.929, 0.305)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        rate: RateLike | None = None,
        capacity: int | None = None,
        recall: float | None = None,
        fpr: float | None = None,
        n_items: int | None = None,
        n_pos: int | None = None,
        n_neg: int | None = None,
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
        self.recall = recall
        self.fpr = fpr
        self.n_items = n_items
        self.n_pos = n_pos
        self.n_neg = n_neg
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
            Two classes. With ``cv="prefit"`` only ``recall`` and ``fpr`` need it.
        **params : dict
            What the ``fit`` of the estimator takes, such as ``sample_weight``, split
            by fold where there is an entry for each case; with metadata routing, what
            they and the splitter asked for. And ``clusters``: samples of a cluster,
            such as those of a patient, are in the same fold, and count as fewer
            independent samples if they are alike.
            Weights are for training: to the threshold each held-out case is one, unless
            its weight is 0, as no case is more exchangeable with new ones than others.

        Returns
        -------
        self : ConstrainedThresholdClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If the constraint, the size of the batch and ``confidence`` do not go
            together or are out of range, there are not two classes, in ``y`` or in the
            training part of a fold, a case is tested twice, held-out positives or
            negatives are too few for ``recall`` or ``fpr``, or a score is not finite.
        """
        constraint = check_constraint(self)
        methods = check_methods(self.response_method)
        is_fitted = isinstance(self.cv, str) and self.cv == "prefit"
        label = check_target(y, self.estimator if is_fitted else None, self.pos_label)
        X, y = indexable(convert_arrow(X), convert_arrow(y))
        clusters = params.pop("clusters", None)
        fit_params, to_split = routed(self.get_metadata_routing(), params)
        if clusters is None:
            clusters = to_split.get("groups")
        codes = None if clusters is None else check_groups("clusters", clusters).codes
        ask = partial(positive_scores, methods=methods, label=label)
        if is_fitted:
            unused = {**fit_params, **to_split}
            if unused:
                raise ValueError(
                    "cv='prefit' trains nothing and makes no folds: leave out "
                    f"{list(unused)}."
                )
            self.estimator_ = self.estimator
            cases = constraint.cases(y, self.estimator.classes_, label)
            constraint.check_enough(cases)
            scores = ask(self.estimator, X, None)
        else:
            if codes is not None:
                # Splitters make floats of some lists.
                to_split["groups"] = codes
            splits = check_splits(
                self.cv, X, y, self.random_state, to_split, fit_params
            )
            tested = np.concatenate([test for _, test in splits])
            codes = None if codes is None else codes[tested]
            labels = check_vector("y", y)
            cases = constraint.cases(labels[tested], distinct_labels(labels), label)
            constraint.check_enough(cases)
            scores = self._fit_folds(ask, X, y, splits, fit_params)
        self.pos_label_ = label
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        if codes is not None:
            check_equal_length(X=scores, clusters=codes)
            effect = design_effect(scores[cases], codes[cases], constraint)
            # So many samples of the next batch count as one, too.
            n_items = constraint.n_items and max(int(constraint.n_items / effect), 1)
            constraint = replace(constraint, effect=effect, n_items=n_items)
            constraint.check_enough(cases)
        self._set_threshold(scores, cases, constraint)
        return self

    def _fit_folds(
        self,
        ask: Callable[..., Array],
        X: Any,
        y: Any,
        splits: list[Split],
        fit_params: dict[str, Any],
    ) -> Array:
        """Return the scores of all folds, and train the model for new cases."""
        given = ([self.estimator], X, y, fit_params, splits, self.n_jobs)
        parts, models = scored_folds(ask, *given, is_kept=len(splits) == 1)
        # New cases are scored by the model that was tested, or one of all cases.
        self.estimator_ = models[0]
        if len(splits) > 1:
            _warn_fold_levels(parts)
            self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        return np.concatenate(parts)

    def _set_threshold(
        self, scores: Array, cases: slice | BoolArray, constraint: Constraint
    ) -> None:
        """Find the threshold, and what is expected of it."""
        cut = find_cut(scores[cases], constraint)
        self.n_held_out_, self.threshold_ = cut.n, cut.threshold
        self.expected_fraction_ = constraint.kept(cut.expected)
        self.expected_rate_ = self.expected_fraction_
        if constraint.kind != "rate":
            self.expected_rate_ = float(np.mean(scores >= self.threshold_))
        self.fraction_interval_ = cut.interval(
            constraint, constraint.confidence or 0.95
        )
        waste = cut.waste(constraint)
        if waste:
            if self.expected_rate_ == 1:
                waste += " Every case will be marked."
            warn(waste)

    def predict(self, X: ArrayLike) -> Array:
        """Return the positive label of scores from the threshold on, else the other."""
        check_is_fitted(self)
        methods = check_methods(self.response_method)
        scores = positive_scores(self.estimator_, X, None, methods, self.pos_label_)
        classes = np.asarray(self.classes_)
        positive = int(is_label(classes, self.pos_label_).argmax())
        # In float64, as a threshold between two float32 scores.
        is_marked = scores.astype(np.float64) >= self.threshold_
        return classes[np.where(is_marked, positive, 1 - positive)]

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


def positive_scores(
    model: Any, X: Any, y: Any, methods: tuple[str, ...], label: Label
) -> Array:
    """Return finite scores, higher for the positive class, in its own unit."""
    check_classifier(model, methods)
    name = method_name(model, methods, _USER)
    response = as_numpy(getattr(model, name)(X))
    is_positive = is_label(as_numpy(model.classes_), label)
    if response.ndim == 2 and response.shape[1] == 2:
        response = response[:, int(is_positive.argmax())]
    elif not is_positive[-1]:
        response = -response
    scores = check_scores(f"{name} of {type(model).__name__}", response)
    return scores if scores.dtype == np.float32 else scores.astype(np.float64)


def check_classifier(model: Any, methods: tuple[str, ...] = _AUTO) -> None:
    """Raise unless a fitted model knows its classes and scores them."""
    has_method = any(hasattr(model, method) for method in methods)
    if not (has_method and hasattr(model, "classes_")):
        raise AttributeError(
            "estimator must be a classifier with classes_ and one of the methods "
            f"{list(methods)}, got {type(model).__name__}; response_method='auto' "
            "takes predict_proba or decision_function."
        )


def _warn_fold_levels(parts: list[Array]) -> None:
    """Warn where scores tie within folds, at levels that are others in each fold."""
    levels = [np.unique(scores) for scores in parts]
    n_levels, most = len(np.unique(np.concatenate(levels))), max(map(len, levels))
    # Scores are coarse with fewer levels than half of the cases.
    are_coarse = 2 * sum(map(len, levels)) < sum(map(len, parts))
    if are_coarse and n_levels > 1.5 * most:
        warn(
            f"Scores tie in each fold, at {most} levels or fewer, and these differ "
            f"from fold to fold ({n_levels} in all): those of the model of all cases "
            "will differ as well, and keep the constraint less often than promised. "
            "Hold out a part, as cv=0.3 does, or take finer scores."
        )


def check_target(y: Any, estimator: Any, pos_label: Label) -> Label:
    """Return the label that is marked, of ``y`` or of an estimator that is fitted."""
    of = "a label of y, which holds"
    if estimator is not None:
        check_is_fitted(estimator)
        check_classifier(estimator)
        known = np.asarray(estimator.classes_).tolist()
        kind = "binary" if len(known) < 3 else "multiclass"
        of = f"a class of {type(estimator).__name__}, which knows"
    elif y is None:
        raise ValueError(
            f"{_USER} requires y to be passed, but the target y is None: only "
            "cv='prefit' does without."
        )
    else:
        check_no_missing("y", y)
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
        warn_second_class(_USER, known)
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
    groups = split_params.get("groups")
    if groups is not None:
        check_equal_length(y=labels, clusters=groups)
    if isinstance(cv, float | np.floating) and 0 < cv < 1:
        # By chance alone: held-out cases are then as exchangeable with new ones as
        # the law of the threshold has it, which a split by class would not quite be.
        seed = int(check_generator(random_state).integers(2**31))
        kind = ShuffleSplit if groups is None else GroupShuffleSplit
        splitter = kind(1, test_size=float(cv), random_state=seed)
    else:
        splitter = find_splitter(cv, y, groups, is_stratified=True)
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
            f"cv tests case {cases[times.argmax()]} {times.max()} times, and the "
            "threshold counts each case once: give folds that do not overlap."
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
class Constraint:
    """What share of the next ``n_items`` may be beyond a threshold, and how surely.

    Beyond it are cases marked, all or the negatives of them, or positives missed.
    """

    kind: Kind
    rate: RateDistribution
    n_items: int | None
    confidence: float | None
    effect: float = 1.0  # Samples of clusters that count as one.

    def cases(self, y: Any, known: Any, label: Label) -> slice | BoolArray:
        """Return of which cases the share is, by their labels."""
        if self.kind == "rate":
            return slice(None)
        if y is None:
            raise ValueError(
                f"{self.asked} is a share of the {_CASES[self.kind]}: give y, the "
                "labels of the cases."
            )
        labels = check_vector("y", y)
        is_known = np.any([is_label(labels, one) for one in known], axis=0)
        if not is_known.all():
            raise ValueError(
                f"y holds {shown(labels[~is_known][0])}, but the classes are "
                f"{', '.join(map(shown, known))}."
            )
        is_pos = is_label(labels, label)
        return is_pos if self.kind == "recall" else ~is_pos

    def check_enough(self, cases: slice | BoolArray) -> None:
        """Raise an error where held-out cases are too few for any threshold."""
        if isinstance(cases, slice):
            return
        n = int(np.count_nonzero(cases))
        if self.place(n, most=1):
            return
        fewest = 1
        while not self.place(fewest, most=1):
            fewest *= 2
        fewest = bisect_left(range(fewest), 1, key=partial(self.place, most=1))
        noun, how = _CASES[self.kind], "on average"
        remedy = "lower recall" if self.kind == "recall" else "greater fpr"
        if self.confidence is not None:
            how = f"with confidence={self.confidence:g}"
            remedy += " or a lower confidence"
        found = f"{n}"
        if self.effect > 1:
            found += f", of which {self.effect:.3g} of a cluster count as one"
        raise ValueError(
            f"To keep {self.asked} {how} takes at least {fewest} held-out {noun}, "
            f"found {found}: give more {noun}, hold out more of them, or ask for a "
            f"{remedy}."
        )

    def turned(self, scores: Array) -> Array:
        """Return the scores, higher where cases are beyond a threshold."""
        return -scores if self.kind == "recall" else scores

    def kept(self, beyond: float) -> float:
        """Return the share that is constrained where so many are beyond it."""
        return 1 - beyond if self.kind == "recall" else beyond

    @property
    def asked(self) -> str:
        """The argument that asks for it."""
        return f"{self.kind}={self.kept(float(self.rate.mean())):g}"

    def place(self, n: int, most: int | None = None) -> int:
        """Return the greatest place among ``n`` held-out scores that keeps it.

        With ``most``, it is sought up to there only.
        """
        most = n + 1 if most is None else most
        if self.confidence is None:
            # A rate of 29/100 is 29 of 100 cases, whatever floats make of the product.
            allowed = self.rate.mean() * (n + self.effect) * (1 + ROUNDING)
            return min(most, max(int(np.floor(allowed - (self.effect - 1))), 0))
        # By bisection, as the number above can only grow with the place.
        chance = exceedance_probability(n, self.rate, self.n_items, self.effect)
        risk = 1 - self.confidence
        places = range(1, most + 1)
        return bisect_left(places, True, key=lambda place: exceeds(chance(place), risk))


def check_constraint(asked: ConstrainedThresholdClassifier) -> Constraint:
    """Return the constraint that the parameters of a threshold say."""
    choices = ("rate", "capacity", "recall", "fpr")
    given = {name: getattr(asked, name) for name in choices}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        raise ValueError(
            "What should the threshold keep? Give one of rate=, the share of cases "
            "that will be processed, as a number or a distribution from skrate.rates; "
            "capacity= and n_items=, their number among the next n_items; recall=, the "
            "least share of positives marked; and fpr=, the greatest of negatives."
        )
    shown_given = " and ".join(f"{name}={value!r}" for name, value in given.items())
    if len(given) > 1:
        raise ValueError(f"{shown_given} each set the threshold: give one of them.")
    [(name, value)] = given.items()
    kind = cast(Kind, name if name in ("recall", "fpr") else "rate")
    sizes = {size: getattr(asked, size) for size in _BATCH.values()}
    n_items = sizes.pop(_BATCH[kind])
    for size, n in sizes.items():
        if n is not None:
            raise ValueError(
                f"{size}={n!r} does not go with {shown_given}, which is of "
                f"{_CASES[kind]}: give {_BATCH[kind]}=, their number in the next batch."
            )
    if n_items is not None:
        n_items = check_count(_BATCH[kind], n_items)
        if n_items > 10**7:  # A minute.
            raise ValueError(
                f"{_BATCH[kind]} must be at most 10,000,000, got {n_items}: for the "
                "share in the long run give rate=, recall= or fpr= alone."
            )
    confidence = asked.confidence
    if confidence is not None:
        confidence = check_fraction("confidence", confidence)
    if kind != "rate":
        share = check_fraction(kind, value)
        beyond = Fixed(1 - share if kind == "recall" else share)
        return Constraint(kind, beyond, n_items, confidence)
    if name == "rate":
        return Constraint(kind, check_rate(value), n_items, confidence)
    number = check_count("capacity", value)
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
    return Constraint(kind, Fixed(number / n_items), n_items, confidence)


@dataclass(frozen=True)
class Cut:
    """Where ``n`` held-out scores are cut: right above the one of a place.

    They are turned so that cases above are beyond the threshold (see `Constraint`).
    """

    n: int
    place: int
    threshold: float  # The least score marked, not turned.
    n_above: int
    n_tied: int
    effect: float = 1.0

    @property
    def expected(self) -> float:
        """The share that is expected beyond the threshold: of ties, none."""
        if self.n_tied > 1:
            return self.n_above / self.n
        return BatchDistribution(self.n, self.place, None, self.effect).mean

    def interval(self, constraint: Constraint, level: float) -> ConfidenceInterval:
        """Return the central interval of the share that is kept, in the next batch."""
        # Above a score that ties are no fewer than above the next better one, and no
        # more than if those that tie came in some order.
        least = self.n_above if self.n_tied > 1 else self.place
        most = min(self.place, self.n_above + 1)
        low, high = (
            BatchDistribution(self.n, place, constraint.n_items, self.effect).interval(
                level
            )
            for place in (least, most)
        )
        ends = sorted((constraint.kept(low.low), constraint.kept(high.high)))
        return ConfidenceInterval(*ends)

    def waste(self, constraint: Constraint) -> str:
        """Return what to tell where more could be beyond it, else nothing."""
        if self.place == 0:
            return (
                f"Nothing will be marked: no threshold on {self.n} held-out scores "
                "keeps so small a capacity. Give more cases, a greater rate or "
                "capacity, or a lower confidence."
            )
        # The first of those that tie is no loss: above it the place could be, too. That
        # ties take less than a tenth of what may be beyond is not worth a word.
        if min(self.place, self.n_above + 1) >= 0.9 * self.place:
            return ""
        kind = constraint.kind
        which = "None of such cases is marked, as all of them would be too many"
        if kind == "recall":
            which = "All of such cases are marked, as without them too few would be"
        expected, could = (
            constraint.kept(share)
            for share in (self.expected, self.place / (self.n + 1))
        )
        return (
            f"{self.n_tied} of {self.n} held-out {_CASES[kind]} tie at the threshold. "
            f"{which}: the {_SHARE[kind]} will be {expected:.3g} where it could be "
            f"{could:.3g}. Take an estimator with finer scores."
        )


def find_cut(scores: Array, constraint: Constraint) -> Cut:
    """Return the cut of held-out scores that keeps the constraint."""
    scores = constraint.turned(scores)
    n = len(scores)
    place = constraint.place(n)
    at = scores.dtype.type(np.inf if place == 0 else -np.inf)
    if 0 < place <= n:
        at = np.partition(scores, n - place)[n - place]
    # A positive at the cut is not missed. Any other there is not marked; above it, in
    # the precision of the scores, so that either precision compares alike.
    threshold = -at
    if constraint.kind != "recall":
        above = np.nextafter(at, scores.dtype.type(np.inf))
        threshold = above if place <= n else at
    return Cut(
        n=n,
        place=place,
        threshold=float(threshold),
        n_above=int(np.count_nonzero(scores > at)),
        n_tied=int(np.count_nonzero(scores == at)),
        effect=constraint.effect,
    )


def design_effect(scores: Array, clusters: IntArray, constraint: Constraint) -> float:
    """Return how many samples of clusters count as one independent sample.

    It is the variance of the share beyond a threshold by its sums over clusters,
    relative to independent samples, times a ratio of t quantiles (Korn and Graubard
    1998), whose degrees of freedom allow for unequal sizes. The maximum is taken of
    two thresholds, at the constraint and nearer to the median, and 1.
    """
    scores, n = constraint.turned(scores), len(scores)
    codes = np.unique(clusters, return_inverse=True)[1]
    sizes = np.bincount(codes)
    if len(sizes) == 1:
        return float(n)
    place = int(np.clip(round(constraint.rate.mean() * (n + 1)), 1, n - 1))
    effects = [1.0]
    for k in (place, min(2 * place, n // 2)):
        at = np.partition(scores, n - k)[n - k]
        # Scores that tie at the threshold are beyond it in part.
        is_tied, beyond = scores == at, (scores > at).astype(np.float64)
        beyond[is_tied] = (k - beyond.sum()) / np.count_nonzero(is_tied)
        excess = np.bincount(codes, beyond) - k / n * sizes
        independent = k * (n - k) / (n - 1) * (1 - 1 / len(sizes))
        effects.append(dot(excess, excess) / independent)
    freedoms = np.array([n**2 / dot(sizes, sizes), n]) - 1
    by_clusters, by_samples = special.stdtrit(freedoms, 0.95)
    return float(min(max(effects) * (by_clusters / by_samples) ** 2, n))


@dataclass(frozen=True)
class BatchDistribution:
    """How many of the next ``n_items`` are above the ``place``-th of n scores.

    It is beta-binomial(n_items, place, n - place + 1); without ``n_items``, the share
    in the long run is beta(place, n - place + 1). With clusters, samples other than
    the one at the place count as ``effect`` times fewer.
    """

    n: int
    place: int
    n_items: int | None
    effect: float = 1.0

    @property
    def shapes(self) -> tuple[float, float]:
        """The parameters of the beta distribution."""
        a = (self.place - 1) / self.effect + 1
        return a, self.n / self.effect - a + 1

    @property
    def mean(self) -> float:
        """The share that is expected above."""
        if self._is_certain:
            return self.place / (self.n + 1)
        return self.shapes[0] / (self.n / self.effect + 1)

    @property
    def probabilities(self) -> FloatArray:
        """P(N = k) for k = 0, ..., n_items."""
        m = self.n_items
        assert m is not None
        if self._is_certain:
            return np.asarray(np.eye(1, m + 1, 0 if self.place == 0 else m)[0])
        chances = stats.betabinom.pmf(np.arange(m + 1), m, *self.shapes)
        return np.asarray(chances / chances.sum())

    def interval(self, level: float) -> ConfidenceInterval:
        """Return the central interval of the share above."""
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if self._is_certain:
            low = high = self.mean
        elif self.n_items is None:
            low, high = special.betaincinv(*self.shapes, tails)
        else:
            reached = np.cumsum(self.probabilities)
            ends = np.searchsorted(reached, tails * (1 - ROUNDING))
            low, high = np.minimum(ends, self.n_items) / self.n_items
        return ConfidenceInterval(float(low), float(high))

    @property
    def _is_certain(self) -> bool:
        return self.place in (0, self.n + 1)


def exceedance_probability(
    n: int, rate: RateDistribution, n_items: int | None, effect: float = 1.0
) -> Callable[[int], float]:
    """Return P(N > R n_items) as a function of the place, R being the random rate."""
    if n_items is not None:
        # The probability that the rate is below each share of the batch.
        shares = np.arange(n_items + 1) / n_items * (1 - ROUNDING)
        short = np.where(shares > 0, 1 - rate.survival(shares), 0.0)
        return lambda place: float(
            dot(BatchDistribution(n, place, n_items, effect).probabilities, short)
        )
    # So many budgets stand for their distribution.
    n_points = 1 if isinstance(rate, Fixed) else 1024
    shares = np.asarray(rate.ppf((np.arange(n_points) + 0.5) / n_points))

    def chance(place: int) -> float:
        if place in (0, n + 1):
            return float(np.mean(shares < place / (n + 1)))
        shapes = BatchDistribution(n, place, None, effect).shapes
        return float(np.mean(special.betaincc(*shapes, shares)))

    return chance
