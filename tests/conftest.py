"""Hypothesis profiles, a backend without a window, and what a doctest needs."""

import os
import re
import sys

import hypothesis
import pytest

from optional import is_installed

# Before anything imports pyplot.
os.environ.setdefault("MPLBACKEND", "Agg")

hypothesis.settings.register_profile("dev", deadline=None, max_examples=50)
# The same examples in each run: a red build is never a matter of luck.
hypothesis.settings.register_profile(
    "ci", parent=hypothesis.settings.get_profile("dev"), derandomize=True, database=None
)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the docstring examples that draw where matplotlib is not installed."""
    if is_installed("matplotlib") or os.environ.get("SKRATE_REQUIRE_ALL") == "1":
        return
    reason = "needs matplotlib, which is not installed"
    for item in items:
        if isinstance(item, pytest.DoctestItem) and _draws(item):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def closed_figures():
    """Leave no figure of one test to the next."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def _draws(item: pytest.DoctestItem) -> bool:
    test = item.dtest
    if test is None:
        return False
    source = "".join(example.source for example in test.examples)
    draws = re.search(r"matplotlib|\.plot\(|Display\b|RateAveragedROC\b", source)
    return test.name.startswith("skrate.displays") or draws is not None
