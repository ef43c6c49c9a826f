"""Tables of frames of all engines are those of the same rows in memory."""

import sys
from datetime import date
from decimal import Decimal

import numpy as np
import pytest

import skrate.data.frames
from looped import case, looped
from metric_cases import sample
from optional import require
from skrate import RankTable

narwhals = require("narwhals")
pandas = require("pandas")

pytestmark = pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning")


def arrow(columns):
    return require("pyarrow").table(columns)


def polars_lazy(columns):
    return require("polars").LazyFrame(columns)


def duckdb(columns):
    return require("duckdb").from_arrow(arrow(columns))


def dask(columns):
    # Its dataframes need pyarrow, and say so in other words.
    require("pyarrow")
    frame = pandas.DataFrame(columns)
    return require("dask.dataframe").from_pandas(frame, npartitions=3)


def nullable_pandas(columns):
    # Old releases warn of numbers that are too large for integers.
    with np.errstate(invalid="ignore"):
        return pandas.DataFrame(columns).convert_dtypes()


ENGINES = {
    "pandas": pandas.DataFrame,
    "nullable pandas": nullable_pandas,
    "polars": lambda columns: require("polars").DataFrame(columns),
    "lazy polars": polars_lazy,
    "pyarrow": arrow,
    "duckdb": duckdb,
    "dask": dask,
}
each_engine = pytest.mark.parametrize("make", ENGINES.values(), ids=ENGINES)


@each_engine
def test_the_table_is_that_of_the_rows_to_the_bit(make):
    y_true, y_score = sample(seed=0, n=1000, decimals=2)
    weight = np.random.default_rng(1).integers(0, 4, 1000)
    y_score[:9] = [-0.0, 0.0, 5e-324, -5e-324, 1e308, -1e308, 1.0, 2.0, 0.5]
    # The other names are those of columns of our own.
    frame = make({"score": y_true == 1, "y_true": y_score, "pos": weight})
    for options in ({}, {"sample_weight": weight}):
        expected = RankTable.from_arrays(y_true, y_score, **options)
        names = {"sample_weight": "pos"} if options else {}
        table = RankTable.from_frame(frame, "score", "y_true", **names)
        for name in ("thresholds", "pos", "neg", "rates", "tpr"):
            np.testing.assert_array_equal(getattr(table, name), getattr(expected, name))
        assert table == expected
        small = RankTable.from_frame(frame, "score", "y_true", **names, max_groups=30)
        assert small == expected.compress(30)


def saturated(n=4000):
    """Return scores that are probabilities close to 0 and 1, some of them equal."""
    rng = np.random.default_rng(0)
    y_true = (rng.random(n) < 0.3).astype(float)
    y_score = 1 / (1 + np.exp(-6 * (rng.normal(size=n) + y_true)))
    return y_true, np.where(rng.random(n) < 0.2, y_score.round(2), y_score)


def almost_equal(n=4000):
    """Return scores of which a fifth is in a short interval."""
    rng = np.random.default_rng(0)
    y_true = (rng.random(n) < 0.3).astype(float)
    y_score = rng.normal(size=n) + y_true
    return y_true, np.where(rng.random(n) < 0.2, 0.7 + 1e-12 * y_score, y_score)


def heavy_tails(n=4000):
    """Return scores of both signs and many magnitudes."""
    rng = np.random.default_rng(0)
    y_true = (rng.random(n) < 0.3).astype(float)
    return y_true, rng.standard_cauchy(n) ** 9 + y_true


@each_engine
def test_many_scores_become_cells_within_their_error(make, monkeypatch):
    monkeypatch.setattr(skrate.data.frames, "_LEAST_GROUPS", 1)
    for draw in (saturated, almost_equal, heavy_tails):
        with case(draw.__name__):
            y_true, y_score = draw()
            frame = make({"label": y_true, "score": y_score})
            table = RankTable.from_frame(frame, max_groups=200)
            whole = RankTable.from_arrays(y_true, y_score)
            assert table.is_compressed
            assert 150 < table.n_groups <= 200
            assert (table.n_pos, table.n_neg) == (whole.n_pos, whole.n_neg)
            for metric in ("roc_auc", "average_precision"):
                exact = skrate.estimate(metric, whole).value
                error = table.max_error(metric)
                assert abs(skrate.estimate(metric, table).value - exact) <= error
                assert error < 1.7 * whole.compress(200).max_error(metric)


def test_cells_contain_their_scores(monkeypatch):
    monkeypatch.setattr(skrate.data.frames, "_LEAST_GROUPS", 1)
    y_true, y_score = heavy_tails()
    frame = pandas.DataFrame({"label": y_true, "score": y_score})
    # All cells before compression, which are disjoint here.
    names = {"y_true": "label", "y_score": "score"}
    monkeypatch.setattr(skrate.data.frames, "compressed", lambda cells, _: cells)
    cells = skrate.data.frames.frame_cells(frame, names, 200)
    keys = skrate.data.compressed.encode_scores(y_score)
    ends = np.sort(keys)
    n_within = ends.searchsorted(cells.highest, "right") - ends.searchsorted(
        cells.lowest
    )
    np.testing.assert_array_equal(n_within, cells.pos + cells.neg)


def test_scores_that_no_place_separates_are_refused(monkeypatch):
    monkeypatch.setattr(skrate.data.frames, "_LEAST_GROUPS", 1)
    monkeypatch.setattr(skrate.data.frames, "_MANTISSA_BITS", 12)
    y_true, y_score = almost_equal()
    frame = pandas.DataFrame({"label": y_true, "score": y_score})
    with pytest.raises(ValueError, match=r"almost equal.*from_batches"):
        RankTable.from_frame(frame, max_groups=200)


NAN, INF = float("nan"), float("inf")
GOOD = {"label": [0, 1, 0], "score": [0.1, 0.5, 0.9], "weight": [1.0, 2.0, 0.0]}


@each_engine
@looped(
    "column, values, message",
    [
        *(("label", [0.0, bad, 1.0], r"y_true.* 1 missing") for bad in (NAN, INF)),
        *(
            ("score", [0.0, bad, 1.0], r"y_score.* 1 missing")
            for bad in (NAN, INF, -INF)
        ),
        *(("weight", [0.0, bad, 1.0], r"weight.* 1 missing") for bad in (NAN, INF)),
        *(("label", bad, "y_true must hold") for bad in ([0, 1, 2], [0, 1, -1])),
        *(("label", bad, "y_true must hold") for bad in ([0.0, 0.5, 1.0], [2, 3, 2])),
        ("label", ["no", "yes", "no"], r"y_true.*dtype String"),
        ("score", ["1", "2", "3"], r"y_score.*dtype String"),
        ("score", [Decimal(1), Decimal(2), Decimal(4)], r"y_score.*dtype"),
        ("score", [date(2020, 1, 1)] * 3, r"y_score.*dtype"),
        ("score", [1, 2, 2**53 + 1], "y_score holds the integer 9007199254740993"),
        ("score", [1, 2, -(2**53) - 1], "y_score holds the integer"),
        ("weight", [1, -1, 1], r"sample_weight.*negative"),
        ("weight", [0, 0, 0], "sample_weight is zero"),
        ("weight", [1.0, 1e-300, 1.0], "sample_weight holds 1e-300"),
    ],
)
def test_what_is_wrong_is_the_same_error(make, column, values, message):
    frame = make(GOOD | {column: values})
    with pytest.raises(ValueError, match=message):
        RankTable.from_frame(frame, sample_weight="weight")


@each_engine
def test_missing_values_and_no_rows_are_refused(make):
    missing = {"label": [0, 1, None], "score": [0.1, 0.5, None]}
    frame = make({"label": [0, 1, 1], "score": missing["score"]})
    with pytest.raises(ValueError, match=r"y_score contains 1 missing.*'score'"):
        RankTable.from_frame(frame)
    frame = make({"label": missing["label"], "score": [1, 2, 3]})
    with pytest.raises(ValueError, match=r"y_true contains 1 missing.*'label'"):
        RankTable.from_frame(frame)
    empty = make({"label": np.empty(0), "score": np.empty(0)})
    with pytest.raises(ValueError, match="frame is empty"):
        RankTable.from_frame(empty)


@looped(
    "frame, names, message",
    [
        ([(0, 0.5)], {}, r"frame must be a data frame.*list"),
        (pandas.DataFrame(GOOD), {"y_true": "y"}, r"y_true='y'.*'label', 'score'"),
        (pandas.DataFrame(GOOD), {"sample_weight": 3}, "sample_weight=3"),
        (pandas.DataFrame(GOOD), {"max_groups": 0}, "max_groups"),
        (pandas.DataFrame(GOOD)["score"], {}, r"frame must be a data frame.*Series"),
    ],
)
def test_arguments_are_checked(frame, names, message):
    with pytest.raises(ValueError, match=message):
        RankTable.from_frame(frame, **names)


def test_a_frame_that_changes_is_refused(monkeypatch):
    probe = skrate.data.frames._probe
    monkeypatch.setattr(
        skrate.data.frames, "_probe", lambda rows: probe(rows.head(2)) | {"n_hashed": 1}
    )
    with pytest.raises(ValueError, match=r"2 rows .* 3 in the last: persist"):
        RankTable.from_frame(pandas.DataFrame(GOOD))


def test_predicted_classes_are_warned_of():
    frame = pandas.DataFrame({"label": [0, 1] * 6, "score": [0, 1, 1] * 4})
    with pytest.warns(UserWarning, match="predicted classes"):
        table = RankTable.from_frame(frame)
    assert table.thresholds.tolist() == [1, 0]
    # Probabilities of a tree may be 0 and 1.
    RankTable.from_frame(frame.astype(float))


def test_the_extra_is_named_where_narwhals_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals.stable.v2", None)
    with pytest.raises(ImportError, match=r"2\.10 or newer: .*scikit-rate\[frames\]"):
        RankTable.from_frame(pandas.DataFrame(GOOD))


def test_the_oldest_narwhals_is_named(monkeypatch):
    monkeypatch.setattr(skrate.data.frames, "version", lambda _: "2.9.1")
    with pytest.raises(ImportError, match=r"2\.10 or newer, got 2\.9\.1: pip"):
        RankTable.from_frame(pandas.DataFrame(GOOD))


def test_labels_of_other_kinds_are_told_how_to_become_booleans():
    frame = pandas.DataFrame(GOOD | {"label": pandas.Categorical(["a", "b", "a"])})
    with pytest.raises(ValueError, match=r"Categorical.*frame\['label'\] == 'yes'"):
        RankTable.from_frame(frame)
    frame = pandas.DataFrame(GOOD | {"label": [1, 2, 1]})
    with pytest.raises(ValueError, match=r"frame\['label'\] == 2 gives"):
        RankTable.from_frame(frame)
