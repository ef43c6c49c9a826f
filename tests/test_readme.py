"""The README does what it says: its two commands exist and its Python code runs."""

import doctest
import re
from typing import Any

import pytest

from optional import require
from repository import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[Any]:
    """Return the fenced blocks in a language, each named by its line."""
    return [
        pytest.param(match[2], id=f"line-{README[: match.start()].count(chr(10)) + 1}")
        for match in FENCE.finditer(README)
        if match[1] == language
    ]


@pytest.mark.parametrize("block", blocks("python"))
def test_python_code_runs(block):
    if "matplotlib" in block or "Display" in block or ".plot(" in block:
        require("matplotlib")
    if "pandas" in block:
        require("pandas")
    if ">>>" in block:
        parsed = doctest.DocTestParser().get_doctest(block, {}, "README", None, None)
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        runner = doctest.DocTestRunner(optionflags=flags)
        assert runner.run(parsed).failed == 0
    else:
        exec(compile(block, "README.md", "exec"), {"__name__": "__main__"})
