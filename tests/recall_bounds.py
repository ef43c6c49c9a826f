"""The bounds of a consensus curve's recall."""


def low_of(curve):
    return curve.confidence_interval.low.tpr


def high_of(curve):
    return curve.confidence_interval.high.tpr
