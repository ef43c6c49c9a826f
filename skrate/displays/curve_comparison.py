"""Draw the difference of two models at every rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrate.curves.rate_averaged import Band
from skrate.data.arrays import ArrayLike, Label, RandomState
from skrate.data.folds import FoldRankings, disjoint_repeats
from skrate.displays._difference_drawing import (
    CurveComparisonArguments,
    DifferenceDrawing,
    check_names,
)
from skrate.displays._signatures import passes_on
from skrate.inference.compare_curves import CurveComparison, compare_curves
from skrate.inference.curve_process import CurveMetric
from skrate.inference.sample import Weights
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    ResponseMethod,
    check_rows,
    fold_responses,
    ranking_scores,
    rows_of,
)
from skrate.rates.laws import RateLike

if TYPE_CHECKING:
    pass


class CurveComparisonDisplay(DifferenceDrawing):
    """Difference of two models at every rate, with its band and who wins where.

    Make it by :meth:`from_predictions`, :meth:`from_estimators` or
    :meth:`from_cv_results`.

    Parameters
    ----------
    comparison : CurveComparison
        What :func:`compare_curves` returns.
    names : tuple of two str, default=None
        Names of the models a and b; None says "a" and "b".
    rate : "uniform", float or distribution, default=None
        The share that will be processed, drawn at the foot.
    n_items : int, default=None
        Number of cases of which that share will be processed: further axes then show
        counts.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The difference, a less b.
    band_ : matplotlib artist
        The area of the band.
    interval_ : matplotlib artist or None
        The area of the intervals at single rates, unless the band is these.
    zero_line_ : matplotlib Line2D
        Where both are equal.
    winning_a_, winning_b_ : list of matplotlib artists
        The rates at which either is better beyond doubt.
    rate_ : list of matplotlib artists
        Where the rate is likely, if it is given.
    count_axes_ : list of matplotlib axes
        The axes in counts, if ``n_items`` is given.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.

    Raises
    ------
    ValueError
        If ``comparison`` is none, or one that is undefined, or ``names`` are not two.

    See Also
    --------
    compare_curves : The numbers.
    RateAveragedROC : The curves themselves, over folds.

    Notes
    -----
    The rates at which a model is better are shaded to the middle between the last of
    them and the next one.

    At the first rates a precision or a lift is that of a few cases, and its band is so
    wide that all else would be a line. The vertical axis of these has the band of rates
    that the budget exceeds with a probability of 0.95, or without ``rate`` of all but
    the first tenth; ``display.ax_.set_ylim`` shows what is cut.

    Examples
    --------
    >>> from skrate import CurveComparisonDisplay
    >>> y_true, a, b = [1, 0, 1, 0, 0], [5, 3, 4, 2, 1], [1, 2, 3, 4, 5]
    >>> display = CurveComparisonDisplay.from_predictions(y_true, a, b)
    >>> display.line_.get_ydata().tolist()
    [0.5, 1.0, 0.5, 0.5]
    """

    def __init__(
        self,
        comparison: CurveComparison,
        *,
        names: Sequence[str] | None = None,
        rate: RateLike | None = None,
        n_items: int | None = None,
        pos_label: Label = None,
    ) -> None:
        if not isinstance(comparison, CurveComparison):
            raise ValueError(
                "comparison must be what compare_curves returns, got "
                f"{type(comparison).__name__}; labels and scores are for "
                "from_predictions."
            )
        if np.isnan(comparison.difference).all():
            raise ValueError(
                "comparison is undefined, as y_true holds fewer than two cases of a "
                "class: there is no difference to draw."
            )
        self.comparison = comparison
        self.names = check_names(names)
        self.rate = rate
        self.n_items = n_items
        self.pos_label = pos_label

    @classmethod
    @passes_on("plot")
    def from_predictions(
        cls,
        y_true: ArrayLike | FoldRankings,
        y_score_a: ArrayLike | FoldRankings,
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
        names: Sequence[str] | None = None,
        rate: RateLike | None = None,
        n_items: int | None = None,
        **plot_kwargs: Unpack[CurveComparisonArguments],
    ) -> Self:
        """Draw the difference of two rankings of the same cases.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or FoldRankings
            True labels of two classes; or the rankings of model a, of all folds.
        y_score_a, y_score_b : array-like of shape (n_samples,)
            Scores of both models; after rankings of model a those of model b alone.
        metric, rates, band, confidence_level, n_resamples, benefit, cost : object
            As :func:`compare_curves` takes them.
        clusters, sample_weight, weights : object
            As :func:`compare_curves` takes them.
        pos_label : int, float, bool or str, default=None
            The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
        random_state : int, Generator or RandomState, default=None
            Source of the draws of the band.
        names : tuple of two str, default=None
            Names of the models for the legend.
        rate : "uniform", float or distribution, default=None
            The share that will be processed.
        n_items : int, default=None
            Number of cases of which that share will be processed.
        **plot_kwargs : dict
            Passed to :meth:`plot`: ``ax`` and so on.

        Returns
        -------
        display : CurveComparisonDisplay
            The display, drawn.
        """
        comparison = compare_curves(
            y_true,
            y_score_a,
            y_score_b,
            metric=metric,
            rates=rates,
            band=band,
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            benefit=benefit,
            cost=cost,
            clusters=clusters,
            sample_weight=sample_weight,
            weights=weights,
            pos_label=pos_label,
            random_state=random_state,
        )
        if isinstance(y_true, FoldRankings):
            pos_label = y_true.pos_label
        display = cls(
            comparison, names=names, rate=rate, n_items=n_items, pos_label=pos_label
        )
        return display.plot(**plot_kwargs)

    @classmethod
    @passes_on("from_predictions")
    def from_estimators(
        cls,
        estimator_a: Any,
        estimator_b: Any,
        X: Any,
        y: ArrayLike,
        *,
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
        names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the difference of two fitted models, as they are, on given cases.

        Parameters
        ----------
        estimator_a, estimator_b : estimator instance
            Fitted binary classifiers, or pipelines that end in one.
        X : array-like of shape (n_samples, n_features)
            The cases, which neither was trained on.
        y : array-like of shape (n_samples,)
            True labels of two classes.
        response_method : str or tuple of str
            Methods that give scores, the first that an estimator has is used;
            "decision_function", then "predict_proba" by default.
        pos_label : int, float, bool or str, default=None
            The positive label. None takes 1 of {0, 1} and {-1, 1}, True of booleans,
            and of other labels the second, with a warning that names it.
        names : tuple of two str, default=None
            Names of the models; None takes those of their classes.
        **kwargs : dict
            Passed to :meth:`from_predictions`, and from there to :meth:`plot`.

        Returns
        -------
        display : CurveComparisonDisplay
            The display, drawn.

        Raises
        ------
        NotFittedError
            If an estimator is not fitted.
        ValueError
            If it was fitted on one class, or more than two, or the input is invalid.
        """
        scores = []
        for estimator in (estimator_a, estimator_b):
            check_is_fitted(estimator)
            y_score, pos_label = ranking_scores(
                estimator, X, y, response_method, pos_label, user=cls.__name__
            )
            scores.append(y_score)
        if names is None:
            names = _names_of(estimator_a, estimator_b)
        return cls.from_predictions(
            y, *scores, pos_label=pos_label, names=names, **kwargs
        )

    @classmethod
    @passes_on("from_predictions")
    def from_cv_results(
        cls,
        cv_results_a: dict[str, Any],
        cv_results_b: dict[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        clusters: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        response_method: ResponseMethod = DEFAULT_RESPONSE,
        pos_label: Label = None,
        names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the difference of two models over the same test folds.

        Parameters
        ----------
        cv_results_a, cv_results_b : dict
            What ``cross_validate`` returned for each model on the same folds, with
            ``return_estimator=True`` and ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            The cases that were cross-validated.
        y : array-like of shape (n_samples,)
            Their labels.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each case. None takes the cases themselves, also where
            folds test them again.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the cases.
        response_method : str or tuple of str
            As in :meth:`from_estimators`.
        pos_label : int, float, bool or str, default=None
            The positive label of all folds, as there.
        names : tuple of two str, default=None
            Names of the models; None takes those of the classes of their estimators.
        **kwargs : dict
            Passed to :meth:`from_predictions`, and from there to :meth:`plot`.

        Returns
        -------
        display : CurveComparisonDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the folds of both models do not test the same cases, or the input is
            invalid.

        Warns
        -----
        UndefinedMetricWarning
            If a fold is left out, as an estimator was trained on one class, or its
            cases are of one class.
        """
        responses = []
        for model, cv_results in (("a", cv_results_a), ("b", cv_results_b)):
            found = fold_responses(
                cv_results,
                X,
                y,
                sample_weight=sample_weight,
                response_method=response_method,
                pos_label=pos_label,
                user=cls.__name__,
                name=f"cv_results_{model}",
            )
            pos_label = found[0].pos_label
            responses.append({response.fold: response for response in found})
        tests = [one["indices"]["test"] for one in (cv_results_a, cv_results_b)]
        _check_same_folds(*tests)
        check_rows(tests[0], clusters=clusters)
        of_a, of_b = responses
        folds = [fold for fold in of_a if fold in of_b]
        if not folds:
            raise ValueError(
                "No fold has estimators of both models that were trained on two "
                "classes. Use stratified or fewer folds."
            )
        if names is None:
            names = _names_of(
                *(one["estimator"][0] for one in (cv_results_a, cv_results_b))
            )
        rows = np.concatenate([tests[0][fold] for fold in folds])
        sizes = [len(tests[0][fold]) for fold in folds]
        given: dict[str, Any] = {"indices": rows, "pos_label": pos_label}
        given["repeats"] = disjoint_repeats(tests[0])[folds]
        if sample_weight is not None:
            given["sample_weight"] = np.concatenate(
                [of_a[fold].sample_weight for fold in folds]
            )
        if clusters is not None:
            given["clusters"] = rows_of(clusters, rows)
        a, b = (
            FoldRankings(
                np.concatenate([of_a[fold].y_true for fold in folds]),
                np.concatenate([response[fold].y_score for fold in folds]),
                np.repeat(np.arange(len(folds)), sizes),
                **given,
            )
            for response in responses
        )
        return cls.from_predictions(a, b, names=names, **kwargs)


def _names_of(estimator_a: Any, estimator_b: Any) -> tuple[str, str]:
    """Return the names of two classes, told apart if they are one."""
    first, second = type(estimator_a).__name__, type(estimator_b).__name__
    return (f"{first} a", f"{second} b") if first == second else (first, second)


def _check_same_folds(of_a: Sequence[ArrayLike], of_b: Sequence[ArrayLike]) -> None:
    """Raise where the folds of two models do not test the same cases."""
    if len(of_a) != len(of_b):
        raise ValueError(
            f"cv_results_a has {len(of_a)} folds and cv_results_b {len(of_b)}: pass "
            "cross_validate the same splits for both, as cv=list(splitter.split(X, y))."
        )
    for i, (first, second) in enumerate(zip(of_a, of_b, strict=True)):
        if not np.array_equal(first, second):
            raise ValueError(
                f"Fold {i} of cv_results_b tests other cases than that of "
                "cv_results_a: pass cross_validate the same splits for both, as "
                "cv=list(splitter.split(X, y))."
            )
