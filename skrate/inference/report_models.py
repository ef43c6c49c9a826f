"""The models of a report: one or several, by labels and scores, tables or folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from skrate.core.arrays import ArrayLike
from skrate.core.fold_input import are_of_folds, check_same_folds
from skrate.core.fold_rankings import FoldRankings
from skrate.core.rank_table import RankTable, check_alone
from skrate.inference.fold_ranked import ranked_in_folds
from skrate.inference.sample import (
    Ranked,
    Weights,
    check_cases,
    check_sample,
    columns_of,
)

# Labels, or what stands for them and the scores of one model, or of several.
RankingsLike: TypeAlias = (
    ArrayLike
    | RankTable
    | FoldRankings
    | Mapping[Any, FoldRankings]
    | Sequence[FoldRankings]
)
_ONE_MODEL = "model"


def ranked_models(
    y_true: Any, y_score: Any, models: Any, *, weights: Weights, **case_arguments: Any
) -> dict[str, Ranked]:
    """Return the sample as each model ranks it, by the name of the model."""
    if isinstance(y_true, FoldRankings) or are_of_folds(y_true):
        check_alone(FoldRankings, y_score=y_score, models=models, **case_arguments)
        return _in_folds(y_true, weights)
    if are_of_folds(models):
        raise ValueError(
            "models holds FoldRankings, which hold labels as well: give the mapping as "
            "y_true."
        )
    case_arguments["weights"] = weights
    if models is None:
        if isinstance(y_score, Mapping) or hasattr(y_score, "columns"):
            _check_is_of_one(y_score)
        return {_ONE_MODEL: check_sample(y_true, y_score, **case_arguments)}
    if y_score is not None:
        raise ValueError(
            "y_score must be left out where models are given: add it to them, under a "
            "name of its own."
        )
    cases = check_cases(y_true, **case_arguments)
    columns = columns_of("models", models, cases.n_given)
    return {
        name: cases.with_scores(f"models[{name!r}]", scores)
        for name, scores in _by_name("models", columns).items()
    }


def _in_folds(given: Any, weights: Weights) -> dict[str, Ranked]:
    """Return the rankings of models as samples, each fold of which is cut alone."""
    if isinstance(given, FoldRankings):
        return {_ONE_MODEL: ranked_in_folds(given, weights)}
    models = given if isinstance(given, Mapping) else dict(enumerate(given))
    check_same_folds({f"y_true[{name!r}]": one for name, one in models.items()})
    found = _by_name("y_true", models)
    return {name: ranked_in_folds(one, weights) for name, one in found.items()}


def _by_name(argument: str, models: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the models by their names as strings, of which no two are the same."""
    names = [str(name) for name in models]
    if not names or len(set(names)) < len(names):
        raise ValueError(
            f"{argument} must hold at least one model, each under a name of its own; "
            f"found the names {names}."
        )
    return dict(zip(names, models.values(), strict=True))


def _check_is_of_one(y_score: Any) -> None:
    """Raise for a mapping, or for a frame of several columns."""
    names = list(getattr(y_score, "columns", y_score))
    if isinstance(y_score, Mapping) or len(names) != 1:
        raise ValueError(
            f"y_score holds several models: give them as models=, found {names}."
        )
