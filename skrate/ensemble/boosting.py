"""RankBoost on one training sample: its columns, its pairs, its rounds, its stumps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from skrate.data.arrays import Array, ArrayLike, BoolArray, FloatArray, IntArray
from skrate.data.checks import check_equal_length, check_weights
from skrate.data.ranking import check_groups

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


class Column(ABC):
    """A feature prepared for the search: candidates are its thresholds, ascending.

    If values are missing, the first threshold is minus infinity: it tells the
    missing values from all others.

    ``order`` are the cases by increasing value, those that lack it last, ``ordered``
    the values in this order, and ``ends`` the last place below each threshold.
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
        self._keep(order, ordered, ends)

    @abstractmethod
    def _keep(self, order: IntArray, ordered: Array, ends: IntArray) -> None:
        """Keep what the search needs of the cases."""

    @abstractmethod
    def below(self, signed: FloatArray) -> tuple[FloatArray, float]:
        """Return the sums of ``signed`` up to each threshold and where missing."""

    @abstractmethod
    def above(self, candidate: int, missing_above: bool) -> BoolArray:
        """Return which cases lie above the threshold."""


def prepare_columns(
    X: Array, weights: FloatArray, max_bins: int | None
) -> list[Column]:
    """Return the features that hold a threshold, ready for the search.

    A feature of few values is kept as one-byte codes, without loss. One of more
    values is binned so too if `max_bins` says so, else sorted once and for all.
    """
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
        if max_bins is None and len(ends) >= MAX_BINS:
            columns.append(SortedColumn(feature, order, ordered, ends))
            continue
        n_bins = MAX_BINS if max_bins is None else max_bins
        if len(ends) >= n_bins:
            mass = np.cumsum(weights[order[:n_present]])
            ends = _quantile_ends(ends, mass, n_bins)
        columns.append(BinnedColumn(feature, order, ordered, ends))
    return columns


def _quantile_ends(ends: IntArray, mass: FloatArray, n_bins: int) -> IntArray:
    """Return the ends of values at which the bins hold about equal weight."""
    targets = np.arange(1, n_bins) / n_bins * mass[-1]
    # The slack makes repeated rows and integer weights cut at the same values.
    first = np.searchsorted(mass[ends], targets * (1 - 1e-9))
    kept = np.unique(first[first < len(ends)])
    return np.asarray(ends[kept], dtype=np.intp)


class SortedColumn(Column):
    """A feature of many values: the order of the cases is kept."""

    def _keep(self, order: IntArray, ordered: Array, ends: IntArray) -> None:
        self._order, self._n_present, self._ends = order, len(ordered), ends
        is_each = len(ends) == len(ordered) - 1
        self._read: Any = slice(len(ends)) if is_each else ends

    def below(self, signed: FloatArray) -> tuple[FloatArray, float]:
        taken = signed[self._order]
        sums: FloatArray = np.cumsum(taken[: self._n_present])[self._read]
        if self.has_missing:
            sums = np.concatenate([[0.0], sums])
        return sums, float(taken[self._n_present :].sum())

    def above(self, candidate: int, missing_above: bool) -> BoolArray:
        position = candidate - self.has_missing
        start = 0 if position < 0 else int(self._ends[position]) + 1
        above = np.zeros(len(self._order), dtype=bool)
        above[self._order[start : self._n_present]] = True
        above[self._order[self._n_present :]] = missing_above
        return above


class BinnedColumn(Column):
    """A feature of few values or bins: one byte for each case is kept."""

    def _keep(self, order: IntArray, ordered: Array, ends: IntArray) -> None:
        self._n_bins = len(ends) + 1
        # Cases in order fill one bin after the other; the missing come last.
        limits = np.concatenate([[0], ends + 1, [len(ordered), len(order)]])
        codes = np.arange(self._n_bins + 1, dtype=np.uint8)
        self._codes = np.empty(len(order), dtype=np.uint8)
        self._codes[order] = np.repeat(codes, np.diff(limits))

    def below(self, signed: FloatArray) -> tuple[FloatArray, float]:
        n_bins = self._n_bins
        sums = np.bincount(self._codes, weights=signed, minlength=n_bins + 1)
        running: FloatArray = np.cumsum(sums[: n_bins - 1], dtype=np.float64)
        if self.has_missing:
            running = np.concatenate([[0.0], running])
        return running, float(sums[n_bins])

    def above(self, candidate: int, missing_above: bool) -> BoolArray:
        above = self._codes > candidate - self.has_missing
        if self.has_missing:
            above[self._codes == self._n_bins] = missing_above
        return np.asarray(above)


def stump_scores(stumps: Array, X: Array) -> FloatArray:
    """Return the sum of the weights of the rankers above whose threshold a case lies.

    Rankers of one feature are looked up together, so the cost grows with the number
    of features used and hardly with the number of rankers.
    """
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


def staged_stump_scores(stumps: Array, X: Array) -> Iterator[FloatArray]:
    """Yield the scores after each ranker; each is an array of its own."""
    scores = np.zeros(X.shape[0])
    for stump in stumps:
        scores = scores + stump["weight"] * is_above(stump, X)
        yield scores


def is_above(stump: Array, X: Array) -> BoolArray:
    """Return which cases one ranker lifts."""
    values = X[:, stump["feature"]].astype(np.float64)
    above = values > stump["threshold"]
    if stump["missing_above"]:
        above |= np.isnan(values)
    return np.asarray(above)
