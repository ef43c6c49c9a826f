"""Labels of some of the positives, where all other cases have none."""

from __future__ import annotations

import numpy as np

from skrate.data.arrays import ArrayLike, Label
from skrate.data.checks import check_labels, check_vector, warn
from skrate.data.estimated import EstimatedLabels, Scope
from skrate.data.show import described_like
from skrate.labels.checks import are_missing, check_chances
from skrate.labels.sampled import sampled


@described_like(sampled)
def positive_unlabelled(
    y_true: ArrayLike,
    label_frequency: ArrayLike,
    *,
    scope: Scope = "population",
    pos_label: Label = None,
) -> EstimatedLabels:
    r"""Take labels of some of the positives, where all other cases are unlabelled.

    If unlabelled cases are called negative, precision and AUC are too low. The share of
    the positives that is labelled says how many there are besides. The recall is the
    same with this function and without.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Whether a case is a labelled positive, as one of two classes: the other class
        holds all that are unlabelled, positives as well.
    label_frequency : float or array-like of shape (n_samples,)
        The probability that a positive is labelled, in (0, 1]: the same for all, or
        what it would be for each case.
    pos_label : int, float, bool or str, default=None
        The label of labelled positives; None takes the greater of {0, 1}, {-1, 1} or
        booleans.

    Returns
    -------
    labels : EstimatedLabels
        To be given as ``y_true``.

    Raises
    ------
    ValueError
        If labels are not of two classes, lengths differ, or a frequency is not in
        (0, 1].

    See Also
    --------
    sampled : Labels of both classes, of some of the cases.

    Notes
    -----
    A case counts :math:`\tilde y = s / c` as a positive, with :math:`s = 1` if it is
    labelled and :math:`c = P(s = 1 \mid y = 1)`, and 1 minus that as a negative [1]_.
    Its expectation is the true label if a positive is labelled with the probability c,
    whatever its score; given that label, :math:`s (1 - c) / c^2` is an unbiased
    estimate of its variance. The frequency is taken as known: its error is none of the
    standard error. Cost: O(n_samples).

    References
    ----------
    .. [1] Elkan and Noto (2008), Learning classifiers from only positive and unlabeled
       data, :doi:`10.1145/1401890.1401920`.

    Examples
    --------
    Half of the positives are labelled, so that there are twice as many:

    >>> from skrate import labels, precision_at_rate_score
    >>> y_true, y_score = [1, 0, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1]
    >>> found = labels.positive_unlabelled(y_true, 0.5)
    >>> found.pos.tolist()
    [2.0, 0.0, 2.0, 0.0, 0.0, 0.0]
    >>> precision_at_rate_score(found, y_score, rate=4 / 6)
    1.0
    >>> precision_at_rate_score(y_true, y_score, rate=4 / 6)
    0.5
    """
    given = check_vector("y_true", y_true)
    if are_missing(given).any():
        raise ValueError(
            "y_true has missing entries: give 0, or the other label, for cases that "
            "are unlabelled."
        )
    is_labelled = check_labels(given, pos_label)
    hint = (
        ": it is the share of the positives that is labelled; without labelled ones "
        "nothing is known of the others"
    )
    share = check_chances(
        "label_frequency", label_frequency, len(is_labelled), "(]", hint
    )
    pos = is_labelled / share
    noise = pos * np.sqrt(1 - share)
    if pos.sum() > len(pos) + 2 * np.sqrt((noise**2).sum()):
        warn(
            f"label_frequency leads to {pos.sum():.4g} positives of {len(pos)} cases: "
            "it is the share of the positives that is labelled, not of the cases."
        )
    return EstimatedLabels(pos, noise, "positive_unlabelled", scope)
