# SPDX-License-Identifier: Apache-2.0
"""This package holds what only tests use; a wheel for users leaves it out.

- Environments for tests of pools: counter.h, crowd.h, faulty.h and all_types.h, listed in plugin.cc. Importing
  registration.py registers them; interfaces.py makes pools of them with each interface. The engine's own C++ tests have
  others, in core/testing/environments.h.
- Environments without a pool: functions.h and functions.cc, which capi.py calls; libraries.py finds what was built.
- Statistics: chi_square.py compares counts of random outcomes with probabilities.
- Checks over all that is registered: trajectories.py with golden.csv, mutate_states.py, describe.py and differences.py.
- Files made of the registry (`make generated`): signatures.py, tables.py, and the `.csv` files' writers.
- Kernels without a GPU: standin/ is a stand-in for the CUDA driver. It runs PTX, which ptx.py and the ptx_*.py that it
  imports translate into C. cuda.py calls it, words.py and ptx_kernels.py have small kernels for its tests, nvrtc.py
  compiles others, machine_code.py reads what the assembler makes of them, and kernel_budgets.csv limits that.
  device_comparison.py steps a pool on a device beside one on the CPU, and device_arrays.py makes small pools and arrays
  on it. kernels_test.cc runs the kernel as C++. rooflines.py counts what kernels execute, in kernel_work.csv, and
  computes how fast a GPU could be at most.
- Programs for tests of other processes: kill_while_saving.py and fake_driver.py. Type checkers read type_checks.py, which nothing runs.
"""
