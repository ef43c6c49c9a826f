"""Draw the ROC curve of several folds, averaged at equal rate, with its bounds."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn import get_config
from sklearn.model_selection import cross_validate

from skrate.core.arrays import ArrayLike, ArraysByFold, Label, RandomState
from skrate.core.elicitation import check_rate
from skrate.core.grouping import check_groups
from skrate.core.rates import RateLike
from skrate.core.repeats import Repeats, check_repeats, disjoint_repeats
from skrate.core.validation import check_choice, check_flag, check_scores
from skrate.curves.consensus_curve import ConsensusCurve
from skrate.curves.rate_averaged import (
    Band,
    Bounds,
    FoldsLike,
    fold_tables,
    folds_of,
    rate_averaged_roc_curve,
)
from skrate.displays._drawing import (
    FoldsDisplay,
    import_pyplot,
    mean_and_spread,
    styled,
)
from skrate.displays.rate_spaces import (
    BUDGET_STYLE,
    SPACES,
    Plane,
    Space,
    name_budget,
)
from skrate.model_selection.responses import Response

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ISOMETRICS = np.arange(1, 10) / 10
_LIMITS = (-0.01, 1.01)


class RateAveragedROC(FoldsDisplay):
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
    To see both, draw the pointwise ones on the same axis. In the ROC plane a rate is a
    falling line, in the two other spaces a vertical one. The legend carries the rAUC of
    the consensus and its standard deviation over folds.

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
    >>> display = RateAveragedROC.from_cross_validation(GaussianNB(), X, y, cv=5)
    >>> display.line_.get_label()
    'GaussianNB (AUC = 0.99 ± 0.01)'
    >>> recall = display.curve.recall_at_rate(0.6)
    >>> low, high = recall.confidence_interval
    >>> round(recall.value, 2), round(low, 2), round(high, 2)
    (0.93, 0.92, 0.95)
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
    def from_cross_validation(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        cv: Any = None,
        groups: ArrayLike | None = None,
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
        groups : array-like of shape (n_samples,), default=None
            Groups of cases, for a splitter that keeps them together; with metadata
            routing or without.
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
            If ``groups`` stands in ``params``, too, or the input is invalid.

        Warns
        -----
        UndefinedMetricWarning
            If a fold is left out, as its test cases or its training cases hold one
            class only.
        """
        import_pyplot(cls.__name__)
        params = dict(params or {})
        if groups is not None:
            # The same groups as codes, checked: splitters differ in what they refuse.
            groups = check_groups("groups", groups).codes
        if groups is not None and get_config()["enable_metadata_routing"]:
            if "groups" in params:
                raise ValueError("groups is given twice: as groups and in params.")
            params["groups"], groups = groups, None
        cv_results = cross_validate(
            estimator,
            X,
            y,
            groups=groups,
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
        **plot_kwargs: Any,
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
            As in :func:`rate_averaged_roc_curve`, as are the three below and
            ``repeats``.
        n_resamples, random_state, n_jobs : object
            See there.
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

    def _start(self, ax: "Axes | None") -> None:
        super()._start(ax)
        self.reachable_: list[Any] = []
        self.isometrics_: list[Any] = []
        self.rate_: list[Any] = []
        self.fold_lines_: list[Any] = []
        self.bounds_: Any = None
        self.chance_level_: Any = None

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        space: Plane = "roc",
        name: str | None = None,
        rate: RateLike | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        bounds_kwargs: dict[str, Any] | None = None,
        plot_folds: bool = False,
        fold_kwargs: dict[str, Any] | None = None,
        plot_reachable: bool = True,
        reachable_kwargs: dict[str, Any] | None = None,
        plot_isometrics: bool | ArrayLike = False,
        isometrics_kwargs: dict[str, Any] | None = None,
        plot_rate: bool = False,
        rate_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve with its bounds.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        space : str, default="roc"
            What stands on the axes: tpr against fpr with "roc"; against the rate the
            recall with "rate-recall", that of the negatives (the share of them that is
            spared) with "rate-negative-recall", the accuracy with "rate-accuracy".
        name : str, default=None
            Name for the legend; None takes that of the display.
        rate : "uniform", float or distribution, default=None
            The share that will be processed; None takes that of the display.
        curve_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for the consensus curve.
        bounds_kwargs : dict, default=None
            Passed to matplotlib's ``fill`` for the area between the bounds.
        plot_folds : bool, default=False
            Whether to draw the curve of each fold.
        fold_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for them.
        plot_reachable : bool, default=True
            Whether to draw the borders of what a ranking can reach, in grey.
        reachable_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for them.
        plot_isometrics : bool or array-like of shape (n_rates,), default=False
            Whether to draw lines of equal rate, and at which rates; True takes every
            tenth.
        isometrics_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for them.
        plot_rate : bool, default=False
            Whether to draw where ``rate`` is likely: its density along the rate axis,
            a shade in the ROC plane, and stems for rates with a probability of
            their own.
        rate_kwargs : dict, default=None
            Passed to matplotlib for it.
        plot_chance_level : bool, default=False
            Whether to draw the curve of random scores.
        chance_level_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : RateAveragedROC
            The display itself.

        Raises
        ------
        ValueError
            If ``space`` or ``rate`` is none of the choices, an isometric lies outside
            [0, 1], or ``plot_rate`` is set without a ``rate``.
        """
        plane = Space(check_choice("space", space, SPACES), self.curve.prevalence)
        rate = self.rate if rate is None else rate
        check_flag("plot_folds", plot_folds)
        check_flag("plot_reachable", plot_reachable)
        check_flag("plot_rate", plot_rate)
        check_flag("plot_chance_level", plot_chance_level)
        check_flag("despine", despine)
        if plot_rate and rate is None:
            raise ValueError("plot_rate=True needs a rate: pass rate=.")
        isometrics = _check_isometrics(plot_isometrics)
        label = self._entry(name, self._summary(rate))
        self._start(ax)
        if plot_rate:
            style = styled(rate_kwargs, **BUDGET_STYLE)
            self.rate_ = plane.draw_rate(self.ax_, check_rate(rate), style)
            name_budget(self.ax_, self.rate_, style)
        if plot_reachable:
            self.reachable_ = [
                self._line(*border, reachable_kwargs, color="0.6", linewidth=1)
                for border in (plane.worst, plane.perfect)
            ]
        style = {"color": "0.8", "linewidth": 0.5}
        self.isometrics_ = [
            self._line(*plane.isometric(r), isometrics_kwargs, **style)
            for r in isometrics
        ]
        if plot_chance_level:
            style = {"color": "k", "linestyle": "--", "label": "Random"}
            self.chance_level_ = self._line(*plane.chance, chance_level_kwargs, **style)
        points = plane.points(self.curve.rates, self.curve.tpr)
        self.line_ = self._line(*points, curve_kwargs, label=label)
        if plot_folds:
            self._draw_folds(plane, fold_kwargs)
        self._draw_bounds(plane, bounds_kwargs)
        is_roc = plane.name == "roc"
        self.ax_.set(xlim=_LIMITS, ylim=_LIMITS)
        if is_roc:
            self.ax_.set_aspect("equal")
        # Along a rate axis no corner is free for certain.
        self._finish(*plane.labels, despine, loc="lower right" if is_roc else "best")
        return self

    def _summary(self, rate: RateLike | None) -> str:
        """Return the rAUC and its spread over folds, for the legend."""
        metric = "AUC" if rate is None else "rAUC"
        rate = "uniform" if rate is None else rate
        value = self.curve.rate_weighted_auc(rate)
        by_fold = self.curve.fold_rate_weighted_auc(rate)
        return f"{metric} = {mean_and_spread(by_fold, value)}"

    def _draw_folds(self, plane: Space, given: dict[str, Any] | None) -> None:
        curve, color = self.curve, self.line_.get_color()
        for table, tpr in zip(curve.folds.tables, curve.fold_tpr, strict=True):
            # Each on the isometrics of its own prevalence, as the consensus on its own.
            points = Space(plane.name, table.prevalence).points(curve.rates, tpr)
            line = self._line(*points, given, color=color, alpha=0.3, linewidth=0.8)
            self.fold_lines_.append(line)

    def _draw_bounds(self, plane: Space, given: dict[str, Any] | None) -> None:
        curve = self.curve
        if curve.confidence_interval is None:
            return
        lower, upper = (
            plane.points(curve.rates, bound.tpr) for bound in curve.confidence_interval
        )
        x, y = (np.append(a, b[::-1]) for a, b in zip(lower, upper, strict=True))
        kind = "band" if curve.band == "simultaneous" else "bounds"
        label = f"{100 * curve.confidence_level:g} % {kind}"
        # One entry for the bounds of all models.
        if label in self.ax_.get_legend_handles_labels()[1]:
            label = "_" + label
        color = self.line_.get_color()
        style = styled(given, color=color, alpha=0.2, linewidth=0, label=label)
        (self.bounds_,) = self.ax_.fill(x, y, **style)


def _check_isometrics(value: bool | ArrayLike) -> Any:
    """Return the rates of the isometrics."""
    if isinstance(value, bool | np.bool_):
        return _ISOMETRICS if value else []
    rates = check_scores("plot_isometrics", np.atleast_1d(value))
    if rates.min() < 0 or rates.max() > 1:
        raise ValueError(f"plot_isometrics must lie in [0, 1], got {value!r}.")
    return rates


def _no_score(estimator: Any, X: Any, y: Any) -> float:
    """Return nothing of use: the folds are scored together later."""
    return 0.0
