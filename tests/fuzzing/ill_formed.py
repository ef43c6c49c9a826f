"""Ill-formed input: a good call with one argument spoilt, and what must name it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fuzzing.calls import Call
from fuzzing.samples import Form, Sample

Values = Callable[[Sample], Any]
_UNEQUAL = ("Unequal numbers of ", "y_score has", "y_true has", "y_score_b is")


def spoilt(rng: np.random.Generator, call: Call) -> Call:
    """Return the call with an argument that it must refuse by name."""
    assert call.sample is not None
    sample = replace(call.sample, forms=(Form(), Form(), Form(), call.sample.forms[3]))
    ways = _ways(sample)
    if call.name == "estimate":
        # It takes them for two models.
        del ways["two columns of scores"]
    refusal, spoil = ways[str(rng.choice(list(ways)))]

    def arguments(given: Sample) -> Any:
        args, named = call.arguments(given)
        scores = "y_score" if "y_score" in named else "y_score_a"
        spoilt = spoil(given)
        if "y_score" in spoilt:
            spoilt[scores] = spoilt.pop("y_score")
        if "groups" not in named:
            spoilt.pop("groups", None)
        return args, {**named, **spoilt}

    return replace(
        call, sample=sample, arguments=arguments, refusal=refusal, may_refuse=()
    )


def _ways(sample: Sample) -> dict[str, tuple[tuple[str, ...], Values]]:
    """Return, by name, what must be named and the arguments that are spoilt."""
    n = len(sample)
    ways = {name: (("y_score",), _put("y_score", SCORES[name])) for name in SCORES}
    for name, (refused, least, labels, pos_label) in LABELS.items():
        if n >= least:
            ways[name] = ((refused,), _put_labels(labels, pos_label))
    ways["no cases"] = (("y_true", "y_score"), _empty)
    if n >= 2:
        fewer = _put("y_score", lambda s: _floats(s)[1:])
        ways["fewer scores"] = (_UNEQUAL, fewer)
    if n >= 2 and sample.weights is None:
        for name, weights in WEIGHTS.items():
            ways[name] = (("sample_weight",), _put("sample_weight", weights))
    return ways


def _put(argument: str, values: Values) -> Values:
    return lambda sample: {argument: values(sample)}


def _put_labels(labels: Values, pos_label: Any) -> Values:
    return lambda sample: {
        "y_true": labels(sample), "pos_label": pos_label, "sample_weight": None
    }  # fmt: skip


def _empty(_: Sample) -> dict[str, Any]:
    return {"y_true": [], "y_score": [], "sample_weight": None, "groups": []}


def _floats(sample: Sample) -> np.ndarray:
    return np.linspace(0, 1, len(sample))


def _with(sample: Sample, value: Any, dtype: Any = float) -> np.ndarray:
    values = _floats(sample).astype(dtype)
    values[len(sample) // 2] = value
    return values


def _dates(sample: Sample) -> np.ndarray:
    dates = np.datetime64("2020-01-01", "ns") + np.arange(len(sample))
    dates[0] = np.datetime64("NaT", "ns")
    return dates


def _records(sample: Sample) -> np.ndarray:
    pairs = [(x, x) for x in _floats(sample)]
    return np.array(pairs, dtype=[("a", float), ("b", float)])


def _masked(values: np.ndarray) -> np.ma.MaskedArray:
    return np.ma.array(values, mask=np.arange(len(values)) == 0)


def _words(sample: Sample, *last: Any) -> np.ndarray:
    labels = np.array(["a", "b"] * len(sample), dtype=object)[: len(sample)]
    labels[len(sample) - len(last) :] = last
    return labels


SCORES: dict[str, Values] = {
    "a score is NaN": lambda s: _with(s, np.nan),
    "a score is infinite": lambda s: _with(s, np.inf, "f4"),
    "a score is missing": lambda s: _with(s, None, object),
    "a score is masked": lambda s: _masked(_floats(s)),
    "scores are words": lambda s: np.array(["high"] * len(s)),
    "scores are numbers as strings": lambda s: [str(x) for x in _floats(s)],
    "scores are dates, one is missing": _dates,
    "scores are complex": lambda s: _floats(s) + 1j,
    "scores are records": _records,
    "two columns of scores": lambda s: np.full((len(s), 2), 0.5),
}
# What must be named, the least number of samples, labels and the positive one.
LABELS: dict[str, tuple[str, int, Values, Any]] = {
    "three labels": ("y_true", 3, lambda s: np.arange(len(s)) % 3, 1),
    "a label is None": ("y_true", 2, lambda s: _words(s, None), "a"),
    "a label is NaN": ("y_true", 2, lambda s: _words(s, np.nan), "a"),
    "a label is masked": ("y_true", 1, lambda s: _masked(np.arange(len(s)) % 2), 1),
    "no label is said to be positive": ("pos_label", 2, _words, None),
    "the positive label is unknown": (
        "pos_label", 2, lambda s: np.arange(len(s)) % 2, 5,
    ),
}  # fmt: skip
WEIGHTS: dict[str, Values] = {
    "a weight is negative": lambda s: _with(s, -1.0),
    "a weight is NaN": lambda s: _with(s, np.nan),
    "a weight is infinite": lambda s: _with(s, np.inf),
    "no weight": lambda s: np.zeros(len(s)),
    "fewer weights": lambda s: np.ones(len(s) - 1),
}
