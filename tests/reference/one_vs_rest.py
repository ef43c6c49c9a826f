"""Averages over classes, literally: a queue for each, case by case.

``cases`` are triples of the set of labels that a case has, its scores by label, and its
weight; ``value(is_pos, scores, weights)`` is a metric of two classes.
"""


def of_each(value, samples, labels):
    """Return the metric of each label against the rest."""
    values = []
    for label in labels:
        is_pos = [int(label in own) for own, _, _ in samples]
        scores = [by_label[label] for _, by_label, _ in samples]
        values.append(value(is_pos, scores, [weight for *_, weight in samples]))
    return values


def macro(value, samples, labels):
    return sum(of_each(value, samples, labels)) / len(labels)


def weighted(value, samples, labels):
    """Return the mean over labels, each as often as cases have it."""
    total = 0.0
    weight_of_all = 0.0
    for label in labels:
        weight_of_label = sum(w for own, _, w in samples if label in own)
        if weight_of_label:
            total += weight_of_label * of_each(value, samples, [label])[0]
            weight_of_all += weight_of_label
    return total / weight_of_all


def micro(value, samples, labels):
    """Return the metric of one queue of all pairs of a case and a label."""
    pairs = [
        (int(label in own), by_label[label], weight)
        for own, by_label, weight in samples
        for label in labels
    ]
    return value(*map(list, zip(*pairs, strict=True)))


def samples(value, samples, labels):
    """Return the mean over cases, whose labels are a queue."""
    total = 0.0
    for own, by_label, weight in samples:
        if weight:
            is_pos = [int(label in own) for label in labels]
            total += weight * value(is_pos, [by_label[label] for label in labels], None)
    return total / sum(weight for *_, weight in samples)
