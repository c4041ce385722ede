"""A command in the sandbox that wants the network: the person is asked for its hosts, and a yes
gives it those. Real servers, real sandboxes; only the names of the internet are made up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent_tui.protocol.answers import PermissionList
from agent_tui.protocol.events import (
    Answered,
    ApprovalAnswered,
    ApprovalAsked,
    Notice,
    ToolEnded,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, Choice, Query, RevokePermission, Submit
from agent_tui.protocol.transcript import Approval
from agent_tui.safety.sandbox import support as sandbox_support
from agent_tui.safety.sandbox.network_proxy import Internet, Stream
from agent_tui.safety.sandbox.profiles import LANDLOCK
from agent_tui.tui.dialog.offers import offers
from tests.agent.driving import Driver, Place
from tests.agent.test_commands_that_work import run
from tests.safety.test_network_proxy import PUBLIC, Server, server

__all__ = ["server"]
URL = "http://one.test/"
BEHIND_A_VARIABLE = "u=http://one.test/; curl -sS --fail $u"
"""Nobody can read in it where it connects to."""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.cwd.mkdir(parents=True)
    return made


@pytest.fixture(params=[way for way in sandbox_support._ways() if way != LANDLOCK], ids=Path)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The only backend that is looked for."""
    monkeypatch.setattr(sandbox_support, "_ways", lambda: iter([request.param]))


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch, server: Server) -> list[str]:
    """All names are the server's; those that were looked up."""
    names: list[str] = []

    async def resolve(_: Internet, name: str, __: int) -> Sequence[str]:
        names.append(name)
        return ["10.1.2.3" if name.endswith(".intern.test") else PUBLIC]

    async def connect(_: Internet, __: str, ___: int) -> Stream:
        return await asyncio.open_connection("127.0.0.1", server.port)

    monkeypatch.setattr(Internet, "resolve", resolve)
    monkeypatch.setattr(Internet, "connect", connect)
    return names


def begin(driver: Driver) -> ApprovalAsked:
    driver.send(Submit("go"))
    return driver.until(ApprovalAsked)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("choice", ["once", "outside", "no"])
def test_a_command_that_names_its_host_is_asked_about_first(
    place: Place, server: Server, resolved: list[str], choice: Choice
) -> None:
    """It does not run twice; outside of the sandbox the made-up name is not there."""
    command = f"echo ran >> ran.txt; curl -sS --max-time 5 {URL}"
    calls = [[run(command)], [{"text": "ok"}]]
    with place.engine(place.script(*calls), mode="accept-all") as driver:
        asked = begin(driver)
        assert asked.hosts == ("one.test",) and "with network to that alone" in asked.reason
        assert not resolved and not (place.cwd / "ran.txt").exists()
        driver.send(Answer(asked.id, choice))
        driver.until(TurnEnded)
        [ended] = driver.all(ToolEnded)
        assert ("hello from outside" in ended.content) is (choice == "once")
        assert ended.content.startswith("Error [denied]") is (choice == "no")
        assert [one.choice for one in driver.all(ApprovalAnswered)] == [choice]
    assert bool(resolved) is (choice == "once") is bool(server.asked)
    runs = (place.cwd / "ran.txt").read_text() if choice != "no" else ""
    assert runs == ("" if choice == "no" else "ran\n")


@pytest.mark.usefixtures("way")
def test_what_it_was_refused_is_offered_and_it_runs_again(
    place: Place, server: Server, resolved: list[str]
) -> None:
    """One host after the other, as it gets to them; a host of one's own network with its address."""
    command = f"{BEHIND_A_VARIABLE} && v=http://git.intern.test:99/x && curl -sS --fail $v"
    calls = [[run(command)], [run(command)], [{"text": "ok"}]]
    with place.engine(place.script(*calls), mode="accept-all") as driver:
        first = begin(driver)
        assert first.hosts == ("one.test",) and not resolved
        driver.send(Answer(first.id, "once"))
        offered = []
        for _ in range(2):
            asked = driver.until(ApprovalAsked)
            offered.append(asked.hosts)
            driver.send(Answer(asked.id, "once"))
        again = driver.until(ApprovalAsked)
        driver.send(Answer(again.id, "no"))
        driver.until(TurnEnded)
        done, refused = driver.all(ToolEnded)
        assert offered == [("git.intern.test:99",), ("git.intern.test:99=10.1.2.3",)]
        assert done.content.count("hello from outside") == 2 and "refused]" not in done.content
        assert again.hosts == ("one.test",), "once is once"
        assert "network: one.test refused" in refused.content
    assert ("GET", "/x", "git.intern.test:99") in server.asked


@pytest.mark.usefixtures("resolved", "way")
@pytest.mark.parametrize("choice", ["always", "folder"])
def test_a_host_may_be_allowed_for_the_session_or_the_folder(place: Place, choice: Choice) -> None:
    twice = [[run(BEHIND_A_VARIABLE)], [run(f"curl -sS {URL}")], [{"text": "ok"}]]
    with place.engine(place.script(*twice), mode="accept-all") as driver:
        asked = begin(driver)
        assert asked.always == asked.folder.replace("one.test", "network to one.test")
        driver.send(Answer(asked.id, choice))
        driver.until(TurnEnded)
        assert all("hello from outside" in one.content for one in driver.all(ToolEnded))
        assert len(driver.all(ApprovalAsked)) == 1
    with place.engine(place.script(*twice[1:] * 2), mode="accept-all") as driver:
        driver.send(Submit("go"))
        if choice == "folder":
            driver.until(TurnEnded)
            assert not driver.all(ApprovalAsked)
            driver.send(Query("q", "permissions"))
            listed = driver.until(Answered).data
            assert isinstance(listed, PermissionList)
            [kept] = listed.folder
            assert kept.text == "Network one.test"
            driver.send(RevokePermission(kept.id))
            driver.until(Notice, lambda one: "No longer allowed" in one.text)
            driver.send(Submit("go"))
        assert driver.until(ApprovalAsked).hosts == ("one.test",)


@pytest.mark.usefixtures("way")
def test_without_an_offer_no_byte_leaves(place: Place, server: Server, resolved: list[str]) -> None:
    """A canary, where nobody can answer: the hosts are said, and nothing is looked up."""
    command = f"{BEHIND_A_VARIABLE}; curl -sS {URL} http://two.test:8080/; exit 3"
    script = place.script([run(command)], [run(f"curl -s {URL}; true")], [{"text": "ok"}])
    with place.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        failed, passed = driver.all(ToolEnded)
        assert "network: one.test, two.test:8080 refused" in failed.content
        assert "it ran in a sandbox" in failed.content and "ran in" not in passed.content
        assert "network: one.test refused" in passed.content and not driver.all(ApprovalAsked)
    assert not resolved and not server.asked


def test_where_the_sandbox_has_no_network_of_its_own_it_is_said(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_support, "_ways", lambda: iter([LANDLOCK]))
    calls = [[run(f"curl -sS {URL}")], [{"text": "ok"}]]
    with place.engine(place.script(*calls), mode="accept-all") as driver:
        asked = begin(driver)
        assert not asked.hosts and "cannot have it for single hosts" in asked.reason
        driver.send(Answer(asked.id, "outside"))
        driver.until(TurnEnded)
        [ended] = driver.all(ToolEnded)
        assert "it ran in a sandbox" in ended.content, "what was not offered is a no"


def test_the_answers_say_how_far_they_go() -> None:
    question = Approval(
        "q", "c", "run_shell_command", "Run x", "why", always="network to a.test, b.test",
        folder="a.test b.test", hosts=("a.test", "b.test"),
    )  # fmt: skip
    found = {one.keys[0]: (one.label, one.choice) for one in offers(question)}
    assert found == {
        "y": ("yes, with network to a.test, b.test", "once"),
        "a": ("always, this session: network to a.test, b.test", "always"),
        "f": ("for good, every session: a.test b.test", "folder"),
        "o": ("yes, without the sandbox", "outside"),
        "n": ("no", "no"),
        "m": ("no, and say why", "no"),
    }
