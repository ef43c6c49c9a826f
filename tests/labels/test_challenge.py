"""A champion and a challenger by a few labels a week: rows, decisions, and errors."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from guarantees import assert_share, simulated
from looped import case
from skrate import compare
from skrate.labels import Challenge

RATE = {"rate": 0.1}


def week(seed, better=0.0, n=600, prevalence=0.15, level=0.0):
    """Return labels and scores of both models, the challenger's better by a shift."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < prevalence
    noise = rng.normal(size=(3, n))
    champion, challenger = level + noise[0] + noise[1:] + 1.5 * y_true
    return y_true, champion, challenger + better * y_true


def processed(y_true, champion, rate=0.1):
    """Return the labels of the champion's top, which are free."""
    return np.where(champion >= np.quantile(champion, 1 - rate), y_true, np.nan)


def went_on(challenge, weeks):
    """Plan and label these weeks, and return the decision after each."""
    decisions = []
    for y_true, champion, challenger in weeks:
        known = processed(y_true, champion)
        plan = challenge.plan(champion, challenger, known=known)
        is_seen = plan.is_drawn | ~np.isnan(known)
        decisions.append(challenge.update(np.where(is_seen, y_true, np.nan)))
        assert decisions[-1] == challenge.decision
    return decisions


@pytest.mark.filterwarnings("ignore:The interval of the")
def test_each_row_is_a_comparison_of_its_week():
    challenge = Challenge("recall_at_rate", 80, n_weeks=6, random_state=0, **RATE)
    pairs, n_pos = [], []
    for seed in range(8):
        y_true, champion, challenger = week(seed, n=600 + 50 * seed)
        plan = challenge.plan(champion, challenger, known=processed(y_true, champion))
        challenge.update(y_true)
        found = plan.labels(y_true)
        pairs.append(compare("recall_at_rate", found, challenger, champion, **RATE))
        n_pos.append(round(found.pos.sum()))
    result = challenge.comparison
    assert result.differences.tolist() == [pair.value for pair in pairs]
    assert result.n_cases.tolist() == list(range(600, 1_000, 50))
    assert result.n_pos.tolist() == n_pos
    assert result.params == {"rate": 0.1}
    # The boundary of compare_batches, written out.
    alpha, twice = 0.05, -2 * math.log(0.05)
    n, s = result.n_cases.astype(float), result.standard_errors
    for pair, error in zip(pairs, s, strict=True):
        half = pair.confidence_interval.high - pair.value
        assert half / 1.959963984540054 == pytest.approx(error, rel=1e-12)
    squares = (n * s) ** 2
    starts = [k for k in range(1, 9)
              if squares[:k].sum() ** 2 >= 3.9 * (squares[:k] ** 2).sum()]  # fmt: skip
    kappa = 6 * squares[: starts[0]].mean() / (math.log(1 + twice) + twice)
    for k in range(1, 9):
        mean = sum(n[:k] * result.differences[:k]) / n[:k].sum()
        assert result.values[k - 1] == pytest.approx(mean)
        grown = squares[:k].sum() + kappa
        reach = math.sqrt(grown * math.log(grown / kappa / alpha**2)) / n[:k].sum()
        if k in starts:
            assert_allclose([result.low[k - 1], result.high[k - 1]],
                            [mean - reach, mean + reach], rtol=1e-10)  # fmt: skip
        else:
            assert np.isnan(result.low[k - 1])
    assert 1 < len(starts) < 8


def test_the_better_model_wins_once_its_interval_leaves_out_0():
    for better, decision in ((2.0, "replace"), (-1.5, "keep")):
        challenge = Challenge("recall_at_rate", 100, random_state=0, **RATE)
        decisions = went_on(challenge, [week(seed, better) for seed in range(12)])
        result = challenge.comparison
        is_out = result.low > 0 if better > 0 else result.high < 0
        first = int(np.argmax(is_out))
        with case(decision):
            assert is_out.any()
            expected = ["go on"] * first + [decision] * (12 - first)
            assert decisions == expected


def test_a_decision_is_never_revoked():
    challenge = Challenge("recall_at_rate", 60, random_state=0, **RATE)
    weeks = [week(seed, 2.0) for seed in range(6)]
    weeks += [week(seed, -1.5) for seed in range(6, 30)]
    decisions = went_on(challenge, weeks)
    assert challenge.comparison.high[-1] < 0
    first = decisions.index("replace")
    assert set(decisions[first:]) == {"replace"}


def test_the_margin_is_what_a_replacement_must_gain():
    weeks = [week(seed, 2.0) for seed in range(12)]
    found = {}
    for margin in (0.0, 0.2, 0.6):
        challenge = Challenge(
            "recall_at_rate", 60, margin=margin, random_state=0, **RATE
        )
        decisions = went_on(challenge, weeks)
        result = challenge.comparison
        above, below = result.low > margin, result.high < margin
        first = int(np.argmax(above | below))
        found[margin] = decisions[-1], first
        with case(margin):
            expected = "replace" if above[first] else "keep"
            assert decisions[first] == expected
            assert set(decisions[:first]) <= {"go on"}
    assert found[0.0][0] == found[0.2][0] == "replace"
    assert found[0.2][1] > found[0.0][1]
    assert found[0.6][0] == "keep"


def test_a_challenger_with_less_of_what_is_bad_replaces():
    weeks = [week(seed, 2.0, prevalence=0.3) for seed in range(10)]
    for margin, decision in ((0.0, "replace"), (0.5, "keep")):
        challenge = Challenge(
            "negative_recall", 60, margin=margin, random_state=0, **RATE
        )
        decisions = went_on(challenge, weeks)
        with case(decision):
            assert challenge.comparison.high[-1] < 0
            assert decisions[-1] == decision


def test_labels_may_come_in_late_and_in_any_order():
    weeks = [week(seed, 0.5) for seed in range(4)]
    in_turn, late, out_of_turn = (
        Challenge("recall_at_rate", 40, random_state=0, **RATE) for _ in range(3)
    )
    for challenge in (in_turn, late, out_of_turn):
        plans = [
            challenge.plan(
                champion, challenger, probability=1 / (1 + np.exp(3 - champion))
            )
            for _, champion, challenger in weeks
        ]
        if challenge is out_of_turn:
            for i in (2, 0, 3, 1):
                challenge.update(weeks[i][0], plan=plans[i])
        elif challenge is late:
            challenge.update(weeks[1][0], plan=plans[1])
            # Without a plan the earliest one is next.
            for i in (0, 2, 3):
                challenge.update(weeks[i][0])
        else:
            for y_true, _, _ in weeks:
                challenge.update(y_true)
    one = in_turn.comparison
    for challenge, order in ((out_of_turn, [2, 0, 3, 1]), (late, [1, 0, 2, 3])):
        other = challenge.comparison
        assert other.differences.tolist() == one.differences[order].tolist()
        assert other.values[-1] == pytest.approx(one.values[-1])
        assert other.batches.tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="has its labels already"):
        late.update(weeks[0][0])


def test_later_plans_learn_from_labels_of_all_weeks_before():
    challenge = Challenge("recall_at_rate", 80, random_state=0, **RATE)
    seen, labels = [], []
    for seed in range(3):
        y_true, champion, challenger = week(seed)
        columns = np.column_stack([champion, challenger])
        chance = 1 / (1 + np.exp(3 - champion)) if not seen else None
        plan = challenge.plan(champion, challenger, probability=chance)
        if seen:
            known = np.concatenate(seen)
            center, spread = known.mean(axis=0), known.std(axis=0)
            model = LogisticRegression().fit(
                (known - center) / spread, np.concatenate(labels)
            )
            expected = model.predict_proba((columns - center) / spread)[:, 1]
            assert_allclose(plan.prediction, expected, rtol=1e-6)
        challenge.update(np.where(plan.is_drawn, y_true, np.nan))
        seen.append(columns[plan.is_drawn])
        labels.append(y_true[plan.is_drawn])


def test_a_week_without_a_difference_to_see_is_left_out():
    challenge = Challenge("recall_at_rate", 40, random_state=0, **RATE)
    y_true, champion, challenger = week(0)
    plan = challenge.plan(champion, challenger, probability=0.1)
    with (
        pytest.warns(UserWarning, match="at least 2 are needed"),
        pytest.warns(UserWarning, match="The week is left out"),
    ):
        assert challenge.update(np.zeros_like(y_true), plan=plan) == "go on"
    assert len(challenge.comparison.values) == 0


def test_labels_that_were_refused_may_come_again():
    challenge = Challenge("recall_at_rate", 40, random_state=0, **RATE)
    y_true, champion, challenger = week(0)
    challenge.plan(champion, challenger, known=processed(y_true, champion))
    with pytest.raises(ValueError, match="y_true lacks the label of"):
        challenge.update(np.where(y_true, 1, np.nan))
    challenge.update(y_true)
    assert len(challenge.comparison.values) == 1


def test_text_labels_need_a_positive_one():
    challenge = Challenge("recall_at_rate", 40, random_state=0, **RATE)
    y_true, champion, challenger = week(0)
    names = np.where(y_true, "fraud", "good").astype(object)
    known = np.where(np.isnan(processed(y_true, champion)), None, names)
    plan = challenge.plan(champion, challenger, known=known, pos_label="fraud")
    challenge.update(names, plan=plan, pos_label="fraud")
    other = Challenge("recall_at_rate", 40, random_state=0, **RATE)
    other.plan(champion, challenger, known=processed(y_true, champion))
    other.update(y_true)
    assert challenge.comparison.differences == other.comparison.differences


def test_it_says_how_far_it_is():
    challenge = Challenge("recall_at_rate", 60, random_state=0, **RATE)
    assert repr(challenge) == "Challenge('go on' after 0 weeks)"
    assert "no look yet" in repr(challenge.comparison)
    went_on(challenge, [week(seed, 2.0) for seed in range(8)])
    assert repr(challenge) == "Challenge('replace' after 8 weeks)"


def test_bad_input_is_named():
    wrong = {
        "n_labels must be an integer >= 2, got 1": {"n_labels": 1},
        "n_weeks must be an integer >= 1, got 0": {"n_weeks": 0},
        "margin must not be negative, found -0.1: give the gain": {"margin": -0.1},
        "margin must be": {"margin": math.nan},
        "floor must lie": {"floor": 2},
        "confidence_level must be a number in": {"confidence_level": 95},
        "needs the keyword 'rate'": {"metric": "recall_at_rate"},
        "no parameter 'rates'": {"rates": 0.1},
        "metric comes first": {"metric": [1.0, 0.0]},
        "random_state": {"random_state": "0"},
    }
    y_true, champion, challenger = week(0)
    for message, changes in wrong.items():
        given = {"metric": "roc_auc", "n_labels": 40, **changes}
        with case(message), pytest.raises((ValueError, TypeError), match=message):
            Challenge(given.pop("metric"), given.pop("n_labels"), **given)
    challenge = Challenge("roc_auc", 40)
    known = processed(y_true, champion)
    of_week = {
        "champion_scores contains NaN": {"champion_scores": champion * np.nan},
        "champion_scores has 600, challenger_scores has 599": {
            "challenger_scores": challenger[1:]
        },
        "probability is missing": {"known": None},
        "known must have an entry for each of the 600": {"known": known[1:]},
        "probability must": {"probability": 2 + champion**2},
    }
    for message, changes in of_week.items():
        given = {
            "champion_scores": champion, "challenger_scores": challenger,
            "known": known, **changes,
        }  # fmt: skip
        with case(message), pytest.raises(ValueError, match=message):
            challenge.plan(**given)
    with pytest.raises(ValueError, match="does not support"):
        Challenge("momentum", 40).plan(champion, challenger, known=known)
    with pytest.raises(ValueError, match=r"call plan\(\) for the cases"):
        challenge.update(y_true)
    plan = Challenge("roc_auc", 40).plan(champion, challenger, known=known)
    challenge.plan(champion, challenger, known=known)
    for other in (plan, known):
        with pytest.raises(ValueError, match="is of another challenge"):
            challenge.update(y_true, plan=other)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The uncertainty", "ignore:The week")
@pytest.mark.filterwarnings("ignore:The interval")
def test_equal_models_are_seldom_told_apart_in_any_week():
    def history(seed):
        challenge = Challenge(
            "recall_at_rate", 80, n_weeks=12, random_state=seed, **RATE
        )
        weeks = [
            week([seed, i], n=1_000, prevalence=0.05 + 0.004 * i, level=np.sin(i))
            for i in range(12)
        ]
        decision = went_on(challenge, weeks)[-1]
        result = challenge.comparison
        each = np.abs(result.differences) > 1.96 * result.standard_errors
        return decision != "go on", decision == "replace", each.any()

    decided, replaced, uncorrected = np.transpose(simulated(150, history))
    assert_share(decided, at_most=0.05)
    assert_share(replaced, at_most=0.025)
    # Whoever tests each week finds a difference.
    assert_share(uncorrected, at_least=0.25)
