"""The law of the number of positives among the first k cases of a new fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import special

from skrate.curves.folds import Folds
from skrate.data.arrays import FloatArray, dot

# Rates at which case k cannot be drawn from, but with this probability.
_TAIL = 1e-14
# Between two cuts the integrand is a polynomial, for Gauss-Legendre quadrature; where
# the cuts are many, they are passed over by panels far narrower than the integrand.
_MAX_PANELS = 320
_MAX_NODES = 8
# Stands for 0 where a logarithm is taken or a quotient formed.
_TINY = 1e-300
# A count is left out if it is less likely than this, as are all beyond it.
_NEGLIGIBLE = 1e-13


JointLaw: TypeAlias = tuple[int, FloatArray, FloatArray]


class CountLaw(NamedTuple):
    """Law of the positives found in a fold by processing k cases, k maybe fractional.

    With probability ``sure[i]`` the positives are ``first + i``, and with probability
    ``partial[i]`` they are ``first + i + fraction``: of the last case, which happens
    to be positive, only a fraction is processed.
    """

    first: int
    sure: FloatArray
    partial: FloatArray
    fraction: float

    def moments(self) -> tuple[float, float]:
        """Return mean and variance."""
        counts = self.first + np.arange(len(self.sure))
        mean = dot(counts, self.sure) + dot(counts + self.fraction, self.partial)
        variance = dot((counts - mean) ** 2, self.sure)
        variance += dot((counts + self.fraction - mean) ** 2, self.partial)
        return float(mean), float(variance)


@dataclass(frozen=True)
class FoldSource:
    """A ROC curve as a source of folds with ``n_pos`` and ``n_neg`` cases.

    ``tpr`` and ``fpr`` are those of the curve at each of its cuts: the distribution
    functions of the place where a positive and a negative is drawn from. ``places``
    runs from 0 to 1 as the rate of the fold itself does on average.
    """

    n_pos: int
    n_neg: int
    tpr: FloatArray
    fpr: FloatArray
    places: FloatArray

    @classmethod
    def of(cls, folds: Folds, n_pos: int, n_neg: int) -> FoldSource:
        """Return the curve that folds share, with the cases ``added`` to each class.

        Half of one lies above all others, half below: folds that are without an
        error up to a rate do not show that there is none.
        """
        shared, added = folds.shared, folds.added
        if not added:
            return cls.along(shared.tpr, shared.fpr, n_pos, n_neg)
        tpr, fpr = (
            np.concatenate([[0.0], (added / 2 + above) / (added + above[-1]), [1.0]])
            for above in (shared.cum_pos, shared.cum_neg)
        )
        return cls.along(tpr, fpr, n_pos, n_neg)

    @classmethod
    def along(
        cls, tpr: FloatArray, fpr: FloatArray, n_pos: int, n_neg: int
    ) -> FoldSource:
        """Return the source of folds of one size that a curve is."""
        return cls(
            n_pos, n_neg, tpr, fpr, (n_pos * tpr + n_neg * fpr) / (n_pos + n_neg)
        )

    def laws(self, numbers: Iterable[float]) -> list[CountLaw]:
        """Return the laws of the positives found by processing numbers of cases."""
        # Numbers that cut the same case share its law.
        joint_law = lru_cache(maxsize=None)(self._joint_law)
        return [self._law(k, joint_law) for k in numbers]

    def law(self, k: float) -> CountLaw:
        """Return the law for one number of cases."""
        return self.laws([k])[0]

    def _law(self, k: float, joint_law: Callable[[int], JointLaw]) -> CountLaw:
        n = self.n_pos + self.n_neg
        # k / n * n may miss the integer it stands for by rounding.
        k = round(k) if abs(k - round(k)) < 1e-9 * n else k
        one, none = np.ones(1), np.zeros(1)
        if k <= 0:
            return CountLaw(0, one, none, 0.0)
        if k >= n:
            return CountLaw(self.n_pos, one, none, 0.0)
        item = int(np.ceil(k))
        first, is_pos, is_neg = joint_law(item)
        if item == k:
            return CountLaw(first, is_pos + is_neg, np.zeros(len(is_pos)), 0.0)
        # A count s of is_pos holds case `item`, of which a fraction is processed: it
        # stands for s - 1 positives and that fraction. A count of is_neg is as it says,
        # which is one place further on.
        sure, partial = np.append(0.0, is_neg), np.append(is_pos, 0.0)
        return CountLaw(first - 1, sure, partial, float(k - (item - 1)))

    def _joint_law(self, k: int) -> JointLaw:
        """Return the law of (positives among the first k, class of case k).

        The first value belongs to the count that is returned first, and the arrays
        to case k being positive and negative.
        """
        tpr, fpr, tpr_weight, fpr_weight = self._nodes(k)
        least, most = max(0, k - self.n_neg), min(k, self.n_pos)
        center, width = self._expected_window(k)
        # The window is a guess to first order: it grows until what is left out at both
        # ends is negligible, or there is nothing left to add.
        while True:
            low = max(least, int(np.floor(center - width)))
            high = min(most, int(np.ceil(center + width)))
            counts = np.arange(low, high + 1.0)
            likelihood = self._likelihood(k, counts, tpr, fpr)
            # Any of the `counts` positives may be the k-th case: the other ones lie
            # above it, hence one factor tpr less than in the likelihood, and the
            # increment of tpr where the case itself lies.
            is_pos = counts * ((tpr_weight / tpr) @ likelihood)
            is_neg = (k - counts) * ((fpr_weight / fpr) @ likelihood)
            ends = (is_pos + is_neg)[[0, -1]] < _NEGLIGIBLE
            if (low == least or ends[0]) and (high == most or ends[1]):
                break
            width *= 2
        # It is 1 but for the quadrature, the error of which is shared by all counts.
        total = is_pos.sum() + is_neg.sum()
        return low, is_pos / total, is_neg / total

    def _likelihood(
        self, k: int, counts: FloatArray, tpr: FloatArray, fpr: FloatArray
    ) -> FloatArray:
        """Return P(s positives and k - s negatives lie above the cut), node by count.

        A product of two binomials whose logarithm is linear in the count s, but for
        the binomial coefficients.
        """
        log_tpr, log_miss = np.log(tpr), np.log(np.maximum(1 - tpr, _TINY))
        log_fpr, log_spared = np.log(fpr), np.log(np.maximum(1 - fpr, _TINY))
        slope = log_tpr - log_miss - log_fpr + log_spared
        base = self.n_pos * log_miss + k * log_fpr + (self.n_neg - k) * log_spared
        ways = _log_choose(self.n_pos, counts) + _log_choose(self.n_neg, k - counts)
        # In place: nodes by counts are the largest array here.
        exponent = np.multiply.outer(slope, counts)
        exponent += ways
        exponent += base[:, None]
        np.exp(exponent, out=exponent)
        return np.asarray(exponent)

    def _nodes(self, k: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return tpr and fpr where case k may be drawn from, with their increments."""
        n = self.n_pos + self.n_neg
        # Were its rates uniform, case k of n would be a beta variable. Drawn with fixed
        # numbers of both classes it spreads no more than that.
        low = special.betaincinv(k, n - k + 1, _TAIL)
        # By the lower tail of the mirrored variable: 1 - 1e-14 has few digits left.
        high = 1 - special.betaincinv(n - k + 1, k, _TAIL)
        inner = self.places[(self.places > low) & (self.places < high)]
        if len(inner) >= _MAX_PANELS:
            # The first and the last remain: there the case ends that was added.
            panels = np.linspace(low, high, _MAX_PANELS + 1)[1:-1]
            inner = np.union1d(panels, inner[[0, -1]])
        edges = np.concatenate([[low], inner, [high]])
        # As many nodes in all, few per panel where there are many panels.
        n_nodes = int(np.clip(_MAX_PANELS // (len(edges) - 1), 1, _MAX_NODES))
        nodes, weights = _gauss_legendre(n_nodes)
        parts = []
        for curve in (self.tpr, self.fpr):
            at_edges = np.interp(edges, self.places, curve)
            rise = np.diff(at_edges)[:, None]
            values = at_edges[:-1, None] + rise * (nodes + 1) / 2
            parts.append((np.maximum(values, _TINY).ravel(), rise * weights / 2))
        (tpr, tpr_weight), (fpr, fpr_weight) = parts
        return tpr, fpr, tpr_weight.ravel(), fpr_weight.ravel()

    def _expected_window(self, k: int) -> tuple[float, float]:
        """Return the middle and half-width of the counts that are likely."""
        n = self.n_pos + self.n_neg
        place = k / n
        # Where it is 0, at the last case, a cell's width tells the slope as well.
        spread = np.sqrt(place * (1 - place) / n) + 1 / n
        around = np.clip([place - spread, place, place + spread], 0, 1)
        tpr = np.interp(around, self.places, self.tpr)
        fpr = np.interp(around, self.places, self.fpr)
        gain_pos = self.n_pos * (tpr[2] - tpr[0])
        gain_neg = self.n_neg * (fpr[2] - fpr[0])
        # To first order S_k = A - slope * (A + B - k), where A positives and B
        # negatives are drawn from above the place k / n.
        slope = gain_pos / (gain_pos + gain_neg)
        variance = (1 - slope) ** 2 * self.n_pos * tpr[1] * (1 - tpr[1])
        variance += slope**2 * self.n_neg * fpr[1] * (1 - fpr[1])
        # Ten more, for where the variance to first order is next to nothing.
        return self.n_pos * tpr[1], 8 * float(np.sqrt(variance)) + 10


def _log_choose(n: int, k: FloatArray) -> FloatArray:
    """Return the logarithm of the binomial coefficient."""
    log_factorial = special.gammaln
    return np.asarray(
        log_factorial(n + 1) - log_factorial(k + 1) - log_factorial(n - k + 1)
    )


@lru_cache(maxsize=_MAX_NODES)
def _gauss_legendre(n_nodes: int) -> tuple[FloatArray, FloatArray]:
    return special.roots_legendre(n_nodes)  # type: ignore[no-any-return]
