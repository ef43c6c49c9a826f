"""Differences of two curves and planned sizes: what is drawn is what was computed."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from drawn import data, texts
from looped import looped
from optional import require
from skrate import compare_curves, rates, sample_size

plt = require("matplotlib.pyplot")

RATES = np.arange(1, 20) / 20


def sample(n=1500):
    """Return labels and the scores of two models whose curves cross."""
    generator = np.random.default_rng(0)
    y_true = generator.random(n) < 0.2
    early = np.where(generator.random(n) < 0.6, 5, 0) * y_true
    return (
        y_true,
        generator.normal(size=n) + early,
        generator.normal(size=n) + 1.5 * y_true,
    )


def drawn(*, names=None, rate=None, n_items=None, **options):
    result = compare_curves(*sample(), rates=RATES, random_state=0, **options)
    return result.plot(names=names, rate=rate, n_items=n_items)


def test_winning_stretches_are_shaded_with_one_entry_each():
    display = drawn(names=("early", "late"))
    won = display.comparison.winning_rates()
    assert won.a
    assert won.b
    for stretches, artists in (
        (won.a, display.winning_a_),
        (won.b, display.winning_b_),
    ):
        to_data = display.ax_.transData.inverted()
        boxes = [artist.get_extents().transformed(to_data) for artist in artists]
        found = np.array([(box.x0, box.x1) for box in boxes])
        # Rates are 0.05 apart: to the middle, but at the first and the last one.
        ends = np.add(stretches, (-0.025, 0.025))
        assert found == pytest.approx(ends.clip(RATES[0], RATES[-1]))
    assert texts(display) == [
        "early \N{MINUS SIGN} late", "95 % band", "95 % at one rate", "early better",
        "late better",
    ]  # fmt: skip


def test_pointwise_bounds_are_drawn_once():
    display = drawn(band="pointwise")
    assert display.interval_ is None
    assert texts(display)[:2] == ["a \N{MINUS SIGN} b", "95 % at one rate"]
    assert drawn().ax_.get_ylabel().startswith("Difference in recall")
    assert texts(display.plot(names=("x", "y")))[0] == "x \N{MINUS SIGN} y"


def test_names_that_are_equal_as_text_are_refused():
    for names in (("x", "x"), (1, "1"), ("x",)):
        with pytest.raises(ValueError, match=r"names .*\("):
            drawn(names=names)


@pytest.mark.parametrize(
    ("options", "unit"),
    [
        ({}, 5000 * 0.2),
        ({"metric": "hits"}, 5000),
        ({"metric": "gain", "cost": 0.1}, 5000),
    ],
)
def test_further_axes_count(options, unit):
    display = drawn(n_items=5000, **options)
    top, right = display.count_axes_
    display.figure_.canvas.draw()
    assert top.get_xlim() == pytest.approx((0, 5000))
    if not options:
        unit = 5000 * display.comparison.n_pos / 1500
    assert right.get_ylim() == pytest.approx(np.multiply(unit, display.ax_.get_ylim()))
    assert "5,000" in top.get_xlabel()


@pytest.mark.parametrize("metric", ["precision", "lift"])
@pytest.mark.parametrize(
    ("rate", "first"), [(None, np.quantile(RATES, 0.1)), (rates.beta(20, 20), 0.372)]
)
def test_shares_are_seen_where_the_budget_is(metric, rate, first):
    display = drawn(metric=metric, rate=rate)
    band = display.comparison.band
    is_seen = first <= RATES
    low, high = display.ax_.get_ylim()
    least, most = band.low[is_seen].min(), band.high[is_seen].max()
    assert low < min(least, 0) < max(most, 0) < high
    assert high - low == pytest.approx(1.3 * (max(most, 0) - min(least, 0)))
    assert np.ptp(band) > high - low or rate is None


def test_ticks_of_counts_and_their_labels_have_room_in_small_axes():
    rng = np.random.default_rng(0)
    y_true, scores = rng.random(100) < 0.3, rng.normal(size=(2, 100))
    for n_items in (900, 20_000, 1_234_567):
        figure, axes = plt.subplots(1, 2, figsize=(10, 4), dpi=50)
        result = compare_curves(y_true, *scores, n_resamples=99, rates=RATES)
        display = result.plot(n_items=n_items, ax=axes[1])
        figure.tight_layout()
        figure.draw_without_rendering()
        top, right = display.count_axes_
        labels = [label for label in top.get_xticklabels() if label.get_text()]
        boxes = [label.get_window_extent() for label in labels]
        gaps = [b.x0 - a.x1 for a, b in pairwise(boxes)]
        assert len(gaps) > 1
        assert min(gaps) > 0
        assert right.yaxis.get_tightbbox().x1 < figure.bbox.x1


RNG = np.random.default_rng(0)
Y = RNG.random(300) < 0.3
A = RNG.normal(size=300) + 1.5 * Y
B = 0.8 * A + 0.6 * RNG.normal(size=300)


@looped("options", [{}, {"difference": 0.05}, {"margin": 0.1, "difference": 0.0}])
def test_the_power_is_the_one_of_each_size(options):
    plan = partial(sample_size, "roc_auc", Y, A, B, **options)
    planned = plan(power=0.7)
    display = planned.plot(name="A")
    x, y = data(display.line_)
    for i in (5, 30, 59):
        n = round(x[i])
        found = plan(n_samples=n)
        # The power of neighbouring sizes differs by less than 1 / n.
        assert y[i] == pytest.approx(found.power, abs=1 / n)
    assert data(display.point_) == ([planned.n], [planned.power])
    assert texts(display)[0] == f"A: n = {planned.n:,}, power {planned.power:.2f}"
    assert display.ax_.get_ylabel() == "Power"


def test_the_half_width_is_the_one_of_each_size():
    plan = partial(sample_size, "roc_auc", Y, A)
    planned = plan(half_width=0.05)
    display = planned.plot()
    x, y = data(display.line_)
    assert y[30] == pytest.approx(plan(n_samples=round(x[30])).half_width, rel=1e-2)
    assert display.ax_.get_ylabel() == "Half width of the interval"


def test_what_is_undefined_is_not_drawn():
    with pytest.warns(match="no variation"):
        planned = sample_size("roc_auc", Y, A, A, power=0.8)
    with pytest.raises(ValueError, match="result"):
        planned.plot()
