#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash tools/gpu_ncu.sh > ncu.csv
#
# Profiles one step of six environments with Nsight Compute: time, traffic of memory and L2, sectors per request, instructions,
# active threads per instruction, occupancy, stalls and registers. These are the quantities that docs/gpu.md counts on the
# stand-in. Each environment takes about ten seconds; a profile that takes longer than 45 s is stopped.
set -u
python=${PYTHON:-python3}

# Steps a pool a few times. The tenth launch of its kernel is profiled, when episodes are under way.
program='
import sys
import envpool, numpy as np
from tests.cuda.device_comparison import random_actions

name, count = sys.argv[1], int(sys.argv[2])
pool = envpool.make_gymnasium(name, num_envs=count, device="cuda", seed=1)
pool.reset()
action = random_actions(pool.spec.arrays, np.random.default_rng(0), count)
for _ in range(12):
    pool.step(action)
pool._pool.wait()
'

metrics=(
  gpu__time_duration.sum
  dram__bytes_read.sum dram__bytes_write.sum
  lts__t_sectors_op_read.sum lts__t_sectors_op_write.sum
  smsp__inst_executed.sum
  smsp__thread_inst_executed_per_inst_executed.ratio
  sm__warps_active.avg.pct_of_peak_sustained_active
  smsp__issue_active.avg.pct_of_peak_sustained_active
  smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
  smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio
  smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio
  smsp__average_warps_issue_stalled_branch_resolve_per_issue_active.ratio
  smsp__average_warps_issue_stalled_wait_per_issue_active.ratio
  l1tex__t_sector_hit_rate.pct
  lts__t_sector_hit_rate.pct
  launch__registers_per_thread
)
for direction in ld st; do
  metrics+=(
    "l1tex__t_sectors_pipe_lsu_mem_global_op_$direction.sum"
    "l1tex__t_requests_pipe_lsu_mem_global_op_$direction.sum"
    "l1tex__t_sectors_pipe_lsu_mem_local_op_$direction.sum"
  )
done

profile() {
  echo "# $1, $2 environments"
  timeout -k 2 45 ncu --clock-control none -k envpool_turn -s 9 -c 1 --csv --page raw \
    --metrics "$(IFS=,; echo "${metrics[*]}")" "$python" -W ignore -c "$program" "$1" "$2" </dev/null 2>&1
}

profile CartPole-v1 1048576
profile Breakout-MinAtar 131072
profile TagGridWorld-v0 65536
profile MiniGrid-Empty-8x8-v0 131072
profile Pong-v5 16384
profile LunarLander-v2 131072
