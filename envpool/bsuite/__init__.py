# SPDX-License-Identifier: Apache-2.0
"""The behaviour suite, as in gymnax: Catch, DeepSea, DiscountingChain, MemoryChain, UmbrellaChain and SimpleBandit."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
