"""Arguments that are read as they were meant, and those that are not guessed at."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agent_tui import registry
from agent_tui.tools.support.argument_fit import fit
from agent_tui.tools.support.argument_names import NAMES
from agent_tui.tools.support.json_schema import SchemaArguments, example_call, problems

TEXT = {"type": "string"}


def schema_of(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


EDIT = schema_of(
    ("path",),
    path=TEXT,
    old=TEXT,
    new=TEXT,
    edits={"type": "array", "items": schema_of(("old", "new"), old=TEXT, new=TEXT)},
)


ONE = [{"old": "x", "new": "y"}]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"file_path": "a", "old_string": "x"}, {"path": "a", "old": "x"}),
        ({"filename": "a", "new_str": "x"}, {"path": "a", "new": "x"}),
        ({"path": "a", "edits": [{"old_text": "x", "new": "y"}]}, {"path": "a", "edits": ONE}),
        ({"path": "a", "edits": '[{"old": "x", "new": "y"}]'}, {"path": "a", "edits": ONE}),
        ({"path": "a", "file_path": "a"}, {"path": "a"}),
        ({"path": "a", "file_path": None}, {"path": "a"}),
        ({"path": None, "file_path": "a"}, {"path": "a"}),
        ({"path": "a", "old": None}, {"path": "a"}),
    ],
)  # fmt: skip
def test_what_has_one_reading_is_read(given: dict[str, Any], read: dict[str, Any]) -> None:
    assert fit(EDIT, given).arguments == read


@pytest.mark.parametrize(
    "given",
    [
        {"path": "a", "file_path": "b"},
        {"file_path": "a", "filename": "b"},
        {"path": "a", "surprise": "x"},
        {"path": None},
        {"path": "a", "edits": "[{"},
        {"path": "a", "edits": '"text"'},
        {"file_path": 3},
        ["a"],
        "a",
    ],
)
def test_what_may_be_meant_in_two_ways_stays_as_it_is(given: object) -> None:
    assert fit(EDIT, given).arguments == given
    assert list(problems(EDIT, given))


def test_a_name_that_the_tool_has_itself_is_never_another() -> None:
    search = schema_of(("query",), query=TEXT, pattern=TEXT)
    assert fit(search, {"query": "a"}).arguments == {"query": "a"}
    assert fit(search, {"search_term": "a"}).arguments == {"search_term": "a"}, "it may be both"
    grep = schema_of(("pattern",), pattern=TEXT)
    assert fit(grep, {"query": "a"}).arguments == {"pattern": "a"}


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("integer", "5", 5),
        ("number", "1.5", 1.5),
        ("boolean", "true", True),
        ("boolean", "False", False),
        ("array", "[1]", [1]),
        ("object", "{}", {}),
        ("integer", "1.5", "1.5"),
        ("integer", "true", "true"),
        ("boolean", "1", "1"),
        ("array", "a, b", "a, b"),
        ("string", "5", "5"),
        ("string", "[1]", "[1]"),
        (["string", "array"], "[1]", "[1]"),
    ],
)
def test_json_text_is_what_it_says_where_no_text_is_wanted(
    kind: Any, text: str, value: object
) -> None:
    assert fit(schema_of(x={"type": kind}), {"x": text}).arguments == {"x": value}


def test_the_model_is_told_what_its_names_were_read_as() -> None:
    assert "file_path was read as path" in fit(EDIT, {"file_path": "a"}).note
    assert fit(EDIT, {"path": "a", "old": None}).note == ""


def test_the_table_has_no_name_that_stands_for_two_arguments_of_one_tool() -> None:
    for name in registry.names("agent_tui.tools"):
        own = registry.load("agent_tui.tools", name, "TOOL").schema()["properties"]
        others = [
            other for ours in own if ours in NAMES for other in NAMES[ours] if other not in own
        ]
        assert len(others) == len(set(others)), name


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        (schema_of(("a",), a=TEXT), {}, "a: is missing"),
        (schema_of(a=TEXT), {"b": 1}, "b: no such argument; there are: a"),
        (schema_of(a={"type": "integer"}), {"a": "x"}, "a: must be a whole number"),
        (schema_of(a={"enum": ["x", "y"]}), {"a": "z"}, "a: must be one of x, y"),
        (schema_of(a={"type": "integer", "minimum": 1}), {"a": 0}, "a: must be at least 1"),
        (schema_of(a={"type": "array", "items": TEXT}), {"a": ["x", 1]}, "a[1]: must be a text"),
        (schema_of(a={"anyOf": [TEXT, {"type": "null"}]}), {"a": 1}, "a: must be a text or null"),
        (schema_of(), ["x"], "the arguments must be an object"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(schema: Any, value: object, said: str) -> None:
    assert list(problems(schema, value)) == [said]
    with pytest.raises(ValueError, match=re.escape(said)):
        SchemaArguments(schema).validate(value)


def test_a_schema_that_never_ends_is_no_end_of_work() -> None:
    loop: dict[str, Any] = {"type": "object", "properties": {}, "required": ["again"]}
    loop["properties"]["again"] = loop
    deep: dict[str, Any] = {}
    for _ in range(200):
        deep = {"again": deep}
    assert list(problems(loop, deep)) == []
    assert example_call(loop, {})
    assert fit(loop, deep).arguments == deep
