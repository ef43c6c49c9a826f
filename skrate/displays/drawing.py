"""What displays share: legends, colours, budgets, and what they hand on."""

from __future__ import annotations

import textwrap
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from zlib import crc32

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrate.data.arrays import ArrayLike, FloatArray, Label
from skrate.data.checks import shown
from skrate.data.folds import FoldRankings
from skrate.inference.models import several_models
from skrate.inference.rankings import ScoresOfModels
from skrate.metrics.result_types import Drawn
from skrate.model_selection.cross_validation import fold_rankings
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    ResponseMethod,
    ranking_scores,
)
from skrate.rates.laws import RateDistribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any

_COMPACT = {
    "fontsize": "small",
    "title_fontsize": "small",
    "labelspacing": 0.3,
    "handlelength": 1.6,
    "handletextpad": 0.6,
    "columnspacing": 1.2,
}
# The attribute of lines that follow those of models in the legend.
_REFERENCE = "is_skrate_reference"


def plain_text(text: str) -> str:
    """Return a text that matplotlib shows as it is, without formulas between $."""
    return text.replace("$", r"\$")


def entry(*parts: Any) -> str:
    """Return an entry of the legend: a line, or if it is long, lines for each part.

    A space precedes "_", because matplotlib would hide the entry.
    """
    text = " ".join(map(str, parts))
    if len(text) > 40:
        fill = partial(textwrap.fill, width=40, max_lines=3, placeholder=" ...")
        text = "\n".join(fill(str(part)) for part in parts)
    return plain_text(f" {text}" if text[:1] in ("", "_") else text)


def draw_legend(ax: Any, over: dict[Any, Any] | None = None, **options: Any) -> Any:
    """Draw the legend: models, references, then areas.

    A layout of the figure makes room for it below the axes. Swatches of the artists
    in ``over`` lie over those of others, as they do.
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
        # It may be wider than the axes, whose labels do not have their place yet.
        if legend.get_window_extent().width <= 1.2 * ax.bbox.width:
            break
    return legend


# Okabe and Ito's, each in the place of the one of matplotlib's cycle that it resembles.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "black")
# As many as are told apart, and a number that does not divide the one of the colours.
LINE_STYLES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (2, 1)),
    (0, (8, 1.5, 2, 1.5)),
)


def model_color(place: int) -> str:
    """Return the colour of a model by its place; a cycle of the user's own is kept."""
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    cycles = mpl.rcParams["axes.prop_cycle"], mpl.rcParamsDefault["axes.prop_cycle"]
    return (
        COLORS[place % len(COLORS)] if cycles[0] == cycles[1] else to_hex(f"C{place}")
    )


# The format of numbers of cases.
COUNTS = "{x:,.10g}"


def import_pyplot(user: str) -> Any:
    """Return ``matplotlib.pyplot``; without it, say what ``user`` lacks."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f'{user} draws with matplotlib: pip install "scikit-rate[plot]".'
        ) from error
    return plt


def styled(given: dict[str, Any] | None, **defaults: Any) -> dict[str, Any]:
    """Return ``defaults`` with what is ``given`` in their place, by name or alias."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if not isinstance(given, Mapping | None):
        raise ValueError(
            "Arguments that end in _kwargs must be dicts of matplotlib's options, got "
            f"{shown(given)}."
        )
    given = normalize_kwargs(normalize_kwargs(given or {}, Line2D), Patch)
    if "color" in defaults and {"facecolor", "edgecolor"} & given.keys():
        # Beside either of them, matplotlib would take `color` for both.
        color = defaults.pop("color")
        defaults |= {"facecolor": color, "edgecolor": color}
    return defaults | given


def mean_and_spread(values: FloatArray | list[float], mean: float | None = None) -> str:
    """Return a mean, with the first digit of the standard deviation of ``values``."""
    mean = float(np.mean(values)) if mean is None else mean
    if np.size(values) == 1:
        return f"{mean:.2f}"
    spread = float(np.std(values))
    digits = 2
    # Folds that are alike differ by rounding.
    if 1e-9 < spread < 1:
        digits = max(digits, -int(np.floor(np.log10(spread))))
    return f"{mean:.{digits}f} ± {spread:.{digits}f}"


def count_cases(ax: Axes, axis: Any, n_items: float) -> None:
    """Let a horizontal axis count up to a number of cases, by ticks that have room."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_formatter(COUNTS)
    size = axis.get_ticklabels()[0].get_fontsize() * ax.figure.dpi / 72
    # Letters are 0.7 times as wide as high; two of them fit between labels.
    n_ticks = 1.4 * ax.bbox.width / size / (len(f"{n_items:,.0f}") + 2)
    axis.set_major_locator(MaxNLocator(max(int(n_ticks), 2), steps=[1, 2, 2.5, 5, 10]))


def check_result_type(
    name: str, value: Any, made: type | tuple[type, ...], by: str
) -> None:
    """Refuse what the function ``by`` did not return."""
    if not isinstance(value, made):
        raise ValueError(
            f"{name} must be what {by} returns, got {type(value).__name__}: pass "
            f"skrate.{by}(...)."
        )


def check_defined(name: str, is_defined: bool, what: str) -> None:
    """Refuse a result of a class with too few cases."""
    if not is_defined:
        raise ValueError(
            f"{name} is undefined, as y_true holds fewer than two cases of a class: "
            f"there is no {what} to draw."
        )


class Drawing:
    """What was computed, to be drawn by ``plot``.

    A result draws itself by the class that names it as ``draws``.
    """

    ax_: Axes
    figure_: Any
    pos_label: Label = None

    def __init_subclass__(cls, draws: type[Drawn] | None = None) -> None:
        super().__init_subclass__()
        if draws is not None:
            draws._display = cls

    def _html(self, **kwargs: Any) -> str:
        """Return the picture as what a page shows; without matplotlib, say so."""
        try:
            from matplotlib import rc_context
            from matplotlib.figure import Figure
        except ImportError:
            return "<p>To see the picture, install matplotlib.</p>"
        # No figure of pyplot, which a notebook would show once more.
        figure, file = Figure(figsize=(8, 5.5), layout="constrained"), BytesIO()
        # The axes that it was drawn on stay its own.
        display: Any = copy(self)
        with rc_context({"svg.hashsalt": type(self).__name__}):
            display.plot(figure.subplots(), **kwargs)
            figure.savefig(file, format="svg", metadata={"Date": None})
        data = b64encode(file.getvalue()).decode()
        axes = display.ax_
        text = f"{axes.get_ylabel()} against {axes.get_xlabel()}".replace(r"\$", "$")
        return f'<img alt="{escape(text)}" src="data:image/svg+xml;base64,{data}">'

    def _start(self, ax: Axes | None) -> None:
        """Take the axes, or new ones."""
        plt = import_pyplot(type(self).__name__)
        if ax is not None and not hasattr(ax, "figure"):
            raise ValueError(f"ax must be matplotlib Axes or None, got {shown(ax)}.")
        self.ax_ = plt.subplots(layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure

    def _line(
        self, x: ArrayLike, y: ArrayLike, given: dict[str, Any] | None, **style: Any
    ) -> Any:
        """Draw a line in ``style``, unless another is ``given``."""
        return self.ax_.plot(x, y, **styled(given, **style))[0]

    def _intervals(
        self,
        x: ArrayLike,
        y: ArrayLike,
        ends: FloatArray,
        given: dict[str, Any] | None,
        **style: Any,
    ) -> tuple[Any, Any]:
        """Draw points with their horizontal intervals."""
        line = self._line(x, y, given, **{"marker": "o", "linestyle": "none"} | style)
        return line, self.ax_.hlines(y, *ends.T, color=line.get_color())

    def _name_rows(
        self, xlabel: str, names: Sequence[str], despine: bool, top: float = -0.5
    ) -> None:
        """Name the horizontal axis, and a row for each name."""
        if self.pos_label is not None:
            xlabel += f" (positive label: {self.pos_label})"
        self.ax_.set(xlabel=plain_text(xlabel), ylim=(len(names) - 0.5, top))
        self.ax_.set_yticks(np.arange(len(names)), names)
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)

    def _model_line(
        self, x: ArrayLike, y: ArrayLike, given: dict[str, Any] | None, **style: Any
    ) -> Any:
        """Draw the line of a model, in a colour and line style that no other has.

        What is given is kept, and so is a line style of the cycle of the axes.
        """
        import matplotlib as mpl
        from matplotlib.colors import to_rgba

        style = styled(given, **style)
        (line,) = self.ax_.plot(x, y, **style)
        cycle = mpl.rcParams["axes.prop_cycle"].by_key()
        colors = [to_rgba(color) for color in cycle.get("color", [])]
        if "color" in style or to_rgba(line.get_color()) not in colors:
            return line
        place = colors.index(to_rgba(line.get_color()))
        line.set_color(model_color(place))
        if "linestyle" not in style and "linestyle" not in cycle:
            line.set_linestyle(LINE_STYLES[place % len(LINE_STYLES)])
        return line

    def _shared_line(
        self,
        points: tuple[ArrayLike, ArrayLike],
        given: dict[str, Any] | None,
        close: float = 1e-3,
        **style: Any,
    ) -> Any:
        """Draw a line unless it is there; of others of its kind it shares the entry.

        It is there if another differs by at most ``close`` of the height of the lines.
        """
        line = self._line(*points, given, **style)
        for other in self.ax_.lines:
            if other is line or _line_style(other) != _line_style(line):
                continue
            if _is_on(other, line, close):
                line.remove()
                return other
            line.set_label("_")
        return line

    def _reference_line(
        self,
        points: tuple[ArrayLike, ArrayLike],
        given: dict[str, Any] | None = None,
        **style: Any,
    ) -> Any:
        """Draw a line that follows those of models in the legend, unless it exists."""
        style = {"color": "0.4"} | style
        line = self._shared_line(points, given, **style)
        setattr(line, _REFERENCE, True)
        return line

    def _grey_entry(
        self, label: str, given: dict[str, Any] | None, **style: Any
    ) -> None:
        """Give areas of all models one entry of the legend, in the colour of none."""
        if label not in self.ax_.get_legend_handles_labels()[1]:
            style = {"color": "0.5", "label": label} | style
            self.ax_.fill([], [], **styled(given, **style))

    def _name_axes(self, xlabel: str, ylabel: str, despine: bool) -> None:
        if self.pos_label is not None:
            positive = f"(positive label: {self.pos_label})"
            # More letters than the axis is high take a second line.
            is_long = len(f"{ylabel} {positive}") > 28
            ylabel += f"\n{positive}" if is_long else f" {positive}"
        self.ax_.set(xlabel=xlabel, ylabel=plain_text(ylabel))
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)


def _line_style(line: Any) -> tuple[Any, ...]:
    """Return what a line of the legend tells of a line."""
    shown = "label", "color", "linestyle", "linewidth", "marker", "alpha"
    return tuple(getattr(line, f"get_{name}")() for name in shown)


def _is_on(one: Any, other: Any, close: float) -> bool:
    """Return whether a line is another one, up to points in between and its start."""
    first, second = one.get_xydata(), other.get_xydata()
    if first.shape == second.shape and np.allclose(first, second, atol=1e-9):
        return True
    if min(np.diff(first[:, 0]).min(), np.diff(second[:, 0]).min()) <= 0:
        return False
    at = np.union1d(first[:, 0], second[:, 0])
    at = at[at >= max(first[0, 0], second[0, 0])]
    heights = np.stack([np.interp(at, *points.T) for points in (first, second)])
    furthest = float(np.nanmax(np.ptp(heights, axis=0)))
    return furthest <= close * float(np.nanmax(heights) - np.nanmin(heights))


class Display(Drawing):
    """A drawing of a model, with its name."""

    name: str | None

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
        """Draw a fitted model, as it is, on cases that are given.

        Parameters
        ----------
        estimator : estimator instance
            A fitted binary classifier, or a pipeline that ends in one.
        X : array-like of shape (n_samples, n_features)
            The cases, which it was not trained on.
        y : array-like of shape (n_samples,)
            True labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the cases, if :meth:`from_predictions` takes them; None means
            equal ones.
        response_method : str or tuple of str
            Methods that give scores, the first that the estimator has is used;
            "decision_function", then "predict_proba" by default. Pass "predict" for
            regressors and rankers.
        pos_label : int, float, bool or str, default=None
            The positive label. If None: 1 for labels {0, 1} or {-1, 1}, True for
            booleans; for other labels the second class of the estimator, with a warning
            that names it.
        name : str, default=None
            Name for the legend; None takes the name of the class.
        **kwargs : dict
            Keyword arguments of :meth:`from_predictions` or :meth:`plot`.

        Returns
        -------
        display : Display
            The display that was drawn, of this class.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If it was fitted on one class, or more than two, or the input is invalid.
        """
        check_is_fitted(estimator)
        y_score, label = ranking_scores(
            estimator, X, y, response_method, pos_label, user=cls.__name__
        )
        kwargs["name"] = type(estimator).__name__ if name is None else name
        if sample_weight is not None:
            kwargs["sample_weight"] = sample_weight
        return cls._draw_estimator(estimator, X, y, y_score, pos_label=label, **kwargs)

    @classmethod
    def _draw_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, y_score: ArrayLike, **kwargs: Any
    ) -> Self:
        """Draw one ranking; the estimator may have more to say."""
        drawn: Self = cls.from_predictions(y, y_score, **kwargs)  # type: ignore[attr-defined]
        return drawn

    def _entry(self, name: str | None, *parts: Any) -> str:
        """Return the entry of the legend, of parts that may stand in lines."""
        name = self.name if name is None else name
        if name is not None:
            parts = (name, f"({parts[0]}", *parts[1:])
            parts = (*parts[:-1], f"{parts[-1]})")
        return entry(*parts)


class FoldsDisplay(Display):
    """A display of a cross-validated model, too."""

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
            What ``cross_validate`` returned with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            The cases that were cross-validated.
        y : array-like of shape (n_samples,)
            True labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the cases; None means equal ones.
        response_method : str or tuple of str
            Methods that give scores, the first that the estimator has is used;
            "decision_function", then "predict_proba" by default. Pass "predict" for
            regressors and rankers.
        pos_label : int, float, bool or str, default=None
            The positive label. If None: 1 for labels {0, 1} or {-1, 1}, True for
            booleans; for other labels the second class of the estimator, with a warning
            that names it.
        name : str, default=None
            Name for the legend; None takes the name of the class.
        **kwargs : dict
            Keyword arguments of :meth:`from_predictions` or :meth:`plot`.

        Returns
        -------
        display : Display
            The display that was drawn, of this class.

        Warns
        -----
        UndefinedMetricWarning
            If a fold is left out, as its estimator was trained on one class.
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
        drawn: Self = cls.from_predictions(rankings, name=name, **kwargs)  # type: ignore[attr-defined]
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
            of each model by its name, such as :func:`search_rankings` returns.
        y_score : mapping or data frame, default=None
            The scores of each model, of shape (n_samples,), by its name.
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
            If there are no scores of several models, or of :meth:`from_predictions`.
        """
        models = several_models("y_score", y_true, y_score)
        if models is None:
            raise ValueError(
                "y_score must be a dict or a data frame with the scores of each model: "
                f"for one model use {cls.__name__}.from_predictions."
            )
        drawn: list[Self] = []
        for name, (labels, scores) in models.items():
            given = cls._prediction_arguments(labels, scores)
            one = cls.from_predictions(*given, name=name, ax=ax, **kwargs)  # type: ignore[attr-defined]
            ax = one.ax_
            drawn.append(one)
        return drawn

    @classmethod
    def _prediction_arguments(cls, y_true: Any, y_score: Any) -> tuple[Any, ...]:
        """Return labels and scores of one model as ``from_predictions`` takes them."""
        return (y_true,) if y_score is None else (y_true, y_score)


# A budget looks the same in all pictures: as neither a model nor a band does.
BUDGET_COLOR, BUDGET_ALPHA = "mediumpurple", 0.5
# Quantiles at which a density is drawn: evenly, and further into both tails.
_TAILS = 10.0 ** np.arange(-9, -2.5, 0.25)
_DENSE = np.concatenate([_TAILS, np.linspace(0.005, 0.995, 199), 1 - _TAILS])


def draw_rate(
    ax: Axes,
    rate: RateDistribution,
    scale: float = 1.0,
    label: str = "budget",
    draw: Callable[..., list[Any]] | None = None,
) -> list[Any]:
    """Draw the density of a rate, and stems for its point masses, unless it is there.

    A rate stands at ``scale`` times it, at the foot unless another function draws.
    """
    places, density = density_outline(rate)
    if not density.any():
        places = density = np.empty(0)
    points, masses = rate.point_masses()
    density, masses = (each / each.max(initial=0.0) for each in (density, masses))
    shape = Outlines(scale * places, density, scale * points, masses)
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
            # A legend has no room for images.
            ax.fill([], [], color=BUDGET_COLOR, alpha=BUDGET_ALPHA, label=label)
    return artists


def _draw_budget_density(ax: Axes, shape: Outlines) -> list[Any]:
    style: dict[str, Any] = {"color": BUDGET_COLOR, "alpha": BUDGET_ALPHA, "zorder": 0}
    style["transform"] = ax.get_xaxis_transform()
    artists: list[Any] = []
    # A quarter of the axes at most.
    heights, masses = shape.density / 4, shape.masses / 4
    if len(shape.rates):
        artists.append(ax.fill_between(shape.rates, heights, linewidth=0, **style))
    for point, mass in zip(shape.points, masses, strict=True):
        artists += ax.plot([point, point], [0, mass], linewidth=3, **style)
    return artists


class Outlines(NamedTuple):
    """Rates and the density there, and points and their masses, all at most 1."""

    rates: FloatArray
    density: FloatArray
    points: FloatArray
    masses: FloatArray


def density_outline(rate: RateDistribution) -> tuple[FloatArray, FloatArray]:
    """Return rates, increasing, and the density there, fine wherever it changes.

    A density without a maximum is cut at that of the rest, which it would flatten.
    """
    knots, n_steps = rate.table.knots(), 400
    knots = knots[:: 1 + len(knots) // n_steps]
    even = np.linspace(0, 1, n_steps + 1)
    edges = np.unique(np.concatenate([even, rate.ppf(_DENSE), knots]))
    # On both sides of every edge, as a density may jump there.
    steps = np.diff(edges)[:, None] * [1e-6, 0.5, 1 - 1e-6]
    places = (edges[:-1, None] + steps).ravel()
    density = rate.density(places)
    places = np.concatenate([[0.0], places, [1.0]])
    density = np.concatenate([density[:1], density, density[-1:]])
    # It is unbounded if it doubles between two quantiles of next to no probability.
    q = np.array([1e-9, 1e-6, 0.05])
    kept = np.ones(len(places), dtype=bool)
    for end, sign in ((0, 1), (1, -1)):
        # Distances from either end.
        near = rate.ppf(q if end == 0 else 1 - q)
        closest, close = rate.density(near[:2])
        if closest > 2 * close:
            least = max(sign * (near[2] - end), sign * (rate.mean() - end) / 100)
            kept &= sign * (places - end) >= least
    highest = density[kept].max(initial=0.0) if kept.any() else density.max()
    return places, np.minimum(density, highest)
