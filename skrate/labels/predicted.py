"""Estimated labels, from the probabilities of a calibrated model."""

from __future__ import annotations

import numpy as np

from skrate.data.arrays import ArrayLike
from skrate.data.checks import check_vector
from skrate.data.estimated import EstimatedLabels
from skrate.labels.label_checks import check_chances


def predicted(probability: ArrayLike) -> EstimatedLabels:
    r"""Estimate metrics without labels, from the probabilities of a calibrated model.

    Metrics are then expectations under these probabilities. They depend entirely on the
    calibration: an overconfident model overestimates its own performance, and no
    standard error shows this. If there are some labels, :func:`sampled` takes
    probabilities as ``prediction`` and is unbiased even if they are wrong.

    Parameters
    ----------
    probability : array-like of shape (n_samples,)
        The probability that each sample is positive, in [0, 1], given all information
        that the scores use.

    Returns
    -------
    labels : EstimatedLabels
        Pass them as ``y_true``.

    Raises
    ------
    ValueError
        If a probability is not in [0, 1].

    See Also
    --------
    sampled : Uses some labels, and needs no calibration.

    Notes
    -----
    A sample counts as p positives and 1 - p negatives, where p is its probability; [1]_
    estimates the accuracy in the same way, by the average confidence. The variance of
    the label is p (1 - p). In products of the labels of two samples, such as in the
    AUC, no sample is paired with itself. A ratio, such as the recall, is the ratio of
    expectations. For a small number of positives, the average precision is biased
    upward as an estimate for the population, also with true labels. Here, standard
    errors are small enough to show this bias: with 600 positives, 95 % intervals for
    the population had a coverage of 0.89. Therefore its interval is for
    ``for_batch()``. Cost: O(n_samples).

    References
    ----------
    .. [1] Guillory, Shankar, Ebrahimi, Darrell and Schmidt (2021), Predicting with
       confidence on unseen distributions, :doi:`10.1109/ICCV48922.2021.00117`.

    Examples
    --------
    Half of the expected positives are in the first two samples:

    >>> from skrate import labels, recall_at_rate_score
    >>> chances = [0.5, 0.25, 0.25, 0.25, 0.25, 0.0]
    >>> y_predicted = labels.predicted(chances)
    >>> recall_at_rate_score(y_predicted, chances, rate=1 / 3)
    0.5
    """
    vector = check_vector("probability", probability)
    # A copy, because the caller may change the array.
    chances = check_chances("probability", vector, len(vector)).copy()
    noise = np.sqrt(chances * (1 - chances))
    return EstimatedLabels(chances, noise, "predicted, if calibrated")
