"""Draw the power or the half width by the number of samples."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from skrate.data.arrays import Label
from skrate.displays.drawing import COUNTS, Axes, Drawing, check_defined, entry
from skrate.inference.sample_size import SampleSize


class SampleSizeDisplay(Drawing, draws=(SampleSize,), by="sample_size"):
    """The power of a test, or the half width of an interval, by the number of samples.

    The vertical axis is the probability that the test detects the difference or,
    without a test, the expected half width of the interval. The dot is the planned
    size.

    Parameters
    ----------
    result : SampleSize
        The result of :func:`sample_size`.
    name : str, default=None
        Name in the legend, such as the difference to detect.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The power, or the half width.
    point_ : matplotlib Line2D
        The planned size.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    Raises
    ------
    ValueError
        If ``result`` is not a result of :func:`sample_size`, or is undefined.

    See Also
    --------
    sample_size : Computes the size.

    Examples
    --------
    >>> from skrate import RankTable, sample_size
    >>> from skrate.displays import SampleSizeDisplay
    >>> pilot = RankTable([30, 20, 10], [5, 25, 50])
    >>> size = sample_size("roc_auc", pilot, half_width=0.05)
    >>> display = SampleSizeDisplay(size).plot()
    >>> display.point_.get_xdata().tolist()
    [288]
    """

    def __init__(
        self, result: SampleSize, *, name: str | None = None, pos_label: Label = None
    ) -> None:
        self._check_result("result", result)
        is_defined = result._pilot is not None and not np.isnan(result.half_width)
        check_defined("result", is_defined, "power or half width")
        self.result = result
        self.name = name
        self.pos_label = pos_label

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve from a fifth of the planned size to three times this size.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        name : str, default=None
            Name in the legend. None means the name of the display.
        curve_kwargs : dict, default=None
            Keyword arguments of matplotlib's ``plot`` for the curve.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : SampleSizeDisplay
            The display that was drawn.
        """
        size, pilot = self.result, self.result._pilot
        self._start(ax)
        sizes = np.geomspace(max(size.n / 5, pilot.least), 3 * size.n, num=60)
        if size.power is None:
            expected = [pilot.half_width(n) for n in sizes]
            value, quantity = size.half_width, "Half width of the interval"
            text = f"n = {size.n:,}, half width {value:.3g}"
        else:
            expected = [pilot.power(n, size.difference) for n in sizes]
            value, quantity = size.power, "Power"
            text = f"n = {size.n:,}, power {value:.2f}"
        name = self.name if name is None else name
        label = entry(*([] if name is None else [f"{name}:"]), text)
        self.line_ = self._model_line(sizes, expected, curve_kwargs, label=label)
        color = self.line_.get_color()
        self.point_ = self._line([size.n], [value], None, marker="o", color=color)
        self.ax_.set_ylim(bottom=0)
        self.ax_.xaxis.set_major_formatter(COUNTS)
        return self._finish("Samples", quantity, despine)
