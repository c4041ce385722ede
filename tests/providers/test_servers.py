"""The servers of these tests: what they leave behind."""

from __future__ import annotations

import asyncio

import pytest

from tests.providers.servers import Connection, Received, serving


def test_a_server_that_ends_early_leaves_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Its connections are over before the test is, without a word, whatever they waited for."""

    async def scenario() -> list[str]:
        ended: list[str] = []

        async def route(received: Received, connection: Connection) -> None:
            try:
                await connection.until_client_leaves()
            finally:
                ended.append(received.path)

        async with serving({"/x": route}) as server:
            _, writer = await asyncio.open_connection(
                "127.0.0.1", int(server.address.rpartition(":")[2])
            )
            writer.write(b"GET /x HTTP/1.1\r\n\r\n")
            while not server.received:
                await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        writer.close()
        return ended

    assert asyncio.run(scenario()) == ["/x"]
    assert caplog.records == []
