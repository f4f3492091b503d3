# SPDX-License-Identifier: Apache-2.0
"""Tests that only `core/text.h` converts between text and floating-point numbers, because other means use the locale."""

import os
import re
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none"))
ELSEWHERE = {"core/text.h"}  # the only file that may use these
USES_LOCALE = re.compile(
    r"\b(?:v?w?s?n?f?scanf|strto(?:d|f|ld)|sto(?:d|f|ld)|atof|setlocale)\s*\("  # functions of C and of <string>
    r"|\b[io]?stringstream\b"
    r"|\bifstream\b[^;]*>>"
    r"|\bv?s?n?f?printf\([^;]*%[-+ #0-9.*]*[aefgAEFG]"
    r"|\bfrom_chars\([^;]*\b(?:f32|f64|float|double)\b"
)

pytestmark = pytest.mark.skipif(not SOURCE.is_dir(), reason="needs the sources: ENVPOOL_SOURCE_DIR")


def conversions(text: str) -> list[str]:
    """Returns the conversions in C++ code that depend on the locale."""
    code = re.sub(r"//[^\n]*", "", text)
    return [match[0] for match in USES_LOCALE.finditer(code)]


def test_only_one_file_converts_numbers() -> None:
    folder = SOURCE / "envpool"
    files = [file for file in folder.rglob("*") if file.suffix in (".h", ".cc")]
    names = [str(file.relative_to(folder)) for file in files]
    found = {
        name: conversions(file.read_text()) for name, file in zip(names, files, strict=True) if name not in ELSEWHERE
    }
    assert len(found) > 200
    assert {name: code for name, code in found.items() if code} == {}


@pytest.mark.parametrize(
    "code",
    [
        "x = std::strtod(text, &end);",
        "x = std::stod(text);",
        'std::snprintf(text, 32, "%.17g", x);',
        'std::printf("%s: %5.1f\\n", name,\n            x);',
        "std::istringstream words(text);",
        "std::ifstream(path) >> limit;",
        'sscanf(text, "%lf", &x);',
    ],
)
def test_conversions_are_detected(code: str) -> None:
    assert conversions(code)


def test_other_code_is_not_detected() -> None:
    assert conversions('std::snprintf(text, 8, "\\\\u%04x", c); // strtod(x)\nto_text(x); parse_real(text);') == []
