"""What of a request is the same as in the one before, and what is said where its beginning is
another."""

from __future__ import annotations

import json
from pathlib import Path

from agent_tui.agent.turn.prefix_guard import LARGE, PrefixGuard
from agent_tui.protocol.events import Notice
from agent_tui.protocol.messages import Message, Request, ToolSpec, UserMessage
from tests.agent.driving import Place
from tests.agent.model_server import call, engine, model_server, said, streamed

LONG = UserMessage("x" * LARGE)
TOOL = ToolSpec("t", "Does it.", {})


def request(*messages: Message, system: str = "s", tools: tuple[ToolSpec, ...] = ()) -> Request:
    return Request(system, messages, tools)


def test_what_only_grows_is_kept() -> None:
    guard = PrefixGuard()
    assert guard.look(request(LONG)) == guard.look(request(LONG, UserMessage("more"))) == ""
    assert (guard.kept, guard.broke) == (1.0, "")


def test_another_beginning_is_said_once_for_each_cause() -> None:
    guard = PrefixGuard()
    guard.look(request(LONG))
    assert guard.look(request(LONG, system="other")).startswith("The system prompt has changed")
    assert guard.kept == 0
    assert guard.look(request(LONG, system="third")) == ""
    assert guard.look(request(LONG, system="third", tools=(TOOL,))).startswith("The list of tools")


def test_nothing_is_said_of_a_short_request_nor_where_a_summary_came_too() -> None:
    guard = PrefixGuard()
    guard.look(request(UserMessage("short")))
    assert guard.look(request(UserMessage("short"), tools=(TOOL,))) == ""
    assert guard.broke == "the list of tools"
    guard.look(request(LONG))
    assert guard.look(request(UserMessage("summary"), LONG, tools=(TOOL,))) == ""


def test_the_part_that_is_kept_is_measured() -> None:
    guard = PrefixGuard()
    guard.look(request(LONG, LONG))
    guard.look(request(LONG, UserMessage("another")))
    assert 0.49 < guard.kept < 0.51 and guard.broke == "message 2 of 2"


def test_the_person_reads_it_where_tools_were_loaded(tmp_path: Path) -> None:
    place = Place(tmp_path)
    load = streamed(call("load_tools", json.dumps({"group": "files"})), end="tool_calls")
    with model_server(said("one"), load, said("two")) as server, engine(place, server) as driver:
        driver.turn("x" * LARGE)
        driver.turn("more tools")
        notices = [one.text for one in driver.all(Notice)]
    assert "The list of tools has changed: the model reads the whole request again." in notices
