"""AUC within lists: what one user or query was shown, in the right order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from skrate.core.arrays import ArrayLike, Label
from skrate.core.fold_rankings import FoldRankings
from skrate.core.metric import LIST_METRICS, score
from skrate.core.rank_table import check_alone
from skrate.metrics.auc import AUC
from skrate.metrics.group_scores import mean_of_lists
from skrate.metrics.list_average import Average, Policy

__all__ = ["ranking_auc_score"]


def ranking_auc_score(
    y_true: ArrayLike | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    undefined: Policy | float = "skip",
    average: Average | Iterable[float] = "macro",
    sample_weight: ArrayLike | None = None,
    relevance_threshold: float | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the AUC within lists, averaged over the lists.

    Of the items that one user or query was shown, how often is a relevant one above
    an irrelevant one? Unlike :func:`sklearn.metrics.roc_auc_score` on all rows, it
    never compares items of two lists, so that it tells whether each list is in order,
    not which users click much. Known as GAUC, uAUC and wuAUC. Only the order of the
    scores within each list counts.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or FoldRankings
        True labels of two classes, or grades with ``relevance_threshold``; or, alone,
        the rankings of folds, each of which is one list.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items.
    groups : array-like of shape (n_samples,), default=None
        The list of each row: integers, strings or other labels, in any order of rows.
        None takes all rows for one list.
    k : int, default=None
        If given, only the k items of the highest score of each list count; not with
        ``sample_weight``.
    undefined : {"skip", "nan"} or float, default="skip"
        What to do with a list that holds one class only:

        - "skip" leaves it out;
        - "nan" makes the score nan as soon as there is one;
        - a number, such as 0.5, counts as its AUC.
    average : {"macro", "pairs", "positives", "size"} or array-like, default="macro"
        How much a list counts:

        - "macro": as much as any other;
        - "pairs": by its pairs of a relevant and an irrelevant item, which gives the
          share of all comparable pairs that are in order. Without ties one minus it is
          the ranking loss of RankBoost, which counts a tie as lost, not as half;
        - "positives": by its relevant items (clicks);
        - "size": by its items (impressions). Both are of the whole list, also with
          ``k``; pairs are those that are seen;
        - an array of shape (n_lists,): by these weights, in the order of
          ``numpy.unique(groups)``.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the rows; None means equal ones.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades and those from it on are relevant.
    pos_label : int, float, bool or str, default=None
        The label of relevant items; None takes the greater of {0, 1}, {-1, 1} or
        booleans.

    Returns
    -------
    score : float
        AUC in [0, 1]: 0.5 for random and for constant scores, 1 where every list has
        its relevant items first; nan where undefined.

    Raises
    ------
    ValueError
        If ``undefined``, ``average`` or ``k`` is not one of the choices, ``k`` is below
        1 or comes with ``sample_weight``, ``relevance_threshold`` comes with
        ``pos_label`` or with labels that are not numbers, labels, scores or weights
        cannot be ranked, ``groups`` has another length or missing labels, or anything
        is given beside rankings of folds.

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, or ``undefined="nan"`` and one of them is not; for a fold
        that is left out.

    See Also
    --------
    sklearn.metrics.roc_auc_score : The AUC of one list.
    group_scores : Values per list, a standard error, and other metrics.
    RankingAUCScorer : The same as a ``scoring=`` object.

    Notes
    -----
    With :math:`U_i` the pairs of list i in the right order (ties count one half) and
    :math:`P_i` all of its pairs of a relevant and an irrelevant item,

    .. math:: \frac{\sum_i w_i U_i / P_i}{\sum_i w_i},

    where :math:`w_i` is 1, :math:`P_i`, the number of relevant items or the number of
    items; equal to the mean of ``roc_auc_score`` over the lists with "macro".

    Where the cut at ``k`` falls among items of one score, each choice of those above
    it is equally likely: the number of relevant ones is hypergeometric. A list counts
    by its mean AUC over the choices with which it is defined, with "pairs" by its mean
    numbers of pairs; a number for ``undefined`` stands for the others.

    Rows of weight zero do not exist: a list of nothing else is left out whatever
    ``undefined`` says. Cost: one sort of 64-bit integers, O(n log n), at any number of
    lists.

    References
    ----------
    .. [1] Zhu et al. (2017), Optimized cost per click in Taobao display advertising,
       :doi:`10.1145/3097983.3098134`, which uses it as group AUC (GAUC).
    .. [2] Freund, Iyer, Schapire and Singer (2003), An efficient boosting algorithm
       for combining preferences, Journal of Machine Learning Research 4, 933-969.

    Examples
    --------
    The first list has its relevant item on top, the second one of two pairs in order:

    >>> from skrate import ranking_auc_score
    >>> y_true = [1, 0, 0, 1, 0]
    >>> y_score = [0.9, 0.2, 0.7, 0.5, 0.3]
    >>> user = ["a", "a", "b", "b", "b"]
    >>> ranking_auc_score(y_true, y_score, groups=user)
    0.75

    Of three comparable pairs, two are in order:

    >>> round(
    ...     ranking_auc_score(
    ...         y_true, y_score, groups=user, average="pairs"
    ...     ),
    ...     4,
    ... )
    0.6667

    Of each list only two items are seen:

    >>> ranking_auc_score(y_true, y_score, groups=user, k=2)
    0.5
    """
    if isinstance(y_true, FoldRankings):
        check_alone(
            y_true, y_score=y_score, groups=groups, sample_weight=sample_weight,
            relevance_threshold=relevance_threshold, pos_label=pos_label,
        )  # fmt: skip
        if k is not None:
            raise ValueError(
                f"k={k!r} cuts lists, and y_true is a FoldRankings: leave it out, or "
                "give the share of each fold that is processed as rate= to "
                "recall_at_rate_score."
            )
        _check_means_of_folds(average=(average, "macro"), undefined=(undefined, "skip"))
        return score(AUC(), y_true)
    rows = y_true, y_score, groups, sample_weight, relevance_threshold, pos_label
    return mean_of_lists(AUC(), rows, k, average, undefined)


def _check_means_of_folds(**options: tuple[Any, str]) -> None:
    """Raise for what would make another mean of folds."""
    for name, (value, default) in options.items():
        if not isinstance(value, str) or value != default:
            raise ValueError(
                f"{name} must be {default!r} where y_true is a FoldRankings: folds "
                "count the same, and those that are undefined are left out."
            )


LIST_METRICS[ranking_auc_score] = AUC
