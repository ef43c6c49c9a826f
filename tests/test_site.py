"""The checker of the built pages finds faults."""

import importlib.util
import sys

import pytest

from repository import ROOT

DOCS = ROOT / "docs"
PAGE = '<html><head>{head}</head><body><h1 id="top">A page</h1>{body}</body></html>'


def load(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def checker():
    return load("check_site")


def faults(checker, folder, body="", head=""):
    """Return what the checker finds in two pages, of which one says this."""
    (folder / "other.html").write_text(PAGE.format(head="", body=""), encoding="utf-8")
    (folder / "style.css").write_text("p { color: red }", encoding="utf-8")
    page = PAGE.format(head=head, body=body)
    (folder / "index.html").write_text(page, encoding="utf-8")
    return list(checker.check_site(folder))


@pytest.mark.parametrize(
    "body",
    [
        '<a href="other.html#top">there</a>',
        '<a href="#top">here</a>',
        '<a href="https://doi.org/10.1000/1">elsewhere</a>',
        '<a href="mailto:someone@example.org">write</a>',
    ],
)
def test_what_is_right_is_no_fault(checker, tmp_path, body):
    assert faults(checker, tmp_path, body) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="missing.html">x</a>', "leads nowhere: missing.html"),
        ('<a href="../secret.html">x</a>', "leads nowhere: ../secret.html"),
        ('<a href="other.html#down">x</a>', "no such anchor: other.html#down"),
        ('<a href="#down">x</a>', "no such anchor: #down"),
        ('<img src="picture.png">', "leads nowhere: picture.png"),
        ('<img src="https://a.example/b.png">', "another host: https://a.example/b"),
        ('<script src="//a.example/b.js"></script>', "another host: //a.example/b.js"),
        ("<pre>&lt;A object at 0x7f&gt;</pre>", "says nothing: <A object at 0x7f>"),
    ],
)
def test_what_is_wrong_is_found(checker, tmp_path, body, fault):
    (found,) = faults(checker, tmp_path, body)
    assert found.startswith("index.html: ")
    assert fault in found


def test_styles_of_other_hosts_are_found(checker, tmp_path):
    head = '<link rel="stylesheet" href="https://a.example/b.css">'
    (found,) = faults(checker, tmp_path, head=head)
    assert "loads from another host" in found
    (tmp_path / "more.css").write_text(
        "@import url('https://a.example/c.css');", encoding="utf-8"
    )
    assert len(faults(checker, tmp_path, head=head)) == 2


def test_a_link_that_search_engines_read_loads_nothing(checker, tmp_path):
    head = '<link rel="canonical" href="https://a.example/index.html">'
    assert faults(checker, tmp_path, head=head) == []


def test_a_folder_without_pages_is_no_site(checker, tmp_path):
    assert checker.main(str(tmp_path)) == 1
