// SPDX-License-Identifier: Apache-2.0
//
// Environments of one family, compiled to WebAssembly from shell.cc.
"use strict";

// The kinds of options in abi::OptionKind. All numbers are passed as reals; C++ converts them for integer options.
const OPTION_KINDS = { boolean: 0, number: 2, string: 3 };

// The arrays that every environment has, in the order of abi::CommonField, with their dtypes.
const COMMON_FIELDS = [
  { name: "reward", dtype: "float32", per_player: true },
  { name: "discount", dtype: "float32", per_player: true },
  { name: "terminated", dtype: "bool" },
  { name: "truncated", dtype: "bool" },
  { name: "step_type", dtype: "int32" },
  { name: "env_id", dtype: "int32" },
  { name: "elapsed_step", dtype: "int32" },
  { name: "players", dtype: "int32" },
];

const ARRAYS = {
  bool: Uint8Array, uint8: Uint8Array, int32: Int32Array, int64: BigInt64Array, float32: Float32Array,
  float64: Float64Array,
};

// A pool of environments.
class BrowserPool {
  // Compiles the module at a URL. Throws an Error if it cannot be loaded.
  static async load(url) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url} returns status ${response.status}`);
    const module = await WebAssembly.compile(await response.arrayBuffer());
    const imports = {};
    // The C library imports functions that write to files, and the environments never call them.
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      (imports[from] ??= {})[name] = () => 52;
    }
    const instance = await WebAssembly.instantiate(module, imports);
    instance.exports._initialize();
    return new BrowserPool(instance.exports);
  }

  constructor(wasm) {
    this.wasm = wasm;
  }

  // Makes environments in place of those that were made before. `limit` is the time limit of an episode in steps; 0: no
  // limit. Throws an Error if the module has no such table.
  make(table, { options = {}, numEnvs = 1, limit = 0 } = {}) {
    for (const [name, value] of Object.entries(options)) {
      const text = typeof value === "string" ? value : "";
      const size = this.#write(name, text);
      this.wasm.option(size, OPTION_KINDS[typeof value], text === "" ? Number(value) : 0);
    }
    this.#write(table, "");
    if (!this.wasm.make(numEnvs, limit)) throw new Error(`the module has no environment ${table}`);
    const bytes = new Uint8Array(this.wasm.memory.buffer, this.wasm.spec(), this.wasm.spec_size());
    this.spec = JSON.parse(new TextDecoder().decode(bytes));
    this.fields = [...COMMON_FIELDS, ...this.spec.fields];
    this.numEnvs = numEnvs;
  }

  // Whether the players take turns; the action is then the move of the player whose turn it is.
  get takesTurns() {
    return this.fields.some((field) => field.name === "current_player");
  }

  // Resets all environments, with a new seed if one is given, a BigInt.
  reset(seed) {
    if (seed !== undefined) this.wasm.seed(seed);
    this.wasm.reset();
  }

  // Steps all environments with the actions that were written to `action`.
  step() {
    this.wasm.step();
  }

  // Returns an environment's row of a result as a typed array, which is valid until the next call of `make`, `reset` or
  // `step`. A per-player array has the values of all players.
  result(name, envId = 0) {
    const index = this.fields.findIndex((field) => field.name === name);
    return this.#row(this.wasm.result(index), this.fields[index], envId, this.fields[index].per_player);
  }

  // Returns an environment's row of an action, in the same form, to be written.
  action(index, envId = 0) {
    return this.#row(this.wasm.action(index), this.spec.actions[index], envId, true);
  }

  // Returns an environment's image.
  render(envId = 0) {
    const { render_width: width, render_height: height } = this.spec;
    const address = this.wasm.render(envId); // This may let the memory grow, which replaces its buffer.
    const pixels = new Uint8ClampedArray(this.wasm.memory.buffer, address, width * height * 4);
    return new ImageData(new Uint8ClampedArray(pixels), width, height);
  }

  #row(address, field, envId, ofPlayers) {
    const kind = ARRAYS[field.dtype];
    const elements = (field.shape ?? []).reduce((product, extent) => product * extent, 1);
    const length = elements * (ofPlayers ? this.spec.max_players : 1);
    return new kind(this.wasm.memory.buffer, address + envId * length * kind.BYTES_PER_ELEMENT, length);
  }

  // Writes two texts to the module's buffer, and returns the size of the first one in bytes.
  #write(first, second) {
    const encoder = new TextEncoder();
    const [a, b] = [encoder.encode(first), encoder.encode(second)];
    const address = this.wasm.buffer(a.length + b.length);
    const memory = new Uint8Array(this.wasm.memory.buffer);
    memory.set(a, address);
    memory.set(b, address + a.length);
    return a.length;
  }
}
