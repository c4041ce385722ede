"""Any server that speaks OpenAI's Chat Completions: hosted, or local (llama.cpp, LM Studio, vLLM,
…)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import field, replace
from pathlib import Path
from typing import Final, Self

from agent_tui.protocol.messages import ModelInfo, Request
from agent_tui.providers.base import (
    Failed,
    Finished,
    ProviderError,
    ProviderSetup,
    StreamItem,
    Vector,
)
from agent_tui.providers.dialects.chat_completions import ChatAnswer, message, with_cache_marks
from agent_tui.providers.dialects.chat_quirks import PLAIN, Quirks, adapt_messages, suited_tools
from agent_tui.providers.dialects.embeddings import embed
from agent_tui.providers.dialects.translate import count, name_in, request_body, system
from agent_tui.providers.facts import model_names, prices
from agent_tui.providers.facts.effort import of_service
from agent_tui.providers.facts.model_entries import UNTOLD, Told, complete_from_list, entry_facts
from agent_tui.providers.services.base import Fields
from agent_tui.providers.wire.access import Key, bearer, open_wire
from agent_tui.providers.wire.http import Patience, is_near
from agent_tui.providers.wire.stream import DialectAnswer, play_answer
from agent_tui.providers.wire.stream_parsers import ServerSentEvents
from agent_tui.structures.frozen import frozen


def create(model: str, setup: ProviderSetup) -> CompatibleProvider:
    if not setup.base_url:
        raise LookupError(
            "it needs a server: set base_url under [providers.compatible] in config.toml,"
            " such as http://127.0.0.1:8080/v1"
        )
    server = Server("compatible", address(setup.base_url), setup.api_key, setup.options)
    return CompatibleProvider(
        model, replace(server, auth=setup.key_advice) if setup.key_advice else server
    )


def effort(name: str, model: str, wanted: str) -> Fields | None:
    """What a request says of how hard to think; None: it makes no difference."""
    return of_service(name, model, wanted) if of_service(name, model, "high") else None


def address(text: str) -> str:
    """The base of a server's API as typed: with a scheme, without `/chat/completions` or a slash at
    the end."""
    text = text.strip().rstrip("/").removesuffix("/chat/completions").rstrip("/")
    if "://" not in text:
        text = f"{'http' if is_near(f'http://{text}') else 'https'}://{text}"
    return text


@frozen
class Server:
    """A server and how it differs: `name` is the provider's, `base_url` the part before
    `/chat/completions`, `label` what people call it, `auth` what to do about the key, `limit_field`
    its word for the most tokens to write, `header` the one for the key where that is no bearer's,
    `query` what stands behind every path."""

    name: str
    base_url: str
    key: str = field(default="", repr=False)
    options: Mapping[str, object] = field(default_factory=dict)
    label: str = "the server"
    auth: str = "set api_key under [providers.compatible] in config.toml"
    limit_field: str = "max_tokens"
    header: str = ""
    query: str = ""
    quirks: Quirks = PLAIN

    @property
    def shown_key(self) -> Key:
        return (
            Key(self.key, self.header, advice=self.auth)
            if self.header
            else bearer(self.key, self.auth)
        )


class CompatibleProvider:
    """One model of a server."""

    roots: tuple[Path, ...] = ()

    def __init__(self, model: str, server: Server) -> None:
        self.name = server.name
        self.model = model
        self.base_url = server.base_url
        self._server = server
        self._options = server.options
        self._wire = open_wire(
            server.base_url,
            model,
            server.label,
            server.shown_key,
            server.options,
            unknown_model="/models lists the models, or check the address: it often ends in /v1",
        )

    @property
    def server_label(self) -> str:
        """The server as failures name it."""
        return self._wire.place.server_label

    def with_model(self, model: str) -> Self:
        """The same server with another model."""
        return type(self)(model, self._server)

    def _described(self, model: str, told: Told = UNTOLD) -> ModelInfo:
        known = model_names.known_of(model)
        window = count(self._options.get("window")) or told.window or known.window
        images = known.images if told.images is None else told.images
        return ModelInfo(f"{self.name}/{model}", window, window, told.tools, told.thinking, images)

    async def info(self) -> ModelInfo:
        return await complete_from_list(self, self.base_url, self._described(self.model))

    async def models(self) -> tuple[ModelInfo, ...]:
        data = await self._wire.get(f"/models{self._server.query}")
        entries = data.get("data") if isinstance(data, dict) else data
        if not isinstance(entries, list):
            text = f"{self._wire.place.server_label} has no list of models"
            raise ProviderError(Failed("malformed", text, self._wire.place.unreachable))
        prices.tell(self.base_url, entries)
        return tuple(
            self._described(name, said)
            for entry in entries
            if isinstance(entry, dict)
            and (name := name_in(entry.get("id")))
            and (said := entry_facts(entry)).chats
        )

    @property
    def _streams(self) -> bool:
        return self._options.get("stream") is not False

    @property
    def _takes_temperature(self) -> bool:
        return True

    def _most(self, request: Request) -> int:
        """Tokens to write at most; 0: as many as the server lets it."""
        wanted = request.max_tokens or count(self._options.get("max_tokens"))
        if wanted or is_near(self.base_url) or model_names.known_of(self.model).window:
            return wanted
        return model_names.ANSWER

    def _body(self, request: Request) -> bytes:
        quirks = self._server.quirks
        fields: dict[str, object] = {"model": self.model, "stream": self._streams}
        if self._streams and quirks.usage_asked:
            fields["stream_options"] = {"include_usage": True}
        if most := self._most(request):
            fields[self._server.limit_field] = most
        if request.temperature is not None and self._takes_temperature:
            fields["temperature"] = request.temperature
        fields |= self._beside(request)
        if request.tools:
            fields["tools"] = suited_tools(request.tools, quirks)
        wired = (message(m, self.name, self.model) for m in request.messages)
        asked = [*system(request), *(m for m in wired if m is not None)]
        return request_body(fields, self._marked(adapt_messages(asked, quirks)))

    def _marked(self, messages: Sequence[Mapping[str, object]]) -> Sequence[Mapping[str, object]]:
        """`messages`, with what tells the server to keep them, where it must be told."""
        told = self._options.get("cache_marks") is True
        return with_cache_marks(messages) if told else messages

    def _beside(self, request: Request) -> Fields:
        """Fields that only one kind of server knows."""
        return of_service(self.name, self.model, request.effort)

    def stream(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        answer = ChatAnswer(request, self._wire.place, self._server.quirks.think_tags)
        return self._asked("/chat/completions", self._body(request), answer)

    def _asked(
        self, path: str, body: bytes, answer: DialectAnswer
    ) -> AsyncGenerator[StreamItem, None]:
        patience = Patience.for_address(
            self.base_url, self._options.get("idle_timeout"), self._streams
        )
        return play_answer(
            self._wire, path + self._server.query, body, ServerSentEvents(), patience, answer
        )

    async def embed(self, texts: Sequence[str], seconds: float) -> tuple[Vector, ...]:
        path = f"/embeddings{self._server.query}"
        return await embed(self._wire, path, self.model, texts, seconds)

    async def prepare(self) -> None:
        await self._wire.prepare()

    async def close(self) -> None:
        await self._wire.close()


log = logging.getLogger(__name__)

PATIENCE: Final = 2.0
"""Seconds that the end of an answer waits for the list, which was asked for when the answer was."""


class OpenRouterProvider(CompatibleProvider):
    """One model behind OpenRouter, whose list of models says what each of them costs."""

    def _marked(self, messages: Sequence[Mapping[str, object]]) -> Sequence[Mapping[str, object]]:
        return with_cache_marks(messages) if "claude" in self.model else messages

    async def learn_prices(self) -> None:
        """Read the list once: it tells the prices. A list that does not come costs no answer."""
        if prices.was_list_read(self.base_url):
            return
        try:
            await self.models()
        except ProviderError as error:
            log.warning("no prices of %s: %s", self._wire.place.server_label, error.failed.text)
            prices.tell(self.base_url, ())

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        """The answer, and beside the first one the list, so that what it took has a price."""
        learning = (
            None
            if prices.was_list_read(self.base_url)
            else asyncio.create_task(self.learn_prices())
        )
        try:
            async with aclosing(super().stream(request)) as items:
                async for item in items:
                    if learning is not None and isinstance(item, Finished):
                        await asyncio.wait({learning}, timeout=PATIENCE)
                    yield item
        finally:
            if learning is not None:
                learning.cancel()
