"""The result of averaging ROC curves at equal rate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from skrate.core.results import ConfidenceInterval, Result, t_quantile
from skrate.curves.consensus_bounds import between
from skrate.curves.folds import Folds
from skrate.data.arrays import FloatArray
from skrate.data.checks import check_fraction
from skrate.metrics.at_recall import RecallTest
from skrate.metrics.base import Sizes
from skrate.metrics.rate_weighted_auc import rate_weighted_auc
from skrate.rates.laws import RateLike, check_rate

# Bounds from the spread over folds, which have no number of cases.
_OF_SPREAD = ("normal", "beta")


@dataclass(frozen=True)
class CurvePoint(Result):
    """A value that is read off a consensus curve, with its interval.

    Attributes
    ----------
    value : float
        The recall at a rate, or the rate at a recall.
    confidence_interval : ConfidenceInterval
        Its ends are ``.low`` and ``.high``: nan where the curve has no bounds, or
        where a bound does not reach so far.
    confidence_level : float
        Level of the interval.

    See Also
    --------
    ConsensusCurve : Its methods ``recall_at_rate`` and ``rate_at_recall`` return it.

    Examples
    --------
    >>> from skrate import rate_averaged_roc_curve
    >>> curve = rate_averaged_roc_curve(
    ...     [[1, 0, 1, 0, 0]], [[5, 4, 3, 2, 1]]
    ... )
    >>> curve.recall_at_rate(0.6).to_dict()
    {'value': 1.0, 'low': 0.0, 'high': 1.0, 'confidence_level': 0.95}
    """

    value: float
    confidence_interval: ConfidenceInterval
    confidence_level: float


class CurveBound(NamedTuple):
    """A curve that bounds another one, at the same rates."""

    tpr: FloatArray
    fpr: FloatArray
    accuracy: FloatArray


class CurveInterval(NamedTuple):
    """The two curves between which another one is meant to lie."""

    low: CurveBound
    high: CurveBound


@dataclass(frozen=True, eq=False, repr=False)
class ConsensusCurve(Result):
    """ROC curve of several folds, averaged at equal rate, with bounds.

    Returned by :func:`rate_averaged_roc_curve`; :class:`RateAveragedROC` draws it.
    All arrays are read-only and of shape (n_rates,) unless another is given.

    Attributes
    ----------
    rates : array
        Share of the cases of every fold that is processed, increasing.
    tpr, fpr : array
        Share of the positives and of the negatives of all folds among the processed.
    accuracy : array
        Share of the cases that are rightly processed or rightly left.
    confidence_interval : object or None
        The bounds, for one rate or for all at once as ``band`` says: ``.low`` and
        ``.high`` are curves with ``.tpr``, ``.fpr`` and ``.accuracy`` at the same
        ``rates``. On the isometric of a rate the lower recall
        has the greater fpr. None without bounds.
    fold_tpr, fold_fpr : array of shape (n_folds, n_rates)
        The curves of the single folds, at the same rates.
    prevalence : float
        Share of the positives in all folds together.
    bounds : str or None
        The method of the bounds.
    band : str
        Whether the bounds are "pointwise", each for its own rate, or "simultaneous",
        for the whole curve.
    confidence_level : float
        Probability that is meant to lie between the bounds, rate by rate or at all
        rates together.
    folds : object
        The rank tables of the folds, from which the methods compute.

    See Also
    --------
    rate_averaged_roc_curve : Computes it.
    RateAveragedROC : Draws it.

    Notes
    -----
    The methods read the curve at full resolution, not at ``rates`` only. The bounds are
    computed at ``rates``; in between their distances from the curve are interpolated,
    so that ``rates`` should hold those that matter. An interval that is read off a
    simultaneous band holds together with all others that are; one of pointwise bounds
    is for a rate that was chosen without looking at the curve.

    Pointwise bounds say where new folds would lie if this were their curve. Read from
    the side they would be too sure: where the sample found all but a few positives, new
    folds do too, but the population may lack more. :meth:`rate_at_recall` therefore
    tests at which rates the folds may have that recall, as :func:`estimate` does for
    :func:`rate_at_recall_score`, with the class counts of the folds held.

    Examples
    --------
    >>> from skrate import rate_averaged_roc_curve
    >>> y_trues = [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0]]
    >>> y_scores = [[5, 4, 3, 2, 1]] * 2
    >>> curve = rate_averaged_roc_curve(y_trues, y_scores)
    >>> curve
    ConsensusCurve(2 folds, prevalence=0.4, 6 rates, bounds='exact' at 0.95)
    >>> curve.recall_at_rate(0.4).value
    0.75
    >>> curve.rate_at_recall(0.75).value
    0.4
    """

    rates: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    accuracy: FloatArray
    confidence_interval: CurveInterval | None
    fold_tpr: FloatArray
    fold_fpr: FloatArray
    prevalence: float
    bounds: str | None
    band: str
    confidence_level: float
    folds: Folds = field(repr=False)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.fold_tpr)

    @property
    def n_repeats(self) -> int:
        """Number of repeats of the cross-validation; the bounds are means of theirs."""
        return len(self.folds.by_repeat)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per rate, as ``pandas.DataFrame`` does.

        Returns
        -------
        columns : dict of list
            "rate", "tpr", "fpr" and "accuracy", the last three of the bounds as well:
            "tpr_low", "tpr_high" and so on.
        """
        names = CurveBound._fields
        columns = {"rate": self.rates} | {name: getattr(self, name) for name in names}
        if self.confidence_interval is not None:
            for end, bound in self.confidence_interval._asdict().items():
                for name, values in bound._asdict().items():
                    columns[f"{name}_{end}"] = values
        return {name: values.tolist() for name, values in columns.items()}

    def recall_at_rate(self, r: float) -> CurvePoint:
        """Return the recall with its bounds, if the share ``r`` is processed.

        Parameters
        ----------
        r : float
            Rate in [0, 1].

        Returns
        -------
        recall : CurvePoint
            With ``value`` and ``confidence_interval``.
        """
        r = check_fraction("r", r, include_zero=True, include_one=True)
        recalls = self.folds.tpr_at(np.array([r]))
        value = float(self.folds.pooled_count(recalls)[0]) / self.folds.n_pos
        after = int(np.searchsorted(self.rates, r))
        if self.confidence_interval is None or after == len(self.rates):
            return self._point(value)
        if self.rates[after] == r:
            low, high = (float(bound.tpr[after]) for bound in self.confidence_interval)
            return self._point(value, low, high)
        if after == 0:
            return self._point(value)
        rates, *bounds = self._bounds_before(after)
        return self._point(value, *(float(np.interp(r, rates, end)) for end in bounds))

    def rate_at_recall(self, recall: float) -> CurvePoint:
        """Return the least rate at which a recall is reached, with its interval.

        How much must be processed to find that share of the positives? Of pointwise
        bounds that count cases the interval holds the rates at which a test does not
        reject that recall, so that the true rate is beyond its end no more often than
        the level says. Of a simultaneous band, and of the "normal" and "beta" bounds,
        it runs from the rate at which the upper bound reaches the recall to that of the
        lower.

        Parameters
        ----------
        recall : float
            Recall in [0, 1].

        Returns
        -------
        rate : CurvePoint
            With ``value`` and ``confidence_interval``.
        """
        recall = check_fraction("recall", recall, include_zero=True, include_one=True)
        pooled = self.folds.pooled
        value = _first_rate(pooled.rates, pooled.tpr, recall)
        if self.confidence_interval is None:
            return self._point(value)
        if recall > 0 and self.band == "pointwise" and self.bounds not in _OF_SPREAD:
            return self._point(value, *self._tested_rates(recall, value))
        # The upper bound of the recall reaches it first, maybe before the first rate.
        first = self._bound_reaches("high", recall)
        if self.confidence_interval.high.tpr[0] > recall:
            first = 0.0
        return self._point(value, first, self._bound_reaches("low", recall))

    def rate_weighted_auc(self, rate: RateLike = "uniform") -> float:
        """Return the rate-weighted AUC of the consensus curve; the AUC by default.

        It is the mean of the folds' if these share one prevalence.

        Parameters
        ----------
        rate : "uniform", float or distribution, default="uniform"
            The share that will be processed, as in :func:`rate_weighted_auc_score`.

        Returns
        -------
        score : float
            In [0, 1]; nan where all rankings are alike under ``rate``.
        """
        return rate_weighted_auc(self.folds.pooled, check_rate(rate))

    def fold_rate_weighted_auc(self, rate: RateLike = "uniform") -> FloatArray:
        """Return the rate-weighted AUC of each fold; the AUC by default.

        Parameters
        ----------
        rate : "uniform", float or distribution, default="uniform"
            The share that will be processed, as in :func:`rate_weighted_auc_score`.

        Returns
        -------
        scores : array of shape (n_folds,)
            Each in [0, 1]; nan where all rankings are alike under ``rate``.
        """
        rate = check_rate(rate)
        return np.array([rate_weighted_auc(t, rate) for t in self.folds.tables])

    def _tested_rates(self, recall: float, rate: float) -> tuple[float, float]:
        """Return the first and the last rate with which the recall may go."""
        # Further repeats test the same cases.
        n_pos = self.folds.n_pos / self.n_repeats
        n_neg = self.folds.n_neg / self.n_repeats
        sizes = Sizes(n_pos, n_neg, are_fixed=True)
        test = RecallTest(self.folds.pooled, sizes, rate, recall)
        quantile = t_quantile(self.confidence_level, max(n_pos - 1, 1))
        return test.first_above(-quantile), test.last_below(quantile)

    def _bounds_before(self, after: int) -> list[FloatArray]:
        """Return rates from one of ``rates`` to that numbered, and the bounds there."""
        cell = slice(after - 1, after + 1)
        ends = [bound.tpr[cell] for bound in self.confidence_interval or ()]
        lower, upper = (end * self.folds.n_pos for end in ends)
        rates, *counts = between(
            self.folds, self.rates[cell], lower, upper, self.bounds
        )
        recalls = [count / self.folds.n_pos for count in counts]
        for recall, end in zip(recalls, ends, strict=True):
            recall[[0, -1]] = end
        return [rates, *recalls]

    def _bound_reaches(self, side: Literal["low", "high"], recall: float) -> float:
        """Return the least rate at which a bound reaches ``recall``, nan if nowhere."""
        bound = getattr(self.confidence_interval, side).tpr
        after = _first_place(bound, recall)
        if not 0 < after < len(bound):
            return _first_rate(self.rates, bound, recall)
        rates, low, high = self._bounds_before(after)
        return _first_rate(rates, low if side == "low" else high, recall)

    def _point(
        self, value: float, low: float = np.nan, high: float = np.nan
    ) -> CurvePoint:
        # What is left is rounding, and bounds that begin after the curve.
        interval = ConfidenceInterval(
            low if np.isnan(low) else min(low, value),
            high if np.isnan(high) else max(high, value),
        )
        return CurvePoint(value, interval, self.confidence_level)

    def __repr__(self) -> str:
        bounds = "no bounds"
        if self.bounds is not None:
            kind = "simultaneous " if self.band == "simultaneous" else ""
            bounds = f"{kind}bounds={self.bounds!r} at {self.confidence_level:g}"
        folds = f"{self.n_folds} folds"
        if self.n_repeats > 1:
            folds += f" in {self.n_repeats} repeats"
        return (
            f"ConsensusCurve({folds}, prevalence={self.prevalence:.3g}, "
            f"{len(self.rates)} rates, {bounds})"
        )


def consensus_curve(
    folds: Folds,
    rates: FloatArray,
    counts: tuple[FloatArray, FloatArray] | None,
    bounds: str | None,
    band: str,
    confidence_level: float,
) -> ConsensusCurve:
    """Return the curve of ``folds`` at ``rates``, with bounds of the pooled count."""
    p = folds.prevalence
    processed = rates * (folds.n_pos + folds.n_neg)

    def at(count: FloatArray) -> CurveBound:
        """Return where the rates are met by curves that find ``count`` positives."""
        tpr, fpr = count / folds.n_pos, (processed - count) / folds.n_neg
        if bounds != "normal":
            # What is left but for rounding.
            fpr = np.clip(fpr, 0, 1)
        return CurveBound(tpr, fpr, np.asarray(p * tpr + (1 - p) * (1 - fpr)))

    fold_tpr = folds.tpr_at(rates)
    fold_fpr = folds.fpr_at(rates, fold_tpr)
    curve = at(folds.pooled_count(fold_tpr))
    interval = None if counts is None else CurveInterval(*map(at, counts))
    for array in (rates, fold_tpr, fold_fpr, *curve, *sum(interval or (), ())):
        array.flags.writeable = False
    return ConsensusCurve(
        rates,
        *curve,
        interval,
        fold_tpr,
        fold_fpr,
        p,
        bounds,
        band,
        confidence_level,
        folds,
    )


def _first_rate(rates: FloatArray, recalls: FloatArray, recall: float) -> float:
    """Return the least rate at which a curve reaches ``recall``, nan if nowhere."""
    above = _first_place(recalls, recall)
    if above == len(rates):
        return float("nan")
    if above == 0:
        return float(rates[0])
    before = slice(above - 1, above + 1)
    return float(np.interp(recall, recalls[before], rates[before]))


def _first_place(recalls: FloatArray, recall: float) -> int:
    """Return the place of the first of ``recalls`` that is no less than ``recall``."""
    # The last sum may miss 1 by rounding.
    return int(np.searchsorted(np.maximum.accumulate(recalls), recall - 1e-12))
