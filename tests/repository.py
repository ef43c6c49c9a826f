"""Where the checkout and the tested package are, and what is tracked in them."""

import subprocess
import tomllib
from pathlib import Path

import skrate
from optional import skip_or_fail

ROOT = Path(__file__).resolve().parents[1]
# The installed package, which need not be the one in the checkout.
PACKAGE = Path(skrate.__file__).resolve().parent
# A folder imports only from the folders before it.
FOLDERS = (
    "data",
    "rates",
    "metrics",
    "curves",
    "error_rate",
    "inference",
    "review",
    "labels",
    "ensemble",
    "model_selection",
    "displays",
)


def tracked_files() -> list[Path]:
    """Return the files that git tracks, or skip the test outside of a checkout."""
    if not (ROOT / ".git").exists():
        skip_or_fail("needs a git checkout: tracked files are looked through")
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    files = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [file for file in files if file.is_file()]


def package_modules() -> list[Path]:
    """Return each module file of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def project_metadata() -> dict:
    """Return pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
