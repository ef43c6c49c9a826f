"""Two metrics of many markers drawn against each other."""

from functools import partial

import numpy as np
import pytest

from optional import require
from skrate import estimate, expected_recall_score
from skrate.displays import MarkersDisplay

require("matplotlib")


@pytest.fixture(scope="module")
def data():
    """Labels of 165 patients and 50 markers, ten of which tell something."""
    generator = np.random.default_rng(0)
    ill = np.repeat([1, 0], [83, 82])
    markers = generator.normal(size=(165, 50))
    markers[:, :10] += np.outer(ill, np.linspace(0.3, 1.2, 10))
    return ill, {f"{j}.{j:03}": column for j, column in enumerate(markers.T)}


def test_points_are_the_estimates(data):
    display = MarkersDisplay.from_predictions(*data, n_resamples=200, random_state=0)
    x = estimate("roc_auc", *data)
    y = estimate("average_precision", *data, n_resamples=200, random_state=0)
    tells = (x.adjusted_pvalues <= 0.05) | (y.adjusted_pvalues <= 0.05)
    assert 2 < tells.sum() < 10
    for line, chosen in zip(display.points_, (tells, ~tells), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), x.values[chosen])
        np.testing.assert_array_equal(line.get_ydata(), y.values[chosen])
        assert str(chosen.sum()) in line.get_label()
    assert display.ax_.get_xlabel() == "AUC"
    assert display.ax_.get_ylabel() == "Average precision"
    across, up = display.chance_level_
    assert across.get_xdata()[0] == 0.5
    assert up.get_ydata()[0] == pytest.approx(83 / 165)


@pytest.mark.parametrize("size", [(6.4, 4.8), (4, 3)])
def test_the_best_are_named_and_no_name_covers_another(data, size):
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(figsize=size, layout="constrained")
    display = MarkersDisplay.from_predictions(*data, ax=axes, k=4, n_resamples=99)
    best = {
        found.names[i]
        for found in (display.x, display.y)
        for i in np.argsort(-found.values)[:4]
    }
    assert {text.get_text() for text in display.texts_} == best
    assert display.ax_ is axes
    display.figure_.draw_without_rendering()
    inside, whole = axes.get_window_extent(), display.figure_.bbox
    # Without the lines to their points, which may cross.
    boxes = [super(type(text), text).get_window_extent() for text in display.texts_]
    for number, box in enumerate(boxes):
        assert inside.x1 < box.x0 < box.x1 <= whole.x1
        assert inside.y0 - 9 <= box.y0 < box.y1 <= whole.y1
        assert not any(box.overlaps(other) for other in boxes[:number])
    for text in display.texts_:
        place = display.x.names.index(text.get_text())
        assert text.xy == (display.x.values[place], display.y.values[place])


def test_a_marker_of_the_other_direction_is_named(data):
    ill, markers = data
    markers = markers | {"turned": -2.0 * ill + markers["0.000"]}
    markers["weak"] = markers["40.040"] - 0.05 * ill
    display = MarkersDisplay.from_predictions(ill, markers, k=1, n_resamples=200)
    named = {text.get_text() for text in display.texts_}
    assert "turned" in named
    assert "weak" not in named
    assert not display.plot(k=0).texts_


def test_other_metrics_styles_and_no_names(data):
    ill, markers = data
    metrics = ("roc_auc", partial(expected_recall_score, rate=0.1))
    display = MarkersDisplay.from_predictions(
        ill, markers, metrics=metrics, n_resamples=50, random_state=0, adjust="bh",
        k=0, plot_chance_level=False, point_kwargs={"ms": 9},
    )  # fmt: skip
    assert display.texts_ == display.chance_level_ == []
    assert {line.get_markersize() for line in display.points_} == {9}
    assert "0.5" in display.plot(confidence_level=0.5).points_[0].get_label()
