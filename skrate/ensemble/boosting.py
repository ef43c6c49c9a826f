"""RankBoost on one training sample: its cases, its pairs, its rounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from skrate.data.arrays import Array, ArrayLike, BoolArray, FloatArray, IntArray
from skrate.data.checks import check_equal_length, check_weights
from skrate.data.ranking import check_groups
from skrate.ensemble.columns import Column, prepare_columns

# Rankers whose |r| differ by less count as equally good, and the first is taken:
# rounding must not decide, or the order of the rows would.
TIE = 1e-10


class TrainingCases(NamedTuple):
    """Cases to learn from, all of positive weight; ``lists`` are codes from 0.

    ``y`` are the labels as they were given.
    """

    X: Array
    y: Array
    is_pos: BoolArray
    weights: FloatArray
    lists: IntArray

    def take(self, rows: IntArray | BoolArray) -> TrainingCases:
        """Return some of the cases."""
        parts: list[Array] = [array[rows] for array in self]
        return TrainingCases(*parts)

    def has_pairs(self) -> BoolArray:
        """Return for each list whether it holds both classes."""
        n_lists = int(self.lists.max()) + 1
        n_pos = np.bincount(self.lists, weights=self.is_pos, minlength=n_lists)
        n_all = np.bincount(self.lists, minlength=n_lists)
        return np.asarray((n_pos > 0) & (n_pos < n_all))

    def with_pairs(self) -> TrainingCases:
        """Return the cases whose list holds both classes, lists renumbered."""
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
            f"{classes[0]!r}."
        )
    cases = TrainingCases(X, y, y == classes[1], weights, lists)
    if not cases.has_pairs().any():
        raise ValueError("groups leaves no pair to order: no list holds both classes.")
    return cases, classes


class Round(NamedTuple):
    """A weak ranker found: a row for the estimator, and the normaliser Z."""

    stump: tuple[int, float, bool, float]
    normaliser: float
    is_perfect: bool


class Boosting:
    """RankBoost with the "third method", one round a call.

    Each list of ``cases`` holds both classes; ``scores`` are those of the model so far.
    """

    def __init__(
        self,
        cases: TrainingCases,
        scores: FloatArray,
        max_bins: int | None,
        learning_rate: float,
    ) -> None:
        self._learning_rate = learning_rate
        self._case_weights = cases.weights
        self._pairs = PairWeights(cases, scores)
        self._columns = prepare_columns(cases.X, cases.weights, max_bins)

    def step(self) -> Round | None:
        """Find the next weak ranker and turn to the pairs that are still wrong.

        None if no ranker orders the weighted pairs better than chance.
        """
        found = best_ranker(self._columns, self._pairs.signed)
        if found is None or abs(found.r) <= TIE:
            return None
        # A ranker that orders every pair would get an infinite weight.
        r = float(np.clip(found.r, TIE - 1, 1 - TIE))
        alpha = self._learning_rate * 0.5 * float(np.log((1 + r) / (1 - r)))
        column = self._columns[found.column]
        above = column.above(found.candidate, found.missing_above)
        normaliser = self._pairs.update(above, alpha)
        missing_above = found.missing_above
        if not column.has_missing:
            # Nothing is learned of missing values: they go with most of the weight.
            weights = self._case_weights
            missing_above = bool(2 * weights[above].sum() > weights.sum())
        threshold = float(column.thresholds[found.candidate])
        stump = (column.feature, threshold, missing_above, alpha)
        return Round(stump, normaliser, r != found.r)


class PairWeights:
    """A distribution over the pairs of each list, factored into weights of cases.

    In list g the pair of positive i and negative j has the weight c_g v_i v_j, where
    the v of the positives and the v of the negatives of the list each sum to one, and
    the c_g over lists. For a ranker h this makes the expected difference between the
    positive and the negative of a pair

        r = sum over cases of d h,    d = c_g v for positives, -c_g v for negatives,

    so ``signed`` holds d and nothing else is stored for each case. Each list holds both
    classes; a pair starts with the product of its weights times exp(score of the
    negative - score of the positive), by the scores that the model gives already.
    """

    def __init__(self, cases: TrainingCases, scores: FloatArray) -> None:
        is_pos = cases.is_pos
        n_cells = 2 * (int(cases.lists.max()) + 1)
        cells = 2 * cases.lists + is_pos
        # Relative to the greatest of its class and list: scores of hundreds, as many
        # rounds give, would leave no weight, or one that is infinite.
        log_weights = np.log(cases.weights) + np.where(is_pos, -scores, scores)
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

        Returns the normaliser: the sum of the pair weights before they are made to
        sum to one again.
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

    Of equally good ones the first counts: lower feature, lower threshold, missing
    values below.
    """
    reach = np.array([_largest(*column.below(signed)) for column in columns])
    if not len(reach):
        return None
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


def _largest(below: FloatArray, missing: float) -> float:
    """Return the largest |r| of one feature, whichever side missing values take."""
    low, high = float(below.min()), float(below.max())
    return max(high, -low, high + missing, -low - missing)
