# SPDX-License-Identifier: Apache-2.0
"""The tests of gymnax's miscellaneous environments share these modules."""
