# SPDX-License-Identifier: Apache-2.0
"""Code that only tests use; wheels for users do not contain it.

- Test environments: counter.h counts its steps, crowd.h has several players, all_types.h has every kind of array, wide.h
  has 64-bit arrays and actions, and faulty.h throws or hangs on command. plugin.cc lists them, and importing registration.py registers them; interfaces.py
  makes pools of them with each interface. The engine's own C++ tests have others, in core/testing/environments.h.
- Calls of an environment's functions without a pool: functions.h and functions.cc export the functions, capi.py calls
  them, and libraries.py finds the libraries.
- Statistics: chi_square.py compares counts of random outcomes with probabilities.
- Checks of all ids: trajectories.py compares trajectories with golden.csv, and mutate_states.py tries the hostile states
  that mutations.py makes.
- Comparison with the released EnvPool: describe.py describes a package, peer_facts.json contains the description of
  EnvPool, and differences.py lists the intended differences.
- Writers of files derived from the registry (`make generated`): signatures.py of type stubs, tables.py of tables in the
  docs, trajectories.py, machine_code.py and rooflines.py of the `.csv` files.
- Kernels without a GPU: standin/ is a stand-in for the CUDA driver. It runs PTX, which ptx.py translates into C with
  ptx_parser.py, ptx_operands.py, ptx_variables.py, ptx_functions.py and ptx_instructions.py. cuda.py calls the driver,
  and fake_driver.py is a driver that runs nothing. words.py and ptx_kernels.py have small kernels for tests of the
  stand-in, and nvrtc.py compiles other kernels. machine_code.py inspects their machine code, whose size
  kernel_budgets.csv limits. device_comparison.py compares a pool on a device with one on the CPU, and device_arrays.py
  makes small pools and arrays on a device. kernels_test.cc runs the kernel as C++. rooflines.py counts the instructions
  that kernels execute, records them in kernel_work.csv, and computes the highest speed that a GPU could reach.
- A mock of XLA on a GPU: xla.py calls the XLA handlers for CUDA.
- proof/ has sections of the script in tools/ that checks a GPU.
- kill_while_saving.py kills a training script. type_checks.py is read by type checkers only; nothing runs it.
"""
