"""What folds say of models: a table of intervals, and rules for ``refit=``."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, IntArray, Number, dot
from skrate.data.checks import as_real, check_fraction
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
from skrate.model_selection.report import COUNTS, STANDARD_ERROR

# For all metrics, or by their names.
ScoreRanges = ScoreRange | Mapping[str, ScoreRange] | None

# The name of a parameter, or a number of all of them; None is the most complex.
Complexity = str | Callable[[dict[str, Any]], Number | None]
_SPLIT = re.compile(r"split(\d+)_test_(.+)")
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

    repeats: IntArray  # The repeat of each fold.
    test_share: float  # n_test / n_train
    times_tested: float = 1.0  # How often a case is tested within a repeat.
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
        Of the mean, within the metric's range where that is known.
    confidence_level : float
        Level of the interval.
    pooled : float
        Mean over folds weighted by n_pos n_neg / (n_pos + n_neg), nan without these.
    pooled_standard_error : float
        Of the pooled mean, for the models that were fitted: the spread over test cases.
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

    The standard deviation over folds is no standard error, as folds share training
    cases: the intervals count that in.

    Parameters
    ----------
    cv_results : dict or array-like of shape (n_folds,)
        ``cv_results_`` of a search, what ``cross_validate`` returns, or a dict of
        the latter by the name of the model. Or the scores of the folds alone, as
        ``cross_val_score`` and :meth:`FoldRankings.scores` return them.
    n_train, n_test : float, default=None
        Number of training and of test cases per fold, needed for random splits. None
        takes the sizes from the ``indices`` that
        ``cross_validate(return_indices=True)`` returns, or assumes cross-validation
        with as many folds.
    repeats : int or array-like of shape (n_folds,), default=None
        Where cross-validation was repeated, the number of repeats, or a label for each
        fold. None means what the ``indices`` show.
    confidence_level : float, default=0.95
        Level of the intervals, in (0, 1).
    score_range : tuple of float or dict, default=None
        The least and the greatest value (low, high) of the metrics, None for an end
        that is not there, or a dict of such pairs by metric: intervals end where the
        range does. None means (0, 1) for names of such metrics ("auc", "f1" and so on),
        as long as no score lies outside, and no limits for others.

    Returns
    -------
    table : FoldSummaries
        One :class:`FoldSummary` per model and metric.

    Raises
    ------
    ValueError
        If ``cv_results`` holds no scores of folds, or infinite ones, one of ``n_train``
        and ``n_test`` is missing, the level is not in (0, 1), or ``repeats`` or
        ``score_range`` do not go with the scores.

    Warns
    -----
    UserWarning
        If more than ten folds are taken for one cross-validation, without
        ``n_train``, ``repeats`` or ``indices``.

    See Also
    --------
    ScoreReport : Puts standard errors and class sizes into the results.
    compare_folds : The test of a difference.

    Notes
    -----
    The interval of the mean inverts the corrected t-test [1]_ on the folds where the
    metric is defined. The correction is a heuristic: with 10 repeats of 5 folds,
    intervals of 95 % covered 0.906 in simulations of 120 cases and 0.963 of 400.

    The pooled mean needs the class sizes of :class:`ScoreReport`. Its standard error is
    for a single repeat, averaged over repeats, as they test the same cases.

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
            yield candidate_name(params), scores, None
        return
    scores = {
        key.removeprefix("test_"): fold_scores(f"cv_results[{key!r}]", values)
        for key, values in cv_results.items()
        if key.startswith("test_")
    }
    if scores:
        yield "model", scores, cv_results.get("indices")


def candidate_name(params: Mapping[str, Any]) -> str:
    """Return what a candidate of a search is called."""
    return ", ".join(f"{name}={value!r}" for name, value in params.items())


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


def refit_best(metric: str | dict[str, Any] = "score", min_defined: float = 0.8) -> Any:
    """Return a ``refit=`` rule that selects the best mean over the defined folds.

    On a fold without positives the mean of every candidate is nan, and a search then
    silently selects the first. This rule leaves such folds out, says how many, and
    refuses when too few are left.

    Parameters
    ----------
    metric : str, default="score"
        Name of the metric in ``cv_results_``: a key of the dict of scorers, or "score"
        for a single one. ``refit=refit_best`` is the rule with these defaults.
    min_defined : float, default=0.8
        The least share of folds, in (0, 1], on which the metric must be defined.

    Returns
    -------
    rule : callable
        Takes ``cv_results_`` and returns the index of the best candidate, the first of
        equals. It can be pickled.

    Raises
    ------
    ValueError
        If ``min_defined`` is not in (0, 1]. By the rule, if ``metric`` is not in
        ``cv_results_``, too few folds are defined, or no candidate has a score on all
        of these.

    Warns
    -----
    UndefinedMetricWarning
        By the rule, if folds were left out, or candidates that failed on a fold where
        others did not.

    See Also
    --------
    sklearn.model_selection.GridSearchCV : Takes the rule as ``refit``.
    search_rankings : For the best score, corrected by :func:`select_best`.

    Notes
    -----
    A fold counts as defined if any candidate has a finite score on it. A candidate that
    lacks one on a defined fold is out.

    Examples
    --------
    >>> import numpy as np
    >>> from skrate import refit_best
    >>> results = {
    ...     "split0_test_score": np.array([0.7, 0.8]),
    ...     "split1_test_score": np.array([0.8, 0.9]),
    ... }
    >>> refit_best()(results)
    1
    """
    return _rule(metric, None, min_defined)


def refit_one_standard_error(
    metric: str | dict[str, Any] = "score",
    *,
    complexity: Complexity | None = None,
    min_defined: float = 0.8,
) -> Any:
    """Return a ``refit=`` rule that selects the simplest of the best candidates.

    The simplest of all candidates within one standard error of the best mean.

    Parameters
    ----------
    metric : str, default="score"
        Name of the metric in ``cv_results_``, as in :func:`refit_best`.
    complexity : str or callable
        What is simple, which must be given: the name of a parameter whose least value
        is simplest ("-" before the name for the greatest), or a function of the dict of
        a candidate's parameters that returns a number. None is the most complex.
    min_defined : float, default=0.8
        As in :func:`refit_best`.

    Returns
    -------
    rule : callable
        As that of :func:`refit_best`, with its warnings.

    Raises
    ------
    ValueError
        As :func:`refit_best`; if ``complexity`` is missing, and by the rule if a
        candidate lacks the parameter, or its value is neither a number nor None.

    See Also
    --------
    refit_best : Selects the best mean.
    select_best : With ``margin`` and ``cost``, the cheapest that is shown to be near
        the best: by the errors of differences, not by the error of one mean.

    Notes
    -----
    The standard error belongs to the best candidate, over the defined folds, assumed
    independent, as in [1]_. The best mean decides between equally simple candidates.

    References
    ----------
    .. [1] Hastie, Tibshirani and Friedman (2009), The elements of statistical
       learning, :doi:`10.1007/978-0-387-84858-7`, section 7.10.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skrate import refit_one_standard_error
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [2, 3, 6]},
    ...     refit=refit_one_standard_error(complexity="max_depth"),
    ... ).fit(X, y)
    >>> search.best_params_
    {'max_depth': 2}
    """
    if not (isinstance(complexity, str) or callable(complexity)):
        raise ValueError(
            "complexity must be the name of a parameter or a function of the "
            f"parameters, got {complexity!r}: pass, say, "
            'refit=refit_one_standard_error(complexity="max_depth").'
        )
    return _rule(metric, complexity, min_defined)


def _rule(metric: Any, complexity: Complexity | None, min_defined: float) -> Any:
    """Return a rule, or the index that it gives of ``cv_results_``."""
    least = check_fraction("min_defined", min_defined, include_one=True)
    rule = partial(_index, complexity=complexity, min_defined=least)
    if isinstance(metric, Mapping):
        return rule(metric, metric="score")
    return partial(rule, metric=metric)


def _index(
    cv_results: Mapping[str, Any],
    metric: str,
    complexity: Complexity | None,
    min_defined: float,
) -> int:
    """Return the index of the best candidate, or of the simplest that is as good."""
    scores = _compared_scores(cv_results, metric, min_defined)
    means = scores.mean(axis=1)
    if complexity is None:
        return int(np.nanargmax(means))
    best = scores[np.nanargmax(means)]
    slack = np.std(best, ddof=1) / np.sqrt(len(best)) if len(best) > 1 else 0.0
    is_close = means >= best.mean() - slack
    simplicity = [_complexity(params, complexity) for params in cv_results["params"]]
    candidates = np.flatnonzero(is_close)
    return int(min(candidates, key=lambda i: (simplicity[i], -means[i])))


def _complexity(params: dict[str, Any], complexity: Complexity) -> float:
    """Return a number that grows with what is complex, infinity for None."""
    sign = 1
    if callable(complexity):
        value, what = complexity(params), "complexity returned"
    else:
        name, what = complexity.removeprefix("-"), f"complexity={complexity!r} found"
        sign = -1 if name != complexity else 1
        if name not in params:
            raise ValueError(
                f"complexity={complexity!r} is not a parameter of the candidate "
                f"{params}."
            )
        value = params[name]
    if value is None:
        # Unlimited is complex, whichever end is the simple one.
        return float("inf")
    # A string is no number, though it may look like one, and nan has no place.
    if not isinstance(value, Real | np.bool_) or value != value:
        raise ValueError(
            f"{what} {value!r} for the candidate {params}: only numbers have an order, "
            "and None, which is the most complex. Pass a function of the parameters "
            "that returns a number."
        )
    return sign * float(value)


def _compared_scores(
    cv_results: Mapping[str, Any], metric: str, min_defined: float
) -> FloatArray:
    """Return the scores on the defined folds; a candidate that failed has a nan."""
    found = split_scores(cv_results)
    if metric not in found:
        raise ValueError(
            f"metric={metric!r} is not in cv_results, which has {sorted(found)}."
        )
    # Infinite ones have no mean.
    scores = np.where(np.isfinite(found[metric]), found[metric], np.nan)
    is_defined: BoolArray = np.asarray(np.isfinite(scores).any(axis=0))
    n_folds, n_defined = len(is_defined), int(is_defined.sum())
    if n_defined < min_defined * n_folds or n_defined == 0:
        raise ValueError(
            f"{metric!r} is defined on {n_defined} of {n_folds} folds, fewer than "
            f"min_defined={min_defined:g}: use a stratified or coarser split, or lower "
            'min_defined; of several classes, average="weighted" leaves out those '
            "without a case."
        )
    # Undefined folds are nan for every candidate; other nans are its own failures.
    scores = scores[:, is_defined]
    has_failed = np.isnan(scores).any(axis=1)
    if has_failed.all():
        raise ValueError(f"No candidate has a {metric!r} on all of the defined folds.")
    left_out = []
    if n_defined < n_folds:
        left_out.append(f"{n_folds - n_defined} of {n_folds} folds")
    if has_failed.any():
        left_out.append(f"{int(has_failed.sum())} candidates that failed on a fold")
    if left_out:
        warnings.warn(
            f"{metric!r} is undefined in places: selected without "
            f"{' and '.join(left_out)}.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
    return scores


def split_scores(cv_results: Mapping[str, Any]) -> dict[str, FloatArray]:
    """Return the scores of a search by metric, of shape (n_candidates, n_folds)."""
    found: dict[str, dict[int, FloatArray]] = {}
    for key, values in cv_results.items():
        if match := _SPLIT.fullmatch(key):
            numbers = as_real(f"cv_results[{key!r}]", values, missing=True)
            found.setdefault(match[2], {})[int(match[1])] = numbers
    return {
        metric: np.stack([folds[i] for i in sorted(folds)], axis=1)
        for metric, folds in found.items()
    }
