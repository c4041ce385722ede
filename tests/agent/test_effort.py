"""Thinking effort: said in a session, kept with it, in every request from then on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent_tui.agent.session.record import Standing
from agent_tui.protocol.answers import EffortLevel
from agent_tui.protocol.events import Answered, EffortChanged, ErrorRaised, ModelChanged, Notice
from agent_tui.protocol.ops import SetEffort, SetModel
from agent_tui.settings.table import AgentSettings
from agent_tui.tui.screen.header import header_view
from tests.agent.driving import Place
from tests.agent.model_server import engine, model_server, said
from tests.tui.play import Play


def test_what_is_said_holds_from_the_next_request_on_and_after_a_resume(tmp_path: Path) -> None:
    place = Place(tmp_path)
    answers = [said("one"), said("two"), said("three"), said("four")]
    with model_server(*answers) as server:
        options = {"others": {"openrouter": server}, "model_name": "openrouter/m"}
        with engine(place, server, AgentSettings(effort="low"), **options) as driver:
            driver.turn("first")
            assert driver.transcript().effort == "low"
            driver.send(SetEffort("high"))
            driver.until(EffortChanged)
            driver.turn("second")
            driver.send(SetEffort("hard"))
            assert "low, medium, high" in driver.until(ErrorRaised).hint
            session = driver.events[0].session
        with engine(
            place, server, AgentSettings(effort="low"), resume=session, **options
        ) as driver:
            assert driver.restored is not None and driver.restored.effort == "high"
            driver.turn("third")
            driver.send(SetEffort(""))
            driver.turn("fourth")
    told = [body.get("reasoning") for body in server.bodies]
    assert told == [{"effort": "low"}, {"effort": "high"}, {"effort": "high"}, None]
    assert Standing().with_event(EffortChanged("max")).effort == "max"


def test_the_command_the_key_and_the_header() -> None:
    play = Play()
    play.press("alt+t")
    assert play.toast == "effort: low" and play.take()[-1] == SetEffort("low")
    play.feed(EffortChanged("high", session="s"))
    shown = [span.text for span in header_view(play.model).left_spans]
    assert " high" in shown
    play.press("alt+t")
    assert play.take()[-1] == SetEffort("")
    for text, level in (("/effort max", "max"), ("/effort auto", "")):
        play.type(text)
        play.press("enter")
        assert play.take()[-1] == SetEffort(level)
    play.type("/effort hard")
    play.press("enter")
    assert "no effort 'hard'" in play.toast and play.take() == []


def test_where_a_model_cannot_be_asked_that_is_said(tmp_path: Path) -> None:
    with model_server(said("one")) as server:
        server.listed.append("deepseek-chat")
        options: dict[str, Any] = {
            "others": {"deepseek": server},
            "model_name": "deepseek/deepseek-chat",
        }
        with engine(Place(tmp_path), server, **options) as driver:
            driver.send(SetEffort("high"))
            assert "deepseek/deepseek-chat has no effort setting" in driver.until(Notice).text
            driver.send(SetEffort(""))
            driver.turn("first")
            assert (
                len([notice for notice in driver.all(Notice) if "no effort setting" in notice.text])
                == 1
            )


def test_what_the_model_tells_apart_is_told_at_the_start_and_with_each_other_model(
    tmp_path: Path,
) -> None:
    with model_server(said("one")) as server:
        options: dict[str, Any] = {"others": {"deepseek": server, "openrouter": server}}
        with engine(
            Place(tmp_path), server, model_name="deepseek/deepseek-chat", **options
        ) as driver:
            driver.turn("first")
            driver.send(SetModel("openrouter/m"))
            driver.until(ModelChanged)
            driver.until(Answered)
    mute, able = [event.data for event in driver.all(Answered) if event.kind == "efforts"]
    assert (mute.model, mute.levels, mute.cycle) == ("deepseek/deepseek-chat", (), ())
    assert (able.model, able.cycle) == ("openrouter/m", ("none", "low", "medium", "high"))
    assert able.levels[0] == EffortLevel("none", "does not think")
    assert able.auto == "thinks by its own default"
