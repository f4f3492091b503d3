# SPDX-License-Identifier: Apache-2.0
"""Trains rl_games' PPO on a pool, through rl_games' class `Envpool`.

python examples/rl_games_ppo.py --task=CartPole-v1 --total_timesteps=100000
"""

from typing import Any

import numpy as np
from absl import app, flags
from rl_games.common.algo_observer import AlgoObserver
from rl_games.torch_runner import Runner

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "CartPole-v1", "environment to learn, with discrete actions")
flags.DEFINE_integer("num_envs", 8, "number of environments", lower_bound=1)
flags.DEFINE_integer("num_steps", 128, "steps of each environment per rollout")
flags.DEFINE_integer("total_timesteps", 100_000, "environment steps to learn from")
flags.DEFINE_integer("seed", 1, "random seed")
flags.DEFINE_float("require_return", None, "fail if the mean return of the last 20 episodes is lower")
flags.DEFINE_string("out", "build/rl_games", "output folder of rl_games")


class Returns(AlgoObserver):
    """Records the mean return of the last episodes."""

    def after_init(self, algo: Any) -> None:
        self.algo, self.mean = algo, float("nan")

    def after_print_stats(self, frame: int, epoch_num: int, total_time: float) -> None:
        if self.algo.game_rewards.current_size:
            self.mean = self.algo.game_rewards.get_mean().item()


def parameters() -> dict[str, Any]:
    return {
        "seed": FLAGS.seed,
        "torch_threads": 1,
        "algo": {"name": "a2c_discrete"},
        "model": {"name": "discrete_a2c"},
        "network": {
            "name": "actor_critic",
            "separate": True,
            "space": {"discrete": None},
            "mlp": {"units": [64, 64], "activation": "tanh", "initializer": {"name": "default"}},
        },
        "config": {
            "name": "pool",
            "train_dir": FLAGS.out,
            "env_name": "envpool",
            "env_config": {"env_name": FLAGS.task, "seed": FLAGS.seed},
            "num_actors": FLAGS.num_envs,
            "horizon_length": FLAGS.num_steps,
            "minibatch_size": FLAGS.num_envs * FLAGS.num_steps // 4,
            "mini_epochs": 8,
            "max_epochs": FLAGS.total_timesteps // (FLAGS.num_envs * FLAGS.num_steps),
            "score_to_win": np.inf,
            "games_to_track": 20,
            "save_best_after": 10**9,
            "learning_rate": 2e-3,
            "lr_schedule": None,
            "gamma": 0.99,
            "tau": 0.95,
            "e_clip": 0.2,
            "clip_value": False,
            "entropy_coef": 0.01,
            "critic_coef": 1,
            "grad_norm": 0.5,
            "truncate_grads": True,
            "normalize_advantage": True,
            "normalize_input": False,
            "value_bootstrap": False,
            "reward_shaper": {"scale_value": 0.1},
            "device": "cpu",
            "print_stats": False,
            "torch_compile": False,
        },
    }


def main(_: list[str]) -> None:
    returns = Returns()
    runner = Runner(returns)
    runner.load({"params": parameters()})
    runner.run({"train": True})
    print(f"{FLAGS.total_timesteps:,} steps; mean return of the last episodes {returns.mean:.1f}")
    if FLAGS.require_return is not None and not returns.mean >= FLAGS.require_return:
        raise SystemExit(f"mean return {returns.mean:.1f} is below {FLAGS.require_return}")


if __name__ == "__main__":
    app.run(main)
