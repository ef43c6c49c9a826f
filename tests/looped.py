"""Many cases of one check in one test, which names the case that fails."""

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any

import pytest

# Set where the whole suite runs, outside of the CI.
SAMPLED = "SKRATE_SAMPLED_CASES"
# So many cases are always run.
FEW = 4


def sampled(cases: Sequence[Any], name: str) -> Sequence[Any]:
    """Return the cases of a test; in a run of the whole suite half of those of many.

    By the name of the test one half or the other, so that a metric that some tests
    leave out is in others; the number of ones in a case's binary place says which, as
    every other case would be one of two options only. The CI runs all cases, as does
    ``pytest`` with a path.
    """
    if len(cases) <= FEW or os.environ.get(SAMPLED) != "1":
        return cases
    places = range(len(cases))
    return [cases[i] for i in places if (i.bit_count() + len(name)) % 2 == 0]


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
        rows = sampled(values, test.__name__ + names)
        signature = inspect.signature(test)
        rest = [p for n, p in signature.parameters.items() if n not in arguments]
        rest = signature.replace(parameters=rest)

        @wraps(test)
        def check_all(*args: Any, **kwargs: Any) -> None:
            others = rest.bind(*args, **kwargs).arguments
            skipped = []
            for row in rows:
                given = [row] if len(arguments) == 1 else row
                try:
                    with (within or _named)(row):
                        test(**dict(zip(arguments, given, strict=True)), **others)
                except pytest.skip.Exception as reason:
                    skipped.append(str(reason))
            if len(skipped) == len(rows):
                pytest.skip(skipped[0])

        check_all.__signature__ = rest
        return check_all

    return decorate


def _named(value: Any) -> AbstractContextManager[None]:
    """Name a function or a class by its name, and all else as it is written."""
    return case(getattr(value, "__name__", value))
