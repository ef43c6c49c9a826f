"""The report card of models under a budget."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from scipy import special, stats

from skrate.data.arrays import Array, ArrayLike, FloatArray, IntArray, Label
from skrate.data.checks import (
    Check,
    check_arguments,
    check_count,
    check_fraction,
    or_none,
    warn_undefined,
)
from skrate.data.folds import FoldRankings, are_fold_rankings, check_cuts
from skrate.data.representations import html_row, html_table, html_title
from skrate.data.table import RankTable
from skrate.inference.cautions import (
    defined_value,
    no_inference_reason,
    warn_small_sample,
)
from skrate.inference.curve_evaluation import (
    CurveProcess,
    curve_process,
    evaluate_curve,
)
from skrate.inference.evaluation import Evaluation, OnRanking, warn_reversed_scores
from skrate.inference.intervals import adjusted
from skrate.inference.models import find_model_rankings
from skrate.inference.options import Plan
from skrate.inference.permutation_pvalue import chance_pvalue
from skrate.inference.rankings import (
    OF_CASES,
    WEIGHTS,
    Ranked,
    RankingsOfModels,
    ScoresOfModels,
    Weights,
    are_columns,
    find_rankings,
    pool_folds,
)
from skrate.inference.units import Units
from skrate.inference.variance import (
    degrees_of_freedom,
    influence_parts,
    influence_values,
    is_zero_variance,
    table_variance,
)
from skrate.metrics.at_rate import (
    LiftAtRate,
    PrecisionAtRate,
    RecallAtRate,
    check_not_one_case,
)
from skrate.metrics.hypothesis_tests import NEGLIGIBLE
from skrate.metrics.metric import Metric, Slopes, is_defined
from skrate.metrics.recall import (
    cut_positive_fraction,
    expected_recall,
    recall_slopes,
    table_recalls,
)
from skrate.metrics.result_types import (
    ConfidenceInterval,
    Drawn,
    Result,
    Rows,
    clip_interval,
    plain_columns,
    rendered,
    t_quantile,
)
from skrate.rates.laws import RateDistribution, RateLike, check_rate, fixed_rate

# Labels, or what stands for them and the scores of one model, or of several.
RankingsLike: TypeAlias = ArrayLike | RankTable | FoldRankings | RankingsOfModels
_Count = Literal["found", "missed", "false alarms"]
_Share = Literal["recall", "precision", "lift", "number needed"]
# Of a model against the reference.
_More = Literal["more found", "more false alarms", "equal budget"]
Quantity = _Count | _Share | _More
COUNTS, DIFFERENCES = get_args(_Count), get_args(_More)
QUANTITIES = COUNTS + get_args(_Share)
_PVALUE = "p is the probability that a random order finds at least as much."
_MEANS = (
    "Precision and lift are means over budgets; the number needed is the mean\n"
    "number processed divided by the mean number found."
)
_AGAINST = "Against the reference, p tests whether the numbers found differ{}."
_HOLM = ",\nadjusted by Holm's method"
_EQUAL = "Equal budget: the number of cases in which the reference finds as many."
_NAN = float("nan")
_UNKNOWN = ConfidenceInterval(_NAN, _NAN)
_ARGUMENTS: dict[str, Check] = {
    "n_items": or_none(check_count),
    "confidence_level": check_fraction,
    "weights": WEIGHTS,
}
# Budgets that stand for their distribution, each with a share of positives of its own.
_POINTS = 1024
# The shares are spread over their distribution by multiples of the golden ratio, which
# fill the unit interval evenly for any few budgets in a row.
_GOLDEN = (np.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class BudgetRow(Result):
    """One quantity of one model: a row of :func:`skrate.budget_report`.

    Attributes
    ----------
    model : str
        The model.
    quantity : str
        "found", "missed" or "false alarms", which are counts, "recall", "precision",
        "lift" or "number needed"; against a reference the counts "more found" and "more
        false alarms", which are below 0 where they are fewer, and at a known rate the
        "equal budget": the number of cases in which the reference finds as many.
    value, chance : float
        Its expectation over the budget, and for a random ranking; None for an equal
        budget.
    confidence_interval : ConfidenceInterval
        Of the expectation; its ends are ``.low`` and ``.high``.
    pvalue : float
        Probability that a random ranking finds at least as much, the same in all rows
        of a model; against a reference the p-value of :func:`compare`, by Holm's
        method.
    prediction_interval : ConfidenceInterval or None
        Of the count in the next batch; None without ``n_items``, and for what is no
        count.

    Examples
    --------
    >>> from skrate import budget_report
    >>> y_true = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> y_score = range(10, 0, -1)
    >>> row = budget_report(y_true, y_score, rate=0.5)["found"]
    >>> round(row.value, 9), row.chance
    (3.0, 2.0)
    """

    model: str
    quantity: Quantity
    value: float
    confidence_interval: ConfidenceInterval
    chance: float | None
    pvalue: float
    prediction_interval: ConfidenceInterval | None = None


@dataclass(frozen=True)
class BudgetReport(Drawn, Rows):
    """What a budget will find, as :func:`skrate.budget_report` returns it.

    It prints as a table, has a length, and its rows are found by position, by the
    quantity (of the one model), by the model and the quantity, or in a loop.

    Attributes
    ----------
    rows : tuple of BudgetRow
        One per model and quantity.
    rate : RateDistribution
        The distribution of the rate.
    n_samples : float
        What counts are of: the next batch, else the cases at hand.
    n_items : int or None
        Size of the next batch.
    confidence_level : float
        Level of all intervals.
    prevalence : float
        Share of the positives in the cases at hand.
    curves : tuple of CurveProcess
        The hits of each model by rate, for the picture; none where undefined.
    reference : str or None
        The model that others are compared with, in the last rows.

    Examples
    --------
    >>> from skrate import budget_report
    >>> y_true = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> y_score = range(10, 0, -1)
    >>> report = budget_report(y_true, y_score, rate=0.5)
    >>> len(report), report[0].quantity, report["lift"].value
    (7, 'found', 1.5)
    """

    rows: tuple[BudgetRow, ...]
    rate: RateDistribution
    n_samples: float
    n_items: int | None
    confidence_level: float
    prevalence: float
    curves: tuple[CurveProcess, ...] = field(compare=False)
    reference: str | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(dict.fromkeys(row.model for row in self.rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[BudgetRow]:
        return iter(self.rows)

    def __getitem__(self, which: int | str | tuple[str, str]) -> BudgetRow:
        if isinstance(which, int):
            return self.rows[which]
        models, asked = self.models, which
        if isinstance(which, str):
            which = (models[0], which) if len(models) == 1 else ("", which)
        for row in self.rows:
            if (row.model, row.quantity) == which:
                return row
        raise KeyError(
            f"{asked!r} is no row: ask for [model, quantity], of the models "
            f"{list(models)} and the quantities {list(QUANTITIES)}; or, of others than "
            f"the reference, {list(DIFFERENCES)}."
        )

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name, as ``pandas.DataFrame`` takes them.

        With ``n_items`` also "prediction_interval_low" and "prediction_interval_high",
        None for what is no count; with ``reference`` also its name.
        """
        known = {} if self.reference is None else {"reference": self.reference}
        return plain_columns(self.rows, rate=rendered(self.rate), **known)

    def __repr__(self) -> str:
        blocks = [line for block in self._blocks() for line in block]
        table = "\n".join(_aligned([self._head(), *blocks]))
        return "\n".join([self._budget(), "", table, *self._notes()])

    def _repr_html_(self) -> str:
        head = self._head()
        lines = [html_row(head, "th")]
        for model, *rows in self._blocks():
            lines.append(html_title(model[0], len(head)))
            lines += map(html_row, rows)
        return html_table(lines, " ".join([self._budget(), *self._notes()]))

    def _budget(self) -> str:
        """Return in words how many cases will be processed, and of which."""
        level, n = self.confidence_level, self.n_samples
        low, high = self.rate.ppf([(1 - level) / 2, (1 + level) / 2])
        which = "at hand" if self.n_items is None else "of the next batch"
        mean = n * self.rate.mean()
        digits = 0 if mean >= 10 or mean == round(mean) else 1
        text = f"{mean:,.{digits}f} of the {n:,.0f} cases {which} will be processed"
        if low == high:
            return f"{text}."
        between = f"between {n * low:,.0f} and {n * high:,.0f}"
        return f"{text} on average,\n{between} with probability {level:g}."

    def _notes(self) -> list[str]:
        notes = [_PVALUE]
        if self.reference is not None:
            notes.append(_AGAINST.format(_HOLM if len(self.models) > 2 else ""))
            if any(row.quantity == "equal budget" for row in self.rows):
                notes.append(_EQUAL)
        return notes if fixed_rate(self.rate) is not None else [*notes, _MEANS]

    def _head(self) -> list[str]:
        level = f"{100 * self.confidence_level:g} %"
        head = ["", "expected", f"{level} interval", "by chance"]
        return head if self.n_items is None else [*head, f"next batch, {level}"]

    def _blocks(self) -> Iterator[list[list[str]]]:
        """Yield for each model the cells of a line that names it, and of its rows."""
        width = len(self._head())
        kinds: dict[tuple[str, str], list[BudgetRow]] = {}
        for row in self.rows:
            against = (
                f" against {self.reference}" if row.quantity in DIFFERENCES else ""
            )
            kinds.setdefault((row.model, against), []).append(row)
        for (model, against), rows in kinds.items():
            pvalue = rows[0].pvalue
            text = "p < 1e-300" if pvalue == 0 else f"p = {pvalue:.2g}"
            name = " ".join((model + against).splitlines())
            head = [f"{name} ({text})", *[""] * (width - 1)]
            yield [head, *(_cells(row)[:width] for row in rows)]


def _cells(row: BudgetRow) -> list[str]:
    """Return a row as text, with the digits that its interval and chance need."""
    low, high = row.confidence_interval
    digits = _digits(high - low)
    if digits is None:
        digits = _digits(row.value) or 0
    value, *ends = (f"{number:,.{digits}f}" for number in (row.value, low, high))
    # Of less than what the interval is about there would be nothing to see.
    chance = ""
    if row.chance is not None:
        chance = f"{row.chance:,.{max(digits, _digits(row.chance) or 0)}f}"
    batch = ""
    if row.prediction_interval is not None:
        batch = "{:,.0f} to {:,.0f}".format(*row.prediction_interval)
    return [f"  {row.quantity}", value, " to ".join(ends), chance, batch]


def _digits(number: float) -> int | None:
    """Return the digits behind the point that show two figures of a number, if any."""
    # Rounding leaves less.
    if not 1e-9 < number < math.inf:
        return None
    return min(max(1 - math.floor(math.log10(number)), 0), 9)


def _aligned(lines: list[list[str]]) -> list[str]:
    """Return lines of cells as columns, the first to the left and others right.

    A line with one cell only may be longer.
    """
    rows = [line for line in lines if any(line[1:])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def budget_report(
    y_true: RankingsLike,
    y_score: ScoresOfModels | None = None,
    *,
    rate: RateLike,
    n_items: int | None = None,
    reference: Any = None,
    confidence_level: float = 0.95,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
) -> BudgetReport:
    """Report what models will find under a budget, miss and waste, in counts.

    The expected numbers of positives found and missed and of false alarms, recall,
    precision, lift and the number needed, each with its interval and what a random
    order would give; and intervals for the counts of the batch that is ranked next.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or, without ``y_score``, a table of counts, or the
        rankings of folds, or a mapping of such rankings by model.
    y_score : array-like, mapping or data frame, default=None
        Scores of shape (n_samples,), higher for the positive class; or of several
        models: a mapping or data frame with an entry or column per model, or an array
        of shape (n_samples, n_models) with two or more columns, named by their numbers.
    rate : "uniform", float or distribution
        The share of all cases that will be processed: a number in (0, 1], a frozen
        ``scipy.stats`` distribution or one from :mod:`skrate.rates`.
    n_items : int, default=None
        Size of the next batch, which counts and prediction intervals are then of. None
        counts the cases at hand.
    reference : str or int, default=None
        The name of the model that all others are compared with: how many more they
        find, and how many more false alarms they raise. Columns of an array and entries
        of a list are named by their numbers, from 0. None compares none.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient; the next batch has some, too.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are: "frequency" are whole numbers of repetitions of a case,
        "sampling" the inverse probabilities with which cases were sampled. For a
        case-control sample pass ``prevalence`` to the average precision instead.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    report : BudgetReport
        With one row per model and quantity, and with ``reference`` two more of each
        other model, at a known rate three. Intervals are nan where the sample has fewer
        than two cases of a class, and recall and lift without a positive; the number
        needed is infinite where nothing is found.

    Raises
    ------
    ValueError
        If ``rate`` is the integer 1, which may be one case or all of them, two models
        have one name, ``reference`` is none of several, or folds, labels, scores,
        weights or clusters do not fit.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases, or the rate is certain to be 0.
    UserWarning
        If a known rate leaves fewer than 5 cases above the cut, or scores may be turned
        round; with ``reference`` as :func:`compare` warns.

    See Also
    --------
    sklearn.metrics.classification_report : Precision and recall of predicted labels.
    BudgetReportDisplay : Draws it.

    Notes
    -----
    Found is n E[H(R)], of the rate R, the number n of cases that counts are of, and the
    hit curve H(r): the positives in the first r, as a share of all cases. Precision
    and lift are means over budgets that process something; in the number needed, E[R] /
    E[H(R)], large budgets count more. For folds H(r) is the number found if the same
    share r of each is processed; a case tested in several repeats counts once.

    Intervals are for expectations over budgets and batches, as in :func:`estimate`; for
    counts they include the uncertainty of the prevalence. A prediction interval covers
    the count of a single batch under a single budget. The p-value compares with a
    random order.
    Against a ``reference``, interval and p-value come from :func:`compare` of the hits.
    The equal budget is the rate r' at which the reference finds as many as the model
    does at its rate; its interval has all r' at which the difference of the two, with
    its interval as :func:`compare_curves` has it, may be 0. In seven simulations of 400
    samples it covered in 0.94 to 0.96 at a level of 0.95.
    :ref:`counts_and_a_report_card` has all rows, and how they are made.

    Cost: one sort per model.

    Examples
    --------
    Two models, and a budget that is known roughly:

    >>> import numpy as np
    >>> from skrate import budget_report, rates
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(1_000) < 0.1
    >>> models = {
    ...     "forest": rng.normal(size=1_000) + 2 * y_true,
    ...     "linear": rng.normal(size=1_000) + y_true,
    ... }
    >>> budget_report(
    ...     y_true, models, rate=rates.beta(3, 19), n_items=5_000
    ... )
    682 of the 5,000 cases of the next batch will be processed on average,
    between 152 and 1,519 with probability 0.95.
    <BLANKLINE>
                     expected  95 % interval  by chance  next batch, 95 %
    forest (p = 5.9e-41)
      found               306     250 to 363         61        131 to 437
      missed              139      99 to 195        384         36 to 325
      false alarms        376     319 to 432        621       15 to 1,120
      recall             0.69   0.62 to 0.75       0.14
      precision          0.54   0.44 to 0.62      0.089
      lift                6.0     5.4 to 6.7        1.0
      number needed      2.23   1.88 to 2.72      11.24
    linear (p = 6.6e-16)
      found               188     144 to 239         61         74 to 312
      missed              257     199 to 331        384        140 to 397
      false alarms        494     443 to 538        621       68 to 1,233
      recall             0.42   0.35 to 0.50       0.14
      precision          0.32   0.24 to 0.41      0.089
      lift                3.6     2.9 to 4.3        1.0
      number needed       3.6     2.9 to 4.7       11.2
    p is the probability that a random order finds at least as much.
    Precision and lift are means over budgets; the number needed is the mean
    number processed divided by the mean number found.
    """
    check_not_one_case(rate, "rate=1/N is one of N cases")
    law, arguments = check_rate(rate), check_arguments(_ARGUMENTS, locals())
    n_items, level = arguments["n_items"], arguments["confidence_level"]
    cases = {name: arguments[name] for name in OF_CASES}
    ranked = _ranked_models(y_true, y_score, weights, cases, law)
    base, first = _check_reference(reference, ranked), next(iter(ranked.values()))
    if first.estimated is not None and n_items is not None:
        raise ValueError(
            "n_items is for counts of the next batch, and nothing is known of those by "
            "the estimated labels in y_true: leave it out, and scale the counts."
        )
    of_models = "y_true" if y_score is None else "y_score"
    if are_columns(y_score) or len(ranked) > 1:
        of_models += "[{!r}]"
    hits = _expected_hits(ranked, law, level, of_models)
    # More rates where the budget is.
    likely = law.ppf(np.linspace(0.005, 0.995, 50))
    grid = np.unique([*np.linspace(0, 1, 101), *likely, law.mean()])
    curves = [
        curve_process("hits", one.ranked, grid) for one in hits.values() if one.is_known
    ]
    budget = _Budget(law, n_items, first.total if n_items is None else float(n_items))
    rows = [row for name, one in hits.items() for row in _model_rows(name, one, budget)]
    if base is not None:
        rows += _compare_reference(base, hits, budget)
    return BudgetReport(
        rows=tuple(rows),
        rate=law,
        n_samples=budget.n_samples,
        n_items=n_items,
        confidence_level=level,
        prevalence=first.table.prevalence,
        curves=tuple(curves),
        reference=base,
    )


class _Budget(NamedTuple):
    """The rate at which cases are processed, and the number that counts are of."""

    law: RateDistribution
    n_items: int | None
    n_samples: float


def _expected_hits(
    ranked: dict[str, Ranked], law: RateDistribution, level: float, argument: str
) -> dict[str, Evaluation]:
    """Return what each model finds, with warnings of what is unknown or turned round.

    ``argument`` has the scores, formatted with the name of the model.
    """
    cases = next(iter(ranked.values()))
    units, reason = Units.make_ranking_units(cases, level), no_inference_reason(cases)

    def evaluated(metric: Metric) -> dict[str, Evaluation]:
        return {name: _evaluated(metric, one, units) for name, one in ranked.items()}

    hits = evaluated(ExpectedHits(law))
    # It is for the samples, not for a ranking of them, to leave it unknown.
    if reason is not None:
        warn_undefined("The uncertainty of the budget report", reason)
        return {name: replace(one, is_known=False) for name, one in hits.items()}
    defined_value(ExpectedHits(law), cases)
    if law.mean() == 0:
        reason = "the rate is certain to be 0"
        warn_undefined("Each of precision, lift and number needed", reason)
    recalls = evaluated(RecallAtRate(law))
    warn_reversed_scores(
        (argument.format(name), one, None) for name, one in recalls.items()
    )
    return hits


def _model_rows(name: str, hits: Evaluation, budget: _Budget) -> list[BudgetRow]:
    """Return the rows of a model, in the order of the report."""
    (law, n_items, n_samples), ranked, pvalue = budget, hits.cases, _NAN
    p, processed = ranked.table.prevalence, law.mean()
    if hits.is_known or (ranked.are_exchangeable and min(ranked.sizes) > 0):
        pvalue = chance_pvalue(RecallAtRate(law), law, ranked)

    def row(quantity: Quantity, metric: Metric | None, chance: float) -> BudgetRow:
        found = hits if metric is None else _evaluated(metric, ranked, hits.units)
        is_known = hits.is_known and not np.isnan(found.value)
        return BudgetRow(
            model=name,
            quantity=quantity,
            value=found.value,
            confidence_interval=found.interval() if is_known else _UNKNOWN,
            chance=chance,
            pvalue=pvalue,
        )

    found = row("found", None, processed * p)
    missed = row("missed", ExpectedHits(law, missed=True), law.mirrored.mean() * p)
    counts = [
        _mapped(found, "found", lambda hits: n_samples * hits),
        _mapped(missed, "missed", lambda misses: n_samples * misses),
        _mapped(found, "false alarms", lambda hits: n_samples * (processed - hits)),
    ]
    if n_items is not None:
        ends, level = [_UNKNOWN] * len(counts), hits.plan.confidence_level
        if hits.is_known:
            expected = [count.confidence_interval for count in counts]
            ends = predicted(ranked, law, n_items, level, expected)
        both = zip(counts, ends, strict=True)
        counts = [replace(count, prediction_interval=batch) for count, batch in both]
    return [
        *counts,
        row("recall", RecallAtRate(law), processed),
        row("precision", PrecisionAtRate(law), p),
        row("lift", LiftAtRate(law), 1.0),
        _mapped(found, "number needed", lambda hits: _ratio(processed, hits)),
    ]


def _mapped(
    row: BudgetRow, quantity: Quantity, function: Callable[[float], float]
) -> BudgetRow:
    """Return the row of what a monotone function makes of a quantity."""

    def map_ends(ends: ConfidenceInterval) -> ConfidenceInterval:
        return ConfidenceInterval(*sorted(map(function, ends)))

    batch = row.prediction_interval
    return replace(
        row,
        quantity=quantity,
        value=function(row.value),
        confidence_interval=map_ends(row.confidence_interval),
        chance=None if row.chance is None else function(row.chance),
        prediction_interval=batch and map_ends(batch),
    )


def _evaluated(metric: Metric, ranked: Ranked, units: Units) -> Evaluation:
    """Return a metric of a ranking, or of the consensus of folds."""
    value, (low, high) = _NAN, metric.bounds(ranked.table)
    if is_defined(metric, ranked.table):
        value = min(max(metric.value(ranked.table), low), high)
    return Evaluation(metric, [OnRanking(metric, ranked, value)], units)


def _ratio(whole: float, part: float) -> float:
    """Return whole / part: infinite where there is no part of it."""
    if not part <= 0:
        return whole / part
    return float("inf") if whole > 0 else _NAN


def _check_reference(reference: Any, models: Mapping[str, Any]) -> str | None:
    """Return the name of the model that others are compared with."""
    if reference is None:
        return None
    if str(reference) not in models or len(models) < 2:
        raise ValueError(
            f"reference={reference!r} must be one of several models: there "
            f"{'is' if len(models) == 1 else 'are'} {', '.join(map(repr, models))}. "
            "Pass the scores of all of them as y_score, by name."
        )
    return str(reference)


def _compare_reference(
    base: str, models: dict[str, Evaluation], budget: _Budget
) -> list[BudgetRow]:
    """Return what each model finds more than the reference, and raises in vain."""
    (law, n_items, n_samples), other = budget, models.pop(base)
    pairs, recall = [], RecallAtRate(law)
    for model in models.values():
        if model.is_known:
            warn_small_sample([recall] * 2, [model.cases, other.cases])
        pairs.append((model - other).comparison(model.plan))
    pvalues = adjusted(np.array([pair.pvalue for pair in pairs]), "holm").tolist()
    # What one model processes and the other does not.
    most, rows = n_samples * min(law.mean(), law.mirrored.mean()), []
    for (name, model), pair, pvalue in zip(models.items(), pairs, pvalues, strict=True):
        low, high = (n_samples * end for end in pair.confidence_interval)
        ends, batch = clip_interval(low, high, (-most, most)), None
        if n_items is not None and not model.is_known:
            batch = _UNKNOWN
        elif n_items is not None:
            both, level = (model.cases, other.cases), model.plan.confidence_level
            batch = predicted_difference(both, law, n_items, level, ends)
        more = BudgetRow(
            model=name,
            quantity="more found",
            value=n_samples * (model.value - other.value),
            confidence_interval=ends,
            chance=0.0,
            pvalue=pvalue,
            prediction_interval=batch,
        )
        # Without a negative 0.
        rows += [more, _mapped(more, "more false alarms", lambda found: 0.0 - found)]
        rate = fixed_rate(law)
        if rate is not None and model.is_known:
            value, (low, high) = _equal_rate(model.cases, other.cases, rate, model.plan)
            equal = BudgetRow(
                model=name,
                quantity="equal budget",
                value=n_samples * value,
                confidence_interval=ConfidenceInterval(
                    n_samples * low, n_samples * high
                ),
                chance=None,
                pvalue=pvalue,
            )
            rows.append(equal)
    return rows


def _equal_rate(
    model: Ranked, other: Ranked, rate: float, plan: Plan
) -> tuple[float, ConfidenceInterval]:
    """Return the rate at which the other finds what a model finds at its rate.

    The interval holds the rates at which the difference of what both find may be 0.
    """
    units = Units([model], Plan(stratify=False))
    spread = rate * np.geomspace(1 / 50, 50, 160)
    steps = np.unique(np.append(spread[spread < 1], [rate, 1.0]))
    found = evaluate_curve("recall", [model], np.full(len(steps), rate), units)
    process = (evaluate_curve("recall", [other], steps, units) - found).process
    low, high = process.interval(plan.level)
    # Nothing is found where nothing is processed.
    places = np.append(0.0, steps)
    differences = np.append(-found.values[0], process.values)
    value = np.interp(0.0, differences, places)
    alike = places[np.abs(differences) < NEGLIGIBLE]
    if len(alike):
        # Where nothing more is found for a while, the nearest rate.
        value = alike[np.argmin(np.abs(alike - rate))]
    least = np.interp(0.0, np.maximum.accumulate(high), steps, left=0.0)
    most = np.interp(0.0, np.maximum.accumulate(low), steps, right=1.0)
    ends = min(least, value), max(most, value)
    return float(value), ConfidenceInterval(*map(float, ends))


def _ranked_models(
    y_true: Any,
    y_score: Any,
    weights: Weights,
    cases: dict[str, Any],
    law: RateDistribution,
) -> dict[str, Ranked]:
    """Return the sample as each model ranks it, by the name of the model."""
    is_one = isinstance(y_true, FoldRankings) or not are_columns(y_score)
    if are_fold_rankings(y_true) or not is_one:
        models = find_model_rankings(
            "y_score", y_score, y_true, cases, weights, least=1, by_case=False
        )
    else:
        models = {"model": find_rankings(y_true, y_score, weights=weights, **cases)}
    folds = next(iter(models.values())).folds
    if folds is not None:
        check_cuts("number found", law.mean(), folds)
    return {
        name: each[0] if folds is None else pool_folds(folds, weights)
        for name, (each, folds) in models.items()
    }


class ExpectedHits(Metric):
    """The share of all cases that is processed and positive: prevalence x recall.

    Or, where ``missed``, the share that is positive and not processed.
    """

    rate: Any
    missed: bool = False
    name = "Expected hits"
    needs = ()

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return its range: no more is found than is processed."""
        return 0.0, (self.law.mirrored if self.missed else self.law).mean()

    def compute(self, table: RankTable) -> float:
        if not table.n_pos:
            return 0.0
        return float(table.prevalence * self._share(expected_recall(table, self.law)))

    def values(self, pos: Array, neg: Array) -> FloatArray:
        n_pos = pos.sum(axis=1)
        share = self._share(table_recalls(pos, neg, self.law))
        return np.asarray(n_pos / (n_pos + neg.sum(axis=1)) * share)

    def slopes(self, table: RankTable) -> Slopes:
        slopes, recall = recall_slopes(table, self.law)
        sign = -1 if self.missed else 1
        return slopes.scaled(sign * table.prevalence, self._share(recall))

    def _share(self, recall: Any) -> Any:
        return 1 - recall if self.missed else recall


class Spread(NamedTuple):
    """How many independent cases the sample is worth."""

    n: float
    effect: float = 1.0  # How many times more a batch varies than of independent cases.


def predicted(
    ranked: Ranked,
    law: RateDistribution,
    n_items: int,
    level: float,
    expected: Sequence[ConfidenceInterval] = (ConfidenceInterval(np.inf, -np.inf),) * 3,
) -> list[ConfidenceInterval]:
    """Return bounds of what a batch will find, miss, and raise in vain, by a sample.

    Given the rate, the cases above the cut are positive with one probability, a beta
    variable by its uncertainty, and that of where the scores of the batch are cut. The
    intervals of what is ``expected`` of each count lie between the bounds.
    """
    table = ranked.table
    of_found = _spread(ExpectedHits(law), ranked, level)
    # Clusters of positives move the number of all, and so what is left of them.
    of_missed = _spread(ExpectedHits(law, missed=True), ranked, level)
    rates = law.ppf((np.arange(_POINTS) + 0.5) / _POINTS)
    n_processed = np.rint(n_items * rates).astype(np.intp)
    hits = np.interp(rates, table.rates, table.cum_pos) / table.total
    purity = cut_positive_fraction([table], rates)
    above = _shares(hits, rates, purity, n_items, of_found)
    below = _shares(table.prevalence - hits, 1 - rates, purity, n_items, of_missed)
    counts = [
        (n_processed, above),
        (n_items - n_processed, below),
        (n_processed, 1 - above),
    ]
    tails = (1 - level) / 2, 1 - (1 - level) / 2
    parts = rates.max(), 1 - rates.min(), rates.max()
    return [
        _round_outward(
            [_quantile(*count, tail) for tail in tails], reach, n_items * float(part)
        )
        for count, reach, part in zip(counts, expected, parts, strict=True)
    ]


def _round_outward(
    ends: Sequence[float], expected: ConfidenceInterval, most: float
) -> ConfidenceInterval:
    """Return bounds in whole cases that hold an interval, up to the most there are."""
    # Whole cases, also of a budget for a part of one.
    most = float(np.ceil(round(most, 6)))
    low = min(float(ends[0]), float(np.floor(expected.low)))
    high = max(float(ends[1]), float(np.ceil(expected.high)))
    return ConfidenceInterval(max(low, -most), min(high, most))


def predicted_difference(
    both: tuple[Ranked, Ranked],
    law: RateDistribution,
    n_items: int,
    level: float,
    expected: ConfidenceInterval,
) -> ConfidenceInterval:
    """Return bounds of how many more of a batch the first model will find."""
    first = both[0]
    # Each of so many budgets has several differences.
    n_budgets = 128
    budgets = law.ppf((np.arange(n_budgets) + 0.5) / n_budgets)
    rates, of_budget = np.unique(budgets, return_inverse=True)
    process = curve_process("hits", both, rates)
    of_batch = process.standard_error
    if not first.are_repetitions and first.clusters is None:
        # Weights are not in the next batch.
        alike = [replace(one, kind="frequency") for one in both]
        of_batch = curve_process("hits", alike, rates).standard_error
    # What was hardly seen is uncertain by one case at the cut.
    difference, error, of_batch = (
        np.tile(by_rate[of_budget], _POINTS // n_budgets)
        for by_rate in (
            process.values,
            np.hypot(process.standard_error, process.grain),
            np.hypot(of_batch, process.grain),
        )
    )
    # Of each budget as far from either end, so that models can change places.
    half = (np.arange(_POINTS // 2) + 0.5) * _GOLDEN % 1
    quantiles = np.concatenate([half, 1 - half])
    freedom = first.unit_dof
    mean = n_items * (difference + error * special.stdtrit(freedom, quantiles))
    # A thousandth of a case is as good as none.
    spread = np.maximum(np.sqrt(n_items * first.total) * of_batch, 1e-3)
    skewness = n_items * difference / spread**3
    of_one = n_items * float(np.minimum(rates, 1 - rates).max())
    most = int(np.ceil(round(of_one, 6)))

    def below(count: int) -> float:
        """Return the probability of no more than a count, by three moments."""
        distance = (count + 0.5 - mean) / spread
        return float(stats.pearson3.cdf(distance, skewness).mean())

    ends = [
        bisect_left(range(-most, most), tail, key=below) - most
        for tail in ((1 - level) / 2, (1 + level) / 2)
    ]
    return _round_outward(ends, expected, of_one)


def _spread(metric: Metric, ranked: Ranked, level: float) -> Spread:
    """Return what the cases are worth to a count, by the variance of its mean."""
    if ranked.is_plain:
        return Spread(ranked.total)
    parts = influence_parts(influence_values(metric, ranked), ranked)
    independent = table_variance(metric, ranked.table).total
    shows_none = is_zero_variance(min(parts.total, independent))
    effect = 1.0 if shows_none else parts.total / independent
    if ranked.clusters is not None and not shows_none:
        # Few clusters may vary less than others would: Student's t is wider.
        of_few = t_quantile(level, degrees_of_freedom((parts, ranked)))
        # At a level of next to 0 both are 0.
        effect *= (of_few / max(t_quantile(level), NEGLIGIBLE)) ** 2
    # Clusters that vary less than single cases do not make a sample worth any number.
    effect = max(effect, 1e-3)
    n = ranked.total / effect
    if ranked.weights is not None and not ranked.are_repetitions:
        # Where heavy cases have not erred, they could have.
        n = min(n, ranked.total / float(np.mean(ranked.weights**2)))
    # Clusters are in the next batch, too; weights are not.
    return Spread(n, effect if ranked.clusters is not None else 1.0)


def _shares(
    positives: FloatArray,
    part: FloatArray,
    purity: FloatArray,
    n_items: int,
    spread: Spread,
) -> FloatArray:
    """Return shares of positives in a part of the next batch, one for each rate.

    With q the share of ``positives`` in the part r, and ``purity`` that at the cut, a
    part of n cases has q (1 - q) + (purity - q)^2 (1 - r) over r n as its variance: the
    second term is that of the place of the cut, which the batch adds, too.
    """
    seen, batch = part * spread.n, np.maximum(part * n_items, 1.0)
    # Half a case of each class is added: a share of next to no cases is nearly unknown.
    share = (positives * spread.n + 0.5) / (seen + 1)
    share = np.clip(share, 0.5 / (seen + 1), None)
    binomial, of_cut = share * (1 - share), (purity - share) ** 2 * (1 - part)
    each = binomial + of_cut
    # As of a posterior distribution: a sample of none leaves the prior one.
    variance = each / (seen + 2)
    # Clusters that vary less than single cases leave the binomial counts as they are.
    variance += np.maximum(of_cut + (spread.effect - 1) * each, 0) / batch
    size = np.maximum(binomial / variance - 1, 0.5)
    quantiles = (np.arange(_POINTS) + 0.5) * _GOLDEN % 1
    shares = special.betaincinv(size * share, size * (1 - share), quantiles)
    return np.asarray(shares)


def _quantile(sizes: IntArray, shares: FloatArray, q: float) -> float:
    """Return the least count that a mixture of binomials exceeds with 1 - q or less."""

    def reaches(count: int) -> bool:
        more = np.maximum(sizes - count, 1)
        below = special.betainc(more, count + 1.0, 1 - shares)
        return float(np.where(sizes > count, below, 1.0).mean()) >= q

    return float(bisect_left(range(int(sizes.max())), True, key=reaches))
