// SPDX-License-Identifier: Apache-2.0
#include "envpool/atari/atari_env.h"
#include "envpool/core/plugin.h"
#include "envpool/core/pool/env_pool.h"
#include "tests/support/allocations.h"
#include "tests/support/testing.h"

namespace envpool::atari {

// Returns a cartridge that draws frames with a changing background forever, so that emulation, drawing, resizing and
// stacking all run without a game's ROM.
std::string striped_cartridge() {
  std::string rom(4096, '\xEA');
  const unsigned char program[] = {
      0xA9, 0x02, 0x85, 0x00,              // frame:  VSYNC on
      0x85, 0x02, 0x85, 0x02, 0x85, 0x02,  //         three lines
      0xA9, 0x00, 0x85, 0x00, 0x85, 0x01,  //         VSYNC and VBLANK off
      0xA2, 0xFF, 0x85, 0x02, 0x86, 0x09,  //         255 lines, each with a different colour
      0x86, 0x1B, 0xCA, 0xD0, 0xF7,        //         and different player graphics
      0x4C, 0x00, 0xF0,                    //         next frame
  };
  std::copy(std::begin(program), std::end(program), rom.begin());
  rom[0xFFC] = 0x00;
  rom[0xFFD] = char(0xF0);
  return rom;
}

TEST(steps_do_not_allocate) {
  constexpr i32 kEnvs = 8;
  EnvConfig config{.num_envs = kEnvs, .autoreset = abi::kAutoresetNextStep};
  config.options.resize(1);
  config.options[0].add_text("task", "seaquest");
  config.options[0].add_text("rom", striped_cartridge());
  config.max_episode_steps.assign(kEnvs, 40);  // so that resets are among the steps
  config.seeds.assign(kEnvs, 1);
  config.streams.assign(kEnvs, 0);
  const auto pool = EnvPool::make(*table<AtariEnv>(), config, {"test", 0, 2});
  std::vector<i32> ids, actions(kEnvs, 2);
  for (i32 i = 0; i < kEnvs; ++i) ids.push_back(i);
  const void* field = actions.data();
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      pool->send(ids.data(), kEnvs, &field, nullptr, -1, CallerHelp::kYes);
      const Batch batch = pool->recv({}, {}, CallerHelp::kYes);
      CHECK_EQ(batch->rows(), kEnvs);
    }
  };
  rounds(20);
  CHECK_EQ(testing::allocations_of([&] { rounds(100); }), 0);
  pool->close(std::chrono::seconds(5));
}

}  // namespace envpool::atari

TEST_MAIN()
