"""The count of habits of language: it finds what it is for, and it may only fall."""

import re
import runpy

import pytest

from repository import ROOT

SCRIPT = ROOT / ".ci" / "prose.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="needs the checkout")
FOUND = {
    "Of ...": [
        "Of it there are two.",
        "Yes: Of several, none.",
        "- Of 3, one.",
        "Of it",
    ],
    "Who ...": ["Who looks first needs it.", "So. Whoever plans\nbegins here."],
    "that of, those of": ["higher than that of b", "those\nof others"],
    "A less B": ["forest less the other", "a less ``b``", "Forest less SVM"],
    "held for covered": ["the interval held it", "they hold in 95 % of them"],
    "law for distribution": ["the law of the rate"],
    "one as a noun": ["as one.", "than one, say"],
    "own as a noun": ["a sheet of its own.", "on their own"],
    "told": ["were told", "untold"],
    "meant": ["is meant for"],
    "among": ["one among many"],
    "but for, if that, as there": ["all but for these", "as\nthere are none"],
    "is to be": ["is to be given", "were to be"],
}
PLAIN = [
    "Of course it is.",
    "Of the people ranked highest, how many are ill?",
    "Who is processed?",
    "It takes no less than 3 of one case, and is less than the other.",
    "An array holds the scores.",
    "``that of`` and `law` are code, and so is\n\n>>> print('told')\ntold",
    "```\namong\n```",
]


@pytest.fixture
def prose():
    return runpy.run_path(str(SCRIPT))


def habits(prose, path):
    return [habit for habit, _, _ in prose["places"](path)]


def test_each_habit_has_an_allowance_with_advice_and_examples(prose):
    assert list(prose["allowances"](prose["TABLE"])) == list(prose["HABITS"])
    assert list(FOUND) == list(prose["HABITS"])
    entries = prose["tomllib"].loads(prose["TABLE"].read_text(encoding="utf-8"))
    assert all(entry["why"] for entry in entries.values())


def test_habits_are_found(prose, tmp_path):
    page = tmp_path / "page.md"
    for habit, sentences in FOUND.items():
        for sentence in sentences:
            page.write_text(sentence, encoding="utf-8")
            assert habits(prose, page) == [habit], sentence


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text_and_code_pass(prose, tmp_path, text):
    page = tmp_path / "page.rst"
    page.write_text(text, encoding="utf-8")
    assert habits(prose, page) == []


def test_docstrings_messages_and_legends_are_read_and_comments_are_not(prose, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        '"""A law."""\n\n# among\ntold = f"{a} less {b}"\nraise E("It is\\nmeant.")\n'
    )
    assert sorted(prose["places"](program)) == [
        ("A less B", 4, "less {}"),
        ("law for distribution", 1, "law."),
        # The line in the program is at least that of the text.
        ("meant", 6, "meant."),
    ]


def test_more_than_allowed_fails_and_the_allowance_only_falls(
    prose, tmp_path, capsys, monkeypatch
):
    globals_of_main = prose["main"].__globals__
    monkeypatch.setitem(globals_of_main, "ROOT", tmp_path)
    table = tmp_path / "prose.toml"
    entries = (f'["{habit}"]\nallowed = 1\nwhy = "x"\n' for habit in FOUND)
    table.write_text("\n".join(entries), encoding="utf-8")
    page = tmp_path / "README.md"

    def run(text, *more):
        page.write_text(text, encoding="utf-8")
        status = prose["main"](["--table", str(table), *more])
        return status, capsys.readouterr().out

    assert run("Untold.")[0] == 0
    status, printed = run("It is told,\nand told again.")
    assert status == 1
    assert "README.md:2: 'told': told again." in printed
    assert re.findall("(.*)  MORE THAN", printed) == ["    2 of     1 allowed: told"]
    # What is more than allowed is not written.
    assert run("Told, told; meant.", "--lower")[0] == 1
    allowed = prose["allowances"](table)
    assert allowed == {habit: int(habit in {"told", "meant"}) for habit in FOUND}
    assert run("Told again.", "--lower")[0] == 0
    assert run("Told and meant.")[0] == 1


def test_the_ci_counts():
    assert "python3 .ci/prose.py" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
