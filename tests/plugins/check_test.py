# SPDX-License-Identifier: Apache-2.0
"""Tests `envpool.compile(..., check=True)`: each mistake has its own error text, and correct code passes."""

from __future__ import annotations

import re
import time
from typing import NamedTuple

import numpy as np
import pytest

import envpool

# An environment whose option `mistake` selects the mistake that it makes (0: none), so that one compilation serves all
# tests. A comment at the end of a line names the mistakes that are reported for this line.
TRAIL = """
#include <cstdlib>
#include <stdexcept>
#include "envpool/core/api.h"

namespace games {
using namespace envpool;

struct Trail {
  static constexpr const char* kName = "Trail";
  struct Params { i32 mistake, length, stride; };
  struct State {
    i32 place, seen[8], steps;
  };

  static void options(OptionSpecs& o) {
    o.integer("mistake", 0, "the number of a mistake");
    o.integer("stride", 1, "an option that can change").between(0, 4).sets(&Params::stride);
  }
  static Params params(const OptionValues& v) { return {i32(v.integer("mistake")), 8, 1}; }
  static void derive(Params& p) {  // derive
    if (p.mistake == DERIVE && p.stride == 3) p.stride = 2;
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<u8>("obs", {p.length}).bounds(0, 1);
    s.info<f32>("speed");
    s.obs<f32>("height");
    s.action<i32>().categories(3);
    s.reward_low = 0, s.reward_high = 1;
  }

  static void reset(State& s, const Params& p, Rng& rng) {  // state
    s.place = i32(rng.below(u32(p.length)));
    if (p.mistake == RAND) s.place = rand() % p.length;  // rand
    if (p.mistake != STATE) s.steps = 0;
    for (i32& seen : s.seen) seen = 0;
    if (p.mistake == THROW && s.place == 3) throw std::runtime_error("no place");  // throw
  }
  static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {  // global, reward
    i32 move = 0;
    if (p.mistake == ACTION) {
      move = *action.at<i32>(1);  // action
    } else if (p.mistake == ACTION_TYPE) {
      move = i32(*action.at<f32>(0));  // action_type
    } else {
      move = *action.at<i32>(0);
    }
    s.place = clamp(s.place + move - 1, 0, p.length - 1);
    if (p.mistake == INDEX) s.seen[s.place + 1] = 1;  // index
    s.seen[s.place] = 1;
    count_up(s.steps);
    static i32 total = 0;
    if (p.mistake == GLOBAL && ++total % 7 == 0) s.steps += 1;
    if (p.mistake == DIVISION) s.seen[0] = 6 / s.place;  // division
    if (p.mistake == OPTION) s.seen[0] = 6 / p.stride;  // option
    if (p.mistake == LOOP) {
      while (s.place == 2) count_up(s.seen[7]);  // loop
    }
    return {.reward = s.place == 0 ? p.mistake == REWARD ? 2.0f : 1.0f : 0.0f, .terminated = s.steps >= 30};
  }
  static void observe(const State& s, const Params& p, Row row) {  // unwritten_array
    u8* const obs = row.at<u8>(0);  // unwritten, bounds
    for (i32 i = 0; i < p.length && p.mistake != UNWRITTEN; ++i) obs[i] = 0;
    obs[s.place] = p.mistake == BOUNDS ? 2 : 1;
    if (p.mistake == NUMBER) *row.at<f32, 1>(3) = 1;  // number
    if (p.mistake == TYPE) *row.at<f32>(0) = 1;  // type
    if (p.mistake == COUNT) *row.at<f32, 2>(1) = 1;  // count
    if (p.mistake == BEYOND) obs[p.length + s.place] = 1;  // beyond
    if (p.mistake == BEFORE) obs[-1 - s.place] = 1;  // before
    f32 speed = f32(s.place);
    if (p.mistake == READS) speed = f32((&s.place)[10 + s.place]);  // reads
    if (p.mistake != UNWRITTEN_ARRAY) {
      f32* const out = row.at<f32, 1>(1);  // adds
      *out = p.mistake == ADDS ? *out + speed : speed;
    }
    *row.at<f32, 1>(2) = p.mistake == NAN_VALUE ? f32(p.length - 8) / f32(p.length - 8) : 1.0f;  // nan_value
  }
  static void repair(State& s, const Params& p) {
    if (p.mistake != REPAIR) keep_within(s.place, 0, p.length - 1);
  }
};
}  // namespace games
"""


class Mistake(NamedTuple):
    sentence: str  # a regular expression
    always: bool = True  # whether it is found without sanitizers


MISTAKES = {
    "number": Mistake(
        r"observe\(\) accesses array 3 of the observations and infos, but spec\(\) declares 3: 0 is 'obs', 1 is 'speed', 2"
    ),
    "type": Mistake(r"observe\(\) accesses array 0 as f32, but spec\(\) declares 'obs' with elements of type uint8"),
    "count": Mistake(r"accesses array 1 with at<\.\.\., 2>, but spec\(\) declares 'speed' with 1 element"),
    "beyond": Mistake(r"observe\(\) writes beyond the end of a row of the array 'obs', which has 8 bytes"),
    "before": Mistake(r"observe\(\) writes before the begin of a row of the array 'obs'"),
    "action": Mistake(r"step\(\) accesses array 1 of the actions, but spec\(\) declares 1: 0 is 'action'"),
    "action_type": Mistake(
        r"step\(\) accesses array 0 as f32, but spec\(\) declares 'action' with elements of type int32"
    ),
    "reads": Mistake(r"observe\(\) reads beyond the end of the state, which has 40 bytes", always=False),
    "index": Mistake(r"step\(\) uses the index 8 of an array of type .*(i32|int) ?\[8\]", always=False),
    "unwritten": Mistake(r"observe\(\) does not write element \(\d\) of 'obs'"),
    "unwritten_array": Mistake(r"observe\(\) does not write 'speed'"),
    "adds": Mistake(r"observe\(\) reads 'speed' before it writes it"),
    "bounds": Mistake(r"element \(\d\) of 'obs' is 2, but spec\(\) declares values from 0 to 1"),
    "nan_value": Mistake(r"'height' is NaN"),
    "reward": Mistake(r"the reward is 2, but spec\(\) declares rewards from 0 to 1"),
    "state": Mistake(
        r"reset\(\) does not set the whole state: bytes 36 to 39 of 40 .* and whether the episode ends depends on them"
    ),
    "rand": Mistake(r"calls rand\(\), so that equal seeds give different episodes", always=False),
    "global": Mistake(r"whether the episode ends depends on something other than the seed, options and actions"),
    "division": Mistake(r"step\(\) divides by zero \(episode \d+, step \d+\)"),
    "throw": Mistake(r"reset\(\) throws an exception: no place"),
    "loop": Mistake(r"step\(\) has an endless loop: one call took more than 3 seconds"),
    "option": Mistake(r"step\(\) divides by zero with stride=0: JAX users and set_options can give options any value"),
    "derive": Mistake(r"derive\(\) changes the member that the option 'stride' sets with stride=3: JAX users"),
    "repair": Mistake(r"in a state that a user supplied: .* repair\(\) must bring it into range", always=False),
}
NUMBERS = {name: number for number, name in enumerate(MISTAKES, 1)}
HEADER = re.sub(r"\b[A-Z]+(_[A-Z]+)?\b(?=[) ;]|$)", lambda word: str(NUMBERS.get(word[0].lower(), word[0])), TRAIL)


@pytest.fixture(autouse=True, scope="module")
def cache_dir(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("ENVPOOL_CACHE_DIR", str(folder))
        patch.delenv("CXX", raising=False)
        yield folder


def check(mistake: str = "", header: str = HEADER, **options):
    defaults = {"mistake": NUMBERS.get(mistake, 0)} if header == HEADER else {}
    return envpool.compile(header, "Trail-v0", check=True, flags=["-O0"], defaults=defaults, **options)


def line_of(comment: str) -> int:
    (line,) = [
        number
        for number, line in enumerate(HEADER.splitlines(), 1)
        if comment in line.partition("  // ")[2].split(", ")
    ]
    return line


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    with pytest.raises(envpool.CheckError) as caught:
        check(name)
    error = caught.value
    first, *rest = str(error).splitlines()
    assert re.match(rf"\[Trail-v0\] source:{error.line}: ", first), first
    assert re.search(MISTAKES[name].sentence, first), first
    if name != "repair":
        assert error.line == line_of(name), str(error)
    assert rest == [f"{error.line:5} | {HEADER.splitlines()[error.line - 1]}"]
    assert "Trail-v0" not in envpool.list_all_envs()


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("name", [name for name, mistake in MISTAKES.items() if mistake.always])
def test_mistakes_without_sanitizers(name, monkeypatch):
    """Without sanitizers, the reported line may be the line of the last access to a row, or of the function."""
    monkeypatch.setattr("envpool.plugins.checking.SANITIZERS", ("-fsanitize=nothing",))
    with (
        pytest.warns(RuntimeWarning, match=r"^\[Trail-v0\] check: .* has no sanitizers that work here"),
        pytest.raises(envpool.CheckError, match=MISTAKES[name].sentence),
    ):
        check(name)


def test_a_correct_header_passes_once(monkeypatch):
    made = check()
    assert envpool.make("Trail-v0", num_envs=2).reset()[0]["obs"].shape == (2, 8)
    monkeypatch.setattr("envpool.plugins.compiling.check_environment", None)  # must not be called again
    assert check() == made


def test_bad_argument():
    with pytest.raises(TypeError, match=r"^\[Trail-v0\] check: expected a bool, got 1"):
        envpool.compile(TRAIL, "Trail-v0", check=1)


@pytest.mark.parametrize("options", [{}, {"batch_size": 2}, {"autoreset_mode": "same_step"}], ids=str)
def test_a_throw_without_check_is_an_error(options):
    envpool.compile(HEADER, "Throws-v0", flags=["-O0"])
    env = envpool.make("Throws-v0", num_envs=8, num_threads=2, seed=1, mistake=NUMBERS["throw"], **options)
    env.async_reset()
    seen = set()
    until = time.monotonic() + 60
    # A worker may be suspended for longer than the other one takes to step its environments hundreds of times.
    while len(seen) <= 2:
        assert time.monotonic() < until, seen
        try:
            result = env.recv()
        except envpool.EnvError as error:
            assert set(error.messages) == {"no place"}
            seen |= set(error.env_id)
            result = error.result
        ids = result[-1]["env_id"]
        env.send(np.ones(len(ids), np.int32), ids)


def test_a_throw_in_jax_is_an_error():
    jax = pytest.importorskip("jax")
    envpool.compile(HEADER, "Throws-v0", flags=["-O0"])
    env, params = envpool.jax.make("Throws-v0", mistake=NUMBERS["throw"])
    with pytest.raises(Exception, match="no place"):
        jax.block_until_ready(env.reset_batch(jax.random.key(0), 100, params))
