# SPDX-License-Identifier: Apache-2.0
"""Trains the agents that readers of the site can watch, and writes their networks to playable/agents.

    make agents

The examples train them, in about a quarter of an hour. The files are kept in the repository, so that building the site trains
nothing. agent.js runs a network in the browser; `act` does the same in NumPy, for the test in replay.py.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from envpool.python.spaces import ArraySpecs

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "playable" / "agents"


class Training(NamedTuple):
    """How an agent is trained.

    Attributes:
        task_id: the environment.
        command: the example and its options. The options of the world are those with which it is played on the site.
        level: the least mean return of the first team's players that is expected of the agent.
        teams: the number of players in each team, whose players share a policy.
        activation: the activation of the hidden layers.
    """

    task_id: str
    command: str
    level: float
    teams: dict[str, int] = {"": 1}  # noqa: RUF012
    activation: str = "tanh"


# By the name of the environment's table.
TRAININGS = {
    "CartPole": Training("CartPole-v1", "ppo_jax.py", 475),
    "MinAtarBreakout": Training(
        "Breakout-MinAtar",
        "ppo_jax.py --task=Breakout-MinAtar --activation=relu --learning_rate=5e-3 --num_envs=64 --minibatches=8"
        " --num_seeds=2 --total_timesteps=7000000",
        30,
        activation="relu",
    ),
    # It plays both sides, so that its mean return says nothing.
    "ConnectFour": Training("ConnectFour-v1", "alphazero_jax.py", float("-inf"), activation="relu"),
    "TagGridWorld": Training(
        "TagGridWorld-v0",
        "ppo_tag_jax.py --world=num_taggers=4,random_start=true",
        30,
        {"taggers": 4, "runners": 1},
    ),
}


def path_of(table: str) -> Path:
    """Returns the path of the file with an environment's agent."""
    return FOLDER / f"{table}.json"


def load(table: str) -> dict[str, Any]:
    """Returns an environment's agent.

    Returns:
        command: the command that trained it.
        activation: the activation of the hidden layers, tanh or relu.
        teams: for each group of players that share a policy, the number of `players`, and the `layers` of the policy.
            A layer has a weight of shape (inputs, outputs) and a bias, in base64 of little-endian float32.
    """
    agent: dict[str, Any] = json.loads(path_of(table).read_text())
    return agent


def fits(agent: dict[str, Any], arrays: ArraySpecs) -> bool:
    """Whether an agent can play an environment with these observations and actions."""
    layers = policy(agent["teams"][0])
    choices = sum(field.discrete for field in arrays.actions if not field.shape)
    observed = sum(int(np.prod(field.shape)) for field in arrays.observations)
    return (len(layers[0][0]), len(layers[-1][1])) == (observed, choices)


def takes_turns(arrays: ArraySpecs) -> bool:
    """Whether players take turns, so that the action is the move of the player to move."""
    return any(field.name == "current_player" for field in arrays.infos)


def policy(team: dict[str, Any]) -> list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Returns the weight and the bias of each layer."""

    def array(text: str) -> np.ndarray[Any, Any]:
        return np.frombuffer(base64.b64decode(text), "<f4").astype(np.float64)

    biases = [array(layer["bias"]) for layer in team["layers"]]
    weights = [
        array(layer["weight"]).reshape(-1, len(bias)) for layer, bias in zip(team["layers"], biases, strict=True)
    ]
    return list(zip(weights, biases, strict=True))


def act(
    agent: dict[str, Any], obs: np.ndarray[Any, Any], legal: np.ndarray[Any, Any] | None = None
) -> np.ndarray[Any, Any]:
    """Returns the most probable action of each player in float64 arithmetic.

    Args:
        agent: an agent, see `load`.
        obs: the observations of the players of one environment, shape (players, ...). If players take turns, that of the
            player to move.
        legal: which actions are legal, of shape (actions,); None means all.
    """
    actions, first = [], 0
    for team in agent["teams"]:
        x = obs[first : first + team["players"]].reshape(team["players"], -1).astype(np.float64)
        *hidden, last = policy(team)
        for weight, bias in hidden:
            x = x @ weight + bias
            x = np.tanh(x) if agent["activation"] == "tanh" else np.maximum(x, 0)
        logits = x @ last[0] + last[1]
        actions.append(np.where(True if legal is None else legal, logits, -np.inf).argmax(axis=1))
        first += team["players"]
    return np.concatenate(actions).astype(np.int32)


def main() -> None:
    """Trains the agents with the examples, and writes their files."""
    FOLDER.mkdir(exist_ok=True)
    for table, training in TRAININGS.items():
        out = ROOT / "build" / "agents" / table
        script, *options = training.command.split()
        print(f"{table}: python examples/{training.command}", flush=True)
        subprocess.run([sys.executable, ROOT / "examples" / script, *options, f"--out={out}"], check=True)
        path_of(table).write_text(json.dumps(exported(table, out), indent=1) + "\n")


def exported(table: str, out: Path) -> dict[str, Any]:
    """Returns the agent in the output folder of an example."""
    training = TRAININGS[table]
    with np.load(out / "agent.npz") as file:
        arrays = dict(file)

    def text(name: str) -> str:
        return base64.b64encode(np.ascontiguousarray(arrays[name], "<f4").tobytes()).decode()

    teams = []
    for name, players in training.teams.items():
        tower = f"{name}/policy" if name else "policy"
        layers = sorted({key.rsplit("/", 1)[0] for key in arrays if key.startswith(f"{tower}/")})
        parts = [{part: text(f"{layer}/{part}") for part in ("weight", "bias")} for layer in layers]
        teams.append({"players": players, "layers": parts})
    return {"command": f"python examples/{training.command}", "activation": training.activation, "teams": teams}


if __name__ == "__main__":
    main()
