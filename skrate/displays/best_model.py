"""Draw several models with their intervals, and the winner as it will do."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from skrate.data.arrays import Label
from skrate.displays.base import (
    Axes,
    Drawing,
    check_defined,
    check_made,
    draw_legend,
    draws,
    model_color,
)
from skrate.inference.select_best import BestModel

# As many rows as can be read.
_MOST = 40
_HEIGHT = 0.35


@draws(BestModel)
class BestModelDisplay(Drawing):
    """All models with their intervals, those that may be the best, and the winner.

    The best models come first, up to 40 of them. Those in the set are coloured; the
    diamond is the corrected value of the winner, with its interval.

    Parameters
    ----------
    result : BestModel
        What :func:`select_best` returned.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the axis.

    Attributes
    ----------
    points_ : list of matplotlib Line2D
        The values of the models in the set, and of the others if there are any.
    intervals_ : list of matplotlib artists
        Their intervals.
    corrected_ : matplotlib Line2D
        The corrected value of the winner.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Raises
    ------
    ValueError
        If ``result`` is no result of :func:`select_best`, or undefined.

    See Also
    --------
    select_best : The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from skrate import select_best
    >>> from skrate.displays import BestModelDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(300) < 0.3
    >>> scores = y_true[:, None] + rng.normal(size=(300, 30))
    >>> result = select_best("roc_auc", scores, y_true, random_state=0)
    >>> display = BestModelDisplay(result).plot()
    >>> display.corrected_.get_xdata().round(2).tolist()
    [0.76]
    """

    def __init__(self, result: BestModel, *, pos_label: Label = None) -> None:
        check_made("result", result, BestModel, "select_best")
        check_defined("result", not np.isnan(result.corrected_value), "metric")
        self.result = result
        self.pos_label = pos_label

    def plot(
        self,
        ax: Axes | None = None,
        *,
        point_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw a row for each model, the best on top.

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
        display : BestModelDisplay
            The display that was drawn.
        """
        self._start(ax)
        result = self.result
        table = result.to_dict()
        names = table["model"][:_MOST]
        is_in = np.array(table["may_be_best"])[:_MOST]
        values, *ends = (
            np.array(table[name])[:_MOST] for name in ("value", "low", "high")
        )
        places = np.arange(len(names))
        self.points_, self.intervals_ = [], []
        groups = (
            (is_in, model_color(0), "may be the best"),
            (~is_in, "0.6", "worse than the best"),
        )
        for chosen, color, label in groups:
            if not chosen.any():
                continue
            line, drawn = self._intervals(
                values[chosen], places[chosen], np.stack(ends, axis=1)[chosen],
                point_kwargs, color=color, label=label,
            )  # fmt: skip
            self.points_.append(line)
            self.intervals_.append(drawn)
        color = model_color(1)
        (self.corrected_,) = self.ax_.plot(
            [result.corrected_value], [-_HEIGHT], color=color, marker="D",
            linestyle="none", label="the best, on new cases",
        )  # fmt: skip
        interval = result.confidence_interval
        self.intervals_.append(self.ax_.hlines([-_HEIGHT], *interval, color=color))
        self._name_rows(result.metric, names, despine, top=-0.75)
        draw_legend(self.ax_)
        return self
