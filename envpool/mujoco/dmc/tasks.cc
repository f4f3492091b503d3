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

using Factory = std::function<std::unique_ptr<Task>(Physics&)>;

template <class T>
Factory make() {
  return [](Physics& physics) { return std::make_unique<T>(physics); };
}
template <class T>
Factory make(typename T::Variant variant) {
  return [=](Physics& physics) { return std::make_unique<T>(physics, variant); };
}

const std::map<std::string, std::map<std::string, Factory>>& factories() {
  static const std::map<std::string, std::map<std::string, Factory>> all{
      {"acrobot", {{"swingup", make<Acrobot>({})}, {"swingup_sparse", make<Acrobot>({.sparse = true})}}},
      {"ball_in_cup", {{"catch", make<BallInCup>()}}},
      {"cartpole",
       {{"balance", make<Cartpole>({})},
        {"balance_sparse", make<Cartpole>({.sparse = true})},
        {"swingup", make<Cartpole>({.swing_up = true})},
        {"swingup_sparse", make<Cartpole>({.swing_up = true, .sparse = true})},
        {"two_poles", make<Cartpole>({.swing_up = true})},
        {"three_poles", make<Cartpole>({.swing_up = true})},
        {"three_poles_sparse", make<Cartpole>({.swing_up = true, .sparse = true})}}},
      {"cheetah", {{"run", make<Cheetah>()}}},
      {"dog",
       {{"stand", make<Dog>({.speed = 0.0})},
        {"walk", make<Dog>({.speed = 1.0})},
        {"trot", make<Dog>({.speed = 3.0})},
        {"run", make<Dog>({.speed = 9.0})},
        {"fetch", make<DogFetch>()}}},
      {"finger",
       {{"spin", make<Finger>({})},
        {"turn_easy", make<Finger>({.target_radius = .07})},
        {"turn_hard", make<Finger>({.target_radius = .03})}}},
      {"fish", {{"upright", make<Fish>({})}, {"swim", make<Fish>({.swim = true})}}},
      {"hopper", {{"stand", make<Hopper>({})}, {"hop", make<Hopper>({.hop = true})}}},
      {"humanoid",
       {{"stand", make<Humanoid>({.names = Humanoid::kSuite, .speed = 0.0})},
        {"walk", make<Humanoid>({.names = Humanoid::kSuite, .speed = 1.0})},
        {"run", make<Humanoid>({.names = Humanoid::kSuite, .speed = 10.0})},
        {"run_pure_state", make<Humanoid>({.names = Humanoid::kSuite, .speed = 10.0, .pure_state = true})}}},
      {"humanoid_CMU",
       {{"stand", make<Humanoid>({.names = Humanoid::kCmu, .speed = 0.0})},
        {"walk", make<Humanoid>({.names = Humanoid::kCmu, .speed = 1.0})},
        {"run", make<Humanoid>({.names = Humanoid::kCmu, .speed = 10.0})}}},
      {"lqr", {{"lqr_2_1", make<Lqr>()}, {"lqr_6_2", make<Lqr>()}}},
      {"manipulator",
       {{"bring_ball", make<Manipulator>({})},
        {"bring_peg", make<Manipulator>({.peg = true})},
        {"insert_ball", make<Manipulator>({.insert = true})},
        {"insert_peg", make<Manipulator>({.peg = true, .insert = true})},
        {"bring_ball_partial", make<Manipulator>({.partial = true})},
        {"bring_peg_partial", make<Manipulator>({.peg = true, .partial = true})},
        {"insert_ball_partial", make<Manipulator>({.insert = true, .partial = true})},
        {"insert_peg_partial", make<Manipulator>({.peg = true, .insert = true, .partial = true})}}},
      {"pendulum", {{"swingup", make<Pendulum>()}}},
      {"point_mass", {{"easy", make<PointMass>({})}, {"hard", make<PointMass>({.hard = true})}}},
      {"quadruped",
       {{"walk", make<QuadrupedMove>({.speed = .5})},
        {"run", make<QuadrupedMove>({.speed = 5.0})},
        {"escape", make<QuadrupedEscape>()},
        {"fetch", make<QuadrupedFetch>()}}},
      {"reacher", {{"easy", make<Reacher>({.target_size = .05})}, {"hard", make<Reacher>({.target_size = .015})}}},
      {"stacker",
       {{"stack_2", make<Stacker>({.boxes = 2})},
        {"stack_4", make<Stacker>({.boxes = 4})},
        {"stack_2_partial", make<Stacker>({.boxes = 2, .partial = true})},
        {"stack_4_partial", make<Stacker>({.boxes = 4, .partial = true})}}},
      {"swimmer", {{"swimmer6", make<Swimmer>()}, {"swimmer15", make<Swimmer>()}}},
      {"walker",
       {{"stand", make<Walker>({.speed = 0.0})},
        {"walk", make<Walker>({.speed = 1.0})},
        {"run", make<Walker>({.speed = 8.0})}}},
  };
  return all;
}

template <class Entries>
const auto& entry(const Entries& entries, const std::string& option, const std::string& name) {
  const auto entry = entries.find(name);
  if (entry != entries.end()) return entry->second;
  std::string allowed;
  for (const auto& [key, value] : entries) allowed += (allowed.empty() ? "" : ", ") + key;
  throw std::invalid_argument(option + ": expected one of " + allowed + ", got '" + name + "'");
}

}  // namespace

std::unique_ptr<Task> make_task(const std::string& domain, const std::string& task, Physics& physics) {
  return entry(entry(factories(), "domain_name", domain), "task_name", task)(physics);
}

}  // namespace envpool::mujoco::dmc
