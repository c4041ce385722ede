"""The title of a session by the small model: asked for in the background once a turn is done, never
over a person's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from logging import Logger
from typing import Any, Final

from agent_tui.agent.services import own_requests
from agent_tui.agent.services.models import Models
from agent_tui.agent.session.record import Record
from agent_tui.agent.turn.accounts import Accounts
from agent_tui.protocol.events import Titled
from agent_tui.protocol.messages import AssistantMessage, ModelInfo, Request, UserMessage
from agent_tui.providers.base import Provider
from agent_tui.providers.choosing import choose
from agent_tui.structures.visible import visible

WORDS: Final = """\
You name conversations. Answer with a title of at most six words for the one below: what it is about, in its own \
language, without quotes, without a full stop, and nothing else."""
ASKED: Final = 2_000
ANSWERED: Final = 1_000
"""Characters of the first prompt and of the last answer that the small model gets."""
LONGEST: Final = 60
MOST_TRIES: Final = 2
_BEFORE: Final = " #*_`\"'“”„«»>-"
_BEHIND: Final = " *_`\"'“”„«».:;,-"
"""Marks around a title."""


class Titles:
    """At most one request at a time, and no more than `MOST_TRIES` that failed."""

    def __init__(
        self,
        models: Models,
        record: Record,
        accounts: Accounts,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        log: Logger,
    ) -> None:
        self.models, self.record, self.accounts, self.spawn, self.log = (
            models,
            record,
            accounts,
            spawn,
            log,
        )
        self._task: asyncio.Task[None] | None = None
        self._tries = 0

    @property
    def _wanted(self) -> bool:
        """Whether there is a model for it, and nothing yet that a title would take the place of."""
        config = self.models.config
        wanted = bool(config.settings.small_model) and config.interactive and not config.otr
        return wanted and not self.record.standing.titled and self._tries < MOST_TRIES

    def on_turn_ended(self) -> None:
        """A turn is done."""
        if self._wanted and (self._task is None or self._task.done()):
            self._task = self.spawn(self._give())

    async def _give(self) -> None:
        request, config = self._request(), self.models.config
        if request is None:
            return
        self._tries += 1
        try:
            async with asyncio.timeout(own_requests.SECONDS):
                choice = await choose.choose(
                    config.settings.small_model, config, self.models.unlock
                )
        except TimeoutError:
            self.log.warning("no title: %s was not available in time", config.settings.small_model)
            return
        if choice.provider is None:
            self.log.warning(
                "no title: %s", "; ".join(f"{one.what}: {one.result}" for one in choice.tried)
            )
            return
        try:
            await self._ask(choice.provider, choice.info, request)
        finally:
            await choice.provider.close()

    async def _ask(self, provider: Provider, info: ModelInfo | None, request: Request) -> None:
        known = info or ModelInfo(f"{provider.name}/{provider.model}")
        said = await own_requests.ask(
            provider, known, request, "title", self.accounts, self.record.emit, self.log
        )
        title = clean_title(said)
        if title and not self.record.standing.titled:  # the person may have given one meanwhile
            self.record.emit(Titled(title, by="model"))

    def _request(self) -> Request | None:
        """What the session is about: how it began, and what was answered last."""
        messages = self.record.history.messages
        first = next((one.text for one in messages if isinstance(one, UserMessage)), "").strip()
        answers = (
            one.text for one in reversed(tuple(messages)) if isinstance(one, AssistantMessage)
        )
        last = next((text for text in answers if text.strip()), "").strip()
        if not first:
            return None
        said = f"Asked:\n{first[:ASKED]}" + (f"\n\nAnswered:\n{last[:ANSWERED]}" if last else "")
        return Request(WORDS, (UserMessage(said),))


def clean_title(text: str) -> str:
    """The title in what a model wrote: its first line, without the marks around it, whole words of
    it."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    words = " ".join(visible(line).removeprefix("Title:").split())
    title = words.lstrip(_BEFORE).rstrip(_BEHIND)
    if len(title) <= LONGEST:
        return title
    return f"{title[: LONGEST - 1].rpartition(' ')[0] or title[: LONGEST - 1]}…"
