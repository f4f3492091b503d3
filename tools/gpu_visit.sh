#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash tools/gpu_visit.sh OUT_FOLDER MINUTES [flags of tools/gpu_proof.py]
#
# Runs on a machine with a GPU and without a network, from a copy of the checkout with build/gpu-kit (make gpu-kit). It
# installs the kit in a folder of its own, describes the machine, runs tools/gpu_proof.py, measures pools on the CPU
# (benchmark/threads.py), and profiles kernels with Nsight Compute if time is left. It ends within MINUTES.
#
# OUT_FOLDER gets at most seven files, which are renewed every ten seconds, so that a killed visit loses nothing. Steps
# that have results in OUT_FOLDER/results.jsonl, in the kit or in the folder of an earlier visit are not run again.
set -u
if [ $# -lt 2 ]; then
  echo "usage: bash tools/gpu_visit.sh OUT_FOLDER MINUTES [flags of tools/gpu_proof.py]" >&2
  exit 1
fi
out=$(realpath -m "$1")
total=$(awk -v minutes="$2" 'BEGIN { print int(60 * minutes) }')
shift 2
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
kit=$tree/build/gpu-kit
work=${ENVPOOL_VISIT_FOLDER:-/tmp/envpool-visit-$(id -u)}
python=${PYTHON:-python3}
export PYTHON=$python PYTHONUNBUFFERED=1 PYTHONSAFEPATH=1 PYTHONPATH=$work/site
export ENVPOOL_CACHE_DIR=$work/cache XLA_PYTHON_CLIENT_PREALLOCATE=false TF_CPP_MIN_LOG_LEVEL=2
ENVPOOL_WARP_DRIVE_WHEEL=$(echo "$kit"/rl_warp_drive-*.whl)
export ENVPOOL_WARP_DRIVE_WHEEL
[ -e "$work" ] || mkdir -m 700 "$work" || exit 1
if [ ! -O "$work" ] || [ -n "$(find "$work" -maxdepth 0 -perm /022)" ]; then
  echo "$work: expected a folder that only this user can write, because code is loaded from it" >&2
  exit 1
fi
mkdir -p "$out" "$work/proof" "$work/cache" "$work/site" || exit 1

# left SECONDS: prints how many seconds remain, except for the last SECONDS.
left() { echo $((total - SECONDS - $1)); }

say() { echo "== $*, after $SECONDS s" | tee -a "$work/run.txt"; }

# Copies the files to OUT_FOLDER. Each is renamed after it has been written completely.
keep() {
  {
    for log in "$work"/proof/*.log; do
      [ -s "$log" ] && echo "== ${log##*/}" && tail -c 20000 "$log"
    done
  } >"$work/logs.txt" 2>/dev/null
  for file in "$work"/proof/{results.jsonl,gpu.md} "$work"/{machine.txt,run.txt,logs.txt,threads.json,ncu.csv}; do
    [ -s "$file" ] && cp "$file" "$out/.new" && mv "$out/.new" "$out/${file##*/}"
  done
}

: >"$work/run.txt"
say "visit of $total s"
cat "$kit/results.jsonl" "$out/results.jsonl" "$work/proof/results.jsonl" 2>/dev/null | awk '!seen[$0]++' >"$work/earlier"
mv "$work/earlier" "$work/proof/results.jsonl"
say "$(grep -c '"name"' "$work/proof/results.jsonl") earlier results; installing"
"$python" -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --disable-pip-version-check \
  --root-user-action=ignore --upgrade --target "$work/site" "$kit"/wheels/*.whl || exit 1
ln -sfn "$tree/tests" "$work/site/tests"
"$python" -m zipfile -e "$kit/mujoco.zip" "$work/site"
"$python" -m tarfile --filter data -e "$kit/kernels.tar.xz" "$work/cache"
if [ -e "$kit/nvrtc.tar.xz" ]; then  # else NVRTC is that of the environment
  "$python" -m tarfile --filter data -e "$kit/nvrtc.tar.xz" "$work/nvrtc"
  ENVPOOL_NVRTC=$(echo "$work"/nvrtc/libnvrtc.so.*)
  export ENVPOOL_NVRTC
fi

{
  date -u
  nvidia-smi
  uname -a
  lscpu
  g++ --version
  for program in nvcc ncu compute-sanitizer; do command -v "$program"; done
  "$python" -m pip list --disable-pip-version-check | grep -iE 'torch|jax|cupy|cuda|nvrtc|numpy|numba|flax|envpool|gymnax'
} >"$work/machine.txt" 2>&1
keep
parent=$$
while sleep 10 && kill -0 "$parent" 2>/dev/null; do keep; done &
keeper=$!
trap 'kill "$keeper"; wait "$keeper"; keep' EXIT

# Pools on the CPU get the last minute, or a fifth of a shorter visit, unless ENVPOOL_VISIT_CPU is 0.
cpu=0
[ -f "$tree/benchmark/threads.py" ] && cpu=$((total / 5 < 60 ? total / 5 : 60))
[ "${ENVPOOL_VISIT_CPU:-1}" = 0 ] && cpu=0

seconds=$(left $((cpu + 8)))
say "proof of $seconds s"
minutes=$(awk -v seconds="$seconds" 'BEGIN { print seconds / 60 }')
# It stays in this process group, so that it ends with this script.
(cd / && timeout --foreground -k 2 $((seconds + 1)) "$python" "$tree/tools/gpu_proof.py" --out "$work/proof" --minutes "$minutes" "$@") \
  >>"$work/run.txt" 2>&1
status=$?
say "the proof ended with status $status"

if [ "$cpu" -ge 12 ]; then
  # Benchmarks drop PYTHONPATH when they start an interpreter.
  printf '#!/bin/sh\nPYTHONPATH="%s" exec "%s" "$@"\n' "$PYTHONPATH" "$python" >"$work/python"
  chmod +x "$work/python"
  env -u PYTHONSAFEPATH timeout -k 2 "$cpu" "$python" "$tree/benchmark/threads.py" --python="$work/python" \
    --json="$work/threads.json" --seconds=$((cpu - 6)) >>"$work/run.txt" 2>&1
  say "the pools on the CPU ended with status $?"
fi

seconds=$(left 5)
if [ "$seconds" -gt 20 ] && command -v ncu >/dev/null; then
  timeout -k 2 "$seconds" bash "$kit/ncu.sh" >"$work/ncu.csv" 2>&1
  say "Nsight Compute ended with status $?"
fi
say "done"
tail -n 60 "$work/run.txt"
exit "$status"
