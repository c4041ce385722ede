"""Texts as vectors, over HTTP, in the two dialects that have it; failures are values."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from typing import Any

import pytest

from agent_tui.providers import anthropic, azure, compatible, gemini, ollama, openai
from agent_tui.providers.base import Embedder, ProviderError, ProviderSetup, Vector
from tests.agent.embedding_server import EmbeddingServer, embedding_server

CREATE: dict[str, Any] = {
    "compatible": compatible.create,
    "openai": openai.create,
    "azure": azure.create,
    "ollama": ollama.create,
}
PATHS = {
    "compatible": "/v1/embeddings",
    "openai": "/v1/embeddings",
    "azure": "/v1/openai/deployments/e%2F1/embeddings?api-version=v9",
    "ollama": "/v1/api/embed",
}
NONE: tuple[Any, ...] = (
    {},
    [],
    "text",
    {"data": []},
    {"data": "x"},
    {"data": [None, 3]},
    {"data": [{"embedding": [1, 2]}]},
    {"data": [{"embedding": [1, 2]}, {"embedding": [1, 2, 3]}]},
    {"data": [{"embedding": [1, "a"]}, {"embedding": [1, 2]}]},
    {"data": [{"embedding": [0, 0]}, {"embedding": [1, 2]}]},
    {"data": [{"index": [], "embedding": [1]}, {"embedding": [1]}]},
    {"data": [{"embedding": [1e999, 1]}, {"embedding": [1, 2]}]},
    {"data": [{"embedding": None}, {"embedding": []}]},
    {"embeddings": [[], []]},
    {"embeddings": [[1], 1]},
    {"embeddings": {"a": [1]}},
    {"embeddings": [["1"], ["2"]]},
)


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as made:
        yield made


def embed(
    kind: str, server: EmbeddingServer, *texts: str, seconds: float = 5.0
) -> tuple[Vector, ...]:
    options = {"api_version": "v9"} if kind == "azure" else {}
    provider = CREATE[kind]("e/1", ProviderSetup(server.address, "k-1", options=options))
    assert isinstance(provider, Embedder)

    async def run() -> tuple[Vector, ...]:
        try:
            return await provider.embed(texts, seconds)
        finally:
            await provider.close()

    return asyncio.run(run())


@pytest.mark.parametrize("kind", CREATE)
def test_each_text_has_a_vector_of_length_one_in_its_place(
    kind: str, server: EmbeddingServer
) -> None:
    one, two = embed(kind, server, "a puppy", "\udc80 a rollout")
    assert [(path, texts[0]) for path, texts in server.asked] == [(PATHS[kind], "a puppy")]
    assert server.keys == [("" if kind == "azure" else "Bearer k-1")]
    assert math.isclose(math.hypot(*one), 1, rel_tol=1e-5)
    assert one[2] > 0 and two[0] > 0 and one[0] == two[2] == 0


@pytest.mark.parametrize("answer", NONE, ids=str)
def test_what_is_no_such_answer_is_a_failure(answer: object, server: EmbeddingServer) -> None:
    server.answer = answer
    for kind in ("compatible", "ollama"):
        with pytest.raises(ProviderError) as raised:
            embed(kind, server, "one", "two")
        assert raised.value.failed.kind == "malformed"


@pytest.mark.parametrize("kind", ["compatible", "ollama"])
def test_a_refusal_and_silence_are_failures_that_name_the_server(
    kind: str, server: EmbeddingServer
) -> None:
    server.status, server.answer = 404, {"error": "model 'e/1' not found"}
    with pytest.raises(ProviderError) as raised:
        embed(kind, server, "one")
    assert raised.value.failed.kind == "unknown_model" and "e/1" in raised.value.failed.text
    server.status, server.delay = 200, 2.0
    with pytest.raises(ProviderError) as raised:
        embed(kind, server, "one", seconds=0.2)
    assert raised.value.failed.kind == "timeout"


def test_dialects_without_embeddings_have_none() -> None:
    setup = ProviderSetup("http://127.0.0.1:9", "k")
    assert not isinstance(anthropic.create("m", setup), Embedder)
    assert not isinstance(gemini.create("m", setup), Embedder)
