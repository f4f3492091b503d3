# SPDX-License-Identifier: Apache-2.0
"""Support for NVIDIA GPUs: the driver, the kernel compiler and its cache, and pools on a device.

Nothing here is imported by `import envpool`; `make(..., device="cuda")` imports it (docs/gpu.md).
"""

from envpool._core import DeviceArray

__all__ = ["DeviceArray"]
