"""Draw the difference of two models at every rate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from skrate.data.arrays import Label
from skrate.data.checks import check_count
from skrate.displays.drawing import (
    COUNTS,
    Axes,
    Drawing,
    check_defined,
    check_result_type,
    count_cases,
    draw_legend,
    draw_rate,
    entry,
    model_color,
    styled,
)
from skrate.inference.compare_curves import CurveComparison, Stretch
from skrate.inference.curve_evaluation import CurveBounds
from skrate.rates.laws import RateDistribution, RateLike, check_rate

# Of which a difference is so many more, whatever the rate.
_FOUND = {"recall": "positives found", "hits": "positives found", "gain": "total gain"}
_PER_CASE = {"hits": "hits per case", "gain": "gain per case"}


class CurveComparisonDisplay(Drawing, draws=CurveComparison):
    """Difference of two models at every rate, with its band and who wins where.

    Parameters
    ----------
    comparison : CurveComparison
        What :func:`compare_curves` returns.
    names : tuple of two str, default=None
        Names of the models a and b; None takes those of the comparison.
    rate : "uniform", float or distribution, default=None
        The share that will be processed, drawn at the foot.
    n_items : int, default=None
        Number of cases of which that share will be processed: further axes then show
        counts.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_, zero_line_ : matplotlib Line2D
        The difference, a - b, and where both are equal.
    band_, interval_ : matplotlib artist
        The areas of the band, and of intervals at single rates unless it is these.
    winning_a_, winning_b_, rate_ : list of matplotlib artists
        The rates at which either is better beyond doubt, and where the rate is likely.
    count_axes_ : list of matplotlib axes
        The axes in counts, if ``n_items`` is given.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Raises
    ------
    ValueError
        If ``comparison`` is none, or one that is undefined, or ``names`` are not two
        that differ.

    See Also
    --------
    compare_curves : The numbers.
    RateAveragedROC : The curves themselves, over folds.

    Notes
    -----
    The band of a precision or a lift is wide at the first rates: the axis has that of
    rates which the budget exceeds with a probability of 0.95, or without ``rate`` of
    all but the first tenth.

    Examples
    --------
    >>> from skrate import compare_curves
    >>> y_true, a, b = [1, 0, 1, 0, 0], [5, 3, 4, 2, 1], [1, 2, 3, 4, 5]
    >>> display = compare_curves(y_true, a, b).plot()
    >>> display.line_.get_ydata().tolist()
    [0.5, 1.0, 0.5, 0.5]
    """

    def __init__(
        self,
        comparison: CurveComparison,
        *,
        names: Sequence[str] | None = None,
        rate: RateLike | None = None,
        n_items: int | None = None,
        pos_label: Label = None,
    ) -> None:
        check_result_type("comparison", comparison, CurveComparison, "compare_curves")
        is_defined = not np.isnan(comparison.difference).all()
        check_defined("comparison", is_defined, "difference")
        self.comparison = comparison
        a, b = comparison.name_a, comparison.name_b
        self.names = (a, b) if names is None else _check_names(names)
        self.rate = rate
        self.n_items = n_items
        self.pos_label = pos_label

    def plot(
        self,
        ax: Axes | None = None,
        *,
        names: Sequence[str] | None = None,
        rate: RateLike | None = None,
        n_items: int | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        band_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the difference with its band.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        names : tuple of two str, default=None
            Names of the models; None takes the display's.
        rate : "uniform", float or distribution, default=None
            The share that will be processed, drawn at the foot; None takes the
            display's.
        n_items : int, default=None
            Number of cases of which that share will be processed; None takes the
            display's. Further axes then count the cases processed, and those found.
        curve_kwargs : dict, default=None
            Style of the curve, as matplotlib takes it.
        band_kwargs : dict, default=None
            Style of the band, as matplotlib takes it.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : CurveComparisonDisplay
            The display that was drawn.

        Raises
        ------
        ValueError
            If ``names`` are not two that differ, ``rate`` is no distribution, or
            ``n_items`` no number of cases.
        """
        of_a, of_b = self.names if names is None else _check_names(names)
        rate = self.rate if rate is None else rate
        law = None if rate is None else check_rate(rate)
        n_items = self.n_items if n_items is None else n_items
        if n_items is not None:
            n_items = check_count("n_items", n_items)
        self._start(ax)
        found = self.comparison
        self.zero_line_ = self.ax_.axhline(0, color="0.4", linewidth=1)
        label = entry(of_a, f"\N{MINUS SIGN} {of_b}")
        style: dict[str, Any] = {"color": "k", "label": label}
        self.line_ = self._line(found.rates, found.difference, curve_kwargs, **style)
        self._draw_bounds(band_kwargs)
        won = found.winning_rates()[:2]
        self.winning_a_, self.winning_b_ = (
            self._shade(stretches, f"{name} better", model_color(i))
            for i, (name, stretches) in enumerate(zip((of_a, of_b), won, strict=True))
        )
        self.rate_ = [] if law is None else draw_rate(self.ax_, law)
        self.ax_.set_xlim(0, 1)
        if found.metric in ("precision", "lift"):
            self._set_vertical_limits(law)
        metric = _PER_CASE.get(found.metric, found.metric)
        self._name_axes("Rate", f"Difference in {metric}", despine)
        self.count_axes_ = [] if n_items is None else self._count(n_items)
        # The interval lies over the band.
        draw_legend(self.ax_, {self.interval_: self.band_})
        return self

    def _draw_bounds(self, given: dict[str, Any] | None) -> None:
        """Draw the band, and within one of the whole curve the intervals."""
        found = self.comparison
        level = f"{100 * found.confidence_level:g} %"
        at_one, self.interval_ = {"label": f"{level} at one rate", "linewidth": 0}, None
        if found.kind == "pointwise":
            self.band_ = self._area(found.band, given, alpha=0.15, **at_one)
            return
        # With an outline, unlike areas of other meanings.
        whole = {"label": f"{level} band", "linewidth": 0.8}
        self.band_ = self._area(found.band, given, alpha=0.15, **whole)
        self.interval_ = self._area(
            found.confidence_interval, None, alpha=0.2, **at_one
        )

    def _set_vertical_limits(self, law: RateDistribution | None) -> None:
        """Show the vertical range of the band where the budget may end, and 0."""
        found = self.comparison
        # The band is widest by far at the first rates: a tenth of them is left out, or
        # those that the budget exceeds with a probability of 0.95.
        first = np.quantile(found.rates, 0.1)
        if law is not None:
            first = min(law.ppf(0.05), found.rates[-1])
        is_seen = found.rates >= first
        ends = [0.0, *found.band.low[is_seen], *found.band.high[is_seen]]
        low, high = np.nanmin(ends), np.nanmax(ends)
        room = 0.15 * (high - low)
        if room > 0:
            self.ax_.set_ylim(low - room, high + room)

    def _area(
        self, bounds: CurveBounds, given: dict[str, Any] | None, **style: Any
    ) -> Any:
        style = styled(given, color=self.line_.get_color(), **style)
        return self.ax_.fill_between(self.comparison.rates, *bounds, **style)

    def _shade(self, stretches: list[Stretch], label: str, color: str) -> list[Any]:
        artists = []
        label = entry(label)
        rates = self.comparison.rates
        middles = np.concatenate([rates[:1], (rates[1:] + rates[:-1]) / 2, rates[-1:]])
        for ends in stretches:
            first, last = np.searchsorted(rates, ends)
            low, high = middles[first], middles[last + 1]
            # Where there is but one rate, it has no width: its line has.
            width = 0 if high > low else 1.5
            style: dict[str, Any] = {"color": color, "alpha": 0.2, "linewidth": width}
            artists.append(self.ax_.axvspan(low, high, label=label, zorder=0, **style))
            # One entry of the legend for all.
            label = "_"
        return artists

    def _count(self, n_items: int) -> list[Any]:
        """Draw axes in counts: of what is processed, and of what is found."""
        found = self.comparison
        top = self.ax_.secondary_xaxis("top", functions=_scaling(n_items))
        count_cases(self.ax_, top.xaxis, n_items)
        top.set_xlabel(f"Processed of {n_items:,}")
        if found.metric not in _FOUND:
            return [top]
        unit = float(n_items)
        if found.metric == "recall":
            unit *= found.n_pos / (found.n_pos + found.n_neg)
        right = self.ax_.secondary_yaxis("right", functions=_scaling(unit))
        right.yaxis.set_major_formatter(COUNTS)
        right.set_ylabel(f"Difference in\n{_FOUND[found.metric]}")
        return [top, right]


def _check_names(names: Sequence[str]) -> tuple[str, str]:
    are_two = isinstance(names, Sequence) and not isinstance(names, str)
    if not (are_two and len(names) == len({*map(str, names)}) == 2):
        raise ValueError(
            f"names must be two that differ, of models a and b, got {names!r}."
        )
    first, second = names
    return str(first), str(second)


def _scaling(unit: float) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the functions from shares to counts and back."""
    return lambda share: share * unit, lambda count: count / unit
