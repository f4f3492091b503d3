# SPDX-License-Identifier: Apache-2.0
"""Portable environments compiled for a GPU by NVRTC, on a machine without one."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from envpool.cuda.nvrtc import FLAGS, Compiled, load, program_path
from envpool.plugins.paths import get_include

__all__ = ["FLAGS", "SOURCE", "Compiled", "Environment", "Nvrtc", "environments"]

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")

_COMMON = """
#include "{header}"

using namespace envpool;
using Env = envpool::{family}::{name};

extern "C" __device__ const u64 state_bytes = sizeof({state});

// As driver.h has it.
struct Episode {{
  Rng rng;
  u32 number;
  i32 elapsed;
  u32 tag;
  bool over;
}};

struct Results {{
  f32* reward;
  bool *terminated, *truncated;
}};

__device__ void begin(Episode& episode) {{
  episode.rng.begin_episode(episode.number++);
  episode.elapsed = 0;
}}
__device__ Outcome end(Episode& episode, Outcome outcome, i32 limit) {{
  ++episode.elapsed;
  outcome.truncated |= limit > 0 && episode.elapsed >= limit;
  return outcome;
}}
"""

# A thread is an environment, whose episodes follow the pool's rules.
_PORTABLE = """
extern "C" __global__ void run(u8* states, i64 stride, Env::Params params, Episode* episodes, bool restart, i32 limit,
                               Row row, ActionRow action, Results results) {
  const i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  row.row = action.row = i;
  Env::State& state = *reinterpret_cast<Env::State*>(states + i * stride);
  Episode& episode = episodes[i];
  Outcome outcome;
  if (restart || episode.over) {
    begin(episode);
    Env::reset(state, params, episode.rng);
  } else {
    outcome = end(episode, Env::step(state, params, action, episode.rng), limit);
  }
  episode.over = outcome.terminated || outcome.truncated;
  results.reward[i] = outcome.reward;
  results.terminated[i] = outcome.terminated;
  results.truncated[i] = outcome.truncated;
  Env::observe(state, params, row);
}
"""

# A block is a world and a thread an agent.
_WORLD = """
template <int kPhase>
__device__ void run_phase(World<Env>& world, const Env::Params& params, const Episode& episode, ActionRow action) {
  const i32 agent = i32(threadIdx.x);
  if (agent < Env::players(world)) {
    Rng rng = episode.rng;
    rng.agent = u32(agent) + 1;
    rng.draws = (u64(episode.elapsed) * Env::kPhases + kPhase) << 8;
    Env::template phase<kPhase>(world, agent, params, action, rng);
  }
  __syncthreads();
  if constexpr (kPhase + 1 < Env::kPhases) run_phase<kPhase + 1>(world, params, episode, action);
}

extern "C" __global__ void run(u8* states, i64 stride, Env::Params params, Episode* episodes, bool restart, i32 limit,
                               Row row, ActionRow action, Results results) {
  const i64 block = blockIdx.x, place = block * blockDim.x + threadIdx.x;  // room for as many as threads
  const i32 agent = i32(threadIdx.x);
  World<Env>& world = *reinterpret_cast<World<Env>*>(states + block * stride);
  Episode& episode = episodes[block];
  const bool begins = restart || episode.over;
  __syncthreads();
  if (!begins) {
    action.row = place;
    run_phase<0>(world, params, episode, action);
  }
  if (agent == 0) {
    Outcome outcome;
    if (begins) {
      begin(episode);
      Env::reset(world, params, episode.rng);
    } else {
      outcome = end(episode, Env::finish(world, params, episode.rng), limit);
    }
    episode.over = outcome.terminated || outcome.truncated;
    results.terminated[block] = outcome.terminated;
    results.truncated[block] = outcome.truncated;
    row.row = block;
    Env::observe_world(world, params, row);
  }
  __syncthreads();
  if (agent < Env::players(world)) {
    results.reward[place] = begins ? 0.0f : Env::reward(world, agent);
    row.row = place;
    Env::observe(world, params, agent, row);
  }
}
"""


class Environment(NamedTuple):
    """One that runs on a device: "portable", or a "world" of several agents."""

    kind: str
    family: str
    name: str
    header: str
    table: str  # what registrations call it

    @property
    def state(self) -> str:
        """The type of its state, in C++."""
        return "Env::State" if self.kind == "portable" else "World<Env>"

    @property
    def kernel(self) -> str:
        """The source of a kernel `run` that resets or steps, and observes."""
        common = _COMMON.format(header=self.header, family=self.family, name=self.name, state=self.state)
        return common + (_PORTABLE if self.kind == "portable" else _WORLD)


def environments() -> list[Environment]:
    """All that the families' plugins list, but those of the host; of those that only tests use, the world."""
    found = []
    for plugin in sorted(Path(SOURCE or "", "envpool").glob("*/plugin.cc")):
        family = plugin.parent.name
        for kind, name in re.findall(r"(\w+)_table<([\w:]+)>", plugin.read_text()):
            if kind == "host" or (family == "testing" and kind != "world"):
                continue
            name = name.split("::")[-1]
            (header,) = (h for h in plugin.parent.glob("*.h") if re.search(rf"^struct {name} ", h.read_text(), re.M))
            table = re.search(rf'^struct {name} .*?kName = "(\w+)"', header.read_text(), re.M | re.S)
            path = f"envpool/{family}/{header.name}"
            found.append(Environment(kind, family, name, path, table[1] if table else name))
    return found


class Nvrtc:
    """The compiler, with the installed headers; those of environments that only tests use are in the sources."""

    def compile(self, source: str, flags: Sequence[str]) -> Compiled:
        """Compiles for a virtual machine ("compute_80": no cubin) or a real one ("sm_80")."""
        return load().compile(source, [*flags, f"-I{get_include()}", f"-I{SOURCE}"], program_path())
