"""Hypothesis strategies: sets of distributions of the rate, and laws of a set."""

from functools import partial

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from skrate import rates


@st.composite
def sets_of_laws(draw):
    """Draw a set: some quantiles on a grid, at times a mean, at times a support."""
    n = draw(st.integers(0, 4))

    def steps(most, low=0):
        found = st.lists(
            st.integers(low, most), min_size=n, max_size=n, unique=True
        ).map(sorted)
        return [step / 40 for step in draw(found)]

    known, levels = steps(40), steps(39, low=1)
    low = draw(st.sampled_from([0.0, known[0] / 2, known[0]])) if n else 0.1
    high = draw(st.sampled_from([1.0, known[-1], 0.9])) if n else 0.8
    high = max(high, known[-1]) if n else high
    assume(low < high)
    told = partial(rates.between, dict(zip(levels, known, strict=True)) or None)
    free = told(support=(low, high))
    least, most = free.masses @ free.edges[:-1], free.masses @ free.edges[1:]
    shares = draw(st.lists(st.integers(0, 50), max_size=2).map(sorted))
    means = [
        min(max(least + share / 50 * (most - least), least), most) for share in shares
    ]
    mean = [None, *means, tuple(means)][len(means) if len(means) < 2 else -1]
    return told(support=(low, high), mean=mean)


def random_law(rng, known):
    """Return a discrete law of the set: some rates in each interval, mixed by two."""

    def drawn(shift):
        n = int(rng.integers(1, 4))
        shares = rng.dirichlet(np.ones(n), len(known.masses)) * known.masses[:, None]
        places = rng.random(shares.shape)
        # Towards one end, so that means far apart are drawn.
        places = places**shift if rng.random() < 0.8 else np.round(places)
        widths = np.diff(known.edges)[:, None]
        return (known.edges[:-1, None] + places * widths).ravel(), shares.ravel()

    parts = [drawn(8.0), drawn(1 / 8)]
    shares = np.array([0.5, 0.5])
    if known.mean is not None:
        least, most = known.masses @ known.edges[:-1], known.masses @ known.edges[1:]
        wanted = rng.uniform(*known.mean)
        means = [points @ masses for points, masses in parts]
        if not means[0] <= wanted <= means[1]:
            parts = [(known.edges[:-1], known.masses), (known.edges[1:], known.masses)]
            means = [least, most]
        above = (wanted - means[0]) / max(means[1] - means[0], 1e-300)
        shares = np.array([1 - above, above]).clip(0, 1)
    points = np.concatenate([points for points, _ in parts])
    masses = [share * of for share, (_, of) in zip(shares, parts, strict=True)]
    return rates.empirical(points, np.concatenate(masses))
