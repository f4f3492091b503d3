// SPDX-License-Identifier: Apache-2.0
//
// The plan of an image resize: the source pixels of each destination pixel, and their weights.
//
// The host builds a plan once per geometry; the resize functions (resize.h) only read it. A plan is one relocatable
// block of bytes, with offsets instead of pointers, so that it can be copied to a GPU unchanged.
//
// The weights equal those of OpenCV's cv2.resize (compared with 5.0.0) to the last bit, because Atari agents are
// trained on images that OpenCV resized. They are computed in double, in OpenCV's order, and rounded once.
#pragma once

#include "envpool/core/types.h"

#if ENVPOOL_HOST
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>
#endif

namespace envpool::atari {

// cv2.INTER_AREA and cv2.INTER_LINEAR.
enum class Interpolation : u8 { kArea, kLinear };

// The algorithm that OpenCV selects for a geometry and an interpolation.
enum class ResizeKernel : u8 {
  kCopy,   // equal sizes
  kBox,    // both sides shrink by whole factors: an integer sum, scaled once
  kArea,   // other reductions: float weights, separable, horizontal pass first
  kFixed,  // two taps per side in 11-bit fixed point: linear, and area if a side grows
};

// The limits of an image's sides. With the limit for sources, the resize functions need no heap memory. With the limit
// for destinations, indices fit into 16 bits.
inline constexpr i32 kMaxResizeSource = 512;
inline constexpr i32 kMaxResizeTarget = 16384;

// kArea: a destination pixel is the weighted sum of `count` source pixels from `first` on; its weights start at
// weights[weights_at].
struct ResizeSpan {
  u16 first;
  u16 count;
  u32 weights_at;
};

// kFixed: two source indices (equal at a border) and their weights in units of 1/2048.
struct ResizePair {
  i16 index[2];
  i16 weight[2];
};

// The source rows that a destination row reads, and the nearest destination row above it that has the same weights (-1:
// none). These two destination rows are equal if all of their source rows belong to one run of equal rows.
struct SourceRows {
  i16 first;
  i16 last;
  i16 same_weights;
};

// One horizontal tap of eight columns, for SIMD: a byte shuffle that selects each column's source pixel from 16 loaded
// bytes (four columns from each of two loads), and the weights of these pixels. If the source pixels of four columns
// are within 16 bytes, all taps share the two loads. Otherwise each tap has two loads of its own.
struct ResizeVectorTap {
  u8 shuffle[32];
  union {
    f32 f[8];   // kArea
    i16 i[16];  // kFixed: both weights of a column
  } weight;
};

struct alignas(64) ResizePlan {
  u32 bytes;  // size of the whole block, including this header
  i32 src_h;
  i32 src_w;
  i32 dst_h;
  i32 dst_w;
  ResizeKernel kernel;
  i32 box_h;  // kBox: the two factors, and box_scale = 1 / (box_h * box_w)
  i32 box_w;
  f32 box_scale;
  i32 vector_depth;  // taps per column in the vector layout; 0: the taps do not fit this layout
  i32 vector_loads;  // pairs of loads for eight columns: 1, or kArea: vector_depth

  // Offsets in bytes from the start of this struct.
  u32 columns_at;      // ResizeSpan or ResizePair [dst_w]
  u32 lines_at;        // ResizeSpan or ResizePair [dst_h]
  u32 weights_at;      // f32[]
  u32 source_rows_at;  // SourceRows [dst_h]
  u32 vector_base_at;  // u16[ceil(dst_w / 8)][vector_loads][2]: index of the first of the 16 bytes to load
  u32 vector_taps_at;  // ResizeVectorTap[ceil(dst_w / 8)][kFixed: 1, kArea: vector_depth]
};

template <class T>
ENVPOOL_FN const T* plan_array(const ResizePlan& plan, u32 offset) {
  return reinterpret_cast<const T*>(reinterpret_cast<const u8*>(&plan) + offset);
}

#if ENVPOOL_HOST

namespace resize_detail {

// Computes the area weights of one side. As in OpenCV, parts of less than 1/1000 of a pixel are dropped.
inline void area_spans(i32 src, i32 dst, double scale, std::vector<ResizeSpan>& spans, std::vector<f32>& weights) {
  for (i32 i = 0; i < dst; ++i) {
    const double begin = i * scale;
    const double end = begin + scale;
    const double width = std::min(scale, src - begin);
    const i32 last = std::min(static_cast<i32>(std::floor(end)), src - 1);
    const i32 whole = std::min(static_cast<i32>(std::ceil(begin)), last);
    const bool has_left = whole - begin > 1e-3;
    spans.push_back({static_cast<u16>(has_left ? whole - 1 : whole), 0, static_cast<u32>(weights.size())});
    if (has_left) weights.push_back(static_cast<f32>((whole - begin) / width));
    for (i32 s = whole; s < last; ++s) weights.push_back(static_cast<f32>(1.0 / width));
    if (end - last > 1e-3) {
      weights.push_back(static_cast<f32>(std::min(std::min(end - last, 1.0), width) / width));
    }
    spans.back().count = static_cast<u16>(weights.size() - spans.back().weights_at);
  }
}

enum class Axis : u8 { kColumns, kRows };

// Computes the fixed-point pairs of one side. OpenCV sets the second weight of border columns to zero, but reads border
// rows twice with both weights. The results are rounded differently, so both cases are reproduced.
inline std::vector<ResizePair> fixed_pairs(i32 src, i32 dst, double scale, double inverse, Interpolation interpolation,
                                           Axis axis) {
  std::vector<ResizePair> pairs;
  for (i32 i = 0; i < dst; ++i) {
    i32 s;
    f32 fraction;
    if (interpolation == Interpolation::kArea) {
      s = static_cast<i32>(std::floor(i * scale));
      fraction = static_cast<f32>((i + 1) - (s + 1) * inverse);
      fraction = fraction <= 0 ? 0.0f : fraction - std::floor(fraction);
    } else {
      fraction = static_cast<f32>((i + 0.5) * scale - 0.5);
      s = static_cast<i32>(std::floor(fraction));
      fraction -= static_cast<f32>(s);
    }
    if (axis == Axis::kColumns && (s < 0 || s >= src - 1)) {
      fraction = 0;
      s = s < 0 ? 0 : src - 1;
    }
    ResizePair pair;
    pair.index[0] = static_cast<i16>(std::clamp(s, 0, src - 1));
    pair.index[1] = static_cast<i16>(std::clamp(s + 1, 0, src - 1));
    pair.weight[0] = static_cast<i16>(std::lrint((1.0f - fraction) * 2048));
    pair.weight[1] = static_cast<i16>(std::lrint(fraction * 2048));
    pairs.push_back(pair);
  }
  return pairs;
}

// One tap of one column, for the vector layout.
struct ColumnTap {
  i32 source;
  f32 weight;
};

// Fills the vector layout from the taps of each column; returns false if the taps of four neighbouring columns that
// share a load span more than 16 bytes. Missing taps get weight 0 and pixel 0: adding +0 to a non-negative sum changes
// no bit.
inline bool vector_layout(const std::vector<std::vector<ColumnTap>>& columns, i32 src_w, i32 depth, i32 loads,
                          bool fixed, std::vector<u16>& bases, std::vector<ResizeVectorTap>& taps) {
  if (src_w < 16) return false;
  const size_t blocks = (columns.size() + 7) / 8;
  const i32 slots = fixed ? 1 : depth;
  constexpr u16 kUnset = 0xFFFF;
  bases.assign(blocks * loads * 2, kUnset);
  taps.assign(blocks * slots, ResizeVectorTap{});
  for (ResizeVectorTap& tap : taps) std::memset(tap.shuffle, 0x80, sizeof tap.shuffle);
  for (size_t x = 0; x < columns.size(); ++x) {
    for (size_t k = 0; k < columns[x].size(); ++k) {
      const size_t load = x / 8 * loads + (loads == 1 ? 0 : k);
      u16& base = bases[load * 2 + x % 8 / 4];
      if (base == kUnset) base = static_cast<u16>(std::min(columns[x][k].source, src_w - 16));
      const i32 at = columns[x][k].source - base;
      if (at < 0 || at >= 16) return false;
      const size_t lane = x % 8;
      ResizeVectorTap& tap = taps[x / 8 * slots + (fixed ? 0 : k)];
      tap.shuffle[lane * 4 + (fixed ? k * 2 : 0)] = static_cast<u8>(at);
      if (fixed) {
        tap.weight.i[lane * 2 + k] = static_cast<i16>(columns[x][k].weight);
      } else {
        tap.weight.f[lane] = columns[x][k].weight;
      }
    }
  }
  std::replace(bases.begin(), bases.end(), kUnset, u16{0});  // loads whose pixels have no column
  return true;
}

// Appends an array to the block and returns its offset. Arrays are aligned to cache lines: with vector loads across
// cache lines, the horizontal pass took a quarter longer.
template <class T>
u32 append(std::vector<u8>& block, const std::vector<T>& items) {
  block.resize((block.size() + 63) / 64 * 64);
  const u32 offset = static_cast<u32>(block.size());
  block.resize(block.size() + items.size() * sizeof(T));
  if (!items.empty()) std::memcpy(block.data() + offset, items.data(), items.size() * sizeof(T));
  return offset;
}

// The arrays of a plan while it is being built.
struct PlanParts {
  std::vector<ResizeSpan> column_spans, line_spans;
  std::vector<ResizePair> column_pairs, line_pairs;
  std::vector<f32> weights;
  std::vector<SourceRows> rows;
  std::vector<u16> vector_base;
  std::vector<ResizeVectorTap> vector_taps;
};

// Returns the source rows that destination row y reads.
inline SourceRows rows_read_by(const ResizePlan& plan, const PlanParts& parts, i32 y) {
  const auto rows = [](i32 first, i32 last) { return SourceRows{static_cast<i16>(first), static_cast<i16>(last), -1}; };
  if (plan.kernel == ResizeKernel::kBox) return rows(y * plan.box_h, (y + 1) * plan.box_h - 1);
  if (plan.kernel == ResizeKernel::kCopy) return rows(y, y);
  if (plan.kernel == ResizeKernel::kFixed) {
    return rows(parts.line_pairs[y].index[0], parts.line_pairs[y].index[1]);
  }
  const ResizeSpan& span = parts.line_spans[y];
  return rows(span.first, span.first + span.count - 1);
}

inline bool same_weights(const ResizePlan& plan, const PlanParts& parts, i32 a, i32 b) {
  if (plan.kernel == ResizeKernel::kFixed) {
    const ResizePair &p = parts.line_pairs[a], &q = parts.line_pairs[b];
    return p.weight[0] == q.weight[0] && p.weight[1] == q.weight[1];
  }
  if (plan.kernel != ResizeKernel::kArea) return true;
  const ResizeSpan &p = parts.line_spans[a], &q = parts.line_spans[b];
  const f32* weights = parts.weights.data();
  return p.count == q.count &&
         std::equal(weights + p.weights_at, weights + p.weights_at + p.count, weights + q.weights_at);
}

inline std::vector<SourceRows> source_rows(const ResizePlan& plan, const PlanParts& parts) {
  constexpr i32 kLookBack = 16;  // rows farther apart are hardly ever made of the same run
  std::vector<SourceRows> rows;
  for (i32 y = 0; y < plan.dst_h; ++y) {
    rows.push_back(rows_read_by(plan, parts, y));
    for (i32 other = y - 1; other >= std::max(0, y - kLookBack); --other) {
      if (!same_weights(plan, parts, y, other)) continue;
      rows.back().same_weights = static_cast<i16>(other);
      break;
    }
  }
  return rows;
}

inline void build_vector_layout(ResizePlan& plan, PlanParts& parts) {
  const bool fixed = plan.kernel == ResizeKernel::kFixed;
  std::vector<std::vector<ColumnTap>> columns(plan.dst_w);
  size_t depth = 0;
  for (i32 x = 0; x < plan.dst_w; ++x) {
    if (fixed) {
      const ResizePair& pair = parts.column_pairs[x];
      for (i32 k = 0; k < 2; ++k) columns[x].push_back({pair.index[k], static_cast<f32>(pair.weight[k])});
    } else {
      const ResizeSpan& span = parts.column_spans[x];
      for (i32 k = 0; k < span.count; ++k) {
        columns[x].push_back({span.first + k, parts.weights[span.weights_at + k]});
      }
    }
    depth = std::max(depth, columns[x].size());
  }
  const auto fits = [&](i32 loads) {
    plan.vector_loads = loads;
    return vector_layout(columns, plan.src_w, static_cast<i32>(depth), loads, fixed, parts.vector_base,
                         parts.vector_taps);
  };
  plan.vector_depth = fits(1) || (!fixed && fits(static_cast<i32>(depth))) ? static_cast<i32>(depth) : 0;
}

// Selects the kernel that OpenCV selects for this geometry, with the same comparisons in double precision.
inline void choose_kernel(ResizePlan& plan, PlanParts& parts, Interpolation interpolation) {
  const double inverse_x = static_cast<double>(plan.dst_w) / plan.src_w;
  const double inverse_y = static_cast<double>(plan.dst_h) / plan.src_h;
  const double scale_x = 1.0 / inverse_x;
  const double scale_y = 1.0 / inverse_y;
  plan.box_w = static_cast<i32>(std::lrint(scale_x));
  plan.box_h = static_cast<i32>(std::lrint(scale_y));
  const bool whole =
      std::abs(scale_x - plan.box_w) < 2.220446049250313e-16 && std::abs(scale_y - plan.box_h) < 2.220446049250313e-16;
  const bool area = interpolation == Interpolation::kArea;
  if (plan.src_h == plan.dst_h && plan.src_w == plan.dst_w) {
    plan.kernel = ResizeKernel::kCopy;
  } else if (whole && (area || (plan.box_w == 2 && plan.box_h == 2))) {
    plan.kernel = ResizeKernel::kBox;  // at exactly 2x2, OpenCV replaces linear by area
    plan.box_scale = 1.0f / static_cast<f32>(plan.box_w * plan.box_h);
  } else if (area && scale_x >= 1 && scale_y >= 1) {
    plan.kernel = ResizeKernel::kArea;
    area_spans(plan.src_w, plan.dst_w, scale_x, parts.column_spans, parts.weights);
    area_spans(plan.src_h, plan.dst_h, scale_y, parts.line_spans, parts.weights);
  } else {
    plan.kernel = ResizeKernel::kFixed;
    parts.column_pairs = fixed_pairs(plan.src_w, plan.dst_w, scale_x, inverse_x, interpolation, Axis::kColumns);
    parts.line_pairs = fixed_pairs(plan.src_h, plan.dst_h, scale_y, inverse_y, interpolation, Axis::kRows);
  }
}

}  // namespace resize_detail

// A cache line of a plan. A vector of these has the alignment that a plan needs.
struct alignas(64) ResizePlanLine {
  u8 bytes[64];
};

using ResizePlanBlock = std::vector<ResizePlanLine>;

inline const ResizePlan& as_resize_plan(const ResizePlanBlock& block) {
  return *reinterpret_cast<const ResizePlan*>(block.data());
}

// Builds the plan of a geometry. as_resize_plan(block) reads it in place; its `bytes` bytes may be copied to any
// address that is a multiple of 64. Throws std::invalid_argument if a size is out of range.
inline ResizePlanBlock make_resize_plan(i32 src_h, i32 src_w, i32 dst_h, i32 dst_w, Interpolation interpolation) {
  if (std::min({src_h, src_w, dst_h, dst_w}) < 1 || std::max(src_h, src_w) > kMaxResizeSource ||
      std::max(dst_h, dst_w) > kMaxResizeTarget) {
    const auto size = [](i32 h, i32 w) { return std::to_string(h) + "x" + std::to_string(w); };
    throw std::invalid_argument("[resize] size: expected sides from 1 to " + std::to_string(kMaxResizeSource) +
                                " of the source and from 1 to " + std::to_string(kMaxResizeTarget) +
                                " of the result, got " + size(src_h, src_w) + " and " + size(dst_h, dst_w));
  }
  ResizePlan plan = {};
  plan.src_h = src_h;
  plan.src_w = src_w;
  plan.dst_h = dst_h;
  plan.dst_w = dst_w;
  resize_detail::PlanParts parts;
  resize_detail::choose_kernel(plan, parts, interpolation);
  parts.rows = resize_detail::source_rows(plan, parts);
  const bool fixed = plan.kernel == ResizeKernel::kFixed;
  if (fixed || plan.kernel == ResizeKernel::kArea) resize_detail::build_vector_layout(plan, parts);

  std::vector<u8> block(sizeof(ResizePlan));
  plan.columns_at =
      fixed ? resize_detail::append(block, parts.column_pairs) : resize_detail::append(block, parts.column_spans);
  plan.lines_at =
      fixed ? resize_detail::append(block, parts.line_pairs) : resize_detail::append(block, parts.line_spans);
  plan.weights_at = resize_detail::append(block, parts.weights);
  plan.source_rows_at = resize_detail::append(block, parts.rows);
  plan.vector_base_at = resize_detail::append(block, parts.vector_base);
  plan.vector_taps_at = resize_detail::append(block, parts.vector_taps);
  plan.bytes = static_cast<u32>(block.size());
  std::memcpy(block.data(), &plan, sizeof plan);
  ResizePlanBlock lines((block.size() + 63) / 64);
  std::memcpy(lines.data(), block.data(), block.size());
  return lines;
}

#endif  // ENVPOOL_HOST

}  // namespace envpool::atari
