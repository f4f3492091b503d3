# SPDX-License-Identifier: Apache-2.0
"""The commands by name. Each imports its own file when it runs, so that `--help` is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Reinforcement-learning environments, many at a time.",
)

TaskId = Annotated[str, typer.Argument(metavar="ID", help="An environment, such as Pong-v5.")]
Options = Annotated[
    list[str], typer.Option("--option", "-O", metavar="NAME=VALUE", help="An option of make; may be repeated.")
]
Json = Annotated[bool, typer.Option("--json", help="For programs.")]
Seed = Annotated[int, typer.Option(help="Seed of the environments.")]


@app.callback()
def _commands(
    include_dir: Annotated[bool, typer.Option("--include-dir", help="Print where the C++ headers are.")] = False,
    cmake_dir: Annotated[bool, typer.Option("--cmake-dir", help="Print what CMake takes as envpool_DIR.")] = False,
) -> None:
    pass  # `main` has answered both, unless there were other words beside them


@app.command("list")
def list_(
    text: Annotated[str, typer.Argument(help="Only ids that contain this.")] = "",
    family: Annotated[str, typer.Option(help="Only ids of this family.")] = "",
    families: Annotated[bool, typer.Option("--families", help="List families instead, and what they lack.")] = False,
    as_json: Json = False,
) -> None:
    """List the environments."""
    from envpool.cli import catalog

    if families:
        catalog.show_families(as_json)
    else:
        catalog.show(text, family, as_json)


@app.command()
def info(
    task_id: TaskId,
    option: Options = [],  # noqa: B006
    picture: Annotated[
        bool | None, typer.Option("--picture/--no-picture", help="A picture of it; the default: in a terminal.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Describe an environment: spaces, options, where its rules come from."""
    from envpool.cli.info import info as run

    run(task_id, option, picture, as_json)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Tell what is installed, what is missing, and what this machine is good for."""
    from envpool.cli.doctor import doctor as run

    run(as_json)


@app.command()
def bench(
    task_id: TaskId,
    option: Options = [],  # noqa: B006
    num_envs: Annotated[int, typer.Option(min=1, max=65536, help="Environments of each side.")] = 16,
    num_threads: Annotated[int, typer.Option(min=0, max=1024, help="Threads of each side; 0: the usable CPUs.")] = 0,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="How often each side has its turn.")] = 7,
    seconds: Annotated[float, typer.Option(help="Length of a turn.")] = 0.5,
    peer_python: Annotated[
        str, typer.Option(metavar="PYTHON", help="An interpreter that has EnvPool, which has our name.")
    ] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A chart to write: .png.")] = None,
    as_json: Json = False,
) -> None:
    """Measure an environment beside whatever else has it: gymnasium, EnvPool, ale-py."""
    from envpool.cli.bench import bench as run

    run(task_id, option, num_envs, num_threads, rounds, seconds, peer_python, output, as_json)


@app.command()
def play(
    task_id: TaskId,
    option: Options = [],  # noqa: B006  (typer copies it)
    seed: Seed = 42,
    frames: Annotated[int, typer.Option(min=0, help="Stop after so many steps; 0: when you quit.")] = 0,
    fps: Annotated[float, typer.Option(help="Steps a second; 0: the environment's own pace.")] = 0,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play in the terminal, window or not.")] = False,
    headless: Annotated[bool, typer.Option("--headless", help="Show nothing and press nothing.")] = False,
) -> None:
    """Play an environment: arrows and space, r starts anew, q quits."""
    from envpool.cli.play import play as run

    run(task_id, option, seed, frames, fps, terminal, headless)


@app.command()
def watch(
    task_id: TaskId,
    output: Annotated[Path, typer.Option("--output", "-o", help="The film to write: .mp4 or .gif.")],
    option: Options = [],  # noqa: B006
    num_envs: Annotated[int, typer.Option(min=1, max=400, help="Environments side by side.")] = 16,
    seconds: Annotated[float, typer.Option(help="Length of the film.")] = 10,
    seed: Seed = 42,
    fps: Annotated[float, typer.Option(help="Pictures a second, one a step; 0: the environment's own pace.")] = 0,
    policy: Annotated[
        str, typer.Option(metavar="MODULE:FUNCTION", help="Makes actions of a batch of observations; else random.")
    ] = "",
) -> None:
    """Film a batch of environments."""
    from envpool.cli.watch import watch as run

    run(task_id, output, option, num_envs, seconds, seed, fps, policy)
