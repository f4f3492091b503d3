# SPDX-License-Identifier: Apache-2.0
"""NVIDIA GPUs: the driver, the compiler of kernels with the cache of what it makes, and pools on a device.

Nothing here is imported by `import envpool`; `make(..., device="cuda")` imports it (docs/gpu.md).
"""

from envpool._core import DeviceArray

__all__ = ["DeviceArray"]
