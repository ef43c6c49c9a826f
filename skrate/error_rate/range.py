"""Which AUCs a published confusion matrix allows."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from skrate.data.arrays import FloatArray
from skrate.data.checks import check_choice, check_count, check_fraction
from skrate.error_rate.distribution import auc_probabilities
from skrate.error_rate.moments import AUCFromErrors, AUCRange, auc_moments, check_errors

# Pairs of a positive and a negative up to which "auto" takes the exact distribution:
# about a second at most.
_EXACT_PAIRS = 10_000
Method = Literal["auto", "exact", "moments"]
METHODS: tuple[Method, ...] = get_args(Method)


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

    Many articles give a confusion matrix or an accuracy, but no AUC and no scores.
    This is the range that holds at least `share` of all rankings and
    thresholds with that number of errors, each being equally probable. It speaks of
    the AUC on those very cases; it is not a confidence interval for the AUC on new
    cases, for which the scores are needed.

    Parameters
    ----------
    n_pos : int
        Number of positive cases, at least 1.
    n_neg : int
        Number of negative cases, at least 1.
    n_errors : int, default=None
        Number of errors, at most ``n_pos + n_neg``. Leave it out if the two kinds of
        error are given apart, which says more and makes the range narrower.
    share : float, default=0.95
        Share of the rankings that the range holds, in (0, 1).
    n_false_pos : int, default=None
        Number of negatives called positive, with `n_false_neg`.
    n_false_neg : int, default=None
        Number of positives called negative, with `n_false_pos`.
    method : {"auto", "exact", "moments"}, default="auto"
        - "exact": quantiles of the exact distribution, equal tails. The cost grows
          with the square of the number of pairs, ``n_pos * n_neg``.
        - "moments": Chebyshev's inequality from mean and variance, which needs no
          assumption on the form of the distribution and is wider.
        - "auto": "exact" up to 10,000 pairs, else "moments".

    Returns
    -------
    result : AUCFromErrors
        With ``range.low`` and ``range.high``, the ``method`` used, ``mean``,
        ``standard_deviation``, and ``possible``, the two AUCs beyond which no ranking
        lies. Without errors all of these are 1 (and the deviation 0).

    Raises
    ------
    ValueError
        If a count is not an integer or negative, a class is empty, there are more
        errors than cases, neither or both forms of the errors are given,
        `share` is not in (0, 1) or `method` is none of the above.

    See Also
    --------
    sklearn.metrics.roc_auc_score : The AUC itself, if the scores are at hand.
    auc_moments : Mean and variance only, for many settings at once.

    Notes
    -----
    Given x false positives and x' false negatives, the number of pairs in order is
    the constant (m - x')(n - x), from pairs across the threshold, plus two
    independent Mann-Whitney statistics, of x and m - x' cases above and of x' and
    n - x below. "exact" mixes these distributions over x with the weights of
    :func:`auc_moments`, and takes the narrowest values that leave at most half of
    1 - `share` on each side. "moments" is the mean plus and minus
    sd / sqrt(1 - `share`), cut at the possible range, which is
    (1 - x/n)(1 - x'/m) to 1 - x x' / (m n) for the most extreme split.

    References
    ----------
    .. [1] Cortes, C. and Mohri, M. (2003). AUC optimization vs. error rate
       minimization. Advances in Neural Information Processing Systems 16, 313-320.
       Lemma 2, propositions 1 and 2.

    Examples
    --------
    Ten positives, ten negatives, two errors:

    >>> from skrate import auc_range_from_errors
    >>> result = auc_range_from_errors(10, 10, 2)
    >>> result.method, round(result.mean, 2)
    ('exact', 0.9)
    >>> [round(end, 2) for end in result.range]
    [0.82, 0.98]

    A published confusion matrix with 20 of 100 positives missed and 90 of 900
    negatives called positive:

    >>> result = auc_range_from_errors(
    ...     100, 900, n_false_pos=90, n_false_neg=20
    ... )
    >>> result.method, round(result.mean, 2)
    ('moments', 0.85)
    >>> [round(end, 2) for end in result.range]
    [0.8, 0.9]
    """
    n_pos, n_neg = check_count("n_pos", n_pos), check_count("n_neg", n_neg)
    given = {
        "n_errors": n_errors,
        "n_false_pos": n_false_pos,
        "n_false_neg": n_false_neg,
    }
    for name, value in given.items():
        if value is not None:
            check_count(name, value, minimum=0)
    checked = check_errors(np.array(n_pos), np.array(n_neg), **given)
    errors = [int(count) for count in checked]
    share = check_fraction("share", share)
    check_choice("method", method, METHODS)
    if method == "auto":
        method = "exact" if n_pos * n_neg <= _EXACT_PAIRS else "moments"

    moments = auc_moments(n_pos, n_neg, **given)
    possible = _possible_range(n_pos, n_neg, *errors)
    if method == "exact":
        found = _equal_tails(auc_probabilities(n_pos, n_neg, *errors), share)
    else:
        reach = moments.standard_deviation / np.sqrt(1 - share)
        found = AUCRange(
            float(max(moments.mean - reach, possible[0])),
            float(min(moments.mean + reach, possible[1])),
        )
    return AUCFromErrors(moments.mean, moments.variance, found, possible, method)


def _possible_range(n_pos: int, n_neg: int, *errors: int) -> AUCRange:
    """Return the AUCs of the worst and best ranking with these errors."""
    if len(errors) == 1:
        first, last = max(0, errors[0] - n_pos), min(errors[0], n_neg)
        false_pos = np.arange(first, last + 1, dtype=float)
        false_neg = errors[0] - false_pos
    else:
        false_pos, false_neg = np.array([errors[0]]), np.array([errors[1]])
    low = (n_pos - false_neg) * (n_neg - false_pos)
    high = n_pos * n_neg - false_pos * false_neg
    pairs = n_pos * n_neg
    return AUCRange(float(low.min() / pairs), float(high.max() / pairs))


def _equal_tails(probabilities: FloatArray, share: float) -> AUCRange:
    """Return the narrowest AUCs with at most (1 - share) / 2 beyond each."""
    tail = (1 - share) / 2
    pairs = len(probabilities) - 1
    # Both sums run from the small end, so that a tail keeps its digits.
    low = int(np.searchsorted(np.cumsum(probabilities), tail, side="right"))
    up = int(np.searchsorted(np.cumsum(probabilities[::-1]), tail, side="right"))
    return AUCRange(low / pairs, (pairs - up) / pairs)
