"""Draw curves of one model, differences of two, and the power by the sample size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from skrate.data.arrays import Label
from skrate.data.checks import check_count
from skrate.displays.drawing import (
    COUNTS,
    Axes,
    Display,
    Options,
    check_defined,
    count_cases,
    draw_rate,
    entry,
    model_color,
    styled,
)
from skrate.inference.compare_curves import CurveComparison
from skrate.inference.curve_band import AXES, CurveBand
from skrate.inference.curve_evaluation import CurveBounds
from skrate.inference.sample_size import SampleSize
from skrate.rates.laws import RateDistribution, RateLike, check_rate

_XLABELS = {"rate": "Rate", "fpr": "False positive rate", "recall": "Recall"}
_YLABELS = {
    "recall": "Recall",
    "precision": "Precision",
    "roc": "True positive rate",
    "pr": "Precision",
    "lift": "Lift",
    "hits": "Hits",
    "gain": "Gain per sample",
}
# Metrics for which a difference is a number of positives or a gain, at any rate.
_FOUND = {"recall": "positives found", "hits": "positives found", "gain": "total gain"}
_PER_SAMPLE = {"hits": "hits per sample", "gain": "gain per sample"}


class CurveBandDisplay(Display, draws=(CurveBand,), by="curve_band"):
    """The curve of one model with its band.

    Parameters
    ----------
    curve : CurveBand
        The result of :func:`curve_band`, which must be defined.
    name : str, default=None
        Name of the model for the legend.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_, chance_level_ : matplotlib Line2D
        The curve, and the curve of random scores, None if it is not drawn.
    band_ : matplotlib artist
        The area of its band, in the colour of the curve.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    See Also
    --------
    sklearn.metrics.RocCurveDisplay : A ROC curve without a band.
    curve_band : Computes the curve and the band.
    CurveComparisonDisplay : The difference of two models, to see which is better.

    Examples
    --------
    >>> from skrate import curve_band
    >>> from skrate.displays import CurveBandDisplay
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> curve = curve_band(y_true, y_score, metric="roc", at=[0.2, 0.8])
    >>> display = CurveBandDisplay(curve, name="model").plot()
    >>> display.line_.get_ydata().tolist()
    [0.5, 1.0]
    """

    def __init__(
        self, curve: CurveBand, *, name: str | None = None, pos_label: Label = None
    ) -> None:
        self._check_result("curve", curve)
        check_defined("curve", not np.isnan(curve.value).all(), "curve")
        self.curve = curve
        self.name = name
        self.pos_label = pos_label

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        bounds_kwargs: dict[str, Any] | None = None,
        chance_level_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = True,
        despine: bool = False,
    ) -> Self:
        """Draw the curve with its band.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        name : str, default=None
            Name for the legend; None takes the display's.
        curve_kwargs, bounds_kwargs, chance_level_kwargs : dict, default=None
            Matplotlib options of the curve, its band and the chance level.
        plot_chance_level : bool, default=True
            Whether to draw the curve of random scores.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : CurveBandDisplay
            The display that was drawn.
        """
        curve, metric = self.curve, self.curve.metric
        self._start(ax)
        before = self.ax_.get_ylim()[1] if self.ax_.lines else 0.0
        name = self.name if name is None else name
        label = entry(_YLABELS[metric] if name is None else name)
        self.line_ = self._model_line(curve.at, curve.value, curve_kwargs, label=label)
        kind = "band" if curve.band == "simultaneous" else "at each point"
        level = f"{100 * curve.confidence_level:g} % {kind}"
        style = bounds_kwargs, level, self.line_.get_color()
        self.band_ = self._band_area(curve.at, (curve.low, curve.high), *style)
        p = curve.prevalence
        # The heights of the line of random scores at both ends.
        ends = {"precision": (p, p), "pr": (p, p), "lift": (1.0, 1.0), "hits": (0.0, p)}
        chance = ends.get(metric, (0.0, 1.0))
        if metric == "gain":
            chance = 0.0, curve.params["benefit"] * p - curve.params["cost"]
        self.chance_level_ = self._chance_line(
            plot_chance_level, ([0, 1], chance), chance_level_kwargs
        )
        self.ax_.set_xlim(0, 1)
        margin = 1.05
        if metric == "lift":
            # The band is widest by far at the first rates, which set no limits.
            is_seen = curve.at >= min(0.05, curve.at[-1])
            highest = max(curve.high[is_seen].max(), curve.value.max())
            self.ax_.set_ylim(0, max(margin * highest, before))
        elif metric not in ("hits", "gain"):
            self.ax_.set_ylim(0, margin)
        return self._finish(_XLABELS[AXES[metric]], _YLABELS[metric], despine)


class CurveComparisonDisplay(Display, draws=(CurveComparison,), by="compare_curves"):
    """Difference of two models at every rate, with its band and the better model.

    Parameters
    ----------
    comparison : CurveComparison
        The result of :func:`compare_curves`.
    names : tuple of two str, default=None
        Names of the models a and b; None takes the names of the comparison.
    rate : "uniform", float or distribution, default=None
        The fraction of samples that will be processed, as in
        :func:`recall_at_rate_score`. Its distribution is drawn at the bottom.
    n_items : int, default=None
        Number of samples that will be ranked. If given, additional axes show the
        numbers of processed samples and of processed positives (or the gain).
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_, zero_line_ : matplotlib Line2D
        The difference, a - b, and the line of no difference.
    band_, interval_ : matplotlib artist
        The areas of the band, and of intervals at single rates unless the band is
        pointwise.
    winning_a_, winning_b_, rate_ : list of matplotlib artists
        The rates where one model is significantly better, and the distribution of the
        rate.
    count_axes_ : list of matplotlib axes
        The axes in counts, if ``n_items`` is given.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    Raises
    ------
    ValueError
        If ``comparison`` is not a result of :func:`compare_curves`, or is undefined;
        if ``names`` are not two different names, or, when drawn, ``rate`` is not a
        distribution or ``n_items`` not a number of samples.

    See Also
    --------
    compare_curves : Computes the difference.
    RateAveragedROC : The curves themselves, over folds.

    Notes
    -----
    The band of a precision or a lift is wide at the first rates. The vertical axis
    shows the band at rates that the budget exceeds with a probability of at most 0.95;
    without ``rate``, at all rates except the first tenth.

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
        self._check_result("comparison", comparison)
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
        names, rate, n_items : optional
            As in the constructor; None takes the display's.
        curve_kwargs, band_kwargs : dict, default=None
            Matplotlib options of the curve and of the band.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : CurveComparisonDisplay
            The display that was drawn.
        """
        a, b = self.names if names is None else _check_names(names)
        rate = self.rate if rate is None else rate
        budget = None if rate is None else check_rate(rate)
        n_items = self.n_items if n_items is None else n_items
        if n_items is not None:
            n_items = check_count("n_items", n_items)
        self._start(ax)
        curve = self.comparison
        self.zero_line_ = self.ax_.axhline(0, color="0.4", linewidth=1)
        label = entry(a, f"\N{MINUS SIGN} {b}")
        style: dict[str, Any] = {"color": "k", "label": label}
        self.line_ = self._line(curve.rates, curve.difference, curve_kwargs, **style)
        self._draw_bounds(band_kwargs)
        self.winning_a_, self.winning_b_ = self._shade_winning_rates(a, b)
        self.rate_ = [] if budget is None else draw_rate(self.ax_, budget)
        self.ax_.set_xlim(0, 1)
        if curve.metric in ("precision", "lift"):
            self._set_vertical_limits(budget)
        metric = _PER_SAMPLE.get(curve.metric, curve.metric)
        self.count_axes_ = [] if n_items is None else self._count(n_items)
        # The interval is drawn over the band.
        over = {self.interval_: self.band_}
        return self._finish("Rate", f"Difference in {metric}", despine, over=over)

    def _draw_bounds(self, given: Options) -> None:
        """Draw the band, and the intervals within a simultaneous band."""
        curve = self.comparison
        level = f"{100 * curve.confidence_level:g} %"
        at_one, self.interval_ = {"label": f"{level} at one rate", "linewidth": 0}, None
        if curve.kind == "pointwise":
            self.band_ = self._area(curve.band, given, alpha=0.15, **at_one)
            return
        # The outline distinguishes the band from other areas.
        outlined = {"label": f"{level} band", "linewidth": 0.8}
        self.band_ = self._area(curve.band, given, alpha=0.15, **outlined)
        self.interval_ = self._area(
            curve.confidence_interval, None, alpha=0.2, **at_one
        )

    def _set_vertical_limits(self, budget: RateDistribution | None) -> None:
        """Show the vertical range of the band at likely budgets, and 0."""
        curve = self.comparison
        # The band is widest by far at the first rates: leave out a tenth of the rates,
        # or the rates that the budget exceeds with a probability above 0.95.
        first = np.quantile(curve.rates, 0.1)
        if budget is not None:
            first = min(budget.ppf(0.05), curve.rates[-1])
        is_seen = curve.rates >= first
        ends = [0.0, *curve.band.low[is_seen], *curve.band.high[is_seen]]
        low, high = np.nanmin(ends), np.nanmax(ends)
        margin = 0.15 * (high - low)
        if margin > 0:
            self.ax_.set_ylim(low - margin, high + margin)

    def _area(self, bounds: CurveBounds, given: Options, **style: Any) -> Any:
        style = styled(given, color=self.line_.get_color(), **style)
        return self.ax_.fill_between(self.comparison.rates, *bounds, **style)

    def _shade_winning_rates(self, *names: str) -> list[list[Any]]:
        """Shade the rates where each model is better, without gaps up to 0.02."""
        max_gap, rates = 0.02, self.comparison.rates
        middles = np.concatenate([rates[:1], (rates[1:] + rates[:-1]) / 2, rates[-1:]])
        exact = self.comparison.winning_rates(max_gap=0.0)
        joined = self.comparison.winning_rates(max_gap=max_gap)
        shades: list[list[Any]] = [[], []]
        for i, name in enumerate(names):
            has_gaps = len(joined[i]) < len(exact[i])
            label = entry(f"{name} better", *[f"(gaps up to {max_gap:g})"] * has_gaps)
            for ends in joined[i]:
                first, last = np.searchsorted(rates, ends)
                low, high = middles[first], middles[last + 1]
                # A single rate has no width: draw its outline.
                style: dict[str, Any] = {"linewidth": 0 if high > low else 1.5}
                style |= {"color": model_color(i), "alpha": 0.2, "zorder": 0}
                shades[i].append(self.ax_.axvspan(low, high, label=label, **style))
                # One legend entry for all stretches.
                label = "_"
        return shades

    def _count(self, n_items: int) -> list[Any]:
        """Draw axes with counts of processed samples and of positives (or the gain)."""
        curve = self.comparison
        top = self.ax_.secondary_xaxis("top", functions=_scaling(n_items))
        count_cases(self.ax_, top.xaxis, n_items)
        top.set_xlabel(f"Processed of {n_items:,}")
        if curve.metric not in _FOUND:
            return [top]
        unit = float(n_items)
        if curve.metric == "recall":
            unit *= curve.n_pos / (curve.n_pos + curve.n_neg)
        right = self.ax_.secondary_yaxis("right", functions=_scaling(unit))
        right.yaxis.set_major_formatter(COUNTS)
        right.set_ylabel(f"Difference in\n{_FOUND[curve.metric]}")
        return [top, right]


def _check_names(names: Sequence[str]) -> tuple[str, str]:
    are_two = isinstance(names, Sequence) and not isinstance(names, str)
    if not (are_two and len(names) == len({*map(str, names)}) == 2):
        raise ValueError(
            f"names must be two different names, of models a and b, got {names!r}."
        )
    first, second = names
    return str(first), str(second)


def _scaling(unit: float) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the functions from fractions to counts and back."""
    return lambda fraction: fraction * unit, lambda count: count / unit


class SampleSizeDisplay(Display, draws=(SampleSize,), by="sample_size"):
    """The power of a test, or the half width of an interval, by the number of samples.

    The vertical axis is the probability that the test detects the difference or,
    without a test, the expected half width of the interval. The dot is the planned
    size.

    Parameters
    ----------
    result : SampleSize
        The result of :func:`sample_size`, which must be defined.
    name : str, default=None
        Name in the legend, such as the difference to detect.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_, point_ : matplotlib Line2D
        The power or the half width, and the planned size.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

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
            Matplotlib options of the curve.
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
