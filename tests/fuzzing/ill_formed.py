"""Ill-formed input: a good call with one argument spoilt, and what must name it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fuzzing.calls import Call
from fuzzing.samples import Form, Sample

Spoil = Callable[[dict[str, Any], Sample], None]
_UNEQUAL = ("Unequal numbers of ", "y_score has", "y_true has", "y_score_b is")


def spoilt(rng: np.random.Generator, call: Call) -> Call:
    """Return the call with an argument that it must refuse by name."""
    assert call.sample is not None
    forms = list(call.sample.forms)
    forms[0] = forms[1] = forms[2] = Form()
    sample = replace(call.sample, forms=tuple(forms))
    names = [name for name, (_, needs) in WAYS.items() if needs(sample)]
    if call.name == "estimate":
        # It takes them for two models.
        names.remove("two columns of scores")
    spoil, refusal = WAYS[str(rng.choice(names))][0]
    first = [
        name for name in ("y_score", "y_score_a", "y_scores") if name in _named(call)
    ]

    def arguments(given: Sample) -> Any:
        args, named = call.arguments(given)
        named = dict(named)
        if first[0] == "y_scores":
            named["y_score"] = given.y_score
        else:
            named["y_score"] = named.pop(first[0])
        spoil(named, given)
        if first[0] == "y_scores":
            named["y_scores"] = {"first": named.pop("y_score"), "x": given.scores}
        else:
            named[first[0]] = named.pop("y_score")
        return args, named

    return replace(
        call, sample=sample, arguments=arguments, refusal=refusal, may_refuse=()
    )


def _named(call: Call) -> dict[str, Any]:
    return call.arguments(call.sample)[1]


def _put(name: str, value: Callable[[Sample], Any]) -> Spoil:
    def spoil(named: dict[str, Any], sample: Sample) -> None:
        named[name] = value(sample)

    return spoil


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


def _structured(sample: Sample) -> np.ndarray:
    return np.array(
        [(x, x) for x in _floats(sample)], dtype=[("a", float), ("b", float)]
    )


def _masked(sample: Sample) -> np.ma.MaskedArray:
    mask = np.arange(len(sample)) == 0
    return np.ma.array(_floats(sample), mask=mask)


def _masked_labels(sample: Sample) -> np.ma.MaskedArray:
    return np.ma.array(sample.plain_labels, mask=np.arange(len(sample)) == 0)


def _three(named: dict[str, Any], sample: Sample) -> None:
    labels = np.arange(len(sample)) % 3
    named["y_true"], named["pos_label"] = labels, 1
    named.pop("sample_weight", None)


def _labels_with(value: Any) -> Spoil:
    def spoil(named: dict[str, Any], sample: Sample) -> None:
        labels = np.array(["a", "b"] * len(sample), dtype=object)[: len(sample)]
        labels[-1] = value
        named["y_true"], named["pos_label"] = labels, "a"
        named.pop("sample_weight", None)

    return spoil


def _ambiguous(named: dict[str, Any], sample: Sample) -> None:
    named["y_true"] = np.array(["a", "b"] * len(sample))[: len(sample)]
    named["pos_label"] = None
    named.pop("sample_weight", None)


def _unknown(named: dict[str, Any], sample: Sample) -> None:
    named["y_true"] = np.arange(len(sample)) % 2
    named["pos_label"] = 5
    named.pop("sample_weight", None)


def _empty(named: dict[str, Any], sample: Sample) -> None:
    for name in ("y_true", "y_score", "sample_weight", "groups"):
        if name in named:
            named[name] = []


def _any(sample: Sample) -> bool:
    return True


def _two(sample: Sample) -> bool:
    return len(sample) >= 2


def _three_cases(sample: Sample) -> bool:
    return len(sample) >= 3


def _unweighted(sample: Sample) -> bool:
    return len(sample) >= 2 and sample.weights is None


def _weights(value: Any) -> Spoil:
    return _put("sample_weight", lambda s: _with(s, value))


# By name: ((what is done, the names of which the message holds one), when it is ill).
WAYS: dict[str, tuple[tuple[Spoil, tuple[str, ...]], Callable[[Sample], bool]]] = {
    "a score is NaN": (
        (_put("y_score", lambda s: _with(s, np.nan)), ("y_score",)), _any,
    ),
    "a score is infinite": (
        (_put("y_score", lambda s: _with(s, np.inf, "f4")), ("y_score",)), _any,
    ),
    "a score is missing": (
        (_put("y_score", lambda s: _with(s, None, object)), ("y_score",)), _any,
    ),
    "scores are words": (
        (_put("y_score", lambda s: np.array(["high"] * len(s))), ("y_score",)), _any,
    ),
    "scores are numbers as strings": (
        (_put("y_score", lambda s: [str(x) for x in _floats(s)]), ("y_score",)), _any,
    ),
    "scores are dates, one is missing": ((_put("y_score", _dates), ("y_score",)), _any),
    "scores are complex": (
        (_put("y_score", lambda s: _floats(s) + 1j), ("y_score",)), _any,
    ),
    "scores are records": ((_put("y_score", _structured), ("y_score",)), _any),
    "a score is masked": ((_put("y_score", _masked), ("y_score",)), _any),
    "two columns of scores": (
        (_put("y_score", lambda s: np.full((len(s), 2), 0.5)), ("y_score",)), _any,
    ),
    "fewer scores": ((_put("y_score", lambda s: _floats(s)[1:]), _UNEQUAL), _two),
    "three labels": ((_three, ("y_true",)), _three_cases),
    "a label is None": ((_labels_with(None), ("y_true",)), _two),
    "a label is NaN": ((_labels_with(np.nan), ("y_true",)), _two),
    "a label is masked": ((_put("y_true", _masked_labels), ("y_true",)), _any),
    "no label is said to be positive": ((_ambiguous, ("pos_label",)), _two),
    "the positive label is unknown": ((_unknown, ("pos_label",)), _two),
    "no cases": ((_empty, ("y_true", "y_score")), _any),
    "a weight is negative": ((_weights(-1.0), ("sample_weight",)), _unweighted),
    "a weight is NaN": ((_weights(np.nan), ("sample_weight",)), _unweighted),
    "a weight is infinite": ((_weights(np.inf), ("sample_weight",)), _unweighted),
    "no weight": (
        (_put("sample_weight", lambda s: np.zeros(len(s))), ("sample_weight",)),
        _unweighted,
    ),
    "fewer weights": (
        (_put("sample_weight", lambda s: np.ones(len(s) - 1)), ("sample_weight",)),
        _unweighted,
    ),
}  # fmt: skip
