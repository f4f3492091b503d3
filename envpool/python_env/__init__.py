# SPDX-License-Identifier: Apache-2.0
"""Pools of a user's own Python environments, which run in worker processes."""
