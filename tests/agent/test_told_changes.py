"""What a request begins with stays as it is; what changes of it is told behind the newest prompt.
In another folder it is made anew, and both sides are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.answers import Ledger, LedgerPart
from agent_tui.protocol.events import Answered, ContextBuilt, ContextTold, Notice
from agent_tui.protocol.ops import Query
from tests.agent.driving import Driver, Place
from tests.agent.model_server import ModelServer, call, engine, model_server, said, status, streamed


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    return place


def answers(count: int) -> list[Any]:
    return [said(f"answer {number}") for number in range(count)]


def sent(server: ModelServer, at: int = -1) -> list[str]:
    return [str(message["content"]) for message in server.bodies[at]["messages"]]


def test_a_changed_file_is_told_once_and_the_prefix_stays(place: Place) -> None:
    file = place.cwd / "AGENTS.md"
    file.write_text("Use tabs.")
    with model_server(*answers(4)) as server, engine(place, server) as driver:
        driver.turn("one")
        file.write_text("Use spaces.")
        driver.turn("two")
        driver.turn("three")
        [told] = driver.all(ContextTold)
        file.unlink()
        driver.turn("four")
    first, second, third, fourth = (sent(server, at) for at in range(4))
    assert first[0] == second[0] == third[0] == fourth[0], "the prefix stays, byte for byte"
    assert third[: len(second)] == second and fourth[: len(third)] == third
    assert "Use spaces." in second[-1] and second[-1].startswith("two")
    assert sum("Use spaces." in text for text in third) == 1
    assert "AGENTS.md is gone" in fourth[-1]
    assert told.said == "The model is told what changed: AGENTS.md."


def test_a_file_that_comes_is_told_and_nothing_where_nothing_changed(place: Place) -> None:
    with model_server(*answers(3)) as server, engine(place, server) as driver:
        driver.turn("one")
        driver.turn("two")
        assert not driver.all(ContextTold)
        (place.cwd / "CLAUDE.md").write_text("Run make test.")
        driver.turn("three")
    assert "[CLAUDE.md is new]" in sent(server)[-1] and "Run make test." in sent(server)[-1]


def test_a_new_skill_is_told(place: Place) -> None:
    with model_server(*answers(2)) as server, engine(place, server) as driver:
        driver.turn("one")
        folder = place.root / "user" / ".claude" / "skills" / "deploy"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text("---\nname: deploy\ndescription: Ships it.\n---\nShip.")
        driver.worker.send(Query("s", "skills"))
        driver.until(Answered, lambda event: event.id == "s")
        driver.turn("two")
    assert "The list of skills was changed" in sent(server)[-1] and "Ships it." in sent(server)[-1]


def test_a_change_is_told_at_a_resume_too(place: Place) -> None:
    file = place.cwd / "AGENTS.md"
    file.write_text("Use tabs.")
    with model_server(*answers(3)) as server:
        with engine(place, server) as driver:
            driver.turn("one")
            session = driver.events[0].session
        file.write_text("Use spaces.")
        with engine(place, server, resume=session) as driver:
            driver.turn("two")
            assert not driver.all(ContextBuilt)
        with engine(place, server, resume=session) as driver:
            driver.turn("three")
            assert not driver.all(ContextTold), "it knows"
    assert sent(server, 0)[0] == sent(server, 2)[0]
    assert sum("Use spaces." in text for text in sent(server)) == 1


def test_in_another_folder_the_prefix_is_made_anew_and_both_sides_are_told(place: Place) -> None:
    (place.cwd / "AGENTS.md").write_text("Use tabs.")
    other = place.root / "other"
    other.mkdir()
    (other / "AGENTS.md").write_text("Use spaces.")
    with model_server(*answers(2)) as server:
        with engine(place, server) as driver:
            driver.turn("one")
            session = driver.events[0].session
        with engine(place, server, resume=session, folder=other) as driver:
            driver.turn("two")
            said_so = [one.said for one in driver.all(ContextTold)]
    assert f"Working directory: {other.resolve()}" in sent(server)[0]
    assert "Use spaces." in sent(server)[0] and "Use tabs." not in sent(server)[0]
    assert "another folder" in sent(server)[-1]
    assert len(said_so) == 1 and str(other.resolve()) in said_so[0]


def test_over_two_hundred_steps_with_changes_between_requests_only_grow(place: Place) -> None:
    file = place.cwd / "AGENTS.md"
    with model_server(*answers(200)) as server, engine(place, server) as driver:
        for number in range(200):
            if not number % 10:
                file.write_text(f"Rule {number}.")
            driver.turn(f"prompt {number}")
    before: list[str] = []
    for at in range(200):
        now = sent(server, at)
        assert now[: len(before)] == before
        before = now


# -- folders below


def reading(path: str, id: str = "c1") -> Any:
    return streamed(call("read_file", json.dumps({"path": path}), id), end="tool_calls")


def below(place: Place, name: str, text: str) -> Path:
    folder = place.cwd / name
    folder.mkdir(parents=True)
    (folder / "code.py").write_text("x = 1\n")
    (folder / "AGENTS.md").write_text(text)
    return folder / "AGENTS.md"


def test_instructions_of_a_folder_below_are_told_behind_what_was_read_there(place: Place) -> None:
    file = below(place, "pkg/api", "Every handler is async.")
    steps = [reading("pkg/api/code.py"), reading("pkg/api/code.py", "c2"), said("ok"), said("two")]
    with model_server(*steps, said("three")) as server, engine(place, server) as driver:
        driver.turn("one")
        [told] = driver.all(ContextTold)
        driver.turn("two")
        file.write_text("Handlers are not async.")
        driver.turn("three")
    first, second, third, fourth, fifth = (sent(server, at) for at in range(5))
    assert "pkg/api/AGENTS.md" in told.said
    assert "async" not in "".join(first)
    assert "[pkg/api/AGENTS.md is new]" in second[-1] and "Every handler is async." in second[-1]
    assert server.bodies[1]["messages"][-1]["role"] == "user"
    assert third[: len(second)] == second and fourth[: len(third)] == third
    assert sum("Every handler is async." in text for text in fourth) == 1, "told once"
    assert "Handlers are not async." in fifth[-1]


def test_a_resume_knows_what_was_told_of_a_folder_below(place: Place) -> None:
    file = below(place, "pkg", "Every handler is async.")
    with model_server(reading("pkg/code.py"), *answers(3)) as server:
        with engine(place, server) as driver:
            driver.turn("one")
            session = driver.events[0].session
        with engine(place, server, resume=session) as driver:
            driver.turn("two")
            assert not driver.all(ContextTold)
            file.unlink()
            driver.turn("three")
            assert len(driver.all(ContextTold)) == 1
    assert "[pkg/AGENTS.md is gone" in sent(server)[-1]


def test_instructions_below_that_are_not_trusted_are_named_once_and_not_sent(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path, trusts=False)
    below(place, "pkg", "Every handler is async.")
    steps = [reading("pkg/code.py"), reading("pkg/code.py", "c2"), said("ok"), said("two")]
    with model_server(*steps) as server, engine(place, server) as driver:
        driver.turn("one")
        driver.turn("two")
        said_so = [one.text for one in driver.all(Notice) if "Not trusted" in one.text]
    assert said_so == ["Not trusted, so not used: pkg/AGENTS.md."]
    assert not any("async" in text for at in range(4) for text in sent(server, at))


def test_a_smaller_window_gives_instructions_less_and_they_are_not_called_changed(
    place: Place,
) -> None:
    (place.cwd / "AGENTS.md").write_text("x" * 9_000)
    with model_server(*answers(3)) as server, model_server(*answers(1)) as small:
        server.window, small.window = 100_000, 10_000
        with engine(place, server) as driver:
            driver.turn("one")
            driver.turn("two")
            session = driver.events[0].session
        with engine(place, small, resume=session) as driver:
            driver.turn("three")
            assert not driver.all(ContextTold)
    assert sent(server, 0)[0].count("x") > 9_000 > 5_000 > sent(small, 0)[0].count("x")
    assert "[cut here: all instruction files together are too long]" in sent(small, 0)[0]


def ledger(driver: Driver) -> dict[str, LedgerPart]:
    driver.worker.send(Query("ledger", "context"))
    found = driver.until(Answered, lambda event: event.id == "ledger").data
    assert isinstance(found, Ledger)
    there = {part.name: part for part in found.parts if not part.gone}
    assert sum(part.tokens for part in there.values()) == found.tokens, "the sum stays exact"
    return there


def test_the_ledger_tells_what_was_told_later_from_the_prompts(place: Place) -> None:
    file, memory = place.cwd / "AGENTS.md", place.home / "memory"
    file.write_text("Use tabs.")
    with model_server(*answers(4)) as server, engine(place, server) as driver:
        driver.turn("one")
        before = ledger(driver)
        file.write_text("Use spaces. " * 40)
        (place.cwd / "CLAUDE.md").write_text("Run make test. " * 40)
        memory.mkdir(parents=True)
        (memory / "ports.md").write_text("The harbour database listens on port 7777.")
        driver.turn("which port does the harbour database listen on?")
        driver.turn("three")
        after = ledger(driver)
    assert not any(name.startswith("told later") for name in before)
    assert "Model: " in before["facts of the moment"].text
    for name, text in (("AGENTS.md", "Use spaces."), ("CLAUDE.md", "Run make test.")):
        told = after[f"told later: {name}"]
        assert text in told.text and told.tokens > 40
    assert "7777" in after["told later: list of remembered facts"].text
    assert "7777" in after["recalled from memory"].text
    assert after["your prompts"].tokens < 40, "the person wrote three lines"
    said = [one.said for one in driver.all(ContextTold) if "what changed" in one.said]
    assert said == ["The model is told what changed: AGENTS.md, CLAUDE.md."], "no word of memory"


def test_what_was_told_twice_is_counted_where_it_stands(place: Place) -> None:
    """Also where a turn failed and its prompt went back, with what was told behind it."""
    file = place.cwd / "AGENTS.md"
    file.write_text("Use tabs.")
    broken = status(400, "no")
    with model_server(said("one"), broken, said("two")) as server, engine(place, server) as driver:
        driver.turn("one")
        file.write_text("Use spaces. " * 40)
        assert driver.turn("two").state == "error"
        driver.turn("two")
        after = ledger(driver)
    assert after["told later: AGENTS.md"].text.count("[AGENTS.md was changed") == 1
    assert after["your prompts"].tokens < 40
