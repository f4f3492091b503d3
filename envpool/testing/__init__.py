# SPDX-License-Identifier: Apache-2.0
"""Code that only tests use; wheels for users do not contain it.

- Test environments: counter.h counts its steps, crowd.h has several players, all_types.h has every kind of array,
  wide.h has 64-bit arrays and actions, and faulty.h throws or hangs on command. plugin.cc lists them, importing
  registration.py registers them, and interfaces.py makes pools of them with each interface. The C++ tests of the engine
  use other test environments, which are in core/testing/environments.h.
- Calls to an environment's functions without a pool: functions.h, family_list.h and functions.cc export the functions,
  capi.py calls them, and libraries.py finds the libraries that contain them.
- Waits for conditions, and limits on times: waiting.py. Memory of the process: memory.py.
- Checks that `make` refuses options: refusals.py.
- Samples of the cases of slow tests, by date: samples.py.
- Statistics: chi_square.py compares counts of random outcomes with probabilities.
- Checks of all ids: trajectories.py computes the trajectories whose hashes are in golden.csv, and mutate_states.py
  tries the hostile states that mutations.py makes.
- Comparison with the released EnvPool: describe.py describes a package, peer_facts.json contains the description of
  EnvPool, and differences.py lists the intended differences.
- Files derived from the registry (`make generated`): signatures.py writes type stubs, tables.py writes tables in the
  docs, and trajectories.py, machine_code.py and rooflines.py write the `.csv` files.
- Kernels without a GPU: standin/ is a stand-in for the CUDA driver. It runs PTX, which ptx.py translates into C with
  ptx_parser.py, ptx_operands.py, ptx_variables.py, ptx_functions.py and ptx_instructions.py. cuda.py calls the driver,
  and fake_driver.py is a driver that runs nothing. words.py and ptx_kernels.py have small kernels for tests of the
  stand-in, and nvrtc.py compiles the kernels of environments. machine_code.py inspects their machine code, and
  kernel_budgets.csv limits its size. device_comparison.py compares a pool on a device with a pool on the CPU, and
  device_arrays.py makes small pools and arrays on a device. kernels_test.cc runs the kernels as C++. rooflines.py
  counts the instructions that kernels execute, records the counts in kernel_work.csv, and computes the highest speed
  that a GPU could reach.
- A mock of XLA on a GPU: xla.py calls the XLA handlers for CUDA.
- proof/ contains the sections of the script in tools/ that checks a GPU.
- kill_while_saving.py kills a training script. type_checks.py is read by type checkers only; nothing runs it.
"""
