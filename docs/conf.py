"""How Sphinx builds these pages: ``make docs``."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from topicweave import __version__

project = "topicweave"
copyright = "the topicweave authors"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
source_suffix = {".md": "markdown"}
nitpicky = False

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_attr_annotations = False  # for the same reason as autodoc_typehints = "none" below
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say what things mean; the source says their types

html_theme = "furo"
html_title = f"topicweave {release}"
html_static_path = ["_static"]
html_show_sphinx = False
html_theme_options = {"source_view_link": ""}


def _keep_bars(app, what, name, obj, options, lines):
    """Docstrings write |V| as the papers do; reStructuredText would take that for a substitution."""
    lines[:] = [re.sub(r"(`+[^`]*`+)|\|", lambda found: found[1] or "\\|", line) for line in lines]


def setup(app):
    app.connect("autodoc-process-docstring", _keep_bars, priority=900)
