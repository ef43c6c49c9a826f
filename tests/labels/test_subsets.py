"""Labels of some of the cases: a subgroup, or the part of a split."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split

import guarantees
from looped import case, looped
from reference import estimated_labels as literal
from simulated_sources import METRICS
from skrate import RateWeightedAUCScorer, compare, estimate, labels

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
PREDICTED = [Fraction(m, 10) for m in (9, 5, 4, 4, 7, 2, 1, 0)]


class Drawn:
    """Cases, of which each source hides labels; ``rows`` are a subgroup."""

    def __init__(self, n=400, seed=0):
        rng = np.random.default_rng(seed)
        self.y_true = rng.random(n) < 0.3
        self.a = rng.normal(size=n) + self.y_true
        self.b = 0.7 * self.a + rng.normal(size=n)
        self.rows = np.flatnonzero(rng.random(n) < 0.6)
        self.share = rng.uniform(0.3, 0.9, n)
        self.predicted = 1 / (1 + np.exp(1.35 - self.a))
        self.given = np.where(rng.random(n) < self.share, self.y_true, np.nan)
        self.seen = rng.random(n) < np.where(self.y_true, 0.85, 0.05)
        self.time = np.where(self.y_true, 5 * rng.random(n), 9.0)
        self.lost = rng.exponential(12, n)
        self.half = np.zeros(n, dtype=bool)
        self.half[rng.permutation(n)[: n // 2]] = True

    def alone(self, source, rows=slice(None)):
        """Return the labels that a source makes of these rows alone."""
        if source == "sampled":
            return labels.sampled(
                self.given[rows],
                self.share[rows],
                prediction=self.predicted[rows],
                calibrate=False,
            )
        if source == "noisy":
            return labels.noisy(self.seen[rows], 0.85, 0.95)
        if source == "noisy, validated":
            return labels.noisy(self.seen[rows], 0.85, 0.95, validation=(300, 900))
        return labels.predicted(self.predicted[rows])

    def of(self, source):
        """Return the labels of a source of all cases."""
        if source == "censored":
            event = self.time <= self.lost
            return labels.censored(np.minimum(self.time, self.lost), event, 5)
        if source == "fixed":
            given = np.where(self.half, self.y_true, np.nan)
            return labels.sampled(given, 0.5, design="fixed")
        return self.alone(source)


APART = ["sampled", "noisy", "noisy, validated", "predicted"]
SOURCES = [*APART, "censored", "fixed"]


@looped("source", APART)
def test_rows_are_labels_of_these_cases_alone(source):
    one = Drawn()
    rows = one.rows
    taken, alone = one.of(source)[rows], one.alone(source, rows)
    for name, params in METRICS.values():
        with case(name):
            for as_asked in (lambda found: found, lambda found: found.for_batch()):
                pair = [as_asked(taken), as_asked(alone)]
                found = [estimate(name, each, one.a[rows], **params) for each in pair]
                assert repr(found[0]) == repr(found[1])
                assert found[0] == found[1]
                found = [
                    compare(name, each, one.a[rows], one.b[rows], **params)
                    for each in pair
                ]
                assert found[0] == found[1]


@looped("source", SOURCES)
def test_masks_slices_and_positions_take_the_same_rows(source):
    one = Drawn()
    found = one.of(source)
    mask = np.zeros(len(found), dtype=bool)
    mask[100:300] = True
    asked = {
        "mask": mask, "list": list(range(100, 300)), "positions": np.arange(100, 300),
        "from the end": np.arange(-300, -100),
    }  # fmt: skip
    expected = estimate("roc_auc", found[100:300], one.a[mask])
    for name, rows in asked.items():
        with case(name):
            assert estimate("roc_auc", found[rows], one.a[mask]) == expected
    again = found[50:350]
    assert len(again) == 300
    within = again[50:250]
    assert estimate("roc_auc", within, one.a[mask]) == expected
    order = np.random.default_rng(1).permutation(np.arange(100, 300))
    moved = estimate("roc_auc", found[order], one.a[order])
    assert moved.value == pytest.approx(expected.value, rel=1e-12)
    assert moved.standard_error == pytest.approx(expected.standard_error, rel=1e-9)
    batches = found.for_batch()[mask], again.for_batch()[50:250], within.for_batch()
    results = [estimate("roc_auc", each, one.a[mask]) for each in batches]
    assert results[0] == results[1] == results[2]
    whole = estimate("roc_auc", found[:], one.a)
    assert whole.value == estimate("roc_auc", found, one.a).value
    error = estimate("roc_auc", found, one.a).standard_error
    assert whole.standard_error == pytest.approx(error, rel=1e-12)


@pytest.mark.parametrize("design", ["fixed", "strata"])
def test_the_variance_in_a_subgroup_is_unbiased_over_all_samples(design):
    # The number of labels is fixed in all, not in the subgroup.
    rows, slope = [0, 1, 3, 5, 7], np.array([1, 0.6, -0.3, 0.2, -0.4])
    if design == "fixed":
        shares, strata = [Fraction(3, 8)] * 8, "fixed"
        samples = literal.samples_of_size(8, 3)
    else:
        shares, strata = [Fraction(2, 3)] * 3 + [Fraction(2, 5)] * 5, [0] * 3 + [1] * 5
        samples = literal.samples_of_two_strata((3, 2), (5, 2))
    true = float(slope @ np.array(LABELS)[rows])
    variance, mean, found = 0.0, 0.0, 0.0
    for chosen, chance in samples:
        given = [y if i in chosen else np.nan for i, y in enumerate(LABELS)]
        batch = labels.sampled(
            given, np.array(shares, float), prediction=np.array(PREDICTED, float),
            design=strata, calibrate=False,
        ).for_batch()[rows]  # fmt: skip
        value = float(slope @ batch.pos)
        adds = batch.influence(slope, np.zeros(5))
        variance += float(chance) * (value - true) ** 2
        mean += float(chance) * value
        found += float(chance) * float(adds @ adds)
    assert mean == pytest.approx(true, rel=1e-12)
    assert found == pytest.approx(variance, rel=1e-12)


def test_the_plan_of_a_metric_is_remembered():
    one = Drawn()
    plan = labels.plan_labels(
        {"a": one.a}, 200, metric="roc_auc", probability=one.predicted, random_state=0
    )
    found = plan.labels(np.where(plan.is_sampled, one.y_true, np.nan))
    with pytest.warns(UserWarning, match=r"AUC.*Average precision"):
        estimate("average_precision", found[one.rows], one.a[one.rows])


def test_splits_take_rows():
    one = Drawn()
    X, found = np.column_stack([one.a, one.b]), one.of("censored")
    parts = train_test_split(X, one.a, found, test_size=0.5, random_state=0)
    _, X_test, _, a_test, _, test = parts
    assert len(test) == 200
    taken = estimate("roc_auc", test, a_test)
    places = [int(np.flatnonzero(one.a == each)[0]) for each in a_test]
    assert taken == estimate("roc_auc", found[places], a_test)
    # What is taught nothing by labels can be cross-validated.
    forest = IsolationForest(n_estimators=5, random_state=0)
    scores = cross_val_score(
        forest, X, found, scoring=RateWeightedAUCScorer(), cv=2, error_score="raise"
    )
    fitted = forest.fit(X[200:])
    assert scores[0] == RateWeightedAUCScorer()(fitted, X[:200], found[:200])
    model = LogisticRegression().fit(X, one.y_true)
    assert RateWeightedAUCScorer()(model, X_test, test) == pytest.approx(
        estimate("roc_auc", test, model.decision_function(X_test)).value, rel=1e-12
    )


def test_rows_that_are_no_subgroup_are_refused():
    one = Drawn()
    for source in SOURCES:
        found = one.of(source)
        wrong = {
            "got 3": lambda: found[3],  # noqa: B023
            r"got \[1, 1\]": lambda: found[[1, 1]],  # noqa: B023
            "got None": lambda: found[None],  # noqa: B023
            r"got array\(\[\[0": lambda: found[np.array([[0, 1]])],  # noqa: B023
        }
        for message, call in wrong.items():
            with (
                case(f"{source}, {message}"),
                pytest.raises(ValueError, match=rf"{message}"),
            ):
                call()
    is_labelled = ~np.isnan(one.given)
    with pytest.raises(ValueError, match="y_true"):
        one.of("sampled")[is_labelled]
    with pytest.raises(ValueError, match="rows"):
        one.of("sampled")[50:][~is_labelled[50:]]


@pytest.mark.slow
@looped("source", ["censored", "fixed", "noisy, validated"])
def test_intervals_of_subgroups_cover(source):
    params = {"roc_auc": {}, "recall_at_rate": {"rate": 0.2}}

    def subgroup(one):
        # With scores that are shifted, and worse.
        is_in = one.share > 0.5
        a = np.where(is_in, 0.8 * one.a + one.share, one.a)
        return np.flatnonzero(is_in), a

    many = Drawn(400_000, seed=99)
    rows, a = subgroup(many)
    truth = {
        name: estimate(name, many.y_true[rows], a[rows], **of).value
        for name, of in params.items()
    }

    def simulate(seed):
        one = Drawn(1_000, seed=seed)
        rows, a = subgroup(one)
        found = one.of(source)[rows]
        batch = found.for_batch()
        return [
            (
                estimate(name, found, a[rows], **of),
                estimate(name, batch, a[rows], **of),
                estimate(name, one.y_true[rows], a[rows], **of).value,
            )
            for name, of in params.items()
        ]

    results = guarantees.simulated(400, simulate)
    for at, name in enumerate(params):
        found, batch, own = zip(*(each[at] for each in results), strict=True)
        with case(name):
            share = guarantees.held(found, truth[name])
            guarantees.assert_share(share, at_least=0.94)
            share = guarantees.held(batch, np.array(own))
            guarantees.assert_share(share, at_least=0.93)
            if source != "noisy, validated":
                guarantees.assert_errors_are_the_spread(found, slack=0.1)
