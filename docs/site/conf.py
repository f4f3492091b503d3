# SPDX-License-Identifier: Apache-2.0
"""The configuration of Sphinx. build.py writes the pages that Sphinx reads."""

import envpool

project = "envpool"
author = "the envpool authors"
version = release = envpool.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
myst_enable_extensions = ["deflist", "fieldlist"]
myst_heading_anchors = 3
default_role = "code"  # for text between single backticks in docstrings
exclude_patterns: list[str] = []

autodoc_mock_imports = ["pettingzoo", "ray", "stable_baselines3"]
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = True
napoleon_google_docstring = True
napoleon_use_ivar = True

html_theme = "furo"
html_title = "envpool"
html_favicon = "icon.svg"
html_static_path = ["_static"]
html_use_index = False
html_css_files = ["site.css"]
html_show_sourcelink = False
html_show_copyright = False
copybutton_exclude = ".linenos, .gp"
