"""The rankings of a cross-validation, from models that are trained once."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import check_cv
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.parallel import Parallel, delayed

from skrate.data.array_api import as_numpy
from skrate.data.arrays import Array, ArrayLike, IntArray, Label
from skrate.data.checks import (
    check_equal_length,
    check_flag,
    check_n_jobs,
    check_vector,
    check_weights,
    distinct_labels,
)
from skrate.data.folds import FoldRankings, check_unseen, rows_of_part, whole_repeats
from skrate.data.ranking import check_groups
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    ResponseMethod,
    UndefinedResponse,
    check_response_method,
    cut_to,
    n_rows,
    positive_class_of_folds,
    ranking_scores,
    rows_of,
)

_USER = "cross_val_rankings"


class _Fitted(NamedTuple):
    """What the model of a fold says of its test cases, or why it says nothing."""

    scores: Array | None
    why_not: str
    estimator: Any


def cross_val_rankings(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
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

    Whatever is asked afterwards, by any metric, :func:`estimate`, :func:`compare` or a
    display, is asked of the result, and trains nothing again. Scores of different
    folds are never put into one ranking, which
    :func:`sklearn.model_selection.cross_val_predict` invites to.

    Parameters
    ----------
    estimator : estimator instance
        A binary classifier, or what ranks otherwise; it is cloned for each fold.
    X : array-like of shape (n_samples, n_features)
        The cases.
    y : array-like of shape (n_samples,)
        True labels of two classes.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient. A splitter such as
        :class:`sklearn.model_selection.GroupKFold` gets them as its ``groups``, with
        metadata routing or without, and keeps each together; the rankings keep them
        for inference.
    cv : int, cross-validation generator or iterable, default=None
        As in :func:`sklearn.model_selection.cross_validate`; None is five folds. To
        compare models give all of them the same folds: a number, or a splitter whose
        ``random_state`` is a number.
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
        The method that gives scores, or several, of which the first that the estimator
        has is taken.
    return_estimator : bool, default=False
        Whether the result keeps the fitted models; otherwise each is dropped as soon as
        it has scored its test cases.

    Returns
    -------
    rankings : FoldRankings
        Labels and scores fold by fold; ``indices`` says which row of ``X`` each is.

    Raises
    ------
    ValueError
        For labels or clusters that do not fit, a fold that tests cases that it trains
        on, folds that overlap but are no whole repeats of a cross-validation, or if no
        fold has a model of both classes. What an estimator raises is raised.

    Warns
    -----
    UndefinedMetricWarning
        If a fold is left out, as its training cases are of one class.
    UserWarning
        If the second label was taken for the positive class.

    See Also
    --------
    sklearn.model_selection.cross_val_score : One metric, and the scores are gone.
    sklearn.model_selection.cross_val_predict : Puts the scores of all folds together.
    FoldRankings : What is returned, and what it estimates.
    compare_folds : Counts in what other training sets would have changed.

    Notes
    -----
    A case may be tested in each repeat of a cross-validation: metrics average over all
    folds, and inference counts it once. Test sets of random splits, some of which hold
    a case and some do not, are refused. Cost: a fit and a prediction for each fold.

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
    methods = check_response_method(response_method)
    check_flag("return_estimator", return_estimator)
    X, y = indexable(X, y)
    labels = check_vector("y", y)
    by_case: dict[str, Array] = {}
    if sample_weight is not None:
        by_case["sample_weight"] = check_weights("sample_weight", sample_weight)
    codes = None
    if clusters is not None:
        # The same clusters as codes, checked: splitters differ in what they refuse.
        codes = check_groups("clusters", clusters).codes
        by_case["clusters"] = check_vector("clusters", clusters)
    check_equal_length(y=labels, **by_case)
    if len(distinct_labels(labels)) < 2:
        raise ValueError(f"y holds one class only, {labels[0]!r}.")
    label = positive_class_of_folds(labels, pos_label, _USER)
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    to_fit, to_split = _routed(estimator, splitter, dict(params or {}))
    splits = []
    for i, parts in enumerate(splitter.split(X, y, **{"groups": codes, **to_split})):
        train, test = (rows_of_part(part, len(labels), i) for part in parts)
        check_unseen(train, test, i)
        splits.append((train, test))
    tests = [test for _, test in splits]
    repeats = whole_repeats(tests, range(len(labels)), range(len(splits)))
    run = Parallel(n_jobs=check_n_jobs(n_jobs), verbose=verbose)
    found = run(
        delayed(_fitted)(
            clone(estimator), X, y, train, test, to_fit, methods, label,
            return_estimator,
        )
        for train, test in splits
    )  # fmt: skip
    kept = _defined(found)
    rows = np.concatenate([tests[i] for i in kept])
    return FoldRankings(
        labels[rows],
        np.concatenate([found[i].scores for i in kept]),
        np.repeat(kept, [len(tests[i]) for i in kept]),
        indices=rows,
        repeats=repeats[kept],
        pos_label=label,
        estimators=[found[i].estimator for i in kept] if return_estimator else None,
        **{name: values[rows] for name, values in by_case.items()},
    )


def _defined(found: list[_Fitted]) -> list[int]:
    """Return the folds whose models rank, and warn of the others."""
    for i, fold in enumerate(found):
        if fold.scores is None:
            warnings.warn(
                f"Fold {i} is undefined and left out: {fold.why_not}",
                UndefinedMetricWarning,
                stacklevel=3,
            )
    kept = [i for i, fold in enumerate(found) if fold.scores is not None]
    if not kept:
        raise ValueError(
            f"All {len(found)} folds are undefined: each estimator was trained on one "
            "class only. Use stratified or fewer folds."
        )
    return kept


def _routed(
    estimator: Any, splitter: Any, params: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what ``fit`` is given of the parameters, and what ``split`` is."""
    if not get_config()["enable_metadata_routing"]:
        return params, {}
    to_fit = MethodMapping().add(caller="fit", callee="fit")
    to_split = MethodMapping().add(caller="fit", callee="split")
    router = MetadataRouter(owner=_USER)
    router.add(estimator=estimator, method_mapping=to_fit)
    router.add(splitter=splitter, method_mapping=to_split)
    routed = process_routing(router, "fit", **params)
    return dict(routed.estimator.fit), dict(routed.splitter.split)


def _fitted(
    estimator: Any,
    X: Any,
    y: Any,
    train: IntArray,
    test: IntArray,
    params: dict[str, Any],
    methods: tuple[str, ...],
    label: Any,
    is_kept: bool,
) -> _Fitted:
    """Train on some cases and score others."""
    params = {name: cut_to(values, train, n_rows(X)) for name, values in params.items()}
    estimator.fit(rows_of(X, train), rows_of(y, train), **params)
    try:
        scores, _ = ranking_scores(
            estimator, rows_of(X, test), rows_of(y, test), methods, label, user=_USER
        )
    except UndefinedResponse as undefined:
        return _Fitted(None, str(undefined), None)
    scores = check_vector("y_score", as_numpy(scores))
    check_equal_length(y_score=scores, test=test)
    return _Fitted(scores, "", estimator if is_kept else None)
