"""Tables of Spark dataframes are those of the same rows in memory."""

import sys

import numpy as np
import pytest

import skrate
import skrate.data.frames
from looped import looped
from metric_cases import sample
from optional import require, require_spark
from skrate import RankTable

pyspark = require_spark()
require("narwhals")
# Spark says so of any pandas that is newer than itself.
pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning"
)


@pytest.fixture(scope="module")
def spark():
    with pytest.MonkeyPatch.context() as patch:
        # Only to make frames of rows.
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session = (
            pyspark.sql.SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


def frame_of(spark, names, *columns, n_partitions=3):
    rows = list(zip(*(np.asarray(column).tolist() for column in columns), strict=True))
    return spark.createDataFrame(rows, names).repartition(n_partitions)


def test_the_table_of_partitions_is_that_of_all(spark):
    y_true, y_score = sample(seed=0, n=1000, decimals=2)
    weight = np.random.default_rng(1).integers(0, 4, 1000)
    frame = frame_of(spark, ["la`bel", "score", "w.1"], y_true == 1, y_score, weight)
    table = RankTable.from_frame(frame, "la`bel")
    assert table == RankTable.from_arrays(y_true, y_score)
    weighted = RankTable.from_arrays(y_true, y_score, sample_weight=weight)
    assert RankTable.from_frame(frame, "la`bel", sample_weight="w.1") == weighted


def test_many_scores_become_cells_within_their_error(spark, monkeypatch):
    monkeypatch.setattr(skrate.data.frames, "_LEAST_GROUPS", 1)
    y_true, y_score = sample(seed=0, n=3000, decimals=9)
    frame = frame_of(spark, ["label", "score"], y_true, 1 / (1 + np.exp(-5 * y_score)))
    table = RankTable.from_frame(frame, max_groups=200)
    assert table.n_groups <= 200
    assert (table.n_pos, table.total) == (y_true.sum(), 3000)
    assert 0 < table.max_error("roc_auc") < 0.01


@looped(
    "rows, arguments, message",
    [
        ([(0, 0.5), (1, float("nan"))], {}, "y_score contains 1 missing"),
        ([(0, 0.5), (1, None)], {}, "y_score contains 1 missing"),
        ([(0, 0.5), (1, 0.2), (2, 0.3)], {}, "y_true must hold"),
        ([(0, 0.5)], {"y_true": "clicked"}, "y_true='clicked'"),
        ([], {}, "frame is empty"),
    ],
)
def test_what_is_wrong_is_our_own_error(spark, rows, arguments, message):
    frame = spark.createDataFrame(rows, "label int, score double").repartition(3)
    with pytest.raises(ValueError, match=message):
        RankTable.from_frame(frame, **arguments)
