# SPDX-License-Identifier: Apache-2.0
"""The subcommands and their arguments. Each subcommand imports its file only when it runs, so that `--help` is fast."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Runs reinforcement-learning environments, many at a time.",
)

TaskId = Annotated[str, typer.Argument(metavar="[ID]", help="An environment, such as Pong-v5.", show_default=False)]
Header = Annotated[
    Path | None, typer.Option("--header", metavar="FILE", help="Compile your own environment from a C++ header.")
]
Import = Annotated[
    str, typer.Option("--import", metavar="MODULE", help="Import a module that registers your own environment.")
]
Options = Annotated[
    list[str], typer.Option("--option", "-O", metavar="NAME=VALUE", help="An option of make; may be repeated.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[int, typer.Option(help="Seed of the environments.")]


@app.callback()
def _commands(
    include_dir: Annotated[bool, typer.Option("--include-dir", help="Print the folder of the C++ headers.")] = False,
    cmake_dir: Annotated[bool, typer.Option("--cmake-dir", help="Print the value of envpool_DIR for CMake.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version of this package.")] = False,
) -> None:
    pass  # `main` handles these options.


@app.command("list")
def list_(
    text: Annotated[
        str, typer.Argument(help="List only the family with this name, or ids that contain this text.")
    ] = "",
    family: Annotated[str, typer.Option(help="List only ids of this family.")] = "",
    families: Annotated[bool, typer.Option("--families", help="List the families and their missing packages.")] = False,
    as_json: Json = False,
) -> None:
    """List the environments."""
    from envpool.cli import catalog

    if families:
        catalog.show_families(as_json=as_json)
    else:
        catalog.show(text, family, as_json=as_json)


@app.command()
def info(
    task_id: TaskId = "",
    option: Options = [],  # noqa: B006
    header: Header = None,
    module: Import = "",
    picture: Annotated[
        bool | None, typer.Option("--picture/--no-picture", help="Show an image. Default: only in a terminal.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Describe an environment: its spaces, options and reference implementation."""
    from envpool.cli.info import info as run
    from envpool.cli.own import id_of

    run(id_of(task_id, header, module), option, picture=picture, as_json=as_json)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Report installed and missing packages, and the machine's CPUs and GPUs."""
    from envpool.cli.doctor import doctor as run

    run(as_json=as_json)


@app.command()
def bench(
    task_id: TaskId = "",
    option: Options = [],  # noqa: B006
    header: Header = None,
    module: Import = "",
    num_envs: Annotated[int, typer.Option(min=1, max=65536, help="Environments per package.")] = 16,
    num_threads: Annotated[int, typer.Option(min=0, max=1024, help="Threads per package; 0: one per usable CPU.")] = 0,
    rounds: Annotated[
        int, typer.Option(min=1, max=1000, help="Number of rounds; in each, every package has one turn.")
    ] = 7,
    seconds: Annotated[float, typer.Option(help="Seconds per turn.")] = 0.5,
    peer_python: Annotated[
        str, typer.Option(metavar="PYTHON", help="A Python interpreter with the released EnvPool installed.")
    ] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a chart to this .png file.")] = None,
    as_json: Json = False,
) -> None:
    """Compare the speed of an environment with gymnasium, the released EnvPool and ale-py."""
    from envpool.cli.bench import bench as run
    from envpool.cli.own import id_of

    run(
        id_of(task_id, header, module),
        option,
        own=header is not None or bool(module),
        num_envs=num_envs,
        num_threads=num_threads,
        rounds=rounds,
        seconds=seconds,
        peer_python=peer_python,
        output=output,
        as_json=as_json,
    )


@app.command()
def play(
    task_id: TaskId = "",
    option: Options = [],  # noqa: B006  (typer copies it)
    header: Header = None,
    module: Import = "",
    seed: Seed = 42,
    frames: Annotated[int, typer.Option(min=0, help="Stop after this many steps; 0: only when you quit.")] = 0,
    fps: Annotated[float, typer.Option(help="Steps per second; 0: the environment's own rate.")] = 0,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play in the terminal despite a display.")] = False,
    headless: Annotated[
        bool, typer.Option("--headless", help="Run without a screen and keys; requires --frames.")
    ] = False,
) -> None:
    """Play an environment with arrow keys and space; r restarts, q quits."""
    from envpool.cli.own import id_of
    from envpool.cli.play import play as run

    task_id = id_of(task_id, header, module)
    run(task_id, option, seed=seed, frames=frames, fps=fps, terminal=terminal, headless=headless)


@app.command()
def watch(
    output: Annotated[Path, typer.Option("--output", "-o", help="The .mp4 or .gif file to write.")],
    task_id: TaskId = "",
    option: Options = [],  # noqa: B006
    header: Header = None,
    module: Import = "",
    num_envs: Annotated[int, typer.Option(min=1, max=400, help="Number of environments, shown in a grid.")] = 16,
    seconds: Annotated[float, typer.Option(help="Length of the video in seconds.")] = 10,
    seed: Seed = 42,
    fps: Annotated[float, typer.Option(help="Frames per second, each of one step; 0: the environment's own rate.")] = 0,
    policy: Annotated[
        str,
        typer.Option(
            metavar="MODULE:FUNCTION", help="Function from a batch of observations to actions. Default: random actions."
        ),
    ] = "",
) -> None:
    """Record a video of a batch of environments."""
    from envpool.cli.own import id_of
    from envpool.cli.watch import watch as run

    task_id = id_of(task_id, header, module)
    run(task_id, output, option, num_envs=num_envs, seconds=seconds, seed=seed, fps=fps, policy=policy)


@app.command()
def check(
    source: Annotated[
        Path | None, typer.Argument(metavar="[HEADER]", help="A C++ header with an environment.", show_default=False)
    ] = None,
    option: Options = [],  # noqa: B006
    header: Annotated[
        Path | None, typer.Option("--header", metavar="FILE", help="The same as HEADER.", show_default=False)
    ] = None,
    module: Annotated[
        str, typer.Option("--import", metavar="MODULE", help="Check all environments that a module registers.")
    ] = "",
    task_id: Annotated[
        str,
        typer.Option("--id", metavar="ID", help="The id in messages. Default: the struct's name followed by -v0."),
    ] = "",
    name: Annotated[str, typer.Option(help="The struct, if the header has several.")] = "",
    cxx: Annotated[
        str, typer.Option(metavar="COMPILER", help="The compiler. Default: $CXX, or one that is found.")
    ] = "",
    flag: Annotated[
        list[str],
        typer.Option(
            metavar="FLAG",
            help="A flag for the compiler, such as --flag=-Ifolder; may be repeated. --import adds those of "
            "envpool.compile.",
        ),
    ] = [],  # noqa: B006
) -> None:
    """Find mistakes in your own environment, such as accesses out of bounds and uninitialised memory."""
    from envpool.cli.check import check as run

    run(source or header, option, module=module, task_id=task_id, name=name, cxx=cxx, flag=flag)


@app.command()
def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name of the environment, such as snake.", show_default=False)
    ] = "",
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            help="The folder of the package or header. Default: for a package NAME, for a header the current one.",
        ),
    ] = None,
    header: Annotated[
        bool,
        typer.Option("--header", help="Write only a header, NAME.h: the game of the tutorial. Default NAME: dodge."),
    ] = False,
    turns: Annotated[
        bool,
        typer.Option(
            "--turns",
            help="Write only a header, NAME.h: a game of two players who take turns. Default NAME: nim.",
        ),
    ] = False,
) -> None:
    """Create a package with your own environment: a header, a test, a script that draws it, and the build."""
    from envpool.cli.new import new as run

    run(name, folder, header=header, turns=turns)
