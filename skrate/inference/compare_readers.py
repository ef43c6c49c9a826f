"""Modalities compared by several readers of the same cases."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import special

from skrate.data.arrays import Array, ArrayLike, FloatArray, IntArray, Label, dot, lazy
from skrate.data.checks import (
    check_choice,
    check_equal_length,
    check_scores,
    check_vector,
    warn,
    warn_undefined,
)
from skrate.data.ranking import Grouping, check_groups, in_natural_order
from skrate.data.show import described_like
from skrate.inference.compare_range import set_of
from skrate.inference.delta import Parts, covariance, influence_parts, is_rounding
from skrate.inference.difference import compare_pairs, conclude
from skrate.inference.estimate import estimate
from skrate.inference.intervals import ADJUSTMENTS, Adjust
from skrate.inference.measured import Measured, measured, warn_of_turned
from skrate.inference.plan import Plan, warn_of_difference
from skrate.inference.sample import Rankings, Weights, check_cases, scored
from skrate.metrics.base import MetricLike, check_metric_first, question_of
from skrate.metrics.results import (
    Comparison,
    Comparisons,
    ConfidenceInterval,
    Estimate,
    Rows,
    as_columns,
    pairs_of,
    question_text,
    t_interval,
)

Fixed = Literal["readers", "cases"]
FIXED: tuple[Fixed, ...] = get_args(Fixed)
_NAN = float("nan")
# Degrees of freedom from which F is chi-squared to all digits but the last few.
_SO_MANY = 1e9
_METHOD = "Obuchowski-Rockette"
_OF = {None: None, "readers": "these readers", "cases": "these cases"}


@described_like(estimate)
def compare_readers(
    metric: MetricLike,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    reader: ArrayLike,
    modality: ArrayLike,
    case: ArrayLike,
    fixed: Fixed | None = None,
    adjust: Adjust = "holm",
    confidence_level: float = 0.95,
    stratify: bool | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
    **metric_kwargs: Any,
) -> ReaderComparison:
    r"""Compare modalities that several readers used on the same cases.

    Do radiologists find more with one imaging technique than with another, and would
    other radiologists, on other patients? Both the readers and the cases are samples,
    and each adds to the spread: :func:`compare` knows the cases only. This is the
    analysis of variance of a multi-reader multi-case study, for any metric that
    :func:`estimate` takes.

    Parameters
    ----------
    y_true : array-like of shape (n_readings,)
        True label of the case, one entry per reading: the same in all readings of it.
    y_score : array-like of shape (n_readings,)
        What the reader said of the case with the modality, higher for the positive
        class. Only the order within a reader and modality matters.
    reader, modality, case : array-like of shape (n_readings,)
        The reader, the modality (or test, or treatment) and the case of each reading:
        numbers or strings. Each reader must have read each case by each modality, once.
    fixed : {"readers", "cases"}, default=None
        What is fixed, not a sample:

        - None: conclusions are for all readers and all cases like these;
        - "readers": for these readers only, and all cases;
        - "cases": for all readers, on these cases only.
    stratify : bool, default=None
        Whether class sizes were fixed by design, as where a study takes as many ill as
        healthy cases; None means False.
    clusters, sample_weight : array-like of shape (n_readings,), default=None
        The cluster of the case, such as the patient of whom several lesions were read,
        and its weight: the same in all readings of it.

    Returns
    -------
    result : ReaderComparison
        With ``statistic``, ``df`` and ``pvalue`` of the hypothesis that all modalities
        are alike, the ``means`` of the modalities over readers, and their
        ``differences``, with intervals; nan where the metric is undefined.

    Raises
    ------
    ValueError
        If a reading is missing or there twice, if labels, clusters or weights differ
        between readings of a case, if there is one modality, or one reader and fixed
        cases, and as :func:`estimate` does.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases, the metric is undefined for a reader, or
        there is no variation.
    UserWarning
        If there is one reader: the readers are then fixed. Like :func:`compare`, of
        scores that may have the wrong sign, and of few cases at a cut.

    See Also
    --------
    compare : Models, or one reader's modalities, on the same cases.

    Notes
    -----
    Let :math:`\theta_{ij}` be the metric of modality i and reader j, t and r their
    numbers, and a dot the mean over an index. Obuchowski and Rockette [1]_ compare

    .. math::
        MS(T) = \frac{r}{t - 1} \sum_i (\theta_{i.} - \theta_{..})^2, \quad
        MS(TR) = \frac{\sum_{ij} (\theta_{ij} - \theta_{i.} - \theta_{.j}
                 + \theta_{..})^2}{(t - 1)(r - 1)}

    by :math:`F = MS(T) / D` with :math:`D = MS(TR) + r \max(Cov_2 - Cov_3, 0)`.
    :math:`Cov_2` is the mean covariance of different readers with the same modality,
    :math:`Cov_3` that with different ones, :math:`Cov_1` that of the same reader with
    different modalities, and Var the mean variance, all from the influence of each case
    on each :math:`\theta_{ij}` by the delta method (DeLong's covariances for the AUC).
    F has t - 1 and, by Hillis [2]_, :math:`(t - 1)(r - 1) D^2 / MS(TR)^2` degrees of
    freedom. A difference of two modalities has the variance 2 D / r and these degrees
    of freedom; the mean of one :math:`MS(R)_i / r + \max(Cov_{2i}, 0)`, where MS(R) is
    the variance over readers.

    With fixed cases D = MS(TR). With fixed readers :math:`D = Var - Cov_1 + (r - 1)
    (Cov_2 - Cov_3)`, the mean variance of the differences times r / 2, and the degrees
    of freedom are as in :func:`compare`, which gives the same for one reader and two
    modalities.

    Readings of binary scores, and sensitivities at a cut of a rating, are compared as
    AUCs: :ref:`readers` says how, and how often the test finds too much. Cost: one sort
    per reader and modality, and a product of cases for each two of these.

    References
    ----------
    .. [1] Obuchowski and Rockette (1995), Hypothesis testing of diagnostic accuracy for
       multiple readers and multiple tests: an ANOVA approach with dependent
       observations, :doi:`10.1080/03610919508813243`.
    .. [2] Hillis (2007), A comparison of denominator degrees of freedom methods for
       multiple observer ROC analysis, :doi:`10.1002/sim.2532`.

    Examples
    --------
    Three readers rate four ill and four healthy cases by each of two techniques:

    >>> import numpy as np
    >>> from skrate import compare_readers
    >>> modality, reader, case = np.indices((2, 3, 8)).reshape(3, -1)
    >>> ratings = "54231321 43212213 53311241 "
    >>> ratings += "54431221 45321212 54331231"
    >>> compare_readers(
    ...     "roc_auc",
    ...     y_true=case < 4,
    ...     y_score=list(map(int, ratings.replace(" ", ""))),
    ...     reader=reader,
    ...     modality=np.array(["CT", "MRI"])[modality],
    ...     case=case,
    ... )
    ReaderComparison(AUC, 3 readers, n_pos=4, n_neg=4,
      F(1, 14.73) = 6.368, p = 0.0236, 95 % intervals:
      CT          0.7292  [  0.4680,   0.9903]
      MRI         0.9583  [  0.8687,   1.0000]
      CT - MRI   -0.2292  [ -0.4230,  -0.0353]  p = 0.0236)
    """
    check_metric_first(metric)
    if set_of(metric, metric_kwargs) is not None:
        raise ValueError("rate is a set of distributions: give one of them.")
    check_choice("fixed", fixed, FIXED, or_none=True)
    check_choice("adjust", adjust, ADJUSTMENTS)
    plan = Plan("delta", confidence_level, "wald", 1, stratify, None, None)
    readings = _crossed(modality=modality, reader=reader, case=case)
    modalities, readers = readings.modalities, readings.readers
    if len(readers) == 1:
        if fixed == "cases":
            raise ValueError(
                f"reader holds one reader, {readers[0]!r}, which fixed='cases' cannot "
                "conclude from: leave fixed out."
            )
        if fixed is None:
            warn(
                f"reader holds one reader, {readers[0]!r}, who says nothing about "
                "others: readers are taken as fixed, and the test is the paired one of "
                "compare."
            )
        fixed = "readers"
    given = {"y_true": y_true, "sample_weight": sample_weight, "clusters": clusters}
    cases = check_cases(
        **{name: readings.of_cases(name, one) for name, one in given.items()},
        weights=weights, pos_label=pos_label,
    )  # fmt: skip
    scores = readings.by_case("y_score", check_scores("y_score", y_score))
    samples = [Rankings([scored(cases, "y_score", row)]) for row in scores]
    models = measured([(metric, metric_kwargs)] * len(samples), samples, plan)
    names = (f"{reader!r} with {name!r}" for name in modalities for reader in readers)
    named = zip(names, models, strict=True)
    warn_of_turned((f"y_score of reader {name}", one, None) for name, one in named)
    is_known = all(model.is_known for model in models)
    if is_known:
        found = [model.metric for model in models]
        warn_of_difference(found, [model.cases for model in models], "delta")
    shape = t, _ = len(modalities), len(readers)
    values = np.array([one.value if is_known else _NAN for one in models])
    bounds = np.array([one.bounds if is_known else (_NAN, _NAN) for one in models])
    limits = bounds.reshape(*shape, 2).mean(axis=1)
    study = _Study(models, values.reshape(shape), fixed)
    name, question = models[0].metric.name, question_of(models[0].metric)
    of, level, alone = _OF[fixed], plan.confidence_level, np.eye(t)

    def of_mean(i: int) -> Estimate:
        variance, freedom = study.spread(alone[[i]])
        value, error = float(study.means[i]), float(np.sqrt(variance))
        ends = t_interval(value, error, level, tuple(limits[i]), freedom)
        if is_rounding(variance):
            what = f"The interval of {modalities[i]}"
            warn_undefined(what, "neither readers nor cases show how it varies")
            ends = ConfidenceInterval(_NAN, _NAN)
        sizes = models[0].class_sizes
        return Estimate(name, value, error, ends, *sizes, _METHOD, level, question, of)

    means = tuple(map(of_mean, range(t)))
    apart = np.array([alone[i] - alone[j] for i, j in pairs_of(t)])
    variance, freedom = study.spread(apart, t - 1)
    # What shows no variation leaves differences as unknown as F.
    error = _NAN if is_rounding(variance) else float(np.sqrt(variance))

    def compare_two(i: int, j: int, plan: Plan) -> Comparison:
        both = means[i].value, means[j].value
        ends = limits[i, 0] - limits[j, 1], limits[i, 1] - limits[j, 0]
        pair = conclude(name, both, error, plan, freedom, None, ends, None, question)
        return replace(pair, method=_METHOD, of=of)

    statistic = pvalue = _NAN
    if is_rounding(variance):
        warn_undefined("F", "neither readers nor cases show how modalities vary")
    elif is_known:
        statistic = float(2 * study.means.var(ddof=1) / variance)
        # It does not know infinity, and older ones lose digits long before.
        pvalue = float(special.fdtrc(t - 1, freedom, statistic))
        if freedom > _SO_MANY:
            pvalue = float(special.chdtrc(t - 1, (t - 1) * statistic))
    pairs = compare_pairs(modalities, compare_two, plan, study.of_means, adjust)
    return ReaderComparison(
        modalities, readers, study.values, means, pairs, statistic, (t - 1, freedom),
        pvalue, study.components, fixed,
    )  # fmt: skip


class _Readings(NamedTuple):
    """Readings of all cases by all readers with all modalities, and their order."""

    modalities: tuple[str, ...]
    readers: tuple[str, ...]
    cases: Grouping
    order: IntArray

    def by_case(self, name: str, values: Array) -> Array:
        """Return a row for each reader of each modality, and a column for each case."""
        check_equal_length(**{name: values, "case": self.order})
        return values[self.order].reshape(-1, len(self.cases.labels))

    def of_cases(self, name: str, values: ArrayLike | None) -> Any:
        """Return what is the same in all readings of a case; raise where it is not."""
        if values is None:
            return None
        rows = self.by_case(name, check_vector(name, values))
        first = rows[0]
        # Missing values, which differ from themselves, have an error of their own.
        others = (rows != first) & (first == first)
        if others.any():
            row, column = np.argwhere(others)[0].tolist()
            raise ValueError(
                f"{name} must be the same in all readings of a case, found "
                f"{first.tolist()[column]!r} and {rows[row].tolist()[column]!r} of "
                f"case {self.cases.labels.tolist()[column]!r}."
            )
        return first


def _crossed(**factors: ArrayLike) -> _Readings:
    """Return readings by modality, reader and case, each once; raise for others."""
    found = [in_natural_order(check_groups(*factor)) for factor in factors.items()]
    check_equal_length(**dict(zip(factors, (one.codes for one in found), strict=True)))
    labels = [one.labels.tolist() for one in found]
    if len(labels[0]) < 2:
        raise ValueError(
            f"modality must hold at least 2 modalities, found {labels[0][0]!r} only: "
            "estimate has the metric of one reader."
        )
    shape = [len(one) for one in labels]
    places = np.ravel_multi_index([one.codes for one in found], shape)
    inside, times = np.unique(places, return_counts=True)
    n_missing, is_twice = math.prod(shape) - len(inside), len(inside) < len(places)
    if n_missing or is_twice:
        # The first that is there twice, or the first place without one.
        gaps = np.flatnonzero(inside != np.arange(len(inside)))
        missing = gaps[0] if len(gaps) else len(inside)
        at = inside[times.argmax()] if is_twice else missing
        parts = np.unravel_index(at, shape)
        name, reader, case = (one[i] for one, i in zip(labels, parts, strict=True))
        raise ValueError(
            f"reader {reader!r} has {'several readings' if is_twice else 'no reading'} "
            f"of case {case!r} with modality {name!r}; readings are missing in "
            f"{n_missing} places. Each reader must have one reading of each case with "
            "each modality: leave out cases, or readers, that lack one."
        )
    modalities, readers = (tuple(map(str, one)) for one in labels[:2])
    return _Readings(modalities, readers, found[2], np.argsort(places))


@dataclass(frozen=True, eq=False)
class _Study:
    """The metric of all readers with all modalities, and what its means vary by.

    ``values`` have the shape (t, r); all of it is nan where one of them is.
    """

    models: list[Measured]
    values: FloatArray
    fixed: Fixed | None

    @lazy
    def means(self) -> FloatArray:
        """The mean over readers of each modality."""
        return np.asarray(self.values.mean(axis=1))

    @lazy
    def covariances(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Covariances of two modalities, of shape (t, t).

        By the cases, of the same reader and of different ones, and over the readers.
        """
        t, r = self.values.shape
        others = over_readers = np.full((t, t), _NAN)
        by_case = np.full((t, r, t, r), _NAN)
        if not np.isnan(self.values).any():
            rows = [model.influence for model in self.models]
            by_case = covariance(rows, self.models[0].cases).reshape(by_case.shape)
        same = np.trace(by_case, axis1=1, axis2=3) / r
        if r > 1:
            others = (r * by_case.mean(axis=(1, 3)) - same) / (r - 1)
            centred = self.values - self.means[:, None]
            over_readers = (centred[:, None] * centred).sum(axis=-1) / (r - 1)
        return same, others, over_readers

    @property
    def of_means(self) -> FloatArray:
        """The covariance of the means."""
        r, (same, others, over_readers) = self.values.shape[1], self.covariances
        if self.fixed == "readers":
            return (same + (r - 1) * others) / r if r > 1 else same
        of_cases = 0.0 if self.fixed == "cases" else others
        return np.asarray(over_readers / r + of_cases)

    @property
    def components(self) -> dict[str, float]:
        """The mean squares and covariances by their names."""
        same, others, over_readers = map(_inside_and_out, self.covariances)
        return {
            "MS(T)": float(self.values.shape[1] * self.means.var(ddof=1)),
            "MS(TR)": over_readers[0] - over_readers[1],
            "Var": same[0], "Cov1": same[1], "Cov2": others[0], "Cov3": others[1],
        }  # fmt: skip

    def spread(self, contrasts: FloatArray, n_free: int = 1) -> tuple[float, float]:
        """Return the mean variance of contrasts of the means, and its freedom.

        So many of the contrasts are free.
        """
        r, first = self.values.shape[1], self.models[0]
        if np.isnan(self.values).any():
            return _NAN, _NAN
        if self.fixed == "readers":
            rows = np.array([model.influence for model in self.models])
            of_means = rows.reshape(-1, r, rows.shape[1]).mean(axis=1).T
            each = [influence_parts(dot(of_means, c), first.cases) for c in contrasts]
            parts = Parts(*np.mean(each, axis=0).tolist())
            return parts.total, first.freedom(parts)
        _, by_case, by_reader = (
            float(np.mean([dot(dot(matrix, c), c) for c in contrasts]))
            for matrix in self.covariances
        )
        of_readers = by_reader / r
        # The sampling of cases cannot make it smaller: below 0 that is an estimate.
        of_cases = max(by_case, 0.0) if self.fixed is None else 0.0
        variance, freedom = of_readers + of_cases, np.inf
        if of_readers > 0:
            freedom = n_free * (r - 1) * (variance / of_readers) ** 2
        return variance, freedom


def _inside_and_out(matrix: FloatArray) -> tuple[float, float]:
    """Return the mean of the entries on the diagonal, and of those off it."""
    on_it = np.eye(len(matrix), dtype=bool)
    return float(matrix[on_it].mean()), float(matrix[~on_it].mean())


@dataclass(frozen=True)
class ReaderComparison(Rows):
    """Modalities compared by several readers, as :func:`compare_readers` returns them.

    Attributes
    ----------
    names : tuple of str
        Names of the modalities.
    readers : tuple of str
        Names of the readers.
    values : array of shape (n_modalities, n_readers)
        The metric of each reader with each modality.
    means : tuple of Estimate
        The mean over readers of each modality, with its interval.
    differences : Comparisons
        All pairs of modalities; the ``covariance`` of the means takes each pair by
        itself, while all pairs have the same standard error.
    statistic : float
        F: the variation between the means, over the variation that readers and cases
        cause by chance.
    df : tuple of (int, float)
        Its degrees of freedom.
    pvalue : float
        Probability of an F as great, if all modalities were alike.
    components : dict
        The mean squares "MS(T)" and "MS(TR)", and "Var", "Cov1", "Cov2" and "Cov3".
    fixed : {"readers", "cases"} or None
        What is fixed, not a sample.

    Examples
    --------
    >>> from skrate import compare_readers
    >>> result = compare_readers(
    ...     "roc_auc",
    ...     y_true=[1, 1, 0, 0] * 4,
    ...     y_score=[4, 2, 3, 1, *[4, 3, 2, 1] * 2, 4, 1, 3, 2],
    ...     reader=(["Ann"] * 4 + ["Bob"] * 4) * 2,
    ...     modality=["CT"] * 8 + ["MRI"] * 8,
    ...     case=[1, 2, 3, 4] * 4,
    ... )
    >>> result.values.tolist()
    [[0.75, 1.0], [1.0, 0.5]]
    """

    names: tuple[str, ...]
    readers: tuple[str, ...]
    values: FloatArray = field(compare=False)
    means: tuple[Estimate, ...]
    differences: Comparisons
    statistic: float
    df: tuple[int, float]
    pvalue: float
    components: dict[str, float] = field(hash=False)
    fixed: Fixed | None = None
    _index = "modality"

    def __len__(self) -> int:
        return len(self.names)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per modality.

        After the columns of its mean there is a column of values for each reader.
        """
        of_readers = zip(self.readers, self.values.T, strict=True)
        columns = {"modality": self.names} | as_columns(self.means)
        return as_columns(columns | {f"reader {name}": row for name, row in of_readers})

    def __repr__(self) -> str:
        first, pairs = self.means[0], self.differences
        labels = [*self.names, *(f"{a} - {b}" for a, b in pairs._names_of_pairs())]
        width = max(map(len, labels))
        lines = [
            f"  {label:<{width}}  {one.value:8.4f}  "
            f"[{one.confidence_interval.low:8.4f}, {one.confidence_interval.high:8.4f}]"
            for label, one in zip(labels, (*self.means, *pairs), strict=True)
        ]
        for i, pvalue in enumerate(pairs.adjusted_pvalues, len(self.names)):
            lines[i] += f"  p = {pvalue:.3g}"
        of = "" if self.fixed is None else f" ({self.fixed} fixed)"
        head = (
            f"ReaderComparison({first.metric}{question_text(first.params)}, "
            f"{len(self.readers)} readers, n_pos={first.n_pos:g}, "
            f"n_neg={first.n_neg:g}{of},\n  F({self.df[0]}, {self.df[1]:.4g}) = "
            f"{self.statistic:.4g}, p = {self.pvalue:.3g}, "
            f"{100 * first.confidence_level:g} % intervals:"
        )
        return "\n".join([head, *lines]) + ")"
