"""Small pictures, and few draws behind the bands of report cards."""

import pytest

from optional import require


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    plt = require("matplotlib.pyplot")
    monkeypatch.setattr("skrate.displays.budget_report_display._N_DRAWS", 99)
    with plt.rc_context({"figure.dpi": 50}):
        yield
