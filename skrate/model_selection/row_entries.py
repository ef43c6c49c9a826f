"""What a scorer is told of each row: its list, what it is worth and what it costs."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from sklearn import get_config


class Indexed(Protocol):
    """A pandas Series, whose entries are found by the index of the cases."""

    @property
    def index(self) -> Any:
        """The labels of its entries."""

    @property
    def loc(self) -> Any:
        """The entries by their labels."""


# Where the lists of a scorer are: the name of a column of X, or a Series.
GroupsLike: TypeAlias = str | Indexed | None

# How a column is called that a scorer is told of by name. A gain holds the label, so
# that in a column of X it would be told to the model.
_COLUMNS = {"groups": "user_id", "entities": "card_id", "cost": "hours"}


def find_column(what: str, value: Any, X: Any, y_true: Any, name: str) -> Any:
    """Return the list, gain or cost of each row, by the parameter of a scorer."""
    if value is None:
        raise ValueError(f"{name} found no {what}: {_line_to_add(name, what)}.")
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
            "rows of a fold could not be told in it."
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


def _line_to_add(name: str, what: str) -> str:
    """Return what to write, which depends on whether metadata are routed."""
    written = f"{name}({what}=series) with a pandas Series that has the index of X"
    if what in _COLUMNS:
        column = f"{name}({what}={_COLUMNS[what]!r})"
        written += f", or {column} with a data frame X that has the column"
    else:
        written += ", of what it is worth to process each case, its label included"
    if get_config()["enable_metadata_routing"]:
        return (
            f"add scorer.set_score_request({what}=True), and pass {what} with the data "
            f"(params={{{what!r}: {what}}} to cross_validate, fit(..., {what}={what}) "
            f"of GridSearchCV); or write {written}"
        )
    return (
        f"write {written}; or add sklearn.set_config(enable_metadata_routing=True) and "
        f"scorer.set_score_request({what}=True), and pass {what} with the data "
        f"(fit(..., {what}={what}) of GridSearchCV)"
    )
