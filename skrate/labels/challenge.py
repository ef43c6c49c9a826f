"""A challenger beside the champion, by a few labels a week, until one of them wins."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np

from skrate.data.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    Label,
    RandomState,
)
from skrate.data.checks import (
    check_count,
    check_equal_length,
    check_fraction,
    check_generator,
    check_number,
    check_scores,
    check_shares,
    warn,
)
from skrate.inference.compare import compare
from skrate.inference.compare_batches import (
    BatchComparison,
    error_of_look,
    sequence_of_looks,
)
from skrate.labels.plan import LabelPlan, learnt, plan_labels
from skrate.metrics.base import MetricLike, check_metric_first, find_metric, question_of

Decision = Literal["replace", "keep", "go on"]


class Challenge:
    r"""Find out by a few labels a week whether a challenger beats the champion.

    The champion is deployed, so only the cases that it selects get labels, and these
    are the wrong cases for judging a challenger. Each week, plan which cases to label
    where the two models disagree, update the difference, and read the decision: replace
    the champion, keep it, or go on.

    Parameters
    ----------
    metric : callable or str
        As :func:`skrate.estimate` takes it, such as "recall_at_rate".
    n_labels : int
        How many cases are labelled each week, at least 2.
    n_weeks : int, default=10
        About how many weeks there will be: intervals are narrowest then. They hold for
        any number.
    margin : float, default=0.0
        The gain that makes a replacement worth while, not negative.
    floor : float, default=0.1
        The share of the labels that is drawn at random, as in :func:`plan_labels`.
    confidence_level : float, default=0.95
        Level at which the intervals of all weeks hold together, in (0, 1).
    random_state : int, Generator or RandomState, default=None
        Source of the draws.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Attributes
    ----------
    decision : {"replace", "keep", "go on"}
        "replace" from the week on in which the whole interval of challenger - champion
        is above ``margin``, "keep" from that in which it is below; it is never revoked.
    comparison : BatchComparison
        The differences so far, a row per week, challenger - champion.

    Raises
    ------
    ValueError
        For a metric that takes no estimated labels, a number of labels or a level that
        is out of range, and as :func:`plan_labels` for the data of a week.

    See Also
    --------
    plan_labels : The labels of a single week.
    skrate.compare_batches : Two models whose batches are labelled whole.

    Notes
    -----
    Each week's difference is estimated by :func:`skrate.compare` from the labels of
    :func:`plan_labels`, and the weeks are put together as
    :func:`skrate.compare_batches` does. If both models are equally good, the
    probability that either is ever preferred is at most 1 - ``confidence_level``;
    a wrong replacement has at most half of that. Weeks are taken for independent. A
    plan may learn from labels of earlier weeks, and labels may arrive in any order.
    Cost: a plan and a comparison each week.

    Examples
    --------
    >>> import numpy as np
    >>> from skrate.labels import Challenge
    >>> rng = np.random.default_rng(0)
    >>> challenge = Challenge(
    ...     "recall_at_rate", 100, rate=0.1, random_state=0
    ... )
    >>> while challenge.decision == "go on":
    ...     y_true = rng.random(4_000) < 0.05
    ...     champion, challenger = rng.normal(size=(2, 4_000))
    ...     champion += 1.5 * y_true
    ...     challenger += 2.5 * y_true
    ...     processed = champion >= np.quantile(champion, 0.9)
    ...     known = np.where(processed, y_true, np.nan)
    ...     plan = challenge.plan(champion, challenger, known=known)
    ...     came_in = processed | plan.is_drawn
    ...     _ = challenge.update(np.where(came_in, y_true, np.nan))
    >>> challenge.decision
    'replace'
    """

    def __init__(
        self,
        metric: MetricLike,
        n_labels: int,
        *,
        n_weeks: int = 10,
        margin: float = 0.0,
        floor: float = 0.1,
        confidence_level: float = 0.95,
        random_state: RandomState = None,
        **metric_kwargs: Any,
    ) -> None:
        check_metric_first(metric)
        self._metric = find_metric(metric, metric_kwargs)
        self._asked = metric, metric_kwargs
        self._n_labels = check_count("n_labels", n_labels, minimum=2)
        self._n_weeks = check_count("n_weeks", n_weeks)
        self._margin = check_number("margin", margin)
        if self._margin < 0:
            raise ValueError(
                f"margin must not be negative, found {margin}: give the gain that "
                "makes a replacement worth while, 0 for any."
            )
        self._floor = float(check_shares("floor", floor))
        self._level = check_fraction("confidence_level", confidence_level)
        self._generator = check_generator(random_state)
        self._pending: list[tuple[LabelPlan, FloatArray]] = []
        # What came in: number of cases, of positives, difference and error by week.
        self._weeks: list[tuple[int, int, float, float]] = []
        self._seen: list[tuple[Array, BoolArray]] = []
        self.decision: Decision = "go on"

    def plan(
        self,
        champion_scores: ArrayLike,
        challenger_scores: ArrayLike,
        *,
        known: ArrayLike | None = None,
        probability: ArrayLike | None = None,
        pos_label: Label = None,
    ) -> LabelPlan:
        """Plan the labels of a week.

        Parameters
        ----------
        champion_scores, challenger_scores : array-like of shape (n_samples,)
            Scores of all cases of the week, higher for the positive class.
        known : array-like of shape (n_samples,), default=None
            Labels there are anyway, such as of the cases that were processed; nan or
            None elsewhere.
        probability : array-like of shape (n_samples,), default=None
            The probability that each case is positive. None learns it from the labels
            of earlier weeks or, in the first ones, from those that are known.
        pos_label : int, float, bool or str, default=None
            The positive label of ``known``.

        Returns
        -------
        plan : LabelPlan
            With ``is_drawn``, the cases to label.
        """
        given = {
            "champion_scores": champion_scores, "challenger_scores": challenger_scores
        }  # fmt: skip
        both = {name: check_scores(name, each) for name, each in given.items()}
        check_equal_length(**both)
        scores = np.column_stack([each.astype(np.float64) for each in both.values()])
        if probability is None and self._seen:
            columns, are_pos = (
                np.concatenate(part) for part in zip(*self._seen, strict=True)
            )
            if 5 <= np.count_nonzero(are_pos) <= len(are_pos) - 5:
                probability = learnt(columns, are_pos, scores)
        metric, options = self._asked
        found = plan_labels(
            {"challenger": scores[:, 1], "champion": scores[:, 0]}, self._n_labels,
            metric=metric, compare=("challenger", "champion"), known=known,
            probability=probability, floor=self._floor, pos_label=pos_label,
            random_state=self._generator, **options,
        )  # fmt: skip
        self._pending.append((found, scores))
        return found

    def update(
        self,
        y_true: ArrayLike,
        *,
        plan: LabelPlan | None = None,
        pos_label: Label = None,
    ) -> Decision:
        """Take in the labels of a week, and return the decision.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the cases that were drawn or known; nan or None elsewhere.
        plan : LabelPlan, default=None
            The plan that they are of. None takes the earliest one without labels.
        pos_label : int, float, bool or str, default=None
            The positive label.

        Returns
        -------
        decision : {"replace", "keep", "go on"}
            As the attribute.
        """
        places = [
            i
            for i, (each, _) in enumerate(self._pending)
            if plan is None or plan is each
        ]
        if not places:
            raise ValueError(
                "plan has its labels already, or is of another challenge: call plan() "
                "for the cases of the week first."
            )
        week, scores = self._pending[places[0]]
        labels: Any = week.labels(y_true, pos_label=pos_label)
        del self._pending[places[0]]
        is_seen = week.is_drawn | week.is_known
        self._seen.append((scores[is_seen], labels.pos[is_seen] > 0.5))
        metric, options = self._asked
        with warnings.catch_warnings():
            # A week has few labels: what counts is all of them together.
            warnings.filterwarnings("ignore", "The interval of the")
            pair = compare(metric, labels, scores[:, 1], scores[:, 0], **options)
        error = error_of_look(pair)
        if np.isnan(error):
            warn("The week is left out: its labels do not say how the models differ.")
            return self.decision
        n_pos = round(float(labels.pos.sum()))
        self._weeks.append((len(labels), n_pos, pair.value, error))
        self.decision = self._decided()
        return self.decision

    def _decided(self) -> Decision:
        """Return what the intervals so far lead to, which is never revoked."""
        if self.decision != "go on":
            return self.decision
        found = self.comparison
        low, high = found.low[-1], found.high[-1]
        if not self._metric.greater_is_better:
            low, high = -high, -low
        if low > self._margin:
            return "replace"
        return "keep" if high < self._margin else "go on"

    @property
    def comparison(self) -> BatchComparison:
        """The differences so far, challenger - champion."""
        rows = np.array(self._weeks, dtype=np.float64).reshape(-1, 4)
        sizes, n_pos = rows[:, 0].astype(np.intp), rows[:, 1].astype(np.intp)
        differences, errors = rows[:, 2], rows[:, 3]
        return BatchComparison(
            self._metric.name, np.arange(1, len(rows) + 1), sizes, n_pos,
            differences, errors,
            *sequence_of_looks(
                sizes, differences, errors, 1 - self._level, self._n_weeks
            ),
            float("nan"), self._level, question_of(self._metric), 0,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Challenge({self.decision!r} after {len(self._weeks)} weeks)"
