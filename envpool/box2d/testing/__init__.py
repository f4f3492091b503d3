# SPDX-License-Identifier: Apache-2.0
"""What only the tests of this family use."""
