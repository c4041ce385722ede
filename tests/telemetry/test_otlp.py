"""Spans and metrics over OTLP, as a collector gets them from the program itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from agent_tui.agent.session.record import new_trace
from agent_tui.agent.session.sinks import over_otlp
from agent_tui.safety.process.environment import child_environment
from agent_tui.safety.secrets.scrubber import placeholder
from tests.agent.driving import Place
from tests.telemetry.collector import attributes, collecting, environment, log, run

LOOK = [
    {"thinking": "private thought"},
    {"text": "the first answer"},
    {"call": "list_files", "arguments": {"path": "."}},
    {"usage": {"prompt_tokens": 210, "completion_tokens": 6, "cached_tokens": 100}},
]
DONE = [{"text": "the last answer"}, {"usage": {"prompt_tokens": 310, "completion_tokens": 7}}]
SAID = (
    "my very own prompt",
    "private thought",
    "the first answer",
    "the last answer",
    "script.json\\n",
    '"path"',
)
MODEL = "gen_ai.request.model"


def content(place: Place) -> None:
    place.home.mkdir(parents=True, exist_ok=True)
    (place.home / "config.toml").write_text("[telemetry]\ncontent = true\n")


def test_a_turn_its_requests_and_its_calls_are_spans_of_one_trace(place: Place) -> None:
    model = place.script(LOOK, DONE)
    with collecting() as collector:
        more = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.address,
            "OTEL_EXPORTER_OTLP_HEADERS": "x-team=blue",
        }
        done = run(place, model, **more)
    assert (done.returncode, done.stdout, done.stderr) == (0, "the last answer\n", "")
    turn, first, tool, last = collector.spans
    assert [span.name for span in collector.spans] == [
        "invoke_agent agent-tui",
        "chat script.json",
        "execute_tool list_files",
        "chat script.json",
    ]
    assert [span.kind for span in collector.spans] == [
        Span.SPAN_KIND_INTERNAL,
        Span.SPAN_KIND_CLIENT,
        Span.SPAN_KIND_INTERNAL,
        Span.SPAN_KIND_CLIENT,
    ]
    records = place.log_lines()
    started = next(record for record in records if record["type"] == "turn_started")
    assert {span.trace_id.hex() for span in collector.spans} == {started["trace"]}
    assert not turn.parent_span_id and {s.parent_span_id for s in (first, tool, last)} == {
        turn.span_id
    }
    assert turn.start_time_unix_nano <= first.start_time_unix_nano <= first.end_time_unix_nano
    assert (
        first.end_time_unix_nano
        <= last.start_time_unix_nano
        <= last.end_time_unix_nano
        <= turn.end_time_unix_nano
    )

    asked, called = attributes(first), attributes(tool)
    assert asked["gen_ai.operation.name"] == "chat" and asked["gen_ai.provider.name"] == "scripted"
    assert (
        asked["gen_ai.conversation.id"] == started["session"]
        and asked["agent_tui.run"] == started["run"]
    )
    assert (asked["gen_ai.usage.input_tokens"], asked["gen_ai.usage.output_tokens"]) == (210, 6)
    assert asked["gen_ai.usage.cache_read.input_tokens"] == 100
    assert asked["gen_ai.response.finish_reasons"] == ["tool_calls"]
    assert asked["gen_ai.response.time_to_first_chunk"] >= 0
    assert (
        attributes(last)["gen_ai.response.finish_reasons"] == ["stop"]
        and asked[MODEL] == "script.json"
    )
    assert (
        called["gen_ai.tool.name"] == "list_files" and called["gen_ai.tool.call.id"] == "call-1-1"
    )
    assert not any("error.type" in attributes(span) or span.status.code for span in collector.spans)
    assert collector.resources[0]["service.name"] == "agent-tui"
    assert all(header["x-team"] == "blue" for header in collector.headers)


def test_nothing_that_was_said_leaves_unless_it_is_wanted(place: Place) -> None:
    model = place.script(LOOK, DONE)
    with collecting() as collector:
        run(place, model, OTEL_EXPORTER_OTLP_ENDPOINT=collector.address)
    sent = b"".join(body for _, body in collector.bodies)
    assert len(collector.spans) == 4 and not [said for said in SAID if said.encode() in sent]
    assert not [said for said in SAID if said in log(place)]


def test_what_was_said_is_on_the_spans_where_it_is_wanted_but_no_key(place: Place) -> None:
    key = "sk-abcdefghij0123456789"
    odd = [
        {"text": f"odd \ud800 and {key}"},
        {"call": "list_files", "arguments": {"path": "."}, "id": "id\ud800"},
    ]
    content(place)
    with collecting() as collector:
        run(
            place,
            place.script(odd, DONE),
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.address,
            OPENAI_API_KEY=key,
        )
    _, first, tool, last = map(attributes, collector.spans)
    [asked] = json.loads(first["gen_ai.input.messages"])
    assert asked["role"] == "user" and asked["parts"][0]["content"].startswith("my very own prompt")
    assert json.loads(first["gen_ai.system_instructions"])[0]["content"]
    [answer] = json.loads(first["gen_ai.output.messages"])
    assert answer["parts"][0]["content"] == "odd \ud800 and " + placeholder("key", key)
    assert answer["finish_reason"] == "tool_call"
    assert answer["parts"][1]["type"] == "tool_call" and json.loads(
        answer["parts"][1]["arguments"]
    ) == {"path": "."}
    assert json.loads(tool["gen_ai.tool.call.arguments"]) == {"path": "."}
    assert "script.json" in tool["gen_ai.tool.call.result"] and tool["gen_ai.tool.call.id"] == "id?"
    roles = [message["role"] for message in json.loads(last["gen_ai.input.messages"])]
    assert roles == ["user", "assistant", "tool"]
    assert key.encode() not in b"".join(body for _, body in collector.bodies)


def test_what_fails_says_how_on_its_span(place: Place) -> None:
    model = place.script(
        [
            {"fail": "rate_limited", "may_pass": True, "times": 1},
            {"call": "no_such_tool", "arguments": {}},
        ],
        [{"text": "half an answer"}, {"fail": "broken_stream"}],
    )
    with collecting() as collector:
        done = run(place, model, OTEL_EXPORTER_OTLP_ENDPOINT=collector.address)
    assert done.returncode
    found = [
        (span.name, attributes(span).get("error.type"), span.status.code)
        for span in collector.spans
    ]
    error, fine = Status.STATUS_CODE_ERROR, Status.STATUS_CODE_UNSET
    assert found == [
        ("invoke_agent agent-tui", "error", error),
        ("chat script.json", "rate_limited", error),
        ("chat script.json", None, fine),
        ("execute_tool _OTHER", "unknown_tool", error),
        ("chat script.json", "broken_stream", error),
    ]
    assert attributes(collector.spans[2])["agent_tui.attempt"] == 2
    assert attributes(collector.spans[4])["agent_tui.usage.estimated"] is True


def test_metrics_count_requests_tokens_calls_and_events(place: Place) -> None:
    with collecting() as collector:
        run(place, place.script(LOOK, DONE), OTEL_EXPORTER_OTLP_ENDPOINT=collector.address)
    found = collector.metrics
    duration = found["gen_ai.client.operation.duration"].histogram
    [point] = duration.data_points
    assert (
        point.count == 2
        and list(point.explicit_bounds)[:2] == [0.01, 0.02]
        and len(point.explicit_bounds) == 14
    )
    assert (
        attributes(point)["gen_ai.provider.name"] == "scripted"
        and attributes(point)[MODEL] == "script.json"
    )
    tokens = {
        attributes(p)["gen_ai.token.type"]: p
        for p in found["gen_ai.client.token.usage"].histogram.data_points
    }
    assert (tokens["input"].sum, tokens["output"].sum) == (520, 13)
    assert [
        p.count for p in found["gen_ai.client.operation.time_to_first_chunk"].histogram.data_points
    ] == [2]
    assert [p.count for p in found["gen_ai.execute_tool.duration"].histogram.data_points] == [1]
    assert [p.count for p in found["gen_ai.invoke_agent.duration"].histogram.data_points] == [1]
    events = {
        attributes(p)["agent_tui.event"]: p.as_int
        for p in found["agent_tui.events"].sum.data_points
    }
    assert events == {"agent_start": 1, "request": 2, "response": 2, "tool": 1, "agent_end": 1}


def test_the_variables_of_the_sdk_count(place: Place) -> None:
    model = place.script(LOOK, DONE)
    with collecting() as collector:
        address = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address}
        run(place, model, **address, OTEL_TRACES_SAMPLER="always_off")
        run(place, model, **address, OTEL_TRACES_EXPORTER="none")
        assert collector.metrics and not collector.raw("/v1/traces")
        sent = len(collector.raw("/v1/metrics"))
        named = {"OTEL_SERVICE_NAME": "mine", "OTEL_RESOURCE_ATTRIBUTES": "team=blue"}
        run(
            place,
            model,
            OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=f"{collector.address}/v1/traces",
            **named,
        )
        assert len(collector.spans) == 4 and len(collector.raw("/v1/metrics")) == sent
    [resource] = collector.resources
    assert (resource["service.name"], resource["team"]) == ("mine", "blue") and resource[
        "service.version"
    ]


def test_a_collector_that_refuses_it_is_one_line_in_the_log(place: Place) -> None:
    with collecting(status=400) as collector:
        done = run(place, place.script(LOOK, DONE), OTEL_EXPORTER_OTLP_ENDPOINT=collector.address)
        assert collector.bodies
    failed_quietly(place, done)


def test_a_collector_that_is_not_there_is_one_line_in_the_log(place: Place) -> None:
    with collecting() as collector:
        address = collector.address
    failed_quietly(place, run(place, place.script(LOOK, DONE), OTEL_EXPORTER_OTLP_ENDPOINT=address))


def failed_quietly(place: Place, done: subprocess.CompletedProcess[str]) -> None:
    assert (done.returncode, done.stdout, done.stderr) == (0, "the last answer\n", "")
    assert len([line for line in log(place).splitlines() if "telemetry" in line]) == 1
    assert all("INFO" in line or "telemetry" in line for line in log(place).splitlines())


def test_a_collector_that_never_answers_does_not_hold_up_the_end(place: Place) -> None:
    with collecting(hanging=True) as collector:
        more = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.address,
            "OTEL_EXPORTER_OTLP_TIMEOUT": "3600",
        }
        done = run(place, place.script(LOOK, DONE), **more)
        assert not collector.release.is_set() and collector.bodies
    assert (done.returncode, done.stdout, done.stderr) == (0, "the last answer\n", "")


@pytest.mark.parametrize(
    "name",
    [
        "OTEL_PYTHON_CONTEXT",
        "OTEL_EXPORTER_OTLP_TIMEOUT",
        "OTEL_ATTRIBUTE_COUNT_LIMIT",
        "OTEL_PYTHON_EXPORTER_OTLP_HTTP_CREDENTIAL_PROVIDER",
    ],
)
def test_a_variable_that_the_sdk_does_not_take_is_a_line_in_the_log(
    place: Place, name: str
) -> None:
    """The first is said while the SDK is imported, the second it passes over, the others end it in
    two ways."""
    with collecting() as collector:
        more = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address, name: "soon"}
        done = run(place, place.script(LOOK, DONE), **more)
    assert (done.returncode, done.stdout, done.stderr) == (0, "the last answer\n", "")
    assert (
        log(place).count("telemetry: ") == 1
        and "soon" in log(place)
        and "Traceback" not in log(place)
    )


LOADED = """
import sys
if sys.argv[1] == "missing":
    sys.modules["opentelemetry"] = None
from agent_tui.cli.main import main
code = main(["run", "my very own prompt", "-m", "scripted/script.json", *sys.argv[2:]], None)
if sys.argv[1] != "missing":
    loaded = [name for name in sys.modules if name.split(".")[0] in ("opentelemetry", "requests", "prometheus_client")]
    loaded += [name for name in sys.modules if name in ("agent_tui.telemetry.otel", "agent_tui.telemetry.prometheus")]
    print(loaded)
"""


def program(place: Place, kind: str, *flags: str, **more: str) -> str:
    place.script(LOOK, DONE)
    done = subprocess.run(
        [sys.executable, "-c", LOADED, kind, *flags],
        cwd=place.cwd,
        env=environment(place, **more),
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


def test_nothing_of_it_is_imported_where_it_is_not_wanted(place: Place) -> None:
    root = {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    assert program(place, "whole", **root) == "the last answer\n[]\n"
    with collecting() as collector:
        given = {**root, "OTEL_EXPORTER_OTLP_ENDPOINT": collector.address}
        assert program(place, "whole", **given, OTEL_SDK_DISABLED="true") == "the last answer\n[]\n"
        assert program(place, "whole", "--otr", **given) == "the last answer\n[]\n"
        assert collector.bodies == []
        assert "opentelemetry" in program(place, "whole", **given) and collector.spans


def test_without_the_extra_there_is_a_line_in_the_log(place: Place) -> None:
    root = {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    out = program(place, "missing", **root, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
    assert out == "the last answer\n"
    assert log(place).count("the extra `otel` is not installed") == 1


def test_the_standard_variables_say_what_is_sent() -> None:
    end = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    assert over_otlp({}) == (False, False)
    assert over_otlp(end) == (True, True)
    assert over_otlp(
        {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://127.0.0.1:4318/v1/metrics"}
    ) == (False, True)
    assert over_otlp({**end, "OTEL_METRICS_EXPORTER": "none"}) == (True, False)
    assert over_otlp({"OTEL_TRACES_EXPORTER": "console, otlp"}) == (True, False)
    assert over_otlp({**end, "OTEL_SDK_DISABLED": "True"}) == (False, False)


def test_a_collectors_credentials_stay_with_the_program() -> None:
    given = {
        "OTEL_EXPORTER_OTLP_HEADERS": "a=b",
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "a=b",
        "LANG": "kept",
    }
    assert child_environment(given, ("OTEL_*",)) == {"LANG": "kept"}


def test_every_bit_of_a_trace_is_random() -> None:
    """Who samples by a share of traces looks at the lower half: it must not begin alike."""
    traces = [int(new_trace(), 16) for _ in range(200)]
    for bit in range(128):
        assert len({trace >> bit & 1 for trace in traces}) == 2
