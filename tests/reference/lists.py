"""Metrics within lists, one list after another, by the oracles of a single list."""

from fractions import Fraction
from math import comb

from reference.tables import NAN, Groups, auc, whole_numbers


def lists_of(is_pos, scores, labels, weights=None):
    """Return {label: Groups} in increasing order; None for a list without weight."""
    whole = None if weights is None else whole_numbers(weights)
    rows = {}
    for i, label in enumerate(labels):
        rows.setdefault(label, []).append(i)
    found = {}
    for label in sorted(rows):
        chosen = rows[label]
        of_list = None if whole is None else [whole[i] for i in chosen]
        groups = Groups(
            [is_pos[i] for i in chosen], [scores[i] for i in chosen], of_list
        )
        found[label] = groups if groups.total else None
    return found


def top_auc(groups, k):
    """Return AUC, chance to be defined, pairs in order, pairs, positives, negatives.

    All are means over the choices among the items that tie at the cut; the AUC is the
    mean over those with which the list holds both classes.
    """
    taken_pos = taken_neg = ordered = Fraction(0)
    tied = None
    for pos, neg in zip(groups.pos, groups.neg, strict=True):
        left = k - taken_pos - taken_neg
        if pos + neg > left:
            tied = (pos, neg, int(left))
            break
        ordered += neg * (taken_pos + Fraction(pos, 2))
        taken_pos, taken_neg = taken_pos + pos, taken_neg + neg
    sums = [Fraction(0)] * 6
    if tied is None:
        tied = (0, 0, 0)
    pos, neg, left = tied
    for drawn in range(left + 1):
        ways = comb(pos, drawn) * comb(neg, left - drawn)
        if not ways:
            continue
        chance = Fraction(ways, comb(pos + neg, left))
        n_pos, n_neg = taken_pos + drawn, taken_neg + left - drawn
        in_order = ordered + (left - drawn) * (taken_pos + Fraction(drawn, 2))
        n_pairs = n_pos * n_neg
        values = (
            in_order / n_pairs if n_pairs else Fraction(0),
            Fraction(bool(n_pairs)),
            in_order, n_pairs, n_pos, n_neg,
        )  # fmt: skip
        sums = [
            total + chance * value for total, value in zip(sums, values, strict=True)
        ]
    score = float(sums[0] / sums[1]) if sums[1] else NAN
    return score, *sums[1:]


def list_auc(groups, k=None):
    """Return the same six numbers of a whole list, or of its first ``k`` items."""
    if k is not None:
        return top_auc(groups, k)
    pairs = groups.n_pos * groups.n_neg
    score = auc(groups)
    ordered = Fraction(score) * pairs if pairs else 0
    return score, int(pairs > 0), ordered, pairs, groups.n_pos, groups.n_neg


def ranking_auc(lists, k=None, undefined="skip", average="macro"):
    """Return the average over lists; ``average`` may be a dict of weights by label."""
    above, below = Fraction(0), Fraction(0)
    for label, groups in lists.items():
        if groups is None:
            continue
        score, defined, ordered, pairs, *_ = list_auc(groups, k)
        if undefined == "nan" and not defined:
            return NAN
        if average == "pairs":
            if defined:
                above, below = above + Fraction(ordered), below + Fraction(pairs)
            continue
        weight = 1
        if isinstance(average, dict):
            weight = average[label]
        elif average == "positives":
            weight = groups.n_pos
        elif average == "size":
            weight = groups.total
        if not isinstance(undefined, str):
            rest = (1 - defined) * Fraction(undefined)
            score = (defined * Fraction(score) if defined else 0) + rest
        elif not defined:
            continue
        above += Fraction(weight) * Fraction(score)
        below += Fraction(weight)
    return float(above / below) if below else NAN


def mean_of(lists, value_of, undefined="skip", average="macro"):
    """Return the average of any value of lists, which is nan where it is undefined."""
    above = below = 0.0
    for label, groups in lists.items():
        if groups is None:
            continue
        value, weight = value_of(groups), 1
        if value != value:
            if undefined == "nan":
                return NAN
            if undefined == "skip":
                continue
            value = undefined
        if isinstance(average, dict):
            weight = average[label]
        elif average != "macro":
            weight = groups.n_pos if average == "positives" else groups.total
        above, below = above + weight * value, below + weight
    return above / below if below else NAN
