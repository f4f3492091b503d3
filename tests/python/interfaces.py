# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests that run with each of the interfaces of gymnasium, gym and dm_env."""

import dm_env
import gymnasium
import pytest

import envpool
import tests.environments.registration  # noqa: F401  (registers the test environments)
from tests.support.waiting import promptly

# The options that select each interface.
INTERFACES = {
    "gymnasium": {"env_type": "gymnasium"},
    "classic": {"env_type": "gym", "step_api": "classic"},
    "dm": {"env_type": "dm"},
}


def make(interface, task_id="Counter-v0", **options):
    return envpool.make(task_id, **{**INTERFACES[interface], **options})


def observation_of(result):
    """Returns the observation in the return value of `reset`, `step` or `recv` of any interface."""
    if isinstance(result, dm_env.TimeStep):
        return result.observation.obs
    return result[0] if isinstance(result, tuple) else result


def autoreset_constant(name):
    """Returns gymnasium's constant for an autoreset mode, or the name itself before gymnasium 1.1."""
    modes = getattr(gymnasium.vector, "AutoresetMode", None)
    return modes[name.upper()] if modes else name


def raises_quickly(call, error, *words):
    """Checks that a call raises an error promptly. The text must begin with the id and contain the words."""
    with promptly(), pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert text.startswith("["), text
    for word in words:
        assert word in text, text
    assert len(text) < 1500
