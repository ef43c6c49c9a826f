"""How the difference of two models at every rate is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skrate.data.checks import check_count, check_flag
from skrate.displays._drawing import Drawing, styled
from skrate.displays._legend import draw_legend, entry
from skrate.displays._signatures import DrawingArguments
from skrate.displays._styles import model_color
from skrate.displays.rate_spaces import BUDGET_STYLE, draw_along_axis, name_budget
from skrate.inference.compare_curves import CurveComparison, Stretch
from skrate.inference.curve_process import CurveBounds
from skrate.rates.laws import RateDistribution, RateLike, check_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of which a difference is so many more, whatever the rate.
_FOUND = {"recall": "positives found", "hits": "positives found", "gain": "total gain"}
_PER_CASE = {"hits": "hits per case", "gain": "gain per case"}
_COUNTS = "{x:,.10g}"
# Metrics whose bands are widest by far at the first rates. What is to be seen begins
# after this share of the budget, or without one, of the rates.
_SHARES = ("precision", "lift")
_FIRST_OF_BUDGET, _FIRST_OF_RATES = 0.05, 0.1
# Width of the line about a band of the whole curve.
_OUTLINE = 0.8
# About what is to be seen, as a share of it.
_ROOM = 0.15


class CurveComparisonArguments(DrawingArguments, total=False):
    """What ``CurveComparisonDisplay.plot`` takes."""

    curve_kwargs: dict[str, Any] | None
    band_kwargs: dict[str, Any] | None
    plot_interval: bool
    interval_kwargs: dict[str, Any] | None
    plot_winning: bool
    winning_kwargs: dict[str, Any] | None
    rate_kwargs: dict[str, Any] | None


class DifferenceDrawing(Drawing):
    """A display of the difference of two curves."""

    comparison: CurveComparison
    names: tuple[str, str]
    rate: RateLike | None
    n_items: int | None
    # Counts stand at the right and on top.
    _layout = "constrained"

    def plot(
        self,
        ax: Axes | None = None,
        *,
        names: Sequence[str] | None = None,
        rate: RateLike | None = None,
        n_items: int | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        band_kwargs: dict[str, Any] | None = None,
        plot_interval: bool = True,
        interval_kwargs: dict[str, Any] | None = None,
        plot_winning: bool = True,
        winning_kwargs: dict[str, Any] | None = None,
        rate_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the difference with its band.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        names : tuple of two str, default=None
            Names of the models; None takes those of the display.
        rate : "uniform", float or distribution, default=None
            The share that will be processed; None takes that of the display. It is
            drawn at the foot: its density, and stems for known rates.
        n_items : int, default=None
            Number of cases of which that share will be processed; None takes that of
            the display. With it a second axis counts the cases processed, and of
            recall, hits and gain a third one those found, or what is gained.
        curve_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for the difference.
        band_kwargs : dict, default=None
            Passed to matplotlib's ``fill_between`` for the band.
        plot_interval : bool, default=True
            Whether to draw the intervals at single rates within a simultaneous band.
        interval_kwargs : dict, default=None
            Passed to matplotlib's ``fill_between`` for them.
        plot_winning : bool, default=True
            Whether to shade the rates at which one model is better beyond doubt.
        winning_kwargs : dict, default=None
            Passed to matplotlib's ``axvspan`` for them.
        rate_kwargs : dict, default=None
            Passed to matplotlib for the density of the rate.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : CurveComparisonDisplay
            The display itself.

        Raises
        ------
        ValueError
            If ``names`` are not two, ``rate`` is no distribution, or ``n_items`` no
            number of cases.
        """
        check_flag("plot_interval", plot_interval)
        check_flag("plot_winning", plot_winning)
        check_flag("despine", despine)
        of_a, of_b = self.names if names is None else check_names(names)
        rate = self.rate if rate is None else rate
        law = None if rate is None else check_rate(rate)
        n_items = self.n_items if n_items is None else n_items
        if n_items is not None:
            n_items = check_count("n_items", n_items)
        self._start(ax)
        found = self.comparison
        self.zero_line_ = self.ax_.axhline(0, color="0.4", linewidth=1)
        label = entry(of_a, f"less {of_b}")
        style: dict[str, Any] = {"color": "k", "label": label}
        self.line_ = self._line(found.rates, found.difference, curve_kwargs, **style)
        level = f"{100 * found.confidence_level:g} %"
        is_whole = found.kind == "simultaneous"
        label = f"{level} band" if is_whole else f"{level} at one rate"
        # With an outline, unlike areas of other meanings.
        width = _OUTLINE if is_whole else 0.0
        self.band_ = self._area(found.band, band_kwargs, 0.15, label, width)
        self.interval_ = None
        if plot_interval and is_whole:
            interval, label = found.confidence_interval, f"{level} at one rate"
            self.interval_ = self._area(interval, interval_kwargs, 0.2, label)
        self.winning_a_, self.winning_b_ = [], []
        if plot_winning:
            won = found.winning_rates()
            self.winning_a_, self.winning_b_ = (
                self._shade(stretches, f"{name} better", model_color(i), winning_kwargs)
                for i, (name, stretches) in enumerate(((of_a, won.a), (of_b, won.b)))
            )
        self.rate_ = []
        if law is not None:
            style = styled(rate_kwargs, **BUDGET_STYLE)
            self.rate_ = draw_along_axis(self.ax_, law, style)
            name_budget(self.ax_, self.rate_, style)
        self.ax_.set_xlim(0, 1)
        if found.metric in _SHARES:
            self._set_limits(law)
        metric = _PER_CASE.get(found.metric, found.metric)
        self._name_axes("Rate", f"Difference in {metric}", despine)
        self.count_axes_ = [] if n_items is None else self._count(n_items)
        # The interval lies over the band.
        draw_legend(self.ax_, {self.interval_: self.band_})
        return self

    def _set_limits(self, law: RateDistribution | None) -> None:
        """Show the band where the budget may end, and 0."""
        found = self.comparison
        if law is None:
            first = np.quantile(found.rates, _FIRST_OF_RATES)
        else:
            first = law.ppf(_FIRST_OF_BUDGET)
        is_seen = found.rates >= min(first, found.rates[-1])
        ends = [0.0, *found.band.low[is_seen], *found.band.high[is_seen]]
        low, high = np.nanmin(ends), np.nanmax(ends)
        room = _ROOM * (high - low)
        if room > 0:
            self.ax_.set_ylim(low - room, high + room)

    def _area(
        self,
        bounds: CurveBounds,
        given: dict[str, Any] | None,
        alpha: float,
        label: str,
        width: float = 0.0,
    ) -> Any:
        color = self.line_.get_color()
        style = styled(given, color=color, alpha=alpha, linewidth=width, label=label)
        return self.ax_.fill_between(self.comparison.rates, *bounds, **style)

    def _shade(
        self,
        stretches: list[Stretch],
        label: str,
        color: str,
        given: dict[str, Any] | None,
    ) -> list[Any]:
        artists = []
        label = entry(label)
        rates = self.comparison.rates
        middles = np.concatenate([rates[:1], (rates[1:] + rates[:-1]) / 2, rates[-1:]])
        for ends in stretches:
            first, last = np.searchsorted(rates, ends)
            low, high = middles[first], middles[last + 1]
            # Where there is but one rate, it has no width: its line has.
            width = 0 if high > low else 1.5
            style = {"alpha": 0.2, "linewidth": width, "zorder": 0, "label": label}
            artists.append(
                self.ax_.axvspan(low, high, **styled(given, color=color, **style))
            )
            # One entry of the legend for all.
            label = "_"
        return artists

    def _count(self, n_items: int) -> list[Any]:
        """Draw axes in counts: of what is processed, and of what is found."""
        found = self.comparison
        top = self.ax_.secondary_xaxis("top", functions=_scaling(n_items))
        top.xaxis.set_major_formatter(_COUNTS)
        top.set_xlabel(f"Processed of {n_items:,}")
        if found.metric not in _FOUND:
            return [top]
        unit = float(n_items)
        if found.metric == "recall":
            unit *= found.n_pos / (found.n_pos + found.n_neg)
        right = self.ax_.secondary_yaxis("right", functions=_scaling(unit))
        right.yaxis.set_major_formatter(_COUNTS)
        right.set_ylabel(f"Difference in\n{_FOUND[found.metric]}")
        return [top, right]


def check_names(names: Sequence[str] | None) -> tuple[str, str]:
    if names is None:
        return "a", "b"
    are_two = isinstance(names, Sequence) and not isinstance(names, str)
    if not (are_two and len(names) == 2):
        raise ValueError(f"names must be those of models a and b, got {names!r}.")
    first, second = names
    return str(first), str(second)


def _scaling(unit: float) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the functions from shares to counts and back."""
    return lambda share: share * unit, lambda count: count / unit
