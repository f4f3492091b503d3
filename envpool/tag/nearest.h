// SPDX-License-Identifier: Apache-2.0
//
// The k agents that are nearest to one, nearest first, of two as near the one of the lower number: offered one by one.
// This is how a device finds them, where each agent's thread looks at all others, and the host where k is large;
// around.h finds the same few faster.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::tag {

// Grows in two arrays of `most` elements that the caller has to spare. Up to kSorted they are kept in order; more are a
// heap, the farthest on top, until sort().
class Nearest {
 public:
  static constexpr i32 kSorted = 32;

  ENVPOOL_FN Nearest(f32* distances, f32* numbers, i32 most)
      : distance_(distances), number_(numbers), most_(most), limit_(math::infinity<f32>()) {}

  // An agent at a distance whose square this is. Squares beyond limit() need not be offered.
  ENVPOOL_ALWAYS_INLINE void offer(f32 square, i32 number) {
    const f32 distance = sqrt(square);
    if (size_ == most_) {
      if (!before(distance, number, most_ <= kSorted ? most_ - 1 : 0)) return;
      if (most_ > kSorted) return replace_top(distance, number);
      insert(most_ - 1, distance, number);
    } else if (most_ <= kSorted) {
      insert(size_++, distance, number);
    } else {
      push(distance, number);
    }
    if (size_ == most_) narrow();
  }
  // Roots of two squares can be equal where the squares are not, so the limit is a little more than the farthest's.
  ENVPOOL_ALWAYS_INLINE f32 limit() const { return limit_; }
  ENVPOOL_FN i32 size() const { return size_; }
  ENVPOOL_FN bool full() const { return size_ == most_; }
  ENVPOOL_FN f32 farthest() const { return distance_[most_ <= kSorted ? most_ - 1 : 0]; }
  ENVPOOL_FN i32 number(i32 place) const { return i32(math::bits(number_[place])); }

  ENVPOOL_FN void sort() {
    if (most_ <= kSorted) return;
    for (i32 left = size_ - 1; left > 0; --left) {
      const f32 distance = distance_[left], number = number_[left];
      distance_[left] = distance_[0];
      number_[left] = number_[0];
      sink(distance, i32(math::bits(number)), left);
    }
  }

 private:
  ENVPOOL_ALWAYS_INLINE bool before(f32 distance, i32 number, i32 place) const {
    return distance < distance_[place] || (distance == distance_[place] && number < this->number(place));
  }
  ENVPOOL_ALWAYS_INLINE void put(i32 place, f32 distance, i32 number) {
    distance_[place] = distance;
    number_[place] = math::real<f32>(u32(number));
  }
  ENVPOOL_ALWAYS_INLINE void move(i32 from, i32 to) {
    distance_[to] = distance_[from];
    number_[to] = number_[from];
  }
  ENVPOOL_ALWAYS_INLINE void insert(i32 place, f32 distance, i32 number) {
    for (; place > 0 && before(distance, number, place - 1); --place) move(place - 1, place);
    put(place, distance, number);
  }
  ENVPOOL_FN void push(f32 distance, i32 number) {
    i32 place = size_++;
    while (place > 0 && !before(distance, number, (place - 1) / 2)) {
      move((place - 1) / 2, place);
      place = (place - 1) / 2;
    }
    put(place, distance, number);
  }
  ENVPOOL_FN void sink(f32 distance, i32 number, i32 size) {
    i32 place = 0;
    for (i32 child = 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && before(distance_[child], this->number(child), child + 1)) ++child;
      if (!before(distance, number, child)) break;
      move(child, place);
      place = child;
    }
    put(place, distance, number);
  }
  ENVPOOL_FN void replace_top(f32 distance, i32 number) {
    sink(distance, number, size_);
    narrow();
  }
  ENVPOOL_ALWAYS_INLINE void narrow() {
    const f32 distance = farthest();
    limit_ = distance * distance * 1.000001f;
  }

  f32* const distance_;
  f32* const number_;  // bits of integers
  const i32 most_;
  i32 size_ = 0;
  f32 limit_;
};

}  // namespace envpool::tag
