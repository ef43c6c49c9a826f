"""From two values and a standard error to a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.metric import Metric
from skrate.core.results import Comparison, ConfidenceInterval
from skrate.core.validation import (
    check_choice,
    check_count,
    check_fraction,
    check_generator,
    warn_undefined,
)
from skrate.inference.intervals import (
    NEGLIGIBLE,
    basic_interval,
    metric_interval,
    percentile_interval,
    wald_interval,
)
from skrate.inference.pvalues import (
    ALTERNATIVES,
    Alternative,
    hybrid_interval,
    permutation_pvalue,
    standardised,
    t_pvalue,
)
from skrate.inference.sample import Ranked

Method = Literal["delta", "bootstrap", "permutation"]
METHODS: tuple[Method, ...] = get_args(Method)
Interval = Literal["wald", "percentile", "basic"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)
_NAN = float("nan")


@dataclass(frozen=True)
class Question:
    """How a comparison is to be made: the arguments of compare, which it checks."""

    method: Method
    alternative: Alternative
    level: float
    interval: Interval = "wald"
    n_resamples: int = 2000
    stratify: bool | None = None
    random_state: Any = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        check_choice("method", self.method, METHODS)
        check_choice("alternative", self.alternative, ALTERNATIVES)
        check_fraction("confidence_level", self.level)
        check_choice("interval", self.interval, INTERVALS)
        check_count("n_resamples", self.n_resamples)
        if self.interval != "wald" and self.method != "bootstrap":
            raise ValueError(
                f"interval={self.interval!r} needs replicates: use method='bootstrap', "
                f"got method={self.method!r}."
            )

    def split(self, n: int) -> list["Question"]:
        """Return ``n`` questions with random states that are independent."""
        generators = check_generator(self.random_state).spawn(n)
        return [replace(self, random_state=generator) for generator in generators]


def conclude(
    metrics: Sequence[Metric],
    ranked: Sequence[Ranked],
    values: Sequence[float],
    standard_error: float,
    question: Question,
    freedom: float = np.inf,
    draws: FloatArray | None = None,
) -> Comparison:
    """Return the comparison of two values; ``draws`` are of their difference.

    The degrees of freedom are those of the standard error.
    """
    a, b = values
    difference = a - b
    statistic, pvalue = _NAN, _NAN
    ends = ConfidenceInterval(_NAN, _NAN)
    if not np.isnan(difference):
        statistic, pvalue = _test(difference, standard_error, question, freedom, draws)
        ends = _interval(
            metrics, ranked, (a, b), standard_error, question, freedom, draws
        )
    names = list(dict.fromkeys(metric.name for metric in metrics))
    return Comparison(
        " - ".join(names),
        float(difference),
        float(a),
        float(b),
        standard_error,
        statistic,
        pvalue,
        ends,
        question.alternative,
        question.method,
        question.level,
    )


def _test(
    difference: float,
    standard_error: float,
    question: Question,
    freedom: float,
    draws: FloatArray | None,
) -> tuple[float, float]:
    if question.method == "permutation" and draws is not None:
        return difference, permutation_pvalue(difference, draws, question.alternative)
    statistic = standardised(difference, standard_error)
    if np.isnan(statistic):
        warn_undefined("The p-value", "the sample shows no variation of the difference")
        return _NAN, _NAN
    return statistic, t_pvalue(statistic, question.alternative, freedom)


def _interval(
    metrics: Sequence[Metric],
    ranked: Sequence[Ranked],
    values: tuple[float, float],
    standard_error: float,
    question: Question,
    freedom: float,
    draws: FloatArray | None,
) -> ConfidenceInterval:
    level = question.level
    if standard_error < NEGLIGIBLE:
        each = [
            metric_interval(metric, one, value, 0.0, level, "logit")
            for metric, one, value in zip(metrics, ranked, values, strict=True)
        ]
        return hybrid_interval(values, (each[0], each[1]))
    of_a, of_b = (
        metric.bounds(one.table) for metric, one in zip(metrics, ranked, strict=True)
    )
    bounds = of_a[0] - of_b[1], of_a[1] - of_b[0]
    difference = values[0] - values[1]
    if question.interval == "percentile" and draws is not None:
        return percentile_interval(draws, level, bounds)
    if question.interval == "basic" and draws is not None:
        return basic_interval(difference, draws, level, bounds)
    return wald_interval(difference, standard_error, level, bounds, freedom)
