# SPDX-License-Identifier: Apache-2.0
"""Code that the training examples share: options, the log and its plot, checkpoints, evaluation, videos.

It does not include learning. Each example has its own networks, returns and updates, even if they are similar, so that
its algorithm can be read from top to bottom in one file and changed without affecting another example.
"""

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def option(default: Any, description: str) -> Any:
    """Makes a field of an options class."""
    return field(default=default, metadata={"help": f"{description} (default: {default})"})


def parse(options: type[T], description: str | None) -> T:
    """Parses the command line into a dataclass whose fields were made by `option`."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for f in fields(options):  # type: ignore[arg-type]
        how: dict[str, Any] = {"action": argparse.BooleanOptionalAction} if f.type is bool else {"type": f.type}
        parser.add_argument(f"--{f.name}", default=f.default, help=f.metadata["help"], **how)
    return options(**vars(parser.parse_args()))


class Log:
    """Writes log.csv, one row per update. A resumed run keeps the first `kept` rows, up to its checkpoint."""

    def __init__(self, out: Path, columns: Sequence[str], kept: int):
        path = out / "log.csv"
        lines = path.read_text().splitlines()[: 1 + kept] if kept else [",".join(columns)]
        path.write_text("".join(line + "\n" for line in lines))
        self.write = csv.writer(path.open("a", buffering=1)).writerow


def save(options: Any, state: dict[str, Any], path: Path) -> None:
    """Writes a checkpoint; if the run is killed during the write, the previous checkpoint remains intact."""
    import torch  # not at the top, because training in JAX does not need it

    new = path.with_suffix(".new")
    torch.save({"options": fixed(options), **state}, new)
    new.replace(path)


def read(path: str | Path, device: Any = None) -> Any:
    """Reads a checkpoint, with its tensors on that device. The file may contain numbers and arrays, but no code."""
    import torch

    arrays = [np.ndarray, np.dtype, *{type(np.dtype(kind)) for kind in np.typecodes["AllInteger"] + "?fd"}]
    makers = [np.zeros(1).__reduce__()[0], np.float64(0).__reduce__()[0]]
    with torch.serialization.safe_globals(arrays + makers):
        return torch.load(path, map_location=device, weights_only=True)


def load(options: Any, path: Path) -> Any:
    """Returns the state that a run with the same options saved."""
    with opened(path):
        state = read(path)
        kept = dict(state["options"])
    require_same(options, kept, path)
    return state


# Options that may change when a run is resumed. The others are stored in the checkpoint and must stay the same.
FREE = ["out", "resume", "save_every", "total_timesteps", "target", "torch_threads", "num_threads"]
FREE += ["num_devices", "require_return", "eval_games", "eval_episodes", "eval_steps", "video", "graph"]


def fixed(options: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(options).items() if name not in FREE}


def require_same(options: Any, kept: Any, path: Path) -> None:
    for name, value in fixed(options).items():
        if kept.get(name) != value:
            raise SystemExit(f"--resume: {path} has {name} {kept.get(name)}, not {value}")


@contextmanager
def opened(path: Path) -> Iterator[None]:
    """A context in which a checkpoint is read; exits with an error message if it is missing or damaged."""
    if not path.exists():
        raise SystemExit(f"--resume: {path} does not exist")
    try:
        yield
    except Exception as error:  # damaged bytes can cause any exception
        raise SystemExit(f"--resume: {path} is damaged or not a checkpoint: {error!r}") from error


def set_aside(path: Path) -> None:
    """Renames the checkpoint of an earlier run, so that --resume cannot mistake it for the new run's."""
    if path.exists():
        path.replace(path.with_stem(path.stem + "_before"))


def plot(out: Path, title: str, unit: str) -> None:
    """Draws curve.png from a run's log.csv."""
    curve({"": out}, out / "curve.png", title, f"mean return of 100 {unit}")


def curve(
    runs: dict[str, Path],
    path: Path,
    title: str,
    ylabel: str,
    columns: dict[str, str] | None = None,
    time: str = "",
) -> None:
    """Draws the curves of several runs; `runs` maps their labels to their folders.

    The first two columns of log.csv are steps and seconds. `columns` maps labels to the columns that are drawn for each
    run; by default, the last column is drawn. `time` names a column to draw instead of the seconds.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3), sharey=True, layout="constrained")
    drawn = 0
    for run, out in runs.items():
        names = (out / "log.csv").read_text().partition("\n")[0].split(",")
        table = np.genfromtxt(out / "log.csv", delimiter=",", skip_header=1, ndmin=2).T
        steps, seconds = table[0], table[names.index(time) if time else 1]
        for part, column in (columns or {"": names[-1]}).items():
            label = ", ".join(name for name in (run, part) if name)
            for ax, x in zip(axes, (steps / 1e6, seconds / 60), strict=True):
                ax.plot(x, table[names.index(column)], label=label)
            drawn += 1
    for ax, name in zip(axes, ("million steps", "CPU minutes" if time.startswith("cpu") else "minutes"), strict=True):
        ax.set_xlabel(name)
        ax.grid(alpha=0.3)
    if drawn > 1:
        axes[0].legend()
    axes[0].set_ylabel(ylabel)
    figure.suptitle(title)
    figure.savefig(path, dpi=90)


def film(path: Path, pool: Any, act: Callable[[Any], Any], fps: int, most: int) -> None:
    """Records an episode of a pool with one environment as a video, with at most `most` steps.

    A .mp4 file needs the package imageio-ffmpeg; a .gif file does not.
    """
    observation, _ = pool.reset()
    frames: list[Any] = []
    over = False
    while not over and len(frames) < most:
        frames.append(pool.render()[0])
        observation, _, terminated, truncated, info = pool.step(act(observation))
        over = bool(
            info.get("terminated", terminated)[0] or truncated[0]
        )  # the end of an Atari game rather than of a life
    write_video(path, frames, fps)


def write_video(path: Path, frames: Sequence[Any], fps: int) -> None:
    """Writes images of shape (height, width, 3) as a video. .mp4 needs imageio-ffmpeg; .gif does not."""
    import imageio.v3

    if path.suffix == ".gif":
        imageio.v3.imwrite(path, np.stack(frames), duration=1000 / fps, loop=0)
    else:
        imageio.v3.imwrite(path, np.stack(frames), fps=fps, macro_block_size=1)
    print(f"{path}: {len(frames)} frames")


def judge(returns: Sequence[float], what: str, least: float) -> None:
    """Prints the mean return of an evaluation; exits with status 1 if it is below `least`."""
    mean = float(np.mean(returns))
    print(f"mean return of {len(returns)} {what} {mean:.2f}, from {min(returns):.0f} to {max(returns):.0f}")
    if mean < least:
        raise SystemExit(f"mean return {mean:.2f} is below {least}")


def whole_games(games: Any, act: Callable[[Any], Any]) -> list[float]:
    """Plays one whole game in each environment and returns the scores.

    Taking the first games that end instead would overrepresent short games. `games` has reset, step, and `finished`,
    the (environment, score) of each game that ended.
    """
    observation = games.reset()
    returns: dict[int, float] = {}
    while len(returns) < len(games.running):
        observation, *_ = games.step(act(observation))
        for env, score in games.finished:
            returns.setdefault(env, score)
        games.finished.clear()
    return list(returns.values())
