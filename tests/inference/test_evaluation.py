"""The uncertainty of means over folds: by formula, by loops, by simulation."""

import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import assert_share, held, simulated
from inference_cases import JUMPS, SMOOTH, each, sample
from reference.fold_variance import variance
from simulated_rankings import cross_validated, true_auc, true_recall
from skrate import (
    FoldRankings,
    RankTable,
    average_precision_score,
    compare,
    estimate,
    expected_gain_score,
    labels,
    ndcg_score,
    ranking_auc_score,
    rate_at_recall_score,
    recall_at_rate_score,
    sample_size,
    select_best,
)
from skrate.inference.mapped_evaluation import map_evaluation
from skrate.inference.models import evaluate
from skrate.inference.options import Plan
from skrate.inference.rankings import (
    Rankings,
    add_model_scores,
    check_samples,
    find_rankings,
)
from skrate.metrics.metric import find_metric

# Of folds there is no number of cases, but a rate.
IN_FOLDS = [case for case in SMOOTH + JUMPS if "k" not in case[1]]
quiet = pytest.mark.filterwarnings("ignore::UserWarning")


def drawn(seed=0, n_folds=4, n=60, **options):
    """Return two models' rankings of folds of one size, with ties."""
    generator = np.random.default_rng(seed)
    y_true = np.tile(np.arange(n) % 3 == 0, n_folds).astype(int)
    fold = np.repeat(np.arange(n_folds), n)
    good = np.round(generator.normal(size=len(fold)) + 1.2 * y_true, 1)
    other = np.round(good + generator.normal(size=len(fold)), 1)
    # Each fold on a scale of its own.
    return [
        FoldRankings(y_true, (scores + 5) * 2.0**fold, fold, **options)
        for scores in (good, other)
    ]


def literal_variance(values, rankings, *, is_counted):
    """Return the variance from the influence of cases on the metric of their fold.

    ``values`` come per fold. A class is centred in each fold, which takes one of its
    cases there, and of a single fold none.
    """
    total, n_folds = 0.0, len(values)
    for fold, rows in zip(values, rankings.rows(), strict=True):
        is_pos = rankings.is_pos[rows]
        for chosen, n_class in ((is_pos, rankings.n_pos), (~is_pos, rankings.n_neg)):
            own, mean, m = fold[chosen], fold[chosen].mean(), chosen.sum()
            factor = 1 if is_counted else m / (m - 1) * (1 - 1 / n_class)
            squares = ((own - mean) ** 2).sum() * factor
            total += (squares + m * mean**2) / len(rows) ** 2 / n_folds**2
    return total


def by_fold(metric, kwargs, rankings):
    return [
        estimate(metric, y_true, y_score, **kwargs).influence
        for y_true, y_score, _ in rankings
    ]


def test_the_variance_of_the_auc_is_that_of_ledell_petersen_and_van_der_laan():
    rankings = drawn(n_folds=3, n=21)[0]
    folds = [
        (rankings.y_true[rows].tolist(), rankings.y_score[rows].tolist())
        for rows in rankings.rows()
    ]
    found = estimate("roc_auc", rankings).standard_error ** 2
    assert found == pytest.approx(variance(folds, unbiased=True), rel=1e-10)
    # Theirs divides by m, where 7 positives and 14 negatives are in each fold.
    theirs = variance(folds, unbiased=False)
    assert 6 / 7 < theirs / found < 13 / 14


@quiet
@each([case for case in IN_FOLDS if case[0] != "roc_auc"][::2])
def test_the_variance_sums_up_the_influence_of_cases(metric, kwargs):
    a, b = drawn()
    found = estimate(metric, a, **kwargs)
    of_a, of_b = by_fold(metric, kwargs, a), by_fold(metric, kwargs, b)
    assert found.value == pytest.approx(
        np.mean([metric(*fold[:2], **kwargs) for fold in a]), abs=1e-12
    )
    # DeLong's influence values count each class with one less already.
    is_two_sample = find_metric(metric, kwargs).is_two_sample
    expected = literal_variance(of_a, a, is_counted=is_two_sample)
    assert found.standard_error**2 == pytest.approx(expected, rel=1e-9, abs=1e-18)
    differences = [x - y for x, y in zip(of_a, of_b, strict=True)]
    pair = compare(metric, a, b, **kwargs)
    expected = literal_variance(differences, a, is_counted=is_two_sample)
    assert pair.standard_error**2 == pytest.approx(expected, rel=1e-9, abs=1e-18)
    assert pair.value == pytest.approx(pair.value_a - pair.value_b)


def test_each_fold_takes_a_degree_of_freedom_of_either_class():
    rankings = drawn(n_folds=8, n=9)[0]
    found = estimate("roc_auc", rankings, interval="wald")
    parts = np.zeros(2)
    of_folds = by_fold("roc_auc", {}, rankings)
    for values, rows in zip(of_folds, rankings.rows(), strict=True):
        is_pos = rankings.is_pos[rows]
        for i, chosen in enumerate((is_pos, ~is_pos)):
            parts[i] += np.sum(values[chosen] ** 2) / (9 * 8) ** 2
    sizes = np.array([rankings.n_pos, rankings.n_neg]) - 8
    dof = parts.sum() ** 2 / np.sum(parts**2 / sizes)
    half = stats.t(dof).ppf(0.975) * found.standard_error
    assert found.confidence_interval.low == pytest.approx(found.value - half, rel=1e-9)


@quiet
@each(IN_FOLDS)
def test_one_fold_is_as_its_cases_are(metric, kwargs):
    y_true, a = sample(1)
    b = np.round(a + np.random.default_rng(0).normal(size=len(a)), 1)
    one, other = (FoldRankings(y_true, s, np.zeros(len(a), dtype=int)) for s in (a, b))
    clusters = np.arange(len(a)) // 2
    in_clusters = replace(one, clusters=clusters)
    pairs = [
        (estimate(metric, one, **kwargs), estimate(metric, y_true, a, **kwargs)),
        (
            estimate(metric, in_clusters, **kwargs),
            estimate(metric, y_true, a, clusters=clusters, **kwargs),
        ),
        (
            compare(metric, one, other, **kwargs),
            compare(metric, y_true, a, b, **kwargs),
        ),
    ]
    for one_fold, expected in pairs:
        for name, value in expected.to_dict().items():
            if isinstance(value, float):
                assert one_fold.to_dict()[name] == pytest.approx(value, abs=1e-9), name


@pytest.mark.parametrize("metric", ["average_precision", "roc_auc"])
def test_influence_with_sampling_weights_gives_the_variance_of_folds(metric):
    rng = np.random.default_rng(1)
    fold = np.repeat([0, 1, 2], [50, 150, 200])
    y_true = rng.random(400) < 0.3
    weight = rng.random(400) + 0.2
    folds = FoldRankings(
        y_true, rng.normal(size=400) + y_true, fold, sample_weight=weight
    )
    values = estimate(metric, folds, weights="sampling").influence
    found = estimate(metric, folds, weights="sampling").standard_error
    share = weight / np.bincount(fold, weight)[fold] * np.bincount(fold)[fold]
    expected = np.sqrt(np.sum((share * values) ** 2)) / share.sum()
    assert found == pytest.approx(expected, rel=1e-12)


def test_influence_gives_the_variance_where_rows_of_some_weight_are_left_out():
    rng = np.random.default_rng(3)
    fold = np.arange(90) % 5
    y_true = (rng.random(90) < 0.4) & (fold < 4)
    times = np.where(fold < 4, rng.integers(1, 4, 90), 3)
    scores = rng.normal(size=90) + y_true
    rankings = FoldRankings(y_true, scores, fold, sample_weight=times)
    with pytest.warns(UndefinedMetricWarning):
        values = estimate("roc_auc", rankings).influence
    with pytest.warns(UndefinedMetricWarning):
        error = estimate("roc_auc", rankings).standard_error
    squares = times @ values**2
    assert np.sqrt(squares) / times.sum() == pytest.approx(error, rel=1e-9)


def repeated(rankings, n_repeats):
    """Return rankings of which a repeat is there several times."""
    n, n_folds = len(rankings.y_true), rankings.n_folds
    columns = {
        name: None if values is None else np.tile(values, n_repeats)
        for name in ("y_true", "y_score", "sample_weight", "clusters")
        for values in [getattr(rankings, name)]
    }
    fold = rankings.fold + n_folds * np.arange(n_repeats)[:, None]
    indices = np.tile(np.arange(n), n_repeats)
    return FoldRankings(**columns, fold=fold.ravel(), indices=indices)


ALIKE = {
    "plain": lambda: drawn(),
    "one class": lambda: with_one_class_folds(),
    "weights": lambda: drawn(
        sample_weight=np.random.default_rng(1).integers(1, 4, 240)
    ),
    "clusters": lambda: drawn(clusters=np.arange(240) // 3),
    "singles": lambda: [
        FoldRankings(*singles(np.random.default_rng(seed), (4, 1, 1)))
        for seed in (0, 1)
    ],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("metric", "kwargs"),
    [("average_precision", {}), ("rate_at_recall", {"recall": 0.8})],
)
@pytest.mark.parametrize("name", ALIKE)
def test_a_repeat_that_is_given_again_changes_nothing(name, metric, kwargs):
    a, b = ALIKE[name]()
    if name == "singles":
        b = replace(a, y_score=b.y_score)
    again = [repeated(one, 3) for one in (a, b)]
    pairs = [
        (estimate(metric, again[0], **kwargs), estimate(metric, a, **kwargs)),
        (compare(metric, *again, **kwargs), compare(metric, a, b, **kwargs)),
    ]
    for found, expected in pairs:
        assert found.value == pytest.approx(expected.value, abs=1e-13)
        error, ends = expected.standard_error, expected.confidence_interval
        assert found.standard_error == pytest.approx(error, rel=1e-9, abs=1e-15)
        assert found.confidence_interval == pytest.approx(ends, rel=1e-7, abs=1e-7)
    assert pairs[1][0].pvalue == pytest.approx(pairs[1][1].pvalue, rel=1e-6)


def test_other_repeats_are_averaged_case_by_case():
    # By hand: what cases add in each repeat is summed before it is squared.
    a, b = drawn()
    n = len(a.y_true)
    both = FoldRankings(
        np.tile(a.y_true, 2), np.append(a.y_score, b.y_score),
        np.append(a.fold, b.fold + 4), indices=np.tile(np.arange(n), 2),
    )  # fmt: skip
    of_a, of_b = by_fold("roc_auc", {}, a), by_fold("roc_auc", {}, b)
    means = [(x + y) / 2 for x, y in zip(of_a, of_b, strict=True)]
    expected = literal_variance(means, a, is_counted=True)
    found = estimate("roc_auc", both)
    assert found.standard_error**2 == pytest.approx(expected, rel=1e-9)
    assert (found.n_pos, found.n_neg) == (a.n_pos, a.n_neg)
    # Were they other cases, they would tell more.
    new = estimate("roc_auc", replace(both, indices=None, repeats=None))
    assert new.standard_error < found.standard_error


def with_one_class_folds(weight=None):
    """Return two models' rankings, with folds of negatives and of positives alone."""
    generator = np.random.default_rng(5)
    return [
        FoldRankings(
            np.append(one.y_true, [0] * 60 + [1] * 50),
            np.append(one.y_score, generator.random(110)),
            np.append(one.fold, [4] * 60 + [5] * 50),
            sample_weight=None if weight is None else np.full(350, weight),
        )
        for one in drawn()
    ]


@pytest.mark.filterwarnings("ignore")
@each(IN_FOLDS[::2])
def test_the_value_is_the_metric_where_folds_lack_a_class(metric, kwargs):
    a, b = with_one_class_folds()
    of_a, of_b = (float(np.nanmean(one.scores(metric, **kwargs))) for one in (a, b))
    found, pair = estimate(metric, a, **kwargs), compare(metric, a, b, **kwargs)
    assert found.value == pytest.approx(of_a, abs=1e-12)
    assert pair.value_a == pytest.approx(of_a, abs=1e-12)
    assert pair.value_b == pytest.approx(of_b, abs=1e-12)
    low, high = found.confidence_interval
    assert low <= found.value <= high
    assert 0 < found.standard_error < np.inf
    assert compare(metric, [a, b], **kwargs).pairs[0] == pair


@pytest.mark.filterwarnings("ignore")
@each(IN_FOLDS)
def test_without_a_fold_of_both_classes_the_error_is_unknown(metric, kwargs):
    # KFold of labels in order; a group a fold, each of one class.
    y_true, fold = np.repeat([0, 1], [200, 100]), np.arange(300) // 50
    generator = np.random.default_rng(0)
    a, b = (FoldRankings(y_true, generator.normal(size=300), fold) for _ in range(2))
    calls = [
        lambda: estimate(metric, a, **kwargs),
        lambda: compare(metric, a, b, **kwargs),
        lambda: compare(metric, [a, b], **kwargs).pairs[0],
    ]
    if not np.isnan(a.scores(metric, **kwargs)).all():
        for call in calls:
            with pytest.raises(ValueError, match=r"y_true.*2.*0"):
                call()
        return
    with pytest.warns(UndefinedMetricWarning, match="every fold"):
        found = calls[0]()
    assert np.isnan([found.value, found.standard_error]).all()
    assert np.isnan(found.confidence_interval).all()
    assert np.isnan(found.influence).all()
    pair = calls[1]()
    assert np.isnan([pair.value_a, pair.value_b, pair.pvalue]).all()
    assert np.isnan(pair.confidence_interval).all()
    assert repr(calls[2]()) == repr(pair)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["bootstrap", "parametric", "jackknife"])
def test_methods_agree_where_folds_lack_a_class(method):
    a, _ = with_one_class_folds()
    is_fixed = method == "bootstrap"
    delta = estimate("average_precision", a, stratify=is_fixed)
    found = estimate("average_precision", a, method=method, random_state=0)
    assert found.value == delta.value
    assert found.standard_error == pytest.approx(delta.standard_error, rel=0.2)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["bootstrap", "permutation"])
def test_comparisons_agree_where_folds_lack_a_class(method):
    a, b = with_one_class_folds()
    delta = compare("average_precision", a, b, stratify=True)
    found = compare("average_precision", a, b, method=method, random_state=0)
    assert found.value == delta.value
    assert found.pvalue == pytest.approx(delta.pvalue, abs=0.05)
    if method == "bootstrap":
        assert found.standard_error == pytest.approx(delta.standard_error, rel=0.2)


def singles(generator, n_pos=(2, 1, 1, 1)):
    """Return folds of 10 negatives and so many positives."""
    y_true = np.concatenate([np.repeat([1, 0], [n, 10]) for n in n_pos])
    fold = np.repeat(np.arange(len(n_pos)), np.add(n_pos, 10))
    return y_true, generator.normal(size=len(fold)) + y_true, fold


@pytest.mark.parametrize("call", [estimate, compare])
def test_folds_without_two_cases_of_a_class_are_refused(call):
    rankings = FoldRankings([1, 0, 1, 0], [4, 3, 1, 2], [0, 0, 1, 1])
    given = (rankings, rankings) if call is compare else (rankings,)
    with pytest.raises(ValueError, match=r"y_true.*2.*1"):
        call("roc_auc", *given)


def test_folds_that_are_all_undefined_give_nan_and_a_warning():
    rankings = FoldRankings([1, 1, 1, 1], [4, 3, 1, 2], [0, 0, 1, 1])
    for call in (
        lambda: estimate("roc_auc", rankings),
        lambda: compare("roc_auc", rankings, rankings),
        lambda: compare("roc_auc", [rankings] * 3)[1],
    ):
        with pytest.warns(UndefinedMetricWarning, match="every fold"):
            found = call()
        assert np.isnan(getattr(found, "value_a", found.value))
        assert np.isnan([found.standard_error, *found.confidence_interval]).all()
        assert found.pvalue is None or np.isnan(found.pvalue)
    with pytest.warns(UndefinedMetricWarning, match="every fold"):
        assert np.isnan(estimate("roc_auc", rankings).influence).all()


@pytest.mark.parametrize(
    "call",
    [
        average_precision_score,
        lambda rankings: rankings.scores("roc_auc"),
        partial(estimate, "roc_auc"),
        lambda rankings: compare("roc_auc", rankings, rankings),
        lambda rankings: compare("roc_auc", [rankings] * 2),
        lambda _: select_best("roc_auc", [0, 0], {"a": [1, 2]}),
        partial(expected_gain_score, gain={"positive": 1}),
        partial(estimate, recall_at_rate_score, rate=0.2),
    ],
)
def test_warnings_are_of_the_line_that_calls(call):
    rankings = FoldRankings([1, 1, 0, 0, 0], [5, 4, 3, 2, 1], [0, 0, 0, 0, 1])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(rankings)
    assert {warning.filename for warning in caught} <= {__file__}
    assert caught or call.func is expected_gain_score


A, B = drawn()
MANY = replace(A, clusters=np.arange(240) // 2 % 2)
TWICE = FoldRankings(
    np.tile(A.y_true, 2), np.tile(A.y_score, 2), np.append(A.fold, A.fold + 4),
    indices=np.tile(np.arange(240), 2),
)  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: estimate("roc_auc", A, clusters=[1]), r"clusters.*None"),
        (lambda: estimate("roc_auc", A, A.y_score), r"y_score.*None"),
        (lambda: estimate("roc_auc", A, weights="none"), "weights"),
        (lambda: estimate(ndcg_score, A), "mean"),
        (lambda: estimate("roc_auc", MANY, method="bootstrap"), "'delta'"),
        (
            lambda: estimate("roc_auc", TWICE, method="jackknife"),
            r"method.*'delta'.*several",
        ),
        (
            lambda: estimate(
                "roc_auc", replace(A, clusters=A.fold), method="bootstrap"
            ),
            r"method.*'delta'.*one cluster",
        ),
        (lambda: estimate("roc_auc", A, [A, B]), r"None.*y_true.*FoldRankings"),
        (lambda: compare("roc_auc", A, B.y_score), r"y_score_a.*FoldRankings"),
        (lambda: compare("roc_auc", A.y_true, B), "y_true"),
        (lambda: compare("roc_auc", A.y_true, A, B), r"y_true.*y_score_a"),
        (lambda: estimate("roc_auc", A.y_true, A), "labels"),
        (lambda: estimate(ranking_auc_score, A), "'roc_auc'"),
        (lambda: sample_size("roc_auc", A, half_width=0.1), "FoldRankings"),
        (lambda: sample_size("roc_auc", A, B), r"y_true.*FoldRankings"),
        (lambda: sample_size("roc_auc", A, B, n_samples=9), r"y_true.*FoldRankings"),
        (lambda: compare("roc_auc", A), r"y_score_a.*FoldRankings"),
        (lambda: compare("roc_auc", A, B, clusters=[1]), r"clusters.*None"),
        (lambda: compare("roc_auc", A, TWICE), r"y_score_a.*y_true"),
        (lambda: compare("roc_auc", A, MANY), "y_true"),
        (
            lambda: compare("roc_auc", A, replace(A, y_true=1 - A.y_true)),
            r"y_score_a.*y_true",
        ),
        (lambda: compare(("roc_auc", "roc_auc"), A, B), r"y_score_a.*None"),
        (lambda: compare("roc_auc", {"a": A}), r"y_true.*2.*1"),
        (lambda: compare("roc_auc", {"a": A, "b": 3}), r"y_true.*'b'"),
        (lambda: compare("roc_auc", [A, B], reference=7), "reference=7"),
        (lambda: compare("roc_auc", A.y_true), "y_score_a"),
        (lambda: compare("roc_auc", [A, B], [1, 2]), r"y_score_a.*None"),
        (lambda: compare("roc_auc", A, RankTable([1, 1], [1, 1])), "y_score_a"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "kwargs", "truth", "n_repeats"),
    [
        ("roc_auc", {}, true_auc, 1),
        ("roc_auc", {}, true_auc, 3),
        (recall_at_rate_score, {"rate": 0.2}, true_recall, 1),
    ],
)
def test_intervals_hold_the_mean_of_the_models(metric, kwargs, truth, n_repeats):
    generator = np.random.default_rng(0)

    def drawn(_):
        rankings, shifts = cross_validated(generator, 200, 0.3, 1.5, 5, n_repeats)
        return estimate(metric, rankings, **kwargs), truth(shifts, 0.3)

    assert_share(held(*zip(*simulated(1000, drawn), strict=True)), at_least=0.94)


@pytest.mark.slow
def test_intervals_hold_the_mean_where_folds_have_one_positive():
    generator = np.random.default_rng(1)

    def drawn(_):
        return estimate("roc_auc", FoldRankings(*singles(generator, [1, 2] * 5)))

    assert_share(held(simulated(1000, drawn), ndtr(1 / 2**0.5)), at_least=0.95)


@pytest.mark.slow
def test_equal_models_seldom_seem_to_differ():
    def drawn(seed):
        # The same cases and folds; the directions differ by chance alone.
        a, b = (
            cross_validated(generator, 150, 0.3, 1.5, 5, noise=0.5)
            for generator in (_Same(seed, 1), _Same(seed, 2))
        )
        truth = true_auc(a[1], 0.3) - true_auc(b[1], 0.3)
        return compare("roc_auc", a[0], b[0], method="delta"), truth

    assert_share(held(*zip(*simulated(1000, drawn), strict=True)), at_least=0.94)


class _Same:
    """Draws the same cases for the same seed, and noise by another."""

    def __init__(self, seed, noise):
        self.samples = np.random.default_rng(seed)
        self.noise = np.random.default_rng([seed, noise])

    def random(self, n):
        return self.samples.random(n)

    def integers(self, n):
        return self.samples.integers(n)

    def normal(self, size):
        return (self.noise if size == 5 else self.samples).normal(size=size)


@pytest.mark.parametrize(
    ("metric", "kwargs", "n_enough"),
    [
        ("average_precision", {}, 5),
        (rate_at_recall_score, {"recall": 0.8}, 20),
        ("momentum", {}, 40),
        ("stamina", {}, 40),
    ],
    ids=["average precision", "rate at a recall", "momentum", "stamina"],
)
def test_folds_of_few_positives_are_told_to_bias_what_depends_on_their_number(
    metric, kwargs, n_enough
):
    few, enough = drawn(n=3 * n_enough - 3)[0], drawn(n=3 * n_enough)[0]
    message = f"of 4 folds is biased.* {n_enough - 1} positives"
    with pytest.warns(UserWarning, match=message) as caught:
        estimate(metric, few, **kwargs)
    assert [one.filename for one in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimate(metric, enough, **kwargs)
        estimate("roc_auc", few)
        # One ranking is no mean over folds.
        one = FoldRankings(few.y_true, few.y_score, np.zeros(len(few.fold)))
        estimate(metric, one, **kwargs)


@pytest.mark.parametrize(
    ("window", "name"),
    [({"tpr": (0.75, 1)}, "positives"), ({"fpr": (0, 0.125)}, "negatives")],
    ids=["tpr", "fpr"],
)
def test_folds_with_few_cases_in_a_window_are_told_to_bias_the_partial_auc(
    window, name
):
    # 39 of 117 cases in a fold are positives, 9.75 of them and of 78 in the window.
    few, enough = drawn(n=117)[0], drawn(n=120)[0]
    with pytest.warns(UserWarning, match=rf"9\.75.*{name}"):
        estimate("partial_auc", few, **window)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimate("partial_auc", enough, **window)


def test_dependent_cases_in_a_fold_leave_the_bias_unknown():
    clustered = drawn(n=57)[0]
    units = np.arange(len(clustered.fold)) // 2
    clustered = replace(clustered, clusters=units)
    with pytest.warns(UserWarning, match=r"4 folds.*19"):
        assert estimate("average_precision", clustered).bias is None
    # Twenty copies of each positive are still two of them.
    y_true, cluster = np.repeat([1, 1, 0, 0, 0], 20), np.repeat(np.arange(5), 20)
    folds = np.repeat(np.arange(4), 100)
    copies = FoldRankings(
        np.tile(y_true, 4), np.random.default_rng(0).normal(size=400), folds,
        clusters=np.append(cluster, [cluster + 5 * i for i in (1, 2, 3)]),
    )  # fmt: skip
    with pytest.warns(UserWarning, match="2 clusters with positives"):
        estimate("average_precision", copies)


@pytest.mark.parametrize("method", ["delta", "bootstrap", "permutation"])
def test_a_comparison_says_which_models_it_is_of(method):
    how = {"method": method, "n_resamples": 200, "random_state": 0}
    a, b = drawn(indices=np.arange(240))
    result = compare("roc_auc", a, b, **how)
    now, again = result.confidence_interval, result.confidence_interval_retrained
    # The variance of V folds is 1 + V / (V - 1) times as great if trained again.
    width, wider = now.high - now.low, again.high - again.low
    assert wider == pytest.approx(width * np.sqrt(7 / 3), rel=1e-12)
    low, high = again
    text = f" of these models and [{low:.4f}, {high:.4f}] if retrained, p = "
    assert text in repr(result)
    assert result.to_dict()["retrained_low"] == low
    assert compare("roc_auc", [a, b], **how).pairs[0] == result
    unknown = compare("roc_auc", *drawn(), **how)
    assert unknown.confidence_interval_retrained is None
    assert unknown.of == "these models"
    plain = compare("roc_auc", a.y_true, a.y_score, b.y_score, **how)
    assert plain.of is None


def test_what_is_trained_again_is_trained_for_the_folds_of_a_repeat():
    # Nadeau and Bengio (2003): 1 + n_test / n_train times the variance of the mean of
    # K folds, to which K - 1 train: 1 + K / (K - 1).
    one = drawn(indices=np.arange(240))[0]
    for rankings in (one, repeated(one, 3)):
        found = estimate("roc_auc", rankings, interval="wald")
        now, again = (
            ends.high - ends.low
            for ends in (found.confidence_interval, found.confidence_interval_retrained)
        )
        assert again / now == pytest.approx(np.sqrt(1 + 4 / 3), rel=1e-9)


def test_a_warning_of_one_fold_says_so_where_it_is_called():
    generator = np.random.default_rng(0)
    y_true = np.arange(240) % 4 == 0
    scores = generator.normal(size=240) + 3 * y_true
    rankings = FoldRankings(y_true, scores, np.arange(240) // 60)
    with pytest.warns(UserWarning, match=r"^In a fold.*prevalence") as caught:
        estimate("average_precision", rankings, prevalence=0.001)
    assert {one.filename for one in caught} == {__file__}


def log_ratio(metric, samples, **params):
    """Return the comparison of the logarithms of the values of two models."""
    plan = Plan()
    models = evaluate([find_metric(metric, params)] * 2, samples, plan)
    a, b = (map_evaluation(model, np.log, lambda x: 1 / x) for model in models)
    return (a - b).comparison(plan)


@pytest.mark.parametrize("given", ["samples", "clusters", "weights", "folds"])
def test_a_ratio_of_models_follows_from_their_evaluations(given):
    generator = np.random.default_rng(0)
    y_true, cluster = np.arange(120) % 3 == 0, np.arange(120) // 2
    a, b = generator.normal(size=(2, 120)) + y_true
    options = {
        "clusters": {"clusters": cluster},
        "weights": {"sample_weight": 1 + cluster % 3},
    }.get(given, {})
    if given == "folds":
        models = [FoldRankings(y_true, score, cluster % 4) for score in (a, b)]
        rankings, pair = (
            [find_rankings(one) for one in models],
            compare("roc_auc", models),
        )
    else:
        samples = check_samples(y_true, **options)
        rankings = [
            Rankings([add_model_scores(samples, "y_score", score)]) for score in (a, b)
        ]
        pair = compare("roc_auc", y_true, {"a": a, "b": b}, **options)
    found = log_ratio("roc_auc", rankings)
    first, second = pair[0].value_a, pair[0].value_b
    slopes = np.array([1 / first, -1 / second])
    variance = slopes @ pair.covariance @ slopes
    assert found.value == pytest.approx(np.log(first / second), abs=1e-14)
    assert found.standard_error**2 == pytest.approx(variance, rel=1e-9)
    low, high = found.confidence_interval
    assert found.value - low == pytest.approx(high - found.value)
    assert (found.pvalue < 0.05) == (not low <= 0 <= high)


def test_a_ratio_of_estimated_labels_follows_from_both_rows():
    generator = np.random.default_rng(0)
    y_true = np.arange(200) % 3 == 0
    a, b = generator.normal(size=(2, 200)) + y_true
    known = np.where(generator.random(200) < 0.6, y_true, np.nan)
    found = labels.sampled(known, 0.6, prediction=np.where(y_true, 0.6, 0.2))
    samples = check_samples(found, takes_estimates=True)
    rankings = [
        Rankings([add_model_scores(samples, "y_score", score)]) for score in (a, b)
    ]
    ratio, pair = log_ratio("roc_auc", rankings), compare("roc_auc", found, a, b)
    assert ratio.value == pytest.approx(np.log(pair.value_a / pair.value_b))
    # Both values are near 0.75, where the logarithm has the slope 1 / 0.75.
    assert ratio.standard_error == pytest.approx(pair.standard_error / 0.75, rel=0.1)


def test_a_ratio_is_unknown_of_0_and_combines_intervals_without_variation():
    y_true = np.repeat([1, 0], 20)
    samples = check_samples(y_true)
    perfect, worst = -np.arange(40.0), np.arange(40.0)
    for other, is_known in ((perfect, True), (worst, False)):
        scores = perfect, other
        rankings = [
            Rankings([add_model_scores(samples, "y_score", score)]) for score in scores
        ]
        found = log_ratio("roc_auc", rankings)
        assert np.isfinite(found.confidence_interval).all() == is_known
    metric, plan = find_metric("roc_auc", {}), Plan(method="bootstrap")
    (model,) = evaluate([metric], rankings[:1], plan)
    with pytest.raises(ValueError, match=r"method.*'delta'.*'bootstrap'"):
        map_evaluation(model, np.log, lambda x: 1 / x)


def test_only_evaluations_of_the_same_samples_are_subtracted():
    y_true, scores = np.arange(20) % 2, np.arange(20) % 7
    metric, plan = find_metric("roc_auc", {}), Plan()
    (a,), (b,) = (
        evaluate([metric], [find_rankings(y_true, scores)], plan) for _ in range(2)
    )
    with pytest.raises(ValueError, match="same units"):
        a - b
