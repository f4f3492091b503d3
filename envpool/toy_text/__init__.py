# SPDX-License-Identifier: Apache-2.0
"""Toy text: Catch, FrozenLake, Taxi, NChain, CliffWalking, Blackjack."""
