"""Small pictures, and few draws behind the bands of report cards."""

import pytest

from optional import require
from skrate.inference.options import Plan


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    plt = require("matplotlib.pyplot")
    monkeypatch.setattr(
        "skrate.displays.curve_displays.Plan",
        lambda **options: Plan(**options | {"n_resamples": 99}),
    )
    with plt.rc_context({"figure.dpi": 50}):
        yield
