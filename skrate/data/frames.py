"""Cells of the rows of a data frame, which are grouped by the engine of the frame.

Narwhals gives the same expressions to each engine. They contain no join and no Python
code that the workers of a cluster would need.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from skrate.data.arrays import Array, BoolArray, FloatArray
from skrate.data.checks import check_range, shown, warn_class_scores
from skrate.data.compressed import Cells, cells_around, compressed, decode_scores

_OLDEST_NARWHALS = (2, 10)
# With fewer groups to keep, the engine still makes 4 times this number of groups.
_LEAST_GROUPS = 2**16
# The first grouping has 2**10 places per octave, the most that float64 has are 2**52.
_COARSE_BITS, _MANTISSA_BITS = 10, 52
# Groups are heavy if they hold more than this fraction of a class times the number of
# groups, and more than a few samples. They are divided again, in at most this number of
# runs, unless they hold less than a negligible fraction together.
_HEAVY, _FEW, _MAX_RUNS, _NEGLIGIBLE = 16, 8, 64, 0.01
# The minimum normal float64. Added to a magnitude, it makes 0 an ordinary number.
_TINY = float(np.finfo(np.float64).tiny)

_KEYS, _SUMS = ("octave", "place"), ("pos", "neg")
Groups = dict[str, Array]


def frame_cells(frame: Any, names: Mapping[str, str], max_groups: int) -> Cells:
    """Return the cells of a frame; ``names`` are its columns, by argument."""
    nw = _narwhals()
    rows = _with_mantissas(_named_columns(frame, names))
    facts = _probe(rows)
    n_rows = _check_facts(facts, names)
    if facts.get("n_zero"):
        rows = rows.filter(nw.col("weight") > 0)
    budget = 4 * max(max_groups, _LEAST_GROUPS)
    if min(n_rows, facts["n_distinct"]) <= budget:
        groups = _group(rows, "score")
        groups |= {"low": groups["score"], "high": groups["score"]}
    else:
        groups = _group_cells(rows, budget, facts.get("max_weight", 1.0))
    if groups["n"].sum() != n_rows:
        raise ValueError(
            f"frame had {n_rows:.0f} rows in the first scan, and "
            f"{groups['n'].sum():.0f} in the last: persist or cache the frame, because "
            "it must give the same rows each time."
        )
    cells = cells_around(*(groups[name] for name in ("low", "high", "pos", "neg")))
    if len(cells.keys) == 2 and n_rows >= 10 and "max_integer" in facts:
        classes = decode_scores(cells.keys).astype(int)
        warn_class_scores("y_score", np.resize(classes, 10))
    return compressed(cells, max_groups)


def _narwhals() -> Any:
    """Return narwhals, which is imported only when it is needed."""
    oldest = ".".join(map(str, _OLDEST_NARWHALS))
    needs = f"RankTable.from_frame needs narwhals {oldest} or newer"
    install = 'pip install --upgrade "scikit-rate[frames]".'
    try:
        import narwhals.stable.v2 as narwhals
    except ImportError as error:
        raise ImportError(f"{needs}: {install}") from error
    found = version("narwhals")
    if tuple(map(int, found.split(".")[:2])) < _OLDEST_NARWHALS:
        raise ImportError(f"{needs}, got {found}: {install}")
    return narwhals


def _named_columns(native: Any, names: Mapping[str, str]) -> Any:
    """Return the columns with names of our own, in float64, and integer scores."""
    nw = _narwhals()
    try:
        frame = nw.from_native(native).lazy()
    except TypeError as error:
        raise ValueError(
            "frame must be a data frame or a relation of pandas, Polars, pyarrow, "
            "DuckDB, Dask, PySpark or another engine of narwhals, got "
            f"{type(native).__name__}."
        ) from error
    schema = frame.collect_schema()
    for argument, name in names.items():
        _check_column(argument, name, schema)
    dtypes = {argument: schema[name] for argument, name in names.items()}
    if hasattr(native, "toDF"):
        # Spark would read a dot in a name as a part of a column.
        numbers = [f"column_{i}" for i in range(len(schema))]
        places = list(schema)
        names = {name: numbers[places.index(names[name])] for name in names}
        frame = nw.from_native(native.toDF(*numbers))
    # The columns of the frame may have any name: all are selected and renamed at once.
    rows = frame.select(*(nw.col(name).alias(key) for key, name in names.items()))
    columns = {"y_true": "label", "y_score": "score", "sample_weight": "weight"}
    real = [
        # pyarrow divides all integers, and refuses to cast large ones.
        (nw.col(key) / 1 if dtype.is_integer() else nw.col(key))
        .cast(nw.Float64)
        .alias(columns[key])
        for key, dtype in dtypes.items()
    ]
    if not dtypes["y_score"].is_float():
        real.append(nw.col("y_score").alias("integer"))
    return rows.select(*real)


def _with_mantissas(rows: Any) -> Any:
    """Return rows with the weights of both classes and the parts of the scores."""
    nw = _narwhals()
    weight = nw.col("weight") if "weight" in rows.collect_schema() else nw.lit(1.0)
    is_pos = (nw.col("label") > 0).cast(nw.Float64)
    rows = rows.with_columns((weight * is_pos).alias("pos"))
    rows = rows.with_columns((weight - nw.col("pos")).alias("neg"))
    # One step after the other: a single expression would repeat its parts many times.
    rows = rows.with_columns((nw.col("score").abs() + _TINY).alias("size"))
    rows = rows.with_columns(nw.col("size").log(2.0).floor().alias("exponent"))
    rows = rows.with_columns((2.0 ** nw.col("exponent")).alias("power"))
    mantissa = nw.col("size") / nw.col("power") - 1.0
    return rows.with_columns(mantissa.alias("mantissa"))


def _check_column(argument: str, name: Any, schema: Mapping[str, Any]) -> None:
    if not isinstance(name, str) or name not in schema:
        raise ValueError(
            f"{argument}={shown(name)} is not a column of the frame, which has "
            f"{shown(list(schema))}."
        )
    dtype = schema[name]
    is_number = dtype.is_numeric() and not dtype.is_decimal()
    if not (is_number or dtype == _narwhals().Boolean):
        kind = "float64"
        if argument == "y_true":
            kind = f"booleans, as frame[{shown(name)}] == 'yes' gives"
        raise ValueError(
            f"{argument} must hold numbers or booleans, got the column {shown(name)} "
            f"of dtype {dtype}: convert it to {kind}."
        )


def _probe(rows: Any) -> dict[str, Any]:
    """Return numbers that tell whether the columns are valid, from one scan."""
    nw = _narwhals()
    label, weight, names = nw.col("label"), nw.col("weight"), rows.collect_schema()
    facts = {"n": nw.len(), "min_label": label.min(), "max_label": label.max()}
    facts |= {f"n_{value}": _count(label == value) for value in (-1, 0, 1)}
    for name in [name for name in ("label", "score", "weight") if name in names]:
        facts[f"n_finite_{name}"] = _count(nw.col(name).is_finite())
    if "integer" in names:
        integer = nw.col("integer")
        facts |= {"min_integer": integer.min(), "max_integer": integer.max()}
    if "weight" in names:
        facts |= {"min_weight": weight.min(), "max_weight": weight.max()}
        positive = nw.when(weight > 0).then(weight)
        facts |= {"min_positive": positive.min(), "n_zero": _count(weight == 0)}
    # To estimate the number of distinct scores, count those with a small hash: the
    # first and the last 26 bits of the mantissa, each times an irrational number.
    n_per_hashed = 64
    first = (nw.col("mantissa") * 2.0**26).floor()
    rows = rows.with_columns(first.alias("first"))
    last = nw.col("mantissa") * 2.0**26 - nw.col("first")
    mixed = nw.col("first") * 0.6180339887498949 + last * 50657846.77466546
    rows = rows.with_columns(mixed.alias("mixed"))
    is_hashed = nw.col("mixed") - nw.col("mixed").floor() < 1 / n_per_hashed
    hashed = nw.when(is_hashed).then(nw.col("score"))
    rows = rows.with_columns(hashed.alias("hashed"))
    facts["n_distinct"] = nw.col("hashed").n_unique()
    found = _collect(rows.select(**facts))
    scan = {name: values.tolist()[0] for name, values in found.items()}
    return scan | {"n_distinct": n_per_hashed * scan["n_distinct"]}


def _count(condition: Any) -> Any:
    return condition.cast(_narwhals().Float64).sum()


def _collect(query: Any) -> dict[str, Array]:
    """Return the columns of a small result as arrays."""
    result = query.collect()
    return {name: result[name].to_numpy() for name in result.columns}


def _check_facts(facts: Mapping[str, Any], names: Mapping[str, str]) -> float:
    """Raise unless the columns are valid; return the number of rows with weight."""
    n_rows = float(facts["n"])
    if n_rows == 0:
        raise ValueError("frame is empty: at least one sample is needed.")
    columns = zip(("label", "score", "weight"), names.items(), strict=False)
    for column, (argument, name) in columns:
        n_bad = n_rows - facts[f"n_finite_{column}"]
        if n_bad:
            raise ValueError(
                f"{argument} contains {n_bad:.0f} missing or infinite values, in the "
                f"column {shown(name)}: remove or impute these samples first."
            )
    if facts["n_1"] + max(facts["n_-1"], facts["n_0"]) != n_rows:
        low, high, label = (
            facts["min_label"],
            facts["max_label"],
            shown(names["y_true"]),
        )
        raise ValueError(
            f"y_true must hold booleans, 0 and 1, or -1 and 1, got numbers from "
            f"{low:g} to {high:g} in the column {label}: convert it to booleans, as "
            f"frame[{label}] == {high:g} gives."
        )
    largest = max(abs(facts.get(f"{end}_integer", 0)) for end in ("min", "max"))
    if largest > 2**53:
        raise ValueError(
            f"y_score holds the integer {largest}, and float64 cannot represent all "
            "integers above 2**53: subtract a number from all scores first."
        )
    if "sample_weight" not in names:
        return n_rows
    if facts["min_weight"] == facts["max_weight"] == 0:
        raise ValueError(
            "sample_weight is zero for every sample: use positive weights."
        )
    weights = [facts[name] for name in ("min_weight", "min_positive", "max_weight")]
    check_range("sample_weight", np.array(weights, dtype=np.float64))
    return n_rows - float(facts["n_zero"])


def _group(rows: Any, *keys: str, sums: tuple[str, ...] = _SUMS) -> Groups:
    """Return groups of rows: their keys, numbers, sums, and unless exact their ends."""
    nw = _narwhals()
    score = nw.col("score")
    found = [nw.len().alias("n"), *(nw.col(name).sum() for name in sums)]
    if keys != ("score",):
        found += [score.min().alias("low"), score.max().alias("high")]
    groups = rows.group_by(*keys).agg(*found)
    return _collect(groups.drop(*_KEYS, strict=False))


def _group_cells(rows: Any, budget: int, max_weight: float) -> Groups:
    """Return groups of almost equal scores, at most about as many as the budget.

    Each octave has the same number of places. Where scores accumulate, for example just
    below 1, groups with much of a class are divided again, with a budget of their own.
    """
    nw, bits, done = _narwhals(), _COARSE_BITS, list[Groups]()
    groups = _group(_with_places(rows, bits), *_KEYS, sums=())
    while more := _more_bits(groups, bits, budget):
        bits += more
        groups = _group(_with_places(rows, bits), *_KEYS)
        groups = _select_groups(groups, np.argsort(groups["low"]))
        sums = [groups[name].sum() + sum(g[name].sum() for g in done) for name in _SUMS]
        fractions = _class_fractions(groups, sums, max_weight)
        is_heavy = fractions > _HEAVY / budget
        if fractions[is_heavy].sum() < _NEGLIGIBLE:
            break
        runs = _runs(is_heavy, groups)
        is_within = np.zeros(len(fractions), dtype=bool)
        for first, last in runs:
            is_within[first : last + 1] = True
        done.append(_select_groups(groups, ~is_within))
        low, high = groups["low"], groups["high"]
        are_in = [
            nw.col("score").is_between(low[i].item(), high[j].item()) for i, j in runs
        ]
        rows = rows.filter(nw.any_horizontal(*are_in, ignore_nulls=True))
        groups, fractions = _select_groups(groups, is_within), fractions[is_within]
    fraction = fractions.max()
    # The maximum fraction of a class that may tie in the end.
    if fraction > 1e-3:
        raise ValueError(
            f"{fraction:.2%} of the samples of a class have almost equal scores, "
            "which the engine cannot separate: pass batches of the frame to "
            "RankTable.from_batches."
        )
    return {
        name: np.concatenate([of[name] for of in [*done, groups]]) for name in groups
    }


def _select_groups(groups: Groups, chosen: Array) -> Groups:
    return {name: column[chosen] for name, column in groups.items()}


def _class_fractions(
    groups: Groups, sums: list[float], max_weight: float
) -> FloatArray:
    """Return the larger fraction of a class in each group, 0 if it may stay."""
    fractions = np.zeros(len(groups["n"]))
    for name, whole in zip(_SUMS, sums, strict=True):
        is_more = groups[name] > _FEW * max_weight
        np.maximum(fractions, groups[name] / whole, out=fractions, where=is_more)
    return np.where(groups["low"] < groups["high"], fractions, 0.0)


def _runs(is_heavy: BoolArray, groups: Groups) -> list[tuple[int, int]]:
    """Return the first and last position of runs of heavy groups.

    The smallest gaps are closed. Runs include the groups that overlap heavy ones, which
    occur only if the engine's logarithm is not monotone.
    """
    is_joint = groups["low"][1:] <= groups["high"][:-1]
    is_heavy[1:] |= is_joint & is_heavy[:-1]
    is_heavy[:-1] |= is_joint & is_heavy[1:]
    edges = np.flatnonzero(np.diff(is_heavy, prepend=False, append=False))
    firsts, lasts = edges[::2], edges[1::2] - 1
    gaps = firsts[1:] - lasts[:-1]
    kept = np.sort(np.argsort(gaps, kind="stable")[::-1][: _MAX_RUNS - 1])
    firsts, lasts = [
        np.concatenate([firsts[:1], firsts[1:][kept]]).tolist(),
        np.concatenate([lasts[:-1][kept], lasts[-1:]]).tolist(),
    ]
    return list(zip(firsts, lasts, strict=True))


def _with_places(rows: Any, bits: int) -> Any:
    """Return rows with the place of the score, of ``2**bits`` places in an octave."""
    nw = _narwhals()
    sign = nw.when(nw.col("score") < 0).then(nw.lit(-1.0)).otherwise(nw.lit(1.0))
    place = (nw.col("mantissa") * 2.0**bits).floor()
    return rows.with_columns(
        ((nw.col("exponent") + 1100.0) * sign).cast(nw.Int64).alias("octave"),
        place.cast(nw.Int64).alias("place"),
    )


def _more_bits(groups: Groups, bits: int, budget: int) -> int:
    """Return how many more bits of the scores divide groups, within the budget.

    ``2**more`` times as many places divide n rows into at most n groups, and into at
    most 1 + width 2^more groups if they fill the fraction ``width`` of their place.
    """
    low, high = groups["low"], groups["high"]
    size = np.maximum(np.abs(low), np.abs(high)) + _TINY
    width = np.ldexp((high - low) / size, bits)
    fits = [
        np.minimum(groups["n"], 1 + np.ldexp(width, more)).sum() <= budget
        for more in range(1, _MANTISSA_BITS - bits + 1)
    ]
    # Always one in the first division.
    return max(int(sum(fits)), int(bits == _COARSE_BITS))
