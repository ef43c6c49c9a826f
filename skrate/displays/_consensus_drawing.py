"""How consensus curves are drawn, in the ROC plane or along the rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skrate.curves.consensus_curve import ConsensusCurve
from skrate.data.arrays import ArrayLike, FloatArray
from skrate.data.checks import check_choice, check_flag, check_scores
from skrate.displays._drawing import FoldsDisplay, mean_and_spread, styled
from skrate.displays._legend import draw_legend
from skrate.displays._signatures import DrawingArguments
from skrate.displays._zoom import (
    WHOLE,
    ZOOMS,
    Zoom,
    check_xlim,
    likely_rates,
    limits_of,
    set_limits,
)
from skrate.displays.rate_spaces import (
    BUDGET_STYLE,
    SPACES,
    Plane,
    Space,
    name_budget,
    space_of,
)
from skrate.rates.laws import RateLike, check_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ISOMETRICS = np.arange(1, 10) / 10
# Of an area: what it takes of the colour behind, and the line about a band.
_BOUNDS = {"alpha": 0.2, "linewidth": 0.0}
_BAND = {"alpha": 0.2, "linewidth": 0.8}


class ConsensusArguments(DrawingArguments, total=False):
    """What ``RateAveragedROC.plot`` takes."""

    space: Plane | None
    zoom: Zoom | None
    xlim: ArrayLike | None
    curve_kwargs: dict[str, Any] | None
    bounds_kwargs: dict[str, Any] | None
    plot_folds: bool
    fold_kwargs: dict[str, Any] | None
    plot_reachable: bool
    reachable_kwargs: dict[str, Any] | None
    plot_isometrics: bool | ArrayLike
    isometrics_kwargs: dict[str, Any] | None
    plot_rate: bool
    rate_kwargs: dict[str, Any] | None
    plot_chance_level: bool
    chance_level_kwargs: dict[str, Any] | None


class ConsensusDrawing(FoldsDisplay):
    """A display of a consensus curve."""

    curve: ConsensusCurve
    rate: RateLike | None
    # The legend may stand below.
    _layout = "constrained"

    def _start(self, ax: Axes | None) -> None:
        super()._start(ax)
        self.reachable_: list[Any] = []
        self.isometrics_: list[Any] = []
        self.rate_: list[Any] = []
        self.fold_lines_: list[Any] = []
        self.bounds_: Any = None
        self.chance_level_: Any = None

    def plot(
        self,
        ax: Axes | None = None,
        *,
        space: Plane | None = None,
        zoom: Zoom | None = None,
        xlim: ArrayLike | None = None,
        name: str | None = None,
        rate: RateLike | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        bounds_kwargs: dict[str, Any] | None = None,
        plot_folds: bool = False,
        fold_kwargs: dict[str, Any] | None = None,
        plot_reachable: bool = True,
        reachable_kwargs: dict[str, Any] | None = None,
        plot_isometrics: bool | ArrayLike = False,
        isometrics_kwargs: dict[str, Any] | None = None,
        plot_rate: bool = False,
        rate_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve with its bounds.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        space : str, default=None
            What stands on the axes: tpr against fpr with "roc"; against the rate the
            recall with "rate-recall", that of the negatives (the share of them that is
            spared) with "rate-negative-recall", the accuracy with "rate-accuracy". None
            takes the space that the axes have; of new ones "rate-recall" where the
            budget is drawn or zoomed on, and "roc" elsewhere.
        zoom : {"rate"}, default=None
            "rate" shows only where ``rate`` is likely: between its quantiles 0.01 and
            0.99, and half of their distance on either side. None shows all rates.
        xlim : array-like of two floats, default=None
            Ends of the horizontal axis, in place of ``zoom``; the vertical one is cut
            to what the curves have there.
        name : str, default=None
            Name for the legend; None takes that of the display.
        rate : "uniform", float or distribution, default=None
            The share that will be processed; None takes that of the display.
        curve_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for the consensus curve.
        bounds_kwargs : dict, default=None
            Passed to matplotlib's ``fill`` for the area between the bounds.
        plot_folds : bool, default=False
            Whether to draw the curve of each fold.
        fold_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for them.
        plot_reachable : bool, default=True
            Whether to draw the borders of what a ranking can reach, in grey.
        reachable_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for them.
        plot_isometrics : bool or array-like of shape (n_rates,), default=False
            Whether to draw lines of equal rate, and at which rates; True takes every
            tenth.
        isometrics_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for them.
        plot_rate : bool, default=False
            Whether to draw where ``rate`` is likely: its density along the rate axis,
            a shade in the ROC plane, and stems for rates with a probability of
            their own. ``zoom`` draws it in any case.
        rate_kwargs : dict, default=None
            Passed to matplotlib for it.
        plot_chance_level : bool, default=False
            Whether to draw the curve of random scores.
        chance_level_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : RateAveragedROC
            The display itself.

        Raises
        ------
        ValueError
            If ``space``, ``zoom`` or ``rate`` is none of the choices, an isometric lies
            outside [0, 1], ``xlim`` are not two ends or stand beside ``zoom``, or
            ``plot_rate`` or ``zoom`` is set without a ``rate``.
        """
        if space is not None:
            check_choice("space", space, SPACES)
        if zoom is not None:
            check_choice("zoom", zoom, ZOOMS)
        ends = check_xlim(xlim)
        rate = self.rate if rate is None else rate
        check_flag("plot_folds", plot_folds)
        check_flag("plot_reachable", plot_reachable)
        check_flag("plot_rate", plot_rate)
        check_flag("plot_chance_level", plot_chance_level)
        check_flag("despine", despine)
        for option, is_set in (("plot_rate=True", plot_rate), ("zoom='rate'", zoom)):
            if is_set and rate is None:
                raise ValueError(f"{option} needs a rate: pass rate=.")
        if zoom is not None and ends is not None:
            raise ValueError("zoom and xlim are two choices of one thing: give one.")
        isometrics = _check_isometrics(plot_isometrics)
        law = None if rate is None else check_rate(rate)
        summary = self._summary(rate)
        self._start(ax)
        is_of_rate = plot_rate or zoom is not None
        space = space or space_of(self.ax_) or ("rate-recall" if is_of_rate else "roc")
        plane = Space(space, self.curve.prevalence)
        before = limits_of(self.ax_)
        if is_of_rate and law is not None:
            style = styled(rate_kwargs, **BUDGET_STYLE)
            self.rate_ = plane.draw_rate(self.ax_, law, style)
            name_budget(self.ax_, self.rate_, style)
        if plot_reachable:
            self._draw_reachable(plane, reachable_kwargs)
        style = {"color": "0.6", "linewidth": 0.8, "linestyle": "-."}
        style["label"] = "Equal rate"
        self.isometrics_ = [
            self._reference_line(plane.isometric(r), isometrics_kwargs, **style)
            for r in isometrics
        ]
        if plot_chance_level:
            style = {"color": "0.4", "linestyle": "--", "label": "Random"}
            self.chance_level_ = self._reference_line(
                plane.chance, chance_level_kwargs, **style
            )
        points = plane.points(self.curve.rates, self.curve.tpr)
        label = self._entry(name, summary)
        self.line_ = self._model_line(*points, curve_kwargs, label=label)
        if plot_folds:
            self._draw_folds(plane, fold_kwargs)
        self._draw_bounds(plane, bounds_kwargs)
        if zoom is not None and law is not None:
            ends = self._ends_at(plane, *likely_rates(law))
        if ends is None:
            self.ax_.set(xlim=WHOLE, ylim=WHOLE)
        else:
            set_limits(self.ax_, ends, self._outlines(plane), before)
        is_whole = plane.name == "roc" and ends is None
        self.ax_.set_aspect("equal" if is_whole else "auto")
        self._name_axes(*plane.labels, despine)
        draw_legend(self.ax_)
        return self

    def _draw_reachable(self, plane: Space, given: dict[str, Any] | None) -> None:
        style = {"color": "0.6", "linewidth": 1, "linestyle": "-", "label": "_"}
        for border in (plane.worst, plane.perfect):
            self.reachable_.append(self._reference_line(border, given, **style))
            if plane.name != "roc":
                # Elsewhere they are the frame.
                style["label"] = "Perfect and worst"

    def _outlines(self, plane: Space) -> list[tuple[FloatArray, FloatArray]]:
        """Return the points of the curve and of its bounds."""
        curve = self.curve
        drawn = [curve.tpr]
        if curve.confidence_interval is not None:
            drawn += [bound.tpr for bound in curve.confidence_interval]
        return [plane.points(curve.rates, tpr) for tpr in drawn]

    def _ends_at(self, plane: Space, low: float, high: float) -> tuple[float, float]:
        """Return between what horizontal positions two rates lie."""
        curves = [curve for curve, _ in self._outlines(plane)]
        found = [np.interp([low, high], self.curve.rates, x) for x in curves]
        return float(np.min(found)), float(np.max(found))

    def _summary(self, rate: RateLike | None) -> str:
        """Return the rAUC and its spread over folds, for the legend."""
        metric = "AUC" if rate is None else "rAUC"
        rate = "uniform" if rate is None else rate
        value = self.curve.rate_weighted_auc(rate)
        by_fold = self.curve.fold_rate_weighted_auc(rate)
        return f"{metric} = {mean_and_spread(by_fold, value)}"

    def _draw_folds(self, plane: Space, given: dict[str, Any] | None) -> None:
        curve, color = self.curve, self.line_.get_color()
        for table, tpr in zip(curve.folds.tables, curve.fold_tpr, strict=True):
            # Each on the isometrics of its own prevalence, as the consensus on its own.
            points = Space(plane.name, table.prevalence).points(curve.rates, tpr)
            style = {"color": color, "linestyle": "-", "alpha": 0.3, "linewidth": 0.8}
            self.fold_lines_.append(self._line(*points, given, **style))

    def _draw_bounds(self, plane: Space, given: dict[str, Any] | None) -> None:
        curve = self.curve
        if curve.confidence_interval is None:
            return
        lower, upper = (
            plane.points(curve.rates, bound.tpr) for bound in curve.confidence_interval
        )
        x, y = (np.append(a, b[::-1]) for a, b in zip(lower, upper, strict=True))
        is_band = curve.band == "simultaneous"
        label = f"{100 * curve.confidence_level:g} % {'band' if is_band else 'bounds'}"
        form = _BAND if is_band else _BOUNDS
        style = styled(given, color=self.line_.get_color(), label="_", **form)
        (self.bounds_,) = self.ax_.fill(x, y, **style)
        if style["label"] == "_":
            self._grey_entry(label, given, **form)


def _check_isometrics(value: bool | ArrayLike) -> Any:
    """Return the rates of the isometrics."""
    if isinstance(value, bool | np.bool_):
        return _ISOMETRICS if value else []
    rates = check_scores("plot_isometrics", np.atleast_1d(value))
    if rates.min() < 0 or rates.max() > 1:
        raise ValueError(f"plot_isometrics must lie in [0, 1], got {value!r}.")
    return rates
