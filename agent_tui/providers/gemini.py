"""Google's Gemini, over `streamGenerateContent`, or whatever `GOOGLE_GEMINI_BASE_URL` names that
speaks it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

from agent_tui.protocol.messages import ModelInfo, Request
from agent_tui.providers.base import Failed, ProviderError, ProviderSetup, StreamItem
from agent_tui.providers.compatible import address
from agent_tui.providers.dialects.gemini_messages import GeminiAnswer, contents
from agent_tui.providers.dialects.gemini_schema import declarations
from agent_tui.providers.dialects.translate import compact, count, drop_surrogates, name_in, text_in
from agent_tui.providers.facts.effort import level
from agent_tui.providers.facts.model_entries import complete_from_list
from agent_tui.providers.services.base import Fields
from agent_tui.providers.services.gemini import GEMINI, OFF_AT_128, VERSION, levels_of, thinks
from agent_tui.providers.wire.access import Key, open_wire
from agent_tui.providers.wire.http import Patience
from agent_tui.providers.wire.stream import play_answer
from agent_tui.providers.wire.stream_parsers import ServerSentEvents
from agent_tui.structures import late

WINDOW: Final = 1_048_576
"""Tokens of every model that chats since Gemini 2, as the list of models says."""
_PAGE: Final = 1_000
_MOST_PAGES: Final = 20
_VERSIONED: Final = late.pattern(r"(.*)/(v\d+[a-z0-9]*)")
BUDGETS: Final[Mapping[str, int]] = {
    "minimal": 512,
    "low": 1_024,
    "medium": 8_192,
    "high": 24_576,
    "xhigh": 24_576,
}
"""Tokens for a level, where only tokens are understood; every model that does takes these."""
_CHATS: Final = late.pattern(r"gemini-(?!1\D|.*(image|tts|audio|live|embedding|robotics|computer))")


def create(model: str, setup: ProviderSetup) -> GeminiProvider:
    if {".", ".."} & set(model.split("/")):  # a model is a part of the address
        raise LookupError(f"gemini/{model} is not a model name; /models gemini lists the models")
    return GeminiProvider(model, setup)


def effort(_: str, model: str, wanted: str) -> Fields | None:
    """What a request says of how hard to think; None: it makes no difference."""
    if not thinks(model):
        return None
    return {
        **thinking_config(model, level(wanted, None, levels_of(model))),
        "includeThoughts": None,
    }


class GeminiProvider:
    """One model of Gemini. `base_url` is the server's address, without the version of its API."""

    name = GEMINI.name
    roots: tuple[Path, ...] = ()

    def __init__(self, model: str, setup: ProviderSetup) -> None:
        self.model = model
        self._setup = setup
        environment = setup.environment
        base_url = address(setup.base_url or GEMINI.url(environment) or GEMINI.base_url)
        named = _VERSIONED.fullmatch(base_url)
        self.base_url = named[1] if named else base_url
        told = setup.options.get("api_version") or (
            named[2] if named else GEMINI.version(environment)
        )
        self._version = str(told).strip("/ ") or VERSION
        key = setup.api_key or GEMINI.key(environment)
        own = self.base_url == GEMINI.base_url
        variable = GEMINI.keys[0]
        need = (
            f"check {variable}"
            if key
            else f"set {variable}, or api_key under [providers.gemini] in config.toml"
        )
        self._wire = open_wire(
            self.base_url,
            model,
            GEMINI.label if own else "the server",
            Key(key, "x-goog-api-key", advice=setup.key_advice or need),
            setup.options,
        )

    def with_model(self, model: str) -> GeminiProvider:
        """The same server with another model."""
        return GeminiProvider(model, self._setup)

    async def info(self) -> ModelInfo:
        return await complete_from_list(
            self,
            self.base_url,
            self._described(self.model, WINDOW if _CHATS.match(self.model) else 0),
        )

    async def models(self) -> tuple[ModelInfo, ...]:
        """The models that write text: the list holds all kinds."""
        found: list[ModelInfo] = []
        page = ""
        for _ in range(_MOST_PAGES):
            query = urlencode({"pageSize": _PAGE, **({"pageToken": page} if page else {})})
            data = await self._wire.get(f"/{quote(self._version)}/models?{query}")
            listed = data if isinstance(data, dict) else {"models": None}
            entries = listed.get("models", [])
            if not isinstance(entries, list):
                text = f"{self._wire.place.server_label} has no list of models"
                raise ProviderError(Failed("malformed", text, self._wire.place.unreachable))
            found += (info for entry in entries if (info := self._listed(entry)))
            page = drop_surrogates(text_in(listed.get("nextPageToken")))
            if not page:
                break
        return tuple(found)

    def _listed(self, entry: object) -> ModelInfo | None:
        if not isinstance(entry, dict):
            return None
        name = name_in(entry.get("name")).removeprefix("models/")
        able = entry.get("supportedGenerationMethods")
        if not name or (isinstance(able, list) and "generateContent" not in able):
            # of an entry that does not say what it can, nobody knows that it writes no text
            return None
        return self._described(name, count(entry.get("inputTokenLimit")), entry.get("thinking"))

    def _described(self, model: str, window: int, thinking: object = None) -> ModelInfo:
        window = count(self._setup.options.get("window")) or window
        able = True if _CHATS.match(model) else None
        thinking = thinking if isinstance(thinking, bool) else thinks(model) or None
        return ModelInfo(f"{self.name}/{model}", window, window, able, thinking, able)

    @property
    def _streams(self) -> bool:
        return self._setup.options.get("stream") is not False

    def _path(self) -> str:
        model = self.model if "/" in self.model else f"models/{self.model}"
        method = "streamGenerateContent?alt=sse" if self._streams else "generateContent"
        return f"/{quote(f'{self._version}/{model}', safe='/:-._~')}:{method}"

    def _body(self, request: Request) -> bytes:
        """`contents` last: a longer conversation starts with the bytes of the shorter one."""
        fields: dict[str, object] = {}
        if request.system:
            fields["systemInstruction"] = {"parts": [{"text": request.system}]}
        if request.tools:
            fields["tools"] = [{"functionDeclarations": declarations(request.tools)}]
        if config := self._config(request, self._setup.options):
            fields["generationConfig"] = config
        fields["contents"] = contents(request.messages, self.name, self.model)
        return compact(fields).encode("utf-8", errors="replace")

    def _config(self, request: Request, options: Mapping[str, object]) -> dict[str, object]:
        config: dict[str, object] = (
            {"maxOutputTokens": request.max_tokens} if request.max_tokens else {}
        )
        if request.temperature is not None:
            config["temperature"] = request.temperature
        wanted = level(
            request.effort if thinks(self.model) else "",
            options.get("think"),
            levels_of(self.model),
        )
        if thinking := thinking_config(self.model, wanted):
            config["thinkingConfig"] = thinking
        return config

    def stream(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        patience = Patience.for_address(
            self.base_url, self._setup.options.get("idle_timeout"), self._streams
        )
        answer = GeminiAnswer(request, self._wire.place, self.model)
        return play_answer(
            self._wire, self._path(), self._body(request), ServerSentEvents(), patience, answer
        )

    async def prepare(self) -> None:
        await self._wire.prepare()

    async def close(self) -> None:
        await self._wire.close()


def thinking_config(model: str, wanted: object = None) -> dict[str, object]:
    """`wanted`: true or false, a level, or a number of tokens (-1: as the model likes); None where
    nobody said."""
    if wanted is None or wanted is True:
        return {"includeThoughts": True} if wanted or thinks(model) else {}
    takes_levels = thinks(model) and not model.startswith("gemini-2.5")
    if wanted is False:
        if takes_levels:
            return {"thinkingLevel": levels_of(model)[0]}
        least = 128 if model.startswith(OFF_AT_128) else 0
        return {"thinkingBudget": least} if thinks(model) else {}
    if isinstance(wanted, int):
        return {"includeThoughts": True, "thinkingBudget": wanted}
    level = str(wanted).strip().lower()
    if takes_levels or level not in BUDGETS:
        return {"includeThoughts": True, "thinkingLevel": level}
    return {"includeThoughts": True, "thinkingBudget": BUDGETS[level]}
