"""Draw hit curves, cumulative gains and lift."""

from typing import Any, Literal, get_args

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.rank_table import RankTable, rank_table
from skrate.core.validation import check_choice, check_scores
from skrate.curves.hit_curve import hits as hits_of
from skrate.displays.pyplot import import_pyplot
from skrate.metrics.average_precision import average_precision
from skrate.metrics.momentum import momentum
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    Response,
    check_fitted,
    fold_responses,
    ranking_scores,
)

Kind = Literal["hits", "gains", "lift"]
KINDS: dict[Kind, str] = {"hits": "Hits", "gains": "Recall", "lift": "Lift"}
# What rounding may do to the points of a curve.
_ROUNDING = 1e-9
# The lift between two points of a hit curve is no straight line: it is drawn at the
# points and at these rates.
_LIFT_RATES = np.linspace(0, 1, 501)[1:]


class HitCurveDisplay:
    """Hit curve, cumulative gains or lift, of one ranking or of the folds of one model.

    Make it by :meth:`from_estimator`, :meth:`from_predictions` or
    :meth:`from_cv_results`, as the displays of scikit-learn.

    Parameters
    ----------
    rates : array-like of shape (n_points,), or list of such
        Share of all cases processed, from 0 to 1, per curve.
    hits : array-like of shape (n_points,), or list of such
        Share of all cases processed and positive, from 0 to the prevalence.
    name : str, default=None
        Name of the model for the legend.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of such
        The curve, or the curves of the folds.
    chance_level_ : matplotlib Line2D or None
        The curve of random scores.
    perfect_ : matplotlib Line2D or None
        The curve of a perfect ranking.
    momentum_ : matplotlib Line2D or None
        The line of the momentum, if it was asked for.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.

    Raises
    ------
    ValueError
        If ``rates`` and ``hits`` are not points of hit curves.

    See Also
    --------
    sklearn.metrics.PrecisionRecallDisplay : Precision against recall.
    hit_curve : The points.

    Notes
    -----
    Cases that tie are drawn as one straight piece of the hit curve, never in the order
    of the rows. The references of several folds are those of their mean prevalence.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`, figure 2.

    Examples
    --------
    >>> from skrate import HitCurveDisplay
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> display = HitCurveDisplay.from_predictions(y_true, y_score, kind="gains")
    >>> display.line_.get_ydata().tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """

    def __init__(
        self, rates: Any, hits: Any, *, name: str | None = None, pos_label: Any = None
    ) -> None:
        if np.ndim(rates[0]) == 0:
            rates, hits = [rates], [hits]
        if len(rates) != len(hits):
            raise ValueError(
                f"rates holds {len(rates)} curves and hits {len(hits)}: give one each."
            )
        self.curves = [_check_curve(*curve) for curve in zip(rates, hits, strict=True)]
        self.name = name
        self.pos_label = pos_label

    @property
    def rates(self) -> list[FloatArray]:
        """Rates of the points, one array per curve."""
        return [rate for rate, _ in self.curves]

    @property
    def hits(self) -> list[FloatArray]:
        """Hits at these rates, one array per curve."""
        return [hits for _, hits in self.curves]

    @property
    def prevalence(self) -> float:
        """Share of the positives, its mean over the curves."""
        return float(np.mean([hits[-1] for hits in self.hits]))

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
        **plot_kwargs: Any,
    ) -> "HitCurveDisplay":
        """Draw the curve of a fitted classifier.

        Parameters
        ----------
        estimator : estimator instance
            A fitted binary classifier, or a pipeline that ends in one.
        X : array-like of shape (n_samples, n_features)
            The cases.
        y : array-like of shape (n_samples,)
            True labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Relative weights of the cases; None means equal ones.
        response_method : str or tuple of str
            Methods that give scores, the first that the estimator has is used;
            "decision_function", then "predict_proba" by default. Pass "predict" for
            regressors and rankers.
        pos_label : int, float, bool or str, default=None
            The positive label. None takes 1 of {0, 1} and {-1, 1}, True of booleans,
            and of other labels the second, with a warning that names it.
        name : str, default=None
            Name for the legend; None takes that of the class.
        **plot_kwargs : dict
            Passed to :meth:`plot`: ``ax``, ``kind`` and so on.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

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
            y,
            y_score,
            sample_weight=sample_weight,
            pos_label=label,
            name=type(estimator).__name__ if name is None else name,
            **plot_kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        **plot_kwargs: Any,
    ) -> "HitCurveDisplay":
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels of two classes.
        y_score : array-like of shape (n_samples,)
            Scores, higher for the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            Relative weights of the cases; None means equal ones.
        pos_label : int, float, bool or str, default=None
            The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
        name : str, default=None
            Name for the legend.
        **plot_kwargs : dict
            Passed to :meth:`plot`: ``ax``, ``kind`` and so on.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.
        """
        response = Response(y_true, y_score, sample_weight, pos_label)
        return cls._of_responses([response], name, pos_label).plot(**plot_kwargs)

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
        **plot_kwargs: Any,
    ) -> "HitCurveDisplay":
        """Draw the curve of each test fold of a cross-validation.

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
            Relative weights of the cases; None means equal ones.
        response_method : str or tuple of str
            As in :meth:`from_estimator`.
        pos_label : int, float, bool or str, default=None
            The positive label. None takes 1 of {0, 1} and {-1, 1}, True of booleans,
            and of other labels the second, with a warning that names it.
        name : str, default=None
            Name for the legend; None takes that of the estimators' class.
        **plot_kwargs : dict
            Passed to :meth:`plot`: ``ax``, ``kind`` and so on.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

        Warns
        -----
        UndefinedMetricWarning
            If a fold is left out, as its estimator was trained on one class.
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
        if name is None:
            name = type(cv_results["estimator"][0]).__name__
        label = responses[0].pos_label
        return cls._of_responses(responses, name, label).plot(**plot_kwargs)

    @classmethod
    def _of_responses(
        cls, responses: list[Response], name: str | None, pos_label: Any
    ) -> "HitCurveDisplay":
        tables = [rank_table(*response[:4]) for response in responses]
        rates = [table.rates for table in tables]
        hits = [hits_of(table) for table in tables]
        return cls(rates, hits, name=name, pos_label=pos_label)

    def plot(
        self,
        ax: Any = None,
        *,
        kind: Kind = "hits",
        name: str | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = True,
        chance_level_kwargs: dict[str, Any] | None = None,
        plot_perfect: bool = True,
        perfect_kwargs: dict[str, Any] | None = None,
        plot_momentum: bool = False,
        momentum_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> "HitCurveDisplay":
        """Draw the curves, with their references.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        kind : {"hits", "gains", "lift"}, default="hits"
            What stands on the vertical axis: the share of all cases found, the share of
            the positives found (cumulative gains), or how many times more are found
            than by random scores.
        name : str, default=None
            Name for the legend; None takes that of the display.
        curve_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for the curves.
        plot_chance_level : bool, default=True
            Whether to draw what random scores find.
        chance_level_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        plot_perfect : bool, default=True
            Whether to draw what a perfect ranking finds.
        perfect_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        plot_momentum : bool, default=False
            Whether to draw the momentum, its mean over the curves where there are
            several: the line of figure 2 in the reference. It is left out where the
            momentum is undefined.
        momentum_kwargs : dict, default=None
            Passed to matplotlib's ``plot`` for it.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : HitCurveDisplay
            The display itself.

        Raises
        ------
        ValueError
            If ``kind`` is not one of the choices, or gains or lift are asked for
            where a curve has no positive case.
        """
        plt = import_pyplot(type(self).__name__)
        kind = check_choice("kind", kind, get_args(Kind))
        if kind != "hits" and min(hits[-1] for hits in self.hits) == 0:
            raise ValueError(f"kind={kind!r} is undefined without a positive case.")
        self.ax_ = plt.subplots()[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw_curves(kind, name, curve_kwargs or {})
        p = self.prevalence
        beta = np.mean([momentum(_table(*c)) for c in self.curves])
        self.chance_level_ = self.perfect_ = self.momentum_ = None
        if plot_chance_level:
            style = {"color": "0.4", "linestyle": "--", "label": "Random"}
            style |= chance_level_kwargs or {}
            self.chance_level_ = self._draw([0, 1], [0, p], kind, style)
        if plot_perfect:
            style = {"color": "0.4", "linestyle": ":", "label": "Perfect"}
            style |= perfect_kwargs or {}
            self.perfect_ = self._draw([0, p, 1], [0, p, p], kind, style)
        if plot_momentum and beta > p:
            style = {"color": "C1", "label": f"Momentum {beta:.2f}"}
            style |= momentum_kwargs or {}
            self.momentum_ = self._draw([0, p / beta], [0, p], kind, style)
        self._label(kind, despine)
        return self

    def _draw_curves(
        self, kind: Kind, name: str | None, curve_kwargs: dict[str, Any]
    ) -> None:
        precisions = [average_precision(_table(*curve)) for curve in self.curves]
        summary = f"AP = {np.mean(precisions):.2f}"
        style: dict[str, Any] = {}
        if len(self.curves) > 1:
            summary += f" ± {np.std(precisions):.2f}"
            style = {"alpha": 0.5, "color": "C0", "linewidth": 1}
        name = self.name if name is None else name
        label = summary if name is None else f"{name} ({summary})"
        lines = []
        for curve in self.curves:
            options = style | {"label": label} | curve_kwargs
            lines.append(self._draw(*curve, kind, options))
            label = "_"  # one entry in the legend for all folds
            curve_kwargs = {k: v for k, v in curve_kwargs.items() if k != "label"}
        self.line_ = lines if len(lines) > 1 else lines[0]

    def _draw(self, rate: Any, hits: Any, kind: Kind, style: dict[str, Any]) -> Any:
        """Draw one hit curve, rescaled to ``kind``, and return its line."""
        points = _rescaled(np.array(rate), np.array(hits), kind)
        return self.ax_.plot(*points, **style)[0]

    def _label(self, kind: Kind, despine: bool) -> None:
        ylabel = KINDS[kind]
        if self.pos_label is not None:
            ylabel += f" (positive label: {self.pos_label})"
        self.ax_.set(xlabel="Rate", ylabel=ylabel, xlim=(-0.01, 1.01))
        self.ax_.set_ylim(bottom=0)
        self.ax_.legend(loc="upper right" if kind == "lift" else "lower right")
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)


def _rescaled(
    rate: FloatArray, hits: FloatArray, kind: Kind
) -> tuple[FloatArray, FloatArray]:
    """Return a hit curve as it is, as cumulative gains or as lift."""
    if kind == "hits":
        return rate, hits
    gains = hits / hits[-1]
    if kind == "gains":
        return rate, gains
    at = np.union1d(rate[1:], _LIFT_RATES[rate[-1] > _LIFT_RATES])
    lift = np.interp(at, rate, gains) / at
    # Down to the rate 0 the lift is that of the first piece.
    return np.append(0.0, at), np.append(lift[0], lift)


def _check_curve(rates: Any, hits: Any) -> tuple[FloatArray, FloatArray]:
    """Return the points as arrays if they are those of a hit curve."""
    rate = np.asarray(check_scores("rates", rates), dtype=np.float64)
    found = np.asarray(check_scores("hits", hits), dtype=np.float64)
    steps, gains = np.diff(rate), np.diff(found)
    is_right = (
        rate.shape == found.shape
        and len(rate) > 1
        and rate[0] == found[0] == 0
        and abs(rate[-1] - 1) < _ROUNDING
        and np.all(steps > 0)
        and np.all((gains > -_ROUNDING) & (gains < steps + _ROUNDING))
    )
    if not is_right:
        raise ValueError(
            "rates must increase from 0 to 1, and hits from 0 by no more than rates, "
            "at as many points: pass what hit_curve returns."
        )
    return rate, found


def _table(rate: FloatArray, hits: FloatArray) -> RankTable:
    """Return the table that a hit curve came from, up to the total weight."""
    pos = np.maximum(np.diff(hits), 0.0)
    return RankTable(pos, np.maximum(np.diff(rate) - pos, 0.0))
