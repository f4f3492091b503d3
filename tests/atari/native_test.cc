// SPDX-License-Identifier: Apache-2.0
//
// Tests that every cartridge has native code, which is not part of the blob, is released with the blob, and has only
// safe entries.
#include "envpool/atari/console/native.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "envpool/atari/atari_env.h"
#include "envpool/core/api.h"
#include "envpool/core/system/system.h"
#include "envpool/core/table/vector_env.h"
#include "tests/atari/random_cartridge.h"
#include "tests/support/testing.h"

namespace envpool::atari {

struct Image {
  std::vector<u8> bytes;
  std::vector<abi::Option> options;

  explicit Image(u32 number) {
    Rng rng{.seed = number};
    bytes = random_image(rng, number);
    options.push_back({"task", abi::kOptionText, 0, 0, "seaquest", 8});
    options.push_back({"rom", abi::kOptionText, 0, 0, reinterpret_cast<const char*>(bytes.data()), i64(bytes.size())});
  }
  Blob blob() const {
    OptionSpecs specs;
    AtariEnv::options(specs);
    return AtariEnv::blob(OptionValues(specs, abi::Options{options.data(), i32(options.size())}));
  }
};

// Sets the variable that disables native code, or removes it.
void set_native(const std::string& value) {
#ifdef _WIN32
  _putenv_s("ENVPOOL_ATARI_NATIVE", value.c_str());
#else
  value.empty() ? unsetenv("ENVPOOL_ATARI_NATIVE") : setenv("ENVPOOL_ATARI_NATIVE", value.c_str(), 1);
#endif
}

TEST(the_blob_does_not_depend_on_native_code) {
  for (const u32 number : {0u, 1u, 3u, 4u, 5u, 8u, 9u}) {
    const Image image(number);
    const Blob first = image.blob(), second = image.blob();
    set_native("0");
    const Blob interpreted = image.blob();
    set_native("");
    CHECK(interpreted.native() == nullptr);
    CHECK(first.native() != second.native() || first.native() == nullptr);
    CHECK_EQ(first.size(), interpreted.size());
    CHECK_EQ(std::memcmp(first.data(), second.data(), first.size()), 0);
    CHECK_EQ(std::memcmp(first.data(), interpreted.data(), first.size()), 0);
  }
}

// Returns whether this processor has native code, and the system allows it.
bool has_native_code() {
#if defined(__x86_64__) || (defined(__aarch64__) && !defined(_WIN32))
  return refusal_of_code().empty();
#else
  return false;
#endif
}

TEST(cartridges_of_arbitrary_bytes_are_translated) {
  for (u32 number = 0; number < 10; ++number) CHECK_EQ(Image(number).blob().native() != nullptr, has_native_code());
}

TEST(entries_without_an_address_lead_to_the_exact_cpu) {
  Rng rng;
  const std::vector<u8> image = random_image(rng, 1);
  const std::unique_ptr<Rom> rom = build_rom(image.data(), image.size());
  CHECK_EQ(u32(rom->mapper), u32(k4K));
  const std::shared_ptr<const void> code = compile_rom(*rom);
  if (code == nullptr) return;
  const auto console = std::make_unique<WithScreens<Console>>();
  for (u32 entry = 4096 + kPagePad; entry + 1024 < kMaxCode; entry += 97) {
    power_on(*console, *rom);
    for (u32& at : console->cart.code_at) at = entry;
    run_native(*console, *rom, code.get(), console->cycles + 1000);
    CHECK(console->cycles > 0);
  }
}

// Counts the executable mappings that belong to no file.
i32 code_mappings() {
  std::ifstream maps("/proc/self/maps");
  i32 count = 0;
  for (std::string line; std::getline(maps, line);) {
    count += line.find("r-xp") != std::string::npos && line.find('/') == std::string::npos &&
             line.find('[') == std::string::npos;
  }
  return count;
}

TEST(native_code_is_released_with_the_blob) {
  const Image image(1);
  const i32 before = code_mappings();
  {
    const Blob blob = image.blob();
    if (blob.native() == nullptr) return;
    const Blob copy = blob;
#ifdef __linux__
    CHECK_EQ(code_mappings(), before + 1);
#endif
  }
  CHECK_EQ(code_mappings(), before);
}

}  // namespace envpool::atari

TEST_MAIN()
