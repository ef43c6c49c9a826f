"""Several models on the same cases, or in the same folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joblib import Parallel, delayed

from skrate.data.checks import check_n_jobs, check_vector
from skrate.data.folds import FoldRankings, are_of_folds, check_same_folds
from skrate.data.table import check_alone
from skrate.inference.measured import Measured, measured
from skrate.inference.plan import Plan, warn_of_few_cases
from skrate.inference.sample import (
    Rankings,
    Weights,
    check_cases,
    columns_of,
    rankings_of,
    scored,
)
from skrate.metrics.base import MetricLike


def rankings_of_models(
    argument: str,
    scores: Any,
    y_true: Any,
    cases_given: dict[str, Any],
    weights: Weights,
    *,
    least: int = 2,
    by_case: bool = True,
) -> dict[str, Rankings]:
    """Return the rankings of several models by their names.

    ``scores`` is the argument of that name; the rankings of folds stand in ``y_true``.
    """
    if are_of_folds(y_true):
        check_alone(FoldRankings, **{argument: scores}, **cases_given)
        argument = "y_true"
        models = y_true if isinstance(y_true, Mapping) else dict(enumerate(y_true))
    else:
        cases = check_cases(
            y_true, weights=weights, takes_estimates=True, **cases_given
        )
        models = columns_of(argument, scores, cases.n_given)
    check_several(argument, models, least)
    named = {f"{argument}[{name!r}]": one for name, one in models.items()}
    if are_of_folds(y_true):
        check_same_folds(named)
        rankings = [rankings_of(one, weights=weights) for one in models.values()]
    else:
        rankings = [
            Rankings([scored(cases, *one, by_case=by_case)]) for one in named.items()
        ]
    return dict(zip(map(str, models), rankings, strict=True))


def columns_of_models(
    argument: str, scores: Any, y_true: Any, *, least: int = 2
) -> dict[Any, Any]:
    """Return the scores of several models by their names, of which there are enough."""
    models = columns_of(argument, scores, len(check_vector("y_true", y_true)))
    return check_several(argument, models, least)


def check_several(
    argument: str, models: Mapping[Any, Any], least: int = 2
) -> dict[Any, Any]:
    """Return models by name, of which there must be enough."""
    names = [str(name) for name in models]
    if len(names) < least or len({*names}) < len(names):
        raise ValueError(
            f"{argument} must name {least} or more models, each by another text: found "
            f"{len(names)}, {names}."
        )
    return dict(models)


def measured_models(
    meant: tuple[MetricLike, dict[str, Any]], samples: list[Rankings], plan: Plan
) -> list[Measured]:
    """Return the metric of each model; warn once of what all of them lack."""
    if samples[0].folds is not None:
        return measured([meant] * len(samples), samples, plan)

    def fill(sample: Rankings) -> Measured:
        first = sample is samples[0]
        (model,) = measured(
            [meant], [sample], plan, are_warned=first, are_compared=True
        )
        if model.is_known:
            if first:
                warn_of_few_cases([model.metric], [model.cases])
            model.influence  # noqa: B018
        if plan.method == "delta":
            # Memory that the next model takes again need not be cleared for it.
            model.cases.forget()
        return model

    # Threads, whatever else joblib is told to use: they write into the same memory.
    run = Parallel(n_jobs=check_n_jobs(plan.n_jobs), require="sharedmem")
    return list(run(map(delayed(fill), samples)))
