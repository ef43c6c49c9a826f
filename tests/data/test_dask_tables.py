"""Tables of Dask collections are those of the same arrays in memory."""

import numpy as np
import pytest

import skrate
import skrate.dask
from looped import looped
from metric_cases import sample
from optional import require
from skrate import RankTable

dask = require("dask")
da = require("dask.array")

N = 1000


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def cases(seed=0):
    """Return labels, scores with ties and weights, some of them zero."""
    y_true, y_score = sample(seed, n=N, decimals=2)
    weight = np.random.default_rng(seed + 1).integers(0, 4, N) / 2
    return y_true, y_score, weight


def as_frame(npartitions=7, **columns):
    # Its dataframes need both, and say so in other words.
    pandas, _ = require("pandas"), require("pyarrow")
    dd = require("dask.dataframe")
    return dd.from_pandas(pandas.DataFrame(columns), npartitions=npartitions)


def test_the_table_of_chunks_is_that_of_all():
    # More chunks than a node of the tree takes, and tables of all sizes.
    y_true, y_score, weight = cases()
    arrays = [da.from_array(array, chunks=23) for array in (y_true, y_score, weight)]
    expected = RankTable.from_arrays(y_true, y_score)
    assert skrate.dask.rank_table(*arrays[:2], max_groups=N) == expected
    lazy = skrate.dask.rank_table(*arrays[:2], compute=False)
    assert dask.is_dask_collection(lazy)
    assert lazy.compute() == expected
    weighted = RankTable.from_arrays(y_true, y_score, sample_weight=weight)
    assert skrate.dask.rank_table(*arrays) == weighted
    # Arrays are cut as the scores are.
    chunks = zip((y_true, y_score, weight), (400, 300, N), strict=True)
    arrays = [da.from_array(array, chunks=size) for array, size in chunks]
    assert skrate.dask.rank_table(*arrays) == weighted


def test_tables_are_compressed_on_the_way_within_their_error():
    y_true, y_score = sample(seed=0, n=20_000, decimals=9)
    arrays = [da.from_array(array, chunks=700) for array in (y_true, y_score)]
    table = skrate.dask.rank_table(*arrays, max_groups=500)
    assert table.is_compressed
    assert 100 < table.n_groups <= 500
    assert (table.n_pos, table.total) == (y_true.sum(), 20_000)
    error = table.max_error("roc_auc")
    exact = skrate.estimate("roc_auc", y_true, y_score).value
    assert 0 < abs(skrate.estimate("roc_auc", table).value - exact) <= error < 0.02
    one_chunk = [array.rechunk(-1) for array in arrays]
    assert skrate.dask.rank_table(*one_chunk, max_groups=500).n_groups <= 500
    with pytest.raises(ValueError, match=r"max_groups.*1"):
        skrate.dask.rank_table(*arrays, max_groups=0)


def test_chunks_of_unknown_sizes_are_taken_in_pairs():
    y_true, y_score, _ = cases()
    kept = y_score > 0.3
    kept[250:500] = False  # A chunk that the filter leaves empty.
    lazy = [da.from_array(a, chunks=250)[kept] for a in (y_true, y_score)]
    mask = da.from_array(kept, chunks=250)
    unknown = [da.from_array(a, chunks=250)[mask] for a in (y_true, y_score)]
    expected = RankTable.from_arrays(y_true[kept], y_score[kept])
    for arrays in (lazy, unknown, [lazy[0].rechunk(unknown[1].numblocks[0]), lazy[1]]):
        assert skrate.dask.rank_table(*arrays) == expected


def test_chunks_that_cannot_be_aligned_are_refused_by_name():
    y_true, y_score, _ = cases()
    other = da.from_array(y_true, chunks=500)
    score = da.from_array(y_score, chunks=250)
    unknown = score[score > 0]
    with pytest.raises(ValueError, match=r"y_true.*2.*y_score.*4.*y_score"):
        skrate.dask.rank_table(other, unknown)
    with pytest.raises(ValueError, match="y_true"):
        skrate.dask.rank_table(da.from_array(y_true, chunks=250), unknown)
    with pytest.raises(ValueError, match=r"y_true.*1000.*y_score.*999"):
        skrate.dask.rank_table(other, score[1:])


@looped(
    "place, value, message",
    [
        (0, [0, 1], "y_true"),
        (1, np.ones(4), "y_score"),
        (1, da.ones((4, 2)), r"2.*y_score.*1"),
        (2, [1] * 4, "sample_weight"),
    ],
)
def test_what_is_no_column_is_refused_by_name(place, value, message):
    given = [da.from_array([0, 1, 0, 1], chunks=2), *[da.ones(4, chunks=2)] * 2]
    given[place] = value
    with pytest.raises(ValueError, match=message):
        skrate.dask.rank_table(*given)


def test_what_is_wrong_in_a_chunk_or_between_chunks_is_raised():
    score = da.from_array(np.arange(6.0), chunks=2)
    labels = da.from_array([0, 1, 1, 0, 0, 2], chunks=2)
    with pytest.raises(ValueError, match=r"3.*2.*2"):
        skrate.dask.rank_table(labels, score, pos_label=0)
    labels = da.from_array([0, 1, 1, 0, 0, 1], chunks=2)
    with pytest.raises(ValueError, match=r"1.*y_score.*NaN"):
        skrate.dask.rank_table(labels, da.where(score == 3, np.nan, score))
    with pytest.raises(ValueError, match="sample_weight"):
        skrate.dask.rank_table(labels, score, da.zeros(6, chunks=2))
    none = score[score > 9]
    with pytest.raises(ValueError, match="y_true"):
        skrate.dask.rank_table(none.astype(int), none)


def test_columns_of_a_dataframe_are_taken_by_partition():
    y_true, y_score, weight = cases()
    frame = as_frame(y=y_true, s=y_score, w=weight)
    expected = RankTable.from_arrays(y_true, y_score, sample_weight=weight)
    columns = [frame[name] for name in "ysw"]
    assert skrate.dask.rank_table(*columns) == expected
    # A filter leaves partitions empty, and the index begins anywhere.
    kept = frame[(frame.index >= 500) & (frame.s > 0)]
    chosen = (np.arange(N) >= 500) & (y_score > 0)
    table = skrate.dask.rank_table(kept.y, kept.s)
    assert table == RankTable.from_arrays(y_true[chosen], y_score[chosen])


def test_columns_that_cannot_be_aligned_are_refused_by_name():
    y_true, y_score, _ = cases()
    frame, other = as_frame(y=y_true), as_frame(s=y_score, npartitions=3)
    with pytest.raises(ValueError, match=r"y_true.*7.*y_score.*3"):
        skrate.dask.rank_table(frame.y, other.s)
    pandas = require("pandas")
    shifted = pandas.DataFrame({"s": y_score}, index=np.arange(N) + 5)
    other = require("dask.dataframe").from_pandas(shifted, npartitions=7)
    with pytest.raises(ValueError, match="partitions"):
        skrate.dask.rank_table(frame.y, other.s)
    with pytest.raises(ValueError, match=r"y_true.*y_score"):
        skrate.dask.rank_table(frame.y, other.s.to_dask_array(lengths=True))
    for given in ((frame, other.s), (frame, "y", "s")):
        with pytest.raises(ValueError, match=r"y_true.*rank_table"):
            skrate.dask.rank_table(*given)
