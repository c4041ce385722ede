"""What a request says beside its messages: how freely to write, and what the server is to keep."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol.messages import (
    AssistantMessage,
    Request,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agent_tui.providers import compatible, ollama, openai
from agent_tui.providers.base import Provider, ProviderSetup
from agent_tui.providers.dialects.chat_completions import with_cache_marks
from agent_tui.providers.dialects.responses import Origin, body
from tests.providers.asking import OLLAMA, OPENAI, sent


def at(create: Any, model: str, path: str = "") -> Callable[[str], Provider]:
    return lambda address: create(model, ProviderSetup(f"{address}{path}", "k"))


PLAIN = Request("be brief", (UserMessage("hi"),))
CALM = replace(PLAIN, temperature=0.2)
LONG = Request(
    "be brief",
    (
        UserMessage("go"),
        AssistantMessage("", "", (ToolCall("c1", "ls", "{}"),)),
        ToolMessage("c1", "ls", "a.py"),
        AssistantMessage("there it is"),
        UserMessage("thanks"),
    ),
)


@pytest.mark.parametrize(
    ("dialect", "create", "model", "path", "where"),
    [
        (OLLAMA, ollama.create, "qwen3:8b", "", ("options", "temperature")),
        (OPENAI, openai.create, "gpt-4o", "/v1", ("temperature",)),
    ],
    ids=["Ollama", "OpenAI"],
)
def test_how_freely_a_model_writes_is_said_where_it_was_asked_for(
    dialect: Any, create: Any, model: str, path: str, where: tuple[str, ...]
) -> None:
    for request, wanted in ((CALM, 0.2), (PLAIN, None)):
        found: Any = asyncio.run(sent(dialect, at(create, model, path), request))
        for name in where[:-1]:
            found = found[name]
        assert found.get(where[-1]) == wanted


def test_a_model_that_reasons_is_not_told_how_freely_to_write() -> None:
    found = asyncio.run(sent(OPENAI, at(openai.create, "gpt-5", "/v1"), CALM))
    assert "temperature" not in found
    for model, there in (("gpt-5", False), ("gpt-4o", True)):
        written = json.loads(body(CALM, Origin("openai", "h", model), 0, "", False, True))
        assert ("temperature" in written) is there


def test_requests_that_begin_alike_have_one_key_for_the_servers_of_openai_alone() -> None:
    origin = Origin("openai", "api.openai.com", "gpt-5")

    def key(request: Request, own: bool = True) -> object:
        found = json.loads(body(request, origin, 0, "", False, True, own))
        return found.get("prompt_cache_key")

    assert key(PLAIN) == key(LONG) != key(replace(PLAIN, system="be long"))
    assert key(PLAIN, own=False) is None


def test_claude_behind_openrouter_is_told_what_to_keep() -> None:
    wired: list[dict[str, Any]] = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
        {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url"}]},
    ]
    marked: list[Any] = list(with_cache_marks(wired))
    kept = [at for at, one in enumerate(marked) if "cache_control" in json.dumps(one)]
    assert kept == [0, 3, 4]
    assert marked[4]["content"][0] == {"type": "text", "text": "look"}, "the end bears the mark"
    assert wired[0] == {"role": "system", "content": "be brief"}, "what is kept stays as it is"
    assert with_cache_marks([]) == []


@pytest.mark.parametrize("told", [True, False])
def test_a_proxy_is_told_what_to_keep_where_a_setting_says_so(told: bool) -> None:
    setup = ProviderSetup("http://127.0.0.1:1/v1", options={"cache_marks": told})
    provider = compatible.create("claude-sonnet-5", setup)
    assert (b"cache_control" in provider._body(LONG)) is told
