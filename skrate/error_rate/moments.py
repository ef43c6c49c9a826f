"""Distribution of the AUC over all rankings with a given number of errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from sklearn.metrics import roc_auc_score

from skrate.data.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    float_or_array,
    reverse_cumsum,
)
from skrate.data.checks import (
    check_choice,
    check_count,
    check_counts,
    check_equal_length,
    check_fraction,
    check_vector,
    distinct_labels,
    is_missing,
    shown,
)
from skrate.data.ranking import check_ranking
from skrate.data.table import RankTable
from skrate.metrics.result_types import Result

Method = Literal["auto", "exact", "moments"]
METHODS: tuple[Method, ...] = get_args(Method)


class AUCRange(NamedTuple):
    """The range between two AUCs."""

    low: float
    high: float


@dataclass(frozen=True)
class AUCFromErrors(Result):
    """The AUC of all rankings with the same errors.

    Attributes
    ----------
    mean, variance : float or ndarray
        Mean and variance of the AUC.
    range : AUCRange or None
        At least the requested fraction (`share`) of all these rankings have an AUC
        between ``low`` and ``high``. None from :func:`auc_moments`. It is not a
        confidence interval, because it is not about new samples.
    possible : AUCRange or None
        Minimum and maximum of the AUC over these rankings. None from
        :func:`auc_moments`.
    method : {"exact", "moments"} or None
        Method of the computation of ``range``.

    Examples
    --------
    >>> from skrate.error_rate import auc_moments
    >>> auc_moments(1, 1, 1).standard_deviation
    0.5
    """

    mean: Any
    variance: Any
    range: AUCRange | None = None
    possible: AUCRange | None = None
    method: str | None = None

    @property
    def standard_deviation(self) -> Any:
        """Square root of the variance."""
        return float_or_array(np.sqrt(self.variance))

    def __repr__(self) -> str:
        known = [(f.name, getattr(self, f.name)) for f in fields(self)]
        texts = [f"{name}={field!r}" for name, field in known if field is not None]
        return f"AUCFromErrors({', '.join(texts)})"


def auc_moments(
    n_pos: ArrayLike,
    n_neg: ArrayLike,
    n_errors: ArrayLike | None = None,
    *,
    n_false_pos: ArrayLike | None = None,
    n_false_neg: ArrayLike | None = None,
) -> AUCFromErrors:
    r"""Compute the mean and variance of the AUC for a given number of errors.

    How well does an error rate determine :func:`sklearn.metrics.roc_auc_score`? This is
    the mean and the variance of the AUC over all rankings and thresholds with the same
    number of errors, each being equally probable. All arguments broadcast.

    Parameters
    ----------
    n_pos, n_neg : int or array-like of int
        Number of positive and of negative samples, at least 1.
    n_errors : int or array-like of int, default=None
        Number of errors of both kinds, at most ``n_pos + n_neg``.
    n_false_pos, n_false_neg : int or array-like of int, default=None
        Instead of `n_errors`, the numbers of negatives above the threshold, at most
        `n_neg`, and of positives below it, at most `n_pos`.

    Returns
    -------
    moments : AUCFromErrors
        With ``mean``, ``variance`` and ``standard_deviation``, floats or arrays of the
        broadcast shape: 1, 0 and 0 without errors. The mean is 1 - the error rate if
        the classes have the same size, and there are not more errors.

    Raises
    ------
    ValueError
        If neither or both of `n_errors` and the pair `n_false_pos`, `n_false_neg` are
        given; if a count is not an integer or out of range, or shapes do not broadcast.

    See Also
    --------
    sklearn.metrics.roc_auc_score : The AUC itself, if scores are available.
    auc_range_from_errors : Range of the AUCs that a confusion matrix allows.
    skrate.displays.AUCErrorRateDisplay : Plot of the moments over the error rate.

    Notes
    -----
    Let m positives and n negatives be ranked without ties. Let k be the number of
    errors, x the number of false positives, and x' = k - x the number of false
    negatives. Then N = m - x' + x samples are above the threshold and
    N' = n - x + x' samples are below it, and C(N, x) C(N', x') orders of the labels
    have this confusion matrix. For a fixed x, the mean of the AUC and its variance (the
    sum of two Mann-Whitney variances) are (lemma 2 of [1]_)

    .. math:: 1 - \frac{1}{2}\left(\frac{x}{n} + \frac{x'}{m}\right), \quad
              \frac{x (m - x')(N + 1) + x' (n - x)(N' + 1)}{12 m^2 n^2}.

    Both are averaged over all x for which no count is negative, with the numbers of
    orders as weights, and the variance of the conditional mean is added (propositions 1
    and 2). With a million samples, twelve digits are correct. Cost: O(k) per setting.
    The confidence intervals of the sequel [2]_ are not implemented.

    References
    ----------
    .. [1] Cortes and Mohri (2003), AUC optimization vs. error rate minimization,
       Advances in Neural Information Processing Systems 16, 313-320.
    .. [2] Cortes and Mohri (2004), Confidence intervals for the area under the ROC
       curve, Advances in Neural Information Processing Systems 17, 305-312.

    Examples
    --------
    One positive, one negative and one error, of two equally probable orders:

    >>> from skrate.error_rate import auc_moments
    >>> auc_moments(1, 1, 1)
    AUCFromErrors(mean=0.5, variance=0.25)

    With equal classes the mean is the accuracy; with unequal classes, the same error
    rate is compatible with random scores:

    >>> auc_moments([500, 100], [500, 900], 100).mean.round(3)
    array([0.9  , 0.501])
    """
    n_pos = check_counts("n_pos", n_pos, minimum=1)
    n_neg = check_counts("n_neg", n_neg, minimum=1)
    errors = check_errors(n_pos, n_neg, n_errors, n_false_pos, n_false_neg)
    columns = np.broadcast_arrays(n_pos, n_neg, *errors)
    flat = [column.ravel() for column in columns]
    if len(errors) == 1:
        mean, variance = total_moments(*flat)
    else:
        mean = conditional_mean(*flat)
        variance = conditional_variance(*flat)
    if columns[0].ndim == 0:
        return AUCFromErrors(float(mean[0]), float(variance[0]))
    shape = columns[0].shape
    return AUCFromErrors(mean.reshape(shape), variance.reshape(shape))


def check_errors(
    n_pos: IntArray,
    n_neg: IntArray,
    n_errors: ArrayLike | None,
    n_false_pos: ArrayLike | None,
    n_false_neg: ArrayLike | None,
) -> tuple[IntArray, ...]:
    """Return (n_errors,), or (n_false_pos, n_false_neg) if these were given."""
    is_given = [count is not None for count in (n_errors, n_false_pos, n_false_neg)]
    if is_given == [True, False, False]:
        limits = [("n_errors", n_errors, "n_pos + n_neg", n_pos + n_neg)]
    elif is_given == [False, True, True]:
        limits = [
            ("n_false_pos", n_false_pos, "n_neg", n_neg),
            ("n_false_neg", n_false_neg, "n_pos", n_pos),
        ]
    else:
        raise ValueError(
            "Give either n_errors, or both n_false_pos and n_false_neg, got "
            f"{n_errors!r}, {n_false_pos!r} and {n_false_neg!r}."
        )
    checked = []
    for name, numbers, of, most in limits:
        counts = check_counts(name, numbers)
        checked.append(counts)
        too_many = np.asarray(counts > most)
        if too_many.any():
            at = np.flatnonzero(too_many.ravel())[0]
            count, bound = (a.ravel()[at] for a in np.broadcast_arrays(counts, most))
            raise ValueError(f"{name} must be at most {of}={bound}, got {count}.")
    return tuple(checked)


def conditional_mean(
    n_pos: Array, n_neg: Array, false_pos: Array, false_neg: Array
) -> FloatArray:
    """Return the mean AUC for given errors of both kinds ([1]_, lemma 2)."""
    return np.asarray(1 - (false_pos / n_neg + false_neg / n_pos) / 2)


def conditional_variance(
    n_pos: Array, n_neg: Array, false_pos: Array, false_neg: Array
) -> FloatArray:
    """Return the variance of the AUC for given errors of both kinds.

    The numbers of discordant pairs above and below the threshold are independent
    Mann-Whitney statistics, of true and false positives and of both negatives.
    """
    m, n = np.asarray(n_pos, dtype=float), np.asarray(n_neg, dtype=float)
    true_pos, true_neg = m - false_neg, n - false_pos
    above = false_pos * true_pos * (true_pos + false_pos + 1)
    below = false_neg * true_neg * (true_neg + false_neg + 1)
    return np.asarray((above + below) / (12 * (m * n) ** 2))


def total_moments(
    n_pos: IntArray, n_neg: IntArray, n_errors: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance for each setting; arrays have shape (n_settings,)."""
    width = _count_splits(n_pos, n_neg, n_errors)
    # More splits need more than 2 GB of memory.
    n_most = 2 * 10**7
    if len(width) and width.max() > n_most:
        raise ValueError(
            f"n_errors={n_errors[width.argmax()]} has {width.max()} splits, more than "
            f"{n_most}: give n_false_pos and n_false_neg."
        )
    mean, variance = np.empty(len(width)), np.empty(len(width))
    for rows in _blocks(width):
        m, n, k = n_pos[rows, None], n_neg[rows, None], n_errors[rows, None]
        x, weights = _error_splits(m, n, k)
        given_x = conditional_mean(m, n, x, k - x)
        mean[rows] = (weights * given_x).sum(axis=1)
        within = conditional_variance(m, n, x, k - x)
        between = (given_x - mean[rows, None]) ** 2
        variance[rows] = (weights * (within + between)).sum(axis=1)
    return mean, variance


def _blocks(width: IntArray) -> Iterator[IntArray]:
    """Yield the indices of settings of similar width, for a limited memory."""
    order = np.argsort(-width, kind="stable")
    start, n_terms = 0, 2**18  # 2 MB in float64, which fit into the cache.
    while start < len(order):
        stop = start + max(1, int(n_terms // width[order[start]]))
        yield order[start:stop]
        start = stop


def _count_splits(n_pos: Any, n_neg: Any, n_errors: Any) -> Any:
    """Return in how many ways errors are false positives and false negatives."""
    return np.minimum(n_errors, n_neg) - np.maximum(0, n_errors - n_pos) + 1


def _error_splits(m: IntArray, n: IntArray, k: IntArray) -> tuple[IntArray, FloatArray]:
    """Return numbers x of false positives, and the fractions of rankings with them.

    The arguments are columns, with a row for each setting of m positives, n negatives
    and k errors. Rows with fewer numbers than others end with fractions of 0. The
    number of orders is w(x) = C(N, x) C(N', x') with N = m - x' + x and
    N' = n - x + x': w(x + 1) / w(x) is a product of four ratios of moderate numbers.
    """
    width = _count_splits(m, n, k)
    x = np.maximum(0, k - m) + np.arange(width.max())
    false_neg = (k - x)[:, :-1]
    below, above = x[:, :-1], m - k + 2 * x[:, :-1]
    under = n + k - 2 * below
    is_step = np.arange(1, x.shape[1]) < width
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (
            ((above + 2) / under)
            * ((above + 1) / (under - 1))
            * (false_neg / (below + 1))
            * ((n - below) / (m - k + below + 1))
        )
    step = np.log(ratio, out=np.zeros(ratio.shape), where=is_step)
    log_weight = np.zeros(x.shape)
    # Only for the position of the maximum: sums lose digits far from x = first.
    np.cumsum(step, axis=1, out=log_weight[:, 1:])
    is_term = np.arange(x.shape[1]) < width
    top = np.where(is_term, log_weight, -np.inf).argmax(axis=1)[:, None]
    is_above = np.arange(step.shape[1]) >= top
    np.cumsum(np.where(is_above, step, 0.0), axis=1, out=log_weight[:, 1:])
    log_weight[:, :-1] -= reverse_cumsum(np.where(is_above, 0.0, step))
    weights = np.where(is_term, np.exp(log_weight), 0.0)
    return x, np.asarray(weights / weights.sum(axis=1, keepdims=True))


def auc_range_from_errors(
    n_pos: int,
    n_neg: int,
    n_errors: int | None = None,
    share: float = 0.95,
    *,
    n_false_pos: int | None = None,
    n_false_neg: int | None = None,
    method: Method = "auto",
) -> AUCFromErrors:
    """Compute which AUCs are compatible with a published confusion matrix.

    At least a fraction `share` of all rankings and thresholds with this number of
    errors, each being equally probable, have an AUC in the range. It is about the same
    samples, and no confidence interval for new ones, which needs the scores.

    Parameters
    ----------
    n_pos, n_neg, n_errors : int
        As in :func:`auc_moments`.
    share : float, default=0.95
        Minimum fraction of the rankings with an AUC in the range, in (0, 1).
    n_false_pos, n_false_neg : int, default=None
        Instead of `n_errors`, the number of negatives called positive, and of positives
        called negative, which makes the range narrower.
    method : {"auto", "exact", "moments"}, default="auto"
        "exact": quantiles of the exact distribution, with equal tails, at a cost that
        grows with the square of ``n_pos * n_neg``. "moments": Chebyshev's inequality,
        for any distribution, which is wider. "auto": "exact" up to 10,000 pairs.

    Returns
    -------
    result : AUCFromErrors
        With ``range.low`` and ``range.high``, the ``method`` used, ``mean``,
        ``standard_deviation``, and ``possible``, the minimum and maximum AUC. Without
        errors all of these are 1 (and the standard deviation is 0).

    Raises
    ------
    ValueError
        See :func:`auc_moments`; also if `share` is not in (0, 1), if `method` is
        unknown, or if it is "exact" for more than 100,000,000 pairs.

    See Also
    --------
    sklearn.metrics.roc_auc_score : The AUC itself, if scores are available.
    auc_moments : Mean and variance only, for many settings in one call.

    Notes
    -----
    "exact" is the narrowest range with a probability of at most (1 - `share`) / 2 on
    each side, of the mixture over the number x of false positives with the weights of
    :func:`auc_moments`. "moments" is the mean plus and minus sd / sqrt(1 - `share`),
    clipped to the possible range: the minimum of (1 - x/n)(1 - x'/m) to the maximum of
    1 - x x' / (m n), over all splits of the errors into x and x'.

    Examples
    --------
    Ten positives, ten negatives, two errors:

    >>> from skrate.error_rate import auc_range_from_errors
    >>> result = auc_range_from_errors(10, 10, 2)
    >>> result.method, round(result.mean, 2)
    ('exact', 0.9)
    >>> [round(end, 2) for end in result.range]
    [0.82, 0.98]

    A published confusion matrix with 20 of 100 positives missed and 90 of 900
    negatives called positive:

    >>> result = auc_range_from_errors(100, 900, n_false_pos=90, n_false_neg=20)
    >>> result.method, [round(end, 2) for end in result.range]
    ('moments', [0.8, 0.9])
    """
    n_pos, n_neg = check_count("n_pos", n_pos), check_count("n_neg", n_neg)
    counts: dict[str, int | None] = {"n_errors": n_errors}
    counts |= {"n_false_pos": n_false_pos, "n_false_neg": n_false_neg}
    for name, count in counts.items():
        if count is not None:
            check_count(name, count, minimum=0)
    checked = check_errors(np.array(n_pos), np.array(n_neg), **counts)
    errors = [int(count) for count in checked]
    share = check_fraction("share", share)
    check_choice("method", method, METHODS)
    n_pairs = n_pos * n_neg
    if method == "auto":
        # The exact distribution then takes about a second at most.
        method = "exact" if n_pairs <= 10_000 else "moments"
    # Arrays with a probability for each number of pairs have 1 GB.
    if method == "exact" and n_pairs > 10**8:
        text = f"method='exact' supports at most {10**8} pairs, got {n_pairs}"
        raise ValueError(f"{text}: use method='moments'.")

    moments = auc_moments(n_pos, n_neg, **counts)
    # As floats, because the product of two counts may overflow 64 bits.
    false_pos, false_neg = np.array(_splits(n_pos, n_neg, *errors)[:2], dtype=float)
    worst = (n_pos - false_neg) * (n_neg - false_pos) / n_pairs
    best = (n_pairs - false_pos * false_neg) / n_pairs
    possible = AUCRange(float(worst.min()), float(best.max()))
    if method == "exact":
        # The narrowest range with at most (1 - share) / 2 on each side. Each tail is
        # summed from its end, to keep all its digits.
        chances, tail = auc_probabilities(n_pos, n_neg, *errors), (1 - share) / 2
        below = int(np.searchsorted(np.cumsum(chances), tail, side="right"))
        above = int(np.searchsorted(np.cumsum(chances[::-1]), tail, side="right"))
        auc_range = AUCRange(below / n_pairs, (n_pairs - above) / n_pairs)
    else:
        reach = moments.standard_deviation / np.sqrt(1 - share)
        low = max(moments.mean - reach, possible.low)
        high = min(moments.mean + reach, possible.high)
        auc_range = AUCRange(float(low), float(high))
    return replace(moments, range=auc_range, possible=possible, method=method)


def _splits(
    n_pos: int, n_neg: int, *errors: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return all splits into false positives and negatives, and their probabilities."""
    if len(errors) == 2:
        return np.array([errors[0]]), np.array([errors[1]]), np.ones(1)
    m, n, k = (np.array([[count]]) for count in (n_pos, n_neg, errors[0]))
    false_pos, weights = _error_splits(m, n, k)
    return false_pos[0], errors[0] - false_pos[0], weights[0]


def auc_probabilities(n_pos: int, n_neg: int, *errors: int) -> FloatArray:
    """Return P(AUC = c / (n_pos n_neg)) for c = 0, ..., n_pos n_neg.

    ``errors`` is the number of errors, or the number of false positives and the number
    of false negatives.
    """
    false_pos, false_neg, weights = _splits(n_pos, n_neg, *errors)
    true_pos, true_neg = n_pos - false_neg, n_neg - false_pos
    above = _mann_whitney(list(zip(false_pos, true_pos, strict=True)))
    below = _mann_whitney(list(zip(false_neg, true_neg, strict=True)))
    total = np.zeros(n_pos * n_neg + 1)
    for index, weight in enumerate(weights):
        # Pairs across the threshold are in order. Pairs on one side vary.
        start = true_pos[index] * true_neg[index]
        within = np.convolve(
            above[false_pos[index], true_pos[index]],
            below[false_neg[index], true_neg[index]],
        )
        total[start : start + len(within)] += weight * within
    return total


def _mann_whitney(sizes: list[tuple[int, int]]) -> dict[tuple[int, int], FloatArray]:
    """Return P(U = 0, ..., ab) of the Mann-Whitney statistic for sizes (a, b).

    The last of the a + b samples is one of the a with probability a / (a + b), and then
    adds b pairs; otherwise it adds none. All terms are positive, so no digits are lost.
    """
    wanted, (max_a, max_b) = set(sizes), np.max(sizes, axis=0)
    by_size: dict[tuple[int, int], FloatArray] = {}
    row = [np.ones(1) for _ in range(max_b + 1)]
    by_size.update(((0, b), row[b]) for b in range(max_b + 1) if (0, b) in wanted)
    for a in range(1, max_a + 1):
        below, row = row, [np.ones(1)]
        for b in range(1, max_b + 1):
            table = np.zeros(a * b + 1)
            table[b:] = below[b] * (a / (a + b))
            table[: a * (b - 1) + 1] += row[b - 1] * (b / (a + b))
            row.append(table)
        by_size.update(((a, b), row[b]) for b in range(max_b + 1) if (a, b) in wanted)
    return by_size


class ErrorRateCurve(NamedTuple):
    """Moments of the AUC for one class ratio, by increasing error rate."""

    class_ratio: float
    error_rates: FloatArray
    means: FloatArray
    standard_deviations: FloatArray


class ModelPoint(NamedTuple):
    """Error rate and AUC of a model, and moments of the AUC given its error rate."""

    error_rate: float
    auc: float
    mean: float
    standard_deviation: float


def error_rate_curves(
    class_ratios: Sequence[float], n_samples: int
) -> list[ErrorRateCurve]:
    """Return a curve for each class ratio, rounded to a whole number of samples."""
    name = "class_ratios"
    ratios = [check_fraction(name, ratio) for ratio in check_vector(name, class_ratios)]
    if any(ratio > 0.5 for ratio in ratios):
        raise ValueError(f"class_ratios must be at most 0.5, got {list(class_ratios)}.")
    return [_curve(r, max(1, round(r * n_samples)), n_samples) for r in ratios]


def model_curves(
    y_true: ArrayLike,
    y_score: ArrayLike | None,
    y_pred: ArrayLike,
    class_ratios: Sequence[float],
    pos_label: Label,
) -> tuple[list[ErrorRateCurve], ModelPoint, float]:
    """Return curves for the sample size of a model, its point and its class ratio."""
    if isinstance(y_true, RankTable):
        raise ValueError("y_true must be labels: a RankTable has no y_pred.")
    sample = check_ranking(y_true, y_score, pos_label=pos_label)
    is_error = _is_error(y_true, y_pred)
    n_samples, n_pos = len(is_error), int(sample.is_pos.sum())
    if not 0 < n_pos < n_samples:
        raise ValueError("y_true must have both classes, got one.")
    n_errors = int(np.count_nonzero(is_error))
    moments = auc_moments(n_pos, n_samples - n_pos, n_errors)
    auc = float(roc_auc_score(sample.is_pos, sample.scores))
    spread = moments.mean, moments.standard_deviation
    point = ModelPoint(n_errors / n_samples, auc, *spread)
    n_smaller = min(n_pos, n_samples - n_pos)
    model_curve = _curve(n_smaller / n_samples, n_smaller, n_samples)
    grid = error_rate_curves(class_ratios, n_samples)
    curves = {curve.class_ratio: curve for curve in [*grid, model_curve]}
    return [curves[ratio] for ratio in sorted(curves)], point, model_curve.class_ratio


def _is_error(y_true: ArrayLike, y_pred: ArrayLike) -> BoolArray:
    """Return which predicted labels are wrong; raise if a label is not in y_true."""
    labels = check_vector("y_true", y_true)
    predicted = check_vector("y_pred", y_pred)
    check_equal_length(y_true=labels, y_pred=predicted)
    # Objects, because numpy would compare numbers with strings as strings.
    labels, predicted = labels.astype(object), predicted.astype(object)
    known = distinct_labels(labels)
    unknown = [y for y in predicted.tolist() if is_missing(y) or y not in known]
    if unknown:
        names = ", ".join(sorted({shown(label) for label in unknown})[:6])
        raise ValueError(f"y_pred must have labels of y_true only, got {names}.")
    return np.asarray(labels != predicted)


def _curve(ratio: float, n_smaller: int, n_samples: int) -> ErrorRateCurve:
    """Return the moments for 0, ..., n_smaller errors, at 500 points at most."""
    n_points = min(n_smaller + 1, 500)
    n_errors = np.unique(np.linspace(0, n_smaller, n_points).round().astype(int))
    moments = auc_moments(n_smaller, n_samples - n_smaller, n_errors)
    error_rates = n_errors / n_samples
    return ErrorRateCurve(ratio, error_rates, moments.mean, moments.standard_deviation)
