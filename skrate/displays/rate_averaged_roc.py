"""Draw the ROC curve of several folds, averaged at equal rate, with its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn import get_config
from sklearn.model_selection import cross_validate

from skrate.curves.consensus import (
    AVERAGES,
    Average,
    Band,
    Bounds,
    ConsensusCurve,
    CurveBound,
    rate_averaged_roc_curve,
)
from skrate.curves.fold_tables import FoldsLike
from skrate.data.arrays import ArrayLike, ArraysByFold, FloatArray, Label, RandomState
from skrate.data.checks import check_choice, check_fractions
from skrate.data.folds import FoldRankings, Repeats
from skrate.data.ranking import check_groups
from skrate.displays.drawing import (
    BUDGET_ALPHA,
    BUDGET_COLOR,
    Axes,
    FoldsDisplay,
    Options,
    Outlines,
    draw_rate,
    import_pyplot,
    mean_and_spread,
)
from skrate.model_selection.cross_validation import find_splitter
from skrate.rates.distributions import RateLike, check_rate

# Horizontal and vertical positions, or rates and recalls.
_Curve: TypeAlias = tuple[FloatArray, FloatArray]
Plane = Literal["roc", "rate-recall"]
# Labels of both axes.
LABELS: dict[Plane, tuple[str, str]] = {
    "roc": ("False positive rate", "True positive rate"),
    "rate-recall": ("Rate", "Recall"),
}
# Limits of an axis from 0 to 1.
WHOLE = (-0.01, 1.01)


@dataclass(frozen=True)
class Space:
    """A plane for drawing points (rate, tpr) of curves with one prevalence."""

    name: Plane
    prevalence: float

    def points(self, rates: ArrayLike, tpr: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the horizontal and vertical positions of points (rate, tpr)."""
        rates, tpr = np.asarray(rates, dtype=np.float64), np.asarray(tpr)
        if self.name == "rate-recall":
            return rates, tpr
        return (rates - self.prevalence * tpr) / (1 - self.prevalence), tpr

    def isometric(self, rate: float) -> tuple[FloatArray, FloatArray]:
        """Return the line of all possible points at a rate."""
        p = self.prevalence
        low, high = max(0.0, (rate - (1 - p)) / p), min(1.0, rate / p)
        return self.points([rate, rate], [low, high])

    def draw_budget(self, ax: Axes, shape: Outlines) -> list[Any]:
        """Shade the ROC plane by the density of the rate, and draw stems."""
        from matplotlib.colors import to_rgb

        artists: list[Any] = []
        if len(shape.rates):
            n_steps = 400
            grid = (np.arange(n_steps) + 0.5) / n_steps
            rates = self.prevalence * grid[:, None] + (1 - self.prevalence) * grid
            # The mean over each pixel, because narrow densities must be visible.
            heights = (shape.density[1:] + shape.density[:-1]) / 2
            below = np.concatenate([[0.0], np.cumsum(heights * np.diff(shape.rates))])
            half = 0.5 / n_steps
            inside = np.interp(rates + half, shape.rates, below)
            inside -= np.interp(rates - half, shape.rates, below)
            alpha = BUDGET_ALPHA * inside / inside.max()
            color = np.broadcast_to(to_rgb(BUDGET_COLOR), (*rates.shape, 3))
            shade = np.concatenate([color, alpha[..., None]], axis=-1)
            extent = (0, 1, 0, 1)
            artists.append(ax.imshow(shade, origin="lower", extent=extent, zorder=0))
        for point, mass in zip(shape.points, shape.masses, strict=True):
            style = {"color": BUDGET_COLOR, "linewidth": 1 + 3 * mass}
            points = self.isometric(point)
            artists += ax.plot(*points, alpha=BUDGET_ALPHA, zorder=0, **style)
        return artists


class RateAveragedROC(
    FoldsDisplay, draws=(ConsensusCurve,), by="rate_averaged_roc_curve"
):
    """Draw the consensus ROC curve of folds, averaged at equal rate, with bounds.

    If the same fraction of each fold (the rate) is selected, which fraction of the
    positives and of the negatives is selected? The consensus is the curve of both,
    for all rates. :meth:`from_cross_validation` fits a model on each fold, and
    :meth:`from_estimator` draws the ranking of a fitted model as one fold.

    Parameters
    ----------
    curve : ConsensusCurve
        The result of :func:`rate_averaged_roc_curve`.
    name : str, default=None
        Name of the model in the legend.
    rate : "uniform", float or distribution, default=None
        The fraction of samples that will be processed, as in
        :func:`rate_weighted_auc_score`. The legend shows the rate-weighted AUC for it;
        None means the AUC.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis. None takes the curve's.

    Attributes
    ----------
    line_, chance_level_, bounds_ : matplotlib artist or None
        The consensus curve, the line of random scores, and the area between the bounds.
    fold_lines_, reachable_, isometrics_, rate_ : list of matplotlib artists
        The curves of the folds, the worst and the perfect ranking, the lines of equal
        rate, and the distribution of the rate.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    See Also
    --------
    sklearn.metrics.RocCurveDisplay : The curves of the folds, without consensus.
    rate_averaged_roc_curve : Computes the curve, and has the source.

    Notes
    -----
    The legend shows the AUC or rate-weighted AUC (rAUC) of the consensus, ± its
    standard deviation over folds, and whether the bounds are pointwise or a
    simultaneous band. In the ROC plane, the points of a rate are a falling line. Lines
    that several models have in common, such as of random scores, are drawn once.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrate import RateAveragedROC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> display = RateAveragedROC.from_cross_validation(GaussianNB(), X, y, cv=5)
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
        self._check_result("curve", curve)
        self.curve = curve
        self.name = name
        self.rate = rate
        self.pos_label = curve.folds.pos_label if pos_label is None else pos_label

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.curve!r}, name={self.name!r})"

    @staticmethod
    def _as_fold(column: Any) -> Any:
        # A single ranking is one fold.
        is_folds = column is None or isinstance(column, FoldRankings)
        return column if is_folds else [column]

    @classmethod
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
        """Cross-validate a model, and draw the consensus of its folds.

        Parameters
        ----------
        estimator, X, y : estimator instance and array-like
            As in :func:`cross_val_rankings`.
        cv : int, cross-validation generator or iterable, default=None
            As in :func:`sklearn.model_selection.cross_validate`; None is five folds.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient. The splitter, such as
            :class:`sklearn.model_selection.GroupKFold`, gets it as ``groups``. If
            ``cv`` is None or a number of folds, the splitter is
            :class:`~sklearn.model_selection.StratifiedGroupKFold`.
        params : dict, default=None
            Parameters of ``fit``, such as ``{"sample_weight": weights}``; with metadata
            routing, of all methods that request them. They do not weight the curves.
        n_jobs, verbose : int
            Number of folds that run, and rates that are computed, in parallel, and
            whether to report the progress.
        name : str, default=None
            Name in the legend. None means the name of the estimator's class.
        **kwargs : dict
            Keyword arguments of :meth:`from_predictions` or :meth:`plot`.

        Returns
        -------
        display : RateAveragedROC
            The display that was drawn.

        Raises
        ------
        ValueError
            If ``params`` contains ``groups`` in addition to ``clusters``.

        Warns
        -----
        UndefinedMetricWarning
            If a fold is left out because its test or training part has one class.
        """
        import_pyplot(cls.__name__)
        params = dict(params or {})
        # Check clusters and pass codes, because the checks of splitters differ.
        groups = None if clusters is None else check_groups("clusters", clusters).codes
        if groups is not None:
            cv = find_splitter(cv, y, groups, is_stratified=True)
        if groups is not None and get_config()["enable_metadata_routing"]:
            if "groups" in params:
                raise ValueError(
                    "Leave groups out of params: the splitter gets clusters as groups."
                )
            params["groups"], groups = groups, None
        options = {"groups": groups, "cv": cv, "scoring": _no_score, "params": params}
        options |= {"n_jobs": n_jobs, "verbose": verbose, "error_score": "raise"}
        options |= {"return_estimator": True, "return_indices": True}
        cv_results = cross_validate(estimator, X, y, **options)
        kwargs |= {"n_jobs": n_jobs, "name": name}
        return cls.from_cv_results(cv_results, X, y, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_trues: FoldsLike,
        y_scores: ArraysByFold | None = None,
        *,
        name: str | None = None,
        rate: RateLike | None = None,
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
        **kwargs: Any,
    ) -> Self:
        """Draw the consensus of folds, given by their labels and scores.

        Parameters
        ----------
        y_trues : sequence of array-like of shape (n_samples,) or of RankTable
            True labels of two classes, an array per fold. A sequence of tables replaces
            labels and scores. A ``FoldRankings``, or ``folds`` of another curve, also
            replaces ``sample_weight``, ``pos_label`` and ``repeats``.
        y_scores : sequence of array-like of shape (n_samples,), default=None
            Scores of the same samples, higher for the positive class.
        name, rate : optional
            As in the constructor.
        sample_weight, pos_label, repeats, rates, bounds, band : optional
            As in :func:`rate_averaged_roc_curve`.
        confidence_level, augment, n_resamples, random_state, n_jobs : optional
            As in :func:`rate_averaged_roc_curve`.
        **kwargs : dict
            Keyword arguments of :meth:`plot`.

        Returns
        -------
        display : RateAveragedROC
            The display that was drawn.
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
            augment=augment,
            n_resamples=n_resamples,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        return cls(curve, name=name, rate=rate).plot(**kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        space: Plane | None = None,
        name: str | None = None,
        rate: RateLike | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        bounds_kwargs: dict[str, Any] | None = None,
        fold_kwargs: dict[str, Any] | None = None,
        chance_level_kwargs: dict[str, Any] | None = None,
        average: Average = "rate",
        plot_fixed_width: bool = False,
        plot_folds: bool = False,
        plot_chance_level: bool = False,
        plot_isometrics: bool | ArrayLike = False,
        plot_rate: bool = False,
        despine: bool = False,
    ) -> Self:
        """Draw the curve with its bounds.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        space : {"roc", "rate-recall"}, default=None
            The axes: the ROC plane, or the recall against the rate. None means the
            space of ``ax``; for new axes "rate-recall" with ``plot_rate``, else "roc".
        name, rate : optional
            As in the constructor; None takes the display's.
        curve_kwargs, bounds_kwargs, fold_kwargs, chance_level_kwargs : dict, optional
            Matplotlib options of the curve, the bounds, the folds and the chance level.
        average : {"rate", "fpr", "tpr", "threshold"}, default="rate"
            The quantity that is equal in all folds at a point of the average curve;
            other than "rate" without bounds, with the AUC in the legend.
        plot_fixed_width : bool, default=False
            Whether to draw ``curve.fixed_width_band(average, random_state=0)`` instead
            of bounds.
        plot_folds, plot_chance_level : bool, default=False
            Whether to draw the curve of each fold, and the curve of random scores.
        plot_isometrics : bool or array-like of shape (n_rates,), default=False
            The rates of which a line of equal rate (an isometric) is drawn. True means
            0.1, 0.2, ..., 0.9.
        plot_rate : bool, default=False
            Whether to draw the distribution of ``rate``: its density, with stems for
            single rates; in the ROC plane, a shade.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : RateAveragedROC
            The display that was drawn.

        Raises
        ------
        ValueError
            If an argument is invalid, there is no rate for ``plot_rate``, or the folds
            do not support this average or band.
        """
        check_choice("space", space, LABELS, or_none=True)
        rate = self.rate if rate is None else rate
        if rate is None and plot_rate:
            raise ValueError("plot_rate=True needs a rate: pass rate=.")
        isometrics: Any = plot_isometrics
        if isinstance(isometrics, bool | np.bool_):
            isometrics = np.arange(1, 10) / 10 if isometrics else []
        isometrics = np.atleast_1d(check_fractions("plot_isometrics", isometrics))
        curve, bounds = self._averaged(average, plot_fixed_width)
        label = self._entry(name, self._summary(rate, average, curve))
        distribution = check_rate("uniform" if rate is None else rate)
        self._start(ax)
        plane = self._plane(space, plot_rate)
        draw = plane.draw_budget if plane.name == "roc" else None
        self.rate_ = draw_rate(self.ax_, distribution, draw=draw) if plot_rate else []
        self._draw_references(plane, isometrics)
        self.chance_level_ = self._chance_line(
            plot_chance_level, plane.points([0, 1], [0, 1]), chance_level_kwargs
        )
        self.line_ = self._model_line(*plane.points(*curve), curve_kwargs, label=label)
        folds = self._fold_points(plane.name) if plot_folds else []
        self.fold_lines_ = self._fold_lines(folds, fold_kwargs, self.line_.get_color())
        areas = [plane.points(*end) for end in bounds]
        self._draw_bounds(areas, plot_fixed_width, bounds_kwargs)
        self.ax_.set(xlim=WHOLE, ylim=WHOLE)
        self.ax_.set_aspect("equal" if plane.name == "roc" else "auto")
        return self._finish(*LABELS[plane.name], despine)

    def _plane(self, chosen: Plane | None, plot_rate: bool) -> Space:
        """Return the chosen plane, else the plane of the axes, else the default."""
        ylabel = self.ax_.get_ylabel().partition("(")[0].strip()
        seen = self.ax_.get_xlabel(), ylabel
        drawn = next((key for key, labels in LABELS.items() if labels == seen), None)
        default: Plane = "rate-recall" if plot_rate else "roc"
        return Space(chosen or drawn or default, self.curve.prevalence)

    def _draw_references(self, plane: Space, isometrics: FloatArray) -> None:
        """Draw the worst and a perfect ranking, and lines of equal rate."""
        p = plane.prevalence
        self.reachable_ = []
        style: dict[str, Any] = {"color": "0.6", "linewidth": 1, "label": "_"}
        worst, perfect = ([0, 1 - p, 1], [0, 0, 1]), ([0, p, 1], [0, 1, 1])
        for border in (worst, perfect):
            line = self._reference_line(plane.points(*border), **style)
            self.reachable_.append(line)
            if plane.name != "roc":
                # In the ROC plane they coincide with the frame.
                style["label"] = "Perfect and worst"
        style = {"color": "0.6", "linewidth": 0.8, "linestyle": "-."}
        self.isometrics_ = [
            self._reference_line(plane.isometric(r), label="Equal rate", **style)
            for r in isometrics
        ]

    def _fold_points(self, plane: Plane) -> list[_Curve]:
        """Return the curve of each fold, with the isometrics of its own prevalence."""
        folds = zip(self.curve.folds.tables, self.curve.fold_tpr, strict=True)
        return [
            Space(plane, table.prevalence).points(self.curve.rates, tpr)
            for table, tpr in folds
        ]

    def _averaged(
        self, average: Average, plot_fixed_width: bool
    ) -> tuple[_Curve, list[_Curve]]:
        """Return the average and its bounds, as rates and recalls."""

        def to_rates(points: CurveBound) -> _Curve:
            p = self.curve.prevalence
            return p * points.tpr + (1 - p) * points.fpr, points.tpr

        curve = self.curve.rates, self.curve.tpr
        if check_choice("average", average, AVERAGES) != "rate":
            curve = to_rates(self.curve.averaged(average))
        if plot_fixed_width:
            band = self.curve.fixed_width_band(average, random_state=0)
            return curve, [to_rates(end) for end in band]
        ends = (self.curve.confidence_interval or ()) if average == "rate" else ()
        return curve, [(curve[0], end.tpr) for end in ends]

    def _summary(self, rate: RateLike | None, average: Average, curve: _Curve) -> str:
        """Return the rAUC and its spread over folds, for the legend."""
        if average != "rate":
            fpr, tpr = Space("roc", self.curve.prevalence).points(*curve)
            area = float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1])) / 2)
            spread = mean_and_spread(self.curve.fold_rate_weighted_auc(), area)
            return f"at equal {average}, AUC = {spread}"
        metric, rate = ("AUC", "uniform") if rate is None else ("rAUC", rate)
        rauc = self.curve.rate_weighted_auc(rate)
        by_fold = self.curve.fold_rate_weighted_auc(rate)
        return f"{metric} = {mean_and_spread(by_fold, rauc)}"

    def _draw_bounds(
        self, bounds: list[_Curve], is_fixed_width: bool, given: Options
    ) -> None:
        """Draw the area between bounds, if there are any."""
        self.bounds_ = None
        if not bounds:
            return
        kind = "band" if self.curve.band == "simultaneous" else "bounds"
        kind = "fixed-width band" if is_fixed_width else kind
        label = f"{100 * self.curve.confidence_level:g} % {kind}"
        # A band has an outline, pointwise bounds have none.
        width = 0.0 if kind == "bounds" else 0.8
        style = self._area_style(given, label, self.line_.get_color(), width)
        x, y = (np.append(a, b[::-1]) for a, b in zip(*bounds, strict=True))
        self.bounds_ = self.ax_.fill(x, y, **style)[0]


def _no_score(*data: Any) -> float:
    """Return 0, because the folds are scored together later."""
    return 0.0
