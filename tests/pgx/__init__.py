# SPDX-License-Identifier: Apache-2.0
"""Modules that the tests of pgx's games share."""
