"""Warnings that a few cases decide on an interval, where it is computed."""

import warnings

import numpy as np
import pytest

from skrate import compare, estimate, rates

GENERATOR = np.random.default_rng(0)
Y = (np.arange(200) < 80).astype(int)
NOISE = GENERATOR.normal(size=200)
CLEAR, PLAIN = NOISE + 4.5 * Y, NOISE + Y


def said(function, *cases, **options):
    """Return the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*cases, **options)
    assert all(w.filename == __file__ for w in caught)
    return [str(w.message) for w in caught]


def positives_missed(y_score, rate):
    """Return how many positives a perfect ranking finds in addition, case by case."""
    # The mean of P(rate > x) over the place of each case.
    places = np.diff(rate.limited_mean(np.arange(201) / 200)) * 200
    found = places[Y[np.argsort(-y_score, kind="stable")] == 1].sum()
    return places[:80].sum() - found


LAWS = {"uniform": rates.beta(1, 1), "beta": rates.beta(2, 8)}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("metric", ["expected_recall", "rate_weighted_auc"])
def test_two_rankings_without_errors_show_no_difference(metric, law):
    one = NOISE + {"uniform": 3.0, "beta": 2.6}[law] * Y
    other = one + 0.3 * NOISE[::-1]
    missed = [positives_missed(scores, LAWS[law]) for scores in (one, other)]
    assert 0.1 < min(missed) < max(missed) < 1
    (message,) = said(compare, metric, Y, one, other, rate=LAWS[law])
    counts = f"miss {missed[0]:.2f} and {missed[1]:.2f} of the positives"
    assert message.startswith("The interval of the difference may be too short: both")
    assert counts in message


@pytest.mark.parametrize("options", [{"rate": 0.2}, {"k": 40}, {"rate": LAWS["beta"]}])
def test_a_rate_that_neither_ranking_errs_at_is_warned_of(options):
    metric = "recall_at_rate"
    (message,) = said(compare, metric, Y, CLEAR, CLEAR + 0.3 * NOISE[::-1], **options)
    assert "both rankings are next to perfect" in message


def test_the_auc_is_warned_of_too_and_one_ranking_with_errors_is_enough():
    (message,) = said(compare, "roc_auc", Y, CLEAR, CLEAR + 0.3 * NOISE[::-1])
    assert "both rankings are next to perfect" in message
    assert positives_missed(PLAIN, LAWS["uniform"]) > 1
    assert not said(compare, "roc_auc", Y, CLEAR, PLAIN)
    assert not said(compare, "expected_recall", Y, CLEAR, PLAIN, rate=LAWS["beta"])


def test_few_cases_in_a_window_are_counted_by_their_weights():
    weight = np.where(np.arange(200) % 10 == 0, 20.0, 1.0)
    options = {"tpr": (0.8, 1), "sample_weight": weight, "weights": "sampling"}
    of_pos = weight[Y == 1]
    alike = 0.2 * of_pos.sum() ** 2 / (of_pos**2).sum()
    assert alike < 8
    (message,) = said(estimate, "partial_auc", Y, PLAIN, **options)
    assert f"count as {alike:.2g} of equal weight, and at least 8" in message
    equal = {**options, "sample_weight": np.ones(200)}
    assert not said(estimate, "partial_auc", Y, PLAIN, **equal)
    # The whole curve has no window.
    assert not said(estimate, "partial_auc", Y, PLAIN, **{**options, "tpr": None})
