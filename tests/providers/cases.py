"""The conformance table: what a case is (every coroutine of a `cases_*` module), and how its
answers are read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from agent_tui.providers.base import Failed, Finished, StreamItem, TextChunk, ThinkingChunk
from tests.providers.servers import (
    Connection,
    Dialect,
    Received,
    Said,
    played,
)

Case = Callable[[Dialect], Awaitable[None]]


def joined(items: Sequence[StreamItem], kind: type[TextChunk] | type[ThinkingChunk]) -> str:
    return "".join(item.text for item in items if isinstance(item, kind))


def finished(items: Sequence[StreamItem]) -> Finished:
    ends = [item for item in items if isinstance(item, Finished | Failed)]
    assert len(ends) == 1 and ends[0] is items[-1], items
    assert isinstance(ends[0], Finished), ends[0]
    return ends[0]


def failed(items: Sequence[StreamItem], kind: str, where: str = "") -> Failed:
    ends = [item for item in items if isinstance(item, Finished | Failed)]
    assert len(ends) == 1 and ends[0] is items[-1], items
    end = ends[0]
    assert isinstance(end, Failed), end
    assert end.kind == kind, end
    assert end.hint and "\n" not in end.text + end.hint
    assert where in end.text
    return end


async def answer(dialect: Dialect, said: Sequence[Said], stop: str = "stop") -> list[StreamItem]:
    async with dialect.answering(dialect.parts(said, stop)) as (_, provider):
        return await played(provider)


async def refused(
    dialect: Dialect, status: int, body: object, headers: dict[str, str] | None = None
) -> Failed:
    async def route(_: Received, connection: Connection) -> None:
        await connection.json(body, status, headers)

    async with dialect.server(route) as (server, provider):
        end = (await played(provider))[-1]
        assert isinstance(end, Failed)
        assert server.address in end.text, end
        return end
