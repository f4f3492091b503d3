# SPDX-License-Identifier: Apache-2.0
"""Environments that only tests make. Importing `envpool.testing.registration` registers them."""
