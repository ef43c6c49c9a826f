"""Tables of Dask collections are those of the same arrays in memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import skrate
import skrate.dask
from metric_cases import sample
from optional import require
from skrate import RankTable, rates
from skrate.metrics import momentum
from skrate.metrics.base import find_metric

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
    assert skrate.dask.rank_table(*arrays[:2]) == expected
    assert skrate.dask.rank_table(*arrays[:2], exact=True).table() == expected
    weighted = RankTable.from_arrays(y_true, y_score, sample_weight=weight)
    assert skrate.dask.rank_table(*arrays) == weighted
    ranges = skrate.dask.rank_table(*arrays, exact=True)
    assert ranges.table() == weighted
    assert ranges.n_groups == weighted.n_groups
    assert ranges.n_cases == np.count_nonzero(weight)
    assert (ranges.n_pos, ranges.n_neg) == (weighted.n_pos, weighted.n_neg)
    assert 2 < ranges.n_partitions <= 44


def test_tables_are_compressed_on_the_way_within_their_error():
    y_true, y_score = sample(seed=0, n=20_000, decimals=9)
    arrays = [da.from_array(array, chunks=700) for array in (y_true, y_score)]
    table = skrate.dask.rank_table(*arrays, max_groups=500)
    assert table.is_compressed
    assert 100 < table.n_groups <= 500
    assert (table.n_pos, table.total) == (y_true.sum(), 20_000)
    for metric, kwargs in (
        ("roc_auc", {}),
        (skrate.expected_recall_score, {"rate": 0.01}),
    ):
        error = table.max_error(metric, **kwargs)
        exact = skrate.dask.rank_table(*arrays, exact=True).score(metric, **kwargs)
        found = find_metric(metric, kwargs).value(table)
        assert 0 < abs(found - exact) <= error < 0.02
    one_chunk = [array.rechunk(-1) for array in arrays]
    assert skrate.dask.rank_table(*one_chunk, max_groups=500).n_groups <= 500
    with pytest.raises(ValueError, match="max_groups must be an integer >= 1"):
        skrate.dask.rank_table(*arrays, max_groups=0)


def test_labels_may_be_strings_and_a_chunk_may_hold_one_class():
    y_true, y_score, _ = cases()
    order = np.argsort(y_true)
    named = np.array(["no", "yes"])[y_true[order]]
    arrays = [da.from_array(array, chunks=300) for array in (named, y_score[order])]
    table = skrate.dask.rank_table(*arrays, pos_label="yes")
    assert table == RankTable.from_arrays(y_true, y_score)
    with pytest.raises(ValueError, match="pos_label=None is ambiguous"):
        skrate.dask.rank_table(*arrays)


def test_arrays_are_cut_as_the_scores_are():
    y_true, y_score, weight = cases()
    table = skrate.dask.rank_table(
        da.from_array(y_true, chunks=400),
        da.from_array(y_score, chunks=300),
        da.from_array(weight, chunks=N),
    )
    assert table == RankTable.from_arrays(y_true, y_score, sample_weight=weight)


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
    with pytest.raises(
        ValueError, match=r"y_true has 2, y_score has 4.*of y_score are"
    ):
        skrate.dask.rank_table(other, unknown)
    with pytest.raises(ValueError, match=r"chunk \d: Unequal numbers of cases: y_true"):
        skrate.dask.rank_table(da.from_array(y_true, chunks=250), unknown)
    with pytest.raises(ValueError, match="y_true has 1000, y_score has 999"):
        skrate.dask.rank_table(other, score[1:])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], None), "y_true must be a one-dimensional Dask array.*found list"),
        ((None, np.ones(4)), "y_score must be a one-dimensional.*found ndarray"),
        ((None, "two columns"), r"with 2 dimensions; .* such as y_score\[:, 1\]"),
        ((None, None, [1] * 4), "sample_weight must be a one-dimensional"),
    ],
)
def test_what_is_no_column_is_refused_by_name(arguments, message):
    usual = [da.from_array([0, 1, 0, 1], chunks=2), da.ones(4, chunks=2)]
    given = [
        usual[i] if argument is None else argument
        for i, argument in enumerate(arguments)
    ]
    if given[1] is arguments[1] and isinstance(given[1], str):
        given[1] = da.ones((4, 2), chunks=2)
    with pytest.raises(ValueError, match=message):
        skrate.dask.rank_table(*given)


@pytest.mark.parametrize("exact", [False, True])
def test_what_is_wrong_in_a_chunk_or_between_chunks_is_raised(exact):
    score = da.from_array(np.arange(6.0), chunks=2)
    labels = da.from_array([0, 1, 1, 0, 0, 2], chunks=2)
    with pytest.raises(ValueError, match=r"found 3 labels.* 2 in chunk 2"):
        skrate.dask.rank_table(labels, score, exact=exact, pos_label=0)
    labels = da.from_array([0, 1, 1, 0, 0, 1], chunks=2)
    with pytest.raises(ValueError, match="chunk 1: y_score contains NaN"):
        skrate.dask.rank_table(labels, da.where(score == 3, np.nan, score), exact=exact)
    with pytest.raises(ValueError, match="sample_weight is zero for every case"):
        skrate.dask.rank_table(labels, score, da.zeros(6, chunks=2), exact=exact)
    none = score[score > 9]
    with pytest.raises(ValueError, match="y_true is empty"):
        skrate.dask.rank_table(none.astype(int), none, exact=exact)


def test_columns_of_a_dataframe_are_taken_by_partition():
    y_true, y_score, weight = cases()
    frame = as_frame(y=y_true, s=y_score, w=weight)
    expected = RankTable.from_arrays(y_true, y_score, sample_weight=weight)
    columns = [frame[name] for name in "ysw"]
    assert skrate.dask.rank_table(*columns) == expected
    assert skrate.dask.rank_table(*columns, exact=True).table() == expected
    # A filter leaves partitions empty, and the index begins anywhere.
    kept = frame[(frame.index >= 500) & (frame.s > 0)]
    chosen = (np.arange(N) >= 500) & (y_score > 0)
    table = skrate.dask.rank_table(kept.y, kept.s)
    assert table == RankTable.from_arrays(y_true[chosen], y_score[chosen])


def test_columns_that_cannot_be_aligned_are_refused_by_name():
    y_true, y_score, _ = cases()
    frame, other = as_frame(y=y_true), as_frame(s=y_score, npartitions=3)
    with pytest.raises(ValueError, match="y_true has 7, y_score has 3 partitions"):
        skrate.dask.rank_table(frame.y, other.s)
    pandas = require("pandas")
    shifted = pandas.DataFrame({"s": y_score}, index=np.arange(N) + 5)
    other = require("dask.dataframe").from_pandas(shifted, npartitions=7)
    with pytest.raises(ValueError, match="different partitions or divisions"):
        skrate.dask.rank_table(frame.y, other.s)
    with pytest.raises(
        ValueError, match=r"y_true is a column.*y_score is a Dask array"
    ):
        skrate.dask.rank_table(frame.y, other.s.to_dask_array(lengths=True))
    for given in ((frame, other.s), (frame, "y", "s")):
        with pytest.raises(
            ValueError, match=r'y_true is a dataframe: .*rank_table\(frame\["label"\], '
        ):
            skrate.dask.rank_table(*given)


@pytest.mark.parametrize("n_chunks", [None, 3])
def test_columns_of_parquet_become_arrays_as_the_message_says(tmp_path, n_chunks):
    require("pyarrow")
    y_true, y_score, _ = cases()
    # Of columns left unread, there are fewer partitions than files.
    for i, rows in enumerate(np.array_split(np.arange(N), 4)):
        columns = {"y": y_true[rows], "unused": y_score[rows]}
        require("pandas").DataFrame(columns).to_parquet(tmp_path / f"{i}.parquet")
    column = require("dask.dataframe").read_parquet(tmp_path)["y"]
    sizes = column.map_partitions(len).compute()
    chunks = -(-N // n_chunks) if n_chunks else (tuple(sizes),)
    scores = da.from_array(y_score, chunks=chunks)
    with pytest.raises(ValueError, match=r"by \.values, or \.values\.compute_chunk_si"):
        skrate.dask.rank_table(column, scores)
    array = column.values.compute_chunk_sizes() if n_chunks else column.values
    table = skrate.dask.rank_table(array, scores)
    assert table == RankTable.from_arrays(y_true, y_score)


def test_the_table_can_be_computed_later():
    y_true, y_score, _ = cases()
    arrays = [da.from_array(array, chunks=300) for array in (y_true, y_score)]
    lazy = skrate.dask.rank_table(*arrays, compute=False)
    assert dask.is_dask_collection(lazy)
    assert lazy.compute() == RankTable.from_arrays(y_true, y_score)
    with pytest.raises(ValueError, match="exclude each other"):
        skrate.dask.rank_table(*arrays, compute=False, exact=True)


SUMS = [
    (skrate.rate_weighted_auc_score, {}),
    (skrate.rate_weighted_auc_score, {"rate": rates.beta(3, 97)}),
    (skrate.rate_weighted_auc_score, {"rate": rates.beta(97, 3)}),
    (skrate.expected_recall_score, {"rate": 0.0123}),
    (skrate.negative_recall_score, {"rate": rates.exponential(0.1)}),
    (skrate.average_precision_score, {}),
    (skrate.average_precision_score, {"adjusted": True}),
    (skrate.average_precision_score, {"prevalence": 0.5}),
    (skrate.average_precision_score, {"prevalence": 0.2, "tail": "empirical"}),
    (skrate.recall_at_rate_score, {"rate": 0.01}),
    (skrate.precision_at_rate_score, {"rate": 0.5}),
    (skrate.expected_gain_score, {"gain": {"positive": 7, "negative": -2}}),
    (skrate.expected_gain_score, {"gain": {"positive": 7}, "normalize": True}),
]


@pytest.mark.parametrize(("metric", "kwargs"), SUMS)
@pytest.mark.parametrize("weighted", [False, True])
def test_values_by_ranges_are_those_in_memory(metric, kwargs, weighted):
    y_true, y_score, weight = cases()
    # Most scores are distinct; some tie across chunks.
    y_score[::2] += np.random.default_rng(3).random(N // 2) / 100
    data = (y_true, y_score, weight) if weighted else (y_true, y_score)
    arrays = [da.from_array(array, chunks=150) for array in data]
    value = skrate.dask.rank_table(*arrays, exact=True).score(metric, **kwargs)
    weights = {"sample_weight": weight} if weighted else {}
    expected = metric(y_true, y_score, **kwargs, **weights)
    assert_allclose(value, expected, rtol=1e-13, atol=1e-13)


def test_a_number_of_cases_is_a_rate():
    y_true, y_score, weight = cases()
    arrays = [da.from_array(a, chunks=150) for a in (y_true, y_score, weight)]
    ranges = skrate.dask.rank_table(*arrays[:2], exact=True)
    expected = skrate.recall_at_rate_score(y_true, y_score, k=77)
    value = ranges.score(skrate.recall_at_rate_score, k=77)
    assert_allclose(value, expected, rtol=1e-13)
    weighted = skrate.dask.rank_table(*arrays, exact=True)
    with pytest.raises(ValueError, match="leaves without a meaning"):
        weighted.score(skrate.recall_at_rate_score, k=77)


def test_what_is_no_sum_is_refused_and_what_is_undefined_is_nan():
    y_true, y_score, _ = cases()
    arrays = [da.from_array(a, chunks=300) for a in (y_true, y_score)]
    ranges = skrate.dask.rank_table(*arrays, exact=True)
    with pytest.raises(ValueError, match="Momentum is not a sum over groups"):
        ranges.score(momentum.momentum_score)
    with pytest.raises(ValueError, match="Average precision is not a sum over groups"):
        ranges.score(skrate.average_precision_score, prevalence=0.01)
    of_one = skrate.dask.rank_table(0 * arrays[0], arrays[1], exact=True)
    with pytest.warns(match="AUC is undefined: y_true holds no positive case"):
        assert np.isnan(of_one.score("roc_auc"))


def literal_values(y_true, y_score):
    """Return AUC, AP and expected recall under an exponential rate, by numpy.

    Of scores that do not tie; the mean of the survival function of the rate over each
    case's place is integrated by hand.
    """
    is_pos = y_true[np.argsort(-y_score)] == 1
    n, n_pos = len(is_pos), is_pos.sum()
    places = np.flatnonzero(is_pos)
    found = np.arange(1, n_pos + 1)
    n_above = (places + 1 - found).sum(dtype=object)
    auc = 1 - int(n_above) / (int(n_pos) * int(n - n_pos))
    precision = (found / (places + 1)).mean(dtype=np.longdouble)
    start, end = places / n, (places + 1) / n
    cell = -np.exp(-20 * start) * np.expm1(-20 * (end - start)) / 20 * n
    return auc, float(precision), cell.mean(dtype=np.longdouble)


@pytest.mark.parametrize("n", [20_000, pytest.param(10**7, marks=pytest.mark.slow)])
def test_distinct_scores_give_what_numpy_gives(n):
    generator = np.random.default_rng(0)
    y_true = (generator.random(n) < 0.05).astype(np.int8)
    y_score = generator.normal(size=n) + y_true
    assert len(np.unique(y_score)) == n
    arrays = [da.from_array(array, chunks=n // 20) for array in (y_true, y_score)]
    with dask.config.set(scheduler="threads", num_workers=1):
        ranges = skrate.dask.rank_table(*arrays, exact=True)
        assert (ranges.n_groups, ranges.n_partitions) == (n, 20)
        exponential = rates.exponential(20)
        found = [
            ranges.score("roc_auc"),
            ranges.score("average_precision"),
            ranges.score(skrate.expected_recall_score, rate=exponential),
        ]
    assert_allclose(found, literal_values(y_true, y_score), rtol=0, atol=1e-12)


def test_ranges_given_in_place_of_a_table_are_named():
    y_true, y_score, _ = cases()
    chunks = [da.from_array(array, chunks=500) for array in (y_true, y_score)]
    ranges = skrate.dask.rank_table(*chunks, exact=True)
    message = r"y_score is missing: .*RankPartitions, which has \.score\(metric\) and"
    with pytest.raises(ValueError, match=message):
        skrate.average_precision_score(ranges)
    with pytest.raises(ValueError, match=message):
        skrate.estimate("roc_auc", ranges)
    with pytest.raises(ValueError, match="sample_weight must be left out: a table"):
        ranges.score("roc_auc", sample_weight=[1])
