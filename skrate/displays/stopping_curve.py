"""Draw what each look at a review in progress says of its recall."""

from __future__ import annotations

from typing import Any, Literal, Self, get_args

import numpy as np

from skrate.data.arrays import ArrayLike
from skrate.data.checks import check_choice
from skrate.displays.base import (
    Axes,
    Drawing,
    count_cases,
    draw_legend,
    draws,
    entry,
    model_color,
    passes_on,
    taken_by,
)
from skrate.review.stopping import StoppingCurve, stopping_curve

Kind = Literal["recall", "pvalue"]
# Above the highest that is drawn.
_ROOM = 1.05


@draws(StoppingCurve)
class StoppingCurveDisplay(Drawing):
    """The recall that is certain at each look, with the target and where to stop.

    Parameters
    ----------
    curve : skrate.review.StoppingCurve
        What :func:`~skrate.review.stopping_curve` returned.

    Attributes
    ----------
    line_ : matplotlib Line2D
        Lower bounds of the recall, or p-values.
    target_ : matplotlib Line2D
        The target, or the p-value at which it counts as reached.
    recall_ : matplotlib Line2D or None
        The recall itself, where all cases are read in the end.
    stop_, last_ : matplotlib Line2D or None
        The first look that shows the target reached, or the last, where none does.
    ranked_ : matplotlib Line2D or None
        Where the random cases begin.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Raises
    ------
    ValueError
        If ``curve`` is not what :func:`~skrate.review.stopping_curve` returns.

    See Also
    --------
    skrate.review.stopping_curve : The numbers.
    HitCurveDisplay : What a ranking finds, where all labels are known.

    Notes
    -----
    The recall itself is known where all cases are read. The bound of a ranking holds if
    the unread are no richer in positives than the last that were read; the bound from
    random cases assumes nothing.

    Examples
    --------
    >>> from skrate.displays import StoppingCurveDisplay
    >>> from skrate.review import stopping_curve
    >>> y_true = [1] * 20 + [0] * 80
    >>> curve = stopping_curve(y_true, n_items=110, step=20)
    >>> display = StoppingCurveDisplay(curve).plot()
    >>> display.stop_.get_xdata().tolist()
    [100, 100]
    """

    def __init__(self, curve: StoppingCurve) -> None:
        if not isinstance(curve, StoppingCurve):
            raise ValueError(
                "curve must be what stopping_curve returns, got "
                f"{type(curve).__name__}; labels are for from_predictions."
            )
        self.curve = curve

    @classmethod
    @passes_on(stopping_curve, "plot")
    def from_predictions(cls, y_true: ArrayLike, **kwargs: Any) -> Self:
        """Draw the curve of labels in the order of reading."""
        curve = stopping_curve(y_true, **taken_by(stopping_curve, kwargs))
        return cls(curve).plot(**kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        kind: Kind = "recall",
        curve_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the looks, the target, and the first look that shows it reached.

        Parameters
        ----------
        kind : {"recall", "pvalue"}, default="recall"
            Whether to draw the lower bounds of the recall, or the p-values of "the
            recall is below the target".

        Raises
        ------
        ValueError
            If ``kind`` is not one of the choices.
        """
        check_choice("kind", kind, get_args(Kind))
        self._start(ax)
        curve, is_recall = self.curve, kind == "recall"
        level = f"{100 * curve.confidence_level:g} %"
        y, height, label = curve.lower_bounds, curve.target, f"target, {curve.target:g}"
        given = " if rest is no richer" if curve.n_ranked is None else ""
        name, ylabel = f"{level} bound{given}", "Recall"
        if not is_recall:
            y, height = curve.pvalues, 1 - curve.confidence_level
            name, label = f"p-value{given}", f"target, p = {height:.3g}"
            ylabel = f"p-value of a recall below {curve.target:g}"
        self.recall_ = self.ranked_ = self.stop_ = self.last_ = None
        is_known = curve.n_read[-1] == curve.n_items and curve.n_found[-1] > 0
        if is_recall and is_known:
            recall = curve.n_found / curve.n_found[-1]
            style = {"label": entry("recall,", "as known in the end"), "color": "0.6"}
            self.recall_ = self._line(curve.n_read, recall, None, **style)
        self.line_ = self._line(
            curve.n_read, y, curve_kwargs, label=name, color=model_color(0), zorder=3
        )
        self.target_ = self._reference_line(
            ([0, curve.n_items], [height, height]), label=label, linestyle="--",
            linewidth=1,
        )  # fmt: skip
        if curve.n_ranked is not None:
            self.ranked_ = self._line(
                [curve.n_ranked, curve.n_ranked], [0, _ROOM], None, color="0.4",
                linestyle=":", label=f"random cases from {curve.n_ranked:,}",
            )  # fmt: skip
        if curve.n_stop is not None:
            reached = float(y[np.searchsorted(curve.n_read, curve.n_stop)])
            self.stop_ = self._line(
                [curve.n_stop, curve.n_stop], [0, reached], None,
                label=f"reached at {curve.n_stop:,}", color=model_color(1), marker="o",
                markevery=[1], markersize=5, zorder=4,
            )  # fmt: skip
        else:
            says = f"{y[-1]:.3f}" if is_recall else f"p = {y[-1]:.2g}"
            self.last_ = self._line(
                [curve.n_read[-1]], [y[-1]], None, marker="o", linestyle="none",
                markersize=6, markerfacecolor="none", color=self.line_.get_color(),
                label=f"not reached: {curve.n_found[-1]:,} found, {says}", zorder=4,
            )  # fmt: skip
        self.ax_.set(xlim=(0, curve.n_items), ylim=(0, _ROOM))
        count_cases(self.ax_, self.ax_.xaxis, curve.n_items)
        self._name_axes(f"Cases read, of {curve.n_items:,}", ylabel, despine)
        draw_legend(self.ax_)
        return self
