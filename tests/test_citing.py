"""What is to be cited: one version, the same papers in file, page and docstrings."""

import re

import pytest

import skrate
from optional import require
from repository import ROOT

FILE, PAGE = ROOT / "CITATION.cff", ROOT / "docs" / "citing.rst"
# What in a docstring cites the paper whose row begins so.
PAPERS = {
    "Millard, Flach and Higgins": "10.1007/978-3-662-44851-9_25",
    "Millard, Kull and Flach": "10.1007/978-3-662-44851-9_26",
    "Su, Yuan and Zhu": "10.48550/arXiv.1310.5103",
    "Cortes and Mohri": "AUC optimization vs. error rate",
}
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="needs the checkout")


def cited():
    return require("yaml").safe_load(FILE.read_text(encoding="utf-8"))


def entries():
    """Return the fields of each BibTeX entry of the page, without braces."""
    page = PAGE.read_text(encoding="utf-8")
    found = []
    for block in re.findall(r"@\w+\{\w+,\n(.*?)\n   \}\n", page, re.DOTALL):
        fields = re.findall(r"(\w+) *= \{(.*?)\}(?:,|$)\n?", block + "\n", re.DOTALL)
        found.append(
            {name: plain(re.sub(r"[{}]", "", value)) for name, value in fields}
        )
    return found


def plain(text):
    return " ".join(text.split())


def people(authors):
    return " and ".join(f"{a['family-names']}, {a['given-names']}" for a in authors)


def test_the_version_to_cite_is_the_packages():
    software, *_ = entries()
    version = re.search(r"(?m)^version: (.*)$", FILE.read_text("utf-8"))[1]
    assert software["version"] == version
    if re.fullmatch(r"[\d.]+", skrate.__version__):
        assert version == skrate.__version__


def test_file_and_page_cite_the_same():
    citation = cited()
    software, *papers = entries()
    assert citation["cff-version"] == "1.2.0"
    assert [author["name"] for author in citation["authors"]] == [software["author"]]
    for reference, entry in zip(citation["references"], papers, strict=True):
        assert people(reference["authors"]) == entry["author"]
        assert plain(reference["title"]) == entry["title"]
        assert str(reference["year"]) == entry["year"]
        assert reference.get("doi") == entry.get("doi")
        if "start" in reference:
            assert f"{reference['start']}--{reference['end']}" == entry["pages"]


@pytest.mark.parametrize("paper", PAPERS)
def test_a_row_names_what_cites_the_paper(paper):
    page = PAGE.read_text(encoding="utf-8")
    row = re.search(rf"\* - {paper}:.*?(?=\n   \* - |\n\n)", page, re.DOTALL)[0]
    listed = re.findall(r"~skrate\.([\w.]+)`", row)
    public = {name: getattr(skrate, name) for name in skrate.__all__} | {
        f"{module.__name__.removeprefix('skrate.')}.{name}": getattr(module, name)
        for module in (skrate.displays, skrate.error_rate, skrate.rates, skrate.review)
        for name in module.__all__
    }
    citing = [
        name
        for name, thing in public.items()
        if PAPERS[paper] in plain(thing.__doc__ or "")
    ]
    assert sorted(listed) == sorted(citing)
