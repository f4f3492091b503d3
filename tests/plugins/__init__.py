# SPDX-License-Identifier: Apache-2.0
"""Code that the tests of `envpool.compile` share."""
