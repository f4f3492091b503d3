# SPDX-License-Identifier: Apache-2.0
"""MinAtar: Asterix, Breakout, Freeway, SpaceInvaders, Seaquest."""
