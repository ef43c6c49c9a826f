"""The quasi-concave hit curve: its AUC and AP against integrals of its definition."""

import math

import numpy as np
import pytest
import scipy.integrate
from hypothesis import given
from hypothesis import strategies as st

from looped import looped
from skrate import QuasiConcaveHitCurve

FRACTIONS = st.floats(0.01, 0.99)


@st.composite
def curves(draw):
    prevalence = draw(FRACTIONS)
    momentum = prevalence + draw(FRACTIONS) * (1 - prevalence)
    stamina = draw(FRACTIONS) * prevalence / momentum
    return QuasiConcaveHitCurve(momentum, stamina, prevalence)


def integral(function, curve):
    """Integrate over the rate, piece by piece."""
    bend = curve.stamina
    return sum(
        scipy.integrate.quad(function, *piece, epsabs=1e-13, limit=200)[0]
        for piece in ((0, bend), (bend, 1))
    )


@given(curves())
def test_auc_is_the_integral_of_equation_3(curve):
    p = curve.prevalence
    area = integral(curve.hits, curve)
    expected = (area - p**2 / 2) / (p * (1 - p))
    assert curve.auc == pytest.approx(expected, abs=1e-9)


@given(curves())
def test_average_precision_is_the_integral_of_equation_5(curve):
    a, b, p = curve.stamina, curve.momentum, curve.prevalence

    def slope(rate):
        return b if rate < a else (p - a * b) / (1 - a)

    expected = integral(lambda t: curve.hits(t) / t * slope(t) / p, curve)
    assert curve.average_precision == pytest.approx(expected, abs=1e-9)


def test_the_approximation_is_close_where_most_are_found_at_the_first_pace():
    curve = QuasiConcaveHitCurve(0.5, 0.19, 0.1)
    error = curve.approximate_average_precision - curve.average_precision
    assert abs(error) < 0.01


@looped("momentum, stamina", [(0.2, 0.5), (0.2, 1.0), (0.9, 0.0)])
def test_a_random_test(momentum, stamina):
    curve = QuasiConcaveHitCurve(momentum, stamina, 0.2)
    assert curve.auc == pytest.approx(0.5, abs=1e-15)
    assert curve.average_precision == pytest.approx(0.2, abs=1e-15)
    assert curve.approximate_average_precision == pytest.approx(0.2, abs=1e-15)
    assert curve.hits([0.0, 0.3, 1.0]) == pytest.approx([0, 0.06, 0.2], abs=1e-15)


def test_hits_by_hand():
    perfect = QuasiConcaveHitCurve(1, 0.2, 0.2)
    assert (perfect.auc, perfect.average_precision) == pytest.approx((1, 1), abs=1e-15)
    assert perfect.hits([0.1, 0.2, 0.7]).tolist() == [0.1, 0.2, 0.2]
    curve = QuasiConcaveHitCurve(momentum=0.8, stamina=0.1, prevalence=0.17)
    # 0.09 are left for 0.9 of the cases.
    assert curve.hits(0.05) == pytest.approx(0.04, abs=1e-15)
    assert type(curve.hits(0.05)) is float
    assert curve.hits([[0.1, 0.2]]) == pytest.approx(np.array([[0.08, 0.09]]))


@looped(
    "values, message",
    [
        ((0.1, 0.1, 0.2), r"momentum.*0\.2.*1.*0"),
        ((1.1, 0.1, 0.2), r"momentum.*0.*1.*1\.1"),
        ((0.5, 0.41, 0.2), r"0.*0\.4.*0\.41"),
        ((0.5, -0.1, 0.2), r"stamina.*0.*1.*-0\.1"),
        ((0.5, 0.1, 0), r"prevalence.*0.*1.*0"),
        ((0.5, 0.1, math.nan), "prevalence"),
    ],
)
def test_what_is_not_admissible_raises(values, message):
    with pytest.raises(ValueError, match=message):
        QuasiConcaveHitCurve(*values)
    with pytest.raises(ValueError, match=r"rate.*0.*1"):
        QuasiConcaveHitCurve(0.5, 0.1, 0.2).hits([0.5, 1.5])
