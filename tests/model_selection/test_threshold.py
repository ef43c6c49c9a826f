"""The threshold that keeps a capacity, and the classifier that marks by it."""

import copy
import warnings
from fractions import Fraction
from math import comb

import numpy as np
import pytest
import sklearn
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import IsolationForest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    ShuffleSplit,
    StratifiedGroupKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from guarantees import assert_share, simulated
from looped import case, looped
from reference.batch_law import (
    above,
    best_place,
    best_smallest,
    counted,
    exceeding,
    kept_above,
    parts,
)
from scores_as_they_are import column, fitted
from skrate import ConstrainedThresholdClassifier

X, Y = make_classification(300, 4, weights=[0.7], random_state=0)
X_NEW, X, Y = X[200:], X[:200], Y[:200]
# As of scikit-learn's own threshold classifiers.
OWN_THRESHOLD = {"check_classifiers_train": "0.5 is not the threshold"}


@pytest.mark.slow
@parametrize_with_checks(
    [
        ConstrainedThresholdClassifier(LogisticRegression(), rate=0.25, cv=2),
        # Of few cases no recall or false positive rate is kept but on average.
        ConstrainedThresholdClassifier(LogisticRegression(), recall=0.5, cv=2),
        ConstrainedThresholdClassifier(LogisticRegression(), fpr=0.5, cv=2),
    ],
    expected_failed_checks=lambda _: OWN_THRESHOLD,
)
def test_is_a_classifier_to_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        # The second of two classes is taken, and few cases keep no small capacity.
        warnings.simplefilter("ignore")
        check(estimator)


# --- The threshold ----------------------------------------------------------------


@looped(
    "pooled",
    [[1.5, 2, 3, 4, 5, 6, 7, 8], [1, 2, 2, 2, 3, 4, 4, 5], [0, 0, 0, 0, 0, 1, 1, 1]],
)
@looped("capacity", [1, 2])
@pytest.mark.filterwarnings("ignore:No sample will be selected|.*tie at the threshold")
def test_of_all_orders_few_exceed_the_capacity(pooled, capacity):
    n, m, risk = 5, 3, Fraction(1, 4)
    distribution = [(Fraction(capacity, m), Fraction(1))]
    model = ConstrainedThresholdClassifier(
        fitted(), capacity=capacity, n_items=m, confidence=0.75, cv="prefit"
    )
    n_exceeding = 0
    for held_out, new in parts(pooled, n):
        marked = model.fit(column(held_out)).predict(column(new))
        cut = kept_above(held_out, best_place(n, m, distribution, risk))
        assert marked.sum() == above(new, cut)
        n_exceeding += marked.sum() > capacity
    assert Fraction(int(n_exceeding), comb(n + m, n)) <= risk


def test_the_threshold_by_hand():
    held_out = np.arange(1.0, 20)
    model = ConstrainedThresholdClassifier(fitted(), rate=0.25, cv="prefit")
    model.fit(column(held_out))
    # 5 of 20: above the fifth largest of 19.
    assert model.threshold_ == np.nextafter(15, 16)
    assert model.expected_rate_ == 5 / 20
    assert model.predict(column([15, 15.5, 16, 3])).tolist() == [0, 1, 1, 0]
    assert model.fraction_interval_.low < 0.25 < model.fraction_interval_.high
    assert model.n_held_out_ == 19
    model.set_params(rate=1.0).fit(column(held_out))
    assert model.threshold_ == -np.inf
    assert model.predict(column([-1e9])).tolist() == [1]


def test_where_nothing_keeps_the_capacity_nothing_is_marked():
    model = ConstrainedThresholdClassifier(
        fitted(), rate=0.1, confidence=0.9, cv="prefit"
    )
    with pytest.warns(UserWarning, match=r"5.*capacity"):
        model.fit(column([1.0, 2, 3, 4, 5]))
    assert (model.threshold_, model.expected_rate_) == (np.inf, 0)
    assert model.predict(column([9.0])).tolist() == [0]


def test_ties_are_told_and_never_exceed_the_capacity():
    scores = np.repeat([0.0, 1.0], [50, 50])
    model = ConstrainedThresholdClassifier(fitted(), rate=0.3, cv="prefit")
    with pytest.warns(UserWarning, match=r"50.*100"):
        model.fit(column(scores))
    assert model.predict(column([1.0, 1.0])).tolist() == [0, 0]
    # No case scores above 1, and none ever may.
    assert model.expected_rate_ == 0
    assert model.fraction_interval_.low == 0 < model.fraction_interval_.high
    assert model.expected_fraction_ == 0
    # With room for all of them they are marked.
    model.set_params(rate=0.55).fit(column(scores))
    assert model.predict(column([1.0, 0.0])).tolist() == [1, 0]
    assert model.expected_rate_ == 0.5
    # As the interval of Clopper and Pearson for 50 of 100.
    tails = stats.beta([50, 51], [51, 50]).ppf([0.025, 0.975])
    assert tuple(model.fraction_interval_) == pytest.approx(tuple(tails), rel=1e-9)


# --- A recall, or a false positive rate --------------------------------------------

# Positives are those of an odd place, and negatives score higher than some of them.
EACH = {"recall": "n_pos", "fpr": "n_neg"}


def kept_by(kind, scores, clusters=None, **options):
    """Return the classifier of scores of one class, beside others of the other one."""
    others = np.linspace(-3, 3, 7)
    y = np.repeat([1, 0] if kind == "recall" else [0, 1], [len(scores), 7])
    model = ConstrainedThresholdClassifier(fitted(), cv="prefit", **options)
    given = {} if clusters is None else {"clusters": np.r_[clusters, [0] * 7]}
    return model.fit(column(np.r_[scores, others]), y, **given)


@looped("n, m", [(50, 5), (40, 20), (61, 33)])
@looped("share", [Fraction(9, 10), Fraction(4, 5)])
def test_the_next_batch_is_beta_binomial(n, m, share):
    scores, risk = np.random.default_rng(n).normal(size=n), Fraction(1, 10)
    place = best_place(n, m, [(1 - share, Fraction(1))], risk)
    assert place > 0
    sure = {"confidence": 0.9}
    found = kept_by("recall", scores, recall=float(share), n_pos=m, **sure)
    assert found.threshold_ == np.sort(scores)[place - 1]
    marked = kept_by("fpr", scores, fpr=float(1 - share), n_neg=m, **sure)
    assert marked.threshold_ == np.nextafter(np.sort(scores)[-place], np.inf)
    missed = np.cumsum([float(chance) for chance in counted(n, place, m)])
    most, least = np.searchsorted(missed, [0.95 - 1e-12, 0.05 - 1e-12])
    assert found.fraction_interval_ == pytest.approx((1 - most / m, 1 - least / m))
    assert marked.fraction_interval_ == pytest.approx((least / m, most / m))


@looped("kind", EACH)
def test_a_share_is_kept_on_average_by_hand(kind):
    # Half of one in 20 places below or above: the second of 19.
    share = 0.9 if kind == "recall" else 0.1
    model = kept_by(kind, np.arange(1.0, 20), **{kind: share})
    at = 2.0 if kind == "recall" else np.nextafter(18, 19)
    assert (model.threshold_, model.expected_fraction_) == (at, share)
    # Seven of the others lie from -3 to 3.
    assert model.expected_rate_ == (20 if kind == "recall" else 1) / 26
    assert model.predict(column([at, at - 1e-9])).tolist() == [1, 0]


def test_the_fewest_cases_that_keep_a_share_are_named():
    for share, confidence, fewest in (
        (0.9, 0.95, 29),
        (0.95, 0.95, 59),
        (0.9, None, 9),
    ):
        how = "on average" if confidence is None else "with confidence=0.95"
        for kind, asked in (("recall", share), ("fpr", round(1 - share, 2))):
            with case(f"{kind}={asked}"):
                options = {kind: asked, "confidence": confidence}
                kept_by(kind, np.arange(1.0 * fewest), **options)
                message = rf"{kind}={asked:g} {how}.*{fewest}"
                with pytest.raises(ValueError, match=rf"{message}.*{fewest - 1}"):
                    kept_by(kind, np.arange(fewest - 1.0), **options)
    distribution, risk = [(Fraction(1, 10), Fraction(1))], Fraction(1, 20)
    fewest = next(n for n in range(1, 99) if exceeding(n, 1, 20, distribution) <= risk)
    options = {"recall": 0.9, "n_pos": 20, "confidence": 0.95}
    with pytest.raises(ValueError, match=rf"{fewest}"):
        kept_by("recall", np.arange(fewest - 1.0), **options)
    # Before anything is trained.
    model = ConstrainedThresholdClassifier(None, recall=0.9, confidence=0.95, cv=2)
    with pytest.raises(ValueError, match=r"29.*20"):
        model.fit(X[:80], np.arange(80) < 20)


def test_a_threshold_that_marks_every_case_says_so():
    y = np.arange(100) % 2
    for scores, is_all in ((np.zeros(100), True), (y - 1.0, False)):
        model = ConstrainedThresholdClassifier(fitted(), recall=0.7, cv="prefit")
        with pytest.warns(UserWarning, match="tie") as found:
            model.fit(column(scores), y)
        assert model.expected_rate_ == (1 if is_all else 0.5)
        said = str(found[0].message)
        assert said.endswith("Every sample will be selected.") == is_all


@looped("label", ["yes", "no"])
def test_folds_keep_the_recall_of_the_named_class(label):
    named = np.where(Y == 1, "yes", "no")
    linear = make_pipeline(StandardScaler(), LogisticRegression())
    model = ConstrainedThresholdClassifier(linear, recall=0.8, pos_label=label, cv=4)
    model.fit(X, named)
    scores = cross_val_predict(linear, X, named, cv=4, method="predict_proba")
    scores = np.sort(scores[named == label, int(label == "yes")])
    # The greatest j for which j / (n + 1) is at most a fifth.
    assert model.threshold_ == scores[(len(scores) + 1) // 5 - 1]
    assert model.n_held_out_ == len(scores)


def test_a_recall_needs_labels_of_its_classes():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    x = column(rng.normal(size=600) + 2 * y)
    model = ConstrainedThresholdClassifier(
        fitted(), recall=0.9, confidence=0.95, cv="prefit"
    )
    for given, message in (
        (None, r"recall=0\.9"),
        (np.where(y, "a", "b"), r"\by\b.*0.*1.*'b'"),
        (y[:9], "inconsistent numbers of samples"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(x, given)


# Each of the shares that are kept, and how often by the quantile of held-out scores.
@pytest.mark.slow
@looped("kind", EACH)
@looped("n_batch", [None, 40])
def test_a_share_is_kept_as_often_as_asked(kind, n_batch):
    """Scores of heavy tails; that of new cases is known, or drawn for a batch."""
    rng, distribution, share = np.random.default_rng(5), stats.t(2), 0.9
    options = {"recall": share} if kind == "recall" else {"fpr": 1 - share}
    if n_batch is not None:
        options[EACH[kind]] = n_batch

    def keeps(n):
        scores = distribution.rvs(n, random_state=rng)
        model = kept_by(kind, scores, confidence=0.95, **options)
        plain = np.quantile(scores, 0.1 if kind == "recall" else 0.9)
        kept = []
        for threshold in (model.threshold_, plain):
            good = (
                distribution.sf(threshold)
                if kind == "recall"
                else distribution.cdf(threshold)
            )
            if n_batch is not None:
                good = rng.binomial(n_batch, good) / n_batch
            kept.append(good >= share - 1e-12)
        return kept

    for n in (40, 200):
        with case(f"n={n}"):
            kept = np.array(simulated(1000, lambda _, n=n: keeps(n)))
            assert_share(kept[:, 0], at_least=0.95, at_most=0.985)
            assert kept[:, 1].mean() < 0.75


# --- Where held-out scores come from ----------------------------------------------


@looped("seed", [1, np.random.default_rng(1), np.random.RandomState(1)])
def test_a_share_is_held_out_at_random(seed):
    thresholds = []
    for state in (copy.deepcopy(seed), seed, 2):
        model = ConstrainedThresholdClassifier(GaussianNB(), rate=0.3, cv=0.3)
        model.set_params(random_state=state).fit(X, Y)
        assert model.n_held_out_ == 60
        thresholds.append(model.threshold_)
    assert thresholds[0] == thresholds[1] != thresholds[2]


def test_folds_without_a_case_of_weight_are_none():
    weight, first, second = np.repeat([0.0, 1.0], 100), np.arange(100), slice(100, 200)
    splits = [(np.r_[second], first), (np.r_[100:150], np.r_[150:200])]
    model = ConstrainedThresholdClassifier(LogisticRegression(), rate=0.3, cv=splits)
    assert model.fit(X, Y, sample_weight=weight).n_held_out_ == 50
    with pytest.raises(ValueError, match=r"\bcv\b"):
        model.set_params(cv=splits[:1]).fit(X, Y, sample_weight=weight)


def test_folds_that_overlap_are_refused():
    model = ConstrainedThresholdClassifier(LogisticRegression(), rate=0.3)
    own = "Fold 0 of cv tests .* trains on"
    for cv, message in (
        (ShuffleSplit(4, random_state=0), r"\bcv\b"),
        ([(np.arange(150), np.arange(149, 200))], own),
        ([(np.arange(1, 150), [150, -200, 1 - 200])], own),
    ):
        with pytest.raises(ValueError, match=message):
            model.set_params(cv=cv).fit(X, Y)
    with pytest.raises(ValueError, match=r"sample_weight.*5"):
        model.set_params(cv=5).fit(X, Y, sample_weight=np.ones(5))
    # A mask is as good as the numbers, and not all cases need a test.
    is_train = np.arange(200) < 120
    assert model.set_params(cv=[(is_train, ~is_train)]).fit(X, Y).n_held_out_ == 80


# --- Classes, scores and containers -----------------------------------------------


@looped("method", ["predict_proba", "decision_function"])
def test_the_positive_label_is_marked(method):
    named = np.where(Y == 1, "yes", "no")
    options = {"rate": 0.3, "response_method": method}
    model = ConstrainedThresholdClassifier(LogisticRegression(), **options)
    expected = clone(model).fit(X, Y).predict(X_NEW)
    with pytest.warns(UserWarning, match="'yes'"):
        second = clone(model).fit(X, named).predict(X_NEW)
    np.testing.assert_array_equal(second == "yes", expected == 1)
    first = model.set_params(pos_label="no").fit(X, named)
    assert first.pos_label_ == "no"
    # The reverse order of the same scores: 0.3 * 201 is 60 of 200.
    scores = cross_val_predict(LogisticRegression(), X, named, method=method)
    scores = scores[:, 0] if method == "predict_proba" else -scores
    assert first.threshold_ == np.nextafter(np.sort(scores)[-60], np.inf)
    assert 10 < (first.predict(X_NEW) == "no").sum() < 50


# --- Weights and groups -----------------------------------------------------------


@looped("is_routed", [False, True])
def test_clusters_go_to_the_folds_and_weights_to_the_estimator(is_routed):
    clusters, weight = np.arange(200) // 10, 1.0 + Y
    inner = LogisticRegression()
    with sklearn.config_context(enable_metadata_routing=is_routed):
        if is_routed:
            inner.set_fit_request(sample_weight=True)
        model = ConstrainedThresholdClassifier(inner, rate=0.3, cv=GroupKFold(4))
        model.fit(X, Y, clusters=clusters, sample_weight=weight)
        if is_routed:
            named = clone(model).fit(X, Y, groups=clusters, sample_weight=weight)
            assert named.threshold_ == model.threshold_
    splits = list(GroupKFold(4).split(X, Y, clusters))
    expected = ConstrainedThresholdClassifier(LogisticRegression(), rate=0.3, cv=splits)
    expected.fit(X, Y, clusters=clusters, sample_weight=weight)
    assert model.threshold_ == expected.threshold_


@looped("cv", [None, 4, 0.3])
def test_folds_keep_clusters_together_by_default(cv):
    clusters = np.repeat(np.arange(20), 10)
    options = {"rate": 0.3, "random_state": 3}
    if cv != 0.3:
        splitter = StratifiedGroupKFold(cv or 5)
    else:
        seed = int(np.random.default_rng(3).integers(2**31))
        splitter = GroupShuffleSplit(1, test_size=0.3, random_state=seed)
    found, expected = (
        ConstrainedThresholdClassifier(LogisticRegression(), cv=one, **options).fit(
            X, Y, clusters=clusters
        )
        for one in (cv, splitter)
    )
    assert found.threshold_ == expected.threshold_
    assert found.n_held_out_ == (60 if cv == 0.3 else 200)


def test_clusters_count_by_their_design_effect():
    rng = np.random.default_rng(7)
    clusters = np.repeat(np.arange(30), rng.integers(1, 9, 30))
    scores = rng.normal(size=30)[clusters] + rng.normal(size=len(clusters))
    n, order = len(scores), np.argsort(scores)
    place = round(0.2 * (n + 1))
    effects = []
    for k in (place, 2 * place):
        missed = np.isin(np.arange(n), order[:k])
        sums = [np.sum(missed[clusters == c] - k / n) for c in range(30)]
        by_cluster = np.square(sums).sum() * 30 / 29
        effects.append(by_cluster / (np.square(missed - k / n).sum() * n / (n - 1)))
    n_alike = n**2 / np.square(np.bincount(clusters)).sum()
    t = stats.t(n_alike - 1).ppf(0.95) / stats.t(n - 1).ppf(0.95)
    effect = max(effects) * t**2
    assert effect > 2
    shapes = [((j - 1) / effect + 1, (n - j + 1) / effect) for j in range(1, n)]
    sure = [stats.beta(*both).sf(0.2) <= 0.05 for both in shapes]
    j = max(i for i, is_sure in enumerate(sure, start=1) if is_sure)
    model = kept_by("recall", scores, clusters, recall=0.8, confidence=0.95)
    assert model.threshold_ == scores[order[j - 1]]
    a, b = shapes[j - 1]
    assert model.expected_fraction_ == pytest.approx(b / (a + b), rel=1e-9)
    low, high = model.fraction_interval_
    assert stats.beta(b, a).cdf([low, high]) == pytest.approx([0.025, 0.975])
    # On average the greatest place that keeps the recall.
    on_average = [(a / (a + b), j) for j, (a, b) in enumerate(shapes, start=1)]
    j = max(j for mean, j in on_average if mean <= 0.2)
    model = kept_by("recall", scores, clusters, recall=0.8)
    assert model.threshold_ == scores[order[j - 1]]
    # A batch of as many samples as 20 that are independent.
    batch = kept_by("recall", scores, clusters, recall=0.8, n_pos=int(20.5 * effect))
    assert np.rint(np.multiply(batch.fraction_interval_, 20)) == pytest.approx(
        np.multiply(batch.fraction_interval_, 20)
    )


def test_clusters_that_are_one_sample_each_in_effect():
    # Scores of a cluster are next to each other.
    values = np.random.default_rng(1).permutation(60) / 7
    scores = np.repeat(values, 4) + 1e-6 * (np.arange(240) % 4)
    model = kept_by(
        "recall", scores, np.repeat(np.arange(60), 4),
        recall=0.9, confidence=0.95,
    )  # fmt: skip
    # Of 60 samples the second smallest would do; t quantiles leave the first.
    assert best_smallest(60, Fraction(9, 10), Fraction(1, 20)) == 2
    assert np.floor(model.threshold_ * 7 + 0.1) in (0, 1)
    with pytest.raises(ValueError, match=r"recall=0\.9.*240.*240"):
        kept_by("recall", np.arange(240), np.zeros(240), recall=0.9, confidence=0.95)
    with pytest.raises(ValueError, match=r"clusters has 9\b"):
        kept_by("recall", np.arange(240), [1, 2], recall=0.9)


@pytest.mark.slow
@looped("sizes", [[6] * 40, [50] * 20, np.ceil(40 / np.arange(1, 41)).astype(int)])
@looped("correlation", [0, 0.3, 0.999])
def test_clusters_keep_the_recall_as_often_as_asked(sizes, correlation):
    rng, clusters = np.random.default_rng(4), np.repeat(np.arange(len(sizes)), sizes)

    def keeps(_):
        shared, own = rng.normal(size=len(sizes)), rng.normal(size=len(clusters))
        scores = np.sqrt(correlation) * shared[clusters]
        scores += np.sqrt(1 - correlation) * own
        try:
            model = kept_by("recall", scores, clusters, recall=0.8, confidence=0.95)
        except ValueError:
            # So few independent samples keep no recall.
            return True
        return stats.norm.sf(model.threshold_) >= 0.8

    assert_share(simulated(400, keeps), at_least=0.94)


# --- Batches ----------------------------------------------------------------------


@pytest.mark.slow
@looped("kind", ["rate", *EACH])
def test_the_share_of_a_batch_is_in_its_interval_as_often_as_promised(kind):
    rng, m = np.random.default_rng(0), 60

    def is_inside(_):
        held_out, new = rng.normal(size=200), rng.normal(size=m)
        if kind == "rate":
            model = ConstrainedThresholdClassifier(
                fitted(), rate=0.2, n_items=m, cv="prefit"
            ).fit(column(held_out))
        else:
            share = 0.8 if kind == "recall" else 0.2
            model = kept_by(kind, held_out, **{kind: share, EACH[kind]: m})
        low, high = model.fraction_interval_
        share = np.mean(model.predict(column(new)))
        return low - 1e-12 <= share <= high + 1e-12

    assert_share(simulated(2_000, is_inside), at_least=0.95, at_most=0.985)


# --- What is refused --------------------------------------------------------------


@looped(
    "params, message",
    [
        ({}, r"rate=.*fpr="),
        ({"rate": 0.1, "capacity": 3}, r"rate=0\.1.*capacity=3"),
        ({"rate": 1.5}, r"rate.*0.*1.*1\.5"),
        ({"capacity": 4}, r"capacity=4.*n_items="),
        ({"capacity": 0, "n_items": 4}, r"capacity.*1.*0"),
        ({"capacity": 5, "n_items": 4}, r"capacity=5.*n_items=4"),
        ({"capacity": 5, "n_items": 10**8}, "n_items must be at most 10,000,000"),
        ({"recall": 0.9, "fpr": 0.1}, r"recall=0\.9.*fpr=0\.1"),
        ({"recall": 1.0}, r"recall.*0.*1.*1\.0"),
        ({"fpr": 0}, r"fpr.*0.*1.*0"),
        ({"recall": 0.9, "n_items": 9}, r"n_items=9.*n_pos"),
        ({"fpr": 0.9, "n_pos": 9}, r"n_pos=9.*fpr=0\.9.*n_neg"),
        ({"rate": 0.9, "n_neg": 9}, r"n_neg=9.*rate=0\.9.*n_items"),
        ({"fpr": 0.1, "n_neg": 1.5}, r"n_neg.*1.*1\.5"),
        ({"rate": 0.1, "n_items": 0}, r"n_items.*1.*0"),
        ({"rate": 0.1, "confidence": 1}, r"confidence.*0.*1.*1"),
        ({"rate": 0.1, "confidence": 0.0}, r"confidence.*0.*1.*0\.0"),
        ({"rate": 0.1, "response_method": "predict"}, r"response_method.*'auto'"),
        ({"rate": 0.1, "pos_label": 7}, "pos_label=7"),
        ({"rate": 0.1, "cv": "none"}, r"\bcv\b"),
    ],
)
def test_bad_parameters_are_refused_by_name(params, message):
    with pytest.raises(ValueError, match=message):
        ConstrainedThresholdClassifier(LogisticRegression(), **params).fit(X, Y)


def test_bad_targets_are_refused():
    linear, refused = LogisticRegression(), "Only binary classification is supported"
    three = clone(linear).fit(X, np.arange(200) % 3)
    model = ConstrainedThresholdClassifier(linear, rate=0.3)
    for estimator, cv, y, message in (
        (linear, 5, np.ones(200, dtype=int), r"^y .*1"),
        (linear, 5, np.arange(200) % 3, refused),
        (linear, 5, None, "cv='prefit'"),
        (linear, 5, np.where(np.arange(200) == 3, np.nan, Y), r"^y .*NaN.* 3\)"),
        (linear, "prefitt", Y, "prefitt"),
        (three, "prefit", None, refused),
    ):
        with pytest.raises(ValueError, match=message):
            clone(model).set_params(estimator=estimator, cv=cv).fit(X, y)
    with pytest.raises(TypeError, match=r"'groups': pass clusters="):
        clone(model).fit(X, Y, groups=Y)
    with pytest.raises(TypeError, match=r"class GaussianNB.*GaussianNB\(\)"):
        clone(model).set_params(estimator=GaussianNB).fit(X, Y)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        model.predict(X)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        model.set_params(cv="prefit").fit(X)


def test_levels_that_differ_between_folds_are_told():
    tree = DecisionTreeClassifier(min_samples_leaf=10, random_state=0)
    model = ConstrainedThresholdClassifier(tree, rate=0.3)
    with pytest.warns(UserWarning, match=r"cv=0\.3"):
        model.fit(X, Y)
    # A model that was trained already has the same levels in all folds.
    half = clone(tree).fit(X[:100], Y[:100])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*tie at the threshold")
        model.set_params(estimator=FrozenEstimator(half)).fit(X[100:], Y[100:])


def test_a_fitted_estimator_without_classes_is_refused():
    X = np.arange(20.0)[:, None]
    y = np.arange(20) % 2
    for model, options in (
        (IsolationForest(n_estimators=2), {"cv": "prefit"}),
        (LinearRegression(), {"cv": "prefit"}),
        (IsolationForest(n_estimators=2), {}),
        (LinearSVC(), {"response_method": "predict_proba"}),
    ):
        name = type(model).__name__
        message = rf"classifier with classes_.*{name}.*response_method='auto'"
        chosen = ConstrainedThresholdClassifier(model.fit(X, y), rate=0.5, **options)
        with case(name), pytest.raises(AttributeError, match=message):
            chosen.fit(X, y)
    ConstrainedThresholdClassifier(LinearSVC(), recall=0.5).fit(X, y)
