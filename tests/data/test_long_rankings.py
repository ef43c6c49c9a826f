"""The order of long rankings, which is found by sorting keys in place of an index."""

import numpy as np

from looped import looped
from skrate import RankTable
from skrate.data.ranking import ranked_labels, ranking

N = 5_000
RNG = np.random.default_rng(5)
NORMAL = RNG.normal(size=N)
SCORES = {
    "float64": NORMAL,
    "ties": np.round(NORMAL, 1),
    "float32": NORMAL.astype(np.float32),
    "float16": NORMAL.astype(np.float16),
    "long double": NORMAL.astype(np.longdouble),
    "neighbours of 1": 1 + RNG.integers(-3, 4, N) * np.finfo(np.float64).eps,
    "neighbours of -1": -1 + RNG.integers(-3, 4, N) * np.finfo(np.float64).eps,
    "neighbours in 32 bits": (3 + RNG.integers(-3, 4, N) * 2.0**-22).astype("f4"),
    "zeros of both signs": RNG.choice([0.0, -0.0, 1.0, -1.0], N),
    "least numbers": RNG.integers(-9, 10, N) * 5e-324,
    "least numbers beside large ones": RNG.choice([5e-324, 1e-323, 1e300, -1e300], N),
    "greatest numbers": RNG.choice([1.7e308, -1.7e308, 1e308, 0.5], N),
    "greatest of 32 bits": RNG.choice([3.4e38, -3.4e38, 1e-45, 2.0], N).astype("f4"),
    "some neighbours": np.append(NORMAL[99:], 1 + RNG.integers(-9, 9, 99) * 2.0**-52),
    "far from most": np.append(1e-9 * NORMAL[1:], 1e9),
    "all equal": np.full(N, 0.3),
    "int8": RNG.integers(-128, 128, N).astype(np.int8),
    "int64": RNG.integers(-(2**63), 2**63 - 1, N),
    "int64 wider than floats": np.append(0, 2**53 + 1 + RNG.integers(0, 3, N - 1)),
    "close int64": 2**62 + RNG.integers(-3, 4, N),
    "uint64": RNG.integers(0, 2**64 - 1, N, dtype=np.uint64),
    "close uint64": np.uint64(2**63) + RNG.integers(0, 9, N).astype(np.uint64),
}  # fmt: skip


@looped("name", SCORES)
def test_keys_order_as_the_scores_do(name):
    scores = SCORES[name]
    is_pos = RNG.random(N) < 0.3
    # By Python's own comparisons, equal ones in the order in which they were given.
    expected = sorted(range(N), key=scores.tolist().__getitem__, reverse=True)
    if scores.dtype == np.longdouble:
        expected = sorted(range(N), key=scores.__getitem__, reverse=True)
    ranked = scores[expected]
    new = np.append(True, ranked[1:] != ranked[:-1])
    order, begins = ranking(scores)
    assert order.tolist() == expected
    assert np.array_equal(begins, new)
    labels, begins = ranked_labels(scores, is_pos)
    assert np.array_equal(begins, new)
    starts = np.flatnonzero(new)
    found, known = (
        np.add.reduceat(x.astype(int), starts) for x in (labels, is_pos[order])
    )
    assert np.array_equal(found, known)
    table = RankTable.from_arrays(is_pos, scores)
    assert np.array_equal(table.pos, known)
    assert np.array_equal(table.thresholds, ranked[starts])
