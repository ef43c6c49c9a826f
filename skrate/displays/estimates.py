"""Draw the estimates of several models: a point with its interval for each."""

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
from skrate.metrics.results import Estimates


@draws(Estimates)
class EstimatesDisplay(Drawing):
    """A point with its confidence interval for each model, the first on top.

    Parameters
    ----------
    result : Estimates
        The result of :func:`estimate` for several models.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the axis.

    Attributes
    ----------
    points_ : matplotlib Line2D
        The values of the models.
    intervals_ : matplotlib LineCollection
        Their intervals.
    null_ : matplotlib Line2D or None
        A line at the tested value, if there is one.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    Raises
    ------
    ValueError
        If ``result`` is not a result of :func:`estimate` for several models.

    See Also
    --------
    estimate : Compute the estimates.
    BestModelDisplay : The best of several models, corrected for the selection.

    Examples
    --------
    >>> from skrate import estimate
    >>> from skrate.displays import EstimatesDisplay
    >>> models = {"a": [4, 2, 3, 1], "b": [4, 3, 1, 2]}
    >>> result = estimate("roc_auc", [1, 1, 0, 0], models)
    >>> EstimatesDisplay(result).plot().points_.get_xdata().tolist()
    [0.75, 1.0]
    """

    def __init__(self, result: Estimates, *, pos_label: Label = None) -> None:
        check_made("result", result, Estimates, "estimate")
        self.result = result
        self.pos_label = pos_label

    def plot(
        self,
        ax: Axes | None = None,
        *,
        point_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw a row for each model.

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
        display : EstimatesDisplay
            The display that was drawn.
        """
        self._start(ax)
        names, first = self.result.names, self.result[0]
        values = np.array([one.value for one in self.result])
        ends = np.array([one.confidence_interval for one in self.result])
        self.points_, self.intervals_ = self._intervals(
            values, np.arange(len(names)), ends, point_kwargs, color=model_color(0),
            label=f"{100 * first.confidence_level:g} % intervals",
        )  # fmt: skip
        self.null_ = None
        if first.null_value is not None:
            self.null_ = self.ax_.axvline(
                first.null_value, color="0.5", linestyle=":", linewidth=1, zorder=0,
                label=f"tested value {first.null_value:g}",
            )  # fmt: skip
        self._name_rows(first.metric, names, despine)
        draw_legend(self.ax_)
        return self
