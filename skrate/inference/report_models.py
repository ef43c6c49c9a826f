"""The models of a report: one or several, by labels and scores, tables or folds."""

from collections.abc import Mapping
from typing import Any

from skrate.core.fold_input import check_same_folds
from skrate.core.fold_rankings import FoldRankings
from skrate.core.rank_table import check_alone
from skrate.inference.fold_ranked import ranked_in_folds
from skrate.inference.sample import (
    Ranked,
    Weights,
    check_cases,
    check_sample,
    columns_of,
)

_ONE_MODEL = "model"


def ranked_models(
    y_true: Any, y_score: Any, models: Any, *, weights: Weights, **case_arguments: Any
) -> dict[str, Ranked]:
    """Return the sample as each model ranks it, by the name of the model."""
    if isinstance(y_true, FoldRankings) or _are_of_folds(models):
        others = {"y_score": y_score, **case_arguments}
        return _in_folds(y_true, models, weights, others)
    if y_true is None:
        raise ValueError(
            "y_true is missing: give the labels of the cases, or FoldRankings, which "
            "hold them."
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
        for name, scores in _by_name(columns).items()
    }


def _are_of_folds(models: Any) -> bool:
    each = models.values() if isinstance(models, Mapping) else [models]
    return any(isinstance(model, FoldRankings) for model in each)


def _in_folds(
    rankings: Any, models: Any, weights: Weights, others: dict[str, Any]
) -> dict[str, Ranked]:
    """Return the rankings of models as samples, each fold of which is cut alone."""
    if models is None:
        check_alone(rankings, **others)
        return {_ONE_MODEL: ranked_in_folds(rankings, weights)}
    if not isinstance(models, Mapping):
        raise ValueError(
            "models must be a mapping of names and FoldRankings; give those of one "
            "model as y_true."
        )
    found = _by_name(models)
    named = {f"models[{name!r}]": each for name, each in found.items()}
    check_alone(check_same_folds(named)[0], "models", y_true=rankings, **others)
    return {name: ranked_in_folds(each, weights) for name, each in found.items()}


def _by_name(models: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the models by their names as strings, of which no two are the same."""
    names = [str(name) for name in models]
    if not names or len(set(names)) < len(names):
        raise ValueError(
            "models must hold at least one model, each under a name of its own; found "
            f"the names {names}."
        )
    return dict(zip(names, models.values(), strict=True))


def _check_is_of_one(y_score: Any) -> None:
    """Raise for a mapping, or for a frame of several columns."""
    names = list(getattr(y_score, "columns", y_score))
    if isinstance(y_score, Mapping) or len(names) != 1:
        raise ValueError(
            f"y_score holds several models: give them as models=, found {names}."
        )
