"""Events of a turn and its steps: the prompt, the request, the streamed answer and its settled
twin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import ClassVar, Final, Literal

from agent_tui.protocol.event import Event
from agent_tui.protocol.messages import StopReason, ToolCall, Usage
from agent_tui.protocol.tool_events import SHELL
from agent_tui.protocol.transcript import (
    Approval,
    Bill,
    DividerBlock,
    Mark,
    NoticeBlock,
    Retry,
    State,
    Streaming,
    Transcript,
    TurnBlock,
    TurnEnd,
    UserBlock,
)
from agent_tui.structures.chips import Paste
from agent_tui.structures.frozen import frozen


@frozen
class TurnStarted(Event):
    """A prompt was accepted. `sent` is what the model gets for it when it is more than `prompt` (an
    expanded skill).
    `continued`: no prompt, the turn before goes on; `again`: with the request whose answer broke
    off. `pastes`: which characters of `prompt` were pasted (`agent_tui/structures/chips.py`)."""

    prompt: str
    sent: str = ""
    skill: str = ""
    queue_id: str = ""
    continued: bool = False
    again: bool = False
    pastes: tuple[Paste, ...] = ()
    type: Literal["turn_started"] = "turn_started"

    def change(self, t: Transcript) -> Transcript:
        queue = tuple(item for item in t.queue if not self.queue_id or item.id != self.queue_id)
        t = t.abandon()
        mark = Mark(
            self.n,
            len(t.rows),
            self.prompt,
            self.at,
            t.context_tokens,
            t.estimated,
            todos=t.todos,
            turn=self.turn,
            pastes=self.pastes,
        )
        t = replace(
            t,
            state="running",
            turn=self.turn,
            steps=0,
            turn_at=self.at,
            turn_tokens=0,
            turn_bill=Bill(),
            queue=queue,
            failed_jobs=(),
            place=-1,
            answering="",
            title=t.title or self.prompt.strip().split("\n", 1)[0][:80],
            marks=t.marks.append(mark),
        )
        if self.continued:
            return t.add(DividerBlock("asked again" if self.again else "continued"))
        return t.add(UserBlock(self.prompt, self.at, self.sent, self.skill, pastes=self.pastes))


@frozen
class StepStarted(Event):
    """A model call and its tools begin. `facts` are the volatile facts (git status, date, mode)
    that go behind the newest message; empty when the model knows them already."""

    facts: str = ""
    type: Literal["step_started"] = "step_started"

    def change(self, t: Transcript) -> Transcript:
        t = t.abandon()
        return replace(t, state="running", steps=self.step, streaming=Streaming(len(t.rows)))


Profile = Literal["full", "small"]
"""How much the prefix of a request has: `small` is for small windows."""


@frozen
class ContextPart:
    """One source of the system prompt; `source` names the file it came from, where it has one."""

    name: str
    chars: int
    source: str = ""


@frozen
class ContextBuilt(Event):
    """The request's prefix: system prompt and tool schemas (JSON text), kept whole so that a resume
    sends the same. `room`: characters that all instruction files might have."""

    system: str
    tools: str = "[]"
    parts: tuple[ContextPart, ...] = ()
    hash: str = ""
    profile: Profile = "full"
    room: int = 0
    type: Literal["context_built"] = "context_built"


@frozen
class ContextTold(Event):
    """`text` goes behind the newest prompt: it tells the model what of the prefix is another now,
    which stays as it was. `parts`: hashes of what it knows of these from now on (empty: they are
    gone). `said`: what the person reads of it."""

    text: str
    parts: Mapping[str, str] = field(default_factory=dict)
    said: str = ""
    type: Literal["context_told"] = "context_told"

    def change(self, t: Transcript) -> Transcript:
        return t.add(NoticeBlock("info", self.said)) if self.said else t


@frozen
class RequestSent(Event):
    """A request left. `hash` covers system, tools and messages, so that a replay can compare."""

    model: str
    messages: int = 0
    hash: str = ""
    attempt: int = 1
    type: Literal["request_sent"] = "request_sent"

    def change(self, t: Transcript) -> Transcript:
        if t.streaming is not None and self.attempt > 1:  # what a failed attempt had begun is void
            t = replace(t.abandon(), streaming=Streaming(t.streaming.base))
        return replace(t, retry=None, answering=self.model, compacting=0.0)


@frozen
class RequestFailed(Event):
    """A request failed for good, but the turn continues: another model answers, or the request was
    not for the turn (`purpose`). `kind`: of the failure, in one word."""

    settled: ClassVar[bool] = False
    model: str
    kind: str
    duration_ms: int = 0
    purpose: Literal["", "title", "compaction", "memory"] = ""
    type: Literal["request_failed"] = "request_failed"


@frozen
class SteerSeen(Event):
    """A prompt was steered into the running turn: the next request has it. `sent` is what the model
    gets, where a skill stands for other words than `text`."""

    text: str
    queue_id: str = ""
    pastes: tuple[Paste, ...] = ()
    sent: str = ""
    type: Literal["steer_seen"] = "steer_seen"

    def change(self, t: Transcript) -> Transcript:
        queue = tuple(item for item in t.queue if not self.queue_id or item.id != self.queue_id)
        block = UserBlock(self.text, self.at, steer=True, pastes=self.pastes)
        return replace(t, queue=queue).add(block)


@frozen
class TextDelta(Event):
    settled: ClassVar[bool] = False
    text: str
    type: Literal["text_delta"] = "text_delta"

    def change(self, t: Transcript) -> Transcript:
        return t.stream_text(self.text, self.at)


@frozen
class ThinkingDelta(Event):
    settled: ClassVar[bool] = False
    text: str
    type: Literal["thinking_delta"] = "thinking_delta"

    def change(self, t: Transcript) -> Transcript:
        return t.stream_thinking(self.text, self.at)


@frozen
class ToolArgsDelta(Event):
    """Arguments of call `index` of this step are being written; `name` comes with the first."""

    settled: ClassVar[bool] = False
    index: int
    text: str
    name: str = ""
    type: Literal["tool_args_delta"] = "tool_args_delta"

    def change(self, t: Transcript) -> Transcript:
        return t.stream_call(self.index, self.name, self.text)


@frozen
class Partial(Event):
    """New text of a running answer since the last partial: stored, so that a kill loses at most two
    seconds.

    Offsets count characters of the answer and of the reasoning; what the reader already has is not
    applied again.
    """

    text: str = ""
    offset: int = 0
    thinking: str = ""
    thinking_offset: int = 0
    type: Literal["partial"] = "partial"

    def change(self, t: Transcript) -> Transcript:
        have = t.streaming or Streaming(len(t.rows))
        if self.thinking and have.thinking_chars == self.thinking_offset:
            t = t.stream_thinking(self.thinking, self.at)
        if self.text and have.text.length == self.offset:
            t = t.stream_text(self.text, self.at)
        return t


@frozen
class AssistantReplied(Event):
    """The settled answer of one step; supersedes its deltas and partials. `state` is the
    provider's, opaque."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    provider: str = ""
    state: str = ""
    stop_reason: StopReason = "stop"
    thinking_ms: int = 0
    type: Literal["assistant_message"] = "assistant_message"

    def change(self, t: Transcript) -> Transcript:
        return replace(t.settle(self.text, self.reasoning, self.thinking_ms), retry=None)


@frozen
class UsageReported(Event):
    """What one request took. `cost` in dollars, by the price of then; None: no price was known.
    `purpose`: what it was
    for, where it was no step of a turn. `answered_by`: the model's name as its server says it,
    where it does.
    `window_assumed`: nobody told how large it is."""

    usage: Usage
    model: str = ""
    provider: str = ""
    duration_ms: int = 0
    window: int = 0
    cost: float | None = None
    cost_estimated: bool = False
    purpose: Literal["", "title", "compaction", "memory"] = ""
    answered_by: str = ""
    window_assumed: bool = False
    type: Literal["usage"] = "usage"

    def change(self, t: Transcript) -> Transcript:
        t = t.with_cost(self.cost, self.cost_estimated)
        if self.purpose:
            return t
        t = replace(t, window=self.window, window_assumed=self.window_assumed) if self.window else t
        return t.with_usage(self.usage)

    def apply_above(self, t: Transcript, row: int) -> Transcript:  # noqa: ARG002
        """What an agent costs is part of what its session costs."""
        return (
            t if self.cost is None else replace(t, bill=t.bill.plus(self.cost, self.cost_estimated))
        )


@frozen
class Retrying(Event):
    """Attempt `attempt` follows after `delay_s` seconds. `kind`: of the failure, in one word."""

    attempt: int
    delay_s: float
    reason: str
    kind: str = ""
    type: Literal["retrying"] = "retrying"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, retry=Retry(self.attempt, self.at + self.delay_s, self.reason))


@frozen
class TurnEnded(Event):
    state: TurnEnd
    duration_ms: int = 0
    steps: int = 0
    type: Literal["turn_ended"] = "turn_ended"

    def change(self, t: Transcript) -> Transcript:
        own = tuple(
            asked for asked in t.pending if isinstance(asked, Approval) and asked.tool == SHELL
        )
        t = replace(
            t.abandon().keep_pending(own), state="idle", retry=None, answering="", compacting=0.0
        )
        return t.add(
            TurnBlock(
                self.state,
                self.duration_ms,
                self.steps,
                t.turn_tokens,
                t.estimated,
                self.at,
                t.turn_bill,
            )
        )


INSTRUCTION: Final = """\
(A question on the side, while the work above goes on or rests. Answer it in words alone, from what is above and what \
you know; no tool can be used. Neither the question nor the answer is kept.)

"""
"""What the model reads before the question; it is not the person's."""
AsideEnd = Literal["completed", "cancelled", "error"]


@frozen
class AsideDelta(Event):
    """A piece of the answer to the side question `id`."""

    settled: ClassVar[bool] = False
    id: str
    text: str
    type: Literal["aside_delta"] = "aside_delta"


@frozen
class AsideEnded(Event):
    """A side question was answered, or not (`problem`; `kind` is that in one word). No request ever
    holds it, no transcript shows it. `answered_by`: the model's name as its server says it, where
    it does."""

    id: str
    question: str
    text: str = ""
    state: AsideEnd = "completed"
    problem: str = ""
    usage: Usage = Usage()
    model: str = ""
    duration_ms: int = 0
    cost: float | None = None
    cost_estimated: bool = False
    kind: str = ""
    answered_by: str = ""
    type: Literal["aside_ended"] = "aside_ended"

    def change(self, t: Transcript) -> Transcript:
        return (
            t if self.cost is None else replace(t, bill=t.bill.plus(self.cost, self.cost_estimated))
        )


CompactedBy = Literal["person", "limit", "overflow"]
"""Who asked: the person, the count of a request that was to be sent, or a server that refused one."""
UNDO: Final = "/compact undo"


@frozen
class CompactionStarted(Event):
    """A summary is being written, also between turns; `tokens`: about how many a request has."""

    settled: ClassVar[bool] = False
    tokens: int = 0
    type: Literal["compaction_started"] = "compaction_started"

    def change(self, t: Transcript) -> Transcript:
        state: State = "running" if t.state == "idle" else t.state
        return replace(t, compacting=self.at or 1.0, state=state)


@frozen
class CompactionStopped(Event):
    """No summary was written: it was called off, or would have been no shorter."""

    settled: ClassVar[bool] = False
    type: Literal["compaction_stopped"] = "compaction_stopped"

    def change(self, t: Transcript) -> Transcript:
        return _over(t, self.turn)


@frozen
class Compacted(Event):
    """`summary` stands for the first `replaced` messages of the context from now on; the others
    stay as they are, and so do those that are `pinned` (their places among the first). `before` and
    `after`: about how many tokens a request has. `model`: who wrote the summary; empty: nobody, it
    was put together from what was said."""

    summary: str
    replaced: int
    pinned: tuple[int, ...] = ()
    before: int = 0
    after: int = 0
    by: CompactedBy = "limit"
    model: str = ""
    type: Literal["compacted"] = "compacted"

    def change(self, t: Transcript) -> Transcript:
        counts = f"≈{self.before:,} → ≈{self.after:,} tokens"
        t = replace(_over(t, self.turn), context_tokens=self.after, estimated=True)
        return t.add(DividerBlock(f"context compacted · {counts} · {UNDO}", self.summary))


def _over(t: Transcript, turn: int) -> Transcript:
    """Without a summary that is written, which is all that ran where no `turn` does."""
    state: State = "idle" if not turn and t.state == "running" else t.state
    return replace(t, compacting=0.0, state=state)


@frozen
class CompactionUndone(Event):
    """The model reads again what the newest summary stands for. `after`: about how many tokens a
    request has then."""

    after: int = 0
    type: Literal["compaction_undone"] = "compaction_undone"

    def change(self, t: Transcript) -> Transcript:
        t = replace(t, context_tokens=self.after, estimated=True)
        return t.add(DividerBlock("compaction undone"))


@frozen
class ResultsFolded(Event):
    """The results of tools among the first `through` messages of the context are read as one line
    each from now on; `read_result` gives one back."""

    through: int
    type: Literal["results_folded"] = "results_folded"
