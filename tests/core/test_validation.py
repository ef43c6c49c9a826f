"""The checks of arguments: what passes, and each message."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skrate.core import validation as v


def test_a_sample_is_returned_ready_for_use():
    sample = v.check_ranked([[0], [1]], np.array([1, 2], np.int8), [1, 2])
    assert sample.is_pos.tolist() == [False, True]
    assert sample.is_pos.dtype == bool
    assert sample.scores.dtype == np.int8
    assert sample.weights.tolist() == [1, 2]


def test_weights_that_say_nothing_are_dropped():
    for weights in (None, [2, 2, 2], [0.1, 0.1, 0.1], [0, 3, 3]):
        assert v.check_ranked([0, 1, 1], [1, 2, 3], weights).weights is None
    sample = v.check_ranked([0, 1, 1], [1, 2, 3], [0, 1, 2])
    assert sample.scores.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("labels", "pos_label", "expected"),
    [
        ([0, 1], None, [False, True]),
        ([-1, 1], None, [False, True]),
        ([False, True], None, [False, True]),
        ([0.0, 1.0], None, [False, True]),
        ([1, 1], None, [True, True]),
        ([0, 0], None, [False, False]),
        ([-1, -1], None, [False, False]),
        ([0, 1], 0, [True, False]),
        ([0, 1], False, [True, False]),
        (["a", "b"], "a", [True, False]),
        (["a", "a"], "b", [False, False]),
        ([3, 3], 7, [False, False]),
        (np.array(["a", "b"], dtype=object), "b", [False, True]),
        (np.array([0, 1], dtype=object), None, [False, True]),
        (np.array([b"n", b"y"]), b"y", [False, True]),
    ],
)
def test_positive_cases_are_found(labels, pos_label, expected):
    assert v.check_labels(np.asarray(labels), pos_label).tolist() == expected


@pytest.mark.parametrize(
    ("labels", "pos_label", "message"),
    [
        ([0, 2], None, r"ambiguous for y_true with the labels \[0, 2\].*pos_label=2"),
        ([2, 2], None, r"ambiguous for y_true with the labels \[2\]"),
        ([0, 1, -1], None, r"y_true must hold two classes, found 3 labels: -1, 0, 1\."),
        (range(9), None, r"found 9 labels: 0, 1, 2, 3, 4, 5, \.\.\.\. Multiclass"),
        (list("abc"), "a", "found 3 labels: 'a', 'b', 'c'"),
        (["a", "b"], None, r"ambiguous .* pos_label='b'"),
        ([0, 1], 2, r"pos_label=2 is not a label of y_true, which holds \[0, 1\]"),
        ([0, 1], "1", r"pos_label='1' is not a label of y_true"),
        (["0", "1"], 1, r"pos_label=1 is not a label of y_true"),
        ([0.0, np.nan], None, r"y_true contains NaN \(first at position 1\)"),
        ([0.0, np.inf], None, r"y_true contains infinity \(first at position 1\)"),
        (np.array(["a", None], object), "a", r"y_true mixes labels of the types \['No"),
        (
            np.array(["a", 1], object),
            "a",
            r"mixes labels of the types \['int', 'str'\]",
        ),
        (np.array([0, np.nan], object), None, "y_true contains NaN"),
    ],
)
def test_bad_labels_are_named(labels, pos_label, message):
    with pytest.raises(ValueError, match=message):
        v.check_labels(np.asarray(labels), pos_label)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (3, r"name must be one-dimensional, found an array of shape \(\)\."),
        ([], "name is empty: at least one case is needed"),
        (np.empty((0, 1)), "name is empty"),
        (np.ones((3, 3)), r"found an array of shape \(3, 3\)\."),
        (np.ones((3, 2)), r"pass the column of the positive class, name\[:, 1\]"),
        (np.ones((1, 1, 1)), r"found an array of shape \(1, 1, 1\)"),
    ],
)
def test_bad_vectors_are_named(values, message):
    with pytest.raises(ValueError, match=message):
        v.check_vector("name", values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            [1.0, np.nan, np.inf],
            r"name contains NaN \(first at position 1\): remove or",
        ),
        ([1.0, -np.inf, np.nan], r"name contains infinity \(first at position 1\)"),
        (["a", "b"], r"name must be numeric, found dtype <U1 \(first value 'a'\)"),
        ([1.0, None], r"name contains NaN"),
        ([object(), 1], "name must be numeric, found dtype object"),
        ([1 + 2j], "name must be numeric"),
    ],
)
def test_bad_scores_are_named(values, message):
    with pytest.raises(ValueError, match=message):
        v.check_scores("name", values)


def test_finite_scores_may_have_a_sum_that_is_not():
    greatest = np.finfo(float).max
    scores = v.check_scores("name", [greatest, greatest, -greatest])
    assert scores.tolist() == [greatest, greatest, -greatest]
    half = np.full(100, 60_000, dtype=np.float16)
    assert v.check_scores("name", half) is not None


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), np.float64(0.5)])
def test_fractions_pass(value):
    assert type(v.check_fraction("name", value)) is float


@pytest.mark.parametrize(
    ("value", "options", "bounds"),
    [
        (0, {}, r"\(0, 1\)"),
        (1, {}, r"\(0, 1\)"),
        (0, {"include_one": True}, r"\(0, 1\]"),
        (1.5, {"include_one": True}, r"\(0, 1\]"),
        (1, {"include_zero": True}, r"\[0, 1\)"),
        (-1e-9, {"include_zero": True, "include_one": True}, r"\[0, 1\]"),
        (True, {"include_one": True}, r"\(0, 1\]"),
        ("0.5", {}, r"\(0, 1\)"),
        (None, {}, r"\(0, 1\)"),
        (float("nan"), {}, r"\(0, 1\)"),
        (np.array([0.5]), {}, r"\(0, 1\)"),
    ],
)
def test_bad_fractions_are_named(value, options, bounds):
    with pytest.raises(ValueError, match=f"name must be a number in {bounds}, got"):
        v.check_fraction("name", value, **options)


def test_bounds_of_fractions_are_included_when_asked():
    assert v.check_fraction("name", 0, include_zero=True) == 0
    assert v.check_fraction("name", 1, include_one=True) == 1


@pytest.mark.parametrize("value", [0, -1, 2.0, "2", None, True])
def test_bad_counts_are_named(value):
    with pytest.raises(ValueError, match="name must be an integer >= 1, got"):
        v.check_count("name", value)


def test_counts_pass():
    assert v.check_count("name", np.int64(3)) == 3
    assert v.check_count("name", 0, minimum=0) == 0
    with pytest.raises(ValueError, match=">= 2, got 1"):
        v.check_count("name", 1, minimum=2)


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan, "1", None, True])
def test_bad_positive_numbers_are_named(value):
    with pytest.raises(ValueError, match="name must be a finite number above 0, got"):
        v.check_positive("name", value)


@pytest.mark.parametrize("value", ["c", 1, None, ["a"]])
def test_bad_choices_are_named(value):
    with pytest.raises(ValueError, match=r"name must be one of \['a', 'b'\], got"):
        v.check_choice("name", value, ("b", "a"))
    assert v.check_choice("name", "a", ("b", "a")) == "a"


def test_generators_come_from_anything_that_seeds_one():
    generator = np.random.default_rng(0)
    assert v.check_generator(generator) is generator
    assert v.check_generator(3).random() == np.random.default_rng(3).random()
    assert v.check_generator(None).random() != v.check_generator(None).random()
    old = [v.check_generator(np.random.RandomState(3)).random() for _ in range(2)]
    assert old[0] == old[1]
    state = np.random.RandomState(3)
    assert v.check_generator(state).random() != v.check_generator(state).random()


@pytest.mark.parametrize("seed", [-1, "seed", 1.5])
def test_bad_seeds_are_named(seed):
    with pytest.raises(ValueError, match="random_state must be None, an integer >= 0"):
        v.check_generator(seed)


def test_an_undefined_metric_warns_where_it_was_called():
    def public():
        return v.warn_undefined("The metric", "of a reason")

    message = "The metric is undefined: of a reason. nan is returned."
    with pytest.warns(UndefinedMetricWarning, match=message) as caught:
        assert np.isnan(public())
    assert caught[0].filename == __file__


@pytest.mark.parametrize("dtype", [int, np.uint8, np.int8, float])
def test_a_label_between_two_others_is_seen(dtype):
    with pytest.raises(ValueError, match=r"found 3 labels: 0(\.0)?, 1(\.0)?, 2"):
        v.check_labels(np.array([0, 2, 1, 0], dtype=dtype))


def test_the_difference_of_labels_does_not_overflow():
    labels = np.array([-128, 127, 0], dtype=np.int8)
    with pytest.raises(ValueError, match="found 3 labels"):
        v.check_labels(labels, 127)
    assert v.check_labels(labels[:2], 127).tolist() == [False, True]


def test_counts_are_integers_of_a_least_size():
    assert v.check_counts("name", 3).tolist() == 3
    assert v.check_counts("name", [[0, 2]]).tolist() == [[0, 2]]
    assert v.check_counts("name", np.array([2], np.uint8)).dtype == np.intp
    with pytest.raises(ValueError, match="name must hold integers, found dtype float"):
        v.check_counts("name", [1.0])
    with pytest.raises(ValueError, match="name must be at least 2, found 1"):
        v.check_counts("name", [3, 1], minimum=2)
