"""Calibrated predictions of sampled labels, their weight, and their effect."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import guarantees
from looped import case
from reference import estimated_labels as literal
from skrate import estimate, labels, recall_at_rate_score
from skrate.labels.calibration import calibrated, prediction_weight

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SHARES = [Fraction(p, 10) for p in (2, 5, 9, 4, 3, 5, 7, 6)]
PREDICTED = [Fraction(m, 10) for m in (9, 5, 4, 4, 7, 2, 4, 0)]
SCORES = [3, 1, 2, 2, 1, 0, 3, 3]
VERDICTS = [Fraction(v) for v in (1, 0, 1, 0, 0, 1, 1, 0)]


def arguments(chosen, predicted):
    """Return the arguments of ``calibrated``, if these cases are labelled."""
    is_labelled = np.isin(np.arange(8), list(chosen))
    is_pos = is_labelled & (np.array(LABELS) == 1)
    return is_labelled, is_pos, np.array(SHARES, float), np.array(predicted, float)


def judged(seed=0, n=1_000, *, prevalence=0.05, rates=(0.8, 0.6), separation=1.2):
    """Return the labels that were drawn, scores, and the verdicts of a judge."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < prevalence
    score = rng.normal(size=n) + separation * y_true
    verdict = rng.random(n) < np.where(y_true, rates[0], 1 - rates[1])
    seen = np.where(rng.random(n) < 0.2, y_true, np.nan)
    return seen, score, verdict.astype(float)


def test_fits_and_weights_are_those_of_the_definitions():
    for predicted in (PREDICTED, VERDICTS):
        for chosen, _ in list(literal.independent_samples(SHARES))[::5]:
            *known, prediction = arguments(chosen, predicted)
            fits = literal.calibrated(LABELS, SHARES, predicted, chosen)
            found = calibrated(*known, prediction)
            np.testing.assert_allclose(found, np.array(fits, float), atol=1e-14)
            expected = literal.calibrated(LABELS, SHARES, SCORES, chosen, PREDICTED)
            by_scores = calibrated(
                *known, np.array(PREDICTED, float), np.array(SCORES, float)
            )
            np.testing.assert_allclose(by_scores, np.array(expected, float), atol=1e-14)
            if not chosen:
                continue
            weight = literal.prediction_weight(LABELS, SHARES, fits, chosen)
            given = np.array(fits, float)
            found = prediction_weight(*known, given)
            assert found == pytest.approx(float(weight), abs=1e-12)


def test_labels_are_calibrated_by_the_scores_of_each_model():
    # Positive verdicts are wrong where scores are low.
    seen, score, verdict = judged(prevalence=0.3, separation=3)
    found = labels.sampled(seen, 0.2, prediction=verdict)
    one = found.for_scores(score)
    value = estimate("recall_at_rate", found, score, rate=0.2).value
    assert recall_at_rate_score(found, score, rate=0.2) == value
    assert one.pos.tolist() == found.for_scores(np.exp(score)).pos.tolist()
    assert one.pos.tolist() != found.pos.tolist()
    plain = labels.sampled(seen, 0.2, calibrate=False)
    errors = [estimate("roc_auc", x, score).standard_error for x in (found, plain)]
    assert errors[0] < 0.7 * errors[1]
    # Rows of a sample with fixed numbers of labels are calibrated like other rows.
    y_true = np.where(np.arange(1_000) % 5 == 0, np.nan_to_num(seen, nan=0), np.nan)
    rows = np.arange(1_000) < 600
    parts = [
        labels.sampled(y_true, 0.2, prediction=verdict, design=design)[rows]
        for design in ("independent", "fixed")
    ]
    parts = [part.for_scores(score[rows]).pos.tolist() for part in parts]
    assert parts[0] == parts[1]


def test_the_expected_variance_counts_if_few_heavy_positives_were_drawn():
    rng = np.random.default_rng(0)
    share = np.repeat([1.0, 0.05], [500, 4_000])
    y_true = np.full(4_500, np.nan)
    y_true[:500] = np.arange(500) % 2
    score, chance = -np.arange(4_500.0), rng.uniform(0.01, 0.1, 4_500)
    for n_heavy in (5, 6):
        y_true[500:700] = np.arange(200) < n_heavy
        found = labels.sampled(y_true, share, prediction=chance)
        with case(f"{n_heavy} heavy positives"):
            assert (found.prediction is not None) == (n_heavy == 5)
        if n_heavy == 5:
            # The predictions, scaled to 250 + 5 * 20 positives, or the fit.
            weight = np.where(np.isnan(y_true), 0, 1 / share)
            scaled = chance * 350 / (weight * chance).sum()
            fitted = calibrated(weight > 0, y_true == 1, share, chance)
            expected = np.maximum(scaled, fitted)
            np.testing.assert_allclose(found.prediction, expected, rtol=1e-12)
            estimate("roc_auc", found, score)
            # A fit or a scaled prediction of 1 is not certain.
            given = np.where(np.arange(4_500) < 9, 0.99, chance / 9)
            found = labels.sampled(y_true, share, prediction=given)
            assert 0.999 < found.prediction.max() < 1
    y_true[505] = 0
    verdicts = labels.sampled(y_true, share, prediction=(chance > 0.05).astype(float))
    with pytest.warns(UserWarning, match="AUC.*prediction=.* 5 .* 10 .* 6 "):
        estimate("roc_auc", verdicts, score)


@pytest.mark.slow
def test_intervals_with_verdicts_cover_and_are_not_wider_than_without():
    def simulate(seed, rates, separation):
        seen, score, verdict = judged(
            seed, prevalence=0.1, rates=rates, separation=separation
        )
        found = [
            labels.sampled(seen, 0.2, calibrate=False),
            labels.sampled(seen, 0.2, prediction=verdict),
        ]
        return [estimate("roc_auc", each, score) for each in found]

    # The last scores are better than the judge.
    for rates, separation in (((0.5, 0.5), 1.2), ((0.8, 0.6), 1.2), ((0.7, 0.9), 3)):
        truth = stats.norm.cdf(separation / np.sqrt(2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pairs = [
                simulate(seed, rates, separation)
                for seed in range(guarantees.simulations(300))
            ]
        without, judged_ones = zip(*pairs, strict=True)
        widths = [
            np.mean([high - low for low, high in (e.confidence_interval for e in each)])
            for each in (without, judged_ones)
        ]
        with case(f"{rates}, {separation}"):
            assert widths[1] < 1.05 * widths[0]
            guarantees.assert_share(guarantees.held(judged_ones, truth), at_least=0.9)
