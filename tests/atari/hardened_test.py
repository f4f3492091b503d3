# SPDX-License-Identifier: Apache-2.0
"""If the system refuses executable memory, Atari's console interprets games, and `envpool doctor` says so.

Hardened systems refuse it in one of two ways, and these tests start processes that use each of them. Systemd's
MemoryDenyWriteExecute= sets PR_SET_MDWE (from Linux 6.3 on); older systems use a seccomp filter.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys

import pytest

pytest.importorskip("ale_py")

from tests.support.trajectories import golden  # noqa: E402

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("the refusals are those of Linux on x86-64", allow_module_level=True)

GAME = "ALE/Adventure-v5"

MDWE = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(65, 1, 0, 0, 0):  # PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN
    raise SystemExit(f"unsupported: errno {ctypes.get_errno()}")
"""

SECCOMP = """
import ctypes, struct
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, EACCES, MPROTECT, PROT_EXEC = 0x7FFF0000, 0x0005000D, 10, 4
# seccomp_data has the number of the call at byte 0, and its third argument at byte 32.
steps = [(LOAD, 0, 0, 0), (EQUAL, 0, 3, MPROTECT), (LOAD, 0, 0, 32), (ANY_BIT, 0, 1, PROT_EXEC),
         (RETURN, 0, 0, EACCES), (RETURN, 0, 0, ALLOW)]
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
address = ctypes.byref(Filter(len(steps), ctypes.addressof(program)))
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, address, 0, 0):  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP
    raise SystemExit(f"unsupported: errno {ctypes.get_errno()}")
"""

REPORT = f"""
import json
from tests.atari.ale_comparison import Machine
from envpool.cli.doctor import native_code
from tests.support.trajectories import NUM_ENVS, hash_of, play
machine = Machine("adventure")
print(json.dumps({{
    "native": machine.native,
    "doctor": native_code(),
    "hash": hash_of(play({GAME!r}, 2, NUM_ENVS)),
}}))
"""


def report(refusal: str) -> dict[str, object]:
    """Returns what a new process prints after it has given up its right to executable memory."""
    pytest.importorskip("typer")
    # Libraries are loaded first, because the filter refuses the loader's calls to mprotect too.
    program = "import tests.support.trajectories, envpool.cli.doctor\n" + refusal + REPORT
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    if done.stderr.startswith("unsupported"):
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


def test_without_a_refusal_games_are_native_code() -> None:
    normal = report("")
    assert normal["native"] is True
    assert normal["doctor"] == {"usable": True, "why": ""}
    assert normal["hash"] == golden()[GAME]


@pytest.mark.parametrize("refusal", [MDWE, SECCOMP], ids=["PR_SET_MDWE", "seccomp"])
def test_console_interprets_games_where_executable_memory_is_refused(refusal: str) -> None:
    refused = report(refusal)
    assert refused["native"] is False
    assert refused["doctor"] == {
        "usable": False,
        "why": "the system refuses executable memory (Permission denied)",
    }
    assert refused["hash"] == golden()[GAME]
