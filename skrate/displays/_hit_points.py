"""The points of hit curves: checked, and as what is drawn of them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray
from skrate.data.checks import check_scores
from skrate.data.table import RankTable

Kind = Literal["hits", "gains", "lift"]
# What rounding may do to the points of a curve.
_ROUNDING = 1e-9
# The lift between two points of a hit curve is no straight line: it is drawn at the
# points and at these rates.
RATES = np.linspace(0, 1, 501)


def rescaled(
    rates: ArrayLike, hits: ArrayLike, kind: Kind, first: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return a hit curve as it is, as cumulative gains or as lift from a rate on."""
    rate, hits = np.asarray(rates), np.asarray(hits)
    if kind == "hits":
        return rate, hits
    gains = hits / hits[-1]
    if kind == "gains":
        return rate, gains
    at = np.concatenate([rate, RATES[rate[-1] > RATES], [first]])
    at = np.unique(at[(at > 0) & (at >= first)])
    return at, np.interp(at, rate, gains) / at


def first_rate(rates: list[FloatArray]) -> float:
    """Return the first rate at which there is a lift: that of about one case."""
    steps = np.concatenate([np.diff(each) for each in rates])
    return float(steps[steps > _ROUNDING].min())


def as_curves(points: ArrayLike) -> list[ArrayLike]:
    """Return a list of vectors as it is, anything else as the one entry of a list."""
    if isinstance(points, np.ndarray) and points.ndim == 2:
        return list(points)
    if isinstance(points, list | tuple):
        are_words = any(isinstance(item, str | bytes) for item in points)
        if not are_words and any(map(np.iterable, points)):
            return list(points)
    return [points]


def check_curve(rates: ArrayLike, hits: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the points as arrays if they are those of a hit curve."""
    rate = np.asarray(check_scores("rates", rates), dtype=np.float64)
    found = np.asarray(check_scores("hits", hits), dtype=np.float64)
    steps, gains = np.diff(rate), np.diff(found)
    is_right = (
        rate.shape == found.shape
        and len(rate) > 1
        and rate[0] == found[0] == 0
        and abs(rate[-1] - 1) < _ROUNDING
        and np.all(steps > 0)
        and np.all((gains > -_ROUNDING) & (gains < steps + _ROUNDING))
    )
    if not is_right:
        raise ValueError(
            "rates must increase from 0 to 1, and hits from 0 by no more than rates, "
            "at as many points: pass what hit_curve returns."
        )
    return rate, found


def check_gain_curve(
    rates: ArrayLike, gains: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return the points as arrays if they are those of a curve of gain."""
    rate = np.asarray(check_scores("rates", rates), dtype=np.float64)
    found = np.asarray(check_scores("hits", gains), dtype=np.float64)
    is_right = (
        rate.shape == found.shape
        and len(rate) > 1
        and rate[0] == found[0] == 0
        and abs(rate[-1] - 1) < _ROUNDING
        and np.all(np.diff(rate) >= 0)
    )
    if not is_right:
        raise ValueError(
            "rates must rise from 0 to 1, and hits begin at 0, at as many points: pass "
            "what hit_curve returns."
        )
    return rate, found


def of_fold(each: dict[str, Any], test: Any) -> dict[str, Any]:
    """Return gain and cost of the cases of a fold; those of classes as they are."""
    found = dict(each)
    for name, values in each.items():
        if isinstance(values, np.ndarray):
            if np.max(test) >= len(values):
                raise ValueError(
                    f"{name} has {len(values)} cases, and the folds more: give one "
                    "number for each case of X."
                )
            found[name] = values[test]
    return found


def table_of(rate: FloatArray, hits: FloatArray) -> RankTable:
    """Return the table that a hit curve came from, up to the total weight."""
    pos = np.maximum(np.diff(hits), 0.0)
    return RankTable(pos, np.maximum(np.diff(rate) - pos, 0.0))
