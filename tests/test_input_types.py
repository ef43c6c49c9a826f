"""Each public function with each type of input: it works, or names the argument.

``python tests/test_input_types.py`` prints the table.
"""

import itertools
import re
import sys
import warnings
from collections.abc import Callable
from functools import partial
from inspect import isfunction, signature
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold

import skrate
from looped import case, looped
from skrate import ConstrainedThresholdClassifier, FoldRankings, RankTable, labels

RNG = np.random.default_rng(0)
N = 120
Y = (RNG.random(N) < 0.4).astype(int)
A, B = (np.round(RNG.normal(size=N) + Y, 1) for _ in range(2))
X = np.column_stack([A, B])
LISTS = np.arange(N) % 12
PAIRS = np.arange(N) // 2
WEIGHT = np.arange(N) % 3 + 1
NOISY = labels.noisy(Y, 0.98, 0.99)
MODELS = {"a": A, "b": B}
TABLES = [RankTable.from_arrays(Y, score) for score in (A, B)]
FOLDS = [FoldRankings(Y, score, np.arange(N) % 3) for score in (A, B)]
OF_MODELS = dict(zip("ab", FOLDS, strict=True))
MODEL = LogisticRegression()
SEARCH = GridSearchCV(MODEL, {"C": [0.1, 1.0]}, cv=3)

# The column of the table, and the arguments that hold the input.
TYPES = {
    "arrays": "",
    "several models": "y_score|y_score_a|y_score_b|y_scores|models|y|a",
    "RankTable": "y_true|y_score_b|y_trues|models|y|a",
    "FoldRankings": "y_true|y_trues|models|y|a",
    "FoldRankings of models": "y_true|y_score_a|y_trues|models|y|a",
    "groups": "groups",
    "clusters": "clusters",
    "sample_weight": "sample_weight",
    "estimated labels": "y_true|y_trues|y|a",
}
KEYWORDS = {"groups": LISTS, "clusters": PAIRS, "sample_weight": WEIGHT}
Calls = dict[str, Callable[[], Any]]


def of_one(function: Callable[..., Any], **options: Any) -> Calls:
    """Return the calls of a function of labels and the scores of a model."""
    call = partial(function, **options)
    return {
        "arrays": partial(call, Y, A),
        "several models": partial(call, Y, MODELS),
        "RankTable": partial(call, TABLES[0]),
        "FoldRankings": partial(call, FOLDS[0]),
        "FoldRankings of models": partial(call, OF_MODELS),
        "estimated labels": partial(call, NOISY, A),
        **{name: partial(call, Y, A, **{name: KEYWORDS[name]}) for name in KEYWORDS},
    }


def of_two(function: Callable[..., Any], **options: Any) -> Calls:
    """Return the calls of a function of labels and the scores of two models."""
    call = partial(function, **options)
    return {
        "arrays": partial(call, Y, A, B),
        "several models": partial(call, Y, MODELS),
        "RankTable": partial(call, *TABLES),
        "FoldRankings": partial(call, *FOLDS),
        "FoldRankings of models": partial(call, OF_MODELS),
        "estimated labels": partial(call, NOISY, A, B),
        **{name: partial(call, Y, A, B, **{name: KEYWORDS[name]}) for name in KEYWORDS},
    }


def of_models(function: Callable[..., Any], **options: Any) -> Calls:
    """Return the calls of a function of labels and the scores of several models."""
    call = partial(function, **options)
    return {
        "arrays": partial(call, Y, A.reshape(-1, 1)),
        "several models": partial(call, Y, MODELS),
        "RankTable": partial(call, TABLES[0]),
        "FoldRankings": partial(call, FOLDS[0]),
        "FoldRankings of models": partial(call, OF_MODELS),
        "estimated labels": partial(call, NOISY, MODELS),
        **{
            name: partial(call, Y, MODELS, **{name: KEYWORDS[name]})
            for name in KEYWORDS
        },
    }


def of_fitting(function: Callable[..., Any]) -> Calls:
    """Return the calls of a function that fits a model on cases and labels."""
    return {
        "arrays": partial(function, X, Y),
        "several models": partial(function, X, MODELS),
        "RankTable": partial(function, X, TABLES[0]),
        "FoldRankings": partial(function, X, FOLDS[0]),
        "FoldRankings of models": partial(function, X, OF_MODELS),
        "estimated labels": partial(function, X, NOISY),
        **{
            name: partial(function, X, Y, **{name: KEYWORDS[name]}) for name in KEYWORDS
        },
    }


def of_folds(function: Callable[..., Any]) -> Calls:
    """Return the calls of a function of labels and scores of folds."""
    parts = [[part[::2], part[1::2]] for part in (Y, A)]
    halves = {name: [part[::2], part[1::2]] for name, part in KEYWORDS.items()}
    return {
        "arrays": partial(function, *parts),
        "several models": partial(function, parts[0], {"a": parts[1], "b": parts[1]}),
        "RankTable": partial(function, TABLES),
        "FoldRankings": partial(function, FOLDS[0]),
        "FoldRankings of models": partial(function, OF_MODELS),
        "estimated labels": partial(function, [NOISY, NOISY], [A, B]),
        **{name: partial(function, *parts, **{name: halves[name]}) for name in halves},
    }


def of_numbers(function: Callable[..., Any]) -> Calls:
    """Return the calls of a function of a number per fold and model."""
    folds = [0.7, 0.8, 0.75, 0.9], [0.6, 0.7, 0.8, 0.7]
    given = {
        "several models": MODELS, "RankTable": TABLES[0], "FoldRankings": FOLDS[0],
        "FoldRankings of models": OF_MODELS, "estimated labels": NOISY,
    }  # fmt: skip
    return {
        "arrays": partial(function, *folds),
        **{name: partial(function, one, folds[1]) for name, one in given.items()},
        **{
            name: partial(function, *folds, **{name: KEYWORDS[name]})
            for name in KEYWORDS
        },
    }


FEW = {"n_resamples": 20, "random_state": 0}
RATE = {"rate": 0.3}
NEEDED = {
    "expected_gain_score": {"gain": {"positive": 1, "negative": -0.5}, **RATE},
    "fpr_at_recall_score": {"recall": 0.8},
    "precision_at_rate_score": RATE,
    "precision_at_recall_score": {"recall": 0.8},
    "rate_at_recall_score": {"recall": 0.8},
    "recall_at_fpr_score": {"fpr": 0.2},
    "recall_at_precision_score": {"precision": 0.5},
    "recall_at_rate_score": RATE,
    "lift_at_rate_score": RATE,
    "partial_auc_score": {"fpr": (0, 0.3)},
    "work_saved_score": {"recall": 0.8},
}
ROWS: dict[str, Calls] = {
    "estimate": of_one(partial(skrate.estimate, "recall_at_rate"), **RATE),
    "compare": of_two(partial(skrate.compare, "recall_at_rate"), **RATE),
    "select_best": of_models(partial(skrate.select_best, "roc_auc"), **FEW),
    "sample_size": of_one(
        partial(skrate.sample_size, "recall_at_rate"), half_width=0.1, **RATE
    ),
    "compare_curves": of_two(skrate.compare_curves, **FEW),
    "curve_band": of_one(skrate.curve_band, **FEW),
    "budget_report": of_one(skrate.budget_report, **RATE),
    "subgroup_scores": of_one(
        partial(skrate.subgroup_scores, "recall"), by=LISTS % 2, **RATE
    ),
    "group_scores": of_one(partial(skrate.group_scores, "roc_auc"), groups=LISTS),
    "hit_curve": of_one(skrate.hit_curve),
    "rate_averaged_roc_curve": of_folds(skrate.rate_averaged_roc_curve),
    "compare_folds": of_numbers(skrate.compare_folds),
    "cross_val_rankings": of_fitting(partial(skrate.cross_val_rankings, MODEL)),
    "search_rankings": of_fitting(partial(skrate.search_rankings, SEARCH)),
    **{
        name: of_one(getattr(skrate, name), **NEEDED.get(name, {}))
        for name in skrate.__all__
        if name.endswith("_score")
    },
}
# They take no cases.
OTHERS = {
    *("convert_rauc", "eval_metric", "make_ranking_scorer", "read_trec", "refit_best")
}


def refusal(call: Callable[[], Any]) -> str | None:
    """Return the message by which a call refuses its input, None if it works."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except (TypeError, ValueError) as error:
            return str(error)
    return None


def table() -> str:
    """Return the table in Markdown: "yes" where a function takes an input."""
    lines = [["function", *TYPES], ["---"] * (len(TYPES) + 1)]
    for name, calls in ROWS.items():
        works = ["yes" if refusal(calls[kind]) is None else "" for kind in TYPES]
        lines.append([name, *works])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def test_all_functions_of_cases_are_rows():
    functions = {n for n in skrate.__all__ if isfunction(getattr(skrate, n))}
    assert functions == {*ROWS, *OTHERS}


@looped("name", ROWS)
def test_each_input_works_or_its_argument_is_named(name):
    parameters = {*signature(getattr(skrate, name)).parameters}
    # A list of arrays, and one of them.
    parameters |= {one.removesuffix("s") for one in parameters}
    for kind, arguments in TYPES.items():
        message = refusal(ROWS[name][kind])
        if message is not None:
            names = {*arguments.split("|")} & parameters or {arguments}
            with case(f"{kind}: {message}"):
                assert re.search(rf"\b({'|'.join(names)})\b", message)


def test_ids_of_which_numpy_makes_equal_floats_are_told_apart():
    by_groups, half = GroupKFold(3), np.arange(N) // 12 % 2
    fit = ConstrainedThresholdClassifier(MODEL, rate=0.3, cv=by_groups).fit
    folds = partial(FoldRankings, Y, A)
    ranked = partial(skrate.cross_val_rankings, MODEL, X, Y, cv=by_groups)
    boost = skrate.RankBoostClassifier(3).fit
    auc = partial(skrate.estimate, "roc_auc")
    drawn = partial(labels.sampled, np.where(half, Y, np.nan), probability=[0.5] * N)
    lists = partial(skrate.group_scores, "ndcg", Y, A, groups=half)
    shares = partial(skrate.subgroup_scores, "recall", Y, A, rate=0.3)
    calls: dict[str, Callable[[Any], Any]] = {
        "by": lambda ids: shares(by=ids).values,
        "entities": lambda ids: lists(entities=ids).values,
        "fold": lambda ids: folds(ids).scores("roc_auc"),
        "clusters of folds": lambda ids: auc(folds(half, clusters=ids)),
        "clusters that make folds": lambda ids: auc(ranked(clusters=ids)),
        "clusters of a threshold": lambda ids: fit(X, Y, clusters=ids).threshold_,
        "groups of RankBoost": lambda ids: boost(X, Y, groups=ids).predict_proba(X),
        "design": lambda ids: auc(drawn(design=ids), A),
    }
    for name, kind in itertools.product(ROWS, ("groups", "clusters")):
        call = ROWS[name][kind]
        if refusal(call) is None:
            calls[f"{kind} of {name}"] = lambda ids, call=call, kind=kind: call(
                **{kind: ids}
            )
    ids = [2**63 + code if code else -1 for code in LISTS.tolist()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in calls.items():
            with case(name):
                assert repr(call(ids)) == repr(call(LISTS))


# What each function takes, in the order of TYPES.
TAKEN = """
estimate                     xxxxxxxxx
compare                      xx-xxxxxx
select_best                  xx--x-xxx
sample_size                  x-x--xxx-
compare_curves               xx-xx-xxx
curve_band                   xxxxx-xxx
budget_report                xxxxx-xxx
subgroup_scores              x-----xx-
group_scores                 x----x-x-
hit_curve                    x-xx---xx
rate_averaged_roc_curve      x-xx-----
compare_folds                x--------
cross_val_rankings           x----xxx-
search_rankings              x-----xx-
average_precision_score      x-xx---xx
expected_gain_score          x-xx---xx
fpr_at_recall_score          x-xx---x-
hit_rate_score               x----x---
lift_at_rate_score           x-xx---xx
mean_average_precision_score x----x---
ndcg_score                   x----x---
partial_auc_score            x-xx---xx
precision_at_rate_score      x-xx-x-xx
precision_at_recall_score    x-xx---x-
ranking_auc_score            x--x-x-xx
rate_at_recall_score         x-xx---xx
rate_weighted_auc_score      x-xx---xx
recall_at_fpr_score          x-xx---xx
recall_at_precision_score    x-xx---x-
recall_at_rate_score         x-xx-x-xx
reciprocal_rank_score        x----x---
work_saved_score             x-xx---xx
"""


def test_what_works_still_works():
    for line in TAKEN.strip().splitlines():
        name, marks = line.split()
        for kind, mark in zip(TYPES, marks, strict=True):
            with case(f"{name}, {kind}"):
                assert (refusal(ROWS[name][kind]) is None) == (mark == "x")
    assert {line.split()[0] for line in TAKEN.strip().splitlines()} == {*ROWS}


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
