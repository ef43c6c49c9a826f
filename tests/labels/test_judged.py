"""Labels of some lists by people, and of all lists by a judge."""

from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest

import skrate
from guarantees import assert_share, held, simulated
from looped import case, looped
from reference import judged_lists as literal
from skrate import (
    compare,
    estimate,
    labels,
    mean_average_precision_score,
    ndcg_score,
    precision_at_rate_score,
    ranking_auc_score,
    recall_at_rate_score,
    reciprocal_rank_score,
    select_best,
)
from skrate.inference.group_scores import group_scores
from skrate.inference.judged_lists import JudgeWeight, evaluate_lists
from skrate.inference.options import Plan


def judged_lists(seed=0, n_lists=80, n_labelled=25, size=8):
    """Return labels, labels by people and by a judge, two models, and the lists."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(size // 2, size + size // 2, n_lists)
    groups = np.repeat(np.arange(n_lists), sizes)
    y_true = (rng.random(len(groups)) < 0.4).astype(int)
    # Each list has both classes.
    first = np.append(0, np.cumsum(sizes)[:-1])
    y_true[first], y_true[first + 1] = 1, 0
    a, b = np.round(rng.normal(size=(2, len(groups))) + [[0.9], [0.5]] * y_true, 1)
    is_wrong = rng.random(len(groups)) < np.where(a > b, 0.3, 0.1)
    by_judge = np.where(is_wrong, 1 - y_true, y_true)
    by_judge[first], by_judge[first + 1] = 1, 0
    chosen = rng.permutation(n_lists)[:n_labelled]
    by_people = np.where(np.isin(groups, chosen), y_true, np.nan)
    order = rng.permutation(len(groups))
    columns = y_true, by_people, by_judge, a, b, groups
    return [column[order] for column in columns]


Y, PEOPLE, JUDGE, A, B, GROUPS = judged_lists()
IS_LABELLED = ~np.isnan(PEOPLE)
JUDGED = labels.judged(PEOPLE, JUDGE)
METRICS = {
    "ndcg": partial(ndcg_score, k=4),
    "map": mean_average_precision_score,
    "reciprocal rank": reciprocal_rank_score,
    "recall": partial(recall_at_rate_score, k=3),
    "precision": partial(precision_at_rate_score, k=6),
    "auc": partial(ranking_auc_score, average="pairs"),
    "positives": partial(ndcg_score, average="positives"),
}


def sums_of(metric, y_score):
    """Return terms and weights of lists, by people, by the judge, and of the others."""
    function = metric.func if isinstance(metric, partial) else metric
    options = dict(metric.keywords) if isinstance(metric, partial) else {}
    average = options.pop("average", "macro")
    sums = [[], [], []]
    for label in np.unique(GROUPS):
        rows = label == GROUPS
        n = np.count_nonzero(rows)
        for source, y in enumerate((Y, JUDGE)):
            value = function(y[rows], y_score[rows], groups=np.zeros(n), **options)
            n_pos = y[rows].sum()
            weight = {"macro": 1, "pairs": n_pos * (n - n_pos), "positives": n_pos}[
                average
            ]
            if function is recall_at_rate_score:
                weight = n_pos
            elif function is precision_at_rate_score:
                weight = min(options["k"], n)
            if source or IS_LABELLED[rows][0]:
                part = source if IS_LABELLED[rows][0] else 2
                sums[part].append((value * weight, weight))
    return [np.transpose(part).tolist() for part in sums]


@pytest.mark.filterwarnings("ignore:Label more lists")
@looped("name", METRICS)
def test_the_value_and_its_error_are_by_the_formula(name):
    metric = METRICS[name]
    of_a, of_b = sums_of(metric, A), sums_of(metric, B)
    found = estimate(metric, JUDGED, A, groups=GROUPS)
    value, error = literal.judged_mean(*of_a)
    assert found.value == pytest.approx(value, rel=1e-10)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    found = compare(metric, JUDGED, A, B, groups=GROUPS)
    value, error = literal.judged_difference(of_a, of_b)
    assert found.value == found.value_a - found.value_b
    assert found.value == pytest.approx(value, rel=1e-9)
    assert found.standard_error == pytest.approx(error, rel=1e-9)


def test_the_mean_over_all_samples_of_lists_is_that_of_all_lists():
    y, _, judge, a, _, groups = judged_lists(n_lists=7, n_labelled=4)
    people, by_judge = (
        group_scores("ndcg", labels_, a, groups=groups) for labels_ in (y, judge)
    )
    values = []
    for chosen in combinations(range(7), 4):
        scores = people._select_lists(np.isin(np.arange(7), chosen))
        scores = replace(scores, _by_judge=by_judge)
        (mean,) = evaluate_lists([scores], Plan())
        weight = JudgeWeight(0.7, np.zeros(7), np.ones(7))
        mean = replace(mean, judge_weight=weight)
        values.append(mean.value)
    assert np.mean(values) == pytest.approx(people.mean(), rel=1e-12)


def test_with_all_labels_the_judge_does_not_matter():
    known, models = labels.judged(Y, JUDGE), {"a": A, "b": B}
    options = {"groups": GROUPS, "k": 4}
    calls = {
        "estimate": lambda y: estimate("ndcg", y, A, **options),
        "estimates": lambda y: estimate("ndcg", y, models, **options),
        "compare": lambda y: compare("ndcg", y, A, B, **options),
        "compare several": lambda y: compare("ndcg", y, models, **options),
        "select_best": lambda y: select_best(
            "ndcg", y, models, **options, random_state=0
        ),
        "score": lambda y: ndcg_score(y, A, **options),
        "one ranking": lambda y: estimate("roc_auc", y, A),
    }
    for name, call in calls.items():
        with case(name):
            assert repr(call(known)) == repr(call(Y))


def test_a_judge_that_says_nothing_is_ignored():
    useless = labels.judged(PEOPLE, np.ones(len(Y)))
    rows = IS_LABELLED
    options = {"k": 4, "groups": GROUPS}
    found = estimate("precision_at_rate", useless, A, **options)
    options["groups"] = GROUPS[rows]
    expected = estimate("precision_at_rate", Y[rows], A[rows], **options)
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-12)
    assert found.of == "80 lists, 25 labelled by people"


@pytest.mark.filterwarnings("ignore:Label more lists")
def test_the_error_of_one_list_is_unknown():
    first = np.where(GROUPS[IS_LABELLED][0] == GROUPS, Y, 0)
    y = labels.judged(np.where(IS_LABELLED, first, np.nan), JUDGE)
    assert np.isnan(estimate("ndcg", y, A, groups=GROUPS).standard_error)


def test_probabilities_of_a_judge_are_gains():
    by_judge = np.where(JUDGE, 0.9, 0.1) + np.arange(len(Y)) / 1e5
    y = labels.judged(PEOPLE, by_judge)
    found = estimate("ndcg", y, A, groups=GROUPS)
    assert found.params["gain"] == "linear"
    options = {"groups": GROUPS, "k": 4}
    with pytest.raises(ValueError, match="relevance_threshold is needed"):
        estimate("precision_at_rate", y, A, **options)
    found = estimate("precision_at_rate", y, A, **options, relevance_threshold=0.5)
    assert found.value == estimate("precision_at_rate", JUDGED, A, **options).value


def test_grades_of_people_and_of_the_judge_have_the_same_gain():
    rng = np.random.default_rng(0)
    grades = Y * rng.integers(1, 4, len(Y))
    given = np.where(IS_LABELLED, grades, np.nan)
    for name, by_people, by_judge in (
        ("people", given, JUDGE),
        ("judge", PEOPLE, grades),
        ("objects", np.where(IS_LABELLED, grades.astype(object), None), grades),
    ):
        with case(name):
            y = labels.judged(by_people, by_judge)
            found = estimate("ndcg", y, A, groups=GROUPS)
            linear = estimate("ndcg", y, A, groups=GROUPS, gain="linear")
            assert repr(found) == repr(linear)
    threshold = {"groups": GROUPS, "k": 4, "relevance_threshold": 1}
    found = estimate("precision_at_rate", labels.judged(given, grades), A, **threshold)
    y = labels.judged(PEOPLE, Y)
    del threshold["relevance_threshold"]
    assert found.value == estimate("precision_at_rate", y, A, **threshold).value


def test_lists_that_are_undefined_by_either_are_skipped():
    y, judge = PEOPLE.copy(), JUDGE.copy()
    labelled = np.unique(GROUPS[IS_LABELLED])
    y[np.isin(GROUPS, labelled[:3])] = 0
    judge[np.isin(GROUPS, labelled[2:5])] = 0
    found = estimate("ndcg", labels.judged(y, judge), A, groups=GROUPS)
    assert np.isfinite([found.value, found.standard_error]).all()
    zero = estimate("ndcg", labels.judged(y, judge), A, groups=GROUPS, undefined=0)
    assert zero.value < found.value
    with pytest.warns(UserWarning, match="undefined"):
        none = estimate(
            "ndcg", labels.judged(y, judge), A, groups=GROUPS, undefined="nan"
        )
    assert np.isnan(none.value)
    # If only the judge has undefined lists, the mean is known.
    only_judge = labels.judged(PEOPLE, judge)
    known = estimate("ndcg", only_judge, A, groups=GROUPS, undefined="nan")
    skipped = estimate("ndcg", only_judge, A, groups=GROUPS)
    assert known.value == skipped.value


REFUSED = {
    "method='permutation'": lambda: compare(
        "ndcg", JUDGED, A, B, groups=GROUPS, method="permutation"
    ),
    "groups=": lambda: estimate("roc_auc", JUDGED, A),
    "pass groups= to": lambda: compare("roc_auc", JUDGED, A, B),
    "Known labels": lambda: ndcg_score(JUDGED, A, groups=GROUPS),
    "Known labels are": lambda: skrate.sample_size(
        "ndcg", JUDGED, A, groups=GROUPS, half_width=0.1
    ),
    "n_relevant": lambda: estimate("ndcg", JUDGED, A, groups=GROUPS, n_relevant=9),
    "all items of a list": lambda: estimate(
        "ndcg", labels.judged(np.where(A > 0, PEOPLE, np.nan), JUDGE), A, groups=GROUPS
    ),
    "3 or more lists": lambda: estimate(
        "ndcg", labels.judged(np.where(GROUPS < 2, Y, np.nan), JUDGE), A, groups=GROUPS
    ),
    "y_judge must have a label": lambda: labels.judged(Y, PEOPLE),
    "y_true must have a label": lambda: labels.judged([np.nan] * 3, [1, 0, 1]),
    "y_judge has 616": lambda: labels.judged(PEOPLE, JUDGE[1:]),
}


@looped("message", REFUSED)
def test_what_is_refused_names_the_argument(message):
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()


@pytest.mark.filterwarnings("ignore:Label more:UserWarning")
@pytest.mark.filterwarnings("ignore:Label more lists:UserWarning")
def test_few_lists_warn():
    few = labels.judged(np.where(GROUPS < 8, Y, np.nan), JUDGE)
    with pytest.warns(UserWarning, match="people labelled 8"):
        estimate("ndcg", few, A, groups=GROUPS)
    models = {"a": A, "b": B}
    with pytest.warns(UserWarning, match="8 independent lists"):
        select_best("ndcg", few, models, groups=GROUPS, random_state=0)
    perfect = Y + 0.1 * (GROUPS[IS_LABELLED][0] == GROUPS) * A
    with pytest.warns(UserWarning, match="differs from the others"):
        estimate("ndcg", JUDGED, perfect, groups=GROUPS)


@pytest.mark.slow
def test_intervals_cover_and_a_judge_that_favours_a_model_does_not_matter():
    truth_a, truth_b = np.transpose(
        [
            [ndcg_score(y, s, groups=g) for s in (a, b)]
            for y, _, _, a, b, g in (judged_lists(i, 2000) for i in range(1000, 1010))
        ]
    ).mean(axis=1)

    def simulate(i):
        _, people, judge, a, b, groups = judged_lists(i, 100, 30)
        y = labels.judged(people, judge)
        one = estimate("ndcg", y, a, groups=groups)
        return one, compare("ndcg", y, a, b, groups=groups)

    ones, pairs = zip(*simulated(600, simulate), strict=True)
    assert_share(held(ones, truth_a), at_least=0.93, at_most=0.98)
    assert_share(held(pairs, truth_a - truth_b), at_least=0.93, at_most=0.98)
