"""The reproductions run, as short as they can be."""

import runpy
import sys

import pytest

from repository import ROOT

FOLDER = ROOT / "benchmarks" / "reproduce"
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="needs the checkout's benchmarks"
)


def run(name, *arguments, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    runpy.run_path(str(FOLDER / name), run_name="__main__")


def test_the_experiment_on_confidence_bounds_runs(monkeypatch, capsys):
    arguments = ("--tests", "1", "--tables", "10")
    run("millard_kull_flach_2014.py", *arguments, monkeypatch=monkeypatch)
    printed = capsys.readouterr().out
    for method in ("exact", "parametric", "bootstrap-adjusted", "normal", "beta"):
        # New tables, and the true curve at two sizes.
        lines = [s for s in printed.splitlines() if s.startswith(method.ljust(20))]
        assert len(lines) == (4 if method == "exact" else 3)


def test_the_rapid_review_says_that_its_data_are_absent(monkeypatch, capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        run("rapid_review.py", "--data", str(tmp_path), monkeypatch=monkeypatch)
    assert stop.value.code == 0
    assert "is not there: pass the folder" in capsys.readouterr().out
