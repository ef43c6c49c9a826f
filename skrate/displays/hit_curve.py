"""Draw hit curves, cumulative gains and lift."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
from scipy.integrate import trapezoid

from skrate.core.arrays import ArrayLike, FloatArray, Label
from skrate.core.fold_rankings import FoldRankings
from skrate.core.rank_table import RankTable, check_alone, rank_table
from skrate.core.validation import check_choice, check_flag, check_scores
from skrate.core.worth import GainLike, check_cost, check_gain
from skrate.curves.gain_curve import GainCurve, check_class_gain, gain_curve
from skrate.curves.hit_curve import hits as hits_of
from skrate.curves.rate_averaged import fold_tables, folds_of_rankings
from skrate.displays._drawing import FoldsDisplay, mean_and_spread, styled
from skrate.displays._legend import draw_legend, entry
from skrate.displays._styles import style_model
from skrate.metrics.average_precision import average_precision
from skrate.metrics.momentum import momentum
from skrate.model_selection.responses import Response

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["hits", "gains", "lift"]
KINDS: dict[Kind, str] = {"hits": "Hits", "gains": "Recall", "lift": "Lift"}
GAIN_KINDS: dict[Kind, str] = {
    "hits": "Gain per case",
    "gains": "Share of the gain",
    "lift": "Lift",
}
# What rounding may do to the points of a curve.
_ROUNDING = 1e-9
# The lift between two points of a hit curve is no straight line: it is drawn at the
# points and at these rates.
_RATES = np.linspace(0, 1, 501)
_LIFT_RATES = _RATES[1:]
# The lift of the first rates, and that of a perfect ranking, may be many times all
# else. The axis has that of the curves from this rate on, and so much more.
_FIRST_RATE = 0.05
_LIFT_ROOM = 2
_MARGIN = 1.05


class HitCurveDisplay(FoldsDisplay):
    """Hit curve, cumulative gains or lift, of one ranking or of the folds of one model.

    Make it by :meth:`from_estimator`, :meth:`from_predictions` or
    :meth:`from_cv_results`, as the displays of scikit-learn.

    Parameters
    ----------
    rates : array-like of shape (n_points,), or list of such
        Share of all cases processed, from 0 to 1, per curve.
    hits : array-like of shape (n_points,), or list of such
        Share of all cases processed and positive, from 0 to the prevalence.
    tables : list of RankTable, default=None
        The tables of the curves, for the average precision and the momentum; None
        takes what the points tell. Of curves of gain there are none.
    perfect : list of tuple, default=None
        Of curves of gain: rates and gains of the best order of the cases, per curve.
        Then ``hits`` are gains per case, which may fall, and ``rates`` shares of the
        cost.
    name : str, default=None
        Name of the model for the legend.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of such
        The curve, or the curves of the folds.
    chance_level_ : matplotlib Line2D or None
        The curve of random scores.
    perfect_ : matplotlib Line2D or None
        The curve of a perfect ranking.
    momentum_ : matplotlib Line2D or None
        The line of the momentum, if it was asked for.
    mean_ : matplotlib Line2D or None
        The mean of the curves, if it was asked for.
    band_ : matplotlib artist or None
        The area of a standard deviation about it, if it was asked for.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.

    Raises
    ------
    ValueError
        If ``rates`` and ``hits`` are not points of hit curves.

    See Also
    --------
    sklearn.metrics.PrecisionRecallDisplay : Precision against recall.
    hit_curve : The points.

    Notes
    -----
    Cases that tie are drawn as one straight piece of the hit curve, never in the order
    of the rows. The references of several folds are those of their mean prevalence.
    Those that stand on the axes already are not drawn again, and where they differ, as
    of another sample, one entry of the legend is for all.

    At the first rates a lift may be so high, above all that of a perfect ranking of
    rare positives, that all else would lie on the floor. Its axis ends at twice the
    highest lift of the curves from the rate 0.05 on, or above all lines if they end
    before; ``display.ax_.set_ylim`` shows what is cut.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`, figure 2.

    Examples
    --------
    >>> from skrate import HitCurveDisplay
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> display = HitCurveDisplay.from_predictions(y_true, y_score, kind="gains")
    >>> display.line_.get_ydata().tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """

    # Whether the rates of a curve of gain are shares of the cost, or of the cases.
    _has_cost = True

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
        rates, hits = _as_curves(rates), _as_curves(hits)
        self.perfect = perfect
        if len(rates) != len(hits):
            raise ValueError(
                f"rates holds {len(rates)} curves and hits {len(hits)}: give one each."
            )
        check = _check_curve if perfect is None else _check_gain_curve
        self.curves = [check(*curve) for curve in zip(rates, hits, strict=True)]
        if tables is None and perfect is None:
            tables = [_table(*curve) for curve in self.curves]
        self.tables = tables or []
        # Of curves of gain they are told, if they are known.
        self._sizes = [table.total for table in self.tables] or [1.0] * len(rates)
        self.name = name
        self.pos_label = pos_label

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
        **plot_kwargs: Any,
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), RankTable or FoldRankings
            True labels of two classes; or a table, or rankings of folds, without
            ``y_score``.
        y_score : array-like of shape (n_samples,), default=None
            Scores, higher for the positive class.
        gain : array-like of shape (n_samples,) or dict, default=None
            What is gained if a case is processed, per case or per class, as in
            :func:`expected_gain_score`: the curve is then that of the gain.
        cost : array-like of shape (n_samples,), default=None
            What processing a case takes of the budget; the axis is then its share.
        sample_weight : array-like of shape (n_samples,), default=None
            Relative weights of the cases; None means equal ones.
        pos_label : int, float, bool or str, default=None
            The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
        name : str, default=None
            Name for the legend.
        **plot_kwargs : dict
            Passed to :meth:`plot`: ``ax``, ``kind`` and so on.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.
        """
        if isinstance(y_true, FoldRankings):
            others = {"y_score": y_score, "sample_weight": sample_weight}
            check_alone(y_true, **others, pos_label=pos_label)
            check_class_gain(gain, cost)
            tables, label = folds_of_rankings(y_true).tables, y_true.pos_label
            if gain is None:
                display = cls._of_tables(list(tables), name, label)
            else:
                gains = [gain_curve(table, gain=gain) for table in tables]
                display = cls._of_gains(gains, name, label, has_cost=False)
            return display.plot(**plot_kwargs)
        if gain is not None or cost is not None:
            found = gain_curve(
                y_true, y_score, gain=gain, cost=cost, sample_weight=sample_weight,
                pos_label=pos_label,
            )  # fmt: skip
            display = cls._of_gains([found], name, pos_label, cost is not None)
            return display.plot(**plot_kwargs)
        table = rank_table(y_true, y_score, sample_weight, pos_label)
        return cls._of_tables([table], name, pos_label).plot(**plot_kwargs)

    @classmethod
    def _of_scores(
        cls, estimator: Any, X: Any, y: ArrayLike, y_score: ArrayLike, **kwargs: Any
    ) -> Self:
        return cls.from_predictions(y, y_score, **kwargs)

    @classmethod
    def _of_responses(
        cls,
        responses: list[Response],
        tests: list[Any],
        *,
        name: str,
        gain: GainLike | None = None,
        cost: ArrayLike | None = None,
        **kwargs: Any,
    ) -> Self:
        label = responses[0].pos_label
        if gain is not None or cost is not None:
            each = {
                "gain": None if gain is None else check_gain(gain),
                "cost": check_cost(cost),
            }
            curves = [
                gain_curve(
                    *response[:2], sample_weight=response.sample_weight,
                    pos_label=label, **_of_fold(each, tests[response.fold]),
                )
                for response in responses
            ]  # fmt: skip
            display = cls._of_gains(curves, name, label, cost is not None)
            return display.plot(**kwargs)
        tables, _ = fold_tables([response[:3] for response in responses], label)
        return cls._of_tables(tables, name, label).plot(**kwargs)

    @classmethod
    def _of_tables(
        cls, tables: list[RankTable], name: str | None, pos_label: Label
    ) -> Self:
        rates = [table.rates for table in tables]
        hits = [hits_of(table) for table in tables]
        return cls(rates, hits, tables=tables, name=name, pos_label=pos_label)

    @classmethod
    def _of_gains(
        cls,
        curves: list[GainCurve],
        name: str | None,
        pos_label: Label,
        has_cost: bool,
    ) -> Self:
        rates, gains = [each.rates for each in curves], [each.gains for each in curves]
        best = [(each.best_rates, each.best_gains) for each in curves]
        display = cls(rates, gains, perfect=best, name=name, pos_label=pos_label)
        display._has_cost = has_cost
        display._sizes = [each.total for each in curves]
        return display

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        kind: Kind = "hits",
        name: str | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = True,
        chance_level_kwargs: dict[str, Any] | None = None,
        plot_perfect: bool = True,
        perfect_kwargs: dict[str, Any] | None = None,
        plot_momentum: bool = False,
        momentum_kwargs: dict[str, Any] | None = None,
        plot_mean: bool = False,
        mean_kwargs: dict[str, Any] | None = None,
        plot_bands: bool = False,
        bounds_kwargs: dict[str, Any] | None = None,
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
            several, dashed in their colour: the line of figure 2 in the reference. It
            is left out where the momentum is undefined, as of gains.
        momentum_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        plot_mean : bool, default=False
            Whether to draw the mean of several curves at equal rate, weighted by their
            numbers of cases: that of :func:`hit_curve` of folds.
        mean_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        plot_bands : bool, default=False
            Whether to shade a standard deviation over the curves on either side of
            their mean: how far folds differ, and no bounds for the mean.
        bounds_kwargs : dict, default=None
            Passed to matplotlib's ``fill_between`` for it.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : HitCurveDisplay
            The display itself.

        Raises
        ------
        ValueError
            If ``kind`` is not one of the choices, or gains or lift are asked for
            where a curve has no positive case, or all cases together no gain.
        """
        kind = check_choice("kind", kind, get_args(Kind))
        check_flag("plot_chance_level", plot_chance_level)
        check_flag("plot_perfect", plot_perfect)
        check_flag("plot_momentum", plot_momentum)
        check_flag("plot_mean", plot_mean)
        check_flag("plot_bands", plot_bands)
        check_flag("despine", despine)
        if kind != "hits" and min(hits[-1] for hits in self.hits) <= 0:
            what = "a positive case" if self.perfect is None else "a gain of all cases"
            raise ValueError(f"kind={kind!r} is undefined without {what}.")
        self._start(ax)
        before = self.ax_.get_ylim() if self.ax_.lines else None
        color = self._draw_curves(kind, name, curve_kwargs)
        p = self.prevalence
        beta = np.mean([momentum(table) for table in self.tables] or [np.nan])
        self.chance_level_ = self.perfect_ = self.momentum_ = None
        self.mean_ = self.band_ = None
        if plot_mean:
            style = {"color": color, "linewidth": 2, "label": "Mean at equal rate"}
            self.mean_ = self._line(*self._over_folds(kind)[:2], mean_kwargs, **style)
        if plot_bands:
            self.band_ = self._draw_band(kind, color, bounds_kwargs)
        grey: dict[str, Any] = {"color": "0.4"}
        if plot_chance_level:
            style = grey | {"linestyle": "--", "label": "Random"}
            points = _rescaled([0, 1], [0, p], kind)
            self.chance_level_ = self._reference(points, chance_level_kwargs, style)
        if plot_perfect:
            style = grey | {"linestyle": ":", "label": "Perfect"}
            points = _rescaled(*self._best_points(), kind)
            self.perfect_ = self._reference(points, perfect_kwargs, style)
        if plot_momentum and beta > p:
            style = {"color": color, "linestyle": "--"}
            style["label"] = f"Momentum {beta:.2f}"
            points = _rescaled([0, p / beta], [0, p], kind)
            self.momentum_ = self._line(*points, momentum_kwargs, **style)
        self.ax_.set_xlim(-0.01, 1.01)
        if kind == "lift":
            self._limit_lift(before)
        elif self.perfect is None:
            self.ax_.set_ylim(bottom=0)
        of_gain = self.perfect is not None
        kinds = GAIN_KINDS if of_gain else KINDS
        xlabel = "Share of the cost" if of_gain and self._has_cost else "Rate"
        self._name_axes(xlabel, kinds[kind], despine)
        draw_legend(self.ax_)
        return self

    def _reference(
        self,
        points: tuple[FloatArray, FloatArray],
        given: dict[str, Any] | None,
        style: dict[str, Any],
    ) -> Any:
        """Draw a line unless it is there; of others of its kind it shares the entry."""
        line = self._line(*points, given, **style)
        for other in self.ax_.lines:
            if other is line or _looks(other) != _looks(line):
                continue
            if _have_same_points(other, line):
                line.remove()
                return other
            line.set_label("_")
        return line

    def _over_folds(self, kind: Kind) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return common rates, the mean of the curves and their standard deviation.

        Found is what all curves find together; a share of it, or a lift, is one of all.
        """
        weights = np.array(self._sizes) / np.sum(self._sizes)
        at = np.unique(np.concatenate(self.rates))
        mean = weights @ [np.interp(at, *curve) for curve in self.curves]
        rates, mean = _rescaled(at, mean, kind)
        each = [np.interp(rates, *_rescaled(*curve, kind)) for curve in self.curves]
        return rates, mean, np.sqrt(weights @ (np.array(each) - mean) ** 2)

    def _draw_band(self, kind: Kind, color: Any, given: dict[str, Any] | None) -> Any:
        rates, mean, spread = self._over_folds(kind)
        label = "± 1 standard deviation"
        style = styled(given, color=color, alpha=0.2, linewidth=0, label=label)
        return self.ax_.fill_between(rates, mean - spread, mean + spread, **style)

    def _limit_lift(self, before: tuple[float, float] | None) -> None:
        """Show the lift of the curves, and of others what was seen ``before``."""
        lines = self.line_ if isinstance(self.line_, list) else [self.line_]
        points = [np.asarray(line.get_data()) for line in lines]
        seen = np.concatenate([lift[rate >= _FIRST_RATE] for rate, lift in points])
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
        best = [np.interp(_RATES, *points) for points in self.perfect]
        return _RATES, np.mean(best, axis=0)

    def _summary(self, kind: Kind) -> list[str]:
        """Return what the legend says of the curves, in parts that may be lines."""
        if self.perfect is None:
            precisions = [average_precision(table) for table in self.tables]
            return [f"AP = {mean_and_spread(precisions)}"]
        # The expected gain per case under a uniform rate.
        areas = [float(trapezoid(gains, rates)) for rates, gains in self.curves]
        # Only the axis of hits says that it is one per case.
        unit = "" if kind == "hits" else "per case "
        return ["mean gain", f"{unit}= {mean_and_spread(areas)}"]

    def _draw_curves(
        self, kind: Kind, name: str | None, given: dict[str, Any] | None
    ) -> Any:
        """Draw the curves, and return their colour."""
        style: dict[str, Any] = {}
        if len(self.curves) > 1:
            style = {"alpha": 0.5, "linewidth": 1}
        name, parts = self.name if name is None else name, self._summary(kind)
        if name is not None:
            parts[0] = f"({parts[0]}"
            parts[-1] += ")"
            parts = [name, *parts]
        style = styled(given, label=entry(self.ax_, *parts), **style)
        lines = []
        for curve in self.curves:
            lines += self.ax_.plot(*_rescaled(*curve, kind), **style)
            if len(lines) == 1:
                style_model(lines[0], style)
                style["linestyle"] = lines[0].get_linestyle()
            # One colour, and one entry in the legend, for all folds.
            style |= {"color": lines[0].get_color(), "label": "_"}
        self.line_ = lines if len(lines) > 1 else lines[0]
        return lines[0].get_color()


def _looks(line: Any) -> tuple[Any, ...]:
    """Return what a line of the legend tells of a line."""
    return (
        line.get_label(), line.get_color(), line.get_linestyle(), line.get_linewidth(),
        line.get_marker(), line.get_alpha(),
    )  # fmt: skip


def _have_same_points(one: Any, other: Any) -> bool:
    points = one.get_xydata(), other.get_xydata()
    return points[0].shape == points[1].shape and np.allclose(*points, atol=_ROUNDING)


def _rescaled(
    rates: ArrayLike, hits: ArrayLike, kind: Kind
) -> tuple[FloatArray, FloatArray]:
    """Return a hit curve as it is, as cumulative gains or as lift."""
    rate, hits = np.asarray(rates), np.asarray(hits)
    if kind == "hits":
        return rate, hits
    gains = hits / hits[-1]
    if kind == "gains":
        return rate, gains
    at = np.union1d(rate[rate > 0], _LIFT_RATES[rate[-1] > _LIFT_RATES])
    lift = np.interp(at, rate, gains) / at
    # Down to the rate 0 the lift is that of the first piece.
    return np.append(0.0, at), np.append(lift[0], lift)


def _as_curves(points: ArrayLike) -> list[ArrayLike]:
    """Return a list of vectors as it is, anything else as the one entry of a list."""
    if isinstance(points, np.ndarray) and points.ndim == 2:
        return list(points)
    if isinstance(points, list | tuple):
        are_words = any(isinstance(item, str | bytes) for item in points)
        if not are_words and any(map(np.iterable, points)):
            return list(points)
    return [points]


def _check_curve(rates: ArrayLike, hits: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the points as arrays if they are those of a hit curve."""
    rate = np.asarray(check_scores("rates", rates), dtype=np.float64)
    found = np.asarray(check_scores("hits", hits), dtype=np.float64)
    steps, gains = np.diff(rate), np.diff(found)
    is_right = (
        rate.shape == found.shape
        and len(rate) > 1
        and rate[0] == found[0] == 0
        and abs(rate[-1] - 1) < _ROUNDING
        and np.all(steps > 0)
        and np.all((gains > -_ROUNDING) & (gains < steps + _ROUNDING))
    )
    if not is_right:
        raise ValueError(
            "rates must increase from 0 to 1, and hits from 0 by no more than rates, "
            "at as many points: pass what hit_curve returns."
        )
    return rate, found


def _check_gain_curve(
    rates: ArrayLike, gains: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return the points as arrays if they are those of a curve of gain."""
    rate = np.asarray(check_scores("rates", rates), dtype=np.float64)
    found = np.asarray(check_scores("hits", gains), dtype=np.float64)
    is_right = (
        rate.shape == found.shape
        and len(rate) > 1
        and rate[0] == found[0] == 0
        and abs(rate[-1] - 1) < _ROUNDING
        and np.all(np.diff(rate) >= 0)
    )
    if not is_right:
        raise ValueError(
            "rates must rise from 0 to 1, and hits begin at 0, at as many points: pass "
            "what hit_curve returns."
        )
    return rate, found


def _of_fold(each: dict[str, Any], test: Any) -> dict[str, Any]:
    """Return gain and cost of the cases of a fold; those of classes as they are."""
    found = dict(each)
    for name, values in each.items():
        if isinstance(values, np.ndarray):
            if np.max(test) >= len(values):
                raise ValueError(
                    f"{name} has {len(values)} cases, and the folds more: give one "
                    "number for each case of X."
                )
            found[name] = values[test]
    return found


def _table(rate: FloatArray, hits: FloatArray) -> RankTable:
    """Return the table that a hit curve came from, up to the total weight."""
    pos = np.maximum(np.diff(hits), 0.0)
    return RankTable(pos, np.maximum(np.diff(rate) - pos, 0.0))
