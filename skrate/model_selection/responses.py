"""How estimators score cases, and what scorers know of each row."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from sklearn.base import is_outlier_detector

from skrate.data.arrays import Array, ArrayLike, IntArray, Label, as_numpy
from skrate.data.checks import (
    check_vector,
    class_masks,
    distinct_labels,
    find_label,
    has_default_positive,
    is_label,
    shown,
)
from skrate.data.estimated import EstimatedLabels
from skrate.metrics.classes import has_columns, indicators

# Names of methods, the first of which that an estimator has gives its scores.
ResponseMethod = str | Sequence[str]
DEFAULT_RESPONSE = ("decision_function", "predict_proba")


class UndefinedResponse(ValueError):
    """The estimator cannot say how it ranks, as it was trained on one class only."""


def warn_second_class(user: str, labels: list[Any]) -> None:
    """Warn that ``user`` takes the second of two ``labels`` for the positive class."""
    first, second = labels
    warnings.warn(
        f"{user} takes {second!r} for the positive class, the second of {labels}: "
        f"pass pos_label={second!r} if it is right, pos_label={first!r} if it is "
        "the other.",
        UserWarning,
        stacklevel=3,
    )


class WarnsOnce:
    """What warns of the second class once, however many folds it scores.

    Copies in a worker process, a new one for each fold, know it together.
    """

    _OF_OBJECT = ("_told", "_is_copy")

    def _warn_once(self, user: str, labels: list[Any]) -> None:
        told: set[Any] = self.__dict__.setdefault("_told", set())
        if self.__dict__.get("_is_copy"):
            told = _TOLD_BY_COPIES
        if (user, *labels) not in told:
            warn_second_class(user, labels)
            # Not before: where warnings are errors, each fold has to fail.
            told.add((user, *labels))

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {key: state[key] for key in state or () if key not in self._OF_OBJECT}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__dict__["_is_copy"] = True


_TOLD_BY_COPIES: set[Any] = set()


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

    ``call(estimator, method, X)`` may know the scores of the second class, which are
    always asked for; ``tell`` warns if this was taken unasked. ``y`` is None where its
    labels are not those of the estimator, and names no class if it is estimated.
    """
    if isinstance(y, EstimatedLabels):
        asked = estimator, X, None, response_method, pos_label
        return ranking_scores(*asked, user=user, call=call, tell=tell)[0], None
    methods = check_response_method(response_method)
    classes = _classes(estimator, user)
    known = _find_labels(estimator, classes, y, user)
    of = "a label of y_true, which holds"
    if classes == known:
        of = f"a class of {type(estimator).__name__}, which knows"
    label, is_chosen = choose_label(known, pos_label, user, of)
    if label is None or (classes is not None and len(classes) == 1):
        if classes is not None:
            name, only = type(estimator).__name__, classes[0]
            reason = f"{name} was trained on one class only, {only!r}"
        else:
            only = distinct_labels(check_vector("y_true", y))[0]
            reason = (
                f"y_true holds {only!r} only, which does not say what is positive; "
                "name it by pos_label"
            )
        raise UndefinedResponse(reason)
    if is_chosen:
        tell(user, classes or distinct_labels(check_vector("y_true", y)))
    method = method_name(estimator, methods, user)
    y_score = as_numpy((call or second_class)(estimator, method, X))
    if classes is None:
        if y_score.ndim == 2 and y_score.shape[1] > 1:
            raise ValueError(
                f"{user} needs one score for each case: name a method that returns it "
                f"by response_method=. {type(estimator).__name__}.{method} returned "
                f"{y_score.shape[1]} columns of scores, and no class labels (classes_) "
                "tell which column is which."
            )
        is_reversed = _is_reversed_detector(estimator, label, known)
    elif method == "predict" and np.isin(y_score, classes).all():
        return (y_score == label).astype(float), label
    else:
        is_reversed = label != classes[-1]
    return (-y_score if is_reversed else y_score), label


def has_several_classes(estimator: Any, y_true: Any, pos_label: Label) -> bool:
    """Return whether a target has more than two classes, or several labels a case."""
    if has_columns(y_true):
        return True
    classes = getattr(estimator, "classes_", None)
    if classes is None or np.ndim(classes[0]) > 0:
        return False
    if len(classes) > 2:
        return True
    known = as_numpy(classes).tolist()
    labels = check_vector("y_true", y_true)
    if len(known) == 2:
        is_unknown = pos_label is not None and find_label(pos_label, known) is None
        if is_unknown or _are_two_classes(labels, known):
            return False
    # The model was taught two of them at most.
    return len(class_masks(labels, 2)) > 2


def _are_two_classes(labels: Array, known: list[Any]) -> bool:
    """Return whether each label is one of two, without sorting them."""
    try:
        return bool(np.all(is_label(labels, known[0]) | is_label(labels, known[1])))
    except (TypeError, ArithmeticError):
        # pandas.NA and Decimal("sNaN") do not compare.
        return False


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

    With ``pos_label``, which cases are of that class, and its scores.
    """
    methods = check_response_method(response_method)
    if methods == DEFAULT_RESPONSE:
        # Decision values are compared with those of other classes, not over cases.
        methods = methods[::-1]
    method, name = method_name(estimator, methods, user), type(estimator).__name__
    if has_columns(y_true):
        y_score = _label_scores(estimator, method, X)
        n_labels = np.shape(y_true)[1]
        names = range(n_labels) if labels is None else labels
        known = check_vector("labels", names).tolist()
        what = f"{n_labels} labels"
    else:
        known = _find_classes(estimator, labels, user)
        if method == "decision_function" and len(known) > 2:
            _check_no_pairs(estimator, user)
        y_score = as_numpy(call(estimator, method, X))
        if y_score.ndim == 1 and len(known) == 2 and method != "predict":
            # Only their order counts.
            y_score = np.column_stack([-y_score, y_score])
        what = f"the classes {shown(known)}"
    if y_score.ndim != 2 or y_score.shape[1] != len(known):
        raise ValueError(
            f"{user} needs a score for each of {what}, but {method} of {name} returned "
            f"an array of shape {y_score.shape}."
        )
    if pos_label is not None:
        column = _class_column(pos_label, known, user)
        if has_columns(y_true):
            is_pos = indicators(y_true)[:, column]
        else:
            is_pos = is_label(check_vector("y_true", y_true), known[column])
        return is_pos, y_score[:, column], known
    if not has_columns(y_true):
        found = class_masks(check_vector("y_true", y_true), len(known))
        unknown = [shown(label) for label in found if find_label(label, known) is None]
        if unknown:
            raise UndefinedResponse(
                f"{name} was not trained on the class {unknown[0]}, which y_true holds"
            )
    return y_true, y_score, known


def _class_column(pos_label: Label, known: list[Any], user: str) -> int:
    label = find_label(pos_label, known)
    if label is None:
        raise ValueError(
            f"pos_label={shown(pos_label)} of {user} is not one of the classes "
            f"{shown(known)}."
        )
    return known.index(label)


def _label_scores(estimator: Any, method: str, X: Any) -> Array:
    """Return a column of scores for each label."""
    found = getattr(estimator, method)(X)
    if isinstance(found, list):
        # Some estimators make a list of the probabilities of each label.
        found = np.column_stack([as_numpy(each)[:, -1] for each in found])
    return as_numpy(found)


def _find_classes(estimator: Any, labels: ArrayLike | None, user: str) -> list[Any]:
    """Return the classes of an estimator, two or more; ``labels`` may repeat them."""
    known, name = as_numpy(estimator.classes_).tolist(), type(estimator).__name__
    if len(known) == 1:
        only = shown(known[0])
        raise UndefinedResponse(f"{name} was trained on one class only, {only}")
    named = known if labels is None else check_vector("labels", labels).tolist()
    if {find_label(label, known) for label in named} != set(known):
        raise ValueError(
            f"labels of {user} must be the classes of {name}, {shown(known)}, got "
            f"{shown(named)}: leave it out."
        )
    return list(known)


def _check_no_pairs(estimator: Any, user: str) -> None:
    """Raise where decision values are of pairs of classes, also of a model within."""
    inner = estimator
    # Pipelines and searches may be within one another, but not without end.
    for _ in range(9):
        if hasattr(inner, "best_estimator_"):
            inner = inner.best_estimator_
        elif getattr(inner, "steps", None):
            inner = inner.steps[-1][1]
    if getattr(inner, "decision_function_shape", None) == "ovo":
        raise ValueError(
            f"{user} needs a score for each class, but those of {type(inner).__name__} "
            "are of pairs of classes: fit it with decision_function_shape='ovr'."
        )


def _classes(estimator: Any, user: str) -> list[Any] | None:
    """Return the one or two classes of a classifier, None for any other estimator."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return None
    if any(np.ndim(each) for each in classes):
        raise ValueError(
            f"{user} needs a binary target, but {type(estimator).__name__} was "
            f"fitted on {len(classes)} targets at once. Score each separately."
        )
    found = as_numpy(classes).tolist()
    if len(found) > 2:
        raise ValueError(
            f"{user} needs a binary target, but {type(estimator).__name__} was "
            f"fitted on {len(found)} classes: {found}. Score one class against "
            "the rest, on a binary target."
        )
    return list(found)


def choose_label(
    known: list[Any], pos_label: Label, user: str, of: str
) -> tuple[Any, bool]:
    """Return which label is positive, None if not known, and if it was not named."""
    if pos_label is not None:
        label = find_label(pos_label, known)
        if label is None and len(known) > 1:
            raise ValueError(f"pos_label={pos_label!r} of {user} is not {of} {known}.")
        return pos_label if label is None else label, False
    if has_default_positive(known):
        label = find_label(1, known)
        return 1 if label is None else label, False
    return (known[1], True) if len(known) > 1 else (None, False)


def _find_labels(
    estimator: Any, classes: list[Any] | None, y: ArrayLike | None, user: str
) -> list[Any]:
    """Return the labels that the estimator or ``y`` show, two at most."""
    if y is None:
        return classes or []
    labels = check_vector("y_true", y)
    if classes is None:
        return distinct_labels(labels)
    if len(classes) == 2 and _are_two_classes(labels, classes):
        return classes
    found = list(class_masks(labels, 2))
    known = list(classes)
    known += [label for label in found if find_label(label, classes) is None]
    if len(known) > 2:
        raise ValueError(
            f"{user} needs a binary target, but y_true holds {found}, and "
            f"{type(estimator).__name__} was fitted on {classes}. Score one class "
            "against the rest, on a binary target."
        )
    return distinct_labels(np.array(known, dtype=object))


def find_positive_class(y: ArrayLike, pos_label: Label, user: str) -> Any:
    """Return the positive label of all folds together."""
    found = distinct_labels(check_vector("y", y))
    label, is_chosen = choose_label(found, pos_label, user, "a label of y, which holds")
    if label is None or (pos_label is not None and find_label(label, found) is None):
        raise ValueError(f"y holds one class only, {found[0]!r}.")
    if is_chosen:
        warn_second_class(user, found)
    return label


def _is_reversed_detector(estimator: Any, label: Any, known: list[Any]) -> bool:
    """Return whether an estimator scores inliers, 1, above the positives, outliers.

    Warn if other labels do not say which of the two are positive.
    """
    try:
        if not is_outlier_detector(estimator):
            return False
    except AttributeError:
        # What is no estimator of scikit-learn's has no tags.
        return False
    if label not in (-1, 1, None) or 0 in known:
        warnings.warn(
            f"{type(estimator).__name__} scores inliers high, which {label!r} is taken "
            "to mean: for a ranking of outliers give y as -1 (outlier) and 1, with "
            "pos_label=-1.",
            UserWarning,
            stacklevel=3,
        )
    return bool(label == -1)


def check_response_method(response_method: Any) -> tuple[str, ...]:
    """Return the names of methods, in the order in which they are looked for."""
    names = response_method
    if isinstance(names, str):
        names = (names,)
    elif isinstance(names, np.ndarray):
        names = names.ravel().tolist()
    # A set has no order, so that chance would say which of its methods comes first.
    is_listed = isinstance(names, Sequence) and len(names) > 0
    if not is_listed or not all(isinstance(name, str) and name for name in names):
        raise ValueError(
            "response_method must be the name of a method of the estimator, such as "
            "'predict', or a tuple of names, the first of which that it has is used, "
            f"got {shown(response_method)}."
        )
    return tuple(str(name) for name in names)


def method_name(estimator: Any, methods: tuple[str, ...], user: str) -> str:
    """Return the first of the methods that an estimator has."""
    for method in methods:
        if hasattr(estimator, method):
            return method
    raise AttributeError(
        f"{type(estimator).__name__} has none of the methods {list(methods)}. To "
        "score the predictions of a regressor or a ranker, pass "
        f"response_method='predict' to {user}."
    )


def second_class(estimator: Any, method: str, X: Any) -> Any:
    """Return the scores of the second class; all without classes."""
    response = as_numpy(getattr(estimator, method)(X))
    are_two = response.ndim == 2 and response.shape[1] == 2
    return response[:, 1] if are_two and hasattr(estimator, "classes_") else response


def n_rows(data: Any) -> int:
    """Return the number of cases of an array, a sparse matrix, a frame or a list."""
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def convert_arrow(data: Any) -> Any:
    """Return a table or a column of pyarrow as pandas has it, all else as it is."""
    is_arrow = type(data).__module__.partition(".")[0] == "pyarrow"
    return data.to_pandas() if is_arrow else data


def select_rows(data: Any, rows: IntArray) -> Any:
    """Return rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    return data[rows] if hasattr(data, "shape") else [data[row] for row in rows]


def select_aligned_rows(values: Any, rows: IntArray, n_samples: int) -> Any:
    """Return the rows of what has one for each case, all else as it is."""
    is_data = hasattr(values, "__len__") and not isinstance(
        values, str | bytes | Mapping
    )
    if hasattr(values, "shape"):
        is_data = len(values.shape) > 0
    if not is_data or n_rows(values) != n_samples:
        return values
    return select_rows(values, rows)


class Indexed(Protocol):
    """A pandas Series, whose entries are found by the index of the cases."""

    @property
    def loc(self) -> Any:
        """The entries by their labels."""


# Where the lists of a scorer are: the name of a column of X, or a Series.
GroupsLike: TypeAlias = str | Indexed | None


def find_column(what: str, value: Any, X: Any, y_true: Any, name: str) -> Any:
    """Return the list, gain or cost of each row, by the parameter of a scorer."""
    if value is None:
        where = "the name of a column of X, or a pandas Series that has the index of X"
        if what == "gain":
            # In a column the label, which it holds, would be told to the model.
            where = "a pandas Series that has the index of X, its label included"
        raise ValueError(
            f"{name} found no {what}: write {name}({what}=...) with {where}; or call "
            "sklearn.set_config(enable_metadata_routing=True) and "
            f"scorer.set_score_request({what}=True), and pass {what} with the data "
            f"(params={{{what!r}: {what}}} to cross_validate, fit(..., {what}={what}) "
            "of GridSearchCV)."
        )
    if isinstance(value, str):
        columns = list(getattr(X, "columns", []))
        if value not in columns:
            found = f"the columns {columns}" if columns else "no columns"
            raise ValueError(
                f"{what}={value!r} of {name} is not a column of X, a "
                f"{type(X).__name__} with {found}."
            )
        return X[value]
    if not hasattr(value, "loc"):
        kind = type(value)
        raise ValueError(
            f"{what} of {name} must be the name of a column or a pandas Series, got a "
            f"{kind.__name__} of {kind.__module__.split('.')[0]} without an index: "
            "rows of a fold could not be found in it."
        )
    data = next((part for part in (X, y_true) if hasattr(part, "loc")), None)
    if data is None:
        raise ValueError(
            f"{what} of {name} is matched by index, but neither X nor y has one: pass "
            "X as a data frame, or y as a Series."
        )
    if not value.index.is_unique:
        raise ValueError(f"{what} of {name} has an index with duplicates.")
    missing = ~data.index.isin(value.index)
    if missing.any():
        raise ValueError(
            f"{what} of {name} has no entry for {int(missing.sum())} of "
            f"{len(missing)} rows, the first at index {data.index[missing][0]!r}."
        )
    return value.loc[data.index]
