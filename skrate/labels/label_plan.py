"""Which cases to label, so that a metric is known best by a number of labels."""

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
    check_count,
    check_equal_length,
    check_fraction,
    check_generator,
    check_vector,
)
from skrate.data.estimated import EstimatedLabels
from skrate.inference.models import check_several
from skrate.inference.rankings import (
    Ranked,
    are_columns,
    check_metric,
    model_columns,
    scored,
)
from skrate.inference.variance import influence_values
from skrate.labels.label_checks import are_missing, check_chances
from skrate.labels.sampled import Design, check_partial_labels, check_plausible, sampled
from skrate.metrics.metric import Metric, MetricLike, check_metric_first, find_metric
from skrate.metrics.result_types import Rows, plain_columns, question_text


def plan_labels(
    y_scores: Any,
    n_labels: int,
    *,
    metric: MetricLike,
    compare: Sequence[Any] | None = None,
    known: ArrayLike | None = None,
    known_probability: ArrayLike | None = None,
    probability: ArrayLike | None = None,
    floor: float = 0.1,
    pos_label: Label = None,
    random_state: RandomState = None,
    **metric_kwargs: Any,
) -> LabelPlan:
    r"""Plan which cases to label, for one metric or the difference of two models.

    Random labels say little about the top of a ranking, or about the cases on which two
    models differ. A plan draws cases where the metric depends on the label. It knows
    the probability of each case, so estimates stay unbiased however wrong the
    predictions are.

    Parameters
    ----------
    y_scores : array-like of shape (n_samples,), mapping or data frame
        Scores of a model, higher for the positive class, or of several by name.
    n_labels : int
        How many cases to label, at least 2, of those that are not known.
    metric : callable or str
        As :func:`skrate.estimate` takes it, such as "recall_at_rate".
    compare : pair of names, default=None
        The two models whose difference the labels are for. None is for one model.
    known : array-like of shape (n_samples,), default=None
        Labels there are already, whoever chose these cases; nan or None elsewhere.
        Without ``known_probability`` each counts for its own case only, which wastes
        labels that were drawn at random.
    known_probability : float or array-like of shape (n_samples,), default=None
        The probability with which the label of each case was to be known, also for
        cases without a known label, if the known labels were drawn at random: such as
        100 / 5000 for a pilot sample, or the ``probability`` of an earlier plan. Known
        labels then also count for other cases. None means that they were not drawn.
    probability : array-like of shape (n_samples,), default=None
        The probability that each case is positive, in [0, 1], as far as is known. None
        learns it from the known labels and the scores of the first model, which may be
        a poor guide to other cases: estimates then become less precise.
    floor : float, default=0.1
        The share of the labels that is drawn at random, in [0, 1]: it limits what wrong
        probabilities can do.
    pos_label : int, float, bool or str, default=None
        The positive label of ``known``.
    random_state : int, Generator or RandomState, default=None
        Source of the draw.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    plan : LabelPlan
        With the ``probability`` of each sample, ``is_sampled``, and the expected
        ``standard_error``. Pass its ``labels(y_true)`` to :func:`skrate.estimate` and
        :func:`skrate.compare`.

    Raises
    ------
    ValueError
        If there are fewer than 2 labels, or more than cases, for a metric that takes no
        estimated labels, if there is no probability and too few known labels, or if
        ``known`` cannot have been drawn with ``known_probability``.

    See Also
    --------
    sampled : Takes labels that were drawn by any other plan.
    skrate.sample_size : How many cases to label whole.

    Notes
    -----
    With :math:`d_i` the slope of the metric, or of the difference, by the label of case
    i, and :math:`m_i` the probability that it is positive, labels drawn with the
    probabilities :math:`\pi_i` leave the variance

    .. math:: \frac{1}{n^2} \sum_i \frac{1 - \pi_i}{\pi_i} d_i^2 m_i (1 - m_i),

    which for a number of labels is least at :math:`\pi_i \propto |d_i| \sqrt{m_i (1 -
    m_i)}`, Neyman's allocation [1]_, at most 1. For a difference :math:`d_i^2` is
    larger by a tenth of the squared slopes of both models, or next to nothing would be
    known of what both are divided by, such as the number of positives. A share
    ``floor`` of the labels is drawn evenly. The number of labels is fixed: cases in
    random order are drawn at equal steps of the sum of :math:`\pi_i`.

    If known labels were drawn with the probabilities :math:`\kappa_i`, and the others
    are now drawn with :math:`\pi_i`, a case has a label with the probability :math:`1 -
    (1 - \kappa_i)(1 - \pi_i)`, the ``probability`` of the plan. Without
    ``known_probability`` it is 1 for cases that are known and :math:`\pi_i` for others.

    A plan for one metric is bad for others: estimates of them warn. Cost: one sort of
    each model's scores.

    References
    ----------
    .. [1] Neyman (1934), On the two different aspects of the representative method,
       :doi:`10.2307/2342192`.

    Examples
    --------
    300 of 20,000 cases shall tell whether model b finds more in its top tenth:

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
    >>> found = plan.labels(np.where(plan.is_sampled, y_true, np.nan))
    >>> compare("recall_at_rate", found, a, b, rate=0.1)
    Comparison(Recall (rate=0.1) 0.7698 - 0.7908 = -0.0210, 95 % interval
    [-0.1759, 0.1338], p = 0.78 (two-sided, delta))
    """
    check_metric_first(metric)
    scores = _check_models(y_scores, compare)
    first = check_vector("y_scores", next(iter(scores.values())))
    n_samples = len(first)
    is_known, is_pos = np.zeros((2, n_samples), dtype=bool)
    if known is not None:
        is_known, is_pos = check_partial_labels("known", known, pos_label)
        check_equal_length(y_scores=first, known=is_known)
    of_known = _check_known_probability(known_probability, is_known)
    free = np.flatnonzero(~is_known)
    n_labels = _check_n_labels(n_labels, len(free))
    floor = check_fraction("floor", floor, include_zero=True, include_one=True)
    expected = _expected_labels(probability, first, is_known, is_pos)
    if known_probability is None:
        expected = np.where(is_known, is_pos, expected)
    slope, squares, purpose = _label_slopes(
        find_metric(metric, metric_kwargs), scores, expected
    )
    unsure = expected * (1 - expected)
    share = _draw_probabilities(np.sqrt(squares * unsure), ~is_known, n_labels, floor)
    generator = check_generator(random_state)
    is_sampled = np.zeros(n_samples, dtype=bool)
    is_sampled[free[_drawn(share[free], n_labels, generator)]] = True
    # A case has a label if either draw chose it.
    share = 1 - (1 - of_known) * (1 - share)
    spread = slope**2 * unsure * (1 - share) / share
    return LabelPlan(
        metric=purpose,
        probability=share,
        is_sampled=is_sampled,
        prediction=expected,
        n_labels=n_labels,
        standard_error=float(np.sqrt(spread.sum()) / n_samples),
        is_known=is_known,
        compared=tuple(scores) if compare is not None else None,
        design="fixed" if known_probability is None else "independent",
    )


def _check_models(y_scores: Any, compare: Sequence[Any] | None) -> dict[str, Any]:
    """Return the scores of the one model, or of the two that are compared, by name."""
    models = {"y_scores": y_scores}
    if are_columns(y_scores):
        columns = model_columns("y_scores", y_scores, -1)
        columns = check_several("y_scores", columns, 1)
        models = {str(name): column for name, column in columns.items()}
    names: list[str] = []
    with suppress(TypeError):
        names = [str(name) for name in (models if compare is None else compare)]
    n_asked = 1 if compare is None else 2
    if len(names) != n_asked or len(set(names)) < n_asked or not {*names} <= {*models}:
        raise ValueError(
            f"compare must name two of the models in y_scores, {list(models)}: found "
            f"{compare!r}."
        )
    return {name: models[name] for name in names}


def _label_slopes(
    asked: Metric, scores: dict[str, Any], expected: FloatArray
) -> tuple[FloatArray, FloatArray, str]:
    """Return slopes by the label of each case, squares that count, and their metric.

    Those of a difference count a tenth of each model alone, whose denominators are
    estimates as well.
    """
    cases = Ranked(expected > 0, estimated=_Slopes(expected, 0 * expected, "predicted"))
    slope, alone, purpose = np.zeros(len(expected)), np.zeros(len(expected)), ""
    for sign, (name, values) in zip((1, -1), scores.items(), strict=False):
        ranked = scored(cases, f"y_scores[{name!r}]", values)
        metric = check_metric(asked, ranked)
        of_model = influence_values(metric, ranked)
        slope, alone = slope + sign * of_model, alone + 0.1 * of_model**2
        purpose = f"{metric.name}{question_text(asked.question)}"
    if len(scores) == 1:
        return slope, slope**2, purpose
    return slope, slope**2 + alone, f"difference in {purpose}"


def _check_n_labels(n_labels: int, n_free: int) -> int:
    """Return the number of labels, at most that of cases whose label is not known."""
    n_labels = check_count("n_labels", n_labels, minimum=2)
    if n_labels > n_free:
        raise ValueError(
            f"n_labels={n_labels} is more than the {n_free} cases whose labels are not "
            "known."
        )
    return n_labels


def _check_known_probability(values: Any, is_known: BoolArray) -> FloatArray:
    """Return the probability that each label was known; 0 or 1 if none is given."""
    if values is None:
        return is_known.astype(np.float64)
    found = check_chances("known_probability", values, len(is_known))
    is_lost = is_known & (found == 0)
    if is_lost.any():
        raise ValueError(
            f"known_probability is 0 for case {int(is_lost.argmax())}, whose label is "
            "known: give the probability with which it was chosen."
        )
    check_plausible(is_known, found, names=("known_probability", "known"))
    return found


class _Slopes(EstimatedLabels):
    """Labels as they are expected, whose influence is the slope by the label."""

    def influence(self, of_pos: FloatArray, of_neg: FloatArray) -> FloatArray:
        return of_pos - of_neg


def _expected_labels(
    probability: ArrayLike | None, scores: Array, is_known: BoolArray, is_pos: BoolArray
) -> FloatArray:
    """Return the probabilities to be positive, given or learnt from known cases."""
    if probability is None:
        expected = _learn_probability(scores[:, None], is_known, is_pos)
    else:
        expected = check_chances("probability", probability, len(scores))
    # Nothing is certain before it is labelled, and slopes need both classes.
    return np.clip(expected, 1e-6, 1 - 1e-6)


def _learn_probability(
    column: Array, is_known: BoolArray, is_pos: BoolArray
) -> FloatArray:
    """Return probabilities by the scores in a column, learnt from known cases."""
    known, n_least = is_pos[is_known], 5
    n_pos = np.count_nonzero(known)
    if min(n_pos, len(known) - n_pos) < n_least:
        raise ValueError(
            "probability is missing: give the probability that each case is positive, "
            f"or known labels, at least {n_least} of each class."
        )
    # This import takes as long as all others of skrate together.
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression())
    model.fit(column[is_known], known)
    return np.asarray(model.predict_proba(column)[:, 1])


def _draw_probabilities(
    need: FloatArray, is_free: BoolArray, n_labels: int, floor: float
) -> FloatArray:
    """Return probabilities in proportion to a need, whose sum over free cases is given.

    They are at most 1. Other cases get the probability as if they were free.
    """
    n_free = np.count_nonzero(is_free)
    total = need[is_free].sum()
    if total > 0:
        # A trifle for all, so that each has a probability.
        floor = max(floor, 1e-9)
        need = (1 - floor) * need / total + floor / n_free
    else:
        need = np.full(len(need), 1 / n_free)
    share, is_certain = np.ones(len(need)), np.zeros(len(need), dtype=bool)
    while n_labels < n_free:
        n_certain = np.count_nonzero(is_certain & is_free)
        scale = (n_labels - n_certain) / need[is_free & ~is_certain].sum()
        share[~is_certain] = scale * need[~is_certain]
        is_over = share > 1
        if not is_over.any():
            break
        share[is_over], is_certain = 1.0, is_certain | is_over
    return share


def _drawn(
    share: FloatArray, n_labels: int, generator: np.random.Generator
) -> IntArray:
    """Return the cases drawn at equal steps, in random order."""
    order = generator.permutation(len(share))
    ends = np.cumsum(share[order])
    ends *= n_labels / ends[-1]
    ends[-1] = n_labels
    steps = np.arange(n_labels) + generator.random()
    return np.asarray(order[np.searchsorted(ends, steps, side="right")])


@dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(Rows):
    """Which cases to label, as :func:`plan_labels` returns it.

    Attributes
    ----------
    metric : str
        The metric that the labels are for.
    probability : array of shape (n_samples,)
        With which each case is labelled, by this plan or before; 1 where the label is
        known, unless ``known_probability`` was given.
    is_sampled : array of shape (n_samples,)
        Which cases to label.
    prediction : array of shape (n_samples,)
        The probability that it is positive, as far as was known.
    n_labels : int
        How many cases to label.
    standard_error : float
        What to expect for the metric of these very cases (``for_batch()``), if the
        predictions are right; for cases like these it is larger.
    is_known : array of shape (n_samples,)
        Whether its label was known.
    compared : tuple of str or None
        The two models whose difference the labels are for.
    design : {"fixed", "independent"}
        How :func:`sampled` takes the labels: their number is fixed, unless known labels
        were drawn before.

    Examples
    --------
    >>> from skrate.labels import plan_labels
    >>> plan = plan_labels(
    ...     [0.9, 0.8, 0.3, 0.1], 2, metric="recall_at_rate", rate=0.5,
    ...     probability=[0.9, 0.6, 0.3, 0.1], random_state=0,
    ... )
    >>> plan.probability.round(2).tolist()
    [0.2, 0.29, 0.9, 0.61]
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

    def labels(self, y_true: ArrayLike, *, pos_label: Label = None) -> EstimatedLabels:
        """Return the labels that came in, in place of all.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the drawn and of the known cases; nan or None elsewhere.
        pos_label : int, float, bool or str, default=None
            The positive label.

        Returns
        -------
        labels : EstimatedLabels
            As :func:`sampled` returns them.
        """
        given = check_vector("y_true", y_true)
        is_wanted = self.is_sampled | self.is_known
        check_equal_length(y_true=given, plan=is_wanted)
        lacking = is_wanted & are_missing(given)
        if lacking.any():
            raise ValueError(
                f"y_true lacks the label of {np.count_nonzero(lacking)} cases that "
                f"were drawn or known, such as case {int(lacking.argmax())}."
            )
        # Others were not drawn, and would count as if they had been.
        is_float = given.dtype.kind in "fb"
        own = given.astype(np.result_type(given, np.float16) if is_float else object)
        own[~is_wanted] = np.nan
        found = sampled(
            own,
            self.probability,
            prediction=self.prediction,
            design=self.design,
            pos_label=pos_label,
        )
        return replace(found, purpose=self.metric)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per case."""
        names = ("probability", "is_sampled", "prediction", "is_known")
        return plain_columns({name: getattr(self, name) for name in names})

    def __repr__(self) -> str:
        of = "" if self.compared is None else f", {' - '.join(self.compared)}"
        return (
            f"LabelPlan({self.n_labels:,} of {len(self.is_sampled):,} cases, for the "
            f"{self.metric}{of}: expected standard error {self.standard_error:.4g} of "
            "the batch)"
        )
