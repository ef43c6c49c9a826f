"""Two models against each other at every rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skrate.core.array_api import check_one_place
from skrate.core.arrays import ArrayLike, FloatArray, IntArray, Label, RandomState
from skrate.core.fold_input import check_no_labels, check_same_folds
from skrate.core.fold_rankings import FoldRankings
from skrate.core.rank_table import check_alone
from skrate.core.validation import (
    check_choice,
    check_count,
    check_fraction,
    check_generator,
    check_number,
    check_positive,
    warn_undefined,
)
from skrate.curves.rate_averaged import BANDS, Band, check_rates, default_rates
from skrate.inference.curve_comparison import CurveComparison
from skrate.inference.curve_folds import (
    is_by_fold,
    joined_folds,
    repeated_cases,
    with_both_classes,
)
from skrate.inference.curve_influence import CURVE_METRICS, CurveMetric
from skrate.inference.curve_process import CurveBounds, CurveProcess, curve_process
from skrate.inference.plan import why_too_few
from skrate.inference.sample import Ranked, Weights, check_cases, scored

# Their covariance is an array of as many rows and columns.
_MOST_RATES = 2000


def compare_curves(
    y_true: ArrayLike | Sequence[ArrayLike] | FoldRankings,
    y_score_a: ArrayLike | Sequence[ArrayLike] | FoldRankings,
    y_score_b: ArrayLike | Sequence[ArrayLike] | None = None,
    *,
    metric: CurveMetric = "recall",
    rates: ArrayLike | None = None,
    band: Band = "simultaneous",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    benefit: float | None = None,
    cost: float | None = None,
    clusters: ArrayLike | Sequence[ArrayLike] | None = None,
    sample_weight: ArrayLike | Sequence[ArrayLike] | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
    random_state: RandomState = None,
) -> CurveComparison:
    r"""Compare two models at every rate: difference, interval and simultaneous band.

    At which budgets is b better than a? One number per model averages over budgets, and
    curves that cross have two answers. Both models are taken as given, trained on other
    cases than these, and are compared on the same cases.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), list of such or FoldRankings
        True labels of two classes; or a list of arrays, one for each test fold of a
        cross-validation; or the rankings of model a, of all folds.
    y_score_a, y_score_b : array-like of shape (n_samples,), or list of such
        Scores of both models, higher for the positive class; of folds they need be
        comparable within a fold only. After rankings of model a the second argument is
        those of model b, of the same folds, and no third one is given.
    metric : {"recall", "precision", "lift", "hits", "gain"}, default="recall"
        What is compared of the share of the ranking that is processed:

        - "recall": the share of the positives that is found;
        - "precision": the share of positives among what is processed;
        - "lift": recall over the rate, 1 for random scores;
        - "hits": the share of all cases that is found;
        - "gain": ``benefit`` for each positive found less ``cost`` for each case
          processed, per case of the ranking.
    rates : array-like of shape (n_rates,), default=None
        Increasing rates in (0, 1], at most 2,000. None takes k / n below 1 for n of at
        most 200 cases of equal weight, else 199 rates in equal steps, and finer ones
        near the end of a class with a share below 2 %.
    band : {"simultaneous", "pointwise"}, default="simultaneous"
        What the band, and so the winning rates, hold: the whole difference, at all
        ``rates`` at once, or the one at a single rate that is chosen beforehand.
    confidence_level : float, default=0.95
        Level of the intervals and of the band, in (0, 1).
    n_resamples : int, default=2000
        Number of draws of multipliers for the band.
    benefit : float, default=None
        What a positive that is found is worth, above 0; for "gain" only, where None
        means 1.
    cost : float, default=None
        What it costs to process a case, at least 0, in units of ``benefit``; needed
        for "gain", and only there.
    clusters : array-like of shape (n_samples,), or list of such, default=None
        The cluster of each case, such as its patient; of folds that test cases again,
        the case itself.
    sample_weight : array-like of shape (n_samples,), or list of such, default=None
        Weights of the cases.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are, as in :func:`estimate`.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    random_state : int, Generator or RandomState, default=None
        Source of the draws.

    Returns
    -------
    result : CurveComparison
        With ``rates``, ``value_a``, ``value_b``, ``difference`` (a less b: 0 for models
        that are equally good, for random scores and at the rate 1), ``standard_error``,
        ``confidence_interval`` and ``band``, arrays of shape (n_rates,); and
        ``winning_rates()``. All nan where undefined.

    Raises
    ------
    ValueError
        For an option that is none of the choices, ``rates`` that do not increase
        within (0, 1], ``benefit`` or ``cost`` without "gain", labels, scores, weights
        or clusters as :func:`compare`, folds that do not match or of which none holds
        both classes, or anything beside rankings that these hold already.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases, or folds are left out because they hold one
        class only.

    See Also
    --------
    compare : At one rate, or under one distribution of it.
    rate_averaged_roc_curve : The consensus of the folds of one model, with bounds.
    CurveComparisonDisplay : Draws it.

    Notes
    -----
    A case that ties at the cut is above it in part, so that all curves are expectations
    over random orders of the cases that tie.

    Let :math:`y_i` be 1 for a positive, :math:`m_i(r)` say whether case i is above the
    cut at the rate r, and :math:`\pi` be the prevalence. On the recall F(r) of a model
    the case has the influence

    .. math:: \psi_i(r) = \frac{y_i}{\pi} \big( m_i(r) - F(r) \big)
              - \frac{L(r)}{\pi} \big( m_i(r) - r \big),

    with L(r) the share of positives at the cut, which is estimated from its
    neighbours as for :func:`recall_at_rate_score`. That on the other metrics follows;
    that on the difference is the difference, and the sum of its squares, over n^2, is
    the square of the standard error that :func:`compare` gives at r.

    With independent normal multipliers :math:`\xi_i` the sums
    :math:`\sum_i \xi_i \psi_i(r) / n` vary over rates as the difference does over
    samples. The critical value c of the band is the quantile of their largest
    deviation over all rates, in standard errors s(r) [1]_, to the squares of which
    g(r)^2 is added; that of an interval is the normal quantile. With ``clusters`` both
    grow as that of Student's t does, at the number of clusters that hold cases of the
    rarer class, less 1. The bounds are

    .. math:: D(r) \pm c \sqrt{s(r)^2 + c^2 g(r)^2 / 4},

    with g(r) what one case at the cut is worth, at most 1 / n of the hits: as if
    c^2 / 4 more cases told the models apart. Where only few do, as at low rates and
    above those where both models have found nearly all, the variance that is seen is
    no measure of what could be. Models that agree on all cases are not known to be
    equal either: the band leaves at least -log((1 - level) / 2) cases open, 3.7 of
    them at 0.95, as fewer might not be seen.

    Where a curve has a kink, as that of a model that finds a part of the positives at
    once, L(r) falls within few cases, and what a case adds depends on the side to which
    the cut moves. In simulations of such models the band of 95 % held the whole
    difference in 90 to 93 % of samples, and the interval at a rate by the kink in 82 to
    93 %. A band of 98 % held it in 97 to 98 %.

    Of folds each is cut at the same rate on its own, what they find is added up, and
    the influence of a case is that within its fold; L is that of all folds together.
    Models are refitted in each fold: that they could have come out otherwise is not
    part of the error, here or in any bounds that take test cases as the sample. Bands
    of 95 % held in 93 % of samples of 10 folds of 30 cases, or of 5 of 100.

    Cost: O(n log n) for the rankings, O(n_rates^3 + n_resamples n_rates^2) for the
    rest.

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
    >>> a = (
    ...     rng.normal(size=3000)
    ...     + np.where(rng.random(3000) < 0.6, 5, 0) * y_true
    ... )
    >>> b = rng.normal(size=3000) + 1.5 * y_true
    >>> result = compare_curves(y_true, a, b, random_state=0)
    >>> result.winning_rates().a
    [(0.055, 0.165)]
    >>> result.winning_rates().b
    [(0.29, 0.97)]

    What that is worth if a positive brings 50, and a case costs 4 to process:

    >>> worth = compare_curves(
    ...     y_true,
    ...     a,
    ...     b,
    ...     metric="gain",
    ...     benefit=50,
    ...     cost=4,
    ...     rates=[0.1, 0.5],
    ... )
    >>> worth.difference.round(2).tolist()
    [1.07, -1.35]
    """
    metric = check_choice("metric", metric, CURVE_METRICS)
    band = check_choice("band", band, BANDS)
    level = check_fraction("confidence_level", confidence_level)
    n_resamples = check_count("n_resamples", n_resamples)
    generator = check_generator(random_state)
    worth = _check_worth(metric, benefit, cost)
    steps = None if rates is None else _check_rates(rates)
    given: dict[str, Any] = {
        "y_score_a": y_score_a,
        "y_score_b": y_score_b,
        "sample_weight": sample_weight,
        "clusters": clusters,
    }
    labels: Any = y_true
    folds: IntArray | None = None
    indices: IntArray | None = None
    if isinstance(y_true, FoldRankings) or isinstance(y_score_a, FoldRankings):
        labels, given, folds, indices = _of_rankings(y_true, given, pos_label)
    _check_both(given)
    if folds is None and is_by_fold(labels):
        labels, given, folds = joined_folds(labels, given)
    elif folds is None:
        check_one_place(y_true=y_true, y_score_a=y_score_a, y_score_b=y_score_b)
    scores = given.pop("y_score_a"), given.pop("y_score_b")
    cases = check_cases(labels, weights=weights, pos_label=pos_label, **given)
    models = [
        scored(cases, name, y_score)
        for name, y_score in zip(("y_score_a", "y_score_b"), scores, strict=True)
    ]
    if folds is not None:
        models, folds, indices = with_both_classes(models, folds, indices)
    repeats = None if indices is None else repeated_cases(models[0], indices)
    counted = models[0] if repeats is None else repeats.cases
    if steps is None:
        has_weights = not (cases.are_repetitions or _are_equal(cases.weights))
        steps = default_rates([counted.table], has_weights=has_weights)[1:]
        # All is processed at the last of them, which a single case has alone.
        steps = steps[: max(len(steps) - 1, 1)]
    reason = why_too_few(counted)
    if reason is not None:
        warn_undefined(f"The comparison of the {metric}", reason)
        return _conclude(metric, _undefined(steps), counted, band, level, worth)
    process = curve_process(
        metric, models, steps, folds=folds, repeats=repeats, **worth
    )
    bounds = None
    if band == "simultaneous":
        bounds = process.band(level, n_resamples, generator)
    return _conclude(metric, process, counted, band, level, worth, bounds)


def _of_rankings(
    rankings_a: Any, given: dict[str, Any], pos_label: Label
) -> tuple[Any, dict[str, Any], IntArray, IntArray | None]:
    """Return the labels of two models' rankings, and what else they hold.

    These are followed by the fold of each row, and its case if repeats test it again.
    """
    check_no_labels(rankings_a, "y_score_a")
    rankings_b = given.pop("y_score_a")
    check_same_folds({"y_true": rankings_a, "y_score_a": rankings_b})
    check_alone(rankings_a, **given, pos_label=pos_label)
    known = {
        "y_score_a": rankings_a.y_score,
        "y_score_b": rankings_b.y_score,
        "sample_weight": rankings_a.sample_weight,
        "clusters": rankings_a.clusters,
    }
    folds = np.empty(len(rankings_a.is_pos), dtype=np.intp)
    for number, rows in enumerate(rankings_a.rows()):
        folds[rows] = number
    indices = rankings_a.indices if rankings_a.n_repeats > 1 else None
    return rankings_a.is_pos, known, folds, indices


def _check_both(given: dict[str, Any]) -> None:
    for name in ("y_score_a", "y_score_b"):
        if given[name] is None:
            raise ValueError(
                f"{name} is missing: give the scores of both models, or the "
                "FoldRankings of both alone."
            )


def _are_equal(weights: FloatArray | None) -> bool:
    return weights is None or bool(weights.min() == weights.max())


def _conclude(
    metric: str,
    process: CurveProcess,
    cases: Ranked,
    kind: Band,
    level: float,
    worth: dict[str, float],
    band: CurveBounds | None = None,
) -> CurveComparison:
    interval = process.interval(level)
    of_a, of_b = process.of_models
    n_pos, n_neg = cases.sizes
    return CurveComparison(
        metric,
        process.rates,
        of_a,
        of_b,
        process.values,
        process.standard_error,
        interval,
        interval if band is None else band,
        kind,
        level,
        n_pos,
        n_neg,
        worth,
    )


def _undefined(rates: FloatArray) -> CurveProcess:
    """Return the process of which nothing is known."""
    unknown = np.full(len(rates), np.nan)
    return CurveProcess(
        rates,
        np.stack([unknown, unknown]),
        np.diag(unknown),
        unknown,
        (unknown, unknown),
    )


def _check_rates(values: ArrayLike) -> FloatArray:
    rates = check_rates("rates", values)
    if rates[0] == 0:
        raise ValueError(
            "rates must lie in (0, 1], found 0: there nothing is processed, and no "
            "model is better. Leave it out."
        )
    if len(rates) > _MOST_RATES:
        raise ValueError(
            f"rates holds {len(rates)} rates, more than {_MOST_RATES}: their "
            "covariance would not fit in little memory. Take fewer, such as "
            "numpy.linspace(0.005, 0.995, 199)."
        )
    return rates


def _check_worth(
    metric: CurveMetric, benefit: float | None, cost: float | None
) -> dict[str, float]:
    """Return what a gain is made of."""
    if metric != "gain":
        for name, value in (("benefit", benefit), ("cost", cost)):
            if value is not None:
                raise ValueError(
                    f"{name} is for metric='gain' only, found metric={metric!r}: leave "
                    "it out."
                )
        return {}
    if cost is None:
        raise ValueError(
            "metric='gain' needs cost, what it costs to process a case: with cost=0 it "
            "is the benefit of the hits."
        )
    worth = 1.0 if benefit is None else check_positive("benefit", benefit)
    price = check_number("cost", cost)
    if price < 0:
        raise ValueError(f"cost must not be negative, found {price:g}.")
    return {"benefit": worth, "cost": price}
