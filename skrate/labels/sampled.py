"""Labels of a sample of the cases, drawn with known probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, IntArray, Label
from skrate.data.checks import (
    check_choice,
    check_equal_length,
    check_labels,
    check_vector,
)
from skrate.data.estimated import EstimatedLabels, TakenLabels
from skrate.data.ranking import check_groups
from skrate.labels.label_checks import are_missing, check_chances

Design = Literal["independent", "fixed"]
DESIGNS: tuple[Design, ...] = get_args(Design)


def sampled(
    y_true: ArrayLike,
    probability: ArrayLike,
    *,
    prediction: ArrayLike | None = None,
    design: Design | ArrayLike = "independent",
    pos_label: Label = None,
) -> EstimatedLabels:
    r"""Use labels of a sample, drawn with known probabilities, in place of all labels.

    A metric of the labelled cases alone is biased toward cases that were likely to be
    labelled. Here each label is weighted by the inverse of its probability. Good
    predictions for the other cases reduce the variance. Wrong ones increase it, but
    cause next to no bias.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; nan or None where there is no label.
    probability : float or array-like of shape (n_samples,)
        The probability that each case is labelled, in (0, 1], also for cases that were
        not.
    prediction : array-like of shape (n_samples,), default=None
        The probability that each case is positive, in [0, 1], by a model that was not
        trained on these labels. None takes 0: standard errors are then too small while
        few positives with a low ``probability`` have been drawn.
    design : {"independent", "fixed"} or array-like of shape (n_samples,)
        - "independent": each case was drawn independently of the others;
        - "fixed": the number of labels was fixed in advance;
        - an array gives the stratum of each case, in each of which it was fixed.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    labels : EstimatedLabels
        To be given as ``y_true``. Standard errors are for the metric of cases like
        these; after ``for_batch()``, for the metric that this batch would have if all
        of its labels were known.

    Raises
    ------
    ValueError
        If lengths differ, a probability is not in (0, 1] or a prediction not in [0, 1],
        no case has a label, or with a fixed number of labels the probabilities do not
        sum up to it, or a stratum has a single label of several cases.

    See Also
    --------
    plan_labels : Which cases to label.

    Notes
    -----
    With :math:`S_i` = 1 where a case is labelled, its probability :math:`\pi_i` and its
    prediction :math:`m_i`, it counts

    .. math:: \tilde y_i = m_i + \frac{S_i (y_i - m_i)}{\pi_i}

    as a positive [1]_, whose expectation is :math:`y_i`. In products of the labels of
    two cases, such as in the AUC, no case is paired with itself.

    With :math:`d_i` the slope of the metric by the label of case i, a batch has the
    variance :math:`\sum_i S_i (1 - \pi_i) (e_i - B)^2 / n^2`, where :math:`e_i = d_i
    (y_i - m_i) / \pi_i`; B is 0 for independent draws, and for fixed numbers the mean
    of :math:`e_i` with the weights :math:`1 - \pi_i` within the stratum, and the sum
    counts :math:`k / (k - 1)` times for k labels [2]_. With predictions it is at least
    :math:`\sum_i d_i^2 m_i (1 - m_i) (1 - \pi_i) / (\pi_i n^2)`, the variance expected
    by them: of cases that are labelled rarely, few labels show how they vary. Without
    predictions, or with predictions of 0 and 1, :func:`skrate.estimate`,
    :func:`skrate.compare` and :func:`skrate.select_best` warn if fewer than 6 drawn
    positives (labels that differ from the prediction) have :math:`1 / \pi_i` above half
    the maximum over all cases, drawn or not, except the 1 % with the lowest
    probability. Cost: O(n_samples).

    References
    ----------
    .. [1] Särndal, Swensson and Wretman (1992), Model assisted survey sampling,
       :doi:`10.1007/978-1-4612-4378-6`.
    .. [2] Hájek (1964), Asymptotic theory of rejective sampling with varying
       probabilities from a finite population, :doi:`10.1214/aoms/1177700375`.

    Examples
    --------
    Six in ten cases were labelled:

    >>> from skrate import estimate, labels
    >>> y_true = [1, None, 0, 1, None, 0, None, 0, None, 0] * 20
    >>> y_score = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0] * 20
    >>> found = labels.sampled(y_true, 0.6)
    >>> estimate("recall_at_rate", found, y_score, rate=0.3).value
    0.5
    """
    is_labelled, is_pos = check_partial_labels("y_true", y_true, pos_label)
    n_samples = len(is_pos)
    hint = (
        ": a case that can never be labelled says nothing. Leave such cases out, or "
        "label some of them"
    )
    share = check_chances("probability", probability, n_samples, hint_at_zero=hint)
    expected = np.zeros(n_samples)
    if prediction is not None:
        expected = check_chances("prediction", prediction, n_samples)
    away = np.where(is_labelled, (is_pos - expected) / share, 0.0)
    pos = np.where(is_labelled & (share == 1), is_pos, expected + away)
    root = np.where(is_labelled, np.sqrt(1 - share), 0.0)
    strata = None
    if not isinstance(design, str):
        strata = check_groups("design", design).codes
        check_equal_length(y_true=is_pos, design=strata)
    elif check_choice("design", design, DESIGNS) == "fixed":
        strata = np.zeros(n_samples, dtype=np.intp)
    if strata is not None:
        _check_sizes(is_labelled, share, strata)
    check_plausible(is_labelled, share)
    return SampledLabels(
        pos,
        root * away,
        "sampled",
        is_labelled=is_labelled,
        share=share,
        prediction=None if prediction is None else expected,
        strata=strata,
    )


def check_partial_labels(
    name: str, values: ArrayLike, pos_label: Label
) -> tuple[BoolArray, BoolArray]:
    """Return which cases are labelled, and which are known to be positive."""
    if np.ma.is_masked(values):
        raise ValueError(
            f"{name} is a masked array: give {name}.astype(object).filled(numpy.nan), "
            "which marks cases without a label."
        )
    given = check_vector(name, values)
    is_labelled = ~are_missing(given)
    if not is_labelled.any():
        raise ValueError(f"{name} has no label: all entries are missing.")
    is_pos = np.zeros(len(given), dtype=bool)
    try:
        is_pos[is_labelled] = check_labels(given[is_labelled], pos_label)
    except ValueError as error:
        raise ValueError(str(error).replace("y_true", name)) from None
    return is_labelled, is_pos


def check_plausible(
    is_labelled: BoolArray,
    share: FloatArray,
    reason: str = "labels were not drawn with these probabilities",
    names: tuple[str, str] = ("probability", "y_true"),
) -> None:
    """Raise for labels that these probabilities cannot have led to."""
    lacking = (share == 1) & ~is_labelled
    if lacking.any():
        raise ValueError(
            f"{names[0]} is 1 for {np.count_nonzero(lacking)} cases without a label, "
            f"such as case {int(lacking.argmax())}: give the probability with which "
            "each case was to get one."
        )
    planned, spread = share.sum(), np.sqrt((share * (1 - share)).sum())
    n_labels = np.count_nonzero(is_labelled)
    # Numbers that are further off than six standard deviations were not drawn so.
    if abs(n_labels - planned) > 6 * spread + 1:
        raise ValueError(
            f"{names[0]} leads to {planned:.4g} labels, give or take {spread:.2g}, "
            f"and {names[1]} has {n_labels}: {reason}."
        )


def _check_sizes(is_labelled: BoolArray, share: FloatArray, strata: IntArray) -> None:
    """Raise where numbers of labels were not fixed, or too few to see a variance."""
    found = np.bincount(strata, is_labelled)
    sizes = np.bincount(strata)
    planned = np.bincount(strata, share)
    off = np.abs(found - planned)
    if off.max() >= 1:
        at = int(off.argmax())
        raise ValueError(
            f"design: probabilities sum up to {planned[at]:.4g} in a stratum with "
            f"{found[at]:g} labels, so their number was not fixed: use "
            "design='independent'."
        )
    if ((found < 2) & (found < sizes)).any():
        raise ValueError(
            "design has a stratum with fewer than 2 labels, of which no variance is "
            "known: label more, or put strata together."
        )


@dataclass(frozen=True, eq=False, repr=False)
class SampledLabels(EstimatedLabels):
    """Labels of cases that were drawn with known probabilities."""

    is_labelled: BoolArray = None  # type: ignore[assignment]
    share: FloatArray = None  # type: ignore[assignment]
    prediction: FloatArray | None = None
    strata: IntArray | None = None  # In which the number of labels was fixed.

    def _taken(self, index: IntArray) -> EstimatedLabels:
        reason = "rows must not be chosen by which of them are labelled"
        check_plausible(self.is_labelled[index], self.share[index], reason)
        if self.strata is None:
            return super()._taken(index)
        return TakenLabels.of(self, index)

    @property
    def is_complete(self) -> bool:
        return bool(self.is_labelled.all())

    @property
    def drawn_errors(self) -> FloatArray:
        if self.prediction is None:
            return np.stack([1 / self.share, self.pos])
        # Probabilities say how labels vary; a prediction of 0 or 1 does not.
        is_sure = (self.prediction % 1 == 0) & (self.share < 1)
        errors = np.abs(self.pos - self.prediction)
        return np.where(is_sure, [1 / self.share, errors], 0.0)

    def influence(self, of_pos: FloatArray, of_neg: FloatArray) -> FloatArray:
        rows = super().influence(of_pos, of_neg)
        if self.strata is None:
            return rows
        root = np.where(self.is_labelled, np.sqrt(1 - self.share), 0.0)
        left = np.bincount(self.strata, root**2)
        # What a label adds on average, which a fixed number of labels cannot vary.
        sums = np.bincount(self.strata, root * self.noise * (of_pos - of_neg))
        mean = np.divide(sums, left, out=np.zeros_like(sums), where=left > 0)
        if self.scope == "population":
            return rows - mean[self.strata] * (self.is_labelled - self.share)
        n = np.bincount(self.strata, self.is_labelled)
        factor = np.sqrt(n / np.maximum(n - 1, 1))
        batch: FloatArray = factor[self.strata] * (rows - mean[self.strata] * root)
        return batch

    def influence_rows(
        self, of_pos: FloatArray, of_neg: FloatArray
    ) -> list[FloatArray]:
        rows = super().influence_rows(of_pos, of_neg)
        if self.prediction is not None:
            rows.append(self._expected_influence(of_pos, of_neg, self.prediction))
        return rows

    def _expected_influence(
        self, of_pos: FloatArray, of_neg: FloatArray, prediction: FloatArray
    ) -> FloatArray:
        """Return the influence that is expected if the predictions are right."""
        slope = of_pos - of_neg
        variance = prediction * (1 - prediction)
        variance /= self.share
        if self.scope == "batch":
            return np.asarray(slope * np.sqrt(variance * (1 - self.share)))
        spread = np.sqrt(variance, out=variance)
        spread *= slope
        # From here on the mean.
        slope *= prediction
        slope += of_neg
        return np.append(slope, spread)
