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
    ALTERNATIVES,
    Alternative,
    one_sided,
    standardised,
    t_interval,
    t_pvalue,
    two_sided_level,
)
from skrate.metrics.metric import suggest_arguments
from skrate.metrics.result_types import Comparison
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
_USER = "cross_val_rankings"
# The rows of the training part and the test part.
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
) -> Comparison:
    r"""Compare the scores of two models over the same folds.

    Which of two learning algorithms is better on data of this size? Unlike
    :func:`compare`, the result includes the variation between training sets.

    Parameters
    ----------
    a, b : array-like of shape (n_folds,) or (n_repeats, n_folds)
        Scores of both models on the same folds, as returned by ``cross_val_score``;
        one row per repetition if cross-validation was repeated. Undefined scores are
        nan.
    n_train, n_test : float, default=None
        Number of training and of test samples per fold, needed for random splits. None
        assumes cross-validation with ``n_folds`` folds.
    method : {"corrected", "paired"}, default="corrected"
        The corrected resampled t-test of Nadeau and Bengio [1]_, or the paired t-test,
        as in [2]_, which wrongly assumes independent folds and detects too much.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Alternative hypothesis; "greater": a has the greater mean.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).

    Returns
    -------
    result : Comparison
        With ``value`` (the difference of the means), ``value_a`` and ``value_b``,
        ``standard_error``, ``confidence_interval``, ``statistic`` and ``pvalue``.

    Raises
    ------
    ValueError
        If ``a`` and ``b`` differ in shape or have fewer than two folds, only one of
        ``n_train`` and ``n_test`` is given, an option is not one of the choices, or a
        score is infinite.

    Warns
    -----
    UserWarning
        If more than ten scores in one dimension are treated as one cross-validation; an
        array of shape (1, n_folds) confirms this.
    UndefinedMetricWarning
        If a score is nan, or the p-value, because all differences are equal and not 0.

    See Also
    --------
    scipy.stats.ttest_rel : Equivalent to ``method="paired"``.
    compare : Compares two given models on one test set.
    cross_val_rankings : Rankings of the folds, for :func:`compare` and
        :func:`select_best`.

    Notes
    -----
    With d the J differences and s their standard deviation,

    .. math:: t = \bar d \Big/ \sqrt{(1 / J + n_{test} / n_{train}) s^2},

    with J - 1 degrees of freedom; "paired" omits the second term.

    It is a heuristic: at a level of 5 %, it rejected in 3.8 % of simulations of 120
    samples with 5 folds, but in 11.6 % with 10 repeats of 5 folds.

    References
    ----------
    .. [1] Nadeau and Bengio (2003), Inference for the generalization error,
       :doi:`10.1023/A:1024068626366`.
    .. [2] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`, section 5.1.

    Examples
    --------
    >>> from skrate import compare_folds
    >>> a, b = [0.81, 0.78, 0.84, 0.80, 0.79], [0.78, 0.77, 0.79, 0.79, 0.76]
    >>> round(compare_folds(a, b).pvalue, 3)
    0.081
    """
    method = check_choice("method", method, get_args(Method))
    level = check_fraction("confidence_level", confidence_level)
    check_choice("alternative", alternative, ALTERNATIVES)
    two_sided = two_sided_level(level, alternative)
    scores_a, scores_b = _fold_scores("a", a), _fold_scores("b", b)
    if scores_a.shape != scores_b.shape:
        shapes = f"{scores_a.shape} and {scores_b.shape}"
        raise ValueError(f"a and b must be of the same folds, got shapes {shapes}.")
    limits = -np.inf, np.inf
    test_fraction = _test_fraction(n_train, n_test, method, scores_a.shape)
    on_both = _paired_scores(scores_a, scores_b)
    differences = on_both[0] - on_both[1]
    mean_difference = float(differences.mean())
    variance = (1 / len(differences) + test_fraction) * np.var(differences, ddof=1)
    standard_error = float(np.sqrt(variance))
    # Scaled, because rounding must not depend on the unit of the scores.
    unit = float(np.abs(on_both).max()) or 1.0
    statistic = standardised(mean_difference / unit, standard_error / unit)
    if np.isnan(statistic):
        warn_undefined("The p-value", "all differences are equal")
    dof = len(differences) - 1
    ends = t_interval(mean_difference, standard_error, two_sided, limits, dof)
    return Comparison(
        metric="Mean over folds",
        value=mean_difference,
        value_a=float(on_both[0].mean()),
        value_b=float(on_both[1].mean()),
        standard_error=standard_error,
        statistic=statistic,
        pvalue=t_pvalue(statistic, alternative, dof),
        confidence_interval=one_sided(ends, alternative, limits),
        alternative=alternative,
        method=method,
        confidence_level=level,
    )


def _fold_scores(name: str, scores: ArrayLike) -> FloatArray:
    """Return the scores of folds, with nan for masked, missing and undefined ones."""
    if isinstance(scores, str | Mapping | FoldRankings):
        raise ValueError(
            f"{name} must contain one score per fold, such as 'test_score', got "
            f"{shown(scores)}; compare(metric, models) takes FoldRankings."
        )
    fold_scores = as_real(name, scores, missing=True)
    # Smaller scores have finite squares.
    if (np.abs(fold_scores) > 1e150).any():
        raise ValueError(
            f"{name} contains a score that is infinite or above 1e+150 in magnitude: "
            "leave it out, or use a bounded metric. Undefined scores are nan."
        )
    if not (1 <= fold_scores.ndim <= 2 and fold_scores.size >= 2):
        raise ValueError(
            f"{name} must contain one score per fold, or a row of scores per "
            f"repetition, at least 2, got an array of shape {fold_scores.shape}."
        )
    return fold_scores


def _test_fraction(
    n_train: float | None, n_test: float | None, method: Method, shape: tuple[int, ...]
) -> float:
    """Return n_test / n_train, as given or from the number of folds; 0 if paired."""
    if n_train is not None and n_test is not None:
        ratio = check_positive("n_test", n_test) / check_positive("n_train", n_train)
        return ratio if method == "corrected" else 0.0
    if n_train is not None or n_test is not None:
        missing = "n_train" if n_train is None else "n_test"
        raise ValueError(f"{missing} is missing: give n_train and n_test, or neither.")
    if method == "paired":
        return 0.0
    n_folds = shape[-1]
    if n_folds < 2:
        raise ValueError("n_train and n_test are needed for one fold per repetition.")
    # One cross-validation rarely has more folds.
    if len(shape) == 1 and n_folds > 10:
        warn(
            "Pass arrays of shape (n_repeats, n_folds), or n_train and n_test, if "
            f"folds were repeated or random: otherwise {n_folds} scores in one "
            "dimension are one cross-validation, and intervals may be too narrow."
        )
    return 1 / (n_folds - 1)


def _paired_scores(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a row of scores for each model, on the folds with both scores."""
    scores = np.stack([a.ravel(), b.ravel()])
    is_defined = np.asarray(np.isfinite(scores).all(axis=0))
    n_folds, n_defined = len(is_defined), int(is_defined.sum())
    if n_defined < 2:
        raise ValueError(
            f"a and b must be defined on 2 folds or more, got {n_defined} of {n_folds}."
        )
    if n_defined < n_folds:
        left_out = f"{n_folds - n_defined} of {n_folds} folds are left out, because"
        warn(f"{left_out} a score is nan.", UndefinedMetricWarning)
    return scores[:, is_defined]


@suggest_arguments
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
    """Train a model once on each fold, and return its rankings of the test samples.

    How does a model rank samples that it was not trained on? Metrics, :func:`estimate`,
    :func:`compare` and displays accept the result. Scores of different folds are never
    combined in one ranking.

    Parameters
    ----------
    estimator : estimator instance
        A binary classifier, or another estimator that ranks; cloned for each fold.
    X : array-like of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        True labels of two classes.
    groups : array-like of shape (n_samples,), default=None
        Samples of a group are in the same fold, as in scikit-learn; None means the
        clusters. Inference does not use it.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient: the independent units of
        inference within folds, or if a fold has one cluster, folds are the units.
    cv : int, cross-validation generator or iterable, default=None
        As in :func:`sklearn.model_selection.cross_validate`, the same for all models;
        None is five folds. With ``groups`` or ``clusters``, a number of folds means
        :class:`~sklearn.model_selection.StratifiedGroupKFold`.
    n_jobs, verbose : int
        Number of folds that are run in parallel, and whether to report progress.
    params : dict, default=None
        Arguments of ``fit``, such as ``{"sample_weight": weights}``, split by fold;
        with metadata routing, the metadata that were requested.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples in the rankings; for training, see ``params``.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the larger of {0, 1}, {-1, 1} or booleans; for
        other labels the second one, with a warning.
    response_method : str or tuple of str
        Method that returns scores, or several in order of preference.
    return_estimator : bool, default=False
        Whether the result includes the fitted models.

    Returns
    -------
    rankings : FoldRankings
        Labels and scores by fold; ``indices`` contains the row of ``X`` of each.

    Raises
    ------
    ValueError
        If labels or clusters are invalid, a fold tests samples that it trains on, folds
        overlap without being complete repeats, or no fold has a model of both classes.

    Warns
    -----
    UndefinedMetricWarning
        If a fold is omitted, because its training samples are of one class.

    See Also
    --------
    sklearn.model_selection.cross_val_predict : Puts the scores of all folds together.
    FoldRankings : The result, and the quantity that it estimates.
    compare_folds : Includes the variation between training sets.

    Notes
    -----
    Of repeated cross-validation, metrics average over all folds, and inference counts a
    sample once. Test sets of random splits are rejected. Cost: one fit and one
    prediction per fold.

    Examples
    --------
    Two metrics and a standard error from one training of five models:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import average_precision_score, cross_val_rankings
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> rankings = cross_val_rankings(GaussianNB(), X, y, cv=5)
    >>> rankings
    FoldRankings(569 samples in 5 folds, n_pos=357, n_neg=212, pos_label=1)
    >>> round(average_precision_score(rankings), 3)
    0.993
    """
    check_flag("return_estimator", return_estimator)
    rankings: list[FoldRankings] = candidate_rankings(
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
    return rankings[0]


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
    """Return the rankings of each estimator in the same folds, or its `Failure`.

    With ``n_splits`` the folds must be the same as in an earlier search.
    """
    methods = check_response_method(response_method)
    labels = check_vector("y", y)
    X, y = indexable(convert_arrow(X), convert_arrow(y))
    columns, codes = _check_sample_columns(labels, sample_weight, clusters, groups)
    label = find_positive_class(labels, pos_label, user)
    # In an earlier search, a number of folds did not mean StratifiedGroupKFold.
    stay_together = codes if n_splits is None else None
    splitter = find_splitter(cv, y, stay_together, is_classifier(estimators[0]))
    to_fit, to_split = routed(fold_router(user, estimators[0], splitter), params or {})
    to_split = {"groups": codes, **to_split}
    split = partial(check_folds, splitter, X, labels, y, **to_split)
    splits = split()
    _check_same_folds(splits, split, n_splits)
    _warn_shared_clusters(columns.get("clusters"), splits)
    tests = [test for _, test in splits]
    repeats = whole_repeats(tests, range(len(splits)))
    ask = partial(_finite_scores, methods=methods, label=label, user=user)
    arguments = (estimators, X, y, to_fit, splits, n_jobs, verbose)
    answers, fitted = scored_folds(ask, *arguments, is_kept=is_kept, may_fail=may_fail)
    by_model = [answers[i : i + len(tests)] for i in range(0, len(answers), len(tests))]
    failed = [[s for s in scores if isinstance(s, Failure)] for scores in by_model]
    whole = [scores for scores, lost in zip(by_model, failed, strict=True) if not lost]
    # Folds that are undefined for one model are omitted for all, with one warning.
    first_undefined = partial(min, key=lambda s: not isinstance(s, UndefinedResponse))
    kept = defined_folds(list(map(first_undefined, zip(*whole, strict=True))))
    models = tuple(fitted[i] for i in kept) if is_kept else None
    make = partial(_make_fold_rankings, kept)
    return [
        lost[0] if lost else make(scores, tests, repeats, columns, label, models)
        for scores, lost in zip(by_model, failed, strict=True)
    ]


def _check_sample_columns(
    labels: Array,
    sample_weight: ArrayLike | None,
    clusters: ArrayLike | None,
    groups: ArrayLike | None,
) -> tuple[dict[str, Array], IntArray | None]:
    """Return the checked columns of the samples, and the codes for the splitter."""
    columns, codes = {"y_true": labels}, None
    if sample_weight is not None:
        columns["sample_weight"] = check_weights("sample_weight", sample_weight)
    if clusters is not None:
        # Checked codes, because splitters differ in the clusters that they accept.
        codes = check_groups("clusters", clusters).codes
        columns["clusters"] = check_vector("clusters", clusters)
    check_equal_length(y=labels, **columns)
    if len(distinct_labels(labels)) < 2:
        raise ValueError(f"y must have two classes, got one class, {labels[0]!r}.")
    if groups is not None:
        codes = check_groups("groups", groups).codes
        check_equal_length(y=labels, groups=codes)
    return columns, codes


def _warn_shared_clusters(clusters: Array | None, splits: list[Split]) -> None:
    """Warn if models are tested on clusters that they were trained on."""
    if clusters is None:
        return
    codes = check_groups("clusters", clusters).codes
    for number, (train, test) in enumerate(splits):
        seen = np.intersect1d(codes[train], codes[test])
        if len(seen):
            cluster = clusters[int(np.argmax(codes == seen[0]))]
            warn(
                f"Fold {number} trains and tests on the cluster {shown(cluster)}: let "
                "cv be a number or, say, GroupKFold. Models may recognise the cluster."
            )
            return


def _check_same_folds(
    splits: list[Split], split: Callable[[], list[Split]], n_splits: int | None
) -> None:
    """Raise an error unless the splitter repeats the folds of a search, if any."""
    if n_splits is None:
        return
    again = split()
    is_same = len(splits) == len(again) == n_splits
    if not is_same or not all(map(np.array_equal, chain(*splits), chain(*again))):
        raise ValueError(
            "cv of the search must give the same folds each time: pass a list of "
            "splits, or a splitter with an integer random_state."
        )


class Failure(str):
    """The error message of a model that could not be trained or evaluated."""


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
    """Return the rankings of the test folds by the models of ``cross_validate``.

    Undefined folds are omitted, with a warning.
    """
    missing = [key for key in ("estimator", "indices") if key not in cv_results]
    if missing:
        raise ValueError(
            f"cv_results lacks {missing}: run cross_validate with "
            "return_estimator=True and return_indices=True."
        )
    tests = [row_numbers(test) for test in cv_results["indices"]["test"]]
    n_samples = 1 + max(int(test.max()) for test in tests)
    for name, rows in {"X": X, "y": y, "sample_weight": sample_weight}.items():
        if rows is not None and n_rows(rows) < n_samples:
            raise ValueError(
                f"{name} has {n_rows(rows)} rows, but the folds have {n_samples}: pass "
                "the same data as to cross_validate."
            )
    labels = check_vector("y", y)
    columns = {"y_true": labels}
    if sample_weight is not None:
        columns["sample_weight"] = check_vector("sample_weight", sample_weight)
    label = find_positive_class(labels, pos_label, user)
    ask = partial(_finite_scores, methods=response_method, label=label, user=user)
    models = zip(cv_results["estimator"], tests, strict=True)
    scores = [ask(model, select_rows(X, test), labels[test]) for model, test in models]
    kept = defined_folds(scores)
    known = disjoint_repeats(tests) if repeats is None else repeats
    numbers = check_repeats("repeats", known, len(tests))
    return _make_fold_rankings(kept, scores, tests, numbers, columns, label)


def _make_fold_rankings(
    kept: list[int],
    scores: list[Any],
    tests: list[IntArray],
    repeats: IntArray,
    columns: Mapping[str, Array],
    label: Label,
    models: Sequence[Any] | None = None,
) -> FoldRankings:
    """Return the rankings of the defined folds."""
    rows = np.concatenate([tests[i] for i in kept])
    return FoldRankings(
        y_score=np.concatenate([scores[i] for i in kept]),
        fold=np.repeat(kept, [len(tests[i]) for i in kept]),
        indices=rows,
        repeats=repeats[kept],
        pos_label=label,
        estimators=models,
        **{name: column[rows] for name, column in columns.items()},
    )


def defined_folds(fold_scores: list[Any]) -> list[int]:
    """Return the positions of the defined folds, and warn of undefined ones."""
    kept = []
    for i, scores in enumerate(fold_scores):
        if not isinstance(scores, UndefinedResponse):
            kept.append(i)
            continue
        message = f"Fold {i} is undefined and left out: {scores}"
        warn(message, UndefinedMetricWarning)
    if fold_scores and not kept:
        text = f"All {len(fold_scores)} folds are undefined, with one class to train on"
        raise ValueError(f"{text}: use stratified or fewer folds.")
    return kept


def find_splitter(cv: Any, y: Any, groups: Any, is_stratified: bool) -> Any:
    """Return the splitter of ``cv``; a number of folds does not split groups."""
    if groups is not None and (cv is None or isinstance(cv, numbers.Integral)):
        return StratifiedGroupKFold(5 if cv is None else cv)
    return check_cv(cv, y, classifier=is_stratified)


def check_folds(
    splitter: Any, X: Any, labels: Array, y: Any, **split_params: Any
) -> list[Split]:
    """Return the training rows and test rows of each fold, which must be disjoint."""
    splits = []
    for i, rows in enumerate(splitter.split(X, y, **split_params)):
        train, test = (check_part_rows(part_rows, len(labels), i) for part_rows in rows)
        check_disjoint(train, test, i)
        splits.append((train, test))
    return splits


def fold_router(owner: str, estimator: Any, splitter: Any) -> MetadataRouter:
    """Return the metadata routing of an estimator and a splitter."""
    if isinstance(estimator, type):
        name = estimator.__name__
        raise TypeError(f"estimator is the class {name}: pass an instance, {name}().")
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
    """Return the parameters of ``fit`` and the parameters of ``split``."""
    if not get_config()["enable_metadata_routing"]:
        return dict(params), {}
    routing = process_routing(router, "fit", **params)
    return dict(routing.estimator.fit), dict(routing.splitter.split)


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
    """Return ``ask(model, X, y)`` by estimator and test part, and the models."""
    run = Parallel(n_jobs=check_n_jobs("n_jobs", n_jobs), verbose=verbose)
    arguments, options = (X, y, fit_params), (is_kept, may_fail)
    folds = run(
        delayed(_scored_fold)(ask, clone(estimator), *arguments, *split, *options)
        for estimator in estimators
        for split in splits
    )
    return [answer for answer, _ in folds], [model for _, model in folds]


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
        name: select_aligned_rows(param, train, n_samples)
        for name, param in fit_params.items()
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
    """Return an array of scores, or the reason why there are no scores."""
    try:
        scores, _ = ranking_scores(model, X, y, methods, label, user=user)
    except UndefinedResponse as undefined:
        return undefined
    scores = check_vector("y_score", scores)
    check_equal_length(y_score=scores, test=check_vector("y", y))
    return scores
