"""What is found of a batch of new cases: the cases marked, and whether they drift."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from skrate.core.results import ConfidenceInterval, Result
from skrate.data.arrays import Array, BoolArray


@dataclass(frozen=True)
class MarkedBatch(Result):
    """The top of a batch, as :meth:`RateThresholdClassifier.predict_batch` returns it.

    Attributes
    ----------
    labels : ndarray of shape (n_items,)
        The label of each case: the positive one where it is marked.
    is_marked : ndarray of shape (n_items,)
        Whether each case is marked.
    n_items : int
        Number of cases in the batch.
    n_marked : int
        Number of those marked.
    rate : float
        Their share.
    threshold : float
        Least score of those marked; infinite where none is.
    n_tied : int
        Number of cases with that score, marked or not.
    n_drawn : int
        How many of these were marked; drawn at random if it is not all of them.

    See Also
    --------
    RateThresholdClassifier : Makes it.

    Examples
    --------
    Of three cases with the same score, chance decides which two are marked:

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skrate import RateThresholdClassifier
    >>> X, y = [[0], [0], [0], [1], [1], [1]], [0, 0, 1, 0, 1, 1]
    >>> tree = DecisionTreeClassifier().fit(X, y)
    >>> model = RateThresholdClassifier(
    ...     tree, rate=0.6, cv="prefit"
    ... ).fit(X)
    >>> batch = model.predict_batch(
    ...     [[1], [1], [0], [1]], random_state=0
    ... )
    >>> batch
    MarkedBatch(2 of 4 marked, those of score 0.666667 and above; 2 drawn of 3
    tied)
    >>> int(batch.labels.sum())
    2
    """

    labels: Array = field(compare=False)
    is_marked: BoolArray = field(compare=False)
    n_items: int
    n_marked: int
    rate: float
    threshold: float
    n_tied: int
    n_drawn: int

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, without the cases.

        Returns
        -------
        values : dict
            The fields other than ``labels`` and ``is_marked``, which have an entry for
            each case.
        """
        values = super().to_dict()
        of_cases = ("labels", "is_marked")
        return {name: one for name, one in values.items() if name not in of_cases}

    def __repr__(self) -> str:
        text = f"{self.n_marked:,} of {self.n_items:,} marked"
        if self.n_marked:
            text += f", those of score {self.threshold:g} and above"
        if self.n_drawn < self.n_tied:
            text += f"; {self.n_drawn:,} drawn of {self.n_tied:,} tied"
        return f"{type(self).__name__}({text})"


@dataclass(frozen=True)
class AchievedRate(Result):
    """What a threshold marks of a batch, and whether that is what it should.

    Attributes
    ----------
    n_items : int
        Number of cases in the batch.
    n_marked : int
        Number of those at the threshold and above.
    rate : float
        Their share.
    expected_rate : float
        What is expected of new cases that are like the held-out ones.
    rate_interval : ConfidenceInterval
        The central range of the share in batches of this size, at
        ``confidence_level``; its ends are ``.low`` and ``.high``.
    pvalue : float
        Probability of a share as far off, if the batch is like the held-out cases;
        two-sided. It takes into account that those were a sample: where that was an
        unlucky one, nothing is unusual.
    capacity_pvalue : float
        Probability of so many marked, or more, if the threshold marks no larger a share
        of all cases than keeps the capacity as it was asked for: in batches of
        ``n_items`` with ``confidence``, else on average. It does not matter whether
        drift or an unlucky sample is the reason.
    confidence_level : float
        Level of the range.
    looks : int
        Batches that are looked at in all, for which both p-values are adjusted.

    See Also
    --------
    RateThresholdClassifier : Makes it, by ``achieved_rate``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrate import RateThresholdClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> y = (X[:, 0] + rng.normal(size=600) > 1).astype(int)
    >>> model = RateThresholdClassifier(
    ...     LogisticRegression(), rate=0.2
    ... ).fit(X, y)
    >>> model.achieved_rate(rng.normal(size=(100, 3)))
    AchievedRate(18 of 100 marked, 0.18 where 0.1997 is expected, p = 0.755;
    that the
    capacity is kept, p = 0.729)

    A month in which the first feature was measured in other units:

    >>> drifted = rng.normal(size=(100, 3)) + [1, 0, 0]
    >>> bool(model.achieved_rate(drifted).pvalue < 0.001)
    True
    """

    n_items: int
    n_marked: int
    rate: float
    expected_rate: float
    rate_interval: ConfidenceInterval
    pvalue: float
    capacity_pvalue: float
    confidence_level: float
    looks: int

    def __repr__(self) -> str:
        looks = "" if self.looks == 1 else f", over {self.looks} looks"
        return (
            f"{type(self).__name__}({self.n_marked:,} of {self.n_items:,} marked, "
            f"{self.rate:.4g} where {self.expected_rate:.4g} is expected, "
            f"p = {self.pvalue:.3g}; that the capacity is kept, "
            f"p = {self.capacity_pvalue:.3g}{looks})"
        )
