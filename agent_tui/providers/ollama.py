"""Ollama: its native API, and the `ollama` package to fetch a model.

The stream does not use the package: it cannot send `truncate` and `shift`, and both must be off, so
that a conversation that does not fit is an error instead of a silent loss. Questions about models
do not use it either: it takes longer to load than httpx itself, and the first of them is asked
while a person waits for the session.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from agent_tui import registry
from agent_tui.programs import find_program
from agent_tui.protocol.messages import ModelInfo, Request
from agent_tui.providers.base import Failed, ProviderError, ProviderSetup, StreamItem, Vector
from agent_tui.providers.dialects.embeddings import embed
from agent_tui.providers.dialects.ollama_chat import OllamaAnswer, message
from agent_tui.providers.dialects.translate import (
    compact,
    count,
    function_tools,
    name_in,
    request_body,
    state_of,
    system,
    text_in,
)
from agent_tui.providers.facts.effort import level
from agent_tui.providers.services.base import THREE, Fields
from agent_tui.providers.services.ollama import OLLAMA
from agent_tui.providers.wire import failures
from agent_tui.providers.wire.access import bearer, open_wire
from agent_tui.providers.wire.http import Patience, client_options, is_loopback
from agent_tui.providers.wire.stream import play_answer
from agent_tui.providers.wire.stream_parsers import JSONLines
from agent_tui.structures.frozen import frozen
from agent_tui.structures.vocabulary import EFFORTS

if TYPE_CHECKING:
    import ollama

with registry.late(warm=False):
    import httpx

PORT: Final = urlsplit(OLLAMA.base_url).port
NUM_CTX: Final = 32_768
"""Tokens of window at most, where no setting says otherwise: more costs memory that a laptop may
not have."""
SILENCE: Final = 10.0
"""Seconds that a question about models may take."""
PULL_SILENCE: Final = 120.0
"""Seconds without a word after which fetching a model has failed."""
AT_ONCE: Final = 8
"""Models that are asked about at the same time."""
MOST_DESCRIBED: Final = 200
"""Models that are asked about for a list: of more nothing but their names is known."""
_TELLING: Final = (
    "OLLAMA_HOST",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)


def address(text: str) -> str:
    """The URL that `OLLAMA_HOST` means: a host, host:port, a URL; 0.0.0.0 (where a server listens)
    is this machine."""
    text = text.strip().strip("\"'").strip().rstrip("/")
    scheme, found, rest = text.partition("://")
    scheme, rest = (scheme.lower(), rest) if found else ("", text)
    user, at, place = rest.rpartition("@")
    if place.count(":") > 1 and not place.startswith("["):
        rest = f"{user}{at}[{place}]"  # a bare IPv6 address
    try:
        parts = urlsplit(f"//{rest}")
        host, port = parts.hostname or "127.0.0.1", parts.port
    except ValueError:
        return f"{scheme or 'http'}://{rest}"  # no address at all: the connection will say so
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    port = port or {"http": 80, "https": 443}.get(scheme, PORT)
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    return f"{scheme or 'http'}://{user}{f'[{host}]' if ':' in host else host}:{port}{parts.path}"


def create(model: str, setup: ProviderSetup) -> OllamaProvider:
    return OllamaProvider(model, address(setup.base_url or OLLAMA.url(setup.environment)), setup)


def effort(_: str, model: str, wanted: str) -> Fields | None:
    """What a request says of how hard to think; None: it makes no difference."""
    return {"think": _think_word(model, wanted, None)}


def _think_word(model: str, wanted: str, own: object) -> object:
    """Only gpt-oss has levels; the others think or do not."""
    found = level(wanted, own, THREE)
    return found if wanted not in EFFORTS or "gpt-oss" in model else bool(found)


def _advice(base_url: str, setup: ProviderSetup) -> str:
    """What to do where nobody answers. `ollama serve` listens on this machine, at its own port or
    OLLAMA_HOST's."""
    named = not setup.base_url and bool(OLLAMA.url(setup.environment))
    if not is_loopback(base_url) or not (named or base_url.endswith(f":{PORT}")):
        return f"start the server there, or correct {'OLLAMA_HOST' if named else 'the address'}"
    path = setup.environment.get("PATH")
    missing = path is not None and find_program("ollama", path) is None
    first = "install it from https://ollama.com" if missing else "start it with `ollama serve`"
    return f"{first}, or {'correct OLLAMA_HOST' if named else 'set OLLAMA_HOST to where it runs'}"


def _package() -> ModuleType:
    """The `ollama` package, loaded with the first model that is fetched.

    Loading it opens a client on whatever the environment says, which raises where that names a
    proxy, a certificate file or an address that cannot be used. Ours does not need that client:
    then it is loaded without those variables.
    """
    try:
        import ollama
    except (ImportError, ValueError, OSError, httpx.InvalidURL):
        told = {
            name: os.environ.pop(name)
            for name in (*_TELLING, *map(str.lower, _TELLING))
            if name in os.environ
        }
        try:
            import ollama
        finally:
            os.environ.update(told)
    return ollama


def _moment(told: object) -> float:
    """When a model was changed, in seconds; 0 where it is not told."""
    try:
        return datetime.fromisoformat(text_in(told)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


@frozen
class OllamaFacts:
    """What the server says of a model; None and 0: it does not say."""

    window_max: int = 0
    tools: bool | None = None
    thinking: bool | None = None
    images: bool | None = None


class OllamaProvider:
    """One model of an Ollama server. `base_url` is the server's address."""

    name = OLLAMA.name
    roots: tuple[Path, ...] = ()

    def __init__(self, model: str, base_url: str, setup: ProviderSetup) -> None:
        self.model = model
        self.base_url = base_url
        self._setup = setup
        self._facts: OllamaFacts | None = None
        self._wire = open_wire(
            base_url,
            model,
            OLLAMA.label,
            bearer(setup.api_key, setup.key_advice or "set api_key for ollama in config.toml"),
            setup.options,
            unreachable=_advice(base_url, setup),
            unknown_model=f"`ollama pull {model}` downloads it, /models lists the models",
        )

    @property
    def server_label(self) -> str:
        """The server as failures name it."""
        return f"{OLLAMA.label} at {self.base_url}"

    def with_model(self, model: str) -> OllamaProvider:
        """The same server with another model."""
        return OllamaProvider(model, self.base_url, self._setup)

    async def info(self) -> ModelInfo:
        try:
            self._facts = await self.facts(self.model)
        except ProviderError as error:
            # A server that only imitates Ollama may list models without describing them.
            if error.failed.kind != "unknown_model" or self.model not in await self.names():
                raise
        return self._described(self.model, self._facts or OllamaFacts())

    async def models(self) -> tuple[ModelInfo, ...]:
        """All models of the server, the newest first."""
        turn = asyncio.Semaphore(AT_ONCE)

        async def described(name: str) -> ModelInfo:
            async with turn:
                return self._described(name, await self.facts(name))

        names = await self.names()
        told = await asyncio.gather(*map(described, names[:MOST_DESCRIBED]))
        return (*told, *(self._described(name, OllamaFacts()) for name in names[MOST_DESCRIBED:]))

    async def names(self) -> tuple[str, ...]:
        """Names of the server's models, the newest first. Raises ProviderError."""
        found = self._entries(await self._wire.ask("/api/tags", SILENCE))
        newest = sorted(found, key=lambda entry: _moment(entry.get("modified_at")), reverse=True)
        return tuple(name for entry in newest if (name := name_in(entry.get("model"))))

    async def loaded_models(self) -> tuple[str, ...]:
        """Names of the models in memory. Raises ProviderError."""
        found = self._entries(await self._wire.ask("/api/ps", SILENCE))
        return tuple(name_in(entry.get("model")) or name_in(entry.get("name")) for entry in found)

    async def version(self) -> str:
        """The server's version. Raises ProviderError where this is no Ollama."""
        data = await self._wire.get("/api/version", seconds=2.0)
        if not isinstance(data, dict) or not isinstance(data.get("version"), str):
            text = f"the server at {self._wire.place.address} is not Ollama"
            raise ProviderError(Failed("bad_request", text, "check the address"))
        return str(data["version"])

    async def facts(self, model: str) -> OllamaFacts:
        """What the server says of `model`. Raises ProviderError."""
        shown = await self._wire.ask(
            "/api/show", SILENCE, model, compact({"model": model}).encode("utf-8", "replace")
        )
        if not isinstance(shown, dict):
            raise ProviderError(self._unknown(shown))
        told, able = shown.get("model_info"), shown.get("capabilities")
        lengths = [
            n
            for key, n in (told if isinstance(told, dict) else {}).items()
            if key.endswith(".context_length")
        ]
        able = able if isinstance(able, list) else None
        return OllamaFacts(
            max(map(count, lengths), default=0),
            None if able is None else "tools" in able,
            None if able is None else "thinking" in able,
            None if able is None else "vision" in able,
        )

    async def pull(self, progress: Callable[[int, int], None]) -> None:
        """Fetch this model; `progress` hears how many bytes have come, and of how many. Raises
        ProviderError."""

        async def fetch(client: ollama.AsyncClient) -> None:
            layers: dict[str, tuple[int, int]] = {}
            async for part in await client.pull(self.model, stream=True):
                if part.digest and part.total:
                    layers[part.digest] = (part.completed or 0, part.total)
                    done, total = (sum(column) for column in zip(*layers.values(), strict=True))
                    progress(done, total)

        await self._with_package(fetch)

    def _entries(self, data: object) -> list[dict[str, object]]:
        """The models of a list. Raises ProviderError."""
        found = data.get("models") if isinstance(data, dict) else None
        if not isinstance(found, list):
            raise ProviderError(self._unknown(data))
        return [entry for entry in found if isinstance(entry, dict)]

    def _unknown(self, said: object) -> Failed:
        text = f"{self._wire.place.server_label} sent an unknown answer: {self._wire.place.clean_text(state_of(said))}"
        return Failed("malformed", text, self._wire.place.unreachable)

    def _described(self, model: str, facts: OllamaFacts) -> ModelInfo:
        window = self._window(facts)
        return ModelInfo(
            f"ollama/{model}", window, facts.window_max, facts.tools, facts.thinking, facts.images
        )

    def _window(self, facts: OllamaFacts) -> int:
        return self._setup.num_ctx or min(facts.window_max or NUM_CTX, NUM_CTX)

    async def _with_package(self, fetch: Callable[[ollama.AsyncClient], Awaitable[None]]) -> None:
        ollama, place = _package(), self._wire.place
        try:
            url = str(httpx.URL(self.base_url))
            _ = urlsplit(url).port
        except (httpx.InvalidURL, ValueError) as error:
            raise ProviderError(
                failures.from_exception(place, httpx.InvalidURL(str(error)))
            ) from None
        try:
            options = client_options(self.base_url, self._wire.bundle)
            options["timeout"] = httpx.Timeout(PULL_SILENCE, connect=options["timeout"].connect)
            options["headers"] = {**options["headers"], **self._wire.headers}
            client = ollama.AsyncClient(url, **options)
        except (ImportError, ValueError, OSError, httpx.InvalidURL) as error:
            raise ProviderError(failures.unusable_environment(place, error)) from None
        try:
            async with client:
                await fetch(client)
        except ollama.ResponseError as error:
            said = failures.message_of(
                error.error
            )  # the package hands on an object where the server sent one
            failed = (
                failures.from_status(place, error.status_code, {}, said)
                if error.status_code > 0
                else None
            )
            raise ProviderError(
                failed or failures.from_payload(place, said)
            ) from None  # the answer had begun
        except ConnectionError:
            raise ProviderError(failures.unreachable(place, failures.NO_SERVER)) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ProviderError(failures.from_exception(place, error)) from None
        except (ValueError, TypeError) as error:
            raise ProviderError(self._unknown(error)) from None

    async def _known(self) -> OllamaFacts:
        """What is known for a request. Raises ProviderError only where the server cannot be
        reached."""
        if self._facts is None:
            try:
                self._facts = await self.facts(self.model)
            except ProviderError as error:
                if error.failed.kind in ("unreachable", "timeout"):
                    raise
                return (
                    OllamaFacts()
                )  # a server that cannot describe its models may still run them; the chat will say
        return self._facts

    def _body(self, request: Request, facts: OllamaFacts) -> bytes:
        streams = self._setup.options.get("stream") is not False
        fields: dict[str, object] = {
            "model": self.model,
            "stream": streams,
            "truncate": False,
            "shift": False,
        }
        if facts.thinking:
            fields["think"] = _think_word(
                self.model, request.effort, self._setup.options.get("think", True)
            )
        options: dict[str, object] = {"num_ctx": self._window(facts)}
        if request.max_tokens:
            options["num_predict"] = request.max_tokens
        if request.temperature is not None:
            options["temperature"] = request.temperature
        fields["options"] = options
        if request.tools:
            fields["tools"] = function_tools(request.tools)
        return request_body(fields, [*system(request), *map(message, request.messages)])

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        try:
            facts = await self._known()
        except ProviderError as error:
            yield error.failed
            return
        patience = Patience.for_address(self.base_url, self._setup.options.get("idle_timeout"))
        body = self._body(request, facts)
        items = play_answer(
            self._wire, "/api/chat", body, JSONLines(), patience, OllamaAnswer(request)
        )
        async with aclosing(items):
            async for item in items:
                yield item

    async def embed(self, texts: Sequence[str], seconds: float) -> tuple[Vector, ...]:
        return await embed(self._wire, "/api/embed", self.model, texts, seconds)

    async def prepare(self) -> None:
        await self._wire.prepare()

    async def close(self) -> None:
        await self._wire.close()
