// SPDX-License-Identifier: Apache-2.0
//
// The common parts of MiniGrid's environments: an agent with a view of the cells in front of it moves in a grid,
// carries objects, and opens doors and boxes.
//
//   Action       i32, 0 turns left, 1 turns right, 2 goes forward, 3 picks up, 4 drops, 5 toggles (a door or a box),
//                6 is done; all but the first two act on the cell in front of the agent
//   Observation  image      u8[7][7][3]: type, colour and state of the cells in view, by column and row; the option
//                           `observation` selects other forms, as the package's wrappers do
//                direction  i32, 0 right, 1 down, 2 left, 3 up
//                mission    u8[96]: the letters of the sentence, or word numbers
//   Reward       1 - 0.9 * steps / max_steps on success, else 0
//   Truncated    after max_steps steps
//   Info         agent_pos, column and row of the agent
//                mission_id, the number of the mission as in EnvPool, -1 in BabyAI
//
// M. Chevalier-Boisvert et al., "Minigrid & Miniworld: modular & customizable reinforcement learning environments for
// goal-oriented tasks" (2023). Reference: minigrid 3.2.0.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/block_rng.h"
#include "envpool/minigrid/maker.h"
#include "envpool/minigrid/tiles.h"
#if ENVPOOL_HOST
#include <algorithm>
#include <string>
#include <vector>

#include "envpool/minigrid/draw.h"
#endif

namespace envpool::minigrid {

// The forms of the image.
enum class Observed : u8 { kView, kGrid, kOneHot, kRgbView, kRgbGrid, kSymbolic, kFlat };

struct LevelParams {
  const u8* blob;  // the tiles of RGB images
  i32 width, height, view, mission_size, tile;
  i32 chosen_steps, default_steps;  // the option max_steps, and what stands for 0
  i32 max_steps;                    // derived
  bool see_through_walls, words, highlight, alone;
  Observed observed;
};

struct ObjectParams : LevelParams {
  i32 chosen_objs, most_objs;  // the option num_objs, and how many there is room for
  i32 num_objs;                // derived
};

// An environment derives from Level<itself, its Params, its State> and defines
//
//   static constexpr const char* kName;
//   static void options(OptionSpecs&);                        // calls declare()
//   static Params params(const OptionValues&);                // calls resolve()
//   ENVPOOL_FN static void derive_more(Params&);              // optional: default_steps and its own derived members
//   template <class Draws> ENVPOOL_FN static void generate(State&, const Params&, Maker<Draws>&);
//   // optional:
//   static constexpr i32 kNumActions;                         // if only the first actions exist
//   ENVPOOL_FN static void judge(State&, const Params&, const Turn&, Outcome&);    // after the common rules of a step
//   template <class Draws> ENVPOOL_FN static void move_others(State&, const Params&, Draws&);      // before the rules
//   ENVPOOL_FN static i32 action_of(i32 action);              // the action that is executed
//   ENVPOOL_FN static void prepare(State&, const Params&);    // before each step
//   ENVPOOL_FN static i32 limit_of(const State&, const Params&);  // max_steps, if it depends on the level
//   ENVPOOL_FN static Point hidden_cell(const State&, const Params&);  // shown as empty in images of the whole grid
//   static i64 more_bytes(const Params&);                     // after the mission
//   ENVPOOL_FN static void repair_more(State&, const Params&);
//
// In memory, the State is followed by the cells and the mission.
template <class Derived, class P = LevelParams, class S = Agent>
struct Level {
  using Params = P;
  using State = S;

  static constexpr bool kLargeRows = true, kLongSteps = true;
  static constexpr i32 kNumActions = minigrid::kActions;
  // The situation before a step, for rules that depend on more than the result of the step.
  struct Turn {
    i32 action;
    Point front;  // the cell in front of the agent before the step
    Cell was_in_front, was_carried;
  };

  ENVPOOL_FN static Grid grid_of(State& s, const Params& p) {
    return {reinterpret_cast<Cell*>(&s + 1), p.width, p.height};
  }
  ENVPOOL_FN static ConstGrid grid_of(const State& s, const Params& p) {
    return {reinterpret_cast<const Cell*>(&s + 1), p.width, p.height};
  }
  ENVPOOL_FN static i32 cells_of(const Params& p) { return p.width * p.height; }
  ENVPOOL_FN static i64 more_bytes(const Params&) { return 0; }
  ENVPOOL_FN static i64 extra_bytes(const Params& p) {
    return i64{cells_of(p)} * i64{sizeof(Cell)} + p.mission_size + Derived::more_bytes(p);
  }
  ENVPOOL_FN static void derive(Params& p) {
    if constexpr (requires { p.chosen_objs; }) p.num_objs = min(p.chosen_objs, p.most_objs);
    if constexpr (requires { Derived::derive_more(p); }) Derived::derive_more(p);
    p.max_steps = p.chosen_steps != 0 ? p.chosen_steps : p.default_steps;
  }
  ENVPOOL_FN static i32 limit_of(const State&, const Params& p) { return p.max_steps; }
  ENVPOOL_FN static Point hidden_cell(const State&, const Params&) { return kNowhere; }
  ENVPOOL_FN static Viewer viewer(const State& s) { return {s.at, s.direction}; }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    BlockRng draws(rng);
    begin(s, p, draws);
  }
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    BlockRng draws(rng);
    return advance(s, p, *action.at<i32>(0), draws);
  }

  template <class Draws>
  ENVPOOL_NOINLINE static void begin(State& s, const Params& p, Draws& draws) {
    // If a level cannot be completed, a new one is made.
    for (i32 attempt = 0; attempt < 1000; ++attempt) {
      s = {};
      s.at = kNowhere;
      const Grid grid = grid_of(s, p);
      for (i32 i = 0; i < cells_of(p); ++i) grid.cells[i] = kNothing;
      Mission mission(mission_of(s, p), p.mission_size, p.words);
      Maker<Draws> maker{grid, s, draws, mission};
      Derived::generate(s, p, maker);
      if (!maker.failed) break;
    }
    keep_inside(s.at, p);  // the agent may have no place if all attempts failed
  }

  template <class Draws>
  ENVPOOL_FN static Outcome advance(State& s, const Params& p, i32 action, Draws& draws) {
    if constexpr (requires { Derived::action_of(action); }) action = Derived::action_of(action);
    if constexpr (requires { Derived::prepare(s, p); }) Derived::prepare(s, p);
    const Grid grid = grid_of(s, p);
    const Point front = s.at + step_in(s.direction);
    const Turn turn{action, front, grid[front], s.carried};
    if constexpr (requires { Derived::move_others(s, p, draws); }) Derived::move_others(s, p, draws);
    Outcome outcome;
    count_up(s.steps);
    act(s, p, grid, turn, outcome);
    outcome.truncated = s.steps >= Derived::limit_of(s, p);
    if constexpr (requires { Derived::judge(s, p, turn, outcome); }) Derived::judge(s, p, turn, outcome);
    return outcome;
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    observe_image(s, p, row);
    i32 field = 1;
    if (!p.alone) {
      *row.at<i32, 1>(field++) = s.direction;
      copy_bytes(row.at<u8>(field++), mission_of(s, p), p.mission_size);
    }
    i32* const at = row.at<i32, 2>(field++);
    at[0] = s.at.x;
    at[1] = s.at.y;
    *row.at<i32, 1>(field) = s.mission_id;
  }

  // The agent is never at the border, so the cell in front of it is in the grid. No level has a way into the border,
  // but a changed state may have one.
  ENVPOOL_FN static void repair(State& s, const Params& p) {
    keep_inside(s.at, p);
    s.direction &= 3;
    keep_within(s.mission_id, -1, kMostMissions);
    if constexpr (requires { Derived::repair_more(s, p); }) Derived::repair_more(s, p);
  }

  // Clamps a point to the cells within the border.
  ENVPOOL_FN static void keep_inside(Point& at, const Params& p) {
    keep_within(at.x, 1, p.width - 2);
    keep_within(at.y, 1, p.height - 2);
  }
  ENVPOOL_FN static bool is_inside(Point at, const Params& p) {
    return u32(at.x - 1) < u32(p.width - 2) && u32(at.y - 1) < u32(p.height - 2);
  }
  // Clamps a point to the cells of the grid.
  ENVPOOL_FN static void keep_in_grid(Point& at, const Params& p) {
    keep_within(at.x, 0, p.width - 1);
    keep_within(at.y, 0, p.height - 1);
  }

  // Returns the reward for success in this step.
  ENVPOOL_FN static f32 reward_now(const State& s, const Params& p) {
    return f32(1 - 0.9 * (f64(s.steps) / f64(Derived::limit_of(s, p))));
  }
  // succeed() ends the episode with success, and fail() without.
  ENVPOOL_FN static void succeed(const State& s, const Params& p, Outcome& outcome) {
    outcome.terminated = true;
    outcome.reward = reward_now(s, p);
  }
  ENVPOOL_FN static void fail(Outcome& outcome) {
    outcome.terminated = true;
    outcome.reward = 0;
  }

#if ENVPOOL_HOST
  static void declare(OptionSpecs& o, bool sees_through_walls = false, i64 mission_bytes = 96) {
    o.integer("max_steps", 0,
              "steps until an episode is truncated; the reward depends on it too; 0: the default of the level")
        .between(0, 1 << 24)
        .sets(&Params::chosen_steps);
    o.integer("agent_view_size", 7, "rows and columns that the agent sees, an odd number")
        .between(3, kMaxView)
        .changes_shapes();
    o.boolean("see_through_walls", sees_through_walls, "whether the agent sees through walls and closed doors")
        .sets(&Params::see_through_walls);
    o.text("observation", "partial",
           "the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in "
           "one-hot form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of "
           "its cells (symbolic), or the grid in RGB (rgb_full)")
        .one_of(forms())
        .changes_shapes();
    o.boolean("image_only", false, "the image is the whole observation, without direction and mission")
        .changes_shapes();
    o.integer("tile_size", 8, "pixels of the side of a cell in RGB observations").between(1, kTile).changes_shapes();
    o.text("mission", "text", "the mission as its letters (text), or as a number for each word (words)")
        .one_of({"text", "words"})
        .changes_shapes();
    o.integer("mission_bytes", mission_bytes, "size of the mission as text").between(80, 1024).changes_shapes();
    o.boolean("highlight", true, "an RGB image of the whole grid shows which cells the agent sees")
        .sets(&Params::highlight);
  }
  static Params resolve(const OptionValues& v, i64 width, i64 height, i64 max_steps, i32 most_words = 20) {
    Params p{};
    p.width = i32(width);
    p.height = i32(height);
    p.default_steps = i32(max_steps);
    p.view = i32(v.integer("agent_view_size"));
    if (p.view % 2 == 0) {
      throw std::invalid_argument("agent_view_size: expected an odd number, got " + std::to_string(p.view));
    }
    p.observed = observed(v);
    p.tile = i32(v.integer("tile_size"));
    p.alone = v.boolean("image_only") || p.observed == Observed::kFlat;
    p.words = v.text("mission") == "words";
    if (p.words && p.observed == Observed::kFlat) {
      throw std::invalid_argument("mission: expected text with observation=\"flat\", got words");
    }
    p.mission_size = p.words ? most_words : i32(v.integer("mission_bytes"));
    return p;
  }
  // Declares the options of a room with objects. ObjectParams has their values.
  static void declare_objects(OptionSpecs& o, i64 size, i64 count, i64 least, i64 most) {
    o.integer("size", size, "rows and columns, walls included").between(5, 64).changes_shapes();
    o.integer("num_objs", count, "how many objects there are").between(least, most).sets(&Params::chosen_objs);
    declare(o, /*sees_through_walls=*/true);
  }
  // Returns `most`, the number of objects that fit. Throws if the option asks for more.
  static i32 checked_objects(const OptionValues& v, const char* name, i64 most) {
    const i64 count = v.integer(name);
    if (count > most) {
      throw std::invalid_argument(std::string(name) + ": expected at most " + std::to_string(most) +
                                  " in a grid of this size, got " + std::to_string(count));
    }
    return i32(most);
  }
  static Blob blob(const OptionValues& v) {
    if (observed(v) != Observed::kRgbView && observed(v) != Observed::kRgbGrid) return {};
    const i32 size = i32(v.integer("tile_size"));
    Blob tiles(size_t(kTiles * Tiles{nullptr, size}.bytes()));
    draw_tiles(tiles.data(), size);
    return tiles;
  }
  static void spec(const Params& p, Spec& s) {
    const std::string image = p.alone ? "obs" : "obs:image";
    const i64 view = p.view;
    switch (p.observed) {
      case Observed::kView:
        s.obs<u8>(image, {view, view, 3}).bounds(0, 255).doc("type, colour and state of each cell in view");
        break;
      case Observed::kGrid:
        s.obs<u8>(image, {p.width, p.height, 3}).bounds(0, 255).doc("type, colour and state of each cell");
        break;
      case Observed::kOneHot:
        s.obs<u8>(image, {view, view, kOneHot})
            .bounds(0, 255)
            .doc("type, colour and state of each cell in view, one-hot");
        break;
      case Observed::kRgbView:
        s.obs<u8>(image, {view * p.tile, view * p.tile, 3}).bounds(0, 255).doc("RGB image of the cells in view");
        break;
      case Observed::kRgbGrid:
        s.obs<u8>(image, {p.height * p.tile, p.width * p.tile, 3}).bounds(0, 255).doc("RGB image of the grid");
        break;
      case Observed::kSymbolic:
        s.obs<i32>(image, {p.width, p.height, 3})
            .bounds(-1, max(max(p.width, p.height) - 1, i32(kAgent)))
            .doc("column, row and type of each cell; the type is -1 if it is empty, 10 if it is the agent's");
        break;
      case Observed::kFlat:
        s.obs<u8>(image, {view * view * 3 + p.mission_size * kLetters})
            .bounds(0, 255)
            .doc("type, colour and state of each cell in view, then the letters of the mission, one-hot");
        break;
    }
    if (!p.alone) {
      s.obs<i32>("obs:direction").categories(4).doc("0 right, 1 down, 2 left, 3 up");
      s.obs<u8>("obs:mission", {p.mission_size})
          .bounds(0, 255)
          .doc(p.words ? "a number for each word of the mission" : "the letters of the mission");
    }
    s.info<i32>("agent_pos", {2}).bounds(0, max(p.width, p.height) - 1).doc("column and row of the agent");
    s.info<i32>("mission_id").bounds(-1, kMostMissions).doc("number of the mission as in EnvPool, -1 in BabyAI");
    constexpr const char* kAll = "0 turns left, 1 right, 2 goes forward, 3 picks up, 4 drops, 5 toggles, 6 is done";
    const bool all = Derived::kNumActions == minigrid::kActions;
    s.action<i32>().categories(Derived::kNumActions).doc(all ? kAll : "0 turns left, 1 right, 2 goes forward");
    s.reward_low = 0;
    s.reward_high = 1;
    s.render_fps = 10;
    s.render_height = p.height * kTile;
    s.render_width = p.width * kTile;
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    NeededTiles tiles;
    compose_grid(rgb, grid_of(s, p), viewer(s), shown(s, p), tiles);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("steps", static_cast<i32 State::*>(&Agent::steps));
    parts.add("direction", static_cast<i32 State::*>(&Agent::direction));
  }
#endif

 protected:
  ENVPOOL_FN static u8* mission_of(State& s, const Params& p) {
    return reinterpret_cast<u8*>(grid_of(s, p).cells + cells_of(p));
  }
  ENVPOOL_FN static const u8* mission_of(const State& s, const Params& p) {
    return reinterpret_cast<const u8*>(grid_of(s, p).cells + cells_of(p));
  }

 private:
#if ENVPOOL_HOST
  static std::vector<std::string> forms() {  // in the order of Observed
    return {"partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"};
  }
  static Observed observed(const OptionValues& v) {
    const std::vector<std::string> all = forms();
    return Observed(std::find(all.begin(), all.end(), v.text("observation")) - all.begin());
  }
#endif

  ENVPOOL_FN static Shown shown(const State& s, const Params& p) {
    return {p.view, p.see_through_walls, p.highlight, Derived::hidden_cell(s, p)};
  }

  ENVPOOL_FN static void observe_image(const State& s, const Params& p, Row row) {
    const ConstGrid grid = grid_of(s, p);
    if (p.observed == Observed::kSymbolic) {
      observe_symbols(row.at<i32>(0), grid, viewer(s), Derived::hidden_cell(s, p));
      return;
    }
    u8* const image = row.at<u8>(0);
    if (p.observed == Observed::kGrid) {
      observe_grid(image, grid, viewer(s), Derived::hidden_cell(s, p));
    } else if (p.observed == Observed::kRgbGrid) {
      const Tiles tiles{p.blob, p.tile};
      compose_grid(image, grid, viewer(s), shown(s, p), tiles);
    } else if (p.observed == Observed::kRgbView) {
      // The reference draws the image after the first observation, when the agent has already taken the object.
      const Shown what = shown(s, p);
      compose_view(image, grid, viewer(s), what.hidden == kNowhere ? s.carried : grid[what.hidden], what,
                   {p.blob, p.tile});
    } else {
      const i32 cells = p.view * p.view;
      const bool one_hot = p.observed == Observed::kOneHot;
      u8* const view = one_hot ? image + cells * (kOneHot - 3) : image;
      if (p.view == 7) {
        observe_view<7>(view, grid, viewer(s), s.carried, 7, p.see_through_walls);
      } else {
        observe_view<0>(view, grid, viewer(s), s.carried, p.view, p.see_through_walls);
      }
      if (one_hot) make_one_hot(image, cells);
      if (p.observed == Observed::kFlat) spell_one_hot(image + cells * 3, mission_of(s, p), p.mission_size);
    }
  }

  // Applies the action to the agent and to the cell in front of it, whose content may have changed in this step.
  ENVPOOL_FN static void act(State& s, const Params& p, Grid grid, const Turn& turn, Outcome& outcome) {
    Cell& front = grid[turn.front];
    switch (turn.action) {
      case kLeft: s.direction = (s.direction + 3) & 3; break;
      case kRight: s.direction = (s.direction + 1) & 3; break;
      case kForward:
        if (can_overlap(front) && is_inside(turn.front, p)) s.at = turn.front;
        if (type_of(front) == kGoal) succeed(s, p, outcome);
        if (type_of(front) == kLava) outcome.terminated = true;
        break;
      case kPickup:
        if (can_pickup(front) && s.carried == kCarriesNothing) {
          s.carried = front;
          front = kNothing;
        }
        break;
      case kDrop:
        if (front == kNothing && s.carried != kCarriesNothing) {
          front = s.carried;
          s.carried = kCarriesNothing;
        }
        break;
      case kToggle: front = toggled(front, s.carried); break;
      default: break;
    }
  }
  // Returns the new content of a cell that the agent toggles.
  ENVPOOL_FN static Cell toggled(Cell cell, Cell carried) {
    if (type_of(cell) == kBox) return inside_of(cell);
    if (type_of(cell) != kDoor) return cell;
    const bool opens = state_of(cell) == kClosed ||
                       (state_of(cell) == kLocked && kind_of(carried) == object(kKey, i32(color_of(cell))));
    return state_of(cell) == kLocked && !opens ? cell : door(i32(color_of(cell)), opens ? kOpen : kClosed);
  }
};

}  // namespace envpool::minigrid
