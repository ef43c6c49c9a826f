"""What is computed from a rate is kept within bounds, and shared by equal laws only."""

import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest
from scipy import stats

from skrate import expected_recall_score, rate_weighted_auc_score, rates
from skrate.rates import survival as kept_module
from skrate.rates.laws import check_rate
from skrate.rates.survival import Kept


def test_results_are_computed_once():
    kept, calls = Kept(), []

    @kept
    def square(x, y=0):
        calls.append(x)
        return np.array([x * x + y])

    assert square(3) is square(3)
    assert square(3, 1)[0] == 10
    assert calls == [3, 3]
    kept.clear()
    assert len(kept) == 0
    assert kept.nbytes == 0
    square(3)
    assert calls == [3, 3, 3]


def test_the_least_recently_used_go_first():
    kept, calls = Kept(max_bytes=3 * 9_000), []

    @kept
    def zeros(n):
        calls.append(n)
        return np.zeros(1000)

    for n in (1, 2, 3, 1, 4, 1, 2):
        zeros(n)
    assert calls == [1, 2, 3, 4, 2]
    assert kept.nbytes <= 3 * 9_000


def test_what_is_larger_than_all_the_room_is_not_kept():
    kept = Kept(max_bytes=1000)
    large = kept(np.zeros)
    assert large(1000) is not large(1000)
    assert len(kept) == 0


def test_an_argument_counts_with_all_its_arrays():
    kept = Kept()
    rate = rates.empirical(np.random.default_rng(0).random(1000))
    kept(lambda rate, n: np.zeros(n))(rate, 10)
    assert kept.nbytes > 16_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "law",
    [
        lambda x: rates.empirical(x),
        lambda x: stats.rv_histogram((x, np.linspace(0, 1, len(x) + 1)))(),
        lambda x: stats.rv_discrete(values=(x, np.full(len(x), 1 / len(x))))(),
        lambda x: rates.mixture([rates.empirical(x), 0.5]),
    ],
    ids=["empirical", "histogram", "sample", "mixture"],
)
def test_many_large_rates_take_no_more_than_the_room(law):
    rng = np.random.default_rng(0)
    labels, scores = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
    kept_module.kept.clear()
    tracemalloc.start()
    try:
        for _ in range(12):
            # Two arrays of 3.2 MB, and what is derived from them.
            x = rng.random(400_000 if "rates" in law.__code__.co_names else 15_000)
            expected_recall_score(labels, scores, rate=law(x))
            rate_weighted_auc_score(labels, scores, rate=law(x))
        del x
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 1.25 * kept_module.MAX_BYTES
    assert kept_module.kept.nbytes <= kept_module.MAX_BYTES


def test_what_is_kept_is_released():
    frozen = stats.norm(0.2, 0.1)
    check_rate(frozen).mean()
    alive = weakref.ref(frozen)
    del frozen
    for _ in range(3):
        large = rates.empirical(np.random.default_rng(0).random(500_000))
        expected_recall_score([0, 1], [0, 1], rate=large)
        expected_recall_score([0, 1, 1], [0, 1, 2], rate=large)
    kept_module.kept.clear()
    gc.collect()
    assert alive() is None


def test_threads_agree():
    found = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for k in rng.integers(1, 40, 300):
            rate = rates.beta(int(k), 40)
            weights = expected_recall_score([0, 1, 1], [2, 1, 0], rate=rate)
            found.append((int(k), weights))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1200
    assert len(set(found)) == len({k for k, _ in found})
