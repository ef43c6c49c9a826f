"""Many cases of one check in one test, which names the case that fails."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(name: object) -> Iterator[None]:
    """Add the name of the case to whatever is raised within."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"where the case is: {name}")
        raise
