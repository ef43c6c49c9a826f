"""Draw a budget report: the hit curves in counts, and the budget."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from skrate.curves.consensus import BANDS, Band
from skrate.data.arrays import Label
from skrate.data.checks import check_choice
from skrate.displays.drawing import (
    COUNTS,
    Axes,
    Display,
    Options,
    check_defined,
    count_cases,
    draw_rate,
    entry,
    styled,
)
from skrate.inference.budget_report import BudgetReport
from skrate.inference.budget_report_text import count_texts
from skrate.inference.curve_evaluation import CurveBounds
from skrate.inference.options import Plan
from skrate.rates.laws import fixed_rate


class BudgetReportDisplay(Display, draws=(BudgetReport,), by="budget_report"):
    """Hit curves in counts, with their bands, the budget and the expected counts.

    Parameters
    ----------
    report : BudgetReport
        The result of :func:`budget_report`, which must be defined.
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
    budget_report : Computes the numbers.

    Notes
    -----
    The dot of a model is at the mean budget and at the expected number of positives:
    beside its curve, unless the budget is fixed. The number of positives is known in
    bands, but uncertain in the intervals of the legend. The bands of models can overlap
    even if one model is significantly better: for a report with ``reference``, the
    legend shows the difference in selected positives.

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
        count_cases(self.ax_, self.ax_.xaxis, n * right)
        self.ax_.yaxis.set_major_formatter(COUNTS)
