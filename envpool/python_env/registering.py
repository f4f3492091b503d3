# SPDX-License-Identifier: Apache-2.0
"""Implements `register_python`, which gives an id to a user's Python environment. Its pools run it in processes."""

from __future__ import annotations

import contextlib
import inspect
import io
import operator
import os
import pickle
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from envpool.python.common_options import COMMON_OPTIONS, RESERVED_INFOS, RESERVED_KEYWORDS
from envpool.python.errors import labelled
from envpool.python.family import Family, Value
from envpool.python.options import shown, wrong_type
from envpool.python.registry import Registration, add, library_of, list_all_envs
from envpool.python_env import worker
from envpool.python_env.spaces import check_infos, describe

_FOLDER = "python_env"
_RUN = 256  # environments that a thread of the pool waits for at a time
_WORKER_OPTIONS = ("num_workers", "worker_timeout")


class PythonEnvs(Family):
    """The hooks of one Python environment. Pickling keeps the function by value if it is not importable.

    Args:
        function: the pickled function that makes an environment.
        options: the names of its keywords that are options of `make`.
        takes_env_id: whether it also takes the number of the environment.
        info: the keys of `info` that the pool returns, with their spaces or dtypes.
    """

    def __init__(self, function: bytes, options: Sequence[str], takes_env_id: bool, info: Mapping[str, Any]) -> None:
        super().__init__()
        self._function, self._options = function, tuple(options)
        self._takes_env_id, self._info = takes_env_id, dict(info)
        self._known: dict[tuple[Value, ...], dict[str, Any]] = {}

    def __reduce__(self) -> Any:
        return PythonEnvs, (self._function, self._options, self._takes_env_id, self._info)

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Sets the number of threads so that they can wait for all calls that can be under way at a time."""
        plain = dict(caller_options)
        if "num_envs" not in plain:  # one environment, or an entry of env_options
            return plain
        try:
            envs = max(1, operator.index(plain["num_envs"]))
            batch = operator.index(plain.get("batch_size", 0)) or envs
        except TypeError:
            return plain  # reported when the options are checked
        if not plain.get("num_threads"):
            plain["num_threads"] = min(envs if batch < envs else -(-envs // _RUN), 256)
        return plain

    def prepare(self, task_id: str, options: dict[str, Any]) -> dict[str, Any]:
        """Adds the arrays of the environment and the program of its workers.

        The first call with these options makes an environment in this process, to read its spaces, and closes it.

        Raises:
            TypeError, ValueError: the environment has no spaces, or spaces that pools do not support.
            RuntimeError: the environment's constructor raised an exception, or there is no Python interpreter to run.
        """
        own = {name: options[name] for name in self._options}
        key = tuple(own.values())
        if key not in self._known:
            self._known[key] = self._program(task_id, own)
        return {name: options[name] for name in _WORKER_OPTIONS} | self._known[key]

    def pickled_reset_options(self, options: Mapping[str, Any]) -> bytes:
        """Returns a pickle of the options, which the workers pass to the environments.

        Raises:
            TypeError: the options cannot be pickled.
        """
        try:
            return dumps(dict(options))
        except Exception as error:
            raise TypeError(f"options: expected values that can be pickled, got {shown(options)}: {error}") from error

    def refusal(self, error: ValueError) -> Exception:
        """Returns a RuntimeError for an environment that could not be made in its worker.

        If Ctrl-C has ended the wait, Python raises KeyboardInterrupt when it calls this method.
        """
        return RuntimeError(*error.args) if "] environment " in str(error) else error

    def _program(self, task_id: str, own: Mapping[str, Value]) -> dict[str, Any]:
        if not sys.executable:
            raise RuntimeError("sys.executable: expected the path of the Python interpreter, got none")
        make = pickle.loads(self._function)
        more = {"env_id": 0} if self._takes_env_id else {}
        with _user_code("constructor"):
            env = make(**own, **more)
        with _user_code("attributes"):
            complete = all(hasattr(env, n) for n in ("observation_space", "action_space", "reset", "step", "close"))
            spaces = (env.observation_space, env.action_space) if complete else None
        if spaces is None:
            raise TypeError(f"make_env: expected a function that returns a gymnasium.Env, got {shown(env)}")
        with _user_code("close"):
            env.close()
        arrays, text = describe(*spaces, self._info)
        # As plain tuples, because the workers do not import this package.
        program = dumps((make, own, self._takes_env_id, spaces, [tuple(array) for array in arrays]))
        return {
            "arrays": text,
            "interpreter": sys.executable,
            "script": os.path.abspath(worker.__file__),
            "library": library_of(_FOLDER, task_id),
            "program": pickle.dumps((list(sys.path), program, _snapshot_key())),
        }


_OWN_KEY = secrets.token_bytes(32)
_KEY_VARIABLE, _SHORTEST_KEY = "ENVPOOL_SNAPSHOT_KEY", 16


def _snapshot_key() -> bytes:
    """Returns the key of the checksums of pickles in snapshots.

    Only this process and its forks have it, unless the environment variable sets it.
    """
    text = os.environ.get(_KEY_VARIABLE)
    if text is None:
        return _OWN_KEY
    if len(text) < _SHORTEST_KEY:
        raise ValueError(f"{_KEY_VARIABLE}: expected at least {_SHORTEST_KEY} characters, got {len(text)}")
    return text.encode(errors="surrogateescape")


@contextlib.contextmanager
def _user_code(name: str) -> Iterator[None]:
    """Reports any exception of the user's code, even SystemExit. Lets KeyboardInterrupt pass: it may be a Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise RuntimeError(f"the environment's {name} raised {worker.describe_error(error)}") from error


class _Pickler(pickle.Pickler):
    """Refuses what the workers could not import."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, (type, FunctionType)) and value.__module__ == "__main__":
            raise pickle.PicklingError(f"{value.__qualname__} is defined in the main script")
        return NotImplemented


def dumps(value: Any) -> bytes:
    """Returns a pickle that holds functions and classes of `__main__` by value, if cloudpickle is installed."""
    try:
        import cloudpickle  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        buffer = io.BytesIO()
        try:
            _Pickler(buffer).dump(value)
        except Exception as error:
            raise pickle.PicklingError(f"{error}; `pip install cloudpickle`, or define it in a module") from error
        return buffer.getvalue()

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        """Keeps the names of source files for tracebacks, which cloudpickle 3.1.3 replaces by "<dynamic-code>"."""

        def reducer_override(self, value: Any) -> Any:
            if isinstance(value, CodeType) and CodeType in self.dispatch_table:
                make, arguments = self.dispatch_table[CodeType](value)
                words = (value.co_filename if word == "<dynamic-code>" else word for word in arguments)
                return make, tuple(words)
            return super().reducer_override(value)

    buffer = io.BytesIO()
    Pickler(buffer).dump(value)
    return buffer.getvalue()


def register_python(
    task_id: str,
    make_env: Callable[..., Any],
    *,
    max_episode_steps: int = 0,
    reward_threshold: float | None = None,
    info: Mapping[str, Any] | None = None,
    aliases: Sequence[str] = (),
    doc: str = "",
) -> None:
    """Registers a Python environment with gymnasium's interface. Its pools run it in worker processes.

    `make(task_id)` then takes the same options as for any other environment, those that `make_env` has, and these:

    - `num_workers`: worker processes; 0, the default, means as many as usable CPUs, but at most num_envs. With a few
      environments whose steps take only microseconds, one worker is faster, because every worker has to be woken.
    - `worker_timeout`: seconds after which a worker that has not answered the calls of a batch is ended, apart from
      the time in which it makes environments; 0, the default: no limit.

    A second call with the same id replaces the first.

    Args:
        task_id: the new id.
        make_env: a class or function that returns a `gymnasium.Env`. Each of its keywords whose default is a bool, int,
            float or str is an option of `make`. If it has the keyword `env_id`, it receives the number of the
            environment in its pool. It is pickled, with cloudpickle if that is installed. `make` calls it once in this
            process, to read the spaces, and then in the workers.
        max_episode_steps: steps until an episode is truncated; 0 means no limit other than the environment's own.
        reward_threshold: the return at which the task counts as solved.
        info: the keys of the environment's `info` that the pool returns as arrays, each with a space or, for a number,
            its dtype: `{"score": np.float32}`. Where the environment omits a key, the array holds zeros.
        aliases: further ids of the same environment.
        doc: one line of description.

    Raises:
        TypeError: make_env cannot be called without arguments, or cannot be pickled; a key of info has no space or dtype.
        ValueError: the id or an alias belongs to another kind of environment; a keyword of make_env or a key of info has
            a name that pools use for something else; pools do not support the space of an info.
        RuntimeError: this package was built without python_env.
    """
    with labelled(task_id if isinstance(task_id, str) else "envpool"):
        if not callable(make_env):
            raise wrong_type("make_env", "a class or function that returns a gymnasium.Env", make_env)
        if info is not None and not isinstance(info, Mapping):
            raise wrong_type("info", "a mapping of keys to spaces or dtypes", info)
        for key, why in RESERVED_INFOS.items():
            if key in (info or {}):
                raise ValueError(f"info: expected no key {key!r}, because {why}")
        check_infos(info or {})
        defaults, takes_env_id = _keywords(make_env)
        try:
            function = dumps(make_env)
        except Exception as error:
            raise TypeError(
                f"make_env: expected a function that can be pickled, got {shown(make_env)}: {error}"
            ) from error
    list_all_envs()  # so that no environment can take the id of a family
    family = PythonEnvs(function, list(defaults), takes_env_id, info or {})
    library = library_of(_FOLDER, task_id)
    registration = Registration(
        task_id, family, library, "PythonEnv", max_episode_steps, reward_threshold, doc, defaults
    )
    name = getattr(make_env, "__qualname__", type(make_env).__qualname__)
    add(registration._replace(source=f"{getattr(make_env, '__module__', '')}.{name}"), aliases)


def _keywords(make_env: Callable[..., Any]) -> tuple[dict[str, Value], bool]:
    """Returns the keywords that are options, with their defaults, and whether `env_id` is a keyword."""
    try:
        parameters = inspect.signature(make_env).parameters.values()
    except (TypeError, ValueError):
        return {}, False
    defaults: dict[str, Value] = {}
    for parameter in parameters:
        name, default = parameter.name, parameter.default
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or name == "env_id":
            continue
        if default is parameter.empty:
            raise TypeError(
                f"make_env: expected a function that can be called without arguments, got one that needs {name!r}; use "
                "functools.partial or a lambda"
            )
        is_option = type(default) in (bool, int, float, str) and parameter.kind is not parameter.POSITIONAL_ONLY
        if is_option and name not in (*COMMON_OPTIONS, *_WORKER_OPTIONS):
            if name in RESERVED_KEYWORDS:
                raise ValueError(
                    f"make_env: expected keywords that can be options, got {name!r}, which cannot be one, because "
                    f"{RESERVED_KEYWORDS[name]}; use a lambda"
                )
            defaults[name] = default
    return defaults, any(p.name == "env_id" and p.kind is not p.POSITIONAL_ONLY for p in parameters)
