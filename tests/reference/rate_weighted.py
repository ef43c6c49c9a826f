"""The rate-weighted AUC by quadrature of its definition.

Millard, Flach and Higgins (2014), equations 8 to 15 and algorithm 1. Class 0 of the
paper is the positive class here, pi0 its share. A rate is a list of parts
``(mass, density, point)``: a density w(r, 1 - r) on [0, 1], or a point.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from scipy import integrate, special

Density = Callable[[float, float], float]
Part = tuple[float, Density | None, float]
Rate = list[Part]


def beta(a: float, b: float) -> Rate:
    constant = math.exp(-special.betaln(a, b))

    def density(r: float, rest: float) -> float:
        return constant * r ** (a - 1) * rest ** (b - 1)

    return [(1.0, density, math.nan)]


def exponential(alpha: float) -> Rate:
    """Return an exponential rate; what lies above 1 is a point at 1."""

    def density(r: float, rest: float) -> float:
        return alpha * math.exp(-alpha * r) / (1 - math.exp(-alpha))

    above = math.exp(-alpha)
    return [(1 - above, density, math.nan), (above, None, 1.0)]


def interval(low: float, high: float) -> Rate:
    def density(r: float, rest: float) -> float:
        return 1 / (high - low) if low <= r <= high else 0.0

    return [(1.0, density, math.nan)]


def points(rates: Sequence[float]) -> Rate:
    """Return equal masses at ``rates``."""
    return [(1 / len(rates), None, rate) for rate in rates]


def mixture(weighted: Sequence[tuple[float, Rate]]) -> Rate:
    return [(w * mass, *rest) for w, rate in weighted for mass, *rest in rate]


def expectation(
    function: Callable[[float], float], rate: Rate, kinks: Sequence[float]
) -> float:
    """Return E[function(R)] of a function that is smooth between ``kinks``."""
    total = []
    for mass, density, point in rate:
        if density is None:
            total.append(mass * function(point))
            continue
        edges = sorted({0.0, 1.0, *(k for k in kinks if 0 < k < 1)})
        for low, high in pairwise(edges):
            total.append(mass * _panel(function, density, low, high))
    return math.fsum(total)


def _panel(
    function: Callable[[float], float], density: Density, low: float, high: float
) -> float:
    """Integrate over [low, high] with r = low + width sin^2(angle).

    The substitution removes what a density like r**-0.5 has at an end; 1 - r is not
    formed by a difference.
    """
    width = high - low

    def integrand(angle: float) -> float:
        sine, cosine = math.sin(angle), math.cos(angle)
        r, rest = low + width * sine**2, (1 - high) + width * cosine**2
        return density(r, rest) * function(r) * 2 * width * sine * cosine

    # Two halves, so that a peak within the panel is not overlooked.
    return math.fsum(
        integrate.quad(integrand, *ends, epsabs=1e-14, epsrel=1e-13, limit=200)[0]
        for ends in ((0, math.pi / 4), (math.pi / 4, math.pi / 2))
    )


class Ranking:
    """True and false positive rate as functions of the rate, by counting."""

    def __init__(self, y_true, y_score, sample_weight=None):
        weights = [1.0] * len(y_true) if sample_weight is None else sample_weight
        samples = list(zip(y_true, y_score, weights, strict=True))
        total = math.fsum(weights)
        self.pi0 = math.fsum(w for y, _, w in samples if y) / total
        self.pi1 = math.fsum(w for y, _, w in samples if not y) / total
        # (rate, F0, F1) at each threshold: everything at or above it is processed.
        self.corners = [(0.0, 0.0, 0.0)]
        for t in sorted({s for _, s, w in samples if w > 0}, reverse=True):
            f0 = math.fsum(w for y, s, w in samples if y and s >= t) / total / self.pi0
            f1 = math.fsum(w for y, s, w in samples if not y and s >= t)
            f1 = f1 / total / self.pi1
            self.corners.append((self.pi0 * f0 + self.pi1 * f1, f0, f1))
        self.kinks = [corner[0] for corner in self.corners] + [self.pi0, self.pi1]

    def at(self, r: float, which: int) -> float:
        """Return F0 (which=1) or F1 (which=2) at rate r: lines between the corners."""
        for left, right in pairwise(self.corners):
            if r <= right[0]:
                share = (r - left[0]) / (right[0] - left[0])
                return left[which] + share * (right[which] - left[which])
        return 1.0

    def f0(self, r: float) -> float:
        return self.at(r, 1)

    def f1(self, r: float) -> float:
        return self.at(r, 2)

    def f0_min(self, r: float) -> float:
        return max(0.0, (r - self.pi1) / self.pi0)

    def f0_max(self, r: float) -> float:
        return min(1.0, r / self.pi0)

    def accuracy(self, r: float) -> float:
        """Equation 1."""
        return self.pi0 * self.f0(r) + self.pi1 * (1 - self.f1(r))

    def accuracy_min(self, r: float) -> float:
        """Equation 4."""
        return abs(self.pi1 - r)

    def accuracy_max(self, r: float) -> float:
        """Equation 4."""
        return 1 - abs(self.pi0 - r)

    def mean(self, function: Callable[[float], float], rate: Rate) -> float:
        return expectation(function, rate, self.kinks)


def rauc_in_recall_space(y_true, y_score, rate: Rate, sample_weight=None) -> float:
    """Equations 10 and 11."""
    ranking = Ranking(y_true, y_score, sample_weight)
    above = ranking.mean(lambda r: ranking.f0(r) - ranking.f0_min(r), rate)
    whole = ranking.mean(lambda r: ranking.f0_max(r) - ranking.f0_min(r), rate)
    return above / whole


def rauc_in_accuracy_space(y_true, y_score, rate: Rate, sample_weight=None) -> float:
    """Equations 8 and 9."""
    ranking = Ranking(y_true, y_score, sample_weight)
    above = ranking.mean(lambda r: ranking.accuracy(r) - ranking.accuracy_min(r), rate)
    whole = ranking.mean(
        lambda r: ranking.accuracy_max(r) - ranking.accuracy_min(r), rate
    )
    return above / whole


def expected_recall(y_true, y_score, rate: Rate, sample_weight=None) -> float:
    """Return E[F0]."""
    ranking = Ranking(y_true, y_score, sample_weight)
    return ranking.mean(ranking.f0, rate)


def areas(pi0: float, rate: Rate) -> tuple[float, float]:
    """Return B and C, equations 15 and 14."""
    pi1 = 1 - pi0
    b = expectation(lambda r: max(0.0, (r - pi1) / pi0), rate, [pi1])
    c = expectation(lambda r: max(0.0, (pi0 - r) / pi0), rate, [pi0])
    return b, c


def rauc_by_algorithm_1(y_true, y_score, rate: Rate) -> float:
    """Algorithm 1, one slice of width 1/N per instance, ties triangles included.

    In equation 18 the second triangle must read H (1 - (r - r2) / (r3 - r2)).
    """
    n = len(y_true)
    n_pos = sum(y_true)
    n_neg = n - n_pos
    pi0, pi1 = n_pos / n, n_neg / n
    tp = fp = 0
    area = 0.0

    def mass(function: Callable[[float], float], low: float, high: float) -> float:
        def inside(r: float) -> float:
            return function(r) if low <= r <= high else 0.0

        return expectation(inside, rate, [low, high, pi1])

    for score in sorted(set(y_score), reverse=True):
        ties = [y for y, s in zip(y_true, y_score, strict=True) if s == score]
        plus, minus = sum(ties), len(ties) - sum(ties)
        r1, f0 = (tp + fp) / n, tp / n_pos
        # Negatives first: F0 stays, and acc = 2 pi0 F0 + pi1 - r.
        r2 = r1 + minus / n
        area += mass(lambda r, f0=f0: 2 * pi0 * f0 + pi1 - r - abs(r - pi1), r1, r2)
        # Then positives: F1 stays, and acc = r + pi1 - 2 pi1 F1.
        f1 = (fp + minus) / n_neg
        r3 = r2 + plus / n
        area += mass(lambda r, f1=f1: r + pi1 - 2 * pi1 * f1 - abs(r - pi1), r2, r3)
        if plus and minus:
            # Height of the triangle above r2: half way up the line from r1 to r3.
            start, corner = 2 * pi0 * f0 + pi1 - r1, 2 * pi0 * f0 + pi1 - r2
            end = r3 + pi1 - 2 * pi1 * f1
            height = start + (end - start) * (r2 - r1) / (r3 - r1) - corner
            first, second = _triangles(height, r1, r2, r3)
            area += mass(first, r1, r2) + mass(second, r2, r3)
        tp, fp = tp + plus, fp + minus

    def range_of_accuracy(r: float) -> float:
        return 1 - abs(pi0 - r) - abs(pi1 - r)

    return area / expectation(range_of_accuracy, rate, [pi0, pi1])


def _triangles(height: float, r1: float, r2: float, r3: float):
    """Return the two sides of a ties triangle, equation 18."""
    return (
        lambda r: height * (r - r1) / (r2 - r1),
        lambda r: height * (1 - (r - r2) / (r3 - r2)),
    )


def sum_over_groups(
    pos: np.ndarray,
    edges: np.ndarray,
    survival: Callable[[np.ndarray], np.ndarray],
    jumps: Sequence[float] = (),
) -> float:
    """Return expected recall as a plain sum, for rankings too long to integrate.

    Recall is linear within a group, so that groups may be cut: at the jumps of the
    survival function, to cells of at most 1e-4, and ever finer towards 0 and 1, where
    a density may be unbounded. Over a cell, Gauss and Legendre's rule has 5 points.
    """
    halves = 2.0 ** -np.arange(60)
    graded = np.concatenate([edges[1] * halves, 1 - (1 - edges[-2]) * halves])
    finer = np.unique(np.concatenate([edges, np.linspace(0, 1, 10_001), graded, jumps]))
    recall = np.interp(finer, edges, np.concatenate([[0.0], np.cumsum(pos)]))
    low, width = finer[:-1], np.diff(finer)
    nodes, weights = np.polynomial.legendre.leggauss(5)
    means = np.zeros(len(low))
    for node, weight in zip(nodes, weights, strict=True):
        means += weight / 2 * survival(low + width * (node + 1) / 2)
    return math.fsum(np.diff(recall) * means) / recall[-1]
