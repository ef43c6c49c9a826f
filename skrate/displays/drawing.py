"""Common parts of displays: legends, colours, budgets and constructors."""

from __future__ import annotations

import textwrap
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import partial
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeAlias
from zlib import crc32

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrate.data.arrays import ArrayLike, FloatArray, Label
from skrate.data.checks import shown
from skrate.data.folds import FoldRankings, read_report
from skrate.inference.rankings import ScoresOfModels, several_models
from skrate.metrics.result_types import Drawn
from skrate.model_selection.cross_validation import fold_rankings
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    ResponseMethod,
    ranking_scores,
)
from skrate.rates.distributions import RateDistribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any

# Options of matplotlib, as they are given; and the coordinates of a line.
Options: TypeAlias = dict[str, Any] | None
Points: TypeAlias = tuple[ArrayLike, ArrayLike]

_COMPACT = {
    "fontsize": "small",
    "title_fontsize": "small",
    "labelspacing": 0.3,
    "handlelength": 1.6,
    "handletextpad": 0.6,
    "columnspacing": 1.2,
}
# Attribute of reference lines, which follow the models in the legend.
_REFERENCE = "is_skrate_reference"


def plain_text(text: str) -> str:
    """Return a text that matplotlib shows unchanged, without formulas between $."""
    return text.replace("$", r"\$")


def entry(*parts: Any) -> str:
    """Return an entry of the legend: one line, or if it is long, lines for each part.

    A space precedes "_", because matplotlib would hide the entry.
    """
    text = " ".join(map(str, parts))
    if len(text) > 40:
        fill = partial(textwrap.fill, width=40, max_lines=3, placeholder=" ...")
        text = "\n".join(fill(str(line)) for line in parts)
    return plain_text(f" {text}" if text[:1] in ("", "_") else text)


def draw_legend(ax: Any, over: dict[Any, Any] | None = None, **options: Any) -> Any:
    """Draw the legend: models, references, then areas.

    If the figure has a layout engine, the legend is below the axes. ``over`` maps
    artists to artists behind them: the swatch of the first is drawn over the second.
    """
    from matplotlib.lines import Line2D

    def kind(pair: tuple[Any, str]) -> int:
        handle, _ = pair
        return int(hasattr(handle, _REFERENCE)) if isinstance(handle, Line2D) else 2

    entries = sorted(zip(*ax.get_legend_handles_labels(), strict=True), key=kind)
    options = _COMPACT | options
    options["labels"] = [label for _, label in entries]
    options["handles"] = [
        (over[handle], handle) if over and handle in over else handle
        for handle, _ in entries
    ]
    if ax.figure.get_layout_engine() is None:
        return ax.legend(loc="best", **options)
    # Below the axes by 4.2 sizes of the font, because their labels are in between.
    options |= {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 4.2}
    for n_columns in (4, 3, 2, 1):
        legend = ax.legend(ncols=n_columns, **options)
        # It can be wider than the axes, because their labels are not arranged yet.
        if legend.get_window_extent().width <= 1.2 * ax.bbox.width:
            break
    return legend


# Okabe and Ito's colours; the first are the darkest.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "black")
# Distinguishable styles; their number does not divide the number of colours.
LINE_STYLES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (2, 1)),
    (0, (8, 1.5, 2, 1.5)),
)


def model_color(index: int) -> str:
    """Return the colour of the model ``index``, from the user's cycle if changed."""
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    cycles = mpl.rcParams["axes.prop_cycle"], mpl.rcParamsDefault["axes.prop_cycle"]
    return (
        COLORS[index % len(COLORS)] if cycles[0] == cycles[1] else to_hex(f"C{index}")
    )


# Format of numbers of samples.
COUNTS = "{x:,.10g}"


def import_pyplot(user: str) -> Any:
    """Return ``matplotlib.pyplot``; if it is missing, say that ``user`` needs it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f'{user} draws with matplotlib: pip install "scikit-rate[plot]".'
        ) from error
    return plt


def styled(options: Options, **defaults: Any) -> dict[str, Any]:
    """Return ``defaults``, replaced by ``options`` with the same name or alias."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if not isinstance(options, Mapping | None):
        raise ValueError(
            "Arguments that end in _kwargs must be dicts of matplotlib's options, got "
            f"{shown(options)}."
        )
    options = normalize_kwargs(normalize_kwargs(options or {}, Line2D), Patch)
    if "color" in defaults and {"facecolor", "edgecolor"} & options.keys():
        # Otherwise matplotlib would use `color` for both, and ignore the option.
        color = defaults.pop("color")
        defaults |= {"facecolor": color, "edgecolor": color}
    return defaults | options


def mean_and_spread(values: FloatArray | list[float], mean: float | None = None) -> str:
    """Return a mean, with the first digit of the standard deviation of ``values``."""
    mean = float(np.mean(values)) if mean is None else mean
    if np.size(values) == 1:
        return f"{mean:.2f}"
    spread = float(np.std(values))
    digits = 2
    # Equal folds can differ by rounding.
    if 1e-9 < spread < 1:
        digits = max(digits, -int(np.floor(np.log10(spread))))
    return f"{mean:.{digits}f} ± {spread:.{digits}f}"


def count_samples(ax: Axes, axis: Any, n_items: float) -> None:
    """Show counts up to ``n_items`` on a horizontal axis, with ticks that fit."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_formatter(COUNTS)
    size = axis.get_ticklabels()[0].get_fontsize() * ax.figure.dpi / 72
    # Letters are 0.7 times as wide as high; leave two letters between labels.
    n_ticks = 1.4 * ax.bbox.width / size / (len(f"{n_items:,.0f}") + 2)
    axis.set_major_locator(MaxNLocator(max(int(n_ticks), 2), steps=[1, 2, 2.5, 5, 10]))


def check_defined(name: str, is_defined: bool, quantity: str) -> None:
    """Raise if a result is undefined, because a class has fewer than two samples."""
    if not is_defined:
        raise ValueError(
            f"{name} is undefined, there is no {quantity} to draw: pass y_true with at "
            "least two samples of each class."
        )


class Display:
    """Base class of displays, which store a result and draw it by ``plot``.

    A display ``draws`` results of some classes, which the function ``by`` returns.
    """

    ax_: Axes
    figure_: Any
    pos_label: Label = None
    # The classes of results, and the function that returns them.
    _results: tuple[type[Drawn], ...]
    _function: str
    # Height of the axes in a page, in inches.
    _axes_height = 3.2

    def __init_subclass__(
        cls, draws: tuple[type[Drawn], ...] = (), by: str = ""
    ) -> None:
        super().__init_subclass__()
        if draws:
            cls._results, cls._function = draws, by
        for result_type in draws:
            result_type._display = cls

    def _check_result(self, parameter: str, result: Any) -> None:
        """Raise if ``result`` is not a result that this display draws."""
        if not isinstance(result, self._results):
            function, remedy = self._function, f"skrate.{self._function}(...)"
            if isinstance(result, dict):
                remedy = "the entry of one model"
            raise ValueError(
                f"{parameter} must be a result of {function}, got "
                f"{type(result).__name__}: pass {remedy}."
            )

    def _html(self, **kwargs: Any) -> str:
        """Return the picture as HTML; without matplotlib, a hint to install it."""
        try:
            from matplotlib import rc_context
            from matplotlib.figure import Figure
        except ImportError:
            return "<p>To see the picture, install matplotlib.</p>"
        # Not a figure of pyplot, which a notebook would show a second time.
        # It is narrow, because pages are also read on phones.
        figure, file = Figure(figsize=(5, 20), layout="constrained"), BytesIO()
        # Draw with a copy, because `ax_` of this display must not change.
        display: Any = copy(self)
        with rc_context({"svg.hashsalt": type(self).__name__}):
            display.plot(figure.subplots(), **kwargs)
            figure.draw_without_rendering()
            # The legend below the axes can have any height.
            others = 20 * (1 - display.ax_.get_position(original=True).height)
            figure.set_figheight(others + display._axes_height)
            figure.savefig(file, format="svg", metadata={"Date": None})
        svg = b64encode(file.getvalue()).decode()
        axes = display.ax_
        text = f"{axes.get_ylabel()} against {axes.get_xlabel()}".replace(r"\$", "$")
        return f'<img alt="{escape(text)}" src="data:image/svg+xml;base64,{svg}">'

    def _start(self, ax: Axes | None) -> None:
        """Set ``ax_`` and ``figure_`` to the given axes, or to new ones."""
        plt = import_pyplot(type(self).__name__)
        if ax is not None and not hasattr(ax, "figure"):
            raise ValueError(f"ax must be matplotlib Axes or None, got {shown(ax)}.")
        self.ax_ = plt.subplots(layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure

    def _line(self, x: ArrayLike, y: ArrayLike, given: Options, **style: Any) -> Any:
        """Draw a line in ``style``, updated by the options in ``given``."""
        return self.ax_.plot(x, y, **styled(given, **style))[0]

    def _model_line(
        self, x: ArrayLike, y: ArrayLike, given: Options, **style: Any
    ) -> Any:
        """Draw the line of a model, in a colour and line style of its own.

        Given options, and line styles of the cycle of the axes, are not changed.
        """
        import matplotlib as mpl
        from matplotlib.colors import to_rgba

        style = styled(given, **style)
        (line,) = self.ax_.plot(x, y, **style)
        cycle = mpl.rcParams["axes.prop_cycle"].by_key()
        colors = [to_rgba(color) for color in cycle.get("color", [])]
        if "color" in style or to_rgba(line.get_color()) not in colors:
            return line
        index = colors.index(to_rgba(line.get_color()))
        line.set_color(model_color(index))
        if "linestyle" not in style and "linestyle" not in cycle:
            line.set_linestyle(LINE_STYLES[index % len(LINE_STYLES)])
        return line

    def _shared_line(
        self, points: Points, given: Options, close: float = 1e-3, **style: Any
    ) -> Any:
        """Draw a line unless it exists; lines of one style have one legend entry.

        A line exists if another of its style differs by at most ``close`` times the
        height of both.
        """
        line = self._line(*points, given, **style)
        for drawn in self.ax_.lines:
            if drawn is line or _line_style(drawn) != _line_style(line):
                continue
            if _is_on(drawn, line, close):
                line.remove()
                return drawn
            line.set_label("_")
        return line

    def _reference_line(
        self, points: Points, given: Options = None, **style: Any
    ) -> Any:
        """Draw a line that follows the models in the legend, unless it exists."""
        style = {"color": "0.4"} | style
        line = self._shared_line(points, given, **style)
        setattr(line, _REFERENCE, True)
        return line

    def _chance_line(self, is_drawn: bool, points: Points, given: Options) -> Any:
        """Draw the line of random scores, or return None."""
        if not is_drawn:
            return None
        return self._reference_line(points, given, linestyle="--", label="Random")

    def _band_area(
        self, x: ArrayLike, ends: Points, given: Options, label: str, color: str
    ) -> Any:
        """Fill the area between two curves. Areas have one grey entry in the legend."""
        style = self._area_style(given, label, color)
        return self.ax_.fill_between(x, *ends, **style)

    def _area_style(
        self, given: Options, label: str, color: str, linewidth: float = 0.0
    ) -> dict[str, Any]:
        """Return the style of an area, and add the grey entry of its kind."""
        area: dict[str, Any] = {"alpha": 0.2, "linewidth": linewidth}
        style = styled(given, color=color, label="_", **area)
        if style["label"] == "_":
            self._grey_entry(label, given, **area)
        return style

    def _grey_entry(self, label: str, given: Options, **style: Any) -> None:
        """Add one grey legend entry for the areas of all models."""
        if label not in self.ax_.get_legend_handles_labels()[1]:
            style = {"color": "0.5", "label": label} | style
            self.ax_.fill([], [], **styled(given, **style))

    def _finish(self, xlabel: str, ylabel: str, despine: bool, **legend: Any) -> Self:
        """Name the axes, draw the legend and return the display."""
        if self.pos_label is not None:
            positive = f"(positive label: {self.pos_label})"
            # Forest plots have no vertical quantity. Use two lines if the text is
            # longer than the axis.
            if not ylabel:
                xlabel += f" {positive}"
            elif len(f"{ylabel} {positive}") > 28:
                ylabel += f"\n{positive}"
            else:
                ylabel += f" {positive}"
        self.ax_.set(xlabel=plain_text(xlabel), ylabel=plain_text(ylabel))
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
        draw_legend(self.ax_, **legend)
        return self


def _line_style(line: Any) -> tuple[Any, ...]:
    """Return the label and style of a line, as the legend shows them."""
    shown = "label", "color", "linestyle", "linewidth", "marker", "alpha"
    return tuple(getattr(line, f"get_{name}")() for name in shown)


def _is_on(a: Any, b: Any, close: float) -> bool:
    """Return whether two lines coincide, up to points in between and the start."""
    first, second = a.get_xydata(), b.get_xydata()
    if first.shape == second.shape and np.allclose(first, second, atol=1e-9):
        return True
    if min(np.diff(first[:, 0]).min(), np.diff(second[:, 0]).min()) <= 0:
        return False
    at = np.union1d(first[:, 0], second[:, 0])
    at = at[at >= max(first[0, 0], second[0, 0])]
    heights = np.stack([np.interp(at, *points.T) for points in (first, second)])
    furthest = float(np.nanmax(np.ptp(heights, axis=0)))
    return furthest <= close * float(np.nanmax(heights) - np.nanmin(heights))


class ModelDisplay(Display):
    """Base class of displays of a model, with its name."""

    name: str | None
    from_predictions: ClassVar[Callable[..., Any]]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a fitted model, evaluated on the given samples.

        Parameters
        ----------
        estimator : estimator instance
            A fitted binary classifier, or a pipeline that ends in one.
        X : array-like of shape (n_samples, n_features)
            The samples, which the estimator was not trained on.
        y : array-like of shape (n_samples,)
            True labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, if :meth:`from_predictions` supports them.
        response_method : str or tuple of str
            Method that returns scores, or several in order of preference. Default:
            "decision_function", then "predict_proba"; for regressors pass "predict".
        pos_label : int, float, bool or str, default=None
            The positive label. If None, the larger of {0, 1}, {-1, 1} or booleans; for
            other labels the second class of the estimator, with a warning.
        name : str, default=None
            Name in the legend. None means the name of the estimator's class.
        **kwargs : dict
            Keyword arguments of :meth:`from_predictions` or :meth:`plot`.

        Returns
        -------
        display : Display
            The display that was drawn, of this class.

        Raises
        ------
        ValueError
            If the estimator is not fitted (NotFittedError), or was fitted on one class
            or more than two, or the input is invalid.
        """
        check_is_fitted(estimator)
        y_score, label = ranking_scores(
            estimator, X, y, response_method, pos_label, user=cls.__name__
        )
        kwargs["name"] = type(estimator).__name__ if name is None else name
        if sample_weight is not None:
            kwargs["sample_weight"] = cls._as_fold(sample_weight)
        return cls._draw_estimator(estimator, X, y, y_score, pos_label=label, **kwargs)

    @classmethod
    def _draw_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, y_score: ArrayLike, **kwargs: Any
    ) -> Self:
        """Draw one ranking; subclasses can also use the estimator."""
        arrays = cls._as_fold(y), cls._as_fold(y_score)
        drawn: Self = cls.from_predictions(*arrays, **kwargs)
        return drawn

    @staticmethod
    def _as_fold(column: Any) -> Any:
        """Return labels, scores or weights as ``from_predictions`` takes them."""
        return column

    def _entry(self, name: str | None, *texts: Any) -> str:
        """Return the legend entry of the name and ``texts``, which can become lines."""
        name = self.name if name is None else name
        if name is not None:
            texts = (name, f"({texts[0]}", *texts[1:])
            texts = (*texts[:-1], f"{texts[-1]})")
        return entry(*texts)


class FoldsDisplay(ModelDisplay):
    """Base class of displays that also draw cross-validated models."""

    @classmethod
    def from_cv_results(
        cls,
        cv_results: dict[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the test folds of a cross-validation.

        Parameters
        ----------
        cv_results : dict
            The result of ``cross_validate`` with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            The samples that were cross-validated.
        y : array-like of shape (n_samples,)
            True labels of two classes.
        sample_weight, response_method, pos_label, name : optional
            As in :meth:`from_estimator`.
        **kwargs : dict
            Keyword arguments of :meth:`from_predictions` or :meth:`plot`.

        Returns
        -------
        display : Display
            The display that was drawn, of this class.

        Warns
        -----
        UndefinedMetricWarning
            If a fold is left out because its estimator was trained on one class.
        """
        rankings = fold_rankings(
            cv_results,
            X,
            y,
            user=cls.__name__,
            sample_weight=sample_weight,
            repeats=kwargs.pop("repeats", None),
            response_method=response_method,
            pos_label=pos_label,
        )
        if name is None:
            name = type(cv_results["estimator"][0]).__name__
        drawn: Self = cls.from_predictions(rankings, name=name, **kwargs)
        return drawn

    @classmethod
    def from_models(
        cls,
        y_true: ArrayLike | Mapping[Any, FoldRankings],
        y_score: ScoresOfModels | None = None,
        *,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> list[Self]:
        """Draw several models on the same axes.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or mapping of FoldRankings
            True labels of two classes; or, without ``y_score``, the rankings of folds
            by the name of the model, such as :func:`search_rankings` returns.
        y_score : mapping or data frame, default=None
            The scores by the name of the model, of shape (n_samples,).
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Keyword arguments of :meth:`from_predictions` or :meth:`plot`.

        Returns
        -------
        displays : list of Display
            A display for each model, of this class.

        Raises
        ------
        ValueError
            If there are no scores of several models, or as in :meth:`from_predictions`.
        """
        models = several_models("y_score", read_report(y_true), y_score)
        if models is None:
            raise ValueError(
                "y_score must be a dict or a data frame with the scores of each model: "
                f"for one model use {cls.__name__}.from_predictions."
            )
        displays: list[Self] = []
        for name, (labels, scores) in models.items():
            arrays = cls._as_fold(labels), cls._as_fold(scores)
            display = cls.from_predictions(*arrays, name=name, ax=ax, **kwargs)
            ax = display.ax_
            displays.append(display)
        return displays

    def _fold_lines(
        self, curves: Iterable[Points], given: Options, color: str
    ) -> list[Any]:
        """Draw the curves of folds, fainter than the curve of all folds."""
        style: dict[str, Any] = {"linestyle": "-", "alpha": 0.3, "linewidth": 0.8}
        return [self._line(*points, given, color=color, **style) for points in curves]


# A budget has one colour in all pictures, unlike models and bands.
BUDGET_COLOR, BUDGET_ALPHA = "mediumpurple", 0.5
# Quantiles where a density is drawn: in even steps, and finer in both tails.
_TAILS = 10.0 ** np.arange(-9, -2.5, 0.25)
_DENSE = np.concatenate([_TAILS, np.linspace(0.005, 0.995, 199), 1 - _TAILS])


def draw_rate(
    ax: Axes,
    rate: RateDistribution,
    scale: float = 1.0,
    label: str = "budget",
    draw: Callable[..., list[Any]] | None = None,
) -> list[Any]:
    """Draw the density of a rate, and stems for its point masses, unless they exist.

    The position of a rate is the rate times ``scale``. The density is at the bottom of
    the axes, unless ``draw`` is given.
    """
    positions, density = density_outline(rate)
    if not density.any():
        positions = density = np.empty(0)
    points, masses = rate.point_masses()
    density, masses = (y / y.max(initial=0.0) for y in (density, masses))
    shape = Outlines(scale * positions, density, scale * points, masses)
    budget = f"budget {crc32(np.concatenate(shape).tobytes())}"
    artists = [artist for artist in ax.get_children() if artist.get_gid() == budget]
    if artists:
        return artists
    artists = (draw or _draw_budget_density)(ax, shape)
    for artist in artists:
        artist.set_gid(budget)
    if label not in ax.get_legend_handles_labels()[1]:
        artists[0].set_label(label)
        if label not in ax.get_legend_handles_labels()[1]:
            # Legends do not support images: add an empty area.
            ax.fill([], [], color=BUDGET_COLOR, alpha=BUDGET_ALPHA, label=label)
    return artists


def _draw_budget_density(ax: Axes, shape: Outlines) -> list[Any]:
    style: dict[str, Any] = {"color": BUDGET_COLOR, "alpha": BUDGET_ALPHA, "zorder": 0}
    style["transform"] = ax.get_xaxis_transform()
    artists: list[Any] = []
    # At most a quarter of the axes.
    heights, masses = shape.density / 4, shape.masses / 4
    if len(shape.rates):
        artists.append(ax.fill_between(shape.rates, heights, linewidth=0, **style))
    for point, mass in zip(shape.points, masses, strict=True):
        artists += ax.plot([point, point], [0, mass], linewidth=3, **style)
    return artists


class Outlines(NamedTuple):
    """Rates and their densities, points and their masses; heights are at most 1."""

    rates: FloatArray
    density: FloatArray
    points: FloatArray
    masses: FloatArray


def density_outline(rate: RateDistribution) -> tuple[FloatArray, FloatArray]:
    """Return increasing rates and their densities, fine wherever these change.

    An unbounded density is cut at the maximum of the rest, because it would flatten the
    rest.
    """
    knots, n_steps = rate.table.breaks, 400
    knots = knots[:: 1 + len(knots) // n_steps]
    even = np.linspace(0, 1, n_steps + 1)
    edges = np.unique(np.concatenate([even, rate.ppf(_DENSE), knots]))
    # On both sides of every edge, because a density can jump there.
    steps = np.diff(edges)[:, None] * [1e-6, 0.5, 1 - 1e-6]
    positions = (edges[:-1, None] + steps).ravel()
    density = rate.density(positions)
    positions = np.concatenate([[0.0], positions, [1.0]])
    density = np.concatenate([density[:1], density, density[-1:]])
    # It is unbounded if it doubles between two quantiles of tiny probability.
    q = np.array([1e-9, 1e-6, 0.05])
    bounded = np.ones(len(positions), dtype=bool)
    for end, sign in ((0, 1), (1, -1)):
        # Quantiles near this end.
        near = rate.ppf(q if end == 0 else 1 - q)
        closest, close = rate.density(near[:2])
        if closest > 2 * close:
            minimum = max(sign * (near[2] - end), sign * (rate.mean() - end) / 100)
            bounded &= sign * (positions - end) >= minimum
    highest = density[bounded].max(initial=0.0) if bounded.any() else density.max()
    return positions, np.minimum(density, highest)
