"""The floors of the dependencies, and what no tracked file may hold."""

import re

from repository import PACKAGE, ROOT, project_metadata, tracked_files

TESTED_EXTRAS = ("plot", "frames", "test", "dask", "peers")
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
