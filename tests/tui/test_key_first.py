"""A key on its way to the screen comes before what a model says, and no key can hold that up for
long."""

from __future__ import annotations

import asyncio
from queue import SimpleQueue
from typing import Any, cast

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import TextDelta
from agent_tui.tui.runtime import engine_client
from agent_tui.tui.runtime.engine_client import MOST_CHARS, Link

FLOOD = [TextDelta(text="word " * 2_000) for _ in range(20)]


class Silent:
    """An engine that has said all it will say."""

    def __init__(self, said: list[TextDelta]) -> None:
        self.events: SimpleQueue[Event | Restored] = SimpleQueue()
        self.resting = False
        for event in said:
            self.events.put(event)

    def start(self, wake: object) -> None:
        """Nothing more will come."""


class Screen:
    """Takes what there is whenever the link asks it to look."""

    def __init__(self, said: list[TextDelta]) -> None:
        self.link = Link(cast(Any, Silent(said)), self.look)
        self.taken: list[str] = []
        self.link.open(at_once=True)

    def look(self) -> None:
        self.taken += [event.text for event in self.link.take() if isinstance(event, TextDelta)]

    async def until_all(self, said: list[TextDelta]) -> None:
        while len("".join(self.taken)) < sum(len(event.text) for event in said):
            await asyncio.sleep(0.001)
        assert "".join(self.taken) == "".join(event.text for event in said)


def test_a_key_comes_first_until_it_is_painted() -> None:
    async def run() -> None:
        screen = Screen(FLOOD[:1])
        keys = screen.link.keys
        keys.read()
        screen.look()
        assert screen.taken == []
        keys.on_frame_painted()  # a frame that was on its way before the key was handled
        assert keys.under_way()
        screen.link.key_came()
        assert keys.to_paint()
        keys.read()
        keys.on_frame_painted()
        assert keys.under_way(), "the second one is not handled yet"
        screen.link.key_came()
        keys.on_frame_painted()
        assert not keys.under_way()
        await screen.until_all(FLOOD[:1])

    asyncio.run(run())


def test_a_flood_goes_on_under_keys_that_never_rest() -> None:
    async def run() -> None:
        screen = Screen(FLOOD)
        screen.look()

        async def typing() -> None:
            while True:
                screen.link.keys.read()
                await asyncio.sleep(0.005)

        task = asyncio.create_task(typing())
        await screen.until_all(FLOOD)
        task.cancel()

    asyncio.run(run())


def test_parts_of_a_flood_come_one_by_one_whoever_looks() -> None:
    async def run() -> None:
        screen = Screen(FLOOD)
        for _ in range(9):
            screen.look()
        first = len("".join(screen.taken))
        assert 0 < first <= MOST_CHARS * engine_client.FIRST_SHARE
        assert screen.link.is_behind
        await screen.until_all(FLOOD)
        assert not screen.link.is_behind

    asyncio.run(run())
