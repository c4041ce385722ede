"""What the observer makes of a session: lines in the program's log, and what belongs to a turn or
stands beside one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from agent_tui.protocol.events import (
    AsideEnded,
    Notice,
    RequestSent,
    SessionStarted,
    TextDelta,
    Titled,
    TurnEnded,
)
from agent_tui.protocol.ops import AskAside, Cancel, Resume, Submit
from agent_tui.settings.table import TelemetrySettings
from tests.agent.driving import Driver, Place, running
from tests.agent.test_following import beside
from tests.telemetry.collector import Collector, attributes, log
from tests.telemetry.test_otlp import DONE, LOOK, SAID

TITLE = [{"text": "Looking around"}, {"usage": {"prompt_tokens": 90, "completion_tokens": 4}}]


@contextmanager
def observed(
    place: Place, collector: Collector, *steps: Any, small: str = "", content: bool = False
) -> Iterator[Driver]:
    config = place.config(
        place.script(*steps), environment={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address}
    )
    settings = replace(
        config.settings, small_model=small, telemetry=TelemetrySettings(content=content)
    )
    with running(replace(config, settings=settings)) as driver:
        yield driver


def happened(place: Place) -> list[tuple[str, dict[str, Any]]]:
    lines = [line.split(" ", 4) for line in log(place).splitlines() if line.endswith("}")]
    return [(parts[3], json.loads(parts[4])) for parts in lines]


def named(collector: Collector, name: str) -> Span:
    [found] = [span for span in collector.spans if span.name == name]
    return found


def test_the_six_events_are_lines_of_the_log_with_their_ids(place: Place) -> None:
    with place.engine(
        place.script(LOOK, [{"fail": "auth", "text": "bad key of my very own prompt"}])
    ) as driver:
        driver.turn("my very own prompt")
    assert [what for what, _ in happened(place)] == [
        "agent_start",
        "request",
        "response",
        "tool",
        "request",
        "error",
        "agent_end",
    ]
    started = next(record for record in place.log_lines() if record["type"] == "turn_started")
    for _, facts in happened(place):
        assert {name: facts[name] for name in ("session", "run", "trace", "turn")} == {
            name: started[name] for name in ("session", "run", "trace", "turn")
        }
    told = dict(happened(place))
    assert (
        told["response"]["input_tokens"] == 210
        and told["response"]["finish_reason"] == "tool_calls"
    )
    assert told["tool"]["tool"] == "list_files" and told["error"]["error"] == "auth"
    assert told["agent_end"]["state"] == "error" and told["agent_end"]["steps"] == 2
    assert not [said for said in SAID if said in log(place)]


def test_a_turn_that_is_stopped_ends_what_it_had_open(place: Place, collector: Collector) -> None:
    with observed(place, collector, [{"text": "half"}, {"hang": True}]) as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        driver.send(Cancel())
        driver.until(TurnEnded)
    turn, asked = map(attributes, collector.spans)
    assert (turn["error.type"], asked["error.type"]) == ("cancelled", "cancelled")
    assert asked["gen_ai.response.finish_reasons"] == ["cancelled"]


def test_a_request_that_is_stopped_before_its_answer_ends_too(
    place: Place, collector: Collector
) -> None:
    with observed(place, collector, [{"hang": True}]) as driver:
        driver.send(Submit("go"))
        driver.until(RequestSent)
        driver.send(Cancel())
        driver.until(TurnEnded)
    asked = named(collector, "chat script.json")
    assert (
        attributes(asked)["error.type"] == "cancelled"
        and asked.end_time_unix_nano >= asked.start_time_unix_nano
    )


def test_a_title_and_a_question_on_the_side_are_requests_too(
    place: Place, collector: Collector
) -> None:
    place.script(TITLE, name="small.json")
    step = {
        "branches": [
            {"when": "on the side", "items": [{"text": "aside answer"}, DONE[1]]},
            {"items": DONE},
        ]
    }
    with observed(
        place, collector, step, step, small="scripted/small.json", content=True
    ) as driver:
        driver.turn("go")
        driver.until(Titled)
        driver.send(AskAside("1", "what is it?"))
        driver.until(AsideEnded)
    title, [turn] = (
        named(collector, "chat small.json"),
        [s for s in collector.spans if s.name.startswith("invoke")],
    )
    assert attributes(title)["gen_ai.usage.input_tokens"] == 90
    aside = [
        span
        for span in collector.spans
        if "aside answer" in str(attributes(span).get("gen_ai.output.messages"))
    ]
    assert len(aside) == 1 and "what is it?" in attributes(aside[0])["gen_ai.input.messages"]
    assert {title.parent_span_id, aside[0].parent_span_id} == {turn.span_id}
    assert {title.trace_id, aside[0].trace_id} == {turn.trace_id}
    purposes = [
        facts["purpose"]
        for what, facts in happened(place)
        if what == "response" and "purpose" in facts
    ]
    assert purposes == ["title", "aside"]


def test_each_turn_has_its_own_trace_and_another_session_its_own_id(
    place: Place, collector: Collector
) -> None:
    with observed(place, collector, DONE, DONE) as driver:
        driver.turn("one")
        driver.turn("two")
        driver.send(Resume(""))
        driver.until(SessionStarted)
        driver.turn("three")
    turns = [span for span in collector.spans if span.name.startswith("invoke")]
    assert len({span.trace_id for span in turns}) == 3
    sessions = [attributes(span)["gen_ai.conversation.id"] for span in turns]
    assert sessions[0] == sessions[1] != sessions[2]
    for span in collector.spans:
        if span.parent_span_id:
            assert (span.parent_span_id, span.trace_id) in {
                (turn.span_id, turn.trace_id) for turn in turns
            }


def test_what_another_program_does_in_a_session_is_its_own_to_tell(place: Place) -> None:
    model = place.script([{"text": "one"}], [{"text": "two"}])
    with place.engine(model) as driver:
        driver.turn("first")
        other = beside(place, model, driver.events[0].session, how="read")
        try:
            other.until(Notice)  # now it has the log that both write to: they are one process here
            driver.turn("second")
            other.until(TurnEnded)
        finally:
            other.worker.stop(10)
    lines = "".join(path.read_text() for path in (place.home / "logs").glob("agent-*.log"))
    assert (lines.count(" agent_start {"), lines.count(" agent_end {")) == (2, 2)
