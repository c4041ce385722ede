"""What brings a model here while the session goes on: a provider that is set up, a model that is
fetched (`pulls`).

Which providers there are is answered as `SetupOffers`, what comes of a step as `SetupOutcome`. A
key is in neither.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Executor as Pool
from dataclasses import replace
from typing import Any, Final, Literal

from agent_tui.agent.services import local_ollama, setup
from agent_tui.agent.services.models import Models
from agent_tui.agent.services.setup import Attempt
from agent_tui.agent.session.record import Record
from agent_tui.protocol.answers import (
    Offer,
    PullProgress,
    PullState,
    SetupOffers,
    SetupOutcome,
    SetupState,
)
from agent_tui.protocol.events import Answered, ErrorRaised, Notice
from agent_tui.protocol.ops import Pull
from agent_tui.protocol.setup_op import SetUp
from agent_tui.providers.base import Failed
from agent_tui.providers.choosing import choose
from agent_tui.providers.services import service_of
from agent_tui.providers.services.ollama import OLLAMA
from agent_tui.providers.wire import log
from agent_tui.safety import credentials
from agent_tui.settings.store import Refused

LOOK_SECONDS: Final = 5.0
"""So long a provider has to answer before the list of all says that it does not."""
ASK_SECONDS: Final = 20.0
Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]
Learn = Callable[[Iterable[str]], None]


class Setups:
    """At most one provider is asked at a time. `learn` is told of a key before anybody uses it."""

    def __init__(
        self, models: Models, record: Record, spawn: Spawn, pool: Pool, learn: Learn
    ) -> None:
        self._models, self._record, self._spawn, self._pool, self._learn = (
            models,
            record,
            spawn,
            pool,
            learn,
        )
        self._pulls = Pulls(models, record, spawn)
        self._looks: asyncio.Task[None] | None = None
        self._asks: asyncio.Task[None] | None = None
        self._keeps: asyncio.Task[None] | None = None
        """What is being written is written to its end."""
        self._last = Attempt("")
        """What answered last, with its key."""
        self._listed: tuple[tuple[str, ...], str] = ((), "")
        """What it offers, and what of that is proposed: still there to choose from where a model
        cannot be kept."""

    def handle(self, op: Pull | SetUp) -> None:
        if isinstance(op, Pull):
            self._pulls.handle(op)
            return
        match op.step:
            case "look":
                _cancel(self._looks)
                self._looks = self._spawn(self._look(op.id))
            case "ask":
                _cancel(self._asks)
                self._asks = self._spawn(self._ask(op))
            case "keep":
                if (
                    self._keeps is None or self._keeps.done()
                ):  # two at once would write one over the other
                    self._keeps = self._spawn(self._keep(op))
            case "stop":
                _cancel(self._asks)
            case "leave":
                _cancel(self._looks)
                _cancel(self._asks)
                self._last = Attempt("")

    async def _look(self, id: str) -> None:
        """Tell which there are at once, and of each what came of asking it. A keyring may ask a
        person for a password meanwhile."""
        found = self._offers()
        works = asyncio.get_running_loop().run_in_executor(self._pool, credentials.keyring_works)

        def tell(looking: bool) -> None:
            keyring = works.done() and works.exception() is None and works.result()
            self._record.emit(Answered(id, SetupOffers(tuple(found.values()), looking, keyring)))

        async def one(name: str) -> None:
            found[name] = await self._asked(found[name], LOOK_SECONDS)
            tell(True)

        tell(True)
        await self._models.unlock()
        found = self._offers()
        asked = [name for name, one in found.items() if one.group != "service" and not one.needs]
        found |= {name: replace(found[name], state="looking") for name in asked}
        tell(True)
        await asyncio.gather(*map(one, asked))
        await asyncio.wait({works}, timeout=LOOK_SECONDS)
        tell(False)

    def _offers(self) -> dict[str, Offer]:
        return {one.name: one for one in setup.offers(self._models.config)}

    async def _asked(self, offer: Offer, seconds: float) -> Offer:
        """`offer` with what came of asking it."""
        attempt = Attempt(offer.name)
        _, answer = await setup.probe_attempt(attempt, self._models.config, seconds)
        if not isinstance(answer, Failed):
            return replace(offer, state="ok", models=len(answer))
        down = service_of(attempt.name).pulls and await self._is_down(attempt)
        state: Literal["down", "failed"] = "down" if down else "failed"
        needs = "key" if answer.kind == "auth" and not offer.key else offer.needs
        return replace(offer, state=state, needs=needs, kind=answer.kind, said=answer.text)

    async def _is_down(self, attempt: Attempt) -> bool:
        """Whether it is an Ollama that could be started here."""
        server = self._server(attempt)
        try:
            return await local_ollama.is_startable(server, self._models.config)
        finally:
            await server.close()

    def _server(self, attempt: Attempt) -> Any:
        return choose.make(
            f"{OLLAMA.name}/-", setup.attempt_configuration(attempt, self._models.config)
        )

    async def _ask(self, op: SetUp) -> None:
        attempt = Attempt(op.provider, op.address.strip(), op.key.strip())
        if op.key and (wrong := setup.no_key(attempt.key)):
            self._tell(op.id, "no_key", attempt, said=wrong)
            return
        if attempt.key:
            self._learn((attempt.key,))
            log.learn((attempt.key,))
        if op.serve and (problem := await self._start(op.id, attempt)):
            self._tell(op.id, "failed", attempt, said=problem, failure="unreachable")
            return
        self._tell(op.id, "asking", attempt)
        attempt, answer = await setup.probe_attempt(attempt, self._models.config, ASK_SECONDS)
        if isinstance(answer, Failed):
            down = (
                answer.kind == "unreachable"
                and service_of(attempt.name).pulls
                and await self._is_down(attempt)
            )
            state: SetupState = "down" if down else "failed"
            self._tell(
                op.id, state, attempt, said=answer.text, hint=answer.hint, failure=answer.kind
            )
            return
        self._last, self._listed = attempt, (tuple(answer), setup.first_of(attempt.name, answer))
        self._tell(op.id, "answered", attempt, self._listed)

    async def _start(self, id: str, attempt: Attempt) -> str:
        """Start Ollama, as the person said. Why that failed, if it did."""
        self._tell(id, "starting", attempt)
        server = self._server(attempt)
        try:
            return await local_ollama.start(server, self._models.config)
        finally:
            await server.close()

    async def _keep(self, op: SetUp) -> None:
        """The model is opened first: what cannot be used is not written down."""
        attempt, models = (
            self._last if self._last.name == op.provider else Attempt(op.provider),
            self._models,
        )
        model = setup.resolve_model(attempt.name, op.model)
        self._tell(op.id, "keeping", attempt, self._listed, model=model)
        config = setup.attempt_configuration(attempt, models.config)
        choice = await choose.choose(model, config)
        if choice.provider is None:
            said = "; ".join(f"{tried.what}: {tried.result}" for tried in choice.tried)
            hint = "choose another model"
            self._tell(
                op.id,
                "failed",
                attempt,
                self._listed,
                said=said,
                hint=hint,
                failure="unknown_model",
            )
            return
        keeping = asyncio.get_running_loop().run_in_executor(
            self._pool, setup.keep, config, attempt, model, op.place, op.scope
        )
        try:
            kept = await asyncio.shield(keeping)
        except (Refused, credentials.Unusable) as error:
            await choice.provider.close()
            self._tell(op.id, "failed", attempt, self._listed, said=str(error), failure="refused")
            return
        self._last = Attempt("")
        models.configure(config)
        for line in kept:
            self._record.emit(Notice(line, "warning" if line.startswith("But ") else "info"))
        await models.adopt(self._record, choice)
        self._tell(op.id, "kept", attempt, model=model)

    def _tell(
        self,
        id: str,
        state: SetupState,
        attempt: Attempt,
        listed: tuple[tuple[str, ...], str] = ((), ""),
        *,
        said: str = "",
        hint: str = "",
        failure: str = "",
        model: str = "",
    ) -> None:
        models, first = listed
        outcome = SetupOutcome(
            state,
            attempt.name,
            setup.label(attempt.name),
            attempt.address,
            bool(attempt.key),
            models,
            first,
            said,
            hint,
            failure,
            model,
        )
        self._record.emit(Answered(id, outcome))


def _cancel(task: asyncio.Task[None] | None) -> None:
    if task is not None:
        task.cancel()


ID: Final = "pull"


class Pulls:
    """At most one model is fetched at a time."""

    def __init__(
        self,
        models: Models,
        record: Record,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        self._models, self._record, self._spawn = models, record, spawn
        self._name = ""
        self._task: asyncio.Task[None] | None = None

    def handle(self, op: Pull) -> None:
        running = self._task is not None and not self._task.done()
        if op.how == "stop":
            if running and self._task is not None:
                self._task.cancel()
        elif running:
            said = f"{self._name} is still downloading; only one can at a time. /pull shows it."
            self._record.emit(Notice(said, "warning"))
        else:
            self._name = local_ollama.resolve_model(op.model)
            self._task = self._spawn(self._fetch(self._name, op.how == "serve"))

    async def _fetch(self, name: str, serve: bool) -> None:
        self._tell("pulling")
        try:
            found = await local_ollama.fetch(
                self._models.config,
                name,
                lambda came: self._tell("pulling", came.percent, came=came),
                (lambda: self._tell("starting")) if serve else None,
            )
        except asyncio.CancelledError:
            self._record.emit(
                Notice(f"Stopped. The downloaded part of {name} is kept: /pull {name} resumes.")
            )
            self._tell("stopped")
            raise
        if found is None:
            self._record.emit(Notice(f"{name} is downloaded."))
            self._tell("done", 100)
            await self._models.change(self._record, f"{OLLAMA.name}/{name}", "")
        elif found.kind == "down":
            self._tell("down", said=found.text, hint=found.hint)
        else:
            self._record.emit(ErrorRaised(found.text, "pull", found.hint))
            self._tell("failed", said=found.text, hint=found.hint)

    def _tell(
        self,
        state: PullState,
        percent: int = 0,
        said: str = "",
        hint: str = "",
        came: local_ollama.Come | None = None,
    ) -> None:
        data = PullProgress(self._name, state, percent, said, hint)
        if came is not None:
            data = replace(data, done=came.done, total=came.total, left=round(came.left))
        self._record.emit(Answered(ID, data))
