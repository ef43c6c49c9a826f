"""Labels that a calibrated model predicts, where there are none."""

from __future__ import annotations

import numpy as np

from skrate.data.arrays import ArrayLike
from skrate.data.checks import check_vector
from skrate.data.estimated import EstimatedLabels
from skrate.labels.label_checks import check_chances


def predicted(probability: ArrayLike) -> EstimatedLabels:
    r"""Take the probabilities of a calibrated model for labels that are not known.

    Metrics are then what the probabilities expect, before there is a label. They rest
    on calibration alone: a model that is too sure promises too much of itself, and no
    standard error shows it. With some labels, :func:`sampled` takes probabilities as
    ``prediction`` and is right even if these are wrong.

    Parameters
    ----------
    probability : array-like of shape (n_samples,)
        The probability that each case is positive, in [0, 1], given all that scores
        know of it.

    Returns
    -------
    labels : EstimatedLabels
        To be given as ``y_true``.

    Raises
    ------
    ValueError
        If a probability is not in [0, 1].

    See Also
    --------
    sampled : The same with some labels, which needs no calibration.

    Notes
    -----
    A case counts its probability p as a positive and 1 - p as a negative, as the
    average confidence of [1]_ estimates an accuracy; the variance of its label is
    p (1 - p). In products of the labels of two cases, such as in the AUC, no
    case is paired with itself. A ratio, such as the recall, is the ratio of
    expectations. The average precision of few positives is above the population's, as
    by known labels; here standard errors are small enough to show it (with 600
    positives, 95 % intervals for the population covered it in 0.89), so its interval is
    for ``for_batch()``. Cost: O(n_samples).

    References
    ----------
    .. [1] Guillory, Shankar, Ebrahimi, Darrell and Schmidt (2021), Predicting with
       confidence on unseen distributions, :doi:`10.1109/ICCV48922.2021.00117`.

    Examples
    --------
    Half of the positives to be expected are in the first two cases:

    >>> from skrate import labels, recall_at_rate_score
    >>> chances = [0.5, 0.25, 0.25, 0.25, 0.25, 0.0]
    >>> found = labels.predicted(chances)
    >>> recall_at_rate_score(found, chances, rate=1 / 3)
    0.5
    """
    given = check_vector("probability", probability)
    # A copy: the caller may change theirs.
    chances = check_chances("probability", given, len(given)).copy()
    noise = np.sqrt(chances * (1 - chances))
    return EstimatedLabels(chances, noise, "predicted, if calibrated")
