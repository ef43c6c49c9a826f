"""How an estimator scores cases: by which method, for which class, in which fold."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from skrate.core.arrays import Array, IntArray

DEFAULT_RESPONSE = ("decision_function", "predict_proba")


class Response(NamedTuple):
    """The true labels of some cases, and an estimator's scores of ``pos_label``."""

    y_true: Any
    y_score: Any
    sample_weight: Any
    pos_label: Any


def ranking_scores(
    estimator: Any,
    X: Any,
    response_method: Any = DEFAULT_RESPONSE,
    pos_label: Any = None,
    *,
    user: str,
    call: Callable[..., Any] | None = None,
) -> tuple[Any, Any]:
    """Return scores of ``X``, higher for the positive class, and that class's label.

    ``user`` is named in errors; ``call(estimator, method, X)`` may know the scores of
    the second class already.
    """
    pos_label, is_reversed = _positive_class(
        estimator, response_method, pos_label, user
    )
    method = _method_name(estimator, response_method, user)
    y_score = (call or _second_class)(estimator, method, X)
    return (-np.asarray(y_score) if is_reversed else y_score), pos_label


def fold_responses(
    cv_results: dict[str, Any],
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    response_method: Any = DEFAULT_RESPONSE,
    pos_label: Any = None,
    user: str,
) -> Iterator[Response]:
    """Yield what each estimator of ``cross_validate`` says of its own test fold."""
    missing = [key for key in ("estimator", "indices") if key not in cv_results]
    if missing:
        raise ValueError(
            f"cv_results lacks {missing}: run cross_validate with "
            "return_estimator=True and return_indices=True."
        )
    tests = cv_results["indices"]["test"]
    n_cases = 1 + max(np.max(test) for test in tests)
    for name, data in (("X", X), ("y", y), ("sample_weight", sample_weight)):
        if data is not None and _n_rows(data) < n_cases:
            raise ValueError(
                f"{name} has {_n_rows(data)} cases, but the folds have {n_cases}: pass "
                "the data that cross_validate was given."
            )
    for estimator, test in zip(cv_results["estimator"], tests, strict=True):
        y_score, label = ranking_scores(
            estimator, _rows(X, test), response_method, pos_label, user=user
        )
        weight = None if sample_weight is None else _rows(sample_weight, test)
        yield Response(_rows(y, test), y_score, weight, label)


def _positive_class(
    estimator: Any, response_method: Any, pos_label: Any, user: str
) -> tuple[Any, bool]:
    """Return the positive label, and whether the estimator scores the other.

    The estimator is always asked for the scores of its second class, so that scorers
    with another positive class can share them; the order of the scores of the first
    class is exactly the reverse.
    """
    classes = getattr(estimator, "classes_", None)
    if classes is None or response_method == "predict":
        return pos_label, False
    classes = np.asarray(classes).tolist()
    if len(classes) > 2:
        raise ValueError(
            f"{user} needs a binary target, but {type(estimator).__name__} was "
            f"fitted on {len(classes)} classes: {classes}. Score one class against "
            "the rest, on a binary target."
        )
    if pos_label is None:
        return classes[-1], False
    if pos_label not in classes:
        raise ValueError(
            f"pos_label={pos_label!r} of {user} is not a class of "
            f"{type(estimator).__name__}, which knows {classes}."
        )
    return pos_label, pos_label != classes[-1]


def _method_name(estimator: Any, response_method: Any, user: str) -> str:
    methods = response_method
    methods = (methods,) if isinstance(methods, str) else tuple(methods)
    for method in methods:
        if hasattr(estimator, method):
            return str(method)
    raise AttributeError(
        f"{type(estimator).__name__} has none of the methods {list(methods)}. To "
        "score the predictions of a regressor or a ranker, pass "
        f"{user}(response_method='predict')."
    )


def _second_class(estimator: Any, method: str, X: Any) -> Array:
    """Return the scores of the second class."""
    response = np.asarray(getattr(estimator, method)(X))
    return response[:, 1] if response.ndim == 2 and response.shape[1] == 2 else response


def _n_rows(data: Any) -> int:
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def _rows(data: Any, rows: IntArray) -> Any:
    """Return rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    return data[rows] if hasattr(data, "shape") else [data[row] for row in rows]
