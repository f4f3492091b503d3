# SPDX-License-Identifier: Apache-2.0
"""Replays trajectories in a headless Chromium with the modules of the built site, and compares them with a pool's.

    make docs-browse

Every portable id that has a golden hash, and two others chosen by the date, plays the trajectory of
tests/support/trajectories.py in WebAssembly. The hash of the trajectory must equal the golden hash or, if there is
none, the hash of a pool's trajectory. If the id can be rendered, three of its images must equal the pool's too.
Families that cannot be played on the site are compiled for this test. Those that build.py has left out of the site, as
it does for a sample, are not replayed. The test also plays one environment with the keyboard, and lets the trained agents
play episodes. Their returns must equal those in a pool, and reach a level.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import sys
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import agents
import numpy as np
import playable
from browse import ROOT, find_browser, serve
from playwright.sync_api import Page, Route, sync_playwright

import envpool
from envpool import _core
from envpool.python.construction import Construction
from envpool.python.registry import find
from envpool.python.spaces import ArraySpecs, observation_tree
from envpool.robots.family import Robots
from tests.support import trajectories
from tests.support.trajectories import NUM_ENVS, STEPS

SEED = 2024  # as in trajectories.play
RENDERED = (0, 1, STEPS)  # the steps after which the image of environment 0 is compared; 0 is the reset
# Families that are not replayed although they have portable environments: those of Atari and Procgen read files, and the
# test environments, which have no family, use threads.
NOT_REPLAYED = {"atari", "procgen", ""}

# Plays a trajectory. Runs in the page, which defines BrowserPool. Returns the SHA-256 of each environment's outputs at
# each step, and of the rendered images.
REPLAY = """async ({module, table, make, seed, fields, actions, steps, rendered}) => {
  const bytes = Uint8Array.from(atob(actions), (c) => c.charCodeAt(0));
  const digest = async (data) =>
    Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', data)), (b) => b.toString(16).padStart(2, '0')).join('');
  const pool = await BrowserPool.load(module);
  pool.make(table, make);
  const seen = Array.from({length: make.numEnvs}, () => []), images = [];
  let at = 0;
  pool.reset(BigInt(seed));
  for (let step = 0; ; ++step) {
    for (let env = 0; env < make.numEnvs; ++env) {
      const rows = fields.map(([name, ofPlayers]) => {
        const row = pool.result(name, env);
        const length = ofPlayers ? row.length / pool.spec.max_players * pool.result('players', env)[0] : row.length;
        return new Uint8Array(row.buffer, row.byteOffset, length * row.BYTES_PER_ELEMENT);
      });
      const all = new Uint8Array(rows.reduce((sum, row) => sum + row.length, 0));
      rows.reduce((start, row) => (all.set(row, start), start + row.length), 0);
      seen[env].push(await digest(all));
    }
    if (rendered.includes(step)) images.push(await digest(pool.render().data.filter((_, i) => i % 4 < 3)));
    if (step === steps) return {seen, images};
    for (let env = 0; env < make.numEnvs; ++env) {
      pool.spec.actions.forEach((_, index) => {
        const row = pool.action(index, env), into = new Uint8Array(row.buffer, row.byteOffset, row.byteLength);
        into.set(bytes.subarray(at, at + into.length));
        at += into.length;
      });
    }
    pool.step();
  }
}"""

# Lets a trained agent play the first episode of each environment. Returns their lengths, and the return of each player.
WATCH = """async ({module, table, make, seed, agent: url}) => {
  const pool = await BrowserPool.load(module), agent = await Agent.load(url);
  pool.make(table, make);
  pool.reset(BigInt(seed));
  const lengths = Array(make.numEnvs).fill(0), over = Array(make.numEnvs).fill(false);
  const returns = lengths.map(() => Array(pool.spec.max_players).fill(0));
  while (!over.every(Boolean)) {
    for (let env = 0; env < make.numEnvs; ++env) {
      agent.actions(pool, env).forEach(([values], player) => pool.action(0, env).set(values, player * values.length));
    }
    pool.step();
    for (let env = 0; env < make.numEnvs; ++env) {
      if (over[env]) continue;
      pool.result('reward', env).forEach((reward, player) => (returns[env][player] += reward));
      lengths[env] += 1;
      over[env] = pool.result('terminated', env)[0] + pool.result('truncated', env)[0] > 0;
    }
  }
  return {lengths, returns};
}"""


def names_of(arrays: ArraySpecs) -> list[str]:
    """Returns the names of the observation's arrays in the order in which a trajectory hashes them."""

    def names(tree: Any) -> list[str]:
        if isinstance(tree, dict):
            return [name for key in sorted(tree) for name in names(tree[key])]
        return [tree.name]

    return names(observation_tree(arrays))


def actions_at(space: Any, arrays: ArraySpecs, step: int) -> list[np.ndarray[Any, Any]]:
    """Returns the actions of all environments (and players) in a step of a trajectory, one array per action field."""
    players = arrays.max_players
    owners, places = np.repeat(np.arange(NUM_ENVS), players), np.tile(np.arange(players), NUM_ENVS)
    batch = trajectories.actions_of(space, owners + NUM_ENVS * step + 104729 * places)
    each = [batch[field.name] for field in arrays.actions] if isinstance(batch, dict) else [batch]
    return [part.astype(field.dtype) for part, field in zip(each, arrays.actions, strict=True)]


def in_browser(page: Page, task_id: str) -> dict[str, Any]:
    """Returns what REPLAY returns for an id."""
    registration, options = find(task_id), trajectories.OPTIONS.get(task_id, {})
    construction = Construction(registration, options)
    arrays = construction.arrays
    own = {name: options.get(name, o.default) for name, o in construction.options.items() if not o.shape}
    space = envpool.make_spec(task_id, **options).action_space
    rows = [actions_at(space, arrays, step) for step in range(STEPS)]
    data = b"".join(
        part.reshape(NUM_ENVS, -1)[env].tobytes() for parts in rows for env in range(NUM_ENVS) for part in parts
    )
    worlds = arrays.max_players > 1
    fields = [*((name, worlds) for name in [*names_of(arrays), "reward"])]
    fields += [(name, False) for name in ("terminated", "truncated", "elapsed_step")]
    result: dict[str, Any] = page.evaluate(
        REPLAY,
        {
            "module": f"_static/{playable.FOLDER}/{registration.family}.wasm",
            "table": registration.table,
            "make": {
                "numEnvs": NUM_ENVS,
                "limit": registration.max_episode_steps or 0,
                "options": registration.origin.prepare(task_id, own),
            },
            "seed": str(SEED),
            "fields": fields,
            "actions": base64.b64encode(data).decode(),
            "steps": STEPS,
            "rendered": RENDERED if construction.can_render else (),
        },
    )
    return result


def images_of(task_id: str) -> list[str]:
    """Returns the SHA-256 of the pool's images after the steps in RENDERED; [] if the id cannot be rendered."""
    options = trajectories.OPTIONS.get(task_id, {})
    construction = Construction(find(task_id), options)
    if not construction.can_render:
        return []
    arrays, images = construction.arrays, []
    # MuJoCo's renderer is not in the browser, where robots are simple drawings, as they are without MuJoCo.
    with (
        mock.patch.object(Robots, "renderer", return_value=None),
        envpool.make_gymnasium(
            task_id, num_envs=NUM_ENVS, num_threads=1, seed=SEED, render_mode="rgb_array", **options
        ) as env,
    ):
        space = env.single_action_space
        _, info = env.reset()
        for step in range(STEPS + 1):
            if step in RENDERED:
                images.append(hashlib.sha256(np.ascontiguousarray(env.render()[0]).tobytes()).hexdigest())
            (actions,) = actions_at(space, arrays, step)
            if arrays.actors > 1:
                owners = info["players"]["env_id"]
                places = np.concatenate([np.arange((owners == env_id).sum()) for env_id in range(NUM_ENVS)])
                actions = actions[owners * arrays.max_players + places]
            elif arrays.max_players > 1:
                actions = actions[:: arrays.max_players]  # those of the worlds
            info = env.step(actions)[-1]
    return images


def compare(page: Page, task_id: str) -> list[str]:
    """Returns a line for each difference between the browser and the pool."""
    found, different = in_browser(page, task_id), []
    seen = [[bytes.fromhex(digest) for digest in steps] for steps in found["seen"]]
    golden = trajectories.golden().get(task_id)
    if trajectories.hash_of(seen) != (golden or trajectories.hash_of(trajectories.play(task_id, 1, NUM_ENVS))):
        pool = trajectories.play(task_id, 1, NUM_ENVS)
        steps = [step for step in range(STEPS + 1) for env in range(NUM_ENVS) if seen[env][step] != pool[env][step]]
        where = f"from step {steps[0]}" if steps else "because the pool's does not equal the golden hash"
        different.append(f"{task_id}: the trajectory differs {where}")
    for step, ours, theirs in zip(RENDERED, found["images"], images_of(task_id), strict=False):
        if ours != theirs:
            different.append(f"{task_id}: the image after step {step} differs")
    return different


def play_by_keyboard(page: Page, base: str) -> list[str]:
    """Plays CartPole with three keys, and returns a line if the page does not count them or write them as Python."""
    page.goto(base + "families/classic_control/CartPole.html")
    box = page.locator(".playable")
    box.get_by_label("steps per second").fill("0")
    box.get_by_role("button", name="Play").click()
    page.wait_for_selector(".playable canvas:focus")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    box.locator("summary").click()
    page.wait_for_selector(".playable code:not(:empty)")
    status, code = box.locator(".status").inner_text(), box.locator("code").inner_text()
    if "episode 1, step 3, reward 1, return 3" not in status or "in [1, 1, 0]:" not in code:
        return [f"CartPole.html: three keys give {status!r} and {code!r}"]
    box.get_by_label("steps per second").fill("5")
    box.get_by_role("button", name="Restart").click()
    page.wait_for_selector(".playable canvas:focus")
    page.keyboard.press("ArrowRight")  # It is released before the first step, and must act in it nevertheless.
    page.wait_for_function("/over/.test(document.querySelector('.playable .status').textContent)")
    code = box.locator("code").inner_text()
    if "in [1, 1, 1" not in code:
        return [f"CartPole.html: a short press of a key is lost: {code!r}"]
    return []


def watch(page: Page, table: str, training: agents.Training) -> list[str]:
    """Returns a line if a trained agent's episodes in the browser differ from those in a pool, or are bad."""
    task_id, entry, agent = training.task_id, playable.entry_of(training.task_id), agents.load(table)
    how = {
        "module": f"_static/{playable.FOLDER}/{find(task_id).family}.wasm",
        "table": table,
        "make": {"numEnvs": NUM_ENVS, "limit": entry["limit"], "options": entry["options"]},
        "seed": str(SEED),
        "agent": f"_static/{playable.FOLDER}/{agents.FOLDER.name}/{table}.json",
    }
    found: dict[str, Any] = page.evaluate(WATCH, how)
    lengths, over = np.zeros(NUM_ENVS, int), np.zeros(NUM_ENVS, bool)
    options = playable.options_of(task_id)
    arrays = Construction(find(task_id), options).arrays
    turns, returns = agents.takes_turns(arrays), np.zeros((NUM_ENVS, arrays.max_players))
    with envpool.make_gymnasium(task_id, num_envs=NUM_ENVS, num_threads=1, seed=SEED, **options) as env:
        obs, info = env.reset()
        while not over.all():
            worlds = obs.reshape(NUM_ENVS, arrays.max_players, -1)
            if turns:
                movers = [world[[player]] for world, player in zip(worlds, info["current_player"], strict=True)]
                actions = [agents.act(agent, *each) for each in zip(movers, info["action_mask"], strict=True)]
            else:
                actions = [agents.act(agent, world) for world in worlds]
            obs, reward, terminated, truncated, info = env.step(np.concatenate(actions))
            returns += reward.reshape(returns.shape) * ~over[:, None]
            lengths += ~over
            over |= terminated | truncated
    if found != {"lengths": lengths.tolist(), "returns": returns.tolist()}:
        return [f"{task_id}: the agent's episodes have lengths {found['lengths']}, in a pool {lengths.tolist()}"]
    mean = returns[:, : next(iter(training.teams.values()))].sum(axis=1).mean()
    if mean < training.level:
        return [f"{task_id}: the agent's mean return is {mean:.1f}, below {training.level}"]
    return []


def watch_on_page(page: Page, base: str) -> list[str]:
    """Watches CartPole's agent, and returns a line if its page does not let it play well."""
    page.goto(base + "families/classic_control/CartPole.html")
    box = page.locator(".playable")
    box.get_by_label("actions by").select_option("a trained agent")
    box.get_by_label("steps per second").fill("120")
    box.get_by_role("button", name="Play").click()
    page.wait_for_function(
        "/step 1[0-9][0-9],|episode 2/.test(document.querySelector('.playable .status').textContent)"
    )
    status = box.locator(".status").inner_text()
    return [] if "episode 1," in status else [f"CartPole.html: the trained agent plays badly: {status!r}"]


def play_against_agent(page: Page, base: str) -> list[str]:
    """Plays ConnectFour against its agent, and returns a line if the page does not let both move in turn to the end."""
    page.goto(base + "families/pgx/ConnectFour.html")
    box = page.locator(".playable")
    box.get_by_label("actions by").select_option("the keyboard against a trained agent")
    box.get_by_label("you are player").fill("1")
    box.get_by_role("button", name="Play").click()
    page.wait_for_selector(".playable canvas:focus")
    status = "document.querySelector('.playable .status').textContent"
    for turn in range(30):
        page.wait_for_function(f"/your move|press a key/.test({status})")
        before = box.locator(".status").inner_text()
        if "over" in before:
            break
        page.keyboard.press(str(turn % 7))
        page.wait_for_function(f"{status} !== {before!r}")
    text = box.locator(".status").inner_text()
    box.locator("summary").click()
    page.wait_for_selector(".playable code:not(:empty)")
    code = box.locator("code").inner_text()
    moves = code.partition("in [")[2].partition("]")[0].split(", ")
    steps = int(text.partition("step ")[2].partition(",")[0])
    if "over" not in text or len(moves) != steps or steps < 7:
        return [f"ConnectFour.html: a game against the agent ends with {text!r} and the moves {moves}"]
    return []


def portable(task_id: str) -> bool:
    """Whether an id can be replayed."""
    registration = find(task_id)
    needs_files = registration.family in NOT_REPLAYED or registration.table in playable.NEED_FILES
    return not needs_files and bool(registration.load().flags & _core.PORTABLE)


def fulfill(path: Path, route: Route) -> None:
    """Responds to a request with a file."""
    route.fulfill(path=path)


def main() -> None:
    """Replays trajectories and prints the differences; exits with 1 if there are any."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs")
    parser.add_argument("--id", action="append", help="replay only this id; may be repeated")
    arguments = parser.parse_args()
    html = arguments.out / "html"
    if not playable.has_compiler():
        print("Zig is not installed (pip install ziglang), so no trajectory is replayed in the browser")
        return
    modules = html / "_static" / playable.FOLDER
    built = {path.stem for path in modules.glob("*.wasm")}
    ids = arguments.id or [task_id for task_id in trajectories.todays_ids(whole=False) if portable(task_id)]
    if not arguments.id:
        left_out = {*playable.families_of(ids)} - built
        ids = [task_id for task_id in ids if find(task_id).family not in left_out]
    trainings = {
        table: training for table, training in agents.TRAININGS.items() if find(training.task_id).family in built
    }
    more = {find(task_id).family for task_id in ids} - built
    extra = arguments.out / "wasm"
    playable.compile_families(ROOT, more, extra)
    different, images = [], 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.set_default_timeout(120_000)  # for busy machines
        for family in more:
            page.route(f"**/{playable.FOLDER}/{family}.wasm", partial(fulfill, extra / f"{family}.wasm"))
        base = serve(html)
        page.goto(base + "index.html")
        for name in ("environment.js", "agent.js"):
            page.add_script_tag(path=modules / name)
        for task_id in ids:
            different += compare(page, task_id)
            images += len(RENDERED) * Construction(find(task_id), {}).can_render
        for table, training in trainings.items():
            different += watch(page, table, training)
        if "classic_control" in built:
            different += play_by_keyboard(page, base)
            different += watch_on_page(page, base)
        if "pgx" in built:
            different += play_against_agent(page, base)
        version = browser.version
        browser.close()
    for line in different:
        print(line, file=sys.stderr)
    print(
        f"{len(ids)} trajectories, {images} images and {NUM_ENVS} episodes of each of {len(trainings)} trained "
        f"agents in Chromium {version} were compared with the pool's: {len(different)} differ"
    )
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
