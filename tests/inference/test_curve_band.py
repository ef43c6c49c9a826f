"""The band of one curve, against the union over cuts written out point by point."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_curve

from guarantees import assert_share, simulated
from looped import case, looped
from skrate import (
    RankTable,
    curve_band,
    lift_at_rate_score,
    precision_at_rate_score,
    precision_at_recall_score,
    recall_at_rate_score,
)
from skrate.inference.curve_band import roc_band

PLACES = [0.03, 0.1, 0.3, 0.62, 0.9]
SCORES = {
    "recall": (recall_at_rate_score, "rate"),
    "precision": (precision_at_rate_score, "rate"),
    "lift": (lift_at_rate_score, "rate"),
    "pr": (precision_at_recall_score, "recall"),
}
KINDS = [*SCORES, "roc", "hits", "gain"]


def sample(seed=0, n=200, digits=1):
    generator = np.random.default_rng(seed)
    y_true = (generator.random(n) < 0.3).astype(int)
    return y_true, np.round(y_true + generator.standard_t(5, size=n), digits)


def band_of(kind, *data, **options):
    options = {"at": PLACES, "random_state": 0, "n_resamples": 200} | options
    return curve_band(
        *data, metric=kind, **options, **({"cost": 0.2} if kind == "gain" else {})
    )


def tpr_at(y_true, y_score, fpr):
    """Return the greatest tpr on the straight lines between cuts, point by point."""
    pos, neg = y_score[y_true == 1], y_score[y_true == 0]
    cuts = [np.inf, *sorted(set(y_score), reverse=True)]
    points = [(np.mean(neg >= cut), np.mean(pos >= cut)) for cut in cuts]
    found = []
    for (x, y), (x_next, y_next) in pairwise(points):
        if x <= fpr <= x_next:
            part = 1.0 if x == x_next else (fpr - x) / (x_next - x)
            found.append(y + part * (y_next - y))
    return max(found)


def wilson(share, n, z, sign):
    """Return an end of Wilson's interval, from Wilson (1927)."""
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return (share + z**2 / (2 * n) + sign * half) / (1 + z**2 / n)


def literal_limits(y_true, y_score, c, fpr):
    """Return pairs of Wilson's and Jeffreys' limit, lower and upper, cut by cut."""
    n_pos, n_neg = np.sum(y_true == 1), np.sum(y_true == 0)
    lows, highs = [], []
    for angle in np.linspace(-math.pi / 2, math.pi / 2, 25):
        z, rest = c * math.sin(angle), c * math.cos(angle)
        seen = fpr + z * math.sqrt(fpr * (1 - fpr) / n_neg)
        seen += (1 - 2 * fpr) * (z**2 - 1) / (6 * n_neg)
        if seen <= 0:
            lows.append((0.0, 0.0))
        if seen >= 1:
            highs.append((1.0, 1.0))
        tpr = tpr_at(y_true, y_score, min(max(seen, 0), 1))
        beta = stats.beta(n_pos * tpr + 0.5, n_pos * (1 - tpr) + 0.5)
        low = min(beta.ppf(stats.norm.cdf(-rest)), tpr) if tpr > 0 else 0.0
        high = max(beta.ppf(stats.norm.cdf(rest)), tpr) if tpr < 1 else 1.0
        lows.append((round(wilson(tpr, n_pos, rest, -1), 12), low))
        highs.append((round(wilson(tpr, n_pos, rest, 1), 12), high))
    return lows, highs


@looped("digits", [0, 1, 9])
def test_the_band_of_a_roc_curve_is_what_no_cut_refutes(digits):
    y_true, y_score = sample(1, n=80, digits=digits)
    table = RankTable.from_arrays(y_true, y_score)
    sizes = float(y_true.sum()), float(80 - y_true.sum())
    # Far apart, so that no bound rises by its neighbour.
    for fpr in PLACES:
        for c in (0.7, 2.9)[fpr > 0.1 :]:
            found = roc_band(table, sizes, c, np.array([fpr]))
            lows, highs = literal_limits(y_true, y_score, c, fpr)
            expected = min(lows)[1], max(highs)[1]
            assert np.ravel(found) == pytest.approx(expected, abs=1e-9)
            # Of all cuts, the limit of the chosen one is all but the furthest.
            furthest = min(low for _, low in lows), max(high for _, high in highs)
            assert np.ravel(found) == pytest.approx(furthest, abs=0.04)


@looped("kind", KINDS)
def test_the_curve_is_that_of_the_scores_at_one_point(kind):
    y_true, y_score = sample(2)
    found = band_of(kind, y_true, y_score)
    if kind in SCORES:
        score, name = SCORES[kind]
        expected = [score(y_true, y_score, **{name: place}) for place in PLACES]
    elif kind == "roc":
        expected = [tpr_at(y_true, y_score, place) for place in PLACES]
        fpr, tpr, _ = roc_curve(y_true, y_score)
        at_cuts = curve_band(y_true, y_score, metric="roc", at=np.unique(fpr)[1:])
        most = [tpr[fpr == one].max() for one in at_cuts.at]
        assert at_cuts.value == pytest.approx(most)
    else:
        hits = y_true.mean() * band_of("recall", y_true, y_score).value
        expected = hits - 0.2 * np.array(PLACES) if kind == "gain" else hits
    assert found.value == pytest.approx(expected)
    assert (found.low <= found.value).all()
    assert (found.value <= found.high).all()
    assert list(found.to_dict()) == [{"roc": "fpr", "pr": "recall"}.get(kind, "rate"),
                                     "value", "low", "high"]  # fmt: skip


def test_where_the_prevalence_is_known_other_axes_show_the_band_of_the_roc_curve():
    y_true, y_score = sample(3)
    # So many cases that neither the prevalence nor the curve is uncertain.
    times = np.full(200, 10**9)
    found = band_of("recall", y_true, y_score, sample_weight=times)
    assert found.low == pytest.approx(found.value, abs=1e-3)
    assert found.high == pytest.approx(found.value, abs=1e-3)


@looped("kind", KINDS)
def test_what_must_not_matter_does_not(kind):
    y_true, y_score = sample(4, n=90)
    times = np.random.default_rng(0).integers(1, 4, size=90)
    expected = band_of(kind, np.repeat(y_true, times), np.repeat(y_score, times))
    table = RankTable.from_arrays(y_true, y_score, sample_weight=times)
    others = {
        "repetitions": band_of(kind, y_true, y_score, sample_weight=times),
        "a table": band_of(kind, table),
        "order": band_of(kind, np.repeat(y_true, times)[::-1],
                         np.repeat(np.exp(y_score), times)[::-1]),
    }  # fmt: skip
    for name, other in others.items():
        with case(name):
            for end in ("value", "low", "high"):
                of_other = getattr(other, end)
                assert of_other == pytest.approx(getattr(expected, end), rel=1e-6)
    alone = band_of(kind, y_true, y_score, band="pointwise")
    whole = band_of(kind, y_true, y_score)
    assert (whole.low <= alone.low).all()
    assert (alone.high <= whole.high).all()


def test_the_ends_and_the_repr():
    y_true, y_score = sample(6)
    roc = curve_band(y_true, y_score, metric="roc", random_state=0)
    assert len(roc.at) == 200
    # No negative may be above the cut; all must be.
    assert roc.low[0] == 0
    assert roc.low[-1] == roc.high[-1] == 1
    assert (np.diff(roc.low) >= 0).all()
    assert repr(roc).startswith("CurveBand(roc at 200 points from fpr 0.005 to 1, ")
    pr = curve_band(y_true, y_score, metric="pr", random_state=0)
    p = y_true.mean()
    assert pr.low[-1] < p < pr.high[-1]
    rate_one = curve_band(y_true, y_score, metric="precision", at=[1], random_state=0)
    assert rate_one.low[0] < rate_one.value[0] == p < rate_one.high[0]
    assert {len(column) for column in roc.to_dict().values()} == {200}
    with pytest.raises(TypeError, match="single value"):
        float(roc)


def test_too_few_cases_of_a_class_give_nan_with_a_warning():
    message = "The band of the 'pr' curve is undefined: y_true .* 1 positive"
    with pytest.warns(UndefinedMetricWarning, match=message):
        found = curve_band([1, 0, 0, 0], [1, 2, 3, 4], metric="pr")
    assert np.isnan([found.value, found.low, found.high]).all()


@looped(
    "options, message",
    [
        ({"metric": "det"}, "metric"),
        ({"band": "uniform"}, "band"),
        ({"at": [0, 0.5]}, r"0.*1.*0"),
        ({"at": [0.5, 0.2]}, r"\bat\b.*0\.2.*0\.5"),
        ({"at": np.linspace(0.1, 0.9, 2001)}, "2001"),
        ({"confidence_level": 1}, "confidence_level"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"cost": 1}, r"cost.*metric='gain'.*metric='recall'"),
        ({"metric": "gain"}, "metric='gain'"),
        ({"y_score": None}, "y_score"),
        ({"clusters": [1, 1, 1, 1]}, "clusters"),
    ],
)
def test_what_cannot_be_is_refused_by_name(options, message):
    given = {"y_true": [0, 1, 0, 1], "y_score": [1, 2, 3, 4]}
    with pytest.raises(ValueError, match=message):
        curve_band(**{**given, **options})


@pytest.mark.slow
@pytest.mark.parametrize("n_pos", [25, 100])
@pytest.mark.parametrize("kind", ["roc", "pr"])
def test_a_band_holds_the_whole_curve(kind, n_pos):
    # Logistic scores, of which the band was not made.
    distribution, p, generator = stats.logistic(), 0.3, np.random.default_rng(0)
    cuts = np.linspace(40, -40, 20_001)
    fpr, tpr = distribution.sf(cuts), distribution.sf(cuts - 2)
    precision = p * tpr / (p * tpr + (1 - p) * fpr)

    def is_held(_):
        y_true = generator.random(round(n_pos / p)) < p
        y_score = (
            distribution.rvs(size=len(y_true), random_state=generator) + 2 * y_true
        )
        found = curve_band(
            y_true, y_score, metric=kind, n_resamples=500, random_state=generator
        )
        x, y = (fpr, tpr) if kind == "roc" else (tpr, precision)
        true = np.interp(found.at, x, y)
        return ((found.low <= true + 1e-6) & (true - 1e-6 <= found.high)).all()

    assert_share(simulated(300, is_held), at_least=0.93)


@pytest.mark.parametrize("digits", [0, 1, 12])
def test_the_precision_of_all_positives_may_be_the_least_prevalence(digits):
    # All may have to be processed to find the last positive: Wilson's lower limit of
    # the prevalence, closer by 0.75 of the fraction of scores that do not tie, over the
    # root of the number of negatives.
    rng = np.random.default_rng(0)
    y_true = rng.random(200) < 0.3
    y_score = np.round(rng.normal(size=200) + 2 * y_true, digits)
    n_neg, p = np.count_nonzero(~y_true), y_true.mean()
    untied = len(np.unique(y_score)) / 200
    z = stats.norm.ppf(0.975) * (1 - 0.75 * untied / np.sqrt(n_neg))
    root = z * np.sqrt(p * (1 - p) / 200 + (z / 400) ** 2)
    expected = (p + z**2 / 400 - root) / (1 + z**2 / 200)
    band = curve_band(y_true, y_score, metric="pr", at=[0.5, 1.0], band="pointwise")
    assert band.low[1] == pytest.approx(expected, rel=1e-9)
