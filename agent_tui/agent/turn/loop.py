"""The agent loop: build context → stream → run tools → append results → again, until a step has no
tool call.

Every collaborator is passed in; nothing here knows a provider, a file or a thread. Cancellation is
the one exception that crosses it: whoever cancels settles what is open (`turn.py`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from agent_tui.agent.session.history import History
from agent_tui.agent.turn import retries
from agent_tui.agent.turn.accounts import Accounts
from agent_tui.agent.turn.attachments import Attach
from agent_tui.agent.turn.compactor import Compactor
from agent_tui.agent.turn.executor import MOST_CALLS, Executor
from agent_tui.agent.turn.loop_detection import LoopGuard, Outcome, research_reason
from agent_tui.agent.turn.prefix_guard import PrefixGuard
from agent_tui.agent.turn.retries import Chain, Other
from agent_tui.agent.turn.running_turn import Turn
from agent_tui.agent.turn.step_notes import StepJournal
from agent_tui.agent.turn.tokens import cut_notice, full_window, goes_on, stop_reason, too_long
from agent_tui.protocol.events import (
    AssistantReplied,
    Event,
    Notice,
    RequestFailed,
    RequestSent,
    Retrying,
    SteerSeen,
    StepStarted,
    UsageReported,
)
from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    ModelInfo,
    Request,
    ToolMessage,
    UserMessage,
)
from agent_tui.protocol.transcript import TurnEnd
from agent_tui.providers.base import CallChunk, Failed, Finished, Provider, TextChunk, ThinkingChunk
from agent_tui.providers.wire.stream import Keyless
from agent_tui.safety.secrets.hidden_values import HiddenValues
from agent_tui.safety.secrets.scrubber import AnswerScrubber
from agent_tui.structures.frozen import frozen

LOOKS: Final = 32
"""Parts of a stream after which that is looked at: the clock of a thread costs as much as a part
does."""
WORD: Final = 8
"""Characters of a large part that count as one more."""
AT_ONCE: Final = 0.01
"""Seconds of CPU that a stream may take without a rest, where all of an answer is there at once."""
REST: Final = 0.001
"""So long it rests then: what the person asked for meanwhile is done, and the screen does not wait
for this thread."""

Held = tuple[Literal["stop", "continue", "say"], SteerSeen]


@frozen
class Collaborators:
    """All that the loop works with. `facts` are the volatile facts of now; `hold` asks the person
    whether to go on;
    `may_send` says whether the budget is enough;
    `attach` reads the files that words of the person name; `fill` puts the bytes of images into a
    request; `tell_below` tells the model the instructions of folders in which it has read."""

    provider: Provider
    info: ModelInfo
    executor: Executor
    history: Callable[[], History]
    facts: Callable[[], Awaitable[str]]
    hold: Callable[[str], Awaitable[Held]]
    attach: Attach
    fill: Callable[..., Awaitable[Request]]
    accounts: Accounts
    may_send: Callable[[Provider, str, Request], Awaitable[bool]]
    compactor: Compactor
    guard: PrefixGuard
    tell_below: Callable[[Callable[[Event], None]], Awaitable[None]]
    max_steps: int
    chain: Chain
    continues: int = 0
    wait: float = 0.0
    interactive: bool = True

    def with_model(self, other: Other) -> Collaborators:
        """With another model."""
        return replace(
            self, provider=other.provider, info=other.info, fill=partial(self.fill, info=other.info)
        )


async def run(turn: Turn, with_: Collaborators) -> TurnEnd:
    """One turn, from an accepted prompt to its end."""
    done: list[tuple[Outcome, ...]] = []
    guard, cuts = LoopGuard(), 0
    facts = await with_.facts()
    for step in range(1, with_.max_steps + 1):
        turn.step = step
        await add_steers(turn, with_.attach)
        await with_.tell_below(turn.emit)
        turn.emit(StepStarted(facts=facts if facts != with_.history().facts else ""))
        await make_room(turn, with_)
        reply, with_ = await answer(turn, with_, with_.history().request())
        if isinstance(reply, str):
            return reply
        long, full = reply.stop_reason == "length", reply.stop_reason == "window"
        cuts = cuts + 1 if long or full else 0
        if long:
            turn.emit(cut_notice(reply, cuts, with_.continues))
        if reply.calls:
            journal = StepJournal(turn, reply.calls, guard, with_.max_steps)
            done.append(await with_.executor.run(reply.calls, journal, done, long or full))
        has_room = not full or await make_room(turn, with_, refused=True)
        if not has_room or (full and not reply.text and not reply.calls):
            turn.emit(full_window(with_.info, with_.history(), with_.interactive))
            return "error"
        if not reply.calls:
            if turn.steers or ((long or full) and goes_on(reply, cuts, with_.continues)):
                continue
            return "completed"
        if reason := guard.hold_reason or research_reason(done):
            choice, words = await with_.hold(reason)
            if choice == "stop":
                return "stuck"
            done.clear()
            guard = LoopGuard()
            if words.text:
                turn.steers.append(words)
    return "max_steps"


async def make_room(turn: Turn, with_: Collaborators, refused: bool = False) -> bool:
    return await with_.compactor.make_room(turn.emit, with_.provider, with_.info, refused)


async def add_steers(turn: Turn, attach: Attach) -> None:
    """What the person said while the turn ran enters it, with the files that it names."""
    while turn.steers:
        steer = turn.steers.pop(0)
        turn.steered.append(steer)
        turn.emit(steer)
        await attach(steer.text, turn)


async def answer(
    turn: Turn, with_: Collaborators, request: Request
) -> tuple[AssistantReplied | TurnEnd, Collaborators]:
    """One model call with its retries, by another model where one fails for good; the collaborators
    from now on. Else how the turn ends, which was told. What failed has cost something, and another
    model may cost more: the budget is asked before each."""
    patience, sent, shortened = retries.Patience(with_.wait), 0, False
    while True:
        if not await with_.may_send(with_.provider, with_.info.name, request):
            return "budget_exceeded", with_
        patience.attempt, sent = patience.attempt + 1, sent + 1
        started = time.monotonic()
        if said := with_.guard.look(request):
            turn.emit(Notice(said))
        turn.emit(
            RequestSent(
                model=with_.info.name,
                messages=len(request.messages),
                hash=with_.accounts.calibration.requests.digest(request),
                attempt=sent,
            )
        )
        turn.cut = cut_off_usage(with_, request, started)
        filled = await with_.fill(request)
        end = await stream(turn, with_.provider, filled, with_.executor.workplace.hidden)
        if isinstance(end, Finished):
            return await _finish(turn, with_, request, end, _since(started)), with_
        if (reply := _keep_whole_calls(turn, end)) is not None:
            return reply, with_
        spoken = turn.streaming is not None and bool(turn.streaming.text_chars)
        if end.kind == "overflow" and not (spoken or shortened):
            shortened = True
            turn.void()
            if await make_room(turn, with_, refused=True):
                request = with_.history().request()
                continue
        if spoken:
            wait = patience.continuation_delay(end)
        else:
            wait = patience.delay(end, with_.chain.has_more)
        if wait is None and not spoken and (other := await with_.chain.next_model(end)) is not None:
            turn.void()
            turn.emit(RequestFailed(with_.info.name, end.kind, _since(started)))
            with_, turn.provider = with_.with_model(other), other.provider.name
            patience.begin_anew()
        elif wait is None:
            _give_up(turn, with_, end)
            return "error", with_
        else:
            if spoken:
                turn.settle_broken("error")
            else:
                turn.void()
            turn.emit(
                Retrying(attempt=sent + 1, delay_s=round(wait, 2), reason=end.text, kind=end.kind)
            )
            if spoken:  # it is asked to go on where it stopped
                request = with_.history().request()
            await asyncio.sleep(wait)


async def _finish(
    turn: Turn, with_: Collaborators, request: Request, end: Finished, took: int
) -> AssistantReplied | TurnEnd:
    """Settle an answer that came to its end."""
    turn.cut = None
    filtered = end.stop_reason == "refusal"
    if filtered and end.calls:
        # they do not run; what the server keeps with its answer speaks of them
        end = replace(end, calls=(), state="")
    if len(end.calls) > MOST_CALLS:  # the first that does not run says so of all
        end = replace(end, calls=end.calls[: MOST_CALLS + 1], state="")
    reason = stop_reason(end.stop_reason, end.usage, with_.info)
    reply = turn.settle_reply(reason, end.calls, end.state)
    await _account(turn, with_, request, reply, end, took)
    if filtered:
        turn.emit(retries.stopped_by_filter(end, with_.history(), with_.interactive))
        return "error"
    return reply


def _keep_whole_calls(turn: Turn, end: Failed) -> AssistantReplied | None:
    """An answer that broke off behind calls that came whole: they run, and the turn goes on with
    their results. None: there are none."""
    calls = turn.streaming.whole_calls()[:MOST_CALLS] if turn.streaming is not None else ()
    if not calls or not end.may_pass:
        return None
    turn.emit(Notice(f"{end.text}. What it had called by then runs.", "warning"))
    return turn.settle_broken("error", calls)


def _give_up(turn: Turn, with_: Collaborators, end: Failed) -> None:
    """Say why there is no answer; what came of it stays."""
    if turn.streaming is not None and turn.streaming.has_begun:
        turn.settle_broken("error")
    if end.kind == "overflow":
        tokens = partial(with_.accounts.calibration.tokens, with_.info.name, "read")
        end = too_long(end, with_.info, with_.history(), tokens, with_.interactive)
    turn.emit(retries.error_event(end, with_.interactive and with_.history().keeps))


async def stream(
    turn: Turn, provider: Provider, request: Request, hidden: HiddenValues
) -> Finished | Failed:
    """Tell a stream's parts as they come, a flood of them in slices; returns how it ended. What a
    person lets the model see is in what is sent, and in nothing that comes back."""
    if hidden.shown:
        request = show_hidden(request, hidden)
    keyless = Keyless(AnswerScrubber(hidden))
    at_once = hasattr(
        provider, "base_url"
    )  # a part from a server is all that one read of the network brought
    begun, count = time.thread_time(), 0
    async with aclosing(provider.stream(request)) as items:
        async for received in items:
            for item in keyless.pass_on([received]):
                count += 1 if isinstance(item, Finished) else 1 + len(item.text) // WORD
                if count >= LOOKS:
                    count = 0
                    if (now := time.thread_time()) - begun > AT_ONCE:
                        begun = now
                        await asyncio.sleep(REST)
                match item:
                    case TextChunk():
                        turn.add_text(item.text, at_once)
                    case ThinkingChunk():
                        turn.add_thinking(item.text, at_once)
                    case CallChunk():
                        turn.arguments(item.index, item.name, item.text, item.id)
                    case Finished() | Failed():
                        return item
    return Failed(
        "broken_stream", f"{provider.name}: the answer stopped before its end", may_pass=True
    )


def show_hidden(request: Request, hidden: HiddenValues) -> Request:
    """`request` with the values that a person lets the model see in what it was told."""

    def fill(message: Message) -> Message:
        match message:
            case ToolMessage():
                return replace(message, content=hidden.fill(message.content))
            case UserMessage():
                return replace(message, text=hidden.fill(message.text))
            case AssistantMessage():
                return message

    return replace(request, messages=tuple(map(fill, request.messages)))


def cut_off_usage(
    with_: Collaborators, request: Request, started: float
) -> Callable[[AssistantReplied], UsageReported]:
    """Tells what an answer took that is broken off."""
    return lambda reply: with_.accounts.report_cut_off(
        with_.provider, with_.info, request, reply, _since(started)
    )


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


async def _account(
    turn: Turn,
    with_: Collaborators,
    request: Request,
    reply: AssistantReplied,
    end: Finished,
    duration_ms: int,
) -> None:
    """Report what the step cost, and what was odd about its end."""
    used = await with_.accounts.report_answer(
        with_.provider, with_.info, request, reply, end.usage, duration_ms
    )
    with_.accounts.last_used = used.usage
    turn.emit(replace(used, answered_by=end.model))
    if near := with_.accounts.budget.near_limit_warning():
        turn.emit(Notice(near, "warning"))
    if end.stop_reason == "stop" and not reply.text.strip():
        turn.emit(
            Notice("The model sent an empty answer.", "warning", "/continue asks it to continue")
        )
