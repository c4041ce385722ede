"""Anthropic, or whatever `ANTHROPIC_BASE_URL` names: the Messages API, with thinking, and a cache
of the prompt; what is known of Claude models by their names."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Final, Literal, Self
from urllib.parse import quote

from agent_tui.protocol.messages import ModelInfo, Request
from agent_tui.providers import compatible
from agent_tui.providers.base import Failed, ProviderError, ProviderSetup, StreamItem
from agent_tui.providers.dialects import anthropic_messages as dialect
from agent_tui.providers.dialects.anthropic_answer import AnthropicAnswer
from agent_tui.providers.dialects.translate import count, name_in, request_body
from agent_tui.providers.facts.effort import level
from agent_tui.providers.facts.model_entries import complete_from_list
from agent_tui.providers.services.anthropic import ANTHROPIC, LEVELS
from agent_tui.providers.services.base import Fields
from agent_tui.providers.wire.access import Key, bearer, open_wire
from agent_tui.providers.wire.http import Patience, host_of
from agent_tui.providers.wire.stream import play_answer, unless_refused
from agent_tui.providers.wire.stream_parsers import ServerSentEvents, WholeBody
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

KEY, TOKEN = ANTHROPIC.keys
VERSION: Final = "2023-06-01"
INTERLEAVED: Final = "interleaved-thinking-2025-05-14"
"""Asks for thoughts between calls of tools, and not only before the first."""
"""Of the dialect, as a header of every request."""
_THOUGHTS: Final = ("thinking", "redacted_thinking")
_UNTAKEN: Final = late.pattern(
    r"in `?(redacted_)?thinking`? block|bound to a different conv|blocks? .*cannot be modified"
)
"""What it says of thoughts that it does not take back."""
PAGE: Final = 1_000
MOST_PAGES: Final = 20


def create(model: str, setup: ProviderSetup) -> AnthropicProvider:
    return AnthropicProvider(model, setup)


def effort(_: str, model: str, wanted: str) -> Fields | None:
    """What a request says of how hard to think; None: it makes no difference."""
    known = facts(model)
    asked = level(wanted, None, LEVELS)
    return None if known.thinks == "never" else thinking_fields(known, asked, answer_tokens(known))


def address(text: str) -> str:
    """The server as typed: without the `/v1` or `/v1/messages` that the paths here begin with."""
    return compatible.address(text).removesuffix("/v1/messages").removesuffix("/v1")


class AnthropicProvider:
    """One model of a server that speaks Messages."""

    name = ANTHROPIC.name
    roots: tuple[Path, ...] = ()

    def __init__(self, model: str, setup: ProviderSetup) -> None:
        environment = setup.environment
        self.model = model
        self.base_url = address(setup.base_url or ANTHROPIC.url(environment) or ANTHROPIC.base_url)
        self._setup, self._options = setup, setup.options
        self._known = facts(model)
        self._keeps = True
        """Thoughts go back with their answers, until the server does not take them."""
        own = self.base_url == ANTHROPIC.base_url
        self._origin = dialect.Origin(self.name, host_of(self.base_url), model, strict=own)
        token = "" if setup.api_key else environment.get(TOKEN, "").strip()
        headers = {"anthropic-version": VERSION}
        if own and thinks_between_calls(self._known):
            headers["anthropic-beta"] = INTERLEAVED
        key = setup.api_key or token or environment.get(KEY, "").strip()
        advice = setup.key_advice or (f"check {TOKEN if token else KEY}" if key else f"set {KEY}")
        self._wire = open_wire(
            self.base_url,
            model,
            ANTHROPIC.label if own else "the server",
            bearer(key, advice) if token else Key(key, "x-api-key", advice=advice),
            setup.options,
            headers,
            unknown_model="/models lists the models, or check the address",
        )

    def with_model(self, model: str) -> Self:
        """The same server with another model."""
        return type(self)(model, self._setup)

    def _described(self, model: str, entry: dict[str, object]) -> ModelInfo:
        """What the server's list, a setting and the name say of a model."""
        known, able = facts(model), entry.get("capabilities")
        window = (
            count(self._options.get("window"))
            or count(entry.get("max_input_tokens"))
            or known.window
        )
        return ModelInfo(
            f"{self.name}/{model}",
            window,
            window,
            tools=True if known.version else None,
            thinking=_able(
                able, "thinking", None if known.thinks is None else known.thinks != "never"
            ),
            images=_able(able, "image_input", True if known.version else None),
        )

    async def info(self) -> ModelInfo:
        return await complete_from_list(self, self.base_url, self._described(self.model, {}))

    async def models(self) -> tuple[ModelInfo, ...]:
        """All models of the server, the newest first."""
        found: dict[str, ModelInfo] = {}
        after = ""
        for _ in range(MOST_PAGES):
            page = await self._wire.get(f"/v1/models?limit={PAGE}{after}")
            listed = page if isinstance(page, dict) else {}
            entries = listed.get("data")
            if not isinstance(entries, list):
                text = f"{self._wire.place.server_label} has no list of models"
                raise ProviderError(Failed("malformed", text, self._wire.place.unreachable))
            named = {
                name: entry
                for entry in entries
                if isinstance(entry, dict) and (name := name_in(entry.get("id")))
            }
            new = {
                name: self._described(name, entry)
                for name, entry in named.items()
                if name not in found
            }
            found |= new
            if listed.get("has_more") is not True or not new:
                break
            after = f"&after_id={quote(list(named)[-1], safe='')}"
        return tuple(found.values())

    def _asked(self, request: Request) -> tuple[dict[str, object], list[dialect.Turn], int]:
        """The fields of a request, its messages, and the most tokens to answer it with."""
        answer = answer_tokens(
            self._known, request.max_tokens or count(self._options.get("max_tokens"))
        )
        think = thinking_fields(
            self._known, level(request.effort, self._options.get("think"), LEVELS), answer
        )
        budget = self._known.thinks in (
            "budget",
            "never",
        )  # others may have thought without having been asked to
        keeps = self._keeps and (bool(think) or not budget)
        messages = dialect.messages(request.messages, self._origin, keeps)
        if think.get("thinking", {}).get("type") == "enabled" and not dialect.starts_with_thought(
            messages
        ):
            think, messages = {}, dialect.messages(request.messages, self._origin, False)
        fields: dict[str, object] = {"model": self.model, **think}
        if request.temperature is not None and self._known.thinks == "never":
            fields["temperature"] = request.temperature  # others refuse it, or may think
        if request.tools:
            fields["tools"] = dialect.tools(request.tools)
        if system := dialect.system(request.system):
            fields["system"] = system
        return fields, messages, answer

    def stream(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        asked = self._asked(request)
        answer = self._answered(request, *asked)
        if not _thought(asked[1]):
            return answer

        def without() -> AsyncGenerator[StreamItem, None]:
            self._keeps = False
            return self._answered(request, *self._asked(request))

        return unless_refused(answer, _UNTAKEN, without)

    def _answered(
        self, request: Request, fields: dict[str, object], messages: list[dialect.Turn], most: int
    ) -> AsyncGenerator[StreamItem, None]:
        patience = Patience.for_address(self.base_url, self._options.get("idle_timeout"))
        body = request_body(
            {"max_tokens": most, "stream": self._options.get("stream") is not False, **fields},
            messages,
        )
        answer = AnthropicAnswer(request, self._wire.place, self._origin)
        return play_answer(self._wire, "/v1/messages", body, ServerSentEvents(), patience, answer)

    async def count_tokens(self, request: Request) -> int:
        """How many tokens `request` is, by the server's own count. Raises ProviderError."""
        fields, messages, _ = self._asked(request)
        body, patience = request_body(fields, messages), Patience(20.0, 20.0)
        found: object = None
        async with aclosing(
            self._wire.events("/v1/messages/count_tokens", body, WholeBody(), patience)
        ) as events:
            async for payloads in events:
                for found in payloads:
                    if isinstance(found, Failed):
                        raise ProviderError(found)
        if not isinstance(found, dict) or not count(found.get("input_tokens")):
            text = f"{self._wire.place.server_label} cannot count the tokens of a request"
            raise ProviderError(Failed("malformed", text, "use the token counts of the answers"))
        return count(found["input_tokens"])

    async def prepare(self) -> None:
        await self._wire.prepare()

    async def close(self) -> None:
        await self._wire.close()


def _thought(messages: list[dialect.Turn]) -> bool:
    """Whether a conversation holds thoughts."""
    return any(block["type"] in _THOUGHTS for turn in messages for block in turn["content"])


def _able(capabilities: object, name: str, otherwise: bool | None) -> bool | None:
    """Whether a list says that a model can do `name`; else what is known otherwise."""
    said = capabilities.get(name) if isinstance(capabilities, dict) else None
    supported = said.get("supported") if isinstance(said, dict) else None
    return supported if isinstance(supported, bool) else otherwise


ANSWER: Final = 4_096
"""Tokens of an answer where nothing is known of the model: the dialect wants a number in every
request."""
MOST_ANSWER: Final = 32_000
"""Tokens of an answer at most, unless the person says otherwise: older models take it off their
window."""
LEAST_BUDGET: Final = 1_024
"""The smallest budget for thinking that the server takes."""
BUDGETS: Final[Mapping[str, int]] = {
    "low": 2_048,
    "medium": 8_192,
    "high": 16_384,
    "xhigh": 24_576,
    "max": 65_536,
}
"""What a level means to models that are given tokens to think with."""
_MAY_REST: Final = late.pattern("opus|sonnet|haiku")
_VERSION: Final = late.pattern(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")


@frozen
class ClaudeFacts:
    """`answer`: the most tokens it writes; `thinks`: by its own measure, with a budget, or not; 0
    and None: unknown."""

    version: tuple[int, int] | None = None
    window: int = 0
    answer: int = 0
    thinks: Literal["adaptive", "budget", "never"] | None = None
    off: Literal["unsaid", "said", "never"] = "unsaid"
    """How it is told not to think: by saying nothing of it, in a word, or not at all."""


def facts(model: str) -> ClaudeFacts:
    found = _VERSION.search(model)
    if found is None:
        return ClaudeFacts()
    version = (int(found[1]), int(found[2] or 0))
    if version >= (
        5,
        0,
    ):  # these think unless they are told not to, and the later ones cannot do without
        off: Literal["said", "never"] = (
            "said" if version == (5, 0) and _MAY_REST.search(model) else "never"
        )
        return ClaudeFacts(version, 1_000_000, 128_000, "adaptive", off)
    if version >= (4, 6):
        return ClaudeFacts(version, 1_000_000, 128_000, "adaptive")
    if version >= (4, 0):
        return ClaudeFacts(
            version, 200_000, 32_000 if "opus" in model and version < (4, 5) else 64_000, "budget"
        )
    if version >= (3, 7):
        return ClaudeFacts(version, 200_000, 64_000, "budget")
    return ClaudeFacts(version, 200_000, 8_192 if version >= (3, 5) else 4_096, "never")


def thinks_between_calls(known: ClaudeFacts) -> bool:
    """Whether a model does so if a header asks for it; from 4.6 on they do it without one
    (Anthropic, "Extended thinking with tool use")."""
    return known.thinks == "budget" and known.version is not None and known.version >= (4, 0)


def answer_tokens(known: ClaudeFacts, wanted: int = 0) -> int:
    """The most tokens to write: `wanted` as far as the model can, else what is sensible for it."""
    if wanted:
        return min(wanted, known.answer or wanted)
    return min(known.answer or ANSWER, MOST_ANSWER)


def thinking_fields(
    known: ClaudeFacts, wanted: object, answer: int
) -> dict[str, dict[str, str | int]]:
    """The fields that ask for thinking. `wanted`: true, false, a level or tokens; None: think where
    it is known how.

    Thoughts count as part of `answer` tokens: where those are few, there are none to think with.
    """
    if wanted is False and known.off == "said":
        return {"thinking": {"type": "disabled"}}
    if wanted is False and known.off == "never":
        wanted = "low"  # the least that it can
    if wanted is False or known.thinks == "never" or (wanted is None and known.thinks is None):
        return {}
    level = wanted if isinstance(wanted, str) and wanted in BUDGETS else ""
    if answer < 2 * LEAST_BUDGET:
        return {}
    if known.thinks == "adaptive":
        # From 4.7 on thoughts come empty, unless they are asked for.
        asked: dict[str, dict[str, str | int]] = {"thinking": {"type": "adaptive"}}
        if known.version and known.version >= (4, 7):
            asked["thinking"]["display"] = "summarized"
        if level:
            asked["output_config"] = {"effort": level}
        return asked
    tokens = (
        wanted
        if isinstance(wanted, int) and not isinstance(wanted, bool)
        else BUDGETS[level or "medium"]
    )
    return {
        "thinking": {
            "type": "enabled",
            "budget_tokens": max(LEAST_BUDGET, min(tokens, answer * 3 // 4)),
        }
    }
