"""Rules for ``refit=`` of the searches of scikit-learn."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from numbers import Real
from typing import Any, TypeAlias, overload

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.data.arrays import BoolArray, FloatArray, Number
from skrate.data.checks import as_real, check_fraction

# The name of a parameter, or a number of all of them; None is the most complex.
Complexity: TypeAlias = str | Callable[[dict[str, Any]], Number | None]
# Of cv_results_, the index of a candidate.
Rule: TypeAlias = Callable[[dict[str, Any]], int]
_SPLIT = re.compile(r"split(\d+)_test_(.+)")


@overload
def refit_best(metric: str = ..., min_defined: float = ...) -> Rule: ...
@overload
def refit_best(metric: dict[str, Any]) -> int: ...
def refit_best(
    metric: str | dict[str, Any] = "score", min_defined: float = 0.8
) -> Rule | int:
    """Return a ``refit=`` rule that selects the best mean over the defined folds.

    A fold without positives has no recall: the mean over folds of every candidate is
    nan, and a search of scikit-learn then silently selects the first. This rule leaves
    such folds out, says how many, and refuses when too few are left.

    Parameters
    ----------
    metric : str, default="score"
        Name of the metric in ``cv_results_``: a key of the dict of scorers, or "score"
        for a single one. ``refit=refit_best`` is the rule with these defaults: a search
        then passes its ``cv_results_`` here, and gets an index.
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
        If ``min_defined`` is not in (0, 1]. The rule raises it if ``metric`` is not in
        ``cv_results_``, if fewer than ``min_defined`` of the folds are defined, or if
        no candidate has a score on all defined folds.

    Warns
    -----
    UndefinedMetricWarning
        By the rule, if folds were left out, or candidates that failed on a fold where
        others did not.

    See Also
    --------
    sklearn.model_selection.GridSearchCV : Takes the rule as ``refit``; it then sets
        ``best_index_``, ``best_params_`` and ``best_estimator_``, not ``best_score_``.

    Notes
    -----
    A fold counts as defined if any candidate has a score on it. Candidates are
    compared on the same folds: one that lacks a score on a defined fold is out. Scores
    that are nan, infinite, masked or missing are none.

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
    min_defined = check_fraction("min_defined", min_defined, include_one=True)
    if isinstance(metric, Mapping):
        return _best_index(metric, "score", min_defined)
    return partial(_best_index, metric=metric, min_defined=min_defined)


@overload
def refit_one_standard_error(
    metric: str = ..., *, complexity: Complexity, min_defined: float = ...
) -> Rule: ...
@overload
def refit_one_standard_error(
    metric: dict[str, Any], *, complexity: Complexity, min_defined: float = ...
) -> int: ...
def refit_one_standard_error(
    metric: str | dict[str, Any] = "score",
    *,
    complexity: Complexity | None = None,
    min_defined: float = 0.8,
) -> Rule | int:
    """Return a ``refit=`` rule that selects the simplest of the best candidates.

    Means over folds that differ by less than their standard error do not say which
    candidate is better: of all within one standard error of the best mean, the rule
    selects the simplest.

    Parameters
    ----------
    metric : str, default="score"
        Name of the metric in ``cv_results_``, as in :func:`refit_best`.
    complexity : str or callable
        What is simple, which must be given: the name of a parameter whose least value
        is simplest ("-" before the name for the greatest), or a function of the dict of
        a candidate's parameters that returns a number. None counts as the most complex
        in each case: without a limit, as in ``max_depth=None``.
    min_defined : float, default=0.8
        As in :func:`refit_best`.

    Returns
    -------
    rule : callable
        Takes ``cv_results_`` and returns the index of a candidate.

    Raises
    ------
    ValueError
        If ``complexity`` is missing, as in ``refit=refit_one_standard_error``, or
        ``min_defined`` is not in (0, 1]. The rule raises it as that of
        :func:`refit_best`, if a candidate lacks the parameter, and if its value is
        neither a number nor None: pass a function then.

    Warns
    -----
    UndefinedMetricWarning
        By the rule, as that of :func:`refit_best`.

    See Also
    --------
    refit_best : Selects the best mean.

    Notes
    -----
    The standard error is the standard deviation over the defined folds of the best
    candidate over the square root of their number, as in [1]_. Of candidates that are
    equally simple, the one with the best mean is selected.

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
    min_defined = check_fraction("min_defined", min_defined, include_one=True)
    if not (isinstance(complexity, str) or callable(complexity)):
        raise ValueError(
            "complexity must be the name of a parameter or a function of the "
            f"parameters, got {complexity!r}: pass, say, "
            'refit=refit_one_standard_error(complexity="max_depth").'
        )
    if isinstance(metric, Mapping):
        return _simplest_index(metric, "score", complexity, min_defined)
    return partial(
        _simplest_index, metric=metric, complexity=complexity, min_defined=min_defined
    )


def _best_index(cv_results: dict[str, Any], metric: str, min_defined: float) -> int:
    return int(np.nanargmax(_compared_scores(cv_results, metric, min_defined).mean(1)))


def _simplest_index(
    cv_results: dict[str, Any], metric: str, complexity: Complexity, min_defined: float
) -> int:
    scores = _compared_scores(cv_results, metric, min_defined)
    means = scores.mean(axis=1)
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
    cv_results: dict[str, Any], metric: str, min_defined: float
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
