"""The exact distribution of the AUC of all rankings with known errors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from skrate.data.arrays import FloatArray, IntArray
from skrate.error_rate.moments import error_split_weights


def auc_probabilities(n_pos: int, n_neg: int, *errors: int) -> FloatArray:
    """Return P(AUC = c / (n_pos n_neg)) for c = 0, ..., n_pos n_neg.

    ``errors`` is the number of errors, or the numbers of false positives and of false
    negatives.
    """
    if len(errors) == 2:
        false_pos, false_neg = np.array([errors[0]]), np.array([errors[1]])
        return _mixture(n_pos, n_neg, false_pos, false_neg, np.ones(1))
    first = max(0, errors[0] - n_pos)
    width = min(errors[0], n_neg) - first + 1
    false_pos = first + np.arange(width)
    m, n, k, size = (np.full((1, 1), v) for v in (n_pos, n_neg, errors[0], width))
    weights = error_split_weights(m, n, k, false_pos[None, :], size)[0]
    return _mixture(n_pos, n_neg, false_pos, errors[0] - false_pos, weights)


def _mixture(
    n_pos: int,
    n_neg: int,
    false_pos: IntArray,
    false_neg: IntArray,
    weights: FloatArray,
) -> FloatArray:
    """Return the weighted sum of the distributions given each split of the errors."""
    true_pos, true_neg = n_pos - false_neg, n_neg - false_pos
    above = _mann_whitney_lookup(list(zip(false_pos, true_pos, strict=True)))
    below = _mann_whitney_lookup(list(zip(false_neg, true_neg, strict=True)))
    total = np.zeros(n_pos * n_neg + 1)
    for index, weight in enumerate(weights):
        # Pairs across the threshold are in order; those on one side vary.
        start = true_pos[index] * true_neg[index]
        within = np.convolve(
            above[false_pos[index], true_pos[index]],
            below[false_neg[index], true_neg[index]],
        )
        total[start : start + len(within)] += weight * within
    return total


def _mann_whitney_lookup(
    sizes: list[tuple[int, int]],
) -> dict[tuple[int, int], FloatArray]:
    """Return the distribution of the Mann-Whitney statistic for the asked sizes."""
    wanted = set(sizes)
    largest = max(a for a, _ in sizes), max(b for _, b in sizes)
    return {pair: p for pair, p in _mann_whitney_all(*largest) if pair in wanted}


def _mann_whitney_all(
    max_a: int, max_b: int
) -> Iterator[tuple[tuple[int, int], FloatArray]]:
    """Yield ((a, b), probabilities of U = 0, ..., ab) for all sizes up to the given.

    The last of the a + b cases is one of the a with probability a / (a + b) and then
    adds b pairs, else it adds none: only positive terms, so no digit is lost.
    """
    row = [np.ones(1) for _ in range(max_b + 1)]
    yield from (((0, b), row[b]) for b in range(max_b + 1))
    for a in range(1, max_a + 1):
        below, row = row, [np.ones(1)]
        yield (a, 0), row[0]
        for b in range(1, max_b + 1):
            table = np.zeros(a * b + 1)
            table[b:] = below[b] * (a / (a + b))
            table[: a * (b - 1) + 1] += row[b - 1] * (b / (a + b))
            row.append(table)
            yield (a, b), table
