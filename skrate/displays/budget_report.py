"""Draw a report card: what a budget finds, in counts."""

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skrate.core.arrays import ArrayLike, Label
from skrate.core.rank_table import RankTable
from skrate.core.rates import RateLike
from skrate.core.validation import check_choice, check_flag
from skrate.curves.rate_averaged import BANDS, Band
from skrate.displays._drawing import Display, styled
from skrate.displays.rate_spaces import draw_along_axis
from skrate.inference.budget_report import budget_report
from skrate.inference.budget_result import BudgetReport
from skrate.inference.curve_process import CurveBounds, CurveProcess
from skrate.inference.sample import Weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Draws behind a simultaneous band, always the same.
_N_DRAWS = 2000
# Widths of the drawing beyond nearly all budgets.
_MARGIN = 1.5
_LIKELY = 0.99
# Characters in a line of the legend.
_LINE = 40
# Of the height of the axes, which curves leave to the legend: a line of it, and most.
_HEIGHT_OF_LINE = 0.05
_MOST_LEGEND = 0.5


class BudgetReportDisplay(Display):
    """Hit curves in counts, with their bands, the budget and what it reads off.

    Make it of a report, and draw it by :meth:`plot`; or do all at once by
    :meth:`from_predictions` or :meth:`from_estimator`.

    Parameters
    ----------
    report : BudgetReport
        What :func:`budget_report` returned.
    name : str, default=None
        Name of the one model for the legend; None takes that of the report.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D
        The curve of each model.
    bands_ : list of matplotlib artists
        Their bands.
    readings_ : list of matplotlib Line2D
        From the mean budget up to each curve, and to the number found.
    rate_ : list of matplotlib artists
        Where the budget is likely, at the foot.
    chance_level_ : matplotlib Line2D or None
        What a random order finds.
    perfect_ : matplotlib Line2D or None
        What a perfect order finds.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.

    Raises
    ------
    ValueError
        If ``report`` is no report, or one that is undefined.

    See Also
    --------
    HitCurveDisplay : The hit curve as shares, with every step of it.
    budget_report : The numbers.

    Notes
    -----
    The number in the legend is read at the mean budget. That is not the mean over
    budgets, which the report gives: a curve that bends down finds more at the mean.

    Examples
    --------
    >>> from skrate import BudgetReportDisplay, budget_report
    >>> y_true, y_score = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0], range(10, 0, -1)
    >>> report = budget_report(y_true, y_score, rate=0.5, n_items=200)
    >>> display = BudgetReportDisplay(report).plot()
    >>> display.readings_[0].get_ydata().tolist()
    [0.0, 60.0, 60.0]
    """

    def __init__(
        self,
        report: BudgetReport,
        *,
        name: str | None = None,
        pos_label: Label = None,
    ) -> None:
        if not isinstance(report, BudgetReport):
            raise ValueError(
                "report must be what budget_report returns, got "
                f"{type(report).__name__}; labels and scores are for from_predictions."
            )
        if not report.curves:
            raise ValueError(
                "report is undefined, as y_true holds fewer than two cases of a class: "
                "there is no curve to draw."
            )
        self.report = report
        self.name = name
        self.pos_label = pos_label

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | RankTable,
        y_score: ArrayLike | None = None,
        *,
        rate: RateLike,
        n_items: int | None = None,
        models: Mapping[Any, ArrayLike] | ArrayLike | None = None,
        confidence_level: float = 0.95,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        weights: Weights = "frequency",
        pos_label: Label = None,
        name: str | None = None,
        **plot_kwargs: Any,
    ) -> Self:
        """Draw the report of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or RankTable
            True labels of two classes; or a table, without ``y_score``.
        y_score : array-like of shape (n_samples,), default=None
            Scores of one model, higher for the positive class.
        rate : "uniform", float or distribution
            The share of all cases that will be processed.
        n_items : int, default=None
            Size of the next batch; None counts the cases at hand.
        models : mapping, data frame or array-like, default=None
            Scores of several models in place of ``y_score``.
        confidence_level : float, default=0.95
            Level of the bands, in (0, 1).
        groups : array-like of shape (n_samples,), default=None
            The cluster of each case.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the cases.
        weights : {"frequency", "sampling"}, default="frequency"
            What the weights are.
        pos_label : int, float, bool or str, default=None
            The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
        name : str, default=None
            Name of the one model for the legend.
        **plot_kwargs : dict
            Passed to :meth:`plot`: ``ax`` and so on.

        Returns
        -------
        display : BudgetReportDisplay
            The display, drawn.
        """
        report = budget_report(
            y_true,
            y_score,
            rate=rate,
            n_items=n_items,
            models=models,
            confidence_level=confidence_level,
            groups=groups,
            sample_weight=sample_weight,
            weights=weights,
            pos_label=pos_label,
        )
        return cls(report, name=name, pos_label=pos_label).plot(**plot_kwargs)

    @classmethod
    def _of_scores(
        cls, estimator: Any, X: Any, y: ArrayLike, y_score: ArrayLike, **kwargs: Any
    ) -> Self:
        return cls.from_predictions(y, y_score, **kwargs)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        band: Band = "simultaneous",
        curve_kwargs: dict[str, Any] | None = None,
        bounds_kwargs: dict[str, Any] | None = None,
        rate_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = True,
        chance_level_kwargs: dict[str, Any] | None = None,
        plot_perfect: bool = True,
        perfect_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves up to where the budget may end.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        band : {"simultaneous", "pointwise"}, default="simultaneous"
            What is drawn about a curve: bounds that hold all of the true curve with
            the level of the report, or at each budget on its own.
        curve_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for the curves.
        bounds_kwargs : dict, default=None
            Passed to matplotlib's ``fill_between`` for the bands.
        rate_kwargs : dict, default=None
            Passed to matplotlib for the budget at the foot.
        plot_chance_level : bool, default=True
            Whether to draw what a random order finds.
        chance_level_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        plot_perfect : bool, default=True
            Whether to draw what a perfect order finds.
        perfect_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : BudgetReportDisplay
            The display itself.

        Raises
        ------
        ValueError
            If ``band`` is not one of the choices.
        """
        check_choice("band", band, BANDS)
        check_flag("plot_chance_level", plot_chance_level)
        check_flag("plot_perfect", plot_perfect)
        check_flag("despine", despine)
        self._start(ax)
        report = self.report
        n, p = report.n_cases, report.prevalence
        style = styled(rate_kwargs, color="0.5", alpha=0.3)
        self.rate_ = draw_along_axis(self.ax_, report.rate, style, n)
        self.lines_: list[Any] = []
        self.bands_: list[Any] = []
        self.readings_: list[Any] = []
        bounds = [self._bounds(curve, band) for curve in report.curves]
        for one in zip(report.models, report.curves, bounds, strict=True):
            self._draw_model(*one, curve_kwargs, bounds_kwargs)
        self.chance_level_ = self.perfect_ = None
        grey: dict[str, Any] = {"color": "0.4"}
        if plot_chance_level:
            style = grey | {"linestyle": "--", "label": "Random"}
            points = [0, n], [0, n * p]
            self.chance_level_ = self._line(*points, chance_level_kwargs, **style)
        if plot_perfect:
            style = grey | {"linestyle": ":", "label": "Perfect"}
            points = [0, n * p, n], [0, n * p, n * p]
            self.perfect_ = self._line(*points, perfect_kwargs, **style)
        self._finish(
            f"Cases processed, of {n:,.0f}",
            f"Positives found, of {n * p:,.0f}",
            despine,
            loc="upper left",
            fontsize="small",
            title=f"Found by the first {n * report.rate.mean():,.0f}",
            title_fontsize="small",
        )
        self._set_limits(bounds)
        return self

    def _draw_model(
        self,
        model: str,
        curve: CurveProcess,
        bounds: CurveBounds,
        curve_kwargs: dict[str, Any] | None,
        bounds_kwargs: dict[str, Any] | None,
    ) -> None:
        """Draw a curve, its band, and what the mean budget reads off it."""
        report = self.report
        n, mean = report.n_cases, report.rate.mean()
        found, low, high = (
            float(n * np.interp(mean, curve.rates, line))
            for line in (curve.values, bounds.low, bounds.high)
        )
        is_named = self.name is not None and len(report.models) == 1
        name = textwrap.fill(str(self.name) if is_named else model, _LINE)
        label = f"{name}: {found:,.0f} ({low:,.0f} to {high:,.0f})"
        x = n * curve.rates
        line = self._line(x, n * curve.values, curve_kwargs, label=label)
        style = {"color": line.get_color(), "alpha": 0.2, "linewidth": 0}
        style = styled(bounds_kwargs, **style)
        self.bands_.append(
            self.ax_.fill_between(x, n * bounds.low, n * bounds.high, **style)
        )
        style = {"color": line.get_color(), "linewidth": 0.8, "linestyle": "-."}
        corner = [n * mean, n * mean, 0.0], [0.0, found, found]
        self.readings_.append(self._line(*corner, None, **style))
        self.lines_.append(line)

    def _bounds(self, curve: CurveProcess, band: Band) -> CurveBounds:
        level = self.report.confidence_level
        if band == "pointwise":
            return curve.interval(level)
        return curve.band(level, _N_DRAWS, np.random.default_rng(0))

    def _set_limits(self, bounds: list[CurveBounds]) -> None:
        """Show the budgets that are likely, and what can be found by them."""
        report = self.report
        n, p = report.n_cases, report.prevalence
        # Where hardly any budget is above 0, all are shown.
        right = min(_MARGIN * float(report.rate.ppf(_LIKELY)), 1.0) or 1.0
        tops = [
            float(np.interp(right, curve.rates, of_curve.high))
            for curve, of_curve in zip(report.curves, bounds, strict=True)
        ]
        if self.perfect_ is not None:
            tops.append(min(right, p))
        height = n * max(tops) / (1 - self._legend_height())
        self.ax_.set(xlim=(0, n * right), ylim=(0, height))
        for axis in (self.ax_.xaxis, self.ax_.yaxis):
            axis.set_major_formatter(_thousands)

    def _legend_height(self) -> float:
        """Return the share of the height of the axes that the legend takes, about."""
        legend = self.ax_.get_legend()
        texts = [text.get_text() for text in legend.get_texts()] if legend else []
        n_lines = 2 + sum(text.count("\n") + 1 for text in texts)
        return min(_HEIGHT_OF_LINE * n_lines, _MOST_LEGEND)


def _thousands(number: float, _position: float | None) -> str:
    return f"{number:,.10g}"
