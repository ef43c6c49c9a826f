"""The picture of groups in one queue: what is drawn is what was computed."""

import numpy as np

from drawn import texts
from optional import require
from skrate import subgroup_scores
from skrate.displays import SubgroupDisplay

require("matplotlib")
Y_TRUE, Y_SCORE, BY = (
    [1, 1, 0, 1, 1, 0, 1, 0, 0, 0],
    range(10, 0, -1),
    list("aabbbaaabb"),
)


def test_points_intervals_and_levels_are_those_of_the_scores():
    asked = ["recall", "fpr"]
    scores = subgroup_scores(asked, Y_TRUE, Y_SCORE, by=BY, rate=0.5)
    display = SubgroupDisplay(scores, pos_label=1).plot()
    for i, share in enumerate(asked):
        rows = slice(2 * i, 2 * i + 2)
        line = display.points_[i]
        assert line.get_xdata().tolist() == scores.values[rows].tolist()
        segments = np.array(display.intervals_[i].get_segments())
        assert np.array_equal(segments[..., 0], scores.intervals[rows])
        assert np.array_equal(segments[:, 0, 1], line.get_ydata())
        assert display.overall_[i].get_xdata() == [scores.overall[share]] * 2
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == ["a\n(n = 5)", "b\n(n = 5)"]
    # The first on top.
    assert display.ax_.yaxis_inverted()
    assert display.ax_.get_xlabel() == "Fraction of the group (positive label: 1)"
    assert set(texts(display)) == {
        "Recall", "False positive rate", "all samples"
    }  # fmt: skip
