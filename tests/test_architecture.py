"""The house rules that a reader relies on, checked on the source itself."""

import ast
import graphlib
import importlib
import importlib.util
import inspect
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import skrate
from looped import case
from repository import FOLDERS, PACKAGE, ROOT, package_modules, project_metadata

DEPENDENCIES = {"sklearn", "numpy", "scipy", "joblib"}
# What `import skrate` may load beside what `sklearn.metrics` loads, and the standard
# library: another package costs time in each program.
LOADED = {"sklearn.model_selection", "sklearn.utils"}
# What functions of a folder, or of a file, may import when they are called.
DEFERRED = {
    "displays": {"matplotlib"},
    "data/trec.py": {"pandas"},
    "metrics/result_types.py": {"pandas"},
    "skrate/__main__.py": {"pandas"},
    "data/frames.py": {"narwhals"},
}


def test_imports_point_down():
    # The files at the top hold the public names, which may come from every folder.
    for path in [path for path in package_modules() if path.parent != PACKAGE]:
        above = FOLDERS[: FOLDERS.index(path.relative_to(PACKAGE).parts[0]) + 1]
        for node in imports_of(path):
            for module in modules_of(node):
                package, *folder = module.split(".")[:2]
                assert package != "skrate" or {*folder} & {*above}, (
                    f"{path.name}:{node.lineno} imports {module}, which is not above"
                )


def test_what_is_imported_is_there():
    # Benchmarks and examples are hardly run: a name that has gone would not be missed.
    for path in [*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "docs").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = getattr(node, "module", None) or ""
            if isinstance(node, ast.ImportFrom) and module.split(".")[0] == "skrate":
                found = importlib.import_module(module)
                for name in [name.name for name in node.names]:
                    assert hasattr(found, name) or importlib.util.find_spec(
                        f"{module}.{name}"
                    ), f"{path.name}:{node.lineno} imports {name} from {module}"


def test_no_files_import_each_other():
    # Also not when they are called. What is only for type checkers does not count.
    names = {dotted_name(path): path for path in package_modules()}
    graph = {
        name: {target for target in run_imports(path) if target in names} - {name}
        for name, path in names.items()
    }
    list(graphlib.TopologicalSorter(graph).static_order())  # CycleError names them


def test_every_folder_has_its_place_in_the_order():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    differ = sorted(folders ^ set(FOLDERS))
    assert not differ, f"correct FOLDERS here and in CONTRIBUTING.md: {differ}"


def test_the_tests_of_a_folder_lie_in_one_of_its_name():
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    unknown = sorted(folders - set(FOLDERS))
    assert not unknown, f"name folders of tests as in skrate: {unknown}"


def test_what_is_public_is_imported_with_the_package():
    # No name is a promise to be kept later: type checkers and readers see them all.
    missing = sorted(set(skrate.__all__) - set(vars(skrate)))
    assert not missing, f"import in skrate/__init__.py: {missing}"
    # It only says where other names are.
    with pytest.raises(
        AttributeError, match=r"it is skrate\.review\.recall_certificate"
    ):
        skrate.recall_certificate  # noqa: B018
    assert not list(PACKAGE.rglob("*.pyi"))


def test_init_files_only_hand_names_on():
    for path in package_modules():
        is_called = path.name == "__main__.py"
        if is_called or (path.name != "__init__.py" and path.parent != PACKAGE):
            continue
        for node in parse(path).body:
            assert hands_on(node), f"{path}:{node.lineno} does more than that"


def test_only_stated_dependencies_are_imported():
    allowed = DEPENDENCIES | {"skrate"} | sys.stdlib_module_names
    for path in package_modules():
        deferred = {id(node) for node in deferred_nodes(path)}
        file = f"{path.parent.name}/{path.name}"
        late = DEFERRED.get(path.parent.name, set()) | DEFERRED.get(file, set())
        for node in imports_of(path):
            for module in modules_of(node):
                package = module.split(".")[0]
                on_call = package in late and id(node) in deferred
                assert package in allowed or on_call, f"{path}:{node.lineno} {module}"


def test_the_allowed_imports_are_the_declared_dependencies():
    declared = project_metadata()["project"]["dependencies"]
    names = {requirement.split(">=")[0] for requirement in declared}
    assert names == DEPENDENCIES - {"sklearn"} | {"scikit-learn"}


def test_docstrings_and_signatures_are_as_written():
    for path in package_modules():
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for key, node, found in written(parse(path), importlib.import_module(name)):
            with case(f"{name}.{key}"):
                if doc := ast.get_docstring(node):
                    assert doc == inspect.cleandoc(found.__doc__)
                if isinstance(node, ast.FunctionDef):
                    each = [*ast.walk(node.args)]
                    names = {each.arg for each in each if isinstance(each, ast.arg)}
                    assert set(inspect.signature(found).parameters) == names


def written(tree: ast.AST, owner: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the functions and classes of a module or class, as written and as found."""
    kinds = ast.FunctionDef | ast.ClassDef
    # Of overloads, the last is the function.
    for node in {n.name: n for n in tree.body if isinstance(n, kinds)}.values():
        found = inspect.getattr_static(owner, node.name, None)
        for attribute in ("__func__", "fget", "func"):
            found = getattr(found, attribute, None) or found
        yield node.name, node, found
        if isinstance(node, ast.ClassDef):
            for name, inner, each in written(node, found):
                yield f"{node.name}.{name}", inner, each


def test_import_skrate_loads_few_modules():
    program = (
        "import sys, sklearn.metrics; before = set(sys.modules); "
        "from skrate import *; print(*set(sys.modules) - before)"
    )
    paths = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    loaded = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        check=True,
        text=True,
    ).stdout.split()
    assert "skrate" in loaded
    names = [name.split(".") for name in loaded]
    known = {"skrate", *sys.stdlib_module_names}
    assert {".".join(name[:2]) for name in names if name[0] not in known} <= LOADED


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return all that is in a file; its body comes first, in order."""
    return list(ast.walk(parse(path)))


@cache
def imports_of(path: Path) -> list[ast.AST]:
    return [n for n in nodes_of(path) if isinstance(n, ast.Import | ast.ImportFrom)]


def modules_of(node: ast.AST) -> list[str]:
    """Return the modules that an import statement names; `from skrate import core`
    counts as skrate.core."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if module == "skrate":
            return [f"skrate.{alias.name}" for alias in node.names]
        return [module]
    return []


def dotted_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def run_imports(path: Path) -> Iterator[str]:
    """Yield the modules, and names of modules, that a file imports from."""
    for_checkers = {
        id(inner)
        for node in nodes_of(path)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in imports_of(path):
        if isinstance(node, ast.ImportFrom) and id(node) not in for_checkers:
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def deferred_nodes(path: Path) -> Iterator[ast.AST]:
    """Yield what is not run on import: function bodies and TYPE_CHECKING blocks."""
    for node in nodes_of(path):
        is_block = isinstance(node, ast.If) and ast.unparse(node.test)
        if isinstance(node, ast.FunctionDef) or is_block == "TYPE_CHECKING":
            for statement in node.body:
                yield from ast.walk(statement)


def hands_on(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.FunctionDef):
        # What completion offers, and what names of other modules raise.
        return node.name in ("__dir__", "__getattr__")
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return {getattr(target, "id", None) for target in targets} <= {
        "__all__",
        "__version__",
    } and bool(targets)


def test_a_name_that_is_not_public_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'no_such_name'"):
        skrate.no_such_name  # noqa: B018
    assert dir(skrate) == sorted([*skrate.__all__, "__version__"])


# Where BLAS and LAPACK may stand, and why rounding does not matter there. They round as
# the kernel of the processor does, so that nothing that must be exact, be in a range or
# agree between two ways is left to them: `data.arrays.dot` is for that.
ROUNDED = {
    "curves/bounds.py": "all terms are positive, and are divided by their sum",
    "ensemble/rankboost.py": "a step of Newton's, whose rounding the next would mend",
    "error_rate/moments.py": "all terms are positive: no digit is lost",
    "inference/curve_evaluation.py": "random draws, of which quantiles are taken",
    "inference/units.py": "covariances of curves, for standard errors",
    "inference/select_best.py": "of whole numbers, whose sums are exact in any order",
    "inference/resampling.py": "sparse: scipy adds these itself, in their order",
    "inference/rankings.py": "sparse: scipy adds these itself, in their order",
}
# By BLAS, by LAPACK, or by quadrature whose nodes LAPACK finds.
PRODUCTS = {
    *("dot", "vdot", "inner", "matmul", "tensordot", "cov", "corrcoef", "convolve"),
    *("correlate", "polyfit", "linalg", "chebfit", "leggauss", "hermgauss"),
    *("roots_legendre", "roots_hermite", "roots_jacobi", "multi_dot"),
}


MAY_BE_PRODUCTS = (
    *(ast.BinOp, ast.AugAssign, ast.Attribute, ast.Import, ast.ImportFrom, ast.alias),
    ast.keyword,
)


def matrix_products(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Yield the lines on which BLAS or LAPACK may be at work."""
    for node in nodes:
        if not isinstance(node, MAY_BE_PRODUCTS):
            continue
        operation = isinstance(node, ast.BinOp | ast.AugAssign)
        is_product = operation and isinstance(node.op, ast.MatMult)
        # The house's own is called by its name alone.
        is_product |= isinstance(node, ast.Attribute) and node.attr in PRODUCTS
        is_product |= any("linalg" in module for module in modules_of(node))
        is_product |= isinstance(node, ast.alias) and node.name in PRODUCTS - {"dot"}
        # Without it numpy adds in its own loops.
        is_product |= isinstance(node, ast.keyword) and node.arg == "optimize"
        if is_product:
            yield node.lineno


def test_no_sum_is_left_to_blas_but_where_rounding_does_not_matter():
    lines = {
        path.relative_to(PACKAGE).as_posix(): sorted(
            set(matrix_products(nodes_of(path)))
        )
        for path in package_modules()
    }
    found = {path: where for path, where in lines.items() if where}
    unneeded = sorted(set(ROUNDED) - set(found))
    assert not unneeded, f"remove from ROUNDED: {unneeded}"
    assert not set(found) - set(ROUNDED), f"take data.arrays.dot: {found}"


def test_products_of_blas_are_found_and_none_in_the_sums_of_the_house_and_of_numpy():
    for source in (
        *("a @ b", "a @= b", "np.dot(a, b)", "a.dot(b)", "np.linalg.inv(a)"),
        *("from numpy.linalg import inv", "np.convolve(a, b)", "np.cov(a)"),
        'np.einsum("ij,jk->ik", a, b, optimize=True)',
        *("from scipy import linalg", "from numpy import matmul"),
    ):
        with case(source):
            assert list(matrix_products(ast.walk(ast.parse(source))))
    source = "dot(a, b) + np.einsum('i,i->', a, b) + np.add.reduce(a * b)"
    assert not list(matrix_products(ast.walk(ast.parse(source))))
