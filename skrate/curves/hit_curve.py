"""The hit curve: what is found when a share of the ranking is processed."""

from __future__ import annotations

from skrate.curves.gain_curve import check_class_gain, gain_curve
from skrate.curves.rate_averaged import folds_of_rankings
from skrate.data.arrays import ArrayLike, FloatArray, Label
from skrate.data.folds import FoldRankings
from skrate.data.table import RankTable, check_alone, rank_table
from skrate.metrics.gain import GainLike


def hit_curve(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    gain: GainLike | None = None,
    cost: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> tuple[FloatArray, FloatArray]:
    """Compute the hit curve: positives found against the share processed.

    If the top 10 % of the ranking are processed, which share of all cases is processed
    and positive? Divided by the prevalence it is the cumulative gains curve, divided by
    what random scores find the lift curve. Unlike
    :func:`sklearn.metrics.precision_recall_curve` its horizontal axis is what a budget
    is spent on. Only the order of the scores counts. With ``gain`` and ``cost`` it is
    what is gained per case against the share of the cost of all cases that is spent.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or rankings of folds, without
        ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    gain : array-like of shape (n_samples,) or dict, default=None
        What is gained if a case is processed, per case or per class, as in
        :func:`expected_gain_score`; None means 1 for a positive and 0 for a negative.
    cost : array-like of shape (n_samples,), default=None
        What processing a case takes of the budget; None means all take the same.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    rate : array of shape (n_scores + 1,)
        Share of all cases processed, increasing from 0 to 1, one point per distinct
        score, of folds per distinct rate after any of theirs; with ``cost`` the share
        of the cost, which may stay the same.
    hits : array of shape (n_scores + 1,)
        Share of all cases processed *and* positive, from 0 to the prevalence. Random
        scores give the prevalence times the rate, a perfect ranking the smaller of the
        rate and the prevalence. Without a positive case it is 0. With ``gain``, what
        the processed cases gain, over the number of all cases.

    Raises
    ------
    ValueError
        If an argument is empty, of another length, not finite or not one-dimensional,
        if there are more than two labels, ``pos_label`` is ambiguous or unknown, a
        weight or cost is negative, or ``gain`` names an unknown class.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : Precision against recall.
    expected_gain_score : Its mean over a distribution of the rate.
    HitCurveDisplay : Draws it, as hit curve, cumulative gains or lift.
    QuasiConcaveHitCurve : Its model by two parameters.

    Notes
    -----
    The h(t) of [1]_, equation 1: precision times rate. Between two points it is
    straight, which within a group of tied scores is the expectation over random orders
    of the cases that tie. Cost: one sort.

    Of folds it is their mean curve at equal rate, weighted by their numbers of cases:
    what is found of all cases together if the same share of every fold is processed,
    as :func:`rate_averaged_roc_curve` has it. Folds of one class count, as what they
    find is known. Scores of different folds are never compared. A gain is then one per
    class.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    >>> from skrate import hit_curve
    >>> rate, hits = hit_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.7])
    >>> rate.tolist(), hits.tolist()
    ([0.0, 0.25, 0.5, 1.0], [0.0, 0.25, 0.25, 0.5])

    The cumulative gains:

    >>> (hits / hits[-1]).tolist()
    [0.0, 0.5, 0.5, 1.0]

    Two frauds, of 100 and 900 euros:

    >>> rate, gained = hit_curve(
    ...     [1, 0, 1, 0], [4, 3, 2, 1], gain=[100, 0, 900, 0]
    ... )
    >>> gained.tolist()
    [0.0, 25.0, 25.0, 250.0, 250.0]
    """
    if isinstance(y_true, FoldRankings):
        check_alone(
            y_true, y_score=y_score, sample_weight=sample_weight, pos_label=pos_label
        )
        check_class_gain(gain, cost)
        y_true = folds_of_rankings(y_true).pooled
        y_score = sample_weight = pos_label = None
    if gain is not None or cost is not None:
        found = gain_curve(
            y_true, y_score, gain=gain, cost=cost, sample_weight=sample_weight,
            pos_label=pos_label,
        )  # fmt: skip
        return found.rates, found.gains
    table = rank_table(y_true, y_score, sample_weight, pos_label)
    return table.rates.copy(), hits(table)


def hits(table: RankTable) -> FloatArray:
    """Return the share of all weight that is positive and above each cut."""
    return table.cum_pos / table.total
