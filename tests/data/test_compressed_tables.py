"""Tables that were compressed: their cells, how far they are off, how they add."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from looped import looped
from metric_registry import METRICS
from skrate import RankTable, average_precision_score, recall_at_rate_score
from skrate.data.compressed import decode_scores, encode_scores
from skrate.metrics.metric import METRICS as KNOWN
from skrate.metrics.metric import find_metric
from skrate.metrics.momentum import momentum_score, stamina_score

OF_TABLES = [case for case in METRICS if case.function in KNOWN]


def key_by_hand(score):
    """Return the place of a float among all floats, in Python's integers."""
    bits = int(np.float64(score + 0.0).view(np.uint64))
    return 2**64 - 1 - bits if bits >= 2**63 else bits + 2**63


def spans(table):
    """Return the least and the greatest key of each group, the best group first."""
    cells = table.cells
    found = []
    for key, shift in zip(cells.keys.tolist(), cells.shifts.tolist(), strict=True):
        low = (key >> shift) << shift
        found.append((low, low + 2**shift - 1))
    return found[::-1]


def labelled(seed, n=300, prevalence=0.3, decimals=None):
    """Return labels, and scores on both sides of 0, some of them next to it."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < prevalence
    y_true[:2] = True, False
    scores = rng.normal(size=n) * rng.choice([1, 1e-3, 1e-150], size=n) + y_true
    return y_true, scores if decimals is None else scores.round(decimals)


@looped("seed", range(20))
@looped("max_groups", [1, 2, 3, 7, 20, 100])
def test_groups_are_cells_of_one_grid_that_hold_their_cases(seed, max_groups):
    y_true, scores = labelled(seed)
    table = RankTable.from_arrays(y_true, scores).compress(max_groups)
    assert max_groups / 3 <= table.n_groups <= max_groups
    keys = np.array([key_by_hand(score) for score in scores], dtype=object)
    found = spans(table)
    for (low, high), pos, neg in zip(found, table.pos, table.neg, strict=True):
        size = high - low + 1
        assert size & (size - 1) == 0
        assert low % size == 0
        is_inside = (keys >= low) & (keys <= high)
        assert (pos, neg) == (sum(is_inside & y_true), sum(is_inside & ~y_true))
    # Cells of one table do not overlap.
    assert all(above[0] > below[1] for above, below in pairwise(found))
    assert table.is_compressed
    assert (np.diff(table.thresholds) < 0).all()


def test_what_has_few_groups_stays_as_it_is():
    table = RankTable.from_arrays(*labelled(0, decimals=1))
    assert table.compress(table.n_groups) is table
    assert table.compress() is table
    assert not table.is_compressed
    assert table.max_error("roc_auc") == 0


def placed(table, rng, how):
    """Return cases with scores anywhere within the cells of a table."""
    labels, keys, weights = [], [], []
    for (low, high), pos, neg in zip(spans(table), table.pos, table.neg, strict=True):
        for label, weight in ((1, pos), (0, neg)):
            n_samples = 1 if low == high or how == "tied" else int(weight)
            for case in range(n_samples if weight else 0):
                place = rng.choice(
                    [
                        low,
                        high,
                        int(rng.integers(low, high, endpoint=True, dtype=np.uint64)),
                    ]
                )
                if how in ("best", "worst"):
                    # One by one, next to the end.
                    is_up = (label == 1) == (how == "best")
                    place = high - case if is_up else low + case
                    place = min(max(place, low), high)
                labels.append(label)
                keys.append(int(place))
                weights.append(weight / n_samples)
    scores = decode_scores(np.array(keys, dtype=np.uint64))
    return labels, scores, weights


@pytest.mark.parametrize("case", OF_TABLES, ids=lambda case: case.name)
@looped("how", ["anywhere", "tied", "best", "worst"])
def test_no_order_within_the_cells_is_farther_than_the_error(case, how):
    rng = np.random.default_rng(7)
    for seed in range(2):
        whole = RankTable.from_arrays(*labelled(seed, n=60, decimals=seed % 3 or None))
        table = whole.compress(int(rng.integers(2, 20)))
        if seed % 2:
            other = RankTable.from_arrays(*labelled(seed + 50, n=40, decimals=1))
            table += other.compress(int(rng.integers(2, 30)))
        params = dict(case.kwargs)
        metric = find_metric(case.function, params)
        metric = metric.bind_sample_size(table.total, is_weighted=False)
        error = table.max_error(case.function, **params)
        value = metric.value(table)
        if np.isnan(error):
            assert case.is_partial
            continue
        for _ in range(3 if how == "anywhere" else 1):
            labels, scores, weights = placed(table, rng, how)
            true = metric.value(
                RankTable.from_arrays(labels, scores, sample_weight=weights)
            )
            assert abs(true - value) <= error * (1 + 1e-9) + 1e-12


def test_the_error_of_the_average_precision_by_hand():
    # Two of three cases tie somewhere below the first, which is negative.
    table = RankTable.from_arrays([0, 1, 0, 1], [4.0, 1.9, 1.8, 1.7]).compress(2)
    assert table.pos.tolist() == [0, 2]
    assert table.neg.tolist() == [1, 1]
    value = 2 / 4
    # Tied above the other negative, each has a precision of 2/3.
    best = 2 / 3
    # Below it, apart: more than the integral of t / (t + 2) from 0 to 2, over 2.
    worst = 1 - np.log(2)
    found = table.max_error("average_precision")
    assert_allclose(found, max(best - value, value - worst))
    assert worst < (1 / 3 + 2 / 4) / 2


@looped("seed", [2, 9, 14, 30])
def test_the_stamina_is_at_most_1_however_the_cells_are_ordered(seed):
    # It is p (1 - p) (2 AUC - 1) / (momentum - p), or 1 where this is more, as it is
    # for some orders within the cells of these tables.
    rng = np.random.default_rng(seed)
    y_true = rng.random(40) < 0.5
    scores = rng.normal(size=40) + 0.7 * y_true
    table = RankTable.from_arrays(y_true, scores).compress(12)
    value = find_metric(stamina_score).value(table)
    assert table.max_error(stamina_score) <= max(value, 1 - value) + 1e-12


@looped("metric", [momentum_score, stamina_score])
def test_exact_momentum_and_stamina_of_exact_groups_are_their_own_extremes(metric):
    y_true, scores = np.array([1, 1, 1, 0, 1, 0, 0, 0]), -np.arange(8.0)
    table = RankTable.from_arrays(y_true, scores)
    found = find_metric(metric, {"exact": True})
    assert found.extremes(table) == pytest.approx((found.value(table),) * 2, rel=1e-14)
    plain = find_metric(metric)
    assert abs(plain.value(table) - found.value(table)) > 0.01


@looped("seed", range(10))
def test_any_tree_of_sums_is_within_its_error(seed):
    rng = np.random.default_rng(seed)
    samples = [
        labelled(10 * seed + i, n=200, prevalence=0.1 + i / 10) for i in range(6)
    ]
    exact = RankTable.from_arrays(*map(np.concatenate, zip(*samples, strict=True)))
    tables = [RankTable.from_arrays(*sample).compress(40) for sample in samples]
    while len(tables) > 1:
        first, second = (tables.pop(int(rng.integers(len(tables)))) for _ in range(2))
        tables.append((first + second).compress(60))
    (table,) = tables
    assert table.total == exact.total
    assert (table.n_pos, table.n_neg) == (exact.n_pos, exact.n_neg)
    for metric, kwargs in (
        ("roc_auc", {}),
        ("average_precision", {}),
        (recall_at_rate_score, {"rate": 0.1}),
        (momentum_score, {}),
    ):
        found = find_metric(metric, kwargs)
        difference = abs(found.value(table) - found.value(exact))
        assert difference <= table.max_error(metric, **kwargs) + 1e-12
    keys = encode_scores(exact.thresholds)
    found = spans(table)
    for end in (0, 1):
        assert sum(low <= int(keys[-end]) <= high for low, high in found) >= 1


@looped("weighted", [False, True])
def test_compressed_tables_survive_pickling_in_few_bytes(weighted):
    y_true, scores = labelled(0, n=40_000)
    weights = np.random.default_rng(1).random(40_000) if weighted else None
    table = RankTable.from_arrays(y_true, scores, sample_weight=weights)
    for each in (table, table.compress(4_000)):
        stored = pickle.dumps(each, protocol=5)
        assert pickle.loads(stored) == each
        assert len(stored) < 26 * each.n_groups + 1_000
    assert pickle.loads(pickle.dumps(table.compress(10))).is_compressed


def test_what_cannot_be_compressed_is_refused():
    with pytest.raises(ValueError, match="thresholds"):
        RankTable([1, 0, 1], [0, 1, 0]).compress(2)
    with pytest.raises(ValueError, match=r"max_groups.*1.*0"):
        RankTable([1], [0], [2.0]).compress(0)
    scores = np.array([2**53 + 1, 2**53, 1])
    with pytest.raises(ValueError, match="float64"):
        RankTable.from_arrays([1, 0, 1], scores).compress(2)
    table = RankTable.from_arrays(*labelled(0)).compress(20)
    with pytest.raises(ValueError, match="thresholds"):
        table + RankTable([1], [2])


@looped("seed", range(5))
@looped("prevalence", [None, 0.3, 0.8])
def test_the_adjusted_error_is_that_of_the_precision_over_the_negative_share(
    seed, prevalence
):
    y_true, scores = labelled(seed, prevalence=0.6)
    table = RankTable.from_arrays(y_true, scores).compress(20)
    share = np.mean(y_true) if prevalence is None else prevalence
    kwargs = {"metric": average_precision_score, "prevalence": prevalence}
    plain = table.max_error(**kwargs)
    adjusted = table.max_error(**kwargs, adjusted=True)
    assert_allclose(adjusted, plain / (1 - share), rtol=1e-9)


ONE_CLASS = {"positive": ([1, 2, 3], [0, 0, 0]), "negative": ([0, 0, 0], [1, 2, 3])}


@pytest.mark.filterwarnings("ignore:.*undefined")
@looped("case", OF_TABLES)
@looped("held", ONE_CLASS)
def test_the_error_is_nan_where_the_metric_is_and_else_0_of_one_class(case, held):
    whole = RankTable(*ONE_CLASS[held], [3.0, 2.0, 1.0])
    for table in (whole, whole.compress(1)):
        value = case.function(table, **case.kwargs)
        expected = 0.0 if value == value else value
        assert_allclose(table.max_error(case.function, **case.kwargs), expected)
