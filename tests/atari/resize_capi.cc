// SPDX-License-Identifier: Apache-2.0
//
// C functions of resize.h for resize_test.py. `scalar` forces the scalar implementation, which otherwise never runs on
// a machine with AVX2.
#include <cstring>

#include "envpool/atari/resize.h"

namespace {

using envpool::atari::Interpolation;
using envpool::atari::ResizePlan;
namespace detail = envpool::atari::resize_detail;

// Reads a plan from its bytes alone, as a GPU would.
const ResizePlan& plan_of(const void* bytes) { return *static_cast<const ResizePlan*>(bytes); }

}  // namespace

extern "C" {

// Copies the plan into `out` (aligned to 64 bytes) if it fits. Returns its size, or -1 if a size is out of range.
long long resize_plan(int src_h, int src_w, int dst_h, int dst_w, int linear, void* out, long long room) {
  try {
    const auto plan = envpool::atari::make_resize_plan(src_h, src_w, dst_h, dst_w,
                                                       linear ? Interpolation::kLinear : Interpolation::kArea);
    const long long bytes = envpool::atari::as_resize_plan(plan).bytes;
    if (bytes <= room) std::memcpy(out, plan.data(), bytes);
    return bytes;
  } catch (const std::invalid_argument&) {
    return -1;
  }
}

int resize_plan_kernel(const void* plan) { return static_cast<int>(plan_of(plan).kernel); }
int resize_plan_vector_depth(const void* plan) { return plan_of(plan).vector_depth; }

void resize_gray(const void* plan, const unsigned char* src, long long stride, unsigned char* dst, int scalar) {
  if (scalar) {
    detail::gray<detail::ScalarOps>(plan_of(plan), src, stride, dst);
  } else {
    envpool::atari::resize_gray(plan_of(plan), src, stride, dst);
  }
}

void resize_indexed_max(const void* plan, const unsigned char* a, const unsigned char* b, const unsigned char* table,
                        unsigned char* dst, int scalar) {
  if (scalar) {
    detail::indexed_max<detail::ScalarOps>(plan_of(plan), a, b, table, {}, dst);
  } else {
    envpool::atari::resize_indexed_max(plan_of(plan), a, b, table, dst);
  }
}

void resize_rgb_max(const void* plan, const unsigned char* a, const unsigned char* b, const unsigned char* table,
                    unsigned char* dst, int scalar) {
  if (scalar) {
    detail::rgb_max<detail::ScalarOps>(plan_of(plan), a, b, table, {}, dst);
  } else {
    envpool::atari::resize_rgb_max(plan_of(plan), a, b, table, dst);
  }
}

// Calls resize_indexed_max `times` times, so that the benchmark does not measure ctypes.
void resize_indexed_max_repeat(const void* plan, const unsigned char* a, const unsigned char* b,
                               const unsigned char* table, unsigned char* dst, int scalar, int times) {
  for (int i = 0; i < times; ++i) resize_indexed_max(plan, a, b, table, dst, scalar);
}

}  // extern "C"
