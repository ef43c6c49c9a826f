"""Write the page of the API from the public names, by folder of the package.

A new public name needs no edit here: it joins the section of its folder.
"""

import importlib
import inspect
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

import skrate

TITLES = {
    "metrics": "Metrics",
    "model_selection": "Scorers and model selection",
    "inference": "Uncertainty and comparison",
    "curves": "Curves",
    "error_rate": "AUC and error rate",
    "displays": "Displays",
    "ensemble": "Estimators",
    "rates": "Distributions of the rate",
    "core": "Building blocks",
    "dask": "Past one machine, with Dask",
    "spark": "Past one machine, with Spark",
}
# Modules that are imported by their own names, as they need more than the package.
ENGINES = ("dask", "spark")
TEMPLATE = """
{title}
{underline}

{summary}

.. currentmodule:: {module}

.. autosummary::
   :toctree: .
   :nosignatures:

{names}
"""


def write_api_page(path: Path) -> None:
    """Write the page, unless it stands there already with the same words."""
    sections = public_names()
    unknown = set(sections) - set(TITLES)
    if unknown:
        raise ValueError(f"docs/api_page.py has no title for {sorted(unknown)}.")
    parts = ["API\n===\n", ".. module:: skrate\n", f"{inspect.getdoc(skrate)}\n"]
    for folder, title in TITLES.items():
        if sections[folder]:
            parts.append(section(folder, title, sections[folder]))
    text = "\n".join(parts)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def public_names() -> dict[str, list[str]]:
    """Return the names of `__all__` by the folder they are defined in."""
    sections: dict[str, list[str]] = defaultdict(list)
    for name in skrate.__all__:
        value = getattr(skrate, name)
        if isinstance(value, ModuleType):
            sections[name] = list(value.__all__)
        else:
            sections[folder_of(value)].append(name)
    for name in ENGINES:
        sections[name] = list(importlib.import_module(f"skrate.{name}").__all__)
    return sections


def folder_of(value: Any) -> str:
    """Return the folder of skrate in which an object is defined."""
    return value.__module__.split(".")[1]


def section(folder: str, title: str, names: list[str]) -> str:
    """Return one section: its title, what the folder says of itself, and its names."""
    is_module = isinstance(getattr(skrate, folder, None), ModuleType)
    is_public = (is_module and folder in skrate.__all__) or folder in ENGINES
    module = f"skrate.{folder}" if is_public else "skrate"
    documented = importlib.import_module(f"skrate.{folder}")
    text = TEMPLATE.format(
        title=title,
        underline="-" * len(title),
        summary=inspect.getdoc(documented),
        module=module,
        names="\n".join(f"   {name}" for name in sorted(names, key=str.lower)),
    )
    return text if module == "skrate" else f"\n.. module:: {module}\n{text}"
