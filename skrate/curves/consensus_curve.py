"""The result of averaging ROC curves at equal rate."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.elicitation import check_rate
from skrate.core.validation import check_fraction
from skrate.curves.folds import Folds
from skrate.metrics.rate_weighted_auc import rate_weighted_auc


class CurvePoint(NamedTuple):
    """A value that is read off a consensus curve, with its interval.

    ``low`` and ``high`` are nan where the curve has no bounds, or where a bound does
    not reach so far.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class ConsensusCurve:
    """ROC curve of several folds, averaged at equal rate, with pointwise bounds.

    Returned by :func:`rate_averaged_roc_curve`; :class:`RateAveragedROC` draws it.
    All arrays are read-only and of shape (n_rates,) unless another is given.

    Attributes
    ----------
    rates : array
        Share of the cases of every fold that is processed, increasing.
    tpr, fpr : array
        Share of the positives and of the negatives of all folds among the processed.
    tpr_lower, tpr_upper : array or None
        Bounds of the recall at each rate; None without bounds.
    fpr_lower, fpr_upper : array or None
        With ``tpr_lower`` and ``tpr_upper`` the ROC points that the bounds stand for,
        on the isometric of the rate: the lower recall has the greater fpr.
    fold_tpr, fold_fpr : array of shape (n_folds, n_rates)
        The curves of the single folds, at the same rates.
    prevalence : float
        Share of the positives in all folds together.
    bounds : str or None
        The method of the bounds.
    confidence_level : float
        Probability that is meant to lie between the bounds, rate by rate.
    folds : object
        The rank tables of the folds, from which the methods compute.

    See Also
    --------
    rate_averaged_roc_curve : Computes it.
    RateAveragedROC : Draws it.

    Notes
    -----
    The methods read the curve at full resolution, not at ``rates`` only; bounds are
    linear between neighbouring ``rates``.

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
    tpr_lower: FloatArray | None
    tpr_upper: FloatArray | None
    fpr_lower: FloatArray | None
    fpr_upper: FloatArray | None
    fold_tpr: FloatArray
    fold_fpr: FloatArray
    prevalence: float
    bounds: str | None
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

    @property
    def accuracy(self) -> FloatArray:
        """Share of cases that are rightly processed or rightly left, at each rate."""
        return self._accuracy(self.tpr, self.fpr)

    @property
    def accuracy_lower(self) -> FloatArray | None:
        """Accuracy at the lower bound; None without bounds."""
        if self.tpr_lower is None or self.fpr_lower is None:
            return None
        return self._accuracy(self.tpr_lower, self.fpr_lower)

    @property
    def accuracy_upper(self) -> FloatArray | None:
        """Accuracy at the upper bound; None without bounds."""
        if self.tpr_upper is None or self.fpr_upper is None:
            return None
        return self._accuracy(self.tpr_upper, self.fpr_upper)

    def recall_at_rate(self, r: float) -> CurvePoint:
        """Return the recall with its bounds, if the share ``r`` is processed.

        Parameters
        ----------
        r : float
            Rate in [0, 1].

        Returns
        -------
        recall : CurvePoint
            Fields ``value``, ``low`` and ``high``.
        """
        r = check_fraction("r", r, include_zero=True, include_one=True)
        recalls = self.folds.tpr_at(np.array([r]))
        value = float(self.folds.pooled_count(recalls)[0]) / self.folds.n_pos
        if self.tpr_lower is None or self.tpr_upper is None:
            return CurvePoint(value, np.nan, np.nan)
        low, high = (
            float(np.interp(r, self.rates, bound, left=np.nan, right=np.nan))
            for bound in (self.tpr_lower, self.tpr_upper)
        )
        return CurvePoint(value, low, high)

    def rate_at_recall(self, recall: float) -> CurvePoint:
        """Return the least rate at which a recall is reached, with its bounds.

        How much must be processed to find that share of the positives? The interval
        runs from the rate at which the upper bound reaches it to that of the lower.

        Parameters
        ----------
        recall : float
            Recall in [0, 1].

        Returns
        -------
        rate : CurvePoint
            Fields ``value``, ``low`` and ``high``.
        """
        recall = check_fraction("recall", recall, include_zero=True, include_one=True)
        pooled = self.folds.pooled
        value = _first_rate(pooled.rates, pooled.tpr, recall)
        if self.tpr_lower is None or self.tpr_upper is None:
            return CurvePoint(value, np.nan, np.nan)
        low = _first_rate(self.rates, self.tpr_upper, recall)
        return CurvePoint(value, low, _first_rate(self.rates, self.tpr_lower, recall))

    def rate_weighted_auc(self, rate: Any = "uniform") -> float:
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

    def fold_rate_weighted_auc(self, rate: Any = "uniform") -> FloatArray:
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

    def _accuracy(self, tpr: FloatArray, fpr: FloatArray) -> FloatArray:
        return np.asarray(self.prevalence * tpr + (1 - self.prevalence) * (1 - fpr))

    def __repr__(self) -> str:
        bounds = "no bounds"
        if self.bounds is not None:
            bounds = f"bounds={self.bounds!r} at {self.confidence_level:g}"
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
    confidence_level: float,
) -> ConsensusCurve:
    """Return the curve of ``folds`` at ``rates``, with bounds of the pooled count."""
    processed = rates * (folds.n_pos + folds.n_neg)

    def point(count: FloatArray | None) -> list[FloatArray | None]:
        if count is None:
            return [None, None]
        return [count / folds.n_pos, (processed - count) / folds.n_neg]

    fold_tpr = folds.tpr_at(rates)
    tpr, fpr = point(folds.pooled_count(fold_tpr))
    lower, upper = (None, None) if counts is None else counts
    tpr_lower, fpr_lower = point(lower)
    tpr_upper, fpr_upper = point(upper)
    fold_fpr = folds.fpr_at(rates, fold_tpr)
    arrays = (rates, tpr, fpr, tpr_lower, tpr_upper, fpr_lower, fpr_upper)
    for array in (*arrays, fold_tpr, fold_fpr):
        if array is not None:
            array.flags.writeable = False
    return ConsensusCurve(
        *arrays,  # type: ignore[arg-type]
        fold_tpr,
        fold_fpr,
        folds.prevalence,
        bounds,
        confidence_level,
        folds,
    )


def _first_rate(rates: FloatArray, recalls: FloatArray, recall: float) -> float:
    """Return the least rate at which a curve reaches ``recall``, nan if nowhere."""
    recalls = np.maximum.accumulate(recalls)
    # The last sum may miss 1 by rounding.
    above = int(np.searchsorted(recalls, recall - 1e-12))
    if above == len(rates):
        return float("nan")
    if above == 0:
        return float(rates[0])
    before = slice(above - 1, above + 1)
    return float(np.interp(recall, recalls[before], rates[before]))
