"""Results draw themselves by the display that exists, and make a page of it."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from looped import case
from optional import require
from skrate import (
    FoldRankings,
    HitCurveDisplay,
    RateAveragedROC,
    budget_report,
    compare,
    compare_curves,
    curve_band,
    displays,
    estimate,
    rate_averaged_roc_curve,
    sample_size,
    select_best,
    subgroup_scores,
)

RNG = np.random.default_rng(0)
Y_TRUE = RNG.random(200) < 0.3
Y_SCORE = RNG.normal(size=200) + Y_TRUE
OTHER = RNG.normal(size=200) + 0.5 * Y_TRUE


def made():
    """Return a result of each kind, with its display."""
    folds = [Y_TRUE[:100], Y_TRUE[100:]], [Y_SCORE[:100], Y_SCORE[100:]]
    band = curve_band(Y_TRUE, Y_SCORE, random_state=0)
    difference = compare_curves(Y_TRUE, Y_SCORE, OTHER, random_state=0)
    groups = subgroup_scores(
        "recall", Y_TRUE, Y_SCORE, by=RNG.random(200) < 0.5, rate=0.2
    )
    models = {"a": Y_SCORE, "b": OTHER}
    best = select_best("roc_auc", Y_TRUE, models, n_resamples=99, random_state=0)
    return [
        (budget_report(Y_TRUE, Y_SCORE, rate=0.2), displays.BudgetReportDisplay),
        (difference, displays.CurveComparisonDisplay),
        (band, displays.CurveBandDisplay),
        (groups, displays.SubgroupDisplay),
        (rate_averaged_roc_curve(*folds), RateAveragedROC),
        (best, displays.BestModelDisplay),
        (
            sample_size("roc_auc", Y_TRUE, Y_SCORE, half_width=0.1),
            displays.SampleSizeDisplay,
        ),
        (estimate("roc_auc", Y_TRUE, models), displays.EstimatesDisplay),
        (estimate("roc_auc", Y_TRUE, Y_SCORE), displays.EstimatesDisplay),
        (compare("roc_auc", Y_TRUE, models), displays.ComparisonsDisplay),
        (
            compare("roc_auc", Y_TRUE, Y_SCORE, OTHER, margin=0.1),
            displays.ComparisonsDisplay,
        ),
    ]


def test_each_result_is_drawn_by_its_display():
    require("matplotlib")
    for result, display in made():
        with case(display.__name__):
            drawn = result.plot()
            assert type(drawn) is display
            assert drawn.figure_ is not None


def test_each_result_makes_a_page_without_a_figure_left_open():
    plt = require("matplotlib.pyplot")
    before = plt.get_fignums()
    for result, display in made():
        with case(display.__name__):
            page = result.to_html()
            assert page.count("<table>") == page.count("<img ") == 1
            assert page == result.to_html()
    assert plt.get_fignums() == before


def test_what_is_undefined_has_a_page_without_a_picture():
    with pytest.warns(UndefinedMetricWarning):
        report = budget_report(np.zeros(9, int), np.arange(9), rate=0.2)
    page = report.to_html()
    assert "there is no curve to draw" in page
    assert "<img" not in page


def test_several_models_are_drawn_on_the_same_axes():
    plt = require("matplotlib.pyplot")
    models = {"a": Y_SCORE, "b": OTHER}
    folds = {
        name: FoldRankings(Y_TRUE, scores, np.arange(200) % 4)
        for name, scores in models.items()
    }
    for display in (HitCurveDisplay, RateAveragedROC):
        for given in ((Y_TRUE, models), (folds,)):
            with case(f"{display.__name__} of {len(given)} arguments"):
                ax = plt.figure().subplots()
                drawn = display.from_models(*given, ax=ax)
                assert [one.name for one in drawn] == ["a", "b"]
                assert all(one.ax_ is ax for one in drawn)
                labels = ax.get_legend_handles_labels()[1]
                assert {"a", "b"} <= {text.split()[0] for text in labels}
        with pytest.raises(
            ValueError, match=f"use {display.__name__}.from_predictions"
        ):
            display.from_models(Y_TRUE, Y_SCORE)
    with pytest.raises(ValueError, match="from_models of displays"):
        HitCurveDisplay.from_predictions(Y_TRUE, models)
    with pytest.raises(ValueError, match=r"RateAveragedROC\.from_models"):
        RateAveragedROC.from_predictions(Y_TRUE, models)
    plt.close("all")


def test_rows_of_several_k_are_named_by_it():
    y_true, y_score = np.arange(60) % 2, np.arange(60)[::-1]
    axes = estimate("recall_at_rate", y_true, y_score, k=[10, 20]).plot().ax_
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["k = 10", "k = 20"]
