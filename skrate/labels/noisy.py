"""Labels by annotators or tests that err at known rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, IntArray, Label, dot
from skrate.data.checks import as_array, as_real, check_fractions, check_labels, warn
from skrate.data.estimated import EstimatedLabels
from skrate.labels.label_checks import are_missing


def noisy(
    y_true: ArrayLike,
    sensitivity: float | ArrayLike,
    specificity: float | ArrayLike,
    *,
    validation: tuple[float, float] | ArrayLike | None = None,
    pos_label: Label = None,
) -> EstimatedLabels:
    r"""Take labels of a test that errs with known sensitivity and specificity.

    Metrics by labels with errors evaluate the test along with the scores: most often
    they are too low, and the AUC at a low prevalence far too low. With this function
    they estimate what the true labels would give, without knowing which are wrong.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_annotators)
        Labels of two classes, by the test. One column for each of several annotators or
        tests, nan or None where one did not label.
    sensitivity, specificity : float or array-like of shape (n_annotators,)
        The probabilities that the test labels a true positive positive, and a true
        negative negative, whatever the score; their sum must be above 1.
    validation : (n_pos, n_neg) or array-like of shape (n_annotators, 2), default=None
        Numbers of true positives and negatives by which sensitivity and specificity
        were estimated, on other cases. None means that both are known.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    labels : EstimatedLabels
        To be given as ``y_true``.

    Raises
    ------
    ValueError
        If labels are not of two classes, a case has no label, sensitivity, specificity
        or validation are not one per annotator, not in [0, 1] or not above 0, or
        sensitivity and specificity add up to 1 or less.

    Warns
    -----
    UserWarning
        If the share of the rarer class is less than 4 times its standard error by
        validation: intervals are then too short.

    See Also
    --------
    sampled : Labels that are right, of some of the cases.

    Notes
    -----
    With the label z of a test of the sensitivity :math:`\alpha` and the specificity
    :math:`\beta`, and :math:`J = \alpha + \beta - 1`, a case counts

    .. math:: \tilde y = \frac{z + \beta - 1}{J}

    as a positive [1]_, whose expectation is the true label. Given that label, its
    variance has the unbiased estimate :math:`\beta (1 - \alpha) / J^2` where z = 1, and
    :math:`\alpha (1 - \beta) / J^2` where z = 0.

    Several annotators are taken to err independently, given the truth. A case counts
    the mean of their :math:`\tilde y`, with weights inverse to the variance of each,
    averaged over both classes at the prevalence that these labels show.

    An error of the sensitivity changes all counts at once, by :math:`-\tilde y / J`,
    and an error of the specificity by :math:`(1 - \tilde y) / J`. ``validation`` by n
    cases, of which k were right, has the variance :math:`(k + 1/2)(n - k + 1/2) / ((n +
    1)^2 (n + 2))`, of the posterior beta distribution with Jeffreys' prior. Cost:
    O(n_samples).

    References
    ----------
    .. [1] Rogan and Gladen (1978), Estimating prevalence from the results of a
       screening test, :doi:`10.1093/oxfordjournals.aje.a112510`.

    Examples
    --------
    A test finds 90 % of the positives, and is wrong about 20 % of the negatives:

    >>> from skrate import labels
    >>> found = labels.noisy([1, 0, 1, 0, 0], 0.9, 0.8)
    >>> [round(count, 4) for count in found.pos.tolist()]
    [1.1429, -0.2857, 1.1429, -0.2857, -0.2857]

    Two annotators, of whom the second looked at some cases only:

    >>> by_two = [[1, 1], [0, 1], [1, None], [0, None], [0, 0]]
    >>> found = labels.noisy(by_two, [0.9, 0.95], [0.8, 0.95])
    >>> [round(count, 2) for count in found.pos.tolist()]
    [1.07, 0.81, 1.14, -0.29, -0.1]
    """
    is_given, is_found = _check_annotations(y_true, pos_label)
    n_tests = is_found.shape[1]
    found, of_neg = rates = [
        _broadcast_annotators(name, check_fractions(name, values), n_tests)
        for name, values in (("sensitivity", sensitivity), ("specificity", specificity))
    ]
    youden = found + of_neg - 1
    if not (youden > 0).all():
        at = int(youden.argmin())
        raise ValueError(
            "sensitivity and specificity must add up to more than 1, found "
            f"{found[at]:g} and {of_neg[at]:g}: such labels are no better than chance. "
            "If 1 stands for negatives, swap the classes by pos_label."
        )
    counts = (is_found + of_neg - 1) / youden
    # Variances given the truth: their estimates by label, and means over both classes.
    by_label = np.where(is_found, of_neg * (1 - found), found * (1 - of_neg))
    prevalence = float(np.clip(counts[is_given].mean(), 0, 1))
    mean = prevalence * found * (1 - found) + (1 - prevalence) * of_neg * (1 - of_neg)
    weights = _weights(is_given, mean / youden**2)
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
    """Return which labels there are, and which are positive, a column per annotator."""
    given = as_array("y_true", y_true)
    columns = given[:, None] if given.ndim == 1 else given
    if columns.ndim != 2 or not columns.size:
        raise ValueError(
            "y_true must have one column per annotator, found an array of shape "
            f"{given.shape}."
        )
    is_given = ~are_missing(columns)
    if not is_given.any(axis=1).all():
        raise ValueError(
            "y_true has no label of the case at position "
            f"{int(np.argmin(is_given.any(axis=1)))}: leave such cases out, or see "
            "labels.sampled."
        )
    is_found = np.zeros(columns.shape, dtype=bool)
    is_found[is_given] = check_labels(columns[is_given], pos_label)
    return is_given, is_found


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
            "validation must be numbers of cases above 0, found "
            f"{sizes[~is_size][0]:g}."
        )
    n_right = sizes * rates.T
    n_wrong = sizes - n_right
    # Of Jeffreys' posterior; no product of sizes, which may be beyond float64.
    right, wrong = ((count + 0.5) / (sizes + 1) for count in (n_right, n_wrong))
    # From 10,000 cases on, Student's t is the normal distribution.
    n_seen = np.clip(np.rint(np.minimum(n_right, n_wrong)), 1, 10_000)
    return np.sqrt(right * wrong / (sizes + 2)), n_seen.astype(np.intp).ravel()


def _warn_rare_class(pos: FloatArray, shared: FloatArray) -> None:
    """Warn if the rarer class has a share of less than 4 of its standard errors."""
    error_of_share = float(np.sqrt(np.add.reduce(shared.mean(axis=1) ** 2)))
    rarer = min(pos.mean(), 1 - pos.mean())
    if rarer < 4 * error_of_share:
        warn(
            f"The rarer class is {rarer:.3g} of the cases, with a standard error of "
            f"{error_of_share:.2g} by validation alone: intervals of metrics are too "
            "short. Estimate sensitivity and specificity by more cases."
        )


def _broadcast_annotators(
    name: str, values: FloatArray, n_tests: int, *shape: int
) -> FloatArray:
    """Return values of each annotator, or the same of all."""
    try:
        return np.broadcast_to(values, (n_tests, *shape))
    except ValueError:
        raise ValueError(
            f"{name} must have the shape {(n_tests, *shape)}, as y_true is of "
            f"{n_tests} annotators, found {values.shape}."
        ) from None


def _weights(is_given: BoolArray, variances: FloatArray) -> FloatArray:
    """Return weights inverse to variances; labels without one need no others."""
    is_exact = variances == 0
    weights = is_given / np.where(is_exact, 1.0, variances)
    only = is_given & is_exact
    weights = np.where(only.any(axis=1, keepdims=True), only, weights)
    return np.asarray(weights / np.add.reduce(weights, axis=1, keepdims=True))


@dataclass(frozen=True, eq=False, repr=False)
class ValidatedLabels(EstimatedLabels):
    """Labels of tests whose sensitivity and specificity were estimated.

    ``shared`` is what a standard error of each rate changes in each label,
    and ``n_seen`` the number of cases in a validation sample that show that error.
    """

    shared: FloatArray = None  # type: ignore[assignment]
    n_seen: IntArray = None  # type: ignore[assignment]

    @property
    def known(self) -> None:
        """None: no label is known, as the rates are not."""

    def influence(self, of_pos: FloatArray, of_neg: FloatArray) -> FloatArray:
        errors = np.array([dot(of_pos - of_neg, each) for each in self.shared])
        # Each as n_seen independent cases, for the degrees of freedom.
        errors = np.repeat(errors / np.sqrt(self.n_seen), self.n_seen)
        return np.append(super().influence(of_pos, of_neg), errors)
