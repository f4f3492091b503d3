# SPDX-License-Identifier: Apache-2.0
"""Tests that our declarations of XLA's FFI structs and enums agree with the header of the installed jaxlib."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

jaxlib = pytest.importorskip("jaxlib")

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")

# Each pair names one of our structs and its members, and XLA's struct of the same layout and its members.
SAME = [
    ("Extension struct_size type next", "XLA_FFI_Extension_Base struct_size type next"),
    (
        "Version struct_size extensions major minor",
        "XLA_FFI_Api_Version struct_size extension_start major_version minor_version",
    ),
    ("Metadata struct_size version traits", "XLA_FFI_Metadata struct_size api_version traits"),
    ("MetadataExtension base metadata", "XLA_FFI_Metadata_Extension extension_base metadata"),
    (
        "ErrorCreate struct_size extensions message code",
        "XLA_FFI_Error_Create_Args struct_size extension_start message errc",
    ),
    (
        "Api struct_size extensions version internal create_error destroy_error set_state get_state",
        "XLA_FFI_Api struct_size extension_start api_version internal_api XLA_FFI_Error_Create XLA_FFI_Error_Destroy "
        "XLA_FFI_State_Set XLA_FFI_State_Get",
    ),
    ("ErrorDestroy struct_size extensions error", "XLA_FFI_Error_Destroy_Args struct_size extension_start error"),
    ("TypeId number", "XLA_FFI_TypeId type_id"),
    (
        "Buffer struct_size extensions dtype data rank dims",
        "XLA_FFI_Buffer struct_size extension_start dtype data rank dims",
    ),
    ("Buffers struct_size extensions size kinds data", "XLA_FFI_Args struct_size extension_start size types args"),
    ("Buffers struct_size extensions size kinds data", "XLA_FFI_Rets struct_size extension_start size types rets"),
    ("ByteSpan data size", "XLA_FFI_ByteSpan ptr len"),
    ("ScalarAttribute dtype value", "XLA_FFI_Scalar dtype value"),
    ("ArrayAttribute dtype size data", "XLA_FFI_Array dtype size data"),
    (
        "Attributes struct_size extensions size kinds names data",
        "XLA_FFI_Attrs struct_size extension_start size types names attrs",
    ),
    (
        "Call struct_size extensions api context stage arguments results attributes",
        "XLA_FFI_CallFrame struct_size extension_start api ctx stage args rets attrs",
    ),
]
# Each minor version of the API has its own structs for the state that an executable keeps for a handler. With a version
# that is missing here, models and entries of pools are never freed (see state_layout() in bindings/jax/registry.h).
STATES = {
    1: [
        ("Api register_type", "XLA_FFI_Api XLA_FFI_TypeId_Register"),
        (
            "TypeRegister struct_size extensions name id",
            "XLA_FFI_TypeId_Register_Args struct_size extension_start name type_id",
        ),
        (
            "StateSet struct_size extensions context type state deleter",
            "XLA_FFI_State_Set_Args struct_size extension_start ctx type_id state deleter",
        ),
        (
            "StateGet struct_size extensions context type state",
            "XLA_FFI_State_Get_Args struct_size extension_start ctx type_id state",
        ),
    ],
    2: [
        (
            "StateSet struct_size extensions context type state",
            "XLA_FFI_State_Set_Args struct_size extension_start ctx type_id state",
        ),
        (
            "StateGet struct_size extensions context type state",
            "XLA_FFI_State_Get_Args struct_size extension_start ctx type_id state",
        ),
    ],
    3: [
        (
            "StagedStateSet struct_size extensions context stage type state",
            "XLA_FFI_State_Set_Args struct_size extension_start ctx stage type_id state",
        ),
        (
            "StagedStateGet struct_size extensions context stage type state",
            "XLA_FFI_State_Get_Args struct_size extension_start ctx stage type_id state",
        ),
    ],
}
STATES |= {4: STATES[3], 5: STATES[3]}
TYPE_INFO = [  # The API has these since minor version 2.
    ("Api register_type", "XLA_FFI_Api XLA_FFI_Type_Register"),
    ("TypeInfo struct_size extensions deleter", "XLA_FFI_TypeInfo struct_size extension_start deleter"),
    (
        "TypeRegister struct_size extensions name id info",
        "XLA_FFI_Type_Register_Args struct_size extension_start name type_id type_info",
    ),
]
VALUES = {
    "kInstantiate": "XLA_FFI_ExecutionStage_INSTANTIATE",
    "kMetadataExtension": "XLA_FFI_Extension_Metadata",
    "kInvalidArgument": "XLA_FFI_Error_Code_INVALID_ARGUMENT",
    "kFailedPrecondition": "XLA_FFI_Error_Code_FAILED_PRECONDITION",
    "kInternal": "XLA_FFI_Error_Code_INTERNAL",
    "kExecute": "XLA_FFI_ExecutionStage_EXECUTE",
    "kArray": "XLA_FFI_AttrType_ARRAY",
    "kScalar": "XLA_FFI_AttrType_SCALAR",
    **{
        f"k{name.capitalize()}": f"XLA_FFI_DataType_{name}"
        for name in ("PRED", "S32", "S64", "U8", "U32", "F32", "F64")
    },
}


@pytest.mark.skipif(SOURCE is None or shutil.which("g++") is None, reason="needs the sources and g++")
def test_struct_offsets_and_enum_values(tmp_path):
    lines = ['#include "envpool/bindings/jax/ffi.h"', '#include "xla/ffi/api/c_api.h"', "using namespace envpool::xla;"]
    headers = Path(jaxlib.__file__).parent / "include"
    minor = int(re.search(r"define XLA_FFI_API_MINOR (\d+)", (headers / "xla/ffi/api/c_api.h").read_text())[1])
    assert minor in STATES
    if minor >= 4:
        lines.append("using XLA_FFI_Extension_Base = XLA_FFI_InternalExtension;")
    for ours, theirs in SAME + STATES[minor] + (TYPE_INFO if minor > 1 else []):
        (our_struct, *our_members), (their_struct, *their_members) = ours.split(), theirs.split()
        for mine, other in zip(our_members, their_members, strict=True):
            lines.append(
                f"static_assert(offsetof(envpool::xla::{our_struct}, {mine}) == offsetof({their_struct}, {other}) && "
                f"sizeof(envpool::xla::{our_struct}::{mine}) == sizeof((({their_struct}*)nullptr)->{other}));"
            )
    for mine, other in VALUES.items():
        lines.append(f"static_assert(int(envpool::xla::{mine}) == int({other}));")
    source = tmp_path / "abi.cc"
    source.write_text("\n".join(lines))
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", f"-I{SOURCE}", f"-I{headers}", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
