"""Labels of tests that err: several annotators, and errors of the error rates."""

import numpy as np
import pytest

from looped import case
from skrate import estimate, labels

SENSITIVITY, SPECIFICITY = [0.9, 0.7, 0.8], [0.95, 0.8, 0.75]


def seen_by_three(n=300, seed=0):
    """Return what three annotators saw, each of some of the cases, and scores."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < 0.3
    chances = np.where(y_true[:, None], SENSITIVITY, 1 - np.array(SPECIFICITY))
    seen = (rng.random((n, 3)) < chances).astype(float)
    seen[rng.random((n, 3)) < 0.4] = np.nan
    seen[np.isnan(seen).all(axis=1), 1] = 0
    return seen, rng.normal(size=n) + y_true


def test_several_annotators_are_averaged_by_the_inverse_of_their_variance():
    seen, _ = seen_by_three()
    each, variances = [], []
    for z, found, of_neg in zip(seen.T, SENSITIVITY, SPECIFICITY, strict=True):
        each.append((z + of_neg - 1) / (found + of_neg - 1))
    p = np.nanmean(each)
    for found, of_neg in zip(SENSITIVITY, SPECIFICITY, strict=True):
        of_both = p * found * (1 - found) + (1 - p) * of_neg * (1 - of_neg)
        variances.append(of_both / (found + of_neg - 1) ** 2)
    labelled = labels.noisy(seen, SENSITIVITY, SPECIFICITY)
    for i, row in enumerate(seen):
        given = [j for j in range(3) if not np.isnan(row[j])]
        total = sum(1 / variances[j] for j in given)
        pos = sum(each[j][i] / variances[j] for j in given) / total
        # Minus y (1 - y) is the variance of a count given the truth, without bias.
        noise = (
            sum((each[j][i] ** 2 - each[j][i]) / variances[j] ** 2 for j in given)
            / total**2
        )
        assert labelled.pos[i] == pytest.approx(pos, rel=1e-12)
        assert labelled.noise[i] ** 2 == pytest.approx(noise, rel=1e-10)


def test_errors_of_both_rates_are_those_of_changing_them():
    seen, score = seen_by_three()
    n_pos, n_neg = 400, 900
    step = 1e-6
    for name in ("expected_recall", "precision_at_rate"):
        params = {"rate": 0.2 if name == "precision_at_rate" else "uniform"}

        def value(found, of_neg, name=name, params=params):
            # With the weights of the annotators fixed, as they change nothing much.
            return estimate(
                name, labels.noisy(seen[:, :1], found, of_neg), score, **params
            ).value

        seen[:, 0] = np.where(np.isnan(seen[:, 0]), 0, seen[:, 0])
        found, of_neg = SENSITIVITY[0], SPECIFICITY[0]
        plain = labels.noisy(seen[:, 0], found, of_neg)
        known = estimate(name, plain, score, **params).standard_error
        slopes = [
            (value(found + step, of_neg) - value(found - step, of_neg)) / (2 * step),
            (value(found, of_neg + step) - value(found, of_neg - step)) / (2 * step),
        ]
        variances = [
            (n * rate + 0.5) * (n - n * rate + 0.5) / (n + 1) ** 2 / (n + 2)
            for n, rate in ((n_pos, found), (n_neg, of_neg))
        ]
        more = sum(s**2 * v for s, v in zip(slopes, variances, strict=True))
        for scope, less in (("population", known**2), ("batch", None)):
            own = labels.noisy(seen[:, 0], found, of_neg, validation=(n_pos, n_neg))
            own = own.for_batch() if scope == "batch" else own
            error = estimate(name, own, score, **params).standard_error
            if less is None:
                batch = plain.for_batch()
                less = estimate(name, batch, score, **params).standard_error ** 2
            with case((name, scope)):
                assert error**2 == pytest.approx(less + more, rel=1e-5)


def test_a_prevalence_that_validation_leaves_open_is_warned_of():
    seen = np.arange(1000) < 80
    labels.noisy(seen, 0.85, 0.95, validation=(300, 3000))
    with pytest.warns(UserWarning, match=r"0\.0"):
        labels.noisy(seen, 0.85, 0.95, validation=(80, 300))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 0], 0.5, 0.5), r"1.*0\.5.*0\.5"),
        (([1, 0], 0.9, 1.5), "specificity"),
        (([1, 0], [0.9, 0.8], 0.9), r"sensitivity.*1"),
        (([[1, 0], [np.nan, np.nan]], 0.9, 0.9), r"y_true.*1"),
        (([1, 0, 2], 0.9, 0.9), r"y_true.*0, 1, 2"),
        (([[[1]]], 0.9, 0.9), r"1.*1.*1"),
        (([1, 0], 0.9, 0.9, (0, 5)), r"validation.*0"),
        (([1, 0], 0.9, 0.9, (5, 5, 5)), r"validation.*1.*2"),
    ],
)
def test_what_says_nothing_is_refused(arguments, message):
    *given, validation = arguments if len(arguments) == 4 else (*arguments, None)
    with pytest.raises(ValueError, match=message):
        labels.noisy(*given, validation=validation)


def test_predictions_say_on_what_they_rest():
    assert "if calibrated" in repr(labels.predicted([0.5, 0.25]))


# Of 200 cases, 20 false positives are expected: 1.25 or 2.5 positives are left.
@pytest.mark.parametrize(
    ("n_found", "also"), [(21, "uncertainty of the AUC"), (22, "may be too short")]
)
def test_a_value_that_no_labels_can_have_is_warned_of(n_found, also):
    found = labels.noisy(np.repeat([1, 0], [n_found, 200 - n_found]), 0.9, 0.9)
    with (
        pytest.warns(UserWarning, match=also),
        pytest.warns(UserWarning, match="outside 0 to 1"),
    ):
        one = estimate("roc_auc", found, -np.arange(200.0))
    assert one.value > 1
