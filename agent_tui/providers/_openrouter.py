"""OpenRouter: Chat Completions whose list of models says what each of them costs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from agent_tui.protocol.messages import Request
from agent_tui.providers.base import Finished, ProviderError, StreamItem
from agent_tui.providers.compatible import CompatibleProvider
from agent_tui.providers.facts import prices

log = logging.getLogger(__name__)

PATIENCE: Final = 2.0
"""Seconds that the end of an answer waits for the list, which was asked for when the answer was."""


class OpenRouterProvider(CompatibleProvider):
    """One model behind OpenRouter."""

    async def learn_prices(self) -> None:
        """Read the list once: it tells the prices. A list that does not come costs no answer."""
        if prices.told(self.base_url):
            return
        try:
            await self.models()
        except ProviderError as error:
            log.warning("no prices of %s: %s", self._wire.place.where, error.failed.text)
            prices.tell(self.base_url, ())

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        """The answer, and beside the first one the list, so that what it took has a price."""
        learning = None if prices.told(self.base_url) else asyncio.create_task(self.learn_prices())
        try:
            async with aclosing(super().stream(request)) as items:
                async for item in items:
                    if learning is not None and isinstance(item, Finished):
                        await asyncio.wait({learning}, timeout=PATIENCE)
                    yield item
        finally:
            if learning is not None:
                learning.cancel()
