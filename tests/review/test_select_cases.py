"""Cases that are selected at a false discovery rate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from looped import looped
from skrate.review import select_cases


def selected_by_the_formula(y_true, y_score, new, fdr):
    """Return the p-values, and what Benjamini and Hochberg select by them."""
    n, m = len(y_true), len(new)
    cases = list(zip(y_true, y_score, strict=True))
    pvalues = [
        (1 + sum(not y and s >= score for y, s in cases)) / (n + 1) for score in new
    ]
    most = max(
        k for k in range(m + 1) if k == 0 or sorted(pvalues)[k - 1] <= fdr * k / m
    )
    cut = sorted(pvalues)[most - 1] if most else -1
    return pvalues, [p <= cut for p in pvalues]


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=2, max_size=40),
    st.lists(st.integers(-1, 10), min_size=1, max_size=30),
    st.sampled_from([0.05, 0.2, 0.5, 0.9]),
)
@pytest.mark.filterwarnings("ignore:No case can be selected")
def test_it_is_what_the_formulas_say(cases, new, fdr):
    cases = [*cases, (True, 5), (False, 5)]
    y_true, y_score = zip(*cases, strict=True)
    found = select_cases(y_true, y_score, new, fdr=fdr)
    pvalues, is_selected = selected_by_the_formula(y_true, y_score, new, fdr)
    assert found.pvalues.tolist() == pytest.approx(pvalues, rel=1e-15)
    assert found.is_selected.tolist() == is_selected
    chosen = [score for score, is_in in zip(new, is_selected, strict=True) if is_in]
    assert found.threshold == min(chosen, default=np.inf)


def test_the_capacity_leaves_out_ties_at_its_end():
    y_true, y_score = [0] * 20 + [1] * 20, range(40)
    new = [39, 38, 38, 37, 1]
    free = select_cases(y_true, y_score, new, fdr=0.3)
    assert free.is_selected.tolist() == [True] * 4 + [False]
    assert free.binding == "fdr"
    two = select_cases(y_true, y_score, new, fdr=0.3, capacity=2)
    assert two.is_selected.tolist() == [True] + [False] * 4
    assert two.binding == "capacity"
    assert "the capacity of 2" in repr(two)
    assert select_cases(y_true, y_score, new, fdr=0.3, capacity=4).binding == "fdr"


def test_the_false_discovery_rate_is_kept():
    rng = np.random.default_rng(0)
    shares, found = [], []
    for _ in range(1000):
        y = rng.random(400) < 0.3
        scores = rng.standard_t(3, size=400) + 2 * y
        one = select_cases(y[:100], scores[:100], scores[100:], fdr=0.2).is_selected
        shares.append((one & ~y[100:]).sum() / max(one.sum(), 1))
        found.append(one.sum())
    # Four standard errors.
    assert np.mean(shares) < 0.2 + 4 * np.std(shares) / np.sqrt(1000)
    assert np.mean(found) > 30


def test_few_calibration_cases_select_nothing():
    with pytest.warns(UserWarning, match="at least 19 are needed"):
        found = select_cases([0, 1], [1, 2], [3], fdr=0.05)
    assert found.threshold == np.inf
    assert repr(found).startswith("SelectedCases(0 of 1 cases; at most 5 %")
    assert found.to_dict() == {"is_selected": [False], "pvalue": [1 / 3]}


@looped(
    "changes, message",
    [
        ({"fdr": 0}, "fdr"),
        ({"fdr": 20}, "fdr"),
        ({"capacity": 0}, "capacity"),
        ({"y_true": [1] * 4}, "calibration cases of both classes"),
        ({"y_true": [0, 1, 2, 1]}, "y_true"),
        ({"y_score": [1, 2]}, "Unequal numbers"),
        ({"new_scores": [np.nan]}, "new_scores"),
        ({"new_scores": []}, "new_scores"),
    ],
)
def test_bad_input_says_what_to_do(changes, message):
    named = {"y_true": [0, 1, 0, 1], "y_score": [1, 2, 3, 4], "new_scores": [5]}
    with pytest.raises(ValueError, match=message):
        select_cases(**named | {"fdr": 0.5} | changes)
