// SPDX-License-Identifier: Apache-2.0
//
// The environments without the pool, for tag_test.py: one world in, one world out, through ctypes. A world is passed as
// it lies in memory, its columns after it.
#include "envpool/core/driver.h"
#include "envpool/tag/tag_continuous.h"
#include "envpool/tag/tag_gridworld.h"

namespace {

using namespace envpool;
using namespace envpool::tag;

template <class Env>
struct Made {
  using Contract = WorldContract<Env>;
  typename Env::Params params;
  Spec spec{};
  std::vector<i64> row_bytes{}, action_bytes{};

  explicit Made(const abi::Options* options) {
    OptionSpecs specs;
    Env::options(specs);
    params = Env::params(OptionValues(specs, *options));
    Env::spec(params, spec);
    for (const FieldSpec& field : spec.fields) row_bytes.push_back(field.row_bytes());
    for (const FieldSpec& field : spec.actions) action_bytes.push_back(field.row_bytes());
  }
  static typename Contract::Instance& instance(void* world) {
    return *static_cast<typename Contract::Instance*>(world);
  }
};

}  // namespace

#define EXPORT(Env)                                                                                                 \
  i64 Env##_size(const abi::Options* o) { return i64(sizeof(World<Env>)) + Env::extra_bytes(Made<Env>(o).params); } \
  void Env##_reset(const abi::Options* o, u64 seed, u32 stream, void* world) {                                      \
    Rng rng{.seed = seed, .stream = stream};                                                                        \
    Env::reset(static_cast<World<Env>*>(world)[0], Made<Env>(o).params, rng);                                       \
  }                                                                                                                 \
  i32 Env##_step(const abi::Options* o, void* world, const void* actions, f32* rewards) {                           \
    const Made<Env> made(o);                                                                                        \
    Episode episode;                                                                                                \
    auto& it = made.instance(world);                                                                                \
    const Outcome outcome = Made<Env>::Contract::step(                                                              \
        it, made.params, ActionRow{&actions, made.action_bytes.data(), 0}, episode, made.params.players);           \
    for (i32 i = 0; i < made.params.players; ++i) rewards[i] = Env::reward(it.state, i);                            \
    return outcome.terminated;                                                                                      \
  }                                                                                                                 \
  void Env##_observe(const abi::Options* o, void* world, void* const* fields) {                                     \
    const Made<Env> made(o);                                                                                        \
    Made<Env>::Contract::observe(made.instance(world), made.params, Row{fields, made.row_bytes.data(), 0},          \
                                 made.params.players);                                                              \
  }

extern "C" {
EXPORT(TagContinuous)
EXPORT(TagGridWorld)
}
