# SPDX-License-Identifier: Apache-2.0
"""A chi-square test of observed outcomes against expected probabilities."""

import pytest
from scipy import stats

SMALLEST_P = 1e-3  # the smallest accepted p-value; seeds are fixed, so a test that passes once always passes


class ChiSquare:
    """A chi-square test over many distributions at once."""

    def __init__(self):
        self.statistic, self.freedom = 0.0, 0

    def add(self, seen, probabilities):
        """Adds a distribution: counts and probabilities by outcome. An impossible outcome fails at once."""
        assert set(seen) <= set(probabilities), set(seen) - set(probabilities)
        assert sum(probabilities.values()) == pytest.approx(1)
        total = sum(seen.values())
        for outcome, probability in probabilities.items():
            expected = total * probability
            self.statistic += (seen.get(outcome, 0) - expected) ** 2 / expected
        self.freedom += len(probabilities) - 1

    def check(self):
        """Fails if the counts deviate too much from the probabilities, or agree with them too well."""
        if self.freedom == 0:
            return
        pvalue = stats.chi2.sf(self.statistic, self.freedom)
        print(f"chi-square {self.statistic:.1f} with {self.freedom} degrees of freedom, p = {pvalue:.4f}")
        assert SMALLEST_P < pvalue < 1 - SMALLEST_P
