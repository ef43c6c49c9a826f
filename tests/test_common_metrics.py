"""What every metric promises: the metrics of ``metric_registry.py`` x properties."""

import inspect
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning

import skrate
from fuzzing.registry import fuzzed_names
from inference_cases import JUMPS, LATE
from list_strategies import ranked_lists
from looped import case, looped
from metric_cases import Case
from metric_cases import sample as drawn
from metric_registry import CASES, METRICS
from optional import require
from reference.tables import Groups
from skrate import RankTable, group_scores
from skrate.metrics import momentum
from skrate.metrics.metric import LIST_METRICS, Metric, find_metric
from skrate.metrics.metric import METRICS as REGISTERED
from strategies import ranked_samples


@contextmanager
def named(metric):
    """Name the metric that fails; of some metrics rankings are undefined."""
    with case(metric.name), warnings.catch_warnings():
        if metric.is_partial:
            warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield


def each_of(metrics):
    """Return what makes a test of one metric a test of each of these."""
    return looped("metric", metrics, named)


each_metric = each_of(METRICS)
each_weighted_metric = each_of([m for m in METRICS if m.takes_weights])

Y_TRUE = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0])
Y_SCORE = np.array([9, 8, 8, 7, 6, 6, 6, 5, 4, 3, 2, 1]) / 8
WEIGHT = np.array([1, 2, 1, 3, 1, 1, 2, 1, 1, 2, 1, 1.0])


@dataclass
class Cases:
    """A sample with everything that a metric wants to know per case."""

    metric: Any
    y_true: np.ndarray
    y_score: np.ndarray
    sample_weight: np.ndarray | None = None
    per_sample: dict[str, np.ndarray] | None = None

    def __post_init__(self):
        if self.per_sample is None:
            makers = self.metric.per_sample.items()
            self.per_sample = {name: make(len(self.y_true)) for name, make in makers}

    def score(self) -> float:
        weights = {}
        if self.sample_weight is not None:
            weights = {"sample_weight": self.sample_weight}
        return self.metric(self.y_true, self.y_score, **weights, **self.per_sample)

    def take(self, index: np.ndarray) -> "Cases":
        weights = None if self.sample_weight is None else self.sample_weight[index]
        per_sample = {name: values[index] for name, values in self.per_sample.items()}
        return Cases(
            self.metric, self.y_true[index], self.y_score[index], weights, per_sample
        )


def equal(left: float, right: float) -> bool:
    """Return whether two scores are the same bits, nan included."""
    return np.array_equal(left, right, equal_nan=True)


def test_every_public_score_is_registered():
    scores = {
        function
        for name in skrate.__all__
        if name.endswith("_score")
        and callable(function := getattr(skrate, name))
        and list(inspect.signature(function).parameters)[:2] == ["y_true", "y_score"]
    }
    by_name = {momentum.momentum_score, momentum.stamina_score}
    assert scores == {metric.function for metric in METRICS} - by_name


# Ends of what a rate may be, which the common cases have not.
BUDGETS = [
    Case(f"{function.__name__}, {rate}", function, {"rate": rate} | options)
    for function, options in (
        (skrate.recall_at_rate_score, {}),
        (skrate.precision_at_rate_score, {}),
        (skrate.lift_at_rate_score, {}),
        (skrate.rate_weighted_auc_score, {}),
        (skrate.expected_gain_score, {"gain": {"positive": 2, "negative": -1}}),
    )
    for rate in (1.0, "uniform")
]
# Metrics that depend on more than the recall, so ``lost_recall`` has no meaning.
NOT_BY_RECALL = {
    "average_precision_score", "expected_gain_score", "fpr_at_recall_score",
    "momentum_score", "partial_auc_score", "precision_at_recall_score",
    "rate_at_recall_score", "recall_at_fpr_score", "recall_at_precision_score",
    "stamina_score", "work_saved_score",
}  # fmt: skip


def test_a_new_metric_has_all_entries():
    names = {function.__name__ for function in REGISTERED}

    def lacking(have, needed=names):
        return sorted(needed - {getattr(one, "__name__", one) for one in have})

    by_recall = {
        function.__name__
        for function, kind in REGISTERED.items()
        if kind.lost_recall is not Metric.lost_recall
    }
    missing = {
        "tests/metrics/test_<file of the metric>.py: CASES with slopes=": lacking(
            case.function for case in CASES if case.slopes is not None
        ),
        "skrate/metrics: lost_recall, or here NOT_BY_RECALL": lacking(
            by_recall | NOT_BY_RECALL
        ),
        "tests/inference_cases.py: LATE": lacking(
            (function for function, _ in LATE),
            {function.__name__ for function, _ in JUMPS},
        ),
        "here: BUDGETS": lacking(
            (budget.function for budget in BUDGETS),
            {
                f.__name__
                for f in REGISTERED
                if "rate" in inspect.signature(f).parameters
            },
        ),
        "tests/fuzzing/registry.py: ENTRIES": lacking(
            fuzzed_names() | {"momentum_score", "stamina_score"}
        ),
    }
    missing = {place: metrics for place, metrics in missing.items() if metrics}
    assert not missing, f"add these metrics: {missing}"
    assert not NOT_BY_RECALL - names, "NOT_BY_RECALL has names without a metric"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@given(lists=st.one_of(ranked_lists(), ranked_lists(weighted=True)))
@each_of([*(m for m in METRICS if m.function in REGISTERED), *BUDGETS])
def test_each_list_has_the_value_that_it_has_alone(metric, lists):
    def found():
        return skrate.group_scores(
            metric.function, lists.y_true, lists.y_score, groups=lists.groups,
            sample_weight=lists.sample_weight, **metric.kwargs,
        )  # fmt: skip

    if not metric.in_lists:
        with pytest.raises(ValueError, match="metric"):
            found()
        return
    scores = found()
    assert scores.groups.tolist() == np.unique(lists.groups).tolist()
    for label, score in zip(scores.groups, scores.values, strict=True):
        rows = lists.groups == label
        weight = None if lists.sample_weight is None else lists.sample_weight[rows]
        if weight is not None and not weight.any():
            assert np.isnan(score)
            continue
        alone = metric(lists.y_true[rows], lists.y_score[rows], sample_weight=weight)
        assert score == pytest.approx(alone, abs=1e-12, nan_ok=True)


@given(sample=ranked_samples(weighted=True))
@each_of([m for m in METRICS if m.oracle is not None])
def test_a_score_is_the_oracles(metric, sample):
    weights = sample.sample_weight.astype(int).tolist()
    groups = Groups(sample.y_true.tolist(), sample.y_score.tolist(), weights)
    found = metric(sample.y_true, sample.y_score, sample_weight=sample.sample_weight)
    expected = metric.oracle(groups, **metric.kwargs)
    assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.filterwarnings("ignore:.* as predicted classes do")
@given(sample=ranked_samples(n_scores=9))
@each_metric
def test_only_the_order_of_the_scores_matters(metric, sample):
    y_true, y_score = sample.y_true, sample.y_score
    expected = metric(y_true, y_score)
    distinct, places = np.unique(y_score, return_inverse=True)
    for increasing in (
        # Zeros of both signs tie.
        np.where((y_score == 0) & (np.arange(len(y_score)) % 2 == 0), -0.0, y_score),
        -np.exp(-3 * y_score),
        places.astype(np.uint8),
        y_score.astype(np.float16),
        np.linspace(-1e300, 1e300, len(distinct))[places],
    ):
        assert equal(metric(y_true, increasing), expected)
    # Scores that differ in the last bit of their type take another path.
    neighbours = (1 + np.arange(len(distinct)) * np.finfo(float).eps)[places]
    for increasing in (neighbours, y_score.astype(np.longdouble)):
        score = metric(y_true, increasing)
        assert_allclose(score, expected, rtol=0, atol=1e-14)


@given(sample=ranked_samples(weighted=True))
@each_weighted_metric
def test_weights_are_relative_numbers_of_cases(metric, sample):
    weighted = Cases(metric, *sample)
    expected = weighted.score()
    # Equal weights are none, and zero is removal.
    for weight in (1, 0.3):
        equally = Cases(metric, *sample[:2], np.full(len(sample.y_true), weight))
        assert equal(equally.score(), Cases(metric, *sample[:2]).score())
    left = weighted.take(np.flatnonzero(sample.sample_weight))
    assert equal(left.score(), expected)
    times = sample.sample_weight.astype(int)
    repeated = weighted.take(np.repeat(np.arange(len(times)), times))
    repeated.sample_weight = None
    assert_allclose(repeated.score(), expected, rtol=0, atol=1e-12)
    # Their scale is free; a power of two changes no digit.
    halved = Cases(metric, *sample[:2], sample.sample_weight / 2)
    assert equal(halved.score(), expected)
    scaled = Cases(metric, *sample[:2], sample.sample_weight * 1e-7 / 3)
    assert_allclose(scaled.score(), expected, rtol=0, atol=1e-12)


@given(sample=ranked_samples(weighted=True), seed=st.integers(0, 99))
@each_metric
def test_the_order_of_the_cases_does_not_matter(metric, sample, seed):
    weights = sample.sample_weight if metric.takes_weights else None
    order = np.random.default_rng(seed).permutation(len(sample.y_true))
    for samples in (Cases(metric, *sample[:2]), Cases(metric, *sample[:2], weights)):
        assert equal(samples.take(order).score(), samples.score())


@each_metric
def test_inputs_are_left_as_they_are(metric):
    arguments = [Y_TRUE.copy(), Y_SCORE.copy()]
    weights = {"sample_weight": WEIGHT.copy()} if metric.takes_weights else {}
    for array in (*arguments, *weights.values()):
        array.flags.writeable = False
    metric(*arguments, **weights)
    assert np.array_equal(arguments[0], Y_TRUE)
    assert np.array_equal(arguments[1], Y_SCORE)


def column(values):
    return np.asarray(values)[:, None]


def strided(values):
    return np.repeat(np.asarray(values), 3)[::3]


def backwards(values):
    return np.asarray(values)[::-1].copy()[::-1]


def big_endian(values):
    values = np.asarray(values)
    return values.astype(values.dtype.newbyteorder(">"))


def pandas_series(values):
    # An index that is neither sorted nor unique says nothing about the cases.
    index = np.arange(len(values))[::-1] // 2
    return require("pandas").Series(values, index=index)


def polars_series(values):
    return require("polars").Series(values)


CONTAINERS = {
    "none": [list, tuple, column, strided, backwards, big_endian],
    "pandas": [pandas_series],
    "polars": [polars_series],
}


@each_metric
@pytest.mark.parametrize("package", CONTAINERS)
def test_containers_agree(metric, package):
    if package != "none":
        require(package)
    weights = {"sample_weight": WEIGHT} if metric.takes_weights else {}
    expected = metric(Y_TRUE, Y_SCORE, **weights)
    for container in CONTAINERS[package]:
        with case(container.__name__):
            contained = {name: container(values) for name, values in weights.items()}
            found = metric(container(Y_TRUE), container(Y_SCORE), **contained)
            assert found == expected


@each_metric
def test_byte_order_and_dtype_never_change_a_number(metric):
    for dtype in ("<f2", ">f4", ">g", ">i1", "<i8", ">u8"):
        with case(dtype):
            check_dtype(metric, dtype[1:], order=dtype[0])


def check_dtype(metric, dtype, order):
    rng = np.random.default_rng(17)
    if dtype[0] in "iu":
        limits = np.iinfo(dtype)
        y_score = rng.integers(limits.min, limits.max, 12, dtype, endpoint=True)
    else:
        # All digits of the type, and a tie.
        y_score = rng.standard_t(2, 12).astype(dtype)
    y_score[3] = y_score[5]
    places = np.unique(y_score, return_inverse=True)[1]
    numbers = "f8" if dtype == "u8" else dtype
    for pos_label, labels in (
        (None, Y_TRUE.astype(numbers)),
        ("1", Y_TRUE.astype(str)),
    ):
        arrays = [labels, y_score, *[WEIGHT.astype(numbers)] * metric.takes_weights]
        y_true, *rest = (a.astype(a.dtype.newbyteorder(order)) for a in arrays)
        names = ("y_score", "sample_weight")[: len(rest)]
        arguments = dict(zip(names, rest, strict=True))
        score = metric(y_true, pos_label=pos_label, **arguments)
        if metric.takes_weights:
            arguments["sample_weight"] = WEIGHT
        expected = metric(Y_TRUE, **{**arguments, "y_score": places})
        assert_allclose(score, expected, rtol=0, atol=1e-14)


RELABELLED = {
    "booleans": (Y_TRUE == 1, None),
    "minus one and one": (2 * Y_TRUE - 1, None),
    "floats": (Y_TRUE.astype(float), None),
    "one and two": (Y_TRUE + 1, 2),
    "the lesser number": (-Y_TRUE, -1),
    "strings": (np.where(Y_TRUE == 1, "yes", "no"), "yes"),
    "the lesser string": (np.where(Y_TRUE == 1, "ill", "well"), "ill"),
    "objects": (np.where(Y_TRUE == 1, "yes", "no").astype(object), "yes"),
    "booleans by name": (Y_TRUE == 0, False),
}


@each_metric
def test_labels_are_only_names(metric):
    expected = metric(Y_TRUE, Y_SCORE)
    for name, (labels, pos_label) in RELABELLED.items():
        with case(name):
            assert metric(labels, Y_SCORE, pos_label=pos_label) == expected


@given(sample=ranked_samples(), is_tied=st.booleans())
@each_metric
def test_what_is_said_of_constant_perfect_and_worst_scores(metric, sample, is_tied):
    labels = np.sort(sample.y_true)
    perfect = 2 * labels if is_tied else np.arange(len(labels))
    said = {"constant": np.zeros(len(labels)), "perfect": perfect}
    if metric.worst is not None:
        said["worst"] = -perfect
    for what, y_score in said.items():
        with case(what):
            score = metric(labels, y_score)
            assert type(score) is float
            expected = metric.said(what, labels)
            assert_allclose(score, expected, rtol=0, atol=1e-12)


@given(sample=ranked_samples(weighted=True))
@each_of([m for m in METRICS if m.negates or m.swaps])
def test_negated_scores_or_swapped_classes_give_one_minus_the_score(metric, sample):
    y_true, y_score, weight = sample
    weights = {"sample_weight": weight} if metric.takes_weights else {}
    expected = 1 - metric(y_true, y_score, **weights)
    if metric.negates:
        found = metric(y_true, -y_score, **weights)
        assert_allclose(found, expected, rtol=0, atol=1e-12)
    if metric.swaps:
        found = metric(1 - y_true, y_score, **weights)
        assert_allclose(found, expected, rtol=0, atol=1e-12)


@each_metric
@looped("n_samples", [1, 6])
@looped("present", [0, 1])
def test_one_class_is_undefined_or_a_number(metric, present, n_samples):
    y_true, y_score = np.full(n_samples, present), np.arange(n_samples)
    is_undefined = metric.needs_negatives if present else metric.needs_positives
    if not is_undefined:
        assert np.isfinite(metric(y_true, y_score))
        return
    missing = "negative" if present else "positive"
    with pytest.warns(UndefinedMetricWarning, match=missing):
        score = metric(y_true, y_score)
    assert type(score) is float
    assert np.isnan(score)


@each_weighted_metric
def test_a_class_without_weight_is_an_absent_class(metric):
    if not metric.needs_positives:
        return
    weights = (Y_TRUE == 0).astype(float)
    with pytest.warns(UndefinedMetricWarning, match="y_true"):
        assert np.isnan(metric(Y_TRUE, Y_SCORE, sample_weight=weights))


each_case = each_of([case for case in CASES if case.function in REGISTERED])


def of_table(metric, *samples, sample_weight=None):
    """Return the score of the table of these cases, given in their place."""
    table = skrate.RankTable.from_arrays(*samples, sample_weight=sample_weight)
    return metric.function(table, **metric.kwargs)


@each_case
def test_a_table_scores_as_its_cases(metric):
    for seed, n_samples in ((0, 40), (1, 200), (2, 3000)):
        y_true, y_score = drawn(seed, n_samples)
        # Of tied scores it takes another path, up to the last bits.
        expected = metric(y_true, y_score)
        assert_allclose(of_table(metric, y_true, y_score), expected, rtol=4e-15)
        untied = y_score + np.arange(n_samples) / 1e6
        assert equal(of_table(metric, y_true, untied), metric(y_true, untied))
        # The scale of equal weights is free, but they are no numbers of cases.
        if "k" not in metric.kwargs:
            halves = np.full(n_samples, 0.5)
            found = of_table(metric, y_true, y_score, sample_weight=halves)
            assert_allclose(found, expected, rtol=4e-15)


@each_case
def test_whole_weights_of_a_table_are_numbers_of_cases(metric):
    n_samples = 200
    y_true, y_score = drawn(3, n_samples)
    weight = np.random.default_rng(3).integers(0, 4, n_samples)
    expected = metric(np.repeat(y_true, weight), np.repeat(y_score, weight))
    found = of_table(metric, y_true, y_score, sample_weight=weight)
    assert_allclose(found, expected, rtol=4e-15)


@each_case
def test_other_weights_of_a_table_are_relative(metric):
    n_samples = 200
    y_true, y_score = drawn(4, n_samples)
    weight = np.random.default_rng(4).uniform(0.2, 3, n_samples)
    if "k" in metric.kwargs:
        with pytest.raises(ValueError, match="RankTable"):
            of_table(metric, y_true, y_score, sample_weight=weight)
        return
    for scale in (1, 2.0**-300, 2.0**300):
        scaled = {"sample_weight": weight * scale}
        found = of_table(metric, y_true, y_score, **scaled)
        assert equal(found, metric(y_true, y_score, **scaled))


@each_case
@looped("present", [0, 1])
def test_a_table_of_one_class_warns_as_its_cases(metric, present):
    y_true, y_score = np.full(50, present), np.arange(50)
    with warnings.catch_warnings(record=True) as of_samples:
        warnings.simplefilter("always")
        expected = metric.function(y_true, y_score, **metric.kwargs)
    with warnings.catch_warnings(record=True) as of_tables:
        warnings.simplefilter("always")
        found = of_table(metric, y_true, y_score)
    assert equal(found, expected)
    said = [[(str(w.message), w.category) for w in c] for c in (of_samples, of_tables)]
    assert said[0] == said[1]
    # The user's line, not ours.
    assert all(w.filename == __file__ for w in of_tables)


@each_case
def test_a_table_takes_nothing_beside_it(metric):
    table = skrate.RankTable([30, 20, 0], [5, 25, 50])
    for name, value in (
        ("y_score", [1, 2, 3]),
        ("sample_weight", [1, 1, 1]),
        ("pos_label", 1),
    ):
        with pytest.raises(ValueError, match=rf"{name}.*None"):
            metric.function(table, **{name: value}, **metric.kwargs)
    with pytest.raises(ValueError, match=r"y_score.*RankTable.*y_true"):
        metric.function([1, 0, 1], **metric.kwargs)
    with pytest.raises(ValueError, match=r"y_score.*RankTable"):
        metric.function([1, 0, 1], table, **metric.kwargs)


@each_of([m for m in METRICS if m.function not in REGISTERED])
def test_lists_are_not_in_a_table(metric):
    table = skrate.RankTable([3, 2, 0], [0, 2, 5])
    for arguments in ((table,), (table, [1, 2, 3])):
        with pytest.raises(ValueError, match=r"y_true.*RankTable"):
            metric.function(*arguments)


def spoilt(values: np.ndarray, value: Any) -> np.ndarray:
    values = values.astype(float)
    values[3] = value
    return values


HIDDEN = np.arange(12) == 3
BAD_INPUT = {
    "NaN in scores": ({"y_score": spoilt(Y_SCORE, np.nan)}, r"y_score.*NaN"),
    "infinity in scores": ({"y_score": spoilt(Y_SCORE, np.inf)}, r"y_score.*inf"),
    "opposite infinities": (
        {"y_score": np.r_[np.inf, -np.inf, Y_SCORE[2:]]},
        r"y_score.*inf",
    ),
    "short scores": ({"y_score": Y_SCORE[:5]}, r"y_true.*12.*y_score.*5"),
    "empty": ({"y_true": [], "y_score": []}, "y_true"),
    "a masked score": ({"y_score": np.ma.array(Y_SCORE, mask=HIDDEN)}, "y_score"),
    "a missing score": ({"y_score": [None, *Y_SCORE[1:]]}, "y_score"),
    "a masked label": ({"y_true": np.ma.array(Y_TRUE, mask=HIDDEN)}, "y_true"),
    "two columns": (
        {"y_score": np.stack([Y_SCORE, Y_SCORE], 1)},
        r"y_score.*\(12, 2\).*y_score\[:, i\]",
    ),
    "a row of scores": ({"y_score": Y_SCORE[None]}, "y_score"),
    "a row of labels": ({"y_true": Y_TRUE[None]}, "y_true"),
    "a number": ({"y_score": 0.5}, "y_score"),
    "words as scores": ({"y_score": ["high"] * 12}, "y_score"),
    "numeric strings": ({"y_score": Y_SCORE.astype(str)}, r"y_score.*dtype <U"),
    "three labels": ({"y_true": np.arange(12) % 3}, r"y_true.*0, 1, 2"),
    "three strings": ({"y_true": np.array(list("abc") * 4)}, r"y_true.*'a', 'b', 'c'"),
    "NaN in labels": ({"y_true": spoilt(Y_TRUE, np.nan)}, r"y_true.*NaN"),
    "an ambiguous label": ({"y_true": Y_TRUE + 1}, r"pos_label=None.*y_true.*1, 2"),
    "an ambiguous string": (
        {"y_true": np.where(Y_TRUE == 1, "b", "a")},
        r"pos_label=None.*pos_label='a'.*pos_label='b'",
    ),
    "an unknown label": ({"pos_label": 7}, r"pos_label=7.*y_true"),
}
# test_array_input.py has more kinds, for a few functions.
BAD_WEIGHTS = {
    "negative": (spoilt(WEIGHT, -1), r"sample_weight.*-1"),
    "NaN": (spoilt(WEIGHT, np.nan), r"sample_weight.*NaN"),
    "infinity": (spoilt(WEIGHT, np.inf), r"sample_weight.*inf"),
    "zero": (np.zeros(12), r"sample_weight.*zero"),
    "short": (np.ones(5), r"y_true.*12.*sample_weight.*5"),
    "words": (["heavy"] * 12, "sample_weight"),
    "numeric strings": (WEIGHT.astype(str), r"sample_weight.*dty"),
    "two columns": (np.ones((12, 2)), r"sample_weight.*\(12, 2\)"),
}


@each_metric
def test_bad_input_is_named(metric):
    per_sample = {name: make(12) for name, make in metric.per_sample.items()}
    for name, (bad, message) in BAD_INPUT.items():
        if name == "three labels" and metric.function is skrate.ndcg_score:
            # They are grades.
            continue
        arguments = {"y_true": Y_TRUE, "y_score": Y_SCORE, **bad}
        with case(name), pytest.raises(ValueError, match=message):
            metric(**arguments, **per_sample)


@each_weighted_metric
def test_bad_weights_are_named(metric):
    for name, (weights, message) in BAD_WEIGHTS.items():
        with case(name), pytest.raises(ValueError, match=message):
            metric(Y_TRUE, Y_SCORE, sample_weight=weights)


@each_of([m for m in METRICS if m.takes_weights and not m.per_sample])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rounding_leaves_no_value_outside_of_the_range(metric):
    # Perfect and perfectly wrong rankings have the values where a range ends.
    generator = np.random.default_rng(0)
    found = find_metric(metric.function, dict(metric.kwargs), in_lists=True)
    for _ in range(2):
        n = int(generator.integers(40, 60))
        y_true = (np.arange(n) < generator.integers(2, n - 2)).astype(int)
        weight = generator.random(n)
        for y_score in (np.arange(n), -np.arange(n), y_true, 1 - y_true):
            options = {**metric.kwargs, "sample_weight": weight}
            if metric.function not in LIST_METRICS:
                table = RankTable.from_arrays(y_true, y_score, sample_weight=weight)
                known = found.bind_sample_size(n, is_weighted=False)
                low, high = known.bounds(table)
                score = metric.function(y_true, y_score, **options)
                assert np.isnan(score) or low <= score <= high
                if not known.is_sum:
                    low, high = known.bounds()
                    (drawn,) = known.clip(
                        known.values(table.pos[None], table.neg[None])
                    )
                    assert np.isnan(drawn) or low <= drawn <= high
            if metric.in_lists and not found.is_sum:
                lists = group_scores(
                    metric.function, y_true, y_score, groups=np.arange(n) % 2, **options
                )
                low, high = found.bounds()
                average = generator.random(len(lists.groups))
                values = np.append(lists.values, lists.mean(average=average))
                values = values[~np.isnan(values)]
                assert ((low <= values) & (values <= high)).all()
