"""The web in a turn: which hosts are asked about, and what an answer allows from then on."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.events import ApprovalAsked, ToolEnded, TurnEnded
from agent_tui.protocol.ops import Answer, Choice, Submit
from agent_tui.safety.sandbox.network_proxy import Internet
from agent_tui.settings.table import PermissionSettings
from tests.agent.driving import Driver, Place, running
from tests.safety.test_network_proxy import PUBLIC, Server, server

__all__ = ["server"]


@pytest.fixture
def place(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Every name of the internet is the server's."""

    async def resolve(_: Internet, name: str, __: int) -> Sequence[str]:
        if name.startswith("gone."):
            raise socket.gaierror(-2, "Name or service not known")
        return [PUBLIC]

    monkeypatch.setattr(Internet, "resolve", resolve)
    monkeypatch.setattr(Internet, "destination", lambda *_: ("127.0.0.1", server.port))
    made = Place(tmp_path)
    made.cwd.mkdir(parents=True)
    return made


def fetches(place: Place, *urls: str) -> str:
    steps: list[Any] = [[{"call": "web_fetch", "arguments": {"url": url}}] for url in urls]
    return place.script(*steps, [{"text": "done"}])


def answer(driver: Driver, choice: Choice) -> ApprovalAsked:
    asked = driver.until(ApprovalAsked)
    driver.send(Answer(asked.id, choice))
    return asked


def results(driver: Driver) -> Iterator[str]:
    return (event.content for event in driver.all(ToolEnded))


@pytest.mark.parametrize("mode", ["auto", "accept-edits", "plan", "manual"])
def test_a_host_is_asked_about_once(place: Place, server: Server, mode: str) -> None:
    model = fetches(place, "https://one.test/a", "https://one.test/b", "https://two.test/")
    with place.engine(model, mode=mode) as driver:
        driver.send(Submit("go"))
        asked = answer(driver, "no")
        assert "one.test" in (asked.reason if mode != "manual" else asked.label)
        answer(driver, "no")
        answer(driver, "no")
        assert driver.until(TurnEnded).state == "completed"
    assert not server.asked


def test_what_was_allowed_for_a_host_holds_for_that_host(place: Place, server: Server) -> None:
    urls = ("http://one.test/a", "http://one.test/b")
    with place.engine(fetches(place, *urls), mode="accept-all") as driver:
        driver.send(Submit("go"))
        for _ in urls:  # what is not encrypted asks each time
            asked = answer(driver, "once")
            assert "not encrypted" in asked.reason and not asked.always
        assert driver.until(TurnEnded).state == "completed"
        assert all("hello from outside" in content for content in results(driver))
    assert [path for _, path, _ in server.asked] == ["/a", "/b"]


def test_a_rule_names_a_host_and_what_is_below_a_domain(place: Place) -> None:
    rules = PermissionSettings(allow=("web_fetch(*.one.test)",), deny=("web_fetch(evil.test)",))
    urls = ("https://gone.one.test/", "https://evil.test/", "https://gone.notone.test/")
    with place.engine(fetches(place, *urls), permissions=rules) as driver:
        driver.send(Submit("go"))
        asked = answer(driver, "no")
        assert "gone.notone.test" in asked.reason
        assert asked.always == "gone.notone.test, with this tool"
        assert driver.until(TurnEnded).state == "completed"
        reached, denied, refused = results(driver)
    assert "cannot be reached" in reached and "[blocked]" in denied and "[denied]" in refused


def test_off_the_record_a_page_can_be_read(place: Place) -> None:
    config = replace(place.config(fetches(place, "http://one.test/")), otr=True)
    with running(config) as driver:
        driver.send(Submit("go"))
        answer(driver, "once")
        assert driver.until(TurnEnded).state == "completed"
        [content] = results(driver)
    assert "hello from outside" in content


def test_this_machine_is_blocked_and_a_long_path_asks(place: Place, server: Server) -> None:
    long = f"https://one.test/{'a' * 600}"
    model = fetches(place, "http://localhost:8000/", long)
    with place.engine(model, mode="accept-all") as driver:
        driver.send(Submit("go"))
        asked = answer(driver, "no")
        assert "carries 601 bytes to one.test" in asked.reason and not asked.always
        assert asked.label.startswith("Fetch https://one.test/a") and "…" in asked.label
        assert driver.until(TurnEnded).state == "completed"
        [blocked, refused] = results(driver)
    assert blocked.startswith("Error [blocked]: localhost is not fetched: it is this machine")
    assert "[denied]" in refused and not server.asked
