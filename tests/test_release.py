"""What a release is made of: versions, a recipe for conda, the files at the top."""

import re

import pytest

import skrate
from optional import require
from repository import ROOT, project_metadata

RECIPE = ROOT / "conda" / "recipe" / "recipe.yaml"
CONDA_NAMES = {"matplotlib": "matplotlib-base"}


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


def cited_version():
    return re.search(r"(?m)^version: (.*)$", page("CITATION.cff"))[1]


def test_the_version_to_come_is_that_to_cite():
    vcs = project_metadata()["tool"]["hatch"]["version"]
    assert vcs["source"] == "vcs"
    assert vcs["fallback-version"] == f"{cited_version()}.dev0"
    assert f"version = {{{cited_version()}}}" in page("docs/citing.rst")


def test_the_version_is_that_of_a_release_or_of_development():
    if skrate.__version__ == "0+unknown":
        pytest.skip("needs the installed package: its version is in its metadata")
    assert re.fullmatch(r"\d+(\.\d+)+(\.dev\d+)?", skrate.__version__)


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
