// SPDX-License-Identifier: Apache-2.0
//
// Runs the rounds of the velocity solver for up to eight worlds at once. A round is a long chain of dependent
// operations, so a round of eight worlds takes hardly longer than a round of one. All rounds are computed, whereas the
// scalar solver omits rounds that repeat earlier ones (IslandSolver::iterate), because rounds rarely begin to repeat in
// all lanes.
#pragma once

#include "envpool/box2d/solver_lanes.h"

#if ENVPOOL_SIMD

namespace envpool::box2d {

// The islands of several worlds that consist of the same bodies and hinges, in the same order. `Problem` is that of an
// IslandSolver.
template <class Problem, i32 kBodies, i32 kHinges>
class VelocityLanes {
 public:
  // Returns false if there are too many contacts; then nothing has been computed.
  ENVPOOL_NOINLINE ENVPOOL_SIMD_TARGET static bool solve(Problem* const* problems, int count, i32 rounds) {
    VelocityLanes lanes;
    if (!lanes.load(problems, count)) return false;
    lanes.run(rounds);
    lanes.store(problems, count);
    return true;
  }

 private:
  static constexpr i32 kMaxContacts = 4 * kBodies;

  MotionLanes motions_[kBodies];
  HingeLanes hinges_[kHinges];
  ContactLanes contacts_[kMaxContacts + 1];  // ordered by body
  i32 first_contact_[kBodies + 1];           // of each body
  i32 first_body_[kHinges + 1];              // of each hinge: in `bodies_`
  i32 bodies_[kBodies];                      // the bodies whose motion the hinge is the last to change in a round
  bool overlap_;

  ENVPOOL_ALWAYS_INLINE bool load(Problem* const* problems, int count) {
    i32 used = 0;
    for (i32 b = 0; b < kBodies; ++b) {
      motions_[b] = MotionLanes{};
      for (int lane = 0; lane < count; ++lane) {
        const Motion& motion = problems[lane]->now.motion[b];
        set(motions_[b].velocity, lane, motion.velocity);
        motions_[b].spin[lane] = motion.spin;
      }
      first_contact_[b] = used;
      i32 next[kGroup] = {};
      while (true) {
        ContactLanes& contact = contacts_[used];
        contact = ContactLanes{};
        for (int lane = 0; lane < count; ++lane) {
          const Problem& problem = *problems[lane];
          const i32 i = find(problem, b, next[lane]);
          if (i < problem.island.contacts) contact.load(lane, problem.contacts[i], &problem.now.impulse[2 * i]);
          next[lane] = i + 1;
        }
        if (!any(contact.used)) break;
        contact.body = b;
        contact.any_one = any(contact.used & ~contact.two);
        contact.any_two = any(contact.two);
        if (++used > kMaxContacts) return false;
      }
    }
    first_contact_[kBodies] = used;
    for (i32 i = 0; i < kHinges; ++i) {
      hinges_[i] = HingeLanes{};
      for (int lane = 0; lane < count; ++lane) {
        const Problem& problem = *problems[lane];
        hinges_[i].load(lane, problem.hinges[i], problem.now.hinge[problem.island.hinge[i]]);
      }
      hinges_[i].any_at_limit = any(hinges_[i].at_limit);
    }
    plan();
    return true;
  }
  ENVPOOL_ALWAYS_INLINE void store(Problem* const* problems, int count) const {
    for (int lane = 0; lane < count; ++lane) {
      Problem& problem = *problems[lane];
      for (i32 i = 0; i < kHinges; ++i) hinges_[i].store(lane, problem.now.hinge[problem.island.hinge[i]]);
      for (i32 b = 0; b < kBodies; ++b) {
        problem.now.motion[b] = {get(motions_[b].velocity, lane), motions_[b].spin[lane]};
        i32 i = -1;
        for (i32 k = first_contact_[b]; k < first_contact_[b + 1]; ++k) {
          i = find(problem, b, i + 1);
          if (i >= problem.island.contacts) break;
          contacts_[k].store(lane, problem.contacts[i].count, &problem.now.impulse[2 * i]);
        }
      }
    }
  }
  // Returns the first contact of a body from `i`, or a number beyond the last contact.
  ENVPOOL_ALWAYS_INLINE static i32 find(const Problem& problem, i32 body, i32 i) {
    while (i < problem.island.contacts && problem.contacts[i].body != body) ++i;
    return i;
  }

  ENVPOOL_ALWAYS_INLINE bool touches(i32 hinge, i32 body) const {
    return hinges_[hinge].first == body || hinges_[hinge].second == body;
  }
  // Assigns the bodies, with their contacts, to hinges, and sets `overlap_`.
  ENVPOOL_ALWAYS_INLINE void plan() {
    i32 bodies = 0;
    for (i32 i = 0; i < kHinges; ++i) {
      first_body_[i] = bodies;
      for (i32 b = 0; b < kBodies; ++b) {
        bool last = touches(i, b);
        for (i32 j = i + 1; j < kHinges; ++j) last = last && !touches(j, b);
        if (last) bodies_[bodies++] = b;
      }
    }
    first_body_[kHinges] = bodies;
    overlap_ = true;
    for (i32 i = 0; i < kHalf; ++i) {
      for (i32 j = kHalf + i + 1; j < kHinges; ++j) {
        overlap_ = overlap_ && !touches(i, hinges_[j].first) && !touches(i, hinges_[j].second);
      }
    }
  }

  // The order of operations on different bodies does not matter. Therefore the contacts of a body follow immediately
  // after the last hinge that changes the body's motion, and, if no body prevents it, the first half of the hinges is
  // one round ahead of the second half. Then consecutive operations are often independent, and the CPU overlaps them.
  static constexpr i32 kHalf = kHinges / 2;
  ENVPOOL_ALWAYS_INLINE void run(i32 rounds) {
    if (!overlap_) {
      for (i32 round = 0; round < rounds; ++round) {
        for (i32 i = 0; i < kHinges; ++i) advance(i);
      }
      return;
    }
    for (i32 i = 0; i < kHalf; ++i) advance(i);
    for (i32 round = 1; round <= rounds; ++round) {
      for (i32 i = kHalf; i < kHinges; ++i) {
        advance(i);
        if (round < rounds && i - kHalf < kHalf) advance(i - kHalf);
      }
    }
  }
  ENVPOOL_ALWAYS_INLINE void advance(i32 hinge) {
    hinges_[hinge].velocities(motions_);
    for (i32 i = first_body_[hinge]; i < first_body_[hinge + 1]; ++i) {
      const i32 b = bodies_[i];
      for (i32 k = first_contact_[b]; k < first_contact_[b + 1]; ++k) contacts_[k].velocities(motions_);
    }
  }
};

}  // namespace envpool::box2d

#endif  // ENVPOOL_SIMD
