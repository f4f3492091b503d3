# SPDX-License-Identifier: Apache-2.0
"""The faces of a pool: gymnasium, gym and dm_env."""
