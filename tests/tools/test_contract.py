"""What holds for every registered tool, whoever wrote it."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from agent_tui import registry
from agent_tui.protocol.events import ToolEnded
from agent_tui.settings.table import ToolSettings
from agent_tui.tools.base import Effect, Tool, ToolFailure
from agent_tui.tools.support.argument_fit import fit
from agent_tui.tools.support.argument_names import NAMES as OTHER_NAMES
from agent_tui.tools.support.json_schema import example_call, problems
from tests.agent.driving import Place
from tests.tools.context import Context

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
    return {name: _sample(name, part) for name, part in parts.items()}


def _sample(name: str, part: dict[str, Any]) -> Any:
    if "enum" in part:
        return part["enum"][-1]
    if part.get("minItems"):
        whole = {"type": "object", "properties": {name: part}, "required": [name]}
        return json.loads(example_call(whole, {}))[name]
    return SAMPLES[part.get("type", "string")]


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
    assert tool(name).effect in get_args(Effect)
    assert (tool(name).host is not None) == (tool(name).effect == "network")
    assert (tool(name).command is not None) == (tool(name).effect == "execute")
    assert tool(name).read_only != tool(name).changes
    assert not tool(name).concurrent_safe or tool(name).read_only


def test_the_flags_follow_from_the_effect() -> None:
    def flags(effect: Effect, research: bool = False) -> tuple[bool, bool, bool]:
        made = replace(tool("read_file"), effect=effect, research=research)
        return made.read_only, made.concurrent_safe, made.changes

    assert flags("read") == (True, True, False)
    assert flags("read", research=True) == flags("network") == (True, False, False)
    for effect in ("write", "execute", "external"):
        assert flags(effect) == (False, False, True)  # type: ignore[arg-type]


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


@pytest.mark.parametrize("name", NAMES)
def test_a_call_that_is_wrong_is_shown_as_it_should_be(name: str) -> None:
    schema = tool(name).schema()
    shown = json.loads(example_call(schema, {}))
    assert set(shown) == set(schema.get("required", []))  # type: ignore[call-overload]
    assert not list(problems(schema, shown))
    tool(name).validate(shown)
    whole = sample(schema)
    assert json.loads(example_call(schema, {**whole, "surprise": 1})) == whole


@pytest.mark.parametrize("name", NAMES)
def test_a_null_is_an_argument_that_was_left_out(name: str) -> None:
    schema = tool(name).schema()
    required = sample(schema, only_required=True)
    nulls = {one: None for one in sample(schema) if one not in required}
    assert tool(name).validate(fit(schema, {**required, **nulls}).arguments) == tool(name).validate(
        required
    )


@pytest.mark.parametrize("name", NAMES)
def test_values_may_come_as_json_text(name: str) -> None:
    schema = tool(name).schema()
    good = sample(schema)
    as_text = {
        key: value if isinstance(value, str) else json.dumps(value) for key, value in good.items()
    }
    assert fit(schema, as_text).arguments == good


@pytest.mark.parametrize("name", NAMES)
def test_names_that_models_know_are_read_as_ours(name: str) -> None:
    schema = tool(name).schema()
    good = sample(schema)
    for own in good.keys() & OTHER_NAMES.keys():
        for other in set(OTHER_NAMES[own]) - good.keys():
            rest = {key: value for key, value in good.items() if key != own}
            fitted = fit(schema, {**rest, other: good[own]})
            assert (fitted.arguments, fitted.renamed) == (good, {other: own})


def test_every_result_is_bounded_and_every_failure_has_a_tag(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.cwd.mkdir()
    for number in range(600):
        (place.cwd / f"some text {number} {'x' * 60}.txt").write_text("some text " * 2_000)
    given = [
        {"call": name, "arguments": arguments, "id": f"c{number}{len(arguments)}"}
        for number, name in enumerate(NAMES)
        for arguments in (
            sample(tool(name).schema()),
            sample(tool(name).schema(), only_required=True),
            {**sample(tool(name).schema()), **WIDE.get(name, {})},
        )
    ]
    wrong = [{"call": name, "arguments": {"surprise": 1}, "id": f"w{name}"} for name in NAMES]
    calls = {call["id"]: call for call in (*given, *wrong)}.values()
    model = place.script([*calls], [{"text": "done"}])
    tools = ToolSettings(max_output_chars=4_000, command_timeout=20)
    options: dict[str, Any] = {"mode": "accept-all", "interactive": False, "sandbox": "local"}
    with place.engine(model, tools=tools, **options) as driver:
        assert driver.turn("go").state == "completed"
        ended = driver.all(ToolEnded)
    assert len(ended) == len(calls)
    for one in ended:
        assert len(one.content) <= 4_000 * 1.2, one.name
        tagged = re.match(r"Error \[([a-z_]+)\]: .", one.content)
        assert (one.tag in ("ok", "exit")) == (tagged is None), one
        assert tagged is None or tagged[1] == one.tag
    missing = {"web_search"}  # it has no key here
    refused = [one for one in ended if one.call_id.startswith("w") and one.name not in missing]
    assert {one.tag for one in refused} == {"invalid_arguments"}
    named = [one.content for one in ended if one.call_id == "wgrep_files"]
    assert "no such argument" in named[0] and "grep_files({" in named[0]
    assert "pydantic" not in named[0] and "extra" not in named[0].lower()


FAILED = ToolFailure | KeyError
"""It was over before: a file that there is not, a group that nobody offers."""
WIDE: dict[str, dict[str, Any]] = {
    "list_files": {"path": "."},
    "glob_files": {"pattern": "**/*", "path": "."},
    "grep_files": {"pattern": "some", "path": ".", "glob": ""},
    "run_shell_command": {"command": "yes some text | head -n 100000"},
}
"""Calls that find a lot."""


@pytest.mark.parametrize("name", NAMES)
def test_a_call_can_be_cancelled_at_any_moment(name: str, tmp_path: Path) -> None:
    """Wherever it waits, it ends with the cancellation, and the loop goes on meanwhile."""
    for number in range(300):
        (tmp_path / f"{number}.txt").write_text("some text\n" * 2_000)
    schema = tool(name).schema()
    slow = {"run_shell_command": {"command": "sleep 60"}}.get(name, WIDE.get(name, {}))
    arguments = tool(name).validate({**sample(schema, only_required=True), **slow})

    async def cancel_after(ticks: int) -> bool:
        task = asyncio.ensure_future(tool(name).run(arguments, Context(tmp_path)))
        for _ in range(ticks):
            await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait({task}, timeout=20)
        return task in done and (task.cancelled() or isinstance(task.exception(), FAILED | None))

    for ticks in (0, 1, 5, 50):
        assert asyncio.run(cancel_after(ticks)), ticks
