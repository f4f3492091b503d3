# SPDX-License-Identifier: Apache-2.0
"""Environments that are not of this package: compiled from a header at run time, or installed as a package."""
