"""Print the size of the package beside its goal: advice, never a reason to fail.

``python .ci/sizes.py`` needs scikit-learn and the package. Lines of code are those that
are neither blank, comment, docstring nor import. A call passes through a file if a
function of it runs, and every change from one file of the package to another is a move.
"""

import ast
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lengths import code_lines

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "skrate"
GOALS = {
    "lines": 28_000,
    "lines of code": 15_000,
    "files": 80,
    "members of Metric": 14,
    "public names": 50,
    "circles between files": 0,
    "files that estimate passes through": 15,
    "moves between them": 80,
    "import after scikit-learn, ms": 50,
}
N_IMPORTS = 5


def main() -> None:
    """Print the table."""
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    visited, moves = way_of_estimate()
    found = [
        sum(len(path.read_text(encoding="utf-8").splitlines()) for path in trees),
        sum(lines_of_code(path, tree) for path, tree in trees.items()),
        len(trees),
        max(members_of_metric(tree) for tree in trees.values()),
        public_names(trees[PACKAGE / "__init__.py"]),
        len(circles(trees)),
        visited,
        moves,
        round(import_time()),
    ]
    for (name, goal), value in zip(GOALS.items(), found, strict=True):
        print(f"{name:36}{value:8,} (at most {goal:,})")
    for circle in circles(trees):
        print("circle:", *circle)


def lines_of_code(path: Path, tree: ast.Module) -> int:
    """Return how many lines are neither blank, comment, docstring nor import."""
    lines = code_lines(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        is_docstring = isinstance(node, ast.Expr) and isinstance(
            getattr(node.value, "value", None), str
        )
        if is_docstring or isinstance(node, ast.Import | ast.ImportFrom):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def members_of_metric(tree: ast.Module) -> int:
    """Return how many functions and attributes the class Metric has; 0 without one."""
    kinds = ast.FunctionDef | ast.Assign | ast.AnnAssign
    return sum(
        isinstance(member, kinds)
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name == "Metric"
        for member in node.body
    )


def public_names(tree: ast.Module) -> int:
    """Return the length of __all__."""
    (names,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    return len(names)


def circles(trees: dict[Path, ast.Module], root: Path = ROOT) -> list[list[str]]:
    """Return files that import each other, on import or when called."""
    modules = {module_name(path, root): tree for path, tree in trees.items()}
    names = list(modules)
    edges = {
        (names.index(name), names.index(target))
        for name, tree in modules.items()
        for target in imported(tree)
        if target in modules and target != name
    }
    rows, columns = zip(*edges, strict=True)
    graph = csr_array((np.ones(len(edges)), (rows, columns)), shape=(len(names),) * 2)
    _, part = connected_components(graph, connection="strong")
    groups = [np.flatnonzero(part == which).tolist() for which in np.unique(part)]
    return [[names[i] for i in group] for group in groups if len(group) > 1]


def module_name(path: Path, root: Path) -> str:
    """Return the dotted name of a file."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a file imports, except for type checkers only."""
    for_checkers = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in for_checkers:
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
            yield node.module or ""


def way_of_estimate() -> tuple[int, int]:
    """Return how many files a call of estimate passes through, and its moves."""
    import skrate

    generator = np.random.default_rng(0)
    y_true = (np.arange(200) < 60).astype(int)
    y_score = generator.normal(size=200) + y_true
    installed = str(Path(skrate.__file__).parent)
    skrate.estimate("roc_auc", y_true, y_score)
    return traced(lambda: skrate.estimate("roc_auc", y_true, y_score), installed)


def traced(call: Callable[[], Any], package: str) -> tuple[int, int]:
    """Return the files of a package in which functions run, and moves between."""
    files: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(package):
            files.append(name)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    moves = sum(a != b for a, b in pairwise(files))
    return len(set(files)), moves


def import_time() -> float:
    """Return the median over processes of what the import takes, in milliseconds."""
    program = (
        "import sklearn.metrics, scipy.stats, time; start = time.perf_counter(); "
        "import skrate; print(time.perf_counter() - start)"
    )
    times = []
    with tempfile.TemporaryDirectory() as folder:
        # Compiled in the first process, which is not counted.
        kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}
        for _ in range(1 + N_IMPORTS):
            run = subprocess.run(
                [sys.executable, "-c", program],
                cwd=ROOT, env=os.environ | kept, capture_output=True, check=True,
                text=True,
            )  # fmt: skip
            times.append(float(run.stdout))
    return 1000 * statistics.median(times[1:])


if __name__ == "__main__":
    main()
