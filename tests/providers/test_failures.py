"""What a server says of its failure, whatever its shape; and what it must not say in our lines."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from agent_tui.providers.base import Failed
from agent_tui.providers.wire import failures
from agent_tui.providers.wire.access import bearer, open_wire
from agent_tui.safety.secrets.scrubber import Scrubber

KEY = "sk-secret-0123456789"
PLACE = failures.Place("Somebody", "http://there", "m", secrets=Scrubber((KEY,)))


def deep(levels: int) -> dict[str, Any]:
    data: dict[str, Any] = {"message": "far inside"}
    for _ in range(levels):
        data = {"error": data}
    return data


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"error": {"message": "no", "type": "bad"}}, "no (bad)"),
        ({"error": "no"}, "no"),
        ({"message": "no"}, "no"),
        ({"error": "no", "code": "bad"}, "no (bad)"),
        ([{"error": {"message": "no", "code": 400}}], "no"),
        ({"error": True, "message": "no"}, "no"),
        ({"error": None, "message": None}, ""),
        ({"error": [[]]}, ""),
        ({"error": ["no", "nor that"]}, "no"),
        ({"error": {"error": "no"}}, "no"),
        ("no", "no"),
        (7, ""),
        ([], ""),
        ({"detail": [{"loc": ["body"], "msg": "no", "type": "missing"}]}, "no (missing)"),
        ({"success": False, "errors": [{"code": 1000, "message": "no"}]}, "no"),
        ({"error": "invalid_request", "error_description": "no"}, "no (invalid_request)"),
        ({"__type": "ValidationException", "Message": "no"}, "no"),
        ({"message": {"detail": "no"}}, "no"),
        (deep(3), "far inside"),
    ],
)
def test_every_makers_shape_of_an_error_is_read(data: Any, said: str) -> None:
    assert failures.message_of(data) == said


@pytest.mark.parametrize("data", [deep(20), deep(5_000)])
def test_an_error_without_end_is_no_failure_of_ours(data: Any) -> None:
    assert failures.from_payload(PLACE, data).kind == "server"
    assert failures.from_payload(PLACE, {**data, "code": 401}).kind == "auth"


@pytest.mark.parametrize("code", ["9" * 5_000, "٤٠١", "-1", "1e3", 10**30, -5, True])
def test_a_code_that_is_no_status_says_nothing(code: Any) -> None:
    failed = failures.from_payload(PLACE, {"code": code, "message": "boo"})
    assert (failed.kind, failed.may_pass) == ("server", True) and "boo" in failed.text


def test_a_code_in_a_stream_is_a_status() -> None:
    assert failures.from_payload(PLACE, {"code": "401", "message": "no"}).kind == "auth"
    assert failures.from_payload(PLACE, {"code": 429, "message": "no"}).kind == "rate_limited"


@pytest.mark.parametrize(
    "failed",
    [
        failures.from_status(PLACE, 307, {"location": f"http://elsewhere/?key={KEY}"}, ""),
        failures.from_status(
            PLACE, 400, {}, json.dumps({"error": f"no {KEY}"}).replace("sk-", "\\u0073k-")
        ),
        failures.from_status(PLACE, 400, {}, json.dumps({"error": "x" * 285 + KEY})),
        failures.from_payload(PLACE, {"message": "x" * 285 + KEY}),
        failures.from_exception(PLACE, httpx.RemoteProtocolError(f"illegal header line: {KEY}")),
    ],
)
def test_no_part_of_a_key_is_in_a_line(failed: Failed) -> None:
    assert KEY[:6] not in failed.text and len(failed.text) < 400


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (KEY, "acme at http://there refused the key (401): no; check ACME_KEY"),
        ("", "acme at http://there needs a key (401): no; set ACME_KEY"),
        (
            "ключ-0123456789",
            "refused the key (401): no; check ACME_KEY: it has characters that cannot be sent",
        ),
    ],
)
def test_a_key_that_was_not_sent_is_not_refused(key: str, said: str) -> None:
    wire = open_wire("http://there", "m", "acme", bearer(key, "check ACME_KEY"), {})
    failed = failures.from_status(wire.place, 401, {}, '{"error": "no"}')
    assert f"{failed.text}; {failed.hint}".endswith(said) and failed.kind == "auth"


@pytest.mark.parametrize(
    "error",
    [
        "[Errno -2] Name or service not known",
        "[Errno -3] Temporary failure in name resolution",
        "[Errno -5] No address associated with hostname",
        "[Errno 8] nodename nor servname provided",
    ],
)
def test_a_service_whose_name_is_not_known_is_nothing_to_start(
    monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    for address in ("https://api.anthropic.com", "https://api.example.org/v1"):
        place = open_wire(address, "m", "the service", bearer(KEY, "check it"), {}).place
        failed = failures.from_exception(place, httpx.ConnectError(error))
        assert failed.text == f"cannot reach the service at {address}: the host name is unknown"
        assert (
            failed.hint == failures.NETWORK
            and "DNS" in failed.hint
            and "HTTPS_PROXY" in failed.hint
        )
        failed = failures.from_exception(
            place, httpx.ConnectError("All connection attempts failed")
        )
        assert failed.hint == "check the address and the network"
    place = open_wire("http://gpu.lan:8000", "m", "the server", bearer("", "set it"), {}).place
    failed = failures.from_exception(place, httpx.ConnectError(error))
    assert failed.hint == "start the server there, or correct the address"
