"""The small profile for small windows, and flat edits for models that err in nested JSON: what the
first request has, that it stays the same, and that it follows the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.turn.tool_offer import CORE, LOADED, fit_to_model, profile_of
from agent_tui.agent.turn.tool_wiring import enabled_tools
from agent_tui.protocol.events import ModelChanged, ToolEnded
from agent_tui.protocol.messages import ModelInfo
from agent_tui.protocol.ops import SetModel
from agent_tui.providers.facts.model_names import is_weak
from agent_tui.settings.table import ToolSettings
from tests.agent.driving import Place
from tests.agent.model_server import call, engine, model_server, said, streamed
from tests.agent.test_edit_format import names, prefix

CHARACTERS = 4
"""Of a token, about."""
ALL = enabled_tools(())


def edit_arguments(body: dict[str, Any]) -> set[str]:
    [tool] = [one for one in body["tools"] if one["function"]["name"] == "edit_file"]
    return set(tool["function"]["parameters"]["properties"])


def test_the_whole_first_request_is_small_where_the_window_is(tmp_path: Path) -> None:
    sizes = {}
    for window in (8_192, 128_000):
        place = Place(tmp_path / str(window))
        with model_server(said("hello")) as server:
            server.window = window
            with engine(place, server) as driver:
                driver.turn("one")
        [body] = server.bodies
        sizes[window] = len(json.dumps(body, separators=(",", ":"))) / CHARACTERS
        assert (set(names(body)) == set(CORE)) is (window == 8_192)
    assert sizes[8_192] <= 900 and sizes[8_192] * 2.5 <= sizes[128_000]


def test_what_is_left_out_is_loaded_and_the_prefix_stays(tmp_path: Path) -> None:
    load = streamed(call("load_tools", '{"group": "plan"}'), end="tool_calls")
    with model_server(said("hello"), load, said("loaded"), said("again")) as server:
        server.window = 8_192
        with engine(Place(tmp_path), server) as driver:
            for prompt in ("one", "two", "three"):
                driver.turn(prompt)
    first, second, *later = server.bodies
    assert prefix(first) == prefix(second) and "plan (ask_user" in str(first["messages"][0])
    assert names(later[0])[: len(CORE)] == names(first) and "ask_user" in names(later[0])
    assert prefix(later[0]) == prefix(later[1])


def test_every_tool_of_the_first_request_is_core_or_in_a_group() -> None:
    offered = {tool.name for tool in fit_to_model(ALL, "m", "auto") if not tool.group}
    assert offered == CORE.keys() | LOADED.keys()
    small = fit_to_model(ALL, "m", "auto", "small")
    assert {tool.name for tool in small if not tool.group} == CORE.keys()
    read = next(tool for tool in small if tool.name == "read_file")
    assert "pages" not in read.schema()["properties"]  # type: ignore[operator]
    assert read.validate({"path": "a.pdf", "pages": "2"}).pages == "2", "it is taken all the same"


@pytest.mark.parametrize(
    "window, assumed, wanted, profile",
    [(8_192, False, "auto", "small"), (16_384, False, "auto", "small"), (32_768, False, "auto", "full"),
     (8_192, True, "auto", "full"), (0, False, "auto", "full"), (0, False, "small", "small"),
     (8_192, False, "full", "full")],
    ids=["8k", "16k", "32k", "assumed", "unknown", "wanted", "refused"],
)  # fmt: skip
def test_the_profile(window: int, assumed: bool, wanted: str, profile: str) -> None:
    info = ModelInfo("compatible/m", window, window, window_assumed=assumed)
    assert profile_of(info, wanted) == profile


def test_it_follows_the_model_and_is_the_same_for_one(tmp_path: Path) -> None:
    with model_server(*[said("hello")] * 2) as large, model_server(*[said("hi")] * 2) as small:
        large.window, small.window = 128_000, 8_192
        with engine(Place(tmp_path), large, others={"lmstudio": small}) as driver:
            driver.turn("one")
            for model in ("lmstudio/m", "compatible/m", "lmstudio/m"):
                driver.send(SetModel(model))
                driver.until(ModelChanged)
                driver.turn("more")
    assert prefix(large.bodies[0]) == prefix(large.bodies[1])
    assert prefix(small.bodies[0]) == prefix(small.bodies[1])
    assert "ask_user" in names(large.bodies[1]) and set(names(small.bodies[1])) == set(CORE)


def test_the_setting_holds(tmp_path: Path) -> None:
    with model_server(said("hello")) as server:
        server.window = 8_192
        with engine(Place(tmp_path), server, tools=ToolSettings(profile="full")) as driver:
            driver.turn("one")
    assert "ask_user" in names(server.bodies[0])


@pytest.mark.parametrize(
    "model, weak",
    [("ollama/qwen3:8b", True), ("llama-3.1-8b-instant", True), ("gemma3n:e4b", True),
     ("llama3.2", True), ("phi4-mini", True), ("qwen3:30b-a3b", False), ("mixtral-8x7b", False),
     ("gpt-oss:120b", False), ("claude-opus-5-5", False), ("m", False), ("", False)],
)  # fmt: skip
def test_a_small_model_is_known_by_its_name(model: str, weak: bool) -> None:
    assert is_weak(model) is weak
    [edit] = [tool for tool in fit_to_model(ALL, model, "auto") if tool.name == "edit_file"]
    assert ("edits" not in edit.schema()["properties"]) is weak  # type: ignore[operator]


def test_two_calls_with_edits_that_do_not_fit_make_them_flat_and_both_forms_count(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path)
    place.cwd.mkdir()
    (place.cwd / "a.txt").write_text("one\ntwo\n")
    wrong = {"path": "a.txt", "edits": [{"before": "one", "after": "1"}]}
    right = {"path": "a.txt", "edits": [{"old": "one", "new": "1"}, {"old": "two", "new": "2"}]}
    read = streamed(call("read_file", '{"path": "a.txt"}', "r"), end="tool_calls")
    edits = (streamed(call("edit_file", json.dumps(one), f"c{at}"), end="tool_calls")
             for at, one in enumerate((wrong, wrong, right)))  # fmt: skip
    with model_server(read, *edits, said("done"), said("again")) as server:
        with engine(place, server, mode="accept-edits") as driver:
            driver.turn("go")
            driver.turn("more")
        ended = [event.tag for event in driver.all(ToolEnded) if event.name == "edit_file"]
    assert ended == ["invalid_arguments", "invalid_arguments", "ok"]
    assert (place.cwd / "a.txt").read_text() == "1\n2\n"
    nested = ["edits" in edit_arguments(body) for body in server.bodies]
    assert nested == [True, True, True, False, False, False]
    assert names(server.bodies[0]) == names(server.bodies[-1])


def test_the_setting_shows_all_models_flat_edits() -> None:
    [edit] = [tool for tool in fit_to_model(ALL, "gpt-5", "flat") if tool.name == "edit_file"]
    assert "edits" not in edit.schema()["properties"]  # type: ignore[operator]
    [edit] = [tool for tool in fit_to_model(ALL, "qwen3:8b", "edit") if tool.name == "edit_file"]
    assert "edits" in edit.schema()["properties"]  # type: ignore[operator]
