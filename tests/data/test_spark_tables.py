"""Tables of Spark dataframes are those of the same rows in memory."""

import doctest
import os
import sys

import numpy as np
import pytest

import skrate.spark
from looped import looped
from metric_cases import sample
from optional import require_spark
from skrate import RankTable

pyspark = require_spark()
# Spark says so of any pandas that is newer than itself.
pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning"
)


@pytest.fixture(scope="module")
def spark():
    # The workers run this Python, and find the package where it is found here.
    folder = os.path.dirname(os.path.dirname(skrate.__file__))
    paths = [folder, os.environ.get("PYTHONPATH", "")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
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
    weight = np.random.default_rng(1).integers(0, 4, 1000) / 2
    frame = frame_of(spark, ["label", "score", "w.1"], y_true, y_score, weight)
    assert skrate.spark.rank_table(frame) == RankTable.from_arrays(y_true, y_score)
    weighted = RankTable.from_arrays(y_true, y_score, sample_weight=weight)
    assert skrate.spark.rank_table(frame, sample_weight="w.1") == weighted
    # Most partitions hold one class, or nothing.
    sparse = frame.filter("score > 1").repartitionByRange(7, "score")
    chosen = y_score > 1
    table = skrate.spark.rank_table(sparse, "label", "score")
    assert table == RankTable.from_arrays(y_true[chosen], y_score[chosen])


def test_labels_may_be_strings_and_tables_are_compressed(spark):
    y_true, y_score = sample(seed=0, n=3000, decimals=9)
    named = np.array(["no", "yes"])[y_true]
    frame = frame_of(spark, ["truth", "logit"], named, y_score)
    table = skrate.spark.rank_table(
        frame, "truth", "logit", pos_label="yes", max_groups=300
    )
    assert table.n_groups <= 300
    assert (table.n_pos, table.total) == (y_true.sum(), 3000)
    assert 0 < table.max_error("roc_auc") < 0.01


@looped(
    "rows, arguments, message",
    [
        ([(0, 0.5), (1, float("nan"))], {}, r"y_score.*NaN"),
        ([(0, 0.5), (1, None)], {}, r"y_score.*NaN"),
        ([(0, 0.5), (1, 0.2), (2, 0.3)], {}, "found 3 labels|pos_label=None is ambig"),
        ([(2, 0.5), (3, 0.2)], {}, "pos_label=None"),
        ([(0, 0.5)], {"y_true": "clicked"}, "y_true='clicked'"),
        ([(0, 0.5)], {"sample_weight": "w"}, "sample_weight='w'"),
    ],
)
def test_what_is_wrong_is_our_own_error(spark, rows, arguments, message):
    frame = spark.createDataFrame(rows, "label int, score double").repartition(3)
    with pytest.raises(ValueError, match=message):
        skrate.spark.rank_table(frame, **arguments)


def test_what_is_no_dataframe_and_what_is_empty_is_refused(spark):
    with pytest.raises(ValueError, match=r"dataframe.*list"):
        skrate.spark.rank_table([(0, 0.5)])
    empty = spark.createDataFrame([], "label int, score double")
    with pytest.raises(ValueError, match="y_true"):
        skrate.spark.rank_table(empty)


def test_the_example_of_the_documentation_runs(spark):
    assert doctest.testmod(skrate.spark) == doctest.TestResults(failed=0, attempted=5)
