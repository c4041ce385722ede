"""Tools that are loaded on demand: only their names are in the first request, and what was loaded
stays, also in a resumed session, but not behind a rewind."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from agent_tui.agent.session.history import History
from agent_tui.agent.turn.tool_offer import LOADER, tool_groups
from agent_tui.agent.turn.tool_wiring import enabled_tools
from agent_tui.protocol.event import Event
from agent_tui.protocol.events import ContextBuilt, Rewound, ToolEnded, TurnStarted
from agent_tui.settings.table import PermissionSettings, ToolSettings
from tests.agent.driving import Driver, Place

LOAD = {"call": "load_tools", "arguments": {"group": "research"}}
LOOK = {"call": "docs_lookup", "arguments": {"library": "nothing"}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def offered(driver: Driver) -> list[set[str]]:
    """The tools of each prefix that is on record."""
    return [
        {tool["name"] for tool in json.loads(event.tools)} for event in driver.all(ContextBuilt)
    ]


def test_a_group_is_offered_from_the_next_request_on(place: Place) -> None:
    with place.engine(place.script([LOAD], [LOOK], [LOAD], [{"text": "done"}])) as driver:
        assert driver.turn("go").state == "completed"
        first, then = offered(driver)
        assert LOADER in first and "docs_lookup" not in first
        assert then - first == {"docs_lookup", "web_fetch"}, "without a key nothing searches"
        [before, after] = [event.system for event in driver.all(ContextBuilt)]
        assert before == after and "research (docs_lookup, web_fetch)" in before
        loaded, looked, again = (event.content for event in driver.all(ToolEnded))
    assert loaded == again == "From now on you have: docs_lookup, web_fetch."
    assert "no installed libraries" in looked


def test_a_call_of_a_tool_that_was_not_loaded_runs_too(place: Place) -> None:
    with place.engine(place.script([LOOK], [{"text": "done"}])) as driver:
        assert driver.turn("go").state == "completed"
        assert "no installed libraries" in driver.all(ToolEnded)[0].content


def test_an_unknown_group_is_said_with_those_there_are(place: Place) -> None:
    call = {"call": "load_tools", "arguments": {"group": "browser"}}
    with place.engine(place.script([call], [{"text": "done"}])) as driver:
        assert driver.turn("go").state == "completed"
        [ended] = driver.all(ToolEnded)
    assert (
        ended.tag == "not_found"
        and "there are: files, find, jobs, memory, research" in ended.content
    )


def names_in(events: Iterable[Event]) -> set[str]:
    history = History()
    for event in events:
        history = history.with_event(event)
    return {spec.name for spec in history.tools}


def test_what_was_loaded_stays_in_a_resumed_session_and_not_behind_a_rewind(place: Place) -> None:
    model = place.script([{"text": "hello"}], [LOAD], [{"text": "done"}])
    with place.engine(model) as driver:
        driver.turn("one")
        driver.turn("go")
        events = [event for event in driver.all(Event) if event.settled]
        _, second = driver.all(TurnStarted)
    assert "web_fetch" in names_in(events)
    assert "web_fetch" not in names_in([*events, Rewound(second.n)])
    with place.engine(model, resume=events[0].session) as driver:
        driver.turn("on")
        assert not driver.all(ContextBuilt), "what was on record is sent"


def test_without_a_group_there_is_no_loader() -> None:
    assert LOADER not in enabled_tools(("read_file", LOADER))
    groups = tool_groups(enabled_tools(()).values())
    assert groups["research"] == ("docs_lookup", "web_fetch")
    assert (
        "web_search" in tool_groups(enabled_tools((), {"TAVILY_API_KEY": "k"}).values())["research"]
    )
    assert ToolSettings().enabled == ()


def test_what_a_tool_finds_by_itself_is_within_the_limits(place: Place) -> None:
    private = place.cwd / "priv"
    (place.cwd / "node_modules").mkdir(parents=True)
    private.mkdir()
    (private / "README.md").write_text("PRIVATE words")
    (private / "package.json").write_text('{"name": "pp"}')
    (place.cwd / "node_modules" / "pp").symlink_to(private)
    look = {"call": "docs_lookup", "arguments": {"library": "pp"}}
    for limits, shown in (((), True), ((str(private),), False)):
        rules = PermissionSettings(forbidden_dirs=limits)
        with place.engine(place.script([look], [{"text": "done"}]), permissions=rules) as driver:
            assert driver.turn("go").state == "completed"
            [ended] = driver.all(ToolEnded)
        assert ("PRIVATE words" in ended.content) is shown
