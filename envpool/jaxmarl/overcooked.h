// SPDX-License-Identifier: Apache-2.0
//
// Overcooked: two cooks deliver onion soups. A soup takes three onions in a pot, 20 steps of cooking and a plate.
//
//   Players      2 cooks
//   Action       i32 per player: 0 moves up, 1 down, 2 right, 3 left, 4 stays, 5 interacts with the cell in front. A
//                move turns the cook, too. Cooks who would enter the same cell, or swap cells, stay
//   Observation  u8[rows][columns][26] per player: a plane for the player's cell, the other one's, 4 for the player's
//                direction, 4 for the other one's; then pots, empty counters, piles of onions, of tomatoes (none), of
//                plates, goals, onions in a pot that does not cook, tomatoes, onions in a pot that cooks or in a soup,
//                tomatoes, remaining steps of cooking, soups that are ready, plates, onions, tomatoes, and whether
//                fewer than 40 steps remain
//   Reward       20 for both cooks for each delivery
//   Terminated   after max_steps
//   Info         players.id; players.shaped_reward: 3 for an onion into a pot, 5 for a soup out of it, 3 for a plate
//                from the pile if it is useful: no plate lies on a counter, and more pots hold onions than cooks hold
//                plates
//   Reset        cooks are at the layout's places, with random directions. With random_reset, they are in random cells
//                with random things in their hands, and the pots have a random status
//   Image        cooks are blue and red; pots are dark, with their onions
//
// M. Carroll et al., "On the utility of learning about humans for human-AI coordination" (NeurIPS 2019).
// Reference: jaxmarl 0.2.0, environments/overcooked.
#pragma once

#include "envpool/core/api.h"
#include "envpool/jaxmarl/kitchen.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#include "envpool/jaxmarl/kitchen_layout.h"
#endif

namespace envpool::jaxmarl {

inline constexpr i32 kPlanes = 26;  // of an observation; 0 to 9 are those of the cooks

// Writes what a cook holds, or what lies on a counter.
ENVPOOL_FN constexpr void write_thing(u8* planes, u8 thing) {
  planes[18] = thing == kSoup ? 3 : 0;
  planes[21] = thing == kSoup;
  planes[22] = thing == kPlate;
  planes[23] = thing == kOnion;
}

// The planes of each value of a cell.
struct PlanesTable {
  u8 of[kPot + kEmpty + 1][kPlanes];
};
constexpr PlanesTable make_planes_table() {
  PlanesTable table{};
  for (i32 cell = 0; cell < kPot; ++cell) {
    u8* const planes = table.of[cell];
    planes[11] = cell == kCounter;
    planes[12] = cell == kOnionPile;
    planes[14] = cell == kPlatePile;
    planes[15] = cell == kGoal;
    write_thing(planes, static_cast<u8>(cell));
  }
  for (i32 status = 0; status <= kEmpty; ++status) {
    u8* const planes = table.of[kPot + status];
    const bool cooks = status < kFull;
    planes[10] = 1;
    planes[cooks ? 18 : 16] = static_cast<u8>(cooks ? 3 : kEmpty - status);
    planes[20] = static_cast<u8>(cooks ? status : 0);
    planes[21] = status == kReady;
  }
  return table;
}
constexpr PlanesTable kPlanesTable = make_planes_table();

struct Overcooked {
  static constexpr const char* kName = "Overcooked";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMaxPlayers = 2, kPhases = 1;
  static constexpr i32 kUrgent = 40;  // remaining steps

  struct Params {
    i32 rows, columns, max_steps, floors;
    i32 start[2];
    bool random_reset;
    u8 cell[kMaxCells];
  };
  struct Shared {
    i32 steps;
    f32 reward;  // of the last step
    bool over;
    u8 cell[kMaxCells];
  };
  struct Agent {
    i32 row, column;
    i32 direction;  // 0 up, 1 down, 2 right, 3 left
    i32 action;
    f32 shaped_reward;
    u8 held;
  };
  using World = envpool::World<Overcooked>;
  enum Field { kObs, kId, kShapedReward };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.text("layout", "cramped_room",
           "cramped_room, asymm_advantages, coord_ring, forced_coord or counter_circuit; or lines of W (counter), O "
           "(onions), B (plates), X (goal), P (pot), A (a cook) and spaces")
        .changes_shapes();
    o.boolean("random_reset", false, "begin with random cells and hands of the cooks, and random pots")
        .sets(&Params::random_reset);
    o.integer("max_steps", 400, "steps after which an episode ends").between(1, 1e9).sets(&Params::max_steps);
  }
  static Params params(const OptionValues& v) {
    const KitchenLayout layout(v.text("layout"));
    Params p{};
    p.rows = layout.rows;
    p.columns = layout.columns;
    p.floors = layout.floors;
    for (i32 i = 0; i < 2; ++i) p.start[i] = layout.start[i];
    for (i32 i = 0; i < kMaxCells; ++i) p.cell[i] = layout.cell[i];
    return p;
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<u8>("obs", {p.rows, p.columns, kPlanes}).bounds(0, 255).per_player().doc("planes of cooks and things");
    s.info<i32>("players.id").categories(kMaxPlayers).per_player().doc("number of the player");
    s.info<f32>("players.shaped_reward").bounds(0, 5).per_player().doc("reward for a step towards a soup");
    s.action<i32>().categories(6).per_player().doc("0 to 3 move up, down, right, left; 4 stays; 5 interacts");
    s.reward_low = 0;
    s.reward_high = 40;
    s.render_fps = 8;
    drawing::Board::set_size(s, p.rows, p.columns);
  }
  static void render(const World& world, const Params& p, u8* rgb);
#endif

  ENVPOOL_FN static void reset(World& world, const Params& p, Rng& rng) {
    Shared& s = world.shared;
    s.steps = 0;
    s.reward = 0;
    s.over = false;
    for (i32 i = 0; i < kMaxCells; ++i) s.cell[i] = p.cell[i];
    place_cooks(world, p, rng);
    for (Agent& cook : world.agent) {
      constexpr u8 kThings[4] = {kFloor, kOnion, kPlate, kSoup};
      cook.direction = i32(rng.below(4));
      cook.held = p.random_reset ? kThings[rng.below(4)] : u8(kFloor);
      cook.action = kStay;
      cook.shaped_reward = 0;
    }
    for (i32 i = 0; p.random_reset && i < p.rows * p.columns; ++i) {
      if (s.cell[i] >= kPot) s.cell[i] = static_cast<u8>(kPot + rng.below(kEmpty + 1));
    }
  }

  ENVPOOL_FN static void repair(World& world, const Params& p) {
    Shared& s = world.shared;
    keep_within(s.steps, 0, 1 << 30);
    keep_bool(s.over);
    for (u8& cell : s.cell) cell = cell > kPot + kEmpty ? u8(kPot + kEmpty) : cell;
    for (Agent& cook : world.agent) {
      keep_within(cook.row, 1, p.rows - 2);
      keep_within(cook.column, 1, p.columns - 2);
      cook.direction &= 3;
      if (cook.held != kOnion && cook.held != kPlate && cook.held != kSoup) cook.held = kFloor;
    }
  }

  ENVPOOL_FN static i32 players(const World&) { return kMaxPlayers; }

  template <int kPhase>
  ENVPOOL_FN static void phase(World& world, i32 agent, const Params&, ActionRow actions, Rng&) {
    world.agent[agent].action = *actions.at<i32>(0);
  }

  ENVPOOL_FN static Outcome finish(World& world, const Params& p, Rng&) {
    Shared& s = world.shared;
    s.reward = 0;
    // The first cook interacts before the second one, and both before a cook has moved.
    for (Agent& cook : world.agent) {
      cook.shaped_reward = 0;
      if (cook.action == kInteract) interact(world, p, cook);
    }
    move(world, p);
    for (i32 i = 0; i < p.rows * p.columns; ++i) {
      if (s.cell[i] > kPot && s.cell[i] <= kPot + kFull) --s.cell[i];
    }
    s.over = ++s.steps >= p.max_steps;
    return {.terminated = s.over};
  }

  ENVPOOL_FN static f32 reward(const World& world, i32) { return world.shared.reward; }

  ENVPOOL_FN static void observe(const World& world, const Params& p, i32 agent, Row row) {
    const Shared& s = world.shared;
    u8* const obs = row.at<u8>(kObs);
    const u8 urgent = p.max_steps - s.steps < kUrgent;
    for (i32 i = 0; i < p.rows * p.columns; ++i) {
      u8* const planes = obs + i * kPlanes;
      const u8* const known = kPlanesTable.of[s.cell[i]];
#ifdef __CUDACC__
      for (i32 k = 0; k < kPlanes; ++k) planes[k] = known[k];
#else
      __builtin_memcpy(planes, known, kPlanes);
#endif
      planes[kPlanes - 1] = urgent;
    }
    for (i32 i = 0; i < kMaxPlayers; ++i) {
      const Agent& cook = world.agent[i];
      u8* const planes = obs + cell_of(p, cook) * kPlanes;
      const i32 other = i != agent;
      planes[other] = 1;
      planes[2 + 4 * other + cook.direction] = 1;
      if (cook.held != kFloor) write_thing(planes, cook.held);
    }
    *row.at<i32, 1>(kId) = agent;
    *row.at<f32, 1>(kShapedReward) = world.agent[agent].shaped_reward;
  }
  ENVPOOL_FN static void observe_world(const World&, const Params&, Row) {}

 private:
  static constexpr i32 kStay = 4, kInteract = 5;

  ENVPOOL_FN static i32 cell_of(const Params& p, const Agent& cook) { return cook.row * p.columns + cook.column; }
  ENVPOOL_FN static i32 in_front(const Params& p, const Agent& cook) {
    const i32 d = cook.direction;
    return cell_of(p, cook) + ((d == 1) - (d == 0)) * p.columns + (d == 2) - (d == 3);
  }

  ENVPOOL_FN static void place_cooks(World& world, const Params& p, Rng& rng) {
    i32 at[2] = {p.start[0], p.start[1]};
    if (p.random_reset || at[0] < 0) {
      // The second cook has one of the other cells.
      i32 nth[2] = {i32(rng.below(u32(p.floors))), i32(rng.below(u32(p.floors - 1)))};
      nth[1] += nth[1] >= nth[0];
      i32 floor = 0;
      for (i32 i = 0; i < p.rows * p.columns; ++i) {
        if (p.cell[i] != kFloor) continue;
        for (i32 k = 0; k < 2; ++k) at[k] = nth[k] == floor ? i : at[k];
        ++floor;
      }
    }
    for (i32 k = 0; k < 2; ++k) {
      world.agent[k].row = at[k] / p.columns;
      world.agent[k].column = at[k] % p.columns;
    }
  }

  // Both cooks move at the same time.
  ENVPOOL_FN static void move(World& world, const Params& p) {
    i32 to[2], from[2];
    for (i32 i = 0; i < 2; ++i) {
      Agent& cook = world.agent[i];
      from[i] = to[i] = cell_of(p, cook);
      if (cook.action >= kStay) continue;
      cook.direction = cook.action;
      const i32 next = in_front(p, cook);
      if (p.cell[next] == kFloor) to[i] = next;
    }
    const bool blocked = to[0] == to[1] || (to[0] == from[1] && to[1] == from[0]);
    if (blocked) return;
    for (i32 i = 0; i < 2; ++i) {
      world.agent[i].row = to[i] / p.columns;
      world.agent[i].column = to[i] % p.columns;
    }
  }

  ENVPOOL_FN static void interact(World& world, const Params& p, Agent& cook) {
    Shared& s = world.shared;
    u8& cell = s.cell[in_front(p, cook)];
    const u8 held = cook.held;
    if (cell >= kPot) {
      if (held == kOnion && cell > kPot + kFull) {
        --cell;
        cook.held = kFloor;
        cook.shaped_reward = 3;
      } else if (held == kPlate && cell == kPot + kReady) {
        cell = kPot + kEmpty;
        cook.held = kSoup;
        cook.shaped_reward = 5;
      }
    } else if (held == kFloor) {
      if (cell == kPlatePile && plate_is_useful(world, p)) cook.shaped_reward = 3;
      if (cell == kOnionPile) cook.held = kOnion;
      if (cell == kPlatePile) cook.held = kPlate;
      if (cell == kOnion || cell == kPlate || cell == kSoup) {
        cook.held = cell;
        cell = kCounter;
      }
    } else if (cell == kCounter) {
      cell = held;
      cook.held = kFloor;
    } else if (cell == kGoal && held == kSoup) {
      s.reward += 20;
      cook.held = kFloor;
    }
  }
  ENVPOOL_FN static bool plate_is_useful(const World& world, const Params& p) {
    i32 pots = 0, lying = 0, held = 0;
    for (i32 i = 0; i < p.rows * p.columns; ++i) {
      const u8 cell = world.shared.cell[i];
      pots += cell >= kPot && cell != kPot + kEmpty;
      lying += cell == kPlate;
    }
    for (const Agent& cook : world.agent) held += cook.held == kPlate;
    return lying == 0 && held < pots;
  }
};

#if ENVPOOL_HOST
inline void Overcooked::render(const World& world, const Params& p, u8* rgb) {
  constexpr drawing::Color floor{236, 224, 206}, counter{196, 164, 120}, pile{222, 150, 40}, plate{250, 250, 250},
      goal{150, 200, 150}, pot{60, 60, 66}, cooks[] = {{56, 108, 196}, {204, 70, 60}};
  drawing::Board board(rgb, p.rows, p.columns, floor);
  const auto draw = [&](i32 row, i32 column, u8 thing, f64 radius) {
    if (thing == kOnion || thing == kOnionPile) board.disc(row, column, radius, pile);
    if (thing == kPlate || thing == kPlatePile || thing == kSoup) board.disc(row, column, radius, plate);
    if (thing == kSoup) board.disc(row, column, 0.6 * radius, pile);
  };
  for (i32 row = 0; row < p.rows; ++row) {
    for (i32 column = 0; column < p.columns; ++column) {
      const u8 cell = world.shared.cell[row * p.columns + column];
      if (cell == kFloor || cell == 0) continue;  // 0 before the first reset
      board.fill(row, column, cell >= kPot ? pot : cell == kGoal ? goal : counter);
      draw(row, column, cell, cell == kOnionPile || cell == kPlatePile ? 0.38 : 0.24);
      if (cell < kPot) continue;
      const i32 onions = min(kEmpty - (cell - kPot), 3);
      if (onions > 0) board.disc(row, column, 0.14 * onions, cell == kPot + kReady ? goal : pile);
    }
  }
  for (i32 i = 0; i < kMaxPlayers; ++i) {
    const Agent& cook = world.agent[i];
    const i32 d = cook.direction;
    board.disc(cook.row, cook.column, 0.36, cooks[i]);
    const auto ahead = [&](f64 far) {
      return board.at(cook.row + 0.5 + far * ((d == 1) - (d == 0)), cook.column + 0.5 + far * ((d == 2) - (d == 3)));
    };
    board.canvas().line(ahead(0.1), ahead(0.46), cooks[i], board.side() / 6);
    draw(cook.row, cook.column, cook.held, 0.2);
  }
}
#endif

}  // namespace envpool::jaxmarl
