"""Two models against each other at every rate, and curves as random processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from skrate.curves.consensus import BANDS, Band
from skrate.curves.folds import check_rates, default_rates
from skrate.data.arrays import (
    ArrayLike,
    FloatArray,
    IntArray,
    Label,
    RandomState,
    ratio,
)
from skrate.data.checks import (
    check_choice,
    check_count,
    check_fraction,
    check_generator,
    check_number,
    check_positive,
    warn,
    warn_undefined,
)
from skrate.data.folds import (
    FoldRankings,
    are_of_folds,
    check_no_labels,
    check_same_folds,
)
from skrate.data.ranking import check_groups
from skrate.data.table import RankTable, check_alone
from skrate.inference.intervals import ADDED
from skrate.inference.models import check_several, models_by_name
from skrate.inference.plan import why_too_few
from skrate.inference.sample import (
    Ranked,
    RankingsOfModels,
    ScoresOfModels,
    Weights,
    are_columns,
    by_fold,
    check_cases,
    columns_of,
    scored,
    with_fold_groups,
)
from skrate.inference.variance import (
    covariance,
    freedom_of_estimates,
    labels_of,
    multiples,
)
from skrate.metrics.recall import share_at_cut
from skrate.metrics.results import (
    Drawn,
    Question,
    Rows,
    question_text,
    t_quantile,
    wilson_ends,
)

# Their covariance is an array of as many rows and columns.
_MOST_RATES = 2000
_NAMES = "y_score_a", "y_score_b"
Stretch = tuple[float, float]
CurveMetric = Literal["recall", "precision", "lift", "hits", "gain"]
CURVE_METRICS: tuple[CurveMetric, ...] = get_args(CurveMetric)
# Draws that are in memory at once, and clusters whose sums are.
_BATCH, _BLOCK = 500, 2**13
# Of all variation this share is rounding.
_ROUNDING = 1e-13


class WinningRates(NamedTuple):
    """Intervals (low, high) of rates where a model is better beyond doubt, or none."""

    a: list[Stretch]
    b: list[Stretch]
    open: list[Stretch]


@dataclass(frozen=True, eq=False)
class CurveComparison(Drawn, Rows):
    """Two curves over the rate, as :func:`skrate.compare_curves` returns them.

    Attributes
    ----------
    metric : str
        Name of the metric.
    rates : array of shape (n_rates,)
        Shares of all cases that are processed, increasing.
    value_a, value_b, difference : array of shape (n_rates,)
        The metric of each model, and a minus b.
    standard_error : array of shape (n_rates,)
        Estimated standard deviation of the difference over samples.
    confidence_interval, band : CurveBounds
        Of the difference at a single rate, and as the band was asked for; ``.low`` and
        ``.high`` are arrays.
    kind : str
        What the band holds: "simultaneous", all rates at once, or "pointwise".
    confidence_level : float
        Level of both.
    n_pos, n_neg : float
        Number of positives and of negatives; repetitions count.
    params : dict
        Parameters of the metric: "benefit" and "cost", where it has them.
    name_a, name_b : str
        Names of the models.

    Examples
    --------
    >>> from skrate import compare_curves
    >>> y_true, a, b = [1, 0, 1, 0, 0], [5, 3, 4, 2, 1], [1, 2, 3, 4, 5]
    >>> result = compare_curves(y_true, a, b, random_state=0)
    >>> result.rates.tolist(), result.difference.tolist()
    ([0.2, 0.4, 0.6, 0.8], [0.5, 1.0, 0.5, 0.5])
    >>> result.winning_rates().open
    [(0.2, 0.8)]
    """

    metric: str
    rates: FloatArray
    value_a: FloatArray
    value_b: FloatArray
    difference: FloatArray
    standard_error: FloatArray
    confidence_interval: CurveBounds
    band: CurveBounds
    kind: str
    confidence_level: float
    n_pos: float
    n_neg: float
    params: Question = field(default_factory=dict)
    name_a: str = "a"
    name_b: str = "b"
    _index = "rates"

    def winning_rates(self) -> WinningRates:
        """Return where a is better than b beyond doubt, where b is, and what is open.

        Lists ``a``, ``b`` and ``open`` of pairs (low, high): an interval goes from the
        first to the last in a row of ``rates`` at which the band leaves 0 out, and may
        be a single rate; all else is open.
        """
        # 1 where a wins, -1 where b does, 0 where it is open, and where it is unknown.
        winner = (self.band.low > 0).astype(int) - (self.band.high < 0)
        found, rates = WinningRates([], [], []), self.rates.tolist()
        reached = rates[0]
        for who, run in groupby(rates, dict(zip(rates, winner, strict=True)).get):
            low, *_, high = [*run] * 2
            if who:
                if low > reached:
                    found.open.append((reached, low))
                (found.a if who > 0 else found.b).append((low, high))
                reached = high
        if not who:
            found.open.append((reached, high))
        return found

    def __repr__(self) -> str:
        first, last = self.rates[[0, -1]]
        text = (
            f"CurveComparison({self.metric}{question_text(self.params)} at "
            f"{len(self.rates)} rates from {first:.4g} to {last:.4g}: "
        )
        if np.isnan(self.difference).all():
            return f"{text}undefined)"
        least, most = np.argmin(self.difference), np.argmax(self.difference)
        won, a, b = self.winning_rates(), self.name_a, self.name_b
        return (
            f"{text}{a} - {b} from {self.difference[least]:.4f} at "
            f"{self.rates[least]:.4g} to {self.difference[most]:.4f} at "
            f"{self.rates[most]:.4g}; by the {self.kind} "
            f"{100 * self.confidence_level:g} % band {a} is better "
            f"{_where(won.a)}, {b} {_where(won.b)})"
        )


def _where(stretches: list[Stretch]) -> str:
    """Return in words where a model wins."""
    if not stretches:
        return "nowhere"
    return "at " + ", ".join(
        f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
        for low, high in stretches
    )


def compare_curves(
    y_true: ArrayLike | FoldRankings | RankingsOfModels,
    y_score_a: ScoresOfModels | FoldRankings | None = None,
    y_score_b: ArrayLike | None = None,
    *,
    metric: CurveMetric = "recall",
    rates: ArrayLike | None = None,
    band: Band = "simultaneous",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    benefit: float | None = None,
    cost: float | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
    random_state: RandomState = None,
) -> CurveComparison:
    r"""Compare two models at every rate: difference, interval and simultaneous band.

    At which budgets is b better than a? One number per model averages over budgets, and
    curves that cross have two answers. Both models are taken as given.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), FoldRankings or mapping
        True labels of two classes; or the rankings of folds by model a, followed by the
        rankings of model b; or, without scores, a mapping or list with both.
    y_score_a : array-like, mapping or data frame, default=None
        Scores of model a, of shape (n_samples,), higher for the positive class; or of
        both models, the first of which is a: a mapping or data frame with an entry or
        column per model, or an array of shape (n_samples, 2).
    y_score_b : array-like of shape (n_samples,), default=None
        Scores of model b.
    metric : {"recall", "precision", "lift", "hits", "gain"}, default="recall"
        What is compared at a rate: the share of the positives found ("recall"), of
        positives among what is processed ("precision"), recall over the rate ("lift"),
        or, per case of the ranking, positives found ("hits"), and ``benefit`` for each
        of them minus ``cost`` for each case processed ("gain").
    rates : array-like of shape (n_rates,), default=None
        Increasing rates in (0, 1], at most 2,000; None takes up to 199 in equal steps,
        and finer ones near the end of a class with a share below 2 %.
    band : {"simultaneous", "pointwise"}, default="simultaneous"
        What the band, and so the winning rates, hold: the whole difference, at all
        ``rates`` at once, or the one at a single rate that is chosen beforehand.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    n_resamples : int, default=2000
        Number of draws of multipliers for the band.
    benefit : float, default=None
        What a positive that is found is worth, above 0; None means 1. For "gain" only.
    cost : float, default=None
        What it costs to process a case, at least 0, in units of ``benefit``; needed
        for "gain", and only there.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are: "frequency" are whole numbers of repetitions of a case,
        "sampling" the inverse probabilities with which cases were sampled. For a
        case-control sample pass ``prevalence`` to the average precision instead.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    random_state : int, Generator or RandomState, default=None
        Source of the replicates.

    Returns
    -------
    result : CurveComparison
        With ``rates``, ``value_a``, ``value_b``, ``difference`` (a - b: 0 for models
        that are equally good, for random scores and at the rate 1), ``standard_error``,
        ``confidence_interval`` and ``band``, arrays of shape (n_rates,); ``name_a`` and
        ``name_b``, "a" and "b" unless given; and ``winning_rates()``. All nan where
        undefined.

    Raises
    ------
    ValueError
        For ``rates`` that do not increase within (0, 1], ``benefit`` or ``cost``
        without "gain", labels, scores, weights or clusters as :func:`compare`, or folds
        that do not match or of which none has both classes.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases, or folds lack a class and are left out.

    See Also
    --------
    compare : At one rate, or under one distribution of it.
    CurveComparisonDisplay : Draws it.

    Notes
    -----
    With :math:`y_i` 1 for a positive, :math:`m_i(r)` the part of case i that is above
    the cut at the rate r, :math:`\pi` the prevalence and L(r) the share of positives at
    the cut, estimated from its neighbours, case i has on the recall F(r) the influence

    .. math:: \psi_i(r) = \frac{y_i}{\pi} \big( m_i(r) - F(r) \big)
              - \frac{L(r)}{\pi} \big( m_i(r) - r \big).

    The squares of the difference of both models', summed over n^2, are the square of
    the standard error s(r), as of :func:`compare` at r. With normal multipliers
    :math:`\xi_i` the sums :math:`\sum_i \xi_i \psi_i(r) / n` vary over rates as the
    difference does over samples: the critical value c of the band is the quantile of
    their largest deviation in units of :math:`\sqrt{s(r)^2 + g(r)^2}` [1]_, [2]_, that
    of an interval the normal quantile (with ``clusters`` both grow as Student's t
    does). The bounds are

    .. math:: D(r) \pm c \sqrt{s(r)^2 + c^2 g(r)^2 / 4},

    with g(r) what one case at the cut is worth; the band leaves at least
    -log((1 - level) / 2) cases open, 3.7 of them at 0.95.

    Each fold is cut at the same rate, what they find is added up, and a case
    of several repeats counts once. Cost: O(n log n + n_rates^3 + n_resamples
    n_rates^2).

    References
    ----------
    .. [1] Montiel Olea and Plagborg-Moller (2019), Simultaneous confidence bands:
       theory, implementation, and an application to SVARs, :doi:`10.1002/jae.2656`.
    .. [2] Ash and Hughes-Oliver (2022), Confidence bands and hypothesis tests for hit
       enrichment curves, :doi:`10.1186/s13321-022-00629-0`.

    Examples
    --------
    a finds the first positives sooner, b the last:

    >>> import numpy as np
    >>> from skrate import compare_curves
    >>> rng = np.random.default_rng(1)
    >>> y_true = rng.random(3000) < 0.2
    >>> a, b = rng.normal(size=3000), rng.random(3000) < 0.6
    >>> a, b = a + 5 * b * y_true, rng.normal(size=3000) + 1.5 * y_true
    >>> result = compare_curves(y_true, a, b, random_state=0)
    >>> result.winning_rates().a
    [(0.055, 0.165)]
    >>> result.winning_rates().b
    [(0.29, 0.97)]
    """
    metric = check_choice("metric", metric, CURVE_METRICS)
    band = check_choice("band", band, BANDS)
    level = check_fraction("confidence_level", confidence_level)
    n_resamples = check_count("n_resamples", n_resamples)
    generator = check_generator(random_state)
    worth = check_worth(metric, benefit, cost)
    steps = None if rates is None else check_places("rates", rates)
    given = {
        "sample_weight": sample_weight, "clusters": clusters, "pos_label": pos_label,
    }  # fmt: skip
    names, models, folds, indices = _check_models(
        y_true, y_score_a, y_score_b, given, weights
    )
    cases, repeats = models[0], None
    if indices is not None:
        _, firsts, case = np.unique(indices, return_index=True, return_inverse=True)
        fields_of_rows = ("is_pos", "scores", "weights", "clusters", "given")
        of_rows = {name: getattr(cases, name) for name in fields_of_rows}
        once: dict[str, Any] = {
            name: None if own is None else own[firsts] for name, own in of_rows.items()
        }
        cases = replace(cases, **once)
        repeats = RepeatedCases(cases, case)
    if steps is None:
        weight = None if cases.are_repetitions else cases.weights
        has_weights = weight is not None and bool(weight.min() < weight.max())
        steps = default_rates([cases.table], has_weights=has_weights)[1:]
        # All is processed at the last of them, which a single case has alone.
        steps = steps[: max(len(steps) - 1, 1)]
    reason, nothing = why_too_few(cases), np.full(len(steps), np.nan)
    if reason is None:
        process = curve_process(
            metric, models, steps, folds=folds, repeats=repeats, **worth
        )
        of_a, of_b = process.of_models
        difference, error = process.values, process.standard_error
        interval = bounds = process.interval(level)
        if band == "simultaneous":
            bounds = process.band(level, n_resamples, generator)
    else:
        warn_undefined(f"The comparison of the {metric}", reason)
        of_a = of_b = difference = error = nothing
        interval = bounds = CurveBounds(nothing, nothing)
    n_pos, n_neg = cases.sizes
    name_a, name_b = names
    return CurveComparison(
        metric=metric,
        rates=steps,
        value_a=of_a,
        value_b=of_b,
        difference=difference,
        standard_error=error,
        confidence_interval=interval,
        band=bounds,
        kind=band,
        confidence_level=level,
        n_pos=n_pos,
        n_neg=n_neg,
        params=worth,
        name_a=name_a,
        name_b=name_b,
    )


class _Models(NamedTuple):
    """Both models by name: samples, the fold of each row, and with repeats its case."""

    names: list[str]
    samples: list[Ranked]
    folds: IntArray | None = None
    indices: IntArray | None = None


def _check_models(
    y_true: Any, a: Any, b: Any, given: dict[str, Any], weights: Weights
) -> _Models:
    """Return both models."""
    are_each = isinstance(y_true, FoldRankings) or isinstance(a, FoldRankings)
    if are_each or are_of_folds(y_true):
        return _models_in_folds(y_true, a, b, given, weights)
    are_both = b is None and are_columns(a)
    if a is None or (b is None and not are_both):
        raise ValueError(
            f"{'y_score_a' if a is None else 'y_score_b'} is missing: pass y_true and "
            "the scores of both models, or two FoldRankings, compare_curves(a, b)."
        )
    rows = check_cases(y_true, weights=weights, takes_estimates=True, **given)
    names, scores = ["a", "b"], {"y_score_a": a, "y_score_b": b}
    if are_both:
        both = columns_of("y_score_a", a, rows.n_given)
        names, scores = _check_two("y_score_a", both)
    return _Models(names, [scored(rows, *one) for one in scores.items()])


def _models_in_folds(
    y_true: Any, a: Any, b: Any, given: dict[str, Any], weights: Weights
) -> _Models:
    """Return both models by their rankings of folds."""
    names, rankings = ["a", "b"], {"y_true": y_true, "y_score_a": a}
    if are_of_folds(y_true):
        check_alone(FoldRankings, y_score_a=a)
        names, rankings = _check_two("y_true", models_by_name(y_true))
    else:
        check_no_labels(y_true, "y_score_a")
    check_same_folds(rankings)
    check_alone(FoldRankings, y_score_b=b, **given)
    columns, folds, indices = _with_both_classes(*rankings.values())
    scores = {name: columns.pop(name) for name in _NAMES}
    clusters = columns.pop("clusters")
    rows = check_cases(**columns, weights=weights)
    if clusters is not None:
        units = check_groups("clusters", clusters).codes
        are_repeated = indices is not None
        rows = with_fold_groups(rows, units, folds, are_repeated=are_repeated)
    models = [scored(rows, *one) for one in scores.items()]
    return _Models(names, models, folds, indices)


def _check_two(
    argument: str, models: Mapping[Any, Any]
) -> tuple[list[str], dict[str, Any]]:
    """Return the names of two models, and the models by their place in the argument."""
    names = [str(name) for name in check_several(argument, models)]
    if len(names) > 2:
        raise ValueError(
            f"{argument} must hold two models, got {len(names)}, {names}: pass two of "
            "them, or use compare, which takes several."
        )
    return names, {f"{argument}[{name!r}]": one for name, one in models.items()}


def _with_both_classes(
    a: FoldRankings, b: FoldRankings
) -> tuple[dict[str, Any], IntArray, IntArray | None]:
    """Return the rows of folds of both classes, and warn of the other folds.

    As columns, the number of the fold of each row, and its case where repeats test
    cases again.
    """
    weights = a.sample_weight
    folds = [rows if weights is None else rows[weights[rows] > 0] for rows in a.rows()]
    kept = [rows for rows in folds if 0 < np.count_nonzero(a.is_pos[rows]) < len(rows)]
    if not kept:
        raise ValueError(
            f"None of the {len(folds)} folds has both classes. Use stratified or "
            "fewer folds."
        )
    if len(kept) < len(folds):
        warn(
            f"{len(folds) - len(kept)} of {len(folds)} folds hold one class only and "
            "are left out.",
            UndefinedMetricWarning,
        )
    numbers = np.full(len(a.is_pos), -1)
    for number, rows in enumerate(kept):
        numbers[rows] = number
    chosen = np.flatnonzero(numbers >= 0)
    given: dict[str, Any] = {
        "y_true": a.is_pos, "y_score_a": a.y_score, "y_score_b": b.y_score,
        "sample_weight": weights, "clusters": a.clusters,
        "indices": a.indices if a.n_repeats > 1 else None,
    }  # fmt: skip
    columns = {k: None if v is None else v[chosen] for k, v in given.items()}
    return columns, numbers[chosen], columns.pop("indices")


def check_places(name: str, values: ArrayLike) -> FloatArray:
    """Return increasing places in (0, 1] at which curves are compared or drawn."""
    places = check_rates(name, values)
    if places[0] == 0:
        raise ValueError(
            f"{name} must lie in (0, 1], found 0: there nothing is processed, and all "
            "models are alike. Leave it out."
        )
    if len(places) > _MOST_RATES:
        raise ValueError(
            f"{name} holds {len(places)} numbers, more than {_MOST_RATES}: their "
            "covariance would not fit in little memory. Take fewer, such as "
            "numpy.linspace(0.005, 0.995, 199)."
        )
    return places


def check_worth(
    metric: str, benefit: float | None, cost: float | None
) -> dict[str, float]:
    """Return the benefit and the cost of a gain, none of other metrics."""
    if metric != "gain":
        for key, value in {"benefit": benefit, "cost": cost}.items():
            if value is not None:
                raise ValueError(
                    f"{key} is for metric='gain' only, found metric={metric!r}: leave "
                    "it out."
                )
        return {}
    if cost is None:
        raise ValueError(
            "metric='gain' needs cost, what it costs to process a case: with cost=0 "
            "it is the benefit of the hits."
        )
    if check_number("cost", cost) < 0:
        raise ValueError(f"cost must not be negative, found {float(cost):g}.")
    worth = 1.0 if benefit is None else check_positive("benefit", benefit)
    return {"benefit": worth, "cost": float(cost)}


class CurveBounds(NamedTuple):
    """Lower and upper bounds of a curve, by rate."""

    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class CurveProcess:
    """The curve of one model, or that of a first minus a second, by rate."""

    rates: FloatArray
    of_models: FloatArray  # The curve of each model, of shape (n_models, n_rates).
    covariance: FloatArray  # Of `values` over samples, rate by rate.
    grain: FloatArray  # What one independent case at the cut is worth.
    limits: tuple[FloatArray, FloatArray]  # The range of the curve of a model.
    # Of Student's t, in place of the normal distribution; or of each rate.
    freedom: FloatArray | float = np.inf

    @property
    def is_difference(self) -> bool:
        """Whether there are two models."""
        return len(self.of_models) > 1

    @cached_property
    def values(self) -> FloatArray:
        """The curve, or the difference of two."""
        return np.asarray(self.of_models[0] - self.of_models[1:].sum(axis=0))

    @cached_property
    def standard_error(self) -> FloatArray:
        """Estimated standard deviation of ``values`` over samples."""
        variance = np.diag(self.covariance)
        # Models may agree all but exactly, and the rest is rounding.
        is_rounding = variance < _ROUNDING * self.grain.max() ** 2
        return np.sqrt(np.where(is_rounding, 0.0, variance))

    def interval(self, level: float) -> CurveBounds:
        """Return bounds at one rate: Wilson's of one curve, as ``estimate`` has it."""
        freedoms = np.atleast_1d(self.freedom)
        critical = np.array([t_quantile(level, freedom) for freedom in freedoms])
        if self.is_difference:
            return self.bounds(critical)
        value, (low, high) = self.values, self.limits
        # With a tenth of a case that varies, half of it at either end.
        added = ADDED / 2 * self.grain
        variance = self.standard_error**2 + added * self.grain
        room = (value - low + added) * (high - value + added)
        k = np.zeros_like(value)
        np.divide(critical**2 * variance, room, out=k, where=room > 0)
        is_open = high > low
        ends = wilson_ends(value, (low, np.where(is_open, high, low + 1)), k)
        return CurveBounds(*(np.where(is_open, end, value) for end in ends))

    def band(
        self, level: float, n_resamples: int, generator: np.random.Generator
    ) -> CurveBounds:
        """Return bounds that cover the true curve at all rates at once.

        If it were x cases away at some rate, no case would show it with probability
        exp(-x): the bounds are so far away that this is half of 1 minus the level.
        """
        critical = self.critical_value(level, n_resamples, generator)
        return self.bounds(critical, -float(np.log((1 - level) / 2)))

    def critical_value(
        self, level: float, n_resamples: int, generator: np.random.Generator
    ) -> float:
        """Return what takes the place of the normal quantile in a band.

        The quantile of the largest deviation over all rates, in standard errors, of so
        many draws of the process (Montiel Olea and Plagborg-Moller 2019, algorithm 1).
        For a difference one more case is added to their squares: where hardly a case
        tells the models apart what can be seen is whole cases, while draws deviate.
        """
        least = t_quantile(level, float(np.min(self.freedom)))
        normal = t_quantile(level)
        error = self.standard_error
        if not error.any():
            return least
        if self.is_difference:
            error = np.hypot(error, self.grain)
        varies = error > 0
        # The symmetric root: of others the draws would depend on who found them.
        squares, vectors = np.linalg.eigh(self.covariance)
        # Roots of what is rounding would depend on the order of the samples.
        squares = np.where(squares < _ROUNDING * squares[-1], 0.0, squares)
        root = (vectors * np.sqrt(squares)) @ vectors.T
        root = root[:, varies] / error[varies]
        largest = []
        for first in range(0, n_resamples, _BATCH):
            size = min(_BATCH, n_resamples - first)
            drawn = generator.standard_normal((size, len(root))) @ root
            largest.append(np.abs(drawn).max(axis=1))
        found = float(np.quantile(np.concatenate(largest), level))
        return max(found * least / normal, least)

    def bounds(self, critical: FloatArray | float, least: float = 0.0) -> CurveBounds:
        """Return the bounds that a critical value c makes, at least some cases away.

        As Wilson's interval they take c^2 / 4 more cases at the cut to vary.
        """
        half = critical * np.hypot(self.standard_error, critical * self.grain / 2)
        half = np.maximum(half, least * self.grain)
        low, high = self.limits
        if self.is_difference:
            low, high = low - high, high - low
        value = self.values
        # What lies on a limit may be beyond it by rounding.
        low = np.minimum(np.maximum(value - half, low), value)
        return CurveBounds(low, np.maximum(np.minimum(value + half, high), value))


class RepeatedCases(NamedTuple):
    """The cases that the rows of several repeats test, each of them once."""

    cases: Ranked
    case: IntArray  # That of each row.


def curve_process(
    metric: CurveMetric,
    models: Sequence[Ranked],
    rates: FloatArray,
    *,
    folds: IntArray | None = None,
    repeats: RepeatedCases | None = None,
    benefit: float = 1.0,
    cost: float = 0.0,
) -> CurveProcess:
    """Return the curve of one model, or that of a first minus a second.

    ``folds`` numbers the fold of each case, where scores are comparable within folds
    only, and of ``repeats`` no case counts more than once.
    """
    scale, offset = np.ones_like(rates), np.zeros_like(rates)
    if metric in ("precision", "lift"):
        scale = 1 / rates
    elif metric == "gain":
        scale, offset = benefit * scale, -cost * rates
    is_per_positive = metric in ("recall", "lift")
    cases = models[0] if repeats is None else repeats.cases
    # As many as clusters that hold cases of the rarer class, less 1 in each group.
    freedom: FloatArray | float
    freedom = cases.unit_freedom if cases.clusters is not None else np.inf
    of_models, grains, influence, codes, n_codes = [], [], [], [], 0
    estimates: list[list[FloatArray]] = []
    for sign, model in zip((1, -1), models, strict=False):
        values, grain, of_codes, codes_of_cases = _over_rates(
            model, cases, rates, folds, is_per_positive=is_per_positive
        )
        if model.estimated is not None:
            rows = _rows_of_estimates(model, of_codes, codes_of_cases)
            estimates.append([sign * scale[:, None] * each for each in rows])
        of_models.append(scale * values + offset)
        grains.append(scale * grain)
        influence.append(sign * scale * of_codes)
        codes.append(n_codes + codes_of_cases)
        n_codes += len(of_codes)
    if estimates:
        covariance, freedom = _of_estimates(estimates, cases)
    else:
        covariance = _covariance(np.concatenate(influence), codes, models[0], repeats)
    most = np.ones_like(rates) if is_per_positive else rates
    return CurveProcess(
        rates=rates,
        of_models=np.stack(of_models),
        # Rounding must not leave it askew.
        covariance=(covariance + covariance.T) / 2,
        grain=np.max(grains, axis=0),
        limits=(offset, offset + scale * most),
        freedom=freedom,
    )


def _over_rates(
    model: Ranked,
    cases: Ranked,
    rates: FloatArray,
    folds: IntArray | None,
    *,
    is_per_positive: bool,
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """Return recall or hits, the grain, what cases of each code add, and the codes."""
    parts = by_fold(model, folds)
    tables = [part.table for _, part in parts]
    total = sum(table.total for table in tables)
    prevalence = sum(table.n_pos for table in tables) / total
    found = [np.interp(rates, table.rates, table.cum_pos) for table in tables]
    hits = values = np.sum(found, axis=0) / total
    size = 1 / cases.total
    if not cases.are_fold_groups:
        size *= cases.sizes[0] / cases.effective_sizes[0]
    if is_per_positive:
        values, size = values / prevalence, size / prevalence
    # A case above the cut pushes such a share of a positive below it.
    lost = share_at_cut(tables, rates, model.total / cases.total)
    influence: list[FloatArray] = []
    codes = np.empty(len(model.is_pos), dtype=np.intp)
    for (places, part), n_found in zip(parts, found, strict=True):
        table, starts = part.table, _starts(part.table, rates)
        edges = np.append(table.rates[starts], 1.0)
        low, high = edges[:-1, None], edges[1:, None]
        # The weight of a cell may be lost in that of the others.
        above = (rates >= high).astype(np.float64)
        np.divide(rates - low, high - low, out=above, where=high > low)
        above = np.clip(above, 0, 1)
        # Centred in each fold, unless folds are the units.
        mean, p = n_found / table.total, table.prevalence
        if cases.are_fold_groups:
            mean, p = hits, prevalence
        of_neg = -mean - lost * (above - rates)
        of_pos = above + of_neg
        if is_per_positive:
            # The share of positives, which divides, is an estimate itself.
            of_neg = (of_neg + values * p) / prevalence
            of_pos = (of_pos - values * (1 - p)) / prevalence
        sizes = np.diff(starts, append=table.n_groups)
        group = part.group
        if part.estimated is not None:
            group = part.group_with_weight(part.estimated)
        cell = np.repeat(np.arange(len(starts)), sizes).take(group)
        # Estimated labels are both classes in part: codes then are those of negatives.
        is_pos = part.is_pos if model.estimated is None else False
        codes[places] = sum(map(len, influence)) + cell + len(starts) * is_pos
        influence += [of_neg, of_pos]
    is_cut = (rates > 0) & (rates < 1)
    grain = np.asarray(is_cut * size * np.maximum(lost, 1 - lost))
    return values, grain, np.concatenate(influence), codes


def _rows_of_estimates(
    model: Ranked, of_codes: FloatArray, codes: IntArray
) -> list[FloatArray]:
    """Return what cases of estimated labels contribute at each rate, and would do."""
    of_neg, of_pos = np.split(of_codes, 2)
    return [
        np.stack(
            [
                labels.influence(pos.take(codes), neg.take(codes))
                * (model.total / model.table.total)
                for pos, neg in zip(of_pos.T, of_neg.T, strict=True)
            ]
        )
        for labels in labels_of(model)
    ]


def _of_estimates(
    models: list[list[FloatArray]], cases: Ranked
) -> tuple[FloatArray, FloatArray]:
    """Return the covariance by estimated labels, and degrees of freedom of each rate.

    At each rate the row with the larger variance counts.
    """
    rows = [np.add.reduce(each) for each in zip(*models, strict=True)]
    found = [covariance([*each], cases) for each in rows]
    variances = [np.diag(each) for each in found]
    wide = np.max(variances, axis=0)
    factor = np.sqrt(ratio(wide, variances[0]))
    freedoms = [
        freedom_of_estimates(rows[which][i], cases)
        for i, which in enumerate(np.argmax(variances, axis=0))
    ]
    return factor[:, None] * found[0] * factor, np.array(freedoms)


def _starts(table: RankTable, rates: FloatArray) -> IntArray:
    """Return where cells begin: those that a rate cuts, and those between them."""
    inner = rates[(rates > 0) & (rates < 1)]
    cut = np.searchsorted(table.rates, inner, side="left") - 1
    starts = np.unique(np.concatenate([[0], cut, cut + 1]))
    return starts[starts < table.n_groups]


def _covariance(
    influence: FloatArray,
    codes: Sequence[IntArray],
    rows: Ranked,
    repeats: RepeatedCases | None,
) -> FloatArray:
    """Return the covariance of what rows of ``influence`` add, by the codes of cases.

    A case adds the row of each of its codes, in each of its repeats.
    """
    n_rows, n_units = len(rows.is_pos), rows.n_units
    unit = np.arange(n_rows) if rows.clusters is None else rows.clusters
    times = rows.row_weights
    if rows.clusters is None and rows.weights is not None:
        # As roots, since they are about to be squared.
        times = np.sqrt(multiples(times, rows))
    if rows.clusters is None and repeats is not None:
        unit, n_units = repeats.case, len(repeats.cases.is_pos)
    of_units: Any = sparse.coo_array(
        (
            np.tile(times, len(codes)),
            (np.tile(unit, len(codes)), np.concatenate(codes)),
        ),
        shape=(n_units, len(influence)),
    ).tocsr()
    if rows.clusters is None:
        # How many cases have two codes: of cells there are few.
        together = of_units.T @ of_units
        return np.asarray(influence.T @ (together @ influence)) / rows.total**2
    summed = np.zeros((influence.shape[1],) * 2)
    for first in range(0, n_units, _BLOCK):
        some = slice(first, first + _BLOCK)
        sums = of_units[some] @ influence
        summed += (rows.unit_factors[some, None] * sums).T @ sums
    return summed / rows.total**2
