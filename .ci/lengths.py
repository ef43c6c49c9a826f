"""Print long files and functions: advice to split, never a reason to fail.

``python .ci/lengths.py [files of N lines] [functions of N lines of code]``, by default
500 and 50. Docstrings, comments and blank lines of functions are not counted.
"""

import ast
import io
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def main(file_limit: int = 500, function_limit: int = 50) -> None:
    """Print the files and functions above the limits, the longest first."""
    listing = subprocess.run(
        ["git", "ls-files", "*.py"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    found = []
    for name in listing.stdout.splitlines():
        source = (ROOT / name).read_text(encoding="utf-8")
        n_lines = len(source.splitlines())
        if n_lines > file_limit:
            found.append((n_lines, f"{name}: {n_lines} lines"))
        found += [
            (n_lines, f"{name}:{line} {function}: {n_lines} lines of code")
            for function, line, n_lines in function_lengths(source)
            if n_lines > function_limit
        ]
    for _, text in sorted(found, reverse=True):
        print(text)
    print(f"{len(found)} files or functions are long: is there a seam in one of them?")


def function_lengths(source: str) -> Iterator[tuple[str, int, int]]:
    """Yield name, line and lines of code of each function."""
    coded = code_lines(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = set(range(node.lineno, node.end_lineno + 1))
            if ast.get_docstring(node) is not None:
                docstring = node.body[0]
                lines -= set(range(docstring.lineno, docstring.end_lineno + 1))
            yield node.name, node.lineno, len(lines & coded)


def code_lines(source: str) -> set[int]:
    """Return the numbers of the lines that hold more than a comment."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
