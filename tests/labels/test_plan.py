"""Plans of which cases to label: probabilities, the draw, and what they promise."""

from itertools import combinations

import numpy as np
import pytest

import guarantees
from looped import case
from skrate import compare, estimate, labels
from skrate.labels import plan_labels

PARAMS = {"metric": "recall_at_rate", "rate": 0.1}


def batch(seed, n=4_000):
    """Return labels, scores of two models, and the chance of each label."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < 0.05
    a = rng.normal(size=n) + 2 * y_true
    b = 0.5 * a + rng.normal(size=n) + y_true
    return y_true, a, b, 1 / (1 + np.exp(4.94 - 2 * a))


def test_strata_get_neymans_allocation():
    # Two tied groups and a rate that cuts between them: the slope of the precision is
    # 1 / rate above the cut and 0 below, so all labels go above.
    scores = np.repeat([2.0, 1.0], [100, 300])
    chance = np.repeat([0.5, 0.1], [100, 300])
    plan = plan_labels(
        scores, 40, metric="precision_at_rate", rate=0.25, probability=chance, floor=0
    )
    np.testing.assert_allclose(plan.probability[:100], 0.4, rtol=1e-9)
    assert plan.probability[100:].max() < 1e-9
    # Of the whole sum n_h is in proportion to N_h S_h.
    every = plan_labels(
        scores, 40, metric="precision_at_rate", rate=1.0, probability=chance, floor=0
    )
    need = np.array([100 * 0.5, 300 * 0.3])
    sizes = [every.probability[:100].sum(), every.probability[100:].sum()]
    np.testing.assert_allclose(sizes, 40 * need / need.sum(), rtol=1e-9)


def test_the_number_of_labels_is_kept_and_each_case_has_its_probability():
    _, a, b, chance = batch(0, n=60)
    drawn = np.zeros(60)
    n_draws = 4_000
    for seed in range(n_draws):
        plan = plan_labels(
            {"a": a, "b": b}, 12, compare=("a", "b"), probability=chance,
            random_state=seed, **PARAMS,
        )  # fmt: skip
        assert plan.is_sampled.sum() == 12
        drawn += plan.is_sampled
    share = plan.probability
    tolerance = 4.5 * np.sqrt(share * (1 - share) / n_draws)
    assert (np.abs(drawn / n_draws - share) <= tolerance + 1e-12).all()
    assert share.sum() == pytest.approx(12, rel=1e-9)


def test_known_labels_are_free_and_say_what_is_likely():
    y_true, a, b, _ = batch(1)
    known = np.where(a > 2, y_true, np.nan)
    plan = plan_labels({"a": a, "b": b}, 50, compare=("a", "b"), known=known, **PARAMS)
    assert not (plan.is_sampled & (a > 2)).any()
    assert (plan.probability[a > 2] == 1).all()
    assert plan.is_sampled.sum() == 50
    found = plan.labels(np.where(plan.is_sampled | (a > 2), y_true, np.nan))
    assert (found.pos[a > 2] == y_true[a > 2]).all()
    # Learnt by the ranks of the scores: more likely at high ones.
    unknown = a <= 2
    order = np.argsort(a[unknown])
    assert (np.diff(plan.prediction[unknown][order]) >= 0).all()


def test_drawn_known_labels_are_unbiased_over_all_pilots_and_draws():
    # 2 of 6 cases are a pilot, and 2 of the other 4 are drawn evenly: a label has the
    # probability 1 - 4 / 6 * 2 / 4.
    y_true, chance = np.array([1, 0, 1, 0, 0, 1]), [0.9, 0.8, 0.5, 0.4, 0.2, 0.1]
    counts = []
    for pilot in combinations(range(6), 2):
        is_known = np.isin(np.arange(6), pilot)
        plan = plan_labels(
            np.arange(6.0)[::-1], 2, metric="roc_auc", probability=chance, floor=1,
            known=np.where(is_known, y_true, np.nan), known_probability=1 / 3,
            random_state=0,
        )  # fmt: skip
        np.testing.assert_allclose(plan.probability, 2 / 3, rtol=1e-12)
        assert plan.prediction.tolist() == chance
        for drawn in combinations(np.flatnonzero(~is_known), 2):
            y_drawn = np.where(is_known | np.isin(np.arange(6), drawn), y_true, np.nan)
            # Calibrated predictions are only almost unbiased.
            own = labels.sampled(
                y_drawn, plan.probability, prediction=chance, calibrate=False
            )
            counts.append(own.pos)
    np.testing.assert_allclose(np.mean(counts, axis=0), y_true, atol=1e-12)


def test_a_label_is_known_or_drawn():
    y_true, a, b, chance = batch(5)
    of_known = 0.02 + 0.1 * (a > 1)
    is_known = np.random.default_rng(0).random(len(a)) < of_known
    options = {"compare": ("a", "b"), "probability": chance, "floor": 0, **PARAMS}
    plan = plan_labels(
        {"a": a, "b": b}, 50, known=np.where(is_known, y_true, np.nan),
        known_probability=of_known, **options,
    )  # fmt: skip
    drawn = 1 - (1 - plan.probability) / (1 - of_known)
    assert drawn[~is_known].sum() == pytest.approx(50, rel=1e-9)
    # The same calibrated probabilities give the same draw without known labels.
    options["probability"] = plan.prediction
    alone = plan_labels({"a": a, "b": b}, 50, **options)
    scale = 50 / alone.probability[~is_known].sum()
    np.testing.assert_allclose(drawn, scale * alone.probability, rtol=1e-4)
    assert plan.labels(y_true).strata is None


def test_estimates_of_other_metrics_warn():
    y_true, a, b, chance = batch(3)
    plan = plan_labels(
        {"a": a, "b": b}, 200, compare=("a", "b"), probability=chance,
        random_state=1, **PARAMS,
    )  # fmt: skip
    found = plan.labels(y_true)
    compare("recall_at_rate", found, a, b, rate=0.1)
    with pytest.warns(UserWarning, match=r"rate=0\.1"):
        estimate("roc_auc", found, a)
    with pytest.warns(UserWarning, match=r"rate=0\.1.*rate=0\.2"):
        estimate("recall_at_rate", found, a, rate=0.2)


def test_the_share_at_the_cut_is_one_whatever_its_labels_add_up_to():
    # The case below the cut was labelled with a probability of 1 in 400.
    share, y_true = np.full(400, 1 / 400), np.full(400, np.nan)
    share[:20], y_true[:20], y_true[20] = 1, np.arange(20) % 2, 1
    found = labels.sampled(y_true, share, prediction=np.full(400, 0.1))
    assert found.pos[20] > 300
    one = estimate("precision_at_rate", found, -np.arange(400), rate=0.05)
    assert one.value == pytest.approx(0.5, abs=1e-15)
    # More weight above pushes out at most a positive each: |y - share| <= 1.
    assert one.standard_error <= 1 / np.sqrt(20)


def test_bad_input_is_named():
    scores, chance = [3, 2, 1, 0], [0.9, 0.5, 0.2, 0.1]
    wrong = {
        "n_labels": {"n_labels": 1},
        "n_labels.* 4.*got 5": {"n_labels": 5},
        "probability.* 5 .*known": {"probability": None},
        "compare.*'a', 'b'": {"compare": ("a", "b")},
        "compare.*'y_scores', 'y_scores'": {"compare": ("y_scores", "y_scores")},
        "floor must be": {"floor": 2},
        "does not support": {"metric": "momentum"},
        "y_scores has 4, known has 2": {"known": [1, 0]},
        "known_probability must be": {"known_probability": 2},
        "known_probability.* 0 .*sample 1,": {
            "known": [None, 1, None, None],
            "known_probability": 0,
        },
        "known_probability.* 1 for 3 ": {
            "known": [None, 1, None, None],
            "known_probability": 1,
        },
        "known_probability.*4e-06 .*known has 2": {
            "known": [0, 1, None, None],
            "known_probability": 1e-6,
        },
    }
    for message, options in wrong.items():
        given = {"n_labels": 2, "metric": "roc_auc", "probability": chance, **options}
        with case(message), pytest.raises(ValueError, match=message):
            plan_labels(scores, given.pop("n_labels"), **given)
    plan = plan_labels(scores, 2, metric="roc_auc", probability=chance, random_state=0)
    with pytest.raises(ValueError, match=r"y_true.*2"):
        plan.labels([None] * 4)
    with pytest.raises(ValueError, match=r"y_true has 2, plan has 4"):
        plan.labels([1, 0])


@pytest.mark.filterwarnings("ignore:The interval of the")
@pytest.mark.filterwarnings("ignore:The Recall.* is outside")
@pytest.mark.slow
def test_planned_labels_are_worth_many_at_random():
    n_samples = guarantees.simulations(200)
    planned, random, expected, covered = [], [], [], 0
    for seed in range(n_samples):
        y_true, a, b, chance = batch(seed)
        plan = plan_labels(
            {"a": a, "b": b}, 300, compare=("a", "b"), probability=chance,
            random_state=seed, **PARAMS,
        )  # fmt: skip
        true = compare("recall_at_rate", y_true, a, b, rate=0.1).value
        found = plan.labels(y_true).for_batch()
        pair = compare("recall_at_rate", found, a, b, rate=0.1)
        planned.append(pair.value - true)
        expected.append(plan.standard_error)
        covered += pair.confidence_interval.low <= true <= pair.confidence_interval.high
        drawn = np.random.default_rng(seed).permutation(len(a)) < 300
        even = labels.sampled(
            np.where(drawn, y_true, np.nan), 300 / len(a), prediction=chance,
            design="fixed",
        )  # fmt: skip
        random.append(compare("recall_at_rate", even, a, b, rate=0.1).value - true)
    assert np.var(planned) < np.var(random) / 3
    assert abs(np.mean(planned)) < 4 * np.std(planned) / np.sqrt(n_samples)
    assert covered / n_samples > 0.9 - guarantees.binomial_tolerance(0.9, n_samples)


@pytest.mark.filterwarnings("ignore:The interval of the")
@pytest.mark.filterwarnings("ignore:The Recall.* is outside")
@pytest.mark.slow
def test_a_pilot_and_planned_labels_are_worth_more_than_random_ones():
    n_samples, n_pilot, n_labels = guarantees.simulations(200), 300, 300
    rows = []
    for seed in range(n_samples):
        y_true, a, *_ = batch(seed)
        true = estimate("recall_at_rate", y_true, a, rate=0.1).value
        order = np.random.default_rng(seed).permutation(len(a))
        share = n_pilot / len(a)
        pilot = np.where(order < n_pilot, y_true, np.nan)
        plan = plan_labels(
            a, n_labels, known=pilot, known_probability=share, random_state=seed,
            **PARAMS,
        )  # fmt: skip
        even = np.where(order < n_pilot + n_labels, y_true, np.nan)
        both, *others = (
            estimate("recall_at_rate", found.for_batch(), a, rate=0.1)
            for found in (
                plan.labels(y_true),
                labels.sampled(pilot, share),
                labels.sampled(even, (n_pilot + n_labels) / len(a), calibrate=False),
            )
        )
        low, high = both.confidence_interval
        errors = [found.value - true for found in (both, *others)]
        rows.append([*errors, low <= true <= high])
    *errors, covered = np.transpose(rows)
    planned, by_pilot, random = (np.mean(error**2) for error in errors)
    assert planned < by_pilot / 2
    assert planned < random * (1 - 1 / np.sqrt(n_samples))
    assert np.mean(covered) > 0.95 - guarantees.binomial_tolerance(0.95, n_samples)


def test_random_labels_check_the_expected_standard_error():
    # Predictions ten times too low: without labels the plan expects a third.
    y_true, a, _, chance = batch(0)
    is_known = np.random.default_rng(1).permutation(len(a)) < 400
    known = {"known": np.where(is_known, y_true, np.nan), "known_probability": 0.1}
    plans = [
        plan_labels(a, 200, probability=p, random_state=0, **options, **PARAMS)
        for options in ({}, known)
        for p in (chance, chance / 10)
    ]
    right, wrong, right_checked, wrong_checked = (x.standard_error for x in plans)
    assert wrong > 2 * right
    # The calibration removes the factor, up to the clipping of probabilities.
    assert wrong_checked == pytest.approx(right_checked, rel=0.01)
    assert [x.is_checked for x in plans] == [False, False, True, True]
    assert "if the probabilities are correct" in repr(plans[0])


def test_labels_of_one_class_do_not_check_the_expected_standard_error():
    y_true, a, _, chance = batch(0)
    known = np.where((a < 0) & ~y_true & (np.arange(len(a)) % 20 == 0), 0.0, np.nan)
    plan = plan_labels(
        a, 200, probability=chance, known=known, random_state=0,
        known_probability=np.mean(~np.isnan(known)), **PARAMS,
    )  # fmt: skip
    assert not plan.is_checked
    assert "if the probabilities are correct" in repr(plan)
