"""Questions outside a turn: whether a project is trusted, whether the model that it suggests is
used, whether a typed address is kept."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Executor as Pool
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, Literal

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.models import Models, address_of
from agent_tui.agent.services.trust import TrustDesk
from agent_tui.agent.session.queue import PromptQueue
from agent_tui.agent.session.record import Record
from agent_tui.protocol.answers import PromptHold
from agent_tui.protocol.display import Display
from agent_tui.protocol.events import Answered, Notice, QuestionAnswered, QuestionAsked
from agent_tui.protocol.ops import (
    Answer,
    Op,
    RestoreFiles,
    Rewind,
    RunShell,
    SetModel,
    Steer,
    Submit,
)
from agent_tui.protocol.ops import Continue as GoOn
from agent_tui.settings.layers import FILE, Suggestion
from agent_tui.settings.store import Refused, Store, remember

Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]
_Reply = asyncio.Future[bool] | None
"""Where somebody waits for the answer."""
_WAITING: Final = (GoOn, Rewind, RestoreFiles, SetModel)
"""Ops without words that wait while something is asked: they begin what is to go on with the
answer."""


class Confirmations:
    """At most one such question is open, and prompts stay in the `queue` meanwhile. `again` takes
    an Op that had to wait; `new_id` makes the id of a question."""

    def __init__(
        self,
        config: EngineConfig,
        record: Record,
        models: Models,
        consent: Consent,
        trust: TrustDesk,
        queue: PromptQueue,
        pool: Pool,
        spawn: Spawn,
        again: Callable[[Op], None],
        new_id: Callable[[], str],
    ) -> None:
        self._config, self._record, self._models, self._consent = config, record, models, consent
        self._trust, self._queue = trust, queue
        self._pool, self._spawn, self._again, self._new_id = pool, spawn, again, new_id
        self._task: asyncio.Task[None] | None = None
        self._waiting: list[Op] = []
        self._next: deque[tuple[Coroutine[Any, Any, None], _Reply]] = deque()
        """The questions behind the one that is open."""
        self._closed = False
        self.begun = asyncio.Event()
        """Something was asked: from then on prompts wait for the answer."""

    def holds(self, op: Op) -> bool:
        """Whether `op` was taken: it waits for the answer, or cannot be done before that."""
        if self._task is None:
            return False
        if isinstance(op, Submit | Steer):
            if self._models.provider is None:
                return False  # it is given back
            self._keep_prompt(op)
        elif isinstance(op, RunShell):
            self._record.emit(Notice("Not run: answer the question first.", "warning"))
        elif isinstance(op, _WAITING):
            self._waiting.append(op)
        else:
            return False
        if self._trust.waits:  # the question may be covered by something else
            self._spawn(self._trust.tell("start"))
        return True

    def _keep_prompt(self, op: Submit | Steer) -> None:
        """It is on record in the queue, from where it begins after the answer. Behind the first
        such prompt, those that wait go out as they do behind any turn."""
        if op.queue_id:
            self._tell_hold(True)  # who sent it did not know
        elif (item := self._queue.add(op.text, pastes=op.pastes)) is not None:
            self._waiting.append(Submit("", queue_id=item.id))

    def cancel(self) -> bool:
        """End the question without an answer: nothing that waited for it begins. Whether there was
        one."""
        if self._task is None:
            return False
        self._waiting.clear()
        return self._task.cancel()

    def close(self) -> None:
        """No question will have an answer any more, and nothing begins."""
        self._closed = True
        self.cancel()
        for work, reply in self._next:
            work.close()
            _settle(reply)
        self._next.clear()

    def ask_about_trust(self, suggests: bool = False) -> None:
        """Ask whether the project is trusted, then, if it `suggests` a model, whether that is used
        here, and remember both."""
        if not self._trust.waits:
            self._begin(self._ask_about_trust(suggests))

    @asynccontextmanager
    async def may_stay(
        self, text: str, yes: str, no: str, display: Display | None
    ) -> AsyncIterator[bool]:
        """Whether the person lets a change stay, asked behind what is asked already: a no, and no
        answer at all, take it back. What waits for the answer waits until that is done."""
        reply: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        done = asyncio.Event()

        async def ask() -> None:
            stays = await self._ask(text, yes, no, display) is True
            if not reply.done():
                reply.set_result(stays)
            await done.wait()

        if self._closed:
            reply.set_result(False)
        else:
            self._begin(ask(), reply)
        try:
            yield await reply
        finally:
            done.set()

    def suggest_model(self, suggestion: Suggestion) -> None:
        """Ask whether the model that the project suggests is used here, and remember it."""
        self._begin(self._suggest_model(suggestion))

    def offer_to_keep_address(self) -> None:
        """Ask whether the address of the server in use is kept, if the settings do not have it."""
        if not self._config.interactive or self._config.otr:
            return
        provider = self._models.provider
        if provider is not None and (address := address_of(provider)):
            self._begin(self._offer_to_keep(f"providers.{provider.name}.base_url", address))

    @property
    def _store(self) -> Store:
        return Store(self._config)

    def _begin(self, work: Coroutine[Any, Any, None], reply: _Reply = None) -> None:
        if self._task is not None:
            self._next.append((work, reply))
            return
        self._task = self._spawn(work)
        self._task.add_done_callback(lambda _: _settle(reply))
        self._task.add_done_callback(self._end)
        self.begun.set()
        self._tell_hold(True)

    def _end(self, _: asyncio.Task[None]) -> None:
        self._task = None
        if self._closed:
            return
        if self._next:  # what waits, waits for all of them
            self._begin(*self._next.popleft())
            return
        waiting, self._waiting = self._waiting, []
        for op in waiting:
            self._again(op)
        if self._models.provider is None:
            self._record.emit(self._models.answer_query("start"))
        self._tell_hold(False)

    def _tell_hold(self, on: bool) -> None:
        self._record.emit(Answered("hold", PromptHold(on)))

    async def _ask_about_trust(self, suggests: bool) -> None:
        suggestion = await self._trust.ask()
        if suggestion is not None and suggests:
            await self._suggest_model(suggestion)

    async def _suggest_model(self, suggestion: Suggestion) -> None:
        model, data = suggestion.model, self._config.folders.data
        if why := await self._models.refusal(model):
            self._record.emit(
                Notice(f"{suggestion.where} suggests the model {model}: not used, because {why}")
            )
            return
        now = f"Your model is {self._models.info.name}. " if self._models.info.name else ""
        text = f"Use the model {model} in this project?\n{now}The project suggests another one: {suggestion.where}"
        agreed = await self._ask(
            text, f"{model} from now on, here", "keep your own model, and do not ask again"
        )
        if agreed is None:
            return
        # a yes that was kept without the change would leave the next start without a model
        changed = not agreed or await self._models.change(
            self._record, model, on_failure=self._hold_back
        )
        if changed:
            await self._write(partial(remember, data, suggestion, agreed))

    def _hold_back(self) -> str:
        """The model that the person agreed to is not there: prompts that waited for it do not go to
        another. What is said of that."""
        self._waiting = [op for op in self._waiting if not isinstance(op, Submit | GoOn)]
        self._queue.pause()
        return "; the queue is paused" if self._queue.items else ""

    async def _offer_to_keep(self, key: str, address: str) -> None:
        store = self._store
        kept = await asyncio.get_running_loop().run_in_executor(self._pool, store.own_value, key)
        if kept == address:
            return
        more = f" Your {FILE} has {kept}, which it replaces." if kept else ""
        text = f"Save this address?\n{address} is known in this session only.{more}"
        if await self._ask(text, f"save it in your {FILE}", "do not save it"):
            await self._write(
                partial(store.write, key, address), f"{address} is kept in {store.path()}"
            )

    async def _ask(
        self, text: str, yes: str, no: str, display: Display | None = None
    ) -> bool | None:
        """The answer; None: not now. `display`: what the person judges."""
        id, options = self._new_id(), (yes, no)
        asked = QuestionAsked(id=id, kind="confirm", text=text, options=options, display=display)
        self._record.emit(asked)
        choice: Literal["yes", "stop", "later"] = "later"
        try:
            answer = await self._consent.wait(asked.id)
            if answer.choice == "yes" or answer.choice == "stop":
                choice = answer.choice
        finally:  # also where nobody waits for it any more
            self._record.emit(QuestionAnswered(id=asked.id, choice=choice, idle=True))
        return {"yes": True, "stop": False}.get(choice)

    async def _write(self, write: Callable[[], None], done: str = "") -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(self._pool, write)
        except Refused as error:
            self._record.emit(Notice(f"Not saved: {error}", "warning"))
        else:
            if done:
                self._record.emit(Notice(done))


def _settle(reply: _Reply) -> None:
    """Nobody will answer any more."""
    if reply is not None and not reply.done():
        reply.set_result(False)


class Consent:
    """The open questions. Everything runs on one loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[Answer]] = {}
        self._since = self._waited = 0.0

    def clock(self) -> float:
        """Seconds of a clock that stands still while a question waits for its answer."""
        now = self._since if self._waiting else time.monotonic()
        return now - self._waited

    async def wait(self, id: str) -> Answer:
        """The answer to question `id`, when it comes."""
        return await self.expect(id)

    def expect(self, id: str) -> asyncio.Future[Answer]:
        """The same for who does not wait for it at once: from now on, it may come."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._since = self._since if self._waiting else time.monotonic()
        self._waiting[id] = future
        future.add_done_callback(lambda _: self._forget(id))
        return future

    def _forget(self, id: str) -> None:
        self._waiting.pop(id, None)
        self._waited += 0.0 if self._waiting else time.monotonic() - self._since

    def answer(self, op: Answer) -> bool:
        """Give an answer; false when nobody waits for it (any more)."""
        future = self._waiting.get(op.id)
        if future is None or future.done():
            return False
        future.set_result(op)
        return True
