"""What a project suggests and what was typed is asked about once, outside a turn, and the answer is
kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.answers import PromptHold
from agent_tui.protocol.events import (
    Answered,
    ErrorRaised,
    ModelChanged,
    Notice,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import Answer, Query, Resume, SetModel, Submit
from agent_tui.protocol.ops import Continue as GoOn
from agent_tui.settings.layers import ANSWERS, Suggestion, read
from agent_tui.settings.table import ProviderSettings
from tests.agent.driving import Driver, Place, running
from tests.agent.model_server import ModelServer, model_server, said
from tests.places import place_in


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(said("one"), said("two")) as found:
        yield found


def suggesting(place: Place, server: ModelServer, model: str, **more: Any) -> Any:
    """A configuration in which the project suggests `model`, as the command line makes it."""
    own = place.script([{"text": "mine"}], [{"text": "mine again"}])
    config = place.config(own)
    known = {"compatible": ProviderSettings(base_url=server.address)}
    settings = replace(config.settings, providers=known)
    where = Suggestion(model, str(place.cwd.resolve()), "the file:1")
    return replace(config, **{"settings": settings, "suggestion": where} | more)


def asked(driver: Driver) -> QuestionAsked:
    return driver.until(QuestionAsked, lambda event: event.kind == "confirm")


def kept(place: Place) -> Any:
    return tomllib.loads((place.home / ANSWERS).read_text())


def test_a_yes_changes_the_model_and_is_kept(place: Place, server: ModelServer) -> None:
    with running(suggesting(place, server, "compatible/m")) as driver:
        question = asked(driver)
        assert "compatible/m" in question.text and "the file:1" in question.text
        driver.send(Submit("first"))  # it waits: nobody knows yet who is to answer it
        driver.send(Answer(question.id, "yes"))
        assert driver.until(ModelChanged).model == "compatible/m"
        assert driver.until(TurnEnded).state == "completed" and len(server.bodies) == 1
    assert kept(place) == {str(place.cwd.resolve()): {"compatible/m": True}}


@pytest.mark.parametrize("prompts", [("first", "second"), ()])
def test_a_yes_that_cannot_be_carried_out_is_not_kept_and_holds_the_prompts(
    place: Place, server: ModelServer, prompts: tuple[str, ...]
) -> None:
    config = suggesting(place, server, "openai/m")
    away = {"openai": ProviderSettings(base_url="http://127.0.0.1:9/v1", api_key="k" * 20)}
    with running(replace(config, settings=replace(config.settings, providers=away))) as driver:
        question = asked(driver)
        for prompt in prompts:
            driver.send(Submit(prompt))
        driver.send(GoOn())  # it would be the old model that goes on
        driver.send(Answer(question.id, "yes"))
        said = driver.until(ErrorRaised).text
        assert "openai/m: cannot reach" in said and "your model is still scripted/script" in said
        assert said.endswith("; the queue is paused") == bool(prompts)
        driver.until(Answered, lambda one: isinstance(one.data, PromptHold) and not one.data.on)
        now = driver.transcript()
        assert [item.text for item in now.queue] == [*prompts] and now.paused == bool(prompts)
        assert not driver.all(TurnStarted) and not (place.home / ANSWERS).exists()
        assert driver.turn("third").state == "completed", "the person goes on with the old one"


def test_a_model_that_is_not_found_leaves_the_old_one_and_says_so(
    place: Place, server: ModelServer
) -> None:
    config = suggesting(place, server, "compatible/m", suggestion=None)
    with running(config) as driver:
        driver.send(SetModel("nobody/x"))
        said = driver.until(ErrorRaised).text
        assert "nobody/x" in said and said.endswith("; your model is still scripted/script.json")
        assert driver.turn("go").state == "completed"


def test_a_no_is_kept_too_and_another_time_is_not(place: Place, server: ModelServer) -> None:
    config = suggesting(place, server, "compatible/m")
    with running(config) as driver:
        driver.send(Answer(asked(driver).id, "later"))
        driver.until(QuestionAnswered)
        assert driver.turn("first").state == "completed" and not server.bodies
    assert not (place.home / ANSWERS).exists()
    with running(config) as driver:
        driver.send(Answer(asked(driver).id, "stop"))
        driver.until(QuestionAnswered)
        assert driver.turn("first").state == "completed" and not server.bodies
    assert kept(place) == {str(place.cwd.resolve()): {"compatible/m": False}}


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("openai/gpt-5", "needs a key"),
        ("nickname", "may not choose the provider scripted"),
        ("azure/x", "needs"),
        ("nobody/x", "nobody"),
    ],
)
def test_what_cannot_be_used_is_told_and_not_asked(
    place: Place, server: ModelServer, model: str, why: str
) -> None:
    config = suggesting(place, server, model)
    aliases = {"nickname": "scripted/script.json"}
    with running(replace(config, settings=replace(config.settings, aliases=aliases))) as driver:
        told = driver.until(Notice, lambda notice: model in notice.text)
        assert "not used" in told.text and why in told.text and "the file:1" in told.text
        assert driver.turn("first").state == "completed" and not driver.all(QuestionAsked)


def test_a_session_that_is_resumed_has_a_model_and_asks_nothing(
    place: Place, server: ModelServer
) -> None:
    config = suggesting(place, server, "compatible/m")
    with running(replace(config, suggestion=None)) as driver:
        driver.turn("first")
        session = driver.events[0].session
    with running(replace(config, resume=session)) as driver:
        assert driver.turn("second").state == "completed" and not driver.all(QuestionAsked)


def test_a_question_that_was_open_at_a_kill_is_settled(place: Place, server: ModelServer) -> None:
    with running(suggesting(place, server, "compatible/m")) as driver:
        asked(driver)
        session = driver.events[0].session
        log = place.home / "sessions" / f"{session}.jsonl"
        before = log.read_bytes()
    log.write_bytes(before)  # as a kill leaves it
    with place.engine("", resume=session) as driver:
        assert not driver.transcript().pending and driver.transcript().state == "idle"
        assert driver.turn("first").state == "completed"


def test_a_run_without_a_screen_ignores_it_and_says_what_to_do(place: Place) -> None:
    place.script(
        [{"call": "run_shell_command", "arguments": {"command": "touch ran.txt"}}],
        [{"text": "Done."}],
    )
    mine = place.root / "mine.json"
    mine.write_text(json.dumps({"steps": [[{"text": "mine"}]]}))
    (place.home).mkdir()
    (place.home / "config.toml").write_text('model = "scripted/../mine.json"\n')
    (place.cwd / ".agent-tui").mkdir()
    own = place.cwd / ".agent-tui" / "config.toml"
    environment = {
        "AGENT_TUI_HOME": str(place.home),
        "HOME": str(place.root),
        "PATH": os.environ["PATH"],
    }

    def run(command: str, *words: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "agent_tui", command, *words]
        return subprocess.run(
            argv,
            cwd=place.cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            input="hello\n",
        )

    own.write_text('model = "scripted/script.json"\n')
    assert run("trust", "--yes").returncode == 0
    done = run("run", "go", "--mode", "accept-all")
    assert (done.returncode, done.stdout) == (0, "mine\n") and not (place.cwd / "ran.txt").exists()
    assert (
        f"{own}:1" in done.stderr
        and "a project may not choose the provider scripted" in done.stderr
    )
    own.write_text('model = "ollama/huge"\n')
    assert run("trust", "--yes").returncode == 0
    for command in ("run", "chat"):
        done = run(command, *(["go"] if command == "run" else []), "--mode", "accept-all")
        assert done.returncode == 0 and "mine" in done.stdout, done
        [line] = [line for line in done.stderr.splitlines() if "ollama/huge" in line]
        assert f"{own}:1" in line and "not used" in line and "-m ollama/huge" in line
        assert "ollama/huge" not in done.stdout


def connected(driver: Driver, server: ModelServer) -> QuestionAsked:
    driver.send(SetModel("", base_url=server.address))
    return asked(driver)


def test_a_typed_address_is_kept_where_the_person_says_so(
    place: Place, server: ModelServer
) -> None:
    with running(place.config(place.script([{"text": "mine"}]))) as driver:
        question = connected(driver, server)
        assert question.text.startswith("Save this address?") and server.address in question.text
        driver.send(Answer(question.id, "yes"))
        driver.until(Notice, lambda notice: "is kept in" in notice.text)
        driver.send(SetModel("", base_url=server.address))  # it is known now
        assert driver.turn("go").state == "completed"
        assert len(driver.all(QuestionAsked)) == 1
    found = read(place_in(place.cwd, place.home))
    assert found.settings.providers["compatible"].base_url == server.address
    assert (place.home / "config.toml").stat().st_mode & 0o077 == 0


def test_a_typed_address_that_is_not_kept_is_known_in_the_session(
    place: Place, server: ModelServer
) -> None:
    server.listed[:] = ["m", "another"]
    with running(place.config(place.script([{"text": "mine"}]))) as driver:
        driver.send(Answer(connected(driver, server).id, "stop"))
        driver.until(QuestionAnswered)
        driver.send(Query("q", "models"))
        data = driver.until(Answered, lambda event: event.id == "q").data
        assert [one.name for one in data.offered] == ["compatible/m", "compatible/another"]
        driver.send(SetModel("compatible/another"))
        assert driver.until(ModelChanged, lambda event: event.model.endswith("another"))
        session = driver.events[0].session
        driver.send(Resume(""))
        assert (
            driver.until(SessionStarted, lambda event: event.session != session).model
            == "compatible/another"
        )
    assert not (place.home / "config.toml").exists()


def test_no_key_goes_to_another_address(place: Place, server: ModelServer) -> None:
    config = place.config(place.script([{"text": "mine"}]))
    known = {
        "compatible": ProviderSettings(
            base_url="http://127.0.0.1:1/v1", api_key="a-key-of-another-server"
        )
    }
    with running(replace(config, settings=replace(config.settings, providers=known))) as driver:
        driver.send(Answer(connected(driver, server).id, "stop"))
        driver.until(QuestionAnswered)
        assert driver.turn("go").state == "completed" and server.keys == [""]
