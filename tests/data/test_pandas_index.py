"""Columns of pandas are matched by position, unless their index says otherwise."""

import numpy as np
import pytest

import skrate
from looped import case, looped
from optional import require


def call_with_permuted(pd, make_index, change):
    """Return calls with one argument in another order, by name of the argument."""
    rng = np.random.default_rng(0)
    y_true, a, b = rng.random(40) < 0.4, *rng.normal(size=(2, 40))
    weight, group = rng.integers(1, 4, 40), np.arange(40) % 8
    columns = {"y": y_true, "a": a, "b": b, "weight": weight, "group": group}
    frame = pd.DataFrame(columns, index=make_index(40))
    y, a, b, weight, group = (frame[name] for name in columns)
    two, roc = change(frame[["a", "b"]]), "roc_auc"
    return {
        "y_score": [
            lambda: skrate.ranking_auc_score(y, change(a)),
            lambda: skrate.recall_at_rate_score(y, change(a), rate=0.1),
            lambda: skrate.average_precision_score(y, change(a)),
            lambda: skrate.ndcg_score(y, change(a), groups=group),
            lambda: skrate.hit_curve(y, change(a)),
            lambda: skrate.RankTable.from_arrays(y, change(a)),
            lambda: skrate.estimate(roc, y, change(a)),
            lambda: skrate.estimate(roc, y, two),
            lambda: skrate.budget_report(y, change(a), rate=0.3),
            lambda: skrate.curve_band(y, change(a), n_resamples=9),
            lambda: skrate.select_best(roc, y, two, n_resamples=9),
            lambda: skrate.subgroup_scores(roc, y, change(a), by=group > 3),
            lambda: skrate.FoldRankings(y, change(a), group),
            lambda: skrate.estimate(roc, frame[["y", "b"]] > 0, change(a)),
            lambda: skrate.rate_weighted_auc_score(group % 2, two, labels=[0, 1]),
        ],
        "y_score_a": [lambda: skrate.compare(roc, y, change(a), b)],
        "y_score_b": [
            lambda: skrate.compare(roc, y, a, change(b)),
            lambda: skrate.sample_size(roc, y, a, change(b), n_samples=200),
        ],
        "sample_weight": [
            lambda: skrate.ranking_auc_score(y, a, sample_weight=change(weight)),
            lambda: skrate.estimate(roc, y, a, sample_weight=change(weight)),
        ],
        "groups": [lambda: skrate.ndcg_score(y, a, groups=change(group))],
        "clusters": [lambda: skrate.estimate(roc, y, a, clusters=change(group))],
        "fold": [lambda: skrate.FoldRankings(y, a, change(group))],
        "by": [lambda: skrate.subgroup_scores(roc, y, a, by=change(group > 3))],
        "probability": [lambda: skrate.labels.sampled(y, change(a.abs() * 0 + 1))],
        "y_judge": [lambda: skrate.labels.judged(y, change(y))],
    }  # fmt: skip


def pairs(n):
    return require("pandas").MultiIndex.from_product([range(n // 2), ["x", "y"]])


INDICES = {
    "numbers": lambda n: range(n),
    "texts": lambda n: [f"sample {i}" for i in range(n)],
    "pairs": pairs,
    "dates": lambda n: require("pandas").date_range("2026-01-01", periods=n),
}


@pytest.mark.parametrize("kind", INDICES)
def test_an_index_in_another_order_is_an_error(kind):
    pd = require("pandas")
    calls = call_with_permuted(pd, INDICES[kind], lambda column: column.iloc[::-1])
    for name, named in calls.items():
        for i, call in enumerate(named):
            message = rf"^{name}\S* has the index of y_true .*\.loc\[y_true\.index\]"
            with case((name, i)), pytest.raises(ValueError, match=message):
                call()


@pytest.mark.filterwarnings("ignore")
@looped(
    "change",
    [
        lambda column: column,
        lambda column: column.copy().set_axis(column.index.copy()),
        # Rows of other samples, or with names that are not unique.
        lambda column: column.iloc[::-1].reset_index(drop=True).set_axis(range(1, 41)),
        lambda column: column.iloc[::-1].set_axis(np.arange(40)[::-1] // 2),
        lambda column: column.iloc[::-1].to_numpy(),
    ],
)
@pytest.mark.parametrize("is_unique", [True, False])
def test_other_columns_are_matched_by_position(change, is_unique):
    def make_index(n):
        return np.arange(n) if is_unique else np.arange(n) // 2

    calls = call_with_permuted(require("pandas"), make_index, change)
    for name, named in calls.items():
        for i, call in enumerate(named):
            with case((name, i)):
                call()
