# SPDX-License-Identifier: Apache-2.0
"""`python -m envpool` is the command `envpool`."""

from envpool.cli import main

main()
