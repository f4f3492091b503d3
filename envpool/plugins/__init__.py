# SPDX-License-Identifier: Apache-2.0
"""Third-party environments: compiled from a header at run time, or installed as a package."""
