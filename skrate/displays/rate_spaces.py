"""The spaces in which curves along the rate are drawn, and what is behind a curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray
from skrate.rates.laws import RateDistribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Plane = Literal["roc", "rate-recall", "rate-negative-recall", "rate-accuracy"]
SPACES: tuple[Plane, ...] = get_args(Plane)
VERTICAL = {
    "rate-recall": "Recall",
    "rate-negative-recall": "Recall of the negatives",
    "rate-accuracy": "Accuracy",
}
# The density of a rate takes this share of the height of the axes at most.
_DENSITY_HEIGHT = 0.25
_SHADE_STEPS = 400
# A budget looks the same in all pictures: as neither a model nor a band does.
BUDGET_STYLE = {"color": "mediumpurple", "alpha": 0.5}
# Quantiles at which a density is drawn: evenly, and further into both tails.
_TAILS = 10.0 ** np.arange(-9, -2.5, 0.25)
_QUANTILES = np.concatenate([_TAILS, np.linspace(0.005, 0.995, 199), 1 - _TAILS])


@dataclass(frozen=True)
class Space:
    """A plane that points (rate, tpr) of curves with one prevalence are drawn in."""

    name: str
    prevalence: float

    @property
    def labels(self) -> tuple[str, str]:
        """Labels of both axes."""
        if self.name == "roc":
            return "False positive rate", "True positive rate"
        return "Rate", VERTICAL[self.name]

    def points(self, rates: ArrayLike, tpr: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return horizontal and vertical positions."""
        rates, tpr = np.asarray(rates, dtype=np.float64), np.asarray(tpr)
        p = self.prevalence
        fpr = (rates - p * tpr) / (1 - p)
        if self.name == "roc":
            return fpr, tpr
        if self.name == "rate-recall":
            return rates, tpr
        if self.name == "rate-negative-recall":
            return rates, 1 - fpr
        return rates, p * tpr + (1 - p) * (1 - fpr)

    @property
    def perfect(self) -> tuple[FloatArray, FloatArray]:
        """The curve of a perfect ranking."""
        return self.points([0, self.prevalence, 1], [0, 1, 1])

    @property
    def worst(self) -> tuple[FloatArray, FloatArray]:
        """The curve of the worst ranking."""
        return self.points([0, 1 - self.prevalence, 1], [0, 0, 1])

    @property
    def chance(self) -> tuple[FloatArray, FloatArray]:
        """The curve of random scores."""
        return self.points([0, 1], [0, 1])

    def isometric(self, rate: float) -> tuple[FloatArray, FloatArray]:
        """Return the line of all that is reachable at a rate."""
        p = self.prevalence
        least, most = max(0.0, (rate - (1 - p)) / p), min(1.0, rate / p)
        return self.points([rate, rate], [least, most])

    def draw_rate(
        self, ax: Axes, rate: RateDistribution, style: dict[str, Any]
    ) -> list[Any]:
        """Draw where a rate is likely: its density, and stems for its point masses."""
        if self.name != "roc":
            return draw_along_axis(ax, rate, style)
        middles, height, points, heights = _outlines(rate)
        artists = [self._draw_shade(ax, middles, height, style)] if len(middles) else []
        artists += [
            self._draw_line(ax, point, height, style)
            for point, height in zip(points, heights, strict=True)
        ]
        return [_unless_there(ax, artist) for artist in artists]

    def _draw_shade(
        self, ax: Axes, middles: FloatArray, height: FloatArray, style: dict[str, Any]
    ) -> Any:
        """Shade the plane of the ROC curve by the density at each point's rate."""
        from matplotlib.colors import to_rgba

        share = (np.arange(_SHADE_STEPS) + 0.5) / _SHADE_STEPS
        p = self.prevalence
        rates = p * share[:, None] + (1 - p) * share
        shade = np.empty((*rates.shape, 4))
        shade[...] = to_rgba(style["color"], 0)
        # The mean over each pixel, so that the narrowest of densities is seen.
        areas = np.diff(middles) * (height[1:] + height[:-1]) / 2
        below = np.concatenate([[0.0], np.cumsum(areas)])
        half = 0.5 / _SHADE_STEPS
        inside = np.interp(rates + half, middles, below)
        inside -= np.interp(rates - half, middles, below)
        shade[..., 3] = style["alpha"] * inside / inside.max()
        options = {key: style[key] for key in style if key not in ("color", "alpha")}
        extent = (0, 1, 0, 1)
        return ax.imshow(shade, origin="lower", extent=extent, zorder=0, **options)

    def _draw_line(
        self, ax: Axes, point: float, height: float, style: dict[str, Any]
    ) -> Any:
        options = {"linewidth": 1 + 3 * height, "zorder": 0} | style
        return ax.plot(*self.isometric(point), **options)[0]


def space_of(ax: Axes) -> Plane | None:
    """Return the space that is drawn on axes, by their labels; None if it is none."""
    for name in SPACES:
        xlabel, ylabel = Space(name, 0.5).labels
        is_there = ax.get_ylabel().partition("(")[0].strip() == ylabel
        if is_there and ax.get_xlabel() == xlabel:
            return name
    return None


def draw_along_axis(
    ax: Axes, rate: RateDistribution, style: dict[str, Any], scale: float = 1.0
) -> list[Any]:
    """Draw the same along the horizontal axis, where a rate stands at so many times it.

    It takes the foot of the axes, whatever their limits.
    """
    middles, height, points, heights = _outlines(rate)
    transform = ax.get_xaxis_transform()
    artists: list[Any] = []
    if len(middles):
        options = {"linewidth": 0, "zorder": 0} | style
        top = _DENSITY_HEIGHT * height
        artists.append(
            ax.fill_between(scale * middles, top, transform=transform, **options)
        )
    for point, high in zip(scale * points, _DENSITY_HEIGHT * heights, strict=True):
        options = {"linewidth": 3, "zorder": 0} | style
        artists += ax.plot([point, point], [0, high], transform=transform, **options)
    return [_unless_there(ax, artist) for artist in artists]


def _unless_there(ax: Axes, artist: Any) -> Any:
    """Return what is drawn of a budget; if it is there already, that one alone."""
    points = _points_of(artist)
    for other in ax.get_children():
        if other is artist or type(other) is not type(artist):
            continue
        if np.array_equal(_points_of(other), points):
            artist.remove()
            return other
    return artist


def _points_of(artist: Any) -> FloatArray:
    """Return where an area or a line is, or what shade an image has."""
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D

    if isinstance(artist, AxesImage):
        return np.asarray(artist.get_array())
    if isinstance(artist, Line2D):
        return np.asarray(artist.get_xydata())
    return np.concatenate([path.vertices for path in artist.get_paths()])


def name_budget(
    ax: Axes, artists: list[Any], style: dict[str, Any], label: str = "budget"
) -> None:
    """Give what is drawn of a rate its one entry of the legend.

    There is none but the first where several displays draw it, nor beside the user's.
    """
    from matplotlib.image import AxesImage

    if label in ax.get_legend_handles_labels()[1] or "label" in style:
        return
    first = artists[0]
    if isinstance(first, AxesImage):
        # A legend has no room for images.
        (first,) = ax.fill([], [], **style)
    first.set_label(label)


def _outlines(
    rate: RateDistribution,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return rates and the density there, and points and their masses, at most 1.

    Without a density there is no rate.
    """
    middles, density = density_outline(rate)
    points, masses = rate.point_masses()
    if density.any():
        density = density / density.max()
    else:
        middles = density = np.empty(0)
    return middles, density, points, masses / masses.max(initial=0.0)


def density_outline(rate: RateDistribution) -> tuple[FloatArray, FloatArray]:
    """Return rates, increasing, and the density there, fine wherever it changes.

    The rates lie between the quantiles and the knots of the distribution, whatever
    its scale. A density is drawn up to its maximum, and where it has none up to that
    of the rest, which it would flatten.
    """
    knots = rate.table.knots()
    knots = knots[:: 1 + len(knots) // _SHADE_STEPS]
    even = np.linspace(0, 1, _SHADE_STEPS + 1)
    edges = np.unique(np.concatenate([even, rate.ppf(_QUANTILES), knots]))
    # On both sides of every edge, as a density may jump there.
    steps = np.diff(edges)[:, None] * [1e-6, 0.5, 1 - 1e-6]
    places = (edges[:-1, None] + steps).ravel()
    density = rate.density(places)
    places = np.concatenate([[0.0], places, [1.0]])
    density = np.concatenate([density[:1], density, density[-1:]])
    return places, np.minimum(density, _highest(rate, places, density))


def _highest(rate: RateDistribution, places: FloatArray, density: FloatArray) -> float:
    """Return the maximum of the density, or where it is unbounded at an end, of most.

    It is taken to be so where it still doubles between two quantiles of next to no
    probability.
    """
    q = np.array([1e-9, 1e-6, 0.05])
    low, high = rate.ppf(q), rate.ppf(1 - q)
    kept = np.ones(len(places), dtype=bool)
    mean = rate.mean()
    for ends, furthest in ((low, mean / 100), (high, 1 - (1 - mean) / 100)):
        closest, close = rate.density(ends[:2])
        if closest > 2 * close:
            inside = max(ends[2], furthest) if ends is low else min(ends[2], furthest)
            kept &= places >= inside if ends is low else places <= inside
    return float(density[kept].max(initial=0.0)) if kept.any() else float(density.max())
