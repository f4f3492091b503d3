// SPDX-License-Identifier: Apache-2.0
//
// MD5 (RFC 1321), which identifies ROM files.
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "envpool/atari/console/rom_builder.h"

namespace envpool::atari {
namespace {

void add_block(u32 state[4], const u8* block) {
  static const int kShift[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  u32 a = state[0], b = state[1], c = state[2], d = state[3];
  for (u32 i = 0; i < 64; ++i) {
    u32 f = 0, word = 0;
    switch (i / 16) {
      case 0: f = (b & c) | (~b & d), word = i; break;
      case 1: f = (d & b) | (~d & c), word = 5 * i + 1; break;
      case 2: f = b ^ c ^ d, word = 3 * i + 5; break;
      default: f = c ^ (b | ~d), word = 7 * i; break;
    }
    const u8* p = block + 4 * (word % 16);
    const u32 m = p[0] | u32{p[1]} << 8 | u32{p[2]} << 16 | u32{p[3]} << 24;
    const u32 k = static_cast<u32>(std::floor(4294967296.0 * std::fabs(std::sin(i + 1.0))));
    const u32 next = b + std::rotl(a + f + k + m, kShift[i / 16][i % 4]);
    a = d, d = c, c = b, b = next;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

}  // namespace

std::string md5_hex(const u8* bytes, std::size_t size) {
  std::vector<u8> message(bytes, bytes + size);
  message.push_back(0x80);
  while (message.size() % 64 != 56) message.push_back(0);
  for (int i = 0; i < 8; ++i) message.push_back(static_cast<u8>(u64{size} * 8 >> 8 * i));
  u32 state[4] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
  for (std::size_t at = 0; at < message.size(); at += 64) add_block(state, &message[at]);
  std::string hex;
  for (u32 i = 0; i < 16; ++i) {
    const u32 byte = state[i / 4] >> 8 * (i % 4) & 0xFF;
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

}  // namespace envpool::atari
