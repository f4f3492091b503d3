# SPDX-License-Identifier: Apache-2.0
"""Extracts the first mistake from the output of the program that checks an environment (checking.py)."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from typing import NamedTuple

from envpool.plugins.compiler import CompletedRun

_FRAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+ in .*? (?P<file>/[^\n:]+):(?P<line>\d+)", re.MULTILINE)
_RUNTIME = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+):\d+: runtime error: (?P<text>.*)$", re.MULTILINE)
_ASAN = re.compile(r"ERROR: AddressSanitizer: (?P<kind>[\w-]+)")
_ACCESS = re.compile(r"^(?P<what>READ|WRITE) of size (?P<size>\d+)", re.MULTILINE)
_ASSERTION = re.compile(r"^(?P<text>.*Assertion .* failed\.?)$", re.MULTILINE)
# Undefined arithmetic on a state that a user supplied is not a mistake; a crash is.
_ARITHMETIC = re.compile(r"overflow|outside the range|shift|cannot be represented")
_SENTENCES = {
    "stack-overflow": "recurses without an end, or its local variables need too much memory",
    "FPE": "divides by zero",
    "SEGV": "accesses memory that does not belong to it",
    "BUS": "accesses memory that does not belong to it",
    "ABRT": "aborts",
    "ILL": "runs into code that must not be reached",
    "heap-use-after-free": "uses memory that it has freed",
    "stack-use-after-return": "uses a local variable of a function that has returned",
    "stack-use-after-scope": "uses a local variable whose block has ended",
    "attempting double-free": "frees memory twice",
}
_SIGNALS = {
    signal.SIGSEGV: _SENTENCES["SEGV"],
    signal.SIGBUS: _SENTENCES["SEGV"],
    signal.SIGFPE: _SENTENCES["FPE"],
    signal.SIGILL: _SENTENCES["ILL"],
    signal.SIGABRT: _SENTENCES["ABRT"],
}


class Finding(NamedTuple):
    """A mistake.

    Attributes:
        file: the file with the mistake; empty if it is the header.
        line: the line with the mistake; 0 if unknown.
        sentence: what is wrong.
    """

    file: str
    line: int
    sentence: str


class _Context(NamedTuple):
    """Describes the call to an environment's function during which the program ended."""

    function: str = ""
    episode: int = 0
    step: int = 0
    foreign: bool = False
    fill: int = 0
    options: str = ""

    def sentence(self, what: str) -> str:
        where = f" (episode {self.episode}, step {self.step})"
        if self.options:
            where = f" with {self.options}: JAX users and set_options can give options any value within their bounds"
        elif self.foreign:
            where = (
                " in a state that a user supplied: pool.restore takes any bytes, and JAX users can set any part of a "
                "state, so repair() must bring it into range"
            )
        elif self.fill:
            where += (
                ". It did not when the memory of the state was zero before reset(): does a part of the state, or a "
                "local variable, have no value?"
            )
        return f"{self.function}() {what}{where}"


def find(completed: CompletedRun, header: str, struct_line: int, is_users: Callable[[str], bool]) -> Finding | None:
    """Returns the first mistake, or None if the program has found none.

    Args:
        completed: the status and output of the program.
        header: the text of the header.
        struct_line: the line of the environment's `kName`.
        is_users: a function that returns whether a file belongs to the user.
    """
    log = completed.log
    marks = dict(re.findall(r"^envpool-check (\w+) ?(.*)$", log, re.MULTILINE))
    context = _context(marks.get("during", ""))

    def at(file: str, line: str | int, sentence: str) -> Finding:
        return Finding(file, int(line), sentence)

    def at_frame(sentence: str, after: int = 0) -> Finding:
        for frame in _FRAME.finditer(log, after):
            if is_users(frame["file"]):
                return at(frame["file"], frame["line"], sentence)
        file, _, line = marks.get("last", "").rpartition(":")
        if file:
            return at(file, line, f"{sentence}, after the access to a row in this line")
        return at("", _line_of(context.function, header, struct_line), sentence)

    foreign_from = log.find("envpool-check foreign")
    for error in _RUNTIME.finditer(log):
        if 0 <= foreign_from < error.start() and _ARITHMETIC.search(error["text"]):
            continue
        *_, during = ["", *re.findall(r"^envpool-check during (.*)$", log[: error.start()], re.MULTILINE)]
        context = _context(during)
        sentence = context.sentence(_runtime_sentence(error["text"]))
        if is_users(error["file"]):
            return at(error["file"], error["line"], sentence)
        return at_frame(sentence, error.end())
    if "mistake" in marks:
        place, _, sentence = marks["mistake"].partition("|")
        file, _, line = place.rpartition(":")
        if context.options:
            sentence = sentence.rstrip(".") + context.sentence("").partition("()")[2].replace("  ", " ")
        elif context.function and not context.foreign and context.step + context.episode > 0:
            sentence += f" (episode {context.episode}, step {context.step})"
        if context.foreign and not context.options:
            sentence += _Context(foreign=True).sentence("").removeprefix("()").replace("  ", " ")
        if file:
            return at(file, line, sentence)
        return at("", _line_of(place, header, struct_line), sentence)
    if "endless" in marks:
        return at_frame(
            context.sentence(f"has an endless loop: one call took more than {marks['endless']} seconds"),
            log.find("envpool-check endless"),
        )
    if "timeout" in marks:
        return at("", struct_line, "the check did not end: does the code wait for something?")
    if assertion := _ASSERTION.search(log):
        return at_frame(context.sentence(f"fails an assertion: {assertion['text']}"))
    if asan := _ASAN.search(log):
        return at_frame(context.sentence(_asan_sentence(log, asan["kind"], marks.get("region", ""))), asan.start())
    if "signal" in marks:
        what = _SIGNALS.get(signal.Signals(int(marks["signal"])), "crashes")
        return at_frame(context.sentence(what))
    if "done" not in marks:
        return at("", struct_line, f"the check ended with status {completed.status}: {log.strip()[-300:]}")
    return None


def _context(during: str) -> _Context:
    if not during:
        return _Context()
    function, episode, step, foreign, fill, options = during.split("|", 5)
    return _Context(function, int(episode), int(step), foreign == "1", int(fill), options)


def _runtime_sentence(text: str) -> str:
    if "division by zero" in text:
        return "divides by zero"
    if match := re.match(r"index (\S+) out of bounds for type '(.*?)'", text):
        return f"uses the index {match[1]} of an array of type {match[2]}"
    if match := re.match(r"load of value (\d+), which is not a valid value for type '(.*?)'", text):
        return f"reads a {match[2]} that has the value {match[1]}"
    return f"has undefined behaviour: {text}"


def _asan_sentence(log: str, kind: str, region: str) -> str:
    access = _ACCESS.search(log)
    does = {"READ": "reads", "WRITE": "writes"}[access["what"]] if access else "accesses"
    if region:
        name, size, offset = region.rsplit("|", 2)
        where = "before the begin" if int(offset) < 0 else "beyond the end"
        return f"{does} {where} of {name}, which has {size} bytes"
    if kind in _SENTENCES:
        return _SENTENCES[kind]
    if "overflow" in kind or "underflow" in kind:
        what = {"heap": "an allocation", "stack": "a local variable", "global": "a global variable"}
        return f"{does} memory next to {what.get(kind.split('-')[0], 'a variable')}"
    return f"has an invalid access to memory ({kind})"


def _line_of(function: str, header: str, struct_line: int) -> int:
    """Returns the line that declares a function, at or after the struct's name; otherwise the line of the struct."""
    name = function.split("(")[0] or "?"
    for number, line in enumerate(header.splitlines(), 1):
        if number >= struct_line and re.search(rf"(?<![.>:\w]){re.escape(name)}\s*\((?!\))", line):
            return number
    return struct_line
