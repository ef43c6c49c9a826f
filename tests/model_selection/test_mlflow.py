"""The metric for MLflow that a page shows, with a stand-in for MLflow and in MLflow."""

import re
import sys
import textwrap
from types import ModuleType

import numpy as np
import pytest

from optional import require
from repository import ROOT
from skrate import recall_at_rate_score

PAGE = ROOT / "docs" / "user_guide" / "selecting.rst"
RNG = np.random.default_rng(0)
Y = (RNG.random(500) < 0.2).astype(int)
SCORE = RNG.normal(size=500) + 1.5 * Y
CLASS = (SCORE > 1) * 1


def metric_of_the_page():
    text = PAGE.read_text(encoding="utf-8")
    # The code is indented, more than once where it is folded.
    (code,) = re.findall(
        r"code-block:: python\n\n( +import numpy[^`]*?make_metric.*?)\n\n(?=\S)",
        text,
        re.DOTALL,
    )
    names = {}
    exec(textwrap.dedent(code), names)
    return names["mlflow_metric"](recall_at_rate_score, rate=0.1)


def test_the_metric_is_the_score_and_refuses_classes(monkeypatch):
    # A stand-in, because the CI does not install MLflow.
    models = ModuleType("mlflow.models")
    models.make_metric = lambda **options: options
    monkeypatch.setitem(sys.modules, "mlflow", ModuleType("mlflow"))
    monkeypatch.setitem(sys.modules, "mlflow.models", models)
    metric = metric_of_the_page()
    assert metric["name"] == "recall_at_rate_score"
    assert metric["greater_is_better"]
    found = metric["eval_fn"](SCORE, Y)
    assert found == recall_at_rate_score(Y, SCORE, rate=0.1)
    with pytest.raises(ValueError, match="predictions are classes"):
        metric["eval_fn"](CLASS, Y)


@pytest.mark.filterwarnings("ignore")
def test_mlflow_evaluates_scores_and_refuses_classes(tmp_path):
    mlflow, pandas = require("mlflow"), require("pandas")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    frame = pandas.DataFrame({"y": Y, "score": SCORE, "class": CLASS})

    def evaluated(column):
        return mlflow.models.evaluate(
            data=frame,
            targets="y",
            predictions=column,
            extra_metrics=[metric_of_the_page()],
        ).metrics["recall_at_rate_score"]

    assert evaluated("score") == recall_at_rate_score(Y, SCORE, rate=0.1)
    with pytest.raises(ValueError, match="predictions are classes"):
        evaluated("class")
