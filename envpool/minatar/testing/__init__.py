# SPDX-License-Identifier: Apache-2.0
"""The tests of MinAtar share these modules."""
