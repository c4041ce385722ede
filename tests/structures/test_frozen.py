"""`@frozen` makes what `@dataclass(frozen=True, slots=True)` makes, only later."""

from __future__ import annotations

import copy
import dataclasses
import gc
import inspect
import pickle
import threading
import weakref
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any, ClassVar, Generic, Literal, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from agent_tui.structures.frozen import FACTS, METHODS, frozen

T = TypeVar("T")


@frozen(kw_only=True)
class Base:
    kind: ClassVar[str] = "base"
    at: float = 0.0
    hidden: str = field(default="", repr=False, compare=False)


@frozen
class Made(Base):
    """A class by the late decorator."""

    text: str
    numbers: tuple[int, ...] = ()
    facts: dict[str, int] = field(default_factory=dict, hash=False)
    type: Literal["made"] = "made"


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardBase:
    kind: ClassVar[str] = "base"
    at: float = 0.0
    hidden: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Standard(StandardBase):
    """The same class by the standard one."""

    text: str
    numbers: tuple[int, ...] = ()
    facts: dict[str, int] = field(default_factory=dict, hash=False)
    type: Literal["made"] = "made"


arguments = st.fixed_dictionaries(
    {"text": st.text(max_size=3)},
    optional={
        "at": st.floats(allow_nan=False),
        "hidden": st.text(max_size=2),
        "numbers": st.tuples(st.integers()),
        "facts": st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
    },
)


@given(arguments, arguments)
def test_it_behaves_as_the_standard_one(first: dict[str, Any], second: dict[str, Any]) -> None:
    mine, other = Made(**first), Made(**second)
    standard, standard_other = Standard(**first), Standard(**second)
    assert dataclasses.asdict(mine) == dataclasses.asdict(standard)
    assert repr(mine) == repr(standard).replace("Standard", "Made")
    assert (mine == other) is (standard == standard_other)
    assert hash(mine) == hash(standard)
    assert dataclasses.asdict(replace(mine, **second)) == dataclasses.asdict(
        replace(standard, **second)
    )
    assert mine != object()


def test_the_class_looks_the_same() -> None:
    assert [f.name for f in dataclasses.fields(Made)] == [
        f.name for f in dataclasses.fields(Standard)
    ]
    assert Made.__match_args__ == Standard.__match_args__
    assert vars(Made)["__slots__"] == vars(Standard)["__slots__"]
    assert Made.kind == "base"
    assert not hasattr(Made("x"), "__dict__")
    match Made("x", (1,)):
        case Made(text, (number,)):
            assert (text, number) == ("x", 1)
        case _:
            raise AssertionError("no match by position")


def test_nothing_can_be_changed() -> None:
    mine = Made("x")
    with pytest.raises(FrozenInstanceError, match="'text'"):
        mine.text = "y"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="'text'"):
        del mine.text
    with pytest.raises(FrozenInstanceError):
        mine.new = 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("positional", "named"), [((), {}), (("x", (), {}, "made", 1), {}), (("x",), {"odd": 1})]
)
def test_wrong_arguments_are_a_type_error(
    positional: tuple[Any, ...], named: dict[str, Any]
) -> None:
    with pytest.raises(TypeError):
        Made(*positional, **named)
    with pytest.raises(TypeError):
        Standard(*positional, **named)


def test_each_value_gets_a_default_of_its_own() -> None:
    assert Made("x").facts is not Made("x").facts


def test_copies_and_pickles() -> None:
    mine = Made("x", (1,), {"a": 1}, at=2.5)
    assert copy.copy(mine) == copy.deepcopy(mine) == mine
    assert pickle.loads(pickle.dumps(mine)) == mine


def test_pydantic_validates_and_dumps_it() -> None:
    adapter = TypeAdapter(Made)
    mine = adapter.validate_python({"text": "x", "numbers": [1, 2], "at": 3})
    assert mine == Made("x", (1, 2), at=3.0)
    assert adapter.dump_python(mine, mode="json")["numbers"] == [1, 2]


def test_methods_that_the_class_writes_itself_stay() -> None:
    @frozen
    class Loud:
        word: str

        def __repr__(self) -> str:
            return self.word.upper()

        def __post_init__(self) -> None:
            assert self.word, "a word is needed"

    assert repr(Loud("hey")) == "HEY"
    assert Loud("a") == Loud("a")
    with pytest.raises(AssertionError, match="a word is needed"):
        Loud("")


def test_each_method_is_compiled_at_its_first_call_and_once() -> None:
    @frozen
    class Late:
        number: int = 0

    calls: dict[str, Callable[[], object]] = {
        "__init__": lambda: Late(1),
        "__eq__": lambda: one == Late(1),
        "__hash__": lambda: hash(one),
        "__repr__": lambda: repr(one),
    }
    before = {name: Late.__dict__[name] for name in METHODS}
    one = Late(1)
    for name in METHODS:
        assert (Late.__dict__[name] is before[name]) is (name != "__init__"), (
            "only what was called is compiled"
        )
    for name in METHODS:
        calls[name]()
    after = {name: Late.__dict__[name] for name in METHODS}
    assert all(before[name] is not after[name] for name in METHODS)
    for name in METHODS:
        calls[name]()
    assert all(Late.__dict__[name] is after[name] for name in METHODS)
    assert list(inspect.signature(Late).parameters) == ["number"]
    assert before["__repr__"].__get__(one, Late)().endswith("Late(number=1)"), (
        "found by two at once"
    )


def test_a_class_that_comes_from_one_compiles_the_methods_of_that() -> None:
    @frozen
    class Made:
        number: int = 0

    class Heir(Made):
        """Without methods of its own."""

    assert repr(Heir(2)).endswith("Heir(number=2)") and Heir(2) == Heir(2) != Made(2)
    assert "__repr__" not in Heir.__dict__ and inspect.isfunction(Made.__dict__["__repr__"])


def test_a_generic_class_has_fields() -> None:
    @frozen
    class Box(Generic[T]):
        content: T

    assert [one.name for one in dataclasses.fields(Box)] == ["content"] and Box[int](1) == Box(1)


def test_the_class_as_it_was_written_is_not_kept() -> None:
    class Plain:
        number: int = 0

    written = weakref.ref(Plain)
    made = frozen(Plain)
    del Plain
    assert made(1) == made(1) and dataclasses.fields(made)
    gc.collect()
    assert written() is None


def test_the_fields_are_found_when_they_are_first_wanted_and_once() -> None:
    @frozen
    class Late:
        number: int = 0
        names: list[str] = field(default_factory=list)

    class Heir(Late):
        """Asks first."""

    assert not any(isinstance(Late.__dict__[name], dict | tuple) for name in FACTS)
    found: list[dict[str, Any]] = []
    threads = [
        threading.Thread(target=lambda: found.append(Heir.__dataclass_fields__)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [list(names) for names in found] == [["number", "names"]] * 8
    kept = Late.__dict__["__dataclass_fields__"]
    assert Late.__dataclass_fields__ is kept, "nothing is asked a second time"
    assert Late().names == []


def test_a_class_without_fields() -> None:
    @frozen
    class Empty:
        pass

    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())
