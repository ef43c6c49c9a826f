"""Where matplotlib is imported, and what is said where it is missing."""

from typing import Any


def import_pyplot(user: str) -> Any:
    """Return ``matplotlib.pyplot``; without it, say what ``user`` lacks.

    Whatever takes long and is then drawn asks for it first.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f'{user} draws with matplotlib: pip install "skrate[plot]".'
        ) from error
    return plt
