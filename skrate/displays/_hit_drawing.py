"""How hit curves, cumulative gains and lift are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, get_args

import numpy as np
from scipy.integrate import trapezoid

from skrate.data.arrays import ArrayLike, FloatArray, dot
from skrate.data.checks import check_choice, check_count, check_flag
from skrate.data.table import RankTable
from skrate.displays._drawing import FoldsDisplay, mean_and_spread, styled
from skrate.displays._hit_points import RATES, Kind, first_rate, rescaled
from skrate.displays._legend import draw_legend, entry
from skrate.displays._signatures import DrawingArguments
from skrate.displays.rate_spaces import BUDGET_STYLE, draw_along_axis, name_budget
from skrate.metrics.average_precision import AveragePrecision
from skrate.metrics.momentum import momentum
from skrate.rates.laws import RateLike, check_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS: dict[Kind, str] = {"hits": "Hits", "gains": "Recall", "lift": "Lift"}
GAIN_KINDS: dict[Kind, str] = {
    "hits": "Gain per case",
    "gains": "Share of the gain",
    "lift": "Lift",
}
# The lift of the first rates, and that of a perfect ranking, may be many times all
# else. The axis has that of the curves from this rate on, and so much more.
_FIRST_RATE = 0.05
_LIFT_ROOM = 2
_MARGIN = 1.05
_COUNTS = "{x:,.10g}"
_BAND = {"alpha": 0.2, "linewidth": 0.0}


class HitCurveArguments(DrawingArguments, total=False):
    """What ``HitCurveDisplay.plot`` takes."""

    kind: Kind
    rate: RateLike | None
    n_items: int | None
    curve_kwargs: dict[str, Any] | None
    plot_chance_level: bool
    chance_level_kwargs: dict[str, Any] | None
    plot_perfect: bool
    perfect_kwargs: dict[str, Any] | None
    plot_momentum: bool
    momentum_kwargs: dict[str, Any] | None
    plot_folds: bool
    plot_mean: bool | None
    mean_kwargs: dict[str, Any] | None
    plot_bands: bool | None
    bounds_kwargs: dict[str, Any] | None
    rate_kwargs: dict[str, Any] | None


class HitDrawing(FoldsDisplay):
    """A display of hit curves."""

    curves: list[tuple[FloatArray, FloatArray]]
    tables: list[RankTable]
    perfect: Sequence[tuple[FloatArray, FloatArray]] | None
    line_: Any
    _sizes: list[float]
    # Whether the rates of a curve of gain are shares of the cost, or of the cases.
    _has_cost = True
    # What stands on the axes, and how many units 1 is on either.
    _kind: Kind = "hits"
    _units = (1.0, 1.0)
    # The legend may stand below.
    _layout = "constrained"

    @property
    def rates(self) -> list[FloatArray]:
        """Rates of the points, one array per curve."""
        return [rate for rate, _ in self.curves]

    @property
    def hits(self) -> list[FloatArray]:
        """Hits at these rates, one array per curve."""
        return [hits for _, hits in self.curves]

    @property
    def prevalence(self) -> float:
        """Share of the positives, or gain of all cases, its mean over the curves."""
        return float(np.mean([hits[-1] for hits in self.hits]))

    def _start(self, ax: Axes | None) -> None:
        super()._start(ax)
        self.chance_level_: Any = None
        self.perfect_: Any = None
        self.momentum_: Any = None
        self.mean_: Any = None
        self.band_: Any = None
        self.rate_: list[Any] = []

    def plot(
        self,
        ax: Axes | None = None,
        *,
        kind: Kind = "hits",
        name: str | None = None,
        rate: RateLike | None = None,
        n_items: int | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = True,
        chance_level_kwargs: dict[str, Any] | None = None,
        plot_perfect: bool = True,
        perfect_kwargs: dict[str, Any] | None = None,
        plot_momentum: bool = False,
        momentum_kwargs: dict[str, Any] | None = None,
        plot_folds: bool = True,
        plot_mean: bool | None = None,
        mean_kwargs: dict[str, Any] | None = None,
        plot_bands: bool | None = None,
        bounds_kwargs: dict[str, Any] | None = None,
        rate_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves, with their references.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        kind : {"hits", "gains", "lift"}, default="hits"
            What stands on the vertical axis: the share of all cases found, the share of
            the positives found (cumulative gains), or how many times more are found
            than by random scores. With ``gain``: the gain per case, the share of the
            gain of all cases, or how many times that of random scores.
        name : str, default=None
            Name for the legend; None takes that of the display.
        rate : "uniform", float or distribution, default=None
            The share that will be processed, drawn at the foot: its density, and stems
            for known rates.
        n_items : int, default=None
            Number of cases of which a share will be processed: the axes are then in
            counts, that of recall and lift excepted.
        curve_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for the curves.
        plot_chance_level : bool, default=True
            Whether to draw what random scores find.
        chance_level_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        plot_perfect : bool, default=True
            Whether to draw what a perfect ranking finds.
        perfect_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        plot_momentum : bool, default=False
            Whether to draw the momentum, its mean over the curves where there are
            several, dotted in their colour: the line of figure 2 in the reference. It
            is left out where the momentum is undefined, as of gains. It rests on an
            approximation, and may exceed 1, which no ranking can: it is then drawn as
            1, along the perfect curve, and the legend says so.
        momentum_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        plot_folds : bool, default=True
            Whether to draw the curve of each fold where there are several.
        plot_mean : bool, default=None
            Whether to draw the mean of several curves at equal rate, weighted by their
            numbers of cases: that of :func:`hit_curve` of folds. None draws it where
            there are several.
        mean_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        plot_bands : bool, default=None
            Whether to shade a standard deviation over the curves on either side of
            their mean: how far folds differ, and no bounds for the mean. None does so
            where there are several.
        bounds_kwargs : dict, default=None
            Passed to matplotlib's ``fill_between`` for it.
        rate_kwargs : dict, default=None
            Passed to matplotlib for the density of the rate.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : HitCurveDisplay
            The display itself.

        Raises
        ------
        ValueError
            If ``kind`` or ``rate`` is not one of the choices, gains or lift are asked
            for where a curve has no positive case, or all cases together no gain, or
            ``n_items`` is no number of cases, or stands beside shares of a cost.
        """
        kind = check_choice("kind", kind, get_args(Kind))
        check_flag("plot_chance_level", plot_chance_level)
        check_flag("plot_perfect", plot_perfect)
        check_flag("plot_momentum", plot_momentum)
        check_flag("plot_folds", plot_folds)
        are_several = len(self.curves) > 1
        plot_mean = _check_default("plot_mean", plot_mean, are_several)
        plot_bands = _check_default("plot_bands", plot_bands, are_several)
        check_flag("despine", despine)
        law = None if rate is None else check_rate(rate)
        if kind != "hits" and min(hits[-1] for hits in self.hits) <= 0:
            what = "a positive case" if self.perfect is None else "a gain of all cases"
            raise ValueError(f"kind={kind!r} is undefined without {what}.")
        n = self._check_items(n_items)
        self._kind, self._units = kind, (n, n if kind == "hits" else 1.0)
        self._start(ax)
        before = self.ax_.get_ylim() if self.ax_.lines else None
        self._draw_curves(name, curve_kwargs, mean_kwargs, plot_folds, plot_mean)
        if plot_bands:
            self._draw_band(bounds_kwargs)
        if plot_momentum:
            self._draw_momentum(momentum_kwargs)
        grey: dict[str, Any] = {"color": "0.4"}
        p = self.prevalence
        if plot_chance_level:
            style = grey | {"linestyle": "--", "label": "Random"}
            points = self._drawn([0, 1], [0, p])
            self.chance_level_ = self._reference_line(
                points, chance_level_kwargs, **style
            )
        if plot_perfect:
            style = grey | {"linestyle": ":", "label": "Perfect"}
            points = self._drawn(*self._best_points())
            self.perfect_ = self._reference_line(points, perfect_kwargs, **style)
        if law is not None:
            style = styled(rate_kwargs, **BUDGET_STYLE)
            self.rate_ = draw_along_axis(self.ax_, law, style, n)
            name_budget(self.ax_, self.rate_, style)
        self.ax_.set_xlim(-0.01 * n, 1.01 * n)
        if kind == "lift":
            self._limit_lift(before)
        elif self.perfect is None:
            self.ax_.set_ylim(bottom=0)
        self._name_units(n_items, despine)
        draw_legend(self.ax_)
        return self

    def _check_items(self, n_items: int | None) -> float:
        """Return how many cases stand for the rate 1."""
        if n_items is None:
            return 1.0
        if self.perfect is not None and self._has_cost:
            raise ValueError(
                "n_items counts cases, and the axis is the share of their cost: give "
                "one of n_items and cost."
            )
        return float(check_count("n_items", n_items))

    def _drawn(
        self, rates: ArrayLike, hits: ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Return a hit curve as it is drawn."""
        x, y = rescaled(rates, hits, self._kind, first_rate(self.rates))
        return x * self._units[0], y * self._units[1]

    def _draw_curves(
        self,
        name: str | None,
        given: dict[str, Any] | None,
        mean_given: dict[str, Any] | None,
        plot_folds: bool,
        plot_mean: bool,
    ) -> None:
        """Draw the curves in the colour of their model, and their mean."""
        style = styled(given, label=self._entry(name, *self._summary()))
        if len(self.curves) == 1:
            self.line_ = self._model_line(*self._drawn(*self.curves[0]), style)
            self._color = self.line_.get_color()
            if plot_mean:
                mean = {"color": self._color, "linewidth": 2, "label": "_"}
                self.mean_ = self._line(*self._over_folds()[:2], mean_given, **mean)
            return
        lines: list[Any] = []
        if plot_mean:
            mean = {key: style[key] for key in ("color", "label") if key in style}
            points = self._over_folds()[:2]
            self.mean_ = self._model_line(*points, mean_given, **mean)
            style |= {"color": style.get("color", self.mean_.get_color()), "label": "_"}
        # Faint, behind their mean.
        faint: dict[str, Any] = {"alpha": 0.3 if plot_mean else 0.5, "linewidth": 0.8}
        for curve in self.curves if plot_folds or not plot_mean else ():
            points = self._drawn(*curve)
            if not lines and not plot_mean:
                lines.append(self._model_line(*points, style, **faint))
                # One colour, and one entry in the legend, for all folds.
                style |= {"color": lines[0].get_color(), "label": "_"}
                faint["linestyle"] = lines[0].get_linestyle()
            else:
                lines.append(self._line(*points, style, **{"linestyle": "-"} | faint))
        self.line_ = lines
        self._color = (lines[0] if lines else self.mean_).get_color()

    def _draw_band(self, given: dict[str, Any] | None) -> None:
        x, mean, spread = self._over_folds()
        style = styled(given, color=self._color, label="_", **_BAND)
        self.band_ = self.ax_.fill_between(x, mean - spread, mean + spread, **style)
        if style["label"] == "_":
            self._grey_entry("± 1 standard deviation", given, **_BAND)

    def _over_folds(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return what is drawn of the mean of the curves, and its standard deviation.

        Found is what all curves find together; a share of it, or a lift, is one of all.
        """
        weights = np.array(self._sizes) / np.sum(self._sizes)
        at = np.unique(np.concatenate(self.rates))
        together = dot(
            np.stack([np.interp(at, *curve) for curve in self.curves], 1), weights
        )
        x, mean = self._drawn(at, together)
        each = np.stack(
            [np.interp(x, *self._drawn(*curve)) for curve in self.curves], 1
        )
        return x, mean, np.sqrt(dot((each - mean[:, None]) ** 2, weights))

    def _draw_momentum(self, given: dict[str, Any] | None) -> None:
        p = self.prevalence
        beta = float(np.mean([momentum(table) for table in self.tables] or [np.nan]))
        if not beta > p:
            return
        # No ranking finds more than it processes.
        pace = min(beta, 1.0)
        parts = [f"Momentum {beta:.2f}"] + ["(drawn as 1, the most)"] * (beta > pace)
        style = {"color": self._color, "linestyle": ":", "linewidth": 1.5}
        style["label"] = entry(*parts)
        points = self._drawn([0, p / pace], [0, p])
        self.momentum_ = self._line(*points, given, **style)

    def _limit_lift(self, before: tuple[float, float] | None) -> None:
        """Show the lift of the curves, and of others what was seen ``before``."""
        lines = self.line_ if isinstance(self.line_, list) else [self.line_]
        points = [np.asarray(line.get_data()) for line in lines or [self.mean_]]
        first = _FIRST_RATE * self._units[0]
        seen = np.concatenate([lift[rate >= first] for rate, lift in points])
        drawn = np.concatenate([line.get_ydata() for line in self.ax_.lines])
        low = max(_LIFT_ROOM * min(seen.min(), 0), _MARGIN * min(drawn.min(), 0))
        high = min(_LIFT_ROOM * seen.max(), _MARGIN * drawn.max())
        if before is not None:
            low, high = min(low, before[0]), max(high, before[1])
        self.ax_.set_ylim(low, high)

    def _best_points(self) -> tuple[ArrayLike, ArrayLike]:
        """Return the hit curve of a perfect ranking; of gains the mean of the best."""
        p = self.prevalence
        if self.perfect is None:
            return [0, p, 1], [0, p, p]
        if len(self.perfect) == 1:
            return self.perfect[0]
        best = [np.interp(RATES, *points) for points in self.perfect]
        return RATES, np.mean(best, axis=0)

    def _summary(self) -> list[str]:
        """Return what the legend says of the curves, in parts that may be lines."""
        if self.perfect is None:
            precisions = [AveragePrecision().value(table) for table in self.tables]
            return [f"AP = {mean_and_spread(precisions)}"]
        # The expected gain per case under a uniform rate.
        areas = [float(trapezoid(gains, rates)) for rates, gains in self.curves]
        # Only the axis of hits says that it is one per case.
        unit = "" if self._kind == "hits" and self._units[1] == 1 else "per case "
        return ["mean gain", f"{unit}= {mean_and_spread(areas)}"]

    def _name_units(self, n_items: int | None, despine: bool) -> None:
        """Say what stands on the axes, as shares or as counts."""
        of_gain = self.perfect is not None
        xlabel = "Share of the cost" if of_gain and self._has_cost else "Rate"
        ylabel = (GAIN_KINDS if of_gain else KINDS)[self._kind]
        if n_items is not None:
            xlabel = f"Cases processed, of {n_items:,}"
            self.ax_.xaxis.set_major_formatter(_COUNTS)
            if self._kind == "hits":
                n_pos = n_items * self.prevalence
                ylabel = "Gain" if of_gain else f"Positives found, of {n_pos:,.0f}"
                self.ax_.yaxis.set_major_formatter(_COUNTS)
        self._name_axes(xlabel, ylabel, despine)


def _check_default(name: str, value: bool | None, default: bool) -> bool:
    """Return whether something is drawn, by default or as it is asked for."""
    if value is None:
        return default
    check_flag(name, value)
    return value
