"""Estimated labels, from the labels of samples that were drawn at random."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

import numpy as np

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, IntArray, Label
from skrate.data.checks import (
    are_missing,
    check_choice,
    check_equal_length,
    check_flag,
    check_index,
    check_labels,
    check_vector,
)
from skrate.data.estimated import EstimatedLabels, SelectedLabels
from skrate.data.ranking import check_groups
from skrate.inference.cautions import count_heavy
from skrate.labels.calibration import (
    bounding_prediction,
    calibrated,
    prediction_weight,
    raise_bounding,
)
from skrate.labels.label_checks import check_chances

Design = Literal["independent", "fixed"]
DESIGNS: tuple[Design, ...] = get_args(Design)


def sampled(
    y_true: ArrayLike,
    probability: ArrayLike,
    *,
    prediction: ArrayLike | None = None,
    calibrate: bool = True,
    design: Design | ArrayLike = "independent",
    pos_label: Label = None,
) -> EstimatedLabels:
    r"""Estimate the labels of all samples from labels drawn with known probabilities.

    A metric of only the labelled samples is biased toward samples that were likely to
    be labelled. Here, labels are weighted by inverse probabilities. A good
    ``prediction``, a guess of each label by a model or judge, reduces the variance. It
    is calibrated on the labels, gets a small weight if poor, and causes almost no bias.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; nan or None for samples without a label.
    probability : float or array-like of shape (n_samples,)
        The probability that each sample is labelled, in (0, 1], also for samples
        without a label.
    prediction : array-like of shape (n_samples,), default=None
        The probability that each sample is positive, in [0, 1], or verdicts of 0 and 1,
        from a model or judge that was not trained on these labels. With verdicts,
        standard errors are too small if fewer than about 6 labelled positives have a
        low ``probability`` (see Notes). With None, the labels are predicted by the
        scores of each model, or not at all if ``calibrate`` is False.
    calibrate : bool, default=True
        Whether to replace predictions by the fraction of positives among labelled
        samples with similar predictions (and scores, when a metric is computed), and to
        multiply them by the weight that minimises the variance. False uses predictions
        as they are. Poorly calibrated predictions, or verdicts, can then make the
        standard error several times as large. Calibration is experimental and may
        change.
    design : {"independent", "fixed"} or array-like, default="independent"
        - "independent": each sample was drawn independently;
        - "fixed": the number of labels was fixed in advance;
        - an array of shape (n_samples,) gives the stratum of each sample: the number of
          labels of each stratum was fixed.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.

    Returns
    -------
    labels : EstimatedLabels
        Pass them as ``y_true``. Standard errors are for the metric of the population
        that the samples represent. ``labels.for_batch()`` returns labels whose standard
        errors are for the metric that these samples would have if all were labelled.

    Raises
    ------
    ValueError
        If lengths differ, a probability is not in (0, 1], a prediction is not in
        [0, 1], no sample has a label, or the number of labels is implausible under
        ``probability``. If the number of labels was fixed: if it differs by 1 or more
        from the sum of the probabilities of a stratum, or if a stratum has fewer than
        two labels, unless all its samples are labelled.

    See Also
    --------
    plan_labels : Select the samples to label.

    Notes
    -----
    Let :math:`S_i` be 1 if sample i is labelled and 0 otherwise, :math:`\pi_i` its
    probability of being labelled and :math:`m_i` its prediction, calibrated and
    weighted by default. The sample counts as

    .. math:: \tilde y_i = m_i + \frac{S_i (y_i - m_i)}{\pi_i}

    positives [1]_. The expectation is :math:`y_i`. Sums over pairs of samples, such as
    the AUC, leave out pairs of a sample with itself.

    With ``calibrate``, :math:`m_i = \lambda \hat m_i`. Let :math:`a_i` be the isotonic
    regression of the labels on the predictions, with the weights :math:`1 / \pi`, in at
    most 64 bins. For verdicts, it is the mean label of samples with the same verdict,
    or of all samples if the verdict 1 does not have the higher mean. When a model is
    evaluated, its scores are used for a second correction: :math:`\hat m_i = \min(a_i
    r_i, 1)`, where :math:`r_i` is the isotonic regression of the ratios :math:`y / a`
    on the scores, with the weights :math:`a / \pi`. Therefore, the estimated number of
    positives depends on the scores. Both regressions leave out the label of sample i,
    because :math:`m_i` must not depend on :math:`S_i`. Each mean of both regressions
    includes a quarter of a label more, the average of the other labels, so that it is
    not 0 in bins without a labelled positive. Without ``prediction``, :math:`a_i` is
    the mean label, and only the scores predict.

    The weight :math:`\lambda` minimises the variance of the mean label, as in
    prediction-powered inference [3]_. Let :math:`\omega_i = S_i (1 - \pi_i) / \pi_i^2`,
    and :math:`\bar m` the mean of :math:`\hat m_i` with these weights. Then

    .. math:: \lambda = \min\left(\frac{\sum_i \omega_i \hat m_i y_i}
              {\sum_i \omega_i \hat m_i^2}, \; \frac{\sum_i \omega_i (\hat m_i -
              \bar m) y_i}{\sum_i \omega_i (\hat m_i - \bar m)^2}\right),

    limited to [0, 1]. The first ratio minimises the variance for independent draws, and
    the second (approximately) for a fixed number of labels; the smaller one is used.

    Let :math:`d_i` be n times the derivative of the metric with respect to the label of
    sample i, for n samples, and :math:`e_i = d_i (y_i - m_i) / \pi_i`. The metric of
    the batch has the variance :math:`\sum_i S_i (1 - \pi_i) (e_i - B)^2 / n^2`. For
    independent draws B is 0. For a fixed number of k labels in a stratum, B is the mean
    of :math:`e_i` of these labels with the weights :math:`1 - \pi_i`, and the sum over
    the stratum is multiplied by :math:`k / (k - 1)` [2]_.

    Let M be the maximum of :math:`1 / \pi_i`, without the 1 % of samples with the
    lowest :math:`\pi_i`. Unless all samples have :math:`1 / \pi_i > M / 2`, at least 6
    labelled positives with such a weight are needed to estimate the variance from the
    labels.
    With fewer, and with probabilities as predictions, the variance is at least
    :math:`\sum_i d_i^2 p_i (1 - p_i) (1 - \pi_i) / (\pi_i n^2)`, the expected variance
    if :math:`p_i` is right. Here :math:`p_i` is the larger one of :math:`\hat m_i` and
    the scaled prediction; its sum is the estimated number of positives. With verdicts,
    :func:`skrate.estimate`, :func:`skrate.compare` and :func:`skrate.select_best` warn.
    Without predictions, this minimum always applies with :math:`p_i = \hat m_i`, and
    12 labelled samples with :math:`1 / \pi_i > M / 2`, at least one of them positive,
    are needed.

    With ``calibrate=False`` and predictions, :math:`p_i` is the prediction, the minimum
    always applies, and the rule of 6 counts labels that differ from their verdict.
    Without predictions, there is no minimum, and the rule of 6 counts positives. Cost:
    one sort of the predictions, and one of the scores.

    References
    ----------
    .. [1] Särndal, Swensson and Wretman (1992), Model assisted survey sampling,
       :doi:`10.1007/978-1-4612-4378-6`.
    .. [2] Hájek (1964), Asymptotic theory of rejective sampling with varying
       probabilities from a finite population, :doi:`10.1214/aoms/1177700375`.
    .. [3] Angelopoulos, Duchi and Zrnic (2023), PPI++: efficient prediction-powered
       inference, :doi:`10.48550/arXiv.2311.01453`.

    Examples
    --------
    Six of ten samples were labelled:

    >>> from skrate import estimate, labels
    >>> y_true = [1, None, 0, 1, None, 0, None, 0, None, 0] * 20
    >>> y_score = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0] * 20
    >>> y_sampled = labels.sampled(y_true, 0.6)
    >>> estimate("recall_at_rate", y_sampled, y_score, rate=0.3).value
    0.5

    The verdicts of a judge reduce the standard error of the AUC. As they are, without
    calibration, they increase it:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2_000) < 0.1
    >>> score = rng.normal(size=2_000) + y
    >>> verdict = rng.random(2_000) < np.where(y, 0.9, 0.1)
    >>> y_seen = np.where(rng.random(2_000) < 0.2, y, np.nan)
    >>> for options in (
    ...     {}, {"prediction": verdict}, {"prediction": verdict, "calibrate": False}
    ... ):
    ...     y_sampled = labels.sampled(y_seen, 0.2, **options)
    ...     print(round(estimate("roc_auc", y_sampled, score).standard_error, 3))
    0.044
    0.035
    0.057
    """
    rows = {"probability": probability, "prediction": prediction, "design": design}
    check_index(y_true, **rows)
    is_labelled, is_pos = check_partial_labels("y_true", y_true, pos_label)
    n_samples = len(is_pos)
    hint = ": leave out samples that can never be labelled, or label some of these"
    proba = check_chances("probability", probability, n_samples, hint_at_zero=hint)
    calibrate = check_flag("calibrate", calibrate)
    fitted = bounding = None
    if prediction is not None:
        fitted = bounding = check_chances("prediction", prediction, n_samples)
        if calibrate:
            known = is_labelled, is_pos, proba
            fitted = calibrated(*known, fitted)
            bounding = bounding_prediction(*known, bounding, fitted)
    elif calibrate:
        # Equal for all samples, and without effect, until the scores are known.
        fitted = calibrated(is_labelled, is_pos, proba, np.full(n_samples, 0.5))
        bounding = np.full(n_samples, 1e-9)
    strata = None
    if not isinstance(design, str):
        strata = check_groups("design", design).codes
        check_equal_length(y_true=is_pos, design=strata)
    elif check_choice("design", design, DESIGNS) == "fixed":
        strata = np.zeros(n_samples, dtype=np.intp)
    if strata is not None:
        _check_sizes(is_labelled, proba, strata)
    check_plausible(is_labelled, proba)
    return SampledLabels(
        is_pos.astype(float),
        np.zeros(n_samples),
        "sampled",
        is_labelled=is_labelled,
        share=proba,
        prediction=bounding,
        strata=strata,
        fitted=fitted if calibrate else None,
        is_predicted_by_scores=prediction is None and calibrate,
    ).predicted_by(fitted)


def check_partial_labels(
    name: str, values: ArrayLike, pos_label: Label
) -> tuple[BoolArray, BoolArray]:
    """Return masks of the samples with a label, and with a positive label."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} is a masked array: pass {name}.astype(object).filled(numpy.nan), "
            "because nan is a missing label."
        )
    labels = check_vector(name, values)
    is_labelled = ~are_missing(labels)
    if not is_labelled.any():
        raise ValueError(f"{name} must have a label: all entries are missing.")
    is_pos = np.zeros(len(labels), dtype=bool)
    try:
        is_pos[is_labelled] = check_labels(labels[is_labelled], pos_label)
    except ValueError as error:
        raise ValueError(str(error).replace("y_true", name)) from None
    return is_labelled, is_pos


def check_plausible(
    is_labelled: BoolArray,
    proba: FloatArray,
    reason: str = "labels were not drawn with these probabilities",
    names: tuple[str, str] = ("probability", "y_true"),
) -> None:
    """Raise if labels cannot have been drawn with these probabilities."""
    is_missing = (proba == 1) & ~is_labelled
    if is_missing.any():
        raise ValueError(
            f"{names[0]} must be below 1 for samples without a label, got 1 for "
            f"{np.count_nonzero(is_missing)} of them, such as sample "
            f"{int(is_missing.argmax())}."
        )
    planned, spread = proba.sum(), np.sqrt((proba * (1 - proba)).sum())
    n_labels = np.count_nonzero(is_labelled)
    # A difference of more than six standard deviations is not a matter of chance.
    if abs(n_labels - planned) > 6 * spread + 1:
        raise ValueError(
            f"{names[0]} adds up to {planned:.4g} labels, with a standard deviation of "
            f"{spread:.2g}, but {names[1]} has {n_labels}: {reason}."
        )


def _check_sizes(is_labelled: BoolArray, proba: FloatArray, strata: IntArray) -> None:
    """Raise if the number of labels of a stratum was not fixed, or is too small."""
    n_labels = np.bincount(strata, is_labelled)
    sizes = np.bincount(strata)
    planned = np.bincount(strata, proba)
    gap = np.abs(n_labels - planned)
    if gap.max() >= 1:
        at = int(gap.argmax())
        raise ValueError(
            f"design must be 'independent', because the number of labels was not "
            f"fixed: probabilities sum to {planned[at]:.4g} in a stratum with "
            f"{n_labels[at]:g} labels."
        )
    if ((n_labels < 2) & (n_labels < sizes)).any():
        raise ValueError(
            "design must have at least 2 labels in each stratum, or labels of all its "
            "samples, to estimate a variance: label more samples, or merge strata."
        )


@dataclass(frozen=True, eq=False, repr=False)
class SampledLabels(EstimatedLabels):
    """Estimated labels, from labels that were drawn with given probabilities."""

    is_labelled: BoolArray = None  # type: ignore[assignment]
    share: FloatArray = None  # type: ignore[assignment]
    prediction: FloatArray | None = None
    strata: IntArray | None = None  # Their numbers of labels were fixed.
    fitted: FloatArray | None = None  # Predictions calibrated on the labels.
    is_predicted_by_scores: bool = False  # No predictions were given.

    def predicted_by(self, prediction: FloatArray | None) -> Self:
        """Return the labels with these predictions, multiplied by their best weight.

        Without calibration, predictions count as they are.
        """
        # A labelled positive counts at least 1, and a labelled negative at most 0.
        is_pos = self.is_labelled & (self.pos > 0.5)
        expected = np.zeros(len(self)) if prediction is None else prediction
        if self.fitted is not None:
            known = self.is_labelled, is_pos, self.share
            expected = prediction_weight(*known, expected) * expected
        residual = np.where(self.is_labelled, (is_pos - expected) / self.share, 0.0)
        is_certain = self.is_labelled & (self.share == 1)
        root = np.where(self.is_labelled, np.sqrt(1 - self.share), 0.0)
        pos = np.where(is_certain, is_pos, expected + residual)
        return replace(self, pos=pos, noise=root * residual)

    def for_scores(self, scores: FloatArray) -> Self:
        if self.fitted is None:
            return self
        known = self.is_labelled, self.is_labelled & (self.pos > 0.5), self.share
        expected, bounding = calibrated(*known, self.fitted, scores), self.prediction
        if bounding is not None:
            bounding = raise_bounding(bounding, bounding, expected)
        return replace(self.predicted_by(expected), prediction=bounding)

    def _select(self, index: IntArray) -> EstimatedLabels:
        reason = "rows must not be selected by whether they have a label"
        check_plausible(self.is_labelled[index], self.share[index], reason)
        if self.strata is None:
            return super()._select(index)
        return SelectedLabels.of(self, index)

    @property
    def is_complete(self) -> bool:
        return bool(self.is_labelled.all())

    @property
    def min_heavy(self) -> int:
        return 12 if self.is_predicted_by_scores else super().min_heavy

    @property
    def drawn_errors(self) -> FloatArray:
        weight = 1 / self.share
        positives = np.where(self.is_labelled & (self.pos > 0.5), weight, 0.0)
        if self.is_predicted_by_scores and count_heavy(weight, positives, 1) is None:
            return np.stack([weight, self.is_labelled * weight])
        # Without a heavy positive, scores predict almost none either.
        if self.is_predicted_by_scores or self.prediction is None:
            return np.stack([weight, positives])
        # Fractional predictions show how labels vary; predictions of 0 or 1 do not.
        is_sure = (self.prediction % 1 == 0) & (self.share < 1)
        errors = np.abs(self.pos - self.prediction)
        return np.where(is_sure, [1 / self.share, errors], 0.0)

    def influence(self, of_pos: FloatArray, of_neg: FloatArray) -> FloatArray:
        rows = super().influence(of_pos, of_neg)
        if self.strata is None:
            return rows
        root = np.where(self.is_labelled, np.sqrt(1 - self.share), 0.0)
        weights = np.bincount(self.strata, root**2)
        # The mean contribution of a label is constant if their number is fixed.
        sums = np.bincount(self.strata, root * self.noise * (of_pos - of_neg))
        mean = np.divide(sums, weights, out=np.zeros_like(sums), where=weights > 0)
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
        if self.prediction is None:
            return rows
        # Expected if the predictions are right.
        slope, p = of_pos - of_neg, self.prediction
        variance = p * (1 - p) / self.share
        if self.scope == "batch":
            return [*rows, slope * np.sqrt(variance * (1 - self.share))]
        return [*rows, np.append(of_neg + slope * p, slope * np.sqrt(variance))]
