"""The report card of models under a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray, Label, Number
from skrate.data.checks import (
    Check,
    check_arguments,
    check_count,
    check_fraction,
    or_none,
    warn_undefined,
)
from skrate.data.folds import (
    FoldRankings,
    accept_reports,
    are_fold_rankings,
    check_cuts,
)
from skrate.data.representations import html_row, html_table, html_text, html_title
from skrate.data.table import RankTable
from skrate.inference.budget_report_text import (
    align_columns,
    definitions_html,
    processed_text,
    result_html,
    table_cells,
)
from skrate.inference.cautions import (
    no_inference_reason,
    warn_reversed_scores,
    warn_small_sample,
    warn_unreliable_value,
)
from skrate.inference.curve_evaluation import CurveProcess
from skrate.inference.equal_budget import find_equal_rate
from skrate.inference.evaluation import Evaluation
from skrate.inference.intervals import adjust_pvalues
from skrate.inference.models import evaluate
from skrate.inference.options import Plan
from skrate.inference.permutation_pvalue import chance_pvalue
from skrate.inference.prediction import (
    ExpectedHits,
    hits_process,
    predict_counts,
    predict_difference,
)
from skrate.inference.rankings import (
    SAMPLE_ARGUMENTS,
    WEIGHTS,
    OnRanking,
    Ranked,
    Rankings,
    RankingsOfModels,
    ScoresOfModels,
    Weights,
    are_columns,
    evaluate_ranking,
    find_model_rankings,
    find_rankings,
    pool_folds,
)
from skrate.metrics.at_rate import (
    LiftAtRate,
    PrecisionAtRate,
    RecallAtRate,
    reject_integer_one,
)
from skrate.metrics.hypothesis_tests import ConfidenceInterval, clip_interval
from skrate.metrics.metric import Metric, suggest_arguments
from skrate.metrics.result_types import Drawn, Result, Rows, plain_columns, rendered
from skrate.rates.distributions import (
    RateDistribution,
    RateLike,
    check_rate,
    fixed_rate,
)

# Labels, or a table or rankings that replace labels and scores.
RankingsLike: TypeAlias = ArrayLike | RankTable | FoldRankings | RankingsOfModels
_Count = Literal["found", "missed", "false alarms"]
_Ratio = Literal["recall", "precision", "lift", "number needed"]
# A model minus the reference.
_More = Literal["more found", "more false alarms", "equal budget"]
Quantity = _Count | _Ratio | _More
COUNTS, DIFFERENCES = get_args(_Count), get_args(_More)
QUANTITIES = COUNTS + get_args(_Ratio)
_PVALUE = "p is the probability that a random order finds at least as much."
_MEANS = (
    "Precision and lift are means over budgets; the number needed is the mean\n"
    "number processed divided by the mean number found."
)
_AGAINST = "Against the reference, p tests whether the numbers found differ{}."
_HOLM = ",\nadjusted by Holm's method"
_EQUAL = "Equal budget: the number of samples in which the reference finds as many."
_NAN = float("nan")
_UNKNOWN = ConfidenceInterval(_NAN, _NAN)
_ARGUMENTS: dict[str, Check] = {
    "n_items": or_none(check_count),
    "confidence_level": check_fraction,
    "weights": WEIGHTS,
}


@dataclass(frozen=True)
class BudgetRow(Result):
    """One quantity of one model: a row of :func:`skrate.budget_report`.

    Attributes
    ----------
    model : str
        Name of the model.
    quantity : str
        One of the counts "found", "missed" and "false alarms", or of the ratios
        "recall", "precision", "lift" and "number needed". With a reference also "more
        found" and "more false alarms" (the model minus the reference), and at a fixed
        rate "equal budget": the number of samples that the reference must process to
        find as many positives as the model.
    value, chance : float
        Expectation over the rate, for the model and for a random order. ``chance`` is
        None for the "equal budget".
    confidence_interval : ConfidenceInterval
        Interval for the expectation; its ends are ``.low`` and ``.high``.
    pvalue : float
        Probability that a random order finds at least as many positives; equal in all
        rows of a model. In rows that compare with a reference, the p-value of
        :func:`compare`, adjusted by Holm's method for the number of models.
    prediction_interval : ConfidenceInterval or None
        Interval for the count in the next batch. None without ``n_items``, and for
        quantities that are not counts.

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
    """The expected results of a budget, from :func:`skrate.budget_report`.

    It prints as a table. ``report[0]`` is the first row, ``report["found"]`` the row of
    a quantity if there is one model, and ``report["forest", "found"]`` the row of a
    model and a quantity. ``len(report)`` is the number of rows.

    Attributes
    ----------
    rows : tuple of BudgetRow
        One row per model and quantity.
    rate : RateDistribution
        The distribution of the rate.
    n_samples : float
        The number of samples to which counts refer: ``n_items``, or if it is None, the
        number of given samples.
    n_items : int or None
        Number of samples in the next batch.
    confidence_level : float
        Level of all intervals.
    prevalence : float
        Fraction of positives in the given samples, or the given ``prevalence``.
    curves : tuple of CurveProcess
        The fraction of samples that is positive and processed, by rate, for each model
        that has an interval. Their bands are for the given number of positives.
        ``plot`` draws these curves.
    reference : str or None
        The model with which the last rows compare the other models.

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
        models, key = self.models, which
        if isinstance(which, str):
            which = (models[0], which) if len(models) == 1 else ("", which)
        for row in self.rows:
            if (row.model, row.quantity) == which:
                return row
        raise KeyError(
            f"{key!r} is not a row: use [model, quantity], with a model of "
            f"{list(models)} and a quantity of {list(QUANTITIES)}; for models that are "
            f"compared with a reference also {list(DIFFERENCES)}."
        )

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name, for ``pandas.DataFrame``.

        With ``n_items`` there are also "prediction_interval_low" and
        "prediction_interval_high", which are None for quantities that are not counts.
        With ``reference`` there is also its name.
        """
        reference = {} if self.reference is None else {"reference": self.reference}
        return plain_columns(self.rows, rate=rendered(self.rate), **reference)

    def __repr__(self) -> str:
        lines = [self._head()]
        for name, pvalue, rows in self._blocks():
            lines += [[f"{name} ({pvalue})", *[""] * (len(lines[0]) - 1)], *rows]
        table = "\n".join(align_columns(lines))
        return "\n".join([self._budget(), "", table, *self._notes()])

    def _repr_html_(self) -> str:
        return self._table_html(" ".join([self._budget(), *self._notes()]))

    def _table_html(self, caption: str = "") -> str:
        head = self._head()
        lines = [html_row(head, "th")]
        for name, pvalue, rows in self._blocks():
            test = ["p", pvalue.removeprefix("p ").removeprefix("= ")]
            lines.append(html_title(name, len(head)))
            lines += map(html_row, [*rows, test + [""] * (len(head) - 2)])
        return html_table(lines, caption)

    def _html(self, **kwargs: Any) -> str:
        notes = html_text(" ".join([self._budget(), *self._notes()]))
        terms = definitions_html(self, self._head()[1:])
        figure = self._figure_html(**kwargs)
        return result_html(self) + figure + self._table_html() + notes + terms

    def _budget(self) -> str:
        """Return a sentence with the number of samples that will be processed."""
        level, n = self.confidence_level, self.n_samples
        low, high = self.rate.ppf([(1 - level) / 2, (1 + level) / 2])
        which = "at hand" if self.n_items is None else "of the next batch"
        mean = processed_text(self)
        text = f"{mean} of the {n:,.0f} samples {which} will be processed"
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

    def _blocks(self) -> Iterator[tuple[str, str, list[list[str]]]]:
        """Yield the name of each model or pair, its p-value, and the cells of rows."""
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
            yield name, text, [table_cells(row)[:width] for row in rows]


@accept_reports
@suggest_arguments
def budget_report(
    y_true: RankingsLike,
    y_score: ScoresOfModels | None = None,
    *,
    rate: RateLike,
    n_items: int | None = None,
    reference: Any = None,
    prevalence: Number | None = None,
    confidence_level: float = 0.95,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
) -> BudgetReport:
    """Report the numbers of positives that models find and miss under a budget.

    A model ranks samples by their scores, and only a fraction of them (the rate) will
    be processed. How many positives will be found and missed, with how many false
    alarms (processed negatives)? The report also has the recall, the precision, the
    lift, and the number needed: how many samples are processed for each positive that
    is found. Each has a confidence interval and its expectation in a random order.
    Unlike :func:`sklearn.metrics.classification_report`, it needs scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes. A :class:`RankTable`, a :class:`FoldRankings`, or a
        mapping or list of FoldRankings, one per model, replaces labels and scores. The
        folds are pooled (see Notes).
    y_score : array-like, mapping or data frame, default=None
        Scores of shape (n_samples,), higher for the positive class. For several models,
        a mapping or data frame with an entry or column per model, or an array of shape
        (n_samples, n_models) with two or more columns, named by their numbers.
    rate : "uniform", float or distribution
        The fraction of all samples that will be processed, in (0, 1]. If it is
        uncertain, a frozen ``scipy.stats`` distribution, one from :mod:`skrate.rates`,
        or "uniform": all rates from 0 to 1 are equally likely. For k of N samples pass
        k / N.
    n_items : int, default=None
        Number of samples in the next batch, of which the fraction ``rate`` will be
        processed. The report then shows the counts that are expected in this batch, and
        prediction intervals, which contain the count of a single batch. If None, counts
        refer to the given samples.
    reference : str or int, default=None
        The name of a model. The report then shows, for each other model, how many more
        positives it finds than this one, and how many more false alarms it has. Columns
        of an array and entries of a list are named by their numbers, from 0. If None,
        models are not compared.
    prevalence : float, default=None
        The known fraction of positives in the population, in (0, 1), if it differs from
        the data, for example because negatives were downsampled. The positives in the
        data must be a random sample of all positives, and the same for negatives. If
        None, the prevalence is estimated from the data.
    confidence_level : float, default=0.95
        Level of all intervals, in (0, 1).
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient, if samples of a cluster depend
        on one another. Intervals are then wider. The next batch is assumed to consist
        of new clusters with the same distribution of sizes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. None means equal weights.
    weights : {"frequency", "sampling"}, default="frequency"
        The meaning of ``sample_weight``. "frequency": a whole number, how often the
        sample occurred. "sampling": the inverse of the probability that the sample was
        drawn from the population, up to a constant factor.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.

    Returns
    -------
    report : BudgetReport
        One row per model and quantity, printed as a table. With ``reference``, each
        other model also has rows for the additional positives and false alarms, and at
        a fixed rate for the equal budget (see Notes). Intervals are nan if a class has
        fewer than two samples. Recall and lift are nan without positives. The number
        needed is infinite if no positive is found.

    Raises
    ------
    ValueError
        If ``rate`` is outside (0, 1], or the integer 1, which could mean one sample or
        all; if two models have the same name; if ``reference`` is not one of several
        models; if labels, scores, weights, clusters or folds are invalid or differ in
        length; or if ``prevalence`` is combined with a RankTable, labels of
        :mod:`skrate.labels`, clusters of folds, repeated folds, ``clusters`` and
        ``n_items``, or ``sample_weight`` unless ``weights="sampling"``.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two samples, or an uncertain ``rate`` is always 0.
    UserWarning
        If fewer than 5 samples are processed at a fixed rate, or positives have
        significantly lower scores than negatives. With ``reference``, also the warnings
        of :func:`compare`.

    See Also
    --------
    sklearn.metrics.classification_report : Precision and recall of predicted labels.
    recall_at_rate_score : Only the recall.
    BudgetReportDisplay : Draws the report.

    Notes
    -----
    Let R be the rate, n the size of the next batch (or of the data), and H(r) the hit
    curve: the fraction of all samples that is positive and processed at the rate r. The
    expected number of positives found is n E[H(R)]. Precision and lift are means over
    the distribution of R, given that R > 0. The number needed is E[R] / E[H(R)]: the
    mean number of processed samples divided by the mean number of positives found. For
    folds, the fraction r of each fold is processed, and the counts of all folds are
    added. The recall of the report is therefore the positives found in all folds,
    divided by all positives, but :func:`estimate` and :func:`compare` take the mean of
    the recall over folds. A sample that is tested in several repetitions of the
    cross-validation counts once.

    Confidence intervals are for the expected values, averages over the random rate and
    possible batches, as in :func:`estimate`. Intervals for counts include the
    uncertainty of the prevalence. If ``prevalence`` is given, the samples are weighted
    by class to obtain this prevalence, and the variance treats class sizes as fixed
    (with ``clusters``, as known totals: influence is centred within classes, and then
    summed over clusters; in three simulations the coverage of intervals for counts,
    recall and differences was 0.94 to 0.98 at the level 0.95). A
    prediction interval also includes the random composition of one batch, and the
    random rate. The p-value tests whether the model finds more positives than a random
    order.

    With ``reference``, the intervals and p-values of differences are as in
    :func:`compare`. The equal budget is the number of samples that the reference must
    process to find as many positives as the model. Its interval contains all budgets at
    which the reference may find equally many positives, as in :func:`compare_curves`.
    In seven simulations with 400 data sets each, its coverage was 0.94 to 0.96 at the
    level 0.95. :ref:`counts_and_a_report_card` explains all rows.

    Cost: one sort per model.

    Examples
    --------
    Two models, with an uncertain rate:

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
    682 of the 5,000 samples of the next batch will be processed on average,
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
    reject_integer_one(rate, "rate=1/N is one of N samples")
    distribution, arguments = check_rate(rate), check_arguments(_ARGUMENTS, locals())
    n_items, level = arguments["n_items"], arguments["confidence_level"]
    samples = {name: arguments[name] for name in SAMPLE_ARGUMENTS}
    ranked = _ranked_models(y_true, y_score, weights, samples, distribution)
    if prevalence is not None:
        prevalence = check_fraction("prevalence", prevalence)
        ranked = _set_prevalence(ranked, prevalence, n_items)
    base, first = _check_reference(reference, ranked), next(iter(ranked.values()))
    n_samples = _count_samples(n_items, first)
    of_models = "y_true" if y_score is None else "y_score"
    if are_columns(y_score) or len(ranked) > 1:
        of_models += "[{!r}]"
    is_given = prevalence is not None
    plan = Plan(confidence_level=level, stratify=is_given, is_prevalence_given=is_given)
    models = _evaluate_models(ranked, distribution, plan, of_models)
    grid, given_positives = _curve_rates(distribution), Plan(stratify=True)
    known = [one.found.samples for one in models.values() if one.found.is_known]
    curves = [hits_process([samples], grid, given_positives) for samples in known]
    budget = _Budget(distribution, n_items, n_samples)
    rows = [
        row for name, one in models.items() for row in _model_rows(name, one, budget)
    ]
    if base is not None:
        hits = {name: _clip_value(one.found) for name, one in models.items()}
        rows += _compare_reference(base, hits, budget)
    return BudgetReport(
        rows=tuple(rows),
        rate=distribution,
        n_samples=n_samples,
        n_items=n_items,
        confidence_level=level,
        prevalence=first.table.prevalence,
        curves=tuple(curves),
        reference=base,
    )


def _curve_rates(distribution: RateDistribution) -> FloatArray:
    """Return rates of the curves, finer at likely budgets and in the plot."""
    likely = distribution.ppf(np.linspace(0.005, 0.995, 50))
    seen = np.linspace(0, min(1.5 * likely[-1], 1.0), 50)
    return np.unique([*np.linspace(0, 1, 51), *seen, *likely, distribution.mean()])


class _Budget(NamedTuple):
    """The rate, the size of the next batch, and the number to which counts refer."""

    distribution: RateDistribution
    n_items: int | None
    n_samples: float


class _Evaluations(NamedTuple):
    """The evaluations of a model. Found and missed are fractions of all samples."""

    found: Evaluation
    missed: Evaluation
    recall: Evaluation
    precision: Evaluation
    lift: Evaluation


def _evaluate_models(
    ranked: dict[str, Ranked], distribution: RateDistribution, plan: Plan, argument: str
) -> dict[str, _Evaluations]:
    """Return the evaluations of each model; warn if undefined or scores are reversed.

    ``argument`` names the scores in warnings, formatted with the name of the model.
    """
    metrics: list[Metric] = [
        ExpectedHits(distribution),
        ExpectedHits(distribution, missed=True),
    ]
    metrics += [
        RecallAtRate(distribution),
        PrecisionAtRate(distribution),
        LiftAtRate(distribution),
    ]
    rankings = [Rankings([one]) for one in ranked.values()]
    samples = rankings[0].rankings[0]
    # The samples, not a ranking, make the uncertainty unknown: warn once.
    reason = no_inference_reason(samples)
    if reason is not None:
        warn_undefined("The uncertainty of the budget report", reason)
    by_metric = []
    for metric in metrics:
        models = evaluate([metric] * len(rankings), rankings, plan, are_warned=False)
        if reason is not None:
            models = [replace(model, is_known=False) for model in models]
        by_metric.append(models)
    by_model = zip(ranked, zip(*by_metric, strict=True), strict=True)
    by_name = {name: _Evaluations(*models) for name, models in by_model}
    if reason is not None:
        return by_name
    warn_unreliable_value(metrics[0], samples, by_metric[0][0].value, None)
    if distribution.mean() == 0:
        reason = "the rate is certain to be 0"
        warn_undefined("Each of precision, lift and number needed", reason)
    warn_reversed_scores(
        (argument.format(name), one.recall, None) for name, one in by_name.items()
    )
    return by_name


def _clip_value(model: Evaluation) -> Evaluation:
    """Return the evaluation with its value between its bounds.

    Estimated labels can give values outside of them.
    """
    ((metric, ranked, value),) = model.rankings
    clipped = float(np.clip(value, *model.bounds))
    return replace(model, rankings=[OnRanking(metric, ranked, clipped)])


def _model_rows(name: str, model: _Evaluations, budget: _Budget) -> list[BudgetRow]:
    """Return the rows of a model, in the order of the report."""
    (distribution, n_items, n_samples), found, pvalue = budget, model.found, _NAN
    p, processed = found.samples.table.prevalence, distribution.mean()
    if found.is_known or (
        found.samples.are_exchangeable and min(found.samples.sizes) > 0
    ):
        pvalue = chance_pvalue(model.recall, distribution)

    def row(quantity: Quantity, evaluation: Evaluation, chance: float) -> BudgetRow:
        is_known = evaluation.is_known
        return BudgetRow(
            model=name,
            quantity=quantity,
            value=_clip_value(evaluation).value,
            confidence_interval=evaluation.interval() if is_known else _UNKNOWN,
            chance=chance,
            pvalue=pvalue,
        )

    hit_row = row("found", found, processed * p)
    miss_row = row("missed", model.missed, distribution.mirrored.mean() * p)
    if found.plan.stratify:
        # The prevalence is known.
        miss_row = _mapped(hit_row, "missed", lambda hits: p - hits)
    counts = [
        _mapped(hit_row, "found", lambda hits: n_samples * hits),
        _mapped(miss_row, "missed", lambda misses: n_samples * misses),
        _mapped(hit_row, "false alarms", lambda hits: n_samples * (processed - hits)),
    ]
    if n_items is not None:
        ends = [_UNKNOWN] * len(counts)
        if found.is_known:
            expected = [count.confidence_interval for count in counts]
            ends = predict_counts(found, model.missed, n_items, expected)
        pairs = zip(counts, ends, strict=True)
        counts = [replace(count, prediction_interval=batch) for count, batch in pairs]
    return [
        *counts,
        row("recall", model.recall, processed),
        row("precision", model.precision, p),
        row("lift", model.lift, 1.0),
        _mapped(hit_row, "number needed", lambda hits: _ratio(processed, hits)),
    ]


def _mapped(
    row: BudgetRow, quantity: Quantity, function: Callable[[float], float]
) -> BudgetRow:
    """Return the row of a monotone function of a quantity."""

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


def _ratio(whole: float, part: float) -> float:
    """Return whole / part: infinite if ``part`` is 0, nan if both are 0."""
    if not part <= 0:
        return whole / part
    return float("inf") if whole > 0 else _NAN


def _count_samples(n_items: int | None, ranked: Ranked) -> float:
    """Return the number of samples to which the counts of a report refer."""
    if n_items is None:
        return ranked.total
    if ranked.estimated is not None:
        raise ValueError(
            "n_items excludes estimated labels in y_true, because they describe only "
            "the samples at hand: leave it out, and scale the counts."
        )
    return float(n_items)


def _check_reference(reference: Any, models: Mapping[str, Any]) -> str | None:
    """Return the name of the reference model, None without one."""
    if reference is None:
        return None
    if str(reference) not in models or len(models) < 2:
        raise ValueError(
            f"reference={reference!r} must be one of several models: pass the scores "
            f"of all models as y_score, by name, got {', '.join(map(repr, models))}."
        )
    return str(reference)


def _compare_reference(
    reference: str, models: dict[str, Evaluation], budget: _Budget
) -> list[BudgetRow]:
    """Return the rows that compare each model with the reference."""
    (distribution, n_items, n_samples), base = budget, models.pop(reference)
    pairs, recall = [], RecallAtRate(distribution)
    for model in models.values():
        if model.is_known:
            rankings = [evaluate_ranking(recall, one.samples) for one in (model, base)]
            warn_small_sample(rankings)
        pairs.append((model - base).comparison(model.plan))
    pvalues = adjust_pvalues(np.array([pair.pvalue for pair in pairs]), "holm").tolist()
    # The hits differ at most by the samples that only one model processes.
    most, rows = n_samples * min(distribution.mean(), distribution.mirrored.mean()), []
    for (name, model), pair, pvalue in zip(models.items(), pairs, pvalues, strict=True):
        low, high = (n_samples * end for end in pair.confidence_interval)
        ends, batch = clip_interval(low, high, (-most, most)), None
        if n_items is not None and not model.is_known:
            batch = _UNKNOWN
        elif n_items is not None:
            batch = predict_difference(model, base, n_items, ends)
        more = BudgetRow(
            model=name,
            quantity="more found",
            value=n_samples * (model.value - base.value),
            confidence_interval=ends,
            chance=0.0,
            pvalue=pvalue,
            prediction_interval=batch,
        )
        # Not -hits, which could be -0.0.
        rows += [more, _mapped(more, "more false alarms", lambda hits: 0.0 - hits)]
        rate = fixed_rate(distribution)
        if rate is not None and model.is_known:
            equal, (low, high) = find_equal_rate(
                model.samples, base.samples, rate, model.plan
            )
            equal_row = BudgetRow(
                model=name,
                quantity="equal budget",
                value=n_samples * equal,
                confidence_interval=ConfidenceInterval(
                    n_samples * low, n_samples * high
                ),
                chance=None,
                pvalue=pvalue,
            )
            rows.append(equal_row)
    return rows


def _ranked_models(
    y_true: Any,
    y_score: Any,
    weights: Weights,
    samples: dict[str, Any],
    distribution: RateDistribution,
) -> dict[str, Ranked]:
    """Return the ranking of each model, by the name of the model."""
    is_one = isinstance(y_true, FoldRankings) or not are_columns(y_score)
    if are_fold_rankings(y_true) or not is_one:
        models = find_model_rankings(
            "y_score", y_score, y_true, samples, weights, least=1, needs_groups=False
        )
    else:
        models = {"model": find_rankings(y_true, y_score, weights=weights, **samples)}
    folds = next(iter(models.values())).folds
    if folds is not None:
        check_cuts("number found", distribution.mean(), folds)
    return {
        name: rankings[0] if folds is None else pool_folds(folds, weights)
        for name, (rankings, folds) in models.items()
    }


def _set_prevalence(
    ranked: dict[str, Ranked], prevalence: float, n_items: int | None
) -> dict[str, Ranked]:
    """Return the rankings with sampling weights that give them the prevalence."""
    samples = next(iter(ranked.values()))
    if samples.counts is not None or samples.estimated is not None:
        kind = "a RankTable" if samples.counts is not None else "estimated labels"
        raise ValueError(
            f"prevalence={prevalence:g} needs the true labels of samples, got {kind}: "
            "pass y_true and y_score, or leave prevalence out."
        )
    if samples.folds is not None and samples.clusters is not None:
        raise ValueError(
            f"prevalence={prevalence:g} excludes clusters in folds and repeated folds: "
            "leave it out, or pass labels and scores instead of the FoldRankings."
        )
    if n_items is not None and samples.clusters is not None:
        raise ValueError(
            "n_items excludes prevalence with clusters, because clusters of the next "
            "batch have another number of samples per class: leave it out, and scale "
            "the counts."
        )
    if samples.weights is not None and samples.are_repetitions:
        raise ValueError(
            f'prevalence={prevalence:g} excludes weights="frequency": repeat the '
            'samples, or pass weights="sampling".'
        )
    n_pos, n_neg = samples.sizes
    if not min(n_pos, n_neg) > 0:
        raise ValueError(
            f"prevalence={prevalence:g} needs samples of both classes, got {n_pos:g} "
            f"positive and {n_neg:g} negative samples."
        )
    weights = samples.row_weights * samples.class_factors(prevalence)
    weights /= weights.mean()
    return {
        name: replace(one, weights=weights, given=weights, kind="sampling")
        for name, one in ranked.items()
    }
