"""How long metrics within lists take, and how much memory."""

from common import KINDS, LIST_SCORES, SCORES, shown_lists
from skrate import group_scores, ranking_auc_score


class RankingAUC:
    params = ((100, 10_000, 100_000), (*KINDS, "strings"))
    param_names = ("n_lists", "kind")

    def setup(self, n_lists, kind):
        *self.data, groups, weights = shown_lists(n_lists, kind=kind)
        self.options = {"groups": groups, "sample_weight": weights}

    def time_ranking_auc(self, n_lists, kind):
        ranking_auc_score(*self.data, **self.options)

    def time_estimate(self, n_lists, kind):
        group_scores("roc_auc", *self.data, **self.options).estimate()

    def time_top_ten(self, n_lists, kind):
        if kind != "weights":
            ranking_auc_score(*self.data, groups=self.options["groups"], k=10)

    peakmem_ranking_auc = time_ranking_auc


class GroupScores:
    params = ((100, 100_000), tuple(LIST_SCORES))
    param_names = ("n_lists", "metric")

    def setup(self, n_lists, metric):
        *self.data, self.groups, _ = shown_lists(n_lists)

    def time_group_scores(self, n_lists, metric):
        group_scores(SCORES[metric], *self.data, groups=self.groups)
