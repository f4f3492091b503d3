// SPDX-License-Identifier: Apache-2.0
//
// Plays the environment of a page: the keyboard, the buttons below the image or a trained agent choose its actions.
// playable.py writes what differs between environments into the page as JSON, and documents it.
"use strict";

const KEY_NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "space" };
const SLOWEST = 4; // steps per second without the keyboard, if the environment otherwise waits for keys
const KEYBOARD = "0", AGENT = "2", AGAINST_AGENT = "3"; // values of the control "actions by"
const PAUSE_MS = 700; // after the end of an episode, before a key begins the next one

function element(kind, properties = {}, ...children) {
  const made = Object.assign(document.createElement(kind), properties);
  made.append(...children);
  return made;
}

// Returns a labelled control.
function labelled(text, control) {
  return element("label", {}, element("span", { textContent: text }), control);
}

// Returns the options of a select control with the given texts; their values are their indices.
function choices(texts) {
  return texts.map((text, value) => element("option", { value, textContent: text }));
}

class Player {
  constructor(box) {
    this.box = box;
    this.page = JSON.parse(box.querySelector("script").textContent);
    this.pressed = new Set(); // indices of controls
    this.tapped = new Set(); // controls pressed since the last step: they count even if they were released again
    this.state = "stopped"; // or "waiting" for the first key, "running", "over"
    this.tell = element("p", { className: "status" });
    this.ids = element("select", {}, ...choices(this.page.entries.map((entry) => entry.id)));
    this.seed = element("input", { type: "number", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, value: 7 });
    this.who = element("select");
    this.rate = element("input", { type: "number", min: 0, max: 120, step: 1, value: this.page.rate });
    this.player = element("input", { type: "number", min: 0, step: 1 });
    this.start = element("button", { type: "button", textContent: "Play" });
    this.canvas = element("canvas", { hidden: true, tabIndex: 0 });
    this.canvas.setAttribute("role", "img");
    this.buttons = element("div", { className: "actions" });
    this.code = element("code");
    this.recorded = element("details", { hidden: true },
      element("summary", { textContent: "This episode in Python" }), element("pre", {}, this.code));
    this.playerLabel = labelled("you are player", this.player);
    this.settings = element("div", { className: "settings" },
      labelled("id", this.ids), labelled("seed", this.seed), labelled("actions by", this.who), this.playerLabel,
      labelled("steps per second (0: one per key)", this.rate), this.start);
    box.replaceChildren(this.settings, this.canvas, this.buttons, this.tell, this.recorded);

    this.start.onclick = () => this.begin();
    this.ids.onchange = () => this.choose();
    this.who.onchange = () => {
      this.showPlayer();
      this.canvas.focus();
    };
    box.addEventListener("keydown", (event) => this.keyDown(event));
    box.addEventListener("keyup", (event) => this.release(this.controlOf(event)));
    this.canvas.onblur = () => this.pressed.clear();
    this.recorded.ontoggle = () => this.write();
    this.choose();
  }

  choose() {
    this.entry = this.page.entries[this.ids.value];
    this.state = "stopped";
    this.canvas.hidden = true;
    const { width, height, id, players, player, seats, controls, make, agent } = this.entry;
    const others = players > 1 ? ` The other players are ${agent ? "trained agents" : "random"}.` : "";
    this.tell.textContent = this.page.hint + (make ? ` The options here are ${make}.` : "") + others;
    const byAgent = seats ? ["a trained agent", "the keyboard against a trained agent"] : ["a trained agent"];
    this.who.replaceChildren(...choices(["the keyboard", "random actions", ...(agent ? byAgent : [])]));
    Object.assign(this.canvas, { width, height });
    this.canvas.style.setProperty("--width", width);
    this.canvas.classList.toggle("small", width < 320);
    this.canvas.setAttribute("aria-label", `${id}, played with the keys that the buttons below name`);
    Object.assign(this.player, { max: Math.max(players, seats) - 1, value: player });
    this.showPlayer();
    this.buttons.replaceChildren(...controls.map((control, index) => this.button(control, index)));
    this.buttons.hidden = true;
    this.recorded.hidden = true;
  }

  // Asks which player the reader is only where it matters.
  showPlayer() {
    this.playerLabel.hidden = this.entry.players < 2 && this.who.value !== AGAINST_AGENT;
  }

  // Whether the next action is the reader's.
  waitsForKey() {
    if (this.who.value === KEYBOARD) return true;
    if (this.who.value !== AGAINST_AGENT) return false;
    return this.state === "over" || this.pool.result("current_player")[0] === Number(this.player.value);
  }

  // Whether each key is a step, instead of time.
  stepsByKey() {
    return Number(this.rate.value) === 0 || this.who.value === AGAINST_AGENT;
  }

  button(control, index) {
    const keys = control.keys.map((key) => KEY_NAMES[key] ?? key);
    const made = element("button", { type: "button", tabIndex: -1 },
      element("kbd", { textContent: keys.join(" ") }), ` ${control.label}`);
    made.onpointerdown = (event) => {
      event.preventDefault();
      this.canvas.focus();
      this.press(index);
    };
    made.onpointerup = made.onpointerleave = made.onpointercancel = () => this.release(index);
    return made;
  }

  // Makes the environment and resets it with the seed.
  async begin() {
    if (![this.seed, this.rate, this.player].every((input) => input.reportValidity())) return;
    const run = (this.run = {}); // A loop ends when another run has begun.
    this.start.disabled = true;
    this.tell.textContent = "Loading …";
    try {
      this.pool ??= await BrowserPool.load(this.page.module);
      this.agent = this.entry.agent && (await Agent.load(this.entry.agent));
      this.pool.make(this.entry.table, { options: this.entry.options, limit: this.entry.limit });
      this.pool.reset(BigInt(this.seed.value || 0));
    } catch (error) {
      this.fail(error);
      return;
    } finally {
      this.start.disabled = false;
    }
    this.start.textContent = "Restart";
    this.begun = this.seed.value || 0; // The reader may change the input before the next restart.
    this.held = this.entry.first;
    this.pressed.clear();
    this.tapped.clear();
    this.actions = [];
    this.episode = 0;
    this.canvas.hidden = this.buttons.hidden = false;
    this.recorded.hidden = this.entry.players > 1;
    this.beginEpisode();
    this.canvas.focus({ preventScroll: true });
    this.loop(run);
  }

  fail(error) {
    this.state = "stopped";
    this.pool = undefined;
    const local = location.protocol === "file:";
    this.tell.textContent = local
      ? "A browser loads WebAssembly only from a web server: python -m http.server -d build/docs/html starts one."
      : `The environment could not be run: ${error.message}`;
  }

  beginEpisode() {
    this.episode += 1;
    this.total = 0;
    this.reward = 0;
    this.state = "waiting";
    this.draw();
  }

  // Steps at the chosen rate until the run ends.
  async loop(run) {
    let due = performance.now();
    while (this.run === run) {
      const now = await new Promise(requestAnimationFrame);
      if (this.run !== run || this.state === "stopped") return;
      const byKeys = this.waitsForKey();
      const rate = byKeys && this.stepsByKey() ? 0 : Number(this.rate.value) || SLOWEST;
      if (!byKeys && this.state === "waiting") this.state = "running";
      if (!byKeys && this.state === "over" && now > this.ended + PAUSE_MS) this.step();
      if (this.state !== "running" || rate === 0) {
        due = now;
        continue;
      }
      due = Math.max(due, now - 100); // After a delay, it catches up by at most 0.1 s.
      for (; due <= now && this.state === "running"; due += 1000 / rate) this.step();
    }
  }

  controlOf(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return -1;
    return this.entry.controls.findIndex((control) => control.keys.includes(event.key));
  }

  keyDown(event) {
    const control = this.controlOf(event);
    if (control < 0 || this.state === "stopped" || event.target.matches("input, select, summary")) return;
    event.preventDefault(); // Otherwise the arrow keys would scroll the page.
    if (!event.repeat || this.stepsByKey()) this.press(control);
  }

  press(control) {
    if (this.state === "stopped" || !this.waitsForKey()) return;
    if (this.state === "over") {
      if (performance.now() > this.ended + PAUSE_MS) this.step();
      return;
    }
    this.pressed.add(control);
    this.tapped.add(control);
    this.state = "running";
    if (this.stepsByKey()) this.step();
  }

  release(control) {
    this.pressed.delete(control);
  }

  // Returns the action of the pressed keys: an array of numbers for each action field.
  chosen() {
    const { rest, controls } = this.entry;
    const action = structuredClone(rest ?? this.held);
    for (const control of new Set([...this.pressed, ...this.tapped])) {
      for (const [field, index, value] of controls[control].set) action[field][index] = value;
    }
    return action;
  }

  // Returns a random action of the space that playable.py describes.
  random() {
    return this.entry.space.map((elements) =>
      elements.map(([low, high, whole]) =>
        whole ? low + Math.floor(Math.random() * (high - low + 1)) : low + Math.random() * (high - low)));
  }

  // Steps the environment once. If its episode is over, this begins the next one.
  step() {
    const reader = Number(this.player.value), own = Math.min(reader, this.entry.players - 1);
    const actions = this.agent?.actions(this.pool) ?? Array.from({ length: this.entry.players }, () => this.random());
    if (this.waitsForKey()) actions[own] = this.chosen();
    else if (this.who.value !== AGENT && this.who.value !== AGAINST_AGENT) actions[own] = this.random();
    const mine = actions[own];
    actions.forEach((action, player) =>
      action.forEach((values, field) => this.pool.action(field).set(values, player * values.length)));
    this.tapped.clear();
    this.held = mine;
    this.actions.push(mine);
    try {
      this.pool.step();
    } catch (error) {
      this.fail(error);
      return;
    }
    if (this.state === "over") {
      this.beginEpisode();
      return;
    }
    this.reward = this.pool.result("reward")[this.playerLabel.hidden ? own : reader];
    this.total += this.reward;
    const [terminated, truncated] = [this.pool.result("terminated")[0], this.pool.result("truncated")[0]];
    if (terminated || truncated) {
      this.state = "over";
      this.ended = performance.now();
      this.pressed.clear(); // A key that is still down must not act in the next episode.
      this.reason = terminated ? "terminated" : "at its time limit";
    }
    this.draw();
  }

  draw() {
    this.canvas.getContext("2d").putImageData(this.pool.render(), 0, 0);
    const steps = this.pool.result("elapsed_step")[0];
    const shown = (value) => String(Math.round(value * 1000) / 1000);
    const counts = `seed ${this.begun}, episode ${this.episode}, step ${steps}, `
      + `reward ${shown(this.reward)}, return ${shown(this.total)}`;
    const more = { waiting: " – press a key to begin", over: ` – over, ${this.reason}; press a key for the next one` };
    if (this.who.value === AGAINST_AGENT) more.running = " – your move";
    this.tell.textContent = counts + (this.waitsForKey() ? more[this.state] ?? "" : "");
    if (this.recorded.open && this.state !== "running") this.write();
  }

  // Writes the Python code that repeats the steps since the seed.
  write() {
    if (!this.recorded.open || !this.actions) return;
    const { id, make, numpy, scalar } = this.entry;
    const rows = this.actions.map((action) => action[0]);
    const list = JSON.stringify(scalar ? rows.map(([value]) => value) : rows).replaceAll(",", ", ");
    this.code.textContent =
      "import envpool\nimport numpy as np\n\n"
      + `env = envpool.make("${id}", num_envs=1, seed=${this.begun}${make && ", " + make})\nenv.reset()\n`
      + `for action in ${list}:\n`
      + `    obs, reward, terminated, truncated, info = env.step(np.array([action], np.${numpy}))\n`;
  }
}

for (const box of document.querySelectorAll(".playable")) new Player(box);
