"""The floors of the dependencies, and what no tracked file may hold."""

import re
import runpy

import pytest

from repository import PACKAGE, ROOT, project_metadata, tracked_files

TESTED_EXTRAS = ("plot", "test", "dask", "peers")
# In pieces, so that this file is not what it looks for.
MACHINE = {
    "a machine path": r"(?<![\w.])/(?:" + "work|home|root|opt|tmp|mnt|Users" + r")/",
    "a package index": "|".join(
        (
            "extra-" + "index-url",
            "--index" + "-url",
            "find" + "-links",
            "PIP_" + "INDEX",
        )
    ),
    "a registry host": "artifact" + r"ory|jf" + r"rog|pythonhosted\.org|/sim" + r"ple/",
    "a private host": r"https?://(?:local" + r"host|127\.|10\.|192\.168\.)",
}


def test_the_oldest_versions_are_the_floors():
    pins = requirements(oldest_lines(), "==")
    floors = requirements(supported(), ">=")
    assert pins == floors


def test_the_readme_and_the_licence_are_in_the_checkout():
    assert (ROOT / "README.md").is_file()
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("BSD 3-Clause")


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").is_file()


def test_no_tracked_file_names_a_machine_or_a_registry():
    found = [
        f"{path.relative_to(ROOT)}:{number} holds {what}: {line.strip()[:80]}"
        for path in tracked_files()
        for number, line in enumerate(text_lines(path), start=1)
        for what, pattern in MACHINE.items()
        if re.search(pattern, line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "cd /wo" + "rk/somewhere",
        "see /ho" + "me/user/x",
        "pip install --index" + "-url x y",
        "https://mirror.example/artifact" + "ory/pypi",
        "http://local" + "host:8080/",
    ],
)
def test_the_patterns_find_what_they_are_for(line):
    assert any(re.search(pattern, line) for pattern in MACHINE.values())


@pytest.mark.parametrize(
    "line", ["a home/work balance", "../shared/data", "https://doi.org/10.1/x"]
)
def test_the_patterns_let_plain_text_pass(line):
    assert not any(re.search(pattern, line) for pattern in MACHINE.values())


def supported() -> list[str]:
    """Return the requirements of the package and of the extras its tests use."""
    project = project_metadata()["project"]
    extras = project["optional-dependencies"]
    return [
        *project["dependencies"],
        *(r for name in TESTED_EXTRAS for r in extras[name]),
    ]


def oldest_lines() -> list[str]:
    lines = (ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    # `<` bounds packages that are not ours, for which there is no floor.
    return [line for line in lines if line and line[0] != "#" and "<" not in line]


def requirements(lines: list[str], operator: str) -> dict[str, tuple[int, ...]]:
    """Return {name: version}; versions compare with trailing zeros left out."""
    found = {}
    for line in lines:
        name, version = line.split(operator)
        numbers = [int(number) for number in version.split(".")]
        while numbers[-1] == 0:
            numbers.pop()
        found[name] = tuple(numbers)
    return found


def text_lines(path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []


def commands(page):
    return runpy.run_path(str(ROOT / ".ci" / "commands.py"))["commands"](page)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "page.md",
            "\n```sh\npip install a   # our own\nb c\n```\nor `pip install\nd`, `e`.\n",
            ["pip install a\nb c", "pip install d"],
        ),
        ("page.md", "```python\npip install a\n```\n", []),
        (
            "page.rst",
            "\n.. code-block:: bash\n\n   pip install a\n\n   b\n\n``pip install d``.",
            ["pip install a\nb", "pip install d"],
        ),
        ("page.rst", ".. code-block:: python\n\n   a = 1\n", []),
    ],
)  # fmt: skip
def test_the_commands_of_a_page_are_found(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert commands(tmp_path / name) == expected


def test_the_ci_types_what_pages_tell_readers_to_install():
    # The README and CONTRIBUTING have stages of their own.
    (names,) = re.findall(
        r"for page in docs/\{(.*)\}\.rst", (ROOT / ".ci/run").read_text("utf-8")
    )
    pages = (ROOT / "docs").glob("*.rst"), (ROOT / "docs/user_guide").glob("*.rst")
    installing = {
        page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for folder in pages
        for page in folder
        if any('pip install "' in command for command in commands(page))
    }
    assert installing == set(names.split(","))
