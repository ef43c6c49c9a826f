"""Cases drawn at random, and the many forms in which the same cases may be given.

A sample holds what the cases are; its forms say how they are handed over (dtype, byte
order, container). Dropping rows keeps the forms, so that a failure can be made small.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from optional import is_installed

# (negative label, positive label, whether pos_label may be left out)
LABELS = [
    (0, 1, True),
    (0, 1, True),
    (0, 1, True),
    (-1, 1, True),
    (False, True, True),
    (0.0, 1.0, True),
    (1, 0, False),
    (7, 3, False),
    (1.5, 0.25, False),
    ("z", "a", False),
    ("other", "buyer", False),
    ("no", "yes", False),
]
FLOATS = ("float16", "float32", "float64", "longdouble")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
ARRAYS = ("array", "strided", "backwards", "read-only", "column", "Fortran", "masked")
CONTAINERS = ("list", "tuple", *ARRAYS, "pandas", "nullable", "polars")


@dataclass(frozen=True)
class Form:
    """How a vector is handed over: its dtype, byte order and container."""

    container: str = "array"
    swapped: bool = False
    as_object: bool = False

    def __call__(self, values: np.ndarray) -> Any:
        """Return ``values`` in this form."""
        if self.as_object:
            boxed = np.empty(len(values), dtype=object)
            boxed[:] = values.tolist()
            values = boxed
        if self.swapped and values.dtype.kind in "iufmM":
            values = values.astype(values.dtype.newbyteorder())
        return _contained(values, self.container)


def _contained(values: np.ndarray, container: str) -> Any:
    if container in ("list", "tuple"):
        return list(values.tolist()) if container == "list" else tuple(values.tolist())
    if container == "strided":
        return np.repeat(values, 3)[::3]
    if container == "backwards":
        return values[::-1].copy()[::-1]
    if container == "read-only":
        values = values.copy()
        values.flags.writeable = False
        return values
    if container == "column":
        return values.reshape(-1, 1).copy()
    if container == "Fortran":
        return np.asfortranarray(np.stack([values, values], axis=1))[:, 0]
    if container == "masked":
        return np.ma.array(values, mask=False)
    if container in ("pandas", "nullable"):
        return _series(values, nullable=container == "nullable")
    if container == "polars":
        import polars

        return polars.Series("values", values.tolist())
    return values.copy()


def _series(values: np.ndarray, *, nullable: bool) -> Any:
    import pandas

    index = np.random.default_rng(len(values)).permutation(len(values)) + 5
    if not nullable:
        return pandas.Series(values, index=index)
    kinds = {"b": "boolean", "f": "Float", "i": "Int", "u": "UInt"}
    name = kinds.get(values.dtype.kind, "string")
    bits = str(8 * values.dtype.itemsize) if values.dtype.kind in "fiu" else ""
    return pandas.Series(values, index=index, dtype=name + bits)


_has = lru_cache(maxsize=None)(is_installed)


def draw_form(rng: np.random.Generator, values: np.ndarray) -> Form:
    """Return a form that can hold ``values`` exactly."""
    if rng.random() < 0.3:
        return Form("list" if rng.random() < 0.5 else "array")
    kind, size = values.dtype.kind, values.dtype.itemsize
    choices = list(CONTAINERS)
    if not _has("pandas") or size > 8:
        choices = [c for c in choices if c not in ("pandas", "nullable")]
    if not _has("polars") or size > 8:
        choices.remove("polars")
    if kind == "f" and size not in (4, 8) and "nullable" in choices:
        choices.remove("nullable")
    container = str(rng.choice(choices))
    swapped = bool(rng.random() < 0.35) and container in (*ARRAYS, "pandas")
    as_object = bool(rng.random() < 0.06) and container in (*ARRAYS, "pandas")
    return Form(container, swapped and not as_object, as_object)


@dataclass(frozen=True)
class Sample:
    """Cases: class, score, maybe weight and list, and how each vector is given."""

    is_pos: np.ndarray
    scores: np.ndarray
    weights: np.ndarray | None = None
    groups: np.ndarray | None = None
    labels: tuple[Any, Any] = (0, 1)
    pos_label: Any = None
    label_dtype: str = "int64"
    forms: tuple[Form, Form, Form, Form] = (Form(), Form(), Form(), Form())

    def __len__(self) -> int:
        return len(self.is_pos)

    def take(self, rows: np.ndarray) -> "Sample":
        """Return some of the cases, given in the same form."""
        return replace(
            self,
            is_pos=self.is_pos[rows],
            scores=self.scores[rows],
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups[rows],
        )

    @property
    def y_true(self) -> Any:
        return self.forms[0](self.plain_labels)

    @property
    def plain_labels(self) -> np.ndarray:
        negative, positive = self.labels
        return np.array(
            [positive if pos else negative for pos in self.is_pos.tolist()],
            dtype=None if isinstance(positive, str) else self.label_dtype,
        )

    @property
    def y_score(self) -> Any:
        return self.forms[1](self.scores)

    @property
    def sample_weight(self) -> Any:
        return None if self.weights is None else self.forms[2](self.weights)

    @property
    def group_labels(self) -> Any:
        return None if self.groups is None else self.forms[3](self.groups)

    def keywords(self) -> dict[str, Any]:
        """Return ``sample_weight`` and ``pos_label``, where they are given."""
        found: dict[str, Any] = {}
        if self.weights is not None:
            found["sample_weight"] = self.sample_weight
        if self.pos_label is not None:
            found["pos_label"] = self.pos_label
        return found

    def data(self, y_score: str = "y_score", /, **more: Any) -> Any:
        """Return arguments: none by position; by name the cases, and ``more``."""
        samples = {"y_true": self.y_true, y_score: self.y_score, **self.keywords()}
        return (), {**samples, **more}

    @property
    def parts(self) -> tuple[list[bool], list[Any], list[float] | None]:
        """Return classes, scores and weights as Python's own values, for oracles."""
        weights = None if self.weights is None else self.weights.tolist()
        if weights is not None:
            weights = [float(weight) for weight in weights]
        return self.is_pos.tolist(), list(self.scores.tolist()), weights


def draw_sample(
    rng: np.random.Generator,
    *,
    weighted: str = "any",
    lists: bool = False,
    one_class: float = 0.04,
    largest: int = 3000,
) -> Sample:
    """Draw cases. ``weighted`` is "any", "whole" (repetitions) or "none"."""
    n = _size(rng, largest)
    is_pos = rng.random(n) < rng.choice([0.5, 0.2, 0.05, 0.9])
    if rng.random() < one_class:
        is_pos[:] = rng.random() < 0.5
    elif n > 1 and (is_pos.all() or not is_pos.any()):
        is_pos[rng.integers(n)] ^= True
    scores = draw_scores(rng, is_pos)
    weights = draw_weights(rng, is_pos, weighted)
    negative, positive, may_omit = LABELS[rng.integers(len(LABELS))]
    pos_label = None if may_omit and rng.random() < 0.7 else positive
    groups = draw_groups(rng, n) if lists else None
    if lists and weights is not None and weighted == "any" and rng.random() < 0.3:
        # Each list on a scale of its own.
        _, codes = np.unique(groups, return_inverse=True)
        scales = 10.0 ** rng.uniform(-75, 75, codes.max() + 1)
        weights = (weights.astype(float) / weights.max()) * scales[codes]
    sample = Sample(
        is_pos, scores, weights, groups, (negative, positive), pos_label,
        _label_dtype(rng, positive, negative),
    )  # fmt: skip
    vectors = (sample.plain_labels, scores, weights, groups)
    forms = tuple(
        Form() if vector is None else draw_form(rng, vector) for vector in vectors
    )
    return replace(sample, forms=forms)


def _size(rng: np.random.Generator, largest: int) -> int:
    if rng.random() < 0.93:
        return int(rng.integers(1, 61))
    return int(min(largest, np.exp(rng.uniform(np.log(61), np.log(3000)))))


def _label_dtype(rng: np.random.Generator, *labels: Any) -> str:
    if isinstance(labels[0], str):
        return ""
    if isinstance(labels[0], bool):
        return "bool"
    if isinstance(labels[0], float):
        return str(rng.choice(["float64", "float32", "float16", "longdouble"]))
    choices = ["int64", "int64", "int8", "int16", "int32"]
    if min(labels) >= 0:
        choices += ["uint8", "uint64", "uint16", "uint32"]
    return str(rng.choice(choices))


def draw_scores(rng: np.random.Generator, is_pos: np.ndarray) -> np.ndarray:
    """Draw scores of a kind and a dtype: full precision, ties, tails, neighbours."""
    n = len(is_pos)
    kind = rng.choice(
        ["normal", "rounded", "few", "tails", "neighbours", "whole", "huge", "tiny",
         "equal", "shares", "flags"],
        p=[0.24, 0.15, 0.12, 0.08, 0.08, 0.1, 0.1, 0.03, 0.02, 0.06, 0.02],
    )  # fmt: skip
    shift = rng.choice([0, 0, 1, 3, 10]) * is_pos
    if kind == "flags":
        return rng.random(n) < 0.3 + 0.4 * is_pos
    if kind in ("whole", "huge"):
        return _integers(rng, n, shift.astype(int), kind)
    normal = rng.normal(size=n) + shift
    if kind == "rounded":
        scores = np.round(normal, 1)
    elif kind == "few":
        scores = np.floor(normal) / rng.choice([1, 4, 10])
    elif kind == "tails":
        scores = normal * 10.0 ** rng.uniform(-290, 290, n)
    elif kind == "neighbours":
        scores = rng.choice([1.0, -1.0, 0.1, 1e300]) * (
            1 + rng.integers(-2, 4, n) * np.finfo(float).eps
        )
    elif kind == "tiny":
        scores = rng.integers(-3, 4, n) * 5e-324
    elif kind == "equal":
        scores = np.full(n, rng.choice([0.0, 0.1, -3.7]))
    elif kind == "shares":
        scores = 1 / (1 + np.exp(-normal))
    else:
        scores = normal
    return _as_float_type(rng, scores)


def _as_float_type(rng: np.random.Generator, scores: np.ndarray) -> np.ndarray:
    dtype = str(rng.choice(FLOATS, p=[0.08, 0.15, 0.7, 0.07]))
    if dtype == "longdouble" and rng.random() < 0.5:
        steps = rng.integers(0, 3, len(scores)).astype(np.longdouble)
        return scores.astype(dtype) * (1 + steps * np.finfo(np.longdouble).eps)
    with np.errstate(over="ignore"):
        cast = scores.astype(dtype)
    # What overflows a type is not of this test.
    return cast if np.isfinite(cast).all() else scores


def _integers(
    rng: np.random.Generator, n: int, shift: np.ndarray, kind: str
) -> np.ndarray:
    if kind == "whole":
        dtype = str(rng.choice(INTEGERS))
        low = 0 if dtype.startswith("u") else -9
        return (rng.integers(low, 10, n) + shift).astype(dtype)
    dtype = str(rng.choice(["int64", "uint64", "float64", "int64"]))
    start = int(rng.choice([2**52, 2**53, 2**53 - 5, 2**60, 2**62, 2**63 - 40]))
    if dtype == "float64":
        start = min(start, 2**53 - 20)
    steps = (rng.integers(0, 6, n) + shift).tolist()
    sign = -1 if dtype != "uint64" and rng.random() < 0.4 else 1
    return np.array([sign * (start + step) for step in steps]).astype(dtype)


def draw_weights(
    rng: np.random.Generator, is_pos: np.ndarray, weighted: str
) -> np.ndarray | None:
    """Draw weights of many scales, or whole ones."""
    n = len(is_pos)
    if weighted == "none" or rng.random() < 0.45:
        return None
    if weighted == "whole":
        return _some_weight(rng, rng.integers(0, 4, n)).astype(
            str(rng.choice(["float64", "int64", "uint8", "float32"]))
        )
    kind = rng.choice(
        ["ones", "equal", "whole", "zeros", "shares", "scale", "classes", "spread"]
    )
    shares = rng.uniform(0.1, 2, n)
    if kind == "ones":
        return np.ones(n)
    if kind == "equal":
        return np.full(n, rng.choice([2.5, 3.0, 1e-70, 1e90]))
    if kind in ("whole", "zeros"):
        weights = rng.integers(0 if kind == "zeros" else 1, 4, n)
        return _some_weight(rng, weights).astype(
            str(rng.choice(["float64", "int64", "int8", "float16", "uint32"]))
        )
    if kind == "shares":
        return shares.astype(str(rng.choice(["float64", "float64", "float32"])))
    if kind == "scale":
        return shares * 10.0 ** rng.uniform(-90, 90)
    if kind == "classes":
        ratio = 10.0 ** -rng.uniform(3, 18)
        return np.where(is_pos == (rng.random() < 0.5), shares * ratio, shares)
    return shares * 10.0 ** rng.uniform(-1, 1, n) ** rng.choice([1, 3, 7])


def _some_weight(rng: np.random.Generator, weights: np.ndarray) -> np.ndarray:
    if not weights.any():
        weights[rng.integers(len(weights))] = 1
    return weights


def draw_groups(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw list labels of several kinds, in any order of rows."""
    codes = rng.integers(0, max(1, int(n / rng.choice([2, 4, 10, 60]))) + 1, n)
    kind = rng.choice(["codes", "huge", "float", "str", "sparse", "bool"])
    if kind == "huge":
        return codes * 2**40 - 2**50
    if kind == "float":
        return codes / 7 - 1
    if kind == "str":
        return np.array([f"list {code}" for code in codes])
    if kind == "sparse":
        return (codes * 37 % 101).astype("int16")
    if kind == "bool":
        return codes % 2 == 0
    return codes
