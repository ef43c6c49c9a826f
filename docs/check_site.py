"""Check the built pages: links, anchors, other hosts, code, leftovers, sizes of files.

    python docs/check_site.py docs/_build/html

Prints what is wrong, a line each, and exits with 1 if anything is. A link may lead to
another host; what a page loads by itself must lie beside the pages.
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that make a browser load something without being asked.
LOADS = {
    *((tag, "src") for tag in ("script", "img", "iframe", "video", "audio", "source")),
    ("object", "data"),
    ("link", "href"),
}
# Of a link in the head, these are said to whoever asks, and load nothing.
SAID = {
    "canonical",
    "index",
    "search",
    "next",
    "prev",
    "author",
    "license",
    "copyright",
}
IN_STYLES = re.compile(r"""(?:@import|url\()\s*["']?((?:https?:)?//[^"')\s]+)""")
# Characters in a line of code that any page shows, and in one that code printed.
WIDEST = 68
WIDEST_PRINTED = 76
# Pages of sources and of printed results are as wide as what they show.
WIDE_PAGES = ("_modules/",)
# What an object without words of its own prints.
LEFTOVER = " object at 0x"
# What people type into the search, and a page that must be one of its first results.
GUIDE = "user_guide/"
SOUGHT = {
    **dict.fromkeys(("mrr", "map", "hit rate"), f"{GUIDE}ranked_lists"),
    **dict.fromkeys(("precision at k", "top k"), f"{GUIDE}ranked_lists"),
    **dict.fromkeys(("concordance", "c-index", "gini", "ks"), f"{GUIDE}choosing"),
    **dict.fromkeys(("gains chart", "number needed to read"), f"{GUIDE}deciding"),
    **dict.fromkeys(("enrichment factor", "bedroc"), f"{GUIDE}rate"),
    **dict.fromkeys(("monitor drift", "drift"), f"{GUIDE}in_production"),
    **dict.fromkeys(("ipcw", "inverse probability"), f"{GUIDE}missing_labels"),
    **dict.fromkeys(("pu learning", "label noise"), f"{GUIDE}missing_labels"),
    "delayed labels": f"{GUIDE}missing_labels",
    **dict.fromkeys(("uplift", "qini"), f"{GUIDE}worth"),
    **dict.fromkeys(
        ("verification bias", "prediction-powered"), f"{GUIDE}missing_labels"
    ),
    "wss@95": f"{GUIDE}fixed_recall",
    "two-stage screening": f"{GUIDE}average_precision",
}
FIRST_RESULTS = 3
LARGEST_FILE = 1_500_000
LARGEST_SITE = 60_000_000


@dataclass
class Page(HTMLParser):
    """What one page links to, loads and shows as code."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)
    _depth: int = 0
    _printed: bool = False

    def __post_init__(self):
        super().__init__()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.update(values[key] for key in ("id", "name") if values.get(key))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        is_said = tag == "link" and set((values.get("rel") or "").split()) & SAID
        for key, value in attrs:
            if (tag, key) in LOADS and value and not is_said:
                self.loads.append(value)
        # What a script printed is set so that it goes on in the next line.
        if tag == "div" and "highlight-" in (values.get("class") or ""):
            self._printed = "script-out" in values["class"]
        if tag == "pre" and not self._printed:
            self.code.append("")
            self._depth += 1

    def handle_endtag(self, tag):
        if tag == "pre":
            self._depth = 0

    def handle_data(self, data):
        if self._depth:
            self.code[-1] += data
        if LEFTOVER in data:
            self.leftovers.append(data.strip())


def check_site(root: Path) -> Iterator[str]:
    """Yield what is wrong with the pages in a folder."""
    found = sorted(path for path in root.rglob("*.html") if is_page(path, root))
    pages = {path: read(path) for path in found}
    for path, page in pages.items():
        where = path.relative_to(root)
        for link in {*page.links, *page.loads}:
            wrong = wrong_link(link, path, pages, root)
            if wrong:
                yield f"{where}: {wrong}: {link}"
        for link in page.loads:
            if is_elsewhere(link):
                yield f"{where}: loads from another host: {link}"
        for text in page.leftovers:
            yield f"{where}: prints what says nothing: {text}"
        if not str(where).startswith(WIDE_PAGES):
            yield from (f"{where}: code is cut: {line}" for line in wide_lines(page))
    yield from wrong_files(root)


def is_page(path: Path, root: Path) -> bool:
    """Return whether a file is a page, and no template of the theme."""
    return path.relative_to(root).parts[0] != "_static"


def read(path: Path) -> Page:
    """Return what a page holds."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def is_elsewhere(link: str) -> bool:
    """Return whether a link leads to another host."""
    parts = urlsplit(link)
    return bool(parts.netloc) or parts.scheme in ("http", "https")


def wrong_link(
    link: str, path: Path, pages: dict[Path, Page], root: Path
) -> str | None:
    """Return what is wrong with a link of a page to another page, if anything."""
    parts = urlsplit(link)
    if is_elsewhere(link) or parts.scheme:
        return None
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(root.resolve()) or not target.is_file():
        return "leads nowhere"
    fragment = unquote(parts.fragment)
    if "_modules" in path.parts:
        # Source pages know one module's name for all that a file hands on.
        return None
    if fragment and target in pages and fragment not in pages[target].ids:
        return "has no such anchor"
    return None


def wide_lines(page: Page) -> Iterator[str]:
    """Yield lines of code, or of what it printed, that are wider than a page shows."""
    for block in page.code:
        lines = block.splitlines()
        is_dialogue = any(line.startswith(">>> ") for line in lines)
        for line in lines:
            is_printed = is_dialogue and not line.startswith((">>> ", "... "))
            if len(line) > (WIDEST_PRINTED if is_printed else WIDEST):
                yield line


def not_found(root: Path) -> Iterator[str]:
    """Yield what people search for without its page in the first results.

    Sphinx ranks the main entries of the index first that are what was typed.
    """
    path, index = root / "searchindex.js", {"docnames": [], "indexentries": {}}
    if path.is_file():
        text = path.read_text(encoding="utf-8")
        index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    for typed, page in SOUGHT.items():
        entries = index["indexentries"].get(typed, [])
        found = {index["docnames"][place] for place, _, is_main in entries if is_main}
        if page not in found or len(found) > FIRST_RESULTS:
            yield f"search: {typed!r} gives {sorted(found)} first, and not {page}"


def wrong_files(root: Path) -> Iterator[str]:
    """Yield files that are too large, and styles that load from other hosts."""
    total = 0
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        where, size = path.relative_to(root), path.stat().st_size
        total += size
        if size > LARGEST_FILE and path.suffix in (".png", ".svg", ".html"):
            yield f"{where}: {size:,} bytes, more than {LARGEST_FILE:,}"
        if path.suffix == ".css":
            for link in IN_STYLES.findall(path.read_text(encoding="utf-8")):
                yield f"{where}: loads from another host: {link}"
    if total > LARGEST_SITE:
        yield f"all files: {total:,} bytes, more than {LARGEST_SITE:,}"


def main(folder: str) -> int:
    """Print what is wrong, and return the exit status."""
    root = Path(folder).resolve()
    wrong = [*check_site(root), *not_found(root)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    count = sum(1 for _ in root.rglob("*.html"))
    print(f"{count} pages: {len(wrong)} faults")
    return int(bool(wrong) or not count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
