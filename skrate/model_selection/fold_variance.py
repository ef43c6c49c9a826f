"""The variance of a mean over folds, whose training sets overlap."""

from typing import Any

import numpy as np
from scipy import stats

from skrate.core.arrays import FloatArray
from skrate.core.results import ConfidenceInterval
from skrate.core.validation import check_positive


def check_test_share(n_train: Any, n_test: Any, n_folds: int) -> float:
    """Return n_test / n_train, by default that of cross-validation with ``n_folds``."""
    if n_train is None and n_test is None:
        if n_folds < 2:
            raise ValueError(
                "n_train and n_test are needed where there is one fold per repetition."
            )
        return 1 / (n_folds - 1)
    if n_train is None or n_test is None:
        missing = "n_train" if n_train is None else "n_test"
        raise ValueError(f"{missing} is missing: give n_train and n_test, or neither.")
    return check_positive("n_test", n_test) / check_positive("n_train", n_train)


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
    value: float, standard_error: float, n_values: int, level: float
) -> ConfidenceInterval:
    """Return the interval by Student's t with ``n_values`` - 1 degrees of freedom."""
    if n_values < 2:
        return ConfidenceInterval(float("nan"), float("nan"))
    half = float(stats.t.ppf((1 + level) / 2, n_values - 1)) * standard_error
    return ConfidenceInterval(value - half, value + half)
