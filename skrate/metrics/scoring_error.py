"""The error of a metric that is passed as ``scoring=``."""

from __future__ import annotations

from functools import wraps
from typing import Any, cast

from skrate.data.arrays import Array
from skrate.metrics.metric import Function, suggest_arguments


class NotAScore:
    """The return value of a metric that is called as a scorer, with estimator, X and y.

    If a scorer raises an exception, scikit-learn replaces the score by nan and selects
    the first candidate. If a score is not a number, it raises an error that shows it.
    """

    def __init__(self, remedy: str) -> None:
        self.remedy = remedy

    def __repr__(self) -> str:
        return self.remedy

    def __array__(self, *args: Any, **kwargs: Any) -> Array:
        raise TypeError(f"The score is {self.remedy}.")


def reject_scoring(function: Function) -> Function:
    """Return a metric that shows the remedy if it is passed as ``scoring=``.

    Its errors for unknown arguments are those of :func:`suggest_arguments`.
    """
    checked = suggest_arguments(function)

    @wraps(function)
    def metric(*args: Any, **kwargs: Any) -> Any:
        if not (args and hasattr(args[0], "get_params")):
            return checked(*args, **kwargs)
        name = function.__name__
        if kwargs:
            raise TypeError(
                f"{name}() got {type(args[0]).__name__}: pass labels and scores, such "
                f"as {name}(y, model.predict_proba(X)[:, 1])."
            )
        if len(args) == 3:
            return NotAScore(
                f"a metric: pass scoring=make_ranking_scorer({name}) or make_scorer "
                "with response_method='predict_proba'"
            )
        return function(*args)

    return cast(Function, metric)
