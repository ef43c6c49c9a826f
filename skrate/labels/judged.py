"""Labels of some lists by people, and of all lists by a judge."""

from __future__ import annotations

import numpy as np

from skrate.data.arrays import Array, ArrayLike
from skrate.data.checks import (
    are_missing,
    check_equal_length,
    check_index,
    check_vector,
)
from skrate.data.judged import JudgedLabels


def judged(y_true: ArrayLike, y_judge: ArrayLike) -> JudgedLabels:
    r"""Estimate metrics within lists if people label some lists, and a judge all.

    A judge, such as a language model, labels all lists, but makes errors, and may
    favour one of the models. People label a random sample of the lists. The result is
    the mean of the lists that people labelled, corrected by the judge. It is almost
    unbiased for any judge, and a good judge makes the interval shorter.

    Experimental: the interface may change.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels or grades by people; nan or None for all items of the lists that people
        did not label. These lists must be chosen at random.
    y_judge : array-like of shape (n_samples,)
        Labels or grades of all items by the judge, as in ``y_true``. For probabilities,
        pass ``relevance_threshold=0.5`` with the metric, except for the NDCG, which
        takes them as gains.

    Returns
    -------
    labels : JudgedLabels
        Pass them as ``y_true``, with ``groups``, to :func:`skrate.estimate`,
        :func:`skrate.compare` or :func:`skrate.select_best`. If people labelled all
        lists, results are the same as with plain labels.

    Raises
    ------
    ValueError
        If lengths differ, people labelled no item, or a label of the judge is missing.
        The functions that take the labels raise it if people labelled a part of a list,
        or fewer than 3 lists.

    Warns
    -----
    UserWarning
        By these functions, if fewer than 8 labelled lists differ in their value, or
        between the models.

    See Also
    --------
    sampled : For single samples of one ranking that were drawn with probabilities. Its
        predictions are probabilities of two classes. Here, all lists have the same
        probability, and the judge may give grades on its own scale. Therefore, this
        is a different function.

    Notes
    -----
    Let :math:`f_l` be the metric of list l by people, and :math:`g_l` by the judge.
    With H the n lists that people labelled, and all N lists,

    .. math:: \hat\theta = \bar f_H + b \, (\bar g - \bar g_H), \quad
              b = \frac{\mathrm{cov}_H(f, g)}{\mathrm{var}_H(g)},

    the regression estimator of double sampling [1]_. It is prediction-powered inference
    with the optimal weight c [2]_: :math:`b = (1 + n / m) c` for m = N - n. The
    influence of list l has the part :math:`b (g_l - \bar g) / N`, and if l is in H also

    .. math:: \frac{f_l - \bar f_H - b x_l}{n \sqrt{1 - 1 / n - x_l^2 / s}}
              \left(1 + \frac{n x_l}{s} (\bar g - \bar g_H)\right), \quad
              x_l = g_l - \bar g_H, \; s = \sum_H x_l^2.

    The last factor allows for the error of b, and the root for leverage [3]_. The
    squared standard error is the sum of squares. Student's t has n - 2 degrees of
    freedom, or fewer if few lists decide the variance. If a list has more than half of
    s, b is 0, because its error is unknown. If lists have weights, or some are
    undefined, means are ratios of sums.

    A difference of two models uses :math:`f_A - f_B` and :math:`g_A - g_B`. The b of
    the difference is then also in ``value_a`` and ``value_b``, which can therefore
    differ from :func:`skrate.estimate`, and be slightly outside of the range of the
    metric.

    With :math:`\rho` the correlation of f and g, the interval is as short as with
    :math:`n / (1 - \rho^2 m / N)` labelled lists. The cost is twice that of plain
    labels.

    References
    ----------
    .. [1] Cochran (1977), Sampling Techniques, 3rd edition, section 12.6.
    .. [2] Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient prediction-powered
       inference, :doi:`10.48550/arXiv.2311.01453`.
    .. [3] MacKinnon and White (1985), Some heteroskedasticity-consistent covariance
       matrix estimators with improved finite sample properties,
       :doi:`10.1016/0304-4076(85)90158-7`.

    Examples
    --------
    A judge labels 200 lists of five items, people label 40 of them:

    >>> import numpy as np
    >>> from skrate import estimate, labels
    >>> rng = np.random.default_rng(0)
    >>> query = np.repeat(np.arange(200), 5)
    >>> truth = rng.random(1000) < 0.4
    >>> score = rng.normal(size=1000) + truth
    >>> by_judge = np.where(rng.random(1000) < 0.9, truth, ~truth)
    >>> by_people = np.where(query < 40, truth, np.nan)
    >>> y_judged = labels.judged(by_people, by_judge)
    >>> result = estimate("precision_at_rate", y_judged, score, groups=query, k=2)
    >>> round(result.value, 3), round(result.standard_error, 3)
    (0.527, 0.046)

    Only with the labels by people:

    >>> few = query < 40
    >>> result = estimate(
    ...     "precision_at_rate", truth[few], score[few], groups=query[few], k=2
    ... )
    >>> round(result.value, 3), round(result.standard_error, 3)
    (0.588, 0.062)
    """
    check_index(y_true, y_judge=y_judge)
    by_people = check_vector("y_true", y_true)
    by_judge = _infer_dtype(check_vector("y_judge", y_judge))
    check_equal_length(y_true=by_people, y_judge=by_judge)
    is_labelled = ~are_missing(by_people)
    if not is_labelled.any():
        raise ValueError("y_true must have a label: all entries are missing.")
    if are_missing(by_judge).any():
        raise ValueError(
            "y_judge must have a label for each item, got a missing one: let the judge "
            "label all items, or leave out lists without its labels."
        )
    filled = _infer_dtype(np.where(is_labelled, by_people, by_judge))
    return JudgedLabels(filled, by_judge, is_labelled)


def _infer_dtype(labels: Array) -> Array:
    """Return a copy, with numbers in objects as an array of numbers."""
    return np.array(labels.tolist()) if labels.dtype.kind == "O" else labels.copy()
