"""RankBoost: a classifier that is boosted to order pairs, hence to maximise the AUC."""

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

# Rankers whose |r| differ by less count as equally good, and the first is taken:
# rounding must not decide, or the order of the rows would.
TIE = 1e-10
# Codes are one byte, and one of them stands for a missing value.
MAX_BINS = 255
# One row for each round of boosting: its ranker lifts a case by ``weight`` if
# x[feature] > threshold, or if x[feature] is missing and missing_above is true.
STUMP = np.dtype(
    [
        ("feature", np.intp),
        ("threshold", np.float64),
        ("missing_above", np.bool_),
        ("weight", np.float64),
    ]
)
# What features may be: missing values are one side of each threshold.
_NUMBERS: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": "allow-nan",
}


class RankBoostClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Boosted classifier that maximises the AUC.

    Bipartite RankBoost with thresholds on single features as weak rankers. Where
    :class:`~sklearn.ensemble.AdaBoostClassifier` gives weight to cases that are on
    the wrong side, RankBoost gives weight to pairs of a positive and a negative in
    the wrong order: the loss it bounds is one minus the training AUC.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds, hence of weak rankers, at most.
    learning_rate : float, default=1.0
        Factor on the weight of each weak ranker, above 0 and at most 50. 1 is the
        algorithm as published; less often generalises better and needs more rounds.
    max_bins : int, default=None
        Cut each feature into at most this many bins of about equal weight, from 2
        to 255; a bin is one byte, which makes large samples fast and small. None
        tries a threshold between any two neighbouring values.
    n_iter_no_change : int, default=None
        Hold cases out, and stop when none of this many rounds in a row has raised
        their best score by more than `tol`. None makes all rounds on all cases.
    validation_fraction : float, default=0.1
        With `n_iter_no_change`, the share of the cases held out, in (0, 1), drawn
        within the classes; with `groups`, of the lists. At least one case of each
        class, or list of both, is held out and one is trained on.
    scoring : str or callable, default=None
        What is asked of the held-out cases: a score function of this package, its name,
        or a :func:`functools.partial` of one, averaged over the lists if `fit` got
        `groups`; a name of scikit-learn's, of the second class; or a scorer, called as
        ``scorer(estimator, X, y)``, with ``sample_weight`` if `fit` got one. None is
        the share of held-out pairs in order, within lists if there are.
    tol : float, default=1e-4
        Gain of the score that counts as one, at least 0.
    random_state : int, RandomState or Generator, default=None
        Draws the held-out cases; nothing else is random.
    verbose : int, default=0
        1 prints the first ten rounds and every tenth, 2 prints all.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels, sorted; the second is the positive one.
    estimators_ : structured ndarray of shape (n_rounds,)
        The weak rankers in the order found. Each adds its ``weight`` to the score of
        cases whose ``feature`` is above ``threshold``, and of those without a value if
        ``missing_above``.
    n_estimators_ : int
        Number of weak rankers made.
    normalisers_ : ndarray of shape (n_rounds,)
        Factor by which each round lowered the bound on the share of training pairs in
        the wrong order, ties included, which is their product.
    stop_reason_ : str
        "n_estimators" (all rounds made), "separable" (one threshold orders every
        pair), "no_gain" (no threshold beats chance) or "no_improvement".
    slope_ : float
        Slope of the fitted link, above 0.
    offset_ : float
        Score at which the fitted probability is one half.
    validation_scores_ : ndarray of shape (n_rounds,)
        With `n_iter_no_change`, score of the held-out cases after each round of this
        call of `fit`.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the fall of the logarithm of the loss bound.
    n_features_in_, feature_names_in_ : int, ndarray
        As of any estimator.

    See Also
    --------
    sklearn.ensemble.AdaBoostClassifier : Boosts the same weak learners to classify.
    sklearn.ensemble.HistGradientBoostingClassifier : Boosts trees, which see
        interactions of features; RankBoost is additive in the features.

    Notes
    -----
    Every pair of a positive i and a negative j starts with the product of their
    weights, made to sum to one. Each round takes the threshold ranker h, with values
    0 and 1, of the largest :math:`|r|`, where r is the weighted mean of
    h(i) - h(j), gives it the weight :math:`\alpha = \frac{1}{2}\ln\frac{1+r}{1-r}`
    (the "third method" of [1]_), and multiplies the weight of each pair by
    exp(-α (h(i) - h(j))) / Z. Rankers whose :math:`|r|` agree to 1e-10 count as equally
    good; the first is taken. One with :math:`|r| = 1` ends the run.

    The ranking score F is the sum of the weights of the rankers that lift a case. A
    logistic regression of the class on F, all but unpenalised, is fitted on the
    training cases: P(positive) = expit(`slope_` (F - `offset_`)), too extreme where the
    model overfits.

    Early stopping ends the run, and takes no round back: the best model is one with
    ``n_estimators=validation_scores_.argmax() + 1``.

    A missing value (NaN) goes to the side of the threshold where it orders more
    pairs; if the feature had none in training, to the side with more of the cases.
    The cost of `fit` is a sort of each feature and O(n_samples * n_features) a round,
    with 8 bytes of memory a value (with `max_bins`, 1 byte).

    References
    ----------
    .. [1] Freund, Y., Iyer, R., Schapire, R. E. and Singer, Y. (2003). An efficient
       boosting algorithm for combining preferences. Journal of Machine Learning
       Research 4, 933-969.

    Examples
    --------
    The first feature orders three of the four pairs. The first ranker ties one of
    them, the second sets this right:

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
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_bins = max_bins
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.scoring = scoring
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> RankBoostClassifier:
        """Find the weak rankers and fit the link.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense; NaN is a missing value.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the cases, not negative; a pair has the product.
        groups : array-like of shape (n_samples,), default=None
            The list of each case. Only pairs within a list are put in order, each of
            them counting the same. None takes all cases as one list.

        Returns
        -------
        self : RankBoostClassifier
            The fitted estimator.

        Raises
        ------
        TypeError
            If `X` is sparse.
        ValueError
            If a parameter is out of its range, `X`, `y`, `sample_weight` or `groups`
            differ in length or contain invalid values, `y` does not have two classes
            with weight, or no list has both. With early stopping, if there are too few
            cases or lists to hold some out, or their score is nan.
        """
        self._check_parameters()
        check_unmasked("X", X)
        check_no_missing("y", y)
        if isinstance(y, list | tuple):
            y = as_array("y", y)
        data, labels = validate_data(self, X, y, **_NUMBERS)
        cases, self.classes_ = check_training_cases(data, labels, sample_weight, groups)
        rule = None
        if self.n_iter_no_change is not None:
            seed = int(check_generator(self.random_state).integers(2**31))
            train, held_out = split_cases(
                cases, groups is not None, self.validation_fraction, seed
            )
            has_given = sample_weight is not None, groups is not None
            rule = StoppingRule(
                self, cases.take(train), cases.take(held_out), *has_given
            )
            cases = rule.train
        self._boost(cases, rule)
        scores = stump_scores(self.estimators_, cases.X)
        self.slope_, self.offset_ = fit_link(scores, cases.is_pos, cases.weights)
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the ranking score of shape (n_samples,), minus `offset_`.

        Above 0 the second class is predicted. A missing value in ``X`` is NaN.
        """
        X = self._check_new(X)
        return np.asarray(stump_scores(self.estimators_, X) - self.offset_)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probability of each class by the fitted link.

        For the second class, in the last of two columns, it is expit(`slope_` *
        `decision_function`).
        """
        margin = self._margin(X)
        return np.column_stack([expit(-margin), expit(margin)])

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return the logarithm of `predict_proba`, finite however extreme the score."""
        margin = self._margin(X)
        return np.column_stack([log_expit(-margin), log_expit(margin)])

    def predict(self, X: ArrayLike) -> Array:
        """Return the class: the second where `decision_function` is above 0."""
        is_second = self.decision_function(X) > 0
        return np.asarray(self.classes_[is_second.astype(int)])

    def _margin(self, X: ArrayLike) -> FloatArray:
        """Return the log odds of the second class."""
        scores = self.decision_function(X)
        return np.asarray(self.slope_ * scores)

    def staged_decision_function(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Return the ranking score after each round, one array after another.

        The offset of the whole model is taken off in all rounds, so that the last array
        equals `decision_function`.
        """
        X = self._check_new(X)
        lifts = (stump["weight"] * is_above(stump, X) for stump in self.estimators_)
        return (scores - self.offset_ for scores in accumulate(lifts, np.add))

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the fall of the logarithm of the loss bound."""
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
        if n_bins is not None and check_count("max_bins", n_bins, minimum=2) > MAX_BINS:
            raise ValueError(f"max_bins must be at most {MAX_BINS}, got {n_bins!r}.")
        if self.n_iter_no_change is not None:
            check_count("n_iter_no_change", self.n_iter_no_change)
        check_fraction("validation_fraction", self.validation_fraction)
        if check_number("tol", self.tol) < 0:
            raise ValueError(f"tol must be at least 0, got {shown(self.tol)}.")
        scoring = self.scoring
        if not (scoring is None or isinstance(scoring, str) or callable(scoring)):
            raise ValueError(
                "scoring must be None, a score function, its name, the name of a "
                f"scorer or a function (estimator, X, y), got {shown(scoring)}."
            )
        if not isinstance(self.verbose, bool):
            check_count("verbose", self.verbose, minimum=0)

    def _check_new(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, **_NUMBERS, reset=False))

    def _boost(self, cases: TrainingCases, rule: StoppingRule | None) -> None:
        """Make rounds until there are enough, or a reason to stop."""
        with_pairs = cases.drop_unpaired()
        pairs = PairWeights(with_pairs)
        columns = prepare_columns(with_pairs.X, with_pairs.weights, self.max_bins)
        speed = float(self.learning_rate)
        stumps: list[Array] = []
        normalisers: list[float] = []
        self.stop_reason_ = "n_estimators"
        while len(stumps) < self.n_estimators:
            found = next_round(columns, pairs, with_pairs, speed)
            if found is None:
                self.stop_reason_ = "no_gain"
                break
            stumps.append(found.stump)
            normalisers.append(found.normaliser)
            held_out_score = None if rule is None else rule.add(found.stump)
            self._report(len(stumps), normalisers, held_out_score)
            if found.is_perfect:
                self.stop_reason_ = "separable"
                break
            if rule is not None and rule.should_stop():
                self.stop_reason_ = "no_improvement"
                break
        self.estimators_ = np.array(stumps, dtype=STUMP)
        self.normalisers_ = np.array(normalisers, dtype=np.float64)
        self.n_estimators_ = len(stumps)
        if rule is not None:
            self.validation_scores_ = np.array(rule.scores)

    def _report(
        self, n_rounds: int, normalisers: list[float], held_out_score: float | None
    ) -> None:
        if not self.verbose or (self.verbose < 2 and n_rounds > 10 and n_rounds % 10):
            return
        with np.errstate(over="ignore"):
            bound = np.prod(normalisers)
        line = f"round {n_rounds:>5}  loss bound {bound:.3g}"
        if held_out_score is not None:
            line += f"  held-out score {held_out_score:.6g}"
        print(line)  # noqa: T201


def split_cases(
    cases: TrainingCases, has_lists: bool, fraction: float, seed: int
) -> tuple[IntArray, IntArray]:
    """Return the rows to train on and the rows held out, whole lists if there are.

    Both parts hold a pair. Cases are drawn within the classes, lists within those that
    have both classes and those that do not.
    """
    rng = np.random.default_rng(seed)
    kinds, what = cases.is_pos, "case of each class"
    if has_lists:
        # Some codes have no cases.
        lists, list_of_case = np.unique(cases.lists, return_inverse=True)
        kinds, what = cases.has_pairs()[lists], "list of both classes"
    n_kinds = [int(np.count_nonzero(kinds == kind)) for kind in (True, False)]
    # Lists of one class may all be on one side, or lack.
    n_needed = n_kinds[0] if has_lists else min(n_kinds)
    if n_needed < 2:
        raise ValueError(
            f"Early stopping holds out at least one {what} and trains on at least one, "
            f"but there is {n_needed}: set n_iter_no_change=None, or give more cases."
        )
    is_out = np.zeros(len(kinds), dtype=bool)
    for kind, n_kind in zip((True, False), n_kinds, strict=True):
        n_out = round(fraction * n_kind)
        if kind or not has_lists:
            n_out = min(max(n_out, 1), n_kind - 1)
        is_out[rng.permutation(np.flatnonzero(kinds == kind))[:n_out]] = True
    if has_lists:
        is_out = is_out[list_of_case]
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
            raise ValueError(
                f"scoring={scoring!r} is the name of no metric of this package and no "
                f"scorer{suggest_names(scoring, get_scorer_names())}"
            )
        return check_scoring(estimator, scoring=scoring)  # type: ignore[no-any-return]
    found = bind(scoring, {}, is_in_training=True)
    if found.is_list_metric and not has_lists:
        raise ValueError(
            f"scoring={function.__name__} is a mean over lists: pass groups to fit, or "
            "score a single ranking."
        )
    return found


class StoppingRule(RankBoostClassifier):
    """The model so far, as a scorer of the held-out cases sees it after each round."""

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
            # For scikit-learn's names 1 is positive, and some know no other label.
            self.classes_ = np.array([0, 1])
            held_out = held_out._replace(y=held_out.is_pos.astype(int))
        self.train, self.held_out = train, held_out
        self.of_train = np.zeros(len(train.y))
        self.of_held_out = np.zeros(len(held_out.y))
        self.scores: list[float] = []

    def decision_function(self, X: ArrayLike) -> FloatArray:
        if X is not self.held_out.X:
            raise ValueError("A scorer for early stopping must pass X as it got it.")
        return self.of_held_out - self.offset_

    def add(self, stump: Array) -> float:
        """Add a ranker, and return the score of the model with it."""
        train, held_out = self.train, self.held_out
        scores = self.of_held_out + stump["weight"] * is_above(stump, held_out.X)
        self.of_held_out = scores
        if self.scorer is None:
            score = ranking_auc_score(
                held_out.is_pos,
                scores,
                groups=held_out.lists,
                average="pairs",
                sample_weight=held_out.weights,
            )
        elif isinstance(self.scorer, BoundMetric):
            score = self._held_out_score(self.scorer, scores)
        else:
            self.of_train += stump["weight"] * is_above(stump, train.X)
            self.slope_, self.offset_ = fit_link(
                self.of_train, train.is_pos, train.weights
            )
            weights = {"sample_weight": held_out.weights} if self.has_weights else {}
            score = self.scorer(self, held_out.X, held_out.y, **weights)
        if np.isnan(score):
            # No round would ever be better, nor the run end.
            raise ValueError(
                f"The score of the {len(held_out.y)} held-out cases is nan in round "
                f"{len(self.scores) + 1}: early stopping needs a number. Set another "
                "scoring, a larger validation_fraction or n_iter_no_change=None."
            )
        self.scores.append(float(score))
        return self.scores[-1]

    def _held_out_score(self, metric: BoundMetric, scores: FloatArray) -> float:
        """Return a metric of the held-out cases, greater where it is better."""
        held_out = self.held_out
        weights = held_out.weights if self.has_weights else None
        if self.has_lists:
            value = metric.list_mean(
                held_out.is_pos, scores, groups=held_out.lists, sample_weight=weights
            )
        else:
            value = metric.score_ranking(held_out.is_pos, scores, sample_weight=weights)
        return value if metric.greater_is_better else -value

    def should_stop(self) -> bool:
        """Return whether none of the last rounds beat the best before by ``tol``."""
        if len(self.scores) <= self.patience:
            return False
        before = max(self.scores[: -self.patience])
        return max(self.scores[-self.patience :]) <= before + self.tol


def fit_link(
    scores: FloatArray, is_pos: BoolArray, weights: FloatArray
) -> tuple[float, float]:
    """Return slope and offset of a logistic regression of the class on the score.

    P(positive) = expit(slope (score - offset)), with a slope above zero.
    """
    shares = weights / weights.sum()
    prevalence = _sum(shares * is_pos)
    center = _sum(shares * scores)
    spread = float(np.sqrt(_sum(shares * (scores - center) ** 2)))
    if spread <= 1e-12 * max(1.0, abs(center)):
        return 1.0, center - float(logit(prevalence))
    standard = (scores - center) / spread
    slope, intercept = _logistic(standard, is_pos, shares, prevalence)
    if slope < 1e-3:
        # Pairs within lists say nothing on lists against each other, so this occurs.
        slope, intercept = 1e-3, float(logit(prevalence))
    return slope / spread, center - spread * intercept / slope


def _logistic(
    scores: FloatArray, is_pos: BoolArray, shares: FloatArray, prevalence: float
) -> tuple[float, float]:
    """Return slope and intercept that minimise the mean log loss and the penalty."""
    # On the squared slope for scores of unit deviation: moves an ordinary slope by a
    # thousandth, and keeps a separable sample's finite.
    penalty = 1e-4

    def loss(parameters: Array) -> tuple[float, Array]:
        margin = parameters[0] * scores + parameters[1]
        value = _sum(shares * (np.logaddexp(0, margin) - is_pos * margin))
        residual = shares * (expit(margin) - is_pos)
        slope_part = _sum(residual * scores) + penalty * parameters[0]
        gradient = np.array([slope_part, residual.sum()])
        return value + penalty / 2 * float(parameters[0]) ** 2, gradient

    def curvature(parameters: Array) -> Array:
        probability = expit(parameters[0] * scores + parameters[1])
        weight = shares * probability * (1 - probability)
        cross = _sum(weight * scores)
        first = _sum(weight * scores**2) + penalty
        return np.array([[first, cross], [cross, weight.sum()]])

    start = np.array([0.0, float(logit(prevalence))])
    options = {"jac": True, "hess": curvature, "options": {"gtol": 1e-8}}
    found = minimize(loss, start, method="trust-exact", **options)
    # Newton's step from there doubles the digits: repeated rows and integer weights,
    # summed in different orders, must agree to more than the tolerance.
    last = found.x - np.linalg.solve(curvature(found.x), loss(found.x)[1])
    return float(last[0]), float(last[1])


def _sum(values: FloatArray) -> float:
    """Return the sum; a product of vectors would start the threads of the BLAS."""
    return float(values.sum())


class TrainingCases(NamedTuple):
    """Cases to learn from, all of positive weight; ``lists`` are codes from 0."""

    X: Array
    y: Array  # The labels as they were given.
    is_pos: BoolArray
    weights: FloatArray
    lists: IntArray

    def take(self, rows: IntArray | BoolArray) -> TrainingCases:
        """Return some of the cases."""
        parts: list[Array] = [array[rows] for array in self]
        return TrainingCases(*parts)

    def has_pairs(self) -> BoolArray:
        """Return for each list whether it has both classes."""
        n_lists = int(self.lists.max()) + 1
        n_pos = np.bincount(self.lists, weights=self.is_pos, minlength=n_lists)
        n_all = np.bincount(self.lists, minlength=n_lists)
        return np.asarray((n_pos > 0) & (n_pos < n_all))

    def drop_unpaired(self) -> TrainingCases:
        """Return the cases whose list has both classes, lists renumbered."""
        has_pairs = self.has_pairs()
        if has_pairs.all():
            return self
        kept = self.take(has_pairs[self.lists])
        number = np.cumsum(has_pairs) - 1
        return kept._replace(lists=number[kept.lists])


def check_training_cases(
    X: Array, y: Array, sample_weight: ArrayLike | None, groups: ArrayLike | None
) -> tuple[TrainingCases, Array]:
    """Return the cases of positive weight, and the two classes."""
    if y.dtype.kind in "mM":
        raise ValueError(f"y must hold labels of two classes, found dtype {y.dtype}.")
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
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}."
        )
    if len(classes) < 2:
        raise ValueError(
            "y must hold two classes of positive weight, found one class: "
            f"{shown(classes[0])}."
        )
    cases = TrainingCases(X, y, y == classes[1], weights, lists)
    if not cases.has_pairs().any():
        raise ValueError("groups leaves no pair to order: no list has both classes.")
    return cases, classes


class Round(NamedTuple):
    """A weak ranker found: a row for the estimator, and the normaliser Z."""

    stump: Array
    normaliser: float
    is_perfect: bool


def next_round(
    columns: list[Column], pairs: PairWeights, cases: TrainingCases, speed: float
) -> Round | None:
    """Find a weak ranker by the "third method", and turn to the pairs still wrong.

    None if no ranker orders the weighted pairs better than chance.
    """
    found = best_ranker(columns, pairs.signed)
    if found is None or abs(found.r) <= TIE:
        return None
    # A ranker that orders every pair would get an infinite weight.
    r = float(np.clip(found.r, TIE - 1, 1 - TIE))
    alpha = speed * 0.5 * float(np.log((1 + r) / (1 - r)))
    column, missing_above = columns[found.column], found.missing_above
    above = column.above(found.candidate, missing_above)
    normaliser = pairs.update(above, alpha)
    if not column.has_missing:
        # Nothing is learned of missing values: they go with most of the weight.
        missing_above = 2 * cases.weights[above].sum() > cases.weights.sum()
    threshold = column.thresholds[found.candidate]
    stump = np.array((column.feature, threshold, missing_above, alpha), dtype=STUMP)
    return Round(stump, normaliser, r != found.r)


class PairWeights:
    """A distribution over the pairs of each list, factored into weights of cases.

    In list g the pair of positive i and negative j has the weight c_g v_i v_j, where
    the v of each class of the list sum to one, as do the c_g. For a ranker h the
    expected difference within a pair is r = sum of d h, where ``signed`` holds d: c_g v
    for positives, -c_g v for negatives. A pair starts with the product of its weights.
    Each list has both classes.
    """

    def __init__(self, cases: TrainingCases) -> None:
        is_pos = cases.is_pos
        n_cells = 2 * (int(cases.lists.max()) + 1)
        cells = 2 * cases.lists + is_pos
        # Relative to the maximum of the class and list, so that no sum overflows.
        log_weights = np.log(cases.weights)
        top = np.full(n_cells, -np.inf)
        np.maximum.at(top, cells, log_weights)
        values = np.exp(log_weights - top[cells])
        totals = np.bincount(cells, weights=values, minlength=n_cells)
        log_totals = (np.log(totals) + top).reshape(-1, 2).sum(axis=1)
        self._list_weights = np.exp(log_totals - log_totals.max())
        self._list_weights /= self._list_weights.sum()
        scale = np.repeat(self._list_weights, 2) / totals
        self.signed: FloatArray = np.where(is_pos, values, -values) * scale[cells]
        # Four numbers to a list: class of the case, and whether a ranker lifts it.
        self._keys = 2 * cells
        self._sign = np.array([-1.0, 1.0])

    def update(self, above: BoolArray, alpha: float) -> float:
        """Multiply each pair by exp(alpha (h of negative - h of positive)), h=above.

        Return their sum, by which they are divided.
        """
        keys = self._keys + above
        n_lists = len(self._list_weights)
        sums = np.bincount(keys, weights=self.signed, minlength=4 * n_lists)
        # Axes: list, class, lifted.
        sums = np.abs(sums.reshape(n_lists, 2, 2))
        factor = np.ones((1, 2, 2))
        factor[0, :, 1] = np.exp(-alpha * self._sign)
        # The share of each class in its list after the update.
        # A list whose pairs are all in order may have no weight left: 0 / 0.
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = (sums * factor).sum(axis=2) / self._list_weights[:, None]
            growth = np.where(self._list_weights > 0, shares.prod(axis=1), 0.0)
            normaliser = float((self._list_weights * growth).sum())
            growth /= normaliser
            scale = factor * (growth[:, None] / shares)[:, :, None]
        self._list_weights *= growth
        self.signed *= np.nan_to_num(scale, posinf=0.0).ravel()[keys]
        return normaliser


class WeakRanker(NamedTuple):
    """The ranker that is 1 above a threshold and 0 elsewhere."""

    column: int
    candidate: int
    missing_above: bool
    r: float


def best_ranker(columns: list[Column], signed: FloatArray) -> WeakRanker | None:
    """Return the ranker with the largest absolute r, None if there is no threshold.

    The first of equally good ones counts: lower feature, lower threshold, missing
    values below.
    """
    if not columns:
        return None
    reach = np.empty(len(columns))
    for i, column in enumerate(columns):
        # The largest |r|, whichever side missing values take.
        below, missing = column.below(signed)
        low, high = float(below.min()), float(below.max())
        reach[i] = max(high, -low, high + missing, -low - missing)
    enough = reach.max() - TIE
    index = int(np.argmax(reach >= enough))
    below, missing = columns[index].below(signed)
    # All weights together are zero, so what lies above is minus what lies below.
    r_missing_below, r_missing_above = -(below + missing), -below
    is_best = np.abs(r_missing_below) >= enough
    candidate = int(np.argmax(is_best | (np.abs(r_missing_above) >= enough)))
    missing_above = not is_best[candidate]
    r = (r_missing_above if missing_above else r_missing_below)[candidate]
    return WeakRanker(index, candidate, bool(missing_above), float(r))


class Column:
    """A feature prepared for the search: candidates are its thresholds, ascending.

    ``order`` are the cases by increasing value, those that lack it last, ``ordered``
    the values in this order, and ``ends`` the last place below each threshold. If
    values are missing, the first threshold is minus infinity, which tells them from all
    others. Each case keeps the number of its bin between thresholds, or the last one.
    """

    def __init__(
        self, feature: int, order: IntArray, ordered: Array, ends: IntArray
    ) -> None:
        self.feature, self.has_missing = feature, len(ordered) < len(order)
        lower = ordered[ends].astype(np.float64)
        upper = ordered[ends + 1].astype(np.float64)
        middle = lower / 2 + upper / 2
        # lower <= threshold < upper, halfway where numbers allow it.
        is_between = (lower <= middle) & (middle < upper)
        self.thresholds: FloatArray = np.where(is_between, middle, lower)
        if self.has_missing:
            self.thresholds = np.concatenate([[-np.inf], self.thresholds])
        self._n_bins = len(ends) + 1
        # Cases in order fill one bin after the other; the missing come last.
        limits = np.concatenate([[0], ends + 1, [len(ordered), len(order)]])
        kind = np.uint8 if self._n_bins <= MAX_BINS else np.intp
        self._codes: Array = np.empty(len(order), dtype=kind)
        codes = np.arange(self._n_bins + 1, dtype=kind)
        self._codes[order] = np.repeat(codes, np.diff(limits))

    def below(self, signed: FloatArray) -> tuple[FloatArray, float]:
        """Return the sums of ``signed`` up to each threshold and where missing."""
        n_bins = self._n_bins
        sums = np.bincount(self._codes, weights=signed, minlength=n_bins + 1)
        running: FloatArray = np.cumsum(sums[: n_bins - 1], dtype=np.float64)
        if self.has_missing:
            running = np.concatenate([[0.0], running])
        return running, float(sums[n_bins])

    def above(self, candidate: int, missing_above: bool) -> BoolArray:
        """Return which cases lie above the threshold."""
        above = self._codes > candidate - self.has_missing
        if self.has_missing:
            above[self._codes == self._n_bins] = missing_above
        return np.asarray(above)


def prepare_columns(
    X: Array, weights: FloatArray, max_bins: int | None
) -> list[Column]:
    """Return the features that hold a threshold, in bins if ``max_bins`` says so."""
    columns: list[Column] = []
    for feature in range(X.shape[1]):
        values = np.ascontiguousarray(X[:, feature])
        order = np.argsort(values)
        n_present = len(values) - int(np.isnan(values).sum())
        ordered = values[order[:n_present]]
        # A value ends where the next is greater.
        ends = np.flatnonzero(ordered[1:] != ordered[:-1])
        # A feature of one value tells nothing, unless it is missing in places.
        if len(ends) == 0 and not 0 < n_present < len(values):
            continue
        if max_bins is not None and len(ends) >= max_bins:
            # The ends at which bins hold about equal weight. The slack makes repeated
            # rows and integer weights cut at the same values.
            mass = np.cumsum(weights[order[:n_present]])
            targets = np.arange(1, max_bins) / max_bins * mass[-1] * (1 - 1e-9)
            first = np.searchsorted(mass[ends], targets)
            ends = ends[np.unique(first[first < len(ends)])]
        columns.append(Column(feature, order, ordered, ends))
    return columns


def stump_scores(stumps: Array, X: Array) -> FloatArray:
    """Return the sum of the weights of the rankers that lift a case."""
    scores = np.zeros(X.shape[0])
    for feature in np.unique(stumps["feature"]):
        own = stumps[stumps["feature"] == feature]
        own = own[np.argsort(own["threshold"], kind="stable")]
        values = np.ascontiguousarray(X[:, feature], dtype=np.float64)
        running = np.concatenate([[0.0], np.cumsum(own["weight"])])
        gain = running[np.searchsorted(own["threshold"], values)]
        is_missing = np.isnan(values)
        gain[is_missing] = own["weight"][own["missing_above"]].sum()
        scores += gain
    return scores


def is_above(stump: Array, X: Array) -> BoolArray:
    """Return which cases one ranker lifts."""
    values = X[:, stump["feature"]].astype(np.float64)
    above = values > stump["threshold"]
    if stump["missing_above"]:
        above |= np.isnan(values)
    return np.asarray(above)
