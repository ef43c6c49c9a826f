"""What a test may do without: optional packages, and the data folder.

A test that needs more than the extra ``test`` asks here, and nowhere else, so that
one environment variable, ``SKRATE_REQUIRE_ALL=1``, turns every such skip into a
failure. The continuous integration sets it where everything is installed.
"""

import importlib
import importlib.util
import os
import shutil
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

# Never a failure where it is missing: on Linux it cannot be imported without gigabytes
# of libraries for GPUs, which took two minutes to install. CONTRIBUTING.md says how to
# run the tests that use it.
LEFT_OUT_BY_CI = {
    *("torch", "torchmetrics"),
    # Packages of other fields, each with many dependencies, for a test or two.
    *("causalml", "dcurves", "ir_measures", "mapie", "mlflow", "ranx", "sksurv"),
}


def require(name: str) -> ModuleType:
    """Import and return an optional module, or skip the test (or module) at hand."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # A package that is there and broken must not pass for one that is absent.
        if error.name is None or error.name.split(".")[0] != name.split(".")[0]:
            raise
        if name.split(".")[0] in LEFT_OUT_BY_CI:
            pytest.skip(
                f"needs {name}, which is not installed", allow_module_level=True
            )
        skip_or_fail(f"needs {name}, which is not installed")


def require_spark() -> ModuleType:
    """Import and return pyspark, or skip the module at hand, whatever is required.

    Spark needs a Java runtime, which no Python package brings, and is ten times as
    large as all else: CONTRIBUTING says how to run its tests by hand.
    """
    if not is_installed("pyspark"):
        pytest.skip("needs pyspark, which is not installed", allow_module_level=True)
    java = os.environ.get("JAVA_HOME")
    if shutil.which(f"{java}/bin/java" if java else "java") is None:
        pytest.skip("needs a Java runtime, which is not there", allow_module_level=True)
    importlib.import_module("pyspark.sql")
    return importlib.import_module("pyspark")


def is_installed(name: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    return importlib.util.find_spec(name) is not None


def data_file(name: str) -> Path:
    """Return a file of the data folder, or skip the test where it is absent.

    The folder is ``$SKRATE_DATA``, else ``../shared/data`` beside the checkout. The
    data are no part of the project, so that their absence is never a failure unless
    ``SKRATE_DATA`` says that they are there.
    """
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    stated = os.environ.get("SKRATE_DATA")
    path = Path(stated or beside) / name
    if path.exists():
        return path
    if stated:
        pytest.fail(f"SKRATE_DATA is set, but holds no {name}")
    pytest.skip(f"needs the data file {name}; set SKRATE_DATA to its folder")


def skip_or_fail(reason: str) -> NoReturn:
    """Skip with a reason, or fail with it where everything is required."""
    if os.environ.get("SKRATE_REQUIRE_ALL") == "1":
        pytest.fail(f"SKRATE_REQUIRE_ALL is set: {reason}", pytrace=False)
    pytest.skip(reason, allow_module_level=True)
