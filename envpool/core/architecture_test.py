# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md names every function of the C table, and no other."""

import os
import re
from pathlib import Path

import pytest

import envpool

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")


@pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")
def test_the_page_names_the_functions_of_the_table():
    header = Path(envpool.get_include(), "envpool/core/vtable.h").read_text()
    (body,) = re.findall(r"^struct Table \{(.*?)^\};", header, re.M | re.S)
    functions = set(re.findall(r"\(\*(\w+)\)", body)) | set(re.findall(r"const Pure\* (\w+);", body))
    assert {"create", "step", "save", "pure"} <= functions
    page = Path(SOURCE, "docs/architecture.md").read_text()
    (paragraph,) = re.findall(r"same C table(.*?)\n\n", page, re.S)
    named = set(re.findall(r"`(\w+)`", paragraph))
    assert named == functions
