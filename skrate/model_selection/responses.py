"""Scores of samples from estimators, and row selection for scorers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from skrate.data.arrays import Array, ArrayLike, IntArray, Label
from skrate.data.checks import (
    as_numpy,
    check_vector,
    class_masks,
    distinct_labels,
    find_label,
    has_default_positive,
    is_label,
    shown,
    warn,
)
from skrate.data.estimated import EstimatedLabels
from skrate.metrics.classes import has_columns, indicators

# The name of a method of an estimator, or several in order of preference.
ResponseMethod = str | Sequence[str]
DEFAULT_RESPONSE = ("decision_function", "predict_proba")


class UndefinedResponse(ValueError):
    """The ranking of an estimator is unknown, because it was trained on one class."""


def warn_second_class(user: str, labels: list[Any]) -> None:
    """Warn that ``user`` takes the second of two ``labels`` for the positive class."""
    first, second = labels
    warn(
        f"{user} takes {second!r} for the positive class, the second of {labels}: "
        f"pass pos_label={second!r} if it is right, pos_label={first!r} if it is "
        "the other."
    )


class WarnsOnce:
    """Warns of the second class once, for any number of folds.

    Copies in a worker process, a new one for each fold, share one record of warnings.
    """

    _OF_OBJECT = ("_told", "_is_copy")

    def _warn_once(self, user: str, labels: list[Any]) -> None:
        warned: set[Any] = self.__dict__.setdefault("_told", set())
        if self.__dict__.get("_is_copy"):
            warned = _WARNED_BY_COPIES
        if (user, *labels) not in warned:
            warn_second_class(user, labels)
            # Only after the warning: if warnings are errors, each fold has to fail.
            warned.add((user, *labels))

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {key: state[key] for key in state or () if key not in self._OF_OBJECT}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__dict__["_is_copy"] = True


_WARNED_BY_COPIES: set[Any] = set()


def ranking_scores(
    estimator: Any,
    X: Any,
    y: ArrayLike | None,
    response_method: ResponseMethod = DEFAULT_RESPONSE,
    pos_label: Label = None,
    *,
    user: str,
    call: Callable[..., Any] | None = None,
    tell: Callable[[str, list[Any]], None] = warn_second_class,
) -> tuple[Any, Any]:
    """Return scores of ``X``, higher for the positive class, and that class's label.

    ``call(estimator, method, X)`` may return cached scores of the second class;
    ``tell`` warns if this class was not named. ``y`` is None if its labels differ from
    the classes of the estimator; if estimated, it shows no class.
    """
    if isinstance(y, EstimatedLabels):
        arguments = estimator, X, None, response_method, pos_label
        return ranking_scores(*arguments, user=user, call=call, tell=tell)[0], None
    methods = check_response_method(response_method)
    classes = _classes(estimator, user)
    known = _find_labels(estimator, classes, y, user)
    origin = "a label of y_true"
    if classes == known:
        origin = f"a class of {type(estimator).__name__}"
    label, is_chosen = choose_label(known, pos_label, user, origin)
    if classes is not None and len(classes) == 1:
        name = type(estimator).__name__
        raise UndefinedResponse(f"{name} was trained on one class only, {classes[0]!r}")
    if label is None:
        raise UndefinedResponse(
            f"y_true contains only {known[0]!r}, which does not show the positive "
            "class; name it by pos_label"
        )
    if is_chosen:
        tell(user, known)
    method = method_name(estimator, methods, user)
    y_score = as_numpy((call or second_class)(estimator, method, X))
    if classes is None:
        if y_score.ndim == 2 and y_score.shape[1] > 1:
            raise ValueError(
                f"{user} needs one score for each sample: name a method that returns "
                f"it by response_method=. {type(estimator).__name__}.{method} returned "
                f"{y_score.shape[1]} columns, and no classes_ name the columns."
            )
        is_reversed = _is_reversed_detector(estimator, label, known)
    elif method == "predict" and np.isin(y_score, classes).all():
        return (y_score == label).astype(float), label
    else:
        is_reversed = label != classes[-1]
    return (-y_score if is_reversed else y_score), label


def has_several_classes(estimator: Any, y_true: Any, pos_label: Label) -> bool:
    """Return whether a target has more than two classes, or several labels a sample."""
    if has_columns(y_true):
        return True
    classes = getattr(estimator, "classes_", None)
    if classes is None or np.ndim(classes[0]) > 0:
        return False
    if len(classes) > 2:
        return True
    known = as_numpy(classes).tolist()
    is_known = pos_label is None or find_label(pos_label, known) is not None
    if len(known) == 2 and not is_known:
        return False
    # The model was trained on at most two classes.
    return len(class_masks(check_vector("y_true", y_true), 2)) > 2


def class_scores(
    estimator: Any,
    X: Any,
    y_true: ArrayLike,
    response_method: ResponseMethod,
    labels: ArrayLike | None,
    pos_label: Label,
    *,
    user: str,
    call: Callable[..., Any],
) -> tuple[Any, Array, list[Any]]:
    """Return ``y_true``, the scores of each class in a column, and the classes.

    With ``pos_label``, return which samples are of that class, and its scores.
    """
    methods = check_response_method(response_method)
    if methods == DEFAULT_RESPONSE:
        # Decision values are comparable between classes, not between samples.
        methods = methods[::-1]
    method, name = method_name(estimator, methods, user), type(estimator).__name__
    if has_columns(y_true):
        response = getattr(estimator, method)(X)
        if isinstance(response, list):
            # Some estimators return a list with the probabilities of each label.
            response = np.column_stack([as_numpy(column)[:, -1] for column in response])
        y_score = as_numpy(response)
        n_labels = np.shape(y_true)[1]
        names = range(n_labels) if labels is None else labels
        known = check_vector("labels", names).tolist()
        expected = f"{n_labels} labels"
    else:
        known = _find_classes(estimator, labels, user)
        if method == "decision_function" and len(known) > 2:
            _check_no_pairs(estimator, user)
        y_score = as_numpy(call(estimator, method, X))
        if y_score.ndim == 1 and len(known) == 2 and method != "predict":
            # Only the order of scores matters.
            y_score = np.column_stack([-y_score, y_score])
        expected = f"the classes {shown(known)}"
    if y_score.ndim != 2 or y_score.shape[1] != len(known):
        raise ValueError(
            f"{user} needs a score for each of {expected}, but {method} of {name} gave "
            f"an array of shape {y_score.shape}."
        )
    if pos_label is not None:
        is_pos, column = _one_against_rest(y_true, known, pos_label, user)
        return is_pos, y_score[:, column], known
    if not has_columns(y_true):
        seen = class_masks(check_vector("y_true", y_true), len(known))
        unknown = [shown(label) for label in seen if find_label(label, known) is None]
        if unknown:
            raise UndefinedResponse(
                f"{name} was not trained on the class {unknown[0]}, which is in y_true"
            )
    return y_true, y_score, known


def _one_against_rest(
    y_true: ArrayLike, known: list[Any], pos_label: Label, user: str
) -> tuple[Array, int]:
    """Return which samples are of a class, and the column of its scores."""
    label = find_label(pos_label, known)
    if label is None:
        text = f"pos_label={shown(pos_label)} of {user} must be one of the classes"
        raise ValueError(f"{text} {shown(known)}.")
    column = known.index(label)
    if has_columns(y_true):
        return indicators(y_true)[:, column], column
    return is_label(check_vector("y_true", y_true), label), column


def _find_classes(estimator: Any, labels: ArrayLike | None, user: str) -> list[Any]:
    """Return the classes of an estimator, at least two; ``labels`` may repeat them."""
    known, name = as_numpy(estimator.classes_).tolist(), type(estimator).__name__
    if len(known) == 1:
        only = shown(known[0])
        raise UndefinedResponse(f"{name} was trained on one class only, {only}")
    names = known if labels is None else check_vector("labels", labels).tolist()
    if {find_label(label, known) for label in names} != set(known):
        raise ValueError(
            f"labels of {user} must be the classes of {name}, {shown(known)}, got "
            f"{shown(names)}: leave labels out."
        )
    return list(known)


def _check_no_pairs(estimator: Any, user: str) -> None:
    """Raise an error if decision values are of pairs of classes, also if nested."""
    inner = estimator
    # Pipelines and searches can be nested in one another, to a limited depth.
    for _ in range(9):
        if hasattr(inner, "best_estimator_"):
            inner = inner.best_estimator_
        elif getattr(inner, "steps", None):
            inner = inner.steps[-1][1]
    if getattr(inner, "decision_function_shape", None) == "ovo":
        raise ValueError(
            f"{user} needs a score for each class, but {type(inner).__name__} scores "
            "pairs of classes: fit it with decision_function_shape='ovr'."
        )


def _classes(estimator: Any, user: str) -> list[Any] | None:
    """Return the one or two classes of a classifier, None for any other estimator."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        if hasattr(estimator, "__sklearn_tags__") and is_classifier(estimator):
            check_is_fitted(estimator)
        return None
    needs = f"{user} needs a binary target, got {type(estimator).__name__} fitted on"
    if any(np.ndim(label) for label in classes):
        raise ValueError(f"{needs} {len(classes)} targets: score each separately.")
    labels = list(as_numpy(classes).tolist())
    if len(labels) > 2:
        raise ValueError(f"{needs} {labels}: score one class against the rest.")
    return labels


def choose_label(
    known: list[Any], pos_label: Label, user: str, origin: str
) -> tuple[Any, bool]:
    """Return the positive label (None if unknown), and if it is only the second one."""
    if pos_label is not None:
        label = find_label(pos_label, known)
        if label is None and len(known) > 1:
            raise ValueError(
                f"pos_label={pos_label!r} of {user} must be {origin}, one of {known}."
            )
        return pos_label if label is None else label, False
    if has_default_positive(known):
        label = find_label(1, known)
        return 1 if label is None else label, False
    return (known[1], True) if len(known) > 1 else (None, False)


def _find_labels(
    estimator: Any, classes: list[Any] | None, y: ArrayLike | None, user: str
) -> list[Any]:
    """Return the labels of the estimator or ``y``, at most two."""
    if y is None:
        return classes or []
    labels = check_vector("y_true", y)
    if classes is None:
        return distinct_labels(labels)
    present = list(class_masks(labels, 2))
    unknown = [label for label in present if find_label(label, classes) is None]
    if not unknown:
        return classes
    known = classes + unknown
    if len(known) > 2:
        raise ValueError(
            f"{user} needs a binary target: y_true contains {present}, and "
            f"{type(estimator).__name__} was fitted on {classes}."
        )
    return distinct_labels(np.array(known, dtype=object))


def find_positive_class(y: ArrayLike, pos_label: Label, user: str) -> Any:
    """Return the positive label for all folds."""
    labels = distinct_labels(check_vector("y", y))
    label, is_chosen = choose_label(labels, pos_label, user, "a label of y")
    if label is None or (pos_label is not None and find_label(label, labels) is None):
        raise ValueError(f"y must have two classes, got one class, {labels[0]!r}.")
    if is_chosen:
        warn_second_class(user, labels)
    return label


def _is_reversed_detector(estimator: Any, label: Any, known: list[Any]) -> bool:
    """Return whether an estimator scores inliers (1) high, but outliers are positive.

    Warn if other labels do not show which of the two are positive.
    """
    # Objects that are not scikit-learn estimators have no tags.
    if not (hasattr(estimator, "__sklearn_tags__") and is_outlier_detector(estimator)):
        return False
    if label not in (-1, 1, None) or 0 in known:
        warn(
            f"{type(estimator).__name__} scores inliers high, and {label!r} is taken "
            "for the inliers: to rank outliers, give y as -1 and 1, and pos_label=-1."
        )
    return bool(label == -1)


def check_response_method(response_method: Any) -> tuple[str, ...]:
    """Return the names of response methods, in order of preference."""
    names = response_method
    if isinstance(names, str | np.ndarray):
        names = np.ravel(names).tolist()
    # A set is rejected, because its order is arbitrary.
    is_listed = isinstance(names, Sequence) and len(names) > 0
    if not is_listed or not all(isinstance(name, str) and name for name in names):
        raise ValueError(
            "response_method must be the name of a method (such as 'predict') or a "
            f"tuple of names in order of preference, got {shown(response_method)}."
        )
    return tuple(map(str, names))


def method_name(estimator: Any, methods: tuple[str, ...], user: str) -> str:
    """Return the name of the first of the methods that an estimator has."""
    for method in methods:
        if hasattr(estimator, method):
            return method
    raise AttributeError(
        f"{type(estimator).__name__} has none of the methods {list(methods)}: for a "
        f"regressor or a ranker pass response_method='predict' to {user}."
    )


def second_class(estimator: Any, method: str, X: Any) -> Any:
    """Return the scores of the second class, or all scores without classes."""
    response = as_numpy(getattr(estimator, method)(X))
    are_two = response.ndim == 2 and response.shape[1] == 2
    return response[:, 1] if are_two and hasattr(estimator, "classes_") else response


def n_rows(data: Any) -> int:
    """Return the number of samples of an array, a sparse matrix, a frame or a list."""
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def convert_arrow(data: Any) -> Any:
    """Return a table or a column of pyarrow as pandas, and other data unchanged."""
    is_arrow = type(data).__module__.partition(".")[0] == "pyarrow"
    return data.to_pandas() if is_arrow else data


def select_rows(data: Any, rows: IntArray) -> Any:
    """Return rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    return data[rows] if hasattr(data, "shape") else [data[row] for row in rows]


def select_aligned_rows(values: Any, rows: IntArray, n_samples: int) -> Any:
    """Return the rows of data with an entry for each sample, or else ``values``."""
    is_data = hasattr(values, "__len__") and not isinstance(
        values, str | bytes | Mapping
    )
    if hasattr(values, "shape"):
        is_data = len(values.shape) > 0
    if not is_data or n_rows(values) != n_samples:
        return values
    return select_rows(values, rows)


def find_column(what: str, source: Any, X: Any, y_true: Any, name: str) -> Any:
    """Return the list, gain or cost of each row, from the parameter of a scorer."""
    if source is None:
        where = "the name of a column of X, or a pandas Series that has the index of X"
        if what == "gain":
            # A column would reveal the label to the model.
            where = "a pandas Series that has the index of X, its label included"
        raise ValueError(
            f"{name} needs {what}: write {name}({what}=...) with {where}; or call "
            "sklearn.set_config(enable_metadata_routing=True) and "
            f"scorer.set_score_request({what}=True), and pass {what} with the data "
            f"(params={{{what!r}: {what}}} to cross_validate, fit(..., {what}={what}) "
            "of GridSearchCV)."
        )
    if isinstance(source, str):
        columns = list(getattr(X, "columns", []))
        if source not in columns:
            described = f"the columns {columns}" if columns else "no names of columns"
            raise ValueError(
                f"{what}={source!r} of {name} must be a column of X, a data frame, got "
                f"a {type(X).__name__} with {described}."
            )
        return X[source]
    if not hasattr(source, "loc"):
        kind = type(source)
        raise ValueError(
            f"{what} of {name} must be the name of a column or a pandas Series, got a "
            f"{kind.__name__} of {kind.__module__.split('.')[0]} without an index."
        )
    frame = next((table for table in (X, y_true) if hasattr(table, "loc")), None)
    if frame is None:
        text = f"{what} of {name} is matched by index: pass X as a data frame"
        raise ValueError(f"{text}, or y as a Series.")
    if not source.index.is_unique:
        raise ValueError(f"{what} of {name} must have a unique index, got duplicates.")
    missing = ~frame.index.isin(source.index)
    if missing.any():
        raise ValueError(
            f"{what} of {name} has no entry for {int(missing.sum())} of "
            f"{len(missing)} rows, the first at index {frame.index[missing][0]!r}."
        )
    return source.loc[frame.index]
