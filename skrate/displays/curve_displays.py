"""Draw curves of a model, differences of two, sample sizes and budget reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from skrate.curves.consensus import BANDS, Band
from skrate.data.arrays import Label
from skrate.data.checks import check_choice, check_count
from skrate.displays.drawing import (
    COUNTS,
    Axes,
    Display,
    Options,
    check_defined,
    count_samples,
    draw_rate,
    entry,
    model_color,
    styled,
)
from skrate.inference.budget_report import BudgetReport
from skrate.inference.budget_report_text import count_texts
from skrate.inference.compare_curves import CurveComparison
from skrate.inference.curve_band import AXES, CurveBand
from skrate.inference.curve_evaluation import CurveBounds
from skrate.inference.options import Plan
from skrate.inference.sample_size import SampleSize
from skrate.rates.distributions import (
    RateDistribution,
    RateLike,
    check_rate,
    fixed_rate,
)

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
        The result of :func:`curve_band`; an error if it is undefined.
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
        The band, and intervals at single rates unless the band is pointwise.
    winning_a_, winning_b_, rate_, count_axes_ : list
        The rates where a model is significantly better, the distribution of the rate,
        and the axes in counts.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    Raises
    ------
    ValueError
        If ``comparison`` is not a result of :func:`compare_curves`, or is undefined;
        if ``names`` are not two different names, or, when drawn, ``rate`` is not a
        distribution or ``n_items`` not a number of samples.

    Notes
    -----
    The band of a precision or a lift is wide at the first rates: the vertical axis is
    for rates that the budget exceeds with a probability of at most 0.95, or without
    ``rate`` for all except the first tenth.

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
        count_samples(self.ax_, top.xaxis, n_items)
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

    The power is the probability that the test detects the difference; the half width is
    the expected one. The dot is the planned size.

    Parameters
    ----------
    result : SampleSize
        The result of :func:`sample_size`; an error if it is undefined.
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


class BudgetReportDisplay(Display, draws=(BudgetReport,), by="budget_report"):
    """Hit curves in counts, with their bands, the budget and the expected counts.

    Parameters
    ----------
    report : BudgetReport
        The result of :func:`budget_report`; an error if it is undefined.
    name : str, default=None
        Name in the legend, if there is one model; None takes the report's.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    lines_, readings_ : list of matplotlib Line2D
        The curve of each model; the line from the mean budget to its expected count.
    bands_, rate_ : list of matplotlib artists
        The bands, if they are drawn, and the distribution of the budget, at the bottom.
    chance_level_, perfect_ : matplotlib Line2D or None
        The curves of a random and of a perfect order.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    See Also
    --------
    HitCurveDisplay : The hit curve in fractions, with all steps.

    Notes
    -----
    The dot of a model is at the mean budget and the expected number of positives,
    beside its curve unless the budget is fixed. The number of positives is known in
    bands, but uncertain in the intervals of the legend. Bands of models can overlap
    even if one is significantly better: see the difference in the legend of a report
    with ``reference``.

    Examples
    --------
    >>> from skrate import budget_report
    >>> from skrate.displays import BudgetReportDisplay
    >>> y_true = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> y_score = range(10, 0, -1)
    >>> report = budget_report(y_true, y_score, rate=0.5, n_items=200)
    >>> display = BudgetReportDisplay(report).plot()
    >>> display.readings_[0].get_ydata().round(9).tolist()
    [0.0, 60.0, 60.0]
    """

    def __init__(
        self, report: BudgetReport, *, name: str | None = None, pos_label: Label = None
    ) -> None:
        self._check_result("report", report)
        check_defined("report", bool(report.curves), "curve")
        self.report = report
        self.name = name
        self.pos_label = pos_label

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        band: Band = "simultaneous",
        plot_bands: bool | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        bounds_kwargs: dict[str, Any] | None = None,
        chance_level_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = True,
        plot_perfect: bool = True,
        despine: bool = False,
    ) -> Self:
        """Draw the curves up to 1.5 times the 99 % quantile of the budget.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        name : str, default=None
            Name in the legend, if there is one model; None takes the display's.
        band : {"simultaneous", "pointwise"}, default="simultaneous"
            Whether bands, at the level of the report, are for the whole true curve, or
            for each budget separately.
        plot_bands : bool, default=None
            Whether to draw the bands. None draws the band of a single model, the edges
            for two models, and none for more, because they would hide each other.
        curve_kwargs, bounds_kwargs, chance_level_kwargs : dict, default=None
            Matplotlib options of the curves, the bands and the chance level.
        plot_chance_level, plot_perfect : bool, default=True
            Whether to draw the curves of a random and of a perfect order.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : BudgetReportDisplay
            The display that was drawn.
        """
        check_choice("band", band, BANDS)
        self._start(ax)
        report, n, p = self.report, self.report.n_samples, self.report.prevalence
        self._draw_models(self.name if name is None else name, curve_kwargs)
        self.chance_level_ = self._chance_line(
            plot_chance_level, ([0, n], [0, n * p]), chance_level_kwargs
        )
        self.perfect_ = None
        if plot_perfect:
            label = entry("Perfect,", f"if {n * p:,.0f} are positive")
            self.perfect_ = self._reference_line(
                ([0, n * p, n], [0, n * p, n * p]), linestyle=":", label=label
            )
        if plot_bands is None:
            # The area of one model, or the edges of two, can be distinguished.
            plot_bands = len(report.models) <= 2
        bounds: list[CurveBounds] = []
        self.bands_: list[Any] = []
        if plot_bands:
            bounds, self.bands_ = self._draw_bands(band, bounds_kwargs)
        label = f"budget, {n * report.rate.mean():,.0f}"
        if fixed_rate(report.rate) is None:
            label += " on average"
        self.rate_ = draw_rate(self.ax_, report.rate, n, entry(label))
        self._set_limits(bounds)
        of_n, of_p = f"of {n:,.0f}", f"of {n * p:,.0f}"
        title = f"Expected found ({100 * report.confidence_level:g} % interval)"
        if report.reference is not None:
            title += "\n" + entry("compared with", report.reference)
        xlabel, ylabel = f"Samples processed, {of_n}", f"Positives found, {of_p}"
        return self._finish(xlabel, ylabel, despine, title=title)

    def _draw_models(self, name: str | None, given: Options) -> None:
        """Draw the curve of each model, and its expected number of positives."""
        report, n = self.report, self.report.n_samples
        x, mean = n * report.curves[0].rates, n * report.rate.mean()
        is_named = name is not None and len(report.models) == 1
        style: dict[str, Any] = {"color": "0.5", "linewidth": 0.8, "linestyle": "-."}
        style |= {"marker": "o", "markevery": [1]}
        style |= {"markersize": 5, "markeredgecolor": "w"}
        self.lines_, self.readings_ = [], []
        for model, curve in zip(report.models, report.curves, strict=True):
            row, base = report[model, "found"], report.reference
            names = ["found"] + ["more found"] * (base not in (None, model))
            counts = (count_texts(report[model, name]) for name in names)
            texts = (f"{number} ({interval})" for number, interval, _ in counts)
            label = entry(f"{name if is_named else model}:", *texts)
            line = self._model_line(x, n * curve.values, given, label=label)
            self.lines_.append(line)
            # From the mean budget to a dot, and on to the number of positives.
            style["markerfacecolor"] = line.get_color()
            points = [mean, mean, 0.0], [0.0, row.value, row.value]
            self.readings_.append(self._line(*points, None, **style))

    def _draw_bands(
        self, band: Band, given: Options
    ) -> tuple[list[CurveBounds], list[Any]]:
        """Draw the band of one model as an area, or the edges of several bands."""
        report, n = self.report, self.report.n_samples
        level, x = report.confidence_level, n * report.curves[0].rates
        is_one = len(report.curves) == 1
        if band == "pointwise":
            bounds = [curve.interval(level) for curve in report.curves]
            kind = "at one budget"
        else:
            # Always the same draws.
            plan = Plan(confidence_level=level, n_resamples=2000, random_state=0)
            bounds = [curve.band(plan) for curve in report.curves]
            kind = "band" if is_one else "bands"
        positives = f"if {n * report.prevalence:,.0f} are positive"
        label = entry(f"{100 * level:g} % {kind},", positives)
        bands = []
        for ends, line in zip(bounds, self.lines_, strict=True):
            style = {"color": line.get_color(), "linewidth": 0 if is_one else 0.8}
            style = styled(given, alpha=0.2 if is_one else 0.7, **style)
            if not is_one and "color" in style:
                style |= {"facecolor": "none", "edgecolor": style.pop("color")}
            # At most as many are found as are processed.
            low, high = n * ends.low, np.minimum(n * ends.high, x)
            bands.append(self.ax_.fill_between(x, low, high, **style))
        if is_one:
            bands[0].set_label(label)
        else:
            self._grey_entry(label, given, facecolor="none", edgecolor="0.5")
        return bounds, bands

    def _set_limits(self, bounds: list[CurveBounds]) -> None:
        """Show the likely budgets, and the positives that they can select."""
        report = self.report
        n, p = report.n_samples, report.prevalence
        # 1.5 times the 99 % quantile of the budget; all rates if this is 0.
        right = min(1.5 * float(report.rate.ppf(0.99)), 1.0) or 1.0
        rates = report.curves[0].rates
        curves = [curve.values for curve in report.curves] + [b.high for b in bounds]
        tops = [float(np.interp(right, rates, curve)) for curve in curves]
        if self.perfect_ is not None:
            tops.append(min(right, p))
        self.ax_.set(xlim=(0, n * right), ylim=(0, 1.05 * n * max(tops)))
        count_samples(self.ax_, self.ax_.xaxis, n * right)
        self.ax_.yaxis.set_major_formatter(COUNTS)
