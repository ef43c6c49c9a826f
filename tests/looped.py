"""Many cases of one check in one test, which names the case that fails."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any

import pytest


@contextmanager
def case(name: object) -> Iterator[None]:
    """Add the name of the case to whatever is raised within."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"where the case is: {name}")
        raise


def looped(
    names: str,
    values: Iterable[Any],
    within: Callable[[Any], AbstractContextManager[None]] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return ``pytest.mark.parametrize`` as a loop: one test for all values.

    Below ``@given`` each example is drawn once for all values. Each value is tried
    ``within`` a context, which names it. A value that asks for what is not there is
    left out; the test is skipped where all are.
    """
    arguments = [name.strip() for name in names.split(",")]
    values = list(values)
    assert values, f"no {names} to try"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        rest = [p for n, p in signature.parameters.items() if n not in arguments]
        rest = signature.replace(parameters=rest)

        @wraps(test)
        def check_all(*args: Any, **kwargs: Any) -> None:
            others = rest.bind(*args, **kwargs).arguments
            skipped = []
            for row in values:
                given = [row] if len(arguments) == 1 else row
                try:
                    with (within or _named)(row):
                        test(**dict(zip(arguments, given, strict=True)), **others)
                except pytest.skip.Exception as reason:
                    skipped.append(str(reason))
            if len(skipped) == len(values):
                pytest.skip(skipped[0])

        check_all.__signature__ = rest
        return check_all

    return decorate


def _named(value: Any) -> AbstractContextManager[None]:
    """Name a function or a class by its name, and all else as it is written."""
    return case(getattr(value, "__name__", value))
