"""What ``from_*`` hand on to ``plot``, in their own signatures and docstrings.

The arguments of a drawing are defined once, by ``plot``: their names, defaults and
descriptions. A method that hands them on is written with ``**kwargs``, typed by the
display's `DrawingArguments`, and says by `passes_on` to what method; it is
given the rest here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Method = TypeVar("_Method", bound=Callable[..., Any])
_TITLE = "Parameters\n----------\n"


class DrawingArguments(TypedDict, total=False):
    """What each ``plot`` takes."""

    ax: Axes | None
    despine: bool


def passes_on(target: str) -> Callable[[_Method], _Method]:
    """Mark a method of which the keyword arguments go to another one."""

    def mark(method: _Method) -> _Method:
        method.__dict__["passes_on"] = target
        return method

    return mark


def spell_out(cls: type, without: frozenset[str]) -> None:
    """Give the marked methods of a class what they pass on, but for some names."""
    for name in dir(cls):
        _spell_out(cls, name, without)


def _spell_out(cls: type, name: str, without: frozenset[str]) -> Any:
    """Return the function of a method, whose arguments are in its signature."""
    method = inspect.getattr_static(cls, name, None)
    function: Any = getattr(method, "__func__", method)
    target = getattr(function, "passes_on", None)
    if target is None or not hasattr(cls, target):
        return function
    is_inherited = name not in vars(cls)
    if is_inherited:
        # Each class has its own arguments.
        function = _copy(getattr(function, "is_copy_of", function), cls)
    elif hasattr(function, "__signature__"):
        return function
    receiver = _spell_out(cls, target, without)
    own = inspect.signature(function).parameters.values()
    kept = {
        p.name: p
        for p in own
        if p.kind is not p.VAR_KEYWORD and not (is_inherited and p.name in without)
    }
    handed = {p.name: p for p in _handed_on(receiver) if p.name not in without}
    added = {key: value for key, value in handed.items() if key not in kept}
    signature = inspect.signature(function)
    function.__signature__ = signature.replace(
        parameters=[*kept.values(), *added.values()]
    )
    if function.__doc__:
        function.__doc__ = _described(function, receiver, set(kept), set(added))
    if is_inherited:
        setattr(cls, name, classmethod(function))
    return function


def _copy(function: Any, cls: type) -> Any:
    """Return a function like another one, of which it is not to be the signature."""
    copied = FunctionType(
        function.__code__, function.__globals__, function.__name__,
        function.__defaults__, function.__closure__,
    )  # fmt: skip
    copied.__kwdefaults__ = function.__kwdefaults__
    copied.__annotations__ = dict(function.__annotations__)
    copied.__doc__ = function.__doc__
    copied.__qualname__ = f"{cls.__qualname__}.{function.__name__}"
    copied.__dict__.update(passes_on=function.passes_on, is_copy_of=function)
    return copied


def _handed_on(receiver: Any) -> Iterator[inspect.Parameter]:
    """Yield what a method takes by keyword: of ``plot`` the axes as well."""
    for parameter in inspect.signature(receiver).parameters.values():
        is_axes = parameter.name == "ax"
        if parameter.kind is parameter.KEYWORD_ONLY or is_axes:
            yield parameter.replace(kind=parameter.KEYWORD_ONLY)


def _described(function: Any, receiver: Any, kept: set[str], added: set[str]) -> str:
    """Return a docstring with the parameters of another one after its own."""
    before, own, after = _parts(function)
    _, others, _ = _parts(receiver)
    described = [
        *_entries(own, kept),
        *_entries(others, added),
    ]
    return f"{before}{_TITLE}{''.join(described)}{after}\n"


def _parts(function: Any) -> tuple[str, str, str]:
    """Return what stands before the parameters, these, and what stands after them."""
    text = inspect.cleandoc(function.__doc__)
    before, _, rest = text.partition(_TITLE)
    end = re.search(r"\n\S[^\n]*\n---", rest)
    at = len(rest) if end is None else end.start()
    return before, rest[:at].rstrip("\n") + "\n", rest[at:]


def _entries(section: str, wanted: set[str]) -> Iterator[str]:
    """Yield the entries of a section, as far as they are of wanted parameters."""
    for entry in re.findall(r"^\S.*\n(?:[ \n].*\n)*", section, re.MULTILINE):
        head, _, text = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        found = [name for name in names.split(", ") if name in wanted]
        if found:
            yield f"{', '.join(found)} : {kind}\n{text}"
