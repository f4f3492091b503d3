# SPDX-License-Identifier: Apache-2.0
"""The behaviour suite: Catch, DeepSea, DiscountingChain, MemoryChain, UmbrellaChain, SimpleBandit, as gymnax has them."""
