"""Says what is new in the session: after each event, what it added to the transcript. Nothing said
is ever changed."""

from __future__ import annotations

import time
from typing import Final

from agent_tui.present import wording
from agent_tui.present.blocks import ENDS
from agent_tui.present.plain import ASSISTANT, block_lines, running_line, tool_lines
from agent_tui.protocol.answers import ClipboardSet
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    Answered,
    AssistantReplied,
    ModelChanged,
    QueueChanged,
    RequestSent,
    Retrying,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.tool_events import ShellStarted
from agent_tui.protocol.transcript import (
    Block,
    NoticeBlock,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    Transcript,
    TurnBlock,
    UserBlock,
)
from agent_tui.structures import chips
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.words import one_line
from agent_tui.tui.linear.lines import Out, Tone

NO_CLIPBOARD: Final = (
    "Not copied: this machine has no clipboard tool; /copy, then w and a number, writes a file."
)
PAUSE: Final = 2.0
"""Seconds without more, after which the words of a line that is not at its end are said."""
TURNS: Final = 2
"""Turns of a resumed session that are said again."""


class Scribe:
    """`echo`: what the person types is said too, since no terminal shows it."""

    def __init__(self, out: Out, echo: bool) -> None:
        self._out = out
        self._echo = echo
        self._said = 0
        self._open: set[str] = set()
        """Calls that have a row and no end yet."""
        self._seen: set[str] = set()
        """Calls that were asked about: their diffs were said with the question."""
        self._session = ""
        self._queued = False
        self._answer = ""
        self._heard: list[str] = []
        self._last = 0.0
        self._spoke = self._thought = False

    # -- one event

    def follow(self, event: Event | Restored, before: Model, model: Model) -> None:
        """Say what `event` has made new."""
        t, was = model.transcript, before.transcript
        if isinstance(event, Event) and not event.is_main:
            self._follow_agent(event, t, model)
            return
        match event:
            case Restored():
                self._restored(model)
            case SessionStarted():
                self._began(event)
            case TurnStarted():
                self._queued = bool(event.queue_id)
            case StepStarted() | RequestSent(attempt=2 | 3 | 4 | 5 | 6 | 7 | 8 | 9):
                self._void()
            case TextDelta():
                self._think(t, model)
                self._stream(event.text)
            case AssistantReplied():
                self._think(t, model)
                self._settle(event.text)
            case TurnEnded():
                self._void()
            case QueueChanged():
                self._queue(was, t)
            case Retrying():
                self._out.say([f"Trying again in {event.delay_s:.0f} s: {event.reason}"], "warning")
            case Answered(data=ClipboardSet(problem="", tool=tool, tmux=tmux)):
                held = "Copied to the buffer of tmux." if tmux else NO_CLIPBOARD
                self._out.say([f"Copied with {tool}." if tool else held])
            case ModelChanged() if event.model != was.model:
                self._out.say([f"Model: {event.model or 'none'}."])
            case _:
                pass
        self._rows(t, model)
        if isinstance(event, ShellStarted) or (
            isinstance(event, ToolStarted) and event.effect == "execute"
        ):
            block = t.tool(event.call_id)
            if block is not None and block.state == "running":
                self._out.say([running_line(block)], "tool")

    def skip(self, model: Model) -> None:
        """What is there now is not said."""
        self._said = len(model.transcript.rows)

    def _follow_agent(self, event: Event, t: Transcript, model: Model) -> None:
        """Of a sub-agent is said when it begins and ends; the rest is said with its call, or by
        `/expand`."""
        if isinstance(event, TurnStarted):
            self._out.say([f"Agent {event.agent} begins: {one_line(event.prompt)}"], "tool")
        elif isinstance(event, TurnEnded):
            took = wording.count(event.steps, "step")
            self._out.say([f"Agent {event.agent}: {ENDS[event.state]}, {took}"], "tool")
        self._rows(t, model)

    def on_pause(self) -> None:
        """Nothing came for a while: what is written of a line is said, as far as its words are
        whole."""
        text = "".join(self._heard)
        cut = max(text.rfind(" "), text.rfind("\t"))
        if cut > 0 and text[:cut].strip() and time.monotonic() - self._last > PAUSE:
            self._heard = [text[cut + 1 :]]
            self._speak(text[:cut])

    # -- the answer that is being written

    def _stream(self, text: str) -> None:
        self._answer += text
        self._last = time.monotonic()
        head, line_end, tail = text.rpartition("\n")
        if not line_end:
            self._heard.append(text)
            return
        self._speak("".join(self._heard) + head)
        self._heard = [tail]

    def _settle(self, text: str) -> None:
        """The answer as it stands for good: what was not said of it."""
        if not text.startswith(self._answer):
            if self._spoke:
                self._out.say(["The answer has changed; here is all of it:"], "warning")
            self._heard, self._answer, self._spoke = [], "", False
        rest = "".join(self._heard) + text[len(self._answer) :]
        self._heard, self._answer = [], ""
        if rest.strip():
            self._speak(rest.rstrip("\n"))
        self._spoke = self._thought = False

    def _void(self) -> None:
        """What was written and never settled."""
        if self._spoke or self._heard:
            rest = "".join(self._heard)
            if rest.strip():
                self._speak(rest)
        self._heard, self._answer, self._spoke, self._thought = [], "", False, False

    def _speak(self, text: str) -> None:
        if not self._spoke:
            text = text.lstrip("\n")
            if not text.strip():
                return
            self._out.say([f"{ASSISTANT}: {text}"], "assistant")
        else:
            self._out.say([text])
        self._spoke = True

    def _think(self, t: Transcript, model: Model) -> None:
        """The thought before an answer, once it is over."""
        if self._thought:
            return
        stream = t.streaming
        first = stream.base if stream is not None else self._said
        rows = t.rows
        number = next(
            (n for n in range(first, len(rows)) if isinstance(rows[n], ThinkingBlock)), -1
        )
        if number >= 0:
            self._thought = True
            self._out.say(block_lines(rows[number], model.look, model.reading.expanded))

    # -- rows

    def _rows(self, t: Transcript, model: Model) -> None:
        """Rows that stay where they are; those of an answer that is being written may not."""
        rows, look, expanded = t.rows, model.look, model.reading.expanded
        for call_id in sorted(self._open - t.open_tools.keys()):
            self._open.discard(call_id)
            for row in reversed(rows):
                if isinstance(row, ToolBlock) and row.call_id == call_id:
                    self._out.say(tool_lines(row, look, expanded, call_id in self._seen), "tool")
                    break
        end = len(rows) if t.streaming is None else min(len(rows), t.streaming.base)
        for number in range(self._said, end):
            self._row(rows[number], model)
        self._said = max(self._said, end)

    def _row(self, row: Block, model: Model) -> None:
        if isinstance(row, TextBlock | ThinkingBlock):
            return
        if isinstance(row, ToolBlock) and row.state in ("asking", "running"):
            self._open.add(row.call_id)
            if row.state == "asking":
                self._seen.add(row.call_id)
            return
        lines = block_lines(row, model.look, model.reading.expanded)
        if isinstance(row, UserBlock) and not (self._echo or row.steer or self._queued):
            lines = lines[1:]
        self._out.say(lines, _tone(row))

    def _restored(self, model: Model) -> None:
        """How a session ended that goes on now."""
        rows = model.transcript.rows
        begins = [n for n in range(len(rows)) if isinstance(rows[n], UserBlock)]
        first = begins[-TURNS] if len(begins) >= TURNS else 0
        self._said = len(rows)
        if first:
            self._out.say([f"{len(begins) - TURNS} earlier turns are not shown again."])
        for number in range(first, len(rows)):
            row = rows[number]
            lines = block_lines(row, model.look, False)
            if isinstance(row, TextBlock) and row.head and lines:
                lines[0] = f"{ASSISTANT}: {lines[0]}"
            self._out.say(lines, _tone(row))

    def _began(self, event: SessionStarted) -> None:
        if event.session != self._session and not event.resumed:
            self._said, self._open = 0, set()
        self._session = event.session
        model = f"model {event.model}" if event.model else "no model"
        self._out.say([f"Session {event.session[:8]} in {event.cwd}, {model}, mode {event.mode}."])

    def _queue(self, was: Transcript, t: Transcript) -> None:
        known = {(item.id, item.text) for item in was.queue}
        for number, item in enumerate(t.queue, 1):
            if (item.id, item.text) not in known:
                where = (
                    "For the next step of this turn" if item.steer else f"Queued as number {number}"
                )
                self._out.say([f"{where}: {one_line(chips.fold_pastes(item.text, item.pastes))}"])
        if t.paused != was.paused and t.queue:
            waits = f"{len(t.queue)} prompt{'s wait' if len(t.queue) > 1 else ' waits'}"
            said = (
                f"The queue is paused, {waits}; /queue resume continues it."
                if t.paused
                else "The queue runs again."
            )
            self._out.say([said])


def _tone(row: Block) -> Tone:
    if isinstance(row, UserBlock):
        return "you"
    if isinstance(row, TextBlock):
        return "assistant" if row.head else ""
    if isinstance(row, NoticeBlock):
        return "bad" if row.level == "error" else "warning" if row.level == "warning" else ""
    if isinstance(row, TurnBlock):
        return "" if row.state == "completed" else "warning"
    return "tool" if isinstance(row, ToolBlock) else ""
