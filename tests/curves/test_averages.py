"""Averages of ROC curves at equal fpr, tpr and threshold, and the fixed-width band."""

from bisect import bisect_right

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skrate import RankTable, rate_averaged_roc_curve
from strategies import ranked_samples

AVERAGES = ("rate", "fpr", "tpr", "threshold")
FOLDS = [[1, 1, 0, 0, 0, 1], [0, 1, 1, 0]], [[6, 5, 4, 3, 2, 2], [4, 3, 2, 1]]


def curve_of(y_trues, y_scores, **options):
    return rate_averaged_roc_curve(y_trues, y_scores, bounds=None, **options)


def points_of(y_true, y_score):
    """Return the points of one curve, counted at every score."""
    y, s = np.asarray(y_true), np.asarray(y_score)
    cuts = [np.inf, *sorted(set(s.tolist()), reverse=True)]
    return [[float(np.mean(s[y == k] >= cut)) for k in (0, 1)] for cut in cuts]


def height(points, x, *, is_upper):
    """Return a curve's end above or below ``x``, by straight lines in between."""
    here = [y for at, y in points if at == x]
    if here:
        return max(here) if is_upper else min(here)
    n = bisect_right([at for at, _ in points], x)
    (x0, y0), (x1, y1) = points[n - 1], points[n]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def mean_at(curves):
    """Return the points of a mean curve, both ends at every place of a point."""
    found = []
    for x in sorted({at for points in curves for at, _ in points}):
        for is_upper in (False, True):
            ys = [height(points, x, is_upper=is_upper) for points in curves]
            found.append((x, sum(ys) / len(ys)))
    return found


@given(st.lists(ranked_samples(weighted=False, both_classes=True), min_size=1,
                max_size=3))  # fmt: skip
def test_averages_are_those_of_loops(samples):
    y_trues, y_scores = [s[0] for s in samples], [s[1] for s in samples]
    curves = list(map(points_of, y_trues, y_scores))
    curve = curve_of(y_trues, y_scores)
    vertical, horizontal, level = map(curve.averaged, AVERAGES[1:])
    expected = np.array(mean_at(curves))
    assert np.column_stack([vertical.fpr, vertical.tpr]) == pytest.approx(expected)
    turned = [[(t, f) for f, t in points] for points in curves]
    expected = np.array(mean_at(turned))
    assert np.column_stack([horizontal.tpr, horizontal.fpr]) == pytest.approx(expected)
    cuts = sorted({s for scores in y_scores for s in np.asarray(scores).tolist()})
    for end, label in ((level.fpr, 0), (level.tpr, 1)):
        expected = [0.0]
        for cut in cuts[::-1]:
            shares = [
                np.mean(np.asarray(s)[np.asarray(y) == label] >= cut)
                for y, s in zip(y_trues, y_scores, strict=True)
            ]
            expected.append(sum(shares) / len(shares))
        assert end == pytest.approx(np.array(expected))


def test_perfect_rankings_have_no_width():
    band = curve_of([[1, 0, 0]], [[3, 2, 1]]).fixed_width_band(n_resamples=20)
    assert band.low.tpr == pytest.approx(band.high.tpr)


def test_what_has_no_average_or_band_is_refused():
    tables = [RankTable([1, 0, 1], [0, 2, 1])] * 2
    with pytest.raises(ValueError, match=r"average='threshold'.*2"):
        rate_averaged_roc_curve(tables, bounds=None).averaged("threshold")
    scored = [RankTable.from_arrays(*f) for f in zip(*FOLDS, strict=True)]
    found = rate_averaged_roc_curve(scored, bounds=None).averaged("threshold")
    assert found.tpr == pytest.approx(curve_of(*FOLDS).averaged("threshold").tpr)
    curve = curve_of(*FOLDS)
    with pytest.raises(ValueError, match="average"):
        curve.averaged("score")
    with pytest.raises(ValueError, match="average"):
        curve.fixed_width_band("vertical")
    with pytest.raises(ValueError, match="n_resamples"):
        curve.fixed_width_band(n_resamples=0)
    weights = [np.arange(1.0, len(y) + 1) for y in FOLDS[0]]
    weighted = curve_of(*FOLDS, sample_weight=weights)
    assert weighted.averaged("threshold").tpr[-1] == pytest.approx(1)
    with pytest.raises(ValueError, match="sample_weight"):
        weighted.fixed_width_band()
