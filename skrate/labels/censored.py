"""Estimated labels of events up to a horizon, if follow-up may end before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from skrate.data.checks import check_equal_length, check_positive
from skrate.data.estimated import EstimatedLabels, SelectedLabels
from skrate.labels.label_checks import check_numbers


def censored(time: ArrayLike, event: ArrayLike, horizon: float) -> EstimatedLabels:
    r"""Estimate labels of events up to a horizon, if some samples are lost before it.

    A sample is positive if it has an event, such as an illness, at or before the
    horizon, such as five years. If its follow-up ended before the horizon without an
    event, its label is unknown (it is censored, or lost). Metrics are biased if lost
    samples are left out or count as negative. Here, samples with a known label get
    larger weights, so that they also represent the lost ones. The AUC of these labels
    is the cumulative/dynamic AUC of ``sksurv.metrics.cumulative_dynamic_auc``.

    Parameters
    ----------
    time : array-like of shape (n_samples,)
        Time until the event or the end of follow-up, at least 0, in any unit, measured
        from the time of the score.
    event : array-like of shape (n_samples,)
        True or 1 if there was an event at ``time``, False or 0 if follow-up ended.
    horizon : float
        A sample is positive if it has an event at or before this time. In the unit of
        ``time``, above 0.

    Returns
    -------
    labels : EstimatedLabels
        Pass them as ``y_true`` to the functions of this package. If no sample was lost
        before the horizon, results are the same as with plain labels.

    Raises
    ------
    ValueError
        If lengths differ; if a time is negative or not finite; if an event is neither
        true nor false; if the horizon is not above 0; or if all samples had an event or
        were lost before the horizon, and the last of them was lost.

    See Also
    --------
    sampled : For labels that are missing because only some samples were labelled.

    Notes
    -----
    Let :math:`T_i` be the time of sample i, :math:`t` the horizon, and :math:`G(u-)`
    the Kaplan-Meier estimate of the probability that a sample is not lost before u. A
    sample with a known label, because it has an event by t or :math:`T_i \ge t`, has
    the weight :math:`w_i = 1 / G(\min(T_i, t)-)`. A lost sample has the weight 0 [1]_,
    [2]_. If an event and a loss have the same time, the event is first. A rate is a
    fraction of the sum of the weights. The loss of a sample must not depend on its
    score or on the time of its event.

    Let :math:`a_i` be the influence of sample i on the metric: the variance of the
    metric is the mean of :math:`a_i^2`, divided by n. The estimation of G adds to it

    .. math:: q_j = \int \frac{A(u)}{\pi(u)} \, dM_j(u), \quad
              A(u) = \frac 1 n \sum_{i:\, \min(T_i, t) > u} a_i,

    where :math:`M_j` is the martingale of the loss of sample j, and :math:`\pi(u)` the
    fraction of samples that is still followed up after u. Variances are smaller than
    with the true G. For the metric of this batch of samples (``for_batch()``), let
    :math:`d_i = a_i / w_i`, and let :math:`m_u` be the weighted mean of d over the
    samples at risk (still followed up) at u. Its variance is

    .. math:: \frac{1}{n^2} \sum_i w_i \sum_{u < T_i} (d_i - m_u)^2 \,
              \Delta \frac{1}{G(u)},

    as if the remaining samples were drawn from the samples at risk at each loss. Cost:
    one sort.

    References
    ----------
    .. [1] Uno, Cai, Tian and Wei (2007), Evaluating prediction rules for t-year
       survivors with censored regression models, :doi:`10.1198/016214507000000149`.
    .. [2] Hung and Chiang (2010), Estimation methods for time-dependent AUC models with
       survival data, :doi:`10.1002/cjs.10046`.

    Examples
    --------
    The second sample was lost after 2 years. The four samples that were followed up
    longer represent it, and get the weight 5/4:

    >>> from skrate import labels, recall_at_rate_score
    >>> time, event = [1, 2, 3, 5, 6, 6], [1, 0, 1, 0, 1, 0]
    >>> y_censored = labels.censored(time, event, horizon=5)
    >>> y_censored.pos.tolist()
    [1.0, 0.0, 1.25, 0.0, 0.0, 0.0]
    >>> y_censored.neg.tolist()
    [0.0, 0.0, 0.0, 1.25, 1.25, 1.25]
    >>> recall_at_rate_score(y_censored, [6, 5, 4, 3, 2, 1], rate=0.4)
    1.0
    """
    times = check_numbers("time", time)
    if times.min() < 0:
        raise ValueError(
            f"time must not be negative, got {times.min():g}: measure it from the time "
            "of the score."
        )
    events = check_numbers("event", event)
    check_equal_length(time=times, event=events)
    has_event = events == 1
    is_other = ~has_event & (events != 0)
    if is_other.any():
        raise ValueError(
            f"event must be True or False, 1 or 0, got {events[is_other][0]:g}."
        )
    horizon = check_positive("horizon", horizon)
    is_pos = has_event & (times <= horizon)
    is_lost = ~has_event & (times < horizon)
    zero = np.zeros(len(times))
    if not is_lost.any():
        return EstimatedLabels(is_pos.astype(np.float64), zero, "censored")
    ends = np.unique(times[is_lost])
    n_before = np.searchsorted(ends, times, side="left")
    n_lost = np.bincount(n_before[is_lost]).astype(np.float64)
    # Events precede losses at the same time.
    n_left = _tail_sums(n_before + is_lost, np.ones(len(times)), len(ends)) - n_lost
    if n_left[-1] == 0:
        raise ValueError(
            f"time and event: the last of the {len(times)} samples was lost at "
            f"{ends[-1]:g}, before horizon={horizon:g}: choose an earlier horizon."
        )
    followed = np.append(1.0, np.cumprod(n_left / (n_left + n_lost)))
    weight = np.where(is_lost, 0.0, 1 / followed[n_before])
    noise = np.sqrt(weight * np.maximum(weight - 1, 0))
    return CensoredLabels(
        np.where(is_pos, weight, 0.0),
        noise,
        "censored",
        weight=weight,
        is_lost=is_lost,
        n_before=n_before,
        n_lost=n_lost,
        n_left=n_left,
    )


def _tail_sums(counts: IntArray, values: FloatArray, n: int) -> FloatArray:
    """Return the sums of values over samples with a count above 0, 1, ..., n - 1."""
    sums = np.bincount(counts, values, minlength=n + 1)
    return np.asarray(np.cumsum(sums[::-1])[::-1][1:])


@dataclass(frozen=True, eq=False, repr=False)
class CensoredLabels(EstimatedLabels):
    """Estimated labels of events, with samples that were lost before the horizon.

    ``n_before`` is the number of times of losses before the end of each sample.
    ``n_lost`` and ``n_left`` are the numbers of losses at each such time, and of the
    samples that remain after it.
    """

    is_lost: BoolArray = None  # type: ignore[assignment]
    n_before: IntArray = None  # type: ignore[assignment]
    n_lost: FloatArray = None  # type: ignore[assignment]
    n_left: FloatArray = None  # type: ignore[assignment]

    def _select(self, index: IntArray) -> EstimatedLabels:
        return SelectedLabels.of(self, index)

    def influence(self, of_pos: FloatArray, of_neg: FloatArray) -> FloatArray:
        assert self.weight is not None
        terms = self.pos * of_pos + self.neg * of_neg
        left, n = self.n_left, len(self.n_left)
        hazard = self.n_lost / (left + self.n_lost)
        sums = _tail_sums(self.n_before, terms, n)
        if self.scope == "population":
            by_time = np.append(0.0, np.cumsum(sums / left * hazard))
            at_loss = self.is_lost * (sums / left)[np.minimum(self.n_before, n - 1)]
            influence = terms + at_loss - by_time[self.n_before + self.is_lost]
            return np.asarray(influence)
        # The deviation of each sample from the means over the samples at risk, by the
        # growth of its weight: from the average of these means, then of the means.
        at_risk = _tail_sums(self.n_before, self.weight, n)
        grown = np.diff(1 / np.cumprod(1 - hazard), prepend=1.0)
        means, by_time = sums / at_risk, np.cumsum(grown)
        average = np.cumsum(means * grown)
        excess = np.maximum(self.weight - 1, 0)
        deviation = terms * excess / np.maximum(self.weight, 1)
        deviation -= np.append(0.0, average)[self.n_before]
        rows = np.divide(
            self.noise * deviation, excess, out=np.zeros_like(excess), where=excess > 0
        )
        spread = np.sqrt(grown[1:] * by_time[:-1] / by_time[1:] * at_risk[1:])
        return np.append(rows, spread * (means[1:] - average[:-1] / by_time[:-1]))
