"""A Hypothesis strategy: lists of ranked items, full of ties, in random row order."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from strategies import ranked_samples

# The same lists under labels of several kinds, increasing.
LABELS = {
    "small integers": [0, 1, 2, 3],
    "negative integers": [-7, -3, 0, 2],
    "huge integers": [-(2**62), 0, 5, 2**62],
    "floats": [-0.5, 0.25, 1.0, 1e9],
    "strings": ["", "a", "list 10", "list 9"],
}


class Lists(NamedTuple):
    """Labels in {0, 1}, scores, list labels and, if asked for, weights."""

    y_true: np.ndarray
    y_score: np.ndarray
    groups: np.ndarray
    sample_weight: np.ndarray | None


@st.composite
def ranked_lists(
    draw: st.DrawFn, *, weighted: bool = False, max_size: int = 24, n_scores: int = 4
) -> Lists:
    """Draw up to four lists, some of one class or, with weights, of no weight."""
    sample = draw(
        ranked_samples(
            weighted=weighted, max_size=max_size, n_scores=n_scores, both_classes=True
        )
    )
    n_rows = len(sample.y_true)
    labels = draw(st.sampled_from(list(LABELS.values())))
    of_row = draw(st.lists(st.sampled_from(labels), min_size=n_rows, max_size=n_rows))
    return Lists(sample.y_true, sample.y_score, np.array(of_row), sample.sample_weight)
