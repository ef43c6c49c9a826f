"""Where the rate is likely, at the foot of a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from skrate.data.arrays import FloatArray
from skrate.displays.base import Axes
from skrate.rates.laws import RateDistribution

# The density of a rate takes this share of the height of the axes at most.
_DENSITY_HEIGHT = 0.25
_N_STEPS = 400
# A budget looks the same in all pictures: as neither a model nor a band does.
COLOR, ALPHA = "mediumpurple", 0.5
# Quantiles at which a density is drawn: evenly, and further into both tails.
_TAILS = 10.0 ** np.arange(-9, -2.5, 0.25)
_QUANTILES = np.concatenate([_TAILS, np.linspace(0.005, 0.995, 199), 1 - _TAILS])


def draw_rate(
    ax: Axes, rate: RateDistribution, scale: float = 1.0, label: str = "budget"
) -> list[Any]:
    """Draw the density of a rate, and stems for its point masses.

    It takes the foot of the axes, whatever their limits; a rate stands at ``scale``
    times it.
    """
    middles, height, points, heights = outlines(rate)
    style: dict[str, Any] = {"color": COLOR, "alpha": ALPHA, "zorder": 0}
    style["transform"] = ax.get_xaxis_transform()
    artists: list[Any] = []
    if len(middles):
        top = _DENSITY_HEIGHT * height
        artists.append(ax.fill_between(scale * middles, top, linewidth=0, **style))
    for point, high in zip(scale * points, _DENSITY_HEIGHT * heights, strict=True):
        artists += ax.plot([point, point], [0, high], linewidth=3, **style)
    return named_once(ax, artists, label)


def named_once(ax: Axes, artists: list[Any], label: str = "budget") -> list[Any]:
    """Return what is drawn of a budget, once, with one entry of the legend for all."""
    from matplotlib.image import AxesImage

    artists = [_unless_there(ax, artist) for artist in artists]
    if label not in ax.get_legend_handles_labels()[1]:
        first = artists[0]
        if isinstance(first, AxesImage):
            # A legend has no room for images.
            (first,) = ax.fill([], [], color=COLOR, alpha=ALPHA)
        first.set_label(label)
    return artists


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


def outlines(
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
    knots = knots[:: 1 + len(knots) // _N_STEPS]
    even = np.linspace(0, 1, _N_STEPS + 1)
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
