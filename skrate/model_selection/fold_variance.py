"""The variance of a mean over folds, whose training sets overlap."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from skrate.core.arrays import FloatArray, IntArray
from skrate.core.repeats import check_repeats, disjoint_repeats
from skrate.core.results import ConfidenceInterval
from skrate.core.validation import check_positive
from skrate.model_selection.score_range import clipped

# More folds than this are rarely those of one cross-validation.
MOST_FOLDS = 10


def check_test_share(n_train: Any, n_test: Any) -> float | None:
    """Return n_test / n_train as given, None if they are not."""
    if n_train is None and n_test is None:
        return None
    if n_train is None or n_test is None:
        missing = "n_train" if n_train is None else "n_test"
        raise ValueError(f"{missing} is missing: give n_train and n_test, or neither.")
    return check_positive("n_test", n_test) / check_positive("n_train", n_train)


def share_of_folds(n_folds: float) -> float:
    """Return n_test / n_train of cross-validation with ``n_folds`` folds a repeat."""
    if n_folds < 2:
        raise ValueError(
            "n_train and n_test are needed where there is one fold per repetition."
        )
    return 1 / (n_folds - 1)


def warn_of_flat_scores(
    what: str, n_folds: int, remedy: str, *, stacklevel: int
) -> None:
    """Warn if flat scores may be those of repeated cross-validation."""
    if n_folds > MOST_FOLDS:
        warnings.warn(
            f"{what} {n_folds} flat scores, taken for one cross-validation with "
            f"{n_folds} folds, hence n_test / n_train = 1/{n_folds - 1}. If it was "
            f"repeated or split at random, intervals are too narrow and p-values too "
            f"small: {remedy}",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


@dataclass(frozen=True)
class FoldDesign:
    """What is known of the folds that scores come from.

    Attributes
    ----------
    repeats : int array of shape (n_folds,)
        The repeat of each fold, in which no case is tested twice.
    test_share : float
        n_test / n_train.
    times_tested : float
        How often a case is tested within what counts as one repeat, at least 1.
    is_assumed : bool
        Whether nothing says that this is not repeated cross-validation.
    """

    repeats: IntArray
    test_share: float
    times_tested: float = 1.0
    is_assumed: bool = False


def fold_design(
    n_folds: int, n_train: Any, n_test: Any, repeats: Any, indices: Any
) -> FoldDesign:
    """Return the design as it was given, else as the test indices or n_folds say."""
    given_share = check_test_share(n_train, n_test)
    share = given_share
    if repeats is not None:
        numbers = check_repeats("repeats", repeats, n_folds)
    elif indices is not None:
        numbers = disjoint_repeats(indices["test"])
    else:
        numbers = check_repeats("repeats", None, n_folds)
    if share is None and indices is not None:
        n_tested, n_trained = (
            sum(np.size(rows) for rows in indices[part]) for part in ("test", "train")
        )
        share = n_tested / n_trained
    if share is None:
        share = share_of_folds(n_folds / (1 + numbers.max()))
    if repeats is not None or indices is not None:
        return FoldDesign(numbers, share)
    # Of all cases, the folds test this share each.
    times_tested = max(1.0, n_folds * share / (1 + share))
    return FoldDesign(numbers, share, times_tested, is_assumed=given_share is None)


def mean_standard_error(values: FloatArray, test_share: float) -> float:
    """Return the standard error of the mean of J fold values.

    sqrt((1 / J + n_test / n_train) s^2): the second term stands for the correlation
    of folds that share training cases ([1]_); without it, folds count as independent.

    References
    ----------
    .. [1] Nadeau and Bengio (2003), Inference for the generalization error,
       :doi:`10.1023/A:1024068626366`.

    Examples
    --------
    Two folds of variance 2 and equal training and test sets: (1 / 2 + 1) 2 = 3.

    >>> round(mean_standard_error(np.array([0.0, 2.0]), 1.0) ** 2, 12)
    3.0
    """
    if len(values) < 2:
        return float("nan")
    return float(np.sqrt((1 / len(values) + test_share) * np.var(values, ddof=1)))


def t_interval(
    value: float,
    standard_error: float,
    n_values: int,
    level: float,
    limits: tuple[float, float],
) -> ConfidenceInterval:
    """Return the interval by Student's t with ``n_values`` - 1 degrees of freedom.

    It ends where the range of the value does.
    """
    if n_values < 2:
        return ConfidenceInterval(float("nan"), float("nan"))
    half = float(stats.t.ppf((1 + level) / 2, n_values - 1)) * standard_error
    return clipped(ConfidenceInterval(value - half, value + half), *limits)
