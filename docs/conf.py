"""Sphinx configuration; `sphinx-build -W -n docs docs/_build/html` builds the pages.

No network is needed: see `resolve_installed` for how references into other projects
are checked without their inventories.
"""

import builtins
import importlib
import os
import sys
import zlib
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import skrate

DOCS = Path(__file__).resolve().parent
GENERATED = DOCS / "generated"
sys.path.insert(0, str(DOCS))

from api_page import write_api_page

project = "skrate"
author = "the skrate developers"
copyright = "2026, the skrate developers"
version = release = skrate.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "myst_parser",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    # MathJax itself among the pages, so that formulas need no other host.
    "sphinx-mathjax-offline",
]
templates_path = ["_templates"]
exclude_patterns = [
    "_build",
    "examples",
    # Included by the galleries, and no pages of their own.
    "auto_examples/**/*.ipynb",
]
# `y_true` in a docstring is code.
default_role = "code"
nitpicky = True
nitpick_ignore = []  # each entry with its reason
suppress_warnings = [
    # The gallery's configuration holds functions, which Sphinx cannot store.
    "config.cache"
]

extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say the types
numpydoc_show_class_members = False  # the class template lists them
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

# What is copied is the code, without prompts and what was printed.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = f"skrate {release}"
html_show_sourcelink = False
html_static_path = ["_static"]
html_favicon = "_static/logo.svg"
html_css_files = ["tables.css", "pages.css"]
# These have no sections beside them; and the tables of speed need the width.
html_sidebars = {
    name: []
    for name in (
        *("index", "install", "coming_from", "reproductions", "glossary", "citing"),
        *("quick_start", "tutorials", "command_line"),
        *("performance", "changelog"),
    )
}
html_extra_path = ["llms.txt"]
html_theme_options = {
    "logo": {
        "text": "skrate",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
    },
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        "index": [],
        "performance": [],
        "auto_examples/index": [],
        # Its table needs the width.
        "user_guide/choosing": [],
    },
}


def place_in_gallery(file: str) -> int:
    """Return where the gallery's index names an example."""
    return GALLERY.index(Path(file).name)


GALLERY = (DOCS / "examples" / "index.rst").read_text(encoding="utf-8")

sphinx_gallery_conf = {
    "minigallery_sort_order": place_in_gallery,
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"[\\/](plot_\w+|select_a_model)\.py$",
    "ignore_pattern": r"__init__\.py|conf\.py",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("skrate",),
    "reference_url": {"skrate": None},
    "abort_on_example_error": True,
    # Of the last line of a block, tables are shown; artists and displays say nothing.
    "capture_repr": ("_repr_html_",),
    "matplotlib_animations": False,
    # The index of the gallery, in sections, is ours.
    "copyfile_regex": r"index\.rst",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10,
    # That page would load scripts from other hosts.
    "write_computation_times": False,
    # Comments that are for the gallery itself.
    "remove_config_comments": True,
    "plot_gallery": os.environ.get("SKRATE_RUN_EXAMPLES", "1") == "1",
}

# An inventory that cannot be fetched is replaced by an empty one, so that a build
# without the network gives no warning and a build with it has the links.
EMPTY_INVENTORY = GENERATED / "empty.inv"
OTHER_PROJECTS = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
    "sklearn": "https://scikit-learn.org/stable/",
    "joblib": "https://joblib.readthedocs.io/en/stable/",
    "matplotlib": "https://matplotlib.org/stable/",
    "pandas": "https://pandas.pydata.org/docs/",
}
intersphinx_timeout = 5
intersphinx_mapping = {
    name: (url, (None, str(EMPTY_INVENTORY.relative_to(DOCS))))
    for name, url in OTHER_PROJECTS.items()
}


def write_empty_inventory() -> None:
    """Write an inventory without entries."""
    header = "# Sphinx inventory version 2\n# Project: none\n# Version: 0\n"
    header += "# The remainder of this file is compressed using zlib.\n"
    EMPTY_INVENTORY.write_bytes(header.encode() + zlib.compress(b""))


def resolve_installed(app, env, node, contnode):
    """Leave a reference to another project as plain text if the name exists there.

    It is asked for only where no inventory resolved the reference. A name that is
    not there either stays unresolved, which is a warning, hence an error.
    """
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or target.split(".")[0] not in OTHER_PROJECTS:
        return contnode if is_builtin(node, target) else None
    return contnode if exists(target) else None


def is_builtin(node, target: str) -> bool:
    """Return whether a Python reference is to the standard library."""
    if node.get("refdomain") != "py":
        return False
    first = target.split(".")[0]
    if first in sys.stdlib_module_names:
        return exists(target)
    return "." not in target and hasattr(builtins, target)


def exists(target: str) -> bool:
    """Return whether a dotted name can be imported."""
    parts = target.split(".")
    for split in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:split]))
        except ImportError:
            continue
        for name in parts[split:]:
            value = getattr(value, name, None)
        return value is not None
    return False


def skip_request_methods(app, what, name, obj, skip, options):
    """Leave out the methods that scikit-learn makes for routing."""
    is_routing = name.startswith("set_") and name.endswith("_request")
    return True if is_routing or name == "get_metadata_routing" else skip


MODULES = ("skrate", "skrate.displays", "skrate.results")


def find_in_package(app, env, node, contnode):
    """Link a name that stands without its module, as docstrings write it."""
    if node.get("refdomain") != "py":
        return None
    domain = env.domains["py"]
    for module in MODULES:
        target = f"{module}.{node['reftarget']}"
        place = node["refdoc"], app.builder, node["reftype"], target
        found = domain.resolve_xref(env, *place, node, contnode)
        if found is not None:
            return found
    return None


def setup(app):
    """Connect the hooks, and write what is generated before Sphinx looks for it."""
    app.connect("missing-reference", find_in_package)
    app.connect("missing-reference", resolve_installed, priority=900)
    app.connect("autodoc-skip-member", skip_request_methods)


GENERATED.mkdir(exist_ok=True)
write_empty_inventory()
write_api_page(GENERATED / "api.rst")
