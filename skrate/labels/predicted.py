"""Estimated labels, from the probabilities of a calibrated model."""

from __future__ import annotations

import numpy as np

from skrate.data.arrays import ArrayLike
from skrate.data.checks import check_vector
from skrate.data.estimated import EstimatedLabels
from skrate.labels.label_checks import check_chances


def predicted(probability: ArrayLike) -> EstimatedLabels:
    r"""Estimate labels by the probabilities of a calibrated model, without any label.

    A metric of these labels is its expectation if the probabilities are correct. An
    overconfident model therefore overestimates its own performance, and standard errors
    do not show this. If there are labels of some samples, use :func:`sampled` with
    these probabilities as ``prediction``: it is unbiased even if they are wrong.

    Parameters
    ----------
    probability : array-like of shape (n_samples,)
        The probability that each sample is positive, in [0, 1]. The model of the
        probabilities must use all information that the scores use.

    Returns
    -------
    labels : EstimatedLabels
        Pass them as ``y_true`` to the functions of this package.

    Raises
    ------
    ValueError
        If a probability is not in [0, 1].

    See Also
    --------
    sampled : For labels of some samples; needs no calibrated model.

    Notes
    -----
    A sample with the probability p counts as p positives and 1 - p negatives, and the
    variance of its label is p (1 - p). The accuracy is estimated in the same way in
    [1]_, by the average confidence. In metrics of pairs, such as the AUC, no sample is
    paired with itself. A ratio, such as the recall, is the ratio of two expectations.

    The average precision of a small number of positives is biased upward as an estimate
    for the population, also with true labels. Here this matters, because standard
    errors are small: with 600 positives, 95 % intervals for the population had a
    coverage of only 0.89. For an interval of the average precision, pass
    ``labels.for_batch()``: it is for the metric of these samples with their true
    labels. Cost: O(n_samples).

    References
    ----------
    .. [1] Guillory, Shankar, Ebrahimi, Darrell and Schmidt (2021), Predicting with
       confidence on unseen distributions, :doi:`10.1109/ICCV48922.2021.00117`.

    Examples
    --------
    The first two samples have 0.75 of the 1.5 expected positives:

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
