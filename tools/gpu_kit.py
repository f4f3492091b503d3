# SPDX-License-Identifier: Apache-2.0
"""Assembles build/gpu-kit, which a visit to a machine with a GPU needs (make gpu-kit, docs/gpu.md).

    ENVPOOL_CACHE_DIR=build/gpu-kernels python tools/gpu_kit.py --wheels=build/device --out=build/gpu-kit sm_90 sm_80

The kit has wheels, MuJoCo's library without the rest of its package, WarpDrive's wheel, kernels compiled for each
architecture, and earlier results. Kernels stay in the cache folder for the next kit.
"""

from __future__ import annotations

import argparse
import lzma
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import tests_on_path  # noqa: F401  (makes tests/ importable)

from envpool.cuda import nvrtc
from envpool.python.cache_files import cache_folder
from tests.proof.kernels import compile_all, kernels_of

MOST_BYTES = 64 << 20  # limit for the kit and the checkout together


def compiled(architectures: list[str], jobs: int) -> list[Path]:
    """Compiles kernels that are not in the cache, and returns the files of all of them."""
    kernels, used = kernels_of(small=False), time.time()
    for architecture in architectures:
        begun = time.monotonic()
        result = compile_all(kernels, architecture, jobs)
        print(architecture, result, f"{time.monotonic() - begun:.0f} s", flush=True)
        if "error" in result:
            sys.exit(f"kernels for {architecture} do not compile")
    folder = cache_folder()
    assert folder is not None
    return [file for file in sorted((folder / "cuda").iterdir()) if file.stat().st_mtime >= used - 1]


def pack_kernels(files: list[Path], target: Path) -> None:
    """Writes kernels into a compressed archive, in the layout of the cache folder."""
    with lzma.open(target, "wb", preset=9) as stream, tarfile.open(fileobj=stream, mode="w") as archive:
        for file in files:
            archive.add(file, f"cuda/{file.name}")


def pack_mujoco(wheel: Path, target: Path) -> None:
    """Copies the library and the license of MuJoCo's wheel, which is ten times as large."""
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as kept:
        for name in source.namelist():
            if name.startswith("mujoco/libmujoco.so.") or "LICENSE" in name:
                kept.writestr(f"mujoco/{Path(name).name}", source.read(name))


def pack_nvrtc(library: str, packed: Path) -> None:
    """Packs NVRTC's library and the file that it loads. Cached kernels are used only with the same build of NVRTC."""
    if packed.exists():
        return  # compressing it takes a minute
    with tarfile.open(packed, "w:xz", preset=9) as archive:
        for file in (Path(library), *Path(library).parent.glob("libnvrtc-builtins.so.*")):
            archive.add(file, file.name)


def main() -> None:
    """Writes the kit, and lists its files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=Path, required=True, help="folder of wheels; peers/ has more")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--results", type=Path, help="results.jsonl of earlier visits, if it exists")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("architectures", nargs="*", default=["sm_90"])
    arguments = parser.parse_args()
    out: Path = arguments.out
    print(f"compiling kernels with {nvrtc.load()}")
    files = compiled(arguments.architectures, arguments.jobs)
    shutil.rmtree(out, ignore_errors=True)
    (out / "wheels").mkdir(parents=True)
    for wheel in arguments.wheels.glob("*.whl"):
        shutil.copy(wheel, out / "wheels")
    for wheel in (arguments.wheels / "peers").glob("*.whl"):
        if wheel.name.startswith("mujoco-"):
            pack_mujoco(wheel, out / "mujoco.zip")
        else:
            shutil.copy(wheel, out)
    pack_kernels(files, out / "kernels.tar.xz")
    version = "{}.{}".format(*nvrtc.load().version)
    packed = arguments.wheels / f"nvrtc-{version}.tar.xz"
    pack_nvrtc(nvrtc.load().path, packed)
    shutil.copy(packed, out / "nvrtc.tar.xz")
    shutil.copy(Path(__file__).with_name("gpu_ncu.sh"), out / "ncu.sh")
    if arguments.results and arguments.results.is_file():
        shutil.copy(arguments.results, out / "results.jsonl")
    sizes = {path: path.stat().st_size for path in sorted(out.rglob("*")) if path.is_file()}
    for path, size in sizes.items():
        print(f"{size / 1e6:8.2f} MB  {path.relative_to(out)}")
    tracked = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=False).stdout.split("\0")
    tree = sum(Path(name).stat().st_size for name in tracked if Path(name).is_file())
    total = tree + sum(sizes.values())
    print(f"{total / 1e6:8.2f} MB  in all, of which {tree / 1e6:.2f} MB are the checkout; {len(files)} kernels")
    if total > MOST_BYTES:
        sys.exit(f"expected at most {MOST_BYTES / 1e6:.0f} MB: name fewer architectures (GPU_ARCHITECTURES=sm_90)")


if __name__ == "__main__":
    main()
