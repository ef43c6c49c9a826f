"""Draw the ROC curve of several folds, averaged at equal rate, with its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np
from sklearn import get_config
from sklearn.model_selection import cross_validate

from skrate.curves.consensus import ConsensusCurve, rate_averaged_roc_curve
from skrate.curves.folds import FoldsLike, fold_tables, folds_of
from skrate.data.arrays import ArrayLike, ArraysByFold, FloatArray, Label
from skrate.data.checks import check_choice, check_scores
from skrate.data.folds import check_repeats, disjoint_repeats
from skrate.data.ranking import check_groups
from skrate.displays.base import (
    BUDGET_ALPHA,
    BUDGET_COLOR,
    Axes,
    FoldsDisplay,
    check_flags,
    draw_legend,
    draw_rate,
    import_pyplot,
    mean_and_spread,
    passes_on,
    styled,
    taken_by,
)
from skrate.model_selection.responses import Response
from skrate.rates.laws import RateDistribution, RateLike, check_rate

Zoom = Literal["rate"]
ZOOMS: tuple[Zoom, ...] = get_args(Zoom)
# Limits of an axis that goes from 0 to 1.
WHOLE = (-0.01, 1.01)
# A budget is shown between these quantiles, with so much more on both sides: of their
# distance, or of the upper one where they are close.
_QUANTILES = 0.01, 0.99
_BESIDE, _BESIDE_KNOWN = 0.5, 0.2
# Above and below what is drawn, as a share of it.
_ROOM = 0.05


Plane = Literal["roc", "rate-recall", "rate-negative-recall", "rate-accuracy"]
SPACES: tuple[Plane, ...] = get_args(Plane)
VERTICAL = {
    "rate-recall": "Recall",
    "rate-negative-recall": "Recall of the negatives",
    "rate-accuracy": "Accuracy",
}
_SHADE_STEPS = 400


def likely_rates(rate: RateDistribution) -> tuple[float, float]:
    """Return between which rates the budget lies, with some room."""
    low, high = (float(rate.ppf(q)) for q in _QUANTILES)
    room = max(_BESIDE * (high - low), _BESIDE_KNOWN * high)
    low, high = max(low - room, 0.0), min(high + room, 1.0)
    # Where next to no budget is above 0, all rates are shown.
    return (low, high) if high > low else (0.0, 1.0)


def set_limits(
    ax: Any,
    xlim: tuple[float, float],
    curves: Sequence[tuple[FloatArray, FloatArray]],
    before: tuple[float, float],
    before_up: tuple[float, float],
    is_first: bool,
) -> None:
    """Show what curves are within ``xlim``, and what was seen before."""
    low, high = xlim
    heights = [np.interp(xlim, *curve) for curve in curves]
    heights += [y[(x >= low) & (x <= high)] for x, y in curves]
    found = np.concatenate(heights)
    bottom, top = float(found.min()), float(found.max())
    room = _ROOM * (top - bottom) or _ROOM
    bottom, top = max(bottom - room, WHOLE[0]), min(top + room, WHOLE[1])
    if not is_first:
        low, high = min(low, before[0]), max(high, before[1])
        bottom, top = min(bottom, before_up[0]), max(top, before_up[1])
    # So that a curve that begins at 0 is not cut in half.
    low = low - 0.01 * (high - low) if low == 0 else low
    ax.set(xlim=(low, high), ylim=(bottom, top))


_ISOMETRICS = np.arange(1, 10) / 10
# Of an area: what it takes of the colour behind, and the line about a band.
_BOUNDS = {"alpha": 0.2, "linewidth": 0.0}
_BAND = {"alpha": 0.2, "linewidth": 0.8}


@dataclass(frozen=True)
class Space:
    """A plane that points (rate, tpr) of curves with one prevalence are drawn in."""

    name: str
    prevalence: float

    @property
    def labels(self) -> tuple[str, str]:
        """Labels of both axes."""
        if self.name == "roc":
            return "False positive rate", "True positive rate"
        return "Rate", VERTICAL[self.name]

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

    @property
    def perfect(self) -> tuple[FloatArray, FloatArray]:
        """The curve of a perfect ranking."""
        return self.points([0, self.prevalence, 1], [0, 1, 1])

    @property
    def worst(self) -> tuple[FloatArray, FloatArray]:
        """The curve of the worst ranking."""
        return self.points([0, 1 - self.prevalence, 1], [0, 0, 1])

    @property
    def chance(self) -> tuple[FloatArray, FloatArray]:
        """The curve of random scores."""
        return self.points([0, 1], [0, 1])

    def isometric(self, rate: float) -> tuple[FloatArray, FloatArray]:
        """Return the line of all that is reachable at a rate."""
        p = self.prevalence
        least, most = max(0.0, (rate - (1 - p)) / p), min(1.0, rate / p)
        return self.points([rate, rate], [least, most])

    def draw_rate(self, ax: Axes, rate: RateDistribution) -> list[Any]:
        """Draw where a rate is likely: its density, and stems for its point masses."""
        if self.name != "roc":
            return draw_rate(ax, rate)
        return draw_rate(ax, rate, draw=self._draw_in_roc)

    def _draw_in_roc(
        self,
        ax: Axes,
        middles: FloatArray,
        height: FloatArray,
        points: FloatArray,
        heights: FloatArray,
    ) -> list[Any]:
        artists = [self._draw_shade(ax, middles, height)] if len(middles) else []
        for point, high in zip(points, heights, strict=True):
            artists += ax.plot(
                *self.isometric(point), color=BUDGET_COLOR, alpha=BUDGET_ALPHA,
                linewidth=1 + 3 * high, zorder=0,
            )  # fmt: skip
        return artists

    def _draw_shade(self, ax: Axes, middles: FloatArray, height: FloatArray) -> Any:
        """Shade the plane of the ROC curve by the density at each point's rate."""
        from matplotlib.colors import to_rgba

        share = (np.arange(_SHADE_STEPS) + 0.5) / _SHADE_STEPS
        p = self.prevalence
        rates = p * share[:, None] + (1 - p) * share
        shade = np.empty((*rates.shape, 4))
        shade[...] = to_rgba(BUDGET_COLOR, 0)
        # The mean over each pixel, so that the narrowest of densities is seen.
        areas = np.diff(middles) * (height[1:] + height[:-1]) / 2
        below = np.concatenate([[0.0], np.cumsum(areas)])
        half = 0.5 / _SHADE_STEPS
        inside = np.interp(rates + half, middles, below)
        inside -= np.interp(rates - half, middles, below)
        shade[..., 3] = BUDGET_ALPHA * inside / inside.max()
        return ax.imshow(shade, origin="lower", extent=(0, 1, 0, 1), zorder=0)


def space_of(ax: Axes) -> Plane | None:
    """Return the space that is drawn on axes, by their labels; None if it is none."""
    for name in SPACES:
        xlabel, ylabel = Space(name, 0.5).labels
        is_there = ax.get_ylabel().partition("(")[0].strip() == ylabel
        if is_there and ax.get_xlabel() == xlabel:
            return name
    return None


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
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    See Also
    --------
    sklearn.metrics.RocCurveDisplay : The curves of the folds, without consensus.
    rate_averaged_roc_curve : The numbers.

    Notes
    -----
    The bounds are pointwise by default; ``band="simultaneous"`` makes a band for the
    whole curve, and the legend says so. The legend carries the rAUC of the consensus
    and its standard deviation over folds.

    In the ROC plane a rate is a falling line, in the other spaces a vertical one: with
    ``plot_rate=True`` the curves are drawn against it unless ``space="roc"`` is asked
    for. What several models share is drawn once.

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

    curve: ConsensusCurve
    rate: RateLike | None

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
            Above 0, the progress of the folds is reported.

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
        kwargs = {"n_jobs": n_jobs, "name": name, **kwargs}
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
    @passes_on(rate_averaged_roc_curve, "plot")
    def from_predictions(
        cls,
        y_trues: FoldsLike,
        y_scores: ArraysByFold | None = None,
        *,
        name: str | None = None,
        rate: RateLike | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the consensus of labels and scores that are given by fold."""
        given = taken_by(rate_averaged_roc_curve, kwargs)
        curve = rate_averaged_roc_curve(y_trues, y_scores, **given)
        return cls(curve, name=name, rate=rate).plot(**kwargs)

    def _start(self, ax: Axes | None) -> None:
        super()._start(ax)
        self.reachable_: list[Any] = []
        self.isometrics_: list[Any] = []
        self.rate_: list[Any] = []
        self.fold_lines_: list[Any] = []
        self.bounds_: Any = None
        self.chance_level_: Any = None

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
        plot_folds: bool = False,
        fold_kwargs: dict[str, Any] | None = None,
        plot_reachable: bool = True,
        plot_isometrics: bool | ArrayLike = False,
        plot_rate: bool = False,
        plot_chance_level: bool = False,
        chance_level_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve with its bounds.

        Parameters
        ----------
        space : str, default=None
            What stands on the axes: tpr against fpr with "roc"; against the rate the
            recall with "rate-recall", that of the negatives (the share of them that is
            spared) with "rate-negative-recall", the accuracy with "rate-accuracy". None
            takes the space that the axes have; of new ones "rate-recall" where the
            budget is drawn or zoomed on, and "roc" elsewhere.
        zoom : {"rate"}, default=None
            "rate" shows only where ``rate`` is likely: between its quantiles 0.01 and
            0.99, and half of their distance on either side; the vertical axis is cut to
            what the curves have there. None shows all rates.
        rate : "uniform", float or distribution, default=None
            The share that will be processed; None takes that of the display.
        plot_folds : bool, default=False
            Whether to draw the curve of each fold.
        plot_reachable : bool, default=True
            Whether to draw the borders of what a ranking can reach, in grey.
        plot_isometrics : bool or array-like of shape (n_rates,), default=False
            Whether to draw lines of equal rate, and at which rates; True takes every
            tenth.
        plot_rate : bool, default=False
            Whether to draw where ``rate`` is likely: its density along the rate axis,
            a shade in the ROC plane, and stems for rates with a probability of
            their own. ``zoom`` draws it in any case.
        plot_chance_level : bool, default=False
            Whether to draw the curve of random scores.

        Raises
        ------
        ValueError
            If ``space``, ``zoom`` or ``rate`` is none of the choices, an isometric lies
            outside [0, 1], or ``plot_rate`` or ``zoom`` is set without a ``rate``.
        """
        if space is not None:
            check_choice("space", space, SPACES)
        if zoom is not None:
            check_choice("zoom", zoom, ZOOMS)
        rate = self.rate if rate is None else rate
        check_flags(
            plot_folds=plot_folds, plot_reachable=plot_reachable, plot_rate=plot_rate,
            plot_chance_level=plot_chance_level, despine=despine,
        )  # fmt: skip
        for option, is_set in (("plot_rate=True", plot_rate), ("zoom='rate'", zoom)):
            if is_set and rate is None:
                raise ValueError(f"{option} needs a rate: pass rate=.")
        isometrics = _check_isometrics(plot_isometrics)
        law = None if rate is None else check_rate(rate)
        summary = self._summary(rate)
        self._start(ax)
        is_of_rate = plot_rate or zoom is not None
        space = space or space_of(self.ax_) or ("rate-recall" if is_of_rate else "roc")
        plane = Space(space, self.curve.prevalence)
        before = self.ax_.get_xlim(), self.ax_.get_ylim()
        # Nothing was chosen before.
        is_first = not self.ax_.lines or before[0] == WHOLE
        if is_of_rate and law is not None:
            self.rate_ = plane.draw_rate(self.ax_, law)
        if plot_reachable:
            self._draw_reachable(plane)
        self.isometrics_ = [
            self._reference_line(
                plane.isometric(r), color="0.6", linewidth=0.8, linestyle="-.",
                label="Equal rate",
            )
            for r in isometrics
        ]  # fmt: skip
        if plot_chance_level:
            self.chance_level_ = self._reference_line(
                plane.chance, chance_level_kwargs, linestyle="--", label="Random"
            )
        points = plane.points(self.curve.rates, self.curve.tpr)
        label = self._entry(name, summary)
        self.line_ = self._model_line(*points, curve_kwargs, label=label)
        if plot_folds:
            self._draw_folds(plane, fold_kwargs)
        self._draw_bounds(plane, bounds_kwargs)
        if zoom is not None and law is not None:
            ends = self._ends_at(plane, *likely_rates(law))
            set_limits(self.ax_, ends, self._outlines(plane), *before, is_first)
        else:
            self.ax_.set(xlim=WHOLE, ylim=WHOLE)
        is_whole = plane.name == "roc" and zoom is None
        self.ax_.set_aspect("equal" if is_whole else "auto")
        self._name_axes(*plane.labels, despine)
        draw_legend(self.ax_)
        return self

    def _draw_reachable(self, plane: Space) -> None:
        style: dict[str, Any] = {"color": "0.6", "linewidth": 1, "label": "_"}
        for border in (plane.worst, plane.perfect):
            self.reachable_.append(self._reference_line(border, **style))
            if plane.name != "roc":
                # Elsewhere they are the frame.
                style["label"] = "Perfect and worst"

    def _outlines(self, plane: Space) -> list[tuple[FloatArray, FloatArray]]:
        """Return the points of the curve and of its bounds."""
        curve = self.curve
        drawn = [curve.tpr]
        if curve.confidence_interval is not None:
            drawn += [bound.tpr for bound in curve.confidence_interval]
        return [plane.points(curve.rates, tpr) for tpr in drawn]

    def _ends_at(self, plane: Space, low: float, high: float) -> tuple[float, float]:
        """Return between what horizontal positions two rates lie."""
        curves = [curve for curve, _ in self._outlines(plane)]
        found = [np.interp([low, high], self.curve.rates, x) for x in curves]
        return float(np.min(found)), float(np.max(found))

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
            style = {"color": color, "linestyle": "-", "alpha": 0.3, "linewidth": 0.8}
            self.fold_lines_.append(self._line(*points, given, **style))

    def _draw_bounds(self, plane: Space, given: dict[str, Any] | None) -> None:
        curve = self.curve
        if curve.confidence_interval is None:
            return
        lower, upper = (
            plane.points(curve.rates, bound.tpr) for bound in curve.confidence_interval
        )
        x, y = (np.append(a, b[::-1]) for a, b in zip(lower, upper, strict=True))
        is_band = curve.band == "simultaneous"
        label = f"{100 * curve.confidence_level:g} % {'band' if is_band else 'bounds'}"
        form = _BAND if is_band else _BOUNDS
        style = styled(given, color=self.line_.get_color(), label="_", **form)
        (self.bounds_,) = self.ax_.fill(x, y, **style)
        if style["label"] == "_":
            self._grey_entry(label, given, **form)


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
