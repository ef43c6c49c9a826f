"""What the band of a difference promises, by simulation: see CONTRIBUTING.md."""

import pytest

from guarantees import binomial_tolerance, simulations
from simulated_curves import SETTINGS, coverage

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("n", [500, 2000])
@pytest.mark.parametrize("name", ["equal, prevalence 0.1", "other, prevalence 0.3"])
def test_a_band_holds_the_whole_difference(name, n):
    n_simulations = simulations(700)
    found = coverage(SETTINGS[name], n, n_simulations)
    slack = binomial_tolerance(0.95, n_simulations)
    for covered in (found.whole, found.low):
        assert 0.93 - slack <= covered <= 0.97 + slack
    assert found.one >= 0.93 - slack
    # The mean over rates, of which neighbours are alike.
    assert 0.94 - slack / 2 <= found.at
    if name.startswith("equal"):
        assert found.any_wins <= 0.06 + slack
        assert found.b_wins <= 0.03 + slack
    else:
        assert found.any_wins > 0.7
        assert found.b_wins == 0
