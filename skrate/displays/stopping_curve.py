"""Draw what each look at a review in progress says of its recall."""

from __future__ import annotations

from typing import Any, Literal, Self, get_args

import numpy as np

from skrate.data.arrays import ArrayLike
from skrate.data.checks import check_choice
from skrate.displays.base import (
    Axes,
    Drawing,
    check_flags,
    count_cases,
    draw_legend,
    entry,
    model_color,
    passes_on,
    taken_by,
)
from skrate.review.stopping import StoppingCurve, stopping_curve

Kind = Literal["recall", "pvalue"]
KINDS = get_args(Kind)
# Above the highest that is drawn.
_ROOM = 1.05


class StoppingCurveDisplay(Drawing):
    """The recall that is certain at each look, with the target and where to stop.

    Make it of a curve, and draw it by :meth:`plot`; or do both at once by
    :meth:`from_predictions`.

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
    stop_ : matplotlib Line2D or None
        The first look that shows the target reached.
    last_ : matplotlib Line2D or None
        The last look, where none does.
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
    The recall itself is known where all cases are read, as in a review of the past
    that is replayed. Of one in progress there is the bound alone.

    The bound of a ranking holds if the unread are no richer in positives than the last
    that were read, and its entry says so; that of random cases assumes nothing.

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
            If ``kind`` is not one of the choices, or ``despine`` no truth value.
        """
        check_choice("kind", kind, KINDS)
        check_flags(despine=despine)
        self._start(ax)
        curve, is_recall = self.curve, kind == "recall"
        level = f"{100 * curve.confidence_level:g} %"
        y, height, label = curve.lower_bounds, curve.target, f"target, {curve.target:g}"
        given = " if rest is no richer" if curve.n_ranked is None else ""
        name = f"{level} bound{given}"
        if not is_recall:
            y, height = curve.pvalues, 1 - curve.confidence_level
            name, label = f"p-value{given}", f"target, p = {height:.3g}"
        self.recall_ = self._draw_recall() if is_recall else None
        self.line_ = self._line(
            curve.n_read, y, curve_kwargs, label=name, color=model_color(0), zorder=3
        )
        self.target_ = self._reference_line(
            ([0, curve.n_items], [height, height]), label=label, linestyle="--",
            linewidth=1,
        )  # fmt: skip
        self.ranked_ = self._draw_ranked()
        self.stop_ = self._draw_stop(y)
        self.last_ = self._draw_last(y, kind) if self.stop_ is None else None
        self.ax_.set(xlim=(0, curve.n_items), ylim=(0, _ROOM))
        count_cases(self.ax_, self.ax_.xaxis, curve.n_items)
        ylabel = (
            "Recall" if is_recall else f"p-value of a recall below {curve.target:g}"
        )
        self._name_axes(f"Cases read, of {curve.n_items:,}", ylabel, despine)
        draw_legend(self.ax_)
        return self

    def _draw_recall(self) -> Any:
        """Draw the recall itself, if it is known in the end."""
        curve = self.curve
        if curve.n_read[-1] < curve.n_items or curve.n_found[-1] == 0:
            return None
        recall = curve.n_found / curve.n_found[-1]
        label = entry("recall,", "as known in the end")
        return self._line(curve.n_read, recall, None, label=label, color="0.6")

    def _draw_ranked(self) -> Any:
        """Draw where the random cases begin, if there are any."""
        start = self.curve.n_ranked
        if start is None:
            return None
        label = f"random cases from {start:,}"
        style = {"color": "0.4", "linestyle": ":", "label": label}
        return self._line([start, start], [0, _ROOM], None, **style)

    def _draw_stop(self, y: Any) -> Any:
        """Draw from the axis up to the first look that shows the target reached."""
        stop = self.curve.n_stop
        if stop is None:
            return None
        reached = float(y[np.searchsorted(self.curve.n_read, stop)])
        return self._line(
            [stop, stop], [0, reached], None,
            label=f"reached at {stop:,}", color=model_color(1), marker="o",
            markevery=[1], markersize=5, zorder=4,
        )  # fmt: skip

    def _draw_last(self, y: Any, kind: Kind) -> Any:
        """Draw the last look of a review that has not shown the target reached."""
        n_read, n_found = self.curve.n_read[-1], self.curve.n_found[-1]
        says = f"{y[-1]:.3f}" if kind == "recall" else f"p = {y[-1]:.2g}"
        label = f"not reached: {n_found:,} found, {says}"
        style = {"color": self.line_.get_color(), "label": label, "zorder": 4}
        return self._line(
            [n_read], [y[-1]], None, marker="o", linestyle="none", markersize=6,
            markerfacecolor="none", **style,
        )  # fmt: skip
