"""The AUC that an error rate stands for, drawn against the error rate."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, get_args

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score

from skrate.core.arrays import ArrayLike, FloatArray, Label, share_of
from skrate.core.conversion import is_missing, shown
from skrate.core.rank_table import RankTable
from skrate.core.sample import check_ranking
from skrate.core.validation import (
    check_choice,
    check_count,
    check_equal_length,
    check_flag,
    check_fraction,
    check_vector,
    distinct_labels,
)
from skrate.displays._drawing import Display, styled
from skrate.error_rate.moments import auc_moments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Those of the paper's figure.
CLASS_RATIOS = (0.01, 0.05, 0.1, 0.25, 0.5)
Kind = Literal["mean", "relative_deviation"]
KINDS: dict[Kind, str] = {
    "mean": "Mean AUC",
    "relative_deviation": "Standard deviation of the AUC / mean",
}
_MOST_POINTS = 500


class ErrorRateCurve(NamedTuple):
    """Moments of the AUC for one class ratio, by increasing error rate."""

    class_ratio: float
    error_rates: FloatArray
    means: FloatArray
    standard_deviations: FloatArray


class ModelPoint(NamedTuple):
    """A model's error rate and AUC, and what its error rate alone would say."""

    error_rate: float
    auc: float
    mean: float
    standard_deviation: float


class AUCErrorRateDisplay(Display):
    """Mean and spread of the AUC against the error rate, for ratios of the classes.

    Each curve covers all rankings and thresholds with a given number of errors
    (:func:`auc_moments`), up to the size of the smaller class, the errors made by
    calling every case the larger one. A model far above its curve ranks better than
    its accuracy tells.

    Make it by :meth:`from_class_ratios`, :meth:`from_predictions` or
    :meth:`from_estimator`.

    Parameters
    ----------
    curves : sequence of ErrorRateCurve
        With the fields ``class_ratio`` (share of the smaller class), ``error_rates``,
        ``means`` and ``standard_deviations``.
    point : ModelPoint, default=None
        With the fields ``error_rate``, ``auc``, ``mean`` and ``standard_deviation``.
    name : str, default=None
        Name of the model, written beside its point.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last plot.
    figure_ : matplotlib Figure
        Figure of the last plot.
    lines_ : list of matplotlib Line2D
        A line for each curve.
    point_ : matplotlib Line2D or None
        The model.
    interval_ : matplotlib ErrorbarContainer or None
        The mean for the model's errors, with two standard deviations on either side.

    See Also
    --------
    sklearn.metrics.RocCurveDisplay : The ranking itself, for all thresholds.
    auc_moments : The numbers drawn.
    auc_range_from_errors : The AUCs that one confusion matrix allows.

    Notes
    -----
    The moments do not change if the two classes are swapped, so a ratio stands for
    both. They hardly depend on the number of cases at a given ratio and error rate;
    the standard deviation falls with its root.

    References
    ----------
    .. [1] Cortes, C. and Mohri, M. (2003). AUC optimization vs. error rate
       minimization. Advances in Neural Information Processing Systems 16, 313-320.
       Figure 3.

    Examples
    --------
    The mean for even classes is one minus the error rate:

    >>> from skrate import AUCErrorRateDisplay
    >>> display = AUCErrorRateDisplay.from_class_ratios([0.1, 0.5], n_cases=100)
    >>> even = display.curves[1]
    >>> [round(mean, 2) for mean in even.means[:3].tolist()]
    [1.0, 0.99, 0.98]
    >>> len(display.lines_)
    2

    A model with one error in four cases, and a perfect ranking all the same:

    >>> display = AUCErrorRateDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.2, 0.3, 0.9], y_pred=[0, 0, 0, 1]
    ... )
    >>> display.point.error_rate, display.point.auc, round(display.point.mean, 3)
    (0.25, 1.0, 0.75)
    """

    def __init__(
        self,
        *,
        curves: Sequence[ErrorRateCurve],
        point: ModelPoint | None = None,
        name: str | None = None,
    ) -> None:
        self.curves = curves
        self.point = point
        self.name = name

    @classmethod
    def from_class_ratios(
        cls,
        class_ratios: Sequence[float] = CLASS_RATIOS,
        *,
        n_cases: int = 1000,
        **plot_kwargs: Any,
    ) -> Self:
        """Draw the curves for some shares of the smaller class.

        Parameters
        ----------
        class_ratios : sequence of float, default=(0.01, 0.05, 0.1, 0.25, 0.5)
            Shares of the smaller class, in (0, 0.5].
        n_cases : int, default=1000
            Number of cases, at least 2; a class has at least one.
        **plot_kwargs : dict
            Passed to :meth:`plot`: ``ax``, ``kind`` and so on.

        Returns
        -------
        display : AUCErrorRateDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If a ratio or `n_cases` is out of range.
        """
        curves = _curves(class_ratios, check_count("n_cases", n_cases, minimum=2))
        return cls(curves=curves).plot(**plot_kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike | None = None,
        *,
        y_pred: ArrayLike,
        class_ratios: Sequence[float] = CLASS_RATIOS,
        pos_label: Label = None,
        name: str | None = None,
        **plot_kwargs: Any,
    ) -> Self:
        """Draw the curves, and a model by its predictions.

        The curves are for the model's number of cases, and the one for its own ratio
        of the classes is added.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels, of two classes.
        y_score : array-like of shape (n,)
            Scores, higher for the positive class.
        y_pred : array-like of shape (n,)
            Predicted labels, which make the errors.
        class_ratios : sequence of float, default=(0.01, 0.05, 0.1, 0.25, 0.5)
            Shares of the smaller class, in (0, 0.5].
        pos_label : int, float, bool or str, default=None
            The positive class; None takes 1 of {0, 1} and {-1, 1}, and True.
        name : str, default=None
            Name of the model, written beside its point.
        **plot_kwargs : dict
            Passed to :meth:`plot`: ``ax``, ``kind`` and so on.

        Returns
        -------
        display : AUCErrorRateDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the labels or scores are invalid, differ in length or hold one class.
        """
        if isinstance(y_true, RankTable):
            raise ValueError(
                "y_true is a RankTable, which knows no single cases, and so not those "
                "that y_pred has wrong: give their labels and scores."
            )
        sample = check_ranking(y_true, y_score, pos_label=pos_label, keep_order=True)
        labels = check_vector("y_true", y_true)
        predicted = check_vector("y_pred", y_pred)
        check_equal_length(y_true=labels, y_pred=predicted)
        # As objects: numpy would compare numbers with strings as strings.
        labels, predicted = labels.astype(object), predicted.astype(object)
        known = distinct_labels(labels)
        unknown = [
            label
            for label in predicted.tolist()
            if is_missing(label) or label not in known
        ]
        if unknown:
            raise ValueError(
                "y_pred holds labels that y_true does not: "
                f"{', '.join(sorted({shown(label) for label in unknown})[:6])}."
            )
        n_cases, n_pos = len(labels), int(sample.is_pos.sum())
        if not 0 < n_pos < n_cases:
            raise ValueError("y_true must hold both classes, found one.")
        n_errors = int(np.count_nonzero(labels != predicted))
        moments = auc_moments(n_pos, n_cases - n_pos, n_errors)
        point = ModelPoint(
            n_errors / n_cases,
            float(roc_auc_score(sample.is_pos, sample.scores)),
            moments.mean,
            moments.standard_deviation,
        )
        n_smaller = min(n_pos, n_cases - n_pos)
        own = _curve(n_smaller / n_cases, n_smaller, n_cases)
        curves = {curve.class_ratio: curve for curve in _curves(class_ratios, n_cases)}
        curves[own.class_ratio] = own
        ordered = [curves[ratio] for ratio in sorted(curves)]
        return cls(curves=ordered, point=point, name=name).plot(**plot_kwargs)

    @classmethod
    def _of_scores(
        cls, estimator: Any, X: Any, y: ArrayLike, y_score: ArrayLike, **kwargs: Any
    ) -> Self:
        # Its predictions make the errors, its scores the AUC.
        return cls.from_predictions(y, y_score, y_pred=estimator.predict(X), **kwargs)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        kind: Kind = "mean",
        name: str | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        point_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves, and the model if there is one.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        kind : {"mean", "relative_deviation"}, default="mean"
            - "mean": the mean AUC. The model is drawn at its AUC, beside a bar of two
              standard deviations on either side of the mean for its errors.
            - "relative_deviation": the standard deviation divided by the mean. The
              model is drawn at the distance of its AUC from the mean, divided by the
              mean. Where the mean is 0 (every case in error), there is no such ratio,
              and nothing is drawn.
        name : str, default=None
            Name of the model; None takes that of the display.
        curve_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for the curves.
        point_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for the model.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : AUCErrorRateDisplay
            The display itself.

        Raises
        ------
        ValueError
            If ``kind`` is not one of the choices.

        Warns
        -----
        UndefinedMetricWarning
            If the model is not drawn, because it has every case in error.
        """
        kind = check_choice("kind", kind, get_args(Kind))
        check_flag("despine", despine)
        self._start(ax)
        self.lines_ = []
        for curve in self.curves:
            heights = np.asarray(curve.means)
            if kind == "relative_deviation":
                heights = share_of(np.asarray(curve.standard_deviations), heights)
            label = f"{100 * curve.class_ratio:.3g}%"
            line = self._line(curve.error_rates, heights, curve_kwargs, label=label)
            self.lines_.append(line)
        self.point_: Any = None
        self.interval_: Any = None
        if self.point is not None:
            self._draw_point(self.point, kind, name, point_kwargs)
        legend = {"handles": self.lines_, "title": "Smaller class"}
        self._name_axes("Error rate", KINDS[kind], despine)
        self.ax_.legend(loc="upper right", **legend)
        return self

    def _draw_point(
        self,
        point: ModelPoint,
        kind: Kind,
        name: str | None,
        point_kwargs: dict[str, Any] | None,
    ) -> None:
        name = self.name if name is None else name
        style = styled(
            point_kwargs,
            marker="o",
            linestyle="none",
            color="black",
            label=f"{name or 'Model'}\nAUC = {point.auc:.2f}",
        )
        height = point.auc
        if kind == "relative_deviation":
            if point.mean == 0:
                warnings.warn(
                    "The model has every case in error, so that the mean AUC is 0 and "
                    "no deviation is relative to it: it is not drawn. Use kind='mean'.",
                    UndefinedMetricWarning,
                    stacklevel=3,
                )
                return
            height = abs(point.auc - point.mean) / point.mean
        else:
            self.interval_ = self.ax_.errorbar(
                point.error_rate,
                point.mean,
                2 * point.standard_deviation,
                color="black",
                capsize=3,
                linewidth=1,
            )
        (self.point_,) = self.ax_.plot([point.error_rate], [height], **style)
        # Beside the point: in the legend, a long name would cover the curves.
        is_left = point.error_rate < np.mean(self.ax_.get_xlim())
        self.ax_.annotate(
            style["label"],
            (point.error_rate, height),
            xytext=(8 if is_left else -8, 0),
            textcoords="offset points",
            ha="left" if is_left else "right",
            va="center",
        )


def _curves(class_ratios: Sequence[float], n_cases: int) -> list[ErrorRateCurve]:
    """Return the curves of some ratios, rounded to whole cases."""
    ratios = [check_fraction("class_ratios", ratio) for ratio in class_ratios]
    if any(ratio > 0.5 for ratio in ratios):
        raise ValueError(
            "class_ratios must be shares of the smaller class, at most 0.5, got "
            f"{list(class_ratios)}."
        )
    return [_curve(r, max(1, round(r * n_cases)), n_cases) for r in ratios]


def _curve(ratio: float, n_smaller: int, n_cases: int) -> ErrorRateCurve:
    """Return the moments for numbers of errors up to the smaller class."""
    n_points = min(n_smaller + 1, _MOST_POINTS)
    n_errors = np.unique(np.linspace(0, n_smaller, n_points).round().astype(int))
    moments = auc_moments(n_smaller, n_cases - n_smaller, n_errors)
    error_rates = n_errors / n_cases
    return ErrorRateCurve(ratio, error_rates, moments.mean, moments.standard_deviation)
