"""The variance of a cross-validated AUC, by LeDell, Petersen and van der Laan (2015).

Literally by their section 4 (doi 10.1214/15-EJS1035), from all pairs of cases: the
influence of a case is the share of the other class in its fold that it is ranked
rightly with, less the fold's AUC, over the share of its own class in all folds. The
variance is the mean over folds of the mean square, over the number of all cases.
"""

from fractions import Fraction


def fold_auc(y_true, y_score):
    """Return the share of pairs in the right order, ties one half."""
    own = [rightly(y_true, y_score, i) for i, label in enumerate(y_true) if label]
    return sum(own) / len(own)


def rightly(y_true, y_score, i):
    """Return the share of the other class that case ``i`` is ranked rightly with."""
    shares = []
    for label, score in zip(y_true, y_score, strict=True):
        if label != y_true[i]:
            ahead = (y_score[i] - score) * (1 if y_true[i] else -1)
            shares.append(Fraction(1 if ahead > 0 else 0) + Fraction(ahead == 0) / 2)
    return sum(shares) / len(shares)


def variance(folds, *, unbiased):
    """Return the variance of the mean AUC over folds of (labels, scores).

    ``unbiased`` divides by a class's number of cases in a fold less 1, as DeLong does.
    """
    n_all = sum(len(y_true) for y_true, _ in folds)
    n_of = {label: sum(list(y).count(label) for y, _ in folds) for label in (0, 1)}
    means = []
    for y_true, y_score in folds:
        auc, squares = fold_auc(y_true, y_score), Fraction(0)
        for i, label in enumerate(y_true):
            influence = (rightly(y_true, y_score, i) - auc) * Fraction(
                n_all, n_of[label]
            )
            own = list(y_true).count(label)
            squares += influence**2 * (Fraction(own, own - 1) if unbiased else 1)
        means.append(squares / len(y_true))
    return float(sum(means) / len(means) / n_all)
