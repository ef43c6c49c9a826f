"""Every benchmark and every row of the ratios runs, at its smallest size."""

import importlib.util
import inspect
import itertools
import json
import re
import subprocess
import sys

import pytest

from optional import require
from repository import ROOT

FOLDER = ROOT / "benchmarks"
KINDS = ("time_", "peakmem_", "mem_", "track_")


def benchmarks():
    """Yield each benchmark: its class, its method, its smallest parameters."""
    for path in sorted(FOLDER.glob("bench_*.py")):
        module = load(path)
        for class_name, kind in inspect.getmembers(module, inspect.isclass):
            methods = [name for name in dir(kind) if name.startswith(KINDS)]
            if kind.__module__ != module.__name__ or not methods:
                continue
            for method, values in itertools.product(methods, smallest(kind)):
                name = f"{path.stem}-{class_name}-{method}-{values}"
                yield pytest.param(kind, method, values, id=name)


def load(path):
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    name = path.stem
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def smallest(kind):
    """Return the combinations of parameters, numbers only at their least."""
    params = getattr(kind, "params", ())
    if not params:
        return [()]
    if not isinstance(params[0], tuple | list):
        params = (params,)
    return list(
        itertools.product(
            *(
                [min(values)] if all(isinstance(v, int) for v in values) else values
                for values in params
            )
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "method", "values"), list(benchmarks()))
def test_benchmark_runs(kind, method, values):
    benchmark = kind()
    for prepare in ("setup", f"setup_{method}"):
        if hasattr(benchmark, prepare):
            getattr(benchmark, prepare)(*values)
    getattr(benchmark, method)(*values)
    if hasattr(benchmark, "teardown"):
        benchmark.teardown(*values)


@pytest.mark.slow
def test_every_job_of_the_ratios_runs():
    # In a process of its own: it starts others, and limits threads.
    command = [sys.executable, FOLDER / "ratios.py", "--short"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()[1:]
    names = [job.name for job in load(FOLDER / "ratios.py").jobs()]
    assert all(any(line.startswith(f"{name} ") for line in lines) for name in names)


@pytest.mark.slow
def test_every_job_of_the_page_on_speed_runs():
    command = [sys.executable, FOLDER / "speed.py", "--short"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    jobs = {job for job, _, _ in load(FOLDER / "speed.py").TABLE}
    assert all(f"'job': '{job}'" in done.stdout for job in jobs)


@pytest.mark.slow
def test_rounds_of_boosting_are_measured():
    libraries = [require(name).__name__ for name in ("lightgbm", "xgboost", "catboost")]
    command = [sys.executable, FOLDER / "monitored_rounds.py", "--short"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    expected = [
        (name, each) for name in libraries for each in ("AUC", "rAUC", "recall")
    ]
    assert [(row[0], row[2]) for row in rows] == expected


def test_the_settings_of_asv_are_valid():
    settings = json.loads((FOLDER / "asv.conf.json").read_text(encoding="utf-8"))
    assert settings["project"] == "skrate"
    assert (FOLDER / settings["repo"] / "pyproject.toml").is_file()


@pytest.mark.slow
def test_a_billion_cases_run_as_a_few():
    command = [sys.executable, FOLDER / "billion.py", "--short"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = re.findall(r"at most (\S+) off, exact .*, off (\S+)", done.stdout)
    assert len(lines) == 2 * len(load(FOLDER / "billion.py").METRICS)
    assert all(float(off) <= float(bound) for bound, off in lines)
