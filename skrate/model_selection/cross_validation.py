"""Scores and rankings over the folds of a cross-validation."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.parallel import Parallel, delayed

from skrate.data.arrays import Array, ArrayLike, FloatArray, IntArray, Label
from skrate.data.checks import (
    as_real,
    check_choice,
    check_equal_length,
    check_flag,
    check_fraction,
    check_n_jobs,
    check_positive,
    check_vector,
    check_weights,
    distinct_labels,
    shown,
    warn,
    warn_undefined,
)
from skrate.data.folds import (
    FoldRankings,
    Repeats,
    check_disjoint,
    check_part_rows,
    check_repeats,
    disjoint_repeats,
    row_numbers,
    whole_repeats,
)
from skrate.data.ranking import check_groups
from skrate.metrics.hypothesis_tests import (
    Alternative,
    standardised,
    t_pvalue,
    two_sided_level,
)
from skrate.metrics.result_types import Comparison, one_sided, t_interval
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    ResponseMethod,
    UndefinedResponse,
    check_response_method,
    convert_arrow,
    find_positive_class,
    n_rows,
    ranking_scores,
    select_aligned_rows,
    select_rows,
)

Method = Literal["corrected", "paired"]
# The least and the greatest value of a metric, None where there is none.
ScoreRange = tuple[float | None, float | None]
INFINITE = float("inf")
_USER = "cross_val_rankings"
# The splitters of scikit-learn that need groups.
_GROUP_SPLITTERS = {
    "GroupKFold",
    "GroupShuffleSplit",
    "LeaveOneGroupOut",
    "LeavePGroupsOut",
    "StratifiedGroupKFold",
}
# The rows to train on, and those to test.
Split = tuple[IntArray, IntArray]


def compare_folds(
    a: ArrayLike,
    b: ArrayLike,
    *,
    n_train: float | None = None,
    n_test: float | None = None,
    method: Method = "corrected",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    score_range: ScoreRange | None = None,
) -> Comparison:
    r"""Compare the scores of two models over the same folds.

    Which of two learning algorithms is better on data of this size? Unlike
    :func:`compare`, it counts in what other training sets would have changed.

    Parameters
    ----------
    a, b : array-like of shape (n_folds,) or (n_repeats, n_folds)
        Scores of both models on the same folds, as ``cross_val_score`` returns them;
        one row per repetition where cross-validation was repeated. Nan is undefined.
    n_train, n_test : float, default=None
        Number of training and of test cases per fold, needed for random splits. None
        assumes cross-validation with ``n_folds`` folds.
    method : {"corrected", "paired"}, default="corrected"
        - "corrected": the corrected resampled t-test of Nadeau and Bengio [1]_.
        - "paired": the plain paired t-test, as in [2]_; it takes folds for
          independent, which they are not, and finds too many differences.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What a small p-value speaks for; "greater": a has the greater mean.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    score_range : tuple of float, default=None
        The least and the greatest value (low, high) of the metric, None for an end that
        it lacks: (0, 1) for an AUC. The interval then stays within ``low - high`` and
        ``high - low``.

    Returns
    -------
    result : Comparison
        With ``value`` (the difference of the means), ``value_a`` and ``value_b``,
        ``standard_error``, ``confidence_interval``, ``statistic`` and ``pvalue``.

    Raises
    ------
    ValueError
        If ``a`` and ``b`` differ in shape or hold fewer than two folds, one of
        ``n_train`` and ``n_test`` is missing, an option is none of the choices, or a
        score is infinite or outside ``score_range``.

    Warns
    -----
    UserWarning
        If more than ten flat scores are taken for one cross-validation, which an array
        of shape (1, n_folds) says that they are.
    UndefinedMetricWarning
        If folds were left out, because a score is nan, or if all differences are
        equal and not 0: then there is no p-value.

    See Also
    --------
    scipy.stats.ttest_rel : The same as ``method="paired"``.
    compare : Two models that are given, on one test set.
    cross_val_rankings : Rankings of the folds, for :func:`compare` and
        :func:`select_best`.

    Notes
    -----
    With d the J differences and s their standard deviation,

    .. math:: t = \bar d \Big/ \sqrt{(1 / J + n_{test} / n_{train}) s^2},

    with J - 1 degrees of freedom; "paired" lacks the second term.

    The correction is a heuristic: at a level of 5 % it rejected in 3.8 % of simulations
    of 120 cases with 5 folds, but in 11.6 % with 10 repeats of them.

    References
    ----------
    .. [1] Nadeau and Bengio (2003), Inference for the generalization error,
       :doi:`10.1023/A:1024068626366`.
    .. [2] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`, section 5.3.

    Examples
    --------
    >>> from skrate import compare_folds
    >>> a, b = (
    ...     [0.81, 0.78, 0.84, 0.80, 0.79],
    ...     [0.78, 0.77, 0.79, 0.79, 0.76],
    ... )
    >>> round(compare_folds(a, b).pvalue, 3)
    0.081
    """
    method = check_choice("method", method, get_args(Method))
    level = check_fraction("confidence_level", confidence_level)
    two_sided = two_sided_level(level, alternative)
    scores_a, scores_b = _fold_scores("a", a), _fold_scores("b", b)
    if scores_a.shape != scores_b.shape:
        raise ValueError(
            "a and b must be scores on the same folds, found shapes "
            f"{scores_a.shape} and {scores_b.shape}."
        )
    low, high = _check_range(score_range, {"a": scores_a, "b": scores_b})
    limits = low - high, high - low
    test_share = _test_fraction(n_train, n_test, method, scores_a.shape)
    on_both = _paired_scores(scores_a, scores_b)
    differences = on_both[0] - on_both[1]
    value = float(differences.mean())
    variance = (1 / len(differences) + test_share) * np.var(differences, ddof=1)
    standard_error = float(np.sqrt(variance))
    # Whatever the unit of the scores.
    unit = float(np.abs(on_both).max()) or 1.0
    statistic = standardised(value / unit, standard_error / unit)
    if np.isnan(statistic):
        warn_undefined("The p-value", "all differences are equal")
    freedom = len(differences) - 1
    ends = t_interval(value, standard_error, two_sided, limits, freedom)
    return Comparison(
        metric="Mean over folds",
        value=value,
        value_a=float(on_both[0].mean()),
        value_b=float(on_both[1].mean()),
        standard_error=standard_error,
        statistic=statistic,
        pvalue=t_pvalue(statistic, alternative, freedom),
        confidence_interval=one_sided(ends, alternative, limits),
        alternative=alternative,
        method=method,
        confidence_level=level,
    )


def _fold_scores(name: str, scores: ArrayLike) -> FloatArray:
    """Return scores of folds, nan where one is undefined: NaN, masked or missing."""
    if isinstance(scores, str | Mapping | FoldRankings):
        raise ValueError(
            f"{name} must hold one score per fold, such as the 'test_score' of what "
            f"cross_validate returns, got {shown(scores)}; compare(metric, models) "
            "takes FoldRankings."
        )
    array = as_real(name, scores, missing=True)
    # The squares of others are numbers.
    if (np.abs(array) > 1e150).any():
        raise ValueError(
            f"{name} holds an infinite score, or one beyond 1e+150: leave it out, or "
            "use a metric that is bounded. Undefined scores are nan."
        )
    if not (1 <= array.ndim <= 2 and array.size >= 2):
        raise ValueError(
            f"{name} must hold one score per fold, of at least 2 folds, or one row of "
            f"them per repetition, found an array of shape {array.shape}."
        )
    return array


def _test_fraction(
    n_train: float | None, n_test: float | None, method: Method, shape: tuple[int, ...]
) -> float:
    """Return n_test / n_train, as given or by the folds a repetition; 0 if paired."""
    if n_train is not None and n_test is not None:
        given = check_positive("n_test", n_test) / check_positive("n_train", n_train)
        return given if method == "corrected" else 0.0
    if n_train is not None or n_test is not None:
        missing = "n_train" if n_train is None else "n_test"
        raise ValueError(f"{missing} is missing: give n_train and n_test, or neither.")
    if method == "paired":
        return 0.0
    n_folds = shape[-1]
    if n_folds < 2:
        raise ValueError(
            "n_train and n_test are needed where there is one fold per repetition."
        )
    # More are rarely the folds of one cross-validation.
    if len(shape) == 1 and n_folds > 10:
        warn(
            f"a and b hold {n_folds} flat scores, taken for one cross-validation with "
            f"{n_folds} folds, hence n_test / n_train = 1/{n_folds - 1}. If it was "
            f"repeated or split at random, intervals are too narrow and p-values too "
            "small: pass arrays of shape (n_repeats, n_folds), or n_train and n_test."
        )
    return 1 / (n_folds - 1)


def _paired_scores(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a row for each model, of the folds on which both have a score."""
    both = np.stack([a.ravel(), b.ravel()])
    is_defined = np.asarray(np.isfinite(both).all(axis=0))
    n_folds, n_defined = len(is_defined), int(is_defined.sum())
    if n_defined < 2:
        raise ValueError(
            f"a and b are both defined on {n_defined} of {n_folds} folds: at least 2 "
            "are needed."
        )
    if n_defined < n_folds:
        n_lost = n_folds - n_defined
        left_out = f"{n_lost} of {n_folds} folds are left out: a score is nan."
        warn(left_out, UndefinedMetricWarning)
    return both[:, is_defined]


def _check_range(
    score_range: ScoreRange | None, scores: dict[str, FloatArray]
) -> tuple[float, float]:
    """Return the ends of a range, infinite where there is none, that holds scores."""
    if score_range is None:
        return -INFINITE, INFINITE
    try:
        low, high = score_range
        low = -INFINITE if low is None else as_real("low", low).item()
        high = INFINITE if high is None else as_real("high", high).item()
    except (TypeError, ValueError):
        low = high = float("nan")
    if not low < high:
        raise ValueError(
            "score_range must be a pair (low, high) of increasing numbers, None where "
            f"there is no end; got {score_range!r}."
        )
    for name, values in scores.items():
        outside = values[np.isfinite(values) & ((values < low) | (values > high))]
        if len(outside):
            raise ValueError(
                f"score_range=({low:g}, {high:g}) does not hold the score "
                f"{outside[0]:g} in {name}."
            )
    return low, high


def cross_val_rankings(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Mapping[str, Any] | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    response_method: ResponseMethod = DEFAULT_RESPONSE,
    return_estimator: bool = False,
) -> FoldRankings:
    """Train a model on each fold once, and keep how it ranks the cases left out.

    Metrics, :func:`estimate`, :func:`compare` and displays take the result, and train
    nothing again. Scores of different folds are never put into one ranking.

    Parameters
    ----------
    estimator : estimator instance
        A binary classifier, or what ranks otherwise; it is cloned for each fold.
    X : array-like of shape (n_samples, n_features)
        The cases.
    y : array-like of shape (n_samples,)
        True labels of two classes.
    groups : array-like of shape (n_samples,), default=None
        What the splitter keeps together, as in scikit-learn; None means the clusters.
        Inference does not use it.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient. They are the independent units
        of inference: by clusters within folds or, if a fold holds a single one
        (leave-one-site-out), by folds.
    cv : int, cross-validation generator or iterable, default=None
        As in :func:`sklearn.model_selection.cross_validate`; None is five folds. With
        ``groups`` or ``clusters`` a number of folds means
        :class:`~sklearn.model_selection.StratifiedGroupKFold`. To compare models give
        all of them the same folds.
    n_jobs : int, default=None
        How many folds are run at once; the result does not depend on it.
    verbose : int, default=0
        Above 0, the progress is reported.
    params : dict, default=None
        What ``fit`` is given, such as ``{"sample_weight": weights}``, cut to the cases
        of a fold; with metadata routing, what the estimator or the splitter requested.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases in the rankings; for training, see ``params``.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans, and
        of other labels the second, with a warning.
    response_method : str or tuple of str
        The method that gives scores, or several, the first of which that the estimator
        has is taken.
    return_estimator : bool, default=False
        Whether the result keeps the fitted models.

    Returns
    -------
    rankings : FoldRankings
        Labels and scores fold by fold; ``indices`` says which row of ``X`` each is.

    Raises
    ------
    ValueError
        For labels or clusters that do not fit, a fold that tests cases that it trains
        on, folds that overlap but are no whole repeats of a cross-validation, or if no
        fold has a model of both classes.

    Warns
    -----
    UndefinedMetricWarning
        If a fold is left out, as its training cases are of one class.
    UserWarning
        If the second label was taken for the positive class.

    See Also
    --------
    sklearn.model_selection.cross_val_predict : Puts the scores of all folds together.
    FoldRankings : What is returned, and what it estimates.
    compare_folds : Counts in what other training sets would have changed.

    Notes
    -----
    A case may be tested in each repeat of a cross-validation: metrics average over all
    folds, and inference counts it once. Test sets of random splits are refused. Cost: a
    fit and a prediction for each fold.

    Examples
    --------
    Two metrics and a standard error from one training of five models:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import average_precision_score, cross_val_rankings
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> rankings = cross_val_rankings(GaussianNB(), X, y, cv=5)
    >>> rankings
    FoldRankings(569 cases in 5 folds, n_pos=357, n_neg=212, pos_label=1)
    >>> round(average_precision_score(rankings), 3)
    0.993
    """
    check_flag("return_estimator", return_estimator)
    found: list[FoldRankings] = candidate_rankings(
        [estimator],
        X,
        y,
        user=_USER,
        groups=groups,
        clusters=clusters,
        cv=cv,
        n_jobs=n_jobs,
        verbose=verbose,
        params=params,
        sample_weight=sample_weight,
        pos_label=pos_label,
        response_method=response_method,
        is_kept=return_estimator,
    )
    return found[0]


def candidate_rankings(
    estimators: Sequence[Any],
    X: Any,
    y: ArrayLike,
    *,
    user: str,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None,
    cv: Any,
    n_jobs: int | None,
    verbose: int,
    params: Mapping[str, Any] | None,
    sample_weight: ArrayLike | None,
    pos_label: Label,
    response_method: ResponseMethod,
    n_splits: int | None = None,
    is_kept: bool = False,
    may_fail: bool = False,
) -> list[Any]:
    """Return how estimators rank in the same folds, or the failure of one that may.

    With ``n_splits`` the folds must be the same as in an earlier search.
    """
    methods = check_response_method(response_method)
    labels = check_vector("y", y)
    X, y = indexable(convert_arrow(X), convert_arrow(y))
    by_case, codes = _check_sample_columns(labels, sample_weight, clusters)
    label = find_positive_class(labels, pos_label, user)
    codes = _check_splitter_groups(groups, labels, codes)
    # The folds of an earlier search are as it made them.
    kept_together = codes if n_splits is None else None
    splitter = find_splitter(cv, y, kept_together, is_classifier(estimators[0]))
    to_fit, to_split = routed(fold_router(user, estimators[0], splitter), params or {})
    to_split = {"groups": codes, **to_split}
    _check_splitter(splitter, to_split["groups"])
    split = partial(check_folds, splitter, X, labels, y, **to_split)
    splits = split()
    if n_splits is not None:
        _check_same_folds(splits, split(), n_splits)
    if clusters is not None:
        _warn_shared_clusters(by_case["clusters"], splits)
    tests = [test for _, test in splits]
    repeats = whole_repeats(tests, range(len(splits)))
    ask = partial(_finite_scores, methods=methods, label=label, user=user)
    given = (estimators, X, y, to_fit, splits, n_jobs, verbose)
    answers, fitted = scored_folds(ask, *given, is_kept=is_kept, may_fail=may_fail)
    each = [answers[i : i + len(tests)] for i in range(0, len(answers), len(tests))]
    failed = [[one for one in scores if isinstance(one, Failure)] for scores in each]
    whole = [scores for scores, lost in zip(each, failed, strict=True) if not lost]
    # What is undefined for one of them is left out of all, and told once.
    by_type = partial(sorted, key=lambda one: not isinstance(one, UndefinedResponse))
    kept = defined_folds([by_type(fold)[0] for fold in zip(*whole, strict=True)])
    models = tuple(fitted[i] for i in kept) if is_kept else None
    of = (tests, repeats, by_case, label, models)
    return [
        lost[0] if lost else _make_fold_rankings(kept, scores, *of)
        for scores, lost in zip(each, failed, strict=True)
    ]


def _check_sample_columns(
    labels: Array, sample_weight: ArrayLike | None, clusters: ArrayLike | None
) -> tuple[dict[str, Array], IntArray | None]:
    """Return the columns of two classes of cases, and the codes of their clusters."""
    by_case, codes = {"y_true": labels}, None
    if sample_weight is not None:
        by_case["sample_weight"] = check_weights("sample_weight", sample_weight)
    if clusters is not None:
        # The same clusters as codes, checked: splitters differ in what they refuse.
        codes = check_groups("clusters", clusters).codes
        by_case["clusters"] = check_vector("clusters", clusters)
    check_equal_length(y=labels, **by_case)
    if len(distinct_labels(labels)) < 2:
        raise ValueError(f"y holds one class only, {labels[0]!r}.")
    return by_case, codes


def _check_splitter_groups(
    groups: ArrayLike | None, labels: Array, clusters: IntArray | None
) -> IntArray | None:
    """Return what the splitter keeps together, by default the clusters."""
    if groups is None:
        return clusters
    codes = check_groups("groups", groups).codes
    check_equal_length(y=labels, groups=codes)
    return codes


def _warn_shared_clusters(clusters: Array, splits: list[Split]) -> None:
    """Warn if models are tested on clusters that they were trained on."""
    codes = check_groups("clusters", clusters).codes
    for number, (train, test) in enumerate(splits):
        seen = np.intersect1d(codes[train], codes[test])
        if len(seen):
            cluster = clusters[int(np.argmax(codes == seen[0]))]
            warn(
                f"Fold {number} trains and tests on cases of the cluster "
                f"{shown(cluster)}, so that models may know it: let cv be a number, or "
                "a splitter that keeps groups together, such as GroupKFold."
            )
            return


def _check_splitter(splitter: Any, groups: Any) -> None:
    """Raise for a splitter that needs groups without any."""
    name = type(splitter).__name__
    if groups is None and name in _GROUP_SPLITTERS:
        raise ValueError(
            f"cv={name} needs groups=, what it keeps together, or clusters=, which are "
            "also the independent units of inference."
        )


def _check_same_folds(splits: list[Split], again: list[Split], n_splits: int) -> None:
    """Raise unless a splitter makes the folds of a search, whenever it is asked."""
    is_same = len(splits) == len(again) == n_splits
    if not is_same or not all(map(np.array_equal, chain(*splits), chain(*again))):
        raise ValueError(
            "cv of the search gives other folds each time, not those that it had: "
            "search with a splitter whose random_state is a number, or with the "
            "list of its splits."
        )


class Failure(str):
    """What a model raised that could not be trained or asked."""


def fold_rankings(
    cv_results: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    *,
    user: str,
    sample_weight: ArrayLike | None = None,
    repeats: Repeats = None,
    response_method: ResponseMethod = DEFAULT_RESPONSE,
    pos_label: Label = None,
) -> FoldRankings:
    """Return how a model of ``cross_validate`` ranks the cases of its test folds.

    An undefined fold is left out, with a warning.
    """
    missing = [key for key in ("estimator", "indices") if key not in cv_results]
    if missing:
        raise ValueError(
            f"cv_results lacks {missing}: run cross_validate with "
            "return_estimator=True and return_indices=True."
        )
    tests = [row_numbers(test) for test in cv_results["indices"]["test"]]
    given = {"y": y, "sample_weight": sample_weight}
    given = {name: rows for name, rows in given.items() if rows is not None}
    n_samples = 1 + max(int(test.max()) for test in tests)
    for name, rows in {"X": X, **given}.items():
        if n_rows(rows) < n_samples:
            raise ValueError(
                f"{name} has {n_rows(rows)} rows, but the folds have {n_samples}: pass "
                "the data that cross_validate was given."
            )
    by_case = {name: check_vector(name, rows) for name, rows in given.items()}
    by_case["y_true"] = labels = by_case.pop("y")
    label = find_positive_class(labels, pos_label, user)
    ask = partial(_finite_scores, methods=response_method, label=label, user=user)
    asked = zip(cv_results["estimator"], tests, strict=True)
    scores = [ask(one, select_rows(X, test), labels[test]) for one, test in asked]
    kept = defined_folds(scores)
    known = disjoint_repeats(tests) if repeats is None else repeats
    numbers = check_repeats("repeats", known, len(tests))
    return _make_fold_rankings(kept, scores, tests, numbers, by_case, label)


def _make_fold_rankings(
    kept: list[int],
    scores: list[Any],
    tests: list[IntArray],
    repeats: IntArray,
    by_case: Mapping[str, Array],
    label: Label,
    models: Sequence[Any] | None = None,
) -> FoldRankings:
    """Return the rankings of the folds that are kept."""
    rows = np.concatenate([tests[i] for i in kept])
    return FoldRankings(
        y_score=np.concatenate([scores[i] for i in kept]),
        fold=np.repeat(kept, [len(tests[i]) for i in kept]),
        indices=rows,
        repeats=repeats[kept],
        pos_label=label,
        estimators=models,
        **{name: values[rows] for name, values in by_case.items()},
    )


def defined_folds(found: list[Any]) -> list[int]:
    """Return the folds of what has scores, and warn of the others."""
    kept = []
    for i, scores in enumerate(found):
        if not isinstance(scores, UndefinedResponse):
            kept.append(i)
            continue
        message = f"Fold {i} is undefined and left out: {scores}"
        warn(message, UndefinedMetricWarning)
    if found and not kept:
        raise ValueError(
            f"All {len(found)} folds are undefined: each estimator was trained on one "
            "class only. Use stratified or fewer folds."
        )
    return kept


def find_splitter(cv: Any, y: Any, groups: Any, is_stratified: bool) -> Any:
    """Return the splitter that ``cv`` means; folds by number keep groups together."""
    if groups is not None and (cv is None or isinstance(cv, numbers.Integral)):
        return StratifiedGroupKFold(5 if cv is None else cv)
    return check_cv(cv, y, classifier=is_stratified)


def check_folds(
    splitter: Any, X: Any, labels: Array, y: Any, **split_params: Any
) -> list[Split]:
    """Return the training and test rows of each fold, none of which is in both."""
    splits = []
    for i, parts in enumerate(splitter.split(X, y, **split_params)):
        train, test = (check_part_rows(part, len(labels), i) for part in parts)
        check_disjoint(train, test, i)
        splits.append((train, test))
    return splits


def fold_router(owner: str, estimator: Any, splitter: Any) -> MetadataRouter:
    """Return what metadata an estimator and a splitter are given."""
    router = MetadataRouter(owner=owner)
    for callee, receiver in (
        ("fit", {"estimator": estimator}),
        ("split", {"splitter": splitter}),
    ):
        mapping = MethodMapping().add(caller="fit", callee=callee)
        router.add(method_mapping=mapping, **receiver)
    return router


def routed(
    router: MetadataRouter, params: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what ``fit`` is given of the parameters, and what ``split`` is."""
    if not get_config()["enable_metadata_routing"]:
        return dict(params), {}
    found = process_routing(router, "fit", **params)
    return dict(found.estimator.fit), dict(found.splitter.split)


def scored_folds(
    ask: Callable[..., Any],
    estimators: Sequence[Any],
    X: Any,
    y: Any,
    fit_params: Mapping[str, Any],
    splits: list[Split],
    n_jobs: int | None,
    verbose: int = 0,
    *,
    is_kept: bool,
    may_fail: bool = False,
) -> tuple[list[Any], list[Any]]:
    """Return ``ask(model, X, y)`` of each test part for each estimator, and models."""
    run = Parallel(n_jobs=check_n_jobs("n_jobs", n_jobs), verbose=verbose)
    given, options = (X, y, fit_params), (is_kept, may_fail)
    found = run(
        delayed(_scored_fold)(ask, clone(estimator), *given, *split, *options)
        for estimator in estimators
        for split in splits
    )
    return [answer for answer, _ in found], [model for _, model in found]


def _scored_fold(
    ask: Callable[..., Any],
    model: Any,
    X: Any,
    y: Any,
    fit_params: Mapping[str, Any],
    train: IntArray,
    test: IntArray,
    is_kept: bool,
    may_fail: bool,
) -> tuple[Any, Any]:
    n_samples = n_rows(X)
    params = {
        name: select_aligned_rows(each, train, n_samples)
        for name, each in fit_params.items()
    }
    try:
        model.fit(select_rows(X, train), select_rows(y, train), **params)
        answer = ask(model, select_rows(X, test), select_rows(y, test))
    except Exception as error:
        if not may_fail:
            raise
        answer = Failure(f"{type(error).__name__}: {error}")
    return answer, model if is_kept else None


def _finite_scores(
    model: Any, X: Any, y: Any, methods: ResponseMethod, label: Label, user: str
) -> Any:
    """Return an array of scores, or why there is none."""
    try:
        scores, _ = ranking_scores(model, X, y, methods, label, user=user)
    except UndefinedResponse as undefined:
        return undefined
    scores = check_vector("y_score", scores)
    check_equal_length(y_score=scores, test=check_vector("y", y))
    return scores
