"""Cases of several folds as one sample, each fold of which is cut at the same rate."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from skrate.curves.folds import Folds
from skrate.data.arrays import FloatArray, IntArray, lazy
from skrate.data.folds import FoldRankings
from skrate.data.table import Merged, RankTable
from skrate.inference.sample import Ranked, Weights, check_cases


def ranked_in_folds(
    rankings: FoldRankings, weights: Weights = "frequency"
) -> FoldRanked:
    """Return rankings as a sample, in which a case of several repeats counts once.

    Examples
    --------
    >>> rankings = FoldRankings(
    ...     [1, 0, 0, 1], [3, 2, 1, 9], [0, 0, 1, 1]
    ... )
    >>> sample = ranked_in_folds(rankings)
    >>> sample.table.pos.tolist(), sample.table.neg.tolist()
    ([2.0, 0.0], [0.0, 2.0])
    """
    clusters, n_repeats = rankings.clusters, rankings.n_repeats
    if clusters is None and n_repeats > 1:
        clusters = rankings.indices
    cases = check_cases(
        rankings.is_pos,
        sample_weight=rankings.sample_weight,
        weights=weights,
        clusters=clusters,
    ).with_scores("y_score", rankings.y_score)
    if n_repeats > 1:
        cases = _as_one_repeat(cases, n_repeats)
    folds = fold_numbers(rankings)
    return FoldRanked.of(cases, folds if cases.kept is None else folds[cases.kept])


def fold_numbers(rankings: FoldRankings) -> IntArray:
    """Return the number of the fold of each row."""
    folds = np.empty(len(rankings.y_true), dtype=np.intp)
    for number, rows in enumerate(rankings.rows()):
        folds[rows] = number
    return folds


def _as_one_repeat(cases: Ranked, n_repeats: int) -> Ranked:
    """Return the cases with weights of which those of all repeats are those of one."""
    if not cases.are_repetitions:
        raise ValueError(
            f'weights="sampling" is not known of {n_repeats} repeats: make the '
            "FoldRankings of one."
        )
    weights = np.ones(len(cases.is_pos)) if cases.weights is None else cases.weights
    return replace(cases, weights=weights / n_repeats)


@dataclass(frozen=True)
class FoldRanked(Ranked):
    """Scored cases of folds, of whose scores only the order within a fold counts.

    The table is that of the consensus: what is found if the same share of each fold is
    processed, so that what is found of all is what the folds find together. ``folds``
    numbers the fold of each case, from 0; a fold of one class counts as well.
    """

    folds: IntArray | None = None

    @classmethod
    def of(cls, cases: Ranked, folds: IntArray) -> FoldRanked:
        """Return the same cases, each in its fold."""
        known = {each.name: getattr(cases, each.name) for each in fields(cases)}
        return cls(**known, folds=folds)

    @property
    def is_plain(self) -> bool:
        """No: where cases of a fold tie, they lie across groups of the table."""
        return False

    @lazy
    def table(self) -> RankTable:
        """The consensus of the folds, one group between two cuts of any of them."""
        return Folds(tuple(table for _, table in self._parts)).pooled

    def of_cases(
        self,
        smaller: Merged,
        by_neg: FloatArray,
        by_pos: FloatArray,
        out: FloatArray | None = None,
    ) -> FloatArray:
        """Return for each case the mean of what its class has where it is in its fold.

        The mean is over the rates that the case, with those that tie with it, takes up
        there, and less that of all cases of the fold: each is cut on its own, so that
        what a fold has more than others none of its cases adds.
        """
        rates = np.append(self.table.rates[smaller.starts], 1.0)
        # Integrals from the rate 0 on, straight within groups.
        sums = [
            np.append(0.0, np.cumsum(np.diff(rates) * of_class))
            for of_class in (by_neg, by_pos)
        ]
        values = np.empty(len(self.is_pos)) if out is None else out
        weights = np.ones(len(values)) if self.weights is None else self.weights
        for (places, group), table in self._parts:
            at_cuts = [np.interp(table.rates, rates, of_class) for of_class in sums]
            means = np.diff(at_cuts, axis=1) / np.diff(table.rates)
            own = means[self.is_pos[places].astype(np.intp), group]
            values[places] = own - np.average(own, weights=weights[places])
        return values

    @lazy
    def _parts(self) -> list[tuple[tuple[IntArray, IntArray], RankTable]]:
        """The places and groups of the cases of each fold, and its table."""
        parts = by_fold(self, self.folds)
        return [((places, part.group), part.table) for places, part in parts]


def by_fold(model: Ranked, folds: IntArray | None) -> list[tuple[Any, Ranked]]:
    """Return the cases of each fold, as their places and as a sample."""
    if folds is None:
        return [(slice(None), model)]
    order = np.argsort(folds, kind="stable")
    ends = np.cumsum(np.bincount(folds))[:-1]
    parts = []
    for chosen in np.split(order, ends):
        part = Ranked(
            model.is_pos[chosen],
            None if model.scores is None else model.scores[chosen],
            None if model.weights is None else model.weights[chosen],
            kind=model.kind,
            by_case=model.by_case,
        )
        parts.append((chosen, part))
    return parts
