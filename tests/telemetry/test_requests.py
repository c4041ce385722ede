"""What is told of each request from outside: which model answered, and of one that failed how,
whatever it was for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from agent_tui.protocol.events import AsideEnded, RequestFailed, Titled
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.ops import AskAside
from tests.agent.driving import Place
from tests.agent.model_server import Answer, engine, model_server, said, status, streamed
from tests.telemetry.collector import Collector, attributes
from tests.telemetry.test_observe import happened, observed

ANSWERED = "gen_ai.response.model"


def named(model: str, text: str = "well") -> Answer:
    return streamed({"content": text}, model=model)


def options(collector: Collector, **settings: Any) -> Mapping[str, Any]:
    return {"environment": {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address}, "settings": settings}


def chats(collector: Collector) -> list[tuple[Span, dict[str, Any]]]:
    return [(span, attributes(span)) for span in collector.spans if span.name.startswith("chat")]


def test_the_model_that_the_server_says_has_answered_is_told(
    place: Place, collector: Collector
) -> None:
    answers = (
        named("m-2026-09-29"),
        named("small-1", "A title"),
        named("m-aside"),
        said("no name"),
    )
    with model_server(*answers) as server:
        more = options(collector, small_model="compatible/small")
        with engine(place, server, **more) as driver:
            driver.turn("go")
            driver.until(Titled)
            driver.send(AskAside("1", "and?"))
            assert driver.until(AsideEnded).answered_by == "m-aside"
            driver.turn("again")
    told = [(found["gen_ai.request.model"], found.get(ANSWERED)) for _, found in chats(collector)]
    assert told == [("m", "m-2026-09-29"), ("small", "small-1"), ("m", "m-aside"), ("m", None)]
    kept = [
        line.get("answered_by")
        for line in place.log_lines()
        if line["type"] in ("usage", "aside_ended")
    ]
    assert kept == ["m-2026-09-29", "small-1", "m-aside", None]


def test_a_request_that_another_model_answers_says_how_it_failed(
    place: Place, collector: Collector
) -> None:
    with model_server(status(401, "bad key")) as one, model_server(named("other-1")) as two:
        more = options(collector, fallback=("acme/m",))
        with engine(place, one, others={"acme": two}, **more) as driver:
            assert driver.turn("go").state == "completed"
            [failed] = driver.all(RequestFailed)
    (first, asked), (second, answered) = chats(collector)
    assert (failed.model, asked["agent_tui.model"], asked["error.type"]) == (
        "compatible/m",
        "compatible/m",
        "auth",
    )
    assert (answered["agent_tui.model"], answered[ANSWERED]) == ("acme/m", "other-1")
    assert "error.type" not in answered and first.end_time_unix_nano <= second.start_time_unix_nano
    assert [facts["error"] for what, facts in happened(place) if what == "error"] == ["auth"]
    assert not [line for line in place.log_lines() if line["type"] == "request_failed"]


def test_a_chain_that_comes_to_no_good_end_tells_each_failure_once(
    place: Place, collector: Collector
) -> None:
    more = options(collector, fallback=("acme/m",))
    with (
        model_server(status(401, "bad key")) as one,
        model_server(status(404, "no such model")) as two,
        engine(place, one, others={"acme": two}, **more) as driver,
    ):
        assert driver.turn("go").state == "error"
    assert [found["error.type"] for _, found in chats(collector)] == ["auth", "unknown_model"]
    assert [facts["error"] for what, facts in happened(place) if what == "error"] == [
        "auth",
        "unknown_model",
    ]


@pytest.mark.parametrize(
    ("items", "kind", "took"),
    [
        ([{"fail": "rate_limited", "text": "slow down"}], "rate_limited", False),
        ([{"text": "half"}, {"fail": "broken_stream", "text": "cut"}], "broken_stream", True),
        ([{"call": "list_files", "arguments": {"path": "."}}], "no_text", True),
    ],
)
def test_a_question_on_the_side_that_fails_says_how(
    place: Place, collector: Collector, items: list[object], kind: str, took: bool
) -> None:
    step = {"branches": [{"when": "on the side", "items": items}, {"items": [{"text": "done"}]}]}
    with observed(place, collector, step) as driver:
        driver.send(AskAside("1", "well?"))
        ended = driver.until(AsideEnded)
    [(_, told)] = chats(collector)
    assert (ended.kind, told["error.type"]) == (kind, kind)
    assert (ended.usage != Usage(), "gen_ai.usage.input_tokens" in told) == (took, took)
    assert [facts["error"] for what, facts in happened(place) if what == "error"] == [kind]


def test_a_title_that_fails_is_a_request_that_failed(place: Place, collector: Collector) -> None:
    place.script([{"fail": "server", "text": "500"}], name="small.json")
    with observed(place, collector, [{"text": "done"}], small="scripted/small.json") as driver:
        driver.turn("go")
        failed = driver.until(RequestFailed)
    assert (failed.model, failed.kind, failed.purpose) == ("scripted/small.json", "server", "title")
    told = {found["agent_tui.model"]: found.get("error.type") for _, found in chats(collector)}
    assert told == {"scripted/script.json": None, "scripted/small.json": "server"}
    assert ("error", "title") in [(what, facts.get("purpose")) for what, facts in happened(place)]
