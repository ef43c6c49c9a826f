"""One metric of many rankings of the same cases, such as of markers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from joblib import Parallel, delayed

from skrate.core.results import Estimates
from skrate.data.arrays import ArrayLike, FloatArray, Label, RandomState
from skrate.data.checks import (
    check_choice,
    check_generator,
    check_n_jobs,
    warn_undefined,
)
from skrate.inference.adjustment import ADJUSTMENTS, Adjust, adjusted
from skrate.inference.delta import variance_parts
from skrate.inference.intervals import Alternative
from skrate.inference.plan import Plan, check_metric, defined_value, why_too_few
from skrate.inference.random_rankings import RandomRankings
from skrate.inference.sample import (
    Ranked,
    Weights,
    check_cases,
    columns_of,
    matrix_of,
    scored,
    turned,
    with_worth,
)
from skrate.metrics.base import Metric, MetricLike, question_of, why_undefined

# Columns that a thread takes at a time, and those with their names.
_BATCH = 32
_Batch: TypeAlias = tuple[tuple[str, ...], Any]
_NAN = float("nan")


def estimate_all(
    metric: MetricLike,
    y_true: ArrayLike,
    y_scores: ArrayLike | Mapping[Any, ArrayLike],
    *,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "holm",
    n_resamples: int = 2000,
    stratify: bool | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    **metric_kwargs: Any,
) -> Estimates:
    r"""Estimate a metric of many markers, and test each against chance.

    Of hundreds of genes, proteins or features, which tell the classes apart? Each is
    taken as a ranking by itself, with its standard error and a p-value, adjusted for
    their number: among many some seem to tell the classes apart by chance.

    Parameters
    ----------
    metric : callable or str
        As in :func:`estimate`.
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_scores : array-like of shape (n_samples, n_models), mapping or data frame
        Scores, one column or entry for each marker or model; keys and column names are
        their names, of an array the numbers of the columns.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether a marker is found that is better than chance, worse, or either: one that
        ranks the positives last tells the classes apart as well.
    adjust : {"holm", "bh", "by"}, default="holm"
        What the adjusted p-values keep to a level:

        - "holm": the probability of any false finding [1]_;
        - "bh": the expected share of the false among all findings, by Benjamini and
          Hochberg [2]_, for markers that do not depend on each other, or positively;
        - "by": the same by Benjamini and Yekutieli, however they depend.
    n_resamples : int, default=2000
        Number of random rankings that a metric is compared with. Unused for an AUC
        whose distribution by chance is known, as it is without ties.
    stratify : bool, default=None
        As in :func:`estimate`, by the delta method.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are, as in :func:`estimate`.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    random_state : int, Generator or RandomState, default=None
        Source of the random rankings.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    result : Estimates
        With ``values``, ``standard_errors``, ``pvalues`` and ``adjusted_pvalues``, an
        entry for each column; ``to_frame()`` makes a table of them.

    Raises
    ------
    ValueError
        As :func:`estimate`; a column that cannot be ranked is named.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases, or the metric of some columns is
        undefined; it is told once.
    UserWarning
        As :func:`estimate`, told once, but not where scores may be turned round: of
        many markers either sign is looked for, and a value far below ``chance`` has a
        small p-value of its own unless ``alternative`` is "greater".

    See Also
    --------
    estimate : One ranking, with its confidence interval and by other methods.
    compare_all : Differences of models, of all pairs or from a reference.
    MarkersDisplay : Two metrics of all markers against each other.
    scipy.stats.false_discovery_control : The adjustment alone.

    Notes
    -----
    The standard error is that of the delta method. The p-value is that of another
    hypothesis than that the metric is what chance makes it: that the scores say nothing
    of the labels, so that each order of the labels is as likely. It keeps its level
    where positives are few, as a value divided by its standard error does not. For the
    AUC it is Mann and Whitney's test: exact where few sums of ranks are possible, as
    with few cases or ties in few groups (in two groups it is Fisher's). Else it is
    normal, without correction for continuity, unless ties make its law skew or coarse.
    Then, and for other metrics, ``n_resamples`` orders of the labels are counted, the
    same for all markers. Three in five lean to the positives first or last and count
    by how much likelier they are by chance, as does the marker itself: so p-values far
    below ``1 / n_resamples`` are known, and none is too small on average [3]_. Beyond
    2**28 places in all orders, and with ``sample_weight``, no order leans, and no
    p-value is below ``1 / (n_resamples + 1)``. Where clusters or sampling weights
    forbid another order, it is the level at which Wilson's interval ends at the metric
    of constant scores; with gains or costs per case it is nan.

    Adjusted by "holm" the i-th smallest of m p-values is multiplied by m - i + 1.
    Columns with undefined metrics are not counted.

    Cost: a sort per column. Of the AUC of 1,000 columns of 10,000 cases that is less
    than a twentieth of the time of a loop of :func:`sklearn.metrics.roc_auc_score`.
    For a metric other than the AUC, and for an AUC whose law ties make skew, each
    column with ties costs ``n_resamples`` rankings.

    References
    ----------
    .. [1] Holm (1979), A simple sequentially rejective multiple test procedure,
       Scandinavian Journal of Statistics 6, 65-70.
    .. [2] Benjamini and Hochberg (1995), Controlling the false discovery rate: a
       practical and powerful approach to multiple testing,
       :doi:`10.1111/j.2517-6161.1995.tb02031.x`.
    .. [3] Harrison (2012), Conservative hypothesis tests and confidence intervals using
       importance sampling, Biometrika 99(1), :doi:`10.1093/biomet/asr079`.

    Examples
    --------
    >>> import numpy as np
    >>> from skrate import estimate_all
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([0, 1], [82, 83])
    >>> markers = rng.normal(size=(165, 779))
    >>> markers[:, 500] += y_true
    >>> result = estimate_all("roc_auc", y_true, markers)
    >>> [
    ...     result.names[i]
    ...     for i in np.flatnonzero(result.adjusted_pvalues < 0.05)
    ... ]
    ['500']
    """
    check_choice("adjust", adjust, ADJUSTMENTS)
    generator = check_generator(random_state)
    plan = Plan(
        "delta", 0.95, "wald", n_resamples, stratify, generator, n_jobs, alternative
    )
    cases = check_cases(
        y_true,
        sample_weight=sample_weight,
        weights=weights,
        clusters=clusters,
        pos_label=pos_label,
    )
    names, batches = _batches_of(y_scores, cases.n_given)
    found = check_metric(metric, metric_kwargs, cases)
    if getattr(found, "worst", None) is not None:
        raise ValueError(
            "worst means another distribution for each column: estimate them one by "
            "one, or give the rate itself."
        )
    # Of scores that say nothing.
    constant = with_worth(cases.with_scores("y_scores", np.zeros(cases.n_given)), found)
    is_known = why_too_few(constant) is None
    chance = found.value(constant.table) if is_known else float("nan")
    random = RandomRankings(
        found, plan.alternative, plan.n_resamples, generator.integers(2**32, size=4)
    )
    is_stratified = plan.is_stratified(cases)
    one = partial(_estimated, found, cases, is_stratified, random, chance, is_known)
    # Threads, whatever else joblib is told to use: nothing need be copied for them.
    run = Parallel(n_jobs=check_n_jobs(plan.n_jobs), require="sharedmem")
    rows = run(delayed(_of_batch)(one, *batch) for batch in batches)
    values, errors, pvalues = np.concatenate(rows).T
    _warn_of_undefined(found, cases, batches, names, values)
    n_pos, n_neg = (int(size) for size in cases.sizes)
    return Estimates(
        found.name, names, values, errors, pvalues, adjusted(pvalues, adjust),
        float(chance), n_pos, n_neg, plan.alternative, adjust, question_of(found),
    )  # fmt: skip


def _batches_of(
    y_scores: ArrayLike | Mapping[Any, ArrayLike], n_cases: int
) -> tuple[tuple[str, ...], list[_Batch]]:
    """Return the names of the columns, and so many at a time with theirs."""
    columns: Any
    if isinstance(y_scores, Mapping) or hasattr(y_scores, "columns"):
        named = columns_of("y_scores", y_scores, n_cases)
        if not named:
            raise ValueError("y_scores holds no column: at least one is needed.")
        names = tuple(str(name) for name in named)
        columns = list(named.values())
        parts = [columns[i : i + _BATCH] for i in range(0, len(names), _BATCH)]
    else:
        table = matrix_of("y_scores", y_scores, n_cases)
        names = tuple(str(j) for j in range(table.shape[1]))
        parts = [table[:, i : i + _BATCH] for i in range(0, len(names), _BATCH)]
    firsts = range(0, len(names), _BATCH)
    return names, [
        (names[i : i + _BATCH], part) for i, part in zip(firsts, parts, strict=True)
    ]


def _columns(part: Any) -> Iterable[Any]:
    # So few columns of a matrix that they are copied when they are needed only.
    return turned(part) if isinstance(part, np.ndarray) else part


def _of_batch(
    one: Callable[[str, Any], tuple[float, float, float]],
    names: Sequence[str],
    part: Any,
) -> FloatArray:
    """Return rows of what ``one`` returns of each column."""
    columns = _columns(part)
    return np.array([one(*each) for each in zip(names, columns, strict=True)])


def _ranked(metric: Metric, cases: Ranked, name: str, column: Any) -> Ranked:
    one = scored(cases, f"y_scores[{name!r}]", column, by_case=not cases.is_plain)
    return with_worth(one, metric)


def _estimated(
    metric: Metric,
    cases: Ranked,
    is_stratified: bool,
    random: RandomRankings,
    chance: float,
    is_known: bool,
    name: str,
    column: Any,
) -> tuple[float, float, float]:
    """Return the value of a column, its standard error and its p-value.

    Nothing is known of any where there are too few cases.
    """
    ranked = _ranked(metric, cases, name, column)
    value = ranked.score(metric) if is_known else _NAN
    if np.isnan(value):
        return _NAN, _NAN, _NAN
    error = variance_parts(metric, ranked, stratify=is_stratified).standard_error
    return value, error, random.pvalue(ranked, value, chance, error)


def _warn_of_undefined(
    metric: Metric,
    cases: Ranked,
    batches: list[_Batch],
    names: tuple[str, ...],
    values: FloatArray,
) -> None:
    """Warn of the first column as estimate does, and of all others at once."""

    def ranked_at(place: int) -> Ranked:
        some, part = batches[place // _BATCH]
        column = list(_columns(part))[place % _BATCH]
        return _ranked(metric, cases, some[place % _BATCH], column)

    defined_value(metric, ranked_at(0))
    others = np.flatnonzero(np.isnan(values[1:])) + 1
    if len(others) == 0 or why_too_few(ranked_at(0)) is not None:
        return
    place = int(others[0])
    more = f" and of {len(others) - 1} more" if len(others) > 1 else ""
    warn_undefined(
        f"The {metric.name} of y_scores[{names[place]!r}]{more}",
        why_undefined(metric, ranked_at(place).table),
        stacklevel=4,
    )
