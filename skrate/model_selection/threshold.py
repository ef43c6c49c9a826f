"""A classifier with a threshold for a given rate, capacity, recall or FPR."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import Any, Literal, Self

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
    dot,
)
from skrate.data.checks import (
    as_numpy,
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
from skrate.metrics.hypothesis_tests import ConfidenceInterval, exceeds
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
from skrate.rates.distributions import Fixed, RateDistribution, RateLike, check_rate

_USER = "ConstrainedThresholdClassifier"
# The order of FixedThresholdClassifier: thresholds are probabilities if available.
_AUTO = ("predict_proba", "decision_function")
# The constrained fraction, its name, its samples, and their number in the next batch.
_FRACTION = {"rate": "rate", "recall": "recall", "fpr": "false positive rate"}
_SAMPLES = {"rate": "samples", "recall": "positives", "fpr": "negatives"}
_BATCH = {"rate": "n_items", "recall": "n_pos", "fpr": "n_neg"}


class ConstrainedThresholdClassifier(FixedThresholdClassifier):  # type: ignore[misc]
    r"""Classifier with a threshold for a given rate, capacity, recall or FPR.

    Which threshold satisfies a constraint (exactly one of ``rate``, ``capacity``,
    ``recall`` and ``fpr``) in new samples, on average or with a given probability? It
    is chosen by the scores of validation samples, on which the model was not trained.
    :class:`~sklearn.model_selection.TunedThresholdClassifierCV` instead maximises a
    score of these samples.

    Parameters
    ----------
    estimator : estimator
        Binary classifier with ``predict_proba`` or ``decision_function``.
    rate : "uniform", float or distribution, default=None
        The maximum fraction of new samples to select, in (0, 1]. If it is uncertain, a
        distribution of ``scipy.stats`` or :mod:`skrate.rates`, or "uniform": the limit
        is its mean or, with ``confidence``, a random rate for each batch.
    capacity : int, default=None
        The maximum number of samples to select among the next ``n_items``.
    recall, fpr : float, default=None
        The minimum fraction of new positives, or the maximum fraction of new negatives,
        to select, in (0, 1).
    n_items, n_pos, n_neg : int, default=None
        The number of samples in the next batch (for ``rate``; required for
        ``capacity``), of positives (for ``recall``) or of negatives (for ``fpr``), at
        most 10,000,000. None means an infinitely large batch (long run).
    confidence : float, default=None
        Probability, in (0, 1), that the next batch satisfies the constraint. None
        satisfies it on average: about half of all batches violate it.
    cv : int, float, splitter, iterable or "prefit", default=5
        Source of the validation scores. "prefit": the fitted ``estimator`` scores `X`,
        on which it was not trained. A float in (0, 1): this fraction of the samples, or
        of the ``clusters``, is drawn, and the estimator is trained on the others; or
        one given split. Several folds, as in :func:`~sklearn.model_selection.check_cv`:
        each sample is tested at most once, and the final estimator is trained on all.
    pos_label : int, float, bool or str, default=None
        The label of selected samples. If None, the larger of {0, 1}, {-1, 1} or
        booleans; for other labels the second one, with a warning.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        Method that returns scores; "auto" is ``predict_proba``, if available.
    n_jobs : int, default=None
        Number of folds that are trained in parallel. None means 1, -1 all processors.
    random_state : int, RandomState or Generator, default=None
        Seed or generator that draws the validation samples if ``cv`` is a float.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator that scores new samples.
    threshold_ : float
        Samples with this score of ``pos_label_``, or a higher one, are selected: the
        smallest float above a validation score, or with ``recall`` a validation score.
        ``inf`` selects no sample, ``-inf`` all.
    expected_rate_ : float
        Expected fraction of new samples that are selected; for ``recall`` and ``fpr``,
        at the prevalence of the validation samples.
    expected_fraction_ : float
        Expected value of the constrained fraction: of all new samples (``rate``,
        ``capacity``), of positives (``recall``) or of negatives (``fpr``).
    fraction_interval_ : ConfidenceInterval
        Central interval of this fraction in the next batch, or in the long run, at the
        level ``confidence``, or 0.95 if it is None.
    n_held_out_ : int
        Number of validation samples that determine the threshold: all of them, or only
        the positives (``recall``) or the negatives (``fpr``).
    pos_label_, classes_ : label, ndarray of shape (2,)
        The label of selected samples, and the labels of the estimator.
    n_features_in_, feature_names_in_ : int, ndarray
        Copied from the estimator, if available.

    See Also
    --------
    sklearn.model_selection.FixedThresholdClassifier : Uses a given threshold.
    sklearn.model_selection.TunedThresholdClassifierCV : Maximises a score.
    budget_report : The expected number of positives among the selected samples.

    Notes
    -----
    *Rate and capacity.* Let n validation samples and m new samples be exchangeable, and
    their scores have no ties. Let N be the number of new samples above the j-th largest
    validation score. For any distribution of the scores it is beta-binomial [1]_,

    .. math:: P(N = k) = \binom{m}{k}
              \frac{B(k + j, m - k + n - j + 1)}{B(j, n - j + 1)},

    with the beta function B and the mean m j / (n + 1); in the long run, N / m is
    beta(j, n - j + 1). These N samples are selected. j is the maximum number that
    satisfies the constraint: j / (n + 1) is at most the (mean) rate, or with
    ``confidence``, P(N > R m) is at most 1 - confidence for the rate R (capacity R m).

    If several validation scores are equal to the j-th largest, none of these samples is
    selected. If h samples have higher scores, ``expected_fraction_`` is then h / n, and
    the ends of ``fraction_interval_`` are those for j = h and j = h + 1.

    *False positive rate.* The same, with negatives only.

    *Recall.* The same, with positives only and negated scores: N is the number of
    missed positives, at most a fraction of 1 - ``recall``, and the fraction of new
    positives that is selected is beta(n - j + 1, j). Ties are all selected. At least 29
    validation positives are needed for a recall of 0.9 with confidence 0.95, and at
    least 59 for a recall of 0.95.

    *Clusters.* With ``clusters`` in :meth:`fit`, d samples count as one: the
    distribution is beta((j - 1) / d + 1, (n - j + 1) / d), and the next batch has m / d
    samples. The design effect d [2]_ is :math:`\rho (t_\nu / t_{n-1})^2`, at most n.
    :math:`\rho` is the variance of the selected fraction from sums over clusters,
    relative to independent samples: the maximum of 1 and its values above the i-th
    largest score for i = r (n + 1), with the (mean) maximum fraction r, and
    min(2 i, n / 2), rounded. :math:`t_\nu` is the 0.95 quantile of Student's t for
    :math:`\nu = n^2 / \sum_c n_c^2 - 1` and cluster sizes :math:`n_c`.

    *Validity.* The guarantee is exact for independent samples with ``cv="prefit"`` or a
    single split, and approximate for several folds, whose scores come from other models
    than the final one: with a confidence of 0.95, simulated batches satisfied the
    constraint in 0.94 to 0.99 of the cases for linear models, forests and boosted
    trees, but a capacity only in 0.78 to 0.90 for single trees (see
    :ref:`in_production`). Cost: a fit of the estimator for each split, with several
    splits one for all samples, and O(n_items log n).

    References
    ----------
    .. [1] Wilks (1942), Statistical prediction with special reference to the problem
       of tolerance limits, :doi:`10.1214/aoms/1177731537`.
    .. [2] Korn and Graubard (1998), Confidence intervals for proportions with small
       expected number of positive counts estimated from survey data, Survey
       Methodology 24(2).

    Examples
    --------
    At most 40 of the next 300 samples can be processed, with 95 % confidence:

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrate import ConstrainedThresholdClassifier
    >>> X, y = make_classification(1500, weights=[0.8], random_state=1)
    >>> model = ConstrainedThresholdClassifier(
    ...     LogisticRegression(), capacity=40, n_items=300, confidence=0.95
    ... ).fit(X[:1200], y[:1200])
    >>> round(model.expected_rate_, 3)
    0.102
    >>> int(model.predict(X[1200:]).sum())
    37

    Find 90 % of the positives, with the same confidence:

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
        """Train the estimator, and find the threshold on validation scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Input of the estimator. With ``cv="prefit"``, samples that it has not seen.
        y : array-like of shape (n_samples,)
            Labels of two classes. With ``cv="prefit"`` only ``recall`` and ``fpr`` need
            them.
        **params : dict
            Arguments of the estimator's ``fit``, such as ``sample_weight``, split by
            fold; with metadata routing, the metadata that were requested. ``clusters``
            is the cluster of each sample, such as its patient: samples of a cluster are
            in the same fold (a given splitter must do so itself), and count as fewer
            independent samples if they are alike.

        Returns
        -------
        self : ConstrainedThresholdClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there is not exactly one constraint, or an argument is out of range; if
            ``y`` or a training part does not contain two classes; if a sample is tested
            twice; if validation positives (``recall``) or negatives (``fpr``) are too
            few; or if a score is not finite.

        Warns
        -----
        UserWarning
            If no sample will be selected; if ties leave a tenth of the permitted
            fraction unused; or if scores have few values, which differ between folds.

        Notes
        -----
        Weights only affect training: each validation sample with a nonzero weight
        counts once for the threshold. With ``clusters``, a number of folds means
        :class:`~sklearn.model_selection.StratifiedGroupKFold`.
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
                raise ValueError(f"Leave out {list(unused)} with cv='prefit'.")
            self.estimator_ = self.estimator
            rows = constraint.samples(y, self.estimator.classes_, label)
            constraint.check_enough(rows)
            scores = ask(self.estimator, X, None)
        else:
            if codes is not None:
                # Codes, because splitters convert some lists to floats.
                to_split["groups"] = codes
            cv, state = self.cv, self.random_state
            splits = check_splits(cv, X, y, state, to_split, fit_params)
            tested = np.concatenate([test for _, test in splits])
            codes = None if codes is None else codes[tested]
            labels = check_vector("y", y)
            rows = constraint.samples(labels[tested], distinct_labels(labels), label)
            constraint.check_enough(rows)
            scores = self._fit_folds(ask, X, y, splits, fit_params)
        self.pos_label_ = label
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        if codes is not None:
            check_equal_length(X=scores, clusters=codes)
            effect = design_effect(scores[rows], codes[rows], constraint)
            # The design effect applies to the next batch, too.
            n_items = constraint.n_items and max(int(constraint.n_items / effect), 1)
            constraint = replace(constraint, effect=effect, n_items=n_items)
            constraint.check_enough(rows)
        self._set_threshold(scores, rows, constraint)
        return self

    def _fit_folds(
        self,
        ask: Callable[..., Array],
        X: Any,
        y: Any,
        splits: list[Split],
        fit_params: dict[str, Any],
    ) -> Array:
        """Return the scores of all folds, and train the model for new samples."""
        if "groups" in fit_params:
            own = signature(self.estimator.fit).parameters
            if not {"groups", "params", "fit_params"} & {*own}:
                raise TypeError("fit() has no argument 'groups': pass clusters=.")
        arguments = ([self.estimator], X, y, fit_params, splits, self.n_jobs)
        fold_scores, models = scored_folds(ask, *arguments, is_kept=len(splits) == 1)
        # A single split keeps its model; otherwise, one is trained on all samples.
        self.estimator_ = models[0]
        if len(splits) > 1:
            _warn_fold_levels(fold_scores)
            self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        return np.concatenate(fold_scores)

    def _set_threshold(
        self, scores: Array, rows: slice | BoolArray, constraint: Constraint
    ) -> None:
        """Set the threshold, the expected fractions and their interval."""
        cut = find_cut(scores[rows], constraint)
        self.n_held_out_, self.threshold_ = cut.n, cut.threshold
        self.expected_fraction_ = self.expected_rate_ = cut.expected_fraction
        if constraint.kind != "rate":
            self.expected_rate_ = float(np.mean(scores >= self.threshold_))
        self.fraction_interval_ = cut.interval(constraint.confidence or 0.95)
        waste = cut.describe_waste()
        if waste:
            if self.expected_rate_ == 1:
                waste += " Every sample will be selected."
            warn(waste)

    def predict(self, X: ArrayLike) -> Array:
        """Return the labels: positive if the score is the threshold or higher."""
        check_is_fitted(self)
        methods = check_methods(self.response_method)
        scores = positive_scores(self.estimator_, X, None, methods, self.pos_label_)
        classes = np.asarray(self.classes_)
        positive = int(is_label(classes, self.pos_label_).argmax())
        # In float64, because a threshold can lie between two float32 scores.
        is_selected = scores.astype(np.float64) >= self.threshold_
        return classes[np.where(is_selected, positive, 1 - positive)]

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata routing of the estimator and the splitter."""
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
    """Return finite scores of the positive class: probabilities or decision values."""
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
    """Raise an error unless a fitted model has classes and a response method."""
    has_method = any(hasattr(model, method) for method in methods)
    if not (has_method and hasattr(model, "classes_")):
        raise AttributeError(
            "estimator must be a classifier with classes_ and one of the methods "
            f"{list(methods)}, got {type(model).__name__}; response_method='auto' "
            "takes predict_proba or decision_function."
        )


def _warn_fold_levels(fold_scores: list[Array]) -> None:
    """Warn if scores tie within folds, at levels that differ between folds."""
    levels = [np.unique(scores) for scores in fold_scores]
    n_levels, most = len(np.unique(np.concatenate(levels))), max(map(len, levels))
    # Scores are coarse if there are fewer levels than half of the samples.
    are_coarse = 2 * sum(map(len, levels)) < sum(map(len, fold_scores))
    if are_coarse and n_levels > 1.5 * most:
        warn(
            "Use a single split, such as cv=0.3, or finer scores: scores tie at "
            f"{most} levels or fewer in each fold, and at {n_levels} in all folds. The "
            "constraint is satisfied less often than promised."
        )


def check_target(y: Any, estimator: Any, pos_label: Label) -> Label:
    """Return the positive label of ``y``, or of a fitted estimator."""
    origin = "a label of y"
    if estimator is not None:
        check_is_fitted(estimator)
        check_classifier(estimator)
        known = np.asarray(estimator.classes_).tolist()
        kind = "binary" if len(known) < 3 else "multiclass"
        origin = f"a class of {type(estimator).__name__}"
    elif y is None:
        raise ValueError(
            f"{_USER} requires y to be passed, but the target y is None: only "
            "cv='prefit' with rate or capacity works without it."
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
        raise ValueError(f"y must have two classes, got one class, {known[0]!r}.")
    label, is_chosen = choose_label(known, pos_label, _USER, origin)
    if is_chosen:
        warn_second_class(_USER, known)
    return label  # type: ignore[no-any-return]


def check_methods(response_method: Any) -> tuple[str, ...]:
    """Return the names of response methods, in order of preference."""
    if isinstance(response_method, str) and response_method == "auto":
        return _AUTO
    methods = check_response_method(response_method)
    if not set(methods) <= set(_AUTO):
        known, found = ["auto", *_AUTO], shown(response_method)
        raise ValueError(f"response_method must be from {known}, got {found}.")
    return methods


def check_splits(
    cv: Any,
    X: Any,
    y: Any,
    random_state: RandomState,
    split_params: Mapping[str, Any],
    fit_params: Mapping[str, Any],
) -> list[Split]:
    """Return the rows of each fold without zero weights, with disjoint test parts."""
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
        # Not stratified: the distribution of the threshold assumes that validation
        # samples and new ones are exchangeable.
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
        raise ValueError("cv must test samples with nonzero weights, got none.")
    tested = np.concatenate([test for _, test in splits])
    samples, times = np.unique(tested, return_counts=True)
    if times.max() > 1:
        raise ValueError(
            f"cv tests sample {samples[times.argmax()]} {times.max()} times: give "
            "folds that do not overlap."
        )
    for i, (train, _) in enumerate(splits):
        known = distinct_labels(labels[train])
        if len(known) < 2:
            which = "" if counts.all() else " with nonzero sample_weight"
            found = f"only class {known[0]!r}{which}: use fewer or stratified folds"
            raise ValueError(f"The training part of fold {i} contains {found}.")
    return splits


@dataclass(frozen=True)
class Constraint:
    """Maximum fraction of the next ``n_items`` above a threshold, and its confidence.

    The fraction concerns all samples, the negatives (``fpr``) or the positives
    (``recall``). For ``recall`` scores are negated, and missed positives are above.
    """

    kind: str  # A key of _FRACTION.
    rate: RateDistribution
    n_items: int | None
    confidence: float | None
    effect: float = 1.0  # Number of clustered samples that count as one.

    def samples(self, y: Any, known: Any, label: Label) -> slice | BoolArray:
        """Return which samples the fraction concerns, by their labels."""
        if self.kind == "rate":
            return slice(None)
        if y is None:
            which = _SAMPLES[self.kind]
            raise ValueError(f"Give y: {self.asked} is a fraction of the {which}.")
        labels = check_vector("y", y)
        is_known = np.any([is_label(labels, class_) for class_ in known], axis=0)
        if not is_known.all():
            names, other = ", ".join(map(shown, known)), shown(labels[~is_known][0])
            raise ValueError(f"y must contain only the classes {names}, got {other}.")
        is_pos = is_label(labels, label)
        return is_pos if self.kind == "recall" else ~is_pos

    def check_enough(self, rows: slice | BoolArray) -> None:
        """Raise an error if there are not enough validation samples for a threshold."""
        if isinstance(rows, slice):
            return
        n = int(np.count_nonzero(rows))
        if self.place(n, most=1):
            return
        n_min = 1
        while not self.place(n_min, most=1):
            n_min *= 2
        n_min = bisect_left(range(n_min), 1, key=partial(self.place, most=1))
        noun, how = _SAMPLES[self.kind], "on average"
        remedy = "lower recall" if self.kind == "recall" else "higher fpr"
        if self.confidence is not None:
            how = f"with confidence={self.confidence:g}"
            remedy += " or a lower confidence"
        available = f"{n}"
        if self.effect > 1:
            available += f" ({self.effect:.3g} samples of clusters count as one)"
        raise ValueError(
            f"{self.asked} {how} needs at least {n_min} validation {noun}, got "
            f"{available}: use more {noun}, a larger validation part, or a {remedy}."
        )

    def turned(self, scores: Array) -> Array:
        """Return the scores, negated for recall (see `Constraint`)."""
        return -scores if self.kind == "recall" else scores

    def kept(self, above: float) -> float:
        """Return the constrained fraction, given the fraction above the threshold."""
        return 1 - above if self.kind == "recall" else above

    @property
    def asked(self) -> str:
        """The argument of the constraint, such as "recall=0.9"."""
        return f"{self.kind}={self.kept(float(self.rate.mean())):g}"

    def place(self, n: int, most: int | None = None) -> int:
        """Return the maximum position of ``n`` validation scores that satisfies it.

        With ``most``, the search ends there.
        """
        most = n + 1 if most is None else most
        if self.confidence is None:
            # With a tolerance, because 0.29 * 100 is below 29 in floating point.
            allowed = self.rate.mean() * (n + self.effect) * (1 + ROUNDING)
            return min(most, max(int(np.floor(allowed - (self.effect - 1))), 0))
        # Bisection: the exceedance probability increases with the position.
        chance = self.exceedance(n)
        risk = 1 - self.confidence
        ranks = range(1, most + 1)
        return bisect_left(ranks, True, key=lambda place: exceeds(chance(place), risk))

    def exceedance(self, n: int) -> Callable[[int], float]:
        """Return P(N > R n_items) as a function of ``place``, for the random rate R."""
        rate = self.rate
        if self.n_items is not None:
            # The probability that the rate is below each fraction of the batch.
            fractions = np.arange(self.n_items + 1) / self.n_items * (1 - ROUNDING)
            p_below = np.where(fractions > 0, 1 - rate.survival(fractions), 0.0)
            return lambda place: float(dot(self.batch(n, place).probabilities, p_below))
        # Quantiles that represent the distribution of the rate.
        n_points = 1 if isinstance(rate, Fixed) else 1024
        fractions = np.asarray(rate.ppf((np.arange(n_points) + 0.5) / n_points))

        def chance(place: int) -> float:
            if place in (0, n + 1):
                return float(np.mean(fractions < place / (n + 1)))
            shapes = self.batch(n, place).shapes
            return float(np.mean(special.betaincc(*shapes, fractions)))

        return chance

    def batch(self, n: int, place: int) -> BatchDistribution:
        """Return the distribution above the ``place``-th largest of n scores."""
        return BatchDistribution(n, place, self.n_items, self.effect)


def check_constraint(classifier: ConstrainedThresholdClassifier) -> Constraint:
    """Return the constraint that a classifier's parameters define."""
    choices = ("rate", "capacity", "recall", "fpr")
    limits = {name: getattr(classifier, name) for name in choices}
    limits = {name: limit for name, limit in limits.items() if limit is not None}
    if not limits:
        raise ValueError(
            "Give one constraint: rate=, the fraction of samples to process; "
            "capacity=, their number among the next n_items=; recall=, the minimum "
            "fraction of positives to select; or fpr=, the maximum of negatives."
        )
    shown_limits = " and ".join(f"{name}={limit!r}" for name, limit in limits.items())
    if len(limits) > 1:
        raise ValueError(f"Give only one constraint, got {shown_limits}.")
    [(name, limit)] = limits.items()
    kind = name if name in ("recall", "fpr") else "rate"
    sizes = {size: getattr(classifier, size) for size in _BATCH.values()}
    n_items = sizes.pop(_BATCH[kind])
    for size, n in sizes.items():
        if n is not None:
            raise ValueError(
                f"{size}={n!r} cannot be combined with {shown_limits}: give "
                f"{_BATCH[kind]}=, the number of {_SAMPLES[kind]} in the next batch."
            )
    if n_items is not None:
        n_items = check_count(_BATCH[kind], n_items)
        if n_items > 10**7:  # Takes a minute.
            text = f"{_BATCH[kind]} must be at most 10,000,000, got {n_items}"
            raise ValueError(f"{text}: leave it out for the long run.")
    confidence = classifier.confidence
    if confidence is not None:
        confidence = check_fraction("confidence", confidence)
    if kind != "rate":
        fraction = check_fraction(kind, limit)
        above = Fixed(1 - fraction if kind == "recall" else fraction)
        return Constraint(kind, above, n_items, confidence)
    if name == "rate":
        return Constraint(kind, check_rate(limit), n_items, confidence)
    number = check_count("capacity", limit)
    if n_items is None:
        raise ValueError(f"capacity={number} needs n_items=, the size of the batch.")
    if number > n_items:
        raise ValueError(f"capacity={number} must be at most n_items={n_items}.")
    return Constraint(kind, Fixed(number / n_items), n_items, confidence)


@dataclass(frozen=True)
class Cut:
    """A cut of the ``n`` validation scores, right above the ``place``-th largest.

    Scores are negated for recall (see `Constraint`).
    """

    constraint: Constraint
    n: int
    place: int
    threshold: float  # The minimum selected score, not negated.
    n_above: int
    n_tied: int

    @property
    def expected_fraction(self) -> float:
        """Expected value of the constrained fraction."""
        above = self.constraint.batch(self.n, self.place).mean
        # Without ties at the cut.
        return self.constraint.kept(self.n_above / self.n if self.n_tied > 1 else above)

    def interval(self, level: float) -> ConfidenceInterval:
        """Return the central interval of the constrained fraction in the next batch."""
        # The number above a tied score is bounded by two positions: the next higher
        # score, and the first of the tied scores in an arbitrary order.
        first = self.n_above if self.n_tied > 1 else self.place
        last = min(self.place, self.n_above + 1)
        batch, kept = self.constraint.batch, self.constraint.kept
        low = batch(self.n, first).interval(level).low
        high = batch(self.n, last).interval(level).high
        return ConfidenceInterval(*sorted((kept(low), kept(high))))

    def describe_waste(self) -> str:
        """Return a message if the threshold wastes capacity, otherwise ""."""
        if self.place == 0:
            return (
                f"No sample will be selected: {self.n} validation scores are too few. "
                "Use more, a higher rate or capacity, or a lower confidence."
            )
        # The first tied score is no loss, because the position could be right above
        # it. Ties that take less than a tenth of the allowed fraction are ignored.
        if min(self.place, self.n_above + 1) >= 0.9 * self.place:
            return ""
        kind = self.constraint.kind
        which = "None of these is selected, because all of these would be too many"
        if kind == "recall":
            which = "All of these are selected, because otherwise too many are missed"
        could = self.constraint.kept(self.place / (self.n + 1))
        return (
            f"{self.n_tied} of {self.n} validation {_SAMPLES[kind]} tie at the "
            f"threshold: use an estimator with finer scores. {which}: the "
            f"{_FRACTION[kind]} will be {self.expected_fraction:.3g} instead of "
            f"{could:.3g}."
        )


def find_cut(scores: Array, constraint: Constraint) -> Cut:
    """Return the cut of validation scores that satisfies the constraint."""
    scores = constraint.turned(scores)
    n = len(scores)
    place = constraint.place(n)
    at = scores.dtype.type(np.inf if place == 0 else -np.inf)
    if 0 < place <= n:
        at = np.partition(scores, n - place)[n - place]
    # For recall, a positive at the cut is selected. Otherwise a sample at the cut is
    # not, and the threshold is the next number in the precision of the scores, because
    # scores of either precision then compare alike.
    threshold = -at
    if constraint.kind != "recall":
        above = np.nextafter(at, scores.dtype.type(np.inf))
        threshold = above if place <= n else at
    return Cut(
        constraint=constraint,
        n=n,
        place=place,
        threshold=float(threshold),
        n_above=int(np.count_nonzero(scores > at)),
        n_tied=int(np.count_nonzero(scores == at)),
    )


def design_effect(scores: Array, clusters: IntArray, constraint: Constraint) -> float:
    """Return the number of clustered samples that count as one: d in the Notes above.

    The relative variance is taken at the constraint, and nearer to the median.
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
        # Tied scores at the threshold count in part as above it.
        is_tied, above = scores == at, (scores > at).astype(np.float64)
        above[is_tied] = (k - above.sum()) / np.count_nonzero(is_tied)
        excess = np.bincount(codes, above) - k / n * sizes
        independent = k * (n - k) / (n - 1) * (1 - 1 / len(sizes))
        effects.append(dot(excess, excess) / independent)
    dofs = np.array([n**2 / dot(sizes, sizes), n]) - 1
    by_clusters, by_samples = special.stdtrit(dofs, 0.95)
    return float(min(max(effects) * (by_clusters / by_samples) ** 2, n))


@dataclass(frozen=True)
class BatchDistribution:
    """Number of the next ``n_items`` above the ``place``-th largest of n scores.

    It is beta-binomial, the long-run fraction is beta. With clusters, place - 1 and
    n - place + 1 are divided by ``effect``.
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
        """Expected fraction above the score."""
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
        """Return the central interval of the fraction above the score."""
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if self._is_certain:
            low = high = self.mean
        elif self.n_items is None:
            low, high = special.betaincinv(*self.shapes, tails)
        else:
            cdf = np.cumsum(self.probabilities)
            ends = np.searchsorted(cdf, tails * (1 - ROUNDING))
            low, high = np.minimum(ends, self.n_items) / self.n_items
        return ConfidenceInterval(float(low), float(high))

    @property
    def _is_certain(self) -> bool:
        return self.place in (0, self.n + 1)
