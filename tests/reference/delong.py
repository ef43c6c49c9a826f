"""DeLong's variances from all pairs of one case per class, in exact fractions."""

from fractions import Fraction


def placements(y_true, y_score):
    """Return the shares that each positive beats, and that beat each negative."""
    pos = [s for y, s in zip(y_true, y_score, strict=True) if y == 1]
    neg = [s for y, s in zip(y_true, y_score, strict=True) if y == 0]

    def wins(a, b):
        return Fraction(1) if a > b else Fraction(1, 2) if a == b else Fraction(0)

    of_pos = [sum(wins(a, b) for b in neg) / len(neg) for a in pos]
    of_neg = [sum(wins(a, b) for a in pos) / len(pos) for b in neg]
    return of_pos, of_neg


def auc(y_true, y_score):
    of_pos, _ = placements(y_true, y_score)
    return sum(of_pos) / len(of_pos)


def covariance(y_true, y_score_a, y_score_b):
    """Return the covariance of two AUCs on the same cases (DeLong et al. 1988)."""
    total = Fraction(0)
    pairs = zip(
        placements(y_true, y_score_a), placements(y_true, y_score_b), strict=True
    )
    for a, b in pairs:
        n = len(a)
        mean_a, mean_b = sum(a) / n, sum(b) / n
        products = ((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
        total += sum(products) / (n - 1) / n
    return total
