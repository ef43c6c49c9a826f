"""Ranges over a set of distributions of the rate, by linear programs on the knots.

A law of the set is a mass at each knot of each interval; ``scipy.optimize.linprog``
finds the best. A ratio of means is made linear as Charnes and Cooper (1962) do: the
masses are divided by the mean of what is below the line.
"""

import numpy as np
from scipy.optimize import linprog

# The least that the solver takes.
TOLERANCES = ("primal_feasibility_tolerance", "dual_feasibility_tolerance")


def end_of_range(known, rates, values, widths=None, end="low"):
    """Return the least or greatest mean of values, or ratio, that linprog finds.

    ``known`` has ``quantiles`` as pairs, ``mean`` as a pair or None, and ``support``.
    """
    low, high = known.support
    edges = [low, *(q for _, q in known.quantiles), high]
    levels = [0.0, *(p for p, _ in known.quantiles), 1.0]
    columns = [
        (j, x)
        for j in range(len(edges) - 1)
        for x in sorted({*map(float, rates), *edges})
        if edges[j] <= x <= edges[j + 1]
    ]
    places = np.array([x for _, x in columns])
    tops = np.interp(places, rates, values)
    below = np.ones(len(places)) if widths is None else np.interp(places, rates, widths)
    # The last variable is one over the mean of the widths.
    equalities, right = [[*below, 0.0]], [1.0]
    for j in range(len(edges) - 1):
        inside = [float(i == j) for i, _ in columns]
        equalities.append([*inside, -(levels[j + 1] - levels[j])])
        right.append(0.0)
    limits = None
    if known.mean is not None:
        limits = [[*places, -known.mean[1]], [*-places, known.mean[0]]]
    sign = 1.0 if end == "low" else -1.0
    found = linprog(
        np.append(sign * tops, 0.0),
        A_ub=limits,
        b_ub=None if limits is None else [0.0, 0.0],
        A_eq=equalities,
        b_eq=right,
        method="highs",
        options=dict.fromkeys(TOLERANCES, 1e-10),
    )
    assert found.status == 0, found.message
    return sign * found.fun
