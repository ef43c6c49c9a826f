"""Tensors and other arrays, on the CPU and elsewhere: what numpy says of the same."""

import os
import re
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin

import skrate
from looped import looped
from metric_cases import sample
from metric_registry import METRICS
from optional import require
from repository import ROOT
from skrate import RankTable
from skrate.data import array_api
from strategies import ranked_samples

N = 300


@contextmanager
def dispatching():
    """Turn scikit-learn's dispatch on, which asks for SciPy's switch as well."""
    with mock.patch.dict(os.environ, SCIPY_ARRAY_API="1"):
        context = sklearn.config_context(array_api_dispatch=True)
        try:
            context.__enter__()
        except ImportError as error:
            pytest.skip(f"scikit-learn cannot dispatch arrays: {error}")
        try:
            yield
        finally:
            context.__exit__(None, None, None)


def strict(values, device="device1"):
    """Return an array of nothing but the standard, which numpy refuses to read."""
    xp = require("array_api_strict")
    return xp.asarray(np.asarray(values), device=xp.Device(device))


def strict_on_cpu(values):
    return strict(values, "CPU_DEVICE")


def torch_on_cpu(values):
    return require("torch").asarray(np.array(values))


def torch_on_cuda(values):
    torch = require("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    return torch.asarray(np.array(values), device="cuda")


def torch_as_elsewhere(values):
    """Return a tensor on the CPU that is ranked by torch, as those on a GPU are."""
    return torch_on_cpu(values)


CONVERTERS = [strict, strict_on_cpu, torch_on_cpu, torch_as_elsewhere, torch_on_cuda]
ELSEWHERE = [strict, torch_as_elsewhere, torch_on_cuda]


@contextmanager
def dispatched(convert):
    """Turn dispatch on for what ``convert`` makes; tensors may pass for elsewhere."""
    require("array_api_compat")
    with dispatching(), pytest.MonkeyPatch.context() as patch:
        if convert is torch_as_elsewhere:
            patch.setattr(array_api, "is_elsewhere", array_api.is_dispatched)
        yield convert


def each_of(converters):
    return pytest.mark.parametrize(
        "convert", converters, ids=[convert.__name__ for convert in converters]
    )


def tables(convert, *arrays, **pos_label):
    """Return the table of numpy's arrays, and of what ``convert`` makes of them."""
    names = ("y_true", "y_score", "sample_weight")
    expected = RankTable.from_arrays(
        **dict(zip(names, arrays, strict=False)), **pos_label
    )
    with dispatched(convert):
        converted = dict(zip(names, map(convert, arrays), strict=False))
        return expected, RankTable.from_arrays(**converted, **pos_label)


def heavy_scores(dtype, seed=0):
    """Scores of all digits: neighbours, ties, both zeros, numbers next to zero."""
    rng = np.random.default_rng(seed)
    scores = (rng.standard_normal(N) * np.exp(3 * rng.standard_normal(N))).astype(dtype)
    scores[:40] = np.nextafter(scores[40:80], np.array(np.inf, dtype))
    scores[80:120] = scores[120:160]
    scores[160:170], scores[170:180] = 0.0, -0.0
    tiny = np.finfo(dtype).smallest_subnormal
    scores[180:184] = tiny, -tiny, 2 * tiny, tiny
    return rng.permutation(scores)


def labels(seed=1):
    return np.random.default_rng(seed).integers(0, 2, N)


@each_of(CONVERTERS)
@looped("metric", METRICS)
def test_each_metric_is_what_it_is_of_numpys_arrays(metric, convert):
    y_true, y_score = sample(7, n=N)
    weight = {}
    if metric.takes_weights:
        weight["sample_weight"] = np.random.default_rng(3).random(N) + 0.1
    others = {name: make(N) for name, make in metric.per_case.items()}
    for given_weight in ({}, weight):
        expected = metric(y_true, y_score, **others, **given_weight)
        with dispatched(convert):
            weights = {name: convert(w) for name, w in given_weight.items()}
            found = metric(convert(y_true), convert(y_score), **others, **weights)
        assert isinstance(found, float)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@each_of(CONVERTERS)
@given(data=st.data(), weighted=st.booleans(), single=st.booleans())
def test_tables_are_the_same_whatever_ties(convert, data, weighted, single):
    # Sums of these weights are exact.
    y_true, y_score, weight = data.draw(
        ranked_samples(weighted=weighted, both_classes=False)
    )
    if weight is not None and not weight.any():
        weight = weight + 1
    y_score = y_score.astype("f4" if single else "f8")
    arrays = (y_true, y_score) if weight is None else (y_true, y_score, weight)
    expected, found = tables(convert, *arrays)
    assert found == expected
    assert found.thresholds.dtype == y_score.dtype


@each_of(CONVERTERS)
@looped("dtype", ["f4", "f8"])
def test_scores_rank_by_all_their_digits(convert, dtype):
    y_true, y_score = labels(), heavy_scores(dtype)
    expected, found = tables(convert, y_true, y_score)
    assert found == expected
    with dispatched(convert):
        score = skrate.average_precision_score(convert(y_true), convert(y_score))
    # Summed by case there, by group here.
    expected = skrate.average_precision_score(y_true, y_score)
    assert_allclose(score, expected, rtol=4e-15)


@each_of(CONVERTERS)
@looped("dtype", ["f4", "f8", "i8"])
def test_weights_sum_to_the_same(convert, dtype):
    rng = np.random.default_rng(5)
    weight = (1 + 9 * rng.random(N) ** 4).astype(dtype)
    weight[::7] = 0
    expected, found = tables(convert, labels(), sample(2, n=N)[1], weight)
    assert np.array_equal(found.thresholds, expected.thresholds)
    for name in ("pos", "neg", "cum_pos", "cum_neg"):
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-14)


@each_of(CONVERTERS)
@looped(
    "kind, pos_label",
    [
        (lambda y: y, None),
        (lambda y: y, 0),
        (lambda y: y.astype(bool), None),
        (lambda y: y.astype(bool), False),
        (lambda y: y.astype("f4"), None),
        (lambda y: y.astype("u1"), 1),
        (lambda y: 2 * y - 1, None),
        (lambda y: (2 * y - 1).astype("i1"), -1),
        (lambda y: y + 0.1, 0.1),
        (lambda y: 5 * y + 2, 7),
        (lambda y: y * 0, None),
        (lambda y: y * 0, 5),
        (lambda y: y == y, None),
    ],
)
def test_labels_of_all_kinds(convert, kind, pos_label):
    y_true = kind(labels())
    expected, found = tables(
        convert, y_true, heavy_scores("f4"), labels(4) + 1.5, pos_label=pos_label
    )
    assert found == expected


@each_of(CONVERTERS)
@looped("dtype", ["i1", "u1", "i8", "bool", "u2"])
def test_scores_that_are_no_floats(convert, dtype):
    y_score = np.random.default_rng(6).integers(0, 100, N)
    y_score = y_score > 50 if dtype == "bool" else y_score.astype(dtype)
    expected, found = tables(convert, labels(), y_score)
    assert found == expected


@each_of(ELSEWHERE)
def test_little_comes_back(convert, monkeypatch):
    moved = []

    def recorded(values):
        moved.append(as_numpy(values))
        return moved[-1]

    as_numpy = array_api.as_numpy
    monkeypatch.setattr(array_api, "as_numpy", recorded)
    weight = np.random.default_rng(2).integers(0, 3, N).astype("f4")
    n_counted = np.count_nonzero(weight)
    with dispatched(convert):
        y_true, y_score = convert(labels()), convert(heavy_scores("f4"))
        skrate.rate_weighted_auc_score(y_true, y_score)
        # One byte a case.
        assert [array.nbytes for array in moved] == [N]
        moved.clear()
        weight = convert(weight)
        skrate.rate_weighted_auc_score(y_true, y_score, sample_weight=weight)
    assert [array.nbytes for array in moved] == [n_counted, 4 * n_counted]


def bad_input():
    """Yield arrays of which something is wrong."""
    scores, weights = heavy_scores("f8"), labels(4) + 0.5
    fine = {"y_true": 1.0 * labels(), "y_score": scores, "sample_weight": weights}
    for name, value in [
        *(("y_score", value) for value in (np.nan, -np.inf)),
        *(("y_true", value) for value in (np.nan, 2)),
        *(("sample_weight", value) for value in (np.nan, np.inf, -0.5)),
    ]:
        yield fine | {name: np.where(np.arange(N) == 7, value, fine[name])}
    yield fine | {"sample_weight": np.zeros(N)}
    yield fine | {"y_score": np.ones(N, dtype=complex)}
    yield fine | {"y_true": labels() + 1}
    yield {name: values[:0] for name, values in fine.items()}
    for name, values in fine.items():
        yield fine | {name: values[:-1]}
        yield fine | {name: np.stack([values] * 2, axis=1)}


@each_of(CONVERTERS)
@looped("arrays", bad_input())
def test_bad_input_is_refused_in_the_same_words(convert, arrays):
    calls = [
        RankTable.from_arrays,
        skrate.rate_weighted_auc_score,
        lambda **given: skrate.influence("roc_auc", weights="sampling", **given),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"found|has|contains|is") as of_numpy:
            call(**arrays)
        same = f"^{re.escape(str(of_numpy.value))}$"
        with dispatched(convert), pytest.raises(ValueError, match=same):
            call(**{name: convert(values) for name, values in arrays.items()})


@each_of(CONVERTERS)
def test_one_class_warns(convert):
    with (
        dispatched(convert),
        pytest.warns(UserWarning, match="y_true holds no negative case"),
    ):
        score = skrate.rate_weighted_auc_score(
            convert(np.ones(3)), convert(np.arange(3.0))
        )
    assert np.isnan(score)


@each_of(CONVERTERS)
def test_inference_and_lists_take_them(convert):
    y_true, y_score, other = labels(), heavy_scores("f4"), heavy_scores("f8", 9)
    groups = np.arange(N) % 5

    def results(convert):
        arrays = convert(y_true), convert(y_score)
        weight = convert(labels(8) + 1)
        estimate = skrate.estimate("roc_auc", *arrays, sample_weight=weight)
        lists = skrate.group_scores("roc_auc", *arrays, groups=convert(groups))
        pair = skrate.compare("roc_auc", *arrays, convert(other))
        return (
            estimate.value,
            estimate.standard_error,
            tuple(lists.values),
            pair.pvalue,
            skrate.hit_curve(*arrays)[0],
            RankTable.from_batches([arrays, arrays]).pos,
            skrate.rate_averaged_roc_curve(
                *([each] * 2 for each in arrays),
                sample_weight=[weight] * 2,
                bounds="normal",
            ).tpr,
        )

    expected = results(np.asarray)
    with dispatched(convert):
        found = results(convert)
    for of_convert, of_numpy in zip(found, expected, strict=True):
        assert_allclose(of_convert, of_numpy, rtol=1e-12)


class FirstColumn(ClassifierMixin, BaseEstimator):
    """A classifier that answers with arrays of the kind that it is given."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        xp = require("array_api_compat").array_namespace(X)
        return xp.astype(X[:, 0] > 0, xp.int64)


@each_of([strict, strict_on_cpu, torch_on_cpu, torch_on_cuda])
@looped("options", [{}, {"pos_label": 0}, {"response_method": "predict"}])
def test_scorers_take_what_an_estimator_of_arrays_says(convert, options):
    X = np.random.default_rng(0).normal(size=(N, 1))
    y = (X[:, 0] + labels() > 0.5).astype(int)
    model, scorer = FirstColumn().fit(X, y), skrate.RateWeightedAUCScorer(**options)
    expected = scorer(model, X, y)
    with dispatched(convert):
        assert scorer(model, convert(X), convert(y)) == expected


@each_of([strict, torch_on_cpu, torch_on_cuda])
def test_arrays_of_two_libraries_are_named(convert):
    y_true, y_score = labels(), heavy_scores("f8")
    library = "torch" if "torch" in convert.__name__ else "array_api_strict"
    named = f"y_true is an array of numpy on cpu, y_score is one of {library} on"
    calls = [
        skrate.average_precision_score,
        RankTable.from_arrays,
        lambda *given: skrate.estimate("roc_auc", *given),
        lambda *given: skrate.group_scores("roc_auc", *given, groups=labels(3)),
    ]
    compared = "y_true is an array of .*, y_score_b is one of numpy on cpu"
    with dispatched(convert):
        for call in calls:
            with pytest.raises(ValueError, match=named):
                call(y_true, convert(y_score))
        with pytest.raises(ValueError, match=compared):
            skrate.compare("roc_auc", *map(convert, (y_true, y_score)), y_score)
        with pytest.raises(ValueError, match=r"y_true is .*sample_weight is one of n"):
            skrate.average_precision_score(
                convert(y_true), convert(y_score), sample_weight=np.ones(N)
            )


def test_arrays_on_two_devices_are_named():
    with (
        dispatched(strict),
        pytest.raises(ValueError, match=r"y_true is .*device2.*y_score is .*device1"),
    ):
        skrate.average_precision_score(
            strict(labels(), "device2"), strict(heavy_scores("f8"))
        )


@each_of(CONVERTERS)
def test_lists_and_words_go_along_with_scores_of_any_place(convert):
    y_true, y_score = labels(), heavy_scores("f8")
    words = np.where(y_true == 1, "ill", "well")
    expected = skrate.average_precision_score(y_true, y_score)
    with dispatched(convert):
        scores = convert(y_score)
        of_list = skrate.average_precision_score(y_true.tolist(), scores)
        of_words = skrate.average_precision_score(words, scores, pos_label="ill")
    assert of_list == of_words == expected


def test_without_dispatch_another_device_is_refused_with_advice():
    advice = r"y_score of type Array .* sklearn\.set_config\(array_api_dispatch=True\)"
    with pytest.raises(ValueError, match=advice):
        skrate.average_precision_score(labels(), strict(heavy_scores("f8")))


def test_without_the_bridge_another_device_is_refused_with_advice(monkeypatch):
    y_score = strict(heavy_scores("f8"))
    monkeypatch.setattr(array_api, "_compat", lambda: None)
    with dispatching(), pytest.raises(ValueError, match="install array-api-compat"):
        skrate.average_precision_score(labels(), y_score)


@looped(
    "options, advice",
    [
        ({"requires_grad": True}, r"Pass y_score\.detach\(\), or call sklearn\.set"),
        ({"device": "meta"}, r"Pass y_score\.cpu\(\), or call sklearn\.set_config"),
        ({"device": "meta", "requires_grad": True}, r"y_score\.detach\(\)\.cpu\(\), "),
        ({"dtype": "bfloat16"}, r"Pass y_score\.float\(\), or call sklearn\.set"),
    ],
)
def test_without_dispatch_tensors_say_what_to_do(options, advice):
    torch = require("torch")
    if "dtype" in options:
        options = {"dtype": getattr(torch, options["dtype"])}
    y_score = torch.ones(3, **options)
    with pytest.raises(ValueError, match=f"y_score of type Tensor .*{advice}"):
        skrate.average_precision_score([0, 1, 1], y_score)


@each_of([torch_on_cpu, torch_as_elsewhere, torch_on_cuda])
@looped("dtype", ["float16", "bfloat16", "float32"])
def test_scores_of_networks_need_no_preparation(convert, dtype):
    torch = require("torch")
    with dispatched(convert):
        y_score = convert(heavy_scores("f4")).to(getattr(torch, dtype))
        expected = y_score.float().cpu().numpy()
        found = RankTable.from_arrays(
            convert(labels()), y_score.clamp(-1e4, 1e4).requires_grad_()
        )
    assert found == RankTable.from_arrays(labels(), expected.clip(-1e4, 1e4))


PAGE = ROOT / "docs" / "user_guide" / "array_api.rst"


@pytest.mark.skipif(not PAGE.is_file(), reason="needs the checkout's documentation")
def test_the_code_of_the_user_guide_runs():
    require("torch")
    text = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(r"block:: python\n((?:\n|    .*\n)+)", text)
    # In a process of its own, as it has to set a variable before imports.
    program = textwrap.dedent(code).replace('"cuda"', '"cpu"')
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
