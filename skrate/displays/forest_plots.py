"""Forest plots: a row with a point and its interval for each model or group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Self, TypeVar

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray, Label
from skrate.displays.drawing import (
    Axes,
    Display,
    Options,
    check_defined,
    entry,
    model_color,
)
from skrate.inference.select_best import BestModel
from skrate.inference.subgroups import SHARES, SubgroupScores
from skrate.metrics.result_types import Comparison, Comparisons, Estimate, Estimates

AnyResult = TypeVar("AnyResult")


class ForestPlot(Display, Generic[AnyResult]):
    """Base class of displays with a row for each model or group, the first on top."""

    # Upper end of the vertical axis, which begins at the bottom with the last row.
    _top = -0.5
    _has_long_names = False

    def __init__(self, result: AnyResult, *, pos_label: Label = None) -> None:
        self._check_result("result", result)
        self.result = result
        self.pos_label = pos_label

    def plot(
        self,
        ax: Axes | None = None,
        *,
        point_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw a row for each model, pair of models or group.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        point_kwargs : dict, default=None
            Matplotlib options of the points.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : Display
            The display that was drawn, of this class.
        """
        self._start(ax)
        xlabel, names = self._draw_rows(point_kwargs)
        self._axes_height = 0.5 + 0.4 * len(names)
        self.ax_.set_ylim(len(names) - 0.5, self._top)
        self.ax_.set_yticks(np.arange(len(names)), names)
        if self._has_long_names:
            # They reduce the room for the legend: arrange them first.
            self.figure_.figure.draw_without_rendering()
        return self._finish(xlabel, "", despine)

    def _draw_rows(self, given: Options) -> tuple[str, list[str]]:
        """Draw the points, and return the label of the axis and the names of rows."""
        raise NotImplementedError

    def _draw_results(
        self, results: Sequence[Estimate | Comparison], given: Options, kind: str
    ) -> None:
        """Draw a row for each result, with one entry in the legend."""
        first = results[0]
        of = "" if first.of is None else f" of {first.of}"
        self.points_, self.intervals_ = self._intervals(
            np.array([result.value for result in results]),
            np.arange(len(results)),
            np.array([result.confidence_interval for result in results]),
            given,
            color=model_color(0),
            label=f"{kind}{100 * first.confidence_level:g} % intervals{of}",
        )

    def _intervals(
        self, x: ArrayLike, y: ArrayLike, ends: FloatArray, given: Options, **style: Any
    ) -> tuple[Any, Any]:
        """Draw points with their horizontal intervals."""
        line = self._line(x, y, given, **{"marker": "o", "linestyle": "none"} | style)
        return line, self.ax_.hlines(y, *ends.T, color=line.get_color())


class EstimatesDisplay(
    ForestPlot[Estimates | Estimate], draws=(Estimates, Estimate), by="estimate"
):
    """A point with its confidence interval for each model, the first on top.

    Parameters
    ----------
    result : Estimates or Estimate
        The result of :func:`estimate`.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the axis.

    Attributes
    ----------
    points_, intervals_ : matplotlib Line2D and LineCollection
        The values of the models, and their intervals.
    null_ : matplotlib Line2D or None
        A line at the tested value, if there is one.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    Examples
    --------
    >>> from skrate import estimate
    >>> from skrate.displays import EstimatesDisplay
    >>> models = {"a": [4, 2, 3, 1], "b": [4, 3, 1, 2]}
    >>> result = estimate("roc_auc", [1, 1, 0, 0], models)
    >>> EstimatesDisplay(result).plot().points_.get_xdata().tolist()
    [0.75, 1.0]
    """

    def _draw_rows(self, given: Options) -> tuple[str, list[str]]:
        result = self.result
        estimates = result.estimates if isinstance(result, Estimates) else (result,)
        names = result.names if isinstance(result, Estimates) else (result.metric,)
        first = estimates[0]
        self._draw_results(estimates, given, "")
        self.null_ = None
        if first.null_value is not None:
            label = f"tested value {first.null_value:g}"
            style: dict[str, Any] = {"color": "0.5", "linestyle": ":", "linewidth": 1}
            style |= {"zorder": 0, "label": label}
            self.null_ = self.ax_.axvline(first.null_value, **style)
        if isinstance(result, Estimates) and result.kind in first.params:
            names = tuple(f"{result.kind} = {name}" for name in names)
        return first.metric, list(map(entry, names))


class ComparisonsDisplay(
    ForestPlot[Comparisons | Comparison], draws=(Comparisons, Comparison), by="compare"
):
    """The difference of each pair of models with its interval, the first on top.

    Lines are at a difference of 0 and, if there is one, at the margin.

    Parameters
    ----------
    result : Comparisons or Comparison
        The result of :func:`compare`.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the axis.

    Attributes
    ----------
    points_, intervals_ : matplotlib Line2D and LineCollection
        The differences, and their intervals.
    zero_, margins_ : matplotlib Line2D and list of such
        The lines at no difference, and at the margin that was tested, if any.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    Examples
    --------
    >>> from skrate import compare
    >>> from skrate.displays import ComparisonsDisplay
    >>> models = {"a": [4, 2, 3, 1], "b": [4, 3, 1, 2]}
    >>> result = compare("roc_auc", [1, 1, 0, 0], models)
    >>> ComparisonsDisplay(result).plot().points_.get_xdata().tolist()
    [-0.25]
    """

    _has_long_names = True

    def _draw_rows(self, given: Options) -> tuple[str, list[str]]:
        comparisons = self.result
        if isinstance(comparisons, Comparisons):
            pairs, names = comparisons.pairs, comparisons._pair_names()
        else:
            pairs, names = (comparisons,), [("a", "b")]
        first = pairs[0]
        one_sided = "" if first.alternative == "two-sided" else "one-sided "
        self._draw_results(pairs, given, one_sided)
        style: dict[str, Any] = {"color": "0.5", "linewidth": 1, "zorder": 0}
        self.zero_ = self.ax_.axvline(0, linestyle=":", label="no difference", **style)
        self.margins_ = []
        if first.margin is not None:
            style |= {"linestyle": "--", "label": f"margin {first.margin:g}"}
            sides = {"two-sided": (-1, 1), "greater": (-1,), "less": (1,)}
            for side in sides[first.alternative]:
                position = side * first.margin
                self.margins_.append(self.ax_.axvline(position, **style))
                style["label"] = "_"
        if first.alternative != "two-sided":
            # The other end is the limit of all possible differences, often far away.
            side = 0 if first.alternative == "greater" else 1
            shown = [pair.confidence_interval[side] for pair in pairs]
            shown += [*self.points_.get_xdata(), 0.0, first.margin or 0.0]
            shown.append(-shown[-1])
            padding = 0.1 * max(np.ptp(shown), 1e-9)
            self.ax_.set_xlim(min(shown) - padding, max(shown) + padding)
        rows = [f"{entry(a)}\n- {entry(b)}" for a, b in names]
        return f"Difference in {first.metric}", rows


class BestModelDisplay(ForestPlot[BestModel], draws=(BestModel,), by="select_best"):
    """All models with their intervals, the set that can be the best, and the winner.

    The best models come first, at most 40 models. Models in the set are coloured; the
    diamond is the corrected value of the winner, with its interval.

    Parameters
    ----------
    result : BestModel
        The result of :func:`select_best`; an error if it is undefined.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the axis.

    Attributes
    ----------
    points_, intervals_ : list of matplotlib artists
        The values and intervals of the models in the set, and of others if any.
    corrected_ : matplotlib Line2D
        The corrected value of the winner.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    Examples
    --------
    >>> import numpy as np
    >>> from skrate import select_best
    >>> from skrate.displays import BestModelDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(300) < 0.3
    >>> scores = y_true[:, None] + rng.normal(size=(300, 30))
    >>> result = select_best("roc_auc", y_true, scores, random_state=0)
    >>> display = BestModelDisplay(result).plot()
    >>> display.corrected_.get_xdata().round(2).tolist()
    [0.76]
    """

    # The corrected value of the winner is above the first row.
    _top = -0.75

    def __init__(self, result: BestModel, *, pos_label: Label = None) -> None:
        super().__init__(result, pos_label=pos_label)
        check_defined("result", not np.isnan(result.corrected_value), "metric")

    def _draw_rows(self, given: Options) -> tuple[str, list[str]]:
        best = self.result
        # At most 40 rows are legible.
        table = {name: column[:40] for name, column in best.to_dict().items()}
        is_in, x = np.array(table["may_be_best"]), np.array(table["value"])
        ends, rows = np.transpose([table["low"], table["high"]]), np.arange(len(x))
        self.points_, self.intervals_ = [], []
        coloured = is_in, model_color(0), "may be the best"
        for chosen, color, label in (coloured, (~is_in, "0.6", "worse than the best")):
            if not chosen.any():
                continue
            points = x[chosen], rows[chosen], ends[chosen]
            line, drawn = self._intervals(*points, given, color=color, label=label)
            self.points_.append(line)
            self.intervals_.append(drawn)
        self.corrected_, drawn = self._intervals(
            [best.corrected_value],
            [-0.35],
            np.array([best.confidence_interval]),
            None,
            color=model_color(1),
            marker="D",
            label="the best, on new samples",
        )
        self.intervals_.append(drawn)
        return best.metric, list(map(entry, table["model"]))


class SubgroupDisplay(
    ForestPlot[SubgroupScores], draws=(SubgroupScores,), by="subgroup_scores"
):
    """Metrics of each group in the ranking of all samples, with intervals.

    Vertical lines are the values of all samples together.

    Parameters
    ----------
    scores : SubgroupScores
        The result of :func:`subgroup_scores`.
    pos_label : int, float, bool or str, default=None
        The positive label, named on the axis.

    Attributes
    ----------
    points_, intervals_, overall_ : list of matplotlib artists
        For each metric the values, the intervals, and the value of all samples.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the most recent drawing.

    Examples
    --------
    >>> from skrate import subgroup_scores
    >>> from skrate.displays import SubgroupDisplay
    >>> y_true, y_score = [1, 1, 0, 1, 1, 0, 1, 0], range(8, 0, -1)
    >>> scores = subgroup_scores(
    ...     "recall", y_true, y_score, by=list("ffmmmffm"), rate=0.625
    ... )
    >>> display = SubgroupDisplay(scores).plot()
    >>> display.points_[0].get_xdata().round(3).tolist()
    [0.667, 1.0]
    """

    _has_long_names = True

    def __init__(self, scores: SubgroupScores, *, pos_label: Label = None) -> None:
        self._check_result("scores", scores)
        self.scores = scores
        self.pos_label = pos_label

    def _draw_rows(self, given: Options) -> tuple[str, list[str]]:
        scores = self.scores
        metrics = list(dict.fromkeys(scores.metrics))
        n_groups = len(scores.groups) // len(metrics)
        labels = [SHARES[name][0] if name in SHARES else name for name in metrics]
        self.points_, self.intervals_, self.overall_ = [], [], []
        for i, metric in enumerate(metrics):
            rows = np.array(scores.metrics) == metric
            # The metrics of a group divide 0.6 of its row.
            y = np.arange(n_groups) + 0.6 * ((i + 0.5) / len(metrics) - 0.5)
            line, drawn = self._intervals(
                scores.values[rows],
                y,
                scores.intervals[rows],
                given,
                color=model_color(i),
                # Markers distinguish metrics also in a print without colours.
                marker="osD^"[i],
                label=labels[i],
            )
            self.points_.append(line)
            self.intervals_.append(drawn)
            style = {"color": line.get_color(), "linestyle": "--", "linewidth": 1}
            style["label"] = "_" if i else "all samples"
            overall = self.ax_.axvline(scores.overall[metric], zorder=0, **style)
            self.overall_.append(overall)
        sizes = zip(scores.groups[:n_groups], scores.n_items[:n_groups], strict=True)
        names = [f"{entry(group)}\n(n = {n:,.0f})" for group, n in sizes]
        return labels[0] if len(labels) == 1 else "Fraction of the group", names
