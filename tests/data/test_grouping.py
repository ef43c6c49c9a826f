"""List labels become codes, whatever they are; sums within segments are exact."""

import datetime
import math
from collections import deque
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from looped import looped
from skrate.data.ranking import check_groups, segment_cumsum

LABELS = {
    "integers": [3, 1, 3, 0],
    "negative": [-3, -1, -3, -(2**40)],
    "extremes": np.array([2**63 - 1, -(2**63), 2**63 - 1, 0]),
    "bytes": np.array([127, -128, 127, 0], dtype=np.int8),
    "unsigned": np.array([2**64 - 1, 0, 2**64 - 1, 5], dtype=np.uint64),
    "high unsigned": np.array([2**64 - 1, 2**64 - 3, 2**64 - 1, 2**64 - 2], np.uint64),
    "big-endian": np.array([3, 1, 3, 0], dtype=">i4"),
    "booleans": [True, False, True, False],
    "floats": [0.5, -0.5, 0.5, 1e300],
    "strings": ["b", "a", "b", "list 10"],
    "objects": np.array(["b", "a", "b", "list 10"], dtype=object),
    "tuples": [("b", 1), ("a", 2), ("b", 1), ("a", 1)],
    "dates": np.array(["2020-01-02", "2020-01-01"] * 2, dtype="datetime64[D]"),
    "date objects": np.array(
        [datetime.date(2020, 1, 2), datetime.date(2020, 1, 1)] * 2, dtype=object
    ),
}


@looped("kind", LABELS)
def test_codes_point_at_the_labels(kind):
    labels = LABELS[kind]
    if kind == "tuples":
        labels = np.empty(4, dtype=object)
        labels[:] = LABELS[kind]
    grouping = check_groups("groups", labels)
    assert grouping.labels[grouping.codes].tolist() == np.asarray(labels).tolist()
    assert grouping.labels.tolist() == sorted(set(np.asarray(labels).tolist()))
    assert np.array_equal(grouping.sizes, np.bincount(grouping.codes))


def test_strings_of_numpy_2_and_their_missing_values():
    if not hasattr(np.dtypes, "StringDType"):
        pytest.skip("needs the strings of variable width of numpy 2")
    dtype = np.dtypes.StringDType(na_object=math.nan)
    grouping = check_groups("groups", np.array(["b", "a", "b"], dtype=dtype))
    assert grouping.labels[grouping.codes].tolist() == ["b", "a", "b"]
    with pytest.raises(ValueError, match=r"groups.*NaN.*1"):
        check_groups("groups", np.array(["a", math.nan], dtype=dtype))


HIGH = 2**60
MIXED = {
    "unsigned and negative": [2**63, 2**63 + 1, -1],
    "integers and floats": [HIGH, HIGH + 1, 2.5],
    "more than 64 bits": [2**70, 2**70 + 1, 2.5],
    "a boolean": [True, HIGH, HIGH + 1, 0.5],
    "infinity": [math.inf, HIGH, HIGH + 1],
    "scalars of numpy": [np.uint64(2**63), np.uint64(2**63 + 1), np.int64(-1)],
    "scalars and a float": [np.int64(HIGH), np.int64(HIGH + 1), np.float64(0.5)],
    "decimals": [Decimal(HIGH) + Decimal("0.1"), Decimal(HIGH), HIGH + 1, 0.1],
    "fractions": [Fraction(1, 3), 1 / 3, HIGH, HIGH + 1],
    "ends of strings": ["a", "b", "a\0"],
    "ends of bytes": [b"a", b"b", b"a\0"],
}
CONTAINERS = {
    "list": list,
    "deque": deque,
    "column": lambda labels: [[label] for label in labels],
    "objects": partial(np.array, dtype=object),
}


@looped("container", CONTAINERS)
@looped("kind", MIXED)
def test_labels_that_are_not_equal_stay_apart(kind, container):
    ids = MIXED[kind]
    for distinct in (ids, ids[::-1]):
        labels = [*distinct, *ids]
        grouping = check_groups("groups", CONTAINERS[container](labels))
        assert len(grouping.labels) == len(ids)
        assert grouping.labels[grouping.codes].tolist() == labels


@looped("is_whole", [True, False])
def test_segments_are_summed_alone(is_whole):
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 20, 40)
    starts = np.cumsum(sizes) - sizes
    values = rng.integers(0, 9, sizes.sum()).astype(float)
    if not is_whole:
        # Each segment has weights of another size.
        values = rng.random(len(values)) * np.repeat(
            10.0 ** rng.integers(-9, 9, 40), sizes
        )
    sums = segment_cumsum(values, starts)
    for start, size in zip(starts, sizes, strict=True):
        exact = Fraction(0)
        for row in range(start, start + size):
            exact += Fraction(values[row])
            assert abs(Fraction(sums[row]) - exact) <= exact * Fraction(1, 10**15)
