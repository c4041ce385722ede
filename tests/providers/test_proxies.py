"""Proxies and certificates of one's own: a real proxy, a real server behind TLS, the variables that
everybody sets.

`tls/authority.pem` signed `tls/server.pem`, which is for models.test and for this machine.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agent_tui.providers import anthropic, gemini, ollama, openai
from agent_tui.providers.base import ProviderError, ProviderSetup
from agent_tui.providers.facts import presets

TLS = Path(__file__).parent / "tls"
AUTHORITY = str(TLS / "authority.pem")
NAMES = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
)


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in (*NAMES, *map(str.lower, NAMES)):
        monkeypatch.delenv(name, raising=False)
    yield


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A model server: one model on every list, in the words of both dialects."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    if "content-length" in head.lower():
        await reader.read(1 << 16)
    said: dict[str, Any] = {
        "data": [{"id": "m"}],
        "models": [{"model": "m"}],
        "capabilities": ["tools"],
    }
    body = json.dumps(said).encode()
    writer.write(
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    )
    await writer.drain()
    writer.close()


@asynccontextmanager
async def served(tls: bool) -> AsyncIterator[int]:
    """The server's port."""
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(TLS / "server.pem")
    listener = await asyncio.start_server(_answer, "127.0.0.1", 0, ssl=context)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()


@dataclass
class Proxy:
    """Takes what is meant for any host to the server on `port`. `asked`: the first lines, `told`:
    who asks."""

    port: int
    asked: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head.splitlines()[0])
        self.told += [
            line for line in head.splitlines() if line.lower().startswith("proxy-authorization")
        ]
        there_reads, there = await asyncio.open_connection("127.0.0.1", self.port)
        if head.startswith("CONNECT "):
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            there.write(head.encode())
        await asyncio.gather(_pumped(reader, there), _pumped(there_reads, writer))


async def _pumped(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(1 << 16):
            target.write(data)
            await target.drain()
    except ConnectionError:
        return  # the other side has what it wanted
    finally:
        target.close()


@asynccontextmanager
async def proxied(port: int) -> AsyncIterator[tuple[str, Proxy]]:
    proxy = Proxy(port)
    listener = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{listener.sockets[0].getsockname()[1]}", proxy
    finally:
        listener.close()


async def names(base_url: str, **options: Any) -> list[str]:
    """What the server lists. Raises ProviderError."""
    provider = presets.create("acme", "", ProviderSetup(base_url, "sk-key", options=options))
    try:
        return [info.name for info in await provider.models()]
    finally:
        await provider.close()


async def ollama_names(base_url: str, **options: Any) -> list[str]:
    provider = ollama.create("m", ProviderSetup(base_url, options=options))
    try:
        return list(await provider.names())
    finally:
        await provider.close()


@pytest.mark.parametrize("asked", [names, ollama_names])
def test_through_a_proxy_to_a_server_with_a_certificate_of_ones_own(
    asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> tuple[list[str], Proxy]:
        async with served(tls=True) as port, proxied(port) as (address, proxy):
            monkeypatch.setenv("HTTPS_PROXY", f"http://me:secret-word@{address}")
            monkeypatch.setenv("SSL_CERT_FILE", AUTHORITY)
            return await asked("https://models.test/v1"), proxy

    found, proxy = asyncio.run(scenario())
    assert found in (["acme/m"], ["m"])
    assert proxy.asked == ["CONNECT models.test:443 HTTP/1.1"] and len(proxy.told) == 1


def test_without_tls_the_proxy_is_asked_for_the_whole_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> list[str]:
        async with served(tls=False) as port, proxied(port) as (address, proxy):
            monkeypatch.setenv("http_proxy", f"http://{address}")
            assert await names("http://models.test/v1") == ["acme/m"]
            return proxy.asked

    assert asyncio.run(scenario()) == ["GET http://models.test/v1/models HTTP/1.1"]


@pytest.mark.parametrize("around", ["models.test", ".test", "other.example,models.test", "*"])
def test_what_no_proxy_names_is_asked_itself(around: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> list[str]:
        async with served(tls=True) as port, proxied(port) as (address, proxy):
            monkeypatch.setenv("HTTPS_PROXY", f"http://{address}")
            monkeypatch.setenv("NO_PROXY", around)
            with pytest.raises(
                ProviderError
            ) as caught:  # nobody has that name: who is asked for it, fails
                await names("https://models.test/v1")
            assert caught.value.failed.kind == "unreachable"
            return proxy.asked

    assert asyncio.run(scenario()) == []


def test_a_server_on_this_machine_is_never_asked_through_a_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> list[str]:
        async with served(tls=False) as port, proxied(port) as (address, proxy):
            monkeypatch.setenv("ALL_PROXY", f"http://{address}")
            monkeypatch.setenv("HTTP_PROXY", f"http://{address}")
            assert await names(f"http://127.0.0.1:{port}/v1") == ["acme/m"]
            return proxy.asked

    assert asyncio.run(scenario()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("HTTPS_PROXY", "http://me:secret-word@127.0.0.1:9"), ("all_proxy", "127.0.0.1:9")],
)
@pytest.mark.parametrize("asked", [names, ollama_names])
def test_a_proxy_that_does_not_answer_is_named(
    asked: Any, name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ProviderError) as caught:
        asyncio.run(asked("https://models.test/v1"))
    failed = caught.value.failed
    assert failed.text.endswith(
        f" through the proxy http://127.0.0.1:9 ({name}): no server answers there"
    )
    assert failed.hint == f"check {name}; NO_PROXY lists exceptions"


@pytest.mark.parametrize("around", ["models.test", ".test", "other.example, models.test", "*"])
def test_who_needs_no_proxy_is_not_said_to_be_behind_one(
    around: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", around)
    with pytest.raises(ProviderError) as caught:
        asyncio.run(names("https://models.test/v1"))
    assert "proxy" not in caught.value.failed.text


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
@pytest.mark.parametrize("asked", [names, ollama_names])
def test_a_bundle_is_believed_on_this_machine_too(
    asked: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> list[str]:
        async with served(tls=True) as port:
            with pytest.raises(ProviderError) as caught:
                await asked(f"https://localhost:{port}/v1")
            assert caught.value.failed.kind == "unreachable"
            monkeypatch.setenv(name, AUTHORITY)
            found: list[str] = await asked(f"https://localhost:{port}/v1")
            return found

    assert asyncio.run(scenario()) in (["acme/m"], ["m"])


@pytest.mark.parametrize("asked", [names, ollama_names])
def test_a_bundle_of_a_providers_own_goes_before_the_variables(
    asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> list[str]:
        async with served(tls=True) as port:
            monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "nowhere.pem"))
            found: list[str] = await asked(f"https://localhost:{port}/v1", ca_bundle=AUTHORITY)
            return found

    assert asyncio.run(scenario()) in (["acme/m"], ["m"])


@pytest.mark.parametrize("asked", [names, ollama_names])
def test_a_bundle_of_a_providers_own_that_cannot_be_used_is_named(
    asked: Any, tmp_path: Path
) -> None:
    path = str(tmp_path / "nowhere.pem")
    with pytest.raises(ProviderError) as caught:
        asyncio.run(asked("https://models.test/v1", ca_bundle=path))
    assert (
        f"ca_bundle={path}" in caught.value.failed.text and "ca_bundle" in caught.value.failed.hint
    )


@pytest.mark.parametrize("module", [anthropic, gemini, openai])
def test_every_dialect_believes_the_bundle_that_is_set_for_it(module: Any) -> None:
    async def scenario() -> None:
        async with served(tls=True) as port:
            for bundle, believed in ((AUTHORITY, True), ("", False)):
                setup = ProviderSetup(
                    f"https://localhost:{port}", "sk-key", options={"ca_bundle": bundle}
                )
                provider = module.create("m", setup)
                failed = ""
                try:
                    await provider.models()
                except ProviderError as error:
                    failed = error.failed.text
                await provider.close()
                assert ("CERTIFICATE_VERIFY_FAILED" not in failed) is believed, failed

    asyncio.run(scenario())


def test_an_unknown_authority_is_said_with_what_to_do() -> None:
    async def scenario() -> None:
        async with served(tls=True) as port:
            with pytest.raises(ProviderError) as caught:
                await names(f"https://localhost:{port}/v1")
        assert (
            "CERTIFICATE_VERIFY_FAILED" in caught.value.failed.text
            and "SSL_CERT_FILE" in caught.value.failed.hint
        )

    asyncio.run(scenario())


@pytest.mark.parametrize("asked", [names, ollama_names])
@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_bundle_that_cannot_be_used_is_named(
    asked: Any, content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bundle.pem"
    if content is not None:
        path.write_text(content)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(path))
    with pytest.raises(ProviderError) as caught:
        asyncio.run(asked("https://models.test/v1"))
    assert (
        f"REQUESTS_CA_BUNDLE={path}" in caught.value.failed.text
        and "REQUESTS_CA_BUNDLE" in caught.value.failed.hint
    )
    assert "\n" not in caught.value.failed.text


@pytest.mark.parametrize("module", [openai, anthropic, gemini, ollama])
def test_a_proxy_with_a_port_that_there_is_not_is_named(
    module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://me:secret@127.0.0.1:99999")
    provider = module.create("m", ProviderSetup(base_url="http://models.test"))
    with pytest.raises(ProviderError) as failed:
        asyncio.run(provider.models())
    assert (
        "HTTP_PROXY=http://127.0.0.1:99999" in failed.value.failed.text
        and "secret" not in failed.value.failed.text
    )


def test_a_proxy_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret-word@127.0.0.1:1")
    with pytest.raises(ProviderError) as caught:
        asyncio.run(names("https://models.test/v1"))
    assert caught.value.failed.kind == "unreachable" and "secret-word" not in repr(
        caught.value.failed
    )
