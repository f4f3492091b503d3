// SPDX-License-Identifier: Apache-2.0
//
// The memory that ViZDoom 1.3.2's engine shares with its client: a structure with the state of the game, one with the
// buttons, and the image buffers, at offsets that the first structure contains.
#pragma once

#include "envpool/core/types.h"
#include "envpool/vizdoom/names.h"

namespace envpool::vizdoom {

inline constexpr u32 kEngineVersion = 132;
inline constexpr const char* kEngineVersionText = "1.3.2";

enum Region { kGameRegion, kInputRegion, kScreenRegion, kDepthRegion, kLabelsRegion, kAutomapRegion, kAudioRegion };
inline constexpr i32 kRegions = 7;

struct SharedLabel {
  u8 value;
  u32 position[2], size[2];
  u32 object_id;
  f64 object_position[9];
  char object_name[128], object_category[128];
};

struct SharedObjectInfo {
  u32 id;
  i32 sector;
  f64 position[9];
  char name[128], category[128];
};

struct SharedSector {
  u32 id;
  f64 floor, ceiling;
  u32 line_count;
  u32 lines[1024];
};

struct SharedLine {
  f64 position[4];
  bool blocking;
};

struct SharedGame {
  u32 version;
  char version_text[16];
  u64 bytes;
  u64 region_at[kRegions];
  u64 region_bytes[kRegions];
  bool region_writeable[kRegions];

  u32 game_tic;
  i32 game_state, game_action;
  u32 static_seed;
  bool settings_controller, net_game, multiplayer, deathmatch, demo_recording, demo_playback, openal_sound;

  u32 screen_width, screen_height;
  u64 screen_pitch, screen_bytes;
  i32 screen_format;
  bool depth, labels, automap, objects, sectors, audio, notifications;

  u32 map_start_tic, map_tic, map_tic_limit;
  i32 map_reward;  // 16.16 fixed point
  i32 user[kUserVariables];
  i32 kill_total, item_total, secret_total;
  bool map_end;

  bool has_actor, dead;
  char player_name[128];
  i32 kill_count, item_count, secret_count, frag_count, death_count;
  bool on_ground;
  i32 health, armor;
  bool attack_ready, alt_attack_ready;
  i32 selected_weapon, selected_weapon_ammo;
  i32 ammo[10], weapon[10];
  f64 movement[10], camera[7];
  bool ready_to_respawn;
  u32 player_number;

  u32 player_count;
  bool player_in_game[16];
  char player_names[16][128];
  i32 player_frags[16];
  bool player_afk[16];
  u32 player_last_action_tic[16], player_last_kill_tic[16];

  u32 label_count;
  SharedLabel label[256];
  u32 object_count;
  SharedObjectInfo object[4096];
  u32 sector_count;
  SharedSector sector[2048];
  u32 line_count;
  SharedLine line[16384];

  i32 hit_count, hits_taken, damage_count, damage_taken;
  u32 notification_bytes;
  char notification[32768];
};

struct SharedInput {
  f64 button[kButtons];
  bool available[kButtons];
  f64 max_value[kButtons - kFirstDeltaButton];
  f64 command_button[kButtons];
};

// The size that the engine of this version states. Another size means another version.
static_assert(sizeof(SharedGame) == 10611848 && sizeof(SharedInput) == 776);

// Returns a game variable by its number.
inline f64 variable(const SharedGame& game, i32 number) {
  if (number >= kUser) return game.user[number - kUser];
  if (number >= kPlayerFrags) return game.player_frags[number - kPlayerFrags];
  if (number >= kPlayerNumber) return number == kPlayerNumber ? game.player_number : game.player_count;
  if (number >= kCamera) return game.camera[number - kCamera];
  if (number >= kMovement) return game.movement[number - kMovement];
  if (number >= kWeapon) return game.weapon[number - kWeapon];
  if (number >= kAmmo) return game.ammo[number - kAmmo];
  switch (number) {
    case kKillCount: return game.kill_count;
    case kItemCount: return game.item_count;
    case kSecretCount: return game.secret_count;
    case kFragCount: return game.frag_count;
    case kDeathCount: return game.death_count;
    case kHitCount: return game.hit_count;
    case kHitsTaken: return game.hits_taken;
    case kDamageCount: return game.damage_count;
    case kDamageTaken: return game.damage_taken;
    case kHealth: return game.health;
    case kArmor: return game.armor;
    case kDead: return game.dead;
    case kOnGround: return game.on_ground;
    case kAttackReady: return game.attack_ready;
    case kAltAttackReady: return game.alt_attack_ready;
    case kSelectedWeapon: return game.selected_weapon;
    case kSelectedWeaponAmmo: return game.selected_weapon_ammo;
    default: return 0;
  }
}

}  // namespace envpool::vizdoom
