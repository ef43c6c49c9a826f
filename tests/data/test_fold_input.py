"""Rankings as lists with an array for each fold, and rankings that do not match."""

import numpy as np
import pytest

from looped import looped
from skrate import FoldRankings
from skrate.data.folds import are_fold_rankings, check_same_folds

Y_TRUE, SCORES, FOLDS = [1, 0, 0, 1, 0], [3.0, 2.0, 1.0, 9.0, 8.0], [0, 1, 0, 1, 0]


def rankings(**changes):
    given = {"y_true": Y_TRUE, "y_score": SCORES, "fold": FOLDS, **changes}
    return FoldRankings(**given)


@looped(
    "changes, what",
    [
        ({"fold": [0, 1, 0, 0, 1]}, "folds"),
        ({"fold": [0, 1, 0, 2, 1]}, "folds"),
        ({"y_true": [1, 0, 1, 1, 0]}, "labels"),
        ({"sample_weight": np.ones(5)}, "weights"),
        ({"clusters": list("abcde")}, "clusters"),
        ({"indices": [4, 3, 2, 1, 0]}, "other samples"),
    ],
)
def test_rankings_of_other_cases_or_folds_are_refused(changes, what):
    with pytest.raises(ValueError, match=rf"{what}"):
        check_same_folds({"a": rankings(), "b": rankings(**changes)})


def test_rankings_of_more_cases_are_refused():
    shorter = FoldRankings(Y_TRUE[:4], SCORES[:4], FOLDS[:4])
    with pytest.raises(ValueError, match=r"^b .*\ba\b"):
        check_same_folds({"a": rankings(), "b": shorter})


def test_all_must_be_rankings():
    with pytest.raises(ValueError, match="FoldRankings"):
        check_same_folds({"a": rankings(), "b": SCORES})


def test_other_scores_are_of_the_same_cases():
    check_same_folds({"a": rankings(), "b": rankings(y_score=SCORES[::-1])})


def test_several_models_are_a_mapping_or_a_list_with_rankings():
    assert are_fold_rankings({"a": rankings()})
    assert are_fold_rankings([SCORES, rankings()])
    assert not any(map(are_fold_rankings, (rankings(), {"a": SCORES}, [], Y_TRUE)))
