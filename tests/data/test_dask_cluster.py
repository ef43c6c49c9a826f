"""Worker processes of a real cluster, one of which dies."""

import os
import signal
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

import skrate
from metric_cases import sample
from optional import require

dask = require("dask")
distributed = require("distributed")
da = require("dask.array")
dd = require("dask.dataframe")
require("narwhals")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning"),
]
N_CHUNKS, CHUNK = 16, 2000
# What waits for the cluster gives up, and says so, after this many seconds.
PATIENCE = 120


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    quiet = {"distributed.worker.profile.enabled": False}
    with (
        dask.config.set(quiet),
        distributed.LocalCluster(processes=True, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def weighted_arrays(marks=None):
    """Return arrays that are made on the workers, which mark each chunk they make."""

    # Inside, so that it travels to the workers, which do not know this file.
    def scores(block_id):
        if marks is not None:
            open(os.path.join(marks, f"{block_id[0]}-{uuid.uuid4().hex}"), "w").close()
            time.sleep(0.1)
        generator = np.random.default_rng(block_id[0])
        return np.round(generator.normal(size=CHUNK), 3)

    def labels(y_score, block_id):
        generator = np.random.default_rng([block_id[0], 1])
        return generator.random(len(y_score)) < 1 / (1 + np.exp(2 - y_score))

    def weights(y_score, block_id):
        rng = np.random.default_rng([block_id[0], 2])
        return rng.integers(0, 4, len(y_score)).astype(float)

    chunks = ((CHUNK,) * N_CHUNKS,)
    y_score = da.map_blocks(scores, chunks=chunks, dtype=float, meta=np.empty(0))
    y_true = y_score.map_blocks(labels, dtype=bool)
    return y_true, y_score, y_score.map_blocks(weights, dtype=float)


@contextmanager
def on_the_cluster(client):
    """Let joblib use the cluster, and check that it did."""
    client.wait_for_workers(2, timeout=PATIENCE)

    def n_steps(dask_scheduler):
        return dask_scheduler.transition_counter

    before = client.run_on_scheduler(n_steps)
    with parallel_config("dask"):
        yield
    assert client.run_on_scheduler(n_steps) > before


def test_scorers_in_searches_run_on_the_cluster(client):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(400, 4))
    y = (generator.random(400) < 1 / (1 + np.exp(1 - X[:, 0]))).astype(int)
    scorer = skrate.RateWeightedAUCScorer(rate=skrate.rates.beta(3, 9))
    options = {"scoring": scorer, "cv": 3, "n_jobs": 2}

    def numbers():
        folds = cross_validate(LogisticRegression(), X, y, **options)
        search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, **options)
        found = search.fit(X, y).cv_results_
        return [*folds["test_score"], *found["mean_test_score"], search.best_score_]

    with parallel_config("threading"):
        expected = numbers()
    with on_the_cluster(client):
        assert numbers() == expected


def test_bootstraps_run_on_the_cluster(client):
    y_true, y_score = sample(seed=0, n=300)
    options = {"method": "bootstrap", "n_resamples": 600, "random_state": 0}

    def interval():
        return skrate.estimate("roc_auc", y_true, y_score, n_jobs=2, **options)

    expected = interval()
    with on_the_cluster(client):
        assert interval() == expected


def wait_for(happened):
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "the cluster did nothing for too long"
        time.sleep(0.02)


def small_table(marks):
    """Return the compressed table of chunks that mark a folder when they are made."""
    columns = da.stack(weighted_arrays(marks), axis=1).rechunk((CHUNK, 3))
    frame = dd.from_dask_array(columns, columns=["label", "score", "weight"])
    return skrate.RankTable.from_frame(frame, sample_weight="weight", max_groups=500)


# The last one: the worker comes back, but when is not for a test to say.
def test_a_worker_that_is_killed_changes_no_bit(client, tmp_path):
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    for folder in (undisturbed, disturbed):
        folder.mkdir()
    small = small_table(str(undisturbed))
    y_true, y_score, weight = dask.compute(*weighted_arrays())
    whole = skrate.RankTable.from_arrays(y_true, y_score, sample_weight=weight)
    assert small == whole.compress(500)

    pids = client.run(os.getpid)
    # In a thread, as it does not return before it is done.
    result = ThreadPoolExecutor(1).submit(small_table, str(disturbed))
    wait_for(lambda: len(os.listdir(disturbed)) > N_CHUNKS // 2)
    held = client.has_what()
    os.kill(pids[max(held, key=lambda worker: len(held[worker]))], signal.SIGKILL)
    assert not result.done()
    assert result.result(PATIENCE) == small
    # What the worker held was made a second time.
    assert len(os.listdir(disturbed)) > len(os.listdir(undisturbed))
