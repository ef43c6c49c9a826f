"""What the band of a difference promises, by simulation: see CONTRIBUTING.md."""

import numpy as np
import pytest

from guarantees import assert_share, binomial_tolerance, simulated, simulations
from simulated_curves import RATES, SETTINGS, coverage, holds
from skrate.inference.curve_evaluation import curve_process
from skrate.inference.options import Plan
from skrate.inference.rankings import add_model_scores, check_samples

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


@pytest.mark.parametrize("name", ["kink, prevalence 0.2", "kink, prevalence 0.1"])
def test_at_a_kink_a_band_holds_less_often_as_the_guide_says(name):
    n_simulations = simulations(400)
    found = coverage(SETTINGS[name], 500, n_simulations)
    assert found.whole >= 0.9 - binomial_tolerance(0.9, n_simulations)


def test_a_band_holds_where_few_clusters_hold_positives():
    generator, cluster = np.random.default_rng(0), np.repeat(np.arange(130), 4)

    def is_held(_):
        # About 23 of 130 clusters hold the positives, which are a tenth of the cases.
        is_pos = generator.random(520) < generator.beta(0.1, 0.9, size=130)[cluster]
        shared, own = generator.normal(size=(2, 130)), generator.normal(size=(2, 520))
        samples = check_samples(is_pos, clusters=cluster)
        models = [
            add_model_scores(
                samples, "y_score", 0.75 * of_cluster[cluster] + 0.65 * error + is_pos
            )
            for of_cluster, error in zip(shared, own, strict=True)
        ]
        band = curve_process("recall", models, RATES).band(
            Plan(n_resamples=1000, random_state=generator)
        )
        return holds(band, np.zeros(len(RATES))).all()

    assert_share(simulated(300, is_held), at_least=0.95)
