"""A persistent (immutable) vector in chunks: cheap append, cheap set near the end, cheap
difference.

A tuple of 50,000 rows costs 67 µs to append to; this costs a few, and two versions share every
chunk that did not change, so that a reader finds what is new by comparing identities.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Generic, TypeVar, overload

T = TypeVar("T")

CHUNK: Final = 128


class Vec(Generic[T]):
    """An immutable sequence; every change returns a new one that shares its unchanged chunks."""

    __slots__ = ("_chunks", "_tail")

    def __init__(self, items: Iterable[T] = ()) -> None:
        flat = tuple(items)
        full = len(flat) // CHUNK * CHUNK
        self._chunks: tuple[tuple[T, ...], ...] = tuple(
            flat[i : i + CHUNK] for i in range(0, full, CHUNK)
        )
        self._tail: tuple[T, ...] = flat[full:]

    @classmethod
    def _of(cls, chunks: tuple[tuple[T, ...], ...], tail: tuple[T, ...]) -> Vec[T]:
        new: Vec[T] = cls.__new__(cls)
        new._chunks, new._tail = chunks, tail
        return new

    def __len__(self) -> int:
        return len(self._chunks) * CHUNK + len(self._tail)

    def __iter__(self) -> Iterator[T]:
        for chunk in self._chunks:
            yield from chunk
        yield from self._tail

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        size = len(self)
        if index < 0:
            index += size
        if not 0 <= index < size:
            raise IndexError(f"row {index} of {size}")
        chunk, offset = divmod(index, CHUNK)
        return self._tail[offset] if chunk == len(self._chunks) else self._chunks[chunk][offset]

    def append(self, item: T) -> Vec[T]:
        tail = (*self._tail, item)
        if len(tail) == CHUNK:
            return Vec._of((*self._chunks, tail), ())
        return Vec._of(self._chunks, tail)

    def extend(self, items: Iterable[T]) -> Vec[T]:
        added = tuple(items)
        if not added:
            return self
        tail = self._tail + added
        full = len(tail) // CHUNK * CHUNK
        if not full:
            return Vec._of(self._chunks, tail)
        new = tuple(tail[i : i + CHUNK] for i in range(0, full, CHUNK))
        return Vec._of(self._chunks + new, tail[full:])

    def set(self, index: int, item: T) -> Vec[T]:
        """The same vector with `item` at `index` (negative counts from the end). Raises
        IndexError."""
        if self[index] is item:
            return self
        chunk, offset = divmod(index % len(self), CHUNK)
        if chunk == len(self._chunks):
            return Vec._of(self._chunks, (*self._tail[:offset], item, *self._tail[offset + 1 :]))
        old = self._chunks[chunk]
        new = (*old[:offset], item, *old[offset + 1 :])
        return Vec._of((*self._chunks[:chunk], new, *self._chunks[chunk + 1 :]), self._tail)

    def truncate(self, length: int) -> Vec[T]:
        """The first `length` items."""
        if length >= len(self):
            return self
        chunks, rest = divmod(max(length, 0), CHUNK)
        if chunks == len(self._chunks):
            return Vec._of(self._chunks, self._tail[:rest])
        return Vec._of(self._chunks[:chunks], self._chunks[chunks][:rest])

    def changed_indices(self, old: Vec[T]) -> Iterator[int]:
        """Indices, ascending, that exist here and hold another object than in `old` (new ones
        included).

        Costs one identity test per chunk, plus one per item of a chunk that differs.
        """
        mine, theirs = (*self._chunks, self._tail), (*old._chunks, old._tail)
        for number, chunk in enumerate(mine):
            before = theirs[number] if number < len(theirs) else ()
            if chunk is before:
                continue
            base = number * CHUNK
            for offset, item in enumerate(chunk):
                if offset >= len(before) or before[offset] is not item:
                    yield base + offset

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vec):
            return NotImplemented
        return self._chunks == other._chunks and self._tail == other._tail

    def __hash__(self) -> int:
        return hash((self._chunks, self._tail))

    def __repr__(self) -> str:
        return f"Vec({list(self)!r})"
