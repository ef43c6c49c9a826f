"""Rates drawn at random, each with its law as the oracle reads it."""

from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from reference.rate_law import Density, Mixed, Points, log_discount
from skrate import rates


class Rate(NamedTuple):
    """What is given as ``rate=``, its law, and whether it has jumps."""

    given: Any
    distribution: Any
    jumps: bool


class _Triangle(stats.rv_continuous):
    """A custom distribution on [0, b], unknown to scipy by name."""

    def _cdf(self, x: Any) -> Any:
        return 1 - (1 - x / self.b) ** 2

    def _ppf(self, q: Any) -> Any:
        return self.b * (1 - np.sqrt(1 - q))


def draw_rate(rng: np.random.Generator) -> Rate:
    """Draw a rate of any kind."""
    kinds = list(KINDS)
    shares = np.array([KINDS[kind][1] for kind in kinds], dtype=float)
    while True:
        kind = str(rng.choice(kinds, p=shares / shares.sum()))
        rate = KINDS[kind][0](rng)
        if not _is_refused(rate.given):
            return rate


def _is_refused(given: Any) -> bool:
    """Return whether a distribution of scipy is mostly above 1, as those of counts."""
    sf = getattr(given, "sf", None) or getattr(given, "ccdf", None)
    return sf is not None and float(sf(1.0)) > 0.5


def _uniform(rng: np.random.Generator) -> Rate:
    given = "uniform" if rng.random() < 0.7 else rates.uniform()
    return Rate(given, _interval_law(0.0, 1.0), False)


def _interval_law(low: float, high: float) -> Density:
    return Density(lambda x: np.clip((high - x) / (high - low), 0, 1), [low, high])


def _number(rng: np.random.Generator) -> Rate:
    r = float(rng.choice([1.0, 0.5, 0.25, rng.uniform(0.001, 1), 1e-6]))
    return Rate(rates.fixed(r) if rng.random() < 0.3 else r, _points([r]), True)


def _points(points: Any, masses: Any = None) -> Points:
    points = np.asarray(points, dtype=float)
    masses = np.ones(len(points)) if masses is None else np.asarray(masses, dtype=float)
    return Points(points, masses)


def _beta(rng: np.random.Generator) -> Rate:
    a, b = 10.0 ** rng.uniform(-0.7, 2, 2)
    if rng.random() < 0.5:
        a, b = float(round(a) + 1), float(round(b) + 1)
    return _of_beta(rng, a, b)


def _of_beta(rng: np.random.Generator, a: float, b: float) -> Rate:
    frozen = stats.beta(a, b)
    # Of two shapes below 0.5 rates.beta warns.
    given = frozen if rng.random() < 0.3 or max(a, b) < 0.5 else rates.beta(a, b)
    return Rate(given, Density.of(frozen), False)


def _tiny(rng: np.random.Generator) -> Rate:
    """Return a mean of 1e-9 to 1e-3, or its mirror near 1."""
    mean = 10.0 ** rng.uniform(-9, -3)
    shape = float(rng.choice([1.5, 3.0, 20.0]))
    if rng.random() < 0.6:
        a, b = shape, shape / mean
        return _of_beta(rng, *((a, b) if rng.random() < 0.7 else (b, a)))
    frozen = [
        lambda: stats.gamma(shape, scale=mean / shape),
        lambda: stats.norm(mean, mean / 5),
        lambda: stats.expon(scale=mean),
        lambda: stats.uniform(mean / 2, mean),
    ][rng.integers(4)]()
    return Rate(frozen, Density.of(frozen), False)


def _interval(rng: np.random.Generator) -> Rate:
    low, high = sorted(rng.uniform(0, 1, 2).tolist())
    return Rate(rates.interval(low, high), _interval_law(low, high), False)


def _exponential(rng: np.random.Generator) -> Rate:
    alpha = float(10 ** rng.uniform(-1, 3))
    return Rate(
        rates.exponential(alpha), Density.of(stats.expon(scale=1 / alpha)), False
    )


def _empirical(rng: np.random.Generator) -> Rate:
    n = int(rng.integers(1, 12))
    points = np.round(rng.uniform(0, 1.2, n), int(rng.integers(1, 5)))
    masses = rng.uniform(0.1, 1, n) if rng.random() < 0.5 else None
    if np.average(points > 1, weights=masses) > 0.5:
        # As counts and percentages are.
        points = points / 2
    return Rate(rates.empirical(points, masses), _points(points, masses), True)


def _discount(rng: np.random.Generator) -> Rate:
    n, base = int(rng.integers(1, 30)), float(rng.choice([2, 10, 2.5]))
    return Rate(rates.log_discount(n, base), log_discount(n, base), True)


def _mixture(rng: np.random.Generator) -> Rate:
    parts = [draw_rate(rng) for _ in range(int(rng.integers(1, 4)))]
    shares = rng.uniform(0.1, 1, len(parts))
    shares /= shares.sum()
    return Rate(
        rates.mixture([part.given for part in parts], shares),
        Mixed([part.distribution for part in parts], shares.tolist()),
        any(part.jumps for part in parts),
    )


def _frozen(rng: np.random.Generator) -> Rate:
    middle, width = rng.uniform(-0.2, 1.2), 10.0 ** rng.uniform(-3, 0)
    frozen = [
        lambda: stats.norm(middle, width),
        lambda: stats.truncnorm(-1, 2, loc=middle, scale=width),
        lambda: stats.gamma(2.5, scale=width),
        lambda: stats.lognorm(0.7, scale=width),
        lambda: stats.uniform(middle, width),
        lambda: stats.triang(0.3, loc=middle, scale=width),
        lambda: stats.logistic(loc=middle, scale=width),
        lambda: stats.beta(2, 5, loc=middle, scale=width),
    ][rng.integers(8)]()
    knots = []
    if frozen.dist.name == "triang":
        knots = [middle + 0.3 * width]
    return Rate(frozen, Density.of(frozen, knots), False)


def _histogram(rng: np.random.Generator) -> Rate:
    # Narrow ones have the same values at coarse steps.
    high = float(rng.choice([1.0, 0.04, 0.01]))
    edges = np.sort(rng.uniform(0, high, int(rng.integers(3, 7))))
    counts = rng.integers(1, 9, len(edges) - 1)
    built = stats.rv_histogram((counts, edges), density=False)
    return Rate(built.freeze(), Density.of(built, edges), False)


def _custom(rng: np.random.Generator) -> Rate:
    given, distribution = narrow(
        float(rng.choice([0.05, 0.02, 0.5]) * rng.uniform(0.5, 1))
    )
    return Rate(given, distribution, False)


def narrow(width: float) -> tuple[Any, Density]:
    """Return a custom distribution on [0, width], and its law."""

    def survival(x: Any) -> Any:
        return np.clip(1 - np.asarray(x) / width, 0, 1) ** 2

    return _Triangle(a=0.0, b=width)(), Density(survival, [width])


def _discrete(rng: np.random.Generator) -> Rate:
    shift = float(rng.choice([0.0, 0.25, -0.4]))
    frozen = [
        lambda: stats.binom(3, 0.4, loc=shift),
        lambda: stats.bernoulli(0.3, loc=shift),
        lambda: stats.randint(0, 2, loc=shift),
        lambda: stats.poisson(0.7, loc=shift),
    ][rng.integers(4)]()
    places = np.arange(0, 80) + shift
    return Rate(frozen, _points(places, frozen.pmf(places)), True)


def _new_style(rng: np.random.Generator) -> Rate:
    if not hasattr(stats, "Normal"):
        return _frozen(rng)
    middle, width = rng.uniform(0, 1), 10.0 ** rng.uniform(-2.5, 0)
    if hasattr(stats, "Binomial") and rng.random() < 0.4:
        n, p = int(rng.integers(1, 4)), float(rng.uniform(0.1, 0.9))
        masses = stats.binom(n, p).pmf(np.arange(n + 1))
        return Rate(stats.Binomial(n=n, p=p), _points(np.arange(n + 1), masses), True)
    if rng.random() < 0.5:
        built = stats.Normal(mu=middle, sigma=width)
        return Rate(built, Density.of(stats.norm(middle, width)), False)
    built = stats.Uniform(a=middle, b=middle + width)
    return Rate(built, Density.of(stats.uniform(middle, width)), False)


KINDS = {
    "uniform": (_uniform, 3),
    "number": (_number, 3),
    "beta": (_beta, 4),
    "tiny": (_tiny, 2),
    "interval": (_interval, 1),
    "exponential": (_exponential, 1),
    "empirical": (_empirical, 2),
    "discount": (_discount, 1),
    "mixture": (_mixture, 1),
    "frozen": (_frozen, 2),
    "histogram": (_histogram, 1.5),
    "custom": (_custom, 0.7),
    "discrete": (_discrete, 1),
    "new style": (_new_style, 0.7),
}
