# SPDX-License-Identifier: Apache-2.0
"""A mock of XLA on a GPU: calls the handlers for GPUs with call frames, a stream, and arrays in device memory.

The structures are the same as in bindings/jax/ffi.h, which tests/jax/ffi_test.py compares with XLA's header. Arrays
are in the memory of the stand-in driver, which the host cannot access.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envpool import _core
from tests.standin.driver import Driver

INSTANTIATE, INITIALIZE, EXECUTE = 0, 2, 3  # stages
COMMAND_BUFFER_COMPATIBLE = 1

_DTYPES = {"bool": 1, "int32": 4, "int64": 5, "uint8": 6, "uint32": 8, "float32": 11, "float64": 12}
_METADATA = 1
_BUFFER, _ARRAY, _SCALAR = 1, 1, 3  # kinds of operands and of attributes

_size, _pointer, _int = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int
_HEAD = [("struct_size", _size), ("extensions", _pointer)]


class _Version(ctypes.Structure):
    _fields_ = [*_HEAD, ("major", _int), ("minor", _int)]


class _Metadata(ctypes.Structure):
    _fields_ = [("struct_size", _size), ("version", _Version), ("traits", ctypes.c_uint32)]


class _MetadataExtension(ctypes.Structure):
    _fields_ = [("struct_size", _size), ("type", _int), ("next", _pointer), ("metadata", ctypes.POINTER(_Metadata))]


class _ErrorCreate(ctypes.Structure):
    _fields_ = [*_HEAD, ("message", ctypes.c_char_p), ("code", _int)]


class _StreamGet(ctypes.Structure):
    _fields_ = [*_HEAD, ("context", _pointer), ("stream", _pointer)]


_CREATE = ctypes.CFUNCTYPE(_pointer, ctypes.POINTER(_ErrorCreate))
_GET_STREAM = ctypes.CFUNCTYPE(_pointer, ctypes.POINTER(_StreamGet))
_REFUSE = ctypes.CFUNCTYPE(_pointer, _pointer)
_DESTROY = ctypes.CFUNCTYPE(None, _pointer)


class _Api(ctypes.Structure):
    _fields_ = [
        *_HEAD,
        ("version", _Version),
        ("internal", _pointer),
        ("create_error", _CREATE),
        ("get_message", _pointer),
        ("destroy_error", _DESTROY),
        ("register_handler", _pointer),
        ("get_stream", _GET_STREAM),
        ("register_type", _REFUSE),
        ("get_context", _pointer),
        ("set_state", _REFUSE),
        ("get_state", _REFUSE),
    ]


class _Buffer(ctypes.Structure):
    _fields_ = [*_HEAD, ("dtype", _int), ("data", _pointer), ("rank", ctypes.c_int64), ("dims", _pointer)]


class _Buffers(ctypes.Structure):
    _fields_ = [*_HEAD, ("size", ctypes.c_int64), ("kinds", _pointer), ("data", _pointer)]


class _ByteSpan(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", _size)]


class _ScalarAttribute(ctypes.Structure):
    _fields_ = [("dtype", _int), ("value", _pointer)]


class _ArrayAttribute(ctypes.Structure):
    _fields_ = [("dtype", _int), ("size", _size), ("data", _pointer)]


class _Attributes(ctypes.Structure):
    _fields_ = [*_HEAD, ("size", ctypes.c_int64), ("kinds", _pointer), ("names", _pointer), ("data", _pointer)]


class _Frame(ctypes.Structure):
    _fields_ = [
        *_HEAD,
        ("api", ctypes.POINTER(_Api)),
        ("context", _pointer),
        ("stage", _int),
        ("arguments", _Buffers),
        ("results", _Buffers),
        ("attributes", _Attributes),
    ]


class XlaError(RuntimeError):
    """A handler returned an error; `code` is XLA's error code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class DeviceBuffer:
    """An array in device memory."""

    def __init__(self, driver: Driver, shape: Sequence[int], dtype: Any) -> None:
        self.driver, self.shape, self.dtype = driver, tuple(shape), np.dtype(dtype)
        self.address = driver.allocate(max(self.nbytes, 1))

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape)) * self.dtype.itemsize

    @classmethod
    def of(cls, driver: Driver, array: Any) -> DeviceBuffer:
        """Copies an array to the device."""
        given = np.asarray(array)
        made = cls(driver, given.shape, given.dtype)
        if given.size:
            driver.upload(given, made.address)
        return made

    def numpy(self) -> np.ndarray:
        """Waits for the device, and copies the array to the host."""
        self.driver.synchronize()
        return self.driver.download(self.address, np.empty(self.shape, self.dtype))


class Xla:
    """The part of XLA that calls handlers, with a stream.

    Attributes:
        stream: the stream that handlers get. If it is None, their requests for a stream fail, as they do on a CPU.
    """

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.stream: int | None = driver.get("cuStreamCreate", 1)
        self._error: XlaError | None = None
        refuse = _REFUSE(lambda _: 1)
        self._kept = [refuse]
        version = _Version(ctypes.sizeof(_Version), None, 0, 1)
        self._api = _Api(
            struct_size=ctypes.sizeof(_Api),
            version=version,
            create_error=_CREATE(self._create_error),
            destroy_error=_DESTROY(lambda _: None),
            get_stream=_GET_STREAM(self._get_stream),
            register_type=refuse,
            set_state=refuse,
            get_state=refuse,
        )

    def traits(self, name: str) -> int:
        """Returns the traits that a handler declares."""
        metadata = _Metadata(struct_size=ctypes.sizeof(_Metadata))
        extension = _MetadataExtension(ctypes.sizeof(_MetadataExtension), _METADATA, None, ctypes.pointer(metadata))
        frame = _Frame(struct_size=ctypes.sizeof(_Frame), extensions=ctypes.addressof(extension))
        assert not _function(name, "execute")(ctypes.addressof(frame))
        return int(metadata.traits)

    def call(
        self,
        name: str,
        arguments: Sequence[DeviceBuffer],
        results: Sequence[DeviceBuffer],
        *,
        stage: int = EXECUTE,
        **attributes: int | Sequence[int],
    ) -> None:
        """Calls a handler.

        Raises:
            XlaError: the handler returned an error.
        """
        self._error = None
        kept: list[Any] = []
        frame = _Frame(
            struct_size=ctypes.sizeof(_Frame),
            api=ctypes.pointer(self._api),
            stage=stage,
            arguments=_buffers(arguments, kept),
            results=_buffers(results, kept),
            attributes=_attributes(attributes, kept),
        )
        stages = {INSTANTIATE: "instantiate", INITIALIZE: "initialize", EXECUTE: "execute"}
        failed = _function(name, stages[stage])(ctypes.addressof(frame))
        if failed:
            assert self._error is not None
            raise self._error

    def _create_error(self, create: Any) -> int:
        self._error = XlaError(create.contents.message.decode(), create.contents.code)
        return 1

    def _get_stream(self, get: Any) -> int:
        if self.stream is None:
            return 1
        get.contents.stream = self.stream
        return 0


def _function(name: str, stage: str) -> Any:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    address = get(_core.xla_handlers("CUDA")[name][stage], b"xla._CUSTOM_CALL_TARGET")
    return ctypes.CFUNCTYPE(_pointer, _pointer)(address)


def _array_of(kind: Any, values: Sequence[Any], kept: list[Any]) -> Any:
    array = (kind * max(len(values), 1))(*values)
    kept.append(array)
    return ctypes.addressof(array)


def _buffers(arrays: Sequence[DeviceBuffer], kept: list[Any]) -> _Buffers:
    made = []
    for array in arrays:
        dims = _array_of(ctypes.c_int64, array.shape, kept)
        buffer = _Buffer(ctypes.sizeof(_Buffer), None, _DTYPES[array.dtype.name], array.address, len(array.shape), dims)
        kept.append(buffer)
        made.append(ctypes.addressof(buffer))
    kinds = _array_of(_int, [_BUFFER] * len(made), kept)
    return _Buffers(ctypes.sizeof(_Buffers), None, len(made), kinds, _array_of(_pointer, made, kept))


def _attributes(given: Mapping[str, int | Sequence[int]], kept: list[Any]) -> _Attributes:
    kinds, names, data = [], [], []
    for name, value in given.items():
        span = _ByteSpan(name.encode(), len(name))
        attribute: _ScalarAttribute | _ArrayAttribute
        if isinstance(value, int):
            attribute = _ScalarAttribute(_DTYPES["int64"], _array_of(ctypes.c_int64, [value], kept))
        else:
            attribute = _ArrayAttribute(_DTYPES["int32"], len(value), _array_of(ctypes.c_int32, value, kept))
        kept += [span, attribute]
        kinds.append(_SCALAR if isinstance(value, int) else _ARRAY)
        names.append(ctypes.addressof(span))
        data.append(ctypes.addressof(attribute))
    return _Attributes(
        ctypes.sizeof(_Attributes),
        None,
        len(data),
        _array_of(_int, kinds, kept),
        _array_of(_pointer, names, kept),
        _array_of(_pointer, data, kept),
    )
