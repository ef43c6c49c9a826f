"""Draw hit curves, cumulative gains and lift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np

from skrate.curves.fold_tables import make_folds
from skrate.curves.hit_curve import GainCurve, check_class_gain, gain_curve
from skrate.curves.hit_curve import hits as hits_of
from skrate.data.arrays import ArrayLike, FloatArray, Label, divide_or_nan, dot
from skrate.data.checks import as_float64, check_choice, check_count, check_scores
from skrate.data.folds import FoldRankings
from skrate.data.table import RankTable, check_alone, rank_table
from skrate.displays.drawing import (
    COUNTS,
    Axes,
    FoldsDisplay,
    count_samples,
    draw_rate,
    entry,
    mean_and_spread,
    styled,
)
from skrate.metrics.average_precision import AveragePrecision
from skrate.metrics.gain import (
    GainLike,
    GroupGains,
    check_cost,
    check_gain,
    sum_expected_gains,
)
from skrate.metrics.momentum import Momentum
from skrate.rates.distributions import (
    RateDistribution,
    RateLike,
    check_rate,
    fixed_rate,
)

HitCurveMetric = Literal["hits", "recall", "lift", "gain"]
# The lift is curved between two points of a hit curve: it is drawn at the points and at
# these rates.
RATES = np.linspace(0, 1, 501)


def list_curves(points: ArrayLike) -> list[ArrayLike]:
    """Return a list of vectors unchanged, and a vector as a list of one."""
    first = next(iter(points), 0) if np.iterable(points) else 0
    return [points] if np.ndim(first) == 0 else list(points)  # type: ignore[arg-type]


def _fold_gain_curves(
    rankings: FoldRankings, gain: GainLike | None, cost: ArrayLike | None
) -> list[GainCurve]:
    """Return the gain curve of each fold, by gains and costs per class or sample."""
    if rankings.indices is None:
        check_class_gain(gain, cost)
    options = {"gain": None if gain is None else check_gain(gain)}
    options["cost"] = check_cost(cost)
    curves = []
    for rows, (is_pos, y_score, weight) in zip(rankings.rows(), rankings, strict=True):
        fold_options: dict[str, Any] = dict(options)
        for name, numbers in options.items():
            if isinstance(numbers, np.ndarray) and rankings.indices is not None:
                if rankings.indices.max() >= len(numbers):
                    text = f"{name} must have one number for each sample of X"
                    raise ValueError(f"{text}, got {len(numbers)}.")
                fold_options[name] = numbers[rankings.indices[rows]]
        curves.append(gain_curve(is_pos, y_score, sample_weight=weight, **fold_options))
    return curves


class HitCurveDisplay(FoldsDisplay):
    """Draw the hit curve, cumulative gains (recall) or lift of a ranking, or of folds.

    The horizontal axis is the rate, the fraction of all samples that is processed; the
    vertical axis of a hit curve is the fraction that is positive and processed.
    Divided by the prevalence it is the recall, and also by the rate the lift. With
    ``gain``, it is the gain per sample. Create it by :meth:`from_predictions` or
    another ``from_`` method.

    Parameters
    ----------
    rates : array-like of shape (n_points,), or list of such
        The rates of the curve, increasing from 0 to 1, as from :func:`hit_curve`; a
        list of arrays for several folds. With ``perfect``, fractions of the total cost.
    hits : array-like of shape (n_points,), or list of such
        The fraction of all samples that is positive and processed at each rate, from 0
        to the prevalence. With ``perfect``, gains per sample, which can decrease.
    tables : list of RankTable, default=None
        The table of each curve, for its average precision and :term:`momentum`. None
        takes the points. Gain curves have none.
    perfect : list of tuple, default=None
        Only for gains: for each curve the points (rates, gains) of the best order, by
        decreasing gain per cost.
    name : str, default=None
        Name of the model in the legend.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of such
        The curve, or a list of the curves of folds, as far as they are drawn.
    chance_level_, perfect_, momentum_, mean_, band_ : matplotlib artist or None
        The lines of random scores, of a perfect ranking, of the momentum, and of the
        mean over folds, with the area of one standard deviation around it.
    rate_ : list of matplotlib artists
        The distribution of the rate, if it is given.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    See Also
    --------
    sklearn.metrics.PrecisionRecallDisplay : Precision against recall.
    hit_curve : Computes the points, and has the source.

    Notes
    -----
    Samples with equal scores are one straight line. For several folds, the lines of
    random scores and of a perfect ranking use the mean prevalence. The axis of a lift
    ends at twice the maximum at rates above 0.05; see ``display.ax_.set_ylim``.

    Examples
    --------
    >>> from skrate import HitCurveDisplay
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> display = HitCurveDisplay.from_predictions(y_true, y_score, metric="recall")
    >>> display.line_.get_ydata().tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """

    line_: Any
    # Whether the rates of a gain curve are fractions of the cost, or of the samples.
    _has_cost = True
    # The quantity of the vertical axis, and the units of both axes.
    _metric: HitCurveMetric = "hits"
    _units = (1.0, 1.0)

    def __init__(
        self,
        rates: ArrayLike,
        hits: ArrayLike,
        *,
        tables: list[RankTable] | None = None,
        perfect: Sequence[tuple[FloatArray, FloatArray]] | None = None,
        name: str | None = None,
        pos_label: Label = None,
    ) -> None:
        self.perfect = perfect
        self._are_estimates = any(t.own_products is not None for t in tables or ())
        self.rates, self.hits = (
            [as_float64(name, check_scores(name, fold)) for fold in list_curves(points)]
            for name, points in (("rates", rates), ("hits", hits))
        )
        self.curves = list(zip(self.rates, self.hits, strict=True))
        if tables is None and perfect is None:
            tables = []
            for curve in self.curves:
                steps, pos = np.maximum(np.diff(curve), 0.0)
                tables.append(RankTable(pos, np.maximum(steps - pos, 0.0)))
        self.tables = tables or []
        # Fraction of positives, or gain per sample of the whole ranking.
        self.prevalence = float(np.mean([fold_hits[-1] for fold_hits in self.hits]))
        # For gain curves, `from_predictions` sets the sizes.
        self._sizes = [table.total for table in self.tables] or [1.0] * len(self.rates)
        self.name = name
        self.pos_label = pos_label

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | RankTable | FoldRankings,
        y_score: ArrayLike | None = None,
        *,
        gain: GainLike | None = None,
        cost: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: Label = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), RankTable or FoldRankings
            True labels of two classes; or a table or rankings, without ``y_score``.
        y_score, gain, cost, sample_weight, pos_label : optional
            As in :func:`hit_curve`. FoldRankings with row numbers (``indices``) also
            support a gain or a cost for each sample.
        name : str, default=None
            Name of the model in the legend.
        **kwargs : dict
            Keyword arguments of :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            The display that was drawn.
        """
        if isinstance(y_true, FoldRankings):
            arrays = {"y_score": y_score, "sample_weight": sample_weight}
            check_alone(y_true, **arrays, pos_label=pos_label)
            pos_label = y_true.pos_label
        if gain is None and cost is None:
            if isinstance(y_true, FoldRankings):
                tables = list(make_folds(y_true).tables)
            else:
                arguments = y_true, y_score, sample_weight, pos_label
                tables = [rank_table(*arguments, takes_estimates=True)]
            rates, hits = [t.rates for t in tables], [hits_of(t) for t in tables]
            display = cls(rates, hits, tables=tables, name=name, pos_label=pos_label)
            return display.plot(**kwargs)
        if isinstance(y_true, FoldRankings):
            curves = _fold_gain_curves(y_true, gain, cost)
        else:
            options: dict[str, Any] = {"sample_weight": sample_weight}
            options["pos_label"] = pos_label
            curves = [gain_curve(y_true, y_score, gain=gain, cost=cost, **options)]
        rates, gains = [fold.rates for fold in curves], [fold.gains for fold in curves]
        best = [(fold.best_rates, fold.best_gains) for fold in curves]
        display = cls(rates, gains, perfect=best, name=name, pos_label=pos_label)
        display._has_cost = cost is not None
        display._sizes = [fold.total for fold in curves]
        return display.plot(**kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        metric: HitCurveMetric | None = None,
        name: str | None = None,
        rate: RateLike | None = None,
        n_items: int | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        bounds_kwargs: dict[str, Any] | None = None,
        chance_level_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = True,
        plot_perfect: bool = True,
        plot_momentum: bool = False,
        plot_folds: bool = True,
        plot_bands: bool | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves, and those of random scores and of a perfect ranking.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        metric : {"hits", "recall", "lift", "gain"}, default=None
            The vertical axis: processed positives as a fraction of all samples
            ("hits") or of all positives ("recall", or the fraction of the gain), the
            recall relative to random scores ("lift"), or the gain per sample. If None,
            "gain" for curves of gains, else "hits".
        name : str, default=None
            Name in the legend; None takes the display's.
        rate : "uniform", float or distribution, default=None
            The fraction of samples that will be processed, as in
            :func:`recall_at_rate_score`, drawn at the bottom; the legend shows the
            expected recall (or gain), without it the average precision (or mean gain).
        n_items : int, default=None
            Number of samples that will be ranked: the axes then show numbers of
            samples, except the vertical axis of recall and lift.
        curve_kwargs, bounds_kwargs, chance_level_kwargs : dict, default=None
            Matplotlib options of the curve, the area of folds and the chance level.
        plot_chance_level, plot_perfect : bool, default=True
            Whether to draw the curves of random scores and of a perfect ranking.
        plot_momentum : bool, default=False
            Whether to draw the :term:`momentum` (of folds, its mean) as a dotted line,
            if it is defined. It is approximate; values above 1 are drawn as 1.
        plot_folds : bool, default=True
            Whether to draw the curve of each fold, in addition to their mean.
        plot_bands : bool, default=None
            Whether to shade one standard deviation of the folds around their mean,
            which is no confidence band. None means True for several folds.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : HitCurveDisplay
            The display that was drawn.

        Raises
        ------
        ValueError
            If ``metric``, ``rate`` or ``n_items`` is invalid or does not suit the
            curves ("gain" needs gains, "hits" none, "recall" and "lift" positives or a
            gain, ``n_items`` no ``cost``, ``plot_momentum`` known labels).
        """
        default: HitCurveMetric = "hits" if self.perfect is None else "gain"
        chosen = default if metric is None else metric
        self._metric = check_choice("metric", chosen, [default, "recall", "lift"])
        plot_bands = len(self.curves) > 1 if plot_bands is None else plot_bands
        budget = None if rate is None else check_rate(rate)
        n = self._check_options(self._metric, n_items, plot_momentum)
        self._units = n, n if self._metric == default else 1.0
        self._start(ax)
        before = self.ax_.get_ylim() if self.ax_.lines else None
        label = self._entry(name, *self._summary(budget))
        self._draw_curves(styled(curve_kwargs, label=label), plot_folds)
        self.band_ = None
        if plot_bands:
            x, mean, spread = self._mean_curve_deviation()
            style = bounds_kwargs, "± 1 standard deviation", self._color
            self.band_ = self._band_area(x, (mean - spread, mean + spread), *style)
        self.momentum_ = self._draw_momentum() if plot_momentum else None
        points = self._drawn([0, 1], [0, self.prevalence])
        self.chance_level_ = self._chance_line(
            plot_chance_level, points, chance_level_kwargs
        )
        self.perfect_ = None
        if plot_perfect:
            points = self._drawn(*self._perfect_curve())
            self.perfect_ = self._reference_line(points, linestyle=":", label="Perfect")
        self.rate_ = [] if budget is None else draw_rate(self.ax_, budget, n)
        self.ax_.set_xlim(-0.01 * n, 1.01 * n)
        if self._metric == "lift":
            self._limit_lift(before)
        elif self.perfect is None:
            self.ax_.set_ylim(bottom=0)
        return self._finish(*self._axis_labels(n_items), despine)

    def _check_options(
        self, metric: HitCurveMetric, n_items: int | None, plot_momentum: bool
    ) -> float:
        """Return the number of samples on the horizontal axis, 1 for rates."""
        if plot_momentum and self._are_estimates:
            raise ValueError("plot_momentum=True does not support estimated labels.")
        is_fraction = metric in ("recall", "lift")
        if is_fraction and min(hits[-1] for hits in self.hits) <= 0:
            needed = "positives" if self.perfect is None else "a positive gain"
            raise ValueError(f"metric={metric!r} needs {needed}: leave it out.")
        if n_items is None:
            return 1.0
        if self.perfect is not None and self._has_cost:
            raise ValueError("n_items counts samples: pass only n_items or cost.")
        return float(check_count("n_items", n_items))

    def _perfect_curve(self) -> tuple[ArrayLike, ArrayLike]:
        """Return the hit curve of a perfect ranking, or its mean over folds."""
        if self.perfect is None:
            p = self.prevalence
            return [0, p, 1], [0, p, p]
        if len(self.perfect) == 1:
            return self.perfect[0]
        gains = [np.interp(RATES, *points) for points in self.perfect]
        return RATES, np.mean(gains, axis=0)

    def _axis_labels(self, n_items: int | None) -> tuple[str, str]:
        """Return the labels of both axes, and format the ticks of counts."""
        of_gain = self.perfect is not None
        ylabel = self._metric.capitalize()
        if of_gain and self._metric != "lift":
            is_recall = self._metric == "recall"
            ylabel = "Fraction of the gain" if is_recall else "Gain per sample"
        if n_items is None:
            has_cost = of_gain and self._has_cost
            return "Fraction of the cost" if has_cost else "Rate", ylabel
        count_samples(self.ax_, self.ax_.xaxis, n_items)
        if self._metric in ("hits", "gain"):
            n_pos = n_items * self.prevalence
            ylabel = "Gain" if of_gain else f"Positives found, of {n_pos:,.0f}"
            self.ax_.yaxis.set_major_formatter(COUNTS)
        return f"Samples processed, of {n_items:,}", ylabel

    def _drawn(
        self, rates: ArrayLike, hits: ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Return the points of a hit curve in the quantity and units of the axes."""
        x, y = np.asarray(rates), np.asarray(hits)
        if self._metric in ("recall", "lift"):
            y = y / y[-1]
        if self._metric == "lift":
            # It begins at the smallest step of the rates, about one sample.
            steps = np.concatenate([np.diff(fold_rates) for fold_rates in self.rates])
            first = float(steps[steps > 1e-9].min())
            at = np.unique(np.concatenate([x, RATES[x[-1] > RATES], [first]]))
            at = at[at >= first]
            x, y = at, np.interp(at, x, y) / at
        return x * self._units[0], y * self._units[1]

    def _draw_curves(self, style: dict[str, Any], plot_folds: bool) -> None:
        """Draw the curves in the colour of their model, and their mean."""
        if len(self.curves) == 1:
            self.line_ = self._model_line(*self._drawn(*self.curves[0]), style)
            self.mean_, self._color = None, self.line_.get_color()
            return
        mean = {key: style[key] for key in ("color", "label") if key in style}
        self.mean_ = self._model_line(*self._mean_curve_deviation()[:2], None, **mean)
        self._color = self.mean_.get_color()
        style = style | {"color": self._color, "label": "_"}
        folds = [self._drawn(*curve) for curve in self.curves if plot_folds]
        self.line_ = self._fold_lines(folds, style, self._color)

    def _mean_curve_deviation(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the mean of the curves as it is drawn, and their standard deviation.

        The mean is over the hits of all curves; its gains or lift are computed
        afterwards.
        """
        weights = np.array(self._sizes) / np.sum(self._sizes)
        at = np.unique(np.concatenate(self.rates))
        hits = np.stack([np.interp(at, *curve) for curve in self.curves], 1)
        x, mean = self._drawn(at, dot(hits, weights))
        drawn = [self._drawn(*curve) for curve in self.curves]
        heights = np.stack([np.interp(x, *points) for points in drawn], 1)
        return x, mean, np.sqrt(dot((heights - mean[:, None]) ** 2, weights))

    def _draw_momentum(self) -> Any:
        """Draw the momentum, or return None if it is undefined."""
        p = self.prevalence
        momenta = [Momentum().value(table) for table in self.tables]
        beta = float(np.mean(momenta or [np.nan]))
        if not beta > p:
            return None
        # No ranking selects more positives than it processes samples.
        pace = min(beta, 1.0)
        texts = [f"Momentum {beta:.2f}"] + ["(drawn as 1, the most)"] * (beta > pace)
        style = {"color": self._color, "linestyle": ":", "label": entry(*texts)}
        points = self._drawn([0, p / pace], [0, p])
        return self._line(*points, None, linewidth=1.5, **style)

    def _limit_lift(self, before: tuple[float, float] | None) -> None:
        """Show the lift of the curves, and the limits ``before`` of earlier curves.

        The lift of the first rates and of a perfect ranking can be many times higher:
        the axis ends at twice the lift of the curves from 5 % on.
        """
        lines = self.line_ if isinstance(self.line_, list) else [self.line_]
        points = [np.asarray(line.get_data()) for line in lines or [self.mean_]]
        first = 0.05 * self._units[0]
        seen = np.concatenate([lift[rate >= first] for rate, lift in points])
        drawn = np.concatenate([line.get_ydata() for line in self.ax_.lines])
        low = max(2 * min(seen.min(), 0), 1.05 * min(drawn.min(), 0))
        high = min(2 * seen.max(), 1.05 * drawn.max())
        if before is not None:
            low, high = min(low, before[0]), max(high, before[1])
        self.ax_.set_ylim(low, high)

    def _summary(self, budget: RateDistribution | None) -> list[str]:
        """Return the text of the legend, in parts that can become lines."""
        if self.perfect is None and budget is None:
            precisions = [AveragePrecision().value(table) for table in self.tables]
            return [f"AP = {mean_and_spread(precisions)}"]
        rate = check_rate("uniform") if budget is None else budget
        steps = [(np.diff(hits), np.diff(rates)) for rates, hits in self.curves]
        sums = [sum_expected_gains(GroupGains(*step), rate) for step in steps]
        gains = np.array(sums)
        if self.perfect is None:
            recalls = divide_or_nan(gains, np.array([hits[-1] for hits in self.hits]))
            expected = "expected " if fixed_rate(rate) is None else ""
            return [f"{expected}recall = {mean_and_spread(recalls)}"]
        # Only the axis of the gain has the unit in its label.
        unit = "" if self._metric == "gain" and self._units[1] == 1 else "per sample "
        kind = "mean" if budget is None else "expected"
        return [f"{kind} gain", f"{unit}= {mean_and_spread(gains)}"]
