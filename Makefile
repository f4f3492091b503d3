# Every target needs Python >= 3.10 and a C++20 compiler. Everything else is installed as wheels into virtual environments
# under build/, one per purpose. Only `make format` and `make generated` write outside build/.

PYTHON ?= python3
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
DEMO_ARGS ?=
TESTS ?=
PYTEST_ARGS ?=
BENCH_ARGS ?=
EXACT_ARGS ?=
STATES_ARGS ?= --whole
DOCS_ARGS ?=
BROWSE_ARGS ?=
DEVICE_PYTHON ?= python3.12
GPU_ARCHITECTURES ?= sm_90 sm_80 sm_120
RESULTS ?= build/gpu-results/results.jsonl
MATRIX_ARGS ?=
AARCH64_ARGS ?=
CROSS_ARGS ?=
BAZEL_ARGS ?=
WHEELS_ARGS ?=

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Python compiles a module when it is first imported. To compile all of a package takes as long as to unpack it.
export PIP_COMPILE := 0
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV

VENV := build/venv
SOURCES := $(shell find envpool cmake third_party CMakeLists.txt pyproject.toml -type f -not -name '*.pyc' 2>/dev/null)
CPP_TESTS := $(shell find tests -name '*.h' -o -name '*.cc' 2>/dev/null)
CPP := $(shell find envpool tests benchmark examples -name '*.h' -o -name '*.cc' 2>/dev/null)
# Puts the test environment's CMake, Ninja and Python first on the path.
IN_TEST_VENV := PATH="$(CURDIR)/$(VENV)/test/bin:$$PATH"

.DEFAULT_GOAL := help
.PHONY: help demo dev test test-all cpp-test py-test test-gym test-jax test-ray test-peer test-clients test-states \
  test-device test-jax-device test-mujoco4 say-what-is-built standin gpu-kit gpu-page lint format generated docs docs-browse first-minutes agents figures tsan \
  asan exact exact-mujoco bench bench-atari bench-mujoco bench-all bench-check bench-baseline wheel wheels sdist \
  cibuildwheel release-check test-matrix test-aarch64 cross test-bazel clean-roots clean
.DELETE_ON_ERROR:
.SECONDARY:

help:
	@echo 'make demo          install into its own virtual environment and play 100 games of Pong for a few seconds'
	@echo 'make dev           compile what a change affects, and run the tests of the changed files (TESTS="tests/jax -k rows": these)'
	@echo 'make test          build and run every test, C++ and Python, against the installed package'
	@echo 'make test-all      run make test without sampling'
	@echo 'make test-device   test GPU kernels: their machine code, and their results on a stand-in for the CUDA driver'
	@echo 'make test-jax-device  test envpool.jax with the handlers for GPUs, on the same stand-in'
	@echo 'make standin       build that stand-in: build/standin/libcuda.so.1'
	@echo 'make gpu-kit       write build/gpu-kit, for a visit to a GPU machine without a network (DEVICE_PYTHON=python3.12)'
	@echo 'make gpu-page      write what such visits have measured into docs/gpu.md (RESULTS=results.jsonl)'
	@echo 'make test-mujoco4  compare robots with gymnasium on MuJoCo 4.0.0; the other tests have MuJoCo 3.17.0'
	@echo 'make test-clients  train six RL libraries and the examples on the installed wheel, a third of them each day'
	@echo 'make test-peer     compare with the released EnvPool, Atari bit for bit, and with WarpDrive (minutes; installs them)'
	@echo 'make test-ray      test pools in Ray actors, on a local cluster of several nodes'
	@echo 'make lint          check with clang-format, ruff, mypy --strict, and check commit messages'
	@echo 'make format        format the files with clang-format and ruff'
	@echo 'make generated     write the files derived from the registry, after ids, options or environments have changed'
	@echo 'make docs          build the site, build/docs/html/index.html; warnings are errors'
	@echo 'make figures       draw the figures of the README: docs/environments.webp and docs/ratios.svg'
	@echo 'make docs-browse   open its pages in a headless Chromium, follow its links, take screenshots, replay trajectories'
	@echo 'make first-minutes  install into an empty environment, train, compile a game and film it, and record that as a page'
	@echo 'make agents        train the agents that readers of the site can watch (a quarter of an hour)'
	@echo 'make test-states   try invalid states and parameters of every id, in pools and in JAX, under sanitizers (an hour; STATES_ARGS=--help)'
	@echo 'make tsan asan     run the C++ tests of pools under ThreadSanitizer; all under Address- and UndefinedBehaviorSanitizer'
	@echo 'make exact         compare every Atari game and mode with ale-py, for hours (EXACT_ARGS=--help)'
	@echo "make exact-mujoco  compare MuJoCo's environments with gymnasium over whole episodes, for minutes"
	@echo 'make bench         measure this package and the released EnvPool in turn (minutes; BENCH_ARGS=--help)'
	@echo 'make bench-atari   the same for twenty Atari games, ale-py and gymnasium too'
	@echo "make bench-mujoco  the same for MuJoCo's environments, with gymnasium, MuJoCo's rollout and a plain loop too"
	@echo 'make bench-all     make every table and chart, with all peers in their own environments (two hours; BENCH_ARGS=--quick)'
	@echo 'make bench-check   fail if we have become slower, relative to plain loops, than benchmark/baseline.json says (a minute)'
	@echo 'make wheel         build build/wheel/envpool_unified-*.whl and try every id of it in an empty environment'
	@echo 'make wheels        the same for each Python 3.10 to 3.14 of this machine, with auditwheel and twine (WHEELS_ARGS=3.12)'
	@echo 'make sdist         build build/sdist/*.tar.gz'
	@echo 'make cibuildwheel  build the wheels of this platform in containers, as a release does (needs Docker)'
	@echo 'make release-check compare the tag TAG=v1.2.3 with the files that name the version'
	@echo 'make test-matrix   test the interfaces with old and new versions of Python, NumPy, gymnasium and JAX (an hour)'
	@echo 'make test-aarch64  compile for Linux on aarch64 and test in qemu-user (Debian: qemu-user, g++-aarch64-linux-gnu)'
	@echo 'make cross         compile for Windows and macOS, and run the C++ tests for Windows in Wine (Debian: mingw-w64, wine64)'
	@echo 'make test-bazel    build and run the C++ tests with Bazel, without a network (Debian: bazel-bootstrap)'
	@echo 'make clean-roots   install a wheel in clean Debian 12 and 11 systems (Debian, as root: mmdebstrap)'
	@echo 'make clean         remove build/'

# --- virtual environments ---

$(VENV)/%/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo 'envpool needs Python 3.10 or newer, such as: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)/$* \
	  || { rm -rf $(VENV)/$*; echo 'python -m venv failed (Debian, Ubuntu: install python3-venv)' >&2; exit 1; }
	@$@ -m pip install -q 'pip>=25.1'

# Each environment has the packages of the dependency group with the same name. The link to our tests is removed first,
# because pgx installs a folder with the same name, whose files pip would write into the checkout.
$(VENV)/%/.ready: pyproject.toml | $(VENV)/%/bin/python
	@echo 'installing what $* needs'
	@find $(VENV)/$*/lib -maxdepth 3 -name tests -type l -delete
	@$(VENV)/$*/bin/python -m pip install -q --group $*
	@$(if $(WITHOUT_REQUIREMENTS),$(VENV)/$*/bin/python -m pip install -q --no-deps --group $(WITHOUT_REQUIREMENTS))
	@touch $@

$(VENV)/test/.ready $(VENV)/dev/.ready $(VENV)/docs/.ready $(VENV)/bench/.ready: WITHOUT_REQUIREMENTS := vizdoom

# --- the package ---

# Installs the wheel in the folder $(2) into the environment $(1). A distribution named envpool, such as an older build of
# ours, is uninstalled first, because it has files in the same places. Tests are imported as `tests`, through a link to
# the checkout's folder. The checkout itself is not on sys.path, because its folder envpool is not the installed package.
install = $(VENV)/$(1)/bin/python -m pip uninstall -q -y envpool 2>/dev/null; \
  $(VENV)/$(1)/bin/python -m pip install -q --no-deps --force-reinstall $(2)/envpool_unified-*.whl \
  && $(call site,$(1)) && $(link_tests)

# Some packages install a folder of their own tests under this name.
link_tests = rm -rf "$$site/tests" && ln -s "$(CURDIR)/tests" "$$site/tests"

# Sets the shell's variable `site` to the folder where the environment $(1) has its packages.
site = site="$$($(VENV)/$(1)/bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"

# The wheel for users. It is built from the sdist, runs on every Linux that is not older than this one, and is tested in an
# empty environment.
wheel: build/wheel/.checked

build/wheel/.made: $(SOURCES) $(VENV)/wheel/.ready
	@rm -rf build/wheel
	@echo 'making the sdist, and a wheel of it'
	@$(VENV)/wheel/bin/python -m build -o build/wheel/made . > build/wheel.log 2>&1 || { cat build/wheel.log; exit 1; }
	@touch $@

build/wheel/.built: build/wheel/.made
	@PATH="$(CURDIR)/$(VENV)/wheel/bin:$$PATH" $(VENV)/wheel/bin/auditwheel repair \
	  $(addprefix --exclude ,$(OTHERS_LIBRARIES)) -w build/wheel build/wheel/made/envpool_unified-*.whl > build/repair.log 2>&1 \
	  || { cat build/repair.log; exit 1; }
	@touch $@

# Libraries that a family takes from another installed package. The wheel does not contain them.
OTHERS_LIBRARIES := libmujoco.so.3.17.0 libmujoco.so.4.0.0

build/wheel/.checked: build/wheel/.built tools/check_wheel.py
	@rm -rf $(VENV)/empty
	@$(PYTHON) -m venv $(VENV)/empty
	@wheel="$$(echo build/wheel/envpool_unified-*.whl)" \
	  && $(VENV)/empty/bin/python -m pip install -q "$$wheel[atari,dmc,vizdoom]" 'envpool-assets==0.4.1; python_version >= "3.11"' 'Pillow>=10' \
	  && $(VENV)/empty/bin/python -m pip install -q --no-deps craftax==1.6.1 'jumanji==1.1.2; python_version >= "3.11"' \
	  && PYTHONSAFEPATH=1 $(VENV)/empty/bin/python tools/check_wheel.py --wheel="$$wheel"
	@touch $@

# Wheels for each Python of this machine, each tried in an empty environment. WHEELS_ARGS=3.12 builds one of them, and
# WHEELS_ARGS=--glibc=2.31 links them on Debian 12 so that they run on Debian 11 too.
wheels: $(VENV)/wheel/.ready
	@$(VENV)/wheel/bin/python tools/wheels.py $(WHEELS_ARGS)

# Installs a wheel in clean systems, Debian 12 and 11, and runs the README's first program there. Builds the wheel unless
# WHEEL names one.
clean-roots: $(VENV)/wheel/.ready
	@if [ -z "$(WHEEL)" ]; then $(VENV)/wheel/bin/python tools/wheels.py --glibc=2.31 3.11; fi
	@wheel="$(WHEEL)"; $(VENV)/wheel/bin/python tools/clean_roots.py "$${wheel:-$$(echo build/wheels/*-cp311-*.whl)}" \
	  $(ROOTS)

sdist: $(VENV)/wheel/.ready
	@rm -rf build/sdist
	@$(VENV)/wheel/bin/python -m build --sdist -o build/sdist . > build/sdist.log 2>&1 || { cat build/sdist.log; exit 1; }
	@$(VENV)/wheel/bin/python -m twine check --strict build/sdist/*.tar.gz

# Builds from the sdist, so that the container needs no git.
cibuildwheel: sdist $(VENV)/cibuildwheel/.ready
	$(VENV)/cibuildwheel/bin/cibuildwheel --output-dir build/cibuildwheel build/sdist/*.tar.gz

release-check:
	@$(PYTHON) tools/check_release.py "$(TAG)"

$(VENV)/%/.installed: build/wheel/.built $(VENV)/%/.ready
	@$(call install,$*,build/wheel)
	@touch $@

# --- demo ---

demo: $(VENV)/demo/.demo
	$(VENV)/demo/bin/python examples/demo.py --sheet=build/pong.png $(DEMO_ARGS)

$(VENV)/demo/.demo: $(SOURCES) $(VENV)/demo/.ready
	@echo 'compiling and installing envpool'
	@$(VENV)/demo/bin/python -m pip install -q '.[atari]'
	@touch $@

# --- tests ---

# Compiles what a change affects, and runs the tests of the changed files: tools/dev.py says how.
dev: build/dev/.installed standin
	@$(call site,dev) && $(link_tests)
	@PATH="$(CURDIR)/$(VENV)/dev/bin:$$PATH" python tools/dev.py -- $(TESTS)

# An editable installation: Python's files are those of the checkout. Each environment is compiled by itself.
build/dev/.installed: | $(VENV)/dev/.ready
	@echo 'compiling envpool for make dev; this takes several minutes, and happens once'
	@PATH="$(CURDIR)/$(VENV)/dev/bin:$$PATH" python -m pip install -q --no-build-isolation --no-deps --editable . \
	  -Cbuild-dir=build/dev -Ccmake.build-type=None -Ccmake.define.CMAKE_CXX_FLAGS=-O0 \
	  -Ccmake.define.ENVPOOL_TESTING=ON -Ccmake.define.ENVPOOL_SPLIT_FAMILIES=ON
	@touch $@

test: build/test/.installed
	@$(MAKE) --no-print-directory cpp-test
	@$(MAKE) --no-print-directory test-mujoco4
	@$(MAKE) --no-print-directory py-test

# Runs, without sampling, the tests that `make test` samples; CONTRIBUTING.md lists them.
test-all: export ENVPOOL_TEST_SAMPLES := whole
test-all: export ENVPOOL_TEST_DEVICE := whole
test-all: export ENVPOOL_TEST_WEAK_MEMORY := whole
test-all: test

cpp-test: build/test/.installed
	$(IN_TEST_VENV) ctest --test-dir build/test --output-on-failure -j $(JOBS)

# Tests import the installed package. Processes take the test files in the order of their paths, in which the slowest files
# come early.
py-test: say-what-is-built build/test/.installed build/mujoco4/.ready standin
	@echo 'running the Python tests, which takes about a quarter of an hour on two cores (fewer: PYTEST_ARGS="-k WORD")'
	@$(call pytest,test) -n $(JOBS) --dist loadfile --no-loadscope-reorder --durations=15 --pyargs tests $(PYTEST_ARGS)

# Compares with gymnasium on MuJoCo 4.0.0, in the environment of the other tests, which have MuJoCo 3.17.0. Our robots keep
# the bits of MuJoCo 3.17.0, so their images are not compared after a step.
test-mujoco4: build/test/.installed build/mujoco4/.ready
	@if [ ! -d build/mujoco4/mujoco ]; then echo 'MuJoCo 4.0.0 needs Python 3.11'; exit; fi; \
	  PYTHONPATH="$(CURDIR)/build/mujoco4" && export PYTHONPATH \
	  && ($(call pytest,test) -n $(JOBS) --dist loadfile --pyargs $(patsubst %,tests.mujoco.%_test,$(MUJOCO4_TESTS))) \
	  && $(call pytest,test) --pyargs tests.mujoco.render_test -k 'equal_those_of and not dm_control and not envpool'

MUJOCO4_TESTS := gym gym_state gym_reset gym_error custom_model model_options observation_tables

# A folder that comes before the environment's packages on sys.path.
build/mujoco4/.ready: pyproject.toml | $(VENV)/test/.ready
	@rm -rf $(@D) && mkdir -p $(@D)
	@$(VENV)/test/bin/python -m pip install -q --no-deps --target=$(@D) --group mujoco4
	@touch $@

# Tests GPU kernels: their machine code, and their results on the stand-in for the CUDA driver. `make test` takes a sample.
# It needs no GPU.
test-device: build/test/.installed standin
	@export ENVPOOL_TEST_DEVICE=whole ENVPOOL_TEST_SAMPLES=whole \
	  && $(call pytest,test) -n $(JOBS) --dist loadfile --pyargs tests.cuda.pool_test tests.core.device_compile_test \
	  tests.cuda tests.standin tests.proof $(PYTEST_ARGS)

# Runs the tests of envpool.jax with the handlers for GPUs, which XLA's CPU backend calls with the stand-in's flat memory.
test-jax-device: export ENVPOOL_TEST_ONE_IN ?= 4
test-jax-device: build/test/.installed standin
	@export ENVPOOL_LIBCUDA="$(CURDIR)/build/standin/libcuda.so.1" ENVPOOL_STANDIN_MODE=flat ENVPOOL_STANDIN_XLA=1 \
	  && $(call pytest,test) -n $(JOBS) --dist loadfile -W "ignore:.*stand-in:RuntimeWarning" \
	  --pyargs $(addprefix tests.jax.,$(addsuffix _test,same_bits worlds words rows bad_input hostile_calls params lifetime pool \
	  pool_bad_input gymnax1 device_pool wide unfinished exit)) $(PYTEST_ARGS)

# A library with the CUDA driver's API that runs PTX on the host. It needs python3 and a C compiler at run time.
standin: build/standin/libcuda.so.1

build/standin/libcuda.so.1: $(filter-out %_test.py,$(wildcard tests/standin/*.cc tests/standin/*.h tests/standin/ptx*.py))
	@mkdir -p $(@D)
	$(CXX) -std=c++20 -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden -Wl,-soname,libcuda.so.1 \
	  -DENVPOOL_STANDIN_DIR='"$(CURDIR)/tests/standin"' $(filter %.cc,$^) -o $@ -ldl -lpthread

# Writes build/gpu-kit: what a machine with a GPU and without a network needs for tools/gpu_visit.sh (docs/gpu.md). The
# package is compiled for DEVICE_PYTHON, and kernels for GPU_ARCHITECTURES. RESULTS are the results of earlier visits, if
# there are any.
gpu-kit: build/device/.made
	@ENVPOOL_CACHE_DIR="$(CURDIR)/build/gpu-kernels" $(VENV)/gpu-kit/bin/python tools/gpu_kit.py --wheels=build/device \
	  --out=build/gpu-kit --results="$(RESULTS)" --jobs=$(JOBS) $(GPU_ARCHITECTURES)

$(VENV)/gpu-kit/bin/python: PYTHON := $(DEVICE_PYTHON)

build/device/.made: $(SOURCES) $(VENV)/gpu-kit/.ready
	@rm -rf build/device
	@echo 'compiling envpool for $(DEVICE_PYTHON)'
	@PATH="$(CURDIR)/$(VENV)/gpu-kit/bin:$$PATH" python -m pip wheel -q --no-build-isolation --no-deps \
	  -w build/device -Cbuild-dir=build/device-cmake .
	@$(VENV)/gpu-kit/bin/python -m pip download -q --no-deps --only-binary=:all: -d build/device --group gpu-kit-packages
	@$(VENV)/gpu-kit/bin/python -m pip download -q --no-deps -d build/device/peers --group gpu-kit-peers
	@$(VENV)/gpu-kit/bin/python -m pip install -q --no-index --no-deps --force-reinstall build/device/*.whl
	@touch $@

# Writes what visits have measured into docs/gpu.md, a section for each GPU.
gpu-page: build/test/.installed
	@$(call installed,test,python) -m tests.proof.page "$(abspath $(RESULTS))" "$(CURDIR)/docs/gpu.md"

# The tests of the interfaces. They also run in other virtual environments, with other versions of gym and gymnasium.
INTERFACE_TESTS := $(patsubst %,tests.python.%_test,registry specs interfaces batches episodes copies)

# Tests the gym interface with an old and a new version of gym.
test-gym: build/test/.installed $(VENV)/gym/.ready
	@$(call install,gym,build/test/wheel)
	@for version in 0.23.1 0.26.2; do \
	  $(VENV)/gym/bin/python -m pip install -q gym==$$version && echo "gym $$version" \
	    && ($(call pytest,gym) -W ignore --pyargs $(INTERFACE_TESTS)) || exit 1; \
	done

# Compares games and the public attributes of environments with the released EnvPool, and tag with WarpDrive.
test-peer: build/test/.installed $(VENV)/peer/.ready $(VENV)/warp-drive/.reference
	@ENVPOOL_PEER_PYTHON="$(CURDIR)/$(VENV)/peer/bin/python" && export ENVPOOL_PEER_PYTHON \
	  && ENVPOOL_WARP_DRIVE_PYTHON="$(CURDIR)/$(VENV)/warp-drive/bin/python" && export ENVPOOL_WARP_DRIVE_PYTHON \
	  && $(call pytest,test) --pyargs tests.atari.peer_test tests.minigrid.peer_test tests.python.peer_test \
	  tests.tag.warp_drive_test \
	  $(PYTEST_ARGS)

# WarpDrive's requirements include PyCUDA, which needs a CUDA toolkit; the classes that we compare with need neither.
$(VENV)/warp-drive/.reference: $(VENV)/warp-drive/.ready
	@$(VENV)/warp-drive/bin/python -m pip install -q --no-deps rl-warp-drive==2.7.1
	@touch $@

# Tests the oldest JAX that envpool.jax supports, and gymnax 1. `make test` has the newest JAX and gymnax 0.0.9.
test-jax: export ENVPOOL_TEST_ONE_IN ?= 3
test-jax: build/test/.installed $(VENV)/jax/.ready $(VENV)/gymnax1/.ready
	@for venv in jax gymnax1; do \
	  $(call install,$$venv,build/test/wheel) || exit 1; \
	done
	@$(call pytest,jax) --pyargs tests.jax -k 'CartPole or Crowd or offsets or inside or mapped or parts or equal_calls or errors or refused or succeed or memory or lifetime'
	@$(call pytest,gymnax1) --pyargs tests.jax.gymnax1_test

# Tests pools over several machines, on a cluster that the tests start.
test-ray: build/test/.installed $(VENV)/ray/.ready
	@$(call install,ray,build/test/wheel)
	@$(call pytest,ray) --pyargs tests.ray $(PYTEST_ARGS)
	@$(call pytest,ray) --pyargs tests.python.library_pages_test tests.python.typing_test -k 'ray or annotations'
	cd build && OMP_NUM_THREADS=1 "$(CURDIR)/$(VENV)/ray/bin/python" ../examples/rllib_ppo.py --target=200 --require_return=200

exact: build/test/.installed
	@$(call installed,test,python) -m tests.atari.sweep --json="$(CURDIR)/build/exact.json" $(EXACT_ARGS)

exact-mujoco: build/test/.installed
	@$(call installed,test,python) -W ignore -m tests.mujoco.gym_sweep $(EXACT_ARGS)

# Runs the program $(2) of the environment $(1) in the folder where its packages are installed.
installed = $(call site,$(1)) && cd "$$site" \
  && ENVPOOL_TEST_LIB_DIR="$(CURDIR)/build/test/test_libs" ENVPOOL_SOURCE_DIR="$(CURDIR)" PYTHONSAFEPATH=1 \
     "$(CURDIR)/$(VENV)/$(1)/bin/$(2)"

pytest = $(call installed,$(1),pytest) -c "$(CURDIR)/pyproject.toml" --rootdir="$$site" \
     -o cache_dir="$(CURDIR)/build/test/pytest_cache"

# Says before the first build how long it takes. `make -q` finds out whether something is to be built.
say-what-is-built:
	@$(MAKE) -q --no-print-directory build/test/.installed >/dev/null 2>&1 \
	  || echo 'first: installing packages and compiling envpool and its C++ tests, up to ten minutes on two cores'

# Compiles the wheel that users get and, in the same build tree, the C++ tests and the libraries that only tests load.
build/test/.installed: $(SOURCES) $(CPP_TESTS) $(VENV)/test/.ready
	@echo 'compiling and installing envpool, and its C++ tests'
	@rm -rf build/test/wheel
	@$(IN_TEST_VENV) ENVPOOL_TESTING=1 python -m pip wheel -q --no-build-isolation --no-deps -w build/test/wheel .
	@$(call install,test,build/test/wheel)
	@touch $@

# Tests the interfaces with old and new versions of Python and of the packages that users have.
test-matrix: $(VENV)/wheel/.ready
	@$(VENV)/wheel/bin/python tools/matrix.py $(MATRIX_ARGS)

# Compiles for another processor and runs the C++ tests and some Python tests in an emulator.
test-aarch64: $(VENV)/test/.ready
	@$(IN_TEST_VENV) python tools/aarch64.py $(AARCH64_ARGS)

# Compiles for Windows, where the C++ tests run in Wine, and for macOS, whose programs cannot be run here.
cross: $(VENV)/test/.ready
	@$(IN_TEST_VENV) python tools/cross.py $(CROSS_ARGS)

test-bazel: $(VENV)/test/.ready
	@$(IN_TEST_VENV) ENVPOOL_PYTHON="$(CURDIR)/$(VENV)/test/bin/python" python tools/bazel_offline.py test --jobs=$(JOBS) \
	  //... $(BAZEL_ARGS)

# Each library trains through its own EnvPool or gymnasium adapter, until the mean return has risen.
test-clients: test-gym test-jax build/test/.installed standin $(VENV)/clients/.ready $(VENV)/clients-old/.ready \
  $(VENV)/clients/gym-0.23.1 $(VENV)/clients/gym-0.26.2
	@for venv in clients clients-old; do \
	  $(call install,$$venv,build/test/wheel) || exit 1; \
	done
	@$(call pytest,clients) --pyargs tests.python.sb3_envpool_test tests.python.pettingzoo_envpool_test
	@$(call pytest,clients) --pyargs tests.python.gymnasium_vector_test tests.python.typing_test -k 'torch or video or annotations'
	@$(call pytest,clients) --pyargs tests.python.library_pages_test -k 'not torchrl'
	@export PYTHONPATH="$(CURDIR)/$(VENV)/clients/gym-0.26.2" \
	  && $(call pytest,clients) --pyargs tests.python.library_pages_test -k torchrl
	@$(call pytest,clients-old) --pyargs tests.python.library_pages_test -k sample_factory
	@$(call pytest,clients) --pyargs tests.python.torch_examples_test tests.python.torch_device_test
	@$(call pytest,clients-old) --pyargs $(INTERFACE_TESTS)
	@$(call pytest,clients) --durations=0 --durations-min=1 --pyargs tests.python.training_examples_test
	@$(call pytest,clients-old) --durations=0 --durations-min=1 --pyargs tests.python.training_examples_test -k 'sample_factory or sf_examples'

# gym, for the examples that need it in addition to gymnasium.
$(VENV)/clients/gym-%: $(VENV)/clients/.ready
	@$(VENV)/clients/bin/python -m pip install -q --no-deps --target=$@ gym==$* gym-notices
	@touch $@

# --- sanitizers ---

tsan asan: $(VENV)/test/.ready
	$(IN_TEST_VENV) cmake --preset $@ > build/$@.log || { cat build/$@.log; exit 1; }
	$(IN_TEST_VENV) cmake --build --preset $@ -j $(JOBS)
	$(IN_TEST_VENV) $(NO_ASLR) ctest --preset $@ -j $(JOBS)

# Tests the package compiled with sanitizers. An ordinary Python loads the package, so two things are preloaded: the
# sanitizers' runtimes, and the C++ library, whose exceptions they intercept.
test-states: build/states/.installed
	@cd build/states/site && LD_PRELOAD="$(foreach name,asan ubsan stdc++,$(shell $${CXX:-g++} -print-file-name=lib$(name).so))" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONPATH="$(CURDIR)/build/states/site" JAX_PLATFORMS=cpu \
	  "$(CURDIR)/$(VENV)/test/bin/python" -m tests.support.mutate_states --json="$(CURDIR)/build/states.json" $(STATES_ARGS)

build/states/.installed: $(SOURCES) $(VENV)/test/.ready
	@echo 'compiling envpool with sanitizers'
	@rm -rf build/states/wheel build/states/site
	@$(IN_TEST_VENV) python -m pip wheel -q --no-build-isolation --no-deps -w build/states/wheel \
	  -Cbuild-dir=build/states/cmake -Ccmake.build-type=None -Ccmake.define.CMAKE_CXX_FLAGS=-O1 \
	  -Ccmake.define.ENVPOOL_SANITIZE=address,undefined .
	@$(VENV)/test/bin/python -m pip install -q --no-deps --target=build/states/site build/states/wheel/envpool_unified-*.whl
	@ln -sfn "$(CURDIR)/tests" build/states/site/tests
	@touch $@

# Older sanitizer runtimes cannot place their shadow memory if the kernel randomizes addresses widely.
NO_ASLR := $(shell setarch $$(uname -m) -R true 2>/dev/null && echo setarch $$(uname -m) -R)

# --- lint ---

lint: $(VENV)/lint/.ready
	@failed=0; for check in 'clang-format --dry-run --Werror $(CPP)' 'ruff check -q .' 'ruff format -q --check .' mypy \
	  'python tools/check_commits.py' 'actionlint $(wildcard .github/workflows/*.yml)'; do \
	  echo "$$check" | cut -c -80; $(VENV)/lint/bin/$$check || failed=1; \
	done; exit $$failed

format: $(VENV)/lint/.ready
	$(VENV)/lint/bin/clang-format -i $(CPP)
	$(VENV)/lint/bin/ruff check -q --fix-only .
	$(VENV)/lint/bin/ruff format -q .

# --- files derived from the registry; tests fail if they are stale ---

# Writes the type stubs, the tables of the pages, golden hashes of trajectories, and the budgets, instruction counts
# and memory requests of kernels. Existing hashes, budgets and counts are kept: to renew one, delete its row.
generated: build/test/.installed standin
	@export PYTHONPATH="$(CURDIR)/tools" && $(call installed,test,python) "$(CURDIR)/tools/mujoco_tables.py"
	@$(call installed,test,python) -m tests.support.signatures "$(CURDIR)/envpool/_signatures.pyi"
	@$(call installed,test,python) -m tests.support.tables "$(CURDIR)/docs/environments.md"
	@$(call installed,test,python) -m tests.support.trajectories "$(CURDIR)/tests/support/golden.csv"
	@$(call installed,test,python) -m tests.support.option_values "$(CURDIR)/tests/support/option_values.csv"
	@$(call installed,test,python) -m tests.cuda.machine_code "$(CURDIR)/tests/cuda/kernel_budgets.csv"
	@$(call installed,test,python) -m tests.standin.rooflines \
	  "$(CURDIR)/tests/standin/kernel_work.csv" "$(CURDIR)/docs/gpu.md"
	@$(call installed,test,python) -m tests.standin.sectors \
	  "$(CURDIR)/tests/standin/kernel_sectors.csv" "$(CURDIR)/docs/gpu.md"

# --- the site ---

docs: say-what-is-built build/test/.installed $(VENV)/docs/.ready
	@echo 'building the site in build/docs, which takes about six minutes on two cores (faster: DOCS_ARGS=--no-playable)'
	@$(call install,docs,build/test/wheel)
	$(VENV)/docs/bin/python docs/site/build.py $(DOCS_ARGS)

# Draws the figures of the README from environments and from the tables in docs/.
figures: build/test/.installed $(VENV)/docs/.ready
	@$(call install,docs,build/test/wheel)
	$(VENV)/docs/bin/python docs/site/figures.py
	$(VENV)/docs/bin/python docs/site/step_pictures.py

# Follows the pages from an empty folder to a trained agent and a film of one's own game.
first-minutes:
	@$(PYTHON) tools/first_minutes.py --page docs/first_minutes.md --limit 300

# Trains the agents that readers of the site can watch. Their networks are kept in the repository.
agents: build/test/.installed
	$(VENV)/test/bin/python docs/site/agents.py

docs-browse: docs
	$(VENV)/docs/bin/python docs/site/browse.py $(BROWSE_ARGS)
	ENVPOOL_TEST_LIB_DIR="$(CURDIR)/build/test/test_libs" $(VENV)/docs/bin/python docs/site/replay.py

# --- benchmark ---

bench: $(VENV)/bench/.installed
	$(VENV)/bench/bin/python benchmark/pool.py --json=build/bench.json $(BENCH_ARGS)

bench-atari: $(VENV)/bench/.installed
	$(VENV)/bench/bin/python benchmark/atari.py --json=build/bench-atari.json $(BENCH_ARGS)

bench-mujoco: $(VENV)/bench/.installed
	$(VENV)/bench/bin/python benchmark/mujoco.py --json=build/bench-mujoco.json $(BENCH_ARGS)

# First makes a virtual environment for each peer, about 2 GB in all. Results are in build/bench.
bench-all: $(VENV)/bench/.installed $(patsubst %,$(VENV)/%/.ready,peer bench-ale bench-gymnasium bench-gymnax bench-rollout)
	$(VENV)/bench/bin/python benchmark/suite.py $(BENCH_ARGS)

# Compares with references that need only the tests' virtual environment.
bench-check: build/test/.installed
	@$(VENV)/test/bin/python benchmark/check.py $(BENCH_ARGS)

bench-baseline: build/test/.installed
	@$(VENV)/test/bin/python benchmark/check.py --write=8 $(BENCH_ARGS)

clean:
	rm -rf build
