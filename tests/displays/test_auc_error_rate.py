"""The mean and spread of the AUC drawn against the error rate."""

import re

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score

from drawn import texts
from optional import require
from skrate import RankTable
from skrate.displays import AUCErrorRateDisplay
from skrate.error_rate import auc_moments

require("matplotlib")


@pytest.fixture
def model():
    X, y = make_classification(300, 5, weights=[0.8], flip_y=0.2, random_state=0)
    y = np.array(["no", "yes"])[y]
    return LogisticRegression().fit(X[:150], y[:150]), X[150:], y[150:]


@pytest.mark.parametrize("kind", ["mean", "relative_deviation"])
def test_draws_the_moments(kind):
    display = AUCErrorRateDisplay.from_class_ratios(
        [0.1, 0.4], n_samples=200, kind=kind
    )
    assert len(display.lines_) == 2
    for line, n_smaller in zip(display.lines_, (20, 80), strict=True):
        n_errors = np.arange(n_smaller + 1)
        moments = auc_moments(n_smaller, 200 - n_smaller, n_errors)
        height = moments.mean
        if kind == "relative_deviation":
            height = moments.standard_deviation / moments.mean
        np.testing.assert_array_equal(line.get_xdata(), n_errors / 200)
        np.testing.assert_allclose(line.get_ydata(), height)
    assert display.point_ is None


def test_places_the_model_beside_the_mean_for_its_errors(model):
    fitted, X, y = model
    display = AUCErrorRateDisplay.from_estimator(fitted, X, y, pos_label="yes")
    error_rate = 1 - accuracy_score(y, fitted.predict(X))
    auc = roc_auc_score(y == "yes", fitted.decision_function(X))
    assert display.point_.get_xdata()[0] == pytest.approx(error_rate)
    assert display.point_.get_ydata()[0] == pytest.approx(auc)
    n_pos = int((y == "yes").sum())
    moments = auc_moments(n_pos, 150 - n_pos, round(150 * error_rate))
    _, _, (bar,) = display.interval_
    low, high = bar.get_segments()[0][:, 1]
    assert low == pytest.approx(moments.mean - 2 * moments.standard_deviation)
    assert high == pytest.approx(moments.mean + 2 * moments.standard_deviation)
    # The curve of its own ratio is there, and passes through that mean.
    own = [c for c in display.curves if c.class_ratio == min(n_pos, 150 - n_pos) / 150]
    assert np.isclose(own[0].means, moments.mean, rtol=1e-12).any()
    assert len(display.curves) == 6
    axes = display.ax_
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Error rate", "Mean AUC")
    point, text = texts(display)[-2:]
    assert point == f"LogisticRegression (AUC = {auc:.2f})"
    assert text == "mean ± 2 standard deviations for its errors"
    display.plot(name="ours", kind="relative_deviation")
    expected = abs(auc - moments.mean) / moments.mean
    assert display.point_.get_ydata()[0] == pytest.approx(expected)
    assert display.interval_ is None
    label = display.point_.get_label()
    assert re.match(r"ours\s\(AUC = .* % from the\s+mean\)$", label)
    assert "deviation" in display.ax_.get_ylabel()


@pytest.mark.parametrize(
    ("y_true", "scores"), [([0, 1], "right"), ([0, 1, 1, 0, 1], "wrong")]
)
def test_a_model_with_every_case_in_error_has_no_relative_deviation(y_true, scores):
    y_true = np.array(y_true)
    arguments = (y_true, y_true if scores == "right" else 1 - y_true)
    draw = AUCErrorRateDisplay.from_predictions
    with pytest.warns(UndefinedMetricWarning, match="kind='mean'") as caught:
        display = draw(*arguments, y_pred=1 - y_true, kind="relative_deviation")
    assert len(caught) == 1
    assert display.point.mean == 0
    assert display.point_ is None
    assert len(display.lines_) == len(display.curves)
    display.figure_.canvas.draw()
    # Its mean can be drawn all the same.
    display.plot()
    assert display.point_.get_ydata()[0] == display.point.auc


def three_models(kind):
    """Draw models of nearly the same error rate and AUC on one axis."""
    rng = np.random.default_rng(0)
    y_true = np.arange(400) % 5 == 0
    ax = None
    for name in ("Logistic regression", "Naive Bayes", "Decision tree"):
        scores = y_true + rng.normal(scale=0.8, size=400)
        display = AUCErrorRateDisplay.from_predictions(
            y_true, scores, y_pred=scores > 0.9, name=name, ax=ax, kind=kind
        )
        ax = display.ax_
    return display


@pytest.mark.parametrize("kind", ["mean", "relative_deviation"])
def test_models_on_one_axis_share_its_grid(kind):
    display = three_models(kind)
    curves = [line for line in display.ax_.lines if len(line.get_xdata()) > 1]
    assert len(curves) == len(display.curves) == 6
    assert set(display.lines_) == set(curves)
    entries = texts(display)
    assert len(entries) == len(set(entries)) == 6 + 3 + (kind == "mean")
    models = [line for line in display.ax_.lines if line.get_gid() == "skrate model"]
    assert len({line.get_marker() for line in models}) == 3
    own = display.lines_[[c.class_ratio for c in display.curves].index(0.2)]
    assert own.get_linestyle() == "--"
    assert [line.get_linestyle() for line in display.lines_].count("-") == 5
    # That of another number of cases is another one where it is seen to be.
    few = AUCErrorRateDisplay.from_class_ratios([0.5], n_samples=40, kind=kind)
    many = AUCErrorRateDisplay.from_class_ratios([0.5], ax=few.ax_, kind=kind)
    is_shared = many.lines_[0] is few.lines_[0]
    assert is_shared == (kind == "mean")
    assert len(texts(many)) == 1


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([0, 1, 0], [0, 1], r"y_pred.*2"),
        ([0, 1, 0], [0, 2, 1], r"y_pred.*y_true.*2"),
        ([0, 1, 0], ["0", "1", "0"], r"y_pred.*'0'.*'1'"),
        ([0, 1, 0], [0, None, 1], r"y_pred.*None"),
        ([0, 1, 0], [{}, 1j, 1], r"y_pred.*1"),
        ([0, 1, 0], np.array(["NaT"] * 3, "M8[s]"), r"y_pred.*None"),
        ([0, 1, 0], np.ma.array([0, 1, 1], mask=[0, 0, 1]), "y_pred"),
        ([1, 1, 1], [1, 1, 1], "y_true"),
    ],
)
def test_refuses_bad_predictions(y_true, y_pred, message):
    with pytest.raises(ValueError, match=message):
        AUCErrorRateDisplay.from_predictions(y_true, [1, 2, 3], y_pred=y_pred)


@pytest.mark.parametrize("n_samples", [1, 10**9, 10**12])
def test_refuses_numbers_of_cases(n_samples):
    with pytest.raises(ValueError, match=rf"n_samples.*{n_samples}"):
        AUCErrorRateDisplay.from_class_ratios(n_samples=n_samples)


def test_a_table_does_not_know_what_was_wrong():
    table = RankTable([1, 0], [0, 1])
    with pytest.raises(ValueError, match=r"y_true.*RankTable.*y_pred"):
        AUCErrorRateDisplay.from_predictions(table, y_pred=[1, 0])
