"""Draw the AUC that an error rate implies, against the error rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self, get_args

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.data.arrays import ArrayLike, Label, divide_or_nan
from skrate.data.checks import check_choice, check_count, warn
from skrate.displays.drawing import Axes, ModelDisplay, Options, entry
from skrate.error_rate.moments import (
    ErrorRateCurve,
    ModelPoint,
    error_rate_curves,
    model_curves,
)

# As in the figure of the paper.
CLASS_RATIOS = (0.01, 0.05, 0.1, 0.25, 0.5)
Kind = Literal["mean", "relative_deviation"]
KINDS: dict[Kind, str] = {
    "mean": "Mean AUC",
    "relative_deviation": "Standard deviation of the AUC / mean",
}
_BAR = "mean ± 2 standard deviations for its errors"
# Markers of successive models, and the id of their points.
_MARKERS, _MODEL = "osD^v<>P*X", "skrate model"


class AUCErrorRateDisplay(ModelDisplay):
    """Mean and spread of the AUC against the error rate, for ratios of the classes.

    Each curve shows the mean AUC of all rankings and thresholds with a given number of
    errors, up to the size of the smaller class, as figure 3 of the paper. A model far
    above the curve ranks better than its accuracy suggests. Create it by
    :meth:`from_class_ratios`, :meth:`from_predictions` or :meth:`from_estimator`.

    Parameters
    ----------
    curves : sequence of ErrorRateCurve
        With the fields ``class_ratio`` (fraction of the smaller class),
        ``error_rates``, ``means`` and ``standard_deviations``.
    point : ModelPoint, default=None
        With the fields ``error_rate``, ``auc``, ``mean`` and ``standard_deviation``.
    name : str, default=None
        Name of the model for the legend.

    Attributes
    ----------
    lines_, point_, interval_ : list of matplotlib Line2D, artists or None
        A line for each curve, the model, and the mean for its errors with an interval
        of two standard deviations.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    See Also
    --------
    skrate.error_rate.auc_moments : Computes the moments, and has the paper.
    skrate.error_rate.auc_range_from_errors : The AUCs that one confusion matrix allows.

    Notes
    -----
    The mean hardly depends on the number of samples; the standard deviation falls with
    its square root. The curve of a model's own ratio is dashed; several models on the
    same axes share the curves of equal ratios.

    Examples
    --------
    A model with one error in four samples, and nevertheless a perfect ranking:

    >>> from skrate.displays import AUCErrorRateDisplay
    >>> display = AUCErrorRateDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.2, 0.3, 0.9], y_pred=[0, 0, 0, 1]
    ... )
    >>> point = display.point
    >>> point.error_rate, point.auc, round(point.mean, 3)
    (0.25, 1.0, 0.75)
    """

    # Class ratio of the model; its curve is dashed.
    _own_ratio: float | None = None

    def __init__(
        self,
        *,
        curves: Sequence[ErrorRateCurve],
        point: ModelPoint | None = None,
        name: str | None = None,
    ) -> None:
        self.curves = curves
        self.point = point
        self.name = name

    @classmethod
    def from_class_ratios(
        cls,
        class_ratios: Sequence[float] = CLASS_RATIOS,
        *,
        n_samples: int = 1000,
        **kwargs: Any,
    ) -> Self:
        """Draw the curves for given fractions of the smaller class.

        Parameters
        ----------
        class_ratios : sequence of float, default=(0.01, 0.05, 0.1, 0.25, 0.5)
            Fractions of the smaller class, in (0, 0.5].
        n_samples : int, default=1000
            Number of samples, 2 to 10,000,000; each class has at least one.
        **kwargs : dict
            Keyword arguments of :meth:`plot`.

        Returns
        -------
        display : AUCErrorRateDisplay
            The display that was drawn.
        """
        n_samples = check_count("n_samples", n_samples, minimum=2)
        if n_samples > 10**7:  # The maximum takes minutes.
            raise ValueError(f"n_samples must be at most 10,000,000, got {n_samples}.")
        curves = error_rate_curves(class_ratios, n_samples)
        return cls(curves=curves).plot(**kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike | None = None,
        *,
        y_pred: ArrayLike,
        class_ratios: Sequence[float] = CLASS_RATIOS,
        pos_label: Label = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a model, and the curves for its number of samples and class ratio.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels of two classes.
        y_score : array-like of shape (n_samples,), default=None
            Scores, higher for the positive class.
        y_pred : array-like of shape (n,)
            Predicted labels, which determine the errors.
        class_ratios : sequence of float
            As in :meth:`from_class_ratios`.
        pos_label : int, float, bool or str, default=None
            The positive label. If None, the larger of {0, 1}, {-1, 1} or booleans.
        name : str, default=None
            Name of the model for the legend.
        **kwargs : dict
            Keyword arguments of :meth:`plot`.

        Returns
        -------
        display : AUCErrorRateDisplay
            The display that was drawn.
        """
        arrays = y_true, y_score, y_pred
        curves, point, own_ratio = model_curves(*arrays, class_ratios, pos_label)
        display = cls(curves=curves, point=point, name=name)
        display._own_ratio = own_ratio
        return display.plot(**kwargs)

    @classmethod
    def _draw_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, y_score: ArrayLike, **kwargs: Any
    ) -> Self:
        # The predictions determine the errors, the scores determine the AUC.
        return cls.from_predictions(y, y_score, y_pred=estimator.predict(X), **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        kind: Kind = "mean",
        name: str | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        point_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves, and the model if there is one.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        kind : {"mean", "relative_deviation"}, default="mean"
            The mean AUC, and the model beside a bar of two standard deviations around
            the mean for its errors; or the standard deviation, and the distance of the
            model from the mean, both divided by the mean.
        name : str, default=None
            Name for the legend; None takes the display's.
        curve_kwargs, point_kwargs : dict, default=None
            Matplotlib options of the curves and of the model.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : AUCErrorRateDisplay
            The display that was drawn.

        Warns
        -----
        UndefinedMetricWarning
            If the model is not drawn, because all its predictions are wrong.
        """
        kind = check_choice("kind", kind, get_args(Kind))
        self._start(ax)
        from matplotlib import colormaps

        self.lines_ = []
        for curve in self.curves:
            x, y = np.asarray(curve.error_rates), np.asarray(curve.means)
            if kind == "relative_deviation":
                y = divide_or_nan(np.asarray(curve.standard_deviations), y)
            # The colour depends only on the ratio, by its logarithm from 1 to 50 %.
            position = np.log(np.clip(curve.class_ratio, 0.01, 0.5) / 0.01) / np.log(50)
            style = {
                "label": f"smaller class {100 * curve.class_ratio:.3g} %",
                "color": colormaps["plasma"](0.9 * position),
                "linestyle": "--" if curve.class_ratio == self._own_ratio else "-",
            }
            # Draw a ratio once if the curves of different sizes differ by at most 2 %.
            line = self._shared_line((x, y), curve_kwargs, close=0.02, **style)
            self.lines_.append(line)
        self.point_: Any = None
        self.interval_: Any = None
        if self.point is not None:
            self._draw_point(self.point, kind, name, point_kwargs)
        return self._finish("Error rate", KINDS[kind], despine)

    def _draw_point(
        self, point: ModelPoint, kind: Kind, name: str | None, given: Options
    ) -> None:
        """Draw the model with a new marker, unless its deviation is undefined."""
        name = next((text for text in (name, self.name) if text is not None), "Model")
        height, text = point.auc, f"(AUC = {point.auc:.2f})"
        if kind == "relative_deviation":
            if point.mean == 0:
                text = "All predictions are wrong: use kind='mean' to draw the model."
                warn(text, UndefinedMetricWarning)
                return
            height = abs(point.auc - point.mean) / point.mean
            text = f"{text[:-1]}, {100 * height:.0f} % from the mean)"
        else:
            entries = self.ax_.get_legend_handles_labels()[1]
            bar: dict[str, Any] = {"color": "0.4", "capsize": 3, "linewidth": 1}
            bar["label"] = "_" if _BAR in entries else _BAR
            position = point.error_rate, point.mean, 2 * point.standard_deviation
            self.interval_ = self.ax_.errorbar(*position, **bar)
        n_before = sum(line.get_gid() == _MODEL for line in self.ax_.lines)
        marker = _MARKERS[n_before % len(_MARKERS)]
        style = {"marker": marker, "linestyle": "none", "color": "black", "gid": _MODEL}
        self.point_ = self._line(
            [point.error_rate], [height], given, label=entry(name, text), **style
        )
