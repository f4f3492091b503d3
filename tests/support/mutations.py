# SPDX-License-Identifier: Apache-2.0
"""Hostile variants of states and of rows of parameters, with corrected checksums (for mutate_states.py)."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

HEAD = struct.Struct("<QQQii")  # header of a snapshot: magic, identity, checksum, players, over
PLAIN = int.from_bytes(b"NVPOOL02", "little")  # the magic number of a snapshot whose state is not packed
TAG = range(40, 44)  # the bytes of a row that identify its environment; other environments refuse the row
WORDS = (0, 1, 2, 255, 1 << 31, (1 << 31) - 1, (1 << 32) - 1, 2_000_000_000, 0x7F800000, 0x7FC00000, 0xFF7FFFFF)
DOUBLES = (float("nan"), float("inf"), -1e308, 1e18, -1.0)


def checksum(data: bytes, seed: int = 0) -> int:
    """Returns the checksum of snapshots."""
    mask = 0xFFFFFFFFFFFFFFFF

    def mix(mark: int, word: int) -> int:
        mark = (mark ^ word) * 0xD1342543DE82EF95 & mask
        return mark ^ mark >> 32

    words = np.frombuffer(data + bytes(-len(data) % 8), "<u8").tolist()
    whole = len(data) // 32 * 4
    lanes = [seed + lane & mask for lane in range(4)]
    for at in range(0, whole, 4):
        lanes = [mix(mark, word) for mark, word in zip(lanes, words[at : at + 4], strict=True)]
    mark = mix(seed, len(data))
    for word in words[whole:] + lanes:
        mark = mix(mark, word)
    return mark


class Signed:
    """Makes variants of a snapshot with correct checksums.

    Args:
        snapshot: a snapshot.
        state: the state in it, which is passed if the snapshot is packed; the variants are then not packed.
    """

    def __init__(self, snapshot: bytes, state: bytes | None = None) -> None:
        self.magic, self.identity, _, self.players, self.over = HEAD.unpack_from(snapshot)
        self.body = snapshot[HEAD.size :] if state is None else state
        if state is not None:
            self.magic = PLAIN

    def _signed(self, players: int, over: int, body: bytes) -> bytes:
        mark = checksum(body, checksum(HEAD.pack(self.magic, self.identity, 0, players, over)))
        return HEAD.pack(self.magic, self.identity, mark, players, over) + body

    def with_body(self, body: bytes) -> bytes:
        """Returns the snapshot with another state."""
        return self._signed(self.players, self.over, body)

    def with_head(self, players: int, over: int) -> bytes:
        """Returns the snapshot with another number of players and another flag of whether the episode is over."""
        return self._signed(players, over, self.body)


def state_of(env: Any, env_id: int) -> bytes:
    """Returns an environment's state as the environment saves it, not packed."""
    pool = env._pool
    data: bytes = pool.read_states(np.array([env_id], np.int32), 0, pool.state_bytes(env_id)).tobytes()
    return data


def put(body: bytes, at: int, what: bytes) -> bytes:
    """Returns the bytes with some of them replaced."""
    return body[:at] + what + body[at + len(what) :]


def extremes(dtype: str) -> list[Any]:
    """Returns extreme values of a dtype."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return [0, 1, 2, 7, 128, 255]
    if kind.kind == "f":
        most = float(np.finfo(kind).max)
        return [0, -0.0, 1, -1, 0.5, 1e9, most, -most, np.nan, np.inf, -np.inf, float(np.finfo(kind).tiny)]
    limits = np.iinfo(kind)
    return sorted(
        {limits.min, limits.max, 0, 1, 9, 10, 11, 15, 100, 127, *({-1, -2, 2_000_000_000} if limits.min else {200})}
    )


def mutations(
    body: bytes, parts: Iterable[tuple[str, Any]], rng: random.Random, whole: bool, keep: range = range(0)
) -> Iterator[tuple[str, bytes]]:
    """Yields changed states, each with a description of the change. The bytes in `keep` do not change."""

    def cases() -> Iterator[tuple[str, bytes]]:
        size = len(body)
        for name, part in parts:
            dtype = np.dtype("uint8" if part.dtype == "bool" else part.dtype)
            count = int(np.prod(part.shape, dtype=int))
            for value in extremes(part.dtype):
                element = np.array([value], dtype).tobytes()
                yield f"{name} = {value}", put(body, part.offset, element * count)
                if count > 1:
                    place = rng.randrange(count)
                    yield f"{name}[{place}] = {value}", put(body, part.offset + place * dtype.itemsize, element)
        for at in range(size):
            yield f"byte {at} flipped", put(body, at, bytes([body[at] ^ 0xFF]))
            yield f"byte {at} random", put(body, at, bytes([rng.randrange(256)]))
        for at in range(0, size - 3, 4):
            for word in WORDS:
                yield f"word {at} = {word:#x}", put(body, at, struct.pack("<I", word))
        for at in range(0, size - 7, 8):
            for double in DOUBLES:
                yield f"double {at} = {double}", put(body, at, struct.pack("<d", double))
        for value in (0, 1, 0x7F, 0x80, 0xFF):
            yield f"all {value}", bytes([value]) * size
        for number in range(200):
            yield f"random {number}", rng.randbytes(size)
            share = rng.choice((0.02, 0.1, 0.5))
            scattered = bytes(rng.randrange(256) if rng.random() < share else byte for byte in body)
            yield f"scattered {number}", scattered

    if len(body) > 1024:
        everything = sampled_cases(body, parts, rng, 1500 if whole else 150)
    else:
        everything = list(cases())
        if not whole:
            named = sum(2 * len(extremes(part.dtype)) for _, part in parts)
            everything = some_of(everything[:named], 60, rng) + some_of(everything[named:], 150, rng)
    for name, state in everything:
        yield name, put(state, keep.start, body[keep.start : keep.stop]) if keep else state


def changed_together(
    body: bytes, rng: random.Random, count: int, keep: range = range(0)
) -> Iterator[tuple[str, bytes]]:
    """Yields states with several changes each: words anywhere, and a part that is filled with one word.

    A fault may need more than one change, such as a way out of a grid and an agent that takes it.
    """
    words = len(body) // 4
    if words == 0:
        return
    for number in range(count):
        changed = body
        if rng.random() < 0.8:
            first, last = sorted((rng.randrange(words), rng.randrange(words)))
            if rng.random() < 0.5:
                first, last = min(first, words // 8), words - 1  # almost everything
            word = struct.pack("<I", rng.choice(WORDS) if rng.random() < 0.3 else rng.randrange(12))
            changed = put(changed, 4 * first, word * (last + 1 - first))
        for _ in range(rng.randrange(1, 8)):
            word = struct.pack("<I", rng.choice((*WORDS, rng.randrange(64), rng.getrandbits(32))))
            changed = put(changed, 4 * rng.randrange(words), word)
        for at in (48, 56, 64):  # the first numbers of a state, which often are a position
            if rng.random() < 0.3 and at + 4 <= len(body):
                changed = put(changed, at, struct.pack("<I", rng.randrange(1, 16)))
        yield f"several {number}", put(changed, keep.start, body[keep.start : keep.stop]) if keep else changed


def some_of(these: list[Any], count: int, rng: random.Random) -> list[Any]:
    return rng.sample(these, min(len(these), count))


def sampled_cases(
    body: bytes, parts: Iterable[tuple[str, Any]], rng: random.Random, count: int = 1500
) -> list[tuple[str, bytes]]:
    """Returns `count` random changes of a state that is too long for changing every byte in turn."""
    made = []
    for name, part in parts:
        dtype = np.dtype("uint8" if part.dtype == "bool" else part.dtype)
        for value in extremes(part.dtype):
            element = np.array([value], dtype).tobytes() * int(np.prod(part.shape, dtype=int))
            made.append((f"{name} = {value}", put(body, part.offset, element)))
    while len(made) < count:
        kind = rng.randrange(10)
        if kind < 5:
            at = rng.randrange(len(body))
            made.append((f"byte {at}", put(body, at, bytes([body[at] ^ rng.randrange(1, 256)]))))
        elif kind < 7:
            at, word = rng.randrange(len(body) // 4) * 4, rng.choice(WORDS)
            made.append((f"word {at} = {word:#x}", put(body, at, struct.pack("<I", word))))
        elif kind < 8:
            at, double = rng.randrange(len(body) // 8) * 8, rng.choice(DOUBLES)
            made.append((f"double {at} = {double}", put(body, at, struct.pack("<d", double))))
        elif kind < 9:
            at = rng.randrange(len(body))
            made.append((f"from {at} random", put(body, at, rng.randbytes(min(64, len(body) - at)))))
        else:
            bits = np.random.default_rng(rng.randrange(1 << 30))
            noise = bits.integers(0, 256, len(body), np.uint8)
            mask = bits.random(len(body)) < rng.choice((0.001, 0.02, 0.5, 1.0))
            made.append(("scattered", np.where(mask, noise, np.frombuffer(body, np.uint8)).tobytes()))
    return made
