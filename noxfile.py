"""The sessions of the CI: `nox -l` lists them, and `nox -s lint` runs one of them.

What follows `--` is passed to pytest: `nox -s tests-3.13 -- tests/rates`.
"""

import re
import shutil
import tarfile
import zipfile
from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.sessions = ["tests-3.11", "docs", "lint", "typing"]

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
OLDEST, *_ = PYTHONS
ROOT = Path(__file__).parent
EXTRAS = nox.project.load_toml("pyproject.toml")["project"]["optional-dependencies"]
PYTEST = ("pytest", "-q", "-n", "auto", "--dist", "worksteal")
SHORT = {"SKRATE_GUARANTEES": "short", "SKRATE_FUZZ_CALLS": "2000"}


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the default tests on the newest versions."""
    session.install(".[plot,test]")
    session.run(*PYTEST, *session.posargs)


@nox.session(python=OLDEST)
def full(session: nox.Session) -> None:
    """Run all tests with all extras, the guarantees and the fuzz test in short."""
    install_all(session)
    session.install(*EXTRAS["lint"])
    everything = SHORT | {"SKRATE_REQUIRE_ALL": "1", "HYPOTHESIS_PROFILE": "same"}
    session.run(*PYTEST, "-m", "", *session.posargs, env=everything)


@nox.session(python=OLDEST)
def oldest(session: nox.Session) -> None:
    """Run the default tests on the oldest versions, without the benchmarks."""
    install_all(session, "-c", "tests/oldest.txt")
    session.run(*PYTEST, "--ignore", "tests/test_benchmarks.py", *session.posargs)


@nox.session(python=OLDEST)
def fuzz(session: nox.Session) -> None:
    """Compare 100,000 random calls with oracles."""
    install_all(session)
    session.run(*PYTEST, "-m", "fuzz", *session.posargs)


@nox.session(python=PYTHONS)
def readme(session: nox.Session) -> None:
    """Run the README's commands as they are typed, each in a fresh clone."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^```bash\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if len(commands) != 2:
        session.error(
            "README.md must have two blocks of bash: an example and the tests"
        )
    for command in commands:
        clone = new_folder(session, "clone")
        session.run("git", "clone", "--quiet", str(ROOT), str(clone), external=True)
        with session.chdir(clone):
            session.run("bash", "-ec", command, external=True)
            check_clean(session)


@nox.session(python=OLDEST)
def docs(session: nox.Session) -> None:
    """Build the documentation, where a warning is an error, and check its pages."""
    session.install(".[docs]")
    session.run("sphinx-build", "-W", "-n", "-q", "docs", "docs/_build/html")
    session.run("python", "docs/check_site.py", "docs/_build/html")


@nox.session(python=OLDEST)
def lint(session: nox.Session) -> None:
    """Check the style, the format and the spelling."""
    session.install(*extra("lint", "ruff", "codespell"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("codespell", ".")


@nox.session(python=OLDEST)
def typing(session: nox.Session) -> None:
    """Check the types."""
    session.install(".", *extra("lint", "mypy"))
    session.run("mypy")


@nox.session(python=PYTHONS)
def sdist(session: nox.Session) -> None:
    """Build the sdist and its wheel, and run the tests of the unpacked sdist."""
    session.install("build", "twine")
    folder = new_folder(session, "dist")
    session.run("python", "-m", "build", "--outdir", str(folder))
    (archive,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    session.run("twine", "check", "--strict", str(archive), str(wheel))
    listing = session.run("git", "ls-files", "skrate", silent=True, external=True)
    packed = zipfile.ZipFile(wheel).namelist()
    if {name for name in packed if name.startswith("skrate/")} != {*listing.split()}:
        session.error("the wheel must hold the files of skrate/ that git tracks")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    unpacked = folder / archive.name.removesuffix(".tar.gz")
    session.install(f"{unpacked}[plot,test]")
    with session.chdir(unpacked):
        session.run(*PYTEST, *session.posargs)


def install_all(session: nox.Session, *options: str) -> None:
    """Install the package with its extras, without gigabytes of libraries for GPUs.

    XGBoost and PyTorch bring them. PyTorch is left out: its tests are skipped.
    """
    names = [name for name in EXTRAS["peers"] if not name.startswith(("torch", "xgb"))]
    session.install(*options, ".[dask,frames,plot,test]", *names)
    session.install(*options, "--no-deps", *extra("peers", "xgboost"))


def extra(name: str, *packages: str) -> list[str]:
    """Return the requirements of some packages of an extra."""
    return [line for line in EXTRAS[name] if line.startswith(packages)]


def new_folder(session: nox.Session, name: str) -> Path:
    """Return the path of a new folder in the session's temporary folder."""
    folder = Path(session.create_tmp()).resolve() / name
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def check_clean(session: nox.Session) -> None:
    """Stop if there are files in the clone that git would offer to add."""
    left = session.run("git", "status", "--porcelain", silent=True, external=True)
    if left:
        session.error(f"the commands left files behind:\n{left}")
