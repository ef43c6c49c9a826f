"""Draw hit curves, cumulative gains and lift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, Unpack

from skrate.curves.gain_curve import GainCurve, check_class_gain, gain_curve
from skrate.curves.hit_curve import hits as hits_of
from skrate.curves.rate_averaged import fold_tables, folds_of_rankings
from skrate.data.arrays import ArrayLike, FloatArray, Label
from skrate.data.folds import FoldRankings
from skrate.data.table import RankTable, check_alone, rank_table
from skrate.displays._hit_drawing import HitCurveArguments, HitDrawing
from skrate.displays._hit_points import (
    as_curves,
    check_curve,
    check_gain_curve,
    of_fold,
    table_of,
)
from skrate.displays._signatures import passes_on
from skrate.metrics.gain import GainLike, check_cost, check_gain
from skrate.model_selection.responses import Response


class HitCurveDisplay(HitDrawing):
    """Hit curve, cumulative gains or lift, of one ranking or of the folds of one model.

    Make it by :meth:`from_estimator`, :meth:`from_predictions` or
    :meth:`from_cv_results`, as the displays of scikit-learn.

    Parameters
    ----------
    rates : array-like of shape (n_points,), or list of such
        Share of all cases processed, from 0 to 1, per curve.
    hits : array-like of shape (n_points,), or list of such
        Share of all cases processed and positive, from 0 to the prevalence.
    tables : list of RankTable, default=None
        The tables of the curves, for the average precision and the momentum; None
        takes what the points tell. Of curves of gain there are none.
    perfect : list of tuple, default=None
        Of curves of gain: rates and gains of the best order of the cases, per curve.
        Then ``hits`` are gains per case, which may fall, and ``rates`` shares of the
        cost.
    name : str, default=None
        Name of the model for the legend.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the vertical axis.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of such
        The curve, or the curves of the folds, none if they are not drawn.
    chance_level_ : matplotlib Line2D or None
        The curve of random scores.
    perfect_ : matplotlib Line2D or None
        The curve of a perfect ranking.
    momentum_ : matplotlib Line2D or None
        The line of the momentum, if it was asked for.
    mean_ : matplotlib Line2D or None
        The mean of the curves of folds.
    band_ : matplotlib artist or None
        The area of a standard deviation about it.
    rate_ : list of matplotlib artists
        Where the rate is likely, if it is given.
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
    of the rows. Of several folds the mean at equal rate is drawn with a standard
    deviation on either side, and the folds faintly behind it; the references are those
    of their mean prevalence. References that stand on the axes already are not drawn
    again, and where they differ, as of another sample, one entry of the legend is for
    all.

    A lift is defined from the first case on: its curve begins there, at the rate of the
    smallest step. At the first rates it may be so high, above all that of a perfect
    ranking of rare positives, that all else would lie on the floor. Its axis ends at
    twice the highest lift of the curves from the rate 0.05 on, or above all lines if
    they end before; ``display.ax_.set_ylim`` shows what is cut.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`, figure 2.

    Examples
    --------
    >>> from skrate import HitCurveDisplay
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> display = HitCurveDisplay.from_predictions(
    ...     y_true, y_score, kind="gains"
    ... )
    >>> display.line_.get_ydata().tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """

    def __init__(
        self,
        rates: ArrayLike,
        hits: ArrayLike,
        *,
        tables: list[RankTable] | None = None,
        perfect: Sequence[tuple[FloatArray, FloatArray]] | None = None,
        name: str | None = None,
        pos_label: Label = None,
    ) -> None:
        rates, hits = as_curves(rates), as_curves(hits)
        self.perfect = perfect
        if len(rates) != len(hits):
            raise ValueError(
                f"rates holds {len(rates)} curves and hits {len(hits)}: give one each."
            )
        check = check_curve if perfect is None else check_gain_curve
        self.curves = [check(*curve) for curve in zip(rates, hits, strict=True)]
        if tables is None and perfect is None:
            tables = [table_of(*curve) for curve in self.curves]
        self.tables = tables or []
        # Of curves of gain they are told, if they are known.
        self._sizes = [table.total for table in self.tables] or [1.0] * len(rates)
        self.name = name
        self.pos_label = pos_label

    @classmethod
    @passes_on("plot")
    def from_predictions(
        cls,
        y_true: ArrayLike | RankTable | FoldRankings,
        y_score: ArrayLike | None = None,
        *,
        gain: GainLike | None = None,
        cost: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: Label = None,
        name: str | None = None,
        **plot_kwargs: Unpack[HitCurveArguments],
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), RankTable or FoldRankings
            True labels of two classes; or a table, or rankings of folds, without
            ``y_score``.
        y_score : array-like of shape (n_samples,), default=None
            Scores, higher for the positive class.
        gain : array-like of shape (n_samples,) or dict, default=None
            What is gained if a case is processed, per case or per class, as in
            :func:`expected_gain_score`: the curve is then that of the gain.
        cost : array-like of shape (n_samples,), default=None
            What processing a case takes of the budget; the axis is then its share.
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
        if isinstance(y_true, FoldRankings):
            others = {"y_score": y_score, "sample_weight": sample_weight}
            check_alone(y_true, **others, pos_label=pos_label)
            check_class_gain(gain, cost)
            tables, label = folds_of_rankings(y_true).tables, y_true.pos_label
            if gain is None:
                display = cls._of_tables(list(tables), name, label)
            else:
                gains = [gain_curve(table, gain=gain) for table in tables]
                display = cls._of_gains(gains, name, label, has_cost=False)
            return display.plot(**plot_kwargs)
        if gain is not None or cost is not None:
            found = gain_curve(
                y_true, y_score, gain=gain, cost=cost, sample_weight=sample_weight,
                pos_label=pos_label,
            )  # fmt: skip
            display = cls._of_gains([found], name, pos_label, cost is not None)
            return display.plot(**plot_kwargs)
        table = rank_table(y_true, y_score, sample_weight, pos_label)
        return cls._of_tables([table], name, pos_label).plot(**plot_kwargs)

    @classmethod
    def _of_scores(
        cls, estimator: Any, X: Any, y: ArrayLike, y_score: ArrayLike, **kwargs: Any
    ) -> Self:
        return cls.from_predictions(y, y_score, **kwargs)

    @classmethod
    def _of_responses(
        cls,
        responses: list[Response],
        tests: list[Any],
        *,
        name: str,
        gain: GainLike | None = None,
        cost: ArrayLike | None = None,
        **kwargs: Any,
    ) -> Self:
        label = responses[0].pos_label
        if gain is not None or cost is not None:
            each = {
                "gain": None if gain is None else check_gain(gain),
                "cost": check_cost(cost),
            }
            curves = [
                gain_curve(
                    *response[:2], sample_weight=response.sample_weight,
                    pos_label=label, **of_fold(each, tests[response.fold]),
                )
                for response in responses
            ]  # fmt: skip
            display = cls._of_gains(curves, name, label, cost is not None)
            return display.plot(**kwargs)
        tables, _ = fold_tables([response[:3] for response in responses], label)
        return cls._of_tables(tables, name, label).plot(**kwargs)

    @classmethod
    def _of_tables(
        cls, tables: list[RankTable], name: str | None, pos_label: Label
    ) -> Self:
        rates = [table.rates for table in tables]
        hits = [hits_of(table) for table in tables]
        return cls(rates, hits, tables=tables, name=name, pos_label=pos_label)

    @classmethod
    def _of_gains(
        cls,
        curves: list[GainCurve],
        name: str | None,
        pos_label: Label,
        has_cost: bool,
    ) -> Self:
        rates, gains = [each.rates for each in curves], [each.gains for each in curves]
        best = [(each.best_rates, each.best_gains) for each in curves]
        display = cls(rates, gains, perfect=best, name=name, pos_label=pos_label)
        display._has_cost = has_cost
        display._sizes = [each.total for each in curves]
        return display
