"""What functions return: frozen, with fields named as in :mod:`scipy.stats`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import combinations
from typing import Any, ClassVar, NamedTuple, TypeAlias, cast

import numpy as np
from scipy import special
from sklearn.base import BaseEstimator

from skrate.data.arrays import FloatArray, Label, lazy
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
    Null,
    hypothesis_text,
    null_hypotheses,
)
from skrate.rates.laws import Fixed, is_scipy_distribution, scipy_name

# Parameters by name, as numbers and text.
Question: TypeAlias = dict[str, Any]


def written(value: Any) -> str:
    """Return a parameter in one line: distributions and functions by name."""
    if isinstance(value, type):
        return value.__name__
    if is_scipy_distribution(value):
        return scipy_name(value)
    if isinstance(value, Mapping):
        pairs = (f"{key!r}: {written(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, tuple | list) and len(value) <= 4:
        inner = ", ".join(map(written, value))
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if not isinstance(value, str) and np.ndim(getattr(value, "shape", 0)):
        return f"{type(value).__name__} of shape {tuple(value.shape)}"
    # Scorers have a name, too, which leaves their parameters out.
    is_object = isinstance(value, BaseEstimator)
    return str((not is_object and getattr(value, "__name__", None)) or shown(value))


def rendered(value: Any) -> Any:
    """Return a parameter as a number or as text; a rate that is known is a number."""
    if isinstance(value, Fixed):
        value = value.r
    if isinstance(value, np.generic):
        value = value.item()
    is_plain = isinstance(value, bool | int | float | str)
    return value if is_plain else written(value)


def merge_questions(questions: Sequence[Question]) -> Question:
    """Return what two metrics are asked, "_a" or "_b" after names where it differs."""
    first = questions[0]
    if all(one == first for one in questions):
        return first
    return {
        f"{name}_{which}": value
        for which, one in zip("ab", questions, strict=True)
        for name, value in one.items()
    }


def question_text(question: Question) -> str:
    """Return parameters as they follow the name of a metric, "" without any."""
    if not question:
        return ""
    pairs = (
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in question.items()
    )
    return f" ({', '.join(pairs)})"


class ConfidenceInterval(NamedTuple):
    """The ends of a confidence interval."""

    low: float
    high: float


def t_quantile(level: float, freedom: float = np.inf) -> float:
    """Return t with P(-t < T < t) = ``level`` for Student's T, normal by default."""
    # By the lower tail, which keeps its digits where the level is nearly 1.
    tail = (1 - level) / 2
    lower = special.ndtri(tail) if np.isinf(freedom) else special.stdtrit(freedom, tail)
    # At a level of nearly 0 rounding may leave it above 0.
    return max(-float(lower), 0.0)


def t_interval(
    value: float,
    standard_error: float,
    level: float,
    limits: tuple[float, float],
    freedom: float = np.inf,
) -> ConfidenceInterval:
    """Return the symmetric interval by Student's t within limits; nan if an end is."""
    half = t_quantile(level, freedom) * standard_error
    return clip_interval(value - half, value + half, limits)


def one_sided(
    ends: ConfidenceInterval, alternative: str, limits: tuple[float, float]
) -> ConfidenceInterval:
    """Return an interval of which one end is left, as of a test of that side.

    Its other end is a limit; unknown ends stay unknown.
    """
    if alternative == "two-sided" or np.isnan(ends).any():
        return ends
    if alternative == "greater":
        return ends._replace(high=float(limits[1]))
    return ends._replace(low=float(limits[0]))


def clip_interval(
    low: float, high: float, limits: tuple[float, float]
) -> ConfidenceInterval:
    """Return what of an interval lies within the limits."""
    low, high = np.clip([low, high], *limits)
    return ConfidenceInterval(float(low), float(high))


class Result:
    """What all results share: they are plain data, and numbers where they have one."""

    # The fields of its number and of the interval, and the column that names rows.
    _number: ClassVar[tuple[str, str]] = ("value", "confidence_interval")
    _index: ClassVar[str | None] = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers, strings and lists.

        The ends of the confidence interval are "low" and "high"; ends of other fields
        have the field's name as a prefix. What is None is left out. The parameters of
        the metric, such as "rate", are entries by their names.
        """
        flat: dict[str, Any] = {}
        for one in fields(self):  # type: ignore[arg-type]
            name, value = one.name, getattr(self, one.name)
            if name[0] == "_":
                continue
            if isinstance(value, tuple) and hasattr(value, "low"):
                prefix = f"{name}_".removeprefix("confidence_interval_")
                for end, bound in zip(("low", "high"), value, strict=True):
                    flat[prefix + end] = plain(bound)
            elif name == "params":
                flat |= value
            elif value is not None:
                flat[name] = plain(value)
        return flat

    def __float__(self) -> float:
        value = getattr(self, self._number[0], None)
        if value is None:
            told = (one.name for one in fields(self))  # type: ignore[arg-type]
            names = ", ".join(name for name in told if name[0] != "_")
            raise TypeError(
                f"{type(self).__name__} has no single value that could be its number: "
                f"take one of its fields, {names}."
            )
        return float(value)

    def __format__(self, spec: str) -> str:
        """Return the value as a float is formatted, with its interval after "[]".

        Without a specification it is the text of ``print``.
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
                "to_frame makes a data frame of pandas, which is not installed: "
                '"pip install pandas", or take the columns from to_dict.'
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
        """Return the result as a page of HTML that loads nothing from elsewhere.

        Parameters
        ----------
        title : str, default=None
            Title of the page; None takes the name of the class.
        others : dict, default=None
            Further results, displays or texts to show below, keyed by heading.
        **kwargs : dict
            Keyword arguments for ``plot``, if the result has that method.

        Returns
        -------
        page : str
            The page: the table and, if the result can be drawn and matplotlib is
            installed, its figure.
        """
        others = {} if others is None else others
        if not isinstance(others, Mapping):
            raise ValueError(f"others must be a dict by heading, got {shown(others)}.")
        parts = [self._html(**kwargs)]
        for heading, one in others.items():
            if not isinstance(one, str) and not hasattr(one, "_html"):
                raise ValueError(
                    "others must hold texts, and results and displays of skrate, got "
                    f"{shown(one)} for {shown(heading)}."
                )
            part = html_text(one) if isinstance(one, str) else one._html()
            parts.append(html_text(str(heading), "h2") + part)
        return html_page(type(self).__name__ if title is None else str(title), parts)

    def _html(self) -> str:
        """Return what a page shows."""
        return self._repr_html_()


class Rows(Result):
    """A result of several rows."""

    def _columns(self) -> dict[str, Any]:
        return self.to_dict()


class Drawn(Result):
    """A result that a display draws; the display registers itself by ``draws``."""

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

    def _html(self, *, pos_label: Label = None, **kwargs: Any) -> str:
        try:
            display = self._display(self, pos_label=pos_label)
        except ValueError as error:
            # It is undefined.
            return self._repr_html_() + html_text(str(error))
        return self._repr_html_() + str(display._html(**kwargs))


def plain_columns(
    rows: Sequence[Result] | Mapping[str, Any], /, **same: Any
) -> dict[str, list[Any]]:
    """Return rows, or columns, as plain columns, with what is the ``same`` in all."""
    if not isinstance(rows, Mapping):
        each = [row.to_dict() for row in rows]
        names = dict.fromkeys(name for row in each for name in row)
        rows = {name: [row.get(name) for row in each] for name in names}
    columns = {name: plain(column) for name, column in rows.items()}
    n_rows = len(next(iter(columns.values())))
    return columns | {name: [value] * n_rows for name, value in same.items()}


@dataclass(frozen=True)
class Estimate(Result):
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
        Number of positives and of negatives; repetitions count.
    method : str
        How the standard error was found.
    confidence_level : float
        Level of the interval.
    params : dict
        Parameters of the metric, such as "rate", as numbers and text.
    of : str or None
        "these models" where the value is a mean over folds, and the interval is for
        their models as they were trained; the number of lists, and of their clusters,
        where it is a mean over lists. Else None.
    confidence_interval_retrained : ConfidenceInterval or None
        The interval for a model that is trained again, on other cases or on all of
        these; None unless the folds come from a cross-validation.
    bias : float or None
        How much the mean over folds exceeds the mean of the same models on many cases,
        by the jackknife; the interval allows for it. None where it is unknown.
    alternative : str or None
        The hypothesis that a small p-value speaks for, and the side of the interval;
        None for an interval of both sides without a test.
    null_value : float or None
        The value that is tested, if one was given.
    statistic : float or None
        How far the metric is from it, in standard errors; by "wilson" in those that
        there would be if it were true.
    pvalue : float or None
        Probability of a metric as far off, if the null value were true.
    influence : array of shape (n_samples,) or None
        Contribution of each sample to the metric, computed when it is first asked for:
        the value plus the influence divided by n is about the metric with one more
        sample of that kind. For folds there is a value per row of the rankings. None
        for a RankTable, a mean over lists, and a result that was pickled before.

    Notes
    -----
    ``float(result)`` is the value, which a format concerns; "[]" after the format adds
    the interval.

    The influence of a positive is (g_P - mean) / p, and of a negative (g_Q - mean) /
    (1 - p), plus (y - p) g_p, in the symbols of :func:`skrate.estimate`. The weighted
    mean is 0. For independent samples without folds of repeats, the mean of the squares
    divided by n is the variance of the delta method (with the AUC, DeLong's), and with
    sampling weights w of mean 1, ``sum((w * influence)**2) / sum(w)**2``. It is nan
    where the standard error is unknown, and 0 for a sample of weight 0. With
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
    params: Question = field(default_factory=dict, hash=False)
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

    @lazy
    def influence(self) -> FloatArray | None:
        """Contribution of each sample to the metric."""
        return None if self._find_influence is None else self._find_influence()

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without the sample, and the influence if it is known."""
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
            f"Estimate({self.metric}{question_text(self.params)} {self.value:.4f}, "
            f"{interval_text(self)}"
            f"{_units_text(self)}{bias}{test}, "
            f"standard error {self.standard_error:.4g}; n_pos={self.n_pos:g}, "
            f"n_neg={self.n_neg:g}, {self.method})"
        )


def interval_text(result: Estimate | Comparison) -> str:
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
        Estimated standard deviation of the difference over samples; of tables whose
        correlation is unknown, it, the statistic and the p-value are at 0.
    statistic : float
        The difference over its standard error; the difference itself where the
        p-value is by permutation. With a margin the distance from it: from the nearer
        end where equivalence is tested.
    pvalue : float
        Probability of a statistic as far off, if there were no difference, or one that
        is at the margin.
    confidence_interval : ConfidenceInterval
        Of the difference; its ends are ``.low`` and ``.high``. For tables with unknown
        correlation, it contains the intervals at all correlations.
    alternative : str
        The hypothesis that a small p-value speaks for.
    method : str
        How the p-value was found.
    confidence_level : float
        Level of the interval. For a test of equivalence it is 1 - 2 * level of the
        test: 0.9 at 0.05.
    correlation : float or None
        That of the values of two tables, if it was given.
    min_significant_correlation : float or None
        The correlation of two tables above which the p-value would be below 1
        minus the confidence level: 1 if none would do, -1 if any would.
    params : dict
        Parameters of the metric, such as "rate", as numbers and text; of two metrics
        with "_a" or "_b" after their names where they differ.
    of : str or None
        "these models" where the value is a mean over folds, and the interval is for
        their models as they were trained; the number of lists, and of their clusters,
        where it is a mean over lists. Else None.
    confidence_interval_retrained : ConfidenceInterval or None
        The interval for a model that is trained again, on other cases or on all of
        these; None unless the folds come from a cross-validation.
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
    correlation: float | None = None
    min_significant_correlation: float | None = None
    params: Question = field(default_factory=dict, hash=False)
    of: str | None = None
    confidence_interval_retrained: ConfidenceInterval | None = None
    margin: float | None = None

    def _test_text(self) -> str:
        """Return what was tested: the alternative, or the difference at a margin."""
        if self.margin is None:
            return self.alternative
        nulls = null_hypotheses(cast(Alternative, self.alternative), self.margin)
        return hypothesis_text("a - b", nulls)

    def __repr__(self) -> str:
        interval = interval_text(self) + _units_text(self)
        test, least = f"{self._test_text()}, {self.method}", ""
        if self.min_significant_correlation is not None:
            at = self.min_significant_correlation
            where = f"above correlation {at:.2f}"
            if at in (-1, 1):
                where = f"at {'no' if at == 1 else 'any'} correlation"
            least = f", significant {where}"
            test += f", correlation {self.correlation or 0:g}"
            if self.correlation is None:
                interval += " at any correlation"
        return (
            f"Comparison({self.metric}{question_text(self.params)} "
            f"{self.value_a:.4f} - {self.value_b:.4f} = "
            f"{self.value:.4f}, {interval}, p = {self.pvalue:.3g} ({test}){least})"
        )


@dataclass(frozen=True)
class Comparisons(Drawn, Rows):
    """All pairs of several models, as :func:`skrate.compare` returns them.

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
        Of the models' metrics, in the order of ``names``, by the delta method.
    reference : str or None
        Name of the model that the others are compared with; None for all pairs.
    adjust : str
        How the p-values were adjusted.

    Examples
    --------
    >>> from skrate import compare
    >>> y_scores = {"A": [4, 2, 3, 1], "B": [4, 1, 3, 2]}
    >>> compare("roc_auc", [1, 1, 0, 0], y_scores).names
    ('A', 'B')
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

    def __getitem__(self, position: int) -> Comparison:
        return self.pairs[position]

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per pair, whose models are "a" and "b"."""
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
            f"Comparisons({first.metric}{question_text(first.params)}, "
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
            values = [f"{v:.4f}" for v in (pair.value_a, pair.value_b, pair.value)]
            lines.append(html_row([f"{a} - {b}", *values, ends, f"{pvalue:.3g}"]))
        asked = f"{first.metric}{question_text(first.params)}"
        tested = f"p: {first._test_text()}{self._adjustment(', ')}"
        return html_table(lines, f"{asked}; {tested}.")

    def _adjustment(self, between: str) -> str:
        """Return how p-values were adjusted; a single one is not."""
        how = f"{between}adjusted by {_ADJUSTED[self.adjust]}"
        return how if len(self.pairs) > 1 else ""


_ADJUSTED = {"holm": "Holm's method", "bh": "Benjamini and Hochberg's method"}


def model_pairs(n_models: int, reference: int | None = None) -> list[tuple[int, int]]:
    """Return the places of all pairs of models, or of each with the reference."""
    if reference is None:
        return list(combinations(range(n_models), 2))
    return [(i, reference) for i in range(n_models) if i != reference]


# Rows that are printed.
_SHOWN = 10


@dataclass(frozen=True, kw_only=True, repr=False)
class Estimates(Drawn, Rows):
    """A metric of several models, as :func:`skrate.estimate` returns it.

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
        How the p-values were adjusted.

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
    _index = "model"

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __getitem__(self, model: Any) -> Estimate:
        """Return the estimate of a model, by its name."""
        if str(model) in self.names:
            return self.estimates[self.names.index(str(model))]
        some = ", ".join(map(repr, self.names[:_SHOWN]))
        raise KeyError(f"{model!r} is no model: there are {some}.")

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per model, with the metric's parameters."""
        columns = {"model": self.names, **plain_columns(self.estimates)}
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
        width = max(map(len, self.names[:_SHOWN]))
        lines = []
        for i, one in enumerate(self.estimates[:_SHOWN]):
            low, high = one.confidence_interval
            p = self.adjusted_pvalues and f"  p = {self.adjusted_pvalues[i]:.3g}"
            lines.append(
                f"  {self.names[i]:<{width}}  {one.value:8.4f}  "
                f"[{low:8.4f}, {high:8.4f}]{_retrained_text(one)}{p or ''}"
            )
        if len(self) > _SHOWN:
            lines.append(f"  and {len(self) - _SHOWN} more")
        head = (
            f"Estimates({first.metric}{question_text(first.params)} of {len(self)} "
            f"model{'s' * (len(self) > 1)}, {side}{100 * first.confidence_level:g} % "
            "intervals"
            f"{_model_text(first)}{test}; "
            f"n_pos={first.n_pos:g}, n_neg={first.n_neg:g}, {first.method}:"
        )
        return "\n".join([head, *lines]) + ")"


_TINY = float(np.finfo(np.float64).tiny)


def wilson_ends(value: Any, bounds: tuple[Any, Any], k: Any) -> tuple[Any, Any]:
    """Return the roots x of (x - v)^2 = k x (1 - x), for one value or for many.

    x and v are the shares that the end and the value are of the way between bounds. Of
    a share in n cases k is z^2 / n, with the normal quantile z.
    """
    low, high = bounds
    # Of a greater k nothing is left out, and its square may be infinite.
    is_boundless = k > 1e100
    k = np.where(is_boundless, 1.0, k)
    # Each distance as such: of a far bound 1 less the other would be all rounding.
    above, below = (value - low) / (high - low), (high - value) / (high - low)
    half = np.sqrt(k * above * below + k**2 / 4)
    # Each root as its distance from either bound.
    from_low = above + k / 2 + half
    from_high = below + k / 2 + half
    least = _bound_value(
        above**2 / np.maximum(from_low, _TINY), from_high / (1 + k), bounds
    )
    most = _bound_value(
        from_low / (1 + k), below**2 / np.maximum(from_high, _TINY), bounds
    )
    # Rounding must not leave the value outside of a narrow one.
    return (
        np.where(is_boundless, low, np.minimum(least, value)),
        np.where(is_boundless, high, np.maximum(most, value)),
    )


def _bound_value(above: Any, below: Any, bounds: tuple[Any, Any]) -> Any:
    """Return what lies these shares of the way from the bounds, by the nearer one."""
    low, high = bounds
    width = high - low
    return np.where(above < below, low + width * above, high - width * below)
