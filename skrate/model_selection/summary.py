"""A cross-validation as a table: means over folds with corrected intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, IntArray, dot
from skrate.data.checks import check_fraction
from skrate.data.folds import FoldRankings, Repeats, check_repeats, disjoint_repeats
from skrate.metrics.results import (
    ConfidenceInterval,
    Result,
    Rows,
    as_columns,
    t_interval,
)
from skrate.model_selection.folds import (
    UNLIMITED,
    ScoreRange,
    beyond,
    check_range,
    check_test_share,
    fold_scores,
    mean_standard_error,
    share_of_folds,
    warn_of_flat_scores,
)
from skrate.model_selection.refit import split_scores
from skrate.model_selection.report import COUNTS, STANDARD_ERROR

# For all metrics, or by their names.
ScoreRanges = ScoreRange | Mapping[str, ScoreRange] | None

_NAN = float("nan")

# Scorers of scikit-learn and scores of this package, by the names they go by there; a
# trailing "_score" is left off. Errors, losses, lift and r2 have other ranges.
_UNIT_METRICS = """
    accuracy ap auc average_precision balanced_accuracy expected_recall f1 jaccard
    macro_auc momentum precision precision_at_rate ranking_auc rate_weighted_auc rauc
    recall recall_at_rate roc_auc stamina top_k_accuracy
"""
# What scikit-learn adds to a name where there are more than two classes.
_AVERAGES = ("_micro", "_macro", "_samples", "_weighted", "_ovr", "_ovo")


class _Design(NamedTuple):
    """What is known of the folds that scores come from."""

    repeats: IntArray  # The repeat of each fold, in which no case is tested twice.
    test_share: float  # n_test / n_train
    times_tested: float = 1.0  # How often a case is tested within a repeat, at least 1.
    is_assumed: bool = False  # Nothing says that this is not repeated.


@dataclass(frozen=True)
class FoldSummary(Result):
    """One metric of one model over folds: a row of :func:`skrate.summarize`.

    Attributes
    ----------
    model : str
        The model: its key, or its parameters in a search.
    metric : str
        Name of the metric.
    value : float
        Mean over the defined folds.
    standard_error : float
        Of the mean, for training sets of this size; folds are not independent.
    confidence_interval : ConfidenceInterval
        Of the mean; its ends are ``.low`` and ``.high``, within the metric's range
        where that is known.
    confidence_level : float
        Level of the interval.
    pooled : float
        Mean over folds weighted by n_pos n_neg / (n_pos + n_neg); nan where the
        results lack these.
    pooled_standard_error : float
        Of the pooled mean, for the models that were fitted: the spread over test
        cases, each of which counts once however often it was tested.
    n_folds, n_undefined : int
        Number of folds, and of those on which the metric is undefined.

    See Also
    --------
    skrate.summarize : Makes it.

    Examples
    --------
    >>> from skrate import summarize
    >>> summarize({"test_auc": [0.5, 0.75, 1]})[0].value
    0.75
    """

    model: str
    metric: str
    value: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    confidence_level: float
    pooled: float
    pooled_standard_error: float
    n_folds: int
    n_undefined: int


@dataclass(frozen=True)
class FoldSummaries(Rows):
    """Rows of :func:`skrate.summarize`, printed as a table.

    It has a length, and its rows are found by position or in a loop.

    Attributes
    ----------
    rows : tuple of FoldSummary
        One per model and metric.

    See Also
    --------
    skrate.summarize : Makes it.

    Examples
    --------
    >>> from skrate import summarize
    >>> a, b = (
    ...     {"test_auc": [0.7, 0.8, 0.9]},
    ...     {"test_auc": [0.6, 0.7, 0.8]},
    ... )
    >>> summarize({"A": a, "B": b})
    model  metric   value     low    high  pooled  undefined
    A      auc     0.8000  0.4072  1.0000     nan     0 of 3
    B      auc     0.7000  0.3072  1.0000     nan     0 of 3
    """

    rows: tuple[FoldSummary, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[FoldSummary]:
        return iter(self.rows)

    def __getitem__(self, position: int) -> FoldSummary:
        return self.rows[position]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name, as ``pandas.DataFrame`` takes them."""
        return as_columns(self.rows)

    def __repr__(self) -> str:
        head = ("model", "metric", "value", "low", "high", "pooled", "undefined")
        body = []
        for row in self.rows:
            numbers = (row.value, *row.confidence_interval, row.pooled)
            cells = (f"{number:.4f}" for number in numbers)
            undefined = f"{row.n_undefined} of {row.n_folds}"
            body.append((row.model, row.metric, *cells, undefined))
        widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if i < 2 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            for line in (head, *body)
        )


def summarize(
    cv_results: Mapping[str, Any] | ArrayLike,
    *,
    n_train: float | None = None,
    n_test: float | None = None,
    repeats: Repeats = None,
    confidence_level: float = 0.95,
    score_range: ScoreRanges = None,
) -> FoldSummaries:
    """Summarise a cross-validation: means over folds with corrected intervals.

    The standard deviation over folds is no standard error: folds share training cases.
    The mean's interval counts that in; the pooled mean tells what is known of the
    models that were fitted.

    Parameters
    ----------
    cv_results : dict or array-like of shape (n_folds,)
        ``cv_results_`` of a search, what ``cross_validate`` returns, or a dict of
        the latter by the name of the model. Or the scores of the folds alone, as
        ``cross_val_score`` and :meth:`FoldRankings.scores` return them, of a metric
        that is called "score".
    n_train, n_test : float, default=None
        Number of training and of test cases per fold. None means those of the
        ``indices`` that ``cross_validate(return_indices=True)`` returns, without these
        those of cross-validation with as many folds. Give them for random splits.
    repeats : int or array-like of shape (n_folds,), default=None
        Which folds belong to one repeat, where cross-validation was repeated: the
        number of repeats, or a label for each fold. None means what the ``indices``
        show: folds in a row that test no case twice are one repeat.
    confidence_level : float, default=0.95
        Level of the intervals, in (0, 1).
    score_range : tuple of float or dict, default=None
        The least and the greatest value (low, high) of the metrics, None for an end
        that is not there, or a dict of such pairs by metric: intervals end where the
        range does. None means (0, 1) for names of such metrics in this package and in
        scikit-learn ("auc", "recall_at_rate", "f1" and so on), as long as no score lies
        outside, and no limits for others, as "score" or "neg_log_loss".

    Returns
    -------
    table : FoldSummaries
        One :class:`FoldSummary` per model and metric.

    Raises
    ------
    ValueError
        If there are no scores of folds in ``cv_results``, one of ``n_train`` and
        ``n_test`` is missing, a score is infinite or no number, the level is not in
        (0, 1), or ``repeats`` or ``score_range`` do not go with the scores.

    Warns
    -----
    UserWarning
        If there are more than ten folds, and no ``n_train``, ``repeats`` or
        ``indices`` that say whether cross-validation was repeated: they are taken for
        one cross-validation.

    See Also
    --------
    ScoreReport : Puts standard errors and class sizes into the results.
    compare_folds : The test of a difference.

    Notes
    -----
    The interval of the mean is that of the corrected t-test [1]_ on the folds where
    the metric is defined. The correction is a heuristic: with 10 repeats of 5 folds,
    intervals of 95 % covered 0.906 in simulations of 120 cases and 0.963 of 400.

    The pooled mean needs the class sizes of :class:`ScoreReport`; its weights are
    inversely proportional to the variances, if these are as the class sizes say. Its
    standard error is that of one repeat, averaged over repeats: they test the same
    cases.

    References
    ----------
    .. [1] Nadeau and Bengio (2003), Inference for the generalization error,
       :doi:`10.1023/A:1024068626366`.

    Examples
    --------
    >>> from skrate import summarize
    >>> results = {
    ...     "test_auc": [0.7, 0.8, 0.9],
    ...     "test_auc_standard_error": [0.06, 0.06, 0.06],
    ...     "test_n_pos": [10, 10, 10],
    ...     "test_n_neg": [40, 40, 40],
    ... }
    >>> row = summarize(results)[0]
    >>> round(row.value, 3), round(row.standard_error, 3)
    (0.8, 0.091)
    >>> round(row.pooled, 3), round(row.pooled_standard_error, 3)
    (0.8, 0.035)
    """
    level = check_fraction("confidence_level", confidence_level)
    if isinstance(cv_results, FoldRankings):
        raise ValueError(
            "cv_results is FoldRankings, which hold no scores of folds: give those of "
            "a metric, such as rankings.scores('roc_auc'), or with its name, "
            "{'test_auc': rankings.scores('roc_auc')}."
        )
    rows: list[FoldSummary] = []
    n_assumed = 0
    results: Mapping[str, Any]
    if isinstance(cv_results, Mapping):
        results = cv_results
    else:
        # Checked under the name that it was given by.
        results = {"test_score": fold_scores("cv_results", cv_results)}
    for model, scores, indices in _models(results):
        n_folds = len(next(iter(scores.values())))
        design = _design(n_folds, n_train, n_test, repeats, indices)
        n_assumed = max(n_assumed, n_folds if design.is_assumed else 0)
        rows.extend(_rows(model, scores, design, level, score_range))
    warn_of_flat_scores(
        "cv_results holds",
        n_assumed,
        "pass repeats=, n_train and n_test, or run cross_validate with "
        "return_indices=True.",
        stacklevel=2,
    )
    if not rows:
        raise ValueError(
            "cv_results holds no scores of folds: pass cv_results_ of a search, what "
            "cross_validate returned, a dict of these by model, or the scores of the "
            "folds of one alone; found the keys "
            f"{sorted(map(str, results))[:6]}."
        )
    metrics = {row.metric for row in rows}
    if isinstance(score_range, Mapping) and not metrics.issuperset(score_range):
        raise ValueError(
            f"score_range names {sorted(map(str, set(score_range) - metrics))}, which "
            f"cv_results does not have: its metrics are {sorted(metrics)}."
        )
    return FoldSummaries(tuple(rows))


def _models(
    cv_results: Mapping[str, Any],
) -> Iterator[tuple[str, dict[str, FloatArray], Any]]:
    """Yield for each model its name, its fold scores by metric and its indices."""
    if all(isinstance(value, Mapping) for value in cv_results.values()):
        for name, results in cv_results.items():
            for _, scores, indices in _models(results):
                yield str(name), scores, indices
        return
    if table := split_scores(cv_results):
        for i, params in enumerate(cv_results["params"]):
            scores = {
                name: fold_scores(f"The split scores of {name!r}", values[i])
                for name, values in table.items()
            }
            label = ", ".join(f"{name}={value!r}" for name, value in params.items())
            yield label, scores, None
        return
    scores = {
        key.removeprefix("test_"): fold_scores(f"cv_results[{key!r}]", values)
        for key, values in cv_results.items()
        if key.startswith("test_")
    }
    if scores:
        yield "model", scores, cv_results.get("indices")


def _rows(
    model: str,
    scores: dict[str, FloatArray],
    design: _Design,
    level: float,
    score_range: ScoreRanges,
) -> Iterator[FoldSummary]:
    for name, values in scores.items():
        if name in COUNTS or name.endswith(STANDARD_ERROR):
            continue
        is_defined = np.isfinite(values)
        defined = values[is_defined]
        limits = _range_of(name, defined, score_range)
        error = mean_standard_error(defined, design.test_share)
        mean = float(defined.mean()) if len(defined) else _NAN
        pooled = _pooled(name, scores, is_defined, design)
        yield FoldSummary(
            model,
            name,
            mean,
            error,
            t_interval(mean, error, level, limits, len(defined) - 1),
            level,
            *pooled,
            len(values),
            len(values) - len(defined),
        )


def _pooled(
    name: str, scores: dict[str, FloatArray], is_defined: BoolArray, design: _Design
) -> tuple[float, float]:
    """Return the pooled mean and its standard error, which counts no case twice."""
    if not set(COUNTS) <= set(scores) or not is_defined.any():
        return _NAN, _NAN
    n_pos, n_neg = (scores[count][is_defined] for count in COUNTS)
    weights = n_pos * n_neg / (n_pos + n_neg)
    weights = weights / weights.sum()
    pooled = float(dot(weights, scores[name][is_defined]))
    errors = scores.get(name + STANDARD_ERROR)
    if errors is None:
        return pooled, _NAN
    # Repeats test the same cases: they err together, and their standard errors, unlike
    # the variances of the folds within one, are averaged.
    squares = (weights * errors[is_defined]) ** 2
    variances = np.bincount(design.repeats[is_defined], weights=squares)
    return pooled, float(np.sqrt(variances).sum() * np.sqrt(design.times_tested))


def _design(
    n_folds: int,
    n_train: float | None,
    n_test: float | None,
    repeats: Repeats,
    indices: Mapping[str, Any] | None,
) -> _Design:
    """Return the design as it was given, else as the test indices or n_folds say."""
    given_share = check_test_share(n_train, n_test)
    share = given_share
    if repeats is None and indices is not None:
        numbers = disjoint_repeats(indices["test"])
    else:
        numbers = check_repeats("repeats", repeats, n_folds)
    if share is None and indices is not None:
        n_tested, n_trained = (
            sum(np.size(rows) for rows in indices[part]) for part in ("test", "train")
        )
        share = n_tested / n_trained
    if share is None:
        share = share_of_folds(n_folds / (1 + numbers.max()))
    if repeats is not None or indices is not None:
        return _Design(numbers, share)
    # Of all cases, the folds test this share each.
    times_tested = max(1.0, n_folds * share / (1 + share))
    return _Design(numbers, share, times_tested, is_assumed=given_share is None)


def _range_of(
    metric: str, values: FloatArray, score_range: ScoreRanges
) -> tuple[float, float]:
    """Return the range of a metric: as given, by its name, or unlimited."""
    if isinstance(score_range, Mapping):
        score_range = score_range.get(metric)
    if score_range is not None:
        return check_range(score_range, values, f"of {metric!r}")
    name = metric.lower().removesuffix("_score")
    for average in _AVERAGES:
        # Names such as "roc_auc_ovr_weighted" have two.
        name = name.removesuffix(average)
    # A name may be borrowed: scores that lie outside show it.
    is_unit = name in _UNIT_METRICS.split() and not len(beyond(values, 0.0, 1.0))
    return (0.0, 1.0) if is_unit else UNLIMITED
