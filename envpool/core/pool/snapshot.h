// SPDX-License-Identifier: Apache-2.0
//
// The format of snapshots: a header that identifies the environment and contains a checksum, followed by the state as
// the environment saves it, or packed if it has repetitions. A snapshot is user input. The checksum rejects corrupted
// snapshots; forged ones are validated by the environment's load().
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "envpool/core/pool/admission.h"
#include "envpool/core/pool/packed_state.h"
#include "envpool/core/pool/pool_types.h"

namespace envpool {

// Returns the FNV-1a hash of some bytes.
inline u64 fnv_hash(const char* data, i64 size, u64 hash = 0xCBF29CE484222325) {
  for (i64 i = 0; i < size; ++i) hash = (hash ^ u8(data[i])) * 0x100000001B3;
  return hash;
}

// Throws std::invalid_argument unless a state of `size` bytes has `bytes` bytes at `offset`.
inline void require_part_of_state(const Label& label, i64 size, i64 offset, i64 bytes) {
  if (offset >= 0 && bytes >= 0 && bytes <= size && offset <= size - bytes) return;
  label.throw_invalid_argument("states: expected a part of a state of " + std::to_string(size) + " bytes, got " +
                               std::to_string(bytes) + " bytes at " + std::to_string(offset));
}

// Returns a hash of some bytes that takes 32 bytes at a time. A change of up to eight adjacent bytes always changes it.
inline u64 word_hash(std::string_view data, u64 seed) {
  const auto mix = [](u64 hash, u64 word) {
    hash = (hash ^ word) * 0xD1342543DE82EF95;
    return hash ^ hash >> 32;
  };
  u64 lanes[4] = {seed, seed + 1, seed + 2, seed + 3};
  size_t at = 0;
  for (; at + 32 <= data.size(); at += 32) {
    for (size_t lane = 0; lane < 4; ++lane) lanes[lane] = mix(lanes[lane], load_word(data.data() + at + 8 * lane));
  }
  u64 hash = mix(seed, data.size());
  for (; at < data.size(); at += 8) {
    char rest[8] = {};
    std::memcpy(rest, data.data() + at, std::min<size_t>(8, data.size() - at));
    hash = mix(hash, load_word(rest));
  }
  for (const u64 lane : lanes) hash = mix(hash, lane);
  return hash;
}

// Returns the identity that a snapshot must have for an environment to accept it. Environments with the same label,
// arrays, players, state size and shared data have the same identity. Seeds, max_episode_steps and the options of the
// pool may differ. `model_identity` is abi::Layout::identity.
inline u64 snapshot_identity(const Label& label, u64 model_identity) {
  return fnv_hash(label.name().data(), i64(label.name().size()),
                  fnv_hash(reinterpret_cast<const char*>(&model_identity), i64(sizeof(model_identity))));
}

// What the snapshots of an environment have in common.
struct SnapshotKind {
  const Label& label;
  const abi::Layout& layout;

  u64 identity() const { return snapshot_identity(label, layout.identity); }
};

class Snapshot {
 public:
  // Returns the snapshot of a state. A packed state is first stored in `buffer`.
  static std::string pack(const SnapshotKind& kind, EpisodeStatus status, std::string_view state, std::string& buffer) {
    const StatePacker packer(kind.layout);
    const i64 size = i64(state.size());
    const bool packed = packer.applies(size);
    if (packed) {
      grow(buffer, packer.most_bytes(size));
      const char* const end = packer.pack(state.data(), size, buffer.data());
      state = {buffer.data(), size_t(end - buffer.data())};
    }
    Header header{packed ? kPacked : kPlain, kind.identity(), 0, status.players, status.over};
    header.sum = checksum_of(header, state);
    std::string bytes;
    bytes.reserve(sizeof(header) + state.size());
    return bytes.append(reinterpret_cast<const char*>(&header), sizeof(header)).append(state);
  }

  // Parses a snapshot. Throws std::invalid_argument unless it belongs to this kind and has a possible status.
  Snapshot(const SnapshotKind& kind, std::string_view bytes) : kind_(kind) {
    const Label& label = kind.label;
    Header header{};
    if (bytes.size() >= sizeof(header)) {
      std::memcpy(static_cast<void*>(&header), bytes.data(), sizeof(header));
      state_ = bytes.substr(sizeof(header));
    }
    const bool known = header.magic == kPlain || header.magic == kPacked || header.magic == kFirstFormat;
    if (!known || header.sum != checksum_of(header, state_)) {
      label.throw_invalid_argument("restore: state: expected a snapshot of " + label.name() + ", got " +
                                   std::to_string(bytes.size()) + " bytes of something else");
    }
    if (header.identity != kind.identity()) {
      label.throw_invalid_argument("restore: state: expected a snapshot of " + label.name() +
                                   " with the same options, got one of another environment, or one with other "
                                   "options for its arrays, players, ROM, map or model, or one that another "
                                   "release of its library made");
    }
    const i32 max_players = kind.layout.max_players;
    if (header.players < 0 || header.players > max_players || header.over < 0 || header.over > 1) {
      label.throw_invalid_argument("restore: state: expected 0.." + std::to_string(max_players) +
                                   " players and an over flag of 0 or 1, got " + std::to_string(header.players) +
                                   " players, over " + std::to_string(header.over));
    }
    status_ = {header.players, header.over != 0};
    packed_ = header.magic == kPacked;
  }

  EpisodeStatus status() const { return status_; }
  bool packed() const { return packed_; }
  // Returns the state. If it is packed, it must have this size, and is stored in `buffer`. Otherwise it is a part of
  // the bytes that were passed to the constructor.
  std::string_view state(i64 size, std::string& buffer) const {
    if (!packed_) return state_;
    grow(buffer, size);
    const StatePacker packer(kind_.layout);
    if (!packer.applies(size) || !packer.unpack(state_.data(), i64(state_.size()), buffer.data(), size)) {
      kind_.label.throw_invalid_argument("restore: state: expected a packed state of " + std::to_string(size) +
                                         " bytes, got " + std::to_string(state_.size()) +
                                         " bytes that do not unpack to that size");
    }
    return {buffer.data(), size_t(size)};
  }

 private:
  struct Header {
    u64 magic, identity, sum;
    i32 players, over;
  };
  // The first format, whose checksum is slow and which is never packed, is no longer written, but still read.
  static constexpr u64 kFirstFormat = 0x31304C4F4F50564E, kPlain = 0x32304C4F4F50564E, kPacked = 0x33304C4F4F50564E;

  static void grow(std::string& buffer, i64 size) {
    if (i64(buffer.size()) < size) buffer.resize(size_t(size));
  }
  static u64 checksum_of(Header header, std::string_view state) {
    header.sum = 0;
    const char* const bytes = reinterpret_cast<const char*>(&header);
    if (header.magic == kFirstFormat) {
      return fnv_hash(state.data(), i64(state.size()), fnv_hash(bytes, i64(sizeof(header))));
    }
    return word_hash(state, word_hash({bytes, sizeof(header)}, 0));
  }

  const SnapshotKind kind_;
  EpisodeStatus status_;
  std::string_view state_;
  bool packed_ = false;
};

}  // namespace envpool
