"""Many small linear programs at once, by the simplex method."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skrate.core.arrays import FloatArray, IntArray

_MOST_STEPS = 200
# A column that moves a weight by less leaves it where it is.
_LEAST_MOVE = 1e-10
_ROUNDING = 1e-13


class Solutions(NamedTuple):
    """Solutions of so many programs of so many rows."""

    basis: IntArray  # (n_programs, n_rows): the columns that are in use
    weights: FloatArray  # (n_programs, n_rows): of these
    prices: FloatArray  # (n_programs, n_rows): what a unit of each row is worth
    values: FloatArray  # (n_programs,)


def solve(
    gains: FloatArray,
    columns: FloatArray,
    right: FloatArray,
    basis: IntArray,
    tolerance: float,
) -> Solutions:
    """Maximise gains @ x where columns @ x = right and x >= 0, program by program.

    ``gains`` is of shape (n_programs, n_columns), ``columns`` of shape (n_programs,
    n_rows, n_columns), and ``basis`` of shape (n_programs, n_rows) is a start with
    weights that are not negative. No column that is left out gains more per unit than
    the tolerance.
    """
    basis = basis.copy()
    programs = np.arange(len(basis))
    by_column = columns.swapaxes(1, 2)
    for _ in range(_MOST_STEPS):
        square = by_column[programs[:, None], basis]
        inverse = np.linalg.inv(square)
        in_use = gains[programs[:, None], basis]
        weights = right @ inverse
        prices = (inverse @ in_use[:, :, None])[:, :, 0]
        left = gains - (prices[:, None] @ columns)[:, 0]
        new = left.argmax(axis=1)
        # Of what is in use a part is rounding.
        least = tolerance + _ROUNDING * np.abs(in_use).max(axis=1)
        is_open = left[programs, new] > least
        if not is_open.any():
            break
        moves = (by_column[programs, new][:, None] @ inverse)[:, 0]
        can = moves > _LEAST_MOVE
        room = np.full_like(moves, np.inf)
        np.divide(np.maximum(weights, 0.0), moves, out=room, where=can)
        # Of those that are spent first the one that moves most.
        first = room <= room.min(axis=1, keepdims=True) + 1e-15
        out = np.where(first, moves, -np.inf).argmax(axis=1)
        basis[programs[is_open], out[is_open]] = new[is_open]
    values = (in_use * weights).sum(axis=1)
    return Solutions(basis, weights, prices, values)
