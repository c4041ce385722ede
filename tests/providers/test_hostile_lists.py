"""Lists of models with anything in them: what can be used of one is used, and all that is raised is
a line."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agent_tui.providers import anthropic, compatible, gemini, ollama
from agent_tui.providers.base import Provider, ProviderError, ProviderSetup
from tests.providers.servers import Connection, Received, Route, serving, shows

HOSTILE: tuple[Any, ...] = (
    None,
    True,
    5,
    -1,
    10**30,
    "x",
    "\ud800",
    "\x1b[31m\n",
    "0001-01-01T00:00:00",
    [],
    [None],
    ["x"],
    {},
    {"a": 1},
)
LISTS = {
    "compatible": ("/models", "data"), "anthropic": ("/v1/models?limit=1000", "data"),
    "gemini": ("/v1beta/models?pageSize=1000", "models"), "ollama": ("/api/tags", "models"),
}  # fmt: skip
ENTRIES: dict[str, dict[str, Any]] = {
    "compatible": {
        "id": "m",
        "context_length": 9_000,
        "max_model_len": 9_000,
        "pricing": {"prompt": "0.1"},
        "capabilities": {"vision": True},
        "architecture": {"input_modalities": ["image"]},
        "supported_parameters": ["tools"],
        "supports_reasoning": True,
    },
    "anthropic": {
        "id": "m",
        "max_input_tokens": 9_000,
        "capabilities": {"thinking": {"supported": True}},
    },
    "gemini": {
        "name": "models/m",
        "supportedGenerationMethods": ["generateContent"],
        "inputTokenLimit": 9_000,
        "thinking": True,
    },
    "ollama": {"model": "m", "name": "m", "modified_at": "2026-01-01T00:00:00Z"},
}
MODULES: dict[str, Any] = {
    "compatible": compatible,
    "anthropic": anthropic,
    "gemini": gemini,
    "ollama": ollama,
}


def told(data: Any) -> Route:
    async def route(_: Received, connection: Connection) -> None:
        await connection.json(data if isinstance(data, bytes) else json.dumps(data).encode())

    return route


async def listed(name: str, data: Any, beside: dict[str, Route] | None = None) -> list[str]:
    path, _ = LISTS[name]
    async with serving({path: told(data), "/api/show": shows(), **(beside or {})}) as server:
        provider: Provider = MODULES[name].create(
            "m", ProviderSetup(base_url=server.address, api_key="k" * 9)
        )
        try:
            return [model.name.partition("/")[2] for model in await provider.models()]
        finally:
            await provider.close()


@pytest.mark.parametrize("name", LISTS)
def test_entries_with_anything_in_them_leave_the_others(name: str) -> None:
    entry = ENTRIES[name]
    odd = [{**entry, key: value} for key in entry for value in HOSTILE]
    found = asyncio.run(listed(name, {LISTS[name][1]: [*HOSTILE, *odd, entry]}))
    assert "m" in found and all(found)
    "".join(found).encode()


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(
    "data", [None, 5, [], "x", {"data": 5, "models": 5}, b"<html>", b"", b"[" * 900 + b"]" * 900]
)
def test_what_is_no_list_is_said_in_a_line(name: str, data: Any) -> None:
    try:
        assert not asyncio.run(listed(name, data))
    except ProviderError as error:
        assert "\n" not in error.failed.text and error.failed.hint


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
def test_pages_whose_names_cannot_be_asked_for(name: str) -> None:
    """Half a character in a token, or in the name that the next page begins after."""
    path, key = LISTS[name]
    last = {**ENTRIES[name], "id": "m\ud800", "name": "models/m\ud800"}
    first = {key: [ENTRIES[name], last], "has_more": True, "nextPageToken": "\ud800"}
    more = {"anthropic": f"{path}&after_id=m%EF%BF%BD", "gemini": f"{path}&pageToken=%EF%BF%BD"}[
        name
    ]
    second = {key: [{**ENTRIES[name], "id": "n", "name": "models/n"}]}
    assert asyncio.run(listed(name, first, {more: told(second)})) == ["m", "m\ufffd", "n"]


def test_a_description_that_is_none_is_said_in_a_line() -> None:
    deep = told(b"[" * 900 + b"]" * 900)
    with pytest.raises(ProviderError, match="an unknown answer"):
        asyncio.run(listed("ollama", {"models": [ENTRIES["ollama"]]}, {"/api/show": deep}))


@pytest.mark.parametrize("model", ["..", "../../x?key=1", "a/./b"])
def test_a_model_of_gemini_does_not_change_the_address(model: str) -> None:
    with pytest.raises(LookupError, match="is not a model name"):
        gemini.create(model, ProviderSetup(api_key="k" * 9))


def test_of_very_many_models_only_some_are_asked_about() -> None:
    asked = []

    async def show(received: Received, connection: Connection) -> None:
        asked.append(received.json["model"])
        await connection.json({"capabilities": ["tools"]})

    entries = [{"model": f"m{n}"} for n in range(ollama.MOST_DESCRIBED + 50)]
    found = asyncio.run(listed("ollama", {"models": entries}, {"/api/show": show}))
    assert len(found) == ollama.MOST_DESCRIBED + 50 and len(asked) == ollama.MOST_DESCRIBED
