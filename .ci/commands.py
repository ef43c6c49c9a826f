"""Print the commands that a page tells its readers to type, so that the CI types them.

    python .ci/commands.py PAGE [TEXT]

Commands are blocks of bash, and inline literals that begin with a program, in Markdown
or reStructuredText. Only those that contain the text are printed. It is an error if
there are none: a command that was moved or reworded must not go untested.
"""

import re
import sys
from pathlib import Path

FENCE = re.compile(r"^```(?:bash|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANY_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(
    r"^\.\. code-block:: bash\n\s*\n((?:[ \t]+\S.*\n|[ \t]*\n)+)", re.MULTILINE
)
LITERALS = {
    ".md": re.compile(r"`([^`]+)`"),
    ".rst": re.compile(r"``(.+?)``", re.DOTALL),
}
PROGRAMS = ("pip ", "python ", "python3 ", "sphinx-build ", "pytest ")
COMMENT = re.compile(r"(?<!\S)#\s.*$", re.MULTILINE)


def commands(page: Path) -> list[str]:
    """Return the commands of a page; a block of lines is a single command."""
    text = page.read_text(encoding="utf-8")
    block = FENCE if page.suffix == ".md" else BLOCK
    found = [match[1] for match in block.finditer(text)]
    rest = ANY_FENCE.sub("", block.sub("", text))
    literals = LITERALS[page.suffix].findall(rest)
    found += [line for line in literals if line.startswith(PROGRAMS)]
    return [_clean(command) for command in found]


def _clean(command: str) -> str:
    """Return a command without comments, the indentation of a page and wrapping."""
    lines = [line.strip() for line in COMMENT.sub("", command).splitlines()]
    is_block = command.endswith("\n")
    return ("\n" if is_block else " ").join(filter(None, lines))


def main() -> int:
    """Print what was asked for, and return 1 where there is none."""
    page, text = Path(sys.argv[1]), " ".join(sys.argv[2:])
    found = [command for command in commands(page) if text in command]
    print("\n".join(dict.fromkeys(found)))
    if not found:
        print(f"{page} has no command with {text!r}", file=sys.stderr)
    return not found


if __name__ == "__main__":
    sys.exit(main())
