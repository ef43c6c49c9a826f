"""What each group gets of one queue: a point with its interval for each."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from skrate.data.arrays import Label
from skrate.displays.base import (
    Axes,
    Drawing,
    check_made,
    draw_legend,
    draws,
    model_color,
)
from skrate.inference.subgroups import SHARES, SubgroupScores

# Of the place of a group what its metrics take.
_HEIGHT = 0.6
# So that those who print without colours tell metrics apart.
_MARKERS = "osD^"


@draws(SubgroupScores)
class SubgroupDisplay(Drawing):
    """What each group gets where all cases are one queue, with intervals.

    A group has a point with its interval for each metric. Vertical lines are what all
    cases together have.

    Parameters
    ----------
    scores : SubgroupScores
        What :func:`subgroup_scores` returned.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the axis.

    Attributes
    ----------
    points_, intervals_, overall_ : list of matplotlib artists
        For each metric the values, the intervals, and the value of all cases.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Raises
    ------
    ValueError
        If ``scores`` is no result of :func:`subgroup_scores`.

    See Also
    --------
    subgroup_scores : The numbers, and tests of differences.

    Examples
    --------
    >>> from skrate import subgroup_scores
    >>> from skrate.displays import SubgroupDisplay
    >>> y_true, y_score = [1, 1, 0, 1, 1, 0, 1, 0], range(8, 0, -1)
    >>> scores = subgroup_scores(
    ...     "recall", y_true, y_score, by=list("ffmmmffm"), rate=0.625
    ... )
    >>> display = SubgroupDisplay(scores).plot()
    >>> display.points_[0].get_xdata().round(3).tolist()
    [0.667, 1.0]
    """

    def __init__(self, scores: SubgroupScores, *, pos_label: Label = None) -> None:
        check_made("scores", scores, SubgroupScores, "subgroup_scores")
        self.scores = scores
        self.pos_label = pos_label

    def plot(
        self,
        ax: Axes | None = None,
        *,
        point_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw a point with its interval for each group and metric.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        point_kwargs : dict, default=None
            Style of the points, as matplotlib takes it.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : SubgroupDisplay
            The display that was drawn.
        """
        self._start(ax)
        scores = self.scores
        asked = list(dict.fromkeys(scores.metrics))
        n_groups = len(scores.groups) // len(asked)
        places = np.arange(n_groups)
        self.points_, self.intervals_, self.overall_ = [], [], []
        for i, share in enumerate(asked):
            rows = np.array(scores.metrics) == share
            y = places + _HEIGHT * ((i + 0.5) / len(asked) - 0.5)
            line, drawn = self._intervals(
                scores.values[rows], y, scores.intervals[rows], point_kwargs,
                color=model_color(i), marker=_MARKERS[i], label=SHARES[share][0],
            )  # fmt: skip
            color = line.get_color()
            self.points_.append(line)
            self.intervals_.append(drawn)
            line = self.ax_.axvline(
                scores.overall[share], color=color, linestyle="--", linewidth=1,
                zorder=0, label="_" if i else "all cases together",
            )  # fmt: skip
            self.overall_.append(line)
        name = SHARES[asked[0]][0] if len(asked) == 1 else "Share of the group"
        sizes = zip(scores.groups[:n_groups], scores.n_items[:n_groups], strict=True)
        self._name_rows(
            name, [f"{group}\n(n = {n:,.0f})" for group, n in sizes], despine
        )
        # The names of groups leave the legend less room than there was.
        self.figure_.figure.draw_without_rendering()
        draw_legend(self.ax_)
        return self
