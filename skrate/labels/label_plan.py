"""Which samples to label, to estimate a metric with the smallest standard error."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skrate.data.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    RandomState,
)
from skrate.data.checks import (
    are_missing,
    check_count,
    check_equal_length,
    check_fraction,
    check_generator,
    check_vector,
)
from skrate.data.estimated import EstimatedLabels
from skrate.inference.rankings import (
    Ranked,
    add_model_scores,
    are_columns,
    check_metric,
    check_several,
    model_columns,
)
from skrate.inference.variance import influence_values
from skrate.labels.calibration import calibrated
from skrate.labels.label_checks import check_chances
from skrate.labels.sampled import Design, check_partial_labels, check_plausible, sampled
from skrate.metrics.metric import Metric, MetricLike, check_metric_first, find_metric
from skrate.metrics.result_types import Rows, params_text, plain_columns

# Minimum number of existing labels of each class, to learn from or to check by.
_MIN_KNOWN = 5


def plan_labels(
    y_scores: Any,
    n_labels: int,
    *,
    metric: MetricLike,
    compare: Sequence[Any] | None = None,
    known: ArrayLike | None = None,
    known_probability: ArrayLike | None = None,
    probability: ArrayLike | None = None,
    floor: float = 0.5,
    pos_label: Label = None,
    random_state: RandomState = None,
    **metric_kwargs: Any,
) -> LabelPlan:
    r"""Plan which samples to label, for one metric or the difference of two models.

    There are scores of many samples, and labels are expensive. Labels of samples drawn
    with equal probabilities say little about the top of a ranking, or about the samples
    on which two models differ. A plan draws samples with a higher probability if the
    metric depends more on their labels. Estimates from these labels are almost
    unbiased, because they are weighted by the probabilities that the plan stores.

    Parameters
    ----------
    y_scores : array-like of shape (n_samples,), mapping or data frame
        Scores, higher for the positive class. For two models, a mapping or data frame
        with an entry or column per model.
    n_labels : int
        The number of samples to label, at least 2, in addition to the existing labels.
    metric : callable or str
        The metric, as in :func:`skrate.estimate`, such as "recall_at_rate".
    compare : pair of names, default=None
        The names of two models whose difference in the metric will be estimated. None
        is for one model.
    known : array-like of shape (n_samples,), default=None
        Existing labels, nan or None for samples without a label. The plan does not draw
        these samples again.
    known_probability : float or array-like of shape (n_samples,), default=None
        If the existing labels were drawn at random: the probability that each sample
        was drawn, in [0, 1], also for samples without a label. For 100 of 5,000 samples
        it is 100 / 5000; for an earlier plan, its ``probability``. The existing labels
        then also represent other samples. If None, they only represent themselves.
    probability : array-like of shape (n_samples,), default=None
        An estimate of the probability that each sample is positive, in [0, 1]. If it is
        wrong, estimates are less precise. If None, it is learnt from the
        existing labels and the scores of the first model. If there are 5 or more labels
        of each class and ``known_probability`` is given, it is calibrated on them.
    floor : float, default=0.5
        The fraction of the labels, in [0, 1], that is drawn with equal probabilities.
        It limits the effect of a wrong ``probability``: if a small part of the samples
        is labelled, the standard error is at most about 1 / sqrt(``floor``) times as
        large as with equal probabilities.
    pos_label : int, float, bool or str, default=None
        The positive label of ``known``. If None, the labels must be {0, 1}, {-1, 1} or
        booleans, and the larger one is positive.
    random_state : int, Generator or RandomState, default=None
        Seed or generator that draws the samples.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    plan : LabelPlan
        ``plan.is_sampled`` are the samples to label. When they are labelled, pass
        ``plan.labels(y_true)`` to :func:`skrate.estimate` or :func:`skrate.compare`.
        ``plan.standard_error`` is the expected standard error. It is checked by the
        existing labels if ``known_probability`` is given, and there are 5 or more of
        each class.

    Raises
    ------
    ValueError
        If ``n_labels`` is below 2 or above the number of samples without a label; if
        the metric does not support labels of :mod:`skrate.labels`; if ``probability``
        is None and there are fewer than 5 existing labels of a class; or if the number
        of existing labels is implausible under ``known_probability``.

    See Also
    --------
    sampled : Estimated labels, if the samples were drawn without this function.
    skrate.sample_size : The number of samples, if all of them are labelled.

    Notes
    -----
    Let :math:`d_i` be the derivative of n times the metric, or of the difference, by
    the label of sample i, :math:`m_i` the probability that it is positive, and
    :math:`\pi_i` the probability that it is labelled. The metric of this batch, as it
    would be with all labels, is then estimated with the variance

    .. math:: \frac{1}{n^2} \sum_i \frac{1 - \pi_i}{\pi_i} d_i^2 m_i (1 - m_i).

    For a fixed number of labels, the variance is minimal if :math:`\pi_i` is
    proportional to :math:`|d_i| \sqrt{m_i (1 - m_i)}`, but at most 1 (Neyman's
    allocation [1]_). For a difference, a tenth of the squared derivatives of both
    models is added to :math:`d_i^2`, because otherwise few labels would be drawn for
    the number of positives, by which both metrics are divided. The fraction ``floor``
    of the labels is drawn with equal probabilities. If the existing labels are a random
    sample, the expected variance is multiplied by the ratio of :math:`(y_i - m_i)^2` to
    :math:`m_i (1 - m_i)` among them, with the weights :math:`d_i^2 / \kappa_i`; a
    learnt :math:`m_i` is cross-fitted for this. The number of labels is fixed by
    systematic sampling: the samples are in random order, and samples are drawn at equal
    steps of the cumulative sum of :math:`\pi_i`.

    If existing labels were drawn with the probabilities :math:`\kappa_i`, a sample is
    labelled then or now with the probability :math:`1 - (1 - \kappa_i)(1 - \pi_i)`,
    the ``probability`` of the plan. Without ``known_probability`` it is 1 for existing
    labels and :math:`\pi_i` for other samples.

    A plan is inefficient for other metrics than its own, and their estimates warn of
    this. Cost: one sort of the scores of each model.

    References
    ----------
    .. [1] Neyman (1934), On the two different aspects of the representative method,
       :doi:`10.2307/2342192`.

    Examples
    --------
    Label 300 of 20,000 samples, to decide which of two models has more positives in the
    top tenth of its ranking:

    >>> import numpy as np
    >>> from skrate import compare, labels
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(20_000) < 0.03
    >>> a = rng.normal(size=20_000) + 2 * y_true
    >>> b = 0.5 * a + rng.normal(size=20_000) + 1.5 * y_true
    >>> chance = 1 / (1 + np.exp(5.5 - 2 * a))
    >>> plan = labels.plan_labels(
    ...     {"a": a, "b": b}, 300, metric="recall_at_rate", rate=0.1,
    ...     compare=("a", "b"), probability=chance, random_state=0,
    ... )
    >>> y_plan = plan.labels(np.where(plan.is_sampled, y_true, np.nan))
    >>> compare("recall_at_rate", y_plan, a, b, rate=0.1)
    Comparison(Recall (rate=0.1) 0.7815 - 0.9065 = -0.1250, 95 % interval
    [-0.3503, 0.1002], p = 0.277 (two-sided, delta))
    """
    check_metric_first(metric)
    scores = _check_models(y_scores, compare)
    first = check_vector("y_scores", next(iter(scores.values())))
    is_known, is_pos, known_proba = _check_known(
        known, known_probability, pos_label, first
    )
    free = np.flatnonzero(~is_known)
    n_labels = _check_n_labels(n_labels, len(free))
    floor = check_fraction("floor", floor, include_zero=True, include_one=True)
    expected, tested = _expected_labels(probability, first, is_known, is_pos)
    is_random = known_probability is not None and _has_both(is_pos[is_known])
    if is_random and probability is not None:
        shares = np.where(known_proba > 0, known_proba, 1.0)
        expected = tested = calibrated(is_known, is_pos, shares, expected)
    # Samples without a label are uncertain, and slopes need both classes.
    expected = np.clip(expected, 1e-6, 1 - 1e-6)
    if known_probability is None:
        expected = np.where(is_known, is_pos, expected)
    slope, squares, purpose = _label_slopes(
        find_metric(metric, metric_kwargs), scores, expected
    )
    label_variance = expected * (1 - expected)
    proba = _draw_probabilities(
        np.sqrt(squares * label_variance), ~is_known, n_labels, floor
    )
    is_sampled = np.zeros(len(first), dtype=bool)
    drawn = _drawn(proba[free], n_labels, check_generator(random_state))
    is_sampled[free[drawn]] = True
    # A sample has a label if either draw chose it.
    proba = 1 - (1 - known_proba) * (1 - proba)
    variance = (slope**2 * label_variance * (1 - proba) / proba).sum()
    if is_random:
        weight = slope[is_known] ** 2 / known_proba[is_known]
        variance *= _variance_ratio(is_pos[is_known], tested[is_known], weight)
    return LabelPlan(
        metric=purpose,
        probability=proba,
        is_sampled=is_sampled,
        prediction=expected,
        n_labels=n_labels,
        standard_error=float(np.sqrt(variance) / len(slope)),
        is_known=is_known,
        compared=tuple(scores) if compare is not None else None,
        design="fixed" if known_probability is None else "independent",
        is_checked=is_random,
    )


def _check_models(y_scores: Any, compare: Sequence[Any] | None) -> dict[str, Any]:
    """Return the scores of the one model, or of the two compared models, by name."""
    models = {"y_scores": y_scores}
    if are_columns(y_scores):
        columns = model_columns("y_scores", y_scores)
        columns = check_several("y_scores", columns, 1)
        models = {str(name): column for name, column in columns.items()}
    names: list[str] = []
    with suppress(TypeError):
        names = [str(name) for name in (models if compare is None else compare)]
    n_models = 1 if compare is None else 2
    if (
        len(names) != n_models
        or len(set(names)) < n_models
        or not {*names} <= {*models}
    ):
        raise ValueError(
            f"compare must be a pair of names of models in y_scores, got "
            f"{compare!r}. y_scores has the models {list(models)}."
        )
    return {name: models[name] for name in names}


def _label_slopes(
    requested: Metric, scores: dict[str, Any], expected: FloatArray
) -> tuple[FloatArray, FloatArray, str]:
    """Return slopes by the labels, squared slopes for the draw, and the metric's name.

    For a difference, a tenth of the squared slopes of each model is added, because the
    denominators of the models are estimates, too.
    """
    samples = Ranked(
        expected > 0, estimated=_Slopes(expected, 0 * expected, "predicted")
    )
    slope, squares, purpose = np.zeros(len(expected)), np.zeros(len(expected)), ""
    for sign, (name, y_score) in zip((1, -1), scores.items(), strict=False):
        ranked = add_model_scores(samples, f"y_scores[{name!r}]", y_score)
        metric = check_metric(requested, ranked)
        d = influence_values(metric, ranked)
        slope, squares = slope + sign * d, squares + 0.1 * d**2
        purpose = f"{metric.name}{params_text(requested.params)}"
    if len(scores) == 1:
        return slope, slope**2, purpose
    return slope, slope**2 + squares, f"difference in {purpose}"


def _check_n_labels(n_labels: int, n_free: int) -> int:
    """Return the number of labels, at most the number of unlabelled samples."""
    n_labels = check_count("n_labels", n_labels, minimum=2)
    if n_labels > n_free:
        raise ValueError(
            f"n_labels must be at most {n_free}, the number of samples without a label "
            f"in known, got {n_labels}."
        )
    return n_labels


def _check_known(
    known: ArrayLike | None, probability: Any, pos_label: Label, scores: Array
) -> tuple[BoolArray, BoolArray, FloatArray]:
    """Return which samples have a label, and a positive one.

    The last array is the probability that the label was drawn before, by default 0 or
    1.
    """
    is_known, is_pos = np.zeros((2, len(scores)), dtype=bool)
    if known is not None:
        is_known, is_pos = check_partial_labels("known", known, pos_label)
        check_equal_length(y_scores=scores, known=is_known)
    if probability is None:
        return is_known, is_pos, is_known.astype(np.float64)
    proba = check_chances("known_probability", probability, len(is_known))
    is_lost = is_known & (proba == 0)
    if is_lost.any():
        raise ValueError(
            f"known_probability must be above 0 for sample {int(is_lost.argmax())}, "
            "because it has a label."
        )
    check_plausible(is_known, proba, names=("known_probability", "known"))
    return is_known, is_pos, proba


class _Slopes(EstimatedLabels):
    """Expected labels. Their influence is the slope of the metric by the label."""

    def influence(self, of_pos: FloatArray, of_neg: FloatArray) -> FloatArray:
        return of_pos - of_neg


def _has_both(is_pos: BoolArray) -> bool:
    """Return whether there are enough labels of each class."""
    n_pos = np.count_nonzero(is_pos)
    return bool(min(n_pos, len(is_pos) - n_pos) >= _MIN_KNOWN)


def _variance_ratio(
    is_pos: BoolArray, expected: FloatArray, weight: FloatArray
) -> float:
    """Return the variance of labels relative to their expected variance."""
    n_rare = min(np.count_nonzero(is_pos), np.count_nonzero(~is_pos))
    expected_variance = (weight * expected * (1 - expected)).sum()
    if expected_variance == 0:
        return 1.0
    ratio = (weight * (is_pos - expected) ** 2).sum() / expected_variance
    # Near 1 if there are few labels: as if 10 more had the expected variance.
    return float((n_rare * ratio + 10) / (n_rare + 10))


def _expected_labels(
    probability: ArrayLike | None, scores: Array, is_known: BoolArray, is_pos: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities of positives, given or learnt from existing labels.

    The second array has probabilities that do not depend on the sample's own label.
    """
    if probability is not None:
        chances = check_chances("probability", probability, len(scores))
        return chances, chances
    classes = is_pos[is_known]
    if not _has_both(classes):
        raise ValueError(
            "probability is missing: pass the probability that each sample is "
            f"positive, or at least {_MIN_KNOWN} labels of each class in known."
        )
    # Imported here, because it takes as long as all other imports of skrate.
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression())
    column, method = scores[:, None], "predict_proba"
    tested = np.zeros(len(scores))
    known = column[is_known]
    tested[is_known] = cross_val_predict(model, known, classes, method=method)[:, 1]
    return model.fit(known, classes).predict_proba(column)[:, 1], tested


def _draw_probabilities(
    need: FloatArray, is_free: BoolArray, n_labels: int, floor: float
) -> FloatArray:
    """Return probabilities proportional to a need, at most 1, of drawing each sample.

    They sum to ``n_labels`` over the free (unlabelled) samples. Other samples get the
    probability that they would have if they were free.
    """
    n_free = np.count_nonzero(is_free)
    total = need[is_free].sum()
    # A tiny minimum, because each sample needs a positive probability.
    floor = max(floor, 1e-9) if total > 0 else 1.0
    need = (1 - floor) * need / (total or 1.0) + floor / n_free
    proba, is_certain = np.ones(len(need)), np.zeros(len(need), dtype=bool)
    while n_labels < n_free:
        n_certain = np.count_nonzero(is_certain & is_free)
        scale = (n_labels - n_certain) / need[is_free & ~is_certain].sum()
        proba[~is_certain] = scale * need[~is_certain]
        is_over = proba > 1
        if not is_over.any():
            break
        proba[is_over], is_certain = 1.0, is_certain | is_over
    return proba


def _drawn(
    proba: FloatArray, n_labels: int, generator: np.random.Generator
) -> IntArray:
    """Return the positions of samples drawn at equal steps, in random order."""
    order = generator.permutation(len(proba))
    ends = np.cumsum(proba[order])
    ends *= n_labels / ends[-1]
    ends[-1] = n_labels
    steps = np.arange(n_labels) + generator.random()
    return np.asarray(order[np.searchsorted(ends, steps, side="right")])


@dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(Rows):
    """The samples to label and their probabilities, from :func:`plan_labels`.

    Attributes
    ----------
    metric : str
        The metric for which the plan was made.
    probability : array of shape (n_samples,)
        The probability that each sample is labelled, by this plan or before. It is 1
        for existing labels, unless ``known_probability`` was given.
    is_sampled : array of shape (n_samples,)
        True for the samples to label.
    prediction : array of shape (n_samples,)
        The estimated probability that each sample is positive, before it is labelled.
    n_labels : int
        The number of samples to label.
    standard_error : float
        The expected standard error of the metric of this batch of samples
        (``for_batch()``), if ``prediction`` is correct. If it is wrong, for example if
        it holds verdicts of 0 and 1, the error can be many times as large. To check
        this, label some random samples first, and pass them with
        ``known_probability``. The standard error for the population is larger.
    is_known : array of shape (n_samples,)
        True for samples with an existing label.
    compared : tuple of str or None
        The names of the two models, if the plan is for their difference.
    design : {"fixed", "independent"}
        The argument ``design`` of :func:`sampled`: "fixed", or "independent" if
        existing labels were drawn at random.
    is_checked : bool
        Whether existing labels of both classes, drawn at random, checked
        ``standard_error``.

    Examples
    --------
    >>> from skrate.labels import plan_labels
    >>> plan = plan_labels(
    ...     [0.9, 0.8, 0.3, 0.1], 2, metric="recall_at_rate", rate=0.5,
    ...     probability=[0.9, 0.6, 0.3, 0.1], random_state=0,
    ... )
    >>> plan.probability.round(2).tolist()
    [0.33, 0.38, 0.72, 0.56]
    """

    metric: str
    probability: FloatArray
    is_sampled: BoolArray
    prediction: FloatArray
    n_labels: int
    standard_error: float
    is_known: BoolArray
    compared: tuple[str, ...] | None = None
    design: Design = "fixed"
    is_checked: bool = False

    def labels(self, y_true: ArrayLike, *, pos_label: Label = None) -> EstimatedLabels:
        """Estimate the labels of all samples from the labels of the drawn samples.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The labels of the drawn samples and the existing labels; nan or None for all
            other samples.
        pos_label : int, float, bool or str, default=None
            The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans,
            and the larger one is positive.

        Returns
        -------
        labels : EstimatedLabels
            Pass them as ``y_true``. They are those of :func:`sampled` with the
            ``probability``, ``prediction`` and ``design`` of this plan.
        """
        y_given = check_vector("y_true", y_true)
        is_wanted = self.is_sampled | self.is_known
        check_equal_length(y_true=y_given, plan=is_wanted)
        is_missing = is_wanted & are_missing(y_given)
        if is_missing.any():
            raise ValueError(
                "y_true must have a label for each sample of the plan: "
                f"{np.count_nonzero(is_missing)} are missing, such as "
                f"{int(is_missing.argmax())}."
            )
        # Labels that the plan did not ask for have no probability.
        is_float = y_given.dtype.kind in "fb"
        y_plan = y_given.astype(
            np.result_type(y_given, np.float16) if is_float else object
        )
        y_plan[~is_wanted] = np.nan
        estimated = sampled(
            y_plan,
            self.probability,
            prediction=self.prediction,
            design=self.design,
            pos_label=pos_label,
        )
        return replace(estimated, purpose=self.metric)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per sample."""
        names = ("probability", "is_sampled", "prediction", "is_known")
        return plain_columns({name: getattr(self, name) for name in names})

    def __repr__(self) -> str:
        pair = "" if self.compared is None else f", {' - '.join(self.compared)}"
        return (
            f"LabelPlan({self.n_labels:,} of {len(self.is_sampled):,} samples, for the "
            f"{self.metric}{pair}: expected standard error "
            f"{self.standard_error:.4g} of the batch"
            f"{'' if self.is_checked else ', if the probabilities are correct'})"
        )
