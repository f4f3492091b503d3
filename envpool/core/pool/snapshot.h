// SPDX-License-Identifier: Apache-2.0
//
// The format of snapshots: a header that identifies the environment and contains a checksum, followed by the state as
// the environment saves it. A snapshot is user input. The checksum rejects corrupted snapshots; forged ones are
// validated by the environment's load().
#pragma once

#include <cstring>
#include <string>

#include "envpool/core/pool/admission.h"
#include "envpool/core/pool/pool_types.h"

namespace envpool {

// Returns the FNV-1a hash of some bytes.
inline u64 checksum(const char* data, i64 size, u64 hash = 0xCBF29CE484222325) {
  for (i64 i = 0; i < size; ++i) hash = (hash ^ u8(data[i])) * 0x100000001B3;
  return hash;
}

// Returns the identity that a snapshot must have for an environment to accept it. Environments with the same label,
// arrays, players, state size and shared data have the same identity. Seeds, max_episode_steps and the options of the
// pool may differ. `model_identity` is abi::Layout::identity.
inline u64 snapshot_identity(const Label& label, u64 model_identity) {
  return checksum(label.name().data(), i64(label.name().size()),
                  checksum(reinterpret_cast<const char*>(&model_identity), i64(sizeof(model_identity))));
}

class Snapshot {
 public:
  static std::string pack(u64 identity, EpisodeStatus status, const std::string& state) {
    Header header{kMagic, identity, 0, status.players, status.over};
    header.sum = checksum_of(header, state.data(), i64(state.size()));
    return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + state;
  }

  // Parses a snapshot. Throws std::invalid_argument unless it has this identity and at most `max_players` players.
  Snapshot(const Label& label, u64 identity, i32 max_players, const char* data, i64 size)
      : state_size_(size - i64(sizeof(Header))) {
    Header header{};
    if (state_size_ >= 0) {
      std::memcpy(static_cast<void*>(&header), data, sizeof(header));
      state_ = data + sizeof(header);
    }
    if (header.magic != kMagic || header.sum != checksum_of(header, state_, state_size_)) {
      label.throw_invalid_argument("restore: state: expected a snapshot of " + label.name() + ", got " +
                                   std::to_string(size) + " bytes of something else");
    }
    if (header.identity != identity) {
      label.throw_invalid_argument("restore: state: expected a snapshot of " + label.name() +
                                   " with the same options, got one of another environment, or one with other "
                                   "options for its arrays, players, ROM, map or model");
    }
    if (header.players < 0 || header.players > max_players || header.over < 0 || header.over > 1) {
      label.throw_invalid_argument("restore: state: expected 0.." + std::to_string(max_players) +
                                   " players and an over flag of 0 or 1, got " + std::to_string(header.players) +
                                   " players, over " + std::to_string(header.over));
    }
    status_ = {header.players, header.over != 0};
  }

  EpisodeStatus status() const { return status_; }
  const char* state() const { return state_; }
  i64 state_size() const { return state_size_; }

 private:
  struct Header {
    u64 magic, identity, sum;
    i32 players, over;
  };
  static constexpr u64 kMagic = 0x31304C4F4F50564E;

  static u64 checksum_of(Header header, const char* state, i64 size) {
    header.sum = 0;
    return checksum(state, size, checksum(reinterpret_cast<const char*>(&header), i64(sizeof(header))));
  }

  EpisodeStatus status_;
  const char* state_ = nullptr;
  i64 state_size_;
};

}  // namespace envpool
