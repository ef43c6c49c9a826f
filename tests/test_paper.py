"""The paper cites what its bibliography has, and quotes what the documentation says."""

import re

import pytest

from repository import ROOT

PAPER, BIBLIOGRAPHY = ROOT / "paper" / "paper.md", ROOT / "paper" / "paper.bib"
SECTIONS = ["Summary", "Statement of need", "State of the field"]
pytestmark = pytest.mark.skipif(not PAPER.exists(), reason="needs the checkout")


def head_and_body():
    _, head, body = PAPER.read_text(encoding="utf-8").split("---\n", 2)
    return head, body


def entries():
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    return dict(re.findall(r"(?ms)^@\w+\{(\w+),\n(.*?)^\}$", text))


def plain(text):
    return " ".join(text.split())


def test_citations_and_the_bibliography_agree():
    cited = set(re.findall(r"(?<!\w)@(\w+)", head_and_body()[1]))
    assert cited == set(entries())


def test_entries_are_complete():
    for key, fields in entries().items():
        named = set(re.findall(r"(?m)^  (\w+) +=", fields))
        assert {"author", "title", "year"} <= named, key
        # These proceedings and this journal give no DOIs.
        assert "doi" in named or key in {"cortes2003auc", "pedregosa2011scikit"}
        assert fields.count("{") == fields.count("}"), key


def test_papers_are_cited_as_on_the_page_of_citations():
    page = plain((ROOT / "docs" / "citing.rst").read_text(encoding="utf-8"))
    software, *papers = re.findall(r"@\w+\{(\w+), author", page)
    assert software == "skrate"
    assert len(papers) == 4
    for key in papers:
        for value in re.findall(r"= \{(.*?)\},?\n", entries()[key]):
            assert value in page, value


def test_the_length_and_the_sections_are_those_of_the_journal():
    head, body = head_and_body()
    assert "bibliography: paper.bib" in head
    assert 750 <= len(body.split()) <= 1_200
    assert re.findall(r"(?m)^# (.*)$", body)[:3] == SECTIONS
    assert body.rstrip().endswith("# References")


def test_figures_are_those_of_the_documentation():
    _, body = head_and_body()
    pages = [*(ROOT / "docs").glob("*.rst"), *(ROOT / "docs/user_guide").glob("*.rst")]
    documented = plain("\n".join(page.read_text(encoding="utf-8") for page in pages))
    quoted = re.findall(r"(?<![\w.])\d+\.\d+|\d+(?:\.\d+)?(?= %)|\d+,\d+", plain(body))
    assert len(quoted) > 25
    for number in quoted:
        assert re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d])", documented), number
