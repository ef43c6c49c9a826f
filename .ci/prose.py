"""Count habits of language that make readers stumble, and fail where they grow.

``python .ci/prose.py`` reads pages, the changelog, docstrings, messages and legends. It
prints the places and the number of each habit, and exits with 1 if one is above its
allowance in ``.ci/prose.toml``. ``--lower`` lowers the allowances to what was found.
``python .ci/prose.py PATH ...`` reads files or folders, without allowances.
"""

import argparse
import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_suffix(".toml")
READ = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md"),
    *("SECURITY.md", "paper", "docs", "skrate", "benchmarks", ".ci"),
)
WRITTEN = {".md", ".rst", ".py"}
GENERATED = {"_build", "generated", "auto_examples", "output"}
# A sentence begins a text or a paragraph, an item, a table's cell, or after a stop.
BEGINS = r"(?:\A|\n[ \t]*\n\s*|(?:^|\n)\s*(?:[-*#|]|\d+\.)+ +|[.:;!?][\"')*]*\s+)\**"
NOT_ASKED = r"\b[^.?!]*(?:[.!]|\Z|\n[ \t]*\n)"
NOUNS = "case|class|fold|group|label|line|list|machine|model|or|rate|row|table|unit"
HABITS = {
    "Of ...": BEGINS + r"(Of (?!course)" + NOT_ASKED + ")",
    "Who ...": BEGINS + r"((?:Who|Whoever|Whose)" + NOT_ASKED + ")",
    "that of, those of": r"(?i)\b(?:that|those)\s+of\b",
    "A less B": (
        r"(?<!\bno)(?<!\bor)(?<!\bis)(?<!\bare)(?<!\bthe)(?<!\bmuch)\s+less\s+"
        r"(?:(?:the|a|an|its|their|[A-Z]\w*)\b|\d|[{`(])"
    ),
    "held for covered": (
        r"\b(?:held|holds?|holding)\s+"
        r"(?:it|both|zero|the\s+(?:true|truth|value|whole|population|difference)"
        r"|its\s+whole|in\s+(?:all|\d+))\b"
    ),
    "law for distribution": r"(?i)\blaws?\b",
    "one as a noun": rf"\b(?:as|for|of|than|to|with)\s+one\b(?!\s+(?:{NOUNS})|[- ]\w)",
    "own as a noun": r"\b(?:its|my|our|their|your)\s+own(?=\s*[.,;:)]|\s*\Z)",
    "told": r"(?i)\b(?:un)?told\b",
    "meant": r"(?i)\bmeant\b",
    "among": r"(?i)\bamong\b",
    "but for, if that, as there": r"(?i)\b(?:but\s+for|if\s+that|as\s+there)\b",
    "is to be": r"\b(?:is|are|was|were)\s+to\s+be\b",
}
# What is not said: blocks of code, prompts, literals, formulas, roles and links.
UNSAID = re.compile(
    r"^```.*?^```|^[ \t]*>>> .*?(?=\n[ \t]*\n|\Z)|``[^`]+``|:\w+:`[^`]*`|`[^`\n]+`"
    r"|https?://\S+",
    re.MULTILINE | re.DOTALL,
)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield each text of a file with its first line: a page, or a program's strings."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield 1, source
        return
    tree = ast.parse(source)
    inner = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(tree):
        if id(node) in inner:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(map(said, node.values))


def said(part: ast.expr) -> str:
    """Return a part of an f-string, whose values are braces."""
    return str(part.value) if isinstance(part, ast.Constant) else "{}"


def places(path: Path) -> Iterator[tuple[str, int, str]]:
    """Yield habit, line and words of each place in a file."""
    if path.resolve() == Path(__file__).resolve():
        return
    for first, text in texts(path):
        # Blank of equal length, so that places stay; a literal stands for a noun.
        plain = UNSAID.sub(lambda match: re.sub(r"[^\n]", "`", match[0]), text)
        for habit, pattern in HABITS.items():
            for match in re.finditer(pattern, plain):
                start = match.start(match.lastindex or 0)
                words = " ".join(text[start : start + 70].split())
                yield habit, first + text.count("\n", 0, start), words


def files(given: list[Path]) -> Iterator[Path]:
    """Yield the written files at paths, in folders too, without what is generated."""
    for path in given:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in found:
            if file.suffix in WRITTEN and not GENERATED & set(file.parts):
                yield file


def count(given: list[Path]) -> Counter[str]:
    """Print the places in files, and return how often each habit is found."""
    found: Counter[str] = Counter()
    for path in files([path for path in given if path.exists()]):
        for habit, line, words in places(path):
            name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
            print(f"{name}:{line}: {habit!r}: {words}")
            found[habit] += 1
    return found


def allowances(table: Path) -> dict[str, int]:
    """Return how often each habit may be found."""
    entries = tomllib.loads(table.read_text(encoding="utf-8"))
    return {habit: entry["allowed"] for habit, entry in entries.items()}


def lower(table: Path, found: Counter[str]) -> None:
    """Write into the table what was found, where it is less than allowed."""
    text = table.read_text(encoding="utf-8")
    for habit, allowed in allowances(table).items():
        if found[habit] < allowed:
            entry = rf'(\["{re.escape(habit)}"\]\nallowed = )\d+'
            text = re.sub(entry, rf"\g<1>{found[habit]}", text)
    table.write_text(text, encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Print places and counts; return 1 where a habit is found too often."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--lower", action="store_true")
    parser.add_argument("--table", type=Path, default=TABLE)
    options = parser.parse_args(arguments)
    if options.lower and options.paths:
        parser.error("--lower needs all files: name no paths")
    given = [path.resolve() for path in options.paths]
    found = count(given or [ROOT / name for name in READ])
    if given:
        print(
            *(f"{habit}: {found[habit]}" for habit in HABITS if found[habit]), sep="\n"
        )
        return 0
    if options.lower:
        lower(options.table, found)
    allowed = allowances(options.table)
    for habit in HABITS:
        more = "  MORE THAN ALLOWED" if found[habit] > allowed[habit] else ""
        print(f"{found[habit]:5} of {allowed[habit]:5} allowed: {habit}{more}")
    return int(any(found[habit] > allowed[habit] for habit in HABITS))


if __name__ == "__main__":
    sys.exit(main())
