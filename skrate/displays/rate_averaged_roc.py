"""Draw the ROC curve of several folds, averaged at equal rate, with its bounds."""

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.model_selection import cross_validate

from skrate.core.elicitation import check_rate
from skrate.core.grouping import check_groups
from skrate.core.repeats import check_repeats, disjoint_repeats
from skrate.core.validation import check_choice, check_scores
from skrate.curves.consensus_curve import ConsensusCurve
from skrate.curves.rate_averaged import Bounds, rate_averaged_roc_curve
from skrate.displays.pyplot import import_pyplot
from skrate.displays.rate_spaces import SPACES, Plane, Space
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    check_fitted,
    fold_responses,
    ranking_scores,
)

_ISOMETRICS = np.arange(1, 10) / 10


class RateAveragedROC:
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
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The consensus curve.
    bounds_ : matplotlib Polygon or None
        The area between the bounds.
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
    The bounds are pointwise: each holds at its own rate. In the ROC plane a rate is a
    falling line, in the two other spaces a vertical one. The legend carries the rAUC of
    the consensus and its standard deviation over folds.

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
    >>> round(recall.value, 2), round(recall.low, 2), round(recall.high, 2)
    (0.93, 0.92, 0.95)
    """

    def __init__(
        self,
        curve: ConsensusCurve,
        *,
        name: str | None = None,
        rate: Any = None,
        pos_label: Any = None,
    ) -> None:
        self.curve = curve
        self.name = name
        self.rate = rate
        self.pos_label = pos_label

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        response_method: Any = DEFAULT_RESPONSE,
        pos_label: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> "RateAveragedROC":
        """Draw the curve of a fitted model, as it is, on cases that are given.

        Parameters
        ----------
        estimator : estimator instance
            A fitted binary classifier, or a pipeline that ends in one. To fit it on
            folds, use :meth:`from_cross_validation`.
        X : array-like of shape (n_samples, n_features)
            The cases, which it was not trained on.
        y : array-like of shape (n_samples,)
            True labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Relative weights of the cases; for ``bounds=None`` only.
        response_method : str or tuple of str
            Methods that give scores, the first that the estimator has is used;
            "decision_function", then "predict_proba" by default. Pass "predict" for
            regressors and rankers.
        pos_label : int, float, bool or str, default=None
            The positive label. None takes 1 of {0, 1} and {-1, 1}, True of booleans,
            and of other labels the second, with a warning that names it.
        name : str, default=None
            Name for the legend; None takes that of the class.
        **kwargs : dict
            Passed to :meth:`from_predictions`.

        Returns
        -------
        display : RateAveragedROC
            The display, drawn: the curve of one ranking, with the bounds of one fold.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If it was fitted on one class, or more than two, or the input is invalid.
        """
        check_fitted(estimator)
        y_score, label = ranking_scores(
            estimator, X, y, response_method, pos_label, user=cls.__name__
        )
        return cls.from_predictions(
            [y],
            [y_score],
            sample_weight=None if sample_weight is None else [sample_weight],
            pos_label=label,
            name=type(estimator).__name__ if name is None else name,
            **kwargs,
        )

    @classmethod
    def from_cross_validation(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        cv: Any = None,
        groups: Any = None,
        params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        name: str | None = None,
        **kwargs: Any,
    ) -> "RateAveragedROC":
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
            ``sample_weight``, ``bounds``, ``ax`` and so on.

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
    def from_cv_results(
        cls,
        cv_results: dict[str, Any],
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        response_method: Any = DEFAULT_RESPONSE,
        pos_label: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> "RateAveragedROC":
        """Draw the consensus over the test folds of a cross-validation.

        Cross-validation may be repeated, and random splits may overlap: folds in a row
        whose test sets share no case are one repeat, and the bounds are those of one
        repeat, averaged over repeats. More repeats make them steadier, not narrower.

        Parameters
        ----------
        cv_results : dict
            What ``cross_validate`` returned with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            The cases that were cross-validated.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Relative weights of the cases in the curves; for ``bounds`` "normal",
            "beta" and None only.
        response_method : str or tuple of str
            Methods that give scores, the first that the estimator has is used;
            "decision_function", then "predict_proba" by default. Pass "predict" for
            regressors and rankers.
        pos_label : int, float, bool or str, default=None
            The positive label of all folds. None takes 1 of {0, 1} and {-1, 1}, True of
            booleans, and of other labels the second of ``y``, with a warning that names
            it.
        name : str, default=None
            Name for the legend; None takes that of the estimators' class.
        **kwargs : dict
            Passed to :meth:`from_predictions`.

        Returns
        -------
        display : RateAveragedROC
            The display, drawn.

        Warns
        -----
        UndefinedMetricWarning
            If a fold is left out, as its test cases or its training cases hold one
            class only.
        """
        responses = fold_responses(
            cv_results,
            X,
            y,
            sample_weight=sample_weight,
            response_method=response_method,
            pos_label=pos_label,
            user=cls.__name__,
        )
        tests = cv_results["indices"]["test"]
        repeats = kwargs.pop("repeats", None)
        repeats = disjoint_repeats(tests) if repeats is None else repeats
        repeats = check_repeats("repeats", repeats, len(tests))
        if name is None:
            name = type(cv_results["estimator"][0]).__name__
        return cls.from_predictions(
            [response.y_true for response in responses],
            [response.y_score for response in responses],
            sample_weight=None
            if sample_weight is None
            else [response.sample_weight for response in responses],
            pos_label=responses[0].pos_label,
            name=name,
            repeats=[repeats[response.fold] for response in responses],
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_trues: Any,
        y_scores: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        repeats: Any = None,
        rates: Any = None,
        bounds: Bounds | None = "exact",
        confidence_level: float = 0.95,
        n_resamples: int = 2000,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        name: str | None = None,
        rate: Any = None,
        **plot_kwargs: Any,
    ) -> "RateAveragedROC":
        """Draw the consensus of labels and scores that are given by fold.

        Parameters
        ----------
        y_trues, y_scores : sequence of array-like of shape (n_samples,)
            True labels and scores, an array for each fold.
        sample_weight : sequence of array-like of shape (n_samples,), default=None
            Relative weights of the cases, for ``bounds`` "normal", "beta" and None.
        pos_label : int, float, bool or str, default=None
            The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
        repeats : int or array-like of shape (n_folds,), default=None
            Which folds belong to one repeat of the cross-validation. This and the seven
            below as in :func:`rate_averaged_roc_curve`.
        rates : array-like of shape (n_rates,), default=None
            Rates at which to average.
        bounds : str or None, default="exact"
            Method of the bounds.
        confidence_level : float, default=0.95
            Probability between the bounds.
        n_resamples : int, default=2000
            Number of sets of folds that a bootstrap draws.
        random_state : int, Generator, RandomState or None, default=None
            Randomness of a bootstrap.
        n_jobs : int, default=None
            Number of threads.
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
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        display = cls(curve, name=name, rate=rate, pos_label=pos_label)
        return display.plot(**plot_kwargs)

    def _start(self, ax: Any) -> None:
        """Take the axes, and let go of what was drawn before."""
        self.ax_ = ax
        self.figure_ = ax.figure
        self.reachable_: list[Any] = []
        self.isometrics_: list[Any] = []
        self.rate_: list[Any] = []
        self.fold_lines_: list[Any] = []
        self.bounds_: Any = None
        self.chance_level_: Any = None

    def plot(
        self,
        ax: Any = None,
        *,
        space: Plane = "roc",
        name: str | None = None,
        rate: Any = None,
        curve_kwargs: dict[str, Any] | None = None,
        bounds_kwargs: dict[str, Any] | None = None,
        plot_folds: bool = False,
        fold_kwargs: dict[str, Any] | None = None,
        plot_reachable: bool = True,
        reachable_kwargs: dict[str, Any] | None = None,
        plot_isometrics: Any = False,
        isometrics_kwargs: dict[str, Any] | None = None,
        plot_rate: bool = False,
        rate_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> "RateAveragedROC":
        """Draw the curve with its bounds.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        space : {"roc", "rate-recall", "rate-accuracy"}, default="roc"
            What stands on the axes: tpr against fpr, or recall or accuracy against the
            rate.
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
        plt = import_pyplot(type(self).__name__)
        plane = Space(check_choice("space", space, SPACES), self.curve.prevalence)
        rate = self.rate if rate is None else rate
        if plot_rate and rate is None:
            raise ValueError("plot_rate=True needs a rate: pass rate=.")
        isometrics = _check_isometrics(plot_isometrics)
        label = self._label(self.name if name is None else name, rate)
        self._start(plt.subplots()[1] if ax is None else ax)
        if plot_rate:
            style = {"color": "0.5", "alpha": 0.25} | (rate_kwargs or {})
            self.rate_ = plane.draw_rate(self.ax_, check_rate(rate), style)
        if plot_reachable:
            self._draw_reachable(plane, reachable_kwargs or {})
        style = {"color": "0.8", "linewidth": 0.5} | (isometrics_kwargs or {})
        lines = [plane.isometric(rate) for rate in isometrics]
        self.isometrics_ = [self._draw(*line, style) for line in lines]
        if plot_chance_level:
            self._draw_chance_level(plane, chance_level_kwargs or {})
        self._draw_curve(plane, {"label": label} | (curve_kwargs or {}))
        if plot_folds:
            self._draw_folds(plane, fold_kwargs or {})
        self._draw_bounds(plane, bounds_kwargs or {})
        self._finish(plane, despine)
        return self

    def _label(self, name: str | None, rate: Any) -> str:
        """Return the entry of the legend: name, rAUC and its spread over folds."""
        metric = "AUC" if rate is None else "rAUC"
        rate = "uniform" if rate is None else rate
        value = self.curve.rate_weighted_auc(rate)
        text = f"{metric} = {value:.2f}"
        if self.curve.n_folds > 1:
            text += f" ± {np.std(self.curve.fold_rate_weighted_auc(rate)):.2f}"
        return text if name is None else f"{name} ({text})"

    def _draw_reachable(self, plane: Space, style: dict[str, Any]) -> None:
        style = {"color": "0.6", "linewidth": 1} | style
        borders = (plane.worst, plane.perfect)
        self.reachable_ = [self._draw(*line, style) for line in borders]

    def _draw_chance_level(self, plane: Space, style: dict[str, Any]) -> None:
        style = {"color": "k", "linestyle": "--", "label": "Random"} | style
        self.chance_level_ = self._draw(*plane.chance, style)

    def _draw_curve(self, plane: Space, style: dict[str, Any]) -> None:
        curve = self.curve
        self.line_ = self._draw(*plane.points(curve.rates, curve.tpr), style)

    def _draw_folds(self, plane: Space, style: dict[str, Any]) -> None:
        # Each on the isometrics of its own prevalence, as the consensus on its own.
        style = {
            "color": self.line_.get_color(),
            "alpha": 0.3,
            "linewidth": 0.8,
        } | style
        for table, tpr in zip(
            self.curve.folds.tables, self.curve.fold_tpr, strict=True
        ):
            own = Space(plane.name, table.prevalence)
            line = self._draw(*own.points(self.curve.rates, tpr), style)
            self.fold_lines_.append(line)

    def _draw_bounds(self, plane: Space, style: dict[str, Any]) -> None:
        curve = self.curve
        if curve.tpr_lower is None or curve.tpr_upper is None:
            return
        lower = plane.points(curve.rates, curve.tpr_lower)
        upper = plane.points(curve.rates, curve.tpr_upper)
        x, y = (np.append(a, b[::-1]) for a, b in zip(lower, upper, strict=True))
        label = f"{100 * curve.confidence_level:g} % bounds"
        # One entry for the bounds of all models.
        if label in self.ax_.get_legend_handles_labels()[1]:
            label = "_" + label
        color = self.line_.get_color()
        style = {"color": color, "alpha": 0.2, "linewidth": 0, "label": label} | style
        (self.bounds_,) = self.ax_.fill(x, y, **style)

    def _draw(self, x: Any, y: Any, style: dict[str, Any]) -> Any:
        return self.ax_.plot(x, y, **style)[0]

    def _finish(self, plane: Space, despine: bool) -> None:
        xlabel, ylabel = plane.labels
        if self.pos_label is not None:
            ylabel += f" (positive label: {self.pos_label})"
        limits = (-0.01, 1.01)
        self.ax_.set(xlabel=xlabel, ylabel=ylabel, xlim=limits, ylim=limits)
        if plane.name == "roc":
            self.ax_.set_aspect("equal")
        # Along a rate axis no corner is free for certain.
        self.ax_.legend(loc="lower right" if plane.name == "roc" else "best")
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)


def _check_isometrics(value: Any) -> Any:
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
