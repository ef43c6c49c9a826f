"""Hypothesis profiles, a backend without a window, and what a doctest needs."""

import os
import re
import sys

import hypothesis
import pytest

from optional import is_installed

# Run by its test, which says what it needs; collecting examples would import it.
collect_ignore = ["typed_script.py"]

# Before anything imports pyplot, and numpy: pytest shares the cores among processes,
# whose threads would wait for each other.
os.environ.setdefault("MPLBACKEND", "Agg")
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# The same examples in each run, and none replayed from an earlier one: a red build is
# never a matter of luck. Other examples are drawn on demand, and the CI draws more.
hypothesis.settings.register_profile(
    "same", deadline=None, max_examples=50, derandomize=True, database=None
)
hypothesis.settings.register_profile(
    "random", parent=hypothesis.settings.get_profile("same"), derandomize=False
)
hypothesis.settings.register_profile(
    "few", parent=hypothesis.settings.get_profile("same"), max_examples=8
)


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples Hypothesis draws, and whether they are the same."""
    if config.getoption("hypothesis_profile", None):
        return
    # What is derandomised takes no notice of a seed.
    has_seed = config.getoption("hypothesis_seed", None) is not None
    chosen = os.environ.get("HYPOTHESIS_PROFILE", "random" if has_seed else "few")
    hypothesis.settings.load_profile(chosen)


def pytest_collection_finish() -> None:
    """Let packages know their modules, so that a test finds one by its dotted name.

    Where the doctests of a folder are collected before its tests, pytest imports the
    package a second time, without the modules that are there already.
    """
    for name, module in list(sys.modules.items()):
        package, _, last = name.rpartition(".")
        if package.startswith("skrate") and not hasattr(sys.modules[package], last):
            setattr(sys.modules[package], last, module)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the examples that need what is not installed."""
    if os.environ.get("SKRATE_REQUIRE_ALL") == "1":
        return
    needs = {"matplotlib": _draws, "narwhals": _reads_frames, "pandas": _uses_pandas}
    for package in [name for name in needs if not is_installed(name)]:
        reason = f"needs {package}, which is not installed"
        for item in items:
            if isinstance(item, pytest.DoctestItem) and needs[package](item):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def closed_figures():
    """Leave no figure of one test to the next."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def _draws(item: pytest.DoctestItem) -> bool:
    draws = re.search(r"matplotlib|\.plot\(|Display\b|RateAveragedROC\b", _source(item))
    return item.name.startswith("skrate.displays") or draws is not None


def _reads_frames(item: pytest.DoctestItem) -> bool:
    return "from_frame(" in _source(item)


def _uses_pandas(item: pytest.DoctestItem) -> bool:
    return re.search(r"pandas|as_frame|\bread_trec\(", _source(item)) is not None


def _source(item: pytest.DoctestItem) -> str:
    """Return the code of an example."""
    examples = [] if item.dtest is None else item.dtest.examples
    return "".join(example.source for example in examples)
