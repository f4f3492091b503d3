// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <map>
#include <stdexcept>

#include "envpool/mujoco/dmc/acrobot.h"
#include "envpool/mujoco/dmc/ball_in_cup.h"
#include "envpool/mujoco/dmc/cartpole.h"
#include "envpool/mujoco/dmc/cheetah.h"
#include "envpool/mujoco/dmc/dog.h"
#include "envpool/mujoco/dmc/finger.h"
#include "envpool/mujoco/dmc/fish.h"
#include "envpool/mujoco/dmc/hopper.h"
#include "envpool/mujoco/dmc/humanoid.h"
#include "envpool/mujoco/dmc/lqr.h"
#include "envpool/mujoco/dmc/manipulator.h"
#include "envpool/mujoco/dmc/pendulum.h"
#include "envpool/mujoco/dmc/point_mass.h"
#include "envpool/mujoco/dmc/quadruped.h"
#include "envpool/mujoco/dmc/reacher.h"
#include "envpool/mujoco/dmc/stacker.h"
#include "envpool/mujoco/dmc/suite.h"
#include "envpool/mujoco/dmc/swimmer.h"
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
      {"dog",
       {{"stand", make<Dog>(0.0)},
        {"walk", make<Dog>(1.0)},
        {"trot", make<Dog>(3.0)},
        {"run", make<Dog>(9.0)},
        {"fetch", make<DogFetch>()}}},
      {"finger", {{"spin", make<Finger>(0.0)}, {"turn_easy", make<Finger>(.07)}, {"turn_hard", make<Finger>(.03)}}},
      {"fish", {{"upright", make<Fish>(false)}, {"swim", make<Fish>(true)}}},
      {"hopper", {{"stand", make<Hopper>(false)}, {"hop", make<Hopper>(true)}}},
      {"humanoid",
       {{"stand", make<Humanoid>(Humanoid::kSuite, 0.0, false)},
        {"walk", make<Humanoid>(Humanoid::kSuite, 1.0, false)},
        {"run", make<Humanoid>(Humanoid::kSuite, 10.0, false)},
        {"run_pure_state", make<Humanoid>(Humanoid::kSuite, 10.0, true)}}},
      {"humanoid_CMU",
       {{"stand", make<Humanoid>(Humanoid::kCmu, 0.0, false)},
        {"walk", make<Humanoid>(Humanoid::kCmu, 1.0, false)},
        {"run", make<Humanoid>(Humanoid::kCmu, 10.0, false)}}},
      {"lqr", {{"lqr_2_1", make<Lqr>()}, {"lqr_6_2", make<Lqr>()}}},
      {"manipulator",
       {{"bring_ball", make<Manipulator>(false, false, true)},
        {"bring_peg", make<Manipulator>(true, false, true)},
        {"insert_ball", make<Manipulator>(false, true, true)},
        {"insert_peg", make<Manipulator>(true, true, true)},
        {"bring_ball_partial", make<Manipulator>(false, false, false)},
        {"bring_peg_partial", make<Manipulator>(true, false, false)},
        {"insert_ball_partial", make<Manipulator>(false, true, false)},
        {"insert_peg_partial", make<Manipulator>(true, true, false)}}},
      {"pendulum", {{"swingup", make<Pendulum>()}}},
      {"point_mass", {{"easy", make<PointMass>(false)}, {"hard", make<PointMass>(true)}}},
      {"quadruped",
       {{"walk", make<QuadrupedMove>(.5)},
        {"run", make<QuadrupedMove>(5.0)},
        {"escape", make<QuadrupedEscape>()},
        {"fetch", make<QuadrupedFetch>()}}},
      {"reacher", {{"easy", make<Reacher>(.05)}, {"hard", make<Reacher>(.015)}}},
      {"stacker",
       {{"stack_2", make<Stacker>(2, true)},
        {"stack_4", make<Stacker>(4, true)},
        {"stack_2_partial", make<Stacker>(2, false)},
        {"stack_4_partial", make<Stacker>(4, false)}}},
      {"swimmer", {{"swimmer6", make<Swimmer>()}, {"swimmer15", make<Swimmer>()}}},
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
