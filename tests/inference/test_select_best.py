"""The best of several models, its corrected value, and what may be the best."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from guarantees import assert_share, simulated
from looped import looped
from reference.clusters_in_folds import centring_factor
from skrate import (
    FoldRankings,
    compare,
    cross_val_rankings,
    estimate,
    group_scores,
    ndcg_score,
    select_best,
)
from skrate.inference.options import Plan
from skrate.inference.rankings import Ranked
from skrate.inference.select_best import _BootstrapUnits, _draw_changes

RNG = np.random.default_rng(0)
Y = RNG.random(200) < 0.3
SCORES = Y[:, None] * [1.0, 1.2, 0.3, 1.0] + RNG.normal(size=(200, 4))
MODELS = dict(zip("abcd", SCORES.T, strict=True))


def shrunken(values, noise):
    """Return values with their variance as it would be without the noise."""
    variance = np.var(values, ddof=1) if len(set(values)) > 1 else 1.0
    factor = np.sqrt(max(0, 1 - noise / variance))
    return [np.mean(values) + factor * (value - np.mean(values)) for value in values]


def first_of_most(values):
    """Return the position of the greatest value, the first but for rounding."""
    return int(np.argmax(np.round(values, 11)))


def corrected_by_enumeration(metric, y_true, scores, **params):
    """Return the corrected value, that of a best model apart, and a draw's error."""
    n, n_models = len(y_true), len(scores)
    values = [estimate(metric, y_true, one, **params).value for one in scores]
    psi = [estimate(metric, y_true, one, **params).influence for one in scores]
    best = first_of_most(values)
    moves = []
    for sample in product(range(n), repeat=n):
        counts = np.bincount(sample, minlength=n)
        moves.append((counts == 0, [counts @ each / n for each in psi]))
    # The mean over pairs of half the variance of their difference.
    noise = np.mean(
        [
            np.mean([(moved[j] - moved[k]) ** 2 for _, moved in moves]) / 2
            for j in range(n_models)
            for k in range(j)
        ]
    )
    one = shrunken(values, noise)
    # Near-copies of the best do not count as others.
    others = [
        k
        for k in range(n_models)
        if k != best
        and np.var([moved[k] - moved[best] for _, moved in moves]) > noise / 2
    ]
    rest = dict(zip(others, shrunken([values[k] for k in others], noise), strict=True))
    found = []
    for is_out, moved in moves:
        k = first_of_most(np.add(values, moved))
        left = psi[k][is_out].mean() if is_out.any() else 0.0
        lucky = moved[first_of_most(np.add(one, moved))] - moved[best]
        # Noise is added to select, and what was added is taken off to judge.
        m = first_of_most(np.add(values, np.multiply(0.3, moved)))
        apart = values[m] - (moved[m] - moved[best]) / 0.3
        reached = max(rest[j] + moved[j] for j in others) > values[best] - 1e-11
        found.append([values[k] + left, lucky, apart, reached])
    left_out, luck, as_apart, reached = np.mean(found, axis=0)
    as_one = (left_out + values[best] - luck) / 2
    share = min(1, 6 * reached) ** 2
    spread = np.std(found, axis=0)
    error = spread @ [share / 2, share / 2, 1 - share, 0]
    if share < 1:
        error += 2 * np.sqrt(share) * 6 * spread[3] * abs(as_one - as_apart)
    return share * as_one + (1 - share) * as_apart, as_apart, error


@looped(
    "metric, params, first, last",
    [
        ("roc_auc", {}, [6, 5, 4, 3, 2, 1], [6, 1, 2, 5, 4, 3]),
        ("roc_auc", {}, [6, 1, 3, 2, 5, 4], [6, 1, 2, 5, 4, 3]),
        ("roc_auc", {}, [6, 1, 3, 2, 5, 4], [6, 1, 3, 2, 5, 4]),
        ("average_precision", {}, [5, 4, 6, 3, 2, 1], [6, 1, 2, 5, 4, 3]),
        ("recall_at_rate", {"rate": 0.4}, [6, 3, 5, 1, 4, 2], [6, 1, 2, 5, 4, 3]),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_the_corrected_value_is_the_mean_over_all_samples(metric, params, first, last):
    y_true = [1, 0, 1, 0, 1, 0]
    scores = [first, [3.5, 4, 6, 1, 2, 5], last]
    mean, _, error = corrected_by_enumeration(metric, y_true, scores, **params)
    found = select_best(
        metric,
        y_true,
        np.transpose(scores),
        n_resamples=40_000,
        random_state=0,
        **params,
    )
    # Five standard errors of the draws.
    assert abs(found.corrected_value - mean) < 5 * error / 200


WEIGHTS, CLUSTERS = np.array([1, 6, 1, 2.5, 1]), np.array([0, 1, 2, 3, 3])


@looped(
    "weights, clusters", [(WEIGHTS, None), (np.ones(5), CLUSTERS), (WEIGHTS, CLUSTERS)]
)
def test_samples_left_out_count_by_their_weights(weights, clusters):
    psi = np.array([[1, 0.2, -2, 3, -1], [-1, 0.5, 1, -2, 0.3]])
    psi -= np.average(psi, axis=1, weights=weights)[:, None]
    samples = Ranked(
        np.arange(5) > 2, weights=weights, clusters=clusters, kind="sampling"
    )
    values, plan = np.array([0.1, 0]), Plan("delta", 0.95, "wilson", 20_000, None, 0, 1)
    left_out, moved = _draw_changes(
        values, _BootstrapUnits.of(list(psi), samples), 1.0, plan
    )

    units = np.arange(5) if clusters is None else clusters
    sizes, n_units = np.bincount(units, weights), units.max() + 1
    sums = np.array([np.bincount(units, weights * one) for one in psi])
    sums *= 1 if clusters is None else np.sqrt(centring_factor(sizes))
    expected, said = [], []
    for sample in product(range(n_units), repeat=int(n_units)):
        counts = np.bincount(sample, minlength=n_units)
        expected.append(sums @ counts / weights.sum())
        best, is_out = np.argmax(values + expected[-1]), counts == 0
        ahead = is_out @ (sums[best] - sums[0])
        said.append(values[best] + (ahead / (is_out @ sizes) if ahead else 0))
    # All samples are drawn, and no others.
    assert_allclose(
        np.unique(moved.round(9), axis=0), np.unique(np.round(expected, 9), axis=0)
    )
    # Five standard errors of the draws.
    assert abs(left_out - np.mean(said)) < 5 * np.std(said) / np.sqrt(20_000)


def test_repetitions_left_out_count_as_copies():
    is_odd = np.arange(40) % 2 == 1
    weights = np.where(is_odd, 1, 5)
    psi = np.where(is_odd, 0.1, 1) * np.random.default_rng(1).normal(size=40)
    psi -= np.average(psi, weights=weights)
    values, is_pos = np.zeros(2), np.arange(40) > 20
    plan = Plan("delta", 0.95, "wilson", 5_000, None, 0, 1)
    samples = Ranked(is_pos, weights=weights, kind="frequency")
    found, _ = _draw_changes(
        values, _BootstrapUnits.of([-psi, psi], samples), 1.0, plan
    )

    copies, rows = Ranked(np.repeat(is_pos, weights)), np.repeat(psi, weights)
    expected, _ = _draw_changes(
        values, _BootstrapUnits.of([-rows, rows], copies), 1.0, plan
    )
    # Without the factor of the copies it is 0.03 off; five standard errors are 0.004.
    assert found == pytest.approx(expected, abs=0.006)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes", [[100] * 6, [300, 200, 100, 60, 40, 30], [1] * 150], ids=len
)
def test_each_of_equal_models_is_in_the_set(sizes):
    # Their scores depend on the cluster, unless samples are clusters.
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    spread = 0.4 * (len(cluster) > len(sizes))
    generator = np.random.default_rng(0)

    def drawn(seed):
        y_true = generator.random(len(cluster)) < 0.2
        effects = 1 + spread * generator.normal(size=(len(sizes), 4))
        scores = 1.4 * y_true[:, None] * effects[cluster]
        scores += generator.normal(size=scores.shape)
        best = select_best(
            "roc_auc", y_true, scores, clusters=cluster, n_resamples=300,
            random_state=seed,
        )  # fmt: skip
        return len(best.set) / 4

    # Models that are equal but for chance: the best of the sample is always in it.
    assert_share(simulated(300, drawn), at_least=0.92)


def test_alike_models_lose_nothing_and_all_may_be_the_best():
    for metric in ("roc_auc", "average_precision"):
        found = select_best(metric, Y, np.tile(SCORES[:, [0]], 3), random_state=0)
        assert found.corrected_value == pytest.approx(found.value, rel=1e-12)
        assert found.set == ("0", "1", "2")


@pytest.mark.parametrize("n_models", [2, 5])
def test_a_single_draw_has_a_value(n_models):
    rng = np.random.default_rng(0)
    y_true = rng.random(60) < 0.5
    scores = y_true[:, None] + rng.normal(size=(60, n_models))
    found = select_best("roc_auc", y_true, scores, n_resamples=1, random_state=0)
    assert 0 < found.corrected_value < 1


def test_neither_row_order_nor_n_jobs_nor_repetition_matters():
    def of(rows, **options):
        found = select_best("roc_auc", Y[rows], SCORES[rows], random_state=0, **options)
        return found.corrected_value, *found.confidence_interval

    every = np.arange(200)
    first = of(every)
    assert of(every[::-1]) == pytest.approx(first, rel=1e-12)
    assert of(every, n_jobs=2) == first
    twice = of(np.repeat(every, 2))
    weighted = of(every, sample_weight=np.full(200, 2))
    # The copies left out are those expected of the draws: the mean of 2000 varies less.
    error = estimate("roc_auc", Y, SCORES[:, 1]).standard_error / np.sqrt(2000)
    assert weighted[0] == pytest.approx(twice[0], abs=error)
    # The difference of two independent quantiles at 2.5 % varies by 3.8 times as much.
    assert weighted[1:] == pytest.approx(twice[1:], abs=3 * 3.8 * error)


def test_large_weights_take_no_memory():
    # As many copies of each sample, too many to be written out: no noise is left.
    weight = np.full(200, 10**9)
    options = {"sample_weight": weight, "random_state": 0, "n_resamples": 50}
    found = select_best("roc_auc", Y, SCORES, **options)
    assert found.corrected_value == pytest.approx(found.value, abs=1e-4)
    assert len(found.set) == 1
    compared = compare(
        "roc_auc", Y, *SCORES.T[:2], sample_weight=weight, method="permutation",
        random_state=0, n_resamples=50,
    )  # fmt: skip
    assert compared.pvalue == pytest.approx(1 / 51)


def test_folds_are_selected_by_their_mean():
    X, y = load_breast_cancer(return_X_y=True)
    models = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
    folds = {name: cross_val_rankings(one, X, y) for name, one in models.items()}
    found = select_best("roc_auc", folds, random_state=0)
    assert found.best == "bayes"
    assert found.value == estimate("roc_auc", folds["bayes"]).value
    assert found.set == ("bayes",)
    # As wide as if retrained.
    again = estimate("roc_auc", folds["bayes"]).confidence_interval_retrained
    assert_allclose(found.confidence_interval, again, atol=0.002)
    # A winner without rivals was not lucky.
    assert_allclose(found.corrected_value, found.value, atol=0.001)


def test_the_cheapest_within_the_margin_is_chosen():
    close = {"big": SCORES[:, 1], "small": SCORES[:, 1] + 0.01 * RNG.normal(size=200)}
    cost = {"big": 9, "small": 1, "c": 0}
    found = select_best(
        "roc_auc",
        Y,
        close | {"c": SCORES[:, 2]},
        margin=0.02,
        cost=cost,
        random_state=0,
    )
    assert found.equivalent == ("big", "small")
    assert found.choice == "small"
    assert "'small' is the cheapest" in repr(found)


def test_it_is_a_table_with_the_best_first():
    found = select_best("roc_auc", Y, MODELS, margin=0.1, random_state=0)
    table = found.to_dict()
    assert table["model"][0] == "b"
    assert list(table["value"]) == sorted(found.values, reverse=True)
    assert table["may_be_best"][0]
    assert len(table["is_equivalent"]) == 4
    corrected = [table[f"corrected_{name}"] for name in ("value", "low", "high")]
    best = [found.corrected_value, *found.confidence_interval]
    assert corrected == [[number, None, None, None] for number in best]


@looped(
    "changes, message",
    [
        ({"y_score": {}}, r"y_score.*1"),
        ({"y_score": {"a": SCORES[:9, 0]}}, r"y_true.*y_score\['a'\].*9"),
        ({"y_score": None}, r"y_score.*FoldRankings"),
        ({"y_score": None, "y_true": MODELS}, r"y_true.*y_score"),
        ({"y_score": Y, "y_true": MODELS}, r"y_true.*y_score"),
        ({"y_score": Y, "y_true": SCORES}, r"y_true.*y_score"),
        ({"y_score": SCORES[:, 0]}, r"y_score.*\(200,\)"),
        ({"margin": -0.1}, r"margin.*0"),
        ({"cost": {"a": 1}}, "cost"),
        ({"cost": {"a": 1}, "margin": 0.1}, r"cost.*'b'.*'c'.*'d'"),
        ({"cost": 3, "margin": 0.1}, "cost"),
        ({"groups": Y}, "groups"),
        ({"confidence_level": 95}, "confidence_level"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"metric": ndcg_score}, r"metric=.*ndcg_score"),
    ],
)
def test_bad_input_says_what_to_do(changes, message):
    given = {"metric": "roc_auc", "y_true": Y, "y_score": MODELS} | changes
    with pytest.raises(ValueError, match=message):
        select_best(**given)


def test_no_model_is_near_the_best_unless_that_is_shown():
    rng = np.random.default_rng(0)
    y_true = rng.random(200) < 0.3
    scores = {str(i): rng.normal(size=200) for i in range(5)}
    found = select_best(
        "roc_auc", y_true, scores, margin=1e-9, cost=dict.fromkeys(scores, 1.0),
        n_resamples=200, random_state=0,
    )  # fmt: skip
    assert found.equivalent == ()
    assert found.choice is None
    assert "none shown to be within 1e-09 of the best" in repr(found)


def in_lists(n_lists, n_models, seed):
    """Return rows of lists with shared difficulty, and the scores of models."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_lists), 15)
    y_true = rng.random(len(groups)) < 0.25
    shared = rng.normal(size=len(groups)) + y_true * rng.normal(size=n_lists)[groups]
    noise = rng.normal(size=(n_models, len(groups)))
    scores = {str(k): shared + y_true + own for k, own in enumerate(noise)}
    return y_true, scores, groups


def test_models_within_lists_are_judged_by_their_lists():
    y_true, scores, groups = in_lists(40, 4, 0)
    options = {"groups": groups, "k": 5, "random_state": 0}
    found = select_best("ndcg", y_true, scores, **options)
    for k, name in enumerate(scores):
        one = estimate("ndcg", y_true, scores[name], groups=groups, k=5)
        assert found.values[k] == one.value
        assert found.standard_errors[k] == pytest.approx(one.standard_error, rel=1e-12)
        assert_allclose(found.intervals[k], one.confidence_interval, rtol=1e-12)
    assert found.best == max(scores, key=lambda k: found.values[int(k)])
    assert found.corrected_value < found.value
    order = np.random.default_rng(1).permutation(len(groups))
    again = select_best(
        "ndcg", y_true[order], {k: s[order] for k, s in scores.items()}, k=5,
        groups=groups[order], random_state=0,
    )  # fmt: skip
    assert again.set == found.set
    assert again.corrected_value == pytest.approx(found.corrected_value, rel=1e-9)
    # Clusters of lists are fewer units.
    clustered = select_best(
        "ndcg", y_true, scores, clusters=groups // 4, **options
    ).standard_errors
    expected = estimate(
        "ndcg", y_true, scores["1"], groups=groups, clusters=groups // 4, k=5
    ).standard_error
    assert clustered[1] == pytest.approx(expected, rel=1e-12)
    few = groups < 8
    some = y_true[few], {k: s[few] for k, s in scores.items()}
    with pytest.warns(UserWarning, match="8 independent lists.* 10"):
        select_best("ndcg", *some, groups=groups[few], random_state=0)
    with pytest.raises(ValueError, match=r"groups= .*clusters="):
        select_best("roc_auc", y_true, scores, groups=groups)
    with pytest.raises(ValueError, match=r"groups .*FoldRankings"):
        select_best("ndcg", {"a": FoldRankings(Y, MODELS["a"], Y)}, groups=groups)


@pytest.mark.slow
def test_each_of_equally_good_models_within_lists_may_be_the_best():
    def is_in(seed):
        y_true, scores, groups = in_lists(50, 5, seed)
        options = {"groups": groups, "random_state": 0, "n_resamples": 300}
        found = select_best("ndcg", y_true, scores, **options)
        return [name in found.set for name in scores]

    assert_share(simulated(150, is_in), at_least=0.93, at_most=0.99)


@pytest.mark.slow
def test_what_is_worse_by_the_margin_is_seldom_equivalent_and_equals_often_are():
    # Normal scores of a variance of 5 in each class, whose AUC is Phi(d / sqrt(10)).
    away, margin = 2.7, 0.04
    worse = stats.norm.ppf(stats.norm.cdf(away / np.sqrt(10)) - margin) * np.sqrt(10)

    def equivalent(seed, n_pos, shift):
        rng = np.random.default_rng(seed)
        y_true = np.repeat([1, 0], [n_pos, 4 * n_pos])
        scores = 2 * rng.normal(size=(5 * n_pos, 1)) + rng.normal(size=(5 * n_pos, 3))
        scores += y_true[:, None] * [away, shift, shift]
        found = select_best(
            "roc_auc", y_true, scores, margin=margin, n_resamples=200, random_state=0
        )
        return np.isin(["0", "1", "2"], found.equivalent)

    false = simulated(400, lambda seed: equivalent(seed, 400, worse)[1:].any())
    assert_share(false, at_least=0.01, at_most=0.05)
    # By the quantile of all pairs it was 0.17.
    equal = simulated(300, lambda seed: equivalent(seed, 60, away).mean())
    assert_share(equal, at_least=0.29)


@pytest.mark.filterwarnings("ignore")
def test_nothing_is_equivalent_if_the_uncertainty_is_unknown():
    # One positive: its model has an AUC of 1, the other one of 0.
    models = {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]}
    options = {"margin": 0.01, "cost": {"a": 2, "b": 1}}
    best = select_best("roc_auc", [1, 0, 0, 0], models, **options)
    assert (best.best, best.set) == ("a", ("a", "b"))
    assert (best.equivalent, best.choice) == ((), None)
    assert best.to_dict()["model"] == ["a", "b"]


def test_models_may_have_scores_of_lists():
    rng = np.random.default_rng(3)
    groups, y_true = np.arange(300) // 10, rng.random(300) < 0.4
    scores = {str(i): i * y_true + 2 * rng.normal(size=300) for i in range(3)}
    options = {"margin": 0.05, "n_resamples": 200, "random_state": 0}
    values = {
        name: group_scores("ndcg", y_true, one, groups=groups, k=5)
        for name, one in scores.items()
    }
    found = select_best("ndcg", values, **options)
    means = [np.nanmean(one.values) for one in values.values()]
    assert_allclose(found.values, means, rtol=1e-12)
    by_rows = select_best("ndcg", y_true, scores, groups=groups, k=5, **options)
    assert found.to_dict() == by_rows.to_dict()
    listed = select_best("ndcg", list(values.values()), **options)
    assert_allclose(listed.values, means, rtol=1e-12)
    # Clusters are of lists.
    clusters = np.arange(30) // 2
    clustered = select_best("ndcg", values, clusters=clusters, **options)
    rows = {"groups": groups, "clusters": clusters[groups], "k": 5}
    by_rows = select_best("ndcg", y_true, scores, **rows, **options)
    assert clustered.confidence_interval == by_rows.confidence_interval
    for wrong in ({"y_score": scores}, {"groups": groups}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))}.*GroupScores"):
            select_best("ndcg", values, **wrong)
    with pytest.raises(ValueError, match=r"y_true\['0'\].*estimate\(\)"):
        estimate("ndcg", values)
