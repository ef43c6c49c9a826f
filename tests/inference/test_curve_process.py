"""Curves over the rate as processes, against their influence written out by case."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from looped import looped
from reference import curve_process as literal
from skrate.inference.curve_evaluation import curve_process, evaluate_curve
from skrate.inference.options import Plan
from skrate.inference.rankings import add_model_scores, check_samples
from skrate.inference.units import Units

RATES = np.array([0.03, 0.1, 0.25, 1 / 3, 0.5, 0.92, 1.0])
GAIN = {"benefit": 3.0, "cost": 0.4}


def plan_of(level, n_resamples, random_state):
    return Plan(
        confidence_level=level, n_resamples=n_resamples, random_state=random_state
    )


def sample(seed, n=90):
    """Return labels and two scores, the first with ties; the last bits are used."""
    generator = np.random.default_rng(seed)
    y_true = (generator.random(n) < 0.35).astype(int)
    shared = y_true + generator.standard_t(5, size=n)
    a, b = shared + generator.standard_t(5, size=(2, n))
    return y_true, np.round(a, seed % 3), b


def models_of(y_true, *scores, **given):
    samples = check_samples(y_true, **given)
    return [add_model_scores(samples, "y_score", y_score) for y_score in scores]


@looped(
    "metric, design",
    [
        *product(["recall", "gain"], ["cases", "frequency", "sampling", "clusters"]),
        *product(["precision", "lift", "hits", "gain"], ["folds"]),
    ],
)
def test_values_and_covariance_are_those_of_the_influence_of_each_case(metric, design):
    y_true, a, b = sample(1)
    generator = np.random.default_rng(2)
    weights, given = np.ones(90), {}
    folds, clusters = np.zeros(90, dtype=int), None
    kind = design if design in ("frequency", "sampling") else "frequency"
    if design == "frequency":
        weights = generator.integers(1, 4, size=90).astype(float)
        given = {"sample_weight": weights}
    elif design == "sampling":
        weights = generator.uniform(0.5, 3, size=90)
        weights /= weights.mean()
        given = {"sample_weight": weights, "weights": "sampling"}
    elif design == "clusters":
        clusters = generator.integers(0, 30, size=90)
        given = {"clusters": clusters}
    elif design == "folds":
        folds = generator.integers(0, 3, size=90)
    gain = GAIN if metric == "gain" else {}
    one_fold = None if design != "folds" else folds
    models = [replace(one, folds=one_fold) for one in models_of(y_true, a, b, **given)]
    found = curve_process(metric, models, RATES, **gain)
    alone = curve_process(metric, models[:1], RATES, **gain)
    of_a, of_b = (
        literal.curve(metric, y_true, score, weights, RATES, folds, **gain)
        for score in (a, b)
    )
    np.testing.assert_allclose(alone.values, of_a[0], atol=1e-12)
    np.testing.assert_allclose(found.values, of_a[0] - of_b[0], atol=1e-12)
    for process, psi in ((found, of_a[1] - of_b[1]), (alone, of_a[1])):
        expected = literal.covariance(psi, weights, kind, clusters)
        np.testing.assert_allclose(process.covariance, expected, rtol=1e-9, atol=1e-14)


def test_curves_of_other_samples_are_not_subtracted():
    models = models_of(*sample(4))
    a, b = (
        evaluate_curve("recall", [one], RATES, Units([one], Plan(stratify=False)))
        for one in models
    )
    with pytest.raises(ValueError, match="same units"):
        _ = a - b


def test_draws_deviate_as_multipliers_of_the_influence_do():
    y_true, a, _ = sample(3)
    found = curve_process("recall", models_of(y_true, a), RATES[:-1])
    zeros = np.zeros(90, dtype=int)
    _, psi = literal.curve("recall", y_true, a, np.ones(90), RATES[:-1], zeros)
    generator = np.random.default_rng(0)
    drawn = literal.largest(psi, 90, found.standard_error, 4000, generator)
    for level in (0.5, 0.8, 0.95):
        critical = found.critical_value(plan_of(level, 4000, generator))
        assert critical == pytest.approx(np.quantile(drawn, level), rel=0.03)


def test_models_that_agree_are_not_known_to_be_equal():
    y_true, a, _ = sample(5)
    found = curve_process("recall", models_of(y_true, a, a), RATES)
    assert not found.standard_error.any()
    generator = np.random.default_rng(0)
    # If -log(0.025) cases told them apart, none would be seen in one of 40 samples.
    samples = (1.96**2 / 2, -np.log(0.025))
    both = (found.interval(0.95), found.band(plan_of(0.95, 100, generator)))
    for bounds, n_samples in zip(both, samples, strict=True):
        assert bounds.high[:-1] == pytest.approx(n_samples * found.grain[:-1], rel=1e-4)
        assert bounds.low == pytest.approx(-bounds.high)
        # All are processed: both find all.
        assert bounds.low[-1] == bounds.high[-1] == 0
