"""Few draws behind the bands of report cards, which are drawn in many tests."""

import pytest


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr("skrate.displays.budget_report._N_DRAWS", 99)
