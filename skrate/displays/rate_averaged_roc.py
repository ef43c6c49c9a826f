"""Draw the ROC curve of several folds, averaged at equal rate, with its bounds."""

from __future__ import annotations

from typing import Any, Self, Unpack

from sklearn import get_config
from sklearn.model_selection import cross_validate

from skrate.curves.consensus_curve import ConsensusCurve
from skrate.curves.rate_averaged import (
    Band,
    Bounds,
    FoldsLike,
    fold_tables,
    folds_of,
    rate_averaged_roc_curve,
)
from skrate.data.arrays import ArrayLike, ArraysByFold, Label, RandomState
from skrate.data.folds import Repeats, check_repeats, disjoint_repeats
from skrate.data.ranking import check_groups
from skrate.displays._consensus_drawing import ConsensusArguments, ConsensusDrawing
from skrate.displays._drawing import import_pyplot
from skrate.displays._signatures import passes_on
from skrate.model_selection.responses import Response
from skrate.rates.laws import RateLike


class RateAveragedROC(ConsensusDrawing):
    """Consensus ROC curve of the folds of a model, averaged at equal rate, with bounds.

    Make it by :meth:`from_cross_validation`, which runs the folds,
    :meth:`from_cv_results` or :meth:`from_predictions`; :meth:`from_estimator` draws
    the one ranking of a fitted model, as the displays of scikit-learn. Several models
    come on one axis by ``ax=``.

    Parameters
    ----------
    curve : ConsensusCurve
        What :func:`rate_averaged_roc_curve` returns.
    name : str, default=None
        Name of the model for the legend.
    rate : "uniform", float or distribution, default=None
        The share that will be processed; the legend carries the rate-weighted AUC
        under it. None gives the AUC.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis; None takes that of the curve.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The consensus curve.
    bounds_ : matplotlib Polygon or None
        The area between the bounds, or the simultaneous band.
    fold_lines_ : list of matplotlib Line2D
        The curves of the folds, if they were asked for.
    reachable_ : list of matplotlib Line2D
        The curves of the worst and of a perfect ranking.
    isometrics_ : list of matplotlib Line2D
        Lines of equal rate, if they were asked for.
    rate_ : list of matplotlib artists
        The density of the rate, if it was asked for.
    chance_level_ : matplotlib Line2D or None
        The curve of random scores.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.

    See Also
    --------
    sklearn.metrics.RocCurveDisplay : The curves of the folds, without consensus.
    rate_averaged_roc_curve : The numbers.

    Notes
    -----
    The bounds are pointwise by default: each holds at its own rate. With
    ``band="simultaneous"`` they are a band for the whole curve, and the legend says so.
    To see both, draw the pointwise ones on the same axis. The legend has one grey entry
    for the bounds of all models, each of which has a line style of its own. It carries
    the rAUC of the consensus and its standard deviation over folds.

    In the ROC plane a rate is a falling line, in the other spaces a vertical one: with
    ``plot_rate=True`` the curves are drawn against it unless ``space="roc"`` is asked
    for. What several models share, the budget and the borders of what can be reached,
    is drawn once.

    Cross-validation may be repeated, and random splits may overlap: of
    ``from_cv_results``, folds in a row whose test sets share no case are one repeat,
    and the bounds are those of one repeat, averaged over repeats. More repeats make
    them steadier, not narrower.

    References
    ----------
    .. [1] Millard, Kull and Flach (2014), Rate-oriented point-wise confidence bounds
       for ROC curves, :doi:`10.1007/978-3-662-44851-9_26`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import RateAveragedROC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> display = RateAveragedROC.from_cross_validation(
    ...     GaussianNB(), X, y, cv=5
    ... )
    >>> display.line_.get_label()
    'GaussianNB (AUC = 0.987 ± 0.008)'
    >>> recall = display.curve.recall_at_rate(0.6)
    >>> low, high = recall.confidence_interval
    >>> round(recall.value, 2), round(low, 2), round(high, 2)
    (0.94, 0.92, 0.95)
    """

    def __init__(
        self,
        curve: ConsensusCurve,
        *,
        name: str | None = None,
        rate: RateLike | None = None,
        pos_label: Label = None,
    ) -> None:
        self.curve = curve
        self.name = name
        self.rate = rate
        self.pos_label = curve.folds.pos_label if pos_label is None else pos_label

    @classmethod
    def _of_scores(
        cls, estimator: Any, X: Any, y: ArrayLike, y_score: ArrayLike, **kwargs: Any
    ) -> Self:
        # One ranking has the bounds of one fold.
        if "sample_weight" in kwargs:
            kwargs["sample_weight"] = [kwargs["sample_weight"]]
        return cls.from_predictions([y], [y_score], **kwargs)

    @classmethod
    @passes_on("from_cv_results")
    def from_cross_validation(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        cv: Any = None,
        clusters: ArrayLike | None = None,
        params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Run the folds of a model, and draw their consensus.

        Parameters
        ----------
        estimator : estimator instance
            A binary classifier, which is cloned and fitted for each fold.
        X : array-like of shape (n_samples, n_features)
            The cases.
        y : array-like of shape (n_samples,)
            True labels of two classes.
        cv : int, cross-validation generator or iterable, default=None
            As in :func:`sklearn.model_selection.cross_validate`; None is five folds.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each case, such as its patient. A splitter such as
            :class:`sklearn.model_selection.GroupKFold` gets them as its ``groups``,
            with metadata routing or without.
        params : dict, default=None
            What ``fit`` is given, such as ``{"sample_weight": weights}``, cut to the
            cases of a fold; with metadata routing, what the estimator or the splitter
            requested. The curves are weighted by ``sample_weight`` only.
        n_jobs : int, default=None
            How many folds are run, and rates computed, at once.
        verbose : int, default=0
            Above 0, the progress of both is reported.
        name : str, default=None
            Name for the legend; None takes that of the class.
        **kwargs : dict
            Passed to :meth:`from_cv_results`: ``pos_label``, ``response_method``,
            ``sample_weight``, ``bounds``, ``band``, ``ax`` and so on.

        Returns
        -------
        display : RateAveragedROC
            The display, drawn.

        Raises
        ------
        ValueError
            If ``params`` holds ``groups`` beside ``clusters``, or the input is
            invalid.

        Warns
        -----
        UndefinedMetricWarning
            If a fold is left out, as its test cases or its training cases hold one
            class only.
        """
        import_pyplot(cls.__name__)
        params = dict(params or {})
        codes = None
        if clusters is not None:
            # The same clusters as codes, checked: splitters differ in what they refuse.
            codes = check_groups("clusters", clusters).codes
        if codes is not None and get_config()["enable_metadata_routing"]:
            if "groups" in params:
                raise ValueError(
                    "clusters is given twice: the splitter gets them as groups, which "
                    "params holds, too."
                )
            params["groups"], codes = codes, None
        cv_results = cross_validate(
            estimator,
            X,
            y,
            groups=codes,
            cv=cv,
            scoring=_no_score,
            n_jobs=n_jobs,
            verbose=verbose,
            params=params,
            return_estimator=True,
            return_indices=True,
            error_score="raise",
        )
        name = type(estimator).__name__ if name is None else name
        kwargs = {"n_jobs": n_jobs, "verbose": verbose, "name": name, **kwargs}
        return cls.from_cv_results(cv_results, X, y, **kwargs)

    @classmethod
    def _of_responses(
        cls, responses: list[Response], tests: list[Any], *, name: str, **kwargs: Any
    ) -> Self:
        repeats = kwargs.pop("repeats", None)
        repeats = disjoint_repeats(tests) if repeats is None else repeats
        repeats = check_repeats("repeats", repeats, len(tests))
        label = responses[0].pos_label
        folds = folds_of(
            *fold_tables([response[:3] for response in responses], label),
            label,
            [repeats[response.fold] for response in responses],
        )
        return cls.from_predictions(folds, name=name, **kwargs)

    @classmethod
    @passes_on("plot")
    def from_predictions(
        cls,
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
        n_resamples: int = 2000,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        name: str | None = None,
        rate: RateLike | None = None,
        **plot_kwargs: Unpack[ConsensusArguments],
    ) -> Self:
        """Draw the consensus of labels and scores that are given by fold.

        Parameters
        ----------
        y_trues : sequence of array-like of shape (n_samples,) or of RankTable
            True labels, an array for each fold; or a table for each, without
            ``y_scores``; or rankings of the folds, a ``FoldRankings``, or the ``folds``
            of a curve, and the four arguments below are left out.
        y_scores : sequence of array-like of shape (n_samples,), default=None
            Scores of the same cases.
        sample_weight : sequence of array-like of shape (n_samples,), default=None
            Relative weights of the cases, for ``bounds`` "normal", "beta" and None.
        pos_label : int, float, bool or str, default=None
            The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
        repeats : int or array-like of shape (n_folds,), default=None
            Which folds belong to one repeat of the cross-validation.
        rates, bounds, band, confidence_level : object
            As :func:`rate_averaged_roc_curve` takes them.
        n_resamples, random_state, n_jobs : object
            As :func:`rate_averaged_roc_curve` takes them.
        verbose : int, default=0
            Above 0, progress is reported.
        name : str, default=None
            Name for the legend.
        rate : "uniform", float or distribution, default=None
            The share that will be processed, for the rAUC in the legend.
        **plot_kwargs : dict
            Passed to :meth:`plot`: ``ax``, ``space`` and so on.

        Returns
        -------
        display : RateAveragedROC
            The display, drawn.
        """
        curve = rate_averaged_roc_curve(
            y_trues,
            y_scores,
            sample_weight=sample_weight,
            pos_label=pos_label,
            repeats=repeats,
            rates=rates,
            bounds=bounds,
            band=band,
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        return cls(curve, name=name, rate=rate).plot(**plot_kwargs)


def _no_score(estimator: Any, X: Any, y: Any) -> float:
    """Return nothing of use: the folds are scored together later."""
    return 0.0
