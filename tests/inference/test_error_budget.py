"""The account of an error that statements share."""

import pytest

from skrate import ErrorBudget


def test_parts_are_levels_and_add_up():
    budget = ErrorBudget(0.05)
    assert budget.left == 0.05
    assert budget.spend("a", 0.02) == 1 - 0.02
    assert budget.spend("b", 0.01) == 1 - 0.01
    assert budget.spent == {"a": 0.02, "b": 0.01}
    # 0.05 - 0.03 in floats, whose last bit is 2 ** -58.
    assert budget.left == pytest.approx(0.02, abs=2**-56)


@pytest.mark.parametrize(("error", "n"), [(0.1, 3), (0.05, 4), (0.05, 19), (0.3, 37)])
def test_equal_parts_are_the_whole_whatever_rounding_makes_of_them(error, n):
    budget = ErrorBudget(error)
    for i in range(n):
        budget.spend(f"part {i}", error / n)
    assert budget.left == 0
    with pytest.raises(ValueError, match="more than the 0 left"):
        budget.spend("one more", 1e-6)


def test_an_overspent_account_says_what_was_spent_and_stays_as_it_was():
    budget = ErrorBudget(0.05)
    budget.spend("selection", 0.02)
    budget.spend("threshold", 0.02)
    message = (
        "error=0.02 for 'certificate' is more than the 0.01 left of 0.05, after 0.02 "
        "on 'selection', 0.02 on 'threshold': spend less"
    )
    with pytest.raises(ValueError, match=message):
        budget.spend("certificate", 0.02)
    assert list(budget.spent) == ["selection", "threshold"]
    with pytest.raises(ValueError, match=r"left of 0\.05, after none"):
        ErrorBudget(0.05).spend("all", 0.06)


def test_a_statement_is_entered_once():
    budget = ErrorBudget(0.05)
    budget.spend("a", 0.01)
    with pytest.raises(ValueError, match=r"'a' is entered already, with 0\.01"):
        budget.spend("a", 0.01)


@pytest.mark.parametrize("error", [0, 1, -0.1, 5, float("nan"), "much", None])
def test_an_error_is_a_fraction(error):
    with pytest.raises(ValueError, match="error must be a number in"):
        ErrorBudget(error)
    with pytest.raises(ValueError, match="error must be a number in"):
        ErrorBudget(0.05).spend("a", error)


def test_it_prints_the_account():
    budget = ErrorBudget(0.05)
    assert repr(budget) == "ErrorBudget(0.05, 0.05 left:\n  together  0, at 100 %)"
    budget.spend("recall of a batch", 0.0125)
    assert repr(budget) == (
        "ErrorBudget(0.05, 0.0375 left:\n"
        "  recall of a batch  0.0125, at 98.75 %\n"
        "  together           0.0125, at 98.75 %)"
    )


def test_a_confidence_level_is_no_error():
    with pytest.raises(ValueError, match=r"error=0\.95 looks like a confidence level"):
        ErrorBudget(0.95)
