// SPDX-License-Identifier: Apache-2.0
//
// Finds the k agents nearest to an agent, in the order of their distances; equally near agents are in the order of
// their numbers. Agents are offered one by one. On a device, each agent has a thread that runs this search over all
// other agents. The host uses this search if k is large; candidates.h is faster if k is small.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::tag {

// Stores the nearest agents in two arrays of `capacity` elements that the caller provides. If the capacity is at most
// kSorted, they are always sorted. Otherwise they are a heap, with the farthest agent at its root, until sort().
class Nearest {
 public:
  static constexpr i32 kSorted = 32;

  ENVPOOL_FN Nearest(f32* distances, f32* numbers, i32 capacity)
      : distance_(distances), number_(numbers), capacity_(capacity), limit_(math::infinity<f32>()) {}

  // Offers an agent and its squared distance. Agents beyond limit() need not be offered.
  ENVPOOL_ALWAYS_INLINE void offer(f32 square, i32 number) {
    const f32 distance = sqrt(square);
    if (size_ == capacity_) {
      if (!before(distance, number, capacity_ <= kSorted ? capacity_ - 1 : 0)) return;
      if (capacity_ > kSorted) return replace_root(distance, number);
      insert(capacity_ - 1, distance, number);
    } else if (capacity_ <= kSorted) {
      insert(size_++, distance, number);
    } else {
      push(distance, number);
    }
    if (size_ == capacity_) update_limit();
  }
  // Different squares can have equal roots, so the limit is slightly larger than the square of the farthest distance.
  ENVPOOL_ALWAYS_INLINE f32 limit() const { return limit_; }
  ENVPOOL_FN i32 size() const { return size_; }
  ENVPOOL_FN bool full() const { return size_ == capacity_; }
  ENVPOOL_FN f32 farthest() const { return distance_[capacity_ <= kSorted ? capacity_ - 1 : 0]; }
  ENVPOOL_FN i32 number(i32 index) const { return i32(math::bits(number_[index])); }

  ENVPOOL_FN void sort() {
    if (capacity_ <= kSorted) return;
    for (i32 left = size_ - 1; left > 0; --left) {
      const f32 distance = distance_[left], number = number_[left];
      distance_[left] = distance_[0];
      number_[left] = number_[0];
      sink(distance, i32(math::bits(number)), left);
    }
  }

 private:
  ENVPOOL_ALWAYS_INLINE bool before(f32 distance, i32 number, i32 index) const {
    return distance < distance_[index] || (distance == distance_[index] && number < this->number(index));
  }
  ENVPOOL_ALWAYS_INLINE void put(i32 index, f32 distance, i32 number) {
    distance_[index] = distance;
    number_[index] = math::real<f32>(u32(number));
  }
  ENVPOOL_ALWAYS_INLINE void move(i32 from, i32 to) {
    distance_[to] = distance_[from];
    number_[to] = number_[from];
  }
  ENVPOOL_ALWAYS_INLINE void insert(i32 index, f32 distance, i32 number) {
    for (; index > 0 && before(distance, number, index - 1); --index) move(index - 1, index);
    put(index, distance, number);
  }
  ENVPOOL_FN void push(f32 distance, i32 number) {
    i32 index = size_++;
    while (index > 0 && !before(distance, number, (index - 1) / 2)) {
      move((index - 1) / 2, index);
      index = (index - 1) / 2;
    }
    put(index, distance, number);
  }
  ENVPOOL_FN void sink(f32 distance, i32 number, i32 size) {
    i32 index = 0;
    for (i32 child = 1; child < size; child = 2 * index + 1) {
      if (child + 1 < size && before(distance_[child], this->number(child), child + 1)) ++child;
      if (!before(distance, number, child)) break;
      move(child, index);
      index = child;
    }
    put(index, distance, number);
  }
  ENVPOOL_FN void replace_root(f32 distance, i32 number) {
    sink(distance, number, size_);
    update_limit();
  }
  ENVPOOL_ALWAYS_INLINE void update_limit() {
    const f32 distance = farthest();
    limit_ = distance * distance * 1.000001f;
  }

  f32* const distance_;
  f32* const number_;  // integers, stored as their bits
  const i32 capacity_;
  i32 size_ = 0;
  f32 limit_;
};

}  // namespace envpool::tag
