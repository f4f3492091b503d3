# SPDX-License-Identifier: Apache-2.0
"""Trains Sample Factory's PPO on a pool, through Sample Factory's wrapper for EnvPool.

Sample Factory pins gymnasium 0.29.1 and NumPy 1.26, so it needs a separate virtual environment. Its own Atari training
runs on our pool unchanged: python -m sf_examples.envpool.atari.train_envpool_atari --env=atari_pong --device=cpu

    python examples/sample_factory_ppo.py --env=CartPole-v1 --experiment=cartpole --train_for_env_steps=100000
"""

import sys
from typing import Any

import numpy as np
from sample_factory.algo.utils.misc import ExperimentStatus
from sample_factory.cfg.arguments import parse_full_cfg, parse_sf_args
from sample_factory.envs.env_utils import register_env
from sample_factory.train import make_runner
from sf_examples.envpool.envpool_wrappers import EnvPoolResetFixWrapper

import envpool

DEFAULTS = {
    "batched_sampling": True,  # the pool is one environment of many agents
    "num_workers": 1,
    "num_envs_per_worker": 1,
    "worker_num_splits": 1,
    "async_rl": False,
    "serial_mode": True,
    "device": "cpu",
    "train_dir": "build/sample_factory",
    "restart_behavior": "overwrite",
    "rollout": 64,
    "batch_size": 512,
    "num_batches_per_epoch": 1,
    "num_epochs": 6,
    "use_rnn": False,
    "recurrence": 1,
    "encoder_mlp_layers": [64, 64],
    "nonlinearity": "tanh",
    "learning_rate": 1e-3,
    "reward_scale": 0.1,
    "normalize_input": True,
    "with_vtrace": False,
    "gae_lambda": 0.95,
    "exploration_loss_coeff": 0.005,
    "stats_avg": 20,
    "decorrelate_envs_on_one_worker": False,
    "seed": 1,
}


def make_pool(name: str, cfg: Any, env_config: Any, render_mode: str | None = None) -> Any:
    seed = cfg.seed + (env_config.env_id if env_config is not None else 0)
    env = EnvPoolResetFixWrapper(envpool.make(name, env_type="gym", num_envs=cfg.env_agents, seed=seed))
    env.num_agents = cfg.env_agents
    return env


def main() -> Any:
    parser, partial = parse_sf_args()
    parser.add_argument("--env_agents", default=8, type=int, help="number of environments")
    parser.add_argument("--require_return", default=None, type=float, help="fail if the last mean return is lower")
    parser.set_defaults(**DEFAULTS)
    cfg = parse_full_cfg(parser)
    register_env(cfg.env, make_pool)
    cfg, runner = make_runner(cfg)
    status = runner.init()
    if status == ExperimentStatus.SUCCESS:
        status = runner.run()
    returns = runner.policy_avg_stats.get("reward", [[]])[0]
    mean = np.mean(returns) if len(returns) else np.nan
    print(f"{cfg.train_for_env_steps:,} steps; mean return of the last episodes {mean:.1f}")
    if cfg.require_return is not None and not mean >= cfg.require_return:
        raise SystemExit(f"mean return {mean:.1f} is below {cfg.require_return}")
    return status


if __name__ == "__main__":
    sys.exit(main())
