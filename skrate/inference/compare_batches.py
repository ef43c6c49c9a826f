"""Two deployed models over the batches so far, however often one looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from skrate.data.arrays import Array, ArrayLike, FloatArray, IntArray, Label
from skrate.data.checks import (
    check_count,
    check_equal_length,
    check_fraction,
    check_scores,
    warn,
)
from skrate.data.ranking import Grouping, check_groups, in_natural_order
from skrate.inference.compare import compare
from skrate.inference.sample import check_cases
from skrate.metrics.base import MetricLike, check_metric_first, find_metric, question_of
from skrate.metrics.hypotheses import NEGLIGIBLE
from skrate.metrics.results import (
    Comparison,
    Drawn,
    Question,
    Rows,
    as_columns,
    question_text,
    t_quantile,
)

# Cases of a class that a look takes, and looks of one variance, that intervals take.
_FEW, _START = 10, 3.9


def compare_batches(
    metric: MetricLike,
    y_true: ArrayLike,
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    batches: ArrayLike,
    n_batches: int = 10,
    confidence_level: float = 0.95,
    pos_label: Label = None,
    **metric_kwargs: Any,
) -> BatchComparison:
    r"""Compare two deployed models after each batch, with intervals that all hold.

    An interval of :func:`compare` is for one planned look: who looks until it leaves
    out 0 will find a difference between equal models. These hold at all looks together.

    Parameters
    ----------
    metric : callable or str
        As in :func:`estimate`, such as "roc_auc".
    y_true : array-like of shape (n_samples,)
        True labels of two classes, of all batches so far.
    y_score_a, y_score_b : array-like of shape (n_samples,)
        Scores of both models, higher for the positive class.
    batches : array-like of shape (n_samples,)
        The batch of each case: numbers, dates or strings in the order of time;
        "week 9" comes before "week 10". Batches are taken for independent.
    n_batches : int, default=10
        About how many batches there will be, chosen before the first look: intervals
        hold for any number, and are narrowest then.
    confidence_level : float, default=0.95
        Level at which the intervals of all looks hold together, in (0, 1).
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    result : BatchComparison
        A row for each look: its difference a - b, the mean so far (``values``; near 0
        for models that are equally good) with its ``low`` and ``high`` ends, and
        ``pvalues``; the last ones are the result. And a p-value of drift.

    Raises
    ------
    ValueError
        For labels, scores or batches that do not fit, lists, or a gain per case.

    Warns
    -----
    UserWarning
        If the cases are too few for a first look; and as :func:`compare`.

    See Also
    --------
    compare : A single look that was planned: a narrower interval.
    skrate.review.recall_certificate : Its ``looks="any"`` is for a review.

    Notes
    -----
    Look b at :math:`n_b` cases has the difference :math:`d_b` and the standard error
    :math:`s_b` of :func:`compare`. With :math:`S = \sum n_b d_b`,
    :math:`V = \sum n_b^2 s_b^2` and :math:`N = \sum n_b` so far, the interval is [1]_

    .. math:: \frac{S}{N} \pm \frac{1}{N} \sqrt{(V + \kappa)
              \log \frac{V + \kappa}{\kappa \alpha^2}}, \qquad
              \kappa = \frac{m V_1}{\log(1 - 2 \log \alpha) - 2 \log \alpha},

    with :math:`V_1` of a look and m = ``n_batches``. The p-value is the least
    :math:`\alpha` whose boundary at this :math:`\kappa` S has passed so far. They hold
    as the normal distribution does. So cases of a batch of which a class has fewer than
    10 are looked at with the next batch. :math:`s_b` is half the interval of
    :func:`compare` over 1.96, wider by Student's t; 0 where the models do not differ.
    Intervals begin, with :math:`V_1` the mean of the looks so far, once :math:`V^2 \ge
    3.9 \sum n_b^4 s_b^4`: of looks of one size at the fourth. Before they are nan.

    The interval is for the mean, by their sizes, of the differences that such looks
    have on average. A drift of the prevalence or the scores makes no difference of
    itself, as models are compared within looks. Drift of the prevalence is tested at
    each batch by Fisher's exact test against all before, the k-th of these tests with
    its p-value times k (k + 1); the least is reported. Cost: a :func:`compare` a look.

    References
    ----------
    .. [1] Waudby-Smith et al. (2024), Time-uniform central limit theory and asymptotic
       confidence sequences, :doi:`10.1214/24-AOS2408`.

    Examples
    --------
    Twelve weeks of 400 cases; model a is the better one:

    >>> import numpy as np
    >>> from skrate import compare_batches
    >>> rng = np.random.default_rng(0)
    >>> week = np.repeat(np.arange(12), 400)
    >>> y_true = rng.random(4_800) < 0.2
    >>> a, b = rng.normal(size=(2, 4_800)) + y_true * [[1.5], [1.0]]
    >>> compare_batches("roc_auc", y_true, a, b, batches=week)
    BatchComparison(AUC: a - b = 0.09348 after 12 looks at 4,800 cases,
      95 % interval [0.06082, 0.1261], p = 3.51e-15, at every look;
      prevalence 0.185 to 0.233, p = 1)
    """
    check_metric_first(metric)
    for name in {"groups", "clusters"} & metric_kwargs.keys():
        raise ValueError(f"{name} is unknown here: give compare each batch by itself.")
    asked = find_metric(metric, metric_kwargs)
    if asked.facts.is_of_cases:
        raise ValueError("gain or cost per case: give them per class, or use compare.")
    level = check_fraction("confidence_level", confidence_level)
    n_batches = check_count("n_batches", n_batches)
    is_pos = check_cases(y_true, pos_label=pos_label).is_pos
    a, b = check_scores("y_score_a", y_score_a), check_scores("y_score_b", y_score_b)
    found = _in_time(batches)
    check_equal_length(y_true=is_pos, y_score_a=a, y_score_b=b, batches=found.codes)
    n_cases, n_found = len(is_pos), len(found.sizes)
    if 1 < n_cases < 2 * n_found:
        raise ValueError(
            f"batches holds {n_found} batches of {n_cases} cases: give the days or "
            "weeks in which cases came together, no times or numbers of cases."
        )
    n_pos = np.bincount(found.codes, is_pos).astype(np.intp)
    looks = _looks(np.stack([n_pos, found.sizes - n_pos], axis=1))
    if not looks:
        warn(
            f"A first look takes {_FEW} cases of each class: so far there are "
            f"{n_pos.sum()} positives and {n_cases - n_pos.sum()} negatives."
        )
    order = np.argsort(found.codes, kind="stable")
    ends = np.append(0, np.cumsum(found.sizes))[[0, *looks]]
    pairs = [
        compare(metric, is_pos[rows], a[rows], b[rows], **metric_kwargs)
        for rows in np.split(order, ends[1:])[:-1]
    ]
    differences = np.array([pair.value for pair in pairs])
    errors = np.array([error_of_look(pair) for pair in pairs])
    sizes, of_pos = np.diff(ends), np.diff(np.append(0, np.cumsum(n_pos))[[0, *looks]])
    return BatchComparison(
        asked.name, found.labels[np.array(looks, np.intp) - 1], sizes, of_pos,
        differences, errors,
        *sequence_of_looks(sizes, differences, errors, 1 - level, n_batches),
        _drift(n_pos, found.sizes), level, question_of(asked), n_cases - int(ends[-1]),
    )  # fmt: skip


def _in_time(batches: Any) -> Grouping:
    """Return the batches in the order of time, which ordered categories have."""
    column = getattr(batches, "cat", batches)
    if not getattr(column, "ordered", False):
        return in_natural_order(check_groups("batches", batches))
    found = check_groups("batches", np.asarray(column.codes))
    if found.labels[0] < 0:
        raise ValueError("batches has missing entries: name the batch of each case.")
    return found._replace(labels=np.asarray(column.categories)[found.labels])


def _looks(sizes: IntArray) -> list[int]:
    """Return how many batches each look has behind it, by sizes of both classes."""
    looks, begin = [], 0
    for end in range(1, len(sizes) + 1):
        if sizes[begin:end].sum(axis=0).min() >= _FEW:
            looks.append(end)
            begin = end
    return looks


def error_of_look(pair: Comparison) -> float:
    """Return it by the wider side of the interval, which Student's t makes wider."""
    if abs(pair.value) + pair.standard_error < NEGLIGIBLE:
        return 0.0
    low, high = pair.confidence_interval
    return max(high - pair.value, pair.value - low) / t_quantile(pair.confidence_level)


def sequence_of_looks(
    sizes: IntArray, differences: FloatArray, errors: FloatArray, alpha: float, m: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the mean differences so far, their low and high ends, and p-values."""
    total, moved = np.cumsum(sizes), np.cumsum(sizes * differences)
    squares = (sizes * errors) ** 2
    variance, most = np.cumsum(squares), np.maximum(np.cumsum(squares**2), 1e-300)
    # A few looks may show next to no variation, by chance.
    first = next(iter(np.flatnonzero(variance**2 >= _START * most)), len(total))
    kappa = m * variance[first : first + 1].sum() / (first + 1)
    kappa /= np.log(1 - 2 * np.log(alpha)) - 2 * np.log(alpha)
    variance[:first] = np.nan
    grown = variance + kappa
    reach = np.sqrt(grown * np.log(grown / kappa / alpha**2))
    logs = np.log(grown / kappa) / 2 - moved**2 / (2 * grown)
    pvalues = np.exp(np.fmin.accumulate(np.fmin(logs, 0)))
    return moved / total, (moved - reach) / total, (moved + reach) / total, pvalues


def _drift(n_pos: IntArray, sizes: IntArray) -> float:
    """Return the p-value of a prevalence that stays, over all batches."""
    least = float("nan")
    counts = np.stack([n_pos, sizes - n_pos], axis=1)
    before = np.cumsum(counts, axis=0)
    for k in range(1, len(sizes)):
        pvalue = float(stats.fisher_exact([before[k - 1], counts[k]]).pvalue)
        least = float(np.fmin(least, min(k * (k + 1) * pvalue, 1)))
    return least


@dataclass(frozen=True, eq=False, repr=False)
class BatchComparison(Drawn, Rows):
    """Two models after each batch, as :func:`skrate.compare_batches` returns them.

    Attributes
    ----------
    metric : str
        Name of the metric.
    batches : array of shape (n_looks,)
        The last batch of each look.
    n_cases, n_pos : array of shape (n_looks,)
        Number of cases and of positives of each look, without earlier ones.
    differences, standard_errors : array of shape (n_looks,)
        The difference a - b of each look alone, and its error by Student's t.
    values : array of shape (n_looks,)
        The mean difference so far, by the number of cases.
    low, high : array of shape (n_looks,)
        Ends of its intervals, which hold at all looks together.
    pvalues : array of shape (n_looks,)
        Of models that were equally good in all looks so far.
    prevalence_pvalue : float
        Of a prevalence that was the same in all batches; nan for one batch.
    confidence_level, params : float, dict
        Level of all intervals together, and the parameters of the metric.
    n_waiting : int
        Number of cases that wait for the next look.

    Examples
    --------
    >>> from skrate import compare_batches
    >>> y, a, b = [0, 1] * 60, [1, 2, 4, 3] * 30, [1, 3, 2, 4] * 30
    >>> week = [1] * 60 + [2] * 60
    >>> result = compare_batches("roc_auc", y, a, b, batches=week)
    >>> result.values.round(2).tolist(), result.n_cases.tolist()
    ([-0.5, -0.5], [60, 60])
    """

    metric: str
    batches: Array
    n_cases: IntArray
    n_pos: IntArray
    differences: FloatArray
    standard_errors: FloatArray
    values: FloatArray
    low: FloatArray
    high: FloatArray
    pvalues: FloatArray
    prevalence_pvalue: float
    confidence_level: float
    params: Question
    n_waiting: int
    _index = "batch"

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per look."""
        columns = {
            "batch": self.batches, "n_cases": self.n_cases,
            "prevalence": self.n_pos / self.n_cases, "difference": self.differences,
            "value": self.values, "low": self.low, "high": self.high,
            "pvalue": self.pvalues,
        }  # fmt: skip
        return as_columns(columns, **self.params)

    def __repr__(self) -> str:
        of = f"BatchComparison({self.metric}{question_text(self.params)}"
        if not len(self.values):
            return f"{of}: no look yet, {self.n_waiting:,} cases wait)"
        shares, p = self.n_pos / self.n_cases, self.prevalence_pvalue
        drifts = ", which drifts" if p <= 1 - self.confidence_level else ""
        prevalence = (
            f";\n  prevalence {shares.min():.3g} to {shares.max():.3g}{drifts}, "
            f"p = {p:.3g}"
        )
        if np.isnan(p):
            prevalence = ""
        if np.isnan(self.low[-1]):
            return (
                f"{of}: a - b = {self.values[-1]:.4g} after {len(self.values)} "
                f"look{'s' * (len(self.values) > 1)} at {self.n_cases.sum():,} cases, "
                "whose variance\n  is not known well enough: intervals begin at about "
                "the fourth look, if looks are alike)"
            )
        return (
            f"{of}: a - b = {self.values[-1]:.4g} after {len(self.values)} looks at "
            f"{self.n_cases.sum():,} cases,\n  {100 * self.confidence_level:g} % "
            f"interval [{self.low[-1]:.4g}, {self.high[-1]:.4g}], p = "
            f"{self.pvalues[-1]:.3g}, at every look{prevalence})"
        )
