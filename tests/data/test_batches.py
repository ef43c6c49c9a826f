"""Tables from batches: the same as from all cases at once, within their error."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from looped import looped
from skrate import RankTable
from strategies import in_parts, ranked_samples


@given(
    sample=ranked_samples(weighted=True, zero_weights=False, both_classes=False),
    sizes=st.lists(st.integers(1, 7), max_size=8),
    is_weighted=st.booleans(),
)
def test_batches_make_the_table_of_all_their_cases(sample, sizes, is_weighted):
    arrays = tuple(sample) if is_weighted else sample[:2]
    weights = sample.sample_weight if is_weighted else None
    whole = RankTable.from_arrays(*sample[:2], sample_weight=weights)
    assert RankTable.from_batches(in_parts(arrays, sizes)) == whole


def test_memory_does_not_grow_with_the_number_of_batches():
    def batches(n_batches):
        rng = np.random.default_rng(0)
        for _ in range(n_batches):
            scores = rng.normal(size=2_000)
            yield rng.random(2_000) < 0.5, scores

    peaks = []
    for n_batches in (20, 200):
        tracemalloc.start()
        RankTable.from_batches(batches(n_batches), max_groups=1_000)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def batches_with(**of_fourth):
    """Return five batches, of which the fourth has other columns."""
    found = []
    for number in range(5):
        columns = {"y_true": [1, 0, 0], "y_score": [0.1 * number, 0.2, 0.3]}
        found.append(tuple((columns | (of_fourth if number == 3 else {})).values()))
    return found


@looped(
    "of_fourth, message",
    [
        ({"y_score": [0.1, np.nan, 0.2]}, r"y_score.*NaN.*1"),
        ({"y_score": [0.1, 0.2]}, r"y_true.*3.*y_score.*2"),
        ({"y_true": [1, 2, 2]}, "2 in batch 3"),
        ({"y_true": [-1, 1, 1]}, "-1 in batch 3"),
        ({"y_true": ["a", "b", "b"]}, "'a' in batch 3, 'b' in batch 3"),
        ({"y_true": [0, 1, 2]}, r"y_true.*3"),
        ({"y_true": [], "y_score": []}, "y_true"),
        ({"weights": [1, 1, 2]}, "sample_weight"),
        ({"weights": [1, 1, 2], "groups": [1, 2, 3]}, "sample_weight"),
    ],
)
def test_what_is_wrong_names_the_batch(of_fourth, message):
    batches = iter(batches_with(**of_fourth))
    with pytest.raises(ValueError, match=rf"Batch 3 .*{message}"):
        RankTable.from_batches(batches)


@looped("batch", [np.array([0.1, 0.2]), 3, "ab", {"y_true": [1]}])
def test_a_batch_that_is_no_tuple_is_refused(batch):
    with pytest.raises(ValueError, match=r"Batch 0.*y_true.*y_score"):
        RankTable.from_batches([batch])


def test_a_batch_without_weight_is_as_if_it_were_not_there():
    with_weight = ([1, 0], [2.0, 1.0], [1, 3])
    without = ([1, 0], [5.0, 4.0], [0, 0])
    table = RankTable.from_batches([without, with_weight, without])
    assert table == RankTable([1, 0], [0, 3], [2.0, 1.0])
    with pytest.raises(ValueError, match="sample_weight"):
        RankTable.from_batches([without, without])
    with pytest.raises(ValueError, match=r"1.*y_score.*NaN"):
        RankTable.from_batches([with_weight, ([1, 0], [5.0, np.nan], [0, 0])])


def test_no_batch_is_refused():
    used = iter([])
    with pytest.raises(ValueError, match="batches"):
        RankTable.from_batches(used)
    with pytest.raises(ValueError, match="batches"):
        RankTable.from_batches(3)


def test_a_line_is_printed_at_each_compression(capsys):
    scores = np.arange(1000.0)
    labels = np.arange(1000) % 2
    batches = in_parts((labels, scores), [100] * 10)
    RankTable.from_batches(batches, max_groups=50, verbose=1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 2
    assert lines[-1] == "10 batches, weight 1000, 50 groups"
