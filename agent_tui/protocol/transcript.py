"""What a person sees of a session: the immutable value that every event folds into (`Event.apply`).

Rows are closed blocks; `live()` gives those still being written. A row is known by its index; only
rows of the step that is being streamed are ever taken back.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final, Literal

from agent_tui.protocol.display import Display, TodoItem
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.standing import Approval as Approval
from agent_tui.protocol.standing import EditedPrompt as EditedPrompt
from agent_tui.protocol.standing import Mark as Mark
from agent_tui.protocol.standing import Question as Question
from agent_tui.protocol.standing import Queued as Queued
from agent_tui.protocol.standing import Retry as Retry
from agent_tui.structures.argument_stream import ArgumentStream
from agent_tui.structures.chips import Chip, Paste
from agent_tui.structures.frozen import frozen, replace_fields
from agent_tui.structures.markdown_stream import Links, MdStream, Piece, links, split
from agent_tui.structures.vec import Vec

if TYPE_CHECKING:
    from agent_tui.protocol import answers

State = Literal["idle", "running", "waiting_for_tool", "waiting_for_input"]
TurnEnd = Literal[
    "completed",
    "cancelled",
    "interrupted",
    "error",
    "max_steps",
    "timed_out",
    "budget_exceeded",
    "stuck",
]
"""`cancelled`: by the person; `interrupted`: the program ended in the middle."""
ToolState = Literal["asking", "running", "done", "failed", "cancelled"]
Level = Literal["info", "warning", "error"]

LIVE_TAIL: Final = 4_000
"""Characters of running output and thinking that are kept while they stream."""
MAX_CALLS: Final = 128
"""Calls of one step that are shown while their arguments are written; an index beyond is a server's
mistake."""


@frozen
class UserBlock:
    """A prompt. `sent` is what the model got when that is more than `text` (an expanded skill);
    `pastes`: which characters of `text` were pasted."""

    text: str
    at: float = 0.0
    sent: str = ""
    skill: str = ""
    steer: bool = False
    pastes: tuple[Paste, ...] = ()


@frozen
class TextBlock:
    """A closed stretch of an answer, as Markdown source; `head`: the first of it. To be drawn,
    never to be copied: `lead` goes in front of it, `before` is its fence's code up to it, `links`
    what the answer's other blocks define."""

    text: str
    lead: str = ""
    head: bool = False
    before: tuple[str, ...] = ()
    links: Links = Links()


@frozen
class ThinkingBlock:
    """Reasoning; while `live`, `text` is only its end. `chars` counts all of it."""

    text: str
    chars: int = 0
    duration_ms: int = 0
    live: bool = False


@frozen
class ToolBlock:
    """One tool call. `tail` is the end of its running output, `display` what to draw, `note` who or
    what decided (`allowed once`), `words` what the person said with a yes, `timeout_s` the seconds
    that it may run (0: no limit is known), `proposed` what was asked for and then not done,
    `children` the agents that it started.
    """

    call_id: str
    name: str
    label: str
    state: ToolState = "running"
    started_at: float = 0.0
    duration_ms: int = 0
    tag: str = ""
    tail: str = ""
    display: Display | None = None
    note: str = ""
    timeout_s: float = 0.0
    proposed: Display | None = None
    children: tuple[Child, ...] = ()
    words: str = ""


@frozen
class CallBlock:
    """A call whose arguments are still being written by the model (live only)."""

    name: str = ""
    arguments: ArgumentStream = ArgumentStream()


@frozen
class NoticeBlock:
    level: Level
    text: str
    hint: str = ""


@frozen
class Bill:
    """What something cost, in dollars, as far as prices were known; None: for nothing of it."""

    cost: float | None = None
    estimated: bool = False

    def plus(self, cost: float | None, estimated: bool) -> Bill:
        return (
            self if cost is None else Bill((self.cost or 0.0) + cost, self.estimated or estimated)
        )


@frozen
class TurnBlock:
    """The end of a turn."""

    state: TurnEnd
    duration_ms: int = 0
    steps: int = 0
    tokens: int = 0
    estimated: bool = False
    at: float = 0.0
    bill: Bill = Bill()


@frozen
class DividerBlock:
    """A line across: the session was resumed, the context was cleared or compacted (`detail`: to
    this summary)."""

    text: str
    detail: str = ""


Block = (
    UserBlock
    | TextBlock
    | ThinkingBlock
    | ToolBlock
    | CallBlock
    | NoticeBlock
    | TurnBlock
    | DividerBlock
)


@frozen
class Saving:
    """Why not all of the session is on disk (empty: all is), the number of the last record that is
    there, and the file that has it where that is not its own place."""

    problem: str = ""
    through: int = 0
    elsewhere: str = ""

    def describe_loss(self, lost: int, turns: int) -> str:
        """In one line what would be lost if the program ended now: so many of the prompts, or what
        came after them."""
        prompts = (
            f"{lost} of {turns} prompts are not on disk"
            if turns > 1
            else "the prompt is not on disk"
        )
        what = (
            prompts
            if lost
            else "events after the last prompt are not on disk"
            if turns
            else "it is not on disk"
        )
        return f"the session is not saved: {self.problem}; {what}"


@frozen
class Streaming:
    """The answer being written in one step: where its rows begin, and its open ends."""

    base: int
    text: MdStream = field(default_factory=MdStream)
    thinking: str = ""
    thinking_chars: int = 0
    thinking_at: float = 0.0
    calls: tuple[CallBlock, ...] = ()


@frozen
class BackgroundJob:
    """What a command left in the background and still runs; since `since`. `number` is how the
    model calls it; 0: it is none of its own. `kept`: it goes on when the program ends. `waits`: the
    end of its output, where it seems to wait for input. `network`: its way out ends with the
    program."""

    id: str
    command: str
    since: float
    number: int = 0
    kept: bool = False
    waits: str = ""
    pids: tuple[int, ...] = ()
    network: bool = False


@frozen
class FailedJob:
    """A command in the background that failed by itself."""

    command: str
    exit_code: int


@frozen
class Answers:
    """The newest answer of each kind; None: there was none."""

    skills: answers.Skills | None = None
    models: answers.Models | None = None
    efforts: answers.Efforts | None = None
    setup: answers.SetupOffers | None = None
    setup_step: answers.SetupOutcome | None = None
    pull: answers.PullProgress | None = None
    sessions: answers.Sessions | None = None
    tree: answers.Tree | None = None
    search: answers.SearchResults | None = None
    stats: answers.Stats | None = None
    preview: answers.Preview | None = None
    log: answers.LogTail | None = None
    forked: answers.ForkOutcome | None = None
    shelf: answers.ShelfOutcome | None = None
    locked: answers.Locked | None = None
    refused: answers.Refused | None = None
    saved: answers.SaveOutcome | None = None
    files: answers.Files | None = None
    named_files: answers.NamedFiles | None = None
    image: answers.ImageFile | None = None
    clipboard_image: answers.ClipboardImage | None = None
    clipboard: answers.ClipboardSet | None = None
    written: answers.FileWritten | None = None
    private: answers.PrivateOutput | None = None
    doctor: answers.Checkup | None = None
    jobs: answers.Jobs | None = None
    permissions: answers.PermissionList | None = None
    hidden: answers.HiddenList | None = None
    trust: answers.TrustOffer | None = None
    hold: answers.PromptHold | None = None
    undo: answers.UndoPlan | None = None
    restored: answers.RestoreOutcome | None = None
    differences: answers.Differences | None = None
    compaction: answers.CompactionPlan | None = None
    context: answers.Ledger | None = None
    memory: answers.MemoryList | None = None
    repo_map: answers.RepoMap | None = None

    @property
    def holds_prompts(self) -> bool:
        """Something is asked before the next turn: what is sent stays in the queue until then."""
        return self.hold is not None and self.hold.on

    def with_newest(self, answer: answers.AnswerData) -> Answers:
        return replace_fields(self, {answer.type: answer})


@frozen
class Child:
    """A sub-agent: its id, and all that is to be seen of it and of those below it."""

    agent: str
    seen: Transcript

    @property
    def name(self) -> str:
        return self.agent.rpartition("/")[2]

    @property
    def end(self) -> TurnEnd | None:
        """How its last turn ended; None: it is at work."""
        if self.seen.state != "idle" or self.seen.questions:
            return None
        rows = self.seen.rows
        last = (rows[row] for row in range(len(rows) - 1, -1, -1))
        return next((block.state for block in last if isinstance(block, TurnBlock)), None)


@frozen
class Transcript:
    session: str = ""
    cwd: str = ""
    title: str = ""
    model: str = ""
    window: int = 0
    window_assumed: bool = False  # nobody told how large it is
    mode: str = "auto"
    rows: Vec[Block] = field(default_factory=Vec)
    streaming: Streaming | None = None
    open_tools: Mapping[str, int] = field(
        default_factory=dict
    )  # row index of each call without a result
    state: State = "idle"
    turn: int = 0
    steps: int = 0
    turn_at: float = 0.0
    """When the turn began, moved on by the time in which it waited for the person."""
    asked_at: float = 0.0  # when the oldest of what is pending was asked
    effort: str = ""
    queue: tuple[Queued, ...] = ()
    paused: bool = False
    todos: tuple[TodoItem, ...] = ()  # the model's list of what there is to do
    jobs: tuple[BackgroundJob, ...] = ()
    failed_jobs: tuple[FailedJob, ...] = ()
    """Those that ended since the person last sent or ran something: nobody may have seen it yet."""
    draft: str = ""
    pasted: tuple[Chip, ...] = ()  # what the labels in the draft stand for
    edited: EditedPrompt | None = None  # whose new words the draft begins with
    pending: tuple[Approval | Question, ...] = ()  # what this agent asks
    questions: tuple[Approval | Question, ...] = ()
    """What the person is asked: `pending`, and what the agents below ask, in the order in which it
    was asked."""
    agents: Mapping[str, int] = field(default_factory=dict)
    """The row of each agent below this one (`protocol/event.py`)."""
    retry: Retry | None = None
    context_tokens: int = 0  # of the last request and its answer: what the context holds now
    estimated: bool = False
    turn_tokens: int = 0  # written by the model in this turn
    answering: str = ""  # the model of the turn's newest request, which may be another than `model`
    compacting: float = 0.0  # since when a summary of the context is being written; 0: none is
    turn_bill: Bill = Bill()
    bill: Bill = Bill()  # of the session
    place: int = -1
    """The row that was looked at when the session was left; negative: its end."""
    answers: Answers = Answers()
    marks: Vec[Mark] = field(default_factory=Vec)
    """Where each turn began: what a rewind goes back to."""
    labels: Mapping[int, str] = field(
        default_factory=dict
    )  # what the person calls messages, by record number
    titled_by: Literal["", "model", "person"] = ""
    saving: Saving = Saving()
    sandbox: str = ""  # of commands that run unasked: how it is made, `none`, or empty: not known
    otr: bool = False  # off the record: nothing is written, and only reading tools run
    reading: bool = False  # another program has the session: it is only read along

    @property
    def unsaved_turns(self) -> int:
        """How many of its turns are not on disk."""
        last, marks = len(self.marks) - 1, self.marks
        if not self.saving.problem:
            return 0
        return last - next(
            (at for at in range(last, -1, -1) if marks[at].n <= self.saving.through), -1
        )

    def describe_loss(self) -> str:
        """In one line what is not on disk."""
        return self.saving.describe_loss(self.unsaved_turns, len(self.marks))

    def way_back(self, program: str) -> str:
        """The command that goes on with the session; empty where nothing of it is on disk."""
        if self.saving.elsewhere:
            return f"agent-tui sessions import {shlex.quote(self.saving.elsewhere)}"
        gone = self.is_unsaved and self.unsaved_turns == len(self.marks)
        return "" if gone else f"{program} --resume {self.session}"

    @property
    def is_unsaved(self) -> bool:
        """Whether anything of it that is worth a file is not on disk."""
        return bool(self.saving.problem and (self.turn or self.draft.strip() or self.queue))

    def live(self) -> tuple[Block, ...]:
        """Blocks that are still being written; they follow the rows."""
        stream = self.streaming
        if stream is None:
            return ()
        blocks: list[Block] = []
        if stream.thinking_chars and not stream.text.length:
            blocks.append(ThinkingBlock(stream.thinking, stream.thinking_chars, live=True))
        if tail := stream.text.tail:
            blocks.append(
                TextBlock(tail, stream.text.lead, not self._has_text(stream), stream.text.before)
            )
        blocks.extend(stream.calls)
        return tuple(blocks)

    def add(self, *blocks: Block) -> Transcript:
        """Add closed blocks. What is said while an answer streams goes above that answer: it is
        taken as one thing."""
        stream = self.streaming
        if stream is None:
            return replace(self, rows=self.rows.extend(blocks))
        rows = self.rows.truncate(stream.base).extend(blocks).extend(self.rows[stream.base :])
        return replace(self, rows=rows, streaming=replace(stream, base=stream.base + len(blocks)))

    def stream_text(self, text: str, at: float) -> Transcript:
        if not text:
            return self
        stream = self.streaming or Streaming(len(self.rows))
        rows = self.rows
        if stream.thinking_chars and not stream.text.length and len(rows) == stream.base:
            elapsed = max(0, round((at - stream.thinking_at) * 1000))
            rows = rows.append(ThinkingBlock(stream.thinking, stream.thinking_chars, elapsed))
        pieces, fed = stream.text.feed(text)
        rows = rows.extend(_text_blocks(pieces, not self._has_text(stream)))
        return replace(self, rows=rows, streaming=replace(stream, text=fed))

    def stream_thinking(self, text: str, at: float) -> Transcript:
        stream = self.streaming or Streaming(len(self.rows))
        stream = replace(
            stream,
            thinking=(stream.thinking + text)[-LIVE_TAIL:],
            thinking_at=stream.thinking_at or at,
            thinking_chars=stream.thinking_chars + len(text),
        )
        return replace(self, streaming=stream)

    def stream_call(self, index: int, name: str, text: str) -> Transcript:
        if not 0 <= index < MAX_CALLS:
            return self
        stream = self.streaming or Streaming(len(self.rows))
        calls = [*stream.calls, *[CallBlock()] * (index + 1 - len(stream.calls))]
        old = calls[index]
        calls[index] = CallBlock(name or old.name, old.arguments.feed(text))
        return replace(self, streaming=replace(stream, calls=tuple(calls)))

    def settle(self, text: str, reasoning: str, thinking_ms: int) -> Transcript:
        """Close the step's answer. What was streamed stays if it was the same text; else it is laid
        out anew."""
        stream = self.streaming or Streaming(len(self.rows))
        thinking = (ThinkingBlock(reasoning, len(reasoning), thinking_ms),) if reasoning else ()
        rows = self.rows
        if stream.text.length and stream.text.holds(text):
            rows = rows.extend(_text_blocks(stream.text.close(), not self._has_text(stream)))
            shown = isinstance(rows[stream.base], ThinkingBlock)
            if shown and thinking:
                rows = rows.set(stream.base, thinking[0])
            if shown == bool(thinking):
                return replace(self, rows=_linked(rows, stream.base, text), streaming=None)
        rows = rows.truncate(stream.base).extend(thinking).extend(_text_blocks(split(text), True))
        return replace(self, rows=_linked(rows, stream.base, text), streaming=None)

    def abandon(self) -> Transcript:
        """Take back what was streamed and never settled."""
        rows = self.rows if self.streaming is None else self.rows.truncate(self.streaming.base)
        return replace(self, rows=rows, streaming=None)

    def put_tool(self, block: ToolBlock) -> Transcript:
        """Show `block`, in the place of the same call's older state if there is one."""
        row, open_tools = self.open_tools.get(block.call_id), dict(self.open_tools)
        if (
            row is None
            # above an answer that streams, like all that is said meanwhile: that answer may be taken
            # back
        ):
            row, t = self.streaming.base if self.streaming else len(self.rows), self.add(block)
        else:
            before = self.rows[row]
            children = before.children if isinstance(before, ToolBlock) else ()
            t = replace(
                self,
                rows=self.rows.set(row, replace(block, children=children) if children else block),
            )
        if block.state in ("asking", "running"):
            open_tools[block.call_id] = row
        else:
            open_tools.pop(block.call_id, None)
        return replace(t, open_tools=open_tools)

    def tool(self, call_id: str) -> ToolBlock | None:
        """The open call `call_id`."""
        row = self.open_tools.get(call_id)
        block = None if row is None else self.rows[row]
        return block if isinstance(block, ToolBlock) else None

    def ask(self, asked: Approval | Question, at: float) -> Transcript:
        """This agent asks the person."""
        since = self.asked_at if self.pending else at
        return replace(
            self,
            state="waiting_for_input",
            pending=(*self.pending, asked),
            questions=(*self.questions, asked),
            asked_at=since,
        )

    def keep_pending(self, kept: tuple[Approval | Question, ...]) -> Transcript:
        """Only `kept` of what this agent asks is still asked."""
        if kept == self.pending:
            return self
        return replace(self, pending=kept).replace_questions(self.pending, kept)

    def replace_questions(
        self, before: tuple[Approval | Question, ...], after: tuple[Approval | Question, ...]
    ) -> Transcript:
        """Some of the questions were `before`, and are `after` now; the others stay in their
        places, and so does one that is only answered."""
        if before is after:
            return self
        known = {one.id for one in before}
        now = {one.id: one for one in after if one.id in known}
        kept = tuple(
            now.get(one.id, one) if one in before else one
            for one in self.questions
            if one not in before or one.id in now
        )
        return replace(self, questions=(*kept, *(one for one in after if one.id not in known)))

    def with_usage(self, usage: Usage) -> Transcript:
        sent, new = usage.prompt_tokens, usage.completion_tokens
        t = replace(self, context_tokens=sent + new, estimated=usage.estimated)
        return replace(t, turn_tokens=self.turn_tokens + new)

    def with_cost(self, cost: float | None, estimated: bool) -> Transcript:
        if cost is None:
            return self
        return replace(
            self,
            bill=self.bill.plus(cost, estimated),
            turn_bill=self.turn_bill.plus(cost, estimated),
        )

    def _has_text(self, stream: Streaming) -> bool:
        return len(self.rows) > stream.base and isinstance(self.rows[-1], TextBlock)


def _text_blocks(pieces: tuple[Piece, ...], head: bool) -> tuple[TextBlock, ...]:
    return tuple(
        TextBlock(p.text, p.lead, head and number == 0, p.before) for number, p in enumerate(pieces)
    )


def _linked(rows: Vec[Block], base: int, text: str) -> Vec[Block]:
    """`rows`, where the blocks from `base` on, the pieces of `text`, are told of each other's
    definitions (`links`)."""
    if "]:" not in text:
        return rows  # as nearly always; a hundred thousand pieces take a while to look at
    own = [(n, block) for n in range(base, len(rows)) if isinstance(block := rows[n], TextBlock)]
    for (row, block), told in zip(own, links([b.lead + b.text for _, b in own]), strict=True):
        if told != block.links:
            rows = rows.set(row, replace(block, links=told))
    return rows
