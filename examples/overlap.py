# SPDX-License-Identifier: Apache-2.0
"""Simulates one group of environments while a network chooses the actions of another group.

A synchronous pool and the network wait for each other. In an asynchronous pool, several groups of environments are
stepped independently, so that the pool and the network work at the same time. On a GPU each group has its own CUDA
stream; on a CPU the pool has its own threads. This example measures both kinds of pool.

    python examples/overlap.py --device=cuda --task=Breakout-MinAtar --num_envs=8192
"""

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import torch

import envpool


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="Breakout-MinAtar", help="an id with one array as observation")
    parser.add_argument("--device", default="cuda", help='device of the pool: "cuda", "cuda:1" or "cpu"')
    parser.add_argument("--torch_device", default="", help="device of the network (default: the device of the pool)")
    parser.add_argument("--num_envs", type=int, default=8192)
    parser.add_argument("--groups", type=int, default=2, help="number of groups; a divisor of num_envs")
    parser.add_argument("--width", type=int, default=512, help="units of each of the network's two hidden layers")
    parser.add_argument("--seconds", type=float, default=3.0, help="duration of each measurement")
    given = parser.parse_args()
    given.torch_device = given.torch_device or given.device
    if min(given.num_envs, given.groups, given.width) < 1 or given.seconds <= 0:
        parser.error("--num_envs, --groups, --width, --seconds: expected positive numbers")
    if given.num_envs % given.groups:
        parser.error(f"--groups: expected a divisor of --num_envs={given.num_envs}, got {given.groups}")
    if given.torch_device != "cpu" and not torch.cuda.is_available():
        parser.error(f"--torch_device: expected cpu, because this torch finds no GPU, got {given.torch_device}")
    return given


def make_policy(pool: Any, device: str, width: int) -> Callable[[Any], Any]:
    """Returns a function that maps observations to actions, sampled from the logits of a network."""
    network = torch.nn.Sequential(
        torch.nn.Linear(math.prod(pool.observation_space.shape), width),
        torch.nn.ReLU(),
        torch.nn.Linear(width, width),
        torch.nn.ReLU(),
        torch.nn.Linear(width, int(pool.action_space.n)),
    ).to(device)
    on_host = "cpu" in (device, pool.config["device"])

    def policy(observation: Any) -> Any:
        taken = torch.from_dlpack(observation).to(device)
        with torch.inference_mode():
            logits = network(taken.flatten(1).float())
            actions = torch.distributions.Categorical(logits=logits, validate_args=False).sample()
        return actions.cpu().numpy() if on_host else actions

    return policy


def steps_per_second(pool: Any, policy: Callable[[Any], Any], batch_size: int, seconds: float, device: str) -> float:
    """Steps the pool with the policy's actions for `seconds`, and returns the rate."""
    pool.async_reset()
    begin = end = time.perf_counter()
    steps = -20 * batch_size  # the first 20 batches are a warm-up
    while end < begin + seconds:
        observation, _, _, _, info = pool.recv()
        pool.send(policy(observation), info["env_id"])
        steps += batch_size
        if steps <= 0 or steps % (100 * batch_size) == 0:
            if device != "cpu":
                torch.cuda.synchronize()  # neither recv nor send waits for the GPU
            end = time.perf_counter()
            begin = end if steps <= 0 else begin
    return steps / (end - begin)


def main() -> None:
    given = parse()
    measured = {}
    for groups in (1, given.groups):
        batch_size = given.num_envs // groups
        pool = envpool.make_gymnasium(
            given.task, num_envs=given.num_envs, batch_size=batch_size, device=given.device, seed=0
        )
        policy = make_policy(pool, given.torch_device, given.width)
        measured[groups] = steps_per_second(pool, policy, batch_size, given.seconds, given.torch_device)
        print(f"{groups} x {batch_size} environments: {measured[groups]:14,.0f} steps/s")
        pool.close()
    print(f"{given.groups} groups are {measured[given.groups] / measured[1]:.2f} times as fast as one")


if __name__ == "__main__":
    main()
