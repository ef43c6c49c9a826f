"""In the script of a user, type checkers pass what is right and stop what is not."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import skrate
from looped import looped
from optional import require

HEAD = """\
import numpy as np
import skrate
from skrate import rates

y, a, b = np.array([1, 0, 1, 0]), np.arange(4.0), np.ones(4)
hits = skrate.HitCurveDisplay.from_predictions(y, a)
errors = skrate.displays.AUCErrorRateDisplay.from_class_ratios()
folds = [0.8, 0.7, 0.9]
table = skrate.RankTable([1, 1], [0, 2])
report = skrate.budget_report(table, rate=1.0)
card = skrate.displays.BudgetReportDisplay(report)
lists = skrate.group_scores("roc_auc", y, a, groups=y)
"""
# mypy reads all of it, which takes seconds.
pytestmark = pytest.mark.slow
# Each call takes an option that is one of a few words, and a word that is none.
CALLS = [
    ("skrate.estimate('roc_auc', y, a, method={})", "bootstrap", "boostrap"),
    ("skrate.estimate('roc_auc', y, a, interval={})", "wald", "wild"),
    ("skrate.estimate('roc_auc', y, a, weights={})", "sampling", "sample"),
    ("skrate.budget_report(y, a, rate=0.5, weights={})", "sampling", "sampled"),
    ("skrate.compare('roc_auc', y, a, b, method={})", "permutation", "permutations"),
    ("skrate.compare('roc_auc', y, a, b, alternative={})", "two-sided", "two_sided"),
    ("skrate.compare('roc_auc', y, a, b, interval={})", "wald", "wilson"),
    ("skrate.compare('roc_auc', y, a, b, weights={})", "frequency", "frequencies"),
    ("skrate.compare_curves(y, a, b, metric={})", "precision", "precison"),
    ("skrate.compare_curves(y, a, b, band={})", "pointwise", "point-wise"),
    ("skrate.compare_curves(y, a, b, weights={})", "sampling", "sampled"),
    ("skrate.sample_size('roc_auc', y, a, b, alternative={})", "less", "lesser"),
    ("skrate.compare_folds(folds, folds, method={})", "paired", "pair"),
    ("skrate.compare_folds(folds, folds, alternative={})", "greater", "larger"),
    (
        "skrate.error_rate.auc_range_from_errors(5, 5, n_errors=1, method={})",
        "exact",
        "exct",
    ),
    ("skrate.recall_at_rate_score(y, a, of={})", "negatives", "negative"),
    ("lists.mean({})", "positives", "pair"),
    ("lists.mean(undefined={})", "skip", "skipped"),
    ("skrate.ranking_auc_score(y, a, groups=y, average={})", "pairs", "pair"),
    ("lists.estimate(undefined={})", "nan", "NaN"),
    ("skrate.refit_best(rule={})", "best", "better"),
    ("skrate.rate_averaged_roc_curve([y], [a], bounds={})", "exact", "exakt"),
    ("skrate.RateAveragedROC.from_predictions([y], [a]).plot(space={})", "roc", "ROC"),
    ("hits.plot(metric={})", "recall", "gains"),
    ("card.plot(band={})", "pointwise", "point-wise"),
    ("errors.plot(kind={})", "mean", "relative"),
]
# What is no word of a few stays free.
FREE = [
    "lists.mean([0.5, 0.5])",
    "lists.mean(np.array([0.5, 0.5]), undefined=0.5)",
    "skrate.ranking_auc_score(y, a, groups=y, average=np.ones(2), undefined=0)",
    "skrate.estimate(skrate.average_precision_score, y, a)",
    "skrate.rate_averaged_roc_curve([y], [a], bounds=None)",
    "skrate.average_precision_score(table, prevalence=0.01)",
    "skrate.rate_averaged_roc_curve([table, table], bounds=None)",
]
# What is no array, label or rate: all that is taken is in `typed_script.py`.
REFUSED = [
    "skrate.roc_curve(y, a)",
    "skrate.average_precision_score(None, a)",
    "skrate.average_precision_score(y, table)",
    "skrate.group_scores('roc_auc', table, groups=y)",
    "skrate.compare('roc_auc', y, a, table)",
    "skrate.rate_averaged_roc_curve(table)",
    "skrate.average_precision_score({1: 0.5}, a)",
    "skrate.average_precision_score(y, a, pos_label=[1])",
    "skrate.average_precision_score(y, a, sample_weight={})",
    "skrate.rate_weighted_auc_score(y, a, rate='unifrom')",
    "skrate.rate_weighted_auc_score(y, a, rate=[0.1, 0.2])",
    "rates.mixture(['beta', 0.2])",
    "skrate.group_scores('roc_auc', y, a, groups=None)",
    "skrate.estimate('roc_auc', hits)",
    "skrate.compare('roc_auc', y, a, b, clusters=abs)",
    "skrate.compare('roc_auc', y, {'a': None})",
    "skrate.compare_curves(y, a, {'b': b})",
    "skrate.budget_report(y, {'a': None}, rate=0.5)",
    "skrate.sample_size('roc_auc', y, a, b, n_samples='9')",
    "rates.from_counts(200, [400], n_items=5000)",
    "skrate.rate_averaged_roc_curve(hits, [a])",
    "skrate.rate_averaged_roc_curve([y], [a], repeats=abs)",
    "hits.plot('left')",
    "hits.plot(plot_momentun=True)",
    "skrate.RateAveragedROC.from_predictions([y], [a], rate='beta')",
    "skrate.RateWeightedAUCScorer(rate='unifrom')",
    "skrate.refit_best(complexity=1)",
    "skrate.compare_folds(folds, None)",
    "skrate.error_rate.auc_moments(5, 5, n_errors=abs)",
    "skrate.RankBoostClassifier(scoring=1)",
    "skrate.ConstrainedThresholdClassifier(y, capacity=0.5, n_items=20)",
]
SCORES = [name for name in skrate.__all__ if name.endswith("_score")]
NEEDED = {"expected_gain_score": ", gain=a"}
STAR = [
    *(f"print({name})" for name in skrate.__all__),
    *(
        f"assert_type({name}([1, 0], a{NEEDED.get(name, '')}), float)"
        for name in SCORES
    ),
    "each = average_precision_score([1, 0], a, average=None)",
    "assert_type(each, npt.NDArray[np.float64])",
    'assert_type(convert_rauc(0.5, to="rauc", rate=0.5, prevalence=0.5), float)',
]
STAR_HEAD = """\
from typing import assert_type
import numpy as np
import numpy.typing as npt
from skrate import *

a = np.arange(4.0)
"""
SCRIPT = Path(__file__).with_name("typed_script.py")


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """Return the lines that mypy complains of, by script."""
    require("mypy")
    folder = tmp_path_factory.mktemp("scripts")
    right = [call.format(repr(word)) for call, word, _ in CALLS] + FREE
    wrong = [call.format(repr(word)) for call, _, word in CALLS]
    scripts = {"right": right, "wrong": wrong, "refused": REFUSED}
    for name, lines in scripts.items():
        (folder / f"{name}.py").write_text(HEAD + "\n".join(lines) + "\n")
    shutil.copy(SCRIPT, folder / "typed.py")
    (folder / "star.py").write_text(STAR_HEAD + "\n".join(STAR) + "\n")
    scripts |= {"typed": [], "star": STAR}
    environment = dict(os.environ)
    home = Path(skrate.__file__).parents[1]
    if home.name != "site-packages":
        # mypy knows what is installed; elsewhere it must be told.
        environment["MYPYPATH"] = str(home)
    options = [
        "--strict",
        "--follow-imports=silent",
        "--ignore-missing-imports",
        "--config-file=",
    ]
    options += ["--cache-dir", str(folder / "cache")]
    files = [f"{name}.py" for name in scripts]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *files],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in (0, 1), run.stderr
    found = re.findall(r"^(\w+)\.py:(\d+): error: (.*)$", run.stdout, re.M)
    # Those of calls by their number, those of the script by their line.
    start = dict.fromkeys(scripts, HEAD.count("\n") + 1) | {"typed": 0}
    start["star"] = STAR_HEAD.count("\n") + 1
    return {
        name: {int(line) - start[name]: text for of, line, text in found if of == name}
        for name in scripts
    }


def test_right_options_pass(errors):
    assert errors["right"] == {}


@looped("number", range(len(CALLS)))
def test_a_misspelt_option_fails(errors, number):
    assert number in errors["wrong"]


def test_what_is_not_taken_fails(errors):
    passed = set(range(len(REFUSED))) - errors["refused"].keys()
    assert not [REFUSED[number] for number in passed]


def test_what_is_taken_passes_strictly(errors):
    assert errors["typed"] == {}


def test_an_import_of_all_names_shows_them_with_their_types(errors):
    assert errors["star"] == {}


# Its samples are of six cases.
@pytest.mark.filterwarnings("ignore:.* depends on the best:UserWarning")
def test_what_passes_runs():
    for name in ("matplotlib", "pandas", "polars"):
        require(name)
    runpy.run_path(str(SCRIPT))
