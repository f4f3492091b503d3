# SPDX-License-Identifier: Apache-2.0
"""Trains two teams against each other in Tag: PPO inside `jax.jit`, with one policy for taggers and one for runners.

    python examples/ppo_tag_jax.py                          # both teams learn
    python examples/ppo_tag_jax.py --train=taggers          # the runner acts at random
    python examples/ppo_tag_jax.py --world=num_taggers=5,grid_length=20
    python examples/ppo_tag_jax.py --task=TagContinuous-v0 --world=num_taggers=3,num_runners=5,tagging_distance=0.03

All players of a team share its policy, and each has its own observation, reward and advantage. A runner that was tagged
has left the game: its remaining steps, until the episode ends, do not contribute to the loss.

After the training, each team plays against the other one, both trained and at random. The script prints the mean
returns of the teams. It writes curve.png, curves.npz and checkpoint.npz to --out, and in agent.npz the networks of the
pair whose taggers had the highest return against random runners. Seeds, grids of hyperparameters, devices and --resume
work as in ppo_jax.py. Both scripts share networks, update and programs (jax_learning.py, jax_run.py).
"""

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from common import option, parse
from jax import Array
from jax_learning import Hyper, Learner, LearningOptions, Numbers, Step, act, learn, networks, save_towers
from jax_policies import Choices
from jax_run import Devices, Grid, last_hundred, train

import envpool
import envpool.jax

TEAMS = ("taggers", "runners")


class Settings(dict[str, Any]):
    """Options of the environment, as name=value separated by commas."""

    def __init__(self, text: str) -> None:
        pairs = [pair.split("=") for pair in text.split(",")] if text else []
        try:
            super().__init__((name, json.loads(value)) for name, value in pairs)
        except ValueError:
            raise SystemExit(f"--world: expected name=value separated by commas, got {text}") from None


@dataclass
class Options(LearningOptions):
    task: str = option("TagGridWorld-v0", "environment, TagGridWorld-v0 or TagContinuous-v0")
    world: Settings = option(
        "num_taggers=3,random_start=true", "options of the environment that differ from its defaults; '' for none"
    )
    train: str = option("both", "teams that learn: both, taggers or runners; the other one acts at random")
    out: Path = option(Path("runs/ppo_tag_jax"), "output folder")
    resume: bool = option(False, "continue from the checkpoint in that folder")
    save_every: int = option(50, "updates between two checkpoints")
    require_return: float = option(float("-inf"), "fail if the trained taggers' return against random runners is lower")
    eval_episodes: int = option(64, "episodes per agent and pair of teams after training")
    # Amount of training
    num_seeds: int = option(4, "pairs of teams per setting; each has its own seed")
    total_timesteps: int = option(300_000, "steps of worlds per agent")
    num_envs: int = option(16, "worlds per agent")
    num_steps: int = option(50, "steps of each world per rollout")
    # Learning
    learning_rate: Numbers = option("3e-3", "learning rate of Adam")
    gamma: Numbers = option("0.95", "discount factor")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.train not in ("both", *TEAMS):
            raise SystemExit(f"--train: expected both, taggers or runners, got {self.train}")

    def trains(self, team: str) -> bool:
        return self.train in ("both", team)


class Teams(NamedTuple):
    """A value for each team."""

    taggers: Any
    runners: Any


class Agent(NamedTuple):
    """The state of a pair of teams between updates, in numeric arrays."""

    key: Any
    learners: Any  # Teams of Learner
    obs: Any  # (num_envs, players, ...)
    state: Any
    present: Any  # (num_envs, players): whether the player is in the game
    running: Any  # (num_envs, 2): returns so far of both teams in the current episode


class Worlds:
    """A batch of worlds in which the taggers are the first players."""

    def __init__(self, o: Options, num: int) -> None:
        self.num = num
        declared = envpool.make_spec(o.task).options
        fixed_roles = {"shuffle_roles": False} if "shuffle_roles" in declared else {}
        self.env, self.params = envpool.jax.make(o.task, **{**fixed_roles, **o.world})
        space = self.env.action_space(self.params)
        self.single = hasattr(space, "n")  # an action is one choice rather than several
        self.policy = Choices((int(space.n),) if self.single else tuple(int(n) for n in np.ravel(space.nvec)))
        self.obs_size = int(np.prod(self.env.observation_space(self.params).shape))
        self.players = self.env.num_players
        *_, info = self.env.step_batch(None, self.reset(jax.random.key(0))[1], self.idle(), self.params)
        roles = np.asarray(info["players"]["is_tagger"])
        self.num_taggers = int(roles[0].sum())
        if not (roles == (np.arange(self.players) < self.num_taggers)).all():
            raise SystemExit(f"--task={o.task}: the taggers must be the first players")

    def idle(self) -> Array:
        return self.actions(jnp.zeros((self.num, self.players, len(self.policy.numbers)), jnp.int32))

    def reset(self, key: Array) -> tuple[Array, Any]:
        obs, state = self.env.reset_batch(key, self.num, self.params)
        return obs.reshape(self.num, self.players, -1), state

    def actions(self, action: Array) -> Array:
        return action[..., 0] if self.single else action

    def of_teams(self, x: Array, axis: int = 1) -> Teams:
        """Splits the axis of players."""
        return Teams(*jnp.split(x, [self.num_taggers], axis=axis))

    def step(self, state: Any, action: Array) -> Any:
        """Steps all worlds.

        Returns:
            The next observations and state; reward, `left` (whether the player has left the game, by being tagged or
            by the end of the episode), the observations before any reset, and whether the player is in the next step,
            each of shape (num, players, ...); and whether the episode ended, (num,).
        """
        obs, state, reward, done, info = self.env.step_batch(None, state, self.actions(action), self.params)
        left = info["players"]["done"]
        following = info["final_observation"].reshape(obs.shape[0], self.players, -1)
        next_present = ~left | done[:, None]  # all players are in the game when an episode starts
        return obs.reshape(following.shape), state, reward, left, following, next_present, done

    def everyone(self) -> Array:
        return jnp.ones((self.num, self.players), bool)


def begin(o: Options, worlds: Worlds, grid: Grid, devices: Devices) -> Agent:
    """Returns all agents at the start, on their devices."""

    def one(key: Array, nets: Teams) -> Agent:
        key, env_key = jax.random.split(jax.random.wrap_key_data(key))
        obs, state = worlds.reset(env_key)
        learners = Teams(*map(Learner.of, nets))
        returns = jnp.zeros((worlds.num, 2))
        return Agent(jax.random.key_data(key), learners, obs, state, worlds.everyone(), returns)

    seeds = [[(*key, team) for key in grid.keys.tolist()] for team in range(2)]
    nets = Teams(*(networks(o, seed, worlds.obs_size, worlds.policy) for seed in seeds))
    agents: Agent = devices.mapped(one)(devices.put(grid.keys), devices.put(nets))
    return agents


def act_as_teams(o: Options, worlds: Worlds, nets: Teams, random: Any, obs: Array, noise: Array) -> tuple[Array, Array]:
    """Returns the actions of all players and their log-probabilities. Teams for which `random` is true act at random."""
    outcomes = []
    for net, at_random, seen, drawn in zip(nets, random, worlds.of_teams(obs), worlds.of_teams(noise), strict=True):
        net = {**net, "policy": jax.tree.map(lambda x, r=at_random: x * (1 - r), net["policy"])}  # equal logits
        outcomes.append(act(o, net, worlds.policy, seen, drawn))
    actions, logprobs = zip(*outcomes, strict=True)
    return jnp.concatenate(actions, axis=1), jnp.concatenate(logprobs, axis=1)


def team_returns(worlds: Worlds, reward: Array) -> Array:
    """Returns the sums of the rewards of both teams, (num, 2)."""
    return jnp.stack([x.sum(axis=1) for x in worlds.of_teams(reward)], axis=-1)


def collect(o: Options, worlds: Worlds, agent: Agent, key: Array) -> tuple[Agent, Step, Array]:
    """Collects a rollout.

    Returns the agent, the steps of shape (num_steps, num_envs, players, ...), and numbers for curves.

    The numbers are about the episodes that ended: the sum of the runners' returns, the sum of the taggers' returns, and
    the number of episodes.
    """
    nets = Teams(*(learner.net for learner in agent.learners))
    noise = worlds.policy.noise(key, (o.num_steps, worlds.num, worlds.players))
    random = [0.0 if o.trains(team) else 1.0 for team in TEAMS]

    def one(carry: Any, noise: Array) -> Any:
        obs, state, present, running = carry
        action, logprob = act_as_teams(o, worlds, nets, random, obs, noise)
        next_obs, state, reward, left, following, next_present, done = worlds.step(state, action)
        running += team_returns(worlds, reward)
        taggers, runners = jnp.sum(running * done[:, None], axis=0)
        step = Step(obs, action, logprob, reward, following, left, left | done[:, None], present)
        return (next_obs, state, next_present, running * ~done[:, None]), (
            step,
            jnp.stack([runners, taggers, done.sum()]),
        )

    carry = (agent.obs, agent.state, agent.present, agent.running)
    carry, (steps, ended) = jax.lax.scan(one, carry, noise)
    return Agent(agent.key, agent.learners, *carry), steps, ended.sum(axis=0)


def update(o: Options, worlds: Worlds, agent: Agent, h: Hyper, left: Any) -> tuple[Agent, Array]:
    """Collects a rollout, from which each team learns. `left` is the fraction of the training that remains."""
    key, collect_key, *shuffle_keys = jax.random.split(jax.random.wrap_key_data(agent.key), 4)
    agent, steps, ended = collect(o, worlds, agent, collect_key)
    learners = []
    for number, (team, learner) in enumerate(zip(TEAMS, agent.learners, strict=True)):
        if o.trains(team):
            own = jax.tree.map(lambda x, n=number: worlds.of_teams(x, axis=2)[n], steps)
            own = jax.tree.map(lambda x: x.reshape(o.num_steps, -1, *x.shape[3:]), own)  # a column for each player
            learner = learn(o, h, left, learner, worlds.policy, shuffle_keys[number], own)
        learners.append(learner)
    return agent._replace(key=jax.random.key_data(key), learners=Teams(*learners)), ended


def evaluate(o: Options, worlds: Worlds, random: tuple[float, float], key: Array, nets: Teams) -> Array:
    """Returns the mean returns of both teams in the first episode of each world. Actions are samples of the policies."""
    noise_key, key = jax.random.split(jax.random.fold_in(jax.random.wrap_key_data(key), 1))
    obs, state = worlds.reset(key)

    def go_on(carry: Any) -> Array:
        return ~carry[3].all()

    def one(carry: Any) -> Any:
        obs, state, returns, over, t = carry
        noise = worlds.policy.noise(jax.random.fold_in(noise_key, t), (worlds.num, worlds.players))
        action, _ = act_as_teams(o, worlds, nets, random, obs, noise)
        obs, state, reward, _, _, _, done = worlds.step(state, action)
        returns += team_returns(worlds, reward) * ~over[:, None]
        return obs, state, returns, over | done, t + 1

    carry = (obs, state, jnp.zeros((worlds.num, 2)), jnp.zeros(worlds.num, bool), 0)
    returns: Array = jax.lax.while_loop(go_on, one, carry)[2]
    return returns.mean(axis=0)


def plot(o: Options, steps: Any, means: Any, labels: list[str]) -> None:
    """Draws the returns of the teams. `means` has shape (updates, teams, settings, seeds)."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    for ax, team, curves in zip(axes, TEAMS, np.moveaxis(means, 1, 0), strict=True):
        for curve, label in zip(np.moveaxis(curves, 1, 0), labels, strict=True):
            (line,) = ax.plot(steps, curve.mean(axis=-1), label=label)
            ax.plot(steps, curve, color=line.get_color(), alpha=0.3, linewidth=0.6)
        learning = "which learn" if o.trains(team) else "which act at random"
        ax.set(title=f"{team}, {learning}", xlabel="steps of worlds", ylabel="mean return of 100 episodes")
        ax.grid(alpha=0.3)
    if len(labels) > 1:
        axes[0].legend(fontsize="small")
    figure.savefig(o.out / "curve.png", dpi=90)


def main() -> None:
    o = parse(Options, __doc__)
    worlds = Worlds(o, o.num_envs)
    grid = Grid(o, o.task)
    devices = Devices(o, grid.num_agents)
    o.out.mkdir(parents=True, exist_ok=True)
    run = train(o, grid, devices, partial(begin, o, worlds, grid, devices), partial(update, o, worlds), numbers=3)

    runners, taggers, number = np.moveaxis(np.asarray(run.curves, np.float64), -1, 0)
    means = np.stack([grid.split(last_hundred(x, number)) for x in (taggers, runners)], axis=1)
    steps = (np.arange(o.updates) + 1) * o.batch
    np.savez_compressed(
        o.out / "curves.npz", steps=steps, means=means.astype(np.float32), settings=np.array(grid.points)
    )
    plot(o, steps, means, grid.labels)

    nets = Teams(*(learner.net for learner in run.agents.learners))
    judges, keys = Worlds(o, o.eval_episodes), devices.put(grid.keys)
    print(f"\nreturns of taggers and runners in {o.eval_episodes} episodes, mean of {o.num_seeds} seeds")
    best, strongest = -np.inf, 0
    for random in ((1.0, 1.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)):
        scores = np.asarray(devices.mapped(partial(evaluate, o, judges, random))(keys, nets))
        who = ", ".join(f"{'random' if r else 'trained'} {team}" for r, team in zip(random, TEAMS, strict=True))
        for label, pair in zip(grid.labels, grid.split(scores.T).mean(axis=-1).T, strict=True):
            print(f"{label}: {who}: {pair[0]:7.2f}, {pair[1]:7.2f}")
            if random == (0.0, 1.0):
                best = max(best, pair[0])
        if random == (0.0, 1.0):
            strongest = int(scores[:, 0].argmax())
    pair = [jax.tree.map(lambda x: np.asarray(x)[strongest], net) for net in nets]
    towers = {f"{team}/{name}": net[name] for team, net in zip(TEAMS, pair, strict=True) for name in net}
    save_towers(o.out / "agent.npz", towers)
    if best < o.require_return:
        raise SystemExit(f"the taggers' return {best:.2f} against random runners is below {o.require_return}")


if __name__ == "__main__":
    main()
