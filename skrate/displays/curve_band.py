"""Draw one curve with its band."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from skrate.data.arrays import ArrayLike, Label
from skrate.data.folds import FoldRankings
from skrate.data.table import RankTable
from skrate.displays.base import (
    Axes,
    FoldsDisplay,
    check_defined,
    check_made,
    draw_legend,
    draws,
    entry,
    passes_on,
    styled,
    taken_by,
)
from skrate.inference.curve_band import AXES, CurveBand, curve_band

_XLABELS = {"rate": "Rate", "fpr": "False positive rate", "recall": "Recall"}
_YLABELS = {
    "recall": "Recall", "precision": "Precision", "roc": "True positive rate",
    "pr": "Precision", "lift": "Lift", "gain": "Gain per case",
}  # fmt: skip
_BAND = {"alpha": 0.2, "linewidth": 0.0}
# The band of a lift is widest by far at the first rates: the axis has what follows.
_FIRST, _ROOM = 0.05, 1.05


@draws(CurveBand)
class CurveBandDisplay(FoldsDisplay):
    """The curve of one model with its band.

    Parameters
    ----------
    curve : CurveBand
        What :func:`curve_band` returned.
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
        Where it was drawn last.

    Raises
    ------
    ValueError
        If ``curve`` is no band, or one that is undefined.

    See Also
    --------
    sklearn.metrics.RocCurveDisplay : A ROC curve without a band.
    curve_band : The numbers.
    CurveComparisonDisplay : The difference of two models, to see which is better.

    Examples
    --------
    >>> from skrate.displays import CurveBandDisplay
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> display = CurveBandDisplay.from_predictions(
    ...     y_true, y_score, kind="roc", at=[0.2, 0.8], name="model"
    ... )
    >>> display.line_.get_ydata().tolist()
    [0.5, 1.0]
    """

    def __init__(
        self, curve: CurveBand, *, name: str | None = None, pos_label: Label = None
    ) -> None:
        check_made("curve", curve, CurveBand, "curve_band")
        check_defined("curve", not np.isnan(curve.value).all(), "curve")
        self.curve = curve
        self.name = name
        self.pos_label = pos_label

    @classmethod
    @passes_on(curve_band, "plot")
    def from_predictions(
        cls,
        y_true: ArrayLike | RankTable | FoldRankings,
        y_score: ArrayLike | None = None,
        *,
        pos_label: Label = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of labels and scores, with its band."""
        given = taken_by(curve_band, kwargs)
        curve = curve_band(y_true, y_score, pos_label=pos_label, **given)
        if isinstance(y_true, FoldRankings):
            pos_label = y_true.pos_label
        return cls(curve, name=name, pos_label=pos_label).plot(**kwargs)

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
        plot_chance_level : bool, default=True
            Whether to draw the curve of random scores.
        """
        curve, kind = self.curve, self.curve.kind
        self._start(ax)
        before = self.ax_.get_ylim()[1] if self.ax_.lines else 0.0
        name = self.name if name is None else name
        label = entry(_YLABELS[kind] if name is None else str(name))
        self.line_ = self._model_line(curve.at, curve.value, curve_kwargs, label=label)
        style = {"color": self.line_.get_color(), "label": "_"} | _BAND
        style = styled(bounds_kwargs, **style)
        self.band_ = self.ax_.fill_between(curve.at, curve.low, curve.high, **style)
        if style["label"] == "_":
            what = "band" if curve.band == "simultaneous" else "at each point"
            level = f"{100 * curve.confidence_level:g} % {what}"
            self._grey_entry(level, bounds_kwargs, **_BAND)
        self.chance_level_: Any = None
        if plot_chance_level:
            slope = 1.0
            if kind == "gain":
                worth = curve.params
                slope = worth["benefit"] * curve.prevalence - worth["cost"]
            flat = {"lift": 1.0}.get(kind, curve.prevalence)
            ends = [0.0, slope] if kind in ("recall", "roc", "gain") else [flat, flat]
            self.chance_level_ = self._reference_line(
                ([0, 1], ends), chance_level_kwargs, linestyle="--", label="Random"
            )
        self.ax_.set_xlim(0, 1)
        if kind == "lift":
            is_seen = curve.at >= min(_FIRST, curve.at[-1])
            highest = max(curve.high[is_seen].max(), curve.value.max())
            self.ax_.set_ylim(0, max(_ROOM * highest, before))
        elif kind != "gain":
            self.ax_.set_ylim(0, _ROOM)
        self._name_axes(_XLABELS[AXES[kind]], _YLABELS[kind], despine)
        draw_legend(self.ax_)
        return self
