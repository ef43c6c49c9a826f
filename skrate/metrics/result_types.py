"""Result classes: frozen, with fields named as in :mod:`scipy.stats`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import combinations
from operator import attrgetter
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np
from sklearn.base import BaseEstimator

from skrate.data.arrays import FloatArray, Label
from skrate.data.checks import shown
from skrate.data.representations import (
    html_page,
    html_row,
    html_table,
    html_text,
    plain,
    render_html,
)
from skrate.metrics.hypothesis_tests import (
    Alternative,
    ConfidenceInterval,
    Null,
    hypothesis_text,
    null_hypotheses,
)
from skrate.rates.distributions import Fixed, is_scipy_distribution, scipy_name

# Parameters by name, as numbers and text.
Params: TypeAlias = dict[str, Any]


def written(value: Any) -> str:
    """Return a parameter in one line: distributions and functions by name."""
    if isinstance(value, type):
        return value.__name__
    if is_scipy_distribution(value):
        return scipy_name(value)
    if isinstance(value, Mapping):
        pairs = (f"{key!r}: {written(entry)}" for key, entry in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, tuple | list) and len(value) <= 4:
        inner = ", ".join(map(written, value))
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if not isinstance(value, str) and np.ndim(getattr(value, "shape", 0)):
        return f"{type(value).__name__} of shape {tuple(value.shape)}"
    # The names of scorers do not include their parameters.
    is_object = isinstance(value, BaseEstimator)
    return str((not is_object and getattr(value, "__name__", None)) or shown(value))


def rendered(parameter: Any) -> Any:
    """Return a parameter as a number or as text; a fixed rate is a number."""
    if isinstance(parameter, Fixed):
        parameter = parameter.r
    if isinstance(parameter, np.generic):
        parameter = parameter.item()
    is_plain = isinstance(parameter, bool | int | float | str)
    return parameter if is_plain else written(parameter)


def merge_params(param_sets: Sequence[Params]) -> Params:
    """Return the parameters of two metrics, with "_a" or "_b" if they differ."""
    first = param_sets[0]
    if all(params == first for params in param_sets):
        return first
    return {
        f"{name}_{which}": parameter
        for which, params in zip("ab", param_sets, strict=True)
        for name, parameter in params.items()
    }


def params_text(params: Params) -> str:
    """Return the text of parameters after the name of a metric; "" without any."""
    if not params:
        return ""
    pairs = (
        f"{name}={entry:.6g}" if isinstance(entry, float) else f"{name}={entry}"
        for name, entry in params.items()
    )
    return f" ({', '.join(pairs)})"


class Result:
    """Base class of results: plain data, and a number if there is a main value."""

    # The fields of the main value and its interval, and the index of a data frame.
    _number: ClassVar[tuple[str, str]] = ("value", "confidence_interval")
    _index: ClassVar[str | None] = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers, strings and lists.

        The ends of the confidence interval are "low" and "high"; ends of other fields
        have the field's name as a prefix. Fields that are None are omitted. The
        parameters of the metric, such as "rate", are entries by their names.
        """
        flat: dict[str, Any] = {}
        for entry in fields(self):  # type: ignore[arg-type]
            name, content = entry.name, getattr(self, entry.name)
            if name[0] == "_":
                continue
            if isinstance(content, tuple) and hasattr(content, "low"):
                prefix = f"{name}_".removeprefix("confidence_interval_")
                for end, bound in zip(("low", "high"), content, strict=True):
                    flat[prefix + end] = plain(bound)
            elif name == "params":
                flat |= content
            elif content is not None:
                flat[name] = plain(content)
        return flat

    def __float__(self) -> float:
        number = getattr(self, self._number[0], None)
        if number is None:
            entries = (entry.name for entry in fields(self))  # type: ignore[arg-type]
            names = ", ".join(name for name in entries if name[0] != "_")
            raise TypeError(
                f"{type(self).__name__} has no single value as its number: use one of "
                f"its fields, {names}."
            )
        return float(number)

    def __format__(self, spec: str) -> str:
        """Return the value in a float format; "[]" after the format adds the interval.

        Without a format it is the text of ``print``.
        """
        if not spec:
            return str(self)
        number = spec.removesuffix("[]")
        text = format(float(self), number)
        interval = getattr(self, self._number[1], None)
        if number == spec or interval is None:
            return text
        return f"{text} [{interval.low:{number}}, {interval.high:{number}}]"

    def _repr_html_(self) -> str:
        return render_html(type(self).__name__, self.to_dict())

    def to_frame(self) -> Any:
        """Return the columns of ``to_dict`` as a pandas data frame.

        Returns
        -------
        frame : pandas.DataFrame
            One row, or one per item for results with several items, indexed by the
            first column.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas, which is not installed: run "
                '"pip install pandas", or use the columns of to_dict.'
            ) from error
        frame = pd.DataFrame(self._columns())
        return frame if self._index is None else frame.set_index(self._index)

    def _columns(self) -> dict[str, Any]:
        return {name: [value] for name, value in self.to_dict().items()}

    def to_html(
        self,
        *,
        title: str | None = None,
        others: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> str:
        """Return the result as a self-contained HTML page.

        Parameters
        ----------
        title : str, default=None
            Title of the page; None takes the name of the class in words.
        others : dict, default=None
            Further results, displays or texts to show below, keyed by heading.
        **kwargs : dict
            Keyword arguments for ``plot``, if the result has that method.

        Returns
        -------
        page : str
            The page: the table, the date, the version and, if the result can be drawn
            and matplotlib is installed, its figure.
        """
        others = {} if others is None else others
        if not isinstance(others, Mapping):
            raise ValueError(f"others must be a dict by heading, got {shown(others)}.")
        sections = [self._html(**kwargs)]
        for heading, entry in others.items():
            if not isinstance(entry, str) and not hasattr(entry, "_html"):
                raise ValueError(
                    "others must contain texts, or results and displays of skrate, got "
                    f"{shown(entry)} for {shown(heading)}."
                )
            section = html_text(entry) if isinstance(entry, str) else entry._html()
            sections.append(html_text(str(heading), "h2") + section)
        if title is None:
            words = re.sub("(?<!^)[A-Z]", r" \g<0>", type(self).__name__)
            title = words.capitalize()
        return html_page(str(title), sections)

    def _html(self) -> str:
        """Return the HTML of the result, without the page around it."""
        return self._repr_html_()


class Rows(Result):
    """A result of several rows."""

    def _columns(self) -> dict[str, Any]:
        return self.to_dict()


class Drawn(Result):
    """A result with a display, which registers itself by ``draws``."""

    _display: ClassVar[Any]

    def plot(self, ax: Any = None, *, pos_label: Label = None, **kwargs: Any) -> Any:
        """Draw the result.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        pos_label : int, float, bool or str, default=None
            The positive label, named on the axis of the positives.
        **kwargs : dict
            Keyword arguments of the display's ``plot`` method, such as ``name``.

        Returns
        -------
        display : Display
            The display that was drawn, of a class in :mod:`skrate.displays`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return self._display(self, pos_label=pos_label).plot(ax, **kwargs)

    def _html(self, **kwargs: Any) -> str:
        return self._repr_html_() + self._figure_html(**kwargs)

    def _figure_html(self, *, pos_label: Label = None, **kwargs: Any) -> str:
        """Return the figure; for an undefined result, the reason why it has none."""
        try:
            display = self._display(self, pos_label=pos_label)
        except ValueError as error:
            return html_text(str(error))
        return str(display._html(**kwargs))


def plain_columns(
    rows: Sequence[Result] | Mapping[str, Any], /, **same: Any
) -> dict[str, list[Any]]:
    """Return rows, or columns, as plain columns, with the constants ``same``."""
    if not isinstance(rows, Mapping):
        records = [row.to_dict() for row in rows]
        names = dict.fromkeys(name for row in records for name in row)
        rows = {name: [row.get(name) for row in records] for name in names}
    columns = {name: plain(column) for name, column in rows.items()}
    n_rows = len(next(iter(columns.values())))
    return columns | {name: [constant] * n_rows for name, constant in same.items()}


@dataclass(frozen=True)
class Estimate(Drawn):
    """A metric with its uncertainty, as :func:`skrate.estimate` returns it.

    Attributes
    ----------
    metric : str
        Name of the metric, or of both that are compared.
    value : float
        The metric on the sample.
    standard_error : float
        Estimated standard deviation of the metric over samples.
    confidence_interval : ConfidenceInterval
        Its ends are ``.low`` and ``.high``.
    n_pos, n_neg : float
        Number of positives and of negatives, with repetitions.
    method : str
        Method of the standard error.
    confidence_level : float
        Level of the interval.
    params : dict
        Parameters of the metric, such as "rate", as numbers and text.
    of : str or None
        "these models" if the value is a mean over folds, because the interval is for
        their models as they were trained. The number of lists, and of their clusters,
        if the value is a mean over lists. Else None.
    confidence_interval_retrained : ConfidenceInterval or None
        The interval for a model that is trained again, on other samples or on all of
        these; None unless the folds come from a cross-validation.
    bias : float or None
        The mean over folds minus the mean of the same models on many samples, estimated
        by the jackknife. The interval accounts for it. None if unknown.
    alternative : str or None
        The hypothesis that a small p-value supports, and the side of the interval; None
        for a two-sided interval without a test.
    null_value : float or None
        The tested value, if one was given.
    statistic : float or None
        The distance of the metric from ``null_value`` in standard errors; with the
        method "wilson", in standard errors under the null hypothesis.
    pvalue : float or None
        Probability of a metric at least as far away, if the null value were true.
    influence : array of shape (n_samples,) or None
        Contribution of each sample to the metric, computed on first access: the value
        plus the influence divided by n is about the metric with one more sample of that
        kind. For folds there is a value per row of the rankings. None for a RankTable,
        a mean over lists, and a result that was pickled before the first access.

    Notes
    -----
    ``float(result)`` is the value. A format applies to the value; "[]" after the format
    adds the interval.

    The influence of a positive is (g_P - mean) / p, and of a negative (g_Q - mean) /
    (1 - p), plus (y - p) g_p, in the symbols of :func:`skrate.estimate`. The weighted
    mean is 0. For independent samples without repeated folds, the mean of the squares
    divided by n is the variance of the delta method (with the AUC, DeLong's), and with
    sampling weights w of mean 1, ``sum((w * influence)**2) / sum(w)**2``. It is nan
    if the standard error is unknown, and 0 for a sample of weight 0. With
    ``stratify=True``, g_p is 0.

    Examples
    --------
    >>> from skrate import estimate
    >>> result = estimate(
    ...     "roc_auc", [1, 0, 1, 0, 0], [0.9, 0.5, 0.4, 0.3, 0.1]
    ... )
    >>> result.value, result.n_pos
    (0.8333333333333334, 2)
    >>> f"{result:.3f}", f"{result:.3f[]}"
    ('0.833', '0.833 [0.104, 0.995]')
    """

    metric: str
    value: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    n_pos: float
    n_neg: float
    method: str
    confidence_level: float
    params: Params = field(default_factory=dict, hash=False)
    of: str | None = None
    confidence_interval_retrained: ConfidenceInterval | None = None
    bias: float | None = None
    alternative: str | None = None
    null_value: float | None = None
    statistic: float | None = None
    pvalue: float | None = None
    _find_influence: Callable[[], FloatArray] | None = field(
        default=None, repr=False, compare=False
    )

    @cached_property
    def influence(self) -> FloatArray | None:
        """Contribution of each sample to the metric."""
        return None if self._find_influence is None else self._find_influence()

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without the sample; the influence only if computed."""
        return vars(self) | {"_find_influence": None}

    def __repr__(self) -> str:
        matters = self.bias is not None and abs(self.bias) > self.standard_error / 10
        bias = f", bias {self.bias:.2g}" if matters else ""
        test = ""
        if self.null_value is not None:
            null = Null(self.null_value, cast(Alternative, self.alternative))
            tested = hypothesis_text(self.metric, [null])
            test = f", p = {self.pvalue:.3g} for {tested}"
        return (
            f"Estimate({self.metric}{params_text(self.params)} {self.value:.4f}, "
            f"{interval_text(self)}"
            f"{_units_text(self)}{bias}{test}, "
            f"standard error {self.standard_error:.4g}; n_pos={self.n_pos:g}, "
            f"n_neg={self.n_neg:g}, {self.method})"
        )


def interval_text(result: Estimate | Comparison | EqualBudget) -> str:
    """Return the interval of a result in words, with its level and side."""
    low, high = result.confidence_interval
    side = "one-sided " if result.alternative in ("less", "greater") else ""
    return f"{side}{100 * result.confidence_level:g} % interval [{low:.4f}, {high:.4f}]"


def _units_text(result: Estimate | Comparison) -> str:
    """Return in words which models or lists the intervals are for."""
    return _model_text(result) + _retrained_text(result)


def _model_text(result: Estimate | Comparison) -> str:
    """Return the models or lists of the first interval, "" for a single ranking."""
    return "" if result.of is None else f" of {result.of}"


def _retrained_text(result: Estimate | Comparison) -> str:
    """Return the interval for models that are trained again, "" if unknown."""
    if result.confidence_interval_retrained is None:
        return ""
    low, high = result.confidence_interval_retrained
    return f" and [{low:.4f}, {high:.4f}] if retrained"


@dataclass(frozen=True)
class Comparison(Drawn):
    """A difference of two metrics with its test, as :func:`skrate.compare` returns it.

    Attributes
    ----------
    metric : str
        Name of the metric, or of both that are compared.
    value : float
        The difference: a minus b.
    value_a, value_b : float
        The metric of each.
    standard_error : float
        Estimated standard deviation of the difference over samples.
    statistic : float
        The difference divided by its standard error; the difference itself if the
        p-value is by permutation. With a margin, the distance from the margin (for
        equivalence, from its nearer end) replaces the difference.
    pvalue : float
        Probability of a statistic at least as extreme, if the difference were 0, or at
        the margin.
    confidence_interval : ConfidenceInterval
        The interval of the difference; its ends are ``.low`` and ``.high``.
    alternative : str
        The hypothesis that a small p-value supports.
    method : str
        Method of the p-value.
    confidence_level : float
        Level of the interval. For an equivalence test at level alpha it is
        1 - 2 * alpha: 0.9 at 0.05.
    params : dict
        Parameters of the metric, such as "rate", as numbers and text. For two metrics
        with different parameters, the names end in "_a" or "_b".
    of : str or None
        What the interval is for, as for :class:`Estimate`.
    confidence_interval_retrained : ConfidenceInterval or None
        The interval for models that are trained again, as for :class:`Estimate`.
    margin : float or None
        The margin of non-inferiority or equivalence, if one was given.

    Examples
    --------
    >>> from skrate import compare
    >>> result = compare(
    ...     "roc_auc", [1, 1, 0, 0], [4, 2, 3, 1], [4, 3, 1, 2]
    ... )
    >>> result.value, result.value_a, result.value_b
    (-0.25, 0.75, 1.0)
    """

    metric: str
    value: float
    value_a: float
    value_b: float
    standard_error: float
    statistic: float
    pvalue: float
    confidence_interval: ConfidenceInterval
    alternative: str
    method: str
    confidence_level: float
    params: Params = field(default_factory=dict, hash=False)
    of: str | None = None
    confidence_interval_retrained: ConfidenceInterval | None = None
    margin: float | None = None
    _find_equal_budget: Callable[[], EqualBudget] | None = field(
        default=None, repr=False, compare=False
    )

    def equal_budget(self) -> EqualBudget:
        """Return the budget with which b finds as many positives as a.

        It is for the recall at a fixed rate, and answers how many reviewers the better
        model is worth. The interval has the level and the side of this comparison. It
        is the connected range around the value of the budgets at which the recalls may
        be equal, by the pointwise intervals of :func:`compare_curves`. These are a
        little wider than the interval of :func:`compare`: near the level, they can
        contain the ratio 1 although the p-value of this comparison is below it.

        Returns
        -------
        budget : EqualBudget
            Its ``value`` is the rate of b divided by the rate of a; nan if the
            uncertainty of the comparison is unknown.

        Raises
        ------
        ValueError
            If the metric is not the recall of positives at one rate; for folds, lists,
            different samples, or a given ``prevalence``; or if the comparison was
            pickled, because the copy has no samples.
        """
        if self._find_equal_budget is None:
            raise ValueError(
                'equal_budget() needs compare("recall_at_rate", y_true, a, b, rate=r), '
                "with one rate, of models with the same samples, and not in lists or a "
                "pickled result. For folds use budget_report(reference=)."
            )
        return self._find_equal_budget()

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without the samples."""
        return vars(self) | {"_find_equal_budget": None}

    def _test_text(self) -> str:
        """Return the tested hypothesis: the alternative, or the one with a margin."""
        if self.margin is None:
            return self.alternative
        nulls = null_hypotheses(cast(Alternative, self.alternative), self.margin)
        return hypothesis_text("a - b", nulls)

    def __repr__(self) -> str:
        interval = interval_text(self) + _units_text(self)
        test = f"{self._test_text()}, {self.method}"
        return (
            f"Comparison({self.metric}{params_text(self.params)} "
            f"{self.value_a:.4f} - {self.value_b:.4f} = "
            f"{self.value:.4f}, {interval}, p = {self.pvalue:.3g} ({test}))"
        )


@dataclass(frozen=True)
class EqualBudget(Result):
    """The budget with which model b finds as many positives as model a.

    Attributes
    ----------
    rate : float
        The rate of a: the fraction of the samples that is processed.
    rate_b : float
        A rate at which b has the recall of a. If b has this recall at several rates,
        the one nearest to ``rate``.
    value : float
        ``rate_b / rate``: how many times as many samples b must process.
    confidence_interval : ConfidenceInterval
        The interval of ``value``. Its maximum is 1 / ``rate``: all samples.
    alternative : str
        The side of the interval, as of the comparison.
    confidence_level : float
        Level of the interval.

    See Also
    --------
    skrate.compare : Its result has the method ``equal_budget``.
    skrate.budget_report : Equal budgets as numbers of samples, also for folds.

    Examples
    --------
    >>> from skrate import compare
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0] * 10
    >>> a = [9, 8, 4, 3, 7, 6, 5, 2, 1, 0] * 10
    >>> b = [9, 6, 4, 3, 8, 7, 5, 2, 1, 0] * 10
    >>> compare("recall_at_rate", y_true, a, b, rate=0.2).equal_budget()
    EqualBudget(b has at rate=0.4 the recall of a at rate=0.2: 2.0000 times as many
    samples, 95 % interval [1.8057, 2.7667])
    """

    rate: float
    rate_b: float
    value: float
    confidence_interval: ConfidenceInterval
    alternative: str
    confidence_level: float

    def __repr__(self) -> str:
        return (
            f"EqualBudget(b has at rate={self.rate_b:.6g} the recall of a at "
            f"rate={self.rate:.6g}: {self.value:.4f} times as many samples, "
            f"{interval_text(self)})"
        )


@dataclass(frozen=True)
class Comparisons(Drawn, Rows):
    """All pairs of several models, as :func:`skrate.compare` returns them.

    ``comparisons["a", "b"]`` is the comparison of two models by their names.

    Attributes
    ----------
    names : tuple of str
        Names of the models.
    pairs : tuple of Comparison
        One comparison per pair, (0, 1), (0, 2), ..., (1, 2), ..., or of each model
        minus the reference; their p-values are not adjusted.
    adjusted_pvalues : tuple of float
        The p-value of each pair, adjusted for the number of pairs.
    covariance : array of shape (n_models, n_models)
        Covariance of the models' metrics, in the order of ``names``, by the delta
        method.
    reference : str or None
        Name of the model with which all models are compared; None for all pairs.
    adjust : str
        Adjustment of the p-values.

    Examples
    --------
    >>> from skrate import compare
    >>> y_scores = {"A": [4, 2, 3, 1], "B": [4, 1, 3, 2]}
    >>> compare("roc_auc", [1, 1, 0, 0], y_scores)["A", "B"].value
    0.25
    """

    names: tuple[str, ...]
    pairs: tuple[Comparison, ...]
    adjusted_pvalues: tuple[float, ...]
    covariance: FloatArray = field(compare=False)
    reference: str | None = None
    adjust: str = "holm"

    def __len__(self) -> int:
        return len(self.pairs)

    def _pair_names(self) -> list[tuple[str, str]]:
        base = None if self.reference is None else self.names.index(self.reference)
        return [
            (self.names[i], self.names[j])
            for i, j in model_pairs(len(self.names), base)
        ]

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.pairs)

    def __getitem__(self, key: int | tuple[str, str]) -> Comparison:
        if not isinstance(key, tuple | str):
            return self.pairs[key]
        pairs = self._pair_names()
        if key not in pairs:
            raise KeyError(f"{key!r} must be a number, or one of the pairs {pairs}.")
        return self.pairs[pairs.index(key)]

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, with a row per pair of models, "a" and "b"."""
        a, b = zip(*self._pair_names(), strict=True)
        columns = {"a": a, "b": b} | plain_columns(self.pairs)
        return plain_columns(columns | {"adjusted_pvalue": self.adjusted_pvalues})

    def __repr__(self) -> str:
        labels = [f"{a} - {b}" for a, b in self._pair_names()]
        width = max(len(label) for label in labels)
        lines = [
            f"  {label:<{width}}  {pair.value:8.4f}  "
            f"[{pair.confidence_interval.low:8.4f}, "
            f"{pair.confidence_interval.high:8.4f}]  p = {pvalue:.3g}"
            for label, pair, pvalue in zip(
                labels, self.pairs, self.adjusted_pvalues, strict=True
            )
        ]
        first = self.pairs[0]
        of = "" if first.margin is None else f" for {first._test_text()}"
        side = "" if first.alternative == "two-sided" else "one-sided "
        head = (
            f"Comparisons({first.metric}{params_text(first.params)}, "
            f"{side}{100 * first.confidence_level:g} % intervals, p-values{of}"
            f"{self._adjustment(' ')}:"
        )
        return "\n".join([head, *lines]) + ")"

    def _repr_html_(self) -> str:
        first, pairs = self.pairs[0], self._pair_names()
        level = f"{100 * first.confidence_level:g} % interval"
        lines = [html_row(["", "a", "b", "a - b", level, "p"], "th")]
        for (a, b), pair, pvalue in zip(
            pairs, self.pairs, self.adjusted_pvalues, strict=True
        ):
            ends = "{:.4f} to {:.4f}".format(*pair.confidence_interval)
            numbers = [f"{v:.4f}" for v in (pair.value_a, pair.value_b, pair.value)]
            lines.append(html_row([f"{a} - {b}", *numbers, ends, f"{pvalue:.3g}"]))
        metric = f"{first.metric}{params_text(first.params)}"
        test = f"p: {first._test_text()}{self._adjustment(', ')}"
        return html_table(lines, f"{metric}; {test}.")

    def _adjustment(self, between: str) -> str:
        """Return the text of the adjustment; "" for a single p-value."""
        how = f"{between}adjusted by {_ADJUSTED[self.adjust]}"
        return how if len(self.pairs) > 1 else ""


_ADJUSTED = {"holm": "Holm's method", "bh": "Benjamini and Hochberg's method"}


def model_pairs(n_models: int, reference: int | None = None) -> list[tuple[int, int]]:
    """Return the indices of all pairs of models, or of each with the reference."""
    if reference is None:
        return list(combinations(range(n_models), 2))
    return [(i, reference) for i in range(n_models) if i != reference]


@dataclass(frozen=True, kw_only=True, repr=False)
class Estimates(Drawn, Rows):
    """A metric of several models or labels, as :func:`skrate.estimate` returns it.

    ``result["a"]`` is the :class:`Estimate` of the model "a"; iteration yields the
    estimates in the order of the models. Columns of an array are named "0", "1", ....

    Attributes
    ----------
    names : tuple of str
        Names of the models.
    estimates : tuple of Estimate
        The estimate of each model; p-values are not adjusted.
    adjusted_pvalues : tuple of float or None
        The p-value of each model, adjusted for the number of models; None without a
        ``null_value``.
    adjust : str or None
        Adjustment of the p-values.
    kind : str
        What a row is: "model"; "label" if ``y_true`` had a column per label; "k" or
        "rate" if several were given.

    Examples
    --------
    >>> from skrate import estimate
    >>> models = {"a": [4, 2, 3, 1], "b": [4, 3, 1, 2]}
    >>> result = estimate("roc_auc", [1, 1, 0, 0], models)
    >>> result.names, result["b"].value
    (('a', 'b'), 1.0)
    """

    names: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    adjusted_pvalues: tuple[float, ...] | None = None
    adjust: str | None = None
    kind: str = "model"
    _index = property(attrgetter("kind"))
    # The maximum number of printed rows.
    _n_shown: ClassVar[int] = 10

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __getitem__(self, model: Any) -> Estimate:
        """Return the estimate of a model, by its name."""
        if str(model) in self.names:
            return self.estimates[self.names.index(str(model))]
        names = ", ".join(map(repr, self.names[: self._n_shown]))
        raise KeyError(f"{model!r} is not a {self.kind}: use one of {names}.")

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per model, with the metric's parameters."""
        columns = {self.kind: self.names, **plain_columns(self.estimates)}
        if self.adjusted_pvalues is not None:
            columns["adjusted_pvalue"] = self.adjusted_pvalues
        return plain_columns(columns)

    def __repr__(self) -> str:
        first, test = self.estimates[0], ""
        if self.adjust is not None:
            null = Null(cast(float, first.null_value), cast(Any, first.alternative))
            how = f" adjusted by {_ADJUSTED[self.adjust]}" if len(self) > 1 else ""
            test = f", p-values for {hypothesis_text(first.metric, [null])}{how}"
        side = "one-sided " if first.alternative in ("less", "greater") else ""
        width = max(map(len, self.names[: self._n_shown]))
        lines = []
        for i, estimate in enumerate(self.estimates[: self._n_shown]):
            low, high = estimate.confidence_interval
            p = self.adjusted_pvalues and f"  p = {self.adjusted_pvalues[i]:.3g}"
            own_sizes = f"  ({_sizes_text(estimate)})" if self.kind == "label" else ""
            lines.append(
                f"  {self.names[i]:<{width}}  {estimate.value:8.4f}  [{low:8.4f}, "
                f"{high:8.4f}]{_retrained_text(estimate)}{p or ''}{own_sizes}"
            )
        if len(self) > self._n_shown:
            lines.append(f"  and {len(self) - self._n_shown} more")
        sizes = "" if self.kind == "label" else f"{_sizes_text(first)}, "
        params = {n: param for n, param in first.params.items() if n != self.kind}
        rows = "values of k" if self.kind == "k" else self.kind + "s"
        head = (
            f"Estimates({first.metric}{params_text(params)} of {len(self)} "
            f"{rows if len(self) > 1 else self.kind}, {side}"
            f"{100 * first.confidence_level:g} % intervals"
            f"{_model_text(first)}{test}; "
            f"{sizes}{first.method}:"
        )
        return "\n".join([head, *lines]) + ")"


def _sizes_text(estimate: Estimate) -> str:
    """Return the class sizes as text."""
    return f"n_pos={estimate.n_pos:g}, n_neg={estimate.n_neg:g}"
