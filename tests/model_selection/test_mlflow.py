"""The metric for MLflow that a page shows, in an evaluation by MLflow."""

import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

from optional import require
from skrate import recall_at_rate_score

mlflow = require("mlflow")
pandas = require("pandas")
PAGE = Path(__file__).parents[2] / "docs" / "user_guide" / "selecting.rst"


@pytest.fixture
def metric(tmp_path):
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    text = PAGE.read_text(encoding="utf-8")
    code = re.search(
        r"code-block:: python\n\n(   import numpy.*?mlflow.*?)\n\n\S", text, re.DOTALL
    )
    names = {}
    exec(textwrap.dedent(code[1]), names)
    return names["mlflow_metric"](recall_at_rate_score, rate=0.1)


def evaluated(frame, column, metric):
    found = mlflow.models.evaluate(
        data=frame, targets="y", predictions=column, extra_metrics=[metric]
    )
    return found.metrics["recall_at_rate_score"]


@pytest.mark.filterwarnings("ignore")
def test_scores_are_evaluated_and_classes_refused(metric):
    rng = np.random.default_rng(0)
    y = (rng.random(500) < 0.2).astype(int)
    score = rng.normal(size=500) + 1.5 * y
    frame = pandas.DataFrame({"y": y, "score": score, "class": (score > 1) * 1})
    assert evaluated(frame, "score", metric) == recall_at_rate_score(y, score, rate=0.1)
    with pytest.raises(ValueError, match="predictions are classes"):
        evaluated(frame, "class", metric)
