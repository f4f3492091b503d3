# SPDX-License-Identifier: Apache-2.0
"""Runs the command `envpool` for `python -m envpool`."""

from envpool.cli import main

main()
