"""The display of the rate-averaged ROC curve: what is drawn is what was computed."""

import functools

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from drawn import texts
from optional import require
from skrate import RateAveragedROC, rate_averaged_roc_curve, rates

plt = require("matplotlib.pyplot")

X, Y = make_classification(
    120, 5, weights=[0.7], flip_y=0.1, class_sep=0.7, random_state=0
)
SPACES = ("roc", "rate-recall")


def folds(seed=0, n_folds=4):
    rng = np.random.default_rng(seed)
    y = [np.repeat([1, 0], [6, 14])] * n_folds
    return y, [rng.normal(size=20) + fold for fold in y]


def of_folds(**options):
    return RateAveragedROC.from_predictions(*folds(), **options)


def coordinates(curve, space, rates):
    return curve.fpr if space == "roc" else rates, curve.tpr


@pytest.mark.parametrize("space", SPACES)
def test_drawn_points_are_the_computed_ones(space):
    display = of_folds(space=space)
    curve = rate_averaged_roc_curve(*folds())
    x, y = coordinates(curve, space, curve.rates)
    assert display.line_.get_xdata() == pytest.approx(x)
    assert display.line_.get_ydata() == pytest.approx(y)
    lower, upper = (
        np.column_stack(coordinates(bound, space, curve.rates))
        for bound in curve.confidence_interval
    )
    drawn = display.bounds_.get_xy()
    n = len(curve.rates)
    assert drawn[:n] == pytest.approx(lower)
    assert drawn[n : 2 * n] == pytest.approx(upper[::-1])


@pytest.mark.parametrize("space", SPACES)
def test_isometrics_end_on_the_borders(space):
    display = of_folds(space=space, plot_isometrics=[0.06, 0.5])
    low, line = display.isometrics_
    # A rate below the prevalence: all that is processed may be positive.
    ends = {
        "roc": [(0.06 / 0.7, 0), (0, 0.06 / 0.3)],
        "rate-recall": [(0.06, 0), (0.06, 0.06 / 0.3)],
    }[space]
    assert low.get_xydata() == pytest.approx(np.array(ends), abs=1e-12)
    ends = {
        # At rate 0.5 and prevalence 0.3: none of 0.7 negatives spared, or 0.3 found.
        "roc": [(0.5 / 0.7, 0), (0.2 / 0.7, 1)],
        "rate-recall": [(0.5, 0), (0.5, 1)],
    }[space]
    assert line.get_xydata() == pytest.approx(np.array(ends))
    drawn = display.plot(plot_isometrics=True)
    assert len(drawn.isometrics_) == 9
    entries = texts(drawn)
    assert entries.count("Equal rate") == 1
    assert not display.plot().isometrics_


def test_density_of_the_rate_shades_the_roc_plane():
    rate = rates.mixture([rates.beta(3, 9), 0.8])
    display = of_folds(space="roc", rate=rate, plot_rate=True)
    shade, line = display.rate_
    alpha = np.asarray(shade.get_array())[..., 3]
    n = len(alpha)
    # At fpr = tpr = r the rate is r.
    assert np.argmax(np.diag(alpha)) / n == pytest.approx(0.2, abs=0.01)
    # Of one rate, hence of one shade: 0.3 * tpr + 0.7 * fpr = 0.2.
    row, column = int(n * 0.55), int(n * (0.2 - 0.3 * 0.55) / 0.7)
    assert alpha[row, column] == pytest.approx(alpha.max(), rel=0.05)
    assert tuple(shade.get_extent()) == (0, 1, 0, 1)
    x, y = line.get_data()
    assert 0.3 * y + 0.7 * x == pytest.approx(0.8)


@pytest.mark.parametrize("n_jobs", [None, pytest.param(2, marks=pytest.mark.slow)])
def test_from_cross_validation_runs_the_folds(n_jobs):
    cv = StratifiedKFold(3)
    results = cross_validate(
        LogisticRegression(), X, Y, cv=cv, return_estimator=True, return_indices=True
    )
    expected = RateAveragedROC.from_cv_results(results, X, Y)
    display = RateAveragedROC.from_cross_validation(
        LogisticRegression(), X, Y, cv=cv, n_jobs=n_jobs, space="rate-recall"
    )
    assert display.curve.tpr.tolist() == expected.curve.tpr.tolist()
    assert display.ax_.get_xlabel() == "Rate"


@pytest.mark.parametrize("is_routed", [False, True])
def test_clusters_and_weights_of_the_fit_reach_the_folds(is_routed):
    clusters, weights = np.arange(120) // 20, np.random.default_rng(0).random(120)
    folds = [
        (GaussianNB().fit(X[train], Y[train], weights[train]), test)
        for train, test in GroupKFold(3).split(X, Y, clusters)
    ]
    expected = rate_averaged_roc_curve(
        [Y[test] for _, test in folds],
        [model.predict_proba(X[test])[:, 1] for model, test in folds],
        bounds=None,
    )
    given = [{"clusters": clusters, "params": {"sample_weight": weights}}]
    if is_routed:
        given += [{"params": {"sample_weight": weights, "groups": clusters}}]
    with sklearn.config_context(enable_metadata_routing=is_routed):
        model = GaussianNB()
        if is_routed:
            model.set_fit_request(sample_weight=True)
        for arguments in given:
            display = RateAveragedROC.from_cross_validation(
                model, X, Y, cv=GroupKFold(3), bounds=None, **arguments
            )
            assert display.curve.tpr.tolist() == expected.tpr.tolist()
        assert list(given[-1]["params"]) == ["sample_weight", "groups"][: 1 + is_routed]


def test_clusters_that_are_missing_or_given_twice_are_refused():
    with pytest.raises(ValueError, match=r"clusters.*NaN"):
        RateAveragedROC.from_cross_validation(
            GaussianNB(), X, Y, cv=GroupKFold(3), clusters=[1] * 119 + [None]
        )
    clusters = np.arange(120) // 20
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match="clusters"),
    ):
        RateAveragedROC.from_cross_validation(
            GaussianNB(), X, Y, clusters=clusters, params={"groups": clusters}
        )


def test_a_number_of_folds_does_not_split_clusters():
    clusters = np.random.default_rng(0).permutation(120) // 2
    display, other = (
        RateAveragedROC.from_cross_validation(
            GaussianNB(), X, Y, cv=cv, clusters=clusters, bounds=None
        )
        for cv in (4, StratifiedGroupKFold(4))
    )
    assert display.curve.tpr.tolist() == other.curve.tpr.tolist()


def test_the_positive_class_and_the_response_are_chosen():
    labels = np.where(Y == 1, "a", "b")
    arguments = {"cv": 3, "bounds": None}
    with pytest.warns(UserWarning, match=r"RateAveragedROC.*'b'"):
        display = RateAveragedROC.from_cross_validation(
            LinearSVC(), X, labels, **arguments
        )
    other = RateAveragedROC.from_cross_validation(
        LinearSVC(), X, labels, pos_label="a", **arguments
    )
    assert (display.pos_label, other.pos_label) == ("b", "a")
    assert other.curve.tpr[::-1] == pytest.approx(1 - display.curve.fpr)


@pytest.mark.parametrize("missing", ["estimator", "indices"])
def test_a_lacking_part_of_the_results_is_named(missing):
    results = cross_validate(
        GaussianNB(), X, Y, return_estimator=True, return_indices=True
    )
    del results[missing]
    argument = {"estimator": "return_estimator=True", "indices": "return_indices=True"}
    with pytest.raises(ValueError, match=argument[missing]):
        RateAveragedROC.from_cv_results(results, X, Y)


LAW = rates.beta(8, 72)
NAMES = ("Logistic regression", "Naive Bayes, counts", "Decision tree")


@functools.cache
def curve_of(seed, n_pos=60):
    rng = np.random.default_rng(seed)
    y_trues = [np.repeat([1, 0], [n_pos, 240])] * 2
    y_scores = [rng.normal(size=len(y)) + 1.5 * y for y in y_trues]
    return rate_averaged_roc_curve(y_trues, y_scores, rates=np.linspace(0, 1, 51))


def draw(**options):
    """Draw three models on one axis."""
    ax = plt.subplots()[1]
    return [
        RateAveragedROC(curve_of(seed), name=name, rate=LAW).plot(ax, **options)
        for seed, name in enumerate(NAMES)
    ]


def test_what_models_share_is_drawn_once():
    first, *others = draw(plot_rate=True, plot_chance_level=True)
    for display in others:
        assert display.rate_ == first.rate_
        assert display.reachable_ == first.reachable_
        assert display.chance_level_ is first.chance_level_
    assert len(first.ax_.lines) == 3 + 2 + 1
    # The perfect ranking of another sample is another one, of the same name.
    rare = RateAveragedROC(curve_of(0, n_pos=20)).plot(first.ax_)
    assert rare.reachable_ != first.reachable_
    assert texts(first).count("Perfect and worst") == 1
    shades = draw(space="roc", plot_rate=True)
    assert {id(display.rate_[0]) for display in shades} == {id(shades[0].rate_[0])}
    known = [
        RateAveragedROC(curve_of(0), rate=0.2).plot(shades[0].ax_, plot_rate=True)
        for _ in range(2)
    ]
    assert known[0].rate_ == known[1].rate_


@pytest.mark.parametrize("space", SPACES)
def test_another_average_is_drawn_without_bounds_or_with_its_band(space):
    curve = curve_of(0)
    p = curve.prevalence
    for average in ("fpr", "tpr", "threshold"):
        display = RateAveragedROC(curve, name="model").plot(
            space=space, average=average
        )
        assert display.bounds_ is None
        points = curve.averaged(average)
        rates = p * points.tpr + (1 - p) * points.fpr
        x, y = coordinates(points, space, rates)
        assert display.line_.get_xdata() == pytest.approx(x)
        assert display.line_.get_ydata() == pytest.approx(y)
        assert f"at equal {average}, AUC" in display.line_.get_label()
    display.plot(space=space, average="threshold", plot_fixed_width=True)
    band = curve.fixed_width_band("threshold", random_state=0)
    rates = p * band.low.tpr + (1 - p) * band.low.fpr
    low = np.column_stack(coordinates(band.low, space, rates))
    assert display.bounds_.get_xy()[: len(low)] == pytest.approx(low)
    assert "95 % fixed-width band" in texts(display)
    plt.close("all")


def test_the_area_of_the_vertical_average_is_the_mean_over_folds():
    curve = curve_of(0)
    label = RateAveragedROC(curve, rate=0.2).plot(average="fpr").line_.get_label()
    assert f" AUC = {curve.fold_rate_weighted_auc().mean():.3f}" in label


def test_it_prints_as_its_curve_and_its_name():
    display = RateAveragedROC.from_predictions([[0, 1, 0, 1]], [[1, 3, 2, 4]], name="a")
    assert repr(display) == f"RateAveragedROC({display.curve!r}, name='a')"
