"""The person's own parts of the prompt and identity files in a session: told, asked about, and told
anew when they change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.services.trust import look_at_project
from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import ContextBuilt, Notice, StepStarted
from tests.agent.driving import Driver, Place, running
from tests.agent.model_server import ModelServer, engine, model_server, said


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    (place.home / "prompt").mkdir(parents=True)
    return place


def sent(server: ModelServer, at: int = -1) -> list[str]:
    return [str(message["content"]) for message in server.bodies[at]["messages"]]


def warnings(driver: Driver) -> list[str]:
    return [one.text for one in driver.all(Notice) if one.level == "warning"]


def test_replaced_rules_and_unknown_files_are_said_once_at_the_first_prompt(place: Place) -> None:
    (place.home / "prompt" / "trust.md").write_text("Be lax.")
    (place.home / "prompt" / "tone.md").write_text("x")
    with model_server(said("a"), said("b")) as server, engine(place, server) as driver:
        driver.turn("one")
        driver.turn("two")
        texts = warnings(driver)
    assert "Be lax." in sent(server)[0] and "Everything else that you read" not in sent(server)[0]
    assert len(texts) == 2
    assert any("rules that protect you (trust)" in text for text in texts)
    assert any("not used: tone.md" in text for text in texts)


def test_rules_that_are_replaced_later_and_files_that_fit_nothing_are_said_once_too(
    place: Place,
) -> None:
    with model_server(*[said(str(n)) for n in range(4)]) as server, engine(place, server) as driver:
        driver.turn("one")
        assert not warnings(driver)
        (place.home / "prompt" / "trust.md").write_text("Be lax.")
        (place.home / "prompt" / "tone.md").write_text("x")
        driver.turn("two")
        driver.turn("three")
        texts = warnings(driver)
        (place.home / "prompt" / "sensitive.md").write_text("")
        driver.turn("four")
        later = warnings(driver)[len(texts) :]
    assert "Be lax." in sent(server, 1)[-1]
    assert len(texts) == 2
    assert any("rules that protect you (trust)" in text for text in texts)
    assert any("not used: tone.md" in text for text in texts)
    assert len(later) == 1 and "leaves out the rules that protect you (sensitive)" in later[0]


def test_what_changes_is_told_behind_the_prompt_and_the_prefix_stays(place: Place) -> None:
    soul, style = place.home / "SOUL.md", place.home / "prompt" / "style.md"
    soul.write_text("Never lie.")
    answers: list[Any] = [said(str(number)) for number in range(5)]
    with model_server(*answers) as server, engine(place, server) as driver:
        driver.turn("one")
        soul.write_text("Never shout.")
        style.write_text("Answer in verse.")
        driver.turn("two")
        driver.turn("three")
        style.unlink()
        soul.unlink()
        driver.turn("four")
        driver.turn("five")
    assert len({sent(server, at)[0] for at in range(5)}) == 1
    two, three, four, five = (sent(server, at)[-1] for at in range(1, 5))
    assert "[SOUL.md was changed." in two and "Guardrails." in two and "Never shout." in two
    assert "[The part “style” of your instructions was changed." in two and "in verse." in two
    assert "SOUL" not in three and "style" not in three
    assert "[SOUL.md is gone" in four and "No preamble, no praise." in four
    assert "SOUL" not in five and "No preamble" not in five


def test_identity_files_of_a_project_are_asked_about(place: Place) -> None:
    place.trusts = False
    folder = place.cwd / ".agent-tui"
    folder.mkdir()
    for name in ("SOUL.md", "identity.json", "TOOLS.md"):
        (folder / name).write_text('{"identity": {"names": {"first": "Mallory"}}}')
    config = place.config(place.script([{"text": "hi"}]), interactive=False)
    gate = look_at_project(config)
    assert {one.name for one in gate.left_out.values()} == {
        f".agent-tui/{name}" for name in ("SOUL.md", "identity.json", "TOOLS.md")
    }
    with running(config) as driver:
        driver.turn("one")
        [built] = driver.all(ContextBuilt)
    assert "Mallory" not in built.system


def test_secrets_in_a_projects_identity_are_hidden(place: Place) -> None:
    folder = place.cwd / ".agent-tui"
    folder.mkdir()
    (folder / "USER.md").write_text("My token is ghp_16C7e42F292c6912E7710c838347Ae178B4a.")
    with place.engine(place.script([{"text": "hi"}])) as driver:
        driver.turn("one")
        [built] = driver.all(ContextBuilt)
    assert "My token is" in built.system and "ghp_16C7" not in built.system


def test_off_the_record_the_model_is_told_so(place: Place) -> None:
    given = place.config(place.script([{"text": "hi"}]))
    config = replace(given, otr=True)
    driver = Driver(Worker(config), config)
    driver.worker.start(lambda: None)
    driver.turn("one")
    driver.worker.stop(10)
    [built] = driver.all(ContextBuilt)
    [remain] = (line for line in built.system.split("\n") if "These remain:" in line)
    assert "read_file" in remain and "edit_file" not in remain and "run_shell" not in remain
    with place.engine(config.settings.model) as recorded:
        recorded.turn("one")
        assert "Off the record" not in recorded.all(ContextBuilt)[0].system


def test_the_model_and_the_system_are_facts_behind_the_prompt(place: Place) -> None:
    with model_server(said("a"), said("b")) as server, engine(place, server) as driver:
        driver.turn("one")
        driver.turn("two")
        steps = driver.all(StepStarted)
    assert "\nModel: compatible/m\n" in sent(server)[1] and "\nSystem: " in sent(server)[1]
    assert "Model:" not in sent(server)[0]
    assert [bool(step.facts) for step in steps] == [True, False], "told once"
