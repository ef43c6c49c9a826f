"""Labels of events by a horizon: Kaplan-Meier weights, and what their error adds."""

import warnings

import numpy as np
import pytest

import guarantees
import skrate
from looped import case
from reference.pbc import patients
from simulated_intervals import Setting
from simulated_sources import HORIZON
from skrate import estimate, labels

METRICS = {
    "roc_auc": {},
    "average_precision": {},
    "expected_recall": {"rate": "uniform"},
    "rate_weighted_auc": {"rate": skrate.rates.beta(2, 5)},
}


def followed(n, seed, decimals=None, horizon=0.6):
    """Return times, events and scores of patients, with ties if times are rounded."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n)
    event = rng.exponential(size=n) * np.exp(-score)
    lost = rng.exponential(size=n)
    time = np.minimum(event, lost)
    if decimals is not None:
        time, horizon = np.round(time, decimals), round(horizon, decimals)
    return time, event <= lost, score, horizon


def chance_followed(time, event, until):
    """Return Kaplan-Meier's P(lost at or after ``until``), events before losses."""
    found = 1.0
    for u in sorted(set(time)):
        if u >= until:
            break
        n_lost = sum(t == u and not e for t, e in zip(time, event, strict=True))
        at_risk = sum(
            t > u or (t == u and not e) for t, e in zip(time, event, strict=True)
        )
        if n_lost:
            found *= 1 - n_lost / at_risk
    return found


@pytest.mark.parametrize("decimals", [None, 1])
def test_counts_are_inverse_chances_to_be_followed_up(decimals):
    time, event, _, horizon = followed(80, 1, decimals)
    found = labels.censored(time, event, horizon)
    for i, (t, e) in enumerate(zip(time, event, strict=True)):
        is_seen = e or t >= horizon
        count = 1 / chance_followed(time, event, min(t, horizon)) if is_seen else 0
        is_pos = e and t <= horizon
        assert found.pos[i] == pytest.approx(count if is_pos else 0, rel=1e-13)
        assert found.neg[i] == pytest.approx(0 if is_pos else count, rel=1e-13)
    # What was lost is handed on to those who remain.
    assert found.weight.sum() == pytest.approx(len(time), rel=1e-13)


def test_an_end_of_the_study_at_the_horizon_loses_nobody():
    found = labels.censored([2, 5, 5, 5], [1, 1, 0, 0], 5)
    assert found.known.tolist() == [True, True, False, False]


@pytest.mark.parametrize("decimals", [None, 1])
def test_influence_is_that_of_leaving_out_cases(decimals):
    time, event, score, horizon = followed(400, 2, decimals)

    def found(kept):
        return labels.censored(time[kept], event[kept], horizon)

    n = len(time)
    rows = np.arange(n)
    for name, params in METRICS.items():
        by_slopes = estimate(name, found(rows), score, **params).influence
        left = [
            estimate(name, found(rows != i), score[rows != i], **params).value
            for i in range(0, n, 5)
        ]
        whole = estimate(name, found(rows), score, **params).value
        by_leaving = (n - 1) * (whole - np.array(left))
        with case(name):
            assert np.corrcoef(by_slopes[::5], by_leaving)[0, 1] > 0.998
            ratio = np.std(by_slopes[::5]) / np.std(by_leaving)
            assert ratio == pytest.approx(1, abs=0.03)


def test_the_variance_of_a_batch_is_that_of_samples_drawn_one_after_the_other():
    # At each loss the r at risk, each standing for 1 / G, lose one at random, and the
    # others stand for r / (r - 1) times as many: a sum over cases then has the variance
    # (r / G)^2 (1 - (r - 1) / r) / (r - 1) S^2, with S^2 that of all r.
    expected, found = 0.0, 0.0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n, horizon = 2_000, 1.0
        event_time, lost = rng.exponential(1.0, n), rng.exponential(1.2, n)
        time, event = np.minimum(event_time, lost), event_time <= lost
        slope = np.sort(rng.normal(size=n))[np.argsort(np.argsort(event_time))]
        add = np.where(event_time <= horizon, slope, -1.0)
        followed = 1.0
        for end in np.sort(time[~event & (time < horizon)]):
            at_risk = add[time >= end]
            r = len(at_risk)
            expected += (r / followed) ** 2 / r / (r - 1) * at_risk.var(ddof=1)
            followed *= (r - 1) / r
        batch = labels.censored(time, event, horizon).for_batch()
        rows = batch.influence(slope, np.full(n, -1.0))
        found += rows @ rows
    # Over four batches the ratio has a standard error of 0.01.
    assert found == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, -2], [1, 0], 1), "-2"),
        (([1, np.nan], [1, 0], 1), r"^time .*1"),
        (([1, 2, 3], [1, 0], 1), r"time.*3.*event.*2"),
        (([1, 2], [1, 2], 1), r"True.*False.*1.*0.*2"),
        (([1, 2], [1, 0], 0), r"horizon.*0.*0"),
        (([1, 2], [0, 0], 3), r"time.*event.*2.*3"),
        (([1, 2], [1, 0], 3), r"time.*event.*2.*3"),
    ],
)
def test_what_cannot_be_weighted_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        labels.censored(*arguments)


@pytest.mark.filterwarnings("ignore:The interval of the")
@pytest.mark.slow
def test_errors_in_a_batch_are_the_spread_over_losses():
    # One batch, of which others are lost each time.
    setting = Setting("normal", 0.8, 500, 0.3)
    rng = np.random.default_rng(3)
    y_true = rng.random(setting.n) < setting.prevalence
    score = rng.normal(size=setting.n) + 1.2 * y_true
    within = HORIZON * rng.random(setting.n) ** np.where(score > 1, 3, 0.5)
    event_time = np.where(y_true, within, HORIZON + rng.random(setting.n))

    def simulate(_):
        lost = rng.exponential(HORIZON, size=setting.n)
        found = labels.censored(
            np.minimum(event_time, lost), event_time <= lost, HORIZON
        ).for_batch()
        return estimate("roc_auc", found, score)

    found = guarantees.simulated(600, simulate)
    guarantees.assert_errors_are_the_spread(found, slack=0.03)


@pytest.mark.parametrize(
    ("horizon", "n_dead", "auc", "error"),
    [(365, 30, 82.30, 3.64), (1095, 81, 83.42, 2.48), (1825, 115, 86.23, 2.15)],
)
def test_the_auc_of_bilirubin_is_that_of_timeroc(horizon, n_dead, auc, error):
    # Printed by timeROC, see tests/data/README.md.
    days, is_dead, bilirubin = np.array(patients()).T
    found = labels.censored(days, is_dead == 1, horizon)
    # A death on the day of the horizon is no case there, and here it is one.
    kept = (days != horizon) | (is_dead == 0)
    result = estimate("roc_auc", found[kept], bilirubin[kept])
    assert np.count_nonzero(is_dead & (days < horizon)) == n_dead
    assert 100 * result.value == pytest.approx(auc, abs=0.005)
    # DeLong divides by one case less, of the dead most of all.
    most = (error + 0.005) * np.sqrt(n_dead / (n_dead - 1))
    assert error - 0.005 <= 100 * result.standard_error <= most


@pytest.mark.parametrize(("n_events", "is_warned"), [(11, True), (12, False)])
def test_few_events_are_warned_of(n_events, is_warned):
    time = np.where(np.arange(200) < n_events, 1.0, 3.0)
    time[-1] = 0.5
    found = labels.censored(time, time == 1, horizon=2)
    score = np.random.default_rng(0).normal(size=200) - time
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimate("roc_auc", found, score)
    assert [str(n_events) in str(one.message) for one in caught] == [True] * is_warned
