# SPDX-License-Identifier: Apache-2.0
"""Code that only the tests of this family use."""
