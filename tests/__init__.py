# SPDX-License-Identifier: Apache-2.0
"""The tests. The folders mirror those of envpool/; a wheel contains none of them.

`make test` links this folder into its virtual environments, so that tests import the installed package and not the sources.
Code that tests share is where it is used, and in these folders:

- environments/ has test environments: counter.h counts its steps, crowd.h has several players, all_types.h has every kind
  of array, wide.h has 64-bit arrays and actions, and faulty.h throws or hangs on command. plugin.cc lists them, and
  importing registration.py registers them.
- support/ is for tests of several folders.
  - testing.h is the framework of the C++ tests, simd.h says whether a test expects SIMD code, and allocations.h counts
    allocations.
  - functions.h, family_list.h and functions.cc export an environment's functions, capi.py calls them without a pool, and
    libraries.py finds the libraries that contain them. split_family.h loads environments from shared objects of their own
    (make dev).
  - waiting.py waits for conditions and limits times, interrupting.py interrupts a call at each of its operations,
    memory.py measures the memory of the process, refusals.py checks that `make` refuses options, and
    kill_while_saving.py kills a training script.
  - pages.py reads the code blocks and the commands of the documentation.
  - type_hints.py evaluates annotations.
  - samples.py chooses cases of slow tests by date, slow_tests.py lists slow tests in slow_tests.csv, and chi_square.py
    compares counts of random outcomes with probabilities.
  - Checks of all ids: trajectories.py computes the trajectories whose hashes are in golden.csv, and mutate_states.py
    tries the hostile states that mutations.py makes. option_values.py computes trajectories under random option values,
    whose hashes are in option_values.csv.
  - row_options.h compares rows of pure functions whose options differ with rows that are stepped alone.
  - Files derived from the registry (`make generated`): signatures.py writes type stubs, and tables.py writes tables in
    the docs.
- standin/ is a stand-in for the CUDA driver. It runs PTX, which ptx.py translates into C with ptx_parser.py,
  ptx_operands.py, ptx_variables.py, ptx_functions.py and ptx_instructions.py. driver.py calls it. words.py and
  ptx_kernels.py have small kernels for its tests. rooflines.py counts the instructions that kernels execute on it, records
  the counts in kernel_work.csv, and computes the highest speed that a GPU could reach. sectors.py counts the sectors of
  memory that their warps access, and records them in kernel_sectors.csv.
- core/ also has environments.h and environments.cc, other environments for the C++ tests of the engine; memory_model.h,
  C++'s memory model, in which a test explores all executions; and capi.cc, which exports functions of the core to Python
  tests.
- cuda/ also has nvrtc.py, which compiles the kernels of environments; machine_code.py, which inspects their machine code;
  kernel_budgets.csv, which limits its size; device_comparison.py, which compares a pool on a device with a pool on the
  CPU; device_arrays.py, which makes small pools and arrays on a device; fake_driver.py, a driver that runs nothing;
  cuda_on_host.h, with CUDA's names for kernels that are compiled for the host; and host_launches.h, which launches them.
- jax/ also has xla.py, a mock of XLA on a GPU that calls our handlers for CUDA.
- python/ also has interfaces.py, which makes pools with each interface; played.py, which plays environments with random
  actions; type_checks.py, which only type checkers read; describe.py, which describes a package; and differences.py, the
  intended differences from the released EnvPool.
- proof/ contains the sections of the script in tools/ that checks a GPU.
"""
