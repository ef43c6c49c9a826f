"""Arrays of every dtype, byte order and container: the oracle's number, or an error."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin

import skrate
from looped import case, looped
from optional import require
from reference import delong, lists, rate_law, tables
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
    groups = tables.Groups(labels, scores)
    within = lists.lists_of(labels, scores, GROUPS.tolist())
    of_lists = tuple(map(tables.auc, within.values()))
    variance = delong.covariance(labels, scores, scores)
    beta = rate_law.Density.of(stats.beta(3, 5))
    return {
        "average precision": tables.average_precision(groups),
        "rauc": tables.auc(groups),
        "rauc, beta": tables.rate_weighted_auc(groups, beta),
        "ranking auc": sum(of_lists) / 3,
        "group scores": of_lists,
        "estimate": (tables.auc(groups), float(variance) ** 0.5),
        "compare": tables.auc(groups) - tables.auc(tables.Groups(labels, other)),
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


DATE = np.array("2020-01-01", "datetime64[ns]")


def with_entry(value):
    """Return what puts an entry among values, which become objects."""

    def spoil(values):
        found = values.astype(object)
        found[3] = value
        return found

    return spoil


def with_pandas_na(dtype):
    def spoil(values):
        pandas = require("pandas")
        if dtype == "Int64":
            values = np.rint(values)
        found = pandas.Series(values).astype(dtype)
        found[3] = pandas.NA
        return found

    return spoil


def polars_words_with_null(values):
    words = ["yes" if value > 0 else "no" for value in values]
    return require("polars").Series([None, *words[1:]])


def two_columns(values):
    return require("pandas").DataFrame({"a": values, "b": values})


NOWHERE = {
    "masked": lambda values: np.ma.array(values, mask=np.arange(N) == 3),
    "records": lambda values: np.array([(v, 0) for v in values.tolist()], "f8,f8"),
    "NaT": lambda values: np.append(
        DATE + values[1:].astype("timedelta64[ns]"), np.datetime64("NaT", "ns")
    ),
    "sparse": lambda values: csr_array(values.astype(float)[None, :]),
    "None": with_entry(None),
    "NaN as an object": with_entry(float("nan")),
    "a decimal NaN": with_entry(Decimal("NaN")),
    "NaT as an object": with_entry(np.datetime64("NaT", "ns")),
    "a word": with_entry("a"),
    "a dict among them": with_entry({}),
    "a list of words with NaN": lambda _: ["a", *["b"] * (N - 2), float("nan")],
    "a list with None": lambda values: [None, *values.tolist()[1:]],
    "a list with a word": lambda values: ["a", *values.tolist()[1:]],
    "ragged": lambda values: [[1], [2, 3], *values.tolist()[2:]],
    "a generator": lambda values: (value for value in values),
    "a dict": lambda values: dict(enumerate(values.tolist())),
    "a set": lambda _: set(range(N)),
    "one number": lambda values: np.array(values[0]),
    "a text": lambda _: "0" * N,
}
OF_OTHERS = {
    **{f"pandas {kind} with NA": with_pandas_na(kind)
       for kind in ("Int64", "Float64", "string", "category")},
    "polars with null": lambda values: (
        require("polars").Series([None, *values.tolist()[1:]])
    ),
    "polars words with null": polars_words_with_null,
    "no column": lambda _: require("pandas").DataFrame(index=range(N)),
    "two columns": two_columns,
}  # fmt: skip
NO_NUMBERS = {
    "dates": lambda values: DATE + values.astype("timedelta64[ns]"),
    "words with NaN": lambda _: np.array(["a", *["b"] * (N - 2), np.nan]),
    "time spans": lambda values: values.astype("timedelta64[s]"),
    "strings": lambda values: values.astype(str),
    "bytes": lambda values: values.astype(bytes),
    "strings as objects": lambda values: values.astype(str).astype(object),
    "complex": lambda values: values.astype(complex),
    "a complex list": lambda values: values.astype(complex).tolist(),
    "objects": lambda _: np.array([object()] * N),
    "too large": with_entry(10**400),
    "too large a fraction": with_entry(Fraction(10**400)),
    "a decimal": with_entry(Decimal("0.5")),
}
NONSENSE = {
    "y_true": {
        name: NO_NUMBERS[name] for name in ("dates", "words with NaN", "complex")
    },
    "y_score": NO_NUMBERS,
    "sample_weight": NO_NUMBERS,
    "groups": {},
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_an_error_that_names_the_argument(name):
    for kind, spoil in (NOWHERE | NONSENSE[name]).items():
        with case(kind):
            check_nonsense(name, spoil)


@pytest.mark.parametrize("kind", OF_OTHERS)
@looped("name", NONSENSE)
def test_what_others_miss_is_an_error_that_names_the_argument(name, kind):
    check_nonsense(name, OF_OTHERS[kind])


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
        # It takes them for two models.
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


def pandas_of(dtype):
    return lambda values: require("pandas").Series(values).astype(dtype)


def pandas_arrow(values):
    require("pyarrow")
    kind = "int64" if values.dtype.kind == "i" else "double"
    return pandas_of(f"{kind}[pyarrow]")(values)


CONTAINERS = {
    "unmasked": lambda values: np.ma.array(values, mask=np.zeros(N, dtype=bool)),
    "objects": lambda values: values.astype(object),
    "fractions": lambda values: [Fraction(value) for value in values.tolist()],
    "columns": lambda values: [[value] for value in values.tolist()],
    "zero-dimensional": lambda values: [np.array(value) for value in values],
    "pandas category": pandas_of("category"),
    "pandas Float64": pandas_of("Float64"),
    "pandas object": pandas_of("object"),
    "pandas arrow": pandas_arrow,
    "pyarrow": lambda values: require("pyarrow").array(values),
    "polars": lambda values: require("polars").Series(values.tolist()),
    "tensor": lambda values: require("torch").asarray(values),
    "tensor with gradient": lambda values: torch_with_gradient(values),
    "tensor on a GPU": lambda values: torch_on_gpu(values),
    "like a tensor on a GPU": lambda values: LikeTorch(values),
    "like an array of CuPy": lambda values: LikeCuPy(values),
    "DLPack": lambda values: OnlyDLPack(values),
}


def torch_with_gradient(values):
    tensor = require("torch").asarray(values)
    return tensor.requires_grad_() if values.dtype.kind == "f" else tensor


def torch_on_gpu(values):
    torch = require("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    return torch_with_gradient(values).cuda()


class OnDevice:
    """An array that numpy cannot read, because it is on another device."""

    def __init__(self, values):
        self.values, self.shape, self.ndim = values, values.shape, values.ndim

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("it is on another device")


class LikeTorch(OnDevice):
    """As a tensor: only without gradients is it copied in a way that numpy reads."""

    has_gradient = True

    def detach(self):
        found = LikeTorch(self.values)
        found.has_gradient = False
        return found

    def cpu(self):
        return OnDevice(self.values) if self.has_gradient else self.values

    def float(self):
        raise AssertionError("it would be rounded")


class LikeCuPy(OnDevice):
    def get(self):
        return self.values


class OnlyDLPack:
    def __init__(self, values):
        self.values, self.shape = values, values.shape

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_of_numbers_give_the_same_numbers(name):
    scores, other = random_scores("f8", 1), random_scores("f8", 2)
    weights = np.random.default_rng(3).integers(1, 9, N)
    given = (Y_TRUE, scores, other, GROUPS, weights)
    expected = found_values(*given)
    converted = [CONTAINERS[name](each) for each in given]
    assert found_values(*converted) == expected
    # Mixed with arrays of numpy.
    assert found_values(*converted[:1], *given[1:]) == expected
    assert found_values(given[0], *converted[1:4], given[4]) == expected


@pytest.mark.parametrize(
    "name", ["columns", "pandas Float64", *(n for n in CONTAINERS if "tensor" in n)]
)
def test_containers_of_several_classes_give_the_same_numbers(name):
    convert = CONTAINERS[name]
    if name == "columns":
        convert = np.ndarray.tolist
    elif name == "pandas Float64":
        convert = require("pandas").DataFrame
    rng = np.random.default_rng(4)
    y_true, weights = rng.integers(0, 3, N), rng.integers(1, 9, N)
    y_score = rng.dirichlet(np.ones(3), N)
    expected = skrate.rate_weighted_auc_score(y_true, y_score, sample_weight=weights)
    of_one = CONTAINERS[name]
    found = skrate.rate_weighted_auc_score(
        of_one(y_true), convert(y_score), sample_weight=of_one(weights)
    )
    assert found == expected
    # Several models, a column each.
    pairs = skrate.compare("roc_auc", of_one(Y_TRUE), convert(y_score))
    expected = skrate.compare("roc_auc", Y_TRUE, y_score)
    assert [pair.value for pair in pairs] == [pair.value for pair in expected]


@looped("dtype", ["float16", "bfloat16", "float32"])
def test_scores_of_networks_need_no_preparation(dtype):
    torch = require("torch")
    tensor = torch.asarray(random_scores("f4", 1)).to(getattr(torch, dtype))
    found = skrate.RankTable.from_arrays(Y_TRUE, tensor.requires_grad_())
    expected = tensor.detach().float().numpy()
    assert found == skrate.RankTable.from_arrays(Y_TRUE, expected)


class TorchClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that answers with tensors, as networks do."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        n_columns = len(self.classes_)
        return X[:, 0] if n_columns == 2 else X[:, :n_columns]

    def predict(self, X):
        torch = require("torch")
        return (X[:, 0] > 0).to(torch.int64)


@looped(
    "n_classes, options",
    [
        (2, {}),
        (2, {"pos_label": 0}),
        (2, {"response_method": "predict"}),
        (3, {}),
        (3, {"average": "weighted"}),
        (3, {"pos_label": 2}),
    ],
)
def test_scorers_take_labels_weights_and_scores_of_torch(n_classes, options):
    torch = require("torch")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(N, 3)), rng.integers(0, n_classes, N)
    weights = rng.integers(1, 9, N)
    if "average" in options:
        scorer = skrate.make_ranking_scorer(skrate.rate_weighted_auc_score, **options)
    else:
        scorer = skrate.RateWeightedAUCScorer(**options)
    model, tensors = TorchClassifier().fit(X, y), torch.asarray(X)
    (*given, weight) = map(torch.asarray, (X, y, weights))
    found = scorer(model, *given, sample_weight=weight)
    assert found == scorer(model, tensors, y, sample_weight=weights)
    if "predict" not in options.values():
        assert found == scorer(model, X, y, sample_weight=weights)


WORDS = {
    "pandas": ["string", "category", "object", "str"],
    "polars": ["String", "Categorical"],
}


@pytest.mark.parametrize("package", WORDS)
def test_words_of_frames_are_labels_and_groups(package):
    module = require(package)
    scores, other = random_scores("f8", 1), random_scores("f8", 2)
    expected = found_values(Y_TRUE, scores, other, GROUPS)
    words = np.where(Y_TRUE == 1, "hit", "none").tolist(), GROUPS.astype(str).tolist()
    for kind in WORDS[package]:
        with case(kind):
            labels, lists = (
                module.Series(each).astype(kind)
                if package == "pandas"
                else module.Series(each).cast(getattr(module, kind))
                for each in words
            )
            found = found_values(labels, scores, other, lists, pos_label="hit")
            assert found == expected


@looped("weights", [[1e90] * 10, [2.0**53] + [1] * 9])
def test_more_repetitions_than_can_be_counted_are_refused(weights):
    with pytest.raises(ValueError, match="sample_weight"):
        skrate.estimate("roc_auc", [0, 1] * 5, np.arange(10), sample_weight=weights)


def test_masked_scores_of_several_models_are_refused():
    y_scores = np.ma.array(np.eye(4)[:, :2], mask=np.eye(4)[:, :2])
    with pytest.raises(ValueError, match="y_score_a"):
        skrate.compare("roc_auc", [0, 1, 0, 1], y_scores)
