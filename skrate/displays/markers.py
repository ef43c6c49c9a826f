"""Many markers, each a point: one metric against another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from skrate.data.arrays import (
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    RandomState,
)
from skrate.data.checks import check_count, check_fraction
from skrate.displays.base import (
    Axes,
    Drawing,
    check_made,
    draw_legend,
    import_pyplot,
    model_color,
    passes_on,
    styled,
)
from skrate.inference.estimate import estimate
from skrate.inference.intervals import Adjust
from skrate.inference.sample import Weights
from skrate.metrics.base import MetricLike
from skrate.metrics.results import Estimates

# Of the names, in points, and from one to the next in sizes.
_SIZE, _LINE_HEIGHT = 8.0, 1.3


class MarkersDisplay(Drawing):
    """Scatter plot of one metric against another, with one point per marker.

    Markers with the same AUC may differ in average precision; those higher up rank more
    positives near the top. The best markers by either metric are labelled beside the
    axes. If you pass your own figure, create it with ``layout="constrained"`` to make
    room for long names.

    Parameters
    ----------
    x, y : Estimates
        Results of :func:`estimate` for the same markers, one for each axis.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the axis.

    Attributes
    ----------
    points_ : list of matplotlib Line2D
        The markers that differ from chance by at least one metric, and the rest.
    chance_level_ : list of matplotlib Line2D
        Lines at the values of constant scores.
    texts_ : list of matplotlib Annotation
        The names.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    Raises
    ------
    ValueError
        If ``x`` or ``y`` is not a result of :func:`estimate`, or if they are for
        different markers.

    See Also
    --------
    estimate : Compute the estimates that are drawn.
    HitCurveDisplay : One marker, at every rate.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`, figure 3.

    Examples
    --------
    >>> import numpy as np
    >>> from skrate.displays import MarkersDisplay
    >>> rng = np.random.default_rng(0)
    >>> ill = np.repeat([1, 0], [83, 82])
    >>> markers = rng.normal(size=(165, 100))
    >>> markers[:, 7] += ill
    >>> display = MarkersDisplay.from_predictions(
    ...     ill, markers, k=1, random_state=0
    ... )
    >>> [text.get_text() for text in display.texts_]
    ['7']
    """

    def __init__(self, *, x: Estimates, y: Estimates, pos_label: Label = None) -> None:
        for name, given in (("x", x), ("y", y)):
            check_made(name, given, Estimates, "estimate")
        if x.names != y.names:
            raise ValueError("x and y must be of the same markers, in one order.")
        self.x = x
        self.y = y
        self.pos_label = pos_label

    @classmethod
    @passes_on("plot")
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_scores: ArrayLike | Mapping[Any, ArrayLike],
        *,
        metrics: tuple[MetricLike, MetricLike] = ("roc_auc", "average_precision"),
        adjust: Adjust = "holm",
        n_resamples: int = 2000,
        clusters: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        weights: Weights = "frequency",
        pos_label: Label = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        **kwargs: Any,
    ) -> Self:
        """Estimate two metrics of all markers, and draw them.

        Parameters
        ----------
        y_scores : array-like of shape (n_samples, n_models), mapping or data frame
            Scores, one column or entry for each marker.
        metrics : tuple of two metrics, default=("roc_auc", "average_precision")
            Metrics for the horizontal and vertical axes, as in :func:`estimate`; use
            :func:`functools.partial` to set their parameters.
        adjust : {"holm", "bh", "by"}, default="holm"
            How p-values are adjusted.
        n_resamples : int, default=2000
            Number of random rankings with which the markers are compared to compute
            p-values.

        Raises
        ------
        ValueError
            If :func:`estimate` raises it, or if the number of metrics is not two.
        """
        import_pyplot(cls.__name__)
        if not isinstance(metrics, tuple | list) or len(metrics) != 2:
            raise ValueError(
                f"metrics must be two, for the axes x and y, got {metrics!r}."
            )
        scores: Any = y_scores
        x, y = (
            estimate(
                metric, y_true, scores, adjust=adjust, n_resamples=n_resamples,
                clusters=clusters, sample_weight=sample_weight, weights=weights,
                pos_label=pos_label, random_state=random_state, n_jobs=n_jobs,
            )
            for metric in metrics
        )  # fmt: skip
        return cls(x=x, y=y, pos_label=pos_label).plot(**kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        k: int = 5,
        confidence_level: float = 0.95,
        plot_chance_level: bool = True,
        point_kwargs: dict[str, Any] | None = None,
        chance_level_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the markers.

        Parameters
        ----------
        k : int, default=5
            Number of markers to label: the k best by each metric, and up to k of those
            that are significantly worse than chance.
        confidence_level : float, default=0.95
            Markers are highlighted if at least one of their adjusted p-values is at
            most ``1 - confidence_level``.
        plot_chance_level : bool, default=True
            Whether to draw lines at the values of constant scores.

        Raises
        ------
        ValueError
            If ``k`` is not an integer of at least 0, or ``confidence_level`` is not in
            (0, 1).
        """
        k = check_count("k", k, minimum=0)
        level = 1 - check_fraction("confidence_level", confidence_level)
        self._start(ax)
        x, y = self.x.values, self.y.values
        pvalues = np.fmin(self.x.adjusted_pvalues, self.y.adjusted_pvalues)
        # Half of the last digit of 1 less a level.
        stands_out = pvalues <= level + 1e-12
        # Small where there are many.
        size = float(np.clip(60 / np.sqrt(len(x)), 2.5, 6))
        self.points_: list[Any] = []
        for chosen, label, color in (
            (~stands_out, "others", "0.7"),
            (stands_out, f"adjusted p ≤ {level:.3g}", model_color(0)),
        ):
            if chosen.any():
                line = self._line(
                    x[chosen], y[chosen], point_kwargs, color=color, marker="o",
                    linestyle="none", markersize=size, markeredgewidth=0,
                    label=f"{label} ({np.count_nonzero(chosen)})",
                )  # fmt: skip
                self.points_.insert(0, line)
        self.chance_level_: list[Any] = []
        chances = (self.ax_.axvline, self.x.chance), (self.ax_.axhline, self.y.chance)
        for draw, chance in chances if plot_chance_level else ():
            if not np.isnan(chance):
                style = styled(
                    chance_level_kwargs, color="0.5", linestyle=":", linewidth=1,
                    zorder=0, label="_" if self.chance_level_ else "constant scores",
                )  # fmt: skip
                self.chance_level_.append(draw(chance, **style))
        self._name_axes(self.x.metric, self.y.metric, despine)
        draw_legend(self.ax_)
        # Markers that mean the other direction, the surest first.
        is_turned = stands_out & ((x < self.x.chance) | (y < self.y.chance))
        turned = _best(np.where(is_turned, -pvalues, np.nan), k)
        chosen = (_best(x, k) | _best(y, k) | turned) & ~np.isnan(x + y)
        self.texts_ = self._write_names(np.flatnonzero(chosen))
        return self

    def _write_names(self, chosen: IntArray) -> list[Any]:
        """Write names in a column beside the axes, each with a line to its point."""
        self.figure_.figure.draw_without_rendering()
        height = self.ax_.get_window_extent().height * 72 / self.ax_.figure.dpi
        to_axes = self.ax_.transData + self.ax_.transAxes.inverted()
        points = np.stack([self.x.values, self.y.values], axis=1)[chosen]
        places = to_axes.transform(points)[:, 1]
        texts, lowest = [], 1.0
        for i in np.argsort(-places, kind="stable"):
            at = min(lowest, places[i])
            lowest = at - _LINE_HEIGHT * _SIZE / height
            texts.append(
                self.ax_.annotate(
                    self.x.names[chosen[i]], points[i], (1.04, at),
                    textcoords="axes fraction", va="center", fontsize=_SIZE,
                    arrowprops={"arrowstyle": "-", "color": "0.6", "linewidth": 0.5,
                                "shrinkA": 0, "shrinkB": 2},
                )
            )  # fmt: skip
        return texts


def _best(values: FloatArray, k: int) -> BoolArray:
    """Return which are the ``k`` greatest, of those that are known."""
    chosen = np.zeros(len(values), dtype=bool)
    chosen[np.argsort(-values, kind="stable")[:k]] = True
    return chosen & ~np.isnan(values)
