"""The chunked vector is a tuple in all but its costs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.structures.vec import CHUNK, Vec

sizes = st.sampled_from(
    [0, 1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK - 1, 3 * CHUNK + 5]
)
filled = sizes.map(lambda size: tuple(object() for _ in range(size)))


def same(vec: Vec[object], flat: tuple[object, ...]) -> None:
    """`vec` holds `flat`, and looks the same as one that was built from it at once."""
    assert tuple(vec) == flat
    assert len(vec) == len(flat)
    assert vec == Vec(flat)


@given(filled, filled)
def test_append_and_extend_are_concatenation(
    old: tuple[object, ...], new: tuple[object, ...]
) -> None:
    by_one = Vec(old)
    for item in new:
        by_one = by_one.append(item)
    same(by_one, old + new)
    same(Vec(old).extend(iter(new)), old + new)


@given(filled.filter(bool), st.data())
def test_set_changes_one_item_of_a_new_vector(old: tuple[object, ...], data: st.DataObject) -> None:
    index = data.draw(st.integers(-len(old), len(old) - 1))
    item = object()
    vec = Vec(old)
    changed = vec.set(index, item)
    expected = list(old)
    expected[index] = item
    same(changed, tuple(expected))
    same(vec, old)
    assert list(changed.changed_indices(vec)) == [index % len(old)]


@given(filled, st.integers(-2, 4 * CHUNK))
def test_truncate_keeps_the_first(old: tuple[object, ...], length: int) -> None:
    same(Vec(old).truncate(length), old[: max(0, length)])


ends = st.integers(-500, 500) | st.none()


@given(filled, ends, ends, st.sampled_from([None, 1, 3, -1]))
def test_slices_are_those_of_a_tuple(
    old: tuple[object, ...], start: int | None, stop: int | None, step: int | None
) -> None:
    assert Vec(old)[start:stop:step] == old[start:stop:step]


@given(filled, st.data())
def test_changed_names_exactly_the_new_objects(
    old: tuple[object, ...], data: st.DataObject
) -> None:
    before = Vec(old)
    after = before.truncate(data.draw(st.integers(0, len(old)))).extend(data.draw(filled))
    for index in data.draw(st.lists(st.integers(0, max(0, len(after) - 1)), max_size=3)):
        after = after.set(index, object()) if len(after) else after
    expected = [i for i, item in enumerate(after) if i >= len(before) or before[i] is not item]
    assert list(after.changed_indices(before)) == expected


def test_every_index_outside_is_an_index_error() -> None:
    vec = Vec(range(CHUNK + 2))
    for index in (CHUNK + 2, -CHUNK - 3):
        with pytest.raises(IndexError, match="130"):
            vec[index]
        with pytest.raises(IndexError):
            vec.set(index, 0)
    with pytest.raises(IndexError):
        Vec[int]().set(-1, 0)


def test_no_change_is_the_same_object() -> None:
    vec = Vec(range(CHUNK + 2))
    assert vec.extend(()) is vec
    assert vec.truncate(CHUNK + 2) is vec
    assert vec.set(3, vec[3]) is vec


def test_a_change_shares_every_other_chunk() -> None:
    """The reader's diff looks into one chunk of 128, not into all of them."""

    class Looked:
        def __init__(self) -> None:
            self.count = 0

        def __eq__(self, other: object) -> bool:
            raise AssertionError("items are compared by identity alone")

        __hash__ = None  # type: ignore[assignment]

    vec = Vec(Looked() for _ in range(10 * CHUNK))
    changed = vec.set(5 * CHUNK + 7, Looked()).append(Looked())
    shared = [mine is theirs for mine, theirs in zip(vec._chunks, changed._chunks, strict=True)]
    assert shared.count(False) == 1
    assert list(changed.changed_indices(vec)) == [5 * CHUNK + 7, 10 * CHUNK]


def test_equal_vectors_have_equal_hashes_and_say_what_they_hold() -> None:
    assert hash(Vec([1, 2])) == hash(Vec([1]).append(2))
    assert Vec([1]) != (1,)
    assert repr(Vec([1, "a"])) == "Vec([1, 'a'])"
