"""The recipes of the page "In training" run as they stand there."""

import inspect
import re
import textwrap

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from optional import require
from repository import ROOT
from skrate import eval_metric, rates, recall_at_rate_score

PAGE = ROOT / "docs" / "user_guide" / "in_training.rst"
# The blocks of a section go on where those before it ended.
SECTIONS = {
    "XGBoost": ["xgboost"],
    "LightGBM": ["lightgbm"],
    "CatBoost": ["catboost"],
    "Lists": ["lightgbm"],
    "Searches": ["lightgbm", "optuna"],
}


def blocks_of(section):
    """Return the code of a section of the page, block by block."""
    page = PAGE.read_text(encoding="utf-8")
    body = re.search(
        rf"^{section}\n-+\n(.*?)(?=^\S[^\n]*\n---+$|\Z)", page, re.M | re.S
    )[1]
    # Those that are folded are indented.
    block = r"^( *)\.\. code-block:: python\n\n((?:\1   .*\n|\n)+)"
    return [textwrap.dedent(code) for _, code in re.findall(block, body, re.M)]


@pytest.mark.slow
@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.filterwarnings(
    "ignore:numpy.* size changed:RuntimeWarning", "ignore::FutureWarning:optuna"
)
def test_a_recipe_chooses_the_round_that_its_log_calls_best(section):
    packages = {name: require(name) for name in SECTIONS[section]}
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=600) > 1).astype(int)
    names = {
        "np": np, "eval_metric": eval_metric, "rates": rates,
        "recall": recall_at_rate_score, "X_train": X[:300], "X_valid": X[300:],
        "y_train": y[:300], "y_valid": y[300:], "w_valid": rng.integers(1, 4, size=300),
    }  # fmt: skip
    blocks = blocks_of(section)
    assert blocks
    for block in blocks:
        if "lightgbm" in packages and "eval_X" not in str(
            inspect.signature(packages["lightgbm"].LGBMClassifier.fit)
        ):
            given = r"(\w*)eval_X=\((\w+),\),\s+\1eval_y=\((\w+),\)"
            block = re.sub(given, r"\1eval_set=[(\2, \3)]", block)
        # Tests run side by side, and threads would wait for each other.
        with threadpool_limits(1):
            exec(compile(block, str(PAGE), "exec"), names)
        check(names, section)


def check(names, section):
    """Check the round, or the study, that a recipe ended with."""
    if section == "Searches":
        study = names["study"]
        values = [trial.value for trial in study.trials if trial.value is not None]
        assert study.best_value == max(values) > min(values)
        return
    model = names["model"]
    chosen = getattr(model, "best_iteration_", None) or model.best_iteration
    assert 0 < chosen < 40
    if hasattr(model, "evals_result_"):
        library = type(model).__module__.split(".")[0]
        data, sign, first = {
            "xgboost": ("validation_0", -1, 0),
            "lightgbm": ("valid_0", 1, 1),
            "catboost": ("validation", 1, 0),
        }[library]
        log = model.evals_result_[data]
        (values,) = [log[name] for name in log if name.endswith("_score")]
        assert chosen == np.argmax(sign * np.array(values)) + first
