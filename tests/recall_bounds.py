"""The bounds of a consensus curve's recall, and a recall for them to hold."""

from scipy import optimize, stats


def low_of(curve):
    return curve.confidence_interval.low.tpr


def high_of(curve):
    return curve.confidence_interval.high.tpr


def true_recall(rate):
    """Return the recall at a rate where classes score N(1, 1) and N(0, 1)."""

    def miss(t):
        return (stats.norm.sf(t, 1) + stats.norm.sf(t)) / 2 - rate

    return stats.norm.sf(optimize.brentq(miss, -20, 20), 1) if 0 < rate < 1 else rate
