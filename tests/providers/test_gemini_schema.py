"""Tool schemas in Gemini's words: whatever goes in, only what its API knows comes out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent_tui import registry
from agent_tui.protocol.messages import ToolSpec
from agent_tui.providers.dialects.gemini_schema import KEPT, clean_schema, declarations

KNOWN = {*KEPT, "type", "format", "nullable", "enum", "items", "properties", "required", "anyOf"}
TEXT = {"type": "string"}


def check(clean: dict[str, Any]) -> None:
    """A node as the API's reference has it."""
    assert set(clean) <= KNOWN
    if "anyOf" in clean:
        assert set(clean) <= {"anyOf", "description", "nullable"} and len(clean["anyOf"]) > 1
        for each in clean["anyOf"]:
            check(each)
        return
    assert clean["type"] in ("string", "integer", "number", "boolean", "array", "object")
    assert ("items" in clean) == (clean["type"] == "array")
    if "items" in clean:
        check(clean["items"])
    assert all(isinstance(value, str) and value for value in clean.get("enum", ()))
    assert set(clean.get("required", ())) <= set(clean.get("properties", {}))
    for each in clean.get("properties", {}).values():
        check(each)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, TEXT),
        ({"type": "string", "title": "T", "default": "x", "examples": ["y"]}, TEXT),
        ({"type": "string", "format": "uri"}, TEXT),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        ({"type": "STRING"}, TEXT),
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [TEXT, {"type": "integer"}]}),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "d"},
            {"type": "integer", "description": "d", "nullable": True},
        ),
        ({"oneOf": [{"const": "a"}, {"const": "b"}]}, {"type": "string", "enum": ["a", "b"]}),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"enum": ["a", None]}, {"type": "string", "nullable": True, "enum": ["a"]}),
        ({"enum": ["", "a"]}, {"type": "string", "description": 'One of: "", "a".'}),
        (
            {"enum": [1, 2], "description": "N."},
            {"type": "integer", "description": "N. One of: 1, 2."},
        ),
        (
            {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9, "multipleOf": 2},
            {"type": "integer", "minimum": 1, "maximum": 8},
        ),
        ({"minimum": 0.5}, {"type": "number", "minimum": 0.5}),
        ({"type": "array"}, {"type": "array", "items": TEXT}),
        (
            {"prefixItems": [{"type": "integer"}, {"type": "integer"}]},
            {"type": "array", "items": {"type": "integer"}},
        ),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"type": "object"}),
        (
            {
                "properties": {"a": True},
                "required": ["a", "b"],
                "$schema": "x",
                "additionalProperties": False,
            },
            {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
        ),
        (
            {"type": "object", "properties": {"a": TEXT}, "anyOf": [{"required": ["a"]}]},
            {"type": "object", "properties": {"a": TEXT}},
        ),
        (
            {"type": "string", "anyOf": [{"minLength": 3}, {"pattern": "x"}]},
            {"anyOf": [{"type": "string", "minLength": 3}, {"type": "string", "pattern": "x"}]},
        ),
        (
            {
                "allOf": [
                    {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
                    {"properties": {"b": TEXT}},
                ]
            },
            {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["a"]},
        ),
        ({"$ref": "#/$defs/no"}, {"type": "object"}),
        ({"$ref": "https://elsewhere/x"}, {"type": "object"}),
    ],
)
def test_schemas(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert clean_schema(given) == expected
    check(expected)


def test_references_are_put_in_their_places() -> None:
    defs = {
        "Kind": {"enum": ["x", "y"], "title": "Kind"},
        "Item": {"properties": {"kind": {"$ref": "#/$defs/Kind"}}},
    }
    items = {"type": "array", "items": {"$ref": "#/$defs/Item"}, "description": "all"}
    found = clean_schema(
        {
            "$defs": defs,
            "properties": {"items": items, "one": {"$ref": "#/$defs/Kind", "description": "d"}},
        }
    )
    kind = {"type": "string", "enum": ["x", "y"]}
    assert found["properties"] == {
        "items": {
            "type": "array",
            "description": "all",
            "items": {"type": "object", "properties": {"kind": kind}},
        },
        "one": {**kind, "description": "d"},
    }


def test_schemas_that_hold_themselves_come_to_an_end() -> None:
    tree = {"properties": {"name": TEXT, "under": {"type": "array", "items": {"$ref": "#"}}}}
    found = clean_schema(tree)
    check(found)
    assert found["properties"]["under"]["items"]["properties"]["under"]["items"] == {
        "type": "object"
    }
    many = {
        f"d{n}": {"properties": {x: {"$ref": f"#/$defs/d{n + 1}"} for x in "abcdef"}}
        for n in range(40)
    }
    found = clean_schema({"$defs": many, "$ref": "#/$defs/d0"})
    check(found)
    assert len(json.dumps(found)) < 1_000_000
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(5_000):
        deep = {"type": "array", "items": deep}
    assert clean_schema(deep) == {"type": "object"}


def test_the_tools_of_this_program() -> None:
    tools = [
        registry.load("agent_tui.tools", name, "TOOL").spec()
        for name in registry.names("agent_tui.tools")
    ]
    for tool, declared in zip(tools, declarations(tools), strict=True):
        if not tool.parameters["properties"]:
            assert "parameters" not in declared
            continue
        check(declared["parameters"])
        assert set(declared["parameters"]["properties"]) == set(tool.parameters["properties"])
        assert declared["parameters"].get("required") == tool.parameters.get("required")


def test_a_tool_without_arguments_has_no_parameters() -> None:
    tools = [ToolSpec("now", "The time.", {"type": "object", "properties": {}})]
    assert declarations(tools) == [{"name": "now", "description": "The time."}]


_LEAF: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.just([])
)
_KEYS = st.sampled_from(
    [
        "type",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "items",
        "prefixItems",
        "properties",
        "required",
        "format",
        "description",
        "nullable",
        "minimum",
        "pattern",
        "additionalProperties",
        "$defs",
        "default",
        "title",
    ]
)
_TYPES = st.sampled_from(
    ["string", "integer", "number", "boolean", "array", "object", "null", "any"]
)
_ANY: st.SearchStrategy[Any] = st.recursive(
    _LEAF | _TYPES | st.sampled_from(["#", "#/$defs/a", "#/properties/a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(_KEYS, inner, max_size=5)
        | st.dictionaries(st.sampled_from("abc"), inner, max_size=2)
    ),
    max_leaves=25,
)


@settings(deadline=None)
@example({"required": [[]], "properties": {"type": None}})
@given(st.dictionaries(_KEYS, _ANY, max_size=6))
def test_whatever_goes_in_what_comes_out_is_known(schema: dict[str, Any]) -> None:
    found = clean_schema(schema)
    check(found)
    json.dumps(found, allow_nan=False)
    assert clean_schema(schema) == found
