# SPDX-License-Identifier: Apache-2.0
"""Tests that environments use the values of all their options, with trajectories that were recorded once."""

from __future__ import annotations

import pytest

from tests.support import option_values
from tests.support.option_values import hash_of, portable, recorded, settings, tunable


def test_every_table_is_recorded():
    assert list(recorded()) == portable()


@pytest.mark.parametrize("task_id", portable())
def test_trajectories_under_random_values_are_the_recorded_ones(task_id):
    assert hash_of(task_id) == recorded()[task_id]


def test_another_value_gives_another_hash(monkeypatch):
    changed = [{**options, "gravity": 9.75} for options in settings("CartPole-v0")]
    monkeypatch.setattr(option_values, "settings", lambda task_id: changed)
    assert hash_of("CartPole-v0") != recorded()["CartPole-v0"]


def test_settings_differ_from_the_defaults():
    for task_id in portable():
        changed = {name for options in settings(task_id) for name in options}
        assert len(changed) >= len(tunable(task_id)) / 2, task_id
