"""The checker of the built pages sees what is wrong with them; .ci/run shows it them.

The numbers of the front page are those of the page of speed.
"""

import importlib.util
import json
import re
import sys

import pytest

from repository import ROOT, project_metadata

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
        "<pre>" + "x" * 68 + "</pre>",
        "<pre>&gt;&gt;&gt; code\n" + "x" * 76 + "</pre>",
        '<div class="sphx-glr-script-out highlight-none"><div class="highlight"><pre>'
        + ("x" * 90 + "</pre></div></div>"),
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
        ("<pre>" + "x" * 69 + "</pre>", "code is cut: xxx"),
        ("<pre>&gt;&gt;&gt; " + "x" * 65 + "</pre>", "code is cut: >>> xxx"),
        ("<pre>&gt;&gt;&gt; code\n" + "x" * 77 + "</pre>", "code is cut: xxx"),
        (
            '<div class="sphx-glr-script-out highlight-none"><div class="highlight">'
            "<pre>&lt;a.Display object at 0x7f01&gt;</pre></div></div>",
            "prints what says nothing: <a.Display object at 0x7f01>",
        ),
        (
            '<div class="highlight-python"><div class="highlight"><pre>a\n'
            + ("x" * 69 + "</pre></div></div>"),
            "code is cut: xxx",
        ),
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


def test_large_files_are_found(checker, tmp_path, monkeypatch):
    monkeypatch.setattr(checker, "LARGEST_FILE", 1_000)
    (tmp_path / "large.png").write_bytes(b"x" * 1_001)
    (found,) = faults(checker, tmp_path)
    assert found == "large.png: 1,001 bytes, more than 1,000"


def test_a_folder_without_pages_is_no_site(checker, tmp_path):
    assert checker.main(str(tmp_path)) == 1


def test_the_front_page_takes_its_numbers_from_the_page_of_speed(tmp_path):
    front = load("front_page")
    target = tmp_path / "numbers.rst"
    front.write_numbers(DOCS / "performance.md", target)
    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    for (job, size, peer), _, what in front.NUMBERS:
        (line,) = (
            line for line in page.splitlines()
            if line.startswith(f"| {job} | {size} | {peer} |")
        )  # fmt: skip
        ratio = float(line.split("|")[4].replace(",", ""))
        least = [
            f"{float(other.split('|')[4]):.0f} to "
            for other in page.splitlines()
            if other.startswith(f"| {job} | {size} | {peer}, sort without SIMD |")
        ]
        said = f"**{''.join(least)}{ratio:,.0f}** times as fast\n\n      {what}"
        assert said in target.read_text(encoding="utf-8")
        if least:
            readme = (ROOT / "README.md").read_text(encoding="utf-8")
            assert f" is {least[0]}{ratio:.0f} times as fast as " in readme


def test_a_number_that_the_page_of_speed_lacks_is_an_error(tmp_path):
    front = load("front_page")
    source = tmp_path / "speed.md"
    source.write_text("| a | 1 | b | 2 |\n", encoding="utf-8")
    with pytest.raises(KeyError):
        front.write_numbers(source, tmp_path / "numbers.rst")


def test_the_badges_of_the_readme_say_what_the_project_says():
    drawn = load("badges").badges(project_metadata()["project"])
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, text in drawn.items():
        assert (DOCS / "_static" / name).read_text(encoding="utf-8") == text
        assert f"(docs/_static/{name})" in readme


def test_what_the_readme_shows_is_there():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r'(?:src="|\]\()([^")]+)', readme)
    assert len(shown) >= 8
    assert not [path for path in shown if not (ROOT / path).is_file()]


def test_what_people_search_for_must_have_its_page(tmp_path):
    check_site = load("check_site")
    pages = sorted(set(check_site.SOUGHT.values()))
    entries = {
        typed: [[pages.index(page), "place", True]]
        for typed, page in check_site.SOUGHT.items()
    }

    def wrong():
        index = json.dumps({"docnames": pages, "indexentries": entries})
        (tmp_path / "searchindex.js").write_text(f"Search.setIndex({index})")
        return list(check_site.not_found(tmp_path))

    assert wrong() == []
    entries["bedroc"][0][2] = False
    (fault,) = wrong()
    assert "'bedroc'" in fault


GUIDE = DOCS / "user_guide"
# The list of the pages is no page of its own.
EXCEPTED = {"index"}
PARTS = {
    "a question at its beginning": r"\A(.*\n)?\s*.+\n=+\n(?s:.{,400})\?",
    "its definition": r"^ *\.\. math::",
    "a picture that the build draws": r"^ *\.\. figure:: \.\./auto_examples/images/",
    "its example": r":ref:`[^`]*sphx_glr_auto_examples_\w+\.py",
    "its limits": r"(?i)limitations|where it fa[il]+s|can go wrong|they assume",
}


@pytest.mark.parametrize(
    "page",
    sorted(page.stem for page in GUIDE.glob("*.rst") if page.stem not in EXCEPTED),
)
def test_a_page_of_the_guide_has_its_parts(page):
    text = (GUIDE / f"{page}.rst").read_text(encoding="utf-8")
    assert [
        part for part, look in PARTS.items() if not re.search(look, text, re.M)
    ] == []
