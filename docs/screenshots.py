"""Photograph every built page in a headless browser, and see what it asks others for.

    python docs/screenshots.py docs/_build/html shots
    python docs/screenshots.py docs/_build/html shots --only user_guide --dark

Needs Chromium. A picture of each page and width is written to the folder. It exits
with 1 if a page asked for anything but the files beside it.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = (1300, 500)
HEIGHT = 2600
LEFT_OUT = ("_static", "_modules", "_sources")
# In the log of the browser, whose own requests are not for a page.
REQUEST = re.compile(r'\{site=file://;[^}]*\}","url":"((?:https?|wss?)://[^"]+)"')


def main() -> int:
    """Photograph the pages, and return the exit status."""
    options = arguments()
    pages = [
        page
        for page in sorted(options.site.rglob("*.html"))
        if page.relative_to(options.site).parts[0] not in LEFT_OUT
        and options.only in str(page)
    ]
    options.shots.mkdir(parents=True, exist_ok=True)
    asked = set()
    for page in pages:
        for width in options.widths:
            name = str(page.relative_to(options.site).with_suffix("")).replace("/", "_")
            picture = options.shots / f"{name}_{width}.png"
            asked |= photograph(page, picture, width, is_dark=options.dark)
    for url in sorted(asked):
        print(f"asked another host: {url}")
    print(f"{len(pages)} pages, {len(asked)} requests to other hosts")
    return int(bool(asked) or not pages)


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path, help="folder of the built pages")
    parser.add_argument("shots", type=Path, help="folder for the pictures")
    parser.add_argument("--only", default="", help="pages whose path holds this")
    parser.add_argument("--widths", type=int, nargs="+", default=WIDTHS)
    parser.add_argument("--dark", action="store_true", help="in the dark theme")
    return parser.parse_args()


def photograph(
    page: Path, picture: Path, width: int, height: int = HEIGHT, *, is_dark: bool
) -> set[str]:
    """Write a picture of a page, and return what it asked other hosts for."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise SystemExit(f"None of {', '.join(BROWSERS)} was found: install one.")
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "net.json"
        command = [
            *(browser, "--headless", "--no-sandbox", "--hide-scrollbars"),
            *("--allow-file-access-from-files", "--virtual-time-budget=8000"),
            *("--disable-background-networking", "--disable-component-update"),
            *(f"--user-data-dir={folder}", f"--log-net-log={log}"),
            f"--window-size={width},{height}",
            f"--screenshot={picture.resolve()}",
        ]
        if is_dark:
            command += ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]
        done = subprocess.run(
            [*command, page.resolve().as_uri()],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        if not picture.exists():
            raise SystemExit(f"{page}: no picture was made: {done.stderr[-500:]}")
        return requests(log)


def requests(log: Path) -> set[str]:
    """Return the addresses at other hosts in the browser's log of its requests."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    return set(REQUEST.findall(text))


if __name__ == "__main__":
    sys.exit(main())
