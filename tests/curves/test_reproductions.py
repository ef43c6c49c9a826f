"""The reproductions run, and the coverage of bounds, as short as they can be."""

import runpy
import sys

import pytest

import simulated_folds
from optional import require
from repository import ROOT

BENCHMARKS = ROOT / "benchmarks"
FOLDER = BENCHMARKS / "reproduce"
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="needs the checkout's benchmarks"
)


def run(name, *arguments, monkeypatch, folder=FOLDER):
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    runpy.run_path(str(folder / name), run_name="__main__")


@pytest.mark.slow
def test_the_coverage_of_bounds_is_printed_kept_and_drawn(
    monkeypatch, capsys, tmp_path
):
    require("matplotlib")
    one, two, single = (list(simulated_folds.SETTINGS)[i] for i in (0, 5, 9))
    settings = {name: simulated_folds.SETTINGS[name] for name in (one, two, single)}
    monkeypatch.setattr(simulated_folds, "SETTINGS", settings)
    kept, drawn = tmp_path / "found.json", tmp_path / "found.png"
    arguments = ("--short", "--simulations", "20", "--jobs", "1")
    arguments += ("--results", str(kept), "--figure", str(drawn))
    printed = []
    for _ in range(2):
        run("coverage_folds.py", *arguments, monkeypatch=monkeypatch, folder=BENCHMARKS)
        printed.append(capsys.readouterr().out)
    # What was kept is what was found.
    assert printed[0] == printed[1]
    for method in ("exact", "exact, band", "bootstrap", "normal"):
        lines = [s for s in printed[0].splitlines() if s.startswith(method.ljust(19))]
        # One fold has no spread.
        assert len(lines) == (2 if method == "normal" else 3)
        assert all(0 <= float(cell) <= 1 for s in lines for cell in s[19:].split())
    assert drawn.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_experiment_on_confidence_bounds_runs(monkeypatch, capsys):
    arguments = ("--tests", "1", "--tables", "10")
    run("millard_kull_flach_2014.py", *arguments, monkeypatch=monkeypatch)
    printed = capsys.readouterr().out
    for method in ("exact", "parametric", "bootstrap-adjusted", "normal", "beta"):
        # New tables, and the true curve at two sizes.
        lines = [s for s in printed.splitlines() if s.startswith(method.ljust(34))]
        assert len(lines) == (4 if method == "exact" else 3)


def test_the_rapid_review_says_that_its_data_are_absent(monkeypatch, capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        run("rapid_review.py", "--data", str(tmp_path), monkeypatch=monkeypatch)
    assert stop.value.code == 0
    assert "is not there: pass the folder" in capsys.readouterr().out
