"""Metrics at a port of this machine, as Prometheus asks for them."""

from __future__ import annotations

import http.client
import logging
import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import SessionStarted
from agent_tui.settings.table import TelemetrySettings
from agent_tui.telemetry.operations import Operation
from agent_tui.telemetry.prometheus import Prometheus
from tests.agent.driving import Driver, Place
from tests.telemetry.collector import log
from tests.telemetry.test_otlp import DONE, LOOK, SAID

Told = tuple[int, str, str]


def free_port() -> int:
    """A port that nobody has, and that the system gives to nobody who asks for any."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return port


@contextmanager
def engine(place: Place, port: int) -> Iterator[Driver]:
    config = place.config(place.script(LOOK, DONE))
    telemetry = TelemetrySettings(prometheus=port)
    config = replace(config, settings=replace(config.settings, telemetry=telemetry))
    driver = Driver(Worker(config), config)
    driver.worker.start(lambda: None)
    try:
        driver.until(SessionStarted)
        yield driver
    finally:
        driver.worker.stop(10)


def asked(port: int, path: str = "/metrics", method: str = "GET") -> Told:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path)
    answer = connection.getresponse()
    return answer.status, answer.headers["Content-Type"], answer.read().decode()


def numbers(text: str) -> dict[str, float]:
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(number) for name, _, number in lines}


def test_the_numbers_are_told_on_this_machine_and_nothing_that_was_said(place: Place) -> None:
    port = free_port()
    with engine(place, port) as driver:
        driver.turn("my very own prompt")
        status, kind, text = asked(port)
        assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
        assert asked(port, "/other")[0] == 404 and asked(port, method="POST")[0] == 405
        assert asked(port, "/metrics?x=1", "HEAD") == (200, kind, "")
    found = numbers(text)
    of = 'gen_ai_operation_name="chat",gen_ai_provider_name="scripted",gen_ai_request_model="script.json"'
    assert found[f"gen_ai_client_operation_duration_seconds_count{{{of}}}"] == 2
    assert found[f'gen_ai_client_operation_duration_seconds_bucket{{{of},le="+Inf"}}'] == 2
    assert found[f'gen_ai_client_token_usage_sum{{{of},gen_ai_token_type="input"}}'] == 520
    assert (
        found[f'gen_ai_client_token_usage_bucket{{{of},gen_ai_token_type="input",le="256.0"}}'] == 1
    )
    assert found['agent_tui_events_total{agent_tui_event="response"}'] == 2
    assert (
        'gen_ai_execute_tool_duration_seconds_count{gen_ai_operation_name="execute_tool",' in text
    )
    assert (
        "# TYPE gen_ai_client_token_usage histogram" in text
        and "# TYPE agent_tui_events_total counter" in text
    )
    assert not [said for said in SAID if said in text]


def test_who_says_something_else_or_nothing_at_all_harms_nobody(place: Place) -> None:
    port = free_port()
    with engine(place, port) as driver:
        driver.turn("one")
        for said in (b"", b"\xff\r\n\r\n", b"x" * 200_000, b"GET\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as other:
                try:
                    other.sendall(said)
                except OSError:
                    continue  # it was cut off: that is its answer
        assert asked(port)[0] == 200


def test_a_port_that_another_has_is_one_line_in_the_log(place: Place) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with engine(place, port) as driver:
            assert driver.turn("my very own prompt").state == "completed"
    assert log(place).count(f"telemetry: no metrics at port {port}") == 1


def test_a_value_falls_into_its_bucket_and_a_label_may_hold_anything() -> None:
    served = Prometheus(logging.getLogger("test"))
    for seconds in (0.0, 0.01, 0.011, 1000.0):
        name = {"gen_ai.request.model": 'a"b\\c\nd'}
        served.on_end(Operation("chat", "m", "1", 10.0, 10.0 + seconds, attributes=name))
    for _ in range(2):
        served.on_happening("error")
    of = r'gen_ai_operation_name="chat",gen_ai_request_model="a\"b\\c\nd"'
    found = numbers(served.text())
    bucket = "gen_ai_client_operation_duration_seconds_bucket"
    assert found[f'{bucket}{{{of},le="0.01"}}'] == 2 and found[f'{bucket}{{{of},le="0.02"}}'] == 3
    assert found[f'{bucket}{{{of},le="81.92"}}'] == 3 and found[f'{bucket}{{{of},le="+Inf"}}'] == 4
    assert found['agent_tui_events_total{agent_tui_event="error"}'] == 2
