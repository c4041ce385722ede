"""Which tools for edits a model is offered: as it was trained, unless the settings say otherwise; and
always the same for one model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.turn.tool_offer import fit_to_model, tool_groups
from agent_tui.agent.turn.tool_wiring import enabled_tools
from agent_tui.protocol.events import ModelChanged
from agent_tui.protocol.ops import SetModel
from agent_tui.providers.facts.model_names import known_of
from agent_tui.settings.table import AgentSettings
from tests.agent.driving import Place
from tests.agent.model_server import call, engine, model_server, said, streamed

ALL = enabled_tools(())


def grouped(model: str, edit_format: str = "auto", **more: Any) -> bool:
    """Whether a patch is only there on demand."""
    tools = fit_to_model(more.get("tools", ALL), model, edit_format)
    return "apply_patch" in tool_groups(tools).get("files", ())


@pytest.mark.parametrize(
    "model",
    ["gpt-5", "gpt-6.1-sol", "gpt-4.1-mini", "gpt-5.2-codex", "codex-mini-latest", "o3", "o4-mini",
     "openrouter/openai/gpt-5", "ollama/gpt-oss:20b"],
)  # fmt: skip
def test_a_family_that_knows_patches_has_them_from_the_start(model: str) -> None:
    assert known_of(model).patches and not grouped(model)


@pytest.mark.parametrize(
    "model", ["ollama/qwen3:8b", "claude-opus-5-5", "gemini-3-pro-preview", "gpt-4o", "m", ""]
)
def test_all_others_load_them(model: str) -> None:
    assert grouped(model)


def test_the_setting_wins_and_nothing_is_out_of_reach() -> None:
    assert not grouped("qwen3:8b", "patch") and grouped("gpt-5", "edit")
    few = {name: ALL[name] for name in ("apply_patch", "edit_file")}
    assert not grouped("qwen3:8b", tools=few), "nothing could load it"


def names(body: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in body["tools"]]


def prefix(body: dict[str, Any]) -> str:
    return json.dumps([body["messages"][0], body["tools"]])


def test_the_prefix_is_the_same_for_one_model_whatever_comes_between(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with model_server(*[said("hello")] * 7) as server:
        server.listed = ["m", "gpt-5"]
        with engine(place, server) as driver:
            driver.turn("one")
            for model in ("gpt-5", "m", "gpt-5"):
                driver.send(SetModel(f"compatible/{model}"))
                driver.until(ModelChanged)
                driver.turn("more")
                driver.turn("and more")
    plain, patched = server.bodies[0], server.bodies[1]
    assert "apply_patch" not in names(plain) and names(patched)[0] == "apply_patch"
    assert [prefix(body) for body in server.bodies] == [
        prefix(patched if body["model"] == "gpt-5" else plain) for body in server.bodies
    ]
    assert names(patched)[1:] == names(plain)


def test_what_was_loaded_stays(tmp_path: Path) -> None:
    load = streamed(call("load_tools", '{"group": "files"}'), end="tool_calls")
    with (
        model_server(load, said("loaded"), said("again")) as server,
        engine(Place(tmp_path), server) as driver,
    ):
        driver.turn("one")
        driver.turn("two")
    first, *later = server.bodies
    assert "apply_patch" in str(first["messages"][0]) and "apply_patch" not in names(first)
    assert all({"apply_patch", "move_file"} <= {*names(body)} for body in later)
    assert prefix(later[0]) == prefix(later[1])


def test_the_setting_holds_in_a_session(tmp_path: Path) -> None:
    patches = AgentSettings(edit_format="patch")
    with model_server(said("hello")) as server, engine(Place(tmp_path), server, patches) as driver:
        driver.turn("one")
    assert "apply_patch" in names(server.bodies[0])
