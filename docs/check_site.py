"""Check the built pages: links, anchors, other hosts, and objects without a repr.

    python docs/check_site.py docs/_build/html

Prints what is wrong, a line each, and exits with 1 if anything is. A link may lead to
another host; what a page loads by itself must lie beside the pages.
"""

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
# What an object without words of its own prints.
LEFTOVER = " object at 0x"


@dataclass
class Page(HTMLParser):
    """The links of a page, the files that it loads, and objects without a repr."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)

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

    def handle_data(self, data):
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
    yield from loading_styles(root)


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


def loading_styles(root: Path) -> Iterator[str]:
    """Yield styles that load from other hosts."""
    for path in sorted(root.rglob("*.css")):
        for link in IN_STYLES.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(root)}: loads from another host: {link}"


def main(folder: str) -> int:
    """Print what is wrong, and return the exit status."""
    root = Path(folder).resolve()
    wrong = list(check_site(root))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    count = sum(1 for _ in root.rglob("*.html"))
    print(f"{count} pages: {len(wrong)} faults")
    return int(bool(wrong) or not count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
