# SPDX-License-Identifier: Apache-2.0
"""Headers that tests compile, and functions that compile them."""

from __future__ import annotations

import os

import pytest

import envpool
from envpool.python import registry

# Walk is a portable environment. The player starts in the middle of a line, and an episode ends at either end of it.
WALK = """
#pragma once
#include "envpool/core/api.h"

namespace games {
using namespace envpool;

struct Walk {
  static constexpr const char* kName = "Walk";
  struct Params { i32 length; };
  struct State { i32 place; };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { o.integer("length", 9, "fields of the line").between(3, 99); }
  static Params params(const OptionValues& v) { return {i32(v.integer("length"))}; }
  static void spec(const Params&, Spec& s) {
    s.obs<i32>("obs").bounds(0, 98);
    s.action<i32>().categories(2);
  }
  static void state_parts(StateParts<State>& parts) { parts.add("place", &State::place); }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng&) { s.place = p.length / 2; }
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    s.place += *action.at<i32>(0) ? 1 : -1;
    const bool won = s.place == p.length - 1;
    return {.reward = won ? 1.0f : 0.0f, .terminated = won || s.place == 0};
  }
  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) { *row.at<i32, 1>(0) = s.place; }
};

}  // namespace games
"""

# Thrower is a host environment that throws on action 1.
THROWER = """
#include <stdexcept>
#include <string>
#include <vector>
#include "envpool/core/api.h"

class Thrower {
 public:
  static constexpr const char* kName = "Thrower";
  struct Params {};
  static void options(envpool::OptionSpecs&) {}
  static Params params(const envpool::OptionValues&) { return {}; }
  static void spec(const Params&, envpool::Spec& s) {
    s.obs<float>("obs");
    s.action<int>().categories(2);
  }
  Thrower(const Params&, int env_id) : id_(env_id) {}
  void reset(envpool::Rng&) { past_.clear(); }
  envpool::Outcome step(envpool::ActionRow action, envpool::Rng&) {
    past_.push_back(*action.at<int>(0));
    if (past_.back() == 1) throw std::runtime_error("environment " + std::to_string(id_) + " got action 1");
    return {.reward = float(past_.size())};
  }
  void observe(envpool::Row row) { *row.at<float, 1>(0) = float(past_.size()); }

 private:
  int id_;
  std::vector<int> past_;
};
"""

QUICK = ("-O0",)  # saves compilation time


def walk(header: str | os.PathLike[str] = WALK, id: str = "Walk-v0", **options):
    return envpool.compile(header, id, **{"flags": QUICK, **options})


def fails(arguments, error, words):
    with pytest.raises(error) as caught:
        envpool.compile(**arguments)
    text = str(caught.value)
    assert text.startswith("["), text
    for word in words:
        assert word in text, text
    assert len(text) < 3000
    if isinstance(arguments["id"], str) and arguments["id"] != "CartPole-v1":
        assert arguments["id"] not in registry._registry
    return caught.value
