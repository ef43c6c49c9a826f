"""RankBoost: a boosted classifier that orders pairs, hence maximises the AUC."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from skrate.data.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    RandomState,
)
from skrate.data.checks import (
    as_array,
    check_count,
    check_equal_length,
    check_fraction,
    check_generator,
    check_no_missing,
    check_number,
    check_positive,
    check_unmasked,
    check_weights,
    shown,
)
from skrate.data.ranking import check_groups
from skrate.inference.bound_metric import BoundMetric, bind
from skrate.metrics.auc import ranking_auc_score
from skrate.metrics.metric import is_known, named, suggest_names

# Rankers with smaller differences of |r| count as equally good, and the first is used.
# Otherwise rounding, and thus the order of the rows, would decide.
TIE = 1e-10
# One row for each round of boosting: its ranker lifts a sample by ``weight`` if
# x[feature] > threshold, or if x[feature] is missing and missing_above is true.
_FIELDS = {"feature": np.intp, "threshold": float, "missing_above": bool}
STUMP = np.dtype([*_FIELDS.items(), ("weight", float)])
# Valid features. Missing values are on one side of each threshold.
_NUMBERS: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": "allow-nan",
}


class RankBoostClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Boosted classifier that maximises the AUC.

    The score of a sample is a sum over weak rankers, each of which adds a weight if one
    feature is above a threshold. In each round, RankBoost [1]_ adds the ranker that
    best orders the pairs of a positive and a negative, and increases the weight of
    pairs in the wrong order, which minimises a bound of one minus the training AUC.
    :class:`~sklearn.ensemble.AdaBoostClassifier` instead weights misclassified samples.

    Parameters
    ----------
    n_estimators : int, default=100
        Maximum number of rounds. Each round adds one weak ranker.
    learning_rate : float, default=1.0
        Factor on the weight of each weak ranker, above 0 and at most 50. 1 is as
        published; a smaller factor often generalises better, with more rounds.
    max_bins : int, default=None
        Maximum number of bins for each feature, from 2 to 255, of about equal weight.
        Only thresholds between bins are tried, which needs less time and memory (one
        byte per value). None tries all thresholds between neighbouring values.
    n_iter_no_change : int, default=None
        Fitting stops if the best score of validation samples has not increased by more
        than `tol` in this number of rounds. None uses all samples for training.
    validation_fraction : float, default=0.1
        With `n_iter_no_change`, the fraction of the samples for validation, in (0, 1),
        drawn within each class. If `fit` gets `groups`, the fraction of the lists.
    scoring : str or callable, default=None
        Metric for early stopping, see Notes: a score function of this package, its
        name, or a :func:`functools.partial` of one; or a scorer, called as
        ``scorer(estimator, X, y)``, or its name in scikit-learn. None means the
        fraction of the validation pairs in the right order (the AUC).
    tol : float, default=1e-4
        Minimum increase of the score that counts as an improvement, at least 0.
    random_state : int, RandomState or Generator, default=None
        Seed or generator that draws the validation samples; the rest is not random.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels in sorted order. The second one is positive.
    estimators_ : structured ndarray of shape (n_rounds,)
        The weak ranker of each round, which adds ``weight`` to the score if ``feature``
        is above ``threshold``, or is missing and ``missing_above`` is True.
    n_estimators_ : int
        Number of weak rankers.
    normalisers_ : ndarray of shape (n_rounds,)
        Z of each round, see Notes. The product of all is an upper bound of the fraction
        of training pairs that are tied or in the wrong order.
    stop_reason_ : str
        Why fitting stopped: "n_estimators", "separable" (one threshold orders all
        pairs), "no_gain" (none is better than chance) or "no_improvement" (early
        stopping).
    slope_, offset_ : float
        Parameters of the probability, see Notes. The slope is above 0, and samples with
        the score ``offset_`` have the probability 0.5.
    validation_scores_ : ndarray of shape (n_rounds,)
        With `n_iter_no_change`, the score of the validation samples after each round.
    feature_importances_ : ndarray of shape (n_features,)
        The fraction of the decrease of the log of the bound that is due to a feature.
    n_features_in_, feature_names_in_ : int, ndarray
        Number and names of the features in `fit`.

    See Also
    --------
    sklearn.ensemble.AdaBoostClassifier : Boosts the same weak learners to classify.
    sklearn.ensemble.HistGradientBoostingClassifier : Boosts trees, which see
        interactions of features; RankBoost is additive in the features.

    Notes
    -----
    The initial weight of a pair of a positive i and a negative j is the product of
    their sample weights, divided by the sum of all products. In each round, the ranker
    h is selected: h(i) is 1 if the feature of sample i is above the threshold,
    otherwise 0. Let r be the mean of h(i) - h(j) over the pairs, by their weights. The
    ranker has the maximum :math:`|r|` (up to 1e-10; of several, the first). It gets the
    weight :math:`\alpha = \frac{1}{2}\ln\frac{1+r}{1-r}` (the "third method" of [1]_).
    The weights of the pairs are multiplied by exp(-α (h(i) - h(j))), and divided by
    their new sum Z. If :math:`|r| = 1`, fitting stops.

    In the limit of many rounds, and under natural conditions, AdaBoost has the same AUC
    in the training data as RankBoost [2]_.

    The score F of a sample is the sum of the weights of the rankers with h = 1. A
    logistic regression on F, with a very small penalty, is fitted to the training
    samples: P(positive) = expit(`slope_` (F - `offset_`)), too extreme if the model
    overfits.

    Early stopping does not remove the last rounds: for the best model, fit again with
    ``n_estimators=validation_scores_.argmax() + 1``. A metric of ``scoring`` is
    averaged over the lists if `fit` gets `groups`; a scorer gets ``sample_weight`` if
    `fit` does, and names of scikit-learn's scorers are for the second class. Both parts
    contain a sample of each class, or a list with both classes.

    A missing value (NaN) counts as above or below the threshold, whichever orders more
    pairs; if training has none, it is on the side with more weight. Cost of `fit`: one
    sort of each feature, and O(n_samples * n_features) for each round, with 8 bytes of
    memory per value (1 byte with `max_bins`).

    References
    ----------
    .. [1] Freund, Iyer, Schapire and Singer (2003), An efficient boosting algorithm
       for combining preferences, Journal of Machine Learning Research 4, 933-969.
    .. [2] Rudin and Schapire (2009), Margin-based ranking and an equivalence between
       AdaBoost and RankBoost, Journal of Machine Learning Research 10, 2193-2232.

    Examples
    --------
    The feature orders three of the four pairs correctly. The first ranker ties one of
    these three pairs, and the second ranker orders it:

    >>> from skrate import RankBoostClassifier
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]
    >>> model = RankBoostClassifier(n_estimators=2).fit(X, y)
    >>> model.estimators_["threshold"].tolist()
    [1.5, 3.5]
    >>> model.decision_function(X).argsort().tolist()
    [0, 1, 2, 3]
    """

    classes_: Array
    estimators_: Array
    normalisers_: FloatArray

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        learning_rate: float = 1.0,
        max_bins: int | None = None,
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        scoring: str | Callable[..., Any] | None = None,
        tol: float = 1e-4,
        random_state: RandomState = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_bins = max_bins
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.scoring = scoring
        self.tol = tol
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> RankBoostClassifier:
        """Find the weak rankers, and fit the probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training samples, not sparse. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Labels of two classes. The second label in sorted order is positive.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, at least 0. The weight of a pair is the product of
            two weights. None means equal weights.
        groups : array-like of shape (n_samples,), default=None
            Identifier of each sample's list, such as its query. Only pairs of samples
            in the same list count, with equal weights. None means one list.

        Returns
        -------
        self : RankBoostClassifier
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter is out of its range; if `X`, `y`, `sample_weight` or `groups`
            are invalid; if `y` does not have two classes of positive weight, or no list
            has both. With early stopping, if there are not enough samples or lists for
            two parts, or the score is nan.
        """
        self._check_parameters()
        check_unmasked("X", X)
        check_no_missing("y", y)
        if isinstance(y, list | tuple):
            y = as_array("y", y)
        rows, labels = validate_data(self, X, y, **_NUMBERS)
        given = sample_weight, groups
        samples, self.classes_ = check_training_samples(rows, labels, *given)
        rule = None
        if self.n_iter_no_change is not None:
            seed = int(check_generator(self.random_state).integers(2**31))
            has_weights, has_lists = (array is not None for array in given)
            parts = split_samples(samples, has_lists, self.validation_fraction, seed)
            train, held_out = map(samples.take, parts)
            rule = StoppingRule(self, train, held_out, has_weights, has_lists)
            samples = rule.train
        self._boost(samples, rule)
        scores = stump_scores(self.estimators_, samples.X)
        self.slope_, self.offset_ = fit_link(scores, samples.is_pos, samples.weights)
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the score of each sample, minus `offset_`.

        The second class is predicted if it is above 0.
        """
        X = self._check_new(X)
        return np.asarray(stump_scores(self.estimators_, X) - self.offset_)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probabilities, with a column for each class.

        The probability of the second class is expit(`slope_` * `decision_function`).
        """
        return np.asarray(expit(self._margins(X)))

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return the logarithm of `predict_proba`, which is finite for all scores."""
        return np.asarray(log_expit(self._margins(X)))

    def predict(self, X: ArrayLike) -> Array:
        """Return the class of each sample: the second if the score is above 0."""
        is_second = self.decision_function(X) > 0
        return np.asarray(self.classes_[is_second.astype(int)])

    def _margins(self, X: ArrayLike) -> FloatArray:
        """Return the log odds of each class."""
        scores = self.decision_function(X)
        return np.outer([-self.slope_, self.slope_], scores).T

    def staged_decision_function(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the scores after each round: an array of shape (n_samples,).

        `offset_` is subtracted in all rounds. The last array is equal to
        `decision_function`.
        """
        X = self._check_new(X)
        lifts = (stump["weight"] * is_above(stump, X) for stump in self.estimators_)
        return (scores - self.offset_ for scores in accumulate(lifts, np.add))

    @property
    def feature_importances_(self) -> FloatArray:
        """Decrease of the logarithm of the bound by each feature, as a fraction."""
        check_is_fitted(self)
        gain = -np.log(self.normalisers_)
        total = np.bincount(
            self.estimators_["feature"], weights=gain, minlength=self.n_features_in_
        )
        return np.asarray(total / total.sum() if len(gain) else total)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags

    def _check_parameters(self) -> None:
        check_count("n_estimators", self.n_estimators)
        # The exponential of the weight of a ranker is then a float.
        if check_positive("learning_rate", self.learning_rate) > 50:
            raise ValueError(
                f"learning_rate must be at most 50, got {shown(self.learning_rate)}."
            )
        n_bins = self.max_bins
        # A code is one byte, and one code stands for a missing value.
        if n_bins is not None and check_count("max_bins", n_bins, minimum=2) > 255:
            raise ValueError(f"max_bins must be at most 255, got {n_bins!r}.")
        if self.n_iter_no_change is not None:
            check_count("n_iter_no_change", self.n_iter_no_change)
        check_fraction("validation_fraction", self.validation_fraction)
        if check_number("tol", self.tol) < 0:
            raise ValueError(f"tol must be at least 0, got {shown(self.tol)}.")
        scoring = self.scoring
        if not (scoring is None or isinstance(scoring, str) or callable(scoring)):
            known = "None, a score function, its name, or a scorer or its name"
            raise ValueError(f"scoring must be {known}, got {shown(scoring)}.")

    def _check_new(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, **_NUMBERS, reset=False))

    def _boost(self, samples: TrainingCases, rule: StoppingRule | None) -> None:
        """Make rounds until `n_estimators` is reached or a rule stops the run."""
        with_pairs, has_pairs = samples, samples.has_pairs()
        if not has_pairs.all():
            # Only lists with both classes, with new codes.
            with_pairs = samples.take(has_pairs[samples.lists])
            codes = np.cumsum(has_pairs) - 1
            with_pairs = with_pairs._replace(lists=codes[with_pairs.lists])
        pairs = PairWeights(with_pairs)
        columns = prepare_columns(with_pairs.X, with_pairs.weights, self.max_bins)
        speed = float(self.learning_rate)
        stumps: list[Array] = []
        normalisers: list[float] = []
        self.stop_reason_ = "n_estimators"
        while len(stumps) < self.n_estimators:
            ranker = next_round(columns, pairs, with_pairs, speed)
            if ranker is None:
                self.stop_reason_ = "no_gain"
                break
            stump, normaliser, is_perfect = ranker
            stumps.append(stump)
            normalisers.append(normaliser)
            is_flat = rule is not None and rule.add(stump)
            if is_perfect:
                self.stop_reason_ = "separable"
                break
            if is_flat:
                self.stop_reason_ = "no_improvement"
                break
        self.estimators_ = np.array(stumps, dtype=STUMP)
        self.normalisers_ = np.array(normalisers, dtype=np.float64)
        self.n_estimators_ = len(stumps)
        if rule is not None:
            self.validation_scores_ = np.array(rule.scores)


def split_samples(
    samples: TrainingCases, has_lists: bool, fraction: float, seed: int
) -> tuple[IntArray, IntArray]:
    """Return the rows of the training part and of the validation part.

    Both parts have a pair. Samples are drawn within the classes. Lists are not divided,
    and are drawn within two kinds: lists with both classes, and lists with one.
    """
    rng = np.random.default_rng(seed)
    kinds, unit = samples.is_pos, "sample of each class"
    if has_lists:
        # Some codes have no samples.
        lists, list_of_sample = np.unique(samples.lists, return_inverse=True)
        kinds, unit = samples.has_pairs()[lists], "list with both classes"
    n_kinds = [int(np.count_nonzero(kinds == kind)) for kind in (True, False)]
    # All lists with one class may be in the same part, and there may be none.
    n_needed = n_kinds[0] if has_lists else min(n_kinds)
    if n_needed < 2:
        raise ValueError(
            f"Early stopping needs two parts with a {unit}, but there is {n_needed}: "
            "set n_iter_no_change=None, or give more samples."
        )
    is_out = np.zeros(len(kinds), dtype=bool)
    for kind, n_kind in zip((True, False), n_kinds, strict=True):
        n_out = round(fraction * n_kind)
        if kind or not has_lists:
            n_out = min(max(n_out, 1), n_kind - 1)
        is_out[rng.permutation(np.flatnonzero(kinds == kind))[:n_out]] = True
    if has_lists:
        is_out = is_out[list_of_sample]
    return np.flatnonzero(~is_out), np.flatnonzero(is_out)


def check_held_out_scoring(
    estimator: Any, scoring: Any, *, has_lists: bool
) -> Callable[..., float] | BoundMetric:
    """Return a scorer, or a score function of this package with its parameters."""
    function = scoring = named(scoring)
    while isinstance(function, partial):
        function = function.func
    if not is_known(function):
        if isinstance(scoring, str) and scoring not in get_scorer_names():
            hint = suggest_names(scoring, get_scorer_names())
            raise ValueError(f"scoring={scoring!r} is no metric, and no scorer{hint}")
        return check_scoring(estimator, scoring=scoring)  # type: ignore[no-any-return]
    metric = bind(scoring, {}, is_in_training=True)
    if metric.is_list_metric and not has_lists:
        name = function.__name__
        raise ValueError(f"scoring={name} is a mean over lists: pass groups to fit.")
    return metric


class StoppingRule(RankBoostClassifier):
    """The model after each round, for a scorer of the validation samples."""

    slope_, offset_ = 1.0, 0.0

    def __init__(
        self,
        model: RankBoostClassifier,
        train: TrainingCases,
        held_out: TrainingCases,
        has_weights: bool,
        has_lists: bool,
    ) -> None:
        self.has_weights, self.has_lists = has_weights, has_lists
        self.patience = check_count("n_iter_no_change", model.n_iter_no_change)
        self.tol = model.tol
        scoring, self.scorer, self.classes_ = model.scoring, None, model.classes_
        if scoring is not None:
            self.scorer = check_held_out_scoring(model, scoring, has_lists=has_lists)
        if isinstance(scoring, str):
            # For the names of scikit-learn, 1 is positive. Some need the label 1.
            self.classes_ = np.array([0, 1])
            held_out = held_out._replace(y=held_out.is_pos.astype(int))
        self.train, self.held_out = train, held_out
        self.of_train = np.zeros(len(train.y))
        self.of_held_out = np.zeros(len(held_out.y))
        self.scores: list[float] = []

    def decision_function(self, X: ArrayLike) -> FloatArray:
        if X is not self.held_out.X:
            raise ValueError("A scorer for early stopping must pass X unchanged.")
        return self.of_held_out - self.offset_

    def add(self, stump: Array) -> bool:
        """Add a ranker; return if the last ones raised the score by at most ``tol``."""
        train, held_out = self.train, self.held_out
        scores = self.of_held_out + stump["weight"] * is_above(stump, held_out.X)
        self.of_held_out = scores
        rows: dict[str, Any] = {"groups": held_out.lists} if self.has_lists else {}
        if self.has_weights:
            rows["sample_weight"] = held_out.weights
        if self.scorer is None:
            rows |= {"groups": held_out.lists, "average": "pairs"}
            score = ranking_auc_score(held_out.is_pos, scores, **rows)
        elif isinstance(self.scorer, BoundMetric):
            metric = self.scorer
            find = metric.list_mean if self.has_lists else metric.score_ranking
            sign = 1 if metric.greater_is_better else -1
            score = sign * find(held_out.is_pos, scores, **rows)
        else:
            self.of_train += stump["weight"] * is_above(stump, train.X)
            link = fit_link(self.of_train, train.is_pos, train.weights)
            self.slope_, self.offset_ = link
            rows.pop("groups", None)
            score = self.scorer(self, held_out.X, held_out.y, **rows)
        if np.isnan(score):
            # No later round would be better, and the run would not stop.
            raise ValueError(
                "Set another scoring, a larger validation_fraction or "
                f"n_iter_no_change=None: the score of {len(held_out.y)} samples is nan "
                f"in round {len(self.scores) + 1}."
            )
        self.scores.append(float(score))
        before, last = self.scores[: -self.patience], self.scores[-self.patience :]
        return bool(before) and max(last) <= max(before) + self.tol


def fit_link(
    scores: FloatArray, is_pos: BoolArray, weights: FloatArray
) -> tuple[float, float]:
    """Return slope and offset of a logistic regression of the class on the score.

    P(positive) = expit(slope (score - offset)), with a slope above zero.
    """
    weights = weights / weights.sum()
    prevalence = _sum(weights * is_pos)
    center = _sum(weights * scores)
    spread = float(np.sqrt(_sum(weights * (scores - center) ** 2)))
    if spread <= 1e-12 * max(1.0, abs(center)):
        return 1.0, center - float(logit(prevalence))
    standard = (scores - center) / spread
    slope, intercept = _logistic(standard, is_pos, weights, prevalence)
    if slope < 1e-3:
        # This can occur, because only pairs within lists were put in order.
        slope, intercept = 1e-3, float(logit(prevalence))
    return slope / spread, center - spread * intercept / slope


def _logistic(
    scores: FloatArray, is_pos: BoolArray, weights: FloatArray, prevalence: float
) -> tuple[float, float]:
    """Return slope and intercept that minimise the mean log loss and the penalty."""
    # For the squared slope, with scores of unit deviation. It changes an ordinary slope
    # by a thousandth, and makes the slope of separable data finite.
    penalty = 1e-4

    def loss(parameters: Array) -> tuple[float, Array]:
        margin = parameters[0] * scores + parameters[1]
        log_loss = _sum(weights * (np.logaddexp(0, margin) - is_pos * margin))
        residual = weights * (expit(margin) - is_pos)
        slope_part = _sum(residual * scores) + penalty * parameters[0]
        gradient = np.array([slope_part, residual.sum()])
        return log_loss + penalty / 2 * float(parameters[0]) ** 2, gradient

    def curvature(parameters: Array) -> Array:
        probability = expit(parameters[0] * scores + parameters[1])
        curve_weights = weights * probability * (1 - probability)
        cross = _sum(curve_weights * scores)
        first = _sum(curve_weights * scores**2) + penalty
        return np.array([[first, cross], [cross, curve_weights.sum()]])

    start = np.array([0.0, float(logit(prevalence))])
    options = {"jac": True, "hess": curvature, "options": {"gtol": 1e-8}}
    optimum = minimize(loss, start, method="trust-exact", **options)
    # One Newton step doubles the digits. Repeated rows and integer weights must agree
    # beyond the tolerance, although they are summed in different orders.
    last = optimum.x - np.linalg.solve(curvature(optimum.x), loss(optimum.x)[1])
    return float(last[0]), float(last[1])


def _sum(values: FloatArray) -> float:
    """Return the sum without a dot product, which would start threads of the BLAS."""
    return float(values.sum())


class TrainingCases(NamedTuple):
    """Samples of positive weight to learn from; ``lists`` are codes from 0."""

    X: Array
    y: Array  # The original labels.
    is_pos: BoolArray
    weights: FloatArray
    lists: IntArray

    def take(self, rows: IntArray | BoolArray) -> TrainingCases:
        """Return the samples in ``rows``."""
        columns: list[Array] = [column[rows] for column in self]
        return TrainingCases(*columns)

    def has_pairs(self) -> BoolArray:
        """Return which lists have both classes."""
        n_lists = int(self.lists.max()) + 1
        n_pos = np.bincount(self.lists, weights=self.is_pos, minlength=n_lists)
        n_all = np.bincount(self.lists, minlength=n_lists)
        return np.asarray((n_pos > 0) & (n_pos < n_all))


def check_training_samples(
    X: Array, y: Array, sample_weight: ArrayLike | None, groups: ArrayLike | None
) -> tuple[TrainingCases, Array]:
    """Return the samples of positive weight, and the two classes."""
    if y.dtype.kind in "mM":
        raise ValueError(f"y must have labels of two classes, got dtype {y.dtype}.")
    check_classification_targets(y)
    n = len(y)
    weights, lists = np.ones(n), np.zeros(n, dtype=np.intp)
    if sample_weight is not None:
        weights = check_weights("sample_weight", sample_weight)
        check_equal_length(X=X, sample_weight=weights)
    if groups is not None:
        lists = check_groups("groups", groups).codes
        check_equal_length(X=X, groups=lists)
    counts = weights > 0
    if not counts.all():
        X, y, weights, lists = X[counts], y[counts], weights[counts], lists[counts]
    classes = np.unique(y)
    if len(classes) > 2:
        text = "Only binary classification is supported. The type of the target is"
        raise ValueError(f"{text} {type_of_target(y)}.")
    if len(classes) < 2:
        text = "y must have two classes of positive weight, got one class"
        raise ValueError(f"{text}: {shown(classes[0])}.")
    samples = TrainingCases(X, y, y == classes[1], weights, lists)
    if not samples.has_pairs().any():
        raise ValueError("groups must have a list with both classes.")
    return samples, classes


def next_round(
    columns: list[Column], pairs: PairWeights, samples: TrainingCases, speed: float
) -> tuple[Array, float, bool] | None:
    """Return a weak ranker by the "third method", and update the weights of pairs.

    The result is a row of ``estimators_``, the normaliser Z, and if the ranker orders
    all pairs; or None if no ranker orders the weighted pairs better than chance.
    """
    if not columns:
        return None
    best_r, column, candidate, missing_above = best_ranker(columns, pairs.signed)
    if abs(best_r) <= TIE:
        return None
    # A ranker that orders every pair would get an infinite weight.
    r = float(np.clip(best_r, TIE - 1, 1 - TIE))
    alpha = speed * 0.5 * float(np.log((1 + r) / (1 - r)))
    above = column.above(candidate, missing_above)
    normaliser = pairs.update(above, alpha)
    if not column.has_missing:
        # Training data had no missing values: use the side with more weight.
        missing_above = 2 * samples.weights[above].sum() > samples.weights.sum()
    threshold = column.thresholds[candidate]
    stump = np.array((column.feature, threshold, missing_above, alpha), dtype=STUMP)
    return stump, normaliser, r != best_r


class PairWeights:
    """A distribution over the pairs of each list, factored into weights of samples.

    In list g the pair of positive i and negative j has the weight c_g v_i v_j. The v of
    each class of a list sum to one, and so do the c_g. For a ranker h the expected
    difference within a pair is r = sum of d h, where d is ``signed``: c_g v for
    positives, -c_g v for negatives. The initial weight of a pair is proportional to the
    product of the two weights. Each list has both classes.
    """

    def __init__(self, samples: TrainingCases) -> None:
        is_pos = samples.is_pos
        n_cells = 2 * (int(samples.lists.max()) + 1)
        cells = 2 * samples.lists + is_pos
        # Relative to the maximum of the class and list, to prevent overflow of sums.
        log_weights = np.log(samples.weights)
        top = np.full(n_cells, -np.inf)
        np.maximum.at(top, cells, log_weights)
        scaled = np.exp(log_weights - top[cells])
        totals = np.bincount(cells, weights=scaled, minlength=n_cells)
        log_totals = (np.log(totals) + top).reshape(-1, 2).sum(axis=1)
        self._list_weights = np.exp(log_totals - log_totals.max())
        self._list_weights /= self._list_weights.sum()
        scale = np.repeat(self._list_weights, 2) / totals
        self.signed: FloatArray = np.where(is_pos, scaled, -scaled) * scale[cells]
        # Four keys for each list: class of the sample, and if a ranker lifts it.
        self._keys = 2 * cells
        self._sign = np.array([-1.0, 1.0])

    def update(self, above: BoolArray, alpha: float) -> float:
        """Multiply each pair by exp(alpha (h of negative - h of positive)), h=above.

        Return the sum of the products, the normaliser Z. The new weights are divided by
        Z, hence sum to one.
        """
        keys = self._keys + above
        n_lists = len(self._list_weights)
        sums = np.bincount(keys, weights=self.signed, minlength=4 * n_lists)
        # Axes: list, class, lifted.
        sums = np.abs(sums.reshape(n_lists, 2, 2))
        factor = np.ones((1, 2, 2))
        factor[0, :, 1] = np.exp(-alpha * self._sign)
        # The weight of each class in its list after the update, relative to before.
        # A list with all pairs in order may reach a weight of zero: 0 / 0.
        with np.errstate(invalid="ignore", divide="ignore"):
            fractions = (sums * factor).sum(axis=2) / self._list_weights[:, None]
            growth = np.where(self._list_weights > 0, fractions.prod(axis=1), 0.0)
            normaliser = float((self._list_weights * growth).sum())
            growth /= normaliser
            scale = factor * (growth[:, None] / fractions)[:, :, None]
        self._list_weights *= growth
        self.signed *= np.nan_to_num(scale, posinf=0.0).ravel()[keys]
        return normaliser


def best_ranker(
    columns: list[Column], signed: FloatArray
) -> tuple[float, Column, int, bool]:
    """Return the largest absolute r, its column and threshold, and the missing side.

    The ranker is 1 above the threshold, and 0 elsewhere. If several are equally good,
    return the first: lower feature, lower threshold, missing values below.
    """
    reach = np.empty(len(columns))
    for i, column in enumerate(columns):
        # The largest |r| over both sides for missing values.
        below, missing = column.below(signed)
        low, high = float(below.min()), float(below.max())
        reach[i] = max(high, -low, high + missing, -low - missing)
    enough = reach.max() - TIE
    column = columns[int(np.argmax(reach >= enough))]
    below, missing = column.below(signed)
    # All weights sum to zero, so the sum above is minus the sum below.
    r_missing_below, r_missing_above = -(below + missing), -below
    is_best = np.abs(r_missing_below) >= enough
    candidate = int(np.argmax(is_best | (np.abs(r_missing_above) >= enough)))
    missing_above = not is_best[candidate]
    r = (r_missing_above if missing_above else r_missing_below)[candidate]
    return float(r), column, candidate, missing_above


class Column:
    """A feature prepared for the search: candidates are its thresholds, ascending.

    ``order`` are the samples by increasing value, with missing values last; ``ordered``
    are the values in this order, without missing ones; ``ends`` are the last positions
    below each threshold. If values are missing, the first threshold is minus infinity,
    which separates them from all numbers. A sample has a code, the number of its bin
    between thresholds; missing values have the last code.
    """

    def __init__(
        self, feature: int, order: IntArray, ordered: Array, ends: IntArray
    ) -> None:
        self.feature, self.has_missing = feature, len(ordered) < len(order)
        lower = ordered[ends].astype(np.float64)
        upper = ordered[ends + 1].astype(np.float64)
        middle = lower / 2 + upper / 2
        # lower <= threshold < upper, halfway if floats allow it.
        is_between = (lower <= middle) & (middle < upper)
        self.thresholds: FloatArray = np.where(is_between, middle, lower)
        if self.has_missing:
            self.thresholds = np.concatenate([[-np.inf], self.thresholds])
        self._n_bins = len(ends) + 1
        # Samples in order fill one bin after the other; missing values are last.
        limits = np.concatenate([[0], ends + 1, [len(ordered), len(order)]])
        kind = np.uint8 if self._n_bins <= np.iinfo(np.uint8).max else np.intp
        self._codes: Array = np.empty(len(order), dtype=kind)
        codes = np.arange(self._n_bins + 1, dtype=kind)
        self._codes[order] = np.repeat(codes, np.diff(limits))

    def below(self, signed: FloatArray) -> tuple[FloatArray, float]:
        """Return the sums of ``signed`` below each threshold and of missing values."""
        n_bins = self._n_bins
        sums = np.bincount(self._codes, weights=signed, minlength=n_bins + 1)
        running: FloatArray = np.cumsum(sums[: n_bins - 1], dtype=np.float64)
        if self.has_missing:
            running = np.concatenate([[0.0], running])
        return running, float(sums[n_bins])

    def above(self, candidate: int, missing_above: bool) -> BoolArray:
        """Return which samples are above the threshold."""
        above = self._codes > candidate - self.has_missing
        if self.has_missing:
            above[self._codes == self._n_bins] = missing_above
        return np.asarray(above)


def prepare_columns(
    X: Array, weights: FloatArray, max_bins: int | None
) -> list[Column]:
    """Return the features with a threshold, in bins if ``max_bins`` is not None."""
    columns: list[Column] = []
    for feature in range(X.shape[1]):
        column = np.ascontiguousarray(X[:, feature])
        order = np.argsort(column)
        n_present = len(column) - int(np.isnan(column).sum())
        ordered = column[order[:n_present]]
        # The last position of each distinct value.
        ends = np.flatnonzero(ordered[1:] != ordered[:-1])
        # A feature needs two values; one may be missing.
        if len(ends) == 0 and not 0 < n_present < len(column):
            continue
        if max_bins is not None and len(ends) >= max_bins:
            # Bins of about equal weight. Because of the tolerance, repeated rows and
            # integer weights are cut at the same values.
            mass = np.cumsum(weights[order[:n_present]])
            targets = np.arange(1, max_bins) / max_bins * mass[-1] * (1 - 1e-9)
            first = np.searchsorted(mass[ends], targets)
            ends = ends[np.unique(first[first < len(ends)])]
        columns.append(Column(feature, order, ordered, ends))
    return columns


def stump_scores(stumps: Array, X: Array) -> FloatArray:
    """Return for each sample the sum of the weights of the rankers that lift it."""
    scores = np.zeros(X.shape[0])
    for feature in np.unique(stumps["feature"]):
        rankers = stumps[stumps["feature"] == feature]
        rankers = rankers[np.argsort(rankers["threshold"], kind="stable")]
        column = np.ascontiguousarray(X[:, feature], dtype=np.float64)
        running = np.concatenate([[0.0], np.cumsum(rankers["weight"])])
        gain = running[np.searchsorted(rankers["threshold"], column)]
        is_missing = np.isnan(column)
        gain[is_missing] = rankers["weight"][rankers["missing_above"]].sum()
        scores += gain
    return scores


def is_above(stump: Array, X: Array) -> BoolArray:
    """Return which samples one ranker lifts."""
    feature = X[:, stump["feature"]].astype(np.float64)
    above = feature > stump["threshold"]
    if stump["missing_above"]:
        above |= np.isnan(feature)
    return np.asarray(above)
