"""Requests of the program's own, which are no step of a turn: for a title, for a summary,
for what to remember."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from logging import Logger
from typing import Final, Literal

from agent_tui.agent.turn.accounts import Accounts
from agent_tui.protocol.events import AssistantReplied, Event, RequestFailed
from agent_tui.protocol.messages import ModelInfo, Request
from agent_tui.providers.base import Failed, Finished, Provider, TextChunk

SECONDS: Final = 60.0
Purpose = Literal["title", "compaction", "memory"]


async def ask(
    provider: Provider,
    info: ModelInfo,
    request: Request,
    purpose: Purpose,
    accounts: Accounts,
    emit: Callable[[Event], None],
    log: Logger,
    seconds: float = SECONDS,
) -> str:
    """What the model answers to `request`, which is reported as used; empty where it failed or
    would go over a limit, as the program's log says."""
    if refusal := await accounts.refusal(provider, info, request):
        log.info("no %s: %s", purpose, refusal)
        return ""
    began, texts = time.monotonic(), list[str]()
    end = await _stream(provider, request, texts, seconds)
    took = round((time.monotonic() - began) * 1000)
    if isinstance(end, Failed):
        log.warning("no %s: %s", purpose, end.text)
        emit(RequestFailed(info.name, end.kind, took, purpose))
        return ""
    reply = AssistantReplied(text="".join(texts))
    used = await accounts.report_answer(provider, info, request, reply, end.usage, took)
    emit(replace(used, purpose=purpose, window=0, answered_by=end.model))
    return "" if end.stop_reason == "refusal" else reply.text


async def _stream(
    provider: Provider, request: Request, texts: list[str], seconds: float
) -> Finished | Failed:
    """How the answer to `request` ended; its words are in `texts`."""
    try:
        async with asyncio.timeout(seconds), aclosing(provider.stream(request)) as items:
            async for item in items:
                if isinstance(item, TextChunk):
                    texts.append(item.text)
                elif isinstance(item, Finished | Failed):
                    return item
    except TimeoutError:
        return Failed("timeout", f"{provider.name}/{provider.model} took too long")
    return Failed("broken_stream", f"{provider.name}: the answer stopped before its end")
