// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <map>
#include <stdexcept>

#include "envpool/mujoco/dmc/acrobot.h"
#include "envpool/mujoco/dmc/ball_in_cup.h"
#include "envpool/mujoco/dmc/cartpole.h"
#include "envpool/mujoco/dmc/cheetah.h"
#include "envpool/mujoco/dmc/finger.h"
#include "envpool/mujoco/dmc/hopper.h"
#include "envpool/mujoco/dmc/pendulum.h"
#include "envpool/mujoco/dmc/point_mass.h"
#include "envpool/mujoco/dmc/reacher.h"
#include "envpool/mujoco/dmc/suite.h"
#include "envpool/mujoco/dmc/walker.h"

namespace envpool::mujoco::dmc {
namespace {

using Maker = std::function<std::unique_ptr<Task>(Stage&)>;

template <class T, class... Settings>
Maker make(Settings... settings) {
  return [=](Stage& stage) { return std::make_unique<T>(stage, settings...); };
}

const std::map<std::string, std::map<std::string, Maker>>& makers() {
  static const std::map<std::string, std::map<std::string, Maker>> all{
      {"acrobot", {{"swingup", make<Acrobot>(false)}, {"swingup_sparse", make<Acrobot>(true)}}},
      {"ball_in_cup", {{"catch", make<BallInCup>()}}},
      {"cartpole",
       {{"balance", make<Cartpole>(false, false)},
        {"balance_sparse", make<Cartpole>(false, true)},
        {"swingup", make<Cartpole>(true, false)},
        {"swingup_sparse", make<Cartpole>(true, true)},
        {"two_poles", make<Cartpole>(true, false)},
        {"three_poles", make<Cartpole>(true, false)},
        {"three_poles_sparse", make<Cartpole>(true, true)}}},
      {"cheetah", {{"run", make<Cheetah>()}}},
      {"finger",
       {{"spin", make<Finger>(0.0)}, {"turn_easy", make<Finger>(.07)}, {"turn_hard", make<Finger>(.03)}}},
      {"hopper", {{"stand", make<Hopper>(false)}, {"hop", make<Hopper>(true)}}},
      {"pendulum", {{"swingup", make<Pendulum>()}}},
      {"point_mass", {{"easy", make<PointMass>(false)}, {"hard", make<PointMass>(true)}}},
      {"reacher", {{"easy", make<Reacher>(.05)}, {"hard", make<Reacher>(.015)}}},
      {"walker", {{"stand", make<Walker>(0.0)}, {"walk", make<Walker>(1.0)}, {"run", make<Walker>(8.0)}}},
  };
  return all;
}

template <class Entries>
const auto& entry(const Entries& entries, const std::string& option, const std::string& name) {
  const auto found = entries.find(name);
  if (found != entries.end()) return found->second;
  std::string allowed;
  for (const auto& [key, value] : entries) allowed += (allowed.empty() ? "" : ", ") + key;
  throw std::invalid_argument(option + " must be one of " + allowed + ", got '" + name + "'");
}

}  // namespace

std::unique_ptr<Task> make_task(const std::string& domain, const std::string& task, Stage& stage) {
  return entry(entry(makers(), "domain_name", domain), "task_name", task)(stage);
}

}  // namespace envpool::mujoco::dmc
