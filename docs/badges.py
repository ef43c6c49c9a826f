"""Draw the badges of the README from what pyproject.toml says.

    python docs/badges.py docs/_static

Badges as files, so that reading the README sends no request to another host.
"""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
# Width of a character and of the space around a word, in pixels.
CHARACTER, SPACE = 6.6, 12
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img">
<title>{label}: {value}</title>
<rect width="{width}" height="20" rx="3" fill="#4d4d4d"/>
<path d="M{middle} 0h{right}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{right}z" fill="#0072b2"/>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">
<text x="{of_label}" y="14">{label}</text><text x="{of_value}" y="14">{value}</text>
</g>
</svg>
"""


def badges(project: dict) -> dict[str, str]:
    """Return the badges by the names of their files."""
    minors = [
        int(found[1])
        for line in project["classifiers"]
        if (found := re.fullmatch(r"Programming Language :: Python :: 3\.(\d+)", line))
    ]
    (floor,) = (
        line.split(">=")[1].removesuffix(".0")
        for line in project["dependencies"]
        if line.startswith("scikit-learn>=")
    )
    is_typed = "Typing :: Typed" in project["classifiers"]
    return {
        "badge-python.svg": badge("Python", f"3.{min(minors)} to 3.{max(minors)}"),
        "badge-scikit-learn.svg": badge("scikit-learn", f"{floor} or newer"),
        "badge-licence.svg": badge("licence", project["license"]),
        "badge-typed.svg": badge("typed", "yes" if is_typed else "no"),
    }


def badge(label: str, value: str) -> str:
    """Return one badge as SVG."""
    left, right = (round(len(text) * CHARACTER + SPACE) for text in (label, value))
    return SVG.format(
        label=label, value=value, width=left + right, middle=left, right=right - 3,
        of_label=SPACE // 2, of_value=left + SPACE // 2,
    )  # fmt: skip


if __name__ == "__main__":
    metadata = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    for name, text in badges(metadata).items():
        Path(sys.argv[1], name).write_text(text, encoding="utf-8")
