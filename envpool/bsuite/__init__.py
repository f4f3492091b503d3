# SPDX-License-Identifier: Apache-2.0
"""The behaviour suite: Catch, DeepSea, DiscountingChain, MemoryChain, UmbrellaChain, SimpleBandit, as in gymnax."""

from envpool.python.import_paths import members

__getattr__, __dir__ = members(__name__)
