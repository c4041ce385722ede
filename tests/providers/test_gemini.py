"""What only Gemini has: its ends, its errors, its lists of models, its thinking, and where its key
goes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agent_tui.protocol.messages import ModelInfo, Request, UserMessage
from agent_tui.providers import gemini
from agent_tui.providers.base import (
    CallChunk,
    Failed,
    ProviderError,
    ProviderSetup,
    StreamItem,
    TextChunk,
)
from agent_tui.providers.gemini import thinking_config
from tests.providers.cases import answer, failed, finished, joined, refused
from tests.providers.gemini_server import GEMINI, PATH, event
from tests.providers.servers import (
    KEY,
    Connection,
    Received,
    Route,
    call,
    played,
    serving,
    sse,
    text,
)


def streamed(*events: bytes) -> list[StreamItem]:
    async def scenario() -> list[StreamItem]:
        async with GEMINI.answering(events) as (_, provider):
            return await played(provider)

    return asyncio.run(scenario())


def error(status: int, body: object, headers: dict[str, str] | None = None) -> Failed:
    return asyncio.run(refused(GEMINI, status, body, headers))


@pytest.mark.parametrize(
    "reason", ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "LANGUAGE"]
)
def test_what_it_declines_is_a_refusal(reason: str) -> None:
    items = streamed(event({"text": "Hel"}), event(stop=reason))
    assert joined(items, TextChunk) == "Hel"
    assert finished(items).stop_reason == "refusal"


def test_a_prompt_that_is_declined_is_a_refusal() -> None:
    items = streamed(
        sse({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}})
    )
    assert finished(items).stop_reason == "refusal" and len(items) == 1


@pytest.mark.parametrize(
    "reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"]
)
def test_a_call_that_cannot_be_read_may_pass(reason: str) -> None:
    said = {"content": {}, "finishReason": reason, "finishMessage": "Malformed call:\nprint(1)"}
    end = failed(streamed(event({"text": "Hel"}), sse({"candidates": [said]})), "malformed")
    assert end.may_pass and reason in end.text and "Malformed call: print(1)" in end.text


def test_other_ends_are_no_silent_success() -> None:
    for reason in ("OTHER", "SOMETHING_NEW"):
        end = failed(streamed(event({"text": "Hel"}), event(stop=reason)), "server")
        assert end.may_pass and reason in end.text
    assert "/clear" in failed(streamed(event(stop="MISSING_THOUGHT_SIGNATURE")), "bad_request").hint
    assert finished(
        streamed(event({"text": "a"}, stop="FINISH_REASON_UNSPECIFIED"), event(stop="STOP"))
    )
    failed(streamed(event({"text": "a"}, stop="FINISH_REASON_UNSPECIFIED")), "broken_stream")


def test_parts_that_are_no_words_are_left_out() -> None:
    odd: list[Any] = [
        {"executableCode": {"code": "1"}},
        {"inlineData": {"data": "aGk="}},
        {"text": 1},
    ]
    none: list[Any] = [[], {}, [1], [{"content": 1}], [{"content": {"parts": 1}}]]
    junk = [sse({"candidates": each}) for each in none]
    items = streamed(
        *junk,
        event(*odd, {"text": "yes"}),
        event({"functionCall": {"args": None}}),
        event(stop="STOP"),
    )
    assert joined(items, TextChunk) == "yes"
    assert [(c.name, c.arguments) for c in finished(items).calls] == [("", "{}")]


def test_ids_of_the_server_are_kept_and_missing_ones_are_made() -> None:
    said = [call("ls", "{}", "g-1"), call("ls", "{}"), call("ls", '{"a": 1}', "g-1")]
    items = asyncio.run(answer(GEMINI, said, "tool_calls"))
    assert [c.id for c in finished(items).calls] == ["g-1", "call_1", "call_2"]
    assert [(item.index, item.text) for item in items if isinstance(item, CallChunk)] == [
        (0, "{}"),
        (1, "{}"),
        (2, '{"a":1}'),
    ]


def test_an_answer_in_one_body_is_an_answer() -> None:
    async def route(_: Received, connection: Connection) -> None:
        await connection.json(
            {"candidates": [{"content": {"parts": [{"text": "whole"}]}, "finishReason": "STOP"}]}
        )

    async def scenario() -> list[StreamItem]:
        async with GEMINI.server(route) as (_, provider):
            return await played(provider)

    items = asyncio.run(scenario())
    assert joined(items, TextChunk) == "whole" and finished(items).stop_reason == "stop"


def rpc(code: int, message: str, *details: dict[str, Any]) -> dict[str, Any]:
    """An error body as Google's servers write it."""
    kinds = [
        {**detail, "@type": f"type.googleapis.com/google.rpc.{detail['@type']}"}
        for detail in details
    ]
    return {"error": {"code": code, "message": message, "status": "X", "details": kinds}}


def test_a_bad_key_is_no_401() -> None:
    info = {"@type": "ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
    for body in (
        rpc(400, "API key not valid. Please pass a valid API key.", info),
        [rpc(400, "No.", info)],
        {"error": {"message": "API key expired. Please renew the API key."}},
    ):
        end = error(400, body)
        assert end.kind == "auth" and "GEMINI_API_KEY" in end.hint and not end.may_pass
    assert error(403, rpc(403, "Method doesn't allow unregistered callers.")).kind == "auth"


QUOTA = "You exceeded your current quota, please check your plan and billing details."


def test_how_long_to_wait_may_stand_in_the_body() -> None:
    retry = {"@type": "RetryInfo", "retryDelay": "47.4s"}
    minute = {
        "@type": "QuotaFailure",
        "violations": [{"quotaId": "GenerateContentInputTokensPerModelPerMinute"}],
    }
    day = {
        "@type": "QuotaFailure",
        "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
    }
    end = error(429, rpc(429, QUOTA, minute, retry))
    assert (end.kind, end.may_pass, end.retry_after) == ("rate_limited", True, 47.4)
    assert error(429, rpc(429, QUOTA, minute, retry), {"Retry-After": "3"}).retry_after == 3.0
    spent = error(429, rpc(429, QUOTA, day, retry))
    assert spent.kind == "rate_limited" and not spent.may_pass and "today" in spent.text
    assert not error(429, rpc(429, QUOTA)).may_pass
    for odd in ("soon", "-3s", "", None, {"seconds": 3}):
        found = error(429, rpc(429, "slow", {"@type": "RetryInfo", "retryDelay": odd}))
        assert found.may_pass and found.retry_after is None
    inside = streamed(event({"text": "Hel"}), sse(rpc(429, "slow", retry)))
    end = failed(inside, "rate_limited")
    assert end.may_pass and end.retry_after == 47.4


def test_overflows_in_its_own_words() -> None:
    for said in (
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
        "The input token count exceeds the maximum number of tokens allowed 1048576.",
        "Request payload size exceeds the limit: 20971520 bytes.",
    ):
        assert error(400, rpc(400, said)).kind == "overflow"
    assert error(400, rpc(400, "Invalid JSON payload received.")).kind == "bad_request"
    assert error(503, rpc(503, "The model is overloaded.")).may_pass
    assert (
        error(404, rpc(404, "models/m is not found for API version v1beta")).kind == "unknown_model"
    )


def listing(*pages: object) -> tuple[ModelInfo, ...]:
    """The models of a list of so many pages."""

    async def scenario() -> tuple[ModelInfo, ...]:
        routes: dict[str, Route] = {}
        for number, page in enumerate(pages):
            token = f"&pageToken=p%2F{number}" if number else ""

            async def route(_: Received, connection: Connection, page: object = page) -> None:
                await connection.json(page)

            routes[f"/v1beta/models?pageSize=1000{token}"] = route
        async with serving(routes) as server:
            provider = GEMINI.create(server.address, {})
            try:
                return await provider.models()
            finally:
                await provider.close()
                assert all(r.headers["x-goog-api-key"] == KEY for r in server.received)
                assert len(server.received) == len(pages)

    return asyncio.run(scenario())


def test_models_are_those_that_write() -> None:
    chat = {"supportedGenerationMethods": ["generateContent", "countTokens"]}
    first = [
        {"name": "models/gemini-2.5-pro", "inputTokenLimit": 1_048_576, "thinking": True, **chat},
        {"name": "models/text-embedding-004", "supportedGenerationMethods": ["embedContent"]},
        {"name": "models/of-a-gateway"},  # it does not say what it can
        {"supportedGenerationMethods": ["generateContent"]},
        1,
    ]
    second = [{"name": "models/gemma-3-27b-it", "inputTokenLimit": 131_072, **chat}]
    found = listing({"models": first, "nextPageToken": "p/1"}, {"models": second})
    assert found == (
        ModelInfo("gemini/gemini-2.5-pro", 1_048_576, 1_048_576, True, True, True),
        ModelInfo("gemini/of-a-gateway"),
        ModelInfo("gemini/gemma-3-27b-it", 131_072, 131_072),
    )


def test_a_list_that_is_none_is_an_error() -> None:
    for page in ({"models": 1}, [1]):
        with pytest.raises(ProviderError) as caught:
            listing(page)
        assert caught.value.failed.kind == "malformed"
    assert listing({}) == ()


def test_what_is_known_without_asking() -> None:
    def info(model: str, **options: Any) -> ModelInfo:
        return asyncio.run(gemini.create(model, ProviderSetup(options=options)).info())

    assert info("gemini-3-pro-preview") == ModelInfo(
        "gemini/gemini-3-pro-preview", gemini.WINDOW, gemini.WINDOW, True, True, True
    )
    assert info("gemini-2.0-flash", window=9).window == 9
    assert info("gemma-3-27b-it") == ModelInfo("gemini/gemma-3-27b-it")
    assert info("gemini-2.5-flash-image").window == 0


@pytest.mark.parametrize(
    ("base", "options", "path"),
    [
        ("", {}, PATH),
        ("/", {}, PATH),
        ("/v1", {}, PATH.replace("v1beta", "v1")),
        ("/v1beta/", {}, PATH),
        ("", {"api_version": "v1alpha"}, PATH.replace("v1beta", "v1alpha")),
        ("/v1beta2", {}, PATH.replace("v1beta", "v1beta2")),
        ("/gateway/v1beta", {"api_version": "v1"}, "/gateway" + PATH.replace("v1beta", "v1")),
    ],
)
def test_address_and_version_are_the_persons(base: str, options: dict[str, str], path: str) -> None:
    async def route(_: Received, connection: Connection) -> None:
        await connection.stream(GEMINI.parts([text("hi")], "stop"))

    async def scenario() -> None:
        async with serving({path: route}) as server:
            environment = {"GOOGLE_API_KEY": "second", "GEMINI_API_KEY": " first\n"}
            setup = ProviderSetup(
                base_url=server.address + base, environment=environment, options=options
            )
            provider = gemini.create("m", setup)
            assert joined(await played(provider), TextChunk) == "hi"
            await provider.close()
            (got,) = server.received
        assert got.headers["x-goog-api-key"] == "first"
        assert "first" not in got.path

    asyncio.run(scenario())


def test_the_version_may_stand_in_the_environment() -> None:
    environment = {"GOOGLE_GENAI_API_VERSION": "v1"}
    assert (
        gemini.create("m", ProviderSetup(environment=environment))
        ._path()
        .startswith("/v1/models/m:")
    )
    environment["GOOGLE_GENAI_API_VERSION"] = " "
    assert (
        gemini.create("m", ProviderSetup(environment=environment))
        ._path()
        .startswith("/v1beta/models/m:")
    )


def test_names_of_models_cannot_leave_their_place() -> None:
    def path(model: str) -> str:
        return gemini.create(model, ProviderSetup())._path()

    assert path("tunedModels/a") == "/v1beta/tunedModels/a:streamGenerateContent?alt=sse"
    assert path("a?key=b#c d") == "/v1beta/models/a%3Fkey%3Db%23c%20d:streamGenerateContent?alt=sse"


def test_a_key_that_cannot_be_sent_is_said() -> None:
    provider = gemini.create("m", ProviderSetup(api_key="kéy\n"))
    assert (
        "cannot be sent" in provider._wire.place.auth
        and "x-goog-api-key" not in provider._wire.headers
    )
    assert gemini.create("m", ProviderSetup())._wire.place.auth.startswith("set GEMINI_API_KEY")


@pytest.mark.parametrize(
    ("model", "wanted", "config"),
    [
        ("gemini-2.0-flash", None, {}),
        ("gemini-2.5-flash", None, {"includeThoughts": True}),
        ("gemini-2.5-flash-image", None, {}),
        ("gemini-3-pro-preview", True, {"includeThoughts": True}),
        ("gemini-2.5-flash", False, {"thinkingBudget": 0}),
        ("gemini-2.5-pro", False, {"thinkingBudget": 128}),
        ("gemini-3-pro-preview", False, {"thinkingLevel": "low"}),
        ("gemini-2.0-flash", False, {}),
        ("gemini-2.5-flash", 2_000, {"includeThoughts": True, "thinkingBudget": 2_000}),
        ("gemini-2.5-flash", "High", {"includeThoughts": True, "thinkingBudget": 24_576}),
        ("gemini-2.5-pro", "xhigh", {"includeThoughts": True, "thinkingBudget": 24_576}),
        ("gemini-3-flash", "minimal", {"includeThoughts": True, "thinkingLevel": "minimal"}),
    ],
)
def test_thinking(model: str, wanted: Any, config: dict[str, Any]) -> None:
    assert thinking_config(model, wanted) == config
    body = json.loads(
        gemini.create(
            model, ProviderSetup(options={"think": wanted} if wanted is not None else {})
        )._body(Request("", (UserMessage("go"),)))
    )
    assert body.get("generationConfig", {}).get("thinkingConfig", {}) == config
