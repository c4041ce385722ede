"""Values as JSON text and back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.structures.plain import name_of, rebuild, to_plain
from agent_tui.structures.vec import Vec


class Pair(NamedTuple):
    one: int
    other: str


@dataclass(frozen=True)
class Inner:
    text: str = ""
    pair: Pair = field(default_factory=lambda: Pair(0, ""))


@dataclass(frozen=True)
class Outer:
    number: float
    inner: Inner | None = None
    several: tuple[Inner, ...] = ()
    names: frozenset[str] = frozenset()
    found: Mapping[str, Any] = field(default_factory=dict)
    rows: Vec[int] = field(default_factory=Vec)


CLASSES = {name_of(kind): kind for kind in (Inner, Outer, Pair)}
INNER = st.builds(Inner, st.text(), st.builds(Pair, st.integers(), st.text()))
OUTER = st.builds(
    Outer,
    st.floats(allow_nan=False),
    st.none() | INNER,
    st.lists(INNER, max_size=3).map(tuple),
    st.frozensets(st.text(), max_size=3),
    st.dictionaries(st.text(), st.lists(st.integers() | st.booleans())),
    st.lists(st.integers(), max_size=300).map(Vec),
)


@given(OUTER)
def test_what_is_written_is_read(value: Outer) -> None:
    again = rebuild(json.loads(json.dumps(to_plain(value))), CLASSES)
    assert again == value
    assert again.inner is None or isinstance(again.inner.pair, Pair)


def test_fields_at_their_default_are_left_out() -> None:
    assert to_plain(Outer(1.0)) == {"_": "test_plain.Outer", "number": 1.0}


def test_nan_comes_back() -> None:
    assert math.isnan(rebuild(to_plain(Outer(math.nan)), CLASSES).number)


def test_every_text_is_said_as_wished() -> None:
    value = Outer(
        1.0,
        Inner("secret", Pair(1, "secret")),
        names=frozenset(["secret"]),
        found={"secret": ["secret"]},
    )
    assert "secret" not in json.dumps(
        to_plain(value, lambda text: text.replace("secret", "******"))
    )


@pytest.mark.parametrize(
    "data",
    [
        {"_": "os.system"},
        {"_": "test_plain.Outer"},
        {"_": 3},
        {},
        [],
        [1],
        ["nope", 1],
        ["{:}", [1]],
        ["{:}", 3],
        {"_": "test_plain.Outer", "number": ["()", {"_": "x"}]},
    ],
)
def test_what_was_never_written_is_refused(data: Any) -> None:
    with pytest.raises(ValueError):
        rebuild(data, CLASSES)


def test_what_has_no_form_is_refused() -> None:
    with pytest.raises(TypeError, match="function cannot be written down"):
        to_plain(to_plain)
