"""Gains of a treatment: the formula, Qini and AUTOC, and their intervals."""

from itertools import product

import numpy as np
import pytest
from scipy import integrate

import guarantees
from looped import case
from simulated_sources import experiment, experiment_truths
from skrate import compare, expected_gain_score, labels, rates


def drawn(n=60, seed=0):
    """Return outcomes, treatment, propensities, predictions and scores."""
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.2, 0.8, n)
    treated = rng.random(n) < share
    score = np.round(rng.normal(size=n), 1)
    outcome = rng.normal(size=n) + treated * score
    return outcome, treated, share, (0.1 * score, 0.9 * score), score


def test_the_formula():
    outcome, treated, share, models, _ = drawn()
    found = labels.treatment(outcome, treated, share, models=models)
    for i, gain in enumerate(found):
        y, e = outcome[i], share[i]
        without, with_it = models[0][i], models[1][i]
        if treated[i]:
            by_hand = with_it - without + (y - with_it) / e
        else:
            by_hand = with_it - without - (y - without) / (1 - e)
        assert gain == pytest.approx(by_hand, rel=1e-13, abs=1e-15)


def test_without_models_the_mean_is_the_difference_of_weighted_means():
    outcome, treated, share, _, _ = drawn()
    found = labels.treatment(outcome, treated, share)
    means = [
        np.average(outcome[arm], weights=weight[arm])
        for arm, weight in ((treated, 1 / share), (~treated, 1 / (1 - share)))
    ]
    assert found.mean() == pytest.approx(means[0] - means[1], rel=1e-12)
    np.testing.assert_allclose(
        labels.treatment(3 * outcome + 7, treated, share), 3 * found, rtol=1e-11
    )


def test_gains_are_right_over_all_assignments():
    rng = np.random.default_rng(1)
    without, with_it = rng.normal(size=(2, 5))
    share = np.array([0.2, 0.5, 0.6, 0.3, 0.9])
    mean = np.zeros(5)
    for arms in product([False, True], repeat=5):
        treated = np.array(arms)
        chance = float(np.prod(np.where(treated, share, 1 - share)))
        if treated.all() or not treated.any():
            # Refused, though the formula holds: its share is added by hand.
            rest = np.where(treated, (with_it - 0.5) / share, -without / (1 - share))
            mean += chance * (0.5 + rest)
            continue
        outcome = np.where(treated, with_it, without)
        mean += chance * labels.treatment(outcome, treated, share, models=(0, 0.5))
    np.testing.assert_allclose(mean, with_it - without, rtol=1e-12)


def test_qini_and_autoc_are_differences_from_scores_that_tie():
    outcome, treated, share, models, score = drawn(50)
    score = np.argsort(np.argsort(score))
    gain = labels.treatment(outcome, treated, share, models=models)
    n, order = len(gain), np.argsort(-score)
    tops = np.cumsum(gain[order])
    # The curve joins the shares k / n by straight lines.
    curve = np.append(0, tops) / n
    qini = integrate.trapezoid(curve - np.linspace(0, 1, n + 1) * gain.mean(), dx=1 / n)
    k = np.arange(1, n + 1)
    autoc = np.mean(tops / k - gain.mean())
    found = compare(
        "expected_gain", treated, score, np.zeros(n), gain=gain, normalize=True
    )
    assert found.value == pytest.approx(qini, rel=1e-12)
    by_place = rates.empirical(k / n, weights=1 / k)
    found = compare(
        "expected_gain", treated, score, np.zeros(n), gain=gain, normalize=True,
        rate=by_place,
    )  # fmt: skip
    assert found.value * np.sum(1 / k) == pytest.approx(autoc, rel=1e-12)


@pytest.mark.filterwarnings("ignore:The interval of the")
@pytest.mark.parametrize(
    ("gain", "score", "autoc", "qini"),
    [
        # Means of the first k minus that of all: 3, 2, 1, 0.
        ([4, 2, 0, -2], [4, 3, 2, 1], 6 / 4, (3 + 2 * 2 + 3 * 1) / 16),
        # Those that tie have their mean: 3, 3, 1, 0.
        ([6, 2, 0, -4], [2, 2, 1, 1], 7 / 4, (3 + 2 * 3 + 3 * 1) / 16),
    ],
)
def test_rank_weighted_effects_are_the_sums_of_grf(gain, score, autoc, qini):
    # As its test "agrees with plain brute-force calculation" has them: the mean over k
    # of the effect of the first k, and that sum with the weights k / n.
    k = np.arange(1, 5)
    asked = "expected_gain", [1, 0, 1, 0], score, np.zeros(4)
    of_gain = {"gain": np.array(gain, float), "normalize": True}
    found = compare(*asked, **of_gain)
    assert found.value == pytest.approx(qini, rel=1e-12)
    found = compare(*asked, rate=rates.empirical(k / 4, weights=1 / k), **of_gain)
    assert found.value * np.sum(1 / k) == pytest.approx(autoc, rel=1e-12)


def test_scores_at_random_gain_the_mean():
    outcome, treated, share, _, _ = drawn()
    gain = labels.treatment(outcome, treated, share)
    value = expected_gain_score(
        treated, np.zeros(len(gain)), gain=gain, rate=0.3, normalize=True
    )
    assert value == pytest.approx(0.3 * gain.mean(), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [1, 1], 0.5), "treated says that all 2 cases are treated"),
        (([1, 2], [0, 0], 0.5), "treated says that all 2 cases are untreated"),
        (([1, 2], [1, 2], 0.5), "treated must be True or False, 1 or 0, found 2"),
        (([1, 2], [1, 0], 1), r"propensity must be in \(0, 1\), found 1"),
        (([1, 2], [1, 0], [0.5, 0]), r"propensity must be in \(0, 1\), found 0"),
        (([1, np.inf], [1, 0], 0.5), "outcome contains infinity"),
        (([1, 2, 3], [1, 0], 0.5), "outcome has 3, treated has 2"),
        (([1, 2], [1, 0], 0.5, [1, 2, 3]), "models must be a pair"),
        (([1, 2], [1, 0], 0.5, ([1, 2, 3], 0)), "models must have an entry for each"),
    ],
)
def test_what_shows_no_difference_is_refused(arguments, message):
    *given, models = arguments if len(arguments) == 4 else (*arguments, None)
    with pytest.raises(ValueError, match=message):
        labels.treatment(*given, models=models)


@pytest.mark.slow
@pytest.mark.parametrize("has_models", [False, True])
def test_intervals_of_gains_cover(has_models):
    rng = np.random.default_rng(4)
    truths = experiment_truths()
    found = guarantees.simulated(400, lambda _: experiment(rng, 800, has_models))
    for name, truth in truths.items():
        with case(name):
            of_name = [one[name] for one in found]
            share = guarantees.held(of_name, truth)
            guarantees.assert_share(share, at_least=0.94)
            guarantees.assert_errors_are_the_spread(of_name, slack=0.1)
