"""Estimated labels, from annotators or tests with given rates of errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, IntArray, Label, dot
from skrate.data.checks import (
    are_missing,
    as_array,
    as_real,
    check_fractions,
    check_labels,
    warn,
)
from skrate.data.estimated import EstimatedLabels


def noisy(
    y_true: ArrayLike,
    sensitivity: float | ArrayLike,
    specificity: float | ArrayLike,
    *,
    validation: tuple[float, float] | ArrayLike | None = None,
    pos_label: Label = None,
) -> EstimatedLabels:
    r"""Estimate labels from labels with errors, of given sensitivity and specificity.

    If some labels are wrong, because a test or an annotator makes errors, metrics are
    usually too low, and the AUC at a low prevalence is far too low. Metrics of the
    labels of this function are estimates of the metrics with the true labels. It need
    not be known which labels are wrong, only how often they are.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_annotators)
        Labels of two classes with errors. For several annotators or tests, one column
        for each, with nan or None for missing labels.
    sensitivity, specificity : float or array-like of shape (n_annotators,)
        The probabilities, in [0, 1], that a positive sample is labelled as positive,
        and that a negative sample is labelled as negative. They must not depend on the
        score, and their sum must be above 1. An array has one entry per annotator.
    validation : (n_pos, n_neg) or array-like of shape (n_annotators, 2), default=None
        If sensitivity and specificity were estimated in another data set with true
        labels: its numbers of positives and of negatives. Standard errors then include
        this uncertainty. None means that both are known exactly.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    labels : EstimatedLabels
        Pass them as ``y_true`` to the functions of this package.

    Raises
    ------
    ValueError
        If there are not two classes; if a sample has no label; if sensitivity,
        specificity or validation do not have one entry per annotator, or are out of
        range; or if sensitivity and specificity add up to 1 or less.

    Warns
    -----
    UserWarning
        If the estimated fraction of the rarer class is less than 4 times its standard
        error due to ``validation``. Confidence intervals are then too narrow.

    See Also
    --------
    sampled : For correct labels of only some samples.

    Notes
    -----
    Let z be the given label (1 or 0), :math:`\alpha` the sensitivity, :math:`\beta` the
    specificity, and :math:`J = \alpha + \beta - 1`. A sample counts as

    .. math:: \tilde y = \frac{z + \beta - 1}{J}

    positives and :math:`1 - \tilde y` negatives [1]_. The expectation of
    :math:`\tilde y` is the true label. An unbiased estimate of its variance, given the
    true label, is :math:`\beta (1 - \alpha) / J^2` if z = 1, and
    :math:`\alpha (1 - \beta) / J^2` if z = 0.

    The errors of several annotators are assumed to be independent, given the true
    label. A sample counts as the weighted mean of their :math:`\tilde y`. The weight of
    an annotator is the inverse of the variance of its :math:`\tilde y`, averaged over
    both classes at the estimated prevalence.

    If the true sensitivity is higher by a small :math:`\delta`, all :math:`\tilde y`
    change by :math:`-\delta \tilde y / J`; for the specificity, by
    :math:`\delta (1 - \tilde y) / J`. If k of the n samples of a class were labelled
    correctly in the validation, the variance of the sensitivity or specificity is
    :math:`(k + 1/2)(n - k + 1/2) / ((n + 1)^2 (n + 2))`, the variance of the posterior
    beta distribution with Jeffreys' prior. Cost: O(n_samples).

    References
    ----------
    .. [1] Rogan and Gladen (1978), Estimating prevalence from the results of a
       screening test, :doi:`10.1093/oxfordjournals.aje.a112510`.

    Examples
    --------
    A test detects 90 % of the positives, and is wrong for 20 % of the negatives. Labels
    of 1 count as 0.8 / 0.7 positives, and labels of 0 as -0.2 / 0.7:

    >>> from skrate import labels
    >>> y_noisy = labels.noisy([1, 0, 1, 0, 0], 0.9, 0.8)
    >>> [round(count, 4) for count in y_noisy.pos.tolist()]
    [1.1429, -0.2857, 1.1429, -0.2857, -0.2857]

    Two annotators; the second one labelled only some of the samples:

    >>> by_two = [[1, 1], [0, 1], [1, None], [0, None], [0, 0]]
    >>> y_noisy = labels.noisy(by_two, [0.9, 0.95], [0.8, 0.95])
    >>> [round(count, 2) for count in y_noisy.pos.tolist()]
    [1.07, 0.81, 1.14, -0.29, -0.1]
    """
    is_given, is_found = _check_annotations(y_true, pos_label)
    n_tests = is_found.shape[1]
    sens, spec = rates = [
        _broadcast_annotators(name, check_fractions(name, given_rates), n_tests)
        for name, given_rates in (
            ("sensitivity", sensitivity),
            ("specificity", specificity),
        )
    ]
    youden = sens + spec - 1
    if not (youden > 0).all():
        at = int(youden.argmin())
        raise ValueError(
            "sensitivity and specificity must add up to more than 1, got "
            f"{sens[at]:g} and {spec[at]:g}: if 1 stands for negatives, swap the "
            "classes by pos_label. Such labels are no better than chance."
        )
    counts = (is_found + spec - 1) / youden
    # Variances given the truth: their estimates by label, and means over both classes.
    by_label = np.where(is_found, spec * (1 - sens), sens * (1 - spec))
    prevalence = float(np.clip(counts[is_given].mean(), 0, 1))
    mean = prevalence * sens * (1 - sens) + (1 - prevalence) * spec * (1 - spec)
    variances = mean / youden**2
    # Inverse to the variances; if some are 0, only these have weight.
    is_exact = variances == 0
    weights = is_given / np.where(is_exact, 1.0, variances)
    only = is_given & is_exact
    weights = np.where(only.any(axis=1, keepdims=True), only, weights)
    weights /= np.add.reduce(weights, axis=1, keepdims=True)
    pos = np.add.reduce(weights * counts, axis=1)
    noise = np.sqrt(np.add.reduce(weights**2 * by_label / youden**2, axis=1))
    if validation is None:
        return EstimatedLabels(pos, noise, "noisy")
    errors, n_seen = _rate_errors(validation, np.stack(rates))
    slopes = np.stack([-counts, 1 - counts], axis=2) * (weights / youden)[:, :, None]
    shared = np.ascontiguousarray((slopes * errors).reshape(len(pos), -1).T)
    _warn_rare_class(pos, shared)
    return ValidatedLabels(pos, noise, "noisy", shared=shared, n_seen=n_seen)


def _check_annotations(
    y_true: ArrayLike, pos_label: Label
) -> tuple[BoolArray, BoolArray]:
    """Return masks of existing and of positive labels, with a column per annotator."""
    labels = as_array("y_true", y_true)
    columns = labels[:, None] if labels.ndim == 1 else labels
    if columns.ndim != 2 or not columns.size:
        raise ValueError(
            "y_true must have one column per annotator, got an array of shape "
            f"{labels.shape}."
        )
    is_given = ~are_missing(columns)
    if not is_given.any(axis=1).all():
        raise ValueError(
            "y_true must have a label for each sample, got none at position "
            f"{int(np.argmin(is_given.any(axis=1)))}: leave such samples out, or use "
            "labels.sampled."
        )
    is_pos = np.zeros(columns.shape, dtype=bool)
    is_pos[is_given] = check_labels(columns[is_given], pos_label)
    return is_given, is_pos


def _rate_errors(
    validation: tuple[float, float] | ArrayLike, rates: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Return standard errors of sensitivity and specificity, and their sample sizes.

    The errors have the shape (n_annotators, 2).
    """
    n_tests = rates.shape[1]
    sizes = _broadcast_annotators(
        "validation", as_real("validation", validation), n_tests, 2
    )
    is_size = (sizes > 0) & (sizes < np.inf)
    if not is_size.all():
        raise ValueError(
            "validation must have numbers of samples above 0, got "
            f"{sizes[~is_size][0]:g}."
        )
    n_right = sizes * rates.T
    n_wrong = sizes - n_right
    # By Jeffreys' posterior, without a product of sizes, which might overflow.
    right, wrong = ((count + 0.5) / (sizes + 1) for count in (n_right, n_wrong))
    # From 10,000 samples on, Student's t is practically the normal distribution.
    n_seen = np.clip(np.rint(np.minimum(n_right, n_wrong)), 1, 10_000)
    return np.sqrt(right * wrong / (sizes + 2)), n_seen.astype(np.intp).ravel()


def _warn_rare_class(pos: FloatArray, shared: FloatArray) -> None:
    """Warn if the fraction of the rarer class is below 4 of its standard errors."""
    error = float(np.sqrt(np.add.reduce(shared.mean(axis=1) ** 2)))
    rarer = min(pos.mean(), 1 - pos.mean())
    if rarer < 4 * error:
        warn(
            "Intervals of metrics are too short: estimate sensitivity and specificity "
            f"from more samples. The rarer class is {rarer:.3g} of the samples, with a "
            f"standard error of {error:.2g} from validation only."
        )


def _broadcast_annotators(
    name: str, values: FloatArray, n_tests: int, *shape: int
) -> FloatArray:
    """Return values for each annotator, or repeat one value for all."""
    try:
        return np.broadcast_to(values, (n_tests, *shape))
    except ValueError:
        raise ValueError(
            f"{name} must have the shape {(n_tests, *shape)}, because y_true has "
            f"{n_tests} annotators, got {values.shape}."
        ) from None


@dataclass(frozen=True, eq=False, repr=False)
class ValidatedLabels(EstimatedLabels):
    """Estimated labels, from tests with estimated sensitivity and specificity.

    ``shared`` is the change of each label by one standard error of each rate, and
    ``n_seen`` the number of samples in the validation sample that show this error.
    """

    shared: FloatArray = None  # type: ignore[assignment]
    n_seen: IntArray = None  # type: ignore[assignment]

    @property
    def known(self) -> None:
        """None, because rates and therefore labels are uncertain."""

    def influence(self, of_pos: FloatArray, of_neg: FloatArray) -> FloatArray:
        errors = np.array([dot(of_pos - of_neg, change) for change in self.shared])
        # Each is split into n_seen independent parts, for the degrees of freedom.
        errors = np.repeat(errors / np.sqrt(self.n_seen), self.n_seen)
        return np.append(super().influence(of_pos, of_neg), errors)
