"""What a release is made of: versions, a recipe for conda, the files at the top."""

import builtins
import re
import tomllib

import pytest
from sklearn import model_selection

import skrate
from optional import require
from repository import ROOT, project_metadata

RECIPE = ROOT / "conda" / "recipe" / "recipe.yaml"
TEMPLATES = ROOT / ".github" / "ISSUE_TEMPLATE"
CONDA_NAMES = {"matplotlib": "matplotlib-base"}
pytestmark = pytest.mark.skipif(not RECIPE.exists(), reason="needs the checkout")


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


def cited_version():
    return re.search(r"(?m)^version: (.*)$", page("CITATION.cff"))[1]


def test_without_a_tag_the_version_to_come_is_that_to_cite():
    vcs = project_metadata()["tool"]["hatch"]["version"]
    assert vcs["source"] == "vcs"
    assert vcs["fallback-version"] == f"{cited_version()}.dev0"


def test_the_version_is_that_of_a_release_or_of_development():
    if skrate.__version__ == "0+unknown":
        pytest.skip("needs the installed package: its version is in its metadata")
    assert re.fullmatch(r"\d+(\.\d+)+(\.dev\d+)?", skrate.__version__)


def test_links_of_the_package_are_papers_that_the_project_cites():
    # Source, documentation and issues have no public host yet.
    urls = project_metadata()["project"]["urls"]
    assert urls
    for label, url in urls.items():
        assert len(label) <= 32, "the package index takes no longer label"
        assert url.removeprefix("https://doi.org/") in page("CITATION.cff"), label


def test_the_sdist_holds_what_its_files_name():
    sdist = project_metadata()["tool"]["hatch"]["build"]["targets"]["sdist"]
    assert {"/skrate", "/tests", "/README.md", "/CHANGELOG.md"} <= {*sdist["include"]}
    for path in sdist["include"]:
        assert (ROOT / path[1:]).exists(), path


@pytest.mark.parametrize(
    "name", ["CHANGELOG.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "CONTRIBUTING.md"]
)
def test_relative_links_of_the_files_at_the_top_lead_somewhere(name):
    for target in re.findall(r"\]\(([^)]+)\)", page(name)):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def recipe():
    return require("yaml").safe_load(RECIPE.read_text(encoding="utf-8"))


def conda(requirements):
    """Return requirements of pip as conda writes them."""
    split = (re.split("(?===|>=)", line, maxsplit=1) for line in requirements)
    return [f"{CONDA_NAMES.get(name, name)} {version}" for name, version in split]


def test_the_recipe_is_of_this_package():
    found, project = recipe(), project_metadata()["project"]
    assert found["package"]["name"] == project["name"]
    assert found["context"]["version"] == cited_version()
    assert f">={found['context']['python_min']}" == project["requires-python"]
    assert found["build"]["noarch"] == "python"
    assert found["about"]["summary"] == project["description"]
    assert found["about"]["license"] == project["license"]
    assert found["about"]["license_file"] == project["license-files"][0]


def test_the_recipe_needs_what_the_package_needs():
    found, metadata = recipe()["requirements"], project_metadata()
    project = metadata["project"]
    python, *run = found["run"]
    assert python == "python >=${{ python_min }}"
    assert run == conda(project["dependencies"])
    assert found["run_constraints"] == conda(project["optional-dependencies"]["plot"])
    python, pip, *host = found["host"]
    assert (python, pip) == ("python ${{ python_min }}.*", "pip")
    assert host == conda(metadata["build-system"]["requires"])


def test_the_recipe_is_read_by_the_program_that_builds_it():
    stage0 = require("rattler_build").Stage0Recipe
    (variant,) = stage0.from_file(str(RECIPE)).render()
    rendered = variant.recipe.to_dict()
    assert rendered["package"] == {"name": "scikit-rate", "version": cited_version()}
    assert (RECIPE.parent / rendered["source"][0]["path"]).resolve() == ROOT
    assert "python 3.11.*" in rendered["requirements"]["host"]


def test_issue_templates_are_forms():
    paths = sorted(TEMPLATES.glob("*.yml"))
    assert [path.stem for path in paths] == [
        "bug_report",
        "feature_request",
        "wrong_number",
    ]
    for path in paths:
        form = require("yaml").safe_load(path.read_text(encoding="utf-8"))
        assert {*form} == {"name", "description", "labels", "body"}, path.name
        assert len(form["description"]) <= 200
        ids = [field["id"] for field in form["body"]]
        assert len(ids) == len({*ids})
        for field in form["body"]:
            assert field["type"] in {"textarea", "input"}
            assert {*field} <= {"type", "id", "attributes", "validations"}
            known = {"label", "description", "placeholder", "render", "value"}
            assert "label" in field["attributes"]
            assert {*field["attributes"]} <= known
        assert any(f.get("validations", {}).get("required") for f in form["body"])


def test_the_changelog_says_where_changes_are():
    links = re.findall(r"\]\((.*?)\)", page("CHANGELOG.md"))
    towncrier = tomllib.loads(page("pyproject.toml"))["tool"]["towncrier"]
    assert links == [towncrier["filename"], towncrier["directory"]]


def test_the_changelog_names_what_is_there():
    fragments = (ROOT / "docs" / "changelog.d").glob("*.*.md")
    folders = "skrate", "docs/user_guide", "docs/examples"
    sources = [
        path.read_text(encoding="utf-8")
        for folder in folders
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix in {".py", ".rst"}
    ]
    known = {
        *dir(builtins),
        *dir(model_selection),
        *re.findall(r"\w+", "\n".join(sources)),
    }
    for path in fragments:
        text = plain(path.read_text(encoding="utf-8"))
        for code in re.findall(r"`+([^`]+)`+", text):
            # A name, or the function of a call.
            named = re.match(r"(?:skrate\.)?([A-Za-z_]\w+)(?:\(|\Z)", code)
            assert not named or named[1] in known, f"{path.name}: {code}"


def plain(text):
    return " ".join(text.split())
