"""Many small linear programs, each against linprog."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from skrate.rates.unimodal import solve


def test_each_is_that_of_linprog():
    rng = np.random.default_rng(0)
    n_programs, n_rows, n_columns = 40, 4, 30
    columns = rng.uniform(0, 1, (n_programs, n_rows, n_columns))
    # Some that are nearly the same, and bounds by a row of ones.
    columns[:, :, 5:10] = columns[:, :, :5] + 1e-9
    columns[:, 0] = 1.0
    right = columns[:, :, n_rows : 2 * n_rows].mean(axis=(0, 2))
    columns[:, :, :n_rows] = right[:, None] + np.diag([0, 1, 1, 1])[:, :n_rows] * 0.3
    columns[:, 0] = 1.0
    columns[:, 1:, 0] = (right - 0.1)[1:]
    gains = rng.normal(size=(n_programs, n_columns))
    basis = np.tile(np.arange(n_rows), (n_programs, 1))
    found = solve(gains, columns, right, basis, 1e-12)
    for i in range(n_programs):
        expected = linprog(-gains[i], A_eq=columns[i], b_eq=right, method="highs")
        assert_allclose(found.values[i], -expected.fun, rtol=0, atol=1e-7)
        in_use = columns[i][:, found.basis[i]]
        assert_allclose(in_use @ found.weights[i], right, rtol=0, atol=1e-9)
        assert (found.weights[i] > -1e-9).all()
        left = gains[i] - found.prices[i] @ columns[i]
        assert left.max() < 1e-9
    assert (basis == np.arange(n_rows)).all()
