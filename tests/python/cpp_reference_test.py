# SPDX-License-Identifier: Apache-2.0
"""Tests the site's C++ reference: it is complete, it describes everything, and it shows nothing that is private."""

import os
import re
import sys
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none"))
SITE = SOURCE / "docs" / "site"
if not SITE.is_dir():
    pytest.skip("needs the sources: ENVPOOL_SOURCE_DIR", allow_module_level=True)

sys.path.insert(0, str(SITE))
import cpp_reference  # noqa: E402
from cpp_reference import Parser, described, listed, members_of  # noqa: E402

sys.path.remove(str(SITE))

HEADER = """// SPDX-License-Identifier: Apache-2.0
//
// What it has.
#pragma once

namespace envpool {

namespace detail {
inline int hidden() { return '}'; }
}  // namespace detail

// Adds.
ENVPOOL_FN int add(int a, int b = 2) { return "}"[0] + a + b; }
ENVPOOL_FN f64 add(f64 a, f64 b) { return a + b; }

inline int alone() { return 1; }  // stands by itself

class Box {
 public:
  Box(int size) : size_(size) {}  // begins empty
  int size() const {  // in cells
    return size_;
  }

 private:
  int size_;
};

}  // namespace envpool
"""


def shown(header, names):
    """Returns what the page lists of a header."""
    return listed(list(Parser(SOURCE / "envpool" / header).declarations()), names)


def test_every_header_of_the_api_is_listed_or_internal():
    included = cpp_reference.included(SOURCE)
    headers = {header for _, header, _ in cpp_reference.SECTIONS}
    assert {"core/env.h", "core/math/repair.h", "core/table/spec.h", "core/math/rng.h"} <= {*included}
    assert [h for h in included if h not in headers and not cpp_reference.INTERNAL.match(h)] == []
    assert headers - {*included} == {*cpp_reference.MORE}


@pytest.mark.parametrize(("title", "header", "names"), cpp_reference.SECTIONS)
def test_everything_is_described(title, header, names):
    """By its own comment, by that of its class, or by the comment at the top of the header."""
    found = shown(header, names)
    assert {*names} <= {declaration.name for declaration in found}
    top = re.match(r"(?://[^\n]*\n)+", (SOURCE / "envpool" / header).read_text())[0]

    def is_known(declaration, comments):
        named = re.search(rf"\b{declaration.name}\b", "\n".join(comments))
        return declaration.text.startswith("using ") or named

    for declaration, has_comment in described(found):
        assert has_comment or is_known(declaration, [top]), declaration.text
        for member, has_own in described(members_of(declaration)):
            assert has_own or is_known(member, declaration.comment), f"{declaration.name}: {member.text}"


def test_what_headers_offer():
    repair = {declaration.name for declaration in shown("core/math/repair.h", [])}
    assert repair == {"keep_within", "keep_bool", "count_up"}
    (rng,) = shown("core/math/rng.h", ["Rng"])
    draws = [*("bits", "number_if", "uniform_f32", "uniform", "unit", "uniform", "uniforms", "below")]
    assert [member.name for member in members_of(rng)] == draws
    assert {"sin", "cos", "exp", "log", "atan2", "fmod", "clamp"} <= {d.name for d in shown("core/math/math.h", [])}
    assert [declaration.name for declaration in shown("core/env.h", ["World", "Row"])] == ["World", "World", "Row"]


def test_the_page_has_no_bodies_and_nothing_private():
    page = cpp_reference.page(SOURCE)
    blocks = "\n".join(re.findall(r"^```cpp\n(?!  )(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    for text in (
        "template <class T> void keep_within(T& x, T low, T high);",
        "u32 below(u32 n);",
        "f64 normal(Rng& rng);",
        "static void set_size(Spec& s, i32 rows, i32 columns);",
    ):
        assert text in blocks
    code = re.sub(r"//[^\n]*", "", blocks)
    for text in ("_;", "return ", "philox", "private", "ENVPOOL_FN f64", "Json"):
        assert text not in code, text


def test_declarations_are_parsed(tmp_path):
    header = tmp_path / "header.h"
    header.write_text(HEADER)
    found = list(Parser(header).declarations())
    assert [(d.name, d.comment, d.follows) for d in found] == [
        ("add", ["Adds."], False),
        ("add", [], True),
        ("alone", ["stands by itself"], False),
        ("Box", [], False),
    ]
    assert found[1].text == "ENVPOOL_FN f64 add(f64 a, f64 b)"
    assert [(member.text, member.comment) for member in found[3].members] == [
        ("Box(int size)", ["begins empty"]),
        ("int size() const", ["in cells"]),
    ]
