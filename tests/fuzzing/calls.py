"""A call with its expected outcome: run it, judge it, make a failure small.

The outcome is a value that the check accepts, or a ``ValueError`` that names an
argument. Nothing else may come out: no other exception, no warning but
``UndefinedMetricWarning`` (and only beside nan), no change of an argument.
"""

import copy
import math
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from fuzzing.samples import Sample

# Said beside a number that is rough for a known reason, whatever the call: where a
# known rate leaves too few cases to say much, and where negatives are too few for it.
FEW_PROCESSED = re.compile(
    r"The .* depends on the "
    r"(best \S+ of \S+ (cases|samples)|\S+ highest of \S+ negatives)"
)
TELLS_LITTLE = re.compile(
    "collect about|may be far too small|folds is biased, because|"
    "depends on the ranking near one point|The models have different samples|"
    "have a sample_weight above half|The models differ in|in the window|"
    "lists are undefined for one of the|of equal weight, and at least|"
    "both rankings are next to perfect|may be reversed|"
    "tie at the threshold|No sample will be selected|interval are unreliable|"
    "as predicted classes do|is below 0 and counts as the rate 0|cuts each fold by|"
    "cuts each list separately"
)


class Disagreement(AssertionError):
    """What came out is not what the oracle says."""


@dataclass(frozen=True)
class Call:
    """A public function, what it is given, and what must come out.

    ``arguments`` makes positional and keyword arguments from the sample, ``check``
    takes the sample and the result and raises ``Disagreement``. ``refusal`` names the
    arguments of which the expected ``ValueError`` must name one; ``may_refuse`` says
    that one of these may be refused instead. ``may_warn`` allows
    ``UndefinedMetricWarning`` beside a value.
    """

    name: str
    function: Callable[..., Any]
    arguments: Callable[[Sample], Any]
    check: Callable[[Sample, Any], None]
    sample: Sample | None = None
    refusal: tuple[str, ...] = ()
    may_refuse: tuple[str, ...] = ()
    may_warn: bool = False


def run(call: Call) -> None:
    """Run a call; raise ``Disagreement`` if anything but the expected comes out."""
    args, kwargs = call.arguments(call.sample)
    before = copy.deepcopy((args, kwargs))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call.function(*args, **kwargs)
        except ValueError as error:
            _judge_refusal(call, str(error))
            result = None
        except Exception as error:
            raise Disagreement(f"raised {type(error).__name__}: {error}") from error
        else:
            if call.refusal:
                raise Disagreement(
                    f"took what it must refuse for {call.refusal}: {result!r}"
                )
    caught = [w for w in caught if not FEW_PROCESSED.match(str(w.message))]
    # That a sample tells too little may be said of any value.
    caught = [w for w in caught if not TELLS_LITTLE.search(str(w.message))]
    foreign = [w for w in caught if not issubclass(w.category, UndefinedMetricWarning)]
    if foreign:
        first = foreign[0]
        raise Disagreement(f"warned {first.category.__name__}: {first.message}")
    if not is_same((args, kwargs), before):
        raise Disagreement("changed an argument")
    if result is None:
        return
    has_warned = bool(caught)
    if has_warned and not (call.may_warn or holds_nan(result)):
        raise Disagreement(f"warned beside {result!r}: {caught[0].message}")
    if isinstance(result, float) and math.isnan(result) and not has_warned:
        raise Disagreement("gave nan without a warning")
    call.check(call.sample, result)


def _judge_refusal(call: Call, message: str) -> None:
    if "cuts each fold by itself" in message:
        return
    names = (*call.refusal, *call.may_refuse)
    if not names:
        raise Disagreement(f"raised ValueError: {message}")
    if not any(name in message for name in names):
        raise Disagreement(f"raised ValueError that names none of {names}: {message}")


def quietly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return what a second call gives, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def made_small(call: Call) -> tuple[Call, str]:
    """Return the call with as few cases as fail, and how it then fails."""
    message = _failure(call) or ""
    if call.sample is None:
        return call, message
    n_left = 300
    size = max(1, len(call.sample) // 2)
    while size and n_left:
        start = 0
        while start < len(call.sample) and n_left:
            rows = np.arange(len(call.sample))
            kept = np.delete(rows, slice(start, start + size))
            n_left -= 1
            smaller = replace(call, sample=call.sample.take(kept))
            found = _failure(smaller) if len(kept) else None
            if found and _kind(found) == _kind(message):
                call, message = smaller, found
            else:
                start += size
        size //= 2
    return call, message


def _kind(message: str) -> str:
    """Return what is said without the numbers in it."""
    return re.sub(r"[-+]?\d[-+\d.e]*", "", message)[:60]


def _failure(call: Call) -> str | None:
    try:
        run(call)
    except Disagreement as error:
        return str(error)
    except Exception:
        # Cases that the oracle has no answer for are no smaller failure.
        return None
    return None


def shown(call: Call) -> str:
    """Return the call as code, as far as arguments have one."""
    args, kwargs = call.arguments(call.sample)
    parts = [_shown(value) for value in args]
    parts += [f"{name}={_shown(value)}" for name, value in kwargs.items()]
    return f"{call.name}({', '.join(parts)})"


def _shown(value: Any) -> str:
    if isinstance(value, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(value).tolist()
        return f"np.ma.array({_shown(value.data)}, mask={mask})"
    if isinstance(value, np.ndarray):
        code = f"np.array({value.tolist()!r}, dtype={value.dtype.str!r})"
        if not value.flags.c_contiguous:
            code = f"np.repeat({code}, 2)[::2]"
        return code
    if type(value).__module__.split(".")[0] == "pandas":
        return f"pandas.Series({value.tolist()!r}, dtype={str(value.dtype)!r})"
    if type(value).__module__.split(".")[0] == "polars":
        return f"polars.Series({value.to_list()!r}, dtype=polars.{value.dtype})"
    if isinstance(value, list | tuple) and any(
        isinstance(part, np.ndarray) for part in value
    ):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if hasattr(value, "dist") and hasattr(value, "args"):
        return f"stats.{value.dist.name}(*{value.args!r}, **{value.kwds!r})"
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return repr(value)


def is_same(found: Any, expected: Any) -> bool:
    """Return whether two arguments are the same in type, dtype, order and values."""
    if isinstance(expected, Mapping):
        return list(found) == list(expected) and all(
            is_same(found[key], expected[key]) for key in expected
        )
    if isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(
            is_same(a, b) for a, b in zip(found, expected, strict=True)
        )
    if isinstance(expected, np.ma.MaskedArray):
        return is_same(found.data, expected.data) and np.array_equal(
            np.ma.getmaskarray(found), np.ma.getmaskarray(expected)
        )
    if isinstance(expected, np.ndarray):
        if found.dtype != expected.dtype or found.shape != expected.shape:
            return False
        if expected.dtype.kind in "fcmM":
            return bool(np.array_equal(found, expected, equal_nan=True))
        return _all_same(found.ravel().tolist(), expected.ravel().tolist())
    if type(expected).__module__.split(".")[0] in ("pandas", "polars"):
        return bool(found.equals(expected))
    return True


def _all_same(found: list[Any], expected: list[Any]) -> bool:
    return all(
        type(a) is type(b) and (a is b or bool(a == b) or a != a)
        for a, b in zip(found, expected, strict=True)
    )


def holds_nan(result: Any) -> bool:
    """Return whether a result is, or holds, a number that is undefined."""
    if isinstance(result, float):
        return math.isnan(result)
    if isinstance(result, np.ndarray):
        return result.dtype.kind == "f" and bool(np.isnan(result).any())
    if isinstance(result, Mapping):
        return any(holds_nan(value) for value in result.values())
    if isinstance(result, list | tuple):
        return any(holds_nan(value) for value in result)
    if hasattr(result, "__dataclass_fields__"):
        return any(holds_nan(getattr(result, name)) for name in vars(result))
    return False


def same_number(
    name: str, found: Any, expected: float, *, rtol: float = 1e-10, atol: float = 1e-12
) -> None:
    """Raise unless ``found`` is a builtin float that is near to ``expected``."""
    if type(found) is not float:
        raise Disagreement(f"{name} is {type(found).__name__}, not float: {found!r}")
    if not near(found, expected, rtol=rtol, atol=atol):
        raise Disagreement(f"{name} is not the oracle's: {found!r}, not {expected!r}")


def near(found: float, expected: float, *, rtol: float, atol: float) -> bool:
    """Return whether two numbers are near, or both nan."""
    if math.isnan(expected) or math.isnan(found):
        return math.isnan(expected) and math.isnan(found)
    if math.isinf(expected) or math.isinf(found):
        return found == expected
    return abs(found - expected) <= atol + rtol * abs(expected)


def same_numbers(name: str, found: Any, expected: Any, **tolerance: float) -> None:
    """Raise unless two arrays are near, entry by entry, nan where nan is."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    if found.shape != expected.shape:
        raise Disagreement(f"{name} has shape {found.shape}, not {expected.shape}")
    pairs = zip(found.ravel().tolist(), expected.ravel().tolist(), strict=True)
    tolerance = {"rtol": 1e-10, "atol": 1e-12, **tolerance}
    for place, (a, b) in enumerate(pairs):
        if not near(a, b, **tolerance):
            raise Disagreement(f"{name}[{place}] is not the oracle's: {a!r}, not {b!r}")


def holds(condition: Any, message: str) -> None:
    """Raise unless a relation holds."""
    if not condition:
        raise Disagreement(message)
