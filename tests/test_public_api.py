"""The public names: sorted, importable, named by one vocabulary, documented whole."""

import ast
import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from itertools import permutations
from types import ModuleType
from typing import Any

import pytest

import skrate
from looped import looped
from metric_registry import CASES
from optional import require
from repository import ROOT
from skrate.metrics import registry
from skrate.metrics.metric import FILLED_IN, METRICS
from vocabulary import DATA, VOCABULARY

NUMPYDOC_IGNORED = {
    "GL01": "the summary starts on the line of the quotes, as PEP 257 allows",
    "ES01": "a section is dropped if it is empty: a summary may say it all",
    "SA01": "the same, where there is no sibling to compare with",
    "PR08": "a description may start with a name in lower case, such as rAUC",
    "RT04": "the same",
    "RT02": "a returned value has a name, so that Notes can speak of it",
}
# A method is documented in the class's page, beside its siblings.
MEMBER_IGNORED = NUMPYDOC_IGNORED | {
    "EX01": "the example of the class shows the method"
}
# Up to this many parameters, a method may say all in its summary.
MAX_UNLISTED = 2


def public_modules() -> list[ModuleType]:
    """Return skrate, and the modules that it hands on as names (skrate.rates)."""
    handed_on = [
        value
        for name in ["rates", *skrate.__all__]
        if isinstance(value := getattr(skrate, name, None), ModuleType)
    ]
    return [skrate, *dict.fromkeys(handed_on)]


def public_objects() -> Iterator[tuple[str, Any]]:
    """Yield (dotted name, object), modules left out."""
    for module in public_modules():
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name, None)
            if not isinstance(value, ModuleType):
                yield f"{module.__name__}.{name}", value


def public_members() -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties of our own, inherited ones as well."""
    for path, value in public_objects():
        if inspect.isclass(value):
            for name in sorted(dir(value)):
                member = inspect.getattr_static(value, name)
                if not name.startswith("_") and is_ours(member):
                    yield f"{path}.{name}", member


def is_ours(member: Any) -> bool:
    """Return whether a class attribute is a method or property written here."""
    function = getattr(member, "fget", None) or getattr(member, "__func__", member)
    module = getattr(function, "__module__", None) or ""
    return inspect.isfunction(function) and module.split(".")[0] == "skrate"


each_module = looped("module", public_modules())
each_object = looped("path, value", public_objects())
each_member = looped("path, member", public_members())


@each_module
def test_all_is_sorted_and_importable(module):
    names = list(module.__all__)
    assert names == sorted(set(names))
    assert not [name for name in names if not hasattr(module, name)]


@each_module
def test_nothing_public_is_left_out_of_all(module):
    named = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    missing = sorted(named - set(module.__all__))
    assert not missing, f"add to __all__ of {module.__name__}, or rename: {missing}"


def test_all_is_written_out_for_type_checkers():
    # They read a list of strings, and nothing that is added while it runs.
    path = ROOT / "skrate" / "__init__.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (written,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    assert written == skrate.__all__
    metrics = {name for name in vars(registry) if not name.startswith("_")}
    missing = sorted(metrics - set(written))
    assert not missing, f"add to __all__ of skrate/__init__.py: {missing}"


@each_object
def test_parameters_use_the_vocabulary(path, value):
    if is_exception(value):
        return
    check_signature(value)


@each_member
def test_method_parameters_use_the_vocabulary(path, member):
    if not isinstance(member, property) and "get_metadata" not in path:
        check_signature(getattr(member, "__func__", member))


@each_object
def test_object_passes_numpydoc_validation(path, value):
    errors = validation_errors(path)
    ignored = set(NUMPYDOC_IGNORED)
    if dataclasses.is_dataclass(value) or is_exception(value):
        # A result is read, not made by its user: it lists Attributes.
        ignored |= {"PR01"}
    if is_exception(value):
        ignored |= {"EX01"}
    assert not [error for error in errors if error[0] not in ignored]
    if dataclasses.is_dataclass(value):
        public = [f for f in dataclasses.fields(value) if not f.name.startswith("_")]
        for field in public:
            assert re.search(rf"\b{re.escape(field.name)}\b", value.__doc__)


@each_member
def test_member_passes_numpydoc_validation(path, member):
    ignored = set(MEMBER_IGNORED)
    has_sections = "\n    ---" in (member.__doc__ or "")
    if not has_sections and n_parameters(member) <= MAX_UNLISTED:
        ignored |= {"PR01", "RT01"}
    assert not [e for e in validation_errors(path) if e[0] not in ignored]


def validation_errors(path: str) -> list[tuple[str, str]]:
    require("numpydoc")
    validate = importlib.import_module("numpydoc.validate").validate
    return validate(path)["errors"]


def check_signature(function: Any) -> None:
    """Check that data come first, in their order, and all else by keyword."""
    if dataclasses.is_dataclass(function):
        return
    parameters = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name not in {"self", "cls"}
    ]
    for parameter in parameters:
        known = parameter.name in VOCABULARY or parameter.name.endswith("_kwargs")
        assert known or parameter.kind is parameter.VAR_KEYWORD, (
            f"{parameter.name} is not in tests/vocabulary.py"
        )
    if not {"y_true", "y_trues"} & {parameter.name for parameter in parameters}:
        return
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == [name for name in DATA if name in positional], (
        f"{positional}: only data are positional, in the order {DATA}"
    )
    keyword_only = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    assert not keyword_only & {"y_true", "y_score", "y_trues", "y_scores"}


def n_parameters(member: Any) -> int:
    if isinstance(member, property):
        return 0
    function = getattr(member, "__func__", member)
    return len(set(inspect.signature(function).parameters) - {"self", "cls"})


def is_exception(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, BaseException)


# --- Metrics: all that CONTRIBUTING asks of one ----------------------------------

each_registered = looped("score", METRICS)


# Metrics without a public function, and the names that `estimate` takes.
BY_NAME_ALONE = {"momentum_score": '"momentum"', "stamina_score": '"stamina"'}


@each_registered
def test_a_registered_metric_is_public(score):
    if score.__name__ not in BY_NAME_ALONE:
        assert getattr(skrate, score.__name__) is score


@each_registered
def test_a_registered_metric_has_its_values_and_slopes(score):
    kind = METRICS[score]
    assert inspect.isclass(kind)
    assert not inspect.isabstract(kind)
    # In the file of the public function, which has the same parameters.
    assert kind.__module__ == score.__module__
    known = set(inspect.signature(score).parameters)
    given = [each for each in dataclasses.fields(kind) if each.metadata != FILLED_IN]
    assert {field.name for field in given} <= known


@each_registered
def test_a_registered_metric_has_cases(score):
    file = score.__module__.rsplit(".", maxsplit=1)[1]
    assert (ROOT / "tests" / "metrics" / f"test_{file}.py").is_file()
    samples = [case for case in CASES if case.function is score]
    assert any(case.constant for case in samples), "none for the common tests"
    assert any(case.slopes for case in samples), "none for the tests of inference"
    assert any(case.oracle for case in samples), "none has an oracle"


@each_registered
def test_a_registered_metric_is_in_the_guide(score):
    pages = (ROOT / "docs" / "user_guide").glob("*.rst")
    named = BY_NAME_ALONE.get(score.__name__, rf"\b{score.__name__}\b")
    is_named = any(re.search(named, page.read_text(encoding="utf-8")) for page in pages)
    assert is_named, "is named on no page of docs/user_guide"


# --- The checks themselves, on samples that must fail -----------------------------


def _complete(y_true, y_score, *, rate="uniform"):
    """Return nothing of use."""


def _positional(y_true, y_score, rate="uniform"):
    """Return nothing of use."""


def _swapped(y_score, y_true):
    """Return nothing of use."""


def _unknown_name(y_true, y_score, *, sample_weights=None):
    """Return nothing of use."""


def test_the_signature_check_passes_a_complete_function():
    check_signature(_complete)


@looped("sample", [_positional, _swapped, _unknown_name])
def test_signature_check_fails_where_it_should(sample):
    with pytest.raises(AssertionError):
        check_signature(sample)


@each_object
def test_help_begins_with_a_readable_signature(path, value):
    shown = str(inspect.signature(value))
    # Aliases by their names, and not what they stand for.
    assert not re.search(r"numpy\.|typing\.|skrate\.|collections\.", shown)


@pytest.mark.parametrize(
    ("function", "wrong", "meant"),
    [
        (skrate.budget_report, "alpha", "confidence_level="),
        (skrate.curve_band, "n_bootstrap", "n_resamples="),
        (skrate.compare_curves, "seed", "random_state="),
        (skrate.subgroup_scores, "random_seed", None),
        (skrate.budget_report, "n_bootstrap", None),
        (skrate.budget_report, "k", "rate=k/N"),
        (skrate.recall_at_rate_score, "y_pred", "y_score="),
        (skrate.hit_curve, "sample_weights", "sample_weight="),
        (skrate.recall_at_fpr_score, "specificity", "fpr="),
        (skrate.cross_val_rankings, "sensitive", None),
    ],
)
def test_argument_names_of_other_packages_suggest_ours(function, wrong, meant):
    message = f"'{wrong}': did you mean {meant}" if meant else f"argument '{wrong}'"
    with pytest.raises(TypeError, match=message):
        function([0, 1], [1, 2], **{wrong: 0.9})


def test_the_first_of_several_unknown_arguments_is_named():
    # In both orders, because the order of a set depends on the hash seed.
    for names in permutations(("alpha", "seed", "unknown")):
        with pytest.raises(TypeError, match=f"no argument '{names[0]}'"):
            skrate.budget_report([0, 1], [1, 2], **dict.fromkeys(names, 0.9))


def test_too_many_positional_arguments_name_the_ones_that_there_are():
    with pytest.raises(TypeError, match="only y_true, y_score by position, got 3"):
        skrate.curve_band("recall", [0, 1], [1, 2])
