"""Draw the ROC curve of several folds, averaged at equal rate, with its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from sklearn import get_config
from sklearn.model_selection import cross_validate

from skrate.curves.averages import AVERAGES, Average
from skrate.curves.consensus import (
    Band,
    Bounds,
    ConsensusCurve,
    CurveBound,
    rate_averaged_roc_curve,
)
from skrate.curves.fold_tables import FoldsLike
from skrate.data.arrays import ArrayLike, ArraysByFold, FloatArray, Label, RandomState
from skrate.data.checks import check_choice, check_fractions
from skrate.data.folds import Repeats
from skrate.data.ranking import check_groups
from skrate.displays.drawing import (
    BUDGET_ALPHA,
    BUDGET_COLOR,
    Axes,
    FoldsDisplay,
    Outlines,
    check_result_type,
    draw_legend,
    draw_rate,
    import_pyplot,
    mean_and_spread,
    styled,
)
from skrate.rates.laws import RateDistribution, RateLike, check_rate

Zoom = Literal["rate"]
# Horizontal and vertical positions, or rates and recalls.
_Curve: TypeAlias = tuple[FloatArray, FloatArray]
Plane = Literal["roc", "rate-recall", "rate-negative-recall", "rate-accuracy"]
# What stands on both axes.
LABELS: dict[Plane, tuple[str, str]] = {
    "roc": ("False positive rate", "True positive rate"),
    "rate-recall": ("Rate", "Recall"),
    "rate-negative-recall": ("Rate", "Recall of the negatives"),
    "rate-accuracy": ("Rate", "Accuracy"),
}
# Limits of an axis that goes from 0 to 1.
WHOLE = (-0.01, 1.01)
# Of an area: what it takes of the colour behind, and the line about a band.
_BOUNDS = {"alpha": 0.2, "linewidth": 0.0}
_BAND = {"alpha": 0.2, "linewidth": 0.8}


@dataclass(frozen=True)
class Space:
    """A plane that points (rate, tpr) of curves with one prevalence are drawn in."""

    name: Plane
    prevalence: float

    def points(self, rates: ArrayLike, tpr: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return horizontal and vertical positions."""
        rates, tpr = np.asarray(rates, dtype=np.float64), np.asarray(tpr)
        p = self.prevalence
        fpr = (rates - p * tpr) / (1 - p)
        if self.name == "roc":
            return fpr, tpr
        if self.name == "rate-recall":
            return rates, tpr
        if self.name == "rate-negative-recall":
            return rates, 1 - fpr
        return rates, p * tpr + (1 - p) * (1 - fpr)

    def isometric(self, rate: float) -> tuple[FloatArray, FloatArray]:
        """Return the line of all that is reachable at a rate."""
        p = self.prevalence
        least, most = max(0.0, (rate - (1 - p)) / p), min(1.0, rate / p)
        return self.points([rate, rate], [least, most])

    def draw_budget(self, ax: Axes, shape: Outlines) -> list[Any]:
        """Shade the ROC plane by the density at each point's rate, and draw stems."""
        from matplotlib.colors import to_rgb

        artists: list[Any] = []
        if len(shape.rates):
            n_steps = 400
            share = (np.arange(n_steps) + 0.5) / n_steps
            rates = self.prevalence * share[:, None] + (1 - self.prevalence) * share
            # The mean over each pixel, so that the narrowest of densities is seen.
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


class RateAveragedROC(FoldsDisplay, draws=ConsensusCurve):
    """Consensus ROC curve of the folds of a model, averaged at equal rate, with bounds.

    :meth:`from_cross_validation` also runs the folds, and :meth:`from_estimator` draws
    the one ranking of a fitted model. Several models come on one axis by ``ax=``.

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
        The positive label, named on the vertical axis; None takes the curve's.

    Attributes
    ----------
    line_, chance_level_ : matplotlib Line2D
        The consensus curve, and the line of random scores.
    bounds_ : matplotlib Polygon or None
        The area between the bounds, or the simultaneous or fixed-width band.
    fold_lines_, reachable_, isometrics_ : list of matplotlib Line2D
        Curves of the folds, the worst and a perfect ranking, and lines of equal rate.
    rate_ : list of matplotlib artists
        The density of the rate, if it was asked for.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    See Also
    --------
    sklearn.metrics.RocCurveDisplay : The curves of the folds, without consensus.
    rate_averaged_roc_curve : The numbers.

    Notes
    -----
    The legend carries the rAUC of the consensus and its standard deviation over folds,
    and whether bounds are pointwise or a band. In the ROC plane a rate is a falling
    line, in the other spaces a vertical one. What several models share is drawn once.

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
        check_result_type("curve", curve, ConsensusCurve, "rate_averaged_roc_curve")
        self.curve = curve
        self.name = name
        self.rate = rate
        self.pos_label = curve.folds.pos_label if pos_label is None else pos_label

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.curve!r}, name={self.name!r})"

    @classmethod
    def _draw_estimator(
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
            The cluster of each case, such as its patient, which a splitter such as
            :class:`sklearn.model_selection.GroupKFold` gets as its ``groups``.
        params : dict, default=None
            What ``fit``, or with metadata routing whoever requested it, is given, such
            as ``{"sample_weight": weights}``. It does not weight the curves.
        n_jobs : int, default=None
            How many folds are run, and rates computed, at once.
        verbose : int, default=0
            Above 0, the progress of the folds is reported.
        name : str, default=None
            Name for the legend; None takes the name of the class.
        **kwargs : dict
            Keyword arguments of :meth:`from_predictions` or :meth:`plot`.

        Returns
        -------
        display : RateAveragedROC
            The display that was drawn.

        Raises
        ------
        ValueError
            If ``params`` holds ``groups`` beside ``clusters``, or the input is
            invalid.

        Warns
        -----
        UndefinedMetricWarning
            If a fold is left out, as its test or training cases hold one class only.
        """
        import_pyplot(cls.__name__)
        params = dict(params or {})
        # The clusters as codes, checked: splitters differ in what they refuse.
        groups = None if clusters is None else check_groups("clusters", clusters).codes
        if groups is not None and get_config()["enable_metadata_routing"]:
            if "groups" in params:
                raise ValueError(
                    "clusters is given twice: the splitter gets them as groups, which "
                    "params holds, too."
                )
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
        kwargs = {"n_jobs": n_jobs, "name": name, **kwargs}
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
        """Draw the consensus of labels and scores that are given by fold.

        Parameters
        ----------
        y_trues : sequence of array-like of shape (n_samples,) or of RankTable
            True labels of two classes, an array for each fold; or a table for each,
            without ``y_scores``; or a ``FoldRankings``, or the ``folds`` of another
            curve, without ``y_scores``, ``sample_weight``, ``pos_label``, ``repeats``.
        y_scores : sequence of array-like of shape (n_samples,), default=None
            Scores of the same cases, higher for the positive class.
        name : str, default=None
            Name of the model for the legend.
        rate : "uniform", float or distribution, default=None
            The share that will be processed; the legend has the rate-weighted AUC under
            it. None gives the AUC.
        sample_weight : sequence of array-like of shape (n_samples,), default=None
            Relative weights of the cases. Only ``bounds`` "normal", "beta" and None
            take them: the others are distributions of a number of cases.
        pos_label : int, float, bool or str, default=None
            The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
        repeats : int or array-like of shape (n_folds,), default=None
            Which folds belong to one repeat, where cross-validation was repeated: a
            label for each fold, or how many repeats of equally many folds follow each
            other. Without it, the bounds of repeated folds are too narrow.
        rates : array-like of shape (n_rates,), default=None
            Increasing rates in [0, 1] at which to average; None takes up to 201 in
            equal steps, and finer ones near the end of a class with a share below 2 %.
            Between them bounds are interpolated: pass the rates that matter.
        bounds : str or None, default="exact"
            "exact", the distribution of the number of positives found in all folds;
            "parametric", a beta distribution with its first two moments; "bootstrap",
            sets of new folds drawn by it; "bootstrap-adjusted", with the numbers of
            positives left to chance, and the ranking stretched to meet them; "normal"
            and "beta", from the variance of recall over folds, for comparison; or None.
        band : {"pointwise", "simultaneous"}, default="pointwise"
            What is to lie between the bounds: the recall at one rate that is chosen
            beforehand, or the whole curve, at all ``rates`` at once, by ``bounds``
            "exact" and the bootstraps.
        confidence_level : float, default=0.95
            Probability in (0, 1) that is to lie between the bounds.
        augment : bool, default=True
            Whether one more case of each class is added to what new folds are drawn
            from, see Notes. False gives the bounds of the reference, which are too
            narrow next to both ends of the curve. "normal" and "beta" add none.
        n_resamples : int, default=2000
            Number of sets of folds that the bootstraps draw, and a simultaneous band.
        random_state : int, Generator, RandomState or None, default=None
            Source of the draws.
        n_jobs : int, default=None
            Number of threads, as in joblib; the result does not depend on it.
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

    @classmethod
    def _prediction_arguments(cls, y_true: Any, y_score: Any) -> tuple[Any, ...]:
        return (y_true,) if y_score is None else ([y_true], [y_score])

    def plot(
        self,
        ax: Axes | None = None,
        *,
        space: Plane | None = None,
        zoom: Zoom | None = None,
        name: str | None = None,
        rate: RateLike | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        bounds_kwargs: dict[str, Any] | None = None,
        average: Average = "rate",
        plot_fixed_width: bool = False,
        plot_folds: bool = False,
        fold_kwargs: dict[str, Any] | None = None,
        plot_isometrics: bool | ArrayLike = False,
        plot_rate: bool = False,
        plot_chance_level: bool = False,
        chance_level_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve with its bounds.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        space : str, default=None
            "roc", or what stands against the rate: "rate-recall", "rate-accuracy" or
            "rate-negative-recall" (the share of the negatives that is spared). None
            takes the space that the axes have; of new ones "rate-recall" where the
            budget is drawn or zoomed on, and "roc" elsewhere.
        zoom : {"rate"}, default=None
            "rate" shows only where ``rate`` is likely, and some more on either side.
        name : str, default=None
            Name for the legend; None takes the display's.
        rate : "uniform", float or distribution, default=None
            The share that will be processed; None takes the display's.
        curve_kwargs : dict, default=None
            Style of the curve, as matplotlib takes it.
        bounds_kwargs : dict, default=None
            Style of the bounds, as matplotlib takes it.
        average : {"rate", "fpr", "tpr", "threshold"}, default="rate"
            What is equal in all folds that are averaged. Others than "rate" are drawn
            without bounds and have the AUC in the legend.
        plot_fixed_width : bool, default=False
            Whether to draw ``curve.fixed_width_band(average, random_state=0)`` in
            place of bounds.
        plot_folds : bool, default=False
            Whether to draw the curve of each fold.
        fold_kwargs : dict, default=None
            Style of the curves of folds, as matplotlib takes it.
        plot_isometrics : bool or array-like of shape (n_rates,), default=False
            Lines of equal rate to draw; True takes every tenth.
        plot_rate : bool, default=False
            Whether to draw where ``rate`` is likely, as ``zoom`` does, too: its density
            and stems for known rates; in the ROC plane, a shade.
        plot_chance_level : bool, default=False
            Whether to draw the curve of random scores.
        chance_level_kwargs : dict, default=None
            Style of the chance level, as matplotlib takes it.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : RateAveragedROC
            The display that was drawn.

        Raises
        ------
        ValueError
            If ``space``, ``zoom``, ``rate`` or ``average`` is none of the choices, an
            isometric lies outside [0, 1], ``plot_rate`` or ``zoom`` is set without a
            ``rate``, or the folds have no such average or band.
        """
        check_choice("space", space, LABELS, or_none=True)
        check_choice("zoom", zoom, get_args(Zoom), or_none=True)
        rate = self.rate if rate is None else rate
        if rate is None and (plot_rate or zoom):
            option = "plot_rate=True" if plot_rate else "zoom='rate'"
            raise ValueError(f"{option} needs a rate: pass rate=.")
        isometrics = _isometric_rates(plot_isometrics)
        curve, bounds = self._averaged(average, plot_fixed_width)
        label = self._entry(name, self._summary(rate, average, curve))
        law = check_rate("uniform" if rate is None else rate)
        self._start(ax)
        is_of_rate = plot_rate or zoom is not None
        plane = self._plane(space, is_of_rate)
        before = (self.ax_.get_xlim(), self.ax_.get_ylim()) if self.ax_.lines else None
        draw = plane.draw_budget if plane.name == "roc" else None
        self.rate_ = draw_rate(self.ax_, law, draw=draw) if is_of_rate else []
        self._draw_references(plane, isometrics)
        self.chance_level_ = None
        if plot_chance_level:
            self._draw_chance(plane, chance_level_kwargs)
        placed = [(rates, plane.points(rates, tpr)) for rates, tpr in (curve, *bounds)]
        self.line_ = self._model_line(*placed[0][1], curve_kwargs, label=label)
        self._draw_folds(plane, fold_kwargs, plot_folds)
        areas = [points for _, points in placed[1:]]
        self._draw_bounds(areas, plot_fixed_width, bounds_kwargs)
        if zoom is None:
            self._show_all(plane)
        else:
            self._zoom(law, placed, before)
        self._name_axes(*LABELS[plane.name], despine)
        draw_legend(self.ax_)
        return self

    def _plane(self, chosen: Plane | None, is_of_rate: bool) -> Space:
        """Return the plane that is chosen, else what the axes have, or the default."""
        ylabel = self.ax_.get_ylabel().partition("(")[0].strip()
        seen = self.ax_.get_xlabel(), ylabel
        drawn = next((key for key, labels in LABELS.items() if labels == seen), None)
        default: Plane = "rate-recall" if is_of_rate else "roc"
        return Space(chosen or drawn or default, self.curve.prevalence)

    def _draw_references(self, plane: Space, isometrics: FloatArray) -> None:
        """Draw the limits of what can be reached, and lines of equal rate."""
        p = plane.prevalence
        self.reachable_ = []
        style: dict[str, Any] = {"color": "0.6", "linewidth": 1, "label": "_"}
        worst, perfect = ([0, 1 - p, 1], [0, 0, 1]), ([0, p, 1], [0, 1, 1])
        for border in (worst, perfect):
            line = self._reference_line(plane.points(*border), **style)
            self.reachable_.append(line)
            if plane.name != "roc":
                # Elsewhere they are the frame.
                style["label"] = "Perfect and worst"
        style = {"color": "0.6", "linewidth": 0.8, "linestyle": "-."}
        self.isometrics_ = [
            self._reference_line(plane.isometric(r), label="Equal rate", **style)
            for r in isometrics
        ]

    def _draw_chance(self, plane: Space, given: dict[str, Any] | None) -> None:
        points = plane.points([0, 1], [0, 1])
        style = {"linestyle": "--", "label": "Random"}
        self.chance_level_ = self._reference_line(points, given, **style)

    def _draw_folds(
        self, plane: Space, given: dict[str, Any] | None, is_sampled: bool
    ) -> None:
        """Draw each fold on the isometrics of its own prevalence."""
        self.fold_lines_ = []
        folds = zip(self.curve.folds.tables, self.curve.fold_tpr, strict=True)
        for table, tpr in folds if is_sampled else ():
            points = Space(plane.name, table.prevalence).points(self.curve.rates, tpr)
            faint = {"color": self.line_.get_color(), "alpha": 0.3, "linewidth": 0.8}
            line = self._line(*points, given, linestyle="-", **faint)
            self.fold_lines_.append(line)

    def _show_all(self, plane: Space) -> None:
        self.ax_.set(xlim=WHOLE, ylim=WHOLE)
        self.ax_.set_aspect("equal" if plane.name == "roc" else "auto")

    def _zoom(
        self,
        law: RateDistribution,
        curves: list[tuple[FloatArray, _Curve]],
        before: tuple[tuple[float, float], tuple[float, float]] | None,
    ) -> None:
        """Show what curves are where the rate is likely, and what was seen before."""
        ends = law.ppf(np.array([0.01, 0.99]))
        # Half of their distance on both sides, or a fifth of the upper one.
        room = max(0.5 * (ends[1] - ends[0]), 0.2 * ends[1])
        ends = np.clip([ends[0] - room, ends[1] + room], 0, 1)
        if ends[0] == ends[1]:
            # Where next to no budget is above 0, all rates are shown.
            ends = np.array([0.0, 1.0])
        places = [np.interp(ends, rates, x) for rates, (x, _) in curves]
        low, high = float(np.min(places)), float(np.max(places))
        seen = [np.interp([low, high], *points) for _, points in curves]
        seen += [y[(x >= low) & (x <= high)] for _, (x, y) in curves]
        found = np.concatenate(seen)
        bottom, top = float(found.min()), float(found.max())
        room = 0.05 * (top - bottom) or 0.05
        bottom, top = max(bottom - room, WHOLE[0]), min(top + room, WHOLE[1])
        if before is not None and before[0] != WHOLE:
            (left, right), (under, over) = before
            low, high = min(low, left), max(high, right)
            bottom, top = min(bottom, under), max(top, over)
        # So that a curve that begins at 0 is not cut in half.
        low = low - 0.01 * (high - low) if low == 0 else low
        self.ax_.set(xlim=(low, high), ylim=(bottom, top), aspect="auto")

    def _averaged(
        self, average: Average, plot_fixed_width: bool
    ) -> tuple[_Curve, list[_Curve]]:
        """Return the average and its bounds, as rates and recalls."""
        average = check_choice("average", average, AVERAGES)

        def placed(points: CurveBound) -> _Curve:
            p = self.curve.prevalence
            return p * points.tpr + (1 - p) * points.fpr, points.tpr

        if average != "rate":
            curve = placed(self.curve.averaged(average))
        else:
            curve = self.curve.rates, self.curve.tpr
        if plot_fixed_width:
            band = self.curve.fixed_width_band(average, random_state=0)
            return curve, [placed(end) for end in band]
        ends = (self.curve.confidence_interval or ()) if average == "rate" else ()
        return curve, [(curve[0], end.tpr) for end in ends]

    def _summary(self, rate: RateLike | None, average: Average, curve: _Curve) -> str:
        """Return the rAUC and its spread over folds, for the legend."""
        if average != "rate":
            fpr, tpr = Space("roc", self.curve.prevalence).points(*curve)
            area = float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1])) / 2)
            spread = mean_and_spread(self.curve.fold_rate_weighted_auc(), area)
            return f"at equal {average}, AUC = {spread}"
        metric = "AUC" if rate is None else "rAUC"
        rate = "uniform" if rate is None else rate
        value = self.curve.rate_weighted_auc(rate)
        by_fold = self.curve.fold_rate_weighted_auc(rate)
        return f"{metric} = {mean_and_spread(by_fold, value)}"

    def _draw_bounds(
        self, bounds: list[_Curve], is_of_width: bool, given: dict[str, Any] | None
    ) -> None:
        """Draw the area between bounds, if there are any."""
        self.bounds_ = None
        if not bounds:
            return
        kind = "band" if self.curve.band == "simultaneous" else "bounds"
        kind = "fixed-width band" if is_of_width else kind
        x, y = (np.append(a, b[::-1]) for a, b in zip(*bounds, strict=True))
        form = _BOUNDS if kind == "bounds" else _BAND
        style = styled(given, color=self.line_.get_color(), label="_", **form)
        if style["label"] == "_":
            label = f"{100 * self.curve.confidence_level:g} % {kind}"
            self._grey_entry(label, given, **form)
        self.bounds_ = self.ax_.fill(x, y, **style)[0]


def _isometric_rates(given: bool | ArrayLike) -> FloatArray:
    """Return the rates of isometrics: True stands for nine, and False for none."""
    rates: Any = given
    if isinstance(given, bool | np.bool_):
        rates = np.arange(1, 10) / 10 if given else []
    return np.atleast_1d(check_fractions("plot_isometrics", rates))


def _no_score(estimator: Any, X: Any, y: Any) -> float:
    """Return nothing of use: the folds are scored together later."""
    return 0.0
