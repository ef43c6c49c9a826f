"""How long metrics within lists take, and how much memory."""

import numpy as np

from skrate import group_scores, ranking_auc_report, ranking_auc_score, rates

KINDS = ("no ties", "ties", "weights", "strings")


def shown(n_lists, size=20, kind="no ties", seed=0):
    """Clicks (one in five), scores, list labels and weights, rows in random order."""
    rng = np.random.default_rng(seed)
    n_rows = n_lists * size
    groups = rng.permutation(np.repeat(np.arange(n_lists), size))
    y_true = (rng.random(n_rows) < 0.2).astype(int)
    y_score = rng.normal(size=n_rows) + y_true
    if kind == "ties":
        y_score = np.round(y_score, 1)
    if kind == "strings":
        groups = groups.astype(str)
    return y_true, y_score, groups, rng.random(n_rows) if kind == "weights" else None


class RankingAUC:
    params = ((100, 10_000, 100_000), KINDS)
    param_names = ("n_lists", "kind")

    def setup(self, n_lists, kind):
        *self.data, groups, weights = shown(n_lists, kind=kind)
        self.options = {"groups": groups, "sample_weight": weights}

    def time_ranking_auc(self, n_lists, kind):
        ranking_auc_score(*self.data, **self.options)

    def time_report(self, n_lists, kind):
        ranking_auc_report(*self.data, **self.options)

    def time_top_ten(self, n_lists, kind):
        if kind != "weights":
            ranking_auc_score(*self.data, groups=self.options["groups"], k=10)

    def peakmem_ranking_auc(self, n_lists, kind):
        ranking_auc_score(*self.data, **self.options)


class GroupScores:
    params = (
        (100, 100_000),
        ("average_precision", "expected_recall", "rauc", "recall", "precision"),
    )
    param_names = ("n_lists", "metric")

    def setup(self, n_lists, metric):
        *self.data, self.groups, _ = shown(n_lists)
        at_cut = metric in ("recall", "precision")
        self.options = {"k": 10} if at_cut else {}
        if metric in ("expected_recall", "rauc"):
            self.options = {"rate": rates.beta(3, 19)}

    def time_group_scores(self, n_lists, metric):
        group_scores(metric, *self.data, groups=self.groups, **self.options)
