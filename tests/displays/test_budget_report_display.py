"""What is drawn of a report is what is in it, in counts."""

import numpy as np
import pytest

from drawn import data, texts
from optional import require
from skrate import budget_report, rates
from skrate.displays import BudgetReportDisplay
from skrate.inference.budget_report_text import count_texts

plt = require("matplotlib.pyplot")

RNG = np.random.default_rng(0)
Y = np.where(RNG.random(150) < 0.2, "ill", "well")
X = RNG.normal(size=(150, 2)) + 1.5 * (Y == "ill")[:, None]
Y_TRUE, A, B = Y == "ill", np.round(X[:, 0], 1), X[:, 1]
P, N = Y_TRUE.mean(), 5000
LAW = rates.beta(3, 19)
REPORT = budget_report(Y_TRUE, {"A": A, "B": B}, rate=LAW, n_items=N)


def test_the_legend_and_the_lines_have_the_numbers_of_the_report():
    display = BudgetReportDisplay(REPORT).plot()
    row = REPORT["A", "found"]
    low, high = row.confidence_interval
    x, y = data(display.readings_[0])
    assert x == pytest.approx([N * LAW.mean(), N * LAW.mean(), 0])
    assert y == pytest.approx([0, row.value, row.value])
    title = display.ax_.get_legend().get_title().get_text()
    assert title == "Expected found (95 % interval)"
    assert texts(display) == [
        f"A: {row.value:,.0f} ({low:,.0f} to {high:,.0f})",
        texts(display)[1],
        "Random",
        f"Perfect, if {N * P:,.0f} are positive",
        f"95 % bands, if {N * P:,.0f} are positive",
        f"budget, {N * LAW.mean():,.0f} on average",
    ]


def test_the_legend_says_how_many_more_or_fewer_are_found():
    models = {"A": A, "B": B}
    for reference, other, word in (("A", "B", "fewer"), ("B", "A", "more")):
        report = budget_report(Y_TRUE, models, rate=0.2, reference=reference)
        display = BudgetReportDisplay(report).plot()
        row = report[other, "more found"]
        number, interval, _ = count_texts(row)
        assert number == f"{abs(row.value):.0f} {word}"
        named = [text for text in texts(display) if f" {word}" in text]
        assert len(named) == 1
        assert named[0].startswith(f"{other}:")
        assert named[0].endswith(f"{number} ({interval})")
        title = display.ax_.get_legend().get_title().get_text()
        assert title.endswith(f"compared with {reference}")


def area(band):
    """Return the area of a band, whose outline is closed."""
    x, y = band.get_paths()[0].vertices.T
    return abs(np.sum(np.diff(x) * (y[1:] + y[:-1]))) / 2


@pytest.mark.parametrize("band", ["simultaneous", "pointwise"])
def test_bands_hold_their_curves_and_the_simultaneous_ones_are_wider(band):
    display = BudgetReportDisplay(REPORT).plot(band=band)
    for drawn, line in zip(display.bands_, display.lines_, strict=True):
        x, y = data(line)
        edge = drawn.get_paths()[0].vertices
        for place, value in zip(x[1:-1:10], y[1:-1:10], strict=True):
            ends = edge[np.isclose(edge[:, 0], place), 1]
            # The number processed, which bounds the band, has another rounding.
            assert ends.min() - 1e-9 <= value <= ends.max() + 1e-9
    other = BudgetReportDisplay(REPORT).plot(band="pointwise")
    narrow, wide = (area(d.bands_[0]) for d in (other, display))
    assert (narrow < wide) == (band == "simultaneous")
