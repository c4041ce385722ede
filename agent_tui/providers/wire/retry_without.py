"""A request that a server refuses for a part that it does not take, asked again without that part."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from agent_tui.providers.base import Failed, StreamItem


async def unless_refused(
    answer: AsyncGenerator[StreamItem, None],
    words: re.Pattern[str],
    again: Callable[[], AsyncGenerator[StreamItem, None]],
) -> AsyncGenerator[StreamItem, None]:
    """`answer`; where the request is refused in `words`, what comes of `again` in its place."""
    refused = False
    async with aclosing(answer) as items:
        async for item in items:
            refused = (
                isinstance(item, Failed)
                and item.kind == "bad_request"
                and bool(words.search(item.text))
            )
            if not refused:
                yield item
    if refused:
        async with aclosing(again()) as items:
            async for item in items:
                yield item
