# SPDX-License-Identifier: Apache-2.0
"""Toy text: Catch, FrozenLake, Taxi, NChain, CliffWalking and Blackjack."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
