"""Draw the difference of two models after each look at their batches."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from skrate.data.arrays import ArrayLike
from skrate.displays.base import (
    Axes,
    Drawing,
    check_made,
    draw_legend,
    draws,
    model_color,
    passes_on,
    styled,
    taken_by,
)
from skrate.inference.compare_batches import BatchComparison, compare_batches
from skrate.metrics.base import MetricLike

_N_NAMED = 8


@draws(BatchComparison)
class BatchComparisonDisplay(Drawing):
    """The mean difference of two models after each look, with intervals that all hold.

    Parameters
    ----------
    result : BatchComparison
        What :func:`compare_batches` returned.

    Attributes
    ----------
    line_, points_, zero_line_ : matplotlib Line2D
        The mean differences so far, the difference of each look alone, and 0.
    band_ : matplotlib artist
        The intervals.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Raises
    ------
    ValueError
        If ``result`` is no result of :func:`compare_batches`, or has no look.

    Examples
    --------
    >>> from skrate import compare_batches
    >>> y, a, b = [0, 1] * 60, [1, 2, 4, 3] * 30, [1, 3, 2, 4] * 30
    >>> week = [1] * 60 + [2] * 60
    >>> result = compare_batches("roc_auc", y, a, b, batches=week)
    >>> result.plot().line_.get_ydata().tolist()
    [-0.5, -0.5]
    """

    def __init__(self, result: BatchComparison) -> None:
        check_made("result", result, BatchComparison, "compare_batches")
        if not len(result.values):
            raise ValueError("result has no look yet: give it more batches to draw.")
        self.result = result

    @classmethod
    @passes_on(compare_batches, "plot")
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score_a: ArrayLike,
        y_score_b: ArrayLike,
        *,
        metric: MetricLike = "roc_auc",
        **kwargs: Any,
    ) -> Self:
        """Compare two models batch after batch, and draw them."""
        given = taken_by(compare_batches, kwargs)
        result = compare_batches(metric, y_true, y_score_a, y_score_b, **given)
        return cls(result).plot(**kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        curve_kwargs: dict[str, Any] | None = None,
        band_kwargs: dict[str, Any] | None = None,
        point_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the looks from left to right."""
        self._start(ax)
        result = self.result
        x = np.arange(1, len(result.values) + 1)
        style: dict[str, Any] = {"color": model_color(0), "label": "a \N{MINUS SIGN} b"}
        self.line_ = self._line(x, result.values, curve_kwargs, marker=".", **style)
        style["label"] = f"{100 * result.confidence_level:g} % at all looks"
        style = styled(band_kwargs, alpha=0.2, linewidth=0, **style)
        self.band_ = self.ax_.fill_between(x, result.low, result.high, **style)
        self.points_ = self._line(
            x, result.differences, point_kwargs, color="0.5", marker="o", alpha=0.6,
            linestyle="none", markersize=4, label="each look alone",
        )  # fmt: skip
        self.zero_line_ = self.ax_.axhline(0, color="0.4", linewidth=1)
        places = x[:: 1 + (len(x) - 1) // _N_NAMED]
        self.ax_.set_xticks(places, [str(result.batches[i - 1]) for i in places])
        self._name_axes("Batch", f"Difference in {result.metric}", despine)
        draw_legend(self.ax_)
        return self
