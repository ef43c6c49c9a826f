"""Draw one curve with its band."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from skrate.data.arrays import Label
from skrate.displays.drawing import Axes, Drawing, check_defined, entry
from skrate.inference.curve_band import AXES, CurveBand

_XLABELS = {"rate": "Rate", "fpr": "False positive rate", "recall": "Recall"}
_YLABELS = {
    "recall": "Recall",
    "precision": "Precision",
    "roc": "True positive rate",
    "pr": "Precision",
    "lift": "Lift",
    "hits": "Hits",
    "gain": "Gain per sample",
}


class CurveBandDisplay(Drawing, draws=(CurveBand,), by="curve_band"):
    """The curve of one model with its band.

    Parameters
    ----------
    curve : CurveBand
        The result of :func:`curve_band`.
    name : str, default=None
        Name of the model for the legend.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    band_ : matplotlib artist
        The area of its band, in the colour of the curve.
    chance_level_ : matplotlib Line2D or None
        The curve of random scores.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    Raises
    ------
    ValueError
        If ``curve`` is not a result of :func:`curve_band`, or is undefined.

    See Also
    --------
    sklearn.metrics.RocCurveDisplay : A ROC curve without a band.
    curve_band : Computes the curve and the band.
    CurveComparisonDisplay : The difference of two models, to see which is better.

    Examples
    --------
    >>> from skrate import curve_band
    >>> from skrate.displays import CurveBandDisplay
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> curve = curve_band(y_true, y_score, metric="roc", at=[0.2, 0.8])
    >>> display = CurveBandDisplay(curve, name="model").plot()
    >>> display.line_.get_ydata().tolist()
    [0.5, 1.0]
    """

    def __init__(
        self, curve: CurveBand, *, name: str | None = None, pos_label: Label = None
    ) -> None:
        self._check_result("curve", curve)
        check_defined("curve", not np.isnan(curve.value).all(), "curve")
        self.curve = curve
        self.name = name
        self.pos_label = pos_label

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        bounds_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = True,
        chance_level_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve with its band.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        name : str, default=None
            Name for the legend; None takes the display's.
        curve_kwargs : dict, default=None
            Style of the curve, as matplotlib takes it.
        bounds_kwargs : dict, default=None
            Style of the bounds, as matplotlib takes it.
        plot_chance_level : bool, default=True
            Whether to draw the curve of random scores.
        chance_level_kwargs : dict, default=None
            Style of the chance level, as matplotlib takes it.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : CurveBandDisplay
            The display that was drawn.
        """
        curve, metric = self.curve, self.curve.metric
        self._start(ax)
        before = self.ax_.get_ylim()[1] if self.ax_.lines else 0.0
        name = self.name if name is None else name
        label = entry(_YLABELS[metric] if name is None else name)
        self.line_ = self._model_line(curve.at, curve.value, curve_kwargs, label=label)
        kind = "band" if curve.band == "simultaneous" else "at each point"
        level = f"{100 * curve.confidence_level:g} % {kind}"
        style = bounds_kwargs, level, self.line_.get_color()
        self.band_ = self._band_area(curve.at, (curve.low, curve.high), *style)
        self.chance_level_ = self._chance_line(
            plot_chance_level, ([0, 1], self._chance_ends()), chance_level_kwargs
        )
        self.ax_.set_xlim(0, 1)
        margin = 1.05
        if metric == "lift":
            # The band is widest by far at the first rates, which set no limits.
            is_seen = curve.at >= min(0.05, curve.at[-1])
            highest = max(curve.high[is_seen].max(), curve.value.max())
            self.ax_.set_ylim(0, max(margin * highest, before))
        elif metric not in ("hits", "gain"):
            self.ax_.set_ylim(0, margin)
        return self._finish(_XLABELS[AXES[metric]], _YLABELS[metric], despine)

    def _chance_ends(self) -> list[float]:
        """Return the heights of the line of random scores at both ends."""
        curve, prevalence = self.curve, self.curve.prevalence
        if curve.metric == "lift":
            return [1.0, 1.0]
        if curve.metric in ("recall", "roc"):
            return [0.0, 1.0]
        if curve.metric == "hits":
            return [0.0, prevalence]
        if curve.metric == "gain":
            return [0.0, curve.params["benefit"] * prevalence - curve.params["cost"]]
        return [prevalence, prevalence]
