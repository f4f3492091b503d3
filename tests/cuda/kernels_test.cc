// SPDX-License-Identifier: Apache-2.0
//
// Compares the kernel of core/table/kernel.h, compiled for the host, with the table's functions for pools and with its
// pure functions: every result and state must be equal. Under AddressSanitizer and UndefinedBehaviorSanitizer (`make
// asan`) this finds accesses out of bounds and undefined behaviour that neither a GPU nor the stand-in, which runs PTX,
// can show. Each thread of a block is a thread of the host, and a block is one warp of eight lanes.
#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/testing.h"
// This defines __CUDACC__, which would change the standard headers, and declares what environments then need.
#include "tests/cuda/host_launches.h"

#include "envpool/bsuite/deep_sea.h"
#include "envpool/classic_control/cartpole.h"
#include "envpool/classic_control/pendulum.h"
#include "envpool/minatar/asterix.h"
#include "envpool/pgx/tic_tac_toe.h"
#include "envpool/robots/half_cheetah.h"
#include "envpool/tag/tag_continuous.h"
#include "envpool/tag/tag_gridworld.h"
#include "envpool/toy_text/frozen_lake.h"
#include "envpool/toy_text/taxi.h"
#include "tests/environments/crowd.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#endif

namespace envpool {
namespace {

constexpr i32 kLimit = 17, kSteps = 60;  // steps of an episode; steps of a test
constexpr i64 kGap = 16;                 // unused bytes between slots, which must not change

template <class Env>
void different(const char* what, size_t number, i32 row) {
  testing::fail(Env::kName, 0,
                std::string(what) + " " + std::to_string(number) + " differs in row " + std::to_string(row));
}

// Steps environments of one kind twice: with their table, and with the kernel.
template <class Env>
class Both {
 public:
  static constexpr bool kWorld = kIsWorld<Env>;
  static constexpr i32 kCount = kWorld ? 3 : 21;  // The last block has threads without an environment.

  explicit Both(abi::Autoreset autoreset) : autoreset_(autoreset) {
    const abi::Options options{nullptr, 0};
    CHECK_EQ(table_.model_create(&options, &model_, nowhere_), 0);
    layout_ = table_.layout(model_);
    std::vector<void*> models(kCount, model_);
    for (i32 i = 0; i < kCount; ++i) seeds_.push_back(11), streams_.push_back(u32(i)), limits_.push_back(kLimit);
    const abi::Config config{kCount,         layout_->max_players, autoreset,      models.data(),
                             limits_.data(), seeds_.data(),        streams_.data()};
    CHECK_EQ(table_.create(&config, &envs_, nowhere_), 0);
    stride_ = table_.device->stride(model_) + kGap;
    slots_.resize(size_t(stride_ * kCount));
    for (i32 i = 0; i < kCount; ++i) {
      CHECK_EQ(table_.save(envs_, i, slot(i), nowhere_), 0);
      ASAN_POISON_MEMORY_REGION(slot(i) + stride_ - kGap, kGap);
    }
    for (i32 f = 0; f < layout_->num_actions; ++f) {
      const abi::Field& field = layout_->actions[f];
      actions_.emplace_back(size_t(field.row_bytes * kCount * layout_->max_players));
    }
    over_.resize(kCount, 1), players_.resize(kCount);
  }
  ~Both() {
    for (i32 i = 0; i < kCount; ++i) ASAN_UNPOISON_MEMORY_REGION(slot(i) + stride_ - kGap, kGap);
    table_.destroy(envs_);
    table_.model_destroy(model_);
  }

  void run_episodes() {
    step_or_reset(all(), Operation::kReset);
    i32 ends = 0;
    for (i32 step = 0; step < kSteps; ++step) {
      std::vector<i32> over, going;
      for (i32 i = 0; i < kCount; ++i) {
        const bool waits = autoreset_ == abi::kAutoresetDisabled && over_[size_t(i)] != 0;
        (waits ? over : going).push_back(i);
      }
      choose_actions();
      if (!over.empty()) step_or_reset(over, Operation::kReset);
      if (!going.empty()) ends += step_or_reset(going, Operation::kStep);
      check_states();
    }
    CHECK(ends >= kCount);
  }

  // Gives the kernel actions of other dtypes with random bits. It must not step environments whose actions it refuses.
  void check_invalid_actions() {
    step_or_reset(all(), Operation::kReset);
    for (const abi::Dtype from : {abi::kBool, abi::kU8, abi::kI32, abi::kI64, abi::kF32, abi::kF64}) {
      for (i32 round = 0; round < 20; ++round) check_invalid_actions(from);
    }
  }

 private:
  static std::vector<i32> all() {
    std::vector<i32> ids(kCount);
    for (i32 i = 0; i < kCount; ++i) ids[size_t(i)] = i;
    return ids;
  }
  u8* slot(i32 i) { return slots_.data() + i * stride_; }

  void choose_actions() {
    for (i32 f = 0; f < layout_->num_actions; ++f) {
      envpool::choose_actions(layout_->actions[f], random_, actions_[size_t(f)]);
    }
  }

  device::Launch launch_for(const std::vector<i32>& ids, Batch& batch, Operation operation) {
    device::Launch work{};
    work.slots = slots_.data(), work.slot_bytes = stride_;
    work.env_ids = ids.data();
    work.batch = {i64(ids.size()), {i32(ids.size())}, 1};
    constexpr i32 kLanes[] = {device::kWarp, 3, 1};
    work.lanes = kLanes[random_() % 3];
    work.limits = limits_.data();
    work.fault = &fault_;
    const bool resets = operation == Operation::kReset, same_step = autoreset_ == abi::kAutoresetSameStep;
    work.rules = {resets, !resets && same_step,
                  autoreset_ == abi::kAutoresetDisabled ? IfOver::kRefused : IfOver::kBegins};
    describe_fields<Env>(*layout_, work);
    describe_actions<Env>(*layout_, work);
    work.columns = device::columns_of(batch.fields.data());
    for (i32 f = 0; f < layout_->num_fields; ++f) {
      const size_t array = size_t(abi::kCommonFields + f);
      work.stepped[f] = work.begun[f] = batch.fields[array];
      if (same_step) work.ended[f] = batch.final_fields[array];
    }
    player_env_id_.assign(ids.size() * size_t(layout_->max_players), -2);
    done_.assign(ids.size(), 2);
    work.player_env_id = player_env_id_.data();
    work.players_now = players_.data(), work.over_now = over_.data();
    work.done = done_.data();
    return work;
  }

  void launch(const device::Launch& work) { run<Env>(work, table_.device->params(model_)); }

  // Steps or resets environments on both sides and compares what they return. Returns how many episodes ended.
  i32 step_or_reset(const std::vector<i32>& ids, Operation operation) {
    const i32 count = i32(ids.size()), most = layout_->max_players;
    Batch theirs(*layout_, count), ours(*layout_, count);
    std::vector<const void*> actions;
    for (const auto& field : actions_) actions.push_back(field.data());
    void* const* const finals = autoreset_ == abi::kAutoresetSameStep ? theirs.final_fields.data() : nullptr;
    const abi::Work host{ids.data(), count,   actions.data(), {theirs.fields.data(), finals, 0},
                         nullptr,    nullptr, nullptr,        nullptr};
    (operation == Operation::kReset ? table_.reset : table_.step)(envs_, &host);

    device::Launch work = launch_for(ids, ours, operation);
    std::vector<std::vector<u8>> rows;  // actions of the environments that are stepped
    for (i32 f = 0; f < layout_->num_actions; ++f) {
      const abi::Field& field = layout_->actions[f];
      const i64 bytes = field.row_bytes * most, own = field.row_bytes * action_rows(*layout_, f);
      rows.emplace_back();
      for (const i32 id : ids) {
        const u8* from = actions_[size_t(f)].data() + id * bytes;
        rows.back().insert(rows.back().end(), from, from + own);
      }
      work.actions[f].data = rows.back().data();
    }
    launch(work);
    CHECK_EQ(fault_, device::Fault::kNone);

    i32 ends = 0;
    const i32* players = theirs.as<i32>(abi::kPlayers);
    for (i32 k = 0; k < count; ++k) {
      const bool ended = theirs.as<u8>(abi::kTerminated)[k] != 0 || theirs.as<u8>(abi::kTruncated)[k] != 0;
      ends += ended;
      CHECK_EQ(done_[size_t(k)], ended);
      for (size_t f = 0; f < ours.arrays.size(); ++f) {
        const i64 bytes = ours.row_bytes[f] * (ours.per_player[f] ? players[k] : 1);
        const i64 at = i64(ours.begin[f]) + ours.row_bytes[f] * (ours.per_player[f] ? i64{k} * most : k);
        const auto same = [&](const std::vector<u8>& a, const std::vector<u8>& b) {
          return std::memcmp(a.data() + at, b.data() + at, size_t(bytes)) == 0;
        };
        if (!same(ours.arrays[f], theirs.arrays[f])) different<Env>("array", f, k);
        if (ended && finals != nullptr && f >= abi::kCommonFields &&
            !same(ours.final_arrays[f], theirs.final_arrays[f]))
          different<Env>("final array", f, k);
      }
    }
    return ends;
  }

  void check_states() {
    for (i32 i = 0; i < kCount; ++i) {
      std::vector<u8> saved(size_t(table_.save_size(envs_, i)));
      CHECK_EQ(table_.save(envs_, i, saved.data(), nowhere_), 0);
      std::vector<u8> here(slot(i), slot(i) + saved.size());
      clear_padding<Env>(saved.data());
      clear_padding<Env>(here.data());
      const auto [found, other] = std::mismatch(saved.begin(), saved.end(), here.begin());
      if (found != saved.end()) different<Env>("byte of a state", size_t(found - saved.begin()), i);
    }
  }

  void check_invalid_actions(abi::Dtype from) {
    Batch batch(*layout_, kCount);
    const std::vector<i32> ids = all();
    device::Launch work = launch_for(ids, batch, Operation::kStep);
    std::vector<std::vector<u8>> given, converted;
    for (i32 f = 0; f < layout_->num_actions; ++f) {
      const abi::Field& field = layout_->actions[f];
      const i64 elements = field.row_bytes / size_of(field.dtype), rows = i64{kCount} * layout_->max_players;
      given.emplace_back(size_t(rows * elements * size_of(from)));
      for (u8& byte : given.back()) byte = u8(random_());
      converted.emplace_back(size_t(rows * field.row_bytes));
      device::ActionInput& input = work.actions[f];
      input.data = given.back().data();
      input.row_stride = elements * size_of(from);
      input.converted = converted.back().data();
      input.from = from;
    }
    const std::vector<u8> before(slot(0), slot(0) + stride_ - kGap);
    launch(work);
    const bool refused = (fault_ >> 32) != 0;
    // Random bits are rarely a valid discrete action. If the first row was refused, its state must be unchanged.
    if (refused && u32(fault_) == 0 && !kWorld) CHECK(std::memcmp(before.data(), slot(0), before.size()) == 0);
    fault_ = 0;
  }

  const abi::Table& table_ = *table<Env, "of this test">();
  const abi::TextSink nowhere_{[](void*, const char*, i64) {}, nullptr};
  abi::Autoreset autoreset_;
  const abi::Layout* layout_ = nullptr;
  void *model_ = nullptr, *envs_ = nullptr;
  i64 stride_ = 0;
  std::vector<u8> slots_, over_, done_;
  std::vector<u64> seeds_;
  std::vector<u32> streams_;
  std::vector<i32> limits_, players_, player_env_id_;
  std::vector<std::vector<u8>> actions_;
  volatile u64 fault_ = 0;
  std::mt19937 random_{5};
};

// Resets and steps rows of states that the caller holds, twice: with the pure functions, and with the kernel. The batch
// has two axes. The keys advance only along the first, and the actions only along the second.
template <class Env>
class Held {
 public:
  static constexpr i32 kOuter = kIsWorld<Env> ? 2 : 3, kInner = kIsWorld<Env> ? 2 : 7, kRows = kOuter * kInner;

  explicit Held(bool autoreset) : autoreset_(autoreset) {
    const abi::Options options{nullptr, 0};
    CHECK_EQ(table_.model_create(&options, &model_, nowhere_), 0);
    layout_ = table_.layout(model_);
    bytes_ = table_.pure->state_bytes(model_);
    theirs_.resize(size_t(kRows * bytes_));
    ours_.resize(theirs_.size());
    actions_.resize(size_t(layout_->num_actions));
    for (u32 row = 0; row < u32(kRows); ++row) streams_.push_back(row % 3);
  }
  ~Held() { table_.model_destroy(model_); }

  void run_episodes() {
    call(Operation::kReset, abi::kNewKeyAndStream);
    for (i32 step = 0; step < kSteps; ++step) {
      call(Operation::kStep, step % 5 == 3 ? abi::kNewKey : step % 7 == 3 ? abi::kNewKeyAndStream : abi::kKeepKey);
    }
    CHECK(autoreset_ ? ends_ >= kRows : ends_ >= kRows * (kSteps - kLimit));  // a row that is over ends again
    call(Operation::kStep, abi::kKeepKey, /*foreign=*/kRows - 2);
  }

 private:
  // Calls both sides and compares them. The kernel gets a state of another model in row `foreign`, unless it is -1.
  void call(Operation operation, abi::Keyed keyed, i32 foreign = -1) {
    Batch theirs(*layout_, kRows), ours(*layout_, kRows);
    choose_operands();
    const std::vector<u8> before = ours_;
    call_table(operation, keyed, theirs);
    if (foreign >= 0) state(foreign).tag ^= 1;
    call_kernel(operation, keyed, ours);
    if (foreign >= 0) state(foreign).tag ^= 1;
    const device::Fault fault = device::Fault::unpacked(fault_);
    fault_ = 0;
    CHECK_EQ(fault.why, foreign < 0 ? device::Fault::kNone : device::Fault::kState);
    if (foreign >= 0) CHECK_EQ(fault.row, kFirstRow + foreign);
    for (i32 row = 0; row < kRows; ++row) {
      for (size_t f = 0; f < ours.arrays.size(); ++f) {
        const i64 bytes = ours.row_bytes[f] * (ours.per_player[f] ? layout_->max_players : 1);
        const size_t at = ours.begin[f] + size_t(row * bytes);
        const auto same = [&](const std::vector<u8>& a, const std::vector<u8>& b) {
          return std::memcmp(a.data() + at, b.data() + at, size_t(bytes)) == 0;
        };
        if (row == foreign) {
          const bool written = !same(theirs.arrays[f], Batch(*layout_, kRows).arrays[f]);
          const auto* const first = ours.arrays[f].data() + at;
          if (written && !std::all_of(first, first + bytes, [](u8 byte) { return byte == 0; }))
            different<Env>("zeroed array", f, row);
          continue;
        }
        if (!same(ours.arrays[f], theirs.arrays[f])) different<Env>("array", f, row);
        if (!same(ours.final_arrays[f], theirs.final_arrays[f])) different<Env>("final array", f, row);
      }
      const auto state_of = [&](const std::vector<u8>& states) {
        std::vector<u8> copy(states.begin() + row * bytes_, states.begin() + (row + 1) * bytes_);
        clear_padding<Env>(copy.data());
        return copy;
      };
      const std::vector<u8> here = state_of(ours_), there = state_of(row == foreign ? before : theirs_);
      const auto [found, other] = std::mismatch(there.begin(), there.end(), here.begin());
      if (found != there.end()) different<Env>("byte of a state", size_t(found - there.begin()), row);
      if (operation == Operation::kStep && row != foreign)
        ends_ += theirs.as<u8>(abi::kTerminated)[row] != 0 || theirs.as<u8>(abi::kTruncated)[row] != 0;
    }
  }

  Episode& state(i32 row) { return *reinterpret_cast<Episode*>(ours_.data() + row * bytes_); }

  void choose_operands() {
    keys_.clear();
    for (i32 i = 0; i < kOuter; ++i) {
      keys_.push_back(u32(random_()));
      keys_.push_back(u32(random_()));
    }
    for (i32 f = 0; f < layout_->num_actions; ++f) {
      actions_[size_t(f)].resize(size_t(layout_->actions[f].row_bytes * action_rows(*layout_, f) * kInner));
      choose_actions(layout_->actions[f], random_, actions_[size_t(f)]);
    }
  }

  // The pure functions get every operand with a row for each row of the batch.
  void call_table(Operation operation, abi::Keyed keyed, Batch& batch) {
    std::vector<u32> keys;
    std::vector<std::vector<u8>> actions(actions_.size());
    std::vector<const void*> fields;
    for (i32 row = 0; row < kRows; ++row) {
      keys.insert(keys.end(), {keys_[size_t(row / kInner * 2)], keys_[size_t(row / kInner * 2 + 1)]});
    }
    for (size_t f = 0; f < actions.size(); ++f) {
      for (i32 i = 0; i < kOuter; ++i) actions[f].insert(actions[f].end(), actions_[f].begin(), actions_[f].end());
      fields.push_back(actions[f].data());
    }
    abi::PureWork work{};
    work.count = kRows;
    work.keyed = keyed;
    work.keys = {keys.data(), 2 * sizeof(u32)};
    work.streams = {streams_.data(), sizeof(u32)};
    work.max_episode_steps = kLimit;
    work.states = {theirs_.data(), bytes_};
    work.actions = fields.data();
    work.new_states = theirs_.data();
    work.fields = batch.fields.data() + abi::kCommonFields;
    if (autoreset_) work.final_fields = batch.final_fields.data() + abi::kCommonFields;
    const ResultColumns columns = device::columns_of(batch.fields.data());
    work.reward = columns.reward, work.discount = columns.discount;
    work.terminated = columns.terminated, work.truncated = columns.truncated;
    work.elapsed = columns.elapsed;
    if (layout_->max_players > 1) work.players = columns.players;
    work.infos = infos();
    const bool resets = operation == Operation::kReset;
    CHECK_EQ((resets ? table_.pure->reset : table_.pure->step)(model_, &work, nowhere_), 0);
  }

  void call_kernel(Operation operation, abi::Keyed keyed, Batch& batch) {
    device::Launch work{};
    work.batch = {kRows, {kOuter, kInner}, 2};
    work.first_row = kFirstRow;
    work.lanes = device::kWarp / 2;
    const bool resets = operation == Operation::kReset;
    work.rules = {resets, autoreset_ && !resets, IfOver::kStays};
    work.held = work.repair = true;
    work.tag = static_cast<Model<Env>*>(model_)->tag;
    work.keyed = keyed;
    work.keys = {reinterpret_cast<const u8*>(keys_.data()), 2 * sizeof(u32), 1, 0, 0};
    work.streams = {reinterpret_cast<const u8*>(streams_.data()), sizeof(u32), 3, 0, 0};
    if (resets) std::fill(ours_.begin(), ours_.end(), u8{0});
    work.slots = ours_.data();
    work.slot_bytes = bytes_;
    work.limit = kLimit;
    work.fault = &fault_;
    describe_fields<Env>(*layout_, work);
    describe_actions<Env>(*layout_, work);
    work.columns = device::columns_of(batch.fields.data());
    work.columns.step_type = work.columns.env_id = nullptr;
    if (layout_->max_players == 1) work.columns.players = nullptr;
    for (i32 f = 0; f < layout_->num_fields; ++f) {
      const size_t array = size_t(abi::kCommonFields + f);
      const bool in_last = autoreset_ && (infos() >> f & 1) != 0;
      work.begun[f] = batch.fields[array];
      work.ended[f] = autoreset_ ? batch.final_fields[array] : batch.fields[array];
      work.stepped[f] = in_last ? batch.final_fields[array] : batch.fields[array];
    }
    for (i32 f = 0; f < layout_->num_actions; ++f) {
      work.actions[f].data = actions_[size_t(f)].data();
      work.actions[f].axes = 2;
    }
    run<Env>(work, table_.device->params(model_));
  }

  // The last field is an info, if there are several.
  u64 infos() const { return layout_->num_fields > 1 ? u64{1} << (layout_->num_fields - 1) : 0; }

  static constexpr i64 kFirstRow = 1000;

  const abi::Table& table_ = *table<Env, "of this test">();
  const abi::TextSink nowhere_{[](void*, const char*, i64) {}, nullptr};
  const bool autoreset_;
  const abi::Layout* layout_ = nullptr;
  void* model_ = nullptr;
  i64 bytes_ = 0, ends_ = 0;
  std::vector<u8> theirs_, ours_;  // the states
  std::vector<u32> keys_, streams_;
  std::vector<std::vector<u8>> actions_;
  volatile u64 fault_ = 0;
  std::mt19937 random_{7};
};

template <class Env>
void run_everything() {
  for (const abi::Autoreset mode : {abi::kAutoresetNextStep, abi::kAutoresetSameStep, abi::kAutoresetDisabled}) {
    Both<Env>(mode).run_episodes();
  }
  Both<Env>(abi::kAutoresetNextStep).check_invalid_actions();
  for (const bool autoreset : {false, true}) Held<Env>(autoreset).run_episodes();
}

TEST(bsuite_deep_sea) { run_everything<bsuite::DeepSea>(); }
TEST(cartpole) { run_everything<classic_control::CartPole>(); }
TEST(pendulum) { run_everything<classic_control::Pendulum>(); }
TEST(asterix) { run_everything<minatar::Asterix>(); }
TEST(half_cheetah) { run_everything<robots::HalfCheetah>(); }
TEST(tag_continuous) { run_everything<tag::TagContinuous>(); }
TEST(tag_gridworld) { run_everything<tag::TagGridWorld>(); }
TEST(crowd) { run_everything<testing::Crowd>(); }
TEST(frozen_lake) { run_everything<toy_text::FrozenLake>(); }
TEST(taxi) { run_everything<toy_text::Taxi>(); }
TEST(tic_tac_toe) { run_everything<pgx::TicTacToe>(); }

}  // namespace
}  // namespace envpool

TEST_MAIN()
