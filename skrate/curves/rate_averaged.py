"""ROC curves of several folds, averaged at equal rate."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.curves.baselines import beta_bounds, normal_bounds
from skrate.curves.bootstrap import bootstrap_counts, central_range, whole_range
from skrate.curves.consensus_bounds import (
    holding_consensus,
    moved_to_consensus,
    rising,
)
from skrate.curves.consensus_curve import ConsensusCurve, consensus_curve
from skrate.curves.folds import Folds
from skrate.curves.pooled_bounds import exact_band, exact_bounds, parametric_bounds
from skrate.data.array_api import as_numpy, brought
from skrate.data.arrays import (
    Array,
    ArrayLike,
    ArraysByFold,
    FloatArray,
    Label,
    RandomState,
)
from skrate.data.checks import (
    check_choice,
    check_count,
    check_equal_length,
    check_flag,
    check_fraction,
    check_generator,
    check_scores,
    check_weights,
)
from skrate.data.folds import FoldRankings, Repeats, check_repeats
from skrate.data.table import RankTable, check_alone, rank_table

# From the spread over folds; these are defined for weighted cases as well.
BASELINES = {"normal": normal_bounds, "beta": beta_bounds}
ANALYTIC = {"parametric": parametric_bounds, "exact": exact_bounds}
BOOTSTRAPS = ("bootstrap", "bootstrap-adjusted")
Bounds = Literal[
    "normal", "beta", "parametric", "exact", "bootstrap", "bootstrap-adjusted"
]
METHODS: tuple[Bounds, ...] = get_args(Bounds)
Band = Literal["pointwise", "simultaneous"]
BANDS: tuple[Band, ...] = get_args(Band)
# Whole curves can be drawn, and lie within bounds of a method.
WHOLE = ("exact", *BOOTSTRAPS)
# Folds of one size have a rate per case up to this size, others this many steps.
_MAX_STEPS = 200
# A class whose share is fewer steps than this gets finer ones, so many to its share.
_FEW_STEPS, _STEPS_TO_RARE, _FINER_STEPS = 4, 10, 50
# True labels, scores and maybe weights.
FoldCases: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike | None]
# Labels by fold, or tables, or what another curve is of.
FoldsLike: TypeAlias = Sequence[ArrayLike | RankTable] | Array | FoldRankings | Folds


def rate_averaged_roc_curve(
    y_trues: FoldsLike,
    y_scores: ArraysByFold | None = None,
    *,
    sample_weight: ArraysByFold | None = None,
    pos_label: Label = None,
    repeats: Repeats = None,
    rates: ArrayLike | None = None,
    bounds: Bounds | None = "exact",
    band: Band = "pointwise",
    confidence_level: float = 0.95,
    augment: bool = True,
    n_resamples: int = 2000,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> ConsensusCurve:
    r"""Average the ROC curves of several folds at equal rate, with bounds.

    If the same share of every fold is processed, which share of all positives is
    found, and how far could it be off? :func:`sklearn.metrics.roc_curve` draws one
    curve, and averages over folds at equal fpr are met by no budget: nobody can choose
    how many negatives to process. Only the order of the scores within a fold counts.

    Parameters
    ----------
    y_trues : sequence of array-like of shape (n_samples,) or of RankTable
        True labels of two classes, an array for each fold; or a table for each,
        without ``y_scores``. Or rankings of the folds, a ``FoldRankings``, or the
        ``folds`` of another curve, for other bounds; then the four arguments below are
        left out.
    y_scores : sequence of array-like of shape (n_samples,), default=None
        Scores of the same cases, higher for the positive class.
    sample_weight : sequence of array-like of shape (n_samples,), default=None
        Relative weights of the cases. Only ``bounds`` "normal", "beta" and None take
        them, or tables whose weights are not whole: the others are laws of a number of
        cases.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    repeats : int or array-like of shape (n_folds,), default=None
        Which folds belong to one repeat, where cross-validation was repeated: a label
        for each fold, or how many repeats of equally many folds follow each other.
        None says that no case is in two folds. Without it, the bounds of repeated
        folds are too narrow.
    rates : array-like of shape (n_rates,), default=None
        Increasing rates in [0, 1] at which to average. None takes k / n for folds of
        one size n of at most 200 cases, else 201 rates in equal steps, and finer ones
        near the end of a class with a share below 2 %. Between them bounds are
        interpolated: pass the rates that matter.
    bounds : str or None, default="exact"
        The method of the bounds, one of:

        - "exact": the law of the number of positives that all folds find;
        - "parametric": a beta distribution with the first two moments of that law;
        - "bootstrap": sets of new folds that are drawn by the same law;
        - "bootstrap-adjusted": the same with the numbers of positives left to chance,
          and the ranking stretched to meet them;
        - "normal", "beta": from the variance of recall over folds; for comparison;
        - None: no bounds.
    band : {"pointwise", "simultaneous"}, default="pointwise"
        What is to lie between the bounds: the recall at one rate that is chosen
        beforehand, or the whole curve, at all ``rates`` at once. The latter are wider,
        hold the former, and are made by ``bounds`` "exact" and the bootstraps.
    confidence_level : float, default=0.95
        Probability in (0, 1) that is to lie between the bounds, rate by rate or, of a
        simultaneous band, at all rates together.
    augment : bool, default=True
        Whether one more case of each class is added to what new folds are drawn from,
        see Notes. False gives the bounds of [1]_, which are too narrow next to both
        ends of the curve. "normal" and "beta" add none in any case.
    n_resamples : int, default=2000
        Number of sets of folds that the bootstraps draw, and a simultaneous band.
    random_state : int, Generator, RandomState or None, default=None
        Source of the randomness of both.
    n_jobs : int, default=None
        Number of threads, as in joblib; the result does not depend on it.
    verbose : int, default=0
        Above 0, joblib reports the progress of the bounds.

    Returns
    -------
    curve : ConsensusCurve
        With ``rates``, ``tpr``, ``fpr``, the bounds ``confidence_interval.low.tpr``
        and ``.high.tpr``, and methods that read the curve in both directions. Recall is
        the rate itself for random scores, ``min(1, rate / prevalence)`` for perfect
        ones.

    Raises
    ------
    ValueError
        If an argument is none of the choices, ``bounds`` makes no simultaneous band,
        ``rates`` do not increase within
        [0, 1], there are not as many arrays of scores or weights as of labels, a fold
        is empty or cannot be ranked, no fold holds both classes, weights are given to
        a method that counts cases, or "normal" or "beta" has fewer than two folds in a
        repeat.

    Warns
    -----
    UndefinedMetricWarning
        If folds are left out because they hold one class only.

    See Also
    --------
    sklearn.metrics.roc_curve : The curve of one fold.
    RateAveragedROC : Draws it, and runs the folds.
    rate_weighted_auc_score : The area that weighs rates as a budget does.

    Notes
    -----
    With s_i(r) the positives among the first r n_i of the n_i cases of fold i (for a
    part of a case, or within ties, as if found at a constant rate), the consensus is
    :math:`tpr(r) = \sum_i s_i(r) / \sum_i n_{1i}`: the mean over folds if these have
    as many positives. Its point in ROC space lies on the line of the rate r.

    The bounds answer: if new folds of the same sizes and class counts were drawn from
    the ROC curve that the folds share, between which values would their consensus lie?
    That curve is the consensus itself if all folds have one prevalence. If not, a rate
    is another point of the shared curve in each fold, so the folds are laid over each
    other as if each had the prevalence of all (the rate of a cut is then
    :math:`p \cdot tpr_i + (1 - p) fpr_i`), and new folds take the positives and the
    negatives of their own from there. Their counts are moved by what the folds found
    more than the shared curve has them find, so that the bounds lie around the
    consensus even if the folds share no curve; the end that comes nearer to it stays
    behind by up to one case, as counts are whole.

    Folds without an error up to a rate do not show that there is none: to all folds
    together one more positive and one more negative are added, half of each above all
    other cases and half below, unless ``augment=False``. Where new folds would still
    leave the consensus out, as with one positive among many tied cases, the bounds are
    widened to hold it.

    "exact" and "parametric" are theorem 1 of [1]_: case k of a new fold comes from a
    random place, and the cases above it are positive or negative independently. The
    integral over that place is taken by Gauss-Legendre quadrature, to about 1e-8 for
    folds of up to 300 cases and 1e-4 of a probability for longer ones. Then the sum
    over folds is the convolution ("exact", by FFT), or its mean and variance are given
    to a beta distribution on the reachable range ("parametric"; equations 22 to 29).
    Where r n is not whole, the count of a fold is that of the whole cases and a part of
    the last one.

    All but "normal" stay within what is reachable, and all but "normal" and "beta" are
    mirrored when classes are swapped and scores negated, up to that error or that of
    the simulation. The baselines are mirrored if all folds have one prevalence.

    A simultaneous band is made of pointwise bounds of a higher level, the same for all
    rates: the least at which the share ``confidence_level`` of the ``n_resamples``
    drawn sets of folds has its consensus between them at all rates. "exact" looks the
    probabilities up in its law, the bootstraps in the drawn counts themselves, where a
    few extreme ones decide. A beta distribution does not give the first and last counts
    the probabilities that they have, so that "parametric" cannot be chosen.

    A case that is tested in several repeats is one case. The curve pools all folds; the
    bounds are computed for each repeat, as if it were the only one, and averaged: 20
    repeats of 5 folds have about the bounds of 5 folds.

    The bounds treat the folds of a repeat as independent and the curve as given. They
    do not cover that the models of cross-validation share training data, nor another
    data set's prevalence. Pointwise, each holds at its own rate, not for the whole
    curve at once: that leaves exact bounds of 95 % somewhere in a tenth to a half of
    samples.

    Cost: a sort per fold; "exact" and "parametric" one quadrature for each rate and
    each distinct size of folds; "bootstrap" and simultaneous bands ``n_resamples``
    sorts. The time of a quadrature grows in proportion to the distinct scores: at 3
    rates, ten folds of 200,000 cases, each with other numbers of positives, took about
    3 seconds, and 0.1 seconds as tables after ``table.compress(2000)``.

    References
    ----------
    .. [1] Millard, Kull and Flach (2014), Rate-oriented point-wise confidence bounds
       for ROC curves, :doi:`10.1007/978-3-662-44851-9_26`.

    Examples
    --------
    Two folds of five; if two cases of each are processed, three of four positives are
    found:

    >>> from skrate import rate_averaged_roc_curve
    >>> y_trues = [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0]]
    >>> y_scores = [
    ...     [0.9, 0.8, 0.4, 0.3, 0.1],
    ...     [0.7, 0.6, 0.5, 0.2, 0.1],
    ... ]
    >>> curve = rate_averaged_roc_curve(y_trues, y_scores)
    >>> curve.rates.tolist()[2], curve.tpr.tolist()[2]
    (0.4, 0.75)

    How much must be read to find half of the positives, and how sure is it? Of four
    positives it may be everything:

    >>> rate = curve.rate_at_recall(0.5)
    >>> low, high = rate.confidence_interval
    >>> round(rate.value, 3), round(low, 3), round(high, 3)
    (0.2, 0.2, 1.0)
    """
    if bounds is not None:
        bounds = check_choice("bounds", bounds, METHODS)
    band = check_choice("band", band, BANDS)
    level = check_fraction("confidence_level", confidence_level)
    n_resamples = check_count("n_resamples", n_resamples)
    generator = check_generator(random_state)
    steps = None if rates is None else check_rates("rates", rates)
    folds = check_folds(y_trues, y_scores, sample_weight, pos_label, repeats=repeats)
    added = int(check_flag("augment", augment))
    folds = folds if folds.added == added else replace(folds, added=added)
    _check_method(folds, bounds)
    _check_band(bounds, band)
    if steps is None:
        steps = default_rates(folds.tables, has_weights=folds.has_weights)

    def of_new_folds(repeat: Folds) -> tuple[FloatArray, FloatArray]:
        if bounds in ANALYTIC and band == "pointwise":
            analytic = ANALYTIC[bounds]
            return analytic(repeat, steps, level, n_jobs=n_jobs, verbose=verbose)
        drawn = bootstrap_counts(
            repeat,
            steps,
            n_resamples,
            generator,
            is_adjusted=bounds == "bootstrap-adjusted",
            n_jobs=n_jobs,
            verbose=verbose,
        )
        if bounds == "exact":
            return exact_band(
                repeat, steps, level, drawn, n_jobs=n_jobs, verbose=verbose
            )
        return (central_range if band == "pointwise" else whole_range)(drawn, level)

    def counts_of(repeat: Folds) -> tuple[FloatArray, FloatArray]:
        if bounds in BASELINES:
            counts = BASELINES[bounds](repeat, steps, level)
            return holding_consensus(repeat, steps, *counts)
        counts = moved_to_consensus(repeat, steps, *of_new_folds(repeat))
        return rising(repeat, steps, *holding_consensus(repeat, steps, *counts))

    counts = None
    if bounds is not None:
        counts = _over_repeats(folds, counts_of)
    return consensus_curve(folds, steps, counts, bounds, band, level)


def _over_repeats(
    folds: Folds, counts_of: Callable[[Folds], tuple[FloatArray, FloatArray]]
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the count of all folds, from those of each repeat.

    The bounds of all are the sums of the bounds, hence the mean where counts are
    divided by all positives: repeats are taken to err together, as they test the same
    cases, and one more repeat makes nothing narrower.
    """
    each = [counts_of(repeat) for repeat in folds.by_repeat]
    lower, upper = (np.sum(side, axis=0) for side in zip(*each, strict=True))
    return lower, upper


def check_rates(name: str, values: Any) -> FloatArray:
    """Return ``values`` as increasing rates in [0, 1]."""
    rates = np.array(check_scores(name, values), dtype=np.float64)
    if rates.min() < 0 or rates.max() > 1:
        outside = rates[(rates < 0) | (rates > 1)][0]
        raise ValueError(f"{name} must lie in [0, 1], found {outside:g}.")
    is_low = np.diff(rates) <= 0
    if is_low.any():
        where = int(np.argmax(is_low))
        raise ValueError(
            f"{name} must increase, found {rates[where + 1]:g} after "
            f"{rates[where]:g}: pass numpy.unique({name})."
        )
    return rates


def check_folds(
    y_trues: FoldsLike,
    y_scores: ArraysByFold | None = None,
    sample_weight: ArraysByFold | None = None,
    pos_label: Label = None,
    *,
    repeats: Repeats = None,
) -> Folds:
    """Return the folds that hold both classes, and warn of the others."""
    by_fold: dict[str, Any] = {"y_scores": y_scores, "sample_weight": sample_weight}
    if isinstance(y_trues, Folds):
        others = by_fold | {"pos_label": pos_label, "repeats": repeats}
        for name, value in others.items():
            if value is not None:
                raise ValueError(f"{name} is part of the folds: leave it out.")
        return y_trues
    if isinstance(y_trues, FoldRankings):
        others = {**by_fold, "pos_label": pos_label, "repeats": repeats}
        check_alone(y_trues, "y_trues", **others)
        found = folds_of_rankings(y_trues)
        return folds_of(
            list(found.tables), found.has_weights, found.pos_label, found.repeats
        )
    tables = _given_tables(y_trues)
    if tables is not None:
        check_alone(tables[0], "y_trues", **by_fold, pos_label=pos_label)
        has_weights = any(table.n_cases is None for table in tables)
        return folds_of(tables, has_weights, pos_label, repeats)
    labels = _sequence("y_trues", y_trues)
    for name, value in by_fold.items():
        if name == "y_scores" or value is not None:
            by_fold[name] = _sequence(name, value)
            _check_as_many(name, by_fold[name], labels)
    weights = by_fold["sample_weight"] or [None] * len(labels)
    cases = zip(labels, by_fold["y_scores"], weights, strict=True)
    return folds_of(*fold_tables(list(cases), pos_label), pos_label, repeats)


def folds_of_rankings(rankings: FoldRankings) -> Folds:
    """Return all folds, those of one class as well, which have no ROC curve."""
    tables, has_weights = fold_tables(list(rankings), None)
    return Folds(
        tuple(tables), has_weights, tuple(rankings.repeats.tolist()), rankings.pos_label
    )


def folds_of(
    tables: list[RankTable], has_weights: bool, pos_label: Label, repeats: Repeats
) -> Folds:
    """Return the folds that hold both classes, and warn of the others."""
    numbers = check_repeats("repeats", repeats, len(tables)).tolist()
    kept = [i for i, t in enumerate(tables) if t.n_pos > 0 and t.n_neg > 0]
    if not kept:
        raise ValueError(
            f"None of the {len(tables)} folds holds both classes: a ROC curve needs "
            "positives and negatives. Use stratified or fewer folds."
        )
    if len(kept) < len(tables):
        warnings.warn(
            f"{len(tables) - len(kept)} of {len(tables)} folds hold one class "
            "only and are left out of the consensus curve.",
            UndefinedMetricWarning,
            stacklevel=4,
        )
    return Folds(
        tuple(tables[i] for i in kept),
        has_weights,
        tuple(numbers[i] for i in kept),
        pos_label,
    )


def _given_tables(folds: Any) -> list[RankTable] | None:
    """Return the tables that are given, one for each fold; None if none is."""
    if not isinstance(folds, list | tuple):
        return None
    tables = [fold for fold in folds if isinstance(fold, RankTable)]
    if 0 < len(tables) < len(folds):
        raise ValueError(
            "y_trues must hold the labels of every fold, or a RankTable of every fold: "
            f"of {len(folds)} folds {len(tables)} are tables."
        )
    return tables or None


def fold_tables(
    cases: Sequence[FoldCases], pos_label: Label
) -> tuple[list[RankTable], bool]:
    """Return the tables of (labels, scores, weights or None), and if weights differ."""
    weights = _check_fold_weights(cases)
    tables = []
    for i, ((y_true, y_score, _), weight) in enumerate(
        zip(cases, weights, strict=True)
    ):
        try:
            tables.append(_table(y_true, y_score, weight, pos_label))
        except ValueError as error:
            raise ValueError(f"Fold {i}: {error}") from None
    differ = any(w is not None and not set(w) <= {0.0, 1.0} for w in weights)
    return tables, differ


def _sequence(name: str, values: Any) -> list[Any]:
    """Return a non-empty list of what is given for each fold."""
    is_sequence = isinstance(values, Sequence) and not isinstance(values, str | bytes)
    if isinstance(values, np.ndarray):
        is_sequence = values.ndim > 0
    if not is_sequence or any(np.ndim(value) == 0 for value in values):
        raise ValueError(
            f"{name} must be a sequence with one array for each fold; found "
            f"{type(values).__name__}. Pass [{name.removesuffix('s')}] for one fold."
        )
    if len(values) == 0:
        raise ValueError(f"{name} is empty: at least one fold is needed.")
    return list(values)


def _check_as_many(name: str, found: list[Any], labels: list[Any]) -> None:
    if len(found) != len(labels):
        raise ValueError(
            f"{name} must hold as many arrays as y_trues, one for each fold: found "
            f"{len(found)} and {len(labels)}."
        )


def _check_fold_weights(cases: Sequence[FoldCases]) -> Sequence[FloatArray | None]:
    """Return the weights by fold on a scale on which those that are equal are 1."""
    if cases[0][2] is None:
        return [None] * len(cases)
    weights = []
    for i, (y_true, _, values) in enumerate(cases):
        try:
            weights.append(check_weights("sample_weight", values))
            check_equal_length(y_true=as_numpy(y_true), sample_weight=weights[-1])
        except ValueError as error:
            raise ValueError(f"Fold {i}: {error}") from None
    used = np.concatenate([fold[fold > 0] for fold in weights])
    if used.min() < used.max():
        return weights
    return [(fold > 0).astype(np.float64) for fold in weights]


def _table(
    y_true: ArrayLike, y_score: ArrayLike, weights: FloatArray | None, pos_label: Label
) -> RankTable:
    """Return the table of a fold, on the scale of its weights."""
    if weights is None:
        return rank_table(y_true, y_score, None, pos_label)
    # Where the weights are.
    y_true, y_score = brought(y_true), brought(y_score)
    table = rank_table(y_true, y_score, weights, pos_label)
    # Weights that are equal within the fold were dropped; other folds have others.
    scale = weights.sum() / table.total
    return RankTable(table.pos * scale, table.neg * scale)


def _check_method(folds: Folds, bounds: str | None) -> None:
    if folds.has_weights and bounds not in {*BASELINES, None}:
        raise ValueError(
            f"bounds={bounds!r} takes no sample_weight, and no RankTable whose weights "
            "are not whole: it is the law of a number of cases, which weights do not "
            "have. Use bounds='normal', 'beta' or None."
        )
    if bounds in BASELINES and min(len(r.tables) for r in folds.by_repeat) < 2:
        where = "" if len(folds.by_repeat) == 1 else " in a repeat"
        raise ValueError(
            f"bounds={bounds!r} needs at least two folds with both classes, found "
            f"one{where}: it is the spread over folds that share no case. Use "
            "bounds='exact'."
        )


def _check_band(bounds: str | None, band: Band) -> None:
    if band == "simultaneous" and bounds not in WHOLE:
        raise ValueError(
            f"bounds={bounds!r} makes no simultaneous band. Use bounds='exact', "
            "'bootstrap' or 'bootstrap-adjusted'."
        )


def default_rates(tables: Sequence[RankTable], *, has_weights: bool) -> FloatArray:
    """Return rates from 0 to 1 that show a curve over them as it is."""
    sizes = {table.total for table in tables}
    n_steps = _MAX_STEPS
    if len(sizes) == 1 and not has_weights:
        n_steps = min(round(sizes.pop()), _MAX_STEPS)
    steps = np.arange(n_steps + 1) / n_steps
    # A rare class is ranked within a few of these steps: there they are divided.
    prevalence = Folds(tuple(tables)).prevalence
    rare = min(prevalence, 1 - prevalence)
    if n_steps < _MAX_STEPS or rare * n_steps >= _FEW_STEPS:
        return steps
    finer = rare * np.arange(_FINER_STEPS + 1) / _STEPS_TO_RARE
    is_of_pos = prevalence < 0.5
    return np.union1d(steps, finer if is_of_pos else 1 - finer)
