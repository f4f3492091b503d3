# SPDX-License-Identifier: Apache-2.0
"""The tests of toy text share these modules."""
