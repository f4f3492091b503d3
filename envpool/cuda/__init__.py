# SPDX-License-Identifier: Apache-2.0
"""NVIDIA GPUs: the driver, the compiler of kernels, and the cache of what it makes.

Nothing here is imported by `import envpool`, and nothing here steps an environment: pools run on the CPU (docs/gpu.md).
"""
