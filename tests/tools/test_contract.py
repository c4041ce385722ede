"""What holds for every registered tool, whoever wrote it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from agent_tui import registry
from agent_tui.tools.base import Tool

NAMES = registry.names("agent_tui.tools")
SAMPLES: dict[str, Any] = {
    "string": "some text",
    "integer": 1,
    "boolean": True,
    "number": 1.5,
    "array": [],
}


def tool(name: str) -> Tool[Any]:
    found: Tool[Any] = registry.load("agent_tui.tools", name, "TOOL")
    return found


def sample(schema: dict[str, Any], only_required: bool = False) -> dict[str, Any]:
    """Arguments that fit a schema."""
    wanted = schema.get("required", []) if only_required else schema["properties"]
    parts = {name: schema["properties"][name] for name in wanted}
    return {
        name: part["enum"][-1] if "enum" in part else SAMPLES[part.get("type", "string")]
        for name, part in parts.items()
    }


def has_title(node: Any, names: bool = False) -> bool:
    if isinstance(node, dict):
        here = "title" in node and not names
        return here or any(has_title(value, key == "properties") for key, value in node.items())
    return isinstance(node, list) and any(has_title(item) for item in node)


def test_the_tools_of_this_release_are_registered() -> None:
    assert {"read_file", "list_files", "glob_files", "grep_files", "skills"} <= set(NAMES)
    assert not [name for name in NAMES if name.startswith("_") or name == "base"]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_registers_the_tool_of_its_name(name: str) -> None:
    assert tool(name).name == name
    assert tool(name).effect in ("read", "write", "execute", "network")
    assert (tool(name).host is not None) == (tool(name).effect == "network")
    assert (tool(name).command is not None) == (tool(name).effect == "execute")


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_is_a_plain_object(name: str) -> None:
    spec = tool(name).spec()
    assert spec.parameters["type"] == "object"
    assert spec.parameters["additionalProperties"] is False
    assert set(spec.parameters.get("required", [])) <= set(spec.parameters["properties"])
    assert not has_title(spec.parameters)
    assert "$ref" not in json.dumps(spec.parameters)
    assert all("type" in part or "anyOf" in part for part in spec.parameters["properties"].values())


@pytest.mark.parametrize("name", NAMES)
def test_the_description_is_short_enough_for_a_small_model(name: str) -> None:
    assert 20 < len(tool(name).description) <= 400
    assert "\n" not in tool(name).description


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("only_required", [True, False])
def test_a_call_has_a_label_and_paths(name: str, only_required: bool) -> None:
    arguments = tool(name).arguments.model_validate(
        sample(tool(name).spec().parameters, only_required)
    )
    label = tool(name).label(arguments)
    assert label
    assert "\n" not in label
    assert label == label.strip()
    touched = tool(name).paths(arguments)
    assert isinstance(touched, tuple)
    assert all(isinstance(path, str) and path for path in touched)
    assert bool(touched) == ("path" in tool(name).arguments.model_fields)


@pytest.mark.parametrize("name", NAMES)
def test_an_argument_that_is_not_known_is_an_error(name: str) -> None:
    good = sample(tool(name).spec().parameters)
    with pytest.raises(ValidationError, match="surprise"):
        tool(name).arguments.model_validate({**good, "surprise": 1})


@pytest.mark.parametrize("name", NAMES)
def test_a_required_argument_that_is_missing_is_an_error(name: str) -> None:
    parameters = tool(name).spec().parameters
    for missing in parameters.get("required", []):
        good = sample(parameters)
        del good[missing]
        with pytest.raises(ValidationError, match=missing):
            tool(name).arguments.model_validate(good)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrong", [{"a": 1}, [1, 2]], ids=["object", "array"])
def test_an_argument_of_the_wrong_type_is_an_error(name: str, wrong: Any) -> None:
    parameters = tool(name).spec().parameters
    for argument in parameters["properties"]:
        with pytest.raises(ValidationError, match=argument):
            tool(name).arguments.model_validate({**sample(parameters), argument: wrong})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrong", ["text", 3, None, ["a"]], ids=repr)
def test_arguments_that_are_no_object_are_an_error(name: str, wrong: Any) -> None:
    with pytest.raises(ValidationError):
        tool(name).arguments.model_validate(wrong)
