// SPDX-License-Identifier: Apache-2.0
//
// Trained agents: multilayer perceptrons that choose actions from observations. docs/site/agents.py writes their files.
"use strict";

const ACTIVATIONS = { tanh: Math.tanh, relu: (x) => Math.max(x, 0) };

// Returns the numbers of base64 of little-endian float32.
function floats(text) {
  return new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
}

class Agent {
  // Loads the agent at a URL. Throws an Error if it cannot be loaded.
  static async load(url) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url} returns status ${response.status}`);
    return new Agent(await response.json());
  }

  constructor({ activation, teams }) {
    this.activation = ACTIVATIONS[activation];
    this.teams = teams.map(({ players, layers }) => ({
      players,
      layers: layers.map(({ weight, bias }) => ({ weight: floats(weight), bias: floats(bias) })),
    }));
  }

  // Returns the most probable action of each player of an environment: an array of numbers for each action field. If
  // players take turns, there is only the move of the player to move, which is legal.
  actions(pool, envId = 0) {
    const obs = pool.result("obs", envId), chosen = [];
    const size = obs.length / pool.spec.max_players;
    if (pool.takesTurns) {
      const start = pool.result("current_player", envId)[0] * size;
      const legal = pool.result("action_mask", envId);
      const logits = this.#forward(this.teams[0].layers, obs.subarray(start, start + size));
      const masked = logits.map((logit, move) => (legal[move] ? logit : -Infinity));
      return [[[masked.indexOf(Math.max(...masked))]]];
    }
    for (const { players, layers } of this.teams) {
      for (const last = chosen.length + players; chosen.length < last;) {
        const start = chosen.length * size;
        const logits = this.#forward(layers, obs.subarray(start, start + size));
        chosen.push([[logits.indexOf(Math.max(...logits))]]);
      }
    }
    return chosen;
  }

  #forward(layers, input) {
    return layers.reduce((x, { weight, bias }, index) => {
      const sums = Float64Array.from(bias);
      x.forEach((value, row) => {
        if (value === 0) return; // Most observations of MinAtar are 0.
        for (let column = 0; column < sums.length; ++column) sums[column] += value * weight[row * sums.length + column];
      });
      return index < layers.length - 1 ? sums.map(this.activation) : sums;
    }, Float64Array.from(input));
  }
}
