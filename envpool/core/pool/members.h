// SPDX-License-Identifier: Apache-2.0
//
// The environments of a pool. Most pools have environments of one id. A mixed pool has those of several ids, whose
// arrays are equal: one member for each id. The environments of a member have consecutive numbers in the pool, and
// numbers from 0 in the member's table.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envpool/core/assert.h"
#include "envpool/core/pool/action_queue.h"
#include "envpool/core/pool/environments.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/scheduler.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

// The arguments with which one member is created.
struct MemberConfig {
  const abi::Table* table;
  std::string label;  // the id, which snapshots contain
  EnvConfig envs;
};

struct Member {
  Member(const MemberConfig& config, i32 first_env)
      : table(*config.table),
        label(config.label),
        first(first_env),
        count(config.envs.num_envs),
        envs(*config.table, config.envs) {}

  bool has(i32 env_id) const { return env_id >= first && env_id < first + count; }

  const abi::Table& table;
  const Label label;
  const i32 first, count;  // its environments in the pool
  Environments envs;
  std::vector<const void*> actions{};  // the slots of each action field, from its first environment on
};

// The part of a pool's work that is done by one member: environments from `begin` on, which belong to the member. The
// member writes and passes its own numbers of environments; this replaces them with the pool's.
class MemberWork {
 public:
  MemberWork(const abi::Work& whole, i32 begin, const Member& member)
      : whole_(whole), first_(member.first), rows_(whole.rows) {
    ENVPOOL_ASSERT(whole.count <= Run::kMax);
    while (begin + count_ < whole.count && member.has(whole.env_ids[begin + count_])) {
      env_ids_[count_] = whole.env_ids[begin + count_] - first_;
      ++count_;
    }
    rows_.row += begin;
  }
  i32 count() const { return count_; }

  void run(Member& member, Task task) {
    const bool claims = rows_.fields == nullptr;
    written_ = claims ? 0 : count_;
    member.envs.run({.env_ids = env_ids_,
                     .count = count_,
                     .actions = member.actions.data(),
                     .rows = rows_,
                     .claim = claim,
                     .fail = fail,
                     .context = this,
                     .pause = claims ? publish : pause},
                    task);
    renumber();
  }

 private:
  // Replaces the numbers in the rows that have been written.
  void renumber() {
    for (i32 k = 0; k < written_; ++k) static_cast<i32*>(rows_.fields[abi::kEnvId])[rows_.row + k] += first_;
    written_ = 0;
  }
  // A claim publishes the row that was claimed before.
  static abi::ResultRows claim(void* context, i32 env_id) {
    MemberWork& work = *static_cast<MemberWork*>(context);
    work.renumber();
    work.rows_ = work.whole_.claim(work.whole_.context, env_id + work.first_);
    work.written_ = 1;
    return work.rows_;
  }
  static void fail(void* context, i32 env_id, const char* what) {
    const MemberWork& work = *static_cast<MemberWork*>(context);
    work.whole_.fail(work.whole_.context, env_id + work.first_, what);
  }
  static bool publish(void* context) {
    static_cast<MemberWork*>(context)->renumber();
    return pause(context);
  }
  static bool pause(void* context) {
    const MemberWork& work = *static_cast<MemberWork*>(context);
    return work.whole_.pause(work.whole_.context);
  }

  const abi::Work& whole_;
  const i32 first_;
  abi::ResultRows rows_;
  i32 count_ = 0;
  i32 written_ = 0;  // the rows from rows_.row on that have the member's numbers, at the latest when they are published
  i32 env_ids_[Run::kMax];
};

class Members {
 public:
  // Creates the models; create() then creates the environments.
  explicit Members(const std::vector<MemberConfig>& configs) {
    for (const MemberConfig& config : configs) {
      const auto number = i32(members_.size());
      if (number > 0) number_of_.resize(size_t(num_envs()), number - 1);
      with_label(configs.size() > 1, config.label, [&] {
        members_.push_back(std::make_unique<Member>(config, num_envs()));
        require_same_arrays(*members_.back());
      });
    }
    number_of_.resize(size_t(num_envs()), i32(members_.size()) - 1);
  }
  void create(const std::vector<MemberConfig>& configs) {
    for (size_t i = 0; i < members_.size(); ++i) {
      with_label(is_mixed(), configs[i].label, [&] { members_[i]->envs.create(configs[i].envs); });
    }
  }
  // Tells the members where the pool has the actions, in a slot for each environment and player.
  void read_actions(const void* const* slots) {
    for (const auto& member : members_) {
      for (i32 f = 0; f < layout().num_actions; ++f) {
        const i64 bytes = layout().actions[f].row_bytes * layout().max_players * member->first;
        member->actions.push_back(static_cast<const u8*>(slots[f]) + bytes);
      }
    }
  }
  void destroy_envs() {
    for (const auto& member : members_) member->envs.destroy_envs();
  }
  void cancel() {
    for (const auto& member : members_) member->envs.cancel();
  }

  i32 num_envs() const { return members_.empty() ? 0 : members_.back()->first + members_.back()->count; }
  // Returns the flags that describe all environments: a step is bounded only if it is bounded in every table.
  u32 flags() const {
    u32 all = ~0u, any = 0;
    for (const auto& member : members_) {
      const u32 flags = member->table.flags;
      all &= step_time_of(flags) == StepTime::kBounded ? flags | abi::kBounded : flags;
      any |= (flags & abi::kPortable) == 0 ? flags | abi::kMayThrow : flags;
    }
    return (all & (abi::kPortable | abi::kBounded)) | (any & ~(abi::kPortable | abi::kBounded));
  }
  // Returns a layout of the arrays, which all environments have in common.
  const abi::Layout& layout() const { return members_.front()->envs.layout(); }
  f64 env_bytes() const {
    f64 sum = 0;
    for (const auto& member : members_) sum += member->envs.env_bytes();
    return sum;
  }
  Member& of(i32 env_id) const { return *members_[size_t(number_of_[size_t(env_id)])]; }
  const abi::Layout& layout(i32 env_id) const {
    const Member& member = of(env_id);
    return member.envs.layout(env_id - member.first);
  }

  // These call the functions of Environments.
  void seed(i32 env_id, u64 seed, u32 stream) {
    Member& member = of(env_id);
    member.envs.seed(env_id - member.first, seed, stream);
  }
  i64 save_size(i32 env_id) {
    Member& member = of(env_id);
    return member.envs.save_size(env_id - member.first);
  }
  std::string_view save(i32 env_id, std::string& buffer) {
    Member& member = of(env_id);
    return member.envs.save(env_id - member.first, buffer);
  }
  void load(i32 env_id, const char* data, i64 size) {
    Member& member = of(env_id);
    member.envs.load(env_id - member.first, data, size);
  }
  void render(i32 env_id, u8* rgb) {
    Member& member = of(env_id);
    member.envs.render(env_id - member.first, rgb);
  }
  void observe(i32 env_id, const abi::ResultRows& rows) {
    Member& member = of(env_id);
    member.envs.observe(env_id - member.first, rows);
    static_cast<i32*>(rows.fields[abi::kEnvId])[rows.row] = env_id;
  }
  void reset_options(i32 env_id, const void* data, i64 size) {
    Member& member = of(env_id);
    member.envs.reset_options(env_id - member.first, data, size);
  }
  // Sets options by name. `values` has a row of `width` numbers for each environment, with all elements of each of
  // these options, which the environment's member must have.
  void set_options(const i32* env_ids, i32 count, const std::vector<std::string>& names, const f64* values, i64 width) {
    struct Part {
      std::vector<i32> env_ids, options;
      std::vector<f64> values;
    };
    std::map<Member*, Part> parts;
    for (i32 k = 0; k < count; ++k) {
      Member& member = of(env_ids[k]);
      Part& part = parts[&member];
      if (part.env_ids.empty()) {
        require_changing(member, env_ids[k]);
        const std::string whose = "environment " + std::to_string(env_ids[k]) + " of " + member.label.name();
        part.options = member.envs.numbers_of(names, width, whose);
      }
      part.env_ids.push_back(env_ids[k] - member.first);
      part.values.insert(part.values.end(), values + k * width, values + (k + 1) * width);
    }
    for (const auto& [member, part] : parts) {
      member->envs.set_options(part.env_ids.data(), i32(part.env_ids.size()), part.options, part.values.data());
    }
  }
  // Returns the values of all options of an environment: the time limit, and all elements of those of tunables().
  std::vector<f64> get_options(i32 env_id) const {
    const Member& member = of(env_id);
    require_changing(member, env_id);
    std::vector<f64> values(member.envs.option_elements());
    member.envs.get_options(env_id - member.first, values.data());
    return values;
  }
  void run(const abi::Work& work, Task task) {
    if (members_.size() == 1) return members_.front()->envs.run(work, task);
    for (i32 begin = 0; begin < work.count;) {
      Member& member = of(work.env_ids[begin]);
      MemberWork part(work, begin, member);
      part.run(member, task);
      begin += part.count();
    }
  }

 private:
  bool is_mixed() const { return members_.size() > 1; }
  // Runs `action`, and puts the label of a member before its error, if there are several.
  template <class Action>
  static void with_label(bool several, const std::string& label, Action&& action) {
    try {
      action();
    } catch (const TableError& error) {
      if (!several) throw;
      throw TableError(label + ": " + error.what());
    }
  }
  static void require_changing(const Member& member, i32 env_id) {
    if (member.envs.options_change()) return;
    throw TableError("expected environments whose options can change, got environment " + std::to_string(env_id) +
                     " of " + member.label.name());
  }
  void require_same_arrays(const Member& member) const {
    if (have_same_arrays(layout(), member.envs.layout())) return;
    throw TableError("tasks: expected ids with equal arrays, got other arrays than those of " +
                     members_.front()->label.name());
  }

  std::vector<std::unique_ptr<Member>> members_;
  std::vector<i32> number_of_;  // the member of each environment
};

}  // namespace envpool
