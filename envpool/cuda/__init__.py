# SPDX-License-Identifier: Apache-2.0
"""Support for NVIDIA GPUs: the driver, the kernel compiler and its cache, and pools on a device.

`import envpool` imports nothing from this package; `make(..., device="cuda")` does (docs/gpu.md).
"""

from envpool._core import DeviceArray

__all__ = ["DeviceArray"]
