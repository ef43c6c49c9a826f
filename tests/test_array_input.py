"""Arrays of every dtype, byte order and container: the oracle's number, or an error."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

import skrate
from looped import case, looped
from optional import require
from reference import delong, list_auc, rate_weighted
from reference.average_precision import average_precision
from skrate import rates

N = 60
Y_TRUE = np.random.default_rng(11).permutation(np.arange(N) < 20).astype(int)
GROUPS = np.arange(N) % 3

DTYPES = ["f2", "f4", "f8", "g", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def random_scores(dtype: str, seed: int) -> np.ndarray:
    """Return scores that use all digits of their type, some of them tied."""
    rng = np.random.default_rng(seed)
    if dtype[0] in "iu":
        limits = np.iinfo(dtype)
        scores = rng.integers(limits.min, limits.max, N, dtype, endpoint=True)
    else:
        # A heavy tail, of both signs.
        scores = (rng.standard_normal(N) * np.exp(rng.standard_normal(N))).astype(dtype)
    scores[:4], scores[4:6] = scores[6:10], scores[6]
    return scores


def oracle_values(labels, scores, other):
    """Return what the functions of ``found_values`` must give, by name."""
    lists = list_auc.lists_of(labels, scores, GROUPS.tolist())
    of_lists = [list_auc.auc(lists[group]) for group in range(3)]
    variance = delong.covariance(labels, scores, scores)
    return {
        "average precision": average_precision(labels, scores),
        "rauc": delong.auc(labels, scores),
        "rauc, beta": rate_weighted.rauc_in_recall_space(
            np.array(labels), ranked(scores), rate_weighted.beta(3, 5)
        ),
        "ranking auc": sum(of_lists) / 3,
        "group scores": tuple(of_lists),
        "estimate": (delong.auc(labels, scores), float(variance) ** 0.5),
        "compare": delong.auc(labels, scores) - delong.auc(labels, other),
    }


def found_values(y_true, y_score, other, groups, sample_weight=None, **pos_label):
    weighted = {"sample_weight": sample_weight, **pos_label}
    arrays = (y_true, y_score)
    estimate = skrate.estimate("roc_auc", *arrays, clusters=None, **weighted)
    by_list = skrate.group_scores("roc_auc", *arrays, groups=groups, **weighted)
    return {
        "average precision": skrate.average_precision_score(*arrays, **weighted),
        "rauc": skrate.rate_weighted_auc_score(*arrays, **weighted),
        "rauc, beta": skrate.rate_weighted_auc_score(
            *arrays, rate=rates.beta(3, 5), **weighted
        ),
        "ranking auc": skrate.ranking_auc_score(*arrays, groups=groups, **weighted),
        "group scores": tuple(by_list.values),
        "estimate": (estimate.value, estimate.standard_error),
        "compare": skrate.compare("roc_auc", *arrays, other, **weighted).value,
    }


def ranked(scores):
    """Return the place of each score among the distinct ones, by comparing pairs."""
    return np.array([len({b for b in scores if b < a}) for a in scores], dtype=float)


@looped("dtype", DTYPES)
def test_scores_of_any_dtype_and_byte_order_give_the_oracles_number(dtype):
    scores, other = random_scores(dtype, 1), random_scores(dtype, 2)
    expected = oracle_values(Y_TRUE.tolist(), list(scores), list(other))
    # Either byte order, in turn.
    swapped = [
        s.astype(s.dtype.newbyteorder(o)) for s, o in ((scores, ">"), (other, "<"))
    ]
    found = found_values(Y_TRUE, *swapped, GROUPS)
    for name, value in expected.items():
        tolerance = 1e-9 if name == "rauc, beta" else 1e-14
        assert_allclose(
            np.array(found[name], float),
            np.array(value, float),
            rtol=0,
            atol=tolerance,
            err_msg=name,
        )


@looped("dtype", ["f2", "f4", "f8", "g", "i1", "i8", "U", "S", "O"])
def test_labels_weights_and_groups_of_any_byte_order_are_the_same(dtype):
    scores, other = random_scores("f8", 1), random_scores("f8", 2)
    weights = np.random.default_rng(3).integers(1, 9, N)
    expected = found_values(Y_TRUE, scores, other, GROUPS, weights)
    for order in "<>":
        labels = Y_TRUE.astype(dtype)
        pos_label = labels[Y_TRUE == 1].tolist()[0]
        numbers = weights.astype("f8" if dtype in "US" else dtype)
        given = [
            array.astype(array.dtype.newbyteorder(order))
            for array in (labels, numbers, GROUPS.astype(dtype))
        ]
        labels, numbers, groups = given
        found = found_values(
            labels, scores, other, groups, numbers, pos_label=pos_label
        )
        assert found == expected


def test_the_last_score_of_two_lists_in_big_endian_is_seen():
    with pytest.warns(UserWarning, match="undefined"):
        score = skrate.average_precision_score([0, 0], np.array([0.1, 0.3], ">f8"))
    assert np.isnan(score)


def masked(values):
    return np.ma.array(values, mask=np.arange(N) == 3)


def structured(values):
    return np.array([(value, 0) for value in values.tolist()], "f8,f8")


def dates(values):
    return np.array("2020-01-01", "datetime64[ns]") + values.astype("timedelta64[ns]")


def with_nat(values):
    found = dates(values)
    found[3] = "NaT"
    return found


def sparse(values):
    from scipy.sparse import csr_array

    return csr_array(values.astype(float)[None, :])


def with_object(value):
    def spoil(values):
        found = values.astype(object)
        found[3] = value
        return found

    spoil.__name__ = f"with {value!r:.20}"
    return spoil


def with_pandas_na(dtype):
    def spoil(values):
        pandas = require("pandas")
        if dtype == "Int64":
            values = np.rint(values)
        found = pandas.Series(values).astype(dtype)
        found[3] = pandas.NA
        return found

    spoil.__name__ = f"pandas {dtype} with NA"
    return spoil


def polars_with_null(values):
    return require("polars").Series([None, *values.tolist()[1:]])


def polars_words_with_null(values):
    words = ["yes" if value > 0 else "no" for value in values]
    return require("polars").Series([None, *words[1:]])


def text_with_nan(values):
    return np.array(["a", *["b"] * (N - 2), np.nan])


def list_with_nan(values):
    return ["a", *["b"] * (N - 2), float("nan")]


def list_with_none(values):
    return [None, *values.tolist()[1:]]


def ragged(values):
    return [[1], [2, 3], *values.tolist()[2:]]


def generator(values):
    return (value for value in values)


def as_dict(values):
    return dict(enumerate(values.tolist()))


def as_set(values):
    return set(range(N))


def no_column(values):
    return require("pandas").DataFrame(index=range(N))


def two_columns(values):
    return require("pandas").DataFrame({"a": values, "b": values})


def scalar_array(values):
    return np.array(values[0])


def text(values):
    return "0" * N


def mixed(values):
    return ["a", *values.tolist()[1:]]


def unhashable(values):
    found = values.astype(object)
    found[3] = {}
    return found


NOWHERE = [
    masked,
    structured,
    with_nat,
    sparse,
    with_object(None),
    with_object(float("nan")),
    with_object(Decimal("NaN")),
    with_object(Decimal("sNaN")),
    with_object(np.datetime64("NaT", "ns")),
    with_object("a"),
    list_with_nan,
    list_with_none,
    ragged,
    generator,
    as_dict,
    as_set,
    scalar_array,
    text,
    mixed,
    unhashable,
]
# What pandas and polars hold.
OF_OTHERS = [
    *map(with_pandas_na, ("Int64", "Float64", "string", "category")),
    polars_with_null,
    polars_words_with_null,
    no_column,
    two_columns,
]
NO_NUMBERS = [
    dates,
    text_with_nan,
    lambda values: values.astype("timedelta64[s]"),
    lambda values: values.astype(str),
    lambda values: values.astype(bytes),
    lambda values: values.astype(str).tolist(),
    lambda values: values.astype(str).astype(object),
    lambda values: values.astype(complex),
    lambda values: values.astype(complex).tolist(),
    lambda values: np.array([object()] * N),
    with_object(10**400),
    with_object(Fraction(10**400)),
    with_object(Decimal("0.5")),
]
NO_LABELS = [
    dates,
    text_with_nan,
    lambda values: values.astype(complex),
    lambda values: values.astype(complex).astype(object),
]
NONSENSE = {
    "y_true": NO_LABELS,
    "y_score": NO_NUMBERS,
    "sample_weight": NO_NUMBERS,
    "groups": [],
}


@pytest.mark.parametrize("name", ["y_true", "y_score", "sample_weight", "groups"])
def test_nonsense_is_an_error_that_names_the_argument(name):
    for spoil in NOWHERE + NONSENSE[name]:
        with case(spoil.__name__):
            check_nonsense(name, spoil)


@pytest.mark.parametrize("spoil", OF_OTHERS, ids=lambda spoil: spoil.__name__)
@looped("name", ["y_true", "y_score", "sample_weight", "groups"])
def test_what_others_miss_is_an_error_that_names_the_argument(name, spoil):
    check_nonsense(name, spoil)


def check_nonsense(name, spoil):
    arguments = {
        "y_true": Y_TRUE,
        "y_score": random_scores("f8", 1),
        "sample_weight": np.arange(N) % 3 + 1,
        "groups": GROUPS,
    }
    arguments[name] = spoil(arguments[name])
    without_groups = {k: v for k, v in arguments.items() if k != "groups"}
    in_clusters = {**without_groups, "clusters": arguments["groups"]}
    calls = [
        lambda: skrate.ranking_auc_score(**arguments),
        lambda: skrate.group_scores("roc_auc", **arguments),
        lambda: skrate.compare(
            "roc_auc", y_score_b=np.arange(N), **compared(in_clusters)
        ),
    ]
    if spoil is not two_columns:
        # Which it takes for two markers.
        calls.append(lambda: skrate.estimate("roc_auc", **in_clusters))
    if name != "groups":
        calls += [
            lambda: skrate.average_precision_score(**without_groups),
            lambda: skrate.RankTable.from_arrays(**without_groups),
        ]
    for call in calls:
        # A generator can be read only once, and is refused each time.
        with pytest.raises(ValueError, match=name.replace("groups", "groups|clusters")):
            call()


def compared(arguments):
    """Return the arguments as compare names them."""
    return {("y_score_a" if k == "y_score" else k): v for k, v in arguments.items()}


def unmasked(values):
    return np.ma.array(values, mask=np.zeros(N, dtype=bool))


def objects(values):
    return values.astype(object)


def fractions(values):
    return [Fraction(value) for value in values.tolist()]


def columns(values):
    return [[value] for value in values.tolist()]


def zero_dimensional(values):
    return [np.array(value) for value in values]


def pandas_of(dtype):
    def contained(values):
        return require("pandas").Series(values).astype(dtype)

    contained.__name__ = f"pandas {dtype}"
    return contained


def pandas_arrow(values):
    require("pyarrow")
    kind = "int64[pyarrow]" if values.dtype.kind == "i" else "double[pyarrow]"
    return require("pandas").Series(values).astype(kind)


def pyarrow_array(values):
    return require("pyarrow").array(values)


def polars(values):
    return require("polars").Series(values.tolist())


@pytest.mark.parametrize(
    "container",
    [
        unmasked,
        objects,
        fractions,
        columns,
        zero_dimensional,
        pandas_of("category"),
        pandas_of("Float64"),
        pandas_of("object"),
        pandas_arrow,
        pyarrow_array,
        polars,
    ],
)
def test_containers_of_numbers_give_the_same_numbers(container):
    scores, other = random_scores("f8", 1), random_scores("f8", 2)
    weights = np.random.default_rng(3).integers(1, 9, N)
    given = (Y_TRUE, scores, other, GROUPS, weights)
    expected = found_values(*given)
    assert found_values(*map(container, given)) == expected


@looped("kind", ["string", "category", "object", "str"])
def test_pandas_words_are_labels_and_groups(kind):
    pandas = require("pandas")
    scores, other = random_scores("f8", 1), random_scores("f8", 2)
    words = pandas.Series(np.where(Y_TRUE == 1, "hit", "none")).astype(kind)
    lists = pandas.Series(GROUPS.astype(str)).astype(kind)
    expected = found_values(Y_TRUE, scores, other, GROUPS)
    assert found_values(words, scores, other, lists, pos_label="hit") == expected


@looped("kind", ["String", "Categorical"])
def test_polars_words_are_labels_and_groups(kind):
    module = require("polars")
    scores, other = random_scores("f8", 1), random_scores("f8", 2)
    words, lists = (
        module.Series(array.tolist()).cast(getattr(module, kind))
        for array in (np.where(Y_TRUE == 1, "hit", "none"), GROUPS.astype(str))
    )
    expected = found_values(Y_TRUE, scores, other, GROUPS)
    assert found_values(words, scores, other, lists, pos_label="hit") == expected


@looped(
    "neighbours",
    [
        [2**53, 2**53 + 1],
        [2**63 - 2, 2**63 - 1],
        [2**64 - 2, 2**64 - 1],
        [-(2**63), 1 - 2**63],
        [-(2**53) - 1, -(2**53)],
    ],
)
def test_object_integers_do_not_tie(neighbours):
    for scores in (neighbours, np.array(neighbours, dtype=object)):
        assert skrate.ranking_auc_score([0, 1], scores) == 1
        assert skrate.ranking_auc_score([1, 0], scores) == 0


def test_integers_that_float64_rounds_apart_are_fine():
    scores = [2**63 + 1, -1, 2**70]
    assert skrate.ranking_auc_score([1, 0, 1], scores) == 1
    assert skrate.ranking_auc_score([1, 0, 0], scores) == 0.5


EXTREME_WEIGHTS = {
    "negative zero": ([-0.0] * 2 + [1.0] * 8, [0] * 2 + [1] * 8),
    "equal and large": ([1e100] * 10, [1] * 10),
    "equal and small": ([1e-100] * 10, [1] * 10),
    "half": (np.array([6e4] * 5 + [3e4] * 5, "f2"), [2] * 5 + [1] * 5),
    "long": (np.array([1e90] * 5 + [2e90] * 5, "g"), [1] * 5 + [2] * 5),
    "objects": (np.array([2] * 5 + [Fraction(1, 2)] * 5), [4] * 5 + [1] * 5),
    "booleans": ([True] * 5 + [False] * 5, [1] * 5 + [0] * 5),
    "integers": (np.array([2**62] * 5 + [2**61] * 5), [2] * 5 + [1] * 5),
}


@looped("name", EXTREME_WEIGHTS)
def test_sampling_weights_of_any_size_are_weights(name):
    weights, relative = EXTREME_WEIGHTS[name]
    y_true, y_score = [0, 1, 0, 1, 1, 0, 1, 0, 1, 0], [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
    clusters = np.arange(10) // 2
    for extra in ({}, {"clusters": clusters}):
        found, expected = (
            skrate.estimate(
                "roc_auc", y_true, y_score, sample_weight=w, weights="sampling", **extra
            )
            for w in (weights, np.array(relative, float))
        )
        assert_allclose(
            [found.value, found.standard_error, *found.confidence_interval],
            [expected.value, expected.standard_error, *expected.confidence_interval],
            rtol=1e-13,
        )


@looped("weights", [[1e90] * 10, [2.0**53] + [1] * 9])
def test_more_repetitions_than_can_be_counted_are_refused(weights):
    with pytest.raises(ValueError, match=r"sample_weight stands for .* repetitions"):
        skrate.estimate("roc_auc", [0, 1] * 5, np.arange(10), sample_weight=weights)


def test_tables_are_no_labels_of_models():
    table = skrate.RankTable([1, 2, 1], [2, 1, 3])
    with pytest.raises(ValueError, match="y_true is a RankTable"):
        skrate.compare("roc_auc", table, {"a": [1], "b": [2]})


def test_masked_scores_of_several_models_are_refused():
    y_scores = np.ma.array(np.eye(4)[:, :2], mask=np.eye(4)[:, :2])
    with pytest.raises(ValueError, match="y_score_a is a masked array"):
        skrate.compare("roc_auc", [0, 1, 0, 1], y_scores)
