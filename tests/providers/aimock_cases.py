"""The cases of the conformance table that aimock can play, as it is told of them, and what has to
come of each."""

from __future__ import annotations

from typing import Any, Final

PROVIDERS_ELSEWHERE: Final = {"openrouter": "/api/v1"}
"""Where aimock plays a service that is not at `/v1`."""


def _fails(said: str, status: int, message: str, **more: Any) -> dict[str, Any]:
    error = {"message": message, "type": more.pop("type", "error")}
    return {"match": {"userMessage": said}, "response": {"error": error, "status": status, **more}}


FIXTURES: Final[list[dict[str, Any]]] = [
    {
        "match": {"userMessage": "one call"},
        "response": {"toolCalls": [{"name": "list_files", "arguments": {"a": "ü"}}]},
    },
    {
        "match": {"userMessage": "words and a call"},
        "response": {
            "content": "Let me look.",
            "toolCalls": [{"name": "list_files", "arguments": {}}],
        },
    },
    {
        "match": {"userMessage": "letter by letter"},
        "response": {"content": "naïve 🎉 日本語"},
        "chunkSize": 1,
    },
    {"match": {"userMessage": "what is in it"}, "response": {"content": "a dot"}},
    {
        "match": {"userMessage": "first of two"},
        "response": {"content": "one"},
        "latency": 20,
        "chunkSize": 1,
    },
    {
        "match": {"userMessage": "second of two"},
        "response": {"content": "two"},
        "latency": 20,
        "chunkSize": 1,
    },
    {
        "match": {"userMessage": "without end"},
        "response": {"content": "word " * 400},
        "latency": 50,
        "chunkSize": 5,
    },
    _fails(
        "too long",
        400,
        "This model's maximum context length is 8 tokens. However, you sent 9 tokens.",
        type="invalid_request_error",
    ),
    _fails("wrong key", 401, "invalid api key", type="authentication_error"),
    _fails("no such model", 404, "the model does not exist", type="not_found_error"),
    _fails("too large", 413, "Request exceeds the maximum size", type="request_too_large"),
    _fails("on fire", 500, "the GPU is on fire", type="api_error"),
    _fails("overloaded", 529, "Overloaded", type="overloaded_error"),
    {
        "match": {"userMessage": "cut before"},
        "response": {"content": "never"},
        "chaos": {"disconnectRate": 1},
    },
    {
        "match": {"userMessage": "garbage"},
        "response": {"content": "never"},
        "chaos": {"malformedRate": 1},
    },
]
